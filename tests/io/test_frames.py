"""Every engine gives exactly the counts of `count` on the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import confmat as cm
from confmat.io import count_frame

pa = pytest.importorskip("pyarrow", reason="frames are made from Arrow tables")

Constructor = Callable[[Any], Any]

INTEGERS = [3, 1, 3, -2, 1, 3, 1]
GUESSES = [3, 3, 1, -2, 1, 3, 1]
TEXTS = ["b", "a", "b", "ü'\"", "a", "b", "a"]
TEXT_GUESSES = ["b", "b", "a", "ü'\"", "a", "b", "; --"]
BOOLEANS = [True, False, True, True, False, True, False]
GAPS = [1, None, 3, None, 1, 3, None]
GROUPS = ["n", "s", "n", "s", "n", "s", "n"]
# Beyond 2^53 floats skip integers, and so would sums by way of them.
WHOLE = [1, 0, 2**55 + 1, 3, 4, 2**31, 2**31]
REAL = [0.5, 0.0, 1.25, 3.0, 4.5, 1e-3, 2.0]


def table(**columns: Any) -> Any:
    return pa.table(columns)


def same(found: Any, expected: Any, *, rel: float = 0.0) -> None:
    """Labels, counts, what was dropped, and the squares behind weighted sums."""
    if isinstance(expected, cm.Stack):
        assert list(found) == list(expected)
        for key in expected:
            same(found[key], expected[key], rel=rel)
        return
    assert found.labels == expected.labels
    assert found.labels.positive == expected.labels.positive
    if rel:
        np.testing.assert_allclose(found.counts, expected.counts, rtol=rel)
        assert found.dropped == pytest.approx(expected.dropped, rel=rel)
    else:
        assert found.counts.dtype == expected.counts.dtype
        assert found.counts.tolist() == expected.counts.tolist()
        assert found.dropped == expected.dropped
    assert (found._squares is None) == (expected._squares is None)
    if expected._squares is not None:
        np.testing.assert_allclose(found._squares.table(), expected._squares.table(), rtol=1e-14)


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        pytest.param(INTEGERS, GUESSES, id="integers"),
        pytest.param(TEXTS, TEXT_GUESSES, id="texts"),
        pytest.param(BOOLEANS, BOOLEANS[::-1], id="booleans"),
        pytest.param([1.0, 2.0, 1.0], [2, 2, 1], id="integral floats"),
        pytest.param(BOOLEANS, [1, 0, 0, 1, 1, 0, 1], id="booleans and integers"),
    ],
)
def test_plain_labels(
    frame_constructor: Constructor, actual: list[Any], predicted: list[Any]
) -> None:
    same(
        count_frame(frame_constructor(table(y=actual, yhat=predicted))), cm.count(actual, predicted)
    )


@pytest.mark.parametrize("missing", ["drop", "collect"])
@pytest.mark.parametrize(
    ("actual", "predicted"),
    [
        pytest.param(GAPS, GUESSES, id="integers"),
        pytest.param(INTEGERS, GAPS, id="integers, predicted"),
        pytest.param(["a", None, "b", None, "a", "b", "a"], TEXTS, id="texts"),
        pytest.param([True, None, False, True, True, True, None], BOOLEANS, id="booleans"),
    ],
)
def test_missing_labels(
    frame_constructor: Constructor, actual: list[Any], predicted: list[Any], missing: Any
) -> None:
    found = count_frame(frame_constructor(table(y=actual, yhat=predicted)), missing=missing)
    same(found, cm.count(actual, predicted, missing=missing))


def test_missing_labels_are_an_error_that_counts_rows(frame_constructor: Constructor) -> None:
    frame = frame_constructor(table(y=[1, None, None, None], yhat=[1, 1, 1, 2]))
    with pytest.raises(cm.LabelError, match=r"missing labels: 3 .*actual"):
        count_frame(frame)


@pytest.mark.parametrize("missing", ["drop", "collect"])
def test_nan_and_null_are_both_missing(frame_constructor: Constructor, missing: Any) -> None:
    numbers = [1.0, float("nan"), None, 2.0, float("nan")]
    frame = frame_constructor(table(y=pa.array(numbers, pa.float64()), yhat=[1, 1, 2, 2, 2]))
    same(count_frame(frame, missing=missing), cm.count(numbers, [1, 1, 2, 2, 2], missing=missing))


def test_whole_weights_are_added_exactly(frame_constructor: Constructor) -> None:
    # 2^31 + 2^31 wraps in 32 bits.
    frame = frame_constructor(table(y=INTEGERS, yhat=GUESSES, w=WHOLE))
    found = count_frame(frame, weights="w")
    same(found, cm.count(INTEGERS, GUESSES, weights=WHOLE))
    assert found.counts.dtype == np.int64


def test_real_weights(frame_constructor: Constructor) -> None:
    found = count_frame(frame_constructor(table(y=TEXTS, yhat=TEXT_GUESSES, w=REAL)), weights="w")
    same(found, cm.count(TEXTS, TEXT_GUESSES, weights=REAL), rel=8 * 2.0**-52)


def test_weights_of_64_bits_are_added_or_refused(quick_constructor: Constructor) -> None:
    weights = [2**63, 1]
    frame = quick_constructor(table(y=[1, 2], yhat=[1, 1], w=pa.array(weights, pa.uint64())))
    try:
        found = count_frame(frame, weights="w")
    except cm.InputError as error:
        assert "may add up to more than 63 bits hold" in str(error)  # noqa: PT017 - or it is right
    else:
        same(found, cm.count([1, 2], [1, 1], weights=np.array(weights, np.uint64)))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        pytest.param(pa.array([1, -1, 2]), r"zero or more", id="negative"),
        pytest.param(pa.array([1.0, float("inf"), 2.0]), r"finite", id="infinite"),
        pytest.param(pa.array([1, None, 2]), r"finite|missing", id="null"),
        pytest.param(pa.array(["1", "2", "3"]), r"must be numbers", id="text"),
    ],
)
def test_impossible_weights_are_refused(
    frame_constructor: Constructor, weights: Any, message: str
) -> None:
    frame = frame_constructor(table(y=[1, 1, 2], yhat=[1, 1, 1], w=weights))
    with pytest.raises(cm.InputError, match=message):
        count_frame(frame, weights="w")


@pytest.mark.parametrize("weights", [WHOLE, REAL])
@pytest.mark.parametrize("missing", ["drop", "collect"])
def test_groups_with_weights_and_gaps(
    frame_constructor: Constructor, weights: list[Any], missing: Any
) -> None:
    groups = ["n", None, "n", "s", None, "s", "n"]
    frame = frame_constructor(table(y=GAPS, yhat=GUESSES, site=groups, w=weights))
    found = count_frame(frame, by="site", weights="w", missing=missing)
    same(found, cm.count(GAPS, GUESSES, by=groups, weights=weights, missing=missing), rel=1e-14)


@pytest.mark.parametrize("other", ["drop", "collect"])
def test_strangers(frame_constructor: Constructor, other: Any) -> None:
    found = count_frame(
        frame_constructor(table(y=TEXTS, yhat=TEXT_GUESSES)), labels=["b", "a"], other=other
    )
    same(found, cm.count(TEXTS, TEXT_GUESSES, labels=["b", "a"], other=other))


def test_no_rows(frame_constructor: Constructor) -> None:
    frame = frame_constructor(table(y=pa.array([], pa.int64()), yhat=pa.array([], pa.int64())))
    assert count_frame(frame, labels=[0, 1]).total == 0
    with pytest.raises(cm.InputError, match="no pairs to count"):
        count_frame(frame)


def test_scores_instead_of_labels(frame_constructor: Constructor) -> None:
    frame = frame_constructor(table(y=[0, 1], yhat=[0.25, 0.75]))
    with pytest.raises(cm.LabelError, match="floats only where they hold integers"):
        count_frame(frame)


def test_a_column_of_identifiers_is_stopped(frame_constructor: Constructor) -> None:
    frame = frame_constructor(table(label=[1, 2] * 50, row=list(range(100))))
    with pytest.raises(cm.BudgetError, match=r"`max_pairs` = 10 .*column 'row' .*identifier"):
        count_frame(frame, actual="label", predicted="row", max_pairs=10)
    assert count_frame(frame, actual="label", predicted="row", max_pairs=100).total == 100


NAMES = [
    "a b",
    'q"uo"te',
    "it's",
    "y; DROP TABLE t0; --",
    "dotted.name",
    "%s",
    "__p",
    "select",
]


def test_column_names_are_never_code(frame_constructor: Constructor) -> None:
    columns = {name: TEXTS if i % 2 else TEXT_GUESSES for i, name in enumerate(NAMES)}
    frame = frame_constructor(pa.table({**columns, "__w": WHOLE, "__g": GROUPS}))
    expected = cm.count(TEXT_GUESSES, TEXTS, weights=WHOLE, by=GROUPS)
    for first, second in zip(NAMES[::2], NAMES[1::2], strict=True):
        same(count_frame(frame, actual=first, predicted=second, weights="__w", by="__g"), expected)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_tables(quick_constructor: Constructor, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 12))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return data.draw(st.lists(values, min_size=n, max_size=n))

    kind = data.draw(
        st.sampled_from(
            [st.integers(-3, 3), st.sampled_from(["", "a", "B", " ", "é"]), st.booleans()]
        )
    )
    some = st.none() | kind if data.draw(st.booleans()) else kind
    actual, predicted, groups = column(some), column(some), column(st.none() | st.integers(0, 2))
    weights = data.draw(st.none() | st.lists(st.integers(0, 2**33), min_size=n, max_size=n))
    by = data.draw(st.booleans())
    missing = data.draw(st.sampled_from(["error", "drop", "collect"]))
    labels, other = (
        data.draw(st.none() | st.lists(kind, min_size=1, max_size=3, unique=True)),
        data.draw(st.sampled_from(["error", "drop", "collect"])),
    )
    typed = {int: pa.int64(), str: pa.string(), bool: pa.bool_()}[
        next((type(x) for x in [*actual, *predicted] if x is not None), int)
    ]
    options: dict[str, Any] = {"missing": missing, "labels": labels, "other": other}
    tally = "none" if weights is None else None
    rows = table(
        y=pa.array(actual, typed),
        yhat=pa.array(predicted, typed),
        g=pa.array(groups, pa.int64()),
        w=weights or [1] * n,
    )
    sides = [rows[name].combine_chunks() for name in ("y", "yhat", "g")]
    frame = quick_constructor(rows)
    expected = outcome(
        lambda: cm.count(*sides[:2], weights=weights, by=sides[2] if by else None, **options)
    )
    found = outcome(
        lambda: count_frame(
            frame,
            weights=None if weights is None else "w",
            by="g" if by else None,
            tally=tally,
            **options,
        )
    )
    if isinstance(expected, type):
        assert found is expected
    else:
        same(found, expected)


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except cm.ConfmatError as error:
        return type(error)


def test_boolean_weights(frame_constructor: Constructor) -> None:
    frame = frame_constructor(table(y=INTEGERS, yhat=GUESSES, w=BOOLEANS))
    same(count_frame(frame, weights="w"), cm.count(INTEGERS, GUESSES, weights=np.array(BOOLEANS)))

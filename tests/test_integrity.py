"""Twelve invariants that would have caught nearly every wrong number known of confusion-matrix tools."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise, repeat
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from confmat import ConfmatError, ConfusionMatrix, Tally, count, metrics

pytestmark = pytest.mark.usefixtures("kernel")

NAMES = "abcd"
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*NAMES, None]), st.sampled_from([*NAMES, None]), st.integers(0, 2**40)
    ),
    min_size=1,
    max_size=40,
)
COMPLETE = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=40
)
ACTIONS = st.sampled_from(["drop", "collect"])
PER_CLASS = [metrics.recall, metrics.precision, metrics.f1, metrics.jaccard, metrics.specificity]
WHOLE = [metrics.accuracy, metrics.kappa, metrics.mcc]


SMALL = st.integers(0, 30)


@st.composite
def matrices(draw: st.DrawFn, cell: st.SearchStrategy[Any] = SMALL) -> ConfusionMatrix:
    k = draw(st.integers(2, 4))
    table = draw(st.lists(st.lists(cell, min_size=k, max_size=k), min_size=k, max_size=k))
    assume(any(map(any, table)))
    return ConfusionMatrix(table, list(NAMES[:k]))


def scores(matrix: ConfusionMatrix) -> list[float]:
    """Per class and of the whole, in an order that does not depend on that of the classes."""
    found = [
        metric(matrix, of=name) for metric in PER_CLASS for name in sorted(matrix.labels.classes)
    ]
    return [*map(float, found), *(float(metric(matrix)) for metric in WHOLE)]


def close(mine: Iterable[float], theirs: Iterable[float], rel: float = 1e-12) -> bool:
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=rel, abs_tol=rel)
        for a, b in zip(mine, theirs, strict=True)
    )


# 1. total + dropped is the number, or the weight, of the pairs.


@given(ROWS, ACTIONS, ACTIONS, st.sampled_from([None, ["a", "b"], ["z"]]), st.booleans())
def test_1_nothing_vanishes_unreported(
    rows: list[Any], missing: Any, other: Any, labels: Any, weighted: bool
) -> None:
    assume(labels or any(a or p for a, p, _ in rows))
    actual, predicted, weights = ([row[i] for row in rows] for i in range(3))
    matrix = count(
        actual,
        predicted,
        missing=missing,
        other=other,
        labels=labels,
        weights=weights if weighted else None,
    )
    assert matrix.total + matrix.dropped == (sum(weights) if weighted else len(rows))
    assert (
        matrix.total
        == sum(matrix.pairs().values())
        == int(matrix.actual_totals.sum())
        == int(matrix.predicted_totals.sum())
    )


# 2. The sum of parts is the whole: any split, any order, bit for bit.


@given(
    COMPLETE,
    st.lists(st.integers(0, 40), max_size=4),
    st.randoms(use_true_random=False),
    st.sampled_from([list, np.array]),
)
def test_2_parts_add_up_to_the_whole(
    rows: list[Any], cuts: list[int], random: Any, container: Any
) -> None:
    whole = count(container([a for a, _ in rows]), container([p for _, p in rows]))
    parts = [rows[a:b] for a, b in pairwise([0, *sorted(cuts), len(rows)]) if rows[a:b]]
    random.shuffle(parts)
    counted = [
        count(container([a for a, _ in part]), container([p for _, p in part])) for part in parts
    ]
    tally = Tally()
    for part in counted:
        tally.merge(part)
    for found in (reduce(add, counted), sum(counted), tally.matrix()):
        assert found == whole
        assert found.counts.tobytes() == whole.counts.tobytes()  # type: ignore[union-attr]


# 3. The order of the classes is no matter of substance.


@given(matrices(), st.randoms(use_true_random=False))
def test_3_permuting_classes_permutes_the_matrix_and_no_score(
    matrix: ConfusionMatrix, random: Any
) -> None:
    names = list(matrix.labels.classes)
    random.shuffle(names)
    other = matrix.reorder(names)
    assert dict(other.pairs()) == dict(matrix.pairs())
    assert close(scores(other), scores(matrix), rel=1e-13)


# 4. Ten times the counts are the same rates.


@given(matrices(), st.sampled_from([2, 3, 10**6, 10**15, 0.5, 1e-300, 1e-170, 1e290]))
def test_4_scaling_changes_no_ratio(matrix: ConfusionMatrix, scale: float) -> None:
    if isinstance(scale, int):
        scaled = ConfusionMatrix(
            [[int(n) * scale for n in row] for row in matrix.counts.tolist()], matrix.labels
        )
    else:
        scaled = ConfusionMatrix(matrix.counts * scale, matrix.labels)
    assert close(scores(scaled), scores(matrix))


# 5. Transposing exchanges recall and precision and leaves what is symmetric.


@given(matrices())
def test_5_transposing_exchanges_recall_and_precision(matrix: ConfusionMatrix) -> None:
    turned = matrix.T
    assert close(metrics.recall(turned), metrics.precision(matrix), rel=0)
    assert close(metrics.precision(turned), metrics.recall(matrix), rel=0)
    for metric in (metrics.kappa, metrics.mcc, metrics.accuracy):
        assert close([metric(turned)], [metric(matrix)])
    assert close(metrics.jaccard(turned), metrics.jaccard(matrix), rel=0)


# 6. A label that is not declared reaches no cell.


@given(
    COMPLETE, st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True), st.booleans()
)
def test_6_strangers_reach_no_cell(rows: list[Any], labels: list[str], numbers: bool) -> None:
    code = (
        {name: i * 3 - 2 for i, name in enumerate(NAMES)}
        if numbers
        else {name: name for name in NAMES}
    )
    actual, predicted = (np.array([code[row[i]] for row in rows]) for i in (0, 1))
    declared = [code[name] for name in labels]
    matrix = count(actual, predicted, labels=declared, other="drop")
    inside = [(a, p) for a, p in rows if a in labels and p in labels]
    assert matrix.total == len(inside)
    assert matrix.counts.tolist() == [[inside.count((a, p)) for p in labels] for a in labels]


# 7. A class without samples is no event.


@given(matrices())
def test_7_an_empty_class_changes_no_score(matrix: ConfusionMatrix) -> None:
    wider = matrix + ConfusionMatrix([[0]], ["e"])
    for metric in PER_CLASS:
        assert close(metric(wider)[: matrix.n_classes], metric(matrix), rel=0)
    for whole in WHOLE:
        assert close([whole(wider)], [whole(matrix)], rel=0)
    assert math.isnan(metrics.recall(wider, of="e"))


# 8. Proportions stay in [0, 1], correlations in [-1, 1].


@given(
    matrices(st.sampled_from([0, 1, 2**53 + 1, 2**58]) | st.integers(0, 2**58))
    | matrices(st.sampled_from([0.0, 0.1, 1 / 3, 0.7, 1.0]))
)
def test_8_proportions_are_proportions(matrix: ConfusionMatrix) -> None:
    found = np.array(scores(matrix))
    proportions, correlations = found[:-2], found[-2:]
    assert np.all(np.isnan(proportions) | ((proportions >= 0) & (proportions <= 1)))
    assert np.all(np.isnan(correlations) | (np.abs(correlations) <= 1 + 1e-13))
    for by in ("actual", "predicted", "all"):
        rates = matrix.normalize(by)
        assert np.all(np.isnan(rates) | ((rates >= 0) & (rates <= 1)))


@pytest.mark.parametrize("weights", [(0.1, 0.7), (1e-9, 0.1)])
def test_8_where_everything_is_wrong_mcc_is_minus_one(weights: tuple[float, float]) -> None:
    found = metrics.mcc(ConfusionMatrix([[0.0, weights[0]], [weights[1], 0.0]]))
    assert -1 <= found < -1 + 1e-14


# 9. One matrix, whatever the container; or an error of ours.


def frames(name: str, dtype: str) -> Callable[[list[int]], Any]:
    def build(values: list[int]) -> Any:
        return pytest.importorskip(name, reason=f"{name} is not installed").Series(
            values, dtype=dtype
        )

    return build


WIDTHS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "O")
CONTAINERS: dict[str, Callable[[list[int]], Any]] = {
    **{dtype: partial(np.array, dtype=dtype) for dtype in WIDTHS},
    **{
        dtype: frames("pandas", dtype)
        for dtype in ("Int16", "UInt8", "Float64", "category", "int64[pyarrow]")
    },
    "arrow": lambda v: pytest.importorskip("pyarrow", reason="PyArrow is not installed").array(v),
    "polars": lambda v: pytest.importorskip("polars", reason="Polars is not installed").Series(v),
}


@pytest.mark.parametrize("name", CONTAINERS)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=20))
def test_9_the_container_is_no_part_of_the_answer(name: str, rows: list[Any]) -> None:
    actual, predicted = ([row[i] for row in rows] for i in (0, 1))
    expected = count(actual, predicted, labels=range(4))
    assert count(CONTAINERS[name](actual), CONTAINERS[name](predicted), labels=range(4)) == expected


ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=2),
    st.binary(max_size=2),
    st.tuples(st.integers()),
)


@given(
    st.lists(
        ANYTHING
        | st.sets(st.integers(), max_size=2)
        | st.dictionaries(st.integers(), st.integers(), max_size=1),
        max_size=6,
    ),
    st.booleans(),
)
def test_9_anything_else_is_an_error_of_ours(values: list[Any], as_array: bool) -> None:
    if as_array:
        holder = np.empty(len(values), dtype=object)
        holder[:] = values
    else:
        holder = values  # type: ignore[assignment]
    try:
        matrix = count(holder, holder, missing="drop")
    except ConfmatError:
        return
    assert matrix.total + matrix.dropped == len(values)
    assert matrix.diagonal.sum() == matrix.total


# 10. A matrix in, or its pairs in: the same scores.


@given(matrices(st.integers(0, 5)))
def test_10_the_matrix_and_its_pairs_score_alike(matrix: ConfusionMatrix) -> None:
    pairs = [pair for pair, n in matrix.pairs().items() for _ in repeat(None, int(n))]
    counted = count([a for a, _ in pairs], [p for _, p in pairs], labels=matrix.labels)
    assert counted == matrix
    assert close(scores(counted), scores(matrix), rel=0)
    weighted = count(
        [a for a, _ in matrix.pairs()],
        [p for _, p in matrix.pairs()],
        labels=matrix.labels,
        weights=list(matrix.pairs().values()),
    )
    assert close(scores(weighted), scores(matrix), rel=0)


# 11. Exact arithmetic agrees.


@given(matrices(st.sampled_from([0, 1, 2**53 + 1, 2**58 - 1]) | st.integers(0, 2**58)))
def test_11_exact_arithmetic_agrees(matrix: ConfusionMatrix) -> None:
    table = [[Fraction(int(n)) for n in row] for row in matrix.counts.tolist()]
    rows, total = [sum(row, Fraction()) for row in table], sum(map(sum, table), Fraction())
    cols = [sum((row[j] for row in table), Fraction()) for j in range(len(table))]
    hits = [table[i][i] for i in range(len(table))]

    def exact(top: Fraction, bottom: Fraction) -> float:
        return float(top / bottom) if bottom else math.nan

    assert close(metrics.recall(matrix), [exact(h, r) for h, r in zip(hits, rows, strict=True)])
    assert close(metrics.precision(matrix), [exact(h, c) for h, c in zip(hits, cols, strict=True)])
    f1 = [exact(2 * h, r + c) for h, r, c in zip(hits, rows, cols, strict=True)]
    assert close(metrics.f1(matrix), f1)
    right = sum(hits, Fraction())
    chance = sum((r * c for r, c in zip(rows, cols, strict=True)), Fraction())
    assert close([metrics.accuracy(matrix)], [exact(right, Fraction(total))])
    assert close([metrics.kappa(matrix)], [exact(total * right - chance, total * total - chance)])
    # The square of MCC is rational.
    top = total * right - chance
    bottom = (total**2 - sum(r * r for r in rows)) * (total**2 - sum(c * c for c in cols))
    expected = math.copysign(math.sqrt(float(top * top / bottom)), top) if bottom else math.nan
    assert close([metrics.mcc(matrix)], [expected], rel=1e-11)


# 12. NaN never becomes a number.


@given(
    st.lists(st.sampled_from([0.0, 1.0, math.nan]), min_size=2, max_size=10),
    st.sampled_from([list, np.array, iter]),
)
def test_12_nan_is_no_label_no_weight_and_no_count(values: list[float], container: Any) -> None:
    assume(any(map(math.isnan, values)))
    fine = [1.0] * len(values)
    for options in ({"actual": values, "predicted": fine}, {"actual": fine, "predicted": values}):
        sides = {side: container(labels) for side, labels in options.items()}
        with pytest.raises(ConfmatError, match="missing labels"):
            count(**sides)
    with pytest.raises(ConfmatError, match="finite"):
        count(fine, fine, weights=values)
    with pytest.raises(ConfmatError, match="finite"):
        ConfusionMatrix(
            [values[:2], values[:2]]
            if any(map(math.isnan, values[:2]))
            else [[math.nan, 1], [1, 1]]
        )
    dropped = count(container(values), container(fine), missing="drop", labels=[0, 1])
    assert dropped.dropped == sum(map(math.isnan, values))


def test_12_a_class_without_items_has_no_recall() -> None:
    matrix = ConfusionMatrix([[0, 0], [3, 1]])
    assert np.isnan(matrix.normalize("actual")[0]).all()
    assert math.isnan(metrics.recall(matrix)[0])
    assert not np.isnan(matrix.counts).any()

"""Tables and sets of labels from every container: each gives the same count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import confmat as cm

pytestmark = pytest.mark.usefixtures("kernel")

Array = NDArray[Any]
ACTUAL = [{"cat"}, {"cat", "dog"}, set(), {"hen"}, {"dog"}, {"cat", "hen"}]
PREDICTED = [{"cat"}, {"dog", "hen"}, {"hen"}, {"hen"}, set(), {"cat", "hen"}]
NAMES = ["cat", "dog", "hen"]


def indicator(sets: Any, names: list[Any]) -> Array:
    return np.array([[name in labels for name in names] for labels in sets]).reshape(
        len(sets), len(names)
    )


EXPECTED = [[[3, 0], [1, 2]], [[4, 0], [1, 1]], [[2, 2], [0, 2]]]


def every_container() -> dict[str, tuple[Any, ...]]:
    tables = [indicator(side, NAMES) for side in (ACTUAL, PREDICTED)]
    texts = [[" , ".join(sorted(item)) for item in side] for side in (ACTUAL, PREDICTED)]

    def each(make: Any) -> tuple[Any, ...]:
        return tuple(map(make, (ACTUAL, PREDICTED)))

    found: dict[str, tuple[Any, ...]] = {
        "lists": each(lambda side: [sorted(item) for item in side]),
        "frozensets": each(lambda side: tuple(map(frozenset, side))),
        "arrays of objects": each(lambda side: np.array([*side, None], object)[:-1]),
        "arrays in a list": each(lambda side: [np.array(sorted(x), "U3") for x in side]),
        "texts": tuple(texts),
        "an array of texts": tuple(map(np.array, texts)),
        "an iterator": each(iter),
        "an iterator of texts": tuple(map(iter, texts)),
        "sets beside texts": (ACTUAL, texts[1]),
    }
    for dtype in ("bool", "int8", "uint16", "int64", "float32", "object", ">i4"):
        found[f"{dtype} table"] = tuple(table.astype(dtype) for table in tables)
    found["tables of two types"] = (tables[0].astype("int64"), tables[1])
    found["tables by columns"] = tuple(np.asfortranarray(table) for table in tables)
    found["every second column"] = tuple(np.repeat(table, 2, axis=1)[:, ::2] for table in tables)
    return found


@pytest.mark.parametrize("name", list(every_container()))
def test_containers_agree(name: str) -> None:
    actual, predicted = every_container()[name]
    options: dict[str, Any] = {"sep": ","} if "text" in name else {}
    if "table" in name or "column" in name:
        options["labels"] = NAMES
    stack = cm.count_multilabel(actual, predicted, **options)
    assert list(stack) == NAMES
    assert stack.counts.tolist() == EXPECTED


def sparse_tables() -> tuple[Any, Any]:
    sparse = pytest.importorskip("scipy.sparse")
    return sparse.csc_array(indicator(ACTUAL, NAMES)), sparse.coo_matrix(
        indicator(PREDICTED, NAMES).astype(float)
    )


def test_sparse_tables_agree_also_beside_others() -> None:
    actual, predicted = sparse_tables()
    for pair in ((actual, predicted), (indicator(ACTUAL, NAMES), predicted), (actual, PREDICTED)):
        assert cm.count_multilabel(*pair, labels=NAMES).counts.tolist() == EXPECTED
    twice = actual.tocoo()
    twice.data, twice.coords = (
        np.append(twice.data, 1),
        tuple(np.append(x, x[0]) for x in twice.coords),
    )
    with pytest.raises(cm.InputError, match=r"`actual` holds 2 in row \d, column 0"):
        cm.count_multilabel(twice.astype(int), predicted)


def test_a_text_that_names_a_label_twice_is_shown() -> None:
    with pytest.raises(
        cm.InputError, match=r"the text 'b, a,b' in `predicted` names the label 'b' twice$"
    ):
        cm.count_multilabel(["a", "c", "b"], ["c", "b, a,b", "a"], sep=",")


@pytest.mark.parametrize(
    ("actual", "predicted", "words"),
    [
        (
            ["['a', 'b']", "[]"],
            ["a", "b"],
            r"`actual` holds printed lists, such as .*ast.literal_eval",
        ),
        (["a", ""], ["set()", "{'a'}"], "`predicted` holds printed lists"),
        (["[1, 2]"], ["[1]"], "`actual` holds printed lists"),
    ],
)
def test_printed_lists_are_refused(actual: list[str], predicted: list[str], words: str) -> None:
    with pytest.raises(cm.InputError, match=words):
        cm.count_multilabel(actual, predicted, sep=",")


@pytest.mark.parametrize(
    "texts", [["[CLS],[SEP]", "[CLS]"], ["(none)", "(none)"], ["x;y,z", "x;y"], ["b", "a|b"]]
)
def test_odd_labels_are_parted(texts: list[str]) -> None:
    assert len(cm.count_multilabel(texts, texts[::-1], sep=",")) > 0


def test_frames_whose_columns_differ() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    one, other = (pandas.DataFrame([[1, 0], [0, 1]], columns=list(names)) for names in ("ae", "Ea"))
    with pytest.raises(
        cm.LabelError, match="the columns differ: 'e' only in `actual` and 'E' only in `predicted`"
    ):
        cm.count_multilabel(one, other)
    assert cm.count_multilabel(one, other, labels=["a"], other="drop")["a"].tp == 0
    with pytest.raises(cm.LabelError, match="the columns differ: 'x' only in `predicted`"):
        cm.count_multilabel(one, one.assign(x=0))
    assert cm.count_multilabel(one, one[["e", "a"]])["e"].tp == 1


def test_frames_bring_the_names_of_their_columns() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    table = [indicator(side, NAMES) for side in (ACTUAL, PREDICTED)]
    named = [dict(zip(NAMES, part.T, strict=True)) for part in table]
    expected = cm.count_multilabel(ACTUAL, PREDICTED)
    for make in (
        pd.DataFrame,
        lambda columns: pd.DataFrame(columns).astype("Int8"),
        pl.DataFrame,
        pa.table,
    ):
        actual, predicted = map(make, named)
        # Columns in another order are found by their names; an array beside a frame is taken as it
        # is laid out.
        turned = make(dict(reversed(named[1].items())))
        for other in (predicted, turned, table[1]):
            assert cm.count_multilabel(actual, other) == expected
        some = cm.count_multilabel(actual, predicted, labels=["hen", "cat"], other="drop")
        assert list(some) == ["hen", "cat"]
    frames = [pd.DataFrame(part, columns=NAMES) for part in table]
    frames[1].index = list("abcdef")
    with pytest.warns(cm.core.errors.AlignmentWarning, match="paired by position"):
        cm.count_multilabel(*frames)


def test_ragged_columns_agree() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    expected = cm.count_multilabel(ACTUAL, PREDICTED)
    sides = [[sorted(item) for item in side] for side in (ACTUAL, PREDICTED)]
    kind = pa.list_(pa.string())
    makers: tuple[Any, ...] = (
        lambda side: pa.array(side, pa.large_list(pa.string())),
        lambda side: pa.chunked_array([side[:2], side[2:2], side[2:]], kind),
        lambda side: pa.array([["cow"], *side], kind)[1:],
        pd.Series,
        lambda side: pl.Series(side, dtype=pl.List(pl.String)),
    )
    for make in makers:
        assert cm.count_multilabel(*map(make, sides)) == expected
        gaps = [make([*side, None]) for side in sides]
        with pytest.raises(cm.LabelError, match="1 in `actual`, the first at position 6"):
            cm.count_multilabel(*gaps)
        assert cm.count_multilabel(*gaps, missing="drop").dropped == 1
    for column in (pl.Series, pa.array, lambda side: pd.Series(side, dtype="category")):
        texts: list[Any] = [column([";".join(item) for item in side]) for side in sides]
        assert cm.count_multilabel(*texts, sep=";") == expected
        # An entry that is no text needs no separator.
        assert cm.count_multilabel(pd.Series(sides[0]), texts[1], sep=";") == expected
    pairs = pl.Series([[1, 2], [3, 1]], dtype=pl.Array(pl.Int64, 2))
    assert cm.count_multilabel(pairs, pairs)[1].tp == 2


def test_tensors_on_the_cpu_are_read() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    actual, predicted = (torch.tensor(indicator(side, NAMES)) for side in (ACTUAL, PREDICTED))
    expected = cm.count_multilabel(ACTUAL, PREDICTED)
    assert cm.count_multilabel(actual, predicted.int(), labels=NAMES) == expected

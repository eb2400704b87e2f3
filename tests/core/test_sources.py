"""The other ways to make a matrix: cells, transposed tables, frames."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, InputError, LabelError, Labels


def test_predicted_rows_are_turned() -> None:
    matrix = ConfusionMatrix.from_predicted_rows([[50, 25], [0, 25]], ["X", "Not X"], positive="X")
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (50, 25, 0, 25)


def test_cells_name_their_places() -> None:
    matrix = ConfusionMatrix.from_cells(tp=1, fp=2, fn=3, tn=4)
    assert (matrix.labels, matrix.positive) == (Labels(["positive", "negative"]), "positive")
    assert matrix.counts.tolist() == [[1, 3], [2, 4]]
    with pytest.raises(LabelError, match="are two, the positive class first"):
        ConfusionMatrix.from_cells(tp=1, fp=2, fn=3, tn=4, labels=["a", "b", "c"])


@pytest.mark.parametrize("name", ["tp", "tn"])
@pytest.mark.parametrize("value", [-1, float("nan"), "1", [1], None, 2**64])
def test_a_wrong_cell_is_named(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=f"`{name}`"):
        ConfusionMatrix.from_cells(**{"tp": 1, "fp": 2, "fn": 3, "tn": 4, name: value})


# ---- frames --------------------------------------------------------------------------------------


def test_a_crosstab_keeps_its_names() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pd.crosstab(
        pd.Series(list("aabbc"), name="actual"), pd.Series(list("abbbb"), name="predicted")
    )
    matrix = ConfusionMatrix.from_frame(table)
    assert (matrix.labels, matrix.is_weighted) == (Labels(["a", "b", "c"]), False)
    assert matrix.counts.tolist() == [[1, 1, 0], [0, 2, 0], [0, 1, 0]]
    assert ConfusionMatrix.from_frame(table.T, rows="predicted") == matrix
    with pytest.raises(InputError, match="say rows='predicted'"):
        ConfusionMatrix.from_frame(table.T)
    with pytest.raises(InputError, match="without margins"):
        ConfusionMatrix.from_frame(table.assign(All=table.sum(axis=1)))
    with pytest.raises(InputError, match="`rows` must be 'actual' or 'predicted', not 'x'"):
        ConfusionMatrix.from_frame(table, rows="x")  # type: ignore[arg-type]


def test_a_frame_with_gaps_and_other_types() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    gaps = pd.DataFrame([[1, np.nan], [2, 3]], index=["a", "b"], columns=["a", "b"])
    for kind in (float, "Int64", object):
        with pytest.raises(InputError, match=r"no count at row 'a', .*frame\.fillna\(0\)"):
            ConfusionMatrix.from_frame(gaps.astype(kind))
        # A label that one axis lacks is missing throughout after `reindex`.
        whole = pd.DataFrame([[1], [2]], index=["a", "b"], columns=["b"]).astype(kind)
        wide = whole.reindex(index=["a", "b", "c"], columns=["a", "b", "c"])
        assert ConfusionMatrix.from_frame(wide).counts.tolist() == [[0, 1, 0], [0, 2, 0], [0, 0, 0]]
    filled = ConfusionMatrix.from_frame(gaps.fillna(0))
    assert (filled.counts.tolist(), filled.is_weighted) == ([[1, 0], [2, 3]], False)
    numbers = pd.DataFrame([[1, 2], [0, 1]], index=[10, 2], columns=[2, 10])
    matrix = ConfusionMatrix.from_frame(numbers)
    assert (matrix.labels, matrix.counts.tolist()) == (Labels([10, 2]), [[2, 1], [1, 0]])
    for data, index, columns, error, said in (
        ([[np.nan]], ["a"], ["a"], InputError, "no count"),
        ([[1, 2], [0, 1]], ["a", "a"], ["a", "b"], LabelError, "repeat a label: 'a'"),
        ([[1]], ["1"], [1], LabelError, "of one kind"),
        ([[-1.0]], ["a"], ["a"], InputError, "zero or more"),
        ([[]], [0], [], InputError, "the frame is empty"),
    ):
        with pytest.raises(error, match=said):
            ConfusionMatrix.from_frame(pd.DataFrame(data, index=index, columns=columns))
    days = [datetime.date(2020, 1, day) for day in (1, 2)]
    made = ConfusionMatrix.from_frame(pd.DataFrame([[1, 0], [0, 1]], index=days, columns=days))
    assert made.labels == days


def test_frames_without_an_index_name_rows_in_their_first_column() -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    pa = pytest.importorskip("pyarrow", reason="PyArrow is not installed")
    content = {"actual": ["a", "b"], "a": [1, 2], "b": [0, 3]}
    expected = ConfusionMatrix([[1, 0], [2, 3]], ["a", "b"])
    for frame in (pl.DataFrame(content), pa.table(content)):
        assert ConfusionMatrix.from_frame(frame) == expected
        assert ConfusionMatrix.from_frame(frame, rows="predicted") == expected.T
    with pytest.raises(InputError, match="cross table"):
        ConfusionMatrix.from_frame([[1, 2], [3, 4]])


@pytest.mark.parametrize("name", ["All", "TOTAL", "sum"])
def test_totals_under_any_name_are_no_class(name: str) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    sides = pd.Series(list("aabbc")), pd.Series(list("abbbc"))
    rows = {"actual": ["a", "b", name], "a": [1, 2, 3], "b": [4, 5, 9]}
    for frame in (pd.crosstab(*sides, margins=True, margins_name=name), pl.DataFrame(rows)):
        with pytest.raises(InputError, match="without margins"):
            ConfusionMatrix.from_frame(frame)
    # A class of that name is one, while it is no sum.
    honest = pl.DataFrame({"actual": ["a", name], "a": [1, 2], name: [4, 5]})
    assert ConfusionMatrix.from_frame(honest).total == 12


@pytest.mark.parametrize("normalize", ["index", "columns", "all"])
@pytest.mark.parametrize("whole", [1, 100])
def test_rates_are_no_counts(normalize: str, whole: int) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    rates = (
        pd.crosstab(pd.Series(list("aaabbbb")), pd.Series(list("abbaaab")), normalize=normalize)
        * whole
    )
    with pytest.raises(InputError, match="from_rates"):
        ConfusionMatrix.from_frame(rates)
    # Weights add up to something else, and whole numbers are counts.
    assert ConfusionMatrix.from_frame(rates * 1.5).is_weighted
    assert ConfusionMatrix.from_frame(pd.DataFrame([[1.0, 0], [0, 1]])).counts.tolist() == [
        [1, 0],
        [0, 1],
    ]


def test_integers_of_a_frame_stay_exact() -> None:
    """A table of several types is one of floats, or of objects."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    big = 2**53 + 1
    mixed = pd.DataFrame(
        {"a": np.array([big, 0], np.uint64), "b": np.array([1, big], np.int64)}, index=["a", "b"]
    )
    for frame in (mixed, mixed.astype(object), mixed.assign(b=[1.0, 2.0]), mixed.astype("Int64")):
        matrix = ConfusionMatrix.from_frame(frame)
        assert (matrix.counts[0].tolist(), matrix.is_weighted) == ([big, 1], False)
    assert ConfusionMatrix.from_frame(mixed.assign(b=[0.5, 1])).is_weighted
    with pytest.raises(InputError, match="must be numbers"):
        ConfusionMatrix.from_frame(mixed.assign(b=["1", "2"]))
    with pytest.raises(InputError, match="must be numbers"):
        ConfusionMatrix.from_frame(mixed.assign(b=pd.to_timedelta([1, 2])))


def test_names_of_a_frame_become_one_kind() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame([[1, 2], [3, 4]], index=[False, True], columns=[0, 1])
    assert ConfusionMatrix.from_frame(frame) == ConfusionMatrix([[1, 2], [3, 4]], [0, 1])
    twice = pd.DataFrame([[1, 2]], index=[2], columns=pd.Index([1, True], dtype=object))
    with pytest.raises(LabelError, match="repeat a label: 1"):
        ConfusionMatrix.from_frame(twice)


def test_integer_classes_of_a_frame_whose_column_names_are_text() -> None:
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    frame = pl.DataFrame({"actual": [-1, 10], "10": [1, 2], "-1": [3, 4]})
    assert ConfusionMatrix.from_frame(frame) == ConfusionMatrix([[3, 1], [4, 2]], [-1, 10])
    texts = pl.DataFrame({"actual": ["1", "2"], "1": [1, 2], "2": [3, None]})
    assert ConfusionMatrix.from_frame(texts.fill_null(0)).labels == ["1", "2"]
    with pytest.raises(LabelError, match="of one kind"):
        ConfusionMatrix.from_frame(pl.DataFrame({"actual": [1, 2], "01": [1, 2], "2": [3, 4]}))
    with pytest.raises(InputError, match=r"frame\.fill_null\(0\)"):
        ConfusionMatrix.from_frame(texts)


def test_a_frame_takes_labels_a_positive_class_and_what_stands_outside() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame([[1, 2], [3, 4]], index=["no", "yes"], columns=["yes", "none"])
    matrix = ConfusionMatrix.from_frame(
        frame, ["yes", "no", "maybe"], positive="yes", outside="none"
    )
    assert matrix.labels == Labels(["yes", "no", "maybe"], outside=["none"])
    assert matrix.positive == "yes"
    # Rows yes, no, maybe, none; columns the same.
    assert matrix.counts.tolist() == [[3, 0, 0, 4], [1, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert ConfusionMatrix.from_frame(frame, outside="none").labels == Labels(
        ["no", "yes"], outside=["none"]
    )
    with pytest.raises(LabelError, match="no label 'none'"):
        ConfusionMatrix.from_frame(frame, labels=["no", "yes"])


def test_rates_take_the_same_options_and_the_labels_of_a_frame() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="Polars is not installed")
    frame = pd.DataFrame([[0.5, 0.5], [0.75, 0.25]], index=["a", "b"], columns=["b", "a"])
    matrix = ConfusionMatrix.from_rates(frame, [2, 4], positive="b")
    # In the order of the rows: b is (0.25 a, 0.75 b) of 4.
    assert matrix == ConfusionMatrix([[1, 1], [1, 3]], ["a", "b"])
    assert matrix.positive == "b"
    named = ConfusionMatrix.from_rates(frame, [2, 4], ["a"], outside="b")
    assert named.labels == Labels(["a"], outside=["b"])
    with pytest.raises(LabelError, match="goes by its names"):
        ConfusionMatrix.from_rates(frame.rename(columns={"a": "x"}), [2, 4])
    with pytest.raises(InputError, match="predicted classes"):
        ConfusionMatrix.from_rates(frame.rename_axis("predicted"), [2, 4])
    bare = pl.DataFrame({"actual": ["a", "b"], "b": [0.5, 0.75], "a": [0.5, 0.25]})
    assert ConfusionMatrix.from_rates(bare, [2, 4]) == matrix

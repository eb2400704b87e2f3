"""Missing values: an error that counts and places them, or dropped and reported, or a row of their own."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, LabelError, Labels, count

pytestmark = pytest.mark.usefixtures("kernel")

MISSING: dict[str, Any] = {
    "list": ["a", None, "b", None],
    "object": np.array(["a", None, "b", float("nan")], dtype=object),
    "masked": np.ma.masked_array(["a", "x", "b", "a"], mask=[False, True, False, True]),
    "generator": None,
}


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("weighted", [False, True])
def test_missing_labels_are_an_error_or_dropped_or_collected(name: str, weighted: bool) -> None:
    def values() -> Any:
        return (x for x in ["a", None, "b", None]) if name == "generator" else MISSING[name]

    weights = [1, 10, 100, 1000] if weighted else None
    one, ten, hundred, thousand = [1, 10, 100, 1000] if weighted else [1, 1, 1, 1]
    with pytest.raises(
        LabelError,
        match=r"missing labels: 2 in `actual`, the first at position 1\. Say missing='drop'",
    ):
        count(values(), ["a", "a", "b", "b"], weights=weights)
    with pytest.raises(
        LabelError,
        match="2 in `actual`, the first at position 1; 2 in `predicted`, the first at position 1",
    ):
        count(values(), values(), weights=weights)
    dropped = count(values(), ["a", "a", "b", "b"], missing="drop", weights=weights)
    assert dict(dropped.pairs()) == {("a", "a"): one, ("b", "b"): hundred}
    assert (dropped.dropped, dropped.labels) == (ten + thousand, Labels(["a", "b"]))
    collected = count(values(), ["a", "a", "b", "b"], missing="collect", weights=weights)
    assert collected.labels == Labels(["a", "b"], outside=["(missing)"])
    assert collected.counts.tolist() == [[one, 0, 0], [0, hundred, 0], [ten, thousand, 0]]
    assert collected.dropped == 0


def lib(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


NUMBERS: dict[str, Any] = {
    **{
        f"pandas {kind}": lambda kind=kind: lib("pandas").Series([1, None, 2], dtype=kind)
        for kind in ("Int64", "Float64", "object", "int64[pyarrow]")
    },
    "NA": lambda: lib("pandas").Series([1, lib("pandas").NA, 2], dtype=object),
    "polars": lambda: lib("polars").Series([1, None, 2]),
    "polars NaN": lambda: lib("polars").Series([1.0, float("nan"), 2.0]),
    "arrow": lambda: lib("pyarrow").array([1, None, 2]),
    "arrow dictionary": lambda: lib("pyarrow").array([1, None, 2]).dictionary_encode(),
    "arrow chunks": lambda: lib("pyarrow").chunked_array([[1], [None, 2]]),
    "array": lambda: np.array([1, np.nan, 2]),
    "masked": lambda: np.ma.masked_array([1, 5, 2], mask=[False, True, False]),
    "masked floats": lambda: np.ma.masked_array([1.0, 0.5, 2.0], mask=[False, True, False]),
    "list": lambda: [1, Decimal("nan"), 2],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_missing_number_is_missing_in_every_container(name: str) -> None:
    values = NUMBERS[name]()
    with pytest.raises(LabelError, match="1 in `predicted`, the first at position 1"):
        count([1, 1, 1], values)
    matrix = count([1, 1, 1], values, missing="collect")
    assert dict(matrix.pairs()) == {(1, 1): 1, (1, 2): 1, (1, "(missing)"): 1}
    assert matrix.labels == Labels([1, 2], outside=["(missing)"])
    assert count(values, values, missing="drop") == ConfusionMatrix([[1, 0], [0, 1]], [1, 2])


TEXTS: dict[str, Any] = {
    "pandas": lambda v: lib("pandas").Series(v, dtype="string[python]"),
    "category": lambda v: lib("pandas").Series(v, dtype="category"),
    "polars": lambda v: lib("polars").Series(v, dtype=lib("polars").Categorical),
    "enum": lambda v: lib("polars").Series(v, dtype=lib("polars").Enum(["a", "b"])),
    "arrow": lambda v: lib("pyarrow").array(v, type="string_view"),
    "StringDType": lambda v: np.array(v, dtype=np.dtypes.StringDType(na_object=None)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_missing_text_is_missing_in_every_container(name: str) -> None:
    values = TEXTS[name](["a", None, "b"])
    with pytest.raises(LabelError, match="1 in `actual`, the first at position 1"):
        count(values, ["a", "a", "a"])
    matrix = count(values, ["a", "a", "a"], missing="collect")
    assert dict(matrix.pairs()) == {("a", "a"): 1, ("b", "a"): 1, ("(missing)", "a"): 1}


def test_a_missing_boolean() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    matrix = count(
        pd.Series([True, None, False], dtype="boolean"), [True, True, True], missing="drop"
    )
    assert (matrix.labels, matrix.dropped) == (Labels([False, True]), 1)


def test_times_may_be_missing() -> None:
    days = np.array(["2020-01-01", "NaT"], "M8[D]")
    assert count(days, days, missing="drop").labels == [np.datetime64("2020-01-01")]
    with pytest.raises(LabelError, match="the first at position 1"):
        count(days, days)


def test_the_word_nan_is_a_word() -> None:
    assert count(["nan", "None", ""], ["nan", "None", ""]).labels == ["", "None", "nan"]


def test_a_label_called_missing_does_not_swallow_the_missing_ones() -> None:
    with pytest.raises(LabelError, match="at once"):
        count(["(missing)", None], ["a", "a"], missing="collect")
    with pytest.raises(LabelError, match="at once"):
        count(["(other)", "x"], ["a", "a"], labels=["a", "(other)"], other="collect")


def test_everything_missing() -> None:
    with pytest.raises(LabelError, match="every label is missing"):
        count([None, None], [None, None], missing="drop")
    matrix = count([None, None], [None, None], missing="drop", labels=["a"])
    assert (matrix.total, matrix.dropped) == (0, 2)
    assert count([None], [None], missing="collect", labels=["a"]).counts.tolist() == [
        [0, 0],
        [0, 1],
    ]


def test_both_policies_at_once() -> None:
    options: dict[str, Any] = {"labels": ["a"], "other": "collect", "missing": "collect"}
    matrix = count(["a", "x", None], ["a", None, "x"], **options)
    assert matrix.labels.outside == ("(missing)", "(other)")
    assert dict(matrix.pairs()) == {
        ("a", "a"): 1,
        ("(other)", "(missing)"): 1,
        ("(missing)", "(other)"): 1,
    }
    dropped = count(
        ["a", "x", None], ["a", None, "x"], labels=["a"], other="drop", missing="collect"
    )
    assert (dropped.total, dropped.dropped) == (1, 2)

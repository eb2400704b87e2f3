"""confmat.sklearn answers as scikit-learn does: results, types, warnings and errors, over random input."""

from __future__ import annotations

import importlib
import inspect
import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn", reason="the face asks scikit-learn")
ours = importlib.import_module("confmat.sklearn")

pytestmark = pytest.mark.peers


@pytest.fixture(autouse=True, scope="module")
def _few() -> Iterator[None]:
    """Small examples are counted like large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ours._pairs, "FEW", 0)
        yield


AVERAGED = ("precision_score", "recall_score", "f1_score", "fbeta_score", "jaccard_score")
PLAIN = (
    "accuracy_score",
    "zero_one_loss",
    "hamming_loss",
    "balanced_accuracy_score",
    "matthews_corrcoef",
)
FUNCTIONS = (
    *(
        *AVERAGED,
        *PLAIN,
        "precision_recall_fscore_support",
        "classification_report",
        "confusion_matrix",
    ),
    *("multilabel_confusion_matrix", "cohen_kappa_score", "class_likelihood_ratios"),
)
Outcome = tuple[Any, list[str]]


def answer(function: Any, *args: Any, **options: Any) -> Outcome:
    """The result of a call (or the error it raises), and the warnings on the way."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = function(*args, **options)
        except Exception as error:  # noqa: BLE001
            result = error
    words = [f"{w.category.__name__}: {w.message}" for w in said]
    return result, words


def same(mine: Any, theirs: Any, rtol: float = 1e-12) -> None:
    """Equal in value, to the last digits, and in type."""
    if isinstance(theirs, Exception):
        assert isinstance(mine, Exception), f"{mine!r} where {theirs!r} is raised"
        assert (type(mine), str(mine)) == (type(theirs), str(theirs))
        return
    assert not isinstance(mine, Exception), f"{mine!r} where the answer is {theirs!r}"
    assert type(mine) is type(theirs)
    if isinstance(theirs, np.ndarray):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol / 10)
    elif isinstance(theirs, dict):
        assert list(mine) == list(theirs)
        for name in theirs:
            same(mine[name], theirs[name], rtol)
    elif isinstance(theirs, tuple):
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            same(one, other, rtol)
    elif isinstance(theirs, float):
        assert math.isclose(mine, theirs, rel_tol=rtol, abs_tol=rtol / 10) or (
            mine != mine and theirs != theirs
        )
    elif isinstance(theirs, str):
        same_words(mine.split(), theirs.split(), rtol)
        assert rtol > 0 or mine == theirs
    else:
        assert mine == theirs


def same_words(mine: list[str], theirs: list[str], rtol: float) -> None:
    """Weights are added up in another order, and a report prints their sums with all digits."""
    assert len(mine) == len(theirs)
    for one, other in zip(mine, theirs, strict=True):
        assert one == other or math.isclose(float(one), float(other), rel_tol=rtol)


def compare(name: str, *args: Any, **options: Any) -> None:
    """Ask both sides the same."""
    import sklearn.metrics as theirs

    mine, mine_said = answer(getattr(ours, name), *args, **options)
    right, right_said = answer(getattr(theirs, name), *args, **options)
    try:
        same(mine, right, 0 if options.get("sample_weight") is None else 1e-12)
        # A refused call is made once more, and may warn twice.
        assert isinstance(right, Exception) or mine_said == right_said
    except AssertionError as error:
        error.add_note(
            f"{name}(*{args!r}, **{options!r})\nours:   {mine!r} {mine_said}\ntheirs: {right!r} "
            f"{right_said}"
        )
        raise


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_signatures_are_theirs(name: str) -> None:
    import sklearn.metrics as theirs

    def shape(function: Any) -> list[tuple[Any, ...]]:
        return [
            (p.name, p.kind, repr(p.default))
            for p in inspect.signature(function).parameters.values()
        ]

    assert shape(getattr(ours, name)) == shape(getattr(theirs, name))


MISFITS: dict[str, tuple[Any, Any]] = {
    "lengths": ([0, 1], [0, 1, 1]),
    "nothing": ([], []),
    "text and numbers": (["a", "b"], [0, 1]),
    "fractions": ([0.5, 1.5], [0, 1]),
    "NaN": ([np.nan, 1.0], [0, 1]),
    "None": ([None, 1], [0, 1]),
    "None in an array": (np.array(["a", None], dtype=object), np.array(["a", "b"])),
    "sequences": ([[1], [1, 2]], [[1], [2]]),
    "three columns of classes": ([[0, 1, 2], [1, 2, 0]], [[0, 1, 2], [1, 2, 0]]),
    "several and one": ([[0, 1], [1, 0]], [0, 1]),
    "three dimensions": (np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
    "a trailing NUL": (["a", "a\0"], ["a", "a"]),
    "larger": ([2**64, 1], [2**64, 1]),
    "unsigned": (np.array([2**63 + 1, 5], dtype=np.uint64), np.array([5, 5], dtype=np.uint64)),
    "small floats": (np.array([0, 1], dtype=np.float16), [0, 1]),
    "swapped bytes": (np.array([0, 1], dtype=">i4"), [0, 1]),
    "masked": (np.ma.masked_array([0, 1], [True, False]), [0, 1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("misfit", MISFITS)
def test_odd_input_fares_alike(name: str, misfit: str) -> None:
    options: dict[str, Any] = {"beta": 2} if name == "fbeta_score" else {}
    compare(name, *MISFITS[misfit], **options)
    if "average" in inspect.signature(getattr(ours, name)).parameters:
        compare(name, *MISFITS[misfit], **options, average="macro")


COLUMNS = (
    *("category", "numbers in categories", "text", "objects", "Int64", "polars text", "frames"),
    *("sparse column", "polars enum", "polars flags", "Arrow floats", "Arrow dictionary", "days"),
)


def columns() -> dict[str, tuple[Any, Any]]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    def series(*values: Any, dtype: Any = None) -> Any:
        return pd.Series(values, dtype=dtype)

    return {
        "category": (series("a", None, dtype="category"), series("a", "b", dtype="category")),
        "numbers in categories": (pd.Categorical([1, None]), pd.Categorical([1, 2])),
        "text": (series("a", None, dtype="str"), series("a", "b")),
        "objects": (series("a", None, dtype=object), series("a", "b")),
        "Int64": (series(1, None, dtype="Int64"), series(1, 2)),
        "polars text": (pl.Series(["a", None]), pl.Series(["a", "b"])),
        "frames": (
            pd.DataFrame({"x": [0, 1], "y": [1, 1]}),
            pd.DataFrame({"x": [1, 1], "y": [0, 1]}),
        ),
        "sparse column": (pd.Series(pd.arrays.SparseArray([0, 1])), series(0, 1)),
        "polars enum": (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), pl.Series(["a", "a"])),
        "polars flags": (pl.Series([True, False]), pl.Series([True, True])),
        "Arrow floats": (series(0, 1, dtype="double[pyarrow]"), series(1.0, 1.0)),
        "Arrow dictionary": (pa.array(["a", "b"]).dictionary_encode(), pa.array(["a", "a"])),
        "days": (series(*pd.to_datetime(["2020-01-01", "2020-01-02"])),) * 2,
    }


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("column", COLUMNS)
def test_columns_fare_alike(name: str, column: str) -> None:
    options: dict[str, Any] = {"beta": 2} if name == "fbeta_score" else {}
    compare(name, *columns()[column], **options)
    if "average" in inspect.signature(getattr(ours, name)).parameters:
        compare(name, *columns()[column], **options, average="macro")


# ---- labels, containers, options -----------------------------------------------------------------

NAMES: dict[str, list[Any]] = {
    "bits": [0, 1],
    "ints": [0, 1, 2, 3],
    "signed": [-1, 0, 1, 7],
    "far": [-(10**12), 5, 10**15, 2**62],
    "words": ["ant", "bee", "cat", ""],
    "two": ["no", "yes"],
    "truth": [False, True],
    "floats": [0.0, 1.0, 2.0],
    "halves": [0.5, 1.0],
    "texts of digits": ["0", "1", "10"],
}


def contain(values: list[Any], how: str) -> Any:
    """The values in some container."""
    import pandas as pd
    import polars as pl

    text = isinstance(values[0], str)
    makers: dict[str, Any] = {
        "list": list,
        "array": np.array,
        "objects": lambda v: np.array(v, dtype=object if text else None),
        "column": lambda v: np.array(v).reshape(-1, 1),
        "series": pd.Series,
        "categorical": pd.Categorical,
        "polars": pl.Series,
        "nullable": lambda v: pd.Series(v).convert_dtypes(),
        "reversed": lambda v: np.array(v[::-1])[::-1],
    }
    return makers[how](values)


CONTAINERS = (
    *("list", "array", "objects", "column", "series", "categorical", "polars", "nullable"),
    "reversed",
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, Any, Any, int]:
    kind = draw(st.sampled_from(list(NAMES)))
    n = draw(st.integers(1, 12))
    sides = []
    for _ in range(2):
        values = draw(st.lists(st.sampled_from(NAMES[kind]), min_size=n, max_size=n))
        sides.append(contain(values, draw(st.sampled_from(CONTAINERS))))
    return kind, sides[0], sides[1], n


def weights(n: int) -> st.SearchStrategy[Any]:
    whole = st.lists(st.integers(-2, 5), min_size=n, max_size=n)
    real = st.lists(st.floats(0, 3, allow_subnormal=False), min_size=n, max_size=n)
    return st.one_of(
        st.none(),
        whole,
        whole.map(lambda v: np.array(v, dtype=np.int32)),
        real,
        real.map(np.array),
        real.map(lambda v: np.array(v, dtype=np.float32)),
        whole.map(lambda v: np.array(v) > 0),
    )


def options_for(draw: st.DrawFn, name: str, kind: str, n: int) -> dict[str, Any]:
    # Numbers among text fare as what the text is stored in has it; below they meet one kind of
    # array.
    strange = "dog" if isinstance(NAMES[kind][0], str) else 0
    some = st.lists(st.sampled_from([*NAMES[kind], strange]), max_size=5)
    options: dict[str, Any] = {}
    if draw(st.booleans()):
        options["sample_weight"] = draw(weights(n))
    takes = inspect.signature(getattr(ours, name)).parameters
    choices: dict[str, Any] = {
        "labels": some,
        "average": st.sampled_from(["binary", "micro", "macro", "weighted", "samples", None]),
        "pos_label": st.sampled_from([*NAMES[kind], 1, None]),
        "zero_division": st.sampled_from(["warn", 0, 1, 0.0, np.nan]),
        "normalize": st.sampled_from(
            ["true", "pred", "all", None] if name == "confusion_matrix" else [True, False]
        ),
        "adjusted": st.booleans(),
        "samplewise": st.just(value=False),
        "weights": st.sampled_from([None, "linear", "quadratic"]),
        "output_dict": st.booleans(),
        "digits": st.integers(0, 4),
        "target_names": st.lists(st.text("xyz", min_size=1, max_size=9), min_size=1, max_size=4),
        "replace_undefined_by": st.sampled_from(
            [np.nan, 0.5, -1.0]
            if name == "cohen_kappa_score"
            else [np.nan, 1.0, {"LR+": 2.0, "LR-": 0.0}, {"LR+": 1}]
        ),
    }
    for option, values in choices.items():
        if option in takes and draw(st.booleans()):
            options[option] = draw(values)
    if "beta" in takes:
        options["beta"] = draw(st.sampled_from([1, 0.5, 2.0, 0, np.inf]))
    return options


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
def test_labels_of_every_kind(name: str, data: st.DataObject) -> None:
    kind, true, predicted, n = data.draw(pairs())
    compare(name, true, predicted, **data.draw(st.composite(options_for)(name, kind, n)))


INDICATED = tuple(name for name in FUNCTIONS if name != "class_likelihood_ratios")


@st.composite
def tables(draw: st.DrawFn) -> tuple[Any, Any, int, int]:
    from scipy import sparse

    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    makers = [
        list,
        np.array,
        sparse.csr_array,
        sparse.csc_matrix,
        lambda v: np.array(v, dtype=bool),
        sparse.lil_array,
    ]
    sides = []
    for _ in range(2):
        table = draw(
            st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=n, max_size=n)
        )
        make = draw(st.sampled_from(makers))
        sides.append(make(table) if make is list else make(np.array(table)))
    return sides[0], sides[1], n, k


@pytest.mark.parametrize("name", INDICATED)
@given(data=st.data())
def test_indicators(name: str, data: st.DataObject) -> None:
    true, predicted, n, k = data.draw(tables())
    options = data.draw(st.composite(options_for)(name, "ints", n))
    if "labels" in options and (not options["labels"] or data.draw(st.booleans())):
        options["labels"] = data.draw(
            st.lists(st.integers(0, k - 1), min_size=1, max_size=3, unique=True)
        )
    # By sample, SciPy's index type decides about the type of half-width weights.
    if "samplewise" in options and getattr(options.get("sample_weight"), "dtype", None) != np.int32:
        options["samplewise"] = data.draw(st.booleans())
    compare(name, true, predicted, **options)

"""Matrices of PyCM and scikit-learn come over as they are: counts, labels, their kind and order."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.io import from_pycm, from_sklearn

CATS = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
NAMES: list[list[Any]] = [
    ["b", "a", "c"],
    [2, 0, 1],
    [False, True],
    ["<script>", "\x1b[2J", "x" * 300],
]


def held(m: cm.ConfusionMatrix) -> Any:
    """An object that offers what PyCM's offers."""
    names = list(m.labels)
    table = {
        a: {p: m.counts[i, j].item() for j, p in enumerate(names)} for i, a in enumerate(names)
    }
    return SimpleNamespace(classes=names, table=table)


@st.composite
def matrices(draw: st.DrawFn) -> cm.ConfusionMatrix:
    labels = draw(st.sampled_from(NAMES))
    cells = st.integers(0, 50)
    rows = [[draw(cells) for _ in labels] for _ in labels]
    return cm.ConfusionMatrix(rows, labels)


@given(matrices())
def test_an_object_that_looks_like_pycms(m: cm.ConfusionMatrix) -> None:
    assert from_pycm(held(m)) == m


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ([[1, 2], [3, 4]], "not list"),
        (
            "m.obj",
            r"not str; of a file, confmat.io.from_pycm\(pycm.ConfusionMatrix\(file=open\(path\)\)\)",
        ),
    ],
)
def test_what_is_not_pycms(wrong: Any, says: str) -> None:
    with pytest.raises(cm.InputError, match=says):
        from_pycm(wrong)


@given(matrices())
def test_an_array_and_its_labels(m: cm.ConfusionMatrix) -> None:
    assert from_sklearn(m.counts, list(m.labels)) == m
    shown = SimpleNamespace(
        confusion_matrix=m.counts, display_labels=np.array(m.labels.classes, dtype=object)
    )
    assert from_sklearn(shown) == m
    assert from_sklearn(
        SimpleNamespace(confusion_matrix=m.counts, display_labels=None)
    ) == m.relabel(range(len(m)))


def test_several_labels_are_a_stack() -> None:
    found = from_sklearn([[[3, 1], [0, 2]], [[1, 1], [1, 3]]], ["funny", "short"])
    assert isinstance(found, cm.Stack)
    assert found.axis == "label"
    assert (found["funny"].tn, found["funny"].fp, found["short"].fn, found["short"].tp) == (
        3,
        1,
        1,
        3,
    )


def test_weights_are_sums_and_rates_are_refused() -> None:
    assert from_sklearn(np.array([[1.5, 0], [0.25, 2]])).is_weighted
    for rates in (CATS.normalize("actual"), CATS.normalize("predicted"), CATS.normalize("all")):
        with pytest.raises(cm.InputError, match="these are rates, no counts"):
            from_sklearn(rates)


@pytest.mark.parametrize(
    ("array", "labels"),
    [
        ([[1, 2], [3, 4]], ["a"]),
        (np.zeros((2, 2, 2)), ["a"]),
    ],
)
def test_shapes_that_do_not_fit(array: Any, labels: Any) -> None:
    with pytest.raises(cm.ConfmatError):
        from_sklearn(array, labels)


# ---- the packages themselves ---------------------------------------------------------------------


@pytest.mark.peers
@pytest.mark.filterwarnings(
    "ignore:.*unclosed file:ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
def test_pycms_own_objects_and_files(tmp_path: Path) -> None:
    pycm = pytest.importorskip("pycm")
    actual, predicted = ["b", "a", "b", "c"], ["b", "a", "c", "c"]
    table = {"x": {"x": 3, "y": 1}, "y": {"x": 0, "y": 2}}
    weights = [0.5, 2, 1, 1]
    for made, expected in [
        (pycm.ConfusionMatrix(actual, predicted), cm.count(actual, predicted)),
        (
            pycm.ConfusionMatrix(actual, predicted, sample_weight=weights),
            cm.count(actual, predicted, weights=weights),
        ),
        # PyCM transposes what it takes in, so its table has actual rows, and its file too.
        (
            pycm.ConfusionMatrix(matrix=table, transpose=True),
            cm.ConfusionMatrix([[3, 0], [1, 2]], ["x", "y"]),
        ),
    ]:
        assert from_pycm(made) == expected
        made.save_obj(str(tmp_path / "m"))
        with (tmp_path / "m.obj").open() as file:
            assert from_pycm(pycm.ConfusionMatrix(file=file)) == expected


@pytest.mark.peers
def test_pycm_of_several_labels_is_sent_elsewhere() -> None:
    pycm = pytest.importorskip("pycm")
    several = pycm.MultiLabelCM([{"a"}, {"a", "b"}], [{"a"}, {"b"}], classes=["a", "b"])
    with pytest.raises(cm.InputError, match="get_cm_by_class"):
        from_pycm(several)
    assert from_pycm(several.get_cm_by_class("a")).total == 2


@pytest.mark.peers
def test_scikit_learns_own_arrays() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    actual, predicted = ["b", "a", "b", "c"], ["b", "a", "c", "c"]
    assert from_sklearn(metrics.confusion_matrix(actual, predicted), ["a", "b", "c"]) == cm.count(
        actual, predicted
    )
    each = from_sklearn(metrics.multilabel_confusion_matrix(actual, predicted), ["a", "b", "c"])
    assert each["b"].counts.tolist() == [[2, 0], [1, 1]]
    shown = metrics.ConfusionMatrixDisplay(
        metrics.confusion_matrix(actual, predicted), display_labels=["a", "b", "c"]
    )
    assert from_sklearn(shown) == cm.count(actual, predicted)

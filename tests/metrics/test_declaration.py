"""How a metric is declared, asked, found and carried about; and that no digit is lost on the way."""

from __future__ import annotations

import copy
import pickle
import pydoc
from typing import Any

import numpy as np
import pytest

from confmat import Cells, ConfusionMatrix, LabelError, MetricError, Stack, count, interval
from confmat import metrics as cm
from confmat.core.errors import CallError
from confmat.metrics.arithmetic import probit, ratio
from confmat.metrics.catalog import score
from confmat.metrics.declaration import Metric, of_class, of_matrix
from confmat.metrics.margins import Margins, read_margins

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
# As an accuracy assessment with a background: an item may be missed, or invented.
BOXES = ConfusionMatrix([[5, 1, 2], [0, 3, 1], [4, 2, 9]], ["car", "dog"], outside=["background"])


# ---- asking --------------------------------------------------------------------------------------


def test_of_one_class_is_a_python_number() -> None:
    value = cm.recall(ANIMALS, of="Fish")
    assert value == 2 / 10
    assert type(value) is float
    assert cm.true_positives(ANIMALS, of="Cat") == 4
    assert type(cm.true_positives(ANIMALS, of="Cat")) is int


def test_counts_stay_integers() -> None:
    assert cm.true_negatives(ANIMALS).tolist() == [10, 14, 13]
    assert cm.true_negatives(ANIMALS).dtype.kind == "i"


def test_fractions_are_no_option() -> None:
    with pytest.raises(CallError, match=r"exact.*scores are floats, right to 12 digits"):
        cm.recall(ANIMALS, exact=True)  # type: ignore[call-overload]


# Arguments that a type checker would refuse.
WRONG: list[dict[str, Any]] = [{"undefined": "zero"}, {"undefined": None}, {"outside": "ignore"}]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cm.kappa(ANIMALS, average="macro"), "one number of the whole matrix"),
        (lambda: cm.recall(ANIMALS, of="Cat", average="macro"), "not for both"),
        (lambda: cm.recall(ANIMALS, **WRONG[0]), "'fair', 'skip', 'propagate' or a number"),
        (lambda: cm.recall(ANIMALS, average="macro", **WRONG[1]), "or a number, not None"),
        (
            lambda: cm.recall(np.eye(2)),
            "count\\(actual, predicted\\) makes one of labels, ConfusionMatrix\\(counts\\)",
        ),
        (lambda: cm.recall(ANIMALS, **WRONG[2]), "'wrong' or 'exclude'"),
        (lambda: cm.class_confusion_entropy(ANIMALS.cells), "cells of the whole matrix"),
        (lambda: cm.recall(ANIMALS.cells, of="Cat"), "no class names"),
    ],
)
def test_what_cannot_be_asked_is_said(call: Any, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        call()


def test_unknown_classes_are_label_errors() -> None:
    with pytest.raises(LabelError, match="did you mean 'Cat'"):
        cm.recall(ANIMALS, of="Cta")


def test_a_number_fills_what_is_undefined_per_class() -> None:
    m = ConfusionMatrix([[2, 0], [1, 0]])
    assert np.isnan(cm.precision(m)[1])
    assert cm.precision(m, undefined=0).tolist() == [2 / 3, 0]
    assert cm.precision(m, of=1, undefined=1) == 1


# ---- stacks, cells, other arithmetics ------------------------------------------------------------


def test_a_stack_adds_a_first_axis() -> None:
    stack = Stack({"a": ANIMALS, "b": ANIMALS.T})
    np.testing.assert_array_equal(cm.recall(stack, of="Hen"), [6 / 9, 6 / 9])
    expected = [cm.f1(ANIMALS, average="macro"), cm.f1(ANIMALS.T, average="macro")]
    np.testing.assert_allclose(cm.f1(stack, average="macro"), expected, rtol=1e-15)


def test_cells_are_read_directly() -> None:
    c = Cells(tp=np.array([4, 2]), fp=np.array([1, 3]), fn=np.array([3, 1]), tn=np.array([2, 4]))
    assert cm.recall(c).tolist() == [4 / 7, 2 / 3]
    assert cm.recall(c, average="macro") == pytest.approx((4 / 7 + 2 / 3) / 2)


def test_quantiles_have_derivatives_too() -> None:
    step = 1e-30
    assert np.imag(probit(np.array([0.5 + step * 1j])))[0] / step == pytest.approx(
        np.sqrt(2 * np.pi)
    )


# ---- labels outside the classes ------------------------------------------------------------------


def test_outside_labels_have_no_entry_and_no_share_in_averages() -> None:
    assert cm.recall(BOXES).tolist() == [5 / 8, 3 / 4]
    assert cm.recall(BOXES, average="macro") == (5 / 8 + 3 / 4) / 2
    assert cm.precision(BOXES, average="micro") == 8 / (8 + 7)
    assert cm.recall(BOXES, average="micro") == 8 / 12
    with pytest.raises(MetricError, match="stands outside the classes"):
        cm.recall(BOXES, of="background")


def test_whole_matrix_metrics_see_the_outside_as_one_category_without_hits() -> None:
    seen = read_margins(BOXES)
    assert seen.diagonal.tolist() == [5, 3, 0]
    assert seen.actual.tolist() == [8, 4, 6]
    assert seen.predicted.tolist() == [9, 6, 3]
    assert seen.total == 18
    assert cm.accuracy(BOXES) == 8 / 18
    # And means over classes do not.
    assert read_margins(BOXES, "wrong", "classes").actual.tolist() == [8, 4]
    assert cm.balanced_accuracy(BOXES) == (5 / 8 + 3 / 4) / 2


def test_outside_may_be_excluded() -> None:
    assert cm.accuracy(BOXES, outside="exclude") == 8 / 9
    assert cm.recall(BOXES, outside="exclude").tolist() == [5 / 6, 1]
    inside = BOXES.select(["car", "dog"])
    assert cm.kappa(BOXES, outside="exclude") == cm.kappa(inside)
    assert cm.mutual_information(BOXES, outside="exclude") == pytest.approx(
        cm.mutual_information(inside)
    )


def test_weighted_groups_without_what_is_outside_are_read_as_each_alone() -> None:
    actual, predicted = ["a", "b", "c", "a", "b", "c"] * 4, ["a", "b", "a", "x", "c", "c"] * 4
    weights = np.linspace(0.1, 3, 24)
    stack = count(
        actual, predicted, labels=list("abc"), other="collect", weights=weights, by=[1, 2, 3, 4] * 6
    )
    scores = cm.specificity(stack, outside="exclude")
    assert scores.tolist() == [
        cm.specificity(m, outside="exclude").tolist() for m in stack.values()
    ]


def test_dense_and_sparse_see_the_same() -> None:
    for matrix in (ANIMALS, BOXES):
        for metric in cm.catalog().values():
            sparse, dense = metric(matrix.sparse()), metric(matrix)
            np.testing.assert_allclose(sparse, dense, rtol=1e-13, atol=1e-15, err_msg=metric.name)


# ---- strangers -----------------------------------------------------------------------------------


@of_class(title="Found twice", bounds=(0, 2), undefined="the class never occurs")
def found_twice(c: Cells) -> Any:
    """Twice the recall."""
    return ratio(2 * c.tp, c.actual)


@of_matrix(title="Share of the first class")
def first_share(m: Margins) -> Any:
    """Share of the first class."""
    return ratio(m.actual[..., 0], m.total)


def test_a_stranger_is_a_metric_like_any_other() -> None:
    np.testing.assert_allclose(found_twice(ANIMALS), 2 * cm.recall(ANIMALS))
    assert found_twice(ANIMALS, average="macro") == pytest.approx(
        2 * cm.recall(ANIMALS, average="macro")
    )
    assert first_share(ANIMALS) == 6 / 25
    assert first_share(Stack({"a": ANIMALS, "b": ANIMALS})).tolist() == [6 / 25] * 2
    assert cm.metric(found_twice) is found_twice
    assert score(ANIMALS, found_twice).tolist() == found_twice(ANIMALS).tolist()


def test_facts_come_from_the_function_and_the_declaration() -> None:
    assert (found_twice.name, found_twice.summary, found_twice.best) == (
        "found_twice",
        "Twice the recall.",
        2,
    )
    assert repr(found_twice) == "<Metric found_twice: Twice the recall.>"
    with pytest.raises(AttributeError):
        found_twice.name = "other"  # type: ignore[misc]


def test_help_is_assembled_from_the_facts() -> None:
    text = pydoc.plain(pydoc.render_doc(cm.recall))
    assert "Share of a class's actual members that were found." in text
    assert "Undefined where the class never occurs." in text
    assert "true_positive_rate" in text
    assert "frozen" not in (Metric.__doc__ or "")
    assert (Metric.__doc__ or "").startswith("A declared, callable fact-sheet")


@pytest.mark.parametrize(
    "metric", [cm.recall, cm.mcc, cm.f_beta(0.5), cm.tversky(0.3, 0.7)], ids=lambda m: m.name
)
def test_a_metric_travels(metric: Metric) -> None:
    assert pickle.loads(pickle.dumps(metric)) is metric
    assert (
        copy.copy(metric)(ANIMALS).tolist() == metric(ANIMALS).tolist()
        if metric.kind == "class"
        else True
    )


# ---- finding -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "tpr",
        "TPR",
        "sensitivity",
        "True Positive Rate",
        "hit-rate",
        "pycm:TPR",
        "sklearn:recall_score",
    ],
)
def test_any_alias_finds_the_metric(name: str) -> None:
    assert cm.metric(name) is cm.recall


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recal", "did you mean 'recall'"),
        ("pycm:TPX", "'pycm:TP"),
        ("picm:TPR", "the namespaces are .*pycm"),
        (3, "not as int"),
    ],
)
def test_a_slip_is_met_with_a_suggestion(name: Any, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        cm.metric(name)


def test_a_number_stands_for_an_undefined_score_of_the_matrix() -> None:
    empty = ConfusionMatrix([[0, 0], [0, 0]], ["a", "b"])
    assert cm.kappa(empty, undefined=0) == 0
    assert np.isnan(cm.kappa(empty, undefined="skip"))
    assert cm.accuracy(ANIMALS, undefined=0) == cm.accuracy(ANIMALS)
    with pytest.raises(MetricError, match="`undefined` must be"):
        cm.kappa(empty, undefined="zero")  # type: ignore[call-overload]  # what people try


def test_the_catalog_is_read_only() -> None:
    with pytest.raises(TypeError):
        cm.catalog()["x"] = cm.recall  # type: ignore[index]


@pytest.mark.parametrize("name", ["f1", "accuracy", "weighted_kappa_linear"])
def test_labels_are_told_where_to_go(name: str) -> None:
    # Typed, two arguments could not be passed.
    asked: Any = getattr(cm, name)
    with pytest.raises(
        MetricError, match=rf"`{name}` reads one matrix: {name}\(count\(actual, predicted\)\)"
    ):
        asked([0, 1], [1, 1])


def test_an_infinite_bound_is_no_bound() -> None:
    def of(bounds: tuple[float | None, float | None]) -> Any:
        @of_class(
            title="Hits an alarm",
            latex=r"\frac{\TP}{\FP}",
            bounds=bounds,
            undefined="there is no alarm",
        )
        def hits_an_alarm(c: Any) -> Any:
            """Hits of a class for each time it was named wrongly."""
            return ratio(c.tp, c.fp)

        return hits_an_alarm

    m = ConfusionMatrix([[8, 2], [4, 6]])
    infinite, none = (interval(m, of(bounds), of=0) for bounds in ((0, np.inf), (0, None)))
    assert (infinite.low, infinite.high) == (none.low, none.high)
    assert 0 < none.low < 2 < none.high < np.inf

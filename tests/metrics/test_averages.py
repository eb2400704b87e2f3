"""The averages, the classes that they run over, and their treatment of values that do not exist."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, MetricError, Stack
from confmat import metrics as cm
from confmat.core.cells import Cells
from confmat.metrics.averages import AVERAGES, Coverage, average_named

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
# Class c occurs and is never predicted, d is predicted and never occurs.
UNEVEN = ConfusionMatrix(
    [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]], ["a", "b", "c", "d"]
)
R = [4 / 6, 2 / 10, 6 / 9]


def test_weights_per_class() -> None:
    expected = (1 * R[0] + 3 * R[2]) / 4
    assert cm.recall(ANIMALS, weights=[1, 0, 3]) == pytest.approx(expected)
    assert cm.recall(ANIMALS, weights={"Hen": 3, "Cat": 1, "Fish": 0}) == pytest.approx(expected)
    assert cm.recall(ANIMALS, average="geometric", weights=[1, 0, 3]) == pytest.approx(
        (R[0] * R[2] ** 3) ** (1 / 4)
    )
    tenths = (0.1 * 4 / 6 + 0.3 * 6 / 9) / 0.4
    assert cm.recall(ANIMALS, weights=[0.1, 0, 0.3]) == pytest.approx(tenths, rel=1e-15)


@pytest.mark.parametrize(
    "weights", [[1, 2], [1, -1, 1], [1, 2, math.inf], [[1, 2, 3]], [1, 2, math.nan]]
)
def test_bad_weights_are_refused(weights: Any) -> None:
    with pytest.raises(MetricError, match="one per class"):
        cm.recall(ANIMALS, weights=weights)


def test_weights_belong_to_means() -> None:
    with pytest.raises(MetricError, match="takes no weights"):
        cm.recall(ANIMALS, average="micro", weights=[1, 1, 1])


# ---- the data's silence is skipped, the model's silence costs ------------------------------------


def test_the_mean_says_over_how_many_classes() -> None:
    value, coverage = cm.precision.averaged(UNEVEN, "macro")
    assert value == pytest.approx(7 / 18)
    assert coverage == Coverage(used=3, classes=4, absent=1, filled=1, skipped=0)
    assert cm.recall.averaged(UNEVEN, "macro", undefined="skip")[1] == Coverage(
        used=3, classes=4, skipped=1
    )
    assert cm.recall.averaged(UNEVEN, "micro")[1] is None


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
def test_a_number_also_stands_for_a_mean_that_weighs_nothing(name: str, number: int) -> None:
    # No item has a label, and some were given one: scikit-learn prints zero_division for the
    # weighted mean too.
    never = Cells(
        tp=np.array([0, 0]), fp=np.array([1, 1]), fn=np.array([0, 0]), tn=np.array([1, 1])
    )
    metric = cm.metric(name)
    assert math.isnan(metric(never, average="weighted"))
    assert metric(never, average="weighted", undefined=number) == number
    assert metric.averaged(never, "weighted", undefined=number)[1] == Coverage(
        used=2, classes=2, filled=2
    )
    assert metric(UNEVEN, weights=[0, 0, 0, 0], undefined=number) == number


def test_micro_takes_a_number_too() -> None:
    lost = ConfusionMatrix([[0, 3], [0, 0]], ["a"], outside=["(abstained)"])
    assert math.isnan(cm.precision(lost, average="micro"))
    assert cm.precision(lost, average="micro", undefined=0) == 0
    assert cm.precision(lost, average="macro") == 0


# ---- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["support", "prevalence", "true_positives", "detection_rate"])
def test_counts_and_shares_have_no_fair_mean(name: str) -> None:
    with pytest.raises(MetricError, match="no fair mean"):
        cm.metric(name)(ANIMALS, average="macro")
    plain = cm.metric(name)(ANIMALS, average="macro", undefined="skip")
    assert plain == pytest.approx(np.mean(cm.metric(name)(ANIMALS)))


@pytest.mark.parametrize("average", ["geometric", "harmonic"])
def test_products_of_signs_are_refused(average: str) -> None:
    with pytest.raises(MetricError, match="can be negative"):
        cm.class_mcc(ANIMALS, average=average)


def test_cells_of_the_whole_matrix_are_not_pooled() -> None:
    with pytest.raises(MetricError, match="nothing to pool"):
        cm.class_confusion_entropy(ANIMALS, average="micro")


def test_an_unknown_average_is_met_with_a_suggestion() -> None:
    with pytest.raises(MetricError, match="did you mean 'macro'"):
        average_named("makro")
    assert average_named("Weighted-Predicted") is AVERAGES["weighted_predicted"]


# ---- edges ---------------------------------------------------------------------------------------


# ---- labels outside the classes ------------------------------------------------------------------


def by_hand(table: list[list[int]], classes: int, *, exclude: bool) -> Cells:
    """Cells as the definition counts them, item by item: outside answered by outside is nobody's business."""
    found = []
    for k in range(classes):
        cell = dict.fromkeys(("tp", "fp", "fn", "tn"), 0)
        for i, row in enumerate(table):
            for j, count in enumerate(row):
                inside = (i < classes) + (j < classes)
                if inside == 2 or (inside == 1 and not exclude):
                    cell[("t" if (i == k) == (j == k) else "f") + ("p" if j == k else "n")] += count
        found.append(cell)
    return Cells(*(np.array([cell[part] for cell in found]) for part in ("tp", "fp", "fn", "tn")))


OUTSIDE = st.integers(1, 3).flatmap(
    lambda classes: st.lists(
        st.lists(st.integers(0, 9), min_size=classes + 2, max_size=classes + 2),
        min_size=classes + 2,
        max_size=classes + 2,
    )
)


@pytest.mark.slow
@pytest.mark.parametrize("how", AVERAGES)
@given(OUTSIDE, st.sampled_from(["fair", "skip", "propagate", 0]), st.booleans())
def test_outside_labels_take_no_part_in_an_average(
    how: str, table: Any, undefined: Any, exclude: bool
) -> None:
    classes = len(table) - 2
    m = ConfusionMatrix(table, list("abc"[:classes]), outside=["(other)", "(missing)"])
    weights = ConfusionMatrix(np.array(table, float), m.labels)
    cells = by_hand(table, classes, exclude=exclude)
    for name in ("recall", "precision", "f1", "specificity", "jaccard"):
        metric = cm.metric(name)
        expected = metric(cells, average=how, undefined=undefined)
        for matrix in (m, weights, m.sparse(), Stack({"one": m})):
            found = metric(
                matrix, average=how, undefined=undefined, outside="exclude" if exclude else "wrong"
            )
            np.testing.assert_allclose(
                found, [expected] if isinstance(matrix, Stack) else expected, rtol=1e-12
            )


def test_counts_weigh_counts_beyond_64_bits() -> None:
    m = ConfusionMatrix([[4 * 10**9, 0], [0, 4 * 10**9]])
    for average in ("weighted", "weighted_predicted"):
        assert cm.metric("support")(m, average=average, undefined="skip") == 4e9

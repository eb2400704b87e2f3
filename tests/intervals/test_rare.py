"""Agreement beyond chance where a class is rare: how often its intervals hold the truth, and what range they have."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln

import confmat as cm
from confmat.intervals import Estimate

Array = NDArray[np.float64]
# How often tables are drawn that are rare enough to be left out; they count as missed.
LEFT_OUT = 2e-5
MEANS = ("f1.macro", "precision.macro")
SCORES = ("kappa", "mcc", "class_kappa[1]", "informedness[1]", "markedness[1]")


def one(m: cm.ConfusionMatrix, score: str) -> Estimate:
    estimate = cm.interval(m, score)
    assert isinstance(estimate, Estimate)
    return estimate


def shares(prevalence: float, sensitivity: float, specificity: float) -> Array:
    sick, well = prevalence, 1 - prevalence
    return np.array(
        [
            [well * specificity, well * (1 - specificity)],
            [sick * (1 - sensitivity), sick * sensitivity],
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "prevalence", "sensitivity", "specificity"),
    [
        (SCORES, 0.1, 0.7, 0.99),
        (SCORES, 0.1, 0.5, 0.95),
        (SCORES, 0.1, 0.99, 0.99),
        (MEANS, 0.1, 0.5, 0.99),
        (MEANS, 0.1, 0.5, 0.95),
        (MEANS, 0.2, 0.99, 0.99),
    ],
    ids=str,
)
def test_twenty_items_of_which_a_few_are_sick(
    scores: tuple[str, ...], prevalence: float, sensitivity: float, specificity: float
) -> None:
    """By all tables as often as they come, given that both classes occur; kappa once had .83, macro F1 .73."""
    chances = shares(prevalence, sensitivity, specificity)
    cells = np.array(
        [
            (a, b, c, 20 - a - b - c)
            for a in range(21)
            for b in range(21 - a)
            for c in range(21 - a - b)
        ]
    )
    cells = cells[(cells[:, :2].sum(axis=1) > 0) & (cells[:, 2:].sum(axis=1) > 0)]
    often = np.exp(gammaln(21) - gammaln(cells + 1.0).sum(axis=1) + cells @ np.log(chances.ravel()))
    for score in scores:
        truth, held, known = cm.score(cm.ConfusionMatrix(chances), score), 0.0, 0.0
        for table, chance in zip(cells[often > LEFT_OUT], often[often > LEFT_OUT], strict=True):
            estimate = one(cm.ConfusionMatrix(table.reshape(2, 2)), score)
            if not np.isnan(estimate.low):
                held += chance * (truth in estimate)
                known += chance
        assert held / known >= (0.91 if scores is SCORES else 0.9), (score, held / known)


def test_totals_say_how_low_agreement_can_be() -> None:
    # Three sick and four alarms of a hundred items: without any hit kappa would be -12 / 338, and
    # no lower.
    m = cm.ConfusionMatrix([[94, 3], [2, 1]])
    no_hit = cm.score(cm.ConfusionMatrix([[93, 4], [3, 0]]), "kappa")
    estimate = one(m, "kappa")
    assert no_hit < estimate.low < estimate.value < estimate.high
    assert estimate.high - estimate.value > 1.5 * (estimate.value - estimate.low)
    # Even totals leave the whole range from -1.
    even = one(cm.ConfusionMatrix([[25, 25], [25, 25]]), "kappa")
    assert even.low == pytest.approx(-even.high)
    assert one(m, "class_kappa[1]").low == pytest.approx(estimate.low, rel=1e-9)
    every = cm.interval(
        cm.ConfusionMatrix([[94, 3], [2, 1]], ["a", "b"]).relabel({"a": "c"}), "class_kappa", of="b"
    )
    assert tuple(every) == pytest.approx(tuple(estimate), rel=1e-9)


@pytest.mark.parametrize("score", ["kappa", "mcc"])
def test_a_plan_is_kept_where_a_class_is_rare(score: str) -> None:
    m = cm.ConfusionMatrix([[940, 30], [20, 10]])
    needed = cm.items_needed(m, score, width=0.1)
    planned = cm.ConfusionMatrix(np.rint(m.counts * (needed / 1000)).astype(int))
    estimate = one(planned, score)
    assert estimate.high - estimate.low == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize("score", ["kappa", "scott_pi", "krippendorff_alpha"])
def test_a_single_class_is_said(score: str) -> None:
    truth, answers = cm.ConfusionMatrix([[15, 5], [0, 0]]), cm.ConfusionMatrix([[15, 0], [5, 0]])
    assert one(truth, score).note.endswith("a single class occurs: chance alone would do as well")
    assert one(answers, score).note == "a single class is predicted: chance alone would do as well"
    assert not one(cm.ConfusionMatrix([[15, 5], [0, 1]]), score).note
    assert f"{score.replace('_', ' ')}: a single class occurs" in str(
        cm.report(truth, [score, "accuracy"])
    )


@pytest.mark.parametrize(
    "score", ["kappa", "multiclass_peirce", "class_kappa.macro", "one_vs_rest_balanced_accuracy"]
)
@pytest.mark.parametrize("right", [1, 5, 13, 22, 100, 1234])
@pytest.mark.parametrize("wrong", [1, 3, 7, 28, 411])
def test_one_answer_for_all_is_never_sure_of_its_score(score: str, right: int, wrong: int) -> None:
    """Its derivative by each counted cell is nothing, and rounding must not be taken for a variance."""
    for counts in ([[right, 0], [wrong, 0]], [[0, right], [0, wrong]]):
        low, high = one(cm.ConfusionMatrix(counts), score)
        assert high - low > 0.1 / (right + wrong)

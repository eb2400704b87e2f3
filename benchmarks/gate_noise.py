"""How often does a gate flip by noise? Two models on test sets drawn again, held by bare thresholds and by margins.

`python -m benchmarks.gate_noise` draws 400 test sets of each size and prints the table of the
guide. Both models answer every item, and nine answers in ten are the same; the new model is as good
as the base one, or has 0.02 or 0.04 less of accuracy. A bare threshold takes the scores as they
come; the gate allows a margin of 0.02. A second table is of a wide tolerance, as it is often
written beside a score that a test expects: 60 test sets of 1,319 questions, a tolerance of 0.08,
and a new model that is as good or has 0.05 less. A third is of plans: pilots of 300 items, and how
often a test of the planned size passes a model that is as good.
"""

from __future__ import annotations

from collections import Counter
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from confmat.comparison import Pairing, compare_pairings

SEED = 15
MARGIN = 0.02
SCORE = "accuracy"
SIZES = (200, 1000, 5000)
LOSSES = (0.0, 0.02, 0.04)
LABELS = ["cat", "dog", "hen"]
PREVALENCE = np.array([0.5, 0.3, 0.2])
RIGHT = 0.85
QUESTIONS, TOLERANCE, WORLDS = 1319, 0.08, 60
PILOT, DIFFER = 300, 0.1


def shares(loss: float) -> NDArray[np.float64]:
    """Shares of truth by first by second: a tenth of the answers is given anew, those of the second model less well."""
    first, again = (
        np.eye(3) * right + (1 - np.eye(3)) * (1 - right) / 2
        for right in (RIGHT, RIGHT - loss / 0.1)
    )
    kept = first[:, :, None] * np.eye(3)
    return PREVALENCE[:, None, None] * (0.9 * kept + 0.1 * first[:, :, None] * again[:, None, :])


def simulated(loss: float, items: int, sets: int, seed: int = SEED) -> Counter[str]:
    """Count the verdicts on so many test sets."""
    rng = np.random.default_rng([seed, items])
    labels, counted = cm.ConfusionMatrix(np.eye(3, dtype=int), LABELS).labels, Counter[str]()
    for table in rng.multinomial(items, shares(loss).ravel(), sets).reshape(-1, 3, 3, 3):
        actual, first, second = np.nonzero(table)
        counts = table[actual, first, second].astype(np.float64)
        matrices = {
            "base": cm.ConfusionMatrix(table.sum(2), labels),
            "new": cm.ConfusionMatrix(table.sum(1), labels),
        }
        pairings = {("base", "new"): Pairing(labels, actual, first, second, counts, counts)}
        found = compare_pairings(matrices, pairings, metrics=[SCORE], level=0.9).of(SCORE)
        counted[found.no_worse(MARGIN)] += 1
        counted["lower"] += found.difference < 0
        counted["lower by the margin"] += found.difference < -MARGIN
        counted["within the tolerance"] += found.difference >= -TOLERANCE
    return counted


def plans(sets: int, seed: int = SEED) -> dict[str, NDArray[np.float64]]:
    """Plan for equal models from so many pilots, in three ways: how many items each way asks for, NaN for a refusal."""
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {"needed": [], "surer": [], "as observed": []}
    truth = np.zeros(PILOT, dtype=int)
    for first, second in rng.multinomial(PILOT, [DIFFER / 2, DIFFER / 2, 1 - DIFFER], sets)[:, :2]:
        wrong = np.arange(PILOT)
        models = {
            "base": (wrong < first).astype(int),
            "new": ((wrong >= first) & (wrong < first + second)).astype(int),
        }
        compared = cm.compare_predictions(truth, models, metrics=[SCORE], level=0.9, labels=[0, 1])
        (plan,) = compared.plan({SCORE: MARGIN}).records()
        found["needed"].append(plan["needed"])
        found["surer"].append(plan["surer"])
        try:
            found["as observed"].append(
                compared.of(SCORE).items_needed(MARGIN, expected="observed")
            )
        except cm.InputError:
            found["as observed"].append(np.nan)
    return {name: np.array(each, dtype=np.float64) for name, each in found.items()}


def power(items: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often so many items show that an equal model is no worse."""
    reach = MARGIN / np.sqrt(DIFFER / items) - NormalDist().inv_cdf(0.95)
    return np.array([NormalDist().cdf(each) for each in reach])


def row(loss: float, items: int, sets: int) -> str:
    """Return a line of the table."""
    counted = simulated(loss, items, sets)
    names = ("lower", "lower by the margin", "no worse", "worse", "undecided")
    truth = f"worse by {loss:g}" if loss else "as good"
    return (
        f"| {truth} | {items:,} | {' | '.join(f'{counted[name] / sets:.2f}' for name in names)} |"
    )


def main() -> None:
    """Print the table of the guide."""
    print(
        "| the new model is | items | fails if lower | fails if lower by 0.02 | gate: passed | "
        "failed | undecided |"
    )
    print("|:--|--:|--:|--:|--:|--:|--:|")
    for loss in LOSSES:
        for items in SIZES:
            print(row(loss, items, 400))
    print(
        f"\n| the new model is | passes a tolerance of {TOLERANCE:g} | gate: passed | failed | "
        "undecided |"
    )
    print("|:--|--:|--:|--:|--:|")
    for loss in (0.0, 0.05):
        counted = simulated(loss, QUESTIONS, WORLDS)
        names = ("within the tolerance", "no worse", "worse", "undecided")
        truth = f"worse by {loss:g}" if loss else "as good"
        print(f"| {truth} | {' | '.join(f'{counted[name]} of {WORLDS}' for name in names)} |")
    print(
        "\n| plan | items, 10th to 90th percentile | power, 10th percentile | median | 90th | "
        "refused |"
    )
    print("|:--|--:|--:|--:|--:|--:|")
    for name, planned in plans(200).items():
        known = planned[~np.isnan(planned)]
        least, most = np.quantile(known, [0.1, 0.9])
        shown = " | ".join(f"{each:.2f}" for each in np.quantile(power(known), [0.1, 0.5, 0.9]))
        print(
            f"| {name} | {least:,.0f} to {most:,.0f} | {shown} | {len(planned) - len(known)} of "
            f"{len(planned)} |"
        )


if __name__ == "__main__":
    main()

"""How often the intervals of judged items hold the truth: `python -m benchmarks.judges [WORLDS]`.

The judge leans to the model that it judges: one label in five is the model's own. The tables are those of
docs/how-to/judges.md: judged items beside the checked items alone; accuracy beside PPI++ in the packages ppi_py and,
where it is installed, glide; and how wide the intervals of planned checks are beside the width that was asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import confmat as cm

ITEMS = 5_000
SCORES = ("accuracy", "f1.macro", "recall.macro", "kappa")
# Classes, items that were checked before, score, width.
PLANS = (
    (2, 100, "accuracy", 0.06),
    (2, 100, "f1.macro", 0.06),
    (3, 100, "f1.macro", 0.06),
    (3, 300, "kappa", 0.06),
    (10, 300, "accuracy", 0.04),
    (10, 300, "f1.macro", 0.05),
)


def world(classes: int) -> np.ndarray:
    """The probability of each truth, judge's label and model's label."""
    share = 1 / np.arange(1, classes + 1) ** 0.7
    share /= share.sum()
    model = np.full((classes, classes), 0.2 / (classes - 1))
    np.fill_diagonal(model, 0.8)
    fair = np.full((classes, classes), 0.15 / (classes - 1))
    np.fill_diagonal(fair, 0.85)
    leaning = 0.8 * fair[:, :, None] + 0.2 * np.eye(classes)[None]
    return share[:, None, None] * leaning * model[:, None, :]


def line(classes: int, checked: int, worlds: int, rng: np.random.Generator) -> str:
    """Return the line of a table: coverage of the scores, of the judge alone, and the relative width."""
    whole = cm.ConfusionMatrix(world(classes).sum(axis=1) * 1e6)
    truth = {score: cm.score(whole, score) for score in SCORES}
    held, alone, wide = dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0.0)
    for _ in range(worlds):
        actual, judge, model = drawn(classes, rng)
        found = cm.judged(judge, model, gold=some_of(actual, checked, rng), labels=list(range(classes)))
        assert isinstance(found, cm.Judged)
        for score, value in truth.items():
            ends = [tuple(map(float, cm.interval(m, score))) for m in (found, found.judge, found.checked)]
            held[score] += ends[0][0] <= value <= ends[0][1]
            alone[score] += ends[1][0] <= value <= ends[1][1]
            wide[score] += (ends[0][1] - ends[0][0]) / (ends[2][1] - ends[2][0]) / worlds
    cells = [f"{held[score] / worlds:.3f}" for score in SCORES]
    width = np.mean([*wide.values()])
    return f"| {classes} | {checked:,} | {' | '.join(cells)} | {max(alone.values()) / worlds:.2f} | {width:.2f} |"


def drawn(classes: int, rng: np.random.Generator) -> tuple[Any, ...]:
    """Truth, judge's label and model's label of all items of a world."""
    return np.unravel_index(rng.choice(classes**3, ITEMS, p=world(classes).ravel()), (classes,) * 3)


def some_of(truth: Any, checked: int, rng: np.random.Generator) -> Any:
    """The truth of so many items, all drawn alike; NaN for the others."""
    gold = np.full(ITEMS, np.nan)
    places = rng.choice(ITEMS, checked, replace=False)
    gold[places] = truth[places]
    return gold


def by_confmat(judge: Any, model: Any, gold: Any) -> tuple[float, ...]:
    """Return the interval of accuracy of judged items."""
    return tuple(map(float, cm.interval(cm.judged(judge, model, gold=gold), "accuracy")))


def by_ppi(judge: Any, model: Any, gold: Any) -> tuple[float, ...]:
    """Return that of PPI++, whose mean is of hits: of the truth where it is known, and of the judge's label."""
    from ppi_py import ppi_mean_ci

    seen, hits = ~np.isnan(gold), (judge == model).astype(float)
    right = (gold[seen] == model[seen]).astype(float)
    return tuple(float(end[0]) for end in ppi_mean_ci(right, hits[seen], hits[~seen], alpha=0.05))


def by_glide(judge: Any, model: Any, gold: Any) -> tuple[float, ...]:
    """Return that of PPI++ in glide."""
    from glide.estimators import PPIMeanEstimator  # type: ignore[import-not-found]

    right = np.where(np.isnan(gold), np.nan, gold == model)
    found = PPIMeanEstimator().estimate(right, (judge == model).astype(float)).confidence_interval
    return float(found.lower_bound), float(found.upper_bound)


def beside(
    name: str, call: Callable[..., tuple[float, ...]], classes: int, checked: int, worlds: int, *, sure: bool
) -> str:
    """Return the line of a peer: coverage, mean width and time of an interval of accuracy.

    A judge who is `sure` and a model are right in 97 of 100 items.
    """
    held, refused, width, spent = 0, 0, 0.0, 0.0
    for each in range(worlds):
        rng = np.random.default_rng([each, classes, checked])
        truth, judge, model = drawn(classes, rng)
        if sure:
            judge, model = (np.where(rng.random(ITEMS) < 0.85, truth, side) for side in (judge, model))
        gold = some_of(truth, checked, rng)
        known = 0.8 + sure * 0.85 * 0.2
        if not each:
            # Imports and compilation take their time once.
            call(judge, model, np.where(np.arange(ITEMS) < 50, truth, np.nan))
        begin = time.process_time()
        try:
            low, high = call(judge, model, gold)
        except ValueError:
            # Where all that were checked are right, glide has no interval.
            refused += 1
            continue
        spent += time.process_time() - begin
        held += low <= known <= high
        width += high - low
    n = worlds - refused
    return (
        f"| {classes} | {checked:,} | {0.97 if sure else 0.8} | {name} | {held / n:.3f} | {width / n:.4f} | "
        f"{1000 * spent / n:.1f} | {refused / worlds:.1%} |"
    )


def planned(classes: int, pilot: int, score: str, width: float, worlds: int) -> str:
    """Return the line of a plan: how many items it takes, the width that they give, and coverage; and drawn alike."""
    whole = cm.ConfusionMatrix(world(classes).sum(axis=1) * 1e6)
    truth, labels, found = cm.score(whole, score), list(range(classes)), []
    for each in range(worlds):
        rng = np.random.default_rng([each, classes, pilot])
        actual, judge, model = drawn(classes, rng)
        gold = some_of(actual, pilot, rng)
        first: Any = cm.judged(judge, model, gold=gold, labels=labels)
        plan = first.gold_needed(score, width=width)
        more, both, alike = plan.draw(judge, model, gold=gold, seed=rng), gold.copy(), gold.copy()
        both[more] = actual[more]
        others = rng.choice(np.flatnonzero(np.isnan(gold)), len(more), replace=False)
        alike[others] = actual[others]
        row = [float(plan.total)]
        for part, probability in ((both, plan.chances(judge, model, gold=gold)), (alike, None)):
            m: Any = cm.judged(judge, model, gold=part, labels=labels, probability=probability)
            estimate: Any = cm.interval(m, score)
            row += [estimate.width, estimate.low <= truth <= estimate.high]
        found.append(row)
    total, wide, held, wide_alike, held_alike = np.array(found, float).T
    return (
        f"| {classes} | {pilot} | {score} | {width:g} | {np.median(total):.0f} | {np.median(wide):.4f} | "
        f"{held.mean():.3f} | {np.median(wide_alike):.4f} | {held_alike.mean():.3f} |"
    )


def main() -> None:
    """Print the tables, line by line."""
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print("| classes | pilot | score | asked | checked | width | held | width, drawn alike | held, drawn alike |")
    print(f"|{'---|' * 9}")
    for plan in PLANS:
        print(planned(*plan, worlds), flush=True)
    print("\n| classes | checked | accuracy | by | held | width | ms | refused |")
    print(f"|{'---|' * 8}")
    for classes, checked, sure in ((2, 100, False), (2, 300, False), (10, 300, False), (2, 100, True), (2, 300, True)):
        for name, call in {"confmat": by_confmat, "ppi_py": by_ppi, "glide": by_glide}.items():
            try:
                print(beside(name, call, classes, checked, worlds, sure=sure), flush=True)
            except ImportError:
                print(f"| {classes} | {checked:,} | {0.97 if sure else 0.8} | {name} is not installed |")
    print()
    print(f"| classes | checked | {' | '.join(SCORES)} | judge alone, best | width |")
    print(f"|{'---|' * (len(SCORES) + 4)}")
    for classes in (2, 3, 10):
        for checked in (100, 300, 1_000):
            print(line(classes, checked, worlds, np.random.default_rng([classes, checked])), flush=True)


if __name__ == "__main__":
    main()

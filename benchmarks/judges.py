"""How often the intervals of judged items hold the truth: `python -m benchmarks.judges [WORLDS]`.

The tables are those of docs/how-to/judges.md: judged items beside the checked items alone, each
cell with the coverage of both and the ratio of the median widths; accuracy beside PPI++ in the
packages ppi_py and, where it is installed, glide; and how wide the intervals of planned checks are
beside the width that was asked for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import confmat as cm

ITEMS = 5_000
SCORES = ("accuracy", "f1.macro", "recall.macro", "kappa", "recall[{}]", "precision[{}]")
TEN = tuple(each / 100 for each in (30, 20, 15, 10, 8, 6, 5, 3, 2, 1))


class World(NamedTuple):
    """Shares of the classes, how often model and judge are right, and how often the judge says what the model does."""

    shares: tuple[float, ...]
    model: float = 0.8
    judge: float = 0.85
    leaning: float = 0.2

    def chances(self) -> np.ndarray:
        """The probability of each truth, judge's label and model's label."""
        classes = len(self.shares)
        sides = []
        for right in (self.model, self.judge):
            side = np.full((classes, classes), (1 - right) / (classes - 1))
            np.fill_diagonal(side, right)
            sides.append(side)
        leaning = (1 - self.leaning) * sides[1][:, :, None] + self.leaning * np.eye(classes)[None]
        share = np.array(self.shares)[:, None, None] / sum(self.shares)
        return np.asarray(share * leaning * sides[0][:, None, :])

    def drawn(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """Truth, judge's label and model's label of all items."""
        chances = self.chances()
        return np.unravel_index(rng.choice(chances.size, ITEMS, p=chances.ravel()), chances.shape)

    def truth(self, scores: Iterable[str]) -> dict[str, float]:
        """The scores of the model."""
        whole = cm.ConfusionMatrix(self.chances().sum(axis=1) * 1e6)
        return {score: float(cm.score(whole, score)) for score in scores}


def common(classes: int) -> World:
    """Classes of which the rarest is a fifth of the most frequent one of ten, or more."""
    return World(tuple(1 / np.arange(1, classes + 1) ** 0.7))


# Each world with its name, and how many items were checked.
WORLDS = [
    *((f"{k} classes", common(k), n) for k in (2, 3, 10) for n in (100, 300, 1_000)),
    *(("3 % positive", World((0.97, 0.03), 0.93, 0.9, 0.0), n) for n in (100, 200, 500)),
    *(("3 % positive, leaning", World((0.97, 0.03), 0.93, 0.9, 0.5), n) for n in (200, 500)),
    ("2 % positive", World((0.98, 0.02), 0.85, 0.95, 0.2), 500),
    ("5 % positive", World((0.95, 0.05), 0.8, 0.8, 0.3), 300),
    ("3 classes, one of 2 %", World((0.8, 0.18, 0.02)), 300),
    *(("10 classes, one of 1 %", World(TEN), n) for n in (200, 500, 1_000)),
    ("judge right in 97 %", World((0.5, 0.5), 0.8, 0.97, 0.0), 100),
    ("judge 99 %, model 98 %", World((0.5, 0.5), 0.98, 0.99, 0.0), 100),
    ("judge 99 %, model 90 %", World((0.7, 0.3), 0.9, 0.99, 0.0), 100),
    ("judge that guesses", World((0.9, 0.1), 0.9, 0.5, 0.0), 100),
]
# Classes, items that were checked before, score, width.
PLANS = (
    (2, 100, "accuracy", 0.06),
    (2, 100, "f1.macro", 0.06),
    (3, 100, "f1.macro", 0.06),
    (3, 300, "kappa", 0.06),
    (10, 300, "accuracy", 0.04),
    (10, 300, "f1.macro", 0.05),
)


def line(name: str, world: World, checked: int, worlds: int, rng: np.random.Generator) -> str:
    """Return the line of a table: coverage of each score, beside that of the checked alone, and the relative width.

    Scores of the rarest class, and means over classes, count where a checked item is of each class.
    """
    labels = list(range(len(world.shares)))
    truth = world.truth(score.format(labels[-1]) for score in SCORES)
    held: dict[str, list[tuple[float, ...]]] = {score: [] for score in truth}
    alone = complete = 0
    for _ in range(worlds):
        actual, judge, model = world.drawn(rng)
        gold = some_of(actual, checked, rng)
        found: Any = cm.judged(judge, model, gold=gold, labels=labels)
        alone += truth["accuracy"] in cm.interval(found.judge, "accuracy")
        is_whole = len({*gold[~np.isnan(gold)]}) == len(labels)
        complete += is_whole
        for score, value in truth.items():
            sides: list[Any] = [cm.interval(m, score) for m in (found, found.checked)]
            both, checks = sides
            assert not 0 <= both.value <= 1 or (both.low >= -1 and both.high <= 1)
            if (
                (is_whole or score in {"accuracy", "kappa"})
                and both.low == both.low
                and checks.low == checks.low
            ):
                held[score].append((value in both, value in checks, both.width, checks.width))
    cells = []
    for rows in held.values():
        means, middle = np.mean(rows, axis=0), np.median(rows, axis=0)
        cells.append(f"{means[0]:.3f}, {means[1]:.3f}, {middle[2] / middle[3]:.2f}")
    return f"| {name} | {checked:,} | {' | '.join(cells)} | {complete / worlds:.0%} | {alone / worlds:.2f} |"


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
    name: str,
    call: Callable[..., tuple[float, ...]],
    classes: int,
    checked: int,
    worlds: int,
    *,
    sure: bool,
) -> str:
    """Return the line of a peer: coverage, mean width and time of an interval of accuracy.

    A judge who is `sure` and a model are right in 97 of 100 items.
    """
    held, refused, width, spent = 0, 0, 0.0, 0.0
    for each in range(worlds):
        rng = np.random.default_rng([each, classes, checked])
        truth, judge, model = common(classes).drawn(rng)
        if sure:
            judge, model = (
                np.where(rng.random(ITEMS) < 0.85, truth, side) for side in (judge, model)
            )
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
        f"| {classes} | {checked:,} | {0.97 if sure else 0.8} | {name} | {held / n:.3f} | "
        f"{width / n:.4f} | "
        f"{1000 * spent / n:.1f} | {refused / worlds:.1%} |"
    )


def planned(classes: int, pilot: int, score: str, width: float, worlds: int) -> str:
    """Return the line of a plan: how many items it takes, the width that they give, and coverage; and drawn alike."""
    world, labels, found = common(classes), list(range(classes)), []
    truth = world.truth([score])[score]
    for each in range(worlds):
        rng = np.random.default_rng([each, classes, pilot])
        actual, judge, model = world.drawn(rng)
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
        f"| {classes} | {pilot} | {score} | {width:g} | {np.median(total):.0f} | "
        f"{np.median(wide):.4f} | "
        f"{held.mean():.3f} | {np.median(wide_alike):.4f} | {held_alike.mean():.3f} |"
    )


def main() -> None:
    """Print the tables, line by line."""
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print(
        "| classes | pilot | score | asked | checked | width | held | width, drawn alike | held, "
        "drawn alike |"
    )
    print(f"|{'---|' * 9}")
    for plan in PLANS:
        print(planned(*plan, worlds), flush=True)
    print("\n| classes | checked | accuracy | by | held | width | ms | refused |")
    print(f"|{'---|' * 8}")
    for classes, checked, sure in (
        (2, 100, False),
        (2, 300, False),
        (10, 300, False),
        (2, 100, True),
        (2, 300, True),
    ):
        for name, call in {"confmat": by_confmat, "ppi_py": by_ppi, "glide": by_glide}.items():
            try:
                print(beside(name, call, classes, checked, worlds, sure=sure), flush=True)
            except ImportError:
                print(
                    f"| {classes} | {checked:,} | {0.97 if sure else 0.8} | {name} is not "
                    "installed |"
                )
    print(
        f"\n| world | checked | {' | '.join(SCORES).format('rarest', 'rarest')} | all found | "
        "judge alone, accuracy |"
    )
    print(f"|{'---|' * (len(SCORES) + 4)}")
    for place, (name, world, checked) in enumerate(WORLDS):
        print(
            line(name, world, checked, worlds, np.random.default_rng([place, checked])), flush=True
        )


if __name__ == "__main__":
    main()

"""How often the intervals of judged items hold the truth: `python -m benchmarks.judges [WORLDS]`.

The judge leans to the model that it judges: one label in five is the model's own. The table is that of
docs/how-to/judges.md; the width is beside that of the checked items alone.
"""

from __future__ import annotations

import sys

import numpy as np

import confmat as cm

ITEMS = 5_000
SCORES = ("accuracy", "f1.macro", "recall.macro", "kappa")


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
    chances = world(classes)
    whole = cm.ConfusionMatrix(chances.sum(axis=1) * 1e6)
    truth = {score: cm.score(whole, score) for score in SCORES}
    held, alone, wide = dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0), dict.fromkeys(SCORES, 0.0)
    for _ in range(worlds):
        drawn = rng.choice(classes**3, ITEMS, p=chances.ravel())
        actual, judge, model = np.unravel_index(drawn, (classes,) * 3)
        gold = np.full(ITEMS, np.nan)
        places = rng.choice(ITEMS, checked, replace=False)
        gold[places] = actual[places]
        found = cm.judged(judge, model, gold=gold, labels=list(range(classes)))
        assert isinstance(found, cm.Judged)
        for score, value in truth.items():
            ends = [tuple(map(float, cm.interval(m, score))) for m in (found, found.judge, found.checked)]
            held[score] += ends[0][0] <= value <= ends[0][1]
            alone[score] += ends[1][0] <= value <= ends[1][1]
            wide[score] += (ends[0][1] - ends[0][0]) / (ends[2][1] - ends[2][0]) / worlds
    cells = [f"{held[score] / worlds:.3f}" for score in SCORES]
    width = np.mean([*wide.values()])
    return f"| {classes} | {checked:,} | {' | '.join(cells)} | {max(alone.values()) / worlds:.2f} | {width:.2f} |"


def main() -> None:
    """Print the table, line by line."""
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    print(f"| classes | checked | {' | '.join(SCORES)} | judge alone, best | width |")
    print(f"|{'---|' * (len(SCORES) + 4)}")
    for classes in (2, 3, 10):
        for checked in (100, 300, 1_000):
            print(line(classes, checked, worlds, np.random.default_rng([classes, checked])), flush=True)


if __name__ == "__main__":
    main()

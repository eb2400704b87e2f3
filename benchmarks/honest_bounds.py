"""How often the bounds of calibration errors and of gaps between groups hold, and those of a percentile bootstrap.

`python -m benchmarks.honest_bounds` draws 200 samples a cell, `--full` 1,000. Scores have four
shapes and become true as often as they say, a little less, or much less; groups are alike or one is
worse. The bootstrap draws the items of a sample again 200 times, of every tenth sample.
"""

from __future__ import annotations

import argparse
from itertools import product
from typing import Any

import numpy as np

import confmat as cm

Array = Any
SHAPES = ((1.0, 1.0), (1.0, 3.0), (5.0, 2.0), (0.5, 0.5))
POWERS, ITEMS = (1.0, 1.2, 2.0), (100, 500, 2000, 5000)
SHARES = (0.8, 0.95, 0.99)
GROUPS = (
    (20, 50, 100, 200, 500, 1000),
    (20, 20, 20),
    (100, 100, 100, 100),
    (1000, 1000),
    (20, 1000),
)
_DRAWN, _AGAIN = 10**6, 200


def truth_of(shape: tuple[float, float], power: float) -> dict[str, float]:
    """The expected calibration error of fifteen bins, the Brier score and the log loss of the population."""
    s = np.clip(np.random.default_rng(0).beta(*shape, _DRAWN), 1e-9, 1 - 1e-9)
    p = s**power
    places = np.minimum((s * 15).astype(int), 14)
    gaps = np.bincount(places, p - s, 15)
    return {
        "ece": float(np.abs(gaps).sum() / _DRAWN),
        "brier": float(np.mean(p * (1 - s) ** 2 + (1 - p) * s**2)),
        "log_loss": float(-np.mean(p * np.log(s) + (1 - p) * np.log1p(-s))),
    }


def calibrated(shape: tuple[float, float], power: float, items: int, sets: int) -> dict[str, float]:
    """How often the intervals hold the truth; and a percentile bootstrap of the calibration error."""
    rng, known = np.random.default_rng(items), truth_of(shape, power)
    held = dict.fromkeys([*known, "bootstrap"], 0.0)
    for round_ in range(sets):
        s = np.clip(rng.beta(*shape, items), 1e-9, 1 - 1e-9)
        y = (rng.random(items) < s**power).astype(int)
        c = cm.calibration(y, s, labels=[0, 1])
        for name, value in known.items():
            held[name] += (value in c.interval(name)) / sets
        if round_ % 10 == 0:
            held["bootstrap"] += _percentiles_hold(known["ece"], y, s, rng) * 10 / sets
    return held


def _ece(y: Array, s: Array) -> float:
    return float(
        np.abs(np.bincount(np.minimum((s * 15).astype(int), 14), y - s, 15)).sum() / len(y)
    )


def _percentiles_hold(truth: float, y: Array, s: Array, rng: Any) -> bool:
    drawn = [_ece(y[again], s[again]) for again in rng.integers(len(y), size=(_AGAIN, len(y)))]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return bool(low <= truth <= high)


def alike(share: float, sizes: tuple[int, ...], sets: int, worse: float = 0.0) -> dict[str, float]:
    """How often the bounds of a gap hold the true one, no group is wrongly shown, and a bootstrap of the gap holds."""
    rng, sizes_ = np.random.default_rng(len(sizes)), np.array(sizes)
    shares = np.full(len(sizes), share)
    shares[-1] -= worse
    held = {"gap": 0.0, "rest": 0.0, "bootstrap": 0.0}
    for round_ in range(sets):
        hits = rng.binomial(sizes_, shares)
        parts = enumerate(zip(hits.tolist(), sizes, strict=True))
        found = cm.gap(
            cm.Stack(
                {
                    place: cm.ConfusionMatrix([[hit, size - hit], [0, 0]])
                    for place, (hit, size) in parts
                }
            ),
            "accuracy",
        )
        held["gap"] += (worse in found.difference) / sets
        held["rest"] += (worse > 0 or not any(found.parts[0].differs)) / sets
        if round_ % 10 == 0:
            again = rng.binomial(sizes_, hits / sizes_, (_AGAIN, len(sizes))) / sizes_
            low, high = np.quantile(np.ptp(again, axis=1), [0.025, 0.975])
            held["bootstrap"] += bool(low <= worse <= high) * 10 / sets
    return held


def main() -> None:
    """Print both tables, with the worst of each column."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="1,000 samples a cell")
    sets = 1000 if parser.parse_args().full else 200
    for title, cells in (
        (
            "shape, power, items",
            {cell: calibrated(*cell, sets) for cell in product(SHAPES, POWERS, ITEMS)},
        ),
        ("share, groups", {cell: alike(*cell, sets) for cell in product(SHARES, GROUPS)}),
        ("one group worse by .1", {(0.8, sizes): alike(0.8, sizes, sets, 0.1) for sizes in GROUPS}),
    ):
        names = list(next(iter(cells.values())))
        print(f"| {title} | {' | '.join(names)} |")
        for cell, found in cells.items():
            print(f"| {cell} | {' | '.join(f'{found[name]:.3f}' for name in names)} |")
        print(
            "| worst | "
            f"{' | '.join(f'{min(found[name] for found in cells.values()):.3f}' for name in names)} |\n"
        )


if __name__ == "__main__":
    main()

"""An adversary looks for the populations in which intervals hold the truth least often.

`python -m benchmarks.coverage_search` lists every table of two classes with so many items, asks for
the interval of each score once, and then searches: random populations first, and from the worst ten
of them ever smaller steps, as long as one of these is worse. Nothing is simulated: each table
counts as often as it comes, given that both classes occur. The findings go into
coverage_search.json, and with `python -m benchmarks.coverage --page` onto the page.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

import confmat as cm
from benchmarks.coverage import as_matrix, ends, holds

__all__ = ["RESULTS", "SCORES", "Listed", "search"]

Array = NDArray[np.float64]
RESULTS = Path(__file__).resolve().parent / "coverage_search.json"
ITEMS = 20
# Scores that a report prints, and those that people ask for beside it.
SCORES = (
    "accuracy", "balanced_accuracy", "f1.macro", "precision.macro", "f1.weighted", "kappa", "mcc",
    "weighted_kappa_quadratic", "krippendorff_alpha", "gwet_ac1", "multiclass_g_mean", "adjusted_rand_index",
    "mutual_information", "v_measure", "cramer_v", "cost of errors", "recall[1]", "precision[1]", "specificity[1]",
    "negative_predictive_value[1]", "f1[1]", "f_beta(2)[1]", "jaccard[1]", "informedness[1]", "markedness[1]", "p4[1]",
    "g_measure[1]", "class_g_mean[1]", "positive_likelihood_ratio[1]", "negative_likelihood_ratio[1]",
    "diagnostic_odds_ratio[1]", "number_needed_to_diagnose[1]", "lift[1]", "prevalence[1]", "equitable_threat_score[1]",
)  # fmt: skip
# A missed member of the second class costs five times a false alarm.
COST = cm.metrics.cost([[0, 1], [5, 0]])
# Populations at first, those that are refined, rounds of refining and steps in each, and the
# chances that are tried.
FIRST, WORST, ROUNDS, STEPS = 600, 10, 6, 8
LEAST, MOST = np.array([0.05, 0.4, 0.4]), np.array([0.6, 0.99, 0.99])


class Listed:
    """All tables with so many items in which both classes occur, with the interval of one score in each."""

    def __init__(self, score: str, items: int = ITEMS) -> None:
        bars = np.array(
            [(-1, *cut, items + 3) for cut in itertools.combinations(range(items + 3), 3)]
        )
        tables = (np.diff(bars, axis=1) - 1).reshape(-1, 2, 2)
        self.tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
        self.score: Any = COST if score == "cost of errors" else score
        found = np.array(
            [ends(as_matrix(table), self.score) for table in self.tables], dtype=np.float64
        )
        self.low, self.high = found.T
        known = ~np.isnan(self.low)
        self.tables, self.low, self.high = self.tables[known], self.low[known], self.high[known]
        self.ways = gammaln(items + 1) - gammaln(self.tables + 1).sum(axis=(1, 2))

    def held(self, chances: Array) -> Array:
        """How often the interval holds the truth, for each (share positive, of them found, of the others spared)."""
        positive, found, spared = chances.T
        shares = np.array([(1 - positive) * spared, (1 - positive) * (1 - spared), positive * (1 - found),
                           positive * found]).T.reshape(-1, 2, 2)  # fmt: skip
        held = []
        for share in shares:
            weights = np.exp(self.ways + xlogy(self.tables, share).sum(axis=(1, 2)))
            truth = float(cm.score(as_matrix(share * 1e9), self.score))
            held.append(float(weights @ holds(self.low, self.high, truth) / weights.sum()))
        return np.array(held)


def search(
    listed: Listed, seed: int, *, first: int = FIRST, rounds: int = ROUNDS
) -> tuple[float, Array, float]:
    """The least share of tables that hold the truth, where that is, and the share in a random population."""
    rng = np.random.default_rng(seed)
    chances = rng.uniform(LEAST, MOST, (first, 3))
    held = listed.held(chances)
    mean = float(held.mean())
    order = np.argsort(held)[:WORST]
    chances, held = chances[order], held[order]
    reach = (MOST - LEAST) / 10
    for _ in range(rounds):
        for place in range(len(chances)):
            tried = np.clip(chances[place] + rng.normal(0, reach, (STEPS, 3)), LEAST, MOST)
            found = listed.held(tried)
            best = int(found.argmin())
            if found[best] < held[place]:
                chances[place], held[place] = tried[best], found[best]
        reach = reach * 0.7
    worst = int(held.argmin())
    return float(held[worst]), chances[worst], mean


def main() -> None:
    """Search for all scores, or for those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scores", nargs="*", default=SCORES)
    parser.add_argument("--seed", type=int, default=30)
    asked = parser.parse_args()
    rows = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    for score in asked.scores:
        begin = time.perf_counter()
        listed = Listed(score)
        worst, (positive, found, spared), mean = search(listed, asked.seed)
        rows[score] = {
            "worst": worst,
            "mean": mean,
            "positive": positive,
            "found": found,
            "spared": spared,
        }
        print(f"{score:32} {worst:.3f} {mean:.3f} {time.perf_counter() - begin:.0f} s", flush=True)
        RESULTS.write_text(
            json.dumps({name: rows[name] for name in sorted(rows)}, indent=1) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()

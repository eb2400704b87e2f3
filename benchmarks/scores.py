"""Scores: how long do they take once the pairs are counted, and from the pairs to the report.

Answers are asserted against scikit-learn's report, PyCM's numbers, and the formula written out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from benchmarks.text_labels import NAMES

__all__ = ["races"]

PAIRS = 1_000_000
STACKED = 10_000

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Reports, the whole catalogue, a stack of matrices."""
    rng = np.random.default_rng(0)
    for size in (10, 1000):
        yield report_of(random_table(rng, size), effort)
    actual = rng.integers(0, 10, PAIRS)
    predicted = np.where(rng.random(PAIRS) < 0.3, rng.integers(0, 10, PAIRS), actual)
    yield from_pairs("int64", actual, predicted, effort)
    yield from_pairs("text", NAMES[actual], NAMES[predicted], effort)
    yield whole_catalogue(random_table(rng, 100), effort)
    yield stacked(rng.integers(0, 9, (STACKED, 10, 10)), effort)


def random_table(rng: np.random.Generator, size: int) -> Array:
    """A table in which every class occurs on both sides."""
    return rng.integers(0, 9, (size, size)) + np.diag(rng.integers(1, 999, size))


def main_scores(table: Array) -> Array:
    """Precision, recall and F1 of each class, written out."""
    hits, actual, predicted = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
    return np.array([hits / predicted, hits / actual, 2 * hits / (actual + predicted)]).T.round(9)


def of_report(report: cm.Report) -> Array:
    columns = [report.names.index(name) for name in ("precision", "recall", "f1")]
    return report.values[:, columns].round(9)


def of_scikit_learn(report: dict[str, dict[str, float]]) -> Array:
    rows = [row for name, row in report.items() if name not in {"accuracy", "macro avg", "weighted avg"}]
    return np.array([[row["precision"], row["recall"], row["f1-score"]] for row in rows]).round(9)


def report_of(table: Array, effort: Effort) -> Race:
    size = len(table)

    def ours() -> cm.Report:
        # A new matrix every time: what metrics read of one is kept for the next.
        return cm.report(cm.ConfusionMatrix(table))

    contestant = Contestant(OURS, 1, ours, main_scores(table), of_report)
    return contest(f"report K={size}", f"report of a matrix, K = {size:,}", [contestant], effort, seconds=2)


def from_pairs(kind: str, actual: Array, predicted: Array, effort: Effort) -> Race:
    from sklearn.metrics import classification_report

    few = effort.pick(PAIRS, PAIRS // 10)

    def ours() -> cm.Report:
        return cm.report(cm.count(actual, predicted))

    def expected(pairs: int) -> Array:
        return main_scores(cm.count(actual[:pairs], predicted[:pairs]).counts)

    theirs = partial(classification_report, actual[:few], predicted[:few], output_dict=True)
    contestants = [
        Contestant(OURS, PAIRS, ours, expected(PAIRS), of_report),
        Contestant("scikit-learn", few, theirs, expected(few), of_scikit_learn),
    ]
    return contest(f"report {kind}", f"count and report, 10⁶ {kind} pairs, 10 classes", contestants, effort, seconds=4)


def whole_catalogue(table: Array, effort: Effort) -> Race:
    from pycm import ConfusionMatrix

    metrics = dict(cm.catalogue())
    nested = {row: dict(enumerate(line)) for row, line in enumerate(table.tolist())}
    expected = np.array([table.trace() / table.sum(), *main_scores(table)[:, 1]]).round(9)

    def every_metric() -> dict[str, Any]:
        m = cm.ConfusionMatrix(table)
        return {name: metric(m) for name, metric in metrics.items()}

    def ours(values: dict[str, Any]) -> Array:
        return np.array([values["accuracy"], *values["recall"]]).round(9)

    def theirs(found: Any) -> Array:
        return np.array([found.Overall_ACC, *(found.TPR[row] for row in range(len(table)))]).round(9)

    contestants = [
        Contestant(OURS, 1, every_metric, expected, ours, note=f"{len(metrics)} metrics"),
        Contestant("PyCM", 1, lambda: ConfusionMatrix(matrix=nested), expected, theirs, note="its constructor"),
    ]
    return contest("catalogue", "every metric of the catalogue, K = 100", contestants, effort, seconds=6)


def stacked(tables: Array, effort: Effort) -> Race:
    stack = cm.Stack.from_array(tables)
    hits = np.einsum("gii->gi", tables)
    expected = (2 * hits / (tables.sum(axis=1) + tables.sum(axis=2))).mean(axis=1).round(9)
    call = partial(cm.f1, stack, average="macro")
    ours = Contestant(OURS, 1, call, expected, lambda values: np.asarray(values).round(9))
    return contest("stack", "macro F1 of 10,000 matrices, K = 10", [ours], effort, seconds=2)


if __name__ == "__main__":
    main(races)

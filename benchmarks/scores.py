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
COMMON = "confmat, the metrics of PyCM"

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Reports, the whole catalog, a stack of matrices."""
    rng = np.random.default_rng(0)
    for size in (10, 1000):
        yield report_of(random_table(rng, size), effort)
    actual = rng.integers(0, 10, PAIRS)
    predicted = np.where(rng.random(PAIRS) < 0.3, rng.integers(0, 10, PAIRS), actual)
    yield from_pairs("int64", actual, predicted, effort)
    yield from_pairs("text", NAMES[actual], NAMES[predicted], effort)
    table = random_table(rng, 100)
    yield whole_catalog(table, effort)
    yield catalog_from_pairs(table, effort)
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
    rows = [
        row for name, row in report.items() if name not in {"accuracy", "macro avg", "weighted avg"}
    ]
    return np.array([[row["precision"], row["recall"], row["f1-score"]] for row in rows]).round(9)


def report_of(table: Array, effort: Effort) -> Race:
    size = len(table)

    def ours() -> cm.Report:
        # A new matrix every time: what metrics read of one is kept for the next.
        return cm.report(cm.ConfusionMatrix(table))

    contestant = Contestant(OURS, 1, ours, main_scores(table), of_report)
    return contest(
        f"report K={size}", f"report of a matrix, K = {size:,}", [contestant], effort, seconds=2
    )


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
    return contest(
        f"report {kind}",
        f"count and report, 10⁶ {kind} pairs, 10 classes",
        contestants,
        effort,
        seconds=4,
    )


def accuracy_and_recalls(table: Array) -> Array:
    return np.array([table.trace() / table.sum(), *main_scores(table)[:, 1]]).round(9)


def of_metrics(values: dict[str, Any]) -> Array:
    return np.array([values["accuracy"], *values["recall"]]).round(9)


def of_pycm(found: Any) -> Array:
    return np.array([found.Overall_ACC, *(found.TPR[row] for row in found.classes)]).round(9)


def every(metrics: dict[str, Any], m: cm.ConfusionMatrix) -> dict[str, Any]:
    return {name: metric(m) for name, metric in metrics.items()}


def metrics_of_pycm() -> dict[str, Any]:
    """Every metric that a number of PyCM's constructor is; not all have a counterpart, words and intervals none."""
    from pycm.params import CLASS_PARAMS, OVERALL_PARAMS

    found = [cm.metrics.find(f"pycm:{key}") for key in (*CLASS_PARAMS, *OVERALL_PARAMS)]
    return {one.name: one for one in found if isinstance(one, cm.Metric)}


def whole_catalog(table: Array, effort: Effort) -> Race:
    """From a table to all numbers. PyCM computes its own in the constructor, but for 63 distances, told when asked."""
    from pycm import ConfusionMatrix

    metrics, common = dict(cm.catalog()), metrics_of_pycm()
    nested = {row: dict(enumerate(line)) for row, line in enumerate(table.tolist())}
    expected = accuracy_and_recalls(table)

    def ours(chosen: dict[str, Any]) -> dict[str, Any]:
        # A new matrix every time: what metrics read of one is kept for the next.
        return every(chosen, cm.ConfusionMatrix(table))

    keys = "its constructor: 134 keys, some of them words"
    contestants = [
        Contestant(
            OURS, 1, partial(ours, metrics), expected, of_metrics, note=f"{len(metrics)} metrics"
        ),
        Contestant(
            COMMON, 1, partial(ours, common), expected, of_metrics, note=f"{len(common)} metrics"
        ),
        Contestant("PyCM", 1, lambda: ConfusionMatrix(matrix=nested), expected, of_pycm, note=keys),
    ]
    return contest(
        "catalog", "every metric of the catalog, K = 100", contestants, effort, seconds=6
    )


def catalog_from_pairs(table: Array, effort: Effort) -> Race:
    """From pairs to all numbers, which is what most call PyCM's constructor for."""
    from pycm import ConfusionMatrix

    metrics = dict(cm.catalog())
    # About a million.
    table = table * (1 if effort.quick else 11)
    places = np.random.default_rng(0).permutation(np.repeat(np.arange(table.size), table.ravel()))
    actual, predicted = (side.tolist() for side in divmod(places, len(table)))
    expected = accuracy_and_recalls(table)

    def ours() -> dict[str, Any]:
        return every(metrics, cm.count(actual, predicted))

    def theirs() -> Any:
        return ConfusionMatrix(actual, predicted)

    contestants = [
        Contestant(OURS, 1, ours, expected, of_metrics, note=f"{len(metrics)} metrics"),
        Contestant("PyCM", 1, theirs, expected, of_pycm, note="its constructor"),
    ]
    title = f"count a list of {len(actual):,} pairs, and every metric of the catalog, K = 100"
    return contest("catalog of pairs", title, contestants, effort, seconds=6)


def stacked(tables: Array, effort: Effort) -> Race:
    stack = cm.Stack.from_array(tables)
    hits = np.einsum("gii->gi", tables)
    expected = (2 * hits / (tables.sum(axis=1) + tables.sum(axis=2))).mean(axis=1).round(9)
    call = partial(cm.f1, stack, average="macro")
    ours = Contestant(OURS, 1, call, expected, lambda values: np.asarray(values).round(9))
    return contest("stack", "macro F1 of 10,000 matrices, K = 10", [ours], effort, seconds=2)


if __name__ == "__main__":
    main(races)

"""The time of one call on a hundred pairs, which loops over folds or groups pay, and of one score of logarithms."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from benchmarks.peers import counts
from benchmarks.text_labels import NAMES

__all__ = ["races"]

PAIRS = 100
PLAIN = "plain NumPy"


def races(effort: Effort) -> Iterator[Race]:
    """One contest per kind of label and container."""
    rng = np.random.default_rng(0)
    actual = np.append(rng.integers(0, 10, PAIRS - 10), range(10))
    predicted = np.append(rng.integers(0, 10, PAIRS - 10), range(10))
    text = NAMES[actual], NAMES[predicted]
    yield race("int array", actual, predicted, np.arange(10), effort)
    yield race("int list", actual.tolist(), predicted.tolist(), np.arange(10), effort)
    yield race("<U array", *text, NAMES, effort)
    yield race("text list", text[0].tolist(), text[1].tolist(), NAMES, effort)
    for size in (10, 1000):
        counts_of_size = rng.poisson(3, (size, size)) + np.diag(rng.poisson(100, size))
        yield information_race("counts", counts_of_size, effort)
        yield information_race(
            "weights", counts_of_size * rng.uniform(0.5, 2, (size, size)), effort
        )


def race(title: str, actual: Any, predicted: Any, labels: NDArray[Any], effort: Effort) -> Race:
    expected = confusion_matrix(actual, predicted, labels=labels)
    known = cm.Labels(labels.tolist())

    def one(name: str, call: Any, table: Any = np.asarray) -> Contestant:
        return Contestant(name, PAIRS, call, expected, table)

    return contest(
        f"100 {title}",
        f"one call on 100 pairs, {title}",
        [
            one(OURS, partial(cm.count, actual, predicted), counts),
            one(
                "confmat, Labels given", partial(cm.count, actual, predicted, labels=known), counts
            ),
            one("scikit-learn", partial(confusion_matrix, actual, predicted)),
            one(
                "scikit-learn, labels given",
                partial(confusion_matrix, actual, predicted, labels=labels),
            ),
        ],
        effort,
        seconds=4,
    )


def information_race(kind: str, table: NDArray[Any], effort: Effort) -> Race:
    """Mutual information of a matrix that was asked nothing before, beside its formula in NumPy."""
    matrices: deque[cm.ConfusionMatrix] = deque(maxlen=1)
    nats = np.round(information_in_numpy(table), 10)
    return contest(
        f"information {kind} K={len(table)}",
        f"mutual information of {kind}, K = {len(table)}",
        [
            Contestant(
                OURS,
                1,
                lambda: cm.metrics.mutual_information_nats(matrices[-1]),
                nats,
                partial(np.round, decimals=10),
                lambda: matrices.append(cm.ConfusionMatrix(table)),
            ),
            Contestant(
                PLAIN, 1, partial(information_in_numpy, table), nats, partial(np.round, decimals=10)
            ),
        ],
        effort,
        seconds=4,
    )


def information_in_numpy(table: NDArray[Any]) -> Any:
    """Return the information in nats."""
    shares = table / table.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    filled = shares > 0
    return (shares[filled] * np.log(shares[filled] / expected[filled])).sum()


if __name__ == "__main__":
    main(races)

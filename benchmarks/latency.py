"""How long does one call take on a hundred pairs? It is what a loop over folds, thresholds or groups pays."""

from __future__ import annotations

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
            one("confmat, Labels given", partial(cm.count, actual, predicted, labels=known), counts),
            one("scikit-learn", partial(confusion_matrix, actual, predicted)),
            one("scikit-learn, labels given", partial(confusion_matrix, actual, predicted, labels=labels)),
        ],
        effort,
        seconds=4,
    )


if __name__ == "__main__":
    main(races)

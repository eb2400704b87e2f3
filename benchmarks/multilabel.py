"""Several labels an item: how long the matrices of every label take, of tables of zeros and ones and of sets.

Each contestant's tables are asserted against sums written out by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["races"]

ITEMS = 1_000_000
LABELS = 20

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Tables of three types, and sets of names."""
    items = effort.pick(ITEMS, ITEMS // 10)
    rng = np.random.default_rng(0)
    actual = rng.random((items, LABELS)) < 0.15
    predicted = np.where(rng.random(actual.shape) < 0.1, ~actual, actual)
    for dtype in ("int64", "uint8", "bool"):
        yield of_tables(actual.astype(dtype), predicted.astype(dtype), effort)
    yield of_sets(actual[: items // 5], predicted[: items // 5], effort)


def by_hand(actual: Array, predicted: Array) -> Array:
    true, said = actual.astype(bool), predicted.astype(bool)
    cells = [(a & p).sum(axis=0) for a in (~true, true) for p in (~said, said)]
    return np.stack(cells, axis=1).reshape(-1, 2, 2)


def of_stack(stack: cm.Stack) -> Array:
    return stack.counts


def of_tables(actual: Array, predicted: Array, effort: Effort) -> Race:
    from sklearn.metrics import multilabel_confusion_matrix as theirs

    expected, n = by_hand(actual, predicted), len(actual)
    contestants = [
        Contestant(OURS, n, partial(cm.count_multilabel, actual, predicted), expected, of_stack),
        Contestant("scikit-learn", n, partial(theirs, actual, predicted), expected),
    ]
    title = f"{n:,} items with {LABELS} labels, {actual.dtype} zeros and ones"
    return contest(f"multilabel {actual.dtype}", title, contestants, effort, 12)


def of_sets(actual: Array, predicted: Array, effort: Effort) -> Race:
    """Lists of sets, which scikit-learn first turns into tables."""
    from sklearn.metrics import multilabel_confusion_matrix
    from sklearn.preprocessing import MultiLabelBinarizer

    names = [f"label {place:02}" for place in range(LABELS)]
    true, said = (
        [{names[i] for i in np.flatnonzero(row)} for row in side] for side in (actual, predicted)
    )
    expected, n = by_hand(actual, predicted), len(actual)

    def theirs() -> Array:
        binarizer = MultiLabelBinarizer(classes=names)
        return np.asarray(
            multilabel_confusion_matrix(binarizer.fit_transform(true), binarizer.transform(said))
        )

    contestants = [
        Contestant(OURS, n, partial(cm.count_multilabel, true, said), expected, of_stack),
        Contestant("scikit-learn", n, theirs, expected),
    ]
    return contest("multilabel sets", f"{n:,} sets of {LABELS} names", contestants, effort, 10)


if __name__ == "__main__":
    main(races)

"""Groups: which patient or document each item with several labels is of; then these are what was drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.stack import Stack
from confmat.counting.groups import grouped_codes
from confmat.counting.planning import Policy
from confmat.intervals.clusters import check_clusters, variance_of_sum
from confmat.metrics.items import ItemLabels, many_of

__all__ = ["Groups"]

Array = NDArray[np.float64]
# Items times labels that are looked up together, and labels times labels.
_ITEMS_AT_ONCE, _LABELS_AT_ONCE = 2**22, 2**17


@dataclass(frozen=True, eq=False)
class Groups:
    """The cluster of each item, and the items of each cluster added up."""

    codes: NDArray[Any]
    stack: Stack

    @classmethod
    def of(cls, clusters: Any, items: Stack) -> Groups:
        """From a name for each item, in their order."""
        if many_of(items) is not None:
            msg = "some of these `items` stand for several, and `clusters` names one for each: count them one by one"
            raise InputError(msg)
        n = len(items)
        policy = Policy(None, missing="drop", other="error", positive=None, max_classes=n)
        codes, keys = grouped_codes(clusters, n, policy, n, "clusters")
        if (codes < 0).any():
            msg = f"`clusters` names that of every item, but {int((codes < 0).sum()):,} of {n:,} have none"
            raise InputError(msg)
        whole = _added(codes, len(keys), items.counts)
        squares = None if items._squares is None else _added(codes, len(keys), items._squares[:])
        total = whole.sum(axis=(1, 2))
        stack = Stack._of_table(whole, items.labels, tuple(keys), total, "cluster", squares, items.ungrouped)
        check_clusters(stack)
        return cls(codes, stack)

    @property
    def number(self) -> int:
        """How many clusters there are."""
        return len(self.stack)

    def of_labels(self, held: ItemLabels, labels: Sequence[int]) -> Iterator[Stack]:
        """The matrices of having each of some labels, cluster by cluster."""
        size, weights = len(held.labels), held.weights
        step = max(1, min(_ITEMS_AT_ONCE // len(self.codes), _LABELS_AT_ONCE // size))
        for begin in range(0, len(labels), step):
            some = labels[begin : begin + step]
            by = np.zeros((size, len(some)))
            by[some, np.arange(len(some))] = 1
            # Two for having it and one for getting it: the places in a table of two by two.
            places = np.concatenate([added for added, _, _ in held.added(0 * by, 2 * by, by)])
            for place in (places + 4.0 * self.codes[:, None]).astype(np.intp).T:
                whole = self._table(place, weights, self.stack.counts.dtype)
                squares = self.stack._squares
                if squares is not None and weights is not None:
                    squares = self._table(place, np.square(weights, dtype=np.float64), squares[:].dtype)
                total = whole.sum(axis=(1, 2))
                rest = tuple(self.stack), total, "cluster", squares, self.stack.ungrouped
                yield Stack._of_table(whole, self.stack.labels, *rest)

    def _table(self, place: NDArray[np.intp], weights: Any, kind: Any) -> NDArray[Any]:
        return np.bincount(place, weights, 4 * self.number).astype(kind).reshape(-1, 2, 2)

    def variances(self, parts: Iterable[Array], size: int) -> Array:
        """The variance of each of several sums of what the items add, some items at a time."""
        sums, begin = np.zeros((self.number, size)), 0
        for added in parts:
            np.add.at(sums, self.codes[begin : begin + len(added)], added)
            begin += len(added)
        return np.array([variance_of_sum(each) for each in sums.T])


def _added(codes: NDArray[Any], number: int, table: NDArray[Any]) -> NDArray[Any]:
    found = np.zeros((number, *table.shape[1:]), table.dtype)
    np.add.at(found, codes, table)
    return found

"""From counted pairs of texts to a matrix for each label, where a text holds several labels."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from confmat.engines.queries import Asked, Counted
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.multilabel import count_multilabel
from confmat.stack import Stack

__all__ = ["labelled"]


def labelled(
    found: Counted, asked: Asked, sep: str, *, na_values: Collection[str] = (), **options: Any
) -> ConfusionMatrix | Stack:
    """What `count_multilabel` gives of the rows behind these pairs; an empty field is an item without labels."""
    if asked.by is not None:
        msg = "several labels an item make a stack of labels, and groups one of groups; leave `by` out"
        raise InputError(msg)
    absent = frozenset(na_values)
    sides = [
        [None if name in absent else "" if name is None else str(name) for name in side]
        for side in (found.actual, found.predicted)
    ]

    def counted(weights: Any) -> Any:
        return count_multilabel(*sides, sep=sep, weights=weights, **options)

    m = counted(found.many if found.totals is None else found.totals)
    # The squares that come with sums of weights are those of the sums; the weights' own are summed like them.
    second = None if found.squares is None else counted(found.squares)
    if isinstance(m, ConfusionMatrix):
        return ConfusionMatrix._of(m.labels, m._counts, None if second is None else second._counts, m.dropped)
    squares = None if second is None else second.counts
    return Stack._of_table(m.counts, m.labels, tuple(m), m.total, m.axis, squares, m.ungrouped)

"""Itemwise: what is asked of items with several labels each: the mean over items, and how many are all right."""

from __future__ import annotations

from confmat.errors import InputError
from confmat.metrics.averages import Average, macro
from confmat.stack import Stack

__all__ = ["SAMPLES", "check_items", "exact_match"]

# Of cells with items in the place of classes: an item counts by its weight, and one without a true label is silent.
SAMPLES = Average("samples", "Samples", "Mean over the items.", macro.formula, macro.latex, weigh=lambda c: c.total)


def check_items(items: object) -> Stack:
    """Complain of anything but a stack with one matrix for each item."""
    if isinstance(items, Stack) and items.axis == "item" and items.n_classes == 2:
        return items
    what = f"a stack along {items.axis!r}" if isinstance(items, Stack) else type(items).__name__
    msg = f"wanted what count_multilabel(..., along='item') gives, got {what}"
    raise InputError(msg)


def exact_match(items: Stack) -> float:
    """The share of items whose labels are all right: subset accuracy, from a stack along "item".

    >>> from confmat import count_multilabel
    >>> exact_match(count_multilabel([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}], along="item"))
    0.5
    """
    total = check_items(items).total
    right = items.diagonal.sum(axis=1) == total
    return float(total[right].sum() / total.sum()) if total.any() else float("nan")

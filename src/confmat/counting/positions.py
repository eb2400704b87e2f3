"""Labels that are positions 0 to K-1, as tensors hold them: their names, and the options that belong to them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from confmat.core.building import as_names
from confmat.core.counts import fits_dense
from confmat.core.errors import Argument, BudgetError, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.options import is_integer, is_number, whole_number
from confmat.core.text import some


def labels_of_positions(
    num_classes: int | None, names: Iterable[Any] | None, positive: Any = None
) -> Labels:
    """The labels 0 to K-1, or the names given to them; a table of them must fit the dense budget.

    >>> labels_of_positions(None, ["cat", "hen"])
    Labels(['cat', 'hen'])
    """
    if names is None:
        if num_classes is None:
            msg = Message("give `num_classes=` or the names of the classes as {labels=}")
            raise InputError(msg)
        size = whole_number("num_classes", num_classes)
        _check_budget(size)
        return Labels(range(size), positive=positive)
    labels = Labels(names if isinstance(names, Labels) else as_names(names), positive=positive)
    if num_classes is not None and num_classes != labels.n_classes:
        msg = Message(
            "`num_classes` is {!r:.60}, and {labels} names {} classes",
            num_classes,
            labels.n_classes,
        )
        raise InputError(msg)
    if labels.outside:
        msg = Message(
            "{labels} must be classes, and {} stand outside of them", some(labels.outside)
        )
        raise LabelError(msg)
    if labels.kind == "int" and list(labels) != list(range(len(labels))):
        msg = Message(
            "{labels} names what 0, 1, 2, ... in the tensors mean, so the integers {} would be "
            "mistaken for "
            "labels of the tensors; give them as text",
            some(labels),
        )
        raise LabelError(msg)
    _check_budget(len(labels))
    return labels


def _check_budget(size: int) -> None:
    if not fits_dense(size):
        msg = (
            f"a table of {size:,} x {size:,} counts would take {size**2 * 8 / 1e9:,.1f} GB in "
            "every process; "
            "confmat.Tally keeps the cells that occur"
        )
        raise BudgetError(msg)


def threshold_of(value: Any, size: int) -> float | None:
    """The score from which on the second of two classes is the label, checked."""
    if value is None:
        return None
    if not is_number(value) or not math.isfinite(value):
        msg = Message("{threshold} must be a finite number, not {!r:.60}", value)
        raise InputError(msg)
    if size != 2:
        msg = Message("{threshold} divides two classes, and there are {}", size)
        raise InputError(msg)
    return float(value)


def whole_numbers(name: str, value: Any) -> tuple[int, ...]:
    """None, a whole number or several, each once and in order.

    >>> whole_numbers("ignore_index", [255, -1, 255])
    (-1, 255)
    """
    if value is None:
        return ()
    try:
        values = [value] if isinstance(value, (int, np.integer)) else list(value)
    except TypeError:
        values = [value]
    for each in values:
        if not is_integer(each):
            msg = Message(
                "{} must be a whole number or several, not {!r:.60}", Argument(name), value
            )
            raise InputError(msg)
    return tuple(sorted({int(each) for each in values}))

"""The labels that an average runs over, and their margins: `labels`, `pos_label` and `average` settled."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.errors import InputError
from confmat.sklearn._borrowing import InvalidParameterError, say_user
from confmat.sklearn._counting import Counted, Margins
from confmat.sklearn._indicator import Indicator
from confmat.sklearn._reading import Array

__all__ = ["labels_for", "margins_of", "selected", "shown"]


def labels_for(found: Counted | Indicator, average: str | None, labels: Any, pos_label: Any) -> Any:
    """The labels that were asked for; the positive one where the average is "binary"."""
    if average != "binary":
        if pos_label is not None and pos_label != 1:
            say_user(
                f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' (got {average!r}). "
                "You may use labels=[pos_label] to specify a single positive class."
            )
        return labels
    if found.type != "binary":
        others = [None, "micro", "macro", "weighted", *(["samples"] if isinstance(found, Indicator) else [])]
        msg = f"Target is {found.type} but average='binary'. Please choose another average setting, one of {others!r}."
        raise InputError(msg)
    if len(found.labels) >= 2 and not np.any(found.labels == pos_label):
        msg = f"pos_label={pos_label} is not a valid label. It should be one of {found.labels}"
        raise InputError(msg)
    return [pos_label]


def selected(margins: Margins, places: Array | None) -> Margins:
    """The margins of some labels; -1 stands for a label that never occurs."""
    if places is None:
        return margins
    parts = []
    for part in (margins.right, margins.predicted, margins.true):
        taken = part[places] if len(part) else np.zeros(len(places), part.dtype)
        if (places < 0).any():
            taken = np.where(places < 0, taken.dtype.type(0), taken)
        parts.append(taken)
    return Margins(*parts)


def margins_of(found: Counted | Indicator, labels: Any, *, samplewise: bool = False) -> Margins:
    """Right, predicted and true per label (or per sample), for the labels that were asked for."""
    if isinstance(found, Indicator):
        margins = found.margins(_columns(found, labels), samplewise=samplewise)
        if found.weights is None or samplewise:
            return margins
        # One type for all, as in one array: that of the weights where nothing else decides.
        dtype = np.result_type(found.weights.sum(), margins.right, margins.predicted, margins.true)
        return Margins(*(part.astype(dtype) for part in (margins.right, margins.predicted, margins.true)))
    if samplewise:
        msg = "Samplewise metrics are not available outside of multilabel classification."
        raise InputError(msg)
    margins = found.margins()
    if found.weights is not None or not margins.right.any():
        # Sums of weights are floats; and so is everything where nothing was right.
        margins = Margins(*(part.astype(np.float64) for part in (margins.right, margins.predicted, margins.true)))
    return selected(margins, None if labels is None else _places(found.labels, labels))


def _places(present: Array, labels: Any) -> Array:
    """Where each label stands among those present, -1 for nowhere; arrays decide what is equal."""
    wanted = np.asarray(labels)
    if not len(wanted):
        return np.zeros(0, np.int64)
    if wanted.dtype.kind == "O" and not all(isinstance(name, str) for name in wanted.tolist()):
        msg = f"labels must be text or numbers, not {shown(wanted.tolist())}"
        raise InvalidParameterError(msg)
    if "U" in {wanted.dtype.kind, present.dtype.kind}:
        # An array that takes numbers to text holds both as text.
        wanted, present = wanted.astype(str), present.astype(str)
    index = {name: i for i, name in enumerate(present.tolist())}
    return np.array([index.get(name, -1) for name in wanted.tolist()])


def _columns(found: Indicator, labels: Any) -> Array | None:
    if labels is None:
        return None
    columns, last = np.asarray(labels), len(found.labels) - 1
    columns = columns if len(columns) else columns.astype(np.int64)
    if len(columns) and columns.max() > last:
        msg = f"All labels must be in [0, n labels) for multilabel targets. Got {columns.max()} > {last}"
        raise InputError(msg)
    if len(columns) and columns.min() < 0:
        msg = f"All labels must be in [0, n labels) for multilabel targets. Got {columns.min()} < 0"
        raise InputError(msg)
    return columns


def shown(names: list[Any], most: int = 5) -> str:
    """Some names for a message."""
    text = ", ".join(f"{name!r:.60}" for name in names[:most])
    return text if len(names) <= most else f"{text} and {len(names) - most} more"

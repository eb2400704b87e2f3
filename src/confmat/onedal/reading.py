"""Tables of labels on their way in: one column of numbers a side, checked, then counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting import count
from confmat.errors import InputError, LabelError
from confmat.matrix import ConfusionMatrix
from confmat.onedal.ids import InputId, groundTruthLabels, known, predictedLabels

__all__ = ["Input", "class_numbers", "counted", "signs", "whole"]


class Input:
    """The two columns of labels, each set by its id."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[InputId, Any] = {}

    def set(self, id: InputId | str, table: Any) -> None:
        """Set the labels of one side: n values, or a table of n rows and one column."""
        self._tables[known(InputId, id, "input")] = table

    def get(self, id: InputId | str) -> Any:
        """What was set, or None."""
        return self._tables.get(known(InputId, id, "input"))


def counted(labels: Input, classes: int, codes: Callable[[NDArray[Any], str], NDArray[Any]]) -> ConfusionMatrix:
    """The counted labels of both sides, once each is a column of codes."""
    sides = []
    for side in (groundTruthLabels, predictedLabels):
        table = labels.get(side)
        if table is None:
            msg = f"{side.name} was not set; call input.set({side.name}, labels) before compute()"
            raise InputError(msg)
        sides.append(codes(_column(table, side.name), side.name))
    actual, predicted = sides
    if len(actual) != len(predicted):
        msg = (
            f"groundTruthLabels and predictedLabels must be equally long; "
            f"got {len(actual):,} and {len(predicted):,} labels"
        )
        raise InputError(msg)
    try:
        return count(actual, predicted, labels=range(classes))
    except LabelError as error:
        msg = f"labels must be 0 to {classes - 1} (nClasses = {classes}): {error}"
        raise LabelError(msg) from None


def _column(table: Any, name: str) -> NDArray[Any]:
    """The labels of one side as an array of numbers with one axis."""
    try:
        values = np.asarray(table)
    except (TypeError, ValueError, RuntimeError) as error:
        msg = f"{name} must be n numbers, or a table of n rows and one column: {error}"
        raise InputError(msg) from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        what = f"shape {values.shape}" if values.ndim != 1 else f"values of type {values.dtype}"
        msg = f"{name} must be n numbers, or a table of n rows and one column; got {what}"
        raise InputError(msg)
    if not len(values):
        msg = f"{name} is empty; at least one label is needed"
        raise InputError(msg)
    return values


def class_numbers(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Labels as integers. The library cuts 1.7 down to 1; here that is an error."""
    if values.dtype.kind != "f":
        return values.astype(np.uint8) if values.dtype.kind == "b" else values
    broken = values != np.floor(values)
    if broken.any():
        msg = f"{name} must be whole numbers; got {values[int(np.argmax(broken))]} at position {int(np.argmax(broken))}"
        raise LabelError(msg)
    return values


def signs(values: NDArray[Any], name: str) -> NDArray[Any]:
    """1 where a label is above zero, 0 elsewhere; the library takes NaN for a negative, here it is an error."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        msg = f"{name} must be numbers; got NaN at position {int(np.argmax(np.isnan(values)))}"
        raise LabelError(msg)
    return (values > 0).astype(np.uint8)


def whole(classes: Any) -> int:
    """The number of classes, at least two."""
    if isinstance(classes, bool) or not isinstance(classes, (int, np.integer)) or classes < 2:
        msg = f"nClasses must be a whole number of at least 2; got {classes!r}"
        raise InputError(msg)
    return int(classes)

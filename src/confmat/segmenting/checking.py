"""Numbers in label maps that nobody named: seen on the small table, and then looked for in the image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.errors import Argument, LabelError, Message
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.classes import IGNORED, STRANGER, Classes
from confmat.segmenting.maps import Pair, place_of
from confmat.segmenting.raw import Found
from confmat.segmenting.spans import Span

__all__ = ["Checker", "refuse", "wrong_pairs"]

Array = NDArray[Any]


class Checker:
    """Holds what was counted against the classes that were named."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._span: Span | None = None
        self._known: tuple[Any, Array] | None = None

    def check(self, found: Found | ConfusionMatrix, pair: Pair, counted: Array | None) -> None:
        """An error that names image and pixel if a pixel has a number that is neither a class nor ignored.

        `counted` marks the pixels that count, if not all do.
        """
        if self._classes.labels is None or self._all_known(found):
            return
        refuse(self._classes, pair, counted)

    def _all_known(self, found: Found | ConfusionMatrix) -> bool:
        if isinstance(found, ConfusionMatrix):
            rows, cols, _ = found._counts.cells()
            codes = self._classes.codes(found.labels.classes)
            return not wrong_pairs(codes[rows], codes[cols]).any()
        span, table, _ = found
        if span != self._span or self._known is None:
            rows = self._classes.codes(span.row_numbers())
            cols = self._classes.codes(span.col_numbers())
            self._known = np.ix_(rows >= 0, cols != STRANGER), rows == IGNORED
            self._span = span
        known, ignored = self._known
        return int(table[known].sum() + table[ignored].sum()) == int(table.sum())


def refuse(classes: Classes, pair: Pair, counted: Array | None = None) -> None:
    """Say where the first pixel is whose number is neither a class nor ignored."""
    sides = []
    for array in (pair.actual, pair.predicted):
        numbers, places = np.unique(array, return_inverse=True)
        sides.append(classes.codes(numbers.tolist())[places].reshape(array.shape))
    rows, cols = sides
    wrong = wrong_pairs(rows, cols)
    if counted is not None:
        wrong &= counted
    first = int(np.argmax(wrong.reshape(-1)))
    name, array = ("actual", pair.actual) if rows.reshape(-1)[first] == STRANGER else ("predicted", pair.predicted)
    value = int(array.reshape(-1)[first])
    msg = Message(
        "{} is {} in {}, which is neither a class of {labels} ({}) nor ignored; name it in {labels}, or "
        "leave such pixels of the truth out by `ignore={}`",
        Argument(name),
        value,
        place_of(pair, first),
        classes.told(),
        value,
    )
    raise LabelError(msg)


def wrong_pairs(rows: Array, cols: Array) -> Array:
    """Which pairs of codes have a stranger that counts: in the truth, or beside what is not ignored in it."""
    return (rows == STRANGER) | ((rows != IGNORED) & (cols == STRANGER))

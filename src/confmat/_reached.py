"""What each threshold reaches: two-by-two matrices that part the same items, kept as one row of numbers a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._counts import frozen

__all__ = ["Reached"]

Array = NDArray[Any]


class Reached:
    """Matrices (2, 2) that part the same items at one place after another.

    `above` has, for each actual class, what is answered with the class at `place`, (2, G): counts of 32 or 64 bits, or
    sums of weights. `rest` is what there is in all, (2,), and the other answers have what is missing to it; or it is
    what they have, (2, G), where differences of rounded sums would leave a trace of nothing. Indexed, this gives what
    the array (G, 2, 2) of int64 or float64 would.

    >>> kept = Reached(np.array([[0, 1, 2], [0, 2, 2]], np.int32), np.array([2, 3]), 1)
    >>> kept[1], len(kept)
    (array([[1, 1],
           [1, 2]]), 3)
    """

    __slots__ = ("_whole", "above", "place", "rest")

    def __init__(self, above: Array, rest: Array, place: int) -> None:
        self.above, self.rest, self.place = frozen(above), frozen(rest), place
        self._whole: Array | None = None

    def __len__(self) -> int:
        return self.above.shape[1]

    def __getitem__(self, places: Any) -> Array:
        above, below = self._columns(places)
        table = np.empty((*above.shape[1:], 2, 2), above.dtype)
        table[..., self.place] = np.moveaxis(above, 0, -1)
        table[..., 1 - self.place] = np.moveaxis(below, 0, -1)
        return table

    def _columns(self, places: Any) -> tuple[Array, Array]:
        """By actual class, what reaches some thresholds and what does not."""
        above = self.above[:, places]
        above = above.astype(np.float64 if above.dtype.kind == "f" else np.int64, copy=False)
        rest = self.rest.reshape(2, *[1] * (above.ndim - 1)) - above if self.rest.ndim == 1 else self.rest[:, places]
        return above, rest

    def whole(self) -> Array:
        """All matrices as one array, closed to writing; made when first asked for."""
        if self._whole is None:
            self._whole = frozen(self[:])
        return self._whole

    def all_of(self, actual: int) -> Any:
        """What there is of a class: one number, or one for each matrix."""
        return self.rest[actual] if self.rest.ndim == 1 else self.above[actual] + self.rest[actual]

    def totals(self) -> Array:
        """The sum of each matrix, in the order of its cells, as the matrix itself has it."""
        if self.rest.ndim == 1:
            return np.broadcast_to(self.rest.sum(), (len(self),))
        left, right = (self.rest, self.above) if self.place else (self.above, self.rest)
        return left[0] + right[0] + left[1] + right[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Reached, (np.array(self.above), np.array(self.rest), self.place))

"""What each threshold reaches: two-by-two matrices that part the same items, kept as one row of numbers a class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._counts import frozen

__all__ = ["Reached"]

Array = NDArray[Any]


class Reached:
    """Matrices (2, 2) whose rows add up to the same everywhere, a quarter as large as the array of them.

    `above` has, for each actual class, how many items are answered with the class at `place`, (2, G) of 32 or 64 bits;
    `totals` how many there are. Indexed, it gives what the array (G, 2, 2) of 64 bits would.

    >>> kept = Reached(np.array([[0, 1, 2], [0, 2, 2]], np.int32), np.array([2, 3]), 1)
    >>> kept[1], len(kept)
    (array([[1, 1],
           [1, 2]]), 3)
    """

    __slots__ = ("_whole", "above", "place", "totals")

    def __init__(self, above: Array, totals: NDArray[np.int64], place: int) -> None:
        self.above, self.totals, self.place = frozen(above), frozen(totals), place
        self._whole: Array | None = None

    def __len__(self) -> int:
        return self.above.shape[1]

    def __getitem__(self, places: Any) -> Array:
        above = self.above[:, places].astype(np.int64)
        table = np.empty((*above.shape[1:], 2, 2), np.int64)
        table[..., self.place] = np.moveaxis(above, 0, -1)
        table[..., 1 - self.place] = self.totals - table[..., self.place]
        return table

    def whole(self) -> Array:
        """All matrices as one array, closed to writing; made when first asked for."""
        if self._whole is None:
            self._whole = frozen(self[:])
        return self._whole

    def __reduce__(self) -> tuple[Any, ...]:
        return (Reached, (np.array(self.above), np.array(self.totals), self.place))

"""Keys of a stack without an object for each: numbers in descending order, such as thresholds; and where keys are."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.errors import InputError

# Along these, each matrix holds all items.
_WHOLE = frozenset({"threshold", "iou", "confidence"})

# The most keys that become Python objects at a time.
_CHUNK = 2**16


class Descending(Sequence[float]):
    """Distinct floats, the largest first; equal to the tuple of them.

    >>> keys = Descending(np.array([np.inf, 0.75, 0.5]))
    >>> keys == (np.inf, 0.75, 0.5), list(keys[1:]), 0.6 in keys
    (True, [0.75, 0.5], False)
    """

    __slots__ = ("values",)

    def __init__(self, values: NDArray[np.float64]) -> None:
        """Take over numbers that are in order."""
        self.values = frozen(values)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        for begin in range(0, len(self.values), _CHUNK):
            yield from self.values[begin : begin + _CHUNK].tolist()

    @overload
    def __getitem__(self, position: int) -> float: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[float, ...]: ...
    def __getitem__(self, position: int | slice) -> Any:
        keys = self.values[position]
        return tuple(keys.tolist()) if isinstance(position, slice) else keys.item()

    def __eq__(self, other: object) -> bool:
        return (
            tuple(self) == tuple(other)
            if isinstance(other, (Descending, tuple))
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Descending, (np.array(self.values),))


class Places:
    """Where each key is: found by halving, or the key itself."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Descending | range) -> None:
        self._keys = keys.values if isinstance(keys, Descending) else keys

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, key: object) -> bool:
        return self._find(key) is not None

    def __getitem__(self, key: Any) -> int:
        place = self._find(key)
        if place is None:
            raise KeyError(key)
        return place

    def _find(self, key: Any) -> int | None:
        if not isinstance(key, numbers.Real):
            return None
        if isinstance(self._keys, range):
            return int(float(key)) if key in self._keys else None
        place = len(self._keys) - int(np.searchsorted(self._keys[::-1], float(key), side="right"))
        return place if place < len(self._keys) and self._keys[place] == key else None


def check_addable(axis: str, first: Sequence[Any], second: Sequence[Any]) -> None:
    """Refuse to add stacks whose keys do not say which matrices belong together; also of those that were stored."""
    if any(
        isinstance(x, range) or (axis == "item" and x == tuple(range(len(x))))
        for x in (first, second)
    ):
        msg = "items of two stacks have nothing in common but their places; add what was counted along 'label'"
        raise InputError(msg)
    whole = (
        axis.rpartition(", ")[2] in _WHOLE
        or isinstance(first, Descending)
        or isinstance(second, Descending)
    )
    if whole and set(first) != set(second):
        advice = (
            "take the same"
            if not axis.endswith("threshold")
            else "state the same `thresholds` for both"
        )
        msg = (
            f"these stacks have other keys along {axis!r}, where each matrix holds all items, so "
            "their sum would lack "
            f"some; {advice}"
        )
        raise InputError(msg)

"""Keys of a stack that are numbers in descending order, such as ten million thresholds, without an object for each."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from confmat._counts import frozen

__all__ = ["Descending", "Places"]

# So many become Python objects at a time.
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
        found = self.values[position]
        return tuple(found.tolist()) if isinstance(position, slice) else found.item()

    def __contains__(self, key: object) -> bool:
        return key in Places(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Descending):
            return np.array_equal(self.values, other.values)
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Descending, (np.array(self.values),))


class Places:
    """Where each key stands, found by halving."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Descending) -> None:
        self._keys = keys.values

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
        place = len(self._keys) - int(np.searchsorted(self._keys[::-1], float(key), side="right"))
        return place if place < len(self._keys) and self._keys[place] == key else None

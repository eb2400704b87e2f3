"""What values have in common that never change: nothing of them can be set or deleted."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["Guarded", "Immutable"]


class Immutable:
    """A value; whoever makes one fills it with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"{type(self).__name__} is immutable; make another instead of setting {name!r}"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"{type(self).__name__} is immutable; {name!r} cannot be deleted"
        raise AttributeError(msg)


class Guarded:
    """A lock of its own, which copies and pickles make anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

"""Guarded: what several threads may fill at once, and what is pickled without the lock that guards it."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["Guarded"]


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

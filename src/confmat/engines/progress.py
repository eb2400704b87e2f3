"""How far a count has come: what whoever waits for it is told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Clock", "Progress", "Told"]


@dataclass(frozen=True, slots=True)
class Progress:
    """The share that is done (None where nobody knows), the rows counted so far if known, and the seconds taken."""

    share: float | None
    rows: int | None
    seconds: float

    @property
    def remaining(self) -> float | None:
        """Seconds left, if it goes on like this."""
        return None if not self.share else self.seconds * (1 - self.share) / self.share


Told = Callable[[Progress], object]


class Clock:
    """Tells of progress now and then; without a listener it does nothing."""

    def __init__(self, told: Told | None, every: float = 0.2) -> None:
        self.told = told
        self._every = every
        self._begin = self._last = time.monotonic()

    def tell(self, share: float | None, rows: int | None) -> None:
        """Tell, unless it has just been told."""
        now = time.monotonic()
        if self.told is not None and now - self._last >= self._every:
            self._last = now
            self.told(Progress(share, rows, now - self._begin))

"""Threads that count parts of files into one tally, and progress, reported from the caller's own thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from confmat.counting.tables import cores
from confmat.counting.tally import Tally
from confmat.io.gathering import Gathered

# More readers than this would wait for one disk.
MAX_THREADS = 16
# With more classes, adding up the tables of the parts would take longer than one group-by over everything.
MAX_SHARED_CLASSES = 1000

Part = TypeVar("Part")


class Team(Generic[Part]):
    """Gives parts to threads, each of which counts one and adds it to the tally.

    Whatever goes wrong in one of them ends the work: `run` then says False, and another road, which knows how to
    say it, is taken from the beginning.
    """

    def __init__(self, parts: Iterator[Part], work: Callable[[Part], None], threads: int | None) -> None:
        self._parts, self._work = parts, work
        self._many = max(1, min(threads or cores(), MAX_THREADS))
        self._lock = threading.Lock()
        self._failed = False
        self.stop = threading.Event()
        self.tally = Tally(missing="collect", threads=1)

    @property
    def has_many(self) -> bool:
        """Whether there are more classes than the tables of parts are made for."""
        return self.tally.matrix().n_classes > MAX_SHARED_CLASSES

    def run(self, tell: Callable[[], object]) -> bool:
        """Count all parts; whether that went well."""
        waiting = [threading.Event() for _ in range(self._many)]
        for done in waiting:
            threading.Thread(target=self._member, args=(done,), name="confmat-reader", daemon=True).start()
        try:
            for done in waiting:
                # Not join(): until Python 3.13, Ctrl-C in a join makes a thread look as if it had ended.
                while not done.wait(0.1):
                    tell()
        except BaseException:
            self.stop.set()
            for done in waiting:
                done.wait()
            raise
        return not self._failed

    def add_to(self, gathered: Gathered) -> None:
        """Add what was counted."""
        if self.tally.total:
            gathered.add_matrix(self.tally.matrix())

    def _member(self, done: threading.Event) -> None:
        try:
            while not self.stop.is_set() and (part := self._next()) is not None:
                self._work(part)
        except BaseException:  # noqa: BLE001 - another road will meet it, and say it better
            self._failed = True
            self.stop.set()
        finally:
            done.set()

    def _next(self) -> Any:
        with self._lock:
            return next(self._parts, None)


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
        # Where the work at hand begins in the whole, and its share of it.
        self.part = 0.0, 1.0

    def tell(self, share: float | None, rows: int | None) -> None:
        """Report progress, unless that was done a moment ago."""
        now = time.monotonic()
        if self.told is not None and now - self._last >= self._every:
            self._last = now
            if self.part != (0.0, 1.0):
                share, rows = self.part[0] + self.part[1] * (share or 0.0), None
            self.told(Progress(share, rows, now - self._begin))

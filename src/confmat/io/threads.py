"""Threads that work on parts of files, and progress, reported from the caller's own thread."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

from confmat.core.processors import cores

# More readers than this would wait for one disk.
MAX_THREADS = 16

Part = TypeVar("Part")
Done = TypeVar("Done")


def in_order(
    work: Callable[[Part], Done], parts: Iterable[Part], threads: int | None
) -> Iterator[Done]:
    """The result of each part, in their order; several threads work on those that come next."""
    parts, many = iter(parts), min(threads or cores(), MAX_THREADS)
    first = list(islice(parts, 1 if many == 1 else 2))
    if len(first) < 2:
        yield from map(work, chain(first, parts))
        return
    from concurrent.futures import Future, ThreadPoolExecutor  # a single part does without

    waiting: deque[Future[Done]] = deque()
    pool = ThreadPoolExecutor(many, "confmat-reader")
    try:
        for part in chain(first, parts):
            waiting.append(pool.submit(work, part))
            if len(waiting) > many:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


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

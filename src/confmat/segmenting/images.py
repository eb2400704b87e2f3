"""One pass over the images of both sides: each is counted by itself, several at a time, and added where it belongs."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat._counts import DENSE_BYTES
from confmat.counting.pairing import THREADS_FROM, workers
from confmat.errors import BudgetError, InputError, Message
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.bands import band
from confmat.segmenting.checking import Checker
from confmat.segmenting.classes import Classes, discovered, placed
from confmat.segmenting.maps import Pair
from confmat.segmenting.raw import Found, RawCounter, RawSum
from confmat.stack import Stack

__all__ = ["Counted", "Images"]

Array = NDArray[Any]

# Cells of all matrices of a stack; 24 bytes each.
MOST_CELLS = 2**25
# Images from this many pixels are worth handing to another thread, and from so many are worth all of them.
SMALL, LARGE = 2**17, 2**22
# Bytes of images that are read before the first of them has been counted, so that nobody waits for who reads.
HELD = 2**27


class Counted(NamedTuple):
    """What was counted of an image: its table, which pixels were, if not all, and how many were not."""

    found: Found | ConfusionMatrix | None
    near: NDArray[np.bool_] | None = None
    beyond: int = 0


class Images:
    """Counts images and puts together what was counted."""

    def __init__(self, classes: Classes, boundary: int | None, threads: int | None) -> None:
        self._classes, self._boundary = classes, boundary
        self._threads = workers(threads, THREADS_FROM)
        self._counter = RawCounter(classes.code_of, classes.ignored)
        self._checker = Checker(classes)
        self._is_bool = True

    def matrix(self, pairs: Iterable[Pair]) -> ConfusionMatrix:
        """All images together."""
        total = RawSum()
        with closing(self._in_order((None, pair) for pair in pairs)) as images:
            for _, pair, counted in images:
                self._add(pair, counted, total)
        return self._placed({None: total})[None]

    def stack(self, pairs: Iterable[tuple[Hashable, Pair]], axis: str) -> Stack:
        """A matrix for each key."""
        sums: dict[Hashable, RawSum] = {}
        cells = 0
        with closing(self._in_order(pairs)) as images:
            for key, pair, counted in images:
                if axis == "image" and key in sums:
                    msg = Message("two images have the name {!r:.80}; {by} adds up those of one name", key)
                    raise InputError(msg)
                total = sums.setdefault(key, RawSum())
                self._add(pair, counted, total)
                cells += total.fold()
                if cells > MOST_CELLS:
                    msg = f"the matrices of {len(sums):,} {axis}s have more than {MOST_CELLS:,} cells; give fewer"
                    raise BudgetError(msg)
        if not sums:
            msg = "there are no images, hence no stack"
            raise InputError(msg)
        return Stack(self._placed(sums), axis=axis)

    def _add(self, pair: Pair, counted: Counted, total: RawSum) -> None:
        self._is_bool &= pair.actual.dtype == pair.predicted.dtype == bool
        total.missing += counted.beyond
        if counted.found is not None:
            self._checker.check(counted.found, pair, counted.near)
            total.add(counted.found)

    def _placed(self, sums: dict[Any, RawSum]) -> dict[Any, ConfusionMatrix]:
        raws = {key: total.matrix() for key, total in sums.items()}
        classes = self._classes
        if classes.labels is None:
            found = [raw for raw in raws.values() if raw is not None]
            classes = discovered(found, classes.ignored, is_bool=self._is_bool and bool(found))
        assert classes.labels is not None
        # Of many images with many classes only the cells that occur are kept.
        sparse = None if len(raws) * (len(classes.labels) + 1) ** 2 * 8 <= DENSE_BYTES else True
        return {key: placed(raw, classes, sums[key].missing, sparse=sparse) for key, raw in raws.items()}

    # ---- counting ------------------------------------------------------------------------------------------

    def _in_order(self, pairs: Iterable[tuple[Any, Pair]]) -> Generator[tuple[Any, Pair, Counted], None, None]:
        """Each image with what was counted of it; a few are counted at a time."""
        waiting: deque[tuple[Any, Pair, Future[Counted]]] = deque()
        held = 0
        pool = ThreadPoolExecutor(self._threads, "confmat")
        try:
            for key, pair in pairs:
                waiting.append((key, pair, self._started(pair, pool)))
                held += _bytes(pair)
                while waiting and (waiting[0][2].done() or (held > HELD and len(waiting) > self._threads)):
                    held -= _bytes(waiting[0][1])
                    yield _ended(*waiting.popleft())
            while waiting:
                yield _ended(*waiting.popleft())
        finally:
            # Where one image is refused, the others need not be counted.
            pool.shutdown(cancel_futures=True)

    def _started(self, pair: Pair, pool: ThreadPoolExecutor) -> Future[Counted]:
        if self._threads > 1 and not pair.together and SMALL <= pair.actual.size < LARGE:
            return pool.submit(self._counted, pair, 1)
        now: Future[Counted] = Future()
        now.set_result(self._counted(pair, self._threads))
        return now

    def _counted(self, pair: Pair, threads: int) -> Counted:
        """Count the pixels of one image."""
        actual, predicted, near, beyond = pair.actual.reshape(-1), pair.predicted.reshape(-1), None, 0
        if self._boundary is not None:
            near = band(pair.actual, self._boundary)
            flat = near.reshape(-1)
            actual, predicted = actual[flat], predicted[flat]
            beyond = len(flat) - len(actual)
        found = self._counter.count(actual, predicted, threads) if len(actual) else None
        return Counted(found, near, beyond)


def _bytes(pair: Pair) -> int:
    return pair.actual.nbytes + pair.predicted.nbytes


def _ended(key: Any, pair: Pair, counted: Future[Counted]) -> tuple[Any, Pair, Counted]:
    return key, pair, counted.result()

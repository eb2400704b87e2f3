"""Nearness: the name that an answer misspells, by the share of characters that need no edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.answers.spelling import SEVERAL

__all__ = ["Nearest", "edits"]

Array = NDArray[Any]

# An answer of up to so many characters is one machine word, and compared with all names of up to so many at once.
_WORD, _WIDEST = 64, 128


def edits(a: str, b: str, most: int) -> int | None:
    """How many characters to add, drop, replace or swap with their neighbour, to get one text from the other.

    No part of a text is edited twice (optimal string alignment). None where it takes more than `most`. Differences
    between neighbouring cells of the table are kept as bits of one number, a column at a time (Hyyrö, A bit-vector
    algorithm for computing Levenshtein and Damerau edit distances, 2003).

    >>> edits("positive", "postive", 2), edits("form", "from", 2), edits("cat", "house", 2)
    (1, 1, None)
    """
    if abs(len(a) - len(b)) > most:
        return None
    a, b = _without_ends(a, b)
    if not a or not b:
        return len(a) + len(b)
    everything, top = (1 << len(a)) - 1, 1 << (len(a) - 1)
    places = dict.fromkeys(a, 0)
    for place, char in enumerate(a):
        places[char] |= 1 << place
    more, less, equal, last, found = everything, 0, 0, 0, len(a)
    for left, char in zip(range(len(b) - 1, -1, -1), b, strict=True):
        here = places.get(char, 0)
        swapped = ((~equal & here) << 1) & last
        equal = ((((here & more) + more) ^ more) | here | less | swapped) & everything
        right, wrong = less | (~(equal | more) & everything), equal & more
        found += bool(right & top) - bool(wrong & top)
        # Each character that is left takes off one at best.
        if found - left > most:
            return None
        right, wrong = ((right << 1) | 1) & everything, (wrong << 1) & everything
        more, less, last = wrong | (~(equal | right) & everything), right & equal, here
    return found if found <= most else None


def _without_ends(a: str, b: str) -> tuple[str, str]:
    """Both texts without what they begin and end alike with."""
    first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    a, b = a[first:], b[first:]
    last = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(reversed(a), reversed(b), strict=False)))
    return a[: len(a) - last], b[: len(b) - last]


class Nearest:
    """Names, and how near one must be: 1 - edits / length of the longer text.

    >>> nearest = Nearest([("positive", 1), ("negative", 0)], 0.8)
    >>> nearest.find("postive"), nearest.find("neutral")
    (1, None)
    """

    def __init__(self, names: Iterable[tuple[str, Any]], least: float) -> None:
        self.least = least
        self._names = sorted(names, key=lambda pair: -len(pair[0]))
        self._sizes = np.array([len(name) for name, _ in self._names], np.int64)
        # Those that are compared all at once.
        self._first = int(np.searchsorted(-self._sizes, -_WIDEST))
        self._block = _Block([name for name, _ in self._names[self._first :]])

    def find(self, form: str) -> Any:
        """The meaning of the nearest name that is near enough; SEVERAL where two that differ are equally near."""
        best, found = 1.0, set[Any]()
        for place, share in self._near(form):
            if share < best or not found:
                best, found = share, {self._names[place][1]}
            elif share == best:
                found.add(self._names[place][1])
        return None if not found else SEVERAL if len(found) > 1 else found.pop()

    def _near(self, form: str) -> Iterator[tuple[int, float]]:
        """Names that are near enough, and their edits as a share of the longer text."""
        # Those whose length alone is not too different.
        shortest, longest = int(self.least * len(form)), int(min(len(form) / self.least, 1e9)) + 1
        begin, end = np.searchsorted(-self._sizes, [-longest, -shortest + 1])
        split = max(int(begin), min(int(end), self._first)) if 0 < len(form) <= _WORD else int(end)
        for place in range(int(begin), split):
            longer = max(len(form), len(self._names[place][0]))
            many = edits(form, self._names[place][0], self._most(longer))
            if many is not None:
                yield place, many / longer
        if split < end:
            many_each = self._block.edits(form, split - self._first, int(end) - self._first)
            longer_each = np.maximum(self._sizes[split:end], len(form))
            near = np.flatnonzero(many_each <= (1 - self.least) * longer_each + 1e-9)
            yield from zip((near + split).tolist(), (many_each[near] / longer_each[near]).tolist(), strict=True)

    def _most(self, longer: int) -> int:
        # Rounded up, since 0.8 of 5 characters is 4 of them.
        return int((1 - self.least) * longer + 1e-9)


class _Block:
    """Names side by side, the longest first; one step of `edits` is taken for all of them together."""

    def __init__(self, names: list[str]) -> None:
        self._sizes = np.array([len(name) for name in names], np.int64)
        self._places = {char: place for place, char in enumerate(sorted({char for name in names for char in name}))}
        self._chars = np.zeros((int(self._sizes.max(initial=0)), len(names)), np.int32)
        for column, name in enumerate(names):
            self._chars[: len(name), column] = [self._places[char] for char in name]

    def edits(self, form: str, begin: int, end: int) -> Array:
        """The edits between a text of up to 64 characters and each of the names from `begin` to `end`."""
        one, top = np.uint64(1), np.uint64(1 << (len(form) - 1))
        places = np.zeros(max(1, len(self._places)), np.uint64)
        for place, char in enumerate(form):
            if char in self._places:
                places[self._places[char]] |= np.uint64(1 << place)
        sizes = self._sizes[begin:end]
        found = np.full(len(sizes), len(form), np.int64)
        more, less, equal, last = (np.zeros(len(sizes), np.uint64) for _ in range(4))
        more = ~more
        for row in range(int(sizes.max(initial=0))):
            # Names that have ended keep what was found.
            n = int(np.searchsorted(-sizes, -row))
            here = places[self._chars[row, begin : begin + n]]
            more, less, equal, last = more[:n], less[:n], equal[:n], last[:n]
            swapped = ((~equal & here) << one) & last
            equal = (((here & more) + more) ^ more) | here | less | swapped
            right, wrong = less | ~(equal | more), equal & more
            found[:n] += ((right & top) != 0).astype(np.int64) - ((wrong & top) != 0)
            right, wrong = (right << one) | one, wrong << one
            more, less, last = wrong | ~(equal | right), right & equal, here
        return found

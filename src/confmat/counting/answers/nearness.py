"""Nearness: the name that an answer misspells, by the share of characters that need no edit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confmat.counting.answers.spelling import SEVERAL

__all__ = ["Nearest", "edits"]


def edits(a: str, b: str, most: int) -> int | None:
    """How many characters to add, drop, replace or swap with their neighbour, to get one text from the other.

    No part of a text is edited twice (optimal string alignment). None where it takes more than `most`.

    >>> edits("positive", "postive", 2), edits("form", "from", 2), edits("cat", "house", 2)
    (1, 1, None)
    """
    if abs(len(a) - len(b)) > most:
        return None
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        oldest, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, oldest[j - 2] + 1)
            row[j] = best
        # What a row exceeds, no later one falls below: a swap starts from at most 1 less, and costs 1.
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None


class Nearest:
    """Names by length, and how near one must be: 1 - edits / length of the longer text.

    >>> nearest = Nearest([("positive", 1), ("negative", 0)], 0.8)
    >>> nearest.find("postive"), nearest.find("neutral")
    (1, None)
    """

    def __init__(self, names: Iterable[tuple[str, Any]], least: float) -> None:
        self.least = least
        self._names: dict[int, list[tuple[str, Any]]] = {}
        for form, target in names:
            self._names.setdefault(len(form), []).append((form, target))

    def find(self, form: str) -> Any:
        """The meaning of the nearest name that is near enough; SEVERAL where two that differ are equally near."""
        best: float = self.least
        found: set[Any] = set()
        for size, names in self._names.items():
            longer = max(size, len(form))
            for name, target in names:
                # Rounded up, since 0.8 of 5 characters is 4 of them.
                many = edits(form, name, int((1 - best) * longer + 1e-9))
                if many is not None:
                    near = 1 - many / longer
                    found = {target} if near > best else found | {target}
                    best = max(best, near)
        return None if not found else SEVERAL if len(found) > 1 else found.pop()

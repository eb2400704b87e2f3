"""The non-zero cells of a matrix as a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from confmat.labels import Labels
from confmat.text import some

__all__ = ["Pairs"]

Array = NDArray[Any]


class Pairs(Mapping[tuple[Any, Any], Any]):
    """The non-zero cells of a matrix: (actual, predicted) -> count, in the order of its labels.

    `rows`, `cols` and `counts` are the same as arrays, for when there are millions.

    >>> from confmat.matrix import ConfusionMatrix
    >>> dict(ConfusionMatrix([[0, 3], [0, 1]], ["a", "b"]).pairs())
    {('a', 'b'): 3, ('b', 'b'): 1}
    """

    __slots__ = ("_labels", "_places", "cols", "counts", "rows")

    def __init__(self, labels: Labels, rows: Array, cols: Array, counts: Array) -> None:
        self._labels = labels
        self.rows, self.cols, self.counts = rows, cols, counts
        self._places: dict[tuple[int, int], int] | None = None

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        name = self._labels.__getitem__
        for row, col in zip(self.rows.tolist(), self.cols.tolist(), strict=True):
            yield name(row), name(col)

    def __getitem__(self, pair: tuple[Any, Any]) -> int | float:
        if self._places is None:
            self._places = {
                place: i for i, place in enumerate(zip(self.rows.tolist(), self.cols.tolist(), strict=True))
            }
        actual, predicted = pair
        if actual not in self._labels or predicted not in self._labels:
            raise KeyError(pair)
        place = self._places.get((self._labels.index(actual), self._labels.index(predicted)))
        if place is None:
            raise KeyError(pair)
        return self.counts[place].item()

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} non-zero cells: {some(self.items(), 3)})"

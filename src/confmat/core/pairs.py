"""The non-zero cells of a matrix as a mapping, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import check_numbers, number_array, one_kind
from confmat.core.counts import Counts
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.naming import check_outside, in_order
from confmat.core.options import told
from confmat.core.text import some

Array = NDArray[Any]


class Pairs(Mapping[tuple[Any, Any], Any]):
    """The non-zero cells of a matrix: (actual, predicted) -> count, in the order of its labels.

    `rows`, `cols` and `counts` are the same as arrays, for when there are millions.

    >>> from confmat.core.matrix import ConfusionMatrix
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
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(pair)
        actual, predicted = pair
        if actual not in self._labels or predicted not in self._labels:
            raise KeyError(pair)
        place = self._places.get((self._labels.index(actual), self._labels.index(predicted)))
        if place is None:
            raise KeyError(pair)
        return self.counts[place].item()

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} non-zero cells: {some(self.items(), 3)})"


def read_pairs(pairs: Any, labels: Any, positive: Any, outside: Iterable[str]) -> tuple[Labels, Counts]:
    """Labels and counts from a mapping of pairs, or from triples."""
    items, outside = _triples(pairs), check_outside(outside)
    names = one_kind([name for item in items for name in item[:2]], "the names in `pairs`", outside)
    if labels is None:
        inside = [name for name in dict.fromkeys(names) if name not in outside]
        if not names:
            msg = Message("no pairs and no {labels}: there is nothing to make a matrix of")
            raise InputError(msg)
        labels = in_order(inside, appearance=True)
    labels = Labels(labels, outside=outside, positive=positive)
    place = {name: labels.index(name) for name in dict.fromkeys(names)}
    codes = np.array([place[name] for name in names], dtype=np.int64)
    return labels, Counts.of_cells(len(labels), codes[::2], codes[1::2], _values(items))


def _triples(pairs: Any) -> list[tuple[Any, ...]]:
    if isinstance(pairs, Mapping):
        return [(*_two(pair), count) for pair, count in pairs.items()]
    several = isinstance(pairs, Iterable) and not isinstance(pairs, (str, bytes)) and getattr(pairs, "ndim", 1) != 0
    items = list(pairs) if several else None
    if items is None or not all(map(_is_triple, items)):
        came = type(pairs).__name__ if items is None else next(x for x in items if not _is_triple(x))
        msg = (
            "`pairs` must map (actual, predicted) to a count, or be a list of (actual, predicted, count), "
            f"not {told(came)}"
        )
        raise InputError(msg)
    return [tuple(item) for item in items]


def _is_triple(item: Any) -> bool:
    return isinstance(item, (tuple, list, np.ndarray)) and len(item) == 3


def _two(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        msg = f"a key of `pairs` must be a tuple (actual, predicted), not {pair!r:.60}"
        raise InputError(msg)
    return pair


def _values(items: list[tuple[Any, ...]]) -> Array:
    try:
        values = number_array([item[2] for item in items]) if items else np.zeros(0, np.int64)
    except InputError:
        raise
    except ValueError:
        values = np.zeros((0, 0))
    if values.ndim != 1:
        msg = "each of the `pairs` has one count, not a list of them"
        raise InputError(msg)
    return check_numbers(values, "pairs")

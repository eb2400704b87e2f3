"""Fields of files that hold several labels: rows are gathered by what they say, and counted label by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.counting.weighing import read_weights
from confmat.engines.queries import too_many
from confmat.engines.rows import Wanted, batches
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics.items import Items
from confmat.multilabel import count_multilabel
from confmat.stack import Stack

__all__ = ["SetPairs", "Sets", "gather_sets"]

Array = NDArray[Any]


class Sets(Wanted):
    """The two columns whose fields hold several labels, and that of the weights."""

    several = True

    def __init__(self, actual: str | None, predicted: str | None, weights: str | None) -> None:
        super().__init__(actual, predicted, [] if weights is None else [weights], hits=True)


def gather_sets(
    paths: Any,
    columns: Sets,
    *,
    sep: str,
    spelling: Callable[[list[Any]], Callable[[str], Any]],
    labels: Sequence[str] | None = None,
    na_values: Collection[str] = (),
    max_pairs: int = 1_000_000,
    format: Any = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    **options: Any,
) -> SetPairs:
    """What there is to count in two columns of texts in which `sep` parts labels, or of lists of labels.

    An empty field of CSV is an item without labels. Equal rows are gathered, so that memory grows with what occurs.

    spelling: given labels that occur, what one is that is written as text.
    options: as `count_multilabel` takes them. Everything else as in `count_files`.
    """
    found: Counter[tuple[Any, ...]] = Counter()
    absent = frozenset(na_values)
    read = batches(paths, columns, format=format, delimiter=delimiter, memory=memory_limit, threads=threads)
    for file, rows in read:
        try:
            found.update((_labels(row[0], absent), _labels(row[1], absent), *row[2:]) for row in rows)
        except TypeError:
            msg = f"{file}: a field holds neither a text nor a list of labels"
            raise InputError(msg) from None
        if len(found) > max_pairs:
            sides = zip(("actual", "predicted"), zip(*found, strict=True), strict=False)
            raise too_many({name: len(set(side)) for name, side in sides}, max_pairs)
    return SetPairs(found, columns, labels, spelling, {"sep": sep, **options})


class SetPairs:
    """Pairs of sets of labels, each with how often it occurs."""

    def __init__(
        self,
        found: Counter[tuple[Any, ...]],
        columns: Sets,
        labels: Sequence[str] | None,
        spelling: Callable[[list[Any]], Callable[[str], Any]],
        options: dict[str, Any],
    ) -> None:
        self._actual, self._predicted = ([key[side] for key in found] for side in (0, 1))
        self._many, self._options = np.array([*found.values()], np.int64), options
        self._weights: Array | None = None
        if labels is not None:
            spelt = spelling([one for side in self._actual if isinstance(side, frozenset) for one in side])
            options["labels"] = [spelt(name) for name in labels]
        if columns.columns:
            name = columns.columns[0]
            self._weights = read_weights(_numbers([key[2] for key in found], name), len(self._many))

    def counted(self) -> ConfusionMatrix | Stack:
        """What `count_multilabel` gives."""
        return self._of(self._actual, self._predicted, self._many, self._weights, self._options)

    def items(self) -> Stack | None:
        """The same along "item", where one of those that are alike stands for all of them.

        None where there are no items, or they are counted as a matrix of labels by labels.
        """
        sides = zip(self._actual, self._predicted, strict=True)
        there = np.array([one is not None and other is not None for one, other in sides], bool)
        if self._options.get("matrix") or not there.any():
            return None
        options = {name: value for name, value in self._options.items() if name != "matrix"} | {"along": "item"}
        found = count_multilabel(self._actual, self._predicted, weights=self._weights, **options)
        assert isinstance(found, Items)
        return found.standing_for(self._many[there])

    @staticmethod
    def _of(
        actual: list[Any], predicted: list[Any], many: Array, weights: Array | None, options: dict[str, Any]
    ) -> ConfusionMatrix | Stack:
        def counted(weights: Array) -> Any:
            return count_multilabel(actual, predicted, weights=weights, **options)

        if weights is None:
            return _with_squares(counted(many), None)
        return _with_squares(counted(weights * many), counted(weights.astype(np.float64) ** 2 * many))


def _labels(field: Any, absent: frozenset[str]) -> Any:
    """A field as something that can be counted; None if it is missing."""
    if isinstance(field, list):
        return frozenset(field)
    return None if field is None or str(field) in absent else str(field)


def _numbers(values: list[Any], name: str) -> Array:
    try:
        return np.array(values, dtype=object).astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = f"the column {name!r} holds a weight that is no number: {error!s:.200}"
        raise InputError(msg) from None


def _with_squares(m: Any, second: Any) -> ConfusionMatrix | Stack:
    """The sums with the squares of the weights behind them: those that come with sums are of the sums."""
    if isinstance(m, ConfusionMatrix):
        return ConfusionMatrix._of(m.labels, m._counts, None if second is None else second._counts, m.dropped)
    squares = None if second is None else second.counts
    return Stack._of_table(m.counts, m.labels, tuple(m), m.total, m.axis, squares, m.ungrouped)

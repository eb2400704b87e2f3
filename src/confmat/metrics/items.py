"""Items: a stack along "item" that knows which labels each item has and which it got, a bit for each.

Items that are alike may be kept once, with how many they are: reports and intervals ask no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_of
from confmat.core.cells import Cells
from confmat.core.counts import Counts
from confmat.core.errors import InputError, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door
from confmat.core.stack import Stack
from confmat.metrics.accuracies import accuracy, error_rate
from confmat.metrics.averages import Average, macro
from confmat.metrics.catalog import Score, parse_score

Array = NDArray[Any]
# Items that are looked at together.
_AT_ONCE = 2**14


@dataclass(frozen=True, eq=False, slots=True)
class ItemLabels:
    """The labels that each item has and got: tables of bits, eight to a byte, or sparse tables of ones.

    `weights` are those of the items.
    """

    labels: Labels
    actual: Any
    predicted: Any
    weights: Array | None
    # Which column is which label, if they were asked for in another order.
    order: list[int] | None = None

    def in_order(self, order: list[int]) -> ItemLabels:
        """The same items with their labels in another order."""
        return self if order == list(range(len(order))) else replace(self, order=order)

    def added(
        self, hit: Array, actual: Array, predicted: Array
    ) -> Iterator[tuple[Array, Array | None]]:
        """Yield the part of several scores that an item of each row adds, and its weight.

        Some rows at a time; the derivatives have a row for each label and a column for each score.
        """
        slopes = [self._placed(by) for by in (hit, actual, predicted)]
        adding = (
            _adding_bits(slopes) if isinstance(self.actual, np.ndarray) else _adding_sparse(slopes)
        )
        for part, true, answered in self._parts():
            weights = None if self.weights is None else self.weights[part]
            yield adding(true, answered), weights

    def cells(self) -> Cells:
        """Return the sum of the items: the four cells of each label."""
        size, total = len(self.labels), 0.0
        found, sums = np.zeros((-(-size // 4), 256)), np.zeros((3, size))
        for part, true, answered in self._parts():
            each = (
                np.ones(true.shape[0])
                if self.weights is None
                else np.asarray(self.weights[part], np.float64)
            )
            total += float(each.sum())
            if isinstance(true, np.ndarray):
                for place, keys in enumerate(_pairs(true, answered)[: len(found)]):
                    found[place] += np.bincount(keys, each, 256)
            else:
                sums += [
                    np.asarray(table.T @ each)
                    for table in (true.multiply(answered), true, answered)
                ]
        sums += (found @ _OF_FOUR).reshape(-1, 3, 4).swapaxes(0, 1).reshape(3, -1)[:, :size]
        both, true, answered = sums if self.order is None else sums[:, self.order]
        return Cells(both, answered - both, true - both, total - true - answered + both)

    def _placed(self, by: Array) -> Array:
        """Rows in the order of the labels as they were counted."""
        if self.order is None:
            return by
        found = np.empty_like(by)
        found[self.order] = by
        return found

    def _parts(self) -> Iterator[tuple[slice, Any, Any]]:
        for begin in range(0, int(self.actual.shape[0]), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            yield part, self.actual[part], self.predicted[part]


Adding = Callable[[Any, Any], Array]


def _adding_sparse(slopes: list[Array]) -> Adding:
    hit, actual, predicted = slopes
    return lambda true, answered: (
        true.multiply(answered).tocsr() @ hit + true @ actual + answered @ predicted
    )


def _adding_bits(slopes: list[Array]) -> Adding:
    """Four labels at a time, looked up by who has them and who got them."""
    more = ((0, -len(slopes[0]) % 4), (0, 0))
    fours = np.stack([np.pad(by, more).reshape(-1, 4, by.shape[1]) for by in slopes], axis=1)
    tables = _OF_FOUR @ fours.reshape(len(fours), 12, -1)

    def adding(true: Array, answered: Array) -> Array:
        added = np.zeros((len(true), tables.shape[2]))
        for table, keys in zip(tables, _pairs(true, answered), strict=False):
            added += table.take(keys, axis=0)
        return added

    return adding


def _pairs(true: Array, answered: Array) -> Array:
    """For each four labels, which of them items have and which they got: a byte of each item, a row of each four."""
    pairs = np.stack([true & 0xF0 | answered >> 4, true << 4 | answered & 0x0F], axis=-1)
    return pairs.reshape(len(true), -1).T


def _of_four() -> Array:
    """Return the labels on both sides, in the truth and in the answer, of each such byte: (256, 12)."""
    true, answered = np.divmod(np.arange(256), 16)
    places = np.array([8, 4, 2, 1])
    return np.concatenate(
        [(side[:, None] & places) > 0 for side in (true & answered, true, answered)], axis=1
    ).astype(float)


_OF_FOUR = _of_four()


class Items(Stack):
    """A matrix for each item, over its labels, and which labels those are: means over labels vary by items.

    Alike items may share one matrix; `many` says how many they are.
    """

    __slots__ = ("_held", "_many")

    _held: ItemLabels
    _many: Array

    @property
    def held(self) -> ItemLabels | None:
        """The labels of the items; none under another axis."""
        return getattr(self, "_held", None)

    @property
    def many(self) -> Array | None:
        """How many items each matrix represents, where that is not one."""
        return getattr(self, "_many", None)

    def holding(self, held: ItemLabels | None, many: Array | None = None) -> Items:
        """The same stack with the labels of its items, and how many items each matrix represents."""
        same = type(self).__new__(type(self))
        same._set(*self._state())
        same.__setstate__(self.notes)
        object.__setattr__(same, "_held", held)
        if many is not None:
            object.__setattr__(same, "_many", many)
        return same

    def sum(self) -> ConfusionMatrix:
        """All matrices added up."""
        table, many = self._array(), self.many
        if many is None or table is None:
            return super().sum()
        squares = (
            None
            if self._squares is None
            else Counts.of_table(np.tensordot(many, self._squares[:], 1))
        )
        return ConfusionMatrix._of(
            self.labels, Counts.of_table(np.tensordot(many, table, 1)), squares
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, (self._state(), self.held, self.many), self.notes or None)


def _rebuilt(state: tuple[Any, ...], held: ItemLabels | None, many: Array | None = None) -> Items:
    items = Items.__new__(Items)
    items._set(*state)
    return items.holding(held, many)


def many_of(stack: Stack) -> Array | None:
    """How many items or clusters each matrix represents, where that is not one."""
    return stack.many if isinstance(stack, Items) else None


def number_of(stack: Stack) -> int:
    """How many items or clusters there are."""
    many = many_of(stack)
    return len(stack) if many is None else int(many.sum())


def gathered(items: Stack) -> Stack:
    """Items without weights that have the same matrix as one and their number; others as they are.

    Few labels make few matrices, however many items there are. Which labels an item has stays
    known.
    """
    table = items._array()
    if table is None or table.shape[1:] != (2, 2) or table.dtype != np.int64:
        return items
    if items._squares is not None or np.ptp(items.total):
        return items
    base = int(items.total[0]) + 1
    if base**3 >= 2**63:
        return items
    key = (table[:, 0, 1] * base + table[:, 1, 0]) * base + table[:, 1, 1]
    places, many = _counted(key, base**3, many_of(items))
    both, (wrong, missed) = places % base, np.divmod(places // base, base)
    cells = np.stack([base - 1 - wrong - missed - both, wrong, missed, both], axis=1).reshape(
        -1, 2, 2
    )
    found = Items._of_table(
        cells,
        items.labels,
        range(len(places)),
        cells.sum(axis=(1, 2)),
        items.axis,
        None,
        items.ungrouped,
    )
    assert isinstance(found, Items)
    return found.holding(items.held if isinstance(items, Items) else None, many)


def _counted(key: Array, size: int, many: Array | None) -> tuple[Array, Array]:
    """The numbers that occur, in order, and how often, or what they add up to."""
    if many is None and size <= 4 * len(key):
        often = np.bincount(key)
        places = np.flatnonzero(often)
        return places, often[places]
    if many is None:
        return np.unique(key, return_counts=True)
    places, belongs = np.unique(key, return_inverse=True)
    sums = np.zeros(len(places), np.int64)
    np.add.at(sums, belongs, many)
    return places, sums


# A mean over cells with items in the place of classes: an item without a true label weighs nothing.
SAMPLES = Average(
    "samples",
    "Samples",
    "Mean over the items.",
    macro.formula,
    macro.latex,
    weigh=lambda c: c.total,
)
# Scores of whole items: whether all labels are right, and the share of labels that are wrong.
EXACT = accuracy.renamed("exact_match", title="Exact match", undefined="there are no items")
HAMMING = error_rate.renamed("hamming_loss", title="Hamming loss", undefined="there are no items")
_OF_ITEMS = {
    "exact_match": EXACT,
    "subset_accuracy": EXACT,
    "exact_match_ratio": EXACT,
    "hamming_loss": HAMMING,
}


def samples_of(items: Stack) -> Average:
    """The mean over these items; a matrix may represent several."""
    many = many_of(items)
    return SAMPLES if many is None else replace(SAMPLES, weigh=lambda c: c.total * many)


def check_items(items: object) -> Stack:
    """Complain of anything but a stack with one matrix for each item."""
    if isinstance(items, Stack) and items.axis == "item" and items.n_classes == 2:
        return items
    what = f"a stack along {items.axis!r}" if isinstance(items, Stack) else type(items).__name__
    msg = f"wanted what count_multilabel(..., along='item') gives, got {what}"
    raise InputError(msg)


def is_of_labels(stack: Any) -> bool:
    """Whether this is a stack with a matrix for each label, over having it and not."""
    is_stack = isinstance(stack, Stack) and stack.axis == "label" and len(stack.labels) == 2
    return is_stack and positive_of(stack.labels) is not None


def check_same_items(stack: Stack, items: Any) -> None:
    """Refuse anything but a count by item of the data that was counted by label.

    Both then add up to the same cells, but for rounding.
    """
    mine, theirs = stack.sum(), check_items(items).sum()
    same = stack.labels == items.labels
    if not same or not np.allclose(
        mine.counts, theirs.counts, rtol=0, atol=1e-9 * float(mine.total)
    ):
        msg = "`items` and the stack must be counts of the same items"
        raise MetricError(msg)


def score_of_labels(text: Any) -> Score:
    """The score that a text asks for, where `f1.samples` is a mean over items; exact match and Hamming loss are known.

    >>> (
    ...     str(score_of_labels("f1.samples")),
    ...     str(score_of_labels("f1.macro")),
    ...     str(score_of_labels("Exact match")),
    ... )
    ('f1.samples', 'f1.macro', 'exact_match')
    """
    if text is exact_match:
        return Score(EXACT)
    if isinstance(text, str) and (
        found := _OF_ITEMS.get(text.strip().lower().replace(" ", "_").replace("-", "_"))
    ):
        return Score(found)
    if isinstance(text, str) and text.strip().endswith(f".{SAMPLES.name}"):
        return Score(parse_score(text.strip()[: -len(SAMPLES.name) - 1]).metric, average=SAMPLES)
    return parse_score(text)


def needs_items(score: Score) -> bool:
    """Whether the labels' own counts do not tell."""
    return score.average is SAMPLES or score.metric is EXACT


def right_or_not(items: Stack) -> ConfusionMatrix:
    """Items that are all right, and the others, as a matrix whose accuracy is the share of the former."""
    right, many = items.diagonal.sum(axis=1) == items.total, many_of(items)
    hits = int(np.count_nonzero(right) if many is None else many[right].sum())
    return ConfusionMatrix([[hits, number_of(items) - hits], [0, 0]])


@door
def exact_match(items: Stack) -> float:
    """Compute the share of items whose labels are all right, also called subset accuracy.

    Parameters
    ----------
    items
        A stack along "item", such as `count_multilabel` gives with `along="item"`.

    Examples
    --------
    >>> from confmat import count_multilabel
    >>> exact_match(count_multilabel([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}], along="item"))
    0.5
    """
    items = gathered(check_items(items))
    total = items.total
    right = items.diagonal.sum(axis=1) == total
    if (many := many_of(items)) is not None:
        total = total * many
    return float(total[right].sum() / total.sum()) if total.any() else float("nan")

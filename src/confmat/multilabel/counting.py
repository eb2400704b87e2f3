"""Counts of items with several labels: a stack by label or item, or one matrix with "(none)".

The rule is that of M. Heydarian, T. E. Doyle and R. Samavi, "MLCM: Multi-Label Confusion Matrix",
IEEE Access 10 (2022), 19083-19095.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError, InputError, LabelError, Message
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, flag, one_of, whole_number
from confmat.core.stack import Stack
from confmat.counting import count
from confmat.counting.door import check_indexes, policy_of
from confmat.counting.groups import grouped_codes
from confmat.counting.look import faults_of, notes_of
from confmat.counting.planning import Policy
from confmat.metrics.items import Items
from confmat.multilabel.indicators import SparseTable
from confmat.multilabel.sides import (
    Aligned,
    align,
    by_item,
    by_label,
    labels_of_items,
    sparse_sides,
)

Array = NDArray[Any]

NONE = "(none)"
# Pairs of labels that are counted together.
_CHUNK_PAIRS = 2**22
# Pairs of one item, which are counted in one go: 4,000 labels missed and as many wrong ones, in
# about a gigabyte.
_MAX_ITEM_PAIRS = 2**24 + 2**13
Along = Literal["label", "item"]
Leave = Literal["error", "drop"]
_YES_OR_NO = Labels([False, True], positive=True)


@dataclass(slots=True)
class _Sides:
    """Per item: labels that were hit, missed and predicted beside the truth, and the true ones."""

    hit: SparseTable
    missed: SparseTable
    extra: SparseTable
    true: SparseTable

    def part(self, begin: int, end: int) -> _Sides:
        return _Sides(*(side[begin:end] for side in (self.hit, self.missed, self.extra, self.true)))


def crossed(aligned: Aligned, threads: int | None) -> ConfusionMatrix:
    """The matrix of all pairs of a true and a predicted label that the rule makes of the items."""
    labels = Labels(aligned.labels, outside=[NONE], positive=None)
    actual, predicted = sparse_sides(aligned, threads)
    hit = actual.multiply(predicted).tocsr()
    sides = _Sides(hit, actual - hit, predicted - hit, actual)
    size = len(labels)
    nothing = np.zeros(0, np.int64)
    whole = ConfusionMatrix._of(
        labels, count(nothing, nothing, labels=range(size))._counts, None, aligned.dropped
    )
    for begin, end in _blocks(sides):
        rows, cols, items = _pairs(sides.part(begin, end), size - 1)
        weights = None if aligned.weights is None else aligned.weights[begin:end][items]
        part = count(rows, cols, labels=range(size), weights=weights, threads=threads)
        whole = whole + ConfusionMatrix._of(labels, part._counts, part._squares)
    return whole


def _sizes(table: SparseTable) -> Array:
    return np.diff(table.indptr).astype(np.int64)


def _answering(sides: _Sides) -> tuple[Array, Array]:
    """Per item, how many rows each extra label is counted in, and where they begin among missed, true and none."""
    missed, true = _sizes(sides.missed), _sizes(sides.true)
    # An extra label is taken for the missed ones; where nothing was missed, for all true ones; or
    # for none.
    rows_each = np.where(missed > 0, missed, np.maximum(true, 1))
    begin = np.where(
        missed > 0,
        sides.missed.indptr[:-1],
        np.where(
            true > 0, sides.missed.nnz + sides.true.indptr[:-1], sides.missed.nnz + sides.true.nnz
        ),
    )
    return rows_each, begin


def _blocks(sides: _Sides) -> Iterator[tuple[int, int]]:
    """Runs of items that make a bounded number of pairs."""
    pairs = _answering(sides)[0] * _sizes(sides.extra) + _sizes(sides.true) + 1
    if len(pairs) and int(pairs.max()) > _MAX_ITEM_PAIRS:
        place = int(np.argmax(pairs))
        msg = f"item {place:,} alone makes {int(pairs[place]):,} pairs of labels, more than {_MAX_ITEM_PAIRS:,}"
        raise BudgetError(msg)
    ends = np.cumsum(pairs)
    begin = 0
    while begin < len(pairs):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + _CHUNK_PAIRS, side="right")))
        yield begin, end
        begin = end


def _pairs(sides: _Sides, none: int) -> tuple[Array, Array, Array]:
    """Rows and columns of the matrix, and the item that each pair comes from."""
    rows_each, begin = _answering(sides)
    n, extra = len(rows_each), _sizes(sides.extra)
    items = np.arange(n)
    pool = np.concatenate([sides.missed.indices, sides.true.indices, [none]])
    of_extra = np.repeat(items, extra)
    times = rows_each[of_extra]
    steps = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    crossing = np.repeat(of_extra, times)
    # Labels missed where nothing else was predicted, and items without labels on both sides.
    of_missed = np.repeat(items, _sizes(sides.missed))
    alone = extra[of_missed] == 0
    empty = items[(_sizes(sides.true) == 0) & (extra == 0)]
    nothing = np.full(len(empty), none)
    missed = sides.missed.indices[alone]
    rows = [sides.hit.indices, pool[begin[crossing] + steps], missed, nothing]
    cols = [
        sides.hit.indices,
        np.repeat(sides.extra.indices, times),
        np.full(len(missed), none),
        nothing,
    ]
    whose = [np.repeat(items, _sizes(sides.hit)), crossing, of_missed[alone], empty]
    return np.concatenate(rows), np.concatenate(cols), np.concatenate(whose)


class MultilabelOptions(TypedDict, total=False):
    """Options of `count_multilabel` beside `matrix`; it says what they are."""

    labels: Iterable[Any] | None
    weights: Any
    along: Along
    clusters: Any
    sep: str | None
    missing: Leave
    other: Leave
    threads: int | None


@overload
def count_multilabel(
    actual: Any,
    predicted: Any,
    *,
    matrix: Literal[False] = False,
    **options: Unpack[MultilabelOptions],
) -> Stack: ...
@overload
def count_multilabel(
    actual: Any, predicted: Any, *, matrix: Literal[True], **options: Unpack[MultilabelOptions]
) -> ConfusionMatrix: ...
@door
def count_multilabel(
    actual: Any,
    predicted: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    along: Along = "label",
    clusters: Any = None,
    matrix: bool = False,
    sep: str | None = None,
    missing: Leave = "error",
    other: Leave = "error",
    threads: int | None = None,
) -> ConfusionMatrix | Stack:
    """Count items that have several labels each: one two-class matrix for each label, or for each item.

    Parameters
    ----------
    actual, predicted
        A table of zeros and ones with an item per row and a label per column (an array, a data
        frame whose columns are named, a sparse table, a tensor on the CPU), or a set of labels per
        item (a list of sets or lists, a ragged column of Arrow or Polars), or with `sep` a column
        of texts. The sides are paired by position.
    labels
        The names and their order; otherwise the names of the columns, or the labels that occur,
        sorted.
    weights
        One number per item; the matrices then hold sums of weights.
    along
        "label" gives a Stack with one matrix per label, over False and True: `cm.f1(stack,
        of=True)` is one value a label, `cm.report(stack)` their table. "item" gives one with a
        matrix per item, over its labels.
    clusters
        One cluster per item, such as the patient, document or prompt that it belongs to; a Stack
        along "cluster" with a matrix of all labels for each. A micro average is the score of its
        sum, and its interval treats a cluster, not an item, as the unit that was sampled.
    matrix
        True gives one ConfusionMatrix of labels by labels, with "(none)" for a label without a
        partner.
    sep
        The text between two labels, such as ",".
    missing
        The treatment of items that are None, or have NaN in their row: an "error", or "drop" leaves
        them out.
    other
        The treatment of labels that `labels` does not name: an "error", or "drop" leaves them out
        of the sets.
    threads
        The most threads; by default as many as the machine offers, and one for small input.

    Returns
    -------
    Stack or ConfusionMatrix
        A Stack along "label", "item" or "cluster"; with `matrix`, one matrix.

    Notes
    -----
    Sets do not record which label was taken for which, so the one matrix follows the rule of
    Heydarian, Doyle and Samavi (IEEE Access 10, 2022). Per item, each label that is true and
    predicted is a hit on the diagonal. If all predicted labels are right, the missed ones go to the
    column "(none)". If all true labels were predicted, each label beyond them is counted in the row
    of every true one, or in the row "(none)" where none is true. Otherwise each missed label is
    counted against each wrong one. So the diagonal holds the true positives of the labels, but a
    row adds up to at least the items that have the label, a column to at least those that got it,
    and the total is no number of items: recall and precision of this matrix are at most those of
    the label.

    Examples
    --------
    >>> actual, predicted = [{"cat"}, {"cat", "dog"}, set()], [{"cat"}, {"dog", "hen"}, {"hen"}]
    >>> stack = count_multilabel(actual, predicted)
    >>> stack["cat"].tp, stack["cat"].fn, stack["hen"].fp
    (1, 1, 2)
    >>> print(count_multilabel(actual, predicted, matrix=True))
            predicted
    actual  cat  dog  hen  (none)  │ total
    cat       1    0    1       0  │     2
    dog       0    1    0       0  │     1
    hen       0    0    0       0  │     0
    (none)    0    0    1       0  │     1
    total     1    1    2       0  │     4
    """
    _check_options(along, clusters, matrix, missing, other)
    if sep is not None and not (isinstance(sep, str) and sep):
        msg = Message("{sep} is the text between two labels, such as ',', not {!r:.60}", sep)
        raise InputError(msg)
    if threads is not None:
        whole_number("threads", threads)
    policy = policy_of(labels, missing, other, None, MAX_CLASSES)
    if policy.labels is not None and policy.labels.outside:
        outside = policy.labels.outside
        msg = Message(
            "an item has labels or none, so nothing is outside them: leave {} out", outside
        )
        raise LabelError(msg)
    check_indexes(actual, predicted=predicted, weights=weights)
    aligned = align(actual, predicted, weights, sep, policy)
    if not aligned.n and labels is None:
        msg = Message(
            "there are no items to count; with {labels=} an empty input gives matrices of zeros"
        )
        raise InputError(msg)
    finds = (
        {} if labels is not None else faults_of(aligned.labels, lambda: crossed(aligned, threads))
    )
    notes = tuple(notes_of(crossed(aligned, threads), finds)) if finds else ()
    if matrix:
        return crossed(aligned, threads)._noted(notes)
    if clusters is not None:
        return _of_clusters(aligned, clusters, policy, threads)._noted(notes)
    return _stacked(aligned, along, threads)._noted(notes)


def _stacked(aligned: Aligned, along: Along, threads: int | None) -> Stack:
    """A matrix for each label, or for each item."""
    table, squares = (by_label if along == "label" else by_item)(aligned, threads)
    keys = aligned.labels.classes if along == "label" else range(aligned.n)
    if not len(keys):
        msg = "there are no items, so there is no matrix of one"
        raise InputError(msg)
    kind = Stack if along == "label" else Items
    # Without weights, a label has all items and an item all labels.
    alike = aligned.weights is None
    total = np.broadcast_to(table[0].sum(), len(table)) if alike else table.sum(axis=(1, 2))
    stack = kind._of_table(table, _YES_OR_NO, keys, total, along, squares, aligned.dropped)
    return stack.holding(labels_of_items(aligned)) if isinstance(stack, Items) else stack


def _check_options(along: str, clusters: Any, matrix: bool, missing: str, other: str) -> None:
    one_of("along", along, Along)
    one_of("missing", missing, Leave)
    one_of("other", other, Leave)
    if flag("matrix", matrix) + (clusters is not None) + (along == "item") > 1:
        msg = "`matrix=True`, `clusters` and `along='item'` are different counts of the same items; ask for one"
        raise InputError(msg)


def _of_clusters(aligned: Aligned, clusters: Any, policy: Policy, threads: int | None) -> Stack:
    n = aligned.n if aligned.kept is None else len(aligned.kept)
    codes, keys = grouped_codes(clusters, n, policy, n, "clusters")
    codes = codes if aligned.kept is None else codes[aligned.kept]
    table, squares = by_item(aligned, threads)
    placed = codes >= 0

    def summed(cells: Array) -> Array:
        sums = np.zeros((len(keys), 2, 2), cells.dtype)
        np.add.at(sums, codes[placed], cells[placed])
        return sums

    whole, second = summed(table), None if squares is None else summed(squares)
    lost = ~placed
    dropped = aligned.dropped + (
        int(lost.sum()) if aligned.weights is None else aligned.weights[lost].sum().item()
    )
    return Stack._of_table(
        whole, _YES_OR_NO, tuple(keys), whole.sum(axis=(1, 2)), "cluster", second, dropped
    )

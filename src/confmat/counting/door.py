"""`count`: the arguments are checked once and handed to the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from confmat.core.building import as_names
from confmat.core.errors import AlignmentWarning, Argument, InputError, Message, warn
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, flag_if_any, one_of, whole_number
from confmat.core.samples import Sample, unequal
from confmat.core.stack import Stack
from confmat.counting.columns import column_of
from confmat.counting.look import look
from confmat.counting.planning import MAX_GROUPS, Action, Policy, Rules, check_rules
from confmat.counting.shapes import check_beside, check_shapes
from confmat.counting.tables import (
    ACTUAL,
    PREDICTED,
    coded,
    count_columns,
    count_raw,
    dense_is_better,
    entered,
    left_out,
    place_columns,
    placed,
    side_of,
    sums_of,
)
from confmat.counting.weights import inverse, read_weights, whole

if TYPE_CHECKING:

    class CountOptions(TypedDict, total=False):
        """The options of `count` that say nothing about what it returns."""

        labels: Iterable[Any] | None
        weights: Any
        tally: Any
        missing: Action
        other: Action
        positive: Any
        probability: Any
        answers: Rules | None
        sparse: bool | None
        threads: int | None
        max_classes: int
        max_groups: int


@overload
def count(
    actual: Any,
    predicted: Any,
    *,
    by: None = None,
    clusters: None = None,
    strata: None = None,
    **options: Unpack[CountOptions],
) -> ConfusionMatrix: ...
@overload
def count(
    actual: Any,
    predicted: Any,
    *,
    strata: Any,
    clusters: Any = None,
    **options: Unpack[CountOptions],
) -> Stack: ...
@overload
def count(
    actual: Any, predicted: Any, *, by: Any, clusters: None = None, **options: Unpack[CountOptions]
) -> Stack: ...
@overload
def count(
    actual: Any, predicted: Any, *, by: None = None, clusters: Any, **options: Unpack[CountOptions]
) -> Stack: ...
@door
def count(
    actual: Any,
    predicted: Any,
    *columns: Any,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    tally: Any = None,
    by: Any = None,
    clusters: Any = None,
    strata: Any = None,
    probability: Any = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    answers: Rules | None = None,
    sparse: bool | None = None,
    threads: int | None = None,
    max_classes: int = MAX_CLASSES,
    max_groups: int = MAX_GROUPS,
) -> ConfusionMatrix | Stack:
    """Count pairs of actual and predicted labels into a ConfusionMatrix; with `by`, into one per group.

    Parameters
    ----------
    actual, predicted
        One label per item, paired by position: arrays, lists, series, Arrow columns, tensors on the
        CPU, or iterables, which are read in chunks.
    labels
        The classes and their order; otherwise the labels that occur, sorted (categories in their
        own order).
    weights
        One number per pair, the weight of one item; the matrix then holds sums of weights (integers
        stay integers).
    tally
        One whole number per pair: how many items there are of the kind. Each of them counts by
        itself.
    by
        One group per pair, or a mapping of name to such groups, which are crossed: {"sex": sex,
        "age": age}. The result is a Stack of matrices over common labels.
    clusters
        One cluster per pair, for items that resemble each other: the patient, document or prompt
        that an item belongs to. The result is a Stack along "cluster": its `sum()` is the matrix,
        and its intervals treat a cluster, not an item, as the unit that was sampled.
    strata
        One stratum per pair, for items that were drawn from each by itself. The result is a Stack
        along "stratum", whose `standardize(sizes)` is the matrix of the whole. With `clusters`,
        these were drawn within strata.
    probability
        One number per pair, the probability that the item had to be drawn; the result is a
        `Sample`, whose scores have the intervals of that design.
    missing
        The treatment of None, NaN and the like: an "error", or "drop", or "collect" as the outside
        label "(missing)".
    other
        The treatment of labels that `labels` does not name: an "error", or "drop", or "collect" as
        "(other)".
    positive
        The positive class of a binary problem.
    answers
        `Answers`, rules by which free answers of the predicted side become labels. An unreadable
        answer is an error, is left out, or is collected as "(invalid)", as `other` says. Actual
        labels must then be classes.
    sparse
        Store only the non-zero cells (True), the whole table (False), or the smaller of the two
        (None).
    threads
        The most threads; by default as many as the machine offers, and one for small input.
    max_classes, max_groups
        The most classes and groups; more are an error, before memory is taken.

    Returns
    -------
    ConfusionMatrix or Stack
        The matrix; with `by` or `clusters`, a Stack. Its `notes` say which labels are probably a
        mistake.

    Raises
    ------
    InputError
        The two sides cannot be paired, or an option is wrong.
    LabelError
        A label is missing or unknown, and no option says how it counts.
    BudgetError
        There are more classes or groups than allowed.

    Examples
    --------
    >>> print(count(["Cat", "Hen", "Cat"], ["Cat", "Cat", "Cat"]))
            predicted
    actual  Cat  Hen  │ total
    Cat       2    0  │     2
    Hen       1    0  │     1
    total     3    0  │     3
    """
    if columns:
        msg = (
            "`count` takes the two columns themselves, count(frame['y'], frame['pred']); "
            "count_frame(frame, actual='y', predicted='pred') takes a frame and the names of its "
            "columns"
        )
        raise InputError(msg)
    policy = policy_of(
        labels,
        missing,
        other,
        positive,
        max_classes,
        answers,
        sparse=sparse,
        threads=threads,
        max_groups=max_groups,
    )
    if tally is not None:
        weights = read_tally(tally, weights, actual)
    if probability is not None:
        if any(each is not None for each in (by, clusters, strata, weights, tally)):
            msg = (
                "`probability` weighs each item by itself; leave out `by`, `clusters`, "
                "`strata`, `weights` and `tally`"
            )
            raise InputError(msg)
        return look(_drawn_with(actual, predicted, probability, policy), policy)
    groups, axis = _grouping(by, clusters, strata)
    found = count_pairs(actual, predicted, weights, groups, policy)
    if tally is not None:
        found = _of_items(found)
    found = look(found, policy)
    return found.along(axis) if axis is not None and isinstance(found, Stack) else found


def _grouping(by: Any, clusters: Any, strata: Any) -> tuple[Any, str | None]:
    """The groups of pairs, and the axis of the stack where the groups do not name it."""
    if by is not None and (clusters is not None or strata is not None):
        msg = Message(
            "{by} makes a stack, and so do `clusters` and `strata`; give one of them, and count "
            "each group by itself"
        )
        raise InputError(msg)
    if strata is None:
        return (by, None) if clusters is None else (clusters, "cluster")
    if clusters is None:
        return strata, None if isinstance(strata, Mapping) else "stratum"
    crossed = strata if isinstance(strata, Mapping) else {"stratum": strata}
    return {**crossed, "cluster": clusters}, None


def _drawn_with(actual: Any, predicted: Any, probability: Any, policy: Policy) -> Sample:
    """The sample of items that were drawn with probabilities of their own."""
    if not hasattr(actual, "__len__") or not hasattr(predicted, "__len__"):
        msg = "items with a `probability` are read twice; give lists or arrays, not streams"
        raise InputError(msg)
    weights = inverse(probability, like=actual, what="drawn")
    weighted, items = (
        count_pairs(actual, predicted, each, None, policy) for each in (weights, None)
    )
    assert isinstance(weighted, ConfusionMatrix)
    assert isinstance(items, ConfusionMatrix)
    return unequal(weighted, items)


def _counting(module: str) -> Any:
    """A module that a plain count does not load: how groups are counted, or a stream."""
    return import_module(f"confmat.counting.{module}")


def read_tally(tally: Any, weights: Any, actual: Any) -> Any:
    """Numbers of items, whole ones."""
    if weights is not None:
        msg = (
            "`tally` and `weights` each give a number for each pair, of items or how much "
            "one weighs; give one of them"
        )
        raise InputError(msg)
    try:
        in_a_row = len(np.shape(tally)) == 1 and hasattr(actual, "__len__")
    except ValueError:
        # No table of numbers; reading it says so.
        in_a_row = False
    many = whole(read_weights(tally, len(actual) if in_a_row else None, "tally", like=actual))
    if many is None:
        msg = "`tally` holds whole numbers, how many items there are of a kind; `weights` takes any"
        raise InputError(msg)
    return many


def _of_items(found: Any) -> Any:
    """The same numbers as those of items, each of which weighs 1, and so does its square."""
    if isinstance(found, ConfusionMatrix):
        return ConfusionMatrix._of(found.labels, found._counts, None, found.dropped)
    parts = {key: _of_items(m) for key, m in found.items()}
    return Stack(parts, axis=found.axis, ungrouped=found.ungrouped)


def count_pairs(
    actual: Any, predicted: Any, weights: Any, by: Any, policy: Policy
) -> ConfusionMatrix | Stack:
    """Count under a policy that has been checked."""
    check_shapes(actual, predicted)
    row, col = column_of(actual, "actual"), column_of(predicted, "predicted")
    if row is None or col is None:
        return _counting("joining").count_stream(actual, predicted, weights, by, policy)
    if len(row.codes) != len(col.codes):
        msg = Message(
            "{actual} has {:,} labels and {predicted} has {:,}; they are paired by position, so "
            "there must be as many",
            len(row.codes),
            len(col.codes),
        )
        raise InputError(msg)
    check_beside(actual, weights=weights, by=by)
    check_indexes(actual, predicted=predicted, weights=weights, by=by)
    numbers = None if weights is None else read_weights(weights, len(row.codes), like=actual)
    if by is not None:
        return _counting("groups").count_groups(row, col, by, numbers, policy)
    return count_columns(row, col, numbers, policy)


def policy_of(
    labels: Any,
    missing: Any,
    other: Any,
    positive: Any,
    max_classes: int,
    answers: Rules | None = None,
    *,
    sparse: bool | None = None,
    threads: int | None = None,
    max_groups: int = MAX_GROUPS,
) -> Policy:
    """Check the options of a count, once."""
    for name, value in (("missing", missing), ("other", other)):
        one_of(name, value, Action)
    max_classes = whole_number("max_classes", max_classes)
    max_groups = whole_number("max_groups", max_groups)
    threads = None if threads is None else whole_number("threads", threads)
    sparse = flag_if_any("sparse", sparse)
    if labels is not None and not isinstance(labels, Labels):
        # Categories, or a categorical series, say which classes there are.
        categories = getattr(getattr(labels, "cat", labels), "categories", None)
        labels = Labels(as_names(labels if categories is None else categories))
    rules = None
    if answers is not None:
        rules, labels = check_rules(answers)._for_classes(labels, other)
    if labels is not None and positive is not None:
        labels, positive = labels.replace(positive=positive), None
    return Policy(
        labels,
        missing,
        other,
        positive,
        max_classes,
        answers=rules,
        sparse=sparse,
        threads=threads,
        max_groups=max_groups,
    )


def check_indexes(actual: Any, **others: Any) -> None:
    """Warn where series would be paired otherwise by their indexes than by position."""
    index: Any = getattr(actual, "index", None)
    # A list has an `index` too, but only that of a series can differ.
    if not hasattr(index, "equals"):
        return
    for name, values in others.items():
        other: Any = getattr(values, "index", None)
        if index is not other and hasattr(other, "equals") and not index.equals(other):
            msg = Message(
                "{actual} and {} have different indexes and were paired by position; align them "
                "first "
                "(`{}.reindex(actual.index)`) if the index should decide",
                Argument(name),
                name,
            )
            warn(msg, AlignmentWarning)


def count_table(
    actual: Any, predicted: Any, counts: Any, policy: Policy, *, squares: Any = None
) -> ConfusionMatrix:
    """The matrix of a table of (actual, predicted, count), under the same policies as `count`.

    `counts` are numbers of pairs, or sums of weights when `squares`, their sums of squares, come
    with them.
    """
    row, col = column_of(actual, "actual"), column_of(predicted, "predicted")
    if row is None or col is None or len(row.codes) != len(col.codes):
        msg = "a table of counted pairs needs as many actual as predicted labels"
        raise InputError(msg)
    numbers = read_weights(counts, len(row.codes), "counts")
    left, right = coded(row), coded(col)
    is_whole = numbers.dtype.kind != "f" and dense_is_better(left.size, right.size, len(numbers))
    sums = sums_of(left, right, numbers) if is_whole else count_raw(left, right, numbers, 1)
    column = side_of(right, sums, 1, PREDICTED)
    placement = place_columns(left, right, policy, side_of(left, sums, 0, ACTUAL), column)
    entered(policy, placement, column, [sums])
    sums.squares = None
    if squares is not None:
        # The kernel squared counts of pairs; the squares of their weights were summed elsewhere.
        weighed = read_weights(squares, len(row.codes), "squares").astype(np.float64)
        known = count_raw(left, right, weighed, 1)
        sums.squares = known.table if known.cells is None else known.cells[2]
    counts, second = placed(sums, placement, None, sparse=policy.sparse)
    return ConfusionMatrix._of(placement.labels, counts, second, left_out(sums, placement))

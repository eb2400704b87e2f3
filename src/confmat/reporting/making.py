"""`report`: classes and averages in rows, metrics in columns; of a stack, its matrices or its labels in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_of
from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.sources import opened
from confmat.core.stack import Stack
from confmat.core.text import printable, some
from confmat.metrics.averages import (
    Average,
    Choice,
    Undefined,
    average_named,
    check_undefined,
    chosen,
)
from confmat.metrics.catalog import Score, one_number, parse_score, several, unseen
from confmat.metrics.declaration import Metric
from confmat.metrics.items import (
    EXACT,
    HAMMING,
    SAMPLES,
    check_same_items,
    exact_match,
    gathered,
    is_of_labels,
    many_of,
    needs_items,
    samples_of,
    score_of_labels,
)
from confmat.metrics.margins import Outside, read_cells, shared
from confmat.reporting.value import Report, check_digits

Floats = NDArray[Any]
# Each average of all metrics, the classes that each was taken over, and what it refused and why.
Means = tuple[dict[str, Floats], dict[str, tuple[Choice, list[str]] | None], list[str]]


@dataclass(frozen=True)
class Request:
    """The contents of a report: metrics in columns, averages in rows, single scores, and how they are computed."""

    columns: list[Metric]
    singles: list[Score]
    averages: tuple[Average, ...]
    digits: int
    undefined: Undefined
    outside: Outside
    intervals: bool | float


def values_of(m: Any, cells: Cells, request: Request) -> Floats:
    """One row of values per metric."""
    values = np.empty((len(request.columns), np.shape(cells.tp)[-1]))
    # The metrics share intermediate results through the memo of the cells.
    kept = cells if cells.memo is not None else shared(replace(cells, memo=None))
    for i, metric in enumerate(request.columns):
        read = m if metric.needs == "cells" else kept
        values[i] = metric.per_class(read, outside=request.outside)
    return values


def means_of(m: Any, values: Floats, cells: Cells, request: Request) -> Means:
    """Each average of all metrics at once; what an average refuses is NaN with a note."""
    columns, undefined = request.columns, request.undefined
    known = [metric.when_never_predicted for metric in columns]
    fills = np.array([[np.nan if fill is None else fill] for fill in known])
    means: dict[str, Floats] = {}
    choices: dict[str, tuple[Choice, list[str]] | None] = {}
    notes: dict[str, None] = {}
    for average in request.averages:
        refused = [_refusal(metric, average, undefined) for metric in columns]
        notes |= dict.fromkeys(filter(None, refused))
        row, choices[average.name] = np.full(len(columns), np.nan), None
        if not average.pooled:
            choice = chosen(values, cells, average, undefined, fills)
            choices[average.name] = (choice, refused)
            row = np.array(average.formula(choice.values, choice.weights), dtype=np.float64)
        for i, metric in enumerate(columns):
            if refused[i]:
                row[i] = np.nan
            elif average.pooled:
                options: Any = {"undefined": undefined, "outside": request.outside}
                row[i] = metric(m, average=average, **options)
        means[average.name] = row
    return means, choices, list(notes)


def _refusal(metric: Metric, average: Average, undefined: Undefined) -> str:
    try:
        metric._refuse(average, undefined, None)
    except MetricError as error:
        return str(error)
    return ""


def _place_of_yes(stack: Stack) -> int:
    """Which of the two classes of each matrix says that the label is there."""
    return stack.labels.index(positive_of(stack.labels))


def check_stack(stack: Stack, items: Any, request: Request) -> Stack | None:
    """Complain of a stack that has no labels in its rows, and of means over items where there are none.

    Gives the items, those with the same matrix once.
    """
    if not is_of_labels(stack):
        msg = (
            "with `items`, `report` reads a Stack along 'label' of matrices over False and True, "
            "not a stack along "
            f"{stack.axis!r}"
        )
        raise MetricError(msg)
    if items is None:
        if SAMPLES in request.averages or any(map(needs_items, request.singles)):
            msg = (
                "exact match and means over items need the items: report(stack, "
                "items=count_multilabel(..., along='item'))"
            )
            raise MetricError(msg)
        return None
    check_same_items(stack, items)
    return gathered(items)


def _report_labels(stack: Stack, items: Stack | None, request: Request) -> Report:
    """Return a report on the labels of a stack; `items` are the same counts by item, for their means."""
    items = check_stack(stack, items, request)
    # Items with several labels have none outside of them.
    request = replace(request, singles=request.singles or usual(items), outside="wrong")
    cells = shared(stack.cells.at(_place_of_yes(stack)))
    values = values_of(cells, cells, request)
    over_labels = tuple(average for average in request.averages if average is not SAMPLES)
    means, choices, notes = means_of(cells, values, cells, replace(request, averages=over_labels))
    if items is not None and SAMPLES in request.averages:
        over_items = _means_over_items(items, request)
        means, choices = means | over_items[0], choices | over_items[1]
        notes = list(dict.fromkeys([*notes, *over_items[2]]))
    numbers = {
        str(score): _single(score, stack, items, cells, request.undefined)
        for score in request.singles
    }
    return Report(
        classes=tuple(stack),
        metrics=tuple(request.columns),
        values=values.T,
        support=np.asarray(cells.actual),
        averages=MappingProxyType(
            {average.name: means[average.name] for average in request.averages}
        ),
        overall=MappingProxyType(numbers),
        total=np.asarray(cells.actual).sum().item(),
        digits=request.digits,
        notes=tuple(notes),
        undefined=request.undefined,
        intervals=_bounds().of_labels(stack, items, request) if _has_bounds(request) else None,
        _choices=choices,
        _reasons=_reasons(request.singles),
    )


def _means_over_items(items: Stack, request: Request) -> Means:
    """The means over items, each of which may represent several."""
    request = replace(request, averages=(samples_of(items),))
    cells, many = shared(items.cells.at(_place_of_yes(items))), many_of(items)
    means, choices, notes = means_of(cells, values_of(cells, cells, request), cells, request)
    known = {
        name: None if choice is None else (replace(choice[0], many=many), choice[1])
        for name, choice in choices.items()
    }
    return means, known, notes


def _reasons(singles: list[Score]) -> dict[str, str]:
    return {str(single): getattr(single.metric, "undefined", None) or "" for single in singles}


def _has_bounds(request: Request) -> bool:
    return request.intervals is not False


def _bounds() -> Any:
    """Return the module of intervals, which a report without them does not load."""
    return import_module("confmat.reporting.bounds")


def usual(items: Stack | None) -> list[Score]:
    """Return the scores over items that are reported where none are named."""
    return [Score(HAMMING)] if items is None else [Score(EXACT), Score(HAMMING)]


def _single(
    score: Score, stack: Stack, items: Stack | None, cells: Cells, undefined: Undefined
) -> Any:
    if score.metric is HAMMING:
        return score.metric(stack.sum())
    if items is not None and score.metric is EXACT:
        return exact_match(items)
    if items is not None and score.average is SAMPLES:
        each = items.cells.at(_place_of_yes(items))
        return score.metric(each, average=samples_of(items), undefined=undefined)
    if not isinstance(score.metric, Metric) or score.metric.kind != "class":
        msg = (
            f"{score} is a score of one matrix, and several labels have none in common; of one "
            "label, "
            "confmat.score(stack[label], ...); of all, hamming_loss and exact_match"
        )
        raise MetricError(msg)
    if score.of is None:
        return score.metric(cells, average=score.average, undefined=undefined)
    return score.metric(cells)[list(stack).index(label_called(stack, score.of))].item()


def label_called(stack: Stack, text: Any) -> Any:
    """The label that is called so, or prints so."""
    chosen = next((key for key in stack if key == text or printable(key) == text), None)
    if chosen is None:
        msg = f"there is no label {printable(repr(text)):.60}; there are {some(stack, 8)}"
        raise MetricError(msg)
    return chosen


# Default scores.
SCORES = ("accuracy", "balanced_accuracy", "f1.macro", "kappa", "mcc")


def _report_members(stack: Stack, request: Request) -> Report:
    """Return a report with one row for each matrix of a stack."""
    scores = request.singles
    parts = [_value(score, stack, request) for score in scores]
    return Report(
        classes=tuple(stack),
        metrics=tuple(map(column_of_score, scores)),
        values=np.array(parts, dtype=np.float64).reshape(len(scores), len(stack)).T,
        support=np.asarray(stack.total),
        averages={},
        overall={},
        total=np.asarray(stack.total).sum().item(),
        digits=request.digits,
        undefined=request.undefined,
        axis=stack.axis,
        intervals=_bounds().of_members(stack, request) if _has_bounds(request) else None,
    )


def column_of_score(score: Score) -> Metric:
    """Return a metric under the name of the whole score, such as "f1.macro", for the head of a column."""
    if not isinstance(score.metric, Metric):
        msg = f"{score.metric!r:.60} is a value that another package computes; a column is a metric"
        raise MetricError(msg)
    return (
        score.metric if str(score) == score.metric.name else replace(score.metric, name=str(score))
    )


def _member_scores(stack: Stack, metrics: Any, averages: Any, overall: Any) -> list[Score]:
    """The scores that are one number: of a metric per class its averages, or the positive class of two."""
    asked = several(SCORES if metrics is None else metrics, "metrics")
    asked += [] if overall is None else several(overall, "overall")
    means = [] if averages is None else several(averages, "averages", Average)
    means = list(map(average_named, means))
    scores: list[Score] = []
    for score in map(parse_score, asked):
        if score.is_per_class and means:
            scores += [replace(score, average=mean) for mean in means]
        else:
            scores.append(one_number(score, stack.labels))
    return list(dict.fromkeys(scores))


def _value(score: Score, m: ConfusionMatrix | Stack, request: Request) -> Any:
    if not isinstance(score.metric, Metric):
        return score(m) if isinstance(m, ConfusionMatrix) else [score(part) for part in m.values()]
    options = {} if score.average is None else {"undefined": request.undefined}
    return score(m, outside=request.outside, **options)


# Default columns, averages, and scores that are one number.
METRICS = ("precision", "recall", "specificity", "f1")
AVERAGES = ("macro", "weighted")
AVERAGES_OF_LABELS = ("micro", "macro", "weighted")
OVERALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")


@opened
@door
def report(
    m: ConfusionMatrix | Stack,
    metrics: Any = None,
    *more: Any,
    of: Any = None,
    averages: str | Average | Iterable[str | Average] | None = None,
    overall: Any = None,
    digits: int = 3,
    undefined: Undefined = "fair",
    outside: Outside = "wrong",
    intervals: bool | float = False,
    items: Stack | None = None,
) -> Report:
    """Score a matrix, or the matrices of a stack: per class, averaged and overall.

    Parameters
    ----------
    m
        A matrix; the stack that `count_multilabel` gives of items with several labels, whose labels
        are the rows; or any other stack, such as groups or models, whose matrices are the rows and
        whose columns are scores. A path means what `load` reads of it, and so does the log of
        an evaluation.
    metrics, *more
        Names, scores such as "f1.macro" or Metric values of your own, in a list or one after
        another. Single numbers, of the whole matrix or averages, are below the table; without
        other scores there is no table. In a report of groups or models, a metric per class needs an
        average or a class, "f1.macro" or "f1[Cat]", or `averages`; of two classes with a positive
        one it means that class.
    of
        A class; its scores alone are reported.
    averages
        Averages over classes, such as "macro".
    overall
        Scores that are one number; by default a few, unless `metrics` names some. A bare score per
        class is that of the positive one of two classes.
    digits
        Decimals that are printed.
    undefined, outside
        As in the call of a metric.
    intervals
        Whether each number has its interval, or their level, such as 0.9.
    items
        The count of the items of `m` along "item"; it adds means over items ("samples") and the
        share of items that are all right.

    Returns
    -------
    Report
        The scores, which print as a table and are written in every format.

    Raises
    ------
    MetricError
        If `m` is neither a matrix nor a stack, or a score does not go with it.

    Examples
    --------
    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> print(report(m, ["precision", "recall", "f1"]))
              precision  recall     f1  support
    Cat           0.308   0.667  0.421        6
    Fish          0.667   0.200  0.308       10
    Hen           0.667   0.667  0.667        9
    <BLANKLINE>
    macro         0.547   0.511  0.465       25
    weighted      0.581   0.480  0.464       25
    <BLANKLINE>
    accuracy           0.480
    balanced accuracy  0.511
    kappa              0.255
    mcc                0.287
    >>> print(report(m, "sensitivity", "precision", of="Cat"))
    recall[Cat]     0.667
    precision[Cat]  0.308
    """
    _check_counts(m, items)
    check_undefined(undefined)
    check_digits(digits)
    if more:
        metrics = [metrics, *more]
    if of is not None:
        metrics = _scores_of_class(METRICS if metrics is None else metrics, of)
    if isinstance(m, Stack) and items is None and not is_of_labels(m):
        scores = _member_scores(m, metrics, averages, overall)
        made = _report_members(m, Request([], scores, (), digits, undefined, outside, intervals))
        return replace(made, notes=(*made.notes, *map(str, m.notes)))
    columns, singles, with_support = _sorted_out(m, METRICS if metrics is None else metrics)
    singles = list(dict.fromkeys([*singles, *_overall_scores(m, overall, bool(singles))]))
    means = _averages_wanted(averages, m, items)
    request = Request(columns, singles, means, digits, undefined, outside, intervals)
    made = _report_labels(m, items, request) if isinstance(m, Stack) else _report_matrix(m, request)
    notes = (*made.notes, *map(str, m.notes))
    return replace(made, notes=notes, _with_support=with_support)


def _check_counts(m: Any, items: Any) -> None:
    """Refuse anything but a matrix, or a stack with its items or without."""
    if isinstance(m, Stack) or (isinstance(m, ConfusionMatrix) and items is None):
        return
    is_matrix = isinstance(m, ConfusionMatrix)
    what = f"{type(m).__name__} with `items`" if is_matrix else f"{type(m).__name__}; {MAKES_ONE}"
    msg = f"`report` reads a ConfusionMatrix or a Stack, not {what}"
    raise MetricError(msg)


def _scores_of_class(metrics: Any, of: Any) -> list[Score]:
    scores = map(parse_score, several(metrics, "metrics"))
    return [replace(score, of=of) if score.is_per_class else score for score in scores]


def _averages_wanted(averages: Any, m: Any, items: Any) -> tuple[Average, ...]:
    usual: tuple[str, ...] = AVERAGES
    if isinstance(m, Stack):
        usual = AVERAGES_OF_LABELS if items is None else (*AVERAGES_OF_LABELS, "samples")
    named = several(usual if averages is None else averages, "averages", Average)
    return tuple(
        SAMPLES if isinstance(m, Stack) and each == "samples" else average_named(each)
        for each in named
    )


def _overall_scores(m: Any, overall: Any, has_singles: bool) -> list[Score]:
    if overall is None:
        # A caller who asks for mcc alone wants to read that alone.
        overall = () if has_singles or isinstance(m, Stack) else OVERALL
    read, labels = _reader(m), None if isinstance(m, Stack) else m.labels
    return [one_number(read(each), labels) for each in several(overall, "overall")]


def _reader(m: Any) -> Callable[[Any], Score]:
    return score_of_labels if isinstance(m, Stack) else parse_score


def _report_matrix(m: ConfusionMatrix, request: Request) -> Report:
    columns, singles, outside = request.columns, request.singles, request.outside
    cells = read_cells(m, outside)
    values = values_of(m, cells, request)
    means, choices, notes = means_of(m, values, cells, request)
    if m.labels.outside:
        notes += _outside_notes(m, outside)
    # The report itself says it of a mean that is a row of the table.
    in_table = {(metric, average) for metric in columns for average in request.averages}
    for score in singles:
        is_shown = (score.metric, score.average) in in_table
        remark = "" if is_shown else unseen(score, m, request.undefined, outside)
        if remark:
            notes.append(f"{str(score).replace('_', ' ')}: {remark}")
    return Report(
        classes=m.labels.classes,
        metrics=tuple(columns),
        values=values.T,
        support=np.asarray(cells.actual),
        averages=MappingProxyType(means),
        overall=MappingProxyType({str(score): _value(score, m, request) for score in singles}),
        total=m.total if outside == "wrong" else _total(m, outside),
        digits=request.digits,
        notes=tuple(notes),
        undefined=request.undefined,
        intervals=_bounds().of_matrix(m, request) if _has_bounds(request) else None,
        _choices=choices,
        _reasons=_reasons(singles),
    )


def _total(m: ConfusionMatrix, outside: Outside) -> int | float:
    """How many items the classes have."""
    total: int | float = read_cells(m, outside).total.flat[0].item() if m.n_classes else 0
    return total


def _sorted_out(m: Any, metrics: Iterable[Any]) -> tuple[list[Metric], list[Score], bool]:
    """Columns of the table, scores that are one number, and whether the support is asked for."""
    scores = list(map(_reader(m), several(metrics, "metrics")))
    singles = [score for score in scores if not _is_column(score)]
    columns = dict.fromkeys(score.metric for score in scores if _is_column(score))
    # Support has its own column at the end.
    per_class = [metric for metric in columns if metric.name != "support"]
    return per_class, singles, len(per_class) < len(columns)


def _is_column(score: Score) -> bool:
    return isinstance(score.metric, Metric) and score.is_per_class


def _outside_notes(m: ConfusionMatrix, outside: Outside) -> list[str]:
    asked, inside = _total(m, "wrong"), _total(m, "exclude")
    names = ", ".join(m.labels.outside)
    share = f"{inside / asked:.1%}" if asked else "none"
    what = "left out" if outside == "exclude" else "counted as wrong"
    msg = (
        f"items labelled {names}, outside the classes, are {what}; {share} of the items have a "
        "class on both sides"
    )
    return [msg]

"""`report`: classes and averages in rows, metrics in columns; of a stack, its matrices or its labels in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
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
# Each average of all metrics, over what each was taken and what it refused, and why it did.
Means = tuple[dict[str, Floats], dict[str, tuple[Choice, list[str]] | None], list[str]]


def values_of(m: Any, columns: list[Metric], cells: Cells, outside: Outside) -> Floats:
    """One row of values per metric."""
    values = np.empty((len(columns), np.shape(cells.tp)[-1]))
    # The metrics share intermediate results through the memo of the cells.
    kept = cells if cells.memo is not None else shared(replace(cells, memo=None))
    for i, metric in enumerate(columns):
        values[i] = metric.per_class(m if metric.needs == "cells" else kept, outside=outside)
    return values


def means_of(
    m: Any,
    columns: list[Metric],
    values: Floats,
    cells: Cells,
    how: tuple[Average, ...],
    undefined: Undefined,
    outside: Outside,
) -> Means:
    """Each average of all metrics at once; what an average refuses is NaN with a note."""
    fills = np.array(
        [[np.nan if x.when_never_predicted is None else x.when_never_predicted] for x in columns]
    )
    means: dict[str, Floats] = {}
    choices: dict[str, tuple[Choice, list[str]] | None] = {}
    notes: dict[str, None] = {}
    for average in how:
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
                row[i] = metric(m, average=average, undefined=undefined, outside=outside)
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


def check_stack(
    stack: Stack, items: Any, how: tuple[Average, ...], singles: list[Score]
) -> Stack | None:
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
    if items is None and (SAMPLES in how or any(map(needs_items, singles))):
        msg = (
            "exact match and means over items need the items: report(stack, "
            "items=count_multilabel(..., along='item'))"
        )
        raise MetricError(msg)
    if items is None:
        return None
    check_same_items(stack, items)
    return gathered(items)


def _report_labels(
    stack: Stack,
    items: Stack | None,
    columns: list[Metric],
    singles: list[Score],
    how: tuple[Average, ...],
    digits: int,
    undefined: Undefined,
) -> Report:
    """Return a report on the labels of a stack; `items` are the same counts by item, for their means."""
    place = _place_of_yes(stack)
    cells = shared(stack.cells.at(place))
    values = values_of(cells, columns, cells, "wrong")
    over_labels = tuple(one for one in how if one is not SAMPLES)
    means, choices, notes = means_of(cells, columns, values, cells, over_labels, undefined, "wrong")
    if items is not None and SAMPLES in how:
        each, mean, many = (
            shared(items.cells.at(_place_of_yes(items))),
            (samples_of(items),),
            many_of(items),
        )
        parts = means_of(
            each, columns, values_of(each, columns, each, "wrong"), each, mean, undefined, "wrong"
        )
        taken = {
            name: None if one is None else (replace(one[0], many=many), one[1])
            for name, one in parts[1].items()
        }
        means, choices, notes = (
            means | parts[0],
            choices | taken,
            list(dict.fromkeys([*notes, *parts[2]])),
        )
    singles = singles or usual(items)
    numbers = {str(score): _single(score, stack, items, cells, undefined) for score in singles}
    return Report(
        classes=tuple(stack),
        metrics=tuple(columns),
        values=values.T,
        support=np.asarray(cells.actual),
        averages=MappingProxyType({one.name: means[one.name] for one in how}),
        overall=MappingProxyType(numbers),
        total=np.asarray(cells.actual).sum().item(),
        digits=digits,
        notes=tuple(notes),
        undefined=undefined,
        _choices=MappingProxyType(choices),
        _reasons=_reasons(singles),
    )


def _reasons(singles: list[Score]) -> Mapping[str, str]:
    return MappingProxyType(
        {str(one): getattr(one.metric, "undefined", None) or "" for one in singles}
    )


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


def report_of_members(
    stack: Stack,
    metrics: Any,
    averages: Any,
    overall: Any,
    digits: int,
    undefined: Undefined,
    outside: Outside,
    intervals: bool | float,
) -> Report:
    """Return a report with one row for each matrix of a stack."""
    asked = several(SCORES if metrics is None else metrics, "metrics")
    asked += [] if overall is None else several(overall, "overall")
    means = [] if averages is None else several(averages, "averages", Average)
    how = list(map(average_named, means))
    scores = list(
        dict.fromkeys(one for text in asked for one in _member_score(parse_score(text), how, stack))
    )
    parts = [_value(score, stack, undefined, outside) for score in scores]
    values = np.array(parts, dtype=np.float64).reshape(len(scores), len(stack)).T
    made = Report(
        classes=tuple(stack),
        metrics=tuple(map(column_of_score, scores)),
        values=values,
        support=np.asarray(stack.total),
        averages={},
        overall={},
        total=np.asarray(stack.total).sum().item(),
        digits=digits,
        undefined=undefined,
        axis=stack.axis,
    )
    if intervals is False:
        return made
    return replace(
        made, intervals=_bounds().of_members(stack, scores, intervals, undefined, outside)
    )


def column_of_score(score: Score) -> Metric:
    """Return a metric under the name of the whole score, such as "f1.macro", for the head of a column."""
    if not isinstance(score.metric, Metric):
        msg = f"{score.metric!r:.60} is a value that another package computes; a column is a metric"
        raise MetricError(msg)
    return (
        score.metric if str(score) == score.metric.name else replace(score.metric, name=str(score))
    )


def _member_score(score: Score, means: list[Average], stack: Stack) -> list[Score]:
    """The scores that are one number: of a metric per class its averages, or the positive class of two."""
    if score.is_per_class and means:
        return [replace(score, average=mean) for mean in means]
    return [one_number(score, stack.labels)]


def _value(score: Score, m: ConfusionMatrix | Stack, undefined: Undefined, outside: Outside) -> Any:
    if not isinstance(score.metric, Metric):
        return score(m) if isinstance(m, ConfusionMatrix) else [score(one) for one in m.values()]
    options = {} if score.average is None else {"undefined": undefined}
    return score(m, outside=outside, **options)


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
        whose columns are scores. A path stands for what `load` reads of it, and so does the log of
        an evaluation.
    metrics, *more
        Names, scores such as "f1.macro" or Metric values of your own, in a list or one after
        another. Single numbers, of the whole matrix or averages, stand below the table; without
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
    if not isinstance(m, (ConfusionMatrix, Stack)) or (
        items is not None and not isinstance(m, Stack)
    ):
        is_one = isinstance(m, ConfusionMatrix)
        what = f"{type(m).__name__} with `items`" if is_one else f"{type(m).__name__}; {MAKES_ONE}"
        msg = f"`report` reads a ConfusionMatrix or a Stack, not {what}"
        raise MetricError(msg)
    check_undefined(undefined)
    if more:
        metrics = [metrics, *more]
    if of is not None:
        scores = [
            parse_score(each)
            for each in several(METRICS if metrics is None else metrics, "metrics")
        ]
        metrics = [replace(each, of=of) if each.is_per_class else each for each in scores]
    if isinstance(m, Stack) and items is None and not is_of_labels(m):
        check_digits(digits)
        made = report_of_members(
            m, metrics, averages, overall, digits, undefined, outside, intervals
        )
        return replace(made, notes=(*made.notes, *map(str, m.notes)))
    read = score_of_labels if isinstance(m, Stack) else parse_score
    columns, singles, with_support = _sorted_out(METRICS if metrics is None else metrics, read)
    if overall is None:
        # Who asks for mcc and nothing else wants to read nothing else.
        overall = () if singles or isinstance(m, Stack) else OVERALL
    labels = None if isinstance(m, Stack) else m.labels
    singles += [one_number(read(each), labels) for each in several(overall, "overall")]
    how = _means_wanted(averages, m, items)
    check_digits(digits)
    if isinstance(m, Stack):
        items = check_stack(m, items, how, singles)
        made = _report_labels(
            m, items, columns, list(dict.fromkeys(singles)), how, digits, undefined
        )
    else:
        made = _report_matrix(m, columns, singles, how, digits, undefined, outside)
    if intervals is False:
        bounds = None
    elif isinstance(m, Stack):
        bounds = _bounds().of_labels(
            m, items, columns, singles or usual(items), how, undefined, intervals
        )
    else:
        bounds = _bounds().of_matrix(m, columns, singles, how, intervals, undefined, outside)
    made = replace(made, intervals=bounds, notes=(*made.notes, *map(str, m.notes)))
    return replace(made, _with_support=True) if with_support else made


def _means_wanted(averages: Any, m: Any, items: Any) -> tuple[Average, ...]:
    if not isinstance(m, Stack):
        return tuple(
            map(
                average_named,
                several(AVERAGES if averages is None else averages, "averages", Average),
            )
        )
    usual = AVERAGES_OF_LABELS if items is None else (*AVERAGES_OF_LABELS, "samples")
    named = several(usual if averages is None else averages, "averages", Average)
    return tuple(SAMPLES if one == "samples" else average_named(one) for one in named)


def _report_matrix(
    m: ConfusionMatrix,
    columns: list[Metric],
    singles: list[Score],
    how: tuple[Average, ...],
    digits: int,
    undefined: Undefined,
    outside: Outside,
) -> Report:
    cells = read_cells(m, outside)
    values = values_of(m, columns, cells, outside)
    means, choices, notes = means_of(m, columns, values, cells, how, undefined, outside)
    numbers = {str(score): _value(score, m, undefined, outside) for score in dict.fromkeys(singles)}
    total = m.total if outside == "wrong" else cells.total.flat[0].item() if m.n_classes else 0
    if m.labels.outside:
        notes += _outside_notes(m, outside)
    # The report itself says it of a mean that stands in the table.
    alone = [score for score in singles if score.average not in how or score.metric not in columns]
    remarks = {str(score): unseen(score, m, undefined, outside) for score in alone}
    notes += [f"{name.replace('_', ' ')}: {remark}" for name, remark in remarks.items() if remark]
    return Report(
        classes=m.labels.classes,
        metrics=tuple(columns),
        values=values.T,
        support=np.asarray(cells.actual),
        averages=MappingProxyType(means),
        overall=MappingProxyType(numbers),
        total=total,
        digits=digits,
        notes=tuple(notes),
        undefined=undefined,
        _choices=MappingProxyType(choices),
        _reasons=_reasons(singles),
    )


def _sorted_out(
    metrics: Iterable[Any], read: Callable[[Any], Score]
) -> tuple[list[Metric], list[Score], bool]:
    """Columns of the table, scores that are one number, and whether the support is asked for."""
    columns: list[Metric] = []
    singles: list[Score] = []
    with_support = False
    for text in several(metrics, "metrics"):
        score = read(text)
        if isinstance(score.metric, Metric) and score.is_per_class:
            # Support has its own column at the end.
            with_support = with_support or score.metric.name == "support"
            if score.metric not in columns and score.metric.name != "support":
                columns.append(score.metric)
        else:
            singles.append(score)
    return columns, singles, with_support


def _outside_notes(m: ConfusionMatrix, outside: Outside) -> list[str]:
    asked = m.cells.total.flat[0].item() if m.n_classes else 0
    inside = read_cells(m, "exclude").total.flat[0].item() if m.n_classes else 0
    names = ", ".join(m.labels.outside)
    share = f"{inside / asked:.1%}" if asked else "none"
    what = "left out" if outside == "exclude" else "counted as wrong"
    return [
        (
            f"items labelled {names}, outside the classes, are {what}; {share} of the items have a "
            "class on both sides"
        )
    ]

"""Making reports: of a matrix, of the labels of items that have several, and of the matrices of a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.stack import Stack
from confmat.metrics.averages import Average, Undefined, average_named, check_undefined
from confmat.metrics.catalog import Score, parse_score, several
from confmat.metrics.declaration import Metric
from confmat.metrics.items import SAMPLES, is_of_labels, score_of_labels
from confmat.metrics.margins import Outside, read_cells
from confmat.reporting.intervals import Intervals
from confmat.reporting.members import report_of_members
from confmat.reporting.numbers import means_of, values_of
from confmat.reporting.stacks import check_stack, fields_of_stack, intervals_of_stack
from confmat.reporting.value import Report, check_digits

# Default columns, averages, and scores that are one number.
METRICS = ("precision", "recall", "specificity", "f1")
AVERAGES = ("macro", "weighted")
AVERAGES_OF_LABELS = ("micro", "macro", "weighted")
OVERALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")


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
        A matrix; the stack that `count_multilabel` gives of items with several labels, whose labels are the rows; or
        any other stack, such as groups or models, whose matrices are the rows and whose columns are scores.
    metrics, *more
        Names, scores such as "f1.macro" or Metric values of your own, in a list or one after another. Single numbers,
        of the whole matrix or averages, stand below the table; without other scores there is no table. In a report of
        groups or models, a metric per class needs an average or a class, "f1.macro" or "f1[Cat]", or `averages`; of
        two classes with a positive one it means that class.
    of
        A class; its scores alone are reported.
    averages
        Averages over classes, such as "macro".
    overall
        Scores that are one number; by default a few, unless `metrics` names some.
    digits
        Decimals that are printed.
    undefined, outside
        As in the call of a metric.
    intervals
        Whether each number has its interval, or their level, such as 0.9.
    items
        The count of the items of `m` along "item"; it adds means over items ("samples") and the share of items that
        are all right.

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
    if not isinstance(m, (ConfusionMatrix, Stack)) or (items is not None and not isinstance(m, Stack)):
        is_one = isinstance(m, ConfusionMatrix)
        what = f"{type(m).__name__} with `items`" if is_one else f"{type(m).__name__}; {MAKES_ONE}"
        msg = f"`report` reads a ConfusionMatrix or a Stack, not {what}"
        raise MetricError(msg)
    check_undefined(undefined)
    if more:
        metrics = [metrics, *more]
    if of is not None:
        scores = [parse_score(each) for each in several(METRICS if metrics is None else metrics, "metrics")]
        metrics = [replace(each, of=of) if each.is_per_class else each for each in scores]
    if isinstance(m, Stack) and items is None and not is_of_labels(m):
        check_digits(digits)
        return report_of_members(m, metrics, averages, overall, digits, undefined, outside, intervals)
    read = score_of_labels if isinstance(m, Stack) else parse_score
    columns, singles, with_support = _sorted_out(METRICS if metrics is None else metrics, read)
    if overall is None:
        # Who asks for mcc and nothing else wants to read nothing else.
        overall = () if singles or isinstance(m, Stack) else OVERALL
    singles += map(read, several(overall, "overall"))
    how = _means_wanted(averages, m, items)
    check_digits(digits)
    if isinstance(m, Stack):
        items = check_stack(m, items, how, singles)
        fields = fields_of_stack(m, items, columns, list(dict.fromkeys(singles)), how, undefined)
        made = Report(**fields, digits=digits, undefined=undefined)
    else:
        made = _report_matrix(m, columns, singles, how, digits, undefined, outside)
    if intervals is False:
        bounds = None
    elif isinstance(m, Stack):
        bounds = intervals_of_stack(m, items, columns, singles, how, undefined, intervals)
    else:
        bounds = Intervals.of(m, columns, singles, how, intervals, undefined, outside)
    made = replace(made, intervals=bounds)
    return replace(made, _with_support=True) if with_support else made


def _means_wanted(averages: Any, m: Any, items: Any) -> tuple[Average, ...]:
    if not isinstance(m, Stack):
        return tuple(map(average_named, several(AVERAGES if averages is None else averages, "averages", Average)))
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
    numbers = {str(score): _single(score, m, undefined, outside) for score in dict.fromkeys(singles)}
    total = m.total if outside == "wrong" else cells.total.flat[0].item() if m.n_classes else 0
    if m.labels.outside:
        notes += _outside_notes(m, outside)
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
        _reasons=MappingProxyType({str(one): getattr(one.metric, "undefined", None) or "" for one in singles}),
    )


def _sorted_out(metrics: Iterable[Any], read: Callable[[Any], Score]) -> tuple[list[Metric], list[Score], bool]:
    """Columns of the table, scores that are one number, and whether the support is asked for."""
    columns: list[Metric] = []
    singles: list[Score] = []
    with_support = False
    for text in several(metrics, "metrics"):
        score = read(text)
        if (
            isinstance(score.metric, Metric)
            and score.metric.kind == "class"
            and score.average is None
            and score.of is None
        ):
            # Support has its own column at the end.
            with_support = with_support or score.metric.name == "support"
            if score.metric not in columns and score.metric.name != "support":
                columns.append(score.metric)
        else:
            singles.append(score)
    return columns, singles, with_support


def _single(score: Score, m: ConfusionMatrix, undefined: Undefined, outside: Outside) -> Any:
    if not isinstance(score.metric, Metric):
        return score(m)
    options = {} if score.average is None else {"undefined": undefined}
    return score(m, outside=outside, **options)


def _outside_notes(m: ConfusionMatrix, outside: Outside) -> list[str]:
    asked = m.cells.total.flat[0].item() if m.n_classes else 0
    inside = read_cells(m, "exclude").total.flat[0].item() if m.n_classes else 0
    names = ", ".join(m.labels.outside)
    share = f"{inside / asked:.1%}" if asked else "none"
    what = "left out" if outside == "exclude" else "counted as wrong"
    return [f"items on the outside of the classes, {names}, are {what}; {share} of the items lie inside on both sides"]

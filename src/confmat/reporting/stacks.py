"""The report of a stack along "label": labels in rows, and means over labels and over items."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from confmat.core.building import positive_of
from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable, some
from confmat.metrics.averages import Average, Undefined
from confmat.metrics.catalog import Score
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
)
from confmat.metrics.margins import shared
from confmat.reporting.intervals import NO_BOUNDS, Bounds, Intervals, level_of
from confmat.reporting.numbers import means_of, values_of


def _place_of_yes(stack: Stack) -> int:
    """Which of the two classes of each matrix says that the label is there."""
    return stack.labels.index(positive_of(stack.labels))


def check_stack(stack: Stack, items: Any, how: tuple[Average, ...], singles: list[Score]) -> Stack | None:
    """Complain of a stack that has no labels in its rows, and of means over items where there are none.

    Gives the items, those with the same matrix once.
    """
    if not is_of_labels(stack):
        msg = (
            "with `items`, `report` reads a Stack along 'label' of matrices over False and True, not a stack along "
            f"{stack.axis!r}"
        )
        raise MetricError(msg)
    if items is None and (SAMPLES in how or any(map(needs_items, singles))):
        msg = (
            "exact match and means over items need the items: report(stack, items=count_multilabel(..., along='item'))"
        )
        raise MetricError(msg)
    if items is None:
        return None
    check_same_items(stack, items)
    return gathered(items)


def fields_of_stack(
    stack: Stack,
    items: Stack | None,
    columns: list[Metric],
    singles: list[Score],
    how: tuple[Average, ...],
    undefined: Undefined,
) -> dict[str, Any]:
    """Return the fields of a Report on the labels of a stack; `items` are the same counts by item, for their means."""
    place = _place_of_yes(stack)
    cells = shared(stack.cells.at(place))
    values = values_of(cells, columns, cells, "wrong")
    over_labels = tuple(one for one in how if one is not SAMPLES)
    means, choices, notes = means_of(cells, columns, values, cells, over_labels, undefined, "wrong")
    if items is not None and SAMPLES in how:
        each, mean, many = shared(items.cells.at(_place_of_yes(items))), (samples_of(items),), many_of(items)
        parts = means_of(each, columns, values_of(each, columns, each, "wrong"), each, mean, undefined, "wrong")
        taken = {name: None if one is None else (replace(one[0], many=many), one[1]) for name, one in parts[1].items()}
        means, choices, notes = means | parts[0], choices | taken, list(dict.fromkeys([*notes, *parts[2]]))
    singles = singles or _usual(items)
    numbers = {str(score): _single(score, stack, items, cells, undefined) for score in singles}
    return {
        "classes": tuple(stack),
        "metrics": tuple(columns),
        "values": values.T,
        "support": np.asarray(cells.actual),
        "averages": MappingProxyType({one.name: means[one.name] for one in how}),
        "overall": MappingProxyType(numbers),
        "total": np.asarray(cells.actual).sum().item(),
        "notes": tuple(notes),
        "_choices": MappingProxyType(choices),
        "_reasons": MappingProxyType({str(one): getattr(one.metric, "undefined", None) or "" for one in singles}),
    }


def intervals_of_stack(
    stack: Stack,
    items: Stack | None,
    columns: list[Metric],
    singles: list[Score],
    how: tuple[Average, ...],
    undefined: Undefined,
    wanted: bool | float,
) -> Any:
    """Bounds of each label, of whose items each is drawn once; and of means and what pools the labels, by items.

    Labels of one item go together, so only who knows the items knows how much a score of several labels varies.
    """
    level, yes = level_of(wanted), positive_of(stack.labels)
    each = [[_bounds(metric, m, yes, level) for metric in columns] for m in stack.values()]
    sides = np.array(each, np.float64).reshape(len(stack), len(columns), 2)
    asked: list[tuple[Metric, Average | None]] = [(metric, one) for one in how for metric in columns]
    singles = singles or _usual(items)
    asked += [(one.metric, one.average) for one in singles if one.of is None]
    bounds = iter(_bounds_of_means(asked, stack, items, undefined, level))
    means = {one.name: tuple(next(bounds) for _ in columns) for one in how}
    overall: dict[str, Bounds] = {
        str(one): next(bounds) if one.of is None else _bounds(one.metric, stack[_label(stack, one.of)], yes, level)
        for one in singles
    }
    return Intervals(level, sides[..., 0], sides[..., 1], means, overall)


def _usual(items: Stack | None) -> list[Score]:
    """Return the scores over items that are reported where none are named."""
    return [Score(HAMMING)] if items is None else [Score(EXACT), Score(HAMMING)]


def _bounds(metric: Metric, m: ConfusionMatrix, of: Any, level: float) -> Bounds:
    from confmat.intervals import interval

    if metric.unit == "items":
        return NO_BOUNDS
    estimated = interval(m, metric, of=of, level=level)
    return float(estimated.low), float(estimated.high)


def _bounds_of_means(
    asked: list[tuple[Metric, Average | None]], stack: Stack, items: Stack | None, undefined: Undefined, level: float
) -> list[Bounds]:
    """Return bounds of means over labels and items, and of pooled labels; none without items, and for counts."""
    from confmat.intervals.asked import ask
    from confmat.intervals.items import estimates_of_means

    if items is None:
        return [NO_BOUNDS] * len(asked)
    known = [one for one in asked if (one[1] is not None or one[0].kind == "matrix") and one[0].unit != "items"]
    asks = [ask(items, Score(metric, average), undefined=undefined, level=level) for metric, average in known]
    with np.errstate(all="ignore"):
        estimates = iter(estimates_of_means(asks, stack, items))
    return [_ends(next(estimates)) if one in known else NO_BOUNDS for one in asked]


def _ends(estimated: Any) -> Bounds:
    return NO_BOUNDS if estimated is None else (estimated.low, estimated.high)


def _single(score: Score, stack: Stack, items: Stack | None, cells: Cells, undefined: Undefined) -> Any:
    if score.metric is HAMMING:
        return score.metric(stack.sum())
    if items is not None and score.metric is EXACT:
        return exact_match(items)
    if items is not None and score.average is SAMPLES:
        each = items.cells.at(_place_of_yes(items))
        return score.metric(each, average=samples_of(items), undefined=undefined)
    if not isinstance(score.metric, Metric) or score.metric.kind != "class":
        msg = (
            f"{score} is a score of one matrix, and several labels have none in common; of one label, "
            "confmat.score(stack[label], ...); of all, hamming_loss and exact_match"
        )
        raise MetricError(msg)
    if score.of is None:
        return score.metric(cells, average=score.average, undefined=undefined)
    return score.metric(cells)[list(stack).index(_label(stack, score.of))].item()


def _label(stack: Stack, text: Any) -> Any:
    """The label that is called so, or prints so."""
    chosen = next((key for key in stack if key == text or printable(key) == text), None)
    if chosen is None:
        msg = f"there is no label {printable(repr(text)):.60}; there are {some(stack, 8)}"
        raise MetricError(msg)
    return chosen

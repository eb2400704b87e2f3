"""The numbers of a report: each metric of each class, each average of each metric, and what averages refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.metrics.averages import Average, Choice, Undefined, chosen
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Outside, shared

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
    fills = np.array([[np.nan if x.when_never_predicted is None else x.when_never_predicted] for x in columns])
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

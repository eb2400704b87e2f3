"""How far the scores of a report are from their best: what drawings of a report colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from confmat import _report_text
from confmat.text import abridge

if TYPE_CHECKING:
    from confmat.metrics.declaration import Metric
    from confmat.reporting import Report

__all__ = ["distances"]

# A score this close to its best is not coloured.
LEAST = 0.05


def distances(report: Report) -> list[list[float]]:
    """For each row of classes that is printed, how far each metric is from its best, as a part of its range.

    0 where that is little or unknown, as of a metric without bounds.
    """
    count = len(report.classes)
    places: list[int | None] = list(range(count))
    if count > _report_text.MOST:
        places = abridge(count, _report_text.HEAD, _report_text.TAIL)
    nothing = [0.0] * len(report.metrics)
    return [
        nothing if place is None else list(map(_distance, report.metrics, report.values[place].tolist()))
        for place in places
    ]


def _distance(metric: Metric, value: float) -> float:
    low, high = metric.bounds
    if metric.better == "neither" or low is None or high is None or not math.isfinite(high - low):
        return 0.0
    share = (value - low) / (high - low)
    share = 1 - share if metric.better == "higher" else share
    return share if share > LEAST else 0.0

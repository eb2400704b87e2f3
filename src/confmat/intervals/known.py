"""Known: the scores whose intervals hold the truth too seldom where a class has few items, and how seldom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.core.samples import Sample, holds_weights
from confmat.metrics import Metric

__all__ = ["WORST", "doubt", "known_as"]

# Test sets of 100, with 20 items of two classes, whose interval of 95 % holds the truth in the
# worst population that was found, where they are fewer than 90: `python -m
# benchmarks.coverage_search`.
WORST = {
    "cramer_v": 81,
    "f1": 87,
    "jaccard": 87,
    "lift": 85,
    "mutual_information": 82,
    "negative_predictive_value": 87,
    "precision": 89,
    "prevalence": 87,
    "recall": 85,
    "specificity": 89,
    "v_measure": 81,
}
_FEW = 10


def known_as(metric: Metric) -> str:
    """Return the name under which the coverage of a score is known: its own, or that of one minus it; "" of others."""
    if metric.name in WORST:
        return metric.name
    return metric.complement if metric.complement in WORST else ""


def doubt(metrics: Iterable[Metric], m: ConfusionMatrix, of: Any = None) -> str:
    """Return the remark that a class has so few items that intervals of these scores may hold the truth too seldom."""
    worst = _worst(metrics, m)
    if not worst or isinstance(m, Sample) or holds_weights(m):
        return ""
    items = np.asarray(m.actual_totals)
    occurs = of is None or items[m.labels.index(of)]
    if not occurs or items[items > 0].min(initial=_FEW) >= _FEW:
        return ""
    names = ", ".join(worst).replace("_", " ")
    return (
        f"a class has fewer than {_FEW} items: in the worst case known, 95 % intervals of {names} "
        f"hold the truth in {min(worst.values())} of 100 test sets"
    )


def _worst(metrics: Iterable[Metric], m: ConfusionMatrix) -> dict[str, int]:
    """How often the intervals of those scores hold the truth whose coverage is known for such a matrix."""
    searched = [metric for metric in metrics if metric.kind == "class" or m.n_classes == 2]
    return {metric.name: WORST[name] for metric in searched if (name := known_as(metric))}

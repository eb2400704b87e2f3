"""What peers other than PyCM compute that is no metric of ours: tuples, tests, and numbers by rules of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.metrics.catalogue import metric
from confmat.metrics.ordinal import on_scale
from confmat.metrics.peers.value import PeerValue

__all__ = ["values"]


def _likelihood_ratios(m: Any) -> tuple[float, float]:
    """Of the positive class; scikit-learn refuses more than two classes."""
    if m.positive is None:
        msg = "likelihood ratios as scikit-learn has them need a positive class: ConfusionMatrix(..., positive=...)"
        raise MetricError(msg)
    ratios = (metric("positive_likelihood_ratio"), metric("negative_likelihood_ratio"))
    return (float(ratios[0](m, of=m.positive)), float(ratios[1](m, of=m.positive)))


def _triple(m: Any) -> tuple[float, float, float]:
    return tuple(float(metric(name)(m)) for name in ("homogeneity", "completeness", "v_measure"))  # type: ignore[return-value]


def _pair_confusion(m: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    """Ordered pairs of items, by whether truth and prediction put them together."""
    cells = np.asarray(m.pairs().counts).astype(object)
    n, both = m.total, (cells * cells).sum()
    first = (m.actual_totals.astype(object) ** 2).sum()
    second = (m.predicted_totals.astype(object) ** 2).sum()
    apart = n * n - first - second + both
    return ((int(apart), int(second - both)), (int(first - both), int(both - n)))


def _two_intervals(m: Any) -> tuple[float, float]:
    """Clopper and Pearson, at 95 %."""
    from scipy.special import betaincinv

    right, wrong = float(m.diagonal.sum()), float(m.total - m.diagonal.sum())
    low = float(betaincinv(right, wrong + 1, 0.025)) if right else 0.0
    return low, float(betaincinv(right + 1, wrong, 0.975)) if wrong else 1.0


def _tail(m: Any) -> float:
    from confmat.metrics.baselines import accuracy_p_value

    return float(accuracy_p_value(m))


def _symmetry(m: Any) -> float:
    """McNemar's test for two classes, with continuity correction, Bowker's for more."""
    from scipy.special import chdtrc

    table = np.asarray(m.counts, dtype=np.float64)
    upper = np.triu_indices(len(table), 1)
    here, there = table[upper], table.T[upper]
    both = here + there
    if not np.all(both > 0):
        return float("nan")
    gap = np.abs(here - there) - (1 if len(table) == 2 else 0)
    gap = np.where(here == there, 0, gap)
    return float(chdtrc(len(both), float((gap * gap / both).sum())))


def values() -> dict[str, PeerValue]:
    """Tuples, test results and numbers of a rule of their own, by peer and name."""
    lines = [
        PeerValue(
            "class_likelihood_ratios", "sklearn", "both likelihood ratios of the positive class", _likelihood_ratios
        ),
        PeerValue("homogeneity_completeness_v_measure", "sklearn", "the three numbers as a tuple", _triple),
        PeerValue(
            "pair_confusion_matrix",
            "sklearn",
            "ordered pairs of items, together or apart on either side",
            _pair_confusion,
        ),
        PeerValue("AccuracyLower, AccuracyUpper", "caret", "Clopper-Pearson interval of the accuracy", _two_intervals),
        PeerValue("AccuracyPValue", "caret", "binomial tail against the no-information rate", _tail),
        PeerValue(
            "McnemarPValue",
            "caret",
            "symmetry of the matrix itself: whether classes are predicted as often as they occur, not two models",
            _symmetry,
        ),
    ]
    lines += [
        PeerValue(
            name,
            peer,
            f"{target.replace('_', ' ')} of labels that are numbers by what they are, of others by their places",
            _on_labels(target),
        )
        for peer, name, target in (
            ("sklearn", "mean_absolute_error", "mean_absolute_error"),
            ("sklearn", "mean_squared_error", "mean_squared_error"),
            ("sklearn", "root_mean_squared_error", "root_mean_squared_error"),
            ("imblearn", "macro_averaged_mean_absolute_error", "macro_mean_absolute_error"),
        )
    ]
    lines += [
        PeerValue(
            f"geometric_mean_score(average='{average}')",
            "imblearn",
            f"root of the {average} recall times the {average} specificity, no mean of the classes' geometric means",
            _root_of_two_means(average),
        )
        for average in ("macro", "micro", "weighted")
    ]
    return {f"{value.peer}:{value.name}": value for value in lines}


def _root_of_two_means(average: Any) -> Callable[[Any], float]:
    """Of the averaged recall and the averaged specificity, what is undefined counting 0."""

    def value(m: Any) -> float:
        rates = (metric(name)(m, average=average, undefined=0.0) for name in ("recall", "specificity"))
        return math.sqrt(math.prod(map(float, rates)))

    return value


def _on_labels(name: str) -> Callable[[Any], Any]:
    """An ordinal metric on the integers that the labels are."""

    def value(m: Any) -> float:
        if m.labels.kind not in {"int", "bool"}:
            # scikit-learn takes no text at all.
            return metric(name)(m)
        return on_scale(name, tuple(map(float, m.labels.classes)))(m)

    return value

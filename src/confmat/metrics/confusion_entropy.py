"""Confusion entropy of each class: how evenly its errors are spread over the other classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import constant, log, ratio
from confmat.metrics.cancelling import log1p
from confmat.metrics.declaration import Table, of_class
from confmat.metrics.margins import summed_at

__all__ = ["class_confusion_entropy", "modified_class_confusion_entropy"]

_ALONE = "the class neither occurs nor is predicted, or it is the only one"


def _spread_of_errors(m: Table, bottom: Any) -> Any:
    """Entropy of the errors to and from each class, as shares of `bottom`, to the base 2 (K - 1)."""
    errors = m.rows != m.cols
    rows, cols, values = m.rows[errors], m.cols[errors], m.values[..., errors]
    sums = [summed_at(places, _surprise(values, bottom[..., places]), m.size) for places in (rows, cols)]
    base = log(constant(2 * (m.size - 1), values))
    # An empty class has no errors in the list, and no value either.
    return ratio(sums[0] + sums[1], base * bottom)


def _surprise(values: Any, whole: Any) -> Any:
    # v log(w / v): terms of one sign, so that nothing cancels.
    return values * log1p(ratio(whole - values, np.where(values == 0, 1, values)))


@of_class(
    title="Confusion entropy of a class",
    aliases=("class_cen",),
    latex=(
        r"-\sum_{k \ne i} (\frac{C_{ik}}{r_i + c_i} \log_b \frac{C_{ik}}{r_i + c_i}"
        r" + \frac{C_{ki}}{r_i + c_i} \log_b \frac{C_{ki}}{r_i + c_i}), b = 2(K-1)"
    ),
    bounds=(0, None),
    better="lower",
    symmetric=True,
    rational=False,
    needs="cells",
    depends_on_k=True,
    undefined=_ALONE,
    references=("WeiYuan2010",),
    peers={"pycm": "CEN"},
)
def class_confusion_entropy(m: Table) -> Any:
    """Entropy of a class's errors in both directions; 0 without errors. The base of the logarithm is 2(K-1)."""
    return _spread_of_errors(m, m.actual + m.predicted)


@of_class(
    title="Modified confusion entropy of a class",
    aliases=("class_mcen",),
    latex=(
        r"-\sum_{k \ne i} (a \log_b a + a' \log_b a'), a = \frac{C_{ik}}{r_i + c_i - d_i},"
        r" a' = \frac{C_{ki}}{r_i + c_i - d_i}, b = 2(K-1)"
    ),
    bounds=(0, None),
    better="lower",
    symmetric=True,
    rational=False,
    needs="cells",
    depends_on_k=True,
    undefined=_ALONE,
    references=("Delgado2019",),
    peers={"pycm": "MCEN"},
)
def modified_class_confusion_entropy(m: Table) -> Any:
    """Confusion entropy over the items that involve the class, each counted once."""
    return _spread_of_errors(m, m.actual + m.predicted - m.diagonal)

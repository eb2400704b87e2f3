"""Confusion entropy of each class: how evenly its errors are spread over the other classes."""

from __future__ import annotations

from typing import Any

from confmat.metrics.arithmetic import constant, log, ratio
from confmat.metrics.declaration import Table, of_class
from confmat.metrics.entropies import scatter, scatter_of_items

__all__ = ["class_confusion_entropy", "modified_class_confusion_entropy"]

_ALONE = "the class neither occurs nor is predicted, or it is the only one"


def _to_its_base(m: Table, scattered: Any, bottom: Any) -> Any:
    """As shares of `bottom`, to the base 2 (K - 1)."""
    return ratio(scattered, log(constant(2 * (m.size - 1), m.diagonal)) * bottom)


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
    return _to_its_base(m, scatter(m), m.actual + m.predicted)


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
    return _to_its_base(m, scatter_of_items(m), m.actual + m.predicted - m.diagonal)

"""Confusion entropy of the whole matrix: how evenly the errors are spread over all pairs of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import constant, log, ratio
from confmat.metrics.declaration import Table, of_matrix
from confmat.metrics.entropies import scatter, scatter_of_items
from confmat.metrics.sums import hits

__all__ = [
    "overall_confusion_entropy",
    "overall_modified_confusion_entropy",
]

_EMPTY = "the matrix is empty or has one class"
_REFERENCES = ("WeiYuan2010",)
_MODIFIED_REFERENCES = ("Delgado2019",)


@of_matrix(
    title="Overall confusion entropy",
    aliases=("overall_cen",),
    latex=r"\frac{1}{2 n} \sum_{i \ne j} C_{ij} \left(\log_b \frac{s_i}{C_{ij}} + \log_b \frac{s_j}{C_{ij}}\right),"
    r" \quad s_i = r_i + c_i, \quad b = 2 (K - 1)",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
    rational=False,
    depends_on_k=True,
    needs="cells",
    references=_REFERENCES,
    peers={"pycm": "Overall CEN"},
    family="confusion entropy",
)
def overall_confusion_entropy(t: Table) -> Any:
    """Mean of the classes' confusion entropies, weighted by how often each occurs and is predicted."""
    return ratio(scatter(t).sum(axis=-1), 2 * t.total * _base(t))


@of_matrix(
    title="Overall modified confusion entropy",
    aliases=("overall_mcen",),
    latex=r"\frac{1}{2 n - a \sum_i d_i} \sum_{i \ne j} C_{ij} \left(\log_b \frac{s_i}{C_{ij}} + "
    r"\log_b \frac{s_j}{C_{ij}}\right), \quad s_i = r_i + c_i - d_i, \quad b = 2 (K - 1), \quad a = [K > 2]",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
    rational=False,
    depends_on_k=True,
    needs="cells",
    references=_MODIFIED_REFERENCES,
    peers={"pycm": "Overall MCEN"},
    family="confusion entropy",
)
def overall_modified_confusion_entropy(t: Table) -> Any:
    """Mean of the classes' modified confusion entropies, weighted by their items."""
    items = 2 * t.total - (hits(t) if t.size > 2 else 0)
    return ratio(scatter_of_items(t).sum(axis=-1), items * _base(t))


def _base(t: Table) -> Any:
    """The logarithm of the base, 2 (K - 1); NaN for one class."""
    size = int(np.shape(t.actual)[-1])
    return log(constant(2.0 * (size - 1), t.diagonal)) if size > 1 else float("nan")

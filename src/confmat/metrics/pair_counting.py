"""Two labellings as partitions: agreement counted over pairs of items, whatever the classes are called."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.core.errors import MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.metrics.arithmetic import ratio, sqrt0
from confmat.metrics.declaration import Margins, Table, of_matrix
from confmat.metrics.margins import read_table

__all__ = ["adjusted_rand_index", "fowlkes_mallows", "pair_confusion", "rand_index"]

_FEW = "there are fewer than two items"


def _pairs(counts: Any) -> Any:
    return (counts * (counts - 1)).sum(axis=-1)


@once
def _alike(t: Table) -> Any:
    """Ordered pairs of items that stand in the same cell."""
    return _pairs(t.values)


@once
def _alike_in_truth(m: Margins) -> Any:
    """Ordered pairs of items of the same actual class."""
    return _pairs(m.actual)


@once
def _alike_in_prediction(m: Margins) -> Any:
    """Ordered pairs of items of the same predicted class."""
    return _pairs(m.predicted)


@of_matrix(
    title="Rand index",
    aliases=("rand_score", "rand"),
    latex=r"\frac{N + 2 B - R - S}{N}, \quad N = n (n - 1), \quad B = \sum_{ij} C_{ij} (C_{ij} - 1), "
    r"\quad R = \sum_i r_i (r_i - 1), \quad S = \sum_j c_j (c_j - 1)",
    bounds=(0, 1),
    undefined=_FEW,
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("Rand1971",),
    peers={"sklearn": "rand_score", "torchmetrics": "rand_score"},
    family="pair counting",
)
def rand_index(t: Table) -> Any:
    """Share of the pairs of items that both sides keep together or both keep apart.

    It is the accuracy of `pair_confusion`, and 1 for every one-to-one naming, not only for the right one.
    """
    every = t.total * (t.total - 1)
    return ratio(every + 2 * _alike(t) - _alike_in_truth(t) - _alike_in_prediction(t), every)


@of_matrix(
    title="Adjusted Rand index",
    aliases=("ari", "adjusted_rand_score"),
    latex=r"\frac{2 (N B - R S)}{N (R + S) - 2 R S}, \quad N = n (n - 1), \quad B = \sum_{ij} C_{ij} (C_{ij} - 1), "
    r"\quad R = \sum_i r_i (r_i - 1), \quad S = \sum_j c_j (c_j - 1)",
    bounds=(-0.5, 1),
    chance=0,
    undefined="each side puts all items together or all apart, or there are fewer than two",
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("HubertArabie1985", "ChaconRastrojo2023"),
    peers={"sklearn": "adjusted_rand_score", "pycm": "ARI", "torchmetrics": "adjusted_rand_score"},
    family="pair counting",
)
def adjusted_rand_index(t: Table) -> Any:
    """Rand index beyond what labellings of the same class sizes share by chance: the kappa of `pair_confusion`.

    scikit-learn says 1 where both sides put all items together, or all apart; there is nothing to share.
    """
    every, both = t.total * (t.total - 1), _alike(t)
    reference, response = _alike_in_truth(t), _alike_in_prediction(t)
    beyond = every * both - reference * response
    return ratio(2 * beyond, every * (reference + response) - 2 * reference * response)


@of_matrix(
    title="Fowlkes-Mallows index",
    aliases=("fowlkes_mallows_score", "fmi"),
    latex=r"\frac{\sum_{ij} C_{ij} (C_{ij} - 1)}{\sqrt{\sum_i r_i (r_i - 1) \sum_j c_j (c_j - 1)}}",
    bounds=(0, 1),
    undefined="one side keeps every item apart",
    symmetric=True,
    scale_free=False,
    rational=False,
    needs="cells",
    references=("FowlkesMallows1983",),
    peers={"sklearn": "fowlkes_mallows_score", "torchmetrics": "fowlkes_mallows_index"},
    family="pair counting",
)
def fowlkes_mallows(t: Table) -> Any:
    """Geometric mean of precision and recall of the pairs kept together."""
    return ratio(_alike(t), sqrt0(_alike_in_truth(t)) * sqrt0(_alike_in_prediction(t)))


def pair_confusion(m: Any) -> ConfusionMatrix:
    """The 2x2 matrix of all ordered pairs of items: apart or together in the truth, and in the prediction.

    >>> print(pair_confusion(ConfusionMatrix([[2, 1], [0, 3]])).counts.tolist())
    [[12, 6], [4, 8]]
    """
    t = read_table(m)
    if np.ndim(t.total) or np.asarray(t.values).dtype.kind == "f":
        msg = "`pair_confusion` counts pairs of items: it takes one matrix of whole numbers"
        raise MetricError(msg)
    values, actual, predicted = (_exactly(part) for part in (t.values, t.actual, t.predicted))
    n = int(t.total)
    together = values - n
    cells = [[n * n - actual - predicted + values, predicted - values], [actual - values, together]]
    # Beyond 64 bits only floats have room.
    counts: Any = cells if n * (n - 1) < 2**64 else [[float(cell) for cell in row] for row in cells]
    return ConfusionMatrix(counts, ["apart", "together"], positive="together")


def _exactly(counts: Any) -> int:
    """Sum of squares as a Python integer."""
    return int(np.sum(np.asarray(counts).astype(object) ** 2))

"""Matrices made of one: what the laws compare it with, made once for all metrics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from confmat import ConfusionMatrix
from confmat.core.stack import Stack

__all__ = ["Relatives", "relatives"]


@dataclass(frozen=True)
class Relatives:
    """The relatives of a matrix."""

    perfect: ConfusionMatrix
    tripled: ConfusionMatrix
    reversed: ConfusionMatrix
    transposed: ConfusionMatrix
    wider: ConfusionMatrix
    # Truth and prediction independent, with the same margins; larger, for what is corrected in
    # finite samples.
    independent: ConfusionMatrix
    stack: Stack
    # Weights whose products leave the range of a float; powers of two, so that nothing is rounded.
    tiny: ConfusionMatrix
    huge: ConfusionMatrix


@lru_cache(maxsize=2**10)
def relatives(m: ConfusionMatrix) -> Relatives:
    """The relatives of a matrix."""
    totals = m.actual_totals + m.predicted_totals + 1
    return Relatives(
        perfect=ConfusionMatrix(np.diag(m.actual_totals), m.labels),
        tripled=ConfusionMatrix(3 * m.counts, m.labels),
        reversed=m.reorder(list(m.labels)[::-1]),
        transposed=m.T,
        wider=ConfusionMatrix(np.pad(m.counts, (0, 1)), [*m.labels, "z"]),
        independent=ConfusionMatrix(np.outer(totals, totals) * 1000, m.labels),
        stack=Stack({"a": m, "b": ConfusionMatrix(m.counts[::-1].copy(), m.labels), "c": m + m.T}),
        tiny=ConfusionMatrix(m.counts * 2.0**-960, m.labels),
        huge=ConfusionMatrix(m.counts * 2.0**960, m.labels),
    )

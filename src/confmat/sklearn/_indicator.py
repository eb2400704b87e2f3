"""Several labels per sample: two tables of zeros and ones, and what agrees between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat.counting.pairing import workers
from confmat.errors import InputError
from confmat.multilabel.sums import ones_of_columns
from confmat.sklearn._counting import Margins
from confmat.sklearn._examining import is_sparse
from confmat.sklearn._reading import Array

__all__ = ["Indicator", "indicator"]


@dataclass(slots=True)
class Indicator:
    """Two tables of samples by labels, dense or sparse alike."""

    true: Any
    predicted: Any
    weights: Array | None

    @property
    def type(self) -> str:
        """What scikit-learn calls such a target."""
        return "multilabel-indicator"

    @property
    def n(self) -> int:
        """How many samples there are."""
        return int(self.true.shape[0])

    @property
    def labels(self) -> Array:
        """The labels are the columns."""
        return np.arange(self.true.shape[1])

    def margins(self, places: Array | None, *, samplewise: bool = False) -> Margins:
        """How often each label (or each sample) is right, predicted and true, of the labels at some places."""
        true, predicted = self.true, self.predicted
        if places is not None:
            true, predicted = true[:, places], predicted[:, places]
        counts = not samplewise and self.weights is None and not is_sparse(true)
        if counts and {true.dtype.kind, predicted.dtype.kind} <= set("biu"):
            (both, set_true, set_predicted), others = ones_of_columns(true, predicted, workers(None, true.size))
            if not others:
                return Margins(both, set_predicted, set_true)
        set_true, set_predicted = true != 0, predicted != 0
        both = set_true.multiply(set_predicted) if is_sparse(set_true) else set_true & set_predicted
        return Margins(*(self._sums(part, samplewise) for part in (both, set_predicted, set_true)))

    def _sums(self, part: Any, samplewise: bool) -> Array:
        if samplewise:
            sums = np.asarray(part.sum(axis=1)).reshape(-1).astype(np.int64)
            return sums if self.weights is None else sums * self.weights
        if self.weights is None:
            return np.asarray(part.sum(axis=0)).reshape(-1).astype(np.int64)
        if not part.sum():
            # A count of nothing is a whole number, whatever the weights are.
            return np.zeros(part.shape[1], dtype=np.int64)
        return np.asarray(part.T @ self.weights.astype(np.float64)).reshape(-1)

    def same(self) -> Array:
        """Per sample, whether all its labels are right."""
        return self.wrong() == 0

    def wrong(self) -> Array:
        """Per sample, how many labels are wrong."""
        differ = self.true != self.predicted
        return np.asarray(differ.sum(axis=1)).reshape(-1)


def indicator(true: Any, predicted: Any, weights: Array | None) -> Indicator:
    """Two tables over the same labels; both are sparse where one is."""
    if true.shape[1] != predicted.shape[1]:
        msg = "Multi-label binary indicator input with different numbers of labels"
        raise InputError(msg)
    if is_sparse(true) or is_sparse(predicted):
        from scipy.sparse import csr_array

        true, predicted = csr_array(true), csr_array(predicted)
    return Indicator(true, predicted, weights)

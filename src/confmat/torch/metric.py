"""Metrics in torchmetrics' sense: a confusion matrix, and any score of it, that processes add up."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import numpy as np
import torch
import torchmetrics
from torch import Tensor

from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix as Matrix
from confmat.counting.positions import labels_of_positions, threshold_of, whole_numbers
from confmat.metrics.catalog import one_number, parse_score
from confmat.torch.tensors import Rule, counted

__all__ = ["ConfusionMatrix", "Score"]


class ConfusionMatrix(torchmetrics.Metric):  # type: ignore[misc] # torchmetrics is not followed
    """A torchmetrics metric whose `compute()` gives a `confmat.ConfusionMatrix`.

    **The predictions come first, update(preds, target), as everywhere in torchmetrics**; `confmat.count` takes them
    last. Rows of the matrix are targets, columns are predictions, as everywhere here.

    Which labels `preds` mean depends on types and shapes alone, never on the values of a batch:

    - integers of the shape of `target` are labels: 0 to K-1;
    - floats with one dimension more, (N, K, ...), are scores of K classes: the highest wins, the first of equals;
    - floats of the shape of `target` are scores of class 1 of two: above `threshold` they mean 1. Without
      `threshold` they are refused.

    `target` holds labels, as integers or as floats that are whole, which losses of two classes want. All other
    dimensions are counted item by item. A label outside 0 to K-1 is an error, in every batch.

    Parameters
    ----------
    num_classes
        K, if the classes have no names.
    labels
        Their names, in order: name i belongs to label i of the tensors.
    threshold
        For two classes: scores above it mean class 1; 0.5 for probabilities, 0.0 for logits.
    ignore_index
        A target, or several, whose items are left out; they are counted in the matrix's `dropped`.
    positive
        The positive class, if the classes are named and two.
    **options
        What `torchmetrics.Metric` takes, such as `sync_on_compute`.

    Examples
    --------
    >>> metric = ConfusionMatrix(labels=["cat", "hen"])
    >>> metric.update(preds=torch.tensor([0, 1, 1]), target=torch.tensor([0, 1, 0]))
    >>> print(metric.compute())
            predicted
    actual  cat  hen  │ total
    cat       1    1  │     2
    hen       0    1  │     1
    total     1    2  │     3

    """

    is_differentiable = False
    full_state_update = False

    counts: Tensor
    ignored: Tensor
    settings: Tensor

    def __init__(
        self,
        num_classes: int | None = None,
        *,
        labels: Iterable[Any] | None = None,
        threshold: float | None = None,
        ignore_index: int | Iterable[int] | None = None,
        positive: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.labels = labels_of_positions(num_classes, labels, positive)
        size = self.labels.n_classes
        self.rule = Rule(size, threshold_of(threshold, size), whole_numbers("ignore_index", ignore_index))
        self.add_state("counts", torch.zeros((size, size), dtype=torch.int64), dist_reduce_fx="sum")
        self.add_state("ignored", torch.zeros((), dtype=torch.int64), dist_reduce_fx="sum")
        # The settings that a count depends on, so that neither a MetricCollection nor a merge takes two metrics for
        # one because their first batch gave the same table.
        self.add_state("settings", _fingerprint(self.rule), dist_reduce_fx="max")

    def update(self, preds: Tensor, target: Tensor) -> None:
        """Count one more batch: **predictions first**."""
        table, left_out = counted(preds, target, self.rule)
        self.counts = self.counts + table.to(self.counts.device)
        self.ignored = self.ignored + left_out

    def compute(self) -> Any:
        """The matrix of everything that was counted, in all processes."""
        return self._matrix()

    def _matrix(self) -> Matrix:
        size = self.labels.n_classes
        expected = _fingerprint(self.rule).to(self.settings.device)
        if self.counts.shape != (size, size) or not torch.equal(self.settings, expected):
            msg = "this state was counted by a metric of other classes, another threshold or another ignore_index"
            raise InputError(msg)
        table = np.array(self.counts.cpu().numpy())
        found = Matrix(table, self.labels)
        return Matrix._of(found.labels, found._counts, None, int(self.ignored))

    def plot(self, val: Any = None, ax: Any = None, **options: Any) -> tuple[Any, Any]:
        """Draw the matrix, or another one, with `confmat.plot` and its options: `(figure, axes)`."""
        from confmat.display.plot import plot

        axes = plot(self.compute() if val is None else val, ax=ax, **options)
        return axes.figure, axes

    def set_dtype(self, dst_type: Any) -> Any:
        """Leave the counts what they are: whole numbers of 64 bits."""
        del dst_type
        return self

    def extra_repr(self) -> str:
        """How many classes there are."""
        return f"{self.labels.n_classes} classes"


class Score(ConfusionMatrix):
    """A score of the confusion matrix as a 0-dimensional tensor: what `self.log` of Lightning takes.

    It counts as `ConfusionMatrix` does and takes the same options. In a `torchmetrics.MetricCollection` all scores
    with the same options are computed from one count, and a `ConfusionMatrix` shares it too.

    Parameters
    ----------
    score
        One number of the matrix, as `confmat.metrics.parse_score` reads it: "accuracy", "f1.macro", "recall[cat]"; of
        two classes with a positive one "recall" is that of the positive class.
    num_classes, **options
        Those of `ConfusionMatrix`.

    Examples
    --------
    >>> score = Score("recall.macro", num_classes=2)
    >>> score.update(preds=torch.tensor([0, 1, 1]), target=torch.tensor([0, 1, 0]))
    >>> score.compute()
    tensor(0.7500)

    """

    def __init__(self, score: str, num_classes: int | None = None, **options: Any) -> None:
        super().__init__(num_classes, **options)
        self.score = score
        # Evaluate once on an empty matrix, so that a bad score fails now and not after an epoch.
        self._number(self._matrix())

    def compute(self) -> Tensor:
        """The score of everything that was counted, in all processes."""
        return torch.tensor(self._number(self._matrix()), dtype=torch.get_default_dtype(), device=self.counts.device)

    @property
    def higher_is_better(self) -> bool | None:
        """Whether higher values of the score are better, as it declares; None where neither is."""
        better = getattr(parse_score(self.score).metric, "better", "neither")
        return None if better == "neither" else bool(better == "higher")

    def _number(self, m: Matrix) -> float:
        value = one_number(self.score, m.labels)(m)
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
            msg = f"{self.score!r} is not one number, and a Score needs one, such as 'f1.macro' or 'recall[cat]'"
            raise MetricError(msg)
        return float(value)

    def plot(self, val: Any = None, ax: Any = None, **options: Any) -> tuple[Any, Any]:
        """Draw one value or several, as torchmetrics does: `(figure, axes)`."""
        return self._plot(val, ax, **options)

    def extra_repr(self) -> str:
        """The score and how many classes there are."""
        return f"{self.score!r}, {super().extra_repr()}"


def _fingerprint(rule: Rule) -> Tensor:
    return torch.tensor(list(sha256(repr(rule).encode()).digest()[:16]), dtype=torch.int64)

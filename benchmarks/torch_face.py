"""confmat.torch against torchmetrics: updates with tensors of a million on the CPU, with their checks and without.

Ours always checks every label. torchmetrics without checks puts an invalid label into a wrong cell;
with checks it counts the distinct values, and a wrong label among them may pass. PyTorch has one
thread here: on a machine with other work its threads wait for one another, which would be no merit
of ours.

Every update gets tensors that were made a moment ago, as in a loop over batches: the same ones
again and again would lie in the nearest cache, where no model leaves them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["races"]

PAIRS = 1_000_000
CLEAN, CHECKED = "torchmetrics, no checks", "torchmetrics"


def races(effort: Effort) -> Iterator[Race]:
    """Labels of ten classes and of a hundred, pixels, scores."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield from _of_one_thread(effort)
    finally:
        torch.set_num_threads(threads)


def _of_one_thread(effort: Effort) -> Iterator[Race]:
    for size in (10, 100):
        target, preds = labels(size)
        yield duel(
            f"torch K={size}",
            f"update with 10⁶ labels on the CPU, K={size}",
            size,
            preds,
            target,
            effort,
        )
    target, preds = labels(10)
    shape = (10, 100, 1000)
    title = "update with 10 images of 10⁵ pixels, every tenth of them void, K=10"
    void = target.clone()
    void[::10] = 255
    pixels = preds.reshape(shape), void.reshape(shape)
    yield duel("torch pixels", title, 10, *pixels, effort, ignore_index=255)
    scores = scores_of(preds[: PAIRS // 10], 10)
    title = "update with scores of 10⁵ items, K=10"
    yield duel("torch scores", title, 10, scores, target[: PAIRS // 10], effort)


def labels(size: int) -> tuple[Any, Any]:
    """Tensors of int64 of which seven in ten agree."""
    import torch

    rng = np.random.default_rng(0)
    actual = rng.integers(0, size, PAIRS)
    predicted = np.where(rng.random(PAIRS) < 0.3, rng.integers(0, size, PAIRS), actual)
    return torch.from_numpy(actual), torch.from_numpy(predicted)


def scores_of(predicted: Any, size: int) -> Any:
    """Scores of which the highest is the prediction."""
    import torch

    scores = torch.rand((len(predicted), size), generator=torch.Generator().manual_seed(0))
    return scores + torch.nn.functional.one_hot(predicted, size)


def duel(
    key: str, title: str, size: int, preds: Any, target: Any, effort: Effort, **options: Any
) -> Race:
    """An update of a fresh state on each side."""
    from torchmetrics.classification import MulticlassConfusionMatrix

    from confmat.torch import ConfusionMatrix

    batch = _Batch(preds, target)
    metrics = {
        OURS: ConfusionMatrix(size, **options),
        CLEAN: MulticlassConfusionMatrix(size, validate_args=False, **options),
        CHECKED: MulticlassConfusionMatrix(size, **options),
    }
    expected = _reference(preds, target, size, options.get("ignore_index"))
    contestants = [
        Contestant(
            name,
            target.numel(),
            partial(_updated, metric, batch),
            expected,
            _table,
            prepare=batch.renew,
        )
        for name, metric in metrics.items()
    ]
    return contest(key, title, contestants, effort, seconds=3)


class _Batch:
    """Predictions and targets in memory of their own, new for every step of a loop."""

    def __init__(self, preds: Any, target: Any) -> None:
        self.source = preds, target
        self.tensors = self.source

    def renew(self) -> None:
        self.tensors = tuple(tensor.clone() for tensor in self.source)


def _updated(metric: Any, batch: _Batch) -> Any:
    metric.reset()
    metric.update(*batch.tensors)
    return metric


def _table(metric: Any) -> Any:
    return np.asarray(metric.counts if hasattr(metric, "counts") else metric.confmat)


def _reference(preds: Any, target: Any, size: int, ignored: int | None) -> Any:
    codes = preds.argmax(dim=1) if preds.ndim > target.ndim else preds
    actual, predicted = target.reshape(-1).numpy(), codes.reshape(-1).numpy()
    kept = actual != ignored if ignored is not None else np.ones(len(actual), dtype=bool)
    return np.bincount(actual[kept] * size + predicted[kept], minlength=size * size).reshape(
        size, size
    )


if __name__ == "__main__":
    main(races)

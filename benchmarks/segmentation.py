"""Segmentation: how fast the pixels of many label maps are counted, beside the kernel's one call on flat arrays.

Every contestant's table is asserted, cell by cell, against NumPy's own count of the combined
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from confmat import kernels
from confmat.counting.tables import workers

__all__ = ["races"]

IMAGES, SIDE, CLASSES, IGNORED = 200, 1024, 19, 255
KERNEL = "the kernel alone, on flat arrays"
ARRAY, STREAM, EACH = "confmat, one array", "confmat, a generator", "confmat, a matrix per image"

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Street scenes by their numbers: 19 classes in patches, a tenth answered wrongly, some pixels ignored."""
    for kind in (np.uint8, np.int64):
        # int64 takes eight times the room, so half as many.
        images = effort.pick(IMAGES, 20) // (1 if kind == np.uint8 else 2)
        yield counted(*scenes(images, kind), effort)


def scenes(images: int, kind: Any) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    truth = np.empty((images, SIDE, SIDE), kind)
    answer = np.empty_like(truth)
    for one, other in zip(truth, answer, strict=True):
        patches = rng.integers(0, CLASSES, (SIDE // 32, SIDE // 32), dtype=np.uint8)
        one[:] = other[:] = np.kron(patches, np.ones((32, 32), np.uint8))
        wrong = rng.random((SIDE, SIDE), dtype=np.float32) < 0.1
        other[wrong] = rng.integers(0, CLASSES, int(wrong.sum()))
        one[:50] = IGNORED
    return truth, answer


def counted(truth: Array, answer: Array, effort: Effort) -> Race:
    flat, flat_answer, n = truth.reshape(-1), answer.reshape(-1), truth.size
    expected = np.zeros((CLASSES, CLASSES), np.int64)
    for one, other in zip(truth, answer, strict=True):
        kept = one != IGNORED
        combined = one[kept].astype(np.int64) * CLASSES + other[kept]
        expected += np.bincount(combined, minlength=CLASSES**2).reshape(CLASSES, CLASSES)

    def alone() -> Any:
        # Pixels that the kernel leaves out cost nothing more, so this is the least that any way of
        # ignoring takes.
        return kernels.kernel.count_dense(
            flat, flat_answer, 0, CLASSES, 0, CLASSES, workers(None, n)
        )

    segmentation = partial(cm.count_masks, labels=range(CLASSES), ignore=IGNORED)
    one_by_one, answers = list(truth), list(answer)
    contestants = [
        Contestant(
            OURS, n, partial(segmentation, one_by_one, answers), expected, lambda m: m.counts
        ),
        Contestant(ARRAY, n, partial(segmentation, truth, answer), expected, lambda m: m.counts),
        Contestant(
            STREAM,
            n,
            lambda: segmentation(iter(one_by_one), iter(answers)),
            expected,
            lambda m: m.counts,
        ),
        Contestant(
            EACH,
            n,
            partial(segmentation, truth, answer, per_image=True),
            expected,
            lambda stack: stack.sum().counts,
        ),
        Contestant(KERNEL, n, alone, expected, lambda found: found[0]),
    ]
    title = f"{len(truth):,} label maps of {SIDE:,} x {SIDE:,} {truth.dtype}, {CLASSES} classes and one ignored"
    return contest(f"segmentation {truth.dtype}", title, contestants, effort, 10)


if __name__ == "__main__":
    main(races)

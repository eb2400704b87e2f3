"""Folds of cross-validation: how a score spreads over them, with a correction for the items that their models share.

Models of two folds were trained on mostly the same items, so their scores vary together, and the
mean of them is less sure than of independent ones. Nadeau and Bengio (Machine Learning 52, 2003)
add the ratio of tested to trained items to 1 / J. It is a rule of thumb: no unbiased estimate of
that variance exists (Bengio and Grandvalet, JMLR 5, 2004).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.stack import Stack
from confmat.core.text import number, some
from confmat.intervals.asked import Asked, one_estimate
from confmat.intervals.bounds import student_quantile
from confmat.intervals.estimates import Estimate

Array = NDArray[np.float64]
FOLD = "fold"
CORRECTED = "corrected t over folds (Nadeau and Bengio)"
CAVEAT = (
    "of models trained on {} items; folds share them, for which the correction is a rule of thumb"
)


def scores_of(stack: Stack, score: Any) -> Array:
    """Return the score of each fold; all need a value."""
    values = np.array([float(score(m)) for m in stack.values()])
    if np.isnan(values).any():
        lost = [key for key, value in zip(stack, values, strict=True) if math.isnan(value)]
        msg = f"the score has no value in the folds {some(lost)}; stratify them, or take fewer"
        raise InputError(msg)
    return values


def _items(stack: Stack) -> tuple[float, float]:
    """The items that a fold tests, and all: keys of repeated folds are (repeat, fold)."""
    repeats = len({key[0] if isinstance(key, tuple) else 0 for key in stack})
    return float(stack.total.mean()), float(stack.total.sum()) / repeats


def caveat(stack: Stack) -> str:
    """Return what the spread over folds is of."""
    tested, every = _items(stack)
    return CAVEAT.format(number(round(every - tested)))


def corrected(values: Array, stack: Stack, level: float) -> tuple[float, float]:
    """Return the standard error of the mean of the scores of folds, and how far its interval reaches.

    >>> from confmat import ConfusionMatrix, Stack
    >>> folds = Stack({k: ConfusionMatrix([[5, 0], [0, 5]]) for k in range(5)}, axis="fold")
    >>> [round(each, 3) for each in corrected(np.array([0.8, 0.9, 0.7, 0.8, 0.8]), folds, 0.95)]
    [0.047, 0.132]
    """
    tested, every = _items(stack)
    error = math.sqrt(float(values.var(ddof=1)) * (1 / len(values) + tested / (every - tested)))
    return error, error * student_quantile((1 + level) / 2, len(values) - 1)


def of_folds(asked: Asked, stack: Stack) -> Estimate:
    """Return the mean of a score over folds, with its interval."""
    values = scores_of(stack, lambda m: asked.metric(m, **asked.keywords))
    mean, (error, half) = float(values.mean()), corrected(values, stack, asked.level)
    return one_estimate(
        asked, mean, mean - half, mean + half, error, math.nan, CORRECTED, caveat(stack)
    )

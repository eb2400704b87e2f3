"""Shared parts of the coefficients: their family name, logarithms of factorials, and an angle."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from confmat.metrics.arithmetic import Number, UntrackableError, is_exact, ratio, sqrt0
from confmat.metrics.declaration import of_class

# A perfect matrix has the best value that its margins allow, which is not the same for all margins.
BY_MARGINS = math.nan

# Most treat truth and prediction alike, and count the true negatives; the others say so.
coefficient = functools.partial(of_class, family="coefficients", symmetric=True, depends_on_k=True)


def log_factorial(x: Any) -> Any:
    """The logarithm of x!, continued between the integers by the gamma function."""
    if isinstance(x, Number) or is_exact(x):
        msg = "the gamma function takes floats and complex numbers"
        raise UntrackableError(msg)
    # Import SciPy late: one coefficient needs it.
    from scipy.special import loggamma

    return loggamma(x + 1.0)


def angle_of_share(part: Any, rest: Any) -> Any:
    """The share of `part` in both as an angle: arcsin of its root, in units of a right angle.

    >>> angle_of_share(np.array([1.0, 3.0, 2.0]), np.array([1.0, 0.0, 6.0]))
    array([0.5       , 1.        , 0.33333333])
    """
    if isinstance(part, Number):
        # Nothing cancels here, so float64 is as good as it gets.
        raise UntrackableError
    whole = part + rest
    if np.iscomplexobj(whole):
        return np.arcsin(sqrt0(ratio(part, whole))) * (2 / math.pi)
    if is_exact(whole):
        part, rest, whole = (np.asarray(x).astype(np.float64) for x in (part, rest, whole))
    # The tangent of both parts keeps its digits where the sine has turned flat.
    angle = np.arctan2(np.sqrt(part), np.sqrt(rest)) * (2 / math.pi)
    return np.where(np.equal(whole, 0), math.nan, angle)

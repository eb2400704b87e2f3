"""What the coefficients share: their family name, the excess over chance, and an angle that no other formula needs."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import Number, exp, is_exact, ratio, sqrt0
from confmat.metrics.declaration import of_class
from confmat.metrics.degrees import UntrackableError
from confmat.metrics.tracking import Tracked

__all__ = ["BY_MARGINS", "angle_of_share", "coefficient", "euler", "excess"]

# A perfect matrix has the best value that its margins allow, which is not the same for all margins.
BY_MARGINS = math.nan

coefficient = functools.partial(of_class, family="coefficients")


def excess(c: Cells) -> Any:
    """The determinant of the 2x2 table: n times the hits beyond those that the margins alone would give."""
    return c.tp * c.tn - c.fp * c.fn


def euler(like: Any) -> Any:
    """The number e in the arithmetic of `like`; what is left of a difference may hang on digits that no float has."""
    if is_exact(like):
        return exp(Fraction(1))
    return (
        type(like)(like.dtype.type(math.e), relative=2.0**-53, positive=True) if isinstance(like, Tracked) else math.e
    )


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

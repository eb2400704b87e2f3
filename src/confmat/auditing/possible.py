"""What is possible at all: shares of whole items, within the bounds of a score."""

from __future__ import annotations

import math
from fractions import Fraction

from confmat.auditing.claims import Claim
from confmat.auditing.readings import View, class_name
from confmat.metrics import Metric

__all__ = ["ends_of", "why_impossible"]

# What the items are called that a score of one class is a share of.
_ITEMS = {"actual": "items of", "actual_negative": "items that are not"}


def why_impossible(claim: Claim, view: View) -> str | None:
    """Why no matrix with these actual totals has the score, or None where one may.

    A share of r items is one of 0/r, 1/r ... r/r; digits that no such share is printed with, rounded or cut, prove
    that the score was worked out from something else.
    """
    found = claim.metric
    if not isinstance(found, Metric) or claim.printed.nothing:
        return None
    low, high = ends_of(claim)
    least, most = found.bounds
    if (most is not None and low > most) or (least is not None and high < least):
        ends = [f"at least {least:g}" if least is not None else "", f"at most {most:g}" if most is not None else ""]
        return f"{found.name} is {' and '.join(filter(None, ends))}"
    if view.m.is_weighted or claim.score is None or claim.score.average is not None:
        return None
    share = _share(claim, view)
    if share is None or math.ceil(low * share[0]) <= math.floor(high * share[0]):
        return None
    bottom, of = share
    nearest = sorted({math.floor(low * bottom), math.ceil(high * bottom)})
    shares = " and ".join(f"{k}/{bottom} = {k / bottom:.{claim.printed.decimals + 2}f}" for k in nearest)
    return f"it is a share of {bottom:,} {of}, and the nearest are {shares}"


def ends_of(claim: Claim) -> tuple[Fraction, Fraction]:
    """The least and greatest value that is rounded or cut to the digits."""
    digits = claim.printed
    ends = [digits.value - digits.unit / 2, digits.value + digits.unit / 2]
    cut = digits.value + (digits.unit if digits.value >= 0 else -digits.unit)
    return min(*ends, cut), max(*ends, cut)


def _share(claim: Claim, view: View) -> tuple[int, str] | None:
    """How many items the score is a share of, and which; None where it is no share."""
    share_of = claim.metric.share_of
    if share_of == "total":
        return int(view.m.total), "items"
    # A mean over classes is no share of one of them.
    if share_of is None or claim.place is None:
        return None
    bottom = int(getattr(view.cells, share_of)[claim.place])
    return (bottom, f"{_ITEMS[share_of]} {class_name(view, claim.place)}") if bottom else None

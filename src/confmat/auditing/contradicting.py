"""Contradictions: what no table of two classes with these totals can have, alone or together with another claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from confmat.auditing.claims import Claim
from confmat.auditing.possible import ends_of
from confmat.auditing.readings import View
from confmat.auditing.region import solved
from confmat.auditing.values import Asked, asked_of
from confmat.core.errors import InputError

__all__ = ["ALONE", "contradicted"]

ALONE = "no table of counts with these totals has it"
# Larger tables take too long for a remark.
_MOST = 200_000
_ROWS = 1_000_000


def contradicted(claim: Claim, sure: Iterable[Claim], view: View) -> str | None:
    """Why a claim cannot be, whatever the matrix is: by the totals alone, or beside a claim that was reproduced.

    Every table with these actual totals is tried, whether digits were rounded or cut and whatever 0/0 was printed as.
    """
    if len(view.classes) != 2 or view.m.is_weighted or view.m.labels.outside or view.m.total > _MOST:
        return None
    asked = _asked(claim)
    if asked is None:
        return None
    if not _some([asked], view):
        return ALONE
    for other in sure:
        beside = _asked(other)
        if beside is not None and not _some([asked, beside], view):
            return f"no table of counts with these totals has it together with {other}"
    return None


def _asked(claim: Claim) -> Asked | None:
    if claim.is_bare or claim.score is None or getattr(claim.metric, "unit", None) == "items":
        return None
    try:
        found = asked_of(claim)
    except InputError:
        return None
    low, high = ends_of(claim)
    return replace(found, low=float(low), high=float(high))


def _some(asked: Sequence[Asked], view: View) -> bool:
    """Whether there is a table."""
    positives = np.array([int(view.m.actual_totals[0])], dtype=np.int64)
    for undefined in (None, 0.0, 1.0):
        region, whole = solved(positives, int(view.m.total), list(asked), undefined, _ROWS)
        if len(region.tp) or not whole:
            return True
    return False

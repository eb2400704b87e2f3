"""Roles of cells in a drawing: hit or error, or TP, FP, FN and TN of an observed class; and the bound of each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen

Array = NDArray[Any]


class Role(IntEnum):
    """The role of a cell.

    A hit or an error; in the row or column of a label outside the classes; folded classes among
    themselves, hits and errors together; or empty, because it would be a share of nothing. Where a
    class is observed, a cell is a true or false positive or negative instead. Totals are beside
    the cells. A cell outside the classes on both sides is neutral: nobody's hit and nobody's error.
    A difference that may be nothing is open.
    """

    HIT = 0
    ERROR = 1
    OUTSIDE = 2
    FOLDED = 3
    EMPTY = 4
    TOTAL = 5
    TP = 6
    FP = 7
    FN = 8
    TN = 9
    NEUTRAL = 10
    OPEN = 11


OBSERVED = (Role.TP, Role.FP, Role.FN, Role.TN)


def roles_of(
    size: int, classes: int, folded: int | None, observed: int | None
) -> NDArray[np.uint8]:
    """The role of every cell of `size` labels, the classes first; one place may hold folded classes."""
    outside = np.arange(size) >= classes
    if folded is not None:
        # Classes all the same, though many at once.
        outside[folded] = False
    if observed is None:
        roles = np.full((size, size), Role.ERROR, dtype=np.uint8)
        np.fill_diagonal(roles, Role.HIT)
        roles[outside, :] = roles[:, outside] = Role.OUTSIDE
        roles[np.ix_(outside, outside)] = Role.NEUTRAL
        if folded is not None:
            roles[folded, folded] = Role.FOLDED
        return roles
    roles = np.full((size, size), Role.TN, dtype=np.uint8)
    roles[:, observed], roles[observed, :] = Role.FP, Role.FN
    roles[observed, observed] = Role.TP
    # Neither a class's nor anybody's: it is in no cell of any class.
    roles[np.ix_(outside, outside)] = Role.NEUTRAL
    return roles


WRONG = (Role.ERROR, Role.OUTSIDE, Role.FP, Role.FN)


def tops_of(
    values: Array, roles: NDArray[np.uint8], *, least: float, rates: bool, difference: bool
) -> Mapping[Role, float]:
    """The largest value of each role's scale; one scale for all in a difference.

    Hits that are shares of a class are measured against 1, so that drawings of two models compare.
    Whatever is wrong shares one scale, which reaches to `least` at least; so does a difference.
    """
    sizes = np.where(np.isnan(values), 0.0, np.abs(values))
    most = {role: float(sizes[roles == role].max(initial=0.0)) for role in Role}
    if difference:
        return MappingProxyType(dict.fromkeys(Role, float(sizes.max(initial=least))))
    tops = most | dict.fromkeys(WRONG, max(least, *(most[role] for role in WRONG)))
    if rates:
        tops |= {Role.HIT: 1.0, Role.TP: 1.0}
    return MappingProxyType(tops)


def with_empty(roles: NDArray[np.uint8], values: Array) -> NDArray[np.uint8]:
    """The roles, with those cells empty that hold no number."""
    return frozen(np.where(np.isnan(values), np.uint8(Role.EMPTY), roles))

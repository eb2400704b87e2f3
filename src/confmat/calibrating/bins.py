"""Bins of scores, and the sums in each of them: all else about calibration is a function of these.

The floats of the edges decide: a score lies in a bin if it compares with the edges so, not if a
quotient is rounded so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.errors import InputError, Message
from confmat.core.options import one_of, told, whole_number

Array = NDArray[Any]
Closed = Literal["left", "right"]
Equal = Literal["width", "mass"]
# The sums of each bin: numbers of items, powers of the scores, and the loss of an item, with its
# square, if it is positive and if it is negative; where that is infinite the item is counted
# instead.
SUMS = ("items", "s1", "s2", "s3", "s4", "hit", "hit2", "never", "miss", "miss2", "always")
_MOST_BINS = 2**20
# So many bins are told apart by four digits.
_FEW_DIGITS = 500
# Scores that are worked on at once.
_AT_ONCE = 2**18


@dataclass(frozen=True, eq=False)
class Bins:
    """Neighbouring bins from 0 to 1, each with its lower edge ("left") or with its upper one ("right").

    The first bin has 0 and the last one 1 whichever it is.
    """

    edges: Array = field(repr=False)
    closed: Closed = "left"

    def __len__(self) -> int:
        return len(self.edges) - 1

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Bins)
            and self.closed == other.closed
            and np.array_equal(self.edges, other.edges)
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def rule(self) -> str | None:
        """How an edge follows from its number and that of bins of equal width: "*" by the step, "/" divided."""
        size = len(self)
        made = {"*": np.linspace(0, 1, size + 1), "/": np.arange(size + 1) / size}
        return next((by for by, edges in made.items() if np.array_equal(edges, self.edges)), None)

    def places(self, scores: Array) -> Array:
        """The bin of each score."""
        return np.searchsorted(
            self.edges[1:-1], scores, side="right" if self.closed == "left" else "left"
        )

    def sums(self, codes: Array, size: int, scores: Array, many: Array | None = None) -> Array:
        """Sum the items of each label by bin: (labels, sums, bins). `many` says how often each item is there."""
        found = np.zeros((len(SUMS), size * len(self)))
        for begin in range(0, len(scores), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            s = scores[part].astype(np.float64)
            cells = codes[part] * len(self) + self.places(s)
            often = np.ones(len(s)) if many is None else many[part].astype(np.float64)
            hit, miss = (-np.log(np.where(q > 0, q, 1.0)) for q in (s, 1 - s))
            each = (1.0, s, s**2, s**3, s**4, hit, hit**2, s == 0, miss, miss**2, s == 1)
            for place, amount in enumerate(each):
                found[place] += np.bincount(cells, often * amount, found.shape[1])
        return np.moveaxis(found.reshape(len(SUMS), size, len(self)), 1, 0)

    def name(self, place: int) -> str:
        """The bin as an interval."""
        digits = 4 if len(self) <= _FEW_DIGITS else 8
        low, high = (f"{edge:.{digits}g}" for edge in self.edges[place : place + 2])
        first, last = place == 0, place == len(self) - 1
        opened, ended = (
            ("[", "]" if last else ")") if self.closed == "left" else ("[" if first else "(", "]")
        )
        return f"{opened}{low}, {high}{ended}"


def read_bins(bins: Any, equal: Any, closed: Any, scores: Array | None) -> Bins:
    """The bins that were asked for, by their number or their edges; those of equal mass need the scores."""
    one_of("equal", equal, Equal)
    one_of("closed", closed, Closed)
    try:
        edges = np.asarray(bins, np.float64)
    except (TypeError, ValueError):
        edges = np.zeros(0 if np.iterable(bins) and not isinstance(bins, str) else ())
    if edges.ndim == 0:
        many = whole_number("bins", bins)
        if many > _MOST_BINS:
            raise InputError(Message("{bins} is at most {:,}; got {:,}", _MOST_BINS, many))
        edges = np.linspace(0, 1, many + 1)
        if equal == "mass":
            if scores is None:
                msg = "bins of equal mass need all scores at once; give their edges, such as {bins:[0, 0.1, 0.3, 1]}"
                raise InputError(Message(msg))
            inner = np.percentile(scores, 100 * edges[1:-1]) if len(scores) else edges[1:-1]
            edges = np.unique(np.concatenate([[0.0], inner, [1.0]]))
        return Bins(frozen(edges), closed)
    if equal == "mass":
        msg = "{equal:'mass'} makes a number of bins from the scores, and {bins} holds edges; give a number"
        raise InputError(Message(msg))
    if (
        edges.ndim != 1
        or len(edges) < 2
        or edges[0] != 0
        or edges[-1] != 1
        or not (np.diff(edges) > 0).all()
    ):
        msg = "{bins} is a number of bins, or their edges, ascending from 0 to 1, such as [0, 0.5, 0.9, 1]; got {}"
        raise InputError(Message(msg, told(bins)))
    return Bins(frozen(edges.copy()), closed)

"""Region: all pairs of true positives and true negatives that printed scores allow, row by row.

For a given number of true positives nearly every score of two classes is linear, linear-fractional or at least
monotone in the true negatives, so each claim allows an interval of them, in closed form or by halving. The few tables
where a margin is empty, and a score may be 0/0, are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.conventions import beta_of
from confmat.auditing.values import Asked, margins_of_two, values_of

__all__ = ["Region", "bounds", "is_monotone", "solved"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# Rows that are worked on at once.
_PIECE = 1 << 19
# From tp, fp, fn, tn to the top and the bottom of a fraction, both linear in tn where tp is given.
_Fraction = Callable[[Any, Any, Any, Any], tuple[Any, Any]]

_FRACTIONS: dict[str, _Fraction] = {
    "accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "class_accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "error_rate": lambda tp, fp, fn, tn: (fp + fn, tp + fp + fn + tn),
    "class_error": lambda tp, fp, fn, tn: (fp + fn, tp + fp + fn + tn),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),  # noqa: ARG005
    "false_negative_rate": lambda tp, fp, fn, tn: (fn, tp + fn),  # noqa: ARG005
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),  # noqa: ARG005
    "false_discovery_rate": lambda tp, fp, fn, tn: (fp, tp + fp),  # noqa: ARG005
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),  # noqa: ARG005
    "false_positive_rate": lambda tp, fp, fn, tn: (fp, tn + fp),  # noqa: ARG005
    "negative_predictive_value": lambda tp, fp, fn, tn: (tn, tn + fn),  # noqa: ARG005
    "false_omission_rate": lambda tp, fp, fn, tn: (fn, tn + fn),  # noqa: ARG005
    "jaccard": lambda tp, fp, fn, tn: (tp, tp + fp + fn),  # noqa: ARG005
    "detection_rate": lambda tp, fp, fn, tn: (tp, tp + fp + fn + tn),
    "detection_prevalence": lambda tp, fp, fn, tn: (tp + fp, tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn: (tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp)),
    "one_point_auc": lambda tp, fp, fn, tn: (tp * (tn + fp) + tn * (tp + fn), 2 * (tp + fn) * (tn + fp)),
    "informedness": lambda tp, fp, fn, tn: (tp * tn - fp * fn, (tp + fn) * (tn + fp)),
    "kappa": lambda tp, fp, fn, tn: (2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
    "class_kappa": lambda tp, fp, fn, tn: (2 * (tp * tn - fp * fn), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
}
# These rise with the true negatives, of either class: with fewer false positives every one of them is greater.
_RISING = frozenset({"mcc", "class_mcc", "class_g_mean", "g_measure"})


def _fraction(one: Asked) -> _Fraction | None:
    if one.score.average is not None:
        return None
    beta = beta_of(one.metric) if one.metric.kind == "class" else None
    if beta is None:
        return _FRACTIONS.get(one.metric.name)
    more, square = 1 + beta * beta, beta * beta
    return lambda tp, fp, fn, tn: (more * tp, more * tp + square * fn + fp)  # noqa: ARG005


def is_monotone(one: Asked) -> bool:
    """Whether a score rises or falls with the true negatives, so that intervals have their extremes at the ends."""
    return _fraction(one) is not None or (one.score.average is None and one.metric.name in _RISING)


@dataclass(frozen=True)
class Region:
    """Rows of tables: positives, true positives, and the least and greatest true negatives of each row."""

    positives: Ints
    tp: Ints
    low: Ints
    high: Ints
    total: int

    @property
    def count(self) -> int:
        """How many tables there are."""
        return int((self.high - self.low + 1).sum(dtype=object)) if len(self.tp) else 0

    def tables(self, low: int, high: int) -> tuple[Ints, Ints, Ints, Ints]:
        """tp, fp, fn and tn of the tables from one position to another, row after row."""
        ends: Ints = np.cumsum(self.high - self.low + 1, dtype=np.int64)
        place = np.arange(low, min(high, int(ends[-1]) if len(ends) else 0), dtype=np.int64)
        row = np.searchsorted(ends, place, side="right")
        tn: Ints = self.high[row] - (ends[row] - 1 - place)
        return self._cells(row, tn)

    def ends(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The first and the last table of each row."""
        rows = np.arange(len(self.tp))
        return self._cells(np.concatenate([rows, rows]), np.concatenate([self.low, self.high]))

    def _cells(self, row: Ints, tn: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        tp, p = self.tp[row], self.positives[row]
        return tp, self.total - p - tn, p - tp, tn

    @staticmethod
    def joined(parts: Iterable[Region], total: int) -> Region:
        """The rows of several regions."""
        listed = list(parts)
        names = ("positives", "tp", "low", "high")
        empty = np.empty(0, dtype=np.int64)
        p, tp, low, high = (np.concatenate([empty, *(getattr(one, name) for one in listed)]) for name in names)
        return Region(p, tp, low, high, total)


def solved(positives: Ints, total: int, asked: list[Asked], undefined: float | None, most: int) -> tuple[Region, bool]:
    """All tables with given positives that fit, and whether none was left out for lack of budget.

    `most` rows are tried, and as many tables where a score is neither linear-fractional nor monotone.
    """
    both = positives[(positives > 0) & (positives < total)]
    low, high = bounds(both, total, asked)
    whole, spent, parts = True, 0, []
    for first, last in _pieces(both, high - low + 1):
        if spent >= most:
            whole = False
            break
        # A piece is many numbers of positives, or a part of the rows of one.
        p, tp = _rows(both[first], low[first], high[first], last)
        part, complete = _solved_rows(p, tp, total, asked, undefined, most)
        parts.append(part)
        whole, spent = whole and complete, spent + len(tp)
    one_class = [int(one) for one in positives if one in {0, total} and total <= most]
    alone = [part for one in one_class for part in _listed(one, total, asked, undefined)]
    whole = whole and (total <= most or len(both) == len(positives))
    corners = _corners(both, total, asked, undefined) if len(both) else []
    return Region.joined([*parts, *corners, *alone], total), whole


def _pieces(positives: Ints, many: Ints) -> Iterator[tuple[slice, tuple[int, int] | None]]:
    """Slices of the numbers of positives with not too many rows; of one with more, ranges of its rows."""
    at = 0
    ends = np.cumsum(many)
    while at < len(positives):
        if many[at] > _PIECE:
            for start in range(0, int(many[at]), _PIECE):
                yield slice(at, at + 1), (start, min(start + _PIECE, int(many[at])))
            at += 1
            continue
        before = int(ends[at - 1]) if at else 0
        stop = max(at + 1, int(np.searchsorted(ends, before + _PIECE, side="right")))
        yield slice(at, stop), None
        at = stop


def _solved_rows(
    p: Ints, tp: Ints, total: int, asked: list[Asked], undefined: float | None, most: int
) -> tuple[Region, bool]:
    """The tables of some rows, those left out where one side is never predicted."""
    q = total - p
    # Where one side is never predicted, scores may be 0/0: these two tables are tried by themselves.
    low, high = np.where(tp == p, 1, 0), np.where(tp == 0, q - 1, q)
    rest = []
    for one in asked:
        fraction = _fraction(one)
        if fraction is not None:
            low, high = _narrowed(one, fraction, tp, low, high, p, q)
        elif is_monotone(one):
            low, high = _halved(one, tp, low, high, p, q)
        else:
            rest.append(one)
        some = low <= high
        p, q, tp, low, high = p[some], q[some], tp[some], low[some], high[some]
    return _filtered(Region(p, tp, low, high, total), rest, undefined, most)


def bounds(positives: Ints, total: int, asked: list[Asked]) -> tuple[Ints, Ints]:
    """The least and greatest true positives that recall, F and accuracy leave, for each number of positives."""
    low, high = np.zeros(len(positives)), positives.astype(np.float64)
    slack = 1e-9 * total
    for one in asked:
        if one.score.average is not None or one.place not in {0, None}:
            continue
        beta = beta_of(one.metric) if one.metric.kind == "class" else None
        if beta is not None:
            # Without a false positive F is greatest.
            square = beta * beta
            low = np.maximum(low, np.ceil(one.low * square * positives / max(1 + square - one.low, 1e-9) - slack))
        elif one.metric.name == "jaccard":
            low = np.maximum(low, np.ceil(one.low * positives - slack))
        elif one.metric.name == "recall":
            low = np.maximum(low, np.ceil(one.low * positives - slack))
            high = np.minimum(high, np.floor(one.high * positives + slack))
        elif one.metric.name in {"accuracy", "class_accuracy"}:
            low = np.maximum(low, np.ceil(one.low * total - slack) - (total - positives))
            high = np.minimum(high, np.floor(one.high * total + slack))
    low = np.minimum(low, positives + 1)
    return low.astype(np.int64), np.maximum(high, low - 1).astype(np.int64)


def _rows(positives: Ints, low: Ints, high: Ints, part: tuple[int, int] | None) -> tuple[Ints, Ints]:
    """A row for each number of positives and of true positives, or a part of those of one."""
    if part is not None:
        tp = np.arange(int(low[0]) + part[0], int(low[0]) + part[1], dtype=np.int64)
        return np.full(len(tp), positives[0], dtype=np.int64), tp
    many = high - low + 1
    starts = np.repeat(np.cumsum(many) - many, many)
    return np.repeat(positives, many), np.arange(int(many.sum())) - starts + np.repeat(low, many)


def _parts(one: Asked, fraction: _Fraction, tp: Any, tn: Any, p: Ints, q: Ints) -> tuple[Any, Any]:
    tp, tn = np.asarray(tp, dtype=np.float64), np.asarray(tn, dtype=np.float64)
    fp, fn = q - tn, p - tp
    return fraction(tp, fp, fn, tn) if one.place != 1 else fraction(tn, fn, fp, tp)


def _narrowed(one: Asked, fraction: _Fraction, tp: Ints, low: Ints, high: Ints, p: Ints, q: Ints) -> tuple[Ints, Ints]:
    """The interval of true negatives in which top - least * bottom and greatest * bottom - top are not negative."""
    tops, bottoms = (np.broadcast_arrays(*_parts(one, fraction, tp, tn, p, q)) for tn in (0, 1))
    least, most = low.astype(np.float64), high.astype(np.float64)
    for sign, end in ((1, one.low), (-1, one.high)):
        start, step = (sign * (top - end * bottom) for top, bottom in (tops, bottoms))
        slope = step - start
        slack = 1e-12 * np.maximum(*(np.abs(bottom) for bottom in bottoms))
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = -start / slope
        least = np.where(slope > 0, np.maximum(least, np.ceil(turn - 1e-6)), least)
        most = np.where(slope < 0, np.minimum(most, np.floor(turn + 1e-6)), most)
        never = (slope == 0) & (start < -slack)
        most = np.where(never, -1, most)
    found = [np.clip(side, -1, q + 1).astype(np.int64) for side in (least, most)]
    return _checked(one, fraction, tp, found[0], found[1], p, q)


def _checked(one: Asked, fraction: _Fraction, tp: Ints, low: Ints, high: Ints, p: Ints, q: Ints) -> tuple[Ints, Ints]:
    """The ends of intervals by the digits themselves: rounding may have put them one too far out."""
    for _ in range(2):
        for end, step in ((low, 1), (high, -1)):
            some = low <= high
            top, bottom = np.broadcast_arrays(*_parts(one, fraction, tp, np.clip(end, 0, q), p, q))
            with np.errstate(divide="ignore", invalid="ignore"):
                wrong = some & ~one.fits(top / bottom)
            np.add(end, np.where(wrong, step, 0), out=end)
    return low, high


def _halved(one: Asked, tp: Ints, low: Ints, high: Ints, p: Ints, q: Ints) -> tuple[Ints, Ints]:
    """The interval for a score that rises with the true negatives."""

    def at(tn: Ints) -> Floats:
        return values_of(one.score, one.place, margins_of_two(tp, q - tn, p - tp, tn))

    slack = 1e-12
    least, beyond = low.copy(), high + 1
    while np.any(least < beyond):
        middle = (least + beyond) // 2
        short = at(np.minimum(middle, q)) < one.low - slack
        open_ = least < beyond
        least, beyond = np.where(open_ & short, middle + 1, least), np.where(open_ & ~short, middle, beyond)
    first, most = low - 1, high.copy()
    while np.any(first < most):
        middle = (first + most + 1) // 2
        over = at(np.maximum(middle, 0)) > one.high + slack
        open_ = first < most
        first, most = np.where(open_ & ~over, middle, first), np.where(open_ & over, middle - 1, most)
    return least, most


def _filtered(region: Region, rest: list[Asked], undefined: float | None, most: int) -> tuple[Region, bool]:
    """The tables of a region that fit scores which have to be worked out for each of them."""
    if not rest:
        return region, True
    count, kept, step = min(region.count, most), [], 1 << 18
    for start in range(0, count, step):
        tp, fp, fn, tn = region.tables(start, min(start + step, count))
        margins = margins_of_two(tp, fp, fn, tn)
        fits = np.ones(len(tp), dtype=bool)
        for one in rest:
            fits &= one.fits(values_of(one.score, one.place, margins, undefined))
        kept.append(Region((tp + fn)[fits], tp[fits], tn[fits], tn[fits], region.total))
    return Region.joined(kept, region.total), region.count <= most


def _listed(p: int, total: int, asked: list[Asked], undefined: float | None) -> Iterator[Region]:
    """The tables of one class only, each looked at."""
    for start in range(0, total + 1, _PIECE):
        right = np.arange(start, min(start + _PIECE, total + 1), dtype=np.int64)
        none = np.zeros_like(right)
        yield _fitting(none + p, *((right, none) if p else (none, right)), total, asked, undefined)


def _corners(positives: Ints, total: int, asked: list[Asked], undefined: float | None) -> list[Region]:
    """The tables where nothing, or everything, is predicted as positive."""
    none = np.zeros_like(positives)
    return [
        _fitting(positives, none, total - positives, total, asked, undefined),
        _fitting(positives, positives, none, total, asked, undefined),
    ]


def _fitting(p: Ints, tp: Ints, tn: Ints, total: int, asked: list[Asked], undefined: float | None) -> Region:
    margins = margins_of_two(tp, total - p - tn, p - tp, tn)
    fits = np.ones(len(tp), dtype=bool)
    for one in asked:
        fits &= one.fits(values_of(one.score, one.place, margins, undefined))
    return Region(p[fits], tp[fits], tn[fits], tn[fits], total)

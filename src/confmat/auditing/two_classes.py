"""Tables of two classes that printed scores allow: pairs of true positives and true negatives, row by row.

For a given number of true positives nearly every score of two classes is monotone in the true
negatives, so each claim allows an interval of them, found from three values or by halving. The few
tables where a margin is empty, and a score may be 0/0, are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.auditing.solutions import (
    TRUST,
    Asked,
    Range,
    Witness,
    all_fit,
    margins_of_two,
    places_among,
    values_of,
    values_of_two,
)
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
# Rows that are worked on at once, and rows that take less time than to say which of them to leave
# out.
_PIECE, _FEW = 1 << 14, 1 << 12


def is_monotone(asked: Asked) -> bool:
    """Whether the extremes of a score are at the ends of a row: it moves one way as true negatives are added."""
    return asked.score.average is None and asked.metric.monotone


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
        p, tp, low, high = (
            np.concatenate([empty, *(getattr(tables, name) for tables in listed)]) for name in names
        )
        return Region(p, tp, low, high, total)


def solved(
    positives: Ints, total: int, asked: list[Asked], undefined: float | None, most: int
) -> tuple[Region, bool]:
    """All tables with given positives that fit, and whether none was left out for lack of budget.

    `most` rows are tried, and as many tables where a score is neither linear-fractional nor
    monotone.
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
    one_class = [int(rows) for rows in positives if rows in {0, total} and total <= most]
    alone = [part for rows in one_class for part in _listed(rows, total, asked, undefined)]
    whole = whole and (total <= most or len(both) == len(positives))
    # Nothing, or everything, is predicted as positive.
    none = np.zeros_like(both)
    corners = [
        _fitting(both, *right, total, asked, undefined)
        for right in ((none, total - both), (both, none))
        if len(both)
    ]
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
    # Where one side is never predicted, scores may be 0/0: these two tables are tried by
    # themselves.
    low, high = np.where(tp == p, 1, 0), np.where(tp == 0, q - 1, q)
    rest = []
    # Scores of one class take less time than those of the matrix, which then have fewer rows to
    # look at.
    for score in sorted(asked, key=lambda score: score.metric.kind):
        if is_monotone(score):
            low, high = _interval(score, tp, low, high, p, q)
        else:
            rest.append(score)
        some = low <= high
        p, q, tp, low, high = p[some], q[some], tp[some], low[some], high[some]
    return _filtered(Region(p, tp, low, high, total), rest, undefined, most)


def bounds(positives: Ints, total: int, asked: list[Asked]) -> tuple[Ints, Ints]:
    """The least and greatest true positives that the scores leave, for each number of positives."""
    low, high = np.zeros_like(positives), positives.copy()
    for score in asked:
        if is_monotone(score) and score.metric.better != "neither":
            low, high = _hits(score, positives, total - positives, low, high)
    return np.minimum(low, positives + 1), np.maximum(high, low - 1)


# Whether a share of these items counts true positives and true negatives; how many items there are
# is known.
_COUNTED = {"actual": (1, 0), "actual_negative": (0, 1), "total": (1, 1)}


def _right_answers(asked: Asked, p: Ints, q: Ints) -> tuple[int, int, Ints, Ints] | None:
    """The parts of the right answers that a share counts, and the fewest and most of them; None for other scores."""
    parts = _COUNTED.get(asked.metric.share_of or "")
    if parts is None:
        return None
    of_tp, of_tn = parts[::-1] if asked.place == 1 else parts
    items = of_tp * p + of_tn * q
    low, high = (
        (asked.low, asked.high)
        if asked.metric.better == "higher"
        else (1 - asked.high, 1 - asked.low)
    )
    fewest, most = np.ceil((low - TRUST) * items), np.floor((high + TRUST) * items)
    return of_tp, of_tn, fewest.astype(np.int64), most.astype(np.int64)


def _hits(asked: Asked, p: Ints, q: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """The true positives, from low to high, with which a score can be within its digits."""
    if (right := _right_answers(asked, p, q)) is not None:
        of_tp, of_tn, fewest, most = right
        return (
            (np.maximum(low, fewest - of_tn * q), np.minimum(high, most)) if of_tp else (low, high)
        )
    if p.sum() < _FEW:
        return low, high
    sides = p.astype(np.float64), q.astype(np.float64)
    sign = 1.0 if asked.metric.better == "higher" else -1.0
    ends = sorted((sign * asked.low, sign * asked.high))
    # Without a false alarm a score is best for its true positives, with false alarms alone it is
    # worst.
    best = _Rising(
        lambda tp, p, q: sign * values_of_two(asked, tp, 0 * tp, p - tp, q), sides, low, high
    )
    worst = _Rising(
        lambda tp, p, q: sign * values_of_two(asked, tp, q, p - tp, 0 * tp), sides, low, high
    )
    return best.first(ends[0]), worst.last(ends[1])


def _rows(
    positives: Ints, low: Ints, high: Ints, part: tuple[int, int] | None
) -> tuple[Ints, Ints]:
    """A row for each number of positives and of true positives, or a part of those of one."""
    if part is not None:
        tp = np.arange(int(low[0]) + part[0], int(low[0]) + part[1], dtype=np.int64)
        return np.full(len(tp), positives[0], dtype=np.int64), tp
    many = high - low + 1
    starts = np.repeat(np.cumsum(many) - many, many)
    return np.repeat(positives, many), np.arange(int(many.sum())) - starts + np.repeat(low, many)


def _interval(asked: Asked, tp: Ints, low: Ints, high: Ints, p: Ints, q: Ints) -> tuple[Ints, Ints]:
    """The true negatives of each row, from low to high, with which a monotone score is within its digits."""
    if (right := _right_answers(asked, p, q)) is not None:
        of_tp, of_tn, fewest, most = right
        if of_tn:
            return np.maximum(low, fewest - of_tp * tp), np.minimum(high, most - of_tp * tp)
        return np.where((fewest <= tp) & (tp <= most), low, high + 1), high
    cells = tp.astype(np.float64), p.astype(np.float64), q.astype(np.float64)
    score = _Rising(
        lambda tn, tp, p, q: values_of_two(asked, tp, q - tn, p - tp, tn), cells, low, high
    )
    start, _, end = score.seen
    falls = end < start
    if not falls.any():
        return score.first(asked.low), score.last(asked.high)
    sign = np.where(falls, -1.0, 1.0)
    turned = _Rising(
        lambda tn, sign, *cells: sign * score.values(tn, *cells), (sign, *cells), low, high
    )
    turned.seen = [sign * seen for seen in score.seen]
    return turned.first(np.where(falls, -asked.high, asked.low)), turned.last(
        np.where(falls, -asked.low, asked.high)
    )


class _Rising:
    """Values that rise with a number from low to high in each row; `known` is what else is known of the rows."""

    def __init__(
        self, values: Callable[..., Floats], known: tuple[Floats, ...], low: Ints, high: Ints
    ) -> None:
        self.values, self.known, self.low, self.high = values, known, low, high

    @cached_property
    def quarters(self) -> list[Floats]:
        """The numbers at a quarter, a half and three quarters of the way."""
        return [self.low + (self.high - self.low) * share for share in (0.25, 0.5, 0.75)]

    @cached_property
    def seen(self) -> list[Floats]:
        """The values at the quarters."""
        return [self.values(at, *self.known) for at in self.quarters]

    def first(self, end: Any) -> Ints:
        """The first number at which the values reach an end, or one more than high."""
        limit = end - TRUST * np.maximum(1.0, np.abs(end))
        return self._turn(end, limit, lambda seen, limit: seen < limit)

    def last(self, end: Any) -> Ints:
        """The last number at which the values are not above an end, or one less than low."""
        limit = end + TRUST * np.maximum(1.0, np.abs(end))
        return self._turn(end, limit, lambda seen, limit: ~(seen > limit)) - 1

    def _turn(self, end: Any, limit: Any, short: Callable[..., NDArray[np.bool_]]) -> Ints:
        """The first number whose value is not short of a limit near an end.

        Most scores are a ratio of two linear functions, which three values give; others are found
        by halving.
        """
        turn, beyond = self.low, np.maximum(self.high + 1, self.low)
        guess = self._guess(end)
        for at in (guess, guess - 1):
            is_open = (turn <= at) & (at < beyond)
            is_short = short(self.values(at.astype(np.float64), *self.known), limit)
            turn, beyond = (
                np.where(is_open & is_short, at + 1, turn),
                np.where(is_open & ~is_short, at, beyond),
            )
        limit = np.broadcast_to(limit, turn.shape)
        while len(rows := np.flatnonzero(turn < beyond)):
            at = (turn[rows] + beyond[rows]) // 2
            is_short = short(
                self.values(at.astype(np.float64), *(values[rows] for values in self.known)),
                limit[rows],
            )
            turn[rows[is_short]], beyond[rows[~is_short]] = at[is_short] + 1, at[~is_short]
        return turn

    def _guess(self, end: Any) -> Ints:
        """Where a ratio of two linear functions that rises from low to high reaches an end."""
        start, half, stop = self.quarters
        first, middle, last = self.seen
        above, below = (end - last) * (middle - first), (end - first) * (last - middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            turn = (above * start - below * stop) / (above - below)
        # Beyond its pole the function reaches the end once more; where it is level, it has reached
        # it or never does.
        late = end > middle
        beside = np.where(late, self.high + 1, self.low)
        turn = np.where((first != last) & (late == (turn >= half)), turn, beside)
        return np.ceil(
            np.clip(np.where(np.isnan(turn), half, turn), self.low, self.high + 1) - 1e-6
        ).astype(np.int64)


def _filtered(
    region: Region, rest: list[Asked], undefined: float | None, most: int
) -> tuple[Region, bool]:
    """The tables of a region that fit scores which have to be worked out for each of them."""
    if not rest:
        return region, True
    count, kept, step = min(region.count, most), [], 1 << 18
    for start in range(0, count, step):
        tp, fp, fn, tn = region.tables(start, min(start + step, count))
        fits = all_fit(rest, margins_of_two(tp, fp, fn, tn), undefined)
        kept.append(Region((tp + fn)[fits], tp[fits], tn[fits], tn[fits], region.total))
    return Region.joined(kept, region.total), region.count <= most


def _listed(p: int, total: int, asked: list[Asked], undefined: float | None) -> Iterator[Region]:
    """The tables of one class only, each looked at."""
    for start in range(0, total + 1, _PIECE):
        right = np.arange(start, min(start + _PIECE, total + 1), dtype=np.int64)
        none = np.zeros_like(right)
        yield _fitting(none + p, *((right, none) if p else (none, right)), total, asked, undefined)


def _fitting(
    p: Ints, tp: Ints, tn: Ints, total: int, asked: list[Asked], undefined: float | None
) -> Region:
    fits = all_fit(asked, margins_of_two(tp, total - p - tn, p - tp, tn), undefined)
    return Region(p[fits], tp[fits], tn[fits], tn[fits], total)


TWO = Labels(["positive", "negative"], positive="positive")
_CHUNK = 1 << 18
_BLOCK = 1 << 12


@dataclass(frozen=True)
class Tables:
    """The tables of two classes that fit."""

    region: Region
    bound: str | None
    undefined: float | None
    most: int
    labels: Labels = TWO
    what: tuple[str, str] = ("table of counts", "tables of counts")

    @property
    def count(self) -> int:
        """How many there are."""
        return self.region.count

    def range(self, asked: Asked) -> Range:
        """The values of a score: from the ends of the rows if it is monotone, else from every table."""
        least, greatest = np.inf, -np.inf
        exact = is_monotone(asked) or self.count <= self.most
        if is_monotone(asked):
            parts = [self.region.ends()]
        else:
            whole = range(0, min(self.count, self.most), _CHUNK)
            parts = [self.region.tables(start, start + _CHUNK) for start in whole]
        for tp, fp, fn, tn in parts:
            values = values_of(
                asked.score, asked.place, margins_of_two(tp, fp, fn, tn), self.undefined
            )
            values = values[~np.isnan(values)]
            if len(values):
                least, greatest = (
                    min(least, float(values.min())),
                    max(greatest, float(values.max())),
                )
        if least > greatest:
            return Range(float("nan"), float("nan"))
        return Range(least, greatest, exact and self.bound is None)

    def witnesses(self, n: int) -> list[Witness]:
        """Tables spread over all of them."""
        witnesses = []
        for place in places_among(self.count, n):
            tp, fp, fn, tn = (int(part[0]) for part in self.region.tables(place, place + 1))
            m = ConfusionMatrix([[tp, fn], [fp, tn]], self.labels)
            witnesses.append(
                Witness(TWO.classes, (tp, tn), (tp + fn, fp + tn), (tp + fp, tn + fn), m)
            )
        return witnesses


def tables(
    asked: list[Asked],
    positives: int | None,
    total: int,
    undefined: float | None,
    budget: int,
    progress: Callable[[float], object] | None,
) -> Tables:
    """Solve for given positives, or for every number of them."""
    if positives is not None:
        region, whole = solved(
            np.array([positives], dtype=np.int64), total, asked, undefined, budget
        )
        bound = (
            None
            if whole
            else f"Too many to try: only {budget:,} were looked at; a greater `budget` looks at more."
        )
        return Tables(region, bound, undefined, budget)
    parts, at, spent, whole = [], 0, 0, True
    while at <= total and whole:
        # As many numbers of positives at once as make a good array.
        every = np.arange(at, min(at + _BLOCK, total + 1), dtype=np.int64)
        low, high = bounds(every, total, asked)
        work = np.cumsum(high - low + 2)
        fits = int(np.searchsorted(work, budget - spent, side="right"))
        if not fits:
            break
        region, whole = solved(every[:fits], total, asked, undefined, max(budget - spent, 1))
        parts.append(region)
        at, spent = at + fits, spent + int(work[fits - 1])
        if progress is not None:
            progress(at / (total + 1))
        if fits < len(every):
            break
    bound = None
    if at <= total or not whole:
        bound = (
            f"Too many to try: positives from 0 to {max(at - 1, 0):,} of {total:,} were tried within the budget; "
            "say how many positives there are, or give a greater `budget`."
        )
    return Tables(Region.joined(parts, total), bound, undefined, budget)

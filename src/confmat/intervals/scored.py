"""Areas under the curves of scores, with their intervals, from the sums at thresholds alone.

Each item has an influence on an area, which the items above and below it give: the placements of
DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988) for the ROC curve, with that of its end for
a part of it. Its interval holds all areas that are within reach of the one seen if their variance
has the shape of Hanley and McNeil (Radiology 143, 1982), as Newcombe's method 5 has it (Statistics
in Medicine 25, 2006), but as large as DeLong's where scores are spread otherwise. Average precision
is as sure as a share of the number of items that its influences say, at most that of positives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import label_spelt
from confmat.core.building import positive_place
from confmat.core.errors import InputError, Message
from confmat.core.keys import Descending
from confmat.core.labels import Labels
from confmat.core.options import one_of, told
from confmat.core.stack import Reached, Stack
from confmat.core.text import number
from confmat.intervals.asked import AXIS, EACH, AreaMethod, AreaName
from confmat.intervals.bounds import check_level, quantile, student_quantile, wilson
from confmat.intervals.estimates import Estimate, Estimates

Array = NDArray[Any]
# Thresholds that are worked on at once: near the processor, and too few for products to be spread
# over threads.
_AT_ONCE = 2**13
_HALVINGS = 60
# Items of a class that are few for an area, and positives below which average precision is too
# great by up to .11.
_FEW, _FEW_POSITIVES = 5, 10
# With this many errors the variance that DeLong's method gives is trusted half.
_ERRORS = 20
_ALL_NEEDED = (
    "{} needs a threshold for every score, and this sweep has some of them: leave "
    "`thresholds` and `max_points` out"
)


# ---- sums of a sweep -----------------------------------------------------------------------------


def two_classes(t: Any, asker: str) -> int:
    """The place of the positive class in a stack along thresholds, from the highest down."""
    if not isinstance(t, Stack) or t.axis != AXIS or len(t.labels) != 2:
        what = f"a Stack along {t.axis!r}" if isinstance(t, Stack) else type(t).__name__
        hint = (
            f"; t.of({next(iter(t))[0]!r}) is that of one class"
            if isinstance(t, Stack) and t.axis == EACH
            else ""
        )
        msg = f"`{asker}` reads what `thresholds(actual, scores)` gives, a Stack of two classes, not {what}{hint}"
        raise InputError(msg)
    keys = thresholds_of(t)
    if (keys[1:] >= keys[:-1]).any():
        msg = f"`{asker}` needs thresholds from the highest down, as `thresholds(actual, scores)` gives them"
        raise InputError(msg)
    return positive_place(t.labels)


def alone(t: Any, asker: str, **beside: Any) -> None:
    """Refuse options beside a sweep, which was made by such options."""
    given = [name for name, value in beside.items() if not (value is None or str(value) == "error")]
    if isinstance(t, Stack) and given:
        msg = f"`{asker}` of a sweep takes no {', '.join(given)}: say so where it is made, in `thresholds`"
        raise InputError(msg)


def of_probabilities(t: Any, asker: str) -> int:
    """The place of the positive class in a sweep of probabilities."""
    place, keys = two_classes(t, asker), thresholds_of(t)
    keys = keys[np.isfinite(keys)]
    if len(keys) and not 0 <= keys[-1] <= keys[0] <= 1:
        ends = f"{keys[-1]:.6g} to {keys[0]:.6g}"
        msg = f"`{asker}` is of probabilities from 0 to 1, and this sweep is of scores from {ends}"
        raise InputError(msg)
    return place


def thresholds_of(t: Stack) -> Array:
    """The keys of a stack along thresholds."""
    return (
        t._names.values if isinstance(t._names, Descending) else np.fromiter(t, np.float64, len(t))
    )


def sides(t: Any, asker: str) -> tuple[Array, Array, Array, Array]:
    """tp and fp at each threshold, from the highest down, and how many items are positive and negative."""
    place = two_classes(t, asker)
    return _sides(t._table if isinstance(t._table, Reached) else t.counts, place)


def _sides(table: Array | Reached, place: int) -> tuple[Array, Array, Array, Array]:
    other = 1 - place
    if isinstance(table, Reached):
        return table.above[place], table.above[other], table.all_of(place), table.all_of(other)
    tp, fp = table[:, place, place], table[:, other, place]
    return tp, fp, tp + table[:, place, other], fp + table[:, other, other]


class Sums(NamedTuple):
    """Positive and negative items (or weights) that reach each threshold, from none to all; and squared weights."""

    positives: Array
    negatives: Array
    squares: tuple[Array, Array]
    is_thinned: bool

    @classmethod
    def of(cls, t: Stack, asker: str) -> Sums:
        """Read a sweep."""
        tp, fp, *totals = sides(t, asker)
        ends = [np.broadcast_to(every, tp.shape)[-1] for every in totals]
        if tp[0] or fp[0] or not np.allclose([tp[-1], fp[-1]], ends, rtol=1e-9):
            msg = f"the interval of {asker} needs a sweep from no positive answer to all, as `thresholds` gives it"
            raise InputError(msg)
        return cls(
            tp, fp, _squares(t, asker, (tp, fp)), any(note.kind == "thinned" for note in t.notes)
        )

    def parts(self) -> Iterator[tuple[Array, ...]]:
        """Some of the sums at a time, each beginning with the last of those before: as floats, and their squares."""
        plain = self.squares[0] is self.positives
        columns = (self.positives, self.negatives, *(() if plain else self.squares))
        for start in range(0, len(self.positives) - 1, _AT_ONCE):
            part = tuple(
                column[start : start + _AT_ONCE + 1].astype(np.float64) for column in columns
            )
            yield (*part, *part) if plain else part


def _squares(t: Stack, asker: str, counts: tuple[Array, Array]) -> tuple[Array, Array]:
    """Squared weights that reach each threshold; of items, how many do."""
    table: Any = t._squares
    if table is None and isinstance(t._table, list) and t._table[0]._squares is not None:
        table = np.array([m._squares.table() if m._squares else m.counts for m in t._table])
    if table is not None:
        return _sides(table, positive_place(t.labels))[:2]
    if t.total.dtype.kind == "f":
        msg = f"the interval of {asker} needs the squares of weights, which are not known here or beyond all floats"
        raise InputError(msg)
    return counts


# ---- areas and influences ------------------------------------------------------------------------


class Area(NamedTuple):
    """An area, its variance, and how many positive and negative items tell as much; `blur` is how far ties may hide."""

    value: float
    variance: float
    positives: float
    negatives: float
    blur: float = 0.0


def roc_area(sums: Sums) -> Area:
    """The area under the ROC curve with DeLong's variance, in one pass over the sums."""
    m, n = float(sums.positives[-1]), float(sums.negatives[-1])
    if not (m and n):
        return Area(math.nan, math.nan, m, n)
    found: Array = np.zeros((2, 4))
    tied = 0.0
    for above, below, *squares in sums.parts():
        items = np.diff(above), np.diff(below)
        # Twice what each positive item loses to negatives above it, and each negative one to
        # positives below it.
        lost = below[1:] + below[:-1], 2 * m - above[1:] - above[:-1]
        tied += float(items[0] @ items[1])
        for place, (count, square, loss) in enumerate(zip(items, squares, lost, strict=True)):
            weight = count if squares[0] is above else np.diff(square)
            first = weight * loss
            found[place] += count @ loss, weight.sum(), first.sum(), first @ loss
    variance, many = 0.0, []
    for size, other, (loss, weight, first, second) in zip((m, n), (n, m), found, strict=True):
        mean, items_there = loss / size, size * size / weight
        spread = (second - 2 * mean * first + mean * mean * weight) / (2 * other * size) ** 2
        variance += max(spread, 0.0) * (
            items_there / (items_there - 1) if items_there > 1 else math.nan
        )
        many.append(items_there)
    return Area(1 - found[0, 0] / (2 * m * n), variance, many[0], many[1], tied / (2 * m * n))


def influences(
    name: AreaName, above: Array, below: Array, most: float | None
) -> tuple[float, Array, Array]:
    """An area and the influence of a positive and of a negative item between each two thresholds.

    `above` and `below` are positive and negative items that reach each threshold, from none on.
    """
    above, below = above.astype(np.float64), below.astype(np.float64)
    m, n = above[-1], below[-1]
    if name == "average_precision":
        reached, positives = (above + below)[1:], np.diff(above)
        share = above[1:] / reached
        # The precision at every threshold that an item reaches has it among all items, and among
        # hits.
        rest, gain = (
            np.cumsum(part[::-1])[::-1]
            for part in (positives * share / reached, positives / reached)
        )
        value = float(positives @ share / m) if m else math.nan
        return value, (share + gain - rest - value) / m, -rest / m
    end = 1.0 if most is None else most
    rates, heights = below / n, above / m
    covered = np.minimum(rates[1:], end) - np.minimum(rates[:-1], end)
    wide, rise = np.diff(rates), np.diff(heights)
    part = np.divide(covered, wide, out=(rates[1:] <= end).astype(float), where=wide > 0)
    middle = heights[:-1] + part * rise / 2
    last = float(heights[-1] if most is None else np.interp(end, rates, heights))
    value = float(covered @ middle)
    # A step that the end cuts is climbed in proportion.
    hit = part * (end - rates[:-1]) - part * covered / 2
    # The end lies below a number of negative items, so one more above it draws it nearer.
    miss = part * (middle - last) + end * last
    return value, (hit - value) / m, (miss - value) / n


def partial(value: float, most: float | None) -> tuple[float, float]:
    """An area up to a false positive rate, from 0.5 by chance to 1 (McClish 1989); and how that is scaled."""
    if most is None:
        return value, 1.0
    least = most * most / 2
    return (1 + (value - least) / (most - least)) / 2, 0.5 / (most - least)


def check_most(most: Any) -> float | None:
    """The end of the curve, if there is one; refuse what is no false positive rate."""
    if most is None:
        return None
    if isinstance(most, Real) and not isinstance(most, bool) and 0 < float(most) <= 1:
        return float(most)
    msg = "{max_fpr} is a false positive rate above 0 and at most 1, not {}"
    raise InputError(Message(msg, told(most)))


# ---- intervals -----------------------------------------------------------------------------------


def exponential(value: float, m: float, n: float) -> float:
    """The variance of an area if scores are exponential (Hanley and McNeil), with as many of each class (Newcombe)."""
    more = (m + n) / 2 - 1
    return (
        value
        * (1 - value)
        / (m * n)
        * (1 + more * (1 - value) / (2 - value) + more * value / (1 + value))
    )


def score_bounds(area: Area, level: float) -> tuple[float, float]:
    """All areas whose variance does not reject the one seen."""
    a, variance, m, n, _ = area
    shape, errors = exponential(a, m, n), min(m, n) * min(a, 1 - a)
    # Few errors do not say how much surer they are than usual ones.
    ratio = max(variance / shape, 1 / (1 + errors / _ERRORS)) if shape > 0 else 1.0
    reach = quantile(level)

    def end(outer: float) -> float:
        inner = a
        for _ in range(_HALVINGS):
            middle = (inner + outer) / 2
            near = abs(middle - a) <= reach * math.sqrt(ratio * exponential(middle, m, n))
            inner, outer = (middle, outer) if near else (inner, middle)
        return inner

    return 0.0 if a <= 0 else end(0.0), 1.0 if a >= 1 else end(1.0)


def _logit_bounds(area: Area, level: float) -> tuple[float, float]:
    if not 0 < area.value < 1:
        return 0.0, 1.0
    half = quantile(level) * math.sqrt(area.variance) / (area.value * (1 - area.value))
    odds = math.log(area.value / (1 - area.value))
    low, high = (1 / (1 + math.exp(-end)) for end in (odds - half, odds + half))
    return low, high


def _normal_bounds(area: Area, level: float) -> tuple[float, float]:
    half = quantile(level) * math.sqrt(area.variance)
    return max(area.value - half, 0.0), min(area.value + half, 1.0)


# The intervals of a whole area under the ROC curve, each with its name in results.
_RULES: dict[AreaMethod, tuple[str, Callable[[Area, float], tuple[float, float]]]] = {
    "score": ("score interval", score_bounds),
    "delong": ("DeLong", _normal_bounds),
    "logit": ("DeLong on the logit", _logit_bounds),
}


def method_of(name: AreaName, method: str, most: float | None = None) -> AreaMethod:
    """The method of an interval, checked; the usual one of other scores means the usual one of an area."""
    one_of("method", method, ("wilson", *get_args(AreaMethod)))
    if method in {"wilson", "score"}:
        return "score"
    if name != "roc_auc" or most is not None:
        what = name if most is None else "a part of the ROC curve"
        msg = Message(
            "{method:"
            + repr(method)
            + "} is of the whole area under the ROC curve; leave it out for {}",
            what,
        )
        raise InputError(msg)
    return "delong" if method == "delong" else "logit"


def bounded(
    area: Area,
    level: float,
    rule: AreaMethod | None,
    least: float = 0.0,
    free: float = math.inf,
    **known: Any,
) -> Estimate:
    """An area with its interval: by a rule of its own, or Wilson's at as many items of a share as it is as sure as.

    Its variance is then no less than `least`; where it has none, a share of the items of its rarer
    class is as sure.
    """
    value, variance, m, n, blur = area
    if rule is not None:
        called, bounds = _RULES[rule]
        low, high = bounds(area, level)
        items = value * (1 - value) / variance if variance > 0 else math.nan
    else:
        called, spread = "Wilson at the effective number of items", max(variance, least)
        items = value * (1 - value) / spread if 0 < value < 1 and spread > 0 else min(m, n)
        further = 1.0
        if not math.isinf(free):
            called, further = (
                f"{called}, Student's t",
                student_quantile((1 + level) / 2, free) / quantile(level),
            )
        low, high = map(float, wilson(value, items / further**2, level))
    low, high = max(low - blur, 0.0), min(high + blur, 1.0)
    return Estimate(value, low, high, level, called, n_eff=items, se=math.sqrt(variance), **known)


def remarks(name: AreaName, m: float, n: float) -> str:
    """Remarks on few items."""
    if name == "average_precision":
        few = f"{number(m)} positive items" if m < _FEW_POSITIVES else ""
        worst = (
            "is up to .11 too great on average, and 95 % intervals hold the truth in 89 of "
            "100 in the worst case known"
        )
        return f"of {few} average precision {worst}" if few else ""
    rare = min(m, n)
    return (
        f"a class has {number(rare)} items: in the worst case known, 95 % intervals hold the truth "
        "in 88 of 100"
        if rare < _FEW
        else ""
    )


def estimate_area(
    t: Stack, name: AreaName, level: float = 0.95, method: str = "score", most: float | None = None
) -> Estimate:
    """Return an area of a sweep with its interval."""
    check_level(level)
    most = check_most(most)
    rule, sums = method_of(name, method, most), Sums.of(t, name)
    whole = name == "roc_auc" and most is None
    if sums.is_thinned and not whole:
        raise InputError(_ALL_NEEDED.format(name if most is None else "a part of the ROC curve"))
    area = roc_area(sums) if whole else _by_influence(sums, name, most)
    value, _, m, n, blur = area
    known: dict[str, Any] = {"design": "items", "name": name}
    fewest = m if name == "average_precision" else min(m, n)
    if math.isnan(value) or fewest < 2:
        alone = "one item of a class does not tell how sure it is"
        note = "a class does not occur" if math.isnan(value) else alone
        return Estimate(value, math.nan, math.nan, level, note=note, **known)
    notes = [remarks(name, m, n)]
    if not whole:
        found = bounded(area._replace(negatives=m), level, None, value * (1 - value) / m, **known)
        return replace(found, note=notes[0])
    if sums.is_thinned:
        between = "of thresholds, between which scores may lie: with all of them it is"
        notes.append(f"{between} {value:.4g} ± {blur:.2g}")
    found = bounded(area if sums.is_thinned else area._replace(blur=0.0), level, rule, **known)
    if found.high < 0.5:
        notes.append("below 0.5: if low scores speak for the positive class, give -scores")
    return replace(found, note="; ".join(filter(None, notes)))


def estimate_areas(
    t: Stack, name: AreaName, level: float, method: str, most: float | None, of: Any
) -> Estimate | Estimates:
    """Return an area of a sweep; of several classes, each against the rest, those of all or that of one."""
    if t.axis == AXIS:
        return estimate_area(t, name, level, method, most)
    labels = Labels(dict.fromkeys(key[0] for key in t))
    each = [estimate_area(t.of(label), name, level, method, most) for label in labels]
    found = Estimates._of_each(labels, each, name)
    return found if of is None else found.of(label_spelt(labels, of))


def _by_influence(sums: Sums, name: AreaName, most: float | None) -> Area:
    """The area and the variance of its influences."""
    m, n = float(sums.positives[-1]), float(sums.negatives[-1])
    if not m or not (n or name == "average_precision"):
        return Area(math.nan, math.nan, m, n)
    value, *by = influences(name, sums.positives, sums.negatives, most)
    value, scale = partial(value, most)
    squares = [np.diff(side.astype(np.float64)) for side in sums.squares]
    spread = sum(float(side @ each**2) for side, each in zip(squares, by, strict=True))
    return Area(
        value,
        spread * scale**2,
        *(size**2 / max(side.sum(), 1e-300) for size, side in zip((m, n), squares, strict=True)),
    )

"""The sweep of the report page: the thresholds that it stops at, where it opens, and curves with their bands."""

from __future__ import annotations

import heapq
import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import positive_place
from confmat.core.errors import ConfmatError, InputError
from confmat.core.keys import Descending
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import number
from confmat.deciding import Best, Curve, best, pr_curve, roc
from confmat.deciding.confidence import ABSTAINED
from confmat.deciding.sweeps import range_text, threshold_text
from confmat.intervals import interval
from confmat.intervals.asked import AXIS
from confmat.intervals.scored import thresholds_of
from confmat.metrics import accuracy
from confmat.metrics.catalog import Score, one_number, parse_score

Array = NDArray[Any]

# Along these, a slider leads from one matrix to the next.
AXES = frozenset({AXIS, "confidence"})
# Curves of two shares.
_SQUARE = frozenset({"ROC", "precision-recall"})
# Thresholds with a matrix on the page, and points of a curve; a curve is drawn some 300 pixels
# wide.
MOST_STOPS, MOST_POINTS = 100, 256
# So many thresholds are looked at, spread over items, scores and rates; and a gap in a curve that
# no eye sees.
_LOOKED_AT, _UNSEEN = 4096, 0.0005


def is_sweep(m: Any) -> bool:
    """Say whether a slider leads through it: what `best`, `roc` or `pr_curve` gave, or a stack along numbers."""
    if isinstance(m, (Best, Curve)):
        return True
    return (
        isinstance(m, Stack)
        and m.axis in AXES
        and len(m) > 1
        and all(isinstance(key, Real) for key in m._names)
    )


def swept(
    m: Any, scores: list[Score]
) -> tuple[dict[Any, ConfusionMatrix], dict[str, Any], list[Score]]:
    """The matrices of a sweep by their thresholds, what the page shows of it, and the scores above everything.

    It opens where the score is best that `best` was asked for, or the first of `scores`.
    """
    t, asked = _given(m)
    asked, found = asked or next(iter(scores), None), m if isinstance(m, Best) else None
    keys, labels, two, lines = thresholds_of(t), t.labels, None, []
    if t.axis == AXIS and len(labels) == labels.n_classes == 2:
        place = positive_place(labels)
        two, labels = [place, 1 - place], labels.replace(positive=labels[place])
        lines = [(roc(t), "recall"), (pr_curve(t), "precision")]
        asked = one_number(asked or "f1", labels)
        found = found or _best(t, asked)
    score = asked or parse_score("f1.macro")
    known = score(t) if found is None or found._given is None else found._given[2]
    values = np.asarray(known, dtype=np.float64)
    over = Curve(f"{score} by {t.axis}", t.axis, str(score), keys, values, keys)
    marked = [_opening(t, score, values, found)]
    if found is not None:
        marked += [int(np.flatnonzero(keys == end)[0]) for end in found.range]
    planes = [*((curve.x, curve.y) for curve, _ in lines), (_scaled(keys), _scaled(values))]
    stops, points = _places(planes, marked, np.flatnonzero(np.isfinite(keys))[[0, -1]], labels)
    models = _models_at(t, stops, labels)
    curves = [
        _drawn(curve, curve.area_text(), points, stops, _bands(models, name))
        for curve, name in lines
    ]
    if ABSTAINED in labels.outside:
        curves.append(_risk(models))
    curves.append(_drawn(over, "", points, stops, _bands(models, score)))
    size = f"{number(len(t))} {t.axis}s"
    facts = {
        "size": f"{size}, {len(stops):,} of them here" if len(stops) < len(t) else size,
        "about": _about(found),
        "isBest": found is not None,
        "keys": [
            key if math.isfinite(key) else {"float": str(key)} for key in keys[stops].tolist()
        ],
        "open": int(np.searchsorted(stops, marked[0])),
        "alike": np.searchsorted(stops, marked[1:]).tolist(),
        "two": two,
        "curves": curves,
    }
    return models, facts, [*scores, *filter(None, [asked])]


def _given(m: Any) -> tuple[Stack, Score | None]:
    """The matrices behind a sweep from the highest threshold down, and the score that was asked for."""
    t, asked, *_ = (m, None) if isinstance(m, Stack) else m._given or (None, None)
    if t is None:
        msg = (
            f"this {type(m).__name__} does not hold the matrices behind it; a page takes what "
            "`thresholds`, `abstain`, `best`, `roc` or `pr_curve` gave"
        )
        raise InputError(msg)
    if not isinstance(t._names, Descending):
        t = Stack({key: t[key] for key in sorted(t, reverse=True)}, axis=t.axis)
    return t, asked


def _models_at(t: Stack, stops: Array, labels: Labels) -> dict[Any, ConfusionMatrix]:
    """The matrices at some thresholds, by these as texts."""
    parts = (
        ConfusionMatrix._of(labels, part._counts, part._squares)
        for part in map(t._at, stops.tolist())
    )
    return dict(zip(_texts(thresholds_of(t)[stops]), parts, strict=True))


def _best(t: Stack, score: Score) -> Best | None:
    """The best threshold, where the score says what is better and has a value anywhere."""
    try:
        return best(t, score)
    except ConfmatError:
        return None


def _opening(t: Stack, score: Score, values: Array, found: Best | None) -> int:
    """The place of the best threshold; of answers that may be withheld, all of them given."""
    if found is not None:
        return int(np.flatnonzero(thresholds_of(t) == found.threshold)[0])
    if ABSTAINED in t.labels.outside or np.isnan(values).all():
        return len(t) - 1
    return int(
        np.nanargmin(values)
        if getattr(score.metric, "better", "") == "lower"
        else np.nanargmax(values)
    )


def _about(found: Best | None) -> str:
    """The best threshold and the range around it, and what the bands are."""
    bands = "Bands are pointwise: 95 % intervals of each point, not of the whole curve."
    if found is None:
        return bands
    low, high = found.range
    at, *ends = _texts(np.array([found.threshold, low, high]))
    near = (
        f" These items cannot distinguish it from {range_text(low, high, ends)} (grey)."
        if low < high
        else ""
    )
    return f"{found.score} is best at {at}: {found.value:.3f}.{near} {bands}"


def _texts(keys: Array) -> list[str]:
    """Thresholds in as few digits as tell them apart; infinite ones in words."""
    digits, many, texts = 4, len(set(keys.tolist())), list[str]()
    while len(set(texts)) < many:
        texts = [threshold_text(key, digits) for key in keys.tolist()]
        digits += 2
    return texts


# ---- which thresholds ----------------------------------------------------------------------------


Planes = list[tuple[Array, Array]]


def _places(planes: Planes, marked: list[int], ends: Array, labels: Labels) -> tuple[Array, Array]:
    """The thresholds with a matrix, fewer where there are many classes, and those that curves are drawn through."""
    always = [*marked, *ends.tolist()]
    near = _looked_at(planes, always)
    most = max(12, min(MOST_STOPS, 1000 // len(labels)))
    stops, points = (
        np.union1d(near[_shape(planes, near, many)], always) for many in (most, MOST_POINTS)
    )
    return stops, np.union1d(points, stops)


def _scaled(values: Array) -> Array:
    """Numbers from 0 to 1; infinite ones are at the ends."""
    seen = values[np.isfinite(values)]
    low, high = (float(seen.min()), float(seen.max())) if len(seen) else (0.0, 1.0)
    return np.clip(np.nan_to_num((values - low) / ((high - low) or 1.0), nan=0.0), 0.0, 1.0)


def _looked_at(planes: Planes, always: list[int]) -> Array:
    """Places among which the shape is looked for: all, or spread over items and what rises, and dense at the start."""
    size = len(planes[0][0])
    if size <= _LOOKED_AT:
        return np.arange(size)
    spread = [
        np.linspace(0, size - 1, _LOOKED_AT),
        np.geomspace(1, size - 1, _LOOKED_AT),
        np.array(always),
    ]
    rising = (line for x, y in planes for line in (x, y, -x) if (line[1:] >= line[:-1]).all())
    spread += [np.searchsorted(line, np.linspace(line[0], line[-1], _LOOKED_AT)) for line in rising]
    return np.unique(np.clip(np.concatenate(spread), 0, size - 1).astype(np.intp))


def _shape(planes: Planes, near: Array, most: int) -> Array:
    """The places that keep the shape of every curve: always the one farthest from the lines drawn so far.

    This is the rule of Ramer (1972) and of Douglas and Peucker (1973), with a budget in place of a
    tolerance.
    """
    lines = np.nan_to_num(np.array([[part[near] for part in plane] for plane in planes]))

    def farthest(first: int, last: int) -> tuple[float, int, int, int]:
        part = lines[:, :, first : last + 1] - lines[:, :, [first]]
        along, far = part[:, :, -1:], np.hypot(*part[:, :, -1].T)
        aside = np.abs(part[:, 0] * along[:, 1] - part[:, 1] * along[:, 0])
        scale = np.where(far > 0, far, 1.0)[:, None]
        gap = np.where(far[:, None] > 0, aside / scale, np.hypot(part[:, 0], part[:, 1])).max(
            axis=0
        )
        return -float(gap.max()), first + int(gap.argmax()), first, last

    kept, heap = {0, len(near) - 1}, [farthest(0, len(near) - 1)]
    while heap and len(kept) < most:
        gap, place, first, last = heapq.heappop(heap)
        if -gap < _UNSEEN and len(near) > most:
            break
        if last - first > 1:
            place = min(max(place, first + 1), last - 1)
            kept.add(place)
            for ends in ((first, place), (place, last)):
                heapq.heappush(heap, farthest(*ends))
    return np.sort(list(kept))


# ---- curves --------------------------------------------------------------------------------------


def _bands(
    models: dict[Any, ConfusionMatrix], score: Any, **options: Any
) -> list[list[float | None]]:
    """The interval of a score at each threshold, where it is known."""
    bounds: list[list[float | None]] = []
    for m in models.values():
        try:
            low, high = interval(m, score, **options)
        except ConfmatError:
            low = high = math.nan
        bounds.append([_short(low, 7), _short(high, 7)])
    return bounds


def _drawn(
    curve: Curve, about: str, points: Array, stops: Array, bands: list[list[float | None]]
) -> dict[str, Any]:
    """A curve as the page draws it: its points, and at each threshold of the slider its place and its interval."""
    x, y = curve.x, curve.y
    finite = points[np.isfinite(x[points])]
    seen = [value for pair in bands for value in pair if value is not None] + y[finite][
        np.isfinite(y[finite])
    ].tolist()
    square = curve.name in _SQUARE
    guess = {"ROC": [0.0, 1.0], "precision-recall": [_short(y[-1])] * 2}.get(curve.name)
    return {
        "title": curve.name, "about": about, "names": [curve.x_name, curve.y_name],
        "x": list(map(_short, x[finite])), "y": list(map(_short, y[finite])),
        "at": [[_short(x[place], 7), _short(y[place], 7), *pair] for place, pair in zip(stops, bands, strict=True)],
        "box": [0, 1, 0, 1] if square else [
            _short(x[finite].min()), _short(x[finite].max()), min([0.0, *seen]), max(seen, default=1.0)
        ],
        "guess": guess, "step": curve.name == "precision-recall" and len(points) == len(curve),
    }  # fmt: skip


def _risk(models: dict[Any, ConfusionMatrix]) -> dict[str, Any]:
    """The risk of a wrong answer over the share of items that are answered."""
    some = list(models.values())
    answered = np.array([1 - m.predicted_totals[m.labels.index(ABSTAINED)] / m.total for m in some])
    risk = np.array([1 - float(accuracy(m, outside="exclude")) for m in some])
    bounds = _bands(models, "accuracy", outside="exclude")
    bands = [
        [None if end is None else _short(1 - end, 7) for end in reversed(pair)] for pair in bounds
    ]
    every, curve = (
        np.arange(len(some)),
        Curve("risk-coverage", "coverage", "selective risk", answered, risk, answered),
    )
    return _drawn(curve, "", every, every, bands)


def _short(value: float, digits: int = 4) -> float | None:
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None

"""How far several raters agree on the same items: Fleiss' kappa, Krippendorff's alpha and Gwet's AC1 and AC2.

Items with the same answers make one pattern, and a coefficient is a function of how often each
pattern occurs. Its standard error is that of this function, linearized over the items, which are
what was drawn. Gaps are treated as by Gwet (Handbook of Inter-Rater Reliability, 2014) and
Krippendorff (Content Analysis, 2004): an item with one answer says how common its class is (in
Fleiss' and Gwet's coefficients), and nothing of agreement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.naming import in_order, plain
from confmat.core.options import as_list, door, one_of, told
from confmat.core.tables import Table, Tabular
from confmat.core.text import repeated, some
from confmat.intervals.bounds import check_level, quantile, student_quantile, wilson
from confmat.intervals.estimates import NUMBERS, Estimate, _table

Array = NDArray[Any]
Scale = Literal["nominal", "ordinal", "interval"]
_NAMES = ("observed", "fleiss_kappa", "krippendorff_alpha", "gwet_ac")
# Patterns whose derivatives are taken at once.
_AT_ONCE = 256
_STEP = 1e-30


@dataclass(frozen=True)
class RaterAgreement(Tabular):
    """Observed agreement and the coefficients, each with its interval; `described` says of how many answers."""

    observed: Estimate
    fleiss_kappa: Estimate
    krippendorff_alpha: Estimate
    gwet_ac: Estimate
    described: str

    def table(self) -> Table:
        """Return the coefficients and their intervals as a table."""
        each: list[Estimate] = [getattr(self, name) for name in _NAMES]
        parts = ([getattr(estimate, part) for estimate in each] for part in NUMBERS)
        facts = [self.described, f"{self.observed.level:.3g} confidence", self.observed.method]
        notes = dict.fromkeys(estimate.note for estimate in each if estimate.note)
        return _table(
            "coefficient",
            [estimate.name for estimate in each],
            *parts,
            head="value",
            notes=[", ".join(facts), *notes],
        )

    def __str__(self) -> str:
        return str(self.table())


@door
def rater_agreement(
    ratings: Any,
    *,
    scale: Scale = "nominal",
    labels: Sequence[Any] | None = None,
    level: float = 0.95,
) -> RaterAgreement:
    """Return how far raters agree beyond chance, of a table with a row for each item and a column for each rater.

    Parameters
    ----------
    ratings
        A list of rows, an array, a frame, or a mapping of rater to column. None and NaN are answers
        that are missing.
    scale
        The price of a disagreement: "nominal", one as much as another; "interval", the square of
        its distance, for answers that are numbers; "ordinal", the square of how many answers lie
        between (Krippendorff).
    labels
        All classes in their order, where that is not the sorted one or where some were never
        answered: AC1 counts them.
    level
        How often each interval should hold the truth.

    Examples
    --------
    >>> found = rater_agreement(
    ...     [["a", "a", "b"], ["b", "b", "b"], ["a", "a", None], ["a", "b", "a"], ["b", "b", "b"]]
    ... )
    >>> print(f"{found.krippendorff_alpha.value:.3f}")
    0.458
    """
    one_of("scale", scale, ("nominal", "ordinal", "interval"))
    check_level(level)
    rows = _rows_of(ratings)
    names = _names(rows, labels, scale)
    # Answers that are missing have a place of their own, which is left.
    place = {name: at for at, name in enumerate([*names, None])}
    table = np.zeros((len(rows), len(place)))
    answers = np.array([[place[answer] for answer in row] for row in rows])
    np.add.at(table, (np.arange(len(rows))[:, None], answers), 1)
    table = table[:, :-1]
    patterns, counts = np.unique(table[table.any(axis=1)], axis=0, return_counts=True)
    several = patterns.sum(axis=1) > 1
    paired = int(counts[several].sum())
    if paired < 2:
        msg = f"agreement needs two items at least that two raters answered, and {paired} has two answers"
        raise InputError(msg)
    scores: Any = {"nominal": None, "ordinal": "ranks"}.get(scale)
    if scale == "interval":
        scores = np.array(names, np.float64)
    values = _coefficients(patterns, counts.astype(np.float64), scores)
    slopes = np.zeros((len(_NAMES), len(counts)))
    for start in range(0, len(counts), _AT_ONCE):
        some_of = slice(start, start + _AT_ONCE)
        moved = counts + 1j * _STEP * np.eye(len(counts))[some_of]
        slopes[:, some_of] = _coefficients(patterns, moved, scores).imag / _STEP
    items = int(counts.sum())
    described = (
        f"{items:,} items, {len(names):,} classes, {int(counts @ patterns.sum(axis=1)):,} answers"
    )
    gwet = "Gwet's AC1" if scale == "nominal" else "Gwet's AC2"
    shown = ("observed agreement", "Fleiss' kappa", "Krippendorff's alpha", gwet)
    each = [
        _estimate(
            name, float(value), slope, counts, several, level, 0.0 if name == shown[0] else -1.0
        )
        for name, value, slope in zip(shown, values, slopes, strict=True)
    ]
    return RaterAgreement(each[0], each[1], each[2], each[3], described)


def _coefficients(patterns: Array, counts: Array, at: Any) -> Array:
    """Observed agreement and the three coefficients, for each row of numbers of the patterns."""
    answers, size = patterns.sum(axis=1), np.float64(patterns.shape[1])
    several = answers > 1
    pairs = np.where(several, answers * (answers - 1), 1)
    pooled = (counts * several) @ patterns
    number, paired = pooled.sum(axis=-1), (counts * several).sum(axis=-1)
    shares = counts @ (patterns / answers[:, None]) / counts.sum(axis=-1)[..., None]
    if at is None:
        within, most, every = (
            (answers**2 - (patterns**2).sum(axis=1)) / pairs,
            1.0,
            size * (size - 1),
        )

        def expected(share: Array) -> Array:
            return np.asarray(share.sum(axis=-1) ** 2 - (share * share).sum(axis=-1))
    else:
        # Squared distances of positions, those of ranks taken in shares of all answers.
        v = (
            (np.cumsum(pooled, axis=-1) - pooled / 2) / number[..., None]
            if isinstance(at, str)
            else at
        )
        within = 2 * (answers * ((v * v) @ patterns.T) - (v @ patterns.T) ** 2) / pairs
        most = (v[..., -1] - v[..., 0]) ** 2
        every = 2 * size * (v * v).sum(axis=-1) - 2 * v.sum(axis=-1) ** 2

        def expected(share: Array) -> Array:
            first = (share * v).sum(axis=-1)
            return np.asarray(
                2 * share.sum(axis=-1) * (share * v * v).sum(axis=-1) - 2 * first * first
            )

    with np.errstate(divide="ignore", invalid="ignore"):
        seen = (counts * several * within).sum(axis=-1) / paired
        by_answers = (counts * several * answers * within).sum(axis=-1) / number
        guessed = (
            (1 - every / most / size**2) * size / (size - 1) * (shares * (1 - shares)).sum(axis=-1)
        )
        found = (
            1 - seen / most,
            1 - seen / expected(shares),
            1 - by_answers * number * (number - 1) / expected(pooled),
            1 - seen / most / (1 - guessed),
        )
    return np.array(found)


def _estimate(
    name: str, value: float, slope: Array, counts: Array, several: Array, level: float, least: float
) -> Estimate:
    """The estimate by Wilson's rule at the effective number of items, reaching as far as Student's t does."""
    items = float(counts[several].sum())
    if math.isnan(value):
        note = "every answer names one class, so nothing is expected by chance"
        return Estimate(value, value, value, level, note=note, name=name)
    centred = slope - counts @ slope / counts.sum()
    error = math.sqrt(counts.sum() / (counts.sum() - 1) * float(counts @ centred**2))
    share, note = (max(value, least) - least) / (1 - least), ""
    further = student_quantile((1 + level) / 2, items - 1) / quantile(level)
    alike = share * (1 - share) * ((1 - least) / (error * further)) ** 2 if error > 1e-12 else 0.0
    if not alike:
        alike, note = (
            items,
            "nothing varies among the items, so it is the interval of as many answers",
        )
    low, high = (least + (1 - least) * float(end) for end in wilson(share, alike, level))
    method = "Wilson at the effective number of items, Student's t"
    return Estimate(value, min(low, value), high, level, method, "items", alike, error, note, name)


def _rows_of(ratings: Any) -> list[list[Any]]:
    """The rows of a table as plain values, None where an answer is missing."""
    kinds, rows = (list, tuple, np.ndarray), list[Any]()
    names = list(ratings) if isinstance(ratings, Mapping) else getattr(ratings, "columns", None)
    if names is not None:
        _distinct("raters", names)
        columns = [as_list(f"ratings[{name!r:.60}]", ratings[name], "answers") for name in names]
        if len(set(map(len, columns))) == 1:
            rows = list(zip(*columns, strict=True))
    elif isinstance(ratings, kinds) and all(isinstance(row, kinds) for row in ratings):
        rows = list(ratings)
    if len(set(map(len, rows))) != 1 or len(rows[0]) < 2:
        msg = f"`ratings` has a row for each item and a column for each of two raters or more; got {told(ratings)}"
        raise InputError(msg)
    return [list(map(plain, row)) for row in rows]


def _distinct(what: str, names: Any) -> list[Any]:
    """Names that are no two alike."""
    listed = [plain(name) for name in as_list(what, names, what)]
    if twice := repeated(listed):
        msg = f"`{what}` must be distinct, but these come twice: {some(twice)}"
        raise InputError(msg)
    return listed


def _names(rows: list[list[Any]], labels: Any, scale: str) -> list[Any]:
    """The classes in their order; those of an interval scale are numbers, and have one."""
    found = dict.fromkeys(chain(*rows))
    found.pop(None, None)
    names = in_order([*found], appearance=False) if labels is None else _distinct("labels", labels)
    if lost := [answer for answer in found if answer not in names]:
        msg = f"`labels` lacks {some(lost)}, which the ratings have"
        raise InputError(msg)
    numbers = {isinstance(name, (int, float)) and math.isfinite(name) for name in names}
    if scale == "interval" and numbers != {True}:
        msg = f"an interval scale needs answers that are numbers, not {some(names)}; scale='ordinal' takes their order"
        raise InputError(msg)
    if len(numbers) > 1:
        msg = f"answers are of one kind, and here are numbers and others: {some(names)}; convert them first"
        raise InputError(msg)
    return sorted(names) if scale == "interval" else names

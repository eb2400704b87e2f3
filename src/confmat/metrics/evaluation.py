"""Which arithmetic a formula runs in: float64 where its digits suffice, exact numbers where they would not.

Integer counts lose digits in two ways: products beyond 2^53 are rounded, and differences of rounded numbers cancel.
A formula that never subtracts is safe. For one that does, its own text is run once on `Degree`, which says how far
its differences stay exact, and beyond that on `Tracked`, which bounds the error of every result. What may be off
by more than TOLERANCE is computed again on Python integers, with one final division and root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np

from confmat.core.cells import Cells, once
from confmat.core.errors import ConfmatError
from confmat.metrics.arithmetic import spread
from confmat.metrics.degrees import Degree, Notes, UntrackableError
from confmat.metrics.margins import shared
from confmat.metrics.tracking import HAS_WIDE, Tracked, UncertainError, Wide

__all__ = [
    "TOLERANCE",
    "UNFOLLOWED",
    "Exactly",
    "at_once",
    "converted",
    "evaluate",
    "evaluate_all",
    "evaluate_exactly",
    "kind_of",
    "mapped",
    "plainly",
    "plan_of",
    "pooled",
    "safe_total",
    "shape_of",
    "taken",
]

Formula = Callable[[Any], Any]
# Weights in exact numbers, or in wide ones: of the matrices of a stack that are chosen, or of the only one (None).
Exactly = Callable[..., Any]

# A tenth of what is promised.
TOLERANCE = 1e-13
# What sums of terms of one sign lose: a few roundings for each of the logarithm of their number.
_CERTAIN = 2.0**-47

# Of so many shapes it is kept what a formula does with them.
_SHAPES = 256
# And of so many formulas.
_FORMULAS = 4096
# Where a memo keeps the floats of counts, their greatest total and their shape.
_COUNTED = "counted"
_PARTS = ("tp", "fp", "fn", "tn")
# What a formula raises that does something else than numbers which watch can answer: plain NumPy, most often.
UNFOLLOWED = (UntrackableError, TypeError, ValueError, AttributeError)


class _Plan:
    """What is known of a formula: whether it can be followed, and up to which total it is exact.

    By number of classes and listed cells, `safe` holds for its differences, and `whole` for its result as well.
    """

    __slots__ = ("followed", "safe", "whole")

    def __init__(self) -> None:
        self.followed = True
        self.safe: dict[Any, float] = {}
        self.whole: dict[Any, float] = {}


@lru_cache(maxsize=_FORMULAS)
def plan_of(formula: Formula) -> _Plan:  # noqa: ARG001 - one for each formula
    """What is known of a formula."""
    return _Plan()


def evaluate(formula: Formula, inputs: Any, *, scale_free: bool = True, exactly: Exactly | None = None) -> Any:
    """The formula on cells, margins or a table: integers without losing a digit, and weights if `exactly` has them."""
    found = at_once(formula, inputs)
    if found is not None:
        return found
    kind = kind_of(inputs)
    if kind in "iu":
        return _evaluate_counts(formula, inputs)
    if kind == "O":
        return formula(inputs)
    floats = _levelled(inputs) if scale_free and kind == "f" else _unlevelled(inputs)
    if exactly is None or kind != "f":
        return formula(floats)
    from confmat.metrics.weights import evaluate_weights

    return evaluate_weights(formula, inputs, floats, exactly)


def at_once(formula: Formula, inputs: Any) -> Any:
    """What nearly every formula comes to on a small matrix of counts; None where more has to be asked."""
    memo = inputs.memo
    if memo is None or _COUNTED not in memo:
        return None
    floats, most, shape = memo[_COUNTED]
    plan = plan_of(formula)
    if not plan.followed:
        return _unfollowed(formula, floats)
    return formula(floats) if most <= plan.safe.get(shape, -1.0) else None


def evaluate_all(formulas: Iterable[Formula], cells: Cells, exactly: Exactly | None = None) -> list[Any]:
    """Several scale-free formulas on the same cells, which share what they work out."""
    kept = cells if cells.memo is not None else shared(replace(cells, memo=None))
    return [evaluate(formula, kept, exactly=exactly) for formula in formulas]


def _evaluate_counts(formula: Formula, inputs: Any) -> Any:
    plan = plan_of(formula)
    if plan.followed:
        floats, most, shape = _prepared(inputs)
        if most <= safe_total(plan, formula, inputs, shape):
            return formula(floats)
        try:
            return _evaluate_watched(formula, inputs)
        except ConfmatError:
            # An answer to what was asked, and nothing about the formula.
            raise
        except UNFOLLOWED:
            pass
        except UncertainError:
            return np.asarray(evaluate_exactly(formula, inputs), dtype=object).astype(np.float64)[()]
    found = _unfollowed(formula, _floats(inputs))
    plan.followed = False
    return found


@np.errstate(divide="ignore", invalid="ignore")
def _unfollowed(formula: Formula, floats: Any) -> Any:
    # A formula with a division of its own says NaN or infinity, and need not say it aloud.
    return formula(floats)


@once
def _prepared(inputs: Any) -> tuple[Any, int, tuple[Any, ...]]:
    """What every formula asks for first, together: the floats, the greatest total and the shape."""
    found = _floats(inputs), _most(inputs), shape_of(inputs)
    if inputs.memo is not None:
        inputs.memo[_COUNTED] = found
    return found


@once
def _floats(inputs: Any) -> Any:
    """Counts as floats, to be shared by all formulas where the counts are."""
    found = _remembering(converted(inputs, np.float64), inputs)
    if found.memo is not None:
        found.memo["most"] = _most(inputs)
    return found


@once
def _watched(inputs: Any) -> Any:
    """Counts as numbers that watch for errors; sums that are certain they take from the floats."""
    floats, most, shape = _prepared(inputs)
    if most < Tracked.whole:
        found = mapped(floats, lambda counts: Tracked(counts, most=float(most), positive=True), float)
    else:
        found = mapped(inputs, Tracked.of_integers, float)
    found = _remembering(found, inputs)
    if found.memo is not None:
        # Not of the inputs, which remember these numbers: neither would be freed with its matrix.
        found.memo["certain"] = partial(_certainly, floats, most, shape)
    return found


def _certainly(floats: Any, most: int, shape: tuple[Any, ...], function: Formula) -> Tracked | int | None:
    plan = plan_of(function)
    if most > safe_total(plan, function, floats, shape):
        return None
    value = function(floats)
    if isinstance(value, int):
        # A number of classes is the same in every arithmetic.
        return value
    if most <= plan.whole[shape]:
        greatest = value if isinstance(value, float) else np.max(value, initial=0.0)
        return Tracked(value, most=float(greatest), positive=True)
    return Tracked(value, relative=_CERTAIN, positive=True)


def _remembering(made: Any, inputs: Any) -> Any:
    return made if inputs.memo is None else shared(made)


@once
def _most(inputs: Any) -> int:
    """The greatest total of any matrix."""
    total = inputs.total
    return int(total.max() if isinstance(total, np.ndarray) else total) if np.size(total) else 0


def evaluate_exactly(formula: Formula, inputs: Any) -> Any:
    """The formula on Python integers and fractions."""
    return formula(converted(inputs, object))


def kind_of(inputs: Any) -> str:
    """The kind of number that the inputs hold: i, u, f, c or O as NumPy says it."""
    part = inputs.tp if isinstance(inputs, Cells) else inputs.diagonal
    kind: str = part.dtype.kind if isinstance(part, np.ndarray) else np.asarray(part).dtype.kind
    return kind


def mapped(inputs: Any, change: Callable[[Any], Any], number: Callable[[Any], Any]) -> Any:
    """The same inputs with every number changed."""
    if isinstance(inputs, Cells):
        return Cells(*(change(getattr(inputs, part)) for part in _PARTS))
    return inputs.map(change, number(inputs.n_classes))


def converted(inputs: Any, dtype: Any) -> Any:
    """The same inputs in another number type."""

    def change(part: Any) -> Any:
        if not isinstance(part, (np.ndarray, np.generic)):
            part = np.asarray(part)
        changed = part.astype(dtype)
        # The total of one matrix is a number, not an array without axes.
        return changed[()] if isinstance(changed, np.ndarray) and changed.ndim == 0 else changed

    return mapped(inputs, change, int if dtype is object else float)


def shape_of(inputs: Any) -> tuple[Any, ...]:
    """Number of classes and of listed cells."""
    if isinstance(inputs, Cells):
        return (np.shape(inputs.tp)[-1:],)
    return np.shape(inputs.diagonal)[-1:], np.shape(getattr(inputs, "values", 0))[-1:]


def safe_total(plan: _Plan, formula: Formula, inputs: Any, shape: tuple[Any, ...]) -> float:
    """Up to which total the differences of the formula are exact in float64; -1 if that is not known."""
    found = plan.safe.get(shape)
    if found is None:
        if len(plan.safe) >= _SHAPES:
            plan.safe.clear()
            plan.whole.clear()
        differences, result = _found_differences(formula, inputs)
        found = plan.safe[shape] = -1.0 if differences is None else _least_exact(differences)
        plan.whole[shape] = min(found, _least_exact(result))
    return found


def _least_exact(differences: Notes) -> float:
    limits = [math.inf]
    for degree, size in differences:
        if degree is None or not size < 2**53:
            return -1.0
        if degree:
            # A hair less, for the rounding of the root.
            limits.append((2**53 / max(size, 1e-300)) ** (1 / degree) * (1 - 1e-12))
    return min(limits)


def _found_differences(formula: Formula, inputs: Any) -> tuple[Notes | None, Notes]:
    """What the formula subtracts, if it can be followed, and what comes out."""
    notes: Notes = set()
    # True negatives are no parts: each class has nearly all of them.
    axes = -1 if isinstance(inputs, Cells) else np.ndim(inputs.diagonal)

    def change(part: Any) -> Degree:
        return Degree.of(part, notes, parts=np.ndim(part) == axes)

    try:
        found = formula(mapped(inputs, change, lambda n: Degree(0, n, notes)))
    except UNFOLLOWED:
        return None, {(None, math.inf)}
    return notes, {(found.degree, found.size) if isinstance(found, Degree) else (None, math.inf)}


def _evaluate_watched(formula: Formula, inputs: Any) -> Any:
    """With error bounds, in float64 and then in wider floats; results still in doubt again, exactly."""
    found = formula(_watched(inputs))
    if not isinstance(found, Tracked):
        return found
    values, doubtful = _result(found)
    if doubtful is None:
        return values
    values = np.array(values)
    # Of classes, those in doubt are taken alone; a whole matrix is computed again as it is.
    alone = isinstance(inputs, Cells) and np.shape(inputs.tp) == values.shape
    for again in (_wider, _exactly) if HAS_WIDE else (_exactly,):
        part = taken(inputs, doubtful) if alone else inputs
        fresh, still = again(formula, part)
        if alone:
            values[doubtful] = fresh
        else:
            values = np.asarray(fresh)
        if still is None:
            break
        doubtful = _within(doubtful, still) if alone else still
    return values[()]


def _result(found: Tracked) -> tuple[Any, Any]:
    return np.asarray(found.value, dtype=np.float64)[()], found.doubtful(TOLERANCE)


def _within(which: Any, part: Any) -> Any:
    """Of the chosen ones those that are chosen again."""
    found = which.copy()
    found[which] = part
    return found


def _wider(formula: Formula, inputs: Any) -> tuple[Any, Any]:
    return _result(formula(mapped(inputs, Wide.of_integers, float)))


def _exactly(formula: Formula, inputs: Any) -> tuple[Any, Any]:
    return np.asarray(evaluate_exactly(formula, inputs), dtype=object).astype(np.float64)[()], None


def taken(cells: Cells, which: Any) -> Cells:
    """The cells of some classes, or of some matrices of a stack."""
    return Cells(*(np.asarray(getattr(cells, part))[which] for part in _PARTS))


@once
def _levelled(inputs: Any) -> Any:
    """Weights brought near 1 by a power of two, so that their products neither overflow nor vanish."""
    total = np.asarray(inputs.total, dtype=np.float64)
    if not total.size or (total.min() > 1e-25 and total.max() < 1e25):
        return _unlevelled(inputs)
    power = -np.frexp(np.where(np.isfinite(total), total, 1.0))[1]

    def change(part: Any) -> Any:
        part = np.asarray(part, dtype=np.float64)
        return np.ldexp(part, power if part.ndim == power.ndim else spread(power))[()]

    return _remembering(mapped(inputs, change, float), inputs)


@once
def _unlevelled(inputs: Any) -> Any:
    """Weights as they are."""
    if isinstance(inputs, Cells):
        return inputs
    return _remembering(replace(inputs, n_classes=float(inputs.n_classes), memo=None), inputs)


def pooled(cells: Cells) -> Cells:
    """Sums over the classes; in Python integers where 64 bits would not hold them."""
    if kind_of(cells) in "iu" and np.size(cells.tp):
        bits = int(np.max(cells.total)).bit_length() + np.shape(cells.tp)[-1].bit_length()
        if bits > 62:
            cells = converted(cells, object)
    return cells.pooled()


def plainly(value: Any) -> Any:
    """A Python number where there is no axis left."""
    if isinstance(value, float):
        return float(value)
    if isinstance(value, np.ndarray):
        if value.ndim:
            return value
        value = value[()]
    if isinstance(value, np.generic):
        return value.item()
    return Fraction(value) if isinstance(value, int) else value

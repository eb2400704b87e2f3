"""The arithmetic that a formula runs in: floats, and Python integers for counts whose products floats would round.

A score is right to 1e-12, relative or absolute in its own scale. Up to 2^26 items floats are enough for that: no
product of two counts is rounded. Beyond, and in smaller tables in which one class holds nearly all, formulas without
logarithms run on Python integers with one division and root at the end, and so do weights of very different sizes,
which are integers times a power of two. Logarithms, other weights, stacks and the largest tables stay in floats.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from weakref import WeakSet

import numpy as np

from confmat.core.cells import Cells, once
from confmat.metrics.arithmetic import UNFOLLOWED, UntrackableError, spread
from confmat.metrics.margins import WEIGHTS, shared

Formula = Callable[[Any], Any]
Bounds = tuple[float | None, float | None]

# Products of two counts below this total are exact in floats.
FLOAT_TOTAL = 2**26
# Products of four are, below this total; beyond, differences from chance lose digits where a class holds nearly all.
_DEGENERATE_TOTAL, _DEGENERATE_SHARE = 2**13, 1 - 2.0**-10
# A table with more numbers than this stays in floats: Python integers would take seconds.
INTEGER_SIZE = 2**14
# Rounding moves no score further beyond its bounds than this.
_ROUNDING = 1e-6
# The key of a memo under which the counts stand as floats, if floats are enough for them.
_FLOATS = "floats"
# Formulas with logarithms, which integers cannot follow.
_LOGARITHMIC: WeakSet[Formula] = WeakSet()


def evaluate(formula: Formula, inputs: Any, *, scale_free: bool = True) -> Any:
    """Evaluate a formula on cells, margins or a table, in the arithmetic that keeps 12 digits."""
    kind = kind_of(inputs)
    if kind not in "iuf":
        try:
            return formula(inputs)
        except UntrackableError:
            return formula(converted(inputs, float))
    floats = floats_kept(inputs)
    if floats is not None:
        return formula(floats)
    numbers = _in_full(inputs, kind, scale_free=scale_free)
    if numbers is not None and formula not in _LOGARITHMIC:
        try:
            with np.errstate(all="ignore"):
                return np.asarray(formula(numbers), dtype=object).astype(np.float64)[()]
        except UntrackableError:
            _LOGARITHMIC.add(formula)
        except (*UNFOLLOWED, ArithmeticError):
            # Plain NumPy or a plain division, most often; a real mistake is raised again below.
            pass
    if kind == "f":
        # Weights of any size: their products may leave the range of floats.
        with np.errstate(all="ignore"):
            return formula(_near_one(inputs) if scale_free else _with_float_size(inputs))
    floats = _floats(inputs)
    if numbers is None and inputs.memo is not None:
        inputs.memo[_FLOATS] = floats
    return formula(floats)


def floats_kept(inputs: Any) -> Any:
    """Counts as floats, if a formula was evaluated on them before and floats are enough for them; else None."""
    return None if inputs.memo is None else inputs.memo.get(_FLOATS)


@once
def _floats(inputs: Any) -> Any:
    return _remembering(converted(inputs, float), inputs)


@once
def _integers(inputs: Any) -> Any:
    return _remembering(converted(inputs, int), inputs)


def _in_full(inputs: Any, kind: str, *, scale_free: bool) -> Any:
    """Counts or weights as Python numbers; None where floats are enough for them.

    Weights become integers, times a power of two that changes nothing for what is free of scale, and else fractions.
    """
    if kind != "f":
        return _integers(inputs) if _needs_integers(inputs) else None
    if inputs.memo is None or WEIGHTS not in inputs.memo:
        return None
    change = _as_multiples if scale_free else in_fractions
    if change not in inputs.memo:
        table = inputs.memo[WEIGHTS](change)
        inputs.memo[change] = _remembering(table.cells if isinstance(inputs, Cells) else table, inputs)
    return inputs.memo[change]


def _as_multiples(weights: Any) -> Any:
    """Weights as integers, in units of a power of two that all of them are multiples of."""
    mantissas, exponents = np.frexp(weights)
    shifts = exponents - exponents.min(initial=0, where=weights != 0)
    return (mantissas * 2.0**53).astype(np.int64).astype(object) << shifts.clip(0).astype(object)


def _needs_integers(inputs: Any) -> bool:
    """Whether products of these counts are rounded in floats; not asked of stacks and large tables."""
    per_class = isinstance(inputs, Cells)
    numbers = inputs.tp if per_class else getattr(inputs, "values", inputs.actual)
    total = inputs.total
    if isinstance(numbers, np.ndarray) and (numbers.ndim > 1 or not 0 < numbers.size <= INTEGER_SIZE):
        return False
    if isinstance(total, np.ndarray):
        total = total.max()
    if per_class or not _DEGENERATE_TOTAL <= total < FLOAT_TOTAL:
        return bool(total >= FLOAT_TOTAL)
    return bool(max(inputs.actual.max(), inputs.predicted.max()) > _DEGENERATE_SHARE * total)


def _remembering(made: Any, inputs: Any) -> Any:
    return made if inputs.memo is None else shared(made)


def kind_of(inputs: Any) -> str:
    """The kind of number that the inputs hold: i, u, f, c or O as NumPy says it."""
    part = inputs.tp if isinstance(inputs, Cells) else inputs.diagonal
    kind: str = part.dtype.kind if isinstance(part, np.ndarray) else np.asarray(part).dtype.kind
    return kind


def _mapped(inputs: Any, change: Callable[[Any], Any], number: Callable[[Any], Any]) -> Any:
    """The same inputs with every number changed."""
    if isinstance(inputs, Cells):
        return Cells(change(inputs.tp), change(inputs.fp), change(inputs.fn), change(inputs.tn))
    return inputs.map(change, number(inputs.n_classes))


def converted(inputs: Any, kind: type) -> Any:
    """The same inputs as floats, Python integers or fractions."""

    def change(part: Any) -> Any:
        if kind is Fraction:
            return in_fractions(part)
        # The total of one matrix is a number, not an array without axes.
        return np.asarray(part).astype(np.float64 if kind is float else object)[()]

    return _mapped(inputs, change, kind)


# Numbers as fractions, without rounding.
in_fractions: Callable[[Any], Any] = np.frompyfunc(Fraction, 1, 1)


@once
def _near_one(inputs: Any) -> Any:
    """Weights brought near 1 by a power of two, so that their products neither overflow nor vanish."""
    total = np.asarray(inputs.total, dtype=np.float64)
    if not total.size or (total.min() > 1e-25 and total.max() < 1e25):
        return _with_float_size(inputs)
    power = -np.frexp(np.where(np.isfinite(total), total, 1.0))[1]

    def change(part: Any) -> Any:
        part = np.asarray(part, dtype=np.float64)
        return np.ldexp(part, power if part.ndim == power.ndim else spread(power))[()]

    return _remembering(_mapped(inputs, change, float), inputs)


@once
def _with_float_size(inputs: Any) -> Any:
    """Weights as they are, with the number of classes as a float, too."""
    return inputs if isinstance(inputs, Cells) else _remembering(_mapped(inputs, lambda part: part, float), inputs)


def clipped(values: Any, bounds: Bounds) -> Any:
    """The same scores, back within their bounds where rounding alone moved them out.

    >>> clipped(1.0000000000000002, (0, 1)), clipped(np.array([-1.0000000000000002, np.nan]), (-1, None))
    (1.0, array([-1., nan]))
    >>> clipped(1.5, (0, 1))
    1.5
    """
    low, high = bounds
    if not isinstance(values, np.ndarray):
        if low is not None and low - _ROUNDING <= values < low:
            return float(low)
        return float(high) if high is not None and high < values <= high + _ROUNDING else values
    if low is not None and np.count_nonzero(values < low):
        values = np.where((values < low) & (values >= low - _ROUNDING), low, values)
    if high is not None and np.count_nonzero(values > high):
        values = np.where((values > high) & (values <= high + _ROUNDING), high, values)
    return values


def pooled(cells: Cells) -> Cells:
    """Sums over the classes; in Python integers where 64 bits would not hold them."""
    if kind_of(cells) in "iu" and np.size(cells.tp):
        bits = int(np.max(cells.total)).bit_length() + np.shape(cells.tp)[-1].bit_length()
        if bits > 62:
            cells = converted(cells, int)
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

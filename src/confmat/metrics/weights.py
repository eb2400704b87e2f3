"""Weights: what a formula would lose in floats is found in exact numbers, read from the cells of the matrix anew.

Margins of weights are rounded sums. Where a formula takes one product of them from another, such as mcc and kappa,
the rounding of the sums may be all that is left. So it is run on `Tracked` too, which bounds its error; results in
doubt are computed again, in the machine's wider floats where it has them, and what these leave in doubt on integers:
every float is one, times a power of two that all of them share.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from confmat.core.cells import Cells, once
from confmat.metrics.arithmetic import Array
from confmat.metrics.evaluation import UNFOLLOWED, Exactly, mapped, plan_of, safe_total, shape_of
from confmat.metrics.margins import Margins, Outside, Table, View, joined, listed, summed_at
from confmat.metrics.tracking import HAS_WIDE, Tracked, UncertainError, Wide

__all__ = ["WEIGHT_TOLERANCE", "evaluate_weights", "read_exactly"]

Formula = Callable[[Any], Any]

# Half of what is promised: the bounds are several times what sums of weights really lose.
WEIGHT_TOLERANCE = 5e-13
# Of weights further apart than this, products of four vanish beside others; so they do at these totals.
_FURTHEST, _SMALLEST, _LARGEST = 2.0**-150, 1e-30, 1e30


def evaluate_weights(formula: Formula, weights: Any, inputs: Any, exactly: Exactly) -> Any:
    """A formula on weights, or on these brought near 1 as `inputs`.

    `exactly` gives them as exact numbers, of some matrices of a stack or of the only one.
    """
    # What is brought near 1 may vanish on the way.
    if _extremes(weights)[0] <= _FURTHEST or not _SMALLEST < _extremes(inputs)[1] < _LARGEST:
        try:
            return _in_floats(formula(exactly(None)))
        except (*UNFOLLOWED, OverflowError):
            # What only floats can do, they do as far as they reach.
            with np.errstate(all="ignore"):
                return formula(inputs)
    plan, found = plan_of(formula), formula(inputs)
    doubtful: Array | None
    # What never subtracts is as good as its sums.
    if not plan.followed or safe_total(plan, formula, inputs, shape_of(inputs)) == math.inf:
        return found
    try:
        # Bounds on errors may be infinite, and then say as much as they can.
        with np.errstate(all="ignore"):
            watched = formula(_watched(inputs))
    except UncertainError:
        doubtful = np.ones(np.shape(found), bool)
    except UNFOLLOWED:
        plan.followed = False
        return found
    else:
        doubtful = watched.doubtful(WEIGHT_TOLERANCE) if isinstance(watched, Tracked) else None
    return found if doubtful is None else _mended(formula, inputs, found, doubtful, exactly)


@once
def _watched(inputs: Any) -> Any:
    """Sums of weights as numbers that watch for errors: as good as sums of so many terms are."""
    part = inputs.tp if isinstance(inputs, Cells) else inputs.actual
    relative = 2.0**-53 * (16 + 4 * math.sqrt(np.shape(part)[-1]))
    return mapped(inputs, lambda part: Tracked(np.asarray(part)[()], relative=relative, positive=True), float)


@once
def _extremes(inputs: Any) -> tuple[float, float]:
    """The least as a share of the greatest, and the greatest; 1 and 1 of nothing."""
    names = ("tp", "fp", "fn", "tn") if isinstance(inputs, Cells) else ("diagonal", "actual", "predicted")
    sizes = np.concatenate([np.ravel(getattr(inputs, name)) for name in names])
    sizes = sizes[sizes > 0]
    return (float(sizes.min() / sizes.max()), float(sizes.max())) if sizes.size else (1.0, 1.0)


def _mended(formula: Formula, inputs: Any, found: Any, doubtful: Array, exactly: Exactly) -> Any:
    """The results, with those in doubt computed again: in wider floats where sums keep more, then exactly."""
    values = np.array(found, dtype=np.float64)
    # One value per matrix, or per class along the last axis; of cells, classes in doubt are taken alone.
    per_class = isinstance(inputs, Cells) or values.ndim > np.ndim(inputs.total)
    if HAS_WIDE and not isinstance(inputs, Cells):
        still = _widened(formula, values, doubtful, per_class, exactly)
        if still is None:
            return values[()]
        doubtful = still
    matrices = _matrices(doubtful, per_class)
    exact = exactly(matrices if matrices.ndim else None)
    if isinstance(inputs, Cells):
        which = doubtful[matrices] if matrices.ndim else doubtful
        exact = Cells(*(getattr(exact, part)[which] for part in ("tp", "fp", "fn", "tn")))
    values[doubtful if isinstance(inputs, Cells) else matrices] = _in_floats(formula(exact))
    return values[()]


def _matrices(doubtful: Array, per_class: bool) -> Array:
    """Which matrices have a result in doubt."""
    return np.asarray(doubtful.any(axis=-1)) if per_class else doubtful


def _widened(formula: Formula, values: Array, doubtful: Array, per_class: bool, exactly: Exactly) -> Array | None:
    """Put results of wider floats in the place of those in doubt; which are still in doubt, or None."""
    matrices = _matrices(doubtful, per_class)
    read = exactly(matrices if matrices.ndim else None, wide=True)
    relative = Wide.rounding * (16 + np.shape(read.actual)[-1])
    try:
        with np.errstate(all="ignore"):
            found = formula(mapped(read, lambda part: Wide(part, relative=relative, positive=True), float))
    except (UncertainError, *UNFOLLOWED):
        return doubtful
    if not isinstance(found, Wide):
        return doubtful
    values[matrices] = found.value
    still = found.doubtful(WEIGHT_TOLERANCE)
    if still is None or not matrices.ndim:
        return still
    doubtful = np.zeros_like(doubtful)
    doubtful[matrices] = still
    return doubtful


def _in_floats(found: Any) -> Any:
    """Exact numbers as floats; what is larger than any of these is infinite."""
    return np.asarray(_FLOATS(found), dtype=object).astype(np.float64)[()]


def _one_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


_FLOATS = np.frompyfunc(_one_float, 1, 1)


def read_exactly(
    m: Any, outside: Outside, sees: View, kind: type, which: Any = None, *, scale_free: bool, wide: bool = False
) -> Cells | Margins | Table:
    """Cells, margins or the table of weights in exact numbers; of what is free of scale, times a power of two.

    Or in the widest floats of the machine, whose sums keep more digits than those of others.
    """
    if isinstance(m, Cells):
        parts = [np.asarray(getattr(m, part), np.float64) for part in ("tp", "fp", "fn", "tn")]
        cells = Cells(*_whole(np.stack([x if which is None else x[which] for x in parts]), scale_free=scale_free))
        if kind is Cells:
            return cells
        return Margins(cells.tp, cells.actual, cells.predicted, cells.total[..., 0], np.shape(cells.tp)[-1])
    rows, cols, values = listed(m)
    values = values if which is None else values[which]
    values = values.astype(np.longdouble) if wide else _whole(values, scale_free=scale_free)
    table = _table(m, rows, cols, values, outside, sees)
    return table.cells if kind is Cells else table


def _table(m: Any, rows: Array, cols: Array, values: Array, outside: Outside, view: View) -> Table:
    k, size = m.n_classes, len(m.labels)
    if size > k:
        rows, cols, size = np.minimum(rows, k), np.minimum(cols, k), k + 1
        kept = (rows < k) & (cols < k) if outside == "exclude" else (rows < k) | (cols < k)
        rows, cols, values = joined(rows[kept], cols[kept], values[..., kept], size)
    hits = rows == cols
    diagonal = summed_at(rows[hits], values[..., hits], size)
    actual, predicted = summed_at(rows, values, size), summed_at(cols, values, size)
    total = values.sum(axis=-1)
    if size > k and not (view == "category" and outside == "wrong"):
        diagonal, actual, predicted = diagonal[..., :k], actual[..., :k], predicted[..., :k]
        inside = (rows < k) & (cols < k)
        rows, cols, values = rows[inside], cols[inside], values[..., inside]
    return Table(diagonal, actual, predicted, total, k, m.labels, rows, cols, values)


def _whole(values: Any, *, scale_free: bool) -> Array:
    """Floats as Python integers times one power of two, which is left out of them where it makes no difference."""
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    digits = np.ldexp(mantissa, 53).astype(np.int64)
    power = np.where(digits == 0, 0, exponent - 53)
    least = int(power[digits != 0].min()) if digits.any() else 0
    shifted = np.left_shift(digits.astype(object), np.where(digits == 0, 0, power - least).astype(object))
    return shifted if scale_free else shifted * Fraction(2) ** least

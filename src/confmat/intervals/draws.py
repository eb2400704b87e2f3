"""Draws of a whole table: the bootstrap and the Dirichlet posterior.

Rows of a data set are exchangeable, so drawing n of them again is drawing one multinomial over the
filled cells: hundreds of times faster than drawing rows, and the same distribution.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.samples import holds_weights
from confmat.core.text import SHOWS_PROGRESS
from confmat.intervals.asked import SAMPLED, Asked, every_estimate, one_estimate
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.gradient import NoSlopeError, slope
from confmat.intervals.variance import Design, Slope, Smoothing, seen_cells
from confmat.metrics import Metric
from confmat.metrics.arithmetic import UNFOLLOWED
from confmat.metrics.margins import Margins, Outside, Table

Array = NDArray[np.float64]
# So many numbers at once.
_AT_ONCE = 2**22
# Cells of a table that is drawn whole.
_MOST_CELLS = 2**24
# Cells that are added up by a full matrix.
_FEW_CELLS = 256
# Drawing that takes longer says how far it is.
_PATIENCE_SECONDS = 2.0


def with_progress(items: Any) -> Iterator[Any]:
    """Give the items one by one; if they take long, say on standard error how far that is, on a terminal alone."""
    begin, shown = time.monotonic(), False
    wanted = SHOWS_PROGRESS.get() and sys.stderr is not None and sys.stderr.isatty()
    try:
        for place, item in enumerate(items):
            if wanted and time.monotonic() - begin > _PATIENCE_SECONDS:
                shown = True
                sys.stderr.write(f"\r\x1b[Kdrawing tables anew: {place / len(items):.0%}")
                sys.stderr.flush()
            yield item
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")


@dataclass(frozen=True)
class Draws:
    """Tables drawn like the counted one, or believed after it."""

    m: ConfusionMatrix
    rows: NDArray[np.intp]
    cols: NDArray[np.intp]
    counts: Array
    # Items of each row or column, where its total is fixed; of all rows together otherwise.
    items: Array
    design: Design = "multinomial"
    posterior: bool = False
    seed: Any = 0
    outside: Outside = "wrong"
    _known: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        m: ConfusionMatrix,
        *,
        design: Design = "multinomial",
        outside: Outside = "wrong",
        posterior: bool = False,
        smoothed: bool = False,
        everywhere: bool = False,
        seed: Any = 0,
    ) -> Draws:
        """The cells that draws fall on.

        A posterior, or a smoothed table, has all cells between classes that occur; `everywhere`,
        between all classes, and between them and what is outside.
        """
        if holds_weights(m):
            msg = (
                "a table is drawn again item by item, and this matrix holds weights; "
                "method='wilson' takes weights, or count without them"
            )
            raise InputError(msg)
        rows, cols, counts = _joined(*seen_cells(m, outside)[:3], m.n_classes + 1)
        items = np.bincount(_strata(rows, cols, design), counts, m.n_classes + 1).astype(np.float64)
        if not (posterior or smoothed):
            return cls(m, rows, cols, counts, items, design, posterior, seed, outside)
        if m.n_classes**2 > _MOST_CELLS:
            msg = (
                f"a posterior has a number for each cell, and {m.n_classes:,} classes have too "
                "many; "
                "method='wilson' and method='bootstrap' need the filled ones alone"
            )
            raise InputError(msg)
        spread, k = Smoothing.of(m, outside, everywhere=everywhere), m.n_classes
        table = np.zeros((k + 1,) * 2)
        table[:k, :k] = np.outer(spread.rows, spread.columns)
        mass = spread.each * table.sum()
        if everywhere and m.labels.outside and outside != "exclude":
            # An outside label may be taken for a class, and a class for it.
            table[k, :k] = table[:k, k] = 1
        table *= mass / max(table.sum(), 1)
        table[rows, cols] += counts
        rows, cols = np.nonzero(table)
        scale = 1.0 if posterior else spread.scale
        return cls(
            m, rows, cols, table[rows, cols] * scale, items, design, posterior, seed, outside
        )

    def chunks(self, number: int) -> Iterator[Array]:
        """So many tables, some at a time: an array with one row per table and one column per cell."""
        rng = np.random.default_rng(self.seed)
        step = max(1, _AT_ONCE // max(len(self.counts), 1))
        for start in with_progress(range(0, number, step)):
            yield self._drawn(rng, min(step, number - start))

    def _drawn(self, rng: np.random.Generator, number: int) -> Array:
        along = _strata(self.rows, self.cols, self.design)
        tables = np.empty((number, len(self.counts)))
        for stratum in np.unique(along):
            here = np.flatnonzero(along == stratum)
            part = self.counts[here]
            total = part.sum()
            if self.posterior:
                drawn = rng.standard_gamma(part, (number, len(here)))
                tables[:, here] = drawn / drawn.sum(axis=1, keepdims=True) * total
            else:
                tables[:, here] = rng.multinomial(round(self.items[stratum]), part / total, number)
        return tables

    def values(self, score: Callable[[Any], Any], number: int, metric: Metric) -> Array:
        """The score of each of some drawn tables, a row for each if it is one of several numbers."""
        parts = []
        for drawn in self.chunks(number):
            try:
                values = np.asarray(score(self.inputs(drawn, metric)), dtype=np.float64)
            except UNFOLLOWED:
                values = np.zeros(0)
            if values.shape[:1] != (len(drawn),):
                # A formula of somebody's own that takes one table at a time.
                values = np.array(
                    [np.real(score(self.inputs(table, metric))) for table in with_progress(drawn)],
                    dtype=np.float64,
                )
            parts.append(values)
        return np.concatenate(parts)

    def _onto_margins(self, size: int) -> Any:
        """Which cells add up to the hits, the actual and the predicted total of each class."""
        known = self._known.get(size)
        if known is None:
            hits, cells = self.rows == self.cols, np.arange(len(self.rows))
            parts = ((cells[hits], self.rows[hits]), (cells, self.rows), (cells, self.cols))
            kept = [
                (cell[place < size], place[place < size] + at * size)
                for at, (cell, place) in enumerate(parts)
            ]
            cells, places = (np.concatenate(part) for part in zip(*kept, strict=True))
            shape = len(self.rows), 3 * size
            if len(self.rows) <= _FEW_CELLS:
                known = np.zeros(shape)
                known[cells, places] = 1.0
            else:
                from scipy.sparse import csr_array

                known = csr_array((np.ones(len(cells)), (cells, places)), shape=shape)
            self._known[size] = known
        return known

    def inputs(self, drawn: Array, metric: Metric) -> Any:
        """Return the drawn tables as the metric reads them; no mean over classes takes outside labels for a class."""
        k = self.m.n_classes
        joined = metric.sees == "category" and (metric.kind == "matrix" or metric.needs == "cells")
        size = k + 1 if joined and self.m.labels.outside and self.outside != "exclude" else k
        sums = np.asarray(drawn @ self._onto_margins(size))
        diagonal, actual, predicted = (
            sums[..., :size],
            sums[..., size : 2 * size],
            sums[..., 2 * size :],
        )
        margins = (diagonal, actual, predicted, drawn.sum(axis=-1), k, self.m.labels)
        if metric.needs != "cells":
            return Margins(*margins)
        inside = (self.rows < size) & (self.cols < size)
        return Table(*margins, self.rows[inside], self.cols[inside], drawn[..., inside])


def _joined(
    rows: NDArray[np.intp], cols: NDArray[np.intp], counts: Array, size: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Each cell once: those of several labels outside are one."""
    keys, cell = np.unique(rows * size + cols, return_inverse=True)
    if len(keys) == len(rows):
        return rows, cols, counts
    return keys // size, keys % size, np.bincount(cell, counts).astype(np.float64)


def _strata(rows: NDArray[np.intp], cols: NDArray[np.intp], design: Design) -> NDArray[np.intp]:
    """Return for each cell the number of the group of cells whose total is fixed."""
    if design == "multinomial":
        return np.zeros_like(rows)
    return rows if design == "actual" else cols


def percentiles(values: Array, level: float) -> tuple[float, float]:
    """The bounds that leave as many draws below as above; undefined ones are left out."""
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    tail = (1 - level) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)


KINK = "its formula has no derivative, so tables were drawn"
STILL = "its derivative is zero there, so tables were drawn"
_NAMES = {"bootstrap": "percentile bootstrap", "bayes": "Dirichlet posterior"}
# Cells, at most, of a table that is smoothed before it is drawn.
_SMOOTHED_CELLS = 2**14
# Cells and numbers that are drawn where nobody asked for draws, and the fewest tables.
_UNASKED, _FEWEST = 2**26, 300
# Numbers that are kept at once.
_KEPT = 2**27


def drawn_one(
    asked: Asked,
    m: ConfusionMatrix,
    value: float,
    note: str,
    *,
    smoothed: bool,
    still: bool = False,
) -> Estimate:
    """One number, of tables that are smoothed where it has no slope; `still` says that every cell may be filled."""
    if holds_weights(m) and asked.method not in SAMPLED:
        return one_estimate(
            asked, value, math.nan, math.nan, math.nan, math.nan, "", _unweighted(note)
        )
    values = _values(asked, m, smoothed=smoothed, everywhere=still)[:, None]
    low, high, error, notes, method = _bounds(asked, np.array([value]), values)
    note = "; ".join(filter(None, [note, notes[0]]))
    return one_estimate(asked, value, low[0], high[0], float(error[0]), math.nan, method, note)


def drawn_classes(
    asked: Asked, m: ConfusionMatrix, value: Array, note: str = "", *, still: bool = False
) -> Estimates:
    """A number for every class, all from the same tables."""
    if holds_weights(m) and asked.method not in SAMPLED:
        lost, without = np.full(len(value), np.nan), (_unweighted(note),) * len(value)
        return every_estimate(asked, m.labels, value, lost, lost, lost, lost, "", without)
    if asked.method in SAMPLED and asked.draws * len(value) > _KEPT:
        msg = f"{asked.draws:,} draws of {len(value):,} classes are too many to keep; name classes (`of`), or draw less"
        raise InputError(msg)
    smoothed = asked.method not in SAMPLED or not asked.metric.smooth
    values = _values(asked, m, smoothed=smoothed, everywhere=still)
    low, high, error, notes, method = _bounds(asked, value, values)
    notes = ["; ".join(filter(None, [note, remark])) for remark in notes]
    return every_estimate(
        asked, m.labels, value, low, high, error, np.full(len(value), np.nan), method, tuple(notes)
    )


def _unweighted(note: str) -> str:
    return f"{note.split(',', maxsplit=1)[0]}, and weights are not drawn item by item"


def slope_if_any(asked: Asked, m: ConfusionMatrix) -> Slope | None:
    """Return the slope of a score; None without a derivative."""
    try:
        return slope(asked.metric, m, **asked.keywords) if asked.metric.smooth else None
    except NoSlopeError:
        return None


def _values(asked: Asked, m: ConfusionMatrix, *, smoothed: bool, everywhere: bool) -> Array:
    """The score of drawn tables, with a column per class if every class is asked for."""
    posterior, metric = asked.method == "bayes", asked.metric
    smoothed = smoothed and not posterior and m.n_classes**2 <= _SMOOTHED_CELLS
    draws = Draws.of(
        m,
        design=asked.design,
        outside=asked.outside,
        posterior=posterior,
        smoothed=smoothed,
        everywhere=everywhere and smoothed,
        seed=asked.seed,
    )
    number, columns = asked.draws, len(m.labels) if asked.per_class else 1
    if asked.method not in SAMPLED:
        number = min(number, max(_FEWEST, _UNASKED // max(len(draws.counts) + columns, 1)))
    options = {key: part for key, part in asked.keywords.items() if key != "outside"}
    return draws.values(lambda tables: metric(tables, **options), number, metric)


def _bounds(
    asked: Asked, value: Array, values: Array
) -> tuple[Array, Array, Array, list[str], str]:
    """Return bounds, standard errors, notes, and the name of the method."""
    low, high, error = np.full((3, len(value)), np.nan)
    notes = [""] * len(value)
    for place in np.flatnonzero(~np.isnan(value)).tolist():
        column = values[:, place]
        lost = float(np.isnan(column).mean())
        if lost:
            notes[place] = f"undefined in {lost:.1%} of the draws, which were left out"
        if lost < 1:
            error[place] = np.nanstd(column)
        low[place], high[place] = percentiles(column, asked.level)
    return low, high, error, notes, _NAMES["bayes" if asked.method == "bayes" else "bootstrap"]

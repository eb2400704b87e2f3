"""Report: scores with their bounds, as rows of classes and averages, as data and as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import LabelError, Message, MetricError
from confmat.core.options import is_number, told
from confmat.core.samples import PIXELS_ALIKE
from confmat.core.stack import key_columns, key_text
from confmat.core.tables import DASH, ORANGE, Column, Table, Tabular, tint, to_plain
from confmat.core.text import are, decimals_apart, fit, legible, meant, number, printable, some
from confmat.metrics.averages import Choice, Coverage, Undefined
from confmat.metrics.catalog import metric as find
from confmat.metrics.declaration import Metric

Floats = NDArray[np.float64]
Bounds = tuple[float, float]
NO_BOUNDS = (math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Bounds of the values of each class (one row per class), of each average, and of the overall scores."""

    level: float
    low: Floats
    high: Floats
    averages: Mapping[str, tuple[Bounds, ...]]
    overall: Mapping[str, Bounds]
    drawn: str = "independent items"
    doubt: str = ""

    @property
    def note(self) -> str:
        """The sentence on the bounds."""
        if self.drawn == PIXELS_ALIKE:
            return f"[intervals]: {PIXELS_ALIKE}"
        return (
            f"[intervals] have {self.level:.3g} confidence: modified Wilson for shares, for other "
            "scores the score "
            f"test inverted or Wilson at the effective number of items; {self.drawn}"
            f"{self.doubt and '; '}{self.doubt}"
        )

    def of_row(self, row: int | str) -> list[Bounds]:
        """The bounds of a class by its place, or of an average by its name."""
        if isinstance(row, str):
            return list(self.averages[row])
        return list(zip(self.low[row].tolist(), self.high[row].tolist(), strict=True))

    def to_dict(self, classes: tuple[Any, ...], names: tuple[str, ...]) -> dict[str, Any]:
        """Plain data: pairs of bounds in the shape of the report."""
        return {
            "level": self.level,
            "classes": {label: _by_name(names, self.of_row(i)) for i, label in enumerate(classes)},
            "averages": {name: _by_name(names, list(row)) for name, row in self.averages.items()},
            "overall": {name: _pair(bounds) for name, bounds in self.overall.items()},
        }


def _by_name(names: tuple[str, ...], bounds: list[Bounds]) -> dict[str, Any]:
    return dict(zip(names, map(_pair, bounds), strict=True))


def _pair(bounds: Bounds) -> list[float] | None:
    return None if math.isnan(bounds[0]) else list(bounds)


# Classes up to which all are printed; of more, the first and the last.
SHOWN = (40, 20, 10)
NAME_WIDTH = 32
# Decimals that a float has.
FLOAT_DECIMALS = 17
# Classes that a footnote names.
NAMED_CLASSES = 5
# A score this close to its best is not coloured.
COLORED_FROM = 0.05


def check_digits(digits: Any) -> None:
    """Raise unless this is a number of decimals."""
    if (
        isinstance(digits, bool)
        or not isinstance(digits, Integral)
        or not 0 <= int(digits) <= FLOAT_DECIMALS
    ):
        msg = Message(
            "{digits} must be a whole number of decimals from 0 to {}, not {}",
            FLOAT_DECIMALS,
            told(digits),
        )
        raise MetricError(msg)


@dataclass(frozen=True, eq=False)
class Report(Tabular):
    """Scores of one matrix: classes and averages are rows, metrics are columns.

    `values` holds one row per class; `averages` one array per average, in the order of `metrics`;
    `overall` the scores that are one number. An undefined score is NaN there, a dash in print and
    None in `to_dict`.
    """

    classes: tuple[Any, ...]
    metrics: tuple[Metric, ...]
    values: Floats
    support: Floats
    averages: Mapping[str, Floats]
    overall: Mapping[str, float]
    total: float
    digits: int = 3
    notes: tuple[str, ...] = ()
    undefined: Undefined = "fair"
    intervals: Intervals | None = None
    # The heading of the rows: classes, or the axis of the stack whose matrices they are.
    axis: str = "class"
    # Whether the number of items per class was asked for, with or without scores.
    _with_support: bool = False
    _reasons: Mapping[str, str] = field(default_factory=dict)
    _choices: Mapping[str, tuple[Choice, list[str]] | None] = field(default_factory=dict)

    @cached_property
    def coverage(self) -> Mapping[str, tuple[Coverage | None, ...]]:
        """Over how many classes each mean of each metric was taken; None for what is pooled or refused."""
        coverage: dict[str, tuple[Coverage | None, ...]] = {}
        for name, taken in self._choices.items():
            if taken is None:
                coverage[name] = (None,) * len(self.metrics)
            else:
                parts = zip(taken[1], taken[0].coverages(), strict=True)
                coverage[name] = tuple(None if refused else part for refused, part in parts)
        return MappingProxyType(coverage)

    @property
    def is_bare(self) -> bool:
        """Whether only scores that are one number were asked for, so that there is no table of classes to show."""
        return not self.metrics and bool(self.overall) and not self._with_support

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(metric.name for metric in self.metrics)

    @property
    def _support_of_means(self) -> Any:
        """The support of averages: the items of all classes, without those whose actual label is outside."""
        known = sum(self.support.tolist())
        # A sum of weights in another order may round otherwise.
        return (
            self.total
            if isinstance(known, float) and math.isclose(known, self.total, rel_tol=1e-12)
            else known
        )

    def __getitem__(self, key: Any) -> Any:
        """The value of a class or an average, `report["Cat", "f1"]`, or all of them, `report["macro"]`.

        A name is looked for among the classes, then among the averages; alone also among the
        overall scores. Metrics are found by any of their names.
        """
        alone = not (isinstance(key, tuple) and len(key) == 2) or key in self.classes
        name, column = (key, None) if alone else key
        if name in self.classes:
            row = self.values[self.classes.index(name)]
        elif name in self.averages:
            row = self.averages[name]
        elif alone and name in self.overall:
            return self.overall[name]
        else:
            raise LabelError(self._unknown_name(name, alone=alone))
        return (
            dict(zip(self.names, row.tolist(), strict=True))
            if alone
            else float(row[self._column(column)])
        )

    def __getstate__(self) -> dict[str, Any]:
        # A view of a mapping cannot be copied or pickled.
        return {
            name: dict(part) if isinstance(part, MappingProxyType) else part
            for name, part in vars(self).items()
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(
            {
                name: MappingProxyType(part) if isinstance(part, dict) else part
                for name, part in state.items()
            }
        )

    def _advice_on(self, name: str) -> str:
        # A copy that is not filled yet has no scores.
        if name in vars(self).get("overall", ()):
            return f"it is report[{name!r}]"
        names = [metric.name for metric in vars(self).get("metrics", ())]
        return (
            f"its column is report[label, {name!r}]" if name in names else super()._advice_on(name)
        )

    def _unknown_name(self, name: Any, *, alone: bool) -> str:
        known = [*self.classes, *self.averages, *(self.overall if alone else ())]
        hint = meant(name, known) or f": {', '.join(map(printable, known[:8]))}"
        kinds = "class, average or overall score" if alone else "class or average"
        return f"the report has no {kinds} {printable(repr(name))}{hint}"

    def _column(self, name: Any) -> int:
        asked = name if name in self.names else getattr(find(name), "name", None)
        if asked not in self.names:
            msg = f"the report has no column {printable(repr(name))}, only {', '.join(self.names)}"
            raise MetricError(msg)
        return self.names.index(asked)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: "classes", "averages" and "overall" apart, so that no class name overwrites a summary."""
        rows = [dict(zip(self.names, to_plain(row), strict=True)) for row in self.values.tolist()]
        for row, support in zip(rows, self.support.tolist(), strict=True):
            row["support"] = support
        means = {
            name: dict(zip(self.names, to_plain(row), strict=True))
            for name, row in self.averages.items()
        }
        taken = {
            name: {
                metric: _account(part)
                for metric, part in zip(self.names, parts, strict=True)
                if part is not None
            }
            for name, parts in self.coverage.items()
        }
        return {
            "classes": dict(zip(self.classes, rows, strict=True)),
            "averages": means,
            "overall": to_plain(self.overall),
            "total": self.total,
            "coverage": taken,
            "undefined": self.undefined_values(),
            "notes": list(self.notes),
            **(
                {}
                if self.intervals is None
                else {"intervals": self.intervals.to_dict(self.classes, self.names)}
            ),
        }

    def undefined_values(self) -> dict[str, dict[str, Any]]:
        """Per metric with undefined values: the reason, and the classes."""
        undefined = {}
        for column, metric in enumerate(self.metrics):
            lost = np.flatnonzero(np.isnan(self.values[:, column]))
            if len(lost):
                classes = [self.classes[i] for i in lost.tolist()]
                undefined[metric.name] = {
                    "reason": metric.undefined or "it has no value",
                    "classes": classes,
                }
        for name, value in self.overall.items():
            if value != value:
                undefined[name] = {
                    "reason": self._reasons.get(name) or "it has no value",
                    "classes": [],
                }
        return undefined

    # ---- as a table ------------------------------------------------------------------------------

    def table(self) -> Table:
        """Return the classes and averages as rows, the metrics as columns; the overall scores are the summary."""
        count, means = len(self.classes), tuple(self.averages)
        names = [*self.classes, *means]
        columns = [
            Column("row", ["class"] * count + ["average"] * len(means), head=None, is_index=True),
            Column("name", names, head=None, is_label=True, is_index=True),
        ]
        if self.axis != "class":
            columns = key_columns(self.axis, self.classes)
        elif not self.is_bare:
            columns.append(
                Column(None, range(len(names)), self._row_name, is_label=True, is_index=True)
            )
        for place, metric in enumerate(self.metrics):
            columns += self._metric_columns(place, metric)
        support = [*self.support.tolist(), *[self._support_of_means] * len(means)]
        columns.append(Column("support", support, number, head=None if self.is_bare else "support"))
        return Table(
            tuple(columns),
            tuple(self._footnotes()),
            rules=(count,) if means else (),
            shown=SHOWN,
            more="{hidden:,} of {total:,} "
            + self._rows()
            + " are not shown; to_csv() and to_pandas() have all",
            summary=self._summary(),
        )

    def _metric_columns(self, place: int, metric: Metric) -> list[Column]:
        """A metric as data and as it is printed, with the interval of each number behind it."""
        values = [
            *self.values[:, place].tolist(),
            *(row[place].item() for row in self.averages.values()),
        ]
        text: Callable[[Any], str] = partial(_score, digits=self.digits)
        if metric.unit == "items":
            text = _items
        shade = partial(self._shade, place)
        if self.intervals is None:
            return [Column(metric.name, values, text, shade=shade)]
        rows: list[int | str] = [*range(len(self.classes)), *self.averages]
        bounds = [self.intervals.of_row(row)[place] for row in rows]
        pairs = list(zip(values, bounds, strict=True))
        return [
            Column(metric.name, values, head=None),
            Column(None, pairs, lambda pair: self._with_bounds(text(pair[0]), pair[1]), metric.name, shade=shade),
            *(Column(f"{metric.name}_{end}", [each[i] for each in bounds], head=None)
              for i, end in enumerate(("low", "high"))),
        ]  # fmt: skip

    def _class_name(self, name: Any) -> str:
        return fit(legible(name), NAME_WIDTH) if self.axis == "class" else key_text(name)

    def _rows(self) -> str:
        return "classes" if self.axis == "class" else "matrices"

    def _row_name(self, place: int) -> str:
        count = len(self.classes)
        if place < count:
            return self._class_name(self.classes[place])
        return tuple(self.averages)[place - count].replace("_", " ")

    def _with_bounds(self, cell: str, bounds: Bounds) -> str:
        """A cell with the interval of its number behind it."""
        digits = decimals_apart(*bounds, self.digits)
        cell = _score(math.inf, digits) if cell == DASH and _is_endless(bounds) else cell
        return (
            cell
            if math.isnan(bounds[0])
            else f"{cell} [{', '.join(_score(end, digits) for end in bounds)}]"
        )

    def distance(self, column: int, row: int) -> float:
        """Return how far a score of a class is from its best, as a part of its range; 0 if little or unknown.

        Parameters
        ----------
        column
            The position of the metric.
        row
            The position of the class.
        """
        metric, value = self.metrics[column], self.values[row, column].item()
        low, high = metric.bounds
        if (
            metric.better == "neither"
            or low is None
            or high is None
            or not math.isfinite(high - low)
        ):
            return 0.0
        share = (value - low) / (high - low)
        share = 1 - share if metric.better == "higher" else share
        return share if share > COLORED_FROM else 0.0

    def _shade(self, column: int, row: int) -> str:
        share = self.distance(column, row) if row < len(self.classes) else 0.0
        return tint(ORANGE, share) if share else ""

    def _summary(self) -> Table | None:
        """The scores that are one number."""
        if not self.overall:
            return None
        names, values = list(self.overall), list(self.overall.values())
        bounds = [(math.nan, math.nan)] * len(names)
        if self.intervals is not None:
            bounds = [self.intervals.overall[name] for name in names]
        pairs = list(zip(values, bounds, strict=True))
        columns = [
            Column("row", ["overall"] * len(names), head=None),
            Column("name", names, lambda name: name.replace("_", " "), "overall", is_label=True),
            Column("value", values, head=None),
            Column(
                None, pairs, lambda pair: self._with_bounds(_score(pair[0], self.digits), pair[1])
            ),
        ]
        if self.intervals is not None and self.metrics:
            columns += [
                Column(end, [each[i] for each in bounds], head=None)
                for i, end in enumerate(("low", "high"))
            ]
        return Table(tuple(columns))

    def __repr__(self) -> str:
        return f"<Report of {len(self.classes):,} {self._rows()}: {', '.join(self.names)}>"

    def _footnotes(self) -> list[str]:
        """Why there are dashes, over how many classes each mean was taken, and other notes."""
        notes = []
        for name, values in self.undefined_values().items():
            infinite = self._infinite(name)
            named = [label for label in values["classes"] if label not in infinite]
            if values["classes"] and not named:
                continue
            classes = ", ".join(self._class_name(label) for label in named[:NAMED_CLASSES])
            more = len(named) - NAMED_CLASSES
            where = f" ({classes}{f' and {more:,} more' if more > 0 else ''})" if classes else ""
            notes.append(
                f"{DASH} {name.replace('_', ' ')} is undefined where {values['reason']}{where}"
            )
        return [
            *notes,
            *self.notes_of_means(),
            *self.notes,
            *([] if self.intervals is None else [self.intervals.note]),
        ]

    def _infinite(self, name: str) -> set[Any]:
        """The classes whose score is printed as infinite, with its least."""
        if self.intervals is None or name not in self.names:
            return set()
        column = self.names.index(name)
        low, high = self.intervals.low[:, column], self.intervals.high[:, column]
        return {self.classes[i] for i in np.flatnonzero(np.isfinite(low) & np.isinf(high)).tolist()}

    def notes_of_means(self) -> list[str]:
        """Return over how many classes each mean was taken, where it left some out or filled some in."""
        notes = []
        for name, parts in self.coverage.items():
            notes += self._coverage_notes(name.replace("_", " "), parts)
        return notes

    def _coverage_notes(self, name: str, parts: tuple[Coverage | None, ...]) -> list[str]:
        """One line for all metrics whose mean runs over the same classes."""
        groups: dict[Any, list[str]] = {}
        for metric, part in zip(self.names, parts, strict=True):
            if part is not None and (part.used < part.classes or part.filled):
                groups.setdefault(
                    (part.used, part.classes, part.absent, part.filled, part.skipped), []
                ).append(metric)
        notes = []
        for (used, classes, absent, filled, skipped), metrics in groups.items():
            of_all = len(metrics) == len(self.names)
            which = "" if of_all else f" of {', '.join(metrics)}".replace("_", " ")
            singular, many = ("item", "items") if name == "samples" else ("class", "classes")
            reasons = [self._absence(name, absent)] if absent else []
            if skipped:
                reasons.append(f"{are(skipped)} undefined")
            if filled:
                these = f"{singular} is" if filled == 1 else f"{many} are"
                reasons.append(f"{filled:,} {these} {self._fills(metrics)}")
            over = f"{used:,} of {classes:,}" if used < classes else f"all {classes:,}"
            notes.append(f"{name}{which}: the mean over {over} {many}; {', '.join(reasons)}")
        return notes

    def _absence(self, name: str, number_absent: int) -> str:
        """Say why classes, or items, have no part in a mean."""
        is_single = number_absent == 1
        if name == "samples":
            return f"{number_absent:,} {'has' if is_single else 'have'} no true label"
        if name.startswith("weighted"):
            return f"{number_absent:,} {'has' if is_single else 'have'} weight 0"
        absent = (
            label
            for label, items in zip(self.classes, self.support.tolist(), strict=True)
            if not items
        )
        return f"{some(absent)} {'never occurs' if is_single else 'never occur'}"

    def _fills(self, metrics: list[str]) -> str:
        if self.undefined != "fair":
            return f"undefined, which counts as {self.undefined:g}"
        fills = {
            f"{m.when_never_predicted:g}"
            for m in self.metrics
            if m.name in metrics and m.when_never_predicted is not None
        }
        return f"never predicted, which counts as {' or '.join(sorted(fills))}"


def _is_endless(bounds: Bounds) -> bool:
    return math.isfinite(bounds[0]) and math.isinf(bounds[1])


def _score(value: Any, digits: int) -> str:
    if is_number(value):
        if math.isnan(value):
            return DASH
        # A count has no decimals, and what is huge or tiny needs none either.
        if isinstance(value, int):
            return number(value)
        small = abs(value) < 1e6 or math.isinf(value)
        # With z, what rounds to zero has no sign.
        return f"{value:z.{digits}f}".replace("-", "−") if small else f"{value:.{digits + 1}g}"
    return str(value)


def _items(value: Any) -> str:
    return DASH if value != value else number(value)


def _account(part: Coverage) -> dict[str, int]:
    return {
        name: getattr(part, name) for name in ("used", "classes", "absent", "filled", "skipped")
    }

"""Report: every headline metric of a matrix, per class, averaged and overall, with the reasons for what is missing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat import _report_text
from confmat._notebook import InNotebook
from confmat._report_numbers import means_of, values_of
from confmat._report_stacks import check_stack, fields_of_stack, intervals_of_stack
from confmat.core.errors import LabelError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.stack import Stack
from confmat.core.text import meant, printable
from confmat.metrics.averages import Average, Choice, Coverage, Undefined, average_named, check_undefined
from confmat.metrics.catalog import Score, parse_score, several
from confmat.metrics.catalog import metric as find
from confmat.metrics.declaration import Metric
from confmat.metrics.items import SAMPLES, score_of_labels
from confmat.metrics.margins import Outside, read_cells

__all__ = ["Report", "report"]

# What a report shows unless it is told.
METRICS = ("precision", "recall", "specificity", "f1")
AVERAGES = ("macro", "weighted")
AVERAGES_OF_LABELS = ("micro", "macro", "weighted")
OVERALL = ("accuracy", "balanced_accuracy", "kappa", "mcc")

if TYPE_CHECKING:
    from confmat._report_intervals import Intervals

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Report(InNotebook):
    """Scores of one matrix: classes and averages are rows, metrics are columns.

    `values` holds one row per class; `averages` one array per average, in the order of `metrics`; `overall` the
    scores that are one number. What is undefined is NaN there, a dash in print and None in `to_dict`.
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
    # Whether the number of items per class was asked for, with or without scores.
    _with_support: bool = False
    _reasons: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    _choices: Mapping[str, tuple[Choice, list[str]] | None] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def coverage(self) -> Mapping[str, tuple[Coverage | None, ...]]:
        """Over how many classes each mean of each metric was taken; None for what is pooled or refused."""
        found: dict[str, tuple[Coverage | None, ...]] = {}
        for name, taken in self._choices.items():
            if taken is None:
                found[name] = (None,) * len(self.metrics)
            else:
                parts = zip(taken[1], taken[0].coverages(), strict=True)
                found[name] = tuple(None if refused else part for refused, part in parts)
        return MappingProxyType(found)

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
        """What stands beside averages: the items of all classes, without those that are of none in the truth."""
        known = sum(self.support.tolist())
        # Of weights the same sum in another order may round otherwise.
        return self.total if isinstance(known, float) and math.isclose(known, self.total, rel_tol=1e-12) else known

    def __getitem__(self, key: Any) -> Any:
        """The value of a class or an average, `report["Cat", "f1"]`, or all of them, `report["macro"]`.

        A name is looked for among the classes, then among the averages; alone also among the overall scores. Metrics
        are found by any of their names.
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
            raise LabelError(self._stranger(name, alone=alone))
        return dict(zip(self.names, row.tolist(), strict=True)) if alone else float(row[self._column(column)])

    def _stranger(self, name: Any, *, alone: bool) -> str:
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
        rows = [dict(zip(self.names, map(_known, row), strict=True)) for row in self.values.tolist()]
        for row, support in zip(rows, self.support.tolist(), strict=True):
            row["support"] = support
        means = {
            name: dict(zip(self.names, map(_known, row.tolist()), strict=True)) for name, row in self.averages.items()
        }
        taken = {
            name: {metric: _account(part) for metric, part in zip(self.names, parts, strict=True) if part is not None}
            for name, parts in self.coverage.items()
        }
        return {
            "classes": dict(zip(self.classes, rows, strict=True)),
            "averages": means,
            "overall": {name: _known(value) for name, value in self.overall.items()},
            "total": self.total,
            "coverage": taken,
            "undefined": self.undefined_values(),
            "notes": list(self.notes),
            **({} if self.intervals is None else {"intervals": self.intervals.to_dict(self.classes, self.names)}),
        }

    def undefined_values(self) -> dict[str, dict[str, Any]]:
        """Per metric with undefined values: the reason, and the classes."""
        found = {}
        for column, metric in enumerate(self.metrics):
            lost = np.flatnonzero(np.isnan(self.values[:, column]))
            if len(lost):
                classes = [self.classes[i] for i in lost.tolist()]
                found[metric.name] = {"reason": metric.undefined or "it has no value", "classes": classes}
        for name, value in self.overall.items():
            if value != value:
                found[name] = {"reason": self._reasons.get(name) or "it has no value", "classes": []}
        return found

    def _table(self) -> dict[str, list[Any]]:
        """Columns of a flat table: the kind of row, its name, the metrics, the support."""
        means = list(self.averages.items())
        table: dict[str, list[Any]] = {
            "row": ["class"] * len(self.classes) + ["average"] * len(means),
            "name": [*self.classes, *(name for name, _ in means)],
        }
        for column, name in enumerate(self.names):
            table[name] = [*self.values[:, column].tolist(), *(row[column].item() for _, row in means)]
            if self.intervals is not None:
                rows = [*range(len(self.classes)), *(mean for mean, _ in means)]
                bounds = [self.intervals.of_row(row)[column] for row in rows]
                table |= {f"{name}_{end}": [each[i] for each in bounds] for i, end in enumerate(("low", "high"))}
        table["support"] = [*self.support.tolist(), *(self._support_of_means for _ in means)]
        return table

    def to_pandas(self) -> Any:
        """A DataFrame indexed by (row, name), where row is "class" or "average"; needs pandas."""
        frame = import_module("pandas").DataFrame(self._table())
        return frame.set_index(["row", "name"])

    def to_polars(self) -> Any:
        """A DataFrame with the columns row, name (as text), the metrics and support; needs Polars."""
        table = self._table()
        table["name"] = [_report_text.name_of(name) for name in table["name"]]
        return import_module("polars").DataFrame(table, strict=False)

    def to_markdown(self) -> str:
        """A table in Markdown, with the overall scores and footnotes below."""
        return _report_text.as_markdown(self)

    def to_latex(self) -> str:
        """A tabular in LaTeX for the package booktabs, with the overall scores and footnotes as comments."""
        return _report_text.as_latex(self)

    def to_csv(self) -> str:
        """Comma-separated values at full precision: row, name, metrics, support; then the overall scores.

        A name that a spreadsheet would run as a formula (it starts with =, +, -, @, a tab or a return) gets an
        apostrophe in front. What is undefined is empty.
        """
        return _report_text.as_csv(self)

    def __str__(self) -> str:
        return _report_text.as_text(self)

    def __repr__(self) -> str:
        return f"<Report of {len(self.classes):,} classes: {', '.join(self.names)}>"


def _known(value: float) -> float | None:
    return None if value != value else value


def _account(part: Coverage) -> dict[str, int]:
    return {name: getattr(part, name) for name in ("used", "classes", "absent", "filled", "skipped")}


def report(
    m: ConfusionMatrix | Stack,
    metrics: Any = None,
    *,
    averages: str | Average | Iterable[str | Average] | None = None,
    overall: Any = None,
    digits: int = 3,
    undefined: Undefined = "fair",
    outside: Outside = "wrong",
    intervals: bool | float = False,
    items: Stack | None = None,
) -> Report:
    """Score a matrix: per class, averaged and overall.

    `metrics` are names, scores such as "f1.macro" or Metric values of your own. What is one number, of the whole
    matrix or an average, stands below the table, and then in place of the usual overall scores, unless `overall`
    asks for some; with nothing else to show there is no table. `undefined` says what means do with classes that have
    no value, as in the call of a metric. With `intervals`, or with a level such as 0.9 there, each number has its
    interval.

    Of items with several labels, the stack that `count_multilabel` gives has its labels in the rows; with `items`,
    the same count along "item", there are the means over items ("samples") and the share of items all right too.

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> print(report(m, ["precision", "recall", "f1"]))
              precision  recall     f1  support
    Cat           0.308   0.667  0.421        6
    Fish          0.667   0.200  0.308       10
    Hen           0.667   0.667  0.667        9
    <BLANKLINE>
    macro         0.547   0.511  0.465       25
    weighted      0.581   0.480  0.464       25
    <BLANKLINE>
    accuracy           0.480
    balanced accuracy  0.511
    kappa              0.255
    mcc                0.287
    """
    if not isinstance(m, (ConfusionMatrix, Stack)) or (items is not None and not isinstance(m, Stack)):
        is_one = isinstance(m, ConfusionMatrix)
        what = f"{type(m).__name__} with `items`" if is_one else f"{type(m).__name__}; {MAKES_ONE}"
        msg = f"`report` reads one ConfusionMatrix, or what count_multilabel gives along 'label', not {what}"
        raise MetricError(msg)
    check_undefined(undefined)
    read = score_of_labels if isinstance(m, Stack) else parse_score
    columns, singles, with_support = _sorted_out(METRICS if metrics is None else metrics, read)
    if overall is None:
        # Who asks for mcc and nothing else wants to read nothing else.
        overall = () if singles or isinstance(m, Stack) else OVERALL
    singles += map(read, several(overall, "overall"))
    how = _means_wanted(averages, m, items)
    _report_text.check_digits(digits)
    if isinstance(m, Stack):
        items = check_stack(m, items, how, singles)
        fields = fields_of_stack(m, items, columns, list(dict.fromkeys(singles)), how, undefined)
        found = Report(**fields, digits=digits, undefined=undefined)
    else:
        found = _reported(m, columns, singles, how, digits, undefined, outside)
    if intervals is False:
        bounds = None
    elif isinstance(m, Stack):
        bounds = intervals_of_stack(m, items, columns, singles, how, undefined, intervals)
    else:
        from confmat._report_intervals import Intervals

        bounds = Intervals.of(m, columns, singles, how, intervals, undefined, outside)
    found = replace(found, intervals=bounds)
    return replace(found, _with_support=True) if with_support else found


def _means_wanted(averages: Any, m: Any, items: Any) -> tuple[Average, ...]:
    if not isinstance(m, Stack):
        return tuple(map(average_named, several(AVERAGES if averages is None else averages, "averages", Average)))
    usual = AVERAGES_OF_LABELS if items is None else (*AVERAGES_OF_LABELS, "samples")
    named = several(usual if averages is None else averages, "averages", Average)
    return tuple(SAMPLES if one == "samples" else average_named(one) for one in named)


def _reported(
    m: ConfusionMatrix,
    columns: list[Metric],
    singles: list[Score],
    how: tuple[Average, ...],
    digits: int,
    undefined: Undefined,
    outside: Outside,
) -> Report:
    cells = read_cells(m, outside)
    values = values_of(m, columns, cells, outside)
    means, choices, notes = means_of(m, columns, values, cells, how, undefined, outside)
    numbers = {str(score): _single(score, m, undefined, outside) for score in dict.fromkeys(singles)}
    total = m.total if outside == "wrong" else cells.total.flat[0].item() if m.n_classes else 0
    if m.labels.outside:
        notes += _outside_notes(m, outside)
    return Report(
        classes=m.labels.classes,
        metrics=tuple(columns),
        values=values.T,
        support=np.asarray(cells.actual),
        averages=MappingProxyType(means),
        overall=MappingProxyType(numbers),
        total=total,
        digits=digits,
        notes=tuple(notes),
        undefined=undefined,
        _choices=MappingProxyType(choices),
        _reasons=MappingProxyType({str(one): getattr(one.metric, "undefined", None) or "" for one in singles}),
    )


def _sorted_out(metrics: Iterable[Any], read: Callable[[Any], Score]) -> tuple[list[Metric], list[Score], bool]:
    """Columns of the table, scores that are one number, and whether the support is asked for."""
    columns: list[Metric] = []
    singles: list[Score] = []
    with_support = False
    for text in several(metrics, "metrics"):
        score = read(text)
        if (
            isinstance(score.metric, Metric)
            and score.metric.kind == "class"
            and score.average is None
            and score.of is None
        ):
            # Support has its own column at the end.
            with_support = with_support or score.metric.name == "support"
            if score.metric not in columns and score.metric.name != "support":
                columns.append(score.metric)
        else:
            singles.append(score)
    return columns, singles, with_support


def _single(score: Score, m: ConfusionMatrix, undefined: Undefined, outside: Outside) -> Any:
    if not isinstance(score.metric, Metric):
        return score(m)
    options = {} if score.average is None else {"undefined": undefined}
    return score(m, outside=outside, **options)


def _outside_notes(m: ConfusionMatrix, outside: Outside) -> list[str]:
    asked = m.cells.total.flat[0].item() if m.n_classes else 0
    inside = read_cells(m, "exclude").total.flat[0].item() if m.n_classes else 0
    names = ", ".join(m.labels.outside)
    share = f"{inside / asked:.1%}" if asked else "none"
    what = "left out" if outside == "exclude" else "counted as wrong"
    return [f"items on the outside of the classes, {names}, are {what}; {share} of the items lie inside on both sides"]

"""Reports as plain data and back: NaN as null, infinity as text, metrics by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from confmat._naming import name_from_json, name_to_json
from confmat._report_intervals import Intervals
from confmat.errors import Argument, InputError, Message
from confmat.metrics.averages import Choice, Coverage
from confmat.metrics.declaration import Metric
from confmat.metrics.scores import parse_score
from confmat.reporting import Report

__all__ = ["REPORT", "report_data", "report_of"]

REPORT = "confmat.report"
VERSION = 1


def report_data(report: Report) -> dict[str, Any]:
    """A report as plain data that JSON can hold, whatever its labels are."""
    return {
        "format": REPORT,
        "version": VERSION,
        "classes": [name_to_json(label) for label in report.classes],
        "metrics": list(report.names),
        "values": [[_told(x) for x in row] for row in report.values.tolist()],
        "support": report.support.tolist(),
        "averages": {name: [_told(x) for x in row.tolist()] for name, row in report.averages.items()},
        "overall": {name: _told(value) for name, value in report.overall.items()},
        "total": report.total,
        "coverage": {
            name: [None if part is None else asdict(part) for part in parts] for name, parts in report.coverage.items()
        },
        "reasons": {name: found["reason"] for name, found in report.undefined_values().items()},
        "notes": list(report.notes),
        "digits": report.digits,
        "undefined": report.undefined,
        **({} if report.intervals is None else {"intervals": _intervals_data(report.intervals)}),
    }


def _intervals_data(found: Intervals) -> dict[str, Any]:
    """Bounds in the shape of what they are bounds of; who does not know of them reads the rest."""
    return {
        "level": found.level,
        "low": [[_told(x) for x in row] for row in found.low.tolist()],
        "high": [[_told(x) for x in row] for row in found.high.tolist()],
        "averages": {name: [[_told(x) for x in ends] for ends in row] for name, row in found.averages.items()},
        "overall": {name: [_told(x) for x in ends] for name, ends in found.overall.items()},
    }


def _intervals(data: Any, shape: tuple[int, ...]) -> Intervals | None:
    """The bounds of a stored report, if it has some."""
    if data is None:
        return None
    try:
        sides = [np.array([[_score(x) for x in row] for row in data[side]], dtype=float) for side in ("low", "high")]
        low, high = (side.reshape(shape) for side in sides)
        averages = {str(name): tuple(_ends(ends) for ends in row) for name, row in data["averages"].items()}
        overall = {str(name): _ends(ends) for name, ends in data["overall"].items()}
        level = float(data["level"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        msg = Message("the intervals of a stored report must be a level and pairs of bounds like its values: {}", error)
        raise InputError(msg) from error
    if any(len(row) != shape[1] for row in averages.values()) or not 0 < level < 1:
        msg = "the intervals of a stored report must have bounds for each of its metrics, and a level below 1"
        raise InputError(msg)
    return Intervals(level, low, high, averages, overall)


def _ends(ends: Any) -> tuple[float, float]:
    low, high = ends
    return float(_score(low)), float(_score(high))


def _told(value: Any) -> Any:
    """A score as JSON can hold it: null is undefined, "inf" and "-inf" are limits."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def _score(value: Any) -> Any:
    if value is None:
        return math.nan
    if value in {"inf", "-inf"}:
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        msg = f"a stored score must be a number, null, 'inf' or '-inf', not {value!r:.60}"
        raise InputError(msg)
    return value


def report_of(data: Mapping[str, Any]) -> Report:
    """Read what `report_data` made."""
    classes = tuple(name_from_json(name, None) for name in _list(data, "classes"))
    metrics = tuple(_metric(name) for name in _list(data, "metrics"))
    values = np.array([[_score(x) for x in row] for row in _list(data, "values")], dtype=float)
    support = np.array([_score(x) for x in _list(data, "support")])
    if not values.size:
        values = values.reshape(len(classes), len(metrics))
    if values.shape != (len(classes), len(metrics)) or support.shape != (len(classes),):
        msg = f"a stored report of {len(classes)} classes and {len(metrics)} metrics has values of {values.shape}"
        raise InputError(msg)
    averages = {str(k): np.array([_score(x) for x in row], dtype=float) for k, row in data["averages"].items()}
    if any(row.shape != (len(metrics),) for row in averages.values()):
        msg = f"the averages of a stored report must have one value for each of its {len(metrics)} metrics"
        raise InputError(msg)
    digits, undefined = data.get("digits", 3), data.get("undefined", "fair")
    if type(digits) is not int or not 0 <= digits <= 30:
        msg = Message("the {digits} of a stored report must be a small integer, not {!r:.60}", digits)
        raise InputError(msg)
    return Report(
        classes=classes,
        metrics=metrics,
        values=values,
        support=support,
        averages=MappingProxyType(averages),
        overall=MappingProxyType({str(name): _score(x) for name, x in data["overall"].items()}),
        total=_score(data["total"]),
        digits=digits,
        notes=tuple(map(str, data.get("notes", []))),
        undefined=undefined,
        intervals=_intervals(data.get("intervals"), values.shape),
        _reasons=MappingProxyType({str(k): str(v) for k, v in data.get("reasons", {}).items()}),
        _choices=MappingProxyType({k: _taken(parts, len(metrics)) for k, parts in data.get("coverage", {}).items()}),
    )


def _list(data: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(data.get(name), list):
        msg = Message("a stored report needs a list of {}, not {!r:.60}", Argument(name), data.get(name))
        raise InputError(msg)
    return data[name]


def _metric(name: Any) -> Metric:
    metric = parse_score(name).metric if isinstance(name, str) else None
    if not isinstance(metric, Metric):
        msg = f"the stored report has a metric {name!r:.60} that this confmat does not know"
        raise InputError(msg)
    return metric


class _StoredChoice:
    """The accounts of a mean without the classes that they were drawn from."""

    def __init__(self, parts: list[Coverage]) -> None:
        self._parts = parts

    def coverages(self) -> list[Coverage]:
        """The accounts of each metric."""
        return self._parts


def _taken(parts: Any, count: int) -> tuple[Choice, list[str]] | None:
    if not isinstance(parts, list) or len(parts) != count:
        msg = f"the coverage of an average in a stored report must have {count} entries"
        raise InputError(msg)
    if all(part is None for part in parts):
        return None
    fields = ("used", "classes", "absent", "filled", "skipped")
    read = [Coverage(0, 0) if part is None else Coverage(*(int(part[x]) for x in fields)) for part in parts]
    # A report asks its choices for nothing but these accounts.
    return cast("Choice", _StoredChoice(read)), ["refused" if part is None else "" for part in parts]

"""Matrices, stacks and reports as plain data and as JSON, and back: NaN as null, infinity as text."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import Argument, ConfmatError, InputError, LabelError, Message
from confmat.core.files import decoded
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import name_from_json, name_to_json
from confmat.core.options import MAKES_ONE
from confmat.core.stack import Stack
from confmat.core.tables import to_plain
from confmat.core.text import repeated
from confmat.io.csv_format import check_text
from confmat.metrics.averages import Choice, Coverage
from confmat.metrics.catalog import parse_score
from confmat.metrics.declaration import Metric
from confmat.reporting import Report
from confmat.reporting.making import column_of_score
from confmat.reporting.value import Intervals

REPORT = "confmat.report"
VERSION = 1
# The text that takes the place of the table while the rest is read.
PLACE = "the table of counts"
# A line break is never part of a JSON string, so this is no text of a label.
_OPEN, _CLOSE = '\n  "counts": [\n    [', "]\n  ]"
Storable = ConfusionMatrix | Stack | Report
# One number: what an older confmat could misread raises it, and a reader refuses what is above its own. Fields may
# be added without raising it; readers leave alone what they do not know.
STACK = "confmat.stack"
# Fields of a matrix that a stack holds once for all its matrices.
_COMMON = ("format", "version", "labels", "rows")
_MARGINS = ("diagonal", "actual_totals", "predicted_totals", "total")
# Levels of nesting that get lines of their own: as many as put each row of a stack's matrices on its line.
_INDENTED_LEVELS = 4
# In JSON text only strings hold these.
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def report_data(report: Report) -> dict[str, Any]:
    """Turn a report into plain data that JSON can hold, whatever its labels are."""
    data = {
        "format": REPORT,
        "version": VERSION,
        "classes": [name_to_json(label) for label in report.classes],
        "metrics": report.names,
        "values": report.values,
        "support": report.support,
        "averages": report.averages,
        "overall": report.overall,
        "total": report.total,
        "coverage": {
            name: [None if part is None else asdict(part) for part in parts] for name, parts in report.coverage.items()
        },
        "reasons": {name: part["reason"] for name, part in report.undefined_values().items()},
        "notes": report.notes,
        "digits": report.digits,
        "undefined": report.undefined,
        **({} if report.axis == "class" else {"axis": report.axis}),
        # Bounds in the shape of what they are bounds of; a reader that does not know of them reads the rest.
        **({} if report.intervals is None else {"intervals": vars(report.intervals)}),
    }
    plain: dict[str, Any] = to_plain(data, "text")
    return plain


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
        msg = Message("the intervals of a stored report must have bounds for each of its metrics, and a level below 1")
        raise InputError(msg)
    return Intervals(level, low, high, averages, overall)


def _ends(ends: Any) -> tuple[float, float]:
    low, high = ends
    return float(_score(low)), float(_score(high))


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
        axis=str(data.get("axis", "class")),
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
    score = parse_score(name) if isinstance(name, str) else None
    if score is None or not isinstance(score.metric, Metric):
        msg = f"the stored report has a metric {name!r:.60} that this confmat does not know"
        raise InputError(msg)
    return column_of_score(score)


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


def take_table(text: str) -> tuple[str, NDArray[np.int64]] | None:
    r"""The text with a placeholder for its table, and the table; None unless it looks exactly as `to_json` writes it.

    >>> take_table('{\n  "counts": [\n    [3, 1],\n    [0, 2]\n  ]\n}\n')
    ('{\n  "counts": "the table of counts"\n}\n', array([[3, 1],
           [0, 2]]))
    """
    start = text.find(_OPEN)
    end = text.find(_CLOSE, start)
    if start < 0 or end < 0 or text.find(_OPEN, start + 1) >= 0:
        return None
    first, last = start + len(_OPEN) - 1, end + 1
    block = text[first:last]
    if not block.isascii():
        return None
    table = kernels.kernel.read_square(b"[" + block.encode("ascii") + b"]", block.count("\n") + 1)
    if table is None:
        return None
    # In front of the bracket that opens the table, and behind the one that closes it.
    return f'{text[: start + len(_OPEN) - 7]}"{PLACE}"{text[end + len(_CLOSE) :]}', table


# ---- writing -----------------------------------------------------------------------------------------------


def to_json(value: Storable) -> str:
    """Write a matrix, stack or report as JSON text that `from_json` reads back without loss.

    The text is `to_dict` with one line per row of a table. NaN and Infinity are never written, and characters that
    could act on a terminal are escaped.

    Parameters
    ----------
    value
        The matrix, stack or report.

    Examples
    --------
    >>> print(to_json(ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])), end="")
    {
      "format": "confmat.matrix",
      "version": 1,
      "labels": {"kind": "text", "names": ["no", "yes"]},
      "rows": "actual",
      "weighted": false,
      "counts": [
        [3, 1],
        [0, 2]
      ]
    }
    """
    try:
        return _laid_out(to_data(value)) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, ConfmatError):
            raise
        msg = Message("JSON cannot hold a label: {}; turn labels that are objects into text with m.relabel(...)", error)
        raise LabelError(msg) from error


def to_data(value: Storable) -> dict[str, Any]:
    """Turn a matrix, stack or report into plain data with its format and version.

    Parameters
    ----------
    value
        The matrix, stack or report.

    Returns
    -------
    dict
        Ready for JSON; `from_data` reads it back.
    """
    if isinstance(value, ConfusionMatrix):
        return value.to_dict()
    if isinstance(value, Stack):
        return _stack_data(value)
    if isinstance(value, Report):
        return report_data(value)
    msg = f"a ConfusionMatrix, a Stack or a Report can be stored, not {type(value).__name__}; {MAKES_ONE}"
    raise InputError(msg)


def _stack_data(stack: Stack) -> dict[str, Any]:
    data: dict[str, Any] = {
        "format": STACK,
        "version": VERSION,
        "axis": stack.axis,
        "labels": stack.labels.to_dict(),
        "rows": "actual",
        "keys": [_key_to_json(key) for key in stack],
    }
    if stack._table is None:
        data["margins"] = {name: getattr(stack, name).tolist() for name in _MARGINS}
    else:
        parts = (stack[key].to_dict() for key in stack)
        data["matrices"] = [{k: v for k, v in part.items() if k not in _COMMON} for part in parts]
    return data


def _key_to_json(key: Any) -> Any:
    if isinstance(key, np.generic):
        key = key.item()
    return {"float": str(key)} if isinstance(key, float) and not math.isfinite(key) else name_to_json(key)


def _key_from_json(key: Any) -> Any:
    if isinstance(key, dict) and key.keys() == {"float"}:
        return float(key["float"])
    return name_from_json(key, None)


def _laid_out(value: Any, indent: str = "", depth: int = _INDENTED_LEVELS) -> str:
    """JSON with objects and lists of lists spread over lines, all else on one."""
    inner = indent + "  "
    if isinstance(value, dict) and value and depth and not _small(value):
        items = [f"{_dumped(str(k))}: {_laid_out(v, inner, depth - 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{indent}}}"
    if isinstance(value, list) and value and depth and isinstance(value[0], list):
        # Rows of scores and counts: no text in them could hold the brackets that are looked for.
        return f"[\n{inner}" + _dumped(value)[1:-1].replace("], [", f"],\n{inner}[") + f"\n{indent}]"
    # A mapping with one entry is a name that JSON has no type for.
    if isinstance(value, list) and value and depth and isinstance(value[0], dict) and len(value[0]) > 1:
        return "[\n" + ",\n".join(inner + _laid_out(v, inner, depth - 1) for v in value) + f"\n{indent}]"
    return _dumped(value)


def _small(value: dict[str, Any]) -> bool:
    return len(value) == 1 or "kind" in value or all(not isinstance(x, (list, dict)) for x in value.values())


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and "\x7f" not in text else _UNSEEN.sub(_escaped, text)


def _escaped(sign: re.Match[str]) -> str:
    """Readable characters as they are; what moves a cursor or cannot be seen as an escape."""
    return sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1]


# ---- reading -----------------------------------------------------------------------------------------------


def from_json(text: str | bytes) -> Storable:
    """Read the JSON of `to_json`: a matrix, a stack or a report, as its `format` says.

    Parameters
    ----------
    text
        The JSON.

    Returns
    -------
    ConfusionMatrix, Stack or Report

    Examples
    --------
    >>> m = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    >>> from_json(to_json(m)) == m
    True
    """
    if isinstance(text, bytes):
        text = decoded(text)
    check_text(text, "from_json")
    quick = take_table(text)
    if quick is not None:
        # Whatever is wrong is said by the other road, which knows the line.
        with contextlib.suppress(ConfmatError):
            data = parse_json(quick[0])
            if isinstance(data, dict) and data.get("counts") == PLACE:
                return from_data(data | {"counts": quick[1]})
    return from_data(parse_json(text))


def parse_json(text: str | bytes) -> Any:
    """JSON as plain data, strictly: no NaN, no number beyond all floats, no field twice, no bottomless nesting."""
    if isinstance(text, bytes):
        text = decoded(text)
    if not text.strip("\ufeff \t\r\n"):
        msg = "the text is empty"
        raise InputError(msg)
    try:
        return json.loads(
            text.removeprefix("\ufeff"), parse_constant=_constant, parse_float=_float, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        msg = f"line {error.lineno}, column {error.colno}: this is no JSON: {error.msg}"
        raise InputError(msg) from None
    except RecursionError:
        msg = "the JSON is nested too deeply to be a stored matrix"
        raise InputError(msg) from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        msg = "the JSON holds an integer of too many digits"
        raise InputError(msg) from None


def _constant(name: str) -> Any:
    msg = f"{name} is no number that JSON has, and no count"
    raise InputError(msg)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        msg = f"the number {text:.40} is more than a float holds"
        raise InputError(msg)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        msg = f"an object has the field {repeated(name for name, _ in pairs)[0]!r:.60} twice"
        raise InputError(msg)
    return made


def from_data(data: Any) -> Storable:
    """Read a matrix, stack or report from plain data.

    Unknown fields are left alone.

    Parameters
    ----------
    data
        A mapping as `to_data` gives it.

    Returns
    -------
    ConfusionMatrix, Stack or Report

    Raises
    ------
    InputError
        The data are malformed, or of a newer version.
    """
    name = data.get("format") if isinstance(data, Mapping) else None
    readers: dict[Any, Callable[[Any], Storable]] = {
        "confmat.matrix": ConfusionMatrix.from_dict,
        STACK: _stack_of,
        REPORT: report_of,
    }
    if not isinstance(name, str) or name not in readers:
        raise InputError(_foreign(data, name, ", ".join(map(repr, readers))))
    version = data.get("version")
    if type(version) is not int or version < 1:
        msg = f"the `version` of a stored {name} must be 1 or more, not {version!r:.60}"
        raise InputError(msg)
    if version > VERSION:
        msg = f"this {name} was stored as version {version}; this confmat reads up to {VERSION}: update confmat"
        raise InputError(msg)
    try:
        return readers[name](data)
    except ConfmatError:
        raise
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        msg = f"the stored {name} is malformed: {type(error).__name__}: {error!s:.120}".replace("\n", " ")
        raise InputError(msg) from error


def _foreign(data: Any, name: Any, known: str) -> str:
    """Say why JSON holds no matrix, stack or report of confmat, and what it is instead, where that can be seen."""
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return (
            "this is nothing that confmat stored but a list of rows; written as JSON lines, one row a line, it counts"
        )
    if isinstance(data, list) and data and isinstance(data[0], list):
        return (
            "this is nothing that confmat stored but a bare table, which read_printed takes (confmat show, from a .txt)"
        )
    if name is None:
        return f"this is nothing that confmat stored: it has no field 'format' that says which of {known} it is"
    return f"this is nothing that confmat stored: its 'format' is {name!r:.60}, and none of {known}"


def _stack_of(data: Mapping[str, Any]) -> Stack:
    for field, kind in (("axis", str), ("labels", Mapping), ("keys", list)):
        if not isinstance(data.get(field), kind):
            msg = f"a stored stack needs `{field}`, not {data.get(field)!r:.60}"
            raise InputError(msg)
    keys = [_key_from_json(key) for key in data["keys"]]
    if "margins" in data:
        return _of_margins(data, keys)
    parts = data.get("matrices")
    if not isinstance(parts, list) or len(parts) != len(keys) or len(set(keys)) < len(keys):
        msg = f"a stored stack needs one of `matrices` for each of its {len(keys)} keys, and the keys distinct"
        raise InputError(msg)
    common = {"format": "confmat.matrix", "version": 1, "labels": data["labels"], "rows": data.get("rows", "actual")}
    matrices = [ConfusionMatrix.from_dict({**part, **common}) for part in parts]
    return Stack(dict(zip(keys, matrices, strict=True)), axis=data["axis"])


def _of_margins(data: Mapping[str, Any], keys: list[Any]) -> Stack:
    margins = {name: np.array(data["margins"][name]) for name in _MARGINS}
    if any(part.dtype.kind not in "iuf" or np.any(part < 0) for part in margins.values()):
        msg = "the margins of a stored stack must be numbers, zero or more"
        raise InputError(msg)
    return Stack.from_margins(**margins, labels=Labels.from_dict(data["labels"]), keys=keys, axis=data["axis"])

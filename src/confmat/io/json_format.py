"""Matrices and stacks as plain data and as JSON, and back; reports as JSON: NaN as null, infinity as text."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import ConfmatError, InputError, LabelError, Message
from confmat.core.files import decoded
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import name_from_json, name_to_json
from confmat.core.notes import from_data as notes_from_data
from confmat.core.notes import to_data as notes_to_data
from confmat.core.options import MAKES_ONE
from confmat.core.seals import check_fields, check_seal, sealed
from confmat.core.stack import Stack
from confmat.core.tables import to_plain
from confmat.core.text import repeated
from confmat.io.csv_format import check_text
from confmat.reporting import Report

REPORT = "confmat.report"
VERSION = 1
# The text that takes the place of the table while the rest is read.
PLACE = "the table of counts"
# A line break is never part of a JSON string, so this is no text of a label.
_OPEN, _CLOSE = '\n  "counts": [\n    [', "]\n  ]"
Storable = ConfusionMatrix | Stack
# One number: what an older confmat could misread raises it, and a reader refuses what is above its
# own.
STACK = "confmat.stack"
# Fields of a matrix that a stack holds once for all its matrices.
_COMMON = ("format", "version", "labels", "rows")
_FIELDS = {
    "format",
    "version",
    "axis",
    "labels",
    "rows",
    "keys",
    "matrices",
    "notes",
    "provenance",
    "seal",
}
# Levels of nesting that get lines of their own: as many as put each row of a stack's matrices on
# its line.
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
            name: [None if part is None else asdict(part) for part in parts]
            for name, parts in report.coverage.items()
        },
        "reasons": {name: part["reason"] for name, part in report.undefined_values().items()},
        "notes": report.notes,
        "digits": report.digits,
        "undefined": report.undefined,
        **({} if report.axis == "class" else {"axis": report.axis}),
        # Bounds in the shape of what they are bounds of; a reader that does not know of them reads
        # the rest.
        **({} if report.intervals is None else {"intervals": vars(report.intervals)}),
    }
    plain: dict[str, Any] = to_plain(data, "text")
    return plain


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


# ---- writing -------------------------------------------------------------------------------------


def to_json(value: Storable | Report) -> str:
    """Write a matrix, stack or report as JSON text that `from_json` reads back without loss.

    The text is `to_dict` with one line per row of a table. NaN and Infinity are never written, and
    characters that could act on a terminal are escaped.

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
      ],
      "seal": {"total": 6, "sha256": "de765a58a126dae39c2bda083379d4e61435830f95dcd1b44f3bbc3e59e07e37"}
    }
    """
    try:
        data = to_data(value)
        if isinstance(value, Storable):
            data = sealed(data, _total(value))
        return _laid_out(data) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, ConfmatError):
            raise
        msg = Message(
            "JSON cannot hold a label: {}; turn labels that are objects into text with m.relabel(...)",
            error,
        )
        raise LabelError(msg) from error


def _total(value: Storable) -> int | float:
    return value.total if isinstance(value, ConfusionMatrix) else to_plain(value.total.sum())


def to_data(value: Storable | Report) -> dict[str, Any]:
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
    parts = (stack[key].to_dict() for key in stack)
    data["matrices"] = [{k: v for k, v in part.items() if k not in _COMMON} for part in parts]
    data |= {"notes": notes_to_data(stack.notes)} if stack.notes else {}
    return data | {"provenance": stack.provenance} if stack.provenance else data


def _key_to_json(key: Any) -> Any:
    if isinstance(key, np.generic):
        key = key.item()
    return (
        {"float": str(key)}
        if isinstance(key, float) and not math.isfinite(key)
        else name_to_json(key)
    )


def _key_from_json(key: Any) -> Any:
    if isinstance(key, dict) and key.keys() == {"float"}:
        return float(key["float"])
    return name_from_json(key, None)


def _laid_out(value: Any, indent: str = "", depth: int = _INDENTED_LEVELS) -> str:
    """JSON with objects and lists of lists spread over lines, all else on one."""
    if not (depth and value and isinstance(value, (dict, list))):
        return _dumped(value)
    inner = indent + "  "
    between = f",\n{inner}"
    if isinstance(value, dict):
        if _small(value):
            return _dumped(value)
        items = [f"{_dumped(str(k))}: {_laid_out(v, inner, depth - 1)}" for k, v in value.items()]
        return f"{{\n{inner}{between.join(items)}\n{indent}}}"
    if isinstance(value[0], list):
        # Rows of scores and counts: no text in them could hold the brackets that are looked for.
        rows = _dumped(value)[1:-1].replace("], [", f"],\n{inner}[")
        return f"[\n{inner}{rows}\n{indent}]"
    # A mapping with one entry is a name that JSON has no type for.
    if isinstance(value[0], dict) and len(value[0]) > 1:
        items = [_laid_out(each, inner, depth - 1) for each in value]
        return f"[\n{inner}{between.join(items)}\n{indent}]"
    return _dumped(value)


def _small(value: dict[str, Any]) -> bool:
    return (
        len(value) == 1
        or "kind" in value
        or all(not isinstance(x, (list, dict)) for x in value.values())
    )


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and "\x7f" not in text else _UNSEEN.sub(_escaped, text)


def _escaped(sign: re.Match[str]) -> str:
    """Readable characters as they are; what moves a cursor or cannot be seen as an escape."""
    return sign[0] if sign[0].isprintable() else json.dumps(sign[0])[1:-1]


# ---- reading -------------------------------------------------------------------------------------


def from_json(text: str | bytes) -> Storable:
    """Read the JSON of `to_json`: a matrix or a stack, as its `format` says.

    Parameters
    ----------
    text
        The JSON.

    Returns
    -------
    ConfusionMatrix or Stack

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
            text.removeprefix("\ufeff"),
            parse_constant=_constant,
            parse_float=_float,
            object_pairs_hook=_object,
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
    """Read a matrix or a stack from plain data.

    Parameters
    ----------
    data
        A mapping as `to_data` gives it.

    Returns
    -------
    ConfusionMatrix or Stack

    Raises
    ------
    InputError
        The data are malformed, or of a newer version.
    """
    name = data.get("format") if isinstance(data, Mapping) else None
    readers: dict[Any, Callable[[Any], Storable]] = {
        "confmat.matrix": ConfusionMatrix.from_dict,
        STACK: _stack_of,
    }
    if name == REPORT:
        msg = "this is a report, and no counts can be had from it: store the matrix, and make its report again"
        raise InputError(msg)
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
    except (
        TypeError,
        ValueError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        msg = f"the stored {name} is malformed: {type(error).__name__}: {error!s:.120}".replace(
            "\n", " "
        )
        raise InputError(msg) from error


def _foreign(data: Any, name: Any, known: str) -> str:
    """Say why JSON holds no matrix or stack of confmat, and, where that can be seen, what it holds instead."""
    if isinstance(data, list) and data and isinstance(data[0], dict):
        return (
            "this is nothing that confmat stored but a list of rows; written as JSON lines, "
            "one row a line, it counts"
        )
    if isinstance(data, list) and data and isinstance(data[0], list):
        return (
            "this is nothing that confmat stored but a bare table, which read_printed takes "
            "(confmat show, from a .txt)"
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
        msg = "this stored stack has margins only; store the matrices themselves"
        raise InputError(msg)
    check_fields(data, _FIELDS, "a stored stack")
    parts = data.get("matrices")
    if not (isinstance(parts, list) and len(parts) == len(keys) == len(set(keys))):
        msg = f"a stored stack needs one of `matrices` for each of its {len(keys)} keys, and the keys distinct"
        raise InputError(msg)
    common = {
        "format": "confmat.matrix",
        "version": 1,
        "labels": data["labels"],
        "rows": data.get("rows", "actual"),
    }
    matrices = [ConfusionMatrix.from_dict({**part, **common}) for part in parts]
    stack = Stack(dict(zip(keys, matrices, strict=True)), axis=data["axis"])
    check_seal(data, _total(stack))
    stack = stack._noted(notes_from_data(data["notes"])) if "notes" in data else stack
    return stack._counted_in(data["provenance"]) if data.get("provenance") else stack

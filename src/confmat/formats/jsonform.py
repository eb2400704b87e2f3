"""JSON: matrices, stacks and reports under a versioned schema (`confmat.schema.json`), read back without loss."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from confmat._files import decoded
from confmat._naming import name_from_json, name_to_json
from confmat._options import MAKES_ONE
from confmat.errors import ConfmatError, InputError, LabelError, Message
from confmat.formats import jsonreport
from confmat.formats.csvform import check_text
from confmat.formats.jsontable import put_back, take_table
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.reporting import Report
from confmat.stack import Stack
from confmat.text import repeated

__all__ = ["Storable", "from_data", "from_json", "parse_json", "to_data", "to_json"]

Storable = ConfusionMatrix | Stack | Report

# One number: what an older confmat could misread raises it, and a reader refuses what is above its own. Fields may
# be added without raising it; readers leave alone what they do not know.
VERSION = 1
STACK = "confmat.stack"
# Fields of a matrix that a stack holds once for all its matrices.
_COMMON = ("format", "version", "labels", "rows")
_MARGINS = ("diagonal", "actual_totals", "predicted_totals", "total")


# ---- writing -----------------------------------------------------------------------------------------------


def to_json(value: Storable) -> str:
    """A matrix, stack or report as JSON text that `from_json` reads back without loss.

    The text is what `to_dict` gives, one line per row of a table. NaN and Infinity are never written, and what
    could act on a terminal is escaped.

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
    """A matrix, stack or report as plain data with its format and version."""
    if isinstance(value, ConfusionMatrix):
        return value.to_dict()
    if isinstance(value, Stack):
        return _stack_data(value)
    if isinstance(value, Report):
        return jsonreport.report_data(value)
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


# Deep enough for the rows of the matrices of a stack, each on a line of its own.
_DEPTH = 4


def _laid_out(value: Any, indent: str = "", depth: int = _DEPTH) -> str:
    """JSON with objects and lists of lists spread over lines, all else on one."""
    inner = indent + "  "
    if isinstance(value, dict) and value and depth and not _small(value):
        items = [f"{_dumped(str(k))}: {_laid_out(v, inner, depth - 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + item for item in items) + f"\n{indent}}}"
    if isinstance(value, list) and value and depth and isinstance(value[0], list):
        # Rows of scores and counts: no text in them could hold the brackets that are looked for.
        return f"[\n{inner}" + _dumped(value)[1:-1].replace("], [", f"],\n{inner}[") + f"\n{indent}]"
    if isinstance(value, list) and value and depth and isinstance(value[0], dict) and not _tagged(value[0]):
        return "[\n" + ",\n".join(inner + _laid_out(v, inner, depth - 1) for v in value) + f"\n{indent}]"
    return _dumped(value)


def _tagged(value: Any) -> bool:
    """Whether this is a name that JSON has no type for."""
    return isinstance(value, dict) and len(value) == 1


def _small(value: dict[str, Any]) -> bool:
    return len(value) == 1 or "kind" in value or all(not isinstance(x, (list, dict)) for x in value.values())


# In JSON text only strings hold these.
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def _dumped(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and "\x7f" not in text else _UNSEEN.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    """Readable characters as they are; what moves a cursor or cannot be seen as an escape."""
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


# ---- reading -----------------------------------------------------------------------------------------------


def from_json(text: str | bytes) -> Storable:
    """Read what `to_json` wrote: a matrix, a stack or a report, as its `format` says.

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
            if put_back(data, quick[1]):
                return from_data(data)
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
    """A matrix, stack or report from plain data; a version above ours is refused, unknown fields are left alone."""
    name = data.get("format") if isinstance(data, Mapping) else None
    readers: dict[Any, Callable[[Any], Storable]] = {
        "confmat.matrix": ConfusionMatrix.from_dict,
        STACK: _stack_of,
        jsonreport.REPORT: jsonreport.report_of,
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
    """What to say of JSON that is no matrix, stack or report of ours: what it is instead, where that can be seen."""
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

"""What one label is: its plain value, its kind, and its form in JSON."""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from confmat.errors import InputError, LabelError
from confmat.text import some

if TYPE_CHECKING:
    from confmat.labels import Kind

__all__ = ["KINDS", "kind_of", "kind_of_all", "name_from_json", "name_to_json", "not_integral", "plain"]

# Floats from here on may have been rounded to a neighbouring integer before they came to us.
_FLOAT_LIMITS = {2: 2.0**11, 4: 2.0**24, 8: 2.0**53}

KINDS: dict[type, Kind] = {bool: "bool", int: "int", str: "text", bytes: "bytes"}


def plain(value: Any) -> Any:
    """The value itself as an exact bool, int, float, str, bytes or other object; None when it says "missing".

    >>> import enum
    >>> Suit = enum.IntEnum("Suit", ["CLUBS"])
    >>> plain(np.int8(3)), plain(Suit.CLUBS), plain(np.str_("a")), plain(float("nan"))
    (3, 1, 'a', None)
    """
    if type(value) in KINDS or value is None:
        return value
    if isinstance(value, (float, np.floating)):
        return None if value != value else _as_int(value)
    # Before NumPy's scalars: the `item()` of its text and bytes would lose NULs at their end.
    if isinstance(value, (str, bytes, int)):
        return _base_value(value)
    if isinstance(value, np.generic):
        return _plain_scalar(value)
    if _is_missing(value):
        return None
    if hasattr(value, "as_py"):
        # A PyArrow scalar, as one gets by iterating over a column.
        return plain(value.as_py())
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and hasattr(value, "item"):
        if math.prod(shape) == 1:
            return plain(value.item())
        msg = f"a label must be one value, not an array of shape {tuple(shape)}"
        raise LabelError(msg)
    try:
        hash(value)
    except TypeError:
        msg = (
            f"a label must be hashable, and {type(value).__name__} {value!r:.60} is not; turn it into a tuple or a text"
        )
        raise LabelError(msg) from None
    return value


def _base_value(value: str | bytes | int) -> str | bytes | int:
    """An IntEnum or StrEnum member, or another subclass: its value, not its looks."""
    if isinstance(value, str):
        return str.__str__(value)
    return bytes.__getitem__(value, slice(None)) if isinstance(value, bytes) else int.__index__(value)


def _plain_scalar(value: np.generic) -> Any:
    if isinstance(value, np.ma.core.MaskedConstant) or (value.dtype.kind in "mM" and np.isnat(value)):
        return None
    number = value.item()
    if value.dtype.kind in "mM":
        # A date is the same date from NumPy and from Python, unless Python cannot say it as finely or as coarsely.
        coarse = str(value.dtype).endswith(("[Y]", "[M]", "[W]"))
        return value if coarse or isinstance(number, int) else number
    return plain(number)


def _as_int(value: Any) -> Any:
    """An integral float as int, and any other float unchanged."""
    limit = _FLOAT_LIMITS.get(getattr(value, "itemsize", 8), 2.0**53)
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < limit else number


def _is_missing(value: Any) -> bool:
    """Whether an object says "missing": pandas.NA and NaT, Decimal NaN, numpy.ma.masked."""
    if value is np.ma.masked:
        return True
    if type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, decimal.Decimal) and value.is_nan()


def kind_of(value: Any) -> Kind:
    """The kind of one plain value."""
    kind = KINDS.get(type(value))
    if kind is not None:
        return kind
    if isinstance(value, float):
        raise LabelError(not_integral(value))
    return "object"


def not_integral(value: float, where: str = "a label") -> str:
    """The message for a float that cannot be a label."""
    if math.isfinite(value) and value.is_integer():
        return (
            f"{where} is the float {value!r}, too large for its neighbours to be told apart; "
            "give labels of that size as integers or text"
        )
    return (
        f"{where} is {value!r}: labels may be floats only where they hold integers. "
        "Scores become labels by a threshold (`scores > 0.5`) or the largest column (`scores.argmax(axis=1)`); "
        "numbers that really are names, by `[str(x) for x in ...]`"
    )


def kind_of_all(values: Sequence[Any], where: str) -> tuple[Kind, Sequence[Any]]:
    """The one kind of plain values, and the values in it: bool among int gives int, any other mix is refused."""
    if any(value is None for value in values):
        msg = f"{where} may not hold a missing value (position {list(values).index(None)})"
        raise LabelError(msg)
    by_kind: dict[Kind, Any] = {}
    for value in values:
        by_kind.setdefault(kind_of(value), value)
    if len(by_kind) == 1:
        return next(iter(by_kind)), values
    if by_kind.keys() == {"bool", "int"}:
        return "int", [int(value) for value in values]
    came = " and ".join(f"{kind} ({some([value])})" for kind, value in by_kind.items())
    msg = f"{where} must be of one kind, but these came together: {came}; convert them to one type first"
    raise LabelError(msg)


# ---- JSON --------------------------------------------------------------------------------------------------


def name_to_json(name: Any) -> Any:
    """A name as JSON can hold it: tagged where JSON has no such type, unchanged where it is unknown to us."""
    if isinstance(name, bytes):
        return {"bytes": base64.b64encode(name).decode("ascii")}
    if type(name) is tuple:
        return {"tuple": [name_to_json(part) for part in name]}
    if type(name) in {decimal.Decimal, fractions.Fraction}:
        return {type(name).__name__.lower(): str(name)}
    if type(name) in {datetime.datetime, datetime.date, datetime.time}:
        return {type(name).__name__: name.isoformat()}
    return name


_READERS: dict[str, Any] = {
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "tuple": lambda parts: tuple(name_from_json(part, None) for part in parts),
    "decimal": decimal.Decimal,
    "fraction": fractions.Fraction,
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
}


def name_from_json(name: Any, kind: str | None) -> Any:
    """Read back what `name_to_json` wrote."""
    if isinstance(name, dict):
        tag, content = next(iter(name.items()), (None, None))
        if len(name) != 1 or tag not in _READERS:
            msg = f"cannot read the stored label {name!r}"
            raise InputError(msg)
        try:
            return _READERS[tag](content)
        except (ValueError, TypeError, ArithmeticError) as error:
            msg = f"cannot read the stored label {name!r}: {error}"
            raise InputError(msg) from error
    if kind in {"int", "bool", "text"} and kind_of(plain(name)) != kind:
        msg = f"a stored label of kind {kind} is {name!r}"
        raise InputError(msg)
    return name

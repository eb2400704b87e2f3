"""A single label: its plain value, its kind, and its form in JSON."""

from __future__ import annotations

import base64
import datetime
import decimal
import fractions
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError
from confmat.core.options import told
from confmat.core.text import meant, printable, some

if TYPE_CHECKING:
    from confmat.core.labels import Kind

# Floats from here on, by their bytes, may have been rounded to a neighbouring integer before they
# came to us.
FLOAT_LIMITS = {2: 2.0**11, 4: 2.0**24, 8: 2.0**53}

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
        msg = (
            f"a label must be one value, not an array of shape {tuple(shape)}; of scores per "
            "class, "
            "`confmat.from_scores` makes a matrix"
        )
        raise LabelError(msg)
    try:
        hash(value)
    except TypeError:
        msg = f"a label must be hashable, and {told(value, typed=True)} is not; turn it into a tuple or a text"
        raise LabelError(msg) from None
    return value


def is_missing(value: Any) -> bool:
    """Whether a value says that something is missing; what cannot be a name does not."""
    try:
        return plain(value) is None
    except LabelError:
        return False


def same_name(name: Any, other: Any) -> bool:
    """Whether two are one name: 1 and True are two, as 1 and "1" are."""
    return type(name) is type(other) and bool(name == other)


def _base_value(value: str | bytes | int) -> str | bytes | int:
    """An IntEnum or StrEnum member, or another subclass: its value, not its looks."""
    if isinstance(value, str):
        return str.__str__(value)
    return (
        bytes.__getitem__(value, slice(None)) if isinstance(value, bytes) else int.__index__(value)
    )


def _plain_scalar(value: np.generic) -> Any:
    if _is_missing(value) or (value.dtype.kind in "mM" and np.isnat(value)):
        return None
    number = value.item()
    if value.dtype.kind == "m" and not str(value.dtype).endswith(("[Y]", "[M]", "m8")):
        # A duration is the same in any unit, unless Python cannot say it as finely.
        rounded = value.astype("m8[us]")
        return rounded.item() if rounded == value and not isinstance(rounded.item(), int) else value
    if value.dtype.kind in "mM":
        # A date is the same date from NumPy and from Python, unless Python cannot say it as finely
        # or as coarsely.
        coarse = str(value.dtype).endswith(("[Y]", "[M]", "[W]"))
        return value if coarse or isinstance(number, int) else number
    return plain(number)


def _as_int(value: Any) -> Any:
    """An integral float as int, and any other float unchanged."""
    limit = FLOAT_LIMITS.get(getattr(value, "itemsize", 8), 2.0**53)
    number = float(value)
    return int(number) if number.is_integer() and abs(number) < limit else number


def _is_missing(value: Any) -> bool:
    """Whether an object says "missing": pandas.NA and NaT, Decimal NaN, numpy.ma.masked."""
    # By their names, since NumPy takes long to import its masked arrays.
    if type(value).__name__ in {"NAType", "NaTType", "MaskedConstant"}:
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
        "Scores become answers in `confmat.from_scores(actual, scores)`, labels first, by a "
        "threshold or the largest "
        "column (argmax); numbers that really are names, by `[str(x) for x in ...]`"
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


# ---- several names -------------------------------------------------------------------------------


def check_list(names: Any) -> None:
    """Refuse what is no list of names: one text, a set, a single value."""
    if isinstance(names, (set, frozenset)):
        msg = (
            f"labels must come in an order, and a {type(names).__name__} has no order; give a list "
            "of names, "
            "such as sorted(labels)"
        )
        raise LabelError(msg)
    if isinstance(names, Mapping) and any(value is not None for value in names.values()):
        msg = f"labels are a list of names; to call them otherwise, count first, then m.relabel({names!r:.60})"
        raise LabelError(msg)
    if (
        isinstance(names, (str, bytes))
        or not isinstance(names, Iterable)
        or getattr(names, "ndim", 1) == 0
    ):
        msg = f"labels must be a list of names, not {type(names).__name__} {names!r:.60}"
        raise LabelError(msg)


def listed(names: Iterable[Any]) -> list[Any]:
    """The names as a list; of an array as Python's own values, but times as they are, which may become integers."""
    if isinstance(names, np.ndarray) and names.ndim and names.dtype.kind not in "mM":
        return list(names.tolist())
    return list(names)


def sorted_union(mine: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    """The distinct integers of both, sorted; int64 and uint64 are never compared as floats.

    >>> sorted_union(np.array([3, 1]), np.array([2, 3]))
    array([1, 2, 3])
    """
    if mine.dtype != theirs.dtype:
        if all(not len(part) or part.max() < 2**63 for part in (mine, theirs)):
            mine, theirs = mine.astype(np.int64), theirs.astype(np.int64)
        elif all(not len(part) or part.min() >= 0 for part in (mine, theirs)):
            mine, theirs = mine.astype(np.uint64), theirs.astype(np.uint64)
        else:
            msg = "labels below zero and labels of 2^63 and more do not fit one integer type; give them as text"
            raise LabelError(msg)
    # np.unique hashes and is many times slower here.
    both = np.concatenate([mine, theirs])
    both.sort()
    return both[np.concatenate([[True], both[1:] != both[:-1]])] if len(both) else both


# Digits, perhaps with a sign and a decimal point; a text longer than this is an identifier.
_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(\.[0-9]{1,300})?")


def in_order(names: list[Any], *, appearance: bool) -> list[Any]:
    """Sorted where the names can be compared; otherwise as they came, or by type and text.

    Texts that are all plain numbers are sorted by value, as files give them: "2" before "10".

    >>> (
    ...     in_order(["10", "2", "-1", "02"], appearance=True),
    ...     in_order(["10", "2", "x"], appearance=True),
    ... )
    (['-1', '02', '2', '10'], ['10', '2', 'x'])
    """
    if names and all(type(name) is str and _NUMBER.fullmatch(name) for name in names):
        # One value may be written in several ways, which stay different labels: these by their
        # text.
        return sorted(sorted(names), key=decimal.Decimal)
    # Sets compare by inclusion, which is no order.
    if not any(issubclass(kind, (set, frozenset)) for kind in set(map(type, names))):
        try:
            return sorted(names)
        except TypeError:
            pass
    return (
        names
        if appearance
        else sorted(names, key=lambda name: (type(name).__qualname__, repr(name)))
    )


def check_outside(outside: Iterable[str]) -> tuple[str, ...]:
    """The names of the labels outside the classes: distinct texts."""
    if type(outside) is tuple and not outside:
        return ()
    if isinstance(outside, str):
        outside = (outside,)
    several = isinstance(outside, Iterable) and getattr(outside, "ndim", 1) != 0
    names: tuple[Any, ...] = tuple(outside) if several else (outside,)
    if any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
        msg = f"outside labels must be distinct texts such as '(other)' or 'background', not {some(names)}"
        raise LabelError(msg)
    return names


def unknown(name: Any, labels: Sequence[Any], kind: str) -> str:
    """The message for a name that is not among the labels, with the one that was probably meant."""
    message = f"there is no label {some([name])}; there are {len(labels):,} labels of kind {kind}: {some(labels, 8)}"
    for label in labels[:10_000]:
        # The commonest slip is the right name of the wrong kind.
        if printable(label) == printable(name) or (
            type(label) is bool and type(name) is int and label == name
        ):
            return f"{message}; did you mean {some([label])}, which is {kind}?"
    return message + meant(name, labels) if kind == "text" and isinstance(name, str) else message


# ---- JSON ----------------------------------------------------------------------------------------


def name_to_json(name: Any) -> Any:
    """A name as JSON can hold it: tagged where JSON has no such type, unchanged where JSON has no form for it.

    An unchanged object still goes through `to_dict` and `from_dict` within one process.

    >>> name_to_json(b"ab"), name_to_json(np.datetime64("2020-01"))
    ({'bytes': 'YWI='}, {'datetime64': ['2020-01', 'M']})
    """
    if isinstance(name, bytes):
        return {"bytes": base64.b64encode(name).decode("ascii")}
    if type(name) is tuple:
        return {"tuple": [name_to_json(part) for part in name]}
    if type(name) in {decimal.Decimal, fractions.Fraction}:
        return {type(name).__name__.lower(): str(name)}
    if type(name) in {datetime.datetime, datetime.date, datetime.time}:
        return {type(name).__name__: name.isoformat()}
    if isinstance(name, datetime.datetime) and type(name).__name__ == "Timestamp":
        # pandas' own, which equals Python's unless it has nanoseconds.
        return name if getattr(name, "nanosecond", 0) else {"datetime": name.isoformat()}
    if type(name) is datetime.timedelta:
        return {"timedelta": [name.days, name.seconds, name.microseconds]}
    return _scalar_to_json(name) if isinstance(name, np.generic) else name


def _scalar_to_json(name: np.generic) -> Any:
    """Return the JSON of a NumPy scalar: times finer or coarser than Python's; numbers in a tuple as Python's own."""
    if name.dtype.kind in "mM":
        unit, step = np.datetime_data(name.dtype)  # type: ignore[arg-type]
        if step != 1:
            return name
        if name.dtype.kind == "M":
            return {"datetime64": [str(name), unit]}
        return {"timedelta64": [int(name.view("i8")), unit]}
    return name.item() if name.dtype.kind in "biuf" and name.itemsize <= 8 else name


# Longer numbers are no names, and arithmetic with them would not end.
_LONGEST_NUMBER, _LARGEST_EXPONENT = 4000, 10_000
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")
_TIME = re.compile(r"-?[0-9]{1,19}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d{1,18})?)?)?)?)?)?", re.ASCII)
_UNITS = frozenset({"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"})


def _fraction(text: Any) -> fractions.Fraction:
    if not isinstance(text, str) or len(text) > _LONGEST_NUMBER or not _FRACTION.fullmatch(text):
        msg = "a fraction is written as 1/3"
        raise ValueError(msg)
    return fractions.Fraction(text)


def _decimal(text: Any) -> decimal.Decimal:
    if not isinstance(text, str) or len(text) > _LONGEST_NUMBER:
        msg = "a decimal is a text of digits"
        raise ValueError(msg)
    number = decimal.Decimal(text)
    if number.is_finite() and abs(number.adjusted()) > _LARGEST_EXPONENT:
        msg = f"its exponent is beyond {_LARGEST_EXPONENT:,}"
        raise ValueError(msg)
    return number


def _datetime64(parts: Any) -> np.datetime64:
    text, unit = parts
    # Not everything that NumPy reads is a stored date: it knows "now" and "today".
    if unit not in _UNITS or not isinstance(text, str) or not _TIME.fullmatch(text):
        msg = "a datetime64 is a date and its unit"
        raise ValueError(msg)
    return np.datetime64(text, unit)


def _timedelta64(parts: Any) -> np.timedelta64:
    number, unit = parts
    if unit not in _UNITS or type(number) is not int or not -(2**63) < number < 2**63:
        msg = "a timedelta64 is an integer and its unit"
        raise ValueError(msg)
    return np.timedelta64(number, unit)


def _timedelta(parts: Any) -> datetime.timedelta:
    if (
        not isinstance(parts, list)
        or len(parts) != 3
        or any(type(part) is not int for part in parts)
    ):
        msg = "a timedelta is [days, seconds, microseconds]"
        raise ValueError(msg)
    return datetime.timedelta(*parts)


_READERS: dict[str, Any] = {
    "bytes": lambda text: base64.b64decode(text, validate=True),
    "tuple": lambda parts: tuple(name_from_json(part, None) for part in parts),
    "decimal": _decimal,
    "fraction": _fraction,
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": _timedelta,
    "datetime64": _datetime64,
    "timedelta64": _timedelta64,
}


def name_from_json(name: Any, kind: str | None) -> Any:
    """Read back what `name_to_json` wrote."""
    if isinstance(name, dict):
        tag, content = next(iter(name.items()), (None, None))
        if len(name) != 1 or tag not in _READERS:
            msg = f"cannot read the stored label {name!r:.80}"
            raise InputError(msg)
        try:
            return _READERS[tag](content)
        except (ValueError, TypeError, ArithmeticError) as error:
            msg = f"cannot read the stored label {name!r:.80}: {error!s:.200}"
            raise InputError(msg) from error
    if kind in {"int", "bool", "text"} and kind_of(plain(name)) != kind:
        msg = f"a stored label of kind {kind} is {name!r}"
        raise InputError(msg)
    return name

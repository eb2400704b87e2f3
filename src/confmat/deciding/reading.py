"""Reading scores: a table of floats from whatever holds one, checked against what the caller says they are."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.text import printable, some
from confmat.counting.columns import widened

__all__ = ["Kind", "Missing", "Table", "check_kind", "present", "read_scores", "rows_at_once"]

Array = NDArray[Any]
Kind = Literal["probabilities", "logits", "scores"]
Missing = Literal["error", "drop"]

# Rows of a probability table may be off by this much: the sum of a thousand float16 is.
TOLERANCE = {2: 2e-2, 4: 1e-3, 8: 1e-6}
# What rounding to two digits makes of a sum, for each number in it.
_ROUNDED = 0.0051
# Numbers that are looked at together, so that what is worked out on the way stays within a few megabytes.
_AT_ONCE = 2**19
# Beyond, neighbouring integers are one float.
_EXACT = 2**53


class Table:
    """Scores as an array (n,) or (n, K) of floats, and the names of the columns if they have any."""

    __slots__ = ("names", "values")

    def __init__(self, values: Array, names: list[Any] | None) -> None:
        self.values, self.names = values, names


def read_scores(scores: Any, name: str = "scores") -> Table:
    """Scores from an array, nested lists, a data frame, a series or a tensor on the CPU; one column is flattened.

    name: what the caller calls them.
    """
    if isinstance(scores, (str, bytes, dict, set, frozenset)) or not _holds_items(scores):
        msg = Message(
            "{} must be numbers, one per item or one row per item, not {} {!r:.60}",
            Argument(name),
            type(scores).__name__,
            scores,
        )
        raise InputError(msg)
    names = _column_names(scores)
    values = _as_floats(_rows_joined(_as_array(scores, name), name), name)
    if values.ndim == 2 and values.shape[1] == 1:
        values, names = values[:, 0], None
    if values.ndim not in {1, 2} or (values.ndim == 2 and not values.shape[1]):
        msg = Message("{} must be of shape (n,) or (n, K), not {}", Argument(name), values.shape)
        raise InputError(msg)
    return Table(values, names)


def _holds_items(scores: Any) -> bool:
    return any(hasattr(scores, name) for name in ("__array__", "__iter__", "__dlpack__"))


def _column_names(scores: Any) -> list[Any] | None:
    """The names of a frame's columns; None where they are only positions."""
    names = getattr(scores, "column_names", getattr(scores, "columns", None))
    if names is None or callable(names) or not hasattr(names, "__iter__"):
        return None
    found = list(names)
    # What pandas calls the columns of an array.
    return None if all(type(name) is int for name in found) and found == list(range(len(found))) else found


def _as_array(scores: Any, name: str) -> Array:
    if hasattr(scores, "tocoo") or hasattr(scores, "toarray"):
        msg = Message(
            "{} is a sparse table, and what is not stored is no score of 0; give `{}.toarray()` if it is",
            Argument(name),
            name,
        )
        raise InputError(msg)
    if isinstance(scores, np.ma.MaskedArray):
        # What is masked is missing.
        return np.where(np.ma.getmaskarray(scores), np.nan, np.asarray(scores.data, np.float64))
    scores = widened(scores.detach() if hasattr(scores, "detach") else scores)
    try:
        if type(scores).__module__.partition(".")[0] == "pandas":
            return np.asarray(scores.to_numpy(dtype=np.float64, na_value=np.nan) if _extended(scores) else scores)
        if hasattr(scores, "column_names") and hasattr(scores, "column"):
            columns = [np.asarray(scores.column(place)) for place in range(len(scores.column_names))]
            return np.stack(columns, axis=1)
        if hasattr(scores, "__array__") or isinstance(scores, (list, tuple, memoryview)):
            return np.asarray(scores)
        return np.from_dlpack(scores) if hasattr(scores, "__dlpack__") else np.asarray(list(scores))
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        if isinstance(scores, (list, tuple)):
            # Rows of different lengths, most often, which are told one by one.
            return np.array([*scores, None], dtype=object)[:-1]
        msg = Message(
            "cannot read {} ({}) as a table of numbers: {!s:.200}", Argument(name), type(scores).__name__, error
        )
        raise InputError(msg) from error


def _rows_joined(array: Array, name: str) -> Array:
    """Rows that came as objects, such as a column of lists, as one table; a missing row has missing scores."""
    if array.dtype != object or array.ndim != 1:
        return array
    rows = [row if row is None or not hasattr(row, "__len__") else np.asarray(row) for row in array]
    width = next((len(row) for row in rows if isinstance(row, np.ndarray) and row.ndim == 1), None)
    if width is None:
        return array
    wrong = next((i for i, row in enumerate(rows) if row is not None and np.shape(row) != (width,)), None)
    if wrong is not None:
        msg = Message(
            "{} must have as many numbers in each row: {:,} in the first, and in row {:,} {}",
            Argument(name),
            width,
            wrong,
            some([array[wrong]]),
        )
        raise InputError(msg)
    missing = np.full(width, np.nan)
    return np.stack([missing if row is None else row for row in rows])


def _extended(frame: Any) -> bool:
    """Whether a frame or series of pandas has columns that are not NumPy's own."""
    types = frame.dtypes if hasattr(frame, "columns") else [frame.dtype]
    return any(not isinstance(one, np.dtype) for one in types)


def _as_floats(array: Array, name: str) -> Array:
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize in TOLERANCE:
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > _EXACT:
        msg = Message("{} holds integers beyond 2**53, which no float tells apart; scale them down", Argument(name))
        raise InputError(msg)
    if kind not in "biufO":
        msg = Message("{} must be numbers, not {}", Argument(name), array.dtype)
        raise InputError(msg)
    try:
        # None becomes NaN.
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = Message("{} must be numbers: {!s:.200}", Argument(name), error)
        raise InputError(msg) from error


def rows_at_once(values: Array) -> int:
    """How many rows are worked on together."""
    return max(1, _AT_ONCE // (1 if values.ndim == 1 else values.shape[1]))


def present(values: Array, missing: Missing, name: str = "scores") -> Array | None:
    """Which rows have no NaN; None if all. An error that says which row has one, unless such rows are dropped."""
    step, holes = rows_at_once(values), None
    for begin in range(0, len(values), step):
        part = np.isnan(values[begin : begin + step])
        if part.any():
            holes = np.zeros(len(values), bool) if holes is None else holes
            holes[begin : begin + step] = part if part.ndim == 1 else part.any(axis=1)
    if holes is None:
        return None
    if missing == "error":
        msg = Message(
            "{} has NaN in {:,} of {:,} rows, the first in row {:,}; say {missing:'drop'} to leave such items out",
            Argument(name),
            int(holes.sum()),
            len(holes),
            int(np.argmax(holes)),
        )
        raise InputError(msg)
    return ~holes


def check_kind(values: Array, kind: Kind, names: list[Any] | None = None) -> None:
    """Refuse probabilities that are none; NaN are left to others."""
    if kind != "probabilities":
        return
    step, tolerance = rows_at_once(values), TOLERANCE[values.dtype.itemsize]
    for begin in range(0, len(values), step):
        part = values[begin : begin + step]
        wrong = (part < 0) | (part > 1)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            column = "" if names is None or len(place) < 2 else f", column {printable(names[place[1]])}"
            _refuse(f"{float(part[place])!r} in row {begin + place[0]:,}{column}, beyond 0 to 1")
        if part.ndim == 2:
            sums = part.sum(axis=1, dtype=np.float64)
            off = np.abs(sums - 1) > tolerance
            if off.any() and _had_16_bits(part):
                off = np.abs(sums - 1) > TOLERANCE[2]
            if off.any():
                row = int(np.argmax(off))
                what = f"row {begin + row:,} adds up to {sums[row]:.6g}: {some(part[row].tolist(), 4)}"
                if abs(sums[row] - 1) <= _ROUNDED * part.shape[1]:
                    msg = Message(
                        "{scores} are no probabilities: {}. If they were rounded, divide each row by its sum, or say "
                        "{kind:'scores'}, which compares them as they are",
                        what,
                    )
                    raise InputError(msg)
                _refuse(what)


def _had_16_bits(values: Array) -> bool:
    """Whether wider floats hold what came through float16 or bfloat16, and so are no finer than those."""
    single = values.astype(np.float32)
    return np.array_equal(single, values, equal_nan=True) and not (single.view(np.uint32) & 0x1FFF).any()


def _refuse(what: str) -> None:
    msg = Message(
        "{scores} are no probabilities: {}. Say {kind:'logits'} if they are the model's raw outputs (two "
        "classes part at 0), or {kind:'scores'} for any other scale",
        what,
    )
    raise InputError(msg)

"""Opening a frame of any make, and giving its columns names that no engine can misread."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confmat.engines.queries import COL, GROUP, ROW, Asked
from confmat.errors import InputError, Message
from confmat.text import some

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

__all__ = ["Opened", "opened", "renamed"]

KNOWN = "pandas, Polars, PyArrow, DuckDB, Dask, PySpark, Ibis, what else Narwhals reads, or offers __arrow_c_stream__"


@dataclass(frozen=True, slots=True)
class Opened:
    """A frame in memory, or one that is to be asked; the frame as it came, and its column names, repeated ones too."""

    memory: nw.DataFrame[Any] | None
    lazy: nw.LazyFrame[Any] | None
    native: Any
    names: Sequence[Any]


def opened(frame: Any) -> Opened:
    """Recognise a frame."""
    import narwhals.stable.v2 as nw

    native = nw.to_native(frame, pass_through=True)
    found = _recognised(native)
    if isinstance(found, nw.LazyFrame):
        # A relation of DuckDB or Spark may repeat a name; Narwhals' schema would hide that.
        by_position = _knows_positions(found)
        names = list(native.columns) if by_position else found.collect_schema().names()
        return Opened(None, found, native, names)
    known = found.implementation
    if known.is_pandas() or known.is_polars() or known.is_pyarrow():
        return Opened(found, None, native, found.columns)
    # Frames in the memory of other devices or machines are asked, too.
    return Opened(None, found.lazy(), native, found.columns)


def _recognised(native: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        with warnings.catch_warnings():
            # Narwhals tells of a move of its Dask support, which is none of the caller's business.
            warnings.filterwarnings("ignore", message="Dask support is moving", category=FutureWarning)
            found = nw.from_native(native, pass_through=True)
    except DuplicateError as error:
        msg = Message("several columns share a name, so it is open which one is meant; rename them first: {}", error)
        raise InputError(msg) from error
    if isinstance(found, (nw.DataFrame, nw.LazyFrame)):
        return found
    if hasattr(native, "__arrow_c_stream__") and not hasattr(native, "to_frame"):
        return _of_arrow(native)
    msg = f"cannot read {type(native).__name__} as a frame of columns; what can be read: {KNOWN}"
    if isinstance(native, (dict, list, tuple)) or hasattr(native, "dtype"):
        msg += ". To count two containers of labels, call confmat.count(actual, predicted)"
    raise InputError(msg)


def _of_arrow(native: Any) -> nw.DataFrame[Any]:
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    for backend in ("pyarrow", "polars", "pandas"):
        try:
            return nw.from_arrow(native, backend=backend)
        except ModuleNotFoundError:
            continue
        except (DuplicateError, TypeError, ValueError) as error:
            msg = Message("cannot read {} as a frame of columns: {}", type(native).__name__, error)
            raise InputError(msg) from error
    msg = f"reading {type(native).__name__} takes one of the packages pyarrow, polars or pandas, and none is installed"
    raise InputError(msg)


# ---- names -------------------------------------------------------------------------------------------------


def renamed(frame: Opened, asked: Asked) -> tuple[nw.LazyFrame[Any], Asked]:
    """The frame to ask, and the columns under names that are safe there."""
    assert frame.lazy is not None
    known = frame.lazy.implementation
    sides = {ROW: asked.actual, COL: asked.predicted, GROUP: asked.by, "weights": asked.weights}
    wanted = {alias: name for alias, name in sides.items() if name is not None}
    if _knows_positions(frame.lazy):
        safe, native = _by_position(frame, wanted)
    elif known.is_dask() and len(set(wanted.values())) == len(wanted):
        # Dask hashes all the data that a frame holds when a column is assigned, and none when it is renamed.
        safe = {name: alias for alias, name in wanted.items()}
        native = frame.native[list(safe)].rename(columns=safe)
    elif known.is_polars() and any(_is_pattern(name) for name in wanted.values()):
        import narwhals.stable.v2 as nw

        safe = {name: f"c{frame.names.index(name)}" for name in wanted.values()}
        chosen = (nw.nth(frame.names.index(name)).alias(new) for name, new in safe.items())
        native = nw.to_native(frame.lazy.select(*chosen))
    else:
        _check_case(frame, wanted.values())
        return frame.lazy, asked
    moved = {new: name for name, new in safe.items()}
    weights, by = (None if name is None else safe[name] for name in (asked.weights, asked.by))
    return _recognised(native), Asked(safe[asked.actual], safe[asked.predicted], weights, by, moved)  # type: ignore[return-value]


def _is_pattern(name: str) -> bool:
    """Whether Polars takes a name for several columns."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def _by_position(frame: Opened, wanted: dict[str, Any]) -> tuple[dict[Any, str], Any]:
    """New names by position, before any name of the user's is looked up.

    DuckDB gives the column `y` to one who asks for `Y` where both exist; Spark reads `a.b` as a field of `a` and
    stumbles over backticks.
    """
    assert frame.lazy is not None
    names = list(frame.names)
    safe = {name: f"c{names.index(name)}" for name in wanted.values()}
    if frame.lazy.implementation.is_duckdb():
        chosen = ", ".join(f"#{names.index(name) + 1} AS {new}" for name, new in safe.items())
        return safe, frame.native.project(chosen)
    return safe, frame.native.toDF(*(f"c{i}" for i in range(len(names))))


def _knows_positions(frame: nw.LazyFrame[Any]) -> bool:
    known = frame.implementation
    return known.is_duckdb() or known.is_pyspark() or known.is_pyspark_connect()


def _check_case(frame: Opened, wanted: Iterable[Any]) -> None:
    """Many databases do not tell names apart that differ in case only, and would answer with either column."""
    assert frame.lazy is not None
    known = frame.lazy.implementation
    if known.is_polars() or known.is_dask():
        return
    for name in wanted:
        alike = [other for other in frame.names if str(other).casefold() == str(name).casefold()]
        if len(alike) > 1:
            msg = f"the columns {some(alike)} differ in case only, which databases may not tell apart; rename one"
            raise InputError(msg)

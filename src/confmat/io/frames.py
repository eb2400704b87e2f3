"""`count_frame`: the pairs of a data frame, a database table or a cluster's frame, counted where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

from confmat.core.errors import ConfmatError, InputError, Message
from confmat.core.labels import MAX_CLASSES
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, whole_number
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.counting.door import count_pairs, policy_of
from confmat.counting.look import look
from confmat.counting.planning import MAX_GROUPS, Action, Policy
from confmat.counting.weights import read_weights
from confmat.io.gathering import settled
from confmat.io.queries import (
    Asked,
    Counted,
    Opened,
    asked_among,
    collected,
    counted,
    find_column,
    native_of,
    opened,
    pairs_query,
    renamed,
    say_rivals,
    tallied,
    too_many,
)
from confmat.io.tallies import (
    FIRST_ROWS,
    Evidence,
    evidence_in,
    evidence_of,
    recognized,
    whole_numbers,
    with_numbers,
)

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

    from confmat.answers import Answers

    class FrameOptions(TypedDict, total=False):
        """The options of `count_frame` that say nothing about what it returns."""

        actual: Any
        predicted: Any
        weights: Any
        tally: Any
        labels: Iterable[Any] | None
        missing: Action
        other: Action
        positive: Any
        answers: Answers | None
        max_pairs: int
        max_groups: int
        sparse: bool | None


MAX_PAIRS = 1_000_000


@overload
def count_frame(
    frame: Any, *, by: None = None, **options: Unpack[FrameOptions]
) -> ConfusionMatrix: ...
@overload
def count_frame(frame: Any, *, by: Any, **options: Unpack[FrameOptions]) -> Stack: ...
@door
def count_frame(
    frame: Any,
    *,
    actual: Any = None,
    predicted: Any = None,
    weights: Any = None,
    by: Any = None,
    tally: Any = None,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    answers: Answers | None = None,
    max_pairs: int = MAX_PAIRS,
    max_groups: int = MAX_GROUPS,
    sparse: bool | None = None,
) -> ConfusionMatrix | Stack:
    """Count two columns of a frame into a ConfusionMatrix; with `by`, into one per group.

    Frames in memory are counted in place. Databases and clusters run a group-by on the pair, so
    that only the cells that occur come home. The counts are those of `count` on the same rows.

    Parameters
    ----------
    frame
        A frame of pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask, PySpark or Ibis, or of any
        other library that Narwhals knows or that offers `__arrow_c_stream__`.
    actual, predicted
        The columns with the labels; by default the ones with usual names (y_true and y_pred, actual
        and predicted, ...).
    weights, by
        Columns with one number, or one group, per row.
    tally
        The column of counts in a table of counts, or "none", as in `count_files`; by default it is
        recognized.
    labels, missing, other, positive, answers, sparse
        As in `count`.
    max_pairs
        The most different pairs; more are an error, since they show a column of identifiers in
        place of classes.
    max_groups
        The most groups; more are an error.

    Returns
    -------
    ConfusionMatrix or Stack
        The matrix; with `by`, a Stack along that column.

    Raises
    ------
    InputError
        A column is absent or ambiguous.
    BudgetError
        There are more pairs or groups than allowed.
    LabelError
        A label is missing or unknown, and no option says how it counts.

    Examples
    --------
    >>> import confmat as cm
    >>> import pandas as pd  # doctest: +SKIP
    >>> cm.count_frame(pd.DataFrame({"y": ["a", "b"], "yhat": ["a", "a"]})).counts  # doctest: +SKIP
    array([[1, 0],
           [1, 0]])
    """
    policy = policy_of(
        labels, missing, other, positive, MAX_CLASSES, answers, sparse=sparse, max_groups=max_groups
    )
    whole_number("max_pairs", max_pairs)
    source = opened(frame)
    asked = asked_among(source.names, actual, predicted, weights, by, tally)
    road = (
        _Asking(source, int(max_pairs))
        if source.memory is None
        else _InMemory(source.memory, int(max_pairs))
    )
    if tally is None:
        asked = recognized(source.names, asked, road.numeric, road.readings)
    if actual is None and predicted is None:
        say_rivals(source.names, asked)
    return road.count(asked, policy)


@door
def query(
    frame: Any,
    *,
    actual: Any = None,
    predicted: Any = None,
    weights: Any = None,
    by: Any = None,
    tally: Any = None,
    max_pairs: int = MAX_PAIRS,
) -> str:
    """Write the one query that `count_frame` asks of a database, as SQL; nothing is asked.

    Parameters
    ----------
    frame
        A relation of DuckDB or a table of Ibis, one without a connection, too.
    actual, predicted, weights, by, tally, max_pairs
        As in `count_frame`.

    Returns
    -------
    str
        A group-by, in the dialect of the database.

    Raises
    ------
    InputError
        The frame is asked in no SQL, or a column is absent or ambiguous.

    Examples
    --------
    >>> import ibis  # doctest: +SKIP
    >>> table = ibis.table({"y_true": "int64", "y_pred": "int64"}, name="results")  # doctest: +SKIP
    >>> print(query(table))  # doctest: +SKIP
    """
    whole_number("max_pairs", max_pairs)
    source = opened(frame)
    known = None if source.lazy is None else source.lazy.implementation
    if known is None or not (known.is_duckdb() or known.is_ibis()):
        msg = (
            "relations of DuckDB and tables of Ibis are asked in SQL, and a frame of {} is not; "
            "confmat.count_frame counts it"
        )
        raise InputError(Message(msg, type(source.native).__module__.partition(".")[0]))
    road, asked = (
        _Asking(source, int(max_pairs)),
        asked_among(source.names, actual, predicted, weights, by, tally),
    )
    probes: list[Asked] = []

    def readings(probe: Asked) -> list[str]:
        probes.append(probe)
        return ["absent"]

    if tally is None:
        recognized(source.names, asked, road.numeric, readings)
    native = road.query([asked, *probes][-1])[0].to_native()
    return str(native.sql_query() if known.is_duckdb() else import_module("ibis").to_sql(native))


class _Asking:
    """A frame whose engine is asked, once."""

    def __init__(self, source: Opened, max_pairs: int) -> None:
        assert source.lazy is not None
        self._source, self._max_pairs = source, max_pairs
        self._kinds = dict(source.lazy.collect_schema())
        # The pairs, and the columns that were asked for.
        self._found: tuple[nw.DataFrame[Any], Asked] | None = None

    def numeric(self, names: list[Any]) -> list[Any]:
        """The columns of numbers, or one that may hold them as texts."""
        kinds = self._kinds
        return [name for name in names if kinds[name].is_numeric()] or [
            name for name in names if str(kinds[name]) == "String"
        ][:1]

    def readings(self, probe: Asked) -> Iterator[Evidence]:
        """The evidence of a column that may hold counts."""
        yield evidence_in(self._pairs(probe)[0])

    def query(self, asked: Asked) -> tuple[nw.LazyFrame[Any], Asked]:
        """The one query, which is not sent, and the columns under the names that they have in it."""
        plain = (
            name
            for name in asked.beside
            if not (
                self._kinds[name].is_nested() or str(self._kinds[name]) in {"Object", "Unknown"}
            )
        )
        frame, safe = renamed(self._source, replace(asked, beside=tuple(plain)))
        return pairs_query(frame, safe, self._max_pairs), safe

    def _pairs(self, asked: Asked) -> tuple[nw.DataFrame[Any], Asked]:
        if self._found is None:
            with asking():
                query, safe = self.query(asked)
                self._found = collected(query, safe, self._max_pairs), safe
        return self._found

    def count(self, asked: Asked, policy: Policy) -> ConfusionMatrix | Stack:
        """The matrix, or a stack of groups, of the pairs that came home."""
        with asking():
            pairs, safe = self._pairs(asked)
            weights = None if asked.weights is None else safe.weights
            safe = replace(
                safe, weights=weights, tally=asked.tally, beside=(), is_shown=asked.is_shown
            )
            found = counted(pairs, safe)
        return settled(found, safe, policy)


@contextmanager
def asking() -> Iterator[None]:
    """The errors of an engine, such as those of values that are not of the type of their column, as one of ours."""
    try:
        yield
    except (ConfmatError, MemoryError):
        raise
    except Exception as error:
        reason = next(filter(None, map(str.strip, str(error).split("\n"))), type(error).__name__)
        msg = Message("the engine of the frame cannot count it: {}", printable(reason))
        raise InputError(msg) from error


class _InMemory:
    """A frame in memory: the kernel reads its columns where they are, faster than any group-by."""

    def __init__(self, frame: nw.DataFrame[Any], max_pairs: int) -> None:
        self._frame, self._max_pairs = frame, max_pairs

    def _rows(self, names: Sequence[Any]) -> Iterator[Iterator[tuple[Any, ...]]]:
        for start in range(0, len(self._frame), FIRST_ROWS):
            columns = (
                self._frame.get_column(name)[start : start + FIRST_ROWS].to_list() for name in names
            )
            yield zip(*columns, strict=True)

    def numeric(self, names: list[Any]) -> list[Any]:
        """The columns that hold numbers."""
        return with_numbers(next(self._rows(names), iter(())), names)

    def readings(self, probe: Asked) -> Iterator[Evidence]:
        """The evidence of a column that may hold counts."""
        yield evidence_of(self._rows(probe.columns), probe, self._max_pairs)

    def count(self, asked: Asked, policy: Policy) -> ConfusionMatrix | Stack:
        """The matrix, or a stack of groups, of the columns."""
        frame = self._frame
        weights, by = (
            None if name is None else native_of(frame.get_column(name))
            for name in (asked.weights, asked.by)
        )
        if asked.tally:
            # Texts, decimals and integers of 128 bits are no numbers to NumPy.
            column = frame.get_column(asked.weights)  # type: ignore[arg-type]
            if str(column.dtype) in {"String", "Object", "Int128"} or column.dtype.is_decimal():
                weights = whole_numbers(column.to_list())
            many = read_weights(weights, len(frame), "tally")
            return settled(
                tallied(Counted(*_sides(frame, asked), by, many, many, None), asked), asked, policy
            )
        found = look(count_pairs(*_sides(frame, asked), weights, by, policy), policy)
        if len(frame) > self._max_pairs:
            _check_pairs(found, frame, asked, self._max_pairs)
        # An Arrow column does not know its name.
        return Stack(found, axis=str(asked.by)) if isinstance(found, Stack) else found


def memory_of(frame: Any, wanted: Sequence[tuple[str, Any]]) -> list[Any]:
    """Return columns of a frame that is in memory, as they are there; each is named after what it is for."""
    source = opened(frame)
    if source.memory is None:
        msg = "{by} takes columns apart in memory, and this frame is not there; collect it first"
        raise InputError(Message(msg))
    names = [find_column(source.names, name, side) for side, name in wanted]
    return [native_of(source.memory.get_column(name)) for name in names]


def _sides(frame: nw.DataFrame[Any], asked: Asked) -> tuple[Any, Any]:
    return native_of(frame.get_column(asked.actual)), native_of(frame.get_column(asked.predicted))


def _check_pairs(
    found: ConfusionMatrix | Stack, frame: nw.DataFrame[Any], asked: Asked, max_pairs: int
) -> None:
    matrices = found.values() if isinstance(found, Stack) else [found]
    if sum(len(matrix._counts.cells()[0]) for matrix in matrices) > max_pairs:
        raise too_many(
            {repr(name): frame.get_column(name).n_unique() for name in asked.keys}, max_pairs
        )

"""`count_frame`: the pairs of a data frame, a database table or a cluster's frame, counted where they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
    native_of,
    opened,
    pairs_query,
    renamed,
    say_rivals,
    tallied,
    too_many,
)
from confmat.io.tallies import reading, recognized, tally_among, whole_numbers

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
# Rows that are looked at first for pairs that come twice.
FIRST_ROWS = 1_000


@overload
def count_frame(frame: Any, *, by: None = None, **options: Unpack[FrameOptions]) -> ConfusionMatrix: ...
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

    Frames in memory are counted in place. Databases and clusters run a group-by on the pair, so that only the cells
    that occur come home. The counts are those of `count` on the same rows.

    Parameters
    ----------
    frame
        A frame of pandas, Polars (eager or lazy), PyArrow, DuckDB, Dask, PySpark or Ibis, or of any other library
        that Narwhals knows or that offers `__arrow_c_stream__`.
    actual, predicted
        The columns with the labels; by default the ones with usual names (y_true and y_pred, actual and
        predicted, ...).
    weights, by
        Columns with one number, or one group, per row.
    tally
        The column of counts in a table of counts, or "none", as in `count_files`; by default it is recognized.
    labels, missing, other, positive, answers, sparse
        As in `count`.
    max_pairs
        The most different pairs; more are an error, since they show a column of identifiers in place of classes.
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
    policy = policy_of(labels, missing, other, positive, MAX_CLASSES, answers, sparse=sparse, max_groups=max_groups)
    whole_number("max_pairs", max_pairs)
    source = opened(frame)
    asked = asked_among(source.names, actual, predicted, weights, by, tally)
    probe = None if tally is not None else tally_among(source.names, asked)
    if probe is not None:
        asked = recognized([_reading(source, probe, int(max_pairs))], probe, asked)
    if actual is None and predicted is None:
        say_rivals(source.names, asked)
    if source.memory is not None:
        return _count_memory(source.memory, asked, policy, int(max_pairs))
    with _asking():
        query, asked = renamed(source, asked)
        found = collected(pairs_query(query, asked, int(max_pairs)), asked, int(max_pairs))
    return settled(tallied(found, asked), asked, policy)


@contextmanager
def _asking() -> Iterator[None]:
    """The errors of an engine, such as those of values that are not of the type of their column, as one of ours."""
    try:
        yield
    except (ConfmatError, MemoryError):
        raise
    except Exception as error:
        said = next(filter(None, map(str.strip, str(error).split("\n"))), type(error).__name__)
        msg = Message("the engine of the frame cannot count it: {}", printable(said))
        raise InputError(msg) from error


def _reading(source: Opened, probe: Asked, max_pairs: int) -> str:
    """Tell whether the rows of a frame are a table of counts; among single items a pair soon comes twice."""
    found, query = "", source.memory
    for many in (FIRST_ROWS, max_pairs + 1):
        if query is None:
            with _asking():
                lazy, safe = renamed(source, probe)
                # One column may be both sides.
                head = lazy.select(*dict.fromkeys(safe.columns)).head(many).collect().to_dict(as_series=False)
            columns = [head[name] for name in safe.columns]
        else:
            columns = [query.get_column(name).head(many).to_list() for name in probe.columns]
        found = reading([zip(*columns, strict=True)], probe, max_pairs)
        if found in {"rows", "repeated"} or len(columns[0]) < many:
            break
    return found


def _count_memory(frame: nw.DataFrame[Any], asked: Asked, policy: Policy, max_pairs: int) -> ConfusionMatrix | Stack:
    """Count columns that lie in memory: the kernel reads them where they are, faster than any group-by."""
    weights, by = (None if name is None else native_of(frame.get_column(name)) for name in (asked.weights, asked.by))
    if asked.tally:
        # Texts, decimals and integers of 128 bits are no numbers to NumPy.
        column = frame.get_column(asked.weights)  # type: ignore[arg-type]
        if str(column.dtype) in {"String", "Object", "Int128"} or column.dtype.is_decimal():
            weights = whole_numbers(column.to_list())
        many = read_weights(weights, len(frame), "tally")
        return settled(tallied(Counted(*_sides(frame, asked), by, many, many, None), asked), asked, policy)
    found = look(count_pairs(*_sides(frame, asked), weights, by, policy), policy)
    if len(frame) > max_pairs:
        _check_pairs(found, frame, asked, max_pairs)
    # An Arrow column does not know its name.
    return Stack(found, axis=str(asked.by)) if isinstance(found, Stack) else found


def _sides(frame: nw.DataFrame[Any], asked: Asked) -> tuple[Any, Any]:
    return native_of(frame.get_column(asked.actual)), native_of(frame.get_column(asked.predicted))


def _check_pairs(found: ConfusionMatrix | Stack, frame: nw.DataFrame[Any], asked: Asked, max_pairs: int) -> None:
    matrices = found.values() if isinstance(found, Stack) else [found]
    if sum(len(matrix._counts.cells()[0]) for matrix in matrices) > max_pairs:
        raise too_many({repr(name): frame.get_column(name).n_unique() for name in asked.keys}, max_pairs)

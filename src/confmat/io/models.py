"""Models whose answers are columns of files, frames or databases, compared where the data are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any, overload

from confmat.comparison import Comparison, Comparisons, compare_predictions
from confmat.comparison.door import METRICS, compare_columns
from confmat.core.errors import CallError, InputError
from confmat.core.options import as_list, door, no_option
from confmat.io.counting import count_files
from confmat.io.frames import count_frame, memory_of
from confmat.io.queries import find_column
from confmat.io.roads import Roads
from confmat.io.sources import sources

Counting = Callable[..., Any]
# The options that go with categories.
_BESIDE = (
    "weights",
    "tally",
    "labels",
    "missing",
    "na_values",
    "other",
    "answers",
    "format",
    "delimiter",
)


@overload
def compare_files(
    paths: Any, *, actual: Any, predictions: Any, by: None = None, **options: Any
) -> Comparison: ...
@overload
def compare_files(
    paths: Any, *, actual: Any, predictions: Any, by: Any, **options: Any
) -> Comparisons: ...
@door
def compare_files(
    paths: Any,
    *,
    actual: str,
    predictions: Sequence[str] | Mapping[str, str],
    metrics: Iterable[Any] = METRICS,
    level: float = 0.95,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    r"""Compare models whose answers are columns of files that need not fit into memory.

    Parameters
    ----------
    paths
        Files, as `count_files` takes them.
    actual
        The column with the true labels.
    predictions
        The columns with answers, or a mapping of a name for each model to its column.
    metrics, level
        As in `compare`.
    labels, **options
        As in `count_files`, rules for free answers (`answers`) too.
    by
        The column of a category, such as the subject: the models are compared in each, as in
        `compare_predictions`. Then the columns are read into memory.

    Returns
    -------
    Comparison, or Comparisons by category

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = path.write_text("y,old,new\n" + "a,a,a\nb,a,b\nb,b,b\na,b,a\na,a,b\n" * 20)
    >>> print(
    ...     compare_files(
    ...         path, actual="y", predictions=["old", "new"], metrics=["accuracy"]
    ...     ).sentences()[0]
    ... )
    accuracy: old 0.600, new 0.800, new − old +0.200 [+0.048, +0.341]; McNemar, mid-p, p = 0.010: different.
    """
    _check_options(compare_files, count_files, options, by)
    files = sources(paths, options.get("format"))
    if by is None:
        count = partial(count_files, files, actual=actual, labels=labels, **options)
        return _compared(count, predictions, metrics, level, options)
    roads = Roads(files, options.pop("delimiter", None), "1GB", None)
    options.pop("format", None)
    gone = {*options.pop("na_values", ())}

    def read(wanted: Sequence[tuple[str, Any]]) -> list[Any]:
        rows: list[Any] = []
        for file in files:
            names = [find_column(roads.names(file), name, side) for side, name in wanted]
            rows += (
                row for part in roads.of(file).rows(file, names, differing=False) for row in part
            )
        columns = zip(*rows, strict=True) if rows else [()] * len(wanted)
        return [[None if value in gone else value for value in column] for column in columns]

    return _in_categories(
        read, actual, predictions, by, options, metrics=metrics, level=level, labels=labels
    )


@overload
def compare_frame(
    frame: Any, *, actual: Any, predictions: Any, by: None = None, **options: Any
) -> Comparison: ...
@overload
def compare_frame(
    frame: Any, *, actual: Any, predictions: Any, by: Any, **options: Any
) -> Comparisons: ...
@door
def compare_frame(
    frame: Any,
    *,
    actual: Any,
    predictions: Sequence[Any] | Mapping[str, Any],
    metrics: Iterable[Any] = METRICS,
    level: float = 0.95,
    labels: Iterable[Any] | None = None,
    by: Any = None,
    **options: Any,
) -> Comparison | Comparisons:
    """Compare models whose answers are columns of a frame or a table in a database.

    Each two models cost one group-by over three columns; only the filled cells come home.

    Parameters
    ----------
    frame
        A frame, as `count_frame` takes it.
    actual
        The column with the true labels.
    predictions
        The columns with answers, or a mapping of a name for each model to its column.
    metrics, level
        As in `compare`.
    labels, **options
        As in `count_frame`.
    by
        The column of a category, such as the subject: the models are compared in each, as in
        `compare_predictions`. The frame is to be in memory then.

    Returns
    -------
    Comparison, or Comparisons by category
    """
    _check_options(compare_frame, count_frame, options, by)
    if by is not None:
        read = partial(memory_of, frame)
        return _in_categories(
            read, actual, predictions, by, options, metrics=metrics, level=level, labels=labels
        )
    count = partial(count_frame, frame, actual=actual, labels=labels, **options)
    return _compared(count, predictions, metrics, level, options)


def _check_options(door: Counting, count: Counting, options: Mapping[str, Any], by: Any) -> None:
    """Refuse options that the counting does not take, and those that are set here for each two models."""
    own, theirs = (list(signature(function).parameters) for function in (door, count))
    taken = [name for name in theirs[1:] if name != "predicted" and (by is None or name in _BESIDE)]
    known = [*own[:-1], *taken]
    for option in options:
        if option not in known:
            raise CallError(no_option(door.__name__, option, list(dict.fromkeys(known))))


def _compared(
    count: Counting,
    predictions: Any,
    metrics: Iterable[Any],
    level: float,
    options: Mapping[str, Any],
) -> Comparison:
    return compare_columns(count, _columns(predictions), options, metrics=metrics, level=level)


def _columns(predictions: Any) -> Mapping[str, Any]:
    """The column of each model."""
    if not isinstance(predictions, Mapping):
        wanted = "columns with predictions, or a mapping of model to column"
        predictions = {str(name): name for name in as_list("predictions", predictions, wanted)}
    if len(predictions) < 2:
        msg = f"at least two columns of predictions are compared; got {list(predictions)}"
        raise InputError(msg)
    return predictions


def _in_categories(
    read: Callable[[Sequence[tuple[str, Any]]], list[Any]],
    actual: Any,
    predictions: Any,
    by: Any,
    options: dict[str, Any],
    **asked: Any,
) -> Comparisons:
    """Compare models in each category, by columns that are read into memory."""
    columns = _columns(predictions)
    sides = [name for name in ("weights", "tally") if options.get(name) is not None]
    wanted = [("actual", actual), ("by", by), *((name, options.pop(name)) for name in sides)]
    truth, groups, *more = read([*wanted, *(("predicted", column) for column in columns.values())])
    answers = dict(zip(columns, more[len(sides) :], strict=True))
    numbers = dict(zip(sides, more, strict=False))
    return compare_predictions(truth, answers, by={str(by): groups}, **numbers, **options, **asked)

"""Models whose answers are columns of files, frames or databases, compared where the data are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from typing import Any

from confmat.comparison import Comparison
from confmat.comparison.door import METRICS, compare_columns
from confmat.core.errors import CallError, InputError
from confmat.core.options import as_list, door, no_option
from confmat.io.counting import count_files
from confmat.io.frames import count_frame
from confmat.io.sources import sources

Counting = Callable[..., Any]


@door
def compare_files(
    paths: Any,
    *,
    actual: str,
    predictions: Sequence[str] | Mapping[str, str],
    metrics: Iterable[Any] = METRICS,
    level: float = 0.95,
    labels: Iterable[Any] | None = None,
    **options: Any,
) -> Comparison:
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

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = path.write_text("y,old,new\n" + "a,a,a\nb,a,b\nb,b,b\na,b,a\na,a,b\n" * 20)
    >>> print(compare_files(path, actual="y", predictions=["old", "new"], metrics=["accuracy"]).sentences()[0])
    accuracy: old 0.600, new 0.800, new − old +0.200 [+0.048, +0.341]; McNemar, mid-p, p = 0.010: different.
    """
    _check_options(compare_files, count_files, options)
    count = partial(count_files, sources(paths, options.get("format")), actual=actual, labels=labels, **options)
    return _compared(count, predictions, metrics, level, options)


@door
def compare_frame(
    frame: Any,
    *,
    actual: Any,
    predictions: Sequence[Any] | Mapping[str, Any],
    metrics: Iterable[Any] = METRICS,
    level: float = 0.95,
    labels: Iterable[Any] | None = None,
    **options: Any,
) -> Comparison:
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

    Returns
    -------
    Comparison
    """
    _check_options(compare_frame, count_frame, options)
    count = partial(count_frame, frame, actual=actual, labels=labels, **options)
    return _compared(count, predictions, metrics, level, options)


def _check_options(door: Counting, count: Counting, options: Mapping[str, Any]) -> None:
    """Refuse options that the counting does not take, and those that are set here for each two models."""
    own, theirs = (list(signature(one).parameters) for one in (door, count))
    known = [one for one in [*own[:-1], *theirs[1:]] if one not in {"by", "predicted"}]
    for option in options:
        if option not in known:
            raise CallError(no_option(door.__name__, option, list(dict.fromkeys(known))))


def _compared(
    count: Counting, predictions: Any, metrics: Iterable[Any], level: float, options: Mapping[str, Any]
) -> Comparison:
    if not isinstance(predictions, Mapping):
        wanted = "columns with predictions, or a mapping of model to column"
        predictions = {str(one): one for one in as_list("predictions", predictions, wanted)}
    if len(predictions) < 2:
        msg = f"at least two columns of predictions are compared; got {list(predictions)}"
        raise InputError(msg)
    return compare_columns(count, predictions, options, metrics=metrics, level=level)

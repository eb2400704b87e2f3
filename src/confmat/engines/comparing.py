"""Models whose answers stand in columns beside each other: compared where they lie, in files, frames or databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from confmat.comparison import Comparison, Pairing, compare_pairings
from confmat.comparison.comparing import METRICS
from confmat.comparison.pairing import united
from confmat.engines.files import count_files
from confmat.engines.frames import count_frame
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.stack import Stack

__all__ = ["compare_files", "compare_frame"]

Counting = Callable[..., Any]


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

    predictions: the columns, or a mapping of a name for each model to its column.
    metrics, level: as in `compare`; everything else as in `count_files`.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
    >>> _ = path.write_text("y,old,new\n" + "a,a,a\nb,a,b\nb,b,b\na,b,a\na,a,b\n" * 20)
    >>> print(compare_files(path, actual="y", predictions=["old", "new"], metrics=["accuracy"]).sentences()[0])
    accuracy: old 0.600, new 0.800, difference −0.200 [−0.343, −0.050]; McNemar, mid-p, p = 0.010: different.
    """
    options["labels"] = labels

    def count(**columns: Any) -> Any:
        return count_files(paths, actual=actual, **{**options, **columns})

    return _compared(count, predictions, metrics, level)


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
    """
    options["labels"] = labels

    def count(**columns: Any) -> Any:
        return count_frame(frame, actual=actual, **{**options, **columns})

    return _compared(count, predictions, metrics, level)


def _compared(count: Counting, predictions: Any, metrics: Iterable[Any], level: float) -> Comparison:
    columns = dict(predictions) if isinstance(predictions, Mapping) else {str(name): name for name in predictions}
    if len(columns) < 2:
        msg = f"at least two columns of predictions are compared; got {list(columns)}"
        raise InputError(msg)
    whole: dict[str, ConfusionMatrix] = united({name: count(predicted=column) for name, column in columns.items()})
    labels = next(iter(whole.values())).labels
    pairings = {}
    for (first, one), (second, two) in combinations(columns.items(), 2):
        stack = count(predicted=one, by=two, labels=labels)
        assert isinstance(stack, Stack)
        pairings[first, second] = Pairing.of_stack(stack, labels)
    return compare_pairings(whole, pairings, metrics=metrics, level=level)

"""How each peer is asked for the same table, and how its answer is read back (outside of the clock).

Every peer gets its data in its own container, already made; where it has options, those that cost
it least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.five_versions import v1, v2, v3, v4, v5
from benchmarks.harness import OURS, Contestant

__all__ = ["Task", "counts", "ours", "scikit_learn", "with_numpy", "with_peers"]

Array = NDArray[Any]
Call = Callable[[], Any]


class Task:
    """Pairs of class numbers, how many classes there are, and the right answer."""

    def __init__(self, actual: Array, predicted: Array, size: int) -> None:
        self.actual, self.predicted, self.size, self.pairs = actual, predicted, size, len(actual)
        self.table = v5(actual.astype(np.int64), predicted.astype(np.int64), size)

    def first(self, pairs: int) -> Task:
        """The first pairs only, for those who would take too long."""
        return (
            self
            if pairs >= self.pairs
            else Task(self.actual[:pairs], self.predicted[:pairs], self.size)
        )

    def by(
        self, name: str, call: Call, table: Callable[[Any], Any] = np.asarray, note: str = ""
    ) -> Contestant:
        """A contestant for this task."""
        return Contestant(name, self.pairs, call, self.table, table, note=note)


def counts(matrix: cm.ConfusionMatrix) -> Array:
    """The table of ours, for comparison."""
    return matrix.counts


def ours(task: Task, name: str = OURS, **options: Any) -> Contestant:
    """Counting with confmat, labels given."""
    options.setdefault("labels", range(task.size))
    return task.by(name, partial(cm.count, task.actual, task.predicted, **options), counts)


def with_numpy(task: Task, loops: int, slow: int) -> list[Contestant]:
    """The five versions; the two loops on fewer pairs."""
    little, some = task.first(loops), task.first(slow)
    return [
        little.by("v1 (loop over pairs)", partial(v1, little.actual, little.predicted, task.size)),
        little.by("v2 (loop over cells)", partial(v2, little.actual, little.predicted, task.size)),
        some.by("v3 (histogram2d)", partial(v3, some.actual, some.predicted, task.size)),
        task.by("v4 (coo_matrix)", partial(v4, task.actual, task.predicted, task.size)),
        task.by("v5 (bincount)", partial(v5, task.actual, task.predicted, task.size)),
    ]


def with_peers(task: Task, slow: int, slowest: int) -> list[Contestant]:
    """Everybody else who can count pairs; the slow ones on fewer of them."""
    some, few = task.first(slow), task.first(slowest)
    return [
        scikit_learn(some),
        torchmetrics(task, "torchmetrics, no checks", checks=False),
        torchmetrics(some, "torchmetrics", checks=True),
        torch_bincount(task),
        pycm(few),
        pandas_crosstab(some),
        polars_group_by(task),
        duckdb_group_by(task),
    ]


def scikit_learn(task: Task) -> Contestant:
    from sklearn.metrics import confusion_matrix

    labels = np.arange(task.size)
    return task.by(
        "scikit-learn", partial(confusion_matrix, task.actual, task.predicted, labels=labels)
    )


def torchmetrics(task: Task, name: str, *, checks: bool) -> Contestant:
    import torch
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    actual, predicted = torch.from_numpy(task.actual), torch.from_numpy(task.predicted)
    return task.by(
        name,
        partial(multiclass_confusion_matrix, predicted, actual, task.size, validate_args=checks),
    )


def torch_bincount(task: Task) -> Contestant:
    import torch

    actual, predicted, size = (
        torch.from_numpy(task.actual),
        torch.from_numpy(task.predicted),
        task.size,
    )

    def call() -> Any:
        return torch.bincount(actual * size + predicted, minlength=size * size).reshape(size, size)

    return task.by("torch.bincount", call)


def pycm(task: Task) -> Contestant:
    from pycm import ConfusionMatrix

    # Lists are its own container; the constructor derives all of its metrics too, and cannot be
    # asked not to.
    call = partial(
        ConfusionMatrix,
        task.actual.tolist(),
        task.predicted.tolist(),
        classes=list(range(task.size)),
    )
    return task.by("PyCM", call, lambda found: found.to_array(), note="derives all its metrics too")


def pandas_crosstab(task: Task) -> Contestant:
    import pandas as pd

    actual, predicted = pd.Series(task.actual), pd.Series(task.predicted)
    return task.by(
        "pandas.crosstab", partial(pd.crosstab, actual, predicted), lambda frame: frame.to_numpy()
    )


def polars_group_by(task: Task) -> Contestant:
    import polars as pl

    frame = pl.DataFrame({"actual": task.actual, "predicted": task.predicted})

    def call() -> Any:
        return frame.group_by("actual", "predicted").len()

    return task.by("Polars group_by", call, lambda found: table_of(found.rows(), task.size))


def duckdb_group_by(task: Task) -> Contestant:
    import duckdb
    import pyarrow as pa

    base = duckdb.connect()
    base.register("pairs", pa.table({"actual": task.actual, "predicted": task.predicted}))
    base.execute("create table own as from pairs")
    base.unregister("pairs")

    def call() -> Any:
        return base.execute("select actual, predicted, count(*) from own group by all").fetchall()

    return task.by("DuckDB group by", call, lambda found: table_of(found, task.size))


def table_of(cells: Iterable[tuple[int, int, int]], size: int) -> Array:
    """A table from the cells that occur."""
    table = np.zeros((size, size), np.int64)
    for row, col, number in cells:
        table[row, col] = number
    return table

"""Clusters' frames: whether counting through one query costs more than a group-by written by hand.

Both run in the same session of Spark, or the same threads of Dask, on the same cached frame, and
bring the pairs home. Ours also makes the matrix of them.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from confmat.io import count_frame

__all__ = ["races"]

CLASSES = 100

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Spark, then Dask, each where it is installed."""
    # Peers speak of each other's newest majors.
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    n = effort.pick(5_000_000, 1_000_000)
    actual = rng.integers(0, CLASSES, n)
    predicted = np.where(rng.random(n) < 0.7, actual, rng.integers(0, CLASSES, n))
    numbers = {"y": actual, "yhat": predicted}
    names = np.array([f"class {i:03}" for i in range(CLASSES)], dtype=object)
    texts = {"y": names[actual], "yhat": names[predicted]}
    expected = np.bincount(actual * CLASSES + predicted, minlength=CLASSES**2).reshape(
        CLASSES, CLASSES
    )
    for engine, package, ask in (
        ("Spark", "pyspark", of_spark),
        ("Dask", "dask.dataframe", of_dask),
    ):
        if find_spec(package.partition(".")[0]) is None:
            print(f"\n{engine} is not installed")
            continue
        for kind, columns in (("integers", numbers), ("texts", texts)):
            yield ask(f"{engine}, {kind}", columns, expected, effort)


def _race(
    title: str,
    frame: Any,
    by_hand: Callable[[], Any],
    table: Callable[[Any], Array],
    expected: Array,
    effort: Effort,
) -> Race:
    n = int(expected.sum())
    ours = partial(count_frame, frame, actual="y", predicted="yhat")
    contestants = [
        Contestant(OURS, n, ours, expected, lambda matrix: matrix.counts),
        Contestant("group-by by hand", n, by_hand, expected, table),
    ]
    return contest(
        f"engines {title}",
        f"{title}: {n:,} pairs, {CLASSES} classes",
        contestants,
        effort,
        seconds=30,
    )


def of_spark(title: str, columns: dict[str, Any], expected: Array, effort: Effort) -> Race:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config(
        "spark.sql.shuffle.partitions", "2"
    )
    spark = (
        builder.config("spark.driver.memory", "2g")
        .config("spark.log.level", "OFF")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    frame = spark.createDataFrame(pa.table(columns)).repartition(4).cache()
    assert frame.count() == expected.sum()
    try:
        return _race(
            title,
            frame,
            lambda: frame.groupBy("y", "yhat").count().collect(),
            _of_rows,
            expected,
            effort,
        )
    finally:
        frame.unpersist()


def of_dask(title: str, columns: dict[str, Any], expected: Array, effort: Effort) -> Race:
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(pd.DataFrame(columns), npartitions=4).persist()

    def by_hand() -> Any:
        return frame.groupby(["y", "yhat"]).size().compute()

    return _race(title, frame, by_hand, lambda sizes: _of_items(sizes.items()), expected, effort)


def _of_rows(rows: list[Any]) -> Array:
    return _of_items(((actual, predicted), many) for actual, predicted, many in rows)


def _of_items(items: Any) -> Array:
    table = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    for (actual, predicted), many in items:
        table[int(str(actual)[-3:]), int(str(predicted)[-3:])] = many
    return table


if __name__ == "__main__":
    main(races)

"""The law of costs: whatever is doubled, time and memory are no more than about doubled.

A ratio of medians of processor time is taken, since other programs disturb it least, and taken anew
where it is too large: a quadratic cost stays quadratic, and noise does not. Both come in steps, as
tables of hashes double their memory, so that of two doublings the mean ratio is taken.
"""

from __future__ import annotations

import gc
import math
import time
import tracemalloc
from collections.abc import Callable
from functools import reduce
from operator import add
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pytest

import confmat as cm
from confmat.core.notes import Note
from confmat.io import gathering, records
from confmat.io.records import Block, Table

DOUBLINGS, TRIES = 2, 4
MOST_TIME, MOST_MEMORY, MOST_OF_STEADY = 2.6, 2.4, 1.1

# A call whose input of a size is made in a folder.
Made = Callable[[int, Path], Callable[[], object]]


class Cost(NamedTuple):
    """The smallest size, what makes a call of a size, and whether its memory should grow with that."""

    size: int
    made: Made
    grows: bool = True


def _text(
    size: int, folder: Path, text: Callable[[int], str], **options: Any
) -> Callable[[], object]:
    path = folder / f"{size}.csv"
    path.write_text(text(size))
    return lambda: cm.count_files(path, **options)


def _rows(size: int, folder: Path) -> Callable[[], object]:
    return _text(
        size, folder, lambda n: "y_true,y_pred\n" + "cat,hen\nhen,hen\n" * (n // 2), threads=1
    )


def _columns(size: int, folder: Path) -> Callable[[], object]:
    def wide(many: int) -> str:
        names = ",".join(f"c{i}" for i in range(many))
        return f"{names},y_true,y_pred\n" + ("1," * many + "a,b\n") * 2

    return _text(size, folder, wide, threads=1)


def _columns_beside_counts(size: int, folder: Path) -> Callable[[], object]:
    names = ",".join(f"c{i}" for i in range(size))
    row = "1," * size + "a,b,"
    return _text(
        size, folder, lambda _: f"{names},y_true,y_pred,n\n{row}1.5\n{row}2.5\n", threads=1
    )


def _wanted_columns(size: int, _: Path) -> Callable[[], object]:
    names = [f"c{i}" for i in range(size)]
    block = Block(b"1," * (size - 1) + b"1\n", 0, 2, 2 * size)
    return lambda: Table("x.csv", names, names, ",").rows(block)


def _files(size: int, folder: Path) -> Callable[[], object]:
    inside = folder / str(size)
    inside.mkdir()
    for i in range(size):
        (inside / f"{i}.csv").write_text("y_true,y_pred\na,b\nb,b\n")
    return lambda: cm.count_files(inside)


def _row_groups(size: int, folder: Path) -> Callable[[], object]:
    pytest.importorskip("duckdb")
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"y_true": ["a", "b"] * size, "y_pred": ["b", "b"] * size})
    parquet.write_table(table, folder / f"{size}.parquet", row_group_size=2)
    return lambda: cm.count_files(folder / f"{size}.parquet", threads=1)


def _length(size: int, folder: Path) -> Callable[[], object]:
    long = ("x" * size, "y" * size)
    return _text(
        size, folder, lambda _: "y_true,y_pred\n" + f"{long[0]},{long[1]}\n" * 50, threads=1
    )


def _classes(size: int, _: Path) -> Callable[[], object]:
    labels = [f"class {i}" for i in range(size)]
    return lambda: cm.count(labels, labels[1:] + labels[:1])


def _groups(size: int, _: Path) -> Callable[[], object]:
    actual, groups = np.tile(np.arange(5), size), np.repeat(np.arange(size), 5)
    return lambda: cm.count(actual, actual[::-1], by=groups).diagonal


def _notes(size: int, _: Path) -> Callable[[], object]:
    one = cm.ConfusionMatrix([[1, 2], [3, 4]], ["Car", "car"])
    parts = [one._noted((Note("alike", (("Car", f"car {i}"),), 1, 2),)) for i in range(size)]
    return lambda: reduce(add, parts)


def _stored(size: int, _: Path) -> Callable[[], object]:
    side = round(size**0.5)
    table = np.arange(side * side).reshape(side, side)
    return lambda: cm.io.from_json(cm.io.to_json(cm.ConfusionMatrix(table)))


COSTS = {
    "rows": Cost(100_000, _rows, grows=False),
    "columns": Cost(2_000, _columns),
    "columns beside one that is called like counts": Cost(2_000, _columns_beside_counts),
    "columns that are wanted": Cost(2_000, _wanted_columns),
    "files": Cost(20, _files),
    "row groups": Cost(200, _row_groups),
    "length of labels": Cost(10_000, _length),
    "classes": Cost(5_000, _classes),
    "groups": Cost(1_000, _groups),
    "notes": Cost(100, _notes),
    "stored cells": Cost(20_000, _stored),
}
every_cost = pytest.mark.parametrize("dimension", COSTS)


def seconds(call: Callable[[], object]) -> float:
    """The processor time of a call: the median of three."""
    taken = []
    for _ in range(3):
        gc.collect()
        # Its rounds grow with all that tests before this one have left.
        gc.disable()
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
        gc.enable()
    return median(taken)


def peak(call: Callable[[], object]) -> float:
    """The bytes that Python and NumPy hold at most during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def growth(calls: list[Callable[[], object]]) -> float:
    """The mean ratio of the time of a call to that of one of half its size, or the first that is small enough."""
    calls[0]()
    found = math.inf
    for _ in range(TRIES):
        found = (seconds(calls[-1]) / seconds(calls[0])) ** (1 / DOUBLINGS)
        if found <= MOST_TIME:
            break
    return found


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a few hundred kilobytes are many blocks, as large ones are."""
    monkeypatch.setattr(records, "BLOCK_BYTES", 1 << 16)
    monkeypatch.setattr(gathering, "LINES_BETWEEN_SUMS", 64)


def calls_of(dimension: str, folder: Path) -> list[Callable[[], object]]:
    cost = COSTS[dimension]
    return [cost.made(size, folder) for size in (cost.size, cost.size << DOUBLINGS)]


@pytest.mark.slow
@every_cost
def test_twice_as_much_takes_twice_the_time(tmp_path: Path, dimension: str) -> None:
    assert growth(calls_of(dimension, tmp_path)) <= MOST_TIME


@pytest.mark.nightly
@every_cost
def test_twice_as_much_takes_twice_the_memory(tmp_path: Path, dimension: str) -> None:
    calls = calls_of(dimension, tmp_path)
    # The first call of each size pays for names that are remembered.
    for call in calls:
        call()
    # Threads that wait for a busy processor hold more blocks for a while, so the least of several
    # tries counts.
    tries = 1 if COSTS[dimension].grows else TRIES
    least, most = (min(peak(call) for _ in range(tries)) for call in calls)
    found = (most / least) ** (1 / DOUBLINGS)
    assert found <= (MOST_MEMORY if COSTS[dimension].grows else MOST_OF_STEADY)


def test_the_law_finds_a_quadratic_cost() -> None:
    names = [[f"c{i}" for i in range(size)] for size in (300, 300 << DOUBLINGS)]

    # As columns were once looked for.
    def looked_for(some: list[str]) -> Callable[[], object]:
        return lambda: [some.index(name) for name in some]

    calls = [looked_for(some) for some in names]
    assert growth(calls) > MOST_TIME

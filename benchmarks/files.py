"""Files: counting them beside DuckDB's and Polars' own group-by, and adding stored matrices.

The group-bys written by hand bring the pairs home, ours also makes the matrix of them. Labels of
CSV are read as text by all, since 01 is not 1; what the peers take when they guess types instead is
reported beside it.

`python -m benchmarks.files` alone takes minutes and 0.7 GB of disk. Files that DuckDB writes, a
thousand million rows among them, are counted by `python -m benchmarks.rows`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import OURS, Contestant, Effort, Entry, Race, contest, main

__all__ = ["races"]

CLASSES = 100
PART = 5_000_000

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Integers and texts in Parquet, CSV, many matrices."""
    n = effort.pick(50_000_000, PART)
    with tempfile.TemporaryDirectory() as folder:
        expected = _write(Path(folder), n)
        for name, kind in (("integers", "parquet"), ("texts", "parquet"), ("integers", "csv")):
            yield _counting(Path(folder) / f"{name}.{kind}", expected, effort)
        yield _merging(Path(folder), effort)
        yield _help(effort)


def _write(folder: Path, n: int) -> Array:
    """The same pairs in three files; the table that all have to find."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = pa.array([f"class {i:03}" for i in range(CLASSES)])
    fields = {"integers": pa.int16(), "texts": pa.string()}
    schemas = {name: pa.schema([("y", kind), ("yhat", kind)]) for name, kind in fields.items()}
    expected = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    with (
        pq.ParquetWriter(folder / "integers.parquet", schemas["integers"]) as integers,
        pq.ParquetWriter(folder / "texts.parquet", schemas["texts"]) as texts,
        pa.csv.CSVWriter(folder / "integers.csv", schemas["integers"]) as lines,
    ):
        for _ in range(n // PART):
            y = rng.integers(0, CLASSES, PART).astype(np.int16)
            p = np.where(rng.random(PART) < 0.7, y, rng.integers(0, CLASSES, PART)).astype(np.int16)
            expected += np.bincount(y * np.int32(CLASSES) + p, minlength=CLASSES**2).reshape(
                CLASSES, CLASSES
            )
            frame = pa.table({"y": y, "yhat": p})
            integers.write_table(frame)
            lines.write_table(frame)
            texts.write_table(
                pa.table({"y": names.take(pa.array(y)), "yhat": names.take(pa.array(p))})
            )
    return expected


def _counting(path: Path, expected: Array, effort: Effort) -> Race:
    import duckdb
    import polars as pl

    from confmat.io import count_files

    file, n = str(path), int(expected.sum())
    is_csv = path.suffix == ".csv"

    def by_duckdb(source: str) -> Any:
        with duckdb.connect() as room:
            counted = f"SELECT y, yhat, count(*) FROM {source} GROUP BY ALL"  # noqa: S608
            return room.execute(counted, [file]).fetchall()

    def by_polars(**options: Any) -> Any:
        frame = pl.scan_csv(file, **options) if is_csv else pl.scan_parquet(file)
        return frame.group_by("y", "yhat").len().collect(engine="streaming").rows()

    contestants = [
        Contestant(OURS, n, partial(count_files, file), expected, _sorted),
        Contestant(
            "DuckDB by hand",
            n,
            partial(by_duckdb, "read_csv(?, all_varchar = true)" if is_csv else "read_parquet(?)"),
            expected,
            _table,
        ),
        Contestant(
            "Polars by hand",
            n,
            partial(by_polars, **({"infer_schema": False} if is_csv else {})),
            expected,
            _table,
        ),
    ]
    if is_csv:
        guessed: list[tuple[str, Callable[[], Any]]] = [
            ("DuckDB, types guessed", partial(by_duckdb, "read_csv(?)")),
            ("Polars, types guessed", by_polars),
        ]
        contestants += [
            Contestant(name, n, call, expected, _table, note="01 becomes 1")
            for name, call in guessed
        ]
    what = f"{path.stem} in {path.suffix[1:].replace('csv', 'CSV').replace('parquet', 'Parquet')}"
    return contest(
        f"files {path.name}",
        f"{n:,} pairs of {CLASSES} classes, {what}",
        contestants,
        effort,
        seconds=30,
    )


def _sorted(matrix: Any) -> Array:
    """The table in the order of the numbers; as text, "10" stands before "2"."""
    order = sorted(range(len(matrix.labels)), key=lambda i: int(str(matrix.labels[i])[-3:].strip()))
    return np.asarray(matrix.counts)[np.ix_(order, order)]


def _table(rows: list[Any]) -> Array:
    table = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    for actual, predicted, many in rows:
        table[int(str(actual)[-3:].strip()), int(str(predicted)[-3:].strip())] = many
    return table


def _merging(folder: Path, effort: Effort) -> Race:
    """A thousand stored matrices of a hundred classes, from the command line, start-up included."""
    from confmat import ConfusionMatrix, load, save

    rng = np.random.default_rng(0)
    labels = [f"class {i:03}" for i in range(CLASSES)]
    whole = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    for number in range(1000):
        counts = rng.integers(0, 1000, (CLASSES, CLASSES))
        whole += counts
        save(ConfusionMatrix(counts, labels), folder / f"part-{number:04}.json")
    files = sorted(str(path) for path in folder.glob("part-*.json"))
    out = folder / "whole.json"
    command = ["-m", "confmat", "merge", *files, "-o", str(out)]
    entry = Entry(1, _timed(command, effort.pick(9, 3), folder))
    found = load(out)
    assert isinstance(found, ConfusionMatrix)
    assert np.array_equal(found.counts, whole)
    return Race(
        "files merge",
        "adding 1,000 stored matrices of 100 classes, from the command line",
        {OURS: entry},
    )


def _help(effort: Effort) -> Race:
    """How soon the command line answers, beside an interpreter that imports NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        often = effort.pick(15, 5)
        entries = {
            OURS: Entry(1, _timed(["-m", "confmat", "--help"], often, Path(folder))),
            "import numpy": Entry(1, _timed(["-c", "import numpy"], often, Path(folder))),
        }
    return Race("files help", "confmat --help, and the start of Python with NumPy", entries)


def _timed(arguments: list[str], often: int, folder: Path) -> list[float]:
    """Seconds of a program, its compiled sources in place."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-W", "ignore", *arguments]
    taken = []
    for _ in range(often + 1):
        begin = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - begin)
    return taken[1:]


if __name__ == "__main__":
    main(races)

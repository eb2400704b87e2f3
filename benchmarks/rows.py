"""Files that DuckDB writes: time, processor's time and memory beside DuckDB's own group-by.

`python -m benchmarks.rows [--quick] [WORD ...]` writes each file whose title has all of the words,
has everybody count it three times, in turns, each in a process of its own, and prints medians. It
takes up to 3 GB of disk and is no part of `run.py bench`; its figures stand in docs/benchmarks.md.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["main"]

ROUNDS = 3
# Title, rows, rows if quick, classes, type, format.
SHAPES = [
    ("10⁹ rows of 8-bit integers in Parquet", 10**9, 10**7, 100, "TINYINT", "parquet"),
    ("10⁸ rows of 16-bit integers in Parquet", 10**8, 10**6, 100, "SMALLINT", "parquet"),
    ("10⁸ rows of text in Parquet", 10**8, 10**6, 100, "VARCHAR", "parquet"),
    ("10⁷ rows of integers in CSV", 10**7, 10**6, 100, "SMALLINT", "csv"),
    *(
        (f"{word} classes, {name} in {kind}", 10**7, 10**6, classes, dtype, kind.lower())
        for word, classes in (("10⁵", 10**5), ("10⁶", 10**6))
        for name, dtype in (("integers", "INTEGER"), ("text", "VARCHAR"))
        for kind in ("Parquet", "CSV")
    ),
]
WRITING = """
COPY (
    SELECT (hash(range) % {classes})::{dtype} AS y_true,
        (CASE WHEN hash(range * 7 + 1) % 10 < 7 THEN hash(range) ELSE hash(range * 13 + 5) END % {classes})::{dtype}
            AS y_pred
    FROM range({rows})
) TO '{file}' (FORMAT {kind})
"""
# Answers are compared by how many cells there are, their sum, their squares' sum and the diagonal.
MEASURED = """
import resource, sys, time
begin = time.perf_counter()
{}
seconds = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as lines:
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
{}
print(len(many), int(many.sum()), int((many * many).sum()), int(many[rows == cols].sum()), end=";")
print(seconds, used.ru_utime + used.ru_stime, peak * 1024 / 1e6)
"""
OURS = "from confmat.io import count_files\nmatrix = count_files(sys.argv[1]{})"
CELLS = "rows, cols, many = matrix._counts.cells()"
QUERY = """
import duckdb
room = duckdb.connect()
room.execute("SET enable_progress_bar = false")
source = "read_csv(?, all_varchar = true)" if sys.argv[1].endswith("csv") else "read_parquet(?)"
rows, cols, many = room.execute(f"SELECT y_true, y_pred, count(*) n FROM {source} GROUP BY ALL", [sys.argv[1]]
    ).fetchnumpy().values()
"""
CONTESTANTS = {
    "confmat": MEASURED.format(OURS.format(""), CELLS),
    "confmat, resume=": MEASURED.format(OURS.format(", resume=sys.argv[1] + '.resume'"), CELLS),
    "DuckDB by hand": MEASURED.format(QUERY, ""),
}


def main() -> int:
    """Write each file, have it counted in turns, print the medians."""
    import duckdb

    quick, words = "--quick" in sys.argv, [word for word in sys.argv[1:] if word != "--quick"]
    for title, many, few, classes, dtype, kind in SHAPES:
        if all(word in title for word in words):
            with tempfile.TemporaryDirectory() as folder:
                file, rows = Path(folder) / f"pairs.{kind}", few if quick else many
                duckdb.execute(
                    WRITING.format(classes=classes, dtype=dtype, rows=rows, file=file, kind=kind)
                )
                print(
                    f"\n{title}: {rows:,} rows of {classes:,} classes, "
                    f"{file.stat().st_size / 1e6:,.0f} MB"
                )
                _measure(file)
    return 0


def _measure(file: Path) -> None:
    taken: dict[str, list[list[float]]] = {name: [] for name in CONTESTANTS}
    answers = set()
    for _ in range(ROUNDS):
        for name, code in CONTESTANTS.items():
            command = [sys.executable, "-W", "ignore", "-c", code, str(file)]
            answer, numbers = subprocess.check_output(command, text=True).split(";")
            answers.add(answer)
            taken[name].append([float(number) for number in numbers.split()])
            Path(f"{file}.resume").unlink(missing_ok=True)
    assert len(answers) == 1, f"the answers differ: {answers}"
    for name, runs in taken.items():
        seconds, cpu, peak = map(statistics.median, zip(*runs, strict=True))
        print(f"| {name} | {seconds:.2f} s | {cpu:.2f} s | {peak:,.0f} MB |", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())

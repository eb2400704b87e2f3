"""A thousand million rows in one Parquet file that DuckDB writes: time and memory beside DuckDB's own group-by.

`python -m benchmarks.rows FILE [ROWS]` writes the file if there is none (1.8 GB for 10^9 rows, and minutes), has
every contestant count it three times, in turns, each in a process of its own, and prints medians. It is no part of
`run.py bench`; its figures stand in docs/benchmarks.md.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

__all__ = ["main"]

CLASSES = 100
ROWS = 1_000_000_000
ROUNDS = 3
WRITING = f"""
COPY (
    SELECT
        (hash(range) % {CLASSES})::TINYINT AS y_true,
        (CASE WHEN hash(range * 7 + 1) % 10 < 7 THEN hash(range) ELSE hash(range * 13 + 5) END % {CLASSES})::TINYINT
            AS y_pred
    FROM range($rows)
) TO '$file' (FORMAT parquet)
"""  # noqa: S608 - the only name in it is one of a number

# The answer is written as one number, so that two answers can be compared.
MEASURED = """
import resource, sys, time
begin = time.perf_counter()
{}
seconds = time.perf_counter() - begin
used = resource.getrusage(resource.RUSAGE_SELF)
with open("/proc/self/status") as lines:
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
print(hash(tuple(sorted(found))), seconds, used.ru_utime + used.ru_stime, peak * 1024 / 1e6)
"""
CONTESTANTS = {
    "confmat": """
from confmat.io import count_files
matrix = count_files(sys.argv[1])
rows, cols, many = matrix._counts.cells()
found = [(matrix.labels[a], matrix.labels[p], int(n)) for a, p, n in zip(rows, cols, many)]
""",
    "DuckDB by hand": """
import duckdb
room = duckdb.connect()
room.execute("SET enable_progress_bar = false")
query = "SELECT y_true, y_pred, count(*) FROM read_parquet(?) GROUP BY ALL"
found = room.execute(query, [sys.argv[1]]).fetchall()
""",
}


def main() -> int:
    """Write the file where it is absent, count it in turns, print the medians."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    file, rows = Path(sys.argv[1]), int(float(sys.argv[2])) if len(sys.argv) > 2 else ROWS
    if not file.exists():
        import duckdb

        duckdb.connect().execute(WRITING.replace("$rows", str(rows)).replace("$file", str(file)))
    print(f"{file}: {file.stat().st_size / 1e9:.2f} GB")
    taken: dict[str, list[list[float]]] = {name: [] for name in CONTESTANTS}
    answers = set()
    for _ in range(ROUNDS):
        for name, code in CONTESTANTS.items():
            command = [sys.executable, "-W", "ignore", "-c", MEASURED.format(code), str(file)]
            answer, *numbers = subprocess.check_output(command, text=True).split()
            answers.add(answer)
            taken[name].append([float(number) for number in numbers])
    assert len(answers) == 1, "the answers differ"
    for name, runs in taken.items():
        seconds, cpu, peak = map(statistics.median, zip(*runs, strict=True))
        print(f"| {name} | {seconds:.1f} s | {cpu:.1f} s | {peak:.0f} MB |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

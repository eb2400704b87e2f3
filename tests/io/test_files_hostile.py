"""Files and names that mean harm: nothing runs, nothing else is read, memory stays bounded."""

# ruff: noqa: S608 - these statements are the attack

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import arrow_files, count_files, records
from confmat.io.duckdb_files import Room
from confmat.io.sources import sources
from tests.io.conftest import stored

NAMES = [
    'y" from t; drop table t; --',
    "y'); copy (select 1) to 'stolen.csv'; --",
    "__t",
    "count(*)",
    "y\x1b[2J",
    "$1",
    "{0}",
    "*",
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl"])
def test_names_of_columns_are_never_pasted_into_a_query(
    tmp_path: Path, name: str, suffix: str
) -> None:
    pytest.importorskip("duckdb")
    stored(
        tmp_path / f"x{suffix}",
        {name: ["a", "b"], name + " ": ["b", "b"], "w": [1, 2], "g": ["n", "s"]},
    )
    found = count_files(
        tmp_path / f"x{suffix}", actual=name, predicted=name + " ", weights="w", by="g"
    )
    assert isinstance(found, cm.Stack)
    assert found.sum() == cm.count(["a", "b"], ["b", "b"], weights=[1, 2])
    assert [path.name for path in tmp_path.iterdir()] == [f"x{suffix}"]


def test_the_room_reads_the_named_files_only(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    for name in ("open.csv", "secret.csv"):
        (tmp_path / name).write_text("y,yhat\na,b\n")
    connection = Room(sources(tmp_path / "open.csv"), "100MB", 1)._room
    assert connection.execute(
        "SELECT count(*) FROM read_csv(?)", [str(tmp_path / "open.csv")]
    ).fetchall() == [(1,)]
    for statement in (
        f"SELECT * FROM read_csv('{tmp_path}/secret.csv')",
        f"SELECT * FROM glob('{tmp_path}/*')",
        f"COPY (SELECT 1) TO '{tmp_path}/stolen.csv'",
        f"ATTACH '{tmp_path}/stolen.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_csv('https://example.org/x.csv')",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
    ):
        try:
            rows = connection.execute(statement).fetchall()
        except duckdb.Error:
            continue
        assert rows in ([], [(f"{tmp_path}/open.csv",)]), statement
    assert sorted(path.name for path in tmp_path.iterdir()) == ["open.csv", "secret.csv"]


FLIPS = """
import io, random, sys
import pyarrow as pa, pyarrow.ipc as ipc, pyarrow.parquet as pq
import confmat as cm
path, kind, first, many = *sys.argv[1:3], int(sys.argv[3]), int(sys.argv[4])
labels = [["cat", "dog", "a label of more letters", "é"][i * i % 7 % 4] for i in range(300)]
sites = pa.array(labels[::-1]).dictionary_encode()
table = pa.table({"y_true": labels, "y_pred": sites, "w": range(300), "kätzchen": sites})
for packing in (None, "lz4"):
    file = io.BytesIO()
    if kind == "parquet":
        pq.write_table(table, file, compression=packing or "none", row_group_size=100)
    else:
        options = ipc.IpcWriteOptions(compression=packing)
        with getattr(ipc, "new_" + kind)(file, table.schema, options=options) as writer:
            writer.write_table(table, max_chunksize=100)
    good = file.getvalue()
    # Names, types and places stand at the beginning and at the end.
    size = 60 + int.from_bytes(good[-8:-4], "little") if kind == "parquet" else len(good)
    for trial in range(first, first + many):
        draw = random.Random(trial)
        damaged = bytearray(good)
        damaged[60 - draw.randrange(size)] ^= 1 << draw.randrange(8)
        open(path, "wb").write(damaged)
        print(trial, packing, flush=True)
        try:
            cm.count_files(path, weights="w" if trial % 2 else None, by="kätzchen" if trial % 3 else None)
        except cm.ConfmatError:
            pass
"""


@pytest.mark.parametrize(
    ("first", "many"),
    [pytest.param(0, 20, marks=pytest.mark.slow), pytest.param(20, 180, marks=pytest.mark.nightly)],
)
@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
def test_files_with_a_flipped_bit_are_counted_or_refused(
    tmp_path: Path, kind: str, first: int, many: int
) -> None:
    pytest.importorskip("pyarrow")
    path = str(tmp_path / ("x.parquet" if kind == "parquet" else "x.arrow"))
    program = [sys.executable, "-W", "ignore", "-c", FLIPS, path, kind, str(first), str(many)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    # A signal, such as that of a broken address, is a negative status; the last line says which
    # file it was.
    assert done.returncode == 0, (done.stdout.splitlines()[-1], done.stderr)


@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
def test_a_name_that_is_no_utf_8_is_refused_with_the_file(tmp_path: Path, kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    file, table = io.BytesIO(), pa.table({"y_true": ["a"], "y_pred": ["a"], "naïve": [1]})
    if kind == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, file, store_schema=False)
    else:
        with getattr(pytest.importorskip("pyarrow.ipc"), f"new_{kind}")(
            file, table.schema
        ) as writer:
            writer.write_table(table)
    path = tmp_path / ("x.parquet" if kind == "parquet" else "x.arrow")
    path.write_bytes(file.getvalue().replace("naïve".encode(), "naïve".encode("latin-1") + b"x"))
    with pytest.raises(cm.InputError, match=f"^{path}: the file is damaged"):
        count_files(path)


def test_a_page_that_does_not_fit_its_checksum_is_refused(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    labels = [f"label{i % 7}" for i in range(1000)]
    table = pa.table({"y_true": labels, "note": ["note"] * 1000, "y_pred": labels})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, write_page_checksum=True, compression="none")
    good = path.read_bytes()
    assert count_files(path).total == 1000
    path.write_bytes(good.replace(b"label3", b"label7", 1))
    with pytest.raises(cm.InputError, match=f"^{path}: the file is damaged.*checksum"):
        count_files(path)
    # A column that nobody reads may be damaged.
    path.write_bytes(good.replace(b"note\x15", b"nose\x15", 1))
    assert count_files(path).total == 1000


def test_an_arrow_file_that_is_cut_off_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa, ipc = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.ipc")
    table = pa.table({"y_true": ["a", "b"] * 50_000, "y_pred": ["a", "b"] * 50_000})
    path = tmp_path / "x.arrow"
    with ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    part = arrow_files._part

    def cut(*arguments: Any) -> Any:
        os.truncate(path, 5000)
        return part(*arguments)

    monkeypatch.setattr(arrow_files, "_part", cut)
    with pytest.raises(cm.InputError, match=f"^{path}: the file changed while it was read"):
        count_files(path)


BOMB = """
import re, sys
from confmat.io import count_files
found = count_files(sys.argv[1], memory_limit="200MB", threads=1)
# The peak from getrusage begins with the peak of the program that started this one.
peak = int(re.search("VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
print(found.total, len(found.labels), peak // 1024)
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system does not tell the peak of memory"
)
def test_a_small_file_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    """Twenty million rows with labels of a thousand letters, 40 GB as plain text, in a file of four megabytes."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("duckdb")
    rows, labels = 1_000_000, pa.array(["a" * 1000, "b" * 1000])
    codes = pa.array([i % 2 for i in range(rows)], pa.int32())
    part = pa.table({name: pa.DictionaryArray.from_arrays(codes, labels) for name in ("y", "yhat")})
    with pq.ParquetWriter(tmp_path / "bomb.parquet", part.schema) as writer:
        for _ in range(20):
            writer.write_table(part)
    assert (tmp_path / "bomb.parquet").stat().st_size < 5_000_000
    program = [sys.executable, "-c", BOMB, str(tmp_path / "bomb.parquet")]
    total, classes, peak = map(int, subprocess.check_output(program, text=True).split())
    assert (total, classes) == (20 * rows, 2)
    assert peak < 500, f"{peak} MB"


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "x.csv",
            b'y,yhat\na,"' + b"x,y\n" * 1_000_000,
            "x.csv{}, line 2: no record ends within 1 MB.* never closed",
        ),
        (
            "x.csv",
            b"y,yhat\na," + b"b" * (2 << 20) + b"\na,b\n",
            "x.csv{}, line 2: no record ends within",
        ),
        (
            "x.csv",
            b'"id,y,yhat\n' + b"1,a,b\n" * 400_000,
            "x.csv{}, line 1: no record ends within .* never closed",
        ),
        (
            "x.csv",
            b'"id,y,yhat\n' + b"1,a,b\n" * 100_000,
            "x.csv{}, line 1: a quote is opened here and never closed",
        ),
        (
            "x.jsonl",
            b'{"y": 1, "yhat": "' + b"b" * (2 << 20) + b'"}',
            "x.jsonl{}, line 1: no record ends within",
        ),
    ],
)
def test_a_record_or_a_header_without_end_is_refused_with_its_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    data: bytes,
    message: str,
    packing: str,
    resume: bool,
) -> None:
    monkeypatch.setattr(records, "MAX_RECORD_BYTES", 1 << 20)
    path = tmp_path / (name + packing)
    path.write_bytes(gzip.compress(data, 1) if packing else data)
    options: dict[str, Any] = {"resume": tmp_path / "checkpoint"} if resume else {}
    with pytest.raises(cm.InputError, match=message.format(packing)):
        count_files(path, actual="y", predicted="yhat", **options)


class Dripping(io.BytesIO):
    """A pipe that gives a few bytes at a time."""

    given = 0

    def read1(self, _: int | None = -1) -> bytes:
        type(self).given += 1
        return super().read1(100)


def test_a_long_record_costs_no_more_than_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    real = records.Blocks._ends_within

    def noted(self: records.Blocks, data: Any) -> Any:
        searched.append(len(data))
        return real(self, data)

    monkeypatch.setattr(records.Blocks, "_ends_within", noted)
    data = b'y,yhat,x\na,b,"' + b"1,2\n" * 50_000 + b'"\n'
    assert count_files(Dripping(data), format="csv").total == 1
    assert Dripping.given > len(data) / 100
    assert sum(searched) < 5 * len(data)


def test_a_pipe_or_a_device_is_not_opened_for_ever(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "nothing.csv")
    with pytest.raises(cm.InputError, match="no such file"):
        count_files(tmp_path / "link.csv")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_names_that_engines_would_take_for_patterns(tmp_path: Path, suffix: str) -> None:
    for name, predicted in (("a1", ["x", "y"]), ("a[1]", ["y", "x"]), ("a?", ["y", "y"])):
        stored(tmp_path / f"{name}{suffix}", {"y": ["x", "y"], "yhat": predicted})
    assert count_files(tmp_path).counts.tolist() == [[1, 2], [1, 2]]


def test_a_weight_of_hundreds_of_digits(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"y": "a", "yhat": "a", "w": 1' + "0" * 400 + "}\n")
    with pytest.raises(cm.InputError, match=r"line 1: the weight is 1000"):
        count_files(tmp_path / "p.jsonl", weights="w")


@pytest.mark.parametrize("rows_before", [0, 300])
def test_a_carriage_return_inside_of_a_record(tmp_path: Path, rows_before: int) -> None:
    (tmp_path / "p.jsonl").write_bytes(
        b'{"y": "a", "yhat": "a"}\n' * rows_before + b'{"y": "a",\r"yhat": "a"}\n'
    )
    assert count_files(tmp_path / "p.jsonl").total == rows_before + 1

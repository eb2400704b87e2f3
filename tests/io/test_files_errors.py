"""A mistake in a file is reported in one line that names it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import count_files
from tests.io.conftest import stored

pytestmark = pytest.mark.usefixtures("reader")

GOOD = b"y,yhat\na,b\n"


def said(paths: Any, **options: Any) -> str:
    with pytest.raises(cm.ConfmatError) as caught:
        count_files(paths, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.usefixtures("reader")
def test_weights_that_add_up_to_more_than_a_float(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,yhat,w\n" + "a,b,9e307\n" * 3)
    found = said(tmp_path / "p.csv", weights="w")
    assert (
        found
        == "the weights in the column 'w', or their squares, add up to more than a number holds"
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"y,yhat\na,b\nc\n", "p.csv, line 3: 1 field where the header has 2"),
        (b'y,yhat\na,"b\nc,d\n', "p.csv, line 2: a quote is opened here and never closed"),
        (
            b'y,yhat\n"a\nb",c\n"d\n' + b"e,f\n" * 9,
            "p.csv, line 4: a quote is opened here and never closed",
        ),
        (
            "y,yhat\na,b\n".encode("utf-16"),
            "p.csv, line 1: byte 0 (0xff) is no UTF-8; it looks like UTF-16",
        ),
        (b"\n\n", "p.csv: the first line, which should name the columns, is blank"),
        (b"", "p.csv: the file is empty"),
        (b"y,yhat,y\na,b,c\n", "p.csv: 2 columns are called 'y'"),
    ],
)
def test_broken_csv(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "p.csv").write_bytes(data)
    found = said(tmp_path / "p.csv", actual="y", predicted="yhat")
    assert found.startswith(f"{tmp_path}/{message}")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"y": 1, "yhat": 1}\n{"y": 1,\n', "line 2, column 9: this is no JSON: "),
        (b'{"y": 1, "yhat": 1}\n[1]\n', "line 2: a record is a JSON object, not [1]"),
        (b'{"y": 1, "yhat": NaN}\n', "line 1: NaN is no number that JSON has"),
        (b'{"y": 1, "yhat": {"a": 1}}\n', "line 1: 'yhat' holds a JSON object, which is no label"),
        (b"[" * 5000, "line 1"),
    ],
)
def test_broken_jsonl(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "p.jsonl").write_bytes(data)
    assert said(tmp_path / "p.jsonl").startswith(f"{tmp_path}/p.jsonl, {message}")


def test_a_missing_column_lists_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(b"truth,guess\na,b\n")
    found = said(tmp_path / "p.csv", actual="trut", predicted="guess")
    assert found.endswith(
        "p.csv: there is no column 'trut' for `actual`; the columns are 'truth', 'guess'; did you "
        "mean 'truth'?"
    )
    (tmp_path / "q.csv").write_bytes(b"truth,other\na,b\n")
    assert f"{tmp_path}/q.csv: there is no column 'guess'" in said(
        [tmp_path / "p.csv", tmp_path / "q.csv"], actual="truth", predicted="guess"
    )


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "preds.csv").write_bytes(GOOD)
    (tmp_path / "empty").mkdir()
    assert said(tmp_path / "pred.csv").endswith(
        "pred.csv: there is no such file to read rows from; did you mean 'preds.csv'?"
    )
    assert said(f"{tmp_path}/*.parquet").endswith("*.parquet: no file matches this pattern")
    assert "empty: there is no file to count (.parquet " in said(tmp_path / "empty")
    assert said([]) == "there are no files to count: the list of paths is empty"
    (tmp_path / "preds.xls").write_bytes(GOOD)
    assert "the suffix .xls does not say what is inside" in said(tmp_path / "preds.xls")
    assert "a path is a str or a Path, not int" in said([1])
    assert "zero byte" in said("a\0.csv")
    assert count_files(tmp_path / "preds.xls", format="csv").total == 1


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_truncated_binary_file(tmp_path: Path, suffix: str) -> None:
    good = stored(tmp_path / f"a{suffix}", {"y": ["a", "b"] * 5000, "yhat": ["a", "b"] * 5000})
    data = good.read_bytes()
    for name, content in {
        "half": data[: len(data) // 2],
        "text": b"y,yhat\na,b\n" * 10,
        "short": data[:3],
    }.items():
        (tmp_path / f"{name}{suffix}").write_bytes(content)
        found = said([good, tmp_path / f"{name}{suffix}"])
        assert found.startswith(f"{tmp_path}/{name}{suffix}: the file is damaged"), found


def test_damage_inside_a_parquet_file_is_pinned_to_the_file(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    frame = pa.table({"y": [f"label {i % 7}" for i in range(5000)], "yhat": ["a", "b"] * 2500})
    for name in ("a", "b", "c"):
        pq.write_table(frame, tmp_path / f"{name}.parquet")
    data = bytearray((tmp_path / "b.parquet").read_bytes())
    data[4:2000] = bytes(1996)
    (tmp_path / "b.parquet").write_bytes(data)
    assert said(f"{tmp_path}/*.parquet").startswith(f"{tmp_path}/b.parquet: the file is damaged")


@pytest.mark.parametrize("suffix", [".csv.gz", ".jsonl.gz"])
def test_a_truncated_gzip_file(tmp_path: Path, suffix: str) -> None:
    text = GOOD if "csv" in suffix else b'{"y": "a", "yhat": "b"}\n'
    data = gzip.compress(text + os.urandom(1000).hex().encode() * 100)
    (tmp_path / f"p{suffix}").write_bytes(data[: len(data) // 2])
    assert said(tmp_path / f"p{suffix}").startswith(f"{tmp_path}/p{suffix}")
    (tmp_path / f"q{suffix}").write_bytes(text)
    assert said(tmp_path / f"q{suffix}").startswith(f"{tmp_path}/q{suffix}")


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_mixed_schemas(tmp_path: Path, suffix: str) -> None:
    pa = pytest.importorskip("pyarrow")

    def store(name: str, labels: Any) -> None:
        stored(tmp_path / f"{name}{suffix}", {"yhat": labels, "y": labels})

    store("a", pa.array([1, 2], pa.int16()))
    store("b", pa.array([70_000, 2], pa.int64()))
    assert count_files(f"{tmp_path}/*{suffix}") == cm.count([1, 2, 70_000, 2], [1, 2, 70_000, 2])
    store("c", ["1", "2"])
    found = said(f"{tmp_path}/*{suffix}")
    assert found.startswith(
        f"{tmp_path}/c{suffix}: the column 'y' holds text where {tmp_path}/a{suffix} holds numbers"
    )


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("label", [["a"], {"a": 1}])
def test_columns_of_lists_and_records(tmp_path: Path, suffix: str, label: Any) -> None:
    stored(tmp_path / f"p{suffix}", {"y": ["a", "b"], "yhat": [label, label]})
    found = said(tmp_path / f"p{suffix}")
    assert found.startswith(f"{tmp_path}/p{suffix}: the column 'yhat' holds several values per row")


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid"), reason="permissions as POSIX has them"
)
def test_a_directory_without_permission(tmp_path: Path) -> None:
    """Root may read everything, so a root that runs this becomes nobody first."""
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "p.csv").write_bytes(GOOD)
    closed.chmod(0)
    tmp_path.chmod(0o755)
    program = (
        "import os, sys\n"
        "from confmat.io import count_files\n"
        "os.geteuid() or os.setuid(65534)\n"
        "try: count_files(sys.argv[1])\n"
        "except ValueError as error: print(error)\n"
    )
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)
    for path in (closed, closed / "p.csv"):
        found = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False
        )
        assert found.stdout.startswith(f"{path}: permission denied; to read rows"), found.stderr
    closed.chmod(0o755)


def test_identifiers_are_stopped(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,yhat\n" + "".join(f"id{i},a\n" for i in range(2000)))
    found = said(tmp_path / "p.csv", max_pairs=1000)
    assert (
        "more than `max_pairs` = 1,000 different pairs. The column 'y' alone holds at least"
        in found
    )
    (tmp_path / "p.jsonl").write_text(
        "".join(json.dumps({"y": i, "yhat": 1}) + "\n" for i in range(2000))
    )
    assert "The column 'y' alone" in said(tmp_path / "p.jsonl", max_pairs=1000)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("weights", [None, "w"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".arrow"])
def test_the_limit_of_memory_binds_long_labels(
    tmp_path: Path, suffix: str, weights: str | None
) -> None:
    path = tmp_path / f"p{suffix}"
    for many, is_refused in ((20, False), (200, True)):
        labels = [f"{i % many:>20000}" for i in range(400)]
        stored(path, {"y": labels, "yhat": ["a"] * 400, "w": [1] * 400})
        if is_refused:
            found = said(path, memory_limit="2MB", weights=weights)
            assert (
                found
                == "`memory_limit` is too little for labels of up to 20,000 characters; are they classes?"
            )
        else:
            assert count_files(path, memory_limit="2MB", weights=weights).total == 400


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_the_limit_of_memory_binds_the_table_of_pairs(tmp_path: Path, suffix: str) -> None:
    labels = [f"identifier {i}" for i in range(20_000)]
    path = stored(tmp_path / f"p{suffix}", {"y": labels, "yhat": labels})
    found = said(path, memory_limit="5MB")
    if "counting does not fit the limit of memory" in found:
        # DuckDB itself was the first to fill it.
        assert suffix == ".parquet"
        return
    assert found.startswith(
        "there are more than 10,000 different pairs. The column 'y' alone holds at least"
    )
    assert found.endswith(
        "choose another column, or raise `memory_limit` = '5MB', which they fill, if it is right"
    )
    assert count_files(path, memory_limit="20MB", sparse=True).total == 20_000
    for wrong in ("much", "1", 10**9):
        assert "`memory_limit` is written like '1GB' or '512MB', not" in said(
            path, memory_limit=wrong
        )


def test_folders_that_name_a_group_twice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "site=a" / "site=b" / "p.csv"
    path.parent.mkdir(parents=True)
    path.write_text("y,yhat\na,b\n")
    with pytest.raises(
        cm.InputError, match=r"several folders above it are called site=.*, so `by` could be any"
    ):
        cm.count_files(path, by="site")
    assert cm.count_files(path).total == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_device_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,yhat\na,b\n")
    with pytest.raises(
        cm.InputError, match="a checkpoint is an ordinary file, and this is a pipe or a device"
    ):
        cm.count_files(tmp_path / "p.csv", resume="/dev/full")


def test_an_address_of_this_machine_is_its_file(tmp_path: Path) -> None:
    path = tmp_path / "two words.csv"
    path.write_text("y,yhat\na,b\n")
    assert cm.count_files(path.as_uri()).total == 1
    path.rename(tmp_path / "words")
    with pytest.raises(
        cm.InputError, match=f"^{tmp_path}/words: a file without a suffix does not say"
    ):
        cm.count_files((tmp_path / "words").as_uri())


def test_parquet_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes(b"PAR1" + bytes(100))
    assert "the file is Parquet, whatever its name says; format='parquet' reads it" in said(
        tmp_path / "p.csv"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_pairs": 0}, "`max_pairs` must be"),
        ({"threads": 0}, "`threads` must be"),
        ({"delimiter": ""}, "`delimiter` must be"),
        ({"format": "xls"}, "`format` must be"),
        ({"na_values": [1]}, "`na_values` are given as they are written"),
        ({"missing": "skip"}, "`missing` must be"),
    ],
)
def test_options_are_checked(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    (tmp_path / "p.csv").write_bytes(GOOD)
    assert said(tmp_path / "p.csv", **options).startswith(message)

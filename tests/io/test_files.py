"""count_files against count: the same matrix from every format."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import confmat as cm
from confmat.io import Progress, count_files, counting, sources
from confmat.io import records as blocks
from tests.io.conftest import stored

ACTUAL = ["cat", "01", "1", "NA", "None", "猫", 'a"b', "x,y", "line\nbreak", "", " pad ", "cat"]
PREDICTED = ["cat", "1", "01", "None", "NA", "猫", "x,y", 'a"b', "cat", "cat", "=1+1", ""]


def written(path: Path, rows: list[list[Any]], **options: Any) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        chosen: dict[str, Any] = {"lineterminator": "\n", "quoting": csv.QUOTE_ALL} | options
        csv.writer(stream, **chosen).writerows(rows)
    return path


def table(header: list[str], *columns: list[Any]) -> list[list[Any]]:
    return [header, *map(list, zip(*columns, strict=True))]


def lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


# ---- text ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_labels_of_csv_are_text(tmp_path: Path, delimiter: str) -> None:
    path = written(tmp_path / "p.csv", table(["y", "yhat"], ACTUAL, PREDICTED), delimiter=delimiter)
    assert count_files(path) == cm.count(ACTUAL, PREDICTED)


@pytest.mark.usefixtures("reader")
def test_an_empty_field_is_missing_unless_it_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('y,yhat\na,a\n,a\n"",a\nb,\nb,""\n')
    expected = cm.count(["a", None, "", "b", "b"], ["a", "a", "a", None, ""], missing="collect")
    assert count_files(tmp_path / "p.csv", missing="collect") == expected
    with pytest.raises(
        cm.LabelError, match=r"1 rows in `actual` \(column 'y'\); 1 rows in `predicted`"
    ):
        count_files(tmp_path / "p.csv")


@pytest.mark.usefixtures("reader")
def test_na_values_are_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", table(["y", "yhat"], ["a", "NA", "b"], ["a", "a", "NA"]))
    assert count_files(path).total == 3
    assert count_files(path, na_values=["NA"], missing="drop") == cm.count(
        ["a", None, "b"], ["a", "a", None], missing="drop"
    )
    assert count_files(path, na_values="NA", missing="drop").dropped == 2


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_ends_of_lines_blank_lines_and_a_byte_order_mark(tmp_path: Path, end: str) -> None:
    text = "\ufeffy,yhat\n\na,b\n\nb,b".replace("\n", end or "\n") + end
    (tmp_path / "p.csv").write_bytes(text.encode())
    assert count_files(tmp_path / "p.csv") == cm.count(["a", "b"], ["b", "b"])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".csv.gz", ".tsv.gz", ".jsonl.gz"])
def test_gzip(tmp_path: Path, suffix: str) -> None:
    if suffix == ".jsonl.gz":
        text = '{"y": "a", "yhat": "b"}\n{"y": "b", "yhat": "b"}\n'
    else:
        text = "y,yhat\na,b\nb,b\n".replace(",", "\t" if "tsv" in suffix else ",")
    (tmp_path / f"p{suffix}").write_bytes(gzip.compress(text.encode()))
    assert count_files(tmp_path / f"p{suffix}") == cm.count(["a", "b"], ["b", "b"])


@pytest.mark.usefixtures("reader")
def test_zstandard(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pa.CompressedOutputStream(pa.OSFile(str(tmp_path / "p.csv.zst"), "wb"), "zstd") as stream:
        stream.write(b"y,yhat\na,b\nb,b\n")
    assert count_files(tmp_path / "p.csv.zst") == cm.count(["a", "b"], ["b", "b"])


@pytest.mark.usefixtures("reader")
def test_jsonl_types_its_labels(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"y": 1, "yhat": 1.0},
        {"y": 2, "yhat": None},
        {"y": 2},
        {"yhat": 1, "y": 2},
    ]
    path = lines(tmp_path / "p.jsonl", records)
    assert count_files(path, missing="drop") == cm.count(
        [1, 2, 2, 2], [1.0, None, None, 1], missing="drop"
    )


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("others", [[], [{"y": 2, "yhat": 3, "site": "a"}] * 3])
@pytest.mark.parametrize(
    "record", [{"y": "1", "yhat": 1}, {"y": True, "yhat": 1}, {"y": 0.0, "yhat": False}]
)
def test_jsonl_never_takes_labels_of_different_kinds_for_one(
    tmp_path: Path, record: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    path = lines(tmp_path / "q.jsonl", [*others, {**record, "site": "a"}])
    for options in ({}, {"by": "site"}, {"resume": tmp_path / "kept"}):
        with pytest.raises(cm.LabelError, match="different kinds"):
            count_files(path, **options)
    with path.open("rb") as stream, pytest.raises(cm.LabelError, match="different kinds"):
        count_files(stream, format="jsonl")


def test_booleans_of_jsonl_may_be_numbers_in_labels(tmp_path: Path) -> None:
    path = lines(tmp_path / "q.jsonl", [{"y": True, "yhat": False}, {"y": True, "yhat": True}])
    assert count_files(path, labels=[0, 1]).counts.tolist() == [[0, 0], [1, 1]]


def test_decimals_longer_than_those_of_duckdb_are_refused_as_labels(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    longs = pa.array([Decimal(10) ** 49, Decimal(10) ** 49 + 1], pa.decimal256(50, 0))
    weights = pa.array([Decimal(2), Decimal(3)], pa.decimal256(50, 0))
    stored(tmp_path / "p.parquet", {"y": longs, "yhat": longs, "one": ["a", "b"], "w": weights})
    with pytest.raises(
        cm.InputError, match="'y' holds DECIMAL of more than 38 digits, which DuckDB rounds"
    ):
        count_files(tmp_path / "p.parquet", actual="y", predicted="yhat")
    with pytest.raises(cm.InputError, match="more than 38 digits"):
        count_files(tmp_path / "p.parquet", actual="one", predicted="one", by="y")
    found = count_files(tmp_path / "p.parquet", actual="one", predicted="one", weights="w")
    assert found.counts.tolist() == [[2, 0], [0, 3]]


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4) | st.sampled_from(
    ["", '"', ",", "\n", "NA"]
)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=8),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    size=st.sampled_from([7, 64, 1 << 20]),
)
def test_any_text_survives(
    tmp_path: Path,
    rows: list[tuple[str, str]],
    quoting: Any,
    size: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where blocks end in the middle of everything."""
    # Before Python 3.13 the csv module leaves a carriage return bare, which then is the end of a
    # line.
    assume(quoting == csv.QUOTE_ALL or not any("\r" in cell for row in rows for cell in row))
    written(tmp_path / "p.csv", [["y", "yhat"], *map(list, rows)], quoting=quoting)
    # A field that the csv module leaves bare although it is empty is missing; it quotes a lone
    # empty field only.
    bare = quoting == csv.QUOTE_MINIMAL
    sides = [[None if bare and row[i] == "" else row[i] for row in rows] for i in (0, 1)]
    try:
        expected: Any = cm.count(*sides, missing="collect")
    except cm.LabelError as error:
        expected = type(error)
    with monkeypatch.context() as patch:
        patch.setattr(blocks, "BLOCK_BYTES", size)
        if isinstance(expected, type):
            with pytest.raises(expected):
                count_files(tmp_path / "p.csv", missing="collect")
        else:
            assert count_files(tmp_path / "p.csv", missing="collect") == expected


# ---- weights and groups --------------------------------------------------------------------------


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("weights", [["1", "2", "3"], ["1", " 2", "3.0"], ["0.5", "0", "1e3"]])
def test_weights_of_text(tmp_path: Path, weights: list[str]) -> None:
    y, p = ["a", "a", "b"], ["a", "a", "a"]
    path = written(tmp_path / "p.csv", table(["y", "yhat", "w"], y, p, weights))
    numbers = [float(w) if "." in w or "e" in w else int(w) for w in weights]
    expected = cm.count(y, p, weights=numbers)
    found = count_files(path, weights="w")
    assert isinstance(found, cm.ConfusionMatrix)
    assert found == expected
    assert found.counts.dtype == expected.counts.dtype
    assert (found.squares == expected.squares).all()  # type: ignore[union-attr]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("weight", ["x", "nan", "inf", "-1", "1_0", "", "0x1"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_what_is_no_weight_is_named_with_its_line(tmp_path: Path, weight: str, suffix: str) -> None:
    path = stored(tmp_path / f"p{suffix}", {"y": ["a"] * 2, "yhat": ["b"] * 2, "w": ["1", weight]})
    line = 3 if suffix == ".csv" else 2
    with pytest.raises(cm.InputError, match=rf"p\{suffix}, line {line}: the weight is"):
        count_files(path, weights="w")


@pytest.mark.usefixtures("reader")
def test_policies_are_those_of_count(tmp_path: Path) -> None:
    path = written(tmp_path / "p.csv", table(["y", "yhat"], ACTUAL, PREDICTED))
    for other in ("drop", "collect"):
        expected = cm.count(ACTUAL, PREDICTED, labels=["cat", "01"], other=other)
        assert count_files(path, labels=["cat", "01"], other=other) == expected
    with pytest.raises(cm.LabelError, match="are not among"):
        count_files(path, labels=["cat", "01"])
    assert (
        count_files(path, labels=["cat", "01"], other="drop", positive="cat").labels.positive
        == "cat"
    )


# ---- typed files ---------------------------------------------------------------------------------


def frames() -> dict[str, tuple[list[Any], list[Any]]]:
    return {
        "integers": ([1, 2, 2, -3], [1, 1, 2, 2]),
        "booleans": ([True, False, True, True], [True, True, False, True]),
        "text": (["01", "1", "NA", ""], ["1", "01", "", "NA"]),
        "gaps": ([1, None, 2, 2], [1, 1, None, 2]),
        "floats": ([1.0, 2.0, 2.0, float("nan")], [1.0, 1.0, 2.0, 2.0]),
        "bytes": ([b"a", b"b", b"a", b"a"], [b"a", b"a", b"a", b"a"]),
    }


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather"])
@pytest.mark.parametrize("name", list(frames()))
def test_typed_labels(tmp_path: Path, name: str, suffix: str) -> None:
    y, p = frames()[name]
    path = stored(tmp_path / f"p{suffix}", {"y": y, "yhat": p, "id": [1, 2, 3, 4]})
    assert count_files(path, missing="collect") == cm.count(y, p, missing="collect")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
@pytest.mark.parametrize("kind", ["int32", "uint64", "float32", "bool", "decimal"])
def test_typed_weights(tmp_path: Path, kind: str, suffix: str) -> None:
    pa = pytest.importorskip("pyarrow")
    y, p = ["a", "a", "a", "b"], ["a", "a", "a", "b"]
    known: dict[str, list[Any]] = {
        "bool": [True, True, False, True],
        "int32": [2**30] * 4,
        "uint64": [2**53 + 1] * 4,
    }
    numbers = known.get(kind, [0.5, 1.5, 2.0, 0.0])
    types = {"decimal": pa.decimal128(10, 2), "bool": pa.bool_()}
    values = (
        pa.array(numbers, types.get(kind) or getattr(pa, kind)())
        if kind != "decimal"
        else pa.array(numbers).cast(types[kind])
    )
    path = stored(tmp_path / f"p{suffix}", {"y": y, "yhat": p, "w": values})
    assert count_files(path, weights="w") == cm.count(
        y, p, weights=[int(x) if kind == "bool" else x for x in numbers]
    )
    bad = stored(tmp_path / f"gap{suffix}", {"y": y, "yhat": p, "w": pa.array([1, None, 2, 3])})
    with pytest.raises(cm.InputError, match="`weights` may not be missing"):
        count_files(bad, weights="w")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_names_that_differ_in_case_only_and_nested_columns(tmp_path: Path, suffix: str) -> None:
    columns = {
        "s": [{"y": "no", "z": [1]}],
        "Y": ["A"],
        "y": ["a"],
        "l": [["x"]],
        "P": ["B"],
        "p": ["b"],
    }
    path = stored(tmp_path / f"p{suffix}", columns)
    assert count_files(path, actual="y", predicted="p") == cm.count(["a"], ["b"])
    assert count_files(path, actual="Y", predicted="P") == cm.count(["A"], ["B"])
    assert count_files(path, actual="y", predicted="y") == cm.count(["a"], ["a"])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_numbers_in_a_dictionary_go_with_numbers(tmp_path: Path, suffix: str) -> None:
    pa = pytest.importorskip("pyarrow")
    plain = pa.array([3, 1], pa.int16())
    stored(tmp_path / f"a{suffix}", {"y": plain.dictionary_encode(), "yhat": plain})
    stored(tmp_path / f"b{suffix}", {"y": plain, "yhat": plain.dictionary_encode()})
    assert count_files(f"{tmp_path}/*{suffix}") == cm.count([3, 1, 3, 1], [3, 1, 3, 1])


def test_runs_of_equal_labels(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(["a", "b"]))
    stored(tmp_path / "a.arrow", {"y": runs, "yhat": ["b", "a", "b"]})
    stored(tmp_path / "b.arrow", {"y": ["c"], "yhat": ["c"]})
    assert count_files(f"{tmp_path}/*.arrow") == cm.count(list("aabc"), list("babc"))


@pytest.mark.parametrize(
    ("suffix", "package", "said"),
    [
        (".parquet", "duckdb", "reading Parquet files takes DuckDB: pip install duckdb"),
        (".feather", "pyarrow", "reading Arrow files takes PyArrow: pip install pyarrow"),
    ],
)
def test_a_package_that_is_missing_is_named(
    tmp_path: Path, suffix: str, package: str, said: str
) -> None:
    path = stored(tmp_path / f"p{suffix}", {"y": ["a", "b"], "yhat": ["b", "b"]})
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, package, None)
        for read in (count_files, lambda path: cm.examples(path, ["y"])):
            with pytest.raises(cm.InputError, match=f"^{said}$"):
                read(path)


# ---- many files, streams, progress ---------------------------------------------------------------


@pytest.mark.usefixtures("reader")
def test_globs_directories_and_mixed_formats(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    written(tmp_path / "deep/a.csv", table(["y", "yhat"], ["a"], ["b"]))
    written(tmp_path / "deep/b.csv", table(["id", "yhat", "y"], ["1"], ["b"], ["b"]))
    written(tmp_path / "deep/er/c.tsv", table(["y", "yhat"], ["b"], ["a"]), delimiter="\t")
    lines(tmp_path / "deep/d.jsonl", [{"y": "a", "yhat": "a"}])
    (tmp_path / "deep/_SUCCESS").write_text("")
    (tmp_path / "deep/.hidden.csv").write_text("nonsense")
    expected = cm.count(["a", "b", "b", "a"], ["b", "b", "a", "a"])
    assert count_files(tmp_path / "deep") == expected
    assert count_files(f"{tmp_path}/deep/**/*.[ctj]s*", actual="y") == expected
    # Such a pattern finds each file on several ways.
    assert count_files(f"{tmp_path}/**/**/*.tsv").total == 1


@pytest.mark.usefixtures("reader")
def test_a_name_that_looks_like_a_pattern_is_a_name_first(tmp_path: Path) -> None:
    for name in ("a[1].csv", "b*.csv", "it's.csv", "naïve 猫.csv", "q?.csv"):
        written(tmp_path / name, table(["y", "yhat"], ["a"], [name]))
        assert count_files(tmp_path / name) == cm.count(["a"], [name])


def test_a_stream(tmp_path: Path) -> None:
    stream = io.BytesIO(b"y,yhat\na,b\nb,b\n")
    assert count_files(stream, format="csv") == cm.count(["a", "b"], ["b", "b"])
    with pytest.raises(cm.InputError, match="`format` must say"):
        count_files(stream)
    assert list(tmp_path.iterdir()) == []


class Drip(io.RawIOBase):
    """A stream that gives a few bytes at a time, for ever."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        super().__init__()
        self.parts = parts

    def read1(self, _size: int = -1) -> bytes:
        return next(self.parts, b"")


def test_every_tells_what_has_been_counted_so_far() -> None:
    parts = iter([b"y,yhat\na,", b"b\nb,b\n", b"c,c", b"\n"])
    seen: list[Any] = []
    found = count_files(Drip(parts), format="csv", every=(0, seen.append))
    assert [one.total for one in seen] == [2, 3]
    assert seen[-1] == found == cm.count(["a", "b", "c"], ["b", "b", "c"])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("weights", [None, "w"])
def test_a_document_may_stand_beside_the_labels(tmp_path: Path, weights: str | None) -> None:
    """The csv module stops at 128 KB unless its limit is raised."""
    text = "word, " * 40_000
    data = f'y,yhat,w,text\na,b,2,"{text}"\nb,b,3,"{text}"\n'.encode()
    path = tmp_path / "long.csv"
    path.write_bytes(data)
    limit = csv.field_size_limit()
    expected = cm.count(["a", "b"], ["b", "b"], weights=None if weights is None else [2, 3])
    assert count_files(path, actual="y", predicted="yhat", weights=weights) == expected
    assert (
        count_files(io.BytesIO(data), actual="y", predicted="yhat", weights=weights, format="csv")
        == expected
    )
    assert csv.field_size_limit() == limit


def test_threads_put_the_limit_of_fields_back() -> None:
    data = ("y,yhat,text\n" + f'a,b,"{"word, " * 40_000}"\n' * 3).encode()
    limit = csv.field_size_limit()
    with ThreadPoolExecutor(4) as pool:
        counted = list(
            pool.map(lambda _: count_files(io.BytesIO(data), format="csv").total, range(16))
        )
    assert counted == [3] * 16
    assert csv.field_size_limit() == limit


# ---- groups that folders name --------------------------------------------------------------------


def parted(folder: Path, kind: str) -> dict[str | None, int]:
    """Files of one kind below site=..., with weights; how many rows there are of each site."""
    rows = {"site=a": 2, "site=b%20c": 3, f"site={sources.NO_PARTITION}": 1}
    for name, many in rows.items():
        (folder / name / "day=1").mkdir(parents=True)
        for part in range(2):
            path = folder / name / "day=1" / f"{part}.{kind}"
            data = {"y": ["u", "v"] * many, "yhat": ["u", "u"] * many, "w": [1, 2] * many}
            stored(path, data)
    return {"a": 8, "b c": 12, None: 4}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("weights", [None, "w"])
def test_folders_name_groups(tmp_path: Path, kind: str, weights: str | None) -> None:
    data, kept = tmp_path / "data", tmp_path / "checkpoint"
    many, scale = parted(data, kind), 1.5 if weights else 1
    options: Any = {"by": "site", "weights": weights, "missing": "collect"}
    found = count_files(data, **options)
    assert {key: one.total for key, one in found.items()} == {
        key or "(missing)": n * scale for key, n in many.items()
    }
    assert dict(count_files(data, resume=kept, **options)) == dict(found)
    assert dict(count_files(data, resume=kept, **options)) == dict(found)
    shown: list[Any] = []
    assert dict(count_files(data, every=(0, shown.append), **options)) == dict(found)
    assert dict(shown[-1]) == dict(found)
    assert found.axis == "site"


def test_folders_that_name_no_group_are_refused(tmp_path: Path) -> None:
    parted(tmp_path, "csv")
    with pytest.raises(
        cm.InputError, match=r"no column 'sites' for `by`; .*'site', 'day'; did you mean 'site'"
    ):
        count_files(tmp_path, by="sites")
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "more.csv").write_text("y,yhat,w\na,a,1\n")
    with pytest.raises(cm.InputError, match=r"more\.csv: no folder above it is called site=\.\.\."):
        count_files(tmp_path, by="site")
    # A column of the files comes first, and then it is one in all of them.
    (tmp_path / "z").rename(tmp_path / "site=z")
    for name, row in (
        ("csv", "y,yhat,w,site\na,a,1,b\n"),
        ("jsonl", '{"y": "a", "yhat": "a", "site": "b"}\n'),
    ):
        (tmp_path / "site=z" / "more.csv").unlink(missing_ok=True)
        (tmp_path / "site=z" / f"more.{name}").write_text(row)
        ways: list[dict[str, Any]] = [{}, {"resume": tmp_path / f"checkpoint of {name}"}]
        for how in ways:
            with pytest.raises(
                cm.InputError,
                match=rf"more\.{name}: `by` is the column 'site' here, and a folder of",
            ):
                count_files(tmp_path, by="site", **how)


@pytest.mark.usefixtures("reader")
def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "p.csv", table(["y", "yhat"], ["a"] * 5000, ["b"] * 5000))
    monkeypatch.setattr(
        counting, "Clock", lambda told: __import__("confmat.io.threads").io.threads.Clock(told, 0)
    )
    seen: list[Progress] = []
    assert count_files(path, progress=seen.append).total == 5000
    for one in seen:
        assert one.share is None or 0 <= one.share <= 1
        assert one.remaining is None or one.remaining >= 0

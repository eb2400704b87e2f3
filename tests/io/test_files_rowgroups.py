"""Row groups counted in threads: really taken where things are simple, and left where they are not."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import confmat as cm
from confmat.io import Progress, arrow_files, count_files, counting

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def store(path: Path, y: Any, yhat: Any, rows: int = 3, **options: Any) -> Path:
    pq.write_table(pa.table({"y": y, "yhat": yhat}), path, row_group_size=rows, **options)
    return path


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any other road."""
    monkeypatch.setattr(counting, "_has_duckdb", lambda: False)
    monkeypatch.setattr(counting, "count_table_file", None)
    monkeypatch.setattr(counting, "table_columns", None)


integers = st.sampled_from([pa.int8(), pa.int16(), pa.int64(), pa.uint8(), pa.uint32()])
kinds = st.one_of(integers.map(lambda kind: (kind, st.integers(0, 100))), st.just((pa.string(), st.text(max_size=2))))


@pytest.mark.usefixtures("alone")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_the_counts_are_those_of_count(tmp_path: Path, data: st.DataObject) -> None:
    kind, values = data.draw(kinds)
    some = st.lists(st.tuples(values, values | st.none()), min_size=1, max_size=30)
    y, yhat = zip(*data.draw(some), strict=True)
    path = store(
        tmp_path / "p.parquet",
        pa.array(y, kind),
        pa.array(yhat, kind),
        rows=data.draw(st.integers(1, 10)),
        use_dictionary=data.draw(st.booleans()),
        compression=data.draw(st.sampled_from(["none", "snappy", "zstd", "gzip"])),
    )
    expected = cm.count(y, yhat, missing="collect")
    assert count_files([path, path], missing="collect", threads=data.draw(st.integers(1, 4))) == expected + expected


@pytest.mark.usefixtures("alone")
def test_progress_and_categories(tmp_path: Path) -> None:
    column = pa.array(["a", "b", None] * 1000).dictionary_encode()
    path = store(tmp_path / "p.parquet", column, column, rows=100)
    seen: list[Progress] = []
    found = count_files(path, missing="drop", progress=seen.append)
    assert found == cm.count(["a", "b"] * 1000, ["a", "b"] * 1000)
    assert all(one.share is not None and 0 <= one.share <= 1 for one in seen)


def test_identifiers_are_left_to_who_stops_them(tmp_path: Path) -> None:
    path = store(tmp_path / "p.parquet", list(range(50_000)), [1] * 50_000, rows=1000)
    with pytest.raises(cm.BudgetError, match=r"`max_pairs` = 1,000 different pairs\. The column 'y' alone"):
        count_files(path, max_pairs=1000)
    assert count_files(path).n_classes == 50_000


@pytest.mark.parametrize(
    ("y", "yhat"),
    [
        (["(missing)", None, "b"], ["b", "b", "b"]),
        ([1, 2, 3], ["1", "2", "3"]),
        ([True, False, None], [True, True, True]),
        ([1.0, 2.0, None], [1.0, 1.0, 2.0]),
        ([None, None, None], pa.array([None, None, None], pa.int64())),
    ],
)
def test_what_is_not_simple_is_left_to_others(tmp_path: Path, y: Any, yhat: Any) -> None:
    path = store(tmp_path / "p.parquet", y, yhat)

    def answer(of: Any) -> Any:
        try:
            return of()
        except cm.ConfmatError as error:
            return type(error)

    sides = [side.to_pylist() if hasattr(side, "to_pylist") else side for side in (y, yhat)]
    for policy in ("drop", "collect", "error"):
        options: Any = {"missing": policy}
        assert answer(lambda: count_files(path, **options)) == answer(lambda: cm.count(*sides, **options))  # noqa: B023


TYPES: dict[str, Any] = {
    "large": lambda: pa.array(["b", "a", None], pa.large_string()),
    "view": lambda: pa.array(["b", "a", None], pa.string_view()),
    "ordered": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), ["b", "z", "a"], ordered=True),
    "integers by dictionary": lambda: pa.array([3, 1, None]).dictionary_encode(),
    "uint64": lambda: pa.array([2**63, 1, None], pa.uint64()),
    "int64": lambda: pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
    "bytes": lambda: pa.array([b"b", b"a", None]),
    "nothing": lambda: pa.nulls(3),
    "no rows": lambda: pa.array([], pa.string()),
}


@pytest.mark.parametrize("name", TYPES)
def test_every_road_leads_to_the_same_place(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    column = TYPES[name]()
    path = store(tmp_path / "p.parquet", column, column)

    def answer() -> Any:
        try:
            return count_files(path, missing="collect")
        except cm.ConfmatError as error:
            return str(error)

    quick = answer()
    monkeypatch.setattr(arrow_files.RowGroups, "of", lambda *_: None)
    monkeypatch.setattr(counting, "names_of", lambda _: None)
    assert answer() == quick
    monkeypatch.setattr(counting, "_has_duckdb", lambda: False)
    assert answer() == quick


def test_a_row_group_that_is_too_large_is_left_to_who_keeps_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_files, "MAX_GROUP_BYTES", 10)
    monkeypatch.setattr(arrow_files.RowGroups, "count", None)
    path = store(tmp_path / "p.parquet", [1, 2, 3] * 100, [1, 2, 3] * 100)
    assert count_files(path).total == 300


@pytest.mark.usefixtures("alone")
def test_an_interrupt_ends_the_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store(tmp_path / "p.parquet", [1, 2] * 5000, [1, 2] * 5000, rows=10)

    class Interrupted:
        def __init__(self, _told: object) -> None:
            pass

        def tell(self, *_: object) -> None:
            raise KeyboardInterrupt

    update = cm.Tally.update

    def slow(self: Any, *sides: Any) -> None:
        threading.Event().wait(0.01)
        update(self, *sides)

    monkeypatch.setattr(cm.Tally, "update", slow)
    monkeypatch.setattr(counting, "Clock", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        count_files(path, threads=2)
    for one in threading.enumerate():
        if one.name == "confmat-reader":
            # It has said that it is done; with another 900 row groups before it, it would not be by then.
            one.join(5)
            assert not one.is_alive()

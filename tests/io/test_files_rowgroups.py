"""Parquet files of any number of row groups, any type of labels and any number of classes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import confmat as cm
from confmat.io import count_files

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def store(path: Path, y: Any, yhat: Any, rows: int = 3, **options: Any) -> Path:
    pq.write_table(pa.table({"y": y, "yhat": yhat}), path, row_group_size=rows, **options)
    return path


integers = st.sampled_from([pa.int8(), pa.int16(), pa.int64(), pa.uint8(), pa.uint32()])
kinds = st.one_of(
    integers.map(lambda kind: (kind, st.integers(0, 100))),
    st.just((pa.string(), st.text(max_size=2))),
)


@pytest.mark.filterwarnings("ignore:.*counted more than once")
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
    assert (
        count_files([path, path], missing="collect", threads=data.draw(st.integers(1, 4)))
        == expected + expected
    )


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
        of_files = answer(partial(count_files, path, **options))
        assert of_files == answer(partial(cm.count, *sides, **options))


TYPES: dict[str, Any] = {
    "view": lambda: pa.array(["b", "a", None], pa.string_view()),
    "ordered": lambda: pa.DictionaryArray.from_arrays(
        pa.array([0, 2, None]), ["b", "z", "a"], ordered=True
    ),
    "uint64": lambda: pa.array([2**63, 1, None], pa.uint64()),
    "int64": lambda: pa.array([-(2**63), 2**63 - 1, None], pa.int64()),
    "nothing": lambda: pa.nulls(3),
    "no rows": lambda: pa.array([], pa.string()),
}


@pytest.mark.parametrize("name", TYPES)
def test_parquet_and_arrow_have_one_answer(tmp_path: Path, name: str) -> None:
    column = TYPES[name]()
    path, feather = store(tmp_path / "p.parquet", column, column), tmp_path / "p.arrow"
    pytest.importorskip("pyarrow.feather").write_feather(
        pa.table({"y": column, "yhat": column}), str(feather)
    )

    def answer(path: Path) -> Any:
        try:
            return count_files(path, missing="collect")
        except cm.ConfmatError as error:
            return str(error)

    assert answer(path) == answer(feather)


def test_thousands_of_row_groups_are_read(tmp_path: Path) -> None:
    y, yhat = ["a", "b"] * 4_000, ["a", "b", "b", "b"] * 2_000
    assert count_files(store(tmp_path / "p.parquet", y, yhat, rows=1)) == cm.count(y, yhat)


def test_identifiers_are_left_to_who_stops_them(tmp_path: Path) -> None:
    path = store(tmp_path / "p.parquet", list(range(50_000)), [1] * 50_000, rows=1000)
    with pytest.raises(
        cm.BudgetError, match=r"`max_pairs` = 1,000 different pairs\. The column 'y' alone"
    ):
        count_files(path, max_pairs=1000)
    assert count_files(path).n_classes == 50_000

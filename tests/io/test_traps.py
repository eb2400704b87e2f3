"""Traps of engines, each seen once: types that wrap, keys that merge, names that are misread."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pytest

import confmat as cm
from confmat.io import count_frame
from confmat.io.queries import Asked, opened, pairs_query, renamed

pa = pytest.importorskip("pyarrow", reason="frames are made from Arrow tables")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

Constructor = Callable[[Any], Any]


def duck(sql: str) -> Any:
    duckdb = pytest.importorskip("duckdb")
    return duckdb.connect().sql(sql)


# ---- numbers -------------------------------------------------------------------------------------


def test_decimal_weights_are_numbers(quick_constructor: Constructor) -> None:
    from decimal import Decimal

    weights = [Decimal("1.1"), Decimal("1.1"), Decimal("0.3")]
    frame = quick_constructor(
        pa.table({"y": [1, 1, 2], "yhat": [1, 1, 1], "w": pa.array(weights, pa.decimal128(10, 1))})
    )
    found = count_frame(frame, weights="w")
    assert found.counts.tolist() == [[pytest.approx(2.2), 0.0], [pytest.approx(0.3), 0.0]]


def test_a_sum_of_integers_that_comes_back_as_decimals() -> None:
    frame = duck("select 'a' as y, 'a' as yhat, 3::bigint as w from range(5)")
    assert count_frame(frame, weights="w").counts.tolist() == [[15]]
    # DuckDB's own sums are 128 bits wide, as a table of counted pairs would hold them.
    summed = duck("select 'a' as y, 'b' as yhat, sum(range) as w from range(10)")
    assert count_frame(summed, weights="w").counts.tolist() == [[0, 45], [0, 0]]


# ---- keys ----------------------------------------------------------------------------------------


def test_integers_that_pandas_turned_into_floats() -> None:
    frame = pd.DataFrame({"y": [1, None, 3], "yhat": [1, 1, 3]})
    assert frame["y"].dtype == np.float64
    assert count_frame(frame, missing="drop").labels == [1, 3]


def test_categories_of_pandas_and_polars_are_classes_in_their_order() -> None:
    categories = ["c", "b", "a"]
    pandas = pd.DataFrame(
        {
            "y": pd.Categorical(["b", "a"], categories),
            "yhat": pd.Categorical(["b", "b"], categories),
        }
    )
    polars = pl.DataFrame(
        {"y": ["b", "a"], "yhat": ["b", "b"]},
        schema=dict.fromkeys(["y", "yhat"], pl.Enum(categories)),
    )
    for frame in (pandas, polars, polars.lazy()):
        found = count_frame(frame)
        assert list(found.labels) == categories
        assert found.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_an_encoding_is_no_list_of_classes() -> None:
    frame = pl.DataFrame(
        {"y": ["b", "a"], "yhat": ["b", "b"]}, schema_overrides={"y": pl.Categorical}
    )
    for one in (frame, frame.lazy()):
        assert list(count_frame(one).labels) == ["a", "b"]
    assert list(count_frame(duck("select 'b'::enum('c', 'b', 'a') as y, 'a' as yhat")).labels) == [
        "a",
        "b",
    ]


def test_dictionaries_that_differ_from_chunk_to_chunk() -> None:
    parts = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", "c"]).dictionary_encode()]
    frame = pa.table({"y": pa.chunked_array(parts), "yhat": ["a", "a", "a", "a"]})
    found = count_frame(frame)
    assert list(found.labels) == ["a", "b", "c"]
    assert found.counts.tolist() == [[2, 0, 0], [1, 0, 0], [1, 0, 0]]


def test_objects_of_several_types_are_refused_as_count_refuses_them() -> None:
    frame = pd.DataFrame({"y": [1, "1", None], "yhat": [1, 1, 1]}, dtype=object)
    with pytest.raises(cm.LabelError, match="different kinds"):
        count_frame(frame, missing="drop")


def test_one_type_of_each_side_stays_what_it_is() -> None:
    with pytest.raises(cm.LabelError, match="different kinds"):
        count_frame(duck("select '1' as y, 1 as yhat"))


def test_rows_pair_by_row_whatever_the_index() -> None:
    frame = pd.DataFrame({"y": ["a", "b"], "yhat": ["a", "a"]}, index=[7, 7])
    assert count_frame(frame).counts.tolist() == [[1, 0], [1, 0]]


# ---- names ---------------------------------------------------------------------------------------


def test_names_that_differ_in_case_only() -> None:
    # Asked for `Y` by name, DuckDB gives `y`.
    found = count_frame(duck('select 1 as y, 2 as "Y", 3 as p'), actual="Y", predicted="p")
    assert found.labels == [2, 3]
    polars = pl.LazyFrame({"y": [1], "Y": [2], "p": [3]})
    assert count_frame(polars, actual="Y", predicted="p").labels == [2, 3]


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_database_that_may_confuse_cases_is_not_asked() -> None:
    ibis = pytest.importorskip("ibis")
    table = ibis.table({"y": "int64", "Y": "int64", "p": "int64"}, name="t")
    with pytest.raises(cm.InputError, match="differ in case only"):
        count_frame(table, actual="Y", predicted="p")


@pytest.mark.nightly
def test_names_that_spark_would_misread(pyspark: Constructor) -> None:
    frame = pyspark(pa.table({"a.b": [1, 2], "a": [3, 4], "A": [5, 6]}))
    assert count_frame(frame, actual="a.b", predicted="A").labels == [1, 2, 5, 6]


@pytest.mark.nightly
def test_spark_counts_before_it_exchanges(spark: Any) -> None:
    frame = spark.range(10**6).selectExpr("id % 3 as y", "id % 2 as yhat")
    lazy, asked = renamed(opened(frame), Asked("y", "yhat", None, None, {}))
    native: Any = nw.to_native(pairs_query(lazy, asked, 10))
    plan = native._jdf.queryExecution().executedPlan().toString()
    assert (
        plan.index("functions=[count(1)]")
        < plan.index("Exchange")
        < plan.index("functions=[partial_count(1)]")
    )


@pytest.mark.nightly
def test_more_rows_in_a_cell_than_32_bits_hold(spark: Any) -> None:
    found = count_frame(spark.range(2**32 + 3).selectExpr("1 as y", "1 as yhat"))
    assert found.counts.tolist() == [[2**32 + 3]]


def test_repeated_names() -> None:
    relation = duck("select 1 as y, 2 as y, 3 as p, 4 as q")
    assert count_frame(relation, actual="p", predicted="q").labels == [3, 4]
    with pytest.raises(cm.InputError, match="2 columns are called 'y'"):
        count_frame(relation, actual="y", predicted="p")
    for frame in (
        pd.DataFrame([[1, 2, 3]], columns=["y", "y", "p"]),
        pa.table([[1], [2]], names=["y", "y"]),
    ):
        with pytest.raises(cm.InputError, match="share a name"):
            count_frame(frame, actual="y", predicted="p")


def test_names_that_are_no_text() -> None:
    frame = pd.DataFrame([[1, 1], [0, 1]])
    assert count_frame(frame, actual=0, predicted=1).counts.tolist() == [[0, 1], [0, 1]]


# ---- what a frame is -----------------------------------------------------------------------------


def test_a_relation_is_read_once() -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("create sequence reads")
    frame = connection.sql("select 1 as y, 1 as yhat, nextval('reads') as n from range(3)")
    found = count_frame(frame.project("y, yhat, n"), actual="y", predicted="yhat", weights="n")
    assert found.total == 1 + 2 + 3


def test_anything_that_offers_an_arrow_stream() -> None:
    class Foreign:
        def __init__(self, table: Any) -> None:
            self.table = table

        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            return self.table.__arrow_c_stream__(requested_schema)

    table = pa.table({"y": ["a", "b"], "yhat": ["a", "a"]})
    for frame in (Foreign(table), table.to_reader(), table.to_batches()[0], nw.from_native(table)):
        assert count_frame(frame).counts.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    "frame", [{"y": [1], "yhat": [1]}, np.zeros((2, 2)), [1, 2], None, "y", pd.Series([1])]
)
def test_what_is_no_frame(frame: Any) -> None:
    with pytest.raises(cm.InputError, match="as a frame of columns; what can be read"):
        count_frame(frame)


@pytest.mark.peers
def test_dask_is_counted_without_a_warning() -> None:
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"y": [1, 2], "yhat": [1, 1]}), npartitions=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count_frame(frame).total == 2
        assert count_frame(frame, actual="y", predicted="y").total == 2


def test_too_many_groups() -> None:
    frame = pl.DataFrame({"y": [1] * 5, "yhat": [1] * 5, "g": range(5)})
    for one in (frame, frame.lazy()):
        with pytest.raises(cm.BudgetError, match="`max_groups` = 3"):
            count_frame(one, by="g", max_groups=3)


@pytest.mark.parametrize("name", ["*", "^.*$", "^p$"])
def test_names_that_polars_would_take_for_patterns(name: str) -> None:
    frame = pl.DataFrame({name: ["a", "b"], "p": ["b", "b"], "w": [2, 3]})
    assert count_frame(frame, actual=name, predicted="p") == cm.count(["a", "b"], ["b", "b"])
    assert count_frame(frame, actual="p", predicted="p", weights="w", by=name)["b"].total == 3
    with pytest.raises(cm.BudgetError, match=re.escape(repr(name))):
        count_frame(frame, actual=name, predicted=name, max_pairs=1)
    for options in (
        {"actual": name, "predicted": "p"},
        {"actual": "p", "predicted": "p", "by": name},
    ):
        with pytest.raises(
            cm.InputError, match=rf"Polars takes the name '{re.escape(name)}' for several columns"
        ):
            count_frame(frame.lazy(), **options)  # type: ignore[call-overload]


CONNECTED = """
from pyspark.sql import SparkSession
from confmat.io import count_frame
spark = SparkSession.builder.remote("local[2]").config("spark.sql.shuffle.partitions", "2").getOrCreate()
frame = spark.range(600).selectExpr("id % 3 AS y", "id % 2 AS yhat")
print(count_frame(frame).counts.tolist())
spark.stop()
"""


@pytest.mark.peers
@pytest.mark.nightly
def test_spark_connect() -> None:
    for package in ("pyspark", "grpc", "grpc_status"):
        pytest.importorskip(package)
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CONNECTED],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        timeout=300,
    )
    assert done.stdout.endswith("[[100, 100, 0], [100, 100, 0], [100, 100, 0]]\n"), done.stderr[
        -2000:
    ]

"""The law of traffic: an engine is asked once, and no more rows come home than there are pairs, and one.

Queries and rows are seen on the engine's own connection: its log, its trace, its cursor, its
scheduler.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.io import query
from tests.io.conftest import PEER_MARKS, Constructor, constructor_of

pa = pytest.importorskip("pyarrow", reason="frames are made from Arrow tables")

N = 6_000
NUMBERS = count()


@dataclass
class Home:
    """The queries of an engine, and the rows that came home."""

    queries: list[Any] = field(default_factory=list)
    rows: int = 0


# ---- spies ---------------------------------------------------------------------------------------


@contextmanager
def on_method(
    kind: type, name: str, home: Home, rows: Callable[[Any], int] = len
) -> Iterator[None]:
    """See every call of a method of an engine's class."""
    own = getattr(kind, name)

    def spy(self: Any, *arguments: Any, **options: Any) -> Any:
        found = own(self, *arguments, **options)
        home.queries.append(self)
        home.rows += rows(found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kind, name, spy)
        yield


@contextmanager
def polars_lazy(_: Any, home: Home) -> Iterator[None]:
    import polars as pl

    with on_method(pl.LazyFrame, "collect", home), on_method(pl.LazyFrame, "sink_batches", home):
        yield


@contextmanager
def in_memory(_: Any, home: Home) -> Iterator[None]:
    """Rows that become objects of Python: nobody else is asked."""
    import narwhals.stable.v2 as nw

    with on_method(nw.Series, "to_list", home):
        yield
    home.queries.clear()


@contextmanager
def duckdb_log(connection: Any, home: Home) -> Iterator[None]:
    """The log of DuckDB; how many rows each of its queries has is asked afterwards."""
    connection.execute("CALL enable_logging('QueryLog')").fetchall()
    yield
    connection.execute("CALL disable_logging()").fetchall()
    said = [
        message for (message,) in connection.execute("SELECT message FROM duckdb_logs").fetchall()
    ]
    connection.execute("CALL truncate_duckdb_logs()").fetchall()
    home.queries += [one for one in said if "__t" in one and not one.startswith(("CREATE", "DROP"))]
    for sent in home.queries:
        home.rows += connection.execute(f"SELECT count(*) FROM ({sent})").fetchall()[0][0]  # noqa: S608 - it ran before


def duckdb(frame: Any, home: Home) -> Any:
    # A relation has no way to its connection; this one is of the default one.
    del frame
    import duckdb as module

    return duckdb_log(module.default_connection(), home)


def ibis_duckdb(frame: Any, home: Home) -> Any:
    return duckdb_log(frame.get_backend().con, home)


@contextmanager
def ibis_sqlite(frame: Any, home: Home) -> Iterator[None]:
    connection = frame.get_backend().con

    def row(_: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        home.rows += 1
        return values

    connection.set_trace_callback(
        lambda text: home.queries.append(text) if '"__t"' in text else None
    )
    connection.row_factory = row
    yield
    connection.row_factory = None
    connection.set_trace_callback(None)


@contextmanager
def ibis_postgres(_: Any, home: Home) -> Iterator[None]:
    import psycopg

    asked = Home()
    with (
        on_method(psycopg.ServerCursor, "execute", home, lambda _: 0),
        on_method(psycopg.ServerCursor, "fetchmany", asked),
        on_method(psycopg.Cursor, "fetchall", home),
    ):
        yield
    home.rows += asked.rows


@contextmanager
def dask(_: Any, home: Home) -> Iterator[None]:
    from dask import config, get

    def scheduler(graph: Any, keys: Any, **options: Any) -> Any:
        found = get(graph, keys, **options)
        home.queries.append(keys)
        home.rows += sum(map(len, found))
        return found

    with config.set(scheduler=scheduler):
        yield


@contextmanager
def pyspark(frame: Any, home: Home) -> Iterator[None]:
    with (
        on_method(type(frame), "collect", home),
        on_method(type(frame), "toArrow", home, lambda found: found.num_rows),
    ):
        yield


SPIES: dict[str, Callable[[Any, Home], Any]] = {
    "pandas": in_memory,
    "pandas-arrow": in_memory,
    "polars": in_memory,
    "pyarrow": in_memory,
    "polars-lazy": polars_lazy,
    "duckdb": duckdb,
    "ibis-duckdb": ibis_duckdb,
    "ibis-sqlite": ibis_sqlite,
    "ibis-postgres": ibis_postgres,
    "dask": dask,
    "pyspark": pyspark,
}
MEMORY = {name for name, spy in SPIES.items() if spy is in_memory}
MARKS: dict[str, Any] = {name: PEER_MARKS for name in SPIES if name.startswith(("ibis", "dask"))}
MARKS["pyspark"] = (pytest.mark.nightly, PEER_MARKS[1])


@pytest.fixture(params=[pytest.param(name, marks=MARKS.get(name, ())) for name in SPIES])
def engine(request: pytest.FixtureRequest) -> tuple[str, Constructor]:
    name: str = request.param
    if name == "duckdb":
        module = pytest.importorskip("duckdb")

        def make(table: Any) -> Any:
            # A table of its own: an Arrow table would be gone when the queries are asked for their
            # rows.
            kept = f"traffic_{next(NUMBERS)}"
            module.from_arrow(table).create(kept)
            return module.table(kept)

        return name, make
    return name, constructor_of(name, request)


# ---- frames --------------------------------------------------------------------------------------

# The columns beside the labels.
BESIDE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "score": {"score": np.arange(N) % 1000 / 1000},
    "id": {"id": np.arange(N)},
    "c0": {"c0": np.arange(N) % 7},
    "28 features": {f"x{i}": np.arange(N) * (i + 3) % 97 for i in range(28)},
    "weight": {"weight": np.arange(N) % 9 / 4 + 0.1},
    "numbers": {"no": np.arange(N)},
    "numbers and 27 features": {
        "no": np.arange(N),
        **{f"x{i}": np.arange(N) % (i + 3) for i in range(27)},
    },
}


def labels(classes: int, order: str) -> tuple[Any, Any]:
    places = np.arange(N)
    pairs = np.stack([places % classes, places * 7 % (classes - 1)])
    return tuple(pairs[:, np.lexsort(pairs)] if order == "sorted" else pairs)


@pytest.mark.parametrize(("classes", "order"), [(3, "mixed"), (67, "mixed"), (67, "sorted")])
@pytest.mark.parametrize("beside", BESIDE)
def test_an_engine_is_asked_once_for_the_pairs(
    engine: tuple[str, Constructor], beside: str, classes: int, order: str
) -> None:
    name, make = engine
    actual, predicted = labels(classes, order)
    frame = make(pa.table({"y_true": actual, "y_pred": predicted, **BESIDE[beside]}))
    home = Home()
    with SPIES[name](frame, home):
        found = cm.count_frame(frame)
    assert found == cm.count(actual, predicted)
    assert len(home.queries) == (name not in MEMORY)
    pairs = len(set(zip(actual.tolist(), predicted.tolist(), strict=True)))
    # In memory, rows are looked at where a column is called like counts, and nothing comes from
    # anywhere.
    if name not in MEMORY or not BESIDE[beside].keys() & {"weight", "no"}:
        assert home.rows <= (0 if name in MEMORY else pairs + 1)


@pytest.mark.parametrize("sites", [1, 40])
@pytest.mark.parametrize("classes", [3, 30])
def test_a_table_of_counts_is_recognized_by_one_query(
    engine: tuple[str, Constructor], classes: int, sites: int
) -> None:
    name, make = engine
    site, actual, predicted = (
        each.ravel() for each in np.meshgrid(*map(range, (sites, classes, classes)), indexing="ij")
    )
    many = site * 3 + actual * 5 % 7 + 2
    beside = {"site": site} if sites > 1 else {}
    frame = make(pa.table({"y_true": actual, "y_pred": predicted, "n": many, **beside}))
    home = Home()
    with SPIES[name](frame, home), pytest.warns(cm.ConfmatWarning, match="is read as counts"):
        found = cm.count_frame(frame)
    assert found == cm.count(actual, predicted, tally=many)
    assert [note.kind for note in found.notes] == ["counts"]
    if name not in MEMORY:
        assert len(home.queries) == 1
        assert home.rows <= classes**2 + 1


@pytest.mark.parametrize(
    "options", [{}, {"tally": "none"}, {"by": "site"}, {"weights": "weight", "max_pairs": 99}]
)
def test_the_query_that_is_shown_is_the_one_that_is_sent(
    engine: tuple[str, Constructor], options: dict[str, Any]
) -> None:
    name, make = engine
    actual, predicted = labels(3, "mixed")
    beside = (
        {"n": np.arange(N), "site": np.arange(N) % 2}
        if "weights" not in options
        else BESIDE["weight"]
    )
    frame = make(pa.table({"y_true": actual, "y_pred": predicted, **beside}))
    if "duckdb" not in name and name not in {"ibis-sqlite", "ibis-postgres"}:
        with pytest.raises(
            cm.InputError, match=r"asked in SQL, and a frame of .* is not; confmat\.count_frame"
        ):
            query(frame, **options)
        return
    home = Home()
    with SPIES[name](frame, home):
        shown = query(frame, **options)
    assert home.queries == []
    with SPIES[name](frame, home):
        cm.count_frame(frame, **options)
    if name != "ibis-postgres":
        (sent,) = map(plain, home.queries)
        assert sent == plain(shown)


def plain(text: str) -> str:
    """SQL without blanks, and without the names that a relation gives itself."""
    return re.sub(r"\s|unnamed_relation_\w+", "", text)

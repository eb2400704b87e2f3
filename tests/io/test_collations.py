"""Texts that a database takes for one another stay different classes, and its other types are read or refused."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import count_files, count_frame, queries, query
from tests.io.conftest import stored

pa = pytest.importorskip("pyarrow", reason="frames are made from Arrow tables")

# One has a backslash, which is an escape where texts are cast to bytes.
ROWS = [("a", "a"), ("A", "a"), ("b", "B"), ("b", "b"), ("é", "É"), ("", "b\\x41"), (None, "b")]
VALUES = ", ".join(
    "({})".format(", ".join("NULL" if x is None else f"'{x}'" for x in row)) for row in ROWS
)
ACTUAL, PREDICTED = zip(*ROWS, strict=True)


def expect(frame: Any) -> None:
    """All spellings are classes, on both sides and as groups."""
    expected = cm.count(ACTUAL, PREDICTED, missing="drop")
    assert count_frame(frame, missing="drop") == expected
    found = count_frame(frame, actual="y_true", predicted="y_pred", by="y_pred", missing="drop")
    assert dict(found) == dict(cm.count(ACTUAL, PREDICTED, by=PREDICTED, missing="drop"))
    assert count_frame(frame, actual="y_true", predicted="y_true", missing="drop").n_classes == len(
        {*ACTUAL} - {None}
    )


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"])
def test_duckdb(collation: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    room = duckdb.connect()
    room.execute(
        f"CREATE TABLE t (y_true VARCHAR COLLATE {collation}, y_pred VARCHAR COLLATE {collation})"
    )
    room.execute(f"INSERT INTO t VALUES {VALUES}")  # noqa: S608 - the rows above
    expect(room.table("t"))
    room.execute(f"SET default_collation = '{collation}'")
    room.execute(f"CREATE TABLE u AS SELECT * FROM (VALUES {VALUES}) AS t(y_true, y_pred)")  # noqa: S608 - the rows above
    expect(room.table("u"))


@pytest.fixture
def ibis() -> Any:
    return pytest.importorskip("ibis")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("collation", ["NOCASE", "RTRIM"])
def test_sqlite(ibis: Any, collation: str) -> None:
    connection = ibis.sqlite.connect()
    connection.con.execute(
        f"CREATE TABLE t (y_true TEXT COLLATE {collation}, y_pred TEXT COLLATE {collation})"
    )
    connection.con.execute(f"INSERT INTO t VALUES {VALUES}, ('b ', 'b')")  # noqa: S608 - the rows above
    connection.con.commit()
    found = count_frame(connection.table("t"), missing="drop")
    assert found == cm.count([*ACTUAL, "b "], [*PREDICTED, "b"], missing="drop")
    connection.disconnect()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_duckdb_behind_ibis(ibis: Any) -> None:
    pytest.importorskip("duckdb")
    connection = ibis.duckdb.connect()
    connection.raw_sql(
        "CREATE TABLE t (y_true VARCHAR COLLATE NOCASE, y_pred VARCHAR COLLATE NOCASE)"
    )
    connection.raw_sql(f"INSERT INTO t VALUES {VALUES}")  # noqa: S608 - the rows above
    expect(connection.table("t"))


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Unable to set session timezone")
def test_mariadb_by_the_bytes_of_texts(ibis_mysql: Any) -> None:
    for text in (
        (
            "CREATE TABLE t (y_true VARCHAR(9), y_pred VARCHAR(9)) CHARACTER SET utf8mb4 COLLATE "
            "utf8mb4_general_ci"
        ),
        f"INSERT INTO t VALUES {VALUES.replace(chr(92), chr(92) * 2)}, ('a ', 'a')",  # noqa: S608 - the rows above
    ):
        ibis_mysql.raw_sql(text)
    with pytest.raises(
        cm.InputError, match=r"collation of mysql .*CAST\(... AS BINARY\) in connection\.sql"
    ):
        count_frame(ibis_mysql.table("t"), missing="drop")
    table = ibis_mysql.sql(
        "SELECT CAST(y_true AS BINARY) AS y_true, CAST(y_pred AS BINARY) AS y_pred FROM t"
    )
    actual, predicted = (
        [one and one.encode() for one in side] for side in ([*ACTUAL, "a "], [*PREDICTED, "a"])
    )
    # The empty text is none that is missing.
    actual[ACTUAL.index("")] = b""
    assert count_frame(table, missing="drop") == cm.count(actual, predicted, missing="drop")
    # SQL that is shown runs by hand.
    assert len(ibis_mysql.raw_sql(query(table)).fetchall()) == len(ROWS) + 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_database_whose_collations_were_not_tried_is_refused(
    ibis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("duckdb")
    monkeypatch.setattr(queries, "MERGING", {"duckdb"})
    table = ibis.memtable({"y": ["a", "A"], "yhat": ["a", "a"], "n": [1, 2]})
    with pytest.raises(
        cm.InputError, match=r"column 'y' holds texts, which a collation of duckdb .* as numbers"
    ):
        count_frame(table, actual="y", predicted="yhat", tally="none")
    assert count_frame(table, actual="n", predicted="n").n_classes == 2


# ---- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture
def server(postgres: str, ibis: Any) -> Iterator[Any]:
    pytest.importorskip("psycopg")
    connection = ibis.postgres.connect(host=postgres, user="confmat", database="postgres")
    yield connection
    connection.disconnect()


def run(server: Any, *statements: str) -> None:
    with server.con.cursor() as cursor:
        for one in statements:
            cursor.execute(one)
    server.con.commit()


MAKING = {
    "citext": (
        "CREATE EXTENSION IF NOT EXISTS citext",
        "CREATE TABLE {} (y_true citext, y_pred citext)",
    ),
    "icu": (
        (
            "CREATE COLLATION IF NOT EXISTS loose (provider = icu, locale = 'und-u-ks-level1', "
            "deterministic = false)"
        ),
        "CREATE TABLE {} (y_true text COLLATE loose, y_pred varchar(9) COLLATE loose)",
    ),
    "char": ("SELECT 1", "CREATE TABLE {} (y_true char(5), y_pred varchar(9))"),
}


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", MAKING)
def test_postgres(server: Any, name: str) -> None:
    first, second = MAKING[name]
    run(server, first, second.format(f"t_{name}"), f"INSERT INTO t_{name} VALUES {VALUES}")  # noqa: S608 - the rows above
    expect(server.table(f"t_{name}"))


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_types_of_postgres(server: Any) -> None:
    run(
        server,
        "CREATE TABLE kinds (u uuid, v uuid, d numeric, e numeric(5, 0), w bigint)",
        "INSERT INTO kinds SELECT ('00000000-0000-0000-0000-00000000000' || i)::uuid, "
        "gen_random_uuid(), i, 1, "
        "9000000000000000000 FROM (VALUES (1), (1), (2)) AS t(i)",
    )
    table = server.table("kinds")
    names = [f"00000000-0000-0000-0000-00000000000{i}" for i in (1, 1, 2)]
    assert count_frame(table, actual="u", predicted="u", tally="none") == cm.count(names, names)
    found = count_frame(table, actual="d", predicted="e", tally="none")
    assert found == cm.count([Decimal(i) for i in (1, 1, 2)], [Decimal(1)] * 3)
    with pytest.raises(cm.InputError, match="may add up to more than 63 bits"):
        count_frame(table, actual="e", predicted="e", weights="w")


# ---- other types ---------------------------------------------------------------------------------


def test_a_sum_of_weights_beyond_63_bits(
    frame_constructor: Any, request: pytest.FixtureRequest
) -> None:
    frame = frame_constructor(pa.table({"y": [1, 1, 1], "yhat": [1, 1, 1], "w": [2**62] * 3}))
    if request.node.callspec.params["frame_constructor"] in {
        "pandas",
        "pandas-arrow",
        "polars",
        "pyarrow",
    }:
        assert count_frame(frame, weights="w") == cm.count(
            [1, 1, 1], [1, 1, 1], weights=[2**62] * 3
        )
        return
    with pytest.raises(
        cm.InputError, match="'w' may add up to more than 63 bits hold; give them as floats"
    ):
        count_frame(frame, weights="w")


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("resume", [False, True])
def test_uuids(tmp_path: Path, resume: bool) -> None:
    names = [uuid.UUID(int=i) for i in (3, 1, 3)]
    column = pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([one.bytes for one in names], pa.binary(16))
    )
    stored(tmp_path / "p.parquet", {"y": column, "yhat": column})
    found = count_files(tmp_path / "p.parquet", resume=tmp_path / "checkpoint" if resume else None)
    assert found == cm.count([*map(str, names)], [*map(str, names)])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_times_with_a_zone_in_files(tmp_path: Path, suffix: str) -> None:
    column = pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 2, pa.timestamp("us", tz="UTC"))
    stored(tmp_path / f"p{suffix}", {"y": column, "yhat": column})
    with pytest.raises(
        cm.InputError,
        match=rf"p{suffix}: the column 'y' holds times with a zone.* store it as text$",
    ):
        count_files(tmp_path / f"p{suffix}")


def test_times_with_a_zone_in_frames(quick_constructor: Callable[[Any], Any]) -> None:
    column = pa.array([datetime(2020, 1, 1, tzinfo=UTC)] * 2, pa.timestamp("us", tz="UTC"))
    with pytest.raises(
        cm.InputError, match=r"^the column 'y' holds times with a zone.* store it as text$"
    ):
        cm.count_frame(quick_constructor(pa.table({"y": column, "yhat": column})))


def test_uuids_of_a_table_in_memory_are_texts() -> None:
    names = [uuid.UUID(int=i) for i in (3, 1, 3)]
    column = pa.ExtensionArray.from_storage(
        pa.uuid(), pa.array([one.bytes for one in names], pa.binary(16))
    )
    found = cm.count_frame(pa.table({"y": column, "yhat": column}))
    assert found == cm.count([*map(str, names)], [*map(str, names)])

"""Engines to count with: each is a function from an Arrow table to a frame of its own."""

from __future__ import annotations

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

Constructor = Callable[[Any], Any]

CORE = ("pandas", "pandas-arrow", "polars", "polars-lazy", "pyarrow", "duckdb")
PEERS = (
    "dask",
    "dask-cluster",
    "ibis-duckdb",
    "ibis-sqlite",
    "ibis-postgres",
    "datafusion",
    "daft",
)
# Peers speak of each other's newest majors in deprecations, which are for them to mend.
PEER_MARKS = (pytest.mark.peers, pytest.mark.filterwarnings("ignore::DeprecationWarning"))
SPARK = pytest.param("pyspark", marks=(pytest.mark.nightly, *PEER_MARKS[1:]))


@pytest.fixture(params=[*CORE, *(pytest.param(name, marks=PEER_MARKS) for name in PEERS), SPARK])
def frame_constructor(request: pytest.FixtureRequest) -> Constructor:
    """Every engine in turn."""
    return constructor_of(request.param, request)


@pytest.fixture(params=CORE)
def quick_constructor(request: pytest.FixtureRequest) -> Constructor:
    """The engines that a hundred small tables are no burden for."""
    return constructor_of(request.param, request)


def constructor_of(name: str, request: pytest.FixtureRequest) -> Constructor:
    pytest.importorskip("pyarrow")
    if name in SIMPLE:
        package, make = SIMPLE[name]
        pytest.importorskip(package, reason=f"{package} is not installed", exc_type=ImportError)
        return make
    found: Constructor = request.getfixturevalue(name.replace("-", "_"))
    return found


def _pandas_arrow(table: Any) -> Any:
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _polars(table: Any) -> Any:
    import polars as pl

    return pl.from_arrow(table)


def _duckdb(table: Any) -> Any:
    import duckdb

    return duckdb.connect().from_arrow(table)


def _dask(table: Any) -> Any:
    import dask.dataframe as dd
    import pandas as pd

    # Dask turns a column of objects into text, and that is what pandas makes of booleans with gaps.
    return dd.from_pandas(
        table.to_pandas(types_mapper={_arrow_bool(): pd.BooleanDtype()}.get), npartitions=3
    )


def _arrow_bool() -> Any:
    import pyarrow as pa

    return pa.bool_()


def _datafusion(table: Any) -> Any:
    import datafusion

    pytest.importorskip("narwhals_datafusion")
    return datafusion.SessionContext().from_arrow(table)


def _daft(table: Any) -> Any:
    import daft

    pytest.importorskip("narwhals_daft")
    return daft.from_arrow(table)


SIMPLE: dict[str, tuple[str, Constructor]] = {
    "pandas": ("pandas", lambda table: table.to_pandas()),
    "pandas-arrow": ("pandas", _pandas_arrow),
    "polars": ("polars", _polars),
    "polars-lazy": ("polars", lambda table: _polars(table).lazy()),
    "pyarrow": ("pyarrow", lambda table: table),
    "duckdb": ("duckdb", _duckdb),
    "dask": ("dask.dataframe", _dask),
    "datafusion": ("datafusion", _datafusion),
    "daft": ("daft", _daft),
}

# ---- clusters and servers ------------------------------------------------------------------------


@pytest.fixture(scope="session")
def dask_client() -> Iterator[Any]:
    """Dask on two processes of one thread."""
    distributed = pytest.importorskip("distributed")
    # Any free port: None would be the usual one, where another process may test beside this one.
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    )
    client = distributed.Client(cluster, set_as_default=False)
    yield client
    client.close()
    cluster.close()


@pytest.fixture
def dask_cluster(dask_client: Any) -> Iterator[Constructor]:
    import dask

    # Only for this test: a default client would take over every Dask frame of the session.
    with dask_client.as_current():
        assert dask.delayed(os.getpid)().compute() != os.getpid()
        yield _dask


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Spark within this process, two threads wide."""
    pytest.importorskip("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, and there is none")
    # Workers must be this Python, and the driver must not look its own name up.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with warnings.catch_warnings():
        # It says that it does not fully know pandas 3, which is not asked of it.
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").appName("confmat")
        for name, value in {
            "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.host": "127.0.0.1",
            "spark.log.level": "OFF",
            "spark.sql.warehouse.dir": os.devnull,
        }.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def pyspark(spark: Any) -> Constructor:
    make: Constructor = spark.createDataFrame
    return make


def _tables_of_ibis(backend: str) -> Iterator[Constructor]:
    connection = getattr(pytest.importorskip("ibis"), backend).connect()
    numbers = count()
    yield lambda table: connection.create_table(f"t{next(numbers)}", table)
    connection.disconnect()


@pytest.fixture
def ibis_duckdb() -> Iterator[Constructor]:
    pytest.importorskip("duckdb")
    yield from _tables_of_ibis("duckdb")


@pytest.fixture
def ibis_sqlite() -> Iterator[Constructor]:
    yield from _tables_of_ibis("sqlite")


def _postgres_programs() -> Path | None:
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    # Debian keeps them out of the way, one folder per version.
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A server of our own, reached through a socket in a folder of our own; gives that folder."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    # Not in pytest's own folder: of those it keeps three, and removes a fourth even from under a
    # server.
    with tempfile.TemporaryDirectory(prefix="confmat-postgres-") as folder:
        yield from _served(programs, Path(folder))


def _served(programs: Path, home: Path) -> Iterator[str]:
    user: str | None = None
    if os.geteuid() == 0:
        # The server refuses to run as root.
        user = "postgres" if _exists("postgres") else "nobody"
        shutil.chown(home, user)
    data = home / "data"

    def run(program: str, *arguments: str) -> None:
        command = [str(programs / program), *arguments]
        with (home / f"{program}.txt").open("w") as said:
            subprocess.run(
                command, check=True, user=user, cwd=home, stdout=said, stderr=subprocess.STDOUT
            )

    run(
        "initdb",
        "-D",
        str(data),
        *["-U", "confmat", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    )
    options = f"-c listen_addresses='' -c fsync=off -k {home}"
    run("pg_ctl", "-D", str(data), "-w", "-l", str(home / "log"), "-o", options, "start")
    yield str(home)
    run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")


def _exists(user: str) -> bool:
    import pwd

    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


@pytest.fixture(scope="session")
def ibis_postgres(postgres: str) -> Iterator[Constructor]:
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("psycopg")
    connection = ibis.postgres.connect(host=postgres, user="confmat", database="postgres")
    numbers = count()

    def make(table: Any) -> Any:
        # Ibis fills a table through placeholders, and a column called `%s` would be taken for one.
        name, plain = f"t{next(numbers)}", [f"c{i}" for i in range(table.num_columns)]
        connection.create_table(name, table.rename_columns(plain))
        with connection.con.cursor() as cursor:
            for old, new in zip(plain, table.column_names, strict=True):
                cursor.execute(
                    f'ALTER TABLE {name} RENAME {old} TO "{new.replace(chr(34), chr(34) * 2)}"'
                )
        connection.con.commit()
        return connection.table(name)

    yield make
    connection.disconnect()


@pytest.fixture(scope="session")
def ibis_mysql() -> Iterator[Any]:
    """MariaDB in a folder of its own, without a password, reached on this machine alone."""
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("MySQLdb")
    folders = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    server, install = (
        shutil.which("mariadbd", path=folders),
        shutil.which("mariadb-install-db", path=folders),
    )
    if server is None or install is None:
        pytest.skip("MariaDB is not installed (apt-get install mariadb-server)")
    with tempfile.TemporaryDirectory(prefix="confmat-mariadb-") as home:
        user = "mysql" if os.geteuid() == 0 else None
        if user:
            shutil.chown(home, user)
        data = [f"--datadir={home}/data"]
        own = {
            "user": user,
            "cwd": home,
            "stdout": subprocess.DEVNULL,
            "stderr": subprocess.DEVNULL,
        }
        subprocess.run([install, "--no-defaults", *data], check=True, **own)  # type: ignore[call-overload]
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        where = ["--bind-address=127.0.0.1", f"--port={port}", f"--socket={home}/socket"]
        command = [
            server,
            "--no-defaults",
            "--skip-grant-tables",
            "--skip-networking=0",
            *data,
            *where,
        ]
        running = subprocess.Popen(command, **own)  # type: ignore[call-overload]
        try:
            yield _connected(
                lambda database: ibis.mysql.connect(
                    "127.0.0.1", "root", "", port, database=database
                )
            )
        finally:
            running.terminate()
            running.wait()


def _connected(connect: Callable[[str], Any]) -> Any:
    """A connection to a database of our own, as soon as the server listens."""
    for _ in range(600):
        try:
            connect("mysql").raw_sql("CREATE DATABASE confmat")
            return connect("confmat")
        except pytest.importorskip("MySQLdb").OperationalError:
            time.sleep(0.1)
    pytest.fail("MariaDB did not start within a minute")


# ---- files ---------------------------------------------------------------------------------------


def stored(path: Path, columns: dict[str, Any]) -> Path:
    """A file with these columns, of the form that its suffix names."""
    rows = [columns, *zip(*columns.values(), strict=True)]
    if path.suffix == ".jsonl":
        records = [dict(zip(columns, row, strict=True)) for row in rows[1:]]
        path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    elif path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows(rows)
    else:
        table = pytest.importorskip("pyarrow").table(columns)
        if path.suffix == ".parquet":
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        elif path.suffix == ".feather":
            pytest.importorskip("pyarrow.feather").write_feather(table, path)
        else:
            with pytest.importorskip("pyarrow.ipc").new_stream(path, table.schema) as writer:
                writer.write_table(table)
    return path


READERS = ("blocks", "small blocks")


def use_reader(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read text whole, or in many blocks that several threads share."""
    from confmat.io import records

    if reader == "small blocks":
        monkeypatch.setattr(records, "BLOCK_BYTES", 16)


@pytest.fixture(params=READERS)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Small files as one block, and as many."""
    use_reader(request.param, monkeypatch)
    return str(request.param)

"""Parquet files counted by DuckDB: one group-by on the pair, without access to anything else, in bounded memory."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from confmat.core.errors import BudgetError, InputError, Message
from confmat.core.text import printable
from confmat.io.gathering import Gathered
from confmat.io.sources import Source
from confmat.io.threads import Clock

if TYPE_CHECKING:
    from typing import Self

# Rows that become objects of Python at a time.
_BATCH_ROWS = 10_000
NARROW_INTEGERS = {"TINYINT", "UTINYINT", "SMALLINT", "USMALLINT"}
# Integers of 32 bits are grouped a tenth faster than those of 8 or 16; a checkpoint holds texts.
_CASTS = {"UUID": "::VARCHAR", **dict.fromkeys(NARROW_INTEGERS, "::INTEGER")}
# Labels of these types come home as arrays.
FLAT = {*NARROW_INTEGERS, "INTEGER", "UINTEGER", "BIGINT", "UBIGINT", "BOOLEAN", "VARCHAR", "UUID"}


class UnreadableError(Exception):
    """DuckDB stumbled over a file; whoever knows the format better says where."""


class Room:
    """A database in memory from which only the named files can be read, and nothing else be done.

    No name of the user's is ever part of a query: files are parameters, columns have names of ours by position.
    Nothing is written to disk; what does not fit the limit of memory is an error.
    """

    def __init__(self, files: Sequence[Source], memory: str, threads: int | None) -> None:
        import duckdb

        self._errors: Any = duckdb
        self._layouts: dict[str, tuple[list[tuple[str, str]], int]] = {}
        config: dict[str, Any] = {
            "memory_limit": memory,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # Every file is read once; to keep what was read would fill the memory up to the limit.
            "enable_external_file_cache": False,
            # The order of rows means nothing to a sum, and keeping it would take memory.
            "preserve_insertion_order": False,
            # Integers whose statistics say that they are few are addressed, not hashed: a fifth of the time.
            "perfect_ht_threshold": 18,
        }
        if threads is not None:
            config["threads"] = threads
        self._room = duckdb.connect(":memory:", config=config)
        allowed = ", ".join(_literal(name) for file in files for name in (str(file.path.absolute()), _path(file)))
        for setting in (
            "temp_directory = ''",
            "enable_progress_bar = true",
            "enable_progress_bar_print = false",
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._set(setting)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._room.close()

    def _set(self, setting: str) -> None:
        try:
            self._room.execute(f"SET {setting}")
        except RuntimeError as error:
            # DuckDB turns Ctrl-C into this error.
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from None
            raise

    # ---- Parquet -------------------------------------------------------------------------------------------

    def layout(self, file: Source) -> tuple[list[tuple[str, str]], int]:
        """The columns of a Parquet file, as (name, type), and how many rows it has."""
        found = self._layouts.get(_path(file))
        if found is None:
            schema = "SELECT name, num_children, coalesce(duckdb_type, '') FROM parquet_schema(?)"
            rows = self._run(schema, [_path(file)], file)
            ((many,),) = self._run("SELECT num_rows FROM parquet_file_metadata(?)", [_path(file)], file)
            found = self._layouts[_path(file)] = (_top(rows), int(many))
        return found

    def count_parquet(
        self, files: Sequence[Source], columns: Sequence[tuple[str, str]], gathered: Gathered, clock: Clock, rows: int
    ) -> None:
        """Add the rows of Parquet files that have these columns."""
        places = _places(columns, gathered.asked.columns)
        source = f"read_parquet(?, hive_partitioning = false) AS t({_aliases(len(columns))})"
        kind = columns[places[-1]][1] if gathered.asked.weights is not None else ""
        keys = [f"c{i}{_CASTS.get(columns[i][1], '')}" for i in places]
        query = _query(source, keys, gathered, _typed_weight(kind, gathered))
        paths = [_path(file) for file in files]
        flat = not kind and all(columns[i][1] in FLAT for i in places)
        try:
            found = self._run(query, [paths], files, clock, lambda share: (share, int(share * rows)), flat)
        except UnreadableError as error:
            raise InputError(self._culprit(query, files, error)) from None
        if flat:
            gathered.add_columns(found)
            return
        gathered.add_table(_checked(found, gathered, str(files[0]) if len(files) == 1 else f"{len(files):,} files"))

    def rows(self, file: Source, names: Sequence[str], *, differing: bool) -> Iterator[list[tuple[Any, ...]]]:
        """Columns of a Parquet file, batch by batch; with `differing`, rows may be left out whose first two agree."""
        columns, _ = self.layout(file)
        places = _places(columns, names)
        source = f"read_parquet(?, hive_partitioning = false) AS t({_aliases(len(columns))})"
        query = f"SELECT {', '.join(f'c{i}' for i in places)} FROM {source}"  # noqa: S608 - all names are ours
        if differing and columns[places[0]][1] == columns[places[1]][1]:
            query += f" WHERE c{places[0]} IS DISTINCT FROM c{places[1]}"
        try:
            found = self._room.execute(query, [[_path(file)]])
            while batch := found.fetchmany(_BATCH_ROWS):
                yield batch
        except self._errors.Error as error:
            msg = f"{file}: the file is damaged, cut off, or no {file.format} file: {_line(error)}"
            raise InputError(msg) from None

    def _culprit(self, query: str, files: Sequence[Source], error: UnreadableError) -> str:
        """The first file that alone fails too, and why."""
        for file in files if len(files) > 1 else ():
            try:
                self._run(query, [[_path(file)]], [file])
            except UnreadableError as found:
                return f"{file}: the file is damaged: {found}"
        return f"{files[0]}: the file is damaged: {error}"

    # ---- running -------------------------------------------------------------------------------------------

    def _run(
        self,
        query: str,
        values: list[Any],
        files: Source | Sequence[Source],
        clock: Clock | None = None,
        told: Callable[[float], tuple[float, int | None]] = lambda share: (share, None),
        flat: bool = False,
    ) -> list[Any]:
        """The rows; if `flat`, the columns as arrays."""
        duckdb = self._errors
        try:
            return self._watched(query, values, clock, told, flat)
        except duckdb.OutOfMemoryException as error:
            msg = (
                "counting does not fit the limit of memory. A column of identifiers instead of classes would explain "
                f"it; otherwise raise the limit: {_line(error)}"
            )
            raise BudgetError(msg) from None
        except (duckdb.PermissionException, duckdb.BinderException) as error:
            # Not the file's fault, nor the user's.
            raise UnreadableError(_line(error)) from error
        except duckdb.Error as error:
            if isinstance(files, Source):
                msg = f"{files}: the file is damaged, cut off, or no {files.format} file: {_line(error)}"
                raise InputError(msg) from None
            raise UnreadableError(_line(error)) from None

    def _watched(
        self,
        query: str,
        values: list[Any],
        clock: Clock | None,
        told: Callable[[float], tuple[float, int | None]],
        flat: bool = False,
    ) -> list[Any]:
        """Run in a second thread, so that this one can tell of progress and notice Ctrl-C."""
        found: list[Any] = []
        # Not join(): until Python 3.13, Ctrl-C in a join makes a thread look as if it had ended.
        done = threading.Event()

        def work() -> None:
            try:
                answer = self._room.execute(query, values)
                found.append([*map(_plain, answer.fetchnumpy().values())] if flat else answer.fetchall())
            except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
                found.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=work, name="confmat-duckdb", daemon=True)
        try:
            # In here as well, since starting waits for the thread, and Ctrl-C ends that wait but not the thread.
            thread.start()
            while not done.wait(0.1):
                if clock is not None:
                    share = self._room.query_progress()
                    clock.tell(*(told(min(share / 100, 1.0)) if share > 0 else (None, None)))
        except BaseException:
            self._end(thread, done)
            raise
        if isinstance(found[0], BaseException):
            raise found[0]
        return list(found[0])

    def _end(self, thread: threading.Thread, done: threading.Event) -> None:
        """Stop the query and wait for its thread: one that is alive when the interpreter ends takes it down."""
        grace = time.monotonic() + 1
        # A thread without a number after a second never began.
        while thread.ident is not None or time.monotonic() < grace:
            # A second Ctrl-C asks for the same.
            with contextlib.suppress(KeyboardInterrupt):
                if done.wait(0.05):
                    return
                # Again and again, since the query may not have begun yet.
                self._room.interrupt()


# ---- the query ---------------------------------------------------------------------------------------------


def _query(source: str, columns: Sequence[str], gathered: Gathered, sums: str) -> str:
    """The group-by on the pair, of one more entry than is allowed, so that too many show."""
    many = len(gathered.asked.keys)
    keys = ", ".join(f"{column} AS k{i}" for i, column in enumerate(columns[:many]))
    inner = keys if gathered.asked.weights is None else f"{keys}, {columns[many]} AS w"
    names = ", ".join(f"k{i}" for i in range(many))
    rows = f"(SELECT {inner} FROM {source})"  # noqa: S608 - every name in it is one of ours
    return f"SELECT {names}, count(*){sums} FROM {rows} GROUP BY {names} LIMIT {gathered.max_pairs + 1}"  # noqa: S608


def _typed_weight(kind: str, gathered: Gathered) -> str:
    """Sums of weights that a file types, in a type that holds them, and what checks them."""
    if gathered.asked.weights is None:
        return ""
    if kind == "VARCHAR" and gathered.asked.tally:
        text = "try_cast(w AS DOUBLE)"
        return f", sum({text}), sum({text} * {text}), count({text}), min({text})"
    if re.fullmatch(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN", kind):
        number = "w::HUGEINT"
    elif re.fullmatch(r"FLOAT|DOUBLE|DECIMAL.*", kind):
        number = "w::DOUBLE"
    else:
        msg = Message(
            "{weights} must be numbers, but the column {} holds {}", gathered.asked.name(gathered.asked.weights), kind
        )
        raise InputError(msg)
    floats = "w::INT::DOUBLE" if kind == "BOOLEAN" else "w::DOUBLE"
    number = "w::INT::HUGEINT" if kind == "BOOLEAN" else number
    return f", sum({number}), sum({floats} * {floats}), count(w), min({floats})"


def _checked(rows: list[tuple[Any, ...]], gathered: Gathered, where: str) -> list[tuple[Any, ...]]:
    if gathered.asked.weights is None:
        return rows
    name = f"{where}: the column {gathered.asked.name(gathered.asked.weights)}"
    for row in rows:
        many, total, _, present, least = row[-5:]
        if present < many:
            msg = Message("{}: {weights} may not be missing, but {:,} of one pair are", name, many - present)
            raise InputError(msg)
        if least < 0 or not total < float("inf"):
            msg = Message(
                "{}: {weights} must be finite and zero or more, but it holds {}", name, least if least < 0 else total
            )
            raise InputError(msg)
    return [row[:-2] for row in rows]


def _places(columns: Sequence[tuple[str, str]], names: Sequence[str]) -> list[int]:
    return [[name for name, _ in columns].index(name) for name in names]


def _plain(column: Any) -> Any:
    """An array whose missing objects are None; of numbers, the mask stays."""
    if column.dtype != object or not hasattr(column, "mask"):
        return column
    # Not filled(None), which fills in "?".
    column.data[column.mask] = None
    return column.data


def _aliases(many: int) -> str:
    return ", ".join(f"c{i}" for i in range(many))


def _top(rows: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """The columns of a schema that lists its tree from the root, children after their parent."""
    found, skip = [], 0
    for name, children, kind in rows[1:]:
        if skip:
            skip += (children or 0) - 1
            continue
        skip = children or 0
        found.append((name, "NESTED" if children else kind))
    return found


def _path(file: Source) -> str:
    # DuckDB takes every name for a pattern.
    return re.sub(r"[*?\[]", r"[\g<0>]", str(file.path.absolute()))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _line(error: Exception) -> str:
    text = str(error).partition("\n")[0]
    return printable(re.sub(r"^[\w ]+ Error: ", "", text))

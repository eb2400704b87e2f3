"""Parquet files counted by DuckDB: one group-by on the pair, without access to anything else, in bounded memory."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from confmat.core.errors import BudgetError, InputError, Message
from confmat.core.text import printable
from confmat.io.arrow_files import verify_pages
from confmat.io.gathering import Gathered, Part, listed, tabled
from confmat.io.queries import no_numbers, too_heavy
from confmat.io.sources import Source, needed
from confmat.io.threads import Clock

# Rows that become objects of Python at a time.
_BATCH_ROWS = 10_000
LONG_DECIMAL = "DECIMAL of more than 38 digits"
# Labels of these types come home as arrays, in three quarters of the time.
_FLAT = re.compile("U?(TINY|SMALL|BIG)?INT(EGER)?|BOOLEAN|VARCHAR|UUID")


class Room:
    """A database in memory from which only the named files can be read, and nothing else be done.

    No name of the user's is ever part of a query: files are parameters, columns have names of ours
    by position. Nothing is written to disk; what does not fit the limit of memory is an error.
    """

    def __init__(self, files: Sequence[Source], memory: str, threads: int | None) -> None:
        self._errors = duckdb = needed("duckdb", "reading Parquet files")
        self._layouts: dict[str, list[tuple[str, str]]] = {}
        config: dict[str, Any] = {
            "memory_limit": memory,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # Every file is read once; to keep what was read would fill the memory up to the limit.
            "enable_external_file_cache": False,
            # The order of rows means nothing to a sum, and keeping it would take memory.
            "preserve_insertion_order": False,
            # Integers whose statistics say that they are few are addressed, not hashed: a fifth of
            # the time.
            "perfect_ht_threshold": 18,
        }
        if threads is not None:
            config["threads"] = threads
        self._room = duckdb.connect(":memory:", config=config)
        allowed = ", ".join(
            _literal(name) for file in files for name in (str(file.path.absolute()), _path(file))
        )
        for setting in (
            "temp_directory = ''",
            "enable_progress_bar = true",
            "enable_progress_bar_print = false",
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._set(setting)

    def _set(self, setting: str) -> None:
        try:
            self._room.execute(f"SET {setting}")
        except RuntimeError as error:
            # DuckDB turns Ctrl-C into this error.
            if "interrupted" in str(error).lower():
                raise KeyboardInterrupt from None
            raise

    # ---- Parquet ---------------------------------------------------------------------------------

    def columns(self, file: Source) -> list[tuple[str, str]]:
        """The names and types of the columns of a file."""
        found = self._layouts.get(_path(file))
        if found is None:
            # DuckDB makes floats of decimals that are longer than its own.
            kind = (
                f"CASE WHEN precision > 38 THEN '{LONG_DECIMAL}' ELSE coalesce(duckdb_type, '') END"
            )
            schema = f"SELECT name, num_children, {kind} FROM parquet_schema(?)"  # noqa: S608 - all names are ours
            found = self._layouts[_path(file)] = _top(self._run(schema, [_path(file)], [file]))
        return found

    def add(self, files: Sequence[Source], gathered: Gathered, clock: Clock) -> None:
        """Add the rows of files, those with the same columns by one query."""
        alike: dict[tuple[tuple[str, str], ...], list[Source]] = {}
        for file in files:
            verify_pages(file, gathered.asked.columns)
            alike.setdefault(tuple(self.columns(file)), []).append(file)
        for columns, group in alike.items():
            self._add_alike(columns, group, gathered, clock)

    def _add_alike(
        self,
        columns: tuple[tuple[str, str], ...],
        files: list[Source],
        gathered: Gathered,
        clock: Clock,
    ) -> None:
        """Add the rows of files with the same columns by one query; more pairs than fit row by row."""
        query, fetch = _grouped(columns, gathered)
        paths, limit = [[_path(file) for file in files]], f"LIMIT {gathered.max_pairs + 1}"
        try:
            lists = _lists(self._run(f"{query} {limit}", paths, files, clock, fetch))
        except BudgetError:
            if not gathered.spills:
                raise
            lists = None
        if lists is None or (lists and len(lists[0]) > gathered.max_pairs):
            if gathered.spills:
                self._add_rows(files, gathered, clock)
                return
            # In order, so that the same ones show each time.
            lists = _lists(self._run(f"{query} ORDER BY ALL {limit}", paths, files, clock, fetch))
        if lists:
            where = str(files[0]) if len(files) == 1 else f"{len(files):,} files"
            gathered.add(_part(lists, gathered, where))

    def _add_rows(self, files: Sequence[Source], gathered: Gathered, clock: Clock) -> None:
        """Add the rows of files as they are, batch by batch."""
        for file in files:
            for batch in self.rows(file, gathered.asked.columns, differing=False):
                gathered.add(tabled([*map(listed, zip(*batch, strict=True))], [None]))
                clock.tell(None, gathered.rows)

    def rows(
        self, file: Source, names: Sequence[str], *, differing: bool
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Columns of a file, batch by batch; with `differing`, rows may be left out whose first two agree."""
        columns = self.columns(file)
        places = _places(columns, names)
        keys = ", ".join(_key(columns, i) for i in places)
        query = f"SELECT {keys} FROM {_source(columns)}"  # noqa: S608 - all names are ours
        if differing and columns[places[0]][1] == columns[places[1]][1]:
            query += f" WHERE c{places[0]} IS DISTINCT FROM c{places[1]}"
        try:
            found = self._room.execute(query, [[_path(file)]])
            while batch := found.fetchmany(_BATCH_ROWS):
                yield batch
        except (RuntimeError, self._errors.Error) as error:
            raise self._refused(file, error) from None

    # ---- running ---------------------------------------------------------------------------------

    def _run(
        self,
        query: str,
        values: list[Any],
        files: Sequence[Source],
        clock: Clock | None = None,
        fetch: str = "fetchall",
    ) -> Any:
        duckdb = self._errors
        try:
            return self._watched(query, values, clock, fetch)
        except duckdb.OutOfMemoryException as error:
            raise self._refused(files[0], error) from None
        except duckdb.Error as error:
            # The first file that alone fails too says why.
            for file in files if len(files) > 1 else ():
                self._run(query, [[_path(file)]], [file])
            raise self._refused(files[0], error) from None

    def _refused(self, file: Source, error: Exception) -> BaseException:
        """Ctrl-C, too little memory, or a damaged file, each of which is an error of DuckDB."""
        if "interrupted" in str(error).lower():
            return KeyboardInterrupt()
        if isinstance(error, self._errors.OutOfMemoryException):
            return BudgetError(
                "counting does not fit the limit of memory. A column of identifiers instead of classes would "
                f"explain it; otherwise raise the limit: {_line(error)}"
            )
        return InputError(
            f"{file}: the file is damaged, cut off, or no {file.format} file: {_line(error)}"
        )

    def _watched(self, query: str, values: list[Any], clock: Clock | None, fetch: str) -> Any:
        """Run in a second thread, so that this one can show progress and notice Ctrl-C."""
        found: list[Any] = []
        # Not join(): until Python 3.13, Ctrl-C in a join makes a thread look as if it had ended.
        done = threading.Event()

        def work() -> None:
            try:
                found.append(getattr(self._room.execute(query, values), fetch)())
            except BaseException as error:  # noqa: BLE001 - it is raised where the caller waits
                found.append(error)
            finally:
                done.set()

        thread = threading.Thread(target=work, name="confmat-duckdb", daemon=True)
        try:
            # In here as well, since starting waits for the thread, and Ctrl-C ends that wait but
            # not the thread.
            thread.start()
            while not done.wait(0.1):
                if clock is not None:
                    share = self._room.query_progress()
                    clock.tell(min(share / 100, 1.0) if share > 0 else None, None)
        except BaseException:
            self._end(thread, done)
            raise
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

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


# ---- the query -----------------------------------------------------------------------------------


def _grouped(columns: Sequence[tuple[str, str]], gathered: Gathered) -> tuple[str, str]:
    """The query of the pairs in files with these columns, and how its answer is fetched."""
    places = _places(columns, gathered.asked.columns)
    kind = columns[places[-1]][1] if gathered.asked.weights is not None else ""
    keys = [_key(columns, place) for place in places]
    query = _query(_source(columns), keys, gathered, _typed_weight(kind, gathered))
    flat = not kind and all(_FLAT.fullmatch(columns[place][1]) for place in places)
    return query, "fetchnumpy" if flat else "fetchall"


def _lists(found: Any) -> list[list[Any]]:
    """The columns of an answer, of arrays by name or of rows."""
    if isinstance(found, dict):
        return [values.tolist() for values in found.values()]
    return [*map(list, zip(*found, strict=True))]


def _query(source: str, columns: Sequence[str], gathered: Gathered, sums: str) -> str:
    """The group-by on the pair."""
    many = len(gathered.asked.keys)
    keys = ", ".join(f"{column} AS k{i}" for i, column in enumerate(columns[:many]))
    inner = keys if gathered.asked.weights is None else f"{keys}, {columns[many]} AS w"
    names = ", ".join(f"k{i}" for i in range(many))
    rows = f"(SELECT {inner} FROM {source})"  # noqa: S608 - every name in it is one of ours
    return f"SELECT {names}, count(*){sums} FROM {rows} GROUP BY {names}"  # noqa: S608


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
        raise no_numbers(gathered.asked.name(gathered.asked.weights), kind)
    floats = "w::INT::DOUBLE" if kind == "BOOLEAN" else "w::DOUBLE"
    number = "w::INT::HUGEINT" if kind == "BOOLEAN" else number
    return f", sum({number}), sum({floats} * {floats}), count(w), min({floats})"


def _part(columns: list[list[Any]], gathered: Gathered, where: str) -> Part:
    """The lines that came home; weights must be there, finite, and zero or more."""
    asked, width = gathered.asked, len(gathered.asked.keys)
    labels, (many, *weighed) = [*map(listed, columns[:width])], columns[width:]
    if asked.weights is None:
        return labels, [np.array(many, np.int64)]
    name, (totals, squares, present, least) = (
        f"{where}: the column {asked.name(asked.weights)}",
        weighed,
    )
    for rows, total, known, worst in zip(many, totals, present, least, strict=True):
        if known < rows:
            msg = Message(
                "{}: {weights} may not be missing, but {:,} of one pair are", name, rows - known
            )
            raise InputError(msg)
        if worst < 0 or not total < float("inf"):
            wrong = worst if worst < 0 else total
            msg = Message(
                "{}: {weights} must be finite and zero or more, but it holds {}", name, wrong
            )
            raise InputError(msg)
        if isinstance(total, int) and total >= 2**63:
            raise too_heavy(asked)
    return labels, [np.array(each) for each in (many, totals, squares)]


def _source(columns: Sequence[tuple[str, str]]) -> str:
    names = ", ".join(f"c{i}" for i in range(len(columns)))
    return f"read_parquet(?, hive_partitioning = false) AS t({names})"


def _key(columns: Sequence[tuple[str, str]], place: int) -> str:
    # A checkpoint holds texts.
    return f"c{place}{'::VARCHAR' * (columns[place][1] == 'UUID')}"


def _places(columns: Sequence[tuple[str, str]], names: Sequence[str]) -> list[int]:
    return [[name for name, _ in columns].index(name) for name in names]


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

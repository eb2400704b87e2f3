"""Parquet and Arrow IPC files where DuckDB does not read them: through PyArrow, or else through Polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from confmat.engines.files_arrow import arrow_columns, arrow_rows, count_arrow
from confmat.engines.gathering import Gathered
from confmat.engines.queries import Asked, collected, pairs_query
from confmat.engines.sources import Source
from confmat.errors import InputError

__all__ = ["count_table_file", "table_columns", "table_rows"]

# Rows that become objects of Python at a time.
ROWS = 1 << 15
# The frame is asked for columns by names of its own; these are ours for the ones in question.
ASKED = ("c0", "c1", "c2", "c3")


def table_columns(source: Source) -> list[tuple[str, str]]:
    """The names and types of the columns of a file."""
    if _reader(source) == "pyarrow":
        return arrow_columns(source)
    with _named(source):
        return [(name, str(kind)) for name, kind in _scanned(source).collect_schema().items()]


def count_table_file(source: Source, gathered: Gathered) -> None:
    """Add the rows of a file."""
    if _reader(source) == "pyarrow":
        count_arrow(source, gathered)
        return
    import narwhals.stable.v2 as nw

    asked = gathered.asked
    with _named(source):
        lazy = _scanned(source)
        wanted = [asked.actual, asked.predicted, asked.weights, asked.by]
        safe = {name: ASKED[i] for i, name in enumerate(dict.fromkeys(x for x in wanted if x is not None))}
        known = lazy.collect_schema().names()
        # By position: Polars takes the name "*" for all columns, and "^a$" for a pattern.
        frame = nw.from_native(lazy).select(*(nw.nth(known.index(name)).alias(new) for name, new in safe.items()))
        names = [None if name is None else safe[name] for name in wanted]
        called = {new: name for name, new in safe.items()}
        query = Asked(safe[asked.actual], safe[asked.predicted], names[2], names[3], called)
        pairs = pairs_query(frame, query, gathered.max_pairs)
        found = collected(pairs, query, gathered.max_pairs, engine="streaming")
    keys = [found.actual, found.predicted, *([] if found.group is None else [found.group])]
    columns = [*(key.to_list() for key in keys), found.many.tolist()]
    if found.totals is not None and found.squares is not None:
        columns += [found.totals.tolist(), found.squares.tolist()]
    gathered.add_table(zip(*columns, strict=True))


def table_rows(source: Source, names: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Columns of a file, some rows at a time, as Python's values."""
    if _reader(source) == "pyarrow":
        yield from arrow_rows(source, names)
        return
    with _named(source):
        lazy, start = _scanned(source), 0
        known = lazy.collect_schema().names()
        # By position: Polars takes the name "*" for all columns, and "^a$" for a pattern.
        safe = [import_module("polars").nth(known.index(name)).alias(f"c{i}") for i, name in enumerate(names)]
        while rows := lazy.slice(start, ROWS).select(safe).collect().rows():
            yield rows
            start += len(rows)


def _reader(source: Source) -> str:
    for package in ("pyarrow", "polars"):
        try:
            import_module(package)
        except ImportError:
            continue
        return package
    extra = "" if source.format == "arrow" else "DuckDB (the extra confmat[cli]), "
    msg = f"{source}: reading {source.format} files takes {extra}pyarrow or polars, and none is installed"
    raise InputError(msg)


def _scanned(source: Source) -> Any:
    pl = import_module("polars")

    if source.format == "parquet":
        return pl.scan_parquet(source.path, glob=False, hive_partitioning=False)
    with source.path.open("rb") as stream:
        is_file = stream.read(6) == b"ARROW1"
    return pl.scan_ipc(source.path) if is_file else pl.read_ipc_stream(source.path).lazy()


@contextmanager
def _named(source: Source) -> Iterator[None]:
    """The errors of Polars, as one line that names the file."""
    pl = import_module("polars")

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        msg = f"{source}: the file is damaged, cut off, or no {source.format} file: {said}"
        raise InputError(msg) from None

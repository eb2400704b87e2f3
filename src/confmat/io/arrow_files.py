"""Parquet and Arrow IPC files counted through PyArrow or Polars."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from confmat.core.errors import InputError, Message
from confmat.io.gathering import Gathered
from confmat.io.queries import Asked, collected, pairs_query
from confmat.io.sources import Source

# Rows of a batch; memory holds one batch of the columns asked for.
BATCH_ROWS = 1 << 15
# Pairs of batches that are held before they become objects of Python.
HELD_PAIRS = 1 << 20
VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
# Integers below it can be added up over a batch in 63 bits.
INT64_SUM_LIMIT = 2.0**44
# The columns in question are renamed to these, since a column of the user's may be called anything.
ASKED = ("c0", "c1", "c2", "c3")
# The beginning of a Parquet file whose first page has a checksum, which is the fourth field of its header.
CHECKED = re.compile(rb"PAR1(?:\x15[\x80-\xff]*[\0-\x7f]){3}\x15")


def arrow_columns(source: Source) -> list[tuple[str, str]]:
    """The names and types of the columns of a file."""
    with _reading(source) as pa:
        return [(field.name, str(field.type)) for field in _schema(pa, source)]


def count_arrow(source: Source, gathered: Gathered) -> None:
    """Add the rows of a file, batch by batch."""
    asked = gathered.asked
    with _reading(source) as pa:
        places = [_schema(pa, source).names.index(name) for name in asked.keys]
        weight = None if asked.weights is None else _schema(pa, source).names.index(asked.weights)
        held: list[Any] = []
        for batch in _batches(pa, source, sorted({*places, *([] if weight is None else [weight])})):
            if asked.tally and weight is not None and str(batch[weight].type) in {"string", "large_string"}:
                # A text that is no number is refused later.
                with suppress(pa.ArrowInvalid):
                    batch[weight] = batch[weight].cast(pa.float64())
            held.append(_grouped(pa, batch, places, weight, f"{asked.name(asked.weights or '')} of {source}"))
            # Sums of the weights of more than a batch might not fit.
            if weight is not None or sum(map(len, held)) > HELD_PAIRS:
                gathered.add_table(_joined(pa, held))
                held = []
        if held:
            gathered.add_table(_joined(pa, held))


def arrow_rows(source: Source, names: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Columns of a file, batch by batch, as Python's values."""
    with _reading(source) as pa:
        places = [_schema(pa, source).names.index(name) for name in names]
        for batch in _batches(pa, source, sorted(set(places))):
            columns = {place: column.to_pylist() for place, column in batch.items()}
            yield list(zip(*(columns[place] for place in places), strict=True))


def verify_pages(source: Source, names: Sequence[str]) -> None:
    """Hold columns of a Parquet file against its checksums, where it has any: DuckDB does not, and PyArrow can."""
    with source.path.open("rb") as stream:
        if CHECKED.match(stream.read(64)) is None or find_spec("pyarrow") is None:
            return
    with _reading(source) as pa:
        known = _schema(pa, source).names
        for _ in _batches(pa, source, sorted({known.index(name) for name in names})):
            pass


@contextmanager
def _reading(source: Source, package: str = "pyarrow") -> Iterator[Any]:
    """PyArrow or Polars while a file is read; their errors become one line that names the file."""
    engine = import_module(package)
    if package == "pyarrow":
        errors = [engine.ArrowException]
    else:
        wrapped = import_module("narwhals.exceptions").NarwhalsError
        errors = [engine.exceptions.PolarsError, engine.exceptions.PanicException, wrapped]
    try:
        yield engine
    # A name in a damaged schema may be no UTF-8.
    except (*errors, OSError, UnicodeError) as error:
        said = str(error).strip().partition("\n")[0]
        msg = f"{source}: the file is damaged, cut off, or no {source.format} file: {said}"
        raise InputError(msg) from None


def _schema(pa: Any, source: Source) -> Any:
    if source.format == "parquet":
        return import_module("pyarrow.parquet").read_schema(source.path)
    with pa.OSFile(str(source.path)) as stream:
        return _ipc(pa, stream).schema


def _ipc(pa: Any, stream: Any, places: Sequence[int] = ()) -> Any:
    """An Arrow file, or else an Arrow stream, of some columns; Feather of version 2 is an Arrow file."""
    ipc = import_module("pyarrow.ipc")
    options = ipc.IpcReadOptions(included_fields=list(places))
    try:
        return ipc.open_file(stream, options=options)
    except pa.ArrowInvalid:
        stream.seek(0)
        return ipc.open_stream(stream, options=options)


def _batches(pa: Any, source: Source, places: list[int]) -> Iterator[dict[int, Any]]:
    """Columns by their place in the file, a batch at a time."""
    if source.format == "parquet":
        file = import_module("pyarrow.parquet").ParquetFile(source.path, page_checksum_verification=True)
        names = file.schema_arrow.names
        chosen = [names[i] for i in places]
        for batch in file.iter_batches(BATCH_ROWS, columns=chosen):
            yield dict(zip(places, (batch.column(batch.schema.get_field_index(name)) for name in chosen), strict=True))
        return
    # No memory map: a file that somebody cuts off meanwhile would end the process.
    with pa.OSFile(str(source.path)) as stream:
        reader = _ipc(pa, stream, places)
        many = getattr(reader, "num_record_batches", None)
        batches = reader if many is None else (reader.get_batch(i) for i in range(many))
        for batch in batches:
            columns = dict(zip(places, batch.columns, strict=True))
            for column in columns.values():
                # An offset or a code that leads elsewhere would be followed.
                column.validate(full=True)
            yield columns


def _grouped(pa: Any, columns: dict[int, Any], places: list[int], weight: int | None, name: str) -> Any:
    keys = {f"k{i}": _plain(pa, columns[place]) for i, place in enumerate(places)}
    extra = {} if weight is None else _weights(pa, columns[weight], name)
    sums: list[Any] = [([], "count_all"), *((one, "sum") for one in extra)]
    found = pa.table(keys | extra).group_by(list(keys)).aggregate(sums)
    return found.select([*keys, "count_all", *(f"{one}_sum" for one in extra)])


def _joined(pa: Any, tables: list[Any]) -> Iterator[tuple[Any, ...]]:
    """The rows of tables of pairs; of several, each pair once."""
    found = tables[0]
    if len(tables) > 1:
        keys = found.column_names[:-1]
        found = pa.concat_tables(tables).group_by(keys).aggregate([("count_all", "sum")])
        found = found.select([*keys, "count_all_sum"])
    return zip(*(column.to_pylist() for column in found.columns), strict=True)


def _weights(pa: Any, numbers: Any, name: str) -> dict[str, Any]:
    """The weights and their squares; integers in a type in which no sum of a batch can wrap."""
    compute = import_module("pyarrow.compute")
    kind = numbers.type
    if numbers.null_count:
        msg = Message("{weights} may not be missing, but some in the column {} are", name)
        raise InputError(msg)
    types = pa.types
    if not any(is_kind(kind) for is_kind in (types.is_integer, types.is_boolean, types.is_floating, types.is_decimal)):
        msg = Message("{weights} must be numbers, but the column {} holds {}", name, kind)
        raise InputError(msg)
    floats = numbers.cast(pa.int8() if pa.types.is_boolean(kind) else kind).cast(pa.float64(), safe=False)
    if len(floats) and not (compute.all(compute.is_finite(floats)).as_py() and compute.min(floats).as_py() >= 0):
        msg = Message("{weights} must be finite and zero or more, but the column {} holds others", name)
        raise InputError(msg)
    whole = floats
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        small = not len(floats) or compute.max(floats).as_py() < INT64_SUM_LIMIT
        whole = numbers.cast(pa.int64() if small else pa.decimal128(38, 0))
    return {"w": whole, "v": compute.multiply(floats, floats)}


def _plain(pa: Any, column: Any) -> Any:
    """A column that can be grouped by: dictionaries and runs are turned to what they stand for."""
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return _plain(pa, import_module("pyarrow.compute").run_end_decode(column))
    if str(kind) in VIEWS:
        # PyArrow groups by texts, and not by views of them.
        return column.cast(getattr(pa, VIEWS[str(kind)])())
    if str(kind) == "extension<arrow.uuid>":
        return pa.array([None if one is None else str(one) for one in column.to_pylist()])
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def table_columns(source: Source) -> list[tuple[str, str]]:
    """The names and types of the columns of a file."""
    if _reader(source) == "pyarrow":
        return arrow_columns(source)
    with _reading(source, "polars"):
        return [(name, str(kind)) for name, kind in _scanned(source).collect_schema().items()]


def count_table_file(source: Source, gathered: Gathered) -> None:
    """Add the rows of a file."""
    if _reader(source) == "pyarrow":
        count_arrow(source, gathered)
        return
    import narwhals.stable.v2 as nw

    asked = gathered.asked
    with _reading(source, "polars"):
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
        # Too many pairs are refused when they are added.
        found = collected(pairs, query, gathered.max_pairs + 1, engine="streaming")
    keys = [found.actual, found.predicted, *([] if found.group is None else [found.group])]
    columns = [*map(list, keys), found.many.tolist()]
    if found.totals is not None and found.squares is not None:
        columns += [found.totals.tolist(), found.squares.tolist()]
    gathered.add_table(zip(*columns, strict=True))


def table_rows(source: Source, names: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Columns of a file, some rows at a time, as Python's values."""
    if _reader(source) == "pyarrow":
        yield from arrow_rows(source, names)
        return
    with _reading(source, "polars"):
        lazy, start = _scanned(source), 0
        known = lazy.collect_schema().names()
        # By position: Polars takes the name "*" for all columns, and "^a$" for a pattern.
        safe = [import_module("polars").nth(known.index(name)).alias(f"c{i}") for i, name in enumerate(names)]
        while rows := lazy.slice(start, BATCH_ROWS).select(safe).collect().rows():
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
    return pl.scan_ipc(source.path, glob=False) if is_file else pl.read_ipc_stream(source.path).lazy()

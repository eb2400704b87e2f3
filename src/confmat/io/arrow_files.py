"""Parquet and Arrow IPC files counted through PyArrow or Polars: whole, or row group by row group in threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from confmat.core.errors import InputError, Message
from confmat.io.gathering import Gathered
from confmat.io.queries import Asked, collected, pairs_query
from confmat.io.sources import Source
from confmat.io.threads import Clock, Team

# Rows of a batch; memory holds one batch of the columns asked for.
BATCH_ROWS = 1 << 15
VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
# Integers below it can be added up over a batch in 63 bits.
INT64_SUM_LIMIT = 2.0**44
# Rows of a batch: large enough that adding up the tables of batches costs nothing beside counting them.
MAX_GROUP_BATCH_ROWS = 1 << 18
# Bytes of one column in a batch, by the sizes that the file states.
BATCH_BYTES = 1 << 25
# A row group with a larger column is left to DuckDB, which keeps a limit of memory.
MAX_GROUP_BYTES = 1 << 28
# Bytes that are read ahead of a column; without this limit its whole row group would be read.
READ_AHEAD_BYTES = 1 << 20
SIMPLE_TYPES = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "string", "large_string"}
# The columns in question are renamed to these, since a column of the user's may be called anything.
ASKED = ("c0", "c1", "c2", "c3")


def arrow_columns(source: Source) -> list[tuple[str, str]]:
    """The names and types of the columns of a file."""
    with _Reading(source) as pa:
        return [(field.name, str(field.type)) for field in _schema(pa, source)]


def count_arrow(source: Source, gathered: Gathered) -> None:
    """Add the rows of a file, batch by batch."""
    asked = gathered.asked
    with _Reading(source) as pa:
        places = [_schema(pa, source).names.index(name) for name in asked.keys]
        weight = None if asked.weights is None else _schema(pa, source).names.index(asked.weights)
        for batch in _batches(pa, source, sorted({*places, *([] if weight is None else [weight])})):
            if asked.tally and weight is not None and str(batch[weight].type) in {"string", "large_string"}:
                # A text that is no number is refused later.
                with suppress(pa.ArrowInvalid):
                    batch[weight] = batch[weight].cast(pa.float64())
            gathered.add_table(_grouped(pa, batch, places, weight, asked.name(asked.weights or "")))


def arrow_rows(source: Source, names: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Columns of a file, batch by batch, as Python's values."""
    with _Reading(source) as pa:
        places = [_schema(pa, source).names.index(name) for name in names]
        for batch in _batches(pa, source, sorted(set(places))):
            columns = {place: column.to_pylist() for place, column in batch.items()}
            yield list(zip(*(columns[place] for place in places), strict=True))


class _Reading:
    """PyArrow while a file is read; its errors become one line that names the file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._arrow: Any = None

    def __enter__(self) -> Any:
        self._arrow = import_module("pyarrow")
        return self._arrow

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (self._arrow.ArrowException, OSError)) and not isinstance(error, InputError):
            said = str(error).strip().partition("\n")[0]
            msg = f"{self._source}: the file is damaged, cut off, or no {self._source.format} file: {said}"
            raise InputError(msg) from None


def _schema(pa: Any, source: Source) -> Any:
    if source.format == "parquet":
        return import_module("pyarrow.parquet").read_schema(source.path)
    with pa.memory_map(str(source.path)) as mapped:
        return _ipc(pa, mapped).schema


def _ipc(pa: Any, mapped: Any) -> Any:
    """An Arrow file, or else an Arrow stream; Feather of version 2 is an Arrow file."""
    ipc = import_module("pyarrow.ipc")
    try:
        return ipc.open_file(mapped)
    except pa.ArrowInvalid:
        mapped.seek(0)
        return ipc.open_stream(mapped)


def _batches(pa: Any, source: Source, places: list[int]) -> Iterator[dict[int, Any]]:
    """Columns by their place in the file, a batch at a time."""
    if source.format == "parquet":
        file = import_module("pyarrow.parquet").ParquetFile(source.path)
        names = file.schema_arrow.names
        chosen = [names[i] for i in places]
        for batch in file.iter_batches(BATCH_ROWS, columns=chosen):
            yield dict(zip(places, (batch.column(batch.schema.get_field_index(name)) for name in chosen), strict=True))
        return
    with pa.memory_map(str(source.path)) as mapped:
        reader = _ipc(pa, mapped)
        many = getattr(reader, "num_record_batches", None)
        batches = reader if many is None else (reader.get_batch(i) for i in range(many))
        for batch in batches:
            yield {i: batch.column(i) for i in places}


def _grouped(
    pa: Any, columns: dict[int, Any], places: list[int], weight: int | None, name: str
) -> list[tuple[Any, ...]]:
    keys = {f"k{i}": _plain(pa, columns[place]) for i, place in enumerate(places)}
    extra = {} if weight is None else _weights(pa, columns[weight], name)
    sums: list[Any] = [([], "count_all"), *((one, "sum") for one in extra)]
    found = pa.table(keys | extra).group_by(list(keys)).aggregate(sums)
    wanted = [*keys, "count_all", *(f"{one}_sum" for one in extra)]
    return list(zip(*(found.column(one).to_pylist() for one in wanted), strict=True))


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
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def names_of(file: Source) -> list[str] | None:
    """The names of the columns of a Parquet file, where PyArrow is there and can read it."""
    try:
        return list(import_module("pyarrow.parquet").read_schema(file.path).names)
    except Exception:  # noqa: BLE001 - whatever it is, others say it better
        return None


@dataclass(frozen=True, slots=True)
class _Part:
    """A row group of a file, and how many of its rows may be read at once."""

    path: str
    place: int
    many: int
    rows: int


class RowGroups:
    """The row groups of Parquet files whose two columns are simple."""

    def __init__(self, parts: list[_Part], columns: list[str], is_text: bool) -> None:
        self._parts, self._columns, self._is_text = parts, columns, is_text
        self._whole = sum(part.many for part in parts)
        self._rows = 0

    @property
    def kind(self) -> str:
        """The name of the labels' type."""
        return "string" if self._is_text else "int64"

    @classmethod
    def of(cls, files: Sequence[Source], gathered: Gathered) -> RowGroups | None:
        """The row groups, or None where files, columns or what was asked for are not simple."""
        asked = gathered.asked
        columns = list(dict.fromkeys([asked.actual, asked.predicted]))
        # PyArrow reads a dot as the way to a field within a field.
        if asked.weights is not None or asked.by is not None or any("." in name for name in columns):
            return None
        try:
            parquet = import_module("pyarrow.parquet")
        except ImportError:
            return None
        parts: list[_Part] = []
        kinds: set[bool] = set()
        for file in files:
            try:
                with parquet.ParquetFile(file.path) as opened:
                    found = _parts(opened, str(file.path), columns, kinds)
            except Exception:  # noqa: BLE001 - whatever it is, others say it better
                return None
            if found is None or len(kinds) > 1:
                return None
            parts += found
        return cls(parts, columns, kinds.pop())

    def count(self, gathered: Gathered, clock: Clock, threads: int | None) -> bool:
        """Add all rows; False, and nothing added, if something was not as simple as it looked."""
        asked = gathered.asked
        parquet = import_module("pyarrow.parquet")
        texts = self._columns if self._is_text else None

        def work(part: _Part) -> None:
            # A file of PyArrow's is not to be shared among threads.
            with parquet.ParquetFile(part.path, read_dictionary=texts, buffer_size=READ_AHEAD_BYTES) as opened:
                for batch in opened.iter_batches(
                    part.rows, row_groups=[part.place], columns=self._columns, use_threads=False
                ):
                    if team.stop.is_set():
                        return
                    team.tally.update(batch.column(asked.actual), batch.column(asked.predicted))
                    team.check()
                    self._rows += batch.num_rows

        team = Team(iter(self._parts), work, threads)
        if not team.run(lambda: clock.tell(min(self._rows / max(self._whole, 1), 1.0), self._rows)):
            return False
        team.add_to(gathered)
        return True


def _parts(opened: Any, path: str, columns: list[str], kinds: set[bool]) -> list[_Part] | None:
    """The row groups of a file; None where a column is absent, repeated, nested, of another type, or very large."""
    schema, data = opened.schema_arrow, opened.metadata
    for name in columns:
        if schema.names.count(name) != 1:
            return None
        kind = schema.field(name).type
        # Categories of pandas, dictionaries of Arrow, are stored as the values that they stand for.
        plain = str(getattr(kind, "value_type", kind)) if str(kind).startswith("dictionary") else str(kind)
        if plain not in SIMPLE_TYPES:
            return None
        kinds.add(plain.endswith("string"))
    places = [i for i in range(data.num_columns) if data.schema.column(i).path in columns]
    return None if len(places) != len(columns) else list(_sized(data, path, places))


def _sized(data: Any, path: str, places: list[int]) -> Iterator[_Part]:
    for number in range(data.num_row_groups):
        group = data.row_group(number)
        largest = max(group.column(place).total_uncompressed_size for place in places)
        if largest > MAX_GROUP_BYTES:
            raise OverflowError
        each = largest / max(group.num_rows, 1)
        yield _Part(path, number, group.num_rows, int(min(MAX_GROUP_BATCH_ROWS, max(BATCH_BYTES / max(each, 1), 1))))


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
        # Too many pairs are refused when they are added.
        found = collected(pairs, query, gathered.max_pairs + 1, engine="streaming")
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

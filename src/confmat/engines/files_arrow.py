"""Parquet and Arrow IPC files counted through PyArrow, where DuckDB is absent or cannot read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from confmat.engines.gathering import Gathered
from confmat.engines.sources import Source
from confmat.errors import InputError, Message

__all__ = ["arrow_columns", "arrow_rows", "count_arrow"]

# Rows of a batch; what is in memory at once is one batch of the columns asked for.
ROWS = 1 << 15
VIEWS = {"string_view": "large_string", "binary_view": "large_binary"}
# As many integers below this add up to less than 63 bits hold.
SMALL = 2.0**44


def arrow_columns(source: Source) -> list[tuple[str, str]]:
    """The names and types of the columns of a file."""
    with _Reading(source) as pa:
        return [(field.name, str(field.type)) for field in _schema(pa, source)]


def count_arrow(source: Source, gathered: Gathered) -> None:
    """Add the rows of a file, batch by batch."""
    asked = gathered.asked
    keys = [asked.actual, asked.predicted, *([] if asked.by is None else [asked.by])]
    with _Reading(source) as pa:
        places = [_schema(pa, source).names.index(name) for name in keys]
        weight = None if asked.weights is None else _schema(pa, source).names.index(asked.weights)
        for batch in _batches(pa, source, sorted({*places, *([] if weight is None else [weight])})):
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
        for batch in file.iter_batches(ROWS, columns=chosen):
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
        small = not len(floats) or compute.max(floats).as_py() < SMALL
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

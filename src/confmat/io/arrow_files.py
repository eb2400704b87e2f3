"""Arrow IPC files, Feather's among them, counted through PyArrow; and the checksums of Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import InputError, Message
from confmat.counting.columns import Column
from confmat.io.gathering import Gathered, Part, joined
from confmat.io.queries import no_numbers, too_heavy
from confmat.io.sources import Source, needed
from confmat.io.threads import Clock, in_order

# Rows of Parquet whose checksums are looked at together.
_BATCH_ROWS = 1 << 15
# Types that PyArrow has no codes for, and others that hold the same.
_CODABLE = {"string_view": "large_string", "binary_view": "large_binary", "halffloat": "float32"}
# The beginning of a Parquet file whose first page has a checksum, which is the fourth field of its
# header.
CHECKED = re.compile(rb"PAR1(?:\x15[\x80-\xff]*[\0-\x7f]){3}\x15")


class ArrowFiles:
    """Reads Arrow files by the columns that are wanted, a batch at a time."""

    def __init__(self, threads: int | None) -> None:
        self._threads = threads

    def columns(self, file: Source) -> list[tuple[str, str]]:
        """The names and types of the columns of a file."""
        with _reading(file) as pa, pa.OSFile(str(file.path)) as stream:
            return [(field.name, str(field.type)) for field in _ipc(pa, stream).schema]

    def add(self, files: Sequence[Source], gathered: Gathered, clock: Clock) -> None:
        """Add the rows of files."""
        whole, done = sum(file.size for file in files), 0
        for file in files:
            with _reading(file) as pa:
                names = gathered.asked.columns
                work = lambda columns, file=file, pa=pa: _part(pa, columns, gathered, file)  # noqa: E731
                for part in in_order(work, _batches(pa, file, names), self._threads):
                    gathered.add(part)
                    clock.tell(done / whole, gathered.rows)
            done += file.size

    def rows(
        self, file: Source, names: Sequence[str], *, differing: bool
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Columns of a file, batch by batch, as Python's values."""
        del differing
        with _reading(file) as pa:
            for columns in _batches(pa, file, names):
                yield list(zip(*(column.to_pylist() for column in columns), strict=True))


def verify_pages(source: Source, names: Sequence[str]) -> None:
    """Hold columns of a Parquet file against its checksums, where it has any: DuckDB does not, and PyArrow can."""
    with source.path.open("rb") as stream:
        if CHECKED.match(stream.read(64)) is None or find_spec("pyarrow") is None:
            return
    with _reading(source):
        file = import_module("pyarrow.parquet").ParquetFile(
            source.path, page_checksum_verification=True
        )
        for _ in file.iter_batches(_BATCH_ROWS, columns=[*names]):
            pass


@contextmanager
def _reading(file: Source) -> Iterator[Any]:
    """PyArrow while a file is read; its errors become one line that names the file."""
    pa = needed("pyarrow", "reading Arrow files")
    try:
        yield pa
    # A name in a damaged schema may be no UTF-8.
    except (pa.ArrowException, OSError, UnicodeError) as error:
        reason = str(error).strip().partition("\n")[0]
        msg = f"{file}: the file is damaged, cut off, or no {file.format} file: {reason}"
        raise InputError(msg) from None


def _ipc(pa: Any, stream: Any, names: Sequence[str] = ()) -> Any:
    """An Arrow file, or else an Arrow stream, of some columns; Feather of version 2 is an Arrow file."""
    ipc = import_module("pyarrow.ipc")

    def opened(**options: Any) -> Any:
        try:
            return ipc.open_file(stream, **options)
        except pa.ArrowInvalid:
            stream.seek(0)
            return ipc.open_stream(stream, **options)

    found = opened()
    if names:
        places = sorted({found.schema.names.index(name) for name in names})
        stream.seek(0)
        found = opened(options=ipc.IpcReadOptions(included_fields=places))
    return found


def _batches(pa: Any, file: Source, names: Sequence[str]) -> Iterator[list[Any]]:
    """Columns of a file, a batch at a time."""
    # No memory map: a file that somebody cuts off meanwhile would end the process.
    with pa.OSFile(str(file.path)) as stream:
        reader = _ipc(pa, stream, names)
        many = getattr(reader, "num_record_batches", None)
        for batch in reader if many is None else map(reader.get_batch, range(many)):
            columns = [batch.column(batch.schema.names.index(name)) for name in names]
            for column in columns:
                # An offset or a code that leads elsewhere would be followed.
                column.validate(full=True)
            yield columns


def _part(pa: Any, columns: list[Any], gathered: Gathered, file: Source) -> Part:
    """The lines of a batch."""
    asked = gathered.asked
    weights = None if asked.weights is None else _weights(pa, columns.pop(), gathered, file)
    return gathered.weighed([_encoded(pa, column) for column in columns], weights)


def _weights(pa: Any, column: Any, gathered: Gathered, file: Source) -> NDArray[Any]:
    """The weights, integers where they are."""
    name = f"{gathered.asked.name(str(gathered.asked.weights))} of {file}"
    kind, types = column.type, pa.types
    if column.null_count:
        msg = Message("{weights} may not be missing, but some in the column {} are", name)
        raise InputError(msg)
    if gathered.asked.tally and types.is_string(kind):
        # A text that is no number is refused below.
        with suppress(pa.ArrowInvalid):
            column, kind = column.cast(pa.float64()), pa.float64()
    if types.is_decimal(kind):
        column = column.cast(pa.float64())
    elif not any(
        is_kind(kind) for is_kind in (types.is_integer, types.is_boolean, types.is_floating)
    ):
        raise no_numbers(name, kind)
    numbers = column.to_numpy(zero_copy_only=False)
    if len(numbers) and not (np.isfinite(numbers).all() and numbers.min() >= 0):
        msg = Message(
            "{weights} must be finite and zero or more, but the column {} holds others", name
        )
        raise InputError(msg)
    if kind == pa.uint64() and len(numbers) and numbers.max() >= 2**63:
        raise too_heavy(gathered.asked)
    return numbers.astype(float if numbers.dtype.kind == "f" else np.int64)


def _encoded(pa: Any, column: Any) -> Column:
    """The codes of a column, and their values."""
    kind = column.type
    if pa.types.is_run_end_encoded(kind):
        return _encoded(pa, import_module("pyarrow.compute").run_end_decode(column))
    if str(kind) in _CODABLE:
        column = column.cast(getattr(pa, _CODABLE[str(kind)])())
    if str(kind) == "extension<arrow.uuid>":
        column = pa.array(
            [None if value is None else str(value) for value in column.to_pylist()], pa.string()
        )
    found = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    # PyArrow itself would import pandas for it.
    codes, _, missing, _ = kernels.kernel.encode_arrow(found.indices)
    codes = codes.astype(np.int64)
    return joined(
        [
            Column(
                codes if missing is None else np.where(missing, -1, codes),
                found.dictionary.to_pylist(),
            )
        ]
    )

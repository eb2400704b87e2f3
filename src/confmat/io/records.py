"""Text files and streams in blocks of whole records, and the readers that count records of CSV, TSV and JSONL."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import InputError, Message
from confmat.core.files import decoded, named
from confmat.core.options import told
from confmat.core.text import printable, some
from confmat.io.gathering import Key, marked

BLOCK_BYTES = 1 << 20
# A record longer than this is no row of a table: a quote was never closed, or there are no lines at all.
MAX_RECORD_BYTES = 64 << 20
# A weight in a text file; no inf, no nan, no underscores.
NUMBER = r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*"
WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")
_NUMBER = re.compile(NUMBER)
# Records of JSONL that are read for the names of their fields.
RECORDS_FOR_NAMES = 100
DELIMITERS = ",\t;|"
# Stands for a field that is empty but quoted, while the csv module reads.
EMPTY = "\0empty\0"
_FIELD = re.compile(r'"(?:[^"]|"")*"')
Columns = Sequence[str]
Fields = tuple[NDArray[np.int32], list[str], NDArray[np.int32], list[str]]
# How many read at the moment, and what the limit was before the first of them.
_readers: list[int] = []
_LIMIT = Lock()


@dataclass(frozen=True, slots=True)
class Block:
    """Whole records: their bytes, where they begin, the line they begin on, and where the next record will begin."""

    data: bytes
    start: int
    line: int
    end: int


def opened_bytes(path: Path, packing: str) -> BinaryIO:
    """A file as a stream of its unpacked bytes."""
    if packing == ".gz":
        return gzip.open(path, "rb")  # type: ignore[return-value]
    return _opened_zst(path) if packing == ".zst" else path.open("rb")


def _opened_zst(path: Path) -> BinaryIO:
    try:
        pa = import_module("pyarrow")
    except ModuleNotFoundError:
        pass
    else:
        return cast("BinaryIO", pa.CompressedInputStream(pa.OSFile(str(path)), "zstd"))
    try:
        zstd = import_module("compression.zstd")  # since Python 3.14
    except ModuleNotFoundError:
        msg = f"{named(path)}: unpacking .zst takes pyarrow, or Python 3.14; or unpack it first"
        raise InputError(msg) from None
    return cast("BinaryIO", zstd.open(path, "rb"))


class Blocks:
    """Reads a stream in blocks that end where a record ends.

    Where `quoted`, a line break between quotes ends no record. A record ends where the number of quotes so far is
    even, since a quote inside of quotes is doubled. Where `hashed`, the bytes that were read have a fingerprint.
    """

    def __init__(self, stream: BinaryIO, name: str, *, quoted: bool, hashed: bool = False) -> None:
        self.name = name
        self.offset = 0
        self.line = 1
        # The last record had no line break behind it: more could be appended to it.
        self.unended = False
        self._stream = stream
        self._quoted = quoted
        self._pending = bytearray()
        self._hash = None
        if hashed:
            # Loads OpenSSL, for which most counts need not wait.
            import hashlib

            self._hash = hashlib.sha256()
        self._ended = False

    def first_line(self) -> bytes:
        """The first record, such as the header of a CSV; empty at the end of the file."""
        while True:
            end = self._first_end()
            if end >= 0 or not self._more():
                return self._taken(end + 1 if end >= 0 else len(self._pending))

    def peek(self) -> bytes:
        """Look at the beginning without taking it: whole lines, or less than one at the end of the stream."""
        while b"\n" not in self._pending and len(self._pending) < MAX_RECORD_BYTES and self._more():
            pass
        return bytes(self._pending[: self._pending.rfind(b"\n") + 1] or self._pending)

    def __iter__(self) -> Iterator[Block]:
        while True:
            more = self._more()
            end = self._last_end() if more else len(self._pending)
            if end > 0:
                start, line = self.offset, self.line
                data = self._taken(end)
                yield Block(data, start, line, self.offset)
            if not more:
                return
            if len(self._pending) > MAX_RECORD_BYTES:
                quote = "; is there a quote that is never closed?" if self._quoted else ""
                msg = f"{self.name}, line {self.line:,}: no record ends within {MAX_RECORD_BYTES >> 20} MB{quote}"
                raise InputError(msg)

    def skip(self, offset: int, fingerprint: str) -> None:
        """Go to a place where reading stopped before, if these are the same bytes up to there."""
        while self.offset < offset:
            if not self._pending and not self._more():
                break
            self._taken(min(offset - self.offset, len(self._pending)))
        if self.offset < offset or self.fingerprint != fingerprint:
            msg = f"{self.name}: this is not the input that the checkpoint was made of, up to byte {offset:,}"
            raise InputError(msg)

    def ahead(self) -> Generator[Block, None, None]:
        """Read blocks that will come again."""
        before, read = {**vars(self), "_hash": self._hash and self._hash.copy()}, bytearray()
        try:
            for block in self:
                read += block.data
                yield block
        finally:
            vars(self).update(before, _pending=read + self._pending, _ended=self._ended)

    @property
    def fingerprint(self) -> str:
        """The hash of the bytes that were read so far."""
        return "" if self._hash is None else self._hash.hexdigest()

    # ---- the buffer ----------------------------------------------------------------------------------------

    def _more(self) -> bool:
        if self._ended:
            return False
        try:
            # A pipe gives what there is, and is not waited for until a whole block has come.
            read = getattr(self._stream, "read1", self._stream.read)
            data = read(BLOCK_BYTES)
        except (OSError, EOFError, zlib.error) as error:
            msg = Message(
                "{}: the file is damaged or cut off after byte {:,}: {}",
                self.name,
                self.offset + len(self._pending),
                error,
            )
            raise InputError(msg) from None
        self._pending += data
        self._ended = not data
        return bool(data)

    def _taken(self, end: int) -> bytes:
        data = bytes(memoryview(self._pending)[:end])
        del self._pending[:end]
        if self._hash is not None:
            self._hash.update(data)
        self.offset += len(data)
        self.line += data.count(b"\n")
        if data:
            self.unended = not data.endswith(b"\n")
        return data

    def _first_end(self) -> int:
        end = self._pending.find(b"\n")
        while self._quoted and end >= 0 and self._pending.count(b'"', 0, end) % 2:
            end = self._pending.find(b"\n", end + 1)
        return end

    def _last_end(self) -> int:
        pending = self._pending
        end = pending.rfind(b"\n") + 1
        if not self._quoted:
            return end
        odd = pending.count(b'"', 0, end) % 2
        while odd and end:
            before = pending.rfind(b"\n", 0, end - 1) + 1
            odd ^= pending.count(b'"', before, end) % 2
            end = before
        return end


def text_of(block: Block, name: str) -> str:
    """The text of a block, which must be UTF-8; an error names the byte of the file, and the line."""
    try:
        return decoded(block.data, block.start, block.line)
    except InputError as error:
        msg = Message("{}, {}", name, error)
        raise InputError(msg) from None


# Counts the rows of a block by (actual, predicted[, group][, weight]).
Reader = Callable[[Block], Counter[Key]]


def reader_of(kind: str, name: str, names: Columns, wanted: Sequence[str], delimiter: str, *, weighted: bool) -> Reader:
    """Return the function that counts a block; `wanted` are the columns, the weight at the end if there is one."""
    if kind == "jsonl":
        lines = _JsonLines(name, wanted)
        return _weighing(lines.count, lines.place, name) if weighted else lines.count
    table = _Table(name, names, wanted, delimiter)
    return _weighing(table.count, table.place, name) if weighted else table.count


# ---- CSV and TSV -------------------------------------------------------------------------------------------


def check_delimiter(delimiter: Any) -> None:
    """Complain of anything but one character, or None for the one that is found."""
    if not (delimiter is None or (isinstance(delimiter, str) and len(delimiter) == 1)):
        msg = Message("{delimiter} must be one character, not {}", told(delimiter))
        raise InputError(msg)


def header_of(blocks: Blocks, delimiter: str | None) -> tuple[list[str], str]:
    """The names of the columns in the first record, and what stands between them."""
    check_delimiter(delimiter)
    line = blocks.line
    data = blocks.first_line()
    text = text_of(Block(data, 0, line, blocks.offset), blocks.name).rstrip("\r\n")
    if not text.strip():
        what = "the first line, which should name the columns, is blank" if data else "the file is empty"
        msg = f"{blocks.name}: {what}"
        raise InputError(msg)
    if re.fullmatch(r"sep=.", text, re.IGNORECASE):
        msg = f"{blocks.name}: the first line, {text!r}, is for Excel alone; leave it out, so that the names come first"
        raise InputError(msg)
    if delimiter is None:
        # The first of them that the header has; to count them would let one odd name decide.
        bare = _FIELD.sub("", text)
        delimiter = next((one for one in DELIMITERS if one in bare), ",")
    try:
        (names,) = csv.reader(
            [text] if "\n" not in text else io.StringIO(text, newline=""), delimiter=delimiter, strict=True
        )
    except (csv.Error, ValueError) as error:
        msg = Message("{}, line {}: {}", blocks.name, line, error)
        raise InputError(msg) from None
    return names, delimiter


def plain_fields(block: Block, delimiter: str, width: int, places: Sequence[int]) -> Fields | None:
    """Codes of two columns, -1 where a field is empty, and their names; None where a block is not plain.

    Plain are blocks without quotes and lone carriage returns whose records all have `width` fields.
    """
    if not delimiter.isascii() or delimiter in '"\r\n\0':
        return None
    # The last line of a file may lack its end.
    data = block.data if block.data.endswith(b"\n") else block.data + b"\n"
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    found: Fields | None = kernels.kernel.encode_fields(data, ord(delimiter), width, *places)
    return found


def _pairs(left: NDArray[np.int32], left_names: list[str], right: NDArray[np.int32], right_names: list[str]) -> Any:
    """How often each pair of names occurs."""
    rows, cols = len(left_names) + 1, len(right_names) + 1
    row, col, many, _, _ = kernels.kernel.count_sparse(left, right, None, -1, rows, -1, cols, 1)
    # The code of an empty field is the first.
    names, others = [None, *left_names], [None, *right_names]
    keys = zip((names[i] for i in row.tolist()), (others[i] for i in col.tolist()), strict=True)
    return Counter(dict(zip(keys, many.tolist(), strict=True)))


def fields_of(text: str, line: int, name: str, width: int, delimiter: str) -> list[list[str]]:
    """The fields of the rows of CSV, all as many as there are columns; one that is empty but quoted is EMPTY."""
    if '""' in text:
        text = _FIELD.sub(lambda field: f'"{EMPTY}"' if field[0] == '""' else field[0], text)
    with _long_fields():
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            every = [row for row in rows if row]
        except csv.Error as error:
            msg = Message("{}, line {:,}: {}", name, line + max(rows.line_num, 1) - 1, error)
            raise InputError(msg) from None
        if set(map(len, every)) - {width}:
            rows, before = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 0
            for row in rows:
                if row and len(row) != width:
                    many = f"{len(row)} field{'s' * (len(row) != 1)}"
                    msg = Message("{}, line {:,}: {} where the header has {}", name, line + before, many, width)
                    raise InputError(msg)
                before = rows.line_num
    return every


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let a field be as long as a record: beside a label may stand a whole document.

    The limit is one for the whole process, so the last of several threads puts it back.
    """
    with _LIMIT:
        _readers.append(csv.field_size_limit(MAX_RECORD_BYTES))
    try:
        yield
    finally:
        with _LIMIT:
            # The first reader has seen the limit that was set before.
            first = _readers[0]
            _readers.pop()
            if not _readers:
                csv.field_size_limit(first)


class _Table:
    """Counts the rows of a block of CSV.

    An empty field is missing unless it is quoted: `a,,b` has a gap and `a,"",b` the label "".
    """

    def __init__(self, name: str, names: Columns, wanted: Sequence[str], delimiter: str) -> None:
        self._name, self._width, self._delimiter = name, len(names), delimiter
        places = [list(names).index(column) for column in wanted]
        self._wanted = places
        self._pick = itemgetter(*places)

    def count(self, block: Block) -> Counter[Key]:
        """The pairs of all rows."""
        text = text_of(block, self._name)
        found = None if len(self._wanted) > 2 else plain_fields(block, self._delimiter, self._width, self._wanted)
        if found is not None:
            return _pairs(*found)
        rows = fields_of(text, block.line, self._name, self._width, self._delimiter)
        counts: Counter[Key] = Counter(map(self._pick, rows))
        odd = [key for key in counts if "" in key or EMPTY in key]
        for key in odd:
            counts[tuple(None if field == "" else "" if field == EMPTY else field for field in key)] += counts.pop(key)
        return counts

    def place(self, block: Block, bad: Callable[[Any], bool]) -> tuple[int, Any]:
        """The first line whose weight is bad, and that weight."""
        rows = csv.reader(io.StringIO(text_of(block, self._name), newline=""), delimiter=self._delimiter, strict=True)
        line = block.line
        with _long_fields():
            for row in rows:
                if row and bad(row[self._wanted[-1]] or None):
                    return line, row[self._wanted[-1]]
                line = block.line + rows.line_num
        return line, None


# ---- JSONL -------------------------------------------------------------------------------------------------


def json_columns(data: bytes, name: str) -> list[str]:
    """The names of the fields in the first records."""
    names: dict[str, None] = {}
    line = 0
    for line, text in enumerate(data.splitlines()[:RECORDS_FOR_NAMES], 1):
        if text.strip():
            block = Block(text, 0 if line == 1 else 1, line, 0)
            names.update(dict.fromkeys(record_of(text_of(block, name), name, line)))
    return list(names)


def record_of(text: str, name: str, line: int, *, strict: bool = True) -> dict[str, Any]:
    """The JSON object of a line; strictly, without the NaN that JSON lacks and some write."""
    try:
        found = _DECODER.decode(text) if strict else json.loads(text)
    except json.JSONDecodeError as error:
        msg = f"{name}, line {line:,}, column {error.colno}: this is no JSON: {error.msg}"
        raise InputError(msg) from None
    except (RecursionError, ValueError) as error:
        msg = Message("{}, line {:,}: {}", name, line, error)
        raise InputError(msg) from None
    if not isinstance(found, dict):
        msg = f"{name}, line {line:,}: a record is a JSON object, not {text.strip():.40}"
        raise InputError(msg)
    return found


def no_label(name: str, line: int, field: str, value: Any) -> InputError:
    """The error for a field that holds what no label is."""
    what = "object" if isinstance(value, dict) else "list"
    return InputError(f"{name}, line {line:,}: {field!r} holds a JSON {what}, which is no label")


def _constant(text: str) -> Any:
    msg = f"{text} is no number that JSON has"
    raise InputError(msg)


_DECODER = json.JSONDecoder(parse_constant=_constant)


class _JsonLines:
    """Counts the records of a block of JSONL; a field that is absent, or null, is missing."""

    def __init__(self, name: str, wanted: Sequence[str]) -> None:
        self._name, self._wanted = name, wanted

    def count(self, block: Block) -> Counter[Key]:
        """The pairs of all records."""
        counts: Counter[Key] = Counter()
        for line, record in self._records(block):
            key = tuple(marked(record.get(name)) for name in self._wanted)
            try:
                counts[key] += 1
            except TypeError:
                field = next(x for x in self._wanted if isinstance(record.get(x), (list, dict)))
                raise no_label(self._name, line, field, record[field]) from None
        return counts

    def _records(self, block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
        for line, text in enumerate(text_of(block, self._name).split("\n"), block.line):
            if text and not text.isspace():
                yield line, record_of(text, self._name, line)

    def place(self, block: Block, bad: Callable[[Any], bool]) -> tuple[int, Any]:
        """The first line whose weight is bad, and that weight."""
        return next(
            (line, one.get(self._wanted[-1])) for line, one in self._records(block) if bad(one.get(self._wanted[-1]))
        )


# ---- weights -----------------------------------------------------------------------------------------------


def _weighing(count: Reader, place: Callable[..., tuple[int, Any]], name: str) -> Reader:
    """Read the weight, the last part of each key, as a number; an error names the line of one that is no number."""

    def weighed(block: Block) -> Counter[Key]:
        counts: Counter[Key] = Counter()
        for key, many in count(block).items():
            weight = key[-1][1] if type(key[-1]) is tuple else key[-1]
            if _is_bad(weight):
                line, value = place(block, _is_bad)
                shown = (
                    "is missing" if value in {None, ""} else f"is {printable(some([value]))}, no number of zero or more"
                )
                msg = f"{name}, line {line:,}: the weight {shown}"
                raise InputError(msg)
            counts[*key[:-1], _number(weight)] += many
        return counts

    return weighed


def _is_bad(weight: Any) -> bool:
    if isinstance(weight, str):
        return not _NUMBER.fullmatch(weight) or not 0 <= float(weight) < float("inf")
    return not isinstance(weight, (int, float)) or not 0 <= weight < 1e308


def _number(weight: Any) -> int | float:
    if isinstance(weight, str):
        return int(weight) if WHOLE.fullmatch(weight) else float(weight)
    return int(weight) if isinstance(weight, bool) else weight

"""Text files and streams in blocks of whole records, and the readers that count records of CSV, TSV and JSONL."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
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
from confmat.io.gathering import CodedRows, Gathered, Key, marked
from confmat.kernels.reference import quoted_field

BLOCK_BYTES = 1 << 20
# A record longer than this is no row of a table: a quote was never closed, or there are no lines at all.
MAX_RECORD_BYTES = 64 << 20
# Bytes at the head and the tail of the read part by which a file is recognized.
HEAD_BYTES, TAIL_BYTES = 1 << 16, 1 << 12
# A weight in a text file; no inf, no nan, no underscores.
NUMBER = r"\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*"
WHOLE = re.compile(r"\s*[-+]?[0-9]+\s*")
_NUMBER = re.compile(NUMBER)
# Records of JSONL that are read for the names of their fields.
RECORDS_FOR_NAMES = 100
DELIMITERS = ",\t;|"
# Stands for a field that is empty but quoted, while the csv module reads; no UTF-8 holds it.
EMPTY = "\udc00"
Columns = Sequence[str]
Encoded = tuple[NDArray[np.int32], list[str]]
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

    A record of CSV ends as `fields_of` says, one of JSONL, which has no delimiters, with a line feed.
    """

    def __init__(self, stream: BinaryIO, name: str, delimiters: str) -> None:
        self.name = name
        # Those of CSV; which of them it is the header says.
        self.delimiters = delimiters
        self.offset = 0
        self.line = 1
        # The last record had no line break behind it: more could be appended to it.
        self.unended = False
        self._stream = stream
        self._pending = bytearray()
        self._head = bytearray()
        self._tail = b""
        self._ended = False

    def first_line(self) -> bytes:
        """The first record, such as the header of a CSV; empty at the end of the file."""
        return self._taken(self._ends()[0])

    def peek(self) -> bytes:
        """Look at the beginning without taking it: whole records."""
        return bytes(self._pending[: self._ends()[1]])

    def __iter__(self) -> Iterator[Block]:
        while not self._ended or self._pending:
            self._more()
            _, end = self._ends()
            if end:
                start, line = self.offset, self.line
                yield Block(self._taken(end), start, line, self.offset)

    def skip(self, offset: int, fingerprint: str) -> None:
        """Go to a place where reading stopped before, if these are the same bytes up to there."""
        while self.offset < offset:
            if not self._pending and not self._more():
                break
            self._taken(min(offset - self.offset, len(self._pending)))
        if self.offset < offset or self.fingerprint() != fingerprint:
            msg = f"{self.name}: this is not the input that the checkpoint was made of, up to byte {offset:,}"
            raise InputError(msg)

    def ahead(self) -> Generator[Block, None, None]:
        """Read blocks that will come again."""
        before, read = {**vars(self), "_head": bytearray(self._head)}, bytearray()
        try:
            for block in self:
                read += block.data
                yield block
        finally:
            vars(self).update(before, _pending=read + self._pending, _ended=self._ended)

    def fingerprint(self) -> str:
        """Identify the bytes read so far: their number, the first and the last of them."""
        # Loads OpenSSL, for which most counts need not wait.
        import hashlib

        return hashlib.sha256(b"%d:%b:%b" % (self.offset, bytes(self._head), self._tail)).hexdigest()

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
        data = bytes(self._pending[:end])
        del self._pending[:end]
        if len(self._head) < HEAD_BYTES:
            self._head += data[: HEAD_BYTES - len(self._head)]
        joined = self._tail[-1:] + data
        self._tail = (self._tail + data)[-TAIL_BYTES:]
        self.offset += len(data)
        self.line += data.count(b"\n")
        if self.delimiters and b"\r" in joined:
            self.line += joined.count(b"\r", 0, -1) - joined.count(b"\r\n")
        if data:
            self.unended = not data.endswith((b"\n", b"\r") if self.delimiters else b"\n")
        return data

    def _ends(self) -> tuple[int, int]:
        """Where the first and the last record end in what is read; more is read until one does, or nothing is left.

        The search begins anew when there is twice as much, so that a long record costs no more than its length.
        """
        while True:
            pending = self._pending
            first, last, size = *self._ends_within(pending), len(pending)
            if self._ended:
                first, last = first or size, size
            if (first or size) > MAX_RECORD_BYTES:
                quote = "; is there a quote that is never closed?" if self.delimiters else ""
                msg = f"{self.name}, line {self.line:,}: no record ends within {MAX_RECORD_BYTES >> 20} MB{quote}"
                raise InputError(msg)
            if last or self._ended:
                return first, last
            while len(pending) <= min(2 * size, MAX_RECORD_BYTES) and self._more():
                pass

    def _ends_within(self, data: bytearray) -> tuple[int, int]:
        if not self.delimiters or (b'"' not in data and b"\r" not in data):
            return data.find(b"\n") + 1, data.rfind(b"\n") + 1
        mark = 3 * (not self.offset and data.startswith(b"\xef\xbb\xbf"))
        first, last = kernels.kernel.record_ends(data[mark:] if mark else data, self.delimiters)
        return first + mark * bool(first), last + mark * bool(last)


def text_of(block: Block, name: str) -> str:
    """The text of a block, which must be UTF-8; an error names the byte of the file, and the line."""
    try:
        return decoded(block.data, block.start, block.line)
    except InputError as error:
        msg = Message("{}, {}", name, error)
        raise InputError(msg) from None


class Reader(ABC):
    """Counts the rows of a block by the columns that are wanted, the weight at the end if there is one."""

    def __init__(self, name: str, wanted: Sequence[str]) -> None:
        self._name, self._wanted = name, wanted

    @abstractmethod
    def count(self, block: Block) -> Counter[Key]:
        """How often each row of fields occurs; a weight is a field like any other."""

    @abstractmethod
    def fields(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last column that is wanted, with the line of each record."""

    def add(self, block: Block, gathered: Gathered) -> None:
        """Add the rows to what was gathered; an error names the line of a weight that is no number."""
        counts = self.count(block)
        if gathered.asked.weights is None:
            gathered.add(counts)
            return
        weighed: Counter[Key] = Counter()
        for key, many in counts.items():
            weight = key[-1][1] if type(key[-1]) is tuple else key[-1]
            if _is_bad(weight):
                line, value = next(found for found in self.fields(block) if _is_bad(found[1]))
                shown = (
                    "is missing" if value in {None, ""} else f"is {printable(some([value]))}, no number of zero or more"
                )
                msg = f"{self._name}, line {line:,}: the weight {shown}"
                raise InputError(msg)
            weighed[*key[:-1], _number(weight)] += many
        gathered.add(weighed)


def reader_of(kind: str, name: str, names: Columns, wanted: Sequence[str], delimiter: str) -> Reader:
    """Return the reader of blocks; `wanted` are the columns, the weight at the end if there is one."""
    return JsonLines(name, wanted) if kind == "jsonl" else Table(name, names, wanted, delimiter)


# ---- CSV and TSV -------------------------------------------------------------------------------------------


def check_delimiter(delimiter: Any) -> None:
    """Complain of anything but one character, or None for the one that is found."""
    if not (delimiter is None or (isinstance(delimiter, str) and re.fullmatch("[\1-\x7f]", delimiter))):
        msg = Message("{delimiter} must be one character of ASCII, not {}", told(delimiter))
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
        bare = quoted_field(DELIMITERS).sub("", text)
        delimiter = next((one for one in DELIMITERS if one in bare), ",")
    blocks.delimiters = delimiter
    with _long_fields():
        try:
            (names,) = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except (csv.Error, ValueError) as error:
            msg = Message("{}, line {}: {}", blocks.name, line, error)
            raise InputError(msg) from None
    return names, delimiter


def weights_of(column: Encoded) -> tuple[NDArray[np.float64], bool]:
    """The numbers of a column, and whether all are integers; ValueError where one is missing or may be no number."""
    codes, names = column
    text, values = "".join(names), np.array(list(map(float, names)))
    # Stripped of the characters of numbers, nothing is left of them; float() takes more than those.
    if text.strip("0123456789.eE+- \t") or (
        len(codes) and not (codes.min() >= 0 <= values.min() <= values.max() < 1e308)
    ):
        raise ValueError
    return values[codes], not any(mark in text for mark in ".eE")


def fields_of(text: str, line: int, name: str, width: int, delimiter: str) -> list[list[str]]:
    """The fields of the rows of CSV, all as many as there are columns; one that is empty but quoted is EMPTY.

    A field is quoted where its first character is a quote, and quotes within it are doubled; a quote anywhere else is a
    character like any other. A record ends with a line feed, a carriage return, or both, and a blank one is none.
    """
    if '""' in text:
        text = quoted_field(delimiter).sub(lambda field: f'"{EMPTY}"' if field[0] == '""' else field[0], text)
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


class Table(Reader):
    """Counts the rows of a block of CSV.

    An empty field is missing unless it is quoted: `a,,b` has a gap and `a,"",b` the label "".
    """

    def __init__(self, name: str, names: Columns, wanted: Sequence[str], delimiter: str) -> None:
        super().__init__(name, wanted)
        self._width, self._delimiter = len(names), delimiter
        self._places = [list(names).index(column) for column in wanted]

    def columns(self, block: Block) -> list[Encoded]:
        """The columns that are wanted."""
        # The last line of a file may lack its end.
        data = block.data if block.data.endswith((b"\n", b"\r")) else block.data + b"\n"
        if not data.isascii():
            # Columns that nobody asked for must be text, too.
            text_of(block, self._name)
        found: list[Encoded] | None = kernels.kernel.encode_fields(data, self._delimiter, self._width, self._places)
        if found is None:
            # The error names the line.
            fields_of(text_of(block, self._name), block.line, self._name, self._width, self._delimiter)
            raise AssertionError(self._name)
        return found

    def count(self, block: Block) -> Counter[Key]:
        """How often each row of fields occurs."""
        columns = self.columns(block)
        if len(columns) > 2:
            parts = (map([*names, None].__getitem__, codes.tolist()) for codes, names in columns)
            return Counter(zip(*parts, strict=True))
        # The code of an empty field is the first.
        (left, names), (right, others) = ((codes, [None, *found]) for codes, found in columns)
        row, col, many, _, _ = kernels.kernel.count_sparse(left, right, None, -1, len(names), -1, len(others), 1)
        pairs = zip((names[i] for i in row.tolist()), (others[i] for i in col.tolist()), strict=True)
        return Counter(dict(zip(pairs, many.tolist(), strict=True)))

    def add(self, block: Block, gathered: Gathered) -> None:
        """Add the rows; weights that are plain numbers are summed as such."""
        if gathered.asked.weights is None:
            super().add(block, gathered)
            return
        rows = CodedRows(len(gathered.asked.keys), gathered.max_pairs)
        *columns, last = self.columns(block)
        try:
            weights, is_whole = weights_of(last)
            rows.add(columns, weights, is_whole=is_whole)
            gathered.add_table(rows.rows())
        except ValueError:
            super().add(block, gathered)

    def fields(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last column, with the line of each row."""
        rows = csv.reader(io.StringIO(text_of(block, self._name), newline=""), delimiter=self._delimiter, strict=True)
        line = block.line
        with _long_fields():
            for row in rows:
                if row:
                    yield line, row[self._places[-1]] or None
                line = block.line + rows.line_num


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


class JsonLines(Reader):
    """Counts the records of a block of JSONL; a field that is absent, or null, is missing."""

    def count(self, block: Block) -> Counter[Key]:
        """How often each row of fields occurs."""
        lines = [text for text in text_of(block, self._name).split("\n") if text and not text.isspace()]
        try:
            # In one piece that takes half the time; whatever is no record of its own moves the marks between them.
            found = _DECODER.decode(f"[{',0,'.join(lines)}]")
        except (ValueError, RecursionError):
            found = []
        records = found[::2]
        if len(found) != max(2 * len(lines) - 1, 0) or any(found[1::2]) or set(map(type, records)) - {dict}:
            records = [record for _, record in self._records(block)]
        columns = [[record.get(name) for record in records] for name in self._wanted]
        if any(set(map(type, column)) - {str, type(None)} for column in columns):
            columns = [[*map(marked, column)] for column in columns]
        try:
            return Counter(zip(*columns, strict=True))
        except TypeError:
            line, field, value = next(
                (line, name, record[name])
                for line, record in self._records(block)
                for name in self._wanted
                if isinstance(record.get(name), (list, dict))
            )
            raise no_label(self._name, line, field, value) from None

    def fields(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last field that is wanted, with the line of each record."""
        return ((line, record.get(self._wanted[-1])) for line, record in self._records(block))

    def _records(self, block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
        for line, text in enumerate(text_of(block, self._name).split("\n"), block.line):
            if text and not text.isspace():
                yield line, record_of(text, self._name, line)


# ---- weights -----------------------------------------------------------------------------------------------


def _is_bad(weight: Any) -> bool:
    if isinstance(weight, str):
        return not _NUMBER.fullmatch(weight) or not 0 <= float(weight) < float("inf")
    return not isinstance(weight, (int, float)) or not 0 <= weight < 1e308


def _number(weight: Any) -> int | float:
    if isinstance(weight, str):
        return int(weight) if WHOLE.fullmatch(weight) else float(weight)
    return int(weight) if isinstance(weight, bool) else weight

"""Text files and streams in blocks of whole records, and the readers that count records of CSV, TSV and JSONL."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import string
import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import InputError, Message
from confmat.core.files import decoded, named
from confmat.core.options import told
from confmat.core.text import printable, some
from confmat.counting.columns import Column
from confmat.io.gathering import Gathered, Part, joined, listed
from confmat.io.sources import needed
from confmat.kernels.reference import long_fields, quoted_field

BLOCK_BYTES = 1 << 20
# A record longer than this is no row of a table: a quote was never closed, or there are no lines at
# all.
MAX_RECORD_BYTES = 64 << 20
# The characters of weights in a text file; no inf, no nan, no underscores.
_NUMERIC = "0123456789.eE+-" + string.whitespace
# A number with one of these is no integer.
_POINTS = frozenset(".eE")
# Records of JSONL that are read for the names of their fields.
RECORDS_FOR_NAMES = 100
DELIMITERS = ",\t;|"
OPEN = "a quote is opened here and never closed"
Columns = Sequence[str]


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
    return opened_zst(path, named(path)) if packing == ".zst" else path.open("rb")


def opened_zst(source: Path | BinaryIO, name: str) -> BinaryIO:
    """A file or a stream that Zstandard has packed, unpacked."""
    return cast(
        "BinaryIO",
        needed("pyarrow", f"{name}: unpacking Zstandard").CompressedInputStream(source, "zstd"),
    )


class Blocks:
    """Reads a stream in blocks that end where a record ends.

    A record of CSV ends as `Table` says, one of JSONL, which has no delimiters, with a line feed.
    Where `hashed`, the bytes that were read have a fingerprint.
    """

    def __init__(
        self, stream: BinaryIO, name: str, delimiters: str, *, hashed: bool = False
    ) -> None:
        self.name = name
        # The delimiters that may be between fields; the header says which one does.
        self.delimiters = delimiters
        self.offset = 0
        self.line = 1
        # The last record had no line break behind it: more could be appended to it.
        self.unended = False
        self._stream = stream
        self._pending = bytearray()
        self._hash = None
        if hashed:
            # Loads OpenSSL, for which most counts need not wait.
            import hashlib

            self._hash = hashlib.sha256()
        self._ended = self._returned = False

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

    # ---- the buffer ------------------------------------------------------------------------------

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
        if self.delimiters and (b"\r" in data or self._returned):
            # A carriage return at the end is a line of its own unless a line feed follows.
            self.line += (
                data.count(b"\r")
                - data.count(b"\r\n")
                - (self._returned and data.startswith(b"\n"))
            )
            self._returned = data.endswith(b"\r")
        if data:
            self.unended = not data.endswith((b"\n", b"\r") if self.delimiters else b"\n")
        return data

    def _ends(self) -> tuple[int, int]:
        """Where the first and the last record end in what is read; more is read until one does, or nothing is left.

        The search begins anew when there is twice as much, so that a long record costs no more than
        its length.
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
    """Reads the rows of blocks by the columns that are wanted, that of the weights last."""

    def __init__(self, name: str, wanted: Sequence[str]) -> None:
        self._name, self._wanted = name, wanted

    @abstractmethod
    def columns(self, block: Block) -> list[Column]:
        """The columns of a block."""

    @abstractmethod
    def records(self, block: Block) -> Iterator[tuple[int, list[Any]]]:
        """The fields that are wanted with the line of each record, slowly; an error names the line."""

    def rows(self, block: Block) -> list[tuple[Any, ...]]:
        """The rows of a block, None where something is missing."""
        return list(zip(*(column.tolist() for column in self.columns(block)), strict=True))

    def counted(self, block: Block, gathered: Gathered) -> Part:
        """The lines of a block; an error names the line of a weight that is no number."""
        columns, weights = self.columns(block), None
        if gathered.asked.weights is not None:
            weights = _weights(columns.pop())
            if weights is None:
                raise self._bad_weight(block)
        return gathered.weighed(columns, weights)

    def _bad_weight(self, block: Block) -> InputError:
        line, value = next(
            (at, row[-1]) for at, row in self.records(block) if _weights(listed(row[-1:])) is None
        )
        shown = "is missing"
        if value not in {None, ""}:
            shown = f"is {printable(some([value]))}, no number of zero or more, or an integer beyond 63 bits"
        return InputError(f"{self._name}, line {line:,}: the weight {shown}")


def _weights(column: Column) -> NDArray[Any] | None:
    """The numbers of a column, integers where all are; None where one is missing, or no number of zero or more."""
    names = column.names or ()
    text = "".join(name for name in names if isinstance(name, str))
    # Each number is judged by itself: what else a block holds depends on where the block ends.
    try:
        numbers = [(float if _is_fraction(name) else int)(name) for name in names]
        values = np.array([number for number in numbers if isinstance(number, int)], np.int64)
        if len(values) < len(numbers):
            values = np.array(numbers, float)
    except (ValueError, OverflowError):
        return None
    good = (
        not text.strip(_NUMERIC)
        and (column.codes >= 0).all()
        and ((values >= 0) & np.isfinite(values)).all()
    )
    return values[column.codes] if good else None


def _is_fraction(name: Any) -> bool:
    return isinstance(name, float) or (isinstance(name, str) and not _POINTS.isdisjoint(name))


# ---- CSV and TSV ---------------------------------------------------------------------------------


def check_delimiter(delimiter: Any) -> None:
    """Complain of anything but one character, or None for the one that is found."""
    if not (
        delimiter is None or (isinstance(delimiter, str) and re.fullmatch("[\1-\x7f]", delimiter))
    ):
        msg = Message("{delimiter} must be one character of ASCII, not {}", told(delimiter))
        raise InputError(msg)


def header_of(blocks: Blocks, delimiter: str | None) -> tuple[list[str], str]:
    """The names of the columns in the first record, and what is between them."""
    check_delimiter(delimiter)
    line = blocks.line
    data = blocks.first_line()
    text = text_of(Block(data, 0, line, blocks.offset), blocks.name).rstrip("\r\n")
    if not text.strip():
        what = (
            "the first line, which should name the columns, is blank"
            if data
            else "the file is empty"
        )
        msg = f"{blocks.name}: {what}"
        raise InputError(msg)
    if re.fullmatch(r"sep=.", text, re.IGNORECASE):
        msg = f"{blocks.name}: the first line, {text!r}, is for Excel alone; leave it out, so that the names come first"
        raise InputError(msg)
    if delimiter is None:
        # The first of them that the header has; to count them would let one odd name decide.
        bare = quoted_field(DELIMITERS).sub("", text)
        delimiter = next((delimiter for delimiter in DELIMITERS if delimiter in bare), ",")
    blocks.delimiters = delimiter
    with long_fields():
        try:
            (names,) = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except (csv.Error, ValueError) as error:
            reason = OPEN if str(error) == "unexpected end of data" else error
            msg = Message("{}, line {}: {}", blocks.name, line, reason)
            raise InputError(msg) from None
    return names, delimiter


class Table(Reader):
    """Reads the rows of a block of CSV.

    A field is quoted where its first character is a quote, and quotes within it are doubled; a
    quote anywhere else is a character like any other. A record ends with a line feed, a carriage
    return, or both, and a blank one is none. An empty field is missing unless it is quoted: `a,,b`
    has a gap and `a,"",b` the label "".
    """

    def __init__(self, name: str, names: Columns, wanted: Sequence[str], delimiter: str) -> None:
        super().__init__(name, wanted)
        self._width, self._delimiter = len(names), delimiter
        # The first of those of one name.
        places = {name: place for place, name in reversed([*enumerate(names)])}
        self._places = [places[column] for column in wanted]

    def columns(self, block: Block) -> list[Column]:
        """The columns that are wanted."""
        # The last line of a file may lack its end.
        data = block.data if block.data.endswith((b"\n", b"\r")) else block.data + b"\n"
        if not data.isascii():
            # Columns that nobody asked for must be text, too.
            text_of(block, self._name)
        found = kernels.kernel.encode_fields(data, self._delimiter, self._width, self._places)
        if found is None:
            # The error names the line.
            raise AssertionError(list(self.records(block)))
        return [Column(*facts, holes=True) for facts in found]

    def records(self, block: Block) -> Iterator[tuple[int, list[Any]]]:
        """The fields that are wanted, with the line of each row."""
        text, line = text_of(block, self._name), block.line
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter, strict=True)
        with long_fields():
            try:
                for row in rows:
                    if row and len(row) != self._width:
                        many = f"{len(row)} field{'s' * (len(row) != 1)}"
                        msg = Message(
                            "{}, line {:,}: {} where the header has {}",
                            self._name,
                            line,
                            many,
                            self._width,
                        )
                        raise InputError(msg)
                    if row:
                        yield line, [row[place] for place in self._places]
                    line = block.line + rows.line_num
            except csv.Error as error:
                is_open = str(error) == "unexpected end of data"
                at = line if is_open else block.line + max(rows.line_num, 1) - 1
                msg = Message("{}, line {:,}: {}", self._name, at, OPEN if is_open else error)
                raise InputError(msg) from None


# ---- JSONL ---------------------------------------------------------------------------------------


def json_columns(data: bytes, name: str) -> list[str]:
    """The names of the fields in the first records."""
    names: dict[str, None] = {}
    line = 0
    for line, text in enumerate(data.split(b"\n", RECORDS_FOR_NAMES)[:RECORDS_FOR_NAMES], 1):
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
    """Reads the records of a block of JSONL; a field that is absent, or null, is missing."""

    def columns(self, block: Block) -> list[Column]:
        """The fields that are wanted; one label may be written in several ways."""
        if not block.data.isascii():
            text_of(block, self._name)
        found = kernels.kernel.encode_json_lines(block.data, list(self._wanted))
        if found is not None:
            return [
                joined([Column(codes, json.loads(f"[{','.join(names)}]"))])
                for codes, names in found
            ]
        # The json module says what is wrong, and takes everything else that it should.
        rows = [fields for _, fields in self.records(block)]
        return [listed(row[place] for row in rows) for place in range(len(self._wanted))]

    def records(self, block: Block) -> Iterator[tuple[int, list[Any]]]:
        """The fields that are wanted, with the line of each record."""
        for line, text in enumerate(text_of(block, self._name).split("\n"), block.line):
            if text and not text.isspace():
                record = record_of(text, self._name, line)
                fields = [record.get(name) for name in self._wanted]
                for name, value in zip(self._wanted, fields, strict=True):
                    if isinstance(value, (list, dict)):
                        raise no_label(self._name, line, name, value)
                yield line, fields

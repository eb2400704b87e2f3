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
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import InputError, Message
from confmat.core.files import decoded, named
from confmat.core.options import told
from confmat.core.text import printable, some
from confmat.counting.examples import unmarked
from confmat.io.gathering import CodedRows, Gathered, Key, marked
from confmat.kernels.reference import long_fields, quoted_field

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
# Stands for a field that is empty but quoted, while the csv module reads; no UTF-8 holds it.
EMPTY = "\udc00"
OPEN = "a quote is opened here and never closed"
Columns = Sequence[str]
Encoded = tuple[NDArray[np.int32], list[Any]]


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
    try:
        pa = import_module("pyarrow")
    except ModuleNotFoundError:
        pass
    else:
        return cast("BinaryIO", pa.CompressedInputStream(source, "zstd"))
    try:
        zstd = import_module("compression.zstd")  # since Python 3.14
    except ModuleNotFoundError:
        msg = f"{name}: unpacking Zstandard takes pyarrow, or Python 3.14; or unpack it first"
        raise InputError(msg) from None
    return cast("BinaryIO", zstd.open(source, "rb"))


class Blocks:
    """Reads a stream in blocks that end where a record ends.

    A record of CSV ends as `fields_of` says, one of JSONL, which has no delimiters, with a line feed. Where `hashed`,
    the bytes that were read have a fingerprint.
    """

    def __init__(self, stream: BinaryIO, name: str, delimiters: str, *, hashed: bool = False) -> None:
        self.name = name
        # The delimiters that may stand between fields; the header says which one does.
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

    # ---- the buffer ----------------------------------------------------------------------------------------

    def _more(self) -> bool:
        if self._ended:
            return False
        try:
            # A pipe gives what there is, and is not waited for until a whole block has come.
            read = getattr(self._stream, "read1", self._stream.read)
            # Beside a checkpoint one thread counts; the further it is, the fewer tables it adds up.
            grown = 0 if self._hash is None else min(self.offset >> 4, 8 * BLOCK_BYTES)
            data = read(max(BLOCK_BYTES, grown))
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
            self.line += data.count(b"\r") - data.count(b"\r\n") - (self._returned and data.startswith(b"\n"))
            self._returned = data.endswith(b"\r")
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
    def columns(self, block: Block) -> list[Encoded]:
        """Codes of each column, -1 where something is missing, and the different labels, `marked`."""

    @abstractmethod
    def weights(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last column, with the line of each record."""

    def count(self, block: Block) -> Counter[Key]:
        """How often each row occurs; a weight is a label like any other."""
        columns = self.columns(block)
        if len(columns) > 2:
            parts = (map([*names, None].__getitem__, codes.tolist()) for codes, names in columns)
            return Counter(zip(*parts, strict=True))
        # The code of what is missing is the first.
        (left, names), (right, others) = ((codes, [None, *found]) for codes, found in columns)
        row, col, many, _, _ = kernels.kernel.count_sparse(left, right, None, -1, len(names), -1, len(others), 1)
        pairs = zip((names[i] for i in row.tolist()), (others[i] for i in col.tolist()), strict=True)
        return Counter(dict(zip(pairs, many.tolist(), strict=True)))

    def add(self, block: Block, gathered: Gathered) -> None:
        """Add the rows to what was gathered; an error names the line of a weight that is no number."""
        if gathered.asked.weights is None:
            gathered.add(self.count(block))
            return
        rows = CodedRows(gathered)
        *columns, last = self.columns(block)
        try:
            rows.add(columns, *weights_of(last))
            found = [column.tolist() for column in rows.columns()]
        except ValueError:
            gathered.add(self._weighed(block))
        else:
            gathered.add_table(zip(*found, strict=True))

    def _weighed(self, block: Block) -> Counter[Key]:
        """How often each row occurs with each weight, as it is written: exact, and slow."""
        weighed: Counter[Key] = Counter()
        for key, many in self.count(block).items():
            weight = unmarked(key[-1])
            if _is_bad(weight):
                line, value = next(found for found in self.weights(block) if _is_bad(found[1]))
                shown = (
                    "is missing"
                    if value in {None, ""}
                    else f"is {printable(some([value]))}, no number of zero or more, or an integer beyond 64 bits"
                )
                msg = f"{self._name}, line {line:,}: the weight {shown}"
                raise InputError(msg)
            weighed[*key[:-1], _number(weight)] += many
        return weighed


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
    with long_fields():
        try:
            (names,) = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except (csv.Error, ValueError) as error:
            said = OPEN if str(error) == "unexpected end of data" else error
            msg = Message("{}, line {}: {}", blocks.name, line, said)
            raise InputError(msg) from None
    return names, delimiter


def weights_of(column: Encoded) -> tuple[NDArray[np.float64], bool]:
    """The numbers of a column, and whether all are integers; ValueError where one is missing or may be no number."""
    codes, names = column
    numbers = [unmarked(name) for name in names]
    types = set(map(type, numbers))
    if types == {str}:
        text = "".join(names)
        # Stripped of the characters of numbers, nothing is left of them; float() takes more than those.
        is_number, is_whole = not text.strip("0123456789.eE+- \t"), not any(mark in text for mark in ".eE")
    else:
        is_number, is_whole = types <= {int, float}, types == {int}
    try:
        values = np.array(list(map(float, numbers)) if is_number else ())
    except OverflowError:
        raise ValueError from None
    if not is_number or not (len(values) and codes.min() >= 0 and 0 <= values.min() <= values.max() < 1e150):
        raise ValueError
    return values[codes], is_whole


def fields_of(text: str, line: int, name: str, width: int, delimiter: str) -> list[list[str]]:
    """The fields of the rows of CSV, all as many as there are columns; one that is empty but quoted is EMPTY.

    A field is quoted where its first character is a quote, and quotes within it are doubled; a quote anywhere else is a
    character like any other. A record ends with a line feed, a carriage return, or both, and a blank one is none.
    """
    if '""' in text:
        text = quoted_field(delimiter).sub(lambda field: f'"{EMPTY}"' if field[0] == '""' else field[0], text)
    with long_fields():
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        try:
            every = [row for row in rows if row]
        except csv.Error as error:
            at, said = max(rows.line_num, 1) - 1, str(error)
            if said == "unexpected end of data":
                rows, at, said = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), 0, OPEN
                with suppress(csv.Error):
                    for _ in rows:
                        at = rows.line_num
            msg = Message("{}, line {:,}: {}", name, line + at, said)
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

    def weights(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last column, with the line of each row."""
        rows = csv.reader(io.StringIO(text_of(block, self._name), newline=""), delimiter=self._delimiter, strict=True)
        line = block.line
        with long_fields():
            for row in rows:
                if row:
                    yield line, row[self._places[-1]] or None
                line = block.line + rows.line_num


# ---- JSONL -------------------------------------------------------------------------------------------------


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
    """Counts the records of a block of JSONL; a field that is absent, or null, is missing."""

    def columns(self, block: Block) -> list[Encoded]:
        """The fields that are wanted."""
        if not block.data.isascii():
            text_of(block, self._name)
        found = kernels.kernel.encode_json_lines(block.data, list(self._wanted))
        columns = (
            self._columns(block)
            if found is None
            else [(codes, json.loads(f"[{','.join(one)}]")) for codes, one in found]
        )
        # One label may be written in several ways.
        places: list[dict[Any, int]] = [{} for _ in columns]
        numbers = [
            np.array([*(known.setdefault(marked(value), len(known)) for value in values), -1], np.int32)
            for known, (_, values) in zip(places, columns, strict=True)
        ]
        return [(one[codes], [*known]) for one, known, (codes, _) in zip(numbers, places, columns, strict=True)]

    def _columns(self, block: Block) -> list[tuple[NDArray[np.int32], Iterable[Any]]]:
        """The same with the json module, which says what is wrong, and takes everything else that it should."""
        values: list[list[Any]] = [[] for _ in self._wanted]
        codes: list[list[int]] = [[] for _ in self._wanted]
        for line, record in self._records(block):
            for name, column, places in zip(self._wanted, values, codes, strict=True):
                value = record.get(name)
                if isinstance(value, (list, dict)):
                    raise no_label(self._name, line, name, value)
                places.append(-1 if value is None else len(column))
                column.append(value)
        return [(np.array(places, np.int32), column) for places, column in zip(codes, values, strict=True)]

    def weights(self, block: Block) -> Iterator[tuple[int, Any]]:
        """The last field that is wanted, with the line of each record."""
        return ((line, record.get(self._wanted[-1])) for line, record in self._records(block))

    def _records(self, block: Block) -> Iterator[tuple[int, dict[str, Any]]]:
        for line, text in enumerate(text_of(block, self._name).split("\n"), block.line):
            if text and not text.isspace():
                yield line, record_of(text, self._name, line)


# ---- weights -----------------------------------------------------------------------------------------------


def _is_bad(weight: Any) -> bool:
    if isinstance(weight, str):
        if not _NUMBER.fullmatch(weight) or float(weight) == float("inf"):
            return True
        weight = _number(weight)
    most = 2**64 if isinstance(weight, int) else float("inf")
    return not isinstance(weight, (int, float)) or not 0 <= weight < most


def _number(weight: Any) -> int | float:
    if isinstance(weight, str):
        return int(weight) if WHOLE.fullmatch(weight) else float(weight)
    return int(weight) if isinstance(weight, bool) else weight

"""Bytes of a text file or a stream in blocks of whole records, with offsets, line numbers and unpacking."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import BinaryIO, cast

from confmat._files import decoded, named
from confmat.errors import InputError, Message

__all__ = ["LONGEST", "Block", "Blocks", "opened_bytes", "text_of"]

SIZE = 1 << 20
# A record longer than this is no row of a table: a quote was never closed, or there are no lines at all.
LONGEST = 64 << 20
# How much of the head and the tail of what was read says that it is the same file.
HEAD, TAIL = 1 << 16, 1 << 12


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
    even, since a quote inside of quotes is doubled.
    """

    def __init__(self, stream: BinaryIO, name: str, *, quoted: bool) -> None:
        self.name = name
        self.offset = 0
        self.line = 1
        # The last record had no line break behind it: more could be appended to it.
        self.unended = False
        self._stream = stream
        self._quoted = quoted
        self._pending = bytearray()
        self._head = bytearray()
        self._tail = b""
        self._ended = False

    def first_line(self) -> bytes:
        """The first record, such as the header of a CSV; empty at the end of the file."""
        while True:
            end = self._first_end()
            if end >= 0 or not self._more():
                return self._taken(end + 1 if end >= 0 else len(self._pending))

    def peek(self) -> bytes:
        """What comes first, without taking it: whole lines, or less than one at the end of the stream."""
        while b"\n" not in self._pending and len(self._pending) < LONGEST and self._more():
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
            if len(self._pending) > LONGEST:
                quote = "; is there a quote that is never closed?" if self._quoted else ""
                msg = f"{self.name}, line {self.line:,}: no record ends within {LONGEST >> 20} MB{quote}"
                raise InputError(msg)

    def skip(self, offset: int, fingerprint: str) -> None:
        """Go to a place where reading stopped before, if these are the same bytes up to there."""
        while self.offset < offset:
            if not self._pending and not self._more():
                break
            self._taken(min(offset - self.offset, len(self._pending)))
        if self.offset < offset or self.fingerprint() != fingerprint:
            msg = f"{self.name}: this is not the input that the checkpoint was made of, up to byte {offset:,}"
            raise InputError(msg)

    def fingerprint(self) -> str:
        """What the bytes read so far are recognised by: how many, the first and the last of them."""
        return hashlib.sha256(b"%d:%b:%b" % (self.offset, bytes(self._head), self._tail)).hexdigest()

    # ---- the buffer ----------------------------------------------------------------------------------------

    def _more(self) -> bool:
        if self._ended:
            return False
        try:
            # A pipe gives what there is, and is not waited for until a whole block has come.
            read = getattr(self._stream, "read1", self._stream.read)
            data = read(SIZE)
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
        if len(self._head) < HEAD:
            self._head += data[: HEAD - len(self._head)]
        self._tail = (self._tail + data)[-TAIL:]
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

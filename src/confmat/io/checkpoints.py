"""Checkpoints: the counts so far and the place in the input, stored in one file, so that a killed count can go on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from confmat.core.errors import FileError, InputError
from confmat.core.files import named, path_of, read_text, refused, unwritten, write_text
from confmat.core.text import printable
from confmat.io.gathering import Gathered
from confmat.io.queries import Asked
from confmat.io.records import Blocks
from confmat.io.sources import Source, steady

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Every stored file begins so, and ends with the checksum of what is before it.
FORMAT = '{"format": "confmat.checkpoint", "version": 2, '
CHECKSUM = ', "checksum": '
# A killed count repeats no more than the rows since the last store.
SECONDS_BETWEEN_STORES = 1.0
# Storing many pairs takes long; it is done so rarely that it takes a tenth of the time at most.
REST_PER_STORE = 10


class Checkpoint:
    """The file that a killed count goes on from; within `with`, it belongs to this process alone.

    It holds the sums and the place in the input as one document that appears by rename: whatever
    moment a kill comes at, the two belong together, so no row is lost and none counted twice. A
    finished count leaves its file; counting again adds what has been appended since.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # A link and its target are one checkpoint, and have one lock.
        self.path = Path(os.path.realpath(path_of(path)))
        if self.path.exists() and not (self.path.is_file() or self.path.is_dir()):
            # A device may be read without end.
            msg = f"{named(self.path)}: a checkpoint is an ordinary file, and this is a pipe or a device"
            raise InputError(msg)
        self._lock: int | None = None
        self._owner = os.getpid()
        self._last, self._rest = time.monotonic(), 0.0
        # Whether anything was counted that the file does not hold.
        self._has_more = False
        # Files that were counted whole: their sizes, and hashes of their bytes.
        self._whole: dict[str, tuple[int, str]] = {}
        # The input that `go_on` and `keep` speak of.
        self.name = ""
        self._place: dict[str, Any] | None = None
        self._stored: dict[str, Any] | None = None

    def __enter__(self) -> Self:
        self._lock = self._locked()
        try:
            self._stored = self._read()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            # In this order: whoever opened the file before it went looks whether it is still the
            # one of this name. A child of a fork leaves the lock to its parent.
            if self._owner == os.getpid():
                self._lock_path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def begin(self, gathered: Gathered) -> None:
        """Take up what was stored; it must be of the same columns."""
        self._clean()
        if self._stored is None:
            return
        if self._stored["columns"] != _columns(gathered.asked):
            before, now = (
                ", ".join(filter(None, columns))
                for columns in (self._stored["columns"], _columns(gathered.asked))
            )
            msg = (
                f"{named(self.path)}: the checkpoint is of the columns {printable(before)}, and now "
                f"{printable(now)} are to be counted; remove it, or give another name"
            )
            raise InputError(msg)
        gathered.take(self._stored["counts"])
        self._whole = self._stored["files"]
        self._place = self._stored["place"]

    @property
    def open_input(self) -> str | None:
        """The input that was left in the middle, or at an end that may have moved."""
        return None if self._place is None else str(self._place["input"])

    def check(self, keys: Collection[str]) -> None:
        """Refuse a checkpoint with inputs that are not counted now: its sums would be those of other files."""
        for name in [*self._whole, *([] if self._place is None else [self._place["input"]])]:
            if name not in keys:
                what = f"{name}, which is" if name else "a stream, which is"
                msg = (
                    f"{named(self.path)}: the checkpoint holds counts of {what} not among what is to be counted "
                    "now; remove it, or give another name"
                )
                raise InputError(msg)

    def is_counted(self, key: str, file: Source) -> bool:
        """Whether a file was counted whole, and has not changed since."""
        if key not in self._whole:
            return False
        size, digest = self._whole[key]
        if size == file.size and digest == _digest_of(file):
            return True
        now = f"has {file.size:,} now" if size != file.size else "has other content now"
        msg = f"{named(self.path)}: {key} was counted with {size:,} bytes and {now}; remove the checkpoint, count anew"
        raise InputError(msg)

    @contextlib.contextmanager
    def whole(self, files: Sequence[tuple[str, Source]], gathered: Gathered) -> Iterator[None]:
        """Files that are counted inside, each from its beginning to its end."""
        with steady(file for _, file in files):
            yield
            found = {key: (file.size, _digest_of(file)) for key, file in files}
        self._whole |= found
        self._place = None
        self._has_more = True
        self.store(gathered)

    def go_on(self, blocks: Blocks) -> None:
        """Skip what of this input has been counted."""
        place, self._place = self._place, None
        if place is None:
            return
        blocks.skip(place["offset"], place["fingerprint"])
        if place["unended"] and blocks.peek()[:1] not in {b"", b"\n", b"\r"}:
            msg = f"{blocks.name}, line {blocks.line:,}: this line was not at its end when it was counted"
            raise InputError(msg)

    def keep(self, gathered: Gathered, blocks: Blocks) -> None:
        """Note how far this input is counted, and store it now and then."""
        self._place = {
            "input": self.name,
            "offset": blocks.offset,
            "fingerprint": blocks.fingerprint,
            "unended": blocks.unended,
        }
        self._has_more = True
        self.store(gathered)

    def store(self, gathered: Gathered, *, now: bool = False) -> None:
        """Write the file, if there is more to hold and the last time is long enough ago."""
        began = time.monotonic()
        is_time = now or began - self._last >= SECONDS_BETWEEN_STORES * max(1, self._rest)
        if not (self._has_more and is_time):
            return
        document = {
            "columns": _columns(gathered.asked),
            "files": self._whole,
            "place": self._place,
            "counts": gathered.to_data(),
        }
        text = FORMAT + json.dumps(document)[1:-1]
        write_text(f"{text}{CHECKSUM}{_checksum(text)}", self.path)
        self._last, self._has_more = time.monotonic(), False
        self._rest = REST_PER_STORE * (self._last - began)

    def _read(self) -> dict[str, Any] | None:
        try:
            stored = read_text(self.path, "a checkpoint", large=True)
        except FileNotFoundError:
            return None
        except FileError:
            raise
        except ValueError:
            stored = ""
        if not stored.startswith(FORMAT):
            msg = f"{named(self.path)}: this is no checkpoint of this version of confmat; give another name"
            raise InputError(msg)
        text, _, checksum = stored.rpartition(CHECKSUM)
        if checksum != _checksum(text):
            msg = f"{named(self.path)}: the checkpoint is damaged; remove it, and count anew"
            raise InputError(msg)
        found: dict[str, Any] = json.loads(text + "}")
        return found

    # ---- the lock --------------------------------------------------------------------------------

    @property
    def _lock_path(self) -> Path:
        return self.path.with_name(f".{self.path.name}.lock")

    def _locked(self) -> int | None:
        """The lock of this checkpoint; the system takes it from a process that dies. None where it knows no locks."""
        if fcntl is None:
            return None
        while True:
            try:
                lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            except OSError as error:
                raise unwritten(self.path, error) from None
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock), self._lock_path.stat()):
                    if os.read(lock, 8) not in {b"", b"process "}:
                        os.close(lock)
                        msg = f"{named(self._lock_path)}: this is no lock of a checkpoint; give another name"
                        raise InputError(msg)
                    os.ftruncate(lock, 0)
                    os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
                    return lock
            except BlockingIOError:
                owner = os.read(lock, 200).decode(errors="replace") or "another process"
                os.close(lock)
                msg = f"{named(self.path)}: {named(owner)} is counting with this checkpoint; wait, or give another name"
                raise InputError(msg) from None
            except FileNotFoundError:
                pass  # The owner has just ended.
            except OSError:
                os.close(lock)
                return None
            os.close(lock)

    def _clean(self) -> None:
        """Remove what a kill in the middle of storing has left; nobody else writes it while the lock is ours."""
        left = re.compile(rf"\.{re.escape(self.path.name)}\.[0-9a-f]{{16}}\.tmp")
        with contextlib.suppress(OSError):
            for path in self.path.parent.iterdir() if self._lock is not None else ():
                if left.fullmatch(path.name):
                    path.unlink()


def _columns(asked: Asked) -> list[str | None]:
    return [
        asked.actual,
        asked.predicted,
        asked.weights,
        asked.by or asked.part,
        *(["tally"] if asked.tally else []),
    ]


def _checksum(text: str) -> str:
    import hashlib

    return f'"{hashlib.sha256(text.encode()).hexdigest()}"}}'


def _digest_of(file: Source) -> str:
    import hashlib

    try:
        with file.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise refused(file.path, error, "rows") from None

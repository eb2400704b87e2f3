"""Checkpoints: the counts so far and the place in the input, stored in one file, so that a killed count can go on."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Collection
from typing import Any

from confmat.core.errors import FileError, InputError
from confmat.core.files import named, path_of, read_text
from confmat.io.gathering import Gathered
from confmat.io.queries import Asked
from confmat.io.records import Blocks
from confmat.io.storage import write_text

FORMAT, VERSION = "confmat.checkpoint", 1
# Storing takes milliseconds, and a killed count repeats no more than the rows since the last store.
SECONDS_BETWEEN_STORES = 1.0


class Checkpoint:
    """The file that a killed count goes on from.

    It holds the sums and the place in the input as one document that appears by rename: whatever moment a kill
    comes at, the two belong together, so no row is lost and none counted twice. A finished count leaves its file;
    counting again adds what has been appended since.
    """

    def __init__(self, path: str | os.PathLike[str], every: float | None = None) -> None:
        self.path = path_of(path)
        self._every = SECONDS_BETWEEN_STORES if every is None else every
        self._last = time.monotonic()
        self._whole: list[list[Any]] = []
        self._name = ""
        self._place: dict[str, Any] | None = None
        self._stored = self._read()

    def begin(self, gathered: Gathered) -> None:
        """Take up what was stored; it must be of the same columns."""
        self._clean()
        if self._stored is None:
            return
        if self._stored["columns"] != _columns(gathered.asked):
            msg = f"{named(self.path)}: the checkpoint is of the columns {self._stored['columns']}, not of these"
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
        for name in [*(name for name, _ in self._whole), *([] if self._place is None else [self._place["input"]])]:
            if name not in keys:
                what = f"{name}, which is" if name else "a stream, which is"
                msg = f"{named(self.path)}: the checkpoint holds counts of {what} not among what is to be counted now"
                raise InputError(msg)

    def is_counted(self, key: str, size: int) -> bool:
        """Whether a file was counted whole, and is still the same size."""
        for name, many in self._whole:
            if name == key:
                if many == size:
                    return True
                msg = f"{named(self.path)}: {key} was counted with {many:,} bytes and has {size:,} now"
                raise InputError(msg)
        return False

    def counted(self, key: str, size: int, gathered: Gathered) -> None:
        """A file has been counted whole."""
        self._whole.append([key, size])
        self._place = None
        self._write(gathered)

    def enter(self, key: str) -> None:
        """The input that `go_on` and `keep` speak of from now on."""
        self._name = key

    def go_on(self, blocks: Blocks) -> None:
        """Skip what of this input has been counted."""
        place, self._place = self._place, None
        if place is None:
            return
        blocks.skip(place["offset"], place["fingerprint"])
        if place["unended"] and blocks.peek()[:1] not in {b"", b"\n", b"\r"}:
            msg = f"{blocks.name}, line {blocks.line:,}: this line was not at its end when it was counted"
            raise InputError(msg)

    def keep(self, gathered: Gathered, blocks: Blocks, *, now: bool = False) -> None:
        """Store how far this input is counted, if the last time is long enough ago."""
        if now or time.monotonic() - self._last >= self._every:
            self._place = {
                "input": self._name,
                "offset": blocks.offset,
                "fingerprint": blocks.fingerprint(),
                "unended": blocks.unended,
            }
            self._write(gathered)

    def _write(self, gathered: Gathered) -> None:
        document = {
            "format": FORMAT,
            "version": VERSION,
            "columns": _columns(gathered.asked),
            "files": self._whole,
            "place": self._place,
            "counts": gathered.to_data(),
        }
        write_text(json.dumps(document), self.path)
        self._last = time.monotonic()

    def _read(self) -> dict[str, Any] | None:
        try:
            found = json.loads(read_text(self.path, "a checkpoint", large=True))
        except FileNotFoundError:
            return None
        except FileError:
            raise
        except (ValueError, RecursionError):
            found = None
        wanted = {"format": FORMAT, "version": VERSION}
        fields = {"columns", "files", "place", "counts"}
        if not isinstance(found, dict) or not (
            all(found.get(k) == v for k, v in wanted.items()) and fields <= found.keys()
        ):
            msg = f"{named(self.path)}: this is no checkpoint of this version of confmat; give another name"
            raise InputError(msg)
        return found

    def _clean(self) -> None:
        """Remove what a kill in the middle of storing has left."""
        left = re.compile(rf"\.{re.escape(self.path.name[:100])}\.[0-9a-f]{{16}}\.tmp")
        with contextlib.suppress(OSError):
            for path in self.path.parent.iterdir():
                if left.fullmatch(path.name):
                    path.unlink()


def _columns(asked: Asked) -> list[str | None]:
    return [asked.actual, asked.predicted, asked.weights, asked.by, *(["tally"] if asked.tally else [])]

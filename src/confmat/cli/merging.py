"""Adding up stored matrices, many of which are alike: of those, the numbers alone are read."""

from __future__ import annotations

import glob
import shlex
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import FileError, InputError
from confmat.core.files import no_match
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.io import load
from confmat.io.json_format import PLACE, take_table
from confmat.reporting import Report

__all__ = ["loaded", "meant", "merged"]

Sum = ConfusionMatrix | Stack
# Files of these hold rows, never a matrix.
ROWS = {".parquet", ".pq", ".jsonl", ".ndjson", ".arrow", ".feather", ".ipc", ".gz", ".zst"}
# What an int64 holds without a doubt.
MOST = 2.0**62


def merged(names: tuple[str, ...]) -> Sum:
    """The sum of what the files hold."""
    whole: Sum | None = None
    alike = _Alike()
    for name in meant(names):
        if alike.takes(name):
            continue
        part = loaded(name)
        if not isinstance(part, (ConfusionMatrix, Stack)):
            msg = f"{printable(name)} holds a report; only matrices and stacks add up"
            raise InputError(msg)
        whole = part if whole is None else _added(whole, part, name)
        alike.follow(name, part)
    assert whole is not None
    for part, name in alike.sums():
        whole = _added(whole, part, name)
    return whole


def loaded(name: str, **options: Any) -> Sum | Report:
    """What `load` gives; a file of rows is met with the command that counts them."""
    path = Path(name)
    hint = f"confmat count {shlex.quote(printable(name))} counts them"
    if path.suffix.lower() in ROWS and path.is_file():
        msg = f"{printable(name)}: this is no stored matrix; if it holds rows, {hint}"
        raise InputError(msg)
    try:
        return load(name, **options)
    except FileError:
        raise
    except InputError as error:
        if path.suffix.lower() in {".csv", ".tsv"}:
            msg = f"{error}; if the file holds one pair per row, {hint}"
            raise InputError(msg) from None
        raise


def _added(whole: Sum, part: Sum, name: str) -> Sum:
    if type(whole) is not type(part):
        kinds = {ConfusionMatrix: "one matrix", Stack: "one matrix per group"}
        msg = (
            f"{printable(name)} holds {kinds[type(part)]} and the files before it {kinds[type(whole)]}; "
            "merge the ones, then the others"
        )
        raise InputError(msg)
    try:
        return whole + part
    except ValueError as error:
        msg = f"{printable(name)}: {error}"
        raise InputError(msg) from None


class _Alike:
    """Files that differ from one read before in nothing but their tables: these are added as arrays.

    The bytes around the table must be the same, so whatever was checked there holds here as well.
    """

    def __init__(self) -> None:
        self._around = (b"", b"")
        self._like: ConfusionMatrix | None = None
        self._name = ""
        self._table: NDArray[np.int64] | None = None
        self._total = 0.0
        self._done: list[tuple[Sum, str]] = []

    def follow(self, name: str, part: Sum) -> None:
        """From now on, files like this one are known."""
        self._close()
        simple = isinstance(part, ConfusionMatrix) and not part.dropped and part.squares is None
        around = _around(name) if simple else None
        self._around, self._like = ((b"", b""), None) if around is None else (around, part)  # type: ignore[assignment]

    def takes(self, name: str) -> bool:
        """Whether the file is like the last that was read whole; if so it is added."""
        table = None if self._like is None else _table(name, *self._around, len(self._like.labels))
        if table is None:
            return False
        rough = float(table.sum(dtype=np.float64))
        if self._total + rough > MOST:
            self._close()
            if rough > MOST:
                return False
        if self._table is None:
            self._table = table
        else:
            self._table += table
        self._total, self._name = self._total + rough, name
        return True

    def sums(self) -> list[tuple[Sum, str]]:
        """What was added so far, each with the last file that is in it."""
        self._close()
        return self._done

    def _close(self) -> None:
        if self._table is not None and self._like is not None:
            self._done.append((ConfusionMatrix(self._table, self._like.labels), self._name))
        self._table, self._total = None, 0.0


def _around(name: str) -> tuple[bytes, bytes] | None:
    """What stands before and behind the table of a stored matrix; None where that is not to be told."""
    data = _bytes(name)
    try:
        found = take_table(data.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    if found is None:
        return None
    before, behind = (part.encode("utf-8") for part in found[0].split(f'"{PLACE}"', 1))
    return (before, behind) if data.startswith(before + b"[") and data.endswith(b"]" + behind) else None


def _table(name: str, before: bytes, behind: bytes, size: int) -> NDArray[np.int64] | None:
    """The table of a file that has these bytes around it."""
    data = _bytes(name)
    if not (data.startswith(before) and data.endswith(behind) and len(data) > len(before) + len(behind)):
        return None
    table: NDArray[np.int64] | None = kernels.kernel.read_square(
        memoryview(data)[len(before) : len(data) - len(behind)], size
    )
    return table


def _bytes(name: str) -> bytes:
    """What a file holds; nothing, where somebody else will say why it cannot be read."""
    if not name.endswith(".json"):
        return b""
    try:
        with open(name, "rb", buffering=0) as stream:  # noqa: PTH123 - a thousand files, for which paths take a third
            return stream.read()
    except OSError:
        return b""


def meant(names: tuple[str, ...]) -> list[str]:
    """Files, or what a pattern that no shell has expanded stands for."""
    found: list[str] = []
    for name in names:
        if glob.has_magic(name) and not Path(name).exists():
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - the whole pattern, absolute or not
            if not matches:
                raise no_match(name)
            found += matches
        else:
            found.append(name)
    return found

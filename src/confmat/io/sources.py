"""The files to count: patterns and directories as lists of files, and the format of each file."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from confmat.core.errors import FileError, InputError, Message
from confmat.core.files import named, no_match, path_of, refused
from confmat.core.options import one_of, told
from confmat.core.text import printable, some

Format = Literal["parquet", "csv", "tsv", "jsonl", "arrow"]

SUFFIXES: dict[str, Format] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
PACKED = (".gz", ".zst")
# Suffixes of files that hold rows and never a matrix.
ROWS_SUFFIXES = {*SUFFIXES, *PACKED} - {".csv", ".tsv", ".tab"}
_MAGIC = re.compile(r"[*?\[]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path as the user knows it, its format, and how it is packed ("", ".gz" or ".zst")."""

    path: Path
    format: Format
    packing: str = ""

    def __str__(self) -> str:
        return named(self.path)

    @property
    def size(self) -> int:
        """Its bytes on disk."""
        return self.path.stat().st_size


def sources(paths: Any, format: Format | None = None) -> list[Source]:  # noqa: A002 - as the user calls it
    """The files that one path, or several, stand for: each is a file, a directory or a pattern such as *.csv.

    Directories are searched to the bottom for files whose suffix is known; what begins with a dot or an underscore
    is left alone there. A file that is reached twice is counted twice, for somebody has named it twice.
    """
    if format is not None:
        one_of("format", format, Format)
    if hasattr(paths, "columns"):
        msg = f"a path, or a list of paths, is wanted, not {told(paths)}; confmat.count_frame counts a frame"
        raise InputError(msg)
    given: Iterable[Any] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        msg = f"a path, or a list of paths, is wanted, not {type(paths).__name__}"
        raise InputError(msg)
    found = [Source(path, *_kind(path, format)) for one in given for path in _meant(one)]
    if not found:
        msg = "there are no files to count: the list of paths is empty"
        raise InputError(msg)
    return found


def _meant(one: Any) -> list[Path]:
    """The files that one path stands for; a file of that very name comes before what it would mean as a pattern."""
    path, text = path_of(one), os.fspath(one)
    try:
        if path.is_dir():
            return _inside(path)
        if path.is_file():
            return [path]
        if path.exists():
            msg = f"{named(path)}: a pipe or a device can be read only once; open it, and give the stream"
            raise InputError(msg)
    except FileError:
        raise
    except OSError as error:
        raise refused(path, error, "rows") from None
    if _SCHEME.match(text):
        msg = f"{printable(text)}: only files of this machine are read; open it with a data frame and count that"
        raise InputError(msg)
    if _MAGIC.search(text):
        matches = sorted(Path(match) for match in glob.glob(text, recursive=True))  # noqa: PTH207 - absolute or not
        files = [match for match in matches if match.is_file()]
        if files:
            return files
        raise no_match(text)
    raise refused(text, FileNotFoundError(errno.ENOENT, ""), "rows")


def _inside(folder: Path) -> list[Path]:
    files = sorted(_walked(folder))
    if not files:
        msg = (
            f"{named(folder)}: the directory holds no file to count ({' '.join(SUFFIXES)}, text also with .gz or .zst)"
        )
        raise InputError(msg)
    return files


def _walked(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise refused(error.filename or folder, error, "rows", "folder") from None

    for where, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            path = Path(where, name)
            if not name.startswith((".", "_")) and _split(path)[0] in SUFFIXES and path.is_file():
                yield path


def _split(path: Path) -> tuple[str, str]:
    """The suffix that tells the format, and that of the packing."""
    suffix = path.suffix.lower()
    return (path.with_suffix("").suffix.lower(), suffix) if suffix in PACKED else (suffix, "")


def _kind(path: Path, given: Format | None) -> tuple[Format, str]:
    suffix, packing = _split(path)
    known = SUFFIXES.get(suffix) if given is None else given
    try:
        if path.stat().st_size == 0:
            msg = f"{named(path)}: the file is empty"
            raise InputError(msg)
        with path.open("rb"):
            pass
    except OSError as error:
        raise refused(path, error, "rows") from None
    if known is None:
        what = f"the suffix {printable(suffix)}" if suffix else "a file without a suffix"
        hint = "; confmat.load reads a stored matrix" if suffix in {".json", ".txt", ".md", ".tex", ".obj"} else ""
        msg = Message(
            "{}: {} does not say what is inside; known are {}, or say it: {format:'csv'}{}",
            named(path),
            what,
            some(SUFFIXES, 20),
            hint,
        )
        raise InputError(msg)
    if packing and known in {"parquet", "arrow"}:
        msg = f"{named(path)}: {known} files are packed inside; unpack the {packing} first"
        raise InputError(msg)
    return known, packing

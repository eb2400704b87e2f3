"""The files to count: patterns and directories as lists of files, and the format of each file."""

from __future__ import annotations

import errno
import glob
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path, PurePath, PurePosixPath
from tempfile import mkdtemp
from typing import Any, Literal
from urllib.parse import unquote, urlsplit
from weakref import finalize

from confmat._version import __version__
from confmat.core.errors import FileError, InputError, Message, MissingFileError
from confmat.core.files import named, no_match, path_of, refused, unchanged
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
# Files that a matrix names as those that it was counted in.
MOST_NAMED = 100
# How logs of evaluations begin, after a brace, and what else is in the first line.
_HEADS = {
    ("Inspect", ".json"): rb'"version"\s*:[^,{]+,\s*"status"',
    (
        "promptfoo",
        ".json",
    ): rb'"evalId"|"results"\s*:\s*\{\s*"version"|"version"\s*:[^,{]+,\s*"timestamp"',
    ("lm-evaluation-harness", ".jsonl"): rb'"doc_id".*"filtered_resps"',
}
# Suffixes of files that hold rows and never a matrix.
ROWS_SUFFIXES = {*SUFFIXES, *PACKED} - {".csv", ".tsv", ".tab"}
# The suffixes that folders are searched for.
_WANTED = [*SUFFIXES, ".eval"]
_NOTHING = f"{{}}: there is no file to count ({' '.join(_WANTED)}; text also with .gz or .zst)"
# Where Hive, Spark and others put rows whose value is missing.
NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
_MAGIC = re.compile(r"[*?\[]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its path, its format, and how it is packed ("", ".gz" or ".zst"), or whose log it is.

    A copy has the address and its folder, too.
    """

    path: Path
    format: Format | Literal["log"]
    packing: str = ""
    address: str = ""
    copies: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return printable(self.address) if self.address else named(self.path)

    @property
    def partitions(self) -> dict[str, str | None]:
        """The columns that its folders name, as in site=a/part.parquet; always text."""
        pairs = (folder.partition("=") for folder in self.path.parent.parts if "=" in folder)
        return {
            unquote(name): None if value == NO_PARTITION else unquote(value)
            for name, _, value in pairs
        }

    @property
    def size(self) -> int:
        """Its bytes on disk."""
        return self.path.stat().st_size


def steady(files: Any, *, growing: bool = False) -> AbstractContextManager[None]:
    """Refuse sources, or the file that an open stream reads, that change while they are read inside."""
    found: dict[str, Path | int] = {}
    if hasattr(files, "read"):
        # Others than files have none.
        with suppress(AttributeError, OSError, ValueError):
            found = {"standard input": files.fileno()}
    else:
        found = {str(file): file.path for file in files}
    return unchanged(found, growing=growing)


def provenance(files: Sequence[Source], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what tells where counts are from: names, sizes and times of the first files, options, and the version."""
    parts = []
    for file in files[:MOST_NAMED]:
        found = file.path.stat()
        time = datetime.fromtimestamp(found.st_mtime, UTC).isoformat(timespec="seconds")
        # The rest of a path is of a machine, and nobody else's concern.
        name = PurePosixPath(file.address).name if file.address else file.path.name
        parts.append({"name": printable(name), "size": found.st_size, "modified": time})
    given = {name: value for name, value in options.items() if value not in (None, "error", [])}
    found_in = {"files": parts, **({"of": len(files)} if len(files) > len(parts) else {})}
    return found_in | {"options": given, "confmat": __version__}


# Packages under their own names, and the commands that install them.
_PACKAGES = {
    "duckdb": "DuckDB: pip install duckdb",
    "pyarrow": "PyArrow: pip install pyarrow",
}


def needed(package: str, task: str) -> Any:
    """A package that a format of files needs; without it, one line says how to get it."""
    try:
        return import_module(package)
    except ImportError:
        msg = f"{task} takes {_PACKAGES[package]}"
        raise InputError(msg) from None


def log_at(path: Any) -> Source | None:
    """Return the log of an evaluation that a file is, by its suffix and how it begins; None of any other file."""
    suffix, head = path_of(path).suffix.lower(), b""
    # A pipe is not opened, since it can be read once; a name may be too long to look for.
    if suffix in {".json", ".jsonl"} and os.path.isfile(path):  # noqa: PTH113
        with suppress(OSError), Path(path).open("rb") as stream:
            # A line of a harness holds a whole sample.
            head = stream.readline(1 << 24) if suffix == ".jsonl" else stream.read(1 << 12)
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    fits = (
        tool
        for (tool, of), begin in _HEADS.items()
        if of == suffix and re.match(rb"\{\s*(?:" + begin + rb")", head)
    )
    tool = "Inspect" if suffix == ".eval" else next(fits, None)
    return None if tool is None else Source(Path(path), "log", tool)


def sources(paths: Any, format: Format | None = None) -> list[Source]:  # noqa: A002 - as the user calls it
    """The files that one path, or several, name: each is a file, a directory or a pattern such as *.csv.

    Directories are searched to the bottom for files whose suffix is known; what begins with a dot
    or an underscore is left alone there. A file that is reached twice is counted twice, with a
    warning: somebody has named it twice.
    """
    if format is not None:
        one_of("format", format, Format)
    given: Iterable[Any] = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    if not isinstance(given, Iterable) or isinstance(given, bytes) or hasattr(paths, "columns"):
        msg = f"a path, or a list of paths, is wanted, not {told(paths)}; confmat.count_frame counts a frame"
        raise InputError(msg)
    found = [source for path in given for source in _sources_of(path, format)]
    if not found:
        msg = "there are no files to count: the list of paths is empty"
        raise InputError(msg)
    return found


def _sources_of(path: Any, format: Format | None) -> list[Source]:  # noqa: A002 - as above
    """The files that one path names."""
    if isinstance(path, Source):
        return [path]
    if isinstance(path, str) and _SCHEME.match(path):
        if path.lower().startswith("file://"):
            # A file of this machine is read where it is.
            path = unquote(urlsplit(path).path)
        elif not path_of(path).exists():
            return _copied(path, format)
    return [Source(file, *_kind(file, format)) for file in _meant(path)]


def _meant(given: Any) -> list[Path]:
    """The files that one path names; a file of that very name comes before the files that it matches as a pattern."""
    path, text = path_of(given), os.fspath(given)
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
    if _MAGIC.search(text):
        matches = sorted({*map(Path, glob.glob(text, recursive=True))})  # noqa: PTH207 - absolute or not
        files = [match for match in matches if match.is_file()]
        if files:
            return files
        raise no_match(text)
    raise refused(text, FileNotFoundError(errno.ENOENT, ""), "rows")


class _Folder:
    """A folder that goes with the last file that was copied into it."""

    def __init__(self) -> None:
        self.path = Path(mkdtemp(prefix="confmat-"))
        finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _bare(address: str) -> str:
    """The address without user, password and the query of the web, which may hold a signature."""
    address = address.partition("?")[0] if address.lower().startswith("http") else address
    return re.sub(r"(?<=://)[^/]*@", "", address)


def inner(place: str, flavor: type[PurePath] = Path) -> list[str]:
    """The names of folders and file in a place of a store, none of which leads out of a folder of this system."""
    names = (flavor(part).name for part in PurePosixPath(place).parts)
    return [name for name in names if name.strip(". ")]


def _copied(address: str, given: Format | None) -> list[Source]:
    """The files of another machine that an address means, copied into a temporary folder by fsspec."""
    bare, folder, found = _bare(address), _Folder(), []
    shown = printable(bare)
    web = address.lower().startswith("http")
    try:
        system, place = import_module("fsspec.core").url_to_fs(address)
        searched = given is None and not web and _split(Path(place))[0] not in _WANTED
        for number, remote in enumerate(_remote(system, place, is_folder=searched)):
            names = inner(urlsplit(remote).path if web else remote)
            path = folder.path.joinpath(str(number), *names)
            path.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(remote, str(path))
            found.append(
                Source(path, *_kind(path, given), _bare(system.unstrip_protocol(remote)), folder)
            )
    except InputError as error:
        raise type(error)(str(error).replace(f"{folder.path}/", "")) from None
    except FileNotFoundError:
        raise MissingFileError(
            errno.ENOENT, f"{shown}: there is no such file to read rows from", bare
        ) from None
    except ImportError as error:
        msg = f"{shown}: only files of this machine are read without fsspec and its companion for these: {error}"
        raise InputError(msg) from None
    except Exception as error:  # noqa: BLE001 - each of its companions has errors of its own
        reason = str(error).strip().partition("\n")[0].replace(address, shown) or type(error)
        msg = f"{shown}: this cannot be fetched: {printable(str(reason))}"
        raise InputError(msg) from None
    if not found:
        raise InputError(_NOTHING.format(shown))
    return found


def _remote(system: Any, place: str, *, is_folder: bool) -> list[str]:
    """The files in a store that a pattern, or what may be a folder, means; of a folder those with known suffixes."""
    if "*" in place:
        matches = system.glob(place, detail=True).items()
        files = (name for name, about in matches if about["type"] == "file")
        return sorted(name for name in files if not PurePosixPath(name).name.startswith("."))
    if not (is_folder and system.isdir(place)):
        return [place]
    inside = len(PurePosixPath(place).parts)
    return sorted(name for name in system.find(place) if _is_wanted(PurePosixPath(name), inside))


def _is_wanted(path: PurePosixPath, inside: int) -> bool:
    """Whether a file in a folder of a store is read; the first parts of its path are those of the folder."""
    is_hidden = any(part.startswith((".", "_")) for part in path.parts[inside:])
    return not is_hidden and _split(Path(path))[0] in _WANTED


def _inside(folder: Path) -> list[Path]:
    files = sorted(_walked(folder))
    if not files:
        raise InputError(_NOTHING.format(named(folder)))
    return files


def _walked(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise refused(error.filename or folder, error, "rows", "folder") from None

    for where, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            path = Path(where, name)
            if not name.startswith((".", "_")) and _split(path)[0] in _WANTED and path.is_file():
                yield path


def _split(path: Path) -> tuple[str, str]:
    """The suffix that tells the format, and that of the packing."""
    suffix = path.suffix.lower()
    return (path.with_suffix("").suffix.lower(), suffix) if suffix in PACKED else (suffix, "")


def _magic(path: Path) -> bytes:
    """Read the first four bytes of a file that is not empty."""
    try:
        if path.stat().st_size == 0:
            msg = f"{named(path)}: the file is empty"
            raise InputError(msg)
        with path.open("rb") as stream:
            return stream.read(4)
    except OSError as error:
        raise refused(path, error, "rows") from None


def _kind(path: Path, given: Format | None) -> tuple[Format | Literal["log"], str]:
    suffix, packing = _split(path)
    if given is None and (log := log_at(path)):
        return "log", log.packing
    known = given or SUFFIXES.get(suffix)
    magic = _magic(path)
    if known is None:
        raise _unknown(path, suffix)
    if magic == b"PAR1" and known != "parquet":
        msg: str = Message(
            "{}: the file is Parquet, whatever its name says; {format:'parquet'} reads it",
            named(path),
        )
        raise InputError(msg)
    if packing and known in {"parquet", "arrow"}:
        msg = f"{named(path)}: {known} files are packed inside; unpack the {packing} first"
        raise InputError(msg)
    return known, packing


def _unknown(path: Path, suffix: str) -> InputError:
    what = f"the suffix {printable(suffix)}" if suffix else "a file without a suffix"
    msg = Message(
        "{}: {} does not say what is inside; known are {}, or say it: {format:'csv'}; "
        "confmat.load reads a stored matrix, and confmat.io.read_log the log of an evaluation",
        named(path),
        what,
        some(SUFFIXES, 20),
    )
    return InputError(msg)

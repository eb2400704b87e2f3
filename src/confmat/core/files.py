"""Files: read under a limit, written by a temporary file and a rename, and the one way to say what went wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from confmat.core.errors import (
    BudgetError,
    ConfmatError,
    FileError,
    InputError,
    Message,
    MissingFileError,
)
from confmat.core.options import flag
from confmat.core.text import middle, printable, some

# Beyond, a file is no matrix, list or table that is read whole, and would only fill the memory; a
# data set may be large.
_MOST, _LARGE = 2**30, 2**34
# Names of a folder that are compared with one that is not there.
_COMPARED = 5_000
# How similar two names must be, their suffixes included.
_ALIKE = 0.75


def read_text(path: Any, what: str, *, large: bool = False, empty: bool = False) -> str:
    """The text of a file in UTF-8, with or without a byte order mark; `what` is read from it, such as "costs"."""
    data = read_bytes(path, what, large=large, empty=empty)
    with about(named(path)):
        return decoded(data)


def read_bytes(path: Any, what: str, *, large: bool = False, empty: bool = False) -> bytes:
    """The bytes of a file.

    large: it may hold a data set, such as true boxes.
    empty: it may be empty, because that means something.
    """
    most, parts = _LARGE if large else _MOST, []
    try:
        with path_of(path).open("rb") as stream, unchanged({named(path): stream.fileno()}):
            # Devices and pipes have no size of their own, and files may grow: what comes is added
            # up as well.
            size = os.fstat(stream.fileno()).st_size
            came = 0
            while max(size, came) <= most and (part := stream.read(2**20)):
                came += len(part)
                parts.append(part)
    except OSError as error:
        raise refused(path, error, what) from None
    if max(size, came) > most:
        msg = f"{named(path)}: the file is larger than {most / 2**30:g} GB, too large to read {what} from"
        raise BudgetError(msg)
    if not came and not empty:
        msg = f"{named(path)}: the file is empty, so there is nothing to read {what} from"
        raise InputError(msg)
    return b"".join(parts)


@contextlib.contextmanager
def unchanged(files: Mapping[str, Path | int], *, growing: bool = False) -> Iterator[None]:
    """Refuse files that change while they are read inside: nothing that they ever held was read then.

    Parameters
    ----------
    files
        Names for messages, and the paths or descriptors; pipes and devices change all the time.
    growing
        Whether something may be appended meanwhile, as where the place is noted up to which a file
        was read.
    """
    before = {name: _state(file) for name, file in files.items()}
    try:
        yield
    except ConfmatError:
        # A line that was cut in two is not what is wrong.
        _refuse_changed(files, before, growing=growing)
        raise
    _refuse_changed(files, before, growing=growing)


def _state(file: Path | int) -> tuple[tuple[int, int], int, int, int] | None:
    """Return which file it is, its size and its times; None where there is no ordinary file."""
    with contextlib.suppress(OSError):
        found = os.stat(file)  # noqa: PTH116 - a descriptor has no path
        if stat.S_ISREG(found.st_mode):
            # The second time tells of a first one that was set back, but changes when an open file
            # loses its name.
            second = 0 if isinstance(file, int) else found.st_ctime_ns
            return (found.st_dev, found.st_ino), found.st_size, found.st_mtime_ns, second
    return None


def _refuse_changed(
    files: Mapping[str, Path | int], before: Mapping[str, Any], *, growing: bool
) -> None:
    for name, file in files.items():
        then, now = before[name], _state(file)
        if then == now or (growing and then and now and then[0] == now[0] and then[1] < now[1]):
            continue
        what = "it was written to"
        if then is None or now is None or then[0] != now[0]:
            what = "another file has come in its place" if now else "it is gone"
        elif then[1] != now[1]:
            what = f"it had {then[1]:,} bytes, and has {now[1]:,} now"
        msg = f"{name}: the file changed while it was read: {what}; read it again once nobody writes to it"
        raise InputError(msg)


def paths_in(folder: Any, what: str) -> list[Path]:
    """Return the paths in a folder, by name."""
    try:
        return sorted(path_of(folder).iterdir())
    except OSError as error:
        raise refused(folder, error, what, "folder") from None


def path_of(path: Any) -> Path:
    """The path that was given, if it is one."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        msg = f"a path is a str or a Path, not {type(path).__name__}"
        raise InputError(msg)
    if not os.fspath(path):
        msg = "the path is empty; name a file"
        raise InputError(msg)
    if "\0" in os.fspath(path):
        msg = f"{named(path)}: a path cannot hold a zero byte"
        raise InputError(msg)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        msg = f"{named(path)}: a path cannot hold half a character"
        raise InputError(msg) from None
    return Path(path)


def decoded(data: bytes, start: int = 0, line: int = 1) -> str:
    """UTF-8 text, with or without a byte order mark; an error names the byte, counted from where the file begins.

    start, line: where in its file the data begin.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        at, line = error.start, line + data.count(b"\n", 0, error.start)
        hint = (
            "; it looks like UTF-16" if not start and data[:2] in {b"\xff\xfe", b"\xfe\xff"} else ""
        )
        msg = f"line {line:,}: byte {start + at:,} (0x{data[at]:02x}) is no UTF-8{hint}; store the text as UTF-8"
        raise InputError(msg) from None
    if not start and "\0" in text[:2]:
        msg = f"line 1: byte {text.index(chr(0))} is zero, as in UTF-16 or in what is no text; store the text as UTF-8"
        raise InputError(msg)
    return text if start else text.removeprefix("\ufeff")


def named(path: Any) -> str:
    """A path as one safe line of text."""
    return printable(os.fspath(path))


@contextlib.contextmanager
def about(name: str) -> Iterator[None]:
    """Begin the message of an error with the name of the file that it is about."""
    try:
        yield
    except ConfmatError as error:
        msg = Message("{}: {}", name, error)
        raise type(error)(msg) from error


def refused(
    path: Any, error: OSError, what: str, kind: Literal["file", "folder"] = "file"
) -> FileError:
    """The error for a file or a folder that cannot be opened: what was wanted, what came, and what is near."""
    name, text = os.fspath(path), middle(named(path), 200)
    number = error.errno or errno.EIO
    if isinstance(error, FileNotFoundError):
        return MissingFileError(
            number, f"{text}: there is no such {kind} to read {what} from{_near(name)}", name
        )
    # Windows denies to read a folder instead of calling it one.
    if kind == "file" and os.path.isdir(name):  # noqa: PTH112 - Path.is_dir raises where a name is too long
        number, fault = (
            errno.EISDIR,
            f"this is a folder; a file to read {what} from is wanted{_inside(name)}",
        )
    elif kind == "folder" and os.path.isfile(name):  # noqa: PTH113 - as above
        fault = f"this is a file; a folder to read {what} from is wanted"
    elif isinstance(error, PermissionError):
        fault = f"permission denied; to read {what} takes the right to read this {kind}, and to enter those above it"
    else:
        fault = f"cannot read {what} from it: {(error.strerror or str(error)).lower()}"
    return FileError(number, f"{text}: {fault}", name)


def unwritten(path: Any, error: OSError) -> FileError:
    """The error for a file that cannot be made."""
    name, text = os.fspath(path), middle(named(path), 200)
    if isinstance(error, FileNotFoundError):
        fault = f"{text}: there is no folder '{middle(named(Path(name).parent), 120)}' to write to; make it first"
        return MissingFileError(error.errno, fault, name)
    fault = f"{text}: cannot write there: {(error.strerror or str(error)).lower()}"
    return FileError(error.errno or errno.EIO, fault, name)


def write_text(text: str | bytes, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
    """Write text or bytes to a file that appears by rename.

    A link at the place of the file is replaced, never followed.

    Parameters
    ----------
    text
        Text, which is written as UTF-8, or bytes.
    path
        The file.
    overwrite
        Replace a file that exists; otherwise it is an error.
    """
    overwrite = flag("overwrite", overwrite)
    target = path_of(path)
    try:
        data = text if isinstance(text, bytes) else text.encode("utf-8")
    except UnicodeEncodeError as error:
        msg = (
            f"{named(path)}: a label holds half a character ({error.object[error.start]!r}), "
            "which only .json can store"
        )
        raise InputError(msg) from None
    # A name that nobody can foresee, and O_EXCL, which follows no link: nothing that waits there is
    # written to.
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
    flags = (
        os.O_WRONLY
        | os.O_CREAT
        | os.O_EXCL
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_BINARY", 0)
    )
    try:
        mode = _mode_of(target, overwrite=overwrite)
        descriptor = os.open(temporary, flags, 0o666)
    except OSError as error:
        # The caller knows the file by its own name.
        raise unwritten(path, error) from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            temporary.chmod(mode)
        _into_place(temporary, target, overwrite=overwrite)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise unwritten(path, error) from None
        raise


def _into_place(temporary: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(target)
        return
    # A link is refused where a file has come meanwhile; a rename would take its place.
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise InputError(_exists(target)) from None
    except OSError:
        temporary.replace(target)
    else:
        temporary.unlink()


def _exists(target: Path) -> str:
    return f"{named(target)}: the file exists; say overwrite=True to replace it"


def _mode_of(target: Path, *, overwrite: bool) -> int | None:
    """The permissions of the file that will be replaced; None where there is none."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    if not overwrite:
        raise InputError(_exists(target))
    if stat.S_ISLNK(found.st_mode):
        try:
            kind = target.stat().st_mode
        except OSError:
            return None
        if stat.S_ISREG(kind):
            return None
    elif stat.S_ISREG(found.st_mode):
        return stat.S_IMODE(found.st_mode)
    msg = f"{named(target)}: this is no ordinary file, and would be replaced by one"
    raise InputError(msg)


def no_match(pattern: str) -> MissingFileError:
    """The error for a pattern such as *.csv that no file fits."""
    return MissingFileError(
        errno.ENOENT, f"{named(pattern)}: no file matches this pattern", pattern
    )


def _near(name: str) -> str:
    """Return a hint for a path that does not exist: a name that is near, or the kind of places that are read."""
    import difflib

    if "://" in name:
        return "; only files of this machine are read"
    if name.startswith("~"):
        return "; ~ means a home in a shell alone, and Path(path).expanduser() puts it in"
    path = Path(name)
    if path.is_symlink():
        return f": it is a link to '{middle(named(path.readlink()), 120)}', which is not there"
    try:
        names = {
            entry.name.casefold(): entry.name for entry in islice(path.parent.iterdir(), _COMPARED)
        }
    except FileNotFoundError:
        return f", nor the folder '{middle(named(path.parent), 120)}'"
    except OSError:
        return ""
    close = difflib.get_close_matches(path.name.casefold(), names, 3, _ALIKE)
    close += sorted(
        name for name in names if Path(name).stem == path.stem.casefold() and name not in close
    )
    return (
        f"; did you mean {' or '.join(some([names[match]]) for match in close[:3])}?"
        if close
        else ""
    )


def _inside(name: str) -> str:
    """A few files of a folder that was taken for one."""
    try:
        files = sorted(
            entry.name for entry in islice(Path(name).iterdir(), _COMPARED) if entry.is_file()
        )
    except OSError:
        return ""
    return f", such as {some(files, 3)}" if files else ""

"""What a command is given to read: files to count, stored or printed matrices, or standard input."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from confmat.cli.free_answers import said
from confmat.cli.merging import loaded
from confmat.cli.options import typed
from confmat.cli.related import hierarchy_of, rolled
from confmat.cli.settling import answers_of, counted_rows, delimiter_of, reads_rows, settle
from confmat.cli.terminal import ProgressLine, Working
from confmat.core.errors import FileError, InputError, LabelError
from confmat.core.files import decoded, refused
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import printable, some
from confmat.io import from_csv, from_json, read_printed
from confmat.io.counting import Counted, Counting
from confmat.io.gathering import Gathered
from confmat.io.records import LONGEST
from confmat.io.sources import Format
from confmat.io.text_files import Opening
from confmat.reporting import Report

__all__ = ["is_stored", "names_of", "no_columns", "only_counts", "read", "standard_table", "stored", "total"]

STORED = (".json", ".txt", ".md", ".tex", ".obj")
# Options that say what becomes of rows.
ROWS_ONLY = {
    "missing": "--missing",
    "na_values": "--missing-value",
    "other": "--other",
    "resume": "--resume",
    "top_k": "--top-k",
    "any_spelling": "--any-spelling",
}
ROWS_ONLY |= {name: f"--{name}" for name in ("sep", "aliases", "refused", "abstained", "extract", "pattern", "fuzzy")}
# How a table that confmat has written as CSV begins.
TABLE = re.compile(
    rb'(?:\xef\xbb\xbf)?"?(?:(?:actual\\predicted|predicted\\actual)|actual[,;\t|]predicted[,;\t|]count\b)'
)


def read(options: dict[str, Any], shown: Callable[[Counted], object] | None = None) -> Counted | Report:
    """What the files (or standard input) hold, counted where they hold rows, at the level that was asked for."""
    hierarchy_of(options)
    try:
        found = _found(options, None if shown is None else lambda part: shown(rolled(part, options)))
    except (InputError, LabelError) as error:
        if not options.get("scores") or "`predicted`" not in str(error) or isinstance(error, FileError):
            raise
        # A column of scores is read in the place of answers; whoever named it said --scores.
        raise type(error)(str(error).replace("`predicted`", "`scores`")) from None
    said(options)
    return rolled(found, options)


def _found(options: dict[str, Any], shown: Callable[[Counted], object] | None) -> Counted | Report:
    files: tuple[str, ...] = options["files"]
    if "-" in files:
        if len(files) > 1:
            msg = "standard input, -, is read alone"
            raise InputError(msg)
        return _streamed(sys.stdin.buffer, options, shown)
    if len(files) == 1 and _is_pipe(files[0]):
        # What a shell gives for <(command) is read once, as standard input is.
        with Path(files[0]).open("rb") as stream:
            return _streamed(stream, options, shown)
    kept = [name for name in files if is_stored(name, options["kind"])]
    if not kept:
        _no_rows(options)
        if reads_rows(options):
            with Working("counting rows", quiet=options["quiet"]):
                return counted_rows(list(files), options)
        line = ProgressLine(options["quiet"])
        counting = _counting(options, line, shown)
        try:
            gathered = counting.run(list(files), lambda part: _settled(options, part))
        finally:
            line.clear()
        _remark(counting, gathered, options)
        return _settled(options, gathered)
    if len(kept) < len(files):
        other = next(name for name in files if name not in kept)
        msg = f"{printable(kept[0])} is a stored matrix and {printable(other)} holds rows; count the rows first"
        raise InputError(msg)
    no_columns(options, printable(kept[0]))
    found = [stored(name, options) for name in kept]
    return found[0] if len(found) == 1 else total(found, kept)


def only_counts(options: dict[str, Any], *names: str) -> None:
    """Of a stored report nothing new can be worked out: it has scores, and no counts."""
    sources = options.get("sources", {})
    for name in names:
        if options.get(name) and sources.get(name, "COMMANDLINE") == "COMMANDLINE":
            msg = f"--{name} needs the matrix; this file holds a report, which has no counts"
            raise InputError(msg)


def names_of(options: dict[str, Any]) -> list[str]:
    """A name for each file: as said, or the files without their suffixes, or whole where those are not distinct."""
    files = options["files"]
    stems = [Path(name).stem for name in files]
    names: list[str] = options["names"] or (stems if len(set(stems)) == len(stems) else list(files))
    if len(names) != len(files) or len(set(names)) < len(names):
        msg = f"--names gives {len(names)} names to {len(files)} files; each needs one of its own"
        raise InputError(msg)
    return names


def is_stored(name: str, kind: str | None) -> bool:
    """Whether a file holds a matrix (or a table of one) instead of rows to count."""
    if kind is not None:
        return kind == "matrix"
    path = Path(name)
    if path.suffix.lower() in STORED:
        return True
    if path.suffix.lower() in {".csv", ".tsv"} and path.is_file():
        try:
            with path.open("rb") as stream:
                return TABLE.match(stream.read(64)) is not None
        except OSError as error:
            raise refused(name, error, "rows") from None
    return False


def stored(name: str, options: dict[str, Any]) -> Counted | Report:
    """A stored or printed matrix, a stack or a report."""
    if Path(name).suffix.lower() in {".json", ".obj"}:
        _no_table(options, printable(name))
        return loaded(name)
    return loaded(name, **_table_options(options))


def total(found: list[Any], names: list[str]) -> ConfusionMatrix:
    """The sum of matrices; an error names the file whose labels do not fit."""
    whole: ConfusionMatrix | None = None
    for one, name in zip(found, names, strict=True):
        if not isinstance(one, ConfusionMatrix):
            msg = f"{printable(name)} holds a {type(one).__name__.lower()}; only matrices add up"
            raise InputError(msg)
        try:
            whole = one if whole is None else whole + one
        except ValueError as error:
            msg_0 = f"{printable(name)}: {error}"
            raise InputError(msg_0) from None
    assert whole is not None
    return whole


def _table_options(options: dict[str, Any]) -> dict[str, Any]:
    chosen = {"rows": options.get("rows"), "labels": options.get("labels"), "positive": options.get("positive")}
    return {name: value for name, value in chosen.items() if value is not None}


def no_columns(options: dict[str, Any], name: str) -> None:
    """Columns mean nothing to a stored matrix, nor does what becomes of rows."""
    for option in ("actual", "predicted", "scores", "weight", "by"):
        if typed(options, option):
            msg = f"--{option} names a column of rows, but {name} is a stored matrix"
            raise InputError(msg)
    for option, spelt in ROWS_ONLY.items():
        if typed(options, option):
            msg = f"{spelt} is about rows that are counted, but {name} is a stored matrix"
            raise InputError(msg)


def _no_table(options: dict[str, Any], name: str) -> None:
    """A stored matrix says itself which classes it has, and which way round it is."""
    for option in ("labels", "positive", "rows"):
        if typed(options, option):
            msg = f"--{option} is for tables that do not say it, but {name} is a stored matrix and does"
            raise InputError(msg)


def _no_rows(options: dict[str, Any]) -> None:
    if options["rows"] == "predicted" and options["sources"].get("rows") == "COMMANDLINE":
        msg = "--rows says how a table is printed, but these files hold one pair per row; exchange -a and -p instead"
        raise InputError(msg)


# ---- rows --------------------------------------------------------------------------------------------------


def _counting(
    options: dict[str, Any], line: ProgressLine, shown: Callable[[Counted], object] | None, kind: str | None = None
) -> Counting:
    return Counting(
        actual=options["actual"],
        predicted=answers_of(options),
        weights=options["weight"],
        by=options["by"],
        format=cast("Format | None", kind or options["kind"]),
        delimiter=delimiter_of(options),
        memory=options["memory"],
        threads=options["threads"],
        progress=line if line.wanted else None,
        every=None if options["every"] is None or shown is None else (options["every"], shown),
        resume=options["resume"],
        max_pairs=options["max_pairs"],
    )


def _remark(counting: Counting, gathered: Gathered, options: dict[str, Any]) -> None:
    """Say which columns were taken where others would have fitted, too."""
    if counting.rivals and not options["quiet"]:
        asked = gathered.asked
        fits = "fits" if len(counting.rivals) == 1 else "fit"
        said = (
            f"confmat: counted {asked.name(asked.actual)} as actual and {asked.name(asked.predicted)} as predicted; "
            f"{some(counting.rivals, 6)} {fits} as well, so say --actual and --predicted if others are meant"
        )
        sys.stderr.write(f"{printable(said)}\n")


def _settled(options: dict[str, Any], gathered: Gathered) -> Counted:
    """What becomes of the pairs: a matrix, unless the command makes something else of them."""
    make: Callable[[dict[str, Any], Gathered], Counted] = options.get("settle", settle)
    with Working("working it out", quiet=options["quiet"]):
        return make(options, gathered)


# ---- standard input ----------------------------------------------------------------------------------------


def _is_pipe(name: str) -> bool:
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def _streamed(stream: BinaryIO, options: dict[str, Any], shown: Callable[[Counted], object] | None) -> Counted | Report:
    kind = options["kind"]
    if kind in {"parquet", "arrow"}:
        msg = f"{kind} cannot be read from standard input, since its beginning stands at the end; give a file"
        raise InputError(msg)
    head = _head(stream)
    if not head:
        msg = "standard input is empty"
        raise InputError(msg)
    if kind is None:
        kind = _recognised(head)
    rest = _Joined(head, stream)
    if kind == "matrix":
        no_columns(options, "standard input")
        return _printed(rest.read(), options)
    _no_rows(options)
    if reads_rows(options):
        with Working("counting rows", quiet=options["quiet"]):
            return counted_rows(rest, options, kind)
    line = ProgressLine(options["quiet"])
    counting = _counting(options, line, shown, kind)
    opening = Opening(rest, "standard input", kind, counting.delimiter)  # type: ignore[arg-type]
    try:
        gathered = counting.stream(opening, lambda part: _settled(options, part))
    finally:
        line.clear()
    _remark(counting, gathered, options)
    return _settled(options, gathered)


def _head(stream: BinaryIO) -> bytes:
    """What comes first: at least a line, if there is one."""
    head = b""
    while b"\n" not in head and len(head) < LONGEST:
        more = stream.read1(1 << 16) if hasattr(stream, "read1") else stream.read(1 << 16)
        if not more:
            break
        head += more
    return head


class _Joined(io.RawIOBase):
    """What was peeked at, and then the rest of the stream."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        super().__init__()
        self._head, self._stream = head, stream

    def read1(self, size: int = -1) -> bytes:
        """What there is, at most `size` bytes."""
        head, self._head = self._head, b""
        return head or getattr(self._stream, "read1", self._stream.read)(size)

    def read(self, size: int = -1) -> bytes:
        """Everything."""
        del size
        head, self._head = self._head, b""
        return head + self._stream.read()


def _recognised(head: bytes) -> str:
    """What a stream holds, by its first line: JSON lines, a stored matrix, TSV or CSV."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if TABLE.match(line):
        return "matrix"
    if line.startswith(b"{"):
        try:
            found = json.loads(line.partition(b"\n")[0])
        except ValueError:
            return "matrix"
        stored_kind = isinstance(found, dict) and str(found.get("format", "")).startswith("confmat.")
        return "matrix" if stored_kind else "jsonl"
    if line.startswith(b"[") or line[:4] in {b"PAR1", b"ARRO"}:
        if line.startswith(b"["):
            return "matrix"
        msg = "standard input is a Parquet or Arrow file, whose beginning stands at its end; give a file"
        raise InputError(msg)
    first = line.partition(b"\n")[0]
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"


def _printed(data: bytes, options: dict[str, Any]) -> Counted | Report:
    try:
        text = decoded(data)
        if text.lstrip().startswith("{"):
            _no_table(options, "standard input")
            return from_json(text)
        if TABLE.match(data):
            return from_csv(text, **_table_options(options))
        return read_printed(text, **_table_options(options))
    except ValueError as error:
        msg = f"standard input: {error}"
        raise InputError(msg) from None


def standard_table(options: dict[str, Any]) -> Counted | Report:
    """The matrix, stored or printed, that comes on standard input."""
    return _printed(sys.stdin.buffer.read(), options)

"""Input: files to count, stored or printed matrices, or standard input."""

from __future__ import annotations

import glob
import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from confmat.cli.options import Settings
from confmat.cli.related import Related
from confmat.cli.rows import answers_column, count_rows, has_score_columns, logged_rules, settle
from confmat.cli.settings import Rows, RowSettings
from confmat.cli.terminal import ProgressLine, Working
from confmat.core.errors import FileError, InputError, LabelError, Message
from confmat.core.files import decoded, no_match, refused
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable, repeated
from confmat.io import count_files, from_csv, from_json, read_printed
from confmat.io.logs import read_logs
from confmat.io.sources import ROWS_SUFFIXES, Source, log_at, sources
from confmat.io.storage import load_stored

if TYPE_CHECKING:
    from confmat.answers import AnswerLog
    from confmat.cli.compare import Models
    from confmat.io.counting import Counting
    from confmat.io.gathering import Gathered
    from confmat.io.sources import Format

Counted: TypeAlias = ConfusionMatrix | Stack
Show: TypeAlias = Callable[[Counted], object]
# Suffixes of files that hold a matrix or a table of one.
STORED_SUFFIXES = (".json", ".txt", ".md", ".tex", ".obj")
# The kinds of files that hold no rows, and the words for each.
FACTS = {
    "log": ("a log of an evaluation", ("labels", "predicted", "by")),
    "stored": ("a stored matrix", ()),
    "printed": ("a printed table", ("labels", "positive", "rows")),
}
# The header of a matrix that confmat has written as CSV.
TABLE = re.compile(
    rb'(?:\xef\xbb\xbf)?"?(?:(?:actual\\predicted|predicted\\actual)|actual[,;\t|]predicted[,;\t|]count\b)'
)


class Reader:
    """The input of a command that counts, with the log of answers that it leaves behind.

    Attributes
    ----------
    log
        The log of the rules for free answers, once there are some.
    """

    def __init__(
        self,
        settings: RowSettings,
        related: Related,
        *,
        settle: Callable[[Gathered], Counted] | None = None,
    ) -> None:
        self.settings, self.related = settings, related
        self.settle = settle
        self.log: AnswerLog | None = None

    @property
    def files(self) -> list[str]:
        """The files that are read: those to count, and those that options name."""
        named = map(self.settings.peek, ("aliases", "resume"))
        return [
            *self.settings.files,
            *self.related.files,
            *(name for name in named if name is not None),
        ]

    @cached_property
    def opened(self) -> list[str | Source]:
        """The files to count, as `opened` gives them."""
        return opened(self.settings)

    def read(self, show: Show | None = None) -> Counted:
        """Return the counts of rows, or what is stored, at the level that was asked for.

        `show` gets what was counted so far, as often as --every says.
        """
        related = self.related
        related.check()
        try:
            value = self._value(None if show is None else lambda part: show(related.rolled(part)))
        except (InputError, LabelError) as error:
            if self.settings.scores is None or isinstance(error, FileError):
                raise
            # A column of scores is read in the place of answers, and its option is --scores.
            raise type(error)(error.message.renamed(predicted="scores")) from None
        if self.log is not None and not self.settings.quiet:
            sys.stderr.write(f"{self.log}\n\n")
        return related.rolled(value)

    def _value(self, show: Show | None) -> Counted:
        files = self.opened
        if "-" in files:
            if len(files) > 1:
                msg = "standard input, -, is read alone"
                raise InputError(msg)
            return self._streamed(sys.stdin.buffer, show)
        kept = [name for name in files if isinstance(name, str)]
        return self._stored(kept, show) if kept else self._counted(files, show)

    def _stored(self, kept: list[str], show: Show | None) -> Counted:
        """Return what stored matrices hold, of several the sum; or what a pipe holds."""
        settings, files = self.settings, self.opened
        if len(files) == 1 and _is_pipe(kept[0]):
            # The file of a shell's <(command) is read once, as standard input is.
            with Path(kept[0]).open("rb") as stream:
                return self._streamed(stream, show)
        if len(kept) < len(files):
            other = next(name for name in files if name not in kept)
            msg = f"{printable(kept[0])} is a stored matrix and {printable(other)} holds rows; count the rows first"
            raise InputError(msg)
        return stored(kept[0], settings) if len(kept) == 1 else total(kept, settings)

    def _streamed(self, stream: BinaryIO, show: Show | None) -> Counted:
        rest, kind = rows_of(stream, self.settings.kind, self.settings.peek("tally"))
        if kind == "matrix":
            return of_text(rest.read(), self.settings)
        return self._counted(rest, show, kind)

    def _counted(self, source: Any, show: Show | None, kind: str | None = None) -> Counted:
        """Count the rows of files, or of a stream of this kind, with a line that says how far it is."""
        settings = self.settings
        if kind is None and (logs := [file for file in source if file.format == "log"]):
            return self._counted_logs(source, logs[0])
        if settings.peek("rows") == "predicted":
            msg = "--rows is of printed tables, but these files hold one pair per row; --write-rows writes a table so"
            raise InputError(msg)
        if has_score_columns(settings):
            with Working("counting rows", quiet=settings.quiet):
                return count_rows(source, settings, kind)
        line = ProgressLine(quiet=settings.quiet)
        counting = self._counting(line, show, kind)
        try:
            if kind is None:
                gathered = counting.run(source, self._settled)
            else:
                gathered = counting.stream(source, cast("Format", kind), self._settled)
        except KeyboardInterrupt:
            line.clear()
            if settings.resume is not None:
                sys.stderr.write("confmat: interrupted; the same command goes on where it was\n")
            raise
        finally:
            line.clear()
        options = {name: settings.peek(name) for name in ("missing", "other")}
        return counting.closed(self._settled(gathered), gathered, **options)

    def _counted_logs(self, source: Any, log: Source) -> Counted:
        facts = _facts(self.settings, str(log), "log")
        if "by" in facts:
            facts["missing"] = self.settings.missing
        return count_files(source, **facts)

    def _counting(self, line: ProgressLine, show: Show | None, kind: str | None) -> Counting:
        from confmat.io.counting import Counting

        rows = self.settings
        return Counting(
            actual=rows.actual,
            predicted=answers_column(rows),
            weights=rows.weight,
            by=rows.by,
            # Hardly a score has the same label twice.
            tally="none" if rows.tally is None and rows.scores is not None else rows.tally,
            format=cast("Format | None", kind or rows.kind),
            delimiter=rows.delimiter,
            memory=rows.memory,
            threads=rows.threads,
            progress=line if line.wanted else None,
            every=None if show is None or rows.every is None else (rows.every, show),
            resume=rows.resume,
            max_pairs=rows.max_pairs,
        )

    def _settled(self, gathered: Gathered) -> Counted:
        """Return the value of pairs: a matrix, unless the command makes something else of them."""
        with Working("working it out", quiet=self.settings.quiet):
            if self.settle is not None:
                return self.settle(gathered)
            rules, self.log = logged_rules(self.settings)
            return settle(self.settings, gathered, rules)


# ---- stored and printed matrices -----------------------------------------------------------------


def opened(settings: Rows | Models) -> list[str | Source]:
    """Return the files to count, each looked into once, and as they are named what is stored and what is a pipe."""
    kind, files = settings.kind, list[str | Source]()
    for name in settings.files:
        if kind is None and not glob.has_magic(name) and (log := log_at(name)):
            files.append(log)
        elif name == "-" or _is_pipe(name) or is_stored(name, kind, settings.peek("tally")):
            files.append(name)
        else:
            files += sources(name, cast("Format | None", kind))
    return files


def is_stored(name: str, kind: str | None, tally: str | None = None) -> bool:
    """Return whether a file holds a matrix, by its suffix or the header that confmat gives to CSV.

    With a `tally` such a CSV is a table of counts, whose rows are to be counted.
    """
    if kind is not None:
        return kind == "matrix"
    path = Path(name)
    if path.suffix.lower() in STORED_SUFFIXES:
        return True
    if tally is None and path.suffix.lower() in {".csv", ".tsv"} and path.is_file():
        try:
            with path.open("rb") as stream:
                return TABLE.match(stream.read(64)) is not None
        except OSError as error:
            raise refused(name, error, "rows") from None
    return False


def stored(name: str, settings: Settings) -> Counted:
    """Load a stored or printed matrix, or a stack; an error about rows names the command that counts them."""
    path = Path(name)
    kind = "stored" if path.suffix.lower() == ".json" else "printed"
    facts = _facts(settings, printable(name), kind)
    hint = f"confmat count {shlex.quote(printable(name))} counts them"
    if kind == "printed" and path.suffix.lower() in ROWS_SUFFIXES and path.is_file():
        msg = f"{printable(name)}: this is no stored matrix; if it holds rows, {hint}"
        raise InputError(msg)
    try:
        return load_stored(name, **facts)
    except FileError:
        raise
    except InputError as error:
        if path.suffix.lower() not in {".csv", ".tsv", ".txt"}:
            raise
        if path.suffix.lower() == ".txt":
            hint = "say --input csv"
        raise InputError(
            Message("{}; if the file holds one pair per row, {}", error, hint)
        ) from None


def matrix_of(file: str, settings: Settings) -> Counted:
    """Read a matrix or a stack, stored or printed, from a file or from standard input."""
    if file == "-":
        return of_text(sys.stdin.buffer.read(), settings)
    log = log_at(file)
    return (
        stored(file, settings)
        if log is None
        else read_logs([log], **_facts(settings, str(log), "log")).matrix()
    )


def total(names: Iterable[str], settings: Settings, *, stacks: bool = False) -> Counted:
    """Return the sum of what files hold, matrices, or stacks too; an error names the file that does not fit."""
    whole: Counted | None = None
    for name in names:
        if log_at(name):
            msg = f"{printable(name)} is a log of an evaluation; confmat count counts logs together"
            raise InputError(msg)
        part = stored(name, settings)
        if not (stacks or isinstance(part, ConfusionMatrix)):
            msg = f"{printable(name)} holds a {type(part).__name__.lower()}; only matrices add up"
            raise InputError(msg)
        if whole is not None and type(whole) is not type(part):
            each, before = "one matrix", "one matrix per group"
            if isinstance(part, Stack):
                each, before = before, each
            msg = f"{printable(name)} holds {each} and the files before it {before}; merge the ones, then the others"
            raise InputError(msg)
        try:
            whole = part if whole is None else whole + part
        except ValueError as error:
            raise InputError(Message("{}: {}", printable(name), error)) from None
    assert whole is not None
    return whole


def expanded(names: Sequence[str]) -> list[str]:
    """Return the files, with those that fit in place of a pattern that no shell has expanded."""
    files: list[str] = []
    for name in names:
        if glob.has_magic(name) and not Path(name).exists():
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207 - the whole pattern, absolute or not
            if not matches:
                raise no_match(name)
            files += matches
        else:
            files.append(name)
    return files


def model_names(files: Sequence[str | Source], names: Sequence[str] | None) -> Sequence[str]:
    """Return a name for each file: as given, or without suffixes, or whole where those are not distinct."""
    paths = list(map(str, files))
    stems = [Path(path).stem for path in paths]
    called = names or (stems if len(set(stems)) == len(stems) else paths)
    if twice := repeated(called):
        msg = f"two models are called {printable(twice[0])}; tell them apart with --names old,new"
        raise InputError(msg)
    if len(called) != len(files):
        msg = f"--names gives {len(called)} names to {len(files)} files; each needs one of its own"
        raise InputError(msg)
    return called


def _facts(settings: Settings, name: str, kind: str) -> dict[str, Any]:
    """Return what was given of a file of this kind that does not say it."""
    what, meant = FACTS[kind]
    settings.use.why = f"{name} is {what}"
    if settings.peek("gold"):
        msg = f"--gold names a column of rows, and {settings.use.why}"
        raise InputError(msg)
    return {name: value for name in meant if (value := getattr(settings, name, None)) is not None}


def of_text(data: bytes, settings: Settings) -> Counted:
    """Read what standard input holds, a stored or a printed matrix."""
    try:
        text = decoded(data)
        if text.lstrip().startswith("{"):
            _facts(settings, "standard input", "stored")
            return from_json(text)
        facts = _facts(settings, "standard input", "printed")
        return from_csv(text, **facts) if TABLE.match(data) else read_printed(text, **facts)
    except ValueError as error:
        raise InputError(Message("standard input: {}", error)) from None


# ---- standard input ------------------------------------------------------------------------------


def _is_pipe(name: str) -> bool:
    path = Path(name)
    return path.exists() and not path.is_file() and not path.is_dir()


def _head(stream: BinaryIO) -> bytes:
    """Read the beginning of a stream: at least a line, if there is one."""
    from confmat.io.records import MAX_RECORD_BYTES

    head, more = bytearray(), b" "
    while more and b"\n" not in more and len(head) < MAX_RECORD_BYTES:
        more = stream.read1(1 << 16) if hasattr(stream, "read1") else stream.read(1 << 16)
        head += more
    return bytes(head)


class _Joined(io.RawIOBase):
    """The beginning that was read already, and then the rest of the stream."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        super().__init__()
        self._head, self._stream = head, stream

    def read1(self, size: int = -1) -> bytes:
        """Return what is there, at most `size` bytes."""
        head, self._head = self._head, b""
        return head or getattr(self._stream, "read1", self._stream.read)(size)

    def read(self, size: int = -1) -> bytes:
        """Return everything."""
        del size
        head, self._head = self._head, b""
        return head + self._stream.read()


def rows_of(stream: BinaryIO, kind: str | None, tally: str | None = None) -> tuple[_Joined, str]:
    """Return a stream that can be read once, and what it holds; an error if it has to be a file."""
    if kind in {"parquet", "arrow"}:
        msg = f"{kind} cannot be read from standard input, since its beginning is at the end; give a file"
        raise InputError(msg)
    head = _head(stream)
    if not head:
        msg = "standard input is empty"
        raise InputError(msg)
    return _Joined(head, stream), kind or _kind_of(head, tally)


def _is_matrix(line: bytes) -> bool:
    """Whether a line that begins with a brace is of a stored matrix, and no record."""
    try:
        record = json.loads(line)
    except ValueError:
        return True
    return isinstance(record, dict) and str(record.get("format", "")).startswith("confmat.")


def _kind_of(head: bytes, tally: str | None) -> str:
    """Return what a stream holds, by its first line: JSON lines, a stored matrix, TSV or CSV."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if (TABLE.match(line) and tally is None) or line.startswith(b"["):
        return "matrix"
    first = line.partition(b"\n")[0]
    if line.startswith(b"{"):
        return "matrix" if _is_matrix(first) else "jsonl"
    if head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")):
        msg = "standard input is packed; unpack it on the way, as gzip -dc and zstd -dc do"
        raise InputError(msg)
    if line.startswith((b"PAR1", b"ARRO")):
        msg = "standard input is a Parquet or Arrow file, which is read from its end; give a file"
        raise InputError(msg)
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"

"""Input: files to count, stored or printed matrices, or standard input."""

from __future__ import annotations

import glob
import io
import json
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from confmat.cli.options import Settings, refuse
from confmat.cli.related import Related
from confmat.cli.rows import answers_column, count_rows, is_read_by_row, logged_rules, settle
from confmat.cli.settings import Printed, RowSettings, character
from confmat.cli.terminal import ProgressLine, Working
from confmat.core.errors import FileError, InputError, LabelError, Message
from confmat.core.files import decoded, no_match, refused
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable, repeated
from confmat.io import from_csv, from_json, load, read_printed
from confmat.io.logs import log_kind
from confmat.io.sources import ROWS_SUFFIXES
from confmat.reporting import Report

if TYPE_CHECKING:
    from confmat.counting.answers import AnswerLog
    from confmat.io.counting import Counting
    from confmat.io.gathering import Gathered
    from confmat.io.sources import Format

Counted: TypeAlias = ConfusionMatrix | Stack
Show: TypeAlias = Callable[[Counted], object]
# Suffixes of files that hold a matrix or a table of one.
STORED_SUFFIXES = (".json", ".txt", ".md", ".tex", ".obj")
COLUMN_OPTIONS = ("actual", "predicted", "scores", "weight", "tally", "by")
ROWS_OPTIONS = (
    *("missing", "na_values", "other", "resume", "top_k", "any_spelling"),
    *("sep", "aliases", "refused", "abstained", "extract", "pattern", "fuzzy"),
)
# The beginning of a table that confmat has written as CSV.
TABLE = re.compile(
    rb'(?:\xef\xbb\xbf)?"?(?:(?:actual\\predicted|predicted\\actual)|actual[,;\t|]predicted[,;\t|]count\b)'
)


class Reader:
    """The input of a command that counts, with what it leaves behind: the log of answers and the count by item.

    Attributes
    ----------
    log
        The log of the rules for free answers, once there are some.
    items
        With `by_item`, the matrix of each item of several labels.
    """

    def __init__(
        self,
        settings: RowSettings,
        related: Related,
        *,
        quiet: bool,
        by_item: bool = False,
        settle: Callable[[Gathered], Counted] | None = None,
    ) -> None:
        self.settings, self.rows, self.related = settings, settings.rows, related
        self.quiet, self.by_item = quiet, by_item
        self.settle = settle
        self.log: AnswerLog | None = None
        self.items: Stack | None = None

    @property
    def files(self) -> list[str]:
        """The files that are read: those to count, and those that options name."""
        named = (self.settings.answers.aliases, self.rows.resume)
        return [*self.rows.files, *self.related.files, *(name for name in named if name is not None)]

    def read(self, show: Show | None = None) -> Counted | Report:
        """Return the counts of rows, or what is stored, at the level that was asked for.

        `show` gets what was counted so far, as often as --every says.
        """
        related = self.related
        related.check()
        try:
            value = self._value(None if show is None else lambda part: show(related.rolled(part)))
        except (InputError, LabelError) as error:
            if self.settings.scores.scores is None or isinstance(error, FileError):
                raise
            # A column of scores is read in the place of answers, and its option is --scores.
            raise type(error)(error.message.renamed(predicted="scores")) from None
        if self.log is not None and not self.quiet:
            sys.stderr.write(f"{self.log}\n\n")
        return related.rolled(value)

    def matrix(self, show: Show | None = None) -> Counted:
        """Return the counts; a stored report has none."""
        value = self.read(show)
        if isinstance(value, Report):
            msg = "this file holds a report, from which no counts can be had; confmat show prints it"
            raise InputError(msg)
        return value

    def _value(self, show: Show | None) -> Counted | Report:
        files = self.rows.files
        if "-" in files:
            if len(files) > 1:
                msg = "standard input, -, is read alone"
                raise InputError(msg)
            return self._streamed(sys.stdin.buffer, show)
        if len(files) == 1 and _is_pipe(files[0]):
            # The file of a shell's <(command) is read once, as standard input is.
            with Path(files[0]).open("rb") as stream:
                return self._streamed(stream, show)
        kept = [name for name in files if is_stored(name, self.rows.kind, self.rows.tally)]
        if not kept:
            return self._counted(list(files), show)
        if len(kept) < len(files):
            other = next(name for name in files if name not in kept)
            msg = f"{printable(kept[0])} is a stored matrix and {printable(other)} holds rows; count the rows first"
            raise InputError(msg)
        no_rows_options(self.rows, kept[0])
        values = [stored(name, self.rows.printed) for name in kept]
        return values[0] if len(values) == 1 else total(values, kept)

    def _counted(self, files: list[str], show: Show | None) -> Counted:
        """Count the rows of files."""
        self._check_rows()
        if is_read_by_row(self.settings):
            return self._count_by_row(files)
        return self._gathered(lambda counting: counting.run(files, self._settled), show)

    def _streamed(self, stream: BinaryIO, show: Show | None) -> Counted | Report:
        kind = self.rows.kind
        if kind in {"parquet", "arrow"}:
            msg = f"{kind} cannot be read from standard input, since its beginning stands at the end; give a file"
            raise InputError(msg)
        head = _head(stream)
        if not head:
            msg = "standard input is empty"
            raise InputError(msg)
        if kind is None:
            kind = _kind_of(head, self.rows.tally)
        rest = _Joined(head, stream)
        if kind == "matrix":
            no_rows_options(self.rows, "standard input")
            return _of_text(rest.read(), self.rows.printed)
        self._check_rows()
        if is_read_by_row(self.settings):
            return self._count_by_row(rest, kind)

        def run(counting: Counting) -> Gathered:
            return counting.stream(rest, cast("Format", kind), self._settled)

        return self._gathered(run, show, kind)

    def _gathered(self, run: Callable[[Counting], Gathered], show: Show | None, kind: str | None = None) -> Counted:
        """Return the value of the rows that a count gathers, with a line that says how far it is."""
        line = ProgressLine(quiet=self.quiet)
        counting = self._counting(line, show, kind)
        try:
            gathered = run(counting)
        except KeyboardInterrupt:
            line.clear()
            if self.rows.resume is not None:
                sys.stderr.write("confmat: interrupted; the same command goes on where it was\n")
            raise
        finally:
            line.clear()
        return self._settled(gathered)

    def _check_rows(self) -> None:
        if self.rows.rows == "predicted" and "rows" in self.rows.typed:
            msg = (
                "--rows says how a table is printed, but these files hold one pair per row; exchange -a and -p instead"
            )
            raise InputError(msg)

    def _count_by_row(self, source: Any, kind: str | None = None) -> Counted:
        with Working("counting rows", quiet=self.quiet):
            counted, self.items = count_rows(source, self.settings, kind, by_item=self.by_item)
        return counted

    def _counting(self, line: ProgressLine, show: Show | None, kind: str | None = None) -> Counting:
        from confmat.io.counting import Counting

        rows = self.rows
        return Counting(
            actual=rows.actual,
            predicted=answers_column(self.settings),
            weights=rows.weight,
            by=rows.by,
            # A score stands beside few labels twice.
            tally="none" if rows.tally is None and self.settings.scores.scores is not None else rows.tally,
            format=cast("Format | None", kind or rows.kind),
            delimiter=character(rows.delimiter),
            memory=rows.memory,
            threads=rows.threads,
            progress=line if line.wanted else None,
            every=None if rows.every is None or show is None else (rows.every, show),
            resume=rows.resume,
            max_pairs=rows.max_pairs,
        )

    def _settled(self, gathered: Gathered) -> Counted:
        """Return the value of pairs: a matrix, unless the command makes something else of them."""
        with Working("working it out", quiet=self.quiet):
            if self.settle is not None:
                return self.settle(gathered)
            rules, self.log = logged_rules(self.settings)
            return settle(self.settings, gathered, rules)


# ---- stored and printed matrices ---------------------------------------------------------------------------


def is_stored(name: str, kind: str | None, tally: str | None = None) -> bool:
    """Return whether a file holds a matrix (or a table of one) instead of rows to count, of which `tally` speaks."""
    if kind is not None:
        return kind == "matrix"
    path = Path(name)
    if path.suffix.lower() in STORED_SUFFIXES or log_kind(path):
        return True
    if tally is None and path.suffix.lower() in {".csv", ".tsv"} and path.is_file():
        try:
            with path.open("rb") as stream:
                return TABLE.match(stream.read(64)) is not None
        except OSError as error:
            raise refused(name, error, "rows") from None
    return False


def stored(name: str, printed: Printed | None = None) -> Counted | Report:
    """Load a stored or printed matrix, a stack or a report; an error about rows names the command that counts them."""
    path = Path(name)
    kind = "log" if log_kind(name) else "stored" if path.suffix.lower() in {".json", ".obj"} else "printed"
    facts = {} if printed is None else _facts(printed, printable(name), kind)
    hint = f"confmat count {shlex.quote(printable(name))} counts them"
    if kind == "printed" and path.suffix.lower() in ROWS_SUFFIXES and path.is_file():
        msg = f"{printable(name)}: this is no stored matrix; if it holds rows, {hint}"
        raise InputError(msg)
    try:
        return load(name, **facts)
    except FileError:
        raise
    except InputError as error:
        if path.suffix.lower() not in {".csv", ".tsv", ".txt"}:
            raise
        if path.suffix.lower() == ".txt":
            hint = "say --input csv"
        raise InputError(Message("{}; if the file holds one pair per row, {}", error, hint)) from None


def standard_table(printed: Printed) -> Counted | Report:
    """Read the matrix, stored or printed, on standard input."""
    return _of_text(sys.stdin.buffer.read(), printed)


def total(values: Sequence[Counted | Report], names: Sequence[str]) -> ConfusionMatrix:
    """Return the sum of matrices; an error names the file whose labels do not fit."""
    whole: ConfusionMatrix | None = None
    for one, name in zip(values, names, strict=True):
        if not isinstance(one, ConfusionMatrix):
            msg = f"{printable(name)} holds a {type(one).__name__.lower()}; only matrices add up"
            raise InputError(msg)
        try:
            whole = one if whole is None else whole + one
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


def model_names(files: Sequence[str], names: Sequence[str] | None) -> list[str]:
    """Return a name for each file: as given, or without suffixes, or whole where those are not distinct."""
    stems = [Path(name).stem for name in files]
    called = list(names or (stems if len(set(stems)) == len(stems) else files))
    if twice := repeated(called):
        msg = f"two models are called {printable(twice[0])}; tell them apart with --names old,new"
        raise InputError(msg)
    if len(called) != len(files):
        msg = f"--names gives {len(called)} names to {len(files)} files; each needs one of its own"
        raise InputError(msg)
    return called


def no_counts(settings: Settings, *names: str) -> None:
    """Complain of options that need counts, where a stored report has scores alone."""
    refuse(settings, names, "needs the matrix; this file holds a report, which has no counts")


def no_rows_options(settings: Settings, name: str) -> None:
    """Complain of options about columns and rows, which mean nothing to a stored matrix, or to a log."""
    is_log, shown = log_kind(name) is not None, printable(name)
    what = f"{shown} is {'a log of an evaluation' if is_log else 'a stored matrix'}"
    columns = [one for one in COLUMN_OPTIONS if one != "predicted" or not is_log]
    refuse(settings, columns, f"names a column of rows, but {what}")
    refuse(settings, ROWS_OPTIONS, f"is about rows that are counted, but {what}")


def _facts(printed: Printed, name: str, kind: str) -> dict[str, Any]:
    """Return the facts that were given; complain of those that mean nothing to a file of this kind."""
    meant, reason = {
        "log": (("labels", "predicted"), f"is for tables, but {name} is a log of an evaluation"),
        "stored": ((), f"is for tables that do not say it, but {name} is a stored matrix and does"),
        "printed": (("labels", "positive", "rows"), f"is for logs of evaluations, but {name} is none"),
    }[kind]
    refuse(printed, [one for one in ("labels", "positive", "rows", "predicted") if one not in meant], reason)
    return {one: value for one in meant if (value := getattr(printed, one)) is not None}


def _of_text(data: bytes, printed: Printed) -> Counted | Report:
    try:
        text = decoded(data)
        if text.lstrip().startswith("{"):
            _facts(printed, "standard input", "stored")
            return from_json(text)
        facts = _facts(printed, "standard input", "printed")
        return from_csv(text, **facts) if TABLE.match(data) else read_printed(text, **facts)
    except ValueError as error:
        raise InputError(Message("standard input: {}", error)) from None


# ---- standard input ----------------------------------------------------------------------------------------


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


def _kind_of(head: bytes, tally: str | None) -> str:
    """Return what a stream holds, by its first line: JSON lines, a stored matrix, TSV or CSV."""
    line = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if (TABLE.match(line) and tally is None) or line.startswith(b"["):
        return "matrix"
    first = line.partition(b"\n")[0]
    if line.startswith(b"{"):
        try:
            record = json.loads(first)
        except ValueError:
            return "matrix"
        is_matrix = isinstance(record, dict) and str(record.get("format", "")).startswith("confmat.")
        return "matrix" if is_matrix else "jsonl"
    if head[:2] == b"\x1f\x8b" or head[:4] == b"\x28\xb5\x2f\xfd":
        msg = "standard input is packed; unpack it on the way, as gzip -dc and zstd -dc do"
        raise InputError(msg)
    if line[:4] in {b"PAR1", b"ARRO"}:
        msg = "standard input is a Parquet or Arrow file, whose beginning stands at its end; give a file"
        raise InputError(msg)
    return "tsv" if first.count(b"\t") > first.count(b",") else "csv"

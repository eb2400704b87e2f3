"""`count_files`: the choice of an engine for each file or stream, and the one table of pairs that all engines fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, Any, Unpack, overload

from confmat.core.errors import InputError, Message
from confmat.core.labels import MAX_CLASSES
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, told, whole_number
from confmat.core.stack import Stack
from confmat.counting.door import policy_of
from confmat.counting.planning import MAX_GROUPS, Action, Policy, quiet
from confmat.io.arrow_files import count_table_file, table_columns, table_rows, verify_pages
from confmat.io.checkpoints import Checkpoint
from confmat.io.duckdb_files import Room
from confmat.io.frames import MAX_PAIRS
from confmat.io.gathering import Gathered, bytes_of, refuse_scores, settled
from confmat.io.queries import ZONED, Asked, say_rivals
from confmat.io.records import check_delimiter
from confmat.io.sources import Format, Source, sources
from confmat.io.tallies import of_rows, reading, recognized, tally_among, within
from confmat.io.text_files import Opening, TextTeam, asked_of, columns_of, count_text, opened_text, text_reading
from confmat.io.threads import Clock, Told

if TYPE_CHECKING:
    from confmat.counting.answers import Answers
    from confmat.io.frames import FrameOptions

    class FileOptions(FrameOptions, total=False):
        """The options of `count_files` that say nothing about what it returns."""

        na_values: Iterable[str]
        format: Format | None
        delimiter: str | None
        memory_limit: str
        threads: int | None
        progress: Told | None
        every: tuple[float, Callable[[Counted], object]] | None
        resume: Any
        max_classes: int


Counted = ConfusionMatrix | Stack
# A file under its name in a checkpoint.
Keyed = tuple[str, Source]

# Bytes of the whole files that are counted at once beside a checkpoint: work of a few seconds.
BATCH_BYTES = 1 << 28
# A file that was not written to for so long is taken for a whole one.
SECONDS_AT_REST = 60.0
# The names that DuckDB, PyArrow and Polars have for types of lists and of records.
_ZONED = re.compile("WITH TIME ZONE|tz=|time_zone='")
_NESTED = ("nested", "list", "large_list", "fixed_size_list", "array", "struct", "map")


@dataclass
class Counting:
    """One count over files or a stream: gathers the pairs; what they mean as labels is settled afterwards."""

    actual: str | None
    predicted: str | None
    weights: str | None
    by: str | None
    tally: str | None
    format: Format | None
    delimiter: str | None
    memory: str
    threads: int | None
    progress: Told | None
    every: tuple[float, Callable[[Counted], object]] | None
    resume: Any
    max_pairs: int

    def __post_init__(self) -> None:
        """Check what can be checked before a file is touched."""
        whole_number("max_pairs", self.max_pairs)
        if self.threads is not None:
            whole_number("threads", self.threads)
        check_delimiter(self.delimiter)
        if self.every is not None and not (
            isinstance(self.every, (tuple, list)) and len(self.every) == 2 and callable(self.every[1])
        ):
            msg = f"`every` is a pair of seconds and what to call then, such as (5, print), not {told(self.every)}"
            raise InputError(msg)
        bytes_of(self.memory)
        self._clock = Clock(self.progress)
        self._checkpoint = None if self.resume is None else Checkpoint(self.resume)
        # The first file, and what it says the labels of a column are.
        self._kinds: dict[str, tuple[str, str]] = {}
        self._parquet: Room | None = None
        self._files: list[Source] = []

    def run(self, paths: Any, finish: Callable[[Gathered], Counted]) -> Gathered:
        """Gather the pairs of everything that the paths stand for."""
        if hasattr(paths, "read"):
            if self.format not in {"csv", "tsv", "jsonl"}:
                msg = Message(
                    'of a stream, {format} must say what it holds: "csv", "tsv" or "jsonl", not {!r}', self.format
                )
                raise InputError(msg)
            return self.stream(paths, self.format, finish)
        with ExitStack() as self._rooms, self._checkpoint or nullcontext():
            self._files = files = sources(paths, self.format)
            gathered = self._begun(files[0])
            if self._checkpoint is not None or self.every is not None:
                self._one_by_one(files, gathered, finish)
            else:
                alike: dict[Any, list[Source]] = {}
                for file in files:
                    alike.setdefault((file.format, self._group(file, gathered)), []).append(file)
                for (_, gathered.group), some in alike.items():
                    self._add(some, gathered)
        return gathered.final()

    def stream(self, stream: Any, kind: Format, finish: Callable[[Gathered], Counted]) -> Gathered:
        """Gather the pairs of a stream."""
        opening = Opening(stream, "standard input", kind, self.delimiter, hashed=self._checkpoint is not None)

        def readings(probe: Asked) -> list[str]:
            return [text_reading(opening, probe, self.max_pairs)]

        with self._checkpoint or nullcontext():
            gathered = self._gathered(opening.names, opening.name, readings)
            if self._checkpoint is not None:
                self._checkpoint.check([""])
            self._read(opening, gathered, finish, lambda: None)
            if self._checkpoint is not None:
                self._checkpoint.store(gathered, now=True)
        return gathered

    # ---- the columns ---------------------------------------------------------------------------------------

    def _begun(self, first: Source) -> Gathered:
        readings = lambda probe: (self._reading(file, probe) for file in self._files)  # noqa: E731
        gathered = self._gathered(names := self._names(first), str(first), readings)
        asked = gathered.asked
        for file in self._files[1:] if self.tally is None and asked.weights is None else ():
            # Counts in a file after the first would be lost.
            more = [*asked.columns, *(name for name in self._names(file) if name not in names)]
            if (probe := tally_among(more, asked)) is not None:
                recognized(["absent", self._reading(file, probe)], probe, asked)
        return gathered

    def _names(self, file: Source) -> list[str]:
        """The names of the columns of a file."""
        if file.format == "parquet" and _has_duckdb():
            return [name for name, _ in self._parquet_room().layout(file)[0]]
        if file.format in {"parquet", "arrow"}:
            return [name for name, _ in table_columns(file)]
        return columns_of(file, self.delimiter)[0]

    def _reading(self, file: Source, probe: Asked) -> str:
        """Tell whether the rows of a file are a table of counts or single items."""
        if file.format not in {"parquet", "arrow"}:
            with opened_text(file, self.delimiter) as opening:
                return text_reading(opening, probe, self.max_pairs)
        here = within(probe, self._names(file))
        if isinstance(here, str):
            return here
        if file.format == "parquet" and _has_duckdb():
            batches = self._parquet_room().rows(file, here.columns, differing=False)
        else:
            batches = table_rows(file, here.columns)
        return reading(of_rows(batches), here, self.max_pairs)

    def _group(self, file: Source, gathered: Gathered) -> tuple[Any, ...]:
        """The group that the path of a file names, where groups are no column."""
        part, named = gathered.asked.part, file.partitions
        if part is None:
            return ()
        if part not in named:
            msg = Message("{}: no folder above it is called {}=..., as of other files; {by} needs it", file, part)
            raise InputError(msg)
        return (named[part],)

    def _gathered(self, names: list[str], name: str, readings: Callable[[Asked], Iterable[str]]) -> Gathered:
        by, part, paths = self.by, None, self._files[0].partitions if self._files else {}
        if by is not None and by not in names:
            by, part = (None, by) if by in paths else (by, None)
        known = names if by is None or by in names else [*names, *paths]
        asked = asked_of(known, name, self.actual, self.predicted, self.weights, by, self.tally)
        asked = replace(asked, part=part)
        probe = None if self.tally is not None else tally_among(names, asked)
        if probe is not None:
            asked = recognized(readings(probe), probe, asked)
        if self.actual is None and self.predicted is None:
            say_rivals(names, asked)
        gathered = Gathered(asked, self.max_pairs, self.memory)
        for file in self._files:
            self._group(file, gathered)
        if self._checkpoint is not None:
            self._checkpoint.begin(gathered)
        return gathered

    def _parquet_room(self) -> Room:
        """One room for all Parquet files of the count, opened once."""
        if self._parquet is None:
            files = [file for file in self._files if file.format == "parquet"]
            self._parquet = self._rooms.enter_context(Room(files, self.memory, self.threads))
        return self._parquet

    def _known(self, gathered: Gathered, names: list[str], file: Source) -> None:
        """A file after the first must have the same columns."""
        asked = gathered.asked
        asked_of(names, str(file), asked.actual, asked.predicted, asked.weights, asked.by)
        if asked.part in names:
            msg = Message("{}: {by} is the column {!r} here, and a folder of {}", file, asked.part, self._files[0])
            raise InputError(msg)

    def _same_kinds(self, gathered: Gathered, columns: list[tuple[str, str]], file: Source) -> None:
        """The labels of a column must be of one kind in all files; which integers they are does not matter."""
        asked = gathered.asked
        types = dict(columns)
        for name in asked.keys:
            kind = _kind(types[name])
            if _ZONED.search(types[name]):
                msg = f"{file}: the column {asked.name(name)} {ZONED}"
                raise InputError(msg)
            if types[name].lower().startswith(_NESTED):
                msg = (
                    f"{file}: the column {asked.name(name)} holds several values per row ({types[name].lower():.60}), "
                    "and a label is one; `confmat.count_multilabel` counts items with several labels"
                )
                raise InputError(msg)
            first, before = self._kinds.setdefault(name, (str(file), kind))
            if kind != before:
                msg = (
                    f"{file}: the column {asked.name(name)} holds {kind} where {first} holds {before}; "
                    "labels of different kinds are never taken for one class"
                )
                raise InputError(msg)

    # ---- counting ------------------------------------------------------------------------------------------

    def _add(self, files: list[Source], gathered: Gathered) -> None:
        """Add files of one format."""
        kind = files[0].format
        if kind == "parquet" and _has_duckdb():
            self._add_parquet(files, gathered)
        elif kind in {"parquet", "arrow"}:
            for place, file in enumerate(files):
                columns = table_columns(file)
                self._known(gathered, [name for name, _ in columns], file)
                self._same_kinds(gathered, columns, file)
                count_table_file(file, gathered)
                self._clock.tell((place + 1) / len(files), gathered.rows)
        else:
            self._add_text(files, gathered)

    def _add_parquet(self, files: list[Source], gathered: Gathered) -> None:
        room = self._parquet_room()
        layouts: dict[tuple[tuple[str, str], ...], tuple[list[Source], int]] = {}
        for file in files:
            columns, rows = room.layout(file)
            self._known(gathered, [name for name, _ in columns], file)
            self._same_kinds(gathered, columns, file)
            verify_pages(file, gathered.asked.columns)
            alike, many = layouts.setdefault(tuple(columns), ([], 0))
            alike.append(file)
            layouts[tuple(columns)] = (alike, many + rows)
        for columns_, (alike, many) in layouts.items():
            room.count_parquet(alike, columns_, gathered, self._clock, many)

    def _add_text(self, files: list[Source], gathered: Gathered) -> None:
        """Files with the same header together, in threads; the reader of streams names the line that is wrong."""
        alike: dict[tuple[Any, ...], list[Source]] = {}
        for file in files:
            names, delimiter = columns_of(file, self.delimiter)
            if file.format != "jsonl" or file is self._files[0] or gathered.asked.part in names:
                self._known(gathered, names, file)
            header = ("",) if file.format == "jsonl" else (*names, delimiter)
            alike.setdefault(header, []).append(file)
        for header, group in alike.items():
            team = TextTeam(group, header[:-1], header[-1], gathered)
            if team.count(gathered, self._clock, self.threads):
                continue
            for file in group:
                with opened_text(file, self.delimiter) as opening:
                    count_text(opening, gathered, clock=self._clock)

    def _one_by_one(self, files: list[Source], gathered: Gathered, finish: Callable[[Gathered], Any]) -> None:
        """Large text is read as a stream, the rest in batches of whole files; all have a place in the checkpoint."""
        keyed, checkpoint = _keyed(files), self._checkpoint
        if checkpoint is not None:
            checkpoint.check([key for key, _ in keyed])
            # A file that was left in the middle comes first.
            keyed.sort(key=lambda one: one[0] != checkpoint.open_input)
            keyed = [one for one in keyed if not checkpoint.is_counted(*one)]
        whole = sum(file.size for file in files)
        done = whole - sum(file.size for _, file in keyed)
        for batch, is_streamed in self._batches(keyed, gathered):
            (key, file), size = batch[0], sum(file.size for _, file in batch)
            gathered.group = self._group(file, gathered)
            # More may be appended to the last; where a stream ends is noted as it is read.
            may_grow = batch[-1] is keyed[-1] and file.format not in {"parquet", "arrow"}
            later = is_streamed and may_grow
            with nullcontext() if checkpoint is None or later else checkpoint.whole(batch, gathered, may_grow=may_grow):
                if is_streamed:
                    if checkpoint is not None:
                        checkpoint.name = key
                    self._clock.part = 0.0, 1.0
                    self._add_stream(file, gathered, finish, done, 0.0 if file.packing else 1 / whole)
                else:
                    self._clock.part = done / whole, size / whole
                    self._add([file for _, file in batch], gathered)
                    if self.every is not None:
                        self.every[1](finish(gathered.final()))
            done += size
        if checkpoint is not None:
            checkpoint.store(gathered, now=True)

    def _batches(self, keyed: Sequence[Keyed], gathered: Gathered) -> Iterator[tuple[list[Keyed], bool]]:
        """Batches of files of one format and group, and whether one, which is then alone, is read as a stream."""
        size, place = 0, None if self._checkpoint is None else self._checkpoint.open_input

        def kind(one: Keyed) -> tuple[Any, ...]:
            nonlocal size
            key, file = one
            size += file.size
            is_large = file.size > BATCH_BYTES or key == place
            # The last may be appended to while it is counted; where a stream ends is known all the same.
            is_large |= one is keyed[-1] and (bool(file.packing) or file.age < SECONDS_AT_REST)
            is_streamed = file.format not in {"parquet", "arrow"} and (is_large or self.every is not None)
            alone = key if is_streamed or self.every is not None else size // max(BATCH_BYTES, 1)
            return alone, file.format, self._group(file, gathered), is_streamed

        for (*_, is_streamed), batch in groupby(keyed, kind):
            yield list(batch), is_streamed

    def _add_stream(
        self, file: Source, gathered: Gathered, finish: Callable[[Gathered], Any], done: int, scale: float
    ) -> None:
        with opened_text(file, self.delimiter, hashed=self._checkpoint is not None) as opening:
            self._known(gathered, opening.names, file)
            self._read(opening, gathered, finish, lambda: (done + opening.blocks.offset) * scale)

    def _read(
        self,
        opening: Opening,
        gathered: Gathered,
        finish: Callable[[Gathered], Any],
        share: Callable[[], float | None],
    ) -> None:
        every = None
        if self.every is not None:
            seconds, shown = self.every
            every = (seconds, lambda: shown(finish(gathered.final())))
        count_text(opening, gathered, share=share, clock=self._clock, checkpoint=self._checkpoint, every=every)


def _keyed(files: list[Source]) -> list[Keyed]:
    """Each file under its path; the second of the same path is another one."""
    seen: dict[str, int] = {}
    found = []
    for file in files:
        name = str(file)
        seen[name] = seen.get(name, 0) + 1
        found.append((name if seen[name] == 1 else f"{name} #{seen[name]}", file))
    return found


def _kind(name: str) -> str:
    """Name the kind of labels that a type holds: integers of any width, and floats that hold them, are one kind."""
    plain = name.upper()
    if plain.startswith(("DICTIONARY<", "RUN_END_ENCODED<")):
        # An encoding: what counts is what it stands for.
        return _kind(re.split(r"VALUES(?:=|: )", plain)[1].rstrip(">").partition(", INDICES=")[0])
    if plain.startswith(("ENUM", "CATEGORICAL")) or plain in {"VARCHAR", "STRING", "LARGE_STRING", "STRING_VIEW"}:
        return "text"
    if "INT" in plain or plain.startswith(("BOOL", "FLOAT", "DOUBLE", "HALF", "REAL")):
        return "numbers"
    return name.lower()


def _has_duckdb() -> bool:
    return find_spec("duckdb") is not None


@overload
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: None = None,
    **options: Unpack[FileOptions],
) -> ConfusionMatrix: ...
@overload
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: str,
    **options: Unpack[FileOptions],
) -> Stack: ...
@door
def count_files(
    paths: Any,
    *,
    actual: str | None = None,
    predicted: str | None = None,
    weights: str | None = None,
    by: str | None = None,
    tally: str | None = None,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    answers: Answers | None = None,
    na_values: Iterable[str] = (),
    format: Format | None = None,  # noqa: A002 - as pandas, Polars and the command line call it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    progress: Told | None = None,
    every: tuple[float, Callable[[Counted], object]] | None = None,
    resume: Any = None,
    max_pairs: int = MAX_PAIRS,
    max_classes: int = MAX_CLASSES,
    max_groups: int = MAX_GROUPS,
    sparse: bool | None = None,
) -> Counted:
    r"""Count two columns of files into a ConfusionMatrix; with `by`, into one per group.

    Parquet, CSV, TSV (both also .gz and .zst), JSONL and Arrow IPC (Feather) are read. The counts are those of `count`
    on the same rows; memory holds the table of pairs, not the rows.

    Labels of CSV and TSV are text: 01 is not 1, and NA is a label. An empty field is missing, a quoted empty field
    ("") the empty label. Other formats type their labels themselves.

    Parameters
    ----------
    paths
        Files, directories or patterns such as `shard-*.parquet`, or a list of them; or one open binary stream, whose
        content `format` names.
    actual, predicted
        The columns with the labels; by default the ones with usual names (y_true and y_pred, ...).
    weights, by
        Columns with one number, or one group, per row; `by` may also be named by folders, as in `site=a/day.parquet`.
    tally
        The column of counts in a table of counts, whose rows stand for so many items each; "none" counts each row as
        one item. By default it is recognized, with a warning: the one column that is called like counts ("n", "Freq",
        "Anzahl") and holds whole numbers, where no pair comes twice.
    labels, missing, other, positive, answers, sparse, max_classes, max_groups
        As in `count`.
    na_values
        Texts that mean a missing label.
    format
        The format of a file whose suffix does not show it.
    delimiter
        The character between the fields of a CSV.
    memory_limit, threads
        The memory, such as "1GB", that the table of pairs may take, and that DuckDB may use; and the number of threads.
    progress
        A function that is called with a Progress a few times a second.
    every
        (seconds, callback): a function that is called with the count so far, while text is read as a stream.
    resume
        A checkpoint file, from which an interrupted count goes on.
    max_pairs
        The most different pairs; more are an error, since they show a column of identifiers in place of classes.

    Returns
    -------
    ConfusionMatrix or Stack
        The matrix; with `by`, a Stack along that column.

    Raises
    ------
    FileError
        A file is absent or cannot be opened.
    InputError
        A column is absent, or a file is damaged; the error names file and line where it can.
    LabelError
        A label is missing or unknown, and no option says how it counts.
    BudgetError
        There are more pairs, classes or groups than allowed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "preds.csv").write_text("id,y_true,y_pred\n1,cat,cat\n2,cat,hen\n3,hen,hen\n")
    ...     print(count_files(f"{folder}/*.csv"))
            predicted
    actual  cat  hen  │ total
    cat       1    1  │     2
    hen       0    1  │     1
    total     1    2  │     3
    """
    # Threads read the files; the pairs that they find are few.
    policy = policy_of(
        labels, missing, other, positive, max_classes, answers, sparse=sparse, threads=1, max_groups=max_groups
    )
    absent = _texts(na_values)

    def finish(gathered: Gathered, policy: Policy) -> Counted:
        pairs = gathered.counted(absent)
        if labels is None and answers is None:
            refuse_scores(pairs, gathered.asked)
        return settled(pairs, gathered.asked, policy)

    counting = Counting(
        actual,
        predicted,
        weights,
        by,
        tally,
        format,
        delimiter,
        memory_limit,
        threads,
        progress,
        every,
        resume,
        max_pairs,
    )
    return finish(counting.run(paths, lambda gathered: finish(gathered, quiet(policy))), policy)


def _texts(values: Iterable[str]) -> frozenset[str]:
    texts = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    for value in texts:
        if not isinstance(value, str):
            msg = Message("{na_values} are given as they are written, as text, not as {}", told(value, typed=True))
            raise InputError(msg)
    return frozenset(texts)

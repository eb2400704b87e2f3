"""`count_files`: the choice of an engine for each file or stream, and the one table of pairs that all engines fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Unpack, overload
from urllib.parse import unquote

from confmat.core.errors import InputError, Message
from confmat.core.labels import MAX_CLASSES
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, told, whole_number
from confmat.core.stack import Stack
from confmat.counting.door import policy_of
from confmat.counting.look import look_at_files
from confmat.counting.planning import MAX_GROUPS, Action, Policy, quiet
from confmat.io.checkpoints import Checkpoint
from confmat.io.duckdb_files import LONG_DECIMAL
from confmat.io.frames import MAX_PAIRS
from confmat.io.gathering import Gathered, bytes_of, refuse_scores, settled
from confmat.io.logs import logs_among
from confmat.io.queries import ZONED, Asked, say_rivals
from confmat.io.records import check_delimiter
from confmat.io.roads import Road, Roads
from confmat.io.sources import Format, Source, provenance, sources, steady
from confmat.io.tallies import Evidence, evidence_of, recognized, with_numbers, within
from confmat.io.text_files import Every, Opening, TextFiles, asked_of, count_text
from confmat.io.threads import Clock, Told

if TYPE_CHECKING:
    from confmat.answers import Answers
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
# A function from names of columns to their rows.
Rows = Callable[[Sequence[str]], Generator[list[tuple[Any, ...]], None, None]]
# A file under its name in a checkpoint.
Keyed = tuple[str, Source]

# Bytes of the binary files that are counted at once beside a checkpoint: work of a few seconds.
BATCH_BYTES = 1 << 28
# The names that DuckDB and PyArrow have for types of lists and of records.
_ZONED = re.compile("WITH TIME ZONE|tz=")
_NESTED = ("nested", "list", "large_list", "fixed_size_list", "struct", "map")


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
            isinstance(self.every, (tuple, list))
            and len(self.every) == 2
            and callable(self.every[1])
        ):
            msg = f"`every` is a pair of seconds and what to call then, such as (5, print), not {told(self.every)}"
            raise InputError(msg)
        bytes_of(self.memory)
        self._clock = Clock(self.progress)
        self._checkpoint = None if self.resume is None else Checkpoint(self.resume)
        # The first file, and what it says the labels of a column are.
        self._kinds: dict[str, tuple[str, str]] = {}
        self._files: list[Source] = []

    def run(self, paths: Any, finish: Callable[[Gathered], Counted]) -> Gathered:
        """Gather the pairs of everything that the paths name."""
        if hasattr(paths, "read"):
            if self.format not in {"csv", "tsv", "jsonl"}:
                msg = Message(
                    'of a stream, {format} must say what it holds: "csv", "tsv" or "jsonl", not '
                    "{!r}",
                    self.format,
                )
                raise InputError(msg)
            return self.stream(paths, self.format, finish)
        self._files = files = sources(paths, self.format)
        with steady(files, growing=self._checkpoint is not None), self._checkpoint or nullcontext():
            self._roads = Roads(files, self.delimiter, self.memory, self.threads)
            gathered = self._begun(files[0])
            if self._checkpoint is not None or self.every is not None:
                self._one_by_one(files, gathered, finish)
            else:
                alike: dict[Any, list[Source]] = {}
                for file in files:
                    alike.setdefault(
                        (self._roads.of(file), self._group(file, gathered)), []
                    ).append(file)
                for (road, gathered.group), some in alike.items():
                    self._add(road, some, gathered)
        return gathered.final()

    def stream(self, stream: Any, kind: Format, finish: Callable[[Gathered], Counted]) -> Gathered:
        """Gather the pairs of a stream."""
        checkpoint = self._checkpoint
        opening = Opening(
            stream, "standard input", kind, self.delimiter, hashed=checkpoint is not None
        )

        def rows(names: Sequence[str]) -> Generator[list[tuple[Any, ...]], None, None]:
            with closing(opening.blocks.ahead()) as blocks:
                yield from map(opening.reader(names).rows, blocks)

        with steady(stream, growing=checkpoint is not None), checkpoint or nullcontext():
            gathered = self._gathered(opening.name, [(opening.names, rows)])
            if checkpoint is not None:
                checkpoint.check([""])
            every = self._every(gathered, finish)
            count_text([opening], gathered, self._clock, checkpoint=checkpoint, every=every)
            if checkpoint is not None:
                checkpoint.store(gathered, now=True)
        return gathered

    def closed(self, found: Counted, gathered: Gathered, **options: Any) -> Counted:
        """The counts with a look at the files, and with where they are from, of what was not a stream."""
        if not self._files:
            return found
        asked = gathered.final().asked
        columns = {"actual": asked.actual, "predicted": asked.predicted, "by": asked.by}
        options |= {"tally" if asked.tally else "weights": asked.weights, **columns}
        options |= {"format": self.format, "delimiter": self.delimiter}
        return look_at_files(found, self._files)._counted_in(provenance(self._files, options))

    def _every(self, gathered: Gathered, finish: Callable[[Gathered], Counted]) -> Every:
        """The callback that shows the count so far, and after how many seconds."""
        if self.every is None:
            return None
        seconds, shown = self.every
        return seconds, lambda: shown(finish(gathered.final()))

    # ---- the columns -----------------------------------------------------------------------------

    def _begun(self, first: Source) -> Gathered:
        files = [(self._roads.names(file), partial(self._rows, file)) for file in self._files]
        gathered = self._gathered(str(first), files)
        asked, names = gathered.asked, {*files[0][0]}
        for each, rows in files[1:] if self.tally is None and asked.weights is None else ():
            # Counts in a file after the first would be lost.
            if more := [name for name in each if name not in names]:
                self._recognized(asked, [([*asked.columns, *more], rows), files[0]])
        return gathered

    def _rows(
        self, file: Source, names: Sequence[str]
    ) -> Generator[list[tuple[Any, ...]], None, None]:
        yield from self._roads.of(file).rows(file, names, differing=False)

    def _recognized(self, asked: Asked, files: Sequence[tuple[list[str], Rows]]) -> Asked:
        """The columns to count, if the rows of some files are tables of counts."""
        names, first = files[0]

        def numeric(some: list[str]) -> list[str]:
            with closing(first(some)) as batches:
                return with_numbers(chain.from_iterable(batches), some)

        def readings(probe: Asked) -> Iterator[Evidence | str]:
            for each, rows in files:
                here = within(probe, each)
                if isinstance(here, str):
                    yield here
                    continue
                with closing(rows(here.columns)) as batches:
                    yield evidence_of(batches, here, self.max_pairs)

        return recognized(names, asked, numeric, readings)

    def _group(self, file: Source, gathered: Gathered) -> tuple[Any, ...]:
        """The group that the path of a file names, where groups are no column."""
        part, named = gathered.asked.part, file.partitions
        if part is None:
            return ()
        if part not in named:
            msg = Message(
                "{}: no folder above it is called {}=..., as of other files; {by} needs it",
                file,
                part,
            )
            raise InputError(msg)
        if (
            len(
                {
                    folder
                    for folder in file.path.parent.parts
                    if unquote(folder.partition("=")[0]) == part
                }
            )
            > 1
        ):
            msg = Message(
                "{}: several folders above it are called {}=..., so {by} could be any of them",
                file,
                part,
            )
            raise InputError(msg)
        return (named[part],)

    def _gathered(self, name: str, files: Sequence[tuple[list[str], Rows]]) -> Gathered:
        names = files[0][0]
        by, part, paths = self.by, None, self._files[0].partitions if self._files else {}
        if by is not None and by not in names:
            by, part = (None, by) if by in paths else (by, None)
        known = names if by is None or by in names else [*names, *paths]
        asked = asked_of(known, name, self.actual, self.predicted, self.weights, by, self.tally)
        asked = replace(asked, part=part)
        if self.tally is None:
            asked = self._recognized(asked, files)
        if self.actual is None and self.predicted is None:
            say_rivals(names, asked)
        # A count that is shown or stored on the way would be summed on disk each time.
        spills = self._checkpoint is None and self.every is None
        gathered = Gathered(asked, self.max_pairs, self.memory, spills=spills)
        for file in self._files:
            self._group(file, gathered)
        if self._checkpoint is not None:
            self._checkpoint.begin(gathered)
        return gathered

    def _check(self, gathered: Gathered, file: Source) -> None:
        """A file after the first must have the same columns."""
        asked, names = gathered.asked, self._roads.names(file)
        if file.format == "jsonl" and file is not self._files[0] and asked.part not in names:
            # Fields may be absent.
            return
        asked_of(names, str(file), asked.actual, asked.predicted, asked.weights, asked.by)
        if asked.part in names:
            msg = Message(
                "{}: {by} is the column {!r} here, and a folder of {}",
                file,
                asked.part,
                self._files[0],
            )
            raise InputError(msg)
        self._same_kinds(asked, file)

    def _same_kinds(self, asked: Asked, file: Source) -> None:
        """The labels of a column must be of one kind in all files; which integers they are does not matter."""
        types = dict(self._roads.columns(file))
        for name in filter(types.get, asked.keys):
            kind = _kind(types[name])
            if _ZONED.search(types[name]):
                msg = f"{file}: the column {asked.name(name)} {ZONED}"
                raise InputError(msg)
            if types[name].lower().startswith(_NESTED):
                msg = (
                    f"{file}: the column {asked.name(name)} holds several values per row "
                    f"({types[name].lower():.60}), and a label is one; `confmat.count_multilabel` counts items with "
                    "several labels"
                )
                raise InputError(msg)
            if types[name] == LONG_DECIMAL:
                msg = (
                    f"{file}: the column {asked.name(name)} holds {LONG_DECIMAL}, which "
                    "DuckDB rounds; store it as text"
                )
                raise InputError(msg)
            first, before = self._kinds.setdefault(name, (str(file), kind))
            if kind != before:
                msg = (
                    f"{file}: the column {asked.name(name)} holds {kind} where {first} holds {before}; labels of "
                    "different kinds are never taken for one class"
                )
                raise InputError(msg)

    # ---- counting --------------------------------------------------------------------------------

    def _add(self, road: Road, files: list[Source], gathered: Gathered, **beside: Any) -> None:
        """Add files of one road."""
        for file in files:
            self._check(gathered, file)
        road.add(files, gathered, self._clock, **beside)

    def _one_by_one(
        self, files: list[Source], gathered: Gathered, finish: Callable[[Gathered], Any]
    ) -> None:
        """Text is read as a stream, the rest in batches of whole files; all have a place in the checkpoint."""
        keyed, checkpoint, every = _keyed(files), self._checkpoint, self._every(gathered, finish)
        if checkpoint is not None:
            checkpoint.check([key for key, _ in keyed])
            # A file that was left in the middle comes first.
            keyed.sort(key=lambda entry: entry[0] != checkpoint.open_input)
            keyed = [entry for entry in keyed if not checkpoint.is_counted(*entry)]
        whole = sum(file.size for file in files)
        done = whole - sum(file.size for _, file in keyed)
        for batch in self._batches(keyed, gathered):
            size = sum(file.size for _, file in batch)
            self._clock.part = done / whole, size / whole
            self._add_batch(batch, gathered, every, is_last=batch[-1] is keyed[-1])
            done += size
        if checkpoint is not None:
            checkpoint.store(gathered, now=True)

    def _add_batch(
        self, batch: list[Keyed], gathered: Gathered, every: Every, *, is_last: bool
    ) -> None:
        """Add files of one road and group, with their place in the checkpoint."""
        checkpoint, (key, file) = self._checkpoint, batch[0]
        gathered.group = self._group(file, gathered)
        road = self._roads.of(file)
        is_text = isinstance(road, TextFiles)
        beside: dict[str, Any] = {"checkpoint": checkpoint, "every": every} if is_text else {}
        stored: AbstractContextManager[None] = nullcontext()
        if checkpoint is not None:
            checkpoint.name = key
            # More may be appended to the last text, so the end of the counted part is noted.
            if not (is_text and is_last):
                stored = checkpoint.whole(batch, gathered)
        with stored:
            self._add(road, [file for _, file in batch], gathered, **beside)
        if every is not None and not is_text:
            every[1]()

    def _batches(self, keyed: Sequence[Keyed], gathered: Gathered) -> Iterator[list[Keyed]]:
        """Batches of files of one road and group; a text, or one whose count is shown, is alone."""
        size = 0

        def kind(keyed: Keyed) -> tuple[Any, ...]:
            nonlocal size
            key, file = keyed
            size += file.size
            alone = self.every is not None or isinstance(self._roads.of(file), TextFiles)
            return (
                key if alone else size // max(BATCH_BYTES, 1),
                file.format,
                self._group(file, gathered),
            )

        return (list(batch) for _, batch in groupby(keyed, kind))


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
        # An encoding: its values are what counts.
        return _kind(re.split(r"VALUES(?:=|: )", plain)[1].rstrip(">").partition(", INDICES=")[0])
    if plain in {"VARCHAR", "STRING", "LARGE_STRING", "STRING_VIEW"}:
        return "text"
    if "INT" in plain or plain.startswith(("BOOL", "FLOAT", "DOUBLE", "HALF")):
        return "numbers"
    return name.lower()


@overload
def count_files(
    paths: Any, *, by: None = None, **options: Unpack[FileOptions]
) -> ConfusionMatrix: ...
@overload
def count_files(paths: Any, *, by: str, **options: Unpack[FileOptions]) -> Stack: ...
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

    Parquet, CSV, TSV (both also .gz and .zst), JSONL and Arrow IPC (Feather) are read. The counts
    are those of `count` on the same rows; memory holds the table of pairs, not the rows.

    Logs of language models' evaluations (`read_log`) are files, too: `predicted` is then "answer",
    "verdict" or of one scorer, `by` is "model", "epoch" or of the metadata of samples, and samples
    of one id are one cluster.

    Labels of CSV and TSV are text: 01 is not 1, and NA is a label. An empty field is missing, a
    quoted empty field ("") the empty label. Other formats type their labels themselves.

    Parameters
    ----------
    paths
        Files, directories or patterns such as `shard-*.parquet`, or a list of them; or one open
        binary stream, whose content `format` names.
    actual, predicted
        The columns with the labels; by default the ones with usual names (y_true and y_pred, ...).
    weights, by
        Columns with one number, or one group, per row; `by` may also be named by folders, as in
        `site=a/day.parquet`.
    tally
        The column of counts in a table of counts, whose rows represent several items each; "none"
        counts each row as one item. By default it is recognized, with a warning: the one column
        that is called like counts ("n", "Freq", "Anzahl") and holds whole numbers, where no pair
        comes twice.
    labels, missing, other, positive, answers, sparse, max_classes, max_groups
        As in `count`.
    na_values
        Texts that mean a missing label.
    format
        The format of a file whose suffix does not show it.
    delimiter
        The character between the fields of a CSV.
    memory_limit, threads
        The memory, such as "1GB", that counting may take beside the 60 MB of the program; and the
        number of threads.
    progress
        A function that is called with a Progress a few times a second.
    every
        (seconds, callback): a function that is called with the count so far, while text is read as
        a stream.
    resume
        A checkpoint file, from which an interrupted count goes on.
    max_pairs
        The most different pairs; more are an error, since they show a column of identifiers in
        place of classes.

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
    ...     _ = pathlib.Path(folder, "preds.csv").write_text(
    ...         "id,y_true,y_pred\n1,cat,cat\n2,cat,hen\n3,hen,hen\n"
    ...     )
    ...     print(count_files(f"{folder}/*.csv"))
            predicted
    actual  cat  hen  │ total
    cat       1    1  │     2
    hen       0    1  │     1
    total     1    2  │     3
    """
    # Threads read the files; the pairs that they find are few.
    policy = policy_of(
        labels,
        missing,
        other,
        positive,
        max_classes,
        answers,
        sparse=sparse,
        threads=1,
        max_groups=max_groups,
    )
    absent = texts_of(na_values)

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
    if not hasattr(paths, "read"):
        paths = sources(paths, format)
        unfit = {
            "actual": actual,
            "weights": weights,
            "tally": tally,
            "answers": answers,
            "delimiter": delimiter,
        }
        logs = logs_among(
            paths,
            predicted,
            labels,
            na_values=na_values,
            every=every,
            resume=resume,
            progress=progress,
            **unfit,
        )
        if logs:
            asked = {
                "max_groups": max_groups,
                "max_classes": max_classes,
                "positive": positive,
                "sparse": sparse,
            }
            found = look_at_files(logs.matrix(by, missing=missing, **asked), paths)
            return found._counted_in(
                provenance(paths, {"predicted": predicted, "by": by, "missing": missing})
            )
    policy = replace(
        policy,
        is_typed="jsonl"
        in ({format} if hasattr(paths, "read") else {file.format for file in paths}),
    )
    gathered = counting.run(paths, lambda gathered: finish(gathered, quiet(policy)))
    options = {
        "missing": missing,
        "other": other,
        "na_values": sorted(absent),
        "answers": answers and str(answers),
    }
    return counting.closed(finish(gathered, policy), gathered, **options)


def texts_of(values: Iterable[str]) -> frozenset[str]:
    """Texts that mean a missing label, as they were given."""
    texts = (
        [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    )
    for value in texts:
        if not isinstance(value, str):
            msg = Message(
                "{na_values} are given as they are written, as text, not as {}",
                told(value, typed=True),
            )
            raise InputError(msg)
    return frozenset(texts)

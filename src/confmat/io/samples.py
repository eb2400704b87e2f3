"""Rows of files in bounded memory: labels with further columns, scores; and examples of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import order_of
from confmat.core.building import positive_place
from confmat.core.errors import ConfmatError, InputError, LabelError, Message
from confmat.core.files import about
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import as_list, door
from confmat.core.stack import Stack
from confmat.core.text import fit, printable, repeated, some
from confmat.counting.examples import Examples
from confmat.counting.planning import INVALID, check_rules
from confmat.deciding import from_scores
from confmat.deciding.decisions import BORDERS, check_threshold
from confmat.deciding.model_scores import Truth, classes_called, labels_of_two, read_labels
from confmat.io.logs import logs_among
from confmat.io.queries import Asked, Counted, find_column, find_columns
from confmat.io.records import no_label, record_of, text_of
from confmat.io.roads import Roads
from confmat.io.sources import Format, sources, steady
from confmat.io.text_files import Opening, TextFiles, opened_text

if TYPE_CHECKING:
    from confmat.answers import Answers

Row = tuple[Any, ...]
Array = NDArray[Any]
_ROW = re.compile(r"((?:\bin|:) row )(\d+(?:,\d{3})*)(?![\d.])")


class Wanted:
    """The columns in question: both labels, and what an example shows; found anew in each file, by name."""

    def __init__(
        self, actual: str | None, predicted: str | None, columns: Sequence[str], *, hits: bool
    ) -> None:
        self.actual, self.predicted, self.columns, self.hits = actual, predicted, columns, hits

    def among(self, names: Sequence[str], file: str) -> list[str]:
        """Their names in a file: actual, predicted, and the others."""
        with about(file):
            return self._among(names)

    def _among(self, names: Sequence[str]) -> list[str]:
        sides = find_columns(names, self.actual, self.predicted)
        return [*sides, *(find_column(names, column, "examples") for column in self.columns)]


def batches(
    paths: Any,
    wanted: Wanted,
    *,
    format: Format | None,  # noqa: A002 - as count_files calls it
    delimiter: str | None,
    memory: str,
    threads: int | None,
) -> Iterator[tuple[str, list[Row]]]:
    """Rows of files, or of one open stream, as `count_files` takes them; each batch with the name of its file."""
    if hasattr(paths, "read"):
        opening = Opening(paths, "standard input", format or "csv", delimiter)
        with steady(paths):
            yield from ((opening.name, rows) for rows in _text_rows(opening, wanted))
        return
    files = sources(paths, format)
    roads = Roads(files, delimiter, memory, threads)
    for file in files:
        road = roads.of(file)
        with steady([file]):
            if isinstance(road, TextFiles):
                with opened_text(file, delimiter) as opening:
                    yield from ((str(file), rows) for rows in _text_rows(opening, wanted))
            else:
                names = wanted.among(roads.names(file), str(file))
                yield from (
                    (str(file), rows) for rows in road.rows(file, names, differing=not wanted.hits)
                )


def _text_rows(opening: Opening, wanted: Wanted) -> Iterator[list[Row]]:
    """Rows of CSV, whose empty fields are missing unless they are quoted; or of JSONL."""
    names = wanted.among(opening.names, opening.name)
    if opening.kind == "jsonl":
        for block in opening.blocks:
            lines = enumerate(text_of(block, opening.name).split("\n"), block.line)
            yield [_record(text, opening, line, names) for line, text in lines if text.strip()]
        return
    yield from map(opening.reader(names).rows, opening.blocks)


def _record(text: str, opening: Opening, line: int, wanted: Sequence[str]) -> Row:
    """A record of JSONL: a field that is absent, or null, is missing; lists and objects are shown as JSON."""
    record = record_of(text, opening.name, line, strict=False)
    row = [record.get(name) for name in wanted]
    for place, value in enumerate(row):
        if isinstance(value, (list, dict)):
            if place < 2:
                raise no_label(opening.name, line, wanted[place], value)
            row[place] = json.dumps(value, ensure_ascii=False)
    return tuple(row)


class Scores(Wanted):
    """The columns of scores, named one by one or by a pattern such as p_*, with those of labels, weights and groups.

    A pattern also says which class a column is of: the class is the part that the star matches.
    """

    def __init__(
        self, scores: Sequence[str], actual: str | None, weights: str | None, by: str | None
    ) -> None:
        super().__init__(actual, None, (), hits=True)
        self.scores, self.weights, self.by = list(scores), weights, by
        self.found: list[str] = []
        self.classes: list[str] = []
        self.starred = False

    def _among(self, names: Sequence[str]) -> list[str]:
        """Their names in a file: actual, weight, group, and the scores."""
        if not self.found:
            self._expand(names)
        wanted = (
            ("weights", self.weights),
            ("by", self.by),
            *(("scores", name) for name in self.found),
        )
        others = [find_column(names, name, side) for side, name in wanted if name is not None]
        # The columns of scores are no candidates for that of labels.
        free = [name for name in names if name not in self.found[1:]]
        return [find_columns(free, self.actual, self.found[0])[0], *others]

    def _expand(self, names: Sequence[str]) -> None:
        """The columns that are meant, and the class of each."""
        for given in self.scores:
            before, star, after = given.partition("*")
            if not star or given in names:
                fitting = {given: given}
            else:
                self.starred = True
                ends = len(before) + len(after)
                fitting = {
                    name: name[len(before) : len(name) - len(after)]
                    for name in names
                    if len(name) > ends and name.startswith(before) and name.endswith(after)
                }
            if not fitting:
                msg = Message(
                    "no column is called like {} for {scores}; the columns are {}",
                    some([given]),
                    some(names, 12),
                )
                raise InputError(msg)
            self.found += fitting
            self.classes += fitting.values()

    def order(self, labels: Sequence[str] | None) -> list[int]:
        """The columns in the order of the labels: by the part that a star matches, or as they were named one by one."""
        called = self.classes if labels is None else classes_called(self.classes, labels)
        if labels is None or len(called) < 2 or not (self.starred or set(called) & set(labels)):
            return [*range(len(called))]
        return order_of(called, labels, "scores")

    def check(self, labels: Sequence[Any]) -> None:
        """Complain of several columns that are called like none of the labels."""
        names = sorted(set(map(str, labels)))
        if len(self.found) < 2 or not names or set(names) & set(self.classes):
            return
        msg = Message(
            "the columns {} of {scores} are called like none of the labels {}; say in {labels} which class each "
            "column is of, or let the star of a pattern such as 'p_*' match it",
            some(self.classes, 6),
            some(names, 6),
        )
        raise LabelError(msg)

    def parts(
        self, rows: list[Row], absent: frozenset[str] = frozenset()
    ) -> tuple[list[Any], Any, list[Any] | None, Array]:
        """Labels, weights, groups and scores of some rows; labels in `absent` are missing."""
        labels, *columns = zip(*rows, strict=True)
        weights = None if self.weights is None else _numbers([columns.pop(0)], [self.weights])[:, 0]
        groups = None if self.by is None else list(columns.pop(0))
        return _present(labels, absent), weights, groups, _numbers(columns, self.found)


def _numbers(columns: Sequence[Sequence[Any]], names: Sequence[str], of: str = "") -> Array:
    """Columns of numbers, or of their texts in a text file."""
    try:
        return np.array(columns, dtype=object).astype(np.float64).T
    except (TypeError, ValueError):
        for name, column in zip(names, columns, strict=True):
            for value in column:
                _number(value, f"{some([name])}{of}", "number")
        raise


def count_scores(
    paths: Any,
    columns: Scores,
    *,
    spelling: Callable[[list[Any]], Callable[[str], Any]],
    labels: Sequence[str] | None = None,
    positive: str | None = None,
    na_values: Sequence[str] = (),
    format: Any = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
    **decision: Any,
) -> ConfusionMatrix | Stack:
    """Count a model whose scores are columns, one for each class; with a group column, into a stack.

    `spelling` makes, of the labels that occur, the function from a text to its label; `labels` name
    the columns.
    """
    groups: dict[Any, ConfusionMatrix] = {}
    absent, seen = frozenset(na_values), 0
    order: list[int] = []
    for file, rows in batches(
        paths, columns, format=format, delimiter=delimiter, memory=memory_limit, threads=threads
    ):
        try:
            truth, weights, keys, scores = columns.parts(rows, absent)
            if not seen:
                decision |= _classes(columns, truth, labels, positive, spelling)
                order = columns.order(labels)
            for key, places in _places(keys, len(rows)):
                m = from_scores(
                    [truth[place] for place in places],
                    scores[np.ix_(places, order)],
                    weights=None if weights is None else weights[places],
                    **decision,
                )
                groups[key] = groups[key] + m if key in groups else m
        except ConfmatError as error:
            message = _of_file(error.message, seen)
            msg = Message("{}, rows {:,} to {:,}: {}", file, seen + 1, seen + len(rows), message)
            raise type(error)(msg) from None
        seen += len(rows)
    if not groups:
        msg = Message("there are no rows to count")
        raise InputError(msg)
    return groups[None] if columns.by is None else Stack(groups, axis=columns.by)


def _classes(
    columns: Scores,
    truth: list[Any],
    labels: Sequence[str] | None,
    positive: str | None,
    spelling: Callable[[list[Any]], Callable[[str], Any]],
) -> dict[str, Any]:
    """The classes of the columns, and the positive one, spelt as those that occur."""
    occur = [name for name in truth if name is not None]
    if labels is None:
        columns.check(occur)
    spelt = spelling(occur)
    return {
        "labels": [spelt(name) for name in labels or columns.classes],
        "positive": None if positive is None else spelt(positive),
    }


def _present(labels: Iterable[Any], absent: frozenset[str]) -> list[Any]:
    """Labels, with None for those in `absent`."""
    return [None if absent and str(name) in absent else name for name in labels]


def _of_file(message: Message, before: int) -> Message:
    """Return the message with rows counted from 1 over all batches; that of a batch counts its own, from 0."""
    return message.edited(
        lambda text: _ROW.sub(
            lambda row: f"{row[1]}{int(row[2].replace(',', '')) + before + 1:,}", text
        )
    )


def _places(keys: list[Any] | None, many: int) -> list[tuple[Any, list[int]]]:
    """The groups of some rows, and which rows are of each."""
    if keys is None:
        return [(None, list(range(many)))] if many else []
    found: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    if None in found:
        msg = f"missing groups: {len(found[None]):,} of these rows belong to none"
        raise InputError(msg)
    return list(found.items())


def answered(
    found: Counted,
    asked: Asked,
    labels: Any,
    positive: Any,
    threshold: float | None,
    kind: str = "probabilities",
) -> Counted:
    """The pairs with an answer in the place of each score; kinds of scores are those of `from_scores`."""
    scores, given = scores_of(found, asked), _two_classes(found, asked, labels, positive)
    if threshold != threshold:
        msg = Message("{threshold} must be a number, not NaN")
        raise InputError(msg)
    place = positive_place(given)
    if threshold is None:
        threshold = _border(kind, scores, asked)
    elif kind == "probabilities" and all(score is None or 0 <= score <= 1 for score in scores):
        # Other columns have a scale of their own, and a threshold says enough.
        check_threshold(threshold)
    answers = [
        None if score is None else given[place if score >= threshold else 1 - place]
        for score in scores
    ]
    return replace(found, predicted=answers)


def _two_classes(found: Counted, asked: Asked, labels: Any, positive: Any) -> Labels:
    """The two classes that a threshold parts: those named, else those that occur."""
    given = read_labels(labels, positive)
    if given is None:
        names = list(dict.fromkeys(name for name in found.actual if name is not None))
        if len(names) > 2:
            msg = Message(
                "a threshold parts two classes, but the column {} holds {}; name two in {labels}, "
                "and say {other:'drop'} to leave out the rest",
                asked.name(asked.actual),
                some(names),
            )
            raise LabelError(msg)
        given = labels_of_two(
            Truth(np.zeros(0, np.int64), names, ordered=False, holes=None), positive
        )
    if len(given) != 2:
        msg = Message(
            "a threshold parts two classes, and {labels} names {}: {}", len(given), some(given)
        )
        raise LabelError(msg)
    return given


def scores_of(found: Counted, asked: Asked) -> list[float | None]:
    """The predicted side as scores; NaN is missing."""
    return [_number(score, asked.name(asked.predicted), "score") for score in found.predicted]


def _border(kind: str, scores: list[float | None], asked: Asked) -> float:
    """Where scores of this kind part."""
    if kind not in BORDERS:
        msg = Message("{kind:'scores'} does not say where two classes part; say {threshold}")
        raise InputError(msg)
    wrong = [score for score in scores if score is not None and not 0 <= score <= 1]
    if kind == "probabilities" and wrong:
        msg = Message(
            "the column {} holds {!r}, so these are no probabilities, which part at 0.5; say {threshold}",
            asked.name(asked.predicted),
            wrong[0],
        )
        raise InputError(msg)
    return BORDERS[kind]


def _number(value: Any, column: str, what: str) -> float | None:
    """A field of a column as a number; NaN is missing."""
    if value is None:
        return None
    try:
        value = float(value)
    except (TypeError, ValueError):
        msg = f"the column {column} holds {fit(printable(repr(value)), 60)}, which is no {what}"
        raise InputError(msg) from None
    return None if value != value else value


# Answers whose labels are remembered while examples are drawn.
_CACHED_ANSWERS = 100_000


@door
def examples(
    paths: Any,
    columns: Iterable[str],
    *,
    actual: str | None = None,
    predicted: str | Sequence[str] | None = None,
    answers: Answers | None = None,
    matrix: ConfusionMatrix | Stack | None = None,
    per_cell: int = 20,
    hits: bool = False,
    seed: int = 0,
    max_cells: int = 20_000,
    na_values: Iterable[str] = (),
    format: Format | None = None,  # noqa: A002 - as count_files calls it
    delimiter: str | None = None,
    memory_limit: str = "1GB",
    threads: int | None = None,
) -> Examples:
    r"""Draw a reproducible sample of the rows of every cell, from files as `count_files` reads them.

    The sample depends on the content of rows and on `seed` alone: not on the spread over files, nor
    on formats as long as fields read alike, nor on the packages installed.

    Parameters
    ----------
    paths
        Files, as in `count_files`.
    columns
        The columns that an example shows, such as an id and a text.
    actual, predicted
        The columns with the labels; by default found by their names, as in `count_files`. A list of
        columns is of several models: examples are of answers that differ, by (actual, (answer of
        the first, of the second)).
    answers
        Rules by which free answers became labels, as in `count_files`; name the column of answers
        in `columns` too, to show the words of an answer.
    matrix
        The matrix or the stack that was counted from the same files. Examples then have its labels:
        those collected as "(missing)" or "(other)" are there too, and those left out are not.
    per_cell, hits, seed, max_cells
        As in `Examples`; by default only errors are kept.
    na_values, format, delimiter, memory_limit, threads
        As in `count_files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "preds.csv").write_text(
    ...         "id,y_true,y_pred\n1,cat,cat\n2,cat,hen\n3,hen,hen\n"
    ...     )
    ...     dict(examples(f"{folder}/*.csv", ["id"]))
    {('cat', 'hen'): [{'id': '2'}]}
    """
    _check_examples(paths, columns)
    made = Examples(per_cell, columns=columns, seed=seed, hits=hits, max_cells=max_cells)
    if not made.columns:
        msg = "`columns` must name what an example shows, such as ['id', 'text']"
        raise InputError(msg)
    absent = frozenset(
        [na_values] if isinstance(na_values, str) else as_list("na_values", na_values, "texts")
    )
    models: list[Any] = [*predicted] if isinstance(predicted, (list, tuple)) else [predicted]
    first, *more = models
    files = sources(paths, format)
    logs = logs_among(
        files,
        first,
        None if matrix is None else matrix.labels.classes,
        na_values=na_values,
        actual=actual,
        predicted=more or None,
        answers=answers,
        delimiter=delimiter,
    )
    read: Iterable[list[Row]] = (log.rows(made.columns) for log in logs.values())
    if not logs:
        wanted = Wanted(actual, first, [*more, *made.columns], hits=hits or bool(more))
        found = batches(
            files, wanted, format=format, delimiter=delimiter, memory=memory_limit, threads=threads
        )
        read = (rows for _, rows in found)
    labeled = _labeled(answers, matrix)
    for rows in read:
        made.update(*_sides(rows, len(models), absent, labeled))
    return made if matrix is None else made.fitted(matrix)


def _check_examples(paths: Any, columns: Any) -> None:
    """Refuse labels in the place of columns, and streams."""
    if isinstance(columns, (list, tuple)) and (twice := repeated(map(str, columns))):
        msg = (
            f"`columns` repeats {some(twice)}: `examples` reads files, examples('preds.csv', ['id', 'text']); for "
            "labels in memory there is confmat.Examples().update(actual, predicted, items)"
        )
        raise InputError(msg)
    if hasattr(paths, "read"):
        msg = "examples are read in a second pass, and a stream can be read once; store it in a file first"
        raise InputError(msg)


def _sides(
    rows: list[Row], models: int, absent: frozenset[str], labeled: Callable[[Any], Any]
) -> tuple[list[Any], list[Any], list[Row]]:
    """The labels of both sides of some rows, and what is shown; of several models, where their answers differ."""
    start = 1 + models
    truth, *answers = (_present([row[at] for row in rows], absent) for at in range(start))
    shown = [row[start:] for row in rows]
    if models == 1:
        return truth, [*map(labeled, answers[0])], shown
    given = [*zip(*(map(labeled, each) for each in answers), strict=True)]
    kept = [len({*each}) > 1 for each in given]
    return [*compress(truth, kept)], [*compress(given, kept)], [*compress(shown, kept)]


def _labeled(rules: Answers | None, matrix: ConfusionMatrix | Stack | None) -> Callable[[Any], Any]:
    """Return the function from an answer to its label; each different answer is read once, while they are few."""
    if rules is None:
        return lambda name: name
    rules = check_rules(rules)
    if rules.labels is None and matrix is not None:
        rules = rules.bound(matrix.labels.classes)
    read = lru_cache(_CACHED_ANSWERS, typed=True)(rules.read_one)

    def labeled(name: Any) -> Any:
        answer = None if name is None else read(name)
        return None if answer is None else INVALID if answer.label is None else answer.label

    return labeled

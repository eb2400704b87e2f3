"""Tables whose columns blanks part: prints of pandas, R (table, caret, yardstick) and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from confmat.core.errors import InputError
from confmat.core.frames import axis_of
from confmat.io.printed.crosstab import Grid, classes, unprefixed
from confmat.io.printed.figures import NOTHING, SHARE, is_number, looks_abridged
from confmat.io.printed.sides import is_score, sides_in_words
from confmat.io.tallies import long_columns

# The rules above and below a header in plain tables: -----  ---- or ====  ====.
_RULE = re.compile(r" *(?:-{2,}|={2,})(?: +(?:-{2,}|={2,}))* *")
# Marks that knitr puts in front of output.
_KNITR = re.compile(r"#[>#] ?")
# A longer text is no print of one matrix.
_MAX_LINES = 20_000
_MAX_HEADERS = 60
# A longer line is a sentence and no name of an axis.
_MOST_WORDS = 3
# Tools by the names of their rows and columns.
_TOOLS = {
    ("Actual", "Predict"): "PyCM",
    ("Prediction", "Reference"): "caret",
    ("Prediction", "Truth"): "yardstick",
}
_NO_NUMBERS = {"nan", "na", "inf"}


@dataclass(frozen=True)
class _Block:
    """A header with rows of numbers below it, and the line behind them."""

    title: str
    columns: list[str]
    rows: list[str]
    cells: list[list[str]]
    end: int


class _Text:
    """Lines, and how many numbers each ends in behind a name."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.runs = [sum(1 for _ in takewhile(_is_cell, line.split()[:0:-1])) for line in lines]

    def height(self, start: int, n: int) -> int:
        """How many lines from `start` on are rows of n numbers."""
        return sum(1 for _ in takewhile(n.__le__, islice(self.runs, start, None)))

    def square(self, start: int) -> int:
        """The n for which there are n rows of n numbers, or 0: height falls as n grows, so there is one at most."""
        size, least = 0, len(self.lines)
        for run in islice(self.runs, start, None):
            least = min(least, run)
            if least <= size:
                break
            size += 1
        return size if self.height(start, size) == size else 0

    def block(
        self, start: int, n: int, title: str = "", columns: list[str] | None = None
    ) -> _Block:
        """The block of n columns whose rows begin at `start`; a square one may have the names of its rows above."""
        end = start + self.height(start, n)
        rows, *cells = zip(*(line.rsplit(None, n) for line in self.lines[start:end]), strict=True)
        names = [name.strip() for name in rows]
        return _Block(
            title, columns or names, names, [[*row] for row in zip(*cells, strict=True)], end
        )

    def blocks(self, header: str, start: int, least: int = 2) -> Iterator[_Block]:
        """Ways to cut the header into a title and names, the most certain first."""
        words = header.split()
        if n := self.square(start):
            block = self.block(start, n)
            spelt = " ".join(block.rows).split()
            if words[-len(spelt) :] == spelt:
                yield replace(block, title=" ".join(words[: -len(spelt)]))
        for names in (words, re.split(r" {2,}", header.strip())):
            for title in (0, 1):
                columns, height = names[title:], self.height(start, len(names) - title)
                if len(columns) < least or height < 2 or not (title or header[0] == " "):
                    continue
                # A header of numbers alone has one fewer than each row below it.
                wide = {len(line.split()) for line in self.lines[start : start + height]}
                if not all(map(is_number, columns)) or (
                    wide == {len(columns) + 1} and not is_number(names[0] * title)
                ):
                    yield self.block(start, len(columns), " ".join(names[:title]), columns)


def _is_cell(word: str) -> bool:
    # A word that turns out to be no number is an error later, with its place.
    return is_number(word) or word in NOTHING or looks_abridged(word) or word.lower() in _NO_NUMBERS


def blank_grid(text: str) -> Grid | None:
    """A table of names and numbers in columns, with or without the names of its axes."""
    lines = [
        _KNITR.sub("", SHARE.sub("", line.rstrip()), count=1)
        for line in text.expandtabs().splitlines()
    ]
    lines = [line for line in lines if line.strip() and not _RULE.fullmatch(line)]
    if any(line.endswith(" \\") for line in lines):
        msg = "the print is wrapped (its lines end in a backslash); print it wide enough for one line per row"
        raise InputError(msg)
    body = _Text(lines if len(lines) <= _MAX_LINES else [])
    found = list(_found(body))
    # Words above a table may look like its header; names that do not fit may be given by the
    # caller.
    fitting = [candidate for candidate in found if _fits(candidate[0])] or [
        candidate for candidate in found if not _swallows(candidate[0])
    ]
    if not fitting:
        return None
    block, i, between = fitting[0]
    block = _continued(body, block, i)
    _check_alone(body, block)
    return _grid(body, block, i, between)


def _found(body: _Text) -> Iterator[tuple[_Block, int, str]]:
    """Blocks of names and numbers, each with the line of its header and what is between this and its rows."""
    for i, header in enumerate(body.lines[:_MAX_HEADERS]):
        if long_columns(header.split()) is not None:
            msg = "this is a list of pairs of classes; write it as CSV, or give the data frame to confmat.count_frame"
            raise InputError(msg)
        # The name of the rows may be between the header and the rows.
        start = i + 1 + (body.runs[i + 1 : i + 2] == [0])
        if start < len(body.lines) and body.runs[start]:
            between = body.lines[i + 1].strip() if start > i + 1 else ""
            yield from ((block, i, between) for block in body.blocks(header, start))


def _fits(block: _Block) -> bool:
    """Whether the classes of one side are among those of the other."""
    rows, cols, *_ = unprefixed(block.rows, block.columns)
    return {*classes(rows)} <= {*cols} or {*classes(cols)} <= {*rows}


def _swallows(block: _Block) -> bool:
    """Whether each row has more numbers than there are columns."""
    return all(len(words) > 1 and is_number(words[-1]) for words in map(str.split, block.rows))


def _continued(body: _Text, block: _Block, i: int) -> _Block:
    """The block with the columns that R, where lines get too long, prints below it."""
    while block.end + 2 < len(body.lines):
        # The title of the columns is above each block.
        top = block.end + (i > 0 and body.lines[block.end] == body.lines[i - 1])
        more = next(
            (
                candidate
                for candidate in body.blocks(body.lines[top], top + 1, 1)
                if candidate.rows == block.rows
            ),
            None,
        )
        if more is None or more.title != block.title:
            break
        cells = [[*row, *rest] for row, rest in zip(block.cells, more.cells, strict=True)]
        block = replace(block, columns=[*block.columns, *more.columns], cells=cells, end=more.end)
    return block


def _axes(body: _Text, block: _Block, i: int, between: str) -> tuple[str, str, bool]:
    """The names of rows and columns beside a table whose header is line i, and whether the second is in line i - 1."""
    if between:
        return between, block.title, False
    above = body.lines[i - 1].strip() if i else ""
    is_title = block.title or axis_of(above) or unprefixed(block.rows, block.columns)[2]
    column = above if is_title and not _is_sentence(above) else ""
    return block.title, column, column != ""


def _is_sentence(line: str) -> bool:
    return (
        len(line.split()) > _MOST_WORDS or line[-1:] == "." or sides_in_words(line) != (None, False)
    )


def _grid(body: _Text, block: _Block, i: int, between: str) -> Grid:
    """The cells of a table, whose header is line i, and the names of its axes above and beside it."""
    row, column, is_above = _axes(body, block, i, between)
    source = "pandas" if between else "R table" if row and column else "table of columns"
    rows = [[name, *cells] for name, cells in zip(block.rows, block.cells, strict=True)]
    around = [*body.lines[: i - is_above], "", *body.lines[block.end :]]
    return Grid(
        source=_TOOLS.get((row, column), source), cells=[["" if column else row, *block.columns], *rows],
        around="\n".join(around), row_axis=row if column else "", column_axis=column, may_be_cut=not between,
    )  # fmt: skip


def _check_alone(body: _Text, block: _Block) -> None:
    """Refuse a row below that is too short, and a second table."""
    rest = body.lines[block.end :]
    name, *counts = rest[0].split() if rest else [""]
    if (
        len(counts) > 1
        and all(map(str.isdecimal, counts))
        and not is_number(name)
        and not is_score(name)
    ):
        msg = (
            f"the {len(counts)} counts of the row {name!r:.60} are not below the {len(block.columns)} columns; "
            "print each row in one line, with 0 for nothing"
        )
        raise InputError(msg)
    if any(_fits(more) for more, _, _ in _found(_Text(rest))):
        msg = "the text has several tables, or one that goes on below itself; give one, with each row in one line"
        raise InputError(msg)

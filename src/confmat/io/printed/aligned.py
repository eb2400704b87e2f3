"""Tables of aligned columns: the print of confmat, of pandas, PyCM, R (caret, yardstick, table), Weka."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from confmat.core.errors import InputError
from confmat.core.frames import axis_of, is_total, lean
from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import display_width, from_one_line, one_line, pad
from confmat.io.printed.crosstab import (
    NOTHING,
    SHARE,
    Cross,
    check_ended,
    corner_axes,
    cross_of_grid,
    is_number,
    looks_abridged,
    sides_told,
    unprefixed,
)
from confmat.io.tallies import long_columns

Lines = list[str]
# The source of what `print(m)` shows.
OWN = "confmat"


# ---- our own -----------------------------------------------------------------------------------------------
_ABRIDGED = "the print is abridged; confmat.save(m, path) keeps the whole matrix"
_CORNER = re.compile(r"│ +total\s*$")
# The print of a matrix that does not fit begins with its size.
_SIZE = re.compile(r"\d[\d,]* labels, total\b")
# The bar that `confmat.show` draws behind the total of a row.
_BAR = "▏▎▍▌▋▊▉█ "
# Characters that isolate right-to-left names from the text around them.
_ISOLATES = re.compile("[\u2068\u2069]")
_SIDE = "│┃║|"
_TYPE = re.compile(r"varchar|boolean|double|float|u?(?:tiny|small|big|huge)?int(?:eger|\d+)?|decimal\(\d+,\d+\)")
# The rules above and below a header in plain tables: -----  ---- or ====  ====.
_RULE = re.compile(r" *(?:-{2,}|={2,})(?: +(?:-{2,}|={2,}))* *")
# Lines of a printed list that are no pairs: rules, types of a tibble, and the end of psql.
_AROUND = re.compile(r"[\s|+-]*|\s*<\w+>(?: +<\w+>)*|\(\d+ rows?\)")
# A row of Weka; forums lose the bar.
_WEKA_ROW = re.compile(r"([\d\s.,]+)\|?\s*[^\W_]+\s*=(.*)")
# A longer text is no print of one matrix.
MAX_LINES = 20_000
MAX_HEADERS = 200
# A longer text is not searched for blocks, nor are more lines above the first, nor more lines that begin alike.
_MOST_BLOCKED = 2000
_MOST_ABOVE = 30
_MOST_ENDS = 150
# R begins a new block below where a line gets longer than its console, which is hardly narrower.
_NARROW = 50
# Tools by the names of their rows and columns.
_TOOLS = {("Actual", "Predict"): "PyCM", ("Prediction", "Reference"): "caret", ("Prediction", "Truth"): "yardstick"}
Reading = tuple[str, Lines, Lines, list[Lines]]


def to_text(m: ConfusionMatrix) -> str:
    """Write the table that `print(m)` shows, but whole: every class, every name in full, every digit.

    Parameters
    ----------
    m
        The matrix.

    Examples
    --------
    >>> print(to_text(ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])), end="")
            predicted
    actual  no  yes  │ total
    no       3    1  │     4
    yes      0    2  │     2
    total    3    3  │     6
    """
    names = [one_line(label) for label in m.labels]
    body = [
        [*map(repr, row), repr(total)]
        for row, total in zip(m.counts.tolist(), m.actual_totals.tolist(), strict=True)
    ]  # fmt: skip
    rows = [[*names, "total"], *body, [*map(repr, m.predicted_totals.tolist()), repr(m.total)]]
    heads = ["actual", *names, "total"]
    left = max(map(display_width, heads))
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = [pad("", left) + "  predicted"]
    for name, row in zip(heads, rows, strict=True):
        cells = [pad(cell, width, ">") for cell, width in zip(row, widths, strict=True)]
        lines.append("  ".join([pad(name, left), *cells[:-1]]) + "  │ " + cells[-1])
    return "\n".join(lines) + "\n"


def own_table(text: str) -> Cross | None:
    """The table that `print(m)` shows."""
    lines = [line.rstrip(_BAR) for line in _ISOLATES.sub("", text).splitlines()]
    top = next((i for i, line in enumerate(lines) if line.startswith("actual") and _CORNER.search(line)), None)
    if top is None:
        if lines and _SIZE.match(lines[0]):
            raise InputError(_ABRIDGED)
        return None
    rows = [line.rpartition("│")[::2] for line in lines[top + 1 :] if "│" in line]
    if len(rows) < 2 or not rows[-1][0].startswith("total"):
        msg = "the table has no line of totals at its end: it is cut off"
        raise InputError(msg)
    size = len(rows) - 1
    names, cells = [], []
    for i, (left, total) in enumerate(rows):
        parts = left.rsplit(None, size)
        if any(looks_abridged(part.strip()) for part in [*parts[1:], total]):
            raise InputError(_ABRIDGED)
        if len(parts) != size + 1:
            msg = f"line {top + 2 + i}: a table of {size} classes has {size} numbers in a row, not {len(parts) - 1}"
            raise InputError(msg)
        names.append(parts[0])
        cells.append([*parts[1:], total.strip()])
    names = [*_without_numbers(names[:-1], lines[top]), names[-1]]
    names = list(map(from_one_line, names))
    return Cross(
        source=OWN, cells=cells, row_names=names, col_names=[*names[:-1], "total"], rows="actual",
        lines=list(range(top + 2, top + 2 + len(rows))), points=True,
    )  # fmt: skip


def _without_numbers(names: list[str], header: str) -> list[str]:
    """The names, without the numbers that stand beside them where they are too long to stand above the columns."""
    codes = [str(i + 1) for i in range(len(names))]
    split = [name.rsplit(None, 1) for name in names]
    if header.rpartition("│")[0].split()[1:] != codes or [part[-1] for part in split] != codes:
        return names
    return names if any(len(part) < 2 for part in split) else [part[0].rstrip() for part in split]


# ---- boxes and Weka ---------------------------------------------------------------------------------


def boxed_table(text: str) -> Cross | None:
    """A table with lines around its cells, as Polars, Rich and databases print it."""
    lines = [line.strip() for line in text.splitlines()]
    inner = [line for line in lines if len(line) > 1 and line[0] in _SIDE and line[-1] in _SIDE]
    if any(line and (line[0] in _SIDE) != (line[-1] in _SIDE) for line in lines):
        # A row that is cut off must not be left out.
        return None
    grid = [[cell.strip() for cell in re.split("[┆│┃║|]", line[1:-1])] for line in inner]
    # Lines inside the box, and Polars' types below its header.
    dashes = next((i for i, row in enumerate(grid) if set(row) == {"---"}), None)
    if dashes is not None:
        del grid[dashes : dashes + 2]
    elif len(grid) > 2 and all(map(_TYPE.fullmatch, grid[1])):
        # DuckDB has its types without dashes.
        del grid[1]
    grid = [row for row in grid if any(row) and not all(re.fullmatch("[-=+─━═┼╪]*", cell) for cell in row)]
    if len(grid) > 2 and len(grid[0]) == 1 < len(grid[1]):
        # The title of the columns stands in a box of its own.
        grid[0] = ["", grid[0][0], *[""] * (len(grid[1]) - 2)]
    if len(grid) < 2 or any(len(row) != len(grid[0]) for row in grid):
        return None
    return cross_of_grid(grid, "box")


def listed_table(text: str) -> Cross | None:
    """A list of pairs of classes and their counts in columns of words, as shells of databases and R print it."""
    lines = [re.split(r"\s*\|\s*|\s+", line.strip()) for line in text.splitlines() if not _AROUND.fullmatch(line)]
    top = next((i for i, words in enumerate(lines[:MAX_HEADERS]) if long_columns(words) is not None), None)
    if top is None or "\t" in text:
        return None
    head, *body = lines[top:]
    if all(len(words) == len(head) + 1 and words[0].isdecimal() for words in body):
        body = [words[1:] for words in body]
    if any(len(words) != len(head) for words in body):
        msg = "the list of pairs has lines of other lengths than its header; write it as CSV, or count a data frame"
        raise InputError(msg)
    return cross_of_grid([head, *body], "list of counts")


def weka_table(text: str) -> Cross | None:
    """The confusion matrix of Weka: letters above, `| a = name` behind each row, rows actual."""
    if re.search("<-+ classified as", text) is None:
        return None
    found = [row for row in map(_WEKA_ROW.fullmatch, text.splitlines()) if row is not None]
    names, cells = [row[2].strip() for row in found], [row[1].split() for row in found]
    if not cells or any(len(row) != len(names) for row in cells):
        msg = "the matrix of Weka has rows of another length than it has classes; of several matrices, give one"
        raise InputError(msg)
    return Cross(source="Weka", cells=cells, row_names=names, col_names=names, rows="actual", totals=False)


# ---- pandas, PyCM, R ---------------------------------------------------------------------------------------


def aligned_table(text: str) -> Cross | None:
    """A table of names and numbers in columns, with or without the names of its axes."""
    lines = _lines(text)
    if len(lines) > MAX_LINES:
        return None
    lines = _unwrapped(lines) if len(lines) <= _MOST_BLOCKED else lines
    body = _Body(lines)
    for i, header in enumerate(lines[: min(len(lines) - 1, MAX_HEADERS)]):
        above = lines[i - 1].strip() if i else ""
        for gap in (1, 2):
            between = lines[i + 1].strip() if gap == 2 else ""
            if i + gap < len(lines) and body.runs[i + gap] and not (between and body.runs[i + 1]):
                cross = _at(header, body, i + gap, above, between)
                if cross is not None:
                    return cross
    return None


def _lines(text: str) -> Lines:
    """Lines that hold something, without the marks that knitr puts in front of output."""
    lines = [SHARE.sub("", line.rstrip()) for line in text.expandtabs().splitlines() if line.strip()]
    for mark in ("#> ", "## ", "// "):
        if lines and all(line.startswith(mark) or line == mark.strip() for line in lines):
            lines = [line[len(mark) :] for line in lines if line != mark.strip()]
    if any(line.endswith(" \\") for line in lines):
        msg = "the print is wrapped (its lines end in a backslash); print it wide enough for one line per row"
        raise InputError(msg)
    return [
        line for line in lines
        if line.strip() not in {"", "Confusion Matrix and Statistics"} and not _RULE.fullmatch(line)
    ]  # fmt: skip


def _unwrapped(lines: Lines) -> Lines:
    """The lines with the blocks side by side that R has put below each other."""
    start = 0
    while start < min(len(lines) - 3, _MOST_ABOVE):
        first = lines[start + 1].split()[0]
        ends = (end for end in range(start + 3, len(lines) - 1) if lines[end + 1].split()[0] == first)
        for end in islice(ends, _MOST_ENDS):
            # The title of the columns stands above each block.
            title = lines[start - 1] if start and lines[start - 1] == lines[end - 1] else ""
            size = end - start - bool(title)
            blocks = lines[start : start + size], lines[end : end + size]
            at = _parted(*blocks, len(title) - len(title.lstrip()))
            if at is not None:
                wide = max(map(len, blocks[0]))
                joined = [one.ljust(wide) + more[at:] for one, more in zip(*blocks, strict=True)]
                lines = [*lines[:start], *joined, *lines[end + size :]]
                break
        else:
            start += 1
    return lines


def _parted(first: Lines, second: Lines, known: int) -> int | None:
    """The column where the numbers of two blocks begin behind the same names; None where they are no such blocks."""
    if len(first) != len(second) or first[0] == second[0]:
        return None
    same = min(
        next((i for i, (a, b) in enumerate(zip(*pair, strict=False)) if a != b), min(map(len, pair)))
        for pair in zip(first, second, strict=True)
    )
    places = [known, *range(same, 0, -1)] if known else range(same, 0, -1)
    for at in places:
        if at <= same and all(line[at : at + 1] in {"", " "} for line in [*first, *second]):
            rows = [line[at:].split() for line in [*first[1:], *second[1:]]]
            heads = first[0][at:].strip() and second[0][at:].strip()
            is_so = heads and len({line[:at] for line in first[1:]}) == len(first) - 1
            return at if is_so and all(row and all(map(is_number, row)) for row in rows) else None
    return None


class _Body:
    """Lines, and how many numbers each ends in behind a name."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.runs = [_run(line.split()) for line in lines]

    def height(self, start: int, n: int) -> int:
        """How many lines from `start` on are rows of n numbers."""
        end = start
        while end < len(self.runs) and self.runs[end] >= n:
            end += 1
        return end - start

    def rows(self, start: int, n: int) -> tuple[Lines, list[Lines]]:
        """Names and numbers of those rows."""
        parts = [line.rsplit(None, n) for line in self.lines[start : start + self.height(start, n)]]
        return [part[0].strip() for part in parts], [part[1:] for part in parts]

    def square(self, start: int) -> int | None:
        """The n for which there are n rows of n numbers: height falls as n grows, so there is one at most."""
        size, least = 0, len(self.lines)
        for run in self.runs[start:]:
            least = min(least, run)
            if least <= size:
                break
            size += 1
        return size if size and self.height(start, size) == size else None


def _run(words: Lines) -> int:
    """How many words at the end stand where numbers are expected; the first is always a name."""
    count = 0
    for word in reversed(words[1:]):
        # A word that turns out to be no number is an error later, with its place.
        if not (
            is_number(word) or word in NOTHING or looks_abridged(word) or word.lower() in {"nan", "na", "<na>", "inf"}
        ):
            break
        count += 1
    return count


def _at(header: str, body: _Body, start: int, above: str, between: str) -> Cross | None:
    """The table whose names stand in this header and whose rows begin at `start`."""
    # A sentence above a table is no name of an axis.
    above = above if len(above.split()) <= 3 and above[-1:] != "." else ""
    for title, found_columns, found_rows, cells in _readings(header, body, start):
        row_names, stub = _without_stub(found_rows)
        if between and _words_at_end(between.split(), row_names) is not None:
            # The names stand there, below a title of several words.
            continue
        row_names, names, *words = unprefixed(row_names, found_columns)
        stub = stub or words[0]
        column, row = (title, between) if between else (above if title or stub or axis_of(above) else "", title or stub)
        column = column or words[1]
        row, column = (row, column) if column else corner_axes(row)
        side, axes = sides_told([row], [column])
        points = any("." in cell for row in cells for cell in row)
        _check_alone(body, start + len(cells), row_names[0], len(names), points=points)
        if side is None and (title or between) and not lean(row or column):
            axes = tuple(filter(None, (row, column)))
        return Cross(
            source=_source(row, column, between), cells=cells, row_names=row_names, col_names=names,
            rows=side, axes=axes, cut=not between and _may_go_on(header, row_names, names),
        )  # fmt: skip
    return None


def _readings(header: str, body: _Body, start: int) -> Iterator[Reading]:
    """Ways to cut the header into a title and names, the most certain first."""
    words = header.split()
    n = body.square(start)
    if n is not None:
        # A square table has its row names in its header once more.
        row_names, cells = body.rows(start, n)
        tail = _words_at_end(words, _without_stub(row_names)[0])
        if tail is not None:
            yield " ".join(words[: len(words) - tail]), _without_stub(row_names)[0], row_names, cells
    splits: tuple[Callable[[str], Lines], ...] = (str.split, lambda text: re.split(r" {2,}", text.strip()))
    for split in splits:
        names = split(header)
        for title in (0, 1):
            n = len(names) - title
            certain = title or header[0] == " "
            if n >= 2 and body.height(start, n) >= 2 and certain and not all(map(is_number, names)):
                yield " ".join(names[:title]), names[title:], *body.rows(start, n)


def _without_stub(names: Lines) -> tuple[Lines, str]:
    """Row names without an "Actual" that stands before each of them, or beside the first."""
    first = re.split(r" {2,}", names[0])
    if len(first) == 2 and axis_of(first[0]):
        return [first[1], *names[1:]], first[0]
    return names, ""


def _words_at_end(words: Lines, names: Lines) -> int | None:
    """How many words at the end of the header spell the names of the rows."""
    spelt = [word for name in names for word in name.split()]
    return len(spelt) if spelt and words[-len(spelt) :] == spelt else None


def _check_alone(body: _Body, end: int, first: str, n: int, *, points: bool) -> None:
    """Refuse a second table below, and one that R continues below itself since it is too wide."""
    check_ended("".join(body.lines[end : end + 1]), n)
    for start in range(end + 1, len(body.lines)):
        size = 0 if body.runs[start - 1] else body.square(start) or 0
        if size > 1 and all(cell.isdecimal() for row in body.rows(start, size)[1] for cell in row):
            msg = f"the text has several tables, such as that of {body.lines[start]!r:.60}; give the one that you mean"
            raise InputError(msg)
    for line in body.lines[end + 1 : end + 3]:
        # A report of scores may stand below counts.
        if line.strip().startswith(f"{first} ") and _run(line.split()) and points >= ("." in line):
            msg = f"the print is wrapped after {n} columns; print it wide enough for one line per row"
            raise InputError(msg)


def _may_go_on(header: str, rows: Lines, columns: Lines) -> bool:
    """Whether columns are lacking at the end, and either most of them or where R would have begun a new block."""
    lost = rows[len(columns) :]
    if not lost or rows[: len(columns)] != columns or all(map(is_total, lost)):
        return False
    return len(lost) > len(columns) or display_width(f"{header.rstrip()} {lost[0]}") > _NARROW


def _source(row: str, column: str, between: str) -> str:
    return _TOOLS.get((row, column)) or ("pandas" if between else "R table" if row and column else "table of columns")

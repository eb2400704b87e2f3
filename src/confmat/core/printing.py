"""A matrix on a terminal and in a notebook: a line, a table that stays legible at any size, and shaded cells."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.labels import LONGEST_REPR
from confmat.core.options import OTHER_SIDE, Side
from confmat.core.tables import FAINT, Column, Table
from confmat.core.text import (
    are,
    display_width,
    isolated,
    key_of,
    legible,
    number,
    one_line,
    pad,
    plural,
    room,
    shortened,
    some,
    table,
)

if TYPE_CHECKING:
    from confmat.core.counts import Counts
    from confmat.core.matrix import ConfusionMatrix

# A larger matrix is shown by its largest classes and confusions, not by its cells.
MOST = 40
# How wide names may be beside the rows and above the columns: the first pair that fits.
WIDTHS = ((24, 12), (16, 12), (16, 8))
# The most that a name takes beside columns that have numbers.
LONGEST_BESIDE = 24
# Beside columns that have numbers instead of names, a name keeps at least this much.
LEAST_NAME = 10
# Confusions and classes that are listed of a large matrix.
LISTED = 10


def brief(matrix: ConfusionMatrix) -> str:
    """One line: the call that would make a small matrix, and the essentials of a large one."""
    labels = matrix.labels
    if len(labels) <= 4 and not matrix.is_sparse:
        extra = f", outside={list(labels.outside)!r}" if labels.outside else ""
        extra += f", positive={labels.positive!r}" if labels.positive is not None else ""
        text = (
            f"ConfusionMatrix({matrix.counts.tolist()!r}, labels={list(labels.classes)!r}{extra})"
        )
        if len(text) <= LONGEST_REPR:
            return text
    what = "weighted, " if matrix.is_weighted else ""
    what += "sparse, " if matrix.is_sparse else ""
    return f"<ConfusionMatrix of {len(labels):,} labels, {what}total {number(matrix.total)}: {some(labels, 3)}>"


def as_table(matrix: ConfusionMatrix, width: int | None = None) -> str:
    """The table with its margins, rows actual and columns predicted; its largest numbers, where the table does not fit.

    The width is the terminal's, or always the same where there is none.
    """
    width = room() if width is None else width
    lines = _whole(matrix, width) if len(matrix.labels) <= MOST else None
    lines = largest(matrix, width) if lines is None else lines
    if matrix.dropped:
        lines.append(f"{number(matrix.dropped)} left out of the matrix")
    return "\n".join(lines)


def long_table(matrix: ConfusionMatrix) -> Table:
    """Return a row for each pair that occurs, so that the order of first appearance is the order of the labels."""
    labels = list(matrix.labels)
    filled = _by_cell(matrix._counts)
    places = range(len(labels))
    # Every class has a row, so no class is lost.
    bare = set(places).difference(*filled)
    kept = sorted({*filled, *zip(bare, bare, strict=True)})
    rows, cols = zip(*kept, strict=True)
    if list(dict.fromkeys([*rows, *cols])) != list(places):
        kept = sorted({*filled, *zip(places, places, strict=True)})
    nothing = matrix._counts.dtype.type(0).item()
    columns = [
        Column(side, [labels[cell[i]] for cell in kept], one_line, is_label=True)
        for i, side in enumerate(("actual", "predicted"))
    ]
    columns.append(Column("count", [filled.get(cell, nothing) for cell in kept], repr))
    if matrix._squares is not None:
        squares = _by_cell(matrix._squares)
        columns.append(Column("squares", [squares.get(cell, 0.0) for cell in kept], repr))
    return Table(tuple(columns))


def _by_cell(counts: Counts) -> dict[tuple[int, int], Any]:
    rows, cols, values = (part.tolist() for part in counts.cells())
    return dict(zip(zip(rows, cols, strict=True), values, strict=True))


# ---- the whole table -----------------------------------------------------------------------------


class Square(NamedTuple):
    """The texts of a table: what is above the columns, and in the rows; margins, where there are any."""

    above: list[str]
    rows: list[list[str]]
    totals: list[str]
    foot: list[str]
    bars: list[str]
    # Spaces around a cell: on its left, and where there is room on its right.
    spaces: int = 2

    def widths(self) -> list[int]:
        """The width of each column of cells."""
        columns = zip(self.above, *self.rows, *([self.foot] if self.foot else []), strict=True)
        return [max(map(display_width, column)) for column in columns]

    def taken(self) -> int:
        """Columns behind the names: each cell with a space on its left, and one more where there is room."""
        widths = self.widths()
        total = 3 + max(map(display_width, ["total", *self.totals])) if self.totals else 0
        bars = 1 + max(map(display_width, self.bars)) if self.bars else 0
        return sum(widths) + len(widths) * self.spaces + 1 + total + bars


# Names beside the rows, the table with what is above its columns, and the room that the names
# were given.
Placed = tuple[list[str], Square, int]


def named(
    names: Sequence[str], axis: str, table: Square, widths: Iterable[tuple[int, int]], width: int
) -> Placed | None:
    """The table under the names of its classes, cut to the first of the widths at which it fits."""
    for beside, above in widths:
        short, heads = shortened(names, beside), shortened(names, above)
        placed = table._replace(above=list(map(isolated, heads)))
        if max(map(display_width, [axis, "total", *short])) + placed.taken() <= width:
            return list(map(isolated, short)), placed, beside
    return None


def numbered(
    names: Sequence[str],
    axis: str,
    tries: Iterable[tuple[Square, int]],
    width: int,
) -> Placed | None:
    """The first of some tables that fits under numbers, which leave so much room at least to the names beside it."""
    codes = [str(i + 1) for i in range(len(names))]
    side, longest = len(codes[-1]), max(map(display_width, [axis, *names]))
    # Numbers save nothing above names that are as short, and would be taken for labels where these
    # are numbers too.
    is_short = all(display_width(name) <= side for name in names)
    for layout, least in tries:
        if is_short:
            if found := named(names, axis, layout, [(side, side)], width):
                return found
            continue
        placed = layout._replace(above=codes)
        left = min(width - placed.taken() - 2 - side, longest, LONGEST_BESIDE)
        if left >= min(least, longest):
            short = map(isolated, shortened(names, left))
            return (
                [f"{pad(x, left)}  {code:>{side}}" for x, code in zip(short, codes, strict=True)],
                placed,
                left,
            )
    return None


def _whole(matrix: ConfusionMatrix, width: int) -> list[str] | None:
    """Every cell, if that fits: under the names of the classes, under their numbers, or closer together."""
    names = [legible(label) for label in matrix.labels]
    # The same text of integers, without a call for each.
    text_of = number if matrix.is_weighted else "{:,}".format
    rows = [list(map(text_of, row)) for row in matrix.counts.tolist()]
    totals = [*map(text_of, matrix.actual_totals.tolist()), text_of(matrix.total)]
    body = Square([], rows, totals, list(map(text_of, matrix.predicted_totals.tolist())), [])
    parts = [[text.replace(",", "") for text in row] for row in (*rows, totals, body.foot)]
    plain = Square([], parts[:-2], parts[-2], parts[-1], [], spaces=1)
    tries = [(layout, LEAST_NAME) for layout in (body, body._replace(spaces=1), plain)]
    placed = named(names, "actual", body, WIDTHS, width) or numbered(names, "actual", tries, width)
    if placed is None:
        return None
    beside, table, room = placed
    return [*lines_of([*beside, "total"], table), *filter(None, [key_of(names, room)])]


def lines_of(names: list[str], table: Square, rows: Side = "actual") -> list[str]:
    """A table as it is printed, with totals; `rows` is the side in them, whose names end with one for the totals."""
    left, widths, space = (
        max(map(display_width, [rows, *names])),
        table.widths(),
        " " * table.spaces,
    )
    right = max(map(display_width, ["total", *table.totals]))
    lines = [pad("", left) + f"  {OTHER_SIDE[rows]}"]
    parts = zip(
        [rows, *names],
        [table.above, *table.rows, table.foot],
        ["total", *table.totals],
        strict=True,
    )
    for name, row, total in parts:
        right_of = str.rjust if all(map(str.isascii, row)) else _right
        cells = space.join(map(right_of, row, widths))
        lines.append(f"{pad(name, left)}  {cells}{space}│ {pad(total, right, '>')}")
    return lines


def _right(text: str, width: int) -> str:
    return pad(text, width, ">")


# ---- the largest numbers -------------------------------------------------------------------------


def largest(
    matrix: ConfusionMatrix, width: int, shown: Sequence[tuple[int, int]] | None = None
) -> list[str]:
    """Size, total and hits; the most frequent confusions, `shown` ones before; the classes with most errors."""
    size, classes = len(matrix.labels), matrix.n_classes
    right = matrix.diagonal[:classes].sum().item()
    share = f", {right / matrix.total:.1%} on the diagonal" if matrix.total else ""
    filled = len(matrix.pairs())
    first = f"{size:,} labels, total {number(matrix.total)}{share}, {filled:,} of {size**2:,} cells not zero"
    lines = textwrap.wrap(first, width)
    rows, wrong, title = largest_confusions(matrix, shown)
    if wrong:
        lines += ["", *textwrap.wrap(title, width), *_fitted(rows, 2, width)]
    if classes:
        which = "with most errors" if wrong else "with most items"
        lines += ["", _the("class", classes, which), *_classes(matrix, width)]
    return lines


def _the(what: str, count: int, which: str = "") -> str:
    many = plural(what)
    if count <= LISTED:
        return f"the {what}" if count == 1 else f"all {count} {many}"
    return (
        f"{LISTED} of {count:,} {many}: those {which}"
        if which
        else f"the {LISTED} largest of {count:,} {many}"
    )


def largest_confusions(
    matrix: ConfusionMatrix, shown: Sequence[tuple[int, int]] | None = None
) -> tuple[list[list[str]], int, str]:
    """The most frequent confusions as rows of texts, the heading first; how many there are, and a title.

    Those at the places `shown` come before all others, and have a star.
    """
    pairs, totals = matrix.pairs(), matrix.actual_totals
    wrong = np.flatnonzero(pairs.rows != pairs.cols)
    rows = [["actual", "predicted", "weight" if matrix.is_weighted else "items", "of actual"]]
    title = _the("confusion", len(wrong))
    if shown is not None:
        title += f"; {are(len(shown))} shown to be more than the other errors explain{' (*)' if shown else ''}"
    first = [
        int(np.flatnonzero((pairs.rows == row) & (pairs.cols == col))[0])
        for row, col in (shown or ())[:LISTED]
    ]
    rest = [i for i in wrong[_largest(pairs.counts[wrong])].tolist() if i not in first]
    for i in [*first, *rest][:LISTED]:
        row, col, count = pairs.rows[i].item(), pairs.cols[i].item(), pairs.counts[i].item()
        names = [legible(matrix.labels[row]), legible(matrix.labels[col])]
        rows.append(
            [*names, _short(count), f"{count / totals[row].item():.1%}{' *' * (i in first)}"]
        )
    return rows, len(wrong), title


def _classes(matrix: ConfusionMatrix, width: int) -> list[str]:
    count = matrix.n_classes
    hits, actual, predicted = (
        part[:count] for part in (matrix.diagonal, matrix.actual_totals, matrix.predicted_totals)
    )
    errors = actual.astype(np.float64) - hits + predicted - hits
    order = _largest(errors if errors.any() else actual)
    rows = [["class", "actual", "predicted", "hits", "of actual"]]
    for i in order.tolist():
        parts = [_short(part[i].item()) for part in (actual, predicted, hits)]
        share = f"{hits[i] / actual[i]:.1%}" if actual[i] else "–"
        rows.append([legible(matrix.labels[i]), *parts, share])
    return _fitted(rows, 1, width)


def _largest(values: Any) -> Any:
    """Where the largest values are, in their order; of equal ones the first."""
    # Integers without a sign cannot be negated.
    return (len(values) - 1 - np.argsort(values[::-1], kind="stable")[::-1])[:LISTED]


def _short(value: float) -> str:
    text = number(value)
    return text if len(text) <= 11 else f"{value:.4g}"


def _fitted(rows: list[list[str]], names: int, width: int) -> list[str]:
    """A table whose first columns hold names, cut to the room that the numbers leave; the last numbers may go."""
    numbers = [max(map(display_width, column)) for column in list(zip(*rows, strict=True))[names:]]
    while True:
        left = (width - sum(numbers) - 2 * (names + len(numbers) - 1)) // names
        of_all = [text for row in rows[1:] for text in row[:names]]
        short = dict(zip(of_all, shortened(of_all, max(left, 1)), strict=True))
        cut = [
            [
                *(isolated(short.get(text, text)) for text in row[:names]),
                *row[names:][: len(numbers)],
            ]
            for row in rows
        ]
        lines = table(cut, "<" * names + ">" * len(numbers))
        # A heading is never cut, and may be wider than the names below it.
        if not numbers or (left >= LEAST_NAME - 2 and max(map(display_width, lines)) <= width):
            return lines
        numbers.pop()


Array = NDArray[Any]

# The shade of the smallest value that is not zero, on a scale from 0 to 1.
FAINTEST = 0.06
# Errors are darkest from this share of a class on, so that few errors look like few.
DARKEST_ERROR = 0.1


def shaded(values: Array, tops: Array | float) -> Array:
    """Return shades from 0 to 1, or from -1 to 1 where values are below zero: the root of the share of the largest.

    Zero is 0, NaN stays NaN, and anything else is at least `FAINTEST`; beyond the largest value it
    is 1.

    >>> shaded(np.array([0.0, 1.0, 25.0, 100.0, -100.0]), 100.0).round(3).tolist()
    [0.0, 0.154, 0.53, 1.0, -1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.minimum(np.abs(values) / tops, 1.0)
        dark = np.sign(values) * (FAINTEST + (1 - FAINTEST) * np.sqrt(part))
    return np.where(values == 0, 0.0, dark)


def least_top(sizes: Array) -> float:
    """Return how many errors are darkest at least: a tenth of the median class, of two in the middle the smaller.

    >>> least_top(np.array([1000, 0, 980, 5]))
    98.0
    """
    there = np.sort(sizes[sizes > 0])
    return DARKEST_ERROR * float(there[(len(there) - 1) // 2]) if len(there) else 0.0


def heat_html(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    shades: Sequence[Sequence[str]],
    totals: tuple[Sequence[str], Sequence[str], str] | None,
    *,
    axes: tuple[str, str] = ("actual", "predicted"),
    title: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Return cells with their backgrounds as HTML, with the sums of rows, of columns and of all around them.

    `shades` holds a colour for each cell, or "" for a cell of no items, which is pale.
    """
    end = [] if totals is None else [FAINT]
    beside = [*names, *(["total"] if end else [])]
    columns = [
        Column(
            None,
            beside,
            str,
            axes[0],
            is_label=True,
            is_index=True,
            shade=[*[""] * len(names), *end].__getitem__,
        )
    ]
    for j, name in enumerate(names):
        cells = [*(row[j] for row in texts), *([] if totals is None else [totals[1][j]])]
        columns.append(
            Column(
                None,
                cells,
                str,
                name,
                shade=[*(row[j] or "0.5" for row in shades), *end].__getitem__,
            )
        )
    if totals is not None:
        columns.append(
            Column(
                None, [*totals[0], totals[2]], str, "total", shade=lambda _: FAINT, is_faint=True
            )
        )
    whole = (len(beside), 0, 0)
    return Table(tuple(columns), tuple(notes), title, over=axes[1], shown=whole)._repr_html_()

"""How a matrix reads on a terminal: one line, and a labelled table that stays legible at any size."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from confmat.core.escaping import one_line
from confmat.core.labels import LONGEST_REPR
from confmat.core.tables import Column, Table
from confmat.core.text import display_width, isolated, legible, middle, number, pad, room, some, table

if TYPE_CHECKING:
    from confmat.core.matrix import ConfusionMatrix

# A larger matrix is shown by its largest classes and confusions, not by its cells.
MOST = 40
# How wide names may be beside the rows and above the columns: the first pair that fits.
WIDTHS = ((24, 12), (16, 12), (16, 8))
# Labels that look alike when cut get more room, up to this much.
WIDEST = 96
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
        text = f"ConfusionMatrix({matrix.counts.tolist()!r}, labels={list(labels.classes)!r}{extra})"
        if len(text) <= LONGEST_REPR:
            return text
    what = "weighted, " if matrix.is_weighted else ""
    what += "sparse, " if matrix.is_sparse else ""
    return f"<ConfusionMatrix of {len(labels):,} labels, {what}total {number(matrix.total)}: {some(labels, 3)}>"


def as_table(matrix: ConfusionMatrix, width: int | None = None) -> str:
    """The table with its margins, rows actual and columns predicted; what stands out, where the table does not fit.

    The width is the terminal's, or always the same where there is none.
    """
    width = room() if width is None else width
    lines = _whole(matrix, width) if len(matrix.labels) <= MOST else None
    lines = stands_out(matrix, width) if lines is None else lines
    if matrix.dropped:
        lines.append(f"{number(matrix.dropped)} left out of the matrix")
    return "\n".join(lines)


def long_table(matrix: ConfusionMatrix) -> Table:
    """Return a row for each pair that occurs, so that the order of first appearance is the order of the labels."""
    labels = list(matrix.labels)
    rows, cols, values = (part.tolist() for part in matrix._counts.cells())
    # Every class has a row, so that none is lost.
    cells = {(i, i): matrix._counts.dtype.type(0).item() for i in range(len(labels))}
    cells |= dict(zip(zip(rows, cols, strict=True), values, strict=True))
    bare = set(range(len(labels))).difference(rows, cols)
    kept = sorted(cell for cell in cells if cells[cell] or cell[0] in bare)
    if list(dict.fromkeys([*(i for i, _ in kept), *(j for _, j in kept)])) != list(range(len(labels))):
        kept = sorted(cells)
    columns = [
        Column(side, [labels[cell[i]] for cell in kept], one_line, is_label=True)
        for i, side in enumerate(("actual", "predicted"))
    ]
    columns.append(Column("count", [cells[cell] for cell in kept], repr))
    if matrix._squares is not None:
        rows, cols, values = (part.tolist() for part in matrix._squares.cells())
        squares = dict(zip(zip(rows, cols, strict=True), values, strict=True))
        columns.append(Column("squares", [squares.get(cell, 0.0) for cell in kept], repr))
    return Table(tuple(columns))


# ---- the whole table ---------------------------------------------------------------------------------------


def _whole(matrix: ConfusionMatrix, width: int) -> list[str] | None:
    """Every cell, if that fits: under the names of the classes, under their numbers, or closer together."""
    names = [legible(label) for label in matrix.labels]
    body = [
        [*map(number, row), number(total)]
        for row, total in zip(matrix.counts.tolist(), matrix.actual_totals.tolist(), strict=True)
    ]
    body.append([*map(number, matrix.predicted_totals.tolist()), number(matrix.total)])
    for beside, above in WIDTHS:
        rows, heads = _distinct(names, beside), _distinct(names, above)
        lines = _lines([*map(isolated, rows), "total"], [*map(isolated, heads), "total"], body)
        if all(display_width(line) <= width for line in lines):
            return lines
    plain = [[cell.replace(",", "") for cell in row] for row in body]
    for cells, gap in ((body, 2), (body, 1), (plain, 1)):
        numbered = _numbered(names, cells, width, gap)
        if numbered is not None:
            return numbered
    return None


def _numbered(names: list[str], body: list[list[str]], width: int, gap: int) -> list[str] | None:
    """The table with the number of each class beside its name and above its column."""
    codes = [str(i + 1) for i in range(len(names))]
    side = len(str(len(names)))
    if max(map(display_width, names)) <= side:
        # Numbers would save nothing, and be taken for labels where these are numbers too.
        lines = _lines([*map(isolated, names), "total"], [*map(isolated, names), "total"], body, gap)
        return lines if all(display_width(line) <= width for line in lines) else None
    numbers = _lines([""] * len(body), [*codes, "total"], body, gap)
    longest = max(map(display_width, ["actual", *names]))
    left = min(width - display_width(numbers[1]) + len("actual") - 2 - side, longest, WIDTHS[0][0])
    if left < min(LEAST_NAME, longest):
        return None
    rows = [
        f"{pad(isolated(middle(name, left)), left)}  {code:>{side}}" for name, code in zip(names, codes, strict=True)
    ]
    return _lines([*rows, "total"], [*codes, "total"], body, gap)


def _lines(names: list[str], heads: list[str], body: list[list[str]], gap: int = 2) -> list[str]:
    widths = [max(map(display_width, column)) for column in zip(heads, *body, strict=True)]
    left = max(map(display_width, ["actual", *names]))
    lines = [pad("", left) + "  predicted"]
    for name, row in zip(["actual", *names], [heads, *body], strict=True):
        columns = [pad(value, width, ">") for value, width in zip(row, widths, strict=True)]
        space = " " * gap
        lines.append(pad(name, left) + "  " + space.join(columns[:-1]) + f"{space}│ {columns[-1]}")
    return lines


def _distinct(names: list[str], width: int) -> list[str]:
    """Names cut to a width at which no two that differ look alike."""
    different = len(set(names))
    cut = [middle(name, width) for name in names]
    while len(set(cut)) < different and width < WIDEST:
        width += 4
        cut = [middle(name, width) for name in names]
    return cut


# ---- what stands out ---------------------------------------------------------------------------------------


def stands_out(matrix: ConfusionMatrix, width: int) -> list[str]:
    """Size, total and hits; the most frequent confusions; the classes that take part in most errors."""
    size, classes = len(matrix.labels), matrix.n_classes
    right = matrix.diagonal[:classes].sum().item()
    share = f", {right / matrix.total:.1%} on the diagonal" if matrix.total else ""
    filled = len(matrix.pairs())
    first = f"{size:,} labels, total {number(matrix.total)}{share}, {filled:,} of {size**2:,} cells not zero"
    lines = textwrap.wrap(first, width)
    rows, wrong = largest_confusions(matrix)
    if wrong:
        lines += ["", _the("confusion", wrong), *_fitted(rows, 2, width)]
    if classes:
        which = "with most errors" if wrong else "with most items"
        lines += ["", _the("class", classes, which), *_classes(matrix, width)]
    return lines


def _the(what: str, count: int, which: str = "") -> str:
    many = what + ("es" if what.endswith("s") else "s")
    if count <= LISTED:
        return f"the {what}" if count == 1 else f"all {count} {many}"
    return f"{LISTED} of {count:,} {many}: those {which}" if which else f"the {LISTED} largest of {count:,} {many}"


def largest_confusions(matrix: ConfusionMatrix) -> tuple[list[list[str]], int]:
    """The most frequent confusions as rows of texts, the heading first; and how many confusions there are."""
    pairs, totals = matrix.pairs(), matrix.actual_totals
    wrong = np.flatnonzero(pairs.rows != pairs.cols)
    rows = [["actual", "predicted", "weight" if matrix.is_weighted else "items", "of actual"]]
    for i in wrong[_largest(pairs.counts[wrong])].tolist():
        row, col, count = pairs.rows[i].item(), pairs.cols[i].item(), pairs.counts[i].item()
        names = [legible(matrix.labels[row]), legible(matrix.labels[col])]
        rows.append([*names, _short(count), f"{count / totals[row].item():.1%}"])
    return rows, len(wrong)


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
    """Where the largest values stand, in their order; of equal ones the first."""
    if len(values) > LISTED:
        least = np.partition(values, len(values) - LISTED)[len(values) - LISTED]
        places = np.flatnonzero(values >= least)
    else:
        places = np.arange(len(values))
    # Integers without a sign cannot be negated.
    order = len(places) - 1 - np.argsort(values[places][::-1], kind="stable")[::-1]
    return places[order][:LISTED]


def _short(value: float) -> str:
    text = number(value)
    return text if len(text) <= 11 else f"{value:.4g}"


def _fitted(rows: list[list[str]], names: int, width: int) -> list[str]:
    """A table whose first columns hold names, cut to the room that the numbers leave; the last numbers may go."""
    numbers = [max(map(display_width, column)) for column in list(zip(*rows, strict=True))[names:]]
    while (left := (width - sum(numbers) - 2 * (names + len(numbers) - 1)) // names) < LEAST_NAME - 2:
        numbers.pop()
    cut = [[*(isolated(middle(text, left)) for text in row[:names]), *row[names:][: len(numbers)]] for row in rows]
    return table(cut, "<" * names + ">" * len(numbers))

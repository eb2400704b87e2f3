r"""CSV and TSV: the square table whose corner says `actual\predicted`, and the long form with one pair a line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from confmat.core.errors import InputError, Message
from confmat.core.formats import check_delimiter
from confmat.core.frames import Rows
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import flag, told
from confmat.core.seals import unseal_text
from confmat.core.text import from_csv_cell
from confmat.counting.look import look
from confmat.io.printed.crosstab import Cross, Grid, Kind, Naming, check_even, listed, stored
from confmat.io.printed.programs import refuse_program

CORNER = r"actual\predicted"
_OUR_CORNERS: dict[str, Rows] = {CORNER: "actual", r"predicted\actual": "predicted"}
_OURS = re.compile(
    r'"?(?:actual\\predicted|predicted\\actual|actual(?=[,;\t|]predicted))"?(?P<delimiter>[,;\t|])'
)
_COMMENTS = re.compile(r"\A(?:#[^\n]*\n)+")
Record = tuple[int, list[str]]
# A text on one line that ends as the names of files do.
_FILE_NAME = re.compile(r"[^\n,;\t|{\[]+\.[A-Za-z]{2,5}")


# ---- reading -------------------------------------------------------------------------------------


def check_text(text: Any, reader: str) -> None:
    """Refuse anything but a text, and the name of a file, which is one too."""
    if not isinstance(text, str) or _FILE_NAME.fullmatch(text):
        came = told(text) if isinstance(text, str) else type(text).__name__
        msg = f"{reader} reads a text, not {came}; confmat.load reads a file"
        raise InputError(msg)


def from_csv(
    text: str,
    *,
    rows: Rows | None = None,
    labels: Iterable[Any] | None = None,
    kind: Kind = "text",
    outside: Iterable[str] = (),
    positive: Any = None,
    delimiter: str | None = None,
    spreadsheet: bool = True,
) -> ConfusionMatrix:
    r"""Read a square table or the long form; the text shows which one, and the delimiter.

    A corner `actual\predicted` or `predicted\actual` states the meaning of the rows, and a table of
    the second kind is transposed; without such a corner they are `rows`, or actual. Labels are text
    unless `kind` is "int" or "bool".

    Parameters
    ----------
    text
        The text of the table.
    rows
        "actual" or "predicted", the meaning of the rows where the text does not state it; by
        default actual.
    labels
        The classes, if in another order than that of the text.
    kind
        The kind of the labels: "text", "int" or "bool".
    outside
        Labels that are outside the classes.
    positive
        The positive class of two.
    delimiter
        A comma, semicolon, tab or pipe; by default the one that the text shows.
    spreadsheet
        Take off the apostrophe that keeps spreadsheets from reading a label as a formula.

    Returns
    -------
    ConfusionMatrix

    Examples
    --------
    >>> from_csv("predicted\\actual,no,yes\nno,3,0\nyes,1,2\n").counts
    array([[3, 1],
           [0, 2]])
    """
    check_text(text, "from_csv")
    naming = Naming(labels, kind, outside, positive)
    refuse_program(text)
    text, checked = unseal_text(text)
    delimiter = delimiter_of(text) if delimiter is None else delimiter
    cross = cross_of_csv(text, delimiter, spreadsheet=flag("spreadsheet", spreadsheet))
    return look(cross.checked(rows, naming, checked), named=labels is not None)


def cross_of_csv(text: str, delimiter: str, *, spreadsheet: bool = True) -> Cross:
    """The table of a text with separated values."""
    start = len(text) - len(_COMMENTS.sub("", text))
    head = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
    if head.count(delimiter) == text.rstrip().rpartition("\n")[2].count(delimiter):
        # That is no comment, but a header whose corner begins with #.
        start -= len(head)
    lines = _records(text[start:], delimiter)
    return _cross(lines, text[:start], delimiter, spreadsheet=spreadsheet)


def is_own_csv(text: str) -> bool:
    """Whether the text begins as `Table.to_csv` writes a matrix."""
    return _OURS.match(text.removeprefix("\ufeff")) is not None


def delimiter_of(text: str) -> str:
    """The delimiter: as our own corner has it, else the one that cuts every line into the same number of cells."""
    text = text.removeprefix("\ufeff")
    ours = _OURS.match(text)
    if ours:
        return ours["delimiter"]
    text = _COMMENTS.sub("", text)
    for delimiter in "\t,;|":
        try:
            widths = {len(fields) for _, fields in _records(text, delimiter)}
        except InputError:
            continue
        if len(widths) == 1 and min(widths) > 1:
            return delimiter
    first = text.split("\n", 1)[0]
    return max(",\t;|", key=first.count)


def _records(text: str, delimiter: str) -> list[Record]:
    """Lines of cells with the number of each line; empty lines are left out."""
    check_delimiter(delimiter)
    reader = csv.reader(
        io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True
    )
    records: list[Record] = []
    while True:
        start = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            msg = Message("line {}: {}", start, error)
            raise InputError(msg) from None
        if fields:
            records.append((start, fields))
    if not records:
        msg = Message("the text is empty")
        raise InputError(msg)
    return records


def _trimmed(records: list[Record], around: str, delimiter: str) -> tuple[list[Record], str]:
    """Rows of a table without the words above and below it, and with the cells that pasting has lost."""
    words: list[str] = []
    # Words are above and below cells of a sheet.
    while (
        delimiter == "\t"
        and len(records) > 1
        and records[0][1][0] not in _OUR_CORNERS
        and not any(map(str.strip, records[0][1][1:]))
    ):
        words += records.pop(0)[1]
    while delimiter == "\t" and len(records) > 1 and len(records[-1][1]) == 1:
        words += records.pop()[1]
    around = "\n".join([around, *words])
    if len(records) > 1 and len(records[0][1]) + 1 == len(records[1][1]):
        # Pasting, or write.table of R, has lost the empty corner.
        records[0][1].insert(0, "")
    if delimiter == "\t":
        # Empty cells at the end of a line are lost.
        width = max(len(fields) for _, fields in records)
        records = [(line, fields + [""] * (width - len(fields))) for line, fields in records]
    return records, around


def _cross(records: list[Record], around: str, delimiter: str, *, spreadsheet: bool) -> Cross:
    records, around = _trimmed(records, around, delimiter)
    grid = [fields for _, fields in records]
    if spreadsheet:
        grid = [[from_csv_cell(cell) for cell in row] for row in grid]
    check_even(grid)
    if grid[0][:2] == ["row", "name"]:
        msg = "this is a report; of its files, only .json is read back"
        raise InputError(msg)
    if grid[0][-2:] == ["total", "on_diagonal"]:
        msg = "this is the summary of a stack; its counts are in .json alone"
        raise InputError(msg)
    ours = _OUR_CORNERS.get(grid[0][0])
    found = listed(grid, "CSV") or (ours and stored("CSV", grid, rows=ours))
    return found or Grid(source="CSV", cells=grid, around=around).cross()

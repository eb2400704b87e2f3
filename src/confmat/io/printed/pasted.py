"""`read_printed` and `recognize`: one road from a printed table over a grid of cells to a matrix with actual rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from confmat.core.errors import InputError
from confmat.core.frames import Rows
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door
from confmat.core.seals import unseal_text
from confmat.core.text import some
from confmat.counting.look import look
from confmat.io.csv_format import cross_of_csv, delimiter_of, is_own_csv
from confmat.io.json_format import from_data, parse_json
from confmat.io.printed.blanks import blank_grid
from confmat.io.printed.crosstab import Cross, Grid, Kind, Naming, oriented
from confmat.io.printed.figures import is_number
from confmat.io.printed.markup import bars_grid, html_grid, latex_grid
from confmat.io.printed.own import own_table
from confmat.io.printed.programs import FROM_PYCM, PASTE, refuse_program

_NO_COUNTS = {
    r"\(entries are [\w ]*average": "averages are no counts; print caret's confusionMatrix(fit, norm = 'none')",
    r"(?ms)^, , \S.*^, , \S": "R has printed one table for each stratum (', , '); give one of them",
}


@dataclass(frozen=True)
class Recognition:
    """The tool or format that a text was taken for, its orientation, whether the text itself states it, and notes."""

    source: str
    rows: Rows
    stated: bool
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        turned = ", transposed on the way in" if self.rows == "predicted" else ""
        summary = f"{self.source}: rows are {self.rows} ({'as it says' if self.stated else 'taken to be'}{turned})"
        return "; ".join([summary, *self.notes])


@door
def read_printed(
    text: str,
    rows: Rows | None = None,
    *,
    labels: Iterable[Any] | None = None,
    kind: Kind = "text",
    outside: Iterable[str] = (),
    positive: Any = None,
) -> ConfusionMatrix:
    r"""Read a confusion matrix as it was printed or published.

    The known prints are those of confmat, scikit-learn and NumPy, pandas, PyCM, R (table, and caret
    and yardstick, whose rows are predicted and are turned here); Markdown, LaTeX, HTML, CSV, TSV
    and cells pasted from sheets. The prints of other programs are refused. The side of the rows is
    read from the corner, the names of the axes, a call such as `confusion_matrix(y_true, y_pred)`
    and marks in cells; where these contradict each other, or other words may name a side, `rows`
    must say it. Totals are checked and left out, scores are left out.

    Parameters
    ----------
    text
        The printed table; `recognize(text)` names the tool or format that it is taken for.
    rows
        "actual" or "predicted", the meaning of the rows where the text does not state it; by
        default actual.
    labels
        The classes in the order of the text, where it lacks names; or its names in another order.
    kind
        The kind of the labels: "text", "int" or "bool".
    outside
        Labels that are outside the classes.
    positive
        The positive class of two.

    Returns
    -------
    ConfusionMatrix

    Raises
    ------
    InputError
        The text is no confusion matrix, or its totals contradict its cells.

    Examples
    --------
    >>> print(
    ...     read_printed(
    ...         "          Reference\nPrediction  a  b\n         a 10  2\n         b  1 12"
    ...     ).counts
    ... )
    [[10  1]
     [ 2 12]]
    """
    naming = Naming(labels, kind, outside, positive)
    table, checked = _read(text)
    if isinstance(table, Cross):
        return look(table.checked(rows, naming, checked), named=labels is not None)
    if rows == "predicted" or naming.is_given:
        msg = "the text stores a matrix that says its rows and labels itself; leave out the options"
        raise InputError(msg)
    return table


@door
def recognize(text: str, rows: Rows | None = None) -> Recognition:
    r"""Name the tool or format that `read_printed` takes a text for.

    Parameters
    ----------
    text, rows
        As in `read_printed`.

    Returns
    -------
    Recognition
        The source, the meaning of the rows, whether the text itself states it, and notes on what is
        left out.

    Examples
    --------
    >>> print(recognize("[[4 1 1]\n [6 2 2]\n [3 0 6]]"))
    array: rows are actual (taken to be)
    """
    table, _ = _read(text)
    if isinstance(table, Cross):
        side = oriented(table.rows, rows, table.doubt)
        return Recognition(table.source, side, stated=table.rows is not None, notes=table.notes)
    return Recognition("JSON of a stored matrix", "actual", stated=True)


def _read(text: str) -> tuple[Cross | ConfusionMatrix, Callable[[Any, Any], Any] | None]:
    """The table in a text, or a whole matrix if the text stores one, and what checks the seal of the text."""
    if not isinstance(text, str):
        msg = f"a printed matrix is read from text, not from {type(text).__name__}; from a file with load(path)"
        raise InputError(msg)
    if not text.strip("\ufeff \t\r\n"):
        msg = "the text is empty"
        raise InputError(msg)
    text, checked = unseal_text(text)
    if is_own_csv(text):
        return cross_of_csv(text, delimiter_of(text)), checked
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for pattern, advice in _NO_COUNTS.items():
        if re.search(pattern, text):
            raise InputError(advice)
    if re.match(r"\s*(?:\{|\[\s*\{|\[\s*\[\s*\")", text):
        return _of_json(parse_json(text)), checked
    found = next((table for reader in _READERS if (table := reader(text)) is not None), None)
    if found is None:
        msg = (
            "no confusion matrix was recognised in the text; print it as a table with one row and one column per "
            "class, or write it as CSV with the corner 'actual\\predicted'; four counts go to "
            "ConfusionMatrix.from_cells"
        )
        raise InputError(msg)
    return found.cross() if isinstance(found, Grid) else found, checked


def _separated(text: str) -> Cross | None:
    """The table of values between tabs, commas or semicolons; words may be above and below cells of a sheet."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    is_even = len(lines) > 1 and any(all(mark in line for line in lines) for mark in "\t,;")
    if not is_even and text.count("\t") < 3:
        return None
    delimiter = delimiter_of(text.lstrip("\n")) if is_even else "\t"
    return cross_of_csv(text.lstrip("\n").rstrip(" \r\n") + "\n", delimiter, spreadsheet=is_even)


def _bare(text: str) -> Grid | None:
    """Rows of numbers alone, as many as there are columns."""
    rows = [line.split() for line in text.splitlines() if line.strip()]
    is_square = all(len(row) == len(rows) and all(map(is_number, row)) for row in rows)
    return Grid(source="array", cells=rows) if is_square else None


def _of_json(data: Any) -> ConfusionMatrix:
    """The matrix in JSON that confmat stored."""
    stored = from_data(data) if isinstance(data, Mapping) and "format" in data else None
    if stored is None:
        msg = f"JSON of other programs is not read; {PASTE}. PyCM reads the files of its save_obj: {FROM_PYCM}"
        raise InputError(msg)
    if not isinstance(stored, ConfusionMatrix):
        msg = f"the text stores a {type(stored).__name__}, no single matrix; from_json reads it"
        raise InputError(msg)
    return stored


# ---- arrays and objects --------------------------------------------------------------------------

_QUOTED = re.compile(
    r"""\[\s*((?:'[^'\n]*'|"[^"\n]*")(?:[\s,]+(?:'[^'\n]*'|"[^"\n]*"))*)\s*,?\s*\]"""
)
_NAME = re.compile(r"""'([^'\n]*)'|"([^"\n]*)\"""")


def _array(text: str) -> Grid | None:
    """An array as NumPy prints it, or nested lists; names may be in a list of quoted texts beside it."""
    before, *inside = re.split(r"\[\s*\[", text)
    if not inside:
        return None
    cells, *after = re.split(r"\]\s*,?\s*\]", inside[-1])
    if len(inside) > 1 or cells.lstrip().startswith("["):
        msg = "the text has more than one array, or one of three dimensions; give one matrix"
        raise InputError(msg)
    if not after or "..." in cells:
        msg = "the array is abridged or cut off; print it whole, with numpy.set_printoptions(threshold=10**9)"
        raise InputError(msg)
    around = "\n".join([before, *after])
    rows = [part.replace(",", " ").split() for part in re.split(r"\]\s*,?\s*\[", cells)]
    found = _QUOTED.search(around)
    names = [a or b for a, b in _NAME.findall(found[1])] if found else None
    sizes = {len(rows), *map(len, rows), *([len(names)] if names is not None else [])}
    if len(sizes) > 1:
        msg = (
            f"the rows, columns and names of the array are not equally many: {some(sorted(sizes))}"
        )
        raise InputError(msg)
    if names is not None:
        rows = [["", *names], *([name, *row] for name, row in zip(names, rows, strict=True))]
    return Grid(source="array", cells=rows, around=_QUOTED.sub("", around))


# Our own table first: its labels may look like anything.
_READERS: tuple[Callable[[str], Grid | Cross | None], ...] = (
    own_table, latex_grid, html_grid, _array, refuse_program, bars_grid, _separated, _bare, blank_grid,
)  # fmt: skip

"""`read_printed` and `recognize`: the tool behind a printed table, and its matrix with rows turned to actual."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from confmat.core.errors import InputError
from confmat.core.frames import Rows
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door
from confmat.io.csv_format import cross_of_csv, delimiter_of, is_own_csv
from confmat.io.json_format import from_data, parse_json
from confmat.io.printed.aligned import aligned_table, boxed_table, listed_table, own_table, weka_table
from confmat.io.printed.crosstab import Cross, Kind, Naming, barred_table, number_of, oriented
from confmat.io.printed.layout import fits, layout_of_tool, layout_table
from confmat.io.printed.markup import html_table, latex_table, markdown_table
from confmat.io.printed.objects import json_table
from confmat.io.printed.tools import (
    four_counts,
    h2o_table,
    literal,
    orfeo_table,
    panels,
)


@dataclass(frozen=True)
class Recognition:
    """The tool or format that a text was taken for, its orientation, whether the text itself states it, and notes."""

    source: str
    rows: Rows
    stated: bool
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        turned = ", transposed on the way in" if self.rows == "predicted" else ""
        said = f"{self.source}: rows are {self.rows} ({'as it says' if self.stated else 'taken to be'}{turned})"
        return "; ".join([said, *self.notes])


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

    The known prints are those of scikit-learn and NumPy, pandas, PyCM, R's table and CrossTable, caret, yardstick and
    epiR (predicted rows: transposed here), Polars and other boxes, Weka, NLTK, H2O, Stata, SAS, SPSS, KNIME, ML.NET,
    MATLAB, Octave, Julia, MLJ, RapidMiner, ENVI, GRASS, Orfeo and confmat itself; cells pasted from sheets; Markdown,
    LaTeX, HTML, CSV, TSV, JSON of pandas, Azure, Vertex AI and BigQuery, and
    nested lists. Totals at the end are checked and left out, scores are left out.

    Parameters
    ----------
    text
        The printed table; `recognize(text)` names the tool or format that it is taken for.
    rows
        "actual" or "predicted", the meaning of the rows where the text does not state it; by default actual.
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
    >>> print(read_printed("          Reference\nPrediction  a  b\n         a 10  2\n         b  1 12").counts)
    [[10  1]
     [ 2 12]]
    """
    naming = Naming(labels, kind, outside, positive)
    table = _read(text)
    if isinstance(table, Cross):
        return table.matrix(rows, naming)
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
        The source, the meaning of the rows, whether the text itself states it, and notes on what is left out.

    Examples
    --------
    >>> print(recognize("[[4 1 1]\n [6 2 2]\n [3 0 6]]"))
    array: rows are actual (taken to be)
    """
    table = _read(text)
    if isinstance(table, Cross):
        side = oriented(table.rows, rows, table.axes)
        return Recognition(table.source, side, stated=table.rows is not None, notes=table.notes)
    return Recognition("JSON of a stored matrix", "actual", stated=True)


def _read(text: str) -> Cross | ConfusionMatrix:
    """The table in a text, or a whole matrix if the text stores one."""
    if not isinstance(text, str):
        msg = f"a printed matrix is read from text, not from {type(text).__name__}; from a file with load(path)"
        raise InputError(msg)
    if not text.strip("\ufeff \t\r\n"):
        msg = "the text is empty"
        raise InputError(msg)
    if is_own_csv(text):
        return cross_of_csv(text, delimiter_of(text))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if found := re.search(r"\(entries are [\w ]*average[\w ]*\)", text):
        msg = f"{found[0]}: no counts; print caret's confusionMatrix(fit, norm = 'none'), which adds the resamples up"
        raise InputError(msg)
    if len(re.findall(r"(?m)^, , \S", text)) > 1:
        msg = "R has printed one table for each stratum (', , '); give one of them, or add the tables of all of them up"
        raise InputError(msg)
    if re.match(r"\s*(?:\{|\[\s*\{|\[\s*\[\s*\")", text):
        return _of_json(parse_json(text))
    cross = next(filter(None, (reader(text) for reader in _READERS)), None) or _of_lines(text)
    cross = cross if fits(cross) else layout_table(text) or cross
    if cross is None:
        msg = (
            "no confusion matrix was recognised in the text; print it as a table with one row and one column per "
            "class, or write it as CSV with the corner 'actual\\predicted'"
        )
        raise InputError(msg)
    return cross.said(text)


def _is_delimited(text: str) -> bool:
    """Whether every line has one of the marks between values; four counts in a line have them too."""
    lines = [line for line in text.splitlines() if line.strip()]
    return any(all(mark in line for line in lines) for mark in "\t,;") and (len(lines) > 1 or not four_counts(text))


def _of_lines(text: str) -> Cross | None:
    """The table of values between marks, or of cells below each other."""
    try:
        if _is_delimited(text):
            return cross_of_csv(text.lstrip("\n").rstrip(" \r\n") + "\n", delimiter_of(text.lstrip("\n")))
        # Cells of a sheet may have titles and notes around them.
        pasted = layout_table(text) if text.count("\t") > 2 else None
        return pasted or aligned_table(text) or four_counts(text)
    except InputError:
        with suppress(InputError):
            cross = layout_table(text)
            if cross is not None:
                return cross
        raise


def _of_json(data: Any) -> Cross | ConfusionMatrix:
    """The matrix in JSON: stored by confmat or by PyCM, or as other tools write it."""
    if isinstance(data, Mapping) and "Matrix" in data:
        return _of_pycm(data)
    cross = None if "format" in data else json_table(data)
    if cross is not None:
        return cross
    stored = from_data(data)
    if not isinstance(stored, ConfusionMatrix):
        msg = f"the text stores a {type(stored).__name__}, no single matrix; from_json reads it"
        raise InputError(msg)
    return stored


# ---- arrays and objects ------------------------------------------------------------------------------------

_QUOTED = re.compile(r"""\[\s*((?:'[^'\n]*'|"[^"\n]*")(?:[\s,]+(?:'[^'\n]*'|"[^"\n]*"))*)\s*,?\s*\]""")
_NAME = re.compile(r"""'([^'\n]*)'|"([^"\n]*)\"""")


def _array_of_text(text: str) -> Cross | None:
    """An array as NumPy prints it, or nested lists; names may stand in a list of quoted texts beside it."""
    start = re.search(r"\[\s*\[", text)
    if start is None:
        return None
    if re.match(r"\[\s*\[\s*\[", text[start.start() : start.start() + 200]):
        msg = "the array has three dimensions; give one matrix at a time"
        raise InputError(msg)
    stop = re.compile(r"\]\s*,?\s*\]").search(text, start.end())
    if stop is None:
        msg = "the array does not end: it is cut off"
        raise InputError(msg)
    inside = text[start.end() : stop.start()]
    rest = text[: start.start()] + "\n" + text[stop.end() :]
    if re.search(r"\[\s*\[", rest):
        msg = "the text has more than one array; give one matrix at a time"
        raise InputError(msg)
    if "..." in inside:
        msg = "the array is abridged ('...'); print it whole, with numpy.set_printoptions(threshold=10**9)"
        raise InputError(msg)
    cells = [part.replace(",", " ").split() for part in re.split(r"\]\s*,?\s*\[", inside)]
    for i, row in enumerate(cells):
        if len(row) != len(cells):
            msg = f"row {i + 1} of the array has {len(row)} cells; a matrix of {len(cells)} rows needs {len(cells)}"
            raise InputError(msg)
    found = _QUOTED.search(rest)
    names = [a or b for a, b in _NAME.findall(found[1])] if found else None
    if names is not None and len(names) != len(cells):
        msg = f"the array has {len(cells)} rows and beside it stand {len(names)} names"
        raise InputError(msg)
    return Cross(source="array", cells=cells, row_names=names, col_names=names, points=True)


# Our own table first: its labels may look like anything.
_READERS: tuple[Callable[[str], Cross | None], ...] = (
    own_table, latex_table, html_table, _array_of_text, barred_table, layout_of_tool, markdown_table, h2o_table,
    boxed_table, listed_table, weka_table, panels, orfeo_table, literal,
)  # fmt: skip


def from_pycm_obj(text: str | bytes) -> ConfusionMatrix:
    """Read the JSON that PyCM's `save_obj` writes: rows are actual, labels keep their kind, weights are floats.

    Parameters
    ----------
    text
        The JSON.

    Returns
    -------
    ConfusionMatrix

    Examples
    --------
    >>> from_pycm_obj('{"Matrix": [[0, [[0, 3], [1, 1]]], [1, [[0, 0], [1, 2]]]], "Digit": 5}').counts
    array([[3, 1],
           [0, 2]])
    """
    data = parse_json(text)
    if not isinstance(data, Mapping) or "Matrix" not in data:
        msg = "this is no .obj file of PyCM: it has no field `Matrix`"
        raise InputError(msg)
    return _of_pycm(data)


def _of_pycm(data: Mapping[str, Any]) -> ConfusionMatrix:
    try:
        pairs = [(a, p, value) for a, row in _items(data["Matrix"]) for p, value in _items(row)]
        labels = [actual for actual, _ in _items(data["Matrix"])]
        values = [(a, p, x if isinstance(x, (int, float)) else number_of(str(x), f"{a!r}, {p!r}")) for a, p, x in pairs]
        if len({(a, p) for a, p, _ in pairs}) < len(pairs):
            msg = "the .obj file of PyCM names a cell twice"
            raise InputError(msg)
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        msg = "the field `Matrix` of the .obj file of PyCM must hold a row of [class, count] for each class"
        raise InputError(msg) from error
    return ConfusionMatrix.from_pairs(values, labels)


def _items(part: Any) -> list[tuple[Any, Any]]:
    """Entries of a list of pairs, or of an object as older versions wrote it."""
    return [(name, value) for name, value in (part.items() if isinstance(part, Mapping) else part)]

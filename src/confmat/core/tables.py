"""Table: heads, alignment, columns and notes, which every result has.

`core/formats.py` writes it, and is loaded by its name when something is written or printed.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain, count
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.options import door
from confmat.core.text import (
    display_width,
    fit,
    number,
    one_line,
    printable,
    rate,
    shortened,
    terminal_room,
)
from confmat.core.text import table as aligned
from confmat.core.values import Guessed

DASH = "–"
# Columns that a name takes in print.
NAME_WIDTH = 32
# Rows that are printed of a longer table.
PRINTED_ROWS = 60

# Backgrounds of cells, in the hues of the plots. At most this opaque, the text of a light and of a
# dark page keeps a contrast of 4.5 on them.
BLUE, ORANGE, GRAY, PURPLE = "#2275c2", "#d25a0a", "#6c737d", "#8c5eba"
MOST_OPAQUE = 0.6
# The opacity of totals. JupyterLab lets no number through that starts with a point, in notebooks
# that are not trusted.
FAINT = "0.65"


def _formats() -> Any:
    """The writers, which a count does not load."""
    return import_module("confmat.core.formats")


# ---- the value -----------------------------------------------------------------------------------


def in_words(value: Any) -> str:
    r"""Return a value as people read it: a dash for NaN, nothing for None, three decimals for a score.

    >>> in_words(1234), in_words(0.5), in_words(float("nan")), in_words(None), in_words("a\tb")
    ('1,234', '0.500', '–', '', 'a\\tb')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return rate(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    return printable(value) if value != "" else ""


def class_name(label: Any) -> str:
    """Return a label on one safe line of bounded width."""
    return fit(printable(label), NAME_WIDTH)


def class_names(labels: Iterable[Any]) -> Callable[[Any], str]:
    """Return what makes a label of a table one safe line of bounded width, so that no two look alike."""
    names = list(dict.fromkeys(map(printable, labels)))
    short = dict(zip(names, shortened(names, NAME_WIDTH), strict=True))
    return lambda label: short[printable(label)]


def percent(share: float) -> str:
    """Return a share as a per cent with one decimal."""
    return DASH if share != share else f"{share:.1%}"


def amount(value: float) -> str:
    """Return a sum of money as people read it: whole, or with four digits that count.

    >>> amount(1200.0), amount(0.12345), amount(float("nan"))
    ('1,200', '0.1235', '–')
    """
    if math.isnan(value):
        return DASH
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    if not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}"
    return f"{value:,.{max(0, 3 - math.floor(math.log10(abs(value))))}f}"


def tint(color: str, share: float) -> str:
    """Return a colour as opaque as a cell is dark, from 0 to 1.

    >>> tint(BLUE, 1.0)
    '#2275c299'
    """
    return f"{color}{round(255 * MOST_OPAQUE * min(share, 1.0)):02x}"


# The heading of a column that is headed by its name.
_ITS_NAME = "\x00"


class Drawn(NamedTuple):
    """The lower end, the value and the upper end for each row, (rows, 3), and what the scale begins and ends with."""

    rows: NDArray[np.float64]
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name and values as data, and its heading and texts as they are printed.

    Parameters
    ----------
    name
        The name in data; None for a column that is only printed.
    values
        Numbers, texts or labels, one for each row: a list or an array.
    text
        The function that turns a value into its printed text.
    head
        The heading; by default the name. None for a column that is not printed.
    is_label
        Whether the values are names that users chose: text in data frames, made harmless in CSV, on
        the left in print.
    is_index
        Whether the values name the rows: the index of a pandas frame.
    align
        The side that the texts are on, "<" or ">"; labels are on the left.
    wrap
        The width at which a text goes on in a new line; 0 for never.
    shade
        The style behind the cell of a row on a page: a colour, an opacity, or "" for nothing.
    is_faint
        Whether the heading is pale on a page, as that of totals does.
    drawn
        Intervals that a page draws beside the texts, a line with a dot for each row, and the ends
        of their scale.
    is_sketch
        Whether the texts draw with signs as wide as each other, which text alone has.
    """

    name: Any
    values: Sequence[Any] | NDArray[Any]
    text: Callable[[Any], str] = in_words
    head: str | None = _ITS_NAME
    is_label: bool = False
    is_index: bool = False
    align: Literal["<", ">", ""] = ""
    wrap: int = 0
    shade: Callable[[int], str] | None = None
    is_faint: bool = False
    drawn: Drawn | None = None
    is_sketch: bool = False

    def __post_init__(self) -> None:
        if self.head == _ITS_NAME:
            object.__setattr__(self, "head", "" if self.name is None else printable(self.name))
        if not self.align:
            object.__setattr__(self, "align", "<" if self.is_label else ">")

    @property
    def plain_values(self) -> list[Any]:
        """The values as a list of plain Python objects."""
        return list(self.values.tolist() if isinstance(self.values, np.ndarray) else self.values)


class Tabular(Guessed):
    """A value that has a table, and through it every format and a view in notebooks."""

    __slots__ = ()

    # Whether a terminal shows what `print` says, because that is more than the table.
    _prints_more: ClassVar[bool] = False

    def table(self) -> Table:
        """Return what the value shows, as a Table."""
        raise NotImplementedError

    def __str__(self) -> str:
        return str(self.table())

    def _display(self) -> Table:
        """The table that notebooks and terminals show."""
        return self.table()

    def _pictured(self) -> Table:
        """The table that notebooks show, where it is another one."""
        return self._display()

    @door
    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of the rows; needs pandas.

        Scores of a report that are one number for all its rows, such as accuracy, are not among
        them: `table().summary.to_pandas()` has these.
        """
        return self.table().to("pandas")

    @door
    def to_polars(self) -> Any:
        """Return a Polars DataFrame of the rows, labels as text; needs Polars.

        Scores of a report that are one number for all its rows, such as accuracy, are not among
        them: `table().summary.to_polars()` has these.
        """
        return self.table().to("polars")

    @door
    def to_markdown(self) -> str:
        """Return a pipe table in Markdown, with the notes below."""
        return str(self.table().to("markdown"))

    @door
    def to_latex(self) -> str:
        """Return a tabular in LaTeX for the package booktabs, with the notes as comments."""
        return str(self.table().to("latex"))

    @door
    def to_csv(self, *, delimiter: str = ",", spreadsheet: bool = True) -> str:
        """Return comma-separated values at full precision.

        A name that a spreadsheet would run as a formula (it starts with =, +, -, @, a tab or a
        return) gets an apostrophe in front. An undefined value is empty.

        Parameters
        ----------
        delimiter
            The sign between values: a comma, semicolon, tab or pipe.
        spreadsheet
            Whether such names get an apostrophe.

        Raises
        ------
        InputError
            If the delimiter is another text.
        """
        return str(self.table().to("csv", delimiter=delimiter, spreadsheet=spreadsheet))

    @door
    def to_excel(self, path: Any) -> None:
        """Write a workbook with one sheet; needs XlsxWriter.

        Parameters
        ----------
        path
            The file to write, which appears whole or not at all.
        """
        _formats().save_excel(self.table(), path)

    def _repr_html_(self) -> str | None:
        """The table, or nothing where it cannot be drawn: a notebook then shows the text."""
        try:
            return str(_formats().html(self._pictured()))
        except Exception:  # noqa: BLE001 - showing must never fail
            return None


@dataclass(frozen=True, eq=False, repr=False)
class Table(Tabular):
    r"""Columns with notes below and a title above, in which any result is shown. `to` writes it in any format.

    Parameters
    ----------
    columns
        The columns, which are printed, data, or both.
    notes
        Sentences below the table.
    title
        A sentence above the table.
    over
        A heading that spans all columns but the first, such as "predicted".
    rules
        Rows in front of which a line is drawn. Only rows above the first rule are left out of long
        prints.
    shown
        The number of rows up to which all are printed, and how many of the first and the last ones
        otherwise.
    more
        The sentence on rows that are not printed; it may use {hidden} and {total}.
    summary
        A narrower table below: numbers that are of the whole and of no row.
    then
        A table of details below. Formats that people read have both, and those for programs the
        details alone.

    Examples
    --------
    >>> t = Table(
    ...     (Column("class", ["cat", "a|b"], is_label=True), Column("f1", [0.5, float("nan")])),
    ...     ("a note",),
    ... )
    >>> print(t)
    class     f1
    cat    0.500
    a|b        –
    <BLANKLINE>
    a note
    >>> t.to_dict()["rows"]
    [{'class': 'cat', 'f1': 0.5}, {'class': 'a|b', 'f1': None}]
    >>> print(t.to_markdown(), end="")
    | class | f1 |
    |:--|--:|
    | cat | 0.500 |
    | a\|b | – |
    <BLANKLINE>
    - a note
    """

    columns: tuple[Column, ...]
    notes: tuple[str, ...] = ()
    title: str = ""
    over: str = ""
    rules: tuple[int, ...] = ()
    shown: tuple[int, int, int] = (PRINTED_ROWS, PRINTED_ROWS, 0)
    more: str = "… and {hidden:,} more"
    summary: Table | None = None
    then: Table | None = None

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def __repr__(self) -> str:
        names = ", ".join(
            printable(column.head if column.name is None else column.name)
            for column in self.columns
        )
        return f"<Table of {len(self):,} rows: {names}>"

    def __str__(self) -> str:
        return str(_formats().text(self)).rstrip("\n")

    def table(self) -> Table:
        """Return the table itself."""
        return self

    def _repr_html_(self) -> str:
        return str(_formats().html(self))

    # ---- as data ---------------------------------------------------------------------------------

    @property
    def main(self) -> Table:
        """The table itself, or its summary where nothing else is printed."""
        return self if self.printed or self.summary is None else self.summary

    @property
    def details(self) -> Table:
        """The table that formats for programs write."""
        return self if self.then is None else self.then

    @property
    def data(self) -> tuple[Column, ...]:
        """The columns that are data."""
        return tuple(column for column in self.columns if column.name is not None)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row as plain data: NaN is None, and a name that comes again is numbered, as "f1 (2)" is."""
        names = apart(map(str, self._names()))
        for row in zip(*(column.plain_values for column in self.data), strict=True):
            yield dict(zip(names, map(to_plain, row), strict=True))

    def _names(self) -> list[Any]:
        """The names of the data columns; the first says what is beside and what is above, where something is above."""
        names = [column.name for column in self.data]
        return [f"{names[0]}\\{self.over}", *names[1:]] if self.over and names else names

    def to_dict(self) -> dict[str, Any]:
        """Return the rows and notes as plain data; a value's own `to_dict` is its stored form."""
        data: dict[str, Any] = {"title": self.title} if self.title else {}
        data["rows"] = list(self.details.records())
        if self.summary is not None:
            data["summary"] = list(self.summary.records())
        return data | {"notes": list(self.notes)}

    def to(self, name: str, **options: Any) -> Any:
        """Write the table in a format: text, bytes of a file, or a data frame.

        Parameters
        ----------
        name
            The name of a format, such as "markdown", "csv", "latex", "html" or "pandas".
        **options
            The options of its writer, such as `delimiter` for "csv".

        Raises
        ------
        InputError
            If there is no such format, it takes no such option, or its package is not installed.
        """
        return _formats().written(self, name, options)

    # ---- as it is printed ------------------------------------------------------------------------

    def without_sketches(self) -> Table:
        """Return the table for formats whose signs differ in width, or that lack some."""
        return replace(
            self, columns=tuple(column for column in self.columns if not column.is_sketch)
        )

    @property
    def printed(self) -> tuple[Column, ...]:
        """The columns that are printed."""
        return tuple(column for column in self.columns if column.head is not None)

    @property
    def heads(self) -> list[str]:
        """The headings."""
        return [column.head or "" for column in self.printed]

    @property
    def align(self) -> str:
        """The side on which each column is."""
        return "".join(column.align for column in self.printed)

    def texts(self, places: Iterable[int] | None = None) -> list[list[str]]:
        """Return the printed cells of rows.

        Parameters
        ----------
        places
            The positions of the rows; without them all rows.

        Returns
        -------
        list of list of str
            The texts of each row, in the order of `printed`.
        """
        columns = self.printed
        places = list(range(len(self)) if places is None else places)
        cells = [list(map(column.text, _at(column.values, places))) for column in columns]
        return [list(row) for row in zip(*cells, strict=True)]

    def places(self) -> list[int | None]:
        """Return the rows that are printed, with None for a gap; rows behind the first rule are always there."""
        body = self.rules[0] if self.rules else len(self)
        most, head, tail = self.shown
        if body <= most:
            return list(range(len(self)))
        gap: list[int | None] = [None] if tail else []
        return [*range(head), *gap, *range(body - tail, len(self))]

    def hidden(self) -> str:
        """Return the sentence on rows that are not printed; nothing if all are."""
        total = self.rules[0] if self.rules else len(self)
        most, head, tail = self.shown
        return (
            self.more.format(hidden=total - head - tail, total=total)
            if total > most and self.printed
            else ""
        )

    def abridged(self) -> list[list[str]]:
        """Return the printed cells of the rows that are printed, with a row of dots for a gap."""
        places = self.places() if self.printed else []
        rows = iter(self.texts(place for place in places if place is not None))
        return [["⋮"] * len(self.printed) if place is None else next(rows) for place in places]

    def lines(self) -> list[str]:
        """Return the lines of the printed table, without title, summary and notes."""
        columns = self.printed
        if not columns:
            return []
        broken = {self.places().index(rule) for rule in self.rules if rule < len(self)}
        rows, blank = [self.heads], set()
        for place, row in enumerate(self.abridged()):
            if place in broken:
                blank.add(len(rows))
            rows += _wrapped(row, columns)
        parts = (
            aligned(
                [[row[i] for i in piece] for row in rows], "".join(self.align[i] for i in piece)
            )
            for piece in _pieces(rows)
        )
        spaced = (
            [line for i, row in enumerate(part) for line in [""] * (i in blank) + [row]]
            for part in parts
        )
        return list(chain.from_iterable([""] * (i > 0) + part for i, part in enumerate(spaced)))


def joined(axis: str, tables: Mapping[Any, Table], *, rows: bool = True) -> Table:
    """Return the rows of all groups, or none, with a first column that names the group; summaries are joined alike."""
    first, *_ = tables.values()
    keys = [key for key, table in tables.items() for _ in range(len(table) if rows else 0)]
    columns = [Column(axis, keys, one_line, is_label=True)]
    for place, column in enumerate(first.data):
        values = (
            [*chain.from_iterable(table.data[place].plain_values for table in tables.values())]
            if rows
            else []
        )
        columns.append(replace(column, values=values, shade=None, drawn=None))
    summaries = {key: table.summary for key, table in tables.items() if table.summary is not None}
    return Table(tuple(columns), summary=joined(axis, summaries, rows=rows) if summaries else None)


def _pieces(rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """The columns of a table; on a terminal, those that do not fit are below, beside the first one once more."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    room, pieces = terminal_room() or math.inf, [[0]]
    for place in range(1, len(widths)):
        taken = sum(widths[i] + 2 for i in pieces[-1])
        if taken + widths[place] > room and len(pieces[-1]) > 1:
            pieces.append([0])
        pieces[-1].append(place)
    return pieces


def _at(values: Sequence[Any] | NDArray[Any], places: list[int]) -> list[Any]:
    """The values at some places, as plain Python objects."""
    if isinstance(values, np.ndarray):
        return list(values[places].tolist())
    return [values[place] for place in places]


def apart(names: Iterable[str]) -> list[str]:
    """Return names without repeats: those that come again are numbered.

    >>> apart(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    places: dict[str, str] = {}
    for name in names:
        numbered = (f"{name} ({i})" for i in count(2))
        places[
            name if name not in places else next(other for other in numbered if other not in places)
        ] = name
    return list(places)


def _wrapped(row: list[str], columns: Sequence[Column]) -> list[list[str]]:
    """A row, and the lines below it that its long cells go on in."""
    if not any(column.wrap for column in columns):
        return [row]
    parts = [
        textwrap.wrap(cell, column.wrap, break_on_hyphens=False) or [""] if column.wrap else [cell]
        for cell, column in zip(row, columns, strict=True)
    ]
    return [
        [part[i] if i < len(part) else "" for part in parts] for i in range(max(map(len, parts)))
    ]


def to_plain(data: Any, infinite: Literal["float", "text", "none"] = "float") -> Any:
    """Return plain data: mappings as dicts, sequences as lists, numbers of Python, and None for NaN.

    `infinite` is the form of infinities, which JSON cannot hold: None for "none".

    >>> to_plain({"a": (1.0, float("nan"))}), to_plain(float("inf"), "text")
    ({'a': [1.0, None]}, 'inf')
    """
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, float):
        if data != data:
            return None
        return (
            {"float": data, "text": str(data), "none": None}[infinite] if math.isinf(data) else data
        )
    if isinstance(data, Mapping):
        return {key: to_plain(value, infinite) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [to_plain(value, infinite) for value in data]
    return data

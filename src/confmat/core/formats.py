"""The writers of a Table, one for each format.

A format is a function that takes a Table, and a row in `FORMATS`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib import import_module
from inspect import signature
from io import BytesIO
from typing import Any, Literal

from confmat.core.errors import Argument, InputError, Message
from confmat.core.files import write_text
from confmat.core.options import flag, told
from confmat.core.tables import DASH, FAINT, Column, Drawn, Table, apart, to_plain
from confmat.core.text import (
    csv_field,
    display_width,
    fit,
    in_csv,
    in_latex,
    in_markdown,
    isolated,
    meant,
    middle,
    one_line,
    printable,
    shortened,
)
from confmat.core.text import folded as fold
from confmat.core.text import table as aligned

# ---- text ----------------------------------------------------------------------------------------


def text(table: Table) -> str:
    """Return the table for a terminal: rows that line up, then the summary, what is left out, and the notes."""
    lines = [*fold(filter(None, [table.title])), *(table.lines() if len(table) else [])]
    hidden = [table.hidden()] if table.hidden() else []
    at_end = bool(table.shown[2])
    parts = [lines if at_end else [*lines, *hidden]]
    if table.summary is not None and len(table.summary):
        parts.append(aligned(table.summary.texts(), table.summary.align))
    parts += [table.then.lines()] if table.then is not None else []
    parts += [hidden if at_end else [], fold(table.notes)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _markdown(table: Table) -> str:
    """A pipe table of all rows; characters that Markdown reads are escaped."""
    table = table.without_sketches()
    parts = [_pipes(table)] if table.printed else []
    if table.summary is not None:
        head, *lines = _pipes(table.summary)
        parts.append([head.replace("|  |", "| |"), *lines])
    parts += [_pipes(table.then)] if table.then is not None and table.then.printed else []
    if table.notes:
        parts.append([f"- {in_markdown(note)}" for note in table.notes])
    if table.title:
        parts.insert(0, [in_markdown(table.title)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _pipes(table: Table) -> list[str]:
    heads = table.heads
    if table.over:
        heads[0] = f"{heads[0]}\\{table.over}"
    rule = "|" + "".join("--:|" if side == ">" else ":--|" for side in table.align)
    rows = [heads, *table.texts()]
    lines = ["| " + " | ".join(map(in_markdown, row)) + " |" for row in rows]
    return [lines[0], rule, *lines[1:]]


# Signs of our own cells, beside labels: the dash, the minus and the mark of a gap.
_SIGNS = {DASH: "--", "−": "$-$", "⋮": r"$\vdots$"}
_LATEX_SIDES = str.maketrans("<>", "lr")


def _latex(table: Table) -> str:
    """A booktabs tabular of all rows; characters that LaTeX reads are escaped, and notes are comments."""
    table = table.without_sketches()
    main = table.main
    heads = main.heads
    lines = [f"% {one_line(table.title)}"] if table.title else []
    lines += [
        rf"\begin{{tabular}}{{{''.join(main.align).translate(_LATEX_SIDES)}}}",
        r"\toprule",
    ]
    if table.over:
        lines += [rf" & \multicolumn{{{len(heads) - 1}}}{{c}}{{{in_latex(table.over)}}} \\"]
        lines += [rf"\cmidrule(lr){{2-{len(heads)}}}"]
    if main is table:
        lines += [_latex_row(heads, main.printed, heads=True), r"\midrule"]
    lines += _latex_body(main)
    if main is table and table.summary:
        empty = [""] * (len(heads) - len(table.summary.printed))
        lines += [r"\midrule", *_latex_body(table.summary, empty)]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.then is not None and table.then.printed:
        lines += ["", _latex(table.then).rstrip("\n")]
    return "\n".join([*lines, *(f"% {one_line(note)}" for note in table.notes)]) + "\n"


def _latex_body(table: Table, empty: Sequence[str] = ()) -> Iterator[str]:
    """The rows of a table, with empty cells at their ends."""
    for place, row in enumerate(table.texts()):
        if place in table.rules:
            yield r"\midrule"
        yield _latex_row([*row, *empty], table.printed)


def _latex_row(cells: Sequence[str], columns: Sequence[Column], *, heads: bool = False) -> str:
    """A row, with the signs of confmat; the characters of labels stay, in cells and in headings that are names."""
    names = [
        column.head in {printable(column.name), one_line(column.name)} if heads else column.is_label
        for column in columns
    ]
    signs = [{} if name else _SIGNS for name in names]
    signs += [{}] * (len(cells) - len(signs))
    texts = (
        "".join(own.get(char, char) for char in in_latex(cell))
        for cell, own in zip(cells, signs, strict=True)
    )
    return " & ".join(texts) + r" \\"


def check_delimiter(delimiter: str) -> None:
    """Refuse anything but the sign that parts the values of a line."""
    if not (isinstance(delimiter, str) and delimiter in {",", ";", "\t", "|"}):
        msg = Message(
            "{delimiter} must be a comma, semicolon, tab or pipe, not {}", told(delimiter)
        )
        raise InputError(msg)


def _csv(table: Table, *, delimiter: str = ",", spreadsheet: bool = True) -> str:
    """The data at full precision; the rows of the summary are below, cut to the width of the table."""
    check_delimiter(delimiter)
    table = table.details
    spreadsheet = flag("spreadsheet", spreadsheet)
    names = table._names()
    rows: list[Sequence[Any]] = [
        names,
        *zip(*(column.plain_values for column in table.data), strict=True),
    ]
    if table.summary is not None:
        rows += zip(*(column.plain_values for column in table.summary.data), strict=True)
    filled = ([*row, *[None] * (len(names) - len(row))][: len(names)] for row in rows)
    return "".join(
        delimiter.join(_csv_cell(cell, spreadsheet) for cell in row) + "\n" for row in filled
    )


def _tsv(table: Table, *, spreadsheet: bool = True) -> str:
    return _csv(table, delimiter="\t", spreadsheet=spreadsheet)


def _csv_cell(value: Any, spreadsheet: bool) -> str:
    if value is None or value != value:
        return ""
    return (
        str(value)
        if isinstance(value, (int, float))
        else csv_field(in_csv(value, spreadsheet=spreadsheet))
    )


def _json(table: Table) -> str:
    return json_text(table.to_dict())


def _json_lines(table: Table) -> str:
    table = table.details
    parts = (table, *([] if table.summary is None else [table.summary]))
    records = (record for part in parts for record in part.records())
    return "".join(json_text(record, None) for record in records)


# ---- data frames and workbooks -------------------------------------------------------------------


def _companion(name: str, called: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        msg = f"{called} is not installed; `pip install {called.lower()}` brings it"
        raise InputError(msg) from error


def _pandas(table: Table) -> Any:
    """A DataFrame; columns that name the rows are its index."""
    pandas = _companion("pandas", "pandas")
    table = table.details
    index, data = (
        [column for column in table.main.data if column.is_index is is_index]
        for is_index in (True, False)
    )
    frame = pandas.DataFrame({i: column.values for i, column in enumerate(data)})
    frame.columns = pandas.Index([column.name for column in data], name=table.over or None)
    names, values = [column.name for column in index], [column.plain_values for column in index]
    if len(index) == 1:
        frame.index = pandas.Index(values[0], name=names[0], tupleize_cols=False)
    elif index:
        frame.index = pandas.MultiIndex.from_arrays(values, names=names)
    return frame


def _polars(table: Table) -> Any:
    """A DataFrame; names are text."""
    polars = _companion("polars", "Polars")
    table = table.details
    columns = {
        name: list(map(printable, column.plain_values)) if column.is_label else column.plain_values
        for name, column in zip(
            apart(map(printable, table.main._names())), table.main.data, strict=True
        )
    }
    return polars.DataFrame(columns, strict=False)


def _excel(table: Table) -> bytes:
    """A workbook with one sheet: numbers as numbers, names as text, the summary and the notes below."""
    stream = BytesIO()
    book = _companion("xlsxwriter", "XlsxWriter").Workbook(stream, {"in_memory": True})
    sheet, bold = book.add_worksheet(), book.add_format({"bold": True})
    row = 0
    if table.title:
        sheet.write_string(row, 0, table.title)
        row = 2
    for part in (table, table.summary, table.then):
        if part is None or not part.data:
            continue
        for place, (name, column) in enumerate(zip(part._names(), part.data, strict=True)):
            sheet.write_string(row, place, printable(name), bold)
            for below, value in enumerate(column.plain_values, row + 1):
                _excel_cell(sheet, below, place, value)
        row += len(part) + 2
    for place, note in enumerate(table.notes, row):
        sheet.write_string(place, 0, note)
    book.close()
    return stream.getvalue()


def _excel_cell(sheet: Any, row: int, column: int, value: Any) -> None:
    if value is None or value != value:
        return
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, (int, float)) and abs(value) < 2**53:
        sheet.write_number(row, column, value)
    else:
        # Never `write`, which would take a name that starts with = for a formula.
        sheet.write_string(row, column, printable(value))


# ---- HTML ----------------------------------------------------------------------------------------
# No script and no style sheet, only attributes. GitHub takes the styles away and leaves a plain
# table. Colours are laid over whatever the page has behind them, so that its own text reads on them
# whether the page is light or dark.

# Characters of a name, of a heading below another, and of the last column, which may hold a
# sentence or a list.
HTML_NAME, HTML_HEADING, HTML_WORDS = 28, 14, 300
# Headings are upright where there are more than these, and they are longer than these characters.
UPRIGHT_FROM, UPRIGHT_LONGER = 8, 5
# Cells of a heat table are at least so wide and high, in em, and at most so high.
_LEAST_SIDE, _TALLEST = 1.8, 3.2
# How long the scale of drawn intervals is, in em.
_SCALE, _INLINE = 7.0, "display:inline-block;vertical-align:middle"
_BOX = '<div style="overflow-x:auto;max-width:100%">'
# `cellpadding` stays where styles are taken away.
_TABLE = (
    '<table cellpadding="4" style="border-collapse:collapse;width:auto;margin:0.3em '
    "0;table-layout:auto;"
    'font-variant-numeric:tabular-nums">'
)
_UPRIGHT = (
    '<span style="writing-mode:vertical-rl;text-orientation:sideways;transform:rotate(180deg)">'
)
_SPAN = f'align="left" style="text-align:left;vertical-align:bottom;font-weight:normal;opacity:{FAINT};"'


def html(table: Table) -> str:
    """Return the table, its summary and notes, safe, small, and readable where styles and colours are taken away."""
    table = table.without_sketches()
    parts = [
        _html_table(part)
        for part in (table, table.summary, table.then)
        if part is not None and part.printed
    ]
    return "".join([_BOX, *parts, _html_notes([table.hidden(), *table.notes]), "</div>"])


def _html_page(table: Table) -> str:
    """A page of its own."""
    title = escape(table.title or "confmat")
    return f'<!doctype html>\n<meta charset="utf-8">\n<title>{title}</title>\n{html(table)}\n'


def text_html(text: str) -> str:
    """Return a text that is laid out already as HTML."""
    return (
        f'{_BOX}<pre style="font-family:monospace;white-space:pre-wrap">{escape(text)}</pre></div>'
    )


def _html_notes(notes: Sequence[str]) -> str:
    lines = "<br>".join(escape(note) for note in notes if note)
    return f'<div style="opacity:{FAINT};font-size:90%">{lines}</div>' if lines else ""


def _html_table(table: Table) -> str:
    columns, rows = table.printed, table.abridged()
    title = (
        f"<caption>{_html_text(fit(printable(table.title), 200))}</caption>" if table.title else ""
    )
    lines = [f"{_TABLE}{title}<thead>", *_html_heads(table, columns), "</thead><tbody>"]
    # Shades lie on the page itself, not on stripes that it gives to every other row.
    plain = ' style="background:#00000000"' if any(column.shade for column in columns) else ""
    tall = f";height:{min(_side(table), _TALLEST):.1f}em" if table.over else ""
    marked = _marks(columns)
    short = zip(*_html_short(columns, rows), strict=True)
    for place, row, cut in zip(table.places(), rows, short, strict=True):
        bold = any(row[i] == "*" for i in marked)
        cells = (
            _html_cell(name, text, column, place, bold=bold, tall=tall)
            for name, text, column in zip(cut, row, columns, strict=True)
        )
        lines.append(f'<tr align="right"{plain}>{"".join(cells)}</tr>')
    return "".join([*lines, "</tbody></table>"])


def _marks(columns: Sequence[Column]) -> list[int]:
    """The columns without a heading that mark rows with a star."""
    return [i for i, column in enumerate(columns) if i and not column.head and column.align == "<"]


def _html_short(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """The texts of each column, long names cut."""
    for i, (column, texts) in enumerate(zip(columns, zip(*rows, strict=True), strict=bool(rows))):
        if column.is_index:
            yield shortened(texts, HTML_NAME)
        elif column.align == "<":
            room = HTML_WORDS if i == len(columns) - 1 else HTML_NAME
            yield [middle(text, room) for text in texts]
        else:
            yield list(texts)


def _side(table: Table) -> float:
    """How wide the cells of a heat table are, in em: all alike, and as wide as the longest text below or in a head."""
    columns = [
        i
        for i, column in enumerate(table.printed)
        if column.shade and not (column.is_index or column.is_faint)
    ]
    heads = shortened([table.heads[i] for i in columns], HTML_HEADING)
    texts = [row[i] for row in table.abridged() for i in columns] + (
        [] if _is_upright(heads) else heads
    )
    return max(_LEAST_SIDE, 0.6 * max(map(display_width, texts), default=0))


def _is_upright(heads: Sequence[str]) -> bool:
    return len(heads) > UPRIGHT_FROM and max(map(len, heads)) > UPRIGHT_LONGER


def _html_heads(table: Table, columns: Sequence[Column]) -> Iterator[str]:
    """The row of headings, below the one that spans them if there is one."""
    heads = table.heads
    if not table.over:
        cells = [
            _html_head(head, head, column) for head, column in zip(heads, columns, strict=True)
        ]
        yield f'<tr align="right">{"".join(cells)}</tr>'
        return
    faint = [column.is_faint for column in columns[1:]]
    corner = "<th></th>" * sum(faint)
    yield f'<tr><th></th><th colspan="{len(faint) - sum(faint)}" {_SPAN}>{escape(table.over)}</th>{corner}</tr>'
    short = [*shortened(heads[1:], HTML_HEADING)]
    upright, wide = _is_upright(short), f"min-width:{_side(table):.1f}em"
    cells = [f"<th {_SPAN}>{escape(heads[0])}</th>"]
    for cut, head, column in zip(short, heads[1:], columns[1:], strict=True):
        cells.append(
            _html_head(
                cut,
                head,
                column,
                "" if column.is_faint else wide,
                upright=upright and not column.is_faint,
            )
        )
    yield f'<tr align="right">{"".join(cells)}</tr>'


def _html_head(
    short: str, head: str, column: Column, wide: str = "", *, upright: bool = False
) -> str:
    side = ' align="left"' if column.align == "<" else ""
    style = "text-align:left" if side else wide
    if column.is_faint:
        style = f"vertical-align:bottom;font-weight:normal;opacity:{FAINT};"
    text = _html_text(short)
    if upright:
        style, text = f"{wide};vertical-align:bottom;white-space:nowrap", f"{_UPRIGHT}{text}</span>"
    return f'<th scope="col"{side}{_hint(short, head)}{_styled(style)}>{text}</th>'


def _html_cell(
    short: str, text: str, column: Column, place: int | None, *, bold: bool, tall: str = ""
) -> str:
    shade = "" if place is None or column.shade is None else column.shade(place)
    inside = _html_text(short).replace("\n", "<br>")
    if place is not None and column.drawn is not None:
        inside += _drawn(column.drawn, place)
    style = "font-weight:bold;" if bold else ""
    style += (
        "" if not shade else f"background:{shade}" if shade.startswith("#") else f"opacity:{shade}"
    )
    if column.is_index:
        style = f"text-align:left;white-space:nowrap;{style}".rstrip(";") + tall
        return f'<th scope="row" align="left"{_hint(short, text)} style="{style}">{inside}</th>'
    if column.align == "<":
        return f'<td align="left"{_hint(short, text)} style="{style}text-align:left">{inside}</td>'
    return f"<td{_hint(short, text)}{_styled(style)}>{inside}</td>"


def _drawn(drawn: Drawn, place: int) -> str:
    """An interval as a line with a dot on a scale of `_SCALE` em, and a faint line at zero where the scale holds it."""
    low, value, high, zero = (
        _SCALE * min(max((end - drawn.low) / (drawn.high - drawn.low), 0.0), 1.0)
        for end in (*drawn.rows[place].tolist(), 0.0)
    )
    parts = [] if math.isnan(value) else [(value - 0.25, 0.5, 0.5, "#1a66a6")]
    if not math.isnan(high - low):
        parts = [(low, max(high - low, 0.1), 0.15, "#1a66a6"), *parts]
    if drawn.low < 0 < drawn.high:
        parts = [(zero, 0.1, 1.2, "#8c959f"), *parts]
    at, spans = 0.0, []
    for left, wide, tall, color in parts:
        shape = f"width:{wide:.2f}em;height:{tall:.2f}em;background:{color};border-radius:{tall / 2:.2f}em"
        spans.append(f'<span style="{_INLINE};margin-left:{left - at:.2f}em;{shape}"></span>')
        at = left + wide
    return (
        "<span "
        f'style="{_INLINE};width:{_SCALE + 0.5:.2f}em;margin-left:0.80em;text-align:left">{"".join(spans)}</span>'
    )


def _styled(style: str) -> str:
    return f' style="{style}"' if style else ""


def _hint(short: str, name: str) -> str:
    """The attribute by which the pointer shows a name that was cut."""
    return "" if short == name else f' title="{escape(fit(name, 200))}"'


def _html_text(name: str) -> str:
    """A safe line, kept to itself if it runs from right to left."""
    return escape(name) if isolated(name) == name else f"<bdi>{escape(name)}</bdi>"


# ---- JSON of stored forms ------------------------------------------------------------------------


def json_text(data: Any, indent: int | None = 1) -> str:
    """Return plain data as JSON text: NaN is null, infinities and labels that are objects are text."""
    return json.dumps(_keyed(to_plain(data, "text")), indent=indent, default=printable) + "\n"


def _keyed(data: Any) -> Any:
    """The same data with texts as the keys of all mappings."""
    if isinstance(data, dict):
        return {
            key if isinstance(key, str) else printable(key): _keyed(value)
            for key, value in data.items()
        }
    return list(map(_keyed, data)) if isinstance(data, list) else data


# ---- the formats ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a Table: its name, its writer, the suffixes of its files, and what the writer gives.

    `gives` is "text", "bytes" of a file that is no text, or "frame".
    """

    name: str
    write: Callable[..., Any]
    suffixes: tuple[str, ...] = ()
    gives: Literal["text", "bytes", "frame"] = "text"

    def options(self) -> list[str]:
        """Return the names of the options that the writer takes beside the table."""
        return list(signature(self.write).parameters)[1:]


FORMATS: dict[str, Format] = {}


def register(form: Format) -> None:
    """Add a format: `Table.to`, `save` and the command line know it from then on."""
    FORMATS[form.name] = form


for _form in (
    Format("text", text, (".txt",)),
    Format("markdown", _markdown, (".md", ".markdown")),
    Format("latex", _latex, (".tex",)),
    Format("csv", _csv, (".csv",)),
    Format("tsv", _tsv, (".tsv",)),
    Format("json", _json, (".json",)),
    Format("jsonl", _json_lines, (".jsonl", ".ndjson")),
    Format("html", _html_page, (".html", ".htm")),
    Format("excel", _excel, (".xlsx",), "bytes"),
    Format("pandas", _pandas, (), "frame"),
    Format("polars", _polars, (), "frame"),
):
    register(_form)


def format_named(name: str) -> Format:
    """Return a format by its name, or by a suffix such as ".md"."""
    for form in FORMATS.values():
        if name == form.name or (isinstance(name, str) and name.lower() in form.suffixes):
            return form
    known = meant(name, FORMATS) or f"; there are {', '.join(FORMATS)}"
    msg = f"there is no format {printable(repr(name)):.60}{known}"
    raise InputError(msg)


def written(table: Table, name: str, options: Mapping[str, Any]) -> Any:
    """Return the table in the format of this name; refuse options that its writer does not take."""
    form = format_named(name)
    for option in options:
        if option not in form.options():
            known = ", ".join(map(str, map(Argument, form.options())))
            raise InputError(
                Message(
                    "the format {} takes no {}; it takes {}",
                    form.name,
                    Argument(option),
                    known or "none",
                )
            )
    return form.write(table, **options)


def save_excel(table: Table, path: Any) -> None:
    """Write a workbook with one sheet; the file appears whole or not at all."""
    write_text(_excel(table), path)

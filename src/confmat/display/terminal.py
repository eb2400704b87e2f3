"""The terminal: `show` prints a matrix, report or list with shades where there are colours, plain where there are none.

Colours are Rich's, which finds out how many there are. Without Rich, with NO_COLOR, TERM=dumb or
where no terminal is, the same lines are printed without; FORCE_COLOR asks for them anywhere.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TextIO

from confmat.core import printing
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, Side, door, flag_if_any, one_of, told
from confmat.core.sources import opened
from confmat.core.tables import Tabular
from confmat.core.text import (
    NARROWEST,
    POORLY,
    display_width,
    isolated,
    middle,
    number,
    printable,
    room,
)
from confmat.display.background import is_light
from confmat.display.layout import Grouping, Method
from confmat.display.shading import DARK, LIGHT, Palette, hexadecimal, mixed
from confmat.display.terminal_layout import (
    Line,
    Span,
    heat_map,
    largest_cells,
    list_lines,
    plain,
    ramp_of,
    report_lines,
    table_lines,
    text_lines,
    wrapped,
)
from confmat.display.view import MatrixView, Scale, Shares, Values, view
from confmat.reporting import Report
from confmat.structure.evidence import shown_in

if TYPE_CHECKING:
    from rich.console import Console

# Lines that are printed of a longer list.
LISTED = 60


Theme = Literal["auto", "light", "dark"]


@opened
@door
def show(
    thing: Any,
    *,
    normalize: Shares = "auto",
    values: Values = "auto",
    order: Method | Iterable[Any] | None = None,
    top: int | None = None,
    class_groups: Grouping | None = None,
    of: Any = None,
    minus: ConfusionMatrix | None = None,
    scale: Scale | None = None,
    digits: int | None = None,
    rows: Side = "actual",
    title: str = "",
    width: int | None = None,
    color: bool | None = None,
    theme: Theme = "auto",
    file: TextIO | None = None,
) -> None:
    """Print a matrix, stack, report, comparison, confusions, groups or a view, shaded where the terminal has colours.

    A matrix that does not fit is a map of shades and the list of its confusions, those first that
    are shown to be more than the other errors explain; without colours, the list alone.

    Parameters
    ----------
    thing
        The value to print, or the path of a matrix or of a log of an evaluation.
    normalize, values, order, top, class_groups, of, minus, scale, digits, rows, title
        The choices of `confmat.view`, for a matrix.
    width
        Columns to fill; by default what the terminal has, and 100 elsewhere.
    color
        True for colours in any case, False for none; by default where a terminal has them.
    theme
        Colours for a "light" or a "dark" terminal; "auto" asks it.
    file
        Where to print; by default standard output.

    Examples
    --------
    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> show(m, normalize="actual")
            predicted
    actual   Cat  Fish   Hen  │ total
    Cat     66.7  16.7  16.7  │     6 ███▋
    Fish    60.0  20.0  20.0  │    10 ██████
    Hen     33.3     0  66.7  │     9 █████▍
    total     13     3     9  │    25
    per cent of each actual class
    """
    stream = sys.stdout if file is None else file
    choices = {
        "normalize": normalize, "values": values, "order": order, "top": top, "class_groups": class_groups, "of": of,
        "minus": minus, "scale": scale, "digits": digits, "rows": rows, "title": title,
    }  # fmt: skip
    asked = flag_if_any("color", color)
    colored = has_colors(stream) if asked is None else asked
    one_of("theme", theme, Theme)
    palette = palette_for(theme, stream if colored else None)
    put(lines_of(thing, choices, _width(width), palette, colored=colored), stream, colored=colored)


def _width(width: int | None) -> int:
    if width is None:
        return room()
    if isinstance(width, bool) or not isinstance(width, int) or width < NARROWEST:
        msg = f"`width` takes a number of columns from {NARROWEST}, not {told(width)}"
        raise InputError(msg)
    return width


def lines_of(
    thing: Any, choices: Mapping[str, Any], width: int, palette: Palette = DARK, *, colored: bool
) -> list[Line]:
    """Lines of spans that `show` prints; `choices` are those of `view`."""
    if isinstance(thing, ConfusionMatrix):
        drawn = view(thing, **choices)
        return _view_lines(drawn, width, palette, colored=colored, matrix=thing)
    if isinstance(thing, MatrixView):
        return _view_lines(thing, width, palette, colored=colored)
    if isinstance(thing, Report):
        return report_lines(thing, width, palette)
    if isinstance(thing, Tabular):
        # Sentences are wrapped, not cut.
        if thing._prints_more:
            return text_lines(str(thing))
        table = thing._display()
        rows = table.texts(range(min(LISTED, len(table))))
        notes = [f"… and {len(table) - LISTED:,} more"] if len(table) > LISTED else []
        return list_lines(table.heads, table.align, rows, [*notes, *table.notes], width)
    known = "a ConfusionMatrix, Stack, Report, Comparison, Confusions, Groups or MatrixView"
    msg = f"`show` prints {known}, not {type(thing).__name__}; {MAKES_ONE}"
    raise InputError(msg)


def palette_for(theme: Theme, stream: TextIO | None) -> Palette:
    """Colours for what lies behind: what is asked for, else what the terminal says of itself, else dark."""
    behind = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if theme == "auto" and stream is not None:
        is_bright = behind in {"7", "15"} if behind else is_light(stream)
        return LIGHT if is_bright else DARK
    return LIGHT if theme == "light" else DARK


# ---- a matrix ------------------------------------------------------------------------------------


def _view_lines(
    drawn: MatrixView,
    width: int,
    palette: Palette,
    *,
    colored: bool,
    matrix: ConfusionMatrix | None = None,
) -> list[Line]:
    lines: list[Line] = []
    if drawn.title:
        lines.append([Span(isolated(middle(printable(drawn.title), width)), bold=True)])
    # Colours change no text.
    caption = wrapped("; ".join([drawn.numbers, *drawn.notes]), width)
    are_counts = drawn.shown == "counts" and not drawn.is_difference
    table = table_lines(drawn, width, palette)
    if table is not None:
        if colored or drawn.of is not None:
            table += _legend(drawn, width, palette, colored=colored)
        return [*lines, *table, *(caption if drawn.notes or not are_counts else [])]
    if colored:
        lines += [*heat_map(drawn, width, palette), *_legend(drawn, width, palette, colored=True)]
        lines += [*caption, []]
    if matrix is not None and are_counts:
        return [*lines, *text_lines("\n".join(printing.largest(matrix, width, shown_in(matrix))))]
    heading = f"the largest errors of {len(drawn):,} labels, total {number(drawn.total)}"
    lines += [*wrapped(heading, width, bold=True), *largest_cells(drawn, width)]
    return lines if colored else [*lines, *caption]


def _legend(drawn: MatrixView, width: int, palette: Palette, *, colored: bool) -> list[Line]:
    """Legend of the colours, side by side while it fits."""
    if drawn.is_difference:
        entries = [
            ("better", palette.more),
            ("worse", palette.less),
            ("may be nothing", palette.folded),
        ]
    else:
        entries = [
            (meaning, ramp_of(palette, role, 1.0))
            for role, meaning in drawn.legend
            if role.name != "EMPTY"
        ]
    lines: list[Line] = [[]]
    used = 0
    for meaning, ramp in entries:
        size = display_width(meaning) + 5
        if used and used + size > width:
            lines.append([])
            used = 0
        swatch = Span("■ ", hexadecimal(mixed(ramp, 0.75))) if colored else Span("")
        lines[-1] += [swatch, Span(meaning + "   ", dim=True)]
        used += size
    return lines


# ---- colours -------------------------------------------------------------------------------------


def has_colors(stream: TextIO) -> bool:
    """Whether a stream goes to a terminal that may be coloured (or FORCE_COLOR says so), and Rich is there to do it."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") in {"dumb", "unknown"}:
        return False
    if not (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf"):
        return False
    try:
        wanted = bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
    except (AttributeError, ValueError):
        return False
    return wanted and _console(stream) is not None


def _console(stream: TextIO) -> Console | None:
    """Rich's console, if Rich is there and finds colours enough to shade with."""
    try:
        from rich.console import Console
    except ImportError:
        return None
    console = Console(file=stream, highlight=False, force_terminal=True, width=10_000)
    return console if console.color_system in {"256", "truecolor"} else None


def put(lines: Sequence[Line], stream: TextIO, *, colored: bool) -> None:
    """Print lines, in colours or without."""
    if not colored:
        # Blocks and dots are no reason to fail where the stream is not Unicode.
        known = getattr(stream, "encoding", None) or "utf-8"
        stream.write(plain(lines).encode(known, POORLY).decode(known))
        return
    try:
        from rich.console import Console
        from rich.style import Style
        from rich.text import Text
    except ImportError:
        msg = "colours in a terminal are Rich's, which is not installed: pip install rich, or color=False"
        raise InputError(msg) from None
    # Asked for where nobody can say which there are, colours are all there are.
    console = _console(stream) or Console(
        file=stream,
        highlight=False,
        force_terminal=True,
        width=10_000,
        color_system="truecolor",
        no_color=False,
    )
    for line in lines:
        text = Text(no_wrap=True, end="")
        for span in line:
            color, behind = span.ink or None, span.behind or None
            style = Style(color=color, bgcolor=behind, bold=span.bold, dim=span.dim)
            text.append(span.text, style)
        console.print(text, soft_wrap=True)

"""What only a terminal gets to see: colours, tables that fit its width, and progress."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from typing import Any, Self, TextIO

from confmat.core.matrix import ConfusionMatrix
from confmat.core.text import isolated, number, printable, room
from confmat.io.threads import Progress

__all__ = ["ProgressLine", "Working", "drawn", "is_colourful", "label_of", "styled", "wide_table"]

# Work that is over sooner needs no line that says how far it is.
PATIENCE = 2.0


def is_colourful(stream: TextIO) -> bool:
    """Whether a stream is a terminal that may be coloured, and Rich is there to do it."""
    from confmat.display.terminal import has_colours

    return has_colours(stream)


def drawn(found: Any, options: Mapping[str, Any], form: str, axis: str = "") -> bool:
    """Print a matrix, a report or each of several with shades; False where a text without says the same.

    `options` are those of the command; without colours, only what no text says is drawn. `axis` is what several
    reports are for.
    """
    if form != "table" or options.get("output") is not None:
        return False
    coloured = is_colourful(sys.stdout)
    asked = {name: options.get(name) for name in ("order", "of", "fold")}
    if not coloured and not any(asked.values()):
        return False
    parts = [("", found)]
    if isinstance(found, Mapping):
        name = printable(getattr(found, "axis", axis))
        parts = [(f"{name} = {printable(key)}", one) for key, one in found.items()]
    for place, (title, one) in enumerate(parts):
        if title:
            sys.stdout.write(("\n" if place else "") + isolated(title) + "\n\n")
        _draw(one, options, coloured=coloured)
    sys.stdout.flush()
    return True


def _draw(found: Any, options: Mapping[str, Any], *, coloured: bool) -> None:
    from confmat.display.terminal import put, show
    from confmat.display.terminal_layout import list_lines

    if not isinstance(found, ConfusionMatrix):
        show(found, color=coloured)
        return
    if options.get("top"):
        heads, *rows = _confusions(found, options["top"], options.get("normalize") or "actual")
        put(list_lines(heads, "<<>>", rows, [], room()), sys.stdout, coloured=coloured)
        return
    observed = options.get("of")
    show(
        found,
        normalize=options.get("normalize"),
        order=options.get("order"),
        top=options.get("fold"),
        of=label_of(found, observed) if observed else None,
        color=coloured,
    )


def _confusions(matrix: ConfusionMatrix, many: int, by: str) -> list[list[str]]:
    from confmat.cli.writing import top_rows

    heads, *rows = top_rows(matrix, many, by)
    texts = [[printable(row[0]), printable(row[1]), number(row[2]), f"{row[3]:.1%}"] for row in rows]
    return [heads, *texts]


def label_of(matrix: ConfusionMatrix, text: str) -> Any:
    """The class that is written like this: 3 is the number 3 where classes are numbers."""
    return next((name for name in matrix.labels.classes if printable(name) == text), text)


def styled(text: str) -> None:
    """Print tables with their headings bold, and what sums up and explains fainter."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    lines = text.rstrip("\n").split("\n")
    first = True
    for number_of, line in enumerate(lines):
        style = ""
        if first and (line[:1] == " " or number_of == 0 or " = " in line):
            style = "bold"
        elif (
            line.startswith(("…", "⋮"))
            or (line.startswith("total ") and "│" in line)
            or (line and not line[0].isspace() and line.endswith("."))
        ):
            style = "dim"
        elif line.startswith("actual "):
            style = "bold"
        first = not line.strip()
        console.print(Text(line, style=style))


def wide_table(rows: list[list[str]]) -> None:
    """Print a table whose last column is wrapped at the width of the terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, head in enumerate(rows[0]):
        table.add_column(Text(head), overflow="fold", no_wrap=place < len(rows[0]) - 1)
    for row in rows[1:]:
        table.add_row(*(Text(cell, style="cyan" if place == 0 else "") for place, cell in enumerate(row)))
    Console(highlight=False).print(table)


class ProgressLine:
    """One line on standard error that says how far a count is: only on a terminal, and only if it takes a while."""

    def __init__(self, quiet: bool) -> None:
        self._stream = sys.stderr
        self.wanted = not quiet and self._stream.isatty()
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show it."""
        if progress.seconds >= PATIENCE:
            self._shown = True
            self._stream.write(f"\r\x1b[K{_line(progress)}")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class Working:
    """One line on standard error that says what takes so long, where nobody tells how far it is; taken away after.

    Only on a terminal, and only if it takes a while. What is printed meanwhile has to wait until it is over.
    """

    def __init__(self, what: str, *, quiet: bool) -> None:
        self._what, self._stream, self._over = what, sys.stderr, threading.Event()
        self._thread = None if quiet or not self._stream.isatty() else threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Self:
        """Begin to wait."""
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _tick(self) -> None:
        begin, pause, shown = time.monotonic(), PATIENCE, False
        while not self._over.wait(pause):
            seconds = time.strftime("%H:%M:%S", time.gmtime(time.monotonic() - begin))
            self._stream.write(f"\r\x1b[K{self._what}  {seconds}")
            self._stream.flush()
            shown, pause = True, 0.5
        if shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def _line(progress: Progress) -> str:
    parts = ["counting"]
    if progress.share is not None and progress.share > 0:
        parts.append(f"{progress.share:.0%}")
    if progress.rows:
        parts.append(f"{number(progress.rows)} rows, {number(int(progress.rows / progress.seconds))} rows/s")
    if progress.remaining is not None:
        parts.append(f"{time.strftime('%H:%M:%S', time.gmtime(progress.remaining))} left")
    return "  ".join(parts)

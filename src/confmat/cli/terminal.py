"""The terminal: colours, tables that fit its width, and lines that show progress."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Self, TextIO

from confmat.core.text import number

if TYPE_CHECKING:
    from confmat.io.threads import Progress

# Seconds of work before a line says how far it is.
PATIENCE = 2.0


def is_colorful(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that may be coloured, with Rich to do it."""
    if not stream.isatty() and not os.environ.get("FORCE_COLOR"):
        return False
    from confmat.display.terminal import has_colors

    return has_colors(stream)


# Rows that are left out, sums, and sentences.
_FAINT = re.compile(r"[…⋮]|total .*│|\S.*\.$|\.$")


def styled(text: str) -> None:
    """Print tables with bold headings, and fainter sums and explanations."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    before = ""
    for place, line in enumerate(text.removesuffix("\n").split("\n")):
        is_first = not before.strip()
        if is_first and (line[:1] == " " or place == 0 or " = " in line):
            style = "bold"
        else:
            style = "dim" if _FAINT.match(line) else "bold" if line.startswith("actual ") else ""
        console.print(Text(line, style=style))
        before = line


def wide_table(rows: list[list[str]]) -> None:
    """Print a table whose last column is wrapped at the width of the terminal; its first row is the heading."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, head in enumerate(rows[0]):
        table.add_column(Text(head), overflow="fold", no_wrap=place < len(rows[0]) - 1)
    for row in rows[1:]:
        table.add_row(
            *(Text(cell, style="cyan" if place == 0 else "") for place, cell in enumerate(row))
        )
    Console(highlight=False).print(table)


class StatusLine:
    """One line on standard error, on a terminal alone, that is written anew and then taken away."""

    def __init__(self, *, quiet: bool) -> None:
        self._stream = sys.stderr
        self.wanted = not quiet and self._stream.isatty()
        self._shown = False

    def show(self, text: str) -> None:
        """Write the line anew."""
        self._shown = True
        self._stream.write(f"\r\x1b[K{text}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self.show("")
            self._shown = False


class ProgressLine(StatusLine):
    """A line that says how far a count is, if it takes a while."""

    def __call__(self, progress: Progress) -> None:
        """Show the line."""
        if progress.seconds >= PATIENCE:
            self.show(_line(progress))


class Working(StatusLine):
    """A line that names the work while it takes long; nothing may be printed before the work is over."""

    def __init__(self, work: str, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._work, self._over = work, threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True) if self.wanted else None

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
        self.clear()

    def _tick(self) -> None:
        begin, pause = time.monotonic(), PATIENCE
        while not self._over.wait(pause):
            self.show(f"{self._work}  {_clock(time.monotonic() - begin)}")
            pause = 0.5


def _clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.gmtime(seconds))


def _line(progress: Progress) -> str:
    parts = ["counting"]
    if progress.share is not None and progress.share > 0:
        parts.append(f"{progress.share:.0%}")
    if progress.rows:
        parts.append(
            f"{number(progress.rows)} rows, {number(int(progress.rows / progress.seconds))} rows/s"
        )
    if progress.remaining is not None:
        parts.append(f"{_clock(progress.remaining)} left")
    return "  ".join(parts)

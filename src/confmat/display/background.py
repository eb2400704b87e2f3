"""The background of a terminal, which is asked for it (OSC 11)."""

from __future__ import annotations

import os
import re
import sys
import time
from functools import cache
from select import select
from typing import TextIO

from confmat.display.shading import luminance

# Seconds to wait; a terminal that does not know the first question answers the second, which asks
# for its kind.
PATIENCE = 0.5
_QUESTIONS = b"\x1b]11;?\x1b\\\x1b[c"
_COLOR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_LAST = re.compile(rb"\x1b\[\?[\d;]*c")
# Lighter than this, black reads better than white.
_MIDDLE = 0.179


def is_light(stream: TextIO) -> bool | None:
    """Say whether the terminal behind a stream is light; None where there is none to ask, or no answer."""
    try:
        ends = sys.stdin.fileno(), stream.fileno()
        if not all(map(os.isatty, ends)) or os.ttyname(ends[0]) != os.ttyname(ends[1]):
            return None
        stream.flush()
        return _answered(*ends)
    except (AttributeError, ImportError, OSError, ValueError):
        return None


@cache
def _answered(inward: int, outward: int) -> bool | None:
    """Ask once, without an echo; nothing is left unread, and nothing that was typed before is taken."""
    # Windows has none of these.
    import termios
    import tty

    if os.tcgetpgrp(inward) != os.getpgrp() or select([inward], [], [], 0)[0]:
        return None
    before, got, end = termios.tcgetattr(inward), b"", time.monotonic() + PATIENCE
    try:
        tty.setcbreak(inward, termios.TCSANOW)
        os.write(outward, _QUESTIONS)
        while (
            not _LAST.search(got) and select([inward], [], [], max(0.0, end - time.monotonic()))[0]
        ):
            got += os.read(inward, 1024)
    finally:
        termios.tcsetattr(inward, termios.TCSAFLUSH, before)
    found = _COLOR.search(got)
    if found is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in found.groups())
    return luminance((red, green, blue)) > _MIDDLE

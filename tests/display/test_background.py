"""A terminal is asked for its background, in front of a terminal that answers, answers something else, or nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from confmat.display.shading import DARK, LIGHT, parsed

pytest.importorskip("termios", reason="terminals of Windows have no such question")
pytest.importorskip("rich", reason="colours are Rich's")

# The terminal becomes the program's own, as a shell's is; at the end, what nobody has read is
# printed.
PROGRAM = """
import fcntl, os, select, sys, termios
fcntl.ioctl(1, termios.TIOCSCTTY, 0)
import confmat as cm
OPTIONS
m = cm.ConfusionMatrix([[3, 1], [0, 2]])
cm.show(m, **options)
cm.show(m, **options)
left = os.read(0, 99) if sys.stdin.isatty() and select.select([0], [], [], 0.2)[0] else b""
print("LEFT", left.hex(), bool(termios.tcgetattr(1)[3] & termios.ECHO))
"""
ASKED, KIND = b"\x1b]11;?", b"\x1b[?62;4c"
WHITE, NAVY = b"\x1b]11;rgb:ffff/ffff/fafa\x1b\\", b"\x1b]11;rgb:00/2b/36\x07"


def seen(
    answer: bytes, *, options: str = "{}", typed: bytes = b"", piped: bool = False, env: Any = ()
) -> str:
    """Return the output of the program on a terminal that answers so."""
    master, slave = os.openpty()
    setting = {
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "PYTHONPATH": ":".join(sys.path),
    }
    os.write(master, typed)
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM.replace("OPTIONS", f"options = {options}")],
        stdin=subprocess.DEVNULL if piped else slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        env=setting | dict(env),
    )
    os.close(slave)
    got, asked = b"", False
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            # The other end is closed.
            break
        if not part:
            break
        got += part
        if ASKED in got and not asked:
            asked = True
            os.write(master, answer)
    running.wait(30)
    os.close(master)
    return got.decode()


def colors(text: str) -> Any:
    """The palette whose strongest blue is on the screen."""
    for palette in (LIGHT, DARK):
        red, green, blue = (round(255 * part) for part in parsed(palette.hit[-1]))
        if f"48;2;{red};{green};{blue}m" in text:
            return palette
    return None


@pytest.mark.parametrize(
    ("answer", "palette"),
    [(WHITE + KIND, LIGHT), (NAVY + KIND, DARK), (KIND, DARK), (b"", DARK), (b"\x1b[?1", DARK)],
)
def test_the_answer_chooses_the_colors_and_leaves_no_trace(answer: bytes, palette: Any) -> None:
    text = seen(answer)
    assert colors(text) is palette
    # Asked once for both prints, without an echo, and nothing is left for the shell.
    assert text.count("\x1b]11;?") == 1
    assert "rgb:" not in text
    assert "LEFT  True" in text


def test_typing_ahead_is_not_taken() -> None:
    text = seen(WHITE + KIND, typed=b"ls\n")
    assert "\x1b]11;?" not in text
    assert f"LEFT {b'ls'.hex()}" in text


@pytest.mark.parametrize(
    ("options", "env", "piped", "palette"),
    [
        ("{'theme': 'light'}", {}, False, LIGHT),
        ("{'theme': 'dark'}", {"COLORFGBG": "0;15"}, False, DARK),
        ("{}", {"COLORFGBG": "0;15"}, False, LIGHT),
        ("{}", {}, True, DARK),
        ("{}", {"NO_COLOR": "1"}, False, None),
    ],
)
def test_nobody_is_asked_who_need_not_or_cannot_be(
    options: str, env: dict[str, str], piped: bool, palette: Any
) -> None:
    text = seen(WHITE + KIND, options=options, piped=piped, env=env)
    assert "\x1b]11;?" not in text
    assert colors(text) is palette

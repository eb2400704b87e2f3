"""The picture of a terminal: what `cm.show` prints of the demo's data, photographed in Chromium.

`python docs/make_terminal_picture.py` writes docs/_static/terminal.png, and terminal-dark.png for
dark pages. It needs Rich, Playwright, Pillow and the system's Chromium, which a build of the
documentation does not, so the pictures are kept in the repository.
"""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import Literal

import confmat as cm
from confmat.demo import DATA

PICTURE = Path(__file__).resolve().parent / "_static" / "terminal.png"
WIDTH = 78
# Paper and ink of the two terminals.
COLORS = {"light": ((255, 255, 255), (27, 31, 36)), "dark": ((19, 20, 22), (215, 218, 224))}


def printed(theme: Literal["light", "dark"]) -> str:
    """Give a matrix and a list of confusions as a terminal of 24-bit colours gets them."""
    m, file = cm.count_files(DATA), io.StringIO()
    for command, thing in (
        ('cm.show(cm.view(m, normalize="actual"))', cm.view(m, normalize="actual")),
        ("cm.show(cm.top_confusions(m, 3))", cm.top_confusions(m, 3)),
    ):
        file.write(f"\x1b[2m>>>\x1b[0m {command}\n")
        cm.show(thing, width=WIDTH, color=True, theme=theme, file=file)
        file.write("\n")
    return file.getvalue().rstrip()


def take(target: Path, theme: Literal["light", "dark"]) -> None:
    """Photograph the print, with two pixels for each one of the page."""
    from PIL import Image
    from playwright.sync_api import sync_playwright
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    paper, ink = COLORS[theme]
    colors = f"background:rgb{paper};color:rgb{ink}"
    console = Console(
        record=True, width=WIDTH, color_system="truecolor", force_terminal=True, file=io.StringIO()
    )
    console.print(Text.from_ansi(printed(theme)))
    page = f'<pre style="margin:0;padding:12px;{colors};font:15px/1.25 monospace">{{code}}</pre>'
    html = console.export_html(
        inline_styles=True, code_format=page, theme=TerminalTheme(paper, ink, [ink] * 8)
    )
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        tab = browser.new_page(viewport={"width": 760, "height": 500}, device_scale_factor=2)
        tab.set_content(f'<body style="margin:0;width:max-content">{html}</body>')
        tab.locator("pre").screenshot(path=target)
        browser.close()
    Image.open(target).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
        target, optimize=True
    )


if __name__ == "__main__":
    take(PICTURE, "light")
    take(PICTURE.with_stem("terminal-dark"), "dark")

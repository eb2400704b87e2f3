"""The pictures of the gallery and of guides: each is what the code above it on the page gives.

`python docs/make_gallery.py` runs the blocks of these pages and writes the pictures that they show,
each for light and for dark pages, with two pixels for each one of the page. They are kept in the
repository, so that the page has them wherever it is read; run it again after a change of what is
drawn.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl

HERE = Path(__file__).resolve().parent
PAGE = HERE / "gallery.md"
# Every guide that shows pictures of its own.
GUIDES = tuple(
    sorted(page for page in HERE.glob("*/*.md") if "](pictures/" in page.read_text("utf-8"))
)
# A block of code, and the picture that follows it directly, if one does.
BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n!\[[^\]]*\]\((?P<picture>[\w./-]+)\))?",
    re.MULTILINE | re.DOTALL,
)
# The names that a block may give its drawing.
DRAWINGS = ("ax", "figure")
# The colour of the theme's dark pages, and the end of the names of pictures for them; conf.py shows
# them there.
DARK_PAGE, DARK = "#131416", "-dark"


def generate(page: Path = PAGE) -> list[Path]:
    """Write the pictures of a page, for light pages and for dark ones, and give their paths."""
    mpl.use("Agg")
    behind = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), DARK_PAGE)
    written = _generate(page, "")
    with mpl.rc_context(mpl.style.library["dark_background"] | behind):
        return written + _generate(page, DARK)


def _generate(page: Path, ending: str) -> list[Path]:
    from matplotlib import pyplot as plt

    written = []
    namespace: dict[str, Any] = {"__name__": "__main__"}
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        for name in DRAWINGS:
            namespace.pop(name, None)
        # Padded, so that a traceback shows the page's own line.
        code = "\n" * text[: block.start("code")].count("\n") + block["code"]
        # The text that the page prints is the business of its test.
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, page, "exec"), namespace)  # noqa: S102 - the page is our own
        if block["picture"] and (drawing := _drawing(namespace)) is not None:
            path = page.parent / block["picture"]
            path = path.with_stem(path.stem + ending)
            path.parent.mkdir(exist_ok=True)
            _write(drawing, path)
            written.append(path)
        plt.close("all")
    return written


def _write(drawing: Any, path: Path) -> None:
    """Save a picture in 256 colours, which take a third of the room and look the same."""
    from PIL import Image

    whole = io.BytesIO()
    drawing.savefig(whole, dpi=180)
    picture = Image.open(whole).convert("RGB")
    small = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    # The page's own colour stays as it is, so that no edge shows.
    colors, place = small.getpalette(), 3 * small.getpixel((0, 0))
    colors[place : place + 3] = picture.getpixel((0, 0))
    small.putpalette(colors)
    small.save(path, optimize=True)


def _drawing(namespace: dict[str, Any]) -> Any:
    found = next((namespace[name] for name in DRAWINGS if name in namespace), None)
    return found if found is None or hasattr(found, "savefig") else found.figure


if __name__ == "__main__":
    for each in (PAGE, *GUIDES):
        generate(each)

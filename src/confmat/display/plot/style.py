"""The look of a plot: colours that fit the page they are drawn on, fonts and sizes, and vector files with real text."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import matplotlib as mpl
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from confmat._options import told
from confmat.display.plot import fonts
from confmat.display.shading import DARK, LIGHT, Palette, hexadecimal, ink, luminance
from confmat.errors import InputError
from confmat.text import middle, printable

__all__ = ["Look", "TextFigure", "figure_of", "laid_out", "look_for", "new_figure", "quiet"]

# Longer titles are cut.
LONGEST_TEXT = 300
# Below this luminance a page is dark.
_DARK_PAGE = 0.18
# SVG keeps text as text, PDF and PostScript embed fonts whole (TrueType), so that text can be searched and edited.
_TEXT = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
# What a style of the user must not change: no mathematics or TeX in labels, no grid over the cells.
_SETTINGS = {"text.usetex": False, "axes.grid": False, "axes.unicode_minus": True, "image.interpolation": "nearest"}


class TextFigure(Figure):
    """A figure whose vector files hold text as text, unlike those of Matplotlib's own settings."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure; `options` are those of Matplotlib."""
        with mpl.rc_context(_TEXT):
            super().savefig(fname, **options)


@dataclass(frozen=True)
class Look:
    """The colours, fonts and sizes of one plot."""

    palette: Palette
    page: str
    text: str
    muted: str
    fonts: tuple[str, ...]
    # Sizes are written for a font size of 10, Matplotlib's own, and follow the user's.
    scale: float = 1.0

    def font(self, size: float, **more: Any) -> dict[str, Any]:
        """What every text is given; a dollar sign in a label starts no mathematics."""
        colour = {"color": self.text} | more
        return {"family": list(self.fonts), "size": size * self.scale, "parse_math": False, **colour}

    def bold(self, text: str, size: float) -> dict[str, Any]:
        """What a heading is given; bold where the first font has all of its letters, since others may have no bold."""
        font = self.font(size)
        if fonts.covers(self.fonts[0], text):
            font |= {"family": [self.fonts[0]], "fontweight": "bold"}
        return font

    def safe(self, text: str) -> str:
        """A text that these fonts can draw."""
        return fonts.drawable(printable(text), self.fonts)

    def wrapped(self, text: str, size: float, room: float) -> str:
        """A text that these fonts can draw, on as many lines as its words take in so many points."""
        if not text:
            return ""
        lines: list[str] = []
        for line in text[: 4 * LONGEST_TEXT].split("\n"):
            lines.append("")
            for word in self.safe(middle(line, LONGEST_TEXT)).split(" "):
                longer = f"{lines[-1]} {word}" if lines[-1] else word
                # Letters may be bold.
                if lines[-1] and 1.1 * self.width([longer], size) > room:
                    lines.append(word)
                else:
                    lines[-1] = longer
        return "\n".join(lines)

    def width(self, texts: Iterable[str], size: float) -> float:
        """Points that the widest of these texts takes."""
        return fonts.width(texts, size * self.scale, self.fonts)


def quiet() -> AbstractContextManager[None]:
    """The settings to draw in; those of the user are the same afterwards."""
    return mpl.rc_context(_SETTINGS)


def figure_of(ax: Axes) -> Any:
    """The whole figure that some axes are in."""
    return ax.get_figure(root=True)


def laid_out(figure: Any, times: int = 1) -> None:
    """Let the layout of a figure find the room of everything, without drawing; where axes are square, it nears."""
    engine = figure.get_layout_engine()
    for _ in range(times if engine is not None else 0):
        engine.execute(figure)


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, known to pyplot, so that notebooks show it and `plt.show()` finds it."""
    from matplotlib import pyplot as plt

    return plt.figure(figsize=(width, height), layout="constrained", FigureClass=TextFigure)


def look_for(face: Any, texts: Iterable[str], cmap: Any = None) -> Look:
    """The look on a page of this colour, with fonts for these texts; `cmap` replaces the colours of cells."""
    solid = colors.to_rgba(face)
    # What shows through is the figure's own page, which is white unless a style says otherwise.
    page = solid[:3] if solid[3] > 0 else colors.to_rgb(mpl.rcParams["figure.facecolor"])
    palette = DARK if luminance(page) < _DARK_PAGE else LIGHT
    # On the palette's own page its darkest or brightest colours are known to read.
    text, muted = ink(page, palette.text), ink(page, palette.muted)
    scale = float(mpl.rcParams["font.size"]) / 10
    names = tuple(fonts.families(texts))
    return Look(_recoloured(palette, cmap), hexadecimal(page), text, muted, names, scale)


def _recoloured(palette: Palette, cmap: Any) -> Palette:
    if cmap is None:
        return palette
    pair = tuple(cmap) if isinstance(cmap, (list, tuple)) else (cmap, cmap)
    if len(pair) != 2:
        msg = f"`cmap` takes one colour map, or one for hits and one for errors, not {len(pair)}"
        raise InputError(msg)
    hit, error = (_stops(one) for one in pair)
    more, less = hit, error
    if hit == error:
        # One map for both signs has its zero in the middle.
        half = len(hit) // 2
        more, less = hit[half:], hit[half::-1]
    return replace(palette, hit=hit, error=error, more=more, less=less)


def _stops(cmap: Any) -> tuple[str, ...]:
    try:
        ramp = mpl.colormaps.get_cmap(cmap)
    except (TypeError, ValueError) as error:
        msg = f"`cmap` takes a colour map of Matplotlib or its name, not {told(cmap)}"
        raise InputError(msg) from error
    return tuple(colors.to_hex(ramp(place / 32)) for place in range(33))

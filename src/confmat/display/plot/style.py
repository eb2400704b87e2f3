"""Style of plots: fonts that have the characters of all labels, colours for light and dark pages, sizes."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib import colors, font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.ft2font import FT2Font

from confmat.core.errors import InputError
from confmat.core.files import unwritten
from confmat.core.options import told
from confmat.core.text import middle, printable
from confmat.display.shading import DARK, LIGHT, Palette, hexadecimal, ink, luminance

# Tried first, because they cover most of what is missing; of the others only those with a name that
# says so.
_PREFERRED = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR", "Microsoft YaHei",
    "PingFang SC", "Hiragino Sans", "Hiragino Sans GB", "Malgun Gothic", "WenQuanYi Micro Hei", "Noto Sans Arabic",
    "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans Symbols", "Noto Sans Symbols 2",
    "Noto Sans Symbols2", "Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Symbola", "Arial Unicode MS",
    "DejaVu Sans",
)  # fmt: skip
# These choose a form of the character before them; no font draws them by themselves.
_SELECTORS = frozenset(map(chr, range(0xFE00, 0xFE10)))
_JOINED = re.compile("(?<=>)\u200d|\u200d(?=<)")
# Characters without a font are named where the name is short enough to read.
_LONGEST_NAME = 24


def families(texts: Iterable[str]) -> list[str]:
    """Names of the fonts to draw these texts with: the user's, then an installed one for each missing character."""
    names = list(_preferred_by_user())
    missing = {char for char in set("".join(texts)) - _SELECTORS if not char.isspace()}
    missing -= {char for name in names for char in _covered_by(name)}
    for name in _fallbacks() if missing else ():
        covered = missing & _covered_by(name)
        if covered:
            names.append(name)
            missing -= covered
        if not missing:
            break
    return names


def _named(char: str) -> str:
    name = unicodedata.name(char, "").lower()
    return (
        f"<{name}>"
        if 0 < len(name) <= _LONGEST_NAME and "ideograph" not in name
        else f"<U+{ord(char):04X}>"
    )


def _preferred_by_user() -> tuple[str, ...]:
    """Installed fonts that the user's settings name; generic names are looked up."""
    wanted = rcParams["font.family"]
    names: list[str] = []
    for family in [wanted] if isinstance(wanted, str) else wanted:
        names += (
            rcParams.get(f"font.{family.lower()}", []) if family.lower() in _GENERIC else [family]
        )
    installed = _installed()
    return tuple(name for name in names if name in installed)[:1] or ("DejaVu Sans",)


_GENERIC = frozenset({"serif", "sans-serif", "cursive", "fantasy", "monospace"})


@cache
def _installed() -> frozenset[str]:
    return frozenset(font_manager.fontManager.get_font_names())


def _fallbacks() -> list[str]:
    installed = _installed()
    others = sorted(
        name for name in installed if name.startswith("Noto Sans ") and "Mono" not in name
    )
    return [name for name in (*_PREFERRED, *others) if name in installed]


@cache
def _covered_by(name: str) -> frozenset[str]:
    """The characters that a font draws; none of a font that Matplotlib cannot open, such as one of coloured bitmaps."""
    try:
        path = font_manager.findfont(
            font_manager.FontProperties(family=[name]), fallback_to_default=False
        )
        if "emoji" in path.lower() and "color" in path.lower():
            return frozenset()
        font = FT2Font(path)
        return frozenset(chr(code) for code, glyph in font.get_charmap().items() if glyph)
    except (OSError, RuntimeError, ValueError):
        return frozenset()


# ---- measuring -----------------------------------------------------------------------------------


@cache
def _measurer() -> RendererAgg:
    # At 72 dots per inch a pixel is a point.
    return RendererAgg(1, 1, 72)


# Longer titles are cut.
LONGEST_TEXT = 300
# Points of the smallest text, and of the largest on paper.
LEAST_POINTS, MOST_ON_PAPER = 6.0, 8.0
# Below this luminance a page is dark.
_DARK_PAGE = 0.18
# SVG keeps text as text, PDF and PostScript embed fonts whole (TrueType), so that text can be
# searched and edited.
_TEXT = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
# Settings that a style of the user must not change: no mathematics or TeX in labels, no grid over
# the cells.
_SETTINGS = {
    "text.usetex": False,
    "axes.grid": False,
    "axes.unicode_minus": True,
    "image.interpolation": "nearest",
}


def _save(figure: Any, fname: Any, **options: Any) -> None:
    """Write a figure, text in vector files as text and its words in PNG, PDF and SVG; options are Matplotlib's."""
    form = options.get("format") or str(getattr(fname, "name", fname)).rpartition(".")[2].lower()
    field = {"png": "Description", "svg": "Title", "pdf": "Subject"}.get(form)
    if field is not None and figure.alt:
        options["metadata"] = {field: figure.alt} | (options.get("metadata") or {})
    try:
        with mpl.rc_context(_TEXT):
            Figure.savefig(figure, fname, **options)
    except OSError as error:
        raise unwritten(
            fname if isinstance(fname, (str, os.PathLike)) else "the figure", error
        ) from None


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
    # On paper, where room is scarce, texts have 6 to 8 points unless the user's settings say
    # otherwise.
    paper: bool = False

    def points(self, size: float) -> float:
        """The size of a text as it is drawn: never too small to read."""
        points = max(size * self.scale, min(LEAST_POINTS, 10 * self.scale))
        return min(points, max(MOST_ON_PAPER, 10 * self.scale)) if self.paper else points

    def font(self, size: float, **more: Any) -> dict[str, Any]:
        """Properties of every text; a dollar sign in a label starts no mathematics."""
        color = {"color": self.text} | more
        return {"family": list(self.fonts), "size": self.points(size), "parse_math": False, **color}

    def bold(self, text: str, size: float) -> dict[str, Any]:
        """Properties of a heading: bold where the first font has all of its letters, since others may have no bold."""
        font = self.font(size)
        if text.isascii() or set(text) - set(" \n") <= _covered_by(self.fonts[0]):
            font |= {"family": [self.fonts[0]], "fontweight": "bold"}
        return font

    def safe(self, text: str) -> str:
        """The text with every character that no font has replaced by its name or number: none is a blank box."""
        text = printable(text)
        if text.isascii():
            return text
        known = frozenset[str]().union(*map(_covered_by, self.fonts))
        parts = [
            char if char in known or char.isspace() else _named(char)
            for char in text
            if char not in _SELECTORS
        ]
        # Joiners between characters that are only named now join nothing.
        return _JOINED.sub("", "".join(parts))

    def wrapped(self, text: str, size: float, room: float) -> str:
        """A text that these fonts can draw, on as many lines as its words take in that width."""
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
        """Points that the widest of these texts takes; of many, the longest are measured."""
        properties = font_manager.FontProperties(family=list(self.fonts), size=self.points(size))
        lines = sorted(
            {line for text in texts for line in text.split("\n")},
            key=lambda line: (len(line), line),
        )[-24:]
        widths = (
            _measurer().get_text_width_height_descent(line, properties, False)[0]
            for line in lines
            if line
        )
        return max(widths, default=0.0)


def quiet() -> AbstractContextManager[None]:
    """The settings to draw in; those of the user are the same afterwards."""
    return mpl.rc_context(_SETTINGS)


def figure_of(ax: Axes) -> Any:
    """The whole figure that some axes are in."""
    return ax.get_figure(root=True)


def inches_of(ax: Axes) -> tuple[float, float]:
    """Width and height of the place that some axes have in their figure, names and all."""
    spec, size = ax.get_subplotspec(), figure_of(ax).get_size_inches()
    parts = [ax.get_position().width, ax.get_position().height]
    if spec is not None:
        grid = spec.get_gridspec()
        ratios = (
            (np.array(grid.get_width_ratios()), spec.colspan),
            (np.array(grid.get_height_ratios()), spec.rowspan),
        )
        parts = [float(all_[list(taken)].sum() / all_.sum()) for all_, taken in ratios]
    return float(size[0] * parts[0]), float(size[1] * parts[1])


def laid_out(figure: Any, times: int = 1) -> None:
    """Let the layout of a figure find the room of everything, without drawing; where axes are square, it nears."""
    engine = figure.get_layout_engine()
    for _ in range(times if engine is not None else 0):
        engine.execute(figure)


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches, known to pyplot, so that notebooks show it and `plt.show()` finds it.

    `alt` is the drawing in words, which its files carry.
    """
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(width, height), layout="constrained")
    # Others look at the class of a figure, so that it is Matplotlib's own.
    vars(figure).update(alt="", savefig=partial(_save, figure))
    return figure


class Room(NamedTuple):
    """The size in inches that a figure has, names and all; without a height, as high as it needs."""

    width: float
    height: float | None = None


# Inches of a column and of a page of most journals.
_WIDTHS = {"column": 3.3, "page": 7.0}


def room(ax: Any, width: Any, figsize: Any) -> Any:
    """The axes to draw into, or the room of a new figure if it was asked for: here, or in the user's settings."""
    choices = {"ax": ax, "width": width, "figsize": figsize}
    given = [name for name, value in choices.items() if value is not None]
    if len(given) > 1:
        msg = f"`{given[0]}` and `{given[1]}` both say how large a drawing is: give one of them"
        raise InputError(msg)
    if not given and rcParams["figure.figsize"] != mpl.rcParamsDefault["figure.figsize"]:
        figsize = rcParams["figure.figsize"]
    if figsize is not None:
        return _room(figsize, 2, figsize, "`figsize` takes a width and a height in inches")
    if width is None:
        return ax
    known = "`width` takes 'column' (3.3 inches), 'page' (7 inches) or a number of inches"
    return _room([_WIDTHS.get(width, width) if isinstance(width, str) else width], 1, width, known)


def _room(sides: Any, many: int, asked: Any, known: str) -> Room:
    """The room of one or two sides, checked."""
    try:
        found = [float(side) for side in sides]
    except (TypeError, ValueError):
        found = []
    if len(found) != many or not all(1 <= side <= 100 for side in found):
        msg = f"{known}, from 1 to 100, not {told(asked)}"
        raise InputError(msg)
    return Room(*found)


def look_for(face: Any, texts: Iterable[str], cmap: Any = None, *, paper: bool = False) -> Look:
    """The look on a page of this colour, with fonts for these texts; `cmap` replaces the colours of cells."""
    solid = colors.to_rgba(face)
    # The figure's own page shows through, which is white unless a style says otherwise.
    page = solid[:3] if solid[3] > 0 else colors.to_rgb(mpl.rcParams["figure.facecolor"])
    palette = DARK if luminance(page) < _DARK_PAGE else LIGHT
    # On the palette's own page its darkest or brightest colours are known to read.
    text, muted = ink(page, palette.text), ink(page, palette.muted)
    scale = float(mpl.rcParams["font.size"]) / 10
    if paper and rcParams["font.size"] == mpl.rcParamsDefault["font.size"]:
        scale = 0.75
    names = tuple(families(texts))
    return Look(_recolored(palette, cmap), hexadecimal(page), text, muted, names, scale, paper)


def _recolored(palette: Palette, cmap: Any) -> Palette:
    if cmap is None:
        return palette
    pair = tuple(cmap) if isinstance(cmap, (list, tuple)) else (cmap, cmap)
    if len(pair) != 2:
        msg = f"`cmap` takes one colour map, or one for hits and one for errors, not {len(pair)}"
        raise InputError(msg)
    hit, error = (_stops(ramp) for ramp in pair)
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

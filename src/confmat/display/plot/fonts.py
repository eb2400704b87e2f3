"""Fonts for labels: those of the user, and behind them installed ones for characters that these lack."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache

from matplotlib import font_manager, rcParams
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.ft2font import FT2Font

__all__ = ["covers", "drawable", "families", "width"]

# Tried first, because they cover most of what is missing; of the others only those with a name that says so.
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
    found = list(_own())
    missing = set("".join(texts)) - {char for name in found for char in _covered_by(name)} - _SELECTORS
    missing = {char for char in missing if not char.isspace()}
    for name in _fallbacks() if missing else ():
        if name in found:
            continue
        covered = missing & _covered_by(name)
        if covered:
            found.append(name)
            missing -= covered
        if not missing:
            break
    return found


def covers(name: str, text: str) -> bool:
    """Whether a font draws every character of a text."""
    return text.isascii() or set(text) - set(" \n") <= _covered_by(name)


def drawable(text: str, names: Sequence[str]) -> str:
    """The text with every character that no font has replaced by its name or number, so that none is a blank box."""
    if text.isascii():
        return text
    known = frozenset[str]().union(*map(_covered_by, names))
    parts = [char if char in known or char.isspace() else _named(char) for char in text if char not in _SELECTORS]
    # What joined characters that are only named now joins nothing.
    return _JOINED.sub("", "".join(parts))


def _named(char: str) -> str:
    name = unicodedata.name(char, "").lower()
    return f"<{name}>" if 0 < len(name) <= _LONGEST_NAME and "ideograph" not in name else f"<U+{ord(char):04X}>"


def _own() -> tuple[str, ...]:
    """What the user's settings mean, as names of fonts that are installed; generic names are looked up."""
    wanted = rcParams["font.family"]
    names: list[str] = []
    for family in [wanted] if isinstance(wanted, str) else wanted:
        names += rcParams.get(f"font.{family.lower()}", []) if family.lower() in _GENERIC else [family]
    installed = _installed()
    return tuple(name for name in names if name in installed)[:1] or ("DejaVu Sans",)


_GENERIC = frozenset({"serif", "sans-serif", "cursive", "fantasy", "monospace"})


@cache
def _installed() -> frozenset[str]:
    return frozenset(font_manager.fontManager.get_font_names())


def _fallbacks() -> list[str]:
    installed = _installed()
    others = sorted(name for name in installed if name.startswith("Noto Sans ") and "Mono" not in name)
    return [name for name in (*_PREFERRED, *others) if name in installed]


@cache
def _covered_by(name: str) -> frozenset[str]:
    """The characters that a font draws; none of a font that Matplotlib cannot open, such as one of coloured bitmaps."""
    try:
        path = font_manager.findfont(font_manager.FontProperties(family=[name]), fallback_to_default=False)
        if "emoji" in path.lower() and "color" in path.lower():
            return frozenset()
        font = FT2Font(path)
        return frozenset(chr(code) for code, glyph in font.get_charmap().items() if glyph)
    except (OSError, RuntimeError, ValueError):
        return frozenset()


# ---- measuring ---------------------------------------------------------------------------------------------


@cache
def _measurer() -> RendererAgg:
    # At 72 dots per inch a pixel is a point.
    return RendererAgg(1, 1, 72)


def width(texts: Iterable[str], size: float, names: Sequence[str]) -> float:
    """Points that the widest of these texts takes in a size; of many, the longest are measured."""
    properties = font_manager.FontProperties(family=list(names), size=size)
    lines = sorted({line for text in texts for line in text.split("\n")}, key=len)[-24:]
    widths = (_measurer().get_text_width_height_descent(line, properties, False)[0] for line in lines if line)
    return max(widths, default=0.0)

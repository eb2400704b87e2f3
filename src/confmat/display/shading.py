"""How dark a cell is and in which colour: the rules that every drawing of a matrix shares, as plain numbers.

**Two scales.** Hits and errors are shaded apart, each up to its own largest value, so a large diagonal cannot
drown a small error. **A root.** A cell is as dark as the square root of its share of that largest value: one
hundredth of it is still a tenth as dark. **A floor.** Whatever is not zero is never as pale as zero.

Hits are blue and errors are orange, which stay apart under every common colour blindness, and the ink on them is
chosen by contrast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DARK", "FAINTEST", "LIGHT", "Palette", "contrast", "hexadecimal", "ink", "luminance", "mixed", "shaded"]

Array = NDArray[Any]
Colour = tuple[float, float, float]

# The shade of the smallest value that is not zero, on a scale from 0 to 1.
FAINTEST = 0.08
# Least contrast of small text with what lies behind it (WCAG 2.2, level AA).
LEAST_CONTRAST = 4.5


def shaded(values: Array, tops: Array | float) -> Array:
    """Shades from 0 to 1, or from -1 to 1 where values are below zero: the root of the share of the largest value.

    Zero is 0, NaN stays NaN, and anything else is at least `FAINTEST`; beyond the largest value it is 1.

    >>> shaded(np.array([0.0, 1.0, 25.0, 100.0, -100.0]), 100.0).round(3).tolist()
    [0.0, 0.172, 0.54, 1.0, -1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.minimum(np.abs(values) / tops, 1.0)
        dark = np.sign(values) * (FAINTEST + (1 - FAINTEST) * np.sqrt(part))
    return np.where(values == 0, 0.0, dark)


# ---- colours -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Palette:
    """The colours of a drawing, each a ramp of stops from nothing to the largest value.

    `page` lies behind everything and `text` is written on it; `muted` is for what may stand back.
    """

    page: str
    text: str
    muted: str
    line: str
    hit: tuple[str, ...]
    error: tuple[str, ...]
    folded: tuple[str, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    tp: tuple[str, ...]
    fp: tuple[str, ...]
    fn: tuple[str, ...]
    tn: tuple[str, ...]
    empty: str


_BLUES = ("#f6f8fa", "#cfe1f2", "#93c1e3", "#4a94cb", "#1a66a6", "#0b3d73")
_ORANGES = ("#f6f8fa", "#fee0c2", "#fdb97d", "#f58a3c", "#d55f0c", "#9a3a04")
_GREYS = ("#f6f8fa", "#dfe3e8", "#c2c9d1", "#a0a9b4", "#7d8793", "#5d6773")
_PURPLES = ("#f6f8fa", "#e6dcf0", "#cbb3e0", "#a985c9", "#8459ae", "#5f358a")
LIGHT = Palette(
    page="#ffffff", text="#1b1f24", muted="#656d76", line="#d0d7de",
    hit=_BLUES, error=_ORANGES, folded=_GREYS, more=_BLUES, less=_ORANGES,
    tp=_BLUES, fp=_ORANGES, fn=_PURPLES, tn=_GREYS, empty="#eceff2",
)  # fmt: skip

_DARK_BLUES = ("#1c2128", "#173a5c", "#1b5a91", "#3181c4", "#62aae6", "#a6d3f8")
_DARK_ORANGES = ("#1c2128", "#4d2a10", "#86430f", "#c66419", "#f0923f", "#fcc794")
_DARK_GREYS = ("#1c2128", "#30363f", "#474f59", "#626b76", "#818b97", "#a8b1bc")
_DARK_PURPLES = ("#1c2128", "#3a2a52", "#5b4085", "#7f5fb0", "#a58ad1", "#cdbdea")
DARK = Palette(
    page="#0d1117", text="#e6edf3", muted="#8b949e", line="#373e47",
    hit=_DARK_BLUES, error=_DARK_ORANGES, folded=_DARK_GREYS, more=_DARK_BLUES, less=_DARK_ORANGES,
    tp=_DARK_BLUES, fp=_DARK_ORANGES, fn=_DARK_PURPLES, tn=_DARK_GREYS, empty="#262c34",
)  # fmt: skip


def _parsed(code: str) -> Colour:
    return tuple(int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


def mixed(ramp: tuple[str, ...], shade: float) -> Colour:
    """The colour of a ramp at a shade from 0 to 1, as red, green and blue from 0 to 1.

    >>> hexadecimal(mixed(("#000000", "#ffffff"), 0.5))
    '#808080'
    """
    place = min(max(shade, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    part = place - low
    pairs = zip(_parsed(ramp[low]), _parsed(ramp[low + 1]), strict=True)
    return tuple(a + (b - a) * part for a, b in pairs)  # type: ignore[return-value]


def hexadecimal(colour: Colour) -> str:
    """A colour as HTML, SVG and terminals write it."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in colour)


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2.2 defines it: 0 is black, 1 is white."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """How far two colours are apart in luminance, from 1 to 21 (WCAG 2.2).

    >>> contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def ink(behind: Colour, wanted: str = "#1b1f24") -> str:
    """The colour to write in on another: the wanted one where it reads, otherwise white or black, whichever does.

    One of the two always has a contrast of 4.58 or more.

    >>> ink((1.0, 1.0, 1.0)), ink((0.04, 0.24, 0.45))
    ('#1b1f24', '#ffffff')
    """
    if contrast(_parsed(wanted), behind) >= LEAST_CONTRAST:
        return wanted
    return max(("#ffffff", "#000000"), key=lambda code: contrast(_parsed(code), behind))

"""How dark a cell is and in which colour: the rules that every drawing of a matrix shares, as plain numbers.

**Evidence first.** Errors that are not shown to be more than the other errors explain have one pale
tone, and those that are shown begin at `LOUD`, however small. **Two scales.** Hits and errors are
shaded apart, each up to its own largest value, so a large diagonal cannot drown a small error. **A
floor.** The errors' scale reaches to a tenth of a class at least: an error of 0.6 % never looks
like one of 10 %, however good the model is. **A root.** A cell is as dark as the square root of its
share of that largest value: one hundredth of it is still a tenth as dark, and nothing but zero is
as pale as zero.

Hits are blue and errors are orange, which stay apart under every common colour blindness, and the
ink on them is chosen by contrast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.display.roles import OBSERVED, Role

Array = NDArray[Any]
Color = tuple[float, float, float]

# The faintest tint of a cell of an observed class, whose role is to be seen.
LEAST_TINT = 0.22
# The shade at which errors begin that are shown to hold: 40 and more from paper, as CIEDE2000
# measures.
LOUD = 0.8
# Least contrast of small text with what lies behind it (WCAG 2.2, level AA).
LEAST_CONTRAST = 4.5


# ---- colours -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Palette:
    """The colours of a drawing, each a ramp of stops from nothing to the largest value.

    `page` lies behind everything and `text` is written on it; `muted` is for what may be pale.
    """

    page: str
    text: str
    muted: str
    line: str
    hit: tuple[str, ...]
    error: tuple[str, ...]
    quiet: str
    folded: tuple[str, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    tp: tuple[str, ...]
    fp: tuple[str, ...]
    fn: tuple[str, ...]
    tn: tuple[str, ...]
    empty: str

    def ramps(self) -> dict[Role, tuple[str, ...]]:
        """The ramp of every role that a cell can have."""
        wrong = dict.fromkeys((Role.ERROR, Role.OUTSIDE), self.error)
        nobodys = dict.fromkeys((Role.FOLDED, Role.NEUTRAL), self.folded) | {
            Role.OPEN: (self.quiet, self.quiet)
        }
        observed = {Role.TP: self.tp, Role.FP: self.fp, Role.FN: self.fn, Role.TN: self.tn}
        return {Role.HIT: self.hit} | nobodys | wrong | observed


_BLUES = ("#f6f8fa", "#cfe1f2", "#93c1e3", "#4a94cb", "#1a66a6", "#0b3d73")
_ORANGES = ("#f6f8fa", "#fde6d2", "#fbc79d", "#f39a5c", "#e2621a", "#b94a06")
_PALE_ORANGES = ("#f6f8fa", "#fde6d2", "#fcd3b3", "#f9b384", "#f18d51", "#e2621a")
_DEEP_ORANGES = ("#f6f8fa", "#fee0c2", "#fdb97d", "#f58a3c", "#d55f0c", "#8f3703")
_GRAYS = ("#f6f8fa", "#dfe3e8", "#c2c9d1", "#a0a9b4", "#7d8793", "#5d6773")
# Found by a search for what stays apart from blue, orange and pale grey for every eye.
_REDS = ("#f6f8fa", "#ebccd0", "#dea1aa", "#cd7787", "#ba4a64", "#982547")
_PALE_GRAYS = ("#f6f8fa", "#e9ecef", "#dbdfe4", "#ccd2d8", "#bcc4cc", "#abb4be")
LIGHT = Palette(
    page="#ffffff", text="#1b1f24", muted="#656d76", line="#d0d7de",
    hit=_BLUES, error=_ORANGES, quiet="#f5ebe1", folded=_GRAYS, more=_BLUES, less=_DEEP_ORANGES,
    tp=_BLUES, fp=_PALE_ORANGES, fn=_REDS, tn=_PALE_GRAYS, empty="#eceff2",
)  # fmt: skip

_DARK_BLUES = ("#1c2128", "#173a5c", "#1b5a91", "#3181c4", "#62aae6", "#a6d3f8")
_DARK_ORANGES = ("#1c2128", "#3d2614", "#6b3a12", "#a05218", "#d17428", "#f0923f")
_DARK_DEEP_ORANGES = ("#1c2128", "#4d2a10", "#86430f", "#c66419", "#f0923f", "#fcc794")
_DARK_GRAYS = ("#1c2128", "#30363f", "#474f59", "#626b76", "#818b97", "#a8b1bc")
_DARK_SANDS = ("#1c2128", "#443e32", "#6b6046", "#95845a", "#c1aa6f", "#ecd292")
_DIM_GRAYS = ("#1c2128", "#2c3239", "#3c424a", "#4b535c", "#5b636d", "#6b747e")
DARK = Palette(
    page="#0d1117", text="#e6edf3", muted="#8b949e", line="#373e47",
    hit=_DARK_BLUES, error=_DARK_ORANGES, quiet="#262523", folded=_DARK_GRAYS,
    more=_DARK_BLUES, less=_DARK_DEEP_ORANGES,
    tp=_DARK_BLUES, fp=_DARK_ORANGES, fn=_DARK_SANDS, tn=_DIM_GRAYS, empty="#262c34",
)  # fmt: skip


def parsed(code: str) -> Color:
    """A colour written as #rrggbb."""
    return tuple(int(code[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


def mixed(ramp: tuple[str, ...], shade: float) -> Color:
    """The colour of a ramp at a shade from 0 to 1, as red, green and blue from 0 to 1.

    >>> hexadecimal(mixed(("#000000", "#ffffff"), 0.5))
    '#808080'
    """
    place = min(max(shade, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    part = place - low
    pairs = zip(parsed(ramp[low]), parsed(ramp[low + 1]), strict=True)
    return tuple(a + (b - a) * part for a, b in pairs)  # type: ignore[return-value]


def painted(
    shades: Array, roles: NDArray[np.uint8], palette: Palette, *, difference: bool = False
) -> Array:
    """The colour of every cell, (rows, columns, 3), from 0 to 1.

    In a difference the sign chooses the ramp of a cell that is not open, otherwise the role. Cells
    of an observed class show their role even where they are zero.
    """
    colors = np.empty((*shades.shape, 3))
    colors[...] = parsed(palette.empty)
    known = ~np.isnan(shades)
    if difference:
        hued = roles != Role.OPEN
        signs = (
            (palette.more, hued & (shades >= 0)),
            (palette.less, hued & (shades < 0)),
            (palette.folded, ~hued),
        )
        for ramp, there in signs:
            colors[there & known] = _along(ramp, np.abs(shades[there & known]))
        return colors
    for role, ramp in palette.ramps().items():
        there = known & (roles == role)
        dark = shades[there]
        colors[there] = _along(
            ramp, LEAST_TINT + (1 - LEAST_TINT) * dark if role in OBSERVED else dark
        )
    return colors


def _along(ramp: tuple[str, ...], shades: Array) -> Array:
    stops = np.array([parsed(code) for code in ramp])
    places = np.linspace(0.0, 1.0, len(stops))
    return np.stack([np.interp(shades, places, stops[:, part]) for part in range(3)], axis=-1)


def hexadecimal(color: Color) -> str:
    """A colour as HTML, SVG and terminals write it."""
    return "#" + "".join(f"{round(255 * part):02x}" for part in color)


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.2 defines it: 0 is black, 1 is white."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Color, second: Color) -> float:
    """How far two colours are apart in luminance, from 1 to 21 (WCAG 2.2).

    >>> contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    21.0
    """
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def ink(behind: Color, wanted: str = "#1b1f24") -> str:
    """The colour to write in on another: the wanted one where it reads, otherwise white or black, whichever does.

    One of the two always has a contrast of 4.58 or more.

    >>> ink((1.0, 1.0, 1.0)), ink((0.04, 0.24, 0.45))
    ('#1b1f24', '#ffffff')
    """
    if contrast(parsed(wanted), behind) >= LEAST_CONTRAST:
        return wanted
    return max(("#ffffff", "#000000"), key=lambda code: contrast(parsed(code), behind))

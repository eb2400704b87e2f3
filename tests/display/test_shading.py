"""Shades and colours: readable ink everywhere, and hues that stay apart for every eye."""

from __future__ import annotations

import itertools
import re
from importlib.resources import files
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat.core.printing import DARKEST_ERROR, shaded
from confmat.display.roles import Role
from confmat.display.shading import (
    DARK,
    LEAST_CONTRAST,
    LIGHT,
    LOUD,
    Palette,
    contrast,
    ink,
    luminance,
    mixed,
    painted,
    parsed,
)

PALETTES = {"light": LIGHT, "dark": DARK}
RAMPS = ("hit", "error", "folded", "more", "less", "tp", "fp", "fn", "tn")

# Simulation matrices of Machado, Oliveira & Fernandes (2009, doi:10.1109/TVCG.2009.113), severity
# 1.
DEFICIENCIES = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("name", RAMPS)
def test_ink_is_readable_on_every_shade(palette: Palette, name: str) -> None:
    for shade in np.linspace(0, 1, 101):
        behind = mixed(getattr(palette, name), shade)
        for wanted in (palette.text, palette.muted):
            assert contrast(parsed(ink(behind, wanted)), behind) >= LEAST_CONTRAST


@given(st.tuples(*[st.floats(0, 1)] * 3))
def test_black_or_white_is_readable_on_every_color(behind: Any) -> None:
    assert contrast(parsed(ink(behind)), behind) >= LEAST_CONTRAST


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("name", RAMPS)
def test_a_ramp_runs_one_way(palette: Palette, name: str) -> None:
    lights = [luminance(mixed(getattr(palette, name), shade)) for shade in np.linspace(0, 1, 50)]
    steps = np.diff(lights)
    assert (steps < 0).all() if palette is LIGHT else (steps > 0).all()


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
@pytest.mark.parametrize("eye", DEFICIENCIES)
def test_roles_of_an_observed_class_differ_for_every_eye(palette: Palette, eye: str) -> None:
    simulate = np.array(DEFICIENCIES[eye])
    for shade in (0.4, 0.7, 1.0):
        seen = [
            lab(simulate @ linear(mixed(getattr(palette, name), shade)))
            for name in ("tp", "fp", "fn", "tn")
        ]
        for one, other in itertools.combinations(seen, 2):
            assert np.linalg.norm(one - other) > 15


def ramps_of_the_page(theme: str) -> dict[str, list[str]]:
    """The ramps that the page draws with."""
    code = (files("confmat.display.page") / "colours.js").read_text(encoding="utf-8")
    block = code.split(f"{theme}: {{")[1].split("},")[0]
    return {
        name: re.findall("#[0-9a-f]{6}", line)
        for name, line in re.findall(r"(\w+): \[(.*?)\]", block)
    }


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("eye", ["every", *DEFICIENCIES])
def test_colors_within_one_picture_differ_for_every_eye(theme: str, eye: str) -> None:
    """Better and worse are the ends of one ramp; on paper they have those of the palette."""
    page, drawn = ramps_of_the_page(theme), PALETTES[theme]
    simulate = np.array(DEFICIENCIES.get(eye, np.eye(3)))
    pictures = [
        [page[name][-1] for name in ("hit", "error", "missed", "ghost")],
        [page["difference"][0], page["difference"][-1]],
        [drawn.hit[-1], drawn.error[-1]],
        [drawn.more[-1], drawn.less[-1]],
    ]
    for colors in pictures:
        for pair in itertools.combinations(colors, 2):
            one, other = (lab(simulate @ linear(parsed(code))) for code in pair)
            assert np.linalg.norm(one - other) >= 30


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_noise_is_quiet_and_what_is_shown_is_not(palette: Palette) -> None:
    paper, quiet = (lab(linear(parsed(code))) for code in (palette.hit[0], palette.quiet))
    assert 4 <= np.linalg.norm(paper - quiet) <= 9
    assert all(
        np.linalg.norm(paper - lab(linear(mixed(palette.error, shade)))) >= 80
        for shade in np.linspace(LOUD, 1, 20)
    )


def linear(color: Any) -> Any:
    return np.array(
        [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color]
    )


def lab(rgb: Any) -> Any:
    """CIE L*a*b* of linear sRGB, white point D65; a distance of about 2 is just seen."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.clip(to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089]), 0, None)
    fx, fy, fz = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z)
    )
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=20))
def test_more_is_never_paler(values: list[float]) -> None:
    ordered = np.sort(np.abs(np.array(values)))
    shades = shaded(ordered, float(ordered[-1]) or 1.0)
    assert (np.diff(shades) >= 0).all()
    assert np.array_equal(shaded(-ordered, float(ordered[-1]) or 1.0), -shades)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_one_error_in_a_thousand_is_nearly_paper_and_still_seen(palette: Palette) -> None:
    paper, thousandth, tenth = (
        lab(linear(mixed(palette.error, float(shade))))
        for shade in shaded(np.array([0, 0.001, 0.1]), DARKEST_ERROR)
    )
    # A distance of 2.3 is just seen.
    assert 2.3 < np.linalg.norm(thousandth - paper) < 0.25 * np.linalg.norm(tenth - paper)


def test_colors_follow_the_role_or_the_sign() -> None:
    shades = np.array([[1.0, 1.0, np.nan], [0.0, 0.0, 1.0]])
    roles = np.array(
        [[Role.HIT, Role.ERROR, Role.EMPTY], [Role.HIT, Role.TP, Role.TN]], dtype=np.uint8
    )
    colors = painted(shades, roles, LIGHT)
    assert colors[0].tolist() == [
        list(parsed(code)) for code in (LIGHT.hit[-1], LIGHT.error[-1], LIGHT.empty)
    ]
    # The role of an observed class is seen even where nothing is.
    assert colors[1, 1].tolist() != list(parsed(LIGHT.tp[0]))
    both = painted(np.array([[1.0, -1.0]]), np.zeros((1, 2), np.uint8), LIGHT, difference=True)
    assert both[0].tolist() == [list(parsed(LIGHT.more[-1])), list(parsed(LIGHT.less[-1]))]

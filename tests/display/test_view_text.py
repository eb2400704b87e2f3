"""Names cut short: within their room, and never two alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from confmat.core.text import display_width, middle, shortened


@given(st.text(st.characters(categories=["L", "N", "P"]), max_size=60), st.integers(3, 40))
def test_a_cut_line_fits(text: str, width: int) -> None:
    assert display_width(middle(text, width)) <= width
    if display_width(text) <= width:
        assert middle(text, width) == text


@given(st.lists(st.text("ab", min_size=1, max_size=40), unique=True, max_size=20), st.integers(8, 20))
def test_names_that_differ_never_look_alike(names: list[str], width: int) -> None:
    short = shortened(names, width)
    assert len(set(short)) == len(names)


def test_long_names_keep_their_ends() -> None:
    names = ["lung_adenocarcinoma_stage_I", "lung_adenocarcinoma_stage_II", "lung_squamous_cell_carcinoma"]
    assert shortened(names, 14) == ["lung_ad…tage_I", "lung_ad…age_II", "lung_sq…cinoma"]


def test_names_that_differ_in_their_middle_get_more_room() -> None:
    names = ["a" * 20 + "x" + "b" * 20, "a" * 20 + "y" + "b" * 20]
    one, other = shortened(names, 20)
    assert one != other


def test_wide_characters_count_twice() -> None:
    assert middle("猫猫猫猫猫猫", 7) == "猫…猫"

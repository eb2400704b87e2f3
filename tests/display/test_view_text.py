"""Names cut short: within their room, and never two alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from confmat.core.text import display_width, key_of, middle, shortened, undressed


@given(st.text(st.characters(categories=["L", "N", "P"]), max_size=60), st.integers(3, 40))
def test_a_cut_line_fits(text: str, width: int) -> None:
    assert display_width(middle(text, width)) <= width
    if display_width(text) <= width:
        assert middle(text, width) == text


@given(
    st.lists(st.text("ab", min_size=1, max_size=40), unique=True, max_size=20), st.integers(8, 20)
)
def test_names_that_differ_never_look_alike(names: list[str], width: int) -> None:
    short = shortened(names, width)
    assert len(set(short)) == len(names)


def test_long_names_keep_their_ends() -> None:
    names = [
        "lung_adenocarcinoma_stage_I",
        "lung_adenocarcinoma_stage_II",
        "lung_squamous_cell_carcinoma",
    ]
    assert shortened(names, 14) == ["adenoca…tage_I", "adenoca…age_II", "squamou…cinoma"]
    assert key_of(names, 14) == 'names without "lung_" in front'
    assert (shortened(names, 28), key_of(names, 28)) == (names, "")


@given(
    st.lists(st.text("ab1 _", min_size=1, max_size=40), unique=True, min_size=1, max_size=12),
    st.integers(4, 30),
)
def test_what_all_names_share_is_dropped_in_whole_words(names: list[str], width: int) -> None:
    bare, said = undressed(names)
    assert len(set(bare)) == len(names)
    assert all(one and one in name for one, name in zip(bare, names, strict=True))
    assert bool(said) == (bare != names)


def test_names_that_look_alike_keep_the_words_that_differ() -> None:
    names = ["Tumour of the lung, left upper lobe", "Tumour of the lung, right upper lobe", "Cough"]
    assert shortened(names, 16) == ["…left upper lobe", "…right…", "Cough"]
    names = [
        "a very long beginning x and the same end of it",
        "a very long beginning y and the same end of it",
        "z",
    ]
    assert shortened(names, 8) == ["…x…", "…y…", "z"]


def test_codes_in_front_of_every_name_are_dropped_where_the_rest_tells_them_apart() -> None:
    names = ["n01440764 great grey owl", "n01443537 tawny owl", "n01484850 retriever"]
    assert shortened(names, 15) == ["great grey owl", "tawny owl", "retriever"]
    assert key_of(names, 15) == "names without their codes, such as n01440764"
    assert shortened(["page 1 of 2", "page 2 of 2"], 9) == ["1", "2"]
    assert shortened(["1 red cat", "2 red cat"], 8) == ["1", "2"]


def test_names_that_differ_in_their_middle_get_more_room() -> None:
    names = ["a" * 20 + "x" + "b" * 20, "a" * 20 + "y" + "b" * 20]
    one, other = shortened(names, 20)
    assert one != other


def test_wide_characters_count_twice() -> None:
    assert middle("猫猫猫猫猫猫", 7) == "猫…猫"

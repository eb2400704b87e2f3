"""Text: what is safe to print, how wide it is, and tables that line up."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat.core.text import (
    abridge,
    display_width,
    fit,
    isolated,
    middle,
    number,
    printable,
    some,
)

ANY_TEXT = st.text(st.characters(), max_size=30)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("cat", "cat"),
        ("", '""'),
        ("\x9b31m", "\\x9b31m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("line\u2028end\u2029", "line\\u2028end\\u2029"),
        ("no\u00a0break", "no\u00a0break"),
        ("שלום", "שלום"),
        (b"a\xff", "b'a\\xff'"),
        (("a", 1), "('a', 1)"),
        (-3, "-3"),
        (Decimal("1.10"), "1.10"),
    ],
)
def test_printable(value: Any, shown: str) -> None:
    assert printable(value) == shown


@given(ANY_TEXT)
def test_nothing_printable_moves_the_cursor(label: str) -> None:
    shown = printable(label)
    assert shown
    shown.encode("utf-8")
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)


@pytest.mark.parametrize(
    ("line", "width"),
    [("", 0), ("abc", 3), ("e\u0301", 1), ("😀", 2)],
)
def test_display_width(line: str, width: int) -> None:
    assert display_width(line) == width


@given(ANY_TEXT, st.integers(1, 12))
def test_fit_never_exceeds_its_width_and_marks_the_cut(line: str, width: int) -> None:
    cut = fit(line, width)
    assert display_width(cut) <= width
    if display_width(line) <= width:
        assert cut == line
    else:
        assert cut.endswith("…")
        assert line.startswith(cut[:-1])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (3.0, "3"),
        (1e15, "1e+15"),
        (0.1 + 0.2, "0.3"),
        (5e-324, "4.94066e-324"),
    ],
)
def test_number(value: float, shown: str) -> None:
    assert number(value) == shown


def test_some_is_short_and_safe() -> None:
    assert some([]) == ""
    assert some([1, "a"]) == "1, 'a'"
    assert some(range(6)) == "0, 1, 2, 3, 4, ..."
    assert some(range(5)) == "0, 1, 2, 3, 4"
    assert some(["\x1b"]) == "'\\x1b'"
    assert len(some(["x" * 10**5] * 3, 2)) == 2 * 60 + len(", ") + len(", ...")


@given(st.integers(0, 60), st.integers(1, 5), st.integers(1, 5))
def test_abridge_shows_both_ends_and_one_gap(count: int, head: int, tail: int) -> None:
    places = abridge(count, head, tail)
    if None in places:
        assert len(places) == head + 1 + tail < count
        assert places == [*range(head), None, *range(count - tail, count)]
    else:
        assert places == list(range(count))


FAMILY = "👩\u200d👩\u200d👧"


@pytest.mark.parametrize(
    ("line", "width"),
    [
        (FAMILY, 2),
        ("❤\ufe0f", 2),
        ("🇩🇪🇫🇷", 4),
        ("\u1112\u1161\u11ab", 2),
        ("\u2068אב\u2069", 2),
        ("a\ufe0f", 1),
    ],
)
def test_what_is_drawn_as_one_has_one_width(line: str, width: int) -> None:
    assert display_width(line) == width


def test_every_emoji_is_as_wide_as_rich_says() -> None:
    cells = pytest.importorskip(
        "rich.cells", reason="Rich, whose widths these are, is not installed"
    )
    codes = pytest.importorskip(
        "rich._emoji_codes", reason="Rich, whose emoji these are, is not installed"
    )
    if not hasattr(cells, "split_graphemes"):
        pytest.skip("this version of Rich adds up what is drawn as one")
    # A tone of skin alone is drawn as any other emoji.
    known = [text for text in codes.EMOJI.values() if text not in "🏻🏼🏽🏾🏿"]
    assert len(known) > 3000
    assert [text for text in known if display_width(text) != cells.cell_len(text)] == []


@pytest.mark.parametrize(
    "label", [FAMILY, "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "می\u200cخواهم", "क्\u200dष"]
)
def test_joiners_stay_where_they_belong(label: str) -> None:
    assert printable(label) == label


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("a\u200db", "a\\u200db"),
        ("\u200d👧", "\\u200d👧"),
        ("a\u200cb", "a\\u200cb"),
        ("👧\u200d\u200d👧", "👧\\u200d\\u200d👧"),
    ],
)
def test_joiners_elsewhere_are_shown(label: str, shown: str) -> None:
    assert printable(label) == shown


def test_nothing_that_is_drawn_as_one_is_cut_apart() -> None:
    line = FAMILY * 3
    assert fit(line, 5) == FAMILY * 2 + "…"
    assert middle(line, 5) == FAMILY + "…" + FAMILY
    assert middle("e\u0301" * 9, 4) == "e\u0301e\u0301…e\u0301"


@given(ANY_TEXT, st.integers(1, 12))
def test_middle_never_exceeds_its_width_and_keeps_both_ends(line: str, width: int) -> None:
    cut = middle(line, width)
    assert display_width(cut) <= width
    if cut != line:
        head, _, tail = cut.rpartition("…") if cut.count("…") == 1 else (cut, "", "")
        assert not tail or line.endswith(tail)
        assert not tail or line.startswith(head)


def test_marks_without_end_are_cut_although_they_take_no_room() -> None:
    assert len(middle("e" + "\u0301" * 10**4, 12)) < 100
    assert middle("x" * 10**4, 12) == "xxxxxx…xxxxx"


@pytest.mark.parametrize("line", ["cat", "naïve", "猫", "😀"])
def test_what_runs_from_left_to_right_is_left_alone(line: str) -> None:
    assert isolated(line) == line


@pytest.mark.parametrize("line", ["חתול", "كلب", "cat חתול", "٣"])
def test_what_runs_from_right_to_left_is_isolated(line: str) -> None:
    assert isolated(line) == f"\u2068{line}\u2069"
    assert display_width(isolated(line)) == display_width(line)

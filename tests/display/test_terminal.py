"""The terminal: what is printed at each size and width, and when it is coloured."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import confmat as cm
from confmat.core.text import WIDTH, display_width
from confmat.display.shading import DARK, LIGHT
from confmat.display.terminal import has_colors, lines_of, palette_for
from confmat.display.terminal_layout import plain, report_lines
from tests.animals import ANIMALS as M

CIFAR = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b-\u200f]")


def printed(thing: Any, *, color: bool | None = False, **choices: Any) -> str:
    stream = io.StringIO()
    cm.show(thing, color=color, file=stream, **choices)
    return stream.getvalue()


def text(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


def spread(size: int, count: int = 100) -> cm.ConfusionMatrix:
    """Hits fall from class to class, and class i is taken for the next most."""
    table = np.ones((size, size), dtype=int)
    np.fill_diagonal(table, count + np.arange(size))
    table[np.arange(size - 1), np.arange(1, size)] = 10 + np.arange(size - 1)
    return cm.ConfusionMatrix(table, [f"class {i}" for i in range(size)])


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORFGBG", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    return Terminal()


# ---- tables --------------------------------------------------------------------------------------


def test_two_classes() -> None:
    assert printed(cm.ConfusionMatrix([[4, 1], [10, 12345]], ["no", "yes"])) == text(
        "        predicted",
        "actual  no     yes  │  total",
        "no       4       1  │      5 ▏",
        "yes     10  12,345  │ 12,355 ██████",
        "total   14  12,346  │ 12,360",
    )


def test_ten_classes_at_three_widths() -> None:
    matrix = cm.ConfusionMatrix(np.full((10, 10), 400) + 1600 * np.eye(10, dtype=int), CIFAR)
    wide, middle, narrow = (printed(matrix, width=width).splitlines() for width in (120, 80, 60))
    assert wide[1].split()[1:-2] == CIFAR
    assert wide[2].endswith("5,600 ██████")
    assert len(wide) == 2 + 10 + 1
    assert middle[1] == "actual             1    2    3    4    5    6    7    8    9   10 │ total"
    assert middle[3] == "automobile   2   400 2000  400  400  400  400  400  400  400  400 │  5600"
    assert len(middle) == 2 + 10
    # Where the table does not fit, what stands out is listed.
    assert narrow[0] == "10 labels, total 56,000, 35.7% on the diagonal, 100 of 100"
    assert "airplane    automobile    400       7.1%" in narrow


def test_rates() -> None:
    assert printed(M, normalize="actual") == text(
        "        predicted",
        "actual   Cat  Fish   Hen  │ total",
        "Cat     66.7  16.7  16.7  │     6 ███▋",
        "Fish    60.0  20.0  20.0  │    10 ██████",
        "Hen     33.3     0  66.7  │     9 █████▍",
        "total     13     3     9  │    25",
        "per cent of each actual class",
    )


def test_counts_and_rates_in_one_cell() -> None:
    lines = printed(M, normalize="actual", values="both").splitlines()
    assert lines[2].startswith("Cat     4 66.7%  1 16.7%  1 16.7%  │     6")
    assert lines[-1] == "counts, and per cent of each actual class"


def test_an_observed_class_has_its_four_numbers_below() -> None:
    assert (
        "true positives: 4   false positives: 9   false negatives: 2   true negatives: 10"
        in printed(M, of="Cat")
    )


def test_ordered_and_titled() -> None:
    assert printed(M, order=["Hen", "Cat", "Fish"]).splitlines()[1].split()[1:4] == [
        "Hen",
        "Cat",
        "Fish",
    ]
    assert printed(M, title="Pets").startswith("Pets\n")


def test_a_class_without_items_and_an_empty_matrix() -> None:
    empty = cm.ConfusionMatrix([[0, 0], [0, 0]], ["a", "b"])
    assert printed(empty).splitlines()[2] == "a       0  0  │     0"
    assert "–" in printed(empty, normalize="actual")


# ---- what does not fit ---------------------------------------------------------------------------


@pytest.mark.nightly
def test_a_thousand_classes_without_colors_are_a_list() -> None:
    found = printed(spread(1000))
    assert found.splitlines()[0].startswith("1,000 labels, total ")
    assert "class 998  class 999  1,008" in found
    rates = printed(spread(1000), normalize="actual").splitlines()
    assert rates[0].startswith("the largest errors of 1,000 labels, total ")
    assert "difference" in printed(spread(300), minus=spread(300, 200)).splitlines()[1]


@pytest.mark.slow
@pytest.mark.parametrize(("size", "width", "lines"), [(60, 80, 30), (1000, 120, 50)])
def test_with_colors_there_is_a_map_two_rows_a_line(size: int, width: int, lines: int) -> None:
    found = plain(lines_of(spread(size), {}, width, colored=True))
    rows = [line for line in found.splitlines() if "▀" in line]
    assert len(rows) == lines
    assert len({line.count("▀") for line in rows}) == 1
    assert "the 10 largest of" in found


def test_one_strong_cell_is_seen_on_the_map_of_a_thousand() -> None:
    table = np.zeros((1000, 1000), dtype=int)
    np.fill_diagonal(table, 1000)
    table[123, 877] = 900
    lines = lines_of(cm.ConfusionMatrix(table), {}, 100, colored=True)
    colors = {span.ink for line in lines for span in line if span.text == "▀"}
    colors |= {span.behind for line in lines for span in line if span.text == "▀"}
    assert DARK.error[-1] in colors
    assert DARK.hit[-1] in colors
    # Nothing, hits, and that one error.
    assert len(colors - {""}) == 3


def test_a_map_of_many_classes_names_the_places_that_stand_out() -> None:
    counts = np.diag([100] * 120) + np.ones((120, 120), dtype=int)
    # A large class whose errors its size explains, and a pair that nothing explains.
    counts[:, 7] += 6
    counts[99, 20] = 9
    m = cm.ConfusionMatrix(counts, [f"kind_{i}_of_a_bird" for i in range(120)])
    found = plain(lines_of(m, {}, 80, colored=True)).splitlines()
    at = next(i for i, line in enumerate(found) if line.startswith("place"))
    assert found[at + 1].split() == [
        "100",
        "→",
        "21",
        "kind_99_of_a_bird",
        "→",
        "kind_20_of_a_bird",
        "9",
    ]
    assert any("▀" in line for line in found[:at])


# ---- reports and lists ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 40, 41, 60])
def test_a_report_is_what_print_shows(size: int) -> None:
    report = cm.report(spread(size))
    assert printed(report) == f"{report}\n"
    bare = cm.report(spread(size), "mcc")
    assert printed(bare) == f"{bare}\n"
    undefined = cm.report(cm.ConfusionMatrix([[1, 1], [0, 0]], ["a", "b"]))
    assert printed(undefined) == f"{undefined}\n"


def test_a_report_of_every_metric_fits_every_width() -> None:
    every = [name for name, one in cm.catalog().items() if getattr(one, "kind", "") == "class"]
    single = [name for name, one in cm.catalog().items() if getattr(one, "kind", "") == "matrix"]
    report = cm.report(M, every, overall=single[:20])
    for width in (40, 77, 200):
        assert max(map(display_width, printed(report, width=width).splitlines())) <= width


def test_the_worse_a_score_the_more_it_is_colored() -> None:
    report = cm.report(
        cm.ConfusionMatrix([[9, 1], [10, 0]], ["a", "b"]), ["recall", "false_negative_rate"]
    )
    rows = [
        line
        for line in report_lines(report, 80, DARK)
        if line and line[0].text.strip() in {"a", "b"}
    ]
    assert [span.behind for span in rows[1] if span.behind] == [DARK.error[-1]] * 2
    # The recall of `a` is 0.9: a tenth from its best.
    assert all(span.behind for span in rows[0] if span.text.strip() in {"0.900", "0.100"})


def test_confusions_and_groups_and_stacks() -> None:
    found = cm.top_confusions(M, 3)
    assert printed(found) == f"{found}\n"
    groups = cm.class_groups(M)
    assert printed(groups).splitlines()[-1] == str(groups).splitlines()[-1]
    stack = cm.Stack({"old": M, "new": M}, axis="model")
    assert printed(stack) == f"{stack}\n"


def test_a_comparison_loses_no_score_where_it_is_narrow() -> None:
    found = cm.compare({"old": M, "new": M}, metrics=["accuracy", "f1.macro", "mcc"])
    assert printed(found, width=200).splitlines()[:3] == str(found).splitlines()[:3]
    narrow = printed(found, width=40)
    assert all(display_width(line) <= 40 for line in narrow.splitlines())
    for score in found.scores:
        assert str(score) in narrow


def test_long_lists_say_how_much_is_missing() -> None:
    found = printed(cm.top_confusions(spread(30), None))
    assert "… and 810 more" in found
    assert len(found.splitlines()) < 80


def test_what_is_nothing_of_ours_is_refused() -> None:
    with pytest.raises(cm.InputError, match=r"`show` prints a ConfusionMatrix, .* not list"):
        cm.show([[1]])
    with pytest.raises(cm.InputError, match="`width` takes a number of columns from 40, not 7"):
        cm.show(M, width=7)


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.lists(st.text(st.characters(), max_size=60), min_size=1, max_size=24, unique=True),
    st.integers(40, 160),
    st.integers(0, 2**45),
    st.sampled_from([None, "actual", "all"]),
    st.booleans(),
)
def test_no_line_is_wider_than_there_is_room(
    names: list[str], width: int, count: int, by: str | None, colored: bool
) -> None:
    matrix = cm.ConfusionMatrix(np.full((len(names), len(names)), count), names)
    for thing in (matrix, cm.report(matrix), cm.top_confusions(matrix)):
        choices = {"normalize": by} if thing is matrix else {}
        found = plain(lines_of(thing, choices, width, colored=colored))
        for line in found.splitlines():
            assert display_width(line) <= width, line
            assert not UNSAFE.search(line)


@given(
    st.lists(st.text(st.characters(), min_size=1, max_size=20), min_size=2, max_size=5, unique=True)
)
def test_columns_line_up(names: list[str]) -> None:
    lines = printed(
        cm.ConfusionMatrix(np.eye(len(names), dtype=int), names), width=160
    ).splitlines()
    bars = {
        display_width(line.rpartition("│")[0])
        for line in lines
        if "│" in line and line.endswith(("0", "1", "l"))
    }
    assert len(bars) <= 1


# ---- colours -------------------------------------------------------------------------------------


def test_colors_change_no_text(terminal: Terminal) -> None:
    cm.show(M, file=terminal)
    assert "48;2;" in terminal.getvalue()
    found = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()
    expected = printed(M).splitlines()
    assert [line.rstrip() for line in found[: len(expected)]] == expected


@pytest.mark.parametrize(
    ("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "unknown")]
)
def test_who_wants_no_colors_gets_none(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv(name, value)
    cm.show(M, file=terminal)
    assert terminal.getvalue() == printed(M)


def test_sixteen_colors_are_too_few_to_shade(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    style = pytest.importorskip("rich.style", reason="Rich is not installed")
    # Rich keeps what it once made of a style, whatever the terminal.
    style.Style._add.cache_clear()
    monkeypatch.delenv("COLORTERM")
    monkeypatch.setenv("TERM", "xterm")
    assert not has_colors(terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    cm.show(M, file=terminal)
    assert "48;5;" in terminal.getvalue()
    assert "48;2;" not in terminal.getvalue()
    style.Style._add.cache_clear()


def test_a_pipe_gets_none_unless_it_is_forced(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not has_colors(io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert has_colors(io.StringIO())
    assert "\x1b[" in printed(M, color=None)
    monkeypatch.setenv("FORCE_COLOR", "")
    assert not has_colors(io.StringIO())


def test_a_stream_that_is_not_unicode_gets_what_it_can_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    for encoding in ("ascii", "cp1252"):
        content = io.BytesIO()
        stream = io.TextIOWrapper(content, encoding=encoding)
        cm.show(M, file=stream)
        stream.flush()
        assert content.getvalue().startswith(b"        predicted")
        assert b"\x1b" not in content.getvalue()
        # The frame is of other signs, and lines up.
        rule = {
            line.index(sign)
            for line in content.getvalue().splitlines()
            for sign in b"|"
            if sign in line
        }
        assert len(rule) == 1


def test_labels_that_a_stream_cannot_write_are_escaped() -> None:
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding="ascii")
    cm.show(cm.ConfusionMatrix([[5, 1], [2, 6]], ["猫", "עברית"]), file=stream)
    stream.flush()
    assert b"\\u732b" in content.getvalue()
    assert b"?" not in content.getvalue()
    assert b"\\u2068" not in content.getvalue()


def test_without_rich_it_is_plain(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "rich", None)
    cm.show(M, file=terminal)
    assert terminal.getvalue() == printed(M)
    with pytest.raises(cm.InputError, match="colours in a terminal are Rich's"):
        cm.show(M, file=terminal, color=True)


def test_the_width_is_the_terminals_and_elsewhere_always_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = cm.ConfusionMatrix(np.full((10, 10), 1000), CIFAR)
    monkeypatch.setenv("COLUMNS", "60")
    assert printed(matrix) == printed(matrix, width=WIDTH)
    monkeypatch.setattr("sys.stdout", Terminal())
    assert printed(matrix) == printed(matrix, width=60)


@pytest.mark.parametrize(
    ("said", "palette"), [("15;0", DARK), ("0;15", LIGHT), ("0;default;7", LIGHT), ("", DARK)]
)
def test_what_lies_behind_chooses_the_colors(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, said: str, palette: Any
) -> None:
    monkeypatch.setenv("COLORFGBG", said)
    lines = lines_of(M, {"normalize": None}, 80, palette_for("auto", terminal), colored=True)
    assert palette.hit[-1] in {span.behind for line in lines for span in line}

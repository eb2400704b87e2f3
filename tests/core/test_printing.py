"""The printed form: the exact text of tables, at any size, with any label."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, count, report
from confmat.core.printing import as_table
from confmat.core.text import NARROWEST, WIDTH, display_width


def text(*lines: str) -> str:
    return "\n".join(lines)


def test_of_a_thousand_classes_what_stands_out_is_shown() -> None:
    table = np.zeros((1000, 1000), dtype=int)
    table[0, 999], table[500, 500], table[999, 1] = 3, 10**6, 1
    lines = str(ConfusionMatrix(table)).splitlines()
    assert lines[:12] == [
        "1,000 labels, total 1,000,004, 100.0% on the diagonal, 3 of 1,000,000 cells not zero",
        "",
        "all 2 confusions",
        "actual  predicted  items  of actual",
        "0       999            3     100.0%",
        "999     1              1     100.0%",
        "",
        "10 of 1,000 classes: those with most errors",
        "class  actual  predicted  hits  of actual",
        "999         1          3     0       0.0%",
        "0           3          0     0       0.0%",
        "1           0          1     0          –",
    ]
    # The rest has no errors, and the first come first.
    assert lines[12].split() == ["2", "0", "0", "0", "–"]
    assert len(lines) == 9 + 10
    assert str(ConfusionMatrix(table).sparse()) == str(ConfusionMatrix(table))


CIFAR = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


def is_safe(line: str) -> bool:
    """Whether nothing in it moves a cursor or turns the direction of text."""
    return not any(
        ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 or 0x202A <= ord(char) <= 0x202E
        for char in line
    )


@given(
    st.lists(st.text(st.characters(), max_size=60), min_size=1, max_size=50, unique=True),
    st.integers(40, 200),
    st.integers(0, 2**52),
)
def test_no_line_is_wider_than_there_is_room(names: list[str], width: int, count: int) -> None:
    matrix = ConfusionMatrix(np.full((len(names), len(names)), count), names)
    for line in as_table(matrix, width).split("\n"):
        assert display_width(line) <= width
        assert is_safe(line)


def test_a_terminal_says_how_wide_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = ConfusionMatrix(np.full((10, 10), 1000), CIFAR)
    monkeypatch.setenv("COLUMNS", "60")
    assert str(matrix) == as_table(matrix, WIDTH)
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert str(matrix) == as_table(matrix, 60)
    monkeypatch.setenv("COLUMNS", "7")
    assert str(matrix) == as_table(matrix, NARROWEST)
    monkeypatch.setattr("sys.stdout", None)
    assert str(matrix) == as_table(matrix, WIDTH)


def test_right_to_left_names_keep_to_themselves() -> None:
    lines = str(ConfusionMatrix([[1, 2], [3, 4]], ["חתול", "cat"])).splitlines()
    assert lines[1] == "actual  \u2068חתול\u2069  cat  │ total"
    assert lines[2] == "\u2068חתול\u2069       1    2  │     3"
    assert len({display_width(line) for line in lines[1:]}) == 1


def test_control_and_bidirectional_characters_are_shown_not_sent() -> None:
    assert str(ConfusionMatrix([[1, 2], [3, 4]], ["a\x1b[2J\n", "\u202eb"])) == text(
        "            predicted",
        "actual      a\\x1b[2J\\n  \\u202eb  │ total",
        "a\\x1b[2J\\n           1        2  │     3",
        "\\u202eb              3        4  │     7",
        "total                4        6  │    10",
    )


def test_long_and_empty_labels() -> None:
    assert str(ConfusionMatrix([[1, 2], [3, 4]], ["x" * 60, ""])) == text(
        "                          predicted",
        'actual                    xxxxxx…xxxxx  ""  │ total',
        "xxxxxxxxxxxx…xxxxxxxxxxx             1   2  │     3",
        '""                                   3   4  │     7',
        "total                                4   6  │    10",
    )


def test_labels_that_differ_at_their_ends_are_told_apart() -> None:
    lines = str(
        ConfusionMatrix([[1, 2], [3, 4]], ["class_number_1", "class_number_2"])
    ).splitlines()
    assert lines[1:3] == ["actual          1  2  │ total", "class_number_1  1  2  │     3"]
    # A beginning that all share is left out, and said to be.
    names = [f"every single one of the class_{i}" for i in range(3)]
    lines = str(ConfusionMatrix(np.eye(3, dtype=int), names)).splitlines()
    assert lines[2].split() == ["0", "1", "0", "0", "│", "1"]
    assert lines[-1] == 'names without "every single one of the class_" in front'


def test_headings_are_widened_until_they_differ() -> None:
    heads = ["alongnamexwithalongend", "alongnameywithalongend"]
    lines = str(ConfusionMatrix([[1, 2], [3, 4]], heads)).splitlines()
    # 9 in front of the letter that differs, hence a width of 20: 10 columns, the mark, 9 columns.
    assert lines[1].split()[1:3] == ["alongnamex…halongend", "alongnamey…halongend"]
    # A label that looks like the cut of another is another label.
    lines = str(ConfusionMatrix([[1, 2], [3, 4]], ["abcdefghijklmn", "abcdef…jklmn"])).splitlines()
    assert len(set(lines[1].split()[1:3])) == 2


def test_outside_labels_have_their_row_and_column() -> None:
    assert str(
        ConfusionMatrix([[1, 2, 0], [3, 4, 1], [0, 0, 7]], ["a", "b"], outside=["(other)"])
    ) == text(
        "         predicted",
        "actual   a  b  (other)  │ total",
        "a        1  2        0  │     3",
        "b        3  4        1  │     8",
        "(other)  0  0        7  │     7",
        "total    4  6        8  │    18",
    )


def test_what_was_dropped_has_a_line() -> None:
    assert str(
        count([0, 1, 2, None], [0, 1, 1, 0], labels=[0, 1], other="drop", missing="drop")
    ) == text(
        "        predicted",
        "actual  0  1  │ total",
        "0       1  0  │     1",
        "1       0  1  │     1",
        "total   1  1  │     2",
        "2 left out of the matrix",
    )


def test_weights() -> None:
    assert str(count(["a", "b"], ["a", "b"], weights=[0.5, 1 / 3])) == text(
        "        predicted",
        "actual    a         b  │    total",
        "a       0.5         0  │      0.5",
        "b         0  0.333333  │ 0.333333",
        "total   0.5  0.333333  │ 0.833333",
    )


@given(st.lists(st.text(st.characters(), max_size=40), min_size=2, max_size=4, unique=True))
def test_every_line_is_safe_and_as_wide_as_its_neighbors(names: list[str]) -> None:
    lines = str(ConfusionMatrix(np.eye(len(names), dtype=int), names)).split("\n")
    # Names that begin with codes are shown without them, and a line below says so.
    below = lines[2 + len(names) + 1 :]
    assert all(line.startswith("names without their codes") for line in below)
    for line in lines:
        assert is_safe(line)
        line.encode("utf-8")
    assert len({display_width(line) for line in lines[1 : 2 + len(names) + 1]}) == 1


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (ConfusionMatrix([[0.5]], ["a"]), "ConfusionMatrix([[0.5]], labels=['a'])"),
        (
            ConfusionMatrix([[1, 0], [0, 7]], ["a"], outside=["o"], positive="a"),
            "ConfusionMatrix([[1, 0], [0, 7]], labels=['a'], outside=['o'], positive='a')",
        ),
        (
            ConfusionMatrix.from_pairs([(0, 1, 3000)], labels=range(10**6)),
            "<ConfusionMatrix of 1,000,000 labels, sparse, total 3,000: 0, 1, 2, ...>",
        ),
    ],
)
def test_repr(matrix: ConfusionMatrix, expected: str) -> None:
    assert repr(matrix) == expected


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [(1, 2), (2, 1)]])
def test_a_small_repr_makes_the_matrix_again(labels: list[Any]) -> None:
    matrix = ConfusionMatrix([[1, 2], [3, 4]], labels)
    assert eval(repr(matrix), {"ConfusionMatrix": ConfusionMatrix}) == matrix  # noqa: S307


def test_blanks_at_the_ends_of_a_label_are_seen() -> None:
    m = ConfusionMatrix([[1, 2], [3, 4]], ["comedy", "comedy "])
    for printed in (str(m), str(report(m))):
        assert '"comedy "  ' in printed
        assert "comedy     " in printed

"""Written files are read back: every format, over labels that were made to break it."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import confmat
from confmat import ConfusionMatrix, Labels, Stack
from confmat.core.text import (
    from_latex,
    from_markdown,
    from_one_line,
    in_latex,
    in_markdown,
    one_line,
)
from confmat.io import from_csv, from_json, read_printed, to_json, to_text
from confmat.io.json_format import take_table

HOSTILE = [
    "", " ", '""', "a",   "a  b", "total",  "actual",  "actual\\predicted", "0",
    "-1",  "=1+1",   "@SUM(A1)", "\tx", "\rx", "'=1",  "'", "＝1",
    "a,b", 'a"b',  "a\tb", "a\nb", "a\r\nb", "a|b", "a\\|b", "\\", "\\\\", "\\n", "C:\\new", "\\x41", "\x00",
    "a\x00b",
    "\x1b[2J",  "\u202eevil", "\u200b", "\u2028", "\xa0", "猫", "e\u0301", "\U0001f600", "\x85",
    "\\input{/etc/passwd}",  "$x$", "50% & more",  "a_b",     "[x]",
    "*",  "\\ ", " \\", "\\\x1b",  "[[[1]]", "\\begin{tabular}", "<-- classified as",  "| a |\n|-|",
    "`code`", "<script>alert(1)</script>",  "&amp;lt;", "![x](http://evil)", "http://evil", "www.evil.org",

    "│ total",  "…",  "|",  "\\\\ \\hline", "%",  "../../x", "nan",
]  # fmt: skip

names = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=8),
    st.text("\\|\"'&%$#_{}~^<>[]`*=+-@ \t\r\n,;ax0", max_size=6),
)
label_lists = st.lists(names, min_size=1, max_size=4, unique=True)
# Weights that add up to 1 may be shares, which a warning says.
SHARES = pytest.mark.filterwarnings("ignore:.*if these are not weights")
counts = st.one_of(st.integers(0, 3), st.integers(0, 10**15))


@st.composite
def matrices(draw: Any, *, weighted: bool | None = None) -> ConfusionMatrix:
    labels = draw(label_lists)
    number: Any = counts
    if weighted or (weighted is None and draw(st.booleans())):
        number = st.floats(0, 1e15, allow_subnormal=True)
    size = len(labels)
    table = draw(
        st.lists(st.lists(number, min_size=size, max_size=size), min_size=size, max_size=size)
    )
    # A last class that adds the others up reads as totals.
    t = np.array(table, dtype=float)
    assume(
        not t.any()
        or not all(np.allclose(a[:, :-1].sum(1), a[:, -1], rtol=1e-3, atol=0) for a in (t, t.T))
    )
    return ConfusionMatrix(table, labels)


def same(a: object, b: ConfusionMatrix) -> None:
    assert isinstance(a, ConfusionMatrix)
    assert a.labels == b.labels
    assert a == b
    assert a.is_weighted == b.is_weighted


@given(matrices())
def test_json(m: ConfusionMatrix) -> None:
    text = to_json(m)
    same(from_json(text), m)
    same(from_json(to_json(m.sparse())), m)
    data = json.loads(text)
    assert m.to_dict() == {name: data[name] for name in data if name != "seal"}
    assert all(char.isprintable() or char == "\n" for char in text)


@SHARES
@given(matrices(), st.sampled_from([",", "\t", ";", "|"]), st.booleans())
def test_csv_square(m: ConfusionMatrix, delimiter: str, spreadsheet: bool) -> None:
    text = m.to_csv(delimiter=delimiter, spreadsheet=spreadsheet)
    same(from_csv(text, spreadsheet=spreadsheet), m)
    if spreadsheet:
        same(read_printed(text), m)
    same(from_csv("\ufeff" + text, delimiter=delimiter, spreadsheet=spreadsheet), m)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert [len(row) for row in rows] == [len(m) + 1] * (len(m) + 1)


@SHARES
@given(matrices(), st.booleans())
def test_csv_long(m: ConfusionMatrix, spreadsheet: bool) -> None:
    text = m.table("long").to_csv(spreadsheet=spreadsheet)
    try:
        found = from_csv(text, spreadsheet=spreadsheet)
    except confmat.InputError as error:
        # Counts of a class without a name may be the sums of others by chance.
        assume("is a total of other lines" not in str(error))
        raise
    same(found, m)


@SHARES
@given(matrices())
def test_markdown(m: ConfusionMatrix) -> None:
    text = m.to_markdown()
    same(read_printed(text), m)
    assert text.count("\n") == len(m) + 2


@SHARES
@given(matrices())
def test_latex(m: ConfusionMatrix) -> None:
    same(read_printed(m.to_latex()), m)


def test_a_class_without_a_name() -> None:
    for labels in ([""], ["a", ""]):
        m = ConfusionMatrix(np.eye(len(labels), dtype=int), labels)
        for delimiter in ",;|\t":
            same(from_csv(m.to_csv(delimiter=delimiter)), m)
        assert read_printed(to_text(m)).labels == read_printed(m.to_csv()).labels == labels


@given(matrices())
def test_text(m: ConfusionMatrix) -> None:
    text = to_text(m)
    same(read_printed(text), m)
    assert all(char in "\n│" or char.isprintable() or char.isspace() for char in text)


@given(st.one_of(names, st.text()))
def test_escapes_are_undone(name: str) -> None:
    line = one_line(name)
    assert from_one_line(line) == name
    assert from_markdown(in_markdown(line)) == line
    assert from_latex(in_latex(line)) == line


@given(st.one_of(names, st.text()))
def test_no_command_in_latex(name: str) -> None:
    written = in_latex(one_line(name))
    allowed = r"\\(?:textbackslash\{\}|textasciitilde\{\}|textasciicircum\{\}|textless\{\}|textgreater\{\}|textbar\{\}"
    allowed += r"|textasciigrave\{\}|string\"|[&%$#_{}])"
    rest = re.sub(allowed, "", written)
    assert not set(rest).intersection('\\&%$#_~^<>|`"')
    # A bracket or star at the start would be an option of the \\ before it.
    assert not written.startswith(("[", "*"))


@given(st.one_of(names, st.text()))
def test_no_html_and_no_new_cell_in_markdown(name: str) -> None:
    written = in_markdown(one_line(name))
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>|`*_\[\]$]", written)
    assert "&" not in written.replace("&amp;", "")
    assert "\n" not in written


@pytest.mark.parametrize("payload", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\n=1", "＝1", "'=1"])
def test_no_cell_of_text_begins_like_a_formula(payload: str) -> None:
    m = ConfusionMatrix([[1, 2], [3, 4]], [payload, "b"])
    forms: list[Literal["square", "long"]] = ["square", "long"]
    for form in forms:
        text = m.table(form).to_csv()
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert not [cell for cell in cells if cell[:1] in set("=+-@\t\r\n＝＋－＠")]
        assert from_csv(text) == m
    assert f"'{payload}" not in next(
        csv.reader(io.StringIO(m.to_csv(spreadsheet=False), newline=""))
    )


KINDS = [
    Labels([0, 1]), Labels([-5, 2**80]), Labels([False, True]), Labels(["a", "b"], outside=["(other)"], positive="a"),
    Labels([b"\xff", b"a"]), Labels([("a", 1), ("b", (2,))]), Labels([3, 4], outside=["background", "(missing)"]),
]  # fmt: skip


@pytest.mark.parametrize("labels", KINDS, ids=str)
def test_json_keeps_every_kind_of_label(labels: Labels) -> None:
    m = ConfusionMatrix(np.arange(len(labels) ** 2).reshape(len(labels), -1), labels)
    found = from_json(to_json(m))
    assert isinstance(found, ConfusionMatrix)
    assert found == m
    assert (found.labels.kind, found.positive) == (m.labels.kind, m.positive)


def test_text_formats_keep_what_is_outside_when_told() -> None:
    m = ConfusionMatrix([[3, 1, 1], [0, 2, 0], [1, 0, 0]], [0, 1], outside=["(other)"], positive=1)
    for text in (m.to_csv(), m.table("long").to_csv(), m.to_markdown(), m.to_latex(), to_text(m)):
        assert read_printed(text, kind="int", outside=["(other)"], positive=1) == m


def test_squares_of_weights_are_kept_in_json_and_in_the_long_form() -> None:
    m = confmat.count(["a", "a", "b"], ["a", "a", "c"], weights=[0.5, 0.1, 2.0])
    assert m.squares is not None
    for found in (from_json(to_json(m)), from_csv(m.table("long").to_csv())):
        assert isinstance(found, ConfusionMatrix)
        assert found == m
        assert found.squares is not None
        assert np.array_equal(found.squares, m.squares)


def test_labels_that_look_the_same_are_refused_by_text_formats() -> None:
    m = ConfusionMatrix(np.eye(2, dtype=int), Labels([1], outside=["1"]))
    for write in (m.to_csv, m.to_markdown, m.to_latex):
        with pytest.raises(
            confmat.InputError, match="two labels would both be written as '1'; to_json"
        ):
            write()
    assert from_json(to_json(m)) == m


def test_big_integers_are_exact() -> None:
    m = ConfusionMatrix([[2**63 + 1, 0], [3, 2**53 + 1]])
    assert from_json(to_json(m)) == m
    for text in (m.to_csv(), m.table("long").to_csv(), m.to_markdown(), m.to_latex(), to_text(m)):
        assert read_printed(text, kind="int") == m


keys = st.one_of(
    st.text(max_size=3), st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)
)


@given(st.lists(keys, min_size=1, max_size=3, unique=True), matrices(), matrices())
def test_stacks(names: list[Any], a: ConfusionMatrix, b: ConfusionMatrix) -> None:
    stack = Stack(dict(zip(names, [a, b, a], strict=False)), axis="model")
    found = from_json(to_json(stack))
    assert found == stack
    assert isinstance(found, Stack)
    assert [type(key) for key in found] == [type(key) for key in stack]


BLOCK = '{\n  "counts": [\n    [3, 1],\n    [0, 2]\n  ]\n}\n'


@pytest.mark.parametrize(
    "text",
    [
        BLOCK.replace("3", "03"),
        BLOCK.replace("3", "3 3"),
        BLOCK.replace("3, 1", "3 1, "),
        BLOCK.replace("3", "-3"),
        BLOCK.replace("3", "1" * 19),
        BLOCK.replace("3, 1", "3"),
        BLOCK.replace("3", "\u0663"),
        BLOCK[:30],
    ],
)
def test_the_quick_road_takes_nothing_but_what_we_wrote(text: str) -> None:
    assert take_table(BLOCK) is not None
    assert take_table(text) is None


def test_a_table_elsewhere_is_left_there() -> None:
    plain = json.dumps(ConfusionMatrix([[1, 2], [3, 4]]).to_dict())
    nested = '{"provenance": {' + BLOCK[1:-3] + "}, " + plain[1:]
    assert from_json(nested) == ConfusionMatrix([[1, 2], [3, 4]])


@pytest.mark.parametrize("kind", ["int", "bool"])
def test_text_formats_keep_the_kinds_they_are_told(kind: Any) -> None:
    m = ConfusionMatrix([[3, 1], [0, 2]], [0, 1] if kind == "int" else [False, True])
    assert from_csv(m.to_csv(), kind=kind) == m
    for text in (m.to_markdown(), m.to_latex(), to_text(m), m.table("long").to_csv()):
        assert read_printed(text, kind=kind) == m

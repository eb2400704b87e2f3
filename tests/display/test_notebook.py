"""Notebooks: HTML that is well formed, safe and small, and that reads on light and dark pages and without styles."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.tables import BLUE, GRAY, MOST_OPAQUE, ORANGE, PURPLE, Table, Tabular
from confmat.display.shading import contrast
from tests.animals import ANIMALS as M

HOSTILE = [
    "<script>alert(1)</script>",
    "</table><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    "a\x00b\x1b[2J",
    "\u202etxt.exe",
    "x" * 10**4,
    "&amp;",
]
# Elements and attributes that GitHub leaves in place, and `style`, which it takes away.
ELEMENTS = {
    "div",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "span",
    "br",
    "bdi",
    "pre",
}
ATTRIBUTES = {"style", "align", "colspan", "scope", "title", "cellpadding"}


def html_of(value: Tabular) -> str:
    html = value._repr_html_()
    assert html is not None
    return html


class Reader(HTMLParser):
    """Reads HTML strictly: what opens is closed, in order, and nothing is there that was not allowed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.titles: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.titles += [value or "" for name, value in attrs if name == "title"]
        self.styles += [value or "" for name, value in attrs if name == "style"]
        if tag != "br":
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)


def everything(matrix: cm.ConfusionMatrix) -> list[Any]:
    return [
        matrix, cm.report(matrix), cm.Stack({"old": matrix, "new": matrix}), cm.top_confusions(matrix),
        cm.class_groups(matrix), cm.view(matrix, normalize="actual"), cm.view(matrix, minus=matrix.T),
    ]  # fmt: skip


def test_a_matrix_is_a_table_with_margins() -> None:
    assert Reader(html_of(M)).rows == [
        ["", "predicted", ""],
        ["actual", "Cat", "Fish", "Hen", "total"],
        ["Cat", "4", "1", "1", "6"],
        ["Fish", "6", "2", "2", "10"],
        ["Hen", "3", "0", "6", "9"],
        ["total", "13", "3", "9", "25"],
    ]
    assert "3 labels, total 25" in html_of(M)


def test_two_classes_to_the_letter() -> None:
    html = html_of(cm.ConfusionMatrix([[4, 0], [1, 5]], ["no", "yes"]))
    assert '<tr align="right" style="background:#00000000"><th scope="row" align="left"' in html
    # A class that is found whole is as opaque as can be; nothing is faint.
    assert '<td style="background:#2275c299">4</td>' in html
    assert '<td style="opacity:0.5">0</td>' in html
    assert '<td style="background:#d25a0a99">1</td>' in html


def test_cells_are_squares_of_one_size_on_the_page_itself() -> None:
    """The stripes that JupyterLab and others give to every other row do not show through the shades."""
    html = html_of(
        cm.ConfusionMatrix(np.eye(12, dtype=int) * 1234, [f"class {i}" for i in range(12)])
    )
    sides = re.findall(r"min-width:([\d.]+)em", html)
    assert len(sides) == 12
    assert {*sides, *re.findall(r";height:([\d.]+)em", html)} == {"3.0"}
    assert len(re.findall(r'<tr align="right" style="background:#00000000">', html)) == 13


def test_the_page_is_shown_in_a_frame() -> None:
    page = cm.html(M, height=500)
    frame = page._repr_html_()
    box = '<iframe title="Report page" sandbox="allow-scripts allow-downloads"'
    found = re.fullmatch(rf'{box} style="[^"<>]*" srcdoc="([^"<>]*)"></iframe>', frame)
    assert found is not None
    assert unescape(found[1]) == page
    assert "height:500px" in frame
    with pytest.raises(cm.ConfmatError, match="height"):
        cm.html(M, height=0)
    with pytest.raises(AttributeError, match=r"confmat\.html"):
        _ = M.page  # type: ignore[attr-defined]


def test_findings_are_read_whole() -> None:
    found = cm.audit(
        [[90, 10], [5, 45]], {"accuracy": 0.95, "precision": 0.8, "kappa": 0.78}, positive=1
    )
    told = [row[-1] for row in found.table().texts()]
    assert max(map(len, told)) > 28
    assert [row[-1] for row in Reader(html_of(found)).rows[1:]] == told


def test_a_report_says_what_print_says() -> None:
    report = cm.report(M)
    rows = Reader(html_of(report)).rows
    assert rows[0] == ["", "precision", "recall", "specificity", "f1", "support"]
    assert rows[1] == ["Cat", "0.308", "0.667", "0.526", "0.421", "6"]
    assert ["mcc", "0.287"] in rows
    many = cm.report(cm.ConfusionMatrix(np.eye(60, dtype=int)))
    assert "30 of 60 classes are not shown" in html_of(many)


def test_confusions_groups_and_stacks_are_tables() -> None:
    rows = Reader(html_of(cm.top_confusions(M, 2))).rows
    assert rows[0][:4] == ["actual", "predicted", "count", "share"]
    assert len(rows) == 3
    assert Reader(html_of(cm.class_groups(M))).rows[0][0] == "group"
    assert Reader(html_of(cm.Stack({"old": M, "new": M}, axis="model"))).rows == [
        ["model", "total", "on the diagonal"],
        ["old", "25", "48.0%"],
        ["new", "25", "48.0%"],
    ]


def test_a_view_shows_what_it_was_asked_for() -> None:
    reader = Reader(html_of(cm.view(M, normalize="actual", values="both", title="<Pets>")))
    assert reader.rows[2][1] == "466.7%"
    assert "<Pets>" in reader.text
    assert "per cent of each actual class" in reader.text
    assert Reader(html_of(cm.view(M, margins=False))).rows[1] == ["actual", "Cat", "Fish", "Hen"]


# ---- size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 30, 31, 200])
def test_it_is_small_at_every_size(size: int) -> None:
    matrix = cm.ConfusionMatrix(
        np.full((size, size), 123_456) + np.diag(np.arange(size)),
        [f"{i:04} {'name' * 30}" for i in range(size)],
    )
    for thing in everything(matrix)[:4]:
        assert len(html_of(thing).encode()) <= 100_000


def test_many_classes_are_folded_and_their_confusions_listed_first() -> None:
    table = np.eye(1000, dtype=int) * 100
    table[7, 993] = 42
    reader = Reader(html_of(cm.ConfusionMatrix(table)))
    assert reader.rows[:2] == [
        ["actual", "predicted", "items", "of actual"],
        ["7", "993", "42", "29.6%"],
    ]
    heads = next(row for row in reader.rows if row[0] == "actual" and row[-1] == "total")
    assert len(heads) == 1 + 24 + 1 + 1
    assert heads[-2] == "(other)"
    assert "1,000 labels, total 100,042" in reader.text
    assert "976 of 1,000 classes folded into (other)" in reader.text


# ---- safety --------------------------------------------------------------------------------------


def test_hostile_names_are_text() -> None:
    matrix = cm.ConfusionMatrix(np.arange(64).reshape(8, 8), HOSTILE)
    for thing in [
        *everything(matrix),
        cm.view(matrix, title=HOSTILE[1]),
        cm.Stack({HOSTILE[1]: matrix}),
    ]:
        html = html_of(thing)
        reader = Reader(html)
        assert len(html) < 100_000
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
        assert all("url" not in style and "expression" not in style for style in reader.styles)
    assert "<script>alert(1)</script>" in Reader(html_of(matrix)).text


def test_a_name_that_was_cut_is_whole_under_the_pointer() -> None:
    reader = Reader(html_of(cm.ConfusionMatrix([[1, 0], [0, 1]], ["a" * 60, "b"])))
    assert reader.titles == ["a" * 60] * 2
    assert reader.rows[1][1] == "aaaaaaa…aaaaaa"


def test_right_to_left_names_keep_to_themselves() -> None:
    html = html_of(cm.ConfusionMatrix([[1, 0], [0, 1]], ["חתול", "cat"]))
    assert html.count("<bdi>חתול</bdi>") == 2
    assert "\u2068" not in html


def test_showing_never_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Any) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(Table, "places", broken)
    for thing in everything(M):
        assert thing._repr_html_() is None


# ---- pages ---------------------------------------------------------------------------------------


def parsed(code: str) -> tuple[float, float, float]:
    return int(code[1:3], 16) / 255, int(code[3:5], 16) / 255, int(code[5:7], 16) / 255


# Background and text of JupyterLab light and dark, GitHub light and dark, and VS Code light and
# dark.
PAGES = [
    ("#ffffff", "#212121"), ("#111111", "#e0e0e0"), ("#ffffff", "#1f2328"), ("#0d1117", "#f0f6fc"),
    ("#ffffff", "#3b3b3b"), ("#1f1f1f", "#cccccc"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "ink"), PAGES)
@pytest.mark.parametrize("color", [BLUE, ORANGE, GRAY, PURPLE])
@pytest.mark.parametrize("shade", [0.08, 0.5, 1.0])
def test_the_text_of_any_page_reads_on_every_color(
    page: str, ink: str, color: str, shade: float
) -> None:
    part = MOST_OPAQUE * shade
    behind = tuple(
        a * part + b * (1 - part) for a, b in zip(parsed(color), parsed(page), strict=True)
    )
    assert contrast(parsed(ink), (behind[0], behind[1], behind[2])) >= 4.5


# The elements that JupyterLab lets through in a notebook that nobody has trusted yet: the forms in
# its sanitizer.ts.
LET_THROUGH = {
    "background": r"#[0-9a-f]+",
    "opacity": r"1|0(\.[0-9]+)?",
    "overflow-x": "auto",
    "max-width": r"\d+%",
    "border-collapse": "collapse",
    "width": r"auto|\d+\.\d+em",
    "display": "inline-block",
    "margin-left": r"-?\d+\.\d+em",
    "border-radius": r"\d+\.\d+em",
    "min-width": r"\d+\.\d+em",
    "height": r"\d\.\d+em",
    "margin": r"0\.3em 0",
    "table-layout": "auto",
    "text-align": "left|right",
    "vertical-align": "bottom|middle",
    "white-space": "nowrap|pre-wrap",
    "font-weight": "normal|bold",
    "font-size": r"\d+%",
    "font-family": "monospace",
}
# The attributes that it removes, and the features lost with them: figures of one width, upright
# headings.
TAKEN_AWAY = {"font-variant-numeric", "writing-mode", "text-orientation", "transform"}


def test_jupyterlab_lets_the_styles_through() -> None:
    upright = cm.ConfusionMatrix(np.eye(12, dtype=int), [f"class {i}" for i in range(12)])
    for thing in [*everything(M), upright, *pictured()]:
        for style in Reader(html_of(thing)).styles:
            for part in filter(None, style.split(";")):
                name, _, value = part.partition(":")
                assert name in TAKEN_AWAY or re.fullmatch(LET_THROUGH[name], value), part


def pictured() -> list[Any]:
    rng = np.random.default_rng(0)
    actual = rng.random(200) < 0.4
    t = cm.thresholds(actual, rng.normal(actual))
    old, new = (np.where(rng.random(200) < 0.8, actual, ~actual) for _ in range(2))
    return [
        t,
        cm.best(t, "f1"),
        cm.roc(t),
        cm.pr_curve(t),
        cm.compare_predictions(actual, {"old": old, "new": new}),
    ]


def test_sweeps_and_comparisons_have_their_intervals_drawn() -> None:
    t, best, roc, _, compared = map(html_of, pictured())
    Reader(t)
    # A line and a dot where a score has a value and an interval.
    places = [float(text) for text in re.findall(r"margin-left:(-?[\d.]+)em", t)]
    assert len(places) > 3 * 11 * 2
    for html in (best, roc):
        assert "border-radius" in html
    rows = Reader(compared).rows[4:]
    found = pictured()[-1]
    assert [row[1] for row in rows] == [one.interval_text() for one in found.differences]
    # Zero has a line of its own, in each row.
    assert compared.count("#8c959f") == 4

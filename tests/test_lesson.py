"""The lesson on reading a matrix: what its figure shows is what confmat computes, with a script and without one."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "tutorial" / "read-a-matrix.md"
SCORES = ["accuracy", "recall", "specificity", "precision", "f1"]

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="only in a clone, not in an installed package"
)


def matrix(tp: int, fn: int, fp: int, tn: int) -> cm.ConfusionMatrix:
    return cm.ConfusionMatrix([[tp, fn], [fp, tn]], ["sick", "well"], positive="sick")


def written(m: cm.ConfusionMatrix) -> dict[str, list[str]]:
    """Return the texts of the rows of the figure: counts, value and interval of each score."""
    (tp, fn), (fp, tn) = m.counts.tolist()
    counts = [
        (tp + tn, m.total),
        (tp, tp + fn),
        (tn, tn + fp),
        (tp, tp + fp),
        (2 * tp, 2 * tp + fp + fn),
    ]
    found = {}
    for name, (hits, of) in zip(SCORES, counts, strict=True):
        one = cm.interval(m, name)
        value, *bounds = [
            "–" if math.isnan(each) else f"{each:.3f}" for each in (one.value, one.low, one.high)
        ]
        interval = "–" if "–" in bounds else f"[{', '.join(bounds)}]"
        found[name] = [f"{hits:,} of {of:,}", value, interval]
    return found


class Cells(HTMLParser):
    """Texts of the cells of a table, row by row."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.feed(source)

    def handle_starttag(self, tag: str, _: Any) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def figure() -> str:
    """The figure as the page has it, with its style and its script."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(r"<figure class=\"lesson\" data-lesson>.*?</figure>", page, re.DOTALL)
    style, script = re.search(r"<link .*?>", page), re.search(r"<script .*?</script>", page)
    assert found
    assert style
    assert script
    return f"{style[0]}{found[0]}{script[0]}"


def test_without_a_script_the_page_has_a_true_table() -> None:
    head, *matrix_rows = Cells(figure()).rows[:3]
    tp, fn, fp, tn = (int(re.findall(r"\d+", cell)[0]) for row in matrix_rows for cell in row[1:])
    rows = Cells(figure()).rows[4:]
    assert head == ["", "called sick", "called well"]
    assert [row[1:4] for row in rows] == list(written(matrix(tp, fn, fp, tn)).values())


def test_it_is_small() -> None:
    assert (DOCS / "_static" / "lesson.js").stat().st_size < 7_000


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """The figure in a browser, from a file, without a network."""
    (tmp_path / "tutorial").mkdir()
    shutil.copytree(DOCS / "_static", tmp_path / "_static")
    file = tmp_path / "tutorial" / "page.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><body>{figure()}", encoding="utf-8")
    trouble: list[str] = []
    page = chromium.new_page()
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("console", lambda line: trouble.append(line.text))
    page.on("request", lambda one: None if one.url.startswith("file:") else trouble.append(one.url))
    page.goto(file.as_uri())
    yield page
    page.close()
    assert trouble == []


READ = """() => Object.fromEntries([...document.querySelectorAll("[data-score]")].map(row => [
    row.dataset.score,
    [[row.dataset.value, row.dataset.low, row.dataset.high].map(Number),
     [...row.cells].slice(1, 4).map(cell => cell.textContent)]]))"""
TYPE = """counts => counts.forEach((n, i) => {
    const input = document.querySelectorAll("[data-lesson] input[type=number]")[i];
    input.value = n;
    input.dispatchEvent(new Event("input", {bubbles: true}));
})"""


def settings() -> list[list[int]]:
    """Counts of every size, with zeros, and small ones beside each end of a share."""
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.uniform(0, 5, (50, 4))
    wild = np.where(rng.random((50, 4)) < 0.2, rng.integers(0, 4, (50, 4)), sizes.astype(int))
    edges = [[k, n - k, 0, 50] for n in (9, 10, 16, 50, 51) for k in range(min(n, 5))]
    return [[0, 0, 0, 0], [1, 15, 5, 11], *edges, *wild.tolist()]


def check(page: Any, counts: list[int]) -> None:
    m = matrix(*counts)
    words = written(m) if m.total else {name: ["0 of 0", "–", "–"] for name in SCORES}
    for name, (numbers, texts) in page.evaluate(READ).items():
        one = cm.interval(m, name)
        assert numbers == pytest.approx([one.value, one.low, one.high], abs=1e-12, nan_ok=True), (
            name,
            counts,
        )
        assert texts == words[name], (name, counts)


@pytest.mark.peers
def test_its_numbers_are_those_of_confmat(opened: Any) -> None:
    for counts in settings():
        opened.evaluate(TYPE, counts)
        check(opened, counts)


@pytest.mark.peers
def test_it_is_used_without_a_mouse_and_says_what_it_shows(opened: Any) -> None:
    """Every control has a name and is reached by keys; a status says in words what has changed."""
    names = []
    for _ in range(10):
        opened.keyboard.press("Tab")
        names.append(
            opened.evaluate(
                "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
                " || document.activeElement.ariaLabel"
            )
        )
    assert names == [
        "Call sick from a score of ",
        "always says well",
        "always says sick",
        "a good test, one in a hundred sick",
        "the same test, half of them sick",
        "ten people",
        "true positives",
        "false negatives",
        "false positives",
        "true negatives",
    ]
    opened.get_by_role("button", name="always says well").press("Enter")
    said = opened.get_by_role("status").filter(has_text="0 of 10 sick are found")
    said.wait_for()
    assert "Accuracy is 0.990; one answer for everybody would have 0.990." in said.inner_text()
    check(opened, [0, 10, 0, 990])

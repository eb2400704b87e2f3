"""The documentation as it was built: light pages that need no network, a search that finds, and no barrier."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "docs" / "_build" / "html"
SIZE = 300_000
# The pages that the sources have now; others may be left of an earlier build.
PAGES = [
    BUILT / page.relative_to(ROOT / "docs").with_suffix(".html")
    for page in sorted((ROOT / "docs").rglob("*.md"))
]

pytestmark = pytest.mark.skipif(
    not BUILT.exists(), reason="the documentation is not built: python3 run.py docs"
)


@pytest.fixture(scope="module")
def written() -> dict[str, str]:
    return {
        page.relative_to(BUILT).as_posix(): page.read_text(encoding="utf-8")
        for page in PAGES
        if page.exists()
    }


def test_no_page_is_heavy(written: dict[str, str]) -> None:
    sizes = {name: len(text.encode()) for name, text in written.items()}
    assert {name: size for name, size in sizes.items() if size > SIZE} == {}


def test_no_page_needs_another_host(written: dict[str, str]) -> None:
    """Links lead away; scripts, styles, pictures and fonts come along."""
    fetched = re.compile(
        r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(?:https?:)?//|<link\b[^>]*\bhref=\"(?:https?:)?//"
    )
    assert {name for name, text in written.items() if fetched.search(text)} == set()


def test_formulas_are_set(written: dict[str, str]) -> None:
    """Every formula is MathML; none is left as its source, and F1 has no factor of 1."""
    assert {
        name for name, text in written.items() if re.search(r'class="math notr|\\\[\s*\\', text)
    } == set()
    assert "<mfrac>" in written["reference/generated/metric-recall.html"]
    assert not re.search(r"<mn>1</mn>\s*<mo>⋅</mo>", written["reference/generated/metric-f1.html"])


def test_the_filter_is_small() -> None:
    assert (BUILT / "_static" / "confmat.js").stat().st_size < 5_000


# Pages, and words that people search for and mean them.
SEARCHED = [
    line.split(": ")
    for line in (ROOT / "tests/data/searched.txt").read_text(encoding="utf-8").splitlines()
]
# Pages of the project, which are in the sidebar and no result of any search.
INTERNAL = {"architecture", "changelog", "contributing", "explanation/design"}


@pytest.mark.peers
def test_the_search_finds_by_every_name(chromium: Any) -> None:
    """Sphinx's own search, on the index as it was built."""
    page = chromium.new_page()
    page.goto((BUILT / "search.html").as_uri())
    page.wait_for_function("Search.hasIndex()")
    ask = (
        "words => Search._performSearch(...Search._parseQuery(words)).reverse().map(one => one[0])"
    )
    wanted = {word: place for place, words in SEARCHED for word in words.split("; ")}
    found = {word: page.evaluate(ask, word) for word in wanted}
    page.close()
    first = {word: next(iter(places), None) for word, places in found.items()}
    assert {word: place for word, place in first.items() if place != wanted[word]} == {}
    assert {word for word, places in found.items() if INTERNAL & {*places}} == set()


@pytest.mark.peers
def test_the_table_of_metrics_is_filtered(chromium: Any) -> None:
    page = chromium.new_page()
    page.goto((BUILT / "reference/generated/index.html").as_uri())
    said, every = page.locator("form.filter output"), page.locator("table.filtered tbody tr")
    assert said.inner_text() == f"{every.count()} of {every.count()} metrics"
    page.locator("input[name=words]").fill("hit rate")
    shown = page.locator("table.filtered tbody tr:visible")
    assert shown.filter(has_text="MulticlassRecall").count() == 1
    assert shown.count() < every.count() / 10
    page.locator("input[name=words]").fill("")
    page.locator("select[name=Task]").select_option("agreement of raters")
    page.locator("select[name='Other names']").select_option("scikit-learn")
    assert 0 < shown.count() < 10
    assert said.inner_text().startswith(f"{shown.count()} of")
    page.close()


# The front page, a few guides, a metric, an object, and the pages with controls.
LOOKED_AT = [
    "index.html",
    "skill.html",
    "tutorial/read-a-matrix.html",
    *(
        f"how-to/{page.stem}.html"
        for page in sorted((ROOT / "docs" / "how-to").glob("*.md"))[3::15]
    ),
    "reference/generated/metric-recall.html",
    "reference/generated/confmat.count.html",
    "reference/generated/index.html",
    "search.html",
]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("scheme", "rules"), [("light", []), ("dark", ["color-contrast"])], ids=["light", "dark"]
)
def test_axe_core_finds_nothing(chromium: Any, scheme: str, rules: list[str]) -> None:
    """No rule of axe-core is broken; on a dark page, which differs in its colors alone, that of colors is asked."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = chromium.new_page(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    broken = {}
    for name in LOOKED_AT:
        page.goto((BUILT / name).as_uri())
        if name.endswith("generated/index.html"):
            # A few rows of hundreds that are alike.
            page.locator("input[name=words]").fill("hit rate")
        found = axe.run(
            page, options={"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        )
        broken[name] = [
            (one["id"], [node["html"][:200] for node in one["nodes"]])
            for one in found.response["violations"]
        ]
    page.close()
    assert broken == {name: [] for name in LOOKED_AT}

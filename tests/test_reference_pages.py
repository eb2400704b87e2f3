"""The generated reference: a page for each metric with computed numbers, works that exist, and links that resolve."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import confmat
from confmat.metrics.catalog import peer_names
from confmat.metrics.declaration import catalog, factories

DOCS = Path(__file__).resolve().parent.parent / "docs"

pytestmark = pytest.mark.skipif(
    not DOCS.exists(), reason="only in a clone, not in an installed package"
)


@pytest.fixture(scope="module")
def generator() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location(
        "generate_reference", DOCS / "generate_reference.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def pages(generator: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    written = generator.generate(tmp_path_factory.mktemp("reference") / "generated")
    return {page.name: page.read_text(encoding="utf-8") for page in written}


def test_every_metric_has_a_page(generator: ModuleType, pages: dict[str, str]) -> None:
    for one in (*catalog().values(), *factories().values()):
        assert f"{generator.slug(one.name)}.md" in pages  # type: ignore[attr-defined]


def test_no_two_pages_are_one(generator: ModuleType, pages: dict[str, str]) -> None:
    assert len(pages) == len(catalog()) + len(factories()) + len(generator.public_pages()) + 3


def test_every_public_name_is_described(generator: ModuleType, pages: dict[str, str]) -> None:
    groups = generator.groups()
    assert sorted(name for names in list(groups.values())[:-1] for name in names) == sorted(
        name
        for name in dir(confmat)
        if name not in generator.groups()["Public rooms"] and name[0] != "_"
    )
    for title, names in groups.items():
        for name in names:
            assert title == "Public rooms" or f"[`{name}`](" in pages["public.md"], name


def test_numbers_are_computed(pages: dict[str, str]) -> None:
    """Recall of Cat 4/6, Fish 2/10, Hen 6/9."""
    assert "| 0.6667 | 0.2 | 0.6667 | 0.5111 | 0.48 | 0.48 |" in pages["metric-recall.md"]
    assert "`accuracy` is 0.48." in pages["metric-accuracy.md"]


def test_every_work_is_in_the_bibliography(generator: ModuleType) -> None:
    keys = {key for one in catalog().values() for key in one.references}
    assert keys - set(generator.WORKS) == set(), "add them to docs/bibliography.py"


def test_every_work_is_referred_to(generator: ModuleType) -> None:
    made = [family(*family.example) for family in factories().values()]
    keys = {key for one in (*catalog().values(), *made) for key in one.references}
    texts = {generator.WORKS[key] for key in keys if key in generator.WORKS}
    assert set(generator.WORKS.values()) == texts


def test_links_lead_to_pages(pages: dict[str, str]) -> None:
    for name, text in pages.items():
        for target in re.findall(r"\]\(([\w-][\w.-]*\.md)\)", text):
            assert target in pages, f"{name} links to {target}"


def test_the_map_has_every_name(pages: dict[str, str]) -> None:
    for name in peer_names():
        space, _, own = name.partition(":")
        if f"`{space}:`" in pages["migration.md"]:
            assert f"`{own}`" in pages["migration.md"].replace("\\|", "|"), name


# Pages, and words that people search for and mean them.
SEARCHED = [
    line.split(": ")
    for line in (DOCS.parent / "tests/data/searched.txt").read_text(encoding="utf-8").splitlines()
]


@pytest.fixture(scope="module")
def heads(pages: dict[str, str]) -> dict[str, list[str]]:
    """The pages of each word that the search knows."""
    texts = {
        one.relative_to(DOCS).with_suffix("").as_posix(): one.read_text(encoding="utf-8")
        for one in DOCS.rglob("*.md")
        if one.parent.name != "generated"
    }
    texts |= {
        f"reference/generated/{name.removesuffix('.md')}": text for name, text in pages.items()
    }
    found: dict[str, list[str]] = {}
    for name, text in texts.items():
        line = re.search("^search: (.*)$", text.partition("\n---\n")[0], re.MULTILINE)
        for word in line[1].strip('"').split("; ") if line else []:
            found.setdefault(word.lower(), []).append(name)
    return found


@pytest.mark.parametrize(("page", "words"), SEARCHED, ids=[page for page, _ in SEARCHED])
def test_the_search_knows_a_page_for_what_people_look_for(
    page: str, words: str, heads: dict[str, list[str]]
) -> None:
    found = {word: heads.get(word.lower()) for word in words.split("; ")}
    assert found == {word: [page] for word in found}


def test_a_word_is_at_the_head_of_one_written_page(heads: dict[str, list[str]]) -> None:
    """A word of two pages would find one of them by chance."""
    written = {
        word: [name for name in names if not name.startswith("reference/generated/")]
        for word, names in heads.items()
    }
    assert {word: names for word, names in written.items() if len(names) > 1} == {}


@pytest.mark.parametrize(
    "page", ["architecture", "changelog", "contributing", "explanation/design"]
)
def test_pages_of_the_project_are_not_searched(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert text.startswith("---\nnosearch: true\n---\n")

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
    assert keys - set(generator.WORKS) == set()


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


# Words that people search for, and the page that has each.
SEARCHED = {
    "per class accuracy": "how-to/evaluate-a-classifier.md",
    "map": "how-to/detection.md",
    "imbalanced": "how-to/evaluate-a-classifier.md",
    "accuracy paradox": "how-to/evaluate-a-classifier.md",
    "icc": "how-to/raters.md",
    "excel": "how-to/paper.md",
    "colorblind": "how-to/paper.md",
    "kappa weights": "metric-weighted_kappa.md",
    "normalize": "how-to/terminal-and-notebook.md",
    "top 5 accuracy": "confmat.top_k_accuracy.md",
    "pass rate": "how-to/judges.md",
    "delong": "how-to/thresholds.md",
    "tensorboard": "how-to/recipes.md",
    "migration": "migration.md",
    "tutorial": "tutorial/first-matrix.md",
    "quick start": "tutorial/first-matrix.md",
    "heat map": "confmat.plot.md",
    "mean iou": "metric-jaccard.md",
    "roc auc": "confmat.roc_auc.md",
    "evaluate": "confmat.report.md",
    "read csv": "confmat.count_files.md",
}


@pytest.mark.parametrize("words", SEARCHED)
def test_the_search_knows_a_page_for_what_people_look_for(
    words: str, generator: ModuleType, pages: dict[str, str]
) -> None:
    heads = {
        str(one.relative_to(DOCS)): one.read_text(encoding="utf-8") for one in DOCS.rglob("*.md")
    }
    heads = {name: text for name, text in heads.items() if "generated" not in name} | pages
    found = {
        name
        for name, text in heads.items()
        if (line := re.search("^search: (.*)$", text.partition("\n---\n")[0], re.MULTILINE))
        and words in line[1].strip('"').split("; ")
    }
    assert found == {SEARCHED[words]}


def test_the_changelog_is_not_searched() -> None:
    assert (
        (DOCS / "changelog.md").read_text(encoding="utf-8").startswith("---\nnosearch: true\n---\n")
    )

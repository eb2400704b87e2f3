"""The recipes and the pages for those who come from other packages: every block runs and prints what the page says."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import confmat as cm

ROOT = Path(__file__).resolve().parents[2]
# Marked `py`, not `python`, since those blocks run everywhere, also where the packages are absent.
EXAMPLE = re.compile(
    r"^```py\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
IMPORT = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(
        not (ROOT / "docs").exists(), reason="only in a clone, not in an installed package"
    ),
    # Warnings and open files of other packages are no concern of ours.
    pytest.mark.filterwarnings("ignore"),
]


class Section(NamedTuple):
    page: Path
    title: str
    line: int
    text: str


def sections() -> list[Any]:
    """The parts of the pages, each with a namespace of its own."""
    found = []
    for name in ("recipes", "from-torchmetrics"):
        page = ROOT / f"docs/how-to/{name}.md"
        told = page.read_text(encoding="utf-8") if page.exists() else ""
        starts = [0, *(match.start() for match in re.finditer(r"^## ", told, re.MULTILINE))]
        for start, stop in zip(starts, [*starts[1:], len(told)], strict=True):
            text = told[start:stop]
            if "```py\n" in text:
                title = text.partition("\n")[0].lstrip("# ")
                found.append(
                    pytest.param(
                        Section(page, title, told[:start].count("\n"), text), id=f"{name}: {title}"
                    )
                )
    return found


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "tests/test_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(section: Section, pages: ModuleType) -> dict[str, Any]:
    for package in IMPORT.findall(section.text):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for example in EXAMPLE.finditer(section.text):
        line = section.line + section.text[: example.start("code")].count("\n")
        printed = pages.printed_by(example["code"], section.page, line, namespace)
        assert example["printed"] is None or printed == example["printed"]
    return namespace


@pytest.mark.parametrize("section", sections())
def test_a_recipe_prints_what_the_page_says(
    section: Section, pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # A real store in a folder; MLflow wants it said, since it prefers databases.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    for name in ("WANDB_SILENT", "WANDB_DISABLE_GIT", "WANDB_DISABLE_CODE"):
        monkeypatch.setenv(name, "true")
    run(section, pages)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if "mlflow" in section.text:
        stored = {path.name for path in (tmp_path / "runs").rglob("artifacts/*")}
        assert stored == {"matrix.json", "matrix.png", "report.html"}


def evaluations() -> Iterator[Any]:
    """The value that a Trainer hands over, and another with the same two fields."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (4, 6))
    labels[:, 4:] = -100
    fields = {"predictions": rng.random((4, 6, 3)), "label_ids": labels}
    yield SimpleNamespace(**fields)
    if importlib.util.find_spec("transformers") is not None:
        yield importlib.import_module("transformers.trainer_utils").EvalPrediction(**fields)


def test_compute_metrics_takes_what_a_trainer_hands_over(pages: ModuleType) -> None:
    section = next(
        each.values[0] for each in sections() if "compute_metrics" in each.values[0].text
    )
    compute_metrics = run(section, pages)["compute_metrics"]
    for evaluation in evaluations():
        found = compute_metrics(evaluation)
        actual, predicted = (
            evaluation.label_ids[:, :4].ravel(),
            evaluation.predictions[:, :4].argmax(-1).ravel(),
        )
        m = cm.count(actual, predicted, labels=range(3))
        assert all(isinstance(value, float) for value in found.values())
        assert found == {
            "accuracy": cm.accuracy(m),
            "f1.macro": cm.f1(m, average="macro"),
            "mcc": cm.mcc(m),
            "recall[hen]": cm.recall(m, of=2),
        }

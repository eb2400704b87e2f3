"""The recipes and the pages for those who come from other packages: every block runs and prints what the page says."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import subprocess
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
    for name in ("recipes", "from-torchmetrics", "training-loop", "detection"):
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
    return importlib.import_module("tests.test_docs")


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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_masks_of_coco_files_score_as_pycocotools_has_it(
    pages: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of the page on files whose annotations are in no order, with crowds and images without any."""
    mask = pytest.importorskip("pycocotools.mask", reason="pycocotools is not installed")
    evaluation = pytest.importorskip("pycocotools.cocoeval", reason="pycocotools is not installed")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)

    def shape(centre: Any) -> Any:
        grid = np.mgrid[:60, :60] - np.reshape(centre, (2, 1, 1))
        code = mask.encode(np.asfortranarray((np.square(grid).sum(0) < 80).astype(np.uint8)))
        return {**code, "counts": code["counts"].decode()}

    truth, found = [], []
    for number, place in enumerate(rng.permutation(np.repeat(range(7), 6)).tolist(), 1):
        centre = rng.uniform(10, 50, 2)
        fact = {"image_id": place, "category_id": int(rng.integers(1, 3))}
        if place:
            code = shape(centre)
            crowd = int(rng.random() < 0.2)
            fact |= {"bbox": mask.toBbox(code).tolist(), "area": float(mask.area(code))}
            truth.append({**fact, "id": number, "segmentation": code, "iscrowd": crowd})
            fact = {name: fact[name] for name in ("image_id", "category_id")}
        if place < 6:
            near = shape(np.clip(centre + rng.normal(0, 2, 2), 5, 55))
            found.append({**fact, "segmentation": near, "score": round(rng.random(), 3)})
    images = [{"id": place, "width": 60, "height": 60} for place in range(7)]
    kinds = [{"id": 1, "name": "car"}, {"id": 2, "name": "van"}]
    files = {"truth": {"images": images, "categories": kinds, "annotations": truth}, "found": found}
    for name, data in files.items():
        Path(f"{name}.json").write_text(json.dumps(data))

    section = next(each.values[0] for each in sections() if "polygons" in each.values[0].title)
    *_, lines = EXAMPLE.finditer(section.text)
    space: dict[str, Any] = {"mask": mask}
    pages.printed_by(lines["code"], section.page, section.line, space)
    with contextlib.redirect_stdout(io.StringIO()):
        theirs = evaluation.COCOeval(space["truth"], space["found"], "segm")
        theirs.evaluate()
        theirs.accumulate()
        theirs.summarize()
    ours = cm.detection.coco_average_precision(*space["boxes"], overlaps=space["overlaps"])
    assert 0.1 < ours.mean < 1
    assert ours.mean == pytest.approx(theirs.stats[0], abs=1e-12)


@pytest.mark.nightly
def test_two_processes_train_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of the page, under torchrun: each item is counted once, and both processes give one matrix."""
    pytest.importorskip("torch.distributed.run", reason="PyTorch is not installed")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/how-to/training-loop.md").read_text(encoding="utf-8")
    program, said = re.findall(
        r"^```(?:\{code-block\} python\n:caption: train.py\n\n|sh\ntorchrun .*\n```\n\n```text\n)(.*?)^```",
        page,
        re.MULTILINE | re.DOTALL,
    )
    Path("train.py").write_text(program)
    command = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone"]
    done = subprocess.run(
        [*command, "--nproc-per-node", "2", "train.py"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=200,
    )
    assert done.stdout == said, done.stderr
    torch = importlib.import_module("torch")
    torch.manual_seed(0)
    x = torch.randn(601, 4)[400:]
    truth = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
    for epoch in (1, 2):
        m = cm.load(f"epoch-{epoch}.json")
        assert m.actual_totals.tolist() == torch.bincount(truth).tolist()

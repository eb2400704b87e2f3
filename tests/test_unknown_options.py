"""The law of options: no public function drops one that it does not know."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

ROOMS = (
    "metrics",
    "io",
    "costs",
    "deciding",
    "structure",
    "multilabel",
    "detection",
    "segmentation",
    "spans",
    "hierarchy",
)
M = cm.ConfusionMatrix([[3, 1], [0, 2]], ["cat", "hen"])
BOXES = cm.Boxes(["i"], [[0, 0, 2, 2]], ["a"], scores=[0.9])
FRAME = {"y": ["cat", "hen"], "old": ["cat", "cat"], "new": ["cat", "hen"]}
UNKNOWN = {"no_such_option": 1}


def _files(folder: Path) -> Path:
    """A folder with a file of each kind that `load` reads, and one of rows."""
    for name in ("m.json", "m.csv", "m.txt"):
        cm.save(M, folder / name)
    (folder / "rows.csv").write_text("y,old,new\ncat,cat,cat\nhen,cat,hen\n")
    (folder / "names.csv").write_text("alias,label\nkitty,cat\n")
    sample = {
        "id": 1,
        "epoch": 1,
        "input": "?",
        "target": "cat",
        "metadata": {},
        "choices": ["cat", "hen"],
    }
    sample["scores"] = {"match": {"value": "C", "answer": "A"}}
    log = {
        "version": 2,
        "status": "success",
        "eval": {"model": "m"},
        "samples": [sample | {"target": "A"}],
    }
    (folder / "log.json").write_text(json.dumps(log))
    return folder


# Calls of the functions that take options by **; all others name theirs.
CALLS: dict[str, Callable[..., Any]] = {
    "load": lambda folder, **more: [cm.load(folder / "m.json", **more)],
    "load of CSV": lambda folder, **more: cm.load(folder / "m.csv", **more),
    "load of text": lambda folder, **more: cm.load(folder / "m.txt", **more),
    "load of a log": lambda folder, **more: cm.load(folder / "log.json", **more),
    "compare_files": lambda folder, **more: cm.compare_files(
        folder / "rows.csv", actual="y", predictions=["old", "new"], **more
    ),
    "compare_frame": lambda _, **more: cm.compare_frame(
        importlib.import_module("pyarrow").table(FRAME),
        actual="y",
        predictions=["old", "new"],
        **more,
    ),
    "compare": lambda _, **more: cm.compare({"a": M, "b": M}, **more),
    "matrix": lambda folder, **more: cm.io.read_log(folder / "log.json").matrix(**more),
    "compare of logs": lambda folder, **more: cm.compare(
        dict.fromkeys("ab", folder / "log.json"), **more
    ),
    "report": lambda _, **more: cm.report(M, **more),
    "score": lambda _, **more: cm.score(M, "f1.macro", **more),
    "items_needed": lambda _, **more: cm.items_needed(M, "accuracy", width=0.05, **more),
    "read": lambda folder, **more: cm.Answers.read(folder / "names.csv", **more),
    "from_predicted_rows": lambda _, **more: cm.ConfusionMatrix.from_predicted_rows(
        [[1, 0], [0, 1]], **more
    ),
    "to": lambda _, **more: M.table().to("csv", **more),
    "box_errors": lambda _, **more: cm.detection.box_errors(BOXES, BOXES, **more),
    "from_frame": lambda _, **more: cm.Examples.from_frame(
        FRAME, actual="y", predicted="old", columns=["new"], **more
    ),
    "of_class": lambda _, **more: cm.metrics.of_class(title="A", latex="a", **more)(
        lambda cells: cells.tp
    ),
    "of_matrix": lambda _, **more: cm.metrics.of_matrix(title="A", latex="a", **more)(
        lambda margins: margins.total
    ),
    "renamed": lambda _, **more: cm.f1.renamed("mine", **more),
}


def _public() -> Iterator[tuple[str, Any]]:
    """Every public function of confmat's own, methods of classes too."""
    for room in (cm, *(importlib.import_module(f"confmat.{name}") for name in ROOMS)):
        for name in [*getattr(room, "__all__", ()), *dir(room)]:
            value = getattr(room, name)
            if name.startswith("_") or not callable(value) or isinstance(value, type(cm.io)):
                continue
            yield name, value
            if isinstance(value, type) and not issubclass(value, BaseException):
                parts = (
                    (part, getattr(value, part, None))
                    for part in dir(value)
                    if not part.startswith("_")
                )
                yield from ((part, one) for part, one in parts if callable(one))


def test_every_function_with_open_options_is_called_here() -> None:
    found = set()
    for name, value in _public():
        if isinstance(value, (cm.Metric, type)) or not str(
            getattr(value, "__module__", "")
        ).startswith("confmat"):
            continue
        kinds = {one.kind for one in inspect.signature(value).parameters.values()}
        if inspect.Parameter.VAR_KEYWORD in kinds and not hasattr(value, "example"):
            found.add(name)
    assert found <= CALLS.keys(), found - CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_option_is_refused(tmp_path: Path, name: str) -> None:
    if name == "compare_frame":
        pytest.importorskip("pyarrow")
    folder = _files(tmp_path)
    CALLS[name](folder)
    with pytest.raises((TypeError, cm.InputError), match="no_such_option"):
        CALLS[name](folder, **UNKNOWN)


@pytest.mark.parametrize("metric", cm.catalog().values(), ids=str)
def test_metrics_refuse_unknown_options(metric: Any) -> None:
    with pytest.raises((TypeError, cm.InputError), match="no_such_option"):
        metric(M, **UNKNOWN)

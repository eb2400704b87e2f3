"""The rooms that stand on the engine: the page says of each what it carries and refuses, as its doors do."""

from __future__ import annotations

import ast
import importlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.errors import ConfmatError
from confmat.hierarchy import Hierarchy, hierarchical_f1, severity
from confmat.io import from_json, to_json

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "explanation" / "tasks.md"
DEMANDS = ("weights", "groups", "labels outside", "sparse", "clusters", "positive class")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
WALL = next(one for one in CONTRACTS if one["name"].startswith("The engine imports nothing"))
ROOMS = {path.parent.name for path in (ROOT / "src" / "confmat").glob("*/__init__.py")} - {
    name.removeprefix("confmat.") for name in WALL["source_modules"]
}

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="only in a clone, not in an installed package"
)

ACTUAL, PREDICTED, GROUPS = list("xyxy"), list("xxxy"), list("uuvv")
SCORES, WEIGHTS = [0.9, 0.6, 0.8, 0.1], [1.5, 1, 1, 2]
COLUMNS = {"actual": ACTUAL, "predicted": PREDICTED, "w": WEIGHTS, "g": GROUPS}
TREE = Hierarchy.from_parents({"x": "both", "y": "both"})
COSTS = cm.Costs({("x", "y"): 2, ("y", "x"): 1}, default=3)
M = cm.count(ACTUAL, PREDICTED)
MATRICES = {
    "": M,
    "weights": cm.count(ACTUAL, PREDICTED, weights=WEIGHTS),
    "groups": cm.count(ACTUAL, PREDICTED, by=GROUPS),
    "labels outside": cm.count(
        [*ACTUAL, "x"], [*PREDICTED, "?"], labels=["x", "y"], other="collect"
    ),
    "sparse": M.sparse(),
    "clusters": cm.count(ACTUAL, PREDICTED, clusters=GROUPS),
    "positive class": cm.count(ACTUAL, PREDICTED, positive="y"),
}
# The demands on a door that counts, by the options of `count`; doors that spell one otherwise say
# so.
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "weights": {"weights": WEIGHTS},
    "groups": {"by": GROUPS},
    "labels outside": {"labels": ["x"], "other": "collect"},
    "sparse": {"sparse": True},
    "clusters": {"clusters": GROUPS},
    "positive class": {"positive": "x"},
}
IS_CARRIED: dict[str, Callable[[Any], bool]] = {
    "groups": lambda found: isinstance(found, cm.Stack),
    "labels outside": lambda found: bool(found.labels.outside),
    "sparse": lambda found: found.is_sparse,
    "clusters": lambda found: isinstance(found, cm.Stack) or "cluster" in found.design,
}
HAS_CELLS = (cm.ConfusionMatrix, cm.Stack)


def count_boxes(**options: Any) -> Any:
    truth = {"i": {"boxes": [[0, 0, 2, 2], [3, 3, 5, 5]], "labels": ["x", "y"]}}
    found = {"i": {"boxes": [[0, 0, 2, 2]], "labels": ["x"], "scores": [0.9]}}
    return cm.count_boxes(truth, found, **options)


def count_masks(**options: Any) -> Any:
    return cm.count_masks(np.array([[[0, 1]], [[1, 0]]]), np.array([[[0, 1]], [[1, 1]]]), **options)


def count_spans(**options: Any) -> Any:
    return cm.count_spans([("d", 0, 2, "x"), ("d", 5, 6, "y")], [("d", 0, 2, "y")], **options)


def count_multilabel(**options: Any) -> Any:
    return cm.count_multilabel([["x"], ["x", "y"], [], ["x"]], [["x"], ["y"], ["x"], []], **options)


def answered(**options: Any) -> Any:
    rules = cm.Answers(refused="I cannot*")
    return cm.count(
        ACTUAL, ["X", "x.", "Y", "I cannot"], answers=rules, **{"labels": ["x", "y"], **options}
    )


def judged(**options: Any) -> Any:
    return cm.judged(ACTUAL * 10, PREDICTED * 10, gold=[*"xyxyxy", *[None] * 34], **options)


def counted_by_command(tmp_path: Path, *words: str) -> Any:
    main = importlib.import_module("confmat.cli").main
    source, target = tmp_path / "rows.csv", tmp_path / "counted.json"
    lines = [",".join(map(str, row)) for row in ([*COLUMNS], *zip(*COLUMNS.values(), strict=True))]
    source.write_text("\n".join(lines) + "\n")
    with pytest.raises(SystemExit) as end:
        main(["count", str(source), *words, "-q", "-o", str(target)])
    if end.value.code not in {0, None}:
        msg = "the command said no"
        raise cm.InputError(msg)
    return cm.load(target)


def frame() -> Any:
    return pytest.importorskip("pandas", reason="pandas is not installed").DataFrame(COLUMNS)


def read_back(m: Any) -> tuple[str, Any]:
    found = from_json(to_json(m))
    return str(found), getattr(found, "positive", None)


def face(name: str) -> Any:
    pytest.importorskip("sklearn", reason="the face asks scikit-learn")
    return getattr(importlib.import_module("confmat.sklearn"), name)


POSITIVE = {"positive class": {"labels": cm.Labels(["x", "y"], positive="x")}}
# By room and door: what the door makes of options, and how it spells what is asked.
COUNTING: dict[tuple[str, str], tuple[Callable[..., Any], dict[str, dict[str, Any]]]] = {
    ("answers", "count(answers=...)"): (answered, {"labels outside": {}}),
    ("calibrating", "calibration"): (
        lambda **options: cm.calibration(ACTUAL, SCORES, **{"positive": "x", **options}),
        {"positive class": {"positive": "y"}},
    ),
    ("deciding", "compare_scores"): (
        lambda **options: cm.compare_scores(ACTUAL, {"a": SCORES}, **{"positive": "x", **options}),
        {"positive class": {"positive": "y"}},
    ),
    ("deciding", "decision_curve"): (
        lambda **options: cm.decision_curve(ACTUAL, SCORES, **{"positive": "x", **options}),
        {"positive class": {"positive": "y"}},
    ),
    ("deciding", "from_scores"): (
        lambda **options: cm.from_scores(ACTUAL, SCORES, **{"positive": "x", **options}),
        {"positive class": {"positive": "y"}},
    ),
    ("deciding", "risk_coverage"): (
        lambda **options: cm.risk_coverage(ACTUAL, PREDICTED, SCORES, **options),
        {},
    ),
    ("detection", "count_boxes"): (
        count_boxes,
        {"groups": {"by_image": True}, "labels outside": {}, **POSITIVE},
    ),
    ("io", "calibration_frame"): (
        lambda **options: cm.calibration_frame(
            frame().assign(p=SCORES), "p", **{"actual": "actual", "positive": "x", **options}
        ),
        {"positive class": {"positive": "y"}},
    ),
    ("io", "count_frame"): (
        lambda **options: cm.count_frame(
            frame(), **{"actual": "actual", "predicted": "predicted", **options}
        ),
        {"weights": {"weights": "w"}, "groups": {"by": "g"}, "clusters": {"clusters": "g"}},
    ),
    ("judging", "judged"): (judged, {}),
    ("multilabel", "count_multilabel"): (
        count_multilabel,
        {
            "groups": {"along": "item"},
            "labels outside": {"matrix": True},
            "positive class": {"labels": cm.Labels(["x", "y"], positive="x"), "matrix": True},
        },
    ),
    ("segmentation", "count_masks"): (
        count_masks,
        {
            "groups": {"by": ["u", "v"]},
            "labels outside": {"labels": [0], "other": "collect"},
            "positive class": {"labels": cm.Labels([0, 1], positive=1)},
        },
    ),
    ("sklearn", "f1_score"): (
        lambda **options: face("f1_score")(ACTUAL, PREDICTED, **{"pos_label": "x", **options}),
        {"weights": {"sample_weight": WEIGHTS}, "positive class": {"pos_label": "y"}},
    ),
    ("spans", "count_spans"): (
        count_spans,
        {"groups": {"by_document": True}, "labels outside": {}, **POSITIVE},
    ),
}
READING: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("auditing", "audit"): lambda m: cm.audit(m, {"accuracy": "0.75", "recall": "1.00"}),
    ("costs", "cost_report"): lambda m: cm.cost_report(m, COSTS),
    ("costs", "expected_cost"): lambda m: cm.expected_cost(m, COSTS),
    ("hierarchy", "hierarchical_f1"): lambda m: hierarchical_f1(m, TREE),
    ("hierarchy", "severity"): lambda m: severity(m, TREE),
    ("io", "to_json"): read_back,
    ("pages", "html"): cm.html,
}
COMMAND = {
    "": (),
    "weights": ("-w", "w"),
    "groups": ("--by", "g"),
    "labels outside": ("--labels", "x", "--other", "collect"),
    "sparse": ("--sparse",),
    "clusters": ("--clusters", "g"),
    "positive class": ("--positive", "x"),
}
DOORS = sorted([*COUNTING, *READING, ("cli", "confmat count")])


def asked(room: str, door: str, demand: str, tmp_path: Path) -> Any:
    """Ask this of the door; nothing is asked as ''."""
    if room == "cli":
        return counted_by_command(tmp_path, *COMMAND[demand])
    if (room, door) in READING:
        return READING[room, door](MATRICES[demand])
    call, spelt = COUNTING[room, door]
    return call(**spelt.get(demand, OPTIONS[demand]))


def derived(room: str, door: str, demand: str, tmp_path: Path) -> str:
    """Derive what the door does: carried, refused, or a dash where its result has no such thing."""
    usual, reads = asked(room, door, "", tmp_path), (room, door) in READING
    has_cells = isinstance(usual, HAS_CELLS)
    try:
        found = asked(room, door, demand, tmp_path)
    except (ConfmatError, TypeError):
        return "–" if demand == "sparse" and not has_cells and not reads else "refused"
    if reads:
        assert demand != "sparse" or str(found) == str(usual)
        return "–" if demand == "positive class" and str(found) == str(usual) else "carried"
    if demand == "positive class" and has_cells:
        assert getattr(found, "positive", None) is not None
    elif demand in IS_CARRIED:
        assert IS_CARRIED[demand](found)
    else:
        assert str(found) != str(usual), f"{door} takes {demand} and does nothing with it"
    return "carried"


def printed() -> dict[tuple[str, str], list[str]]:
    lines = [
        line.strip("| ").split(" | ")
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line[:1] == "|"
    ]
    assert [cell.strip() for cell in lines[0]] == ["module", "function", *DEMANDS]
    return {
        (room.strip(), door.strip(" `")): [cell.strip() for cell in cells]
        for room, door, *cells in lines[2:]
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("room", "door"), DOORS, ids="-".join)
def test_the_page_says_what_the_doors_do(room: str, door: str, tmp_path: Path) -> None:
    if room == "cli":
        pytest.importorskip("click")
        pytest.importorskip("duckdb")
    assert printed()[room, door] == [derived(room, door, demand, tmp_path) for demand in DEMANDS]


@pytest.mark.parametrize("option", ["positive", "pos_label"])
def test_a_refusal_names_no_option_that_would_be_ignored(option: str) -> None:
    options: dict[str, Any] = {option: "x"}
    with pytest.raises(cm.ConfmatError, match="no class is positive in its result"):
        cm.risk_coverage(ACTUAL, PREDICTED, SCORES, **options)
    with pytest.raises(cm.ConfmatError, match=r"say labels=Labels\(\[...\], positive=...\)"):
        count_spans(**options)


def test_every_room_has_a_door_on_the_page() -> None:
    doors = {room for room, _ in DOORS}
    assert ROOMS - doors == set(), "add a door to COUNTING or READING of this file"
    assert doors - ROOMS == set(), "a door of a room that is not there"
    assert {*printed()} == {*DOORS}, "the table of docs/explanation/tasks.md has a line for each"
    behind = {name.removeprefix("confmat.") for name in WALL["forbidden_modules"]}
    assert ROOMS - behind == set(), "add it to the wall in pyproject.toml"


@pytest.mark.parametrize("room", sorted(ROOMS))
def test_a_room_says_what_it_refuses(room: str) -> None:
    text = (ROOT / "src" / "confmat" / room / "__init__.py").read_text(encoding="utf-8")
    words = ast.get_docstring(ast.parse(text)) or ""
    assert "refuse" in words.lower()

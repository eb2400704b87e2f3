"""Related classes and costs: --hierarchy, --roll-up, --costs, --outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import confmat as cm
from tests.cli.conftest import Counted, Run, Told

H = cm.Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
M = cm.ConfusionMatrix(
    [[5, 3, 1, 0, 1], [2, 6, 0, 0, 0], [1, 0, 7, 1, 0], [0, 0, 0, 9, 0], [0] * 5],
    ["lemon", "lime", "apple", "leek", "(refused)"],
    outside=["(refused)"],
)
COSTS = cm.Costs({("lemon", "lime"): 1, ("apple", "leek"): 10}, default=2)
OF_HIERARCHY = [
    *(
        score(H)
        for score in (
            cm.hierarchy.hierarchical_precision,
            cm.hierarchy.hierarchical_recall,
            cm.hierarchy.hierarchical_f1,
        )
    ),
    *(cm.hierarchy.lca_height(H, mistakes=mistakes) for mistakes in (False, True)),
]


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "h.txt").write_text("fruit/citrus/lemon\nfruit/citrus/lime\nfruit/apple\nleek\n")
    (folder / "c.json").write_text(
        '{"costs": {"lemon": {"lime": 1}, "apple": {"leek": 10}}, "default": 2}'
    )
    cm.save(M, folder / "m.json")
    rows = [(a, p) for (a, p), many in M.pairs().items() for _ in range(many) if p != "(refused)"]
    (folder / "rows.csv").write_text("y_true,y_pred\n" + "".join(f"{a},{p}\n" for a, p in rows))
    return folder


def overall(ok: Told, *arguments: str) -> dict[str, float]:
    out = ok("report", *arguments, "-f json")
    found: dict[str, float] = json.loads(out)["overall"]
    return found


@pytest.mark.parametrize("level", ["1", "2", "fruit"])
def test_classes_are_rolled_up(counted: Counted, files: Path, level: str) -> None:
    expected = M.roll_up(H, int(level) if level.isdigit() else [level])
    assert counted(f"count m.json --hierarchy h.txt --roll-up {level}") == expected
    assert counted(f"show m.json --hierarchy h.txt --roll-up {level}") == expected
    rows = counted(f"count rows.csv --hierarchy h.txt --roll-up {level}")
    assert rows == counted("count rows.csv").roll_up(H, int(level) if level.isdigit() else [level])


def test_the_report_has_the_scores_of_the_hierarchy(ok: Told, files: Path) -> None:
    found = overall(ok, "m.json --hierarchy h.txt")
    assert found["hierarchical_f1"] == pytest.approx(cm.hierarchy.hierarchical_f1(M, H))
    assert found["lca_height_of_mistakes"] == pytest.approx(
        cm.hierarchy.lca_height(M, H, mistakes=True)
    )
    assert found["accuracy"] == pytest.approx(cm.accuracy(M))
    asked = overall(ok, "m.json --hierarchy h.txt --metrics mcc,hierarchical_f1")
    assert list(asked)[:2] == ["mcc", "hierarchical_f1"]
    assert "accuracy" not in asked


def test_costs(ok: Told, files: Path) -> None:
    assert overall(ok, "m.json --costs c.json")["cost"] == pytest.approx(cm.expected_cost(M, COSTS))
    out = ok("report m.json --costs c.json")
    assert str(cm.cost_report(M, COSTS)) in out
    ok("report m.json --costs c.json -o r.txt")
    assert "fix first" in (files / "r.txt").read_text()


def test_bars_for_these_scores(run: Run, files: Path) -> None:
    files_named = ("m.json --hierarchy h.txt --costs c.json",)
    assert (
        run("report", *files_named, "--fail-over cost=1 --fail-under hierarchical_f1=0.5")[0] == 0
    )
    status, _, err = run(
        "report", *files_named, "--fail-over cost=0.1 --fail-under hierarchical_f1=0.99"
    )
    assert status == 1
    assert "cost = 0.638889 exceeds 0.1" in err
    assert "hierarchical_f1 = " in err


def test_what_stands_outside_may_be_left_out(run: Run, ok: Told, files: Path) -> None:
    assert overall(ok, "m.json")["accuracy"] == cm.accuracy(M)
    assert overall(ok, "m.json --outside exclude")["accuracy"] == cm.accuracy(M, outside="exclude")
    bar = (cm.accuracy(M) + cm.accuracy(M, outside="exclude")) / 2
    assert run(f"report m.json --fail-under accuracy={bar}")[0] == 1
    assert run(f"report m.json --fail-under accuracy={bar} --outside exclude")[0] == 0


def test_scores_at_worst_and_at_best(ok: Told, no: Told, files: Path) -> None:
    out = ok("report m.json --outside bounds")
    assert out.rstrip().endswith(str(cm.unanswered(M)).rstrip())
    assert "say wrong or exclude otherwise" in no("report m.json --outside bounds -f json")


def test_a_page_in_groups(ok: Told, files: Path) -> None:
    ok("html m.json --hierarchy h.txt -o r.html -q")
    expected = cm.html(
        M, class_groups=H, title="m", normalize="actual", order="auto", scores=OF_HIERARCHY
    )
    assert (files / "r.html").read_text() == expected


def test_models_are_compared_by_these_scores(ok: Told, files: Path) -> None:
    other = cm.ConfusionMatrix([[9, 0, 0, 1], [0, 8, 0, 0], [0, 0, 9, 0], [3, 0, 0, 6]], H.leaves)
    cm.save(other, files / "n.json")
    out = ok("compare m.json n.json --hierarchy h.txt --costs c.json")
    assert "hierarchical f1" in out
    assert "cost" in out
    out = ok("compare m.json n.json --hierarchy h.txt --roll-up 1 -m accuracy")
    assert f"{cm.accuracy(other.roll_up(H)):.3f}" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("report m.json --roll-up 1", "name its file with --hierarchy"),
        (
            "report m.json --hierarchy none.csv",
            "none.csv: there is no such file to read a hierarchy from",
        ),
        ("report m.json --hierarchy m.json --roll-up 1", "m.json"),
        ("report m.json --costs h.txt", "h.txt"),
        ("count m.json --hierarchy h.txt", "say at which level: --roll-up 1"),
        (
            "report m.json --fail-over normalized_cost=1",
            "normalized_cost needs a file: --costs FILE",
        ),
        ("report m.json --costs sides.json", "'leek': name the pairs"),
        (
            "report two.json --costs sides.json",
            "'a', 'b': say --positive LABEL, or name the pairs",
        ),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    cm.save(cm.count(["a", "b"], ["a", "b"]), files / "two.json")
    (files / "sides.json").write_text('{"fp": 1, "fn": 5}')
    assert said in no(arguments)


def test_a_class_without_a_place_is_told_in_options(no: Told, files: Path) -> None:
    (files / "odd.csv").write_text("y_true,y_pred\nlemon,rock\n")
    assert "leave them out with --labels and --other drop" in no("report odd.csv --hierarchy h.txt")
    assert "--roll-up goes from 1" in no("report rows.csv --hierarchy h.txt --roll-up 9")


@pytest.mark.parametrize(
    "arguments",
    [
        "report m.json --costs c.json -o c.json",
        "show m.json --hierarchy h.txt --roll-up 1 -o h.txt",
        "html m.json --hierarchy h.txt --roll-up 1 -o h.txt",
    ],
)
def test_files_that_options_name_are_not_overwritten(no: Told, files: Path, arguments: str) -> None:
    name = arguments.rsplit(maxsplit=1)[-1]
    before = (files / name).read_text()
    assert f"{name} is an input and would be overwritten" in no(arguments)
    assert (files / name).read_text() == before


def test_a_page_has_the_scores_of_costs_and_of_a_hierarchy(run: Run, files: Path) -> None:
    assert run("html m.json -o p.html -q --hierarchy h.txt --costs c.json")[0] == 0
    page = (files / "p.html").read_text(encoding="utf-8")
    priced = cm.cost_report(M, COSTS)
    assert page == cm.html(
        priced, title="m", class_groups=H, scores=[*OF_HIERARCHY, cm.metrics.cost(COSTS)]
    )
    assert (
        run(
            "html m.json -o p.html -q --costs c.json -m recall[lime],f2.macro,cost",
        )[0]
        == 0
    )
    page = (files / "p.html").read_text(encoding="utf-8")
    assert page == cm.html(
        priced, title="m", scores=[cm.metrics.cost(COSTS), "recall[lime]", "f2.macro"]
    )

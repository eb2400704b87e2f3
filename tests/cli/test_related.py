"""Related classes and costs: --hierarchy, --roll-up, --costs, --outside."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import confmat as cm

Run = Callable[..., tuple[int, str, str]]

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


def matrix(run: Run, *arguments: str) -> cm.ConfusionMatrix:
    status, out, err = run(*arguments, "-f", "json", "-q")
    assert status == 0, err
    found = cm.io.from_json(out)
    assert isinstance(found, cm.ConfusionMatrix)
    return found


def overall(run: Run, *arguments: str) -> dict[str, float]:
    status, out, err = run("report", *arguments, "-f", "json")
    assert status == 0, err
    found: dict[str, float] = json.loads(out)["overall"]
    return found


@pytest.mark.parametrize("level", ["1", "2", "fruit"])
def test_classes_are_rolled_up(run: Run, files: Path, level: str) -> None:
    expected = M.roll_up(H, int(level) if level.isdigit() else [level])
    assert matrix(run, "count", "m.json", "--hierarchy", "h.txt", "--roll-up", level) == expected
    assert matrix(run, "show", "m.json", "--hierarchy", "h.txt", "--roll-up", level) == expected
    rows = matrix(run, "count", "rows.csv", "--hierarchy", "h.txt", "--roll-up", level)
    assert rows == matrix(run, "count", "rows.csv").roll_up(
        H, int(level) if level.isdigit() else [level]
    )


def test_groups_are_rolled_up_each(run: Run, files: Path) -> None:
    text = (files / "rows.csv").read_text().splitlines()
    lines = [f"{line},{'ns'[place % 2]}" for place, line in enumerate(text[1:])]
    (files / "by.csv").write_text("\n".join(["y_true,y_pred,site", *lines]) + "\n")
    status, out, err = run(
        "count", "by.csv", "--by", "site", "--hierarchy", "h.txt", "--roll-up", "1", "-f", "json"
    )
    assert status == 0, err
    stack = cm.io.from_json(out)
    assert isinstance(stack, cm.Stack)
    assert stack.axis == "site"
    assert stack.sum() == matrix(run, "count", "rows.csv", "--hierarchy", "h.txt", "--roll-up", "1")


def test_the_report_has_the_scores_of_the_hierarchy(run: Run, files: Path) -> None:
    found = overall(run, "m.json", "--hierarchy", "h.txt")
    assert found["hierarchical_f1"] == pytest.approx(cm.hierarchy.hierarchical_f1(M, H))
    assert found["lca_height_of_mistakes"] == pytest.approx(
        cm.hierarchy.lca_height(M, H, mistakes=True)
    )
    assert found["accuracy"] == pytest.approx(cm.accuracy(M))
    asked = overall(run, "m.json", "--hierarchy", "h.txt", "--metrics", "mcc,hierarchical_f1")
    assert list(asked)[:2] == ["mcc", "hierarchical_f1"]
    assert "accuracy" not in asked


def test_costs(run: Run, files: Path) -> None:
    assert overall(run, "m.json", "--costs", "c.json")["cost"] == pytest.approx(
        cm.expected_cost(M, COSTS)
    )
    status, out, err = run("report", "m.json", "--costs", "c.json")
    assert status == 0, err
    assert str(cm.cost_report(M, COSTS)) in out
    status, _, err = run("report", "m.json", "--costs", "c.json", "-o", "r.txt")
    assert status == 0, err
    assert "fix first" in (files / "r.txt").read_text()


def test_bars_for_these_scores(run: Run, files: Path) -> None:
    files_named = ("m.json", "--hierarchy", "h.txt", "--costs", "c.json")
    assert (
        run("report", *files_named, "--fail-over", "cost=1", "--fail-under", "hierarchical_f1=0.5")[
            0
        ]
        == 0
    )
    status, _, err = run(
        "report", *files_named, "--fail-over", "cost=0.1", "--fail-under", "hierarchical_f1=0.99"
    )
    assert status == 1
    assert "cost = 0.638889 exceeds 0.1" in err
    assert "hierarchical_f1 = " in err
    # Costs give more than their mean: better than no model at all, for one.
    bars = ("--fail-over", "normalized_cost=0.01", "--fail-over", "total_cost=1000")
    status, _, err = run("report", *files_named, *bars)
    assert status == 1
    assert f"normalized_cost = {cm.metrics.normalized_cost(COSTS)(M):.6g} exceeds 0.01" in err
    assert "total_cost" not in err
    status, out, err = run("report", "m.json", "--costs", "c.json", "--metrics", "total_cost")
    assert status == 0, err
    assert f"total cost  {cm.metrics.total_cost(COSTS)(M):.3f}" in out
    status, _, err = run("report", *files_named, "--fail-under", "cost=0.1")
    assert status == 2
    assert "lower is better; say --fail-over" in err


def test_what_stands_outside_may_be_left_out(run: Run, files: Path) -> None:
    assert overall(run, "m.json")["accuracy"] == cm.accuracy(M)
    assert overall(run, "m.json", "--outside", "exclude")["accuracy"] == cm.accuracy(
        M, outside="exclude"
    )
    bar = (cm.accuracy(M) + cm.accuracy(M, outside="exclude")) / 2
    assert run("report", "m.json", "--fail-under", f"accuracy={bar}")[0] == 1
    assert (
        run("report", "m.json", "--fail-under", f"accuracy={bar}", "--outside", "exclude")[0] == 0
    )


def test_scores_at_worst_and_at_best(run: Run, files: Path) -> None:
    status, out, err = run("report", "m.json", "--outside", "bounds")
    assert status == 0, err
    assert out.rstrip().endswith(str(cm.unanswered(M)).rstrip())
    status, _, err = run("report", "m.json", "--outside", "bounds", "-f", "json")
    assert status == 2
    assert "say wrong or exclude otherwise" in err


def test_a_page_in_groups(run: Run, files: Path) -> None:
    status, _, err = run("html", "m.json", "--hierarchy", "h.txt", "-o", "r.html")
    assert status == 0, err
    expected = cm.html(
        M, class_groups=H, title="m", normalize="actual", order="auto", scores=OF_HIERARCHY
    )
    assert (files / "r.html").read_text() == expected


def test_models_are_compared_by_these_scores(run: Run, files: Path) -> None:
    other = cm.ConfusionMatrix([[9, 0, 0, 1], [0, 8, 0, 0], [0, 0, 9, 0], [3, 0, 0, 6]], H.leaves)
    cm.save(other, files / "n.json")
    status, out, err = run(
        "compare", "m.json", "n.json", "--hierarchy", "h.txt", "--costs", "c.json"
    )
    assert status == 0, err
    assert "hierarchical f1" in out
    assert "cost" in out
    status, out, err = run(
        "compare", "m.json", "n.json", "--hierarchy", "h.txt", "--roll-up", "1", "-m", "accuracy"
    )
    assert status == 0, err
    assert f"{cm.accuracy(other.roll_up(H)):.3f}" in out
    (files / "two.csv").write_text(
        "y,a,b\nlemon,lime,lemon\nlime,lime,leek\nlemon,lemon,lemon\nleek,leek,leek\n"
    )
    columns = ("compare", "two.csv", "-a", "y", "-p", "a", "-p", "b", "--hierarchy", "h.txt")
    status, out, err = run(*columns, "-m", "accuracy,hierarchical_f1")
    assert status == 0, err
    assert "hierarchical f1" in out
    status, _, err = run(*columns, "--roll-up", "1")
    assert status == 2
    assert "--roll-up" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "m.json", "--roll-up", "1"], "name its file with --hierarchy"),
        (
            ["report", "m.json", "--hierarchy", "none.csv"],
            "none.csv: there is no such file to read a hierarchy from",
        ),
        (["report", "m.json", "--hierarchy", "m.json", "--roll-up", "1"], "m.json"),
        (["report", "m.json", "--costs", "h.txt"], "h.txt"),
        (["count", "m.json", "--hierarchy", "h.txt", "--roll-up", "9"], "9"),
        (["count", "m.json", "--hierarchy", "h.txt", "--roll-up", "meat"], "meat"),
        (["count", "m.json", "--hierarchy", "h.txt"], "say at which level: --roll-up 1"),
        (["report", "m.json", "--fail-under", "hierarchical_f1=0.9"], "--hierarchy"),
        (
            ["report", "m.json", "--fail-over", "normalized_cost=1"],
            "normalized_cost needs a file: --costs FILE",
        ),
        (["report", "m.json", "--costs", "sides.json"], "'leek': name the pairs"),
        (
            ["report", "two.json", "--costs", "sides.json"],
            "'a', 'b': say --positive LABEL, or name the pairs",
        ),
    ],
)
def test_what_is_wrong_is_said(run: Run, files: Path, arguments: list[str], said: str) -> None:
    cm.save(cm.count(["a", "b"], ["a", "b"]), files / "two.json")
    (files / "sides.json").write_text('{"fp": 1, "fn": 5}')
    status, _, err = run(*arguments)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_scores_of_a_hierarchy_are_explained(run: Run) -> None:
    for name, told in (
        ("hierarchical_f1", "F1"),
        ("lca_height", "common ancestor"),
        ("severity", "of mistakes alone"),
    ):
        status, out, err = run("explain", name)
        assert status == 0, err
        assert told in out
        assert "--hierarchy FILE" in out
        assert ("Values: 0 to the height of the hierarchy; lower is better" in out) == (
            name != "hierarchical_f1"
        )
    status, out, _ = run("metrics", "hier")
    assert status == 0
    assert "hierarchical_f1" in out
    assert "lca_height_of_mistakes" in out


def test_a_class_without_a_place_is_told_in_options(run: Run, files: Path) -> None:
    (files / "odd.csv").write_text("y_true,y_pred\nlemon,rock\n")
    status, _, err = run("report", "odd.csv", "--hierarchy", "h.txt")
    assert status == 2
    assert "leave them out with --labels and --other drop" in err
    status, _, err = run("report", "rows.csv", "--hierarchy", "h.txt", "--roll-up", "9")
    assert status == 2
    assert "--roll-up goes from 1" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "m.json", "--costs", "c.json", "-o", "c.json"),
        ("show", "m.json", "--hierarchy", "h.txt", "--roll-up", "1", "-o", "h.txt"),
        ("html", "m.json", "--hierarchy", "h.txt", "--roll-up", "1", "-o", "h.txt"),
    ],
)
def test_files_that_options_name_are_not_overwritten(
    run: Run, files: Path, arguments: tuple[str, ...]
) -> None:
    before = (files / arguments[-1]).read_text()
    status, _, err = run(*arguments)
    assert status == 2
    assert f"{arguments[-1]} is an input and would be overwritten" in err
    assert (files / arguments[-1]).read_text() == before


def test_a_page_has_the_scores_of_costs_and_of_a_hierarchy(run: Run, files: Path) -> None:
    assert (
        run("html", "m.json", "-o", "p.html", "-q", "--hierarchy", "h.txt", "--costs", "c.json")[0]
        == 0
    )
    page = (files / "p.html").read_text(encoding="utf-8")
    priced = cm.cost_report(M, COSTS)
    assert page == cm.html(
        priced, title="m", class_groups=H, scores=[*OF_HIERARCHY, cm.metrics.cost(COSTS)]
    )
    assert (
        run(
            "html",
            "m.json",
            "-o",
            "p.html",
            "-q",
            "--costs",
            "c.json",
            "-m",
            "recall[lime],f2.macro,cost",
        )[0]
        == 0
    )
    page = (files / "p.html").read_text(encoding="utf-8")
    assert page == cm.html(
        priced, title="m", scores=[cm.metrics.cost(COSTS), "recall[lime]", "f2.macro"]
    )
    for name, said in (
        ("recal[lime]", "did you mean 'recall'"),
        ("recall", "say 'recall.macro' or 'recall[lemon]'"),
    ):
        assert said in run("html", "m.json", "-o", "p.html", "-m", name)[2]
    cm.save(cm.count_multilabel([{"a"}], [{"a"}]), files / "several.json")
    _, out, err = run("html", "several.json", "--costs", "c.json", "-o", "-")
    assert (out, "about one label an item" in err) == ("", True)

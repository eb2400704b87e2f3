"""Fields that hold several labels: --sep, --matrix."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import confmat as cm

Run = Callable[..., tuple[int, str, str]]

ACTUAL = ["cat", "cat;dog", "", "hen", "cat;hen"]
PREDICTED = ["cat", "dog;hen", "hen", "", "hen;cat"]
TEXT = "y_true,y_pred,w\n" + "".join(
    f"{a},{p},{w}\n" for a, p, w in zip(ACTUAL, PREDICTED, (1, 2, 0.5, 1, 1), strict=True)
)


@pytest.fixture
def several(folder: Path) -> Path:
    (folder / "m.csv").write_text(TEXT)
    return folder


def counted(run: Run, *arguments: str, stdin: str | None = None) -> cm.ConfusionMatrix | cm.Stack:
    status, out, err = run("count", *arguments, "--sep", ";", "--format", "json", "-q", stdin=stdin)
    assert status == 0, err
    found = cm.io.from_json(out)
    assert isinstance(found, (cm.ConfusionMatrix, cm.Stack))
    return found


def test_it_is_what_count_multilabel_gives(run: Run, several: Path) -> None:
    expected = cm.count_multilabel(ACTUAL, PREDICTED, sep=";")
    for source, stdin in (("m.csv", None), ("-", TEXT)):
        found = counted(run, source, stdin=stdin)
        assert found == expected
        assert isinstance(found, cm.Stack)
        assert found["cat"].squares is None
        assert counted(run, source, "--matrix", stdin=stdin) == cm.count_multilabel(
            ACTUAL, PREDICTED, sep=";", matrix=True
        )


def test_lists_of_json(run: Run, several: Path) -> None:
    sides = [[one.split(";") if one else [] for one in side] for side in (ACTUAL, PREDICTED)]
    rows = [json.dumps({"y_true": a, "y_pred": p}) for a, p in zip(*sides, strict=True)]
    (several / "m.jsonl").write_text("\n".join(rows) + "\n")
    assert counted(run, "m.jsonl") == cm.count_multilabel(ACTUAL, PREDICTED, sep=";")
    numbers = [json.dumps({"y_true": [3, 10], "y_pred": [10]}), json.dumps({"y_true": [], "y_pred": [3]})]
    (several / "n.jsonl").write_text("\n".join(numbers) + "\n")
    found = counted(run, "n.jsonl", "-l", "10,3")
    assert found == cm.count_multilabel([{3, 10}, set()], [{10}, {3}], labels=[10, 3])
    (several / "n.jsonl").write_text('{"y_true": null, "y_pred": ["a"]}\n{"y_true": ["a"], "y_pred": ["a"]}\n')
    status, _, err = run("count", "n.jsonl", "--sep", ",")
    assert status == 2
    assert "--missing drop" in err
    (several / "n.jsonl").write_text('{"y_true": [["a"]], "y_pred": ["a"]}\n')
    status, _, err = run("count", "n.jsonl", "--sep", ",")
    assert status == 2
    assert "holds a JSON list, which is no label" in err


@pytest.mark.peers
def test_lists_of_parquet(run: Run, several: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sides = [[one.split(";") if one else [] for one in side] for side in (ACTUAL, PREDICTED)]
    pq.write_table(pa.table({"y_true": sides[0], "y_pred": sides[1]}), several / "m.parquet")
    assert counted(run, "m.parquet") == cm.count_multilabel(ACTUAL, PREDICTED, sep=";")


def test_weights(run: Run, several: Path) -> None:
    expected = cm.count_multilabel(ACTUAL, PREDICTED, sep=";", weights=[1, 2, 0.5, 1, 1])
    found = counted(run, "m.csv", "-w", "w")
    assert found == expected
    assert isinstance(found, cm.Stack)
    assert found["hen"].squares is not None
    assert found["hen"].squares.tolist() == expected["hen"].squares.tolist()  # type: ignore[union-attr]
    whole = counted(run, "m.csv", "-w", "w", "--matrix")
    assert whole == cm.count_multilabel(ACTUAL, PREDICTED, sep=";", weights=[1, 2, 0.5, 1, 1], matrix=True)


def test_a_report_has_the_labels_in_its_rows(run: Run, several: Path) -> None:
    status, out, err = run("report", "m.csv", "--sep", ";")
    assert status == 0, err
    items = cm.count_multilabel(ACTUAL, PREDICTED, sep=";", along="item")
    assert out.rstrip() == str(cm.report(cm.count_multilabel(ACTUAL, PREDICTED, sep=";"), items=items)).rstrip()
    status, _, err = run("report", "m.csv", "--sep", ";", "--matrix")
    assert status == 0, err


def test_a_stored_stack_of_labels_is_reported_alike(run: Run, several: Path) -> None:
    """But for what is asked of the items, of which it has lost sight."""
    expected = cm.report(cm.count_multilabel(ACTUAL, PREDICTED, sep=";"))
    status, _, err = run("count", "m.csv", "--sep", ";", "-o", "m.json")
    assert status == 0, err
    status, out, _ = run("report", "m.json")
    assert (status, out.rstrip()) == (0, str(expected).rstrip())


@pytest.mark.parametrize("more", [(), ("--intervals",), ("--averages", "samples,micro")])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_report_has_what_is_asked_of_the_items(run: Run, folder: Path, more: tuple[str, ...], weighted: bool) -> None:
    """Rows that are alike are gathered, and still count one by one; those that are left out do not count."""
    actual, predicted = [*ACTUAL, *ACTUAL[:2], ACTUAL[0], "NA"], [*PREDICTED, *PREDICTED[:2], PREDICTED[1], "cat"]
    weights = [(1, 2, 0.5)[at % 3] for at in range(len(actual))]
    rows = [f"{a},{b},{w}\n" for a, b, w in zip(actual, predicted, weights, strict=True)]
    (folder / "twice.csv").write_text("y_true,y_pred,w\n" + "".join(rows))
    how = ("--sep", ";", "--missing-value", "NA", "--missing", "drop", "--format", "json", *more)
    status, out, err = run("report", "twice.csv", *how, *(("-w", "w") if weighted else ()))
    assert status == 0, err
    known = {"sep": ";", "weights": weights[:-1] if weighted else None}
    stack = cm.count_multilabel(actual[:-1], predicted[:-1], **known)  # type: ignore[call-overload]
    items = cm.count_multilabel(actual[:-1], predicted[:-1], along="item", **known)  # type: ignore[call-overload]
    averages = ["samples", "micro"] if "--averages" in more else None
    expected = cm.report(stack, items=items, intervals="--intervals" in more, averages=averages)
    found, stored = json.loads(out), json.loads(cm.io.to_json(expected))
    # A sum in another order differs in its last digit.
    assert found["overall"] == pytest.approx(stored["overall"])
    assert found["averages"]["samples"] == pytest.approx(stored["averages"]["samples"])
    assert (found["coverage"], found["notes"]) == (stored["coverage"], stored["notes"])
    assert ("intervals" in found) == ("--intervals" in more)


def test_bars_are_held_against_the_items_too(run: Run, several: Path) -> None:
    known = {"sep": ";"}
    stack = cm.count_multilabel(ACTUAL, PREDICTED, **known)  # type: ignore[call-overload]
    items = cm.count_multilabel(ACTUAL, PREDICTED, along="item", **known)  # type: ignore[call-overload]
    asked = ["f1.samples", "exact_match", "hamming_loss"]
    report = cm.report(stack, asked, items=items)
    for score, value in report.overall.items():
        option, step = ("--fail-over", -0.01) if score == "hamming_loss" else ("--fail-under", 0.01)
        assert run("report", "m.csv", "--sep", ";", option, f"{score}={value - step}")[0] == 0
        status, _, err = run("report", "m.csv", "--sep", ";", option, f"{score}={value + step}")
        assert status == 1
        assert f"{score} = {value:.6g}" in err
    status, out, err = run("report", "m.csv", "--sep", ";", "--metrics", ",".join(asked))
    assert (status, out.rstrip()) == (0, str(report).rstrip()), err
    status, _, err = run("report", "m.csv", "--sep", ";", "--matrix", "--fail-under", "exact_match=0.5")
    assert status == 2
    assert "report(stack, items=items)" in err


def test_a_mean_over_items_needs_their_rows(run: Run, several: Path) -> None:
    assert run("count", "m.csv", "--sep", ";", "-o", "m.json")[0] == 0
    for arguments in (["m.json"], ["m.csv", "--sep", ";", "--matrix"]):
        status, _, err = run("report", *arguments, "--averages", "samples")
        assert status == 2
        assert "is of rows with several labels each: say --sep" in err


def test_bars_are_held_against_the_labels_together(run: Run, several: Path) -> None:
    report = cm.report(cm.count_multilabel(ACTUAL, PREDICTED, sep=";"), ["f1.macro", "recall[cat]"])
    for score, value in report.overall.items():
        assert run("report", "m.csv", "--sep", ";", "--fail-under", f"{score}={value - 0.01}")[0] == 0
        status, _, err = run("report", "m.csv", "--sep", ";", "--fail-under", f"{score}={value + 0.01}")
        assert status == 1
        assert err.count("falls short of") == 1


def test_missing_and_other_labels(run: Run, folder: Path) -> None:
    (folder / "n.csv").write_text("y_true,y_pred\na;b,a\nNA,a\na,c\n")
    found = counted(run, "n.csv", "--missing-value", "NA", "--missing", "drop", "-l", "a,b", "--other", "drop")
    assert found == cm.count_multilabel([{"a", "b"}, {"a"}], [{"a"}, set()], labels=["a", "b"])
    status, _, err = run("count", "n.csv", "--sep", ";", "--missing-value", "NA")
    assert status == 2
    assert "--missing drop" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "w"], "leave --by out"),
        (["--missing", "collect"], "--missing"),
        (["--other", "collect"], "--other"),
        (["--resume", "x"], "--resume would change nothing here"),
        (["--max-pairs", "2"], "different pairs"),
        (["-w", "y_pred"], "weight"),
        (["--scores", "w"], "leave --scores out"),
    ],
)
def test_what_is_wrong_is_said(run: Run, several: Path, arguments: list[str], said: str) -> None:
    status, _, err = run("report", "m.csv", "--sep", ";", *arguments)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_matrix_alone_makes_no_sense(run: Run, several: Path) -> None:
    status, _, err = run("count", "m.csv", "--matrix")
    assert status == 2
    assert "--matrix is about several labels an item; say what stands between them with --sep" in err


def test_scores_of_one_label_an_item_are_refused(run: Run, several: Path) -> None:
    (several / "c.json").write_text('{"fp": 1, "fn": 5}')
    status, _, err = run("report", "m.csv", "--sep", ";", "--costs", "c.json")
    assert status == 2
    assert "--hierarchy and --costs are about one label an item" in err
    status, _, err = run("html", "m.csv", "--sep", ";", "--examples", "w")
    assert status == 2
    assert "--examples are of columns with one label in each row" in err

"""`confmat show` and what a terminal gets from every command: shades, a map, one class, few classes, an order."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.cli import output
from tests.cli.conftest import Counted, Run, Told

M = cm.ConfusionMatrix(
    [[5, 0, 4, 0], [0, 9, 0, 1], [3, 0, 6, 0], [0, 2, 0, 8]], ["cat", "car", "dog", "van"]
)


@pytest.fixture
def stored(folder: Path) -> str:
    cm.save(M, folder / "m.json")
    return "m.json"


def shown(thing: Any, **choices: Any) -> str:
    stream = io.StringIO()
    cm.show(thing, color=False, file=stream, **choices)
    return stream.getvalue()


def test_order(run: Run, ok: Told, counted: Counted, stored: str) -> None:
    assert ok(f"show {stored} --order cluster") == shown(M, order="cluster")
    assert ok(f"show {stored} --order recall --normalize actual") == shown(
        M, order="recall", normalize="actual"
    )
    found = counted(f"show {stored} --order cluster")
    assert list(found.labels) == ["cat", "dog", "car", "van"]
    assert run(f"show {stored} --order recal")[0] == 2


def test_one_class(run: Run, ok: Told, stored: str, folder: Path) -> None:
    out = ok(f"show {stored} --of cat")
    assert out == shown(M, of="cat")
    assert "true positives: 5   false positives: 3   false negatives: 4   true negatives: 26" in out
    assert cm.io.from_csv(ok(f"show {stored} --of cat -f csv")) == M.one_vs_rest("cat")
    status, out, err = run(f"show {stored} --of cta")
    assert (status, out) == (2, "")
    assert "did you mean 'cat'?" in err
    # Numbers are typed as text.
    cm.save(cm.ConfusionMatrix([[1, 2], [3, 4]], [7, 8]), folder / "n.json")
    assert "true positives: 4" in ok("show n.json --of 8")


def test_few_classes(run: Run, ok: Told, stored: str) -> None:
    out = ok(f"show {stored} --fold 2")
    assert out == shown(M, top=2)
    assert "2 of 4 classes folded into (other)" in out
    status, _, err = run(f"show {stored} --fold 2 -f csv")
    assert (status, err) == (2, "confmat: --fold is for tables that are looked at, not for csv\n")


def test_the_commonest_confusions_with_their_shares(ok: Told, stored: str) -> None:
    assert ok(f"show {stored} --top 2 --normalize predicted").splitlines() == [
        "actual  predicted  count  share of predicted",
        # 4 of 10 that were called a dog, 3 of 8 that were called a cat.
        "cat     dog            4               0.400",
        "dog     cat            3               0.375",
    ]


def test_groups_each_in_its_order(ok: Told, counted: Counted, folder: Path) -> None:
    stack = cm.Stack({"north": M, "south": M.T}, axis="site")
    cm.save(stack, folder / "s.json")
    out = ok("show s.json --of cat")
    assert out.startswith("site = north\n\n")
    assert "\nsite = south\n\n" in out
    found = counted("show s.json --of cat")
    assert found["south"] == M.T.one_vs_rest("cat")


# ---- in colours ----------------------------------------------------------------------------------


@pytest.fixture
def colored(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the program stood before a terminal with all colours."""
    pytest.importorskip("rich", reason="Rich, which colours, is not installed")
    for name, value in {
        "FORCE_COLOR": "1",
        "COLORTERM": "truecolor",
        "TERM": "xterm-256color",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("COLORFGBG", raising=False)


@pytest.mark.usefixtures("colored")
def test_every_command_draws(ok: Told, stored: str) -> None:
    for command in (
        ("show", stored),
        ("merge", stored),
        ("count", "preds.csv"),
        ("report", "preds.csv"),
    ):
        out = ok(*command)
        assert "\x1b[38;2;" in out, command
        assert "\x1b[" not in ok(*command, "-f csv")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ok(f"show {stored} --normalize all"))
    expected = shown(M, normalize="all").splitlines()
    assert [line.rstrip() for line in plain.splitlines()[: len(expected) - 1]] == expected[:-1]


@pytest.mark.usefixtures("colored")
def test_a_large_matrix_is_a_map_and_a_list(ok: Told, folder: Path) -> None:
    cm.save(cm.ConfusionMatrix(np.eye(200, dtype=int) * 9 + 1), folder / "big.json")
    out = ok("show big.json")
    assert "▀" in out
    assert "the 10 largest of 39,800 confusions" in out


@pytest.mark.usefixtures("colored")
def test_a_file_and_no_color_get_none(
    ok: Told, stored: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ok(f"show {stored} -o out.txt") == ""
    assert "\x1b" not in (folder / "out.txt").read_text(encoding="utf-8")
    monkeypatch.setenv("NO_COLOR", "1")
    assert ok(f"show {stored}") == f"{M}\n"


def test_a_label_is_found_as_it_is_written() -> None:
    matrix = cm.ConfusionMatrix([[1, 2], [3, 4]], [False, True])
    assert output.label_of(matrix, "True") is True
    assert output.label_of(matrix, "maybe") == "maybe"


# ---- predicted classes in rows, and words for shares ---------------------------------------------


@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex", "html"])
def test_rows_are_written_predicted_and_read_back(
    ok: Told, stored: str, folder: Path, form: str
) -> None:
    text = ok(f"show {stored} --write-rows predicted -f {form}")
    assert cm.read_printed(text) == M
    if form == "table":
        assert text == shown(M, rows="predicted")
    (folder / "turned.txt").write_text(text, encoding="utf-8")
    assert ok("show turned.txt") == f"{M}\n"
    assert ok("show turned.txt --rows predicted") == f"{M}\n"


def test_rates_with_predicted_rows(ok: Told, stored: str) -> None:
    rows = ok(f"show {stored} --write-rows predicted --normalize row -f csv").splitlines()
    assert rows[0] == "predicted\\actual,cat,car,dog,van"
    assert rows[1] == "cat,0.625,0.0,0.375,0.0"
    assert (
        rows
        == ok(f"show {stored} --write-rows predicted --normalize predicted -f csv").splitlines()
    )


@pytest.mark.parametrize("options", ["--top 2", "-f json", "-f jsonl"])
def test_what_has_no_rows_to_turn_is_refused(run: Run, stored: str, options: str) -> None:
    status, out, err = run(f"show {stored} --write-rows predicted", options)
    assert (status, out) == (2, "")
    assert "--write-rows is for square tables" in err


@pytest.mark.parametrize("options", ["show m.json", "count preds.csv", "show m.json --top 3"])
def test_shares_have_the_same_words_everywhere(ok: Told, stored: str, options: str) -> None:
    del stored
    answers = [ok(options, f"--normalize {word}") for word in ("actual", "true", "row")]
    assert answers[0] == answers[1] == answers[2] != ok(options, "--normalize pred")
    assert ok(options, "--normalize pred") == ok(options, "--normalize column")


def test_one_group_of_a_stored_stack(ok: Told, no: Told, counted: Counted, folder: Path) -> None:
    """A group goes by its key as the stack prints it, a number or a pair too."""
    other = M.reorder(["cat", "car", "dog", "van"]).T
    cm.save(cm.Stack({"north": M, "south": other}, axis="site"), folder / "sites.json")
    cm.save(cm.Stack({(3, "f"): M, (4, "m"): other}, axis="age, sex"), folder / "ages.json")
    assert ok("show sites.json --only south") == f"{other}\n"
    assert ok("show ages.json --only", ["4, m"]) == f"{other}\n"
    found = counted("show sites.json --only north")
    assert found == M
    assert "there is no site 'west'; there are 'north', 'south'" in no(
        "show sites.json --only west"
    )


def test_a_group_of_one_matrix_is_refused(no: Told, stored: str) -> None:
    assert "--only chooses one matrix of several" in no(f"show {stored} --only north")


@pytest.mark.usefixtures("colored")
def test_confusions_are_cut_to_the_width(ok: Told, folder: Path) -> None:
    cm.save(cm.ConfusionMatrix([[1, 2], [3, 4]], ["x" * 90, "y" * 90]), folder / "long.json")
    lines = re.sub(r"\x1b\[[0-9;]*m", "", ok("show long.json --top 5")).splitlines()
    assert lines[1].endswith("      3            42.9%")
    assert max(map(len, lines)) == 100

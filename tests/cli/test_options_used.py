"""The law of settings: an option that is given changes what comes out, or is refused by name."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm

click = pytest.importorskip("click")

from confmat.cli import main, options  # noqa: E402
from confmat.cli.options import Choice, Option, Settings, borrowed  # noqa: E402
from confmat.cli.program import COMMANDS, command_named  # noqa: E402
from tests.cli.conftest import inspect  # noqa: E402

# The word after an option; a choice has its last word, and a flag nothing.
VALUES = {
    "--actual": "second",
    "--predicted": "second",
    "--weight": "w",
    "--tally": "k",
    "--by": "site",
    "--labels": "hen,cat,fox",
    "--positive": "hen",
    "thresholds --labels": "hen,dog",
    "--missing-value": "cat",
    "--delimiter": ";",
    "--threads": "2",
    "--memory": "1MB",
    "--max-pairs": "2",
    "--every": "1ms",
    "--resume": "new.checkpoint",
    "--scores": "p",
    "--threshold": "0.9",
    "--top-k": "2",
    "--aliases": "names.csv",
    "--refused": "hen",
    "--abstained": "hen",
    "--extract": "last-line",
    "--pattern": "(c)",
    "--fuzzy": "0.1",
    "--hierarchy": "tree.csv",
    "--roll-up": "1",
    "--costs": "costs.json",
    "--top": "1",
    "--digits": "5",
    "--output": "out.csv",
    "--format": "csv",
    "--judge": "second",
    "--gold": "second",
    "--metrics": "cramer_v",
    "--metric": "kappa",
    "--bins": "3",
    "--max-fpr": "0.3",
    "--averages": "weighted",
    "--fail-under": "accuracy=0.99",
    "--fail-over": "error_rate=0.001",
    "--best": "kappa",
    "--examples": "site",
    "--per-cell": "1",
    "--images": "pictures",
    "--names": "first,other",
    "--title": "Title",
    "--level": "0.8",
    "--classes": "f1",
    "--cells": "1",
    "--diagnostic": "cat",
    "--no-worse": "accuracy=0.5",
    "--margin": "accuracy=0.4",
    "plan 0.85 --margin 0.02 --discordant 0.1 --margin": "0.03",
    "--power": "0.5",
    "--discordant": "0.2",
    "--prevalence": "0.2",
    "--id": "i",
    "--peek": "100",
    "--at-least": "accuracy=0.99",
    "--at-most": "error_rate=0.001",
    "--summary": "summary.md",
    "--junit": "gate.xml",
    "--claim": "mcc=0.1",
    "--claims": "claims.csv",
    "--total": "50",
    "--positives": "3",
    "--negatives": "3",
    "--support": "cat=6",
    "--undefined": "1",
    "--budget": "1",
    "--order": "support",
    "--of": "hen",
    "--fold": "2",
    "--only": "n",
    "--columns": "-1,-2",
    "--comment": "New",
    "--iou": "0.9",
    "--confidence": "0.95",
    "--html": "page.html",
    "--ignore": "0",
}
# The options for rows that have gaps.
GAPS = ["--missing-value", "none", "--missing", "drop"]
# Commands that succeed, with an input of each kind.
BASES = (
    "count pairs.csv",
    "count pairs.csv --normalize actual",
    "count pairs.csv --normalize actual --format csv",
    "count pairs.csv --labels cat,hen --other drop",
    "count m.json",
    "count s.json",
    "count run.eval",
    "count scores.csv -a y --scores p --positive cat",
    "count wide.csv --scores p_* --kind scores",
    "report pairs.csv",
    "report pairs.csv --format csv",
    "report pairs.csv -f jsonl",
    "report m.json",
    "report s.json",
    "report run.eval",
    "report scores.csv -a y --scores p --positive cat",
    "report judged.csv -p model --judge llm --gold checked",
    "html pairs.csv --examples id -o page.html",
    "html pairs.csv -a y_true -p old -p new -o page.html",
    "html m.json -o page.html",
    "html s.json -o page.html",
    "html run.eval --examples input -o page.html",
    "show m.json",
    "show s.json",
    "show printed.txt -f json",
    "show run.eval",
    "merge m.json m2.json",
    "merge s.json s.json",
    "thresholds scores.csv -a y --scores p --positive cat",
    "thresholds scores.csv -a y --scores p --positive cat -f json",
    "compare m.json m2.json",
    "compare pairs.csv -a y_true -p old -p new",
    "compare pairs.csv -a y_true -p old -p new --by site -m accuracy",
    "compare run.eval run2.eval",
    "compare run.eval run2.eval --by site -m accuracy",
    "compare run.eval run2.eval run3.eval",
    "compare items.tsv items2.tsv -a y -p p --id i",
    "compare m.json m2.json --classes f1",
    "compare m.json m2.json --cells 2",
    "compare m.json m2.json --diagnostic hen",
    "calibration scores.csv -a y --scores p --positive cat",
    "calibration scores.csv -a y --scores p --positive cat -f json",
    "compare scores.csv -a y --scores p --scores q --positive cat --labels cat,hen",
    "calibration wide.csv --scores p_* --of top",
    "gap pairs.csv --by site -m accuracy",
    "gap s.json -m f1.macro -f json",
    "gate m.json m2.json --no-worse accuracy=0.01",
    "gate pairs.csv -a y_true -p old -p new --no-worse accuracy=0.01",
    "gate pairs.csv -a y_true -p old -p new --no-worse accuracy=0.01 --by site",
    "plan 0.85 --margin 0.02 --discordant 0.1",
    "plan pairs.csv -a y_true -p old -p new --margin accuracy=0.05",
    "plan m.json m2.json --margin accuracy=0.05 --different-items",
    "audit printed.txt -c accuracy=0.88 -c recall=0.75 --positive cat",
    "audit m.json -c accuracy=0.75",
    "infer -s cat=2 -s dog=2 -c accuracy=0.50 -c precision[dog]=0.00 --undefined 0",
    "metrics agreement",
    "spans tags.conll",
    "segment true.npy found.npy",
    "detect truth.json found.json",
    "detect truth.json found.json --coco",
)
# Options that may be given without effect, and why.
IDLE: dict[str, str] = {
    "--quiet": "there may be no remarks",
    "--theme": "it is of terminals, and a pipe has no colours",
    "--threads": "a limit",
    "--memory": "a limit",
    "--every": "the files are counted before that time is over",
    "--input": "the files show it themselves",
    "--images": "there are no pictures",
    "--positive": "of three classes it is stored with the matrix, and no table shows it",
    "compare m.json m2.json --cells 2 --names": "cells are counts, of the first model and of the second",
    "compare m.json m2.json --cells 2 --same-items": "cells are counts",
}
ROWS = [
    ("cat", "cat", "cat", "hen", "n", 1), ("cat", "hen", "Cat!", "hen", "n", 2), ("hen", "hen", "cat", "hen", "s", 3),
    ("hen", "Hen.", "Cat!", "cat", "s", 1), ("dog", "dog", "dog", "dog", "n", 2), ("none", "cat", "hen", "dog", "s", 2),
]  # fmt: skip
# Small files as they are written.
TEXTS = {
    "tree.csv": "child,parent\ncat,pet\ndog,pet\nhen,farm\n",
    "names.csv": "alias,label\nhen,cat\n",
    "claims.csv": "score,number\nkappa,0.2\n",
    "costs.json": '{"costs": [[0, 5], [1, 0]]}',
    "printed.txt": "     cat hen\ncat    3   1\nhen    0   5\n",
    "tags.conll": "New B-LOC B-LOC\nYork I-LOC O\nis O O\nAnn B-PER I-LOC\n" * 3,
    "truth.json": """\
{"images": [{"id": 1, "file_name": "1.png"}], "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "bus"}],
"annotations": [
{"id": 0, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0},
{"id": 1, "image_id": 1, "category_id": 2, "bbox": [40, 40, 10, 10], "area": 100, "iscrowd": 0},
{"id": 2, "image_id": 1, "category_id": 1, "bbox": [4, 0, 10, 10], "area": 100, "iscrowd": 0}]}
""",
    "found.json": """\
[{"image_id": 1, "category_id": 1, "bbox": [1.5, 0, 10, 10], "score": 0.9},
{"image_id": 1, "category_id": 1, "bbox": [-3, 0, 10, 10], "score": 0.5},
{"image_id": 1, "category_id": 1, "bbox": [40, 41, 10, 10], "score": 0.8},
{"image_id": 1, "category_id": 2, "bbox": [43, 40, 10, 10], "score": 0.4}]
""",
}


def _write(folder: Path) -> None:
    def table(name: str, head: str, rows: Any) -> None:
        (folder / name).write_text(
            head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
        )

    fields = [row for row in ROWS if row[0] != "none"] * 4
    table(
        "pairs.csv",
        "y_true,y_pred,old,new,site,w,id,second",
        [(*r, n, r[2]) for n, r in enumerate(ROWS * 4)],
    )
    rng = np.random.default_rng(0)
    table(
        "scores.csv",
        "y,p,q,w,site",
        [(r[0], rng.random(), 1, r[5], r[4]) for r in [*ROWS[:4], ROWS[5]] * 5],
    )
    wide = [(0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.25, 0.25, 0.5)] * 8
    table(
        "wide.csv",
        "y_true,p_cat,p_hen,p_dog,w,site",
        [(r[0], *p, r[5], r[4]) for r, p in zip(ROWS * 4, wide, strict=True)],
    )
    judged = [(r[0], r[2], r[0] if n % 3 else "", r[4]) for n, r in enumerate(fields * 4)]
    table(
        "judged.csv",
        "llm,model,checked,site",
        [*judged, ("cat", "", "cat", "n"), ("cat", "fox", "cat", "n")],
    )
    for name, said in (("items.tsv", "cat"), ("items2.tsv", "hen")):
        lines = [(str(n), r[0], said if n % 3 else r[0], r[4]) for n, r in enumerate(fields)]
        (folder / name).write_text(
            "".join("\t".join(one) + "\n" for one in [("i", "y", "p", "site"), *lines])
        )
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    m = cm.ConfusionMatrix([[5, 1, 2], [2, 4, 1], [0, 3, 6]], ["cat", "hen", "dog"])
    cm.save(m, folder / "m.json")
    cm.save(cm.ConfusionMatrix([[6, 2, 0], [1, 5, 1], [3, 3, 3]], m.labels), folder / "m2.json")
    cm.save(cm.Stack({"n": m, "s": m.T}, axis="site"), folder / "s.json")
    for name, said in (("run.eval", "no"), ("run2.eval", "yes"), ("run3.eval", "well")):
        inspect(folder / name, said, model=f"m-{said}")
    np.save(folder / "true.npy", np.array([[0, 1], [1, 2]]))
    np.save(folder / "found.npy", np.array([[0, 1], [2, 2]]))


def _outcome(words: list[str], folder: Path) -> tuple[Any, ...]:
    """The exit status, what was printed, and the files that were written, which go again."""
    before = set(folder.iterdir())
    out, err, status = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(words)
        except SystemExit as ended:
            status = ended.code
    written = sorted(set(folder.iterdir()) - before)
    files = {path.name: path.read_bytes() for path in written}
    for path in written:
        path.unlink()
    return status, out.getvalue(), files, err.getvalue()


def _typed(command: str, option: Option) -> list[str]:
    """An option with a value that says something else than its default."""
    name = option.spelling
    if option.is_flag:
        return option.secondary_opts[:1] or [name]
    if name in VALUES or not isinstance(option.type, Choice):
        values = [VALUES[key] for key in (f"{command} {name}", name) if key in VALUES]
        assert values, f"add a value of {name} to VALUES"
        return [name, values[0]]
    return [name, next(word for word in reversed(option.type.choices) if word != option.default)]


def test_every_option_is_used_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr("webbrowser.open", print)
    _write(tmp_path)
    silent, late = [], []
    for base in BASES:
        words = base.split()
        if ".csv" in base:
            words += GAPS
        usual = _outcome(words, tmp_path)
        assert usual[0] in {0, 1}, (base, usual)
        for option in command_named(words[0]).params:
            if (
                not isinstance(option, Option)
                or {option.spelling, f"{base} {option.spelling}"} & IDLE.keys()
            ):
                continue
            typed = _typed(words[0], option)
            if " ".join(typed) in base:
                continue
            found = _outcome([*words, *typed], tmp_path)
            if found[0] == 2:
                late += [(base, option.spelling)] * bool(found[2])
            elif found[:3] == usual[:3]:
                silent.append(f"{base} {option.spelling}")
            assert "Traceback" not in found[3]
    # A refused command has written nothing.
    assert not late, late
    assert not silent, silent


def test_an_option_that_is_true_or_false_is_a_flag() -> None:
    class Turned(Settings):
        transpose: bool = options.option("--transpose")
        title: str | None = options.option("--title")

    class More(Settings):
        transpose: bool = borrowed(Turned, "transpose", help="Turn the table.")

    for kind in (Turned, More):
        assert kind().transpose is False
        assert kind.declared["transpose"].parameter("transpose").to_info_dict()["is_flag"]
    assert Turned().title is None
    assert not Turned.declared["title"].parameter("title").to_info_dict()["is_flag"]


def test_each_command_is_under_the_law() -> None:
    without = {
        name
        for name in COMMANDS
        if not any(isinstance(one, Option) for one in command_named(name).params)
    }
    assert {base.split()[0] for base in BASES} | without == set(COMMANDS)
    assert len(IDLE) <= 10

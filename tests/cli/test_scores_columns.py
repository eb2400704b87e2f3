"""A column of scores for each class: --scores p_cat,p_hen or 'p_*', --top-k, --kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import confmat as cm

Run = Callable[..., tuple[int, str, str]]

CLASSES = ["cat", "dog", "hen"]
RNG = np.random.default_rng(3)
TRUTH = RNG.choice(CLASSES, 400)
LOGITS = RNG.normal(0, 1, (400, 3)) + 1.5 * (TRUTH[:, None] == CLASSES)
SHARES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
WEIGHTS = RNG.integers(1, 4, 400) / 2
SITES = RNG.choice(["n", "s"], 400)


@pytest.fixture
def files(folder: Path) -> Path:
    heads = [
        "truth",
        *(f"p_{name}" for name in CLASSES),
        *(f"z_{name}" for name in CLASSES),
        "w",
        "site",
    ]
    columns = [
        TRUTH.tolist(),
        *SHARES.T.tolist(),
        *LOGITS.T.tolist(),
        WEIGHTS.tolist(),
        SITES.tolist(),
    ]
    rows = list(zip(*columns, strict=True))
    (folder / "s.csv").write_text(
        "\n".join(",".join(map(str, row)) for row in [heads, *rows]) + "\n"
    )
    lines = [json.dumps(dict(zip(heads, row, strict=True))) for row in rows]
    (folder / "s.jsonl").write_text("\n".join(lines) + "\n")
    for number, part in enumerate((rows[:150], rows[150:])):
        (folder / f"part-{number}.csv").write_text(
            "\n".join(",".join(map(str, row)) for row in [heads, *part]) + "\n"
        )
    return folder


def counted(run: Run, *arguments: str, stdin: str | None = None) -> cm.ConfusionMatrix | cm.Stack:
    status, out, err = run("count", *arguments, "--format", "json", "-q", stdin=stdin)
    assert status == 0, err
    found = cm.io.from_json(out)
    assert isinstance(found, (cm.ConfusionMatrix, cm.Stack))
    return found


@pytest.mark.parametrize("source", [["s.csv"], ["s.jsonl"], ["part-0.csv", "part-1.csv"], ["-"]])
def test_it_is_what_from_scores_gives(run: Run, files: Path, source: list[str]) -> None:
    stdin = (files / "s.csv").read_text() if source == ["-"] else None
    for named in (["--scores", "p_*"], ["--scores", "p_cat,p_dog,p_hen", "-l", "cat,dog,hen"]):
        found = counted(run, *source, *named, stdin=stdin)
        assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES)
    found = counted(run, *source, "--scores", "p_*", "--top-k", "2", stdin=stdin)
    assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES, top_k=2)
    found = counted(run, *source, "--scores", "z_*", "--kind", "logits", stdin=stdin)
    assert found == cm.from_scores(TRUTH, LOGITS, labels=CLASSES, kind="logits")


@pytest.mark.peers
def test_parquet_and_labels_that_are_numbers(run: Run, files: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    codes = np.array([CLASSES.index(name) for name in TRUTH])
    table = {"y": codes, **{f"p_{place}": SHARES[:, place] for place in range(3)}}
    pq.write_table(pa.table(table), files / "s.parquet")
    assert counted(run, "s.parquet", "--scores", "p_*") == cm.from_scores(
        codes, SHARES, labels=range(3)
    )


def test_weights_and_groups(run: Run, files: Path) -> None:
    found = counted(run, "s.csv", "--scores", "p_*", "-w", "w")
    assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES, weights=WEIGHTS)
    assert isinstance(found, cm.ConfusionMatrix)
    assert found.squares is not None
    stack = counted(run, "part-0.csv", "part-1.csv", "--scores", "p_*", "--by", "site")
    assert isinstance(stack, cm.Stack)
    assert stack.axis == "site"
    for site in ("n", "s"):
        assert stack[site] == cm.from_scores(
            TRUTH[site == SITES], SHARES[site == SITES], labels=CLASSES
        )


def test_two_columns_and_a_threshold(run: Run, files: Path) -> None:
    two = np.where(TRUTH == "cat", "cat", "hen")
    shares = np.stack([SHARES[:, 0], 1 - SHARES[:, 0]], axis=1)
    rows = zip(two.tolist(), *shares.T.tolist(), strict=True)
    (files / "two.csv").write_text(
        "y,p_cat,p_hen\n" + "".join(f"{t},{a!r},{b!r}\n" for t, a, b in rows)
    )
    found = counted(run, "two.csv", "--scores", "p_*", "--threshold", "0.3", "--positive", "cat")
    assert found == cm.from_scores(
        two, shares, labels=["cat", "hen"], threshold=0.3, positive="cat"
    )


def test_a_report_and_a_page(run: Run, files: Path) -> None:
    expected = cm.f1(cm.from_scores(TRUTH, SHARES, labels=CLASSES), average="macro")
    status, out, err = run("report", "s.csv", "--scores", "p_*", "--digits", "6")
    assert status == 0, err
    assert f"{expected:.6f}" in out
    status, _, err = run("html", "s.csv", "--scores", "p_*", "-o", "r.html")
    assert status == 0, err
    assert (files / "r.html").stat().st_size > 10_000


def test_one_column_of_logits(run: Run, files: Path) -> None:
    two = np.where(TRUTH == "cat", "cat", "hen")
    rows = zip(two.tolist(), LOGITS[:, 0].tolist(), strict=True)
    (files / "z.csv").write_text("y,z\n" + "".join(f"{t},{a!r}\n" for t, a in rows))
    found = counted(run, "z.csv", "--scores", "z", "--kind", "logits", "--positive", "cat")
    assert found == cm.from_scores(two, LOGITS[:, 0], kind="logits", positive="cat")
    status, _, err = run("count", "z.csv", "--scores", "z", "--kind", "scores", "--positive", "cat")
    assert status == 2
    assert "--kind scores does not say where two classes part; say --threshold" in err


def test_missing_scores_and_labels(run: Run, folder: Path) -> None:
    (folder / "m.csv").write_text("y,p_a,p_b\na,0.9,0.1\nb,,0.5\nNA,0.2,0.8\nb,0.3,0.7\n")
    arguments = ("count", "m.csv", "--scores", "p_*", "--missing-value", "NA")
    status, _, err = run(*arguments)
    assert status == 2
    assert "m.csv, rows 1 to 4: " in err
    assert "--missing drop" in err
    status, out, err = run(*arguments, "--missing", "drop", "-f", "json")
    assert status == 0, err
    found = cm.io.from_json(out)
    assert isinstance(found, cm.ConfusionMatrix)
    assert (found.total, found.dropped) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scores", ""], "--scores names the columns"),
        (["--scores", "p_cat,"], "one of these has no name"),
        (["--scores", "q_*"], "no column is called like 'q_*'"),
        (["--scores", "p_cat,p_eggs"], "there is no column 'p_eggs'"),
        (
            ["--scores", "p_cat,p_dog,p_hen"],
            (
                "'hen'; say in --labels which class each column is of, "
                "or let the star of a pattern such as 'p_*' stand for it"
            ),
        ),
        (["--scores", "p_*", "-l", "cat,dog"], "'hen' is none of them"),
        (["--scores", "z_*"], "Say --kind logits"),
        (["--scores", "p_*,w"], "probabilities"),
        (["--scores", "p_*", "-p", "site"], "give one of them"),
        (["--scores", "p_*", "--top-k", "4"], "is 4, but there are only 3 columns"),
        (["--scores", "p_cat", "--top-k", "2"], "--top-k needs a score for each class"),
        (["--top-k", "2"], "--top-k is about scores; name their columns with --scores"),
        (["--kind", "logits"], "--kind is about scores"),
        (["--threshold", "0"], "--threshold is about scores"),
        (["--scores", "p_*", "--resume", "x"], "--resume is not read here"),
        (["--scores", "p_*", "--other", "drop"], "each label needs a column of its own"),
        (["--scores", "truth,p_cat", "-a", "site"], "the column 'truth' holds"),
        (["--scores", "p_*", "--threshold", "0.5"], "there are 3"),
    ],
)
def test_what_is_wrong_is_said(run: Run, files: Path, arguments: list[str], said: str) -> None:
    status, _, err = run("report", "s.csv", *arguments, "-q")
    assert status == 2
    assert said in err
    assert "Traceback" not in err


def test_the_row_that_is_wrong_is_counted_as_in_the_file(run: Run, folder: Path) -> None:
    (folder / "off.csv").write_text("y,p_a,p_b\na,0.5,0.5\n" + "a,1.7,0.3\nb,0.7,0.3\n")
    status, _, err = run("count", "off.csv", "--scores", "p_*")
    assert status == 2
    assert "off.csv, rows 1 to 3: " in err
    assert "1.7 in row 2, beyond 0 to 1" in err
    (folder / "off.csv").write_text("y,p_a,p_b\na,0.5,0.5\n" + "a,0.7,0.7\nb,0.7,0.3\n")
    assert "row 2 adds up to 1.4" in run("count", "off.csv", "--scores", "p_*")[2]


def test_a_stored_matrix_has_no_scores(run: Run, folder: Path) -> None:
    cm.save(cm.count([0, 1], [0, 1]), folder / "m.json")
    for arguments in (["--scores", "p_*"], ["--top-k", "2"]):
        status, _, err = run("report", "m.json", *arguments)
        assert status == 2
        assert "m.json is a stored matrix" in err

"""A column of scores for each class: --scores p_cat,p_hen or 'p_*', --top-k, --kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import confmat as cm
from tests.cli.conftest import Counted, Told
from tests.io.conftest import stored

CLASSES = ["cat", "dog", "hen"]
RNG = np.random.default_rng(3)
TRUTH = RNG.choice(CLASSES, 400)
LOGITS = RNG.normal(0, 1, (400, 3)) + 1.5 * (TRUTH[:, None] == CLASSES)
SHARES = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
WEIGHTS = RNG.integers(1, 4, 400) / 2
SITES = RNG.choice(["n", "s"], 400)


@pytest.fixture
def files(folder: Path) -> Path:
    columns = {
        "truth": TRUTH.tolist(),
        **{f"p_{name}": SHARES[:, place].tolist() for place, name in enumerate(CLASSES)},
        **{f"z_{name}": LOGITS[:, place].tolist() for place, name in enumerate(CLASSES)},
        "w": WEIGHTS.tolist(),
        "site": SITES.tolist(),
    }
    whole, first, rest = slice(None), slice(150), slice(150, None)
    files = {"s.csv": whole, "s.jsonl": whole, "part-0.csv": first, "part-1.csv": rest}
    for name, rows in files.items():
        stored(folder / name, {head: column[rows] for head, column in columns.items()})
    return folder


@pytest.mark.parametrize("source", ["s.csv", "s.jsonl", "part-0.csv part-1.csv", "-"])
def test_it_is_what_from_scores_gives(counted: Counted, files: Path, source: str) -> None:
    stdin = (files / "s.csv").read_text() if source == "-" else None
    for named in ("--scores p_*", "--scores p_cat,p_dog,p_hen -l cat,dog,hen"):
        found = counted("count", source, named, stdin=stdin)
        assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES)
    found = counted(f"count {source} --scores p_* --top-k 2", stdin=stdin)
    assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES, top_k=2)
    found = counted(f"count {source} --scores z_* --kind logits", stdin=stdin)
    assert found == cm.from_scores(TRUTH, LOGITS, labels=CLASSES, kind="logits")


def test_weights_and_groups(counted: Counted, files: Path) -> None:
    found = counted("count s.csv --scores p_* -w w")
    assert found == cm.from_scores(TRUTH, SHARES, labels=CLASSES, weights=WEIGHTS)
    assert found.squares is not None
    stack = counted("count part-0.csv part-1.csv --scores p_* --by site")
    assert stack.axis == "site"
    for site in ("n", "s"):
        assert stack[site] == cm.from_scores(
            TRUTH[site == SITES], SHARES[site == SITES], labels=CLASSES
        )


def test_two_columns_and_a_threshold(counted: Counted, files: Path) -> None:
    two = np.where(TRUTH == "cat", "cat", "hen")
    shares = np.stack([SHARES[:, 0], 1 - SHARES[:, 0]], axis=1)
    rows = zip(two.tolist(), *shares.T.tolist(), strict=True)
    (files / "two.csv").write_text(
        "y,p_cat,p_hen\n" + "".join(f"{t},{a!r},{b!r}\n" for t, a, b in rows)
    )
    found = counted("count two.csv --scores p_* --threshold 0.3 --positive cat")
    assert found == cm.from_scores(
        two, shares, labels=["cat", "hen"], threshold=0.3, positive="cat"
    )


def test_one_column_of_logits(no: Told, counted: Counted, files: Path) -> None:
    two = np.where(TRUTH == "cat", "cat", "hen")
    rows = zip(two.tolist(), LOGITS[:, 0].tolist(), strict=True)
    (files / "z.csv").write_text("y,z\n" + "".join(f"{t},{a!r}\n" for t, a in rows))
    found = counted("count z.csv --scores z --kind logits --positive cat")
    assert found == cm.from_scores(two, LOGITS[:, 0], kind="logits", positive="cat")
    assert "--kind scores does not say where two classes part; say --threshold" in no(
        "count z.csv --scores z --kind scores --positive cat"
    )


def test_missing_scores_and_labels(ok: Told, no: Told, folder: Path) -> None:
    (folder / "m.csv").write_text("y,p_a,p_b\na,0.9,0.1\nb,,0.5\nNA,0.2,0.8\nb,0.3,0.7\n")
    arguments = ("count m.csv --scores p_* --missing-value NA",)
    err = no(*arguments)
    assert "m.csv, rows 1 to 4: " in err
    assert "--missing drop" in err
    out = ok(*arguments, "--missing drop -f json")
    found = cm.io.from_json(out)
    assert (found.total, found.dropped) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--scores p_cat,", "one of these has no name"),
        ("--scores q_*", "no column is called like 'q_*'"),
        (
            "--scores p_cat,p_dog,p_hen",
            (
                "'hen'; say in --labels which class each column is of, "
                "or let the star of a pattern such as 'p_*' match it"
            ),
        ),
        ("--scores z_*", "Say --kind logits"),
        ("--scores p_*,w", "probabilities"),
        ("--scores p_* --top-k 4", "is 4, but there are only 3 columns"),
        ("--scores p_cat --top-k 2", "--top-k needs a score for each class"),
        ("--scores p_* --resume x", "--resume is not read here"),
        ("--scores p_* --other drop", "each label needs a column of its own"),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    assert said in no("report s.csv", arguments, "-q")


def test_the_row_that_is_wrong_is_counted_as_in_the_file(no: Told, folder: Path) -> None:
    (folder / "off.csv").write_text("y,p_a,p_b\na,0.5,0.5\n" + "a,1.7,0.3\nb,0.7,0.3\n")
    err = no("count off.csv --scores p_*")
    assert "off.csv, rows 1 to 3: " in err
    assert "1.7 in row 2, beyond 0 to 1" in err

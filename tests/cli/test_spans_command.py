"""`confmat spans`: entities of tag files into matrices."""

from __future__ import annotations

from pathlib import Path

import pytest

import confmat as cm
from tests.cli.conftest import Counted, Told

TEXT = "Ada B-PER B-PER\nLovelace I-PER I-PER\n\nNew B-LOC I-LOC\nYork I-LOC B-LOC\nTimes O O\n"
TRUTH = [["B-PER", "I-PER"], ["B-LOC", "I-LOC", "O"]]
PREDICTED = [["B-PER", "I-PER"], ["I-LOC", "B-LOC", "O"]]


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "both.conll").write_text(TEXT)
    for name, column in (("gold", 1), ("found", 2)):
        lines = [
            " ".join((line.split() or ["", "", ""])[:1] + line.split()[column : column + 1])
            for line in TEXT.splitlines()
        ]
        (folder / f"{name}.conll").write_text("\n".join(lines) + "\n")
    return folder


def test_it_is_what_spans_gives(counted: Counted, files: Path) -> None:
    for scheme in (None, "IOB2"):
        sides = [cm.spans.spans_of_tags(side, scheme=scheme) for side in (TRUTH, PREDICTED)]
        options = ("--scheme", scheme) if scheme else ()
        for source in (
            ["both.conll"],
            ["gold.conll", "found.conll"],
            ["both.conll --columns 1,2"],
        ):
            assert counted("spans", *source, *options) == cm.count_spans(sides[0], sides[1])
        overlap = counted("spans both.conll", *options, "--match overlap --iou 0.3 --partial")
        assert overlap == cm.count_spans(sides[0], sides[1], match="overlap", iou=0.3, partial=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("both.conll --columns 1", "such as -2,-1"),
        ("none.conll", "none.conll: there is no such file to read tags from"),
        (["both.conll", "both.conll", "both.conll"], "from one file or from two, not from 3"),
        (
            ["gold.conll", "short.conll"],
            "gold.conll has 2 sentences and short.conll 1; both must have the same",
        ),
        (
            ["gold.conll", "cut.conll"],
            "document 0, counted from 0, has 2 tags in gold.conll and 1 in cut.conll",
        ),
        ("both.conll --columns 0,1", "both.conll, column 0: 'Ada' is not a tag"),
        (
            "empty.conll",
            "there are no entities on either side; with --labels this gives a matrix of zeros",
        ),
        (
            "both.conll --grades",
            "--match exact for boundaries and class, --match overlap for the class",
        ),
        ("both.conll --iou 0.5", "say --match overlap"),
    ],
)
def test_what_is_wrong_is_said(no: Told, files: Path, arguments: str, said: str) -> None:
    (files / "empty.conll").write_text("")
    (files / "short.conll").write_text("Ada B-PER\n")
    (files / "cut.conll").write_text("Ada B-PER\n\nHi O\n")
    assert said in no("spans", arguments)


def test_classes_remarks_and_tabs(no: Told, counted: Counted, files: Path) -> None:
    (files / "empty.conll").write_text("")
    names = ["PER", "ORG", "LOC", "MISC"]
    sides = [cm.spans.spans_of_tags(side) for side in (TRUTH, PREDICTED)]
    assert counted("spans both.conll -l", ",".join(names)) == cm.count_spans(*sides, labels=names)
    assert counted("spans empty.conll -l PER") == cm.count_spans([], [], labels=["PER"])
    (files / "tabs.conll").write_text("# id 1\nNew York\tB-LOC\tB-LOC\n# id 2\nx\tO\tO\n")
    found = counted("spans tabs.conll --comment", ["# id"])
    assert found == cm.count_spans([(0, 0, 1, "LOC")], [(0, 0, 1, "LOC")])
    assert "white space parts the columns of tags" in no("spans tabs.conll --separator tab")

"""Tables of aliases in files, and files that hold no table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from confmat import Answers, InputError, LabelError
from confmat.answers.rules import read_aliases


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'alias,label\nyep,yes\n"nope, sorry",no\nn/a,(abstained)\n'),
        ("a.csv", '\ufeffLabel , Alias\r\nyes,yep\r\n\r\nno,"nope, sorry"\r\n(abstained),n/a\r\n'),
        ("a.tsv", "alias\tlabel\nyep\tyes\nnope, sorry\tno\nn/a\t(abstained)\n"),
    ],
)
def test_aliases_are_read(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    rules = Answers.read(path, ["yes", "no"], fuzzy=0.9)
    assert rules.labels_of(["Yep", "nope, sorry", "N/A"]) == ["yes", "no", "(abstained)"]
    assert Answers.read(str(path)).bound(["no", "yes"]).labels_of(["yep"]) == ["yes"]


def test_labels_of_a_file_are_text_until_the_classes_are_known(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("alias,label\none,1\n")
    assert Answers.read(path, [0, 1]).labels_of(["One"]) == [1]
    with pytest.raises(LabelError, match="'1', which is neither a class"):
        Answers.read(path, ["a"])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", "name,label\nx,y\n", "alias,label"),
        ("a.csv", "alias,label\n", "holds no aliases"),
        ("a.csv", "alias,label\nx\n", "line 2"),
        ("a.csv", "alias,label\nx,\n", "line 2"),
        ("a.csv", "alias,label\nx,y,z\n", "line 2"),
        ("a.csv", 'alias,label\n"x,y\n', "line 2"),
        ("a.csv", "alias,label\nx,y\nx,z\n", "line 3"),
        ("a.csv", "\n\n", "alias,label"),
        ("a.json", ' {"x": "y"}', "is CSV with the columns alias and label"),
    ],
)
def test_files_that_are_no_aliases_are_refused(
    tmp_path: Path, name: str, text: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(said)):
        read_aliases(path)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"alias,label\n\xff,\xfe\n")
    with pytest.raises(InputError, match=r"line 2: byte 12 \(0xff\) is no UTF-8"):
        read_aliases(tmp_path / "a.csv")
    with pytest.raises(InputError, match="those of the file"):
        Answers.read(tmp_path / "a.csv", aliases={})

"""Files of tokens and tags in columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import confmat as cm

TEXT = """-DOCSTART- -X- O O

Ada NNP B-PER B-PER
Lovelace NNP I-PER O

\t
London NNP B-LOC I-LOC"""


def test_columns_and_sentences(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text(TEXT)
    truth, predicted = cm.spans.read_conll(path, (2, -1))
    assert truth == [["B-PER", "I-PER"], ["B-LOC"]]
    assert predicted == [["B-PER", "O"], ["I-LOC"]]
    assert cm.spans.read_conll(str(path)) == predicted
    m = cm.count_spans(cm.spans.spans_of_tags(truth), cm.spans.spans_of_tags(predicted))
    assert cm.recall(m, of="LOC") == 1
    assert cm.recall(m, of="PER") == 0


def test_line_ends_and_marks(tmp_path: Path) -> None:
    path = tmp_path / "tabs.txt"
    path.write_bytes("\ufeffNew York\tB-LOC\r\n\u2028\u0085x\tO\r\n\r\n#\tO\r\n".encode())
    # Columns counted from the end stand where they stand, whatever the token holds.
    assert cm.spans.read_conll(path, -1) == [["B-LOC", "O"], ["O"]]
    path.write_text("")
    assert cm.spans.read_conll(path) == []
    assert cm.spans.read_conll(path, (0, 1)) == ([], [])


def test_lines_of_remarks(tmp_path: Path) -> None:
    path = tmp_path / "remarks.txt"
    path.write_text("# id 1 domain=en\n\nAda B-PER\n# O\n\n# id 2\n#id O\n")
    assert cm.spans.read_conll(path, comment="# id") == [["B-PER", "O"], ["O"]]
    assert cm.spans.read_conll(path, (0, 1), comment="# id")[0] == [["Ada", "#"], ["#id"]]
    wrong: tuple[Any, ...] = ("", 1, b"#")
    for comment in wrong:
        with pytest.raises(cm.InputError, match="`comment` is how lines begin that are no tokens"):
            cm.spans.read_conll(path, comment=comment)


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("a b c O\n\nd \x1b[31m O\n")
    with pytest.raises(
        cm.InputError, match=r"line 3 has 3 columns, so there is no column 3: 'd \\x1b\[31m O'"
    ):
        cm.spans.read_conll(path, 3)
    wrong: tuple[Any, ...] = ((), "ab", 1.0, (True,))
    for columns in wrong:
        with pytest.raises(cm.InputError, match="`columns` must be a whole number"):
            cm.spans.read_conll(path, columns)
    path.write_bytes(b"a \xff")
    with pytest.raises(cm.InputError, match=r"x\.txt: line 1: byte 2 \(0xff\) is no UTF-8"):
        cm.spans.read_conll(path)

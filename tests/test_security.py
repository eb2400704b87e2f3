"""Security: nothing read from outside is ever run, and no label drives a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from confmat import ConfusionMatrix, LabelError, Stack

SOURCES = sorted((Path(__file__).resolve().parent.parent / "src").rglob("*.py"))
FORBIDDEN = re.compile(
    r"\bpickle\.loads?\b|\bimport pickle\b|allow_pickle=True|\bmarshal\b|\bshelve\b|\byaml\b"
    r"|(?<![\w.\"'])(?:eval|exec)\(|os\.system"
)


@pytest.mark.skipif(not SOURCES, reason="only in a clone")
def test_nothing_is_evaluated_and_no_pickle_is_read() -> None:
    found = [
        f"{path.name}: {hit.group()}"
        for path in SOURCES
        for hit in FORBIDDEN.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "name", ["\x1b[2J", "\x1b]0;owned\x07", "\u202etxt.exe", "a\rb", "\x9b31m", "\x08\x08\x08"]
)
def test_a_label_cannot_drive_the_terminal(name: str) -> None:
    matrix = ConfusionMatrix([[1, 2], [3, 4]], [name, "b"])
    stack = Stack({name: matrix})
    with pytest.raises(LabelError) as caught:
        matrix.labels.index(name + "x")
    for text in (
        str(matrix),
        repr(matrix),
        str(matrix.labels),
        repr(matrix.pairs()),
        str(stack),
        repr(stack),
        str(caught.value),
    ):
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)

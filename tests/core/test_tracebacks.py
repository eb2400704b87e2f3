"""A refusal ends at the line of the caller: none of our own frames stands before its message."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import confmat as cm
from confmat.core.errors import InputError
from confmat.core.options import brief

CLASS: Any = cm.ConfusionMatrix
M: Any = cm.count(["a", "b", "a"], ["a", "b", "b"])
REPORT: Any = cm.report(M)
REFUSED: dict[str, Callable[[], object]] = {
    "a score": lambda: cm.score(M, "recal"),
    "an attribute of a report": lambda: REPORT.recal,
    "an attribute of a class": lambda: CLASS.from_predictions,
    "labels of two lengths": lambda: cm.count(["a", "b"], ["a"]),
    "a file": lambda: cm.count_files("there-is-none.csv"),
}


def files_of(function: Callable[[], object]) -> list[str]:
    """The files of the frames of what a function raises, the caller's first."""
    with pytest.raises((AttributeError, cm.ConfmatError)) as caught:
        function()
    return [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_ends_at_the_line_of_the_caller(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CONFMAT_TRACEBACK")
    assert {*files_of(REFUSED[name])} == {__file__}
    monkeypatch.setenv("CONFMAT_TRACEBACK", "full")
    assert {*files_of(REFUSED[name])} > {__file__}


def test_frames_of_a_function_of_the_caller_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours inside a function that was handed to us is looked for there."""
    monkeypatch.delenv("CONFMAT_TRACEBACK")

    def handed() -> None:
        raise InputError

    files = files_of(brief(handed))
    assert files[-1] == __file__
    assert any(file.endswith("options.py") for file in files)


def test_other_errors_keep_their_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONFMAT_TRACEBACK")

    with pytest.raises(ZeroDivisionError) as caught:
        cm.count((1 / n for n in [0]), ["a"])
    assert len(traceback.extract_tb(caught.value.__traceback__)) > 2

"""Models compared where their answers lie: the same as from arrays, from files and frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.io.conftest import stored

RNG = np.random.default_rng(0)
ACTUAL = RNG.integers(0, 3, 200)
ANSWERS = {name: np.where(RNG.random(200) < share, ACTUAL, RNG.integers(0, 3, 200)) for name, share in
           (("old", 0.7), ("new", 0.85), ("newer", 0.9))}  # fmt: skip


def wanted(*names: str, text: bool = False) -> list[str]:
    def spelt(values: Any) -> Any:
        return [str(value) for value in values] if text else values

    answers = {name: spelt(ANSWERS[name]) for name in names}
    return cm.compare_predictions(spelt(ACTUAL), answers).sentences()


def test_files_say_what_arrays_say(tmp_path: Path) -> None:
    found = cm.compare_files(
        stored(tmp_path / "answers.csv", {"y": ACTUAL, **ANSWERS}),
        actual="y",
        predictions=["old", "new"],
    )
    assert found.sentences() == wanted("old", "new", text=True)


@pytest.mark.peers
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_say_what_arrays_say(kind: str) -> None:
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    frame = library.DataFrame({"y": ACTUAL, **ANSWERS})
    found = cm.compare_frame(frame, actual="y", predictions=["old", "new", "newer"])
    assert found.sentences() == wanted("old", "new", "newer")
    assert found.overall["accuracy"].p_value < 0.05


FREE = {
    "y": ["spam", "ham", "spam", "ham", "ham", "spam"] * 8,
    "old": ["Spam!", "HAM", "I cannot say", "junk mail", "hm", "spam"] * 8,
    "new": ["spam", "ham.", "SPAM", "ham", "hm", "I cannot"] * 8,
    "newer": ["junk mail", "ham", "spam", "Ham", "ham", "eggs"] * 8,
}
RULES = cm.Answers(["ham", "spam"], aliases={"junk mail": "spam"}, refused="I cannot*")


@pytest.mark.parametrize("given", [True, False])
def test_free_answers_are_read_by_rules(tmp_path: Path, given: bool) -> None:
    read = {name: RULES.labels_of(FREE[name]) for name in ("old", "new", "newer")}
    expected = cm.compare_predictions(FREE["y"], read, labels=RULES.labels)
    log = cm.AnswerLog()
    rules = RULES if given else cm.Answers(aliases={"junk mail": "spam"}, refused="I cannot*")
    found = cm.compare_files(
        stored(tmp_path / "free.csv", FREE),
        actual="y",
        predictions=list(read),
        answers=rules.logged(log),
        other="collect",
    )
    assert found.sentences() == expected.sentences()
    assert sum(log.steps.values()) == 3 * 48


def test_what_is_collected_outside_the_classes_is_compared(tmp_path: Path) -> None:
    columns = {
        "y": list("aabb") * 9,
        "old": ["a", "", "c", "b"] * 9,
        "new": ["a", "a", "b", ""] * 9,
    }
    path = stored(tmp_path / "gaps.csv", columns)
    labels = cm.Labels(["a", "b"], outside=["(missing)", "(other)"])
    told = {"": "(missing)", "c": "(other)"}
    read = {name: [told.get(one, one) for one in columns[name]] for name in ("old", "new")}
    expected = cm.compare_predictions(columns["y"], read, labels=labels)
    found = cm.compare_files(
        path,
        actual="y",
        predictions=["old", "new"],
        labels=["a", "b"],
        missing="collect",
        other="collect",
    )
    assert found.sentences() == expected.sentences()


def test_columns_of_files_and_frames_are_compared_in_categories(tmp_path: Path) -> None:
    columns = {
        "y": list("aabb") * 30,
        "old": list("abbb") * 30,
        "new": list("aaba") * 30,
        "site": list("xxyyy") * 24,
    }
    path = stored(tmp_path / "sites.csv", columns)
    models = {"old": columns["old"], "new": columns["new"]}
    wanted = cm.compare_predictions(
        columns["y"], models, by={"site": columns["site"]}, metrics=["accuracy"]
    )
    assert (list(wanted), wanted.axis) == (["x", "y"], "site")
    asked: Any = {
        "actual": "y",
        "predictions": ["old", "new"],
        "by": "site",
        "metrics": ["accuracy"],
    }
    assert str(cm.compare_files(path, **asked)) == str(wanted)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns)
    assert str(cm.compare_frame(frame, **asked)) == str(wanted)
    with pytest.raises(cm.InputError, match="no column 'state' for `by`"):
        cm.compare_files(path, **asked | {"by": "state"})


def test_models_are_scored_on_the_same_items(tmp_path: Path) -> None:
    columns = {
        "y": list("aabb") * 9,
        "old": ["a", "a", "c", "b"] * 9,
        "new": ["a", "a", "b", ""] * 9,
    }
    path = stored(tmp_path / "gaps.csv", columns)
    for names, policies in (
        (["old", "new"], {"missing": "drop"}),
        (["old", "new"], {"labels": ["a", "b"], "other": "drop", "missing": "collect"}),
    ):
        with pytest.raises(cm.InputError, match=r"36 of|27 of|a pair needs both"):
            cm.compare_files(path, actual="y", predictions=names, **policies)
    # An item that is left out because of its truth is left out for everybody.
    kept = cm.compare_files(
        stored(
            tmp_path / "few.csv",
            {"y": list("aabbc") * 9, "old": list("abbba") * 9, "new": list("aabba") * 9},
        ),
        actual="y",
        predictions=["old", "new"],
        labels=["a", "b"],
        other="drop",
    )
    assert kept.estimates["old", "accuracy"].value == 3 / 4


def test_one_column_is_no_comparison(tmp_path: Path) -> None:
    with pytest.raises(cm.InputError, match="at least two columns"):
        cm.compare_files(stored(tmp_path / "a.csv", ANSWERS), actual="y", predictions=["old"])

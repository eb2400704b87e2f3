"""The look at the end of every count: what it finds, where it is quiet, and how its notes travel."""

from __future__ import annotations

import copy
import datetime
import inspect
import json
import pickle
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfmatWarning, ConfusionMatrix, InputError, Labels, Stack, Tally, count
from confmat.core.notes import Note, from_data, merged, to_data
from confmat.deciding import abstain
from confmat.io import from_csv

# One class of several is spelt otherwise by the prediction, in half of the items.
TRUTH = ["Car", "Car", "bus", "van"] * 10
SAID = ["car", "car", "bus", "van"] * 10
DAY = datetime.datetime.fromisoformat("2020-01-01")
NOTE = Note("alike", (("Car", "car"),), 20, 40)


def noted(make: Callable[[], Any], *said: str) -> Any:
    """The value, once it is sure that it gave these warnings and no other."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = make()
    assert len(caught) == len(said), [str(one.message) for one in caught]
    for one, text in zip(caught, said, strict=True):
        assert text in str(one.message)
        assert one.category is ConfmatWarning
        assert one.filename == __file__
    return made


def texts(m: Any) -> list[str]:
    """The notes of a value as they are printed."""
    return [str(note) for note in m.notes]


# ---- every door says the same of the same --------------------------------------------------------


def _tally() -> ConfusionMatrix:
    tally = Tally()
    for part in (slice(10), slice(10, None)):
        tally.update(TRUTH[part], SAID[part])
    return tally.matrix()


def _file(folder: Path, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_text(
        "y_true,y_pred\n" + "".join(f"{a},{b}\n" for a, b in zip(TRUTH, SAID, strict=True))
    )
    return path


def _spans(names: list[str]) -> list[tuple[str, int, int, str]]:
    return [(str(i), 0, 3, name) for i, name in enumerate(names)]


def _boxes(names: list[str], **more: Any) -> list[dict[str, Any]]:
    return [{"boxes": [[0, 0, 9, 9]], "labels": [name], **more} for name in names]


def _table() -> str:
    return (
        "predicted\\actual,Car,bus,car,van\nCar,0,0,0,0\nbus,0,10,0,0\ncar,20,0,0,0\nvan,0,0,0,10\n"
    )


def _frame() -> Any:
    return pytest.importorskip("pandas").DataFrame({"y_true": TRUTH, "y_pred": SAID})


def _scores() -> Any:
    names = ["Car", "bus", "car", "van"]
    return pytest.importorskip("pandas").DataFrame(
        {name: [float(said == name) for said in SAID] for name in names}
    )


def _stored(folder: Path) -> Any:
    (folder / "m.csv").write_text(_table())
    return cm.load(folder / "m.csv")


SURE = np.linspace(1, 0.5, 40)
DOORS: dict[str, Callable[[Path], Any]] = {
    "count": lambda _: count(TRUTH, SAID),
    "count by": lambda _: count(TRUTH, SAID, by=["x", "y"] * 20),
    "count clusters": lambda _: count(TRUTH, SAID, clusters=np.arange(40) // 4),
    "count tally": lambda _: count(TRUTH[:4], SAID[:4], tally=[10] * 4),
    "count stream": lambda _: count(iter(TRUTH), iter(SAID)),
    "count probability": lambda _: count(TRUTH, SAID, probability=np.ones(40)),
    "count_files": lambda folder: cm.count_files(_file(folder)),
    "count_files by": lambda folder: cm.count_files(_file(folder), by="y_true"),
    "count_frame": lambda _: cm.count_frame(_frame()),
    "Tally": lambda _: _tally(),
    "from_scores": lambda _: cm.from_scores(TRUTH, _scores()),
    "judged": lambda _: cm.judged(SAID, SAID, gold=[*TRUTH[:39], None]),
    "count_spans": lambda _: cm.count_spans(_spans(TRUTH), _spans(SAID)),
    "count_spans by_document": lambda _: cm.count_spans(
        _spans(TRUTH), _spans(SAID), by_document=True
    ),
    "count_boxes": lambda _: cm.count_boxes(_boxes(TRUTH), _boxes(SAID, scores=[0.9])),
    "count_boxes by_image": lambda _: cm.count_boxes(
        _boxes(TRUTH), _boxes(SAID, scores=[0.9]), by_image=True
    ),
    "count_multilabel": lambda _: cm.count_multilabel([[x] for x in TRUTH], [[x] for x in SAID]),
    "count_multilabel item": lambda _: cm.count_multilabel(
        [[x] for x in TRUTH], [[x] for x in SAID], along="item"
    ),
    "count_multilabel matrix": lambda _: cm.count_multilabel(
        [[x] for x in TRUTH], [[x] for x in SAID], matrix=True
    ),
    "abstain": lambda _: abstain(TRUTH, SAID, SURE),
    "risk_coverage": lambda _: cm.risk_coverage(TRUTH, SAID, SURE),
    "compare_predictions": lambda _: cm.compare_predictions(
        TRUTH, {"one": SAID, "two": TRUTH}
    ).matrices["one"],
    "compare_frame": lambda _: cm.compare_frame(
        _frame().assign(two=TRUTH), actual="y_true", predictions=["y_pred", "two"]
    ).matrices["y_pred"],
    "load": _stored,
    "from_csv": lambda _: from_csv(_table()),
    "read_printed": lambda _: cm.read_printed(_table()),
}
# Counts whose labels are numbers or are named by the caller, and what looks at a matrix that was
# counted elsewhere.
WITHOUT = {
    "count_masks": "maps of numbers, whose names the caller gives",
    "panoptic": "maps of numbers, whose names the caller gives",
    "mcnemar": "whether answers are right, and no labels of classes",
    "top_k_accuracy": "classes are the columns of scores, and others are refused",
    "examples": "rows behind the cells of a count that was looked at",
    "compare_files": "count_files of each column",
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same_of_the_same_mistake(door: str, tmp_path: Path) -> None:
    with pytest.warns(ConfmatWarning, match="'Car' and 'car' are two classes") as caught:
        found = DOORS[door](tmp_path)
    assert len(caught) == 1
    if door == "risk_coverage":
        return
    assert [(note.kind, note.names) for note in found.notes] == [("alike", (("Car", "car"),))]
    if "multilabel" in door:
        # Which label stood for which, sets do not say.
        return
    if door == "judged":
        assert found.notes[0].count > 0
        return
    assert found.notes == (NOTE,)


def test_every_public_count_of_labels_is_among_the_doors() -> None:
    sides = {"actual", "truth", "judge"}, {"predicted", "predictions", "scores", "confidence"}
    lacking = []
    for name in dir(cm):
        one = getattr(cm, name)
        if not inspect.isfunction(one):
            continue
        known = set(inspect.signature(one).parameters)
        if all(known & side for side in sides) and name not in DOORS and name not in WITHOUT:
            lacking.append(name)
    # Scores of one class by thresholds or bins, or of the classes that columns name: others are
    # refused.
    curves = {
        "compare_scores",
        "thresholds",
        "roc",
        "roc_auc",
        "pr_curve",
        "average_precision",
        "unanswered",
    }
    bins = {
        "calibration",
        "calibration_frame",
        "calibration_files",
        "decision_curve",
        "thresholds_frame",
    }
    assert set(lacking) <= curves | bins


# ---- what is found -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("car", "Car"), ("a b", "a  b"), ("caf\u00e9", "cafe\u0301"), ("a-b", "a\u2013b"),
        ("car", "c\u0430r"), ("car", "c\u200bar"), ("\ufb01ne", "fine"),
    ],
)  # fmt: skip
def test_labels_that_look_alike(one: str, other: str) -> None:
    m = noted(
        lambda: count([one, "x", "y"] * 5, [other, "x", "y"] * 5),
        "are two classes, in 5 of 15 items",
    )
    assert [(note.kind, note.count, note.of) for note in m.notes] == [("alike", 5, 15)]
    assert m.notes[0].names == (tuple(sorted([one, other])),)


def _saved(m: ConfusionMatrix, folder: Path) -> Path:
    cm.save(m, folder / "m.csv")
    return folder / "m.csv"


def test_classes_that_the_predictions_tell_apart_are_honest(tmp_path: Path) -> None:
    # m and M, as in units: each is hit more often than one is taken for the other.
    actual, predicted = ["m", "M"] * 50, ["m", "M"] * 45 + ["M", "m"] * 5
    assert noted(lambda: count(actual, predicted)).notes == ()
    # Spelt at random on both sides, they are not told apart.
    m = noted(
        lambda: count(["m", "M", "m", "M"] * 10, ["m", "m", "M", "M"] * 10),
        "'M' and 'm' are two classes",
    )
    assert m.notes[0].count == 20
    # A class that nobody has is no slip.
    unused = count(["m"], ["m"], labels=["m", "M"])
    assert noted(lambda: cm.load(_saved(unused, tmp_path))).notes == ()
    # A slip of the truth that nobody predicts.
    noted(lambda: count(["m"] * 20 + ["M"], ["m"] * 21), "'M' and 'm' are two classes")
    # Blanks nobody sees: these are never two classes.
    noted(lambda: count(["m", "m "] * 50, ["m", "m "] * 50), "'m' and 'm ' are two classes")


def test_who_names_the_classes_wants_them() -> None:
    assert noted(lambda: count(TRUTH, SAID, labels=["Car", "car", "bus", "van"])).notes == ()
    assert (
        noted(
            lambda: cm.count_spans(_spans(TRUTH), _spans(SAID), labels=["Car", "car", "bus", "van"])
        ).notes
        == ()
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.array(["2020-01-01"], "M8[ns]"), np.array(["2020-01-01"], "M8[D]")),
        (np.array(["2020-01-01"], "M8[M]"), np.array(["2020-01-01"], "M8[D]")),
        ([datetime.date(2020, 1, 1)], [DAY]),
        ([DAY.replace(tzinfo=datetime.UTC)], [DAY]),
    ],
)
def test_dates_of_several_resolutions(one: Any, other: Any) -> None:
    m = noted(
        lambda: count(one, other),
        "are two classes, in 1 of 1 items one takes the place of the other: bring the dates",
    )
    assert [note.kind for note in m.notes] == ["dates"]
    assert noted(lambda: count(one, one)).notes == ()


@pytest.mark.parametrize("word", ["NA", "None", "-", "", "  ", "nan", "NULL", "nil", "na", "?"])
def test_words_for_missing_values(word: str) -> None:
    actual, predicted = ["a", "b", word] * 5, ["a", "b", "b"] * 5
    m = noted(lambda: count(actual, predicted), "counted as a class, in 5 of 15 items: give None")
    assert m.notes == (Note("missing", ((word,),), 5, 15),)
    # Both sides know Namibia, and a full stop; what arrays make of NaN is no class at all.
    both = noted(
        lambda: count(actual, actual),
        *(["counted as a class"] if word.strip() in {"", "nan"} else []),
    )
    assert len(both.notes) == (word.strip() in {"", "nan"})
    # Nothing but such words: nobody confuses them with labels.
    assert noted(lambda: count([word], [word])).notes == ()


def test_a_class_may_be_called_none() -> None:
    assert noted(lambda: count(["a", "b", "none"] * 5, ["a", "b", "b"] * 5)).notes == ()


def test_unread_answers() -> None:
    rules = cm.Answers(["A", "B"])
    actual, answers = ["A", "B"] * 10, ["I am not sure", "no idea"] * 10
    m = noted(
        lambda: count(actual, answers, answers=rules, other="collect"),
        "20 of 20 answers unread, so they count",
    )
    assert texts(m) == ["20 of 20 answers unread"]
    few = noted(lambda: count(actual, [*actual[:18], "hm", "hm"], answers=rules, other="collect"))
    assert texts(few) == ["2 of 20 answers unread"]
    assert noted(lambda: count(actual, actual, answers=rules, other="collect")).notes == ()


def test_a_file_that_is_counted_twice(tmp_path: Path) -> None:
    path = _file(tmp_path)
    other = _file(tmp_path, "more.csv")
    alike = "'Car' and 'car' are two classes"
    for paths in ([path, path], [path, tmp_path], [str(tmp_path / "i*.csv"), path]):
        m = noted(partial(cm.count_files, paths), alike, "items.csv' counted more than once, 1 of")
        assert [note.kind for note in m.notes] == ["alike", "twice"]
    (tmp_path / "link.csv").symlink_to(path)
    noted(
        lambda: cm.count_files([path, tmp_path / "link.csv"]),
        alike,
        "counted more than once, 1 of 2 files",
    )
    assert [note.kind for note in noted(lambda: cm.count_files([path, other]), alike).notes] == [
        "alike"
    ]


def test_integers_and_booleans_are_not_looked_at() -> None:
    assert noted(lambda: count([1, 2, 3] * 10, [4, 5, 6] * 10)).notes == ()
    assert noted(lambda: count([True], [False])).notes == ()


# ---- how notes travel ----------------------------------------------------------------------------


def matrix() -> ConfusionMatrix:
    """A matrix with a note."""
    with pytest.warns(ConfmatWarning):
        return count(TRUTH, SAID)


def test_notes_are_no_part_of_what_a_matrix_equals() -> None:
    m = matrix()
    plain = count(TRUTH, SAID, labels=m.labels)
    assert (m, hash(m), plain.notes) == (plain, hash(plain), ())
    with pytest.raises(AttributeError, match="immutable"):
        m.notes = ()


def test_notes_are_stored() -> None:
    m = matrix()
    stack = Stack({"a": m, "b": count(["Car"], ["Car"])})
    for value in (m, stack, m.sparse(), stack.sum(), stack.along("day")):
        for same in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value), copy.copy(value)):
            assert same.notes == value.notes == (NOTE,)
    data = json.loads(json.dumps(m.to_dict()))
    assert data["notes"] == [
        {
            "text": "'Car' and 'car' are two classes",
            "kind": "alike",
            "names": [["Car", "car"]],
            "count": 20,
            "of": 40,
        }
    ]
    assert ConfusionMatrix.from_dict(data).notes == m.notes
    assert "notes" not in count(["a"], ["a"]).to_dict()


def test_notes_of_stacks_are_stored_in_files(tmp_path: Path) -> None:
    with pytest.warns(ConfmatWarning):
        stack = count(TRUTH, SAID, by=["x", "y"] * 20)
    assert stack.notes == (NOTE,)
    assert [m.notes[0].count for m in stack.values()] == [10, 10]
    with pytest.warns(ConfmatWarning):
        labels = cm.count_multilabel([[x] for x in TRUTH], [[x] for x in SAID])
    for value in (matrix(), stack, labels):
        cm.save(value, tmp_path / "m.json")
        assert noted(lambda: cm.load(tmp_path / "m.json")).notes == value.notes


@pytest.mark.parametrize(
    "bad", [5, [5], ["alike"], [{"kind": "alike"}], [{**to_data((NOTE,))[0], "count": "x"}]]
)
def test_stored_notes_that_are_none(bad: Any) -> None:
    with pytest.raises(InputError, match="`notes`"):
        from_data(bad)
    assert from_data([{**to_data((NOTE,))[0], "kind": "of a later version"}]) == ()


def test_what_is_made_of_a_matrix_keeps_what_still_holds() -> None:
    m = matrix()
    same = (
        m.T,
        m.sparse(),
        m.sparse().dense(),
        m.reorder(["van", "bus", "car", "Car"]),
        m.select(["Car", "car"]),
    )
    assert all(one.notes == m.notes for one in same)
    assert m.select(["Car", "bus"]).notes == m.merge({"car": ["Car", "car"]}).notes == ()
    assert m.relabel({"car": "cars"}).notes == ()
    unread = m._noted((*m.notes, Note("unread", (), 3, 40)))
    assert texts(unread.merge({"car": ["Car", "car"]})) == ["3 of 40 answers unread"]


def test_many_matrices_add_up_to_few_notes() -> None:
    m = matrix()
    total = sum([m] * 1000, start=count(["bus"], ["bus"]))
    assert total.notes == (Note("alike", (("Car", "car"),), 20_000, 40_000),)
    other = [Note("alike", ((f"A{i}", f"a{i}"),), 1, 2) for i in range(100)]
    assert (
        merged(other) == merged(other[::-1]) == merged([*merged(other[:50]), *merged(other[50:])])
    )
    assert len(merged([*other, *(Note("missing", ((str(i),),), 1, 2) for i in range(100))])) == 2
    assert (count(["a"], ["a"]) + count(["b"], ["b"])).notes == ()


def test_a_tally_says_what_holds_now() -> None:
    tally = Tally()
    tally.update(["Car", "bus"], ["car", "bus"])
    noted(tally.matrix, "'Car' and 'car' are two classes")
    tally.update(["Car", "car"] * 10, ["Car", "car"] * 10)
    assert noted(tally.matrix).notes == ()


def test_reports_comparisons_and_pages_print_notes() -> None:
    m, plain = matrix(), count(TRUTH, TRUTH)
    note = "'Car' and 'car' are two classes"
    assert note in str(cm.report(m))
    assert note in cm.report(m).to_dict()["notes"]
    assert note in str(cm.report(Stack({"a": m, "b": plain})))
    assert f"old: {note}" in str(cm.compare({"old": m, "new": plain}))
    page = cm.html(m)
    assert "&#x27;Car&#x27; and &#x27;car&#x27; are two classes" in str(page)
    assert note not in str(m)
    with pytest.warns(ConfmatWarning):
        assert note in str(
            cm.report(cm.count_multilabel([[x] for x in TRUTH], [[x] for x in SAID]))
        )


def test_hostile_names_are_printed_safely() -> None:
    with pytest.warns(ConfmatWarning) as caught:
        m = count(["a\x1b[2J", "b"] * 5, ["A\x1b[2J", "b"] * 5)
    assert str(caught[0].message).isprintable()
    assert texts(m)[0].isprintable()
    assert "{0}" in texts(noted(lambda: count(["a{0}", "b"], ["A{0}", "b"]), "are two classes"))[0]
    assert Labels(["a"]) == count(["a"], ["a"]).labels

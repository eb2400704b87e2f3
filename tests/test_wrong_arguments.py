"""The person at the keyboard who gets an argument wrong: every door answers in confmat's own errors, and helps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat as cm

ACTUAL = ["cat", "hen", "cat", "fox", "hen", "cat"]
PREDICTED = ["cat", "cat", "hen", "fox", "hen", "cat"]
M = cm.count(ACTUAL, PREDICTED)
STACK = cm.count(ACTUAL, PREDICTED, by=list("xyxyxy"))
SWEEP = cm.thresholds([0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3])
TREE = cm.Hierarchy.from_nested({"pet": ["cat"], "wild": ["fox", "hen"]})
BOXES = cm.Boxes(["i", "i"], [[0, 0, 2, 2], [1, 1, 3, 3]], ["a", "b"], scores=[0.9, 0.8])
TAGS = cm.spans.spans_of_tags([["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]])
MODELS = cm.compare_predictions(ACTUAL, {"old": PREDICTED, "new": ACTUAL})
MAPS = np.array([[0, 1], [1, 2]])


def _saved(overwrite: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cm.save(M, f"{folder}/m.json", overwrite=overwrite)


# Options that are one of a few words, or true or false, by the call that takes them.
WORDS: dict[str, Callable[[Any], Any]] = {
    "count missing": lambda word: cm.count(ACTUAL, PREDICTED, missing=word),
    "normalize": M.normalize,
    "f1 average": lambda word: cm.f1(M, average=word),
    "f1 undefined": lambda word: cm.f1(M, average="macro", undefined=word),
    "report averages": lambda word: cm.report(M, averages=word),
    "interval method": lambda word: cm.interval(M, "accuracy", method=word),
    "interval design": lambda word: cm.interval(M, "accuracy", design=word),
    "top_confusions by": lambda word: cm.top_confusions(M, by=word),
    "view normalize": lambda word: cm.view(M, normalize=word),
    "html normalize": lambda word: cm.html(M, normalize=word),
    "area": lambda word: cm.roc(SWEEP).area(word),
    "from_csv rows": lambda word: cm.io.from_csv(M.to_csv(), rows=word),
    "table form": M.table,
    "detections matching": lambda word: cm.count_boxes(BOXES, BOXES, matching=word),
    "detections same_class": lambda word: cm.count_boxes(BOXES, BOXES, same_class=word),
    "spans match": lambda word: cm.count_spans(TAGS, TAGS, match=word),
    "labels missing": lambda word: cm.count_multilabel([{"a"}], [{"a"}], missing=word),
    "hierarchical": lambda word: cm.hierarchy.hierarchical_f1(M, TREE, average=word),
    "compare test": lambda word: cm.compare({"a": M, "b": M}, test=word),
    "thresholds kind": lambda word: cm.thresholds([0, 1], [0.1, 0.9], kind=word),
    "models": lambda word: MODELS.of("accuracy", word, word),
}
FLAGS: dict[str, Callable[[Any], Any]] = {
    "count sparse": lambda yes: cm.count(ACTUAL, PREDICTED, sparse=yes),
    "examples": lambda yes: cm.Examples(hits=yes),
    "answers case": lambda yes: cm.Answers(["a"], case=yes),
    "rates": lambda yes: cm.ConfusionMatrix.from_rates([[1.0, 0], [0, 1]], [2, 2], percent=yes),
    "partial": lambda yes: cm.count_spans(TAGS, TAGS, match="overlap", partial=yes),
    "mistakes": lambda yes: cm.hierarchy.lca_height(M, TREE, mistakes=yes),
    "same_items": lambda yes: cm.compare({"a": M, "b": M}, same_items=yes),
    "margins": lambda yes: cm.view(M, margins=yes),
    "spreadsheet": lambda yes: M.to_csv(spreadsheet=yes),
    "overwrite": _saved,
    "descending": lambda yes: cm.structure.class_order(M, "recall", descending=yes),
}
# A value that is neither a word nor true or false, and breaks whoever compares it or asks for its
# hash.
NO_WORD: list[Any] = [
    np.array(["cat", "hen"]),
    np.array([1, 2]),
    np.zeros((2, 2)),
    ["cat"],
    {},
    {"cat"},
    2.5,
    M,
    STACK,
]


@pytest.mark.parametrize("door", WORDS)
def test_what_is_no_word_is_refused_in_one_line(door: str) -> None:
    for value in [*NO_WORD, "nonsense"]:
        if ("averages" in door and isinstance(value, dict)) or (
            "undefined" in door and isinstance(value, float)
        ):
            # A list of no averages; a number for what is undefined.
            continue
        with pytest.raises(cm.ConfmatError) as caught:
            WORDS[door](value)
        assert "\n" not in str(caught.value), value


@pytest.mark.parametrize("door", FLAGS)
def test_what_is_neither_true_nor_false_is_refused(door: str) -> None:
    for value in [*NO_WORD, "no"]:
        with pytest.raises(cm.ConfmatError, match="must be True or False, not "):
            FLAGS[door](value)
    FLAGS[door](np.False_)


# ---- labels where a matrix is wanted -------------------------------------------------------------

READERS: list[Callable[..., Any]] = [
    cm.accuracy, cm.audit, cm.cost_report, cm.f1, cm.class_groups, cm.html, cm.interval,
    cm.structure.class_order, cm.report, cm.show, cm.structure.sinks, cm.io.to_json, cm.unanswered,
]  # fmt: skip


@pytest.mark.parametrize(
    "reader", READERS, ids=lambda one: getattr(one, "name", None) or one.__name__
)
def test_whoever_gives_labels_is_told_of_count(reader: Any) -> None:
    rest: list[Any] = {cm.cost_report: [{}]}.get(reader, [])
    for labels in (ACTUAL, np.array(ACTUAL), None):
        with pytest.raises(cm.ConfmatError, match=r"count\(actual, predicted\)"):
            reader(*(["f1", labels] if reader is cm.interval else [labels, *rest]))


def test_intervals_of_labels() -> None:
    ask: Any = cm.interval
    with pytest.raises(
        cm.InputError, match=r"interval\(m, 'f1.macro'\).*count\(actual, predicted\)"
    ):
        ask(ACTUAL, PREDICTED)
    with pytest.raises(cm.InputError, match=r"write interval\(m, score, of=..."):
        ask(ACTUAL, PREDICTED, "f1")
    with pytest.raises(cm.InputError, match="`interval` takes the matrix first"):
        ask("f1.macro", M)
    for guess, said in (
        ("confidence", "level="),
        ("alpha", "1 - alpha"),
        ("prevalence", "at_prevalence="),
    ):
        with pytest.raises(cm.InputError, match=f"takes no `{guess}`: say .*{said}"):
            ask(M, "f1.macro", **{guess: 0.5})
    report: Any = cm.report
    with pytest.raises(cm.InputError, match="`report` takes no `level`: say intervals="):
        report(M, level=0.9)


def test_models_where_a_number_is_wanted() -> None:
    ask: Any = MODELS.cells
    with pytest.raises(cm.InputError, match=r"cells\(first='old', second='new'\)"):
        ask("old", "new")
    for n in (-1, True, [3]):
        for most in (ask, lambda n: MODELS.classes("f1", n=n), lambda n: cm.AnswerLog().unread(n)):
            with pytest.raises(
                cm.InputError, match="must be a whole number, zero or more, or None for all"
            ):
                most(n)


# ---- several things, and numbers -----------------------------------------------------------------

SEVERAL: dict[str, Callable[[Any], Any]] = {
    "outside": lambda one: cm.ConfusionMatrix([[1, 2], [3, 4]], outside=one),
    "box labels": lambda one: cm.Boxes(["i"], [[0, 0, 1, 1]], one),
    "supports": lambda one: cm.audit(M, supports=one),
    "predictions": lambda one: cm.compare_frame({"t": [1, 2]}, actual="t", predictions=one),
    "na_values": lambda one: cm.examples("nowhere.csv", ["id"], na_values=one),
    "class_groups": lambda one: cm.html(M, class_groups=one if one is not True else 1),  # type: ignore[arg-type]
    "differences": cm.plot_differences,
    "rules": lambda one: cm.examples("nowhere.csv", ["id"], answers=one),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "axis": lambda one: cm.Stack({"a": M}, axis=one),
    "tally threads": lambda one: cm.Tally(threads=one),
    "witnesses": lambda one: cm.infer({"accuracy": "0.8"}, total=10).witnesses(one),
    "delimiter": lambda one: cm.count_files("nowhere.csv", delimiter=one),
    "resume": lambda one: cm.count_files("nowhere.csv", resume=one),
    "beta": cm.f_beta,
    "undefined": lambda one: cm.interval(M, "f1", undefined=one),
}


@pytest.mark.parametrize("door", SEVERAL)
def test_what_is_not_several_is_refused(door: str) -> None:
    if door == "differences":
        pytest.importorskip("matplotlib")
    for value in (5, 2.5, len, object(), True, M):
        with pytest.raises(cm.ConfmatError):
            SEVERAL[door](value)


@pytest.mark.parametrize("door", NUMBERS)
def test_what_is_no_number_and_no_text_is_refused(door: str) -> None:
    for value in ([1], {}, np.array([1, 2]), M, True, object(), float("nan"), len):
        if door == "undefined" and isinstance(value, (bool, float)):
            continue
        with pytest.raises(cm.ConfmatError) as caught:
            NUMBERS[door](value)
        assert "nowhere" not in str(caught.value)


def test_a_number_beyond_floats_is_no_number() -> None:
    huge = 10**400
    for ask in (
        lambda: cm.f_beta(huge),
        lambda: cm.metrics.cost([[0, huge], [1, 0]]),
        lambda: cm.count_boxes(BOXES, BOXES, iou=huge),
        lambda: cm.f1(M, average="macro", weights=[1, huge, 1]),
    ):
        with pytest.raises(cm.ConfmatError):
            ask()


def test_columns_of_parents_with_one_name() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["lemon", "citrus"], ["lime", "citrus"]], columns=["name", "name"])
    with pytest.raises(
        cm.InputError,
        match="a frame of parents has two columns, child and parent, not 'name', 'name'",
    ):
        cm.Hierarchy.from_parents(frame)


def test_draws_and_seeds() -> None:
    for draws in (0, 2.5, True):
        with pytest.raises(cm.InputError, match="`draws` must be a whole number of at least 1"):
            cm.interval(M, "accuracy", method="bootstrap", draws=draws)  # type: ignore[call-overload]
    for seed in ("x", -1):
        with pytest.raises(
            cm.InputError, match="`seed` is a whole number, several of them, a Generator"
        ):
            cm.interval(M, "accuracy", method="bootstrap", draws=50, seed=seed)
    for good in (3, [1, 2], None, np.random.default_rng(0)):
        cm.interval(M, "accuracy", method="bootstrap", draws=50, seed=good)


# Untyped, because type checkers know these calls to be wrong.
F1: Any = cm.f1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (F1.averaged, r"`averaged` needs `m`: averaged\(m, average, undefined=\.\.\."),
        (
            lambda: F1.averaged(M, "macro", "skip"),
            "`averaged` takes 2 arguments by position, not 3",
        ),
        (
            lambda: F1.averaged(M, averge="macro"),
            "`averaged` takes no `averge`; did you mean 'average'",
        ),
        (
            lambda: F1.per_class(ACTUAL, PREDICTED),
            r"needs a ConfusionMatrix, not .*; count\(actual, predicted\)",
        ),
    ],
)
def test_a_method_of_a_metric_is_called_wrongly(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(cm.InputError, match=said):
        call()


def test_a_frame_is_no_path_and_a_column_no_name() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"t": ACTUAL, "p": PREDICTED})
    with pytest.raises(
        cm.InputError, match=r"not DataFrame of shape \(6, 2\); confmat.count_frame counts a frame"
    ):
        cm.count_files(frame, actual="t", predicted="p")
    with pytest.raises(
        cm.InputError, match=r"no column Series of shape \(6,\) for `actual`.*give its name"
    ) as caught:
        cm.count_frame(frame, actual=frame["t"], predicted=frame["p"])
    assert "\n" not in str(caught.value)


def test_a_frame_in_place_of_a_number_is_told_in_one_line() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    asked: list[Callable[[], Any]] = [
        lambda: cm.interval(M, "accuracy", level=frame),
        lambda: cm.view(M, top=frame),
        lambda: cm.report(M, intervals=frame),
        lambda: cm.class_groups(M, frame),
        lambda: cm.items_needed(0.9, width=frame),
        lambda: M.roll_up(frame),
        lambda: cm.metrics.weighted_kappa(1, frame.astype(str)),
    ]
    for ask in asked:
        with pytest.raises(cm.ConfmatError) as caught:
            ask()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["at_prevalence", "prevalence"])
@pytest.mark.parametrize("function", [cm.precision, cm.report])
def test_a_score_at_another_prevalence_is_that_of_interval(function: Any, name: str) -> None:
    with pytest.raises(
        cm.ConfmatError,
        match=rf"no `{name}`: interval\(m, 'precision', at_prevalence=...\) has the",
    ):
        function(M, **{name: 0.01})

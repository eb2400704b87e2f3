"""The person at the keyboard who gets an argument wrong: every door answers in confmat's own errors, and helps."""

from __future__ import annotations

import io
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
    "count other": lambda word: cm.count(ACTUAL, PREDICTED, other=word),
    "normalize": M.normalize,
    "from_frame rows": lambda word: cm.ConfusionMatrix.from_frame(None, rows=word),
    "f1 average": lambda word: cm.f1(M, average=word),
    "f1 outside": lambda word: cm.f1(M, outside=word),
    "f1 undefined": lambda word: cm.f1(M, average="macro", undefined=word),
    "accuracy outside": lambda word: cm.accuracy(M, outside=word),
    "kappa outside": lambda word: cm.metrics.weighted_kappa_linear(M, outside=word),
    "report averages": lambda word: cm.report(M, averages=word),
    "report undefined": lambda word: cm.report(M, undefined=word),
    "interval method": lambda word: cm.interval(M, "accuracy", method=word),
    "interval design": lambda word: cm.interval(M, "accuracy", design=word),
    "interval undefined": lambda word: cm.interval(M, "f1.macro", undefined=word),
    "top_confusions by": lambda word: cm.top_confusions(M, by=word),
    "sinks outside": lambda word: cm.structure.sinks(M, outside=word),
    "view normalize": lambda word: cm.view(M, normalize=word),
    "view values": lambda word: cm.view(M, values=word),
    "html normalize": lambda word: cm.html(M, normalize=word),
    "html order": lambda word: cm.html(M, order=word),
    "area": lambda word: cm.roc(SWEEP).area(word),
    "audit rows": lambda word: cm.audit(M, {"accuracy": "0.67"}, rows=word),
    "from_csv rows": lambda word: cm.io.from_csv(M.to_csv(), rows=word),
    "from_csv kind": lambda word: cm.io.from_csv(M.to_csv(), kind=word),
    "table form": M.table,
    "to_csv delimiter": lambda word: M.to_csv(delimiter=word),
    "detections matching": lambda word: cm.count_boxes(BOXES, BOXES, matching=word),
    "detections same_class": lambda word: cm.count_boxes(BOXES, BOXES, same_class=word),
    "boxes": lambda word: cm.Boxes(["i"], [[0, 0, 1, 1]], ["a"], box_format=word),
    "spans match": lambda word: cm.count_spans(TAGS, TAGS, match=word),
    "tags": lambda word: cm.spans.spans_of_tags([["O"]], scheme=word),
    "labels missing": lambda word: cm.count_multilabel([{"a"}], [{"a"}], missing=word),
    "labels along": lambda word: cm.count_multilabel([{"a"}], [{"a"}], along=word),
    "hierarchical": lambda word: cm.hierarchy.hierarchical_f1(M, TREE, average=word),
    "compare test": lambda word: cm.compare({"a": M, "b": M}, test=word),
    "thresholds kind": lambda word: cm.thresholds([0, 1], [0.1, 0.9], kind=word),
    "thresholds missing": lambda word: cm.thresholds([0, 1], [0.1, 0.9], missing=word),
    "models": lambda word: MODELS.of("accuracy", word, word),
}
FLAGS: dict[str, Callable[[Any], Any]] = {
    "count sparse": lambda yes: cm.count(ACTUAL, PREDICTED, sparse=yes),
    "examples": lambda yes: cm.Examples(hits=yes),
    "answers case": lambda yes: cm.Answers(["a"], case=yes),
    "answers punctuation": lambda yes: cm.Answers(["a"], punctuation=yes),
    "rates": lambda yes: cm.ConfusionMatrix.from_rates([[1.0, 0], [0, 1]], [2, 2], percent=yes),
    "by_image": lambda yes: cm.count_boxes(BOXES, BOXES, by_image=yes),
    "partial": lambda yes: cm.count_spans(TAGS, TAGS, match="overlap", partial=yes),
    "by_document": lambda yes: cm.count_spans(TAGS, TAGS, by_document=yes),
    "per_image": lambda yes: cm.count_masks(MAPS, MAPS, per_image=yes),
    "mistakes": lambda yes: cm.hierarchy.lca_height(M, TREE, mistakes=yes),
    "matrix": lambda yes: cm.count_multilabel([{"a"}], [{"a"}], matrix=yes),
    "same_items": lambda yes: cm.compare({"a": M, "b": M}, same_items=yes),
    "margins": lambda yes: cm.view(M, margins=yes),
    "fold": lambda yes: cm.view(M, fold=yes),
    "color": lambda yes: cm.show(M, color=yes, file=io.StringIO()),
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
    cm.accuracy, cm.audit, cm.cost_report, cm.expected_cost, cm.f1, cm.class_groups, cm.html, cm.interval,
    cm.structure.class_order, cm.report, cm.show, cm.structure.sinks, cm.structure.sources,
    cm.io.to_json, cm.top_confusions, cm.unanswered,
    cm.view,
]  # fmt: skip


@pytest.mark.parametrize(
    "reader", READERS, ids=lambda one: getattr(one, "name", None) or one.__name__
)
def test_whoever_gives_labels_is_told_of_count(reader: Any) -> None:
    rest: list[Any] = {cm.cost_report: [{}], cm.expected_cost: [{}]}.get(reader, [])
    for labels in (ACTUAL, np.array(ACTUAL), tuple(ACTUAL), None):
        with pytest.raises(cm.ConfmatError, match=r"count\(actual, predicted\)"):
            reader(*(["f1", labels] if reader is cm.interval else [labels, *rest]))


@pytest.mark.parametrize(
    "reader", [cm.accuracy, cm.f1, cm.report, cm.top_confusions, cm.class_groups, cm.html, cm.audit]
)
def test_so_is_who_gives_both_sides(reader: Any) -> None:
    with pytest.raises(cm.ConfmatError, match=r"count\(actual, predicted\)"):
        reader(ACTUAL, PREDICTED)


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


def test_an_interval_unpacks_into_its_bounds() -> None:
    found = cm.interval(M, "accuracy")
    assert isinstance(found, cm.Estimate)
    low, high = found
    assert (low, high) == (found.low, found.high)


def test_two_matrices_are_compared_by_name() -> None:
    ask: Any = cm.compare
    with pytest.raises(
        cm.InputError, match=r"mapping of names to matrices: \{'old': a, 'new': b\}"
    ):
        ask(M, M)
    with pytest.raises(
        cm.InputError,
        match=r"'a' is no ConfusionMatrix but list; .*ConfusionMatrix\(counts\) of a table",
    ):
        ask({"a": [[1, 2], [3, 4]], "b": M})


def test_models_where_a_number_is_wanted() -> None:
    ask: Any = MODELS.cells
    with pytest.raises(cm.InputError, match=r"cells\(first='old', second='new'\)"):
        ask("old", "new")
    for n in (-1, 2.5, True, [3], np.array([1, 2])):
        for most in (ask, lambda n: MODELS.classes("f1", n=n), lambda n: cm.AnswerLog().unread(n)):
            with pytest.raises(
                cm.InputError, match="must be a whole number, zero or more, or None for all"
            ):
                most(n)


# ---- several things, and numbers -----------------------------------------------------------------

SEVERAL: dict[str, Callable[[Any], Any]] = {
    "outside": lambda one: cm.ConfusionMatrix([[1, 2], [3, 4]], outside=one),
    "keys": lambda one: cm.Stack.from_array(np.ones((1, 2, 2), int), keys=one),
    "columns": lambda one: cm.Examples(columns=one),
    "box labels": lambda one: cm.Boxes(["i"], [[0, 0, 1, 1]], one),
    "box images": lambda one: cm.Boxes(one, [[0, 0, 1, 1]], ["a"]),
    "all images": lambda one: cm.Boxes(["i"], [[0, 0, 1, 1]], ["a"], images=[one]),
    "supports": lambda one: cm.audit(M, supports=one),
    "predictions": lambda one: cm.compare_frame({"t": [1, 2]}, actual="t", predictions=one),
    "na_values": lambda one: cm.examples("nowhere.csv", ["id"], na_values=one),
    "class_groups": lambda one: cm.html(M, class_groups=one if one is not True else 1),  # type: ignore[arg-type]
    "members": lambda one: cm.html(M, class_groups={"pet": one}),
    "differences": cm.plot_differences,
    "frame": lambda one: cm.Examples.from_frame(one, actual="t", predicted="p", columns=["q"]),
    "fitted": lambda one: cm.Examples().fitted(one),
    "rules": lambda one: cm.examples("nowhere.csv", ["id"], answers=one),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "axis": lambda one: cm.Stack({"a": M}, axis=one),
    "along": STACK.along,
    "tally threads": lambda one: cm.Tally(threads=one),
    "witnesses": lambda one: cm.infer({"accuracy": "0.8"}, total=10).witnesses(one),
    "budget": lambda one: cm.infer({"accuracy": "0.8"}, total=10, budget=one),
    "sep": lambda one: cm.Hierarchy.read("nowhere.csv", sep=one),
    "delimiter": lambda one: cm.count_files("nowhere.csv", delimiter=one),
    "every": lambda one: cm.count_files("nowhere.csv", every=one),
    "resume": lambda one: cm.count_files("nowhere.csv", resume=one),
    "at": lambda one: cm.detection.coco_average_precision(BOXES, BOXES).at(one),
    "beta": cm.f_beta,
    "undefined": lambda one: cm.interval(M, "f1", undefined=one),
}


@pytest.mark.parametrize("door", SEVERAL)
def test_what_is_not_several_is_refused(door: str) -> None:
    if door == "differences":
        pytest.importorskip("matplotlib")
    for value in (5, 2.5, len, object(), True, *([] if door == "fitted" else [M])):
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


def test_items_are_planned_from_one_matrix() -> None:
    ask: Any = cm.items_needed
    with pytest.raises(cm.InputError, match=r"such as stack.sum\(\), not from a Stack"):
        ask(STACK, "accuracy", width=0.1)
    with pytest.raises(cm.InputError, match="the matrix first"):
        ask("accuracy", M, width=0.1)


def test_columns_of_parents_with_one_name() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([["lemon", "citrus"], ["lime", "citrus"]], columns=["name", "name"])
    with pytest.raises(
        cm.InputError,
        match="a frame of parents has two columns, child and parent, not 'name', 'name'",
    ):
        cm.Hierarchy.from_parents(frame)


def test_draws_and_seeds() -> None:
    for draws in (0, -1, 2.5, "many", True, [100]):
        with pytest.raises(cm.InputError, match="`draws` must be a whole number of at least 1"):
            cm.interval(M, "accuracy", method="bootstrap", draws=draws)  # type: ignore[call-overload]
    for seed in ("x", 2.5, -1, object()):
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
        (lambda: F1.averaged(M, "macro", average="micro"), "twice, by position and by name"),
        (F1.per_class, r"`per_class` needs `m`"),
        (
            lambda: F1.per_class(ACTUAL, PREDICTED),
            r"needs a ConfusionMatrix, not .*; count\(actual, predicted\)",
        ),
        (lambda: F1.per_class(M, average="macro"), "`per_class` takes no `average`"),
    ],
)
def test_a_method_of_a_metric_is_called_wrongly(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(cm.InputError, match=said):
        call()


def test_an_average_goes_by_its_name() -> None:
    ask: Any = cm.f1
    with pytest.raises(
        cm.MetricError,
        match=r"`f1` reads one matrix, f1\(m\); whatever else it takes is given by its name",
    ):
        ask(M, "macro")


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
        lambda: cm.view(M, digits=frame),
        lambda: cm.report(M, digits=frame),
        lambda: cm.report(M, intervals=frame),
        lambda: cm.report(M, averages=[frame]),
        lambda: cm.class_groups(M, frame),
        lambda: cm.items_needed(0.9, width=frame),
        lambda: cm.count_spans(TAGS, TAGS, match="overlap", iou=frame),
        lambda: cm.Examples(seed=frame),
        lambda: cm.count_files("nowhere.csv", memory_limit=frame),
        lambda: M.roll_up(frame),
        lambda: cm.f_beta(frame),
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

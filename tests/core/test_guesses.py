"""Names and calls that people try: each works, or one line says what to write."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.errors import CallError
from confmat.core.options import door

M = cm.count(["cat", "cat", "dog"], ["cat", "dog", "dog"])
STACK = cm.count(["cat", "cat", "dog"], ["cat", "dog", "dog"], by=[1, 1, 2])


@pytest.mark.parametrize("value", [M, M.sparse(), STACK])
def test_an_absent_attribute_says_where_it_is(value: Any) -> None:
    for name, way in {
        "f1": "confmat.score(m, 'f1')",
        "save": "confmat.save(m",
        "to_html": "to('html')",
        "normalise": "normalize",
        "recal": "confmat.score(m, 'recall')",
        "columns": "`labels`",
    }.items():
        with pytest.raises(AttributeError, match="has no attribute") as caught:
            getattr(value, name)
        assert way in str(caught.value)
    with pytest.raises(AttributeError, match=r"no attribute 'nothing_like_it'$"):
        _ = value.nothing_like_it
    assert not hasattr(value, "__array_interface__")
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value


def test_a_stack_says_where_what_a_matrix_alone_has_is() -> None:
    for name in ("shape", "dense", "one_vs_rest"):
        with pytest.raises(AttributeError, match=r"; a matrix has it, such as stack\[key\]$"):
            getattr(STACK, name)


def test_a_score_of_a_hierarchy_and_a_drawing_of_a_comparison_say_where_they_are() -> None:
    with pytest.raises(cm.MetricError, match=r"hierarchical_f1\(hierarchy\) of confmat\.hierarchy"):
        cm.interval(M, "hierarchical_f1")
    with pytest.raises(cm.InputError, match="`plot_differences` a Comparison"):
        cm.plot(cm.compare({"old": M, "new": M}))


def test_one_cell_is_read_by_its_two_labels() -> None:
    for m in (M, M.sparse()):
        assert [[m[a, b] for b in m.labels] for a in m.labels] == M.counts.tolist()
        with pytest.raises(cm.LabelError, match="cow"):
            m["cat", "cow"]
        with pytest.raises(cm.InputError, match=r"m\[actual, predicted\]"):
            m["cat"]  # type: ignore[index]  # what people try


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: M - M, r"Tally\.subtract"),
        (lambda: M * 2, r"m\.counts"),
        (lambda: M / 3, "normalize"),
        (lambda: STACK - STACK, "not subtracted"),
        (lambda: STACK * 2, "not scaled"),
    ],
)
def test_arithmetic_beyond_sums_says_what_to_write(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call()


def test_count_of_a_frame_and_column_names_says_count_frame() -> None:
    with pytest.raises(
        cm.InputError, match=r"frame\['pred'\]\); count_frame\(frame, .* takes"
    ) as caught:
        cm.count({"y": [1], "pred": [1]}, "y", "pred")  # type: ignore[call-overload]  # what people try
    # The advice is a call that works.
    advice = (
        str(caught.value)
        .partition("; ")[2]
        .removesuffix(" takes a frame and the names of its columns")
    )
    pl = pytest.importorskip("polars")
    names = {"count_frame": cm.count_frame, "frame": pl.DataFrame({"y": ["cat"], "pred": ["cat"]})}
    assert eval(advice, names) == cm.count(["cat"], ["cat"])  # noqa: S307 - the advice of our own message


def test_a_report_takes_names_one_after_another_and_one_class() -> None:
    assert str(cm.report(M, "f1", "kappa")) == str(cm.report(M, ["f1", "kappa"]))
    assert str(cm.report(M, ["f1"], of="cat")) == str(cm.report(M, ["f1[cat]"]))


def test_a_result_says_what_its_data_frame_is_called() -> None:
    with pytest.raises(AttributeError, match=r"to_pandas\(\)"):
        cm.report(M).to_frame()  # type: ignore[attr-defined]  # what people try


def test_a_result_says_how_it_is_saved_and_drawn() -> None:
    results: list[Any] = [
        cm.report(M),
        cm.interval(M, "accuracy"),
        cm.compare({"old": M, "new": M}),
    ]
    for value in results:
        with pytest.raises(AttributeError, match=r"confmat\.save\(value"):
            _ = value.save
        with pytest.raises(AttributeError, match=r"confmat\.plot\(m\)"):
            _ = value.plot


# Calls that type checkers refuse.
page: Any = cm
matrix: Any = M
COLUMNS = ["cat", "dog"], ["cat", "cat"]


def test_a_tally_and_a_report_say_what_is_read_of_them() -> None:
    with pytest.raises(AttributeError, match=r"the matrix so far is matrix\(\)"):
        page.Tally().result()
    report = page.report(M)
    with pytest.raises(AttributeError, match=r"report\[label, 'f1'\]"):
        _ = report.f1
    for twin in (copy.copy(report), copy.deepcopy(report), pickle.loads(pickle.dumps(report))):
        assert twin.to_dict() == report.to_dict()
        with pytest.raises(TypeError, match="does not support item assignment"):
            twin.overall["accuracy"] = 9


@pytest.mark.parametrize(
    ("call", "says"),
    [
        # Names of earlier versions and of other packages.
        (
            lambda: page.count(*COLUMNS, normalise=str.lower),
            "`count` takes no `normalise`: say answers=",
        ),
        # Where clusters are counted, and what bins and metrics of other packages are called here.
        (
            lambda: page.compare_frame({}, actual="y", predictions=["a", "b"], clusters="id"),
            "count_frame and count_files with by='patient' make a matrix for each",
        ),
        (
            lambda: page.calibration([True], [0.5], strategy="quantile"),
            "`calibration` takes no `strategy`: say equal='mass'",
        ),
        (lambda: page.plot(M, groups=2), "`plot` takes no `groups`: say class_groups="),
        (
            lambda: page.plot(M, display_labels=["a", "b"]),
            r"m\.relabel\(names\) gives the classes other names",
        ),
        (lambda: page.count(*COLUMNS, lables=["cat"]), "did you mean 'labels'"),
        # Advice is for the function that is called, and a slip of the pen comes before it.
        (lambda: page.count(*COLUMNS, alpha=0.05), "`count` takes no `alpha`; it takes actual"),
        (lambda: matrix.to_pandas(index=False), "`to_pandas` takes no `index`; it takes nothing"),
        # Metrics name the options that they take, and no others.
        (page.f1, r"`f1` needs a matrix: f1\(m\); count\(actual, predicted\)"),
        (lambda: page.f1(M, beta=2), r"`f1` takes no `beta`: confmat\.f_beta\(2\)\(m\)"),
        (lambda: page.f1(M, averge="macro"), "did you mean 'average'"),
        # Too few, too many, and one twice.
        (
            lambda: page.count(COLUMNS[0]),
            r"`count` needs `predicted`: count\(actual, predicted, labels=",
        ),
        (page.count, "`count` needs `actual` and `predicted`"),
        (lambda: page.Tally().update(COLUMNS[0]), "`update` needs `predicted`"),
        (
            lambda: page.interval(M, "accuracy", 0.9),
            r"2 arguments by position, not 3; write interval\(m, score, of=",
        ),
        (
            lambda: page.interval(*COLUMNS, "f1"),
            r"needs a ConfusionMatrix, .*; count\(actual, predicted\) makes one",
        ),
        (lambda: page.interval(np.array([1]), [1], "f1"), r"not ndarray of shape \(1,\); count\("),
        (
            lambda: page.compare_predictions(*COLUMNS, COLUMNS[0]),
            r"compare_predictions\(actual, predictions, metrics=",
        ),
        (
            lambda: matrix.to_csv("m.csv"),
            r"takes no arguments by position, not 1; write .*; confmat\.save\(value, path\)",
        ),
        (lambda: page.save(M, "m.csv", value=M), "one argument twice"),
        # Modules with the name of an earlier function.
        (lambda: page.spans([], []), r"confmat\.count_spans\(truth, predicted\)"),
    ],
)
def test_a_wrong_call_says_what_to_write(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(CallError, match=says) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_an_error_inside_a_function_stays_what_it_is() -> None:
    @door
    def draw(matrix: Any) -> int:
        return len(matrix)

    with pytest.raises(TypeError, match="has no len") as caught:
        draw(3)
    assert not isinstance(caught.value, CallError)
    assert draw([1]) == 1
    assert pickle.loads(pickle.dumps(page.count)) is page.count


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: page.compare({"old": M, "new": M}, ["accuracy"]), r"compare\(matrices, metrics="),
        (lambda: page.examples(*COLUMNS), r"examples\('preds.csv', \['id', 'text'\]\)"),
        (
            lambda: page.io.from_csv("m.csv"),
            "from_csv reads a text, not 'm.csv'; confmat.load reads a file",
        ),
        (lambda: page.count(["1", "2"], [1, 2]), "convert one side"),
        (
            lambda: page.count(["cat", "dog"], [0, 1]),
            r"by \[names\[i\] for i in numbers\]",
        ),
        (
            lambda: page.count([b"a"], ["a"]),
            r"bytes \(b'a' in `actual`\) and text .*; convert one side",
        ),
        (lambda: page.count([1, True, "1"], [1, 1, 1]), "give the labels of a side one type"),
    ],
)
def test_a_wrong_argument_is_named_for_what_it_is(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(page.ConfmatError, match=says):
        call()

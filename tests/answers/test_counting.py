"""Counting under rules: every container, stream, group and weight gives what the labels one by one would give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import (
    AnswerLog,
    Answers,
    ConfmatWarning,
    ConfusionMatrix,
    InputError,
    LabelError,
    Labels,
    Tally,
    count,
    count_files,
    count_frame,
    load,
    save,
)

pytestmark = pytest.mark.usefixtures("kernel")

RULES = Answers(["no", "yes"], aliases={"yep": "yes"}, refused="I cannot*", abstained=["n/a", -1])
ACTUAL = ["yes", "no", "yes", "no", "yes", "no", "yes"]
ANSWERS = ["Yes.", "no", "yep", "I cannot say", "N/A", "hm", "NO"]
# no: no, (refused), (invalid); yes: yes, yes, (abstained), no.
COUNTS = [[1, 0, 1, 0, 1], [1, 2, 0, 1, 0], [0] * 5, [0] * 5, [0] * 5]
WANTED = ConfusionMatrix(
    COUNTS, labels=Labels(["no", "yes"], outside=["(invalid)", "(abstained)", "(refused)"])
)


def pandas_series(values: list[Any], kind: Any = None) -> Any:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.Series(values, dtype=kind)


def polars_series(values: list[Any], kind: str | None = None) -> Any:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    return polars.Series(values, dtype=None if kind is None else getattr(polars, kind))


def arrow_array(values: list[Any]) -> Any:
    return pytest.importorskip("pyarrow", reason="PyArrow is not installed").array(values)


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "text array": np.array,
    "object array": lambda values: np.array(values, dtype=object),
    "pandas": pandas_series,
    "pandas category": lambda values: pandas_series(values, "category"),
    "polars categorical": lambda values: polars_series(values, "Categorical"),
    "arrow": arrow_array,
    "arrow dictionary": lambda values: arrow_array(values).dictionary_encode(),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_of_answers(name: str) -> None:
    log = AnswerLog()
    m = count(ACTUAL, CONTAINERS[name](ANSWERS), answers=RULES.logged(log), other="collect")
    assert m == WANTED
    assert m.total == len(ANSWERS)
    assert log.steps == {
        "exact": 1,
        "case": 1,
        "punctuation": 1,
        "alias": 1,
        "refused": 1,
        "abstained": 1,
        "invalid": 1,
    }
    assert log.unread() == [("hm", 1)]


def test_what_nothing_reads_is_an_error_left_out_or_collected() -> None:
    with pytest.raises(
        LabelError,
        match=r"1 label is not among `labels` and not read as one by `answers`: 'hm', in 1",
    ):
        count(ACTUAL, ANSWERS, answers=RULES)
    m = count(ACTUAL, ANSWERS, answers=RULES, other="drop")
    assert m.labels.outside == ("(abstained)", "(refused)")
    assert (m.total, m.dropped) == (6, 1)
    m = count(["yes", "no"], ["perhaps", "yes"], answers=RULES, other="collect")
    assert dict(m.pairs().items()) == {("yes", "(invalid)"): 1, ("no", "yes"): 1}
    # Where an alias leads to it, "(invalid)" is there without collecting.
    known = Answers(["yes", "no"], aliases={"hm": "(invalid)"})
    assert count(["yes"], ["hm"], answers=known).labels.outside == ("(invalid)",)


@pytest.mark.parametrize("other", ["error", "drop", "collect"])
def test_a_truth_that_is_no_class_is_never_an_answer(other: Any, tmp_path: Path) -> None:
    actual, answers = ["yes", "NO", "Yes", "no"], ["yes", "no", "hm", "no"]
    said = r"2 labels in `actual` are no class: 'NO', 'Yes', in 2 of 4 pairs, the first at position 1\..*labels_of\("
    options: dict[str, Any] = {"answers": RULES, "other": other}
    with pytest.raises(LabelError, match=said):
        count(actual, answers, **options)
    path = tmp_path / "answers.csv"
    path.write_text(
        "".join(f"{a},{b}\n" for a, b in [("y", "yhat"), *zip(actual, answers, strict=True)])
    )
    columns: dict[str, Any] = {"actual": "y", "predicted": "yhat", **options}
    frame = pytest.importorskip("pandas", reason="pandas is not installed").read_csv(path)
    for act in (
        lambda: count(iter(actual), iter(answers), **options),
        lambda: count(actual, answers, by=list("aabb"), **options),
        lambda: Tally(**options).update(actual, answers),
        lambda: count_files(path, **columns),
        lambda: count_frame(frame, **columns),
        lambda: count_frame(frame.astype("category"), **columns),
    ):
        with pytest.raises(LabelError, match="in `actual` are no class"):
            act()
    # Categories that do not occur are no mistake, and rules read the truth where that is wanted.
    assert count_frame(frame.astype("category").iloc[[0, 3]], **columns).total == 2
    m = count(RULES.labels_of(actual), ["yes", "no", "yes", "no"], **options)
    assert m.diagonal[:2].tolist() == [2, 2]


def test_missing_answers_are_missing_and_not_read() -> None:
    rules, log = Answers(["yes", "no"]), AnswerLog()
    with pytest.raises(LabelError, match="missing labels: 1 in `predicted`"):
        count(["yes", "no"], ["YES", None], answers=rules)
    m = count(["yes", "no"], ["YES", None], answers=rules.logged(log), missing="collect")
    assert dict(m.pairs().items()) == {("yes", "yes"): 1, ("no", "(missing)"): 1}
    assert log.total == 1


def test_the_classes_come_from_labels_or_from_the_actual_side() -> None:
    rules = Answers(aliases={"yep": "yes", "mu": "both"})
    m = count(["yes", "no"], ["Yep", "NO"], answers=rules)
    assert m.labels == Labels(["both", "no", "yes"])
    assert count([1, 0], ["1.", "0"], answers=Answers()).diagonal.tolist() == [1, 1]
    assert count([True, False], ["true", "False"], answers=Answers()).diagonal.tolist() == [1, 1]
    with pytest.raises(LabelError, match="beforehand"):
        count(iter(["yes"]), iter(["yes"]), answers=rules)
    with pytest.raises(LabelError, match="the rules of `answers` are for 'no', 'yes'"):
        count(["yes"], ["yes"], labels=["yes", "never"], answers=RULES)
    with pytest.raises(InputError, match=r"a confmat\.Answers"):
        count(["yes"], ["yes"], answers={"yep": "yes"})  # type: ignore[call-overload]


def test_given_labels_keep_their_order_their_outside_and_the_positive_class() -> None:
    labels = Labels(["yes", "no"], outside=["(late)"], positive="yes")
    m = count(["yes", "no"], ["yep", "(late)"], labels=labels, answers=RULES, other="collect")
    assert list(m.labels) == ["yes", "no", "(late)", "(invalid)", "(abstained)", "(refused)"]
    assert m.positive == "yes"
    assert count(["yes"], ["yep"], answers=RULES, positive="yes").tp == 1
    assert count([], [], answers=RULES).total == 0


@pytest.mark.parametrize("sparse", [True, False, None])
def test_weights_and_groups(sparse: bool | None) -> None:
    weights, by = [1, 2, 3, 4, 5, 6, 7], list("aabbabb")
    log = AnswerLog()
    options: dict[str, Any] = {"other": "collect", "sparse": sparse}
    m = count(ACTUAL, ANSWERS, answers=RULES.logged(log), weights=weights, **options)
    assert m.total == log.total == 28
    assert log.unread() == [("hm", 6)]
    log = AnswerLog()
    stack = count(ACTUAL, ANSWERS, answers=RULES.logged(log), by=by, **options)
    assert stack.sum() == WANTED
    assert (log.total, log.unread()) == (7, [("hm", 1)])
    for key in "ab":
        part = [(a, p) for a, p, group in zip(ACTUAL, ANSWERS, by, strict=True) if group == key]
        assert stack[key] == count(
            [a for a, _ in part], [p for _, p in part], answers=RULES, other="collect"
        )


@pytest.mark.filterwarnings("ignore:.*answers unread")
@given(
    st.lists(
        st.tuples(st.sampled_from(["no", "yes"]), st.sampled_from([*ANSWERS, "?"])),
        min_size=1,
        max_size=40,
    )
)
def test_chunks_streams_and_tallies_are_one_count(pairs: list[tuple[str, str]]) -> None:
    actual, answers = (list(side) for side in zip(*pairs, strict=True))
    log, parts = AnswerLog(), AnswerLog()
    whole = count(actual, answers, answers=RULES.logged(log), other="collect")
    assert RULES.labels is not None
    assert whole == count(actual, RULES.labels_of(answers), labels=RULES.labels)
    assert whole.total == len(pairs)
    tally = Tally(answers=RULES.logged(parts), other="collect")
    for begin in range(0, len(pairs), 7):
        tally.update(actual[begin : begin + 7], answers[begin : begin + 7])
    assert (
        tally.matrix()
        == whole
        == count(iter(actual), iter(answers), answers=RULES, other="collect")
    )
    assert parts.steps == log.steps
    assert sorted(parts.unread()) == sorted(log.unread())


def test_streams_longer_than_a_chunk_are_logged_once() -> None:
    n, log = 150_000, AnswerLog()
    answers = (ANSWERS[i % 7] for i in range(n))
    m = count(
        (ACTUAL[i % 7] for i in range(n)), answers, answers=RULES.logged(log), other="collect"
    )
    assert m.total == log.total == n


def test_each_different_answer_is_read_once() -> None:
    seen: list[str] = []

    def watched(text: str) -> None:
        seen.append(text)

    rules = Answers(["a", "b"], extract=watched)
    with pytest.warns(ConfmatWarning, match="10,000 of 10,000 answers unread"):
        count(["a", "b"] * 5000, ["x", "y"] * 5000, answers=rules, other="collect")
    assert sorted(seen) == ["x", "y"]


# ---- engines -------------------------------------------------------------------------------------


def frames() -> Iterable[str]:
    return ("pandas", "polars", "lazy", "arrow")


@pytest.mark.parametrize("kind", frames())
@pytest.mark.parametrize(
    "options", [{}, {"by": "group"}, {"weights": "weight"}, {"by": "group", "weights": "weight"}]
)
def test_frames(kind: str, options: dict[str, Any]) -> None:
    columns = {
        "y": ACTUAL,
        "yhat": ANSWERS,
        "group": list("aabbabb"),
        "weight": [1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
    }
    module = {"lazy": "polars", "arrow": "pyarrow"}.get(kind, kind)
    library = pytest.importorskip(module, reason=f"{module} is not installed")
    frame = library.table(columns) if kind == "arrow" else library.DataFrame(columns)
    frame = frame.lazy() if kind == "lazy" else frame
    log = AnswerLog()
    found: Any = count_frame(
        frame, actual="y", predicted="yhat", answers=RULES.logged(log), other="collect", **options
    )
    sides: dict[str, Any] = {name: columns[column] for name, column in options.items()}
    wanted: Any = count(ACTUAL, ANSWERS, answers=RULES, other="collect", **sides)
    assert (found.sum() == wanted.sum()) if "by" in options else (found == wanted)
    assert log.total == (28.5 if "weights" in options else 7)


@pytest.mark.parametrize("every", [None, (0.0, lambda _: None)])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_files(tmp_path: Path, suffix: str, every: Any) -> None:
    path = tmp_path / f"answers.{suffix}"
    if suffix == "csv":
        path.write_text(
            "y,yhat\n" + "".join(f"{a},{p}\n" for a, p in zip(ACTUAL, ANSWERS, strict=True))
        )
    else:
        rows = [json.dumps({"y": a, "yhat": p}) for a, p in zip(ACTUAL, ANSWERS, strict=True)]
        path.write_text("\n".join(rows))
    log = AnswerLog()
    found = count_files(
        path, actual="y", predicted="yhat", answers=RULES.logged(log), other="collect", every=every
    )
    assert found == WANTED
    # A file that is looked at while it is read is not entered twice.
    assert log.total == 7


def test_what_comes_out_is_a_matrix_like_any_other(tmp_path: Path) -> None:
    from confmat import interval, report

    m = count(ACTUAL, ANSWERS, answers=RULES, other="collect")
    save(m, tmp_path / "m.json")
    assert load(tmp_path / "m.json") == m
    assert report(m)["accuracy"] == pytest.approx(3 / 7)
    assert "(invalid), (abstained), (refused)" in str(report(m))
    assert interval(m, "accuracy").value == pytest.approx(3 / 7)
    assert (m + m).total == 14

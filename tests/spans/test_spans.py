"""Entities as pairs: exact and by overlap; margins, order, containers, hostile input."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm

TRUTH = [("a", 0, 4, "PER"), ("a", 10, 16, "LOC"), ("b", 3, 8, "ORG")]
PREDICTED = [("a", 0, 4, "PER"), ("a", 10, 16, "ORG"), ("b", 3, 7, "ORG")]
Record = tuple[Any, int, int, str]


def records(most: int = 7) -> st.SearchStrategy[list[Record]]:
    one = st.tuples(
        st.sampled_from("xy"), st.integers(0, 6), st.integers(1, 4), st.sampled_from("ABC")
    )
    return st.lists(one.map(lambda r: (r[0], r[1], r[1] + r[2], r[3])), max_size=most)


def share(one: Record, other: Record) -> float:
    common = min(one[2], other[2]) - max(one[1], other[1])
    whole = max(one[2], other[2]) - min(one[1], other[1])
    return common / whole if one[0] == other[0] and common > 0 else 0.0


# ---- laws ----------------------------------------------------------------------------------------


@given(records(), records(), st.sampled_from(["exact", "overlap"]), st.booleans())
def test_margins_are_the_entities(
    truth: list[Record], predicted: list[Record], match: Any, partial: bool
) -> None:
    m = cm.count_spans(
        truth, predicted, match=match, partial=partial and match == "overlap", labels=[*"ABC"]
    )
    for name, side, totals in (
        ("truth", truth, m.actual_totals),
        ("predicted", predicted, m.predicted_totals),
    ):
        many = Counter(label for *_, label in side)
        assert totals[:3] == pytest.approx([many[label] for label in "ABC"]), name
    assert m.counts[3, 3] == 0


@given(records(), records())
def test_exact_is_what_sets_and_bags_say(truth: list[Record], predicted: list[Record]) -> None:
    m = cm.count_spans(truth, predicted, labels=[*"ABC"])
    same = Counter(truth) & Counter(predicted)
    assert m.diagonal[:3].tolist() == [
        sum(n for one, n in same.items() if one[3] == label) for label in "ABC"
    ]
    places = Counter(one[:3] for one in truth) & Counter(one[:3] for one in predicted)
    assert m.counts[:3, :3].sum() == sum(places.values())


@given(records(), records(), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_overlap_is_a_greedy_choice_from_the_largest_down(
    truth: list[Record], predicted: list[Record], iou: float
) -> None:
    truth, predicted = sorted(truth), sorted(predicted)
    pairs = sorted(
        (-share(one, other), one[3] != other[3], i, j)
        for i, one in enumerate(truth)
        for j, other in enumerate(predicted)
        if share(one, other) > 0 and share(one, other) >= iou
    )
    rows, cols, table = set(), set(), np.zeros((4, 4), int)
    for _, _, i, j in pairs:
        if i not in rows and j not in cols:
            rows.add(i)
            cols.add(j)
            table["ABC".index(truth[i][3]), "ABC".index(predicted[j][3])] += 1
    for i, one in enumerate(truth):
        table["ABC".index(one[3]), 3] += i not in rows
    for j, other in enumerate(predicted):
        table[3, "ABC".index(other[3])] += j not in cols
    m = cm.count_spans(truth, predicted, match="overlap", iou=iou, labels=[*"ABC"])
    assert m.counts.tolist() == table.tolist()
    if iou == 1:
        assert m == cm.count_spans(truth, predicted, labels=[*"ABC"])


@given(records(), records(), st.booleans())
def test_documents_add_up(truth: list[Record], predicted: list[Record], overlap: bool) -> None:
    if not truth and not predicted:
        return
    match: Any = "overlap" if overlap else "exact"
    stack = cm.count_spans(truth, predicted, match=match, labels=[*"ABC"], by_document=True)
    assert stack.axis == "document"
    assert stack.sum() == cm.count_spans(truth, predicted, match=match, labels=[*"ABC"])
    for document, m in stack.items():
        sides = [[one for one in side if one[0] == document] for side in (truth, predicted)]
        assert m == cm.count_spans(*sides, match=match, labels=[*"ABC"])


@pytest.mark.parametrize("partial", [False, True])
def test_stacks_of_two_models_have_the_same_documents(partial: bool) -> None:
    """Documents without entities among them, since a model may see some there."""
    truth = {"one": [(0, 4, "A")], "none": [], "two": [(3, 5, "B")]}
    right: Any = {"one": [(0, 4, "A")], "two": [(3, 5, "B")]}
    match: Any = "overlap" if partial else "exact"
    models = {
        name: cm.count_spans(truth, each, by_document=True, match=match, partial=partial)
        for name, each in (("old", {**right, "none": [(7, 9, "A")]}), ("new", right))
    }
    assert all([*stack] == [*truth] for stack in models.values())
    assert not models["new"]["none"].total
    assert (
        cm.compare(models, metrics=["precision.macro"]).design == "paired by document, 3 documents"
    )


# ---- rules ---------------------------------------------------------------------------------------


def test_ties_go_to_the_same_class_and_then_by_the_text() -> None:
    near = [("x", 0, 2, "B"), ("x", 2, 4, "A")]
    m = cm.count_spans(near, [("x", 1, 3, "A")], match="overlap")
    assert dict(m.pairs()) == {("A", "A"): 1, ("B", "background"): 1}
    both = [("x", 0, 4, "B"), ("x", 0, 4, "A")]
    for truth in (both, both[::-1]):
        m = cm.count_spans(truth, [("x", 0, 3, "C")], match="overlap")
        assert dict(m.pairs()) == {("A", "C"): 1, ("B", "background"): 1}


def test_an_exact_partner_is_never_given_away() -> None:
    # Two pairs could be made only if the exact one were broken up.
    truth, predicted = [("x", 0, 5, "A"), ("x", 4, 9, "B")], [("x", 0, 5, "A"), ("x", 0, 2, "A")]
    m = cm.count_spans(truth, predicted, match="overlap")
    assert m.counts.tolist() == [[1, 0, 0], [0, 0, 1], [1, 0, 0]]


def test_duplicates_count_as_often_as_they_come() -> None:
    one = ("x", 0, 5, "A")
    for match in ("exact", "overlap"):
        assert cm.count_spans([one], [one, one], match=match).counts.tolist() == [[1, 0], [1, 0]]


def test_nested_entities_and_two_classes_at_one_place() -> None:
    truth = [("x", 0, 9, "ORG"), ("x", 0, 4, "LOC"), ("x", 0, 4, "PER")]
    predicted = [("x", 0, 4, "PER"), ("x", 0, 4, "ORG"), ("x", 0, 9, "ORG")]
    m = cm.count_spans(truth, predicted)
    assert m.pairs() == {("ORG", "ORG"): 1, ("PER", "PER"): 1, ("LOC", "ORG"): 1}


def test_partial_credit_is_the_share_in_common() -> None:
    m = cm.count_spans(TRUTH, PREDICTED, match="overlap", partial=True)
    assert m.pairs()["ORG", "ORG"] == 4 / 5
    assert m.pairs()["ORG", "background"] == m.pairs()["background", "ORG"] == 1 - 4 / 5
    assert cm.recall(m, of="ORG") == pytest.approx(4 / 5)
    assert cm.precision(m, of="ORG") == pytest.approx((4 / 5) / 2)


# ---- containers ----------------------------------------------------------------------------------


def test_every_container_says_the_same() -> None:
    names = ("document", "start", "end", "label")
    expected = cm.count_spans(TRUTH, PREDICTED)
    dicts = [dict(zip(names, one, strict=True)) | {"score": 0.5} for one in PREDICTED]
    columns = {name: [one[place] for one in PREDICTED] for place, name in enumerate(names)}
    by_document: dict[str, list[Any]] = {
        key: [one[1:] for one in PREDICTED if one[0] == key] for key in "abc"
    }
    nested = {
        key: [dict(zip(names[1:], one, strict=True)) for one in found]
        for key, found in by_document.items()
    }
    for predicted in (tuple(PREDICTED), dicts, columns, by_document, nested, iter(PREDICTED)):
        assert cm.count_spans(TRUTH, predicted) == expected
    with pytest.raises(cm.InputError, match="position 2"):
        cm.count_spans(TRUTH, {**nested, "b": by_document["b"]})


@pytest.mark.peers
def test_frames() -> None:
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    names = ("document", "start", "end", "label")
    columns = {name: [one[place] for one in PREDICTED] for place, name in enumerate(names)}
    frames = [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]
    frames.append(pd.DataFrame(columns).astype({"label": "category", "start": "Int64"}))
    frames.append(pl.DataFrame(columns).with_columns(pl.col("document").cast(pl.Categorical)))
    for frame in frames:
        assert cm.count_spans(TRUTH, frame) == cm.count_spans(TRUTH, PREDICTED)
    with pytest.raises(cm.InputError, match="no column 'label'"):
        cm.count_spans(TRUTH, frames[0].drop(columns="label"))


def test_positions_of_any_integer_kind() -> None:
    expected = cm.count_spans(TRUTH, TRUTH)
    for kind in (np.uint8, np.float32, np.int64):
        columns: dict[str, Any] = {
            name: [one[place] for one in TRUTH]
            for place, name in enumerate(("document", "start", "end", "label"))
        }
        columns |= {name: np.array(columns[name], kind) for name in ("start", "end")}
        assert cm.count_spans(TRUTH, columns) == expected
    large = [("x", 2**62, 2**62 + 1, "A"), ("y", 0, 2**63 - 1, "B")]
    for match in ("exact", "overlap"):
        assert cm.count_spans(large, large, match=match).diagonal.tolist() == [1, 1, 0]


def test_nothing_on_one_side_or_both() -> None:
    for match in ("exact", "overlap"):
        m = cm.count_spans(TRUTH, [], match=match)
        assert m.total == m.counts[:, 3].sum() == 3
        assert cm.count_spans({}, {}, match=match, labels=["A"]).total == 0
        assert cm.count_spans({"a": []}, [], match=match, labels=["A"]).total == 0
    with pytest.raises(cm.InputError, match="no entities on either side; with `labels=`"):
        cm.count_spans([], [])


# ---- what is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicted", "said"),
    [
        ([("a", 4, 4, "PER")], "position 0 is ('a', 4, 4, 'PER'); an entity reaches from start"),
        ([("a", -1, 4, "PER")], "at least 0"),
        (
            [("a", 0, 4, "PER"), ("a", float("nan"), 4, "PER")],
            "position 1 has start nan; positions are whole numbers",
        ),
        ([("a", 0, 4.5, "PER")], "has end 4.5"),
        ([("a", "0", 4, "PER")], "has start '0'"),
        ([("a", 0, 2**64, "PER")], "has end 18446744073709551616"),
        ([("a", 0, 4)], "position 0 is ('a', 0, 4); each must be (document, start, end, label)"),
        ([{"document": "a", "start": 0, "end": 4}], "each must have document, start, end, label"),
        ([("a", 0, 4, None)], "`predicted.label` is missing at position 0"),
        ([(None, 0, 4, "PER")], "`predicted.document` is missing at position 0"),
        ([(3, 0, 4, "PER")], "`documents` of both sides must be of one kind"),
        ("abc", "`predicted` must hold entities (document, start, end, label), not str 'abc'"),
        ({"a": "PER"}, "'a' must hold a list"),
        ({"a": [(0, 4)]}, "each must be (start, end, label)"),
        ([("a", 0, 4, "background")], "cannot be a class and stand outside"),
    ],
)
def test_what_is_wrong_is_said(predicted: object, said: str) -> None:
    with pytest.raises(cm.ConfmatError) as caught:
        cm.count_spans(TRUTH, predicted)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 500


def test_tags_are_no_entities_and_that_is_said() -> None:
    tags = [[], ["B-PER", "I-PER", "O", "O"], ["O", "B-LOC"]]
    for given_ in (tags, tags[::-1], list(map(tuple, tags)), {"a": tags[1]}):
        with pytest.raises(
            cm.InputError,
            match=r"`truth` holds tags, such as .*: give spans_of_tags\(tags\) for both",
        ):
            cm.count_spans(given_, given_)
    with pytest.raises(cm.InputError, match=r"spans_of_tags\(\[tags\]\)"):
        cm.count_spans(tags[1], tags[1])
    made = cm.spans.spans_of_tags(tags)
    assert cm.count_spans(made, made).total == 2


def test_positions_of_tags_and_of_characters_do_not_go_together() -> None:
    tagged = cm.spans.spans_of_tags({"a": ["O", "B-PER"], "b": ["O"]})
    assert cm.count_spans(tagged, [("a", 1, 2, "PER")]).diagonal.tolist() == [1, 0]
    assert cm.count_spans([("a", 1, 2, "PER"), ("c", 0, 90, "PER")], tagged).diagonal.tolist() == [
        1,
        0,
    ]
    said = r"has \('a', 6, 15, 'PER'\), but document a has 2 tags: positions are those of tags on both sides"
    for sides in ((tagged, [("a", 6, 15, "PER")]), ([("a", 6, 15, "PER")], tagged)):
        with pytest.raises(cm.InputError, match=said):
            cm.count_spans(*sides)


def test_a_list_for_each_document_is_told_what_to_do() -> None:
    lists = [[(0, 4, "PER")], []]
    for given_ in (lists, lists[::-1], [[{"start": 0, "end": 4, "label": "PER"}]]):
        with pytest.raises(
            cm.InputError, match=r"of a list for each document, give dict\(enumerate\(\.\.\.\)\)"
        ):
            cm.count_spans(given_, given_)
    assert cm.count_spans(dict(enumerate(lists)), dict(enumerate(lists))).total == 1


def test_options_are_checked() -> None:
    for options, said in (
        ({"match": "iou"}, "`match` must be 'exact' or 'overlap'"),
        ({"iou": 0.5}, "say match='overlap'"),
        ({"partial": True}, "say match='overlap'"),
        ({"match": "overlap", "iou": 1.5}, "`iou` must be a number from 0 to 1"),
        ({"match": "overlap", "iou": float("nan")}, "`iou` must be a number from 0 to 1"),
        (
            {"labels": ["PER"]},
            "'LOC', 'ORG' are not among the labels 'PER'; name them too, or leave the entities of",
        ),
    ):
        with pytest.raises(cm.ConfmatError) as caught:
            cm.count_spans(TRUTH, PREDICTED, **options)
        assert said in str(caught.value)


def test_the_background_may_have_another_name() -> None:
    m = cm.count_spans(TRUTH, [("a", 0, 4, "background")], background="(none)")
    assert m.labels.outside == ("(none)",)
    named = cm.Labels(["PER", "LOC", "ORG"], outside=["nothing"], positive="PER")
    assert cm.count_spans(TRUTH, PREDICTED, labels=named).labels == named


def test_documents_that_the_truth_does_not_have() -> None:
    truth = {"a": [(0, 4, "PER")], "b": []}
    with pytest.raises(
        cm.InputError, match="entities in 'c', which is none of the 2 documents of `truth`"
    ):
        cm.count_spans(truth, {"a": [], "c": [(0, 4, "PER")]})
    assert cm.count_spans(truth, {"b": [(0, 4, "PER")]}).total == 2
    # A list of records does not say which documents there are.
    assert cm.count_spans([("a", 0, 4, "PER")], {"c": [(0, 4, "PER")]}).total == 2


def test_hostile_labels_are_shown_safely() -> None:
    label = "<script>\x00\u202e" + "x" * 10**4
    m = cm.count_spans([("d\x1b[2J", 0, 1, label)], [("d\x1b[2J", 0, 1, "B")])
    assert "\x1b" not in str(m)
    assert "\u202e" not in str(m)
    with pytest.raises(cm.InputError) as caught:
        cm.count_spans({"a": []}, [("d\x1b[2J" * 1000, 0, 1, label)])
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_heap_of_overlaps_is_refused_before_memory_is_taken() -> None:
    n = 20_000
    heap = {
        "document": np.zeros(n, int),
        "start": np.arange(n),
        "end": np.arange(n) + n,
        "label": np.zeros(n, int),
    }
    with pytest.raises(cm.BudgetError, match="pairs of entities overlap"):
        cm.count_spans(heap, heap, match="overlap")
    assert cm.count_spans(heap, heap).total == n


def test_spans_are_a_sequence_of_tuples() -> None:
    spans = cm.spans.spans_of_tags({"a": ["B-PER", "O", "B-LOC"]})
    assert spans[0] == ("a", 0, 1, "PER")
    assert spans[-1].label == "LOC"
    assert spans[:1] == list(spans)[:1]
    assert len(spans) == 2
    assert ("a", 2, 3, "LOC") in spans
    assert repr(spans) == "<Spans: 2 entities in 1 documents; 'PER', 'LOC'>"
    assert cm.count_spans(list(spans), spans) == cm.count_spans(spans, spans)

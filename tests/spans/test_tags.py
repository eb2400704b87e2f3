"""Tag sequences: schemes, what is no tag, and whether sequences fit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat.spans.tags import SCHEMES

TAGS = {
    "IOB1": ["O", "I-A", "I-B", "B-A", "B-B"],
    "IOB2": ["O", "I-A", "I-B", "B-A", "B-B"],
    "IOE1": ["O", "I-A", "I-B", "E-A", "E-B"],
    "IOE2": ["O", "I-A", "I-B", "E-A", "E-B"],
    "IOBES": ["O", "I-A", "I-B", "B-A", "B-B", "E-A", "E-B", "S-A", "S-B"],
    "BILOU": ["O", "I-A", "I-B", "B-A", "B-B", "L-A", "L-B", "U-A", "U-B"],
}
Entity = tuple[int, int, str]


def found(tags: list[str], scheme: str | None = None) -> list[Entity]:
    return [one[1:] for one in cm.spans.spans_of_tags([tags], scheme=scheme)]  # type: ignore[arg-type]


def written(entities: list[Entity], length: int, scheme: str) -> list[str]:
    """The tags that a scheme writes for entities that do not overlap: the definitions, word by word."""
    tags = ["O"] * length
    ends = {end: label for _, end, label in entities}
    begins = {start: label for start, _, label in entities}
    for start, end, label in entities:
        for place in range(start, end):
            first, last = place == start, place == end - 1
            letter = {
                "IOB1": "B" if first and ends.get(start) == label else "I",
                "IOB2": "B" if first else "I",
                "IOE1": "E" if last and begins.get(end) == label else "I",
                "IOE2": "E" if last else "I",
                "IOBES": "S" if first and last else "B" if first else "E" if last else "I",
                "BILOU": "U" if first and last else "B" if first else "L" if last else "I",
            }[scheme]
            tags[place] = f"{letter}-{label}"
    return tags


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[Entity], int]:
    """Entities in a row, some with gaps between them."""
    entities, place = [], 0
    for _ in range(draw(st.integers(0, 6))):
        start = place + draw(st.integers(0, 2))
        place = start + draw(st.integers(1, 3))
        entities.append((start, place, draw(st.sampled_from("AB"))))
    return entities, place + draw(st.integers(0, 2))


@given(texts(), st.sampled_from(sorted(TAGS)))
def test_what_a_scheme_writes_is_read_back(text: tuple[list[Entity], int], scheme: str) -> None:
    entities, length = text
    tags = written(entities, length, scheme)
    assert found(tags, scheme) == entities
    assert found(tags) == entities


@given(st.data(), st.sampled_from(sorted(TAGS)))
def test_a_strict_scheme_finds_only_what_it_would_write_so(
    data: st.DataObject, scheme: str
) -> None:
    tags = data.draw(st.lists(st.sampled_from(TAGS[scheme]), max_size=12))
    entities = found(tags, scheme)
    lenient = found(tags)
    assert all(0 <= start < end <= len(tags) for start, end, _ in entities)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(entities))
    if scheme not in {"IOB1", "IOE1"}:
        assert set(entities) <= set(lenient)
    if written(lenient, len(tags), scheme) == tags:
        assert entities == lenient


@given(
    st.lists(
        st.lists(st.sampled_from([*TAGS["IOBES"], *TAGS["BILOU"], "M-A", "W-B"]), max_size=8),
        max_size=5,
    )
)
def test_sequences_do_not_run_into_each_other(sequences: list[list[str]]) -> None:
    every = cm.spans.spans_of_tags(sequences)
    apart = [(number, *one) for number, tags in enumerate(sequences) for one in found(tags)]
    assert list(every) == apart
    assert every.documents == list(range(len(sequences)))


def test_the_rules_for_broken_sequences() -> None:
    tags = ["I-PER", "I-LOC", "I-LOC", "O", "E-PER", "E-PER", "B-LOC", "B-LOC", "S-LOC", "I-LOC"]
    assert found(tags) == [
        (0, 1, "PER"), (1, 3, "LOC"), (4, 5, "PER"), (5, 6, "PER"),
        (6, 7, "LOC"), (7, 8, "LOC"), (8, 9, "LOC"), (9, 10, "LOC"),
    ]  # fmt: skip
    assert found(tags, "IOBES") == [(8, 9, "LOC")]
    assert found(["I-PER", "B-PER", "I-LOC"], "IOB2") == [(1, 2, "PER")]
    assert found(["B-PER", "I-PER", "B-PER"], "IOB1") == [(1, 2, "PER"), (2, 3, "PER")]
    assert found(["I-PER", "E-LOC", "I-LOC"], "IOE2") == [(1, 2, "LOC")]


def test_letters_alone_and_hyphens_in_names() -> None:
    assert found(["B", "I", "O", "B-", "B-a-b", "I-a-b"]) == [
        (0, 2, "_"),
        (3, 4, "_"),
        (4, 6, "a-b"),
    ]
    assert found(["B-PER", "M-PER", "E-PER", "W-PER"]) == [(0, 3, "PER"), (3, 4, "PER")]


def test_documents_may_have_names_and_tags_may_be_arrays() -> None:
    spans = cm.spans.spans_of_tags({"x": np.array(["B-A", "I-A"]), "y": (), "z": ["O"]})
    assert list(spans) == [("x", 0, 2, "A")]
    assert spans.documents == ["x", "y", "z"]
    assert len(cm.spans.spans_of_tags([])) == len(cm.spans.spans_of_tags([[]])) == 0


@pytest.mark.parametrize(
    ("sequences", "scheme", "said"),
    [
        ([["X-PER"]], None, "'X-PER' is not a tag: these are O, and classes after B-, I-, E-, S-"),
        ([[""]], None, "'' is not a tag"),
        (
            [["E-PER"]],
            "IOB2",
            "'E-PER' is not a tag of IOB2: these are O, and classes after B-, I-",
        ),
        ([[3]], None, "3 is not a tag"),
        ([["B-PER", None]], None, "missing at position 1"),
        ("B-PER", None, "must hold a list of tags a sentence"),
        (
            ["B-PER", "O"],
            None,
            "position 0 is 'B-PER', not a list of tags; for one sentence, give a list of one list",
        ),
        ([["O"], 3], None, "position 1 is 3, not a list of tags"),
        ([["O"]], "iob2", "`scheme` must be one of 'IOB1', 'IOB2'"),
        ([["\x1b[31m-PER\u202e"]], None, r"\x1b[31m-PER\u202e"),
    ],
)
def test_what_is_wrong_is_said(sequences: object, scheme: str | None, said: str) -> None:
    with pytest.raises(cm.ConfmatError) as caught:
        cm.spans.spans_of_tags(sequences, scheme=scheme)  # type: ignore[arg-type]
    assert said in str(caught.value)
    assert len(str(caught.value)) < 400


def test_long_tags_are_abridged() -> None:
    with pytest.raises(cm.InputError) as caught:
        cm.spans.spans_of_tags([["?" * 10**4]])
    assert len(str(caught.value)) < 400
    label = "x" * 10**4
    assert found([f"B-{label}"]) == [(0, 1, label)]


def test_every_scheme_is_named_once() -> None:
    assert {*TAGS, "BIO", "BIOES", "BILUO"} == {*SCHEMES}
    tags = ["B-A", "I-A", "O"]
    assert found(tags, "BIO") == found(tags, "IOB2")
    assert found(["B-A", "E-A"], "BIOES") == found(["B-A", "E-A"], "IOBES") == [(0, 2, "A")]
    assert (
        found(["B-A", "L-A", "U-A"], "BILUO")
        == found(["B-A", "L-A", "U-A"], "BILOU")
        == [(0, 2, "A"), (2, 3, "A")]
    )


def test_a_wrong_tag_is_told_with_its_place() -> None:
    for scheme in (None, "IOB2"):
        with pytest.raises(
            cm.InputError, match=r"'PER-B' is not a tag.*; it is at position 2 of document 1$"
        ):
            cm.spans.spans_of_tags([["O", "B-X"], ["O", "O", "PER-B"], ["PER-B"]], scheme=scheme)
    with pytest.raises(cm.InputError, match=r"at position 1 of document \\x1b\[31m$"):
        cm.spans.spans_of_tags({"\x1b[31m": ["O", "?"]})


def test_as_many_tags_on_both_sides() -> None:
    truth, predicted = (
        cm.spans.spans_of_tags([["O"], ["B-A", "O"]]),
        cm.spans.spans_of_tags([["O"], ["B-A"]]),
    )
    with pytest.raises(
        cm.InputError, match="document 1 has 2 tags in `truth` and 1 in `predicted`"
    ):
        cm.count_spans(truth, predicted)
    with pytest.raises(cm.InputError, match="entities in 1, which is none of the 1 documents"):
        cm.count_spans(cm.spans.spans_of_tags([["B-A"]]), cm.spans.spans_of_tags([["O"], ["B-A"]]))
    with pytest.raises(cm.InputError, match="no tags in `predicted` for document 1"):
        cm.count_spans(cm.spans.spans_of_tags([["O"], ["B-A"]]), cm.spans.spans_of_tags([["O"]]))

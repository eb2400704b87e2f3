"""Matching against brute force over all matchings, and against greedy rules written out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import matching
from confmat.core.errors import BudgetError

Pair = tuple[int, int, float]


def match(
    truth: Any,
    predicted: Any,
    overlap: Any,
    how: Any = "optimal",
    confidence: Any = None,
    **ties: Any,
) -> Any:
    sides = np.asarray(truth, np.intp), np.asarray(predicted, np.intp)
    confidence = None if confidence is None else np.asarray(confidence)
    return matching.match(
        *sides, np.asarray(overlap, float), how=how, confidence=confidence, **ties
    )


@st.composite
def pairs(draw: st.DrawFn, most: int = 8) -> list[Pair]:
    """Candidate pairs, each once; few different overlaps, so that ties are common."""
    truths, predictions = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    every = [(t, p) for t in range(truths) for p in range(predictions)]
    chosen = draw(st.lists(st.sampled_from(every), unique=True, max_size=most))
    return [(t, p, draw(st.sampled_from([0.5, 0.6, 0.75, 0.9, 1.0]))) for t, p in chosen]


def columns(given_pairs: list[Pair]) -> tuple[list[int], list[int], list[float]]:
    return (
        [one[0] for one in given_pairs],
        [one[1] for one in given_pairs],
        [one[2] for one in given_pairs],
    )


def matchings(given_pairs: list[Pair], allowed: list[int]) -> Iterator[list[int]]:
    """Every way to take some of the allowed pairs, each side at most once."""
    if not allowed:
        yield []
        return
    place, *others = allowed
    truth, prediction, _ = given_pairs[place]
    yield from matchings(given_pairs, others)
    free = [
        other
        for other in others
        if given_pairs[other][0] != truth and given_pairs[other][1] != prediction
    ]
    for rest in matchings(given_pairs, free):
        yield [place, *rest]


def worth(given_pairs: list[Pair], chosen: Any) -> tuple[int, float]:
    return len(chosen), round(sum(given_pairs[place][2] for place in chosen), 9)


def is_a_matching(given_pairs: list[Pair], chosen: Any) -> bool:
    return all(
        len({given_pairs[place][side] for place in chosen}) == len(chosen) for side in (0, 1)
    )


@given(pairs())
def test_the_optimal_choice_is_the_best_of_all_matchings(drawn: list[Pair]) -> None:
    chosen = match(*columns(drawn)).tolist()
    assert is_a_matching(drawn, chosen)
    assert worth(drawn, chosen) == max(
        worth(drawn, other) for other in matchings(drawn, list(range(len(drawn))))
    )


def greedy(given_pairs: list[Pair], order: list[int]) -> list[int]:
    chosen: list[int] = []
    for place in order:
        truth, prediction, _ = given_pairs[place]
        if all(
            given_pairs[other][0] != truth and given_pairs[other][1] != prediction
            for other in chosen
        ):
            chosen.append(place)
    return sorted(chosen)


@given(pairs(16))
def test_greedy_takes_the_largest_overlap_that_is_free(drawn: list[Pair]) -> None:
    order = sorted(range(len(drawn)), key=lambda place: (-drawn[place][2], *drawn[place][:2]))
    assert match(*columns(drawn), how="greedy").tolist() == greedy(drawn, order)


@given(pairs(16), st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=4, max_size=4))
def test_confident_predictions_choose_first(drawn: list[Pair], confidence: list[float]) -> None:
    chosen: list[int] = []
    taken: set[int] = set()
    # The rule of pycocotools, written out: of equal overlaps the last truth.
    for prediction in sorted(range(4), key=lambda one: -confidence[one]):
        best, found = 0.0, -1
        for place in sorted(range(len(drawn)), key=lambda place: drawn[place][0]):
            truth, other, overlap = drawn[place]
            if other == prediction and truth not in taken and overlap >= best:
                best, found = overlap, place
        if found >= 0:
            taken.add(drawn[found][0])
            chosen.append(found)
    assert match(*columns(drawn), how="greedy", confidence=confidence).tolist() == sorted(chosen)


def test_one_more_pair_is_worth_more_than_a_larger_overlap() -> None:
    # A chain: the middle pair is perfect, and without it two pairs can be taken.
    drawn = [(0, 0, 0.5), (0, 1, 1.0), (1, 1, 0.4)]
    assert match(*columns(drawn)).tolist() == [0, 2]
    assert match(*columns(drawn), how="greedy").tolist() == [1]


@given(pairs(16), st.data())
def test_equal_choices_are_settled_by_keys_whatever_the_numbers(
    drawn: list[Pair], data: st.DataObject
) -> None:
    names = range(4)
    shuffled = [data.draw(st.permutations(names)) for _ in range(2)]
    for how in ("optimal", "greedy"):
        found = []
        for numbers in ((names, names), shuffled):
            renumbered = [
                (numbers[0][truth], numbers[1][prediction], amount)
                for truth, prediction, amount in drawn
            ]
            # A key is what the number was before.
            keys = [[np.argsort(side)] for side in numbers]
            chosen = match(*columns(renumbered), how=how, ties=(keys[0], keys[1])).tolist()
            found.append([drawn[place] for place in chosen])
        assert found[0] == found[1]
        assert worth(found[0], range(len(found[0]))) == worth(
            drawn, match(*columns(drawn), how=how).tolist()
        )


def test_an_island_is_settled_as_if_it_were_alone() -> None:
    # Two ways to the same sum, 0.7 + 0.1 and 0.6 + 0.2, and elsewhere a pair that overlaps more.
    truth, predicted, overlap = [0, 0, 1, 1], [0, 1, 0, 1], [0.7, 0.6, 0.2, 0.1]
    alone = match(truth, predicted, overlap).tolist()
    for more in (0.71, 0.9, 1.0, 3.0):
        assert match([*truth, 2], [*predicted, 2], [*overlap, more]).tolist() == [*alone, 4]


def test_long_chains_are_taken_as_in_turn() -> None:
    # Each pair is better than the next and shares a side with it: one is settled a round.
    n = 500
    places = np.arange(n)
    truth, predicted = (places + 1) // 2, places // 2
    overlap = 1 - places / (2 * n)
    drawn = list(zip(truth.tolist(), predicted.tolist(), overlap.tolist(), strict=True))
    assert match(truth, predicted, overlap, how="greedy").tolist() == greedy(drawn, list(range(n)))
    assert len(match(truth, predicted, overlap)) == n // 2


def test_overlaps_of_any_size_and_none() -> None:
    assert match([], [], []).tolist() == []
    assert match([0, 1], [0, 0], [3e300, 4e300]).tolist() == [1]
    assert match([0, 1], [0, 0], [0.0, 0.0]).tolist() == [0]


def test_a_heap_beyond_the_budget_is_refused_before_memory_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("confmat.matching.MAX_TABLE_CELLS", 3)
    with pytest.raises(BudgetError, match="2 truths and 2 predictions overlap in one heap"):
        match([0, 0, 1, 1], [0, 1, 0, 1], [0.5] * 4)

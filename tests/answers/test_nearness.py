"""Edits between texts against their definition, and the nearest name against a search through all of them."""

from __future__ import annotations

import functools

from hypothesis import given
from hypothesis import strategies as st

from confmat.answers.spelling import SEVERAL, Nearest, edits

words = st.text("abc", max_size=6)


def by_definition(a: str, b: str) -> int:
    @functools.cache
    def least(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        found = min(
            least(i - 1, j) + 1, least(i, j - 1) + 1, least(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        )
        if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
            found = min(found, least(i - 2, j - 2) + 1)
        return found

    return least(len(a), len(b))


@given(words, words, st.integers(0, 7))
def test_edits_are_those_of_the_definition(a: str, b: str, most: int) -> None:
    found = by_definition(a, b)
    assert edits(a, b, most) == (found if found <= most else None)


@given(
    st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=6, unique=True),
    words,
    st.floats(0.05, 1),
)
def test_the_nearest_is_that_of_a_search(names: list[str], answer: str, least: float) -> None:
    near = {name: 1 - by_definition(answer, name) / max(len(answer), len(name)) for name in names}
    best = max(near.values())
    first = [name for name in names if near[name] > best - 1e-9]
    wanted = None if best < least - 1e-9 else first[0] if len(first) == 1 else SEVERAL
    if abs(best - least) > 1e-9:
        assert Nearest([(name, name) for name in names], least).find(
            answer
        ) is wanted or wanted == Nearest([(name, name) for name in names], least).find(answer)


lengths = st.sampled_from([1, 3, 40, 63, 64, 65, 127, 128, 129])


@given(
    st.lists(st.tuples(lengths, words), min_size=1, max_size=8),
    lengths,
    words,
    st.sampled_from([0.3, 0.9, 0.97, 1]),
)
def test_long_names_are_compared_as_short_ones_are(
    names: list[tuple[int, str]], length: int, more: str, least: float
) -> None:
    whole = sorted({("ab" * length)[:length] + end for length, end in names})
    answer = ("ab" * length)[:length] + more
    near = {name: edits(answer, name, 300) for name in whole}
    shares = {
        name: many / max(len(answer), len(name)) for name, many in near.items() if many is not None
    }
    best = min(shares.values())
    first = [name for name in whole if shares[name] == best]
    found = Nearest([(name, name) for name in whole], least).find(answer)
    if abs(1 - best - least) > 1e-9:
        assert (
            found is None
            if 1 - best < least
            else found == first[0]
            if len(first) == 1
            else found is SEVERAL
        )


def test_however_little_is_asked() -> None:
    assert Nearest([("cat", 1)], 5e-324).find("dot") == 1
    assert Nearest([], 0.5).find("cat") is None
    assert Nearest([("cat", 1)], 0.5).find("") is None


def test_names_of_one_class_do_not_compete() -> None:
    nearest = Nearest([("postive", 1), ("positivo", 1), ("negative", 0)], 0.8)
    assert nearest.find("positive") == 1

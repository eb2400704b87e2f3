from __future__ import annotations

import json
import pickle
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import Examples, InputError, LabelError, count

TEXTS = st.text(alphabet="abc", max_size=3)
ROWS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz"), TEXTS), max_size=60)
SETTINGS = st.fixed_dictionaries(
    {
        "per_cell": st.integers(1, 4),
        "seed": st.integers(0, 3),
        "hits": st.booleans(),
        "max_cells": st.integers(1, 10),
    }
)
Rows = list[tuple[str, str, str]]


def taken(rows: Rows, **settings: Any) -> Examples:
    found = Examples(**settings)
    found.update([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    return found


# ---- the sample is a function of the items alone -------------------------------------------------


@given(ROWS, SETTINGS, st.randoms())
def test_order_does_not_matter(rows: Rows, settings: dict[str, Any], random: Any) -> None:
    shuffled = rows[:]
    random.shuffle(shuffled)
    assert taken(shuffled, **settings) == taken(rows, **settings)


@given(ROWS, SETTINGS, st.lists(st.integers(0, 60), max_size=3))
def test_chunks_do_not_matter(rows: Rows, settings: dict[str, Any], cuts: list[int]) -> None:
    ends = sorted([0, *cuts, len(rows)])
    parts = [rows[a:b] for a, b in pairwise(ends)]
    one = Examples(**settings)
    for part in parts:
        one.update(*([row[i] for row in part] for i in range(3)))
    assert one == taken(rows, **settings)
    assert sum(taken(part, **settings) for part in parts) == one


@given(ROWS, ROWS, ROWS, SETTINGS)
def test_merging_is_associative_and_commutative(
    a: Rows, b: Rows, c: Rows, settings: dict[str, Any]
) -> None:
    x, y, z = (taken(rows, **settings) for rows in (a, b, c))
    assert x + y == y + x
    assert (x + y) + z == x + (y + z) == taken([*a, *b, *c], **settings)
    assert x + Examples(**settings) == x


@given(ROWS, SETTINGS)
def test_bounds_hold_and_errors_come_first(rows: Rows, settings: dict[str, Any]) -> None:
    found = taken(rows, **settings)
    cells = Counter((a, b) for a, b, _ in rows if settings["hits"] or a != b)
    assert len(found) == min(len(cells), settings["max_cells"])
    errors = {pair for pair in cells if pair[0] != pair[1]}
    assert len(errors & set(found)) == min(len(errors), settings["max_cells"])
    for pair, items in found.items():
        there = {text for a, b, text in rows if (a, b) == pair}
        assert set(items) <= there
        assert len(items) == len(set(items)) == min(len(there), settings["per_cell"])
        assert found.seen[pair] == cells[pair]


def test_every_item_is_as_likely() -> None:
    """Ten of 40 items are kept under each of 400 seeds: each is, 100 times or so."""
    items = [f"item {i}" for i in range(40)]
    kept = Counter(
        x
        for seed in range(400)
        for x in taken([("a", "b", x) for x in items], per_cell=10, seed=seed)["a", "b"]
    )
    assert set(kept) == set(items)
    # The standard deviation is sqrt(400 * 0.25 * 0.75) = 8.7.
    assert min(kept.values()) > 100 - 5 * 8.7
    assert max(kept.values()) < 100 + 5 * 8.7


def test_the_sample_stays_the_same_between_versions() -> None:
    rows = [("cat", "dog", f"item {i}") for i in range(100)]
    assert taken(rows, per_cell=3)["cat", "dog"] == ["item 6", "item 54", "item 83"]


# ---- items and labels of all kinds ---------------------------------------------------------------


def test_items_as_tuples_mappings_and_columns() -> None:
    rows = [(1, "one"), (2, None)]
    named = [{"id": 1, "text": "one"}, {"id": 2, "text": None}]

    def held(items: Any, **options: Any) -> Examples:
        found = Examples(**options)
        found.update(["a", "a"], ["b", "b"], items)
        return found

    assert sorted(held(rows)["a", "b"]) == rows
    mapped = held([{"id": 1, "text": "one"}, {"id": 2}])
    assert sorted(mapped["a", "b"], key=lambda item: item["id"]) == named
    assert mapped.columns == ("id", "text")
    assert held(rows, columns=["id", "text"]) == mapped
    assert held({"id": np.array([1, 2]), "text": ["one", None]}) == mapped


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow", "dict"])
def test_frames(package: str) -> None:
    data: Any = {"y": ["a", "b", "a"], "p": ["b", "b", "a"], "id": [1, 2, 3], "x": [0.5, None, 2.5]}
    if package != "dict":
        module: Any = pytest.importorskip(package)
        data = (module.table if package == "pyarrow" else module.DataFrame)(data)
    found = Examples.from_frame(data, actual="y", predicted="p", columns=["id", "x"])
    assert found["a", "b"] == [{"id": 1, "x": 0.5}]
    assert found["b", "b"] == [{"id": 2, "x": None}]
    with pytest.raises(InputError, match="there is no column 'z'; the columns are 'y', 'p'"):
        Examples.from_frame(data, actual="z", predicted="p", columns=["id"])


def test_labels_of_different_types_are_different_cells() -> None:
    found = Examples()
    found.update([1, True, "1", 1.0, np.int8(1)], [2, 2, "2", 2.0, np.uint8(2)], list("abcde"))
    assert sorted(found[1, 2]) == ["a", "d", "e"]
    assert found[True, 2] == ["b"]
    assert found["1", "2"] == ["c"]
    assert (1, "2") not in found
    with pytest.raises(KeyError):
        found["x"]  # type: ignore[index]


def test_fitted_to_a_matrix() -> None:
    actual, predicted = ["a", "b", None, "z", "a"], ["b", "b", "a", "a", "z"]
    found = Examples(columns=["i"])
    found.update(actual, predicted, [[i] for i in range(5)])
    whole = count(actual, predicted, labels=["a", "b"], missing="collect", other="collect")
    fitted = found.fitted(whole)
    pairs = [("a", "b"), ("b", "b"), ("(missing)", "a"), ("(other)", "a"), ("a", "(other)")]
    assert dict(fitted) == {pair: [{"i": i}] for i, pair in enumerate(pairs)}
    assert all(whole.pairs()[pair] == many for pair, many in fitted.seen.items())
    less = count(actual, predicted, labels=["a", "b"], missing="drop", other="drop")
    assert set(found.fitted(less)) == {("a", "b"), ("b", "b")}
    numbers = Examples()
    numbers.update([True, 1, False], [0, 0, 1], ["x", "y", "z"])
    assert set(numbers.fitted(count([True, 1, False], [0, 0, 1]))) == {(1, 0), (0, 1)}


# ---- bounded, hostile, stored --------------------------------------------------------------------


def test_long_texts_are_cut_but_told_apart() -> None:
    found = Examples()
    found.update(["a"] * 2, ["b"] * 2, ["x" * 100_000 + "1", "x" * 100_000 + "2"])
    assert [len(text) for text in found["a", "b"]] == [2000, 2000]
    assert found["a", "b"][0].endswith("…")


HOSTILE = [
    "<script>alert(1)</script>",
    "\x00",
    "\u202e",
    "\ud800",
    "a\x1fb",
    "",
    "'; DROP TABLE x; --",
    "{{7*7}}",
]


def test_hostile_texts_come_back_as_they_are() -> None:
    found = Examples()
    found.update(HOSTILE, HOSTILE[1:] + HOSTILE[:1], HOSTILE)
    assert sorted(x for items in found.values() for x in items) == sorted(HOSTILE)
    assert Examples.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_stored_pickled_and_read_back() -> None:
    found = Examples(2, columns=["id", "when"], seed=5)
    dates: Any = np.array(["2024-05-01", "2024-05-02", "NaT"], dtype="datetime64[D]")
    found.update([1, 1, 1], [2, 2, 2], {"id": [b"a", 1.5, float("nan")], "when": dates})
    again = Examples.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found == pickle.loads(pickle.dumps(found))
    again.update([1], [2], [("new", None)])
    assert again.seen[1, 2] == 4
    for broken in (
        {},
        {"format": "x"},
        found.to_dict() | {"cells": [{"actual": 1}]},
        found.to_dict() | {"cells": 3},
    ):
        with pytest.raises(InputError):
            Examples.from_dict(broken)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Examples(0), "`per_cell` must be a whole number of at least 1"),
        (lambda: Examples(seed="x"), "`seed` must be a whole number"),  # type: ignore[arg-type]
        (lambda: Examples().update(["a"], ["b"], "x"), "one value per place is wanted"),
        (
            lambda: Examples(columns=["a"]).update(["a"], ["b"], [{"b": 1}]),
            "name all of them in `columns`",
        ),
        (lambda: Examples(columns=["a", "a"]), "`columns` must be distinct texts"),
        (lambda: Examples().update(["a"], ["b", "c"], ["x"]), "must be of one length"),
        (
            lambda: Examples(columns=["a"]).update(["a"], ["b"], [(1, 2)]),
            "2 fields where `columns` names 1",
        ),
        (lambda: Examples(2) + Examples(3), "only examples of one `per_cell`"),
        (
            lambda: Examples().update([0.5], [1], ["x"]),
            "labels may be floats only where they hold integers",
        ),
    ],
)
def test_says_what_is_wrong(call: Any, said: str) -> None:
    with pytest.raises((InputError, LabelError), match=said):
        call()

"""Hierarchy: made from what people have, checked, looked up, printed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import Hierarchy, InputError

FOOD = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
BATS = {"bat": "mammal", "owl": "bird", "dog": "mammal", "mammal": "animal", "bird": "animal"}


def test_every_form_gives_the_same() -> None:
    parents = {
        "citrus": "fruit",
        "lemon": "citrus",
        "lime": "citrus",
        "apple": "fruit",
        "fruit": None,
        "leek": None,
    }
    forms = [
        Hierarchy.from_paths(
            [
                ("fruit", "citrus", "lemon"),
                ["fruit", "citrus", "lime"],
                ("fruit", "apple"),
                ("leek",),
            ]
        ),
        Hierarchy.from_paths(
            ["fruit>citrus>lemon", "fruit>citrus>lime", "fruit>apple", "leek"], sep=">"
        ),
        Hierarchy.from_paths(
            {"lemon": "fruit/citrus/lemon", "lime": "fruit/citrus", "apple": "fruit", "leek": None}
        ),
        Hierarchy.from_paths(
            np.array(
                [
                    ["fruit", "citrus", "lemon"],
                    ["fruit", "citrus", "lime"],
                    ["fruit", "apple", ""],
                    ["leek", "", ""],
                ]
            )
        ),
        Hierarchy.from_parents(parents),
        Hierarchy.from_parents(list(parents.items())),
        Hierarchy.from_nested({"fruit": {"citrus": ["lemon", "lime"], "apple": None}, "leek": {}}),
        Hierarchy.from_nested([{"fruit": [{"citrus": ["lemon", "lime"]}, "apple"]}, "leek"]),
    ]
    for form in forms:
        assert form == FOOD
        assert hash(form) == hash(FOOD)


def test_frames_hold_a_level_in_each_column() -> None:
    rows = [
        ["fruit", "citrus", "lemon"],
        ["fruit", "citrus", "lime"],
        ["fruit", "apple", None],
        ["leek", None, None],
    ]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=["kind", "family", "name"])
    assert Hierarchy.from_paths(frame) == FOOD
    assert Hierarchy.from_paths(frame.astype("string")) == FOOD
    assert (
        Hierarchy.from_paths(
            pandas.Series(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        )
        == FOOD
    )
    assert Hierarchy.from_parents({"a": pandas.NA, "b": float("nan"), "c": "a"}).children() == (
        "a",
        "b",
    )


def test_what_it_holds() -> None:
    assert FOOD.nodes == ("fruit", "citrus", "lemon", "lime", "apple", "leek") == tuple(FOOD)
    assert (len(FOOD), FOOD.levels, FOOD.root) == (6, 3, None)
    assert FOOD.leaves == ("lemon", "lime", "apple", "leek")
    assert FOOD.children() == ("fruit", "leek")
    assert FOOD.children("citrus") == ("lemon", "lime")
    assert FOOD.ancestors("lime") == ("citrus", "fruit")
    assert [FOOD.level(name) for name in FOOD] == [1, 2, 3, 3, 2, 1]
    assert [FOOD.height(name) for name in FOOD] == [2, 1, 0, 0, 0, 0]
    assert "citrus" in FOOD
    assert "fruit/citrus" in FOOD
    assert "fruit/leek" not in FOOD
    assert [] not in FOOD


def test_parents_name_the_root() -> None:
    h = Hierarchy.from_parents(BATS)
    assert (h.root, h.levels, len(h)) == ("animal", 2, 5)
    assert h.ancestors("bat") == ("mammal", "animal")
    assert h.ancestors("mammal") == ("animal",) == h.ancestors("bird")
    assert h.ancestors("bat") == ("mammal", "animal")
    assert h.children() == ("mammal", "bird")
    assert (h.level("animal"), h.ancestors("animal")) == (0, ())
    # One parent in a list, and one that is named twice, are one parent.
    assert Hierarchy.from_parents({name: [parent, parent] for name, parent in BATS.items()}) == h
    assert Hierarchy.from_parents([*BATS.items(), *BATS.items()]) == h


SEVERAL = "'bat' would have the parents 'mammal' and 'flyer', and a hierarchy is a tree, in which each class has one"


@pytest.mark.parametrize(
    "parents",
    [
        {"bat": ["mammal", "flyer"], "owl": "flyer"},
        {"bat": ("mammal", "flyer")},
        [("bat", "mammal"), ("owl", "flyer"), ("bat", "flyer")],
        np.array([["bat", "mammal"], ["bat", "flyer"]]),
    ],
)
def test_a_class_with_several_parents_is_refused(parents: Any) -> None:
    with pytest.raises(cm.InputError, match=SEVERAL):
        Hierarchy.from_parents(parents)


def test_a_root_is_named_only_where_somebody_wrote_it() -> None:
    assert Hierarchy.from_parents({"a": "top", "b": "top"}).root == "top"
    assert Hierarchy.from_parents({"a": "x", "b": "y"}).root is None
    assert Hierarchy.from_parents({"a": None}).root is None
    assert Hierarchy.from_paths(["top/a", "top/b"]).root is None
    assert Hierarchy.from_nested({"top": ["a", "b"]}).root is None


def test_names_that_come_twice_are_told_by_their_paths() -> None:
    h = Hierarchy.from_paths(["cat/other", "dog/other", "dog/pug"])
    assert h.nodes == ("cat", "cat/other", "dog", "dog/other", "pug")
    m = cm.ConfusionMatrix([[5, 1], [2, 7]], ["cat/other", "dog/other"])
    assert list(m.roll_up(h).labels) == ["cat", "dog"]
    with pytest.raises(
        cm.LabelError,
        match=r"has 'other' in 2 places: 'cat/other', 'dog/other'; call it by its path",
    ):
        h.level("other")


def test_numbers_may_be_written_as_text() -> None:
    h = Hierarchy.from_paths(["even/0", "odd/1", "even/2"])
    assert h.groups(range(3)) == {"even": (0, 2), "odd": (1,)}
    assert Hierarchy.from_parents({0: "even", 1: "odd"}).groups([0, 1]) == {
        "even": (0,),
        "odd": (1,),
    }
    # An entry of an array is a name like any other.
    texts, numbers = np.array(["even", "1"]), np.array([0, 1])
    assert h.height(texts[0]) == 1
    assert numbers[1] in h
    assert Hierarchy.from_parents({0: "even", 1: "odd"}).level(numbers[1]) == 2
    assert h.groups(range(3), level=texts[:1]) == {"even": (0, 2), 1: (1,)}
    # 1, True and "1" are three names.
    assert len(Hierarchy.from_parents([(1, "a"), (True, "a"), ("1", "a")])) == 3


def test_a_value() -> None:
    assert Hierarchy.from_paths(["fruit/citrus/lemon"]) != FOOD
    assert FOOD != "fruit"
    # As labels, siblings have an order.
    assert Hierarchy.from_paths(["a", "b"]) != Hierarchy.from_paths(["b", "a"])
    assert Hierarchy.from_paths([(1,)]) != Hierarchy.from_paths([(True,)])
    assert pickle.loads(pickle.dumps(FOOD)) == FOOD == copy.deepcopy(FOOD)
    with pytest.raises(AttributeError, match="immutable"):
        FOOD.root = "x"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="immutable"):
        del FOOD.root
    with pytest.raises(cm.InputError, match=r"made by Hierarchy\.from_paths"):
        Hierarchy(["a"])


LONG, HOSTILE = "x" * 10_000, "a\x1b[2J\u202eb\x00<script>"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Hierarchy.from_paths(["a", "//"]), "path 1 is empty"),
        (lambda: Hierarchy.from_paths({None: "a"}), "None says that something is missing"),
        (lambda: Hierarchy.from_parents({}), "nothing came"),
        (
            lambda: Hierarchy.from_parents({"animal": ["cat", "dog"]}),
            "if this goes from parent to children, take from_",
        ),
        (
            lambda: Hierarchy.from_parents([("pet", "cat"), ("pet", "dog"), ("animal", "pet")]),
            "'pet' would have the",
        ),
        (
            lambda: Hierarchy.from_parents({LONG: [HOSTILE, LONG + "y"]}),
            "a tree, in which each class has one",
        ),
        (
            lambda: Hierarchy.from_parents({"x": "a", "a": "b", "b": "c", "c": "a"}),
            "'a' → 'b' → 'c' → 'a'",
        ),
        (
            lambda: Hierarchy.from_parents({i: (i + 1) % 1000 for i in range(1000)}),
            "0 → 1 → 2 → 3 → 4 → 5 → 6 → 0",
        ),
        (lambda: Hierarchy.from_nested(["a", ["b"]]), "not another list"),
        (lambda: Hierarchy.from_nested(_endless()), "contain itself"),
        (
            lambda: FOOD.level("lemmon"),
            "the hierarchy has no 'lemmon'; at its top are 'fruit', 'leek'",
        ),
        (lambda: FOOD.groups(["lemon", "kiwi"]), "does not know 1 of 2 classes: 'kiwi'"),
        (lambda: FOOD.groups(["lemon", "fruit/citrus/lemon"]), "are one node of the hierarchy"),
        (lambda: FOOD.level(HOSTILE), r"\\x1b"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message) as caught:
        make()
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


def _endless() -> dict[str, Any]:
    nested: dict[str, Any] = {}
    nested["a"] = nested
    nested["b"] = nested
    return nested


def test_it_prints_as_a_tree() -> None:
    assert str(Hierarchy.from_parents(BATS)) == (
        "animal\n├── mammal\n│   ├── bat\n│   └── dog\n└── bird\n    └── owl"
    )
    assert repr(Hierarchy.from_paths(["leek"])) == "<Hierarchy: a tree of 1 node, 1 leaf, 1 level>"
    assert (
        repr(Hierarchy.from_parents(BATS)) == "<Hierarchy: a tree of 5 nodes, 3 leaves, 2 levels>"
    )


def test_print_is_safe_and_bounded() -> None:
    text = str(Hierarchy.from_paths([(HOSTILE, LONG), (HOSTILE, "b\nc")]))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 3
    assert max(map(len, text.splitlines())) < 60
    wide = str(Hierarchy.from_paths([f"{i}/{j}" for i in range(100) for j in range(50)]))
    assert wide.splitlines()[:4] == ["0", "├── 0", "├── 1", "├── 2"]
    assert len(wide.splitlines()) == 40 + 1
    assert wide.splitlines()[-1] == f"… {100 + 100 * 50 - 40:,} more"
    deep = str(Hierarchy.from_parents({i + 1: i for i in range(10_000)})).splitlines()
    assert (deep[1], deep[2], deep[-1]) == ("└── 1", "    └── 2", f"… {10_001 - 40:,} more")
    assert str(Hierarchy.from_paths([f"a/{i}" for i in range(39)])).splitlines()[-1] == "└── 38"


@pytest.mark.slow
def test_at_scale() -> None:
    """A hundred thousand nodes below each other, or beside each other: no recursion, no square of anything."""
    chain = Hierarchy.from_parents({i + 1: i for i in range(100_000)})
    assert (chain.levels, chain.leaves, len(chain)) == (100_000, (100_000,), 100_000)
    same = Hierarchy.from_paths(["a/" * 20_000])
    assert same.levels == 20_000
    wide = Hierarchy.from_paths([f"{i % 100}/{i % 1000}/{i}" for i in range(20_000)])
    assert len(wide.leaves) == 20_000
    assert list(chain.distances_at(range(100_000), [0, 5], [99_999, 7])) == [99_999, 2]


@pytest.mark.peers
def test_parents_come_in_frames_and_series_too() -> None:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    rows = {"child": ["cat", "dog", "pet"], "parent": ["pet", "pet", None]}
    turned = {"Parent": ["pet", "pet"], "Class": ["cat", "dog"]}
    expected = str(Hierarchy.from_parents({"cat": "pet", "dog": "pet"}))
    series = pd.Series({"cat": "pet", "dog": "pet"})
    table = np.array([["cat", "pet"], ["dog", "pet"]])
    frames = [
        made(one) for one in (rows, turned) for made in (pd.DataFrame, pl.DataFrame, pa.table)
    ]
    for pairs in (*frames, series, table, pd.DataFrame(table)):
        assert str(Hierarchy.from_parents(pairs)) == expected
    with pytest.raises(InputError, match="'cat' would have the parents 'pet' and 'mammal'"):
        Hierarchy.from_parents(pd.DataFrame({"child": ["cat", "cat"], "parent": ["pet", "mammal"]}))
    with pytest.raises(
        InputError, match="two columns, child and parent, not 'kingdom', 'family', 'species'"
    ):
        Hierarchy.from_parents(
            pd.DataFrame([["a", "b", "c"]], columns=["kingdom", "family", "species"])
        )
    levels = {
        "kingdom": ["animal", "animal"],
        "family": ["cat", None],
        "species": ["lion", "whale"],
    }
    for made in (pd.DataFrame, pl.DataFrame, pa.table):
        assert Hierarchy.from_paths(made(levels)).nodes == ("animal", "cat", "lion", "whale")

from __future__ import annotations

import json
from collections.abc import Callable
from math import lgamma, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfusionMatrix, InputError, Stack, class_groups, count
from confmat.structure import ClassGroups, class_order
from confmat.structure.errors import expected_errors, read_errors
from confmat.structure.tree import best_cut, similarities, tree_of
from tests.structure.samples import HOSTILE

PETS = ConfusionMatrix(
    [[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]], ["cat", "dog", "hen", "owl"]
)


def codes(found: ClassGroups, size: int) -> Any:
    group = np.empty(size, dtype=np.int64)
    for number, classes in enumerate(found.values()):
        group[list(classes)] = number
    return group


# ---- the planted experiment ----------------------------------------------------------------------


@pytest.mark.parametrize(("size", "seed"), [(50, 1), (200, 2), (369, 1)])
def test_planted_blocks_are_found_and_counted(
    planted: Callable[..., Any], rand_index: Callable[..., float], size: int, seed: int
) -> None:
    m, block = planted(size, seed)
    many = len(set(block.tolist()))
    assert rand_index(codes(class_groups(m, many), size), block) >= 0.95
    found = class_groups(m)
    assert abs(len(found) - many) <= 1
    assert rand_index(codes(found, size), block) >= 0.95


@pytest.mark.parametrize("size", [8, 50, 200])
def test_where_errors_follow_no_groups_every_class_stays_alone(
    planted: Callable[..., Any], size: int
) -> None:
    m, _ = planted(size, 5, noise=1.0)
    assert len(class_groups(m)) == size
    assert m.merge(class_groups(m)).total == m.total


@pytest.mark.slow
def test_a_hundred_thousand_classes(rand_index: Callable[..., float]) -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 100_000, 1_000_000)
    near = actual // 50 * 50 + rng.integers(0, 50, len(actual))
    m = count(actual, np.where(rng.random(len(actual)) < 0.7, actual, near), labels=range(100_000))
    assert rand_index(codes(class_groups(m), 100_000), np.arange(100_000) // 50) >= 0.99


# ---- the rule ------------------------------------------------------------------------------------


def worth(table: Any, group: Any) -> float:
    """The rule of the number of groups, written out: likelihood gained less the length of the message."""
    size, total = len(table), table.sum()
    rows, cols = np.nonzero(~np.eye(size, dtype=bool))
    expected = np.zeros((size, size))
    expected[rows, cols] = expected_errors(table.sum(1) + 1, table.sum(0) + 1).at(rows, cols)
    expected *= total / expected.sum()
    same = group[:, None] == group[None, :]
    inside, model = table[same].sum(), expected[same].sum()
    gain = inside * log(inside / model) if inside else 0.0
    if inside < total:
        gain += (total - inside) * log((total - inside) / (total - model))
    sizes = [n for n in np.bincount(group).tolist() if n > 1]
    grouped = sum(sizes)
    if not grouped:
        return 0.0
    which = lgamma(size + 1) - lgamma(grouped + 1) - lgamma(size - grouped + 1)
    lengths = lgamma(grouped) - lgamma(len(sizes)) - lgamma(grouped - len(sizes) + 1)
    who = lgamma(grouped + 1) - sum(lgamma(n + 1) for n in sizes)
    return gain - (which + lengths + who + log(size))


@given(st.integers(3, 9), st.integers(0, 2**32), st.floats(0.1, 1))
def test_the_cut_is_the_best_of_the_tree(size: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    block = rng.integers(0, 3, size)
    rate: Any = np.where(block[:, None] == block[None, :], 12.0, 1.0) * (
        rng.random((size, size)) < density
    )
    table = rng.poisson(rate)
    np.fill_diagonal(table, 0)
    m = ConfusionMatrix(table + 50 * np.eye(size, dtype=int))
    errors = read_errors(m)
    tree = tree_of(similarities(errors))
    cut = best_cut(errors, tree)
    if table.any():
        values = [worth(table, tree.groups(steps)) for steps in range(size)]
        assert values[cut] == pytest.approx(max(values), abs=1e-6)
    else:
        assert cut == 0


# ---- what comes out ------------------------------------------------------------------------------


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    size = draw(st.integers(1, 8))
    cells = draw(st.lists(st.integers(0, 9), min_size=size * size, max_size=size * size))
    outside = draw(st.sampled_from([(), ("(other)",)])) if size > 1 else ()
    names: Any = draw(st.sampled_from([[f"c{i}" for i in range(size)], list(range(size))]))
    names = names[: size - len(outside)]
    return ConfusionMatrix(np.array(cells).reshape(size, size), names, outside=outside)


@given(matrices(), st.data())
def test_any_number_of_groups_merges(m: ConfusionMatrix, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, m.n_classes))
    found = class_groups(m, n)
    assert len(found) == n
    assert tuple(label for classes in found.values() for label in classes) == class_order(m)
    coarse = m.merge(found)
    assert (coarse.n_classes, coarse.total, coarse.labels.outside) == (n, m.total, m.labels.outside)
    inside = m.select(list(m.labels.classes))
    assert sum(found.wrong) == inside.total - inside.diagonal.sum()
    kept = inside.merge(found).diagonal.sum() - inside.diagonal.sum()
    assert sum(found.inside) == kept
    assert sum(found.support) == m.actual_totals[: m.n_classes].sum()


@given(matrices())
def test_permuting_and_storing_change_nothing(m: ConfusionMatrix) -> None:
    assert class_groups(m) == class_groups(m.sparse())
    assert class_groups(m) == class_groups(m)


def test_permuting_classes_permutes_groups(planted: Callable[..., Any]) -> None:
    m, _ = planted(60, 1)
    shuffled = m.reorder(np.random.default_rng(0).permutation(60).tolist())
    assert {frozenset(x) for x in class_groups(m).values()} == {
        frozenset(x) for x in class_groups(shuffled).values()
    }


def test_by_similarity() -> None:
    together = class_groups(PETS, similarity=0.1)
    assert ("cat", "dog") in together.values()
    assert len(together) == 3
    assert together.similarity == pytest.approx((9 / 100 + 12 / 100) / 2)
    assert len(class_groups(PETS, similarity=0.5)) == 4
    assert len(class_groups(PETS, similarity=1e-9)) == 1


def test_the_only_pair_ever_confused_is_a_group() -> None:
    counts = np.diag([50] * 10)
    counts[0, 1], counts[1, 0] = 20, 15
    assert class_groups(ConfusionMatrix(counts, list("abcdefghij")))["a + b"] == ("a", "b")


@pytest.mark.parametrize(
    "counts", [[[3]], [[0]], [[1, 2], [3, 4]], np.zeros((3, 3), int), np.diag([4, 5, 6])]
)
def test_nothing_to_group(counts: Any) -> None:
    m = ConfusionMatrix(counts)
    found = class_groups(m)
    assert len(found) == m.n_classes
    assert m.merge(found).total == m.total
    assert str(found).endswith("cut where groups tell most about the errors")


# ---- names ---------------------------------------------------------------------------------------


def test_names_say_what_is_inside() -> None:
    assert list(class_groups(PETS)) == ["cat + dog", "owl + hen"] or list(class_groups(PETS)) == [
        "cat + dog",
        "hen + owl",
    ]
    numbers = ConfusionMatrix(PETS.counts, [4, 5, 6, 7])
    assert set(map(type, class_groups(numbers, 3))) == {str}
    assert numbers.merge(class_groups(numbers, 3)).labels.kind == "text"


@pytest.mark.parametrize(
    ("names", "group"),
    [
        (["n01 grey owl", "n02 tawny owl", "n03 snowy owl", "n04 barn owl"], "owl (4)"),
        (["great owl", "tawny owl", "snowy owl", "hawk"], "mostly owl (4)"),
        (
            ["lung, left lobe", "lung, right lobe", "lung, middle lobe", "lung, other lobe"],
            "lung lobe (4)",
        ),
        (["sku-0010", "sku-0011", "sku-0012", "sku-0013"], "sku-001… (4)"),
        (["10", "11", "12", "13"], "10 + 3 more"),
    ],
)
def test_a_group_has_the_name_of_what_its_classes_share(names: list[str], group: str) -> None:
    """Beside two classes that share nothing with it."""
    counts = np.full((6, 6), 0)
    counts[:4, :4], counts[4:, 4:] = 9, 9
    m = ConfusionMatrix(counts + np.diag([90, 50, 50, 50, 50, 50]), [*names, "red car", "blue van"])
    assert list(class_groups(m, 2)) == [group, "red car + blue van"]


def test_no_name_is_taken() -> None:
    names = ["cat", "dog", "cat + dog", "owl"]
    found = class_groups(ConfusionMatrix(PETS.counts, names, outside=()), 3)
    assert "cat + dog (2)" in found or "cat + dog" not in found
    assert ConfusionMatrix(PETS.counts, names).merge(found).n_classes == 3


@pytest.mark.parametrize("n", [1, 4])
def test_hostile_names_are_safe_text(n: int) -> None:
    m = ConfusionMatrix(np.arange(36).reshape(6, 6) % 7 + np.diag([9] * 6), HOSTILE)
    found = class_groups(m, n)
    assert m.merge(found).n_classes == n
    assert not set(str(found)) & {"\x00", "\u202e", "\r"}
    assert max(map(len, str(found).splitlines())) < 250
    joint = [name for name, classes in found.items() if len(classes) > 1]
    assert all(name.isprintable() and len(name) < 100 for name in joint)


def test_prints_and_goes_to_json() -> None:
    text = str(class_groups(PETS))
    assert "cat + dog" in text
    assert "of the errors stay inside a group" in text
    data = json.loads(json.dumps(class_groups(PETS).to_dict()))
    assert data["groups"][0] == {
        "name": "cat + dog",
        "classes": ["cat", "dog"],
        "support": 200,
        "wrong": 25,
        "inside": 21,
    }
    assert repr(class_groups(PETS)) == "<ClassGroups: 2 of 4 classes>"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: class_groups(PETS, 5), "from 1 to the 4 classes, not 5"),
        (lambda: class_groups(PETS, 2, similarity=0.1), "two ways to cut one tree"),
        (lambda: class_groups(PETS, similarity=5), "a share above 0 and up to 1"),
        (lambda: class_groups(Stack({"a": PETS})), r"class_groups\(stack\[key\]\)"),  # type: ignore[arg-type]
    ],
)
def test_says_what_is_wrong(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()

"""PyCM 4.6 itself: each of its keys and distances equals what its name finds here, or has no counterpart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix
from confmat.metrics.catalog import metric
from confmat.metrics.peers import WITHOUT, note

pytestmark = pytest.mark.peers
pycm = pytest.importorskip("pycm")

TABLES: dict[str, list[list[int]]] = {
    "cats": [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
    "two": [[50, 7], [12, 31]],
    "two, all of one": [[5, 3], [0, 0]],
    "two, only one predicted": [[5, 0], [3, 0]],
    "two, one cell": [[5, 0], [0, 0]],
    "two, perfect": [[9, 0], [0, 4]],
    "two, all wrong": [[0, 9], [4, 0]],
    "two, even": [[5, 5], [5, 5]],
    "two, no false alarm": [[5, 2], [0, 7]],
    "two, no miss": [[5, 0], [2, 7]],
    "two, no hit": [[0, 4], [3, 8]],
    "three, perfect": [[3, 0, 0], [0, 4, 0], [0, 0, 5]],
    "three, all wrong": [[0, 3, 1], [2, 0, 4], [5, 1, 0]],
    "three, one never predicted": [[4, 1, 0], [2, 6, 0], [1, 3, 0]],
    "three, one never occurs": [[4, 1, 2], [2, 6, 1], [0, 0, 0]],
    "three, one absent": [[4, 1, 0], [2, 6, 0], [0, 0, 0]],
    "three, by chance": [[2, 3, 1], [4, 6, 2], [6, 9, 3]],
    "three, large": [[5000, 20, 3], [41, 870, 12], [7, 9, 460]],
    "three, one row, all wrong": [[0, 3, 1], [0, 0, 0], [0, 0, 0]],
    "four": [[7, 2, 1, 0], [1, 9, 0, 3], [0, 2, 6, 1], [4, 0, 1, 8]],
    "four, one row, one column": [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
    "five": [
        [9, 2, 3, 0, 1],
        [2, 12, 0, 1, 3],
        [4, 0, 17, 2, 0],
        [0, 3, 2, 8, 4],
        [1, 0, 5, 2, 21],
    ],
    "five, lopsided": [
        [900, 2, 3, 0, 1],
        [20, 2, 0, 1, 0],
        [14, 0, 3, 0, 0],
        [5, 0, 0, 1, 0],
        [1, 0, 0, 0, 0],
    ],
}

_EMPTY = (
    "PyCM gives up as soon as a class is empty on one side; ours leaves out the empty row or column"
)
# Where PyCM has no value and we have one.
VALUE_WHERE_PYCM_HAS_NONE = {
    "Q": "PyCM divides by FP FN first; the limit where one of them is 0 is 1 (or -1)",
    "DOR": "PyCM divides the likelihood ratios, and the negative one has no value where TN is 0; ours is 0 there",
    "Chi-Squared": _EMPTY,
    "Phi-Squared": _EMPTY,
    "Cramer V": _EMPTY,
    "Pearson C": _EMPTY,
    "KL Divergence": "PyCM takes the logarithm of a class that never occurs, whose term is 0",
    "Overall CEN": "PyCM wants the entropy of every class, also of one that is nowhere and weighs 0",
    "Overall MCEN": "PyCM wants the entropy of every class, also of one that is nowhere and weighs 0",
    "GilbertWells": "PyCM's factorials overflow",
}
# Where both have a value and they differ.
OTHER_VALUE = {
    "AGM": "PyCM says 0 where nothing is found, also where there is no specificity",
}
# On these tables.
OTHER_ON = {"AGM": "three, one row, all wrong"}


@cache
def theirs(name: str) -> Any:
    table = TABLES[name]
    return pycm.ConfusionMatrix(matrix={i: dict(enumerate(row)) for i, row in enumerate(table)})


def ours(name: str) -> ConfusionMatrix:
    return ConfusionMatrix(TABLES[name])


def as_number(value: Any) -> Any:
    """PyCM's "None", our None and NaN are one; so are numbers of any type."""
    if isinstance(value, tuple):
        return tuple(as_number(each) for each in value)
    if isinstance(value, str):
        return None if value == "None" else value
    return None if value is None or math.isnan(value) else float(value)


def same(mine: Any, other: Any) -> bool:
    if isinstance(mine, tuple) and isinstance(other, tuple):
        return len(mine) == len(other) and all(map(same, mine, other))
    if isinstance(mine, float) and isinstance(other, float):
        return math.isclose(mine, other, rel_tol=1e-9, abs_tol=1e-11)
    return bool(mine == other)


def pairs(key: str, *, per_class: bool) -> Iterator[tuple[str, Any, Any]]:
    """Per table (and class): our value and theirs."""
    found = metric(f"pycm:{key}")
    for name in TABLES:
        m = ours(name)
        if not per_class:
            yield name, as_number(found(m)), as_number(theirs(name).overall_stat[key])
            continue
        values = found(m)
        values = list(values.values()) if isinstance(values, dict) else np.asarray(values).tolist()
        for i, value in enumerate(values):
            yield f"{name}, class {i}", as_number(value), as_number(theirs(name).class_stat[key][i])


def differences(key: str, *, per_class: bool) -> list[tuple[str, Any, Any]]:
    return [each for each in pairs(key, per_class=per_class) if not same(each[1], each[2])]


def known(names: Iterable[str]) -> list[str]:
    """Return the names that have a counterpart."""
    return [name for name in names if f"pycm:{name}" not in WITHOUT]


CLASS_KEYS = known(theirs("cats").class_stat)
OVERALL_KEYS = known(theirs("cats").overall_stat)
DISTANCES = known(each.value for each in pycm.DistanceType)


def check(key: str, found: list[tuple[str, Any, Any]]) -> None:
    if key in VALUE_WHERE_PYCM_HAS_NONE:
        assert found, f"{key} no longer differs: take it out of the table"
        assert all(other is None for _, _, other in found), found
    elif key in OTHER_VALUE:
        assert found, f"{key} no longer differs: take it out of the table"
        assert all(name.startswith(OTHER_ON[key]) for name, _, _ in found), found
    else:
        assert not found


def test_all_keys_are_there() -> None:
    """The guide has these numbers; two functions of PyCM are the other names without a counterpart."""
    found = theirs("cats")
    assert (len(found.class_stat), len(found.overall_stat), len(pycm.DistanceType)) == (65, 69, 63)
    assert (len(CLASS_KEYS), len(OVERALL_KEYS), len(DISTANCES)) == (59, 49, 57)
    assert len(WITHOUT) == 6 + 20 + 6 + 2


@pytest.mark.parametrize("key", [*VALUE_WHERE_PYCM_HAS_NONE, *OTHER_VALUE])
def test_what_differs_is_told_in_the_map(key: str) -> None:
    assert note(f"pycm:{key}")


@pytest.mark.parametrize("key", CLASS_KEYS)
def test_class_key(key: str) -> None:
    check(key, differences(key, per_class=True))


@pytest.mark.parametrize("key", OVERALL_KEYS)
def test_overall_key(key: str) -> None:
    check(key, differences(key, per_class=False))


@pytest.mark.parametrize("distance", DISTANCES)
def test_distance(distance: str) -> None:
    found = metric(f"pycm:{distance}")
    differing = []
    for name in TABLES:
        other = theirs(name).distance(metric=pycm.DistanceType(distance))
        for i, value in enumerate(np.asarray(found(ours(name))).tolist()):
            if not same(as_number(value), as_number(other[i])):
                differing.append((f"{name}, class {i}", as_number(value), as_number(other[i])))
    check(distance, differing)


@pytest.mark.parametrize(
    ("key", "args"), [("F_beta", (3,)), ("IBA_alpha", (0.5,)), ("TI", (0.3, 0.8)), ("NB", (0.25,))]
)
def test_functions_with_parameters(key: str, args: tuple[float, ...]) -> None:
    made = metric(f"pycm:{key}")(*args)
    for name in TABLES:
        other = getattr(theirs(name), key)(*args)
        values = [as_number(value) for value in np.asarray(made(ours(name))).tolist()]
        assert all(map(same, values, map(as_number, other.values()))), name


def test_sensitivity_index() -> None:
    """PyCM approximates the normal quantile, and takes infinities where a rate is 0 or 1; ours has no value there."""
    found = metric("pycm:sensitivity_index")
    for name in ("cats", "two", "five"):
        other = theirs(name).sensitivity_index()
        for i, value in enumerate(np.asarray(found(ours(name))).tolist()):
            if math.isfinite(other[i]) and not math.isnan(value):
                assert value == pytest.approx(other[i], abs=1e-3)

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import confmat as cm
from confmat import ConfusionMatrix, InputError, Stack, count, top_confusions
from confmat.structure.errors import adjusted
from tests.structure.samples import FIVE, HOSTILE, matrices

PETS = ConfusionMatrix(
    [[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]], ["cat", "dog", "hen", "owl"]
)


# ---- the planted experiment ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_flagged_was_planted(planted: Callable[..., Any], seed: int) -> None:
    """200 classes, 12,000 items: of some 2,000 pairs confused a hundred or more stand out, 95 % of them planted."""
    m, block = planted(200, seed)
    found = top_confusions(m, None)
    flagged = [one for one in found if one.flagged]
    assert m.total == 12_000
    assert len(flagged) == found.flagged > 50
    assert len(found) == found.pairs > 1500
    assert np.mean([block[one.actual] == block[one.predicted] for one in flagged]) >= 0.95


@pytest.mark.parametrize("seed", range(5))
def test_without_structure_hardly_anything_is_flagged(
    planted: Callable[..., Any], seed: int
) -> None:
    m, _ = planted(100, seed, noise=1.0)
    assert top_confusions(m).flagged <= 1


# ---- each number by another way ------------------------------------------------------------------


def by_the_rest(table: NDArray[Any], out: NDArray[np.bool_], i: int, j: int) -> tuple[float, float]:
    """The expectation of a cell by loops over all others, and the shape of what is known of it."""
    size, kept = range(len(table)), ~out & ~np.eye(len(table), dtype=bool)
    kept[i, j] = False
    fit = np.where(~out & ~np.eye(len(table), dtype=bool), 1.0, 0.0)
    x = y = np.ones(len(table))
    with np.errstate(all="ignore"):
        for _ in range(3000):
            x = np.nan_to_num((table * fit).sum(1) / (fit * y).sum(1))
            y = np.nan_to_num((table * fit).sum(0) / (fit * x[:, None]).sum(0))
    row, col, rest = 0.0, 0.0, 0.0
    across, down, both = 0.0, 0.0, 0.0
    for a in size:
        for b in size:
            if kept[a, b] and a == i:
                row, across = row + table[a, b], across + y[b]
            elif kept[a, b] and b == j:
                col, down = col + table[a, b], down + x[a]
            elif kept[a, b] and not {a, b} & {i, j}:
                rest, both = rest + table[a, b], both + x[a] * y[b]
    shape = 1 / (1 / (row + 1) + 1 / (col + 1) + 1 / (rest + 1))
    ratio = both / (across * down) if across * down else np.inf
    return (row + 1) * (col + 1) / (rest + 1) * ratio, shape


def test_chances_are_negative_binomial_tails_given_the_rest_of_the_table() -> None:
    table = np.array(
        [[0, 30, 4, 5, 6], [3, 0, 5, 2, 4], [6, 4, 0, 7, 3], [2, 5, 4, 0, 60], [5, 3, 6, 4, 0]]
    )
    found = top_confusions(ConfusionMatrix(table + np.diag([50] * 5)), None)
    flagged = {(one.actual, one.predicted) for one in found if one.flagged}
    assert flagged == {(0, 1), (3, 4)}
    out = np.zeros((5, 5), dtype=bool)
    out[0, 1] = out[3, 4] = True
    for one in found:
        expected, shape = by_the_rest(table, out, one.actual, one.predicted)
        assert one.p_value == pytest.approx(
            stats.nbinom.sf(one.count - 1, shape, shape / (shape + expected)), rel=1e-6
        )


@given(matrices())
def test_numbers_are_what_they_are_called(m: ConfusionMatrix) -> None:
    table = m.counts
    for one in top_confusions(m, None):
        i, j = m.labels.index(one.actual), m.labels.index(one.predicted)
        assert one.count == table[i, j] > 0
        assert one.reverse == table[j, i]
        assert one.share == table[i, j] / table[i].sum()
        assert one.excess == pytest.approx(one.count - one.expected, abs=1e-6)
        assert one.lift == (pytest.approx(one.count / one.expected) if one.expected else np.inf)
        assert one.asymmetry == pytest.approx(
            (table[i, j] - table[j, i]) / np.sqrt(table[i, j] + table[j, i])
        )
        assert one.flagged == (one.q_value <= 0.05)


@given(matrices())
def test_all_confused_pairs_are_there_once(m: ConfusionMatrix) -> None:
    found = {(one.actual, one.predicted): one.count for one in top_confusions(m, None)}
    assert found == {pair: number for pair, number in m.pairs().items() if pair[0] != pair[1]}
    assert top_confusions(m).errors == sum(found.values())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.integers(0, 30))
def test_the_adjustment_is_benjamini_and_hochbergs(p: list[float], more: int) -> None:
    whole = stats.false_discovery_control(np.array([*p, *[1.0] * more]))
    np.testing.assert_allclose(adjusted(np.array(p), len(p) + more), whole[: len(p)])


def test_pairs_that_cannot_be_confused_are_not_tested() -> None:
    m = ConfusionMatrix([[5, 2, 1], [0, 9, 0], [1, 3, 6]])
    # Classes 0 and 2 err, 0, 1 and 2 are named wrongly: 2 * 3 pairs less two on the diagonal.
    assert top_confusions(m).tested == 4
    wider = ConfusionMatrix(np.pad(m.counts, (0, 5)))
    assert top_confusions(wider).to_dict() == top_confusions(m).to_dict()


# ---- laws ----------------------------------------------------------------------------------------


def essentials(found: Any) -> dict[Any, tuple[float, ...]]:
    """The figures of each pair, without the order."""
    return {
        (one.actual, one.predicted): tuple(
            round(float(np.nan_to_num(x, nan=-1)), 6)
            for x in (one.count, one.expected, one.p_value, one.q_value)
        )
        for one in found
    }


@given(matrices(), st.randoms())
def test_the_order_of_classes_changes_nothing(m: ConfusionMatrix, random: Any) -> None:
    names = list(m.labels)
    random.shuffle(names)
    assert essentials(top_confusions(m.reorder(names), None)) == essentials(top_confusions(m, None))


@pytest.mark.parametrize("seed", [63, 167, 378])
def test_few_cells_with_many_errors_have_one_answer_in_every_order(seed: int) -> None:
    """As cells leave the fit, what is left of a small table may explain itself to the last digit."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 7))
    there = rng.random((size, size)) < rng.choice([0.3, 0.6, 1])
    m = ConfusionMatrix(
        rng.integers(0, rng.choice([10, 60, 300]), (size, size)) * there + np.eye(size, dtype=int)
    )
    other = essentials(top_confusions(m.reorder(rng.permutation(size).tolist()), None))
    for pair, numbers in essentials(top_confusions(m, None)).items():
        np.testing.assert_allclose(numbers, other[pair], rtol=1e-5, atol=1e-5)


@given(matrices())
def test_transposing_swaps_the_sides(m: ConfusionMatrix) -> None:
    swapped = {(b, a): numbers for (a, b), numbers in essentials(top_confusions(m.T, None)).items()}
    assert swapped == essentials(top_confusions(m, None))


@given(matrices())
def test_storage_does_not_matter(m: ConfusionMatrix) -> None:
    assert top_confusions(m.sparse()) == top_confusions(m.dense())


@pytest.mark.parametrize("by", ["excess", "count", "share", "lift", "asymmetry"])
def test_ranked_as_asked(by: Any) -> None:
    # Values that differ by rounding alone are equal.
    values = [round(getattr(one, by), 9) for one in top_confusions(PETS, None, by=by)]
    assert values == sorted(values, reverse=True)


# ---- edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[[0]], [[7]], [[5, 0], [0, 5]], np.zeros((4, 4), dtype=int)])
def test_nobody_is_confused(counts: Any) -> None:
    found = top_confusions(ConfusionMatrix(counts))
    assert (len(found), found.pairs, found.errors, found.flagged) == (0, 0, 0, 0)
    assert str(found) == "no class was taken for another"


def test_two_classes_have_nothing_to_compare_with() -> None:
    found = top_confusions(ConfusionMatrix([[40, 10], [3, 47]]))
    assert [(one.count, one.expected, one.flagged) for one in found] == [
        (10, 10.0, False),
        (3, 3.0, False),
    ]


def test_rejections_are_answers_unless_they_are_left_out() -> None:
    m = ConfusionMatrix(
        [[8, 1, 4], [2, 9, 0], [0, 0, 0]], ["cat", "dog", "(abstained)"], outside=["(abstained)"]
    )
    inside = top_confusions(m, outside="exclude")
    assert "(abstained)" not in {one.predicted for one in inside}
    assert "errors with labels outside the classes, (abstained), are left out: 4" in str(inside)
    # The share is still that of all items of the class.
    assert inside[1].share == 1 / 13
    assert ("cat", "(abstained)") in {(one.actual, one.predicted) for one in top_confusions(m)}
    # Where some items are of no class, a label outside is found in them, and is no rejection.
    found = ConfusionMatrix(
        [[8, 1, 4], [2, 9, 0], [1, 0, 0]], ["cat", "dog"], outside=["background"]
    )
    assert "background" not in {one.predicted for one in top_confusions(found)}


def test_a_hundred_thousand_classes() -> None:
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 100_000, 400_000)
    predicted = np.where(
        rng.random(len(actual)) < 0.8, actual, rng.integers(0, 100_000, len(actual))
    )
    actual, predicted = np.append(actual, [77] * 9), np.append(predicted, [99_000] * 9)
    found = top_confusions(count(actual, predicted, labels=range(100_000)), 3)
    assert (found[0].actual, found[0].predicted, found[0].flagged) == (77, 99_000, True)
    assert found.flagged < 20


# ---- weights -------------------------------------------------------------------------------------


def pairs_of(m: ConfusionMatrix) -> tuple[list[str], list[str]]:
    rows = [(a, b) for (a, b), number in m.pairs().items() for _ in range(number)]
    return [a for a, _ in rows], [b for _, b in rows]


def test_equal_weights_have_the_chances_of_counts() -> None:
    actual, predicted = pairs_of(FIVE)
    weighted = count(actual, predicted, weights=[2.5] * len(actual))
    for one, heavy in zip(top_confusions(FIVE, None), top_confusions(weighted, None), strict=True):
        assert heavy.p_value == pytest.approx(one.p_value)
        assert heavy.count == one.count * 2.5


def test_a_few_heavy_items_surprise_less_than_many_light_ones() -> None:
    actual, predicted = pairs_of(FIVE)
    light = count(
        [*actual, *["hen"] * 20],
        [*predicted, *["owl"] * 20],
        weights=[1.0] * len(actual) + [0.5] * 20,
    )
    heavy = count([*actual, *["hen"]], [*predicted, *["owl"]], weights=[1.0] * len(actual) + [10.0])
    chances = [
        next(x for x in top_confusions(m) if x.actual == "hen" and x.predicted == "owl")
        for m in (light, heavy)
    ]
    assert chances[0].count == chances[1].count
    assert chances[0].p_value < chances[1].p_value


def test_nothing_is_claimed_of_sums_of_unknown_weights() -> None:
    found = top_confusions(ConfusionMatrix(FIVE.counts * 0.5, FIVE.labels))
    assert np.isnan(found[0].p_value)
    assert not any(one.flagged for one in found)
    assert "p and q are unknown" in str(found)
    assert found[0].to_dict()["p_value"] is None


def test_a_float_table_of_whole_numbers_holds_counts() -> None:
    assert essentials(
        top_confusions(ConfusionMatrix(PETS.counts * 1.0, PETS.labels))
    ) == essentials(top_confusions(PETS))


# ---- a sequence, and what it is written as -------------------------------------------------------


def test_hostile_labels_are_safe_text() -> None:
    m = ConfusionMatrix(np.arange(36).reshape(6, 6), HOSTILE)
    found = top_confusions(m, None)
    for text in (str(found), found.to_markdown()):
        assert not set(text) & {"\x00", "\u202e", "\r", "\t"}
        assert max(map(len, text.splitlines())) < 300
    assert "<script>" not in found.to_markdown()
    assert not any(
        cell.startswith("=") for row in csv.reader(io.StringIO(found.to_csv())) for cell in row
    )


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: top_confusions(Stack({"a": PETS})), r"top_confusions\(stack\[key\]\)"),  # type: ignore[arg-type]
        (lambda: top_confusions(PETS, alpha=1.5), "`alpha` must lie between 0 and 1"),
        (lambda: top_confusions(PETS, outside="in"), "`outside` must be"),  # type: ignore[arg-type]
    ],
)
def test_says_what_is_wrong(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.parametrize("seed", range(20))
def test_weights_as_far_apart_as_floats_go(seed: int) -> None:
    """No warning (which would be an error here), no exception, and everything can be printed and stored."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 6))
    table = 10.0 ** rng.uniform(-300, 300, (size, size)) * (rng.random((size, size)) < 0.7)
    rows, cols = np.nonzero(table)
    for m in (
        ConfusionMatrix(table),
        count(rows, cols, weights=table[rows, cols], labels=range(size)),
    ):
        for found in (top_confusions(m, None), cm.structure.sinks(m), cm.structure.sources(m)):
            json.dumps(found.to_dict(), allow_nan=False)
            assert str(found)
        assert m.merge(cm.class_groups(m)).n_classes == len(cm.class_groups(m))
        assert sorted(cm.structure.class_order(m)) == list(range(size))

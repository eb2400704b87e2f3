"""Gaps of groups: values worked out by hand, bounds that hold for the widest gap, and what is said of them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import confmat as cm
from benchmarks.honest_bounds import alike
from confmat.comparison.gaps import tukey
from confmat.core.errors import InputError, MetricError

NORTH, SOUTH = (
    cm.ConfusionMatrix([[80, 20], [10, 90]], positive=1),
    cm.ConfusionMatrix([[85, 15], [30, 70]], positive=1),
)
TWO = cm.Stack({"north": NORTH, "south": SOUTH}, axis="region")


def groups_of(hits: Any, items: Any) -> cm.Stack:
    """Groups whose accuracy is a share of hits."""
    return cm.Stack(
        {
            place: cm.ConfusionMatrix([[hit, size - hit], [0, 0]])
            for place, (hit, size) in enumerate(zip(hits, items, strict=True))
        }
    )


def test_the_gap_and_the_ratio_are_of_the_smallest_and_the_largest() -> None:
    found = cm.gap(TWO, "recall")
    assert (found.lowest, found.highest, found.axis) == ("south", "north", "region")
    assert found.difference.value == pytest.approx(90 / 100 - 70 / 100)
    assert found.ratio.value == pytest.approx((70 / 100) / (90 / 100))
    # The bounds of two groups are those of their difference.
    one = cm.compare(TWO, metrics=["recall"], same_items=False).of("recall[1]")
    low, high = found.difference
    assert (low, high) == pytest.approx((-one.high, -one.low), abs=0.01)
    # A group against the rest is then the same difference, and no family of two.
    rest = found.parts[0].rest
    assert rest[0].value == pytest.approx(-rest[1].value) == pytest.approx(70 / 100 - 90 / 100)
    assert (rest[0].low, rest[0].high) == pytest.approx((one.low, one.high), abs=0.002)


@pytest.mark.parametrize(
    ("criterion", "gap", "ratio"),
    [
        ("demographic_parity", (90 + 20) / 200 - (70 + 15) / 200, (70 + 15) / (90 + 20)),
        ("four_fifths", (90 + 20) / 200 - (70 + 15) / 200, (70 + 15) / (90 + 20)),
        ("equal_opportunity", 90 / 100 - 70 / 100, 70 / 90),
        ("predictive_parity", 70 / (70 + 15) - 90 / (90 + 20), (90 / (90 + 20)) / (70 / (70 + 15))),
        # The wider gap and the smaller ratio of both rates.
        ("equalized_odds", max(90 / 100 - 70 / 100, 20 / 100 - 15 / 100), min(70 / 90, 15 / 20)),
        ("equal opportunity", 90 / 100 - 70 / 100, 70 / 90),
    ],
)
def test_criteria_of_fairness_under_their_names(criterion: str, gap: float, ratio: float) -> None:
    found = cm.gap(TWO, criterion)
    assert (found.difference.value, found.ratio.value) == pytest.approx((gap, ratio))
    assert found.difference.low <= gap <= found.difference.high
    assert found.ratio.low <= ratio <= found.ratio.high


def test_one_class_of_several_has_the_criteria_too() -> None:
    m = cm.ConfusionMatrix([[8, 1, 1], [2, 6, 2], [1, 1, 8]], ["Cat", "Fish", "Hen"])
    stack = cm.Stack(
        {"a": m, "b": m.reorder(["Hen", "Fish", "Cat"]).relabel(["Cat", "Fish", "Hen"])}
    )
    assert cm.gap(stack, "equal_opportunity[Cat]").difference.value == 8 / 10 - 8 / 10
    assert [part.score for part in cm.gap(stack, "equalized_odds[Fish]").parts] == [
        "recall[Fish]",
        "false_positive_rate[Fish]",
    ]
    with pytest.raises(MetricError, match=r"recall\[Cat\]"):
        cm.gap(stack, "equal_opportunity")


def test_the_four_fifths_rule_holds_fails_or_stays_open() -> None:
    def rule(first: int, second: int, items: int) -> str:
        stack = cm.Stack(
            {
                "a": cm.ConfusionMatrix([[0, 0], [items - first, first]], positive=1),
                "b": cm.ConfusionMatrix([[0, 0], [items - second, second]], positive=1),
            }
        )
        found = cm.gap(stack, "four_fifths")
        assert f"at least 0.8: {found.at_least()}" in str(found)
        return found.at_least()

    assert rule(5000, 4900, 10_000) == "holds"
    assert rule(5000, 3000, 10_000) == "fails"
    assert rule(10, 9, 20) == "undecided"


def test_the_critical_value_is_that_of_tukey() -> None:
    stats = pytest.importorskip("scipy.stats")
    for groups in (2, 3, 10, 100):
        assert tukey(0.95, groups) == pytest.approx(
            stats.studentized_range.ppf(0.95, groups, np.inf) / math.sqrt(2), abs=1e-6
        )


def test_the_order_of_groups_changes_nothing_and_a_group_is_its_items() -> None:
    m = groups_of([18, 45, 90, 170], [20, 50, 100, 200])
    turned = cm.Stack({key: m[key] for key in reversed(list(m))})
    one, two = cm.gap(m, "accuracy"), cm.gap(turned, "accuracy")
    assert one.difference == two.difference
    assert one.ratio == two.ratio
    assert sorted(one.parts[0].pairs()) == sorted(two.parts[0].pairs())
    # An empty group has no value, and is named.
    more = cm.Stack({**m, "none": cm.ConfusionMatrix([[0, 0], [0, 0]])})
    found = cm.gap(more, "accuracy")
    assert found.difference == one.difference
    assert found.parts[0].without == ("none",)
    assert "Without a value of accuracy: 'none'" in str(found)


def test_pairs_are_shown_where_their_bounds_are_above_nothing() -> None:
    found = cm.gap(groups_of([50, 80, 99, 98], [100, 100, 100, 100]), "accuracy")
    part = found.parts[0]
    assert part.groups == (0, 1, 3, 2)
    assert set(part.pairs()) == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)}
    assert found.difference.low > 0
    assert part.differs == [True, False, True, True]
    assert "1 of 6 pairs are open" in str(found)
    data = json.loads(json.dumps(found.to_dict()))
    assert data["difference"]["value"] == pytest.approx(99 / 100 - 50 / 100)
    assert data["parts"][0]["groups"] == [0, 1, 3, 2]
    assert data["parts"][0]["estimates"][0]["value"] == 50 / 100
    assert len(found.table()) == 4


def test_scores_below_nothing_have_no_ratio_and_shares_that_are_all_nothing_neither() -> None:
    assert math.isnan(cm.gap(TWO, "mcc").ratio.value)
    assert math.isnan(cm.gap(groups_of([0, 0], [20, 30]), "accuracy").ratio.value)
    assert cm.gap(groups_of([0, 10], [20, 30]), "accuracy").ratio.value == 0.0


def test_what_is_no_stack_of_groups_is_refused_with_what_to_write() -> None:
    with pytest.raises(InputError, match=r"gap\(count\(actual, predicted, by=groups\), 'recall'\)"):
        cm.gap([1, 0], [1, 1])  # type: ignore[arg-type]
    sets = [["a"], ["a", "b"], ["b"]]
    for same in (
        cm.thresholds([1, 0, 1, 0], [0.9, 0.8, 0.6, 0.1]),
        cm.thresholds(["a", "b", "c"], np.eye(3)),
        cm.count_multilabel(sets, sets),
    ):
        with pytest.raises(InputError, match="are of the same items"):
            cm.gap(same, "recall")
    with pytest.raises(InputError, match="`interval` allows for that"):
        cm.gap(cm.count_multilabel(sets, sets, along="item"), "recall")
    with pytest.raises(InputError, match="`interval` allows for that"):
        cm.gap(cm.count([1, 0, 1, 0], [1, 0, 1, 1], clusters=[1, 1, 2, 2]), "accuracy")
    with pytest.raises(InputError, match="only 0 has one"):
        cm.gap(groups_of([2, 0], [3, 0]), "accuracy")
    with pytest.raises(MetricError, match="did you mean 'accuracy'"):
        cm.gap(TWO, "acuracy")


def test_groups_of_several_columns_are_named_as_elsewhere() -> None:
    actual, site, sex = [1, 1, 0, 0] * 20, ["n", "n", "s", "s"] * 20, ["f", "m"] * 40
    found = cm.gap(cm.count(actual, actual, by={"site": site, "sex": sex}, positive=1), "accuracy")
    assert "n, f " in str(found)
    assert found.to_csv().splitlines()[0].startswith("site,sex,")
    assert "s, m" in str(found)


@pytest.mark.nightly
@pytest.mark.parametrize("share", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("sizes", [(20, 50, 100, 200, 500, 1000), (20, 20, 20), (20, 1000)])
def test_groups_that_are_alike_are_covered(share: float, sizes: tuple[int, ...]) -> None:
    sets = 150
    found = alike(share, sizes, sets)
    assert min(found["gap"], found["rest"]) >= 0.93 - 2.5 * math.sqrt(0.07 * 0.93 / sets), found
    if len(sizes) == 6:
        # A bootstrap of the gap itself holds none of 0, since hardly a sample has one.
        assert found["bootstrap"] < 0.1, found

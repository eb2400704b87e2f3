"""Samples with a design: values of R's survey package, published maps, and every item added up by hand."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import confmat as cm
from confmat.intervals import Estimate

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "survey_reference.json").read_text("utf-8")
)
# Stehman (2014), "Estimating area and map accuracy for stratified random sampling when the strata
# are different from the map classes", International Journal of Remote Sensing 35, Table 2: stratum,
# class on the map, class in truth.
STRATA = [*"A" * 10, *"B" * 10, *"C" * 10, *"D" * 10]
ON_MAP = [*"A" * 7, *"B" * 3, "A", *"B" * 9, "B", "B", *"C" * 6, "B", "B", *"D" * 10]
TRUTH = [*"AAAAACB", *"ABC", "A", *"BBBBBAABB", *"CC", *"CCCDDB", *"BA", *"DDDDDDD", *"CCB"]
SIZES = {"A": 40_000, "B": 30_000, "C": 20_000, "D": 10_000}


# Its overloads know that some options exclude each other.
twice: Any = cm.count


def of_survey(case: dict[str, Any]) -> cm.Sample:
    if case["kind"] == "probability":
        found: Any = cm.count(case["a"], case["p"], probability=case["pi"])
        return found
    if case["kind"] == "clusters in strata":
        stack = cm.count(
            case["a"], case["p"], weights=case["w"], strata=case["h"], clusters=case["cluster"]
        )
        return stack.standardize()
    sizes = dict(zip(sorted(set(case["h"])), case["N"], strict=True))
    return cm.count(case["a"], case["p"], strata=case["h"]).standardize(sizes, fpc=case["fpc"])


@pytest.mark.parametrize("name", REFERENCE)
def test_scores_and_standard_errors_are_those_of_r_survey(name: str) -> None:
    case, m = REFERENCE[name], of_survey(REFERENCE[name])
    for score in ("accuracy", "recall", "precision", "f1", "prevalence"):
        if score in case:
            found: Any = cm.interval(m, score if score == "accuracy" else f"{score}[1]")
            assert (found.value, found.se) == pytest.approx(case[score], abs=1e-11), score


def test_a_map_whose_strata_are_not_its_classes_has_the_published_figures() -> None:
    m = cm.count(TRUTH, ON_MAP, strata=STRATA).standardize(SIZES, fpc=True)
    published = {
        "accuracy": (0.63, 0.0846),
        "precision[B]": (0.5745, 0.1248),
        "recall[B]": (0.7941, 0.1165),
        "prevalence[A]": (0.35, 0.0822),
        "prevalence[C]": (0.20, 0.0643),
    }
    for score, printed in published.items():
        found: Any = cm.interval(m, score)
        assert (round(found.value, 4), round(found.se, 4)) == printed, score


def se_of(m: cm.ConfusionMatrix, score: str) -> float:
    found = cm.interval(m, score)
    assert isinstance(found, cm.Estimate)
    return found.se


def of_map(rows: list[list[int]], sizes: list[float]) -> cm.Sample:
    """A map from which so many places of each class were visited: rows are classes of the map."""
    strata = {}
    for place, row in enumerate(rows):
        counts = np.zeros((len(rows), len(rows)), int)
        counts[place] = row
        strata[place] = cm.ConfusionMatrix.from_predicted_rows(counts)
    return cm.Stack(strata, axis="stratum").standardize(dict(enumerate(sizes)))


def test_areas_are_those_of_the_published_guides() -> None:
    # Olofsson et al., Remote Sensing of Environment 148 (2014), section 5.
    rows = [[66, 0, 5, 4], [0, 55, 8, 12], [1, 0, 153, 11], [2, 1, 9, 313]]
    m = of_map(rows, [200_000, 150_000, 3_200_000, 6_450_000])
    area, right = cm.areas(m)[0], cm.interval(m, "accuracy")
    assert isinstance(right, cm.Estimate)
    assert (round(area.value), round(1.96 * area.se)) == (235_086, 68_418)
    assert (round(right.value, 3), round(1.96 * right.se, 4)) == (0.947, 0.0185)
    users: Any = cm.interval(m, "precision")
    assert [round(each.value, 2) for each in users] == [0.88, 0.73, 0.93, 0.96]
    assert [round(1.96 * each.se, 2) for each in users] == [0.07, 0.10, 0.04, 0.02]


def test_a_sample_stays_one_where_classes_move() -> None:
    m = cm.count(TRUTH, ON_MAP, strata=STRATA).standardize(SIZES)
    error = se_of(m, "recall[B]")
    same = [
        m.reorder([*"DCBA"]),
        m.relabel({"B": "b"}).relabel({"b": "B"}),
        pickle.loads(pickle.dumps(m)),
        m.T.T,
        m.merge({"other": ["C", "D"]}),
        m.sparse(),
    ]
    for each in same:
        assert isinstance(each, cm.Sample)
        assert se_of(each, "recall[B]") == pytest.approx(error, rel=1e-12)
    assert se_of(m.T, "precision[B]") == pytest.approx(error, rel=1e-12)


def test_a_report_says_how_items_were_drawn() -> None:
    m = cm.count(TRUTH, ON_MAP, strata=STRATA).standardize(SIZES)
    assert "; 40 items in 4 strata" in str(cm.report(m, intervals=True))


def test_where_nothing_varies_an_interval_is_not_a_point() -> None:
    m = cm.count(list("aabb") * 5, list("aabb") * 5, strata=[0, 0, 1, 1] * 5).standardize(
        {0: 90, 1: 10}
    )
    right: Any = cm.interval(m, "accuracy")
    # 10 items of 90 and 10 of 10 weigh as much as 100² / (10 · 9² + 10 · 1²) items do; most of them
    # are the first ten.
    assert 100 / 12 < right.n_eff < 100**2 / 820
    assert (right.value, right.high) == (1, 1)
    assert 0.6 < right.low < 0.9
    assert not right.note


def test_a_stratum_without_an_error_is_not_one_that_cannot_err() -> None:
    """Four fifths of all rest on 15 items, all of them right."""
    truth, stratum = np.array([0, 1] * 22 + [1]), np.repeat([0, 1, 2], 15)
    answers = truth.copy()
    answers[[15, 16, 30, 31, 32, 33]] ^= 1
    m = cm.count(truth, answers, strata=stratum).standardize({0: 8000, 1: 1500, 2: 500})
    found: Any = cm.interval(m, "accuracy")
    # Wilson's bound of 15 items of 15, times their share, and what the others have right.
    fifteen = 15 / (15 + stats.norm.ppf(0.975) ** 2)
    assert found.low == pytest.approx(0.8 * fifteen + 0.15 * 13 / 15 + 0.05 * 11 / 15, abs=0.05)
    # The error is that of the design.
    shares, right = np.array([0.8, 0.15, 0.05]), np.array([15, 13, 11]) / 15
    assert found.se == pytest.approx(np.sqrt((shares**2 * right * (1 - right) / 14).sum()))


def test_the_next_item_of_a_stratum_has_the_prediction_that_it_was_drawn_by() -> None:
    """Nothing in the stratum of what was not flagged is flagged, so it says nothing of the precision of flags."""
    strata = {
        "flagged": cm.ConfusionMatrix([[16, 0], [4, 0]]),
        "other": cm.ConfusionMatrix([[0, 1], [0, 39]]),
    }
    m = cm.Stack(strata, axis="stratum").standardize({"flagged": 2_000, "other": 98_000})
    found = cm.interval(m, "precision[0]")
    assert isinstance(found, Estimate)
    alone = cm.interval(strata["flagged"], "precision[0]")
    assert isinstance(alone, Estimate)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.05)


@pytest.mark.parametrize("how", [{}, {"clusters": np.arange(40) // 2}])
def test_strata_are_no_clusters(how: Any) -> None:
    stack = cm.count(TRUTH, ON_MAP, strata=STRATA, **how)
    for ask in (
        lambda: cm.interval(stack, "accuracy"),
        lambda: cm.compare({"a": stack, "b": stack}),
    ):
        with pytest.raises(cm.InputError, match=r"drawn each by itself.*standardize"):
            ask()
    assert cm.interval(stack.standardize(), "accuracy") is not None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda stack: stack.standardize({"A": 1}), "there is none for 'B', 'C', 'D'"),
        (lambda stack: stack.standardize([1, 2, 3, 4]), "is a mapping of stratum"),
        (lambda stack: stack.standardize({**SIZES, "A": -1}), "are numbers of items"),
        (
            lambda stack: stack.standardize(dict.fromkeys("ABCD", 0.25), fpc=True),
            "number of items in each stratum",
        ),
        (
            lambda stack: stack.standardize(SIZES) + stack.standardize(SIZES),
            "put their strata into one stack",
        ),
        (lambda stack: stack.standardize(SIZES).to_dict(), "confmat.save(stack"),
        (
            lambda stack: cm.interval(stack.standardize(SIZES), "accuracy", method="bootstrap"),
            "says itself how",
        ),
        (
            lambda stack: cm.Stack({"A": stack["A"], "B": cm.count(["B"], ["B"])}).standardize(),
            "a single drawn item",
        ),
        (lambda _: twice(TRUTH, ON_MAP, strata=STRATA, by=STRATA), "each group by itself"),
        (lambda _: cm.count(TRUTH, ON_MAP, probability=[0.0] * 40), "above 0 and up to 1"),
        (lambda _: cm.count(iter(TRUTH), ON_MAP, probability=[0.5] * 40), "read twice"),
        (lambda stack: cm.areas(stack.sum()), "reads a sample"),
    ],
)
def test_what_makes_no_sample_is_refused(call: Any, words: str) -> None:
    with pytest.raises(cm.ConfmatError, match=words.replace("(", r"\(")):
        call(cm.count(TRUTH, ON_MAP, strata=STRATA))


def test_the_sizes_of_strata_may_be_another_stack() -> None:
    stack = cm.count(TRUTH, ON_MAP, strata=STRATA)
    traffic = cm.count([*"AB" * 500], [*"AB" * 500], strata=[*"AABBCCDDDD" * 100])
    sizes = {"A": 200, "B": 200, "C": 200, "D": 400}
    assert stack.standardize(traffic) == stack.standardize(sizes)
    assert se_of(stack.standardize(traffic), "kappa") == se_of(stack.standardize(sizes), "kappa")


def test_models_are_compared_on_the_whole() -> None:
    rng = np.random.default_rng(3)
    models = {"old": ON_MAP, "new": np.where(rng.random(40) < 0.3, TRUTH, ON_MAP)}
    found = cm.compare_predictions(
        TRUTH, models, strata=STRATA, sizes=SIZES, fpc=True, metrics=["accuracy", "f1.macro"]
    )
    old, new = (np.asarray(TRUTH) == each for each in models.values())
    gained = new.astype(float) - old
    mean = variance = 0.0
    for key, size in SIZES.items():
        part = gained[np.array(STRATA) == key]
        mean += size / 100_000 * part.mean()
        variance += (size / 100_000) ** 2 * (1 - 10 / size) * part.var(ddof=1) / 10
    difference = found.of("accuracy")
    assert difference.difference == pytest.approx(mean)
    assert difference.se == pytest.approx(math.sqrt(variance))
    with pytest.raises(cm.InputError, match="are those of `strata`"):
        cm.compare_predictions(TRUTH, models, sizes=SIZES)


@pytest.mark.parametrize("weights", [[2] * 40, [2.5] * 40])
def test_items_of_strata_are_not_their_weights_whole_ones_neither(weights: Any) -> None:
    stack = cm.count(TRUTH, ON_MAP, strata=STRATA, weights=weights)
    with pytest.raises(cm.InputError, match=r"these hold weights.*`tally`.*`clusters`"):
        stack.standardize(SIZES)
    with pytest.raises(cm.InputError, match="these hold weights"):
        cm.compare_predictions(
            TRUTH, {"a": ON_MAP, "b": TRUTH}, strata=STRATA, sizes=SIZES, weights=weights
        )
    # A weight of 1 is an item, and as clusters of one item each they are drawn as R's survey has it.
    plain = cm.count(TRUTH, ON_MAP, strata=STRATA)
    ones = cm.count(TRUTH, ON_MAP, strata=STRATA, weights=[1] * 40)
    alone = cm.count(TRUTH, ON_MAP, strata=STRATA, weights=weights, clusters=range(40))
    for each in (ones, alone):
        assert se_of(each.standardize(SIZES), "recall[B]") == pytest.approx(
            se_of(plain.standardize(SIZES), "recall[B]"), rel=1e-12
        )


def test_chances_are_called_unequal_where_they_are() -> None:
    for chances, words in (([0.5] * 40, "40 items"), ([0.5, 0.4] * 20, "unequal chances")):
        found: Any = cm.interval(cm.count(TRUTH, ON_MAP, probability=chances), "accuracy")
        assert found.design.endswith(words)


def test_clusters_of_one_stratum_are_drawn_alike() -> None:
    pairs = [place // 2 for place in range(40)]
    stack = cm.count(TRUTH, ON_MAP, strata=["s"] * 40, clusters=pairs)
    found: Any = cm.interval(stack.standardize({"s": 1000}), "accuracy")
    assert found.design == "20 clusters"


def test_a_stratum_whose_size_is_nothing_changes_nothing() -> None:
    kept = [place for place, name in enumerate(STRATA) if name != "D"]
    truth, answers, strata = ([side[place] for place in kept] for side in (TRUTH, ON_MAP, STRATA))
    without = cm.count(truth, answers, strata=strata, labels=[*"ABCD"])
    sizes = {name: size for name, size in SIZES.items() if name != "D"}
    for score in ("accuracy", "recall[B]"):
        ends: Any = tuple(cm.interval(without.standardize(sizes), score))
        nothing = cm.count(TRUTH, ON_MAP, strata=STRATA).standardize(sizes | {"D": 0})
        found: Any = cm.interval(nothing, score)
        assert 0 < found.low < found.high < 1
        assert tuple(found) == pytest.approx(ends, rel=1e-12)


def test_nothing_is_in_doubt_where_all_items_were_drawn() -> None:
    m = cm.count(TRUTH, ON_MAP, strata=STRATA).standardize(
        {name: STRATA.count(name) for name in set(STRATA)}, fpc=True
    )
    for score in ("accuracy", "f1.macro", "precision"):
        found: Any = cm.interval(m, score)
        assert np.array_equal(found.low, found.value)
        assert np.array_equal(found.high, found.value)

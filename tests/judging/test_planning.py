"""Plans of what to check: the best chances by brute force, draws by counting, worlds that say what a plan is worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from tests.judging.test_judged import world


def pilot(seed: int, n: int = 3_000, classes: int = 3, checked: int = 100) -> tuple[Any, ...]:
    truth, judge, model, gold = world(seed, n, classes, checked)
    found: Any = cm.judged(judge, model, gold=gold, labels=list(range(classes)))
    return truth, judge, model, gold, found


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["accuracy", "f1.macro", "kappa", "recall[0]", "mcc"]),
)
def test_no_other_chances_of_as_many_items_say_more(seed: int, score: str) -> None:
    found = pilot(seed)[-1]
    now: Any = cm.interval(found, score)
    plan = found.gold_needed(score, width=0.8 * now.width)
    error, total = plan._ends[1:]
    inside = (plan.chance > plan.chance.min() * 1.01) & (plan.chance < 1)
    rng = np.random.default_rng(seed)
    for _ in range(20):
        moved = plan.chance * np.where(inside, rng.uniform(0.8, 1.25, len(inside)), 1.0)
        free = (plan.items - plan.checked)[inside]
        moved[inside] *= (free * plan.chance[inside]).sum() / max(
            (free * moved[inside]).sum(), 1e-12
        )
        other = replace(plan, chance=np.minimum(moved, 1.0))._ends
        assert other[2] <= total * (1 + 1e-9)
        # Rows differ a little in how many of their items were checked before.
        assert other[1] >= error * (1 - 2e-3)


@pytest.mark.slow
def test_items_are_drawn_with_their_chances() -> None:
    _, judge, model, gold, found = pilot(1)
    plan = found.gold_needed("accuracy", width=0.06)
    place = np.searchsorted(np.ravel_multi_index(plan.sides, (3, 3)), judge * 3 + model)
    often = np.zeros(len(judge))
    for seed in range(300):
        drawn = plan.draw(judge, model, gold=gold, seed=seed)
        assert np.isnan(gold[drawn]).all()
        assert abs(len(drawn) - plan.more) <= 1
        assert (np.abs(np.bincount(place[drawn], minlength=9) - plan._next) < 1 + 1e-9).all()
        often[drawn] += 1 / 300
    free = np.isnan(gold)
    for each in range(9):
        assert often[free & (place == each)].mean() == pytest.approx(plan.chance[each], abs=0.01)
    # Both draws together stand for all items, but for a common factor.
    chances = plan.chances(judge, model, gold=gold)
    share, drawn = plan._ends[0], plan.draw(judge, model, gold=gold)
    earlier, later = (1 / chances[~free]).sum(), (1 / chances[drawn]).sum()
    assert later / earlier == pytest.approx(
        (1 - share) * 2_900 / (share * 3_000 + (1 - share) * 100), rel=0.05
    )


def test_a_row_that_was_never_checked_varies_as_others_do() -> None:
    found = pilot(2, 3_000, 4, 40)[-1]
    plan = found.gold_needed("accuracy", width=0.1)
    unseen = plan.checked == 0
    assert unseen.any()
    assert (plan.square[unseen] > 0).all()
    assert (plan.chance > 0).all()
    assert "rows was checked" in str(plan)


def test_a_guess_plans_and_knows_nothing() -> None:
    truth, judge, model, _ = world(3, 5_000, 3, 10)
    same = judge == model
    right = float((judge == truth)[same].mean()), float((judge == truth)[~same].mean())
    guess: Any = cm.judged(judge, model, judge_right=right)
    assert cm.score(guess, "accuracy") == pytest.approx(np.mean(truth == model), abs=0.05)
    estimate: Any = cm.interval(guess, "accuracy")
    assert (estimate.low, estimate.high) == (0, 1)
    assert "Nothing was checked" in str(guess)
    assert np.isinf(guess.variances(np.array([0, 1]), np.array([1, 0]))).all()
    plan = guess.gold_needed("accuracy", width=0.06)
    drawn = plan.draw(judge, model)
    assert len(drawn) == pytest.approx(plan.total, abs=1)
    gold = np.where(np.isin(np.arange(5_000), drawn), truth, np.nan)
    found: Any = cm.interval(
        cm.judged(judge, model, gold=gold, probability=plan.chances(judge, model)), "accuracy"
    )
    assert found.width == pytest.approx(0.06, rel=0.15)
    # The worse the judge, the more has to be checked.
    assert (
        cm.judged(judge, model, judge_right=0.7).gold_needed("accuracy", width=0.06).total
        > plan.total
    )


def test_decisions_take_more_the_nearer_they_are() -> None:
    found = pilot(4)[-1]
    value = cm.score(found, "accuracy")
    near, far = (found.gold_needed("accuracy", bar=value - gap) for gap in (0.035, 0.06))
    assert near.total > far.total
    assert near._ends[1] < far._ends[1]
    assert found.gold_needed("accuracy", bar=value - 0.06, power=0.95).total > far.total


def test_two_models_are_told_apart() -> None:
    reached: list[float] = []
    alike: list[float] = []
    for seed in range(9):
        truth, judge, model, gold = world(seed, 4_000, 3, 150)
        better = np.where(np.random.default_rng(seed).random(4_000) < 0.2, truth, model)
        models = {"old": model, "new": better}
        first: Any = cm.judged(judge, models, gold=gold, metrics=["accuracy"])
        back = first.pairings["new", "old"].gold_needed("accuracy", width=0.02)
        plan = first.pairings["old", "new"].gold_needed("accuracy", width=0.02)
        drawn = plan.draw(judge, model, better, gold=gold)
        chances = plan.chances(judge, model, better, gold=gold)
        gold[drawn] = truth[drawn]
        then: Any = cm.judged(judge, models, gold=gold, probability=chances, metrics=["accuracy"])
        reached.append(then.of("accuracy").high - then.of("accuracy").low)
        alike.append(plan.alike / plan.total)
        assert back.total == plan.total
        assert back.goal.startswith("accuracy -") != plan.goal.startswith("accuracy -")
    assert np.median(reached) == pytest.approx(0.02, rel=0.15)
    # Where models answer alike nothing can be learnt of their difference.
    assert np.median(alike) > 2


REFUSED = [
    ({}, "needs `width`"),
    ({"width": -1}, "above 0"),
    ({"bar": 1.5}, "accuracy is from 0 to 1, so `bar`"),
    ({"width": 1e-3}, "checking all 3,000 items is not enough"),
    ({"score": "recall", "width": 0.1}, "recall.macro"),
]
ALSO_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({}, "say judge_right"),
    ({"judge_right": 1.0}, "between 0 and 1"),
    ({"predicted": {"a": [0, 1], "b": [0, 1]}, "judge_right": 0.9}, "of one model"),
]


@pytest.mark.parametrize(("wishes", "says"), REFUSED, ids=map(str, range(len(REFUSED))))
def test_wishes_that_no_plan_serves(wishes: Any, says: str) -> None:
    with pytest.raises(cm.ConfmatError, match=says):
        pilot(6)[-1].gold_needed(**{"score": "accuracy", **wishes})


@pytest.mark.parametrize(("options", "says"), ALSO_REFUSED, ids=map(str, range(len(ALSO_REFUSED))))
def test_a_guess_takes_the_place_of_gold(options: Any, says: str) -> None:
    with pytest.raises(cm.InputError, match=says):
        cm.judged([0, 1], **{"predicted": [0, 1], **options})


def test_a_plan_is_of_the_items_that_it_was_made_from() -> None:
    _, judge, model, gold, found = pilot(6)
    plan = found.gold_needed("accuracy", width=0.06)
    with pytest.raises(cm.InputError, match="by judge, predicted"):
        plan.draw(judge, gold=gold)
    one = int(np.flatnonzero([each is None or each != each for each in gold])[0])
    shorter, rest = (
        (np.delete(judge, one), np.delete(model, one)),
        np.delete(np.array(gold, object), one),
    )
    others = (
        ((judge, model), None),
        ((model, judge), gold),
        ((judge[1:], model[1:]), gold),
        (shorter, rest),
    )
    for columns, known in others:
        with pytest.raises(cm.InputError, match="not the items that were planned from"):
            plan.chances(*columns, gold=known)


def test_no_plan_of_items_with_the_truth_is_one_of_checks() -> None:
    with pytest.raises(cm.InputError, match="gold_needed"):
        cm.items_needed(pilot(8)[-1], "accuracy", width=0.1)


def test_items_with_chances_of_their_own_plan_no_others() -> None:
    _, judge, model, gold, _ = pilot(7)
    found: Any = cm.judged(judge, model, gold=gold, probability=np.linspace(0.01, 0.06, 3_000))
    with pytest.raises(cm.InputError, match="plan no others"):
        found.gold_needed("accuracy", width=0.05)

"""Several differences at once: one critical value for their p-values and intervals, against published tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import confmat as cm
from confmat.comparison import Comparison, compare, compare_predictions
from confmat.comparison.families import Family, correlation_of, stepped

Array = NDArray[Any]


def answers(
    seed: int, n: int, models: int, k: int = 3, shared: float = 0.5
) -> tuple[Array, dict[str, Array]]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, k, n)
    base = np.where(rng.random(n) < 0.7, actual, rng.integers(0, k, n))
    own = [np.where(rng.random(n) < 0.7, actual, rng.integers(0, k, n)) for _ in range(models)]
    return actual, {
        f"m{i}": np.where(rng.random(n) < shared, base, each) for i, each in enumerate(own)
    }


def reach(family: Family) -> float:
    return float(stats.norm.isf(family.critical(0.05) / 2))


@pytest.mark.parametrize(("size", "printed"), [(2, 2.21), (3, 2.35), (5, 2.51), (9, 2.69)])
def test_dunnetts_critical_values(size: int, printed: float) -> None:
    # Two-sided, without end of degrees of freedom: Dunnett (1964).
    table = np.full((size, size), 0.5)
    np.fill_diagonal(table, 1)
    assert reach(Family(size, table)) == pytest.approx(printed, abs=0.012)


@pytest.mark.parametrize(("models", "printed"), [(3, 3.314), (4, 3.633), (10, 4.474)])
def test_tukeys_critical_values(models: int, printed: float) -> None:
    # The upper points of the studentized range of as many means, each as sure as the others.
    pairs = [(i, j, 0) for i in range(models) for j in range(i + 1, models)]
    table = correlation_of(pairs, np.eye(models).reshape(models, 1, models, 1))
    assert reach(Family(len(pairs), table)) == pytest.approx(printed / math.sqrt(2), abs=0.012)


def test_differences_that_share_a_model_are_correlated_by_its_sign() -> None:
    # (b - a) and (c - a) share -a; (b - a) and (c - b) share b with either sign.
    independent = np.eye(3).reshape(3, 1, 3, 1)
    assert correlation_of([(0, 1, 0), (0, 2, 0)], independent) == pytest.approx(
        np.array([[1, 1 / 2], [1 / 2, 1]])
    )
    assert correlation_of([(0, 1, 0), (1, 2, 0)], independent) == pytest.approx(
        np.array([[1, -1 / 2], [-1 / 2, 1]])
    )


@pytest.mark.parametrize("p", [1e-12, 1e-4, 0.01, 0.05, 0.3, 0.9])
def test_what_is_independent_and_what_is_one_and_the_same(p: float) -> None:
    assert Family(6, np.eye(6)).chance(p) == pytest.approx(1 - (1 - p) ** 6, rel=0.03)
    assert Family(6).chance(p) == pytest.approx(-math.expm1(6 * math.log1p(-p)), rel=1e-12)
    assert Family(6, np.ones((6, 6))).chance(p) == pytest.approx(p, rel=1e-6)


def all_agree(found: Comparison) -> None:
    for each in [*found.differences, *found.classes("recall", found.models[0], found.models[1])]:
        assert each.adjusted >= each.p_value
        # The end of a difference that a later step shows is 0, which does not belong to it.
        assert (
            (each.verdict == "different")
            == (each.adjusted < 0.05)
            == (not each.low < 0 < each.high)
        )
        assert each.low or each.high


@pytest.mark.parametrize("seed", range(4))
def test_adjusted_values_and_intervals_agree(seed: int) -> None:
    actual, models = answers(seed, 80, 4)
    models["m0"] = np.where(np.arange(80) % 3 == 0, actual, models["m0"])
    # Items are drawn again for a score without a derivative, which takes its time.
    more = ["lambda_reference"] if seed == 0 else []
    for adjust in ("max-t", "joint"):
        scores = ["accuracy", "recall[0]", "f1.macro", *more]
        all_agree(compare_predictions(actual, models, metrics=scores, adjust=adjust))
    cluster = np.arange(80) // 2
    stacks = {name: cm.count(actual, each, clusters=cluster) for name, each in models.items()}
    for same in (True, False):
        all_agree(compare(stacks, metrics=["f1.macro", "mcc"], same_items=same))


def test_what_is_shown_leaves_the_family_and_the_rest_is_sharper() -> None:
    p = np.array([1e-9, 0.015, 0.02, 0.6])
    found = stepped(p, None, 0.05)
    # Critical among four: 1 - .95^(1/4) = .0127; of the three left .0170, and of the two left
    # .0253.
    assert found == pytest.approx([4e-9, 1 - 0.985**3, 1 - 0.985**3, 0.6])
    assert (found < 0.05).tolist() == [True, True, True, False]
    # Many that are one and the same are no family.
    assert stepped(p, np.ones((4, 4)), 0.05) == pytest.approx([1e-9, 0.015, 0.02, 0.6], rel=1e-6)


def test_the_near_end_of_what_a_later_step_shows_is_nothing() -> None:
    wrong = {"a": range(6), "b": range(100, 116), "c": range(200, 320)}
    models = {
        name: np.isin(np.arange(400), [*places]).astype(int) for name, places in wrong.items()
    }
    found = compare_predictions(np.zeros(400, int), models, metrics=["accuracy"])
    gap = found.of("accuracy", "a", "b")
    # Beside c it is one of three; c is shown to be worse than both, and then it stands alone.
    assert 0.03 < gap.p_value == found.differences[0].adjusted < 0.05
    assert (found.differences[0].verdict, found.differences[0].high) == ("different", 0)
    alone = compare_predictions(
        np.zeros(400, int), models, metrics=["accuracy"], adjust="none"
    ).differences[0]
    assert found.differences[0].low < alone.low < alone.high < 0
    assert (found.ranking().tier, found.ranking().models) == ((1, 2, 3), ("a", "b", "c"))


def test_scores_that_say_the_same_are_one() -> None:
    actual, models = answers(1, 200, 2)
    found = compare_predictions(
        actual, models, metrics=["accuracy", "error_rate", "f1.micro"], adjust="joint"
    )
    for each in found.differences:
        assert each.adjusted == pytest.approx(each.p_value, rel=1e-6)
    alone = compare_predictions(actual, models, metrics=["accuracy"]).differences[0]
    assert (alone.low, alone.high) == pytest.approx(
        (found.differences[0].low, found.differences[0].high), rel=1e-4
    )


def test_holm_and_none_are_there_by_name() -> None:
    actual, models = answers(2, 200, 3)
    none = compare_predictions(actual, models, metrics=["mcc"], adjust="none")
    by_holm = compare_predictions(actual, models, metrics=["mcc"], adjust="holm")
    together = compare_predictions(actual, models, metrics=["mcc"])
    for one, other, wide in zip(
        none.differences, by_holm.differences, together.differences, strict=True
    ):
        assert (one.low, one.high) == (other.low, other.high)
        assert one.adjusted == one.p_value
        assert wide.low < one.low < one.high < wide.high
    assert max(one.adjusted for one in together.classes("recall", "m0", "m1")) > 0
    assert not any("adjusted" in note for note in none.notes)
    with pytest.raises(
        cm.InputError, match="`adjust` must be one of 'max-t', 'joint', 'holm', 'none'"
    ):
        compare_predictions(actual, models, adjust="bonferroni")  # type: ignore[call-overload]


def test_unknown_correlations_are_bounded() -> None:
    actual, models = answers(3, 300, 3)
    matrices = {name: cm.count(actual, each) for name, each in models.items()}
    for each in compare(matrices, metrics=["accuracy", "mcc"]).differences:
        assert (
            each.adjusted == pytest.approx(-math.expm1(3 * math.log1p(-each.p_high)), abs=1e-9)
            or each.p_high == 1
        )


def test_the_note_names_the_bound_that_was_used() -> None:
    actual, models = answers(4, 120, 21, shared=0.2)
    three = {name: models[name] for name in ("m0", "m1", "m2")}

    def note(found: Comparison) -> str:
        return next(one for one in found.notes if "adjusted" in one)

    assert note(compare_predictions(actual, three, metrics=["accuracy"])).endswith(
        "score by score (max-t)."
    )
    assert note(compare_predictions(actual, models, metrics=["accuracy"])).endswith(
        "score by score (Sidak)."
    )
    # A score without a derivative is correlated with nothing that is known.
    both = compare_predictions(actual, three, metrics=["accuracy", "quantity_disagreement"])
    assert note(both).endswith("(max-t: accuracy; Sidak: quantity_disagreement).")


@pytest.mark.nightly
@pytest.mark.parametrize(("k", "n", "models"), [(20, 200, 2), (5, 100, 2), (5, 150, 4)])
def test_a_family_errs_as_rarely_as_it_says(k: int, n: int, models: int) -> None:
    wrong = dict.fromkeys(["classes", "pairs"], 0)
    rounds = 150
    for seed in range(rounds):
        actual, each = answers(seed, n, models, k, shared=0)
        found = compare_predictions(actual, each, metrics=["f1.macro"], labels=range(k))
        wrong["pairs"] += any(one.verdict == "different" for one in found.differences)
        wrong["classes"] += any(
            one.verdict == "different" for one in found.classes("recall", "m0", "m1")
        )
    # .06, and four standard errors more.
    assert max(wrong.values()) / rounds < 0.06 + 4 * 0.0194

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm


def planted() -> cm.ConfusionMatrix:
    """Fifty classes with errors everywhere, and two pairs that are confused."""
    table = np.full((50, 50), 1) + np.diag([99] * 50)
    table[3, 17], table[40, 8] = 60, 35
    return cm.ConfusionMatrix(table, [f"class {i:02}" for i in range(50)])


def test_the_foremost_confusion_is_named_everywhere() -> None:
    m = planted()
    said = cm.summary(m)
    assert "class 03 is taken for class 17 most: 60 items; 1 more confusion is shown." in said
    for surface in (cm.html(m), m._repr_html_(), cm.view(m).alt):
        assert said in str(surface)


def test_a_class_that_is_never_answered() -> None:
    m = cm.ConfusionMatrix([[90, 10, 0], [8, 92, 0], [20, 20, 0]], ["Cow", "Horse", "Donkey"])
    assert "It never answers Donkey." in cm.summary(m)
    few = cm.ConfusionMatrix([[90, 10, 0], [8, 92, 0], [1, 0, 0]], ["Cow", "Horse", "Donkey"])
    assert "Donkey" not in cm.summary(few)


def models(seed: int, *, fixes: bool) -> Any:
    rng = np.random.default_rng(seed)
    actual = rng.choice([f"animal {i}" for i in range(10)], 3000)
    old = np.where(rng.random(3000) < 0.8, actual, rng.choice(actual, 3000))
    wrong = (actual == "animal 3") & (old != actual) & (rng.random(3000) < 0.7)
    new = (
        np.where(wrong, actual, old)
        if fixes
        else np.where(rng.random(3000) < 0.98, old, rng.permutation(old))
    )
    return actual, {"A": old, "B": new}


def test_one_class_of_ten_improved() -> None:
    actual, answers = models(0, fixes=True)
    found = cm.compare_predictions(actual, answers)
    fixed = int(((answers["A"] != actual) & (answers["B"] == actual)).sum())
    assert cm.summary(found).endswith(
        f"B fixes {fixed} of animal 3 and breaks nothing that can be shown."
    )


def test_sites_that_are_alike() -> None:
    actual, answers = models(1, fixes=True)
    stack = cm.count(actual, answers["A"], by=np.arange(3000) % 6).along("site")
    assert cm.summary(stack) == "6 sites: no difference of right answers is shown."


@pytest.mark.parametrize(
    ("m", "said"),
    [
        (cm.ConfusionMatrix(np.zeros((3, 3), dtype=int)), "Nothing was counted."),
        (
            cm.ConfusionMatrix([[40, 10], [3, 47]], cm.Labels(["ill", "well"], positive="ill")),
            "80.0% of ill found",
        ),
        (
            cm.ConfusionMatrix([[990, 0], [10, 0]]),
            "not shown to be more than one answer to everything",
        ),
        (
            cm.ConfusionMatrix([[940, 45, 15], [12, 380, 8], [3, 5, 92]], ["ham", "spam", "fraud"]),
            "Most often, ham is taken",
        ),
    ],
)
def test_small_matrices(m: Any, said: str) -> None:
    assert said in cm.summary(m)


def test_says_what_it_takes() -> None:
    with pytest.raises(cm.InputError, match="`summary` takes a ConfusionMatrix"):
        cm.summary([[1, 2], [3, 4]])


def three(seed: int, names: str = "abc") -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, 3, 900)
    shares = dict(zip(names, (0.5, 0.9, 0.9), strict=True))
    return actual, {
        name: np.where(rng.random(900) < share, actual, rng.integers(0, 3, 900))
        for name, share in shares.items()
    }


def test_categories_and_rankings_have_their_sentences() -> None:
    actual, answers = three(0)
    by = np.where(np.arange(900) % 2, "x", "y")
    found = cm.compare_predictions(actual, answers, by=by)
    alone = {
        name: cm.compare_predictions(actual[by == name], answers_in(answers, by == name))
        for name in "xy"
    }
    firsts = [f"{name}: {cm.summary(one).split('.')[0]}" for name, one in alone.items()]
    assert [part in cm.summary(found) for part in firsts] == [True, True]
    ranking = cm.compare_predictions(actual, answers).ranking()
    assert set(ranking.top) == {"b", "c"}
    assert cm.summary(ranking).startswith("3 models by accuracy: none is shown to be better than ")
    with pytest.raises(cm.InputError, match="one comparison; take that of a category"):
        cm.html(found)
    assert "<h1>Ranking</h1>" in cm.html(ranking)


def answers_in(answers: dict[str, Any], which: Any) -> dict[str, Any]:
    return {name: one[which] for name, one in answers.items()}


def test_the_last_of_several_that_are_better_is_named() -> None:
    """An order of names that a hash gives would be another one in each run."""
    for names in ("abc", "xyz", "pqr", "klm"):
        assert f"{names[2]} has more than {names[0]}." in cm.summary(
            cm.compare_predictions(*three(0, names))
        )


def test_names_from_right_to_left_keep_to_themselves() -> None:
    """Without marks, the number behind a name would stand before it."""
    m = cm.ConfusionMatrix(
        [[60, 30, 0, 1], [1, 90, 1, 0], [0, 1, 80, 1], [1, 0, 1, 70]], ["קט", "כלב", "a", "b"]
    )
    assert cm.summary(m).endswith("\u2068קט\u2069 is taken for \u2068כלב\u2069: 30 items.")


def test_noise_is_given_no_name() -> None:
    rng = np.random.default_rng(0)
    named = 0
    for _ in range(100):
        actual = rng.integers(0, 10, 1000)
        predicted = np.where(rng.random(1000) < 0.7, actual, rng.integers(0, 10, 1000))
        named += "class" in cm.summary(cm.count(actual, predicted)).replace("pair of classes", "")
    assert named <= 100 * 0.05 + 7

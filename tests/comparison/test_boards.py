"""Boards: the answers of many models at once say what each pair says by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri

import confmat as cm
from confmat.comparison import door
from confmat.comparison.boards import Board

SCORES = [
    "accuracy",
    "error_rate",
    "recall[b]",
    "specificity[b]",
    "precision[b]",
    "f1[b]",
    "f1.macro",
    "mcc",
    "f1.weighted",
]


def answers(n: int = 400, models: int = 6) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    actual, guess = rng.choice(list("abc"), (2, n), p=[0.5, 0.3, 0.2])
    easy = rng.random(n)
    rates = np.linspace(0.5, 0.95, models)
    each = {
        f"m{i}": np.where((easy + rng.random(n)) / 2 < rate, actual, guess)
        for i, rate in enumerate(rates)
    }
    return actual, each | {
        "copy": each["m1"],
        "near": np.where(np.arange(n) < 3, actual, each["m1"]),
    }


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compare pair by pair, and as a board."""

    def compare(*args: Any, **options: Any) -> Any:
        found = []
        for many in (20, 2):
            monkeypatch.setattr(door, "MANY", many)
            found.append(cm.compare_predictions(*args, **options))
        assert isinstance(found[1].pairings, Board)
        assert not isinstance(found[0].pairings, Board)
        return found

    return compare


def test_shares_of_the_same_items_are_the_same_and_other_scores_nearly(both: Any) -> None:
    pairs, board = both(*answers(), metrics=SCORES, adjust="none")
    for one, other in zip(pairs.differences, board.differences, strict=True):
        assert (one.score, one.first, one.second) == (other.score, other.first, other.second)
        assert other.difference == pytest.approx(one.difference, abs=1e-12)
        if one.test.startswith("McNemar"):
            assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
            assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)
            assert other.discordant == one.discordant
        else:
            assert other.se == pytest.approx(one.se, rel=1e-6, abs=1e-12)
            assert other.moving == one.moving
            assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.1)
            # By the slopes of both models, and not by that between them.
            z, same = (-ndtri(max(p, 1e-12) / 2) for p in (other.p_value, one.p_value))
            assert z == pytest.approx(same, rel=0.1, abs=0.02)


def test_tests_of_all_models_and_pairs_that_are_named_are_there(both: Any) -> None:
    pairs, board = both(*answers(), metrics=["accuracy", "f1.macro"])
    assert board.overall["accuracy"].statistic == pytest.approx(pairs.overall["accuracy"].statistic)
    assert board.cells(first="m0", second="m3") == pairs.cells(first="m0", second="m3")
    changes = [found.answers(None, "m0", "m3") for found in (pairs, board)]
    assert sorted(map(str, changes[0])) == sorted(map(str, changes[1]))
    for one, other in zip(
        *(found.classes("f1", "m0", "m3") for found in (pairs, board)), strict=True
    ):
        assert (one.score, one.adjusted) == (other.score, pytest.approx(other.adjusted))
    assert board.of("accuracy", "m0", "m3").p_value == pairs.of("accuracy", "m0", "m3").p_value
    assert board.ranking(one="m2").of("m2").low >= board.ranking().of("m2").low
    known = board.pairings
    assert len(known) == len([*known]) == 8 * 7
    assert ("m0", "nobody") not in known


@pytest.mark.parametrize("missing", ["collect", "error"])
def test_answers_are_read_as_they_are_counted(both: Any, missing: Any) -> None:
    actual, models = answers(120, 3)
    if missing == "collect":
        models["m0"] = [
            None if place % 7 == 0 else label for place, label in enumerate(models["m0"])
        ]
    models["m2"] = [f" {label.upper()}." for label in models["m2"]]
    options = {
        "missing": missing,
        "answers": cm.Answers(list("abc")),
        "metrics": ["accuracy", "f1.macro"],
    }
    pairs, board = both(actual, models, **options)
    for names, known in board.pairings.items():
        other = pairs.pairings[names]
        keys = [
            sorted(
                zip(
                    *(part.tolist() for part in (p.actual, p.first, p.second, p.counts)),
                    strict=True,
                )
            )
            for p in (known, other)
        ]
        assert keys[0] == keys[1]


def test_scores_without_a_derivative_and_left_out_items_go_pair_by_pair(
    both: Any, monkeypatch: Any
) -> None:
    actual, models = answers(60, 2)
    pairs, board = both(actual, models, metrics=["lambda_reference"])
    assert [one.p_value for one in board.differences] == [one.p_value for one in pairs.differences]
    monkeypatch.setattr(door, "MANY", 2)
    gaps = [None, *models["m0"][1:]]
    found = cm.compare_predictions(
        [None, *actual[1:]], models | {"m0": gaps}, missing="drop", metrics=["accuracy"]
    )
    assert not isinstance(found.pairings, Board)


@pytest.mark.filterwarnings("ignore:60 of 60 answers unread")
def test_a_model_that_is_mostly_unread_has_no_rank(both: Any) -> None:
    actual, models = answers(60, 3)
    models["m1"] = ["?" for _ in actual]
    _, board = both(
        actual, models, metrics=["accuracy"], answers=cm.Answers(list("abc")), other="collect"
    )
    assert board.ranking().unranked == ("m1",)

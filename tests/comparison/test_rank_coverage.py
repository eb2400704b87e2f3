"""How often rank intervals hold the ranks of all models at once, where most of them tie and answer alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import confmat as cm

Array = Any


def drawn(rng: Any, skills: Array, items: int, alike: float) -> Array:
    """Right or wrong by model and item: an item is as hard for all models as `alike` says."""
    from scipy.special import ndtri

    hard = rng.standard_normal(items)
    own = rng.standard_normal((len(skills), items))
    return math.sqrt(alike) * hard + math.sqrt(1 - alike) * own < ndtri(skills)[:, None]


def true_ranks(skills: Array) -> tuple[Array, Array]:
    better = skills[:, None] > skills + 1e-9
    return 1 + better.sum(axis=0), len(skills) - better.sum(axis=1)


def held(ranking: Any, skills: Array) -> bool:
    """Whether each model may have all ranks that its skill gives it, and no tier parts models that tie."""
    low, high = true_ranks(skills)
    ranks = [ranking.of(f"m{place}") for place in range(len(skills))]
    parted = any(
        ranks[i].tier != ranks[j].tier
        for i, j in zip(*np.nonzero(np.triu(skills[:, None] == skills, 1)), strict=True)
    )
    return not parted and all(
        one.low <= a and b <= one.high for one, a, b in zip(ranks, low, high, strict=True)
    )


def share(rounds: int, skills: Array, items: int, alike: float) -> float:
    rng, good = np.random.default_rng(len(skills) * items), 0
    for _ in range(rounds):
        right = drawn(rng, skills, items, alike)
        truth = rng.integers(0, 3, items)
        answers = {
            f"m{place}": np.where(each, truth, (truth + 1) % 3) for place, each in enumerate(right)
        }
        found = cm.compare_predictions(truth, answers, metrics=["accuracy"])
        good += held(found.ranking(), skills)
    return good / rounds


def tied(models: int, groups: int) -> Array:
    return np.sort(np.linspace(0.5, 0.8, groups)[np.arange(models) % groups])


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("models", "groups", "items", "alike", "rounds"),
    [
        (2, 1, 200, 0.5, 400),
        (5, 1, 200, 0.0, 300),
        (5, 2, 1000, 0.8, 300),
        (10, 1, 500, 0.5, 150),
        (20, 4, 1000, 0.5, 60),
        (50, 1, 200, 0.5, 60),
        (100, 5, 1000, 0.7, 40),
    ],
)
def test_ranks_of_all_models_are_held_at_once(
    models: int, groups: int, items: int, alike: float, rounds: int
) -> None:
    found = share(rounds, tied(models, groups), items, alike)
    assert found >= 0.94 - 2.5 * math.sqrt(0.06 * 0.94 / rounds), found

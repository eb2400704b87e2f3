"""How often rank intervals hold the ranks of all models at once, where most of them tie and answer alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import confmat as cm

Array = Any


def drawn(rng: Any, skills: Array, items: int, alike: float, epochs: int = 1) -> Array:
    """Right or wrong by model and item: an item is as hard for all models as `alike` says, in each epoch anew."""
    from scipy.special import ndtri

    hard = np.repeat(rng.standard_normal(items), epochs)
    own = rng.standard_normal((len(skills), items * epochs))
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


def share(
    rounds: int, skills: Array, items: int, alike: float, score: str = "accuracy", epochs: int = 1
) -> float:
    rng, good = np.random.default_rng(len(skills) * items), 0
    for _ in range(rounds):
        right = drawn(rng, skills, items, alike, epochs)
        truth = np.tile(rng.integers(0, 3, items), 1).repeat(epochs)
        answers = {
            f"m{place}": np.where(each, truth, (truth + 1) % 3) for place, each in enumerate(right)
        }
        if epochs > 1:
            prompt = np.repeat(np.arange(items), epochs)
            stacks = {
                name: cm.count(truth, each, by=prompt, max_groups=items)
                for name, each in answers.items()
            }
            found = cm.compare(
                {name: each.along("prompt") for name, each in stacks.items()}, metrics=[score]
            )
        else:
            found = cm.compare_predictions(truth, answers, metrics=[score])
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


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("score", "items", "epochs"), [("f1.macro", 400, 1), ("f1.macro", 5000, 1), ("accuracy", 60, 5)]
)
def test_other_scores_and_clusters_too(score: str, items: int, epochs: int) -> None:
    rounds = 100
    found = share(rounds, tied(6, 2), items, 0.6, score, epochs)
    assert found >= 0.94 - 2.5 * math.sqrt(0.06 * 0.94 / rounds), found

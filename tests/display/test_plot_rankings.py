"""Pictures of rankings: scores with intervals, bars of ranks, and tiers as bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm

pytestmark = pytest.mark.usefixtures("no_screen")


@pytest.fixture(scope="module")
def ranking() -> Any:
    rng = np.random.default_rng(5)
    actual, guess = rng.choice(list("ABCD"), (2, 800))
    models = {
        f"m{i}": np.where(rng.random(800) < share, actual, guess)
        for i, share in enumerate((0.9, 0.88, 0.5))
    }
    return cm.compare_predictions(actual, models, metrics=["accuracy"]).ranking()


def test_models_ranks_and_tiers_are_drawn(ranking: Any) -> None:
    ax = cm.plot(ranking, title="Which one?")
    (side,) = ax.child_axes
    assert (
        [label.get_text() for label in ax.get_yticklabels()]
        == list(ranking.models)
        == ["m1", "m0", "m2"]
    )
    assert (
        [label.get_text() for label in side.get_yticklabels()]
        == ranking.ranks()
        == ["1 to 2", "1 to 2", "3"]
    )
    bars = sorted(
        (bar.get_y(), bar.get_x(), bar.get_width()) for bar in side.patches if bar.get_height() < 1
    )
    assert [(x, width) for _, x, width in bars] == [(0.75, 1.5), (0.75, 1.5), (2.75, 0.5)]
    assert {text.get_text() for text in ax.texts} == {"tier 1", "tier 2"}
    assert ax.get_title(loc="left") == "Which one?"
    dots = np.concatenate([line.get_xdata() for line in ax.lines])
    assert sorted(dots) == sorted(one.value for one in ranking.estimates)


def test_it_fits_into_a_column_and_into_given_axes(ranking: Any) -> None:
    figure = cm.plot(ranking, width="column").figure
    assert figure.get_figwidth() == pytest.approx(3.3)
    own = figure.add_subplot()
    assert cm.plot(ranking, ax=own) is own


def test_choices_of_matrices_are_refused(ranking: Any) -> None:
    with pytest.raises(cm.InputError, match="a ranking is drawn as it is; leave out 'top'"):
        cm.plot(ranking, top=2)

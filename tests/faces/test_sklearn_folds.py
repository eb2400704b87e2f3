"""Cross-validation in one call: a matrix of each fold."""

from __future__ import annotations

import pytest

import confmat as cm

pytest.importorskip("sklearn")

from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, RepeatedStratifiedKFold, ShuffleSplit, cross_val_score

from confmat.sklearn import cross_val_matrices


def test_matrices_of_folds_have_the_scores_of_scikit_learn() -> None:
    items, truth = load_iris(return_X_y=True)
    cv = KFold(5, shuffle=True, random_state=0)
    model = LogisticRegression(max_iter=1000)
    found = cross_val_matrices(model, items, truth, cv=cv)
    assert found.axis == "fold"
    assert list(found) == [0, 1, 2, 3, 4]
    scores = [cm.accuracy(m) for m in found.values()]
    assert scores == pytest.approx(cross_val_score(model, items, truth, cv=cv).tolist())
    assert cm.interval(found, "accuracy").value == pytest.approx(sum(scores) / 5)


def test_repeats_are_known_and_other_splits_are_refused() -> None:
    items, truth = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=1000)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    assert list(cross_val_matrices(model, items, truth, cv=cv)) == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
    ]
    with pytest.raises(cm.InputError, match="does not test every item equally often"):
        cross_val_matrices(model, items, truth, cv=ShuffleSplit(3, test_size=0.3, random_state=0))

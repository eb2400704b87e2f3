"""The face inside scikit-learn's own machinery: make_scorer, cross_validate, searches, clone, pickles, array API."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the face asks scikit-learn")
ours = importlib.import_module("confmat.sklearn")

pytestmark = pytest.mark.peers

WORDS = (
    *(
        "accuracy",
        "balanced_accuracy",
        "matthews_corrcoef",
        "f1_macro",
        "f1_weighted",
        "precision_micro",
    ),
    *("recall_macro", "jaccard_weighted"),
)


@pytest.fixture(scope="module")
def flowers() -> tuple[Any, Any, Any]:
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    data = load_iris()
    names = np.array(["setosa", "versicolor", "virginica"])[data.target]
    return DecisionTreeClassifier(max_depth=2, random_state=0), data.data, names


def test_one_count_gives_what_eight_scorers_give(flowers: Any) -> None:
    from sklearn.model_selection import cross_validate

    one = cross_validate(*flowers, scoring=ours.scorer(*WORDS), cv=4)
    eight = cross_validate(*flowers, scoring=list(WORDS), cv=4)
    for word in WORDS:
        np.testing.assert_allclose(one[f"test_{word}"], eight[f"test_{word}"], rtol=1e-12)


@pytest.mark.parametrize("name", ["f1_macro", "f1.macro"])
def test_a_single_name_gives_a_number(flowers: Any, name: str) -> None:
    from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate

    tree, x, y = flowers
    one, expected = ours.scorer(name), cross_val_score(tree, x, y, scoring="f1_macro", cv=3)
    np.testing.assert_allclose(cross_val_score(tree, x, y, scoring=one, cv=3), expected, rtol=1e-12)
    several = cross_validate(tree, x, y, scoring={"mine": one, "mcc": ours.scorer("mcc")}, cv=3)
    np.testing.assert_allclose(several["test_mine"], expected, rtol=1e-12)
    search = GridSearchCV(tree, {"max_depth": [1, 3]}, scoring=one, cv=3).fit(x, y)
    assert search.best_params_ == {"max_depth": 3}


def test_a_search_refits_the_best(flowers: Any) -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    tree, x, y = flowers
    scorer = ours.scorer("f1.macro", "mcc")
    search = GridSearchCV(
        tree, {"max_depth": [1, 3]}, scoring=scorer, refit="f1.macro", cv=3, n_jobs=1
    )
    copied = clone(search)
    assert copied.scoring == scorer
    copied.fit(x, y)
    assert copied.best_params_ == {"max_depth": 3}
    assert copied.cv_results_["mean_test_mcc"][1] > copied.cv_results_["mean_test_mcc"][0]


@pytest.fixture
def routing() -> Any:
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("asked", [True, "importance"])
def test_weights_are_routed_to_a_scorer(flowers: Any, asked: bool | str) -> None:
    from sklearn.metrics import accuracy_score, make_scorer
    from sklearn.model_selection import GridSearchCV, cross_validate

    tree, x, y = flowers
    params = {"sample_weight" if asked is True else str(asked): np.linspace(0, 1, len(y))}
    mine = ours.scorer("accuracy", "f1.macro").set_score_request(sample_weight=asked)
    right = make_scorer(accuracy_score).set_score_request(sample_weight=asked)
    tree = type(tree)(max_depth=2, random_state=0).set_fit_request(sample_weight=False)
    found = cross_validate(tree, x, y, scoring=mine, cv=4, params=params)
    theirs = cross_validate(tree, x, y, scoring=right, cv=4, params=params)
    np.testing.assert_allclose(found["test_accuracy"], theirs["test_score"], rtol=1e-12)
    assert not np.allclose(
        found["test_accuracy"], cross_validate(tree, x, y, scoring=mine, cv=4)["test_accuracy"]
    )
    # The request travels with copies and pickles.
    search = GridSearchCV(
        tree, {"max_depth": [2]}, scoring=pickle.loads(pickle.dumps(mine)), refit=False, cv=4
    )
    best = search.fit(x, y, **params).cv_results_["mean_test_accuracy"][0]
    assert best == pytest.approx(theirs["test_score"].mean())
    assert pickle.loads(pickle.dumps(mine)) == mine != ours.scorer("accuracy", "f1.macro")


@pytest.mark.usefixtures("routing")
def test_weights_that_nobody_asked_for_are_told(flowers: Any) -> None:
    from sklearn.exceptions import UnsetMetadataPassedError
    from sklearn.model_selection import cross_validate

    tree, x, y = flowers
    tree = type(tree)(max_depth=2).set_fit_request(sample_weight=True)
    params, scoring = {"sample_weight": np.ones(len(y))}, ours.scorer("accuracy")
    with pytest.raises(UnsetMetadataPassedError, match=r"Scorer\.set_score_request"):
        cross_validate(tree, x, y, scoring=scoring, params=params)
    found = cross_validate(
        tree, x, y, scoring=scoring.set_score_request(sample_weight=False), params=params
    )
    assert len(found["test_score"]) == 5


def test_tensors_are_read() -> None:
    torch = pytest.importorskip("torch", reason="tensors are PyTorch's")
    true, predicted = torch.tensor([0, 1, 2, 2]), torch.tensor([0, 2, 2, 2])
    assert ours.confusion_matrix(true, predicted).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 2]]
    assert ours.accuracy_score(true, predicted) == 3 / 4
    assert isinstance(ours.recall_score(true, predicted, average=None), np.ndarray)
    assert (
        ours.accuracy_score(true, predicted, sample_weight=torch.tensor([1.0, 1.0, 0.5, 0.5]))
        == 2 / 3
    )

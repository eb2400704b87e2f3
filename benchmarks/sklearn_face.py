"""confmat.sklearn against scikit-learn, function by function: a million labels, fifty, and eight scores at once.

Every function is asked on both sides and must answer alike. For each container the table shows the
function that gains least, once among those that look at classes and once among the three that only
ask what is right. scikit-learn is slow on text and categories, so it is given fewer pairs, and
times are compared per pair.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat.sklearn as face
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["CONTAINERS", "races"]

PAIRS = 1_000_000
FEW = 50
PEER = "scikit-learn"
SHARES = ("accuracy_score", "zero_one_loss", "hamming_loss")
FUNCTIONS: dict[str, dict[str, Any]] = {
    **{name: {} for name in SHARES},
    **{name: {} for name in ("balanced_accuracy_score", "matthews_corrcoef", "cohen_kappa_score")},
    **{
        name: {}
        for name in (
            "confusion_matrix",
            "multilabel_confusion_matrix",
            "precision_recall_fscore_support",
        )
    },
    **{
        name: {"average": "macro"}
        for name in ("precision_score", "recall_score", "f1_score", "jaccard_score")
    },
    "fbeta_score": {"average": "weighted", "beta": 2},
    "classification_report": {"output_dict": True},
}
NAMES = np.array([f"class {i}" for i in range(10)], dtype=object)
WORDS = (
    *(
        "accuracy",
        "balanced_accuracy",
        "matthews_corrcoef",
        "f1_macro",
        "precision_macro",
        "recall_macro",
    ),
    *("f1_weighted", "jaccard_macro"),
)

Array = NDArray[Any]


def _categories(codes: Array) -> Any:
    import pandas as pd

    return pd.Series(pd.Categorical.from_codes(codes, NAMES))


# How a container is made of codes, and how many pairs scikit-learn is given.
CONTAINERS: dict[str, tuple[Callable[[Array], Any], int]] = {
    "ints": (lambda codes: codes, PAIRS),
    "object strings": (lambda codes: NAMES[codes], PAIRS // 10),
    "pandas categoricals": (_categories, PAIRS // 50),
    "lists of ints": (lambda codes: codes.tolist(), PAIRS // 10),
}


def races(effort: Effort) -> Iterator[Race]:
    """Containers of a million, the same with fifty, two classes, eight scores."""
    warnings.simplefilter("ignore")
    actual, predicted = codes(PAIRS, 10)
    for name, (make, few) in CONTAINERS.items():
        yield from tightest(name, make, actual, predicted, few, effort)
    yield of_two_classes(effort)
    yield from small(effort)
    yield eight_scores(effort)


def codes(n: int, size: int) -> tuple[Array, Array]:
    """Pairs of which seven in ten agree."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, size, n)
    return actual, np.where(rng.random(n) < 0.3, rng.integers(0, size, n), actual)


def duel(
    function: str, sides: tuple[Any, Any], fewer: tuple[Any, Any], options: Any, effort: Effort
) -> Race:
    """One function on both sides; the peer's answer on what the peer is given is asked of ours too."""
    import sklearn.metrics

    mine = partial(getattr(face, function), **options)
    theirs = partial(getattr(sklearn.metrics, function), **options)
    expected = flat(theirs(*fewer))
    np.testing.assert_allclose(flat(mine(*fewer)), expected, rtol=1e-12)
    own = expected if sides is fewer else flat(mine(*sides))
    return contest(
        f"face {function}",
        function,
        [
            Contestant(OURS, len(sides[0]), partial(mine, *sides), own, flat, note=function),
            Contestant(PEER, len(fewer[0]), partial(theirs, *fewer), expected, flat),
        ],
        effort,
        seconds=0.6,
    )


def flat(answer: Any) -> Array:
    """All numbers of an answer in a row, to the digits that any order of summation keeps."""
    if isinstance(answer, dict):
        return np.concatenate([flat(value) for value in answer.values()])
    if isinstance(answer, tuple):
        return np.concatenate([flat(value) for value in answer])
    return np.asarray(answer, dtype=float).reshape(-1).round(12)


def tightest(
    name: str,
    make: Callable[[Array], Any],
    actual: Array,
    predicted: Array,
    few: int,
    effort: Effort,
) -> Iterator[Race]:
    """The function that gains least, of two groups."""
    sides = make(actual), make(predicted)
    fewer = sides if few == PAIRS else (make(actual[:few]), make(predicted[:few]))
    found = {
        function: duel(function, sides, fewer, options, effort)
        for function, options in FUNCTIONS.items()
    }
    for group, kind in ((set(FUNCTIONS) - set(SHARES), "classes"), (set(SHARES), "shares")):
        race = min((found[function] for function in FUNCTIONS if function in group), key=gain)
        what = "scores of classes" if kind == "classes" else "accuracy and its losses"
        yield Race(
            f"face {name} {kind}",
            f"10⁶ {name}, {what}: the function that gains least",
            race.entries,
        )


def gain(race: Race) -> float:
    """How many times faster ours is."""
    return race.ratio(PEER, OURS)


def of_two_classes(effort: Effort) -> Race:
    """The one function that takes two classes only."""
    sides = codes(PAIRS, 2)
    race = duel("class_likelihood_ratios", sides, sides, {}, effort)
    return Race("face ints ratios", "10⁶ ints of two classes", race.entries)


def small(effort: Effort) -> Iterator[Race]:
    """Fifty labels, which scikit-learn is given as they came: the function that loses most."""
    actual, predicted = codes(FEW, 10)
    for name in ("ints", "object strings", "lists of ints", "pandas categoricals"):
        make = CONTAINERS[name][0]
        sides = make(actual), make(predicted)
        found = [
            duel(function, sides, sides, options, effort) for function, options in FUNCTIONS.items()
        ]
        least = min(found, key=gain)
        yield Race(f"face 50 {name}", f"50 {name}: the function that loses most", least.entries)


class Known:
    """An estimator that has predicted already: what is left of scoring is the scores."""

    _estimator_type = "classifier"

    def __init__(self, predicted: Array) -> None:
        self.predicted, self.classes_ = predicted, np.unique(predicted)

    def fit(self, *_: Any) -> Known:
        return self

    def predict(self, _: Any) -> Array:
        return self.predicted

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, Tags, TargetTags

        return Tags("classifier", TargetTags(required=True), None, ClassifierTags())

    def __sklearn_is_fitted__(self) -> bool:
        return True


def eight_scores(effort: Effort) -> Race:
    """The work of cross_validate in each fold, with one scorer of eight scores and with eight scorers."""
    from sklearn.metrics import check_scoring

    actual, predicted = codes(PAIRS // 10, 10)
    estimator = Known(predicted)
    theirs = check_scoring(estimator, scoring=list(WORDS))
    mine = face.scorer(*WORDS)
    expected = flat(dict(theirs(estimator, None, actual)))
    entries = [
        Contestant(OURS, len(actual), partial(mine, estimator, None, actual), expected, flat),
        Contestant(PEER, len(actual), partial(theirs, estimator, None, actual), expected, flat),
    ]
    return contest(
        "face eight scores", "eight scores of a fold with 10⁵ labels", entries, effort, seconds=2
    )


if __name__ == "__main__":
    main(races)

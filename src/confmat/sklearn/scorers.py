"""Many scores from one count: a scorer for cross_validate and for searches over parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sklearn.metrics as theirs
from sklearn.utils.multiclass import unique_labels

from confmat.core.errors import LabelError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.counting import count
from confmat.metrics.catalog import one_number, parse_score
from confmat.sklearn._pairs import Pairs, pairs_of

Maker = Callable[[Pairs, Callable[[], ConfusionMatrix]], float]

# scikit-learn's words: those of the whole, and those of classes, which a mean may follow.
WHOLE = {"accuracy": "accuracy_score", "balanced_accuracy": "balanced_accuracy_score"}
WHOLE["matthews_corrcoef"] = "matthews_corrcoef"
RATES = {"precision", "recall", "f1", "jaccard"}
MEANS = {"": "binary", "_macro": "macro", "_micro": "micro", "_weighted": "weighted"}


def scorer(*names: str, pos_label: Any = 1, zero_division: Any = 0) -> Scorer:
    """Make a scorer that counts once and gives all the named scores.

    Pass it as `scoring=` to scikit-learn's `cross_validate`, `GridSearchCV` and the like; with
    several names these take one of them as `refit`. `cross_val_score` and the others that want one
    number take a scorer of one name.

    Parameters
    ----------
    names
        Scores as `confmat.metrics.parse_score` reads them: "mcc", "f1.macro", "recall[Cat]". A
        class that a fold lacks gives NaN. Or scikit-learn's own words, with its own numbers:
        "accuracy", "balanced_accuracy", "matthews_corrcoef", and "precision", "recall", "f1" and
        "jaccard", alone for two classes or followed by "_macro", "_micro" or "_weighted". A bare
        score per class, such as "specificity", is that of the positive one of two classes. A score
        where less is better, such as "error_rate" or "cost({'fp': 1, 'fn': 5})", is negated, since
        scikit-learn looks for the greatest, and is called "neg_error_rate" as scikit-learn calls
        its own.
    pos_label
        The positive class of two, for scores without an average and without a class.
    zero_division
        The value of 0/0 for scikit-learn's words; the others follow confmat's rule.

    Returns
    -------
    Scorer
        A callable of `(estimator, X, y)` that gives a dictionary of floats, or of one name the
        float.

    Raises
    ------
    MetricError
        If there is no such score, or it does not declare whether more or less of it is better.

    Examples
    --------
    >>> class Guess:
    ...     def predict(self, X):
    ...         return ["Cat" if x < 3 else "Hen" for x in X]
    >>> both = scorer("accuracy", "recall.macro", "recall[Hen]")
    >>> both(Guess(), [1, 2, 3, 4], ["Cat", "Cat", "Hen", "Cat"])
    {'accuracy': 0.75, 'recall.macro': 0.8333333333333333, 'recall[Hen]': 1.0}
    >>> scorer("accuracy")(Guess(), [1, 2, 3, 4], ["Cat", "Cat", "Hen", "Cat"])
    0.75
    >>> scorer("error_rate", "mcc")(Guess(), [1, 2, 3, 4], ["Cat", "Cat", "Hen", "Cat"])
    {'neg_error_rate': -0.25, 'mcc': 0.5773502691896258}
    """
    return Scorer(names, pos_label=pos_label, zero_division=zero_division)


class Scorer:
    """A callable of `(estimator, X, y)` that counts once and gives the scores by name, or the only one.

    `scorer` makes it.
    """

    def __init__(
        self, names: tuple[str, ...], *, pos_label: Any = 1, zero_division: Any = 0
    ) -> None:
        if not names:
            msg = "name at least one score, such as scorer('accuracy', 'f1.macro')"
            raise MetricError(msg)
        self.names = names
        self.pos_label = pos_label
        self.zero_division = zero_division
        self._makers = [_directed(name, _maker(name, pos_label, zero_division)) for name in names]
        self._weight_request: bool | str | None = None

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803
        y: Any,
        sample_weight: Any = None,
    ) -> Any:
        """The scores of an estimator's predictions for X, where y is true: a dictionary of floats, or one float."""
        predicted = estimator.predict(X)
        pairs = pairs_of(y, predicted, sample_weight)
        matrix = cache(lambda: _matrix(pairs, getattr(estimator, "classes_", ())))
        values = [(name, make(pairs, matrix)) for name, make in self._makers]
        return values[0][1] if len(values) == 1 else dict(values)

    def set_score_request(self, *, sample_weight: bool | str | None) -> Scorer:
        """Set whether scikit-learn's metadata routing hands weights to this scorer, as for its own scorers.

        True: `cross_validate(..., params={"sample_weight": ...})` and the like hand on the part of
        each fold; a text: under that name; False: the scores are without weights; None: weights in
        `params` are an error.
        """
        self._weight_request = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """Return the parameters that the scorer takes, as scikit-learn's metadata routing asks for them."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._weight_request)
        return request

    def __repr__(self) -> str:
        return f"scorer({', '.join(map(repr, self.names))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scorer) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.names, self.pos_label, self.zero_division, self._weight_request)


def _again(
    names: tuple[str, ...],
    pos_label: Any,
    zero_division: Any,
    weight_request: bool | str | None = None,
) -> Scorer:
    made = Scorer(names, pos_label=pos_label, zero_division=zero_division)
    return made.set_score_request(sample_weight=weight_request)


def _matrix(pairs: Pairs, classes: Any) -> ConfusionMatrix:
    """The pairs as a matrix, over the classes that the estimator knows too."""
    names = unique_labels(pairs.true, pairs.predicted).tolist()
    # A model of several outputs has a list of arrays here, and no list of classes.
    known = classes.tolist() if isinstance(classes, np.ndarray) and classes.ndim == 1 else []
    every = sorted({*names, *known}) if len({*map(type, known), *map(type, names)}) == 1 else names
    return count(pairs.true, pairs.predicted, labels=every, weights=pairs.sums)


def _directed(name: str, make: Maker) -> tuple[str, Maker]:
    """A score by its name; negated where less is better, so that the greatest is the best."""
    score = parse_score(name)
    # A peer's score is a mean of one of our metrics.
    better = getattr(getattr(score.metric, "metric", score.metric), "better", "neither")
    if better == "neither":
        msg = f"{score} does not declare whether more or less of it is better, so a search could choose the worst model"
        raise MetricError(msg)
    # Taken from nothing, no zero is negative.
    return (name, make) if better == "higher" else (f"neg_{name}", lambda *read: 0.0 - make(*read))


def _maker(name: str, pos_label: Any, zero_division: Any) -> Maker:
    """How a score is made of pairs and of their matrix."""
    base, underscore, mean = name.partition("_") if isinstance(name, str) else ("", "", "")
    if name in WHOLE:
        return _asking(WHOLE[name])
    if base in RATES and underscore + mean in MEANS:
        average = MEANS[underscore + mean]
        return _asking(
            f"{base}_score", average=average, pos_label=pos_label, zero_division=zero_division
        )
    score = parse_score(name)

    def make(_: Pairs, matrix: Callable[[], ConfusionMatrix]) -> float:
        m = matrix()
        labels = m.labels.replace(positive=pos_label) if pos_label in m.labels else m.labels
        try:
            return float(one_number(score, labels)(m))
        except LabelError:
            return float("nan")

    return make


def _asking(name: str, **options: Any) -> Maker:
    function = getattr(theirs, name)
    return lambda pairs, _: float(
        function(pairs.true, pairs.predicted, sample_weight=pairs.sums, **options)
    )

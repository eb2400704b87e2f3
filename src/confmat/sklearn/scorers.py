"""Many scores from one count: a scorer for cross_validate and for searches over parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.core.counts import Counts
from confmat.core.errors import LabelError, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.metrics.catalog import one_number, parse_score
from confmat.sklearn._counting import Counted, count_labels
from confmat.sklearn.scores import Wish, balanced, jaccard, matthews, right_share, score_of

Maker = Callable[[Counted, Any], float]

RATES = {"precision": "precision", "recall": "recall", "f1": "f-score"}
MEANS = {"": "binary", "_macro": "macro", "_micro": "micro", "_weighted": "weighted"}


def scorer(*names: str, pos_label: Any = 1, zero_division: Any = 0) -> Scorer:
    """Make a scorer that counts once and gives all the named scores.

    Pass it as `scoring=` to scikit-learn's `cross_validate`, `GridSearchCV` and the like; with several names these
    take one of them as `refit`. `cross_val_score` and the others that want one number take a scorer of one name.

    Parameters
    ----------
    names
        Scores as `confmat.metrics.parse_score` reads them: "mcc", "f1.macro", "recall[Cat]". A class that a fold lacks
        gives NaN. Or scikit-learn's own words, with its own numbers: "accuracy", "balanced_accuracy",
        "matthews_corrcoef", and "precision", "recall", "f1" and "jaccard", alone for two classes or followed by
        "_macro", "_micro" or "_weighted". A bare score per class, such as "specificity", is that of the positive one of
        two classes.
    pos_label
        The positive class of two, for scores without an average and without a class.
    zero_division
        The value of 0/0 for scikit-learn's words; the others follow confmat's rule.

    Returns
    -------
    Scorer
        A callable of `(estimator, X, y)` that gives a dictionary of floats, or of one name the float.

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
    """
    return Scorer(names, pos_label=pos_label, zero_division=zero_division)


class Scorer:
    """A callable of `(estimator, X, y)` that counts once and gives the scores by name, or the only one.

    `scorer` makes it.
    """

    def __init__(self, names: tuple[str, ...], *, pos_label: Any = 1, zero_division: Any = 0) -> None:
        if not names:
            msg = "name at least one score, such as scorer('accuracy', 'f1.macro')"
            raise MetricError(msg)
        self.names = names
        self.pos_label = pos_label
        self.zero_division = zero_division
        self._makers = [_maker(name, pos_label, zero_division) for name in names]
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
        counted = count_labels(y, predicted, sample_weight)
        matrix = _Once(counted, getattr(estimator, "classes_", ()))
        values = [make(counted, matrix) for make in self._makers]
        return values[0] if len(values) == 1 else dict(zip(self.names, values, strict=True))

    def set_score_request(self, *, sample_weight: bool | str | None) -> Scorer:
        """Set whether scikit-learn's metadata routing hands weights to this scorer, as for its own scorers.

        True: `cross_validate(..., params={"sample_weight": ...})` and the like hand on the part of each fold; a
        text: under that name; False: the scores are without weights; None: weights in `params` are an error.
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
    names: tuple[str, ...], pos_label: Any, zero_division: Any, weight_request: bool | str | None = None
) -> Scorer:
    made = Scorer(names, pos_label=pos_label, zero_division=zero_division)
    return made.set_score_request(sample_weight=weight_request)


class _Once:
    """The ConfusionMatrix of a count, made when the first score asks for it."""

    def __init__(self, counted: Counted, classes: Any) -> None:
        self.counted, self.classes = counted, classes
        self.made: ConfusionMatrix | None = None

    def __call__(self) -> ConfusionMatrix:
        if self.made is None:
            self.made = _matrix(self.counted, self.classes)
        return self.made


def _matrix(counted: Counted, classes: Any) -> ConfusionMatrix:
    """The count as a matrix, over the classes that the estimator knows too."""
    names = counted.labels.tolist()
    # A model of several outputs has a list of arrays here, and no list of classes.
    known = classes.tolist() if isinstance(classes, np.ndarray) and classes.ndim == 1 else []
    kinds = {*map(type, known), *map(type, names)}
    every = sorted({*names, *known}) if len(kinds) == 1 else names
    index = {name: i for i, name in enumerate(every)}
    places = np.array([index[name] for name in names])
    if isinstance(counted.sums, np.ndarray):
        return ConfusionMatrix(counted.table(places, len(every))[0], every)
    cells = counted.sums.moved(places)
    return ConfusionMatrix._of(Labels(every), Counts.of_cells(len(every), cells.rows, cells.cols, cells.values))


def _maker(name: str, pos_label: Any, zero_division: Any) -> Maker:
    """How a score is made of a count and of its matrix."""
    whole: dict[str, Callable[[Counted], float]] = {
        "accuracy": right_share,
        "balanced_accuracy": balanced,
        "matthews_corrcoef": matthews,
    }
    if name in whole:
        return lambda counted, _: whole[name](counted)
    base, underscore, mean = name.partition("_") if isinstance(name, str) else ("", "", "")
    if base in {*RATES, "jaccard"} and underscore + mean in MEANS:
        wish = Wish(None, pos_label, MEANS[underscore + mean], zero_division)
        if base == "jaccard":
            return lambda counted, _: float(jaccard(counted, wish))
        part = (RATES[base],)
        return lambda counted, _: float(score_of(counted, wish, part, part)[0])
    score = parse_score(name)

    def make(_: Counted, matrix: Any) -> float:
        m = matrix()
        labels = m.labels.replace(positive=pos_label) if pos_label in m.labels else m.labels
        try:
            return float(one_number(score, labels)(m))
        except LabelError:
            return float("nan")

    return make

"""`compare_scores`: models side by side by their scores for the same items, without a threshold.

Every item has an influence on an area, a Brier score or a log loss, and sums of products of
influences are all that a comparison needs: the variances of DeLong, DeLong and Clarke-Pearson
(Biometrics 44, 1988) for areas under ROC curves. Influences of a mean over classes, or of the pairs
of Hand and Till (Machine Learning 45, 2001), add up; of clusters they are summed first. A test adds
the squared gap over the items of the rarest class, the variance that models which are alike would
have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.comparison import Comparison, Difference, Ratio
from confmat.comparison.differences import Evidence, Pair, conclude
from confmat.comparison.door import all_alike, how_adjusted
from confmat.comparison.families import Adjust
from confmat.comparison.outcome import each_adjusted
from confmat.comparison.ratios import by_logarithm
from confmat.comparison.significance import student_p
from confmat.core.align import label_spelt, models_by_text
from confmat.core.errors import InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, one_of, told
from confmat.core.text import printable, some
from confmat.deciding.model_scores import (
    Items,
    Missing,
    check_kind,
    labels_of_table,
    read_labels,
    read_models,
)
from confmat.deciding.sweeps import one_side
from confmat.intervals.asked import AREAS
from confmat.intervals.bounds import check_level, student_quantile, wilson
from confmat.intervals.estimates import Estimate
from confmat.intervals.scored import (
    Area,
    bounded,
    exponential,
    influences,
    method_of,
    remarks,
)
from confmat.metrics.catalog import several

Array = NDArray[Any]
Names = tuple[str, str]
Method = Literal["score", "delong", "logit"]
_AVERAGES = ("macro", "weighted", "ovo")
# Scores of probabilities.
_LOSSES = ("brier", "log_loss")
# A variance beside those of both models that is rounding.
_ROUNDING = 1e-12
_NO_CELLS = "columns of scores have no cells and no classes: compare_predictions(actual, ...) compares answers"


@dataclass(frozen=True)
class Asked:
    """A score of columns of scores: its name, the mean over classes or the class that it is of, and what it can be."""

    name: str
    average: str = ""
    of: str = ""

    @property
    def metric(self) -> Asked:
        """The facts of the score, as a metric has them."""
        return self

    @property
    def better(self) -> str:
        """Whether more or less of it is better."""
        return "lower" if self.name in _LOSSES else "higher"

    # The least that it can be, and the greatest; that of a loss depends on the classes.
    bounds = (0.0, None)
    undefined = "a class does not occur, or a certain score is wrong"

    def __str__(self) -> str:
        return f"{self.name}{'.' * bool(self.average)}{self.average}{f'[{self.of}]' if self.of else ''}"


def read_asked(score: Any) -> Asked:
    """Read a score of columns of scores, such as "roc_auc", "roc_auc.macro" or "average_precision[Cat]"."""
    text = score if isinstance(score, str) else str(getattr(score, "__name__", score))
    name, bracket, of = text.partition("[")
    name, _, average = name.partition(".")
    msg: str = ""
    if name not in (*AREAS, *_LOSSES) or average not in ("", *_AVERAGES) or (average and bracket):
        known = ", ".join((*AREAS, *_LOSSES))
        msg = (
            "{metrics} are {}, of several classes as roc_auc.macro, roc_auc.weighted, "
            "roc_auc.ovo, roc_auc[Cat]; got {}"
        )
        msg = Message(msg, known, told(score))
    elif name in _LOSSES and (average or of):
        more = average or f"[{of}"
        msg = f"{name} is of the probabilities of all classes at once; leave {more} out"
    elif average == "ovo" and name != "roc_auc":
        msg = f"ovo is the mean of roc_auc over pairs of classes; {name} has macro and weighted"
    if msg:
        raise InputError(msg)
    return Asked(name, average, of.removesuffix("]"))


# ---- one column ----------------------------------------------------------------------------------


class Part(NamedTuple):
    """A score of one model, the influence of each item, the least variance, and how many items of each class tell."""

    value: float
    added: Array
    least: float
    sizes: tuple[float, float]
    # The greatest value that there is.
    most: float = 1.0


def _of_area(name: Any, truth: Array, scores: Array, *, whole: bool) -> Part:
    """An area; of items that are drawn one by one (`whole`), influences have the variance of the sample."""
    _, group = np.unique(-scores, return_inverse=True)
    above, below = (np.append(0, np.cumsum(np.bincount(group, side))) for side in (truth, ~truth))
    m, n = float(above[-1]), float(below[-1])
    if not m or not (n or name == "average_precision"):
        return Part(math.nan, np.full(len(truth), math.nan), math.nan, (0.0, 0.0))
    value, hit, miss = influences(name, above, below, None)
    if name != "roc_auc":
        return Part(
            value, np.where(truth, hit[group], miss[group]), value * (1 - value) / m, (m, m)
        )
    more = [math.sqrt(size / (size - 1)) if whole and size > 1 else 1.0 for size in (m, n)]
    return Part(
        value,
        np.where(truth, hit[group] * more[0], miss[group] * more[1]),
        exponential(value, m, n),
        (m, n),
    )


def _of_loss(name: str, codes: Array, chances: Array) -> Part:
    """A mean over items: the squared distance of their probabilities from the truth, or minus the logarithm of its.

    The squares of two classes are alike, and one of them counts.
    """
    right = chances[np.arange(len(codes)), codes].astype(np.float64)
    if name == "log_loss":
        most = math.inf
        with np.errstate(divide="ignore"):
            lost = -np.log(right)
    else:
        most = 1.0 if chances.shape[1] == 2 else 2.0
        squares = np.einsum("ij,ij->i", chances, chances, dtype=np.float64)
        lost = (squares - right**2 + (1 - right) ** 2) * most / 2
    n = len(lost)
    value = float(lost.mean()) if n else math.nan
    with np.errstate(invalid="ignore"):
        added = (lost - value) / math.sqrt(max(n * (n - 1), 1))
    return Part(value, added, 0.0, (n, n), most)


def _mean(asked: Asked, codes: Array, scores: Array, *, whole: bool) -> Part:
    """A mean of areas over classes that occur, each against the rest, or over ordered pairs of them."""
    sizes = np.bincount(codes, minlength=scores.shape[1])
    there = np.flatnonzero(sizes)
    if asked.average == "ovo":
        weights = {
            pair: 1 / (len(there) * (len(there) - 1)) for pair in permutations(there.tolist(), 2)
        }
    else:
        weights = {
            (k, -1): sizes[k] / len(codes) if asked.average == "weighted" else 1 / len(there)
            for k in there.tolist()
        }
    value, least, fewest, added, each = (
        0.0,
        0.0,
        math.inf,
        np.zeros(len(codes)),
        np.zeros(scores.shape[1]),
    )
    for (k, other), weight in weights.items():
        rows = slice(None) if other < 0 else (codes == k) | (codes == other)
        part = _of_area(asked.name, codes[rows] == k, scores[rows, k], whole=whole)
        added[rows] += weight * part.added
        value, least = value + weight * part.value, least + weight**2 * part.least
        fewest, each[k] = min(fewest, *part.sizes), part.value
    if asked.average == "weighted":
        # The shares of the classes are those of these items.
        added += (each[codes] - value) / len(codes)
    return Part(value if weights else math.nan, added, least, (fewest, fewest))


def _part(asked: Asked, items: Items, labels: Any, positive: Any, *, whole: bool) -> Part:
    if asked.average:
        if items.scores.ndim != 2:
            msg = f"{asked} is a mean over classes: give a column of scores for each class"
            raise InputError(msg)
        names = labels_of_table(items, labels, positive)
        return _mean(asked, items.truth.coded(names), items.scores, whole=whole)
    if items.scores.ndim == 2 and asked.name in _LOSSES:
        names = labels_of_table(items, labels, positive)
        check_kind(items.scores, None, items.names)
        return _of_loss(asked.name, items.truth.coded(names), items.scores)
    if items.scores.ndim == 2 and items.scores.shape[1] > 2 and not asked.of:
        names = labels_of_table(items, labels, positive)
        offered = f"say {asked}.macro, the mean over classes, or {asked}[{names[0]}]"
        msg = f"{asked} is of one class against the rest: {offered}"
        raise LabelError(msg)
    of = None
    if asked.of:
        known = read_labels(labels, None) or Labels(items.truth.names)
        of = label_spelt(
            labels_of_table(items, labels, None) if items.scores.ndim == 2 else known, asked.of
        )
    side = one_side(items, labels, positive if of is None else None, of)
    scores = side.scores.astype(np.float64)
    if asked.name in _LOSSES:
        if len(scores) and not 0 <= scores.min() <= scores.max() <= 1:
            msg = "{} is of probabilities from 0 to 1, and {scores} lie from {:.4g} to {:.4g}; ask for an area"
            raise InputError(Message(msg, asked.name, scores.min(), scores.max()))
        return _of_loss(
            asked.name, side.truth.astype(np.int64), np.column_stack([1 - scores, scores])
        )
    return _of_area(asked.name, side.truth, scores, whole=whole)


# ---- the comparison ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class ScoreComparison(Comparison):
    """A Comparison of columns of scores, known by the covariances of all their scores."""

    values: Array = field(kw_only=True)
    # By model and score, twice.
    covariance: Array = field(kw_only=True)
    # The items (or clusters) that each score has of its rarest class, and those that were drawn.
    fewest: Array = field(kw_only=True)
    # The greatest value that each score can have.
    most: Array = field(kw_only=True)
    drawn: float = field(kw_only=True)
    free: float = field(kw_only=True)
    is_plain: bool = field(kw_only=True)

    @property
    def counted(self) -> Mapping[str, ConfusionMatrix]:
        """Matrices: there are none."""
        raise InputError(_NO_CELLS)

    def _asked(self, score: Any) -> Any:
        asked = read_asked(score)
        if str(asked) not in self.scores:
            msg = Message(
                "the models were compared by {}, not by {}; name it in {metrics}",
                some(self.scores),
                str(asked),
            )
            raise InputError(msg)
        return asked

    def _seen(self, score: Any, names: Names) -> tuple[tuple[float, float], Array, float]:
        """Both values, the covariance of both models, and the items of the rarest class."""
        place, both = self.scores.index(str(score)), [self.models.index(name) for name in names]
        before, after = self.values[both, place].tolist()
        return (
            (before, after),
            self.covariance[:, place, :, place][np.ix_(both, both)],
            float(self.fewest[place]),
        )

    def _apart(self, score: Any, names: Names, level: float) -> Difference:
        values, table, fewest = self._seen(score, names)
        gap, spread = values[1] - values[0], table[0, 0] + table[1, 1] - 2 * table[0, 1]
        error = math.sqrt(spread) if spread > _ROUNDING * np.trace(table) else 0.0 * spread
        if self.is_plain and fewest < 2:
            # The variance of DeLong divides by one item less.
            error = math.nan
        alike = error if self.is_plain else math.hypot(error, gap / math.sqrt(fewest or math.nan))
        p, half = (
            student_p(gap, alike, self.free),
            student_quantile((1 + level) / 2, self.free) * error,
        )
        if not half:
            # Models that order these items alike may differ on others; how much a log loss may,
            # nothing bounds.
            half = float(wilson(0.0, fewest, level)[1]) * self.most[self.scores.index(str(score))]
        evidence = Evidence(p, p, error, (gap - half, gap + half))
        test = "paired influences" if math.isinf(self.free) else f"{self.design}, Student's t"
        test = "DeLong" if self.is_plain else f"{test}, as of models alike"
        return conclude(
            score,
            Pair(names, ()),  # type: ignore[arg-type]
            values,
            evidence,
            level,
            test,
            self.drawn,
            moving=error and math.inf,
        )

    def _times(self, score: Any, names: Names) -> Ratio:
        (before, after), table, _ = self._seen(score, names)
        name = f"{score}, {printable(names[1])} / {printable(names[0])}"
        rest: dict[str, Any] = {
            "level": self.level,
            "design": self.design,
            "values": (before, after),
            "name": name,
        }
        if not (0 < before < math.inf and 0 < after < math.inf):
            return Ratio(
                math.nan,
                math.nan,
                math.nan,
                note=f"{score} of a model is 0 or has no value",
                **rest,
            )
        spread = (
            table[0, 0] / before**2 + table[1, 1] / after**2 - 2 * table[0, 1] / (before * after)
        )
        return by_logarithm((before, after), math.sqrt(max(spread, 0.0)), math.inf, self.free, rest)

    def _family(
        self, scores: Sequence[Any], pairs: Sequence[Names], *, together: bool = False
    ) -> list[Difference]:
        return self._adjusted(scores, pairs, together=together)[0]

    def _adjusted(
        self, scores: Sequence[Any], pairs: Sequence[Names], *, together: bool = False
    ) -> Any:
        """The differences, adjusted, and by which bound each score."""
        places = [self.scores.index(str(score)) for score in scores]
        covariance = self.covariance[:, places][:, :, :, places]
        return each_adjusted(
            scores,
            pairs,
            self.models,
            self._apart,
            self.level,
            self.adjust,
            covariance,
            together=together,
        )


@door
def compare_scores(
    actual: Any,
    scores: Mapping[str, Any],
    *,
    metrics: Any = ("roc_auc",),
    level: float = 0.95,
    labels: Any = None,
    positive: Any = None,
    clusters: Any = None,
    missing: Missing = "error",
    method: Method = "score",
    adjust: Adjust = "max-t",
) -> Comparison:
    """Compare models by their scores for the same items, without a threshold: areas, Brier score, log loss.

    Parameters
    ----------
    actual
        The actual labels.
    scores
        The scores of each model by name, in the same order: one for each item, or a column for each
        class. One model alone has its estimates.
    metrics
        "roc_auc", "average_precision", and of probabilities "brier" and "log_loss". Among several
        classes, an area is of one against the rest, "roc_auc[Cat]", or their mean: "roc_auc.macro";
        by how often they occur, "roc_auc.weighted"; over pairs of classes, "roc_auc.ovo" (Hand and
        Till 2001). Losses are then of all columns at once, as scikit-learn has them.
    level, adjust
        As in `compare`.
    labels, positive
        The classes, and the one that scores speak for, as in `thresholds`.
    clusters
        The patient or document of each item, if these were drawn.
    missing
        "error", or "drop" to leave out items that lack a label, or a score of any model.
    method
        "delong" is the plain test and interval of DeLong, "logit" its interval on the logit; see
        `interval`.

    Returns
    -------
    Comparison
        With `of`, `ranking`, `ratio` and the rest; what asks for answers or cells is refused.

    Raises
    ------
    InputError
        Scores are missing, are no probabilities where these are wanted, or are not as many as
        labels.

    Examples
    --------
    >>> actual = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> models = {"old": [1, 3, 5, 6, 2, 4, 7, 8], "new": [1, 2, 3, 6, 4, 5, 7, 8]}
    >>> print(compare_scores(actual, models).of("roc_auc"))
    roc auc: old 0.688, new 0.875, new − old +0.188 [−0.188, +0.519]; paired influences, as of models alike, \
p = 0.333: not shown to be different.
    """
    if not isinstance(scores, Mapping) or not scores:
        msg = "{scores} is a mapping of models to their scores, {{'old': ..., 'new': ...}}; got {}"
        raise InputError(Message(msg, told(scores)))
    check_level(level)
    one_of("adjust", adjust, Adjust)
    asked = [read_asked(each) for each in several(metrics, "metrics")]
    rule = _rule_of(method, asked, clusters)
    read, codes = read_models(actual, models_by_text(scores), missing, clusters)
    parts = {
        (model, metric): _part(metric, items, labels, positive, whole=codes is None)
        for model, items in read.items()
        for metric in asked
    }
    added, design, free = np.array([part.added for part in parts.values()]), "paired", math.inf
    if codes is not None:
        added = np.array([np.bincount(codes, column) for column in added])
        free = added.shape[1] - 1.0
        design = f"paired by cluster, {_clusters(free)}"
    drawn, shape = float(added.shape[1]), (len(read), len(asked))
    # A loss that is infinite has no variance.
    with np.errstate(invalid="ignore"):
        table = added @ added.T
    table = table * (1.0 if codes is None else drawn / free if free else math.nan)
    estimates = {
        (model, str(metric)): _estimate(metric, part, float(spread), level, rule, free)
        for ((model, metric), part), spread in zip(parts.items(), np.diag(table), strict=True)
    }
    covariance, values = (
        table.reshape(*shape, *shape),
        np.array([part.value for part in parts.values()]).reshape(shape),
    )
    fewest = (
        np.array([min(drawn, *part.sizes) for part in parts.values()]).reshape(shape).min(axis=0)
    )
    most = np.array([part.most for part in parts.values()]).reshape(shape)[0]
    overall = {
        str(metric): all_alike(values[:, k].tolist(), covariance[:, k, :, k], str(metric))
        for k, metric in enumerate(asked)
        if len(read) > 2 and np.isfinite(values[:, k]).all()
    }
    found = ScoreComparison(
        {}, tuple(map(str, asked)), estimates, (), overall, {}, design, level, adjust=adjust, values=values,
        covariance=covariance, fewest=fewest, most=most, drawn=drawn, free=free, is_plain=rule != "score",
    )  # fmt: skip
    pairs = list(combinations(read, 2))
    differences, bounds = found._adjusted(asked, pairs)
    return replace(
        found, differences=tuple(differences), notes=tuple(how_adjusted(adjust, bounds, len(pairs)))
    )


def _rule_of(method: Any, asked: Sequence[Asked], clusters: Any) -> Any:
    """The method, which only the area of items of two classes has a choice of."""
    rule = method_of("roc_auc", method)
    if rule != "score" and (
        clusters is not None or any(str(metric) != "roc_auc" for metric in asked)
    ):
        msg = "{method} is of roc_auc alone, of two classes and without clusters; leave it out"
        raise InputError(Message(msg))
    return rule


def _clusters(free: float) -> str:
    """How many clusters leave these degrees of freedom."""
    return f"{free + 1:,.0f} cluster{'s' * (free != 0)}"


def _estimate(
    asked: Asked, part: Part, variance: float, level: float, rule: Any, free: float
) -> Estimate:
    """The interval of one model's score."""
    value, lost = part.value, not math.isfinite(part.value)
    design = "items" if math.isinf(free) else _clusters(free)
    known: dict[str, Any] = {"design": design, "name": str(asked)}
    if lost or min(part.sizes) < 2 or free < 1:
        note = asked.undefined if lost else "too few items of a class, or clusters, for an interval"
        return Estimate(value, math.nan, math.nan, level, note=note, **known)
    if asked.name == "log_loss":
        if variance <= _ROUNDING * value**2:
            note = "all items have the same loss"
            return Estimate(value, math.nan, math.nan, level, note=note, **known)
        error = math.sqrt(variance)
        reach = student_quantile((1 + level) / 2, free) * error / value
        ends = value * math.exp(-reach), value * math.exp(reach)
        return Estimate(value, *ends, level, "normal on the log scale", se=error, **known)
    rule = rule if str(asked) == "roc_auc" and math.isinf(free) else None
    note = remarks(asked.name, *part.sizes) if asked.name in AREAS and not asked.average else ""
    area = Area(value / part.most, variance / part.most**2, *part.sizes)
    found = bounded(area, level, rule, part.least, free, note=note, **known)
    return replace(
        found,
        value=value,
        low=found.low * part.most,
        high=found.high * part.most,
        se=math.sqrt(variance),
    )

"""Asked: a score with the wishes for its interval, checked once, and the estimates that are built from it.

Bounds hold the value and stay where the score can be; what is unknown is said beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import label_spelt
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import one_of, told, whole_number
from confmat.core.samples import holds_weights
from confmat.core.stack import Stack
from confmat.intervals.bounds import by_effective_items, by_normal, check_level, ends_of
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.known import doubt, known_as
from confmat.intervals.variance import Design, squares_known, table_read
from confmat.metrics import Average, Metric, Score, parse_score
from confmat.metrics.averages import Undefined, average_named, check_undefined
from confmat.metrics.catalog import unseen
from confmat.metrics.entropies import sharing
from confmat.metrics.margins import Outside

Array = NDArray[np.float64]
Method = Literal["wilson", "exact", "score", "wald", "bootstrap", "bayes", "anytime"]
_METHODS: tuple[Method, ...] = get_args(Method)
# Where looks at any time are usually narrowest.
AT = 1000
# The axis of a sweep, and the areas under its curves.
AXIS = "threshold"
# The axis of several classes, each against the rest.
EACH = f"label, {AXIS}"
AreaName = Literal["roc_auc", "average_precision"]
AREAS: tuple[AreaName, ...] = get_args(AreaName)
_NAMED: dict[str, AreaName] = {area: area for area in AREAS}
AreaMethod = Literal["score", "delong", "logit"]

# Methods that draw tables.
SAMPLED = {"bootstrap", "bayes"}
_FIXED = {"actual": "actual totals fixed", "predicted": "predicted totals fixed"}
_OF_SWEEP = (
    "confmat.{0}(t) is a function of a whole sweep over thresholds, of which roc_auc and "
    "average_precision have "
    "intervals: interval(thresholds(actual, scores), 'roc_auc'); so has a metric of the matrix at "
    "one threshold, "
    "interval(t[0.5], 'recall')"
)
_NO_SQUARES = "the squares of its weights are not known, so a weight of 1 is taken for one item"
_UNKNOWN = "its variance has no value here, so nothing is known beyond the bounds of the score"


def area_named(score: Any) -> tuple[AreaName | None, str]:
    """The area that a score names, as a text or as the function that computes it, and its class; None of others."""
    name, _, of = (
        score if isinstance(score, str) else str(getattr(score, "__name__", ""))
    ).partition("[")
    return _NAMED.get(name), of.removesuffix("]")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A score and the wishes for its interval; `drawn` and `note` describe the items in words."""

    metric: Metric
    of: Any = None
    average: Average | None = None
    undefined: Undefined = "fair"
    weights: Any = None
    outside: Outside = "wrong"
    level: float = 0.95
    method: Method = "wilson"
    design: Design = "multinomial"
    at_prevalence: Any = None
    draws: int = 10_000
    seed: Any = 0
    drawn: str = ""
    note: str = ""

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of a call of the metric."""
        if self.of is not None:
            return {"of": self.of, "outside": self.outside}
        keywords: dict[str, Any] = {
            "average": self.average,
            "weights": self.weights,
            "outside": self.outside,
        }
        return (
            keywords if self.metric.kind == "matrix" else {**keywords, "undefined": self.undefined}
        )

    @property
    def per_class(self) -> bool:
        """Whether every class is asked for."""
        return (
            self.metric.kind == "class"
            and self.of is None
            and self.average is None
            and self.weights is None
        )

    @property
    def name(self) -> str:
        """The score as it is spelt."""
        return str(Score(self.metric, self.average, self.of))


def ask(
    m: ConfusionMatrix | Stack, score: Any, *, labels: Labels | None = None, **wishes: Any
) -> Asked:
    """Read and check a score and the wishes for its interval, which are fields of `Asked`.

    `labels` name the classes of the score, if not those of the matrix.
    """
    parsed = parse_score(score)
    metric = parsed.metric
    if not isinstance(metric, Metric):
        raise InputError(_no_metric(metric))
    asked = Asked(metric=metric, **wishes)
    of = _class(asked, parsed, m.labels if labels is None else labels)
    average: Any = parsed.average if asked.average is None else asked.average
    if average is None and asked.weights is not None:
        average = "weighted"
    if of is not None and average is not None:
        msg = "ask for one class (`of`) or for an average, not for both"
        raise InputError(msg)
    average = None if average is None else average_named(average)
    check_level(asked.level)
    check_undefined(asked.undefined)
    drawn, note = _drawn(m, asked.design)
    draws = _check_method(asked)
    asked = replace(asked, of=of, average=average, draws=draws, drawn=drawn, note=note)
    return fitted(asked, m) if isinstance(m, ConfusionMatrix) else asked


def _class(asked: Asked, score: Score, labels: Labels) -> Any:
    """The class that is asked for: as a wish, or within the name of the score."""
    if asked.of is not None or score.of is None:
        return asked.of
    return label_spelt(labels, score.of)


def _check_method(asked: Asked) -> int:
    """Check the method, and return how many tables it draws."""
    one_of("method", asked.method, _METHODS)
    if asked.method not in SAMPLED:
        return asked.draws
    _check_seed(asked.seed)
    return whole_number("draws", asked.draws)


def fitted(asked: Asked, m: ConfusionMatrix) -> Asked:
    """Return the wishes with the bounds that the score has in this matrix, and a remark on classes that never occur."""
    metric = asked.metric
    if metric.association is not None and not metric.population:
        table = table_read(m, asked.outside, metric.sees, None)
        sizes = [int(np.count_nonzero(side)) for side in (table.actual, table.predicted)]
        size = min(sizes) if min(sizes) > 1 else table.size
        greatest = math.log(size) if metric.association == "information" else size - 1
        most = float(metric.formula(sharing(table, metric.association, greatest)))
        least, declared = metric.bounds
        most = most if declared is None else min(most, declared)
        asked = replace(
            asked, metric=metric if math.isnan(most) else replace(metric, bounds=(least, most))
        )
    score = Score(asked.metric, asked.average)
    notes = [asked.note, unseen(score, m, asked.undefined, asked.outside, asked.weights)]
    if asked.average is None and known_as(metric):
        notes.append(doubt([metric], m, asked.of))
    return replace(asked, note="; ".join(filter(None, notes)))


def _no_metric(value: Any) -> str:
    if getattr(value, "__module__", "").startswith("confmat.deciding"):
        return _OF_SWEEP.format(value.__name__)
    return f"{value!r} is a value that another package computes; an interval needs a metric"


def _check_seed(seed: Any) -> None:
    try:
        np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        msg = f"`seed` is a whole number, several of them, a Generator of NumPy or None, not {told(seed)}"
        raise InputError(msg) from error


def _drawn(m: ConfusionMatrix | Stack, design: Any) -> tuple[str, str]:
    """Describe how the items were drawn, with a remark on their weights."""
    if not isinstance(m, ConfusionMatrix):
        return f"{len(m)} cluster{'s' * (len(m) > 1)}", ""
    if holds_weights(m):
        return "weighted items", "" if squares_known(m) else _NO_SQUARES
    return _FIXED.get(design, design) if isinstance(design, str) else "", ""


# --- estimates ------------------------------------------------------------------------------------


def by_gradient(
    asked: Asked,
    value: float,
    error: float,
    near: float,
    spread: float,
    *,
    further: float = 1.0,
    note: str = "",
) -> Estimate:
    """Return the estimate from the standard error, and from the value and variance with one item spread.

    It reaches `further` than a normal one where few clusters were drawn; then there are fewer
    effective items, too.
    """
    rule, spread = ", Student's t" if further > 1 else "", further * further * spread
    if asked.method == "wald":
        low, high = by_normal(asked.metric, value, further * error, asked.level)
        return one_estimate(asked, value, low, high, error, math.nan, f"Wald{rule}", note)
    low, high, items, name = by_effective_items(
        asked.metric, value, near, spread, asked.level, asked.method
    )
    return one_estimate(asked, value, low, high, error, items, f"{name}{rule}", note)


def one_estimate(
    asked: Asked,
    value: float,
    low: Any,
    high: Any,
    error: float,
    items: Any,
    method: str,
    note: str = "",
) -> Estimate:
    """Return the estimate of one number."""
    low, high, unknown = _within(asked, value, low, high)
    notes = "; ".join(part for part in (note, asked.note, _UNKNOWN if unknown else "") if part)
    return Estimate(
        value,
        float(low),
        float(high),
        asked.level,
        method,
        asked.drawn,
        float(items),
        float(error),
        notes,
        asked.name,
    )


def every_estimate(
    asked: Asked,
    labels: Labels,
    value: Array,
    low: Any,
    high: Any,
    error: Array,
    items: Any,
    method: str,
    notes: tuple[str, ...] = (),
) -> Estimates:
    """Return the estimates of every class, from an array of each of their parts."""
    low, high, unknown = _within(asked, value, low, high)
    lost = np.isnan(value)
    if asked.note or lost.any() or unknown.any() or any(notes):
        given = notes or ("",) * len(value)
        reasons = np.where(lost, _reason(asked.metric), np.where(unknown, _UNKNOWN, "")).tolist()
        told = np.where(lost, "", asked.note).tolist()
        notes = tuple(
            "; ".join(filter(None, each)) for each in zip(given, reasons, told, strict=True)
        )
    else:
        notes = ()
    items = np.where(lost, np.nan, items)
    return Estimates(
        labels,
        value,
        low,
        high,
        error,
        items,
        asked.level,
        method,
        asked.drawn,
        notes,
        asked.metric.name,
    )


def together(asked: Asked, labels: Labels, each: list[Estimate]) -> Estimates:
    """Return the estimates of every class, from the estimate of each."""
    return Estimates._of_each(labels, each, asked.metric.name)


def without(asked: Asked, m: ConfusionMatrix) -> Estimate | Estimates:
    """Return a score, or that of each class, without an interval; the note of the question says why."""
    value = np.asarray(asked.metric(m, **asked.keywords), np.float64)
    lost = np.full(value.shape, math.nan)
    if not asked.per_class:
        return Estimate(
            float(value),
            math.nan,
            math.nan,
            asked.level,
            design=asked.drawn,
            note=asked.note,
            name=asked.name,
        )
    notes = (asked.note,) * len(value)
    return Estimates(
        m.labels,
        value,
        lost,
        lost,
        lost,
        lost,
        asked.level,
        "",
        asked.drawn,
        notes,
        asked.metric.name,
    )


def nothing(asked: Asked) -> Estimate:
    """Return the estimate of a score that has no value."""
    lost = math.nan
    return Estimate(
        lost, lost, lost, asked.level, "", asked.drawn, note=_reason(asked.metric), name=asked.name
    )


def _reason(metric: Metric) -> str:
    return metric.undefined or "it has no value"


def _within(asked: Asked, value: Any, low: Any, high: Any) -> tuple[Array, Array, Any]:
    """Hold bounds within those of the score and around the value; unknown ones become those of the score."""
    least, most = ends_of(asked.metric)
    lost = np.isnan(value)
    unknown = ~lost & (np.isnan(low) | np.isnan(high))
    low = np.where(unknown, least, np.minimum(np.maximum(low, least), most))
    high = np.where(unknown, most, np.minimum(np.maximum(high, least), most))
    if asked.method not in SAMPLED:
        # Percentiles of draws may miss the value of a biased score; every other method reaches out
        # from it.
        low, high = np.fmin(low, value), np.fmax(high, value)
    return low, high, unknown

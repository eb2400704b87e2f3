"""What an interval is asked of: a score, and how its interval is wanted; checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics import Average, Metric, Score, parse_score
from confmat.metrics.averages import Undefined, average_named
from confmat.metrics.margins import Outside
from confmat.metrics.scores import label_spelt
from confmat.uncertainty.variance import Design

__all__ = ["METHODS", "SAMPLED", "Asked", "Method", "asked_of"]

Method = Literal["wilson", "exact", "jeffreys", "wald", "fisher", "bootstrap", "bca", "bayes"]
METHODS = ("wilson", "exact", "jeffreys", "wald", "fisher", "bootstrap", "bca", "bayes")
# Those that draw tables.
SAMPLED = {"bootstrap", "bca", "bayes"}


@dataclass(frozen=True)
class Asked:
    """A score and how its interval is wanted."""

    metric: Metric
    of: Any
    average: Average | None
    undefined: Undefined
    weights: Any
    outside: Outside
    level: float
    method: Method
    design: Design
    draws: int
    seed: Any
    weighted: bool = False

    @property
    def how(self) -> dict[str, Any]:
        """The keywords of a call of the metric."""
        if self.metric.kind == "matrix":
            return {"outside": self.outside}
        found: dict[str, Any] = {"undefined": self.undefined, "outside": self.outside}
        if self.of is not None:
            return {"of": self.of, "outside": self.outside}
        return {"average": self.average, "weights": self.weights, **found}

    @property
    def per_class(self) -> bool:
        """Whether every class is asked for."""
        return self.metric.kind == "class" and self.of is None and self.average is None and self.weights is None

    @property
    def name(self) -> str:
        """The score as it is spelt."""
        return str(Score(self.metric, self.average, self.of))


def asked_of(score: Any, m: Any, of: Any, average: Any, undefined: Any, weights: Any, *rest: Any) -> Asked:
    """The question, from the arguments of `interval` in their order."""
    parsed = parse_score(score)
    if not isinstance(parsed.metric, Metric):
        msg = f"{parsed.metric!r} is a value that another package computes; an interval needs a metric"
        raise InputError(msg)
    if of is None and parsed.of is not None:
        of = label_spelt(m.labels, parsed.of)
    if average is None:
        average = parsed.average
    outside, level, method, design, draws, seed = rest
    if not 0 < level < 1:
        msg = f"`level` is between 0 and 1, such as 0.95; got {level!r}"
        raise InputError(msg)
    if method not in METHODS:
        msg = f"`method` is one of {', '.join(METHODS)}; got {method!r}"
        raise InputError(msg)
    if of is not None and (average is not None or weights is not None):
        msg = "ask for one class (`of`) or for an average, not for both"
        raise InputError(msg)
    if average is None and weights is not None:
        average = "weighted"
    how = None if average is None else average_named(average)
    weighted = isinstance(m, ConfusionMatrix) and m.is_weighted
    return Asked(parsed.metric, of, how, undefined, weights, outside, level, method, design, draws, seed, weighted)

"""What an interval is asked of: a score, and how its interval is wanted; checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import one_of, told, whole_number
from confmat.core.stack import Stack
from confmat.intervals.binomial import check_level
from confmat.intervals.smoothing import squares_known
from confmat.intervals.variance import Design
from confmat.metrics import Average, Metric, Score, parse_score
from confmat.metrics.averages import Undefined, average_named, check_undefined
from confmat.metrics.catalog import label_spelt
from confmat.metrics.margins import Outside

__all__ = ["METHODS", "SAMPLED", "Asked", "Method", "asked_of"]

Method = Literal["wilson", "exact", "jeffreys", "agresti-coull", "mid-p", "wald", "fisher", "bootstrap", "bca", "bayes"]
METHODS: tuple[Method, ...] = get_args(Method)
# What other packages call them.
_OTHERWISE: dict[str, Method] = {
    "agresti_coull": "agresti-coull",
    "beta": "exact",
    "clopper-pearson": "exact",
    "midp": "mid-p",
    "score": "wilson",
}
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
    # How the items were drawn, in words, and what is to be said of them.
    drawn: str = ""
    note: str = ""

    @property
    def how(self) -> dict[str, Any]:
        """The keywords of a call of the metric."""
        if self.of is not None:
            return {"of": self.of, "outside": self.outside}
        found: dict[str, Any] = {"average": self.average, "weights": self.weights, "outside": self.outside}
        return found if self.metric.kind == "matrix" else {**found, "undefined": self.undefined}

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
        if getattr(parsed.metric, "__module__", "").startswith("confmat.deciding"):
            msg = (
                f"confmat.{parsed.metric.__name__} is a function of a whole sweep over thresholds, and has no interval "
                "here; a metric of the matrix at one threshold has one, such as interval('recall', t[0.5])"
            )
            raise InputError(msg)
        msg = f"{parsed.metric!r} is a value that another package computes; an interval needs a metric"
        raise InputError(msg)
    if of is None and parsed.of is not None:
        of = label_spelt(m.labels, parsed.of)
    if average is None:
        average = parsed.average
    outside, level, method, design, draws, seed = rest
    check_level(level)
    check_undefined(undefined)
    method = _OTHERWISE.get(method, method) if isinstance(method, str) else method
    one_of("method", method, METHODS)
    if method in SAMPLED:
        draws = whole_number("draws", draws)
        _check_seed(seed)
    if of is not None and (average is not None or weights is not None):
        msg = "ask for one class (`of`) or for an average, not for both"
        raise InputError(msg)
    if average is None and weights is not None:
        average = "weighted"
    how = None if average is None else average_named(average)
    return Asked(
        parsed.metric, of, how, undefined, weights, outside, level, method, design, draws, seed, *_drawn(design, m)
    )


def _check_seed(seed: Any) -> None:
    try:
        np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        msg = f"`seed` is a whole number, several of them, a Generator of NumPy or None, not {told(seed)}"
        raise InputError(msg) from error


def _drawn(design: str, m: Any) -> tuple[str, str]:
    """How the items were drawn, in words, and what is to be said of it."""
    if isinstance(m, Stack):
        return f"{len(m)} clusters", ""
    if isinstance(m, ConfusionMatrix) and m.is_weighted:
        unsure = "of its weights no squares are known, so a weight of 1 is taken for one item"
        return "weighted items", "" if squares_known(m) else unsure
    named = {"actual": "actual totals fixed", "predicted": "predicted totals fixed"}
    return named.get(design, design) if isinstance(design, str) else "", ""

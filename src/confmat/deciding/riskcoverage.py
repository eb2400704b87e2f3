"""The risk-coverage curve: how wrong a model is about the items it is most confident of, and the areas below."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.errors import Argument, InputError, Message
from confmat.core.options import told
from confmat.core.tables import Column, Table
from confmat.deciding.confidences import read_confident
from confmat.deciding.curves import Curve
from confmat.deciding.reading import Missing

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

__all__ = ["RiskCoverage", "RiskPoint", "risk_coverage"]

Array = NDArray[Any]

# Shares that agree to twelve digits are equal.
_EQUAL = 1e-12


class RiskPoint(NamedTuple):
    """A point of a risk-coverage curve: the share of items answered, that of wrong ones among them, the threshold."""

    coverage: float
    risk: float
    threshold: float


@dataclass(frozen=True, eq=False)
class RiskCoverage(Curve):
    """A Curve whose `x` is the coverage and `y` the selective risk, with the areas that sum it up.

    At each threshold the items whose confidence is at least the threshold are answered: `x` is their share
    (coverage), `y` the share of wrong answers among them (selective risk; NaN where nothing is answered), and
    `generalised` the share of all items that are answered wrongly (generalised risk, the product of both).
    Equal confidences are answered together, so the curve has one point for each distinct confidence.
    """

    generalised: Array = field(repr=False)

    @property
    def aurc(self) -> float:
        """Area under the risk-coverage curve, by steps: each item brings the risk at the threshold that admits it.

        Without ties it is the mean of the selective risks at 1, 2, ..., n answers (Geifman, Uziel and El-Yaniv 2019).
        It gives errors among the most confident answers far more weight than others; see `augrc`.
        """
        return self.area("step")

    @property
    def augrc(self) -> float:
        """Area under the generalised risk over the coverage, by trapezoids (Traub et al. 2024): lower is better.

        It is (1 - AUROC) a (1 - a) + (1 - a)² / 2 with the accuracy a and the AUROC of confidence for telling right
        from wrong answers: the chance that a random item is a wrong answer and more confident than a second one, ties
        counted half.
        """
        height = (self.generalised[1:] + self.generalised[:-1]) / 2
        return float(np.sum(np.diff(self.x) * height))

    def at_coverage(self, coverage: float) -> RiskPoint:
        """The highest threshold at which at least this share of the items is answered."""
        wanted = _share("coverage", coverage)
        return self._point(int(np.argmax(self.x >= wanted - _EQUAL)))

    def at_risk(self, risk: float) -> RiskPoint:
        """The threshold with the largest coverage whose selective risk is at most this; coverage 0 if there is none."""
        with np.errstate(invalid="ignore"):
            allowed = np.flatnonzero(self.y <= _share("risk", risk) + _EQUAL)
        return self._point(int(allowed[-1]) if len(allowed) else 0)

    def _point(self, place: int) -> RiskPoint:
        return RiskPoint(float(self.x[place]), float(self.y[place]), float(self.thresholds[place]))

    def table(self) -> Table:
        """Return the points as a table."""
        table = super().table()
        return replace(table, columns=(*table.columns, Column("generalised risk", self.generalised, head=None)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with both areas."""
        found = {**super().to_dict(), "generalised risk": self.generalised.tolist()}
        return {**found, "aurc": self.aurc, "augrc": self.augrc}


def risk_coverage(
    actual: Any,
    predicted: Any,
    confidence: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    missing: Missing = "error",
    normalise: Answers | None = None,
) -> RiskCoverage:
    """How the risk of a wrong answer grows with the share of items that are answered: the surest answers first.

    predicted: the answer to each item; one that is no class ("(invalid)") is wrong wherever it is answered.
    confidence: one finite number per item, higher for surer; equal ones are answered together.
    labels: the classes, if others than those that occur.
    weights: one number per item, which counts as so many.
    missing: an item without a label or confidence is an "error", or "drop" leaves it out.
    normalise: the rules by which free answers become labels.

    >>> curve = risk_coverage([1, 0, 1, 0], [1, 0, 0, 0], [0.9, 0.8, 0.6, 0.6])
    >>> print(curve)
    threshold  coverage  selective risk
          inf    0.0000               –
          0.9    0.2500          0.0000
          0.8    0.5000          0.0000
          0.6    1.0000          0.2500
    >>> curve.aurc, curve.augrc, curve.at_risk(0.1)
    (0.125, 0.0625, RiskPoint(coverage=0.5, risk=0.0, threshold=0.8))
    """
    items = read_confident(actual, predicted, confidence, labels, weights, missing, normalise)
    wrong = items.actual != items.predicted
    each = np.ones(len(wrong), np.int64) if items.weights is None else items.weights
    answered, errors = (np.append(0, np.cumsum(part)[items.ends]) for part in (each, each * wrong))
    if items.weights is not None and items.weights.dtype.kind == "f":
        # What is left over of rounding is no error.
        errors = np.minimum(errors, answered)
    risk = np.full(len(answered), np.nan)
    np.divide(errors, answered, out=risk, where=answered > 0)
    keys = np.append(np.inf, items.confidence[items.ends].astype(np.float64))
    return RiskCoverage(
        "risk-coverage",
        "coverage",
        "selective risk",
        *map(frozen, (answered / answered[-1], risk, keys, errors / answered[-1])),
    )


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value <= 1:
        msg = Message("{} is a share from 0 to 1, not {}", Argument(name), told(value))
        raise InputError(msg)
    return float(value)

"""Confidence of answers: abstaining below a threshold, and the risk among the most confident items."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import DENSE_BYTES, Counts, frozen
from confmat.core.errors import Argument, BudgetError, InputError, Message
from confmat.core.keys import Descending
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import Notes
from confmat.core.options import door, one_of, told, whole_number
from confmat.core.stack import Stack
from confmat.core.tables import Column, Table
from confmat.counting.columns import whole_column
from confmat.counting.door import check_indexes, policy_of
from confmat.counting.look import look
from confmat.counting.shapes import check_shapes
from confmat.counting.tables import Raw, coded, offsets, place_columns, side_of
from confmat.counting.weights import read_weights, squared
from confmat.deciding.curves import Curve
from confmat.deciding.model_scores import Missing, present, read_scores
from confmat.deciding.sweeps import check_points, read_grid, spread
from confmat.intervals.asked import AXIS

if TYPE_CHECKING:
    from confmat.answers import Answers

Array = NDArray[Any]

_NO_ITEMS = "there are no items, so there is nothing to be confident of"


@dataclass(frozen=True)
class Confident:
    """Items from the most to the least confident answer: their classes as codes, and weights if there are some.

    `ends` is where the last of several equal confidences is.
    """

    labels: Labels
    actual: Array
    predicted: Array
    confidence: Array
    weights: Array | None
    ends: Array
    notes: Notes = ()


def read_confident(
    actual: Any,
    predicted: Any,
    confidence: Any,
    labels: Iterable[Any] | None,
    weights: Any,
    missing: Missing,
    answers: Answers | None,
) -> Confident:
    """Read and check what belongs to the items; one that is missing anything is an error, or left out."""
    one_of("missing", missing, Missing)
    check_shapes(actual, predicted)
    row, col = whole_column(actual, "actual"), whole_column(predicted, "predicted")
    sure = _read_confidence(confidence)
    sizes = {"actual": len(row.codes), "predicted": len(col.codes), "confidence": len(sure)}
    if len(set(sizes.values())) > 1:
        sizes_in_words = Message.joined(
            ", ", (Message("{} has {:,}", Argument(name), size) for name, size in sizes.items())
        )
        msg = Message(
            "there is one label on each side and one confidence per item, but {}", sizes_in_words
        )
        raise InputError(msg)
    if not len(sure):
        raise InputError(_NO_ITEMS)
    check_indexes(actual, predicted=predicted, confidence=confidence, weights=weights)
    numbers = None if weights is None else read_weights(weights, len(sure), like=actual)
    policy = policy_of(
        labels, missing, "error" if answers is None else "collect", None, MAX_CLASSES, answers
    )
    left, right = coded(row), coded(col)
    nothing, names = Raw(None, None, None), (Message("{actual}"), Message("{predicted}"))
    every = np.ones(len(sure), bool)
    sides = [
        side_of(side, nothing, axis, names[axis], every) for axis, side in enumerate((left, right))
    ]
    placement = place_columns(left, right, policy, *sides)
    codes = placement.rows[offsets(left)], placement.cols[offsets(right)]
    kept = (codes[0] >= 0) & (codes[1] >= 0)
    known = present(sure, missing, "confidence")
    found = _ordered(
        placement.labels, *codes, sure, numbers, kept if known is None else kept & known
    )
    counts = Counts.of_cells(
        len(found.labels), found.actual, found.predicted, np.ones(len(found.actual), np.int64)
    )
    return replace(found, notes=look(ConfusionMatrix._of(found.labels, counts), policy).notes)


def _read_confidence(confidence: Any) -> Array:
    values = read_scores(confidence, "confidence").values
    if values.ndim != 1:
        msg = Message(
            "{confidence} is one number per item, not of shape {}; of scores per class, the largest",
            values.shape,
        )
        raise InputError(msg)
    if np.isinf(values).any():
        msg = Message(
            "{confidence} holds {:,} infinite numbers; thresholds lie between finite ones",
            int(np.isinf(values).sum()),
        )
        raise InputError(msg)
    return values


def _ordered(
    labels: Labels, actual: Array, predicted: Array, sure: Array, weights: Array | None, kept: Array
) -> Confident:
    if weights is not None:
        # Who weighs nothing is not there, and makes no threshold.
        kept = kept & (weights != 0)
    places = np.flatnonzero(kept)
    places = places[np.argsort(-sure[places], kind="stable")]
    if not len(places):
        raise InputError(_NO_ITEMS)
    sure = sure[places]
    ends = np.append(np.flatnonzero(sure[1:] != sure[:-1]), len(sure) - 1)
    numbers = None if weights is None else weights[places]
    return Confident(labels, actual[places], predicted[places], sure, numbers, ends)


ABSTAINED = "(abstained)"


def abstain(
    actual: Any,
    predicted: Any,
    confidence: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    missing: Missing = "error",
    answers: Answers | None = None,
    thresholds: Any = None,
    max_points: int | None = None,
) -> Stack:
    """Count the matrix at every threshold of confidence.

    An answer that is less confident than the threshold is taken back and counts under
    "(abstained)", a label outside the classes. So every metric gives a value for each threshold: as
    errors (`outside="wrong"`, the default), or of the answered items alone (`outside="exclude"`).

    Parameters
    ----------
    actual
        The actual labels.
    predicted
        The answer to each item.
    confidence
        One finite number for each item, higher for surer.
    labels
        The classes, if others than those that occur.
    weights
        One number for each item: how many items it counts as.
    missing
        "error", or "drop" to leave out items without a label or confidence.
    answers
        The rules by which free answers become labels.
    thresholds
        The thresholds to take besides infinity; by default every distinct confidence.
    max_points
        The most distinct confidences to take, evenly spread over the items.

    Returns
    -------
    Stack
        The keys are the thresholds, the highest first; the first is infinity, where nothing is
        answered.

    Examples
    --------
    >>> from confmat import accuracy
    >>> t = abstain([1, 0, 1, 0], [1, 0, 0, 0], [0.9, 0.8, 0.6, 0.5])
    >>> accuracy(t).tolist(), accuracy(t, outside="exclude").tolist()
    ([0.0, 0.25, 0.5, 0.5, 0.75], [nan, 1.0, 1.0, 0.6666666666666666, 0.75])
    """
    check_points(thresholds, max_points)
    items = read_confident(actual, predicted, confidence, labels, weights, missing, answers)
    keys = items.confidence[items.ends].astype(np.float64)
    if thresholds is not None:
        keys = read_grid(thresholds)[::-1]
    elif max_points is not None and len(keys) > (most := whole_number("max_points", max_points)):
        keys = keys[spread(items.ends + 1, most)]
    names = items.labels
    if ABSTAINED not in names.outside:
        names = names.replace(outside=[*names.outside, ABSTAINED])
    _check_room(len(keys) + 1, names)
    # How many items, the surest first, are answered at each threshold.
    answered = np.append(
        0, np.searchsorted(-items.confidence.astype(np.float64), -keys, side="right")
    )
    return _stacked(items, np.append(np.inf, keys), answered, names)._noted(items.notes)


def _check_room(many: int, labels: Labels) -> None:
    if many * len(labels) ** 2 * 8 > DENSE_BYTES:
        budget = f"{DENSE_BYTES // 2**20:,} MB"
        msg = f"{many:,} matrices of {len(labels):,} labels take more than {budget}; say max_points=100"
        raise BudgetError(msg)


def _stacked(items: Confident, keys: Array, answered: Array, labels: Labels) -> Stack:
    weights = items.weights
    table = _tables(
        items,
        answered,
        labels,
        np.ones(len(items.actual), np.int64) if weights is None else weights,
    )
    second = None if weights is None else squared(weights)
    squares = None if second is None else _tables(items, answered, labels, second)
    if table.dtype.kind == "f":
        total = table.sum(axis=(1, 2))
    else:
        total = np.broadcast_to(np.int64(table[0].sum()), (len(keys),))
    return Stack._of_table(table, labels, Descending(keys), total, AXIS, squares)


def _tables(items: Confident, answered: Array, labels: Labels, each: Array) -> Array:
    """One table for each threshold: cells up to where answers are given, and what is taken back in its own column."""
    size, many = len(labels), len(answered)
    # Codes of outside labels follow the classes in both; only the one for abstentions may be new.
    column = labels.n_classes + labels.outside.index(ABSTAINED)
    places = np.arange(len(each))
    # The first threshold at which each item is answered; where it never is, beyond the last.
    first = np.searchsorted(answered, places, side="right")
    given, taken = (np.zeros((many + 1, size, size), each.dtype) for _ in range(2))
    np.add.at(given, (first, items.actual, items.predicted), each)
    np.add.at(taken, (first, items.actual, np.full(len(each), column)), each)
    above = np.cumsum(given, axis=0)[:many]
    # The remaining items are added up from the other end: a difference of sums would leave rounding
    # where nothing is.
    below = np.cumsum(taken[::-1], axis=0)[::-1][1:]
    return above + below


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

    At each threshold the items whose confidence is at least the threshold are answered: `x` is
    their share (coverage), `y` the share of wrong answers among them (selective risk; NaN where
    nothing is answered), and `generalized` the share of all items that are answered wrongly
    (generalized risk, the product of both). Equal confidences are answered together, so the curve
    has one point for each distinct confidence.
    """

    generalized: Array = field(repr=False)

    @property
    def aurc(self) -> float:
        """Area under the risk-coverage curve, by steps: each item brings the risk at the threshold that admits it.

        Without ties it is the mean of the selective risks at 1, 2, ..., n answers (Geifman, Uziel
        and El-Yaniv 2019). It gives errors among the most confident answers far more weight than
        others; see `augrc`.
        """
        return self.area("step")

    @property
    def augrc(self) -> float:
        """Area under the generalized risk over the coverage, by trapezoids (Traub et al. 2024): lower is better.

        It is (1 - AUROC) a (1 - a) + (1 - a)² / 2 with the accuracy a and the AUROC of confidence
        for telling right from wrong answers: the chance that a random item is a wrong answer and
        more confident than a second one, ties counted half.
        """
        height = (self.generalized[1:] + self.generalized[:-1]) / 2
        return float(np.sum(np.diff(self.x) * height))

    def at_coverage(self, coverage: float) -> RiskPoint:
        """Return the highest threshold at which at least a share of the items is answered.

        Parameters
        ----------
        coverage
            The share, from 0 to 1.

        Returns
        -------
        RiskPoint
        """
        wanted = _share("coverage", coverage)
        return self._point(int(np.argmax(self.x >= wanted - _EQUAL)))

    def at_risk(self, risk: float) -> RiskPoint:
        """Return the threshold with the largest coverage whose selective risk stays within a limit.

        Parameters
        ----------
        risk
            The limit, from 0 to 1.

        Returns
        -------
        RiskPoint
            Its coverage is 0 if no threshold keeps the limit.
        """
        with np.errstate(invalid="ignore"):
            allowed = np.flatnonzero(self.y <= _share("risk", risk) + _EQUAL)
        return self._point(int(allowed[-1]) if len(allowed) else 0)

    def _point(self, place: int) -> RiskPoint:
        return RiskPoint(float(self.x[place]), float(self.y[place]), float(self.thresholds[place]))

    def table(self) -> Table:
        """Return the points as a table."""
        table = super().table()
        return replace(
            table, columns=(*table.columns, Column("generalized risk", self.generalized, head=None))
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with both areas."""
        data = {**super().to_dict(), "generalized risk": self.generalized.tolist()}
        return {**data, "aurc": self.aurc, "augrc": self.augrc}


@door
def risk_coverage(
    actual: Any,
    predicted: Any,
    confidence: Any,
    *,
    labels: Iterable[Any] | None = None,
    weights: Any = None,
    missing: Missing = "error",
    answers: Answers | None = None,
) -> RiskCoverage:
    """Trace how the risk of a wrong answer grows with the share of items that are answered, the surest first.

    Parameters
    ----------
    actual
        The actual labels.
    predicted
        The answer to each item; an answer outside the classes ("(invalid)") is wrong wherever it is
        given.
    confidence
        One finite number for each item, higher for surer; equal ones are answered together.
    labels
        The classes, if others than those that occur.
    weights
        One number for each item: how many items it counts as.
    missing
        "error", or "drop" to leave out items without a label or confidence.
    answers
        The rules by which free answers become labels.

    Returns
    -------
    RiskCoverage
        The risk at every coverage, and the areas AURC and AUGRC under it.

    Examples
    --------
    >>> curve = risk_coverage([1, 0, 1, 0], [1, 0, 0, 0], [0.9, 0.8, 0.6, 0.6])
    >>> print(curve)
            threshold  coverage  selective risk
    above every score    0.0000               –
                  0.9    0.2500          0.0000
                  0.8    0.5000          0.0000
                  0.6    1.0000          0.2500
    >>> curve.aurc, curve.augrc, curve.at_risk(0.1)
    (0.125, 0.0625, RiskPoint(coverage=0.5, risk=0.0, threshold=0.8))
    """
    items = read_confident(actual, predicted, confidence, labels, weights, missing, answers)
    wrong = items.actual != items.predicted
    each = np.ones(len(wrong), np.int64) if items.weights is None else items.weights
    answered, errors = (np.append(0, np.cumsum(part)[items.ends]) for part in (each, each * wrong))
    if items.weights is not None and items.weights.dtype.kind == "f":
        # A remainder of rounding is no error.
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
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float, np.number))
        or not 0 <= value <= 1
    ):
        msg = Message("{} is a share from 0 to 1, not {}", Argument(name), told(value))
        raise InputError(msg)
    return float(value)

"""Shares of the classes where a model or a judge is used, from its answers there and a reference matrix with the truth.

With M_ij, how often class i is answered with j, and the shares q of the answers, p = (M^T)^-1 q:
the corrected prevalence of Rogan and Gladen (American Journal of Epidemiology 107, 1978), of
quantification (Forman, 2008) and of label shift (Lipton, Wang and Smola, 2018). Where no share
comes out below 0 it is the likeliest p, too; at the edge EM finds that one (Saerens, Latinne and
Decaestecker, Neural Computation 14, 2002). The reference must answer each class as the answers
there do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import by_label
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door, one_of, told
from confmat.core.samples import holds_weights
from confmat.core.text import some
from confmat.intervals.bounds import check_level, quantile
from confmat.intervals.estimates import Estimates

Array = NDArray[np.float64]
# Beyond it a reference tells nothing that is no rounding.
_SINGULAR = 1e10
_MOST_STEPS = 100_000
# So many standard errors below 0 is no noise.
_FAR = 3


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Prevalence(Estimates):
    """Estimated shares of the classes, with the covariance that `interval(m, score, at_prevalence=it)` carries on."""

    covariance: Array
    reference: ConfusionMatrix
    inverse: Array
    answers: float

    def _spread(self, slope: Array, *, given_reference: bool = False) -> float:
        """Return the variance of a score from its slope by each share; given the reference, of the answers alone."""
        if not given_reference:
            return float(slope @ self.covariance @ slope)
        back, mean = slope @ self.inverse, slope @ self.value
        table = self.reference.counts
        return float(
            (self.value @ (table / table.sum(axis=1, keepdims=True)) @ (back - mean) ** 2)
            / self.answers
        )


@door
def estimate_prevalence(
    counts: Mapping[Any, float] | Iterable[float],
    *,
    reference: ConfusionMatrix,
    method: Literal["ml", "matrix"] = "ml",
    level: float = 0.95,
) -> Prevalence:
    """Return the shares of the classes where a model or a judge is used, from the numbers of its answers there.

    Parameters
    ----------
    counts
        How often each class was answered: a mapping of class to number, or numbers in the order of
        the labels.
    reference
        The matrix of items with a known truth that the same model or judge answered. Shares of its
        classes do not matter, but each class must be answered there as it is where the answers come
        from.
    method
        "ml", the likeliest shares, which are never below 0; or "matrix", the same where none is,
        and elsewhere below 0 or beyond 1.
    level
        How often each interval should hold the truth. Two classes have the adjusted one of Lee and
        others (2025, arXiv 2511.21140), more have one by Fieller's rule, both of counts with a few
        items added.

    Examples
    --------
    >>> import confmat as cm
    >>> m = cm.ConfusionMatrix([[180, 20], [60, 140]], labels=["bad", "good"])
    >>> print(estimate_prevalence({"bad": 400, "good": 600}, reference=m))
    bad   0.167 [0.056, 0.263]
    good  0.833 [0.737, 0.944]
    """
    one_of("method", method, ("ml", "matrix"))
    check_level(level)
    table = _table_of(reference)
    answers = _answers(counts, reference)
    rates = table / table.sum(axis=1, keepdims=True)
    condition = float(np.linalg.cond(rates))
    if not condition < _SINGULAR:
        msg = (
            "the answers of the reference do not tell its classes apart, so no shares follow from "
            "answers: a class is "
            "never answered, or two are answered alike; merge them in both, or take a reference "
            "that tells them apart"
        )
        raise InputError(msg)
    notes = [f"condition number {condition:.3g}"]
    number = float(answers.sum())
    shares = np.linalg.solve(rates.T, answers / number)
    inverse, covariance = _covariance(table, shares, number)
    if (shares < 0).any():
        if (shares < -_FAR * np.sqrt(np.maximum(covariance.diagonal(), 0.0))).any():
            notes.append(
                "the answers do not fit the reference, so its classes were probably answered in "
                "another way"
            )
        elif method == "matrix":
            notes.append("a share below 0 is noise; method='ml' has none")
        if method == "ml":
            shares = _likeliest(rates, answers / number)
            inverse, covariance = _covariance(table, shares, number)
            none = [
                label for label, share in zip(reference.labels, shares, strict=True) if not share
            ]
            notes.append(f"the likeliest share of {some(none)} is 0")
    low, high = _bounds(table, answers, level)
    error = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    inside = np.clip(shares, 0.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.where(inside * (1 - inside) > 0, inside * (1 - inside) / error**2, np.nan)
    estimator = "maximum likelihood" if method == "ml" else "matrix method"
    return Prevalence(
        reference.labels, shares, np.minimum(low, inside), np.maximum(high, inside), error, alike, level,
        f"{estimator}, {'adjusted (Lee and others)' if len(shares) == 2 else 'Fieller'}",
        f"{number:,.0f} answers, {table.sum():,.0f} reference items", ("; ".join(notes),) * len(shares),
        "prevalence", covariance=covariance, reference=reference, inverse=inverse, answers=number,
    )  # fmt: skip


def _covariance(table: Array, shares: Array, answers: float) -> tuple[Array, Array]:
    """The inverse B of the transposed rates, and B (S_q + sum_i p_i^2 S_i / n_i) B^T with multinomial S."""
    items = table.sum(axis=1)
    rates = table / items[:, None]
    inverse = np.linalg.inv(rates.T)
    each = shares**2 / items
    within = shares @ rates / answers + each @ rates
    return inverse, (inverse * within) @ inverse.T - np.outer(shares, shares) / answers - np.diag(
        each
    )


def _bounds(table: Array, counts: Array, level: float) -> tuple[Array, Array]:
    """Bounds within 0 and 1 of every share, of counts with z^2 answers and two items of each class added.

    A bound is z times the standard error away that the share has *there* (Fieller), where the other
    shares move along as they do in the estimate. Lee and others step by a part of that in two
    classes.
    """
    size, square = len(table), quantile(level) ** 2
    table, counts = table + 2 / size, counts + square / size
    items, answers = table.sum(axis=1), float(counts.sum())
    rates = table / items[:, None]
    determinant = float(np.linalg.det(rates))
    if not determinant:
        return np.zeros(size), np.ones(size)
    shares = np.linalg.solve(rates.T, counts / answers)
    inverse, covariance = _covariance(table, shares, answers)
    spread = covariance.diagonal()
    moved = covariance / spread[:, None]
    noise = np.maximum(inverse**2 @ rates.T - np.eye(size), 0.0) / items
    room = 1 - square * (noise * moved**2).sum(axis=1)
    with np.errstate(all="ignore"):
        shift = square * (noise * moved * shares).sum(axis=1) / room
        half = np.sqrt(shift**2 + square * spread / room)
    if size == 2:
        shift, half = 2 * determinant**2 * shift * room, np.sqrt(square * spread)
    centre = np.clip(shares + shift, 0.0, 1.0)
    low, high = np.where(room > 0, centre - half, 0.0), np.where(room > 0, centre + half, 1.0)
    return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)


def _likeliest(rates: Array, q: Array) -> Array:
    """The shares that make the answers likeliest, by EM."""
    answered = q > 0
    rates, q = rates[:, answered], q[answered]
    shares = np.full(len(rates), 1 / len(rates))
    for _ in range(_MOST_STEPS):
        before, shares = shares, shares * (rates @ (q / (shares @ rates)))
        if np.abs(shares - before).max() < 1e-15:
            break
    shares = np.where(shares < 1e-12, 0.0, shares)
    return shares / shares.sum()


def _table_of(m: Any) -> Array:
    """The counts of the reference, in which every class has items."""
    if not isinstance(m, ConfusionMatrix):
        msg = f"`reference` is a ConfusionMatrix with the truth, not {told(m)}; {MAKES_ONE}"
        raise InputError(msg)
    if m.labels.outside or holds_weights(m):
        msg = "shares follow from a reference of counted items without weights and without labels outside the classes"
        raise InputError(msg)
    lost = [
        label for label, items in zip(m.labels.classes, m.actual_totals, strict=True) if not items
    ]
    if lost or m.n_classes < 2:
        msg = (
            f"the reference has no items of {some(lost)}"
            if lost
            else "the reference has a single class"
        )
        msg += ": nothing is known of how they are answered; leave such a class out, or add items of it"
        raise InputError(msg)
    return np.asarray(m.counts, dtype=np.float64)


def _answers(counts: Any, m: ConfusionMatrix) -> Array:
    """How often each class was answered, in the order of the labels."""
    found = np.zeros(m.n_classes)
    by_name = by_label(counts, m.labels, "counts")
    places = [*range(m.n_classes)] if by_name is None else [*map(m.labels.index, by_name)]
    try:
        numbers = np.array([*(counts if by_name is None else by_name.values())])
        fits = numbers.shape == (len(places),) and numbers.dtype.kind in "iufO"
        np.add.at(found, places, numbers.astype(np.float64) if fits else np.nan)
    except (TypeError, ValueError):
        found[:] = np.nan
    whole = np.isfinite(found) & (found >= 0) & (np.abs(found - np.rint(found)) < 1e-6)
    if not (whole.all() and found.any()):
        msg = (
            f"`counts` says how often each of {m.n_classes} classes was answered: a mapping of "
            "class to number, or "
            f"whole numbers in the order of the labels; got {told(counts)}"
        )
        raise InputError(msg)
    return np.rint(found)

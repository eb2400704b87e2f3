"""Tests of models on the same items, each under its own name and answering its own question.

McNemar (1947), with the mid-p value that Fagerland, Lydersen and Laake, BMC Medical Research
Methodology 13 (2013), recommend, and with the interval of Tango, Statistics in Medicine 17 (1998);
Cochran's Q (1950) for more than two models; Stuart (1955) and Maxwell (1970), Bhapkar (1966) and
Bowker (1948) on the table of two models' answers; Holm's (1979) correction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import CallError
from confmat.core.options import door, whole_number
from confmat.intervals.bounds import quantile, student_quantile

Array = NDArray[np.float64]
# A number, or many.
Number = TypeVar("Number", float, Array)


@dataclass(frozen=True)
class Significance:
    """A test: its statistic, degrees of freedom and p-value, and the question it answers."""

    name: str
    question: str
    statistic: float
    df: int
    p_value: float

    def __str__(self) -> str:
        p = "< 1e-300" if self.p_value < 1e-300 else f"= {self.p_value:.3g}"
        return (
            f"{self.name}: chi-squared {self.statistic:.4g}, df {self.df}, p {p} ({self.question})"
        )


@dataclass(frozen=True)
class McNemar(Significance):
    """McNemar's test, whose p-value is the mid-p value; `discordant` are the items that one side alone had right."""

    discordant: tuple[int, int]

    @property
    def exact_p(self) -> float:
        """The exact p-value, which is safer than it need be."""
        return exact_p(*self.discordant)


@door
def mcnemar(b: int, c: int | None = None) -> McNemar:
    """Test whether two models, or two tests of the same patients, are right equally often: McNemar's, by its mid-p.

    Parameters
    ----------
    b, c
        How many items only the first had right, and only the second: the discordant cells of the
        table of both.

    Returns
    -------
    McNemar
        With `p_value`, the mid-p value; `exact_p`; and `statistic`, the chi-squared without a
        correction.

    Raises
    ------
    InputError
        If one of them is no whole number, or below 0.

    Examples
    --------
    >>> found = mcnemar(6, 16)
    >>> print(
    ...     f"mid-p {found.p_value:.4f}, exact {found.exact_p:.4f}, chi-squared {found.statistic:.3f}"
    ... )
    mid-p 0.0347, exact 0.0525, chi-squared 4.545
    """
    if c is None or hasattr(b, "__len__"):
        msg = (
            "`mcnemar` takes two numbers, of the items that only the first had right and that only "
            "the second had: "
            "mcnemar(6, 16); of a table of both, right or wrong, they are mcnemar(table[0][1], "
            "table[1][0]); "
            "compare_predictions(actual, {'old': old, 'new': new}) takes the answers of two models"
        )
        raise CallError(msg)
    first, second = whole_number("b", b, 0), whole_number("c", c, 0)
    statistic = (first - second) ** 2 / (first + second) if first + second else 0.0
    question = "are both right equally often?"
    return McNemar("McNemar, mid-p", question, statistic, 1, mid_p(first, second), (first, second))


def mid_p(first: float, second: float) -> float:
    """McNemar's two-sided mid-p value of the items that only one model, or only the other, had right.

    >>> round(mid_p(6, 16), 4), round(mid_p(5, 5), 4), mid_p(0, 0)
    (0.0347, 0.877, 1.0)
    """
    least, most = np.sort(np.array([[first], [second]], dtype=np.float64), axis=0)
    return float(mid_p_each(least, most)[0])


def mid_p_each(first: Array, second: Array, share: Any = 0.5) -> Array:
    """The same of many, by how likely one item falls to the first: a half, or its share of items that are not paired.

    >>> mid_p_each(np.array([6.0, 0.0]), np.array([16.0, 0.0])).round(4).tolist()
    [0.0347, 1.0]
    """
    n, share = first + second, np.asarray(share)
    most, less = _at_most(first, n, share), _at_most(first - 1, n, share)
    more = _at_most(second - 1, n, 1 - share) + _at_most(second, n, 1 - share)
    # In the middle, the outcome is its own mirror image, and half of its chance counts.
    return np.where(n > 0, np.minimum(np.minimum(most + less, more), 1 - (most - less) / 2), 1.0)


def _at_most(k: Array, n: Array, share: Any) -> Array:
    """The chance that at most k of n items fall to the first."""
    # All of scipy.stats would take as long as everything else.
    from scipy.special import betainc

    inside = (k >= 0) & (k < n)
    chance = betainc(np.where(inside, n - k, 1), np.where(inside, k + 1, 1), 1 - share)
    return np.where(inside, chance, k >= n)


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values: each is the level that it would have to be below for all claims to hold.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    adjusted[order] = np.minimum(
        1.0, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1))
    )
    return [float(value) for value in adjusted]


def cochran(right: Sequence[float], both: Array) -> Significance:
    """Cochran's Q from how many items each model has right, and how many each two have right together."""
    g = np.asarray(right, dtype=np.float64)
    k = len(g)
    squares = g.sum() + 2 * np.triu(both, 1).sum()
    bottom = k * g.sum() - squares
    q = float((k - 1) * (k * (g * g).sum() - g.sum() ** 2) / bottom) if bottom > 0 else 0.0
    return _tested("Cochran's Q", "do all models have the same accuracy?", q, k - 1)


def joint(differences: Array, covariance: Array, name: str, test: str = "Wald") -> Significance:
    """Test that several differences are all nothing."""
    statistic, df = _wald(differences, covariance)
    return _tested(test, f"do all models have the same {name}?", statistic, df)


def stuart_maxwell(table: Array) -> Significance:
    """Whether both models name each class equally often, from the table of their answers."""
    gap, covariance, _ = _margins(table)
    statistic, df = _wald(gap, covariance)
    return _tested("Stuart-Maxwell", _FREQUENCIES, statistic, df)


def bhapkar(table: Array) -> Significance:
    """The same question as Stuart and Maxwell's, with more power."""
    gap, covariance, n = _margins(table)
    statistic, df = _wald(gap, covariance - np.outer(gap, gap) / n) if n else (0.0, 0)
    return _tested("Bhapkar", _FREQUENCIES, statistic, df)


def bowker(table: Array) -> Significance:
    """Whether the answers of both models are exchanged as often one way as the other, for each pair of classes."""
    table = np.asarray(table, dtype=np.float64)
    upper = np.triu_indices(len(table), 1)
    above, below = table[upper], table.T[upper]
    some = above + below > 0
    statistic = float(((above - below)[some] ** 2 / (above + below)[some]).sum())
    return _tested(
        "Bowker",
        "is each class exchanged for each other equally often both ways?",
        statistic,
        int(some.sum()),
    )


_FREQUENCIES = "do both models name each class equally often?"


def _margins(table: Array) -> tuple[Array, Array, float]:
    table = np.asarray(table, dtype=np.float64)
    seen = table.sum(axis=0) + table.sum(axis=1) > 0
    table = table[np.ix_(seen, seen)]
    rows, cols = table.sum(axis=1), table.sum(axis=0)
    covariance = -(table + table.T)
    np.fill_diagonal(covariance, rows + cols - 2 * np.diag(table))
    return (rows - cols)[:-1], covariance[:-1, :-1], float(table.sum())


def _wald(gap: Array, covariance: Array) -> tuple[float, int]:
    if not len(gap):
        return 0.0, 0
    if not (np.isfinite(gap).all() and np.isfinite(covariance).all()):
        return math.nan, len(gap)
    rank = int(np.linalg.matrix_rank(covariance))
    return (float(gap @ np.linalg.pinv(covariance) @ gap), rank) if rank else (0.0, 0)


def _tested(name: str, question: str, statistic: float, df: int) -> Significance:
    from scipy.special import chdtrc

    p = float(chdtrc(df, statistic)) if df else 1.0
    return Significance(name, question, statistic, df, p if not math.isnan(statistic) else math.nan)


def normal_p(difference: float, error: float) -> float:
    """The two-sided p-value of a difference that is normal around nothing."""
    if math.isnan(error):
        return math.nan
    if error > 0:
        return math.erfc(abs(difference) / error / math.sqrt(2))
    return 1.0 if difference == 0 else (math.nan if math.isnan(difference) else 0.0)


def student_p(difference: float, error: float, free: float) -> float:
    """The same where the standard error comes from few parts, with few degrees of freedom."""
    if math.isinf(free) or not error > 0:
        return normal_p(difference, error)
    from scipy.special import stdtr

    return 2 * float(stdtr(free, -abs(difference) / error))


def least_p(differing: float) -> float:
    """The least mid-p value of any test of `differing` items: if models are alike, each may as well be swapped.

    Where all of them speak for one model the derivative sees no doubt at all, but three items are
    three items.
    """
    return 0.5 ** min(differing, 1000.0)


def p_and_error(
    difference: float, error: float, differing: float, free: float = math.inf
) -> tuple[float, float]:
    """Return the p-value, at least the least of n items or clusters, and the standard error that goes with it."""
    plain = student_p(difference, error, free)
    p = max(plain, least_p(differing))
    # By the lower tail: the upper one is 1 for many items that all speak for one model.
    return p, abs(difference) / -student_quantile(
        p / 2, free
    ) if plain < p < 1 and difference else error


def tango(
    first: Number, second: Number, n: float, level: float, free: float = math.inf
) -> tuple[Number, Number]:
    """Tango's interval of a paired difference: all that its score test does not reject, by t with the given degrees.

    >>> low, high = tango(1, 7, 21, 0.95)
    >>> round(low, 3), round(high, 3)
    (-0.517, -0.026)
    """
    return within(
        first,
        second,
        n,
        quantile(level) if math.isinf(free) else student_quantile((1 + level) / 2, free),
    )


def within(first: Number, second: Number, n: float, reach: float) -> tuple[Number, Number]:
    """Return the same by how many standard errors it reaches."""
    return -_farthest(second, first, n, reach), _farthest(first, second, n, reach)


def _farthest(first: Number, second: Number, n: float, reach: float) -> Number:
    """Return the greatest difference, of one pair or of many, that is within reach of the one seen."""
    low = (first - second) / n
    step = (1 - low) / 2
    for _ in range(_HALVINGS):
        middle = low + step
        # How often the second alone is right, likeliest if this were the difference.
        half = ((2 * n - first + second) * middle - first - second) / (4 * n)
        rare = (half * half + second * middle * (1 - middle) / (2 * n)) ** 0.5 - half
        is_near = (n * middle - first + second) ** 2 <= reach**2 * n * (
            2 * rare + middle * (1 - middle)
        )
        low, step = low + step * is_near, step / 2
    return low + 2 * step


# After this many terms the rest of an interval is below the last digit.
_HALVINGS = 56


def exact_p(first: float, second: float) -> float:
    """McNemar's exact two-sided p-value.

    >>> round(exact_p(1, 7), 4), exact_p(5, 5)
    (0.0703, 1.0)
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(int(min(first, second)), int(first + second), 0.5)))

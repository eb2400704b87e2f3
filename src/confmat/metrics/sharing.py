"""Information shared by both sides, as a share of the total and beyond what chance shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import largest, ratio, smallest, sqrt0
from confmat.metrics.declaration import MatrixMetric, of_matrix
from confmat.metrics.entropies import actual_entropy, deviance, information, predicted_entropy
from confmat.metrics.margins import Table, as_floats

__all__ = [
    "adjusted_mutual_information",
    "completeness",
    "homogeneity",
    "nmi_geometric",
    "nmi_max",
    "nmi_min",
    "v_measure",
]

Floats = NDArray[np.float64]

# This many standard deviations, and this many items more, hold all but 1e-17 of a hypergeometric
# distribution.
_WIDTH, _MARGIN = 8.5, 12.0
# At two points per standard deviation the trapezoid sum of a bell is exact to 1e-34.
_POINTS = 2.0
# Pairs of class sizes that are handled at once: 2**12 x 35 numbers stay in a cache.
_BLOCK = 2**12
# Pairs of different class sizes take a second, all together; more are refused.
MOST_PAIRS = 2**19


def expected_information(actual: Any, predicted: Any) -> float:
    """Expected mutual information, in nats, of two random labellings with these class sizes.

    The sum over all tables with these margins (Vinh, Epps and Bailey 2010) is taken cell by cell. A
    cell is hypergeometric; where it is far from its bounds, a few points per standard deviation
    give its mean exactly, so that the cost does not grow with the number of items. Classes of one
    size are counted, and not repeated.

    >>> round(expected_information([2, 2], [2, 2]), 6)
    0.231049
    """
    (rows, row_times), (cols, col_times) = (_counted(sizes) for sizes in (actual, predicted))
    n = float(rows @ row_times)
    # Less than one item shares nothing by chance, and the square of a larger number has no float.
    if not 1 <= n <= 2.0**500:
        return math.nan
    if len(rows) * len(cols) > MOST_PAIRS:
        msg = (
            f"chance is summed over {MOST_PAIRS:,} pairs of different class sizes at most, and "
            "here are "
            f"{len(rows):,} x {len(cols):,}; `v_measure` compares so many classes without chance"
        )
        raise MetricError(msg)
    step = max(1, _BLOCK // len(cols))
    parts = (slice(start, start + step) for start in range(0, len(rows), step))
    return (
        sum(float(row_times[part] @ _cells(rows[part], cols, n) @ col_times) for part in parts) / n
    )


def _counted(sizes: Any) -> tuple[Floats, Any]:
    """The sizes of classes that hold anything, and how often each comes."""
    given = np.asarray(sizes, dtype=np.float64)
    return np.unique(given[given > 0], return_counts=True)


def _cells(rows: Floats, cols: Floats, n: float) -> Floats:
    """For each size of a row and of a column the mean of x log(n x / r c)."""
    r, c = (side.ravel() for side in np.meshgrid(rows, cols, indexing="ij"))
    mean = r / n * c
    # Distances to the bounds; their product rule (mean * rest = miss * extra) makes the deviance
    # work below.
    parts = np.stack([mean, r - mean, c - mean, (n - r) / n * (n - c)])
    deviation = np.sqrt(mean * (n - r) / n * (n - c) / max(n - 1.0, 1.0))
    far = (parts > _WIDTH * deviation + _MARGIN).all(axis=0)
    found = np.empty(len(r))
    if far.any():
        found[far] = _bell(parts[:, far], deviation[far])
    found[~far] = kernels.kernel.shared_by_chance(r[~far], c[~far], n)
    return found.reshape(len(rows), len(cols))


def _bell(parts: Floats, deviation: Floats) -> Floats:
    """Far from the bounds: the trapezoid sum over points around the mean."""
    steps = np.arange(-np.ceil(_WIDTH * _POINTS), np.ceil(_WIDTH * _POINTS) + 1)
    offset = np.maximum(deviation / _POINTS, 1.0)[:, None] * steps
    inside = (np.abs(offset) < parts.min(axis=0)[:, None]) | (offset == 0)
    offset = np.where(inside, offset, 0.0)
    logs = np.zeros_like(offset)
    for part, sign in zip(parts, (1, -1, -1, 1), strict=True):
        mean = part[:, None]
        logs -= mean * deviance(sign * offset / mean) + _stirling(mean + sign * offset, mean)
    chance = np.where(inside, np.exp(logs - logs.max(axis=1, keepdims=True)), 0.0)
    mean = parts[0][:, None]
    return np.asarray((chance * mean * deviance(offset / mean)).sum(axis=1) / chance.sum(axis=1))


def _stirling(count: Floats, mean: Floats) -> Floats:
    """Return the excess of the logarithm of a factorial over its deviance, up to a constant."""
    inverse = 1.0 / count
    square = inverse * inverse
    return np.asarray(
        0.5 * np.log(count / mean)
        + inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680)))
    )


_ONE_ACTUAL = "only one class occurs in the truth, or the matrix is empty"
_ONE_PREDICTED = "only one class is ever predicted, or the matrix is empty"
_ONE_BOTH = "each side names only one class, or the matrix is empty"
_ONE_EITHER = "one side names only one class, or the matrix is empty"
Mean = Callable[[Any, Any], Any]


@of_matrix(
    title="Homogeneity",
    aliases=(
        "relative_classifier_information",
        "rci",
        "theil_u_reference",
        "uncertainty_coefficient_reference",
    ),
    latex=r"\frac{I}{H(r)}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_ACTUAL,
    transposed="completeness",
    needs="cells",
    association="information",
    references=("RosenbergHirschberg2007", "SindhwaniBhattacharyaRakshit2001", "Theil1970"),
    peers={"sklearn": "homogeneity_score", "torchmetrics": "homogeneity_score", "pycm": "RCI"},
    family="sharing",
)
def homogeneity(t: Table) -> Any:
    """Share of the uncertainty about the actual class that the predicted one takes away: Theil's U, PyCM's RCI.

    It is 1 for every one-to-one naming, not only for the right one. scikit-learn says 1 where only
    one class occurs; there is no uncertainty to take a share of.
    """
    return ratio(information(t), actual_entropy(t))


@of_matrix(
    title="Completeness",
    aliases=("theil_u", "theil_u_response", "uncertainty_coefficient", "theils_u"),
    latex=r"\frac{I}{H(c)}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_PREDICTED,
    transposed="homogeneity",
    needs="cells",
    association="information",
    references=("RosenbergHirschberg2007", "Theil1970"),
    peers={"sklearn": "completeness_score", "torchmetrics": ("completeness_score", "theils_u")},
    family="sharing",
)
def completeness(t: Table) -> Any:
    """Share of the uncertainty about the predicted class that the actual one takes away."""
    return ratio(information(t), predicted_entropy(t))


@of_matrix(
    title="V-measure",
    aliases=(
        "normalized_mutual_information",
        "nmi",
        "nmi_arithmetic",
        "symmetric_uncertainty",
        "theil_u_symmetric",
    ),
    latex=r"\frac{2 I}{H(c) + H(r)}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_BOTH,
    symmetric=True,
    needs="cells",
    association="information",
    references=("RosenbergHirschberg2007", "StrehlGhosh2002"),
    peers={
        "sklearn": ("v_measure_score", "normalized_mutual_info_score"),
        "torchmetrics": ("v_measure_score", "normalized_mutual_info_score"),
    },
    family="sharing",
)
def v_measure(t: Table) -> Any:
    """Harmonic mean of homogeneity and completeness.

    It is the mutual information over the mean of the two entropies. scikit-learn says 1 where each
    side names a single class.
    """
    return ratio(2 * information(t), predicted_entropy(t) + actual_entropy(t))


def _geometric(first: Any, second: Any) -> Any:
    return sqrt0(first * second)


_MEANS: dict[str, Mean] = {"geometric": _geometric, "min": smallest, "max": largest}


def _normalized(name: str, title: str, latex: str, undefined: str) -> MatrixMetric:
    mean = _MEANS[name]

    @of_matrix(
        title=f"Mutual information over the {title} of the entropies",
        name=f"nmi_{name}",
        aliases=(f"normalized_mutual_information_{name}",),
        latex=latex,
        bounds=(0, 1),
        chance=0,
        undefined=undefined,
        symmetric=True,
        smooth=name == "geometric",
        needs="cells",
        association="information",
        references=("VinhEppsBailey2010",),
        peers={"sklearn": f"normalized_mutual_info_score(average_method='{name}')"},
        family="sharing",
    )
    def formula(t: Table) -> Any:
        """Mutual information as a share of a mean of the two entropies."""
        return ratio(information(t), mean(actual_entropy(t), predicted_entropy(t)))

    return formula


nmi_geometric = _normalized(
    "geometric", "geometric mean", r"\frac{I}{\sqrt{H(r) H(c)}}", _ONE_EITHER
)
nmi_min = _normalized("min", "lesser", r"\frac{I}{\min(H(r), H(c))}", _ONE_EITHER)
nmi_max = _normalized("max", "greater", r"\frac{I}{\max(H(r), H(c))}", _ONE_BOTH)


@of_matrix(
    title="Adjusted mutual information",
    aliases=("ami",),
    latex=r"\frac{I - E[I]}{M(H(r), H(c)) - E[I]}",
    bounds=(None, 1),
    chance=0,
    undefined="each side names only one class or gives every item its own, or the matrix is empty",
    symmetric=True,
    scale_free=False,
    smooth=False,
    needs="cells",
    association="information",
    population="v_measure",
    references=("VinhEppsBailey2010",),
    peers={"sklearn": "adjusted_mutual_info_score", "torchmetrics": "adjusted_mutual_info_score"},
    family="sharing",
)
def adjusted_mutual_information(t: Table) -> Any:
    """Mutual information beyond what labellings of the same class sizes share by chance.

    M is the mean of both entropies. The expectation is over all tables with the same margins, so
    the counts must be numbers of items. It is 1 for every one-to-one naming, not only for the right
    one. scikit-learn says 1 where there is nothing to share. I and E[I] are right to about 1e-14 of
    themselves, so a score near 0 is right to 1e-14 of I. E[I] is a sum over pairs of different
    class sizes, up to 2^19 of them.
    """
    chance = _expected(t)
    mean_entropy = (actual_entropy(t) + predicted_entropy(t)) / 2
    room = mean_entropy - chance
    # Nothing to share: both sides are certain, and what is left is rounding.
    room = room * (abs(room) > 1e-14 * abs(mean_entropy))
    return ratio(information(t) - chance, room)


def _expected(t: Table) -> Any:
    """Expected information per matrix; the numbers leave their arithmetic here, as a stack's do one by one."""
    actual, predicted = as_floats(t.actual), as_floats(t.predicted)
    shape = actual.shape[:-1]
    sides = zip(actual.reshape(-1, t.size), predicted.reshape(-1, t.size), strict=True)
    # Weights beyond 1e150 are no numbers of items, and their squares no numbers at all.
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.array(
            [expected_information(*pair) if pair[0].any() else np.nan for pair in sides]
        )
    return found.reshape(shape)[()]

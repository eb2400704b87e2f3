"""Information shared by both sides, as a share of the total: homogeneity, completeness, and their means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.core.errors import MetricError
from confmat.core.options import one_of
from confmat.metrics.arithmetic import constant, largest, ratio, smallest, sqrt0
from confmat.metrics.declaration import MatrixMetric, factory, of_matrix, positive_number
from confmat.metrics.entropies import actual_entropy, information, predicted_entropy
from confmat.metrics.expected_information import expected_information
from confmat.metrics.margins import Table, as_floats, kept_if

__all__ = [
    "adjusted_mutual_information",
    "adjusted_mutual_information_by",
    "completeness",
    "homogeneity",
    "nmi_geometric",
    "nmi_max",
    "nmi_min",
    "v_measure",
    "v_measure_beta",
]


_WIDTH, _MARGIN = 8.5, 12.0
_ALONE, _FACTOR, _NODES = 16, 4.0, 28.0


_ONE_ACTUAL = "only one class occurs in the truth, or the matrix is empty"
_ONE_PREDICTED = "only one class is ever predicted, or the matrix is empty"
_ONE_BOTH = "each side names only one class, or the matrix is empty"
_ONE_EITHER = "one side names only one class, or the matrix is empty"
_PLAIN = ("normalized_mutual_information", "nmi", "nmi_arithmetic", "symmetric_uncertainty", "theil_u_symmetric")
Mean = Callable[[Any, Any], Any]


@of_matrix(
    title="Homogeneity",
    aliases=("relative_classifier_information", "rci", "theil_u_reference", "uncertainty_coefficient_reference"),
    latex=r"\frac{I}{H(r)}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_ACTUAL,
    transposed="completeness",
    rational=False,
    needs="cells",
    references=("RosenbergHirschberg2007", "SindhwaniBhattacharyaRakshit2001", "Theil1970"),
    peers={"sklearn": "homogeneity_score", "torchmetrics": "homogeneity_score", "pycm": "RCI"},
    family="sharing",
)
def homogeneity(t: Table) -> Any:
    """Share of the uncertainty about the actual class that the predicted one takes away: Theil's U, PyCM's RCI.

    It is 1 for every one-to-one naming, not only for the right one. scikit-learn says 1 where only one class
    occurs; there is no uncertainty to take a share of.
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
    rational=False,
    needs="cells",
    references=("RosenbergHirschberg2007", "Theil1970"),
    peers={"sklearn": "completeness_score", "torchmetrics": ("completeness_score", "theils_u")},
    family="sharing",
)
def completeness(t: Table) -> Any:
    """Share of the uncertainty about the predicted class that the actual one takes away."""
    return ratio(information(t), predicted_entropy(t))


@factory(title="V-measure with a weight", example=(2,), peers={"sklearn": "v_measure_score(beta=...)"})
def v_measure_beta(beta: float = 1) -> MatrixMetric:
    """Weighted harmonic mean of homogeneity and completeness; above 1, `beta` favours completeness.

    >>> v_measure_beta(1)
    <Metric v_measure: Weighted harmonic mean of homogeneity and completeness.>
    """
    beta = positive_number("beta", beta)
    plain = beta == 1

    @of_matrix(
        title="V-measure" if plain else f"V-measure, beta {beta:g}",
        name="v_measure" if plain else f"v_measure_beta({beta:g})",
        aliases=_PLAIN if plain else (),
        latex=r"\frac{(1 + \beta) I}{\beta H(c) + H(r)}".replace(r"\beta", f"{beta:g}"),
        bounds=(0, 1),
        chance=0,
        undefined=_ONE_BOTH,
        symmetric=plain,
        rational=False,
        needs="cells",
        references=("RosenbergHirschberg2007", "StrehlGhosh2002"),
        peers=_V_PEERS if plain else {},
        family="sharing",
    )
    def formula(t: Table) -> Any:
        """Weighted harmonic mean of homogeneity and completeness.

        With beta = 1 it is the mutual information over the mean of the two entropies. scikit-learn says 1 where
        each side names a single class.
        """
        weight = constant(beta, t.diagonal)
        bottom = weight * predicted_entropy(t) + actual_entropy(t)
        return ratio((1 + weight) * information(t), bottom)

    return formula


_V_PEERS = {
    "sklearn": ("v_measure_score", "normalized_mutual_info_score"),
    "torchmetrics": ("v_measure_score", "normalized_mutual_info_score"),
}
v_measure = v_measure_beta(1)


def _geometric(first: Any, second: Any) -> Any:
    return sqrt0(first * second)


def _arithmetic(first: Any, second: Any) -> Any:
    return ratio(first + second, constant(2, first))


_MEANS: dict[str, Mean] = {"arithmetic": _arithmetic, "geometric": _geometric, "min": smallest, "max": largest}


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
        rational=False,
        needs="cells",
        references=("VinhEppsBailey2010",),
        peers={"sklearn": f"normalized_mutual_info_score(average_method='{name}')"},
        family="sharing",
    )
    def formula(t: Table) -> Any:
        """Mutual information as a share of a mean of the two entropies."""
        return ratio(information(t), mean(actual_entropy(t), predicted_entropy(t)))

    return formula


nmi_geometric = _normalized("geometric", "geometric mean", r"\frac{I}{\sqrt{H(r) H(c)}}", _ONE_EITHER)
nmi_min = _normalized("min", "lesser", r"\frac{I}{\min(H(r), H(c))}", _ONE_EITHER)
nmi_max = _normalized("max", "greater", r"\frac{I}{\max(H(r), H(c))}", _ONE_BOTH)


@factory(
    title="Adjusted mutual information by a mean",
    example=("max",),
    aliases=("ami_by",),
    peers={"sklearn": "adjusted_mutual_info_score(average_method=...)"},
)
def adjusted_mutual_information_by(mean: str = "arithmetic") -> MatrixMetric:
    """Mutual information beyond chance over a mean of the entropies: arithmetic, geometric, min or max.

    >>> adjusted_mutual_information_by("max").name
    'adjusted_mutual_information(max)'
    """
    one_of("mean", mean, _MEANS, MetricError)
    plain = mean == "arithmetic"

    @of_matrix(
        title="Adjusted mutual information" + ("" if plain else f" ({mean})"),
        name="adjusted_mutual_information" if plain else f"adjusted_mutual_information({mean})",
        aliases=("ami",) if plain else (),
        latex=r"\frac{I - E[I]}{M(H(r), H(c)) - E[I]}",
        bounds=(None, 1),
        chance=0,
        undefined="each side names only one class or gives every item its own, or the matrix is empty",
        symmetric=True,
        scale_free=False,
        smooth=False,
        rational=False,
        needs="cells",
        references=("VinhEppsBailey2010",),
        peers=_AMI_PEERS if plain else {},
        family="sharing",
    )
    def formula(t: Table) -> Any:
        """Mutual information beyond what labellings of the same class sizes share by chance.

        The expectation is over all tables with the same margins, so the counts must be numbers of items. It is 1
        for every one-to-one naming, not only for the right one. scikit-learn says 1 where there is nothing to
        share. I and E[I] are right to about 1e-14 of themselves, so a score near 0 is right to 1e-14 of I.
        """
        chance, shared = _expected(t), information(t)
        mean_entropy = _MEANS[mean](actual_entropy(t), predicted_entropy(t))
        room = mean_entropy - chance
        # Nothing to share: both sides are certain, and what is left is rounding.
        room = kept_if(room, abs(room) > 1e-14 * abs(mean_entropy))
        return ratio(shared - chance, room)

    return formula


_AMI_PEERS = {"sklearn": "adjusted_mutual_info_score", "torchmetrics": "adjusted_mutual_info_score"}


def _expected(t: Table) -> Any:
    """Expected information per matrix; the numbers leave their arithmetic here, as a stack's do one by one."""
    actual, predicted = as_floats(t.actual), as_floats(t.predicted)
    shape = actual.shape[:-1]
    sides = zip(actual.reshape(-1, t.size), predicted.reshape(-1, t.size), strict=True)
    # Weights beyond 1e150 are no numbers of items, and their squares no numbers at all.
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.array([expected_information(*pair) if pair[0].any() else np.nan for pair in sides])
    return found.reshape(shape)[()]


adjusted_mutual_information = adjusted_mutual_information_by("arithmetic")

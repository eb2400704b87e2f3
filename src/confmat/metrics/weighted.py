"""Agreement beyond chance with weights: disagreements between close classes count less than between distant ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.errors import Message, MetricError
from confmat.core.options import told
from confmat.metrics.arithmetic import is_exact, ratio, spread
from confmat.metrics.declaration import Metric, Table, of_matrix
from confmat.metrics.factories import factory
from confmat.metrics.scales import (
    Scale,
    actual_below,
    all_apart,
    exact_numbers,
    inside,
    predicted_below,
    read_scale,
    running,
    spaced,
    table_of,
)

__all__ = ["gwet_ac2", "weighted_kappa", "weighted_kappa_linear", "weighted_kappa_quadratic"]

_POWERS = {"linear": 1, "quadratic": 2}
_NO_VARIETY = "no disagreement is expected by chance, or no item is answered with a class"
Weights = str | float | tuple[tuple[float, ...], ...]


def _read_weights(weights: Any) -> Weights:
    """'linear', 'quadratic', a power of the distance, or a square table of disagreements."""
    if isinstance(weights, str) and weights in _POWERS:
        return weights
    if isinstance(weights, (int, float)) and not isinstance(weights, bool) and 0 < weights < 20:
        power = int(weights) if weights == int(weights) else weights
        return "linear" if power == 1 else "quadratic" if power == 2 else power
    try:
        # A tensor may still remember its gradients, and NumPy would forget what is imaginary.
        given = weights.detach() if hasattr(weights, "detach") else weights
        table = np.empty(0) if np.iscomplexobj(given) else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        table = np.empty(0)
    is_square = table.ndim == 2 and table.shape[0] == table.shape[1] and table.size > 0
    if is_square and np.all(np.isfinite(table)) and table.min() >= 0:
        return tuple(tuple(row) for row in table.tolist())
    msg = Message(
        "{weights} must be 'linear', 'quadratic', a power of the distance greater than 0, or a square table "
        "of disagreements, none negative, not {}",
        told(weights),
    )
    raise MetricError(msg)


def _written(weights: Weights, scale: Scale) -> str:
    text = weights if isinstance(weights, str) else f"{weights:g}" if isinstance(weights, (int, float)) else "table"
    return text if scale is None else f"{text} on a scale"


def _disagreements(weights: Weights, scale: Scale, t: Table) -> Any:
    """How much both sides disagree, summed over the items."""
    if isinstance(weights, tuple):
        return (t.values * _as_table(weights, spaced(scale, t))[t.rows, t.cols]).sum(axis=-1)
    return all_apart(scale, t, _POWERS[weights] if isinstance(weights, str) else weights)


def _as_table(weights: tuple[tuple[float, ...], ...], positions: Any) -> Any:
    if len(weights) != len(positions):
        msg = f"the table of weights is {len(weights)} x {len(weights)}, but there are {len(positions)} classes"
        raise MetricError(msg)
    return exact_numbers(weights) if is_exact(positions) else np.array(weights, dtype=np.float64)


def _expected(t: Table, weights: Weights, positions: Any) -> Any:
    """Disagreements that independent sides would show, times n squared."""
    r, c = t.actual, t.predicted
    if weights == "quadratic":
        n = t.total
        ends = n * ((r + c) * positions * positions).sum(axis=-1)
        return ends - 2 * (r * positions).sum(axis=-1) * (c * positions).sum(axis=-1)
    if weights == "linear":
        # A distance is a sum of steps; over each, the pairs with one side below it and the other above.
        low, high, steps = actual_below(t), predicted_below(t), positions[1:] - positions[:-1]
        if np.count_nonzero(steps < 0):
            order = np.argsort(positions, kind="stable")
            steps = positions[order][1:] - positions[order][:-1]
            low, high = running(r[..., order]), running(c[..., order])
        low, high, n = low[..., :-1], high[..., :-1], spread(t.total)
        return (steps * (low * (n - high) + high * (n - low))).sum(axis=-1)
    power = weights if isinstance(weights, (int, float)) else 1
    table = _as_table(weights, positions) if isinstance(weights, tuple) else table_of(positions, power)
    return (r * (table * c[..., None, :]).sum(axis=-1)).sum(axis=-1)


@factory(
    title="Weighted kappa",
    example=("linear",),
    aliases=("kappa_weighted", "cohens_weighted_kappa"),
    peers={
        "sklearn": "cohen_kappa_score(weights=...)",
        "pycm": "weighted_kappa",
        "torchmetrics": "multiclass_cohen_kappa(weights=...)",
        "yardstick": "kap(weighting=...)",
        "statsmodels": "cohens_kappa(wt=...)",
    },
)
def weighted_kappa(weights: Any = "quadratic", values: Any = None) -> Metric:
    """Cohen's kappa in which a disagreement counts by how far apart its classes are.

    `weights` is "linear", "quadratic", a power of the distance, or a K x K table of disagreements. Distances are
    between places 0, 1, 2 ... in the order of the labels, or between `values`, one number per class.

    >>> weighted_kappa("linear").name
    'weighted_kappa_linear'
    """
    weights, scale = _read_weights(weights), read_scale(values)
    named = isinstance(weights, str) and scale is None

    @of_matrix(
        title=f"Weighted kappa, {_written(weights, scale)}",
        name=f"weighted_kappa_{weights}" if named else f"weighted_kappa({_written(weights, scale)})",
        aliases=(f"kappa_{weights}", f"{weights}_weighted_kappa", *_OTHERWISE.get(weights, ())) if named else (),
        latex=_LATEX.replace("w_{ij}", _WEIGHT_LATEX.get(weights, "w_{ij}")) if isinstance(weights, str) else _LATEX,
        bounds=(-1, 1) if isinstance(weights, str) else (None, 1),
        mistaken_for=("kappa", *(f"weighted_kappa_{other}" for other in _WEIGHT_LATEX if other != weights))
        if named
        else (),
        chance=0,
        undefined=_NO_VARIETY,
        rational=not isinstance(weights, float),
        symmetric=not isinstance(weights, tuple) or weights == tuple(zip(*weights, strict=True)),
        needs="cells",
        sees="classes",
        references=("Cohen1968", "FleissCohen1973") if weights == "quadratic" else ("Cohen1968",),
        peers={"sklearn": f"cohen_kappa_score(weights='{weights}')"} if named else {},
        family="weighted agreement",
    )
    def formula(t: Table) -> Any:
        """One minus observed over expected disagreement, where a disagreement counts by its distance.

        The order of the classes is that of the labels. Items answered outside the classes are left out.
        """
        t = inside(t)
        positions = spaced(scale, t)
        seen = _disagreements(weights, scale, t)
        chance = _expected(t, weights, positions)
        return ratio(chance - t.total * seen, chance)

    return formula


# With squared distances it is Lin's coefficient, its variances taken over n.
_OTHERWISE = {"quadratic": ("qwk", "concordance_correlation", "lin_concordance")}
_LATEX = r"1 - \frac{n \sum_{ij} w_{ij} C_{ij}}{\sum_{ij} w_{ij} r_i c_j}"
_WEIGHT_LATEX = {"linear": "|i - j|", "quadratic": "(i - j)^2"}

weighted_kappa_linear = weighted_kappa("linear")
weighted_kappa_quadratic = weighted_kappa("quadratic")


def _extent(weights: Weights, positions: Any) -> tuple[Any, Any]:
    """The greatest disagreement, and the sum of all."""
    if weights == "quadratic":
        first, k = positions.sum(), len(positions)
        return (positions.max() - positions.min()) ** 2, 2 * k * (positions * positions).sum() - 2 * first * first
    if weights == "linear":
        ordered, k = np.sort(positions), len(positions)
        places = 2 * np.arange(k) - (k - 1)
        return ordered[-1] - ordered[0], 2 * (
            ordered * (places.astype(object) if is_exact(positions) else places)
        ).sum()
    power = weights if isinstance(weights, (int, float)) else 1
    table = _as_table(weights, positions) if isinstance(weights, tuple) else table_of(positions, power)
    return table.max(), table.sum()


@factory(title="Gwet's AC2", example=("linear",), aliases=("ac2", "gwet_gamma_weighted"))
def gwet_ac2(weights: Any = "quadratic", values: Any = None) -> Metric:
    """Gwet's AC1 in which a disagreement counts by how far apart its classes are.

    `weights` and `values` are those of `weighted_kappa`; the farthest two classes disagree fully.

    >>> gwet_ac2("linear").name
    'gwet_ac2(linear)'
    """
    weights, scale = _read_weights(weights), read_scale(values)

    @of_matrix(
        title=f"Gwet's AC2, {_written(weights, scale)}",
        name=f"gwet_ac2({_written(weights, scale)})",
        latex=r"\frac{p_a - p_e}{1 - p_e}, \quad p_a = \sum_{ij} w_{ij} \frac{C_{ij}}{n}, \quad "
        r"p_e = \frac{\sum_{ij} w_{ij}}{K (K - 1)} \sum_i \pi_i (1 - \pi_i), \quad \pi_i = \frac{r_i + c_i}{2 n}",
        bounds=(None, 1),
        undefined="there is only one class, or no item is answered with a class",
        rational=not isinstance(weights, float),
        symmetric=not isinstance(weights, tuple) or weights == tuple(zip(*weights, strict=True)),
        depends_on_k=True,
        needs="cells",
        sees="classes",
        references=("Gwet2014",),
        peers={"irrcac": f"gwet(weights={_written(weights, scale)!r})"},
        family="weighted agreement",
    )
    def formula(t: Table) -> Any:
        """Weighted agreement beyond chance where only a part of the answers is taken to be guesses."""
        t = inside(t)
        k, n, positions = t.size, t.total, spaced(scale, t)
        farthest, whole = _extent(weights, positions)
        seen = _disagreements(weights, scale, t)
        both = t.actual + t.predicted
        guessed = (both * (2 * spread(n) - both)).sum(axis=-1)
        # Agreement is what a disagreement lacks of the farthest; all is brought over one bottom.
        pairs = k * (k - 1) * farthest
        chance = (k * k * farthest - whole) * guessed
        room = 4 * n * n * pairs - chance
        return ratio(room - 4 * n * seen * k * (k - 1), room)

    return formula

"""Sums over cells that several families share: entropies in nats, and how far a table is from independence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import mul
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.core.errors import MetricError
from confmat.core.options import one_of, told
from confmat.metrics.arithmetic import Number, constant, largest, log, log_ratio, ratio, spread, xlogx
from confmat.metrics.declaration import Margins, Metric, Table, factory, of_class, of_matrix
from confmat.metrics.margins import filled, hits, is_zero, kept_if, occurs

__all__ = [
    "actual_entropy",
    "class_confusion_entropy",
    "conditional_entropy",
    "covered",
    "cross",
    "cross_entropy",
    "deviance",
    "divergence",
    "divisors",
    "entropy",
    "gaps",
    "given_actual",
    "given_predicted",
    "information",
    "information_in",
    "joint",
    "joint_entropy",
    "kl_divergence",
    "mean_square",
    "modified_class_confusion_entropy",
    "mutual_information",
    "mutual_information_nats",
    "overall_confusion_entropy",
    "overall_modified_confusion_entropy",
    "predicted_entropy",
    "products",
    "reference_entropy",
    "reference_entropy_given_response",
    "response_entropy",
    "scatter",
    "scatter_of_items",
    "unlisted",
    "variation_of_information",
]


def deviance(change: Any) -> Any:
    """(1 + x) log(1 + x) - x, which is never negative: about half the square of a small x, and 1 at x = -1.

    Summed over shares it gives the difference of entropies, without their cancelling.

    >>> deviance(np.array([-1.0, 0.0]))
    array([1., 0.])
    """
    if isinstance(change, Number) or np.iscomplexobj(change):
        return xlogx(1 + change) - change
    return (1 + change) * np.log1p(np.where(np.greater(change, -1), change, 0.0)) - change


def entropy(totals: Any, total: Any) -> Any:
    """Entropy of a margin: the mean surprise log(n / r)."""
    return ratio((totals * log_ratio(spread(total), filled(totals))).sum(axis=-1), total)


@once
def actual_entropy(m: Margins) -> Any:
    """Entropy of the actual classes."""
    return entropy(m.actual, m.total)


@once
def predicted_entropy(m: Margins) -> Any:
    """Entropy of the predicted classes."""
    return entropy(m.predicted, m.total)


@once
def _cell_logs(t: Table) -> Any:
    """X log x of every cell."""
    return xlogx(t.values)


@once
def joint(t: Table) -> Any:
    """Entropy of the cells."""
    return ratio(xlogx(t.total) - _cell_logs(t).sum(axis=-1), t.total)


@once
def given_actual(t: Table) -> Any:
    """Entropy of the cells beyond that of the actual classes."""
    return joint(t) - actual_entropy(t)


@once
def given_predicted(t: Table) -> Any:
    """Entropy of the cells beyond that of the predicted classes."""
    return joint(t) - predicted_entropy(t)


@once
def products(t: Table) -> Any:
    """Actual total times predicted total at each listed cell: n times what independence expects there."""
    return t.crossed(mul, t.actual, t.predicted)


@once
def divisors(t: Table) -> Any:
    """The products, with 1 in place of totals that are 0."""
    if not np.count_nonzero(is_zero(t.actual)) and not np.count_nonzero(is_zero(t.predicted)):
        return products(t)
    return t.crossed(mul, filled(t.actual), filled(t.predicted))


@once
def gaps(t: Table) -> Any:
    """n times the count less the product of the totals, at each listed cell."""
    return spread(t.total) * t.values - products(t)


def unlisted(t: Table, power: int = 1) -> Any:
    """Actual total times a power of the predicted total, summed over the cells that are not listed (they are 0)."""
    if t.is_whole:
        return 0 * t.total
    columns = t.predicted if power == 1 else t.predicted * t.predicted
    whole = spread(t.total if power == 1 else columns.sum(axis=-1))
    rest = whole - t.sum_by_actual(t.at_cols(columns))
    # Of float weights rounding may leave a trace below zero.
    return (t.actual * largest(rest, 0 * rest)).sum(axis=-1)


@once
def information(t: Table) -> Any:
    """Mutual information of the two sides."""
    listed = (products(t) * deviance(ratio(gaps(t), divisors(t)))).sum(axis=-1)
    return ratio(listed + unlisted(t), t.total * t.total)


@once
def mean_square(t: Table) -> Any:
    """Squared gaps over expectations; what is not listed is empty and counts its whole expectation."""
    gap = gaps(t)
    return ratio(ratio(gap * gap, divisors(t)).sum(axis=-1) + unlisted(t), t.total * t.total)


@once
def scatter(t: Table) -> Any:
    """Errors to and from each class, each times its surprise among all that is on either side of the class."""
    return _scatter(t, t.actual + t.predicted)


@once
def scatter_of_items(t: Table) -> Any:
    """The same among the items on either side of the class, each counted once."""
    return _scatter(t, t.actual + t.predicted - t.diagonal)


def _scatter(t: Table, around: Any) -> Any:
    logs = _cell_logs(t) * (t.rows != t.cols)
    errors = t.actual + t.predicted - 2 * t.diagonal
    return errors * log(filled(around)) - (t.sum_by_actual(logs) + t.sum_by_predicted(logs))


def divergence(m: Margins) -> Any:
    """Kullback-Leibler divergence of the predicted from the actual totals; NaN where it is infinite."""
    return ratio((m.predicted * deviance(ratio(m.actual - m.predicted, filled(m.predicted)))).sum(axis=-1), covered(m))


def cross(m: Margins) -> Any:
    """Mean surprise of the actual classes under the predicted shares; NaN where it is infinite."""
    return ratio((m.actual * log_ratio(spread(m.total), filled(m.predicted))).sum(axis=-1), covered(m))


def covered(m: Margins) -> Any:
    """The total, or 0 where a class that occurs is never predicted."""
    return kept_if(m.total, ~np.any(occurs(m) & is_zero(m.predicted), axis=-1))


_EMPTY = "the matrix is empty"
_UNCOVERED = "a class that occurs is never predicted, which makes the sum infinite, or the matrix is empty"
_UNITS = {"bits": 2.0, "nats": None, "dits": 10.0}
_NATS: dict[str, Callable[[Any], Any]] = {}
_FACTS: dict[str, dict[str, Any]] = {}


def _measure(**facts: Any) -> Callable[[Callable[[Any], Any]], Metric]:
    """Declare a quantity by its formula in nats, as a metric in bits; `information_in` gives other units."""

    def declare(nats: Callable[[Any], Any]) -> Metric:
        _NATS[nats.__name__] = nats
        _FACTS[nats.__name__] = facts
        return _in_unit(nats.__name__, "bits")

    return declare


def _in_unit(name: str, unit: str) -> Metric:
    nats, base = _NATS[name], _UNITS[unit]

    def formula(m: Any) -> Any:
        found = nats(m)
        return found if base is None else ratio(found, log(constant(base, m.diagonal)))

    formula.__doc__ = nats.__doc__
    formula.__name__ = name
    made: tuple[str, tuple[Any, ...]] = ("information_in", ((name, unit), {}))
    declared = of_matrix(rational=False, family="information", unit=unit, factory=made, **_FACTS[name])(formula)
    if unit == "bits":
        return declared
    # Names elsewhere, aliases and partners belong to the metric in bits.
    latex = (declared.latex or "").replace(r"\log_2", r"\ln" if base is None else r"\log_{10}")
    title = f"{declared.title} in {unit}"
    return replace(declared, name=f"{name}_{unit}", title=title, latex=latex, aliases=(), peers={}, transposed=None)


@factory(title="Entropies and information in another unit", example=("mutual_information", "nats"))
def information_in(name: str, unit: str = "nats") -> Metric:
    """An entropy or an information in nats, bits or dits; the metrics of the catalogue are in bits.

    >>> information_in("reference_entropy", "nats")
    <Metric reference_entropy_nats: Uncertainty of the actual class: its mean surprise.>
    """
    if not (isinstance(name, str) and name in _NATS):
        msg = f"`information_in` takes one of {', '.join(_NATS)}, not {told(name)}"
        raise MetricError(msg)
    one_of("unit", unit, _UNITS, MetricError)
    return {"bits": _BITS, "nats": _IN_NATS}.get(unit, {}).get(name) or _in_unit(name, unit)


@_measure(
    title="Reference entropy",
    aliases=("actual_entropy", "entropy_of_the_truth"),
    latex=r"\sum_i \frac{r_i}{n} \log_2 \frac{n}{r_i}",
    bounds=(0, None),
    better="neither",
    undefined=_EMPTY,
    transposed="response_entropy",
    references=("Shannon1948",),
    peers={"pycm": "Reference Entropy"},
)
def reference_entropy(m: Margins) -> Any:
    """Uncertainty of the actual class: its mean surprise."""
    return actual_entropy(m)


@_measure(
    title="Response entropy",
    aliases=("predicted_entropy",),
    latex=r"\sum_i \frac{c_i}{n} \log_2 \frac{n}{c_i}",
    bounds=(0, None),
    better="neither",
    undefined=_EMPTY,
    transposed="reference_entropy",
    references=("Shannon1948",),
    peers={"pycm": "Response Entropy"},
)
def response_entropy(m: Margins) -> Any:
    """Uncertainty of the predicted class: its mean surprise."""
    return predicted_entropy(m)


@_measure(
    title="Joint entropy",
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \log_2 \frac{n}{C_{ij}}",
    bounds=(0, None),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    needs="cells",
    references=("Shannon1948",),
    peers={"pycm": "Joint Entropy"},
)
def joint_entropy(t: Table) -> Any:
    """Uncertainty of the cell that an item falls into."""
    return joint(t)


@_measure(
    title="Conditional entropy",
    aliases=("response_entropy_given_reference", "equivocation_of_the_response"),
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \log_2 \frac{r_i}{C_{ij}}",
    bounds=(0, None),
    better="lower",
    undefined=_EMPTY,
    transposed="reference_entropy_given_response",
    needs="cells",
    references=("Shannon1948",),
    peers={"pycm": "Conditional Entropy"},
)
def conditional_entropy(t: Table) -> Any:
    """Uncertainty of the predicted class that is left once the actual one is known."""
    return given_actual(t)


@_measure(
    title="Conditional entropy of the reference",
    aliases=("equivocation", "actual_entropy_given_predicted"),
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \log_2 \frac{c_j}{C_{ij}}",
    bounds=(0, None),
    better="lower",
    undefined=_EMPTY,
    transposed="conditional_entropy",
    needs="cells",
    references=("Shannon1948",),
)
def reference_entropy_given_response(t: Table) -> Any:
    """Uncertainty of the actual class that is left once the predicted one is known."""
    return given_predicted(t)


@_measure(
    title="Cross entropy",
    latex=r"\sum_i \frac{r_i}{n} \log_2 \frac{n}{c_i}",
    bounds=(0, None),
    better="neither",
    undefined=_UNCOVERED,
    peers={},
)
def cross_entropy(m: Margins) -> Any:
    """Mean surprise of the actual classes to somebody who expects the predicted shares.

    It compares margins, not answers: it is not the log loss. PyCM leaves out classes that are never predicted.
    """
    return cross(m)


@_measure(
    title="Kullback-Leibler divergence",
    aliases=("relative_entropy", "kullback_leibler"),
    latex=r"\sum_i \frac{r_i}{n} \log_2 \frac{r_i}{c_i}",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_UNCOVERED,
    references=("KullbackLeibler1951",),
)
def kl_divergence(m: Margins) -> Any:
    """How far the predicted shares of the classes are from the actual ones; 0 where they are the same.

    It compares margins, not answers. PyCM leaves out classes that are never predicted.
    """
    return divergence(m)


@_measure(
    title="Mutual information",
    aliases=("transmitted_information",),
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \log_2 \frac{n C_{ij}}{r_i c_j}",
    bounds=(0, None),
    undefined=_EMPTY,
    chance=0,
    symmetric=True,
    needs="cells",
    references=("Shannon1948",),
    peers={"pycm": "Mutual Information"},
)
def mutual_information(t: Table) -> Any:
    """What the predicted class tells about the actual one; at most the reference entropy.

    scikit-learn's mutual_info_score is the same in nats: `mutual_information_nats`.
    """
    return information(t)


@_measure(
    title="Variation of information",
    aliases=("shared_information_distance", "vi"),
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \log_2 \frac{r_i c_j}{C_{ij}^2}",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY,
    symmetric=True,
    needs="cells",
    references=("Meila2007",),
)
def variation_of_information(t: Table) -> Any:
    """What each side leaves open about the other, added: a distance between two partitions.

    It is 0 for every one-to-one naming, not only for the right one.
    """
    return given_actual(t) + given_predicted(t)


_BITS = {name: value for name, value in list(globals().items()) if isinstance(value, Metric)}
mutual_information_nats = replace(
    _in_unit("mutual_information", "nats"),
    note="`mutual_information` is the same in bits.",
    peers={"sklearn": "mutual_info_score", "torchmetrics": "mutual_info_score"},
)
_IN_NATS = {"mutual_information": mutual_information_nats}


_ALONE = "the class neither occurs nor is predicted, or it is the only one"


def _to_its_base(m: Table, scattered: Any, bottom: Any) -> Any:
    """As shares of `bottom`, to the base 2 (K - 1)."""
    return ratio(scattered, log(constant(2 * (m.size - 1), m.diagonal)) * bottom)


@of_class(
    title="Confusion entropy of a class",
    aliases=("class_cen",),
    latex=(
        r"-\sum_{k \ne i} (\frac{C_{ik}}{r_i + c_i} \log_b \frac{C_{ik}}{r_i + c_i}"
        r" + \frac{C_{ki}}{r_i + c_i} \log_b \frac{C_{ki}}{r_i + c_i}), b = 2(K-1)"
    ),
    bounds=(0, None),
    better="lower",
    symmetric=True,
    rational=False,
    needs="cells",
    depends_on_k=True,
    undefined=_ALONE,
    references=("WeiYuan2010",),
    peers={"pycm": "CEN"},
)
def class_confusion_entropy(m: Table) -> Any:
    """Entropy of a class's errors in both directions; 0 without errors. The base of the logarithm is 2(K-1)."""
    return _to_its_base(m, scatter(m), m.actual + m.predicted)


@of_class(
    title="Modified confusion entropy of a class",
    aliases=("class_mcen",),
    latex=(
        r"-\sum_{k \ne i} (a \log_b a + a' \log_b a'), a = \frac{C_{ik}}{r_i + c_i - d_i},"
        r" a' = \frac{C_{ki}}{r_i + c_i - d_i}, b = 2(K-1)"
    ),
    bounds=(0, None),
    better="lower",
    symmetric=True,
    rational=False,
    needs="cells",
    depends_on_k=True,
    undefined=_ALONE,
    references=("Delgado2019",),
    peers={"pycm": "MCEN"},
)
def modified_class_confusion_entropy(m: Table) -> Any:
    """Confusion entropy over the items that involve the class, each counted once."""
    return _to_its_base(m, scatter_of_items(m), m.actual + m.predicted - m.diagonal)


_EMPTY_overall_entropy = "the matrix is empty or has one class"
_REFERENCES = ("WeiYuan2010",)
_MODIFIED_REFERENCES = ("Delgado2019",)


@of_matrix(
    title="Overall confusion entropy",
    aliases=("overall_cen",),
    latex=r"\frac{1}{2 n} \sum_{i \ne j} C_{ij} \left(\log_b \frac{s_i}{C_{ij}} + \log_b \frac{s_j}{C_{ij}}\right),"
    r" \quad s_i = r_i + c_i, \quad b = 2 (K - 1)",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY_overall_entropy,
    symmetric=True,
    rational=False,
    depends_on_k=True,
    needs="cells",
    references=_REFERENCES,
    peers={"pycm": "Overall CEN"},
    family="confusion entropy",
)
def overall_confusion_entropy(t: Table) -> Any:
    """Mean of the classes' confusion entropies, weighted by how often each occurs and is predicted."""
    return ratio(scatter(t).sum(axis=-1), 2 * t.total * _base(t))


@of_matrix(
    title="Overall modified confusion entropy",
    aliases=("overall_mcen",),
    latex=r"\frac{1}{2 n - a \sum_i d_i} \sum_{i \ne j} C_{ij} \left(\log_b \frac{s_i}{C_{ij}} + "
    r"\log_b \frac{s_j}{C_{ij}}\right), \quad s_i = r_i + c_i - d_i, \quad b = 2 (K - 1), \quad a = [K > 2]",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY_overall_entropy,
    symmetric=True,
    rational=False,
    depends_on_k=True,
    needs="cells",
    references=_MODIFIED_REFERENCES,
    peers={"pycm": "Overall MCEN"},
    family="confusion entropy",
)
def overall_modified_confusion_entropy(t: Table) -> Any:
    """Mean of the classes' modified confusion entropies, weighted by their items."""
    items = 2 * t.total - (hits(t) if t.size > 2 else 0)
    return ratio(scatter_of_items(t).sum(axis=-1), items * _base(t))


def _base(t: Table) -> Any:
    """The logarithm of the base, 2 (K - 1); NaN for one class."""
    size = int(np.shape(t.actual)[-1])
    return log(constant(2.0 * (size - 1), t.diagonal)) if size > 1 else float("nan")

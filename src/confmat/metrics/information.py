"""Information: entropies of both sides, what they tell about each other, and the confusion entropies, in bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from confmat.core.errors import MetricError
from confmat.core.options import one_of, told
from confmat.metrics.arithmetic import constant, log, ratio
from confmat.metrics.declaration import Margins, Metric, Table, of_matrix
from confmat.metrics.entropies import (
    actual_entropy,
    cross,
    divergence,
    given_actual,
    given_predicted,
    information,
    joint,
    predicted_entropy,
)
from confmat.metrics.factories import factory

__all__ = [
    "conditional_entropy",
    "cross_entropy",
    "information_in",
    "joint_entropy",
    "kl_divergence",
    "mutual_information",
    "mutual_information_nats",
    "reference_entropy",
    "reference_entropy_given_response",
    "response_entropy",
    "variation_of_information",
]

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

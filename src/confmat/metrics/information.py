"""Information: the entropies of both sides, what they share, and how errors scatter, in bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from confmat.metrics.arithmetic import log, ratio
from confmat.metrics.declaration import MatrixMetric, of_class, of_matrix
from confmat.metrics.entropies import (
    actual_entropy,
    cross,
    divergence,
    given_actual,
    given_predicted,
    information,
    joint,
    predicted_entropy,
    scatter,
    scatter_of_items,
)
from confmat.metrics.margins import Margins, Table, hits

__all__ = [
    "class_confusion_entropy",
    "conditional_entropy",
    "cross_entropy",
    "joint_entropy",
    "kl_divergence",
    "modified_class_confusion_entropy",
    "mutual_information",
    "mutual_information_nats",
    "overall_confusion_entropy",
    "overall_modified_confusion_entropy",
    "reference_entropy",
    "reference_entropy_given_response",
    "response_entropy",
    "variation_of_information",
]


_EMPTY = "the matrix is empty"
_UNCOVERED = (
    "a class that occurs is never predicted, which makes the sum infinite, or the matrix is empty"
)


def _measure(**facts: Any) -> Callable[[Callable[[Any], Any]], MatrixMetric]:
    """Declare a quantity by its formula in nats, as a metric in bits."""

    def declare(nats: Callable[[Any], Any]) -> MatrixMetric:
        def formula(m: Any) -> Any:
            return ratio(nats(m), log(2.0))

        formula.__doc__ = nats.__doc__
        formula.__name__ = nats.__name__
        return of_matrix(family="information", unit="bits", **facts)(formula)

    return declare


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

    It compares margins, not answers: it is not the log loss. PyCM leaves out classes that are never
    predicted.
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
    association="information",
    references=("Shannon1948",),
    peers={"pycm": "Mutual Information"},
)
def mutual_information(t: Table) -> Any:
    """Information of the predicted class about the actual one; at most the reference entropy.

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
    """Uncertainty that each side leaves about the other, added: a distance between two partitions.

    It is 0 for every one-to-one naming, not only for the right one.
    """
    return given_actual(t) + given_predicted(t)


@of_matrix(
    title="Mutual information in nats",
    latex=r"\sum_{ij} \frac{C_{ij}}{n} \ln \frac{n C_{ij}}{r_i c_j}",
    bounds=(0, None),
    undefined=_EMPTY,
    chance=0,
    symmetric=True,
    needs="cells",
    association="information",
    references=("Shannon1948",),
    peers={"sklearn": "mutual_info_score", "torchmetrics": "mutual_info_score"},
    unit="nats",
    note="`mutual_information` is the same in bits.",
)
def mutual_information_nats(t: Table) -> Any:
    """Information of the predicted class about the actual one; at most the reference entropy.

    scikit-learn's mutual_info_score is the same in nats: `mutual_information_nats`.
    """
    return information(t)


_ALONE = "the class neither occurs nor is predicted, or it is the only one"


def _to_its_base(m: Table, scattered: Any, bottom: Any) -> Any:
    """As shares of `bottom`, to the base 2 (K - 1)."""
    return ratio(scattered, log(2 * (m.size - 1)) * bottom)


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
    r"\log_b \frac{s_j}{C_{ij}}\right), \quad s_i = r_i + c_i - d_i, \quad b = 2 (K - 1), \quad a "
    r"= [K > 2]",
    bounds=(0, None),
    better="lower",
    best=0,
    undefined=_EMPTY_overall_entropy,
    symmetric=True,
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
    return log(2 * (size - 1)) if size > 1 else float("nan")

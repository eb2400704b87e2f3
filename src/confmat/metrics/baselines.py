"""What an accuracy is measured against: guesses, chance, and the parts of the disagreement."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.metrics.arithmetic import absolute, ratio, smallest
from confmat.metrics.declaration import Margins, Table, of_matrix
from confmat.metrics.margins import read_margins
from confmat.metrics.sums import chance_hits, greatest, hits, squares

__all__ = [
    "accuracy_p_value",
    "allocation_disagreement",
    "exchange_disagreement",
    "expected_accuracy",
    "expected_accuracy_unbiased",
    "mean_support",
    "no_information_rate",
    "quantity_disagreement",
    "shift_disagreement",
]

_EMPTY = "the matrix is empty"


@of_matrix(
    title="No-information rate",
    aliases=("nir", "majority_rate"),
    latex=r"\frac{\max_i r_i}{n}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    smooth=False,
    sees="classes",
    peers={"pycm": "NIR", "caret": "AccuracyNull"},
    family="baselines",
)
def no_information_rate(m: Margins) -> Any:
    """Accuracy of always answering the most frequent class.

    `accuracy_p_value` tests whether a classifier does better.
    """
    return ratio(greatest(m.actual), m.total)


def accuracy_p_value(m: Any) -> Any:
    """How likely a classifier that always guesses the most frequent class is to score at least this accuracy.

    The upper tail of a binomial distribution with the no-information rate, as caret has it; exact for any number
    of items. (PyCM's P-Value is 1 minus a sum of the same terms and leaves its range for many items.)

    >>> from confmat import ConfusionMatrix
    >>> round(accuracy_p_value(ConfusionMatrix([[231, 27], [32, 54]])), 9)
    0.000309698
    """
    from scipy.special import betainc

    margins = read_margins(m, view="classes")
    correct, total = (np.asarray(part, np.float64) for part in (hits(margins), margins.total))
    rate = np.asarray(no_information_rate(m), np.float64)
    # The chance of k hits or more is the incomplete beta function at k and n - k + 1.
    tail = betainc(np.where(correct > 0, correct, 1.0), np.where(correct > 0, total - correct + 1, 1.0), rate)
    found = np.where(np.isnan(rate), np.nan, np.where(correct > 0, tail, 1.0))
    return found if found.ndim else found.item()


@of_matrix(
    title="Expected accuracy",
    aliases=("chance_agreement", "overall_random_accuracy"),
    latex=r"\frac{\sum_i r_i c_i}{n^2}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    references=("Cohen1960",),
    peers={"pycm": "Overall RACC"},
    family="baselines",
)
def expected_accuracy(m: Margins) -> Any:
    """Accuracy that independent answers with the same margins would have: the chance term of `kappa`."""
    return ratio(chance_hits(m), m.total * m.total)


@of_matrix(
    title="Expected accuracy from pooled margins",
    aliases=("chance_agreement_unbiased", "overall_random_accuracy_unbiased"),
    latex=r"\sum_i \left(\frac{r_i + c_i}{2 n}\right)^2",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    references=("Scott1955",),
    peers={"pycm": "Overall RACCU"},
    family="baselines",
)
def expected_accuracy_unbiased(m: Margins) -> Any:
    """Accuracy of independent answers when both sides share one distribution: the chance term of `scott_pi`."""
    return ratio(squares(m.actual + m.predicted), 4 * m.total * m.total)


# Quantity, exchange and shift add up to the error rate; exchange and shift to allocation.
_DISAGREEMENT: dict[str, Any] = {
    "bounds": (0, 1),
    "better": "lower",
    "undefined": _EMPTY,
    "symmetric": True,
    "smooth": False,
    "family": "baselines",
}


@of_matrix(
    title="Quantity disagreement",
    aliases=("quantity_difference",),
    latex=r"\frac{\sum_i |r_i - c_i|}{2 n}",
    references=("PontiusMillones2011",),
    **_DISAGREEMENT,
)
def quantity_disagreement(m: Margins) -> Any:
    """The part of the error rate that comes from answering a class too often or too rarely.

    With `allocation_disagreement` it adds up to `error_rate`.
    """
    return ratio(absolute(m.actual - m.predicted).sum(axis=-1), 2 * m.total)


@of_matrix(
    title="Allocation disagreement",
    aliases=("allocation_difference",),
    latex=r"\frac{\sum_i \min(r_i - d_i, c_i - d_i)}{n}",
    references=("PontiusMillones2011",),
    **_DISAGREEMENT,
)
def allocation_disagreement(m: Margins) -> Any:
    """The part of the error rate that remains when every class is answered as often as it occurs.

    It is `exchange_disagreement` and `shift_disagreement` together.
    """
    return ratio(_allocated(m), m.total)


@of_matrix(
    title="Exchange disagreement",
    aliases=("exchange_difference",),
    latex=r"\frac{\sum_{i \ne j} \min(C_{ij}, C_{ji})}{n}",
    needs="cells",
    references=("PontiusSantacruz2014",),
    **_DISAGREEMENT,
)
def exchange_disagreement(t: Table) -> Any:
    """The part of the error rate that comes from two classes taken for each other, as often this way as that."""
    return ratio(_exchanged(t), t.total)


@of_matrix(
    title="Shift disagreement",
    aliases=("shift_difference",),
    latex=r"\frac{\sum_i \min(r_i - d_i, c_i - d_i) - \sum_{i \ne j} \min(C_{ij}, C_{ji})}{n}",
    needs="cells",
    references=("PontiusSantacruz2014",),
    **_DISAGREEMENT,
)
def shift_disagreement(t: Table) -> Any:
    """The part of the error rate that goes around three classes or more: a for b, b for c and c for a.

    With `quantity_disagreement` and `exchange_disagreement` it adds up to `error_rate`; of two classes it is 0.
    """
    return ratio(_allocated(t) - _exchanged(t), t.total)


@once
def _allocated(m: Margins) -> Any:
    """Errors that remain when every class is answered as often as it occurs."""
    return smallest(m.actual - m.diagonal, m.predicted - m.diagonal).sum(axis=-1)


@once
def _exchanged(t: Table) -> Any:
    """Errors that stand in pairs, one on each side of the diagonal."""
    if t.is_plain:
        both = np.minimum(t.counts, t.counts.swapaxes(-1, -2))
        both[..., range(t.size), range(t.size)] = 0
        return both.sum(axis=(-1, -2))
    places, mirrored = t.rows * t.size + t.cols, t.cols * t.size + t.rows
    order = np.argsort(places)
    at = order[np.minimum(np.searchsorted(places, mirrored, sorter=order), len(order) - 1)]
    paired = (places[at] == mirrored) & (t.rows != t.cols)
    return (smallest(t.values, t.values[..., at]) * paired).sum(axis=-1)


@of_matrix(
    title="Mean support",
    aliases=("global_performance_index",),
    latex=r"\frac{n}{K}",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    scale_free=False,
    depends_on_k=True,
    sees="classes",
    peers={"pycm": "RR"},
    unit="items",
    family="baselines",
)
def mean_support(m: Margins) -> Any:
    """Items per class, empty classes included; PyCM's RR."""
    return ratio(m.total, m.n_classes)

"""Association: how far the two sides are from independent, by classes and by their order."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.metrics.arithmetic import largest, ratio, smallest, spread, sqrt0
from confmat.metrics.declaration import of_matrix
from confmat.metrics.entropies import gaps, information, mean_square, unlisted
from confmat.metrics.margins import (
    Margins,
    Table,
    commonest,
    count,
    differing_actually,
    differing_as_predicted,
    filled,
    is_zero,
    occurring,
    read_table,
)
from confmat.metrics.ordinal import actual_below, inside, predicted_below, running

__all__ = [
    "chi_squared",
    "chi_squared_dof",
    "chi_squared_p_value",
    "cramer_v",
    "cramer_v_corrected",
    "g_statistic",
    "goodman_kruskal_gamma",
    "goodman_kruskal_tau",
    "kendall_tau_b",
    "lambda_reference",
    "lambda_response",
    "lambda_symmetric",
    "pearson_c",
    "phi_squared",
    "somers_d_reference",
    "somers_d_response",
    "spearman_rho",
    "stuart_tau_c",
    "tschuprow_t",
    "tschuprow_t_corrected",
]

# Most read the cells; the others say so.
_association = functools.partial(of_matrix, family="association", needs="cells")
_EMPTY = "the matrix is empty"
_ONE_LINE = "only one class occurs in the truth, or only one is ever predicted"


@_association(
    title="Chi-squared",
    aliases=("chi2", "pearson_chi_squared"),
    latex=r"\sum_{ij} \frac{(C_{ij} - r_i c_j / n)^2}{r_i c_j / n}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    scale_free=False,
    association="mean_square",
    references=("Pearson1900",),
    peers={"pycm": "Chi-Squared", "scipy": "chi2_contingency(correction=False)"},
)
def chi_squared(t: Table) -> Any:
    """Pearson's statistic for independence of the two sides; `chi_squared_p_value` is its tail.

    Rows and columns without items are left out, where PyCM and SciPy give nothing.
    """
    return t.total * mean_square(t)


@_association(
    title="Degrees of freedom of chi-squared",
    aliases=("chi2_dof",),
    latex=r"(|\{i: r_i > 0\}| - 1)(|\{j: c_j > 0\}| - 1)",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    smooth=False,
    peers={"pycm": "Chi-Squared DF"},
    needs="margins",
)
def chi_squared_dof(m: Margins) -> Any:
    """Rows less one times columns less one; those without items are left out."""
    return _free_rows(m) * _free_columns(m)


def chi_squared_p_value(m: Any) -> Any:
    """How likely independent sides are to give a chi-squared at least as large, for many items.

    >>> from confmat import ConfusionMatrix
    >>> round(chi_squared_p_value(ConfusionMatrix([[10, 20], [30, 15]])), 6)
    0.004586
    """
    from scipy.special import chdtrc

    table = read_table(m)
    freedom = np.asarray(chi_squared_dof(table), np.float64)
    statistic = np.asarray(chi_squared(table), np.float64)
    # One line alone cannot be dependent: nothing is free to vary.
    found = np.where(
        freedom > 0,
        chdtrc(np.maximum(freedom, 1.0), statistic),
        np.where(np.isnan(statistic), np.nan, 1.0),
    )
    return found if found.ndim else found.item()


@_association(
    title="G statistic",
    aliases=("likelihood_ratio_chi_squared", "g_test"),
    latex=r"2 \sum_{ij} C_{ij} \ln \frac{n C_{ij}}{r_i c_j}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    scale_free=False,
    association="information",
    references=("Wilks1938", "SokalRohlf1981"),
    peers={"scipy": "chi2_contingency(lambda_='log-likelihood', correction=False)"},
)
def g_statistic(t: Table) -> Any:
    """Likelihood-ratio statistic for independence: 2 n times the mutual information in nats."""
    return 2 * t.total * information(t)


@_association(
    title="Phi squared",
    aliases=("mean_square_contingency",),
    latex=r"\frac{\chi^2}{n}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    association="mean_square",
    references=("Pearson1904",),
    peers={"pycm": "Phi-Squared"},
)
def phi_squared(t: Table) -> Any:
    """Chi-squared per item; for two classes it is the squared correlation, `mcc` squared."""
    return mean_square(t)


@_association(
    title="Pearson's contingency coefficient",
    aliases=("contingency_coefficient", "pearsons_contingency_coefficient"),
    latex=r"\sqrt{\frac{\chi^2}{n + \chi^2}}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    association="mean_square",
    references=("Pearson1904",),
    peers={
        "pycm": "Pearson C",
        "torchmetrics": "pearsons_contingency_coefficient",
        "scipy": "contingency.association(method='pearson')",
    },
)
def pearson_c(t: Table) -> Any:
    """Association that grows with chi-squared; it cannot exceed the root of (K - 1) / K."""
    phi = mean_square(t)
    return sqrt0(ratio(phi, 1 + phi))


@_association(
    title="Cramér's V",
    aliases=("cramers_v", "cramer_phi"),
    latex=r"\sqrt{\frac{\chi^2 / n}{\min(R, C) - 1}}",
    bounds=(0, 1),
    undefined=_ONE_LINE,
    symmetric=True,
    association="mean_square",
    references=("Cramer1946",),
    peers={
        "pycm": "Cramer V",
        "torchmetrics": "cramers_v(bias_correction=False)",
        "scipy": "contingency.association(method='cramer')",
    },
)
def cramer_v(t: Table) -> Any:
    """Association as a share of the greatest possible, R and C being the rows and columns that hold items.

    It is 1 for every one-to-one naming, not only for the right one, and too high in small samples;
    `cramer_v_corrected` accounts for that.
    """
    return sqrt0(ratio(mean_square(t), smallest(_free_rows(t), _free_columns(t))))


@_association(
    title="Tschuprow's T",
    aliases=("tschuprows_t", "chuprov_t"),
    latex=r"\sqrt{\frac{\chi^2 / n}{\sqrt{(R - 1)(C - 1)}}}",
    bounds=(0, 1),
    undefined=_ONE_LINE,
    symmetric=True,
    association="mean_square",
    references=("Tschuprow1925",),
    peers={
        "torchmetrics": "tschuprows_t(bias_correction=False)",
        "scipy": "contingency.association(method='tschuprow')",
    },
)
def tschuprow_t(t: Table) -> Any:
    """Association that reaches 1 only where as many classes are predicted as occur; there it is Cramér's V."""
    return sqrt0(ratio(mean_square(t), sqrt0(_free_rows(t) * _free_columns(t))))


@_association(
    title="Cramér's V, corrected for bias",
    aliases=("cramers_v_bias_corrected", "bergsma_v"),
    latex=r"\sqrt{\frac{\max(0, \phi^2 - \frac{(R - 1)(C - 1)}{n - 1})}{\min(\tilde R, \tilde C) - 1}}, "
    r"\quad \tilde R = R - \frac{(R - 1)^2}{n - 1}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_LINE + ", or there are too few items",
    symmetric=True,
    scale_free=False,
    smooth=False,
    association="mean_square",
    population="cramer_v",
    references=("Bergsma2013",),
    peers={"torchmetrics": "cramers_v"},
)
def cramer_v_corrected(t: Table) -> Any:
    """Cramér's V less what independent sides show on average in a sample of this size."""
    phi, rows, cols = _debiased(t)
    return sqrt0(ratio(phi, smallest(rows, cols)))


@_association(
    title="Tschuprow's T, corrected for bias",
    aliases=("tschuprows_t_bias_corrected", "bergsma_t"),
    latex=r"\sqrt{\frac{\max(0, \phi^2 - \frac{(R - 1)(C - 1)}{n - 1})}{\sqrt{(\tilde R - 1)(\tilde C - 1)}}}, "
    r"\quad \tilde R = R - \frac{(R - 1)^2}{n - 1}",
    bounds=(0, 1),
    chance=0,
    undefined=_ONE_LINE + ", or there are too few items",
    symmetric=True,
    scale_free=False,
    smooth=False,
    association="mean_square",
    population="tschuprow_t",
    references=("Bergsma2013",),
    peers={"torchmetrics": "tschuprows_t"},
)
def tschuprow_t_corrected(t: Table) -> Any:
    """Tschuprow's T less what independent sides show on average in a sample of this size."""
    phi, rows, cols = _debiased(t)
    return sqrt0(ratio(phi, sqrt0(rows * cols)))


@once
def _free_rows(m: Margins) -> Any:
    """How many classes occur in the truth, less one, in the arithmetic of the counts."""
    return (np.maximum(occurring(m), 1) - 1) * (m.total * 0 + 1)


@once
def _free_columns(m: Margins) -> Any:
    """How many classes are ever predicted, less one."""
    return (np.maximum(count(~is_zero(m.predicted)), 1) - 1) * (m.total * 0 + 1)


@once
def _debiased(t: Table) -> tuple[Any, Any, Any]:
    """Phi squared, rows less one and columns less one, each less its bias (Bergsma 2013)."""
    phi = mean_square(t) - _bias(t)
    return largest(phi, phi * 0), _shrunk_rows(t), _shrunk_columns(t)


@once
def _bias(m: Margins) -> Any:
    """Phi squared of independent sides, on average."""
    return ratio(_free_rows(m) * _free_columns(m), m.total - 1)


@once
def _shrunk_rows(m: Margins) -> Any:
    """The free rows, less their square over n - 1: nothing is left where every item has a row of its own."""
    return _shrunk(_free_rows(m), m.total - 1)


@once
def _shrunk_columns(m: Margins) -> Any:
    """The free columns, less their square over n - 1."""
    return _shrunk(_free_columns(m), m.total - 1)


def _shrunk(lines: Any, others: Any) -> Any:
    return ratio(lines * (others - lines), others)


@once
def _spared_by_actual(t: Table) -> Any:
    """Right guesses of the predicted class by who knows the actual one, less those of who always says the commonest."""
    guessed = t.sum_by_actual(t.values * t.at_cols(commonest(t.predicted)))
    return (t.max_by_actual(t.values) - guessed).sum(axis=-1)


@once
def _spared_by_predicted(t: Table) -> Any:
    """Right guesses of the actual class by who knows the predicted one, less those of who always says the commonest."""
    guessed = t.sum_by_predicted(t.values * t.at_rows(commonest(t.actual)))
    return (t.max_by_predicted(t.values) - guessed).sum(axis=-1)


def _missed(others: Any, totals: Any) -> Any:
    """Wrong guesses of who always says the commonest class."""
    return (others * commonest(totals)).sum(axis=-1)


@_association(
    title="Goodman and Kruskal's lambda for the response",
    aliases=("lambda_b",),
    latex=r"\frac{\sum_i \max_j C_{ij} - \max_j c_j}{n - \max_j c_j}",
    bounds=(0, 1),
    undefined="only one class is ever predicted, or the matrix is empty",
    transposed="lambda_reference",
    smooth=False,
    references=("GoodmanKruskal1954",),
    peers={"pycm": "Lambda B"},
)
def lambda_response(t: Table) -> Any:
    """Share of the errors in guessing the predicted class that knowing the actual one saves."""
    return ratio(_spared_by_actual(t), _missed(t.cells.predicted_negative, t.predicted))


@_association(
    title="Goodman and Kruskal's lambda for the reference",
    aliases=("lambda_a",),
    latex=r"\frac{\sum_j \max_i C_{ij} - \max_i r_i}{n - \max_i r_i}",
    bounds=(0, 1),
    undefined="only one class occurs in the truth, or the matrix is empty",
    transposed="lambda_response",
    smooth=False,
    references=("GoodmanKruskal1954",),
    peers={"pycm": "Lambda A"},
)
def lambda_reference(t: Table) -> Any:
    """Share of the errors in guessing the actual class that knowing the predicted one saves."""
    return ratio(_spared_by_predicted(t), _missed(t.cells.actual_negative, t.actual))


@_association(
    title="Goodman and Kruskal's symmetric lambda",
    latex=r"\frac{\sum_i \max_j C_{ij} + \sum_j \max_i C_{ij} - \max_j c_j - \max_i r_i}"
    r"{2 n - \max_j c_j - \max_i r_i}",
    bounds=(0, 1),
    undefined="each side names only one class, or the matrix is empty",
    symmetric=True,
    smooth=False,
    references=("GoodmanKruskal1954",),
)
def lambda_symmetric(t: Table) -> Any:
    """Both lambdas in one: errors saved in guessing either side from the other, half the time each."""
    missed = _missed(t.cells.predicted_negative, t.predicted) + _missed(
        t.cells.actual_negative, t.actual
    )
    return ratio(_spared_by_actual(t) + _spared_by_predicted(t), missed)


@_association(
    title="Goodman and Kruskal's tau",
    aliases=("gk_tau", "concentration_coefficient"),
    latex=r"\frac{n \sum_{ij} C_{ij}^2 / r_i - \sum_j c_j^2}{n^2 - \sum_j c_j^2}",
    bounds=(0, 1),
    chance=0,
    undefined="only one class is ever predicted, or the matrix is empty",
    references=("GoodmanKruskal1954",),
)
def goodman_kruskal_tau(t: Table) -> Any:
    """Share of the errors of random guesses of the predicted class that knowing the actual one saves."""
    gap = gaps(t)
    saved = ratio(t.sum_by_actual(gap * gap), filled(t.actual)).sum(axis=-1) + unlisted(t, power=2)
    return ratio(saved, t.total * differing_as_predicted(t))


_PAIRS = r"P = \sum_{ij} C_{ij} \sum_{k > i, l > j} C_{kl}, \quad Q = \sum_{ij} C_{ij} \sum_{k > i, l < j} C_{kl}"
_ONE_LINE_concordance = "all items belong to one class, or all are predicted as one"
_FACTS: dict[str, Any] = {
    "bounds": (-1, 1),
    "chance": 0,
    "needs": "cells",
    "sees": "classes",
    "family": "ordinal",
}
# The most places to a listed cell that are filled to add them up.
_SPARSE = 8
# Below, floats hold every integer.
_WHOLE = 2.0**53


@of_matrix(
    title="Goodman and Kruskal's gamma",
    aliases=("gamma", "gk_gamma"),
    latex=rf"\frac{{P - Q}}{{P + Q}}, \quad {_PAIRS}",
    undefined="no two items differ both in truth and in prediction",
    symmetric=True,
    references=("GoodmanKruskal1954",),
    **_FACTS,
)
def goodman_kruskal_gamma(t: Table) -> Any:
    """Pairs of items in one order on both sides, less those in opposite orders, as a share of both.

    For two classes it is Yule's Q. The order of the classes is that of the labels.
    """
    t = inside(t)
    alike, opposite = _alike(t), _opposite(t)
    return ratio(alike - opposite, alike + opposite)


@of_matrix(
    title="Kendall's tau-b",
    aliases=("tau_b", "kendall_tau"),
    latex=rf"\frac{{2 (P - Q)}}{{\sqrt{{(n^2 - \sum_i r_i^2) (n^2 - \sum_j c_j^2)}}}}, \quad {_PAIRS}",
    undefined=_ONE_LINE_concordance,
    symmetric=True,
    references=("Kendall1945",),
    peers={"scipy": "kendalltau"},
    **_FACTS,
)
def kendall_tau_b(t: Table) -> Any:
    """Correlation of the orders of truth and prediction: concordant less discordant pairs, with ties in either.

    For two classes it is the Matthews correlation; PyCM's tau is another number, of one class
    against the rest.
    """
    t = inside(t)
    return ratio(
        2 * (_alike(t) - _opposite(t)),
        sqrt0(differing_actually(t)) * sqrt0(differing_as_predicted(t)),
    )


@of_matrix(
    title="Stuart's tau-c",
    aliases=("tau_c", "kendall_tau_c"),
    latex=rf"\frac{{2 m (P - Q)}}{{n^2 (m - 1)}}, \quad {_PAIRS}, "
    r"\quad m = \min(|\{i: r_i > 0\}|, |\{j: c_j > 0\}|)",
    undefined=_ONE_LINE_concordance,
    symmetric=True,
    best=math.nan,
    references=("Stuart1953",),
    peers={"scipy": "kendalltau(variant='c')"},
    **_FACTS,
)
def stuart_tau_c(t: Table) -> Any:
    """Concordant less discordant pairs, over what they could come to in a table of that many rows and columns.

    Rows and columns without items are not counted, so that answers of fewer classes may have more
    than right ones.
    """
    t = inside(t)
    lines = _lines(t)
    gap = 2 * lines * (_alike(t) - _opposite(t))
    return ratio(gap, t.total * t.total * (lines - 1))


@of_matrix(
    title="Somers' D of the response",
    aliases=("somers_d", "somers_delta", "somers_d_of_predicted_given_actual"),
    latex=rf"\frac{{2 (P - Q)}}{{n^2 - \sum_i r_i^2}}, \quad {_PAIRS}",
    transposed="somers_d_reference",
    undefined="all items belong to one class",
    references=("Somers1962",),
    peers={"scipy": "somersd"},
    **_FACTS,
)
def somers_d_response(t: Table) -> Any:
    """Pairs of items of different classes answered in their order, less those in the opposite one, as a share.

    SAS and others call it D(C|R). For two classes it is the informedness.
    """
    t = inside(t)
    return ratio(2 * (_alike(t) - _opposite(t)), differing_actually(t))


@of_matrix(
    title="Somers' D of the reference",
    aliases=("somers_d_of_actual_given_predicted",),
    latex=rf"\frac{{2 (P - Q)}}{{n^2 - \sum_j c_j^2}}, \quad {_PAIRS}",
    transposed="somers_d_response",
    undefined="all items are predicted as one class",
    references=("Somers1962",),
    **_FACTS,
)
def somers_d_reference(t: Table) -> Any:
    """Pairs of items answered differently whose classes have that order, less those of the opposite one, as a share.

    SAS and others call it D(R|C). For two classes it is the markedness.
    """
    t = inside(t)
    return ratio(2 * (_alike(t) - _opposite(t)), differing_as_predicted(t))


@of_matrix(
    title="Spearman's rho",
    aliases=("spearman", "spearman_correlation", "rank_correlation"),
    latex=r"\frac{\sum_{ij} C_{ij} a_i b_j}{\sqrt{\sum_i r_i a_i^2 \sum_j c_j b_j^2}}, "
    r"\quad a_i = \sum_{k < i} r_k + (r_i - n) / 2, \quad b_j = \sum_{k < j} c_k + (c_j - n) / 2",
    undefined=_ONE_LINE_concordance,
    symmetric=True,
    references=("Spearman1904",),
    peers={"scipy": "spearmanr"},
    **_FACTS,
)
def spearman_rho(t: Table) -> Any:
    """Correlation of the ranks of truth and prediction, where items of one class share the middle of their ranks."""
    t = inside(t)
    actual, predicted = _ranks(t)
    together = (actual * _met(t, predicted)).sum(axis=-1)
    spreads = [
        (sizes * (ranks * ranks)).sum(axis=-1)
        for sizes, ranks in ((t.actual, actual), (t.predicted, predicted))
    ]
    return ratio(together, sqrt0(spreads[0]) * sqrt0(spreads[1]))


def _met(t: Table, values: Any) -> Any:
    """Add up, over the items of each row, the value of the class of their column."""
    if t.is_whole:
        return (t.counts * values[..., None, :]).sum(axis=-1)
    return t.sum_by_actual(t.values * t.at_cols(values))


@once
def _ranks(t: Table) -> tuple[Any, Any]:
    """Twice the middle rank of each class on either side, beyond the middle of all."""
    n = spread(t.total)
    return 2 * actual_below(t) - t.actual - n, 2 * predicted_below(t) - t.predicted - n


@once
def _lines(m: Margins) -> Any:
    """The lesser number of rows and columns with items."""
    rows, columns = count(~is_zero(m.actual)), count(~is_zero(m.predicted))
    return min(rows, columns) if isinstance(rows, int) else np.minimum(rows, columns)


@once
def _alike(t: Table) -> Any:
    """Pairs of items that both sides put in the same order."""
    if _is_filled(t):
        return _pairs(t)[0]
    return (t.values * _behind(t, opposite=False)).sum(axis=-1)


@once
def _opposite(t: Table) -> Any:
    """Pairs of items that the sides put in opposite orders."""
    if _is_filled(t):
        return _pairs(t)[1]
    return (t.values * _behind(t, opposite=True)).sum(axis=-1)


def _is_filled(t: Table) -> bool:
    """Whether most cells of the table hold numbers."""
    return (
        isinstance(t.values, np.ndarray)
        and t.values.dtype.kind == "f"
        and t.size**2 <= _SPARSE * len(t.rows)
    )


@once
def _pairs(t: Table) -> tuple[Any, Any]:
    """Return the pairs in one order and in opposite ones of a filled table, by running sums in both directions."""
    table = sums = t.counts
    if np.max(t.total, initial=0) < _WHOLE and not np.count_nonzero(table != np.rint(table)):
        # Whole numbers are added several times as fast as floats.
        sums = table.astype(np.int64)
    above = running(sums[..., :-1, :].swapaxes(-1, -2)).swapaxes(-1, -2)
    meetings = (
        (table[..., 1:, 1:], running(above[..., :-1])),
        (table[..., 1:, -2::-1], running(above[..., :0:-1])),
    )
    alike, opposite = ((cells * behind).sum(axis=-1).sum(axis=-1) for cells, behind in meetings)
    return alike, opposite


def _behind(t: Table, *, opposite: bool) -> Any:
    """At each listed cell, the items in the rows before its own and the columns before (or after) its own.

    Rows are halved, the halves halved, and so on; each cell of a later half adds up the columns of
    its earlier half before its own, with running sums. So N cells in K rows take N log K steps,
    filled or listed.
    """
    found: Any = 0
    for early, order, first, last in _plan(
        t.rows, t.size - 1 - t.cols if opposite else t.cols, t.size
    ):
        sums = running((t.values * early)[..., order])
        within = [(at > 0) * sums[..., np.maximum(at - 1, 0)] for at in (last, first)]
        found = found + (1 - early) * (within[0] - within[1])
    return found


def _plan(rows: Any, cols: Any, size: int) -> Iterator[tuple[Any, Any, Any, Any]]:
    """For each halving: which cells lie in earlier halves, an order, and the stretch of it that lies behind a cell."""
    for bit in range((size - 1).bit_length()):
        block = rows >> (bit + 1)
        keys = block * size + cols
        order = np.argsort(keys, kind="stable")
        early = 1 - ((rows >> bit) & 1)
        yield early, order, _first_alike(block, order), _first_alike(keys, order)


def _first_alike(keys: Any, order: Any) -> Any:
    """The first place, in the order that sorts the keys, of a key that is equal to each."""
    ranked = keys[order]
    places = np.arange(len(order))
    new = np.append(True, ranked[1:] != ranked[:-1])[: len(order)]
    found = np.empty(len(order), dtype=np.intp)
    found[order] = np.maximum.accumulate(np.where(new, places, 0))
    return found

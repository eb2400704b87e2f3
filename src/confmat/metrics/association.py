"""Association: how far the two sides are from independent, and how well one lets the other be guessed."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.cells import once
from confmat.metrics.arithmetic import largest, ratio, smallest, sqrt0
from confmat.metrics.declaration import Margins, Table, of_matrix
from confmat.metrics.entropies import gaps, information, mean_square, unlisted
from confmat.metrics.margins import read_table
from confmat.metrics.sums import at_least_one, count, filled, greatest, is_zero, occurring, squares

__all__ = [
    "chi_squared",
    "chi_squared_dof",
    "chi_squared_p_value",
    "cramer_v",
    "cramer_v_corrected",
    "g_statistic",
    "goodman_kruskal_tau",
    "lambda_reference",
    "lambda_response",
    "lambda_symmetric",
    "pearson_c",
    "phi_squared",
    "tschuprow_t",
    "tschuprow_t_corrected",
]

_EMPTY = "the matrix is empty"
_ONE_LINE = "only one class occurs in the truth, or only one is ever predicted"


@of_matrix(
    title="Chi-squared",
    aliases=("chi2", "pearson_chi_squared"),
    latex=r"\sum_{ij} \frac{(C_{ij} - r_i c_j / n)^2}{r_i c_j / n}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    scale_free=False,
    needs="cells",
    references=("Pearson1900",),
    peers={"pycm": "Chi-Squared", "scipy": "chi2_contingency(correction=False)"},
    family="association",
)
def chi_squared(t: Table) -> Any:
    """Pearson's statistic for independence of the two sides; `chi_squared_p_value` is its tail.

    Rows and columns without items are left out, where PyCM and SciPy give nothing.
    """
    return t.total * mean_square(t)


@of_matrix(
    title="Degrees of freedom of chi-squared",
    aliases=("chi2_dof",),
    latex=r"(|\{i: r_i > 0\}| - 1)(|\{j: c_j > 0\}| - 1)",
    bounds=(0, None),
    better="neither",
    symmetric=True,
    smooth=False,
    peers={"pycm": "Chi-Squared DF"},
    family="association",
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
        freedom > 0, chdtrc(np.maximum(freedom, 1.0), statistic), np.where(np.isnan(statistic), np.nan, 1.0)
    )
    return found if found.ndim else found.item()


@of_matrix(
    title="G statistic",
    aliases=("likelihood_ratio_chi_squared", "g_test"),
    latex=r"2 \sum_{ij} C_{ij} \ln \frac{n C_{ij}}{r_i c_j}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    scale_free=False,
    rational=False,
    needs="cells",
    references=("Wilks1938", "SokalRohlf1981"),
    peers={"scipy": "chi2_contingency(lambda_='log-likelihood', correction=False)"},
    family="association",
)
def g_statistic(t: Table) -> Any:
    """Likelihood-ratio statistic for independence: 2 n times the mutual information in nats."""
    return 2 * t.total * information(t)


@of_matrix(
    title="Phi squared",
    aliases=("mean_square_contingency",),
    latex=r"\frac{\chi^2}{n}",
    bounds=(0, None),
    undefined=_EMPTY,
    symmetric=True,
    needs="cells",
    references=("Pearson1904",),
    peers={"pycm": "Phi-Squared"},
    family="association",
)
def phi_squared(t: Table) -> Any:
    """Chi-squared per item; for two classes it is the squared correlation, `mcc` squared."""
    return mean_square(t)


@of_matrix(
    title="Pearson's contingency coefficient",
    aliases=("contingency_coefficient", "pearsons_contingency_coefficient"),
    latex=r"\sqrt{\frac{\chi^2}{n + \chi^2}}",
    bounds=(0, 1),
    better="neither",
    undefined=_EMPTY,
    symmetric=True,
    rational=False,
    needs="cells",
    references=("Pearson1904",),
    peers={
        "pycm": "Pearson C",
        "torchmetrics": "pearsons_contingency_coefficient",
        "scipy": "contingency.association(method='pearson')",
    },
    family="association",
)
def pearson_c(t: Table) -> Any:
    """Association that grows with chi-squared; it cannot exceed the root of (K - 1) / K."""
    phi = mean_square(t)
    return sqrt0(ratio(phi, 1 + phi))


@of_matrix(
    title="Cramér's V",
    aliases=("cramers_v", "cramer_phi"),
    latex=r"\sqrt{\frac{\chi^2 / n}{\min(R, C) - 1}}",
    bounds=(0, 1),
    undefined=_ONE_LINE,
    symmetric=True,
    rational=False,
    needs="cells",
    references=("Cramer1946",),
    peers={
        "pycm": "Cramer V",
        "torchmetrics": "cramers_v(bias_correction=False)",
        "scipy": "contingency.association(method='cramer')",
    },
    family="association",
)
def cramer_v(t: Table) -> Any:
    """Association as a share of the greatest possible, R and C being the rows and columns that hold items.

    It is 1 for every one-to-one naming, not only for the right one, and too high in small samples;
    `cramer_v_corrected` accounts for that.
    """
    return sqrt0(ratio(mean_square(t), smallest(_free_rows(t), _free_columns(t))))


@of_matrix(
    title="Tschuprow's T",
    aliases=("tschuprows_t", "chuprov_t"),
    latex=r"\sqrt{\frac{\chi^2 / n}{\sqrt{(R - 1)(C - 1)}}}",
    bounds=(0, 1),
    undefined=_ONE_LINE,
    symmetric=True,
    rational=False,
    needs="cells",
    references=("Tschuprow1925",),
    peers={
        "torchmetrics": "tschuprows_t(bias_correction=False)",
        "scipy": "contingency.association(method='tschuprow')",
    },
    family="association",
)
def tschuprow_t(t: Table) -> Any:
    """Association that reaches 1 only where as many classes are predicted as occur; there it is Cramér's V."""
    return sqrt0(ratio(mean_square(t), sqrt0(_free_rows(t) * _free_columns(t))))


@of_matrix(
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
    rational=False,
    needs="cells",
    references=("Bergsma2013",),
    peers={"torchmetrics": "cramers_v"},
    family="association",
)
def cramer_v_corrected(t: Table) -> Any:
    """Cramér's V less what independent sides show on average in a sample of this size."""
    phi, rows, cols = _debiased(t)
    return sqrt0(ratio(phi, smallest(rows, cols)))


@of_matrix(
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
    rational=False,
    needs="cells",
    references=("Bergsma2013",),
    peers={"torchmetrics": "tschuprows_t"},
    family="association",
)
def tschuprow_t_corrected(t: Table) -> Any:
    """Tschuprow's T less what independent sides show on average in a sample of this size."""
    phi, rows, cols = _debiased(t)
    return sqrt0(ratio(phi, sqrt0(rows * cols)))


@once
def _free_rows(m: Margins) -> Any:
    """How many classes occur in the truth, less one, in the arithmetic of the counts."""
    return (at_least_one(occurring(m)) - 1) * (m.total * 0 + 1)


@once
def _free_columns(m: Margins) -> Any:
    """How many classes are ever predicted, less one."""
    return (at_least_one(count(~is_zero(m.predicted))) - 1) * (m.total * 0 + 1)


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
def _best_by_actual(t: Table) -> Any:
    """Right answers of who guesses the predicted class from the actual one."""
    return t.max_by_actual(t.values).sum(axis=-1)


@once
def _best_by_predicted(t: Table) -> Any:
    """Right answers of who guesses the actual class from the predicted one."""
    return t.max_by_predicted(t.values).sum(axis=-1)


@of_matrix(
    title="Goodman and Kruskal's lambda for the response",
    aliases=("lambda_b",),
    latex=r"\frac{\sum_i \max_j C_{ij} - \max_j c_j}{n - \max_j c_j}",
    bounds=(0, 1),
    undefined="only one class is ever predicted, or the matrix is empty",
    transposed="lambda_reference",
    smooth=False,
    needs="cells",
    references=("GoodmanKruskal1954",),
    peers={"pycm": "Lambda B"},
    family="association",
)
def lambda_response(t: Table) -> Any:
    """Share of the errors in guessing the predicted class that knowing the actual one saves."""
    guessed = greatest(t.predicted)
    return ratio(_best_by_actual(t) - guessed, t.total - guessed)


@of_matrix(
    title="Goodman and Kruskal's lambda for the reference",
    aliases=("lambda_a",),
    latex=r"\frac{\sum_j \max_i C_{ij} - \max_i r_i}{n - \max_i r_i}",
    bounds=(0, 1),
    undefined="only one class occurs in the truth, or the matrix is empty",
    transposed="lambda_response",
    smooth=False,
    needs="cells",
    references=("GoodmanKruskal1954",),
    peers={"pycm": "Lambda A"},
    family="association",
)
def lambda_reference(t: Table) -> Any:
    """Share of the errors in guessing the actual class that knowing the predicted one saves."""
    guessed = greatest(t.actual)
    return ratio(_best_by_predicted(t) - guessed, t.total - guessed)


@of_matrix(
    title="Goodman and Kruskal's symmetric lambda",
    latex=r"\frac{\sum_i \max_j C_{ij} + \sum_j \max_i C_{ij} - \max_j c_j - \max_i r_i}"
    r"{2 n - \max_j c_j - \max_i r_i}",
    bounds=(0, 1),
    undefined="each side names only one class, or the matrix is empty",
    symmetric=True,
    smooth=False,
    needs="cells",
    references=("GoodmanKruskal1954",),
    family="association",
)
def lambda_symmetric(t: Table) -> Any:
    """Both lambdas in one: errors saved in guessing either side from the other, half the time each."""
    guessed = greatest(t.actual) + greatest(t.predicted)
    known = _best_by_actual(t) + _best_by_predicted(t)
    return ratio(known - guessed, 2 * t.total - guessed)


@of_matrix(
    title="Goodman and Kruskal's tau",
    aliases=("gk_tau", "concentration_coefficient"),
    latex=r"\frac{n \sum_{ij} C_{ij}^2 / r_i - \sum_j c_j^2}{n^2 - \sum_j c_j^2}",
    bounds=(0, 1),
    chance=0,
    undefined="only one class is ever predicted, or the matrix is empty",
    needs="cells",
    references=("GoodmanKruskal1954",),
    family="association",
)
def goodman_kruskal_tau(t: Table) -> Any:
    """Share of the errors of random guesses of the predicted class that knowing the actual one saves."""
    gap = gaps(t)
    saved = ratio(t.sum_by_actual(gap * gap), filled(t.actual)).sum(axis=-1) + unlisted(t, power=2)
    return ratio(saved, t.total * (t.total * t.total - squares(t.predicted)))

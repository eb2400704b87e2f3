"""Agreement beyond chance: the correlation coefficient, the kappas and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.metrics.arithmetic import ratio, smallest, spread, sqrt0
from confmat.metrics.declaration import Margins, of_matrix
from confmat.metrics.sums import chance_hits, hits, squares

__all__ = [
    "bangdiwala_b",
    "bennett_s",
    "greatest_kappa",
    "gwet_ac1",
    "kappa",
    "krippendorff_alpha",
    "mcc",
    "multiclass_peirce",
    "pabak",
    "scott_pi",
]

_ONE_CLASS = "all items are of one class and answered with it, or the matrix is empty"


@of_matrix(
    title="Matthews correlation coefficient",
    aliases=(
        "matthews_corrcoef",
        "matthews_correlation",
        "matthews_correlation_coefficient",
        "r_k",
        "matthews",
        "gorodkin_r",
    ),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{\sqrt{(n^2 - \sum_i r_i^2)(n^2 - \sum_i c_i^2)}}",
    bounds=(-1, 1),
    monotone=True,
    beyond_chance="correlation",
    mistaken_for=("class_mcc.macro", "class_mcc.weighted", "class_mcc.micro"),
    chance=0,
    undefined="only one class occurs in the truth, or only one was ever answered",
    symmetric=True,
    rational=False,
    references=("Matthews1975", "Gorodkin2004"),
    peers={
        "sklearn": "matthews_corrcoef",
        "pycm": "Overall MCC",
        "torchmetrics": "multiclass_matthews_corrcoef",
        "yardstick": "mcc",
    },
    family="agreement",
)
def mcc(m: Margins) -> Any:
    """Correlation of the two classifications, for any number of classes (Gorodkin's R_K).

    For two classes it is the phi coefficient and the `mcc` of either class against the other. Where one side
    names a single class there is no correlation; scikit-learn prints 0 there, even for a perfect answer.
    """
    n = m.total
    spreads = (n * n - squares(m.actual)) * (n * n - squares(m.predicted))
    return ratio(n * hits(m) - chance_hits(m), sqrt0(spreads))


@of_matrix(
    title="Greatest kappa",
    aliases=("kappa_max", "maximum_kappa"),
    latex=r"\frac{n \sum_i \min(r_i, c_i) - \sum_i r_i c_i}{n^2 - \sum_i r_i c_i}",
    bounds=(0, 1),
    better="neither",
    undefined=_ONE_CLASS,
    symmetric=True,
    smooth=False,
    references=("Cohen1960",),
    peers={"statsmodels": "cohens_kappa().kappa_max"},
    family="agreement",
)
def greatest_kappa(m: Margins) -> Any:
    """The greatest kappa that the margins allow: what both sides would reach if only their frequencies differed."""
    n, chance = m.total, chance_hits(m)
    return ratio(n * smallest(m.actual, m.predicted).sum(axis=-1) - chance, n * n - chance)


@of_matrix(
    title="Cohen's kappa",
    aliases=("cohen_kappa", "kappa_score", "heidke_skill_score_multiclass", "cohens_kappa"),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{n^2 - \sum_i r_i c_i}",
    bounds=(-1, 1),
    monotone=True,
    beyond_chance="share",
    mistaken_for=(
        "weighted_kappa_linear",
        "weighted_kappa_quadratic",
        "scott_pi",
        "class_kappa.macro",
        "class_kappa.weighted",
    ),
    chance=0,
    undefined=_ONE_CLASS,
    symmetric=True,
    references=("Cohen1960",),
    peers={
        "sklearn": "cohen_kappa_score",
        "pycm": "Kappa",
        "torchmetrics": "multiclass_cohen_kappa",
        "caret": "Kappa",
        "yardstick": "kap",
        "statsmodels": "cohens_kappa",
    },
    family="agreement",
)
def kappa(m: Margins) -> Any:
    """Agreement beyond that of independent answers with the same margins, as a share of what is possible.

    With one dominant class it can be near 0, or negative, at an agreement of 0.94 (the kappa paradox of
    Feinstein and Cicchetti); `gwet_ac1`, `bennett_s` and `mcc` beside it show why.
    """
    n, chance = m.total, chance_hits(m)
    return ratio(n * hits(m) - chance, n * n - chance)


@of_matrix(
    title="Scott's pi",
    aliases=("kappa_unbiased", "fleiss_kappa_two_raters"),
    latex=r"\frac{4 n \sum_i d_i - \sum_i (r_i + c_i)^2}{4 n^2 - \sum_i (r_i + c_i)^2}",
    bounds=(-1, 1),
    chance=0,
    undefined=_ONE_CLASS,
    symmetric=True,
    references=("Scott1955",),
    peers={"pycm": ("Scott PI", "Kappa Unbiased"), "statsmodels": "fleiss_kappa"},
    family="agreement",
)
def scott_pi(m: Margins) -> Any:
    """Agreement beyond chance when both sides are taken to share one distribution; Fleiss' kappa of two raters."""
    n, pooled = m.total, squares(m.actual + m.predicted)
    return ratio(4 * n * hits(m) - pooled, 4 * n * n - pooled)


@of_matrix(
    title="Prevalence- and bias-adjusted kappa",
    aliases=("kappa_no_prevalence", "prevalence_adjusted_bias_adjusted_kappa"),
    latex=r"\frac{2 \sum_i d_i - n}{n}",
    bounds=(-1, 1),
    undefined="the matrix is empty",
    symmetric=True,
    references=("ByrtBishopCarlin1993",),
    peers={"pycm": "Kappa No Prevalence"},
    family="agreement",
)
def pabak(m: Margins) -> Any:
    """2 accuracy - 1, the kappa of a two-class table with even margins.

    For more than two classes chance agrees less often than half the time; `bennett_s` accounts for that and is
    the same number for two.
    """
    return ratio(2 * hits(m) - m.total, m.total)


@of_matrix(
    title="Bennett's S",
    aliases=("bennett_alpert_goldstein_s", "brennan_prediger", "g_index", "randolph_kappa"),
    latex=r"\frac{K \sum_i d_i - n}{(K - 1) n}",
    bounds=(-1, 1),
    undefined="there is only one class, or the matrix is empty",
    symmetric=True,
    depends_on_k=True,
    references=("BennettAlpertGoldstein1954", "BrennanPrediger1981"),
    peers={"pycm": "Bennett S"},
    family="agreement",
)
def bennett_s(m: Margins) -> Any:
    """Agreement beyond that of guessing among the K classes evenly, empty ones included."""
    k = _categories(m)
    return ratio(k * hits(m) - m.total, (k - 1) * m.total)


@of_matrix(
    title="Gwet's AC1",
    aliases=("ac1", "gwet_gamma"),
    latex=r"\frac{p_o - p_e}{1 - p_e}, \quad p_e = \frac{1}{K - 1} \sum_i \pi_i (1 - \pi_i), \quad "
    r"\pi_i = \frac{r_i + c_i}{2 n}",
    bounds=(-1, 1),
    undefined="there is only one class, or the matrix is empty",
    symmetric=True,
    depends_on_k=True,
    references=("Gwet2008",),
    peers={"pycm": "Gwet AC1", "irrcac": "gwet"},
    family="agreement",
)
def gwet_ac1(m: Margins) -> Any:
    """Agreement beyond chance where only a part of the answers is taken to be guesses; steady under skew.

    K is the number of classes that could be answered, empty ones included.
    """
    n, both = m.total, m.actual + m.predicted
    chance = (both * (2 * spread(n) - both)).sum(axis=-1)
    whole = 4 * (_categories(m) - 1) * n
    return ratio(whole * hits(m) - chance, whole * n - chance)


@of_matrix(
    title="Krippendorff's alpha",
    aliases=("krippendorff_alpha_nominal",),
    latex=r"1 - \frac{(2 n - 1) \cdot 2 (n - \sum_i d_i)}{4 n^2 - \sum_i (r_i + c_i)^2}",
    bounds=(-1, 1),
    chance=0,
    undefined=_ONE_CLASS,
    symmetric=True,
    scale_free=False,
    references=("Krippendorff1970", "HayesKrippendorff2007"),
    peers={"pycm": "Krippendorff Alpha", "krippendorff": "alpha(level_of_measurement='nominal')"},
    family="agreement",
)
def krippendorff_alpha(m: Margins) -> Any:
    """One minus observed over expected disagreement, for nominal classes; Scott's pi with a small-sample term.

    For ordered classes there are `krippendorff_alpha_ordinal` and `krippendorff_alpha_interval`.
    """
    n, pooled = m.total, squares(m.actual + m.predicted)
    expected = 4 * n * n - pooled
    return ratio(expected - (2 * n - 1) * 2 * (n - hits(m)), expected)


@of_matrix(
    title="Bangdiwala's B",
    aliases=("bangdiwala_agreement",),
    latex=r"\frac{\sum_i d_i^2}{\sum_i r_i c_i}",
    bounds=(0, 1),
    undefined="no class occurs on both sides",
    symmetric=True,
    references=("Bangdiwala1985", "MunozBangdiwala1997"),
    peers={"pycm": "Bangdiwala B"},
    family="agreement",
)
def bangdiwala_b(m: Margins) -> Any:
    """The agreement chart's share: areas of the squares of hits in the rectangles of the margins."""
    return ratio(squares(m.diagonal), chance_hits(m))


@of_matrix(
    title="Peirce skill score, many classes",
    aliases=("hanssen_kuipers_multiclass", "true_skill_statistic_multiclass", "kuipers_skill_score"),
    latex=r"\frac{n \sum_i d_i - \sum_i r_i c_i}{n^2 - \sum_i r_i^2}",
    bounds=(-1, 1),
    chance=0,
    undefined="only one class occurs in the truth",
    references=("Peirce1884", "HanssenKuipers1965", "Wilks2019"),
    family="agreement",
)
def multiclass_peirce(m: Margins) -> Any:
    """Agreement beyond chance as a share of what an unbiased perfect answer would reach.

    For two classes it is the informedness, recall + specificity - 1.
    """
    n = m.total
    return ratio(n * hits(m) - chance_hits(m), n * n - squares(m.actual))


def _categories(m: Margins) -> int:
    """The rows of the table: the classes, and one more where labels outside the classes are a category."""
    return int(np.shape(m.actual)[-1])

"""Skill: scores of one class that give nothing for luck: Matthews, informedness, odds, gains, rare events."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import log_ratio, log_share, probit, ratio, sqrt0
from confmat.metrics.declaration import ClassMetric, factory, of_class, positive_number
from confmat.metrics.margins import determinant
from confmat.metrics.rates import precision_of_ratio, rest_of_ratio

__all__ = [
    "class_kappa",
    "class_mcc",
    "diagnostic_odds_ratio",
    "discriminant_power",
    "discriminant_power_log10",
    "equitable_threat_score",
    "extremal_dependence_index",
    "extreme_dependency_score",
    "frequency_bias",
    "information_score",
    "informedness",
    "lift",
    "log_negative_likelihood_ratio",
    "log_odds_ratio",
    "log_positive_likelihood_ratio",
    "markedness",
    "negative_likelihood_ratio",
    "negative_predictive_value_at",
    "net_benefit",
    "number_needed_to_diagnose",
    "positive_likelihood_ratio",
    "precision_at",
    "precision_gain",
    "prevalence_threshold",
    "recall_gain",
    "sensitivity_index",
    "symmetric_extremal_dependence_index",
    "symmetric_extreme_dependency_score",
    "yule_q",
    "yule_y",
]

_ONE_SIDED = "a row or a column of the class against the rest is empty"
_NO_CONTRAST = "the class never occurs or every item belongs to it"
_DET = r"\TP \cdot \TN - \FP \cdot \FN"


# All count the true negatives; the others say so.
_skill = functools.partial(of_class, depends_on_k=True)


@_skill(
    title="Matthews correlation of a class",
    aliases=("class_matthews", "binary_mcc"),
    latex=rf"\frac{{{_DET}}}{{\sqrt{{(\TP + \FP) \cdot (\TP + \FN) \cdot (\TN + \FP) \cdot (\TN + \FN)}}}}",
    bounds=(-1, 1),
    monotone=True,
    mistaken_for=("mcc",),
    chance=0,
    symmetric=True,
    undefined=_ONE_SIDED,
    when_never_predicted=0,
    references=("Matthews1975",),
    peers={"pycm": "MCC"},
)
def class_mcc(c: Cells) -> Any:
    """Correlation of being the class and being predicted as it.

    The Matthews correlation of the whole matrix is `mcc`.
    """
    return ratio(
        determinant(c),
        sqrt0(c.predicted * c.actual) * sqrt0(c.actual_negative * c.predicted_negative),
    )


@_skill(
    title="Kappa of a class",
    aliases=("heidke_skill_score", "hss", "conditional_agreement", "heidke"),
    latex=rf"\frac{{2 \cdot ({_DET})}}{{(\TP + \FN) \cdot (\FN + \TN) + (\TP + \FP) \cdot (\FP + \TN)}}",
    bounds=(-1, 1),
    monotone=True,
    chance=0,
    symmetric=True,
    undefined="all items belong to one side and are predicted so",
    references=("Heidke1926", "Cohen1960"),
)
def class_kappa(c: Cells) -> Any:
    """Agreement beyond chance about one class against the rest."""
    return ratio(
        2 * determinant(c), c.actual * c.predicted_negative + c.predicted * c.actual_negative
    )


@of_class(
    title="Informedness",
    aliases=(
        "bookmaker_informedness", "bm", "youden_j", "youden_index", "peirce_skill_score", "true_skill_statistic",
        "hanssen_kuipers", "one_point_gini", "delta_p_prime",
        "youden", "tss", "pss", "kss", "true_skill_score",
    ),
    latex=rf"\frac{{{_DET}}}{{(\TP + \FN) \cdot (\TN + \FP)}}",
    bounds=(-1, 1),
    monotone=True,
    chance=0,
    transposed="markedness",
    depends_on_k=True,
    undefined=_NO_CONTRAST,
    references=("Peirce1884", "Youden1950", "Powers2011"),
    peers={"pycm": ("BM", "Y", "GI"), "yardstick": "j_index"},
)  # fmt: skip
def informedness(c: Cells) -> Any:
    """Recall plus specificity minus one: how much better than a coin the class is separated from the rest."""
    return ratio(determinant(c), c.actual * c.actual_negative)


@_skill(
    title="Markedness",
    aliases=("mk", "delta_p", "clayton_skill_score"),
    latex=rf"\frac{{{_DET}}}{{(\TP + \FP) \cdot (\TN + \FN)}}",
    bounds=(-1, 1),
    chance=0,
    transposed="informedness",
    undefined="the class is never predicted or always",
    when_never_predicted=0,
    references=("Powers2011",),
    peers={"pycm": "MK"},
)
def markedness(c: Cells) -> Any:
    """Precision plus negative predictive value minus one: how much a prediction tells."""
    return ratio(determinant(c), c.predicted * c.predicted_negative)


@_skill(
    title="Number needed to diagnose",
    aliases=("nnd",),
    latex=rf"\frac{{(\TP + \FN) \cdot (\TN + \FP)}}{{{_DET}}}",
    better="neither",
    undefined="the informedness is zero or undefined",
    references=("LinnGrunau2006",),
)
def number_needed_to_diagnose(c: Cells) -> Any:
    """One over the informedness: how many items must be judged for one right detection beyond chance."""
    return ratio(c.actual * c.actual_negative, determinant(c))


@_skill(
    title="Positive likelihood ratio",
    aliases=("plr", "lr_plus", "likelihood_ratio_positive"),
    latex=r"\frac{\TP \cdot (\TN + \FP)}{\FP \cdot (\TP + \FN)}",
    bounds=(0, None),
    limit=math.inf,
    chance=1,
    undefined="no item of another class is predicted as it, or the class never occurs",
    when_never_predicted=1,
    references=("DeeksAltman2004",),
    peers={"pycm": "PLR", "sklearn": "class_likelihood_ratios"},
)
def positive_likelihood_ratio(c: Cells) -> Any:
    """How many times likelier the prediction is for a member than for another item."""
    return ratio(c.tp * c.actual_negative, c.fp * c.actual)


@_skill(
    title="Negative likelihood ratio",
    aliases=("nlr", "lr_minus", "likelihood_ratio_negative"),
    latex=r"\frac{\FN \cdot (\TN + \FP)}{\TN \cdot (\TP + \FN)}",
    bounds=(0, None),
    better="lower",
    chance=1,
    undefined="no item of another class is kept out, or the class never occurs",
    references=("DeeksAltman2004",),
    peers={"pycm": "NLR"},
)
def negative_likelihood_ratio(c: Cells) -> Any:
    """How many times likelier a member is to be rejected than another item."""
    return ratio(c.fn * c.actual_negative, c.tn * c.actual)


@_skill(
    title="Log positive likelihood ratio",
    aliases=("log_plr",),
    latex=r"\ln \frac{\TP \cdot (\TN + \FP)}{\FP \cdot (\TP + \FN)}",
    limit=math.inf,
    chance=0,
    undefined="there are no hits or no false positives",
    when_never_predicted=0,
    function_of=("positive_likelihood_ratio", np.log),
    unit="nats",
)
def log_positive_likelihood_ratio(c: Cells) -> Any:
    """Natural logarithm of the positive likelihood ratio: the weight of evidence of a prediction."""
    return log_ratio(c.tp * c.actual_negative, c.fp * c.actual)


@_skill(
    title="Log negative likelihood ratio",
    aliases=("log_nlr",),
    latex=r"\ln \frac{\FN \cdot (\TN + \FP)}{\TN \cdot (\TP + \FN)}",
    better="lower",
    limit=-math.inf,
    chance=0,
    undefined="there are no misses or no true negatives",
    function_of=("negative_likelihood_ratio", np.log),
    unit="nats",
)
def log_negative_likelihood_ratio(c: Cells) -> Any:
    """Natural logarithm of the negative likelihood ratio."""
    return log_ratio(c.fn * c.actual_negative, c.tn * c.actual)


@_skill(
    title="Diagnostic odds ratio",
    aliases=("dor", "odds_ratio"),
    latex=r"\frac{\TP \cdot \TN}{\FP \cdot \FN}",
    bounds=(0, None),
    limit=math.inf,
    chance=1,
    symmetric=True,
    undefined="there are no false positives or no misses",
    when_never_predicted=1,
    references=("Glas2003",),
    peers={"pycm": "DOR"},
)
def diagnostic_odds_ratio(c: Cells) -> Any:
    """Odds of the prediction among members over the odds among the others."""
    return ratio(c.tp * c.tn, c.fp * c.fn)


@_skill(
    title="Log odds ratio",
    aliases=("log_dor",),
    latex=r"\ln \frac{\TP \cdot \TN}{\FP \cdot \FN}",
    limit=math.inf,
    chance=0,
    symmetric=True,
    undefined="one of the four cells is empty",
    when_never_predicted=0,
    function_of=("diagnostic_odds_ratio", np.log),
    unit="nats",
)
def log_odds_ratio(c: Cells) -> Any:
    """Natural logarithm of the diagnostic odds ratio."""
    return log_ratio(c.tp * c.tn, c.fp * c.fn)


@_skill(
    title="Discriminant power",
    latex=r"\frac{\sqrt{3}}{\pi} \cdot \ln \frac{\TP \cdot \TN}{\FP \cdot \FN}",
    limit=math.inf,
    chance=0,
    symmetric=True,
    undefined="one of the four cells is empty",
    when_never_predicted=0,
    references=("BlakeleyOddone1995", "Sokolova2006"),
    function_of=("diagnostic_odds_ratio", lambda odds: math.sqrt(3) / math.pi * np.log(odds)),
    unit="standard deviations",
)
def discriminant_power(c: Cells) -> Any:
    """Log odds ratio in standard deviations of the logistic distribution, with the natural logarithm.

    PyCM takes the logarithm to base 10; that number is `discriminant_power_log10`.
    """
    return math.sqrt(3) / math.pi * log_ratio(c.tp * c.tn, c.fp * c.fn)


@_skill(
    title="Discriminant power, base 10",
    latex=r"\frac{\sqrt{3}}{\pi} \cdot \log_{10} \frac{\TP \cdot \TN}{\FP \cdot \FN}",
    limit=math.inf,
    chance=0,
    symmetric=True,
    undefined="one of the four cells is empty",
    when_never_predicted=0,
    function_of=("diagnostic_odds_ratio", lambda odds: math.sqrt(3) / math.pi * np.log10(odds)),
    peers={"pycm": "DP"},
)
def discriminant_power_log10(c: Cells) -> Any:
    """Discriminant power with the logarithm to base 10, as PyCM computes it; smaller by ln 10."""
    return math.sqrt(3) / math.pi * log_ratio(c.tp * c.tn, c.fp * c.fn, 10)


@_skill(
    title="Yule's Q",
    aliases=("odds_ratio_skill_score", "orss"),
    latex=rf"\frac{{{_DET}}}{{\TP \cdot \TN + \FP \cdot \FN}}",
    bounds=(-1, 1),
    chance=0,
    symmetric=True,
    undefined="both diagonals of the class against the rest hold a zero",
    when_never_predicted=0,
    function_of=("diagnostic_odds_ratio", lambda odds: 1 - 2 / (odds + 1)),
    references=("Yule1900",),
    peers={"pycm": "Q"},
)
def yule_q(c: Cells) -> Any:
    """Odds ratio brought into -1 to 1; it is defined also where the odds ratio is infinite."""
    return ratio(determinant(c), c.tp * c.tn + c.fp * c.fn)


@_skill(
    title="Yule's Y",
    aliases=("coefficient_of_colligation",),
    latex=r"\frac{\sqrt{\TP \cdot \TN} - \sqrt{\FP \cdot \FN}}{\sqrt{\TP \cdot \TN} + \sqrt{\FP \cdot \FN}}",
    bounds=(-1, 1),
    chance=0,
    symmetric=True,
    undefined="both diagonals of the class against the rest hold a zero",
    when_never_predicted=0,
    function_of=("diagnostic_odds_ratio", lambda odds: 1 - 2 / (np.sqrt(odds) + 1)),
    references=("Yule1912",),
)
def yule_y(c: Cells) -> Any:
    """Square root of the odds ratio brought into -1 to 1."""
    right, wrong = sqrt0(c.tp * c.tn), sqrt0(c.fp * c.fn)
    return ratio(right - wrong, right + wrong)


@_skill(
    title="Equitable threat score",
    aliases=("ets", "gilbert_skill_score"),
    latex=rf"\frac{{{_DET}}}{{{_DET} + (\TP + \FP + \FN + \TN) \cdot (\FP + \FN)}}",
    bounds=(-1 / 3, 1),
    chance=0,
    symmetric=True,
    undefined="all items belong to one side and are predicted so",
    references=("Gilbert1884", "Schaefer1990"),
)
def equitable_threat_score(c: Cells) -> Any:
    """Jaccard index beyond the hits that chance brings."""
    beyond = determinant(c)
    return ratio(beyond, beyond + c.total * (c.fp + c.fn))


@of_class(
    title="Frequency bias",
    aliases=("bias_score",),
    latex=r"\frac{\TP + \FP}{\TP + \FN}",
    bounds=(0, None),
    better="neither",
    undefined="the class never occurs",
    references=("JolliffeStephenson2012",),
)
def frequency_bias(c: Cells) -> Any:
    """How many times as often the class is predicted as it occurs; 1 is unbiased."""
    return ratio(c.predicted, c.actual)


@_skill(
    title="Symmetric extremal dependence index",
    aliases=("sedi",),
    latex=(
        r"\frac{\ln \frac{\FP}{\FP + \TN} - \ln \frac{\TP}{\TP + \FN}"
        r" - \ln \frac{\TN}{\FP + \TN} + \ln \frac{\FN}{\TP + \FN}}"
        r"{\ln \frac{\FP}{\FP + \TN} + \ln \frac{\TP}{\TP + \FN}"
        r" + \ln \frac{\TN}{\FP + \TN} + \ln \frac{\FN}{\TP + \FN}}"
    ),
    bounds=(-1, 1),
    limit=1,
    chance=0,
    undefined="one of the four cells is empty",
    when_never_predicted=0,
    references=("FerroStephenson2011",),
    peers={"yardstick": "sedi"},
)
def symmetric_extremal_dependence_index(c: Cells) -> Any:
    """Skill for rare events that does not fade as the event gets rarer."""
    hit, miss = log_share(c.tp, c.fn), log_share(c.fn, c.tp)
    false, right = log_share(c.fp, c.tn), log_share(c.tn, c.fp)
    return ratio(false - hit - right + miss, false + hit + right + miss)


_NO_HITS = "there are no hits, or every item is one"


@_skill(
    title="Extreme dependency score",
    aliases=("eds",),
    latex=r"\frac{2 \ln \frac{\TP + \FN}{\TP + \FP + \FN + \TN}}{\ln \frac{\TP}{\TP + \FP + \FN + \TN}} - 1",
    bounds=(-1, 1),
    undefined=_NO_HITS,
    when_never_predicted=-1,
    references=("StephensonCasatiFerroWilson2008",),
)
def extreme_dependency_score(c: Cells) -> Any:
    """How slowly the hits vanish as the event gets rarer, regardless of the false alarms.

    Naming the class more often raises it; its symmetric sibling and the extremal dependence indices
    count that.
    """
    return (
        ratio(2 * log_share(c.actual, c.actual_negative), log_share(c.tp, c.fn + c.actual_negative))
        - 1
    )


@_skill(
    title="Symmetric extreme dependency score",
    aliases=("seds",),
    latex=r"\frac{\ln \frac{(\TP + \FP) \cdot (\TP + \FN)}{(\TP + \FP + \FN + \TN)^2}}"
    r"{\ln \frac{\TP}{\TP + \FP + \FN + \TN}} - 1",
    bounds=(-1, 1),
    chance=0,
    symmetric=True,
    undefined=_NO_HITS,
    when_never_predicted=0,
    references=("HoganOConnorIllingworth2009",),
)
def symmetric_extreme_dependency_score(c: Cells) -> Any:
    """Skill for rare events: how slowly the hits vanish, beyond those that chance brings."""
    by_chance = log_share(c.predicted, c.predicted_negative) + log_share(
        c.actual, c.actual_negative
    )
    return ratio(by_chance, log_share(c.tp, c.fn + c.actual_negative)) - 1


@_skill(
    title="Extremal dependence index",
    aliases=("edi",),
    latex=r"\frac{\ln \frac{\FP}{\FP + \TN} - \ln \frac{\TP}{\TP + \FN}}"
    r"{\ln \frac{\FP}{\FP + \TN} + \ln \frac{\TP}{\TP + \FN}}",
    bounds=(-1, 1),
    limit=1,
    chance=0,
    undefined="there are no hits or no false positives, or every item is predicted as the class",
    when_never_predicted=0,
    references=("FerroStephenson2011",),
)
def extremal_dependence_index(c: Cells) -> Any:
    """Skill for rare events by recall and false positive rate, whatever the share of the class."""
    false, hit = log_share(c.fp, c.tn), log_share(c.tp, c.fn)
    return ratio(false - hit, false + hit)


_N = r"(\TP + \FP + \FN + \TN)"


@_skill(
    title="Lift",
    aliases=("lift_score",),
    latex=rf"\frac{{\TP \cdot {_N}}}{{(\TP + \FP) \cdot (\TP + \FN)}}",
    bounds=(0, None),
    chance=1,
    symmetric=True,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=0,
    references=("Brin1997",),
    peers={"pycm": "LS"},
)
def lift(c: Cells) -> Any:
    """Precision over prevalence: how many times better than drawing blindly."""
    return ratio(c.tp * c.total, c.predicted * c.actual)


@_skill(
    title="Information score",
    latex=rf"\log_2 \frac{{\TP \cdot {_N}}}{{(\TP + \FP) \cdot (\TP + \FN)}}",
    chance=0,
    symmetric=True,
    unit="bits",
    undefined="the class has no hits",
    references=("KononenkoBratko1991",),
    peers={"pycm": "IS"},
)
def information_score(c: Cells) -> Any:
    """Bits that a prediction of the class adds to knowing its prevalence: the logarithm of the lift."""
    return log_ratio(c.tp * c.total, c.predicted * c.actual, 2)


@_skill(
    title="Precision gain",
    latex=r"\frac{\TP \cdot \TN - \FP \cdot \FN}{\TP \cdot (\TN + \FP)}",
    bounds=(None, 1),
    chance=0,
    undefined="the class has no hits, or every item belongs to it",
    references=("FlachKull2015",),
)
def precision_gain(c: Cells) -> Any:
    """Precision on a harmonic scale where the prevalence is 0 and 1 is perfect."""
    return ratio(c.tp * c.tn - c.fp * c.fn, c.tp * c.actual_negative)


@_skill(
    title="Recall gain",
    latex=r"\frac{\TP \cdot (\TN + \FP) - \FN \cdot (\TP + \FN)}{\TP \cdot (\TN + \FP)}",
    bounds=(None, 1),
    undefined="the class has no hits, or every item belongs to it",
    references=("FlachKull2015",),
)
def recall_gain(c: Cells) -> Any:
    """Recall on a harmonic scale where the prevalence is 0 and 1 is perfect."""
    return ratio(c.tp * c.actual_negative - c.fn * c.actual, c.tp * c.actual_negative)


@_skill(
    title="Prevalence threshold",
    aliases=("pt",),
    latex=(
        r"\frac{\sqrt{\frac{\FP}{\TN + \FP}}}{\sqrt{\frac{\TP}{\TP + \FN}} + \sqrt{\frac{\FP}{\TN "
        r"+ \FP}}}"
    ),
    bounds=(0, 1),
    better="lower",
    chance=0.5,
    undefined="recall or specificity is undefined, or there are neither hits nor false positives",
    references=("Balayla2020",),
)
def prevalence_threshold(c: Cells) -> Any:
    """Prevalence below which the precision of such a test drops most sharply."""
    hit, false = sqrt0(ratio(c.tp, c.actual)), sqrt0(ratio(c.fp, c.actual_negative))
    return ratio(false, hit + false)


@_skill(
    title="Sensitivity index",
    aliases=("d_prime",),
    latex=r"\Phi^{-1}(\frac{\TP}{\TP + \FN}) - \Phi^{-1}(\frac{\FP}{\TN + \FP})",
    limit=math.inf,
    chance=0,
    undefined="recall or specificity is undefined, 0 or 1",
    when_never_predicted=0,
    unit="standard deviations",
    references=("GreenSwets1966",),
    peers={"pycm": "sensitivity_index"},
)
def sensitivity_index(c: Cells) -> Any:
    """Distance of two normal distributions that would give these rates: d'."""
    return _quantile(c.tp, c.fn) - _quantile(c.fp, c.tn)


def _quantile(part: Any, rest: Any) -> Any:
    """The normal quantile of the share of `part` in both, from the smaller of the two shares."""
    return np.where(
        part > rest, -probit(ratio(rest, part + rest)), probit(ratio(part, part + rest))
    )


@factory(title="Net benefit", example=(0.25,), peers={"pycm": "NB"})
def net_benefit(weight: float) -> ClassMetric:
    """Hits less `weight` times the false positives, per item; weight = p / (1 - p) at the threshold p."""
    weight = positive_number("weight", weight)

    @of_class(
        title=f"Net benefit ({weight:g})",
        name=f"net_benefit({weight!r})",
        latex=rf"\frac{{\TP - {weight!r} \cdot \FP}}{{{_N}}}",
        bounds=(-weight, 1),
        # The prevalence.
        best=math.nan,
        fair=False,
        depends_on_k=True,
        undefined="the matrix is empty",
        references=("VickersElkin2006",),
    )
    def benefit(c: Cells) -> Any:
        """Hits less weighted false positives, per item."""
        return ratio(c.tp - weight * c.fp, c.total)

    return benefit


def _share(prevalence: Any) -> float:
    share = positive_number("prevalence", prevalence)
    if share > 1:
        msg = f"`prevalence` is a share from 0 to 1, not {prevalence!r}"
        raise MetricError(msg)
    return share


@factory(title="Precision at a prevalence", example=(0.1,), aliases=("ppv_at",))
def precision_at(prevalence: float) -> ClassMetric:
    """Precision that the same recall and specificity would have at another prevalence."""
    share = _share(prevalence)

    @of_class(
        title=f"Precision at prevalence {share:g}",
        name=f"precision_at({share!r})",
        latex=(
            rf"\frac{{{share!r} \cdot \TP \cdot (\TN + \FP)}}"
            rf"{{{share!r} \cdot \TP \cdot (\TN + \FP) + (1 - {share!r}) \cdot \FP \cdot (\TP + "
            rf"\FN)}}"
        ),
        bounds=(0, 1),
        depends_on_k=True,
        function_of=(
            "positive_likelihood_ratio",
            functools.partial(precision_of_ratio, share=float(share)),
        ),
        undefined="recall or specificity is undefined, or the class would never be predicted",
        when_never_predicted=0,
        references=("AltmanBland1994",),
    )
    def at(c: Cells) -> Any:
        """Precision that the same recall and specificity would have at another prevalence."""
        hits = c.tp * c.actual_negative * share
        return ratio(hits, hits + c.fp * c.actual * (1 - share))

    return at


@factory(title="Negative predictive value at a prevalence", example=(0.1,), aliases=("npv_at",))
def negative_predictive_value_at(prevalence: float) -> ClassMetric:
    """Negative predictive value that the same recall and specificity would have at another prevalence."""
    share = _share(prevalence)

    @of_class(
        title=f"Negative predictive value at prevalence {share:g}",
        name=f"negative_predictive_value_at({share!r})",
        latex=(
            rf"\frac{{(1 - {share!r}) \cdot \TN \cdot (\TP + \FN)}}"
            rf"{{(1 - {share!r}) \cdot \TN \cdot (\TP + \FN) + {share!r} \cdot \FN \cdot (\TN + "
            rf"\FP)}}"
        ),
        bounds=(0, 1),
        depends_on_k=True,
        function_of=(
            "negative_likelihood_ratio",
            functools.partial(rest_of_ratio, share=float(share)),
        ),
        undefined="recall or specificity is undefined, or every item would be predicted as the class",
        references=("AltmanBland1994",),
    )
    def at(c: Cells) -> Any:
        """Negative predictive value that the same recall and specificity would have at another prevalence."""
        rejections = c.tn * c.actual * (1 - share)
        return ratio(rejections, rejections + c.fn * c.actual_negative * share)

    return at

"""Gains: what a prediction of one class adds to knowing its share, and what it would be worth elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from confmat.core.cells import Cells
from confmat.core.errors import MetricError
from confmat.metrics.arithmetic import constant, log_ratio, probit, ratio, sqrt0
from confmat.metrics.declaration import Metric, of_class
from confmat.metrics.factories import factory, positive_number

__all__ = [
    "f_gain",
    "information_score",
    "lift",
    "negative_predictive_value_at",
    "net_benefit",
    "precision_at",
    "precision_gain",
    "prevalence_threshold",
    "recall_gain",
    "sensitivity_index",
]

_N = r"(\TP + \FP + \FN + \TN)"


@of_class(
    title="Lift",
    aliases=("lift_score",),
    latex=rf"\frac{{\TP \cdot {_N}}}{{(\TP + \FP) \cdot (\TP + \FN)}}",
    bounds=(0, None),
    chance=1,
    symmetric=True,
    depends_on_k=True,
    undefined="the class never occurs or is never predicted",
    when_never_predicted=0,
    references=("Brin1997",),
    peers={"pycm": "LS"},
)
def lift(c: Cells) -> Any:
    """Precision over prevalence: how many times better than drawing blindly."""
    return ratio(c.tp * c.total, c.predicted * c.actual)


@of_class(
    title="Information score",
    latex=rf"\log_2 \frac{{\TP \cdot {_N}}}{{(\TP + \FP) \cdot (\TP + \FN)}}",
    chance=0,
    symmetric=True,
    rational=False,
    unit="bits",
    depends_on_k=True,
    undefined="the class has no hits",
    references=("KononenkoBratko1991",),
    peers={"pycm": "IS"},
)
def information_score(c: Cells) -> Any:
    """Bits that a prediction of the class adds to knowing its prevalence: the logarithm of the lift."""
    return log_ratio(c.tp * c.total, c.predicted * c.actual, 2)


@of_class(
    title="Precision gain",
    latex=r"\frac{\TP \cdot \TN - \FP \cdot \FN}{\TP \cdot (\TN + \FP)}",
    bounds=(None, 1),
    chance=0,
    depends_on_k=True,
    undefined="the class has no hits, or every item belongs to it",
    references=("FlachKull2015",),
)
def precision_gain(c: Cells) -> Any:
    """Precision on a harmonic scale where the prevalence is 0 and 1 is perfect."""
    return ratio(c.tp * c.tn - c.fp * c.fn, c.tp * c.actual_negative)


@of_class(
    title="Recall gain",
    latex=r"\frac{\TP \cdot (\TN + \FP) - \FN \cdot (\TP + \FN)}{\TP \cdot (\TN + \FP)}",
    bounds=(None, 1),
    depends_on_k=True,
    undefined="the class has no hits, or every item belongs to it",
    references=("FlachKull2015",),
)
def recall_gain(c: Cells) -> Any:
    """Recall on a harmonic scale where the prevalence is 0 and 1 is perfect."""
    return ratio(c.tp * c.actual_negative - c.fn * c.actual, c.tp * c.actual_negative)


@factory(title="F gain", example=(1,))
def f_gain(beta: float = 1) -> Metric:
    """F measure on a harmonic scale where always naming the class is 0 and 1 is perfect."""
    beta = positive_number("beta", beta)
    square, more = repr(beta * beta), repr(1 + beta * beta)

    @of_class(
        title=f"F{beta:g} gain",
        name=f"f_gain({beta!r})",
        latex=(
            rf"\frac{{{more} \cdot \TP \cdot (\TN + \FP) - (\FP + {square} \cdot \FN) \cdot (\TP + \FN)}}"
            rf"{{{more} \cdot \TP \cdot (\TN + \FP)}}"
        ),
        bounds=(None, 1),
        depends_on_k=True,
        undefined="the class has no hits, or every item belongs to it",
        references=("FlachKull2015",),
    )
    def gain(c: Cells) -> Any:
        """F measure on a harmonic scale where the prevalence is 0 and 1 is perfect."""
        b = constant(beta, c.tp)
        hits = (1 + b * b) * c.tp * c.actual_negative
        return ratio(hits - (c.fp + b * b * c.fn) * c.actual, hits)

    return gain


@of_class(
    title="Prevalence threshold",
    aliases=("pt",),
    latex=(r"\frac{\sqrt{\frac{\FP}{\TN + \FP}}}{\sqrt{\frac{\TP}{\TP + \FN}} + \sqrt{\frac{\FP}{\TN + \FP}}}"),
    bounds=(0, 1),
    better="lower",
    chance=0.5,
    rational=False,
    depends_on_k=True,
    undefined="recall or specificity is undefined, or there are neither hits nor false positives",
    references=("Balayla2020",),
)
def prevalence_threshold(c: Cells) -> Any:
    """Prevalence below which the precision of such a test drops most sharply."""
    hit, false = sqrt0(ratio(c.tp, c.actual)), sqrt0(ratio(c.fp, c.actual_negative))
    return ratio(false, hit + false)


@of_class(
    title="Sensitivity index",
    aliases=("d_prime",),
    latex=r"\Phi^{-1}(\frac{\TP}{\TP + \FN}) - \Phi^{-1}(\frac{\FP}{\TN + \FP})",
    limit=math.inf,
    chance=0,
    rational=False,
    depends_on_k=True,
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
    return np.where(part > rest, -probit(ratio(rest, part + rest)), probit(ratio(part, part + rest)))


@factory(title="Net benefit", example=(0.25,), peers={"pycm": "NB"})
def net_benefit(weight: float) -> Metric:
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
        return ratio(c.tp - constant(weight, c.tp) * c.fp, c.total)

    return benefit


def _share(prevalence: Any) -> float:
    share = positive_number("prevalence", prevalence)
    if share > 1:
        msg = f"`prevalence` is a share from 0 to 1, not {prevalence!r}"
        raise MetricError(msg)
    return share


@factory(title="Precision at a prevalence", example=(0.1,), aliases=("ppv_at",))
def precision_at(prevalence: float) -> Metric:
    """Precision that the same recall and specificity would have at another prevalence."""
    share = _share(prevalence)

    @of_class(
        title=f"Precision at prevalence {share:g}",
        name=f"precision_at({share!r})",
        latex=(
            rf"\frac{{{share!r} \cdot \TP \cdot (\TN + \FP)}}"
            rf"{{{share!r} \cdot \TP \cdot (\TN + \FP) + (1 - {share!r}) \cdot \FP \cdot (\TP + \FN)}}"
        ),
        bounds=(0, 1),
        depends_on_k=True,
        undefined="recall or specificity is undefined, or the class would never be predicted",
        when_never_predicted=0,
        references=("AltmanBland1994",),
    )
    def at(c: Cells) -> Any:
        """Precision that the same recall and specificity would have at another prevalence."""
        p = constant(share, c.tp)
        hits = c.tp * c.actual_negative * p
        return ratio(hits, hits + c.fp * c.actual * (1 - p))

    return at


@factory(title="Negative predictive value at a prevalence", example=(0.1,), aliases=("npv_at",))
def negative_predictive_value_at(prevalence: float) -> Metric:
    """Negative predictive value that the same recall and specificity would have at another prevalence."""
    share = _share(prevalence)

    @of_class(
        title=f"Negative predictive value at prevalence {share:g}",
        name=f"negative_predictive_value_at({share!r})",
        latex=(
            rf"\frac{{(1 - {share!r}) \cdot \TN \cdot (\TP + \FN)}}"
            rf"{{(1 - {share!r}) \cdot \TN \cdot (\TP + \FN) + {share!r} \cdot \FN \cdot (\TN + \FP)}}"
        ),
        bounds=(0, 1),
        depends_on_k=True,
        undefined="recall or specificity is undefined, or every item would be predicted as the class",
        references=("AltmanBland1994",),
    )
    def at(c: Cells) -> Any:
        """Negative predictive value that the same recall and specificity would have at another prevalence."""
        p = constant(share, c.tp)
        rejections = c.tn * c.actual * (1 - p)
        return ratio(rejections, rejections + c.fn * c.actual_negative * p)

    return at

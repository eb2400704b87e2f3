"""Skill for rare events: dependence scores of the weather services, by the logarithms of rates that all vanish."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import ratio
from confmat.metrics.cancelling import log_share, product_gap
from confmat.metrics.declaration import of_class
from confmat.metrics.logarithms import determinant, log_quotient

__all__ = ["extremal_dependence_index", "extreme_dependency_score", "symmetric_extreme_dependency_score"]

_NO_HITS = "there are no hits, or every item is one"


@of_class(
    title="Extreme dependency score",
    aliases=("eds",),
    latex=r"\frac{2 \ln \frac{\TP + \FN}{\TP + \FP + \FN + \TN}}{\ln \frac{\TP}{\TP + \FP + \FN + \TN}} - 1",
    bounds=(-1, 1),
    rational=False,
    depends_on_k=True,
    undefined=_NO_HITS,
    when_never_predicted=-1,
    references=("StephensonCasatiFerroWilson2008",),
)
def extreme_dependency_score(c: Cells) -> Any:
    """How slowly the hits vanish as the event gets rarer, whatever the false alarms.

    Naming the class more often raises it; its symmetric sibling and the extremal dependence indices count that.
    """
    # (TP + FN)^2 - n TP.
    gap = product_gap(c.fn, c.actual, c.tp, c.actual_negative)
    return ratio(-log_quotient(c.actual * c.actual, c.total * c.tp, gap), log_share(c.total, c.tp))


@of_class(
    title="Symmetric extreme dependency score",
    aliases=("seds",),
    latex=r"\frac{\ln \frac{(\TP + \FP) \cdot (\TP + \FN)}{(\TP + \FP + \FN + \TN)^2}}"
    r"{\ln \frac{\TP}{\TP + \FP + \FN + \TN}} - 1",
    bounds=(-1, 1),
    chance=0,
    symmetric=True,
    rational=False,
    depends_on_k=True,
    undefined=_NO_HITS,
    when_never_predicted=0,
    references=("HoganOConnorIllingworth2009",),
)
def symmetric_extreme_dependency_score(c: Cells) -> Any:
    """Skill for rare events: how slowly the hits vanish, beyond those that chance brings."""
    by_chance = log_quotient(c.predicted * c.actual, c.total * c.tp, -determinant(c))
    return ratio(-by_chance, log_share(c.total, c.tp))


@of_class(
    title="Extremal dependence index",
    aliases=("edi",),
    latex=r"\frac{\ln \frac{\FP}{\FP + \TN} - \ln \frac{\TP}{\TP + \FN}}"
    r"{\ln \frac{\FP}{\FP + \TN} + \ln \frac{\TP}{\TP + \FN}}",
    bounds=(-1, 1),
    limit=1,
    chance=0,
    rational=False,
    depends_on_k=True,
    undefined="there are no hits or no false positives, or every item is predicted as the class",
    when_never_predicted=0,
    references=("FerroStephenson2011",),
)
def extremal_dependence_index(c: Cells) -> Any:
    """Skill for rare events by recall and false positive rate, whatever the share of the class."""
    odds = log_quotient(c.tp * c.actual_negative, c.fp * c.actual, determinant(c))
    return ratio(odds, log_share(c.actual_negative, c.fp) + log_share(c.actual, c.tp))

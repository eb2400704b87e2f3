"""Skill for rare events: dependence scores of the weather services, by the logarithms of rates that all vanish."""

from __future__ import annotations

from typing import Any

from confmat.core.cells import Cells
from confmat.metrics.arithmetic import log_ratio, ratio
from confmat.metrics.declaration import of_class

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
    return ratio(2 * log_ratio(c.actual, c.total), log_ratio(c.tp, c.total)) - 1


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
    by_chance = log_ratio(c.predicted, c.total) + log_ratio(c.actual, c.total)
    return ratio(by_chance, log_ratio(c.tp, c.total)) - 1


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
    false, hit = log_ratio(c.fp, c.actual_negative), log_ratio(c.tp, c.actual)
    return ratio(false - hit, false + hit)

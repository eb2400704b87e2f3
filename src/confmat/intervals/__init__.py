"""How sure a score is: the gradient of any metric, and intervals under every design."""

from confmat.intervals.door import interval
from confmat.intervals.estimates import Estimate, Estimates
from confmat.intervals.planning import items_needed
from confmat.intervals.prevalence import Prevalence, estimate_prevalence
from confmat.intervals.raters import RaterAgreement, rater_agreement
from confmat.intervals.sampled import areas

__all__ = [
    "Estimate",
    "Estimates",
    "Prevalence",
    "RaterAgreement",
    "areas",
    "estimate_prevalence",
    "interval",
    "items_needed",
    "rater_agreement",
]

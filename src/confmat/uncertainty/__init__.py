"""How sure a score is: the gradient of any metric, and intervals under every design."""

from confmat.uncertainty.estimates import Estimate, Estimates
from confmat.uncertainty.intervals import interval
from confmat.uncertainty.planning import items_needed

__all__ = ["Estimate", "Estimates", "interval", "items_needed"]

"""How sure a score is: the gradient of any metric, and intervals under every design."""

from confmat.uncertainty.door import interval, items_needed
from confmat.uncertainty.estimates import Estimate, Estimates

__all__ = ["Estimate", "Estimates", "interval", "items_needed"]

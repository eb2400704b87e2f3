"""How sure a score is: the gradient of any metric, and intervals under every design."""

from confmat.intervals.door import interval
from confmat.intervals.estimates import Estimate, Estimates

__all__ = ["Estimate", "Estimates", "interval"]

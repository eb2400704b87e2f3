"""Calibration: whether scores mean what they say, from one sum over bins that merges like a matrix.

For whoever decides by scores. It takes truths and scores, and keeps sums over bins, not items.
Weights, groups, clusters and labels beside the classes are refused.
"""

from confmat.calibrating.bins import Bins
from confmat.calibrating.door import calibration
from confmat.calibrating.value import Calibration, Murphy

__all__ = ["Bins", "Calibration", "Murphy", "calibration"]

"""Calibration: whether scores mean what they say, from one sum over bins that merges like a matrix."""

from confmat.calibrating.bins import Bins
from confmat.calibrating.door import calibration
from confmat.calibrating.value import Calibration, Murphy

__all__ = ["Bins", "Calibration", "Murphy", "calibration"]

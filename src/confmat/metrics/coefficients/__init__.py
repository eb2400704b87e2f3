"""Coefficients: measures of likeness between two binary variables, class against the rest, from many sciences.

Their literature writes a for TP, b for FP, c for FN and d for TN. PyCM computes 63 of them: two are F1 of the
negative class and lift, which `rates` declares, and Forbes II is Benini II; six are written here as their
authors meant them, and what PyCM computes in their place is found under its own name in `peers`.
"""

import types

from confmat.metrics.coefficients.association import *
from confmat.metrics.coefficients.authors import *
from confmat.metrics.coefficients.similarity import *

__all__ = [name for name, value in vars().items() if not (name.startswith("_") or isinstance(value, types.ModuleType))]

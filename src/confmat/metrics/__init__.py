"""Metrics: declared once, each a value that can be called, listed, averaged and explained."""

from confmat.metrics import balances, confusion_entropy, detection, gains, overlaps, skill, tallies
from confmat.metrics.arithmetic import ratio, sqrt0, xlogx
from confmat.metrics.averages import AVERAGES, Average
from confmat.metrics.balances import *
from confmat.metrics.catalogue import catalogue, factories, metric
from confmat.metrics.confusion_entropy import *
from confmat.metrics.declaration import Metric, of_class, of_matrix
from confmat.metrics.detection import *
from confmat.metrics.factories import Factory, factory
from confmat.metrics.gains import *
from confmat.metrics.overlaps import *
from confmat.metrics.scores import Score, parse_score, score
from confmat.metrics.skill import *
from confmat.metrics.tallies import *

__all__ = [
    "AVERAGES",
    "Average",
    "Factory",
    "Metric",
    "Score",
    "catalogue",
    "factories",
    "factory",
    "metric",
    "of_class",
    "of_matrix",
    "parse_score",
    "ratio",
    "score",
    "sqrt0",
    "xlogx",
]
for _family in (detection, overlaps, skill, balances, gains, confusion_entropy, tallies):
    __all__ += _family.__all__

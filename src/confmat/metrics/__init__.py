"""Metrics: declared once, each a value that can be called, listed, averaged and explained."""

from confmat.metrics import (
    accuracies,
    agreement,
    association,
    balances,
    baselines,
    coefficients,
    concordance,
    confusion_entropy,
    costs,
    detection,
    extremes,
    gains,
    information,
    means,
    ordinal,
    overall_entropy,
    overlaps,
    pair_counting,
    sharing,
    skill,
    tallies,
    weighted,
)
from confmat.metrics.accuracies import *
from confmat.metrics.agreement import *
from confmat.metrics.arithmetic import ratio, sqrt0, xlogx
from confmat.metrics.association import *
from confmat.metrics.averages import AVERAGES, Average
from confmat.metrics.balances import *
from confmat.metrics.baselines import *
from confmat.metrics.catalogue import catalogue, factories, metric
from confmat.metrics.coefficients import *
from confmat.metrics.concordance import *
from confmat.metrics.confusion_entropy import *
from confmat.metrics.costs import *
from confmat.metrics.declaration import Metric, of_class, of_matrix
from confmat.metrics.detection import *
from confmat.metrics.extremes import *
from confmat.metrics.factories import Factory, factory
from confmat.metrics.gains import *
from confmat.metrics.information import *
from confmat.metrics.means import *
from confmat.metrics.ordinal import *
from confmat.metrics.overall_entropy import *
from confmat.metrics.overlaps import *
from confmat.metrics.pair_counting import *
from confmat.metrics.scores import Score, parse_score, score
from confmat.metrics.sharing import *
from confmat.metrics.skill import *
from confmat.metrics.tallies import *
from confmat.metrics.weighted import *

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
# In the order in which lists and pages show the families.
__all__ += accuracies.__all__
__all__ += means.__all__
__all__ += agreement.__all__
__all__ += weighted.__all__
__all__ += baselines.__all__
__all__ += detection.__all__
__all__ += overlaps.__all__
__all__ += skill.__all__
__all__ += extremes.__all__
__all__ += balances.__all__
__all__ += gains.__all__
__all__ += confusion_entropy.__all__
__all__ += overall_entropy.__all__
__all__ += information.__all__
__all__ += sharing.__all__
__all__ += association.__all__
__all__ += pair_counting.__all__
__all__ += ordinal.__all__
__all__ += concordance.__all__
__all__ += costs.__all__
__all__ += coefficients.__all__
__all__ += tallies.__all__

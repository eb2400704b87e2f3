"""Metrics: declared once, each a value that can be called, listed, averaged and explained."""

from confmat.metrics import (
    accuracies,
    agreement,
    association,
    coefficients,
    costs,
    information,
    ordinal,
    overlaps,
    rates,
    sharing,
    skill,
)
from confmat.metrics import accuracies as baselines
from confmat.metrics import accuracies as means
from confmat.metrics import agreement as pair_counting
from confmat.metrics import agreement as weighted
from confmat.metrics import association as concordance
from confmat.metrics import information as confusion_entropy
from confmat.metrics import information as overall_entropy
from confmat.metrics import overlaps as balances
from confmat.metrics import skill as extremes
from confmat.metrics import skill as gains
from confmat.metrics.accuracies import *
from confmat.metrics.agreement import *
from confmat.metrics.arithmetic import ratio, sqrt0, xlogx
from confmat.metrics.association import *
from confmat.metrics.averages import AVERAGES, Average
from confmat.metrics.catalog import Score, catalogue, factories, metric, parse_score, score
from confmat.metrics.coefficients import *
from confmat.metrics.costs import *
from confmat.metrics.declaration import Factory, Metric, factory, of_class, of_matrix
from confmat.metrics.information import *
from confmat.metrics.ordinal import *
from confmat.metrics.overlaps import *
from confmat.metrics.rates import *
from confmat.metrics.sharing import *
from confmat.metrics.skill import *

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
__all__ += rates.__all__
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
__all__ += rates.__all__

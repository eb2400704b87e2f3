"""Metrics: declared once, each a value that can be called, listed, averaged and explained.

The families are named once, in the order in which lists and pages show them. The many coefficients
that other tools print are in `confmat.metrics.coefficients`; `metric` finds them, too.
"""

import types
from typing import TYPE_CHECKING, Any

# isort: off
from confmat.metrics.accuracies import *
from confmat.metrics.agreement import *
from confmat.metrics.rates import *
from confmat.metrics.overlaps import *
from confmat.metrics.skill import *
from confmat.metrics.information import *
from confmat.metrics.sharing import *
from confmat.metrics.association import *
from confmat.metrics.ordinal import *

# isort: on
from confmat.metrics.arithmetic import ratio, sqrt0, xlogx
from confmat.metrics.averages import AVERAGES, Average
from confmat.metrics.catalog import Score, find, metric, parse_score, score
from confmat.metrics.declaration import (
    Factory,
    Metric,
    catalog,
    enter,
    factories,
    factory,
    of_class,
    of_matrix,
)

# Common names of the same metrics.
sensitivity, ppv, npv, iou = recall, precision, negative_predictive_value, jaccard

__all__ = [
    "AVERAGES",
    "Average",
    "Factory",
    "Metric",
    "Score",
    "catalog",
    "factories",
    "factory",
    "find",
    "metric",
    "of_class",
    "of_matrix",
    "parse_score",
    "ratio",
    "score",
    "sqrt0",
    "xlogx",
]
__all__ += [
    name
    for name, value in vars().items()
    if not (
        name.startswith("_")
        or name in {*__all__, "enter", "Any", "TYPE_CHECKING"}
        or isinstance(value, types.ModuleType)
    )
]

enter(globals()[name] for name in __all__)

if TYPE_CHECKING:
    from confmat.metrics import coefficients as coefficients
    from confmat.metrics.costs import *

__all__ += ["Costs", "cost", "normalized_cost", "total_cost"]


def __getattr__(name: str) -> Any:
    """Load the last families for a name of theirs."""
    from importlib import import_module

    if name == "coefficients":
        return import_module("confmat.metrics.coefficients")
    if name in __all__:
        return getattr(import_module("confmat.metrics.costs"), name)
    msg = f"module 'confmat.metrics' has no attribute {name!r}"
    raise AttributeError(msg)

"""confmat: the confusion-matrix engine.

A confusion matrix is a sum of counted pairs; everything else is a function of that sum.
"""

from confmat import metrics as _metrics
from confmat._kernels import kernel_name
from confmat._version import __version__
from confmat.cells import Cells
from confmat.counting import Tally, count
from confmat.errors import (
    AlignmentWarning,
    BudgetError,
    ConfmatError,
    ConfmatWarning,
    InputError,
    LabelError,
    MetricError,
)
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.metrics import (
    AVERAGES,
    Average,
    Factory,
    Metric,
    Score,
    catalogue,
    factories,
    factory,
    metric,
    of_class,
    of_matrix,
    parse_score,
    ratio,
    score,
    sqrt0,
    xlogx,
)

# Every metric by its name: family by family, because type checkers follow no computed list.
from confmat.metrics.accuracies import *
from confmat.metrics.agreement import *
from confmat.metrics.association import *
from confmat.metrics.balances import *
from confmat.metrics.baselines import *
from confmat.metrics.coefficients import *
from confmat.metrics.confusion_entropy import *
from confmat.metrics.costs import *
from confmat.metrics.detection import *
from confmat.metrics.gains import *
from confmat.metrics.information import *
from confmat.metrics.means import *
from confmat.metrics.ordinal import *
from confmat.metrics.overall_entropy import *
from confmat.metrics.overlaps import *
from confmat.metrics.pair_counting import *
from confmat.metrics.sharing import *
from confmat.metrics.skill import *
from confmat.metrics.tallies import *
from confmat.metrics.weighted import *
from confmat.reporting import Report, report
from confmat.stack import Stack

__all__ = [
    "AVERAGES",
    "AlignmentWarning",
    "Average",
    "BudgetError",
    "Cells",
    "ConfmatError",
    "ConfmatWarning",
    "ConfusionMatrix",
    "Factory",
    "InputError",
    "LabelError",
    "Labels",
    "Metric",
    "MetricError",
    "Report",
    "Score",
    "Stack",
    "Tally",
    "__version__",
    "catalogue",
    "count",
    "factories",
    "factory",
    "kernel_name",
    "metric",
    "of_class",
    "of_matrix",
    "parse_score",
    "ratio",
    "report",
    "score",
    "sqrt0",
    "xlogx",
]
__all__ += [name for name in _metrics.__all__ if name not in __all__]

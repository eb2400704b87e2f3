"""confmat: the confusion-matrix engine.

A confusion matrix is a sum of counted pairs; everything else is a function of that sum.
"""

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
from confmat.metrics import *  # noqa: F403 - every metric by its name
from confmat.metrics import __all__ as _metrics
from confmat.reporting import Report, report
from confmat.stack import Stack

__all__ = [  # noqa: PLE0604 - the names of the metrics are listed by their families
    "AlignmentWarning",
    "BudgetError",
    "Cells",
    "ConfmatError",
    "ConfmatWarning",
    "ConfusionMatrix",
    "InputError",
    "LabelError",
    "Labels",
    "MetricError",
    "Report",
    "Stack",
    "Tally",
    "__version__",
    "count",
    "kernel_name",
    "report",
    *_metrics,
]

"""confmat: the confusion-matrix engine.

A confusion matrix is a sum of counted pairs; everything else is a function of that sum.
"""

from typing import TYPE_CHECKING
from typing import Any as _Any

from confmat._version import __version__
from confmat.core.cells import Cells
from confmat.core.errors import (
    AlignmentWarning,
    BudgetError,
    CompatibilityWarning,
    ConfmatError,
    ConfmatWarning,
    FileError,
    InputError,
    LabelError,
    MetricError,
)
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.tables import Table
from confmat.counting import Tally, count
from confmat.kernels import kernel_name

if TYPE_CHECKING:
    from confmat.auditing import Finding, Findings, Inference, audit, infer
    from confmat.comparison import Comparison, compare, compare_predictions
    from confmat.costs import CostReport, cost_report, expected_cost, read_costs
    from confmat.counting.answers import AnswerLog, Answers
    from confmat.counting.examples import Examples
    from confmat.deciding import (
        Best,
        Curve,
        RiskCoverage,
        RiskPoint,
        ScoreCurve,
        ThresholdTally,
        Unanswered,
        Without,
        abstain,
        average_precision,
        best,
        from_scores,
        pr_curve,
        risk_coverage,
        roc,
        roc_auc,
        thresholds,
        top_k_accuracy,
        unanswered,
    )
    from confmat.detection import (
        Boxes,
        BoxPrecision,
        coco_average_precision,
        count_boxes,
        examples_of_detections,
        read_coco,
        read_yolo,
    )
    from confmat.display.html import html
    from confmat.display.plot import plot, plot_classes, plot_differences
    from confmat.display.roles import Role
    from confmat.display.terminal import show
    from confmat.display.view import MatrixView, view
    from confmat.hierarchy import (
        Hierarchy,
        Severity,
        hierarchical_f1,
        hierarchical_precision,
        hierarchical_recall,
        lca_height,
        severity,
        tree_distance,
    )
    from confmat.intervals import Estimate, Estimates, interval, items_needed
    from confmat.io import (
        compare_files,
        compare_frame,
        count_files,
        count_frame,
        from_csv,
        from_json,
        from_pycm,
        from_sklearn,
        load,
        read_printed,
        recognise,
        save,
        to_csv,
        to_json,
        to_latex,
        to_markdown,
    )
    from confmat.io.examples import examples_of_files

    # Every metric by its name: family by family, because type checkers follow no computed list.
    from confmat.metrics.accuracies import *
    from confmat.metrics.agreement import *
    from confmat.metrics.arithmetic import ratio, sqrt0, xlogx
    from confmat.metrics.association import *
    from confmat.metrics.averages import AVERAGES, Average
    from confmat.metrics.catalog import Score, catalog, factories, metric, parse_score, score
    from confmat.metrics.coefficients import *
    from confmat.metrics.costs import *
    from confmat.metrics.declaration import Factory, Metric, factory, of_class, of_matrix
    from confmat.metrics.information import *
    from confmat.metrics.ordinal import *
    from confmat.metrics.overlaps import *
    from confmat.metrics.rates import *
    from confmat.metrics.sharing import *
    from confmat.metrics.skill import *
    from confmat.multilabel import count_multilabel, exact_match
    from confmat.reporting import Report, report
    from confmat.segmentation import PanopticQuality, count_masks, panoptic
    from confmat.spans import Span, Spans, SpanScores, count_spans, read_conll, span_scores, spans_of_tags
    from confmat.structure import (
        ClassGroups,
        Confusion,
        Confusions,
        Flow,
        Flows,
        class_groups,
        class_order,
        sinks,
        sources,
        top_confusions,
    )

__all__ = [
    "AVERAGES",
    "AlignmentWarning",
    "AnswerLog",
    "Answers",
    "Average",
    "Best",
    "BoxPrecision",
    "Boxes",
    "BudgetError",
    "Cells",
    "ClassGroups",
    "Comparison",
    "CompatibilityWarning",
    "ConfmatError",
    "ConfmatWarning",
    "Confusion",
    "ConfusionMatrix",
    "Confusions",
    "CostReport",
    "Curve",
    "Estimate",
    "Estimates",
    "Examples",
    "Factory",
    "FileError",
    "Finding",
    "Findings",
    "Flow",
    "Flows",
    "Hierarchy",
    "Inference",
    "InputError",
    "LabelError",
    "Labels",
    "MatrixView",
    "Metric",
    "MetricError",
    "PanopticQuality",
    "Report",
    "RiskCoverage",
    "RiskPoint",
    "Role",
    "Score",
    "ScoreCurve",
    "Severity",
    "Span",
    "SpanScores",
    "Spans",
    "Stack",
    "Table",
    "Tally",
    "ThresholdTally",
    "Unanswered",
    "Without",
    "__version__",
    "abstain",
    "audit",
    "average_precision",
    "best",
    "catalog",
    "class_groups",
    "class_order",
    "coco_average_precision",
    "compare",
    "compare_files",
    "compare_frame",
    "compare_predictions",
    "cost_report",
    "count",
    "count_boxes",
    "count_files",
    "count_frame",
    "count_masks",
    "count_multilabel",
    "count_spans",
    "exact_match",
    "examples_of_detections",
    "examples_of_files",
    "expected_cost",
    "factories",
    "factory",
    "from_csv",
    "from_json",
    "from_pycm",
    "from_scores",
    "from_sklearn",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "html",
    "infer",
    "interval",
    "items_needed",
    "kernel_name",
    "lca_height",
    "load",
    "metric",
    "of_class",
    "of_matrix",
    "panoptic",
    "parse_score",
    "plot",
    "plot_classes",
    "plot_differences",
    "pr_curve",
    "ratio",
    "read_coco",
    "read_conll",
    "read_costs",
    "read_printed",
    "read_yolo",
    "recognise",
    "report",
    "risk_coverage",
    "roc",
    "roc_auc",
    "save",
    "score",
    "severity",
    "show",
    "sinks",
    "sources",
    "span_scores",
    "spans_of_tags",
    "sqrt0",
    "thresholds",
    "to_csv",
    "to_json",
    "to_latex",
    "to_markdown",
    "top_confusions",
    "top_k_accuracy",
    "tree_distance",
    "unanswered",
    "view",
    "xlogx",
]
# Whoever asks for `__all__` gets the metrics' names too; `__getattr__` adds them, which opens their room.
_OWN = __all__
if not TYPE_CHECKING:
    del __all__

# Rooms are opened when somebody first asks for what is in them, so that importing confmat stays quick.
_ROOMS = {
    "auditing": "Finding Findings Inference audit infer",
    "comparison": "Comparison compare compare_predictions",
    "costs": "CostReport cost_report expected_cost read_costs",
    "counting.answers": "AnswerLog Answers",
    "counting.examples": "Examples",
    "deciding": (
        "Best Curve RiskCoverage RiskPoint ScoreCurve ThresholdTally Unanswered Without abstain average_precision "
        "best from_scores pr_curve risk_coverage roc roc_auc thresholds top_k_accuracy unanswered"
    ),
    "detection": "BoxPrecision Boxes coco_average_precision count_boxes examples_of_detections read_coco read_yolo",
    "display.html": "html",
    "display.plot": "plot plot_classes plot_differences",
    "display.terminal": "show",
    "display.view": "MatrixView view",
    "display.roles": "Role",
    "io.examples": "examples_of_files",
    "io": (
        "compare_files compare_frame count_files count_frame "
        "from_csv from_json from_pycm from_sklearn load read_printed recognise save to_csv to_json to_latex to_markdown"
    ),
    "multilabel": "count_multilabel exact_match",
    "hierarchy": (
        "Hierarchy Severity hierarchical_f1 hierarchical_precision hierarchical_recall lca_height severity "
        "tree_distance"
    ),
    "reporting": "Report report",
    "segmentation": "PanopticQuality panoptic count_masks",
    "structure": "Confusion Confusions Flow Flows ClassGroups class_groups class_order sinks sources top_confusions",
    "spans": "Span SpanScores Spans read_conll span_scores count_spans spans_of_tags",
    "intervals": "Estimate Estimates interval items_needed",
}
_LATER = {name: f"confmat.{room}" for room, names in _ROOMS.items() for name in names.split()}


# What other packages call by these names.
_SWEPT = "(confmat.thresholds(actual, scores))"
_ELSEWHERE = {
    "auc": f"confmat.roc_auc{_SWEPT} is the area under the ROC curve, confmat.one_point_auc that of one matrix",
    "auroc": f"it is confmat.roc_auc{_SWEPT}",
    "roc_auc_score": f"it is confmat.roc_auc{_SWEPT}",
    "roc_curve": f"it is confmat.roc{_SWEPT}",
    "precision_recall_curve": f"it is confmat.pr_curve{_SWEPT}",
    "average_precision_score": f"it is confmat.average_precision{_SWEPT}",
    "confusion_matrix": "it is confmat.count(actual, predicted)",
    "multilabel_confusion_matrix": "it is confmat.count_multilabel(actual, predicted)",
    "mlcm": "it is confmat.count_multilabel(actual, predicted, matrix=True)",
    "subset_accuracy": "it is confmat.exact_match(confmat.count_multilabel(actual, predicted, along='item'))",
    "classification_report": "it is confmat.report(confmat.count(actual, predicted))",
}


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    if name in _LATER:
        globals()[name] = getattr(import_module(_LATER[name]), name)
    elif name == "__all__" or not name.startswith("_"):
        # All metrics at once: most families need others.
        metrics = import_module("confmat.metrics")
        rooms = (metrics, metrics.coefficients)
        found = {each: getattr(room, each) for room in rooms for each in room.__all__}
        globals().update(found, __all__=list(dict.fromkeys((*_OWN, *found))))
    if name not in globals():
        msg = f"module 'confmat' has no attribute {name!r}{'' if name.startswith('_') else _meant(name)}"
        raise AttributeError(msg)
    return globals()[name]


def _meant(name: str) -> str:
    """Where the metric or score is that has such a name, or what is spelt nearly so."""
    from confmat.core.text import meant
    from confmat.metrics.catalog import parse_score

    if name in _ELSEWHERE:
        return f"; {_ELSEWHERE[name]}"
    try:
        found = parse_score(name).metric
    except ConfmatError as error:
        if "is spelt" in str(error):
            return f": {str(error).partition('; ')[2]}"
        return meant(name, __getattr__("__all__"), 2)
    own = getattr(found, "name", "")
    return f"; it is confmat.{own}" if own in globals() else f"; confmat.metric({name!r}) gives it"


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})

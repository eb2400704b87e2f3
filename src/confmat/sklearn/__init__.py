"""The face for users of scikit-learn: its functions on labels, over one fast count."""

from typing import TYPE_CHECKING, Any

from confmat.core.errors import CompatibilityWarning
from confmat.sklearn._reading import InvalidParameterError, undefined_metric_warning
from confmat.sklearn.display import ConfusionMatrixDisplay
from confmat.sklearn.matrices import class_likelihood_ratios, confusion_matrix, multilabel_confusion_matrix
from confmat.sklearn.reports import classification_report
from confmat.sklearn.scorers import Scorer, scorer
from confmat.sklearn.scores import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)

if TYPE_CHECKING:
    UndefinedMetricWarning = UserWarning

__all__ = [
    "CompatibilityWarning",
    "ConfusionMatrixDisplay",
    "InvalidParameterError",
    "Scorer",
    "UndefinedMetricWarning",
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "f1_score",
    "fbeta_score",
    "hamming_loss",
    "jaccard_score",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
    "scorer",
    "zero_one_loss",
]


def __getattr__(name: str) -> Any:
    # Which class it is takes a look at scikit-learn, where that is installed.
    if name == "UndefinedMetricWarning":
        return undefined_metric_warning()
    msg = f"module 'confmat.sklearn' has no attribute {name!r}"
    raise AttributeError(msg)

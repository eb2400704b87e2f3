"""The face for those who come from scikit-learn: its functions on labels, over one fast count."""

from confmat.errors import CompatibilityWarning
from confmat.sklearn._borrowing import InvalidParameterError
from confmat.sklearn.accuracies import (
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    hamming_loss,
    matthews_corrcoef,
    zero_one_loss,
)
from confmat.sklearn.matrices import class_likelihood_ratios, confusion_matrix, multilabel_confusion_matrix
from confmat.sklearn.reports import classification_report
from confmat.sklearn.scores import (
    f1_score,
    fbeta_score,
    jaccard_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
)

__all__ = [
    "CompatibilityWarning",
    "InvalidParameterError",
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
    "zero_one_loss",
]

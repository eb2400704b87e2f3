"""The functions of scikit-learn on labels, asked about one fast count.

It takes scikit-learn: `pip install scikit-learn`.

For programs that call scikit-learn's metrics: another import, and the same arguments with the same
answers. Groups, clusters and other options of `count` are refused as unknown.
"""

try:
    import sklearn.metrics as theirs
except ModuleNotFoundError as error:
    if error.name != "sklearn":
        raise
    _message = (
        "confmat.sklearn takes scikit-learn, which is not installed; install it with: pip "
        "install scikit-learn"
    )
    raise ModuleNotFoundError(_message, name=error.name) from None

from sklearn.exceptions import UndefinedMetricWarning

from confmat.sklearn._face import face as _face
from confmat.sklearn.display import ConfusionMatrixDisplay
from confmat.sklearn.folds import cross_val_matrices
from confmat.sklearn.scorers import Scorer, scorer

__all__ = [
    "ConfusionMatrixDisplay",
    "Scorer",
    "UndefinedMetricWarning",
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "classification_report",
    "cohen_kappa_score",
    "confusion_matrix",
    "cross_val_matrices",
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

accuracy_score = _face(theirs.accuracy_score)
balanced_accuracy_score = _face(theirs.balanced_accuracy_score)
class_likelihood_ratios = _face(theirs.class_likelihood_ratios)
classification_report = _face(theirs.classification_report)
cohen_kappa_score = _face(theirs.cohen_kappa_score)
confusion_matrix = _face(theirs.confusion_matrix)
f1_score = _face(theirs.f1_score)
fbeta_score = _face(theirs.fbeta_score)
hamming_loss = _face(theirs.hamming_loss)
jaccard_score = _face(theirs.jaccard_score)
matthews_corrcoef = _face(theirs.matthews_corrcoef)
multilabel_confusion_matrix = _face(theirs.multilabel_confusion_matrix)
precision_recall_fscore_support = _face(theirs.precision_recall_fscore_support)
precision_score = _face(theirs.precision_score)
recall_score = _face(theirs.recall_score)
zero_one_loss = _face(theirs.zero_one_loss)

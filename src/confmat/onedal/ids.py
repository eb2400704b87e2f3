"""The identifiers of oneDAL's quality metrics: inputs, results, and the columns of the tables."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeVar

from confmat.core.errors import InputError

__all__ = [
    "AUC",
    "BinaryMetricsId",
    "InputId",
    "MultiClassMetricsId",
    "QualityMetricId",
    "ResultId",
    "accuracy",
    "averageAccuracy",
    "binaryMetrics",
    "confusionMatrix",
    "errorRate",
    "fscore",
    "groundTruthLabels",
    "known",
    "macroFscore",
    "macroPrecision",
    "macroRecall",
    "microFscore",
    "microPrecision",
    "microRecall",
    "multiClassMetrics",
    "precision",
    "predictedLabels",
    "recall",
    "specificity",
]

Id = TypeVar("Id", bound=IntEnum)


class InputId(IntEnum):
    """Inputs of an algorithm: one column of labels for each side."""

    predictedLabels = 0
    groundTruthLabels = 1


class ResultId(IntEnum):
    """Results of an algorithm."""

    confusionMatrix = 0
    multiClassMetrics = 1
    binaryMetrics = 2


class QualityMetricId(IntEnum):
    """The one quality metric that a set computes by default."""

    confusionMatrix = 0


class MultiClassMetricsId(IntEnum):
    """Columns of the table `multiClassMetrics`."""

    averageAccuracy = 0
    errorRate = 1
    microPrecision = 2
    microRecall = 3
    microFscore = 4
    macroPrecision = 5
    macroRecall = 6
    macroFscore = 7


class BinaryMetricsId(IntEnum):
    """Columns of the table `binaryMetrics`."""

    accuracy = 0
    precision = 1
    recall = 2
    fscore = 3
    specificity = 4
    AUC = 5


predictedLabels, groundTruthLabels = InputId
confusionMatrix, multiClassMetrics, binaryMetrics = ResultId
(
    averageAccuracy,
    errorRate,
    microPrecision,
    microRecall,
    microFscore,
    macroPrecision,
    macroRecall,
    macroFscore,
) = MultiClassMetricsId
accuracy, precision, recall, fscore, specificity, AUC = BinaryMetricsId


def known(family: type[Id], given: Any, what: str) -> Id:
    """An id of a family by itself, by its name or by its number."""
    try:
        if isinstance(given, IntEnum):
            # An id of another family means another thing under the same number; what it is called decides.
            return family[given.name]
        return family[given] if isinstance(given, str) else family(given)
    except (KeyError, ValueError):
        ids = ", ".join(member.name for member in family)
        msg = f"there is no {what} {getattr(given, 'name', given)!r}; the ids are: {ids}"
        raise InputError(msg) from None

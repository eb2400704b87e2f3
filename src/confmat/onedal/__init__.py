"""oneDAL's quality metrics of classifiers in its own words: inputs set by id, one `compute`, tables of results.

The names are those of the C++ library (class `Batch`, parameter `nClasses`, result `multiClassMetrics`), so that a
program can be carried over line by line. Behind them are `count` and one `ConfusionMatrix`, which every result also
gives as `matrix`.
"""

from confmat.onedal.algorithms import Batch, BinaryBatch, BinaryResult, Input, Parameter, Result
from confmat.onedal.ids import (
    AUC,
    BinaryMetricsId,
    InputId,
    MultiClassMetricsId,
    QualityMetricId,
    ResultId,
    accuracy,
    averageAccuracy,
    binaryMetrics,
    confusionMatrix,
    errorRate,
    fscore,
    groundTruthLabels,
    macroFscore,
    macroPrecision,
    macroRecall,
    microFscore,
    microPrecision,
    microRecall,
    multiClassMetrics,
    precision,
    predictedLabels,
    recall,
    specificity,
)
from confmat.onedal.sets import BinaryQualityMetricSet, InputDataCollection, QualityMetricSet, ResultCollection

__all__ = [
    "AUC",
    "Batch",
    "BinaryBatch",
    "BinaryMetricsId",
    "BinaryQualityMetricSet",
    "BinaryResult",
    "Input",
    "InputDataCollection",
    "InputId",
    "MultiClassMetricsId",
    "Parameter",
    "QualityMetricId",
    "QualityMetricSet",
    "Result",
    "ResultCollection",
    "ResultId",
    "accuracy",
    "averageAccuracy",
    "binaryMetrics",
    "confusionMatrix",
    "errorRate",
    "fscore",
    "groundTruthLabels",
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

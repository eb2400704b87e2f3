"""oneDAL's quality metrics of multi-class classifiers in its own words: inputs by id, one `compute`, tables of results.

The names are those of the C++ library (class `Batch`, parameter `nClasses`, result
`multiClassMetrics`), so that a program can be carried over line by line. Behind them are `count`
and one `ConfusionMatrix`, which every result also gives as `matrix`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import flag, one_of, told, whole_number
from confmat.counting import count

__all__ = [
    "Batch",
    "Input",
    "InputId",
    "MultiClassMetricsId",
    "Parameter",
    "QualityMetricSet",
    "QualityMetricsId",
    "Result",
    "ResultId",
    "averageAccuracy",
    "confusionMatrix",
    "errorRate",
    "groundTruthLabels",
    "macroFscore",
    "macroPrecision",
    "macroRecall",
    "microFscore",
    "microPrecision",
    "microRecall",
    "multiClassMetrics",
    "predictedLabels",
]

FPType = Literal["float", "double"]
Method = Literal["defaultDense"]


# ---- identifiers ---------------------------------------------------------------------------------


class InputId(IntEnum):
    """Inputs of an algorithm: one column of labels for each side."""

    predictedLabels = 0
    groundTruthLabels = 1


class ResultId(IntEnum):
    """Results of an algorithm."""

    confusionMatrix = 0
    multiClassMetrics = 1


class QualityMetricsId(IntEnum):
    """The one quality metric of a set."""

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


predictedLabels, groundTruthLabels = InputId
confusionMatrix, multiClassMetrics = ResultId
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


def _known(family: type[IntEnum], given: IntEnum | str) -> Any:
    """An id of a family by itself or by its name: a number alone means another thing in each family."""
    name = str(getattr(given, "name", given))
    one_of("id", name, list(family.__members__))
    return family[name]


# ---- algorithms ----------------------------------------------------------------------------------


class Input:
    """The two columns of labels, each set by its id."""

    def __init__(self) -> None:
        self._tables: dict[InputId, Any] = {}

    def set(self, id: InputId | str, table: Any) -> None:
        """Set the labels of one side: n whole numbers, or a table of n rows and one column."""
        self._tables[_known(InputId, id)] = table

    def get(self, id: InputId | str) -> Any:
        """Return the table that was set, or None."""
        return self._tables.get(_known(InputId, id))


@dataclass
class Parameter:
    """The settings of an algorithm; they are checked when it computes, as the library does.

    Attributes
    ----------
    nClasses
        The number of classes, at least 2.
    useDefaultMetrics
        Without them `confusionMatrix` is the only result.
    beta
        How much more recall weighs than precision in the two F-scores.
    algorithmFPType
        `"float"`, the library's default, computes in single precision, `"double"` in double.
    method
        `"defaultDense"`, the only one there is.
    """

    nClasses: int = 0
    useDefaultMetrics: bool = True
    beta: float = 1
    algorithmFPType: FPType = "float"
    method: Method = "defaultDense"

    def check(self) -> None:
        """Refuse parameters that the algorithm cannot compute with."""
        one_of("algorithmFPType", self.algorithmFPType, FPType)
        one_of("method", self.method, Method)
        whole_number("nClasses", self.nClasses, 2)
        flag("useDefaultMetrics", self.useDefaultMetrics)
        if (
            isinstance(self.beta, bool)
            or not isinstance(self.beta, (int, float, np.number))
            or not 0 < self.beta < np.inf
        ):
            msg = f"`beta` must be a number above 0, not {told(self.beta)}"
            raise InputError(msg)


@dataclass(frozen=True, eq=False)
class Result:
    """The tables that a computation gave, each got by its id; `matrix` is the counted value itself."""

    matrix: ConfusionMatrix
    metrics: NDArray[Any] | None

    def get(self, id: ResultId | str) -> NDArray[Any]:
        """One table, read-only: counts with a row for each true class, or one row of metrics."""
        if _known(ResultId, id) is confusionMatrix:
            return self.matrix.counts
        if self.metrics is None:
            msg = "there are no multiClassMetrics, because useDefaultMetrics is False"
            raise InputError(msg)
        return self.metrics


class Batch:
    """`multiclass_confusion_matrix::Batch`: labels 0 to nClasses - 1 in, a matrix and eight metrics out.

    Parameters
    ----------
    nClasses, useDefaultMetrics, beta, algorithmFPType, method
        The settings, which can also be set later: `algorithm.parameter.useDefaultMetrics = False`.

    Examples
    --------
    >>> from confmat.onedal import (
    ...     Batch,
    ...     averageAccuracy,
    ...     confusionMatrix,
    ...     groundTruthLabels,
    ...     multiClassMetrics,
    ... )
    >>> from confmat.onedal import predictedLabels
    >>> algorithm = Batch(nClasses=3, algorithmFPType="double")
    >>> algorithm.input.set(predictedLabels, [0, 1, 1, 2, 0])
    >>> algorithm.input.set(groundTruthLabels, [0, 1, 2, 2, 0])
    >>> result = algorithm.compute()
    >>> result.get(confusionMatrix)
    array([[2, 0, 0],
           [0, 1, 0],
           [0, 1, 1]])
    >>> print(f"{result.get(multiClassMetrics)[0, averageAccuracy]:.4f}")
    0.8667

    """

    def __init__(
        self,
        nClasses: int = 0,
        useDefaultMetrics: bool = True,
        *,
        beta: float = 1,
        algorithmFPType: FPType = "float",
        method: Method = "defaultDense",
    ) -> None:
        self.input = Input()
        self.parameter = Parameter(nClasses, useDefaultMetrics, beta, algorithmFPType, method)
        self._result: Result | None = None

    def compute(self) -> Result:
        """Count the labels that were set, and compute the metrics."""
        self.parameter.check()
        sides = [
            _column(self.input.get(side), side.name)
            for side in (groundTruthLabels, predictedLabels)
        ]
        try:
            matrix = count(*sides, labels=range(self.parameter.nClasses))
        except (InputError, LabelError) as error:
            msg = f"both columns hold as many labels, from 0 to nClasses - 1: {error}"
            raise type(error)(msg) from None
        self._result = Result(
            matrix, _metrics(matrix, self.parameter) if self.parameter.useDefaultMetrics else None
        )
        return self._result

    def getResult(self) -> Result:
        """Return the result of the last `compute`."""
        if self._result is None:
            msg = "nothing was computed yet; call compute() first"
            raise InputError(msg)
        return self._result


def _column(table: Any, name: str) -> NDArray[Any]:
    """The labels of one side, on one axis. The library cuts 1.7 down to 1; here that is an error."""
    if table is None:
        msg = f"{name} was not set; call input.set({name}, labels) before compute()"
        raise InputError(msg)
    try:
        values = np.asarray(table)
    except (TypeError, ValueError, RuntimeError):
        values = np.zeros(0)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    whole = (
        values.ndim == 1
        and len(values)
        and values.dtype.kind in "biuf"
        and (values == np.floor(values)).all()
    )
    if not whole:
        msg = f"{name} must be n whole numbers, or a table of n rows and one column, not {told(table)}"
        raise InputError(msg)
    return values.astype(np.uint8) if values.dtype.kind == "b" else values


def _metrics(matrix: ConfusionMatrix, parameter: Parameter) -> NDArray[Any]:
    """The eight metrics in the order of their ids; what cannot be divided is NaN, and so is a mean over it."""
    dtype: type[np.floating[Any]] = (
        np.float32 if parameter.algorithmFPType == "float" else np.float64
    )
    cells = matrix.cells
    tp, fp, fn, tn = (
        np.asarray(part).astype(dtype) for part in (cells.tp, cells.fp, cells.fn, cells.tn)
    )
    square = dtype(parameter.beta) * dtype(parameter.beta)
    with np.errstate(divide="ignore", invalid="ignore"):
        averages = np.array([(tp + tn).sum(), (fp + fn).sum()]) / (
            dtype(matrix.total) * dtype(len(tp))
        )
        precision = np.array([tp.sum() / (tp + fp).sum(), (tp / (tp + fp)).mean()])
        recall = np.array([tp.sum() / (tp + fn).sum(), (tp / (tp + fn)).mean()])
        f = (square + 1) * precision * recall / (square * precision + recall)
    values = np.array([[*averages, *np.transpose([precision, recall, f]).ravel()]])
    values.flags.writeable = False
    return values


class QualityMetricSet:
    """`multi_class_classifier::quality_metric_set::Batch`: the metrics that suit a trained multi-class model.

    Its collections of inputs and of results hold one of each, so the set is both.

    Examples
    --------
    >>> from confmat.onedal import QualityMetricSet, confusionMatrix, groundTruthLabels, microRecall
    >>> from confmat.onedal import multiClassMetrics, predictedLabels
    >>> metrics = QualityMetricSet(nClasses=3)
    >>> labels = metrics.getInputDataCollection().getInput(confusionMatrix)
    >>> labels.set(predictedLabels, [0, 1, 1, 2, 0])
    >>> labels.set(groundTruthLabels, [0, 1, 2, 2, 0])
    >>> result = metrics.compute().getResult(confusionMatrix)
    >>> print(f"{result.get(multiClassMetrics)[0, microRecall]:.2f}")
    0.80

    """

    def __init__(
        self,
        nClasses: int = 2,
        useDefaultMetrics: bool = True,
        *,
        beta: float = 1,
        algorithmFPType: FPType = "float",
    ) -> None:
        self._algorithm = Batch(
            nClasses, useDefaultMetrics, beta=beta, algorithmFPType=algorithmFPType
        )
        self.parameter = self._algorithm.parameter

    def getInputDataCollection(self) -> QualityMetricSet:
        """The inputs, to set labels on."""
        return self

    def getInput(self, id: QualityMetricsId | ResultId | str) -> Input:
        """The input of one quality metric."""
        _known(QualityMetricsId, id)
        return self._algorithm.input

    def compute(self) -> QualityMetricSet:
        """Compute every metric of the set."""
        self._algorithm.compute()
        return self

    def getResultCollection(self) -> QualityMetricSet:
        """Return the results of the last `compute`."""
        return self

    def getResult(self, id: QualityMetricsId | ResultId | str) -> Result:
        """The result of one quality metric."""
        _known(QualityMetricsId, id)
        return self._algorithm.getResult()

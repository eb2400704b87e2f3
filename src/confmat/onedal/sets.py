"""Sets of quality metrics, as oneDAL ties them to a trained model."""

from __future__ import annotations

from confmat.core.errors import InputError
from confmat.onedal.algorithms import Batch, BinaryBatch, FPType, Input, Parameter, Result
from confmat.onedal.ids import QualityMetricId, ResultId, known

__all__ = ["BinaryQualityMetricSet", "InputDataCollection", "QualityMetricSet", "ResultCollection"]


class InputDataCollection:
    """The inputs of a set of quality metrics; there is one."""

    __slots__ = ("_algorithm",)

    def __init__(self, algorithm: Batch | None) -> None:
        self._algorithm = algorithm

    def getInput(self, id: QualityMetricId | ResultId | str) -> Input:
        """The input of one quality metric, to set labels on."""
        known(QualityMetricId, id, "quality metric")
        if self._algorithm is None:
            msg = "the set is empty, because useDefaultMetrics is False; it has no inputs"
            raise InputError(msg)
        return self._algorithm.input


class ResultCollection:
    """The results of a set of quality metrics; there is one."""

    __slots__ = ("_result",)

    def __init__(self, result: Result) -> None:
        self._result = result

    def getResult(self, id: QualityMetricId | ResultId | str) -> Result:
        """The result of one quality metric."""
        known(QualityMetricId, id, "quality metric")
        return self._result


class QualityMetricSet:
    """`multi_class_classifier::quality_metric_set::Batch`: the metrics that suit a trained multi-class model.

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
        self, nClasses: int = 2, useDefaultMetrics: bool = True, *, beta: float = 1, algorithmFPType: FPType = "float"
    ) -> None:
        self._algorithm = Batch(nClasses, beta=beta, algorithmFPType=algorithmFPType) if useDefaultMetrics else None
        self._results: ResultCollection | None = None

    @property
    def parameter(self) -> Parameter:
        """The parameters of the metrics, to change before computing."""
        return self._sure().parameter

    def getInputDataCollection(self) -> InputDataCollection:
        """The inputs, to set labels on."""
        return InputDataCollection(self._algorithm)

    def compute(self) -> ResultCollection:
        """Compute every metric of the set."""
        self._results = ResultCollection(self._sure().compute())
        return self._results

    def getResultCollection(self) -> ResultCollection:
        """Return the results of the last `compute`."""
        if self._results is None:
            msg = "nothing was computed yet; call compute() first"
            raise InputError(msg)
        return self._results

    def _sure(self) -> Batch:
        if self._algorithm is None:
            msg = "the set is empty, because useDefaultMetrics is False; use Batch for a single algorithm"
            raise InputError(msg)
        return self._algorithm


class BinaryQualityMetricSet(QualityMetricSet):
    """`svm::quality_metric_set::Batch` and its like: the metrics that suit a trained two-class model."""

    def __init__(self, useDefaultMetrics: bool = True, *, beta: float = 1, algorithmFPType: FPType = "float") -> None:
        super().__init__(2, useDefaultMetrics)
        if useDefaultMetrics:
            self._algorithm = BinaryBatch(beta=beta, algorithmFPType=algorithmFPType)

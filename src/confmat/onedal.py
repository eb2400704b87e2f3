"""oneDAL's quality metrics of classifiers in its own words: inputs set by id, one `compute`, tables of results.

The names are those of the C++ library (class `Batch`, parameter `nClasses`, result `multiClassMetrics`), so that a
program can be carried over line by line. Behind them are `count` and one `ConfusionMatrix`, which every result also
gives as `matrix`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError, LabelError
from confmat.core.matrix import ConfusionMatrix
from confmat.counting import count

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

Id = TypeVar("Id", bound=IntEnum)
FPType = Literal["float", "double"]
_FP_TYPES: dict[str, type[np.floating[Any]]] = {"float": np.float32, "double": np.float64}


# ---- identifiers ---------------------------------------------------------------------------------------------------


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


def _known(family: type[Id], given: Any, what: str) -> Id:
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


# ---- algorithms ----------------------------------------------------------------------------------------------------


class Input:
    """The two columns of labels, each set by its id."""

    __slots__ = ("_tables",)

    def __init__(self) -> None:
        self._tables: dict[InputId, Any] = {}

    def set(self, id: InputId | str, table: Any) -> None:
        """Set the labels of one side: n values, or a table of n rows and one column."""
        self._tables[_known(InputId, id, "input")] = table

    def get(self, id: InputId | str) -> Any:
        """Return the table that was set, or None."""
        return self._tables.get(_known(InputId, id, "input"))


def _count_sides(labels: Input, classes: int, codes: Callable[[NDArray[Any], str], NDArray[Any]]) -> ConfusionMatrix:
    """The counted labels of both sides, once each is a column of codes."""
    sides = []
    for side in (groundTruthLabels, predictedLabels):
        table = labels.get(side)
        if table is None:
            msg = f"{side.name} was not set; call input.set({side.name}, labels) before compute()"
            raise InputError(msg)
        sides.append(codes(_column(table, side.name), side.name))
    actual, predicted = sides
    if len(actual) != len(predicted):
        msg = (
            f"groundTruthLabels and predictedLabels must be equally long; "
            f"got {len(actual):,} and {len(predicted):,} labels"
        )
        raise InputError(msg)
    try:
        return count(actual, predicted, labels=range(classes))
    except LabelError as error:
        msg = f"labels must be 0 to {classes - 1} (nClasses = {classes}): {error}"
        raise LabelError(msg) from None


def _column(table: Any, name: str) -> NDArray[Any]:
    """The labels of one side as an array of numbers with one axis."""
    try:
        values = np.asarray(table)
    except (TypeError, ValueError, RuntimeError) as error:
        msg = f"{name} must be n numbers, or a table of n rows and one column: {error}"
        raise InputError(msg) from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        what = f"shape {values.shape}" if values.ndim != 1 else f"values of type {values.dtype}"
        msg = f"{name} must be n numbers, or a table of n rows and one column; got {what}"
        raise InputError(msg)
    if not len(values):
        msg = f"{name} is empty; at least one label is needed"
        raise InputError(msg)
    return values


def _class_numbers(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Labels as integers. The library cuts 1.7 down to 1; here that is an error."""
    if values.dtype.kind != "f":
        return values.astype(np.uint8) if values.dtype.kind == "b" else values
    broken = values != np.floor(values)
    if broken.any():
        msg = f"{name} must be whole numbers; got {values[int(np.argmax(broken))]} at position {int(np.argmax(broken))}"
        raise LabelError(msg)
    return values


def _signs(values: NDArray[Any], name: str) -> NDArray[Any]:
    """1 where a label is above zero, 0 elsewhere; the library takes NaN for a negative, here it is an error."""
    if values.dtype.kind == "f" and np.isnan(values).any():
        msg = f"{name} must be numbers; got NaN at position {int(np.argmax(np.isnan(values)))}"
        raise LabelError(msg)
    return (values > 0).astype(np.uint8)


def _whole(classes: Any) -> int:
    """The number of classes, at least two."""
    if isinstance(classes, bool) or not isinstance(classes, (int, np.integer)) or classes < 2:
        msg = f"nClasses must be a whole number of at least 2; got {classes!r}"
        raise InputError(msg)
    return int(classes)


class Parameter:
    """The settings of an algorithm; they are checked when it computes, as the library does."""

    __slots__ = ("beta", "nClasses")

    def __init__(self, nClasses: int, beta: float) -> None:
        self.nClasses = nClasses
        self.beta = beta

    def __repr__(self) -> str:
        return f"Parameter(nClasses={self.nClasses}, beta={self.beta:g})"


class Result:
    """The tables that a computation gave, each got by its id; `matrix` is the counted value itself."""

    __slots__ = ("_tables", "matrix")

    _names: type[IntEnum] = MultiClassMetricsId

    def __init__(self, matrix: ConfusionMatrix, tables: dict[ResultId, NDArray[Any]]) -> None:
        self.matrix = matrix
        self._tables = tables

    def get(self, id: ResultId | str) -> NDArray[Any]:
        """One table, read-only: counts with a row for each true class, or one row of metrics."""
        wanted = _known(ResultId, id, "result")
        if wanted not in self._tables:
            there = ", ".join(each.name for each in self._tables)
            msg = f"this algorithm has no result {wanted.name}; it has: {there}"
            raise InputError(msg)
        return self._tables[wanted]

    def __repr__(self) -> str:
        *_, values = self._tables.values()
        if values.shape[0] != 1 or len(self._tables) == 1:
            return f"{type(self).__name__}({self.matrix!r})"
        rows = "\n".join(f"{each.name:<16}{values[0, each]:.6g}" for each in self._names)
        return f"{self.matrix}\n\n{rows}"


class BinaryResult(Result):
    """The tables of the binary algorithm: the positive class stands first."""

    __slots__ = ()

    _names = BinaryMetricsId


class Batch:
    """`multiclass_confusion_matrix::Batch`: labels 0 to nClasses - 1 in, a matrix and eight metrics out.

    Parameters
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

    Examples
    --------
    >>> from confmat.onedal import Batch, averageAccuracy, confusionMatrix, groundTruthLabels, multiClassMetrics
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

    _id, _kind = multiClassMetrics, Result
    _result: Result | None = None

    def __init__(
        self,
        nClasses: int = 0,
        useDefaultMetrics: bool = True,
        *,
        beta: float = 1,
        algorithmFPType: FPType = "float",
        method: Literal["defaultDense"] = "defaultDense",
    ) -> None:
        self.input = Input()
        self.parameter = Parameter(nClasses, beta)
        self.useDefaultMetrics = useDefaultMetrics
        self.algorithmFPType = algorithmFPType
        self.method = method

    def compute(self) -> Result:
        """Count the labels that were set, and compute the metrics."""
        dtype = self._checked()
        matrix = self._counted()
        tables: dict[ResultId, NDArray[Any]] = {confusionMatrix: matrix.counts}
        if self.useDefaultMetrics:
            with np.errstate(divide="ignore", invalid="ignore"):
                values = np.array([self._metrics(matrix, dtype, dtype(self.parameter.beta))], dtype=dtype)
            values.flags.writeable = False
            tables[self._id] = values
        self._result = self._kind(matrix, tables)
        return self._result

    def getResult(self) -> Result:
        """Return the result of the last `compute`."""
        if self._result is None:
            msg = "nothing was computed yet; call compute() first"
            raise InputError(msg)
        return self._result

    def _checked(self) -> type[np.floating[Any]]:
        """The floating-point type, once all that can be chosen is known to be sound."""
        if self.algorithmFPType not in tuple(_FP_TYPES):
            msg = f"algorithmFPType must be 'float' or 'double'; got {self.algorithmFPType!r}"
            raise InputError(msg)
        if self.method != "defaultDense":
            msg = f"method must be 'defaultDense', the only one there is; got {self.method!r}"
            raise InputError(msg)
        beta = self.parameter.beta
        if isinstance(beta, bool) or not isinstance(beta, (int, float, np.number)) or not 0 < beta < float("inf"):
            msg = f"beta must be a number above 0; got {beta!r}"
            raise InputError(msg)
        return _FP_TYPES[self.algorithmFPType]

    def _counted(self) -> ConfusionMatrix:
        """The matrix of the labels that were set."""
        return _count_sides(self.input, _whole(self.parameter.nClasses), _class_numbers)

    @staticmethod
    def _metrics(matrix: ConfusionMatrix, dtype: type[np.floating[Any]], beta: Any) -> list[Any]:
        """The eight metrics in the order of their ids; what cannot be divided is NaN, and so is a mean over it."""
        cells = matrix.cells
        tp, fp, fn, tn = (np.asarray(part).astype(dtype) for part in (cells.tp, cells.fp, cells.fn, cells.tn))
        pooled = tp.sum() / (tp + fp).sum(), tp.sum() / (tp + fn).sum()
        means = (tp / (tp + fp)).mean(), (tp / (tp + fn)).mean()
        parts = dtype(matrix.total) * dtype(len(tp))
        return [(tp + tn).sum() / parts, (fp + fn).sum() / parts, *pooled, _f(*pooled, beta), *means, _f(*means, beta)]


def _f(p: Any, r: Any, beta: Any) -> Any:
    square = beta * beta
    return (square + 1) * p * r / (square * p + r)


class BinaryBatch(Batch):
    """`binary_confusion_matrix::Batch`: a label above 0 is positive, any other negative; six metrics.

    The positive class comes first: the matrix is [[tp, fn], [fp, tn]].

    Examples
    --------
    >>> from confmat.onedal import BinaryBatch, specificity
    >>> algorithm = BinaryBatch(algorithmFPType="double")
    >>> algorithm.input.set("predictedLabels", [1, -1, -1, 1, 1])
    >>> algorithm.input.set("groundTruthLabels", [1, 1, -1, -1, 1])
    >>> result = algorithm.compute()
    >>> result.get("confusionMatrix")
    array([[2, 1],
           [1, 1]])
    >>> float(result.get("binaryMetrics")[0, specificity])
    0.5

    """

    _id, _kind = binaryMetrics, BinaryResult

    def __init__(
        self,
        useDefaultMetrics: bool = True,
        *,
        beta: float = 1,
        algorithmFPType: FPType = "float",
        method: Literal["defaultDense"] = "defaultDense",
    ) -> None:
        super().__init__(2, useDefaultMetrics, beta=beta, algorithmFPType=algorithmFPType, method=method)

    def _counted(self) -> ConfusionMatrix:
        return _count_sides(self.input, 2, _signs).reorder([1, 0])

    @staticmethod
    def _metrics(matrix: ConfusionMatrix, dtype: type[np.floating[Any]], beta: Any) -> list[Any]:
        (tp, fn), (fp, tn) = matrix.counts.astype(dtype)
        square = beta * beta
        recall, specificity = tp / (tp + fn), tn / (fp + tn)
        f = ((square + 1) * tp) / ((square + 1) * tp + square * fn + fp)
        mean = (recall + specificity) / dtype(2)
        return [(tp + tn) / dtype(matrix.total), tp / (tp + fp), recall, f, specificity, mean]


# ---- sets of metrics, as oneDAL ties them to a trained model -------------------------------------------------------


class InputDataCollection:
    """The inputs of a set of quality metrics; there is one."""

    __slots__ = ("_algorithm",)

    def __init__(self, algorithm: Batch | None) -> None:
        self._algorithm = algorithm

    def getInput(self, id: QualityMetricId | ResultId | str) -> Input:
        """The input of one quality metric, to set labels on."""
        _known(QualityMetricId, id, "quality metric")
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
        _known(QualityMetricId, id, "quality metric")
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

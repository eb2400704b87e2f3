"""oneDAL's batch interface against values of the real library, and what it says to wrong input."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import onedal
from confmat.onedal import (
    Batch,
    BinaryBatch,
    BinaryQualityMetricSet,
    QualityMetricSet,
    binaryMetrics,
    confusionMatrix,
    groundTruthLabels,
    macroFscore,
    multiClassMetrics,
    predictedLabels,
)

DATA = Path(__file__).parents[1] / "data"


def cases(name: str, **defaults: str) -> list[dict[str, Any]]:
    return [{**defaults, **case} for case in json.loads((DATA / name).read_text())["cases"]]


CASES = [
    *cases("onedal_reference.json", kind="multiclass", algorithmFPType="double"),
    *cases("onedal_more.json"),
]


def labels_of(table: list[list[int]], *, binary: bool = False) -> tuple[list[int], list[int]]:
    """Two columns of labels that make a table; in the binary one the first row is the positive class."""
    names = [1, -1] if binary else list(range(len(table)))
    pairs = [(names[i], names[j]) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    truth, guess = zip(*pairs, strict=True)
    return list(truth), list(guess)


def filled(algorithm: Any, truth: Any, guess: Any) -> Any:
    algorithm.input.set(groundTruthLabels, truth)
    algorithm.input.set(predictedLabels, guess)
    return algorithm


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_the_values_of_the_real_library(case: dict[str, Any]) -> None:
    binary = case["kind"] == "binary"
    kind = {"beta": case["beta"], "algorithmFPType": case["algorithmFPType"]}
    algorithm = BinaryBatch(**kind) if binary else Batch(len(case["matrix"]), **kind)
    result = filled(algorithm, *labels_of(case["matrix"], binary=binary)).compute()
    assert result.get(confusionMatrix).tolist() == case["matrix"]
    metrics = result.get(binaryMetrics if binary else multiClassMetrics)
    ids = onedal.BinaryMetricsId if binary else onedal.MultiClassMetricsId
    assert metrics.shape == (1, len(ids))
    assert metrics.dtype == {"float": np.float32, "double": np.float64}[case["algorithmFPType"]]
    wanted = [math.nan if case["metrics"][each.name] is None else case["metrics"][each.name] for each in ids]
    tolerance = 1e-12 if case["algorithmFPType"] == "double" else 1e-6
    np.testing.assert_allclose(metrics[0], wanted, rtol=tolerance, atol=tolerance)


def test_the_catalog_says_the_same_where_both_have_a_value() -> None:
    rng = np.random.default_rng(3)
    for k in (2, 3, 7):
        truth, guess = rng.integers(0, k, (2, 400))
        result = filled(Batch(k, beta=0.5, algorithmFPType="double"), truth, guess).compute()
        m = result.matrix
        wanted = [
            cm.metrics.average_accuracy(m),
            cm.metrics.average_error_rate(m),
            *[cm.accuracy(m)] * 3,
            cm.precision(m, average="macro"),
            cm.recall(m, average="macro"),
            cm.metrics.f_of_macro(0.5)(m),
        ]
        np.testing.assert_allclose(result.get(multiClassMetrics)[0], wanted, rtol=1e-12)
        # The other macro F, the mean of the classes' own, is another number.
        assert result.get(multiClassMetrics)[0, macroFscore] != cm.f_beta(0.5)(m, average="macro")


def test_a_class_that_is_absent_makes_the_macro_metrics_nan() -> None:
    values = filled(Batch(3), [0, 1, 1], [0, 1, 0]).compute().get("multiClassMetrics")[0]
    assert np.isnan(values).tolist() == [False] * 5 + [True] * 3


@pytest.mark.parametrize(
    "make",
    [np.array, list, lambda v: np.array(v)[:, None], lambda v: np.array(v, float)],
    ids=["array", "list", "column", "floats"],
)
def test_columns_come_as_anything_like_a_table_of_n_rows(make: Any) -> None:
    result = filled(Batch(3), make([0, 1, 2, 2]), make([0, 1, 1, 2])).compute()
    assert result.get("confusionMatrix").tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]


def test_a_data_frame_with_one_column() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"y": [0, 1, 2], "p": [0, 2, 2]})
    result = filled(Batch(3), frame[["y"]], frame["p"]).compute()
    assert result.get(confusionMatrix).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_without_default_metrics_there_is_the_matrix_alone() -> None:
    result = filled(Batch(2, useDefaultMetrics=False), [0, 1], [1, 1]).compute()
    assert result.get(confusionMatrix).tolist() == [[0, 1], [0, 1]]
    with pytest.raises(cm.InputError, match="no result multiClassMetrics; it has: confusionMatrix"):
        result.get(multiClassMetrics)


def test_results_are_read_only_and_print() -> None:
    result = filled(Batch(2), [0, 1], [1, 1]).compute()
    with pytest.raises(ValueError, match="read-only"):
        result.get(multiClassMetrics)[0, 0] = 2
    assert "microFscore     0.5" in repr(result)


def test_the_set_follows_the_library_step_by_step() -> None:
    metrics = QualityMetricSet(3)
    labels = metrics.getInputDataCollection().getInput(onedal.QualityMetricId.confusionMatrix)
    labels.set(predictedLabels, [0, 2, 2])
    labels.set(groundTruthLabels, [0, 1, 2])
    metrics.compute()
    result = metrics.getResultCollection().getResult(confusionMatrix)
    assert result.matrix.total == 3
    assert metrics.parameter.nClasses == 3


def test_the_binary_set() -> None:
    metrics = BinaryQualityMetricSet(algorithmFPType="double")
    labels = metrics.getInputDataCollection().getInput(confusionMatrix)
    labels.set(predictedLabels, [5, 0, -1, 0.5])
    labels.set(groundTruthLabels, [1, 1, -1, -1])
    result = metrics.compute().getResult("confusionMatrix")
    assert result.get(confusionMatrix).tolist() == [[1, 1], [1, 1]]
    assert result.get(binaryMetrics)[0, onedal.AUC] == 0.5


def test_ids_of_one_family_are_not_those_of_another() -> None:
    algorithm = Batch(2)
    with pytest.raises(cm.InputError, match="no input 'confusionMatrix'; the ids are"):
        algorithm.input.set(confusionMatrix, [0])  # type: ignore[arg-type]
    with pytest.raises(cm.InputError, match="no input 'labels'"):
        algorithm.input.set("labels", [0])


@pytest.mark.parametrize(
    ("algorithm", "truth", "guess", "message"),
    [
        (lambda: Batch(1), [0], [0], "nClasses must be a whole number of at least 2; got 1"),
        (Batch, [0], [0], "nClasses must be a whole number of at least 2; got 0"),
        (lambda: Batch(2, beta=0), [0], [0], "beta must be a number above 0; got 0"),
        (lambda: Batch(2, beta=math.nan), [0], [0], "beta must be a number above 0; got nan"),
        (lambda: Batch(2, algorithmFPType="half"), [0], [0], "algorithmFPType must be 'float' or 'double'"),  # type: ignore[arg-type]
        (lambda: Batch(2, algorithmFPType=["float"]), [0], [0], "must be 'float' or 'double'; got ..float"),  # type: ignore[arg-type]
        (lambda: Batch(2, method="sparse"), [0], [0], "method must be 'defaultDense'"),  # type: ignore[arg-type]
        (lambda: Batch(2), [0, 1], [0], "equally long; got 2 and 1"),
        (lambda: Batch(2), [], [], "groundTruthLabels is empty"),
        (lambda: Batch(2), [0, 2], [0, 1], "labels must be 0 to 1"),
        (lambda: Batch(2), [0, -1], [0, 1], "labels must be 0 to 1"),
        (lambda: Batch(2), [0, 1.7], [0, 1], "whole numbers; got 1.7 at position 1"),
        (lambda: Batch(2), [0, math.nan], [0, 1], "whole numbers; got nan at position 1"),
        (lambda: Batch(2), ["a", "b"], ["a", "b"], "got values of type <U1"),
        (lambda: Batch(2), [[0, 1]], [[0, 1]], r"got shape \(1, 2\)"),
        (lambda: Batch(2), [[0], [1, 2]], [0, 1], "groundTruthLabels must be n numbers"),
        (BinaryBatch, [0, math.nan], [0, 1], "got NaN at position 1"),
    ],
)
def test_what_is_wrong_is_said(algorithm: Any, truth: Any, guess: Any, message: str) -> None:
    with pytest.raises(cm.ConfmatError, match=message):
        filled(algorithm(), truth, guess).compute()


def test_what_was_forgotten_is_said() -> None:
    algorithm = Batch(2)
    with pytest.raises(cm.InputError, match="nothing was computed yet"):
        algorithm.getResult()
    algorithm.input.set(groundTruthLabels, [0, 1])
    with pytest.raises(cm.InputError, match="predictedLabels was not set"):
        algorithm.compute()
    empty = QualityMetricSet(2, useDefaultMetrics=False)
    with pytest.raises(cm.InputError, match="the set is empty"):
        empty.compute()
    with pytest.raises(cm.InputError, match="the set is empty"):
        empty.getInputDataCollection().getInput(confusionMatrix)

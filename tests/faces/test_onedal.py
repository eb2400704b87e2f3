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
    QualityMetricSet,
    confusionMatrix,
    groundTruthLabels,
    multiClassMetrics,
    predictedLabels,
)

DATA = Path(__file__).parents[1] / "data"


def cases(name: str, **defaults: str) -> list[dict[str, Any]]:
    return [{**defaults, **case} for case in json.loads((DATA / name).read_text())["cases"]]


MORE = cases("onedal_more.json")
CASES = [
    *cases("onedal_reference.json", algorithmFPType="double"),
    *(case for case in MORE if case["kind"] == "multiclass"),
]
BINARY = [case for case in MORE if case["kind"] == "binary"]


def labels_of(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Two columns of labels that make a table."""
    pairs = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    truth, guess = zip(*pairs, strict=True)
    return list(truth), list(guess)


def filled(algorithm: Any, truth: Any, guess: Any) -> Any:
    algorithm.input.set(groundTruthLabels, truth)
    algorithm.input.set(predictedLabels, guess)
    return algorithm


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_the_values_of_the_real_library(case: dict[str, Any]) -> None:
    algorithm = Batch(
        len(case["matrix"]), beta=case["beta"], algorithmFPType=case["algorithmFPType"]
    )
    result = filled(algorithm, *labels_of(case["matrix"])).compute()
    assert result.get(confusionMatrix).tolist() == case["matrix"]
    metrics, ids = result.get(multiClassMetrics), onedal.MultiClassMetricsId
    assert metrics.shape == (1, len(ids))
    assert metrics.dtype == {"float": np.float32, "double": np.float64}[case["algorithmFPType"]]
    wanted = [
        math.nan if case["metrics"][each.name] is None else case["metrics"][each.name]
        for each in ids
    ]
    tolerance = 1e-12 if case["algorithmFPType"] == "double" else 1e-6
    np.testing.assert_allclose(metrics[0], wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", BINARY, ids=range(len(BINARY)))
def test_the_binary_metrics_of_the_real_library_have_their_names_in_the_catalog(
    case: dict[str, Any],
) -> None:
    m = cm.ConfusionMatrix(case["matrix"], labels=["yes", "no"], positive="yes")
    known = {name: value for name, value in case["metrics"].items() if value is not None}
    assert known
    for name, value in known.items():
        metric: Any = cm.f_beta(case["beta"]) if name == "fscore" else cm.metric(f"onedal:{name}")
        found = metric(m, of="yes") if metric.kind == "class" else metric(m)
        assert found == pytest.approx(
            value, rel=1e-12 if case["algorithmFPType"] == "double" else 1e-6
        ), name


# The names of the document on the quality metrics of multi-class classifiers (oneDAL's developer
# guide, 2020).
PARAMETERS = {
    "algorithmFPType": "float", "method": "defaultDense", "nClasses": 0, "useDefaultMetrics": True, "beta": 1,
}  # fmt: skip
METRICS = (
    "averageAccuracy", "errorRate", "microPrecision", "microRecall",
    "microFscore", "macroPrecision", "macroRecall", "macroFscore",
)  # fmt: skip


def test_every_name_of_the_document() -> None:
    """Inputs, parameters with their defaults, results and metrics, each as the document writes it."""
    assert onedal.QualityMetricsId.confusionMatrix.name == "confusionMatrix"
    algorithm = Batch()
    for name, default in PARAMETERS.items():
        assert getattr(algorithm.parameter, name) == default
        setattr(algorithm.parameter, name, default)
    algorithm.parameter.nClasses = 3
    truth, guess = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 0, 2]
    # Ids of the module, of their family, and as text are the same.
    algorithm.input.set(onedal.groundTruthLabels, truth)
    algorithm.input.set("predictedLabels", guess)
    assert algorithm.input.get(onedal.InputId.predictedLabels) is guess
    result = algorithm.compute()
    assert result is algorithm.getResult()
    assert result.get(onedal.confusionMatrix).tolist() == [[1, 1, 0], [0, 2, 0], [1, 0, 2]]
    assert result.get(onedal.multiClassMetrics).shape == (1, 8)
    for place, name in enumerate(METRICS):
        assert getattr(onedal, name) is onedal.MultiClassMetricsId[name]
        assert int(getattr(onedal, name)) == place


@pytest.mark.parametrize("kind", [Batch, QualityMetricSet])
def test_default_metrics_are_switched_off_and_on(kind: Any) -> None:
    algorithm = kind(2)
    labels = (
        algorithm.input if isinstance(algorithm, Batch) else algorithm.getInput(confusionMatrix)
    )
    labels.set(groundTruthLabels, [0, 1])
    labels.set(predictedLabels, [1, 1])
    for wanted in (False, True, False):
        algorithm.parameter.useDefaultMetrics = wanted
        algorithm.compute()
        result = (
            algorithm.getResult()
            if isinstance(algorithm, Batch)
            else algorithm.getResult(confusionMatrix)
        )
        assert result.get(confusionMatrix).tolist() == [[0, 1], [0, 1]]
        assert result.matrix.total == 2
        if wanted:
            assert result.get(multiClassMetrics)[0, onedal.microRecall] == 0.5
        else:
            with pytest.raises(
                cm.InputError, match="no multiClassMetrics, because useDefaultMetrics is False"
            ):
                result.get(multiClassMetrics)
    algorithm.parameter.useDefaultMetrics = "no"
    with pytest.raises(cm.InputError, match="`useDefaultMetrics` must be True or False, not 'no'"):
        algorithm.compute()


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


def test_results_are_read_only() -> None:
    result = filled(Batch(2), [0, 1], [1, 1]).compute()
    with pytest.raises(ValueError, match="read-only"):
        result.get(multiClassMetrics)[0, 0] = 2
    with pytest.raises(ValueError, match="read-only"):
        result.get(confusionMatrix)[0, 0] = 2


def test_the_set_follows_the_library_step_by_step() -> None:
    metrics = QualityMetricSet(3)
    labels = metrics.getInputDataCollection().getInput(onedal.QualityMetricsId.confusionMatrix)
    labels.set(predictedLabels, [0, 2, 2])
    labels.set(groundTruthLabels, [0, 1, 2])
    metrics.compute()
    result = metrics.getResultCollection().getResult(confusionMatrix)
    assert result.matrix.total == 3
    assert metrics.parameter.nClasses == 3


def test_ids_of_one_family_are_not_those_of_another() -> None:
    algorithm = Batch(2)
    with pytest.raises(
        cm.InputError,
        match="`id` must be 'predictedLabels' or 'groundTruthLabels', not 'confusionMatrix'",
    ):
        algorithm.input.set(confusionMatrix, [0])  # type: ignore[arg-type]
    with pytest.raises(cm.InputError, match="not 'labels'"):
        algorithm.input.set("labels", [0])


@pytest.mark.parametrize(
    ("algorithm", "truth", "guess", "message"),
    [
        (lambda: Batch(1), [0], [0], "`nClasses` must be a whole number of at least 2, not 1"),
        (lambda: Batch(2, beta=0), [0], [0], "`beta` must be a number above 0, not 0"),
        (
            lambda: Batch(2, algorithmFPType="half"),  # type: ignore[arg-type]
            [0],
            [0],
            "`algorithmFPType` must be 'float' or 'double'",
        ),
        (lambda: Batch(2, method="sparse"), [0], [0], "`method` must be 'defaultDense'"),  # type: ignore[arg-type]
        (
            lambda: Batch(2),
            [0, 1],
            [0],
            "as many labels, from 0 to nClasses - 1: `actual` has 2 labels and `predicted` has 1",
        ),
        (lambda: Batch(2), [0, 2], [0, 1], "from 0 to nClasses - 1: 1 label is not among"),
        (
            lambda: Batch(2),
            [0, 1.7],
            [0, 1],
            "groundTruthLabels must be n whole numbers, or a table",
        ),
        (
            lambda: Batch(2),
            ["a", "b"],
            ["a", "b"],
            "groundTruthLabels must be n whole numbers, .* not .'a', 'b'",
        ),
        (lambda: Batch(2), [[0, 1]], [[0, 1]], "a table of n rows and one column, not ..0, 1"),
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

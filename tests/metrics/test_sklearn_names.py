"""scikit-learn, torchmetrics, imbalanced-learn and SciPy themselves against what their names find here."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix
from confmat.metrics.catalog import metric

pytestmark = pytest.mark.peers

TABLES = {
    "cats": [[4, 1, 1], [6, 2, 2], [3, 0, 6]],
    "two": [[50, 7], [12, 31]],
    "one never predicted": [[4, 1, 0], [2, 6, 0], [1, 3, 0]],
    "one never occurs": [[4, 1, 2], [2, 6, 1], [0, 0, 0]],
    "both": [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
    "perfect": [[3, 0, 0], [0, 4, 0], [0, 0, 5]],
    "five": [
        [9, 2, 3, 0, 1],
        [2, 12, 0, 1, 3],
        [4, 0, 17, 2, 0],
        [0, 3, 2, 8, 4],
        [1, 0, 5, 2, 21],
    ],
}


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> list[list[int]]:
    return TABLES[request.param]


@pytest.fixture
def functional() -> Any:
    pytest.importorskip("torch")
    return pytest.importorskip("torchmetrics.functional.classification")


def tensors(table: list[list[int]]) -> Any:
    """The answers and the truth, as torchmetrics takes them."""
    import torch

    return [*map(torch.tensor, pairs(table))][::-1]


def pairs(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Label vectors with this table."""
    cells = [
        (i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)
    ]
    return [i for i, _ in cells], [j for _, j in cells]


def quietly(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **options)


def ours(name: str, table: list[list[int]]) -> Any:
    return metric(name)(ConfusionMatrix(table))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["recall_score", "precision_score", "f1_score", "jaccard_score"])
def test_sklearn_rates(name: str, average: str, table: list[list[int]]) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    theirs = quietly(getattr(sklearn, name), *pairs(table), average=average, zero_division=0)
    assert ours(f"sklearn:{name}(average='{average}')", table) == pytest.approx(theirs)


@pytest.mark.parametrize("name", ["recall_score", "precision_score", "f1_score"])
def test_sklearn_rates_per_class(name: str, table: list[list[int]]) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    labels = range(len(table))
    theirs = getattr(sklearn, name)(
        *pairs(table), average=None, labels=labels, zero_division=np.nan
    )
    assert ours(f"sklearn:{name}", table) == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize(
    "name",
    [
        "accuracy_score",
        "balanced_accuracy_score",
        "cohen_kappa_score",
        "matthews_corrcoef",
        "zero_one_loss",
        "hamming_loss",
        "mutual_info_score",
        "homogeneity_score",
        "completeness_score",
        "v_measure_score",
        "normalized_mutual_info_score",
        "adjusted_mutual_info_score",
        "rand_score",
        "adjusted_rand_score",
        "fowlkes_mallows_score",
        "homogeneity_completeness_v_measure",
    ],
)
def test_sklearn_numbers(name: str, table: list[list[int]]) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    theirs = quietly(getattr(sklearn, name), *pairs(table))
    assert ours(f"sklearn:{name}", table) == pytest.approx(theirs, abs=1e-12)


def test_sklearn_pair_confusion(table: list[list[int]]) -> None:
    cluster = pytest.importorskip("sklearn.metrics.cluster")
    theirs = cluster.pair_confusion_matrix(*pairs(table))
    assert ours("sklearn:pair_confusion_matrix", table) == tuple(map(tuple, theirs.tolist()))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize(
    "name", ["recall", "precision", "f1_score", "jaccard_index", "specificity", "accuracy"]
)
def test_torchmetrics_rates(
    name: str, average: str, functional: Any, table: list[list[int]]
) -> None:
    function = getattr(functional, f"multiclass_{name}")
    theirs = float(quietly(function, *tensors(table), num_classes=len(table), average=average))
    assert ours(f"torchmetrics:multiclass_{name}(average='{average}')", table) == pytest.approx(
        theirs, abs=1e-6
    )


@pytest.mark.parametrize(
    "name", ["accuracy", "hamming_distance", "matthews_corrcoef", "cohen_kappa"]
)
def test_torchmetrics_defaults(name: str, functional: Any, table: list[list[int]]) -> None:
    theirs = float(
        quietly(getattr(functional, f"multiclass_{name}"), *tensors(table), num_classes=len(table))
    )
    assert ours(f"torchmetrics:multiclass_{name}", table) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "none"])
def test_torchmetrics_hamming_distance(
    average: str, functional: Any, table: list[list[int]]
) -> None:
    theirs = functional.multiclass_hamming_distance(
        *tensors(table), num_classes=len(table), average=average
    )
    found = ours(f"torchmetrics:multiclass_hamming_distance(average='{average}')", table)
    assert np.nan_to_num(found, nan=1) == pytest.approx(np.asarray(theirs), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("binary_accuracy", "BinaryAccuracy"),
        ("binary_hamming_distance", "BinaryHammingDistance"),
        ("binary_cohen_kappa", "BinaryCohenKappa"),
        ("binary_matthews_corrcoef", "BinaryMatthewsCorrCoef"),
    ],
)
def test_torchmetrics_of_two_classes(name: str, module: str, functional: Any) -> None:
    theirs = float(getattr(functional, name)(*tensors(TABLES["two"])))
    for known in (name, module):
        assert ours(f"torchmetrics:{known}", TABLES["two"]) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "theirs"),
    [([[5, 0], [0, 0]], 1), ([[0, 0], [0, 5]], 1), ([[0, 5], [0, 0]], -1), ([[0, 0], [5, 0]], -1)],
)
def test_torchmetrics_gives_one_class_a_correlation(
    counts: list[list[int]], theirs: float, functional: Any
) -> None:
    """The note of its name says so; scikit-learn gives 0, and here it has no value."""
    assert float(functional.binary_matthews_corrcoef(*tensors(counts))) == theirs
    assert math.isnan(ours("torchmetrics:binary_matthews_corrcoef", counts))


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["sensitivity_score", "specificity_score"])
def test_imblearn_rates(name: str, average: str, table: list[list[int]]) -> None:
    imblearn = pytest.importorskip("imblearn.metrics")
    theirs = quietly(getattr(imblearn, name), *pairs(table), average=average)
    assert ours(f"imblearn:{name}(average='{average}')", table) == pytest.approx(theirs)


def test_imblearn_geometric_mean(table: list[list[int]]) -> None:
    """imbalanced-learn lets a class that never occurs make it 0; ours runs over the classes that occur."""
    imblearn = pytest.importorskip("imblearn.metrics")
    if not all(any(row) for row in table):
        assert quietly(imblearn.geometric_mean_score, *pairs(table)) == 0
        return
    assert ours("imblearn:geometric_mean_score", table) == pytest.approx(
        quietly(imblearn.geometric_mean_score, *pairs(table))
    )


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_imblearn_averages_of_the_geometric_mean(average: str, table: list[list[int]]) -> None:
    """There it is the root of the two averaged rates, not an average of the classes' geometric means."""
    imblearn = pytest.importorskip("imblearn.metrics")
    theirs = quietly(imblearn.geometric_mean_score, *pairs(table), average=average)
    assert ours(f"imblearn:geometric_mean_score(average='{average}')", table) == pytest.approx(
        theirs
    )


def test_imblearn_geometric_mean_of_each_class() -> None:
    imblearn = pytest.importorskip("imblearn.metrics")
    theirs = imblearn.geometric_mean_score(*pairs(TABLES["five"]), average=None)
    assert ours("imblearn:geometric_mean_score(average=None)", TABLES["five"]) == pytest.approx(
        theirs
    )


@pytest.mark.parametrize("labels", [[0, 1, 2], [1, 2, 9], [-4, 0, 1]])
def test_imblearn_macro_averaged_error_is_in_units_of_the_labels(labels: list[int]) -> None:
    imblearn = pytest.importorskip("imblearn.metrics")
    sides = [[labels[code] for code in side] for side in pairs(TABLES["cats"])]
    m = ConfusionMatrix(TABLES["cats"], labels)
    theirs = imblearn.macro_averaged_mean_absolute_error(*sides)
    assert metric("imblearn:macro_averaged_mean_absolute_error")(m) == pytest.approx(theirs)


@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_imblearn_index_of_a_geometric_mean_leaves_out_the_dominance(alpha: float) -> None:
    """The note of `iba` says so: it weighs with the macro rates, unless average='binary' is said."""
    imblearn = pytest.importorskip("imblearn.metrics")
    m, sides = ConfusionMatrix(TABLES["two"]), pairs(TABLES["two"])
    theirs = imblearn.make_index_balanced_accuracy(alpha=alpha, squared=True)(
        imblearn.geometric_mean_score
    )
    assert theirs(*sides) == pytest.approx(metric("multiclass_g_mean")(m) ** 2)
    assert theirs(*sides, average="binary") == pytest.approx(metric("iba")(alpha)(m, of=1))


NOMINAL: dict[str, tuple[str, dict[str, Any]]] = {
    "cramer_v": ("cramers_v", {"bias_correction": False}),
    "cramer_v_corrected": ("cramers_v", {}),
    "tschuprow_t": ("tschuprows_t", {"bias_correction": False}),
    "tschuprow_t_corrected": ("tschuprows_t", {}),
    "pearson_c": ("pearsons_contingency_coefficient", {}),
    "theil_u": ("theils_u", {}),
}


@pytest.mark.parametrize("name", NOMINAL)
def test_torchmetrics_association(name: str) -> None:
    """In float32; it corrects tables of 2 x 2 for continuity as well."""
    nominal = pytest.importorskip("torchmetrics.functional.nominal")
    function, options = NOMINAL[name]
    for known in ("cats", "five", *(["two"] if "corrected" not in name else [])):
        theirs = float(getattr(nominal, function)(*tensors(TABLES[known]), **options))
        assert ours(name, TABLES[known]) == pytest.approx(theirs, rel=2e-4, abs=2e-4)


def test_scipy_p_values(table: list[list[int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    m, counts = ConfusionMatrix(table), np.array(table)
    held = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    plain = stats.chi2_contingency(held, correction=False)
    found = [metric(name)(m) for name in ("chi_squared", "chi_squared_dof")]
    assert [*found, cmx.chi_squared_p_value(m)] == pytest.approx(
        [plain.statistic, plain.dof, plain.pvalue]
    )
    often = counts.sum(axis=1).max() / counts.sum()
    tail = stats.binomtest(int(counts.trace()), int(counts.sum()), often, "greater")
    assert cmx.accuracy_p_value(m) == pytest.approx(tail.pvalue)

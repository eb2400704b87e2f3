"""The whole-matrix metrics against independent implementations; where a peer differs, how and why is tested too."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import confmat.metrics as cmx
from confmat import ConfusionMatrix

pytestmark = pytest.mark.peers

Table = list[list[int]]
NAN = float("nan")


def tables() -> list[Table]:
    """Seeded tables of several sizes and fillings, degenerate ones among them."""
    rng = np.random.default_rng(7)
    found: list[Table] = [
        rng.integers(0, top, (k, k)).tolist()
        for k in (2, 3, 4, 7)
        for top in (2, 3, 9, 60)
        for _ in range(4)
    ]
    found += [
        [[5, 0], [0, 0]],
        [[0, 5], [0, 0]],
        [[3, 2], [0, 0]],
        [[3, 0], [2, 0]],
        [[4, 0, 0], [0, 2, 0], [0, 0, 1]],
    ]
    found += [
        [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]],
        [[118, 5], [2, 0]],
        [[0, 3], [4, 0]],
    ]
    return [table for table in found if sum(map(sum, table))]


TABLES = tables()


def pairs(table: Table) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The items that a table counts."""
    counts = np.array(table)
    rows, cols = np.indices(counts.shape)
    return np.repeat(rows.ravel(), counts.ravel()), np.repeat(cols.ravel(), counts.ravel())


def one_sided(table: Table) -> bool:
    """Whether a side names a single class."""
    counts = np.array(table)
    return bool(
        np.count_nonzero(counts.sum(axis=0)) < 2 or np.count_nonzero(counts.sum(axis=1)) < 2
    )


def silent(table: Table) -> bool:
    """Whether a side names one class, or both keep every item apart: nothing is shared, or nothing can be."""
    counts = np.array(table)
    return one_sided(table) or (counts.sum(axis=0).max() < 2 and counts.sum(axis=1).max() < 2)


def same(found: float, expected: float, table: Table, tolerance: float = 1e-9) -> None:
    if math.isnan(expected) or math.isnan(found):
        assert math.isnan(expected) == math.isnan(found), (found, expected, table)
    else:
        assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), table


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Peers warn about what is degenerate; that is what is tested here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


# scikit-learn gives a number where one side, or both, name a single class; here there is none.
SKLEARN_FILLED: dict[str, Callable[[Any, Any, Any], float]] = {
    "mcc": lambda sk, a, p: sk.matthews_corrcoef(a, p),
    "adjusted_balanced_accuracy": lambda sk, a, p: sk.balanced_accuracy_score(a, p, adjusted=True),
    "homogeneity": lambda sk, a, p: sk.homogeneity_score(a, p),
    "completeness": lambda sk, a, p: sk.completeness_score(a, p),
    "v_measure": lambda sk, a, p: sk.v_measure_score(a, p),
    "nmi_geometric": lambda sk, a, p: sk.normalized_mutual_info_score(
        a, p, average_method="geometric"
    ),
    "nmi_min": lambda sk, a, p: sk.normalized_mutual_info_score(a, p, average_method="min"),
    "nmi_max": lambda sk, a, p: sk.normalized_mutual_info_score(a, p, average_method="max"),
    "adjusted_mutual_information": lambda sk, a, p: sk.adjusted_mutual_info_score(a, p),
    "adjusted_rand_index": lambda sk, a, p: sk.adjusted_rand_score(a, p),
    "rand_index": lambda sk, a, p: sk.rand_score(a, p),
    "fowlkes_mallows": lambda sk, a, p: sk.fowlkes_mallows_score(a, p),
}


@pytest.mark.parametrize("name", SKLEARN_FILLED)
def test_scikit_learn_agrees_where_there_is_a_value(name: str) -> None:
    sk = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    for table in TABLES:
        found = cmx.metric(name)(ConfusionMatrix(table))
        expected = SKLEARN_FILLED[name](sk, *pairs(table))
        if math.isnan(found):
            assert (
                silent(table)
                or max(map(sum, table)) < 2
                or max(map(sum, zip(*table, strict=True))) < 2
            )
            assert expected in {0.0, 1.0, -math.inf} or math.isnan(expected)
        else:
            same(found, expected, table)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_scikit_learn_agrees_on_kappa(weights: str | None) -> None:
    sk = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    metric = cmx.kappa if weights is None else cmx.weighted_kappa(weights)
    for table in TABLES:
        labels = list(range(len(table)))
        expected = sk.cohen_kappa_score(*pairs(table), weights=weights, labels=labels)
        same(metric(ConfusionMatrix(table)), expected, table)


def test_scikit_learn_expects_the_same_information_by_chance() -> None:
    cluster = pytest.importorskip("sklearn.metrics.cluster", reason="scikit-learn is not installed")
    from confmat.metrics.sharing import expected_information

    for table in TABLES:
        counts = np.array(table)
        rows, cols = counts.sum(axis=1), counts.sum(axis=0)
        contingency = cluster.contingency_matrix(*pairs(table), sparse=True)
        expected = cluster.expected_mutual_information(contingency, int(counts.sum()))
        same(expected_information(rows, cols), expected, table)


def test_pycm_p_value_leaves_its_range() -> None:
    pycm = pytest.importorskip("pycm", reason="PyCM is not installed")
    for table in TABLES:
        theirs = pycm.ConfusionMatrix(
            matrix={i: dict(enumerate(row)) for i, row in enumerate(table)}
        ).PValue
        if theirs != "None" and sum(map(sum, table)) < 50:
            same(cmx.accuracy_p_value(ConfusionMatrix(table)), theirs, table)
    assert 0 <= cmx.accuracy_p_value(ConfusionMatrix([[400_000, 100_000], [100_000, 400_000]])) <= 1


def test_pycm_weighted_kappa() -> None:
    pycm = pytest.importorskip("pycm", reason="PyCM is not installed")
    for table in TABLES:
        k = len(table)
        weights = [[(i - j) ** 2 + (i > j) for j in range(k)] for i in range(k)]
        theirs = pycm.ConfusionMatrix(
            matrix={i: dict(enumerate(row)) for i, row in enumerate(table)}
        )
        expected = theirs.weighted_kappa({i: dict(enumerate(row)) for i, row in enumerate(weights)})
        same(
            cmx.weighted_kappa(weights)(ConfusionMatrix(table)),
            NAN if expected == "None" else expected,
            table,
        )


TORCH: dict[str, Callable[[Any, Any, Any, int], Any]] = {
    "cramer_v": lambda tm, a, p, _: tm.nominal.cramers_v(p, a, bias_correction=False),
    "cramer_v_corrected": lambda tm, a, p, _: tm.nominal.cramers_v(p, a),
    "tschuprow_t": lambda tm, a, p, _: tm.nominal.tschuprows_t(p, a, bias_correction=False),
    "tschuprow_t_corrected": lambda tm, a, p, _: tm.nominal.tschuprows_t(p, a),
    "pearson_c": lambda tm, a, p, _: tm.nominal.pearsons_contingency_coefficient(p, a),
    "theil_u": lambda tm, a, p, _: tm.nominal.theils_u(p, a),
    "adjusted_rand_index": lambda tm, a, p, _: tm.clustering.adjusted_rand_score(p, a),
    "fowlkes_mallows": lambda tm, a, p, _: tm.clustering.fowlkes_mallows_index(p, a),
}


@pytest.mark.parametrize("name", TORCH)
def test_torchmetrics_agrees(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    tm = pytest.importorskip("torchmetrics.functional", reason="torchmetrics is not installed")
    import torchmetrics.functional.classification
    import torchmetrics.functional.clustering
    import torchmetrics.functional.nominal  # noqa: F401

    # It computes in float32; degenerate tables are the business of other peers.
    for table in TABLES:
        if silent(table) or not all(map(sum, table)) or not all(map(sum, zip(*table, strict=True))):
            continue
        # It corrects tables of 2 x 2 for continuity as well, or fails over it.
        if "corrected" in name and len(table) == 2:
            continue
        actual, predicted = (torch.tensor(side) for side in pairs(table))
        expected = float(TORCH[name](tm, actual, predicted, len(table)))
        same(cmx.metric(name)(ConfusionMatrix(table)), expected, table, 2e-4)


@pytest.mark.parametrize("name", ["pearson", "cramer", "tschuprow"])
def test_scipy_agrees_on_association(name: str) -> None:
    contingency = pytest.importorskip("scipy.stats.contingency", reason="SciPy is not installed")
    ours = {"pearson": cmx.pearson_c, "cramer": cmx.cramer_v, "tschuprow": cmx.tschuprow_t}[name]
    for table in TABLES:
        counts = np.array(table)
        held = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        if min(held.shape) > 1:
            same(ours(ConfusionMatrix(table)), contingency.association(held, method=name), table)


def test_scipy_agrees_on_tests() -> None:
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    for table in TABLES:
        m, counts = ConfusionMatrix(table), np.array(table)
        held = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        plain = stats.chi2_contingency(held, correction=False)
        same(cmx.chi_squared(m), plain.statistic, table)
        assert cmx.chi_squared_dof(m) == plain.dof
        same(cmx.chi_squared_p_value(m), plain.pvalue, table)
        same(
            cmx.g_statistic(m),
            stats.chi2_contingency(held, correction=False, lambda_="log-likelihood").statistic,
            table,
        )
        tail = stats.binomtest(
            int(counts.trace()),
            int(counts.sum()),
            counts.sum(axis=1).max() / counts.sum(),
            "greater",
        )
        same(cmx.accuracy_p_value(m), tail.pvalue, table)

"""Scores are right to 12 digits in float64, since nothing that matters is a difference of rounded sums."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, report
from confmat import metrics as cm
from confmat.core.cells import Cells
from confmat.core.counts import Counts
from confmat.core.errors import BudgetError
from confmat.core.labels import Labels
from confmat.metrics.margins import Margins, read_cells, read_margins
from tests.laws.exactly import exactly, has_fractions


def test_micro_does_not_overflow() -> None:
    counts = np.zeros((2000, 2000), dtype=np.int64)
    np.fill_diagonal(counts, 2**41)
    assert cm.specificity(ConfusionMatrix(counts), average="micro") == 1


def test_a_metric_in_plain_numpy_works() -> None:
    @cm.of_class(title="Mine", bounds=(0, 1), undefined="there is nothing to divide by")
    def mine(c: Cells) -> Any:
        """Root of the recall, as anybody would write it."""
        return np.sqrt(c.tp / (c.tp + c.fn))

    m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [0, 0, 0]])
    np.testing.assert_array_equal(mine(m), [np.sqrt(4 / 6), np.sqrt(2 / 10), np.nan])
    assert report(m, [mine]).values[0, 0] == np.sqrt(4 / 6)

    @cm.of_matrix(title="Ours", bounds=(0, 1))
    def ours(m: Margins) -> Any:
        """Accuracy, as anybody would write it."""
        return np.sum(m.diagonal) / m.total

    assert ours(m) == 6 / 16


def test_what_a_metric_raises_is_heard() -> None:
    @cm.of_class(title="Broken")
    def broken(c: Cells) -> Any:
        """Nothing good."""
        return c.nothing  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="nothing"):
        broken(ConfusionMatrix([[4, 1], [6, 2]]))


@pytest.mark.parametrize("weight", [0.1, 0.3, 1e-3, 1e30])
def test_rounding_leaves_no_true_negatives(weight: float) -> None:
    counts = weight * np.array([[3, 7, 1], [9, 11, 13], [1, 1, 1]])
    counts[1:, 1:] = 0
    m = ConfusionMatrix(counts)
    for cells in (m.cells, read_margins(m).cells, read_cells(m)):
        assert cells.tn[0] == 0
        assert np.isnan(cm.negative_likelihood_ratio(cells)[0])


def test_what_is_shared_cannot_be_changed_through_a_result() -> None:
    m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]])
    before = {name: np.array(one(m)) for name, one in cm.catalog().items()}
    for one in cm.catalog().values():
        found = one(m)
        if isinstance(found, np.ndarray):
            found[...] = 99
    fresh = ConfusionMatrix(m.counts)
    for name, one in cm.catalog().items():
        np.testing.assert_array_equal(one(m), before[name], err_msg=name)
        np.testing.assert_array_equal(one(fresh), before[name], err_msg=name)


def test_order_of_asking_does_not_matter() -> None:
    counts = np.random.default_rng(3).integers(0, 40, (30, 30))
    forward, backward = ConfusionMatrix(counts), ConfusionMatrix(counts)
    metrics = list(cm.catalog().items())
    first = {name: one(forward) for name, one in metrics}
    for name, one in reversed(metrics):
        np.testing.assert_array_equal(one(backward), first[name], err_msg=name)


def test_a_refusal_does_not_cost_digits_later() -> None:
    cubic = cm.weighted_kappa(3)
    wide = ConfusionMatrix._of(Labels(range(5001)), Counts.of_table(np.eye(5001, dtype=np.int64)))
    with pytest.raises(BudgetError):
        cubic(wide)
    m = ConfusionMatrix([[10**14 + 1, 10**14 + 10**7], [10**14 - 10**7, 10**14 - 1]])
    assert cubic(m) == pytest.approx(float(exactly(cubic, m)[0]), rel=1e-12)


@pytest.mark.slow
def test_what_is_kept_for_a_matrix_goes_with_it() -> None:
    """Nothing waits for the garbage collector, which would keep the memory of many matrices for a while."""

    def use_up() -> None:
        m = ConfusionMatrix([[5, 2, 1], [1, 7, 0], [2, 2, 9]])
        for metric in cm.catalog().values():
            metric(m)

    def ours(thing: object) -> bool:
        """Whether confmat made it: other threads of the process leave garbage of their own at any moment."""
        made_by = getattr(thing, "__module__", None) or type(thing).__module__
        return str(made_by).partition(".")[0] == "confmat"

    use_up()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        use_up()
        gc.collect()
        assert [repr(x) for x in gc.garbage if ours(x)] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def test_a_plain_division_above_the_range_of_floats_gives_what_floats_give() -> None:
    @cm.of_class(title="Mine", bounds=(0, 1))
    def mine(c: Cells) -> Any:
        """A share by Python's own division."""
        return c.tp / (c.tp + c.fn)

    with np.errstate(invalid="ignore"):
        shares = mine(ConfusionMatrix([[2**26, 5, 0], [0, 7, 0], [0, 0, 0]]))
    assert shares[:2] == pytest.approx([2**26 / (2**26 + 5), 1])
    assert np.isnan(shares[2])


def lopsided(seed: int) -> list[Any]:
    """Tables in which one cell, row, column or diagonal holds nearly everything, of counts and of weights."""
    rng = np.random.default_rng(seed)
    tables: list[Any] = []
    for size in (2, 3, 5):
        for bits in (13, 20, 26, 32, 45):
            few = rng.integers(0, 5, (4, size, size)) * (rng.random((4, size, size)) < 0.7)
            few[0, 0, -1] += 2**bits
            few[1, :, -1] += rng.integers(1, 2**bits, size)
            few[2, 0] += rng.integers(1, 2**bits, size)
            np.fill_diagonal(few[3], rng.integers(1, 2**bits, size))
            tables += list(few)
        for low, high in ((-6, 12), (-9, 9), (-6, 3), (0, 12)):
            table = 10 ** rng.uniform(low, high, (size, size))
            table[rng.random((size, size)) < 0.2] = 0
            tables += [
                table,
                np.diag(10 ** rng.uniform(low, high, size)) + np.eye(size)[::-1] * 10.0**low,
            ]
    return tables


# Formulas with a root, a logarithm or a sum over tables: no fraction says what they give.
_IRRATIONAL = set(
    """
    adjusted_f adjusted_g_mean adjusted_mutual_information andres_marzo_delta baroni_urbani_buser_1
    baroni_urbani_buser_2 class_confusion_entropy class_g_mean class_mcc completeness conditional_entropy
    consonni_todeschini_1 consonni_todeschini_2 consonni_todeschini_3 consonni_todeschini_4 consonni_todeschini_5
    cramer_v cramer_v_corrected cross_entropy dennis digby discriminant_power discriminant_power_log10
    extremal_dependence_index extreme_dependency_score fager_mcgowan fowlkes_mallows g_measure g_statistic
    gilbert_wells goodall homogeneity information_score joint_entropy kendall_tau_b kl_divergence kuhns_7
    log_negative_likelihood_ratio log_odds_ratio log_positive_likelihood_ratio mcc modified_class_confusion_entropy
    multiclass_g_mean mutual_information mutual_information_nats nmi_geometric nmi_max nmi_min
    overall_confusion_entropy overall_modified_confusion_entropy pearson_c prevalence_threshold reference_entropy
    reference_entropy_given_response response_entropy roc_distance roc_similarity spearman_rho
    symmetric_extremal_dependence_index symmetric_extreme_dependency_score tschuprow_t tschuprow_t_corrected
    v_measure variation_of_information yule_y
    """.split()  # noqa: SIM905
)


def test_the_other_metrics_are_compared_with_fractions() -> None:
    """A formula that fails in fractions by a mistake of its own would be compared with nothing."""
    assert {name for name, one in cm.catalog().items() if not has_fractions(one)} == _IRRATIONAL


@pytest.mark.parametrize(
    "name",
    [name for name, one in cm.catalog().items() if one.unit != "items" and has_fractions(one)],
)
def test_nothing_takes_digits_from_the_rest_of_a_lopsided_table(name: str) -> None:
    metric = cm.metric(name)
    for table in lopsided(len(name)):
        m = ConfusionMatrix(table)
        if not metric.scale_free and m.total < 2:
            # There are no pairs of items.
            continue
        expected = exactly(metric, m).astype(float)
        # Statistics grow with the items.
        scale = float(m.total) if name == "chi_squared" else 1.0
        np.testing.assert_allclose(
            metric(m), expected.reshape(np.shape(metric(m))), rtol=1e-12, atol=1e-12 * scale
        )

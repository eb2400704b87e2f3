"""No metric of the catalog, and no factory, is without an exact twin in the tests beside this one."""

from __future__ import annotations

from confmat.metrics.catalog import metric
from confmat.metrics.declaration import catalog, factories
from tests.exact import (
    test_exact_agreement,
    test_exact_coefficients,
    test_exact_detection,
    test_exact_information,
    test_exact_logarithms,
    test_exact_ordinal,
    test_exact_others,
)

NAMES = {
    *test_exact_agreement.EXACT,
    *test_exact_coefficients.EXACT,
    *test_exact_detection.EXACT,
    *test_exact_information.EXACT,
    *test_exact_logarithms.EXACT,
    *test_exact_ordinal.EXACT,
    *(f"weighted_kappa_{name}" for name in test_exact_ordinal.WEIGHTED),
    *test_exact_others.CLASSES,
    *test_exact_others.WHOLES,
}
# Recomputed in a test of their own, with several parameters.
FAMILIES = {
    "weighted_kappa": test_exact_ordinal.test_weighted_kappa,
    "gwet_ac2": test_exact_ordinal.test_gwet_ac2,
    "f_beta": test_exact_detection.test_f_beta,
    "cost": test_exact_others.test_costs_and_scales_and_units,
    "normalized_cost": test_exact_others.test_costs_and_scales_and_units,
    "total_cost": test_exact_others.test_costs_and_scales_and_units,
    "taken_for": test_exact_others.test_a_class_is_taken_for_another,
    "on_scale": test_exact_others.test_costs_and_scales_and_units,
}


def twins() -> set[str]:
    """The metrics that the names and aliases stand for."""
    found = set()
    for name in NAMES:
        try:
            found.add(metric(name).name)
        except ValueError:
            found.add(name)
    return found


def test_every_metric_is_recomputed_exactly() -> None:
    missing = set(catalog()) - twins()
    assert missing == set(), "add rows to CLASSES of test_exact_others or EXACT of its family"


def test_every_factory_is_recomputed_exactly() -> None:
    examples = {name.partition("(")[0] for name in NAMES if "(" in name}
    assert set(factories()) - set(FAMILIES) - examples == set()

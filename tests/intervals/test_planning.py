"""Sample sizes: for a width under a prevalence and for a margin, against epiR's printed examples and definitions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.comparison.significance import tango
from confmat.intervals.bounds import clopper_pearson, wilson


def test_epir_prints_these_numbers() -> None:
    # epi.ssdxsesp: Hajian-Tilaki (2014), p. 195, and van Hal, Lahra and Whiley (2025), both by
    # Buderer's formula.
    assert cm.items_needed(0.8, "sensitivity", width=0.14, prevalence=0.1, method="wald") == 1255
    assert cm.items_needed(0.95, "recall", width=0.2, prevalence=0.0022, method="wald") == 8295
    # epi.ssninfb: Chow, Shao and Wang (2008), p. 90, 25 in each group.
    assert cm.items_needed((0.65, 0.85), margin=0.1, level=0.9) == 25


@pytest.mark.parametrize(("method", "bounds"), [("wilson", wilson), ("exact", clopper_pearson)])
@pytest.mark.parametrize(
    ("score", "among"), [("recall", 0.02), ("specificity", 0.98), ("fpr", 0.98), (None, 0.02)]
)
def test_the_part_that_counts_is_just_wide_enough(
    method: Any, bounds: Any, score: str | None, among: float
) -> None:
    n = cm.items_needed(0.9, score, width=0.1, prevalence=0.02, method=method)
    widths = [float(np.ptp(bounds(0.9, each * among, 0.95))) for each in (n, n - 1)]
    assert widths[0] <= 0.1 < widths[1]


def test_a_margin_by_its_formula() -> None:
    reach = 1.959964 + 0.8416212
    independent = math.ceil((reach / 0.05) ** 2 * 2 * 0.9 * 0.1)
    assert cm.items_needed(0.9, margin=0.05) == independent
    assert cm.items_needed(0.9, "recall", margin=0.05, prevalence=0.25) == math.ceil(
        (reach / 0.05) ** 2 * 2 * 0.9 * 0.1 / 0.25
    )
    # Independent answers differ on 2 p (1 - p) of the items.
    assert cm.items_needed(0.9, margin=0.05, discordant=0.18) == pytest.approx(
        independent, rel=0.04
    )
    # Nothing but discordant items where one is right wherever the other is.
    assert cm.items_needed((0.7, 0.9), margin=0.05, discordant=0.2) < cm.items_needed(
        0.9, margin=0.05, discordant=0.05
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gap", "discordant"), [(0.0, 0.1), (0.02, 0.1), (0.0, 0.05), (-0.01, 0.2)]
)
def test_so_many_items_show_what_they_are_planned_for(gap: float, discordant: float) -> None:
    n = cm.items_needed((0.8, 0.8 + gap), margin=0.05, discordant=discordant)
    drawn = np.random.default_rng(3).multinomial(
        n, [(discordant - gap) / 2, (discordant + gap) / 2, 1 - discordant], 20_000
    )
    kinds, times = np.unique(drawn[:, :2], axis=0, return_counts=True)
    shown = [tango(first, second, n, 0.95)[1] < 0.05 for first, second in kinds.tolist()]
    assert 0.78 < times[np.array(shown)].sum() / 20_000 < 0.84


TEST = cm.ConfusionMatrix([[90, 10], [32, 968]], labels=["sick", "well"])
REFUSED = [
    (lambda: cm.items_needed("f1.macro", width=0.1), "expected share"),  # type: ignore[arg-type]
    (lambda: cm.items_needed(TEST, "f1", width=0.1), "one number"),
    (lambda: cm.items_needed("f1", TEST, width=0.1), "matrix first"),  # type: ignore[arg-type]
    (lambda: cm.items_needed(TEST, width=0.1), "say which score"),
    (
        lambda: cm.items_needed(cm.ConfusionMatrix([[5, 5], [0, 0]]), "recall[1]", width=0.1),
        "nothing can be planned",
    ),
    (lambda: cm.items_needed(0.9), "needs `width`, .* or `margin`"),
    (lambda: cm.items_needed(0.9, margin=-0.1), "a number above 0; got -0.1"),
    (
        lambda: cm.items_needed(0.9, "precision", width=0.1, prevalence=0.1),
        "depends on more than the prevalence",
    ),
    (
        lambda: cm.items_needed(0.9, width=0.1, prevalence=10),
        "`prevalence` is between 0 and 1; got 10",
    ),
    (lambda: cm.items_needed(0.9, margin=0.1, power=80), "`power` is between 0 and 1; got 80"),
    (lambda: cm.items_needed(1.0, width=0.1, method="wald"), "a share of 1 has no width"),
    (lambda: cm.items_needed((0.9, 0.8), width=0.1), "expected share"),
    (lambda: cm.items_needed(0.9, width=0.1, discordant=0.1), "goes with a margin"),
    (lambda: cm.items_needed((0.9, 0.8), margin=0.1), "worse by 0.1$"),
    (lambda: cm.items_needed(1.0, margin=0.1), "nothing is left to chance"),
    (lambda: cm.items_needed(0.9, margin=0.1, discordant=0.5), "cannot differ on 0.5"),
    (
        lambda: cm.items_needed(cm.ConfusionMatrix([[9, 1], [1, 9]]), "accuracy", margin=0.1),
        "with a comparison",
    ),
]


@pytest.mark.parametrize(("ask", "says"), REFUSED, ids=map(str, range(len(REFUSED))))
def test_wishes_that_do_not_go_together(ask: Any, says: str) -> None:
    with pytest.raises(cm.InputError, match=says):
        ask()

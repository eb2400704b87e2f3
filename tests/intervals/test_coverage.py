"""The table of worst cases says what was measured, and the default holds where simple intervals break."""

from __future__ import annotations

import math

import pytest

import confmat as cm
from benchmarks import coverage_page
from benchmarks.coverage import OURS, Intervals, Population, ends, measured
from benchmarks.coverage_scenarios import EVERYDAY, HEADLINE, SCENARIOS, even, table, two


def test_the_page_is_what_was_measured() -> None:
    results = measured()
    assert coverage_page.PAGE.read_text("utf-8") == coverage_page.page(results)
    lines = {
        f"{one.family}: {one.name}: {coverage_page.title(score)}"
        for one in SCENARIOS
        for score in one.scores
    }
    assert set(results) == lines, "measure again: python -m benchmarks.coverage"


def test_the_list_of_twenty_items_is_that_of_a_loop() -> None:
    """Every table of two classes, one by one, by the chances of its four cells."""
    found = Intervals("", "", two((0.2,), (0.8,), (0.95,), 20), ("accuracy",), listed=True).measure(
        "accuracy", 1
    )
    chances, (truth, n) = (
        (0.8 * 0.95, 0.8 * 0.05, 0.2 * 0.2, 0.2 * 0.8),
        (0.8 * 0.95 + 0.2 * 0.8, 20),
    )
    held = dict.fromkeys([OURS, "Wald"], 0.0)
    occur = 0.0
    for tn in range(n + 1):
        for fp in range(n + 1 - tn):
            for fn in range(n + 1 - tn - fp):
                cells = (tn, fp, fn, n - tn - fp - fn)
                if not tn + fp or not sum(cells[2:]):
                    continue
                ways = math.factorial(n) // math.prod(map(math.factorial, cells))
                chance = ways * math.prod(
                    share**count for share, count in zip(chances, cells, strict=True)
                )
                occur += chance
                right = (tn + cells[3]) / n
                reach = 1.959964 * math.sqrt(right * (1 - right) / n)
                low, high = ends(cm.ConfusionMatrix([cells[:2], cells[2:]]), "accuracy")
                held[OURS] += chance * (low <= truth <= high)
                held["Wald"] += chance * (right - reach <= truth <= right + reach)
    # Tables rarer than one in a million are left out of the list.
    for name, share in held.items():
        assert found["found"][name][0] == pytest.approx(share / occur, abs=1e-4)
    assert found["absent"] == pytest.approx(1 - occur, abs=1e-4)


def shares(
    population: Population, scores: tuple[str, ...], draws: int, **options: str
) -> dict[str, float]:
    """How often the interval of each score holds the truth."""
    one = Intervals("", "", (population,), scores, options)
    return {
        score: one.held(score, population, {OURS: one.ours(score)}, draws, 1)[0][OURS][0]
        for score in scores
    }


@pytest.mark.slow
@pytest.mark.parametrize("population", EVERYDAY, ids=lambda population: population.name)
def test_it_never_falls_far_below_its_level(population: Population) -> None:
    # Over 120 data sets, a share of .93 is below .83 once in ten thousand times.
    for score, held in shares(population, HEADLINE, 120).items():
        assert held > 0.83, score


@pytest.mark.nightly
@pytest.mark.parametrize("population", EVERYDAY, ids=lambda population: population.name)
def test_over_thousands_of_data_sets_it_holds_its_level(population: Population) -> None:
    assert min(shares(population, HEADLINE, 3000).values()) >= coverage_page.LEAST


def test_the_textbook_interval_breaks_where_the_default_does_not() -> None:
    nearly_perfect = Population("", table(even(2), 0.99), 100)
    assert shares(nearly_perfect, ("f1.macro",), 200)["f1.macro"] > 0.87
    assert shares(nearly_perfect, ("f1.macro",), 200, method="wald")["f1.macro"] < 0.75

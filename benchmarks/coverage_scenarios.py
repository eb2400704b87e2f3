"""The populations that coverage is measured on: few items, rare classes, scores near their ends, many classes."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage import (
    Clusters,
    Differences,
    Discordance,
    Families,
    Intervals,
    Population,
    Rivals,
    Strata,
    Tests,
    judged_items,
)
from benchmarks.judges import TEN, World

Array = NDArray[np.float64]


def table(prevalence: Array, right: float | tuple[float, ...]) -> Array:
    """Classes that occur so often and are answered right so often; errors go to the others as they occur."""
    others = np.where(np.eye(len(prevalence)) > 0, 0.0, prevalence)
    each = np.broadcast_to(right, prevalence.shape)[:, None]
    shares: Array = prevalence[:, None] * (
        np.eye(len(prevalence)) * each + (1 - each) * others / others.sum(axis=1, keepdims=True)
    )
    return shares


def skewed(k: int) -> Array:
    """Prevalences that fall off like 1, 1/2, 1/3 ..."""
    found: Array = 1 / np.arange(1, k + 1)
    return found / found.sum()


def even(k: int) -> Array:
    return np.full(k, 1 / k)


def positive(share: float) -> Array:
    return np.array([1 - share, share])


def two(
    prevalences: tuple[float, ...], sens: tuple[float, ...], spec: tuple[float, ...], items: int
) -> tuple:  # type: ignore[type-arg]
    """Two classes, by how many are positive, and how often both are right."""
    return tuple(
        Population(f"{p:.0%} positive, {a:.0%} of them found, {b:.0%} of the others spared",
                   table(positive(p), (b, a)), items)
        for p, a, b in product(prevalences, sens, spec)
    )  # fmt: skip


def rows(negative: int, positive: int, rates: tuple[float, ...]) -> tuple[Population, ...]:
    """So many negatives and positives, by how often both are right."""
    return tuple(
        Population(f"{a:.0%} of the positive found, {b:.0%} of the others spared",
                   np.array([[b, 1 - b], [1 - a, a]]), (negative, positive))
        for a, b in product(rates, rates)
    )  # fmt: skip


def graded(
    k: int, items: int, rights: tuple[float, ...], among: Array | None = None
) -> tuple[Population, ...]:
    """Skewed classes, by how often answers are right."""
    return tuple(
        Population(f"{p:.0%} right", table(skewed(k) if among is None else among, p), items)
        for p in rights
    )


def near(sizes: tuple[tuple[int, int], ...], beyond: tuple[float, ...]) -> tuple[Population, ...]:
    """From independence on: what is right beyond chance, of so many classes and items."""
    return tuple(
        Population(f"{k} {how} classes, {items:,} items, kappa {part:g}",
                   (1 - part) * np.outer(among, among) + part * np.diag(among), items)
        for (k, items), part in product(sizes, beyond)
        for how, among in (("even", even(k)), ("skewed", skewed(k)))
    )  # fmt: skip


def clustered(
    number: int, alike: float, rare: float, *, of_one_class: bool = False, size: int | None = 10
) -> Population:
    """Two classes in clusters of ten items, or of as many as chance has it, 85 % right."""
    name = f"{number} {f'clusters of {size}' if size else 'unequal clusters'}, ICC {alike:g}, {rare:.0%} positive"
    return Population(
        name, table(positive(rare), 0.85), 0, Clusters(number, size, alike, of_one_class)
    )


def strata(
    items: int, rights: tuple[float, ...], sizes: tuple[int, ...], rare: tuple[float, ...]
) -> Strata:
    """Strata of two classes, so many items of each, by how often answers are right and which share is positive."""
    shares = np.array([table(positive(p), right) for p, right in zip(rare, rights, strict=True)])
    told = ", ".join(f"{right:.0%}" for right in rights)
    return Strata(
        f"{told} right, {sizes[0] / sum(sizes):.0%} in the first", shares, items, sizes=sizes
    )


def rivals(loss: float, *, margin: bool) -> tuple[Rivals, ...]:
    """Two to twenty classes of which the rarest have 3 to 10 % of the items, and a loss of every class or of that."""
    worlds = [
        (positive(p), n)
        for p, n in ((0.03, 300), (0.05, 200), (0.1, 200), (0.1, 900), (0.03, 1000))
    ]
    worlds += [(np.array([0.6, 0.25, 0.1, 0.05]), 200), (skewed(20), 500), (positive(0.3), 200)]
    each = [
        Rivals(f"{len(p)} classes, the rarest {p.min():.0%}, {n:,} items", p, n, 0.9, loss)
        for p, n in worlds
    ]
    return tuple(each) if margin else (*each, *(
        Rivals(f"a loss of {2 * loss:.0%} of the rarest of 2 classes, {p:.0%}, {n:,} items", positive(p), n, 0.95,
               (0, 2 * loss)) for p, n in ((0.05, 600), (0.1, 900))))  # fmt: skip


RARE = np.array([0.5, 0.3, 0.13, 0.06, 0.01])
HEADLINE = ("accuracy", "balanced_accuracy", "f1.macro", "mcc", "kappa")
SHARES = ("recall[1]", "specificity[1]", "precision[1]", "negative_predictive_value[1]")
RATIOS = (
    "positive_likelihood_ratio[1]",
    "negative_likelihood_ratio[1]",
    "diagnostic_odds_ratio[1]",
)
ASSOCIATIONS = ("mutual_information", "v_measure", "adjusted_mutual_information", "cramer_v")
MEANS = ("f1.macro", "precision.macro", "balanced_accuracy", "jaccard.macro")
OF_TWO = ("informedness[1]", "f1[1]", "recall[1]", "precision[1]")
OF_A_CLASS = ("recall", "precision", "f1", "class_mcc", "class_kappa", "informedness", "markedness")
RIGHT, MANY = (0.8, 0.9, 0.95, 0.99), (0.5, 0.7, 0.8, 0.9, 0.97)
ITEMS = ((10, 10), (10, 40), (25, 25), (100, 100), (20, 180), (4, 16))
EVERYDAY = (
    Population("2 classes, 85 % right, n = 50", table(even(2), 0.85), 50),
    Population("2 classes, 5 % positive, n = 200", table(positive(0.05), (0.95, 0.8)), 200),
    Population("2 classes, 99 % right, n = 100", table(even(2), 0.99), 100),
    Population("3 classes, 70 % right, n = 90", table(even(3), 0.7), 90),
    Population("5 classes, skewed, 80 % right, n = 500", table(skewed(5), 0.8), 500),
    Population("10 classes, 97 % right, n = 500", table(even(10), 0.97), 500),
    Population("20 classes, skewed, 80 % right, n = 2,000", table(skewed(20), 0.8), 2000),
)
ONE_CLASS = tuple(clustered(30, 0.3, rare, of_one_class=True) for rare in (0.1, 0.3))
PROPORTIONS, TWO, RATIO, BEYOND = (
    "Proportions",
    "Two classes, few items",
    "Empty cells",
    "Another prevalence",
)
MANY_CLASSES, RARE_CLASS, SHARED = (
    "Means over classes",
    "A rare class",
    "Information and association",
)
GATES, EQUAL, APART, IN_STRATA = (
    "Gates at the margin",
    "Gates and equal models",
    "Differences",
    "Thin strata",
)
JUDGED = "A judge that errs"
IN_CLUSTERS, ALIKE, TOGETHER = (
    "Clusters",
    "Tests of models that are alike",
    "Many differences at once",
)

SCENARIOS: tuple[Intervals | Tests | Discordance | Families | Differences, ...] = (
    Intervals(PROPORTIONS, "every chance from 1 to 99 %, 20 items", tuple(
        Population(f"{p:.1%}", np.array([[p, 1 - p]]), 20) for p in np.arange(0.01, 0.9901, 0.001)), ("accuracy",),
        listed=True),
    Intervals(PROPORTIONS, "every chance from 1 to 99 %, 100 items", tuple(
        Population(f"{p:.1%}", np.array([[p, 1 - p]]), 100) for p in np.arange(0.01, 0.9901, 0.001)), ("accuracy",),
        listed=True),
    *(Intervals(PROPORTIONS, f"{p:.1%} right, {n} items", (Population(f"{p:.1%}", np.array([[p, 1 - p]]), n),),
                ("accuracy",), listed=True) for p, n in ((0.998, 50), (0.99, 50), (0.995, 200))),
    Intervals(TWO, "20 items", two((0.5, 0.2, 0.1), (0.5, 0.7, 0.8, 0.9, 0.95, 0.99), (0.5, 0.7, 0.8, 0.9, 0.95, 0.99),
                                   20),
              (*HEADLINE, *SHARES, "f1[1]", "jaccard[1]", "precision.macro", "informedness[1]", "markedness[1]",
               "adjusted_rand_index", *RATIOS, "mutual_information", "v_measure", "cramer_v"), listed=True),
    *(Intervals(RATIO, f"{one} + {other} items", rows(other, one, RIGHT), RATIOS, {"design": "actual"}, listed=True)
      for one, other in ITEMS),
    *(Intervals(BEYOND, f"{n} + {n} items, 1 % positive", rows(n, n, RIGHT),
                ("precision[1]", "negative_predictive_value[1]"), {"at_prevalence": 0.01}, listed=True)
      for n in (20, 50)),
    Intervals("Everyday tables", "2 to 20 classes, 50 to 2,000 items", EVERYDAY, HEADLINE),
    Intervals(MANY_CLASSES, "5 classes, the rarest 1 %, 200 items", graded(5, 200, MANY, RARE), MEANS),
    Intervals(MANY_CLASSES, "20 skewed classes, 200 items", graded(20, 200, MANY), MEANS),
    Intervals(MANY_CLASSES, "100 skewed classes, 2,000 items", graded(100, 2000, MANY), MEANS),
    Intervals(RARE_CLASS, "1 to 3 % positive, 200 items", two((0.01, 0.03), (0.5, 0.8, 0.95), (0.95, 0.99), 200),
              ("recall[1]", "precision[1]", "f1[1]", "kappa", "mcc", "informedness[1]", "markedness[1]", "f1.macro",
               "balanced_accuracy")),
    Intervals(RARE_CLASS, "the rarest of 5 classes (1 %), 200 items", graded(5, 200, (0.5, 0.8, 0.95), RARE),
              tuple(f"{score}[4]" for score in OF_A_CLASS)),
    Intervals(RARE_CLASS, "10 positive and 190 negative, as chosen", rows(190, 10, (0.5, 0.8, 0.95)),
              ("f1[1]", "kappa", "mcc", "informedness[1]", "markedness[1]", "f1.macro", "lift[1]",
               "mutual_information", "v_measure"), {"design": "actual"}, listed=True),
    Intervals(SHARED, "2 to 5 classes, 50 and 200 items", near(((2, 50), (5, 50), (5, 200)),
                                                              (0, 0.05, 0.3, 0.7, 0.95)), ASSOCIATIONS),
    Intervals(SHARED, "20 classes, 2,000 items", near(((20, 2000),), (0, 0.05, 0.3, 0.7, 0.95)), ASSOCIATIONS,
              ),
    Intervals(IN_CLUSTERS, "5 clusters", tuple(clustered(5, icc, 0.4) for icc in (0.1, 0.5)),
              ("accuracy", "f1[1]", "f1.macro", "mcc")),
    Intervals(IN_CLUSTERS, "10 to 50 clusters", tuple(clustered(n, icc, 0.4) for n in (10, 20, 50) for icc in
                                                     (0.1, 0.5)), ("accuracy", "f1[1]", "f1.macro", "mcc")),
    Intervals(IN_CLUSTERS, "30 clusters, each of one class", ONE_CLASS,
              ("accuracy", "recall[1]", "balanced_accuracy", "f1.macro")),
    Intervals(IN_CLUSTERS, "12 to 40 unequal clusters", tuple(
        clustered(n, icc, 0.3, size=None) for n, icc in ((12, 0.3), (12, 0.9), (25, 0.05), (40, 0.2))), (
        *HEADLINE, "recall[1]", "precision[1]"), draws=1000),
    Intervals(IN_CLUSTERS, "25 unequal clusters, each of one class", (
        clustered(25, 0.5, 0.12, of_one_class=True, size=None),), (*HEADLINE, "recall[1]", "precision[1]"), draws=1000),
    *(Intervals(IN_STRATA, f"3 strata of {n} items", tuple(
        strata(n, rights, sizes, (0.05, 0.3, 0.8)) for rights in ((0.95, 0.85, 0.7), (0.99, 0.95, 0.9), (0.8, 0.6, 0.5))
        for sizes in ((8000, 1500, 500), (4000, 3000, 3000))), (*HEADLINE, "recall[1]", "precision[1]"), draws=1000)
      for n in (15, 60)),
    Intervals(JUDGED, "2 to 5 % positive", (
        judged_items("2 % positive", World((0.98, 0.02), 0.85, 0.95), 500),
        judged_items("3 % positive, leaning", World((0.97, 0.03), 0.93, 0.9, 0.5), 200),
        judged_items("5 % positive", World((0.95, 0.05), 0.8, 0.8, 0.3), 300),
    ), ("accuracy", "f1.macro", "recall[1]", "precision[1]"), draws=1000),
    Intervals(JUDGED, "the rarest class 1 or 2 %", (
        judged_items("3 classes, one of 2 %", World((0.8, 0.18, 0.02)), 300),
        judged_items("10 classes, one of 1 %", World(TEN), 500),
    ), ("accuracy", "f1.macro", "recall.macro"), draws=1000),
    Intervals(JUDGED, "a judge right in 97 to 99 %", (
        judged_items("97 %, model 80 %", World((0.5, 0.5), 0.8, 0.97, 0.0), 100),
        judged_items("99 %, model 98 %", World((0.5, 0.5), 0.98, 0.99, 0.0), 100),
        judged_items("99 %, model 90 %", World((0.7, 0.3), 0.9, 0.99, 0.0), 100),
    ), ("accuracy", "f1.macro"), draws=1000),
    Differences(GATES, "a loss of .02 of every class", rivals(0.02, margin=True), (*HEADLINE, *OF_TWO), gate=True),
    Differences(GATES, "a loss of .04 of the rarest of 2 classes alone", rivals(0.02, margin=False)[-2:],
                (*HEADLINE, *OF_TWO), gate=True),
    *(Differences(EQUAL, f"{n} items of the rarer class, margin .02", tuple(
        Rivals(f"{p:.0%} of {round(n / p):,} items", positive(p), round(n / p), 0.9, 0.0) for p in (0.1, 0.03)),
        ("accuracy", "balanced_accuracy", "f1.macro"), gate=True, margin=0.02) for n in (90, 300)),
    Differences(APART, "paired, a loss of .02", rivals(0.02, margin=False), (*HEADLINE, *OF_TWO)),
    Differences(APART, "different items, a loss of .02", rivals(0.02, margin=True), (*HEADLINE, *OF_TWO), apart=True),
    *(Discordance(ALIKE, f"one class of {n} items", ("recall[1]",), n, tuple((q, q) for q in np.arange(1, 26) / 100))
      for n in (10, 20, 50)),
    Tests(ALIKE, "2 classes, 20 % positive, 50 items", (Population("80 % right", table(positive(0.2), 0.8), 50),),
          (*HEADLINE, "f1[1]", "informedness[1]")),
    Tests(ALIKE, "2 classes, 1 % positive, 200 items", (Population("95 % right", table(positive(0.01), 0.95), 200),),
          HEADLINE),
    *(Tests(ALIKE, f"{name}, {n:,} items", (Population("70 % right", table(among, 0.7), n),),
            (*HEADLINE, "precision.macro"))
      for name, among, n in (("5 classes, the rarest 1 %", RARE, 200),
                                    ("20 skewed classes", skewed(20), 200),
                                    ("100 skewed classes", skewed(100), 2000))),
    Tests(ALIKE, "30 clusters, each of one class", ONE_CLASS[:1], ("accuracy", "balanced_accuracy", "f1.macro",
                                                                  "recall[1]"), (0.0,)),
    Discordance("Power", "60 items", ("accuracy",), 60, tuple(product((0.01, 0.03, 0.05), (0.1, 0.15, 0.2)))),
    *(Families(TOGETHER, f"the recalls of {k} classes of about {n // k} items", Population(
        "70 % right", table(even(k), 0.7), n), ("recall",)) for k, n in ((20, 200), (20, 1000), (5, 100))),
    Families(TOGETHER, "ten models, 20 classes, 200 items", Population("70 % right", table(even(20), 0.7), 200),
             ("f1.macro",), 10, 60),
)  # fmt: skip

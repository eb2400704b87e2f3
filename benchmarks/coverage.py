"""How often do intervals hold the truth, and how often do tests err? Worst cases, beside other methods and packages.

`python -m benchmarks.coverage` measures every scenario, which takes about half an hour, keeps the
results in coverage.json and writes docs/explanation/coverage.md; `--only "macro F1"` measures again
the lines whose names hold these words, `--page` only writes the page, and `--draws 0.1` draws a
tenth, to see whether a change breaks something.

A scenario is a set of populations. Where all data sets can be listed, each counts as often as it
comes, and every method is shown in its own worst population. Elsewhere data sets are drawn: some
from each population to find the worst for confmat, then fresh ones from that, so that the choice
does not color the figure; other methods see the same ones. A data set in which a class does not
occur is left out; how many are is reported.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy
from scipy.stats import binom, norm

import confmat as cm
from benchmarks import coverage_page
from benchmarks.judges import World, some_of
from confmat.comparison import Pairing, compare_pairings
from confmat.comparison.clusters import clusters_of
from confmat.comparison.differences import Difference, Pair
from confmat.comparison.outcome import asked_score, difference

Array = NDArray[np.float64]
Ends = tuple[float, float]
Method = Callable[[Any], Ends | None]
Row = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "coverage.json"
OURS, MCNEMAR = coverage_page.OURS, "exact McNemar"
# Data sets that are drawn from each population to find the worst, from that one, and for other
# methods.
LOOK, DRAWS, FOR_OTHERS = 50, 400, 80
# How many standard errors the textbook's test takes for a difference.
WALD = norm.isf(0.025)
# The chance of a data set that is left out of a list, and the longest list whose bootstrap is
# listed too.
RARE, SHORT = 1e-6, 2500
# The metrics that take off a bias, and what they come to with ever more items.
POPULATION = {"adjusted_mutual_information": "v_measure"}


@dataclass(frozen=True, eq=False)
class Clusters:
    """So many clusters of so many items, two of which are so much alike; each may be of one class.

    Without a size they are unequal: half have up to four items, and one of twelve has twenty-five
    or more.
    """

    number: int
    size: int | None
    alike: float
    of_one_class: bool = False


@dataclass(frozen=True, eq=False)
class Population:
    """Chances of the cells of a table, and a number of items: in all, or of each class."""

    name: str
    shares: Array
    items: int | tuple[int, ...] = 0
    clusters: Clusters | None = None

    def matrix(self, prevalence: float | None = None) -> cm.ConfusionMatrix:
        """The table of all items that there could be, where the second of two classes is so frequent."""
        among: Any = 1 if prevalence is None else np.array([1 - prevalence, prevalence])[:, None]
        if prevalence is None and isinstance(self.items, tuple):
            among = np.array(self.items)[:, None]
        # Some scores see how many items there are.
        return as_matrix(self.shares * among * 1e9)

    def draw(self, rng: np.random.Generator) -> cm.ConfusionMatrix | cm.Stack:
        """A data set."""
        if self.clusters:
            actual, (predicted,), cluster = self.answers(rng, 1)
            return cm.count(actual, predicted, clusters=cluster, labels=range(len(self.shares)))
        if isinstance(self.items, tuple):
            return cm.ConfusionMatrix(
                [rng.multinomial(n, row) for n, row in zip(self.items, self.shares, strict=True)]
            )
        return cm.ConfusionMatrix(
            rng.multinomial(self.items, self.shares.ravel()).reshape(self.shares.shape)
        )

    def answers(
        self, rng: np.random.Generator, models: int, shared: float = 0.0
    ) -> tuple[Any, list[Any], Any]:
        """Truth, answers of models that are alike, which share some of their luck, and the clusters of the items."""
        among, held = self.shares.sum(axis=1), self.clusters
        given = np.cumsum(self.shares / among[:, None], axis=1)[:, :-1]
        if held is None:
            assert isinstance(self.items, int)
            actual, cluster = rng.choice(len(among), self.items, p=among), np.arange(self.items)
            lucks = rng.random((models, self.items))
            lucks = np.where(rng.random(self.items) < shared, lucks[0], lucks)
            return actual, [(given[actual] < luck[:, None]).sum(axis=1) for luck in lucks], cluster
        size = held.size or np.maximum(rng.lognormal(1.5, 1.2, held.number).round(), 1).astype(int)
        cluster = np.repeat(np.arange(held.number), size)
        actual = rng.choice(len(among), held.number if held.of_one_class else len(cluster), p=among)
        actual = actual[cluster] if held.of_one_class else actual
        right, spread = self.shares[0, 0] / among[0], 1 / held.alike - 1
        rates = rng.beta(right * spread, (1 - right) * spread, (models, held.number))
        hits = rng.random((models, len(cluster))) < rates[:, cluster]
        return actual, [np.where(hit, actual, 1 - actual) for hit in hits], cluster


@dataclass(frozen=True, eq=False)
class Strata(Population):
    """Chances of the cells of a table in each stratum, of each of which so many items are drawn; and their sizes."""

    sizes: tuple[int, ...] = ()

    def matrix(self, prevalence: float | None = None) -> cm.ConfusionMatrix:
        """The table of all items that there could be."""
        assert prevalence is None
        return as_matrix(np.tensordot(self.sizes, self.shares, 1) * 1e6)

    def draw(self, rng: np.random.Generator) -> cm.ConfusionMatrix:
        """A sample of the whole."""
        drawn = [rng.multinomial(self.items, one.ravel()).reshape(one.shape) for one in self.shares]
        stack = cm.Stack(
            {at: cm.ConfusionMatrix(table) for at, table in enumerate(drawn)}, axis="stratum"
        )
        return stack.standardize(dict(enumerate(self.sizes)))


@dataclass(frozen=True, eq=False)
class JudgedItems(Population):
    """Five thousand items with labels of a judge who errs, of which so many are checked; the world is the judge's."""

    world: World = field(default_factory=lambda: World((0.5, 0.5)))

    def draw(self, rng: np.random.Generator) -> cm.ConfusionMatrix:
        """The items, corrected by those that were checked."""
        assert isinstance(self.items, int)
        actual, judge, model = self.world.drawn(rng)
        found: Any = cm.judged(
            judge, model, gold=some_of(actual, self.items, rng), labels=range(len(self.shares))
        )
        return found


def judged_items(name: str, world: World, checked: int) -> JudgedItems:
    """The items of a world of judges."""
    return JudgedItems(
        f"{name}, {checked:,} checked", world.chances().sum(axis=1), checked, world=world
    )


def occurs(m: Any) -> bool:
    """Whether each class has an item: of clusters in their sum, of judged items among those that were checked."""
    one = m.sum() if isinstance(m, cm.Stack) else m.checked if isinstance(m, cm.Judged) else m
    return bool((one.actual_totals > 0).all())


def as_matrix(counts: Any) -> cm.ConfusionMatrix:
    """A table of counts; hits and misses alone are dealt out to two classes."""
    if len(counts) > 1:
        return cm.ConfusionMatrix(counts)
    (hits, misses), half = counts[0], counts[0] // 2 if counts.dtype.kind == "i" else counts[0] / 2
    return cm.ConfusionMatrix(np.array([[hits - half[0], misses - half[1]], [half[1], half[0]]]))


def ends(m: Any, score: Any, **options: Any) -> Ends:
    """The bounds of an interval."""
    one: Any = cm.interval(m, score, **options)
    return one.low, one.high


def holds(low: Any, high: Any, truth: float) -> Any:
    """Whether the truth lies between the bounds, but for rounding."""
    slack = 1e-9 * max(1.0, abs(truth)) if math.isfinite(truth) else 0.0
    return (low - slack <= truth) & (truth <= high + slack)


def peers() -> dict[str, Callable[[str, Any], Ends | None]]:
    """The intervals of other packages; tests do without."""
    try:
        from benchmarks.coverage_peers import PEERS
    except ImportError:
        return {}
    return PEERS


def mcnemar(b: int, c: int) -> tuple[float, float]:
    """The exact p-value, and the mid-p as Fagerland, Lydersen and Laake (2013) have it; both by the binomial."""
    below, at = binom.cdf(min(b, c), b + c, 0.5), binom.pmf(min(b, c), b + c, 0.5)
    return min(2 * below, 1.0), (1 - at / 2 if b == c else 2 * below - at)


def remembered(method: Method) -> Method:
    """The same method, asked once about each table of two classes."""
    known: dict[bytes, Ends | None] = {}

    def ask(m: Any) -> Ends | None:
        if isinstance(m, cm.Stack) or m.n_classes > 2:
            return method(m)
        key = m.counts.tobytes()
        if key not in known:
            known[key] = method(m)
        return known[key]

    return ask


def chances_of(tables: Array, shares: Array, *, rows: bool = False) -> Array:
    """How likely each table is: of so many items in all, or in each row."""
    axes = (2,) if rows else (1, 2)
    ways = gammaln(tables.sum(axis=axes) + 1.0).reshape(len(tables), -1).sum(axis=1)
    found: Array = np.exp(
        ways - gammaln(tables + 1.0).sum(axis=(1, 2)) + xlogy(tables, shares).sum(axis=(1, 2))
    )
    return found


@cache
def all_listed(populations: tuple[Population, ...]) -> tuple[Array, Array]:
    """All tables that are not too rare, and their chances in each population."""
    items, shape = populations[0].items, populations[0].shares.shape
    if isinstance(items, tuple):
        sides = [[(hits, n - hits) for hits in range(n + 1)] for n in items]
        tables = np.array([*itertools.product(*sides)])
    else:
        parts = itertools.combinations(
            range(items + shape[0] * shape[1] - 1), shape[0] * shape[1] - 1
        )
        bars = np.array([(-1, *part, items + shape[0] * shape[1] - 1) for part in parts])
        tables = (np.diff(bars, axis=1) - 1).reshape(-1, *shape)
    chances = np.array(
        [chances_of(tables, one.shares, rows=isinstance(items, tuple)) for one in populations]
    )
    kept = chances.max(axis=0) > RARE
    return tables[kept], chances[:, kept]


@cache
def all_redrawn(populations: tuple[Population, ...]) -> Array:
    """The chances of all tables, where items are drawn again from each."""
    tables, rows = all_listed(populations)[0], isinstance(populations[0].items, tuple)
    sums = np.maximum(tables.sum(axis=2 if rows else (1, 2), keepdims=True), 1)
    return np.array([chances_of(tables, shares, rows=rows) for shares in tables / sums])


@dataclass(frozen=True, eq=False)
class Intervals:
    """How often the intervals of several scores hold the truth, over several populations."""

    family: str
    name: str
    populations: tuple[Population, ...]
    scores: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    listed: bool = False
    draws: int = DRAWS

    def tables(self) -> Array:
        """All data sets, but for the rarest."""
        return all_listed(self.populations)[0]

    def ours(self, score: str) -> Method:
        """The default."""
        return lambda m: ends(m, score, **self.options)

    def methods(self, score: str) -> dict[str, Method]:
        """The default, and what there is beside it."""
        found: dict[str, Method] = {
            OURS: self.ours(score),
            "Wald": lambda m: ends(m, score, method="wald", **self.options),
        }
        if isinstance(self.populations[0], Strata):
            return found
        if isinstance(self.populations[0], JudgedItems):
            checks = lambda m: ends(m.checked, score)  # noqa: E731
            return {OURS: found[OURS], "checked alone": checks}
        if self.populations[0].clusters is not None:
            return found | {"clusters forgotten": lambda m: ends(m.sum(), score)}
        if not self.listed:
            found["bootstrap"] = lambda m: ends(
                m, score, method="bootstrap", draws=200, **self.options
            )
        if "at_prevalence" not in self.options:
            found |= {name: partial(how, score) for name, how in peers().items()}
        return found

    def truth(self, score: str, population: Population) -> float:
        """The score of all items that there could be."""
        return float(
            cm.score(
                population.matrix(self.options.get("at_prevalence")), POPULATION.get(score, score)
            )
        )

    def measure(self, score: str, effort: float) -> Row:
        """The worst population, and how often each method holds the truth there."""
        return self.list_all(score) if self.listed else self.draw_some(score, effort)

    def list_all(self, score: str) -> Row:
        """Every data set, as often as it comes, and every method in its own worst population."""
        tables, chances = all_listed(self.populations)
        matrices = [as_matrix(table) for table in tables]
        occur = np.array([bool((m.actual_totals > 0).all()) for m in matrices])
        truths = [self.truth(score, one) for one in self.populations]
        found, nothing = {}, (np.nan, np.nan)
        for name, method in self.methods(score).items():
            ends = [method(m) if seen else nothing for m, seen in zip(matrices, occur, strict=True)]
            if None not in ends:
                found[name] = np.array(ends).T
        if len(tables) <= SHORT:
            found["bootstrap"] = self.listed_bootstrap(score, matrices)
        row: Row = {"draws": 0, "found": {}}
        for name, (low, high) in found.items():
            kept = chances * (occur & ~np.isnan(low) & ~np.isnan(high))
            held = (kept * [holds(low, high, truth) for truth in truths]).sum(axis=1) / kept.sum(
                axis=1
            )
            worst = int(np.nanargmin(held))
            occurring = chances[worst, occur].sum()
            row["found"][name] = [
                float(held[worst]),
                0,
                max(0.0, round(float(1 - kept[worst].sum() / occurring), 4)),
            ]
            if name == OURS:
                row["cell"] = self.populations[worst].name
                row["absent"] = max(0.0, round(float(1 - occurring / chances[worst].sum()), 4))
                row["mean"] = float(held.mean())
        return row

    def listed_bootstrap(self, score: str, matrices: list[cm.ConfusionMatrix]) -> Array:
        """The percentiles of all tables that could be drawn again, without drawing."""
        if at := self.options.get("at_prevalence"):
            values = np.array(
                [float(cm.interval(m, score, at_prevalence=at).value) for m in matrices]
            )
        else:
            values = np.array([float(cm.score(m, score)) for m in matrices])
        known = np.flatnonzero(~np.isnan(values))
        order = known[np.argsort(values[known])]
        sums = np.cumsum(all_redrawn(self.populations)[:, order], axis=1)
        found = [values[order][np.searchsorted(each / each[-1], [0.025, 0.975]).clip(max=len(order) - 1)]
                 if each[-1] > 0 else (np.nan, np.nan) for each in sums]  # fmt: skip
        return np.array(found).T

    def draw_some(self, score: str, effort: float) -> Row:
        """Some data sets of each population to find the worst, and fresh ones of that."""
        methods = self.methods(score)
        ours = {OURS: methods.pop(OURS)}
        looks = [
            self.held(score, one, ours, LOOK * effort, seed)[0]
            for seed, one in enumerate(self.populations)
        ]
        shares = [look[OURS][0] for look in looks]
        worst = int(np.argmin(shares))
        population, seed = self.populations[worst], len(shares) + worst
        found, absent = self.held(score, population, ours, self.draws * effort, seed)
        found |= self.held(score, population, methods, FOR_OTHERS * effort, seed)[0]
        return {"cell": population.name, "absent": round(absent, 4), "draws": round(self.draws * effort),
                "mean": float(np.mean(shares)), "found": found}  # fmt: skip

    def held(
        self,
        score: str,
        population: Population,
        methods: Mapping[str, Method],
        draws: float,
        seed: int,
    ) -> tuple[dict[str, list[float]], float]:
        """Share of the data sets whose interval held the truth, for each method; and that of a class that is absent."""
        rng, truth = np.random.default_rng([15, seed]), self.truth(score, population)
        asked = {name: remembered(method) for name, method in methods.items()}
        drawn, kept, counted = 0, 0, {name: [0, 0] for name in methods}
        while kept < round(draws):
            m, drawn = population.draw(rng), drawn + 1
            if not occurs(m):
                continue
            kept += 1
            for name, method in asked.items():
                ends = method(m)
                if ends is not None and not np.isnan(ends).any():
                    counted[name][0] += 1
                    counted[name][1] += bool(holds(*ends, truth))
        found = {
            name: [hits / of, of, round(1 - of / kept, 4)]
            for name, (of, hits) in counted.items()
            if of
        }
        return found, 1 - kept / drawn


# --- tests ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Tests:
    """How often models that are alike are said to differ, over populations of answers that share some of their luck."""

    family: str
    name: str
    populations: tuple[Population, ...]
    scores: tuple[str, ...]
    shared: tuple[float, ...] = (0.0, 0.5)
    draws: int = DRAWS

    def measure(self, score: str, effort: float) -> Row:
        """Some draws of each population to find the worst, and fresh ones of that."""
        cells = [*itertools.product(self.populations, self.shared)]
        looks = [
            self.rejected(score, *one, LOOK * effort, seed)[OURS][0]
            for seed, one in enumerate(cells)
        ]
        worst = int(np.argmax(looks))
        population, shared = cells[worst]
        found = self.rejected(score, population, shared, self.draws * effort, len(cells) + worst)
        name = (
            f"{population.name}, {shared:.0%} of the luck shared"
            if len(self.shared) > 1
            else population.name
        )
        return {
            "cell": name,
            "draws": round(self.draws * effort),
            "mean": float(np.mean(looks)),
            "found": found,
        }

    def rejected(
        self, score: str, population: Population, shared: float, draws: float, seed: int
    ) -> dict[str, list[float]]:
        """How often p is below .05."""
        rng, k, counted = (
            np.random.default_rng([16, seed]),
            len(population.shares),
            dict.fromkeys([OURS, "Wald"], 0),
        )
        for _ in range(round(draws)):
            actual, answers, cluster = population.answers(rng, 2, shared)
            if population.clusters:
                found = of_clusters(score, actual, answers, cluster, k)
            else:
                found = of_items(score, actual, answers, k)
            counted[OURS] += found.p_value < 0.05
            counted["Wald"] += abs(found.difference) > WALD * found.se
            if found.discordant is not None:
                b, c = map(int, found.discordant)
                counted[MCNEMAR] = counted.get(MCNEMAR, 0) + (mcnemar(b, c)[0] < 0.05)
        return {name: [count / round(draws), round(draws), 0.0] for name, count in counted.items()}


def paired(
    actual: Any, answers: list[Any], k: int
) -> tuple[dict[str, cm.ConfusionMatrix], dict[Any, Pairing]]:
    """The matrix of each model, and the counted answers of each two."""
    cells = [np.bincount(actual * k + answer, minlength=k * k).reshape(k, k) for answer in answers]
    matrices = {f"model {at}": cm.ConfusionMatrix(table) for at, table in enumerate(cells)}
    labels, pairings = matrices["model 0"].labels, {}
    for (one, first), (two, second) in itertools.combinations(
        zip(matrices, answers, strict=True), 2
    ):
        codes, counts = np.unique((actual * k + first) * k + second, return_counts=True)
        numbers = counts.astype(np.float64)
        pairings[one, two] = Pairing(
            labels, codes // k // k, codes // k % k, codes % k, numbers, numbers
        )
    return matrices, pairings


def of_items(score: str, actual: Any, answers: list[Any], k: int) -> Difference:
    """The difference of one score between two models."""
    matrices, pairings = paired(actual, answers, k)
    (names, pairing), (one, two) = next(iter(pairings.items())), matrices.values()
    return difference(
        asked_score(score, one.labels), Pair(names, (one, two)), pairing, "paired", 0.95
    )


def of_clusters(score: str, actual: Any, answers: list[Any], cluster: Any, k: int) -> Difference:
    """The same, of stacks."""
    stacks = {f"model {at}": cm.count(actual, answer, clusters=cluster, labels=range(k)) for at, answer in
              enumerate(answers)}  # fmt: skip
    one, two = (stack.sum() for stack in stacks.values())
    (names, held), *_ = clusters_of(stacks, shared=True).items()
    return difference(asked_score(score, one.labels), Pair(names, (one, two)), held, "paired", 0.95)


@dataclass(frozen=True, eq=False)
class Rivals:
    """Two models of the same items: the same answers but for a share, of which the second has fewer right by a loss.

    They are right so often, and lose so much, of every class alike or of each.
    """

    name: str
    prevalence: Array
    items: int
    right: float | tuple[float, ...]
    loss: float | tuple[float, ...]
    other: float = 0.1

    @property
    def shares(self) -> Array:
        """The chances of truth, first answer and second."""
        k = len(self.prevalence)
        right = np.broadcast_to(self.right, k)
        first, second = (
            np.eye(k) * each[:, None] + (1 - np.eye(k)) * (1 - each[:, None]) / (k - 1)
            for each in (right, right - np.array(self.loss) / self.other)
        )
        same = first[:, :, None] * np.eye(k)
        found: Array = (1 - self.other) * same + self.other * first[:, :, None] * second[:, None, :]
        return np.asarray(self.prevalence)[:, None, None] * found

    def truth(self, score: str) -> float:
        """How much more of a score the second has of all items that there could be."""
        one, two = (
            float(cm.score(as_matrix(self.shares.sum(axis=axis) * 1e9), score)) for axis in (2, 1)
        )
        return two - one

    def draw(self, rng: np.random.Generator) -> Array | None:
        """How many items have which truth and answers; None where a class does not occur."""
        drawn = (
            rng.multinomial(self.items, self.shares.ravel())
            .reshape(self.shares.shape)
            .astype(np.float64)
        )
        return drawn if drawn.sum(axis=(1, 2)).all() else None


def between(score: str, drawn: tuple[Array, ...], level: float) -> Difference:
    """The difference of two models of the same items, or of two samples of items."""
    one, two = (
        cm.ConfusionMatrix(each.sum(axis=axis).astype(int))
        for each, axis in zip((drawn[0], drawn[-1]), (2, 1), strict=True)
    )
    pair, pairing = Pair(("old", "new"), (one, two)), None
    if len(drawn) == 1:
        actual, first, second = np.nonzero(drawn[0])
        counts = drawn[0][actual, first, second]
        pairing = Pairing(one.labels, actual, first, second, counts, counts)
    design = "different items" if pairing is None else "paired"
    return difference(asked_score(score, one.labels), pair, pairing, design, level)


@dataclass(frozen=True, eq=False)
class Differences:
    """How often the interval of a difference holds the truth; or a gate at 5 % lets the second model pass.

    The margin of the gate is the loss of the score itself, where there is none `margin`.
    """

    family: str
    name: str
    populations: tuple[Rivals, ...]
    scores: tuple[str, ...]
    gate: bool = False
    margin: float = 0.0
    apart: bool = False
    draws: int = 1000

    def measure(self, score: str, effort: float) -> Row:
        """Some draws of each population to find the worst, and fresh ones of that."""
        looks = [
            self.held(score, one, 2 * LOOK * effort, seed)[0][OURS][0]
            for seed, one in enumerate(self.populations)
        ]
        worst = int((np.argmax if self.gate and not self.margin else np.argmin)(looks))
        population = self.populations[worst]
        found, absent = self.held(score, population, self.draws * effort, len(looks) + worst)
        return {"cell": population.name, "absent": round(absent, 4), "draws": round(self.draws * effort),
                "mean": float(np.mean(looks)), "found": found}  # fmt: skip

    def held(
        self, score: str, population: Rivals, draws: float, seed: int
    ) -> tuple[dict[str, list[float]], float]:
        """The share of the data sets, and that of those in which a class does not occur."""
        rng, truth = np.random.default_rng([18, seed]), population.truth(score)
        margin, reach = self.margin or -truth, norm.isf(0.05) if self.gate else WALD
        counted, kept, tried = dict.fromkeys([OURS, "Wald"], 0), 0, 0
        while kept < round(draws):
            drawn = [
                each for _ in range(1 + self.apart) if (each := population.draw(rng)) is not None
            ]
            tried += 1
            if len(drawn) <= self.apart:
                continue
            kept += 1
            one = between(score, tuple(drawn), 0.9 if self.gate else 0.95)
            if self.gate:
                counted[OURS] += one.no_worse(margin) == "no worse"
                counted["Wald"] += bool(one.difference - reach * one.se > -margin)
            else:
                counted[OURS] += bool(holds(one.low, one.high, truth))
                counted["Wald"] += bool(abs(one.difference - truth) <= reach * one.se + 1e-12)
        return {
            name: [count / kept, kept, 0.0] for name, count in counted.items()
        }, 1 - kept / tried


@dataclass(frozen=True, eq=False)
class Discordance:
    """Tests of shares of the same items, by every two numbers of items that only one of the models has right."""

    family: str
    name: str
    scores: tuple[str, ...]
    items: int
    # How often only the first model, and only the second, is right.
    rates: tuple[tuple[float, float], ...]

    def measure(self, score: str, _: float) -> Row:
        """The worst of all rates: where models that are alike differ most often, or where most power is lost."""
        tables = np.array(
            [(b, c) for b in range(self.items + 1) for c in range(self.items + 1 - b)]
        )
        cells = np.column_stack([tables, self.items - tables.sum(axis=1)])[:, None, :]
        each = [(self.p_value(score, b, c), *mcnemar(b, c)) for b, c in tables]
        found = dict(zip((OURS, MCNEMAR, "mid-p"), np.array(each).T, strict=True))
        chances = np.array(
            [chances_of(cells, np.array([[b, c, 1 - b - c]])) for b, c in self.rates]
        )
        shares = {name: chances[:, p < 0.05].sum(axis=1) for name, p in found.items()}
        alike = all(b == c for b, c in self.rates)
        worst = int(np.argmax(shares[OURS] if alike else shares["mid-p"] - shares[OURS]))
        b, c = self.rates[worst]
        cell = (
            f"{b + c:.0%} of the answers differ"
            if alike
            else f"only the first right {b:.0%}, the second {c:.0%}"
        )
        return {"cell": cell, "draws": 0, "mean": float(shares[OURS].mean()),
                "found": {name: [float(share[worst]), 0, 0.0] for name, share in shares.items()}}  # fmt: skip

    def p_value(self, score: str, b: int, c: int) -> float:
        """The p-value of confmat: so many items of class 1, and as many others on which the models agree."""
        actual = np.repeat([1, 0], self.items)
        first, second = actual.copy(), actual.copy()
        second[:b], first[b : b + c] = 0, 0
        return of_items(score, actual, [first, second], 2).p_value


@dataclass(frozen=True, eq=False)
class Families:
    """How often any of many differences is seen between models that are alike."""

    family: str
    name: str
    population: Population
    scores: tuple[str, ...]
    models: int = 2
    draws: int = 120

    def measure(self, score: str, effort: float) -> Row:
        """The share of draws with a difference that is not there."""
        rng, k, draws = (
            np.random.default_rng(17),
            len(self.population.shares),
            round(self.draws * effort),
        )
        counted = {OURS: 0, "not adjusted": 0}
        for _ in range(draws):
            actual, answers, _ = self.population.answers(rng, self.models, 0.5)
            asked = "accuracy" if self.models == 2 else score
            found = compare_pairings(*paired(actual, answers, k), metrics=[asked])
            each = (
                found.classes(score, "model 0", "model 1")
                if self.models == 2
                else found.differences
            )
            counted[OURS] += any(one.adjusted < 0.05 for one in each)
            counted["not adjusted"] += any(one.p_value < 0.05 for one in each)
        shares = {name: [count / draws, draws, 0.0] for name, count in counted.items()}
        return {
            "cell": self.population.name,
            "draws": draws,
            "mean": shares[OURS][0],
            "found": shares,
        }


def main() -> None:
    """Measure what was asked for, keep it, and write the page."""
    from benchmarks.coverage_scenarios import SCENARIOS

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        nargs="+",
        default=[""],
        metavar="WORDS",
        help="only lines whose names hold one of these",
    )
    parser.add_argument(
        "--draws",
        type=float,
        default=1.0,
        metavar="SHARE",
        help="draw so many times as much; less is not kept",
    )
    parser.add_argument(
        "--page", action="store_true", help="only write the page from what was measured"
    )
    options = parser.parse_args()
    if not (options.page or peers()):
        # Its pin of an old setuptools cannot be met beside PyTorch's, so it is no extra of ours.
        sys.exit(
            "the other packages are missing: pip install pycm statsmodels; pip install --no-deps "
            "confidenceinterval"
        )
    warnings.simplefilter("ignore")
    lines = [(one, score) for one in SCENARIOS for score in one.scores]
    names = [f"{one.family}: {one.name}: {coverage_page.title(score)}" for one, score in lines]
    for name, (one, score) in zip(names, [] if options.page else lines, strict=False):
        if any(words.lower() in name.lower() for words in options.only):
            start = time.process_time()
            row = {
                "family": one.family,
                "scenario": one.name,
                "score": score,
                **one.measure(score, options.draws),
            }
            print(
                f"{name:<88} {row['found'][OURS][0]:.3f}  ({time.process_time() - start:.0f} s)",
                flush=True,
            )
            if options.draws >= 1:
                # Line by line, so that nothing is lost where it is stopped; those that are no more
                # are left out.
                kept = {**measured(), name: rounded(row)}
                told = json.dumps(
                    {name: kept[name] for name in names if name in kept},
                    indent=1,
                    ensure_ascii=False,
                )
                beside = RESULTS.with_suffix(f".{os.getpid()}")
                beside.write_text(told + "\n", "utf-8")
                beside.replace(RESULTS)
    if options.page or options.draws >= 1:
        coverage_page.write(measured())


def measured() -> dict[str, Row]:
    """The lines that were measured so far."""
    found: dict[str, Row] = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    return found


def rounded(row: Row) -> Row:
    """Five digits of each share."""
    found = {name: [round(share, 5), *rest] for name, (share, *rest) in row["found"].items()}
    return {**row, "mean": round(row["mean"], 5), "found": found}


if __name__ == "__main__":
    # Run as a program it is imported once more by the scenarios, under its own name.
    from benchmarks.coverage import main as run

    run()

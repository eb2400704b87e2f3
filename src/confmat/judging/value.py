"""Judged: the matrix of a model whose items a judge has labelled, corrected by those of them that somebody checked.

A working model with few numbers says what the truth is, given the judge's label and the model's: where both agree, a
rate of hits for each class; where they differ, how often the judge is right, the model, or neither. Over all items it
gives a matrix that is precise and may be wrong; the checked items say how wrong, and that is added (a difference
estimator: Särndal, Swensson and Wretman, Model Assisted Survey Sampling, 1992, 6.3; for labels of machines,
Angelopoulos and others, Prediction-powered inference, Science 382, 2023). So whatever the working model, the matrix is
right on average; cells from which the checked items took more than there was are a little below 0, and scores need them
as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.pairing import Pairing
from confmat.core.counts import Counts
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import merged
from confmat.core.samples import Derivatives, Sample, Units
from confmat.core.text import number
from confmat.intervals.asked import ask, by_gradient
from confmat.intervals.bounds import quantile
from confmat.intervals.clusters import further_of
from confmat.intervals.door import estimate
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import slope
from confmat.intervals.variance import Slope
from confmat.judging.planning import GoldPlan
from confmat.metrics import catalog
from confmat.metrics.accuracies import accuracy
from confmat.metrics.catalog import one_number

Array = NDArray[Any]
Wish = float | None
# Below this, a judge is said to lean.
_SURE = 0.05


@dataclass(frozen=True, eq=False)
class Answers:
    """Filled cells of judge by model, of all items; and of truth by judge by model, of those that were checked.

    `checked` has the weight of the items of a cell and the sum of squared weights; `drawn` says within which strata
    they were drawn by chance: of nothing (()), or of the judge's label (0), the model's (1), or both.
    """

    judge: Array
    model: Array
    counts: Array
    gold: Array
    gold_judge: Array
    gold_model: Array
    weight: Array
    squared: Array
    number: float
    drawn: tuple[int, ...] = ()
    # A guess of how often the judge is right, where nothing was checked.
    guess: tuple[float, float] | None = None

    def remapped(self, codes: Array) -> Answers:
        """Return the same with labels in other places."""
        # The judge may have no label, -1, which stands behind all others.
        codes = np.append(codes, -1)
        moved = {name: codes[getattr(self, name)] for name in ("judge", "model", "gold", "gold_judge", "gold_model")}
        return Answers(**{**self.__dict__, **moved})

    def __add__(self, other: Answers) -> Answers:
        if self.drawn != other.drawn or self.guess != other.guess:
            msg = "the checked items of both parts were drawn in different ways; correct each part by itself"
            raise InputError(msg)
        parts = {
            name: np.concatenate([value, getattr(other, name)])
            for name, value in self.__dict__.items()
            if isinstance(value, np.ndarray)
        }
        return Answers(**parts, number=self.number + other.number, drawn=self.drawn, guess=self.guess)

    @property
    def is_complete(self) -> bool:
        """Whether every item was checked, and counts as one."""
        return bool((self.weight == self.squared).all()) and self.counts.sum() == self.number == self.weight.sum()

    def possible(self, labels: Labels) -> Array:
        """Return which labels may be true: what was found to be, and each class that the judge gives."""
        found = np.zeros(len(labels) + 1, bool)
        found[self.judge] = True
        # Nobody says of an outside label, or of no label at all, that it is true.
        found[labels.n_classes :] = False
        found[self.gold] = True
        return found

    def units(self, size: int) -> Units:
        """Return the checked items as units that were drawn, each with the number of items that it stands for."""
        everyone, checked = (
            sum((part[side] * size ** (1 - side) for side in self.drawn), start=np.zeros(len(part[0]), np.intp))
            for part in ((self.judge, self.model), (self.gold_judge, self.gold_model))
        )
        strata, place = np.unique(checked, return_inverse=True)
        known = np.isin(everyone, strata)
        whole = np.bincount(np.searchsorted(strata, everyone[known]), self.counts[known], len(strata))
        seen = np.bincount(place, self.weight, len(strata))
        # A stratum of which one item was checked has no variance; it lends that of two.
        drawn = np.maximum(seen if len(strata) > 1 else np.full(1, self.number), 2.0)
        each = (whole / seen)[place]
        # All items are a sample themselves, so that many of them were checked makes a score no surer of the world.
        left = np.ones(len(drawn))
        weight, squared = self.weight * each, self.squared * each * each
        return Units(self.gold, self.gold_model, place, weight, squared, None, drawn, left)


class Working:
    """The working model: the chance of each truth, given the labels of judge and model.

    Where one of both gives a label that is never true, such as an answer that is no class, the other speaks alone.
    """

    def __init__(self, answers: Answers, units: Units, labels: Labels) -> None:
        """Estimate its numbers from the checked items, each for as many as it stands for, drawn a little together."""
        rows, cols, judge, size = units.rows, units.cols, answers.gold_judge, len(labels)
        weight = units.weight * answers.number / units.weight.sum()
        self.possible = answers.possible(labels)
        agree = judge == cols
        both = np.bincount(judge[agree], weight[agree], size)
        hits = np.bincount(judge[agree], weight[agree] * (rows == cols)[agree], size)
        pooled = (hits.sum() + 0.5) / (both.sum() + 1)
        self.hit = np.where(self.possible[:-1], (hits + 2 * pooled) / (both + 2), 0.0)
        single, own = self._alone(judge, cols)
        self.alone = np.zeros(2)
        for side, by in enumerate((judge, cols)):
            heard = single & ~agree & self.possible[by] & (own == by)
            self.alone[side] = (weight[heard & (rows == own)].sum() + 2 * pooled) / (weight[heard].sum() + 2)
        apart = weight[~single].sum() + 1
        self.judge = (weight[~single & (rows == judge)].sum() + 1 / 3) / apart
        self.model = (weight[~single & (rows == cols)].sum() + 1 / 3) / apart
        self.rest = 1 - self.judge - self.model
        share = (np.bincount(rows, weight, size) + 0.5) * self.possible[:-1]
        self.share = share / share.sum()
        if self.possible.sum() == 2:
            # No third class is left.
            self.judge, self.model, self.rest = self.judge / (1 - self.rest), self.model / (1 - self.rest), 0.0

    @classmethod
    def guessed(cls, answers: Answers, right: tuple[float, float], labels: Labels) -> Working:
        """Return that of a judge who is so often right where the model says the same, and where it does not."""
        self = cls.__new__(cls)
        self.possible = answers.possible(labels)
        self.hit, self.judge, self.model, self.rest = right[0] * self.possible[:-1], right[1], 1 - right[1], 0.0
        self.alone = np.array([right[1], 0.5])
        share = (np.bincount(answers.judge, answers.counts, len(labels)) + 0.5) * self.possible[:-1]
        self.share = share / share.sum()
        return self

    def _alone(self, judge: Array, model: Array) -> tuple[Array, Array]:
        """Return for which items there is one opinion alone, and that."""
        can = self.possible[judge]
        return (judge == model) | ~can | ~self.possible[model], np.where(can, judge, model)

    def _opinion(self, judge: Array, model: Array) -> tuple[Array, Array, Array]:
        """Return for which items there is one opinion alone, that, and how often it is right."""
        single, own = self._alone(judge, model)
        hit = np.where(judge == model, self.hit[own], self.alone[np.where(own == judge, 0, 1)] * self.possible[own])
        return single, own, hit

    def chances(self, judge: Array, model: Array) -> Array:
        """Return the chance of each truth for items of these labels, a row for each."""
        size = len(self.share)
        return np.stack([self.expected(judge, model, np.tile(row, (size, 1)).T) for row in np.eye(size)], axis=1)

    def expected(self, judge: Array, model: Array, table: Array) -> Array:
        """Return the mean of a number for each (truth, model) over the truths, given the labels of some items."""
        single, first, hit = self._opinion(judge, model)
        own, other = table[first, model], table[model, model]
        every = (self.share @ table)[model] - self.share[first] * own
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = every / (1 - self.share[first])
            neither = (every - self.share[model] * other) / (1 - self.share[first] - self.share[model])
        neither = np.where(self.rest > 0, neither, 0.0)
        missed = np.where(self.share[first] < 1, missed, own)
        return np.where(
            single, hit * own + (1 - hit) * missed, self.judge * own + self.model * other + self.rest * neither
        )

    def spread(self, judge: Array, model: Array, counts: Array, size: int) -> Array:
        """Return the table (truth, model) of so many items of these labels."""
        single, first, hit = self._opinion(judge, model)
        # With a single class there is nothing else that it could be.
        hit = np.where(self.share[first] < 1, hit, 1.0)
        table = np.zeros((size, size))
        np.add.at(table, (first, model), counts * np.where(single, hit, self.judge))
        np.add.at(table, (model, model), counts * np.where(single, 0.0, self.model))
        with np.errstate(divide="ignore", invalid="ignore"):
            missed = np.where(hit < 1, (1 - hit) / (1 - self.share[first]), 0.0)
            neither = self.rest / (1 - self.share[first] - self.share[model])
        rest = counts * np.where(single, missed, neither if self.rest > 0 else 0.0)
        table += np.outer(self.share, np.bincount(model, rest, size))
        np.add.at(table, (first, model), -rest * self.share[first])
        np.add.at(table, (model, model), np.where(single, 0.0, -rest * self.share[model]))
        return table


class Judged(Sample):
    """The corrected matrix of a model whose items a judge has labelled and somebody has checked in part.

    It is scored, reported, drawn and compared as any matrix. `judge` and `checked` are the matrices that the judge
    alone, and the checked items alone, would have given. Parts add.
    """

    __slots__ = ("_working", "answers", "passes")

    answers: Answers
    # The verdict whose share this is about, where a judge says of each item whether it passes.
    passes: Any
    _working: Working
    stored = "the labels of judge and model, and the checked ones"
    together = "Models on the same judged items are compared by judged(judge, {'a': ..., 'b': ...}, gold=gold)."

    @classmethod
    def _judged(cls, labels: Labels, answers: Answers, dropped: int | float = 0, passes: Any = None) -> Judged:
        size = len(labels)
        units = answers.units(size)
        guess = answers.guess
        working = Working(answers, units, labels) if guess is None else Working.guessed(answers, guess, labels)
        if answers.is_complete:
            counts = cls._whole(size, answers.gold, answers.gold_model, answers.weight)
        else:
            table = working.spread(answers.judge, answers.model, answers.counts, size)
            np.add.at(table, (units.rows, units.cols), units.weight)
            table -= working.spread(answers.gold_judge, answers.gold_model, units.weight, size)
            counts = Counts.of_table(table)
        self = cls._of(labels, counts, None, dropped)
        for name, value in (("units", units), ("answers", answers), ("_working", working), ("passes", passes)):
            object.__setattr__(self, name, value)
        return self

    @property
    def known(self) -> ConfusionMatrix:
        """The matrix itself; where every item was checked, the plain one, to which the judge adds nothing."""
        answers = self.answers
        return self._plain(answers.gold, answers.gold_model, answers.weight) if answers.is_complete else self

    @property
    def pass_rate(self) -> Estimate:
        """The share of items that pass, with its interval of 95 %; of a judge of passing and failing items alone."""
        if self.passes is None:
            msg = "these items have the labels of a model; a pass rate is of judged(verdicts, gold=gold)"
            raise InputError(msg)
        found = estimate(ask(self, "accuracy"), self)
        assert isinstance(found, Estimate)
        return found

    def covariance(self, one: Derivatives, two: Derivatives) -> float:
        """Return the covariance of two scores: of what the judge says of all items, and of how the checked differ.

        Parameters
        ----------
        one, two
            Functions of arrays of rows and columns, which give the derivative by each of these cells.
        """
        grid = np.indices((len(self.labels),) * 2).reshape(2, -1)
        residuals, expected = [], []
        for by in (one, two):
            table = by(*grid).reshape(len(self.labels), -1)
            expected.append(self._working.expected(self.answers.judge, self.answers.model, table))
            said = self._working.expected(self.answers.gold_judge, self.answers.gold_model, table)
            residuals.append(table[self.units.rows, self.units.cols] - said)
        if self.answers.guess is not None:
            # Nothing was checked, so nothing is known.
            return math.nan
        counts, n = self.answers.counts, float(self.answers.counts.sum())
        first, second = expected
        between = (counts * first * second).sum() - (counts * first).sum() * (counts * second).sum() / n
        within = self.units.covariance(lambda *_: residuals[0], lambda *_: residuals[1])
        return float(between * n / (n - 1)) + within

    @property
    def described(self) -> str:
        """How the items were drawn, in words."""
        return f"{number(self.answers.number)} checked of {number(self.answers.counts.sum())} items"

    def _remapped(self, labels: Labels, codes: Array, dropped: int | float = 0) -> Any:
        if (codes < 0).any():
            if self.answers.is_complete:
                return self.known._remapped(labels, codes, self.dropped + dropped)
            msg = "judged items are of all classes: merge those that you leave out into one, m.merge({'rest': [...]})"
            raise InputError(msg)
        passes = None if self.passes is None else labels[int(codes[self.labels.index(self.passes)])]
        if passes is not None and np.count_nonzero(codes == labels.index(passes)) > 1:
            msg = "verdicts that are merged with the one that passes leave no share that does"
            raise InputError(msg)
        return self._judged(labels, self.answers.remapped(codes), self.dropped + dropped, passes)._after(self)

    def __add__(self, other: object) -> Any:
        if not isinstance(other, Judged):
            return super().__add__(other)
        labels = self.labels.union(other.labels)
        one, two = self._recoded(labels), other._recoded(labels)
        assert isinstance(one, Judged)
        assert isinstance(two, Judged)
        if self.passes != other.passes:
            msg = "one part is about which items pass, and the other is not, or calls that otherwise"
            raise InputError(msg)
        both = self._judged(labels, one.answers + two.answers, self.dropped + other.dropped, self.passes)
        return both._noted(merged(self.notes + other.notes))

    __radd__ = __add__

    @property
    def T(self) -> Any:  # noqa: N802 - the name NumPy made familiar
        """Refuse: judge and model have labelled the items, and neither is the truth."""
        msg = "a judged matrix has the truth in rows; its transpose is not judged"
        raise InputError(msg)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Judged._judged, (self.labels, self.answers, self.dropped, self.passes), self.notes or None)

    @property
    def judge(self) -> ConfusionMatrix:
        """The matrix that the judge's labels alone would have given."""
        answers = self.answers
        heard = answers.judge >= 0
        return self._plain(answers.judge[heard], answers.model[heard], answers.counts[heard])

    @property
    def checked(self) -> ConfusionMatrix:
        """The matrix of the checked items alone; drawn with unequal chances, each for as many as it stands for."""
        answers = self.answers
        if (answers.drawn and (answers.judge != answers.model).any()) or (answers.weight != answers.squared).any():
            # One stratum: how many items have which label of the judge is no news of the checked alone.
            one, number = np.zeros(len(answers.gold), np.intp), np.array([answers.number])
            return Sample._drawn(self.labels, replace(self.units, unit=one, drawn=number, left=np.ones(1)))
        return self._plain(answers.gold, answers.gold_model, answers.weight)

    def _plain(self, rows: Array, cols: Array, counts: Array) -> ConfusionMatrix:
        return ConfusionMatrix._of(self.labels, self._whole(len(self.labels), rows, cols, counts))

    @staticmethod
    def _whole(size: int, rows: Array, cols: Array, counts: Array) -> Counts:
        whole = counts.astype(np.int64)
        return Counts.of_cells(size, rows, cols, whole if (whole == counts).all() else counts)

    def leaning(self) -> float:
        """Return the p-value of a judge that errs where the model errs more often than elsewhere.

        Within each true class of the checked items it is the test of Mantel and Haenszel (1959). NaN where both
        labels say how often an item was checked: then they go together in those that were.
        """
        answers = self.answers
        if len(answers.drawn) == 2 or (answers.weight != answers.squared).any():
            return math.nan
        judge, model = answers.gold_judge == answers.gold, answers.gold_model == answers.gold
        size = len(self.labels)

        def of(kept: Array) -> Array:
            return np.bincount(answers.gold[kept], answers.weight[kept], size)

        n, a, b, c = (of(kept) for kept in (judge >= 0, judge & model, judge, model))
        apart = (a - b * c / np.maximum(n, 1)).sum()
        spread = (b * (n - b) * c * (n - c) / np.maximum(n * n * (n - 1), 1)).sum()
        return math.erfc(math.sqrt(max(apart**2 / spread, 0.0) / 2)) if spread > 0 else math.nan

    def gold_needed(
        self, score: Any, *, width: Wish = None, bar: Wish = None, level: float = 0.95, power: float = 0.8
    ) -> GoldPlan:
        """Return how many items have to be checked, and with which labels, for so narrow an interval or for a decision.

        The items checked so far are a pilot: they say where the judge errs, and count towards the plan.

        Parameters
        ----------
        score
            The score that is planned for, as `interval` takes it: one number.
        width
            How wide its interval may be, from bound to bound.
        bar
            Instead of a width, a number that the score is above or below: so many checked items show on which side it
            is, if it is as far away as it seems.
        level, power
            The confidence of the interval, and how often a score so far from the bar is to be found on its side.
        """
        has = self.answers
        if has.is_complete:
            msg = "every item was checked, so there is nothing to plan"
            raise InputError(msg)
        cells, gold = (has.judge, has.model, has.counts), (has.gold_judge, has.gold_model)
        return _planned((self,), cells, gold, self.units, score, (width, bar, level, power))

    def __str__(self) -> str:
        return "\n".join([*([super().__str__(), ""] if self.passes is None else []), *self.sentences()])

    def sentences(self) -> list[str]:
        """Return what the judge alone would have said, what the checked items say, and what both say together."""
        if self.answers.guess is not None:
            sides = [f"{float(accuracy(m)):.3f}" for m in (self.judge, self)]
            return [f"Nothing was checked; accuracy: {sides[0]} by the judge alone, {sides[1]} by the guess."]
        if self.passes is not None:
            said = float(accuracy(self.judge))
            return [f"pass rate {self.pass_rate} by the judge and {self.described}; {said:.3f} by the judge alone"]
        gold, both = (estimate(ask(m, "accuracy"), m) for m in (self.checked, self))
        alone = f"accuracy: {gold} by the {self.described}"
        if (self.answers.judge == self.answers.model).all():
            # Nobody judged: the model's own labels stand there.
            return [f"{alone}, {both} corrected for which were checked"]
        narrower = 1 - (both.high - both.low) / (gold.high - gold.low)
        than = f"{abs(narrower):.0%} {'narrower' if narrower >= 0 else 'wider'} than the checked alone"
        lines = [f"{alone}, {float(accuracy(self.judge)):.3f} by the judge alone, {both} by both ({than})"]
        p = self.leaning()
        if not math.isnan(p):
            says = "are not shown to depend" if p >= _SURE else "depend"
            lines.append(f"The judge's errors {says} on whether the model is right (p = {p:.2g}).")
        return lines


@dataclass(frozen=True)
class JudgedPairing(Pairing):
    """The answers of two models to judged items: those that were checked, as any pairing has them, and all others.

    `judges` are the labels of the judge for the checked; `everyone` has the filled cells of judge by first by second,
    and their counts; `models` the judged matrices of both.
    """

    judges: Array = field(kw_only=True)
    everyone: tuple[Array, ...] = field(kw_only=True)
    models: tuple[Judged, Judged] = field(kw_only=True)

    def error_between(self, one: Slope, two: Slope) -> float:
        """The standard error of a difference: of the judged items, and of how the checked differ from them."""
        judge, first, second, counts = self.everyone
        size = len(self.labels)
        grid = np.indices((size, size)).reshape(2, -1)
        added, apart = np.zeros(len(judge)), np.zeros(len(self.actual))
        sides = zip((-1, 1), (one, two), self.models, (first, second), (self.first, self.second), strict=True)
        for sign, by, model, every, checked in sides:
            working = model._working
            table = by.at(*grid).reshape(size, size)
            added += sign * working.expected(judge, every, table)
            apart += sign * (table[self.actual, checked] - working.expected(self.judges, checked, table))
        n = float(counts.sum())
        between = (counts * added**2).sum() - (counts * added).sum() ** 2 / n
        return math.sqrt(max(float(between * n / (n - 1)) + self.error_of(apart) ** 2, 0.0))

    def error_if_alike(self, moved: Array) -> float:  # noqa: ARG002 - the models as they are say more of the judge
        """Nothing that is not in the error of the difference."""
        return 0.0

    def one_more(self, by: Slope) -> float:  # noqa: ARG002 - which answers differ is known of every item
        """Nothing beside the error of the difference."""
        return 0.0

    def swapped(self) -> JudgedPairing:
        """The same with the models in each other's place."""
        judge, first, second, counts = self.everyone
        return replace(
            self,
            first=self.second,
            second=self.first,
            units=None if self.units is None else replace(self.units, cols=self.second),
            everyone=(judge, second, first, counts),
            models=self.models[::-1],
        )

    def gold_needed(
        self, score: Any, *, width: Wish = None, bar: Wish = None, level: float = 0.95, power: float = 0.8
    ) -> GoldPlan:
        """Return how many items have to be checked, and with which labels, for the difference of both models.

        Parameters
        ----------
        score, width, bar, level, power
            As in `Judged.gold_needed`, of the second model's score less the first's; `bar=0` says which one is better.
        """
        gold = (self.judges, self.first, self.second)
        assert self.units is not None
        return _planned(self.models, self.everyone, gold, self.units, score, (width, bar, level, power))


def _planned(models: tuple[Judged, ...], cells: Any, gold: Any, units: Units, score: Any, wish: Any) -> GoldPlan:
    """Return the plan for a score of a model, or for its difference between two."""
    width, bar, level, power = wish
    labels, answers, single = models[0].labels, models[0].answers, len(models) == 1
    numbers = [each for each in (width, bar) if isinstance(each, (int, float)) and each == each]
    if len(numbers) != 1 or (width is not None and not width > 0) or not 0 < power < 1:
        msg = "a plan needs `width`, above 0, or `bar`, which the score is above or below, and `power` between 0 and 1"
        raise InputError(msg)
    if not (answers.weight == answers.squared).all():
        msg = "items that were checked with a `probability` plan no others: plan from those that were checked at first"
        raise InputError(msg)
    asked = ask(models[0], one_number(score, labels), level=level)
    metric = catalog()[asked.metric.population] if asked.metric.population else asked.metric
    slopes = [slope(metric, each, **asked.how) for each in models]
    grid = np.indices((len(labels),) * 2).reshape(2, -1)
    tables = [by.at(*grid).reshape(len(labels), -1) for by in slopes]

    def expected(sides: tuple[Array, ...]) -> tuple[Array, Array, Array]:
        judge, parts = sides[0], []
        for each, answer, table in zip(models, sides[1:], tables, strict=True):
            works = each._working
            parts.append((works.chances(judge, answer), table.T[answer], works.expected(judge, answer, table)))
        shares, moved, mean = zip(*parts, strict=True)
        return np.mean(shares, axis=0), moved[-1] - sum(moved[:-1]), mean[-1] - sum(mean[:-1])

    value = slopes[-1].value - sum(by.value for by in slopes[:-1])
    name = f"{asked.name} {value:{'.3f' if single else '+.3f'}}"
    low, high = metric.bounds
    if single and bar is not None and ((low is not None and bar <= low) or (high is not None and bar >= high)):
        msg = f"{asked.name} is from {low} to {high}, so `bar` has to be between; got {bar}"
        raise InputError(msg)

    def narrow(error: float, items: float) -> bool:
        further = further_of(round(items), math.inf, level)
        if not single:
            return bool(2 * further * quantile(level) * error <= width)
        found = by_gradient(asked, value, error, value, error**2, further=further)
        return found.high - found.low <= width

    if bar is None:
        goal = f"{name} in an interval {width:g} wide"
        return GoldPlan._of(labels, cells, gold, units, expected, narrow, goal)
    steeper = 1.0
    if single and low is not None and high is not None and low < value < high:
        # Wilson's interval has the standard error at the bar.
        steeper = math.sqrt(max((bar - low) * (high - bar), 0.0) / ((value - low) * (high - value)))
    reach = steeper * quantile(level) + quantile(2 * power - 1)
    goal, apart = f"{name} {'above' if value > bar else 'below'} {bar:g} with a power of {power:.0%}", abs(value - bar)
    return GoldPlan._of(labels, cells, gold, units, expected, lambda error, _: reach * error <= apart, goal)

"""Judged: the matrix of a model whose items a judge has labelled, corrected by those of them that somebody checked.

It is that of the checked items alone, each of which weighs so much that the labels of judge and
model are among them as often as among all items. So no cell is below 0, and one that nobody found
is 0. For every score, the variance is that of the part that the labels do not explain: the weights
adapt to each score as if it had its own regression on them (Deville and Särndal, "Calibration
estimators in survey sampling", Journal of the American Statistical Association 87, 1992; for a mean
and one number beside it, that is the tuned weight of the judge of Angelopoulos, Duchi and Zrnic,
"PPI++: efficient prediction-powered inference", 2023). A judge that tells nothing leaves the
checked items alone.

Where few were checked, the variance says too little. So each item counts by its distance from its
prediction by the others, and there is one more item, anywhere in the table, that the judge knew
nothing of. The interval is then that of as many items without a judge as would leave the same
variance, with all that is done for those where data are thin.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
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
from confmat.core.text import number, some
from confmat.intervals.asked import Asked, ask, by_gradient
from confmat.intervals.bounds import quantile
from confmat.intervals.clusters import further_of
from confmat.intervals.door import estimate
from confmat.intervals.estimates import Estimate
from confmat.intervals.gradient import NoSlopeError, slope
from confmat.intervals.variance import ROUNDING_VARIANCE, Slope, Smoothing, variance
from confmat.judging.planning import GoldPlan
from confmat.metrics import catalog
from confmat.metrics.accuracies import accuracy
from confmat.metrics.catalog import one_number

Array = NDArray[Any]
Wish = float | None
# Below this, a judge is said to lean.
_SURE = 0.05
# A class with fewer checked items has too few to be known by.
_FEW, _MOST_NAMES = 10, 3
# The trait of every item.
_EVERY = -1
# As many items as a trait is doubted with, and those that none is believed against.
_DOUBT, _SURELY = 3.0, 1e300
# Steps so short are none.
_STILL = 1e-8
# The least part of an item that others leave untold.
_LEAST = 0.05
# The most traits; those that most checked items have come first.
_MOST_TRAITS = 500


@dataclass(frozen=True, eq=False)
class Answers:
    """Filled cells of judge by model, of all items; and of truth by judge by model, of those that were checked.

    `checked` has the weight of the items of a cell and the sum of squared weights; `drawn` says
    within which strata they were drawn by chance: of nothing (()), or of the judge's label (0), the
    model's (1), or both.
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
        # The judge may have no label, -1, which is behind all others.
        codes = np.append(codes, -1)
        moved = {
            name: codes[getattr(self, name)]
            for name in ("judge", "model", "gold", "gold_judge", "gold_model")
        }
        return Answers(**{**self.__dict__, **moved})

    def of_verdicts(self, passing: int) -> Answers:
        """Return the same for what was taken for the labels of a model, where it is the judge's: all items pass."""
        judged, checked = self.model, self.gold_model
        return replace(
            self,
            judge=judged,
            gold_judge=checked,
            model=np.full(len(judged), passing),
            gold_model=np.full(len(checked), passing),
        )

    def __add__(self, other: Answers) -> Answers:
        if self.drawn != other.drawn or self.guess != other.guess:
            msg = "the checked items of both parts were drawn in different ways; correct each part by itself"
            raise InputError(msg)
        parts = {
            name: np.concatenate([value, getattr(other, name)])
            for name, value in self.__dict__.items()
            if isinstance(value, np.ndarray)
        }
        return Answers(
            **parts, number=self.number + other.number, drawn=self.drawn, guess=self.guess
        )

    @property
    def is_complete(self) -> bool:
        """Whether every item was checked, and counts as one."""
        return (
            bool((self.weight == self.squared).all())
            and self.counts.sum() == self.number == self.weight.sum()
        )

    def units(self, size: int) -> Units:
        """Return the checked items as units that were drawn, each with the number of items that it represents."""
        everyone, checked = (
            sum(
                (part[side] * size ** (1 - side) for side in self.drawn),
                start=np.zeros(len(part[0]), np.intp),
            )
            for part in ((self.judge, self.model), (self.gold_judge, self.gold_model))
        )
        strata, place = np.unique(checked, return_inverse=True)
        known = np.isin(everyone, strata)
        whole = np.bincount(
            np.searchsorted(strata, everyone[known]), self.counts[known], len(strata)
        )
        seen = np.bincount(place, self.weight, len(strata))
        # A stratum of which one item was checked has no variance; it lends that of two.
        drawn = np.maximum(seen if len(strata) > 1 else np.full(1, self.number), 2.0)
        each = (whole / seen)[place]
        # All items are a sample themselves, so that many of them were checked makes a score no
        # surer of the world.
        left = np.ones(len(drawn))
        weight, squared = self.weight * each, self.squared * each * each
        return Units(self.gold, self.gold_model, place, weight, squared, None, drawn, left)


class Calibration:
    """Weights of the checked items by which they have the labels of judge and model as often as all items have.

    An item has a few traits: the label of the judge, that of the model, and both if they are one.
    The weight has a factor for each, taken as far from 1 as the checked items with the trait can
    tell: with _DOUBT of them, half as far as without any doubt (raking: Deville, Särndal and
    Sautory, Journal of the American Statistical Association 88, 1993; with a penalty, as in
    Chambers, Journal of Official Statistics 12, 1996).
    """

    def __init__(self, answers: Answers, units: Units) -> None:
        """Find the factors by Newton's rule."""
        self.sides = answers.gold_judge, answers.gold_model
        traits, held = np.unique(_traits(*self.sides), return_inverse=True)
        often = np.bincount(held.ravel(), np.tile(answers.weight, held.size // len(answers.weight)))
        self.traits = np.sort(traits[np.argsort(-often, kind="stable")[:_MOST_TRAITS]])
        self.held, size = self._of(*self.sides), len(self.traits) + 1
        wanted, penalty = (
            np.zeros(size),
            np.append(np.where(self.traits == _EVERY, _STILL, _DOUBT), _SURELY),
        )
        for trait in self._of(answers.judge, answers.model):
            wanted += np.bincount(trait, answers.counts, size)
        penalty *= units.weight.sum() / answers.number
        pairs = (self.held[:, None] * size + self.held).reshape(-1, len(units.weight))
        self.factors = np.zeros(size)
        step = np.ones(size)
        while np.abs(step).max() > _STILL:
            self.weight = units.weight * self.gain(*self.sides)
            counted = sum(np.bincount(row, self.weight, size) for row in self.held)
            curved = np.diag(penalty)
            for row in pairs:
                curved += np.bincount(row, self.weight, size * size).reshape(size, size)
            self.inverse = np.linalg.inv(curved)
            step = self.inverse @ (wanted - counted - penalty * self.factors)
            self.factors += step / max(np.abs(step).max(), 1.0)

    def _of(self, judge: Array, model: Array) -> Array:
        """The traits of items of these labels; those that no checked item has come last."""
        places = _traits(judge, model)
        at = np.minimum(np.searchsorted(self.traits, places), len(self.traits) - 1)
        return np.where(self.traits[at] == places, at, len(self.traits))

    def gain(self, judge: Array, model: Array) -> Array:
        """Return what the weight of items of these labels is multiplied by."""
        return np.exp(self.factors[self._of(judge, model)].sum(axis=0))

    def told(self, values: Array, judge: Array, model: Array) -> Array:
        """Return the numbers that labels of items predict, by the regression over the checked, which have `values`."""
        sums = sum(np.bincount(row, self.weight * values, len(self.factors)) for row in self.held)
        return (self.inverse @ sums)[self._of(judge, model)].sum(axis=0)

    def reach(self, judge: Array, model: Array, weight: Array) -> Array:
        """Return how many times its residual a checked item is away from its prediction by the others.

        `weight` is that of an item (MacKinnon and White, "Some heteroskedasticity-consistent
        covariance matrix estimators", Journal of Econometrics 29, 1985).
        """
        at = self._of(judge, model)
        own = sum(self.inverse[row, column] for row in at for column in at)
        return 1 / np.maximum(1 - weight * own, _LEAST)


def _traits(judge: Array, model: Array) -> Array:
    """Return numbers for labels of items: all one, the label of the judge, of the model, and that of both or none."""
    both = np.where(judge == model, 3 * model + 5, 2)
    return np.stack([np.full(len(judge), _EVERY), 3 * judge + 6, 3 * model + 4, both])


def _guessed(labels: Labels, answers: Answers, judge: Array, model: Array) -> Array:
    """Return the chance of each truth for items of these labels, a row for each, by how often a judge may be right."""
    assert answers.guess is not None
    classes, at, same = (
        np.arange(len(labels)) < labels.n_classes,
        np.arange(len(judge)),
        judge == model,
    )
    heard = answers.judge >= 0
    share = (np.bincount(answers.judge[heard], answers.counts[heard], len(labels)) + 0.5) * classes
    # Nobody says of a label that is no class that it is true.
    hit = np.where(same, *answers.guess) * np.append(classes, False)[judge]
    other = np.where(same, 0.0, 1 - answers.guess[1]) * classes[model]
    found = np.tile(share, (len(at), 1))
    found[at, judge] = found[at, model] = 0.0
    found *= ((1 - hit - other) / np.maximum(found.sum(axis=1), _STILL))[:, None]
    found[at, judge] += hit
    found[at, model] += other
    return np.asarray(found / found.sum(axis=1, keepdims=True))


class Judged(Sample):
    """The corrected matrix of a model whose items a judge has labelled and somebody has checked in part.

    It is scored, reported, drawn and compared as any matrix. `judge` and `checked` are the matrices
    that the judge alone, and the checked items alone, would have given. Parts add.
    """

    __slots__ = ("answers", "calibration", "passes")

    answers: Answers
    calibration: Calibration | None
    # The verdict whose share this is about, where a judge says of each item whether it passes.
    passes: Any
    stored = "the labels of judge and model, and the checked ones"
    together = "Models on the same judged items are compared by judged(judge, {'a': ..., 'b': ...}, gold=gold)."

    @classmethod
    def _judged(
        cls, labels: Labels, answers: Answers, dropped: int | float = 0, passes: Any = None
    ) -> Judged:
        size, units, calibration = len(labels), answers.units(len(labels)), None
        if answers.guess is None:
            calibration = Calibration(answers, units)
            gain = calibration.gain(*calibration.sides)
            units = replace(units, weight=units.weight * gain, squared=units.squared * gain * gain)
            cells, squared = (units.rows, units.cols, units.weight), units.squared
        else:
            chances = _guessed(labels, answers, answers.judge, answers.model)
            truths, squared = (answers.counts[:, None] * chances).ravel(), None
            cells = (
                np.tile(np.arange(size), len(answers.model)),
                np.repeat(answers.model, size),
                truths,
            )
        squares = None if squared is None else cls._whole(size, *cells[:2], squared)
        self = cls._of(labels, cls._whole(size, *cells), squares, dropped)
        parts = {"units": units, "answers": answers, "calibration": calibration, "passes": passes}
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        return self

    @property
    def known(self) -> ConfusionMatrix:
        """The matrix itself; where every item was checked, the plain one, to which the judge adds nothing."""
        answers = self.answers
        return (
            self._plain(answers.gold, answers.gold_model, answers.weight)
            if answers.is_complete
            else self
        )

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
            Functions of arrays of rows and columns, which give the derivative by each of these
            cells.
        """
        if self.calibration is None:
            # Nothing was checked, so nothing is known.
            return math.nan
        answers, units = self.answers, self.units
        every, checked = (
            (answers.judge, answers.model),
            (units.rows, answers.gold_judge, units.cols),
        )
        parts = [self.told(by, every, checked, units.squared / units.weight) for by in (one, two)]
        by_judge, apart = zip(*parts, strict=True)
        within = units.covariance(lambda *_: apart[0], lambda *_: apart[1])
        return _of_all(by_judge[0], by_judge[1], answers.counts) + within

    def told(self, by: Derivatives, every: Any, checked: Any, weight: Array) -> tuple[Array, Array]:
        """Return what labels tell of a score, and how far checked items are from that.

        Parameters
        ----------
        by
            The derivative of the score by cells.
        every, checked
            The labels of judge and model for all items; truth, judge and model for the checked
            ones.
        weight
            That of a checked item.
        """
        assert self.calibration is not None
        told, sides = (
            partial(self.calibration.told, by(self.units.rows, self.units.cols)),
            checked[1:],
        )
        apart = by(checked[0], checked[2]) - told(*sides)
        return told(*every), apart * self.calibration.reach(checked[1], checked[2], weight)

    def alike(self, asked: Asked) -> tuple[Asked, ConfusionMatrix] | None:
        """Return the matrix of items without a judge that say as much about a score; None if nothing was checked.

        It has the same cells, and the weight of an item such that the score has the same variance.

        Parameters
        ----------
        asked
            The score, which gets a note on classes of which few items were checked.
        """
        if self.calibration is None:
            return None
        assert self._squares is not None
        plain = ConfusionMatrix._of(self.labels, self._counts, self._squares)
        metric = catalog()[asked.metric.population] if asked.metric.population else asked.metric
        ratio = 1.0
        with suppress(NoSlopeError):
            by = slope(metric, plain, spread=Smoothing.of(plain, asked.outside), **asked.keywords)
            here, there = (variance(by, m, outside=asked.outside) for m in (self, plain))
            ratio = (
                here / there if there > ROUNDING_VARIANCE and math.isfinite(here / there) else 1.0
            )
            # A judge that tells nothing takes nothing away, however it looks by chance.
            ratio = min(ratio, 1.0) if self._is_even else ratio
        rows, cols, squared = self._squares.cells()
        squares = Counts.of_cells(self._squares.size, rows, cols, squared * ratio)
        few = self.few
        if asked.average is None:
            few = {label: few[label] for label in (asked.of,) if label in few}
        note = "; ".join(filter(None, [asked.note, _few_checked(few)]))
        return replace(asked, note=note), ConfusionMatrix._of(self.labels, self._counts, squares)

    @property
    def few(self) -> dict[Any, int]:
        """The classes that judge or truth give and of which few items were checked, with their numbers."""
        answers, size = self.answers, len(self.labels)
        found = np.bincount(answers.gold, answers.weight**2 / answers.squared, size)[
            : self.n_classes
        ]
        given = np.bincount(answers.judge[answers.judge >= 0], minlength=size)[: self.n_classes]
        places = np.flatnonzero((found < _FEW) & (found + given > 0))
        return {self.labels[place]: round(found[place]) for place in places.tolist()}

    def variances(self, rows: Array, cols: Array) -> Array:
        """Return the variances of the counts of some cells, at most; where nothing was checked, nothing is known.

        Parameters
        ----------
        rows, cols
            The positions of the cells.
        """
        return (
            np.full(len(rows), math.inf)
            if self.calibration is None
            else super().variances(rows, cols)
        )

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
        return self._judged(
            labels, self.answers.remapped(codes), self.dropped + dropped, passes
        )._after(self)

    def __add__(self, other: object) -> Any:
        if not isinstance(other, Judged):
            return super().__add__(other)
        labels = self.labels.union(other.labels)
        first, second = self._recoded(labels), other._recoded(labels)
        assert isinstance(first, Judged)
        assert isinstance(second, Judged)
        if self.passes != other.passes:
            msg = (
                "one part is about which items pass, and the other is not, or calls that otherwise"
            )
            raise InputError(msg)
        both = self._judged(
            labels, first.answers + second.answers, self.dropped + other.dropped, self.passes
        )
        return both._noted(merged(self.notes + other.notes))

    __radd__ = __add__

    @property
    def T(self) -> Any:  # noqa: N802 - the name NumPy made familiar
        """Refuse: judge and model have labelled the items, and neither is the truth."""
        msg = "a judged matrix has the truth in rows; its transpose is not judged"
        raise InputError(msg)

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Judged._judged,
            (self.labels, self.answers, self.dropped, self.passes),
            self.notes or None,
        )

    @property
    def judge(self) -> ConfusionMatrix:
        """The matrix that the judge's labels alone would have given."""
        answers = self.answers
        heard = answers.judge >= 0
        return self._plain(answers.judge[heard], answers.model[heard], answers.counts[heard])

    @property
    def _is_even(self) -> bool:
        """Whether the checked items were drawn alike, as far as they alone can say."""
        answers = self.answers
        chosen = answers.drawn and (answers.judge != answers.model).any()
        return not chosen and bool((answers.weight == answers.squared).all())

    @property
    def checked(self) -> ConfusionMatrix:
        """The matrix of the checked items alone; drawn with unequal chances, each by the items it represents."""
        answers = self.answers
        if not self._is_even:
            # One stratum: how many items have which label of the judge is no news of the checked
            # alone.
            stratum, number = np.zeros(len(answers.gold), np.intp), np.array([answers.number])
            units = answers.units(len(self.labels))
            return Sample._drawn(
                self.labels, replace(units, unit=stratum, drawn=number, left=np.ones(1))
            )
        return self._plain(answers.gold, answers.gold_model, answers.weight)

    def _plain(self, rows: Array, cols: Array, counts: Array) -> ConfusionMatrix:
        return ConfusionMatrix._of(self.labels, self._whole(len(self.labels), rows, cols, counts))

    @staticmethod
    def _whole(size: int, rows: Array, cols: Array, counts: Array) -> Counts:
        whole = counts.astype(np.int64)
        return Counts.of_cells(size, rows, cols, whole if (whole == counts).all() else counts)

    def leaning(self) -> float:
        """Return the p-value of a judge that errs where the model errs more often than elsewhere.

        Within each true class of the checked items it is the test of Mantel and Haenszel (1959).
        NaN where both labels say how often an item was checked: then they go together in those that
        were.
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
        self,
        score: Any,
        *,
        width: Wish = None,
        bar: Wish = None,
        level: float = 0.95,
        power: float = 0.8,
    ) -> GoldPlan:
        """Return how many items have to be checked, and with which labels, for so narrow an interval or for a decision.

        The items checked so far are a pilot: they say where the judge errs, and count towards the
        plan.

        Parameters
        ----------
        score
            The score that is planned for, as `interval` takes it: one number.
        width
            How wide its interval may be, from bound to bound.
        bar
            Instead of a width, a number that the score is above or below: the planned items
            show on which side it is, if it is as far away as it seems.
        level, power
            The confidence of the interval, and how often a score so far from the bar is to be found
            on its side.
        """
        has = self.answers
        if has.is_complete:
            msg = "every item was checked, so there is nothing to plan"
            raise InputError(msg)
        cells, gold = (has.judge, has.model, has.counts), (has.gold_judge, has.gold_model)
        return _planned((self,), cells, gold, self.units, score, (width, bar, level, power))

    def __str__(self) -> str:
        return "\n".join(
            [*([super().__str__(), ""] if self.passes is None else []), *self.sentences()]
        )

    def sentences(self) -> list[str]:
        """Return what the judge alone would have said, what the checked items say, and what both say together."""
        if self.answers.guess is not None:
            sides = [f"{float(accuracy(m)):.3f}" for m in (self.judge, self)]
            return [
                (
                    f"Nothing was checked; accuracy: {sides[0]} by the judge alone, {sides[1]} by the "
                    "guess."
                )
            ]
        if self.passes is not None:
            by_judge = float(accuracy(self.judge))
            return [
                (
                    f"pass rate {self.pass_rate} by the judge and {self.described}; {by_judge:.3f} by the "
                    "judge alone"
                )
            ]
        gold, both = (estimate(ask(m, "accuracy"), m) for m in (self.checked, self))
        alone = f"accuracy: {gold} by the {self.described}"
        if (self.answers.judge == self.answers.model).all():
            # Nobody judged: the model's own labels are there.
            return [f"{alone}, {both} corrected for which were checked"]
        narrower = 1 - (both.high - both.low) / (gold.high - gold.low)
        than = (
            f"{abs(narrower):.0%} {'narrower' if narrower >= 0 else 'wider'} than the checked alone"
        )
        lines = [
            (
                f"{alone}, {float(accuracy(self.judge)):.3f} by the judge alone, {both} by both "
                f"({than})"
            )
        ]
        p = self.leaning()
        if not math.isnan(p):
            says = "are not shown to depend" if p >= _SURE else "depend"
            lines.append(f"The judge's errors {says} on whether the model is right (p = {p:.2g}).")
        return [
            *lines,
            *([f"{few[0].upper()}{few[1:]}."] if (few := _few_checked(self.few)) else []),
        ]


def _of_all(first: Array, second: Array, counts: Array) -> float:
    """The covariance of sums over all items, which are drawn themselves."""
    n = float(counts.sum())
    return (
        float(
            (counts * first * second).sum() - (counts * first).sum() * (counts * second).sum() / n
        )
        * n
        / (n - 1)
    )


def _few_checked(few: dict[Any, int]) -> str:
    """Say which classes have few checked items."""
    classes = [f"{many or 'none'} of {some([label])}" for label, many in few.items()]
    more = f" and {len(classes) - _MOST_NAMES} more classes" if len(classes) > _MOST_NAMES else ""
    return f"few were checked: {', '.join(classes[:_MOST_NAMES])}{more}" if classes else ""


@dataclass(frozen=True)
class JudgedPairing(Pairing):
    """The answers of two models to judged items: those that were checked, as any pairing has them, and all others.

    `judges` are the labels of the judge for the checked; `everyone` has the filled cells of judge
    by first by second, and their counts; `models` the judged matrices of both.
    """

    judges: Array = field(kw_only=True)
    everyone: tuple[Array, ...] = field(kw_only=True)
    models: tuple[Judged, Judged] = field(kw_only=True)

    def error_between(self, one: Slope, two: Slope) -> float:
        """The standard error of a difference: of the judged items, and of how the checked differ from them."""
        judge, first, second, counts = self.everyone
        added, apart = np.zeros(len(judge)), np.zeros(len(self.actual))
        sides = zip(
            (-1, 1),
            (one, two),
            self.models,
            (first, second),
            (self.first, self.second),
            strict=True,
        )
        for sign, by, model, every, checked in sides:
            assert model.calibration is not None
            gain = sign * model.calibration.gain(self.judges, checked)
            gold, weight = (
                (self.actual, self.judges, checked),
                abs(gain) * self.squares / self.counts,
            )
            by_judge, left = model.told(by.at, (judge, every), gold, weight)
            added, apart = added + sign * by_judge, apart + gain * left
        return math.sqrt(max(_of_all(added, added, counts) + self.error_of(apart) ** 2, 0.0))

    def error_if_alike(self, moved: Array) -> float:  # noqa: ARG002 - the models as they are say more of the judge
        """Nothing that is not in the error of the difference."""
        return 0.0

    def one_more(self, by: Slope) -> float:
        """The variance of one more item on which the models differ, with the weight of those that they do differ on."""
        differ = self.first != self.second
        names = ("actual", "first", "second", "counts", "squares") if differ.any() else ()
        return Pairing.one_more(
            replace(self, **{name: getattr(self, name)[differ] for name in names}), by
        )

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
        self,
        score: Any,
        *,
        width: Wish = None,
        bar: Wish = None,
        level: float = 0.95,
        power: float = 0.8,
    ) -> GoldPlan:
        """Return how many items have to be checked, and with which labels, for the difference of both models.

        Parameters
        ----------
        score, width, bar, level, power
            As in `Judged.gold_needed`, of the second model's score less the first's; `bar=0` says
            which one is better.
        """
        gold = (self.judges, self.first, self.second)
        assert self.units is not None
        return _planned(
            self.models, self.everyone, gold, self.units, score, (width, bar, level, power)
        )


def _expected(
    models: tuple[Judged, ...], slopes: Any, sides: tuple[Array, ...]
) -> tuple[Array, Array, Array]:
    """Return the chances of each truth of items of these labels, what it adds to a score, and what the labels tell."""
    judge, every, parts = sides[0], np.arange(len(models[0].labels))[:, None], []
    for model, answer, by in zip(models, sides[1:], slopes, strict=True):
        of, moved = model.calibration, by.at(every, answer).T
        if of is None:
            chances = _guessed(model.labels, model.answers, judge, answer)
            told = (chances * moved).sum(axis=1)
        else:
            gold = model.units.rows
            chances = np.maximum([of.told(gold == truth, judge, answer) for truth in every], 0.0).T
            told = of.told(by.at(gold, model.units.cols), judge, answer)
        parts.append((chances / chances.sum(axis=1, keepdims=True), moved, told))
    shares, moves, mean = zip(*parts, strict=True)
    return np.mean(shares, axis=0), moves[-1] - sum(moves[:-1]), mean[-1] - sum(mean[:-1])


def _check_wish(answers: Answers, width: Wish, bar: Wish, power: float) -> None:
    """Refuse a plan without one wish, or from items that were checked with unequal chances."""
    numbers = [each for each in (width, bar) if isinstance(each, (int, float)) and each == each]
    if len(numbers) != 1 or (width is not None and not width > 0) or not 0 < power < 1:
        msg = "a plan needs `width`, above 0, or `bar`, which the score is above or below, and `power` between 0 and 1"
        raise InputError(msg)
    if not (answers.weight == answers.squared).all():
        msg = "items that were checked with a `probability` plan no others: plan from those that were checked at first"
        raise InputError(msg)


def _check_bar(name: str, bar: float, ends: tuple[float | None, float | None]) -> None:
    """Refuse a bar that no value of the score is on both sides of."""
    low, high = ends
    if (low is not None and bar <= low) or (high is not None and bar >= high):
        msg = f"{name} is from {low} to {high}, so `bar` has to be between; got {bar}"
        raise InputError(msg)


def _planned(
    models: tuple[Judged, ...], cells: Any, gold: Any, units: Units, score: Any, wish: Any
) -> GoldPlan:
    """Return the plan for a score of a model, or for its difference between two."""
    width, bar, level, power = wish
    labels, single = models[0].labels, len(models) == 1
    _check_wish(models[0].answers, width, bar, power)
    asked = ask(models[0], one_number(score, labels), level=level)
    metric = catalog()[asked.metric.population] if asked.metric.population else asked.metric
    slopes = [slope(metric, each, **asked.keywords) for each in models]
    expected = partial(_expected, models, slopes)

    value = slopes[-1].value - sum(by.value for by in slopes[:-1])
    name = f"{asked.name} {value:{'.3f' if single else '+.3f'}}"
    low, high = ends = metric.bounds
    if single and bar is not None:
        _check_bar(asked.name, bar, ends)

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
    goal, apart = (
        f"{name} {'above' if value > bar else 'below'} {bar:g} with a power of {power:.0%}",
        abs(value - bar),
    )
    return GoldPlan._of(
        labels, cells, gold, units, expected, lambda error, _: reach * error <= apart, goal
    )

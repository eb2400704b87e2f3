"""Comparison: models side by side, what may be said of their differences, and where these come from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from confmat.comparison.boards import Board
from confmat.comparison.clusters import Clusters, of_clusters
from confmat.comparison.differences import (
    POWER,
    Difference,
    Pair,
    beside_zero,
    chance,
    data_columns,
    heading,
    is_weighted,
    of_pairing,
    of_same_items,
    of_separate_items,
    spoken,
    verdict,
)
from confmat.comparison.families import Array, adjusted, correlation_of, covariance_of
from confmat.comparison.pairing import Pairing
from confmat.comparison.ranking import Ranking, holds, ranking_of, short_name
from confmat.comparison.ratios import Ratio, joint_test, ratio
from confmat.comparison.significance import Significance, holm, mid_p_each, normal_p
from confmat.core.building import positive_of
from confmat.core.errors import Argument, InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import how_many, told
from confmat.core.samples import holds_pixels
from confmat.core.tables import Column, Drawn, Table, Tabular
from confmat.core.text import folded, number, printable, some
from confmat.counting.planning import INVALID
from confmat.intervals.bounds import wilson
from confmat.intervals.estimates import Estimate
from confmat.metrics import Metric, Score, catalog, parse_score
from confmat.metrics.catalog import metric, one_number, several

Names = tuple[str, str]
# The scores of a diagnostic test, and of two of them together.
_DIAGNOSTIC = (
    "recall", "specificity", "precision", "negative_predictive_value", "positive_likelihood_ratio",
    "negative_likelihood_ratio",
)  # fmt: skip
_JOINT = ("recall", "specificity")
# Fewer answers that differ do not follow the chi-squared distribution.
_FEW_CHANGED = 25
# The fields of a difference as data, in order; those with a number for each model under this name.
_FIELDS = (
    "score", "first", "second", "difference", "low", "high", "p_low", "p_high", "adjusted", "verdict",
    "values", "se", "level", "test", "items", "needed", "detectable", "note", "discordant", "better", "moving",
)  # fmt: skip
_TWO_SIDED = {"values": "value", "discordant": "discordant"}
_UNPAIRED = (
    "The matrices are taken as counted from the same items, but do not show which model had which "
    "right: p-values of differences are ranges, and all else is for the least favorable "
    "answers. same_items=False says that the items are different ones."
)
_MARKED = "* No model is shown to be better by this score."


@dataclass(frozen=True)
class CellChange:
    """How often two models gave one answer to one class, and whether that differs.

    Where only the matrices are known, the p-value of the same items is the greatest over all
    pairings of the answers, that of different items a binomial test of both shares; of weights it
    is unknown. `adjusted` is Holm's, for all cells, and `verdict` as of a `Difference`.
    """

    actual: Any
    predicted: Any
    first: float
    second: float
    change: float
    share: float
    p_value: float
    adjusted: float
    verdict: str = ""

    @property
    def is_hit(self) -> bool:
        """Whether the answer is right."""
        return bool(self.actual == self.predicted)


@dataclass(frozen=True)
class AnswerChange:
    """Items of one class to which two models gave different answers: `fixed` by the second, `broken`, or neither."""

    actual: Any
    first: Any
    second: Any
    count: float

    @property
    def kind(self) -> str:
        """Whether they are "fixed" (the second answer is right), "broken" (the first is) or "still wrong"."""
        return (
            "fixed"
            if self.second == self.actual
            else "broken"
            if self.first == self.actual
            else "still wrong"
        )


@dataclass(frozen=True, eq=False)
class Comparison(Tabular):
    """Scores of several models with their intervals, the differences of each two, and tests of all together.

    `design` is "paired" where the answers of the models are known item by item, "same items" where
    only their matrices are, "different items" otherwise; of clusters it is such as "paired by
    image, 120 images", or "different images". It prints as tables and sentences; `classes` and
    `cells` say where a difference comes from.
    """

    matrices: Mapping[str, ConfusionMatrix]
    scores: tuple[str, ...]
    estimates: Mapping[tuple[str, str], Estimate]
    differences: tuple[Difference, ...]
    overall: Mapping[str, Significance]
    marginals: Mapping[Names, tuple[Significance, ...]]
    design: str
    level: float
    notes: tuple[str, ...] = ()
    adjust: str = "max-t"
    pairings: Mapping[Names, Pairing | Clusters] = field(default_factory=dict)
    # Scores that were asked for under another name.
    asked: Mapping[str, str] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(dict.fromkeys(model for model, _ in self.estimates))

    @property
    def counted(self) -> Mapping[str, ConfusionMatrix]:
        """The matrices of the models, for pages and summaries."""
        return self.matrices

    @property
    def _labels(self) -> Labels:
        return next(iter(self.counted.values())).labels

    def _asked(self, score: Any) -> Score:
        """Read a score."""
        return asked_score(score, self._labels)

    def _apart(self, score: Score, names: Names, level: float) -> Difference:
        """The difference of one score, not adjusted."""
        return difference(score, self._pair(names), self.pairings.get(names), self.design, level)

    def of(self, score: str, first: str | None = None, second: str | None = None) -> Difference:
        """Return the difference of one score between two models.

        Parameters
        ----------
        score
            The score, such as "accuracy", "f1.macro" or "recall[cat]".
        first, second
            The names of two models; both may be left out if there are only two.
        """
        names, asked = self._names(first, second), self._asked(score)
        for each in self.differences:
            if each.score == str(asked) and {each.first, each.second} == set(names):
                return each
        return self._apart(asked, names, self.level)

    def ratio(self, score: Any, first: str | None = None, second: str | None = None) -> Ratio:
        """Return how many times as much of one score the second model has as the first, with the interval.

        From the answers to the same items this is the method of Alonzo, Pepe and Moskowitz (2002)
        for sensitivities and specificities, of Moskowitz and Pepe (2006) for predictive values, and
        of Gu and Pepe (2009) for likelihood ratios; one rule for every score that is never below 0.
        Where a score is 0, or an empty cell leaves it without a value, the interval is that between
        the bounds of both scores, open on one side, and `note` says so.

        Parameters
        ----------
        score
            The score, such as "recall", "precision[sick]" or "f1.macro".
        first, second
            The names of two models; both may be left out if there are only two.
        """
        return self._times(self._asked(score), self._names(first, second))

    def _times(self, score: Score, names: Names) -> Ratio:
        """The ratio of one score."""
        return ratio(score, self._pair(names), self.pairings.get(names), self.design, self.level)

    def joint(
        self, metrics: Any = _JOINT, first: str | None = None, second: str | None = None
    ) -> Significance:
        """Test whether two models have the same of several scores, all at once, from their answers to the same items.

        The default is the generalized McNemar test of sensitivity and specificity, with two degrees
        of freedom (Lachenbruch and Lynch 1998).

        Parameters
        ----------
        metrics
            The scores.
        first, second
            The names of two models; both may be left out if there are only two.
        """
        names = self._names(first, second)
        known = self.pairings.get(names)
        if not isinstance(known, Pairing):
            msg = "a joint test of several scores needs the answers to the same items: compare_predictions has them"
            raise InputError(msg)
        return joint_test(
            [self._asked(each) for each in several(metrics, "metrics")], self._pair(names), known
        )

    def diagnostic(
        self, of: Any = None, first: str | None = None, second: str | None = None
    ) -> Table:
        """Return sensitivity, specificity, predictive values and likelihood ratios of two diagnostic tests, compared.

        Each has its difference and its ratio with p-values, which are not adjusted for the others:
        of the difference by McNemar's test (sensitivity, specificity), Kosinski's score test (2013;
        predictive values) or the delta method, of likelihood ratios on their logarithms; of the
        ratio as in `ratio`. The joint test of sensitivity and specificity is below.

        Parameters
        ----------
        of
            The class that the tests are for, such as "sick"; by default the positive one of two.
        first, second
            The names of two models; both may be left out if there are only two.
        """
        names, scores = self._names(first, second), _diagnostic_scores(self._labels, of)
        gaps = [self._apart(score, names, self.level) for score in scores]
        ratios = [self._times(score, names) for score in scores]
        notes = [f"{each.name}: {each.note}." for each in ratios if each.note]
        known = self.pairings.get(names)
        if isinstance(known, Pairing) and not math.isnan(gaps[0].difference + gaps[1].difference):
            notes.append(f"{joint_test(scores[:2], self._pair(names), known)}.")
        if self.design == "same items":
            notes.append(_UNPAIRED)
        before, after = map(short_name, names)
        return Table((
            Column("score", list(map(str, scores)), printable, head="", is_label=True, is_index=True),
            Column("first", [gap.values[0] for gap in gaps], head=before),
            Column("second", [gap.values[1] for gap in gaps], head=after),
            *data_columns(gaps, ["difference"]),
            Column(None, gaps, Difference.interval_text, head=f"{after} − {before}"),
            *data_columns(gaps, ("low", "high")),
            Column(None, gaps, Difference.chance_text, head="p"),
            *data_columns(gaps, ("p_low", "p_value", "test")),
            Column("ratio", [each.value for each in ratios], head=None),
            Column(None, ratios, str, head=f"{after} / {before}"),
            *data_columns(ratios, ("low", "high"), "ratio_{}"),
            Column("ratio_p_value", [each.p_value for each in ratios], chance, head="p"),
        ), tuple(notes))  # fmt: skip

    def plan(self, margins: Mapping[str, float], power: float = POWER) -> Table:
        """Return how many items like these show that a model which is as good as the base is no worse than it.

        The two models are the pilot, and only how often they differ is taken from it; how far they
        are apart is mostly chance. Each margin is tested on one side at (1 - level) / 2, as by
        `Difference.no_worse`.

        Parameters
        ----------
        margins
            The loss that is as good as none, by score.
        power
            How often such a model is to be found no worse.

        Returns
        -------
        Table
            For each score the items of the pilot and the share of them that move it; how often so
            many show it (`power`), and how many are `needed`, also with the share's upper bound at
            80 % for the `surer` plan.
        """
        pilots = [self.of(score) for score in margins]
        plans = [_plan(*each, power) for each in zip(pilots, margins.values(), strict=True)]
        return Table(
            (
                Column("score", [pilot.score for pilot in pilots], printable, is_label=True, is_index=True),
                Column("margin", list(margins.values())),
                Column("items", [pilot.items for pilot in pilots], number),
                Column("differ", [plan.differ for plan in plans]),
                Column("power", [plan.power for plan in plans]),
                Column("needed", [plan.needed for plan in plans]),
                Column("surer", [plan.surer for plan in plans], lambda n: "–" if math.isnan(n) else number(n)),
            ),
            (planned(power, (1 + self.level) / 2),),
        )  # fmt: skip

    def sentences(self) -> list[str]:
        """Return a sentence for each difference, to be quoted."""
        return [each.sentence() for each in self.differences]

    def classes(
        self,
        metric: Any = "f1",
        first: str | None = None,
        second: str | None = None,
        n: int | None = None,
    ) -> list[Difference]:
        """Return the differences of one metric, or of several, class by class, the surest first.

        P-values and intervals are adjusted for all of them together.

        Parameters
        ----------
        metric
            A metric that has a value per class, or a list of such.
        first, second
            The names of two models; both may be left out if there are only two.
        n
            The most differences to return; None for all.
        """
        most = how_many("n", n)
        names = self._names(first, second)
        scores = self._of_classes(several(metric, "metric"))
        each = self._family(scores, [names], together=True)
        known = [difference for difference in each if not math.isnan(difference.difference)]
        return sorted(
            known, key=lambda difference: (difference.p_high, -abs(difference.difference))
        )[:most]

    def _of_classes(self, metrics: Iterable[Any]) -> list[Score]:
        """Each metric of each class, as scores."""
        scores = []
        for asked in metrics:
            compared = parse_score(asked).metric
            if not isinstance(compared, Metric) or compared.kind != "class":
                msg = f"`classes` compares a metric that has a value per class, such as 'f1'; got {asked!r}"
                raise InputError(msg)
            scores += [Score(compared, of=label) for label in self._labels.classes]
        return scores

    def of_score(self, score: Any = None) -> list[Difference]:
        """Return the differences of one score, by default the first.

        Parameters
        ----------
        score
            One of the scores that were compared.
        """
        wanted = self._compared(score)
        return [difference for difference in self.differences if difference.score == wanted]

    def again(self, score: str, level: float) -> list[Difference]:
        """Return the differences of one score at another level, not adjusted.

        Parameters
        ----------
        score
            One of the scores that were compared.
        level
            The confidence of the intervals.
        """
        return replace(self, level=level, adjust="none")._family([self._asked(score)], self.pairs)

    def _compared(self, score: Any) -> str:
        """The name of one of the scores that were compared."""
        wanted = self.scores[0] if score is None else str(score)
        if wanted not in self.scores:
            wanted = str(self._asked(score))
        if wanted not in self.scores:
            msg = Message(
                "the models were compared by {}, not by {}; name it in {metrics}",
                some(self.scores),
                wanted,
            )
            raise InputError(msg)
        return wanted

    def _family(
        self, scores: Sequence[Score], pairs: Sequence[Names], *, together: bool = False
    ) -> list[Difference]:
        """The differences of more scores between some pairs of models, adjusted as those of this comparison are."""
        named = {name for pair in pairs for name in pair}
        models = {name: m for name, m in self.matrices.items() if name in named}
        known = self.pairings, self.design
        covariance = covariance_of([*map(tested_as, scores)], models, *known)
        options: Any = (self.level, self.adjust, covariance)
        return family(scores, pairs, models, *known, *options, together=together)[0]

    @property
    def pairs(self) -> tuple[Names, ...]:
        """The two models of each difference."""
        return tuple(
            {(difference.first, difference.second): None for difference in self.differences}
        )

    def answers(
        self, n: int | None = 20, first: str | None = None, second: str | None = None
    ) -> list[AnswerChange]:
        """Return which answers changed, those that most items share first; `kind` says which are fixed or broken.

        Parameters
        ----------
        n
            The most changes to return; None for all.
        first, second
            The names of two models; both may be left out if there are only two.
        """
        most = how_many("n", n)
        known = self.pairings.get(self._names(first, second))
        if not isinstance(known, Pairing):
            msg = "which answers changed is known from the answers to the same items: compare_predictions has them"
            raise InputError(msg)
        labels, there = list(known.labels), np.flatnonzero(known.first != known.second)
        parts = (
            part[there].tolist() for part in (known.actual, known.first, known.second, known.counts)
        )
        found = [
            AnswerChange(labels[i], labels[j], labels[k], count)
            for i, j, k, count in zip(*parts, strict=True)
        ]
        return sorted(found, key=lambda change: -change.count)[:most]

    def cells(
        self, n: int | None = 20, first: str | None = None, second: str | None = None
    ) -> list[CellChange]:
        """Return the cells whose counts changed, the surest first; p-values are adjusted for all cells (Holm).

        Parameters
        ----------
        n
            The most cells to return; None for all.
        first, second
            The names of two models; both may be left out if there are only two.
        """
        if isinstance(n, str):
            msg = f"`n`, how many cells to give, comes first: cells(first={told(n)}, second={told(first)})"
            raise InputError(msg)
        most = how_many("n", n)
        names = self._names(first, second)
        return changes(self._pair(names), self.pairings.get(names), self.design, self.level)[:most]

    def _advice_on(self, name: str) -> str:
        return (
            f"a difference has it: of({self.scores[0]!r}).{name}"
            if hasattr(Difference, name)
            else super()._advice_on(name)
        )

    def _names(self, first: str | None, second: str | None) -> Names:
        if first is None and second is None and len(self.models) == 2:
            return self.models[0], self.models[1]
        if len(self.models) < 2:
            msg = f"a difference is between two models, and {self.models[0]!r} is the only one"
            raise InputError(msg)
        for name in (first, second):
            if not (isinstance(name, str) and name in self.models):
                before, after = self.models[:2]
                names = (
                    some(self.models),
                    Argument("first", before),
                    Argument("second", after),
                    told(first),
                    told(second),
                )
                raise InputError(
                    Message("name two of the models {}, such as {} and {}; got {} and {}", *names)
                )
        return str(first), str(second)

    def _pair(self, names: Names) -> Pair:
        return Pair(names, (self.counted[names[0]], self.counted[names[1]]))

    # --- as data ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "design": self.design,
            "level": self.level,
            "models": list(self.models),
            "unread": {name: unread(m) for name, m in self.matrices.items()},
            "estimates": {
                score: {model: self.estimates[model, score].to_dict() for model in self.models}
                for score in self.scores
            },
            "differences": [each.to_dict() for each in self.differences],
            "rankings": {score: each.to_dict() for score, each in self._rankings().items()},
            "overall": {score: vars(test) for score, test in self.overall.items()},
            "marginals": [
                {"first": first, "second": second, **vars(test)}
                for (first, second), tests in self.marginals.items()
                for test in tests
            ],
            "notes": list(self.notes),
        }

    def ranking(self, score: Any = None, *, one: str | None = None) -> Ranking:
        """Return the models in order of a score, each with the ranks that it may have, and in tiers.

        Parameters
        ----------
        score
            One of the scores that were compared; by default the first.
        one
            The name of a model whose ranks alone are wanted: they are surer, as only its own
            differences count.
        """
        wanted, each = self._compared(score), self.of_score(score)
        if each and each[0].better == "neither":
            msg = Message("neither more nor less of {} is better, so it ranks no model", wanted)
            raise InputError(msg)
        if one is not None and one not in self.models:
            msg = Message(
                "{} names one of the models {}, not {}",
                Argument("one"), some(self.models), told(one),
            )  # fmt: skip
            raise InputError(msg)
        if one is not None:
            others = [(one, other) for other in self.models if other != one]
            each = self._family([self._asked(wanted)], others)
        elif not self._compares_all:
            each = self._family([self._asked(wanted)], list(combinations(self.models, 2)))
        estimates = {model: self.estimates[model, wanted] for model in self.models}
        estimates |= {
            model: replace(estimates[model], value=math.nan)
            for model, m in self.matrices.items()
            if mostly_unread(m)
        }
        return ranking_of(self._head(wanted), estimates, each, self.level, one)

    def _rankings(self) -> dict[str, Ranking]:
        """The ranking by each score that has one, where all models were compared with each other."""
        directed = {
            difference.score for difference in self.differences if difference.better != "neither"
        }
        return (
            {score: self.ranking(score) for score in self.scores if score in directed}
            if self._compares_all
            else {}
        )

    @property
    def _compares_all(self) -> bool:
        """Whether all models were compared with each other."""
        return len(self.differences) == len(self.scores) * math.comb(len(self.models), 2)

    def table(self) -> Table:
        """Return the scores of the models as a table, those that may be best marked; the differences are below.

        More than two models are in the order of the first score, with their ranks and tiers.
        """
        ranked, models = self._rankings(), self.models
        rules: tuple[int, ...] = ()
        notes, columns = [_MARKED] if ranked else [], []
        if ranked and len(models) > 2:
            first = next(iter(ranked.values()))
            models, rules = (*first.models, *first.unranked), first.starts
            tiers = [*first.heads, *[""] * len(first.unranked)]
            columns = [Column(None, tiers, str, "tier", align="<")]
            notes += [sentence for each in ranked.values() for sentence in each.sentences()]
            many = f"{len(self.differences)} differences: sentences() has them, and --pairs prints them."
            notes += [holds(self.level), many]
        columns.append(Column("model", models, short_name, head="", is_label=True, is_index=True))
        for score in self.scores:
            columns += self._columns(score, models, ranked.get(score))
        if any(map(unread, self.matrices.values())):
            of = [self.matrices[model] for model in models]
            counts = [f"{number(unread(m))} of {number(m.total)}" for m in of]
            columns.append(Column("unread", counts))
        return Table(
            tuple(columns),
            (*notes, *self._tests(), *self.notes),
            rules=rules,
            shown=(len(models), 0, 0),
            then=self._differences(),
        )

    def _columns(self, score: str, models: Sequence[str], ranking: Ranking | None) -> list[Column]:
        """The columns of a score: the estimates, marked where they may be best, their ranks, and both as data."""
        estimates, head = [self.estimates[model, score] for model in models], self._head(score)
        texts, printed = [str(estimate) for estimate in estimates], []
        if ranking is not None:
            texts = [
                f"{text} {' *'[model in ranking.top]}"
                for text, model in zip(texts, models, strict=True)
            ]
            if len(models) > 2:
                known = dict(zip(ranking.models, ranking.ranks(), strict=True))
                printed = [Column(None, [known.get(model, "") for model in models], str, "rank")]
        data = [
            Column(f"{head}{end}", [getattr(estimate, name) for estimate in estimates], head=None)
            for name, end in (("value", ""), ("low", "_low"), ("high", "_high"))
        ]
        return [Column(None, texts, str, head), *printed, *data]

    def _head(self, score: str) -> str:
        """The name of a score as it was asked for, such as "sensitivity"."""
        return short_name(self.asked.get(score, spoken(score)))

    def _differences(self) -> Table:
        """A row for each difference, with its interval drawn on pages, and all that is known of it as data."""
        each = self.differences
        # The ranks say what holds of many models, whose differences are for programs.
        few = len(self.models) == 2 or not self._compares_all
        columns = self._printed_differences() if few else []
        for name in _FIELDS:
            if name in _TWO_SIDED:
                pairs = [getattr(difference, name) for difference in each]
                columns += [
                    Column(f"{side}_{_TWO_SIDED[name]}", [pair and pair[place] for pair in pairs], head=None)
                    for place, side in enumerate(("first", "second"))
                ]  # fmt: skip
            else:
                columns += data_columns(each, [name])
        return Table(tuple(columns), shown=(len(each), 0, 0))

    def _printed_differences(self) -> list[Column]:
        """The columns of the differences that people read."""
        each = self.differences
        ends = np.array(
            [[difference.low, difference.difference, difference.high] for difference in each], float
        ).reshape(-1, 3)
        reach = np.nanmax(np.abs(ends[np.isfinite(ends)]), initial=0.0) or 1.0
        scores = [self._head(difference.score) for difference in each]
        columns = [Column(None, scores, printable, "", is_label=True, is_index=True)]
        gap = heading(each)
        if len(self.models) > 2:
            pairs = [
                f"{short_name(difference.second)} − {short_name(difference.first)}"
                for difference in each
            ]
            columns.append(Column(None, pairs, printable, "models", is_label=True))
            gap = "difference"
        return [
            *columns,
            Column(None, each, Difference.interval_text, gap, drawn=Drawn(ends, -reach, reach)),
            Column(None, each, Difference.journal_text, "p"),
            Column(None, [difference.verdict for difference in each], printable, "", align="<"),
        ]

    # --- as text ----------------------------------------------------------------------------------

    def _tests(self) -> list[str]:
        """The tests of all models together, and of the margins of each two, as sentences."""
        tests = [f"{printable(score)}: {test}." for score, test in self.overall.items()]
        if len(self.models) > 2:
            return tests
        for names, tests_of_two in self.marginals.items():
            tests += [
                f"{printable(names[0])} and {printable(names[1])}: {test}." for test in tests_of_two
            ]
            pairing = self.pairings[names]
            assert isinstance(pairing, Pairing)
            changed = float(pairing.counts[pairing.first != pairing.second].sum())
            if 0 < changed < _FEW_CHANGED:
                many = (
                    f"{changed:g} answer differs" if changed == 1 else f"{changed:g} answers differ"
                )
                tests.append(
                    f"Only {many}, too few for chi-squared: these p-values may be too small."
                )
        return tests

    def __str__(self) -> str:
        table = self.table()
        texts = [
            folded(part)
            for part in ([] if table.heads[:1] == ["tier"] else self.sentences(), table.notes)
        ]
        parts = [table.lines(), *texts]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def __repr__(self) -> str:
        models = ", ".join(printable(model) for model in self.models)
        return f"<Comparison of {models} ({self.design}) by {', '.join(self.scores)}>"


class _Plan(NamedTuple):
    """The share of the items of a pilot that move a score, how often as many show it, and how many are needed."""

    differ: float
    power: float
    needed: float
    surer: float


def _plan(pilot: Difference, margin: float, power: float) -> _Plan:
    """Plan for one margin."""
    share = pilot.moving / pilot.items if pilot.moving < math.inf else math.nan
    needed = pilot.items_needed(margin, power)
    more = float(wilson(share, pilot.items, 0.6)[1]) / share
    surer = math.nan if math.isnan(more) else math.ceil(needed * more)
    return _Plan(share, pilot.power(margin), needed, surer)


def _diagnostic_scores(labels: Labels, of: Any) -> list[Score]:
    """The scores of a diagnostic test for a class, by default the positive one of two."""
    if of is None and (labels.n_classes != 2 or positive_of(labels) is None):
        msg = (
            "diagnostic tests are for one class, and none is positive here: say "
            f"diagnostic({labels.classes[0]!r})"
        )
        raise InputError(msg)
    return [
        asked_score(name if of is None else Score(metric(name), of=of), labels)
        for name in _DIAGNOSTIC
    ]


def planned(power: float, level: float) -> str:
    """Return the sentence on what a plan is for."""
    return (
        f"So many items show in {100 * power:g} of 100 tests, each at {100 * level:g} % "
        "confidence, that a model which "
        "is as good is no worse by the margin."
    )


def asked_score(asked: Any, labels: Labels) -> Score:
    """Read a score that is one number; a bare score per class is that of the positive one of two classes."""
    score = one_number(asked, labels)
    if not isinstance(score.metric, Metric):
        msg = f"{score.metric!r} is a value that another package computes; models are compared by metrics"
        raise InputError(msg)
    return score


# Fields of a difference that nobody knows where a model is mostly unread.
_UNKNOWN = (
    "difference",
    "low",
    "high",
    "se",
    "p_low",
    "p_high",
    "adjusted",
    "needed",
    "detectable",
)


def unread(m: ConfusionMatrix) -> float:
    """How many answers mean no label: a matrix has them in its column "(invalid)"."""
    return (
        float(m.predicted_totals[list(m.labels).index(INVALID)])
        if INVALID in m.labels.outside
        else 0.0
    )


def mostly_unread(m: ConfusionMatrix) -> bool:
    """Whether a matrix says more of the form of answers than of the answers."""
    return 2 * unread(m) > m.total


def difference(
    score: Score, pair: Pair, pairing: Pairing | Clusters | None, design: str, level: float
) -> Difference:
    """The difference of one score, by what is known of the items; none from a model that is mostly unread."""
    found = _difference(score, pair, pairing, design, level)
    if (logs := tested_as(score)) is not score:
        found = _tested_by(_difference(logs, pair, pairing, design, level), found)
    return _if_read(found, pair, pairing)


def tested_as(score: Score) -> Score:
    """Return the score that is tested in place of one: of ratios, whose errors grow with them, the logarithm."""
    twins = (
        metric for metric in catalog().values() if metric.function_of == (score.metric.name, np.log)
    )
    twin = next(twins, None) if score.average is None else None
    return score if twin is None else Score(twin, of=score.of)


def _tested_by(logs: Difference, found: Difference) -> Difference:
    """A difference with the test of its logarithms."""
    if math.isnan(logs.p_high):
        return found
    low, high = beside_zero(found.difference, logs.p_high, (found.low, found.high), found.level)
    test, p = f"{logs.test}, of logarithms", logs.p_high
    return replace(
        found,
        low=low,
        high=high,
        p_low=logs.p_low,
        p_high=p,
        adjusted=p,
        test=test,
        verdict=logs.verdict,
    )


def _if_read(found: Difference, pair: Pair, pairing: Pairing | Clusters | None) -> Difference:
    lost = [
        f"{number(unread(m))} of {number(m.total)} answers of {printable(name)} are unread"
        for name, m in zip(pair.names, pair.matrices, strict=True)
        if mostly_unread(m)
    ]
    why = f"{' and '.join(lost)} (Answers(extract=...) says where their labels are)" if lost else ""
    if not isinstance(pairing, Clusters) and any(map(holds_pixels, pair.matrices)):
        why = "the pixels of an image are alike: compare the stacks of count_masks(..., per_image=True)"
    if not why:
        return found
    nothing: dict[str, Any] = dict.fromkeys(_UNKNOWN, math.nan)
    return replace(
        found, **nothing, test=why, verdict=verdict(math.nan, math.nan, 0.0), discordant=None
    )


def _difference(
    score: Score, pair: Pair, pairing: Pairing | Clusters | None, design: str, level: float
) -> Difference:
    if isinstance(pairing, Clusters):
        return of_clusters(score, pair, pairing, level)
    if pairing is not None:
        return of_pairing(score, pair, pairing, level)
    return (
        of_same_items(score, pair, level)
        if design == "same items"
        else of_separate_items(score, pair, level)
    )


def family(
    scores: Sequence[Score],
    pairs: Sequence[Names],
    matrices: Mapping[str, ConfusionMatrix],
    pairings: Mapping[Names, Pairing | Clusters],
    design: str,
    level: float,
    adjust: str,
    covariance: Array | None,
    *,
    together: bool = False,
) -> tuple[list[Difference], dict[str, str]]:
    """The differences of several scores between several pairs of models, adjusted for their number, and how each is."""
    both = {names: Pair(names, (matrices[names[0]], matrices[names[1]])) for names in pairs}

    def apart(score: Score, names: Names, level: float) -> Difference:
        return difference(score, both[names], pairings.get(names), design, level)

    def of_score(score: Score) -> Again | None:
        return _of_board(pairings, score, pairs, matrices) if isinstance(pairings, Board) else None

    return each_adjusted(
        scores, pairs, list(matrices), apart, level, adjust, covariance, of_score, together=together
    )


# One of several differences, at a level.
Again = Callable[[int, float], Difference]


def each_adjusted(
    scores: Sequence[Any],
    pairs: Sequence[Names],
    models: Sequence[str],
    apart: Callable[[Any, Names, float], Difference],
    level: float,
    adjust: str,
    covariance: Array | None,
    of_score: Callable[[Any], Again | None] = lambda _: None,
    *,
    together: bool = False,
) -> tuple[list[Difference], dict[str, str]]:
    """The differences that `apart` gives, adjusted; `of_score` may have those of a score at once."""
    place = {model: at for at, model in enumerate(models)}
    # One family of all scores, or one of each.
    families = [[(at, score, names) for names in pairs] for at, score in enumerate(scores)]
    if together or adjust == "joint":
        families = [[member for members in families for member in members]]

    def apart_again(members: Sequence[Any], member: int, level: float) -> Difference:
        _, score, names = members[member]
        return apart(score, names, level)

    differences: list[Difference] = []
    bounds: dict[str, str] = {}
    for members in filter(None, families):
        at_once = of_score(members[0][1]) if len(members) == len(pairs) else None
        again: Again = at_once or partial(apart_again, members)
        each = [again(member, level) for member in range(len(members))]
        places = [(place[first], place[second], at) for at, _, (first, second) in members]
        table = correlation_of(places, covariance)
        differences += adjusted(each, adjust, table, again)
        bounds |= dict.fromkeys((difference.score for difference in each), _bound(adjust, table))
    return differences, bounds


def _bound(adjust: str, correlation: Array | None) -> str:
    """The name of the bound by which differences are adjusted."""
    return "Holm" if adjust == "holm" else "Sidak" if correlation is None else "max-t"


def _of_board(
    board: Board, score: Score, pairs: Sequence[Names], matrices: Mapping[str, ConfusionMatrix]
) -> Again | None:
    """Return what gives each difference at a level, from all answers at once; None where they have to be paired."""
    if (
        set(matrices) != set(board.models)
        or (found := board.differences(score, pairs, matrices)) is None
    ):
        return None
    both = [Pair(names, (matrices[names[0]], matrices[names[1]])) for names in pairs]
    each = found
    if (logs := tested_as(score)) is not score and (
        tested := board.differences(logs, pairs, matrices)
    ) is not None:
        each = lambda level: list(map(_tested_by, tested(level), found(level)))  # noqa: E731
    at = lru_cache(maxsize=2)(each)
    return lambda place, level: _if_read(at(level)[place], both[place], None)


def changes(
    pair: Pair, known: Pairing | Clusters | None, design: str, level: float
) -> list[CellChange]:
    """The filled cells where one model has more items, by the evidence of the items, the surest first."""
    size = len(pair.matrices[0].labels)
    places, counts = _filled(pair)
    chances = _chances(pair, known, design, places, counts)
    adjusted = [holm(side.tolist()) for side in chances]
    labels, totals = list(pair.matrices[0].labels), [m.actual_totals for m in pair.matrices]
    # Cells that are as full as before may have changed, item by item.
    there = (counts[0] != counts[1]) | (~np.isnan(chances[1]) & (known is not None))
    found = []
    for at in np.flatnonzero(there).tolist():
        (row, col), (first, second) = divmod(int(places[at]), size), counts[:, at].tolist()
        before, after = (float(total[row]) for total in totals)
        share = second / after - first / before if before and after else math.nan
        low, high = adjusted[0][at], adjusted[1][at]
        found.append(
            CellChange(
                labels[row], labels[col], first, second, second - first, share, float(chances[1][at]), high,
                verdict(low, high, 1 - level),
            )
        )  # fmt: skip
    return sorted(found, key=_by_chance)


def _by_chance(cell: CellChange) -> tuple[float, float]:
    """The surest change first, and those without a p-value last."""
    return math.inf if math.isnan(cell.p_value) else cell.p_value, -abs(cell.change)


def _filled(pair: Pair) -> tuple[Any, Array]:
    """The cells that either model fills, each as one number, and the counts of both."""
    size = len(pair.matrices[0].labels)
    cells = [m._counts.cells() for m in pair.matrices]
    flat = [rows.astype(np.int64) * size + cols for rows, cols, _ in cells]
    places = np.unique(np.concatenate(flat))
    counts = np.zeros((2, len(places)))
    for which, (*_, filled) in enumerate(cells):
        counts[which, np.searchsorted(places, flat[which])] = filled
    return places, counts


def _chances(
    pair: Pair, known: Pairing | Clusters | None, design: str, places: Any, counts: Array
) -> tuple[Array, Array]:
    """The least and the greatest p-value of each cell; NaN where none is known."""
    size, unknown = len(pair.matrices[0].labels), np.full(len(places), math.nan)
    if isinstance(known, Clusters):
        chances = known.cells()
        found = np.array([chances.get(divmod(place, size), math.nan) for place in places.tolist()])
        return found, found
    if known is not None:
        found = _paired_chances(pair, known, places)
        return found, found
    if is_weighted(pair):
        return unknown, unknown
    before, after = counts
    totals = [np.asarray(m.actual_totals, dtype=np.float64)[places // size] for m in pair.matrices]
    if design == "same items":
        gap, most = (
            np.abs(after - before),
            np.minimum(before + after, 2 * totals[0] - before - after),
        )
        return mid_p_each(gap, 0 * gap), mid_p_each((most + gap) / 2, (most - gap) / 2)
    # The fewer of the items with the answer and those without it follow the binomial distribution
    # better.
    rare = before + after <= sum(totals) / 2
    before, after = (np.where(rare, part, n - part) for part, n in zip(counts, totals, strict=True))
    share = np.divide(totals[0], sum(totals), out=unknown, where=(totals[0] > 0) & (totals[1] > 0))
    found = np.where(np.isnan(share), math.nan, mid_p_each(before, after, share))
    return found, found


def _paired_chances(pair: Pair, known: Pairing, places: Any) -> Array:
    """The p-value of each cell, from the items that only one model, or only the other, put there."""
    changed = known.first != known.second
    at = [
        np.searchsorted(places, known.actual * len(known.labels) + side)[changed]
        for side in (known.first, known.second)
    ]
    sides: Any = [np.bincount(part, known.counts[changed], len(places)) for part in at]
    first, second = sides
    found = mid_p_each(first, second)
    if is_weighted(pair):
        squares = [np.bincount(part, known.squares[changed], len(places)) for part in at]
        found = np.array([*map(normal_p, second - first, np.sqrt(sum(squares)))])
    return np.where(first + second > 0, found, math.nan)

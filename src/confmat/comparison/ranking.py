"""Ranking: models in order, each with the ranks that it may have, and tiers that keep ties together.

Differences that are shown to hold all at once say of every model how many are better and how many
worse, all at once, whether models tie or not (Al Mohamad, van Zwet, Goeman and Solari,
Computational Statistics & Data Analysis 166, 2022; Mogstad, Romano, Shaikh and Wilhelm, Review of
Economic Studies 91, 2024). A tier begins only where every model above is shown to be better than
every one below: the finest parting in which models that tie stay together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.differences import DIFFERENT, Difference, data_columns
from confmat.core.errors import InputError, Message
from confmat.core.options import told
from confmat.core.tables import Column, Drawn, Table, Tabular
from confmat.core.text import middle, printable, some
from confmat.intervals.estimates import Estimate

Shown = NDArray[np.bool_]
# Models of the best that a sentence names.
_MOST_NAMES = 8


class Rank(NamedTuple):
    """A model with its score, the best and the worst rank that it may have, and its tier."""

    model: str
    estimate: Estimate
    low: int
    high: int
    tier: int


@dataclass(frozen=True, eq=False)
class Ranking(Tabular):
    """Models by one score, the best first; what it says of ranks and tiers holds all at once.

    Attributes
    ----------
    score
        The score, as it was asked for.
    models
        Names of the models, by the score.
    estimates
        The score of each model, with its interval.
    low, high
        The best and the worst rank of each model, ties included.
    tier
        The tier of each model, from 1. A new one begins only where every model above is shown to be
        better than every one below.
    top
        The models that none is shown to be better than; the best is among them.
    levels
        How many models at least differ from each other in a row: the longest chain of shown
        differences.
    level
        The confidence with which all of this holds at once.
    unranked
        Models without a value of the score, or whose answers are mostly unread.
    is_of_one
        Whether the ranks of one model alone were asked for.
    """

    score: str
    models: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    tier: tuple[int, ...]
    top: tuple[str, ...]
    levels: int
    level: float
    unranked: tuple[str, ...] = ()
    is_of_one: bool = False
    # The drawing of `confmat.plot`.
    _drawing: ClassVar[str] = "rankings"

    def __len__(self) -> int:
        return len(self.models)

    def of(self, model: str) -> Rank:
        """Return what is known of one model.

        Parameters
        ----------
        model
            Its name.
        """
        if model not in self.models:
            raise InputError(
                Message("the ranking has the models {}, and not {}", some(self.models), told(model))
            )
        place = self.models.index(model)
        return Rank(
            model, self.estimates[place], self.low[place], self.high[place], self.tier[place]
        )

    @property
    def starts(self) -> tuple[int, ...]:
        """The places at which a new tier begins, but the first."""
        return tuple(
            place for place in range(1, len(self)) if self.tier[place] != self.tier[place - 1]
        )

    @property
    def heads(self) -> list[str]:
        """The number of each tier beside its first model, as tables have it."""
        return [
            str(tier) if place in {0, *self.starts} else "" for place, tier in enumerate(self.tier)
        ]

    def ranks(self) -> list[str]:
        """Return the ranks that each model may have, as texts such as "1 to 3"."""
        return [
            f"{low} to {high}" if low < high else str(low)
            for low, high in zip(self.low, self.high, strict=True)
        ]

    def sentences(self) -> list[str]:
        """Return what the ranking says, in sentences to quote."""
        names = [short_name(model) for model in self.top]
        if not len(self) or self.is_of_one:
            best = "".join(
                f"The rank of {short_name(self.models[0])} by {self.score} is {rank}."
                for rank in self.ranks()
            )
        elif len(names) == 1:
            best = f"The best by {self.score} is {names[0]}."
        elif len(names) == len(self):
            best = f"By {self.score} no model is shown to be better than another."
        elif len(names) <= _MOST_NAMES:
            best = f"The best by {self.score} is {', '.join(names[:-1])} or {names[-1]}."
        else:
            best = f"The best by {self.score} is one of {len(names)} models, from {names[0]} to {names[-1]}."
        if self.levels > 1:
            best = f"{best[:-1]}; these items tell at least {self.levels} levels apart."
        lost = ""
        if self.unranked:
            why = "for want of a value or of answers that can be read"
            lost = f"Without a rank, {why}: {some(self.unranked)}."
        return [*filter(None, [best, lost])]

    def table(self) -> Table:
        """Return the models with tier, score and ranks as a table."""
        ends = np.array(
            [(estimate.low, estimate.value, estimate.high) for estimate in self.estimates]
        ).reshape(-1, 3)
        places = np.array([self.low, np.full(len(self), math.nan), self.high]).T
        columns = (
            Column(None, self.heads, str, "tier", align="<"),
            Column("model", self.models, short_name, is_label=True, is_index=True),
            Column(None, self.estimates, format, self.score, drawn=Drawn(ends, *_scale(ends))),
            Column(None, self.ranks(), str, "rank", drawn=Drawn(places, *_scale(places))),
            Column("tier", self.tier, head=None),
            *data_columns(self.estimates, ("value", "low", "high")),
            Column("best_rank", self.low, head=None),
            Column("worst_rank", self.high, head=None),
        )
        return Table(
            columns,
            (*self.sentences(), holds(self.level, in_tiers=not self.is_of_one)),
            rules=self.starts,
            shown=(len(self), 0, 0),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [
            {
                "model": model,
                **estimate.to_dict(),
                "best_rank": low,
                "worst_rank": high,
                "tier": tier,
            }
            for model, estimate, low, high, tier in map(self.of, self.models)
        ]
        return {
            "score": self.score,
            "models": rows,
            "top": list(self.top),
            "levels": self.levels,
            "level": self.level,
            "unranked": list(self.unranked),
        }


def _scale(ends: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest end that there is."""
    known = ends[np.isfinite(ends)]
    least, most = float(known.min(initial=math.inf)), float(known.max(initial=-math.inf))
    return (least, most) if least < most else (0.0, 1.0)


def holds(level: float, *, in_tiers: bool = True) -> str:
    """Return the sentence on what ranks and tiers are."""
    tiers = "; a new tier begins only where every model above is shown to be better than every one below"
    return f"Ranks hold all at once with {100 * level:g} % confidence, ties included{tiers if in_tiers else ''}."


def ranking_of(
    score: str,
    estimates: Mapping[str, Estimate],
    differences: Iterable[Difference],
    level: float,
    alone: str | None,
) -> Ranking:
    """Rank models, or one of them among the others, by what is shown of their differences."""
    shown = list(differences)
    sign = -1 if shown and shown[-1].better == "lower" else 1
    known = [name for name, estimate in estimates.items() if not math.isnan(estimate.value)]
    models = sorted(known, key=lambda name: -sign * estimates[name].value)
    better = _better(models, shown, sign)
    low, high = (1 + better.sum(axis=0)).tolist(), (len(models) - better.sum(axis=1)).tolist()
    tiers, levels = _tiers(better), _levels(better)
    if alone is not None:
        tiers, levels = [1] * len(models), 1
    rows = [
        row
        for row in zip(models, map(estimates.get, models), low, high, tiers, strict=True)
        if alone in {None, row[0]}
    ]
    unranked = tuple(name for name in estimates if name not in known)
    top = tuple(model for model, _, best, _, _ in rows if best == 1)
    columns: Any = zip(*rows, strict=True) if rows else [()] * 5
    models, kept, low, high, tiers = columns
    return Ranking(
        score, models, kept, low, high, tiers, top, levels, level, unranked, alone is not None
    )  # fmt: skip


def _better(models: Sequence[str], differences: Iterable[Difference], sign: int) -> Shown:
    """Which model, in rows, is shown to be better than which."""
    place = {model: at for at, model in enumerate(models)}
    better = np.zeros((len(models), len(models)), dtype=bool)
    for each in differences:
        if each.verdict == DIFFERENT and {each.first, each.second} <= place.keys():
            first, second = place[each.first], place[each.second]
            better[(second, first) if sign * each.difference > 0 else (first, second)] = True
    return better


def _tiers(better: Shown) -> list[int]:
    """The tier of each model, in order: a new one where all before are better than all from there on."""
    tiers = [1] * len(better)
    for place in range(1, len(better)):
        tiers[place] = tiers[place - 1] + int(better[:place, place:].all())
    return tiers


def _levels(better: Shown) -> int:
    """The longest chain of models of which each is better than the next, in order."""
    longest = np.ones(len(better), dtype=int)
    for place in range(1, len(better)):
        above = longest[:place][better[:place, place]]
        longest[place] = 1 + above.max(initial=0)
    return int(longest.max(initial=0))


def short_name(model: Any) -> str:
    """Return the name of a model, cut in the middle."""
    return middle(printable(model), 30)

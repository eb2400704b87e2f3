"""Categories: models compared on each part of a test set, with one family of differences for each score.

Parts hold separate items, and all their differences are held against Sidak's critical values for all
of them, step by step: what is said of ranks holds in all parts at once, and so does a change of the
order between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations
from typing import Any

from confmat.comparison.differences import DIFFERENT, Difference
from confmat.comparison.families import adjusted
from confmat.comparison.outcome import Comparison
from confmat.comparison.ranking import Ranking, holds, short_name
from confmat.core.tables import Column, Table, Tabular, joined
from confmat.core.text import number, printable, some

# Changes of the order that are named.
_MOST_NAMED = 8
_MARKED = (
    "Ranks hold in all categories at once: {} differences are one family (Sidak, step by step)."
)


@dataclass(frozen=True, eq=False)
class Comparisons(Mapping[Any, Comparison], Tabular):
    """The comparison of the same models in each category of items; `axis` is what categories are of."""

    axis: str
    parts: Mapping[Any, Comparison]

    @classmethod
    def joined(cls, axis: str, parts: Mapping[Any, Comparison]) -> Comparisons:
        """Make one family of unadjusted comparisons of separate items."""
        scores = next(iter(parts.values())).scores
        found: dict[Any, list[Difference]] = {key: [] for key in parts}
        for score in scores:
            for key, difference in _adjusted_together(parts, score):
                found[key].append(difference)
        note = _MARKED.format(number(sum(map(len, found.values())) / len(scores)))
        return cls(
            axis,
            {
                key: replace(part, differences=tuple(found[key]), notes=(note,))
                for key, part in parts.items()
            },
        )

    def __getitem__(self, key: Any) -> Comparison:
        return self.parts[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def _first(self) -> Comparison:
        return next(iter(self.parts.values()))

    def changes(self, score: Any = None) -> list[tuple[str, str, list[Any], list[Any]]]:
        """Return where the order changes: two models, the categories where the first is better, and where it is worse.

        Parameters
        ----------
        score
            One of the scores that were compared; by default the first.
        """
        better: dict[tuple[str, str], list[Any]] = {}
        for key, part in self.parts.items():
            for difference in part.of_score(score):
                if difference.verdict == DIFFERENT:
                    gains = (difference.difference > 0) == (difference.better == "higher")
                    pair = (
                        (difference.second, difference.first)
                        if gains
                        else (difference.first, difference.second)
                    )
                    better.setdefault(pair, []).append(key)
        return [
            (first, second, better[first, second], better[second, first])
            for first, second in combinations(self._first.models, 2)
            if {(first, second), (second, first)} <= better.keys()
        ]

    def table(self, score: Any = None) -> Table:
        """Return a table with a row for each category, and score and ranks of each model.

        Parameters
        ----------
        score
            One of the scores that were compared; by default the first.
        """
        rankings = {key: part.ranking(score) for key, part in self.parts.items()}
        ranked = list(rankings.values())
        totals = [float(next(iter(part.matrices.values())).total) for part in self.parts.values()]
        columns = [
            Column(self.axis, [*self.parts], printable, self.axis, is_label=True, is_index=True),
            Column("items", totals, number),
        ]
        for model in sorted(self._first.models, key=partial(_mean_place, ranked)):
            texts = [_ranked(each, model) for each in ranked]
            columns.append(Column(None, texts, str, short_name(model)))
        lost = [
            f"{printable(key)}: no rank of {some(each.unranked)}."
            for key, each in rankings.items()
            if each.unranked
        ]
        asked = self._first.of_score(score)[0].score
        others = [other for other in self._first.scores if other != asked]
        more = [f"table({others[0]!r}) has another score, of {some(others)}."] if others else []
        notes = [
            f"Each cell is {ranked[0].score} with the ranks that the model may have.",
            *self._turns(score),
            *lost,
            *more,
            holds(self._first.level, in_tiers=False),
            *self._first.notes,
        ]
        return Table(tuple(columns), tuple(notes), then=self._rows(rankings))

    def _rows(self, rankings: Mapping[Any, Ranking]) -> Table:
        """A row for each model in each category, as of a ranking, for programs."""
        rows = joined(self.axis, {key: each.table() for key, each in rankings.items()})
        return replace(rows, columns=tuple(replace(column, head=None) for column in rows.columns))

    def _turns(self, score: Any) -> list[str]:
        """Sentences on the pairs of models whose order changes."""
        changes = self.changes(score)
        if not changes:
            return ["No pair of models is shown to change its order from one category to another."]
        turns = [
            f"The order changes: {short_name(first)} is better than {short_name(second)} in {some(up)}, and worse "
            f"in {some(down)}."
            for first, second, up, down in changes[:_MOST_NAMED]
        ]
        if len(changes) > _MOST_NAMED:
            turns.append(f"So do {len(changes) - _MOST_NAMED} other pairs: changes() has them.")
        return turns

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "by": self.axis,
            "categories": {str(key): part.to_dict() for key, part in self.parts.items()},
        }

    def __repr__(self) -> str:
        return f"<Comparisons by {printable(self.axis)}: {some(self.parts)}>"


def _ranked(ranking: Ranking, model: str) -> str:
    """The score of a model and the ranks that it may have."""
    if model not in ranking.models:
        return "–"
    _, estimate, low, high, _ = ranking.of(model)
    return f"{estimate.value:.3f} ({f'{low}–{high}' if low < high else low})"


def _mean_place(rankings: list[Ranking], model: str) -> float:
    """The place that a model has on average, where it has a rank."""
    places = [each.models.index(model) for each in rankings if model in each.models]
    return sum(places) / max(len(places), 1)


def _adjusted_together(
    parts: Mapping[Any, Comparison], score: str
) -> Iterator[tuple[Any, Difference]]:
    """The differences of a score in all parts, adjusted as one family, each with the key of its part."""
    members = [
        (key, place, difference)
        for key, part in parts.items()
        for place, difference in enumerate(part.of_score(score))
    ]

    @cache
    def at(key: Any, level: float) -> list[Difference]:
        return parts[key].again(score, level)

    def again(member: int, level: float) -> Difference:
        key, place, _ = members[member]
        return at(key, level)[place]

    each = adjusted([difference for *_, difference in members], "max-t", None, again)
    return zip((key for key, *_ in members), each, strict=True)

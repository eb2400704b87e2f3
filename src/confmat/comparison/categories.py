"""Categories: models compared on each part of a test set, with one family of differences for each score.

Parts hold separate items, and so many differences are held against Sidak's critical values for all
of them, step by step: what is said of ranks holds in all parts at once, and so does a change of the
order between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Any

from confmat.comparison.differences import DIFFERENT, Difference
from confmat.comparison.families import adjusted
from confmat.comparison.outcome import Comparison
from confmat.comparison.ranking import holds
from confmat.core.tables import Column, Table, Tabular, joined
from confmat.core.text import middle, number, printable, some

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
        """Make one family of comparisons of separate items, each of which was not adjusted."""
        scores = next(iter(parts.values())).scores
        found: dict[Any, list[Difference]] = {key: [] for key in parts}
        for score in scores:
            each = {
                key: [one for one in part.differences if one.score == score]
                for key, part in parts.items()
            }
            members = [
                (key, place) for key, some_of in each.items() for place in range(len(some_of))
            ]

            @cache
            def at(key: Any, level: float, score: str = score) -> list[Difference]:
                return parts[key].again(score, level)

            def again(
                member: int, level: float, members: Any = members, at: Any = at
            ) -> Difference:
                key, place = members[member]
                return at(key, level)[place]

            together = adjusted([each[key][place] for key, place in members], "max-t", None, again)
            for (key, _), one in zip(members, together, strict=True):
                found[key].append(one)
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

    def changes(self, score: Any = None) -> list[tuple[str, str, list[Any], list[Any]]]:
        """Return where the order changes: two models, the categories where the first is better, and where it is worse.

        Parameters
        ----------
        score
            One of the scores that were compared; by default the first.
        """
        better: dict[tuple[str, str], list[Any]] = {}
        for key, part in self.parts.items():
            for one in part.of_score(score):
                if one.verdict == DIFFERENT:
                    gains = (one.difference > 0) == (one.better == "higher")
                    pair = (one.second, one.first) if gains else (one.first, one.second)
                    better.setdefault(pair, []).append(key)
        models = next(iter(self.parts.values())).models
        return [
            (one, two, better[one, two], better[two, one])
            for one, two in permutations(models, 2)
            if models.index(one) < models.index(two) and {(one, two), (two, one)} <= better.keys()
        ]

    def table(self, score: Any = None) -> Table:
        """Return a table with a row for each category, and score and ranks of each model.

        Parameters
        ----------
        score
            One of the scores that were compared; by default the first.
        """
        rankings = {key: part.ranking(score) for key, part in self.parts.items()}
        first = next(iter(self.parts.values()))
        places = {
            model: [r.models.index(model) for r in rankings.values() if model in r.models]
            for model in first.models
        }
        models = sorted(
            first.models, key=lambda model: sum(places[model]) / max(len(places[model]), 1)
        )
        name = next(iter(rankings.values())).score
        totals = [float(next(iter(part.matrices.values())).total) for part in self.parts.values()]
        columns = [
            Column(self.axis, [*self.parts], printable, self.axis, is_label=True, is_index=True),
            Column("items", totals, number),
        ]
        for model in models:
            ranks = [each.of(model) if model in each.models else None for each in rankings.values()]
            texts = [
                f"{r.estimate.value:.3f} ({_span(r.low, r.high)})" if r else "–" for r in ranks
            ]
            columns.append(Column(None, texts, str, _name(model)))
        lost = [
            f"{printable(key)}: no rank of {some(each.unranked)}."
            for key, each in rankings.items()
            if each.unranked
        ]
        turns = [
            f"The order changes: {_name(one)} is better than {_name(two)} in {some(up)}, and worse "
            f"in {some(down)}."
            for one, two, up, down in self.changes(score)
        ]
        if len(turns) > _MOST_NAMED:
            turns[_MOST_NAMED:] = [
                f"So do {len(turns) - _MOST_NAMED} other pairs: changes() has them."
            ]
        others = [one for one in first.scores if one != self._score(score)]
        more = [f"table({others[0]!r}) has another score, of {some(others)}."] if others else []
        none = (
            []
            if turns
            else ["No pair of models is shown to change its order from one category to another."]
        )
        said = [
            f"Each cell is {name} with the ranks that the model may have.",
            *turns,
            *none,
            *lost,
            *more,
        ]
        # Programs read a row for each model in each category, as of a ranking.
        rows = joined(self.axis, {key: each.table() for key, each in rankings.items()})
        rows = replace(rows, columns=tuple(replace(one, head=None) for one in rows.columns))
        return Table(
            tuple(columns), (*said, holds(first.level, in_tiers=False), *first.notes), then=rows
        )

    def _score(self, score: Any) -> str:
        return next(iter(self.parts.values())).of_score(score)[0].score

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "by": self.axis,
            "categories": {str(key): part.to_dict() for key, part in self.parts.items()},
        }

    def __repr__(self) -> str:
        return f"<Comparisons by {printable(self.axis)}: {some(self.parts)}>"


def _name(model: str) -> str:
    return middle(printable(model), 30)


def _span(low: int, high: int) -> str:
    return f"{low}–{high}" if low < high else str(low)

"""Policies for unanswered items: a score with them as errors, left out, at worst and at best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

from confmat.core.errors import InputError, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.stack import Stack
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import number, printable, rate, some
from confmat.deciding.extremes import Open, span_of
from confmat.metrics.catalog import HEADLINE, Score, one_number


@dataclass(frozen=True)
class Without:
    """A score under every policy for items without an answer.

    wrong: they count as errors. excluded: they are left out. worst and best: the least and most
    favourable of all ways to answer them with classes; `exact` says that some way reaches them;
    otherwise no way goes beyond them.
    """

    score: str
    wrong: float
    excluded: float
    worst: float
    best: float
    exact: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a value that is undefined is None."""
        return dict(to_plain(asdict(self)))


class Unanswered(Mapping[str, Without], Tabular):
    """Scores under every policy for answers that are no class, with the coverage they go with.

    A mapping of score to `Without`. `unanswered` is how many items of the classes have no class for
    an answer (or their weight), `total` how many there are, and "coverage" the share that has one.
    """

    __slots__ = ("_found", "outside", "total", "unanswered")

    def __init__(
        self,
        scores: Mapping[str, Without],
        unanswered: int | float,
        total: int | float,
        outside: tuple[str, ...],
    ) -> None:
        self._found = dict(scores)
        self.unanswered, self.total, self.outside = unanswered, total, outside

    @property
    def coverage(self) -> float:
        """The share of items that were answered with a class."""
        return float(1 - self.unanswered / self.total) if self.total else float("nan")

    def __getitem__(self, score: str) -> Without:
        row = self._found.get(score)
        if row is None:
            msg = f"{printable(score)} was not asked for; there are {', '.join(self._found)}"
            raise KeyError(msg)
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        scores = [row.to_dict() for row in self._found.values()]
        return {
            "unanswered": self.unanswered,
            "total": self.total,
            "coverage": self.coverage,
            "scores": scores,
        }

    _prints_more = True

    def table(self) -> Table:
        """Return the scores under every policy as a table."""
        names = ", ".join(map(printable, self.outside))
        share = f"{number(self.unanswered)} of {number(self.total)} answers are no class{names and f': {names}'}"
        scores = list(self._found.values())
        columns = (
            Column(
                "score",
                [score.score for score in scores],
                printable,
                "",
                is_label=True,
                is_index=True,
            ),
            *(
                Column(name, [getattr(score, name) for score in scores], rate)
                for name in ("worst", "wrong", "excluded", "best")
            ),
            Column(
                "exact",
                [score.exact for score in scores],
                lambda exact: "" if exact else "outer bounds",
                "",
                align="<",
            ),
        )
        return Table(columns, title=f"{share}; coverage {self.coverage:.1%}")

    def __repr__(self) -> str:
        return f"<Unanswered: {len(self)} scores, coverage {self.coverage:.1%}>"


@door
def unanswered(m: ConfusionMatrix, *scores: Any) -> Unanswered:
    """Score a matrix with its unanswered items as errors, left out, at worst and at best.

    At worst and at best, every item with an answer outside the classes is given some class. Both
    are exact for accuracy, balanced accuracy, kappa, `cost`, shares of one class such as recall,
    specificity and F, and macro, weighted and micro means of recall, precision, F and jaccard, and
    for every score where few items are unanswered: all ways are tried. For mcc they are outer
    bounds. Items whose truth is outside the classes stay as they are.

    Parameters
    ----------
    m
        A matrix of counts with labels outside the classes; weighted items are refused.
    *scores
        Metrics or texts such as "f1.macro", or a list of them; by default accuracy, balanced
        accuracy, macro F1, kappa and mcc.

    Returns
    -------
    Unanswered
        A row for each score, and the coverage.

    Raises
    ------
    MetricError
        If no bounds of a score are known and there are too many ways to try.
    InputError
        If the items are weighted.

    Examples
    --------
    >>> m = ConfusionMatrix(
    ...     [[8, 1, 1], [2, 7, 1], [0, 0, 0]], labels=["cat", "hen"], outside=["(invalid)"]
    ... )
    >>> print(unanswered(m, "accuracy", "f1.macro"))
    2 of 20 answers are no class: (invalid); coverage 90.0%
              worst  wrong  excluded   best
    accuracy  0.750  0.750     0.833  0.850
    f1.macro  0.749  0.789     0.833  0.850
    """
    if not isinstance(m, ConfusionMatrix):
        remedy = "of each, unanswered(stack[key])" if isinstance(m, Stack) else MAKES_ONE
        msg = f"`unanswered` reads a ConfusionMatrix, not {type(m).__name__}; {remedy}"
        raise InputError(msg)
    items, k = Open.of(m), m.n_classes
    rows: dict[str, Without] = {}
    asked = [
        score
        for given in scores
        for score in (given if isinstance(given, (list, tuple)) else (given,))
    ]
    for score in (_whole(name, m.labels) for name in asked or HEADLINE):
        span = span_of(score, items)
        ends = (span.low, span.high) if score.metric.better == "higher" else (span.high, span.low)
        rows[str(score)] = Without(
            str(score), score(m), score(m, outside="exclude"), *ends, span.exact
        )
    total = m.actual_totals[:k].sum().item()
    columns = m.counts[:k, k:].sum(axis=0)
    names = tuple(compress(m.labels.outside, columns.tolist()))
    return Unanswered(rows, items.open.sum().item(), total, names)


def _whole(given: Any, labels: Labels) -> Score:
    """Read a score that is one number and better when higher, or when lower."""
    score = one_number(given, labels)
    if getattr(score.metric, "better", "neither") == "neither":
        msg = f"of {score} neither high nor low is better, so nothing is the worst or best of it: {some([str(score)])}"
        raise MetricError(msg)
    return score

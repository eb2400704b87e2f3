"""Grades of entities as in the shared tasks: correct, incorrect, partial, missing and spurious, in four schemes."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from confmat.core.tables import Column, Table, Tabular
from confmat.spans.counting import overlapping, read_both


@dataclass(frozen=True)
class Grade:
    """How many entities are what, by one scheme; `possible` are those of the truth, `actual` those predicted.

    A partial one counts half: precision is (correct + partial / 2) / actual, recall the same over possible, and F1
    their harmonic mean (Chinchor and Sundheim 1993). Nothing predicted leaves precision undefined: NaN.
    """

    correct: int
    incorrect: int
    partial: int
    missing: int
    spurious: int

    @property
    def possible(self) -> int:
        """Entities of the truth."""
        return self.correct + self.incorrect + self.partial + self.missing

    @property
    def actual(self) -> int:
        """Entities that were predicted."""
        return self.correct + self.incorrect + self.partial + self.spurious

    @property
    def precision(self) -> float:
        """Share of what was predicted that is right."""
        return self._share(self.actual)

    @property
    def recall(self) -> float:
        """Share of the truth that was found."""
        return self._share(self.possible)

    @property
    def f1(self) -> float:
        """2 x right / (possible + actual), which is the harmonic mean of both."""
        return 2 * self._share(self.possible + self.actual)

    def _share(self, bottom: int) -> float:
        return (self.correct + self.partial / 2) / bottom if bottom else float("nan")


@dataclass(frozen=True)
class SpanScores(Tabular):
    """Scores of entities by four schemes, from the strictest to the mildest.

    Attributes
    ----------
    strict
        Boundaries and class must be right.
    exact
        Boundaries must be right.
    partial
        Boundaries count, and an overlap counts half.
    type
        The class of overlapping entities must be right.
    """

    strict: Grade
    exact: Grade
    partial: Grade
    type: Grade

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Plain data: counts and scores of each scheme."""
        return {
            name: {**asdict(one), "precision": one.precision, "recall": one.recall, "f1": one.f1}
            for name, one in self._schemes()
        }

    def _schemes(self) -> list[tuple[str, Grade]]:
        return [(name, getattr(self, name)) for name in ("strict", "exact", "partial", "type")]

    def table(self) -> Table:
        """Return the schemes as a table: counts and scores."""
        grades = self._schemes()
        names = Column("scheme", [name for name, _ in grades], head="", is_label=True, is_index=True)
        facts = (*Grade.__dataclass_fields__, "precision", "recall", "f1")
        return Table((names, *(Column(fact, [getattr(one, fact) for _, one in grades]) for fact in facts)))


def span_scores(truth: Any, predicted: Any) -> SpanScores:
    """Grade entities by the four schemes of SemEval-2013 (Segura-Bedmar et al. 2013), in the categories of MUC-5.

    Parameters
    ----------
    truth, predicted
        Entities, as `count_spans` takes them; they are paired as with match="overlap".

    Returns
    -------
    SpanScores

    Examples
    --------
    >>> truth = [("a", 0, 4, "PER"), ("a", 10, 16, "LOC"), ("b", 3, 8, "ORG"), ("b", 20, 22, "PER")]
    >>> predicted = [("a", 0, 4, "PER"), ("a", 10, 16, "ORG"), ("b", 3, 7, "ORG")]
    >>> print(span_scores(truth, predicted))
             correct  incorrect  partial  missing  spurious  precision  recall     f1
    strict         1          2        0        1         0      0.333   0.250  0.286
    exact          2          1        0        1         0      0.667   0.500  0.571
    partial        2          0        1        1         0      0.833   0.625  0.714
    type           2          1        0        1         0      0.667   0.500  0.571
    """
    both = read_both(truth, predicted)
    rows, cols, shares = overlapping(both, 0.0)
    same, whole = both.labels[rows] == both.labels[cols], shares == 1
    missing, spurious = both.n_truth - len(rows), len(both) - both.n_truth - len(cols)

    def graded(correct: Any, partial: int = 0) -> Grade:
        right = int(np.count_nonzero(correct))
        return Grade(right, len(rows) - right - partial, partial, missing, spurious)

    return SpanScores(
        strict=graded(same & whole),
        exact=graded(whole),
        partial=graded(whole, int(np.count_nonzero(~whole))),
        type=graded(same),
    )

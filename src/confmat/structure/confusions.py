"""Confusions: the pairs of classes that are taken for each other, and which of them stand out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import how_many, one_of
from confmat.core.tables import Column, Table, class_name, percent, to_plain
from confmat.core.text import number
from confmat.structure.independence import expected_errors
from confmat.structure.offdiagonal import Array, Errors, Outside, check_matrix, read_errors
from confmat.structure.rows import Rows, expectation, multiple, probability, star
from confmat.structure.testing import adjusted, check_alpha, surprise

__all__ = ["By", "Confusion", "Confusions", "top_confusions"]

By = Literal["excess", "count", "share", "lift", "asymmetry"]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Items of one class that were predicted as another.

    `share` is the part of the actual class; `expected` what quasi-independence gives, `lift` and `excess` count over
    and count less that; `p_value` the chance of so many or more, `q_value` the same for having looked at all pairs,
    `flagged` whether it is at most alpha. `reverse` is the count the other way round, `asymmetry` the difference
    of both over the root of their sum, which is near a standard normal where both ways are equally likely.
    """

    actual: Any
    predicted: Any
    count: int | float
    share: float
    expected: float
    lift: float
    excess: float
    p_value: float
    q_value: float
    flagged: bool
    reverse: int | float
    asymmetry: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        return to_plain(asdict(self), "none")


@dataclass(frozen=True, eq=False)
class Confusions(Rows[Confusion]):
    """Pairs of classes, the foremost first, each a `Confusion` when it is asked for.

    `errors` is the sum of all errors they were chosen from, `pairs` the number of pairs confused at least once,
    `flagged` how many of those stand out, `tested` how many pairs could have been confused.
    """

    by: By
    alpha: float
    errors: float
    pairs: int
    flagged: int
    tested: int
    notes: tuple[str, ...] = ()

    _row = Confusion

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the pairs under "confusions", and what they were chosen from."""
        facts = {name: getattr(self, name) for name in ("by", "alpha", "errors", "pairs", "flagged", "tested")}
        return {"confusions": [one.to_dict() for one in self], **facts, "notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"<Confusions: {len(self):,} of {self.pairs:,} pairs by {self.by}, {self.flagged:,} stand out>"

    def table(self) -> Table:
        """Return the pairs as a table."""
        of, count, share, chance = self.columns, number, percent, probability
        columns = (
            Column("actual", of["actual"], class_name, is_label=True),
            Column("predicted", of["predicted"], class_name, is_label=True),
            Column("count", of["count"], count),
            Column("share", of["share"], share),
            Column("expected", of["expected"], expectation),
            Column("lift", of["lift"], multiple),
            Column(None, of["reverse"], count, head="reverse"),
            *(Column(name, of[name], head=None) for name in ("excess", "p_value")),
            Column("q_value", of["q_value"], chance, head="q"),
            Column("flagged", of["flagged"], star, head="", align="<"),
            *(Column(name, of[name], head=None) for name in ("reverse", "asymmetry")),
        )
        return Table(columns, tuple(self._sentences()))

    def _sentences(self) -> list[str]:
        if not self.pairs:
            return ["no class was taken for another", *self.notes]
        shown = f"{len(self):,} of " if len(self) < self.pairs else ""
        notes = [f"{shown}{self.pairs:,} confused pairs, {number(self.errors)} errors, by {self.by}"]
        if not any("unknown" in note for note in self.notes):
            stand = "stands" if self.flagged == 1 else "stand"
            notes.append(f"* {self.flagged:,} {stand} out from quasi-independence (q ≤ {self.alpha:g})")
        return [*notes, *self.notes]


def top_confusions(
    m: ConfusionMatrix,
    n: int | None = 20,
    *,
    by: By = "excess",
    alpha: float = 0.05,
    outside: Outside = "exclude",
) -> Confusions:
    """The pairs of classes most confused with each other, those first that no pair of margins explains.

    Counts favour large classes, and lift favours pairs seen once. So the default ranks by the excess over
    quasi-independence: what a pair would have if its errors knew only how often the one class errs and how often the
    other is named wrongly. `by` takes "count", "share", "lift" or "asymmetry" as well. Every pair has the chance of
    so many errors or more (a Poisson tail), and is flagged where that survives Benjamini and Hochberg's procedure at
    `alpha` over all pairs that could have been confused. `n=None` gives all pairs with an error.

    Weights are counted in units of their mean item. Of sums of weights whose squares the matrix does not know there is
    no chance to tell: `p_value` is NaN, nothing is flagged, and the print says so; a float table of whole numbers is
    taken for counts.

    `outside="wrong"` takes labels outside the classes, such as "(abstained)", as what one can be confused with.

    >>> m = ConfusionMatrix([[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]], ["cat", "dog", "hen", "owl"])
    >>> print(top_confusions(m, 3))
    actual  predicted  count  share  expected  lift  reverse      q
    hen     owl            4   4.0%      0.63  ×6.4        3  0.047  *
    cat     dog            9   9.0%       5.8  ×1.5       12  0.547
    dog     cat           12  12.0%       9.7  ×1.2        9  0.793
    <BLANKLINE>
    3 of 10 confused pairs, 36 errors, by excess
    * 1 stands out from quasi-independence (q ≤ 0.05)
    """
    check_matrix(m, "top_confusions")
    n, alpha = how_many("n", n), check_alpha(alpha)
    one_of("by", by, By)
    errors = read_errors(m, outside)
    measures = _measures(errors, alpha)
    order = _foremost(measures[by], measures["count"], n)
    columns = _columns(errors, measures, order)
    notes = _notes(errors)
    return Confusions(
        columns,
        by,
        alpha,
        errors=_plain(errors.exact.sum()) if len(errors.exact) else 0,
        pairs=len(errors.counts),
        flagged=int(measures["flagged"].sum()),
        tested=_possible(errors),
        notes=notes,
    )


# Weights may lie so far apart that nothing is expected of a cell; its lift is then infinite.
@np.errstate(all="ignore")
def _measures(errors: Errors, alpha: float) -> dict[str, Array]:
    """Everything that is said of each confused pair, in the order of the cells."""
    counts, reverse = errors.counts, errors.reverse.astype(np.float64)
    expected = expected_errors(errors.lost, errors.received).at(errors.rows, errors.cols)
    p = surprise(counts, expected, errors.unit)
    q = adjusted(p, _possible(errors))
    return {
        "count": counts,
        "share": counts / errors.actual[errors.rows],
        "expected": expected,
        "lift": counts / expected,
        # What is left by rounding is none.
        "excess": np.where(np.abs(counts - expected) > 1e-9 * counts, counts - expected, 0.0),
        "p_value": p,
        "q_value": q,
        "flagged": q <= alpha,
        "reverse": reverse,
        "asymmetry": (counts - reverse) / np.sqrt(counts + reverse),
    }


def _possible(errors: Errors) -> int:
    """How many pairs could be confused: a class that errs, and another that is named wrongly."""
    errs, named = errors.lost > 0, errors.received > 0
    return int(errs.sum()) * int(named.sum()) - int((errs & named).sum())


def _foremost(values: Array, counts: Array, n: int | None) -> Array:
    """Positions of the largest values; equal ones by count, then as they stand in the matrix.

    Values that differ by a trifle are equal, so that no order hangs on how sums were rounded.
    """
    step = float(np.abs(values).max(initial=0)) * 2.0**-36 or 1.0
    order = np.lexsort((-counts, -np.round(values / step)))
    return np.asarray(order if n is None else order[:n])


def _columns(errors: Errors, measures: dict[str, Array], order: Array) -> dict[str, list[Any]]:
    """The fields of `Confusion`, for the chosen pairs alone."""
    name = errors.labels.__getitem__
    columns: dict[str, list[Any]] = {
        "actual": [name(i) for i in errors.rows[order].tolist()],
        "predicted": [name(i) for i in errors.cols[order].tolist()],
    }
    columns |= {key: values[order].tolist() for key, values in measures.items()}
    columns["count"] = errors.exact[order].tolist()
    columns["reverse"] = errors.reverse[order].tolist()
    return columns


def _notes(errors: Errors) -> tuple[str, ...]:
    notes = []
    if errors.left_out:
        names = ", ".join(map(class_name, errors.labels.outside))
        notes.append(f"errors with labels outside the classes, {names}, are left out: {number(errors.left_out)}")
    if errors.unit is None:
        notes.append(
            "p and q are unknown: weights were added up without their squares, so nobody knows of how many items"
        )
    return tuple(notes)


def _plain(value: Any) -> int | float:
    number: int | float = value.item()
    return number

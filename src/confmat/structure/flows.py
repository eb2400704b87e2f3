"""Flows: classes that attract more wrong answers than their size explains, and classes that lose more."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import how_many
from confmat.core.tables import Column, Table, class_name, percent, to_plain
from confmat.core.text import number
from confmat.structure.offdiagonal import Array, Errors, Outside, check_matrix, read_errors
from confmat.structure.rows import Rows, expectation, multiple, probability, star
from confmat.structure.testing import adjusted, check_alpha, surprise

__all__ = ["Flow", "Flows", "sinks", "sources"]

Kind = Literal["sinks", "sources"]
# So many partners are named for each class.
_PARTNERS = 3


@dataclass(frozen=True, slots=True)
class Flow:
    """A class and the errors that flow into it (a sink) or out of it (a source).

    `share` is the part of the answers naming the class that are wrong, or of its items that are answered wrongly.
    `partners` are the classes that most of the errors come from or go to, with their counts.
    """

    label: Any
    count: int | float
    share: float
    expected: float
    lift: float
    excess: float
    p_value: float
    q_value: float
    flagged: bool
    partners: tuple[tuple[Any, int | float], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        return to_plain(asdict(self), "none")


@dataclass(frozen=True, eq=False)
class Flows(Rows[Flow]):
    """Classes by their excess of errors, the largest first; `flagged` counts all that stand out.

    `to_pandas`, `to_polars`, `to_csv` and `to_markdown` make a table of it.
    """

    kind: Kind
    alpha: float
    classes: int
    flagged: int
    notes: tuple[str, ...] = ()

    _row = Flow

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the classes under "sinks" or "sources"."""
        facts = {name: getattr(self, name) for name in ("alpha", "classes", "flagged")}
        return {self.kind: [one.to_dict() for one in self], **facts, "notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"<Flows: {len(self):,} {self.kind} of {self.classes:,} classes, {self.flagged:,} stand out>"

    def table(self) -> Table:
        """Return the classes as a table; partners are text."""
        sink, of = self.kind == "sinks", self.columns
        partners = list(map(_partners, of["partners"]))
        columns = (
            Column("label", of["label"], class_name, head=self.kind[:-1], is_label=True),
            Column("count", of["count"], number, head="errors"),
            Column("share", of["share"], percent),
            Column("expected", of["expected"], expectation),
            Column("lift", of["lift"], multiple),
            *(Column(name, of[name], head=None) for name in ("excess", "p_value")),
            Column("q_value", of["q_value"], probability, head="q"),
            Column("flagged", of["flagged"], star, head="", align="<"),
            Column("partners", partners, str, head="from" if sink else "to", is_label=True),
        )
        what = "attract more wrong answers" if sink else "are answered wrongly more often"
        note = f"* {self.flagged:,} of {self.classes:,} classes {what} than their size explains"
        return Table(columns, (note, *self.notes))


def _partners(partners: tuple[tuple[Any, int | float], ...]) -> str:
    return ", ".join(f"{class_name(label)} {number(count)}" for label, count in partners)


def sinks(m: ConfusionMatrix, n: int | None = 20, *, alpha: float = 0.05, outside: Outside = "exclude") -> Flows:
    """Classes that attract wrong answers, by the excess over what their size explains.

    Expected is what a class would receive if the errors of every other class were spread over the rest in proportion
    to their items. (Quasi-independence has no say here: its columns add up to what was received.) The p-value is a
    Poisson tail, and the flag survives Benjamini and Hochberg's procedure over all classes. Only classes with a
    wrong answer are listed; `n=None` gives all of them.

    >>> m = ConfusionMatrix([[90, 1, 9], [1, 90, 9], [1, 0, 99]], ["cat", "dog", "other pet"])
    >>> print(sinks(m, 1))
    sink       errors  share  expected  lift      q     from
    other pet      18  15.4%      10.0  ×1.8  0.043  *  cat 9, dog 9
    <BLANKLINE>
    * 1 of 3 classes attract more wrong answers than their size explains
    """
    errors = _read(m, "sinks", n, alpha, outside)
    total = errors.actual.sum()
    # The errors of a class per item of all others; a class that is the only one to occur spreads them evenly.
    others = total - errors.actual
    rate = np.divide(errors.lost, others, out=np.zeros(errors.size), where=others > 0)
    expected = errors.actual * (rate.sum() - rate)
    lone = np.flatnonzero((others <= 0) & (errors.lost > 0))
    for place in lone.tolist():
        expected += np.where(np.arange(errors.size) == place, 0, errors.lost[place] / max(errors.size - 1, 1))
    named = m.predicted_totals[: errors.size].astype(np.float64)
    return _flows("sinks", errors, errors.received, named, expected, n, alpha)


def sources(m: ConfusionMatrix, n: int | None = 20, *, alpha: float = 0.05, outside: Outside = "exclude") -> Flows:
    """Classes whose items are answered wrongly, by the excess over what their size explains.

    Expected is what a class would lose if all classes erred at one rate. p-values, flags and `n` as in `sinks`.

    >>> m = ConfusionMatrix([[90, 1, 9], [1, 90, 9], [1, 0, 99]], ["cat", "dog", "other pet"])
    >>> [(flow.label, flow.count, round(flow.expected, 9)) for flow in sources(m)]
    [('cat', 10, 7.0), ('dog', 10, 7.0), ('other pet', 1, 7.0)]
    """
    errors = _read(m, "sources", n, alpha, outside)
    total = errors.actual.sum()
    expected = errors.actual * (errors.total / total if total else 0.0)
    return _flows("sources", errors, errors.lost, errors.actual, expected, n, alpha)


def _read(m: Any, asker: str, n: Any, alpha: Any, outside: Outside) -> Errors:
    check_matrix(m, asker)
    how_many("n", n)
    check_alpha(alpha)
    return read_errors(m, outside)


@np.errstate(all="ignore")
def _flows(
    kind: Kind, errors: Errors, found: Array, whole: Array, expected: Array, n: int | None, alpha: float
) -> Flows:
    """The classes with an error, by excess; equal ones by count, then as they stand."""
    unit = _units(errors, kind)
    some = np.flatnonzero(found > 0)
    counts, mean = found[some], expected[some]
    p = surprise(counts, mean, None if unit is None else unit[some])
    q = adjusted(p, errors.size)
    excess = counts - mean
    order = np.lexsort((some, -counts, -np.round(excess / max(errors.total, 1e-300), 12)))[:n]
    lift = counts / mean
    columns: dict[str, Array] = {
        "share": counts / whole[some],
        "expected": mean,
        "lift": lift,
        "excess": excess,
        "p_value": p,
        "q_value": q,
        "flagged": q <= alpha,
    }
    places = some[order].tolist()
    weighted = errors.exact.dtype.kind == "f"
    listed: dict[str, list[Any]] = {
        "label": [errors.labels[place] for place in places],
        "count": [value if weighted else round(value) for value in counts[order].tolist()],
    }
    listed |= {name: values[order].tolist() for name, values in columns.items()}
    listed["partners"] = _most(errors, kind, places)
    notes = () if unit is not None else ("p and q are unknown: weights were added up without their squares",)
    return Flows(listed, kind, alpha, errors.size, int(columns["flagged"].sum()), notes)


def _units(errors: Errors, kind: Kind) -> Array | None:
    """The mean weight of one error per class: sum of squares over sum."""
    if errors.unit is None:
        return None
    places = errors.cols if kind == "sinks" else errors.rows
    sums = errors.received if kind == "sinks" else errors.lost
    squares = np.bincount(places, weights=errors.counts * errors.unit, minlength=errors.size)
    return np.divide(squares, sums, out=np.ones(errors.size), where=sums > 0)


def _most(errors: Errors, kind: Kind, places: list[int]) -> list[tuple[tuple[Any, int | float], ...]]:
    """The partners of each class that most errors are shared with."""
    mine, theirs = (errors.cols, errors.rows) if kind == "sinks" else (errors.rows, errors.cols)
    order = np.lexsort((theirs, -errors.counts, mine))
    starts = np.searchsorted(mine[order], np.arange(errors.size + 1))
    found = []
    for place in places:
        cells = order[starts[place] : min(starts[place + 1], starts[place] + _PARTNERS)]
        pairs = zip(theirs[cells].tolist(), errors.exact[cells].tolist(), strict=True)
        found.append(tuple((errors.labels[other], count) for other, count in pairs))
    return found

"""Confusions and flows: the pairs of classes, and the classes, that have more errors than independence expects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeVar, overload

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, how_many, one_of
from confmat.core.tables import (
    DASH,
    Column,
    Table,
    Tabular,
    class_name,
    class_names,
    percent,
    to_plain,
)
from confmat.core.text import are, number
from confmat.metrics.margins import Outside
from confmat.structure.errors import (
    Array,
    Errors,
    adjusted,
    check_alpha,
    check_matrix,
    read_errors,
    surprise,
)
from confmat.structure.evidence import ALPHA, Evidence, evidence, foremost

Row = TypeVar("Row")


@dataclass(frozen=True, eq=False)
class Rows(Sequence[Row], Tabular):
    """Columns of one length; a subclass says what a row is and what its table shows."""

    columns: dict[str, list[Any]]

    # The class of a row.
    _row: ClassVar[type[Any]]

    def __len__(self) -> int:
        return len(self.columns["count"])

    @overload
    def __getitem__(self, position: int) -> Row: ...
    @overload
    def __getitem__(self, position: slice) -> Self: ...
    def __getitem__(self, position: int | slice) -> Row | Self:
        part = {name: column[position] for name, column in self.columns.items()}
        if isinstance(position, slice):
            return replace(self, columns=part)
        row: Row = self._row(**part)
        return row

    def __iter__(self) -> Iterator[Row]:
        for row in zip(*self.columns.values(), strict=True):
            yield self._row(*row)

    def __eq__(self, other: object) -> bool:
        return (
            self.to_dict() == other.to_dict() if isinstance(other, type(self)) else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the rows, and what they were chosen from, as plain data."""


# ---- how their numbers read ----------------------------------------------------------------------


def expectation(value: float) -> str:
    """Return an expected count as text: one decimal where it matters, two digits where it is small."""
    if value != value:
        return DASH
    if value >= 100:
        return number(round(value))
    return f"{value:.1f}" if value >= 0.95 else f"{value:.2g}"


def multiple(lift: float) -> str:
    """Return how many times the expected count there are, as text.

    >>> multiple(99.4), multiple(99.7)
    ('×99.4', '×100')
    """
    if lift != lift:
        return DASH
    if lift == np.inf:
        return DASH
    return f"×{lift:,.0f}" if lift >= 99.5 else f"×{lift:.1f}"


def probability(value: float) -> str:
    """Return a probability as people print it."""
    if value != value:
        return DASH
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if value < 0.9995 else "1"


# The mark of a row that stands out.
STAR = {True: "*", False: ""}


@dataclass(frozen=True, slots=True)
class Counted:
    """A row of fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        return to_plain(asdict(self), "none")


_MEASURES = (
    "count",
    "share",
    "expected",
    "lift",
    "excess",
    "p_value",
    "q_value",
    "flagged",
    "reverse",
    "asymmetry",
)
By = Literal["evidence", "excess", "count", "share", "lift", "asymmetry"]


@dataclass(frozen=True, slots=True)
class Confusion(Counted):
    """Items of one class that were predicted as another.

    `share` is the part of the actual class; `expected` what quasi-independence gives, `lift` and
    `excess` count over and count less that; `p_value` the chance of as many or more, `q_value` the
    same for having looked at all pairs, `flagged` whether it is at most alpha. `reverse` is the
    count the other way round, `asymmetry` the difference of both over the root of their sum, which
    is near a standard normal where both ways are equally likely.
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


@dataclass(frozen=True, eq=False)
class Confusions(Rows[Confusion]):
    """Pairs of classes, the foremost first, each a `Confusion` when it is asked for.

    `errors` is the sum of all errors they were chosen from, `pairs` the number of pairs confused at
    least once, `flagged` how many of those stand out, `tested` how many pairs could have been
    confused.
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
        facts = {
            name: getattr(self, name)
            for name in ("by", "alpha", "errors", "pairs", "flagged", "tested")
        }
        return {
            "confusions": [confusion.to_dict() for confusion in self],
            **facts,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<Confusions: {len(self):,} of {self.pairs:,} pairs by {self.by}, {self.flagged:,} stand out>"

    def table(self) -> Table:
        """Return the pairs as a table."""
        of, count, share, chance = self.columns, number, percent, probability
        name = class_names([*of["actual"], *of["predicted"]])
        columns = (
            Column("actual", of["actual"], name, is_label=True),
            Column("predicted", of["predicted"], name, is_label=True),
            Column("count", of["count"], count),
            Column("share", of["share"], share),
            Column("expected", of["expected"], expectation),
            Column("lift", of["lift"], multiple),
            Column(None, of["reverse"], count, head="reverse"),
            *(Column(name, of[name], head=None) for name in ("excess", "p_value")),
            Column("q_value", of["q_value"], chance, head="q"),
            Column("flagged", of["flagged"], STAR.__getitem__, head="", align="<"),
            *(Column(name, of[name], head=None) for name in ("reverse", "asymmetry")),
        )
        return Table(columns, tuple(self._sentences()))

    def _sentences(self) -> list[str]:
        if not self.pairs:
            return ["no class was taken for another", *self.notes]
        shown = f"{len(self):,} of " if len(self) < self.pairs else ""
        notes = [
            f"{shown}{self.pairs:,} confused pairs, {number(self.errors)} errors, by {self.by}"
        ]
        if not all(p != p for p in self.columns["p_value"]):
            notes.append(
                f"* {are(self.flagged)} shown to be more than the other errors explain (q ≤ "
                f"{self.alpha:g})"
            )
        return [*notes, *self.notes]


@door
def top_confusions(
    m: ConfusionMatrix,
    n: int | None = 20,
    *,
    by: By = "evidence",
    alpha: float = ALPHA,
    outside: Outside | None = None,
) -> Confusions:
    """Rank the pairs of classes that are confused more than their sizes and error rates explain.

    Counts favour large classes, and lift favours pairs seen once. So the default ranks by what is
    shown: pairs that have more errors than quasi-independence expects, by the lower bound of that
    excess, and then all others. Expected are the errors of a pair if they depended only on how
    often the one class errs and how often the other is named wrongly; pairs that stand out leave
    that fit, so that one large confusion makes no others. Every pair has the probability of as many
    errors or more, given the rest of the table, and is flagged where that survives Benjamini and
    Hochberg's procedure over all pairs that could have been confused.

    Weights are counted in units of their mean item, and the cells of a sample or of judged items
    have the variance that they were drawn with. Sums of weights whose squares the matrix does not
    know allow no test: `p_value` is NaN, nothing is flagged, and the print says so; a float table
    of whole numbers is taken for counts. Nor are the errors of up to four classes tested: nearly
    any would follow from their sums. Their pairs are ordered by count.

    Parameters
    ----------
    m
        The matrix.
    n
        The number of pairs; None gives all pairs with an error.
    by
        "evidence", or one figure: "excess", "count", "share", "lift" or "asymmetry".
    alpha
        The false discovery rate of the flags.
    outside
        "wrong" counts labels outside the classes, such as "(abstained)", as classes to be confused
        with, "exclude" leaves them out. By itself they count where they are answers alone, and no
        item is of them.

    Returns
    -------
    Confusions
        The pairs, the most confused first.

    Examples
    --------
    >>> rows = [
    ...     [78, 18, 1, 2, 1],
    ...     [15, 78, 2, 3, 2],
    ...     [1, 2, 93, 2, 2],
    ...     [2, 3, 3, 90, 2],
    ...     [3, 2, 2, 3, 90],
    ... ]
    >>> m = ConfusionMatrix(rows, ["cat", "dog", "hen", "owl", "pig"])
    >>> print(top_confusions(m, 3))
    actual  predicted  count  share  expected   lift  reverse       q
    cat     dog           18  18.0%       1.3  ×13.6       15  <0.001  *
    dog     cat           15  15.0%       2.0   ×7.6       18   0.003  *
    pig     cat            3   3.0%       2.1   ×1.4        1   0.799
    <BLANKLINE>
    3 of 20 confused pairs, 71 errors, by evidence
    * 2 are shown to be more than the other errors explain (q ≤ 0.05)
    """
    check_matrix(m, "top_confusions")
    n, alpha = how_many("n", n), check_alpha(alpha)
    one_of("by", by, By)
    found = evidence(m, outside, alpha)
    errors = found.errors
    order = found.order(n) if by == "evidence" else foremost(_measure(found, by), errors.counts, n)
    columns = _columns(found, order)
    total = errors.exact.sum().item() if len(errors.exact) else 0
    return Confusions(
        columns,
        by,
        alpha,
        total,
        len(errors.counts),
        int(found.held.sum()),
        found.tested,
        notes_of(found),
    )


# Weights may lie so far apart that nothing is expected of a cell; its lift is then infinite.
@np.errstate(all="ignore")
def _measure(found: Evidence, name: str, places: Any = slice(None)) -> Array:
    """One of the measures of `Confusion`, of some pairs."""
    errors = found.errors
    counts = errors.counts[places]
    if name in {"reverse", "asymmetry"}:
        reverse = errors.reverse(places)
        if name == "reverse":
            return reverse
        return np.asarray((counts - reverse) / np.sqrt(counts + reverse))
    if name == "share":
        return np.asarray(counts / errors.actual[errors.rows[places]])
    if name == "lift":
        return np.asarray(counts / found.expected[places])
    known = {"count": errors.exact, "expected": found.expected, "excess": found.excess}
    known |= {"p_value": found.p, "q_value": found.q, "flagged": found.held}
    return known[name][places]


# Weights may lie so far apart that nothing is expected of a cell; its lift is then infinite.
@np.errstate(all="ignore")
def _measures(
    counts: Array, whole: Array, expected: Array, unit: Array | None, tests: int, alpha: float
) -> dict[str, Array]:
    """How counts compare with the expected ones: the fields that `Confusion` and `Flow` share."""
    p = surprise(counts, expected, unit)
    q = adjusted(p, tests)
    # An excess that rounding left is zero.
    excess = np.where(np.abs(counts - expected) > 1e-9 * counts, counts - expected, 0.0)
    return {
        "count": counts,
        "share": counts / whole,
        "expected": expected,
        "lift": counts / expected,
        "excess": excess,
        "p_value": p,
        "q_value": q,
        "flagged": q <= alpha,
    }


def _columns(found: Evidence, order: Array) -> dict[str, list[Any]]:
    """The fields of `Confusion`, for the chosen pairs alone."""
    errors = found.errors
    name = errors.labels.__getitem__
    columns: dict[str, list[Any]] = {
        "actual": [name(i) for i in errors.rows[order].tolist()],
        "predicted": [name(i) for i in errors.cols[order].tolist()],
    }
    return columns | {key: _measure(found, key, order).tolist() for key in _MEASURES}


def notes_of(found: Evidence) -> tuple[str, ...]:
    """Errors that were left out, and why none is tested."""
    errors, notes = found.errors, []
    if errors.left_out:
        names = ", ".join(map(class_name, errors.labels.outside))
        notes.append(
            f"errors with labels outside the classes, {names}, are left out: "
            f"{number(errors.left_out)}"
        )
    return (*notes, *filter(None, [found.untested]))


Kind = Literal["sinks", "sources"]
# The most partners that are named for each class.
_PARTNERS = 3


@dataclass(frozen=True, slots=True)
class Flow(Counted):
    """A class and the errors that flow into it (a sink) or out of it (a source).

    `share` is the part of the answers naming the class that are wrong, or of its items that are
    answered wrongly. `partners` are the classes that most of the errors come from or go to, with
    their counts.
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
        return {self.kind: [flow.to_dict() for flow in self], **facts, "notes": list(self.notes)}

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
            Column("flagged", of["flagged"], STAR.__getitem__, head="", align="<"),
            Column("partners", partners, str, head="from" if sink else "to", is_label=True),
        )
        what = "attract more wrong answers" if sink else "are answered wrongly more often"
        note = f"* {self.flagged:,} of {self.classes:,} classes {what} than their size explains"
        return Table(columns, (note, *self.notes))


def _partners(partners: tuple[tuple[Any, int | float], ...]) -> str:
    return ", ".join(f"{class_name(label)} {number(count)}" for label, count in partners)


def sinks(
    m: ConfusionMatrix, n: int | None = 20, *, alpha: float = 0.05, outside: Outside = "exclude"
) -> Flows:
    """List the classes that attract wrong answers, by the excess over what their size explains.

    Expected is what a class would receive if the errors of every other class were spread over the
    rest in proportion to their items. (Quasi-independence has no say here: its columns add up to
    what was received.) The p-value is a Poisson tail, and the flag survives Benjamini and
    Hochberg's procedure over all classes.

    Parameters
    ----------
    m
        The matrix.
    n
        The most classes to list, None for all; only classes with a wrong answer are listed.
    alpha
        The largest q-value of a flagged class.
    outside
        "exclude" counts confusions between classes alone, "wrong" all errors.

    Returns
    -------
    Flows

    Examples
    --------
    >>> m = ConfusionMatrix([[90, 1, 9], [1, 90, 9], [1, 0, 99]], ["cat", "dog", "other pet"])
    >>> print(sinks(m, 1))
    sink       errors  share  expected  lift      q     from
    other pet      18  15.4%      10.0  ×1.8  0.043  *  cat 9, dog 9
    <BLANKLINE>
    * 1 of 3 classes attract more wrong answers than their size explains
    """
    errors = _read(m, "sinks", n, alpha, outside)
    total = errors.actual.sum()
    # The errors of a class per item of all others; a class that is the only one to occur spreads
    # them evenly.
    others = total - errors.actual
    rate = np.divide(errors.lost, others, out=np.zeros(errors.size), where=others > 0)
    expected = errors.actual * (rate.sum() - rate)
    lone = np.flatnonzero((others <= 0) & (errors.lost > 0))
    for place in lone.tolist():
        expected += np.where(
            np.arange(errors.size) == place, 0, errors.lost[place] / max(errors.size - 1, 1)
        )
    named = m.predicted_totals[: errors.size].astype(np.float64)
    return _flows("sinks", errors, errors.received, named, expected, n, alpha)


def sources(
    m: ConfusionMatrix, n: int | None = 20, *, alpha: float = 0.05, outside: Outside = "exclude"
) -> Flows:
    """List the classes whose items are answered wrongly, by the excess over what their size explains.

    Expected is what a class would lose if all classes erred at one rate. p-values and flags are
    those of `sinks`.

    Parameters
    ----------
    m
        The matrix.
    n
        The most classes to list, None for all; only classes with a wrong answer are listed.
    alpha
        The largest q-value of a flagged class.
    outside
        "exclude" counts confusions between classes alone, "wrong" all errors.

    Returns
    -------
    Flows

    Examples
    --------
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


def _flows(
    kind: Kind,
    errors: Errors,
    wrong: Array,
    whole: Array,
    expected: Array,
    n: int | None,
    alpha: float,
) -> Flows:
    """The classes with an error, by excess; equal ones by count, then in their order."""
    unit, some = _units(errors, kind), np.flatnonzero(wrong > 0)
    known = None if unit is None else unit[some]
    measures = _measures(wrong[some], whole[some], expected[some], known, errors.size, alpha)
    steps = np.round(measures["excess"] / max(errors.total, 1e-300), 12)
    order = np.lexsort((some, -measures["count"], -steps))[:n]
    places = some[order].tolist()
    columns: dict[str, list[Any]] = {"label": [errors.labels[place] for place in places]}
    columns |= {name: values[order].tolist() for name, values in measures.items()}
    if errors.exact.dtype.kind != "f":
        columns["count"] = [round(value) for value in columns["count"]]
    columns["partners"] = _most(errors, kind, places)
    notes = (
        ()
        if unit is not None
        else ("p and q are unknown: weights were added up without their squares",)
    )
    return Flows(columns, kind, alpha, errors.size, int(measures["flagged"].sum()), notes)


def _units(errors: Errors, kind: Kind) -> Array | None:
    """The mean weight of one error per class: sum of squares over sum."""
    if errors.unit is None:
        return None
    places = errors.cols if kind == "sinks" else errors.rows
    sums = errors.received if kind == "sinks" else errors.lost
    squares = np.bincount(places, weights=errors.counts * errors.unit, minlength=errors.size)
    return np.divide(squares, sums, out=np.ones(errors.size), where=sums > 0)


def _most(
    errors: Errors, kind: Kind, places: list[int]
) -> list[tuple[tuple[Any, int | float], ...]]:
    """The partners of each class that most errors are shared with."""
    mine, theirs = (errors.cols, errors.rows) if kind == "sinks" else (errors.rows, errors.cols)
    order = np.lexsort((theirs, -errors.counts, mine))
    starts = np.searchsorted(mine[order], np.arange(errors.size + 1))
    partners = []
    for place in places:
        cells = order[starts[place] : min(starts[place + 1], starts[place] + _PARTNERS)]
        pairs = zip(theirs[cells].tolist(), errors.exact[cells].tolist(), strict=True)
        partners.append(tuple((errors.labels[other], count) for other, count in pairs))
    return partners

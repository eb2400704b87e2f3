"""Inference: the matrices that printed scores allow, how many, which, and the range of every other score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

from confmat.auditing.claims import SUPPORT, TOTAL, Claim, claimed_pairs, printed, read_claims
from confmat.auditing.reports import Reports, reports
from confmat.auditing.solutions import Asked, Range, Witness, asked_of
from confmat.auditing.two_classes import TWO, Tables, tables
from confmat.core.align import named
from confmat.core.errors import Argument, InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, told, whole_number
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import middle, printable, table
from confmat.metrics import parse_score
from confmat.metrics.catalog import USUAL_OF_SEVERAL, USUAL_OF_TWO


class Inference(Tabular):
    """All tables of counts with these totals and these printed scores.

    `count` is how many there are; `complete` says whether it is exact, and otherwise it is a lower
    bound and `notes` say why. `verdict` is "unique", "many", "none", or "unknown" where the budget
    ended before the first solution. `range("mcc")` gives the least and greatest value of a score
    that was not printed.
    """

    __slots__ = ("_found", "claims", "notes")

    def __init__(
        self, solutions: Tables | Reports, claims: Mapping[str, str], notes: Sequence[str] = ()
    ) -> None:
        self._found = solutions
        self.claims = dict(claims)
        self.notes = tuple(notes) + ((solutions.bound,) if solutions.bound else ())

    @property
    def count(self) -> int:
        """How many solutions there are, at least."""
        return self._found.count

    @property
    def complete(self) -> bool:
        """Whether the count is exact."""
        return self._found.bound is None

    @property
    def verdict(self) -> str:
        """The outcome: "unique", "many", "none", or "unknown"."""
        if self.count > 1:
            return "many"
        if not self.complete:
            return "unknown"
        return "unique" if self.count else "none"

    @property
    def labels(self) -> tuple[Any, ...]:
        """The classes; of two without names "positive" and "negative"."""
        return tuple(self._found.labels.classes)

    @property
    def matrix(self) -> ConfusionMatrix | None:
        """The only matrix there can be, or None."""
        return self.witnesses(1)[0].matrix if self.verdict == "unique" else None

    def witnesses(self, n: int = 5) -> list[Witness]:
        """Up to n of the solutions."""
        n = whole_number("n", n, 0)
        return self._found.witnesses(n) if self.count else []

    def range(self, score: Any) -> Range:
        """The least and greatest value of a score over all solutions."""
        (claim,) = read_claims([(score, "0")], self._found.labels)
        if len(self.labels) > 2:
            _check_one_number(claim, self._found.labels)
        return self._found.range(asked_of(claim)) if self.count else Range(math.nan, math.nan)

    def ranges(self) -> dict[str, Range]:
        """The usual scores that were not printed, with their ranges."""
        known = {str(claim.score) for claim in read_claims(self.claims, self._found.labels)}
        names = (
            USUAL_OF_TWO
            if len(self.labels) == 2 and self.labels == ("positive", "negative")
            else USUAL_OF_SEVERAL
        )
        spelt = {
            name: str(read_claims([(name, "0")], self._found.labels)[0].score) for name in names
        }
        return {name: self.range(name) for name, text in spelt.items() if text not in known}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ranges = self.ranges() if self.count else {}
        return {
            "verdict": self.verdict,
            "count": self.count,
            "complete": self.complete,
            "claims": dict(self.claims),
            "ranges": {name: to_plain(bounds._asdict()) for name, bounds in ranges.items()},
            "witnesses": [witness.to_dict() for witness in self.witnesses()],
            "notes": list(self.notes),
        }

    def _sentence(self) -> str:
        # Hits and totals of several classes may leave a choice off the diagonal.
        noun, more = self._found.what
        sentences = {
            "none": f"No {noun} with these totals has these scores.",
            "unknown": f"No {noun} was found before the budget ended; there may be some.",
            "unique": f"One {noun} has these scores.",
        }
        some = f"{self.count:,}" if self.count < 10**15 else f"about {float(self.count):.2g}"
        many = (
            f"{some} {more} have these scores."
            if self.complete
            else f"At least {some} {more} have these scores."
        )
        return sentences.get(self.verdict, many)

    def table(self) -> Table:
        """Return the usual scores that were not printed, with their least and greatest values."""
        ranges = self.ranges() if self.count else {}
        spans = list(ranges.values())
        columns = (
            Column("score", list(ranges), printable, "not printed", align="<"),
            Column(None, [str(span) for span in spans], str, "must be", align="<"),
            *(
                Column(name, [getattr(span, name) for span in spans], head=None)
                for name in ("low", "high", "exact")
            ),
        )
        return Table(columns, (self._sentence(), *self.notes), shown=(len(ranges), 0, 0))

    def __str__(self) -> str:
        ranges, witnesses = self.table(), self.witnesses(1)
        drawn = _drawn(witnesses[0], only=self.verdict == "unique") if witnesses else []
        parts = [list(ranges.notes), drawn, ranges.lines() if len(ranges) else []]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def __repr__(self) -> str:
        return f"<Inference: {self._sentence()}>"


def _drawn(witness: Witness, *, only: bool) -> list[str]:
    """A solution as a table: of the counts, or of hits and totals."""
    names = [middle(printable(label), 20) for label in witness.labels]
    lead = "It is" if only else "One of them is"
    if witness.matrix is not None:
        rows = [["actual\\predicted", *names]]
        rows += [
            [name, *map(str, row)]
            for name, row in zip(names, witness.matrix.counts.tolist(), strict=True)
        ]
        return [f"{lead}:", *table(rows, "<" + ">" * len(names))]
    rows = [["", "hits", "actual", "predicted"]]
    rows += [
        [name, *map(str, each)]
        for name, *each in zip(names, witness.hits, witness.actual, witness.predicted, strict=True)
    ]
    return [f"{lead}, by the hits and totals of each class:", *table(rows, "<>>>")]


@door
def infer(
    claims: Any,
    *,
    positives: int | None = None,
    negatives: int | None = None,
    total: int | None = None,
    supports: Mapping[Any, int] | None = None,
    undefined: float | None = None,
    budget: int = 20_000_000,
    progress: Callable[[float], object] | None = None,
) -> Inference:
    """Find all matrices of counts that printed scores allow.

    Parameters
    ----------
    claims
        A mapping of scores to printed numbers. With several classes, "precision[Cat]",
        "recall[Cat]", "f1[Cat]", "support[Cat]" and "accuracy", as a report prints them.
    positives, negatives, total
        The actual totals of two classes, or their sum; with `total` alone every number of positives
        is tried.
    supports
        The actual total of each of several classes.
    undefined
        The number that is printed for a score without a value, 0/0; by default, none is.
    budget
        The most candidates that are tried, which bounds time and memory.
    progress
        A function that is called with the share of the work that is done.

    Returns
    -------
    Inference
        The number of matrices, some of them, and the range of every other score.

    Examples
    --------
    >>> found = infer({"accuracy": "0.93", "sensitivity": "0.91"}, positives=120, total=400)
    >>> found.count, found.range("specificity")
    (5, Range(low=0.9321428571428572, high=0.9464285714285714, exact=True))
    """
    _check(budget, undefined)
    pairs = claimed_pairs(claims)
    named = _supports(pairs, supports)
    shown = {str(name): str(number) for name, number in pairs}
    if named is not None:
        if positives is not None or negatives is not None:
            msg = Message(
                "{positives} and {negatives} are for two classes without names; give {supports} alone"
            )
            raise InputError(msg)
        return _of_report(pairs, named, total, shown, undefined, budget, progress)
    asked_claims = read_claims(pairs, TWO)
    p, n = _totals(asked_claims, positives, negatives, total)
    asked = [asked_of(claim) for claim in asked_claims if claim.score is not None]
    return Inference(tables(asked, p, n, undefined, budget, progress), shown)


def _check(budget: Any, undefined: Any) -> None:
    """Refuse an invalid budget or fill."""
    is_number = isinstance(budget, Real) and not isinstance(budget, bool)
    if not (is_number and budget >= 1):
        msg = Message("{budget} is how many tables may be tried, at least 1; got {}", told(budget))
        raise InputError(msg)
    if undefined is not None and (isinstance(undefined, bool) or not isinstance(undefined, Real)):
        msg = Message(
            "{undefined} is the number that 0/0 was printed as, or None; got {}", told(undefined)
        )
        raise InputError(msg)


def _check_one_number(claim: Claim, labels: Labels) -> None:
    if claim.is_bare:
        first = printable(labels.classes[0])
        msg = f"{claim.name} has a value per class; say {claim.name}.macro or {claim.name}[{first}]"
        raise InputError(msg)


def _totals(
    claims: list[Claim], positives: Any, negatives: Any, total: Any
) -> tuple[int | None, int]:
    """The positives, if they are known, and the total."""
    if total is None:
        total = {claim.name: claim.printed for claim in claims}.get(TOTAL)
    given = {"positives": positives, "negatives": negatives, "total": total}
    known = {name: _count(name, number) for name, number in given.items() if number is not None}
    if "total" not in known:
        if len(known) < 2:
            msg = Message(
                "say how many items there are: {total:400}, or {positives:120} and {negatives:280}"
            )
            raise InputError(msg)
        known["total"] = known["positives"] + known["negatives"]
    if "negatives" in known and "positives" not in known:
        known["positives"] = known["total"] - known["negatives"]
    p, n = known.get("positives"), known["total"]
    if p is not None:
        _check_fit(known, p, n)
    return p, n


def _check_fit(known: dict[str, int], p: int, n: int) -> None:
    if not 0 <= p <= n or known.get("negatives", n - p) != n - p:
        totals = [Message("{}", Argument(name, number)) for name, number in known.items()]
        msg = Message("the totals do not fit together: {}", Message.joined(", ", totals))
        raise InputError(msg)


def _count(name: str, number: Any) -> int:
    stated = printed(number, count=True)
    if stated.nothing or stated.value.denominator != 1 or stated.value < 0 or stated.value > 10**12:
        msg = Message(
            "{} is a count of items, up to 10^12; got {}",
            Argument(name),
            printable(repr(number))[:40],
        )
        raise InputError(msg)
    return int(stated.value)


def _supports(pairs: list[Any], supports: Any) -> dict[Any, int] | None:
    """The actual totals of named classes, from `supports` and from claims; None where no class is named."""
    by_name = {} if supports is None else named(supports)
    if by_name is None:
        msg = Message(
            "{supports} maps each class to its number of items, not {}",
            printable(repr(supports))[:40],
        )
        raise InputError(msg)
    totals = {label: _count("supports", number) for label, number in by_name.items()}
    named_scores = [pair for pair in pairs if str(pair[0]).strip().lower() not in {TOTAL, "n"}]
    for name, number in named_scores:
        score = parse_score(name)
        if score.of is not None and score.metric is SUPPORT:
            totals.setdefault(score.of, _count("supports", number))
    # The support of one of two classes without names leaves the other to the total.
    if supports is None and len(totals) < 2 and set(totals) <= set(TWO.classes):
        return None
    return totals


def _of_report(
    pairs: list[Any],
    supports: dict[Any, int],
    total: Any,
    shown: dict[str, str],
    undefined: float | None,
    budget: int,
    progress: Callable[[float], object] | None,
) -> Inference:
    labels = Labels(list(supports))
    n = sum(supports.values())
    if not n:
        msg = "the supports add up to nothing; without a single item no score has a value"
        raise InputError(msg)
    asked: list[Asked] = []
    for claim in read_claims(pairs, labels):
        if claim.name == TOTAL or claim.metric is SUPPORT:
            continue
        _check_one_number(claim, labels)
        asked.append(asked_of(claim))
    if total is not None and _count("total", total) != n:
        msg = f"the supports add up to {n:,}, not to {_count('total', total):,}"
        raise InputError(msg)
    solutions = reports(asked, labels, list(supports.values()), undefined, budget, progress)
    return Inference(solutions, shown, solutions.notes)

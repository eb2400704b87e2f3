"""Inference: the matrices that printed scores allow: how many, which, and what every other score can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from confmat.auditing.claims import read_claims
from confmat.auditing.values import Asked, asked_of
from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import whole_number
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import middle, printable, table

__all__ = ["Inference", "Range", "Solutions", "Witness"]

_USUAL = ("accuracy", "recall", "specificity", "precision", "npv", "f1", "balanced_accuracy", "mcc", "kappa")
_REPORT = (
    "accuracy", "balanced_accuracy", "precision.macro", "recall.macro", "f1.macro", "precision.weighted", "f1.weighted",
    "kappa", "mcc",
)  # fmt: skip


class Range(NamedTuple):
    """The least and greatest value over all solutions; bounds that may be wider where `exact` is False."""

    low: float
    high: float
    exact: bool = True

    def __str__(self) -> str:
        if math.isnan(self.low):
            return "undefined"
        same = f"{self.low:.4f}" == f"{self.high:.4f}"
        text = f"{self.low:.4f}" if same else f"{self.low:.4f} to {self.high:.4f}"
        return text if self.exact else f"within {text}"


@dataclass(frozen=True)
class Witness:
    """One solution: hits and totals of each class, and the matrix where these leave only one."""

    labels: tuple[Any, ...]
    hits: tuple[int, ...]
    actual: tuple[int, ...]
    predicted: tuple[int, ...]
    matrix: ConfusionMatrix | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "labels": [printable(label) for label in self.labels],
            "hits": list(self.hits),
            "actual": list(self.actual),
            "predicted": list(self.predicted),
            "counts": None if self.matrix is None else self.matrix.counts.tolist(),
        }


class Solutions(Protocol):
    """What a solver found."""

    @property
    def count(self) -> int:
        """How many solutions there are, at least."""

    @property
    def bound(self) -> str | None:
        """None where the count is exact, else why it is not."""

    @property
    def labels(self) -> Labels:
        """The classes."""

    @property
    def what(self) -> tuple[str, str]:
        """What is counted: one of them, and several."""

    def range(self, one: Asked) -> Range:
        """The values of a score."""

    def witnesses(self, n: int) -> list[Witness]:
        """Some of the solutions, spread over all of them."""


class Inference(Tabular):
    """All tables of counts with these totals and these printed scores.

    `count` is how many there are; `complete` says whether it is exact, and otherwise it is a lower bound and `notes`
    say why. `verdict` is "unique", "many", "none", or "unknown" where the budget ended before the first solution.
    `range("mcc")` gives the least and greatest value of a score that was not printed.
    """

    __slots__ = ("_found", "claims", "notes")

    def __init__(self, found: Solutions, claims: Mapping[str, str], notes: Sequence[str] = ()) -> None:
        self._found = found
        self.claims = dict(claims)
        self.notes = tuple(notes) + ((found.bound,) if found.bound else ())

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
        """What can be said: "unique", "many", "none", or "unknown"."""
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
        if claim.is_bare and len(self.labels) > 2:
            first = printable(self.labels[0])
            msg = f"{claim.name} has a value per class; say {claim.name}.macro or {claim.name}[{first}]"
            raise InputError(msg)
        return self._found.range(asked_of(claim)) if self.count else Range(math.nan, math.nan)

    def ranges(self) -> dict[str, Range]:
        """The usual scores that were not printed, with their ranges."""
        known = {str(claim.score) for claim in read_claims(self.claims, self._found.labels)}
        names = _USUAL if len(self.labels) == 2 and self.labels == ("positive", "negative") else _REPORT
        spelt = {name: str(read_claims([(name, "0")], self._found.labels)[0].score) for name in names}
        return {name: self.range(name) for name, text in spelt.items() if text not in known}

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        ranges = self.ranges() if self.count else {}
        return {
            "verdict": self.verdict,
            "count": self.count,
            "complete": self.complete,
            "claims": dict(self.claims),
            "ranges": {name: to_plain(one._asdict()) for name, one in ranges.items()},
            "witnesses": [one.to_dict() for one in self.witnesses()],
            "notes": list(self.notes),
        }

    def _sentence(self) -> str:
        # Hits and totals of several classes may leave a choice off the diagonal.
        one, more = self._found.what
        said = {
            "none": f"No {one} with these totals has these scores.",
            "unknown": f"No {one} was found before the budget ended; there may be some.",
            "unique": f"One {one} has these scores.",
        }
        some = f"{self.count:,}" if self.count < 10**15 else f"about {float(self.count):.2g}"
        many = f"{some} {more} have these scores." if self.complete else f"At least {some} {more} have these scores."
        return said.get(self.verdict, many)

    def table(self) -> Table:
        """Return the usual scores that were not printed, with their least and greatest values."""
        ranges = self.ranges() if self.count else {}
        found = list(ranges.values())
        columns = (
            Column("score", list(ranges), printable, "not printed", align="<"),
            Column(None, [str(one) for one in found], str, "must be", align="<"),
            *(Column(name, [getattr(one, name) for one in found], head=None) for name in ("low", "high", "exact")),
        )
        return Table(columns, (self._sentence(), *self.notes), shown=(len(ranges), 0, 0))

    def __str__(self) -> str:
        ranges, witnesses = self.table(), self.witnesses(1)
        drawn = _drawn(witnesses[0], only=self.verdict == "unique") if witnesses else []
        parts = [list(ranges.notes), drawn, ranges.lines() if len(ranges) else []]
        return "\n\n".join("\n".join(part) for part in parts if part)

    def __repr__(self) -> str:
        return f"<Inference: {self._sentence()}>"


def _drawn(one: Witness, *, only: bool) -> list[str]:
    """A solution as a table: of the counts, or of hits and totals."""
    names = [middle(printable(label), 20) for label in one.labels]
    lead = "It is" if only else "One of them is"
    if one.matrix is not None:
        rows = [["actual\\predicted", *names]]
        rows += [[name, *map(str, row)] for name, row in zip(names, one.matrix.counts.tolist(), strict=True)]
        return [f"{lead}:", *table(rows, "<" + ">" * len(names))]
    rows = [["", "hits", "actual", "predicted"]]
    rows += [[name, *map(str, each)] for name, *each in zip(names, one.hits, one.actual, one.predicted, strict=True)]
    return [f"{lead}, by the hits and totals of each class:", *table(rows, "<>>>")]

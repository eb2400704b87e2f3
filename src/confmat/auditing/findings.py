"""Findings of an audit, one claim a line, and the declared checks that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, overload

from confmat.core.errors import InputError
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import middle, printable

Severity = Literal["error", "warning", "ok"]
_SEVERITIES = ("error", "warning", "ok")
_WIDEST = 36
_LINE = 90


@dataclass(frozen=True)
class Finding:
    """One claim, or one property of the table, judged.

    `code` names the check or the convention, `claim` the score as it was given (or what of the
    table is meant), and `evidence` holds the numbers behind the message: the printed text, the
    value by name, what else was equal, and the probability that such a match is chance.
    """

    code: str
    severity: Severity
    claim: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**vars(self), "evidence": to_plain(self.evidence)}

    def __str__(self) -> str:
        return f"{self.severity}: {self.claim}: {self.message}"


class Findings(Sequence[Finding], Tabular):
    """The findings of an audit in the order of the claims, those about the table first; prints as a table."""

    __slots__ = ("_found", "notes")

    notes: tuple[str, ...]
    # The last column is for reading, so no display may cut it.
    _prints_more = True

    def __init__(self, findings: Sequence[Finding], notes: Sequence[str] = ()) -> None:
        self._found = tuple(findings)
        self.notes = tuple(notes)

    @overload
    def __getitem__(self, index: int | str) -> Finding: ...

    @overload
    def __getitem__(self, index: slice) -> Findings: ...

    def __getitem__(self, index: int | str | slice) -> Finding | Findings:
        """The finding at a place, or of a claim; a slice is Findings."""
        if isinstance(index, slice):
            return Findings(self._found[index], self.notes)
        if isinstance(index, str):
            for finding in self._found:
                if finding.claim == index:
                    return finding
            claims = ", ".join(dict.fromkeys(printable(finding.claim) for finding in self))
            msg = f"no finding is about {printable(index)!r}; there are {claims}"
            raise InputError(msg)
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self._found == other._found

    __hash__ = None  # type: ignore[assignment]

    def _of(self, severity: Severity) -> Findings:
        return Findings([finding for finding in self if finding.severity == severity], self.notes)

    @property
    def errors(self) -> Findings:
        """Findings that no convention explains."""
        return self._of("error")

    @property
    def warnings(self) -> Findings:
        """Findings that a convention explains which the name does not say."""
        return self._of("warning")

    @property
    def ok(self) -> Findings:
        """Claims that the matrix reproduces."""
        return self._of("ok")

    @property
    def codes(self) -> tuple[str, ...]:
        """The different codes, in the order in which they come."""
        return tuple(dict.fromkeys(finding.code for finding in self._found))

    # --- as data ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        counts = {severity: len(self._of(severity)) for severity in _SEVERITIES}  # type: ignore[arg-type]
        return {
            "findings": [finding.to_dict() for finding in self._found],
            "counts": counts,
            "notes": list(self.notes),
        }

    # --- as a table -------------------------------------------------------------------------------

    def table(self) -> Table:
        """Return a row per finding, of plain text and numbers."""
        printed, value, chance = (
            [finding.evidence.get(key) for finding in self]
            for key in ("printed", "value", "chance")
        )
        columns = (
            Column("severity", [finding.severity for finding in self], head="", align="<"),
            Column(
                "claim",
                [finding.claim for finding in self],
                lambda claim: middle(printable(claim), _WIDEST),
                align="<",
            ),
            Column("printed", printed, lambda text: "" if text is None else str(text), align="<"),
            Column("value", value, head=None),
            Column("code", [finding.code for finding in self], head=None),
            Column("chance", chance, head=None),
            Column(
                "message",
                [finding.message for finding in self],
                printable,
                "finding",
                align="<",
                wrap=_LINE,
            ),
        )
        return Table(columns, (self._verdict(), *self.notes), shown=(len(self), 0, 0))

    def _verdict(self) -> str:
        counts = [(len(self._of(severity)), severity) for severity in ("error", "warning")]
        parts = [f"{count} {name}{'s' if count != 1 else ''}" for count, name in counts]
        turned = {claim for finding in self for claim in finding.evidence.get("by", ())}
        reread = len(
            turned | {warning.claim for warning in self.warnings if "printed" in warning.evidence}
        )
        only = (
            f"; {reread} claim{'s hold' if reread != 1 else ' holds'} only under another reading"
            if reread
            else ""
        )
        return f"{', '.join(parts)}, {len(self.ok)} ok{only}."

    def __repr__(self) -> str:
        return f"<Findings: {self._verdict()}>"


@dataclass(frozen=True)
class Check:
    """A declared check: its code and severity, its meaning, the reason why it matters, and a reference."""

    code: str
    severity: Severity
    title: str
    why: str
    reference: str = ""


_declared: dict[str, Check] = {}
CHECKS: Mapping[str, Check] = MappingProxyType(_declared)


def declared(code: str, severity: Severity, title: str, why: str, reference: str = "") -> Check:
    """Declare a check; its code is its own."""
    assert code not in _declared, code
    _declared[code] = check = Check(code, severity, title, why, reference)
    return check


# ---- the verdicts on a claim ---------------------------------------------------------------------

declared(
    "reproduced",
    "ok",
    "reproduced",
    "The printed digits follow from the matrix by the name that is given.",
)
declared(
    "not-reproducible",
    "error",
    "not reproducible from this matrix",
    "No convention and no published mistake that is known here leads from the matrix to the printed digits.",
)
declared(
    "impossible",
    "error",
    "impossible for any matrix with these totals",
    "A share of n items is one of n + 1 numbers; where none of them is printed so, no matrix has that score.",
    "Brown and Heathers, Social Psychological and Personality Science 8 (2017): the GRIM test",
)
declared(
    "exchanged",
    "warning",
    "two scores of one class exchanged",
    "Where two columns of a row change places, precision becomes recall of that class alone.",
)
declared(
    "mixed-averages",
    "warning",
    "different averages under one heading",
    "Scores without an average agree with different averages; they cannot be compared with each other.",
)

# ---- the table itself ----------------------------------------------------------------------------

declared(
    "not-square",
    "error",
    "not square",
    "A confusion matrix has a row and a column for every class.",
)
declared("not-numbers", "error", "not numbers", "A cell of a confusion matrix is a count.")
declared("negative", "error", "negative counts", "Nothing is counted less than no times.")
declared("empty", "error", "no items", "Without a single item no score has a value.")
declared(
    "rates",
    "error",
    "rates instead of counts",
    "Rates of a row say nothing of how many items there were, and precision, accuracy and averages need it.",
)
declared(
    "fractions",
    "warning",
    "counts that are no integers",
    "Weights, or means over folds; the scores of a mean table are not the means of the scores.",
    "Forman and Scholz, ACM SIGKDD Explorations 12 (2010)",
)


def about(
    code: str, claim: str, message: str, severity: Severity | None = None, **evidence: Any
) -> Finding:
    """A finding of a declared check."""
    return Finding(
        code, severity or CHECKS[code].severity, claim, message, MappingProxyType(evidence)
    )

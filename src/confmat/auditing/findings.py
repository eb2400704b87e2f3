"""Findings: what an audit found, one claim a line, with what the number equals and how likely that is chance."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal, overload

from confmat._notebook import InNotebook
from confmat.core.errors import InputError
from confmat.core.escaping import csv_field, in_csv, in_markdown
from confmat.core.text import middle, printable, table

__all__ = ["Finding", "Findings", "Severity"]

Severity = Literal["error", "warning", "ok"]
_SEVERITIES = ("error", "warning", "ok")
_WIDEST = 36
_LINE = 90


@dataclass(frozen=True)
class Finding:
    """One claim, or one property of the table, judged.

    `code` names the check or the convention, `claim` the score as it was given (or what of the table is meant), and
    `evidence` holds the numbers behind the message: the printed text, the value by name, what else was equal, and
    the probability that such a match is chance.
    """

    code: str
    severity: Severity
    claim: str
    message: str
    evidence: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "code": self.code,
            "severity": self.severity,
            "claim": self.claim,
            "message": self.message,
            "evidence": {key: _plain(value) for key, value in self.evidence.items()},
        }

    def __str__(self) -> str:
        return f"{self.severity}: {self.claim}: {self.message}"


class Findings(Sequence[Finding], InNotebook):
    """The findings of an audit in the order of the claims, those about the table first; prints as a table."""

    __slots__ = ("_found", "notes")

    notes: tuple[str, ...]
    # Its last column is for reading, so no display may cut it.
    _in_sentences = True

    def __init__(self, found: Sequence[Finding], notes: Sequence[str] = ()) -> None:
        self._found = tuple(found)
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
            for one in self._found:
                if one.claim == index:
                    return one
            msg = f"no finding is about {printable(index)!r}; there are {', '.join(dict.fromkeys(map(_claim, self)))}"
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
        return Findings([one for one in self._found if one.severity == severity], self.notes)

    @property
    def errors(self) -> Findings:
        """What no convention explains."""
        return self._of("error")

    @property
    def warnings(self) -> Findings:
        """What is explained by a convention that the name does not say."""
        return self._of("warning")

    @property
    def ok(self) -> Findings:
        """What was reproduced."""
        return self._of("ok")

    @property
    def codes(self) -> tuple[str, ...]:
        """The different codes, in the order in which they come."""
        return tuple(dict.fromkeys(one.code for one in self._found))

    # --- as data -------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        counts = {severity: len(self._of(severity)) for severity in _SEVERITIES}  # type: ignore[arg-type]
        return {"findings": [one.to_dict() for one in self._found], "counts": counts, "notes": list(self.notes)}

    def to_pandas(self) -> Any:
        """A DataFrame with a row per finding; needs pandas."""
        return import_module("pandas").DataFrame(self.rows())

    def to_polars(self) -> Any:
        """A DataFrame with a row per finding; needs Polars."""
        return import_module("polars").DataFrame(self.rows(), infer_schema_length=None, strict=False)

    def rows(self) -> list[dict[str, Any]]:
        """A row per finding, of plain text and numbers."""
        keys = ("printed", "value", "chance")
        return [
            {
                "severity": one.severity,
                "claim": one.claim,
                "printed": one.evidence.get(keys[0]),
                "value": one.evidence.get(keys[1]),
                "code": one.code,
                "chance": one.evidence.get(keys[2]),
                "message": one.message,
            }
            for one in self._found
        ]

    # --- as text -------------------------------------------------------------------------------------------------

    def to_markdown(self) -> str:
        """A table in Markdown."""
        head, _, body = self._shown()
        lines = ["| " + " | ".join(in_markdown(cell) for cell in row) + " |" for row in [head, *body]]
        return "\n".join([lines[0], "|" + ":--|" * len(head), *lines[1:]]) + "\n"

    def to_csv(self) -> str:
        """A table in CSV."""
        rows = [["" if value is None else value for value in row.values()] for row in self.rows()]
        body = [list(self.rows()[0]) if rows else ["severity", "claim", "message"], *rows]
        cells = [[str(value) if isinstance(value, float) else in_csv(value) for value in row] for row in body]
        return "".join(",".join(map(csv_field, row)) + "\n" for row in cells)

    def _shown(self) -> tuple[list[str], str, list[list[str]]]:
        """Headings, how columns are aligned, and rows."""
        body = [
            [one.severity, middle(_claim(one), _WIDEST), str(one.evidence.get("printed", "")), printable(one.message)]
            for one in self._found
        ]
        return ["", "claim", "printed", "finding"], "<<<<", body

    def _notes(self) -> list[str]:
        counts = [(len(self._of(severity)), severity) for severity in ("error", "warning")]
        said = [f"{count} {name}{'s' if count != 1 else ''}" for count, name in counts]
        return [f"{', '.join(said)}, {len(self.ok)} ok.", *self.notes]

    def __str__(self) -> str:
        head, align, body = self._shown()
        wrapped = [line for row in body for line in _wrapped(row)]
        return "\n".join([*table([head, *wrapped], align), "", *self._notes()])

    def __repr__(self) -> str:
        return f"<Findings: {self._notes()[0]}>"


def _plain(value: Any) -> Any:
    """What JSON can hold: lists, and nothing for NaN."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _wrapped(row: list[str]) -> list[list[str]]:
    """A row whose long last cell goes on below."""
    lines = textwrap.wrap(row[-1], _LINE, break_on_hyphens=False) or [""]
    return [[*row[:-1], lines[0]], *(["", "", "", line] for line in lines[1:])]


def _claim(one: Finding) -> str:
    return printable(one.claim)

"""Checks: everything that an audit can find, declared like metrics: a code, a title, why it matters, a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from confmat.auditing.findings import Severity

__all__ = ["CHECKS", "Check", "declared"]


@dataclass(frozen=True)
class Check:
    """What can be found: its code and severity, what it means, why it matters, and where that is written."""

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
    _declared[code] = found = Check(code, severity, title, why, reference)
    return found


# ---- the verdicts on a claim ---------------------------------------------------------------------------------

declared("reproduced", "ok", "reproduced", "The printed digits follow from the matrix by the name that is given.")
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
    "mixed-averages",
    "warning",
    "different averages under one heading",
    "Scores without an average agree with different averages; they cannot be compared with each other.",
)

# ---- the table itself ----------------------------------------------------------------------------------------

declared("not-square", "error", "not square", "A confusion matrix has a row and a column for every class.")
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
    "recovered",
    "warning",
    "counts recovered from rates",
    "Rates and stated totals left one possible count in every cell.",
    "Brown and Heathers, Social Psychological and Personality Science 8 (2017): the GRIM test",
)
declared(
    "fractions",
    "warning",
    "counts that are no integers",
    "Weights, or means over folds; the scores of a mean table are not the means of the scores.",
    "Forman and Scholz, ACM SIGKDD Explorations 12 (2010)",
)

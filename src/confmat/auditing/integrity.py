"""Integrity of a printed table: whether it is a confusion matrix of counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from confmat.auditing.claims import Printed, printed
from confmat.auditing.findings import Finding, about
from confmat.core.building import as_names
from confmat.core.errors import ConfmatError, InputError
from confmat.core.frames import square_frame
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.text import printable

_TABLE = "table"
_RATES = {
    "actual": "rates of each row",
    "predicted": "rates of each column",
    "all": "shares of all items",
}


Examined = tuple[ConfusionMatrix | None, list[Finding]]


def examined(m: Any, labels: Any, positive: Any, rows: str | None) -> Examined:
    """The matrix with actual rows, or None where there is none, and the findings about it."""
    if isinstance(m, ConfusionMatrix):
        made = m if labels is None else m.reorder(as_names(labels))
        if positive is not None:
            made = ConfusionMatrix(made.counts, made.labels, positive=positive)
        return _known(made.T if rows == "predicted" else made)
    if hasattr(m, "columns"):
        m, labels = square_frame(m, rows or "actual", labels)
    table = _cells(m)
    findings = _shape(table)
    if findings:
        return None, findings
    known = _names(labels, len(table), positive)
    digits, findings = _numbers(table, known)
    if findings:
        return None, findings
    if rows == "predicted":
        digits = [list(column) for column in zip(*digits, strict=True)]
    return _counted(digits, known)


def _known(m: ConfusionMatrix) -> Examined:
    """Findings about a matrix that was built already."""
    if not m.total:
        return None, [about("empty", _TABLE, "the matrix has no items")]
    if not m.is_weighted:
        return m, []
    for name, sums in (("actual", m.actual_totals), ("predicted", m.predicted_totals)):
        if m.n_classes > 1 and any(
            np.allclose(sums, whole, rtol=0.005, atol=0) for whole in (1, 100)
        ):
            reason = (
                f"the cells of each {name} class add up to {sums[0]:.4g}: these are rates, "
                "not counts; scores that mix "
            )
            return m, [about("rates", _TABLE, f"{reason}classes need the counts", "warning")]
    return m, [
        about("fractions", _TABLE, "the counts are no integers: weights, or means over folds")
    ]


def _names(labels: Any, size: int, positive: Any) -> Labels:
    if labels is None:
        return Labels(range(size), positive=positive)
    known = labels if isinstance(labels, Labels) else Labels(list(labels))
    if positive is not None:
        known = known.replace(positive=positive)
    if len(known) != size:
        msg = f"the table has {size} rows but there are {len(known)} labels"
        raise InputError(msg)
    return known


def _cells(m: Any) -> list[list[Any]]:
    """The cells as rows."""
    table = m.tolist() if hasattr(m, "tolist") else m
    if isinstance(table, (str, bytes, Mapping)) or not isinstance(table, Iterable):
        msg = f"the table is a ConfusionMatrix or rows of numbers, not {type(m).__name__}; {MAKES_ONE}"
        raise InputError(msg)
    rows = [
        list(row) if isinstance(row, (Sequence, tuple)) and not isinstance(row, str) else row
        for row in table
    ]
    if not rows or not all(isinstance(row, list) for row in rows):
        msg = f"the table is a ConfusionMatrix or rows of numbers, such as [[50, 0], [25, 25]]; {MAKES_ONE}"
        raise InputError(msg)
    return rows


def _shape(table: list[list[Any]]) -> list[Finding]:
    widths = {len(row) for row in table}
    if widths == {len(table)}:
        return []
    shape = f"{len(table)} rows of {' or '.join(map(str, sorted(widths)))} cells"
    hint = (
        "; totals at the margin belong into `supports` and `total`"
        if max(widths) == len(table) + 1
        else ""
    )
    return [about("not-square", _TABLE, f"not square: {shape}{hint}", rows=len(table))]


def _numbers(table: list[list[Any]], labels: Labels) -> tuple[list[list[Printed]], list[Finding]]:
    """The cells as printed numbers, or what is wrong with them."""
    read = [[_number(cell) for cell in row] for row in table]
    wrong: dict[str, list[str]] = {"not-numbers": [], "negative": []}
    for i, j in np.ndindex(len(table), len(table)):
        code = "not-numbers" if read[i][j].nothing else "negative" if read[i][j].value < 0 else ""
        if code:
            actual, predicted = (printable(labels.classes[place]) for place in (i, j))
            wrong[code].append(f"{actual} as {predicted}: {printable(repr(table[i][j]))[:30]}")
    findings = [_of_cells(code, places) for code, places in wrong.items() if places]
    if not findings and not any(cell.value for row in read for cell in row):
        findings.append(about("empty", _TABLE, "the matrix has no items"))
    return read, findings


def _of_cells(code: str, places: list[str]) -> Finding:
    title = {"not-numbers": "cells that are no numbers", "negative": "negative counts"}[code]
    text = f"{title}: {'; '.join(places[:3])}{'; …' if len(places) > 3 else ''}"
    return about(code, _TABLE, text, cells=len(places))


def _number(cell: Any) -> Printed:
    try:
        return printed(cell, count=True)
    except ConfmatError:
        return printed("nan")


def _counted(digits: list[list[Printed]], labels: Labels) -> Examined:
    """The matrix of counts or weights; None where the cells are rates."""
    number: type[int | float] = int
    findings = []
    if not all(cell.value.denominator == 1 and not cell.percent for row in digits for cell in row):
        if (rates := _rates(digits)) is not None:
            return None, [rates]
        what = "the counts are no integers: weights, or means over folds"
        number, findings = float, [about("fractions", _TABLE, what)]
    return ConfusionMatrix(
        [[number(cell.value) for cell in row] for row in digits], labels
    ), findings


def _rates(digits: list[list[Printed]]) -> Finding | None:
    """The remark on cells that are rates; None of others."""
    by = _whole_of_rates(digits)
    if by is not None:
        what = f"the cells are {_RATES[by]}, not counts; scores that mix classes need the totals"
        advice = (
            "ConfusionMatrix.from_rates(rows, totals) finds the counts behind rates of each row"
        )
        return about("rates", _TABLE, f"{what}: {advice}")
    if any(cell.percent for row in digits for cell in row):
        what = "the cells are percentages that add up to no whole, so no counts follow"
        return about("rates", _TABLE, what)
    return None


def _whole_of_rates(digits: list[list[Printed]]) -> str | None:
    """The whole of which cells are rates: "actual", "predicted" or "all"; None where no sum is close to one."""
    columns = [list(column) for column in zip(*digits, strict=True)]
    everything = [[cell for row in digits for cell in row]]
    for by, groups in (("actual", digits), ("predicted", columns), ("all", everything)):
        for whole in (1, 100):
            if all(_adds_up(group, whole) for group in groups):
                return by
    return None


def _adds_up(cells: list[Printed], whole: int) -> bool:
    """Whether cells add up to 1 or 100 within the rounding of their digits."""
    if whole == 1 and not any(cell.unit < 1 for cell in cells):
        return False
    slack = sum((cell.unit for cell in cells), Fraction(0)) / 2
    gap = abs(sum((cell.value for cell in cells), Fraction(-whole)))
    return bool(gap <= min(slack, Fraction(whole, 10)))

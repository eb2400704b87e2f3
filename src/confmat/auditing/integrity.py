"""Integrity: whether a printed table is a confusion matrix at all, before anything is worked out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from confmat.auditing.findings import Finding
from confmat.auditing.printed import Printed, printed
from confmat.auditing.recovering import recovered, stated_supports
from confmat.auditing.wording import about
from confmat.core.building import as_names
from confmat.core.errors import ConfmatError, InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.text import printable

__all__ = ["examined"]

Examined = tuple[ConfusionMatrix | None, list[Finding]]
_TABLE = "table"
# More classes are not printed as a table of rates.
_SMALL = 100


def examined(m: Any, labels: Any, positive: Any, rows: str, total: Any, supports: Any) -> Examined:
    """The matrix, rows actual, and what is to be said of it; None where it is none."""
    if isinstance(m, ConfusionMatrix):
        made = m if labels is None else m.relabel(as_names(labels))
        if positive is not None:
            made = ConfusionMatrix(made.counts, made.labels, positive=positive)
        return _known(made.T if rows == "predicted" else made, total, supports)
    table, names = _cells(m)
    found = _shape(table)
    if found:
        return None, found
    if labels is None and names is not None and len(names) == len(table):
        labels = names
    known = _names(labels, len(table), positive)
    digits, found = _numbers(table, known)
    if found:
        return None, found
    if rows == "predicted":
        digits = [list(column) for column in zip(*digits, strict=True)]
    return _counted(digits, known, total, supports)


def _known(m: ConfusionMatrix, total: Any, supports: Any) -> Examined:
    """What is to be said of a matrix that was made already."""
    if not m.total:
        return None, [about("empty", _TABLE, "the matrix has no items")]
    if not m.is_weighted:
        return m, []
    if (total is not None or supports is not None) and not m.labels.outside and m.n_classes < _SMALL:
        digits = [[printed(cell) for cell in row] for row in m.counts.tolist()]
        if _normalised(digits) is not None:
            return _counted(digits, m.labels, total, supports)
    for name, sums in (("actual", m.actual_totals), ("predicted", m.predicted_totals)):
        if m.n_classes > 1 and any(np.allclose(sums, whole, rtol=0.005, atol=0) for whole in (1, 100)):
            said = (
                f"the cells of each {name} class add up to {sums[0]:.4g}: these are rates, not counts; scores that mix "
            )
            return m, [about("rates", _TABLE, f"{said}classes need the counts", "warning")]
    return m, [about("fractions", _TABLE, "the counts are no integers: weights, or means over folds")]


def _names(labels: Any, size: int, positive: Any) -> Labels:
    if labels is None:
        return Labels(range(size), positive=positive)
    if isinstance(labels, Labels):
        return labels if positive is None else labels.replace(positive=positive)
    known = Labels(list(labels), positive=positive)
    if len(known) != size:
        msg = f"the table has {size} rows but there are {len(known)} labels"
        raise InputError(msg)
    return known


def _cells(m: Any) -> tuple[list[list[Any]], list[Any] | None]:
    """The cells as rows, and names where the table has them."""
    names = list(m.index) if hasattr(m, "index") and hasattr(m, "columns") else None
    if names is not None:
        m = m.to_numpy()
    found = m.tolist() if hasattr(m, "tolist") else m
    if isinstance(found, (str, bytes, Mapping)) or not isinstance(found, Iterable):
        msg = f"the table is a ConfusionMatrix or rows of numbers, not {type(m).__name__}; {MAKES_ONE}"
        raise InputError(msg)
    rows = [list(row) if isinstance(row, (Sequence, tuple)) and not isinstance(row, str) else row for row in found]
    if not rows or not all(isinstance(row, list) for row in rows):
        msg = f"the table is a ConfusionMatrix or rows of numbers, such as [[50, 0], [25, 25]]; {MAKES_ONE}"
        raise InputError(msg)
    return rows, names


def _shape(table: list[list[Any]]) -> list[Finding]:
    widths = {len(row) for row in table}
    if widths == {len(table)}:
        return []
    shape = f"{len(table)} rows of {' or '.join(map(str, sorted(widths)))} cells"
    hint = "; totals at the margin belong into `supports` and `total`" if max(widths) == len(table) + 1 else ""
    return [about("not-square", _TABLE, f"not square: {shape}{hint}", rows=len(table))]


def _numbers(table: list[list[Any]], labels: Labels) -> tuple[list[list[Printed]], list[Finding]]:
    """The cells as printed numbers, or what is wrong with them."""
    read: list[list[Printed]] = []
    wrong: dict[str, list[str]] = {"not-numbers": [], "negative": []}
    for actual, row in zip(labels.classes, table, strict=True):
        read.append([])
        for predicted, cell in zip(labels.classes, row, strict=True):
            place = f"{printable(actual)} as {printable(predicted)}: {printable(repr(cell))[:30]}"
            try:
                number = printed(cell, count=True)
            except ConfmatError:
                number = printed("nan")
            read[-1].append(number)
            if number.nothing:
                wrong["not-numbers"].append(place)
            elif number.value < 0:
                wrong["negative"].append(place)
    titles = {"not-numbers": "cells that are no numbers", "negative": "negative counts"}
    found = [
        about(
            code,
            _TABLE,
            f"{titles[code]}: {'; '.join(places[:3])}{'; …' if len(places) > 3 else ''}",
            cells=len(places),
        )
        for code, places in wrong.items()
        if places
    ]
    if not found and not any(cell.value for row in read for cell in row):
        found.append(about("empty", _TABLE, "the matrix has no items"))
    return read, found


def _counted(digits: list[list[Printed]], labels: Labels, total: Any, supports: Any) -> Examined:
    """The matrix of counts, recovered where the cells are rates."""
    by = _normalised(digits)
    whole = all(cell.value.denominator == 1 and not cell.percent for row in digits for cell in row)
    if whole and (by is None or not _contradicted(digits, labels, total, supports)):
        return ConfusionMatrix([[int(cell.value) for cell in row] for row in digits], labels), []
    if by is None:
        if any(cell.percent for row in digits for cell in row):
            return None, [
                about("rates", _TABLE, "the cells are percentages that add up to no whole, so no counts follow")
            ]
        said = "the counts are no integers: weights, or means over folds"
        return ConfusionMatrix([[float(cell.value) for cell in row] for row in digits], labels), [
            about("fractions", _TABLE, said)
        ]
    counts, found = recovered(digits, by, labels, total, supports)
    return (None if counts is None else ConfusionMatrix(counts, labels)), [found]


def _contradicted(digits: list[list[Printed]], labels: Labels, total: Any, supports: Any) -> bool:
    """Whether stated totals say that integers which add up to 100 are percentages."""
    if total is not None:
        return bool(printed(total, count=True).value != sum(cell.value for row in digits for cell in row))
    stated = stated_supports(labels, supports)
    if stated is None:
        return False
    sums = [[sum(cell.value for cell in row) for row in table] for table in (digits, zip(*digits, strict=True))]
    return stated not in sums


def _normalised(digits: list[list[Printed]]) -> str | None:
    """What the cells are rates of: "actual", "predicted" or "all"; None where they add up to nothing like a whole."""
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

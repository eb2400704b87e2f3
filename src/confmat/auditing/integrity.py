"""Integrity of a printed table: whether it is a confusion matrix, and the counts behind printed rates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

from confmat.auditing.claims import Printed, printed
from confmat.auditing.findings import Finding, about
from confmat.core.align import by_label
from confmat.core.building import as_names
from confmat.core.errors import ConfmatError, InputError
from confmat.core.frames import square_frame
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE
from confmat.core.text import printable

Counts = list[list[int]]
_TABLE = "table"
_MOST = 20_000
_TRIALS = 10_000


def recovered(
    digits: list[list[Printed]], by: str, labels: Labels, total: Any, supports: Any
) -> tuple[Counts | None, Finding]:
    """The counts behind rates of actual classes or of the whole, and how sure they are."""
    what = {
        "actual": "rates of each row",
        "predicted": "rates of each column",
        "all": "shares of all items",
    }[by]
    groups = [[cell for row in digits for cell in row]] if by == "all" else digits
    totals = _totals(by, labels, total, supports)
    if totals is None:
        wanted = {"actual": "`supports`", "predicted": "the predicted totals", "all": "`total`"}[by]
        least = [] if by == "predicted" else [smallest_total(group) for group in groups]
        hint = (
            f"; the smallest totals that fit are {', '.join(map(str, least))}"
            if least and all(least)
            else ""
        )
        said = f"the cells are {what}, not counts; scores that mix classes need {wanted}{hint}"
        return None, about("rates", _TABLE, said, smallest=tuple(least))
    rows = []
    for group, size in zip(groups, totals, strict=True):
        fits = _fits(group, size)
        if len(fits) != 1:
            many = "no counts fit" if not fits else "several counts fit"
            said = f"the cells are {what}, and {many} the stated total {size:,}"
            return None, about("rates", _TABLE, said, total=size)
        rows.append(fits[0])
    size = len(digits)
    counts = [rows[0][at * size : (at + 1) * size] for at in range(size)] if by == "all" else rows
    said = f"the cells are {what}; with the stated totals one count is left in each cell, and these were taken"
    return counts, about("recovered", _TABLE, said, counts=tuple(map(tuple, counts)))


def _totals(by: str, labels: Labels, total: Any, supports: Any) -> list[int] | None:
    if by == "all":
        return None if total is None else [int(printed(total, count=True).value)]
    given = None if by == "predicted" else stated_supports(labels, supports)
    return None if given is None else [int(one) for one in given]


def stated_supports(labels: Labels, supports: Any) -> list[Fraction] | None:
    """The stated totals of all classes in their order; None where some are not stated."""
    if supports is None:
        return None
    known = by_label(supports, labels, "supports")
    given = (
        list(supports)
        if known is None
        else [known[label] for label in labels.classes if label in known]
    )
    return (
        [printed(number, count=True).value for number in given]
        if len(given) == labels.n_classes
        else None
    )


def _whole(cells: list[Printed]) -> int:
    """Whether the rates are of 1 or of 100."""
    return 100 if sum(cell.value for cell in cells) > 10 else 1


def _candidates(cell: Printed, size: int, whole: int) -> range:
    """The counts of so many items that are printed as the rate is."""
    half = cell.unit / 2
    least = math.ceil((cell.value - half) * size / whole)
    most = math.floor((cell.value + half) * size / whole)
    return range(max(least, 0), min(most, size) + 1)


def _fits(cells: list[Printed], size: int) -> list[list[int]]:
    """Up to two rows of counts that add up to the total and are printed so."""
    whole = _whole(cells)
    choices = [_candidates(cell, size, whole) for cell in cells]
    if (
        not all(choices)
        or sum(one[0] for one in choices) > size
        or sum(one[-1] for one in choices) < size
    ):
        return []
    if math.prod(map(len, choices)) > _TRIALS:
        # So much freedom is no single row of counts.
        return [[], []]
    return [list(row) for row in islice((row for row in product(*choices) if sum(row) == size), 2)]


def smallest_total(cells: list[Printed]) -> int | None:
    """The least number of items whose shares are printed so, up to 20,000.

    >>> smallest_total([printed("0.667"), printed("0.333")])
    3
    """
    whole: Fraction | int = _whole(cells)
    for size in range(1, _MOST):
        choices = [_candidates(cell, size, int(whole)) for cell in cells]
        if all(choices) and sum(one[0] for one in choices) <= size <= sum(
            one[-1] for one in choices
        ):
            return size
    return None


Examined = tuple[ConfusionMatrix | None, list[Finding]]
# More classes are not printed as a table of rates.
_SMALL = 100


def examined(
    m: Any, labels: Any, positive: Any, rows: str | None, total: Any, supports: Any
) -> Examined:
    """The matrix, rows actual, and what is to be said of it; None where it is none."""
    if isinstance(m, ConfusionMatrix):
        made = m if labels is None else m.reorder(as_names(labels))
        if positive is not None:
            made = ConfusionMatrix(made.counts, made.labels, positive=positive)
        return _known(made.T if rows == "predicted" else made, total, supports)
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
    return _counted(digits, known, total, supports)


def _known(m: ConfusionMatrix, total: Any, supports: Any) -> Examined:
    """Findings about a matrix that was built already."""
    if not m.total:
        return None, [about("empty", _TABLE, "the matrix has no items")]
    if not m.is_weighted:
        return m, []
    if (
        (total is not None or supports is not None)
        and not m.labels.outside
        and m.n_classes < _SMALL
    ):
        digits = [[printed(cell) for cell in row] for row in m.counts.tolist()]
        if _whole_of_rates(digits) is not None:
            return _counted(digits, m.labels, total, supports)
    for name, sums in (("actual", m.actual_totals), ("predicted", m.predicted_totals)):
        if m.n_classes > 1 and any(
            np.allclose(sums, whole, rtol=0.005, atol=0) for whole in (1, 100)
        ):
            said = (
                f"the cells of each {name} class add up to {sums[0]:.4g}: these are rates, "
                "not counts; scores that mix "
            )
            return m, [about("rates", _TABLE, f"{said}classes need the counts", "warning")]
    return m, [
        about("fractions", _TABLE, "the counts are no integers: weights, or means over folds")
    ]


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
    findings = [
        about(
            code,
            _TABLE,
            f"{titles[code]}: {'; '.join(places[:3])}{'; …' if len(places) > 3 else ''}",
            cells=len(places),
        )
        for code, places in wrong.items()
        if places
    ]
    if not findings and not any(cell.value for row in read for cell in row):
        findings.append(about("empty", _TABLE, "the matrix has no items"))
    return read, findings


def _counted(digits: list[list[Printed]], labels: Labels, total: Any, supports: Any) -> Examined:
    """The matrix of counts, recovered where the cells are rates."""
    by = _whole_of_rates(digits)
    whole = all(cell.value.denominator == 1 and not cell.percent for row in digits for cell in row)
    if whole and (by is None or not _contradicted(digits, labels, total, supports)):
        return ConfusionMatrix([[int(cell.value) for cell in row] for row in digits], labels), []
    if by is None:
        if any(cell.percent for row in digits for cell in row):
            return None, [
                about(
                    "rates",
                    _TABLE,
                    "the cells are percentages that add up to no whole, so no counts follow",
                )
            ]
        said = "the counts are no integers: weights, or means over folds"
        return ConfusionMatrix([[float(cell.value) for cell in row] for row in digits], labels), [
            about("fractions", _TABLE, said)
        ]
    counts, finding = recovered(digits, by, labels, total, supports)
    return (None if counts is None else ConfusionMatrix(counts, labels)), [finding]


def _contradicted(digits: list[list[Printed]], labels: Labels, total: Any, supports: Any) -> bool:
    """Whether stated totals say that integers which add up to 100 are percentages."""
    if total is not None:
        return bool(
            printed(total, count=True).value != sum(cell.value for row in digits for cell in row)
        )
    stated = stated_supports(labels, supports)
    if stated is None:
        return False
    sums = [
        [sum(cell.value for cell in row) for row in table]
        for table in (digits, zip(*digits, strict=True))
    ]
    return stated not in sums


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

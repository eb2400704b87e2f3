"""Recovering counts: rates of a class, printed with some digits, and its total often leave one count in each cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import islice, product
from typing import Any

from confmat.auditing.findings import Finding
from confmat.auditing.printed import Printed, printed
from confmat.auditing.wording import about
from confmat.core.labels import Labels
from confmat.metrics.catalog import label_spelt

__all__ = ["recovered", "smallest_total", "stated_supports"]

Counts = list[list[int]]
_TABLE = "table"
_MOST = 20_000
_TRIALS = 10_000


def recovered(
    digits: list[list[Printed]], by: str, labels: Labels, total: Any, supports: Any
) -> tuple[Counts | None, Finding]:
    """The counts behind rates of actual classes or of the whole, and how sure they are."""
    what = {"actual": "rates of each row", "predicted": "rates of each column", "all": "shares of all items"}[by]
    groups = [[cell for row in digits for cell in row]] if by == "all" else digits
    totals = _totals(by, labels, total, supports)
    if totals is None:
        wanted = {"actual": "`supports`", "predicted": "the predicted totals", "all": "`total`"}[by]
        least = [] if by == "predicted" else [smallest_total(group) for group in groups]
        hint = f"; the smallest totals that fit are {', '.join(map(str, least))}" if least and all(least) else ""
        said = f"the cells are {what}, not counts; scores that mix classes need {wanted}{hint}"
        return None, about("rates", _TABLE, said, smallest=tuple(least))
    found = []
    for group, size in zip(groups, totals, strict=True):
        fits = _fits(group, size)
        if len(fits) != 1:
            many = "no counts fit" if not fits else "several counts fit"
            said = f"the cells are {what}, and {many} the stated total {size:,}"
            return None, about("rates", _TABLE, said, total=size)
        found.append(fits[0])
    size = len(digits)
    counts = [found[0][at * size : (at + 1) * size] for at in range(size)] if by == "all" else found
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
    if isinstance(supports, Mapping):
        known = {label_spelt(labels, label): number for label, number in supports.items()}
        given = [known[label] for label in labels.classes if label in known]
    else:
        given = list(supports)
    return [printed(number, count=True).value for number in given] if len(given) == labels.n_classes else None


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
    if not all(choices) or sum(one[0] for one in choices) > size or sum(one[-1] for one in choices) < size:
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
        if all(choices) and sum(one[0] for one in choices) <= size <= sum(one[-1] for one in choices):
            return size
    return None

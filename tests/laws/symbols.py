"""The symbols of LaTeX formulas: what they stand for, computed here without the package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from tests.laws.latex_values import NAN, ln, over, root, times, total

__all__ = ["scopes"]


def scopes(counts: Sequence[Sequence[int]], *, per_class: bool) -> Iterator[dict[str, Any]]:
    """The symbols of a table, or of each of its classes with the class as i; functions are asked when needed."""
    rows, columns = (
        [sum(row) for row in counts],
        [sum(column) for column in zip(*counts, strict=True)],
    )
    size, n = len(counts), sum(rows)
    whole: dict[str, Any] = {
        "size": size,
        "K": size,
        "K'": sum(1 for row in rows if row),
        "n": n,
        "R": sum(1 for row in rows if row),
        "C": lambda *places: (
            counts[places[0]][places[1]] if places else sum(1 for column in columns if column)
        ),
        "d": lambda i: counts[i][i],
        "r": lambda i: rows[i],
        "c": lambda j: columns[j],
        # The places of ordered classes.
        "v": lambda i: i,
        "p_o": lambda: over(sum(counts[i][i] for i in range(size)), n),
        "B": lambda: _mean(Fraction(counts[i][i], rows[i]) for i in range(size) if rows[i]),
        "bar R": lambda: _mean(Fraction(counts[i][i], rows[i]) for i in range(size) if rows[i]),
        "bar P": lambda: _mean(
            Fraction(counts[i][i], columns[i] or 1) for i in range(size) if rows[i]
        ),
        "H(r)": lambda: _entropy(rows),
        "H(c)": lambda: _entropy(columns),
        "I": lambda: (
            _entropy(rows) + _entropy(columns) - _entropy([each for row in counts for each in row])
        ),
        "chi": lambda: root(_chi_squared(counts, rows, columns, n)),
        "tilde C": lambda: _debiased(sum(1 for column in columns if column), n),
        "phi": lambda: root(over(_chi_squared(counts, rows, columns, n), n)),
    }
    if not per_class:
        yield whole
        return
    for i in range(size):
        tp = counts[i][i]
        cells = {
            "TP": tp,
            "FP": columns[i] - tp,
            "FN": rows[i] - tp,
            "TN": n - rows[i] - columns[i] + tp,
        }
        yield {**whole, **cells, "i": i}


def _mean(parts: Iterator[Fraction]) -> Any:
    found = list(parts)
    return over(sum(found), len(found))


def _debiased(lines: int, n: int) -> Any:
    return lines - Fraction((lines - 1) ** 2, n - 1) if n > 1 else NAN


def _entropy(parts: Sequence[int]) -> Any:
    """In nats; formulas with it are quotients, in which the unit does not matter."""
    n = sum(parts)
    return -total(times(Fraction(part, n), ln(Fraction(part, n))) for part in parts if part)


def _chi_squared(
    counts: Sequence[Sequence[int]], rows: list[int], columns: list[int], n: int
) -> Fraction:
    expected = [[Fraction(row * column, n or 1) for column in columns] for row in rows]
    return sum(
        (
            (count - wanted) ** 2 / wanted
            for line, wants in zip(counts, expected, strict=True)
            for count, wanted in zip(line, wants, strict=True)
            if wanted
        ),
        Fraction(0),
    )

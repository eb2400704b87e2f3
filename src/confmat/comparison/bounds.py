"""What two matrices of the same items can say without the answers themselves.

Which items both models had right is unknown, but not unlimited: in each class the overlap lies between two numbers,
and so do the discordant items and McNemar's p-value. For any other score the covariance of both is greatest where
within each class the items that move one score most also move the other most, and least where they are opposed
(the rearrangement inequality); so the standard error of the difference lies between two numbers too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.significance import mid_p
from confmat.core.matrix import ConfusionMatrix
from confmat.intervals.variance import Slope, seen_cells

__all__ = ["covariances", "discordance", "mid_p_range"]

Array = NDArray[np.float64]


def discordance(first: ConfusionMatrix, second: ConfusionMatrix) -> tuple[float, float, float]:
    """Least and most items that one model had right and the other wrong, and how many more the first had right.

    >>> a, b = ConfusionMatrix([[45, 5], [5, 45]]), ConfusionMatrix([[40, 10], [10, 40]])
    >>> discordance(a, b)
    (10.0, 30.0, 10.0)
    """
    a, b = (np.asarray(m.diagonal, dtype=np.float64) for m in (first, second))
    rows = np.asarray(first.actual_totals, dtype=np.float64)
    least, most = np.abs(a - b).sum(), np.minimum(a + b, 2 * rows - a - b).sum()
    return float(least), float(most), float((a - b).sum())


def mid_p_range(first: ConfusionMatrix, second: ConfusionMatrix) -> tuple[float, float]:
    """McNemar's mid-p value under the most favourable and the least favourable pairing."""
    least, most, more = discordance(first, second)
    # Of models that are right equally often it is 1 if they never differ, and least if they do so on two items.
    numbers = {least, most, *((min(2.0, most),) if least == more == 0 else ())}
    found = [mid_p((n + more) / 2, (n - more) / 2) for n in numbers]
    return min(found), max(found)


def covariances(first: ConfusionMatrix, second: ConfusionMatrix, slopes: tuple[Slope, Slope]) -> tuple[float, float]:
    """Least and greatest covariance of two scores of the same items, over all ways to pair the answers."""
    sides = [_by_class(m, slope) for m, slope in zip((first, second), slopes, strict=True)]
    least = most = 0.0
    for row in sides[0].keys() & sides[1].keys():
        (g, n), (h, k) = sides[0][row], sides[1][row]
        most += _together(g, n, h, k)
        least += _together(g, n, h[::-1], k[::-1])
    return least, most


def _by_class(m: ConfusionMatrix, slope: Slope) -> dict[int, tuple[Array, Array]]:
    """Of each actual class, the derivatives of its cells from least to greatest, and the counts."""
    rows, cols, counts, _ = seen_cells(m, "wrong")
    g = slope.at(rows, cols)
    order = np.lexsort((g, rows))
    rows, g, counts = rows[order], g[order], counts[order]
    starts = np.flatnonzero(np.append(True, rows[1:] != rows[:-1])) if len(rows) else np.zeros(0, np.intp)
    ends = np.append(starts[1:], len(rows))
    return {int(rows[a]): (g[a:b], counts[a:b]) for a, b in zip(starts, ends, strict=True)}


def _together(g: Array, n: Array, h: Array, k: Array) -> float:
    """Sum of products of two columns of items, laid side by side in the order given."""
    one, two = np.cumsum(n), np.cumsum(k)
    cuts = np.unique(np.concatenate([one, two]))
    cuts = cuts[cuts <= min(one[-1], two[-1])]
    lengths = np.diff(cuts, prepend=0.0)
    at = [np.minimum(np.searchsorted(ends, cuts, side="left"), len(ends) - 1) for ends in (one, two)]
    return float((lengths * g[at[0]] * h[at[1]]).sum())

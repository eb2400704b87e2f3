"""A matrix in a notebook: its summary, its foremost confusions where they are many, and shaded cells."""

from __future__ import annotations

from html import escape

import numpy as np

from confmat.core.matrix import ConfusionMatrix
from confmat.core.printing import heat_html, largest_confusions, least_top, shaded
from confmat.core.tables import BLUE, GRAY, ORANGE, Column, Table, tint
from confmat.core.text import number, printable
from confmat.display.layout import folded_to
from confmat.display.summary import of_one
from confmat.structure.evidence import shown_in

# A matrix of more classes is folded to those of its foremost confusions, and these are listed.
MOST_CLASSES, FOLDED_TO = 30, 24


def matrix_html(m: ConfusionMatrix) -> str:
    """Return a matrix as HTML: rows are actual, columns are predicted; the darker, the more."""
    right = m.diagonal[: m.n_classes].sum().item()
    share = f", {right / m.total:.1%} on the diagonal" if m.total else ""
    said = f"<div>{escape(' '.join(of_one(m)))}</div>"
    notes = [f"{len(m.labels):,} labels, total {number(m.total)}{share}"]
    lost = [f"{number(m.dropped)} left out of the matrix"] if m.dropped else []
    if len(m.labels) <= MOST_CLASSES:
        return said + _heat(m, None, [*notes, *lost])
    rows, many, title = largest_confusions(m, shown_in(m))
    listed = said
    if many:
        columns = [
            Column(None, values, str, head, is_label=i < 2)  # the two classes
            for i, (head, values) in enumerate(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
        ]
        listed += Table(tuple(columns), title=f"{title}; of all classes")._repr_html_()
    if m.n_classes <= FOLDED_TO:
        return listed + _heat(m, None, [*notes, *lost])
    small, _, note = folded_to(m, FOLDED_TO)
    return listed + _heat(small, FOLDED_TO, [*notes, note, *lost])


def _heat(m: ConfusionMatrix, folded: int | None, notes: list[str]) -> str:
    """The table of cells; hits and errors are shaded apart, so that a large diagonal cannot drown a small error."""
    counts, size = m.counts.astype(np.float64), len(m.labels)
    outside = np.arange(size) >= m.n_classes
    if folded is not None:
        outside[folded] = False
    # Items outside on both sides are neither right nor wrong; folded classes are both together.
    colors = np.full((size, size), ORANGE, dtype=object)
    np.fill_diagonal(colors, BLUE)
    colors[np.ix_(outside, outside)] = GRAY
    if folded is not None:
        colors[folded, folded] = GRAY
    tops = np.ones((size, size))
    for color in (BLUE, ORANGE, GRAY):
        least = least_top(m.actual_totals[: m.n_classes]) if color == ORANGE else 0.0
        tops[colors == color] = counts[colors == color].max(initial=least) or 1.0
    pairs = zip(colors.tolist(), shaded(counts, tops).tolist(), strict=True)
    shades = [[tint(*pair) if pair[1] else "" for pair in zip(*row, strict=True)] for row in pairs]
    texts = [list(map(number, row)) for row in m.counts.tolist()]
    beside, below = (list(map(number, part.tolist())) for part in (m.actual_totals, m.predicted_totals))
    names = tuple(map(printable, m.labels))
    return heat_html(names, texts, shades, (beside, below, number(m.total)), notes=notes)

"""A matrix in a notebook: its summary, its foremost confusions where they are many, and shaded cells."""

from __future__ import annotations

from html import escape

from confmat.core.matrix import ConfusionMatrix
from confmat.core.printing import largest_confusions
from confmat.core.tables import Column, Table
from confmat.core.text import number
from confmat.display.view import foremost_view
from confmat.structure.evidence import shown_in

# A matrix of more classes is folded to those of its foremost confusions, and these are listed.
MOST_CLASSES, FOLDED_TO = 30, 24


def matrix_html(m: ConfusionMatrix) -> str:
    """Return a matrix as HTML: rows are actual, columns are predicted; the darker, the more."""
    many = len(m.labels) > MOST_CLASSES
    drawn = foremost_view(m, FOLDED_TO if many and m.n_classes > FOLDED_TO else None)
    cells = drawn.cells_html(
        [f"{len(m.labels):,} labels, total {number(m.total)}", *drawn.shading, *drawn.notes]
    )
    return f"<div>{escape(' '.join(drawn.said))}</div>{_listed(m) if many else ''}{cells}"


def _listed(m: ConfusionMatrix) -> str:
    """The foremost confusions."""
    rows, many, title = largest_confusions(m, shown_in(m))
    if not many:
        return ""
    columns = [
        Column(None, values, str, head, is_label=i < 2)  # the two classes
        for i, (head, values) in enumerate(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    ]
    return Table(tuple(columns), title=f"{title}; of all classes")._repr_html_() or ""

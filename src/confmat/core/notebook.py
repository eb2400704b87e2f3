"""Notebook views of a matrix: cells shaded by how many items they hold, and many classes folded to the largest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.labels import Labels
from confmat.core.printing import largest_confusions
from confmat.core.tables import BLUE, FAINT, GREY, ORANGE, Column, Table, tint
from confmat.core.text import number, printable

if TYPE_CHECKING:
    from confmat.core.matrix import ConfusionMatrix

Array = NDArray[Any]

# A matrix of more classes is folded to the largest, and its most frequent confusions are listed.
MOST_CLASSES, FOLDED_TO = 30, 24
# The shade of the smallest value that is not zero, on a scale from 0 to 1.
FAINTEST = 0.15
OTHER = "(other)"


def shaded(values: Array, tops: Array | float) -> Array:
    """Return shades from 0 to 1, or from -1 to 1 where values are below zero: the root of the share of the largest.

    Zero is 0, NaN stays NaN, and anything else is at least `FAINTEST`; beyond the largest value it is 1.

    >>> shaded(np.array([0.0, 1.0, 25.0, 100.0, -100.0]), 100.0).round(3).tolist()
    [0.0, 0.235, 0.575, 1.0, -1.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.minimum(np.abs(values) / tops, 1.0)
        dark = np.sign(values) * (FAINTEST + (1 - FAINTEST) * np.sqrt(part))
    return np.where(values == 0, 0.0, dark)


def keep_largest(m: ConfusionMatrix, top: int, keep: int | None = None) -> tuple[ConfusionMatrix, Array, str]:
    """Return the matrix with all but its largest classes in one label, the new place of each label, and a note.

    Parameters
    ----------
    m
        A matrix of more than `top` classes.
    top
        The number of classes to keep.
    keep
        The place of a class to keep, however small.
    """
    labels, k = m.labels, m.n_classes
    # Floats, because the negative of an unsigned number would be huge.
    sizes = [totals[:k].astype(np.float64) for totals in (m.predicted_totals, m.actual_totals)]
    kept = np.lexsort((np.arange(k), -sizes[0], -sizes[1]))[:top]
    if keep is not None and keep not in kept:
        kept[-1] = keep
    kept = np.sort(kept)
    name = OTHER if OTHER not in labels else "(folded)"
    names = [labels[int(place)] for place in kept]
    codes = np.full(len(labels), len(kept), dtype=np.int64)
    codes[kept] = np.arange(len(kept))
    codes[k:] = np.arange(len(labels) - k) + len(kept) + 1
    new = Labels(names, outside=[name, *labels.outside], positive=labels.positive if labels.positive in names else None)
    small = m._remapped(new, codes)
    share = m.actual_totals[:k].sum().item() - small.actual_totals[: len(kept)].sum().item()
    note = f"{k - len(kept):,} of {k:,} classes folded into {name}, {number(share)} of {number(m.total)}"
    return small, codes, note


def matrix_html(m: ConfusionMatrix) -> str:
    """Return a matrix as HTML: rows are actual, columns are predicted; the darker, the more."""
    right = m.diagonal[: m.n_classes].sum().item()
    share = f", {right / m.total:.1%} on the diagonal" if m.total else ""
    notes = [f"{len(m.labels):,} labels, total {number(m.total)}{share}"]
    lost = [f"{number(m.dropped)} left out of the matrix"] if m.dropped else []
    if len(m.labels) <= MOST_CLASSES:
        return _heat(m, None, [*notes, *lost])
    rows, many = largest_confusions(m)
    listed = ""
    if many:
        title = f"the {len(rows) - 1:,} largest of {many:,} confusions, of all classes"
        columns = [
            Column(None, values, str, head, is_label=i < 2)  # the two classes
            for i, (head, values) in enumerate(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
        ]
        listed = Table(tuple(columns), title=title)._repr_html_()
    if m.n_classes <= FOLDED_TO:
        return listed + _heat(m, None, [*notes, *lost])
    small, _, note = keep_largest(m, FOLDED_TO)
    return listed + _heat(small, FOLDED_TO, [*notes, note, *lost])


def _heat(m: ConfusionMatrix, folded: int | None, notes: list[str]) -> str:
    """The table of cells; hits and errors are shaded apart, so that a large diagonal cannot drown a small error."""
    counts, size = m.counts.astype(np.float64), len(m.labels)
    outside = np.arange(size) >= m.n_classes
    if folded is not None:
        outside[folded] = False
    # Items outside on both sides are neither right nor wrong; folded classes are both together.
    colours = np.full((size, size), ORANGE, dtype=object)
    np.fill_diagonal(colours, BLUE)
    colours[np.ix_(outside, outside)] = GREY
    if folded is not None:
        colours[folded, folded] = GREY
    tops = np.ones((size, size))
    for colour in (BLUE, ORANGE, GREY):
        tops[colours == colour] = counts[colours == colour].max(initial=0.0) or 1.0
    pairs = zip(colours.tolist(), shaded(counts, tops).tolist(), strict=True)
    shades = [[tint(*pair) if pair[1] else "" for pair in zip(*row, strict=True)] for row in pairs]
    texts = [list(map(number, row)) for row in m.counts.tolist()]
    beside, below = (list(map(number, part.tolist())) for part in (m.actual_totals, m.predicted_totals))
    names = tuple(map(printable, m.labels))
    return heat_html(names, texts, shades, (beside, below, number(m.total)), notes=notes)


def heat_html(
    names: Sequence[str],
    texts: Sequence[Sequence[str]],
    shades: Sequence[Sequence[str]],
    totals: tuple[Sequence[str], Sequence[str], str] | None,
    *,
    axes: tuple[str, str] = ("actual", "predicted"),
    title: str = "",
    notes: Sequence[str] = (),
) -> str:
    """Return cells with their backgrounds as HTML, with the sums of rows, of columns and of all around them.

    `shades` holds a colour for each cell, or "" for a cell of no items, which stands back.
    """
    end = [] if totals is None else [FAINT]
    beside = [*names, *(["total"] if end else [])]
    columns = [
        Column(None, beside, str, axes[0], is_label=True, is_index=True, shade=[*[""] * len(names), *end].__getitem__)
    ]
    for j, name in enumerate(names):
        cells = [*(row[j] for row in texts), *([] if totals is None else [totals[1][j]])]
        columns.append(Column(None, cells, str, name, shade=[*(row[j] or "0.5" for row in shades), *end].__getitem__))
    if totals is not None:
        columns.append(Column(None, [*totals[0], totals[2]], str, "total", shade=lambda _: FAINT, is_faint=True))
    whole = (len(beside), 0, 0)
    return Table(tuple(columns), tuple(notes), title, over=axes[1], shown=whole)._repr_html_()

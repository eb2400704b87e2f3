"""How a matrix reads on a terminal: one line, and a labelled table that stays legible at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confmat.labels import LONGEST_REPR
from confmat.text import abridge, display_width, number, pad, printable, some

if TYPE_CHECKING:
    from confmat.matrix import ConfusionMatrix

__all__ = ["as_table", "brief"]

# Up to this many rows and columns are all shown; of more, the first and the last.
MOST = 12
HEAD, TAIL = 6, 3
LABEL_WIDTH = 24
HEADING_WIDTH = 12
# Labels that look alike when cut get more room, up to this much.
WIDEST = 96


def brief(matrix: ConfusionMatrix) -> str:
    """One line: the call that would make a small matrix, and the essentials of a large one."""
    labels = matrix.labels
    if len(labels) <= 4 and not matrix.is_sparse:
        extra = f", outside={list(labels.outside)!r}" if labels.outside else ""
        extra += f", positive={labels.positive!r}" if labels.positive is not None else ""
        text = f"ConfusionMatrix({matrix.counts.tolist()!r}, labels={list(labels.classes)!r}{extra})"
        if len(text) <= LONGEST_REPR:
            return text
    what = "weighted, " if matrix.is_weighted else ""
    what += "sparse, " if matrix.is_sparse else ""
    return f"<ConfusionMatrix of {len(labels):,} labels, {what}total {number(matrix.total)}: {some(labels, 3)}>"


def as_table(matrix: ConfusionMatrix) -> str:
    """The table with its margins, rows actual and columns predicted, abridged in the middle when large."""
    size = len(matrix.labels)
    shown = abridge(size, HEAD, TAIL) if size > MOST else abridge(size, size, 0)
    cells = _cells(matrix, [i for i in shown if i is not None])
    names = _cut(matrix, shown, LABEL_WIDTH, "⋮")
    heads = _cut(matrix, shown, HEADING_WIDTH, "…")
    actual, predicted = matrix.actual_totals, matrix.predicted_totals
    body = [_row(i, shown, cells, actual) for i in shown]
    foot = ["…" if i is None else number(predicted[i].item()) for i in shown] + [number(matrix.total)]
    heads.append("total")
    names.append("total")
    widths = [max(map(display_width, column)) for column in zip(heads, *body, foot, strict=True)]
    left = max(display_width("actual"), *map(display_width, names))
    lines = [pad("", left) + "  predicted", _line("actual", heads, widths, left)]
    lines += [_line(name, row, widths, left) for name, row in zip(names, [*body, foot], strict=True)]
    return "\n".join([*lines, *_notes(matrix)])


def _cut(matrix: ConfusionMatrix, shown: list[int | None], width: int, gap: str) -> list[str]:
    """The labels shown, cut to a width at which no two that differ look alike."""
    whole = [printable(matrix.labels[i]) for i in shown if i is not None]
    different = len(set(whole))
    cut = [_middle(name, width) for name in whole]
    while len(set(cut)) < different and width < WIDEST:
        width += 4
        cut = [_middle(name, width) for name in whole]
    names = iter(cut)
    return [gap if i is None else next(names) for i in shown]


def _middle(text: str, width: int) -> str:
    """Cut a line in its middle: names that differ often differ at their ends."""
    if display_width(text) <= width:
        return text
    # Whatever has no width of its own may come along, but not without end.
    head, tail = _first(text[: 4 * width], width // 2), _first(text[: -4 * width : -1], (width - 1) // 2)
    return f"{head}…{tail[::-1]}"


def _first(text: str, width: int) -> str:
    """As many characters as fit into a width."""
    used = 0
    for i, char in enumerate(text):
        used += display_width(char)
        if used > width:
            return text[:i]
    return text


def _cells(matrix: ConfusionMatrix, shown: list[int]) -> dict[tuple[int, int], Any]:
    if not matrix.is_sparse:
        table = matrix.counts
        return {(i, j): table[i, j].item() for i in shown for j in shown}
    wanted = set(shown)
    pairs = matrix.pairs()
    triples = zip(pairs.rows.tolist(), pairs.cols.tolist(), pairs.counts.tolist(), strict=True)
    return {(i, j): value for i, j, value in triples if i in wanted and j in wanted}


def _row(i: int | None, shown: list[int | None], cells: dict[tuple[int, int], Any], totals: Any) -> list[str]:
    if i is None:
        return ["⋱" if j is None else "⋮" for j in shown] + ["⋮"]
    return ["…" if j is None else number(cells.get((i, j), 0)) for j in shown] + [number(totals[i].item())]


def _line(name: str, values: list[str], widths: list[int], left: int) -> str:
    columns = [pad(value, width, ">") for value, width in zip(values, widths, strict=True)]
    return "  ".join([pad(name, left), *columns[:-1]]) + "  │ " + columns[-1]


def _notes(matrix: ConfusionMatrix) -> list[str]:
    size, notes = len(matrix.labels), []
    if size > MOST:
        right = matrix.diagonal[: matrix.n_classes].sum().item()
        share = f", {right / matrix.total:.1%} on the diagonal" if matrix.total else ""
        filled = f", {len(matrix.pairs()):,} cells not zero" if matrix.is_sparse else ""
        notes.append(f"{size:,} labels, total {number(matrix.total)}{share}{filled}")
    if matrix.dropped:
        notes.append(f"{number(matrix.dropped)} left out of the matrix")
    return notes

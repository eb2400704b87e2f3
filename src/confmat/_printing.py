"""How a matrix reads on a terminal: one line, and a labelled table that stays legible at any size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confmat.text import abridge, display_width, fit, number, pad, printable, some

if TYPE_CHECKING:
    from confmat.matrix import ConfusionMatrix

__all__ = ["as_table", "brief"]

# Up to this many rows and columns are all shown; of more, the first and the last.
MOST = 12
HEAD, TAIL = 6, 3
LABEL_WIDTH = 24
HEADING_WIDTH = 12


def brief(matrix: ConfusionMatrix) -> str:
    """One line: the call that would make a small matrix, and the essentials of a large one."""
    labels = matrix.labels
    if len(labels) <= 4 and not matrix.is_sparse:
        extra = f", outside={list(labels.outside)!r}" if labels.outside else ""
        extra += f", positive={labels.positive!r}" if labels.positive is not None else ""
        return f"ConfusionMatrix({matrix.counts.tolist()!r}, labels={list(labels.classes)!r}{extra})"
    what = "weighted, " if matrix.is_weighted else ""
    what += "sparse, " if matrix.is_sparse else ""
    return f"<ConfusionMatrix of {len(labels):,} labels, {what}total {number(matrix.total)}: {some(labels, 3)}>"


def as_table(matrix: ConfusionMatrix) -> str:
    """The table with its margins, rows actual and columns predicted, abridged in the middle when large."""
    size = len(matrix.labels)
    shown = abridge(size, HEAD, TAIL) if size > MOST else abridge(size, size, 0)
    cells = _cells(matrix, [i for i in shown if i is not None])
    names = ["⋮" if i is None else fit(printable(matrix.labels[i]), LABEL_WIDTH) for i in shown]
    heads = ["…" if i is None else fit(printable(matrix.labels[i]), HEADING_WIDTH) for i in shown]
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

"""Data frames of counts or rates, read into tables and their labels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import check_numbers, one_kind
from confmat.core.counts import Counts
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import check_outside, in_order, is_missing, listed, plain
from confmat.core.text import repeated, some

Array = NDArray[Any]

_ACTUAL = {"actual", "true", "truth", "reference", "y_true", "target", "gold", "ground truth", "observed"}
_PREDICTED = {"predicted", "prediction", "predictions", "pred", "y_pred", "forecast"}
_INTEGER = re.compile("-?(0|[1-9][0-9]{0,18})")
_TOTALS = {"all", "grand total", "margin", "margins", "sum", "total", "totals"}


def read_frame(
    frame: Any, rows: str, labels: Any = None, positive: Any = None, outside: Iterable[str] = ()
) -> tuple[Labels, Counts]:
    """Labels and counts from a cross table with names on both sides."""
    outside = check_outside(outside)
    row_names, col_names, columns = _parts(frame, rows)
    table = check_numbers(_fill(_table(columns), row_names, col_names, frame), "frame")
    _check_totals(row_names, col_names, table)
    _check_rates(table)
    both = one_kind([*row_names, *col_names], "the names of the frame", outside)
    row_names, col_names = both[: len(row_names)], both[len(row_names) :]
    for side, names in (("rows", row_names), ("columns", col_names)):
        if len(set(names)) < len(names):
            msg = f"the {side} of the frame repeat a label: {some(repeated(names))}"
            raise LabelError(msg)
    if labels is None:
        labels = _order([[x for x in names if x not in outside] for names in (row_names, col_names)])
    labels = Labels(labels, outside=outside, positive=positive)
    codes = [np.array([labels.index(name) for name in names], dtype=np.int64) for names in (row_names, col_names)]
    filled = np.nonzero(table)
    return labels, Counts.of_cells(len(labels), codes[0][filled[0]], codes[1][filled[1]], table[filled])


def _order(sides: list[list[Any]]) -> list[Any]:
    """The order of the side that has all classes; otherwise sorted."""
    rows, cols = sides
    if set(cols) <= set(rows):
        return rows
    return cols if set(rows) <= set(cols) else in_order([*dict.fromkeys([*rows, *cols])], appearance=True)


def _parts(frame: Any, rows: str) -> tuple[list[Any], list[Any], list[Array]]:
    """Names of rows and columns, and the columns one by one, since a table of them all would have one type."""
    if hasattr(frame, "index") and hasattr(frame, "columns") and hasattr(frame, "iloc"):
        said, axes = _said_rows(frame)
        if said is not None and said != rows:
            msg = Message(
                "the frame's rows are named {!r} and its columns {!r}; say {}, or rename the axes",
                axes[0],
                axes[1],
                Argument("rows", said),
            )
            raise InputError(msg)
        columns = [np.asarray(frame.iloc[:, i]) for i in range(len(frame.columns))]
        return list(frame.index), list(frame.columns), columns
    header = getattr(frame, "column_names", None) or getattr(frame, "columns", None)
    names = list(header) if isinstance(header, (list, tuple)) else []
    if len(names) < 2:
        msg = Message("cannot read {} as a cross table: it needs row names and column names", type(frame).__name__)
        raise InputError(msg)
    first, *columns = (np.asarray(frame[name]) for name in names)
    row_names, col_names = [plain(name) for name in listed(first)], names[1:]
    if all(type(name) is int for name in row_names) and all(map(_INTEGER.fullmatch, col_names)):
        # Such frames have texts for column names, whatever the classes are.
        col_names = [int(name) for name in col_names]
    return row_names, col_names, columns


def _said_rows(frame: Any) -> tuple[str | None, list[str]]:
    """Return what the rows are by the names of the axes, and these names."""
    names = [str(getattr(axis, "name", None) or "").strip().lower() for axis in (frame.index, frame.columns)]
    said = "predicted" if names[0] in _PREDICTED or names[1] in _ACTUAL else None
    return "actual" if names[0] in _ACTUAL or names[1] in _PREDICTED else said, names


def _table(columns: list[Array]) -> Array:
    """Columns side by side: in one type where it holds them all exactly, otherwise as objects."""
    if not columns or not len(columns[0]):
        msg = "the frame is empty; a cross table has a row and a column per class"
        raise InputError(msg)
    kinds = {column.dtype.kind for column in columns}
    for column in columns:
        if column.dtype.kind not in "biufO":
            check_numbers(column, "frame")
    if kinds == {"f"} or (kinds <= set("biu") and np.result_type(*columns).kind != "f"):
        return np.column_stack(columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for i, column in enumerate(columns):
        table[:, i] = column.astype(object)
    return table


def _fill(table: Array, row_names: list[Any], col_names: list[Any], frame: Any) -> Array:
    """0 where a whole row or column is missing, as `reindex` leaves it; integers where floats hold nothing else."""
    if table.dtype.kind not in "fO":
        return table
    holes = np.isnan(table) if table.dtype.kind == "f" else _holes(table)
    inside = holes & ~holes.all(axis=1, keepdims=True) & ~holes.all(axis=0, keepdims=True)
    if holes.any() and (inside.any() or holes.all()):
        i, j = np.argwhere(inside if inside.any() else holes)[0].tolist()
        fill = "fillna" if hasattr(frame, "fillna") else "fill_null"
        place = f"row {row_names[i]!r:.60}, column {col_names[j]!r:.60}"
        msg = f"the frame has no count at {place}; if it means 0, give frame.{fill}(0)"
        raise InputError(msg)
    table = np.where(holes, 0, table)
    flat = [x for x in table.ravel().tolist() if isinstance(x, (float, np.floating))]
    if not all(_is_whole(float(x)) for x in flat):
        return table
    if table.dtype.kind == "f":
        return table.astype(np.int64)
    for i, x in enumerate(table.ravel().tolist()):
        table.flat[i] = int(x) if isinstance(x, (float, np.floating)) else x
    return table


def _holes(table: Array) -> NDArray[np.bool_]:
    return np.array([is_missing(cell) for cell in table.ravel().tolist()], dtype=bool).reshape(table.shape)


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < 2**53


def _check_totals(row_names: list[Any], col_names: list[Any], table: Array) -> None:
    """Refuse what `crosstab(margins=True)` appends: sums, which are no class."""
    for names, numbers in ((row_names, table), (col_names, table.T)):
        if len(names) < 2 or str(names[-1]).strip().lower() not in _TOTALS or not numbers[-1].any():
            continue
        if np.allclose(numbers[:-1].sum(axis=0), numbers[-1], rtol=1e-9, atol=0):
            msg = f"the frame ends in totals ({names[-1]!r}); make it without margins"
            raise InputError(msg)


def _check_rates(table: Array) -> None:
    """Refuse what `crosstab(normalize=...)` gives: shares of a row, of a column or of all."""
    if table.dtype.kind != "f" or not np.any(table != np.rint(table)):
        return
    for what, sums in (("row", table.sum(axis=1)), ("column", table.sum(axis=0)), ("table", table.sum())):
        filled = np.atleast_1d(sums)
        filled = filled[filled > 0]
        for whole in (1, 100):
            if np.allclose(filled, whole, rtol=1e-6, atol=0):
                msg = (
                    f"each {what} of the frame adds up to {whole}: these are rates, no counts; "
                    "ConfusionMatrix.from_rates(frame, totals) finds the counts behind rates of the actual classes; "
                    "if they are weights, give ConfusionMatrix(frame.to_numpy(), labels)"
                )
                raise InputError(msg)


def rates_frame(frame: Any) -> tuple[Array, list[Any]]:
    """Rates and their labels from a frame; its columns are put in the order of its rows."""
    if hasattr(frame, "iloc") and _said_rows(frame)[0] == "predicted":
        msg = Message(
            "{rows} must be the rates of the actual classes, and the rows of this frame are predicted classes"
        )
        raise InputError(msg)
    names, headings, columns = _parts(frame, "actual")
    if len(set(names)) < len(names) or len(headings) != len(names) or set(headings) != set(names):
        msg = Message(
            "the frame of rates needs the same labels on both sides, not {} and {}", some(names), some(headings)
        )
        raise LabelError(msg)
    if not names:
        msg = Message("the frame of rates is empty")
        raise InputError(msg)
    return np.column_stack([columns[headings.index(name)] for name in names]), names

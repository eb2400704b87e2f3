"""Matrices as plain data, without loss: what JSON files hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat._building import check_numbers, number_array
from confmat._counts import Counts
from confmat.errors import Argument, InputError, Message
from confmat.labels import Labels

__all__ = ["from_dict", "to_dict"]

FORMAT, VERSION = "confmat.matrix", 1

Array = NDArray[Any]


def to_dict(labels: Labels, counts: Counts, squares: Counts | None, dropped: int | float) -> dict[str, Any]:
    """A matrix as plain data; a table where it is dense, `[row, column, count]` where it is sparse."""
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "labels": labels.to_dict(),
        "rows": "actual",
        "weighted": counts.dtype.kind == "f",
        **_numbers("counts", counts),
    }
    if squares is not None:
        data.update(_numbers("squares", squares))
    if dropped:
        data["dropped"] = dropped
    return data


def _numbers(name: str, counts: Counts) -> dict[str, Any]:
    if not counts.is_sparse:
        return {name: counts.table().tolist()}
    rows, cols, values = counts.cells()
    return {f"{name}_cells": [list(cell) for cell in zip(rows.tolist(), cols.tolist(), values.tolist(), strict=True)]}


def from_dict(data: Mapping[str, Any]) -> tuple[Labels, Counts, Counts | None, int | float]:
    """Read what `to_dict` wrote; unknown fields of a later version are left alone."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        msg = Message("this is no stored confusion matrix: {format} must be {!r}", FORMAT)
        raise InputError(msg)
    version, weighted = data.get("version"), data.get("weighted", False)
    if type(version) is not int or not 1 <= version <= VERSION:
        msg = f"the matrix was stored as version {version!r:.60}; this confmat reads versions 1 to {VERSION}"
        raise InputError(msg)
    if type(weighted) is not bool:
        msg = f"`weighted` must be true or false, not {weighted!r:.60}"
        raise InputError(msg)
    if data.get("rows", "actual") != "actual":
        msg = f"stored rows must be 'actual', not {data['rows']!r}"
        raise InputError(msg)
    if not isinstance(data.get("labels"), Mapping):
        msg = Message("a stored matrix needs {labels}")
        raise InputError(msg)
    labels = Labels.from_dict(data["labels"])
    counts = _read(data, "counts", len(labels), weighted=weighted)
    if counts is None:
        msg = "a stored matrix needs `counts` or `counts_cells`"
        raise InputError(msg)
    squares = _read(data, "squares", len(labels), weighted=True)
    dropped = data.get("dropped", 0)
    if not isinstance(dropped, (int, float)) or isinstance(dropped, bool) or not 0 <= dropped < float("inf"):
        msg = f"`dropped` must be a number, zero or more, not {dropped!r:.60}"
        raise InputError(msg)
    return labels, counts, squares, dropped


def _read(data: Mapping[str, Any], name: str, size: int, *, weighted: bool) -> Counts | None:
    try:
        if name in data:
            table = check_numbers(number_array(data[name]), name)
            if table.shape != (size, size):
                msg = Message(
                    "stored {} must be a table of {} x {}, not of shape {}", Argument(name), size, size, table.shape
                )
                raise InputError(msg)
            return Counts.of_table(table.astype(float) if weighted else table, sparse=False)
        if f"{name}_cells" not in data:
            return None
        cells = [tuple(cell) for cell in data[f"{name}_cells"]]
        _check_cells(cells, name)
        rows, cols = (np.array([cell[side] for cell in cells], dtype=np.int64) for side in (0, 1))
        values = check_numbers(number_array([cell[2] for cell in cells]) if cells else np.zeros(0, np.int64), name)
    except (TypeError, IndexError, OverflowError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        msg = Message("cannot read the stored {}: {}", Argument(name), error)
        raise InputError(msg) from error
    if cells and (min(rows.min(), cols.min()) < 0 or max(rows.max(), cols.max()) >= size):
        msg = Message("stored {} name a row or column outside the {} labels", Argument(name), size)
        raise InputError(msg)
    return Counts.of_cells(size, rows, cols, values.astype(float) if weighted else values, sparse=True)


def _check_cells(cells: list[tuple[Any, ...]], name: str) -> None:
    """Each cell is a row, a column and a count, and stands there once."""
    for cell in cells:
        if len(cell) != 3 or type(cell[0]) is not int or type(cell[1]) is not int or type(cell[2]) not in {int, float}:
            msg = Message(
                "each of the stored {} must be [row, column, count], not {!r:.60}", Argument(name), list(cell)
            )
            raise InputError(msg)
    if len({cell[:2] for cell in cells}) < len(cells):
        msg = Message("stored {} name the same row and column twice", Argument(name))
        raise InputError(msg)

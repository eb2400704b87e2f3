"""Frames and tables of which a hierarchy is built, as rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.errors import InputError
from confmat.core.text import some

__all__ = ["CHILDREN", "PARENTS", "by_head", "listed"]

# What the columns of a table of parents are called.
CHILDREN = {"child", "class", "name", "label", "node"}
PARENTS = {"parent", "group", "superclass", "superordinate", "supercategory"}


def listed(rows: Any) -> Any:
    """The rows of a frame or a table as lists; iterating over a frame would give its columns."""
    if hasattr(rows, "column_names") and hasattr(rows, "to_pylist"):
        return [list(row.values()) for row in rows.to_pylist()]
    if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
        return rows.to_numpy().tolist()
    return rows.tolist() if isinstance(rows, np.ndarray) and rows.ndim == 2 else rows


def by_head(parents: Any) -> tuple[Any, bool]:
    """Pairs of a frame or series, the child first, and whether the names of its columns said which is which."""
    heads = getattr(parents, "column_names", getattr(parents, "columns", None))
    if heads is None:
        # The children of a series are its index.
        is_series = hasattr(parents, "index") and hasattr(parents, "items")
        return list(parents.items()) if is_series else listed(parents), False
    names = [str(head).casefold() for head in heads]
    if len(names) == 2 and len(set(heads)) < 2:
        msg = f"both columns of the frame of parents are called {some(names[:1])}; name them 'child' and 'parent'"
        raise InputError(msg)
    if len(names) != 2:
        msg = f"a frame of parents has two columns, child and parent, not {some(names)}; columns of levels are paths"
        raise InputError(msg)
    turned = names[0] in PARENTS and names[1] in CHILDREN
    rows = listed(parents)
    return [row[::-1] for row in rows] if turned else rows, turned or (names[0] in CHILDREN and names[1] in PARENTS)

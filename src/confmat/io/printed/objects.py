"""Matrices in the JSON of other tools: Azure, Vertex AI, BigQuery, the orients of pandas, names beside rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from confmat.core.errors import InputError
from confmat.core.frames import axis_of
from confmat.core.text import some
from confmat.io.printed.crosstab import Cross, cross_of_grid, is_number
from confmat.io.tallies import long_columns

Grid = list[list[str]]
# Fields whose documentation says that rows are actual: `log_confusion_matrix` of azureml.core.Run;
# ModelEvaluation of aiplatform.googleapis.com, rows[i][j] has the ground truth annotationSpecs[i]; the same of AutoML.
_ACTUAL_ROWS = {"class_labels", "annotationSpecs", "annotationSpecId", "displayName"}
# An object of objects does not say which of its names are actual.
_NESTED = ("outer names (columns of pandas' to_json())", "inner names")
_MAX_DEPTH = 20


def json_table(data: Any) -> Cross | None:
    """The one matrix within JSON of another tool; of two, neither is guessed at."""
    found: list[Grid] = list(_tables(data))
    if isinstance(data, list) and all(isinstance(row, list) and len(row) == len(data[0]) for row in data):
        found = [[list(map(str, row)) for row in data]]
    if len({str(grid) for grid in found}) > 1:
        msg = f"the JSON holds {len(found)} matrices; give one"
        raise InputError(msg)
    if not found:
        return None
    cross = replace(cross_of_grid(found[0], "JSON"), lines=None, points=True)
    return replace(cross, axes=_NESTED) if cross.rows is None and found[0][0][0] == "\\".join(_NESTED) else cross


def _tables(data: Any, depth: int = 0) -> Iterator[Grid]:
    if isinstance(data, Mapping) and {*data} == {"columns", "data"} and long_columns(data["columns"]):
        data = [dict(zip(data["columns"], row, strict=True)) for row in data["data"]]
    grid = (_of_names(data) or _of_objects(data)) if isinstance(data, Mapping) else _of_records(data)
    if grid is not None:
        yield grid
    elif depth < _MAX_DEPTH and isinstance(data, (Mapping, list)):
        for part in data.values() if isinstance(data, Mapping) else data:
            if isinstance(part, (Mapping, list)):
                yield from _tables(part, depth + 1)


def _numeric(value: Any) -> bool:
    return not isinstance(value, (bool, Mapping, list)) and is_number(str(value))


def _row(part: Any) -> list[Any] | None:
    """A row of numbers, which may stand in an object of its own."""
    if isinstance(part, Mapping) and len(part) == 1:
        part = next(iter(part.values()))
    return part if isinstance(part, list) and part and all(map(_numeric, part)) else None


def _names(value: Any) -> list[str] | None:
    if not isinstance(value, list):
        return None
    names = [part.get("displayName") if isinstance(part, Mapping) else part for part in value]
    return None if any(name is None or isinstance(name, (list, Mapping)) for name in names) else list(map(str, names))


def _of_names(data: Mapping[str, Any]) -> Grid | None:
    """Rows of numbers in one field, and the names of the classes in another."""
    parts = {key: [_row(part) for part in value] for key, value in data.items() if isinstance(value, list)}
    tables = {
        key: [row for row in rows if row is not None]
        for key, rows in parts.items() if rows and None not in rows and "normal" not in key
    }  # fmt: skip
    if len(tables) != 1:
        return None
    ((key, rows),) = tables.items()
    named = {field: names for field, value in data.items() if field != key and (names := _names(value))}
    if {"index", "columns"} <= named.keys():
        # pandas, orient="split".
        return _grid("", named["index"], named["columns"], rows)
    fitting = {field: names for field, names in named.items() if len(names) == len(rows)}
    fitting = {field: names for field, names in fitting.items() if "name" in field.lower()} or fitting
    if len({str(names) for names in fitting.values()}) > 1:
        msg = f"the fields {some(list(fitting))} of the JSON all name {len(rows)} classes; leave the right one"
        raise InputError(msg)
    if not fitting and _ACTUAL_ROWS & named.keys():
        msg = (
            f"the JSON has {len(rows)} rows, and its field {min(_ACTUAL_ROWS & named.keys())!r} another number of names"
        )
        raise InputError(msg)
    side = "actual" if _ACTUAL_ROWS & data.keys() else ""
    names = next(iter(fitting.values()), None)
    return _grid(side, names, names, rows) if names else [list(map(str, row)) for row in rows]


def _of_objects(data: Mapping[str, Any]) -> Grid | None:
    """An object of objects of numbers: pandas writes the columns outside, and the rows where orient is "index"."""
    rows = list(data.values())
    if len(rows) < 2 or not all(isinstance(row, Mapping) and row and all(map(_numeric, row.values())) for row in rows):
        return None
    names = list(dict.fromkeys(name for row in rows for name in row))
    if any(len(row) != len(names) for row in rows):
        return None
    return _grid("\\".join(_NESTED), list(data), names, [[row[name] for name in names] for row in rows])


def _of_records(data: Any) -> Grid | None:
    """A list with one object for each row, or for each pair of classes."""
    if not isinstance(data, list) or len(data) < 2 or not all(isinstance(row, Mapping) and row for row in data):
        return None
    # BigQuery's API has a list of the cells in each row.
    flat = [{**row, **cell} for row in data for cell in row.get("entries", ()) if isinstance(cell, Mapping)]
    records = [{key: value for key, value in row.items() if key != "entries"} for row in flat or data]
    keys = list(records[0])
    if any(row.keys() != records[0].keys() for row in records):
        return None
    if long_columns(keys) is not None:
        return [keys, *(list(map(str, row.values())) for row in records)]
    texts = [key for key in keys if not all(_numeric(row[key]) for row in records)]
    stub = next((key for key in keys if axis_of(key) or key == "index"), texts[0] if texts else None)
    names = [key for key in keys if key != stub]
    if not {*texts} <= {stub} or len(names) < 2:
        return None
    cells = [[row[name] for name in names] for row in records]
    if stub is not None:
        return _grid(stub if axis_of(stub) else "", [row[stub] for row in records], names, cells)
    # Without the names of the rows, they are in the order of the columns.
    return _grid("", names, names, cells) if len(cells) == len(names) else None


def _grid(corner: str, rows: list[Any], columns: list[Any], cells: list[list[Any]]) -> Grid | None:
    if len(rows) != len(cells) or any(len(row) != len(columns) for row in cells):
        return None
    return [[corner, *map(str, columns)], *([str(name), *map(str, row)] for name, row in zip(rows, cells, strict=True))]

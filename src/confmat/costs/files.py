"""Costs from a file: a table with labelled rows and columns, a list of pairs, or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from confmat.core.errors import InputError
from confmat.core.files import read_text
from confmat.core.frames import corner_names
from confmat.core.text import from_csv_cell, printable, some
from confmat.metrics.costs import LISTS, Costs, Listed, Named, pairs_of, square

_HEADS = ("actual", "predicted", "cost")


def read_costs(path: str | PathLike[str], *, default: float | None = None) -> Costs:
    r"""Read costs from a file.

    CSV or TSV: a table whose first row and first column name the classes, rows actual; or a list
    with the columns actual, predicted and cost. JSON: {"fp": 1, "fn": 5}; prices by the actual
    class and then the predicted one; a list of {"actual": ..., "predicted": ..., "cost": ...}; rows
    of numbers in the order of the labels; or any of these under "costs", with "labels" that name
    the rows and columns, or with a "default".

    Parameters
    ----------
    path
        The file, which is JSON or TSV by its suffix, and otherwise CSV.
    default
        The price of every error that the file does not name, as in `Costs`.

    Returns
    -------
    Costs

    Examples
    --------
    >>> from confmat import ConfusionMatrix
    >>> from confmat.metrics import cost
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "costs.csv"
    >>> _ = path.write_text("actual,predicted,cost\nspam,ham,1\nham,spam,10\n")
    >>> cost(read_costs(path))(ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"]))
    1.05
    """
    text = read_text(path, "costs")
    where = Path(path)
    try:
        costs, stated = (
            _of_json(text) if where.suffix.lower() == ".json" else (_of_csv(text, where), None)
        )
        return Costs(costs, default=stated if default is None else default)
    except (ValueError, RecursionError) as error:
        msg = f"{printable(where.name)}: {printable(error)[:600]}"
        raise InputError(msg) from error


# ---- CSV -----------------------------------------------------------------------------------------


def _rows_of(text: str, path: Path) -> list[list[str]]:
    """The rows of a table, all as long as the first."""
    head = text.partition("\n")[0]
    tab = path.suffix.lower() in {".tsv", ".tab"}
    lines = csv.reader(io.StringIO(text), delimiter="\t" if tab else max(",;\t", key=head.count))
    rows = [row for row in lines if any(map(str.strip, row))]
    if not rows:
        msg = "the file is empty"
        raise InputError(msg)
    for line, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            msg = f"row {line} has {len(row)} fields, and the first row has {len(rows[0])}"
            raise InputError(msg)
    return rows


def _of_csv(text: str, path: Path) -> Any:
    rows = _rows_of(text, path)
    heads = [cell.strip() for cell in rows[0]]
    if sorted(map(str.lower, heads)) == sorted(_HEADS):
        actual, predicted, price = ([name.lower() for name in heads].index(name) for name in _HEADS)
        return _listed(
            (_name(row[actual]), _name(row[predicted]), _number(row[price], f"row {line}"))
            for line, row in enumerate(rows[1:], 2)
        )
    names = [_name(cell) for cell in rows[0][1:]]
    table = [
        [
            _number(cell, f"row {line}, column {some([name])}")
            for name, cell in zip(names, row[1:], strict=True)
        ]
        for line, row in enumerate(rows[1:], 2)
    ]
    return _table([_name(row[0]) for row in rows[1:]], names, table, *corner_names(heads[0]))


def _table(rows: Any, columns: Any, prices: Any, *sides: str) -> Named:
    table = square(prices)
    if not isinstance(rows, list):
        msg = f"'labels' lists the classes, and is {rows!r:.60} here"
        raise InputError(msg)
    if not len(rows) == len(columns) == len(table):
        msg = f"{len(rows):,} names of rows and {len(columns):,} of columns do not fit {len(table):,} rows of prices"
        raise InputError(msg)
    return Named(rows, columns, table, *sides)


def _listed(triples: Iterable[Any]) -> Listed:
    return Listed(pairs_of(triples), None)


def _name(cell: str) -> str:
    return from_csv_cell(cell.strip())


def _number(cell: str, where: str) -> int | float:
    try:
        return int(cell)
    except ValueError:
        pass
    try:
        return float(cell)
    except ValueError:
        empty = (
            "nothing; write 0 for what costs nothing"
            if not cell.strip()
            else f"{cell!r:.60}, which is no number; {LISTS}"
        )
        msg = f"{where} holds {empty}"
        raise InputError(msg) from None


# ---- JSON ----------------------------------------------------------------------------------------


def _of_json(text: str) -> tuple[Any, float | None]:
    """The costs, and the default if one is stated."""
    data = json.loads(text)
    if not (isinstance(data, dict) and "costs" in data):
        return _prices(data), None
    extra = sorted(set(data) - {"costs", "labels", "default"})
    if extra:
        msg = f"beside 'costs' there may be 'labels' and 'default', not {some(extra)}"
        raise InputError(msg)
    names, costs = data.get("labels"), data["costs"]
    return _prices(costs) if names is None else _table(names, names, costs), data.get("default")


def _prices(data: Any) -> Any:
    """The price of each pair of classes in a list of objects; other data are given back."""
    if not (isinstance(data, list) and data and all(isinstance(each, dict) for each in data)):
        return data
    wrong = [each for each in data if set(each) != set(_HEADS)]
    if wrong:
        msg = (
            f"each price is {{'actual': ..., 'predicted': ..., 'cost': ...}}, not {wrong[0]!r:.100}"
        )
        raise InputError(msg)
    return _listed(tuple(each[name] for name in _HEADS) for each in data)

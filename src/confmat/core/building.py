"""Reading tables, pairs, frames and stored data into labels and counts; moving classes to other places."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import named
from confmat.core.counts import Counts, exact_total
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import (
    check_list,
    check_outside,
    in_order,
    kind_of,
    kind_of_all,
    listed,
    plain,
)
from confmat.core.options import is_several, told
from confmat.core.seals import check_fields
from confmat.core.text import repeated, some

Array = NDArray[Any]
Parts = tuple[Labels, Counts]


def as_names(labels: Any) -> list[Any] | range:
    """A list of label names from anything a person would pass for one."""
    if isinstance(labels, range):
        return labels
    check_list(labels)
    return listed(labels)


def positive_of(labels: Labels) -> Any:
    """The positive class: as named, or the one that nobody would call negative, also where it is written as text."""
    if (
        labels.positive is not None
        or labels.n_classes != 2
        or labels.kind not in {"bool", "int", "text"}
    ):
        return labels.positive
    names = {str(name).lower(): name for name in labels.classes}
    return (
        names.get("1", names.get("true"))
        if names.keys() in ({"0", "1"}, {"-1", "1"}, {"false", "true"})
        else None
    )


def positive_place(labels: Labels) -> int:
    """Where the positive class is."""
    positive = positive_of(labels)
    if positive is None:
        msg = Message(
            "which of {} do high scores speak for? Say so, such as {}",
            some(labels),
            Argument("positive", labels[-1]),
        )
        raise LabelError(msg)
    return labels.index(positive)


# ---- tables --------------------------------------------------------------------------------------


def read_counts(counts: Any) -> Counts:
    """A square table of finite, non-negative numbers from an array, nested lists, a SciPy sparse matrix or a matrix."""
    stored = getattr(counts, "_counts", None)
    if isinstance(stored, Counts):
        return stored
    if hasattr(counts, "tocoo"):
        coo = counts.tocoo()
        values = check_numbers(np.array(coo.data), "counts")
        if len(coo.shape) != 2 or coo.shape[0] != coo.shape[1]:
            raise InputError(_not_square(coo.shape))
        return Counts.of_cells(coo.shape[0], np.array(coo.row), np.array(coo.col), values)
    if hasattr(counts, "columns"):
        msg = "`counts` is a data frame; its labels would be lost here: use ConfusionMatrix.from_frame(frame)"
        raise InputError(msg)
    table = even_array(counts, "`counts` must be a square table")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise InputError(_not_square(table.shape))
    return Counts.of_table(check_numbers(table, "counts"))


def _not_square(shape: tuple[int, ...]) -> str:
    message = f"`counts` must be a square table with one row and one column per class, not of shape {tuple(shape)}"
    if len(shape) == 2 and shape[0] != shape[1]:
        message += "; from_frame and from_pairs take rectangular tables with names on both sides"
    if len(shape) == 1:
        message += "; to count two lists of labels, call confmat.count(actual, predicted)"
    return message


def even_array(values: Any, wanted: str) -> Array:
    """An array of the given values, if their rows have one length; `wanted` says of what, and what it must be."""
    try:
        return number_array(values)
    except InputError:
        raise
    except ValueError:
        msg = f"{wanted}, but its rows are of different lengths"
        raise InputError(msg) from None


def number_array(values: Any) -> Array:
    """Numbers as an array, perhaps the same; of nested integers up to 64 bits exact ones, not NumPy's floats."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        masked = int(np.ma.getmaskarray(values).sum())
        msg = f"{masked:,} of the numbers are masked, and what lies behind a mask is no number; give .filled(0)"
        raise InputError(msg)
    try:
        # A tensor may still remember its gradients.
        array = np.asarray(values.detach() if hasattr(values, "detach") else values)
    except (TypeError, RuntimeError) as error:
        msg = f"cannot read {type(values).__name__} as numbers: {error!s:.200}; convert it to an array first"
        raise InputError(msg) from error
    if array.dtype.kind == "f" and not hasattr(values, "dtype") and np.any(array >= 2.0**53):
        exact = np.array(values, dtype=object)
        if all(isinstance(x, (int, np.integer)) for x in exact.ravel().tolist()):
            return exact
    return array


def check_numbers(values: Array, name: str) -> Array:
    """Counts or weights as int64, uint64 or float64: finite and non-negative, or an error that says which is not."""
    if values.dtype.kind == "O":
        values = _from_objects(values, name)
    if values.dtype.kind == "b":
        return values.astype(np.int64)
    if values.dtype.kind not in "iuf":
        msg = Message("{} must be numbers, not {}", Argument(name), values.dtype)
        raise InputError(msg)
    is_float = values.dtype.kind == "f"
    # Reductions of the functions themselves: methods such as any() are Python.
    if is_float and not np.logical_and.reduce(np.isfinite(values), axis=None):
        raise InputError(_first_wrong(values, ~np.isfinite(values), "finite", name))
    if np.logical_or.reduce(values < 0, axis=None):
        raise InputError(_first_wrong(values, values < 0, "zero or more", name))
    if is_float:
        return values.astype(np.float64)
    return values.astype(np.uint64 if values.dtype == np.uint64 else np.int64)


def _first_wrong(values: Array, wrong: Array, wanted: str, name: str) -> str:
    if not values.ndim:
        return Message("{} must be {}, not {!s}", Argument(name), wanted, values)
    place = tuple(np.argwhere(wrong)[0].tolist())
    return Message(
        "{} must be {}, but {:,} are not; the first, at {}, is {!s}",
        Argument(name),
        wanted,
        int(wrong.sum()),
        place[0] if len(place) == 1 else place,
        values[place],
    )


def in_63_bits(array: Array, name: str) -> Array:
    """Numbers whose sums no stack can overflow; integers as int64."""
    total = exact_total(array)
    if not np.isfinite(float(total)):
        msg = Message("the {} add up to more than a float holds", Argument(name))
        raise InputError(msg)
    if array.dtype.kind != "f" and total >= 2**63:
        msg = Message(
            "the {} add up to {:,}, more than 63 bits hold; give them as floats",
            Argument(name),
            total,
        )
        raise InputError(msg)
    return array.astype(np.int64 if array.dtype.kind == "u" else array.dtype, copy=False)


def _from_objects(values: Array, name: str) -> Array:
    flat = [x.item() if isinstance(x, np.generic) else x for x in values.ravel().tolist()]
    if all(isinstance(x, int) for x in flat):
        if max(flat, default=0) >= 2**64:
            msg = Message(
                "{} holds {:,}, more than 64 bits hold; give floats", Argument(name), max(flat)
            )
            raise InputError(msg)
        if min(flat, default=0) < 0:
            # Only the first negative one will be spoken of, and it need not be long.
            return np.array([-1 if x < 0 else 0 for x in flat], dtype=np.int64).reshape(
                values.shape
            )
        return np.array(flat, dtype=np.uint64).reshape(values.shape)
    return np.array([_as_float(x, name) for x in flat]).reshape(values.shape)


def _as_float(value: Any, name: str) -> float:
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    kind = type(value).__name__
    raise InputError(Message("{} must be numbers, but {!r:.60} is {}", Argument(name), value, kind))


def one_kind(names: Iterable[Any], where: str, outside: tuple[str, ...]) -> list[Any]:
    """Names of both sides as plain values of one kind, before 1 and True could merge by accident."""
    values = [plain(name) for name in names]
    inside = [name for name in values if not (type(name) is str and name in outside)]
    if not inside or kind_of_all(inside, where)[0] != "int":
        return values
    return [int(name) if type(name) is bool else name for name in values]


# ---- moving classes ------------------------------------------------------------------------------


def positions(old: Labels, new: Labels) -> Array:
    """Where each old label is among the new ones; -1 for one that is not there."""
    mine, theirs = old._array(), new._array()
    if mine is not None and theirs is not None and len(mine) > 1000:
        order = np.argsort(theirs, kind="stable")
        places = np.minimum(np.searchsorted(theirs, mine, sorter=order), max(len(theirs) - 1, 0))
        codes = np.where(theirs[order[places]] == mine, order[places], -1)
        tail = [new._find(name) for name in old.outside]
        return np.concatenate(
            [codes, np.array([-1 if x is None else x for x in tail], dtype=np.int64)]
        )
    new_places = (new._find(name) for name in old)
    return np.array([-1 if place is None else place for place in new_places], dtype=np.int64)


def chosen(old: Labels, names: Any) -> tuple[Labels, Array]:
    """Labels in the order asked for (outside ones last, as they must be), and where each old label goes."""
    names = list(names) if isinstance(names, Labels) else as_names(names)
    places = [old.index(name) for name in names]
    if len(set(places)) < len(places):
        msg = f"labels must be distinct, but these come twice: {some(repeated(names))}"
        raise LabelError(msg)
    places.sort(key=lambda place: place >= old.n_classes)
    codes = np.full(len(old), -1, dtype=np.int64)
    codes[places] = np.arange(len(places))
    size = sum(place < old.n_classes for place in places)
    moved = [old[place] for place in places]
    inside, outside = moved[:size], moved[size:]
    positive = old.positive if old.positive in inside else None
    return Labels(inside, outside=outside, positive=positive), codes


def renamed(old: Labels, names: Any) -> Labels:
    """The same labels under new names."""
    by_name = named(names, old)
    if by_name is not None:
        mapping = {old[old.index(name)]: new for name, new in by_name.items()}
        new = [mapping.get(name, name) for name in old]
    else:
        new = list(as_names(names))
        if len(new) == old.n_classes:
            new += old.outside
    if len(new) != len(old):
        msg = f"{len(new)} new names for {len(old)} labels; name each of them once: {some(old)}"
        raise LabelError(msg)
    positive = None if old.positive is None else new[old.index(old.positive)]
    return Labels(new[: old.n_classes], outside=new[old.n_classes :], positive=positive)


def merged(old: Labels, groups: Mapping[Any, Iterable[Any]]) -> tuple[Labels, Array]:
    """Labels after joining classes into groups, and where each old label goes."""
    if not isinstance(groups, Mapping):
        msg = (
            "`merge` takes a mapping of group name to its classes, such as {'pet': ['Cat', "
            "'Dog']}, "
            f"not {type(groups).__name__}"
        )
        raise LabelError(msg)
    group_of = _group_of_each(old, groups)
    names = list(starmap(group_of.get, enumerate(old.classes)))
    keys = [(kind_of(name), name) for name in map(plain, names)]
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    codes = [places[key] for key in keys]
    codes += [len(places) + i for i in range(len(old.outside))]
    positive = None if old.positive is None else names[old.index(old.positive)]
    labels = Labels([name for _, name in places], outside=old.outside, positive=positive)
    return labels, np.array(codes, dtype=np.int64)


def _group_of_each(old: Labels, groups: Mapping[Any, Iterable[Any]]) -> dict[int, Any]:
    """The group of each class that is in one, by its place."""
    group_of: dict[int, Any] = {}
    for group, members in groups.items():
        for member in members if isinstance(members, (set, frozenset)) else as_names(members):
            place = old.index(member)
            if place >= old.n_classes:
                msg = f"{member!r} stands outside the classes and cannot join the group {group!r}"
                raise LabelError(msg)
            if place in group_of:
                msg = f"{member!r} is in two groups, {group_of[place]!r} and {group!r}"
                raise LabelError(msg)
            group_of[place] = group
    for place, name in enumerate(old.classes):
        if name in groups and place not in group_of:
            msg = (
                f"the group {name!r} has the name of a class that is not in it; put it in, or "
                "call the group otherwise"
            )
            raise LabelError(msg)
    return group_of


def together(parts: list[Any]) -> Array:
    """Arrays (or numbers) along a new first axis; int64 beside uint64 would become float64."""
    if {part.dtype for part in parts} == {np.dtype(np.int64), np.dtype(np.uint64)}:
        parts = [part.astype(np.uint64) for part in parts]
    return np.stack(parts)


def labels_for(labels: Iterable[Any] | None, size: int) -> Labels:
    """The labels of tables of this many rows; 0, 1, ... where nobody says."""
    if isinstance(labels, Labels):
        return labels
    return Labels(range(size) if labels is None else as_names(labels))


def labels_of_table(
    size: int, labels: Iterable[Any] | None, positive: Any, outside: tuple[str, ...]
) -> Labels:
    """The labels of a table of this many rows, some of them outside the classes."""
    if isinstance(labels, Labels):
        if positive is None and not outside:
            return labels
        positive = labels.positive if positive is None else positive
        return labels.replace(outside=outside or None, positive=positive)
    classes = size - len(outside)
    given = range(max(classes, 1)) if labels is None else as_names(labels)
    # Labels may be listed for all rows, those outside the classes at the end.
    if outside and len(given) == size and tuple(given[classes:]) == outside:
        given = given[:classes]
    return Labels(given, outside=outside, positive=positive)


FORMAT, VERSION = "confmat.matrix", 1
_FIELDS = {
    *(
        "format",
        "version",
        "labels",
        "rows",
        "weighted",
        "counts",
        "counts_cells",
        "squares",
        "squares_cells",
    ),
    *("dropped", "notes", "provenance", "seal"),
}


def to_dict(
    labels: Labels, counts: Counts, squares: Counts | None, dropped: int | float
) -> dict[str, Any]:
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
    return {
        f"{name}_cells": [
            list(cell) for cell in zip(rows.tolist(), cols.tolist(), values.tolist(), strict=True)
        ]
    }


def _check_stored(data: Mapping[str, Any]) -> None:
    """Refuse what is no stored matrix, before its numbers are read."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        msg = Message("this is no stored confusion matrix: {format} must be {!r}", FORMAT)
        raise InputError(msg)
    version, weighted = data.get("version"), data.get("weighted", False)
    if type(version) is not int or not 1 <= version <= VERSION:
        msg = Message(
            "the matrix was stored as version {!r:.60}; this confmat reads versions 1 to {}",
            version,
            VERSION,
        )
        raise InputError(msg)
    if not isinstance(data.get("labels"), Mapping):
        msg = Message("a stored matrix needs {labels}")
        raise InputError(msg)
    rows, dropped = data.get("rows", "actual"), data.get("dropped", 0)
    is_number = type(dropped) in {int, float} and 0 <= dropped < math.inf
    for name, value, is_right, wanted in (
        ("weighted", weighted, type(weighted) is bool, "true or false"),
        ("rows", rows, rows == "actual", "'actual'"),
        ("dropped", dropped, is_number, "a number, zero or more"),
    ):
        if not is_right:
            msg = Message("stored {} must be {}, not {!r:.60}", Argument(name), wanted, value)
            raise InputError(msg)
    check_fields(data, _FIELDS, "a stored matrix")


def from_dict(data: Mapping[str, Any]) -> tuple[Labels, Counts, Counts | None, int | float]:
    """Read what `to_dict` wrote."""
    _check_stored(data)
    weighted = data.get("weighted", False)
    labels = Labels.from_dict(data["labels"])
    counts = _read(data, "counts", len(labels), weighted=weighted)
    if counts is None:
        msg = Message("a stored matrix needs `counts` or `counts_cells`")
        raise InputError(msg)
    if "weighted" in data and not weighted and counts.dtype.kind == "f":
        msg = Message(
            "the stored counts have fractions, though `weighted` is false; is the file damaged?"
        )
        raise InputError(msg)
    return (
        labels,
        counts,
        _read(data, "squares", len(labels), weighted=True),
        data.get("dropped", 0),
    )


def _read(data: Mapping[str, Any], name: str, size: int, *, weighted: bool) -> Counts | None:
    try:
        if name in data:
            return _read_table(data[name], name, size, weighted=weighted)
        cells = data.get(f"{name}_cells")
        return None if cells is None else _read_cells(cells, name, size, weighted=weighted)
    except InputError:
        raise
    except (TypeError, OverflowError, ValueError) as error:
        msg = Message("cannot read the stored {}: {}", Argument(name), error)
        raise InputError(msg) from error


def _read_table(stored: Any, name: str, size: int, *, weighted: bool) -> Counts:
    if isinstance(stored, list):
        # `number_array` would take some of the others for numbers, such as true.
        others = {*map(type, chain.from_iterable(stored))} - {int, float}
        if others:
            kind = min(kind.__name__ for kind in others)
            msg = "stored {} must be numbers, and there is a {} among them"
            raise InputError(Message(msg, Argument(name), kind))
    table = check_numbers(number_array(stored), name)
    if table.shape != (size, size):
        msg = "stored {} must be a table of {} x {}, not of shape {}"
        raise InputError(Message(msg, Argument(name), size, size, table.shape))
    return Counts.of_table(table.astype(float) if weighted else table, sparse=False)


def _read_cells(stored: Any, name: str, size: int, *, weighted: bool) -> Counts:
    """Read cells, each a row, a column and a count, and none of them twice."""
    cells = list(map(tuple, stored))
    for cell in cells:
        if tuple(map(type, cell)) not in {(int, int, int), (int, int, float)}:
            msg = "each of the stored {} must be [row, column, count], not {!r:.60}"
            raise InputError(Message(msg, Argument(name), list(cell)))
    places = np.array([cell[:2] for cell in cells], dtype=np.int64).reshape(-1, 2)
    if len({cell[:2] for cell in cells}) < len(cells) or ((places < 0) | (places >= size)).any():
        msg = "stored {} name a cell twice, or a row or column outside the {} labels"
        raise InputError(Message(msg, Argument(name), size))
    counts = number_array([cell[2] for cell in cells]) if cells else np.zeros(0, np.int64)
    values = check_numbers(counts, name)
    values = values.astype(float) if weighted else values
    return Counts.of_cells(size, places[:, 0], places[:, 1], values, sparse=True)


class Pairs(Mapping[tuple[Any, Any], Any]):
    """The non-zero cells of a matrix: (actual, predicted) -> count, in the order of its labels.

    `rows`, `cols` and `counts` are the same as arrays, for when there are millions.

    >>> from confmat.core.matrix import ConfusionMatrix
    >>> dict(ConfusionMatrix([[0, 3], [0, 1]], ["a", "b"]).pairs())
    {('a', 'b'): 3, ('b', 'b'): 1}
    """

    __slots__ = ("_labels", "_places", "cols", "counts", "rows")

    def __init__(self, labels: Labels, rows: Array, cols: Array, counts: Array) -> None:
        self._labels = labels
        self.rows, self.cols, self.counts = rows, cols, counts
        self._places: dict[tuple[int, int], int] | None = None

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        name = self._labels.__getitem__
        for row, col in zip(self.rows.tolist(), self.cols.tolist(), strict=True):
            yield name(row), name(col)

    def __getitem__(self, pair: tuple[Any, Any]) -> int | float:
        if self._places is None:
            self._places = {
                place: i
                for i, place in enumerate(zip(self.rows.tolist(), self.cols.tolist(), strict=True))
            }
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise KeyError(pair)
        actual, predicted = pair
        if actual not in self._labels or predicted not in self._labels:
            raise KeyError(pair)
        place = self._places.get((self._labels.index(actual), self._labels.index(predicted)))
        if place is None:
            raise KeyError(pair)
        return self.counts[place].item()

    def __repr__(self) -> str:
        return f"Pairs({len(self):,} non-zero cells: {some(self.items(), 3)})"


def read_pairs(
    pairs: Any, labels: Any, positive: Any, outside: Iterable[str]
) -> tuple[Labels, Counts]:
    """Labels and counts from a mapping of pairs, or from triples."""
    items, outside = _triples(pairs), check_outside(outside)
    names = one_kind([name for item in items for name in item[:2]], "the names in `pairs`", outside)
    if labels is None:
        inside = [name for name in dict.fromkeys(names) if name not in outside]
        if not names:
            msg = Message("no pairs and no {labels}: there is nothing to make a matrix of")
            raise InputError(msg)
        labels = in_order(inside, appearance=True)
    labels = Labels(labels, outside=outside, positive=positive)
    place = {name: labels.index(name) for name in dict.fromkeys(names)}
    codes = np.array([place[name] for name in names], dtype=np.int64)
    return labels, Counts.of_cells(len(labels), codes[::2], codes[1::2], _values(items))


def _triples(pairs: Any) -> list[tuple[Any, ...]]:
    if isinstance(pairs, Mapping):
        return [(*_two(pair), count) for pair, count in pairs.items()]
    items = list(pairs) if is_several(pairs) else []
    wrong = [item for item in items if not _is_triple(item)]
    if wrong or not is_several(pairs):
        came = wrong[0] if wrong else type(pairs).__name__
        msg = (
            "`pairs` must map (actual, predicted) to a count, or be a list of (actual, predicted, "
            f"count), not {told(came)}"
        )
        raise InputError(msg)
    return [tuple(item) for item in items]


def _is_triple(item: Any) -> bool:
    return isinstance(item, (tuple, list, np.ndarray)) and len(item) == 3


def _two(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        msg = f"a key of `pairs` must be a tuple (actual, predicted), not {pair!r:.60}"
        raise InputError(msg)
    return pair


def _values(items: list[tuple[Any, ...]]) -> Array:
    try:
        values = number_array([item[2] for item in items]) if items else np.zeros(0, np.int64)
    except InputError:
        raise
    except ValueError:
        values = np.zeros((0, 0))
    if values.ndim != 1:
        msg = "each of the `pairs` has one count, not a list of them"
        raise InputError(msg)
    return check_numbers(values, "pairs")

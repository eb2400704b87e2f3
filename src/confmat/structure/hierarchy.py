"""Paths of classes: "fruit/citrus/lemon", read from what people have, and classes kept together by branch."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.errors import InputError
from confmat.labels import Labels
from confmat.metrics.scores import label_spelt
from confmat.text import some

__all__ = ["Paths", "branches", "together"]

Array = NDArray[Any]
Path = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Paths:
    """The path of each position that has one, and the order in which they were named."""

    of: dict[int, Path]
    rank: dict[int, int]


def branches(labels: Labels, hierarchy: Any) -> Paths:
    """Paths by position of the class; a hierarchy may know more classes than the matrix has."""
    found: dict[int, Path] = {}
    for written, path in _named(hierarchy):
        name = label_spelt(labels, written)
        if name not in labels or (place := labels.index(name)) >= labels.n_classes:
            continue
        if found.setdefault(place, path) != path:
            msg = f"the hierarchy puts {some([name])} in two places: {some([found[place], path])}"
            raise InputError(msg)
    if not found:
        msg = f"the hierarchy names none of the classes: {some(labels)}"
        raise InputError(msg)
    return Paths(found, {place: i for i, place in enumerate(found)})


def _named(hierarchy: Any) -> list[tuple[Any, Path]]:
    if isinstance(hierarchy, Mapping):
        return [(name, _path(path)) for name, path in hierarchy.items()]
    if isinstance(hierarchy, (str, bytes)) or not isinstance(hierarchy, Iterable):
        msg = (
            '`hierarchy` must map classes to paths, such as {"lemon": "fruit/citrus/lemon"}, or list paths that end '
            f"in the class, not {type(hierarchy).__name__} {hierarchy!r:.60}"
        )
        raise InputError(msg)
    paths = [_path(path) for path in hierarchy]
    return [(path[-1], path) for path in paths if path]


def _path(path: Any) -> Path:
    if isinstance(path, str):
        return tuple(part for part in path.split("/") if part)
    if isinstance(path, (tuple, list)) and all(isinstance(part, Hashable) for part in path):
        return tuple(path)
    msg = (
        f"a path is a text such as 'fruit/citrus/lemon' or a sequence of names, not {type(path).__name__} {path!r:.60}"
    )
    raise InputError(msg)


def together(order: Array, paths: Paths) -> Array:
    """The same order with the classes of every branch side by side, at the place of the first of them."""
    first: dict[Path, int] = {}
    keys: dict[int, tuple[int, ...]] = {}
    for rank, place in enumerate(order.tolist()):
        path = paths.of.get(place, ())
        stops = [path[: depth + 1] for depth in range(len(path))]
        keys[place] = (*(first.setdefault(stop, rank) for stop in stops), rank)
    return np.array(sorted(keys, key=keys.__getitem__), dtype=np.int64)

"""From the names that two sides hold to common labels: kinds, order, and what to do with strangers and gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat._naming import kind_of, not_integral, plain
from confmat.errors import BudgetError, LabelError
from confmat.labels import Kind, Labels, in_order
from confmat.text import some

__all__ = ["MISSING", "OTHER", "Plan", "Policy", "Side", "plan_for"]

Array = NDArray[Any]
Action = Literal["error", "drop", "collect"]

MISSING, OTHER = "(missing)", "(other)"


@dataclass(frozen=True, slots=True)
class Policy:
    """What the caller wants: labels or None, and what to do with missing values and strangers."""

    labels: Labels | None
    missing: Action
    other: Action
    positive: Any
    max_classes: int


@dataclass(slots=True)
class Side:
    """The names behind the rows (or columns) of a raw table; where `holes`, row 0 is the missing values."""

    names: Sequence[Any] | Array
    seen: Array
    holes: bool
    ordered: bool
    title: str

    @property
    def has_missing(self) -> bool:
        return self.holes and bool(self.seen[0])

    def seen_names(self) -> Array:
        """Which names occur, without the missing row."""
        return self.seen[1:] if self.holes else self.seen


class Strangers(Exception):
    """Raw rows and columns that may not stay; the door turns them into an error that counts them."""

    def __init__(self, reason: str, rows: Array, cols: Array, names: list[Any]) -> None:
        super().__init__(reason)
        self.reason, self.rows, self.cols, self.names = reason, rows, cols, names


@dataclass(slots=True)
class Plan:
    """Common labels, and the label code of every raw row and column (-1: leave it out)."""

    labels: Labels
    rows: Array
    cols: Array
    drops: bool


def plan_for(row: Side, col: Side, policy: Policy) -> Plan:
    """Common labels for two sides and where each of their names goes."""
    both_ints = all(isinstance(side.names, np.ndarray) for side in (row, col))
    if both_ints and not (row.holes or col.holes):
        given = None if policy.labels is None else policy.labels._array()
        if policy.labels is None or (given is not None and policy.labels.kind == "int"):
            return _plan_integers(row, col, policy, given)
    for side in (row, col):
        side.names = _tidy(side)
    labels = _common_labels(row, col, policy)
    codes = [_codes(side, labels) for side in (row, col)]
    return _with_policies(row, col, labels, codes, policy)


def _tidy(side: Side) -> Sequence[Any]:
    """Plain names: arrays to lists, floats that hold integers to integers."""
    names = side.names.tolist() if isinstance(side.names, np.ndarray) else side.names
    if any(type(name) is float for name in names):
        names = [plain(name) for name in names]
        for name in names:
            if type(name) is float:
                raise LabelError(not_integral(name, f"a label in {side.title}"))
    return names


# ---- integers, without a Python object per label -----------------------------------------------------------


def _plan_integers(row: Side, col: Side, policy: Policy, given: Array | None) -> Plan:
    names = [np.asarray(side.names) for side in (row, col)]
    seen = [name[side.seen] for name, side in zip(names, (row, col), strict=True)]
    if policy.labels is None:
        found = seen[0] if len(seen[0]) == len(seen[1]) and np.array_equal(*seen) else np.union1d(*seen)
        labels = Labels._trusted(tuple(found.tolist()) if len(found) <= 1000 else _int64(found), "int")
        _check_size(len(found), policy)
        if policy.positive is not None:
            labels = labels.replace(positive=policy.positive)
        order, sorted_labels = None, found
    else:
        labels = policy.labels
        assert given is not None
        order = np.argsort(given, kind="stable")
        sorted_labels = given[order]
    codes = []
    for name in names:
        places = np.minimum(np.searchsorted(sorted_labels, name), max(len(sorted_labels) - 1, 0))
        found_there = sorted_labels[places] == name
        codes.append(np.where(found_there, places if order is None else order[places], -1))
    return _with_policies(row, col, labels, codes, policy)


def _int64(found: Array) -> Any:
    """Distinct integers as int64, or as Python integers where they do not fit."""
    if found.dtype == np.uint64 and len(found) and found[-1] >= 2**63:
        return tuple(found.tolist())
    array = found.astype(np.int64)
    array.flags.writeable = False
    return array


# ---- any names ---------------------------------------------------------------------------------------------


def _common_labels(row: Side, col: Side, policy: Policy) -> Labels:
    outside = () if policy.labels is None else policy.labels.outside
    kind = _common_kind(row, col, policy, outside)
    if policy.labels is not None:
        if policy.labels.kind == "bool" and kind == "int":
            return Labels([int(name) for name in policy.labels.classes], outside=outside, positive=policy.labels.positive)
        return policy.labels
    names = _discovered(row, col, outside, kind)
    _check_size(len(names), policy)
    if not names:
        msg = "every label is missing, so there is no class to count; give `labels=` if that is right"
        raise LabelError(msg)
    labels = Labels._trusted(tuple(names), kind)
    return labels if policy.positive is None else labels.replace(positive=policy.positive)


def _common_kind(row: Side, col: Side, policy: Policy, outside: Iterable[str]) -> Kind:
    found: dict[Kind, tuple[str, Any]] = {}
    for side in (row, col):
        wanted = np.ones(len(side.names), bool) if side.ordered else side.seen_names()
        for name, is_used in zip(side.names, wanted.tolist(), strict=True):
            if is_used and not (type(name) is str and name in outside):
                found.setdefault(kind_of(name), (side.title, name))
    if policy.labels is not None:
        found.setdefault(policy.labels.kind, ("`labels`", policy.labels[0]))
    if found.keys() == {"bool", "int"}:
        return "int"
    if len(found) > 1:
        came = " and ".join(f"{kind} ({some([name])} in {where})" for kind, (where, name) in found.items())
        msg = f"labels of different kinds came together: {came}; convert one side, since 1, True and '1' are never taken for one class"
        raise LabelError(msg)
    return next(iter(found), "object")


def _discovered(row: Side, col: Side, outside: Iterable[str], kind: Kind) -> list[Any]:
    """Labels that were not given: categories in their order, then the others sorted if they can be."""
    as_kind = int if kind == "int" else _same
    categories = [[as_kind(name) for name in side.names] for side in (row, col) if side.ordered]
    base: list[Any] = []
    if len(categories) == 2 and categories[0] != categories[1]:
        first, second = (set(names) for names in categories)
        base = categories[0] if second <= first else categories[1] if first <= second else in_order(list({**dict.fromkeys(categories[0]), **dict.fromkeys(categories[1])}), appearance=True)
    elif categories:
        base = categories[0]
    known = set(base)
    extra: dict[Any, None] = {}
    for side in (row, col):
        if not side.ordered:
            for name, is_used in zip(side.names, side.seen_names().tolist(), strict=True):
                if is_used and (name := as_kind(name)) not in known and name not in outside:
                    extra[name] = None
    return [*base, *in_order(list(extra), appearance=True)]


def _same(name: Any) -> Any:
    return name


def _codes(side: Side, labels: Labels) -> Array:
    lookup = labels._lookup
    outside = {name: labels.n_classes + i for i, name in enumerate(labels.outside)}
    if outside:
        lookup = {**outside, **lookup}
    names = side.names
    if labels.kind == "int" and any(type(name) is bool for name in names):
        names = [int(name) if type(name) is bool else name for name in names]
    return np.array([lookup.get(name, -1) for name in names], dtype=np.int64)


def _check_size(size: int, policy: Policy) -> None:
    if size > policy.max_classes:
        msg = (
            f"{size:,} distinct labels are more than `max_classes` = {policy.max_classes:,}: this looks like an "
            "identifier or a measurement rather than a class; raise `max_classes` if it is not"
        )
        raise BudgetError(msg)


# ---- policies ----------------------------------------------------------------------------------------------


def _with_policies(row: Side, col: Side, labels: Labels, codes: list[Array], policy: Policy) -> Plan:
    """Codes with a place, or none, for missing values and for names that are not among the labels."""
    unknown = [(code < 0) & side.seen_names() for code, side in zip(codes, (row, col), strict=True)]
    outside = list(labels.outside)
    drops = False
    if any(part.any() for part in unknown):
        if policy.other == "error":
            raise Strangers("other", *_raw(row, col, unknown), _names_at(row, col, unknown))
        if policy.other == "collect":
            place = _outside_place(labels, outside, OTHER)
            for code, part in zip(codes, unknown, strict=True):
                code[part] = place
        drops = policy.other == "drop"
    if row.has_missing or col.has_missing:
        if policy.missing == "error":
            nobody = [np.zeros(len(code), bool) for code in codes]
            raise Strangers("missing", *_raw(row, col, nobody, missing=True), [])
        gap = _outside_place(labels, outside, MISSING) if policy.missing == "collect" else -1
        drops = drops or policy.missing == "drop"
    else:
        gap = -1
    if tuple(outside) != labels.outside:
        labels = Labels(labels, outside=outside)
    whole = [np.concatenate([[gap], code]) if side.holes else code for code, side in zip(codes, (row, col), strict=True)]
    return Plan(labels, whole[0], whole[1], drops)


def _outside_place(labels: Labels, outside: list[str], name: str) -> int:
    if name not in outside:
        outside.append(name)
    return labels.n_classes + outside.index(name)


def _raw(row: Side, col: Side, parts: list[Array], *, missing: bool = False) -> list[Array]:
    return [
        np.concatenate([[missing and side.has_missing], part]) if side.holes else part
        for part, side in zip(parts, (row, col), strict=True)
    ]


def _names_at(row: Side, col: Side, parts: list[Array]) -> list[Any]:
    names = (name for side, part in zip((row, col), parts, strict=True) for name, bad in zip(side.names, part.tolist(), strict=True) if bad)
    return list(dict.fromkeys(int(name) if isinstance(name, np.integer) else name for name in names))

"""Common labels of two sides: kinds, order, and the treatment of unknown and missing labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import BudgetError, InputError, LabelError, Message
from confmat.core.labels import Kind, Labels
from confmat.core.naming import KINDS, in_order, kind_of, not_integral, plain
from confmat.core.options import told
from confmat.core.text import some
from confmat.counting.columns import SHORT_LIST_LENGTH, Integers, plan_integers

Array = NDArray[Any]
Action = Literal["error", "drop", "collect"]

MISSING, OTHER, INVALID = "(missing)", "(other)", "(invalid)"
MAX_GROUPS = 10_000
NO_CLASS = Message(
    "every label is missing, so there is no class to count; give {labels=} if that is right"
)


@runtime_checkable
class Rules(Protocol):
    """The questions of a count to rules by which answers become labels; `confmat.Answers` is such rules."""

    def _for_classes(
        self, classes: Labels | None, other: str, *, found: bool = False
    ) -> tuple[Rules, Labels | None]:
        """The rules for classes that are named or found, and the labels of the matrix where both are known."""

    def _read(self, names: Sequence[Any], labels: Labels) -> list[tuple[Any, int]]:
        """How each different answer is read, and the code of its label; -1 where it has none."""

    def _enter(self, counted: Iterable[tuple[Any, Any, Any]]) -> None:
        """Take note of answers, how each was read, and how often it was counted."""

    def logged(self, log: None) -> Rules:
        """The same rules without a log."""

    def bound(self, labels: Labels) -> Rules:
        """The same rules for some classes."""

    def read_one(self, answer: Any) -> Any:
        """How an answer is read: `label` is its label, None where it has none."""


def check_rules(rules: Any) -> Any:
    """Refuse anything but rules."""
    if not isinstance(rules, Rules):
        text = "{answers} takes a confmat.Answers, the rules by which answers become labels, not {}"
        raise InputError(Message(text, told(rules)))
    return rules


@dataclass(frozen=True, slots=True)
class Policy:
    """The options of a count: labels or None, the treatment of missing and unknown labels, storage and limits."""

    labels: Labels | None
    missing: Action
    other: Action
    positive: Any
    max_classes: int
    # One of several parts: it may have no class, and the positive one may turn up later.
    is_part: bool = False
    # The rules by which names of the predicted side become labels.
    answers: Rules | None = None
    sparse: bool | None = None
    threads: int | None = None
    max_groups: int = MAX_GROUPS
    # Each label has a type of its own, so that True is not 1.
    is_typed: bool = False
    # Parts of data, and data that are looked at twice, are counted without warnings and logs.
    is_quiet: bool = False


@dataclass(slots=True)
class Side:
    """The names behind the rows (or columns) of a raw table; where `holes`, row 0 is the missing values.

    `seen` says which names occur, None that all do. `gap` says whether a value is missing.
    """

    names: Sequence[Any] | Integers
    seen: Array | None
    holes: bool
    gap: bool
    ordered: bool
    title: str

    def used(self) -> Sequence[Any]:
        """The names that count as labels: all of a list of categories, otherwise those that occur."""
        if self.ordered or self.seen is None:
            return self.names  # type: ignore[return-value]
        return list(compress(self.listed(), self.seen.tolist()))

    def listed(self) -> Sequence[Any]:
        """All names, as Python has them."""
        return self.names.tolist() if isinstance(self.names, Integers) else self.names


def quiet(policy: Policy) -> Policy:
    """The same policy without warnings and logs: for what is planned again, or looked at before it is complete."""
    return replace(policy, is_quiet=True)


class Strangers(Exception):  # noqa: N818 - a message between two rooms, never seen outside
    """Raw rows and columns that may not stay; the door turns them into an error that counts them."""

    def __init__(self, missing: bool, bad: list[Array], names: list[Any]) -> None:
        super().__init__()
        self.missing, self.bad, self.names = missing, bad, names


@dataclass(slots=True)
class Plan:
    """Common labels, and the label code of every raw row and column (-1: leave it out).

    `drops` says that pairs may be left out, `joins` that several raw rows may share a label,
    `monotone` that codes rise with raw rows, and `same` that they are equal. `readings` say by
    which rule each name of the predicted side became its label.
    """

    labels: Labels
    rows: Array
    cols: Array
    drops: bool = False
    joins: bool = False
    monotone: bool = False
    same: bool = False
    readings: list[Any] | None = None


def plan_for(row: Side, col: Side, policy: Policy) -> Plan:
    """Common labels for two sides and where each of their names goes."""
    if policy.answers is not None:
        return _plan_answers(row, col, policy, policy.answers)
    if isinstance(row.names, Integers) and isinstance(col.names, Integers):
        wanted = policy.labels
        if wanted is None or (wanted.kind == "int" and wanted._array() is not None):
            labels, rows, cols, same = plan_integers(
                row.names, row.seen, col.names, col.seen, wanted
            )
            check_size(labels.n_classes, policy)
            if wanted is not None and not same:
                return _with_policies(row, col, wanted, [rows, cols], policy)
            labels = labels if policy.positive is None else labels.replace(positive=policy.positive)
            # Labels outside the classes have a row and a column that no integer stands for.
            return Plan(labels, rows, cols, monotone=True, same=same and not labels.outside)
    for side in (row, col):
        _tidy(side)
    labels = _common_labels(row, col, policy)
    codes = _codes(row, labels)
    return _with_policies(
        row, col, labels, [codes, codes if col.names is row.names else _codes(col, labels)], policy
    )


def _plan_answers(row: Side, col: Side, policy: Policy, rules: Rules) -> Plan:
    """The plan where rules say what the names of the predicted side stand for; each is read once."""
    _tidy(row)
    nobody = Side([], None, False, False, False, col.title)
    labels = _common_labels(row, nobody, policy)
    if policy.labels is None:
        if policy.is_part:
            msg = Message(
                "what is counted in parts needs the classes beforehand: say {labels=}, or "
                "Answers(labels, ...)"
            )
            raise LabelError(msg)
        rules, known = rules._for_classes(labels, policy.other, found=True)
        assert known is not None
        labels = known.replace(positive=policy.positive)
    names = col.listed()
    occurs = [True] * len(names) if col.seen is None else col.seen.tolist()
    read = iter(rules._read(list(compress(names, occurs)), labels))
    places = [next(read) if is_seen else (None, -1) for is_seen in occurs]
    plan = _with_policies(
        row, col, labels, [_codes(row, labels), [code for _, code in places]], policy
    )
    return replace(plan, readings=[reading for reading, _ in places])


def _tidy(side: Side) -> None:
    """Make names plain: arrays become lists, floats that hold integers become integers."""
    side.names = side.listed()
    if float in set(map(type, side.names)):
        side.names = [plain(name) for name in side.names]
        for name in side.used():
            if type(name) is float:
                raise LabelError(not_integral(name, f"a label in {side.title}"))


# ---- common labels -------------------------------------------------------------------------------


def _common_labels(row: Side, col: Side, policy: Policy) -> Labels:
    outside = () if policy.labels is None else policy.labels.outside
    used = row.used(), col.used()
    kind = _common_kind(row, col, used, policy, outside)
    if policy.labels is not None:
        if policy.labels.kind == "bool" and kind == "int":
            return Labels(
                [int(name) for name in policy.labels.classes],
                outside=outside,
                positive=policy.labels.positive,
            )
        return policy.labels
    names = _discover(row, col, used, kind)
    check_size(len(names), policy)
    if not names and not policy.is_part:
        raise LabelError(NO_CLASS)
    labels = Labels._trusted(tuple(names), kind)
    return labels if policy.positive is None else labels.replace(positive=policy.positive)


def _common_kind(
    row: Side, col: Side, used: tuple[Sequence[Any], ...], policy: Policy, outside: Iterable[str]
) -> Kind:
    types = {*map(type, used[0]), *map(type, used[1])}
    if len(types) == 1 and policy.labels is None:
        kind = KINDS.get(next(iter(types)))
        if kind is not None:
            return kind
    firsts: dict[Kind, tuple[str, Any]] = {}
    for side, names in zip((row, col), used, strict=True):
        for name in names:
            if not (type(name) is str and name in outside):
                firsts.setdefault(kind_of(name), (side.title, name))
    if policy.is_typed and {"bool", "int"} <= firsts.keys():
        raise LabelError(_mixture(firsts))
    if policy.labels is not None:
        firsts.setdefault(policy.labels.kind, (Message("{labels}"), policy.labels[0]))
    if firsts.keys() == {"bool", "int"}:
        return "int"
    if len(firsts) > 1:
        raise LabelError(_mixture(firsts))
    return next(iter(firsts), "object")


def _mixture(firsts: dict[Kind, tuple[str, Any]]) -> str:
    """Return the message for labels of several kinds, of each of which the first is known with its side."""
    came = " and ".join(
        f"{kind} ({some([name])} in {where})" for kind, (where, name) in firsts.items()
    )
    if len({where for where, _ in firsts.values()}) < len(firsts):
        advice = "give the labels of a side one type"
    elif firsts.keys() == {"int", "text"} and not str(firsts["text"][1]).lstrip("-").isdecimal():
        advice = "numbers that stand for names become names by [names[i] for i in numbers]"
    else:
        advice = "convert one side, since 1, True and '1' are never taken for one class"
    return f"labels of different kinds came together: {came}; {advice}"


def _discover(row: Side, col: Side, used: tuple[Sequence[Any], ...], kind: Kind) -> list[Any]:
    """Labels that were not given: categories in their order, then the others sorted if they can be."""
    if kind == "int":
        used = tuple([int(name) for name in names] for names in used)
    if not (row.ordered or col.ordered):
        return in_order(_distinct(row, col, used, kind), appearance=True)
    base = list(used[0] if row.ordered else used[1])
    if row.ordered and col.ordered and used[0] != used[1]:
        first, second = set(used[0]), set(used[1])
        if first < second:
            base = list(used[1])
        elif not second <= first:
            base = in_order(list(dict.fromkeys([*used[0], *used[1]])), appearance=True)
    known = set(base)
    free = used[1] if row.ordered else used[0]
    return [
        *base,
        *in_order([name for name in dict.fromkeys(free) if name not in known], appearance=True),
    ]


def _distinct(row: Side, col: Side, used: tuple[Sequence[Any], ...], kind: Kind) -> list[Any]:
    """The names that occur, each once."""
    if kind == "text" and row.names is col.names and row.seen is not None and col.seen is not None:
        return list(compress(row.listed(), (row.seen | col.seen).tolist()))
    return list(dict.fromkeys([*used[0], *used[1]]))


def _codes(side: Side, labels: Labels) -> list[int] | Array:
    if labels.kind == "text" and len(side.names) > SHORT_LIST_LENGTH:
        codes = kernels.kernel.encode_objects([*labels, *side.listed()], plain)[0][len(labels) :]
        return np.where(codes < len(labels), codes, -1)
    lookup = labels._lookup
    if labels.outside:
        lookup = {**{name: labels.n_classes + i for i, name in enumerate(labels.outside)}, **lookup}
    names: Iterable[Any] = side.names  # type: ignore[assignment]
    if labels.kind == "int":
        names = [int(name) if type(name) is bool else name for name in names]
    return [lookup.get(name, -1) for name in names]


def check_size(size: int, policy: Policy) -> None:
    """Refuse more classes than the caller allows."""
    if size > policy.max_classes:
        msg = (
            f"{size:,} distinct labels are more than `max_classes` = {policy.max_classes:,}: this "
            "looks like an "
            "identifier or a measurement rather than a class; raise `max_classes` if it is not"
        )
        raise BudgetError(msg)


# ---- policies ------------------------------------------------------------------------------------


def _with_policies(
    row: Side, col: Side, labels: Labels, places: Sequence[Any], policy: Policy
) -> Plan:
    """Codes with a place, or none, for missing values and for names that are not among the labels."""
    sides = (row, col)
    joins = any(_joins(part) for part in places)
    codes = [np.array(part, dtype=np.int64) for part in places]
    outside = list(labels.outside)
    has_missing = row.gap or col.gap
    # Placed before the strangers: parts that have seen only one of the two are joined in this
    # order.
    gap = (
        _outside_place(labels, outside, MISSING)
        if has_missing and policy.missing == "collect"
        else -1
    )
    drops = False
    unknown = [_unknown(code, side) for code, side in zip(codes, sides, strict=True)]
    if any(part is not None for part in unknown):
        if policy.answers is not None and unknown[0] is not None:
            # Rules read answers, and `other` speaks of those alone: a truth that is no class is a
            # mistake in the truth.
            unknown[1] = None
        if policy.other == "error" or (policy.answers is not None and unknown[0] is not None):
            raise Strangers(False, _raw(sides, codes, unknown), _names_at(sides, unknown))
        drops = policy.other == "drop"
        joins = joins or not drops
        place = -1 if drops else _outside_place(labels, outside, OTHER)
        for code, part in zip(codes, unknown, strict=True):
            if part is not None:
                code[part] = place
    if has_missing:
        if policy.missing == "error":
            raise Strangers(True, _raw(sides, codes, [None, None], missing=True), [])
        drops = drops or policy.missing == "drop"
    if tuple(outside) != labels.outside:
        labels = Labels(labels, outside=outside)
    whole = [
        np.concatenate(([gap], code)) if side.holes else code
        for code, side in zip(codes, sides, strict=True)
    ]
    return Plan(labels, whole[0], whole[1], drops, joins)


def _joins(places: list[int] | Array) -> bool:
    if isinstance(places, list):
        return len(set(places)) < len(places)
    return bool(np.bincount(places[places >= 0]).max(initial=0) > 1)


def _unknown(codes: Array, side: Side) -> Array | None:
    bad = codes < 0
    if side.seen is not None:
        bad &= side.seen
    return bad if bad.any() else None


def _outside_place(labels: Labels, outside: list[str], name: str) -> int:
    if name not in outside:
        outside.append(name)
    return labels.n_classes + outside.index(name)


def _raw(
    sides: tuple[Side, Side],
    codes: list[Array],
    parts: Sequence[Array | None],
    *,
    missing: bool = False,
) -> list[Array]:
    bad = [
        np.zeros(len(code), bool) if part is None else part
        for code, part in zip(codes, parts, strict=True)
    ]
    return [
        np.concatenate(([missing and side.gap], part)) if side.holes else part
        for part, side in zip(bad, sides, strict=True)
    ]


def _names_at(sides: tuple[Side, Side], parts: Sequence[Array | None]) -> list[Any]:
    names: dict[Any, None] = {}
    for side, part in zip(sides, parts, strict=True):
        if part is not None:
            names.update(
                dict.fromkeys(
                    name for name, bad in zip(side.listed(), part.tolist(), strict=True) if bad
                )
            )
    return list(names)

"""Common labels of two sides: kinds, order, and the treatment of unknown and missing labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.errors import BudgetError, InputError, LabelError, Message
from confmat.core.labels import Kind, Labels
from confmat.core.naming import in_order, kind_of, not_integral, plain
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
    """The questions of a count to rules by which answers become labels; `confmat.Answers` has such rules."""

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
class SideNames:
    """The names behind the rows (or columns) of a raw table.

    `occurs` has True for each name that was met, None that all were. `has_missing_row` says that
    row 0 is that of missing values, and `has_missing` that it holds some.
    """

    names: Sequence[Any] | Integers
    occurs: Array | None
    has_missing_row: bool
    has_missing: bool
    is_ordered: bool
    title: str

    def used(self) -> Sequence[Any]:
        """The names that count as labels: all of a list of categories, otherwise those that occur."""
        if self.is_ordered or self.occurs is None:
            return self.names  # type: ignore[return-value]
        return list(compress(self.listed(), self.occurs.tolist()))

    def listed(self) -> Sequence[Any]:
        """All names, as Python has them."""
        return self.names.tolist() if isinstance(self.names, Integers) else self.names


def quiet(policy: Policy) -> Policy:
    """The same policy without warnings and logs: for what is planned again, or looked at before it is complete."""
    return replace(policy, is_quiet=True)


class UnplacedLabels(Exception):  # noqa: N818 - a message between two rooms, never seen outside
    """Missing or unknown labels that no option places; whoever counts makes an error of it that says where they are.

    `unknown` marks the unknown names of both sides; it is None where missing values are meant.
    """

    def __init__(self, sides: tuple[SideNames, SideNames], unknown: list[Array] | None) -> None:
        super().__init__()
        self.unknown = unknown
        marked = zip(sides, unknown or (), strict=False)
        found = (compress(side.listed(), marks.tolist()) for side, marks in marked)
        self.names = list(dict.fromkeys(chain.from_iterable(found)))


@dataclass(slots=True)
class Placement:
    """Common labels, and the label code of every raw row and column (-1: leave it out).

    `leaves_out` says that pairs may be left out, `merges` that several raw rows may share a label,
    `keeps_order` that codes rise with raw rows, and `is_identity` that they equal them. `readings`
    say by which rule each name of the predicted side became its label.
    """

    labels: Labels
    rows: Array
    cols: Array
    leaves_out: bool = False
    merges: bool = False
    keeps_order: bool = False
    is_identity: bool = False
    readings: list[Any] | None = None


def place_names(row: SideNames, col: SideNames, policy: Policy) -> Placement:
    """Find common labels for two sides, and where each of their names goes."""
    if policy.answers is not None:
        return _place_answers(row, col, policy, policy.answers)
    if isinstance(row.names, Integers) and isinstance(col.names, Integers):
        wanted = policy.labels
        if wanted is None or (wanted.kind == "int" and wanted._array() is not None):
            return _place_integers(row, row.names, col, col.names, policy)
    for side in (row, col):
        _tidy(side)
    labels = _common_labels(row, col, policy)
    codes = _codes(row, labels)
    of_col = codes if col.names is row.names else _codes(col, labels)
    return _with_policies(row, col, labels, (codes, of_col), policy)


def _place_integers(
    row: SideNames, rows: Integers, col: SideNames, cols: Integers, policy: Policy
) -> Placement:
    """Place integers by arithmetic, without a look at each."""
    wanted = policy.labels
    common = plan_integers(rows, row.occurs, cols, col.occurs, wanted)
    labels, is_identity = common.labels, common.is_identity
    check_size(labels.n_classes, policy)
    if wanted is not None and not is_identity:
        return _with_policies(row, col, wanted, (common.rows, common.cols), policy)
    if policy.positive is not None:
        labels = labels.replace(positive=policy.positive)
    # Labels outside the classes have a row and a column that no integer represents.
    is_identity = is_identity and not labels.outside
    return Placement(labels, common.rows, common.cols, keeps_order=True, is_identity=is_identity)


def _place_answers(row: SideNames, col: SideNames, policy: Policy, rules: Rules) -> Placement:
    """Place names of the predicted side where rules say what label each is; each is read once."""
    _tidy(row)
    nobody = SideNames([], None, False, False, False, col.title)
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
    occurs = [True] * len(names) if col.occurs is None else col.occurs.tolist()
    read = iter(rules._read(list(compress(names, occurs)), labels))
    places = [next(read) if is_met else (None, -1) for is_met in occurs]
    codes = _codes(row, labels), [code for _, code in places]
    placement = _with_policies(row, col, labels, codes, policy)
    return replace(placement, readings=[reading for reading, _ in places])


def _tidy(side: SideNames) -> None:
    """Make names plain: arrays become lists, floats that hold integers become integers."""
    side.names = side.listed()
    if float in set(map(type, side.names)):
        side.names = [plain(name) for name in side.names]
        for name in side.used():
            if type(name) is float:
                raise LabelError(not_integral(name, f"a label in {side.title}"))


# ---- common labels -------------------------------------------------------------------------------


def _common_labels(row: SideNames, col: SideNames, policy: Policy) -> Labels:
    used = row.used(), col.used()
    kind = _common_kind(row, col, used, policy)
    if policy.labels is not None:
        if policy.labels.kind == "bool" and kind == "int":
            return policy.labels._as_integers()
        return policy.labels
    names = _discover(row, col, used, kind)
    check_size(len(names), policy)
    if not names and not policy.is_part:
        raise LabelError(NO_CLASS)
    labels = Labels._trusted(tuple(names), kind)
    return labels if policy.positive is None else labels.replace(positive=policy.positive)


def _common_kind(
    row: SideNames, col: SideNames, used: tuple[Sequence[Any], ...], policy: Policy
) -> Kind:
    """Find the one kind of the labels of both sides, where True and False may be among integers."""
    firsts: dict[Kind, tuple[str, Any]] = {}
    for side, names in zip((row, col), used, strict=True):
        for name in _one_of_each_type(names, policy.labels):
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


def _one_of_each_type(names: Sequence[Any], labels: Labels | None) -> list[Any]:
    """The first name of each type, labels outside the classes aside."""
    outside = () if labels is None else labels.outside
    if outside:
        names = [name for name in names if not (type(name) is str and name in outside)]
    types = dict.fromkeys(map(type, names))
    return [next(name for name in names if type(name) is kind) for kind in types]


def _mixture(firsts: dict[Kind, tuple[str, Any]]) -> str:
    """Return the message for labels of several kinds, of each of which the first is known with its side."""
    came = " and ".join(
        f"{kind} ({some([name])} in {where})" for kind, (where, name) in firsts.items()
    )
    if len({where for where, _ in firsts.values()}) < len(firsts):
        advice = "give the labels of a side one type"
    elif firsts.keys() == {"int", "text"} and not str(firsts["text"][1]).lstrip("-").isdecimal():
        advice = "numbers that mean names become names by [names[i] for i in numbers]"
    else:
        advice = "convert one side, since 1, True and '1' are never taken for one class"
    return f"labels of different kinds came together: {came}; {advice}"


def _discover(
    row: SideNames, col: SideNames, used: tuple[Sequence[Any], ...], kind: Kind
) -> list[Any]:
    """Find labels that were not given: categories in their order, then the others sorted if they can be."""
    if kind == "int":
        used = tuple([int(name) for name in names] for names in used)
    if not (row.is_ordered or col.is_ordered):
        return in_order(_distinct(row, col, used, kind), appearance=True)
    if row.is_ordered and col.is_ordered:
        return _common_order(*used)
    ordered, free = used if row.is_ordered else used[::-1]
    known = set(ordered)
    others = [name for name in dict.fromkeys(free) if name not in known]
    return [*ordered, *in_order(others, appearance=True)]


def _common_order(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
    """The order of two lists of categories: that of the list that holds all, or else they are sorted."""
    for longer, other in ((first, second), (second, first)):
        if set(other) <= set(longer):
            return list(longer)
    return in_order(list(dict.fromkeys([*first, *second])), appearance=True)


def _distinct(
    row: SideNames, col: SideNames, used: tuple[Sequence[Any], ...], kind: Kind
) -> list[Any]:
    """The names that occur, each once."""
    if (
        kind == "text"
        and row.names is col.names
        and row.occurs is not None
        and col.occurs is not None
    ):
        return list(compress(row.listed(), (row.occurs | col.occurs).tolist()))
    return list(dict.fromkeys([*used[0], *used[1]]))


def _codes(side: SideNames, labels: Labels) -> list[int] | Array:
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
    row: SideNames, col: SideNames, labels: Labels, places: Iterable[Any], policy: Policy
) -> Placement:
    """Place missing values, and names that are not among the labels, as the policy says."""
    sides = row, col
    codes = [np.array(part, dtype=np.int64) for part in places]
    outside = list(labels.outside)
    has_missing = row.has_missing or col.has_missing
    # Placed before unknown names: parts that have met only one of the two are joined in this order.
    collects = has_missing and policy.missing == "collect"
    missing_code = _code_outside(labels, outside, MISSING) if collects else -1
    unknown = list(map(_unknown, codes, sides))
    has_unknown = bool(unknown[0].any() or unknown[1].any())
    if has_unknown:
        _refuse_unknown(sides, unknown, policy)
        code = -1 if policy.other == "drop" else _code_outside(labels, outside, OTHER)
        codes[0][unknown[0]] = codes[1][unknown[1]] = code
    if has_missing and policy.missing == "error":
        raise UnplacedLabels(sides, None)
    if tuple(outside) != labels.outside:
        labels = Labels(labels, outside=outside)
    if row.has_missing_row:
        codes[0] = np.concatenate(([missing_code], codes[0]))
    if col.has_missing_row:
        codes[1] = np.concatenate(([missing_code], codes[1]))
    actions = {policy.other} if has_unknown else set()
    actions |= {policy.missing} if has_missing else set()
    merges = _has_repeats(codes[0]) or _has_repeats(codes[1])
    return Placement(labels, codes[0], codes[1], leaves_out="drop" in actions, merges=merges)


def _has_repeats(codes: Array) -> bool:
    return bool(np.bincount(codes[codes >= 0]).max(initial=0) > 1)


def _unknown(codes: Array, side: SideNames) -> Array:
    """Mark the names that were met and have no code."""
    return codes < 0 if side.occurs is None else (codes < 0) & side.occurs


def _refuse_unknown(
    sides: tuple[SideNames, SideNames], unknown: list[Array], policy: Policy
) -> None:
    """Refuse unknown names unless `other` places them; beside rules, `other` speaks of answers alone."""
    in_truth = policy.answers is not None and unknown[0].any()
    if in_truth:
        unknown[1][:] = False
    if in_truth or policy.other == "error":
        raise UnplacedLabels(sides, unknown)


def _code_outside(labels: Labels, outside: list[str], name: str) -> int:
    if name not in outside:
        outside.append(name)
    return labels.n_classes + outside.index(name)

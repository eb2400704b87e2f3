"""Orders and groups of classes: confused classes side by side, or by a score, a hierarchy or the alphabet."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any, Protocol, runtime_checkable

import numpy as np

from confmat.core.errors import InputError, Message, MetricError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, flag_if_any, is_integer, told
from confmat.core.tables import Column, Table, Tabular, percent, to_plain
from confmat.core.text import display_width, fit, number, printable, some, words_of
from confmat.metrics.catalog import Score, parse_score
from confmat.metrics.declaration import Metric
from confmat.structure.errors import Array, Errors, check_matrix, read_errors
from confmat.structure.tree import Tree, best_cut, similarities, tree_of


@runtime_checkable
class Branches(Protocol):
    """Classes and what is above them: a `confmat.Hierarchy`."""

    @property
    def levels(self) -> int:
        """The number of levels below the root."""

    def groups(self, labels: Any, level: int = 1) -> dict[Any, tuple[Any, ...]]:
        """The classes below each node of a level."""

    def _above(self, labels: Labels) -> tuple[Array, Array]:
        """The parent of each node, and the node of each class; -1 for one that is not known."""


def _above(labels: Labels, hierarchy: Any) -> tuple[Array, Array]:
    """The parent of each node, and the node of each class; -1 for a class that the hierarchy does not know."""
    if not isinstance(hierarchy, Branches):
        msg: str = Message(
            "{hierarchy} takes a confmat.Hierarchy, not {}; Hierarchy.from_paths makes one of paths",
            told(hierarchy),
        )
        raise InputError(msg)
    parents, nodes = hierarchy._above(labels)
    if (nodes < 0).all():
        msg = f"the hierarchy names none of the classes: {some(labels)}"
        raise InputError(msg)
    return parents, nodes


def _together(order: Array, parents: Array, nodes: Array) -> Array:
    """The same order with the classes of every branch side by side, at the place of the first of them.

    A class that the hierarchy does not know stays where it is.
    """
    above = parents.tolist()
    # The earliest class of each branch; children are numbered above their parents.
    earliest = [len(order)] * len(above)
    entries: list[list[tuple[int, int, int]]] = [[] for _ in above]
    for rank, place in enumerate(order.tolist()):
        node = max(int(nodes[place]), 0)
        earliest[node] = min(earliest[node], rank)
        entries[node].append((rank, -1, place))
    for node in range(len(above) - 1, 0, -1):
        if earliest[node] < len(order):
            earliest[above[node]] = min(earliest[above[node]], earliest[node])
            entries[above[node]].append((earliest[node], node, -1))
    places, waiting = [], [(0, 0, -1)]
    while waiting:
        _, node, place = waiting.pop()
        if node < 0:
            places.append(place)
        else:
            waiting += sorted(entries[node], reverse=True)
    return np.array(places, dtype=np.int64)


METHODS = ("cluster", "given", "alphabetical", "support", "hierarchy")


def class_order(
    m: ConfusionMatrix,
    method: str | Metric | Score | Branches = "cluster",
    *,
    descending: bool | None = None,
    hierarchy: Any = None,
) -> tuple[Any, ...]:
    """Put the classes of a matrix in order, for `m.reorder(class_order(m))`.

    Parameters
    ----------
    m
        The matrix.
    method
        - "cluster": classes that are confused with each other side by side. Average linkage of the
          shares confused, its leaves in optimal order up to 500 connected classes; above 5,000 by
          neighbours alone, in memory that grows with the confused pairs. Classes never confused
          are at the end.
        - "given": in the order of the matrix.
        - "alphabetical": by name, numbers in a name by their value: "c9" before "c10".
        - "support": those with most items first.
        - "hierarchy", or a Hierarchy itself: as one walks down it, branch by branch.
        - a metric per class, such as "recall" or "f1": the worst first (the largest first where no
          direction is better), undefined ones last.
    descending
        Turn the order of names, support or a metric around, or set it.
    hierarchy
        A Hierarchy. Classes of one branch then stay together under every method, a branch at the
        place of its first class. A class that it does not know is a branch of its own.

    Returns
    -------
    tuple
        The classes; `reorder` leaves labels outside them at the end.

    Examples
    --------
    >>> m = ConfusionMatrix(
    ...     [[5, 0, 4, 0], [0, 9, 0, 1], [3, 0, 6, 0], [0, 2, 0, 8]], ["cat", "car", "dog", "van"]
    ... )
    >>> class_order(m), class_order(m, "recall")
    (('cat', 'dog', 'car', 'van'), ('cat', 'dog', 'van', 'car'))
    """
    check_matrix(m, "class_order")
    name = m.labels.__getitem__
    return tuple(
        name(i) for i in positions(m, method, descending=descending, hierarchy=hierarchy).tolist()
    )


def positions(
    m: ConfusionMatrix,
    method: str | Metric | Score | Branches = "cluster",
    *,
    descending: bool | None = None,
    hierarchy: Any = None,
) -> Array:
    """The same as positions in the matrix, for when there are a hundred thousand."""
    if isinstance(method, Branches):
        if hierarchy is not None:
            msg = Message("{order} takes one hierarchy, as the method or as `hierarchy=`")
            raise InputError(msg)
        method, hierarchy = "hierarchy", method
    # An array has no answer to whether it is a word.
    word = method if isinstance(method, str) else None
    if word == "hierarchy" and hierarchy is None:
        example = 'Hierarchy.from_paths(["fruit/citrus/lemon", ...])'
        msg = Message('`class_order(m, "hierarchy")` needs `hierarchy=`, such as {}', example)
        raise InputError(msg)
    if flag_if_any("descending", descending) is not None and word in (
        "cluster",
        "given",
        "hierarchy",
    ):
        msg = Message(
            "`descending` has no meaning for {!r}; leave it out, or reverse the answer with [::-1]",
            word,
        )
        raise InputError(msg)
    if hierarchy is None:
        return _sorted_by(m, method, descending)
    parents, nodes = _above(m.labels, hierarchy)
    # Nodes are numbered as one walks down; what is not known comes last.
    by_node = np.argsort(np.where(nodes < 0, len(parents), nodes), kind="stable")
    return _together(
        by_node if word == "hierarchy" else _sorted_by(m, method, descending), parents, nodes
    )


def _sorted_by(m: ConfusionMatrix, method: Any, descending: bool | None) -> Array:
    if not isinstance(method, str):
        return _by_metric(m, method, descending)
    if method == "given":
        return np.arange(m.n_classes)
    if method == "cluster":
        return tree_of(similarities(read_errors(m))).leaves
    if method == "alphabetical":
        by_name = sorted(
            range(m.n_classes), key=lambda i: _natural(m.labels[i]), reverse=bool(descending)
        )
        return np.array(by_name, dtype=np.int64)
    if method == "support":
        return _by_value(m.actual_totals[: m.n_classes].astype(np.float64), descending is not False)
    return _by_metric(m, method, descending)


def _by_metric(m: ConfusionMatrix, method: Any, descending: bool | None) -> Array:
    metric = _metric(method)
    down = metric.better != "higher" if descending is None else descending
    return _by_value(np.asarray(metric(m), dtype=np.float64), down)


def _metric(method: Any) -> Metric:
    """The metric per class that is asked for."""
    try:
        score = parse_score(method)
    except MetricError as error:
        msg = Message(
            "{order} knows {} and every metric per class; {}", ", ".join(map(repr, METHODS)), error
        )
        raise MetricError(msg) from None
    metric = score.metric
    if (
        not isinstance(metric, Metric)
        or metric.kind != "class"
        or score.average is not None
        or score.of is not None
    ):
        msg = Message(
            "{} is one number, and an order needs one per class, such as 'recall' or 'f1'", score
        )
        raise MetricError(msg)
    return metric


def _by_value(values: Array, down: bool) -> Array:
    """Positions by value; equal ones in their order, undefined ones last."""
    keys = np.where(np.isnan(values), np.inf, -values if down else values)
    return np.lexsort((keys, np.isnan(values)))


_DIGITS = re.compile(r"([0-9]+)")


def _natural(label: Any) -> Any:
    """A key that sorts numbers by value, and numbers within names too."""
    if isinstance(label, int):
        return (0, label)
    text = label if isinstance(label, str) else printable(label)
    parts: list[Any] = _DIGITS.split(text.casefold())
    # By length first: Python refuses to read a number of ten thousand digits.
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return (1, parts, text)


# Names of classes inside the name of a group, and the whole name, are no wider.
_PART, _WHOLE = 24, 40
# A group is mostly what this share of its classes is called.
_MOSTLY = 0.75
_SHOWN = 48


@dataclass(frozen=True, eq=False, repr=False)
class ClassGroups(Mapping[str, tuple[Any, ...]], Tabular):
    """Group name -> its classes, every class in one group: `m.merge(groups)` is the coarse matrix.

    Groups and their classes come in the order that `class_order(m)` gives, so groups are blocks
    along its diagonal. A class alone is a group under its own name. `similarity` is that of the
    last two joined: the mean share confused between their classes. `support`, `wrong` and `inside`
    hold, per group, its items, how many of them went to another class, and how many of those to a
    class of the same group.
    """

    members: dict[str, tuple[Any, ...]]
    support: tuple[float, ...]
    wrong: tuple[float, ...]
    inside: tuple[float, ...]
    similarity: float
    rule: str

    def __getitem__(self, name: str) -> tuple[Any, ...]:
        return self.members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    @property
    def kept_inside(self) -> float:
        """The share of all errors that stay inside a group; NaN without errors."""
        wrong = sum(self.wrong)
        return sum(self.inside) / wrong if wrong else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Plain data: a list of groups with their classes and numbers, and how they were cut."""
        keys = ("name", "classes", "support", "wrong", "inside")
        columns = (
            self.members,
            map(list, self.members.values()),
            self.support,
            self.wrong,
            self.inside,
        )
        rows = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
        return {"groups": rows, "similarity": to_plain(self.similarity), "rule": self.rule}

    def __repr__(self) -> str:
        return f"<ClassGroups: {len(self):,} of {sum(map(len, self.members.values())):,} classes>"

    def table(self) -> Table:
        """Return the groups of several classes as a table."""
        parts = zip(
            self.members, self.members.values(), self.support, self.wrong, self.inside, strict=True
        )
        several = [part for part in parts if len(part[1]) > 1]
        names, members, support, wrong, inside = zip(*several, strict=True) if several else [()] * 5
        shares = [a / b if b else math.nan for a, b in zip(inside, wrong, strict=True)]
        columns = (
            Column(
                "group",
                names,
                lambda name: fit(printable(name), _WHOLE),
                is_label=True,
            ),
            Column("classes", list(map(len, members))),
            Column("support", support, number),
            Column("wrong", wrong, number),
            Column("inside", inside, head=None),
            Column(None, shares, percent, head="inside"),
            Column("members", list(map(_listed, members)), str, is_label=True),
        )
        return Table(columns, tuple(self._sentences()))

    def _sentences(self) -> list[str]:
        alone = sum(len(classes) == 1 for classes in self.members.values())
        notes = (
            [f"{alone:,} {'class stays' if alone == 1 else 'classes stay'} alone"] if alone else []
        )
        if alone < len(self) and any(self.wrong):
            notes.append(f"{self.kept_inside:.1%} of the errors stay inside a group")
        return [*notes, self.rule]


def _listed(classes: tuple[Any, ...]) -> str:
    """The first classes of a group, as many as fit."""
    shown, width = [], 0
    for label in classes:
        shown.append(fit(printable(label), _PART))
        width += display_width(shown[-1]) + 2
        if width > _SHOWN and len(classes) > len(shown):
            return ", ".join([*shown, "…"])
    return ", ".join(shown)


@door
def class_groups(
    m: ConfusionMatrix, n: int | None = None, *, similarity: float | None = None
) -> ClassGroups:
    """Group classes that are confused with each other, from the tree behind `class_order(m, "cluster")`.

    Parameters
    ----------
    m
        The matrix.
    n
        The number of groups. With neither `n` nor `similarity`, the number is chosen whose
        description of the errors saves most; where errors follow no groups, every class stays
        alone.
    similarity
        Joins classes while, on average over the pairs between two groups, at least this share of
        the one class is taken for the other.

    Returns
    -------
    ClassGroups
        Classes by group; a group is named after its classes, the one with most items first, or
        after the words that they share. Labels outside the classes stay outside.

    Examples
    --------
    >>> m = ConfusionMatrix(
    ...     [[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]],
    ...     ["cat", "dog", "hen", "owl"],
    ... )
    >>> dict(class_groups(m))
    {'cat + dog': ('cat', 'dog'), 'owl + hen': ('owl', 'hen')}
    >>> m.merge(class_groups(m)).counts
    array([[196,   4],
           [  4, 196]])
    """
    check_matrix(m, "class_groups")
    _check(m, n, similarity)
    errors = read_errors(m)
    tree = tree_of(similarities(errors))
    if n is not None:
        steps, rule = m.n_classes - n, f"cut into {n:,} as asked"
    elif similarity is not None:
        steps = int((tree.values >= similarity).sum())
        rule = f"joined while {similarity:.3g} of one class are taken for another on average"
    else:
        steps, rule = best_cut(errors, tree), "cut where groups tell most about the errors"
    return _grouped(m, errors, tree, steps, rule)


def _check(m: ConfusionMatrix, n: Any, similarity: Any) -> None:
    if n is not None and similarity is not None:
        msg = "`n` and `similarity` are two ways to cut one tree; give one of them"
        raise InputError(msg)
    if n is not None and not (is_integer(n) and 1 <= n <= m.n_classes):
        msg = f"`n` must be a number of groups from 1 to the {m.n_classes:,} classes, not {told(n)}"
        raise InputError(msg)
    real = isinstance(similarity, (int, float, np.number)) and not isinstance(similarity, bool)
    if similarity is not None and not (real and 0 < similarity <= 1):
        msg = f"`similarity` is a share above 0 and up to 1, such as 0.05, not {told(similarity)}"
        raise InputError(msg)


def _grouped(m: ConfusionMatrix, errors: Errors, tree: Tree, steps: int, rule: str) -> ClassGroups:
    codes = tree.groups(steps)
    count = m.n_classes - steps
    ends = np.searchsorted(codes[tree.leaves], np.arange(count + 1))
    parts = [tree.leaves[ends[i] : ends[i + 1]] for i in range(count)]
    names = _names(m.labels, parts, errors.actual)
    members = {
        name: tuple(m.labels[place] for place in part.tolist())
        for name, part in zip(names, parts, strict=True)
    }
    same = codes[errors.rows] == codes[errors.cols]
    inside = np.bincount(codes[errors.rows][same], weights=errors.counts[same], minlength=count)
    sums = [
        np.bincount(codes, weights=values, minlength=count)
        for values in (errors.actual, errors.lost)
    ]
    value = float(tree.values[steps - 1]) if steps else float("nan")
    numbers = [values.tolist() for values in (*sums, inside)]
    items, wrong, kept = (tuple(each if m.is_weighted else map(round, each)) for each in numbers)
    return ClassGroups(members, items, wrong, kept, value, rule)


def _names(labels: Labels, parts: list[Array], items: Array) -> list[str]:
    """A name for each group that no other group, class or outside label has."""
    texts = labels.kind == "text"
    taken = {*labels.outside, *(labels.classes if texts else ())}
    names = []
    everywhere = _words([printable(label) for label in labels.classes], 1.0)
    for part in parts:
        first = labels[int(part[0])]
        if len(part) == 1 and texts:
            names.append(first)
            continue
        name = printable(first) if len(part) == 1 else _joint(labels, part, items, everywhere)
        unique, copy = name, 2
        while unique in taken:
            unique, copy = f"{name} ({copy})", copy + 1
        taken.add(unique)
        names.append(unique)
    return names


def _joint(labels: Labels, part: Array, items: Array, everywhere: str) -> str:
    """The classes joined by a plus; of more, what they share, "owl (24)"; else "cat + 5 more", the largest first."""
    order = part[np.lexsort((np.arange(len(part)), -items[part]))].tolist()
    shown = [fit(printable(labels[place]), _PART) for place in order[:3]]
    whole = " + ".join(shown)
    if len(part) <= 3 and display_width(whole) <= _WHOLE:
        return whole
    texts = [printable(labels[place]) for place in order]
    beginning = commonprefix(texts)  # noqa: RUF071 - sign by sign
    told, mostly = (_words(texts, least, everywhere) for least in (1.0, _MOSTLY))
    if re.search(r"[^\W\d].*\d", beginning) and beginning.startswith(told or mostly):
        told = beginning + "…"
    if told or mostly:
        return f"{'' if told else 'mostly '}{fit(told or mostly, _PART)} ({len(part):,})"
    return f"{shown[0]} + {len(part) - 1:,} more"


def _words(texts: list[str], least: float, but: str = "") -> str:
    """The words that at least this share of the texts has, and more than one, but for some others."""
    counts = Counter(word for text in texts for word in dict.fromkeys(words_of(text)))
    common = (word for word, many in counts.items() if many >= least * len(texts) and many > 1)
    return " ".join(word for word in common if word not in but.split())

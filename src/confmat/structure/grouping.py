"""ClassGroups: classes that are confused with each other, ready for `merge`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.tables import Column, Table, Tabular, percent, to_plain
from confmat.core.text import display_width, fit, number, printable
from confmat.structure.cutting import best_cut
from confmat.structure.offdiagonal import Array, Errors, check_matrix, read_errors
from confmat.structure.tree import Tree, similarities, tree_of

__all__ = ["ClassGroups", "class_groups"]

# Names of classes inside the name of a group, and the whole name, are no wider.
_PART, _WHOLE = 24, 40
_SHOWN = 48


@dataclass(frozen=True, eq=False, repr=False)
class ClassGroups(Mapping[str, tuple[Any, ...]], Tabular):
    """Group name -> its classes, every class in one group: `m.merge(groups)` is the coarse matrix.

    Groups and their classes come in the order that `class_order(m)` gives, so groups are blocks along its diagonal. A
    class alone is a group under its own name. `similarity` is that of the last two joined: the mean share confused
    between their classes. `support`, `wrong` and `inside` hold, per group, its items, how many of them went to another
    class, and how many of those to a class of the same group.
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
        columns = (self.members, map(list, self.members.values()), self.support, self.wrong, self.inside)
        found = [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
        return {"groups": found, "similarity": to_plain(self.similarity), "rule": self.rule}

    def __repr__(self) -> str:
        return f"<ClassGroups: {len(self):,} of {sum(map(len, self.members.values())):,} classes>"

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Return the groups of several classes as a table."""
        places = [i for i, classes in enumerate(self.members.values()) if len(classes) > 1]
        members = [(name, classes) for name, classes in self.members.items() if len(classes) > 1]
        wrong, inside = ([part[i] for i in places] for part in (self.wrong, self.inside))
        shares = [a / b if b else math.nan for a, b in zip(inside, wrong, strict=True)]
        columns = (
            Column("group", [name for name, _ in members], lambda name: fit(printable(name), _WHOLE), is_label=True),
            Column("classes", [len(classes) for _, classes in members]),
            Column("support", [self.support[i] for i in places], number),
            Column("wrong", wrong, number),
            Column("inside", inside, head=None),
            Column(None, shares, percent, head="inside"),
            Column("members", [_listed(classes) for _, classes in members], str, is_label=True),
        )
        return Table(columns, tuple(self._sentences()))

    def _sentences(self) -> list[str]:
        alone = sum(len(classes) == 1 for classes in self.members.values())
        notes = [f"{alone:,} {'class stays' if alone == 1 else 'classes stay'} alone"] if alone else []
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


def class_groups(m: ConfusionMatrix, n: int | None = None, *, similarity: float | None = None) -> ClassGroups:
    """Classes that are confused with each other, from the tree behind `class_order(m, "cluster")`.

    `n` asks for so many groups. `similarity` joins classes while, on average over the pairs between two groups, at
    least this share of the one class is taken for the other. With neither, the number of groups is the one that tells
    most about the errors for what it takes to say it; where errors follow no groups, every class stays alone.

    A group is named after its classes, that with most items first. Labels outside the classes stay outside.

    >>> m = ConfusionMatrix([[90, 9, 1, 0], [12, 85, 2, 1], [1, 0, 95, 4], [2, 1, 3, 94]], ["cat", "dog", "hen", "owl"])
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
    whole = isinstance(n, (int, np.integer)) and not isinstance(n, bool)
    if n is not None and not (whole and 1 <= n <= m.n_classes):
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
    members = {name: tuple(m.labels[place] for place in part.tolist()) for name, part in zip(names, parts, strict=True)}
    same = codes[errors.rows] == codes[errors.cols]
    inside = np.bincount(codes[errors.rows][same], weights=errors.counts[same], minlength=count)
    sums = [np.bincount(codes, weights=values, minlength=count) for values in (errors.actual, errors.lost)]
    value = float(tree.values[steps - 1]) if steps else float("nan")
    items, wrong, kept = (tuple(_plain(values, m.is_weighted)) for values in (*sums, inside))
    return ClassGroups(members, items, wrong, kept, value, rule)


def _plain(values: Array, weighted: bool) -> list[float]:
    return values.tolist() if weighted else [round(value) for value in values.tolist()]


def _names(labels: Labels, parts: list[Array], items: Array) -> list[str]:
    """A name for each group that no other group, class or outside label has."""
    texts = labels.kind == "text"
    taken = {*labels.outside, *(labels.classes if texts else ())}
    names = []
    for part in parts:
        first = labels[int(part[0])]
        if len(part) == 1 and texts:
            names.append(first)
            continue
        name = printable(first) if len(part) == 1 else _joint(labels, part, items)
        unique, copy = name, 2
        while unique in taken:
            unique, copy = f"{name} ({copy})", copy + 1
        taken.add(unique)
        names.append(unique)
    return names


def _joint(labels: Labels, part: Array, items: Array) -> str:
    """The classes joined by a plus, or "cat + 5 more"; the class with most items first."""
    order = part[np.lexsort((np.arange(len(part)), -items[part]))].tolist()
    shown = [fit(printable(labels[place]), _PART) for place in order[:3]]
    whole = " + ".join(shown)
    if len(part) <= 3 and display_width(whole) <= _WHOLE:
        return whole
    return f"{shown[0]} + {len(part) - 1:,} more"

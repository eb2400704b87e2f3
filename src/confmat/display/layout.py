"""Which labels a drawing shows and in which order: folded to the largest or to groups, ordered, marked as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat import structure
from confmat.core import building
from confmat.core.errors import BudgetError, InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import flag, is_integer, told
from confmat.core.text import number, printable
from confmat.metrics.catalog import Score
from confmat.metrics.declaration import Metric
from confmat.structure.arrangement import Branches
from confmat.structure.evidence import evidence

Array = NDArray[Any]
Method = str | Metric | Score | Branches
Groups = Mapping[Any, Iterable[Any]]
# Groups as they are asked for: those of a hierarchy are its first level, True those that the errors
# show.
Grouping = Groups | Branches | bool

# A view keeps a few numbers per cell: at this many labels, a hundred megabytes. Beyond, it is
# folded to the largest.
MOST_LABELS, FOLDED_TO = 2000, 1000
OTHER = "(other)"


@dataclass(frozen=True)
class Layout:
    """The labels of a drawing, and where each label of the matrix goes."""

    labels: Labels
    codes: Array
    # The place of the entry that holds all folded classes.
    folded: int | None
    blocks: tuple[tuple[str, int, int], ...]
    notes: tuple[str, ...]


def united(m: ConfusionMatrix, other: Any) -> tuple[ConfusionMatrix, ConfusionMatrix]:
    """Two matrices over the labels of both."""
    if not isinstance(other, ConfusionMatrix):
        msg = f"`minus` takes the ConfusionMatrix to compare with, not {type(other).__name__}"
        raise InputError(msg)
    labels = m.labels.union(other.labels)
    return m._recoded(labels), other._recoded(labels)


def lay_out(
    m: ConfusionMatrix,
    *,
    order: Any = None,
    top: int | None = None,
    class_groups: Grouping | None = None,
    fold: bool = True,
    of: Any = None,
    foremost: bool | None = None,
) -> Layout:
    """Choose what to show of a matrix: first groups are folded, then small classes, then the rest is ordered.

    The classes of the foremost confusions stay, by itself where nobody says how many are shown;
    else the largest do.
    """
    named, joined = _names(order), _groups(m, class_groups)
    codes, notes, before, folded = np.arange(len(m.labels)), [], m.n_classes, None
    if flag("fold", fold) and joined is not None:
        labels, codes = building.merged(m.labels, joined)
        m, joined = m._remapped(labels, codes), None
        if m.n_classes < before:
            notes.append(f"{before:,} classes in {m.n_classes:,} groups")
    if named is not None:
        # Refuses what is unknown, and what is missing unless it may be folded.
        m, step = _named(m, named, whole=top is None)
        codes = step[codes]
    foremost = top is None if foremost is None else foremost
    most = _checked(top, len(m.labels))
    if most is not None and m.n_classes > most:
        keep = None if of is None else m._class(of)
        m, step, note = folded_to(m, most, keep, foremost=foremost)
        codes, folded = step[codes], most
        notes.append(note)
    chosen = list(m.labels.classes)
    if named is None:
        chosen = _ordered(m, order, class_groups, cut=joined is not None)
    blocks: tuple[tuple[str, int, int], ...] = ()
    if joined is not None:
        chosen, blocks = _blocked(chosen, joined)
    labels, step = building.chosen(m.labels, [*chosen, *m.labels.outside])
    if folded is not None:
        folded = int(step[folded])
    return Layout(labels, step[codes], folded, blocks, tuple(notes))


def _ordered(
    m: ConfusionMatrix, order: Any, class_groups: Grouping | None, *, cut: bool
) -> list[Any]:
    """The classes in the order that is asked for, by itself in that from which their groups were cut."""
    if order is None and isinstance(class_groups, Branches):
        order = class_groups
    elif order is None and class_groups is True and cut:
        order = "cluster"
    return list(m.labels.classes if order is None else structure.class_order(m, order))


def _names(order: Any) -> list[Any] | None:
    """The classes in the order given, if it is not the name of a method."""
    if order is None or isinstance(order, (str, Metric, Score, Branches)):
        return None
    if not isinstance(order, Iterable):
        msg = Message(
            "{order} takes the name of a method or the classes in their order, not {!r:.60}", order
        )
        raise InputError(msg)
    return list(order)


def _groups(m: ConfusionMatrix, class_groups: Grouping | None) -> Groups | None:
    if isinstance(class_groups, Branches):
        return class_groups.groups(m)
    if isinstance(class_groups, bool):
        return structure.class_groups(m) if class_groups else None
    return class_groups


def _checked(top: Any, size: int) -> int | None:
    """How many classes to keep; None for all."""
    if top is None:
        return FOLDED_TO if size > MOST_LABELS else None
    if not is_integer(top) or top < 1:
        msg = f"`top` takes how many classes to show, 1 or more, not {told(top)}"
        raise InputError(msg)
    if min(int(top), size) > MOST_LABELS:
        msg = f"a view shows {MOST_LABELS:,} labels at most, not {top:,}; fold to fewer with `top` or `class_groups`"
        raise BudgetError(msg)
    return int(top)


def folded_to(
    m: ConfusionMatrix, top: int, keep: int | None = None, *, foremost: bool = True
) -> tuple[ConfusionMatrix, Array, str]:
    """Return the matrix with all but some classes in one label, the new place of each label, and a note.

    The classes of confusions that are shown stay, then the largest, or the largest alone; `keep` is
    the place of a class that stays in any case.
    """
    labels, k = m.labels, m.n_classes
    kept = _ranked(m, foremost=foremost)[:top]
    if keep is not None and keep not in kept:
        kept[-1] = keep
    kept = np.sort(kept)
    name = OTHER if OTHER not in labels else "(folded)"
    names = [labels[int(place)] for place in kept]
    codes = np.full(len(labels), len(kept), dtype=np.int64)
    codes[kept] = np.arange(len(kept))
    codes[k:] = np.arange(len(labels) - k) + len(kept) + 1
    new = Labels(
        names,
        outside=[name, *labels.outside],
        positive=labels.positive if labels.positive in names else None,
    )
    small = m._remapped(new, codes)
    share = m.actual_totals[:k].sum().item() - small.actual_totals[: len(kept)].sum().item()
    note = f"{k - len(kept):,} of {k:,} classes folded into {name}, {number(share)} of {number(m.total)}"
    return small, codes, note


def _ranked(m: ConfusionMatrix, *, foremost: bool) -> Array:
    """Places of the classes: those of confusions that are shown, the foremost first, then by their items."""
    # Floats, because the negative of an unsigned number would be huge.
    sizes = [
        totals[: m.n_classes].astype(np.float64) for totals in (m.predicted_totals, m.actual_totals)
    ]
    largest = np.lexsort((np.arange(m.n_classes), -sizes[0], -sizes[1]))
    if not foremost:
        return largest
    known = evidence(m)
    order = known.order() if known.untested else known.places
    pairs = np.stack([known.errors.rows, known.errors.cols], 1)[order]
    places = np.concatenate([pairs[pairs < m.n_classes], largest])
    return places[np.sort(np.unique(places, return_index=True)[1])]


def _named(m: ConfusionMatrix, names: list[Any], *, whole: bool) -> tuple[ConfusionMatrix, Array]:
    """The matrix with its classes in the order of the names; those not named follow, if they may be folded."""
    if whole:
        reordered = m.reorder(names)
        return reordered, building.positions(m.labels, reordered.labels)
    wanted = [*names, *m.labels.outside]
    missing = [
        name
        for name, code in zip(m.labels, building.chosen(m.labels, wanted)[1], strict=True)
        if code < 0
    ]
    labels, codes = building.chosen(m.labels, [*names, *missing, *m.labels.outside])
    return m._remapped(labels, codes), codes


def _blocked(
    chosen: list[Any], groups: Groups
) -> tuple[list[Any], tuple[tuple[str, int, int], ...]]:
    """The classes with those of one group side by side, each group at its first member, and where the groups lie."""
    group_of = {name: group for group, members in groups.items() for name in members}
    runs: dict[Any, list[Any]] = {}
    for place, name in enumerate(chosen):
        key = (True, group_of[name]) if name in group_of else (False, place)
        runs.setdefault(key, []).append(name)
    blocks, start = [], 0
    for (_, group), members in runs.items():
        # A class alone is no block.
        if len(members) > 1:
            blocks.append((printable(group), start, start + len(members)))
        start += len(members)
    return [*chain(*runs.values())], tuple(blocks)

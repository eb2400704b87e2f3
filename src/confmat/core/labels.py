"""Labels: the ordered names of the classes, all of one kind, and of what stands outside the classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from functools import lru_cache
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import BudgetError, InputError, LabelError, Message
from confmat.core.naming import (
    check_list,
    check_outside,
    in_order,
    kind_of,
    kind_of_all,
    listed,
    name_from_json,
    name_to_json,
    plain,
    sorted_union,
    unknown,
)
from confmat.core.options import told
from confmat.core.seals import check_fields
from confmat.core.text import repeated, some
from confmat.core.values import Immutable

Kind = Literal["int", "bool", "text", "bytes", "object"]

# Margins of this many classes take 0.8 GB; beyond, the column is an id or a measurement, not a
# class.
MAX_CLASSES = 2**25
# Longer texts are abridged, so that no label floods a terminal or a log.
LONGEST_REPR = 200
# The mark of arguments that `replace` keeps; None would mean "no positive class".
_AS_IT_IS: Any = object()


class Labels(Sequence[Any], Immutable):
    """Ordered class names of one kind (int, bool, text, bytes or object), and the labels outside the classes.

    Iterating gives the classes, then the outside labels: the order of a matrix's rows and columns.
    The kind is part of equality, so 1, True, "1" and 1.0 never mean one class by accident; a
    float that holds an integer becomes that integer. An IntEnum or StrEnum member counts as its
    value, any other Enum member as the object it is. The positive class is a role and no part of
    equality.

    >>> Labels(["Cat", "Fish", "Hen"])
    Labels(['Cat', 'Fish', 'Hen'])
    >>> Labels([0, 1]) == Labels([False, True])
    False
    >>> list(Labels(["spam", "ham"], outside=["(abstained)"], positive="spam"))
    ['spam', 'ham', '(abstained)']
    """

    __slots__ = ("_classes", "_hash", "_index", "_sorter", "kind", "outside", "positive")

    _classes: tuple[Any, ...] | NDArray[np.int64]
    _hash: int | None
    _index: dict[Any, int] | None
    # The sorting order of an array of classes; empty if they are sorted.
    _sorter: NDArray[np.intp] | None
    kind: Kind
    outside: tuple[str, ...]
    positive: Any

    def __init__(
        self, names: Iterable[Any], *, outside: Iterable[str] = (), positive: Any = None
    ) -> None:
        if isinstance(names, Labels):
            outside, positive = (
                outside or names.outside,
                names.positive if positive is None else positive,
            )
            classes, kind = names._classes, names.kind
        else:
            classes, kind = _read_names(names)
        self._set(classes, kind, check_outside(outside), None)
        self._check_unique()
        self._set_positive(positive)

    @classmethod
    def _trusted(
        cls,
        classes: tuple[Any, ...] | NDArray[np.int64],
        kind: Kind,
        outside: tuple[str, ...] = (),
        positive: Any = None,
    ) -> Labels:
        """Labels from names already known to be plain, distinct and of one kind."""
        self = cls.__new__(cls)
        self._set(classes, kind, outside, positive)
        return self

    def _set(self, classes: Any, kind: Kind, outside: tuple[str, ...], positive: Any) -> None:
        put = object.__setattr__
        put(self, "_classes", classes)
        put(self, "kind", kind)
        put(self, "outside", outside)
        put(self, "positive", positive)
        put(self, "_index", None)
        put(self, "_sorter", None)
        put(self, "_hash", None)

    def _check_unique(self) -> None:
        if isinstance(self._classes, np.ndarray):
            # Sorted neighbours need no dictionary of ten million integers.
            ordered = np.sort(self._classes)
            twice = ordered[1:][ordered[1:] == ordered[:-1]]
            if len(twice):
                msg = f"labels must be distinct, but these come twice: {some(dict.fromkeys(twice.tolist()))}"
                raise LabelError(msg)
        else:
            index = {name: i for i, name in enumerate(self._classes)}
            if len(index) < len(self._classes):
                msg = f"labels must be distinct, but these come twice: {some(repeated(self._classes))}"
                raise LabelError(msg)
            object.__setattr__(self, "_index", index)
        if self.kind == "text":
            clash = [name for name in self.outside if name in self._lookup]
            if clash:
                msg = f"{some(clash)} cannot be a class and stand outside the classes at once; rename one of them"
                raise LabelError(msg)

    def _set_positive(self, positive: Any) -> None:
        if positive is not None:
            position = self.index(positive)
            if position >= self.n_classes:
                msg = f"the positive class cannot be the outside label {positive!r}"
                raise LabelError(msg)
            positive = self[position]
        object.__setattr__(self, "positive", positive)

    # ---- a sequence of names ---------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """How many classes there are, outside labels not counted."""
        return len(self._classes)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The class names alone, without the labels outside the classes."""
        return (
            tuple(self._classes.tolist())
            if isinstance(self._classes, np.ndarray)
            else self._classes
        )

    def __len__(self) -> int:
        return len(self._classes) + len(self.outside)

    def __iter__(self) -> Iterator[Any]:
        yield from (
            self._classes.tolist() if isinstance(self._classes, np.ndarray) else self._classes
        )
        yield from self.outside

    @overload
    def __getitem__(self, position: int) -> Any: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            return tuple(self[i] for i in range(*position.indices(len(self))))
        if position < 0:
            position += len(self)
        if not 0 <= position < len(self):
            msg = f"position {position} is outside the {len(self)} labels"
            raise IndexError(msg)
        if position >= len(self._classes):
            return self.outside[position - len(self._classes)]
        name = self._classes[position]
        return int(name) if isinstance(self._classes, np.ndarray) else name

    def __contains__(self, name: object) -> bool:
        return self._find(name) is not None

    @property
    def _lookup(self) -> dict[Any, int]:
        if self._index is None:
            object.__setattr__(self, "_index", {name: i for i, name in enumerate(self.classes)})
        return self._index  # type: ignore[return-value]

    def _find(self, name: Any) -> int | None:
        if isinstance(name, str) and name in self.outside:
            return self.n_classes + self.outside.index(name)
        try:
            name = plain(name)
            if name is None or kind_of(name) != self.kind:
                return None
            return (
                self._place(name)
                if isinstance(self._classes, np.ndarray)
                else self._lookup.get(name)
            )
        except (LabelError, TypeError):
            return None

    def _place(self, name: int) -> int | None:
        """Where an integer is in an array of classes: by halving, without an object for each of them."""
        classes = np.asarray(self._classes)
        if not -(2**63) <= name < 2**63:
            return None
        if self._sorter is None:
            ascending = bool(np.all(classes[1:] > classes[:-1]))
            object.__setattr__(
                self, "_sorter", np.zeros(0, np.intp) if ascending else np.argsort(classes)
            )
        sorter = self._sorter if self._sorter is not None and len(self._sorter) else None
        place = int(np.searchsorted(classes, name, sorter=sorter))
        if place == len(classes):
            return None
        place = place if sorter is None else int(sorter[place])
        return place if classes[place] == name else None

    def index(self, name: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the position of a name.

        Parameters
        ----------
        name
            The name to look for.
        start, stop
            The first position to accept, and the one behind the last.

        Raises
        ------
        LabelError
            If there is no such name; the message says which names there are.
        """
        position = self._find(name)
        if position is None or not start <= position < (len(self) if stop is None else stop):
            raise LabelError(unknown(name, self, self.kind))
        return position

    def count(self, value: Any) -> int:
        """Return how often a name occurs: 1 or 0.

        Parameters
        ----------
        value
            The name to look for.
        """
        return int(value in self)

    # ---- equality --------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, (list, tuple)):
            # A plain sequence has nothing outside; it would equal labels that differ from each
            # other.
            if self.outside or len(other) != len(self):
                return False
            try:
                return self == Labels(other)
            except LabelError:
                return False
        if not isinstance(other, Labels):
            return NotImplemented
        return (
            self.kind == other.kind and self.outside == other.outside and self._same_classes(other)
        )

    def _same_classes(self, other: Labels) -> bool:
        if isinstance(self._classes, np.ndarray) and isinstance(other._classes, np.ndarray):
            return np.array_equal(self._classes, other._classes)
        return len(self._classes) == len(other._classes) and self.classes == other.classes

    def __hash__(self) -> int:
        if self._hash is None:
            # The hash of the tuple of names, since a tuple of the same names is equal.
            object.__setattr__(self, "_hash", hash(tuple(self)))
        return self._hash  # type: ignore[return-value]

    def __repr__(self) -> str:
        shown = [repr(name) for name in self[: min(self.n_classes, 12)]]
        if len(shown) < self.n_classes:
            shown += ["...", repr(self[self.n_classes - 1])]
        extra = "" if len(self._classes) <= 12 else f" of {self.n_classes:,} classes"
        extra += f", outside={list(self.outside)!r}" if self.outside else ""
        extra += f", positive={self.positive!r}" if self.positive is not None else ""
        text = f"Labels([{', '.join(shown)}]{extra})"
        if len(text) <= LONGEST_REPR:
            return text
        extra = f", outside {some(self.outside, 3)}" if self.outside else ""
        extra += f", positive {some([self.positive])}" if self.positive is not None else ""
        return f"<Labels of {self.n_classes:,} classes: {some(self[: min(self.n_classes, 4)], 3)}{extra}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Labels._trusted, (self._classes, self.kind, self.outside, self.positive))

    # ---- making new ones -------------------------------------------------------------------------

    def _array(self) -> NDArray[np.int64] | None:
        """The classes as int64, or None when they are not integers of that width."""
        if isinstance(self._classes, np.ndarray):
            return self._classes
        if self.kind == "int" and all(-(2**63) <= name < 2**63 for name in self._classes):
            return np.array(self._classes, dtype=np.int64)
        return None

    def _as_integers(self) -> Labels:
        """The same classes as integers: False is 0, and True is 1."""
        positive = None if self.positive is None else int(self.positive)
        return Labels(list(map(int, self.classes)), outside=self.outside, positive=positive)

    def replace(self, *, outside: Iterable[str] | None = None, positive: Any = _AS_IT_IS) -> Labels:
        """Return the same classes with other outside labels or another positive class.

        Parameters
        ----------
        outside
            The new outside labels; without them they stay.
        positive
            The new positive class, or None for no positive class; without it the class stays.

        Examples
        --------
        >>> Labels(["no", "yes"], positive="yes").replace(positive=None)
        Labels(['no', 'yes'])
        """
        labels = Labels._trusted(
            self._classes, self.kind, self.outside if outside is None else check_outside(outside)
        )
        labels._check_unique()
        labels._set_positive(self.positive if positive is _AS_IT_IS else positive)
        return labels

    def union(self, other: Labels) -> Labels:
        """Return all labels of both, in an order that does not depend on which comes first.

        The same order on both sides is kept; otherwise the names are sorted, so that adding many
        matrices in any order and grouping gives one answer. `reorder` and `labels=` give another
        order.

        Parameters
        ----------
        other
            The labels to add.
        """
        if not isinstance(other, Labels):
            msg = f"labels are united with other Labels, not {type(other).__name__}; Labels(names) makes them of names"
            raise LabelError(msg)
        if self == other and self.positive == other.positive:
            return self
        if self.kind != other.kind:
            msg = f"labels of kind {self.kind} ({some(self, 3)}) and {other.kind} ({some(other, 3)}) do not mix"
            raise LabelError(msg)
        positive = self.positive if other.positive is None else other.positive
        if self.positive is not None and self.positive != positive:
            msg = f"the positive class is {self.positive!r} on one side and {other.positive!r} on the other"
            raise LabelError(msg)
        outside = (
            self.outside
            if self.outside == other.outside
            else tuple(sorted({*self.outside, *other.outside}))
        )
        labels = Labels._trusted(self._united(other), self.kind, outside, positive)
        labels._check_unique()
        return labels

    def _united(self, other: Labels) -> tuple[Any, ...] | NDArray[np.int64]:
        """The classes of both, sorted unless they are the same."""
        if self._same_classes(other):
            return self._classes
        mine, theirs = self._array(), other._array()
        if mine is None or theirs is None or len(mine) + len(theirs) <= 1000:
            names = [*dict.fromkeys([*self.classes, *other.classes])]
            return tuple(in_order(names, appearance=False))
        classes = sorted_union(mine, theirs)
        classes.flags.writeable = False
        return classes

    # ---- to and from plain data ------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back, types included; JSON can hold it for every common label.

        A label that JSON has no form for, such as a member of an Enum, stays the object that it is.
        """
        data: dict[str, Any] = {
            "kind": self.kind,
            "names": [name_to_json(name) for name in self.classes],
        }
        if self.outside:
            data["outside"] = list(self.outside)
        if self.positive is not None:
            data["positive"] = name_to_json(self.positive)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Labels:
        """Return the labels that `to_dict` wrote.

        Parameters
        ----------
        data
            The mapping that `to_dict` returned.
        """
        if not isinstance(data, Mapping):
            msg = Message(
                "stored labels are a mapping of {kind} and `names`, not {}", told(data, typed=True)
            )
            raise InputError(msg)
        kind = data.get("kind")
        if kind not in get_args(Kind) or not isinstance(data.get("names"), list):
            kinds = ", ".join(get_args(Kind))
            msg = Message(
                "stored labels need a {kind} among {} and a list of `names`, not {!r:.200}",
                kinds,
                dict(data),
            )
            raise InputError(msg)
        check_fields(data, ("kind", "names", "outside", "positive"), "stored labels")
        names = data["names"]
        # A thousand files of text labels are a common sight.
        if kind != "text" or {*map(type, names)} != {str}:
            names = [name_from_json(name, kind) for name in names]
        positive = data.get("positive")
        if positive is not None:
            positive = name_from_json(positive, kind)
        outside = data.get("outside", [])
        if not isinstance(outside, (list, tuple)):
            msg = Message("stored `outside` labels must be a list of texts, not {}", told(outside))
            raise InputError(msg)
        labels = cls(names, outside=outside, positive=positive)
        if labels.kind != kind:
            msg = Message(
                "the stored labels say kind {} but hold {}: {}", kind, labels.kind, some(labels)
            )
            raise InputError(msg)
        return labels


@lru_cache(maxsize=64)
def numbered(size: int) -> Labels:
    """Return the labels 0, 1, ... of small tables without names; they are made once."""
    return Labels(range(size))


def _many_integers(names: Any) -> NDArray[np.int64] | None:
    """An array of more integers than a tuple should hold; None of other names."""
    if isinstance(names, range) and len(names) > 1000:
        names = np.arange(names.start, names.stop, names.step)
    if not isinstance(names, np.ndarray) or names.dtype.kind != "i" or names.ndim != 1:
        return None
    if len(names) <= 1000:
        return None
    array = names.astype(np.int64)
    array.flags.writeable = False
    return array


def _read_names(names: Iterable[Any]) -> tuple[Any, Kind]:
    check_list(names)
    size = len(names) if isinstance(names, Sized) else None
    if size is not None and size > MAX_CLASSES:
        msg = f"{size:,} labels are more than the {MAX_CLASSES:,} classes that a matrix can have"
        raise BudgetError(msg)
    array = _many_integers(names)
    if array is not None:
        return array, "int"
    if isinstance(names, np.ndarray) and names.ndim != 1:
        msg = f"labels must be one-dimensional, not of shape {names.shape}"
        raise LabelError(msg)
    values = [plain(name) for name in (listed(names) if isinstance(names, np.ndarray) else names)]
    if not values:
        msg = "there must be at least one label"
        raise LabelError(msg)
    kind, one_kind = kind_of_all(values, "labels")
    return tuple(one_kind), kind

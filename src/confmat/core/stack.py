"""Stacks of matrices; two-by-two matrices that part the same items are kept as one row of numbers a class."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import check_numbers, even_array, in_63_bits, labels_for, together
from confmat.core.cells import Cells
from confmat.core.counts import DENSE_BYTES, Counts, frozen
from confmat.core.errors import BudgetError, InputError, LabelError, Message
from confmat.core.keys import Descending, Places, check_addable
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import Noted, merged
from confmat.core.options import as_list, door, told
from confmat.core.samples import Sample, units_of
from confmat.core.tables import Column, Table, Tabular, percent
from confmat.core.text import fit, number, printable, some
from confmat.core.values import Immutable, Scored

Array = NDArray[Any]


class Reached:
    """Matrices (2, 2) that part the same items at one place after another.

    `above` has, for each actual class, what is answered with the class at `place`, (2, G): counts
    of 32 or 64 bits, or sums of weights. `rest` is what there is in all, (2,), and the other
    answers have what is missing to it; or it is what they have, (2, G), where differences of
    rounded sums would leave a trace of nothing. Indexed, this gives what the array (G, 2, 2) of
    int64 or float64 would.

    >>> kept = Reached(np.array([[0, 1, 2], [0, 2, 2]], np.int32), np.array([2, 3]), 1)
    >>> kept[1], len(kept)
    (array([[1, 1],
           [1, 2]]), 3)
    """

    __slots__ = ("_whole", "above", "place", "rest")

    def __init__(self, above: Array, rest: Array, place: int) -> None:
        self.above, self.rest, self.place = frozen(above), frozen(rest), place
        self._whole: Array | None = None

    def __len__(self) -> int:
        return self.above.shape[1]

    def __getitem__(self, places: Any) -> Array:
        above, below = self._columns(places)
        table = np.empty((*above.shape[1:], 2, 2), above.dtype)
        table[..., self.place] = np.moveaxis(above, 0, -1)
        table[..., 1 - self.place] = np.moveaxis(below, 0, -1)
        return table

    def _columns(self, places: Any) -> tuple[Array, Array]:
        """By actual class, what reaches some thresholds and what does not."""
        above = self.above[:, places]
        above = above.astype(np.float64 if above.dtype.kind == "f" else np.int64, copy=False)
        rest = (
            self.rest.reshape(2, *[1] * (above.ndim - 1)) - above
            if self.rest.ndim == 1
            else self.rest[:, places]
        )
        return above, rest

    def whole(self) -> Array:
        """All matrices as one array, closed to writing; made when first asked for."""
        if self._whole is None:
            self._whole = frozen(self[:])
        return self._whole

    def all_of(self, actual: int) -> Any:
        """Return the items of a class: one number, or one for each matrix."""
        return self.rest[actual] if self.rest.ndim == 1 else self.above[actual] + self.rest[actual]

    def totals(self) -> Array:
        """The sum of each matrix, in the order of its cells, as the matrix itself has it."""
        if self.rest.ndim == 1:
            return np.broadcast_to(self.rest.sum(), (len(self),))
        left, right = (self.rest, self.above) if self.place else (self.above, self.rest)
        return left[0] + right[0] + left[1] + right[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return (Reached, (np.array(self.above), np.array(self.rest), self.place))


# Stacked margins may take this much; beyond, one matrix at a time.
MARGIN_BYTES = 2**31
# Matrices that are listed in print.
MOST_SHOWN = 30

Margins = tuple[Array, Array, Array]
# Places of items are a range, which has no object for each.
Names = tuple[Any, ...] | Descending | range


class Stack(Mapping[Any, ConfusionMatrix], Scored, Noted, Tabular, Immutable):
    """A mapping of key to matrix, all over the same labels, with their margins stacked along the first axis.

    >>> a = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
    >>> s = Stack({"old": a, "new": a + a}, axis="model")
    >>> s["new"].total, s.diagonal.shape, s.total
    (12, (2, 2), array([ 6, 12]))
    """

    __slots__ = (
        "_margins",
        "_names",
        "_places",
        "_squares",
        "_table",
        "_total",
        "axis",
        "labels",
        "notes",
        "provenance",
        "ungrouped",
    )

    axis: str
    labels: Labels
    ungrouped: int | float
    _margins: Margins | None
    _places: dict[Any, int] | Places
    _names: Names
    # Sums of squared weights behind an array of matrices; those of a list are in the matrices.
    _squares: Array | Reached | None
    _table: Array | Reached | list[ConfusionMatrix]
    _total: Array

    @door
    def __init__(
        self,
        matrices: Mapping[Any, ConfusionMatrix],
        *,
        axis: str = "group",
        ungrouped: int | float = 0,
    ) -> None:
        """Put matrices side by side; their labels are united. `ungrouped` is what belonged to none of them."""
        parts = list(matrices.values()) if isinstance(matrices, Mapping) else None
        if not parts or any(not isinstance(part, ConfusionMatrix) for part in parts):
            msg = (
                "a Stack is made of a mapping of key to ConfusionMatrix with at least one entry, "
                "such as "
                f"{{'monday': m, 'tuesday': n}}, not {told(matrices)}"
            )
            raise InputError(msg)
        labels = parts[0].labels
        for part in parts[1:]:
            labels = labels.union(part.labels)
        parts = [part._recoded(labels) for part in parts]
        total = together([part._counts.dtype.type(part.total) for part in parts])
        self._set(axis, tuple(matrices), labels, parts, total, ungrouped)
        self.__setstate__(merged(note for part in parts for note in part.notes))

    @classmethod
    def from_array(
        cls,
        counts: Any,
        labels: Iterable[Any] | None = None,
        keys: Iterable[Any] | None = None,
        *,
        axis: str = "group",
    ) -> Stack:
        """Return the stack of an array of matrices.

        Parameters
        ----------
        counts
            An array of shape (G, K, K): G matrices of K classes.
        labels
            The classes in order; without them 0 .. K-1.
        keys
            A key for each matrix; without them 0, 1, ...
        axis
            The name of the axis along which the matrices are stacked.

        Examples
        --------
        >>> Stack.from_array(np.ones((3, 2, 2), int)).total
        array([4, 4, 4])
        """
        array = even_array(counts, "`counts` must be of shape (G, K, K)")
        if array.ndim != 3 or array.shape[1] != array.shape[2] or not array.size:
            msg = f"`counts` must be of shape (G, K, K), not {array.shape}"
            raise InputError(msg)
        array = check_numbers(array, "counts")
        names = range(len(array)) if keys is None else as_list("keys", keys, "one key per matrix")
        given = labels_for(labels, array.shape[1])
        if len(given) != array.shape[1]:
            msg = f"the matrices have {array.shape[1]} rows but there are {len(given)} labels: {some(given)}"
            raise LabelError(msg)
        array = in_63_bits(array, "counts")
        return cls._of_table(array, given, tuple(names), array.sum(axis=(1, 2)), axis)

    @classmethod
    def _of_table(
        cls,
        table: Array | Reached,
        labels: Labels,
        names: Names,
        total: Array,
        axis: str,
        squares: Array | Reached | None = None,
        ungrouped: int | float = 0,
    ) -> Stack:
        """From an array (G, K, K) whose numbers, keys and totals are known to be right."""
        self = cls.__new__(cls)
        self._set(axis, names, labels, table, total, ungrouped, squares)
        return self

    def _set(
        self,
        axis: str,
        names: Names,
        labels: Labels,
        content: Any,
        total: Array,
        ungrouped: int | float = 0,
        squares: Array | Reached | None = None,
    ) -> None:
        if not isinstance(axis, str):
            msg = f"`axis` is what the keys are called, a text such as 'fold' or 'model', not {told(axis)}"
            raise InputError(msg)
        try:
            places = (
                {name: i for i, name in enumerate(names)}
                if isinstance(names, tuple)
                else Places(names)
            )
        except TypeError as error:
            msg = Message(
                "the keys of a stack are names or numbers, not {}: {}", some(names), error
            )
            raise InputError(msg) from None
        if len(places) < len(names) or len(names) != len(total):
            msg = Message(
                "a stack of {} matrices needs as many distinct keys, not {}: {}",
                len(total),
                len(places),
                some(names),
            )
            raise InputError(msg)
        put = object.__setattr__
        put(self, "axis", axis)
        put(self, "notes", ())
        put(self, "provenance", None)
        put(self, "labels", labels)
        put(self, "ungrouped", ungrouped)
        put(self, "_names", names)
        put(self, "_places", places)
        put(self, "_table", frozen(content) if isinstance(content, np.ndarray) else content)
        put(self, "_margins", None)
        put(self, "_total", frozen(total))
        put(self, "_squares", frozen(squares) if isinstance(squares, np.ndarray) else squares)

    def along(self, axis: str) -> Stack:
        """Return the same stack with its axis under another name.

        Parameters
        ----------
        axis
            The new name of the axis.
        """
        same = type(self).__new__(type(self))
        same._set(axis, *self._state()[1:])
        return same._after(self)

    def _state(self) -> tuple[Any, ...]:
        return (
            self.axis,
            self._names,
            self.labels,
            self._table,
            self._total,
            self.ungrouped,
            self._squares,
        )

    # ---- a mapping -------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> ConfusionMatrix:
        try:
            place = self._places[key]
        except (KeyError, TypeError):
            swept = self.axis == "threshold" and isinstance(key, (int, float))
            asking = f"; thresholds=[{key!r}] asks for it" if swept else ""
            msg = f"there is no {self.axis} {key!r}; there are {some(self._names, 8)}{asking}"
            raise KeyError(msg) from None
        return self._at(place)

    def _at(self, place: int) -> ConfusionMatrix:
        if isinstance(self._table, list):
            return self._table[place]
        squares = None if self._squares is None else Counts.of_table(np.array(self._squares[place]))
        return ConfusionMatrix._of(
            self.labels, Counts.of_table(np.array(self._table[place])), squares
        )

    def __contains__(self, key: object) -> bool:
        try:
            return key in self._places
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Any]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _array(self) -> Array | None:
        """All matrices as one array (G, K, K), where they are kept as one or can be made into it."""
        if isinstance(self._table, Reached):
            return self._table.whole()
        return self._table if isinstance(self._table, np.ndarray) else None

    # ---- stacked margins -------------------------------------------------------------------------

    @property
    def diagonal(self) -> Array:
        """Hits per class, (G, K)."""
        return self._stacked_margins()[0]

    @property
    def actual_totals(self) -> Array:
        """Row sums, (G, K)."""
        return self._stacked_margins()[1]

    @property
    def predicted_totals(self) -> Array:
        """Column sums, (G, K)."""
        return self._stacked_margins()[2]

    def _stacked_margins(self) -> Margins:
        """Margins of all matrices, put together when first asked for, within a budget."""
        if self._margins is None:
            size = len(self._names) * len(self.labels) * 8 * 3
            if size > MARGIN_BYTES:
                msg = (
                    f"the margins of {len(self):,} matrices of {len(self.labels):,} labels would "
                    "take "
                    f"{size / 1e9:,.1f} GB; ask one matrix at a time"
                )
                raise BudgetError(msg)
            if (table := self._array()) is not None:
                margins = [
                    np.diagonal(table, axis1=1, axis2=2),
                    table.sum(axis=2),
                    table.sum(axis=1),
                ]
            else:
                parts = [self._at(i) for i in range(len(self))]
                margins = [together([getattr(part, name) for part in parts]) for name in _MARGINS]
            object.__setattr__(
                self, "_margins", tuple(map(frozen, map(np.ascontiguousarray, margins)))
            )
        assert self._margins is not None
        return self._margins

    @property
    def total(self) -> Array:
        """The sum of each matrix, (G,)."""
        return self._total

    @property
    def dropped(self) -> int | float:
        """The items left out of the matrices, and those that belonged to no group."""
        parts = self._table if isinstance(self._table, list) else []
        return self.ungrouped + sum(part.dropped for part in parts)

    @property
    def n_classes(self) -> int:
        """How many classes there are, labels outside the classes not counted."""
        return self.labels.n_classes

    @property
    def counts(self) -> Array:
        """All matrices as one read-only array (G, K, K), while it fits the budget."""
        size = len(self._names) * len(self.labels) ** 2 * 8
        if (table := self._array()) is not None:
            return table
        if not isinstance(self._table, list) or size > DENSE_BYTES:
            msg = (
                f"an array of {len(self._names):,} matrices of {len(self.labels):,} labels would "
                "take "
                f"{size / 1e9:,.1f} GB; use the stacked margins or one matrix at a time"
            )
            raise BudgetError(msg)
        return frozen(together([part.counts for part in self._table]))

    @property
    def cells(self) -> Cells:
        """tp, fp, fn and tn of every class in every matrix, (G, K), outside labels left out."""
        if (table := self._array()) is not None and table.shape[1] == self.labels.n_classes == 2:
            # Each class has what the other lacks, so nothing is subtracted.
            tp, (fn, fp) = self.diagonal, (table[:, [0, 1], [1, 0]], table[:, [1, 0], [0, 1]])
            return Cells(tp, fp, fn, tp[:, ::-1])
        # With weights, only whole tables tell a small number of true negatives from the rounding of
        # a difference.
        if self.labels.outside or self.total.dtype.kind == "f":
            parts = [self._at(i).cells for i in range(len(self))]
            return Cells(
                *(
                    np.stack([getattr(part, name) for part in parts])
                    for name in ("tp", "fp", "fn", "tn")
                )
            )
        return Cells.of_margins(
            self.diagonal, self.actual_totals, self.predicted_totals, self.total[:, None]
        )

    def sum(self) -> ConfusionMatrix:
        """All matrices added up."""
        if (table := self._array()) is not None:
            squares = (
                None if self._squares is None else Counts.of_table(self._squares[:].sum(axis=0))
            )
            return ConfusionMatrix._of(
                self.labels, Counts.of_table(table.sum(axis=0)), squares
            )._after(self)
        matrix = self._at(0)
        for place in range(1, len(self)):
            matrix = matrix + self._at(place)
        return matrix._after(self)

    def of(self, key: Any) -> Stack:
        """Return the matrices of one key of the first of several groupings, along the other ones.

        Parameters
        ----------
        key
            The key, such as a class of a stack along "label, threshold".

        Examples
        --------
        >>> m = ConfusionMatrix([[3, 1], [0, 2]])
        >>> list(Stack({("f", 30): m, ("m", 30): m, ("f", 40): m}, axis="sex, age").of("f"))
        [30, 40]
        """
        rest = self.axis.partition(", ")[2]
        crossed = {
            place: name
            for place, name in enumerate(self._names)
            if rest and isinstance(name, tuple)
        }
        places = [place for place, name in crossed.items() if name[0] == key]
        if not places:
            firsts = dict.fromkeys(name[0] for name in crossed.values())
            known = some(firsts) or "none, as there is but one grouping"
            msg = f"`of` takes a key of the first of several groupings, and not {told(key)}; the keys are {known}"
            raise InputError(msg)
        names = [
            name[1] if len(name) == 2 else name[1:] for name in map(crossed.__getitem__, places)
        ]
        if (table := self._array()) is None:
            parts = map(self._at, places)
            return Stack(dict(zip(names, parts, strict=True)), axis=rest)._after(self)
        squares = None if self._squares is None else self._squares[places]
        kept = Descending(np.array(names)) if rest == "threshold" else tuple(names)
        totals = self.total[places]
        part = Stack._of_table(table[places], self.labels, kept, totals, rest, squares)
        return part._after(self)

    def standardize(self, sizes: Mapping[Any, Any] | None = None, *, fpc: bool = False) -> Sample:
        """Return the matrix of the whole, from a sample of each of its strata, which the keys name.

        Each item then represents as many as its stratum has to one that was drawn, and every score
        has the variance of the design: sum W_h^2 (1 - f_h) s_h^2 / n_h over the strata (Cochran,
        Sampling Techniques, 1977, 5.6).

        Parameters
        ----------
        sizes
            The number of items of each stratum, or its share: a mapping, or a stack of all traffic,
            whose totals count. Without it, each item counts once, or in clusters by its weight.
        fpc
            Whether the share f_h of a stratum that was drawn makes its score surer, as it does
            where `sizes` are all items that there are.

        Examples
        --------
        >>> a, b = (ConfusionMatrix([[8, 2], [1, 9]]), ConfusionMatrix([[15, 5], [5, 15]]))
        >>> whole = Stack({"rare": a, "common": b}, axis="stratum").standardize(
        ...     {"rare": 100, "common": 900}
        ... )
        >>> whole.total, whole.diagonal.tolist()
        (1000.0, [377.5, 382.5])
        """
        *groupings, last = self.axis.split(", ")
        clustered = last == "cluster"
        keys = [(key if groupings else (key,))[: -1 if clustered else None] for key in self]
        places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        names = [key[0] if len(key) == 1 else key for key in places]
        parts = [(places[key], m) for key, m in zip(keys, self.values(), strict=True)]
        units = units_of(names, parts, sizes, fpc, clustered)
        return Sample._drawn(self.labels, units, self.dropped)._after(self)

    def _remapped(self, labels: Labels, codes: Array) -> Stack:
        same = type(self).__new__(type(self))
        parts = [self._at(i)._remapped(labels, codes) for i in range(len(self))]
        same._set(self.axis, self._names, labels, parts, self._total, self.ungrouped)
        return same._after(self)

    def __add__(self, other: object) -> Stack:
        """Two stacks along one axis: matrices of the same key are added."""
        if not isinstance(other, Stack):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        if self.axis != other.axis:
            msg = f"stacks along {self.axis!r} and {other.axis!r} do not add"
            raise InputError(msg)
        check_addable(self.axis, self._names, other._names)
        joined = {key: self[key] + other[key] if key in other else self[key] for key in self}
        joined |= {key: other[key] for key in other if key not in joined}
        both = Stack(joined, axis=self.axis, ungrouped=self.ungrouped + other.ungrouped)
        return both._noted(merged(self.notes + other.notes))

    __radd__ = __add__

    # ---- a value ---------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stack):
            return NotImplemented
        if (self.axis, self.labels, tuple(self)) != (other.axis, other.labels, tuple(other)):
            return False
        if (
            self._squares is other._squares is None
            and self._array() is not None
            and other._array() is not None
        ):
            return np.array_equal(self.counts, other.counts)
        return all(self._at(i) == other._at(i) for i in range(len(self)))

    def __hash__(self) -> int:
        # Not the numbers: integers may equal floats, and those would have other bytes.
        return hash((self.axis, tuple(self), self.labels))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuilt, self._state(), self.notes or None)

    def __repr__(self) -> str:
        what = f"{len(self):,} matrices along {self.axis!r}, {len(self.labels):,} labels"
        return f"<Stack of {what}: {some(self._names, 3)}>"

    def __str__(self) -> str:
        listed = self._listed(MOST_SHOWN)
        return "\n".join([*listed.lines(), *listed.notes])

    def table(self) -> Table:
        """Return a table with one row for each matrix: its total, and the share on its diagonal."""
        return self._listed(len(self))

    def _display(self) -> Table:
        return self._listed(MOST_SHOWN)

    def _listed(self, most: int) -> Table:
        """The first matrices; of very many, margins are not put together for that."""
        totals = self.total[:most].astype(np.float64)
        if self._margins is not None or most >= len(self):
            hits = self.diagonal[:most, : self.n_classes].sum(axis=1)
        else:
            hits = np.array(
                [self._at(i).diagonal[: self.n_classes].sum() for i in range(min(most, len(self)))]
            )
        shares = np.divide(hits, totals, out=np.full(len(totals), np.nan), where=totals > 0)
        notes = [f"... {len(self):,} in all"] if len(self) > most else []
        notes += [f"{number(self.dropped)} left out of the matrices"] if self.dropped else []
        columns = (
            *key_columns(self.axis, self._names[:most]),
            Column("total", self.total[:most], number),
            Column("on_diagonal", shares, percent, "on the diagonal"),
        )
        return Table(columns, tuple(notes), shown=(len(self), 0, 0))


# Thresholds that lie beyond all scores.
ENDLESS = {math.inf: "above every score", -math.inf: "below every score"}


def key_text(key: Any) -> str:
    """Return a key on one line; that of several groupings without brackets and quotes, an infinite one in words.

    >>> key_text("f"), key_text(("f", 30)), key_text(-math.inf)
    ('f', 'f, 30', 'below every score')
    """
    return ENDLESS.get(key) or fit(
        ", ".join(map(printable, key)) if isinstance(key, tuple) else printable(key), 30
    )


def key_columns(axis: str, keys: Sequence[Any]) -> list[Column]:
    """Return the keys of a stack as columns: data, one for each grouping, and one that is printed."""
    names = axis.split(", ")
    printed = Column(None, keys, key_text, key_text(axis), is_label=True, is_index=True)
    if len(names) > 1 and all(isinstance(key, tuple) and len(key) == len(names) for key in keys):
        parts = [(name, [key[i] for key in keys]) for i, name in enumerate(names)]
    else:
        parts = [(axis, list(keys))]
    return [
        *(Column(name, part, head=None, is_label=True, is_index=True) for name, part in parts),
        printed,
    ]


_MARGINS = ("diagonal", "actual_totals", "predicted_totals")


def _rebuilt(*state: Any) -> Stack:
    stack = Stack.__new__(Stack)
    stack._set(*state)
    return stack

"""ConfusionMatrix: labels and counts, the immutable value that everything else reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.core import building
from confmat.core.building import Pairs, as_names, check_numbers, number_array
from confmat.core.cells import Cells
from confmat.core.counts import FEW_CLASSES, Counts, frozen
from confmat.core.errors import Argument, CallError, InputError, LabelError, Message
from confmat.core.labels import Labels, numbered
from confmat.core.naming import check_outside
from confmat.core.notes import Noted, from_data, merged, to_data
from confmat.core.options import OTHER_SIDE, Normalize, Side, axis_named, door, one_of, told
from confmat.core.seals import check_seal
from confmat.core.tables import Column, Table, Tabular
from confmat.core.text import one_line, repeated, some
from confmat.core.values import Immutable, Scored

if TYPE_CHECKING:
    from typing import Self

Array = NDArray[Any]


def _core(module: str) -> Any:
    """A module of the core that a count does not load: how a matrix is printed, or read from a frame."""
    return import_module(f"confmat.core.{module}")


class ConfusionMatrix(Scored, Noted, Tabular, Immutable):
    """How often each actual class was predicted as each class: rows are actual, columns are predicted.

    Counts are integers, or floats when weighted. The value never changes; every method gives a new
    one.

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
    >>> m.total, m.diagonal, m.actual_totals, m.predicted_totals
    (25, array([4, 2, 6]), array([ 6, 10,  9]), array([13,  3,  9]))
    """

    __slots__ = ("_counts", "_readings", "_squares", "dropped", "labels", "notes", "provenance")

    labels: Labels
    dropped: int | float
    _counts: Counts
    _squares: Counts | None
    # Readings of a small matrix, kept for the next metric.
    _readings: dict[Any, Any]

    @door
    def __init__(
        self,
        counts: Any,
        labels: Iterable[Any] | None = None,
        *,
        positive: Any = None,
        outside: Iterable[str] = (),
    ) -> None:
        """Take a ready square table of counts; without labels the classes are 0 .. K-1.

        `positive` names the positive class of a binary problem. `outside` names the last rows and
        columns that are no classes, such as "background" or "(abstained)"; they belong to nobody's
        average.
        """
        stored = building.read_counts(counts)
        outside = check_outside(outside)
        if labels is None and stored is getattr(counts, "_counts", None):
            labels = counts.labels
        if labels is None and positive is None and not outside and stored.size <= FEW_CLASSES:
            self._set(numbered(stored.size), stored, None, 0)
            return
        names = building.labels_of_table(stored.size, labels, positive, outside)
        if len(names) != stored.size:
            msg = f"the table has {stored.size} rows and columns but there are {len(names)} labels: {some(names)}"
            raise LabelError(msg)
        self._set(names, stored, None, 0)

    @classmethod
    def _of(
        cls, labels: Labels, counts: Counts, squares: Counts | None = None, dropped: int | float = 0
    ) -> Self:
        """A matrix from parts already known to fit together."""
        self = cls.__new__(cls)
        self._set(labels, counts, squares, dropped)
        return self

    def _set(
        self, labels: Labels, counts: Counts, squares: Counts | None, dropped: int | float
    ) -> None:
        if not math.isfinite(counts.total):
            msg = "the counts add up to more than a float holds; scale them down"
            raise InputError(msg)
        if squares is not None and not math.isfinite(squares.total):
            # Weights of 1e200 are fine; their squares are beyond all floats, hence unknown.
            squares = None
        put = object.__setattr__
        put(self, "labels", labels)
        put(self, "_counts", counts)
        put(self, "_squares", squares)
        put(self, "dropped", dropped)
        put(self, "notes", ())
        put(self, "provenance", None)
        put(self, "_readings", {})

    # ---- other ways to make one ------------------------------------------------------------------

    @classmethod
    def from_predicted_rows(
        cls, counts: Any, labels: Iterable[Any] | None = None, **options: Any
    ) -> Self:
        """Return the matrix of a table whose rows are *predicted* classes and whose columns are actual ones.

        Parameters
        ----------
        counts
            A square table of counts, predicted classes in rows.
        labels
            The classes in order; without them 0 .. K-1.
        **options
            `positive` and `outside`, as in `ConfusionMatrix`.

        Examples
        --------
        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_predicted_rows([[50, 25], [0, 25]], ["X", "Not X"]).counts
        array([[50,  0],
               [25, 25]])
        """
        return cls(counts, labels, **options).T

    @classmethod
    @door
    def from_cells(
        cls,
        *,
        tp: float,
        fp: float,
        fn: float,
        tn: float,
        labels: Iterable[Any] = ("positive", "negative"),
    ) -> Self:
        """Return the 2x2 matrix of one class against the rest.

        Parameters
        ----------
        tp, fp, fn, tn
            How many pairs fell into each of the four cells.
        labels
            The two classes, the positive one first.

        Examples
        --------
        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_cells(tp=1, fp=1, fn=2, tn=1, labels=["cat", "no cat"]).counts
        array([[1, 2],
               [1, 1]])
        """
        names = as_names(labels)
        if len(names) != 2:
            msg = Message(
                "{labels} of a 2x2 matrix are two, the positive class first, not {}", some(names)
            )
            raise LabelError(msg)
        for name, value in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn)):
            if np.ndim(check_numbers(number_array(value), name)):
                msg = Message("{} must be one number, not {}", Argument(name), told(value))
                raise InputError(msg)
        return cls([[tp, fn], [fp, tn]], names, positive=names[0])

    @classmethod
    def from_pairs(
        cls,
        pairs: Any,
        labels: Iterable[Any] | None = None,
        *,
        positive: Any = None,
        outside: Iterable[str] = (),
    ) -> Self:
        """Return the matrix of counted pairs.

        Parameters
        ----------
        pairs
            A mapping of (actual, predicted) to count; pairs that are not named count 0.
        labels
            The classes in order; without them, those that are found.
        positive
            The positive class of a binary problem.
        outside
            Names of labels that are no classes.

        Examples
        --------
        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_pairs({("a", "b"): 3, ("b", "b"): 1}).counts
        array([[0, 3],
               [0, 1]])
        """
        return cls._of(*building.read_pairs(pairs, labels, positive, outside))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        labels: Iterable[Any] | None = None,
        *,
        rows: Literal["actual", "predicted"] = "actual",
        positive: Any = None,
        outside: Iterable[str] = (),
    ) -> Self:
        """Return the matrix of a labelled cross table.

        The axes may list different classes: what one lacks counts 0, and so does a row or column
        that is missing throughout. Frames without an index (Polars, PyArrow) hold the row labels in
        their first column. Totals and rates are refused.

        Parameters
        ----------
        frame
            The cross table, such as `pandas.crosstab(actual, predicted)`.
        labels
            The classes in order; without them, those that are found.
        rows
            Whether the index holds the "actual" or the "predicted" classes.
        positive
            The positive class of a binary problem.
        outside
            Names of labels that are no classes.
        """
        one_of("rows", rows, ("actual", "predicted"))
        matrix = cls._of(*_core("frames").read_frame(frame, rows, labels, positive, outside))
        return matrix.T if rows == "predicted" else matrix

    @classmethod
    def from_rates(
        cls,
        rows: Any,
        totals: Iterable[int],
        labels: Iterable[Any] | None = None,
        *,
        decimals: int | None = None,
        percent: bool = False,
        positive: Any = None,
        outside: Iterable[str] = (),
    ) -> Self:
        """Return the integer counts behind a row-normalised table, if its digits determine them.

        Parameters
        ----------
        rows
            The rates, a row for each actual class; text such as "0.50" keeps its printed digits.
        totals
            The number of items of each actual class.
        labels
            The classes in order; without them the names in a data frame, or 0 .. K-1.
        decimals
            The digits of rates given as floats; without it those of the longest one.
        percent
            Whether the rates are per cents.
        positive
            The positive class of a binary problem.
        outside
            Names of the last rows and columns that are no classes.

        Raises
        ------
        InputError
            If no counts, or several, have these rates.

        Examples
        --------
        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_rates([[0.67, 0.33], [0.25, 0.75]], totals=[6, 8]).counts
        array([[4, 2],
               [2, 6]])
        """
        wanted = None if labels is None else [*as_names(labels), *check_outside(outside)]
        if hasattr(rows, "columns"):
            rows, wanted = _core("frames").rates_frame(rows, wanted)
        counts = _core("frames").read_rates(rows, totals, decimals, percent, wanted)
        labels = wanted if labels is None else labels
        return cls(counts, labels, positive=positive, outside=outside)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the matrix that `to_dict` wrote.

        Parameters
        ----------
        data
            The mapping that `to_dict` returned.
        """
        found = cls._of(*building.from_dict(data))._noted(from_data(data.get("notes", ())))
        check_seal(data, found.total)
        return found._counted_in(data["provenance"]) if data.get("provenance") else found

    # ---- what it holds ---------------------------------------------------------------------------

    @property
    def counts(self) -> Array:
        """The table as a read-only array; of a sparse matrix beyond the budget, an error that names `pairs()`."""
        return self._counts.table()

    @property
    def squares(self) -> Array | None:
        """Sum of squared weights per cell when weights were given, else None."""
        return None if self._squares is None else self._squares.table()

    @property
    def diagonal(self) -> Array:
        """Items of each class that were predicted as it."""
        return self._counts.margins()[0]

    @property
    def actual_totals(self) -> Array:
        """Items of each actual class: the row sums."""
        return self._counts.margins()[1]

    @property
    def predicted_totals(self) -> Array:
        """Items predicted as each class: the column sums."""
        return self._counts.margins()[2]

    @property
    def total(self) -> int | float:
        """The sum of all counts, exact for integers."""
        return self._counts.total

    @property
    def n_classes(self) -> int:
        """How many classes there are, labels outside the classes not counted."""
        return self.labels.n_classes

    @property
    def positive(self) -> Any:
        """The positive class of a binary problem: as given, or True of False and True, or 1 of 0 and 1 or -1 and 1.

        Labels of CSV are text, and "1" of "0" and "1" is positive as the number is.
        """
        return building.positive_of(self.labels)

    @property
    def is_weighted(self) -> bool:
        """Whether the counts are floats."""
        return self._counts.dtype.kind == "f"

    @property
    def is_sparse(self) -> bool:
        """Whether only the non-zero cells are stored."""
        return self._counts.is_sparse

    @property
    def shape(self) -> tuple[int, int]:
        """(K, K), outside labels included."""
        return (self._counts.size, self._counts.size)

    @property
    def cells(self) -> Cells:
        """tp, fp, fn and tn of every class against the rest, outside labels left out.

        A class answered by an outside label is a false negative of that class, an outside row
        answered by a class a false positive of it, and outside answered by outside is not counted
        at all.
        """
        diagonal, actual, predicted = self._counts.margins()
        k, total = self.n_classes, self.total
        if self.labels.outside:
            total = total - self._outside_total()
            diagonal, actual, predicted = diagonal[:k], actual[:k], predicted[:k]
        if self.is_weighted:
            fp, fn = (side[:k] for side in self._counts.errors())
            tn = self._counts.true_negatives(k, float(total), (total - actual) - fp)
            return Cells(diagonal, fp, fn, tn)
        return Cells.of_margins(diagonal, actual, predicted, self._counts.dtype.type(total))

    def _outside_total(self) -> int | float:
        if not self.labels.outside:
            return 0
        rows, cols, values = self._counts.cells()
        both = (rows >= self.n_classes) & (cols >= self.n_classes)
        return values[both].sum().item()

    def pairs(self) -> Pairs:
        """The cells that are not zero, as a mapping of (actual, predicted) to count."""
        return Pairs(self.labels, *self._counts.cells())

    def __getitem__(self, pair: tuple[Any, Any]) -> int | float:
        """How often one class was answered by another: `m["cat", "dog"]` counts cats that were taken for dogs.

        >>> ConfusionMatrix([[4, 1], [2, 3]], ["cat", "dog"])["cat", "dog"]
        1
        """
        if not isinstance(pair, tuple) or len(pair) != 2:
            msg = (
                f"a cell is m[actual, predicted], not m[{pair!r}]; m.select(labels) takes several "
                "classes, and "
                "list(m.labels), m.pairs() and m.counts.tolist() are the classes, the cells and "
                "the rows"
            )
            raise CallError(msg)
        row, col = (self.labels.index(label) for label in pair)
        if not self.is_sparse:
            count: int | float = self.counts[row, col].item()
            return count
        return self.pairs().get((self.labels[row], self.labels[col]), 0)

    # Neither classes nor cells: `labels` and `pairs()` are what is iterated. Without an `__iter__`,
    # Python asks for m[0], which says so, and pandas takes a matrix for one value.
    __contains__ = None

    def one_vs_rest(self, label: Any) -> ConfusionMatrix:
        """Return the 2x2 matrix of one class against all others, with `tp`, `fp`, `fn` and `tn`.

        Parameters
        ----------
        label
            The class that becomes the positive one.

        Examples
        --------
        >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
        >>> cat = m.one_vs_rest("Cat")
        >>> cat.tp, cat.fp, cat.fn, cat.tn
        (4, 9, 2, 10)
        """
        position = self._class(label)
        name = self.labels[position]
        text = name if isinstance(name, str) else repr(name)
        codes = np.where(np.arange(len(self.labels)) == position, 0, 1)
        parts = [
            None if part is None else part.within(self.n_classes)
            for part in (self._counts, self._squares)
        ]
        counts, squares = (None if part is None else part.remapped(codes, 2) for part in parts)
        assert counts is not None
        labels = Labels([text, f"not {text}"], positive=text)
        dropped = self.dropped + (self._outside_total() if self.labels.outside else 0)
        return ConfusionMatrix._of(labels, counts, squares, dropped)._after(self)

    def _class(self, label: Any) -> int:
        position = self.labels.index(label)
        if position >= self.n_classes:
            msg = f"{label!r} stands outside the classes, so it has no cells of its own"
            raise LabelError(msg)
        return position

    def _binary(self, which: Literal["tp", "fp", "fn", "tn"]) -> int | float:
        if self.positive is None or self.n_classes != 2:
            msg = (
                f"`{which}` alone needs a positive class, and this matrix of {self.n_classes} "
                "classes has none; "
                f"ask `m.cells.{which}` for every class or `m.one_vs_rest(label).{which}` for one"
            )
            raise LabelError(msg)
        return getattr(self.cells, which)[self._class(self.positive)].item()

    @property
    def tp(self) -> int | float:
        """True positives of a binary matrix."""
        return self._binary("tp")

    @property
    def fp(self) -> int | float:
        """False positives of a binary matrix."""
        return self._binary("fp")

    @property
    def fn(self) -> int | float:
        """False negatives of a binary matrix."""
        return self._binary("fn")

    @property
    def tn(self) -> int | float:
        """True negatives of a binary matrix."""
        return self._binary("tn")

    # ---- new matrices ----------------------------------------------------------------------------

    def __add__(self, other: object) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            # sum() starts from 0.
            return self if isinstance(other, int) and other == 0 else NotImplemented
        labels = self.labels.union(other.labels)
        mine, theirs = self._recoded(labels), other._recoded(labels)
        squares = None
        if mine._squares is not None or theirs._squares is not None:
            first, second = mine._known_squares(), theirs._known_squares()
            squares = None if first is None or second is None else first.plus(second)
        both = ConfusionMatrix._of(
            labels, mine._counts.plus(theirs._counts), squares, self.dropped + other.dropped
        )
        return both._noted(merged(self.notes + other.notes))

    __radd__ = __add__

    def _known_squares(self) -> Counts | None:
        """Sums of squared weights: an unweighted pair has weight 1; of a ready float table they are unknown."""
        return self._squares or (None if self.is_weighted else self._counts)

    def _recoded(self, labels: Labels) -> ConfusionMatrix:
        if labels == self.labels:
            return self
        return self._remapped(labels, building.positions(self.labels, labels))

    def _remapped(self, labels: Labels, codes: Array, dropped: int | float = 0) -> ConfusionMatrix:
        squares = None if self._squares is None else self._squares.remapped(codes, len(labels))
        moved = ConfusionMatrix._of(
            labels, self._counts.remapped(codes, len(labels)), squares, self.dropped + dropped
        )
        return moved._after(self)

    @property
    def T(self) -> Self:  # noqa: N802 - the name NumPy made familiar
        """The transpose: what was predicted becomes actual, and the other way round."""
        squares = None if self._squares is None else self._squares.transposed()
        return (
            type(self)
            ._of(self.labels, self._counts.transposed(), squares, self.dropped)
            ._after(self)
        )

    def select(self, labels: Iterable[Any]) -> ConfusionMatrix:
        """Return the matrix of some labels; items of the others are left out and counted in `dropped`.

        Parameters
        ----------
        labels
            The labels to keep, in their new order.

        Examples
        --------
        >>> ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"]).select(
        ...     ["Hen", "Cat"]
        ... ).counts
        array([[6, 3],
               [1, 4]])
        """
        chosen, codes = building.chosen(self.labels, labels)
        return self._remapped(chosen, codes, self._counts.left_out(codes))

    def reorder(self, labels: Iterable[Any]) -> ConfusionMatrix:
        """Return the same matrix with its classes in another order.

        Parameters
        ----------
        labels
            Every class once, in the new order.
        """
        names = building.as_names(labels)
        chosen, codes = building.chosen(
            self.labels, [*names, *(x for x in self.labels.outside if x not in names)]
        )
        if len(chosen) < len(self.labels):
            missing = [name for name, code in zip(self.labels, codes, strict=True) if code < 0]
            msg = f"`reorder` needs every class once, and {some(missing)} are missing; `select` takes a part"
            raise LabelError(msg)
        return self._remapped(chosen, codes)

    def relabel(self, names: Mapping[Any, Any] | Iterable[Any]) -> ConfusionMatrix:
        """Return the same counts under other names.

        Parameters
        ----------
        names
            A mapping of old names to new ones, or all new names in order.
        """
        new = building.renamed(self.labels, names)
        return ConfusionMatrix._of(new, self._counts, self._squares, self.dropped)._after(self)

    def merge(self, groups: Mapping[Any, Iterable[Any]]) -> ConfusionMatrix:
        """Return the matrix with classes joined into groups, each at the place of its first member.

        Parameters
        ----------
        groups
            A mapping of the name of each group to its classes; other classes stay as they are.

        Examples
        --------
        >>> ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"]).merge(
        ...     {"pet": ["Cat", "Hen"]}
        ... ).counts
        array([[14,  1],
               [ 8,  2]])
        """
        return self._remapped(*building.merged(self.labels, groups))

    def normalize(self, by: Normalize = "actual") -> Array:
        """Return rates as a read-only array.

        Parameters
        ----------
        by
            Whether each row ("actual"), each column ("predicted") or the whole table ("all") sums
            to 1; "true" and "pred", as scikit-learn says, or "row" and "column" mean the same as
            the first two.

        Returns
        -------
        ndarray
            The rates; NaN in a row, column or table without items.
        """
        totals = {
            "actual": self.actual_totals[:, None],
            "predicted": self.predicted_totals,
            "all": self.total,
        }
        with np.errstate(invalid="ignore"):
            return frozen(
                self.counts.astype(np.float64)
                / np.asarray(totals[axis_named("by", by)], np.float64)
            )

    def sparse(self) -> ConfusionMatrix:
        """The same matrix, stored as its non-zero cells."""
        return self._stored(sparse=True)

    def dense(self) -> ConfusionMatrix:
        """The same matrix, stored as a whole table, if that fits the budget."""
        self._counts.table()
        return self._stored(sparse=False)

    def _stored(self, *, sparse: bool) -> ConfusionMatrix:
        squares = None if self._squares is None else self._squares.stored(sparse)
        return ConfusionMatrix._of(
            self.labels, self._counts.stored(sparse), squares, self.dropped
        )._after(self)

    # ---- a value ---------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return self is other or (self.labels == other.labels and self._counts.equals(other._counts))

    def __hash__(self) -> int:
        return hash((self.labels, self._counts.fingerprint()))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        stored = [
            None if c is None else (c.size, *c.parts()) for c in (self._counts, self._squares)
        ]
        return (_rebuilt, (self.labels, *stored, self.dropped), self.notes or None)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.counts, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return self._counts.size

    def __repr__(self) -> str:
        return str(_core("printing").brief(self))

    def __str__(self) -> str:
        return str(_core("printing").as_table(self))

    def table(self, form: Literal["square", "long"] = "square", *, rows: Side = "actual") -> Table:
        r"""Return the counts as a table.

        Parameters
        ----------
        form
            "square" for rows actual and columns predicted; "long" for a row for each pair that
            occurs, with the sums of squared weights, and a row for each class without pairs.
        rows
            "predicted" for a square table with predicted classes in rows and actual ones in
            columns, as `from_predicted_rows` and `read_printed` read it.

        Raises
        ------
        InputError
            If two labels, which are objects, are written alike.
        BudgetError
            If the matrix is sparse and too large for a square table.

        Examples
        --------
        >>> m = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"])
        >>> print(m.to_csv(), end="")
        actual\predicted,no,yes
        no,3,1
        yes,0,2
        >>> print(m.table("long").to_csv(), end="")
        actual,predicted,count
        no,no,3
        no,yes,1
        yes,yes,2
        """
        one_of("form", form, ("square", "long"))
        one_of("rows", rows, Side)
        names = [one_line(label) for label in self.labels]
        if len(set(names)) < len(names):
            msg = f"two labels would both be written as {repeated(names)[0]!r:.60}; to_json keeps them apart"
            raise InputError(msg)
        if form == "long":
            if rows != "actual":
                msg = "a long table has both classes in columns of their own; `rows` is for a square one"
                raise InputError(msg)
            table: Table = _core("printing").long_table(self)
            return table
        counts = self.counts if rows == "actual" else self.counts.T
        columns = [Column(rows, list(self.labels), one_line, is_label=True, is_index=True)]
        columns += [
            Column(label, counts[:, j], repr, head=name)
            for j, (label, name) in enumerate(zip(self.labels, names, strict=True))
        ]
        return Table(tuple(columns), over=OTHER_SIDE[rows])

    def _repr_html_(self) -> str | None:
        try:
            return Scored._view(self)
        except Exception:  # noqa: BLE001 - showing must never fail
            return None

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON, that `from_dict` reads back without loss."""
        data = building.to_dict(self.labels, self._counts, self._squares, self.dropped)
        data |= {"notes": to_data(self.notes)} if self.notes else {}
        return data | {"provenance": self.provenance} if self.provenance else data


def _rebuilt(labels: Labels, counts: Any, squares: Any, dropped: int | float) -> ConfusionMatrix:
    made = [None if part is None else Counts(*part) for part in (counts, squares)]
    assert made[0] is not None
    return ConfusionMatrix._of(labels, made[0], made[1], dropped)

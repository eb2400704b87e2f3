"""The other ways to make a matrix: transposed tables, cells, pairs, frames, rates, stored data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from confmat import _building, _rates, _storing
from confmat.errors import InputError, LabelError
from confmat.text import some

if TYPE_CHECKING:
    from typing import Self

    from confmat._counts import Counts
    from confmat.labels import Labels

__all__ = ["Sources"]


class Sources:
    """The constructors of ConfusionMatrix that start with `from_`."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, counts: Any, labels: Any = None, *, positive: Any = None, outside: Any = ()) -> None: ...

        @classmethod
        def _of(
            cls, labels: Labels, counts: Counts, squares: Counts | None = None, dropped: int | float = 0
        ) -> Self: ...

        @property
        def T(self) -> Self: ...  # noqa: N802

    @classmethod
    def from_predicted_rows(cls, counts: Any, labels: Iterable[Any] | None = None, **options: Any) -> Self:
        """Take a table whose rows are *predicted* classes and whose columns are actual ones; it is transposed.

        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_predicted_rows([[50, 25], [0, 25]], ["X", "Not X"]).counts
        array([[50,  0],
               [25, 25]])
        """
        return cls(counts, labels, **options).T

    @classmethod
    def from_cells(
        cls, *, tp: float, fp: float, fn: float, tn: float, labels: Sequence[Any] = ("positive", "negative")
    ) -> Self:
        """The 2x2 matrix of one class against the rest; the first label is the positive class.

        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_cells(tp=1, fp=1, fn=2, tn=1, labels=["cat", "no cat"]).counts
        array([[1, 2],
               [1, 1]])
        """
        if len(labels) != 2:
            msg = f"`labels` of a 2x2 matrix are two, the positive class first, not {some(labels)}"
            raise LabelError(msg)
        return cls([[tp, fn], [fp, tn]], labels, positive=labels[0])

    @classmethod
    def from_pairs(
        cls, pairs: Any, labels: Iterable[Any] | None = None, *, positive: Any = None, outside: Iterable[str] = ()
    ) -> Self:
        """From a mapping of (actual, predicted) to count; pairs that are not named count 0.

        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_pairs({("a", "b"): 3, ("b", "b"): 1}).counts
        array([[0, 3],
               [0, 1]])
        """
        return cls._of(*_building.read_pairs(pairs, labels, positive, outside))

    @classmethod
    def from_frame(cls, frame: Any, *, rows: Literal["actual", "predicted"] = "actual") -> Self:
        """From a labelled cross table such as `pandas.crosstab(actual, predicted)`; `rows` says what its index is.

        The axes may list different classes: what one lacks counts 0. Frames without an index (Polars, PyArrow)
        hold the row labels in their first column.
        """
        if rows not in {"actual", "predicted"}:
            msg = f"`rows` must be 'actual' or 'predicted', not {rows!r}"
            raise InputError(msg)
        matrix = cls._of(*_building.read_frame(frame, rows))
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
    ) -> Self:
        """The integer counts behind a row-normalised table, if its digits determine them; otherwise an error.

        `totals` are the numbers of items per actual class. Rates given as text keep their printed digits
        ("0.50"); for floats the digits are those of the longest one, or `decimals`.

        >>> from confmat import ConfusionMatrix
        >>> ConfusionMatrix.from_rates([[0.67, 0.33], [0.25, 0.75]], totals=[6, 8]).counts
        array([[4, 2],
               [2, 6]])
        """
        return cls(_rates.read_rates(rows, list(totals), decimals, percent), labels)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        return cls._of(*_storing.from_dict(data))

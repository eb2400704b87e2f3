"""MatrixView: a matrix made ready to draw, with texts, shades and roles of its cells; and `view`, which makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from confmat.core.counts import frozen
from confmat.core.errors import InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import (
    MAKES_ONE,
    Axis,
    Normalize,
    Side,
    axis_named,
    door,
    flag,
    is_integer,
    one_of,
    told,
)
from confmat.core.printing import DARKEST_ERROR, FAINTEST, heat_html, least_top, shaded
from confmat.core.stack import Stack
from confmat.core.tables import BLUE, GRAY, ORANGE, PURPLE, Column, Table, Tabular, tint
from confmat.core.text import number, printable
from confmat.display.layout import Grouping, Layout, Method, lay_out, united
from confmat.display.roles import OBSERVED, WRONG, Role, roles_of, tops_of, with_empty
from confmat.display.shading import LOUD
from confmat.display.summary import comparison_of, of_one, of_several
from confmat.structure.evidence import evidence, rejects


@runtime_checkable
class Priced(Protocol):
    """A matrix and the prices of its cells: a report on costs."""

    @property
    def matrix(self) -> ConfusionMatrix:
        """The counts."""

    @property
    def prices(self) -> Array:
        """The price of an item in each cell."""


DASH, MINUS = "–", "\N{MINUS SIGN}"

_MEANINGS = {
    Role.HIT: "predicted as what it is",
    Role.ERROR: "predicted as something else",
    Role.OUTSIDE: "outside the classes",
    Role.NEUTRAL: "outside on both sides",
    Role.FOLDED: "folded classes among themselves",
    Role.EMPTY: "no items to take a share of",
    Role.OPEN: "not shown to be more than chance",
    Role.TP: "true positives",
    Role.FP: "false positives",
    Role.FN: "false negatives",
    Role.TN: "true negatives",
}


def heading(title: Any) -> str:
    """A title as text, whatever it was given as: the number of an epoch, the key of a stack."""
    return "" if title is None else title if isinstance(title, str) else printable(title)


def amount(view: MatrixView, value: int | float) -> str:
    """A count, or four digits of a weight; of a difference with its sign."""
    text = number(abs(value)) if value == int(value) else f"{abs(value):,.4g}"
    return _signed(text, value) if view.is_difference else text


def _share(view: MatrixView, value: float) -> str:
    """A share as a per cent or a fraction; what is exactly nothing or all has no decimals, unlike what is rounded."""
    if value != value:
        return DASH
    size = abs(value) if view.shown == "share" else 100 * abs(value)
    text = f"{size:.0f}" if abs(value) in {0.0, 1.0} else f"{size:.{view.digits}f}"
    if view.is_difference:
        return _signed(text, value)
    return text if view.shown == "share" or not value else text + "%"


def _signed(text: str, value: float) -> str:
    return text if not value else ("+" if value > 0 else MINUS) + text


Array = NDArray[Any]
Values = Literal["auto", "counts", "percent", "share", "both", "none"]
Shares: TypeAlias = "Normalize | Literal['auto'] | None"
Scale: TypeAlias = "float | ConfusionMatrix | MatrixView | Literal['one']"
# By default a per cent has a decimal up to this many labels, and where no error is a larger share
# than this.
FEW_LABELS, SMALL_ERROR = 10, 0.05
# So much of its shade has a difference that may be nothing.
FAINT = 0.18
# So much of the hue of errors have those in a notebook that are not shown to be any.
QUIET = 0.17
# Backgrounds of cells in a notebook; grey for every other role.
_COLORS = {
    Role.HIT: BLUE, Role.ERROR: ORANGE, Role.OUTSIDE: ORANGE, Role.TP: BLUE, Role.FP: ORANGE, Role.FN: PURPLE,
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class MatrixView(Tabular):
    """A matrix made ready to draw: `view` makes it, and nothing in it changes.

    Rows are actual and columns are predicted, unless `row_axis` and `column_axis` say otherwise.
    `labels` are the classes in the order of drawing, `names` the same as safe texts; `counts` and
    `shares` hold one number per cell, and `values` says which of them is shaded. `roles` holds one
    `Role` per cell. In a difference (`is_difference`), all numbers are differences.

    >>> m = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
    >>> v = view(m, normalize="actual")
    >>> v.names, v.texts[0], v.role(0, 1)
    (('Cat', 'Fish', 'Hen'), ('66.7%', '16.7%', '16.7%'), 'error')
    >>> v.numbers
    'per cent of each actual class'
    """

    labels: tuple[Any, ...]
    names: tuple[str, ...]
    counts: Array
    shares: Array
    roles: NDArray[np.uint8]
    # Row sums, column sums and the total, in the unit of the counts, and the shares of the total.
    row_totals: Array
    column_totals: Array
    total: int | float
    normalize: Axis | None = None
    # The text of a cell: one of "counts", "percent", "share", "both", "none".
    shown: Values = "counts"
    # Whether "auto" asked, so that a drawing may leave out texts that do not fit.
    is_automatic: bool = True
    digits: int = 1
    margins: bool = True
    of: Any = None
    is_difference: bool = False
    # The largest value of each scale; a shade is the root of the share of it.
    tops: Mapping[Role, float] = field(default_factory=lambda: MappingProxyType({}))
    # Runs of classes that belong together: name, first row, row behind the last.
    blocks: tuple[tuple[str, int, int], ...] = ()
    title: str = ""
    row_axis: str = "actual"
    column_axis: str = "predicted"
    notes: tuple[str, ...] = ()
    # The numbers in words, where costs are in the place of counts.
    unit: str = ""
    # Cells that are shown to hold, the foremost first: confusions, in a difference changes.
    held: tuple[tuple[int, int], ...] = ()
    # Whether it was tested which errors are more than the others explain.
    is_tested: bool = False
    # The summary of the matrix, sentence by sentence.
    said: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"<MatrixView of {len(self):,} labels: {self.numbers}>"

    __str__ = __repr__

    @property
    def turned(self) -> MatrixView:
        """The same with the other side in rows."""
        return replace(
            self,
            counts=self.counts.T,
            shares=self.shares.T,
            roles=self.roles.T,
            held=tuple((column, row) for row, column in self.held),
            row_totals=self.column_totals,
            column_totals=self.row_totals,
            row_axis=self.column_axis,
            column_axis=self.row_axis,
        )

    @property
    def values(self) -> Array:
        """The numbers that are shaded: shares when normalised, else counts."""
        return self.counts if self.normalize is None else self.shares

    @cached_property
    def shades(self) -> Array:
        """How dark each cell is: 0 to 1 on the scale of its role, NaN where nothing is.

        Errors that are shown to be more than the others explain begin at `LOUD`, and others are
        pale. In a difference 1 is better, more hits or fewer errors, and -1 is worse.
        """
        tops = np.ones(len(Role))
        for role, top in self.tops.items():
            tops[role] = top or 1.0
        shades = shaded(self.values.astype(np.float64), tops[self.roles])
        if self.is_difference:
            shades = np.where(np.isin(self.roles, (Role.HIT, Role.TP, Role.TN)), shades, -shades)
            shades = np.where(self.roles == Role.OPEN, FAINT * np.abs(shades), shades)
        elif self.is_tested:
            held = tuple(np.array(self.held, dtype=np.int64).reshape(-1, 2).T)
            shades[held] = self.loud(shades[held])
            shades = np.where(self.roles == Role.OPEN, FAINTEST, shades)
        return frozen(shades)

    def loud(self, shades: Array) -> Array:
        """Return the shades of errors that are shown to hold, which begin at `LOUD`.

        Parameters
        ----------
        shades
            Shades from 0 to 1.
        """
        return LOUD + (1 - LOUD) * shades if self.is_tested else shades

    @cached_property
    def texts(self) -> tuple[tuple[str, ...], ...]:
        """Text of each cell; "both" puts the count and the per cent on two lines."""
        size = range(len(self))
        return tuple(tuple(self.text(row, column) for column in size) for row in size)

    def text(self, row: int, column: int) -> str:
        """Return the text of one cell.

        Parameters
        ----------
        row, column
            The position of the cell, as drawn.
        """
        if self.shown == "none":
            return ""
        count, share = self.counts[row, column].item(), float(self.shares[row, column])
        if self.shown == "both" and (share != share or count == share == 0):
            # A second line would say the same once more.
            return _share(self, share)
        lines = []
        if self.shown in {"counts", "both"}:
            lines.append(amount(self, count))
        if self.shown != "counts":
            lines.append(_share(self, share))
        return "\n".join(lines)

    def role(self, row: int, column: int) -> str:
        """Return the role of one cell, as a word.

        Parameters
        ----------
        row, column
            The position of the cell, as drawn.

        Returns
        -------
        str
            "hit", "error", "outside", "neutral", "folded", "empty", "open", "tp", ...: a name of
            `Role` in lower case.
        """
        return Role(int(self.roles[row, column])).name.lower()

    def mark(self, row: int, column: int) -> str:
        """Return "TP", "FP", "FN" or "TN" for a cell, where one class is observed, and "" otherwise.

        Parameters
        ----------
        row, column
            The position of the cell, as drawn.
        """
        return self.role(row, column).upper() if self.roles[row, column] in OBSERVED else ""

    @property
    def row_texts(self) -> tuple[str, ...]:
        """The row totals."""
        return tuple(amount(self, total) for total in self.row_totals.tolist())

    @property
    def column_texts(self) -> tuple[str, ...]:
        """The column totals."""
        return tuple(amount(self, total) for total in self.column_totals.tolist())

    @property
    def total_text(self) -> str:
        """The total."""
        return amount(self, self.total)

    @cached_property
    def row_shares(self) -> Array:
        """The part of the total in each row, of actual classes the support; NaN in a difference."""
        if self.is_difference or not self.total:
            return frozen(np.full(len(self), np.nan))
        return frozen(self.row_totals.astype(np.float64) / float(self.total))

    @property
    def numbers(self) -> str:
        """Describe the numbers in words."""
        if self.unit:
            return self.unit
        weighs = self.counts.dtype.kind == "f" and not self.is_difference
        counts = "weights" if weighs else "counts"
        cents = "percentage points" if self.is_difference else "per cent"
        texts = {
            "counts": counts,
            "percent": f"{cents} of {self._whole}",
            "share": f"shares of {self._whole}",
            "both": f"{counts}, and {cents} of {self._whole}",
            "none": counts if self.normalize is None else f"shares of {self._whole}",
        }
        text = texts[self.shown]
        return f"difference in {text}" if self.is_difference else text

    @property
    def _whole(self) -> str:
        return {"actual": "each actual class", "predicted": "each predicted class"}.get(
            str(self.normalize), "all"
        )

    @property
    def shading(self) -> tuple[str, ...]:
        """Describe the shades, as far as the numbers do not: of what they are shares, and what is pale."""
        told = []
        if self.shown == "counts" and self.normalize is not None:
            told.append(f"shaded by share of {self._whole}")
        if not self.is_difference and (self.roles == Role.OPEN).any():
            told.append("pale: not beyond chance")
        return tuple(told)

    @property
    def legend(self) -> tuple[tuple[Role, str], ...]:
        """The roles that occur, and what each means; for an observed class with their sums."""
        meanings = {role: _MEANINGS[role] for role in map(Role, np.unique(self.roles).tolist())}
        for role in meanings.keys() & OBSERVED:
            meanings[role] += f": {amount(self, self.counts[self.roles == role].sum().item())}"
        return tuple(meanings.items())

    @property
    def caption(self) -> str:
        """Everything to say below the drawing, in one line."""
        return "; ".join([self.numbers, *self.shading, *self.notes])

    @property
    def alt(self) -> str:
        """The drawing in words, for readers who do not see it: its size, and what it is shown to hold."""
        kind = "Difference of two confusion matrices" if self.is_difference else "Confusion matrix"
        title = f"{self.title}. " if self.title else ""
        remarks = "".join(f" {sentence}" for sentence in self.said)
        return f"{title}{kind} of {len(self)} labels, {self.numbers}; total {self.total_text}.{remarks}"

    def table(self) -> Table:
        """Return the numbers as a table: counts where these are written, else what is shaded."""
        names = Column(self.row_axis, list(self.labels), printable, is_label=True, is_index=True)
        values = self.counts if self.shown == "counts" else self.values
        numbers = (
            Column(label, values[:, j], head=name)
            for j, (label, name) in enumerate(zip(self.labels, self.names, strict=True))
        )
        return Table((names, *numbers), (self.caption,), self.title, over=self.column_axis)

    def cells_html(self, notes: Sequence[str]) -> str:
        """Return the cells as HTML, with notes below them.

        Parameters
        ----------
        notes
            The lines below the cells.
        """
        shades = [[self._background(i, j) for j in range(len(self))] for i in range(len(self))]
        totals = (self.row_texts, self.column_texts, self.total_text) if self.margins else None
        axes = (self.row_axis, self.column_axis)
        return heat_html(
            self.names, self.texts, shades, totals, axes=axes, title=self.title, notes=notes
        )

    def _repr_html_(self) -> str | None:
        try:
            return self.cells_html([self.caption])
        except Exception:  # noqa: BLE001 - showing must never fail
            return None

    def _background(self, row: int, column: int) -> str:
        shade = float(self.shades[row, column])
        if shade != shade or shade == 0:
            return ""
        if self.is_difference and self.roles[row, column] != Role.OPEN:
            return tint(BLUE if shade > 0 else ORANGE, abs(shade))
        if not self.is_difference and self.roles[row, column] == Role.OPEN:
            return tint(ORANGE, QUIET)
        return tint(_COLORS.get(Role(int(self.roles[row, column])), GRAY), abs(shade))


@door
def view(
    m: ConfusionMatrix | Priced,
    *,
    normalize: Shares = "auto",
    values: Values = "auto",
    order: Method | Iterable[Any] | None = None,
    top: int | None = None,
    class_groups: Grouping | None = None,
    fold: bool = True,
    margins: bool = True,
    of: Any = None,
    minus: ConfusionMatrix | None = None,
    scale: Scale | None = None,
    digits: int | None = None,
    rows: Side = "actual",
    title: str = "",
) -> MatrixView:
    """Make a matrix ready to draw: its cells, texts, shades and roles.

    Parameters
    ----------
    m
        The matrix; or what `cost_report` gave, for the cost of each cell in place of counts and
        shares.
    normalize
        Shades are shares of each "actual" class, of each "predicted" class or of "all"; None shades
        counts. scikit-learn's "true" and "pred" mean the same as the first two, and "row" and
        "column" are what is drawn there. By itself each actual class, with counts in the cells.
        Errors that are not shown to be more than the other errors explain have one pale tone,
        unless a `scale` asks for the shade of every one.
    values
        The text of a cell: "counts", "percent", "share" (0.93), "both" (a count and a per cent) or
        "none". "auto" says per cents where `normalize` asks for shares and counts otherwise, and
        lets a drawing leave out what does not fit.
    order
        The classes in the order of drawing, or a method of `confmat.structure.class_order`:
        "cluster", "alphabetical", "support", a metric, the worst class first, or a Hierarchy,
        branch by branch.
    top
        Only the classes with the most items, this many; all others are folded into one label
        "(other)". A matrix of more than 2,000 labels is folded unasked to the 1,000 of the foremost
        confusions.
    class_groups
        A mapping of group name to classes, a Hierarchy for its first level (`h.groups(m, 2)` for
        its second), or True for `confmat.class_groups(m)`. Classes are folded into their groups;
        with `fold=False` they are side by side instead, and a drawing marks the groups.
    fold
        Whether `class_groups` are folded.
    margins
        Whether a drawing shows totals and support.
    of
        An observed class: cells are its true and false positives and negatives.
    minus
        Another matrix: the numbers are those of `m` minus those of the other. Only cells that
        `compare` shows to differ have the hue of better or worse.
    scale
        Where cells are darkest, to compare pictures: a number for the errors (0.2 of a class, or 50
        items where `normalize` is None), in a difference for both signs; another matrix or its
        view, for one scale that holds both; or "one" for hits and errors on the same scale. By
        itself, errors are darkest at the largest of them and at a tenth of a class at the earliest.
    digits
        Decimals of per cents and shares; by itself two of a share, and one of a per cent up to 10
        labels or where all errors are below 5 %.
    rows
        The side in rows: "predicted" turns the drawing, with actual classes in columns.
    title
        A heading.
    """
    prices = None
    if isinstance(m, Priced):
        if (normalize, values, minus, of) != ("auto", "auto", None, None):
            msg = "a cost report shows what each cell costs; give its `matrix` to show counts, shares or differences"
            raise InputError(msg)
        prices, m, normalize, margins = m.prices, m.matrix, None, False
    if not isinstance(m, ConfusionMatrix):
        other = "`confmat.plot` takes a Stack as well" if isinstance(m, Stack) else MAKES_ONE
        msg = f"`view` takes a ConfusionMatrix, not {type(m).__name__}; {other}"
        raise InputError(msg)
    if minus is not None:
        m, minus = united(m, minus)
    whole = m if minus is None else m + minus
    layout = lay_out(whole, order=order, top=top, class_groups=class_groups, fold=fold, of=of)
    say = _saying(normalize, values, rows, margins)
    return _view(
        m,
        layout,
        minus,
        say._replace(of=of, digits=digits, scale=scale, title=heading(title), prices=prices),
    )


def foremost_view(m: ConfusionMatrix, top: int | None) -> MatrixView:
    """The view of the classes of the foremost confusions, this many; without a number, of all."""
    return _view(
        m, lay_out(m, top=top, foremost=True), None, _saying("auto", "auto", "actual", True)
    )


def views(
    stack: Stack,
    *,
    normalize: Shares = "auto",
    values: Values = "auto",
    margins: bool = True,
    of: Any = None,
    scale: Scale | None = None,
    digits: int | None = None,
    rows: Side = "actual",
    **arrangement: Any,
) -> dict[Any, MatrixView]:
    """The view of each matrix of a stack: one order, one folding and one scale, chosen for their sum.

    The choices are those of `view`; the title is the key.
    """
    layout = lay_out(reduce(ConfusionMatrix.__add__, stack.values()), of=of, **arrangement)
    say = _saying(normalize, values, rows, margins)._replace(of=of, digits=digits, scale=scale)
    made = {
        key: _view(part, layout, None, say._replace(title=printable(key)))
        for key, part in stack.items()
    }
    tops = MappingProxyType(
        {role: max(drawn.tops[role] for drawn in made.values()) for role in Role}
    )
    return {key: replace(drawn, tops=tops) for key, drawn in made.items()}


class _Saying(NamedTuple):
    """Checked wishes about the numbers."""

    axis: Axis | None
    values: Values
    margins: bool
    rows: Side
    is_automatic: bool
    of: Any = None
    digits: int | None = None
    scale: Any = None
    title: str = ""
    prices: Any = None


def _saying(normalize: Any, values: Values, rows: Side, margins: bool) -> _Saying:
    """The shades and the texts that are asked for: by themselves, shares of the actual class, and counts."""
    one_of("values", values, Values)
    one_of("rows", rows, Side)
    axis: Axis | None = None if normalize is None else "actual"
    texts: Values = "counts"
    if normalize is not None and not (isinstance(normalize, str) and normalize == "auto"):
        axis, texts = axis_named("normalize", normalize, rows), "percent"
    automatic = values == "auto"
    return _Saying(axis, texts if automatic else values, flag("margins", margins), rows, automatic)


def _view(
    m: ConfusionMatrix, layout: Layout, minus: ConfusionMatrix | None, say: _Saying
) -> MatrixView:
    """A matrix along a layout; both are over the same labels."""
    is_difference = minus is not None
    whole = [m] if minus is None else [m, minus]
    parts = [part._remapped(layout.labels, layout.codes) for part in whole]
    counts = _of_parts(parts, lambda part: part.counts)
    if say.prices is not None:
        counts = _spent(m, layout, say.prices)
    # Per cents beside counts that are not normalised are of all.
    shares = _of_parts(parts, lambda part: part.normalize(say.axis or "all"))
    values = counts if say.axis is None else shares
    observed = None if say.of is None else parts[0]._class(say.of)
    roles = roles_of(len(layout.labels), layout.labels.n_classes, layout.folded, observed)
    rates = say.axis in {"actual", "predicted"}
    tops = tops_of(values, roles, least=_least(parts, say), rates=rates, difference=is_difference)
    error = np.abs(np.nan_to_num(values[np.isin(roles, WRONG)])).max(initial=0.0)
    notes = [*layout.notes, *_notes(parts)]
    changed = np.nan_to_num(values) != 0
    held, sentences, tested = _evident(m, minus, layout, parts, say, observed)
    if tested:
        judged = (Role.ERROR, Role.OUTSIDE) if rejects(m) else (Role.ERROR,)
        roles = _opened(roles, changed, held, judged)
    if is_difference and observed is None and changed.any():
        roles = _opened(roles, changed, held, tuple(Role))
        many = f"{len(held):,} of {number(changed.sum().item())} changes"
        notes.append(f"{many} shown to be more than noise, grey may be nothing")
    drawn = MatrixView(
        labels=tuple(layout.labels),
        names=tuple(map(printable, layout.labels)),
        counts=frozen(counts),
        shares=frozen(shares),
        roles=with_empty(roles, values),
        row_totals=frozen(_of_parts(parts, lambda part: part.actual_totals)),
        column_totals=frozen(_of_parts(parts, lambda part: part.predicted_totals)),
        total=parts[0].total - (parts[1].total if is_difference else 0),
        normalize=say.axis,
        shown=say.values,
        is_automatic=say.is_automatic,
        digits=_digits(say, len(layout.labels), float(error)),
        margins=say.margins,
        of=say.of,
        is_difference=is_difference,
        tops=MappingProxyType(dict(_scaled(tops, say, difference=is_difference))),
        blocks=layout.blocks,
        title=say.title,
        notes=tuple(notes),
        unit="" if say.prices is None else "cost of each cell",
        held=tuple(held),
        is_tested=tested,
        said=tuple(sentences),
    )
    return drawn if say.rows == "actual" else drawn.turned


def _least(parts: list[ConfusionMatrix], say: _Saying) -> float:
    """The least end of the scale of errors."""
    if say.prices is not None:
        return 0.0
    if say.axis in {"actual", "predicted"}:
        return DARKEST_ERROR
    totals = [part.actual_totals[: part.n_classes] for part in parts]
    if say.axis == "all":
        wholes = [float(part.total) or 1.0 for part in parts]
        totals = [each / whole for each, whole in zip(totals, wholes, strict=True)]
    return least_top(np.concatenate(totals))


def _spent(m: ConfusionMatrix, layout: Layout, prices: Array) -> Array:
    """The cost of each cell, as drawn."""
    pairs = m.pairs()
    costs = np.zeros((len(layout.labels), len(layout.labels)))
    places = layout.codes[pairs.rows], layout.codes[pairs.cols]
    np.add.at(costs, places, pairs.counts * prices[pairs.rows, pairs.cols])
    return frozen(costs)


def _opened(
    roles: Array, there: Array, held: list[tuple[int, int]], judged: tuple[Role, ...]
) -> Array:
    """The roles, with those cells open that have one of some roles and are not held."""
    there = there & np.isin(roles, judged)
    there[tuple(np.array(held, dtype=np.int64).reshape(-1, 2).T)] = False
    return np.where(there, np.uint8(Role.OPEN), roles)


def _evident(
    m: ConfusionMatrix,
    minus: ConfusionMatrix | None,
    layout: Layout,
    parts: list[ConfusionMatrix],
    say: _Saying,
    observed: int | None,
) -> tuple[list[tuple[int, int]], list[str], bool]:
    """The cells that are shown to hold, as drawn; the summary, of a matrix or a change; whether errors are tested."""
    if minus is not None:
        return *_changes(*parts), False
    if say.prices is not None:
        return [], of_one(m), False
    # Classes in one place together are groups, which have confusions of their own, or folded.
    alone = np.bincount(layout.codes, minlength=len(layout.labels)) == 1
    grouped = not alone[np.arange(len(alone)) != layout.folded].all()
    known = evidence(parts[0] if grouped else m)
    if grouped:
        held = known.shown
    else:
        shown = layout.codes[np.array(known.shown, dtype=np.int64).reshape(-1, 2)]
        held = [(row, column) for row, column in shown[alone[shown].all(axis=1)].tolist()]
    if observed is not None:
        return [cell for cell in held if observed in cell], of_one(m), False
    # A scale that is asked for needs every shade.
    return held, of_one(m), not known.untested and say.scale is None


def _changes(new: ConfusionMatrix, old: ConfusionMatrix) -> tuple[list[tuple[int, int]], list[str]]:
    """The cells that are shown to change, and the summary of the change."""
    comparison = comparison_of({"old": old, "new": new}, successive=False)
    if comparison is None:
        return [], []
    place = new.labels.index
    held = [
        (place(cell.actual), place(cell.predicted))
        for cell in comparison.cells(None)
        if cell.verdict == "different"
    ]
    return held, of_several(comparison, ["old", "new"], "model")


def _scaled(tops: Mapping[Role, float], say: _Saying, *, difference: bool) -> Mapping[Role, float]:
    """The largest values of the scales, as they were asked for."""
    scale = say.scale
    if isinstance(scale, ConfusionMatrix):
        scale = _view(scale, lay_out(scale), None, say._replace(scale=None))
    if isinstance(scale, MatrixView):
        if (scale.normalize, scale.is_difference) == (say.axis, difference):
            return {role: max(top, scale.tops[role]) for role, top in tops.items()}
    elif isinstance(scale, str):
        if scale == "one":
            return dict.fromkeys(Role, max(tops.values()))
    elif scale is None:
        return tops
    elif isinstance(scale, (int, float, np.number)) and scale is not True and 0 < scale < np.inf:
        return {**tops, **dict.fromkeys(Role if difference else WRONG, float(scale))}
    known = "a number above 0, a matrix or a view of the same kind of numbers, or 'one'"
    msg = Message("{scale} takes {}, not {}", known, told(scale))
    raise InputError(msg)


def _of_parts(parts: list[ConfusionMatrix], read: Callable[[ConfusionMatrix], Array]) -> Array:
    """The numbers of the only matrix, or of the first minus the second; integers exactly while 64 bits hold them."""
    result, *others = map(read, parts)
    for other in others:
        if np.dtype(np.uint64) in {result.dtype, other.dtype}:
            result, other = result.astype(np.float64), other.astype(np.float64)  # noqa: PLW2901
        result = result - other
    return result


def _digits(say: _Saying, size: int, error: float) -> int:
    if say.digits is not None:
        return decimals(say.digits)
    if say.values == "share":
        return 2
    return int(size <= FEW_LABELS or error < SMALL_ERROR)


def decimals(digits: Any) -> int:
    """A checked number of decimals."""
    if not is_integer(digits) or not 0 <= digits <= 15:
        msg = Message("{digits} takes a number of decimals from 0 to 15, not {}", told(digits))
        raise InputError(msg)
    return int(digits)


def _notes(parts: list[ConfusionMatrix]) -> list[str]:
    notes = []
    if len(parts) == 2 and parts[0].total != parts[1].total:
        notes.append(f"the totals differ: {number(parts[0].total)} and {number(parts[1].total)}")
    dropped = sum(part.dropped for part in parts)
    if dropped:
        notes.append(f"{number(dropped)} left out of the matrix")
    return notes

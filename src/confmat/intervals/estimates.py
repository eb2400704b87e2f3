"""Estimate, a score with its interval and its method; Estimates, one for each class."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import InputError
from confmat.core.labels import Labels
from confmat.core.tables import DASH, Column, Table, Tabular, to_plain
from confmat.core.text import decimals_apart, printable

Array = NDArray[np.float64]
# Facts about a score, for each class by itself.
NUMBERS = ("value", "low", "high", "se", "n_eff")


@dataclass(frozen=True)
class Estimate(Tabular):
    """A score, the bounds between which it lies with so much confidence, and by which method and design.

    `n_eff` is how many items would make a plain proportion as sure as this score; `se` its standard
    error. `note` says what was done where the usual was not possible. A score without a value, such
    as odds over 0, may have a bound on one side.

    >>> one = Estimate(0.8, 0.71, 0.87, method="Wilson", design="multinomial", n_eff=100, se=0.04)
    >>> print(one)
    0.800 [0.710, 0.870]
    >>> 0.75 in one
    True
    """

    value: float
    low: float
    high: float
    level: float = 0.95
    method: str = ""
    design: str = ""
    n_eff: float = math.nan
    se: float = math.nan
    note: str = ""
    name: str = ""

    def _parts(self) -> tuple[Any, ...]:
        """Its facts; numbers that are not known are alike."""
        parts = (getattr(self, field.name) for field in fields(self))
        return tuple(
            "unknown" if isinstance(part, float) and math.isnan(part) else part for part in parts
        )

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    @property
    def width(self) -> float:
        """From bound to bound."""
        return self.high - self.low

    def __iter__(self) -> Iterator[float]:
        """Give both bounds, so that `low, high = interval(...)` unpacks them."""
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        spec = spec or f".{decimals_apart(self.low, self.high, 3)}f"
        if math.isnan(self.low):
            return _decimals(self.value, spec)
        return f"{_decimals(self.value, spec)} [{_decimals(self.low, spec)}, {_decimals(self.high, spec)}]"

    def __str__(self) -> str:
        return format(self)

    def __repr__(self) -> str:
        name = f"{printable(self.name)} " if self.name else ""
        return f"<Estimate {name}{self}: {', '.join(filter(None, self._facts()))}>"

    def table(self) -> Table:
        """Return the score and its interval as a table of one row."""
        notes, numbers = (
            [", ".join(filter(None, self._facts()))],
            ([getattr(self, part)] for part in NUMBERS),
        )
        return _table("name", [self.name], *numbers, head="value", notes=notes)

    def _facts(self) -> list[str]:
        items = "" if math.isnan(self.n_eff) else f"n_eff {self.n_eff:.4g}"
        return [
            f"{self.level:.3g} confidence",
            self.method,
            f"{self.design} design",
            items,
            self.note,
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is unknown is None."""
        return dict(to_plain(asdict(self)))


def _table(
    kind: str, names: Sequence[Any], value: Any, low: Any, high: Any, se: Any, n_eff: Any, *,
    head: str, notes: Sequence[str],
) -> Table:  # fmt: skip
    """Scores and intervals by name."""
    columns = (
        Column(kind, names, printable, head="", is_label=True, is_index=True),
        Column(
            "value", value, lambda value: DASH if value != value else _decimals(value), head=head
        ),
        Column(None, list(zip(value, low, high, strict=True)), _bounds, head="interval"),
        *(
            Column(name, part, head=None)
            for name, part in zip(NUMBERS[1:], (low, high, se, n_eff), strict=True)
        ),
    )
    return Table(columns, tuple(notes))


def _bounds(triple: tuple[float, float, float]) -> str:
    spec = f".{decimals_apart(triple[1], triple[2], 3)}f"
    return (
        ""
        if math.isnan(triple[1])
        else f"[{_decimals(triple[1], spec)}, {_decimals(triple[2], spec)}]"
    )


def _decimals(value: float, spec: str = ".3f") -> str:
    shown = DASH if math.isnan(value) else format(value, spec)
    # A negative zero says nothing.
    return shown.lstrip("-") if not shown.strip("-0.") else shown


@dataclass(frozen=True, eq=False)
class Estimates(Sequence[Estimate], Tabular):
    """The estimates of one metric, one for each class in the order of `labels`; `of` finds one by its class."""

    labels: Labels
    value: Array
    low: Array
    high: Array
    se: Array
    n_eff: Array
    level: float = 0.95
    method: str = ""
    design: str = ""
    notes: tuple[str, ...] = ()
    name: str = ""

    @classmethod
    def _of_each(cls, labels: Labels, each: Sequence[Estimate], name: str) -> Estimates:
        """From the estimate of each class."""
        value, low, high, error, items = (
            np.array([getattr(estimate, part) for estimate in each]) for part in NUMBERS
        )
        notes = tuple(estimate.note for estimate in each)
        method = next((estimate.method for estimate in each if estimate.method), "")
        facts = each[0].level, method, each[0].design, notes if any(notes) else (), name
        return cls(labels, value, low, high, error, items, *facts)

    def __len__(self) -> int:
        return len(self.value)

    @overload
    def __getitem__(self, place: int) -> Estimate: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Estimate]: ...
    def __getitem__(self, place: int | slice) -> Estimate | Sequence[Estimate]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not hasattr(place, "__index__"):
            msg = f"estimates go by their position; .of({place!r:.60}) is that of a class"
            raise InputError(msg)
        place = range(len(self))[place]
        value, low, high, se, n_eff = (float(getattr(self, part)[place]) for part in NUMBERS)
        note = self.notes[place] if self.notes else ""
        name = f"{self.name}[{printable(self.labels.classes[place])}]"
        facts = self.level, self.method, self.design
        return Estimate(value, low, high, *facts, n_eff, se, note, name)

    def table(self) -> Table:
        """Return the classes with their scores and intervals as a table."""
        facts = [f"{self.level:.3g} confidence", self.method, f"{self.design} design"]
        notes = [", ".join(filter(None, facts)), *dict.fromkeys(filter(None, self.notes))]
        parts = (getattr(self, part) for part in NUMBERS)
        return _table(
            "label", list(self.labels.classes), *parts, head=printable(self.name), notes=notes
        )

    def of(self, label: Any) -> Estimate:
        """Return the estimate of one class.

        Parameters
        ----------
        label
            The class.
        """
        return self[self.labels.index(label)]

    def to_dict(self) -> dict[Any, dict[str, Any]]:
        """Plain data by class."""
        return {
            label: estimate.to_dict()
            for label, estimate in zip(self.labels.classes, self, strict=True)
        }

    def __str__(self) -> str:
        names = [printable(label) for label in self.labels.classes]
        wide = max(map(len, names), default=0)
        return "\n".join(
            f"{name:<{wide}}  {estimate}" for name, estimate in zip(names, self, strict=True)
        )

    def __repr__(self) -> str:
        return (
            f"<Estimates of {printable(self.name)} by {self.method or 'several methods'}:\n{self}>"
        )

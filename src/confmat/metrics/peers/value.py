"""Values behind peers' names that are no metrics of ours: scores with the peer's averaging, or values of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from confmat.metrics.averages import Undefined
from confmat.metrics.declaration import Metric


@dataclass(frozen=True)
class PeerValue:
    """A string, tuple or number as a peer computes it; part of no law, average or report.

    Where the peer prints the text "None", the value is None. One value per class comes as a mapping of class to
    value.
    """

    name: str
    peer: str
    # A description, with its oddities.
    summary: str
    function: Callable[[Any], Any]

    def __call__(self, m: Any) -> Any:
        """The peer's value of a matrix."""
        return self.function(m)

    def __repr__(self) -> str:
        return f"<PeerValue {self.peer}:{self.name}: {self.summary}>"


@dataclass(frozen=True)
class PeerScore:
    """One of our metrics with the averaging of a peer: called with a matrix, it gives one number.

    With `seen`, the mean runs over the classes that occur on either side.
    """

    metric: Metric
    average: str
    undefined: Undefined = "fair"
    seen: bool = False
    note: str = ""

    @property
    def name(self) -> str:
        """The spelling of the score."""
        return f"{self.metric.name}.{self.average}"

    def __call__(self, m: Any) -> Any:
        """The value of a matrix."""
        options: dict[str, Any] = {}
        if self.seen:
            # A weight of nothing makes a class absent.
            cells = m.cells
            options["weights"] = np.asarray((cells.actual > 0) | (cells.predicted > 0), dtype=np.float64)
        return self.metric(m, average=self.average, undefined=self.undefined, **options)

    def __repr__(self) -> str:
        return f"<PeerScore {self.name}: {self.metric.title}, undefined={self.undefined!r}>"


@dataclass(frozen=True)
class Alias:
    """A line of a peer's table: the name of our metric, and how the peer averages it."""

    target: str
    # Parameters, where the target is a family of metrics.
    args: tuple[Any, ...] = ()
    average: str | None = None
    undefined: Undefined = "fair"
    seen: bool = False
    note: str = ""

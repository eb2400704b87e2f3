"""Severity: how bad the mistakes are, by how far up the hierarchy the two classes meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import number, rate
from confmat.hierarchy.hierarchy import Hierarchy
from confmat.hierarchy.scores import lca_height, tree_distance
from confmat.metrics.margins import Outside

__all__ = ["Severity", "severity"]


@dataclass(frozen=True, kw_only=True)
class Severity(Tabular):
    """Means over all items and over the mistakes alone: height of the lowest common ancestor, and edges between.

    `height` is that of the whole hierarchy: a mistake of that height has nothing but the root in common.
    """

    of_all: float
    of_mistakes: float
    distance: float
    distance_of_mistakes: float
    height: int
    items: int | float
    mistakes: int | float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; None where there is no mistake, or no item."""
        return {name: to_plain(getattr(self, name)) for name in self.__dataclass_fields__}

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Return the means over all items and over the mistakes as a table."""
        columns = (
            Column("over", ["all", "mistakes"], head="", is_label=True, is_index=True),
            Column("items", [self.items, self.mistakes], number),
            Column("height", [self.of_all, self.of_mistakes], rate, f"LCA height (of {self.height})"),
            Column("edges", [self.distance, self.distance_of_mistakes], rate, "edges apart"),
        )
        return Table(columns)


def severity(m: ConfusionMatrix, hierarchy: Hierarchy, *, outside: Outside = "wrong") -> Severity:
    """How bad the mistakes are: the mean height of the lowest common ancestor of actual and predicted class.

    After Bertinetto and others (2020), who show that accuracy can rise while the severity of the mistakes does not
    fall. The metrics behind it are `lca_height` and `tree_distance`, which take a Stack too, and have intervals:
    `interval(m, lca_height(hierarchy, mistakes=True))`.

    >>> h = Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple"])
    >>> m = ConfusionMatrix([[8, 1, 1], [0, 5, 0], [0, 2, 3]], ["lemon", "lime", "apple"])
    >>> print(severity(m, h))
              items  LCA height (of 3)  edges apart
    all          20              0.350        0.550
    mistakes      4              1.750        2.750
    """
    if not isinstance(m, ConfusionMatrix):
        msg = f"`severity` takes one ConfusionMatrix, not {type(m).__name__}; `lca_height` takes a Stack as well"
        raise InputError(msg)
    if not isinstance(hierarchy, Hierarchy):
        msg = f"`severity` takes a Hierarchy, not {told(hierarchy, typed=True)}"
        raise InputError(msg)
    from confmat.metrics.margins import read_margins

    margins = read_margins(m, outside)
    wrong = margins.total - margins.diagonal.sum()
    return Severity(
        of_all=lca_height(m, hierarchy, outside=outside),
        of_mistakes=lca_height(m, hierarchy, mistakes=True, outside=outside),
        distance=tree_distance(m, hierarchy, outside=outside),
        distance_of_mistakes=tree_distance(m, hierarchy, mistakes=True, outside=outside),
        height=hierarchy.levels,
        items=margins.total.item(),
        mistakes=wrong.item(),
    )

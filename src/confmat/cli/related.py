"""Related classes and costs: the files of --hierarchy and --costs, and the scores that come with them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from confmat.cli.settings import CostFile, HierarchyFile, SeveralLabels
from confmat.core.errors import InputError
from confmat.reporting import Report

if TYPE_CHECKING:
    from confmat.hierarchy import Hierarchy
    from confmat.metrics.catalog import Score
    from confmat.metrics.costs import Costs
    from confmat.metrics.declaration import Metric

Rolled = TypeVar("Rolled")


class Related:
    """The hierarchy and the costs of a command, each read once, with the scores that they give."""

    def __init__(
        self,
        hierarchy: HierarchyFile | None = None,
        costs: CostFile | None = None,
        several: SeveralLabels | None = None,
    ) -> None:
        self._hierarchy = hierarchy or HierarchyFile()
        self._costs = costs or CostFile()
        # Fields of several labels have scores of their own.
        self._of_labels = several is not None and several.makes_stack

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        return [name for name in (self._hierarchy.hierarchy, self._costs.costs) if name is not None]

    @property
    def level(self) -> int | list[str] | None:
        """The level at which classes are taken together."""
        return self._hierarchy.roll_up

    def check(self) -> None:
        """Read the hierarchy, so that an error comes before hours are spent on counting."""
        _ = self.hierarchy

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy, read from its file."""
        if self._hierarchy.hierarchy is None:
            if self.level is not None:
                msg = "--roll-up is about a hierarchy; name its file with --hierarchy"
                raise InputError(msg)
            return None
        from confmat.hierarchy import Hierarchy

        return Hierarchy.read(self._hierarchy.hierarchy)

    @cached_property
    def costs(self) -> Costs | None:
        """The costs, read from their file."""
        if self._costs.costs is None:
            return None
        from confmat.costs import read_costs

        return read_costs(self._costs.costs)

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The scores that stand beside the usual ones, by name."""
        metrics = [] if self.hierarchy is None else scores_of_hierarchy(self.hierarchy)
        if self.costs is not None:
            from confmat.metrics.costs import cost

            metrics.append(cost(self.costs))
        return {one.name: one for one in metrics}

    @cached_property
    def _named(self) -> dict[str, Metric]:
        """The scores that may be asked for by name: those, and the others that costs give."""
        if self.costs is None:
            return self.metrics
        from confmat.metrics import costs as priced

        more = (priced.normalized_cost(self.costs), priced.total_cost(self.costs))
        return self.metrics | {one.name: one for one in more}

    def rolled(self, value: Rolled) -> Rolled:
        """Return a matrix, or each of a stack, with the classes of the level in place of those below it."""
        if self.hierarchy is None or self.level is None:
            return value
        if isinstance(value, Report):
            msg = "--roll-up needs the matrix; this file holds a report, which has no counts"
            raise InputError(msg)
        rolled: Rolled = value.roll_up(self.hierarchy, self.level)  # type: ignore[attr-defined]
        return rolled

    def chosen(self, names: list[str] | None) -> list[str | Metric]:
        """Return names of scores, with the scores of the hierarchy and the costs in place of theirs."""
        return [self._named.get(name, name) for name in names or ()]

    def beside(self, value: object) -> list[Metric]:
        """Return the scores that stand beside the usual ones of a value; several labels an item have none."""
        from confmat.metrics.items import is_of_labels

        if self.metrics and is_of_labels(value):
            msg = "--hierarchy and --costs are about one label an item, not about several"
            raise InputError(msg)
        return list(self.metrics.values())

    def score(self, text: str) -> Score:
        """Return the score of that name."""
        from confmat.metrics.catalog import Score, parse_score
        from confmat.metrics.items import score_of_labels

        of_costs = text in {"cost", "normalized_cost", "total_cost"}
        needed = "--hierarchy" if text.startswith(("hierarchical_", "lca_")) else "--costs" if of_costs else ""
        if needed and text not in self._named:
            msg = f"{text} needs a file: {needed} FILE"
            raise InputError(msg)
        if text in self._named:
            return Score(self._named[text])
        return score_of_labels(text) if self._of_labels else parse_score(text)


def check_level(hierarchy: HierarchyFile) -> None:
    """Complain where a hierarchy would change nothing, because no level is given."""
    if "hierarchy" in hierarchy.typed and hierarchy.roll_up is None:
        msg = "a hierarchy rolls classes up; say at which level: --roll-up 1"
        raise InputError(msg)


def scores_of_hierarchy(hierarchy: Hierarchy) -> list[Any]:
    """Return the scores that a hierarchy gives."""
    from confmat import hierarchy as metrics

    return [
        metrics.hierarchical_precision(hierarchy),
        metrics.hierarchical_recall(hierarchy),
        metrics.hierarchical_f1(hierarchy),
        metrics.lca_height(hierarchy),
        metrics.lca_height(hierarchy, mistakes=True),
    ]

"""Related classes and costs: the files of --hierarchy and --costs, and the scores that come with them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from confmat.cli.options import Settings
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix

if TYPE_CHECKING:
    from confmat.hierarchy import Hierarchy
    from confmat.metrics.catalog import Score
    from confmat.metrics.costs import Costs
    from confmat.metrics.declaration import Metric

Rolled = TypeVar("Rolled")


class Related:
    """The hierarchy and the costs of a command, each read once, with the scores that they give."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        # Fields of several labels have scores of their own.
        self._of_labels: bool = getattr(settings, "makes_stack", False)
        self.files = [
            name for option in ("hierarchy", "costs") if (name := settings.peek(option)) is not None
        ]

    @property
    def level(self) -> int | list[str] | None:
        """The level at which classes are taken together."""
        level: int | list[str] | None = getattr(self._settings, "roll_up", None)
        return level

    def check(self) -> None:
        """Read the hierarchy, so that an error comes before hours are spent on counting."""
        _ = self.hierarchy

    def check_level(self) -> None:
        """Complain where a hierarchy would change nothing, because no level is given."""
        if self._settings.peek("hierarchy") and self.level is None:
            msg = "a hierarchy rolls classes up; say at which level: --roll-up 1"
            raise InputError(msg)

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy, read from its file."""
        file = getattr(self._settings, "hierarchy", None)
        if file is None:
            if self.level is not None:
                msg = "--roll-up is about a hierarchy; name its file with --hierarchy"
                raise InputError(msg)
            return None
        from confmat.hierarchy import Hierarchy

        return Hierarchy.read(file)

    @cached_property
    def costs(self) -> Costs | None:
        """The costs, read from their file."""
        file = getattr(self._settings, "costs", None)
        if file is None:
            return None
        from confmat.costs import read_costs

        return read_costs(file)

    @cached_property
    def _named(self) -> dict[str, Metric]:
        """The scores of the hierarchy and of the costs, by name."""
        metrics = [] if self.hierarchy is None else scores_of_hierarchy(self.hierarchy)
        if self.costs is not None:
            from confmat.metrics import costs as priced

            metrics += [
                make(self.costs)
                for make in (priced.cost, priced.normalized_cost, priced.total_cost)
            ]
        return {metric.name: metric for metric in metrics}

    @property
    def metrics(self) -> list[Metric]:
        """The scores shown beside the usual ones: of the costs the mean cost alone."""
        return [
            metric
            for name, metric in self._named.items()
            if name not in ("normalized_cost", "total_cost")
        ]

    def priced(self, value: Any) -> Any:
        """Return a matrix with the costs of its cells, where there are any; everything else as it is."""
        if self.costs is None or not isinstance(value, ConfusionMatrix):
            return value
        from confmat.costs import cost_report

        return cost_report(value, self.costs)

    def rolled(self, value: Rolled) -> Rolled:
        """Return a matrix, or each of a stack, with the classes of the level in place of those below it."""
        if self.level is None or self.hierarchy is None:
            return value
        rolled: Rolled = value.roll_up(self.hierarchy, self.level)  # type: ignore[attr-defined]
        return rolled

    def chosen(self, names: list[str] | None) -> list[str | Metric]:
        """Return names of scores, with the scores of the hierarchy and the costs in place of theirs."""
        return [self._named.get(name, name) if file_of(name) else name for name in names or ()]

    def beside(self, value: object) -> list[Metric]:
        """Return the scores shown beside the usual ones of a value; several labels an item have none."""
        from confmat.metrics.items import is_of_labels

        if self.metrics and is_of_labels(value):
            msg = "--hierarchy and --costs are about one label an item, not about several"
            raise InputError(msg)
        return self.metrics

    def score(self, text: str) -> Score:
        """Return the score of that name."""
        from confmat.metrics.catalog import Score, parse_score
        from confmat.metrics.items import score_of_labels

        needed = file_of(text)
        if needed and text not in self._named:
            msg = f"{text} needs a file: {needed} FILE"
            raise InputError(msg)
        if needed:
            return Score(self._named[text])
        return score_of_labels(text) if self._of_labels else parse_score(text)


def file_of(score: str) -> str:
    """Return the option whose file a score needs, if it does."""
    if score.startswith(("hierarchical_", "lca_")):
        return "--hierarchy"
    return "--costs" if score in {"cost", "normalized_cost", "total_cost"} else ""


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

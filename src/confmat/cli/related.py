"""Related classes and costs: the files that --hierarchy and --costs name, and the scores that come with them."""

from __future__ import annotations

from typing import Any

from confmat.cli.options import typed
from confmat.core.errors import InputError
from confmat.metrics import parse_score
from confmat.metrics.catalog import Score
from confmat.metrics.items import is_of_labels, score_of_labels
from confmat.reporting import OVERALL, Report

__all__ = [
    "check_level",
    "chosen",
    "cost_text",
    "costs_of",
    "hierarchy_of",
    "of_hierarchy",
    "overall",
    "own_metrics",
    "rolled",
    "score_named",
    "scores_beside",
]


def hierarchy_of(options: dict[str, Any]) -> Any:
    """The hierarchy that was named, read once."""
    if options.get("hierarchy") is None:
        if options.get("roll_up") is not None:
            msg = "--roll-up is about a hierarchy; name its file with --hierarchy"
            raise InputError(msg)
        return None
    if "the hierarchy" not in options:
        from confmat.hierarchy import Hierarchy

        options["the hierarchy"] = Hierarchy.read(options["hierarchy"])
    return options["the hierarchy"]


def check_level(options: dict[str, Any]) -> None:
    """Complain where a hierarchy would change nothing, because it is not said at which level."""
    if typed(options, "hierarchy") and options.get("roll_up") is None:
        msg = "a hierarchy rolls classes up; say at which level: --roll-up 1"
        raise InputError(msg)


def rolled(found: Any, options: dict[str, Any]) -> Any:
    """A matrix, or each of a stack, with the classes of a level in place of those below it."""
    hierarchy, level = hierarchy_of(options), options.get("roll_up")
    if hierarchy is None or level is None:
        return found
    if isinstance(found, Report):
        msg = "--roll-up needs the matrix; this file holds a report, which has no counts"
        raise InputError(msg)
    return found.roll_up(hierarchy, level)


def costs_of(options: dict[str, Any]) -> Any:
    """The costs that were named, read once."""
    if options.get("costs") is None:
        return None
    if "the costs" not in options:
        from confmat.costs import read_costs

        options["the costs"] = read_costs(options["costs"])
    return options["the costs"]


def own_metrics(options: dict[str, Any]) -> dict[str, Any]:
    """The scores that a hierarchy and costs give, by their names."""
    found: list[Any] = []
    hierarchy, costs = hierarchy_of(options), costs_of(options)
    if hierarchy is not None:
        found += of_hierarchy(hierarchy)
    if costs is not None:
        from confmat.metrics.costs import cost

        found.append(cost(costs))
    return {one.name: one for one in found}


def _named(options: dict[str, Any]) -> dict[str, Any]:
    """What may be asked for by name: these scores, and what else costs give."""
    found, costs = own_metrics(options), costs_of(options)
    if costs is not None:
        from confmat.metrics import costs as priced

        found |= {one.name: one for one in (priced.normalised_cost(costs), priced.total_cost(costs))}
    return found


def of_hierarchy(hierarchy: Any) -> list[Any]:
    """The scores that a hierarchy gives."""
    from confmat import hierarchy as relating

    return [
        relating.hierarchical_precision(hierarchy),
        relating.hierarchical_recall(hierarchy),
        relating.hierarchical_f1(hierarchy),
        relating.lca_height(hierarchy),
        relating.lca_height(hierarchy, mistakes=True),
    ]


def chosen(names: Any, options: dict[str, Any]) -> Any:
    """Names of scores, with those of the hierarchy and the costs in place of their names."""
    own = _named(options)
    return names and [own.get(name, name) for name in names]


def scores_beside(found: Any, options: dict[str, Any]) -> list[Any]:
    """The scores of the files named, which stand beside the usual ones; refused for several labels an item."""
    own = own_metrics(options)
    if own and is_of_labels(found):
        msg = "--hierarchy and --costs are about one label an item, not about several"
        raise InputError(msg)
    return list(own.values())


def overall(found: Any, options: dict[str, Any]) -> Any:
    """What stands below a report: the usual scores, if others are not asked for, and those of the files named."""
    own = scores_beside(found, options)
    asked = options["metrics"] or ()
    return [*(() if asked else OVERALL), *(one for one in own if one.name not in asked)] if own else None


def score_named(text: str, options: dict[str, Any]) -> Any:
    """The score of that name, those of the hierarchy and the costs among them."""
    own = _named(options)
    of_costs = text in {"cost", "normalised_cost", "total_cost"}
    needed = "--hierarchy" if text.startswith(("hierarchical_", "lca_")) else "--costs" if of_costs else ""
    if needed and text not in own:
        msg = f"{text} needs a file: {needed} FILE"
        raise InputError(msg)
    if text in own:
        return Score(own[text])
    # Of fields with several labels there are means over items, exact match and Hamming loss.
    several = options.get("sep") is not None and not options.get("crossed")
    return score_of_labels(text) if several else parse_score(text)


def cost_text(found: Any, options: dict[str, Any]) -> str:
    """What the answers cost and what to fix first, below the report of a single matrix."""
    costs = costs_of(options)
    if costs is None:
        return ""
    from confmat.costs import cost_report

    return f"\n{cost_report(found, costs)}\n"

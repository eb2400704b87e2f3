"""Relating: classes that are related, and what follows: roll-up, hierarchical scores, severity of mistakes."""

from confmat.relating.hierarchy import Hierarchy
from confmat.relating.scores import (
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    lca_height,
    tree_distance,
)
from confmat.relating.severities import Severity, severity

__all__ = [
    "Hierarchy",
    "Severity",
    "hierarchical_f1",
    "hierarchical_precision",
    "hierarchical_recall",
    "lca_height",
    "severity",
    "tree_distance",
]

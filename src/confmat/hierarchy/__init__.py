"""Hierarchies of classes: roll-up, hierarchical scores, severity of mistakes."""

from confmat.hierarchy.hierarchy import Hierarchy
from confmat.hierarchy.scores import (
    Severity,
    hierarchical_f1,
    hierarchical_precision,
    hierarchical_recall,
    lca_height,
    severity,
    tree_distance,
)

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

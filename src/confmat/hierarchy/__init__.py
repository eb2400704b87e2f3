"""Hierarchies of classes: roll-up, hierarchical scores, severity of mistakes.

For whoever has classes in a tree. It reads a matrix, and gives mistakes their size by the tree. A
class that the tree does not have is refused; `severity` refuses a `Stack`, which the scores take.
"""

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

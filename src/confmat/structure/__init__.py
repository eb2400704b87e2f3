"""Structure: in which order and groups classes are best read, and which confusions stand out."""

from confmat.structure.arrangement import ClassGroups, class_groups, class_order
from confmat.structure.confusions import (
    Confusion,
    Confusions,
    Flow,
    Flows,
    sinks,
    sources,
    top_confusions,
)

__all__ = [
    "ClassGroups",
    "Confusion",
    "Confusions",
    "Flow",
    "Flows",
    "class_groups",
    "class_order",
    "sinks",
    "sources",
    "top_confusions",
]

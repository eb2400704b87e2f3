"""Structure: in which order and groups classes are best read, and which confusions stand out."""

from confmat.structure.confusions import Confusion, Confusions, top_confusions
from confmat.structure.flows import Flow, Flows, sinks, sources
from confmat.structure.grouping import ClassGroups, class_groups
from confmat.structure.ordering import class_order

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

"""Structure: in which order and groups classes are best read, and which confusions stand out."""

from confmat.structure.confusions import Confusion, Confusions, top_confusions
from confmat.structure.flows import Flow, Flows, sinks, sources
from confmat.structure.grouping import Groups, groups
from confmat.structure.ordering import order

__all__ = [
    "Confusion",
    "Confusions",
    "Flow",
    "Flows",
    "Groups",
    "groups",
    "order",
    "sinks",
    "sources",
    "top_confusions",
]

"""Structure: in which order and groups classes are best read, and which confusions stand out."""

from confmat.structure.confusions import Confusion, Confusions, top_confusions
from confmat.structure.ordering import order

__all__ = ["Confusion", "Confusions", "order", "top_confusions"]

"""Several labels per item: a stack with one matrix for each label or item, or one matrix with "(none)"."""

from confmat.metrics.items import exact_match
from confmat.multilabel.counting import count_multilabel

__all__ = ["count_multilabel", "exact_match"]

"""Several labels per item: a stack with one matrix for each label or item, or one matrix with "(none)".

For tags. Items are counted label by label, with weights and clusters of items. Groups are refused,
`by`, and so are labels that `labels` does not name, unless they are to be dropped.
"""

from confmat.metrics.items import exact_match
from confmat.multilabel.counting import count_multilabel

__all__ = ["count_multilabel", "exact_match"]

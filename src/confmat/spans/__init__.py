"""Spans: named entities become pairs of classes, from positions or from sequences of tags.

For whoever marks text. Entities are matched document by document; what has no partner goes with the
background. Weights and clusters are refused, and so is an entity of a class that `labels` does not
name.
"""

from confmat.core.options import no_function
from confmat.spans.counting import count_spans
from confmat.spans.entities import Span, Spans
from confmat.spans.tags import read_conll, spans_of_tags

__all__ = ["Span", "Spans", "count_spans", "read_conll", "spans_of_tags"]

no_function(__name__, "confmat.count_spans(truth, predicted)")

"""Spans: named entities become pairs of classes, from positions or from sequences of tags."""

from confmat.core.options import no_function
from confmat.spans.counting import count_spans
from confmat.spans.entities import Span, Spans
from confmat.spans.tags import read_conll, spans_of_tags

__all__ = ["Span", "Spans", "count_spans", "read_conll", "spans_of_tags"]

no_function(__name__, "confmat.count_spans(truth, predicted)")

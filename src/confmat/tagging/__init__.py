"""Tagging: named entities become pairs; spans, and the sequences of tags that hold them."""

from confmat.tagging.conll import read_conll
from confmat.tagging.entities import Span, Spans
from confmat.tagging.grading import SpanScores, span_scores
from confmat.tagging.spanning import spans
from confmat.tagging.tags import spans_of_tags

__all__ = ["Span", "SpanScores", "Spans", "read_conll", "span_scores", "spans", "spans_of_tags"]

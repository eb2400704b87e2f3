"""Itemwise: what is asked of items with several labels each: the mean over items, and how many are all right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from confmat.core.building import positive_of
from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.metrics.accuracies import accuracy, error_rate
from confmat.metrics.averages import Average, macro
from confmat.metrics.items import gathered, many_of, number_of
from confmat.metrics.scores import Score, parse_score

__all__ = [
    "EXACT",
    "HAMMING",
    "SAMPLES",
    "check_items",
    "check_same_items",
    "exact_match",
    "is_of_labels",
    "needs_items",
    "right_or_not",
    "samples_of",
    "score_of_labels",
]

# Of cells with items in the place of classes: an item counts by its weight, and one without a true label is silent.
SAMPLES = Average("samples", "Samples", "Mean over the items.", macro.formula, macro.latex, weigh=lambda c: c.total)
# Of items as a whole: accuracy where an item is right or not, and the share of wrong cells of items times labels.
EXACT = accuracy.renamed("exact_match", title="Exact match", undefined="there are no items")
HAMMING = error_rate.renamed("hamming_loss", title="Hamming loss", undefined="there are no items")
_OF_ITEMS = {"exact_match": EXACT, "subset_accuracy": EXACT, "exact_match_ratio": EXACT, "hamming_loss": HAMMING}


def samples_of(items: Stack) -> Average:
    """The mean over these items, of which one matrix may stand for several."""
    many = many_of(items)
    return SAMPLES if many is None else replace(SAMPLES, weigh=lambda c: c.total * many)


def check_items(items: object) -> Stack:
    """Complain of anything but a stack with one matrix for each item."""
    if isinstance(items, Stack) and items.axis == "item" and items.n_classes == 2:
        return items
    what = f"a stack along {items.axis!r}" if isinstance(items, Stack) else type(items).__name__
    msg = f"wanted what count_multilabel(..., along='item') gives, got {what}"
    raise InputError(msg)


def is_of_labels(stack: Any) -> bool:
    """Whether this is a stack with a matrix for each label, over having it and not."""
    is_stack = isinstance(stack, Stack) and stack.axis == "label" and len(stack.labels) == 2
    return is_stack and positive_of(stack.labels) is not None


def check_same_items(stack: Stack, items: Any) -> None:
    """Complain of anything but a count by item of what was counted by label.

    Both then add up to the same cells, but for rounding.
    """
    one, other = stack.sum(), check_items(items).sum()
    same = stack.labels == items.labels
    if not same or not np.allclose(one.counts, other.counts, rtol=0, atol=1e-9 * float(one.total)):
        msg = "`items` and the stack must be counts of the same items"
        raise MetricError(msg)


def score_of_labels(text: Any) -> Score:
    """The score that a text asks for, where `f1.samples` is a mean over items; exact match and Hamming loss are known.

    >>> str(score_of_labels("f1.samples")), str(score_of_labels("f1.macro")), str(score_of_labels("Exact match"))
    ('f1.samples', 'f1.macro', 'exact_match')
    """
    if text is exact_match:
        return Score(EXACT)
    if isinstance(text, str) and (found := _OF_ITEMS.get(text.strip().lower().replace(" ", "_").replace("-", "_"))):
        return Score(found)
    if isinstance(text, str) and text.strip().endswith(f".{SAMPLES.name}"):
        return Score(parse_score(text.strip()[: -len(SAMPLES.name) - 1]).metric, average=SAMPLES)
    return parse_score(text)


def needs_items(score: Score) -> bool:
    """Whether the labels' own counts do not tell."""
    return score.average is SAMPLES or score.metric is EXACT


def right_or_not(items: Stack) -> ConfusionMatrix:
    """Items that are all right, and the others, as a matrix whose accuracy is the share of the former."""
    right, many = items.diagonal.sum(axis=1) == items.total, many_of(items)
    hits = int(np.count_nonzero(right) if many is None else many[right].sum())
    return ConfusionMatrix([[hits, number_of(items) - hits], [0, 0]])


def exact_match(items: Stack) -> float:
    """The share of items whose labels are all right: subset accuracy, from a stack along "item".

    >>> from confmat import count_multilabel
    >>> exact_match(count_multilabel([{"cat"}, {"cat", "dog"}], [{"cat"}, {"dog"}], along="item"))
    0.5
    """
    items = gathered(check_items(items))
    total = items.total
    right = items.diagonal.sum(axis=1) == total
    if (many := many_of(items)) is not None:
        total = total * many
    return float(total[right].sum() / total.sum()) if total.any() else float("nan")

"""Items: what all ways from scores to matrices begin with; truth, scores and weights read, checked and aligned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import LabelError, Message
from confmat.core.options import one_of
from confmat.counting.door import check_indexes
from confmat.counting.weights import read_weights
from confmat.deciding.reading import Kind, Missing, Table, check_kind, present, read_scores
from confmat.deciding.truth import Truth, check_lengths, read_truth

__all__ = ["Items", "read_items"]

Array = NDArray[Any]


@dataclass(slots=True)
class Items:
    """Aligned items, none of them missing; `dropped` is what was left out, in the unit of the counts."""

    truth: Truth
    scores: Array
    names: list[Any] | None
    weights: Array | None
    dropped: int | float


def read_items(actual: Any, scores: Any, weights: Any, kind: Kind, missing: Missing) -> Items:
    """Read and check what belongs to the items."""
    one_of("kind", kind, Kind)
    one_of("missing", missing, Missing)
    check_indexes(actual, scores=scores, weights=weights)
    truth, table = read_truth(actual), read_scores(scores)
    check_lengths(truth.codes, table.values)
    check_kind(table.values, kind, table.names)
    numbers = None if weights is None else read_weights(weights, len(table.values), like=actual)
    kept = _kept(truth, table, missing)
    dropped: int | float = 0
    if kept is not None:
        lost = len(kept) - int(kept.sum()) if numbers is None else numbers[~kept].sum().item()
        truth = Truth(truth.codes[kept], truth.names, truth.ordered, None)
        table = Table(table.values[kept], table.names)
        numbers, dropped = None if numbers is None else numbers[kept], lost
    return Items(truth, table.values, table.names, numbers, dropped)


def _kept(truth: Truth, table: Table, missing: Missing) -> Array | None:
    """Which items have a label and scores; None if all."""
    kept = present(table.values, missing)
    if truth.holes is None:
        return kept
    if missing == "error":
        msg = Message(
            "missing labels: {:,} in {actual}, the first at position {:,}; say {missing:'drop'} to leave such "
            "items out",
            int(truth.holes.sum()),
            int(np.argmax(truth.holes)),
        )
        raise LabelError(msg)
    return ~truth.holes if kept is None else kept & ~truth.holes

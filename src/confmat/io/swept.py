"""`thresholds_frame`: the sweep over the probabilities of a frame, a table or a cluster, from counted bins.

Wherever the rows are, they are counted by class and bin in one group-by, and a few thousand numbers
come home. A bin begins at the very float that divides its number by that of the bins, in every
engine: a product may be rounded past that edge, so the edges themselves are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.errors import InputError, Message
from confmat.core.options import door, whole_number
from confmat.core.stack import Stack
from confmat.deciding import thresholds
from confmat.deciding.model_scores import Missing, read_scores
from confmat.deciding.sweeps import thinned
from confmat.io.frames import asking
from confmat.io.queries import (
    Asked,
    collected,
    counted,
    find_column,
    native_of,
    opened,
    pairs_query,
    renamed,
)

# A column of ours beside those of a frame.
_BIN = "__bin"
# Labels that a column of classes may hold.
_MOST_LABELS = 100


@door
def thresholds_frame(
    frame: Any,
    *,
    actual: Any,
    score: Any,
    bins: int = 1000,
    labels: Any = None,
    positive: Any = None,
    of: Any = None,
    missing: Missing = "error",
) -> Stack:
    """Count the matrix at the edges of bins of probabilities, where the rows are: a sweep, as `thresholds` gives it.

    Parameters
    ----------
    frame
        A frame of any library, database or cluster that `count_frame` takes.
    actual, score
        The columns with the actual labels and with the probabilities of the positive class.
    bins
        So many bins of equal width; the sweep has a threshold at the edge of each.
    labels, positive, of, missing
        As in `thresholds`.

    Returns
    -------
    Stack
        Each matrix is exact; between two edges the order of items is unknown, which `interval(t,
        "roc_auc")` says and allows for.

    Raises
    ------
    InputError
        A column is absent, or scores lie outside 0 to 1.

    Examples
    --------
    >>> import pandas as pd  # doctest: +SKIP
    >>> thresholds_frame(
    ...     pd.DataFrame({"y": [1, 0], "p": [0.9, 0.2]}), actual="y", score="p"
    ... )  # doctest: +SKIP
    """
    grid = np.arange(whole_number("bins", bins) + 1) / bins
    given: dict[str, Any] = {
        "labels": labels,
        "positive": positive,
        "of": of,
        "missing": missing,
        "thresholds": grid,
    }
    source = opened(frame)
    actual, score = (
        find_column(source.names, name, side)
        for name, side in ((actual, "actual"), (score, "score"))
    )
    if source.memory is not None:
        columns = [native_of(source.memory[name], name) for name in (actual, score)]
        return _swept(*columns, **given)
    import narwhals.stable.v2 as nw

    with asking():
        rows, safe = renamed(source, Asked(actual, score, None, None, {}))
        value = nw.col(safe.predicted).cast(nw.Float64)
        place = (value * bins).floor()
        # A column, since some engines multiply by the inverse of a number; the place is wrong by at
        # most one.
        wide = value * 0 + bins
        below, above = (
            nw.when(off).then(1).otherwise(0)
            for off in (value < place / wide, value >= (place + 1) / wide)
        )
        place = place - below + above
        rows = rows.with_columns(place.alias(_BIN))
        asked = Asked(safe.actual, _BIN, None, None, safe.called, texts=safe.texts)
        most = _MOST_LABELS * (bins + 3)
        found = counted(collected(pairs_query(rows, asked, most), asked, most), asked)
    return _swept(
        found.actual, read_scores(found.predicted).values / bins, tally=found.many, **given
    )


def _swept(actual: Any, scores: Any, **given: Any) -> Stack:
    """The sweep, whose thresholds are some of all."""
    values = read_scores(scores).values
    if ((values < 0) | (values > 1)).any():
        msg = "{score} must lie from 0 to 1, and hold {:.6g} to {:.6g}; scale them, or take thresholds(...) in memory"
        raise InputError(Message(msg, np.nanmin(values), np.nanmax(values)))
    t = thresholds(actual, values, **given)
    return t if t.notes else thinned(t)

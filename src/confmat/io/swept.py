"""`thresholds_frame`: the sweep over the probabilities of a frame, a table or a cluster, from counted bins.

Wherever the rows are, they are counted by class and bin in one group-by, and a few thousand numbers
come home. A bin begins at the very float that divides its number by that of the bins, in every
engine: a product may be rounded past that edge, so the edges themselves are compared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.calibrating import Bins
from confmat.core.options import door, whole_number
from confmat.core.stack import Stack
from confmat.deciding import thresholds
from confmat.deciding.model_scores import Missing, read_scores
from confmat.deciding.sweeps import thinned
from confmat.io.calibrated import check_within, sums_where_they_are
from confmat.io.frames import asking
from confmat.io.queries import Asked, find_column, native_of, opened


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
    given: dict[str, Any] = {"labels": labels, "positive": positive, "of": of, "thresholds": grid}
    source = opened(frame)
    actual, score = (
        find_column(source.names, name, side)
        for name, side in ((actual, "actual"), (score, "score"))
    )
    if source.memory is not None:
        truth, column = (native_of(source.memory[name], name) for name in (actual, score))
        values = read_scores(column).values
        check_within(int(np.count_nonzero((values < 0) | (values > 1))), repr(score))
        t = thresholds(truth, values, missing=missing, **given)
    else:
        asked, wanted = Asked(actual, score, None, None, {}), ("items", "always")
        with asking():
            names, sums = sums_where_they_are(source, asked, Bins(grid), missing, wanted)
        # Scores of 1 reach one threshold more than the others of the last bin.
        many = np.append(sums[:, 0], sums[:, 1, -1:], axis=1).astype(np.int64)
        many[:, -2] -= many[:, -1]
        label, place = np.nonzero(many)
        rows = [names[code] for code in label.tolist()]
        t = thresholds(rows, grid[place], tally=many[label, place], **given)
    return t if t.notes else thinned(t)

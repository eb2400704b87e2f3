"""`calibration`: scores and what became true, summed by bin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from confmat.calibrating.bins import Bins, Closed, Equal, read_bins
from confmat.calibrating.value import Calibration
from confmat.core.errors import InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.options import door
from confmat.deciding.model_scores import Items, Missing, Truth, labels_of_table, read_probabilities
from confmat.deciding.sweeps import one_side
from confmat.intervals.scored import alone, of_probabilities, thresholds_of

Array = NDArray[Any]
TOP, EACH = "top", "each"


class CalibrationOptions(TypedDict, total=False):
    """The options of `calibration` that say nothing about what it returns."""

    bins: Any
    equal: Equal
    closed: Closed
    labels: Iterable[Any] | None
    positive: Any
    missing: Missing


@overload
def calibration(
    actual: Any, scores: Any = None, *, of: Literal["each"], **options: Unpack[CalibrationOptions]
) -> dict[Any, Calibration]: ...
@overload
def calibration(
    actual: Any, scores: Any = None, *, of: Any = None, **options: Unpack[CalibrationOptions]
) -> Calibration: ...
@door
def calibration(
    actual: Any,
    scores: Any = None,
    *,
    bins: Any = 15,
    equal: Equal = "width",
    closed: Closed = "left",
    labels: Iterable[Any] | None = None,
    positive: Any = None,
    of: Any = None,
    missing: Missing = "error",
) -> Calibration | dict[Any, Calibration]:
    """Sum scores and what became true by bin, into a Calibration, which adds up like a matrix.

    Parameters
    ----------
    actual
        The actual labels; or, in place of labels and scores, the sweep of probabilities that
        `thresholds` gives.
    scores
        A probability for each item, or a table with a column for each class.
    bins
        How many bins, or their edges from 0 to 1.
    equal
        Whether the bins have equal "width" or, for these scores, equal "mass".
    closed
        Whether a score that is an edge lies in the bin above it ("left": [a, b), as in netcal) or
        below it ("right": (a, b], as in scikit-learn).
    labels, positive
        The two classes, and the one that scores speak for, if they are not 0 and 1 or False and
        True.
    of
        The one of several classes that is taken against the rest; "top", for the largest score of
        each item and whether that class is the actual one; "each", for each class against the rest,
        in a dict.
    missing
        "error", or "drop" to leave out items without a score or a label.

    Returns
    -------
    Calibration
        The sums, with `ece`, `brier`, `log_loss` and others, and `interval` for how sure they are;
        of each class, a dict of them.

    Raises
    ------
    InputError
        If scores are no probabilities, or bins do not lie between 0 and 1.

    Examples
    --------
    >>> c = calibration([0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.9], bins=2)
    >>> c.items.tolist(), c.share.round(3).tolist(), round(c.ece, 3)
    ([3, 2], [0.333, 1.0], 0.09)
    """
    if scores is None:
        alone(actual, "calibration", labels=labels, positive=positive, of=of, missing=missing)
        return _of_sweep(actual, bins, equal, closed)
    items = read_probabilities(actual, scores, missing)
    if of not in (TOP, EACH) or not isinstance(of, str):
        side = one_side(items, labels, positive, of)
        return _counted(
            side.truth,
            side.scores,
            read_bins(bins, equal, closed, side.scores),
            side.labels,
            side.place,
        )
    if items.scores.ndim != 2 or positive is not None:
        msg = (
            "{of:'"
            + of
            + "'} reads a table with a column of scores for each class, and no {positive}; one column is "
            "of the positive class, or of {of:...} against the rest"
        )
        raise InputError(Message(msg))
    names = labels_of_table(items, labels, None)
    if of in names:
        raise LabelError(
            Message("a class is called {!r}, which {of} has for all of them; rename it", of)
        )
    codes = items.truth.coded(names)
    if of == TOP:
        top = items.scores.max(axis=1)
        right = items.scores.argmax(axis=1) == codes
        return _counted(
            right,
            top,
            read_bins(bins, equal, closed, top),
            Labels(["wrong", "right"], positive="right"),
            1,
        )
    return {
        name: _counted(
            codes == place, column, read_bins(bins, equal, closed, column), against_rest(name), 1
        )
        for place, (name, column) in enumerate(zip(names, items.scores.T, strict=True))
    }


def _of_sweep(t: Any, bins: Any, equal: Equal, closed: Closed) -> Calibration:
    """The items of each score are those that its threshold reaches and the one above does not."""
    place = of_probabilities(t, "calibration")
    scores = thresholds_of(t)[1:]
    why = (
        "holds weights, and items are counted" if t.total.dtype.kind == "f"
        else "has some thresholds of the scores alone" if any(note.kind == "thinned" for note in t.notes)
        else ""
    )  # fmt: skip
    if why:
        msg = f"a calibration is of a whole sweep of probabilities, and this one {why}; give labels and scores"
        raise InputError(msg)
    many = np.diff(t.counts[:, :, place], axis=0)[:, [1 - place, place]].T
    codes = np.repeat([0, 1], len(scores))
    chosen = read_bins(
        bins, equal, closed, np.repeat(scores, many.sum(axis=0)) if equal == "mass" else None
    )
    return of_sums(chosen, chosen.sums(codes, 2, np.tile(scores, 2), many.ravel()), t.labels, place)


def _counted(truth: Array, scores: Array, bins: Bins, labels: Labels, place: int) -> Calibration:
    return of_sums(bins, bins.sums(truth.astype(np.intp), 2, scores), labels, place)


def against_rest(name: Any) -> Labels:
    """The two labels of a class against the rest."""
    return Labels([f"not {name}", str(name)], positive=str(name))


def of_labels(
    bins: Bins,
    sums: Array,
    names: list[Any],
    column: str | None,
    labels: Any,
    positive: Any,
    of: Any,
) -> Calibration:
    """Return the calibration of sums by label, when all labels that occur are known."""
    truth = Truth(np.arange(len(names)), names, ordered=False, holes=None)
    side = one_side(
        Items(truth, np.zeros(len(names)), None if column is None else [column], None, 0),
        labels,
        positive,
        of,
    )
    return of_sums(
        bins,
        np.stack([sums[~side.truth].sum(axis=0), sums[side.truth].sum(axis=0)]),
        side.labels,
        side.place,
    )


def of_sums(bins: Bins, sums: Array, labels: Labels, place: int) -> Calibration:
    """Return the calibration of sums of negative and of positive items: each has the loss of what it is."""
    own = np.stack(
        [
            np.concatenate([part[:5], part[first : first + 3]])
            for part, first in zip(sums, (8, 5), strict=True)
        ]
    )
    return Calibration(bins, own, labels, place)

"""`judged`: labels of a judge, of a model, and of those who checked some items, from columns, frames and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from confmat.comparison import Comparison
from confmat.comparison.door import METRICS
from confmat.core.errors import InputError
from confmat.core.options import door, one_of
from confmat.counting import count
from confmat.counting.weights import inverse
from confmat.io.counting import count_files
from confmat.io.frames import count_frame
from confmat.judging.door import Checked, judged_columns
from confmat.judging.value import Judged


@door
def judged(
    judge: Any,
    predicted: Any,
    *,
    gold: Any = None,
    checked: Checked = "any",
    probability: Any = None,
    judge_right: float | tuple[float, float] | None = None,
    labels: Iterable[Any] | None = None,
    metrics: Any = METRICS,
    level: float = 0.95,
    data: Any = None,
) -> Judged | Comparison:
    """Correct the matrix of a model by items that somebody checked, where a judge that errs has labelled all.

    The checked items must be drawn by chance: of all items, or of those with the same label of the judge, of the
    model, or of both (`checked`), or each with a `probability` that is known. Items that somebody chose because they
    looked wrong correct nothing.

    Parameters
    ----------
    judge
        The judge's label of every item: a language model's, a crowd's, a cheap test's. None where there is no judge and
        only some items were verified; then the model's own label takes its place, and `checked` is "predicted".
    predicted
        The model's label of every item; or a mapping of names to those of several models, which are then compared.
    gold
        The true label of each item that was checked, missing (None, NaN) for the others.
    checked
        Within what the checked items were drawn by chance: "any" item alike, or those with the same label by the
        "judge", as "predicted", or by "both".
    probability
        One number per item, the probability that it had to be checked.
    judge_right
        In place of `gold`, before anything was checked: a guess of how often the judge is right, such as 0.8; or two,
        where the model says the same and where it does not, (0.95, 0.6). `gold_needed` plans from it what to check;
        scores have no intervals.
    labels
        The classes and their order; otherwise those that occur.
    metrics, level
        As in `compare`, for several models.
    data
        A frame, or the paths of files, if `judge`, `predicted` and `gold` are names of its columns; they are counted
        where they are, as `count_frame` and `count_files` do.

    Returns
    -------
    Judged or Comparison
        The corrected matrix, which `score`, `report`, `interval`, `plot` and `html` take as any other; of several
        models, their comparison, with the noise of the judge in every difference.

    Raises
    ------
    InputError
        If fewer than two items were checked, or not as `checked` says.

    Examples
    --------
    >>> import confmat as cm
    >>> judge, model = ["yes"] * 60 + ["no"] * 40, ["yes"] * 50 + ["no"] * 50
    >>> gold = (["yes"] * 4 + ["no"] + [None] * 5) * 6 + (["no"] * 5 + [None] * 5) * 4
    >>> print(cm.interval(judged(judge, model, gold=gold), "accuracy"))
    0.820 [0.702, 0.898]
    """
    one_of("checked", checked, Checked)
    several = isinstance(predicted, Mapping)
    if judge is None and not several:
        judge, checked = predicted, checked if probability is not None else "predicted"
    if several and (judge is None or len(predicted) < 2 or checked in {"predicted", "both"}):
        msg = (
            "several models are compared with a judge, as a mapping of two names or more to their labels, and items "
            "that were not checked for what one of them says"
        )
        raise InputError(msg)
    counted: Callable[..., Any] = count
    weights = None
    if data is not None:
        if several or probability is not None:
            msg = "columns of `data` are those of one model, without `probability`; give the columns themselves"
            raise InputError(msg)
        of_files = isinstance(data, (str, os.PathLike, list, tuple))
        counted = partial(count_files if of_files else count_frame, data)
    elif not all(hasattr(each, "__len__") for each in (judge, predicted, gold) if each is not None):
        msg = "judged items are read several times; give lists or arrays, not streams"
        raise InputError(msg)
    if probability is not None:
        if checked != "any":
            msg = "`probability` says how each item was drawn, and so does `checked`; give one of them"
            raise InputError(msg)
        weights = inverse(probability, like=judge, what="checked")
    return judged_columns(
        counted,
        judge,
        predicted,
        gold,
        checked=checked,
        weights=weights,
        right=judge_right,
        labels=labels,
        metrics=metrics,
        level=level,
    )

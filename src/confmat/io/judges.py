"""`judged`: labels of a judge, of a model, and of those who checked some items, from columns, frames and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast, overload

from confmat.comparison import Comparison
from confmat.comparison.door import METRICS
from confmat.core.errors import InputError
from confmat.core.labels import MAX_CLASSES, Labels
from confmat.core.options import door, one_of
from confmat.counting import count
from confmat.counting.door import policy_of
from confmat.counting.planning import Action
from confmat.counting.weights import inverse
from confmat.io.counting import count_files
from confmat.io.frames import count_frame
from confmat.io.gathering import Gathered, settled
from confmat.judging.door import Checked, Reading, judged_columns
from confmat.judging.value import Judged

if TYPE_CHECKING:
    from confmat.answers import Answers

    class JudgedOptions(TypedDict, total=False):
        """The options of `judged` that say nothing about what it returns."""

        gold: Any
        checked: Checked
        probability: Any
        judge_right: float | tuple[float, float] | None
        labels: Iterable[Any] | None
        missing: Action
        other: Action
        positive: Any
        answers: Answers | None
        na_values: Iterable[str]
        metrics: Any
        level: float
        data: Any


@overload
def judged(
    judge: Any, predicted: Mapping[Any, Any], **options: Unpack[JudgedOptions]
) -> Comparison: ...
@overload
def judged(judge: Any, predicted: Any = None, **options: Unpack[JudgedOptions]) -> Judged: ...
@door
def judged(
    judge: Any,
    predicted: Any = None,
    *,
    gold: Any = None,
    checked: Checked = "any",
    probability: Any = None,
    judge_right: float | tuple[float, float] | None = None,
    labels: Iterable[Any] | None = None,
    missing: Action = "error",
    other: Action = "error",
    positive: Any = None,
    answers: Answers | None = None,
    na_values: Iterable[str] = (),
    metrics: Any = METRICS,
    level: float = 0.95,
    data: Any = None,
) -> Judged | Comparison:
    """Correct the matrix of a model by items that somebody checked, where a judge that errs has labelled all.

    The checked items must be drawn by chance: of all items, or of those with the same label of the
    judge, of the model, or of both (`checked`), or each with a `probability` that is known. Items
    that somebody chose because they looked wrong correct nothing.

    Parameters
    ----------
    judge
        The judge's label of every item: a language model's, a crowd's, a cheap test's. None where
        there is no judge and only some items were verified; then the model's own label takes its
        place, and `checked` is "predicted".
    predicted
        The model's label of every item; or a mapping of names to those of several models, which are
        then compared. Without it, the judge says which items pass (pass or fail, yes or no, 1 or
        0), and `pass_rate` is their share.
    gold
        The true label of each item that was checked, missing (None, NaN) for the others.
    checked
        Within what the checked items were drawn by chance: "any" item alike, or those with the same
        label by the "judge", as "predicted", or by "both".
    probability
        One number per item, the probability that it had to be checked.
    judge_right
        In place of `gold`, before anything was checked: a guess of how often the judge is right,
        such as 0.8; or two, where the model says the same and where it does not, (0.95, 0.6).
        `gold_needed` plans from it what to check; scores have no intervals.
    labels
        The classes and their order; otherwise those that occur: a label that only the model gives
        has no true items.
    missing, other, positive, answers
        As in `count`, of the model's labels; without a model, of the judge's, and the verdict that
        is good is `positive`. Rules that know the classes read the judge's words, too. With
        `other="collect"` a judge's strange label is none that could be true.
    na_values
        Texts that mean a missing label in files, as in `count_files`.
    metrics, level
        As in `compare`, for several models.
    data
        A frame, or the paths of files, if `judge`, `predicted` and `gold` are names of its columns;
        they are counted where they are, as `count_frame` and `count_files` do.

    Returns
    -------
    Judged or Comparison
        The corrected matrix, which `score`, `report`, `interval`, `plot` and `html` take as any
        other; of several models, their comparison, with the noise of the judge in every difference.

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
    0.820 [0.700, 0.899]
    >>> print(
    ...     judged(["pass"] * 70 + ["fail"] * 30, gold=(["pass"] * 4 + ["fail"] + [None] * 5) * 10)
    ... )
    pass rate 0.800 [0.670, 0.888] by the judge and 50 checked of 100 items; 0.700 by the judge alone
    """
    one_of("checked", checked, Checked)
    several = isinstance(predicted, Mapping)
    _check_sides(judge, predicted, checked)
    if judge is None and not several and probability is None:
        checked = "predicted"
    if data is None:
        _check_lists(judge, predicted, gold)
    elif several or probability is not None:
        msg = "columns of `data` are those of one model, without `probability`; give the columns themselves"
        raise InputError(msg)
    counted = _counter(data, na_values)
    like = predicted if judge is None else judge
    return judged_columns(
        counted,
        judge,
        predicted,
        gold,
        checked=checked,
        reading=Reading(_labels(labels), missing, other, answers, positive),
        weights=_weights(probability, checked, like),
        right=judge_right,
        metrics=metrics,
        level=level,
    )


def _check_sides(judge: Any, predicted: Any, checked: Checked) -> None:
    """Refuse a judge, a model or several that do not fit each other and how items were drawn."""
    of_judge = judge is not None and checked not in {"predicted", "both"}
    if predicted is None and not of_judge:
        msg = (
            "without labels of a model, `judge` says which items pass, and `checked` is "
            "about the judge's labels alone"
        )
        raise InputError(msg)
    if isinstance(predicted, Mapping) and not (of_judge and len(predicted) > 1):
        msg = (
            "several models are compared with a judge, as a mapping of two names or more to their "
            "labels, and items that were not checked for what one of them says"
        )
        raise InputError(msg)


def _check_lists(*sides: Any) -> None:
    if not all(side is None or hasattr(side, "__len__") for side in sides):
        msg = "judged items are read several times; give lists or arrays, not streams"
        raise InputError(msg)


def _weights(probability: Any, checked: Checked, like: Any) -> Any:
    """The weights of items that were drawn with these probabilities."""
    if probability is None:
        return None
    if checked != "any":
        msg = "`probability` says how each item was drawn, and so does `checked`; give one of them"
        raise InputError(msg)
    return inverse(probability, like=like, what="checked")


def _counter(data: Any, na_values: Iterable[str]) -> Callable[..., Any]:
    """The function that counts columns of files or of a frame, or labels themselves."""
    if isinstance(data, (str, os.PathLike, list, tuple)):
        return partial(count_files, data, na_values=na_values)
    if na_values:
        msg = "`na_values` are of files, given as `data`; elsewhere, None is the label of an item that nobody checked"
        raise InputError(msg)
    return count if data is None else partial(count_frame, data)


def _labels(labels: Any) -> Labels | None:
    return labels if labels is None or isinstance(labels, Labels) else Labels(labels)


def judged_rows(
    gathered: Gathered, na_values: Iterable[str], reading: Reading, *, passes: bool
) -> Judged:
    """Return what rows give: gold beside the model's labels by the judge's, or beside the judge's where it `passes`."""
    pairs, asked = gathered.counted(frozenset(na_values)), gathered.asked
    names: Any = {"gold": asked.actual, "column": asked.predicted, "judge": asked.by, None: None}
    columns = {"gold": pairs.actual, "column": pairs.predicted, "judge": pairs.group, None: None}

    def counted(actual: str, predicted: str, by: str | None = None, **given: Any) -> Any:
        options = {"positive": None, "answers": None, "other": "error"} | given
        policy = policy_of(max_classes=MAX_CLASSES, **options)
        part = replace(
            pairs, actual=columns[actual], predicted=columns[predicted], group=columns[by]
        )
        here = replace(asked, actual=names[actual], predicted=names[predicted], by=names[by])
        return settled(part, here, policy)

    judge = "judge" if asked.by is not None else None
    first, second = ("column", None) if passes else (judge, "column")
    checked: Checked = "any" if passes or judge else "predicted"
    wishes: Any = {
        "checked": checked,
        "weights": None,
        "right": None,
        "metrics": METRICS,
        "level": 0.95,
    }
    return cast("Judged", judged_columns(counted, first, second, "gold", reading=reading, **wishes))

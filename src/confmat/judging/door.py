"""`judged`: labels of a judge, of a model, and of those who checked some items, counted together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from confmat.comparison import Comparison
from confmat.comparison.door import compare_pairings
from confmat.core.errors import InputError, LabelError
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import told
from confmat.core.stack import Stack
from confmat.intervals.variance import squares_beside
from confmat.judging.value import Answers, Judged, JudgedPairing

Array = NDArray[Any]
Checked = Literal["any", "judge", "predicted", "both"]
_STRATA: dict[str, tuple[int, ...]] = {"any": (), "judge": (0,), "predicted": (1,), "both": (0, 1)}
_FEW = "at least two items need a label in `gold`, and better a hundred; {:.0f} has one"
_UNREAD = "`gold` has the true label of two items or more, and None where nobody checked: {}"
# Shares of checked items this unlike are no chance.
_UNLIKELY = 1e-6
# Below this many expected, one checked item of a rare label would look like a choice; those are tested together.
_EXPECTED = 5


def judged_columns(
    count: Callable[..., Any],
    judge: Any,
    predicted: Any,
    gold: Any,
    *,
    checked: Checked,
    weights: Any,
    right: Any,
    labels: Any,
    metrics: Any,
    level: float,
) -> Judged | Comparison:
    """Correct what `count` counts, wherever it is; of several models, compare them."""
    models = {str(name): column for name, column in predicted.items()} if isinstance(predicted, Mapping) else None
    known = labels if labels is None or isinstance(labels, Labels) else Labels(labels)

    columns, counted = models or {"": predicted}, partial(_counted, count)
    if gold is None and right is not None and models is None:
        return _guessed(counted(judge, predicted, labels=known), right)
    if gold is None or right is not None:
        msg = "`gold` has the true labels of checked items; before there are any, of one model, say judge_right=0.9"
        raise InputError(msg)
    everyone = {name: counted(judge, column, labels=known) for name, column in columns.items()}
    # With weights, the number of items has to be counted by itself.
    try:
        gold_alone = counted(gold, gold, "gold", labels=known, missing="drop")
    except LabelError as error:
        raise InputError(_UNREAD.format(error)) from None
    if known is None:
        named = reduce(Labels.union, (m.labels for m in everyone.values()))
        if "" in gold_alone.labels.classes and "" not in named.classes:
            raise InputError(_UNREAD.format("some are empty texts, which is no class of the judge or the model"))
        known = named.union(gold_alone.labels)
    found = {}
    checks = {"labels": known, "missing": "drop", "weights": weights}
    for name, column in columns.items():
        verified = counted(gold, column, "gold", by=judge, **checks)
        answers = _answers(
            everyone[name]._recoded(known), verified, known, float(gold_alone.total), checked, even=weights is None
        )
        found[name] = Judged._judged(known, answers)
    if models is None:
        return found[""]
    pairings = {}
    for (first, one), (second, two) in combinations(models.items(), 2):
        every = counted(one, two, by=judge, labels=known)
        verified = counted(gold, one, "gold", by={"judge": judge, "second": two}, **checks)
        pairings[first, second] = _paired((found[first], found[second]), every, verified)
    return compare_pairings(found, pairings, metrics=metrics, level=level)


def _counted(count: Callable[..., Any], actual: Any, predicted: Any, first: str = "judge", **more: Any) -> Any:
    """Count pairs; complaints name the first column as it was given, and no options that judged items do not have."""
    try:
        return count(actual=actual, predicted=predicted, **more)
    except (InputError, LabelError) as error:
        said = re.sub(r"\. Say missing=.*", ". Give them a label of their own, or leave the items out", str(error))
        said = re.sub(r", or say other=.*", ", or leave the items out", said)
        raise type(error)(said.replace("`actual`", f"`{first}`")) from None


def _guessed(everyone: ConfusionMatrix, right: Any) -> Judged:
    """Return what a guess of how often the judge is right makes of items of which none was checked."""
    both = right if isinstance(right, tuple) else (right, right)
    if len(both) != 2 or not all(isinstance(each, float) and 0 < each < 1 for each in both):
        msg = (
            "`judge_right` guesses how often the judge is right, between 0 and 1, or how often where the model says "
            f"the same and where it does not, such as (0.95, 0.6); got {told(right)}"
        )
        raise InputError(msg)
    (judge, model, counts), none, few = everyone._counts.cells(), np.zeros(0, np.intp), np.zeros(0)
    answers = Answers(judge, model, counts.astype(float), none, none, none, few, few, 0.0, guess=both)
    return Judged._judged(everyone.labels, answers)


def _answers(
    everyone: ConfusionMatrix, verified: Stack, names: Labels, number: float, checked: str, *, even: bool
) -> Answers:
    """Put the counted cells side by side, once the checked items are what they are said to be."""
    if number < 2:
        raise InputError(_FEW.format(number))
    judge, model, counts = everyone._counts.cells()
    parts = []
    for key, m in verified.items():
        rows, cols, weight = m._counts.cells()
        if len(rows):
            parts.append(
                (rows, np.full(len(rows), names.index(key)), cols, weight, squares_beside(m, rows, cols, weight))
            )
    gold, by, answer, weight, squared = (np.concatenate(part) for part in zip(*parts, strict=True))
    answers = Answers(
        judge, model, counts.astype(float), gold, by, answer, weight.astype(float), squared.astype(float), number,
        _STRATA[checked],
    )  # fmt: skip
    if even and checked == "any":
        _check_even(answers, len(names))
    return answers


def _paired(models: tuple[Judged, Judged], every: Stack, verified: Stack) -> JudgedPairing:
    """Return the answers of two models to the same judged items."""
    labels, answers = models[0].labels, models[0].answers
    parts = [(labels.index(key), *m._counts.cells()) for key, m in every.items()]
    everyone = [np.concatenate([np.full(len(part[1]), part[0]) for part in parts])]
    everyone += [np.concatenate([part[side] for part in parts]) for side in (1, 2, 3)]
    cells = []
    for (judge, second), m in verified.items():
        rows, cols, weight = m._counts.cells()
        many = [np.full(len(rows), labels.index(key)) for key in (judge, second)]
        cells.append((rows, cols, *many, weight, squares_beside(m, rows, cols, weight)))
    gold, first, judges, second, weight, squared = (np.concatenate(part) for part in zip(*cells, strict=True))
    drawn = replace(
        answers,
        gold=gold,
        gold_judge=judges,
        gold_model=first,
        weight=weight.astype(float),
        squared=squared.astype(float),
    ).units(len(labels))
    return JudgedPairing(
        labels, gold, first, second, drawn.weight, drawn.squared, drawn,
        judges=judges, everyone=tuple(everyone), models=models,
    )  # fmt: skip


def _check_even(answers: Answers, size: int) -> None:
    """Complain of items that were checked more often where judge or model say something else."""
    from scipy.special import gammaincc

    sides = ("judge", answers.judge, answers.gold_judge), ("predicted", answers.model, answers.gold_model)
    for name, every, checked in sides:
        whole, seen = np.bincount(every, answers.counts, size), np.bincount(checked, answers.weight, size)
        share = seen.sum() / whole.sum()
        rare = whole * min(share, 1 - share) < _EXPECTED
        whole, seen = (np.append(part[~rare], part[rare].sum()) for part in (whole, seen))
        kept = whole * min(share, 1 - share) >= _EXPECTED
        statistic = ((seen - whole * share)[kept] ** 2 / (whole * share * (1 - share))[kept]).sum()
        if kept.sum() > 1 and gammaincc((kept.sum() - 1) / 2, statistic / 2) < _UNLIKELY:
            msg = (
                f"items with some labels of {'the judge' if name == 'judge' else 'the model'} were checked more often "
                f"than with others: if they were drawn so, say checked={name!r} or 'both', or give each its probability"
            )
            raise InputError(msg)

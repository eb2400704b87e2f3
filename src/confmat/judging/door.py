"""`judged`: labels of a judge, of a model, and of those who checked some items, counted together."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from confmat.comparison import Comparison
from confmat.comparison.door import compare_pairings
from confmat.core.align import models_by_text
from confmat.core.errors import Argument, ConfmatWarning, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.notes import merged
from confmat.core.options import told
from confmat.core.stack import Stack
from confmat.core.text import some
from confmat.counting.look import MISSING_WORDS, look
from confmat.counting.planning import MISSING, OTHER, Action
from confmat.intervals.variance import squares_beside
from confmat.judging.value import Answers, Judged, JudgedPairing

if TYPE_CHECKING:
    from confmat.answers import Answers as AnswerRules

Array = NDArray[Any]
Checked = Literal["any", "judge", "predicted", "both"]
_STRATA: dict[str, tuple[int, ...]] = {"any": (), "judge": (0,), "predicted": (1,), "both": (0, 1)}
_FEW = "at least two items need a label in `gold`, and better a hundred; {:.0f} has one"
_UNREAD = "`gold` has the true label of two items or more, and None where nobody checked: "
_PASSES = {
    "pass",
    "passed",
    "true",
    "1",
    "yes",
    "y",
    "correct",
    "right",
    "good",
    "ok",
    "accept",
    "accepted",
    "success",
}
_FAILS = {
    "fail",
    "failed",
    "false",
    "0",
    "-1",
    "no",
    "n",
    "incorrect",
    "wrong",
    "bad",
    "reject",
    "rejected",
    "failure",
}
# Shares of checked items this unlike are no chance.
_UNLIKELY = 1e-6
# Below this many expected, one checked item of a rare label would look like a choice; those are
# tested together.
_EXPECTED = 5


@dataclass(frozen=True)
class Reading:
    """How labels are read, as `count` has these options."""

    labels: Labels | None
    missing: Action
    other: Action
    answers: AnswerRules | None
    positive: Any

    @property
    def options(self) -> dict[str, Any]:
        """The options of a count beside its labels and what is missing."""
        return {"other": self.other, "answers": self.answers, "positive": self.positive}

    @property
    def again(self) -> dict[str, Any]:
        """The same options for labels that are looked at before they are counted."""
        rules = None if self.answers is None else self.answers.logged(None)
        return {"other": self.other, "answers": rules, "missing": self.missing}

    @property
    def of_judge(self) -> AnswerRules | None:
        """The rules that read a judge's words, too: those that know the classes."""
        rules = (
            self.answers
            if self.answers is None or self.labels is None
            else self.answers.bound(self.labels)
        )
        return None if rules is None or rules.labels is None else rules.logged(None)


def judged_columns(
    count: Callable[..., Any],
    judge: Any,
    predicted: Any,
    gold: Any,
    *,
    reading: Reading,
    checked: Checked,
    weights: Any,
    right: Any,
    metrics: Any,
    level: float,
) -> Judged | Comparison:
    """Correct what `count` counts, wherever it is; of several models, compare them."""
    models = models_by_text(predicted) if isinstance(predicted, Mapping) else None
    counted = partial(_counted, count)
    if gold is None and right is not None and models is None and predicted is not None:
        everyone = counted(
            judge,
            predicted,
            "judge",
            labels=reading.labels,
            missing=reading.missing,
            **reading.options,
        )
        return _guessed(everyone, right)
    if gold is None or right is not None:
        msg = "`gold` has the true labels of checked items; before there are any, of one model, say judge_right=0.9"
        raise InputError(msg)
    options: dict[str, Any] = {"checked": checked, "weights": weights}
    if models is None:
        return _judged_model(counted, judge, predicted, gold, reading, **options)
    if reading.answers is not None or "error" not in {reading.other} & {reading.missing}:
        msg = (
            "`answers`, `other` and `missing` read the labels of one model; of several, read them "
            "first: "
            "answers.labels_of(column)"
        )
        raise InputError(msg)
    if (labels := reading.labels) is None:
        truths = _truths(counted, gold, reading)[0]
        each = [counted(judge, column, "judge").labels for column in models.values()]
        labels = _union(reduce(Labels.union, each), truths)
        reading = replace(reading, labels=labels)
    found = {
        name: _judged_model(counted, judge, column, gold, reading, **options)
        for name, column in models.items()
    }
    checks = {"labels": labels, "missing": "drop", "weights": weights}
    pairings = {}
    for (first, answers), (second, two) in combinations(models.items(), 2):
        every = counted(answers, two, "predicted", by=judge, labels=labels)
        verified = counted(gold, answers, "gold", by={"judge": judge, "second": two}, **checks)
        pairings[first, second] = _paired((found[first], found[second]), every, verified)
    return compare_pairings(found, pairings, metrics=metrics, level=level)


def _truths(count: Callable[..., Any], gold: Any, reading: Reading) -> tuple[Labels, bool]:
    """Return the labels of the checked items, and whether none was left unchecked."""
    try:
        with catch_warnings():
            # Its labels are looked at with those of the judge.
            simplefilter("ignore", ConfmatWarning)
            alone = count(
                gold, gold, "gold", labels=reading.labels, missing="drop", other=reading.other
            )
    except LabelError as error:
        raise InputError(Message("{}{}", _UNREAD, error)) from None
    return alone.labels, not alone.dropped


def _union(named: Labels, truths: Labels) -> Labels:
    """Return the labels of judge and model with those of the checked; none of these may mean "not checked"."""
    _check_truths(truths, named)
    return named.union(truths)


def _check_truths(truths: Labels, named: Container[Any]) -> None:
    """Refuse true labels that nobody else gives and that are written like a missing value."""
    strange = [
        name
        for name in truths.classes
        if str(name).strip().lower() in MISSING_WORDS and name not in named
    ]
    if strange:
        what = f"some are {some(strange)}" if str(strange[0]).strip() else "some are empty texts"
        msg = (
            "{}{}, which is no class of the judge or the model; None, or {na_values}, says "
            "that these were not checked"
        )
        raise InputError(Message(msg, _UNREAD, what))


def _judged_model(
    count: Callable[..., Any],
    judge: Any,
    predicted: Any,
    gold: Any,
    reading: Reading,
    *,
    checked: Checked,
    weights: Any,
) -> Judged:
    """Return the judged matrix of one model; without one, of which items pass."""
    truths, complete = _truths(count, gold, reading)
    single = judge is None or predicted is None
    known, notes = _named(count, judge, predicted, gold, reading, truths, complete=complete)
    column = judge if predicted is None else predicted
    missing = reading.missing if complete else "collect"
    options = {
        "labels": known,
        "missing": missing,
        "by": None if single else judge,
        **reading.options,
    }
    every = count(gold, column, "gold", **options)
    if reading.labels is None:
        _check_truths(truths, {*_answered(every), *(() if single else every)})
    notes = merged([*notes, *every.notes])
    if getattr(every, "ungrouped", None):
        msg = "some labels in `judge` are missing. Give them a label of their own, or leave the items out"
        raise LabelError(msg)
    name = "judge" if predicted is None else "predicted"
    cells = _Cells(every, reading, name)
    weighed = (
        cells
        if weights is None
        else _Cells(count(gold, column, "gold", weights=weights, **options), reading, name)
    )
    answers, labels, passes = cells.answers(weighed, _STRATA[checked]), cells.labels, None
    if predicted is None:
        passes = _passing(labels)
        answers = answers.of_verdicts(labels.index(passes))
    if answers.number < 2:
        raise InputError(_FEW.format(answers.number))
    if weights is None and checked == "any":
        _check_even(answers, len(labels))
    judged = Judged._judged(labels, answers, cells.dropped, passes)
    twice = tuple(note for note in every.notes if note.kind == "twice")
    return look(judged._noted(twice), named=reading.labels is not None, warned=notes)


def _named(
    count: Callable[..., Any],
    judge: Any,
    predicted: Any,
    gold: Any,
    reading: Reading,
    truths: Labels,
    *,
    complete: bool,
) -> tuple[Labels | None, tuple[Any, ...]]:
    """Return the labels, where they have to be known beforehand, and what was said of judge and model."""
    rules = reading.answers
    if judge is None or predicted is None:
        is_bare = reading.labels is None and rules is not None and rules.labels is None
        return truths if is_bare else reading.labels, ()
    if complete and rules is not None:
        return reading.labels, ()
    if reading.of_judge is not None:
        options = reading.again | {"missing": "collect"}
        return reading.labels, count(gold, judge, "gold", labels=reading.labels, **options).notes
    before = count(judge, predicted, "judge", labels=reading.labels, **reading.again)
    known = reading.labels
    if not (complete or known):
        known = _union(before.labels, truths)
    return known, before.notes


def _answered(every: Any) -> Iterable[Any]:
    """The labels that the model, or the judge of passing and failing items, gave."""
    whole = every if isinstance(every, ConfusionMatrix) else every.sum()
    return compress(whole.labels, whole.predicted_totals)


def _parts(every: Any) -> dict[Any, ConfusionMatrix]:
    return {None: every} if isinstance(every, ConfusionMatrix) else dict(every.items())


def _filled(every: Any, reading: Reading) -> list[Any]:
    """Truth, judge, model, weight and squared weight of each filled cell."""
    parts, rules, cells = _parts(every), reading.of_judge, []
    keys = parts if rules is None else rules.labels_of(list(parts))
    for key, m in zip(keys, parts.values(), strict=True):
        rows, cols, weight = m._counts.cells()
        # Without a judge the model's own label takes its place.
        place = (
            cols
            if isinstance(every, ConfusionMatrix)
            else np.full(len(rows), _place(every.labels, key))
        )
        squared = squares_beside(m, rows, cols, weight)
        cells.append((rows, place, cols, weight.astype(float), squared))
    return [np.concatenate(part) for part in zip(*cells, strict=True)]


class _Cells:
    """Filled cells of truth by judge by model, of checked items and, with a missing truth, of all others."""

    def __init__(self, every: Any, reading: Reading, column: str) -> None:
        labels: Labels = every.labels
        self.dropped = sum(m.dropped for m in _parts(every).values())
        columns = _filled(every, reading)
        lost = len(labels) if MISSING not in labels.outside else labels.index(MISSING)
        absent = columns[2] == lost
        if absent.any() and reading.missing == "error":
            msg = Message(
                "missing labels: {:,.0f} in {}. Say {missing:'drop'} to leave these pairs out, or "
                "{missing:'collect'} to count them as {!r}",
                columns[3][absent].sum(),
                Argument(column),
                MISSING,
            )
            raise LabelError(msg)
        if reading.missing == "drop":
            self.dropped += columns[3][absent].sum()
            columns = [part[~absent] for part in columns]
        self.unchecked = columns[0] == lost
        outside = labels.outside
        if reading.missing != "collect" or not absent.any():
            outside = tuple(name for name in outside if name != MISSING)
        if self.unchecked.any() and (columns[1] < 0).any() and OTHER not in outside:
            outside = (*outside, OTHER)
        self.labels = labels.replace(outside=outside)
        # In another order, since labels may be behind the one that is left out.
        moved = np.array([*(_place(self.labels, name) for name in labels), -1])
        for side in (0, 1, 2):
            columns[side] = moved[columns[side]]
        if OTHER in outside:
            columns[1] = np.where(columns[1] < 0, self.labels.index(OTHER), columns[1])
        self.columns = columns

    def answers(self, weighed: _Cells, drawn: tuple[int, ...]) -> Answers:
        """Return all items, and the checked ones with the weights that these cells have."""
        _, judge, model, counts, _ = self.columns
        gold, by, answer, weight, squared = (part[~weighed.unchecked] for part in weighed.columns)
        number = float(counts[~self.unchecked].sum())
        return Answers(
            judge, model, counts, gold, by, answer, weight, squared.astype(float), number, drawn
        )


def _place(labels: Labels, name: Any) -> int:
    return labels.index(name) if name in labels else -1


def _passing(labels: Labels) -> Any:
    """Return the verdict that items pass with."""
    names = {str(name).strip().lower(): name for name in labels.classes}
    good = [name for text, name in names.items() if text in _PASSES]
    found = labels.positive if labels.positive is not None else good[0] if len(good) == 1 else None
    if (
        labels.n_classes > 2
        or found is None
        or (labels.positive is None and names.keys() - _PASSES - _FAILS)
    ):
        msg = Message(
            "a judge of which items pass has two verdicts, such as pass and fail, and these are "
            "{}; say which one is "
            "good with {positive=}, or name the labels of a model, too",
            some(labels.classes),
        )
        raise InputError(msg)
    return found


def _counted(
    count: Callable[..., Any], actual: Any, predicted: Any, first: str, **more: Any
) -> Any:
    """Count pairs; complaints name the first column as it was given."""
    try:
        return count(actual=actual, predicted=predicted, **more)
    except (InputError, LabelError) as error:
        message: str = error.message.renamed(actual=first)
        if first == "judge" and "Say missing=" in str(message):
            message = re.sub(
                r"\. Say missing=.*",
                ". Give them a label of their own, or leave the items out",
                str(message),
            )
        raise type(error)(message) from None


def _guessed(everyone: ConfusionMatrix, right: Any) -> Judged:
    """Return what a guess of how often the judge is right makes of items of which none was checked."""
    both = right if isinstance(right, tuple) else (right, right)
    if len(both) != 2 or not all(isinstance(each, float) and 0 < each < 1 for each in both):
        msg = (
            "`judge_right` guesses how often the judge is right, between 0 and 1, or how often "
            "where the model says "
            f"the same and where it does not, such as (0.95, 0.6); got {told(right)}"
        )
        raise InputError(msg)
    (judge, model, counts), none, few = everyone._counts.cells(), np.zeros(0, np.intp), np.zeros(0)
    answers = Answers(
        judge, model, counts.astype(float), none, none, none, few, few, 0.0, guess=both
    )
    return Judged._judged(everyone.labels, answers)


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
    gold, first, judges, second, weight, squared = (
        np.concatenate(part) for part in zip(*cells, strict=True)
    )
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

    sides = (
        ("judge", answers.judge, answers.gold_judge),
        ("predicted", answers.model, answers.gold_model),
    )
    for name, every, checked in sides:
        # No label, -1, is a label of a judge like others here.
        whole, seen = (
            np.bincount(part + 1, many, size + 1)
            for part, many in ((every, answers.counts), (checked, answers.weight))
        )
        share = seen.sum() / whole.sum()
        rare = whole * min(share, 1 - share) < _EXPECTED
        whole, seen = (np.append(part[~rare], part[rare].sum()) for part in (whole, seen))
        kept = whole * min(share, 1 - share) >= _EXPECTED
        statistic = ((seen - whole * share)[kept] ** 2 / (whole * share * (1 - share))[kept]).sum()
        if kept.sum() > 1 and gammaincc((kept.sum() - 1) / 2, statistic / 2) < _UNLIKELY:
            msg = (
                f"items with some labels of {'the judge' if name == 'judge' else 'the model'} were "
                "checked more often "
                f"than with others: if they were drawn so, say checked={name!r} or 'both', or give "
                "each its probability"
            )
            raise InputError(msg)

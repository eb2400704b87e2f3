"""From counted pairs of a label and a score to pairs of labels: who reaches the threshold is answered positive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from confmat.deciding.answering import BORDERS, check_threshold
from confmat.deciding.truth import Truth, labels_of_two, positive_place, read_labels
from confmat.engines.queries import Asked, Counted
from confmat.errors import InputError, LabelError, Message
from confmat.text import fit, printable, some

__all__ = ["answered", "scores_of"]


def answered(
    found: Counted, asked: Asked, labels: Any, positive: Any, threshold: float | None, kind: str = "probabilities"
) -> Counted:
    """The pairs with an answer in the place of each score; kinds of scores are those of `from_scores`."""
    scores = scores_of(found, asked)
    given = read_labels(labels, positive)
    if given is None:
        names = list(dict.fromkeys(name for name in found.actual if name is not None))
        if len(names) > 2:
            msg = Message(
                "a threshold parts two classes, but the column {} holds {}; name two in {labels}, and say "
                "{other:'drop'} to leave out the rest",
                asked.name(asked.actual),
                some(names),
            )
            raise LabelError(msg)
        given = labels_of_two(Truth(np.zeros(0, np.int64), names, ordered=False, holes=None), positive)
    if len(given) != 2:
        msg = Message("a threshold parts two classes, and {labels} names {}: {}", len(given), some(given))
        raise LabelError(msg)
    if threshold != threshold:
        msg = Message("{threshold} must be a number, not NaN")
        raise InputError(msg)
    place = positive_place(given)
    if threshold is None:
        threshold = _border(kind, scores, asked)
    elif kind == "probabilities" and all(score is None or 0 <= score <= 1 for score in scores):
        # Other columns have a scale of their own, and a threshold says enough.
        check_threshold(threshold)
    answers = [None if score is None else given[place if score >= threshold else 1 - place] for score in scores]
    return replace(found, predicted=answers)


def scores_of(found: Counted, asked: Asked) -> list[float | None]:
    """The predicted side as scores; NaN is missing."""
    return [_number(score, asked) for score in found.predicted]


def _border(kind: str, scores: list[float | None], asked: Asked) -> float:
    """Where scores of this kind part."""
    if kind not in BORDERS:
        msg = Message("{kind:'scores'} does not say where two classes part; say {threshold}")
        raise InputError(msg)
    wrong = [score for score in scores if score is not None and not 0 <= score <= 1]
    if kind == "probabilities" and wrong:
        msg = Message(
            "the column {} holds {!r}, so these are no probabilities, which part at 0.5; say {threshold}",
            asked.name(asked.predicted),
            wrong[0],
        )
        raise InputError(msg)
    return BORDERS[kind]


def _number(score: Any, asked: Asked) -> float | None:
    """A score as a number; NaN is missing."""
    if score is None:
        return None
    try:
        value = float(score)
    except (TypeError, ValueError):
        shown = fit(printable(repr(score)), 60)
        msg = f"the column {asked.name(asked.predicted)} holds {shown}, which is no score"
        raise InputError(msg) from None
    return None if value != value else value

"""Rows: how labels that were typed are meant, and how scores and free answers are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from confmat.cli.options import refuse
from confmat.cli.settings import FreeAnswers, Rows, RowSettings, Scores
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack

if TYPE_CHECKING:
    from confmat.answers import AnswerLog, Answers
    from confmat.io.gathering import Gathered


def spelling(names: Sequence[Any]) -> Callable[[str], Any]:
    """Return how a typed label is meant, by the labels that the files hold: text, integers or booleans."""
    kinds = {type(name) for name in names if name is not None}
    if kinds == {bool}:
        return lambda text: {"true": True, "false": False, "1": True, "0": False}.get(
            text.lower(), text
        )
    if kinds and kinds <= {int, float, bool}:
        return lambda text: int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else text
    return lambda text: text


def classes_meant(settings: Rows, names: Sequence[Any]) -> tuple[list[Any] | None, Any]:
    """Return the labels and the positive class that were typed, as the labels that the files hold are meant."""
    spelt = spelling(names)
    labels = settings.labels and [spelt(label) for label in settings.labels]
    return labels, None if settings.positive is None else spelt(settings.positive)


def rules_of(answers: FreeAnswers) -> Answers | None:
    """Return the rules for free answers; None if answers are labels as they are."""
    steps = [step.replace("-", " ") for steps in answers.extract for step in steps]
    rules: dict[str, Any] = {
        "refused": answers.refused,
        "abstained": answers.abstained,
        "extract": [*answers.pattern, *steps],
        "fuzzy": answers.fuzzy,
    }
    if not (answers.any_spelling or answers.aliases is not None or any(rules.values())):
        return None
    from confmat.answers import Answers

    if not rules["extract"]:
        del rules["extract"]
    return Answers(**rules) if answers.aliases is None else Answers.read(answers.aliases, **rules)


def logged_rules(answers: FreeAnswers) -> tuple[Answers | None, AnswerLog | None]:
    """Return the rules for free answers and the log that they write, if there are any."""
    rules = rules_of(answers)
    if rules is None:
        return None, None
    from confmat.answers import AnswerLog

    log = AnswerLog()
    return rules.logged(log), log


def settle(
    settings: RowSettings, gathered: Gathered, rules: Answers | None
) -> ConfusionMatrix | Stack:
    """Return the matrix of pairs; labels typed on the command line become those that the files hold."""
    from confmat.core.labels import MAX_CLASSES
    from confmat.counting.door import policy_of
    from confmat.io.gathering import names_in, refuse_scores, settled

    pairs = gathered.counted(frozenset(settings.na_values))
    scored = settings.scores is not None
    found = [*names_in(pairs.actual), *([] if scored else names_in(pairs.predicted))]
    labels, positive = classes_meant(settings, found)
    if scored:
        from confmat.io.samples import answered

        pairs = answered(
            pairs, gathered.asked, labels, positive, settings.threshold, settings.score_kind
        )
    elif not labels and rules is None:
        refuse_scores(pairs, gathered.asked)
    other = "error" if labels is None and rules is None else settings.other
    policy = policy_of(labels, settings.missing, other, positive, MAX_CLASSES, rules)
    return settled(pairs, gathered.asked, policy)


def answers_column(settings: RowSettings) -> str | None:
    """Return the column of answers, or of the scores that they are made of."""
    if not is_of_labels(settings) and FreeAnswers.declared.keys() & settings.given:
        msg = "rules for answers are about one label an item, and not about --scores"
        raise InputError(msg)
    if settings.scores is None:
        refuse(settings, Scores.declared, "is about scores; name their columns with --scores")
        return settings.predicted
    if "predicted" in settings.given:
        msg = "--predicted names a column of labels and --scores one of scores; give one of them"
        raise InputError(msg)
    if settings.top_k is not None and not has_score_columns(settings):
        msg = "--top-k needs a score for each class: --scores p_cat,p_hen or --scores 'p_*'"
        raise InputError(msg)
    return settings.scores[0]


def is_of_labels(settings: RowSettings) -> bool:
    """Return whether rows hold one label an item on each side."""
    return settings.scores is None


def has_score_columns(settings: Scores) -> bool:
    """Return whether each class has a column of scores."""
    scores = settings.scores
    if scores is None:
        return False
    if not all(scores) or not scores:
        msg = "--scores names the columns of scores, such as p_cat,p_hen or 'p_*'; one of these has no name"
        raise InputError(msg)
    return len(scores) > 1 or "*" in scores[0]


def count_rows(source: Any, settings: RowSettings, kind: str | None) -> ConfusionMatrix | Stack:
    """Count rows with a column of scores for each class, one by one."""
    answers_column(settings)
    collected = [name for name in ("missing", "other") if settings.peek(name) == "collect"]
    refuse(settings, collected, "is error or drop with --scores")
    shared: dict[str, Any] = {
        "spelling": spelling,
        "labels": settings.labels,
        "na_values": settings.na_values,
        "format": kind or settings.kind,
        "delimiter": settings.delimiter,
        "memory_limit": settings.memory,
        "threads": settings.threads,
        "missing": settings.missing,
    }
    if settings.other == "drop":
        msg = "--other drop does not go with several columns of scores: each label needs a column of its own"
        raise InputError(msg)
    from confmat.io.samples import Scores as ScoreColumns
    from confmat.io.samples import count_scores

    assert settings.scores is not None
    return count_scores(
        source,
        ScoreColumns(settings.scores, settings.actual, settings.weight, settings.by),
        positive=settings.positive,
        top_k=settings.top_k or 1,
        threshold=settings.threshold,
        kind=settings.score_kind,
        **shared,
    )

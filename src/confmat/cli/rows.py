"""Rows: how labels that were typed are meant, and how scores, several labels and free answers are counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from confmat.cli.options import refuse
from confmat.cli.settings import RowSettings, Scores, character
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack

if TYPE_CHECKING:
    from confmat.counting.answers import AnswerLog, Answers
    from confmat.io.gathering import Gathered

# Options that make no sense without scores.
SCORE_OPTIONS = ("threshold", "top_k", "score_kind")
ANSWER_OPTIONS = ("any_spelling", "aliases", "refused", "abstained", "extract", "pattern", "fuzzy")


def spelling(names: Sequence[Any]) -> Callable[[str], Any]:
    """Return how a typed label is meant, by the labels that the files hold: text, integers or booleans."""
    kinds = {type(name) for name in names if name is not None}
    if kinds == {bool}:
        return lambda text: {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), text)
    if kinds and kinds <= {int, float, bool}:
        return lambda text: int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else text
    return lambda text: text


def rules_of(settings: RowSettings) -> Answers | None:
    """Return the rules for free answers; None if answers are labels as they stand."""
    answers = settings.answers
    steps = [step.replace("-", " ") for steps in answers.extract for step in steps]
    rules: dict[str, Any] = {
        "refused": answers.refused,
        "abstained": answers.abstained,
        "extract": [*answers.pattern, *steps],
        "fuzzy": answers.fuzzy,
    }
    if not (answers.any_spelling or answers.aliases is not None or any(rules.values())):
        return None
    if settings.scores.scores is not None or settings.several.sep is not None:
        if not any(name in answers.typed for name in ANSWER_OPTIONS):
            return None
        msg = "rules for answers are about one label an item, and neither about --scores nor --sep"
        raise InputError(msg)
    from confmat.counting.answers import Answers

    if not rules["extract"]:
        del rules["extract"]
    return Answers(**rules) if answers.aliases is None else Answers.read(answers.aliases, **rules)


def logged_rules(settings: RowSettings) -> tuple[Answers | None, AnswerLog | None]:
    """Return the rules for free answers and the log that they write, if there are any."""
    rules = rules_of(settings)
    if rules is None:
        return None, None
    from confmat.counting.answers import AnswerLog

    log = AnswerLog()
    return rules.logged(log), log


def settle(settings: RowSettings, gathered: Gathered, rules: Answers | None) -> ConfusionMatrix | Stack:
    """Return the matrix of pairs; labels typed on the command line become those that the files hold."""
    from confmat.core.labels import MAX_CLASSES
    from confmat.counting.door import policy_of
    from confmat.io.gathering import names_in, refuse_scores, settled

    rows, scores = settings.rows, settings.scores
    if settings.several.crossed:
        msg = "--matrix is about several labels an item; say what stands between them with --sep"
        raise InputError(msg)
    pairs = gathered.counted(frozenset(rows.na_values))
    scored = scores.scores is not None
    spelt = spelling([*names_in(pairs.actual), *([] if scored else names_in(pairs.predicted))])
    labels = rows.labels and [spelt(label) for label in rows.labels]
    positive = None if rows.positive is None else spelt(rows.positive)
    if scored:
        from confmat.io.samples import answered

        pairs = answered(pairs, gathered.asked, labels, positive, scores.threshold, scores.score_kind)
    elif not labels and rules is None:
        refuse_scores(pairs, gathered.asked)
    policy = policy_of(labels, rows.missing, rows.other, positive, MAX_CLASSES, rules)
    return settled(pairs, gathered.asked, policy)


def answers_column(settings: RowSettings) -> str | None:
    """Return the column of answers, or of the scores that they are made of."""
    rows, scores = settings.rows, settings.scores
    if scores.scores is None:
        refuse(scores, SCORE_OPTIONS, "is about scores; name their columns with --scores")
        return rows.predicted
    if "predicted" in rows.typed:
        msg = "--predicted names a column of labels and --scores one of scores; give one of them"
        raise InputError(msg)
    if scores.top_k is not None and not has_score_columns(scores):
        msg = "--top-k needs a score for each class: --scores p_cat,p_hen or --scores 'p_*'"
        raise InputError(msg)
    return scores.scores[0]


def is_read_by_row(settings: RowSettings) -> bool:
    """Return whether rows are read one by one: they hold a score for each class, or several labels in a field."""
    return settings.several.sep is not None or has_score_columns(settings.scores)


def has_score_columns(scores: Scores) -> bool:
    """Return whether each class has a column of scores."""
    if scores.scores is None:
        return False
    if not all(scores.scores) or not scores.scores:
        msg = "--scores names the columns of scores, such as p_cat,p_hen or 'p_*'; one of these has no name"
        raise InputError(msg)
    return len(scores.scores) > 1 or "*" in scores.scores[0]


def count_rows(
    source: Any, settings: RowSettings, kind: str | None, *, by_item: bool
) -> tuple[ConfusionMatrix | Stack, Stack | None]:
    """Count rows that are read one by one; with `by_item`, count each item of several labels, too."""
    rows, several = settings.rows, settings.several
    answers_column(settings)
    rules_of(settings)
    way = "--scores" if several.sep is None else "--sep"
    refuse(rows, ("tally",), f"is for columns of labels, and does not go with {way}; --weight does")
    for name, value in (("every", rows.every), ("resume", rows.resume)):
        if value is not None:
            msg = f"--{name} is for columns of labels, and does not go with {way}"
            raise InputError(msg)
    for name, value in (("missing", rows.missing), ("other", rows.other)):
        if value == "collect" and name in rows.typed:
            msg = f"--{name} is error or drop with {way}"
            raise InputError(msg)
    shared: dict[str, Any] = {
        "spelling": spelling,
        "labels": rows.labels,
        "na_values": rows.na_values,
        "format": kind or rows.kind,
        "delimiter": character(rows.delimiter),
        "memory_limit": rows.memory,
        "threads": rows.threads,
        "missing": "drop" if rows.missing == "drop" else "error",
    }
    if several.sep is None:
        return _count_scores(source, settings, shared), None
    return _count_sets(source, settings, shared, by_item=by_item)


def _count_sets(
    source: Any, settings: RowSettings, shared: dict[str, Any], *, by_item: bool
) -> tuple[ConfusionMatrix | Stack, Stack | None]:
    rows, several = settings.rows, settings.several
    assert several.sep is not None
    if settings.scores.scores is not None or "by" in rows.typed:
        msg = f"--sep makes a matrix for each label; leave --{'by' if settings.scores.scores is None else 'scores'} out"
        raise InputError(msg)
    from confmat.io.samples import Sets, gather_sets

    sets = gather_sets(
        source,
        Sets(rows.actual, rows.predicted, rows.weight),
        sep=several.sep,
        max_pairs=rows.max_pairs,
        other="drop" if rows.other == "drop" else "error",
        matrix=several.crossed,
        **shared,
    )
    return sets.counted(), sets.items() if by_item else None


def _count_scores(source: Any, settings: RowSettings, shared: dict[str, Any]) -> ConfusionMatrix | Stack:
    rows, scores = settings.rows, settings.scores
    if rows.other == "drop" and "other" in rows.typed:
        msg = "--other drop does not go with several columns of scores: each label needs a column of its own"
        raise InputError(msg)
    from confmat.io.samples import Scores as ScoreColumns
    from confmat.io.samples import count_scores

    assert scores.scores is not None
    return count_scores(
        source,
        ScoreColumns(scores.scores, rows.actual, rows.weight, rows.by),
        positive=rows.positive,
        top_k=scores.top_k or 1,
        threshold=scores.threshold,
        kind=scores.score_kind,
        **shared,
    )

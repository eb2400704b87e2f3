"""From rows to a matrix: what labels mean that were typed, and what becomes of scores and of several labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from confmat.cli.free_answers import rules_of
from confmat.cli.options import typed
from confmat.core.errors import InputError
from confmat.core.labels import MAX_CLASSES
from confmat.counting.door import MAX_GROUPS, policy_of
from confmat.io.counting import Counted
from confmat.io.gathering import Gathered, refuse_scores, settled

__all__ = [
    "answers_of",
    "counted_rows",
    "delimiter_of",
    "has_columns_of_scores",
    "reads_rows",
    "settle",
    "spelling",
    "typed_tab",
]

# What asks for scores, and makes no sense without.
OF_SCORES = {"threshold": "--threshold", "top_k": "--top-k", "score_kind": "--kind"}


def delimiter_of(options: dict[str, Any]) -> str | None:
    """What stands between the fields of a CSV; a tab may be spelt."""
    return typed_tab(options["delimiter"])


def typed_tab(text: str | None) -> str | None:
    """What was typed, where a tab may be spelt."""
    return "\t" if text in {"\\t", "tab"} else text


# ---- labels ------------------------------------------------------------------------------------------------


def settle(options: dict[str, Any], gathered: Gathered) -> Counted:
    """The matrix of what was gathered; labels typed on the command line become what the files hold."""
    rules = rules_of(options)
    if options.get("crossed"):
        msg = "--matrix is about several labels an item; say what stands between them with --sep"
        raise InputError(msg)
    found = gathered.counted(frozenset(options["na_values"]))
    scored = options.get("scores") is not None
    spelt = spelling([*found.actual, *([] if scored else found.predicted)])
    labels = options["labels"] and [spelt(label) for label in options["labels"]]
    positive = None if options["positive"] is None else spelt(options["positive"])
    if scored:
        from confmat.io.rows import answered

        found = answered(found, gathered.asked, labels, positive, options["threshold"], options["score_kind"])
    elif not labels and rules is None:
        refuse_scores(found, gathered.asked)
    policy = policy_of(labels, options["missing"], options["other"], positive, MAX_CLASSES, rules)
    return settled(found, gathered.asked, policy, None, MAX_GROUPS)


def spelling(names: list[Any]) -> Callable[[str], Any]:
    """How a label that was typed is meant, by what the files hold: text, integers or booleans."""
    kinds = {type(name) for name in names if name is not None}
    if kinds == {bool}:
        return lambda text: {"true": True, "false": False, "1": True, "0": False}.get(text.lower(), text)
    if kinds and kinds <= {int, float, bool}:
        return lambda text: int(text) if re.fullmatch(r"[-+]?[0-9]+", text) else text
    return lambda text: text


# ---- scores ------------------------------------------------------------------------------------------------


def answers_of(options: dict[str, Any]) -> str | None:
    """The column of answers, or of the scores that they are made of."""
    scores = options.get("scores")
    if scores is None:
        for name, option in OF_SCORES.items():
            if options.get(name) is not None and typed(options, name):
                msg = f"{option} is about scores; name their columns with --scores"
                raise InputError(msg)
        return cast("str | None", options["predicted"])
    if typed(options, "predicted"):
        msg = "--predicted names a column of labels and --scores one of scores; give one of them"
        raise InputError(msg)
    if options.get("top_k") is not None and not has_columns_of_scores(options):
        msg = "--top-k needs a score for each class: --scores p_cat,p_hen or --scores 'p_*'"
        raise InputError(msg)
    return cast("str", scores[0])


def reads_rows(options: dict[str, Any]) -> bool:
    """Whether rows have to be read one by one: they hold a score for each class, or several labels in a field."""
    return options.get("sep") is not None or has_columns_of_scores(options)


def has_columns_of_scores(options: dict[str, Any]) -> bool:
    """Whether scores stand in one column for each class."""
    scores = options.get("scores")
    if scores is None:
        return False
    if not all(scores) or not scores:
        msg = "--scores names the columns of scores, such as p_cat,p_hen or 'p_*'; one of these has no name"
        raise InputError(msg)
    return len(scores) > 1 or "*" in scores[0]


def counted_rows(paths: Any, options: dict[str, Any], kind: str | None = None) -> Counted:
    """The matrix of rows that are read one by one, in files or in a stream."""
    answers_of(options)
    rules_of(options)
    what = "--scores" if options["sep"] is None else "--sep"
    for name in ("every", "resume"):
        if options[name] is not None:
            msg = f"--{name} is for columns of labels, and does not go with {what}"
            raise InputError(msg)
    for name in ("missing", "other"):
        if options[name] == "collect" and typed(options, name):
            msg = f"--{name} is error or drop with {what}"
            raise InputError(msg)
    shared = {
        "spelling": spelling,
        "labels": options["labels"],
        "na_values": options["na_values"],
        "format": kind or options["kind"],
        "delimiter": delimiter_of(options),
        "memory_limit": options["memory"],
        "threads": options["threads"],
        "missing": "drop" if options["missing"] == "drop" else "error",
    }
    return _of_scores(paths, options, shared) if options["sep"] is None else _of_sets(paths, options, shared)


def _of_sets(paths: Any, options: dict[str, Any], shared: dict[str, Any]) -> Counted:
    if options["scores"] is not None or typed(options, "by"):
        msg = f"--sep makes a matrix for each label; leave --{'by' if options['scores'] is None else 'scores'} out"
        raise InputError(msg)
    from confmat.io.rows import Sets, gather_sets

    found = gather_sets(
        paths,
        Sets(options["actual"], options["predicted"], options["weight"]),
        sep=options["sep"],
        max_pairs=options["max_pairs"],
        other="drop" if options["other"] == "drop" else "error",
        matrix=options["crossed"],
        **shared,
    )
    if "the items" in options:
        options["the items"] = found.items()
    return found.counted()


def _of_scores(paths: Any, options: dict[str, Any], shared: dict[str, Any]) -> Counted:
    if options["other"] == "drop" and typed(options, "other"):
        msg = "--other drop does not go with several columns of scores: each label needs a column of its own"
        raise InputError(msg)
    from confmat.io.rows import Scores, count_scores

    return count_scores(
        paths,
        Scores(options["scores"], options["actual"], options["weight"], options["by"]),
        positive=options["positive"],
        top_k=options["top_k"] or 1,
        threshold=options["threshold"],
        kind=options["score_kind"],
        **shared,
    )

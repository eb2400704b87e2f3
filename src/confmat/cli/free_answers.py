"""Free answers: the rules by which they become labels, and a word on standard error about what the rules read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from confmat.cli.options import typed
from confmat.core.errors import InputError

if TYPE_CHECKING:
    from confmat.counting.answers import Answers

__all__ = ["rules_of", "said"]


def rules_of(options: dict[str, Any]) -> Answers | None:
    """The rules that were asked for, with an empty log; None if answers are labels as they stand."""
    steps = [one.replace("-", " ") for some in options.get("extract") or () for one in some]
    extra: dict[str, Any] = {
        "refused": options.get("refused") or (),
        "abstained": options.get("abstained") or (),
        "extract": [*(options.get("pattern") or ()), *steps],
        "fuzzy": options.get("fuzzy"),
    }
    asked = options.get("any_spelling") or options.get("aliases") is not None or any(extra.values())
    if not asked:
        return None
    if options.get("scores") is not None or options.get("sep") is not None:
        if not any(typed(options, name) for name in ("any_spelling", "aliases", "pattern", *extra)):
            return None
        msg = "rules for answers are about one label an item, and neither about --scores nor --sep"
        raise InputError(msg)
    from confmat.counting.answers import AnswerLog, Answers

    rules = Answers(**extra) if options.get("aliases") is None else Answers.read(options["aliases"], **extra)
    options["the log"] = AnswerLog()
    return rules.logged(options["the log"])


def said(options: dict[str, Any]) -> None:
    """Tell what each step read, unless nobody wants to know."""
    log = options.get("the log")
    if log is not None and not options["quiet"]:
        sys.stderr.write(f"{log}\n\n")

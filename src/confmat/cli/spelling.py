"""What the package says in Python's words, in those of the command line: missing='drop' is --missing drop here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

__all__ = ["in_options"]

# Arguments of functions, and the options that stand for them.
OPTIONS = {
    "actual": "--actual",
    "predicted": "--predicted",
    "scores": "--scores",
    "threshold": "--threshold",
    "top_k": "--top-k",
    "kind": "--kind",
    "sep": "--sep",
    "aliases": "--aliases",
    "refused": "--refused",
    "abstained": "--abstained",
    "extract": "--extract",
    "fuzzy": "--fuzzy",
    # Made of several options.
    "normalise": "the rules",
    # Of a hierarchy; that of intervals is held to its range as an option.
    "level": "--roll-up",
    "match": "--match",
    "iou": "--iou",
    "confidence": "--confidence",
    "weights": "--weight",
    "by": "--by",
    "labels": "--labels",
    "positive": "--positive",
    "missing": "--missing",
    "other": "--other",
    "na_values": "--missing-value",
    "format": "--input",
    "rows": "--rows",
    "delimiter": "--delimiter",
    "threads": "--threads",
    "max_pairs": "--max-pairs",
    "metrics": "--metrics",
    "averages": "--averages",
    "digits": "--digits",
    # Of matrices that printed scores allow.
    "positives": "--positives",
    "negatives": "--negatives",
    "total": "--total",
    "supports": "--support",
    "undefined": "--undefined",
    "budget": "--budget",
    "order": "--order",
}
# What is said in calls, and how the command line does it.
CALLS = {
    "take a part with `m.select`": "leave them out with --labels and --other drop",
    "join them with m.merge(groups) or take some with m.select(labels)": (
        "join them with --hierarchy and --roll-up, or take some with --labels and --other drop"
    ),
    "such as level=[...]": "such as --roll-up NODE,NODE",
    "same_items=True": "--same-items",
    "same_items=False": "--different-items",
    ", {'old': ..., 'new': ...}; if they are rivals all the same, stack.along('model') says so": ", a file for each",
}
_NAMES = "|".join(OPTIONS)
# What stands for a value that only the user knows: a column, unless it is said here.
_WANTED = {"positive": "LABEL", "labels": "A,B"}
# As in: say missing='drop'; whose value is a text, a number or dots.
_GIVEN = re.compile(rf"(?<![\w.`'\"])({_NAMES})=(?:'([^'\n]*)'|\"([^\"\n]*)\"|(\.\.\.|\d+)(?!\w)|\[(\.\.\.)\])")
_NAMED = re.compile(rf"`({_NAMES})=?`")


def in_options(message: str, known: Collection[str] | None = None) -> str:
    """The message with options where it names arguments; `known` are those of the command, which has no others.

    >>> in_options("say missing='drop', or name them in `labels`; say which: actual='my col'")
    "say --missing drop, or name them in --labels; say which: --actual 'my col'"
    >>> in_options("`predicted` has none of the `labels`", {"--labels"})
    'predicted has none of the --labels'
    """

    def lacks(name: str) -> bool:
        return known is not None and OPTIONS[name].startswith("--") and OPTIONS[name] not in known

    for call, options in CALLS.items():
        message = message.replace(call, options)

    def spelt(found: re.Match[str]) -> str:
        name, *values = found.groups()
        if lacks(name):
            return found[0]
        value = next(one for one in values if one is not None)
        return f"{OPTIONS[name]} {_WANTED.get(name, 'COLUMN') if value == '...' else shlex.quote(value)}"

    def named(found: re.Match[str]) -> str:
        return found[1] if lacks(found[1]) else OPTIONS[found[1]]

    return _NAMED.sub(named, _GIVEN.sub(spelt, message))

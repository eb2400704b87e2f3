"""The predicted side of a count under rules: which label each of its names stands for, and what the log is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from confmat._naming import kind_of
from confmat._options import told
from confmat.counting.answers.book import INVALID
from confmat.counting.answers.log import Reading
from confmat.counting.answers.rules import Answers
from confmat.errors import InputError, Message
from confmat.labels import Labels, in_order

__all__ = ["check_rules", "classes_found", "codes_of", "labels_for", "read_names", "rules_for"]

Array = NDArray[Any]


def check_rules(rules: Any) -> Answers:
    """Complain of anything but rules."""
    if not isinstance(rules, Answers):
        msg = Message(
            "{normalise} takes a confmat.Answers, the rules by which answers become labels, not {}", told(rules)
        )
        raise InputError(msg)
    return rules


def rules_for(rules: Any, given: Labels | None, other: str) -> tuple[Answers, Labels | None]:
    """The rules for the classes that are given with them or to them, and the labels of the matrix."""
    rules = check_rules(rules)
    if given is not None:
        rules = rules.bound(given)
    return rules, None if rules.labels is None else labels_for(rules, given, other)


def labels_for(rules: Answers, given: Labels | None, other: str) -> Labels:
    """The classes and the outside labels of a matrix counted by these rules.

    "(invalid)" is one of them where answers that nothing reads are collected, or an alias leads to it.
    """
    assert rules.labels is not None
    outside = list(dict.fromkeys([*(() if given is None else given.outside), *rules.labels.outside]))
    if other != "collect" and not rules.leads_to(INVALID):
        outside.remove(INVALID)
    return (given or rules.labels).replace(outside=outside)


def read_names(rules: Answers, names: Sequence[Any], seen: Array | None) -> list[Reading | None]:
    """The reading of each name that occurs."""
    if seen is None:
        return [rules.read_one(name) for name in names]
    return [rules.read_one(name) if is_seen else None for name, is_seen in zip(names, seen.tolist(), strict=True)]


def codes_of(readings: Iterable[Reading | None], labels: Labels) -> list[int]:
    """The label code of each reading; of what was not read that of "(invalid)", or -1 where there is none."""
    invalid = labels.n_classes + labels.outside.index(INVALID) if INVALID in labels.outside else -1
    found = {(str, name): labels.n_classes + i for i, name in enumerate(labels.outside)}
    found |= {(type(name), name): i for i, name in enumerate(labels.classes)}
    return [
        -1 if one is None else invalid if one.label is None else found[type(one.label), one.label] for one in readings
    ]


def classes_found(rules: Answers, labels: Labels) -> Labels:
    """The classes of rules that name none: those of the actual side, and what aliases lead to besides."""
    more = [name for name in rules.targets() if name not in labels and kind_of(name) == labels.kind]
    return Labels(in_order([*labels.classes, *more], appearance=True)) if more else labels

"""What `confmat report` does: reports of a matrix or of each group, and the check of scores against their bars."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from confmat.cli.reading import is_stored, only_counts, read
from confmat.cli.related import chosen, cost_text, overall, score_named
from confmat.cli.writing import put, reports_text
from confmat.core.errors import InputError, MetricError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.deciding import unanswered
from confmat.io.counting import Counted
from confmat.metrics.catalog import Score
from confmat.metrics.declaration import Metric
from confmat.metrics.items import is_of_labels
from confmat.metrics.margins import Outside
from confmat.metrics.peers import PeerScore
from confmat.reporting import Report, report

__all__ = ["below", "judged", "scored"]

# Options that set bars: what a score has to reach, and what it may not exceed.
BARS = {"fail_under": "--fail-under", "fail_over": "--fail-over"}


def scored(options: dict[str, Any], form: str) -> tuple[Counted | Report, Report | dict[Any, Report], str]:
    """What was read, its report (or one per group), and the name of the axis of groups."""
    # A misspelt score is told before hours are spent on counting.
    _checked(options)
    # Of several labels an item, what is asked of the items is worked out while the rows are there.
    options["the items"] = None

    def show(found: Any) -> None:
        put(reports_text(*_reports(found, options), form) + ("\n" if form == "table" else ""), options["output"], form)

    found = read(options, show)
    _check_positive(found, options)
    return found, *_reports(found, options)


def _checked(options: dict[str, Any]) -> None:
    from confmat.metrics.averages import average_named

    for name in options["metrics"] or ():
        score_named(name, options)
    for name in options["averages"] or ():
        if name != "samples":
            average_named(name)
        elif options["sep"] is None or options["crossed"]:
            msg = "samples, the mean over items, is of rows with several labels each: say --sep, and no --matrix"
            raise InputError(msg)
    for name, option in BARS.items():
        for text, _ in options[name]:
            _fits(option, text, options)


def _fits(option: str, text: str, options: dict[str, Any]) -> None:
    """Refuse a bar for what has a value per class, or on the side on which good scores fail."""
    score = score_named(text, options)
    found = score.metric.metric if isinstance(score.metric, PeerScore) else score.metric
    if not isinstance(found, Metric):
        return
    if _is_of_classes(score) and not _may_have_positive(options):
        raise _per_class(option, text, found)
    right = {"higher": "--fail-under", "lower": "--fail-over"}.get(found.better, option)
    if right != option:
        msg = (
            f"{option} {printable(text)}: of {found.name}, {found.better} is better; say {right} {printable(text)}=..."
        )
        raise MetricError(msg)


def _is_of_classes(score: Score) -> bool:
    """Whether it has a value per class, of which a bar says none."""
    found = score.metric
    return isinstance(found, Metric) and found.kind == "class" and score.average is None and score.of is None


def _per_class(option: str, text: str, found: Metric) -> MetricError:
    return MetricError(
        f"{option} {printable(text)}: {found.name} has a value per class; say {found.name}.macro or {found.name}[CLASS]"
    )


def _may_have_positive(options: dict[str, Any]) -> bool:
    """Whether there may be a positive class, whose score a bar is then for: as named, or as a stored matrix has it."""
    named = options["positive"] is not None
    return options["sep"] is None and (named or any(is_stored(name, options["kind"]) for name in options["files"]))


def _check_positive(found: Counted | Report, options: dict[str, Any]) -> None:
    """Refuse bars for scores of classes where it turns out that no class is the positive one."""
    m = next(iter(found.values()), None) if isinstance(found, Stack) and not is_of_labels(found) else found
    for name, option in BARS.items():
        for text, _ in options[name]:
            score = score_named(text, options)
            if _is_of_classes(score) and getattr(m, "positive", None) is None:
                raise _per_class(option, text, score.metric)


def _reports(found: Counted | Report, options: dict[str, Any]) -> tuple[Report | dict[Any, Report], str]:
    how = {"metrics": chosen(options["metrics"], options), "averages": options["averages"], "digits": options["digits"]}
    several = is_of_labels(found)
    how |= {"intervals": options["intervals"], "outside": _policy(options)}
    how["overall"] = overall(found, options)
    if isinstance(found, Report):
        only_counts(options, "metrics", "averages", "intervals", "outside", "hierarchy", "costs")
        return found, ""
    if isinstance(found, Stack) and not several:
        return {key: report(m, **how) for key, m in found.items()}, found.axis
    return report(found, items=options["the items"] if several else None, **how), ""


def _policy(options: dict[str, Any]) -> Outside:
    """How answers outside the classes count in the report and for its bars."""
    return "exclude" if options["outside"] == "exclude" else "wrong"


def below(found: Counted | Report, options: dict[str, Any], form: str) -> str:
    """What stands below the table of a single matrix: where costs come from, and scores at worst and at best."""
    single = form == "table" and isinstance(found, ConfusionMatrix)
    text = cost_text(found, options) if single else ""
    if options["outside"] != "bounds":
        return text
    if form != "table" or not isinstance(found, ConfusionMatrix):
        msg = "--outside bounds is shown below the table of one matrix; say wrong or exclude otherwise"
        raise InputError(msg)
    return f"{text}\n{unanswered(found)}\n"


def judged(found: Counted | Report, options: dict[str, Any]) -> list[str]:
    """A line for each score that misses its bar, and by how much."""
    asked = {name: option for name, option in BARS.items() if options[name]}
    if asked and isinstance(found, Report):
        msg = f"{next(iter(asked.values()))} needs the matrix; a stored report has no counts"
        raise InputError(msg)
    if isinstance(found, Report):
        return []
    lines = []
    alone = not isinstance(found, Stack) or is_of_labels(found)
    for key, m in [(None, found)] if alone else found.items():  # type: ignore[union-attr]
        where = "" if key is None else f" where {printable(found.axis)} is {printable(key)}"  # type: ignore[union-attr]
        for name, option in asked.items():
            lines += [line for text, bar in options[name] if (line := _missed(option, text, bar, m, where, options))]
    return lines


def _missed(option: str, text: str, bar: float, m: Any, where: str, options: dict[str, Any]) -> str:
    score, outside = score_named(text, options), _policy(options)
    if _is_of_classes(score):
        score = replace(score, of=m.positive)
    if isinstance(m, Stack):
        found = next(iter(report(m, [text], items=options.get("the items"), outside=outside).overall.values()))
    else:
        found = score(m, outside=outside)
    if not isinstance(found, (int, float, np.number)):
        # What a peer prints may be a word or an interval.
        msg = f"{option} {printable(text)}: that is no number but {found!r:.60}"
        raise MetricError(msg)
    value, under = float(found), option == "--fail-under"
    if math.isnan(value):
        why = getattr(score.metric, "undefined", None) or "it has no value"
        return f"{score} is undefined{where}, so it is not at {'least' if under else 'most'} {bar:g}: {why}"
    if value >= bar if under else value <= bar:
        return ""
    how = "falls short of" if under else "exceeds"
    return f"{score} = {value:.6g}{where} {how} {bar:g} by {abs(bar - value):.3g}"

"""What `confmat report` does: reports of a matrix or of each group, and the check of scores against their bars."""

from __future__ import annotations

import math
from typing import Any

from confmat.cli.reading import only_counts, read
from confmat.cli.writing import put, reports_text
from confmat.engines.files_counting import Counted
from confmat.errors import InputError, MetricError
from confmat.metrics import parse_score
from confmat.metrics.declaration import Metric
from confmat.reporting import Report, report
from confmat.stack import Stack
from confmat.text import printable

__all__ = ["judged", "scored"]


def scored(options: dict[str, Any], form: str) -> tuple[Counted | Report, Report | dict[Any, Report], str]:
    """What was read, its report (or one per group), and the name of the axis of groups."""
    # A misspelt score is told before hours are spent on counting.
    _checked(options)

    def show(found: Any) -> None:
        put(reports_text(*_reports(found, options), form) + ("\n" if form == "table" else ""), options["output"], form)

    found = read(options, show)
    return found, *_reports(found, options)


def _checked(options: dict[str, Any]) -> None:
    from confmat.metrics.averages import average_named

    for name in options["metrics"] or ():
        parse_score(name)
    for name in options["averages"] or ():
        average_named(name)
    for text, _ in options["bars"]:
        score = parse_score(text)
        if isinstance(score.metric, Metric) and score.metric.kind == "class" and not (score.average or score.of):
            name = score.metric.name
            msg = f"--fail-under {printable(text)}: {name} has a value per class; say {name}.macro or {name}[CLASS]"
            raise MetricError(msg)


def _reports(found: Counted | Report, options: dict[str, Any]) -> tuple[Report | dict[Any, Report], str]:
    chosen = {"metrics": options["metrics"], "averages": options["averages"], "digits": options["digits"]}
    chosen["intervals"] = options["intervals"]
    if isinstance(found, Report):
        only_counts(options, "metrics", "averages", "intervals")
        return found, ""
    if isinstance(found, Stack):
        return {key: report(m, **chosen) for key, m in found.items()}, found.axis
    return report(found, **chosen), ""


def judged(found: Counted | Report, bars: tuple[tuple[str, float], ...]) -> list[str]:
    """A line for each score that falls short, and by how much."""
    if not bars:
        return []
    if isinstance(found, Report):
        msg = "--fail-under needs the matrix; a stored report has no counts"
        raise InputError(msg)
    lines = []
    for key, m in found.items() if isinstance(found, Stack) else [(None, found)]:
        where = "" if key is None else f" where {printable(found.axis)} is {printable(key)}"  # type: ignore[union-attr]
        for text, least in bars:
            score = parse_score(text)
            value = float(score(m))
            if math.isnan(value):
                why = getattr(score.metric, "undefined", None) or "it has no value"
                lines.append(f"{score} is undefined{where}, so it is not at least {least:g}: {why}")
            elif not value >= least:
                lines.append(f"{score} = {value:.6g}{where} falls short of {least:g} by {least - value:.3g}")
    return lines

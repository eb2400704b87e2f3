"""`confmat gate`: whether a new model is no worse than the base, as sure as the items allow."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from confmat.cli.compare import Models, comparison_of
from confmat.cli.options import Choice, Settings, assignment, command, option
from confmat.cli.report import BAR, finite
from confmat.cli.settings import Output
from confmat.core.errors import InputError
from confmat.core.files import unwritten
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.comparison import Comparison, Difference
    from confmat.core.tables import Table
    from confmat.intervals.estimates import Estimate

EXAMPLES = """\b
Examples:
  confmat gate base.json new.json --no-worse f1.macro=0.01
  confmat gate -a y -p old -p new preds.parquet --no-worse f1.macro=0.01 --at-least 'recall[Cat]=0.9'
  confmat gate base.json new.json --different-items --no-worse accuracy=0.02 --undecided pass
  confmat gate -a y -p old -p new preds.parquet --no-worse accuracy=0.02 --peek 1000   after every batch
  confmat gate base.json new.json --at-most error_rate=0.3 --summary gate.md --junit gate.xml

\b
Exit status: 0 all checks passed, 1 one failed or, without --undecided pass, is undecided, 2 wrong usage or bad input.
"""
# The state of a check, by the verdict on a difference.
STATES = {"no worse": "passed", "worse": "failed", "undecided": "undecided"}


class Checks(Settings):
    """The checks, how surely they must hold, and where else the answer goes."""

    no_worse: tuple[tuple[str, float], ...] = option(
        "--no-worse",
        type=assignment("score=margin", "f1.macro=0.01", finite),
        multiple=True,
        argument="margin",
        help="The new model is worse than the base by less than a margin; repeatable.",
    )
    at_least: tuple[tuple[str, float], ...] = option(
        "--at-least", type=BAR, multiple=True, help="The new model has at least this score; repeatable."
    )
    at_most: tuple[tuple[str, float], ...] = option(
        "--at-most", type=BAR, multiple=True, help="The new model has at most this score; repeatable."
    )
    undecided: str = option(
        "--undecided",
        type=Choice(("fail", "pass")),
        default="fail",
        help="The exit status where the items are too few to tell.",
    )
    level: float = option(
        "--level",
        type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence of each check, which is one-sided.",
    )
    looks: int | None = option(
        "--peek",
        argument="at",
        type=click.IntRange(1),
        metavar="ITEMS",
        help="Hold at every look, whenever you stop; surest near so many items. For shares, such as accuracy.",
    )
    summary: str | None = option(
        "--summary",
        metavar="FILE",
        help="Append the table in Markdown; by default to $GITHUB_STEP_SUMMARY, if there is one.",
    )
    junit: str | None = option("--junit", metavar="FILE", help="Write the checks as JUnit XML, too.")

    @property
    def asked(self) -> list[tuple[str, str, float]]:
        """The option, score and number of each check."""
        parts = {"--no-worse": self.no_worse, "--at-least": self.at_least, "--at-most": self.at_most}
        return [(option_, *one) for option_, part in parts.items() for one in part]


class GateSettings(Checks, Models, Output):
    """The settings of `confmat gate`."""

    by: str | None = None


class Check(NamedTuple):
    """A check: both scores, the bounds of the difference or of the new score, and the state that follows.

    A check of a margin says how often an equal model passes such a test (`power`), the items that make it 80 in 100
    (`needed`), and the least loss that fails so often (`finds`).
    """

    check: str
    base: float
    new: float
    interval: str
    low: float
    high: float
    state: str
    power: float = math.nan
    needed: float = math.nan
    finds: float = math.nan


@command(GateSettings, EXAMPLES)
def gate(settings: GateSettings) -> int:
    """Check that a new model is no worse than the base one: two stored matrices, or columns of answers.

    A check passes where the interval shows it, fails where the interval shows the contrary, and is undecided where
    the items are too few for either. Answers item by item decide more than matrices, which do not tell which items
    both models had right.
    """
    from confmat.cli.output import put_table, refuse_inputs, settle_form
    from confmat.io import write_text

    if not settings.asked:
        msg = "say what is checked: --no-worse f1.macro=0.01, or --at-least 'recall[Cat]=0.9'"
        raise InputError(msg)
    summary = settings.summary or os.environ.get("GITHUB_STEP_SUMMARY")
    for path in (summary, settings.junit):
        if path:
            refuse_inputs(path, settings.inputs)
    settle_form(settings, settings.inputs)
    names = [name for _, name, _ in settings.asked]
    # Each of the two bounds of this interval is as sure as the level says.
    comparison = comparison_of(settings, names, settings.level if settings.looks else 2 * settings.level - 1)
    if len(comparison.models) != 2:
        msg = f"a gate holds a new model against one base, so it takes two models; got {len(comparison.models)}"
        raise InputError(msg)
    checks = [
        _check(option_, number, *_seen(option_, one, comparison, settings.looks))
        for (option_, _, number), one in zip(settings.asked, comparison.differences, strict=True)
    ]
    bad = {"failed", "undecided"} if settings.undecided == "fail" else {"failed"}
    table = _table(checks, comparison, settings.level, settings.looks)
    put_table(table, settings)
    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(f"### confmat gate\n\n{table.to('markdown')}\n")
        except OSError as error:
            raise unwritten(summary, error) from None
    if settings.junit:
        write_text(_junit(checks, bad), settings.junit)
    return 1 if any(one.state in bad for one in checks) else 0


def _seen(option_: str, one: Difference, comparison: Comparison, looks: int | None) -> tuple[Difference, Estimate]:
    """Return the difference and the estimate of the new model; those that hold at every look, where there are many."""
    from confmat.intervals import Estimate, interval
    from confmat.intervals.anytime import refused

    new = comparison.models[1]
    if looks is None:
        return one, comparison.estimates[new, one.score]
    if comparison.design not in {"paired", "same items", "different items"}:
        raise refused(one.score)
    if option_ == "--no-worse":
        return one.anytime(looks), comparison.estimates[new, one.score]
    found = interval(comparison.matrices[new], one.score, method="anytime", at=looks, level=comparison.level)
    assert isinstance(found, Estimate)
    return one, found


def _check(option_: str, number: float, one: Difference, estimate: Estimate) -> Check:
    """Return the check of a difference against a margin, or of the new score against a bar."""
    from confmat.comparison.differences import percent

    score = printable(one.score)
    right = {"higher": "--at-least", "lower": "--at-most"}.get(one.better, option_)
    if option_ == "--no-worse":
        name, state = f"{score} no worse by {number:g}", STATES[one.no_worse(number)]
        seen = (math.nan,) * 3
        if one.se > 0 and not one.test.startswith("any time"):
            seen = one.power(number), one.items_needed(number), number + one.detectable
        return Check(name, *one.values, "new − base", *one.limits, state, *seen)
    if not one.bounds[0] <= number <= one.bounds[1]:
        advice = percent(number, one.bounds[1])
        msg = f"{option_} {score}={number:g}: it lies between {one.bounds[0]:g} and {one.bounds[1]:g}{advice}"
        raise InputError(msg)
    if right != option_:
        msg = f"{option_} {score}: {one.better} is better; say {right} {score}={number:g}"
        raise InputError(msg)
    low, high = estimate
    inside, outside = (low >= number, high < number) if option_ == "--at-least" else (high <= number, low > number)
    state = "passed" if inside else "failed" if outside else "undecided"
    return Check(f"{score} {option_[2:].replace('-', ' ')} {number:g}", *one.values, "new", low, high, state)


def _table(checks: Sequence[Check], comparison: Comparison, level: float, looks: int | None) -> Table:
    from confmat.cli.output import table_of

    counts = Counter(one.state for one in checks)
    said = ", ".join(f"{counts[state]} {state}" for state in STATES.values())
    names = f"base: {printable(comparison.models[0])}, new: {printable(comparison.models[1])}"
    when = ", at every look" if looks else ""
    notes = [f"{said}; each bound at {level:.3g} confidence{when}; {names}.", *comparison.notes]
    if counts["undecided"] and comparison.design == "same items":
        notes.append(
            "Matrices leave open which items both models had right; their answers decide more: -a y -p old -p new"
        )
    return replace(table_of(Check._fields, checks), notes=tuple(notes))


def _junit(checks: Sequence[Check], bad: set[str]) -> str:
    """Return the checks as JUnit XML; one that is undecided and does no harm is skipped."""
    cases, counts = [], Counter[str]()
    for one in checks:
        kind = "failure" if one.state in bad else "skipped" if one.state == "undecided" else ""
        counts[kind] += 1
        said = f"{one.state}: base {one.base:.4g}, new {one.new:.4g}, {one.interval} in [{one.low:.4g}, {one.high:.4g}]"
        inside = f'<{kind} message="{escape(said)}"/>' if kind else ""
        cases.append(f'  <testcase classname="confmat.gate" name="{escape(one.check)}">{inside}</testcase>\n')
    numbers = f'tests="{len(checks)}" failures="{counts["failure"]}" errors="0" skipped="{counts["skipped"]}"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="confmat gate" {numbers}>\n'
    return f"{head}{''.join(cases)}</testsuite>\n"

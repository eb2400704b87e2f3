"""`confmat gate`: whether a new model is no worse than the base, as sure as the items allow."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from confmat.cli.compare import Models, comparison_of
from confmat.cli.options import Choice, Settings, assignment, command, option
from confmat.cli.report import BAR, finite
from confmat.cli.settings import Output
from confmat.core.errors import InputError
from confmat.core.files import unwritten
from confmat.core.text import number as number_text
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
  confmat gate -a y -p old -p new preds.csv --no-worse accuracy=0.05 --by site      in each site, all at once
  confmat gate base.json new.json --at-most 'taken_for(Cat,Hen)=0.3' --summary gate.md --junit gate.xml

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
        "--at-least",
        type=BAR,
        multiple=True,
        help="The new model has at least this score; repeatable.",
    )
    at_most: tuple[tuple[str, float], ...] = option(
        "--at-most",
        type=BAR,
        multiple=True,
        help="The new model has at most this score; repeatable.",
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
        help="Hold at every look, whenever you stop; surest near this number of items. For shares, such as accuracy.",
    )
    summary: str | None = option(
        "--summary",
        metavar="FILE",
        help="Append the table in Markdown; by default to $GITHUB_STEP_SUMMARY, if there is one.",
    )
    junit: str | None = option(
        "--junit", metavar="FILE", help="Write the checks as JUnit XML, too."
    )

    @property
    def asked(self) -> list[tuple[str, str, float]]:
        """The option, score and number of each check."""
        parts = {
            "--no-worse": self.no_worse,
            "--at-least": self.at_least,
            "--at-most": self.at_most,
        }
        return [(option_, *bound) for option_, part in parts.items() for bound in part]


class GateSettings(Checks, Models, Output):
    """The settings of `confmat gate`."""


class Check(NamedTuple):
    """A check: both scores, the bounds of the difference or of the new score, and the state that follows.

    It may be of one `group`. A check of a margin says how often an equal model passes such a test
    (`power`), the items that make it 80 in 100 (`needed`), and the least loss that fails so often
    (`finds`).
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
    group: Any = None


@command(GateSettings, EXAMPLES)
def gate(settings: GateSettings) -> int:
    """Check that a new model is no worse than the base one: two stored matrices, or columns of answers.

    A check passes where the interval shows it, fails where the interval shows the contrary, and is
    undecided where the items are too few for either. Answers item by item decide more than
    matrices, which do not tell which items both models had right.
    """
    from confmat.cli.output import put_table, refuse_inputs, settle_form
    from confmat.io import write_text

    if not settings.asked:
        msg = "say what is checked: --no-worse f1.macro=0.01, or --at-least 'recall[Cat]=0.9'"
        raise InputError(msg)
    summary = settings.summary or os.environ.get("GITHUB_STEP_SUMMARY")
    for path in filter(None, (summary, settings.junit)):
        refuse_inputs(path, settings.inputs)
    settle_form(settings, settings.inputs)
    groups = _groups(settings)
    # Groups hold separate items, so the chances that their bounds hold multiply.
    level = _of_two_bounds(settings.level ** (1 / len(groups)), settings)
    checks = [
        check for group, part in groups.items() for check in _checks(settings, group, part, level)
    ]
    bad = {"failed", "undecided"} if settings.undecided == "fail" else {"failed"}
    table = _table(checks, groups, settings)
    put_table(table, settings)
    if summary:
        _append(f"### confmat gate\n\n{table.to('markdown')}\n", summary)
    if settings.junit:
        write_text(_junit(checks, bad), settings.junit)
    return int(any(check.state in bad for check in checks))


def _groups(settings: GateSettings) -> Mapping[Any, Comparison]:
    """Compare both models, of all items or group by group."""
    names = [*dict.fromkeys(name for _, name, _ in settings.asked)]
    found = comparison_of(settings, names, _of_two_bounds(settings.level, settings))
    groups: Mapping[Any, Comparison] = found if settings.by else {None: found}
    many = len(next(iter(groups.values())).models)
    if many != 2:
        msg = f"a gate holds a new model against one base, so it takes two models; got {many}"
        raise InputError(msg)
    return groups


def _of_two_bounds(level: float, settings: GateSettings) -> float:
    """The level of an interval each of whose two bounds is as sure as this."""
    return level if settings.looks else 2 * level - 1


def _append(text: str, path: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise unwritten(path, error) from None


def _checks(
    settings: GateSettings, group: Any, comparison: Comparison, level: float
) -> Iterator[Check]:
    """Check what was asked for, of all items or of those of a group at its own level."""
    for option_, score, number in settings.asked:
        difference, *_ = (
            comparison.of_score(score) if group is None else comparison.again(score, level)
        )
        seen = _seen(option_, difference, comparison, settings.looks)
        yield _check(option_, number, *seen)._replace(group=group)


def _seen(
    option_: str, difference: Difference, comparison: Comparison, looks: int | None
) -> tuple[Difference, Estimate]:
    """Return the difference and the estimate of the new model; those that hold at every look, where there are many."""
    from confmat.intervals import Estimate, interval

    new = comparison.models[1]
    found: Any = comparison.estimates[new, difference.score]
    if looks and option_ == "--no-worse":
        return difference.anytime(looks), found
    if looks or difference.level != comparison.level:
        known: Any = comparison.pairings.get((comparison.models[0], new))
        drawn = getattr(known, "stacks", [comparison.matrices[new]])[-1]
        often: dict[str, Any] = {"method": "anytime", "at": looks} if looks else {}
        found = interval(drawn, difference.score, level=difference.level, **often)
    assert isinstance(found, Estimate)
    return difference, found


def _check(option_: str, number: float, difference: Difference, estimate: Estimate) -> Check:
    """Return the check of a difference against a margin, or of the new score against a bar."""
    from confmat.comparison.differences import percent

    score = printable(difference.score)
    right = {"higher": "--at-least", "lower": "--at-most"}.get(difference.better, option_)
    if option_ == "--no-worse":
        name, state = f"{score} no worse by {number:g}", STATES[difference.no_worse(number)]
        seen = (math.nan,) * 3
        if difference.se > 0 and not difference.test.startswith("any time"):
            seen = (
                difference.power(number),
                difference.items_needed(number),
                number + difference.detectable,
            )
        return Check(name, *difference.values, "new − base", *difference.limits, state, *seen)
    low, high = difference.bounds
    if not low <= number <= high:
        msg = f"{option_} {score}={number:g}: it lies between {low:g} and {high:g}{percent(number, high)}"
        raise InputError(msg)
    if right != option_:
        msg = f"{option_} {score}: {difference.better} is better; say {right} {score}={number:g}"
        raise InputError(msg)
    low, high = estimate
    inside, outside = (
        (low >= number, high < number)
        if option_ == "--at-least"
        else (high <= number, low > number)
    )
    state = "passed" if inside else "failed" if outside else "undecided"
    return Check(
        f"{score} {option_[2:].replace('-', ' ')} {number:g}",
        *difference.values,
        "new",
        low,
        high,
        state,
    )


def _table(
    checks: Sequence[Check], groups: Mapping[Any, Comparison], settings: GateSettings
) -> Table:
    from confmat.cli.output import known_alone, table_of

    counts, first = Counter(check.state for check in checks), next(iter(groups.values()))
    verdicts = ", ".join(f"{counts[state]} {state}" for state in STATES.values())
    often = ", at every look" if settings.looks else ""
    often += f", in all {len(groups)} groups at once" if settings.by else ""
    notes = [
        f"{verdicts}; each bound at {settings.level:.3g} confidence{often}.",
        *_origins(groups, settings),
    ]
    # The last note of categories is about ranks.
    notes += first.notes[:-1] if settings.by else first.notes
    if counts["undecided"] and first.design == "same items":
        notes.append(
            "Matrices leave open which items both models had right; their answers decide more: -a y -p old -p new"
        )
    table = known_alone(table_of(Check._fields, checks), {"power", "needed", "finds"})
    # The group is first.
    *columns, group = table.columns
    front = [replace(group, head=settings.by)] if settings.by else []
    return replace(table, columns=(*front, *columns), notes=tuple(notes))


def _dated(names: Sequence[str]) -> str:
    """Name files, with the day on which the last of them was written."""
    files = [*map(Path, names)]
    times = [file.stat().st_mtime for file in files if file.is_file()]
    day = f" of {datetime.fromtimestamp(max(times), UTC).date()}" if times else ""
    return _names(file.name for file in files) + day


def _origins(groups: Mapping[Any, Comparison], settings: GateSettings) -> list[str]:
    """Say of each model by how many items of which files it is known."""
    found = []
    for place, model in enumerate(next(iter(groups.values())).models):
        matrices = [part.matrices[model] for part in groups.values()]
        # A file for each, or the same for both.
        apart = len(settings.files) == 2 and not settings.predictions
        where = _dated(settings.files[place : place + 1] if apart else settings.files)
        if apart and (source := matrices[0].provenance):
            where += f", counted in {_names(file['name'] for file in source['files'])}"
        items = number_text(sum(float(m.total) for m in matrices))
        found.append(f"{('base', 'new')[place]}: {printable(model)}, {items} items, {where}.")
    return found


def _names(names: Iterable[str]) -> str:
    """The first names of files."""
    first = list(map(printable, names))
    return ", ".join(first[:3]) + (f" and {len(first) - 3:,} more" if first[3:] else "")


def _junit(checks: Sequence[Check], bad: set[str]) -> str:
    """Return the checks as JUnit XML; one that is undecided and does no harm is skipped."""
    cases, counts = [], Counter[str]()
    for check in checks:
        kind = "failure" if check.state in bad else "skipped" if check.state == "undecided" else ""
        counts[kind] += 1
        ends = f"[{check.low:.4g}, {check.high:.4g}]"
        message = (
            f"{check.state}: base {check.base:.4g}, new {check.new:.4g}, {check.interval} in {ends}"
        )
        inside = f'<{kind} message="{escape(message)}"/>' if kind else ""
        name = check.check if check.group is None else f"{check.check}, {printable(check.group)}"
        cases.append(
            f'  <testcase classname="confmat.gate" name="{escape(name)}">{inside}</testcase>\n'
        )
    numbers = f'tests="{len(checks)}" failures="{counts["failure"]}" errors="0" skipped="{counts["skipped"]}"'
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="confmat gate" {numbers}>\n'
    return f"{head}{''.join(cases)}</testsuite>\n"

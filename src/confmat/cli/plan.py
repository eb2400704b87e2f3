"""`confmat plan`: how many items a gate needs, from a pilot or before there is one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.compare import Models, comparison_of
from confmat.cli.options import Read, assignment, command, option
from confmat.cli.report import finite
from confmat.cli.settings import Output
from confmat.core.errors import InputError

if TYPE_CHECKING:
    from confmat.core.tables import Table

EXAMPLES = """\b
Examples:
  confmat plan 0.85 --margin 0.02 --discordant 0.1        before there is a pilot: the share that is expected
  confmat plan 0.8 --margin recall=0.05 --discordant 0.1 --prevalence 0.1      of a class that is so rare
  confmat plan -a y -p old -p new pilot.csv --margin f1.macro=0.02 --margin accuracy=0.01
"""
_NAMED = assignment("score=margin", "f1.macro=0.02", finite)


def _margin(text: str) -> tuple[str, float]:
    with suppress(ValueError):
        return "", finite(text)
    return _NAMED.read(text)


class PlanSettings(Models, Output):
    """The settings of `confmat plan`."""

    by: str | None = None
    names: list[str] | None = None
    margins: tuple[tuple[str, float], ...] = option(
        "--margin",
        type=Read("[score=]margin", _margin),
        multiple=True,
        required=True,
        help="The loss that is as good as none; of a pilot, of which score; repeatable.",
    )
    power: float = option(
        "--power",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.8,
        help="How often a model that is as good is to pass.",
    )
    level: float = option(
        "--level",
        type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence of the check, which is one-sided, as that of a gate.",
    )
    discordant: float | None = option(
        "--discordant",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="SHARE",
        help="Without a pilot: the share of items that one of the models alone will have right; different items if "
        "not given.",
    )
    prevalence: float | None = option(
        "--prevalence",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="SHARE",
        help="Without a pilot: how often the class occurs whose members the score is a share of.",
    )


@command(PlanSettings, EXAMPLES)
def plan(settings: PlanSettings) -> None:
    """Say how many items a gate needs: from the answers of a pilot, or from the share that is expected.

    Models are planned for as equally good. A pilot says how often they differ, and not how far they
    are apart, which is mostly chance: taken for the truth it asks for anything from a quarter to
    ten times the items.
    """
    from confmat.cli.output import put_table, settle_form

    settle_form(settings, settings.inputs)
    share = None
    with suppress(ValueError):
        share = float("".join(settings.files))
    if share is not None:
        put_table(_expected(share, settings), settings)
        return
    margins = dict(settings.margins)
    if "" in margins:
        msg = "of a pilot say the score of each margin: --margin f1.macro=0.02"
        raise InputError(msg)
    found = comparison_of(settings, [*margins], 2 * settings.level - 1)
    put_table(found.plan(margins, settings.power), settings)


def _expected(share: float, settings: PlanSettings) -> Table:
    """Plan from the share that is expected of both models."""
    from confmat.cli.output import table_of
    from confmat.comparison.outcome import planned
    from confmat.intervals.planning import items_needed

    settings.use.why = f"{share:g} is the share that is expected, and no pilot"
    if not 0 <= share <= 1:
        msg = f"the share that is expected lies between 0 and 1, such as 0.85; got {share:g}"
        raise InputError(msg)
    if (settings.prevalence is None) == any(score for score, _ in settings.margins):
        msg = "a score of a class needs its prevalence, --margin recall=0.05 --prevalence 0.1; others are --margin 0.02"
        raise InputError(msg)
    asked: dict[str, Any] = {
        "power": settings.power,
        "discordant": settings.discordant,
        "prevalence": settings.prevalence,
    }
    rows = [
        (
            margin,
            items_needed(
                share, score or None, margin=margin, level=2 * settings.level - 1, **asked
            ),
        )
        for score, margin in settings.margins
    ]
    return replace(
        table_of(("margin", "needed"), rows), notes=(planned(settings.power, settings.level),)
    )

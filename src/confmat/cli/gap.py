"""`confmat gap`: how far apart groups are on a score, and which of them are shown to differ."""

from __future__ import annotations

import click

from confmat.cli.options import borrowed, command, option
from confmat.cli.settings import FreeAnswers, HierarchyFile, Output, Rows, RowSettings, Scores
from confmat.core.errors import InputError

EXAMPLES = """\b
Examples:
  confmat gap preds.csv --by site
  confmat gap preds.csv --by site --metric 'demographic_parity[Cat]'
  confmat gap preds.csv --by site -o page.html
  confmat gap preds.parquet --by site --metric 'four_fifths[Cat]' --level 0.9
"""


class GapSettings(Rows, Scores, FreeAnswers, HierarchyFile, Output):
    """The settings of `confmat gap`."""

    by: str | None = borrowed(Rows, "by", help="Column of groups; each item belongs to one.")
    metric: str = option(
        "-m",
        "--metric",
        metavar="SCORE",
        default="accuracy",
        argument="score",
        help="Score, by default accuracy, such as f1.macro or recall[Cat], or demographic_parity, four_fifths, "
        "equal_opportunity, equalized_odds, predictive_parity.",
    )
    level: float = option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence of the intervals, which hold for all groups at once.",
    )


@command(GapSettings, EXAMPLES)
def gap(settings: GapSettings) -> None:
    """Say how far apart groups are on a score, with bounds that hold for the widest gap.

    Groups come in order, each with what it has more than the rest. The gap and the ratio are those
    of fairness.
    """
    from confmat.cli.inputs import Reader
    from confmat.cli.output import put_table, settle_form
    from confmat.cli.related import Related
    from confmat.comparison import gap as gap_of
    from confmat.core.stack import Stack

    related = Related(settings)
    related.check_level()
    reader = Reader(settings.into(RowSettings), related)
    settle_form(settings, reader.files, has_page=True)
    stack = reader.read()
    if not isinstance(stack, Stack):
        msg = "a gap is between groups; name their column with --by, or give a stored stack"
        raise InputError(msg)
    found = gap_of(stack, settings.metric, level=settings.level)
    put_table(found, settings, found.to_dict())

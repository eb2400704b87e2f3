"""`confmat html`: the report as one file that opens in any browser."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.beyond import answer_options, cost_options, hierarchy_options, score_options, several_options
from confmat.cli.options import Choice, Sectioned, input_options, names_option

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat html preds.parquet -o report.html --open
  confmat html preds.csv --examples id,text        what fell into each cell
  confmat html old.json new.json --compare         models side by side
  confmat html preds.csv --by site                 the same of groups
  confmat html month.json --costs costs.json       with what errors cost
"""


@click.command("html", cls=Sectioned, epilog=EXAMPLES)
@input_options
@score_options
@several_options
@answer_options
@hierarchy_options
@cost_options
@click.option("-o", "--output", default="report.html", show_default=True, metavar="FILE", help="Where to; - prints it.")
@names_option("--examples", help="Columns of the files to show a few rows of, for each cell.")
@click.option("--per-cell", type=click.IntRange(1), default=20, show_default=True, help="At most so many examples.")
@click.option("--compare", is_flag=True, help="One matrix for each file, instead of their sum.")
@names_option("--names", help="What the files are called when compared.")
@names_option("-m", "--metrics", help="Scores above everything, too, such as recall[Cat] or f0.5.macro.")
@click.option("--title", metavar="TEXT", help="The heading.")
@click.option(
    "--normalize",
    type=Choice(("none", "actual", "predicted", "all")),
    default="actual",
    show_default=True,
    help="What shades the heat map at first.",
)
@click.option(
    "--order",
    type=Choice(("auto", "given", "alphabetical", "support", "worst", "cluster")),
    default="auto",
    show_default=True,
    help="The order of the classes at first.",
)
@click.option("--open", "opens", is_flag=True, help="Open it in the browser.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks on standard error.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Write a report of files, stored matrices or standard input (-) as one HTML file that needs no network.

    It shows scores, ranked confusions, a heat map to walk in, every class, and examples.
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.pages import written

    options["sources"] = sources_of(ctx)
    written(options)

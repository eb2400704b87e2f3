"""`confmat thresholds`: which threshold of a column of scores is best, and how sure that is."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.beyond import cost_options
from confmat.cli.options import Sectioned, input_options, names_option, output_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat thresholds preds.csv --scores p_Cat --positive Cat
  confmat thresholds preds.csv --scores p_Cat --positive Cat --best f1,recall.macro
  confmat thresholds preds.csv --scores p_Cat --positive Cat --costs prices.json
"""


@click.command("thresholds", cls=Sectioned, epilog=EXAMPLES)
@input_options
@names_option("--scores", metavar="COLUMN", required=True, help="Column of scores for the positive class.")
@names_option(
    "--best",
    "-m",
    "--metrics",
    "best",
    default="f1,mcc,balanced_accuracy",
    show_default=True,
    help="Scores to find the best threshold of.",
)
@cost_options
@click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Find the threshold at which a score is best, and those that these items do not tell from it.

    Of more than two classes, --positive is told from all others. The areas under the curves come first.
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.sweeping import found, written
    from confmat.cli.writing import form_of, inputs_of, put

    form = form_of(options["form"], options["output"], inputs_of(options))
    options["sources"] = sources_of(ctx)
    put(written(found(options), options, form), options["output"], form)

"""`confmat compare`: which differences between models hold."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.beyond import answer_options, cost_options, hierarchy_options
from confmat.cli.options import (
    INPUTS,
    POLICIES,
    Choice,
    Sectioned,
    delimiter_option,
    labels_option,
    memory_option,
    na_option,
    names_option,
    other_option,
    output_options,
    rows_option,
    threads_option,
)

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat compare old.json new.json                           stored matrices, or stacks by image
  confmat compare -a y -p old -p new preds.parquet            answers item by item: sharper
  confmat compare -a y -p old=model_1 -p new=model_2 *.csv --metrics f1.macro,mcc
  confmat compare old.json new.json --costs costs.json        by what errors cost
  confmat compare old.json new.json --classes f1              class by class
  confmat compare -a y -p old -p new llm.csv --aliases names.csv --refused 'I cannot*' --other collect
"""


@click.command("compare", cls=Sectioned, epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("-a", "--actual", metavar="COLUMN", help="Column of actual labels.")
@click.option(
    "-p",
    "--predicted",
    "predictions",
    multiple=True,
    metavar="[NAME=]COLUMN",
    help="Column of a model's answers; repeatable.",
)
@click.option("-w", "--weight", metavar="COLUMN", help="Column with one number per row.")
@names_option("--names", help="What the models of stored matrices are called.")
@names_option("-m", "--metrics", help="Scores such as accuracy,f1.macro,recall[Cat].")
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence of the intervals; a difference counts at 1 less this.",
)
@click.option(
    "--same-items/--different-items",
    "same",
    default=None,
    help="Whether stored matrices were counted from the same items, or stacks from the same clusters.",
)
@click.option("--classes", metavar="METRIC", help="Differences class by class instead, such as f1.")
@click.option("--cells", type=click.IntRange(1), metavar="N", help="The N cells that changed most instead.")
@answer_options
@hierarchy_options
@cost_options
@labels_option
@click.option(
    "--missing",
    type=Choice(POLICIES),
    default="error",
    show_default=True,
    help="What becomes of missing labels; dropped ones must be missing in every column of answers.",
)
@na_option
@other_option
@click.option("--input", "kind", type=Choice(INPUTS), help="What the files hold.")
@delimiter_option
@rows_option
@threads_option
@memory_option
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Compare models: stored matrices, a file each, or columns of answers in the same files.

    From the answers themselves each difference gets one p-value. Matrices alone do not tell which items both models
    had right, so there it is a range, and a difference may stay undecided. Stacks with a matrix for each image,
    document or patient are paired by these.
    """
    from confmat.cli.comparing import compared, written
    from confmat.cli.count_command import sources_of
    from confmat.cli.writing import form_of, inputs_of, put

    options["sources"] = sources_of(ctx)
    form = form_of(options["form"], options["output"], inputs_of(options))
    put(written(compared(options), options, form), options["output"], form)

"""`confmat report`: scores per class, averaged and overall; a gate for CI."""

from __future__ import annotations

import math
from typing import Any

import click

from confmat.cli.beyond import answer_options, cost_options, hierarchy_options, score_options, several_options
from confmat.cli.options import Choice, Sectioned, input_options, names_option, output_options

__all__ = ["Bar", "command"]

EXAMPLES = """\b
Examples:
  confmat report preds.parquet
  confmat report *.csv --by site --weight w -o report.md
  cat preds.jsonl | confmat report - --metrics precision,recall,mcc
  confmat report *.csv --scores w --threshold 2 -l Cat,Hen --positive Hen --other drop
  confmat report preds.csv --scores 'p_*' --top-k 2              a column of scores for each class
  confmat report preds.csv --sep ';' --averages micro,macro      several labels in a field
  confmat report llm.csv --aliases names.csv --refused 'I cannot*' --other collect
  confmat report month.json --hierarchy classes.txt --costs costs.json
  confmat report month.json --averages macro,micro --digits 4
  confmat report month.json --fail-under f1.macro=0.9 --fail-under 'recall[Cat]=0.8'
  confmat report month.json --fail-over error_rate=0.1
"""


class Bar(click.ParamType[tuple[str, float]]):
    """A score and the number it is held against: f1.macro=0.9."""

    name = "score=number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        """The score as text, and the number."""
        if isinstance(value, tuple):
            return value
        score, _, number = str(value).rpartition("=")
        try:
            bar = float(number)
        except ValueError:
            bar = math.nan
        if not score.strip() or not math.isfinite(bar):
            self.fail(f"{value!r} is not written like f1.macro=0.9", param, ctx)
        return score.strip(), bar


@click.command("report", cls=Sectioned, epilog=EXAMPLES)
@input_options
@score_options
@several_options
@answer_options
@hierarchy_options
@cost_options
@names_option("-m", "--metrics", help="Columns, and scores such as mcc or f1.macro.")
@names_option("--averages", help="Such as macro,micro,weighted.")
@click.option("--digits", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals.")
@click.option("--intervals", is_flag=True, help="Each number with its interval of 95 %.")
@click.option("--outside", type=Choice(("wrong", "exclude", "bounds")), default="wrong", show_default=True,
              help="Whether answers outside the classes, such as (refused), count as wrong or are left out; bounds "
              "shows both, and the scores at worst and at best.")  # fmt: skip
@click.option("--fail-under", type=Bar(), multiple=True, help="Exit with 1 if a score is less; repeatable.")
@click.option("--fail-over", type=Bar(), multiple=True, help="Exit with 1 if a score is more; repeatable.")
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> int:
    """Score files, or stored matrices, or standard input (-): per class, averaged and overall.

    Scores are spelt f1 (of every class), f1.macro (averaged), f1[Cat] (of one class).
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.scoring import below, judged, scored
    from confmat.cli.terminal import drawn
    from confmat.cli.writing import form_of, inputs_of, put, reports_text

    form = form_of(options["form"], options["output"], inputs_of(options))
    options["sources"] = sources_of(ctx)
    found, reports, axis = scored(options, form)
    more = below(found, options, form)
    if not drawn(reports, options, form, axis):
        put(reports_text(reports, axis, form) + more, options["output"], form)
    elif more:
        put(more, None, form)
    failures = judged(found, options)
    for line in failures:
        click.echo(f"confmat: {line}", err=True)
    return 1 if failures else 0

"""`confmat count`: files or a stream into a matrix."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.beyond import answer_options, hierarchy_options, score_options, several_options
from confmat.cli.options import Sectioned, input_options, output_options, table_options

__all__ = ["command", "sources_of"]

EXAMPLES = """\b
Examples:
  confmat count preds.parquet                     columns found by their names
  confmat count *.csv -a truth -p guess -o day.json
  confmat count preds/ --by site --format csv
  confmat count preds.csv --missing-value NA --missing drop
  confmat count preds.csv --scores 'z_*' --kind logits
  confmat count preds.csv --sep ';' --matrix
  confmat count day.json --hierarchy classes.txt --roll-up 1
  tail -f log.jsonl | confmat count - --every 10s
  confmat count huge.csv --resume huge.checkpoint -o huge.json
"""


def sources_of(ctx: click.Context) -> dict[str, str]:
    """Where each option comes from: COMMANDLINE, DEFAULT_MAP, ..."""
    return {name: getattr(ctx.get_parameter_source(name), "name", "") for name in ctx.params}


@click.command("count", cls=Sectioned, epilog=EXAMPLES)
@input_options
@score_options
@several_options
@answer_options
@hierarchy_options
@table_options
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Count files (Parquet, CSV, TSV, JSONL, Arrow), or standard input (-), into a confusion matrix.

    FILES may be patterns or directories. What is written with -o x.json can be merged, scored and shown.
    """
    from confmat.cli.reading import read
    from confmat.cli.related import check_level
    from confmat.cli.terminal import drawn
    from confmat.cli.writing import form_of, inputs_of, matrix_text, put
    from confmat.core.errors import InputError
    from confmat.reporting import Report

    form = form_of(options["form"], options["output"], inputs_of(options))
    options["sources"] = sources_of(ctx)
    check_level(options)

    def show(found: Any) -> None:
        if not drawn(found, options, form):
            put(matrix_text(found, options, form), options["output"], form)
        if options["output"] is None and form == "table":
            click.echo()

    found = read(options, show)
    if isinstance(found, Report):
        msg = "this file holds a report, from which no counts can be had; confmat show prints it"
        raise InputError(msg)
    if not drawn(found, options, form):
        put(matrix_text(found, options, form), options["output"], form)

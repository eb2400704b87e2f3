"""`confmat show`: a stored or published matrix, printed or turned into another format."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import Choice, Names, output_options, table_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat show day.json
  confmat show day.json --normalize actual
  confmat show day.json --top 10
  confmat show published.txt --rows predicted -o m.json     what R or Weka has printed
  pbpaste | confmat show - -f latex
"""


@click.command("show", epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--rows", type=Choice(("actual", "predicted")), help="What the rows are, if the table does not say it.")
@click.option("-l", "--labels", type=Names(), help="The classes, of a table that does not name them.")
@click.option("--positive", metavar="LABEL", help="The positive class of two.")
@table_options
@output_options
def command(file: str, **options: Any) -> None:
    """Print a stored matrix, or one that was printed or published, or turn it into another format.

    Read are what confmat writes, and the tables of scikit-learn, PyCM, caret, yardstick, Weka, pandas, Markdown,
    LaTeX and CSV.
    """
    from confmat.cli.reading import standard_table, stored
    from confmat.cli.writing import form_of, matrix_text, put, reports_text
    from confmat.reporting import Report

    form = form_of(options["form"], options["output"])
    found = standard_table(options) if file == "-" else stored(file, options)
    text = reports_text(found, "", form) if isinstance(found, Report) else matrix_text(found, options, form)
    put(text, options["output"], form)

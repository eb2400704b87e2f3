"""`confmat audit`: whether printed scores follow from a printed matrix."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.claiming import claims_option
from confmat.cli.options import Choice, names_option, output_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat audit day.json --claim accuracy=0.75
  confmat audit published.txt -c accuracy=1.000 -c 'precision[Cat]=0.571'
  confmat audit published.txt --rows predicted --claims claims.json -f markdown
  confmat audit published.txt -c 'support[Cat]=2' --total 4 -c 'f1.macro=73 %'

\b
Exit status: 0 no error was found, 1 there are errors, 2 wrong usage or bad input.
"""


@click.command("audit", epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@claims_option
@click.option("--rows", type=Choice(("actual", "predicted")), help="What the rows are, if the table does not say it.")
@names_option("-l", "--labels", help="The classes, of a table that does not name them.")
@click.option("--positive", metavar="LABEL", help="The positive class of two.")
@click.option("--total", metavar="N", help="The number of items, as it is stated.")
@output_options
def command(file: str, **options: Any) -> int:
    """Say of printed scores whether they follow from a matrix, and if not, from what they do.

    A claim is ok if its name gives it, a warning if a declared convention does, such as cut digits or 0/0 printed as
    0, and an error otherwise. Give digits as they are printed: 0.930 claims more than 0.93.
    """
    from confmat.cli.auditing import audited, written
    from confmat.cli.writing import form_of, put

    form = form_of(options["form"], options["output"], [file, *options["files"]])
    found = audited(file, options)
    put(written(found, form), options["output"], form)
    return 1 if found.errors else 0

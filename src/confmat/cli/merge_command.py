"""`confmat merge`: stored matrices added up."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import output_options, table_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat merge day-*.json -o month.json
  confmat merge north.json south.csv
"""


@click.command("merge", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@table_options
@output_options
def command(files: tuple[str, ...], **options: Any) -> None:
    """Add up stored matrices; their classes are united. Stacks add group by group."""
    from confmat.cli.merging import meant, merged
    from confmat.cli.terminal import drawn
    from confmat.cli.writing import form_of, matrix_text, put

    form = form_of(options["form"], options["output"], meant(files))
    found = merged(files)
    if not drawn(found, options, form):
        put(matrix_text(found, options, form), options["output"], form)

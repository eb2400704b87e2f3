"""`confmat count`: files or a stream into a matrix."""

from __future__ import annotations

import click

from confmat.cli.options import Settings, command, group
from confmat.cli.settings import HierarchyFile, Look, Output, RowSettings

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


class CountSettings(Settings):
    """The settings of `confmat count`."""

    input: RowSettings = group(RowSettings)
    hierarchy: HierarchyFile = group(HierarchyFile)
    look: Look = group(Look)
    output: Output = group(Output)


@command(CountSettings, EXAMPLES)
def count(settings: CountSettings) -> None:
    """Count files (Parquet, CSV, TSV, JSONL, Arrow), or standard input (-), into a confusion matrix.

    FILES may be patterns or directories. A matrix written with -o x.json can be merged, scored and shown.
    """
    from confmat.cli.inputs import Counted, Reader
    from confmat.cli.output import form_of, put_matrix
    from confmat.cli.related import Related, check_level

    output = settings.output
    related = Related(settings.hierarchy)
    reader = Reader(settings.input, related, quiet=output.quiet)
    form = form_of(output, reader.files)
    check_level(settings.hierarchy)

    def show(part: Counted) -> None:
        put_matrix(part, output, form, settings.look)
        if output.path is None and form == "table":
            click.echo()

    put_matrix(reader.matrix(show), output, form, settings.look)

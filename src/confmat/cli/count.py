"""`confmat count`: files or a stream into a matrix."""

from __future__ import annotations

import click

from confmat.cli.options import command
from confmat.cli.settings import HierarchyFile, Look, Output, RowSettings

EXAMPLES = """\b
Examples:
  confmat count preds.parquet                     columns found by their names
  confmat count *.csv -a truth -p guess -o day.json
  confmat count preds/ --by site --format csv
  confmat count preds.csv --missing-value NA --missing drop
  confmat count preds.csv --scores 'z_*' --kind logits
  confmat count day.json --hierarchy classes.txt --roll-up 1
  tail -f log.jsonl | confmat count - --every 10s
  confmat count huge.csv --resume huge.checkpoint -o huge.json
"""


class CountSettings(RowSettings, HierarchyFile, Look, Output):
    """The settings of `confmat count`."""


@command(CountSettings, EXAMPLES)
def count(settings: CountSettings) -> None:
    """Count files (Parquet, CSV, TSV, JSONL, Arrow), or standard input (-), into a confusion matrix.

    FILES may be patterns or directories. A matrix written with -o x.json can be merged, scored and
    shown.
    """
    from confmat.cli.inputs import Counted, Reader
    from confmat.cli.output import put_matrix, settle_form
    from confmat.cli.related import Related

    related = Related(settings)
    reader = Reader(settings, related)
    settle_form(settings, reader.files)
    related.check_level()

    def show(part: Counted) -> None:
        put_matrix(part, settings)
        if settings.path is None and settings.form == "table":
            click.echo()

    put_matrix(reader.read(show), settings)

"""`confmat merge`: the sum of matrices in files."""

from __future__ import annotations

from confmat.cli.options import argument, command
from confmat.cli.settings import Look, Output

EXAMPLES = """\b
Examples:
  confmat merge day-*.json -o month.json
  confmat merge north.json south.csv
"""


class MergeSettings(Look, Output):
    """The settings of `confmat merge`."""

    files: tuple[str, ...] = argument("FILES...", many=True)


@command(MergeSettings, EXAMPLES)
def merge(settings: MergeSettings) -> None:
    """Add up stored or printed matrices; their classes are united. Stacks add group by group."""
    from confmat.cli.inputs import expanded, total
    from confmat.cli.output import put_matrix, settle_form

    files = expanded(settings.files)
    settle_form(settings, files)
    put_matrix(total(files, settings, stacks=True), settings)

"""`confmat segment`: label maps into a matrix of pixels."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import Numbers, names_option, output_options, table_options, threads_option

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat segment truth/ found/ -l road,car,sky --ignore 255
  confmat segment truth/ found/ --boundary 3 -o m.json     near borders alone
  confmat segment truth/ found/ --per-image --format csv
"""


@click.command("segment", epilog=EXAMPLES)
@click.argument("truth", metavar="TRUTH")
@click.argument("predicted", metavar="PREDICTED")
@names_option("-l", "--labels", help="The names of the numbers 0, 1, ...; otherwise the numbers.")
@click.option("--ignore", type=Numbers(int), metavar="N,...", help="Leave out pixels whose truth is one of these.")
@click.option("--boundary", type=click.IntRange(1), metavar="N", help="Count pixels within N steps of a border alone.")
@click.option("--per-image", is_flag=True, help="One matrix for each image.")
@threads_option
@table_options
@output_options
def command(truth: str, predicted: str, **options: Any) -> None:
    """Count the pixels of label maps: what each is, and what it was taken for.

    TRUTH and PREDICTED are folders whose files have the same names, or two files: .npy, or pictures such as .png,
    which Pillow reads. What is written with -o x.json can be scored, compared and shown.
    """
    from pathlib import Path

    from confmat.cli.terminal import Working, drawn
    from confmat.cli.writing import form_of, matrix_text, put
    from confmat.segmentation import count_masks
    from confmat.segmentation.maps import SUFFIXES

    form = form_of(options["form"], options["output"], [truth, predicted], SUFFIXES)
    sides: list[Any] = [truth, predicted]
    if not any(Path(side).is_dir() for side in sides):
        sides = [[side] for side in sides]
    chosen = {name: options[name] for name in ("labels", "ignore", "boundary", "per_image", "threads")}
    with Working("counting pixels", quiet=options["quiet"]):
        found = count_masks(*sides, **chosen)
    if not drawn(found, options, form):
        put(matrix_text(found, options, form), options["output"], form)

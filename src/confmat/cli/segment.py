"""`confmat segment`: label maps into a matrix of pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from confmat.cli.options import Numbers, Settings, argument, borrowed, command, group, names_option, option
from confmat.cli.settings import Look, Output, Rows

EXAMPLES = """\b
Examples:
  confmat segment truth/ found/ -l road,car,sky --ignore 255
  confmat segment truth/ found/ --boundary 3 -o m.json     near borders alone
  confmat segment truth/ found/ --per-image --format csv
"""


class SegmentSettings(Settings):
    """The settings of `confmat segment`."""

    truth: str = argument("TRUTH")
    predicted: str = argument("PREDICTED")
    labels: list[str] | None = names_option(
        "-l", "--labels", help="The names of the numbers 0, 1, ...; otherwise the numbers."
    )
    ignore: list[int] | None = option(
        "--ignore", type=Numbers(int), metavar="N,...", help="Leave out pixels whose truth is one of these."
    )
    boundary: int | None = option(
        "--boundary", type=click.IntRange(1), metavar="N", help="Count pixels within N steps of a border alone."
    )
    per_image: bool = option("--per-image", is_flag=True, help="One matrix for each image.")
    threads: int | None = borrowed(Rows, "threads")
    look: Look = group(Look)
    output: Output = group(Output)


@command(SegmentSettings, EXAMPLES)
def segment(settings: SegmentSettings) -> None:
    """Count the pixels of label maps: what each is, and what it was taken for.

    TRUTH and PREDICTED are folders whose files have the same names, or two files: .npy, or pictures such as .png,
    which Pillow reads. A matrix written with -o x.json can be scored, compared and shown.
    """
    from confmat.cli.output import form_of, put_matrix
    from confmat.cli.terminal import Working
    from confmat.segmentation import count_masks
    from confmat.segmentation.maps import SUFFIXES

    sides: list[Any] = [settings.truth, settings.predicted]
    form = form_of(settings.output, sides, SUFFIXES)
    if not any(Path(side).is_dir() for side in sides):
        sides = [[side] for side in sides]
    with Working("counting pixels", quiet=settings.output.quiet):
        value = count_masks(  # type: ignore[call-overload]
            *sides,
            labels=settings.labels,
            ignore=settings.ignore,
            boundary=settings.boundary,
            per_image=settings.per_image,
            threads=settings.threads,
        )
    put_matrix(value, settings.output, form, settings.look)

"""`confmat segment`: label maps into a matrix of pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from confmat.cli.options import INTEGERS, argument, borrowed, command, names_option, option
from confmat.cli.settings import Look, Output, Rows

EXAMPLES = """\b
Examples:
  confmat segment truth/ found/ -l road,car,sky --ignore 255
  confmat segment truth/ found/ --per-image --format csv
"""


class SegmentSettings(Look, Output):
    """The settings of `confmat segment`."""

    truth: str = argument("TRUTH")
    predicted: str = argument("PREDICTED")
    labels: list[str] | None = names_option(
        "-l", "--labels", help="The names of the numbers 0, 1, ...; otherwise the numbers."
    )
    ignore: list[int] | None = option(
        "--ignore",
        type=INTEGERS,
        metavar="N,...",
        help="Leave out pixels whose truth is one of these.",
    )
    per_image: bool = option("--per-image", help="One matrix for each image.")
    threads: int | None = borrowed(Rows, "threads")


@command(SegmentSettings, EXAMPLES)
def segment(settings: SegmentSettings) -> None:
    """Count the pixels of label maps: what each is, and what it was taken for.

    TRUTH and PREDICTED are folders whose files have the same names, or two files: .npy, or pictures
    such as .png, which Pillow reads. A matrix written with -o x.json can be scored, compared and
    shown.
    """
    from confmat.cli.output import put_matrix, settle_form
    from confmat.cli.terminal import Working
    from confmat.segmentation import count_masks
    from confmat.segmentation.maps import SUFFIXES

    sides: list[Any] = [settings.truth, settings.predicted]
    settle_form(settings, sides, SUFFIXES)
    if not any(Path(side).is_dir() for side in sides):
        sides = [[side] for side in sides]
    with Working("counting pixels", quiet=settings.quiet):
        value = count_masks(  # type: ignore[call-overload]
            *sides,
            labels=settings.labels,
            ignore=settings.ignore,
            per_image=settings.per_image,
            threads=settings.threads,
        )
    put_matrix(value, settings)

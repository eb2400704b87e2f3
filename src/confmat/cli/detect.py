"""`confmat detect`: boxes of images into a matrix with the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import NUMBERS, Choice, argument, command, names_option, option
from confmat.cli.settings import Look, Output
from confmat.core.errors import InputError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.core.matrix import ConfusionMatrix
    from confmat.core.stack import Stack
    from confmat.detection import Boxes

EXAMPLES = """\b
Examples:
  confmat detect truth.json found.json                  COCO: annotations and results
  confmat detect labels/ found/ -l car,person             YOLO: folders of text files
  confmat detect truth.json found.json --iou 0.75 -o m.json
  confmat detect truth.json found.json --iou 0.5,0.75,0.9
  confmat detect truth.json found.json --html page.html   examples of every error
  confmat detect truth.json found.json --coco             average precision as COCO reports it
"""


class DetectSettings(Look, Output):
    """The settings of `confmat detect`."""

    truth: str = argument("TRUTH")
    predicted: str = argument("PREDICTED")
    iou: list[float] = option(
        "--iou",
        type=NUMBERS,
        default="0.5",
        help="Boxes match that overlap so much; several make a stack.",
    )
    confidence: list[float] = option(
        "--confidence",
        type=NUMBERS,
        default="0.25",
        help="Predictions count whose score is so much; several make a stack.",
    )
    matching: str = option(
        "--matching",
        type=Choice(("optimal", "overlap", "confidence")),
        default="optimal",
        help="As many pairs as possible, the largest overlap first, or the most confident first as COCO does.",
    )
    same_class: str = option(
        "--same-class",
        type=Choice(("first", "only", "ignored")),
        default="first",
        help="Whether boxes of one class match first, match alone, or match like all others.",
    )
    labels: list[str] | None = names_option(
        "-l", "--labels", help="The classes in their order; of YOLO their names."
    )
    html: str | None = option(
        "--html", metavar="FILE", help="Write a page with examples of every error, too."
    )
    images: str | None = option(
        "--images", metavar="FOLDER", help="The images, for the examples of that page."
    )
    coco: bool = option("--coco", help="COCO's average precision instead, from all predictions.")

    @property
    def matching_options(self) -> dict[str, Any]:
        """The arguments of counting; one threshold gives a matrix, several a stack."""
        least: dict[str, Any] = {"iou": self.iou, "confidence": self.confidence}
        least = {name: values[0] if len(values) == 1 else values for name, values in least.items()}
        return least | {
            "labels": self.names,
            "same_class": self.same_class,
            "matching": self.matching,
        }

    @property
    def names(self) -> list[str] | None:
        """The classes, unless YOLO's reader has them already."""
        return None if Path(self.truth).is_dir() else self.labels


@command(DetectSettings, EXAMPLES)
def detect(settings: DetectSettings) -> None:
    """Match predicted boxes with true ones, and count what each is taken for; the rest goes with the background.

    TRUTH and PREDICTED are JSON of COCO (annotations and results), or folders of YOLO's text files.
    A matrix written with -o x.json can be scored, compared and shown.
    """
    from confmat.cli.output import put_matrix, put_table, refuse_inputs, settle_form, table_of
    from confmat.cli.terminal import Working
    from confmat.detection import coco_average_precision, count_boxes

    inputs = [settings.truth, settings.predicted]
    settle_form(settings, inputs, [".txt"])
    working = Working("matching boxes", quiet=settings.quiet)
    if settings.coco:
        settings.use.why = "--coco prints average precision alone"
        with working:
            precision = coco_average_precision(*_boxes(settings), labels=settings.names)
        rows = [[name, precision.of(name)] for name in precision.labels.classes] + [
            ["all", precision.mean]
        ]
        put_table(
            precision
            if settings.form == "table"
            else table_of(["class", "ap"], rows, settings.digits),
            settings,
        )
        return
    if settings.html is not None:
        refuse_inputs(settings.html, inputs, [".txt"])
    with working:
        boxes = _boxes(settings)
        value = count_boxes(*boxes, **settings.matching_options)
    page = None if settings.html is None else _page(settings.html, value, boxes, settings)
    put_matrix(value, settings)
    if page is not None:
        written = page()
        if not settings.quiet:
            click.echo(f"confmat: {printable(written)} written", err=True)


def _boxes(settings: DetectSettings) -> tuple[Boxes, Boxes]:
    """Read true and predicted boxes, from folders of YOLO's or from files of COCO's."""
    from confmat.detection import read_coco, read_yolo

    names = settings.truth, settings.predicted
    folders = [Path(name).is_dir() for name in names]
    # The readers say more about files that are not there.
    if any(folders) and not all(folders) and all(Path(name).exists() for name in names):
        msg = f"{printable(names[0])} and {printable(names[1])} must both be folders (YOLO) or both files (COCO)"
        raise InputError(msg)
    return read_yolo(*names, names=settings.labels) if any(folders) else read_coco(*names)


def _page(
    file: str, value: ConfusionMatrix | Stack, boxes: tuple[Boxes, Boxes], settings: DetectSettings
) -> Callable[[], object]:
    """Return what writes the report page, with a few boxes of every wrong cell."""
    from confmat.core.stack import Stack
    from confmat.detection import box_errors
    from confmat.pages.door import html

    if isinstance(value, Stack):
        msg = "--html shows the examples of one matrix; give one --iou and one --confidence"
        raise InputError(msg)
    errors = box_errors(*boxes, **settings.matching_options)
    return partial(html, errors, file, images=settings.images, title=Path(settings.predicted).stem)

"""`confmat detect`: boxes of images into a matrix with the background."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import Choice, Numbers, alone, names_option, output_options, table_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat detect truth.json found.json                  COCO: annotations and results
  confmat detect labels/ found/ -l car,person             YOLO: folders of text files
  confmat detect truth.json found.json --iou 0.75 -o m.json
  confmat detect truth.json found.json --iou 0.5,0.75,0.9
  confmat detect truth.json found.json --html page.html   examples of every error
  confmat detect truth.json found.json --coco             average precision as COCO reports it
"""


@click.command("detect", epilog=EXAMPLES)
@click.argument("truth", metavar="TRUTH")
@click.argument("predicted", metavar="PREDICTED")
@click.option(
    "--iou",
    type=Numbers(),
    default="0.5",
    show_default=True,
    help="Boxes match that overlap so much; several make a stack.",
)
@click.option(
    "--confidence",
    type=Numbers(),
    default="0.25",
    show_default=True,
    help="Predictions count whose score is so much; several make a stack.",
)
@click.option(
    "--matching",
    type=Choice(("optimal", "overlap", "confidence")),
    default="optimal",
    show_default=True,
    help="As many pairs as possible, the largest overlap first, or the most confident first as COCO does.",
)
@click.option(
    "--same-class",
    type=Choice(("first", "only", "ignored")),
    default="first",
    show_default=True,
    help="Whether boxes of one class match first, match alone, or match like all others.",
)
@names_option("-l", "--labels", help="The classes in their order; of YOLO their names.")
@click.option("--html", metavar="FILE", help="Write a page with examples of every error, too.")
@click.option("--coco", is_flag=True, help="COCO's average precision instead, from all predictions.")
@table_options
@output_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Match predicted boxes with true ones, and count what each is taken for; the rest goes with the background.

    TRUTH and PREDICTED are JSON of COCO (annotations and results), or folders of YOLO's text files. What is written
    with -o x.json can be scored, compared and shown.
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.detecting import boxes_of, counted, precision_text, written_page
    from confmat.cli.terminal import Working, drawn
    from confmat.cli.writing import form_of, matrix_text, put

    options["sources"] = sources_of(ctx)
    if options["coco"]:
        alone(options, "coco", "iou", "confidence", "matching", "same_class", "html")
    inputs = [options["truth"], options["predicted"]]
    form_of("html", options["html"], inputs, [".txt"])
    form = form_of(options["form"], options["output"], inputs, [".txt"])
    working = Working("matching boxes", quiet=options["quiet"])
    if options["coco"]:
        with working:
            text = precision_text(boxes_of(options), options, form)
        put(text, options["output"], form)
        return
    with working:
        boxes = boxes_of(options)
        found = counted(boxes, options)
    if options["html"] is not None:
        written_page(found, boxes, options)
    if not drawn(found, options, form):
        put(matrix_text(found, options, form), options["output"], form)

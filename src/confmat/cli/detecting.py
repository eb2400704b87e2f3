"""What `confmat detect` does: reads boxes, matches and counts them, and writes a page with examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from confmat.cli.writing import table_text
from confmat.core.errors import InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.core.text import printable
from confmat.detection import Boxes, coco_average_precision, count_boxes, examples_of_detections, read_coco, read_yolo

__all__ = ["boxes_of", "counted", "precision_text", "written_page"]

Sides = tuple[Boxes, Boxes]


def boxes_of(options: dict[str, Any]) -> Sides:
    """True and predicted boxes, from folders of YOLO's or from files of COCO's."""
    names = options["truth"], options["predicted"]
    folders = [Path(name).is_dir() for name in names]
    # Of what is not there the readers say more.
    if any(folders) and not all(folders) and all(Path(name).exists() for name in names):
        msg = f"{printable(names[0])} and {printable(names[1])} must both be folders (YOLO) or both files (COCO)"
        raise InputError(msg)
    return read_yolo(*names, names=options["labels"]) if any(folders) else read_coco(*names)


def _how(options: dict[str, Any]) -> dict[str, Any]:
    # Names of YOLO's classes are given to its reader.
    labels = None if Path(options["truth"]).is_dir() else options["labels"]
    # One threshold gives a matrix, several a stack.
    least = {name: values[0] if len(values := options[name]) == 1 else values for name in ("iou", "confidence")}
    return least | {"labels": labels, "same_class": options["same_class"], "matching": options["matching"]}


def counted(boxes: Sides, options: dict[str, Any]) -> ConfusionMatrix | Stack:
    """The matrix, or one for each of several thresholds."""
    return count_boxes(*boxes, **_how(options))


def written_page(found: ConfusionMatrix | Stack, boxes: Sides, options: dict[str, Any]) -> None:
    """Write the report page, with a few boxes of every wrong cell."""
    from confmat.display.html import html

    if isinstance(found, Stack):
        msg = "--html shows the examples of one matrix; give one --iou and one --confidence"
        raise InputError(msg)
    examples = examples_of_detections(*boxes, **_how(options))
    path = html(found, options["html"], examples=examples, title=Path(options["predicted"]).stem)
    if not options["quiet"]:
        click.echo(f"confmat: {printable(path)} written", err=True)


def precision_text(boxes: Sides, options: dict[str, Any], form: str) -> str:
    """COCO's average precision of each class, and of all, in a format."""
    found = coco_average_precision(*boxes, labels=_how(options)["labels"])
    if form == "table":
        return f"{found}\n"
    names = list(found.labels.classes)
    rows = [[name, found.of(name)] for name in names] + [["all", found.mean]]
    if form in {"json", "jsonl"}:
        records = [{"class": name, "ap": None if value != value else value} for name, value in rows]
        return "".join(json.dumps(one) + "\n" for one in records) if form == "jsonl" else json.dumps(records) + "\n"
    return table_text([["class", "ap"], *rows], options["digits"], form)

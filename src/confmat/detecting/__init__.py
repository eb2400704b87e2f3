"""Detecting: boxes become pairs of classes, and what goes with nothing goes with the background."""

from confmat.detecting.averaging import BoxPrecision, coco_average_precision
from confmat.detecting.boxes import Boxes
from confmat.detecting.coco import read_coco
from confmat.detecting.sampling import examples_of_detections
from confmat.detecting.sweeping import detections
from confmat.detecting.yolo import read_yolo

__all__ = [
    "BoxPrecision",
    "Boxes",
    "coco_average_precision",
    "detections",
    "examples_of_detections",
    "read_coco",
    "read_yolo",
]

"""Detecting: boxes become pairs of classes, and what goes with nothing goes with the background."""

from confmat.detecting.boxes import Boxes
from confmat.detecting.coco import read_coco
from confmat.detecting.sampling import examples_of_detections
from confmat.detecting.sweeping import detections
from confmat.detecting.yolo import read_yolo

__all__ = ["Boxes", "detections", "examples_of_detections", "read_coco", "read_yolo"]

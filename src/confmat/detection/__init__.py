"""Detection: boxes are matched and become pairs of classes; a box without a partner goes with the background.

For makers of detectors. Boxes become a matrix with the background outside the classes, one for each
image if wanted. Weights and clusters are refused, and so is a class that `labels` does not name.
"""

from confmat.detection.boxes import Boxes
from confmat.detection.counting import count_boxes
from confmat.detection.errors import BoxErrors, box_errors
from confmat.detection.files import read_coco, read_yolo
from confmat.detection.precision import BoxPrecision, coco_average_precision

__all__ = [
    "BoxErrors",
    "BoxPrecision",
    "Boxes",
    "box_errors",
    "coco_average_precision",
    "count_boxes",
    "read_coco",
    "read_yolo",
]

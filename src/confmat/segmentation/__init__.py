"""Segmentation: label maps become pairs of pixels, image by image; segments are matched for panoptic quality.

For label maps, in memory, files or streams, one matrix for each image or group if wanted. Weights
and clusters are refused, and so is a pixel whose class nobody named, with its place.
"""

from confmat.core.options import no_function
from confmat.segmentation.counting import count_masks
from confmat.segmentation.segments import PanopticQuality, panoptic

__all__ = ["PanopticQuality", "count_masks", "panoptic"]

no_function(__name__, "confmat.count_masks(actual, predicted)")

"""Segmentation: label maps become pairs of pixels, image by image; segments are matched for panoptic quality."""

from confmat.core.options import no_function
from confmat.segmentation.counting import count_masks
from confmat.segmentation.segments import PanopticQuality, panoptic

__all__ = ["PanopticQuality", "count_masks", "panoptic"]

no_function(__name__, "confmat.count_masks(actual, predicted)")

"""Segmenting: label maps become pairs of pixels, image by image; segments are matched, and panoptic quality."""

from confmat.segmenting.bands import band
from confmat.segmenting.door import segmentation
from confmat.segmenting.panoptic import panoptic
from confmat.segmenting.quality import PanopticQuality

__all__ = ["PanopticQuality", "band", "panoptic", "segmentation"]

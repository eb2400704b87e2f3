"""Segmenting: label maps become pairs of pixels, image by image; segments are matched, and panoptic quality."""

from confmat.segmenting.door import segmentation

__all__ = ["segmentation"]

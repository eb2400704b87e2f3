"""Counting: two sides of labels are read, checked and paired, and become a ConfusionMatrix."""

from confmat.counting.door import count

__all__ = ["count"]

"""Counting: the one door through which pairs come in, and where they are checked."""

from confmat.counting.door import count
from confmat.counting.tally import Tally

__all__ = ["Tally", "count"]

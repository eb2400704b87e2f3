"""Engines: counting where the data lives, in frames, databases and clusters, in files and in streams."""

from confmat.engines.comparing import compare_files, compare_frame
from confmat.engines.files import count_files
from confmat.engines.frames import count_frame
from confmat.engines.progress import Progress

__all__ = ["Progress", "compare_files", "compare_frame", "count_files", "count_frame"]

"""Engines: counting where the data lives, in frames, databases and clusters."""

from confmat.engines.frames import count_frame

__all__ = ["count_frame"]

"""Metrics: declared once, each a value that can be called, listed, averaged and explained."""

__all__: list[str] = []

"""What values have in common in a notebook: `_repr_html_`, drawn by `confmat.display.notebook` when it is asked for."""

from __future__ import annotations

__all__ = ["InNotebook"]


class InNotebook:
    """A value that notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """The table, or nothing where it cannot be drawn: a notebook then shows the text."""
        # The one arrow that points outward: a notebook asks the value, and only the display knows how to draw.
        from confmat.display.notebook import drawn

        return drawn(self)

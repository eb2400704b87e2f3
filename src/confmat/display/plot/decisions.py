"""Decision curves: the net benefit of models beside acting on all and on none, from a little below nothing up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes

from confmat.display.plot import curves

if TYPE_CHECKING:
    from confmat.deciding import DecisionCurve

# The part of the height that lies below nothing, where acting on all soon leads.
_BELOW = 0.2


def draw(found: DecisionCurve, ax: Any, title: str | None) -> Axes:
    """The curves, into some axes or a figure of their own."""
    drawn = curves.draw(curves.read(found.curves, None), ax, title)
    most = max([1e-9, *(float(curve.high.max()) for curve in found.curves.values())])
    drawn.set_ylim(-_BELOW * most, 1.05 * most)
    return drawn

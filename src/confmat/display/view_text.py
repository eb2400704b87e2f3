"""What a drawing says in words: cells, totals, what the numbers are, what the colours mean; long names cut short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from confmat.display.view_roles import Role
from confmat.text import number, printable

if TYPE_CHECKING:
    from confmat.display.view import MatrixView

__all__ = ["amount", "cell", "heading", "meaning", "numbers"]

DASH, MINUS = "–", "\N{MINUS SIGN}"

_MEANINGS = {
    Role.HIT: "predicted as what it is",
    Role.ERROR: "predicted as something else",
    Role.OUTSIDE: "outside the classes",
    Role.NEUTRAL: "outside on both sides",
    Role.FOLDED: "folded classes among themselves",
    Role.EMPTY: "no items to take a share of",
    Role.TP: "true positives",
    Role.FP: "false positives",
    Role.FN: "false negatives",
    Role.TN: "true negatives",
}


def heading(title: Any) -> str:
    """A title as text, whatever it was given as: the number of an epoch, the key of a stack."""
    return "" if title is None else title if isinstance(title, str) else printable(title)


def cell(view: MatrixView, row: int, column: int) -> str:
    """What one cell says."""
    if view.shown == "none":
        return ""
    count, share = view.counts[row, column].item(), float(view.shares[row, column])
    if view.shown == "both" and (share != share or count == share == 0):
        # A second line would say the same once more.
        return _share(view, share)
    lines = []
    if view.shown in {"counts", "both"}:
        lines.append(amount(view, count))
    if view.shown != "counts":
        lines.append(_share(view, share))
    return "\n".join(lines)


def amount(view: MatrixView, value: int | float) -> str:
    """A count, or four digits of a weight; of a difference with its sign."""
    text = number(abs(value)) if value == int(value) else f"{abs(value):,.4g}"
    return _signed(text, value) if view.is_difference else text


def _share(view: MatrixView, value: float) -> str:
    """A share as a per cent or a fraction; what is exactly nothing or all has no decimals, unlike what is rounded."""
    if value != value:
        return DASH
    size = abs(value) if view.shown == "share" else 100 * abs(value)
    text = f"{size:.0f}" if abs(value) in {0.0, 1.0} else f"{size:.{view.digits}f}"
    if view.is_difference:
        return _signed(text, value)
    return text if view.shown == "share" or not value else text + "%"


def _signed(text: str, value: float) -> str:
    return text if not value else ("+" if value > 0 else MINUS) + text


def numbers(view: MatrixView) -> str:
    """What the numbers are, in words."""
    of = {None: "all", "all": "all", "actual": "each actual class", "predicted": "each predicted class"}[view.normalize]
    counts = "weights" if view.counts.dtype.kind == "f" and not view.is_difference else "counts"
    cents = "percentage points" if view.is_difference else "per cent"
    shares = f"{'shares' if view.shown == 'share' else cents} of {of}"
    if view.shown == "both":
        text = f"{counts}, and {shares}"
    elif view.shown == "none":
        text = counts if view.normalize is None else f"shares of {of}"
    else:
        text = counts if view.shown == "counts" else shares
    return f"difference in {text}" if view.is_difference else text


def meaning(view: MatrixView, role: Role) -> str:
    """What a role means, for an observed class with how many there are."""
    if role in {Role.TP, Role.FP, Role.FN, Role.TN}:
        total: Any = view.counts[view.roles == role].sum().item()
        return f"{_MEANINGS[role]}: {amount(view, total)}"
    return _MEANINGS.get(role, "totals")


# ---- names -------------------------------------------------------------------------------------------------

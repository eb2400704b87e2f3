"""What a metric says about itself in text, assembled from its facts when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confmat.metrics.plainly import plainly

if TYPE_CHECKING:
    from confmat.metrics.declaration import Metric

__all__ = ["describe", "direction", "span"]


def span(metric: Metric) -> str:
    """The interval of possible values."""
    low, high = metric.bounds
    return f"{'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"


def direction(metric: Metric) -> str:
    """Which way is better, in words."""
    return {"higher": "higher is better", "lower": "lower is better", "neither": "neither way is better"}[metric.better]


def describe(metric: Metric) -> str:
    """The help text of a metric."""
    many = metric.kind == "class"
    lines = [metric.summary, ""]
    if metric.note:
        lines += [metric.note, ""]
    if metric.latex:
        lines.append(f"Formula: {plainly(metric.latex)}")
    lines.append(f"Values: {span(metric)}; {direction(metric)}" + (f"; in {metric.unit}" if metric.unit else ""))
    lines.append(
        "Gives: "
        + ("one value per class, or one with `of=` or `average=`" if many else "one number of the whole matrix")
    )
    if metric.undefined:
        lines.append(f"Undefined where {metric.undefined}.")
    if metric.when_never_predicted is not None:
        lines.append(
            f"A fair mean takes {metric.when_never_predicted:g} for a class that occurs but is never predicted."
        )
    if metric.limit is not None:
        lines.append(f"As a matrix becomes perfect it runs to {metric.limit:g}.")
    facts = [("One minus it", metric.complement), ("Of the transposed matrix", metric.transposed)]
    lines += [f"{what}: {name}" for what, name in facts if name]
    if metric.symmetric:
        lines.append("Exchanging actual and predicted changes nothing.")
    if metric.aliases:
        lines.append(f"Also called: {', '.join(metric.aliases)}")
    for peer, names in metric.peers.items():
        lines.append(f"In {peer}: {names if isinstance(names, str) else ', '.join(names)}")
    if metric.references:
        lines.append(f"References: {', '.join(metric.references)}")
    return "\n".join(lines)

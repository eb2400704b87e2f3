"""Pages of results that hold no matrix, such as gaps and decision curves: sentences, picture and table of each."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Mapping
from html import escape
from importlib.util import find_spec
from typing import Any

from confmat.calibrating import Calibration
from confmat.comparison import Gap, Ranking
from confmat.core.stack import Stack
from confmat.core.text import fit, printable
from confmat.deciding import DecisionCurve
from confmat.deciding.rivals import ScoreComparison
from confmat.display.plot import plot, plot_differences

# Nothing is fetched, and nothing runs.
_HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
img{{max-width:100%}}</style>
<h1>{title}</h1>
"""


# What they are, for the heading.
SMALL: dict[Any, str] = {
    Gap: "Gap between groups",
    Ranking: "Ranking",
    DecisionCurve: "Decision curve",
    ScoreComparison: "Comparison of scores",
    Calibration: "Calibration",
}


def small_parts(m: Any) -> dict[str, Any] | None:
    """The results of a small page by their names, one alone without a name; None of what has a page of its own."""
    if type(m) in SMALL:
        # Edges that are thresholds have the page of a sweep.
        has_thresholds = isinstance(m, Calibration) and m.bins.closed == "left"
        return None if has_thresholds else {"": m}
    several = isinstance(m, Mapping) and not isinstance(m, Stack) and m
    if several and all(type(part) in SMALL for part in m.values()):
        return {printable(name): part for name, part in m.items()}
    return None


def small_page(parts: Mapping[str, Any], title: str | None) -> str:
    """The page of some results, one below the other."""
    usual = SMALL[type(next(iter(parts.values())))] if title is None else title
    written = [_HEAD.format(title=escape(fit(printable(usual), 300)))]
    for name, part in parts.items():
        head = f"<h2>{escape(name)}</h2>" if name else ""
        written.append(f"{head}{_picture(part)}{part.table()._repr_html_()}\n")
    return "".join(written)


def _picture(value: Any) -> str:
    """The drawing of a result, where Matplotlib is there to draw it."""
    if find_spec("matplotlib") is None:
        return ""
    ax = plot_differences(value) if isinstance(value, ScoreComparison) else plot(value)
    buffer = io.BytesIO()
    ax.figure.savefig(buffer, format="svg")
    data, alt = b64encode(buffer.getvalue()).decode(), escape(" ".join(value.sentences()))
    return f'<p><img alt="{alt}" src="data:image/svg+xml;base64,{data}"></p>'

"""The catalog for people: lists of metrics, and what one of them means."""

from __future__ import annotations

import json
import sys
from typing import Any

from confmat.cli.related import of_hierarchy
from confmat.cli.writing import put, table_text
from confmat.core.errors import MetricError
from confmat.core.text import printable
from confmat.metrics import AVERAGES, Factory, catalog, declaration, metric, parse_score
from confmat.metrics.declaration import Metric
from confmat.metrics.description import describe, plainly, span

__all__ = ["explained", "listed"]

HIERARCHY = "--hierarchy FILE"


def listed(words: tuple[str, ...], form: str, output: str | None) -> None:
    """Print the metrics whose names or summaries hold all words."""
    found = [one for one in _facts() if all(word.lower() in one["text"] for word in words)]
    if not found:
        close = f"; {error}" if (error := _unknown(" ".join(words))) else ""
        msg = f"no metric has {printable(' '.join(words))!r} in its name or summary{close}"
        raise MetricError(msg)
    columns = ("name", "of", "better", "summary")
    # In a table for people an empty cell would be shown as an empty label is.
    nothing = "" if form in {"csv", "tsv"} else "-"
    rows = [list(columns), *([one[column] or nothing for column in columns] for one in found)]
    if form in {"json", "jsonl"}:
        records = [{name: value for name, value in one.items() if name != "text"} for one in found]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        put(lines if form == "jsonl" else json.dumps(records, indent=1) + "\n", output, form)
        return
    if form == "table" and output is None:
        from confmat.cli.terminal import is_colourful, wide_table

        if is_colourful(sys.stdout):
            wide_table(rows)
            return
    put(table_text(rows, 3, form), output, form)


def _unknown(name: str) -> str:
    try:
        metric(name)
    except MetricError as error:
        return str(error).partition("; ")[2]
    return ""


def _facts() -> list[dict[str, Any]]:
    rows = []
    related = _of_any_hierarchy()
    every: list[Any] = [*catalog().values(), *declaration().values(), *related.values()]
    for one in every:
        name, summary = one.name, one.summary
        if name in related:
            summary += f" Needs {HIERARCHY}."
        family = isinstance(one, Factory)
        rows.append(
            {
                "name": name,
                "of": "parameters" if family else "each class" if one.kind == "class" else "the matrix",
                "better": "" if family else one.better,
                "range": "" if family else _span(one) if name in related else span(one),
                "aliases": list(one.aliases),
                "summary": summary,
                "text": " ".join([name, *one.aliases, summary]).lower(),
            }
        )
    return rows


def _of_any_hierarchy() -> dict[str, Metric]:
    """The scores that a hierarchy gives, by name: what they mean is the same of any."""
    from confmat.hierarchy import Hierarchy

    any_one = Hierarchy.from_paths({"a": ["above"], "b": ["above"]})
    return {one.name: one for one in of_hierarchy(any_one)}


def _span(one: Metric) -> str:
    """The range of a score of a hierarchy, whichever that is."""
    return "0 to the height of the hierarchy" if one.name.startswith("lca_height") else span(one)


def explained(name: str) -> str:
    """What a metric, a family of metrics, an average or a peer's name means."""
    average = AVERAGES.get(name.lower())
    if average is not None:
        return f"{average.name}: {average.title}\n\n{average.summary}\n\nFormula: {plainly(average.latex)}"
    related = _of_any_hierarchy()
    if name.lower().replace("-", "_") in {"severity", "mistake_severity"}:
        name = "lca_height_of_mistakes"
    if name in related:
        one = related[name]
        told = describe(one).replace(span(one), _span(one))
        return f"{one.name}: {one.title}\n\n{told}\n\nIt needs to know how classes are related: {HIERARCHY}."
    try:
        found = metric(name)
    except MetricError:
        try:
            found = parse_score(name).metric
        except MetricError as error:
            if ";" in str(error) or ": " in str(error):
                raise
            msg = f"{error}; confmat metrics lists what there is"
            raise MetricError(msg) from None
    if isinstance(found, Factory):
        example = ", ".join(map(repr, found.example))
        return f"{found.name}: a family of metrics, such as {found.name}({example})\n\n{found.summary}"
    if not hasattr(found, "bounds"):
        return f"{printable(name)}\n\n{getattr(found, 'summary', '') or repr(found)}"
    return f"{found.name}: {found.title}\n\n{describe(found)}"

"""`confmat metrics` and `confmat explain`: the catalog of metrics, and the meaning of each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Settings, argument, borrowed, command
from confmat.cli.settings import Output
from confmat.core.errors import MetricError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.metrics.declaration import Metric

HIERARCHY = "--hierarchy FILE"

# ---- confmat metrics -----------------------------------------------------------------------------

METRICS_EXAMPLES = """\b
Examples:
  confmat metrics
  confmat metrics agreement
  confmat metrics --format json
"""
COLUMNS = ("name", "of", "better", "summary")


class MetricsSettings(Settings):
    """The settings of `confmat metrics`."""

    words: tuple[str, ...] = argument("[WORDS]...", many=True, required=False)
    form: str = borrowed(Output, "form", default="table", show_default=False, help="How to print.")
    path: str | None = borrowed(Output, "path")


@command(MetricsSettings, METRICS_EXAMPLES)
def metrics(settings: MetricsSettings) -> None:
    """List the metrics there are, or those whose names or summaries hold all WORDS."""
    from confmat.cli.output import put_table, table_of
    from confmat.cli.terminal import is_colorful, wide_table

    form, facts = settings.form, _with_words(settings.words)
    as_data = form in {"json", "jsonl"}
    heads = list(facts[0]) if as_data else list(COLUMNS)
    # In a table for people an empty cell would be shown as an empty label is.
    nothing = "" if as_data else None if form in {"csv", "tsv"} else "-"
    rows: list[list[Any]] = [
        [nothing if fact[head] == "" else fact[head] for head in heads] for fact in facts
    ]
    if form == "table" and settings.path is None and is_colorful(sys.stdout):
        settings.check_use()
        wide_table([heads, *rows])
    else:
        put_table(table_of(heads, rows), settings.into(Output))


def _with_words(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return the facts of the metrics whose names or summaries hold all words."""
    facts = [fact for fact in _facts() if all(word.lower() in _text(fact) for word in words)]
    if not facts:
        close = f"; {hint}" if (hint := _hint(" ".join(words))) else ""
        msg = f"no metric has {printable(' '.join(words))!r} in its name or summary{close}"
        raise MetricError(msg)
    return facts


def _text(facts: dict[str, Any]) -> str:
    """Return the text that words are looked for in."""
    return " ".join([facts["name"], *facts["aliases"], facts["summary"]]).lower()


def _hint(name: str) -> str:
    """Return the names that may have been meant."""
    from confmat.metrics import metric

    try:
        metric(name)
    except MetricError as error:
        return str(error).partition("; ")[2]
    return ""


def _facts() -> list[dict[str, Any]]:
    """Return the facts about each metric."""
    from confmat.metrics import Factory, catalog, factories
    from confmat.metrics.description import span

    rows = []
    related = _of_any_hierarchy()
    every: list[Any] = [*catalog().values(), *factories().values(), *related.values()]
    for metric in every:
        name, summary = metric.name, metric.summary
        if name in related:
            summary += f" Needs {HIERARCHY}."
        family = isinstance(metric, Factory)
        rows.append(
            {
                "name": name,
                "of": "parameters"
                if family
                else "each class"
                if metric.kind == "class"
                else "the matrix",
                "better": "" if family else metric.better,
                "range": "" if family else _span(metric) if name in related else span(metric),
                "aliases": list(metric.aliases),
                "summary": summary,
            }
        )
    return rows


def _of_any_hierarchy() -> dict[str, Metric]:
    """Return the scores that a hierarchy gives, by name: they mean the same of any."""
    from confmat.cli.related import scores_of_hierarchy
    from confmat.hierarchy import Hierarchy

    any_one = Hierarchy.from_paths({"a": ["above"], "b": ["above"]})
    return {metric.name: metric for metric in scores_of_hierarchy(any_one)}


def _span(metric: Metric) -> str:
    """Return the range of a score of a hierarchy, whichever that is."""
    from confmat.metrics.description import span

    return (
        "0 to the height of the hierarchy" if metric.name.startswith("lca_height") else span(metric)
    )


# ---- confmat explain -----------------------------------------------------------------------------

EXPLAIN_EXAMPLES = """\b
Examples:
  confmat explain mcc
  confmat explain sensitivity
  confmat explain macro
  confmat explain pycm:TPR
"""


class ExplainSettings(Settings):
    """The settings of `confmat explain`."""

    names: tuple[str, ...] = argument("NAMES...", many=True)


@command(ExplainSettings, EXPLAIN_EXAMPLES)
def explain(settings: ExplainSettings) -> None:
    """Say what metrics mean: formula, range, where they are undefined, what others call them."""
    click.echo("\n\n".join(map(_explained, settings.names)))


def _metric_called(name: str) -> Any:
    from confmat.metrics import metric, parse_score

    try:
        return metric(name)
    except MetricError:
        try:
            return parse_score(name).metric
        except MetricError as error:
            if ";" in str(error) or ": " in str(error):
                raise
            msg = f"{error}; confmat metrics lists what there is"
            raise MetricError(msg) from None


def _explained(name: str) -> str:
    """Explain a metric, a family of metrics, an average or a peer's name."""
    from confmat.metrics import AVERAGES, Factory
    from confmat.metrics.description import describe, plainly, span

    average = AVERAGES.get(name.lower())
    if average is not None:
        return f"{average.name}: {average.title}\n\n{average.summary}\n\nFormula: {plainly(average.latex)}"
    related = _of_any_hierarchy()
    if name.lower().replace("-", "_") in {"severity", "mistake_severity"}:
        name = "lca_height_of_mistakes"
    if name in related:
        metric = related[name]
        text = describe(metric).replace(span(metric), _span(metric))
        return f"{metric.name}: {metric.title}\n\n{text}\n\nIt needs to know how classes are related: {HIERARCHY}."
    asked = _metric_called(name)
    if isinstance(asked, Factory):
        example = ", ".join(map(repr, asked.example))
        return (
            f"{asked.name}: a family of metrics, such as {asked.name}({example})\n\n{asked.summary}"
        )
    if not hasattr(asked, "bounds"):
        return f"{printable(name)}\n\n{getattr(asked, 'summary', '') or repr(asked)}"
    return f"{asked.name}: {asked.title}\n\n{describe(asked)}"

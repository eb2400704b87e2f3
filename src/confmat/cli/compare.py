"""`confmat compare`: which differences between models hold."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Settings, borrowed, command, group, names_option, option
from confmat.cli.settings import CostFile, FreeAnswers, HierarchyFile, Output, Printed, Rows, RowSettings, character
from confmat.core.errors import InputError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.cli.related import Related
    from confmat.comparison import Comparison
    from confmat.core.matrix import ConfusionMatrix
    from confmat.core.stack import Stack
    from confmat.core.tables import Table
    from confmat.counting.answers import AnswerLog
    from confmat.io.logs import EvalLog

EXAMPLES = """\b
Examples:
  confmat compare old.json new.json                           stored matrices, or stacks by image
  confmat compare old.eval new.eval                           logs of evaluations, sample by sample
  confmat compare -a y -p old -p new preds.parquet            answers item by item: sharper
  confmat compare -a y -p old=model_1 -p new=model_2 *.csv --metrics f1.macro,mcc
  confmat compare old.json new.json --costs costs.json        by what errors cost
  confmat compare old.json new.json --classes f1              class by class
  confmat compare -a y -p old -p new preds.csv --diagnostic Cat   as two diagnostic tests for a class
  confmat compare -a y -p old -p new llm.csv --aliases names.csv --refused 'I cannot*' --other collect
"""
CELL = ("actual", "predicted", "first", "second", "change", "share", "p_value", "adjusted")


class Models(Settings):
    """The models that are compared: stored matrices, or columns of answers in the same files."""

    files: tuple[str, ...] = borrowed(Rows, "files")
    actual: str = borrowed(Rows, "actual", help="Column of actual labels.")
    predictions: tuple[str, ...] = option(
        "-p",
        "--predicted",
        multiple=True,
        metavar="[NAME=]COLUMN",
        argument="predicted",
        help="Column of a model's answers; repeatable.",
    )
    weight: str | None = borrowed(Rows, "weight")
    tally: str | None = borrowed(Rows, "tally")
    names: list[str] | None = names_option("--names", help="Names for the models of stored matrices.")
    same_items: bool | None = option(
        "--same-items/--different-items",
        default=None,
        help="Whether stored matrices were counted from the same items, or stacks from the same clusters.",
    )
    answers: FreeAnswers = group(FreeAnswers)
    hierarchy: HierarchyFile = group(HierarchyFile)
    costs: CostFile = group(CostFile)
    labels: list[str] | None = borrowed(Rows, "labels")
    missing: str = borrowed(
        Rows, "missing", help="Treatment of missing labels; dropped ones must be missing in every column of answers."
    )
    na_values: tuple[str, ...] = borrowed(Rows, "na_values")
    other: str = borrowed(Rows, "other")
    kind: str | None = borrowed(Rows, "kind", help="Format of the files.")
    delimiter: str | None = borrowed(Rows, "delimiter")
    rows: str | None = borrowed(Rows, "rows")
    threads: int | None = borrowed(Rows, "threads")
    memory: str = borrowed(Rows, "memory")

    @property
    def inputs(self) -> list[str]:
        """The files that are read: the models, and those that options name."""
        more = (self.hierarchy.hierarchy, self.costs.costs, self.answers.aliases)
        return [*self.files, *(name for name in more if name is not None)]


class CompareSettings(Settings):
    """The settings of `confmat compare`."""

    models: Models = group(Models)
    metrics: list[str] | None = names_option("-m", "--metrics", help="Scores such as accuracy,f1.macro,recall[Cat].")
    level: float = option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence of the intervals; a difference counts at 1 less this.",
    )
    classes: str | None = option("--classes", metavar="METRIC", help="Differences class by class instead, such as f1.")
    cells: int | None = option(
        "--cells", type=click.IntRange(1), metavar="N", help="The N cells that changed most instead."
    )
    diagnostic: str | None = option(
        "--diagnostic", metavar="CLASS", help="Differences and ratios of two diagnostic tests for a class instead."
    )
    output: Output = group(Output)


@command(CompareSettings, EXAMPLES)
def compare(settings: CompareSettings) -> None:
    """Compare models: stored matrices, a file each, or columns of answers in the same files.

    From the answers themselves each difference gets one p-value. Matrices alone do not tell which items both models
    had right, so there it is a range, and a difference may stay undecided. Stacks with a matrix for each image,
    document or patient are paired by these.
    """
    from confmat.cli.output import form_of, put_table

    form = form_of(settings.output, settings.models.inputs)
    result = comparison_of(settings.models, settings.metrics, settings.level, quiet=settings.output.quiet)
    value, data = _shown(result, settings, form)
    put_table(value, settings.output, form, data)


def comparison_of(models: Models, metrics: list[str] | None, level: float, *, quiet: bool) -> Comparison:
    """Compare models by these scores, by default the usual ones and those of the hierarchy and the costs."""
    from confmat import comparison
    from confmat.cli.related import Related
    from confmat.cli.terminal import Working
    from confmat.comparison.door import METRICS
    from confmat.io.logs import compare_logs, log_kind

    related = Related(models.hierarchy, models.costs)
    chosen = related.chosen(metrics) or [*METRICS, *related.metrics.values()]
    log = None
    with Working("comparing", quiet=quiet):
        if any(map(log_kind, models.files)) and models.kind is None:
            given = chosen if metrics or related.metrics else None
            result = compare_logs(_logs(models), given, level, models.same_items)
        elif models.predictions:
            columns = _columns(models)
            result, log = _of_columns(models, columns, chosen, level)
        else:
            parts = _matrices(models, related)
            result = comparison.compare(parts, metrics=chosen, level=level, same_items=models.same_items)
    if log is not None and not quiet:
        sys.stderr.write(f"{log}\n\n")
    return result


def _logs(models: Models) -> dict[str, EvalLog]:
    """Return the log of each model."""
    from confmat.cli.inputs import model_names, no_rows_options
    from confmat.io.logs import read_logs

    files = models.files
    no_rows_options(models, files[0])
    if models.hierarchy.roll_up is not None or len(models.predictions) > 1:
        msg = "logs of evaluations are compared without --roll-up, and by one --predicted: answer, or verdict"
        raise InputError(msg)
    what = models.predictions[0] if models.predictions else "answer"
    found = [read_logs(file, predicted=what, labels=models.labels) for file in files]
    if len(files) == 1:
        return found[0]
    names = model_names(files, models.names)
    logs = zip(names, found, strict=True)
    return {name if len(of) == 1 else f"{name}, {model}": log for name, of in logs for model, log in of.items()}


def _columns(models: Models) -> dict[str, str]:
    """Return the column of each model."""
    if models.names or models.same_items is not None:
        msg = "--names and --same-items are for stored matrices; name columns as -p NAME=COLUMN"
        raise InputError(msg)
    if not models.actual:
        msg = "name the column of actual labels too: --actual COLUMN"
        raise InputError(msg)
    if models.hierarchy.roll_up is not None:
        msg = "--roll-up is for stored matrices; count each column with --roll-up first"
        raise InputError(msg)
    columns: dict[str, str] = {}
    for text in models.predictions:
        name, equals, column = text.partition("=")
        key = name if equals else text
        if key in columns:
            msg = f"two models are called {printable(key)}; name them apart: -p NAME=COLUMN"
            raise InputError(msg)
        columns[key] = column if equals else text
    return columns


def _of_columns(
    models: Models, columns: dict[str, str], metrics: list[Any], level: float
) -> tuple[Comparison, AnswerLog | None]:
    """Count columns of answers and compare them; also return the log of the rules for answers, if there are any."""
    from confmat.cli.rows import logged_rules
    from confmat.io.models import compare_files

    rules, log = logged_rules(RowSettings(answers=models.answers))
    comparison = compare_files(
        list(models.files),
        actual=models.actual,
        predictions=columns,
        metrics=metrics,
        level=level,
        weights=models.weight,
        tally=models.tally,
        labels=models.labels,
        missing=models.missing,
        other=models.other,
        na_values=models.na_values,
        answers=rules,
        format=None if models.kind == "matrix" else models.kind,
        delimiter=character(models.delimiter),
        memory_limit=models.memory,
        threads=models.threads,
    )
    return comparison, log


def _matrices(models: Models, related: Related) -> dict[str, ConfusionMatrix | Stack] | Stack:
    from confmat.cli.inputs import is_stored, model_names, no_rows_options, stored
    from confmat.core.matrix import ConfusionMatrix
    from confmat.core.stack import Stack

    files = models.files
    rows = [name for name in files if not is_stored(name, models.kind)]
    if rows:
        msg = (
            f"{printable(rows[0])} holds rows; name the columns of actual labels and of each model's answers: "
            "--actual y --predicted old --predicted new"
        )
        raise InputError(msg)
    no_rows_options(models, files[0])
    printed = Printed(typed=models.typed, rows=models.rows, labels=models.labels)
    values = [related.rolled(stored(name, printed)) for name in files]
    if len(values) == 1 and isinstance(values[0], Stack):
        return values[0]
    parts: dict[str, ConfusionMatrix | Stack] = {}
    for name, file, m in zip(model_names(files, models.names), files, values, strict=True):
        if not isinstance(m, (ConfusionMatrix, Stack)):
            msg = (
                f"{printable(file)} holds no counts; compare files that hold a matrix each, or a stack of clusters each"
            )
            raise InputError(msg)
        parts[name] = m
    return parts


def _shown(comparison: Comparison, settings: CompareSettings, form: str) -> tuple[Comparison | Table, Any]:
    """Return the comparison, whole, class by class, or cell by cell, and the same as data."""
    from confmat.cli.output import table_of

    if settings.cells and not settings.classes:
        rows = [{head: _count(head, getattr(cell, head)) for head in CELL} for cell in comparison.cells(settings.cells)]
        return table_of(CELL, [[*row.values()] for row in rows]), rows
    if settings.diagnostic:
        table = comparison.diagnostic(settings.diagnostic)
        return table, table.to_dict()["rows"]
    data: Any = comparison.to_dict()
    if settings.classes:
        comparison = replace(comparison, differences=tuple(comparison.classes(settings.classes)), notes=())
        data = [one.to_dict() for one in comparison.differences]
    elif form == "table":
        return comparison, None
    table = comparison.table()
    # The columns that are also printed stand first; scripts that cut a CSV by the places of its columns rely on them.
    return replace(table, columns=tuple(sorted(table.columns, key=lambda column: column.head is None))), data


def _count(head: str, value: Any) -> Any:
    """Return counts of items as integers."""
    return int(value) if head in {"first", "second", "change"} and value == int(value) else value

"""`confmat compare`: which differences between models hold."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import borrowed, command, names_option, option, refuse
from confmat.cli.settings import CostFile, FreeAnswers, HierarchyFile, Output, Rows
from confmat.core.errors import InputError
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.answers import AnswerLog
    from confmat.cli.related import Related
    from confmat.io.sources import Source

EXAMPLES = """\b
Examples:
  confmat compare old.json new.json                           stored matrices, or stacks by image
  confmat compare *.eval                                      logs of evaluations, sample by sample: ranks and tiers
  confmat compare *.eval --by subject                         and by a field of their metadata
  confmat compare *.csv -a y -p answer --id question          answers of a model in each file
  confmat compare -a y -p old -p new preds.csv --by site      columns, in each category
  confmat compare -a y -p old -p new preds.parquet            answers item by item: sharper
  confmat compare -a y -p old=model_1 -p new=model_2 *.csv --metrics f1.macro,mcc
  confmat compare -a y --scores old=p1 --scores new=p2 preds.csv -m 'roc_auc[Cat]'   by scores, without a threshold
  confmat compare old.json new.json --costs costs.json        by what errors cost
  confmat compare old.json new.json --classes f1              class by class
  confmat compare -a y -p old -p new preds.csv --diagnostic Cat   as two diagnostic tests for a class
  confmat compare -a y -p old -p new llm.csv --aliases names.csv --refused 'I cannot*' --other collect
"""
CELL = ("actual", "predicted", "first", "second", "change", "share", "p_value", "adjusted")


class Models(FreeAnswers, HierarchyFile, CostFile):
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
    item: str | None = option(
        "--id",
        metavar="COLUMN",
        help="Column of items, where each file has the answers of a model to them.",
    )
    by: str | None = option(
        "-b",
        "--by",
        metavar="COLUMN",
        help="Column, or field of a log's metadata, whose values are compared each.",
    )
    weight: str | None = borrowed(Rows, "weight")
    tally: str | None = borrowed(Rows, "tally")
    names: list[str] | None = names_option(
        "--names", help="Names for the models of stored matrices."
    )
    same_items: bool | None = option(
        "--same-items/--different-items",
        default=None,
        help="Whether stored matrices were counted from the same items, or stacks from the same clusters.",
    )
    labels: list[str] | None = borrowed(Rows, "labels")
    missing: str = borrowed(
        Rows,
        "missing",
        help="Treatment of missing labels; dropped ones must be missing in every column of answers.",
    )
    na_values: tuple[str, ...] = borrowed(Rows, "na_values")
    other: str = borrowed(Rows, "other")
    kind: str | None = borrowed(Rows, "kind", help="Format of the files.")
    delimiter: str | None = borrowed(Rows, "delimiter")
    rows: str | None = borrowed(Rows, "rows")
    threads: int | None = borrowed(Rows, "threads")
    memory: str = borrowed(Rows, "memory")
    quiet: bool = False

    @property
    def inputs(self) -> list[str]:
        """The files that are read: the models, and those that options name."""
        more = map(self.peek, ("hierarchy", "costs", "aliases"))
        return [*self.files, *(name for name in more if name is not None)]


class CompareSettings(Models, Output):
    """The settings of `confmat compare`."""

    metrics: list[str] | None = names_option(
        "-m", "--metrics", help="Scores such as accuracy,f1.macro,recall[Cat]."
    )
    level: float = option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.95,
        help="Confidence of the intervals; a difference counts at 1 less this.",
    )
    classes: str | None = option(
        "--classes", metavar="METRIC", help="Differences class by class instead, such as f1."
    )
    cells: int | None = option(
        "--cells",
        type=click.IntRange(1),
        metavar="N",
        help="The N cells that changed most instead.",
    )
    scores: tuple[str, ...] = option(
        "--scores",
        multiple=True,
        metavar="[NAME=]COLUMN",
        help="Column of a model's scores, compared without a threshold by roc_auc, average_precision, brier or "
        "log_loss; repeatable.",
    )
    positive: str | None = borrowed(Rows, "positive")
    pairs: bool = option("--pairs", help="A sentence for each two models beside the table.")
    diagnostic: str | None = option(
        "--diagnostic",
        metavar="CLASS",
        help="Differences and ratios of two diagnostic tests for a class instead.",
    )


@command(CompareSettings, EXAMPLES)
def compare(settings: CompareSettings) -> None:
    """Compare models: stored matrices, a file each, or columns of answers in the same files.

    From the answers themselves each difference gets one p-value. Matrices alone do not tell which
    items both models had right, so there it is a range, and a difference may stay undecided. Stacks
    with a matrix for each image, document or patient are paired by these.
    """
    from confmat.cli.output import put_table, settle_form

    settle_form(settings, settings.inputs)
    # Classes, cells and tests have scores of their own, and changes of cells no intervals.
    alone = any(map(settings.peek, ("classes", "cells", "diagnostic")))
    level = 0.95 if settings.peek("cells") else settings.level
    if settings.peek("scores"):
        result = _of_scores(settings)
    else:
        result = comparison_of(settings, ["accuracy"] if alone else settings.metrics, level)
    value, data = _shown(result, settings)
    put_table(value, settings, data)


def comparison_of(models: Models, metrics: list[str] | None, level: float) -> Any:
    """Compare models by these scores, by default the usual ones and those of the hierarchy and the costs."""
    from confmat.cli.inputs import opened
    from confmat.cli.related import Related
    from confmat.cli.terminal import Working
    from confmat.comparison.door import METRICS
    from confmat.io.compared import compare as compare_sources

    related = Related(models)
    chosen = related.chosen(metrics) or (related.metrics and [*METRICS, *related.metrics])
    asked: dict[str, Any] = {"level": level} | ({"metrics": chosen} if chosen else {})
    if models.by:
        asked["by"] = models.by
    with Working("comparing", quiet=models.quiet):
        files = opened(models)
        if not _are_columns(models, files):
            if not models.by:
                asked["same_items"] = models.same_items
            return compare_sources(_parts(models, related, files), **asked)
        result, log = _of_columns(models, files, asked)
    if log is not None and not models.quiet:
        sys.stderr.write(f"{log}\n\n")
    return result


def _are_columns(models: Models, files: list[str | Source]) -> bool:
    """Return whether the answers of all models are columns of the same rows."""
    is_log = any(not isinstance(file, str) and file.format == "log" for file in files)
    return bool(models.predictions) and not is_log and not models.item


def _of_columns(
    models: Models, files: list[str | Source], asked: dict[str, Any]
) -> tuple[Any, AnswerLog | None]:
    """Compare columns of answers in the same files; the rules for free answers leave a log."""
    from confmat.cli.rows import logged_rules
    from confmat.io.models import compare_files

    columns = _columns(models)
    rules, log = logged_rules(models)
    if models.by:
        models.use.why = "files are read into memory where --by takes them apart"
    else:
        asked = asked | {"memory_limit": models.memory, "threads": models.threads}
    result = compare_files(
        files,
        actual=models.actual,
        predictions=columns,
        weights=models.weight,
        tally=models.tally,
        labels=models.labels,
        missing=models.missing,
        other="error" if models.labels is None and rules is None else models.other,
        na_values=models.na_values,
        answers=rules,
        format=models.kind,
        delimiter=models.delimiter,
        **asked,
    )
    return result, log


def _columns(models: Models) -> dict[str, str]:
    """Return the column of each model."""
    if models.names or models.same_items is not None:
        msg = "--names and --same-items are for stored matrices; name columns as -p NAME=COLUMN"
        raise InputError(msg)
    if not models.actual:
        msg = "name the column of actual labels too: --actual COLUMN"
        raise InputError(msg)
    if models.roll_up is not None:
        msg = "--roll-up is for stored matrices; count each column with --roll-up first"
        raise InputError(msg)
    return _named(models.predictions, "-p")


def _named(texts: Iterable[str], spelling: str) -> dict[str, str]:
    """Return the column of each model: NAME=COLUMN, or a column that is its name."""
    columns: dict[str, str] = {}
    for text in texts:
        name, equals, column = text.partition("=")
        key = name if equals else text
        if key in columns:
            msg = f"two models are called {printable(key)}; name them apart: {spelling} NAME=COLUMN"
            raise InputError(msg)
        columns[key] = column if equals else text
    return columns


def _of_scores(settings: CompareSettings) -> Any:
    """Compare columns of scores of the same rows, which are read into memory."""
    import numpy as np

    from confmat.cli.rows import classes_meant
    from confmat.cli.terminal import Working
    from confmat.deciding import compare_scores
    from confmat.io.samples import Scores, batches

    settings.use.why = "--scores compares columns of scores, row by row"
    named = _named(settings.scores, "--scores")
    # Two models may have one column.
    columns = Scores([*dict.fromkeys(named.values())], settings.actual, None, None)
    actual, values = list[Any](), []
    with Working("comparing", quiet=settings.quiet):
        for _, rows in batches(
            settings.files,
            columns,
            format=settings.kind,  # type: ignore[arg-type]
            delimiter=settings.delimiter,
            memory=settings.memory,
            threads=settings.threads,
        ):
            truth, _, _, part = columns.parts(rows)
            actual += [None if str(name) in settings.na_values else name for name in truth]
            values.append(part)
        labels, positive = classes_meant(settings, actual)  # type: ignore[arg-type]
        table = np.concatenate(values) if values else np.zeros((0, len(named)))
        return compare_scores(
            actual,
            {name: table[:, columns.found.index(column)] for name, column in named.items()},
            metrics=settings.metrics or ("roc_auc",),
            level=settings.level,
            labels=labels,
            positive=positive,
            missing=settings.missing,  # type: ignore[arg-type]
        )


def _parts(models: Models, related: Related, files: list[str | Source]) -> Any:
    """Return what each file holds, by the names of the models: a matrix, a stack, or the answers of a log."""
    from confmat.cli.inputs import model_names
    from confmat.io.logs import Logs

    if models.item:
        return dict(zip(model_names(files, models.names), _rows(models, files), strict=True))
    if models.predictions[1:]:
        msg = "logs of evaluations are compared by one --predicted: answer, or verdict"
        raise InputError(msg)
    values = [_part(models, related, file) for file in files]
    if len(values) == 1 and isinstance(values[0], Mapping):
        return values[0]
    own = [next(iter(value)) for value in values if isinstance(value, Logs) and len(value) == 1]
    if models.names is None and len({*own}) == len(values):
        # Logs say whose answers they hold.
        return dict(zip(own, values, strict=True))
    return dict(zip(model_names(files, models.names), values, strict=True))


def _part(models: Models, related: Related, file: str | Source) -> Any:
    """Return what a file holds: a matrix, a stack, or the answers of a log."""
    from confmat.cli.inputs import stored
    from confmat.io.logs import read_logs

    if isinstance(file, str):
        refuse(
            models, ["by"], "is of rows and logs; stored matrices are parted when they are counted"
        )
        return related.rolled(stored(file, models))
    if file.format != "log":
        msg = (
            f"{file} holds rows; name the columns of actual labels and of each model's answers: "
            "--actual y --predicted old --predicted new; or, of files with the answers of a model "
            "each, the column by which items are paired: --id COLUMN"
        )
        raise InputError(msg)
    models.use.why = f"{file} is a log of an evaluation"
    asked = "".join(models.predictions) or "answer"
    return read_logs([file], predicted=asked, labels=models.labels)


def _rows(models: Models, files: list[str | Source]) -> list[Any]:
    """Return the answers of a model in each file of rows."""
    from confmat.io.logs import read_answers
    from confmat.io.sources import Source

    rows = [file for file in files if isinstance(file, Source) and file.format != "log"]
    if len(rows) < len(files) or len(models.predictions) > 1:
        msg = "--id is for files of rows, each with the answers of a model in the one column of --predicted"
        raise InputError(msg)
    column = "".join(models.predictions) or None
    models.use.why = "--id pairs files by their rows as they are"
    return read_answers(rows, str(models.item), models.actual, column, models.by, models.delimiter)


def _shown(comparison: Any, settings: CompareSettings) -> tuple[Any, Any]:
    """Return the comparison, whole, class by class, or cell by cell, and the same as data."""
    from confmat.cli.output import table_of

    if settings.peek("by"):
        return comparison, None if settings.form == "table" else comparison.to_dict()
    if settings.classes:
        classes = tuple(comparison.classes(settings.classes))
        # Classes have a table of their own.
        table = replace(comparison, differences=classes, notes=()).table()
        return table.details, [each.to_dict() for each in classes]
    if settings.cells:
        rows = [
            {head: _count(head, getattr(cell, head)) for head in CELL}
            for cell in comparison.cells(settings.cells)
        ]
        return table_of(CELL, [[*row.values()] for row in rows]), rows
    if settings.diagnostic:
        table = comparison.diagnostic(settings.diagnostic)
        return table, table.to_dict()["rows"]
    return _whole(comparison, settings)


def _whole(comparison: Any, settings: CompareSettings) -> tuple[Any, Any]:
    if settings.form != "table":
        return comparison.table(), comparison.to_dict()
    if len(comparison.models) == 2 or not settings.pairs:
        return comparison, None
    table = comparison.table()
    return replace(table, notes=(*comparison.sentences(), *table.notes)), None


def _count(head: str, value: Any) -> Any:
    """Return counts of items as integers."""
    return int(value) if head in {"first", "second", "change"} and value == int(value) else value

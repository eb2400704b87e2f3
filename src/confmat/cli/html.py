"""`confmat html`: the report as one file that opens in any browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Choice, Columns, Settings, borrowed, command, group, names_option, option, refuse
from confmat.cli.settings import CostFile, HierarchyFile, Output, Rows, RowSettings, character
from confmat.core.errors import InputError
from confmat.core.text import number, printable

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted, Reader
    from confmat.cli.related import Related
    from confmat.comparison import Comparison
    from confmat.core.stack import Stack
    from confmat.counting.examples import Examples

EXAMPLES = """\b
Examples:
  confmat html preds.parquet -o report.html --open
  confmat html preds.csv --examples id,text        what fell into each cell
  confmat html old.json new.json --compare         models side by side
  confmat html -a y -p old -p new preds.parquet    answers item by item: what is fixed and what is broken
  confmat html preds.csv --by site                 the same of groups
  confmat html month.json --costs costs.json       with what errors cost
"""


class PageRows(Rows):
    """The same with the answers of several models."""

    predicted = names_option(
        "-p",
        "--predicted",
        type=Columns(),
        metavar="[NAME=]COLUMN",
        help="Column of predicted labels; repeated, of the models that are compared.",
    )


class PageInput(RowSettings):
    """The same of a page."""

    rows: Rows = group(PageRows)


class PageSettings(Settings):
    """The settings of `confmat html`."""

    input: RowSettings = group(PageInput)
    hierarchy: HierarchyFile = group(HierarchyFile)
    costs: CostFile = group(CostFile)
    path: str = borrowed(Output, "path", default="report.html", help="Where to; - prints it.")
    examples: list[str] | None = names_option(
        "--examples", help="Columns of the files to show a few rows of, for each cell."
    )
    per_cell: int = option("--per-cell", type=click.IntRange(1), default=20, help="At most so many examples.")
    images: str | None = option(
        "--images", metavar="FOLDER", help="Where the pictures are that examples name; else beside the page."
    )
    compare: bool = option("--compare", is_flag=True, help="One matrix for each file, instead of their sum.")
    names: list[str] | None = names_option("--names", help="Names for the files when they are compared.")
    metrics: list[str] | None = names_option(
        "-m", "--metrics", help="Scores above everything, too, such as recall[Cat] or f0.5.macro."
    )
    title: str | None = option("--title", metavar="TEXT", help="The heading.")
    normalize: str = option(
        "--normalize",
        type=Choice(("auto", "none", "actual", "predicted", "all", "excess")),
        default="auto",
        help="Shares, or the excess over the expected errors, that shade the heat map at first.",
    )
    order: str = option(
        "--order",
        type=Choice(("auto", "given", "alphabetical", "support", "worst", "cluster")),
        default="auto",
        help="The order of the classes at first.",
    )
    opens: bool = option("--open", is_flag=True, help="Open it in the browser.")
    quiet: bool = borrowed(Output, "quiet")

    @property
    def title_or_file(self) -> str | None:
        """The heading: as given, or the name of the only file."""
        files = self.input.rows.files
        only = Path(files[0]).stem if len(files) == 1 and files[0] != "-" and not self.compare else None
        return self.title or only


@command(PageSettings, EXAMPLES)
def html(settings: PageSettings) -> None:
    """Write a report of files, stored matrices or standard input (-) as one HTML file that needs no network.

    It shows scores, ranked confusions, a heat map to walk in, every class, and examples.
    """
    from confmat.cli.inputs import Reader
    from confmat.cli.output import refuse_inputs
    from confmat.cli.related import Related
    from confmat.cli.terminal import Working
    from confmat.display.html import html as page_of

    rows = settings.input.rows
    columns: Any = rows.predicted or []
    if len(columns) < 2:
        settings.input = settings.input.replace(rows=rows.replace(predicted=columns[0] if columns else None))
    related = Related(settings.hierarchy, settings.costs, settings.input.several)
    reader = Reader(settings.input, related, quiet=settings.quiet)
    path = None if settings.path == "-" else settings.path
    if path is not None:
        refuse_inputs(path, reader.files)
    elif settings.opens:
        msg = "--open needs a file; say where with -o"
        raise InputError(msg)
    for name in settings.metrics or ():
        # A misspelt score is reported before hours are spent on counting.
        related.score(name)
    value: Any
    if len(columns) > 1:
        value = _of_answers(settings)
    else:
        value = _compared(settings, related) if settings.compare or settings.names else reader.matrix()
    shown: dict[str, Any] = {
        "examples": _examples(settings, reader, value),
        "images": settings.images,
        "title": settings.title_or_file,
        "normalize": None if settings.normalize == "none" else settings.normalize,
        "order": settings.order,
        "scores": [*related.beside(value), *related.chosen(settings.metrics)],
    }
    if related.hierarchy is not None and related.level is None:
        shown["class_groups"] = related.hierarchy
    if path is None:
        sys.stdout.write(page_of(value, **shown))
        return
    with Working("writing the page", quiet=settings.quiet):
        page = page_of(value, path, **shown)
    if not settings.quiet:
        size = number(max(1, round(page.stat().st_size / 1000)))
        click.echo(f"confmat: {printable(page)} written, {size} kB", err=True)
    if settings.opens:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())


def _of_answers(settings: PageSettings) -> Comparison:
    """Compare the columns of answers of several models."""
    from confmat.cli.compare import Models, comparison_of

    rows = settings.input.rows
    not_there = ("by", "positive", "scores", "sep", "every", "resume", "compare", "names")
    refuse(settings, not_there, "is not there for the answers of several models")
    shared = {name: getattr(rows, name) for name in Models.declared if name in Rows.declared}
    models = Models(
        **shared, predictions=tuple(rows.predicted or ()), answers=settings.input.answers,
        hierarchy=settings.hierarchy, costs=settings.costs,
    )  # fmt: skip
    return comparison_of(models, settings.metrics, 0.95, quiet=settings.quiet)


def _compared(settings: PageSettings, related: Related) -> Stack:
    """Return each file for itself, by its name."""
    from confmat.cli.inputs import Reader, model_names
    from confmat.core.stack import Stack

    rows = settings.input.rows
    parts = {}
    for name, file in zip(model_names(rows.files, settings.names), rows.files, strict=True):
        one_file = settings.input.replace(rows=rows.replace(files=(file,)))
        value = Reader(one_file, related, quiet=settings.quiet).matrix()
        if isinstance(value, Stack):
            msg = f"{printable(file)} holds a stack of matrices; compare its groups by giving it alone"
            raise InputError(msg)
        parts[name] = value
    return Stack(parts, axis="model")


def _examples(settings: PageSettings, reader: Reader, value: Counted | Comparison) -> Examples | None:
    """Return a few rows of each cell, read from the files once more."""
    from confmat.cli.inputs import is_stored
    from confmat.cli.rows import rules_of

    if not settings.examples:
        return None
    rows = settings.input.rows
    if "-" in rows.files:
        msg = "--examples reads the files once more, and standard input can be read once; give a file"
        raise InputError(msg)
    if stored := [name for name in rows.files if is_stored(name, rows.kind)]:
        msg = f"--examples are rows, and {printable(stored[0])} is a stored matrix"
        raise InputError(msg)
    if settings.input.scores.scores is not None or settings.input.several.sep is not None:
        msg = "--examples are of columns with one label in each row, not of --scores or --sep"
        raise InputError(msg)
    from confmat.comparison import Comparison
    from confmat.core.stack import Stack
    from confmat.io.samples import examples

    predicted: Any = rows.predicted
    if isinstance(value, Comparison):
        value = Stack(value.matrices, axis="model")
        predicted = [name.partition("=")[2] or name for name in predicted]
    return examples(
        list(rows.files),
        settings.examples,
        actual=rows.actual,
        predicted=predicted,
        answers=rules_of(reader.settings),
        matrix=value,
        per_cell=settings.per_cell,
        format=rows.kind,  # type: ignore[arg-type]
        delimiter=character(rows.delimiter),
        na_values=rows.na_values,
        memory_limit=rows.memory,
        threads=rows.threads,
    )

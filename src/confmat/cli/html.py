"""`confmat html`: the report as one file that opens in any browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from confmat.cli.options import Choice, Read, borrowed, command, names_option, option, refuse
from confmat.cli.settings import CostFile, HierarchyFile, Output, Rows, RowSettings
from confmat.core.errors import InputError
from confmat.core.options import Normalize
from confmat.core.text import number, printable

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted, Reader
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

    section = "Input"

    predicted = names_option(
        "-p",
        "--predicted",
        type=Read("column", lambda text: [text]),
        metavar="[NAME=]COLUMN",
        help="Column of predicted labels; repeated, of the models that are compared.",
    )


class PageSettings(PageRows, RowSettings, HierarchyFile, CostFile):
    """The settings of `confmat html`."""

    path: str = borrowed(Output, "path", default="report.html", help="Where to; - prints it.")
    examples: list[str] | None = names_option(
        "--examples", help="Columns of the files to show a few rows of, for each cell."
    )
    per_cell: int = option(
        "--per-cell", type=click.IntRange(1), default=20, help="The most examples of a cell."
    )
    images: str | None = option(
        "--images",
        metavar="FOLDER",
        help="Where the pictures are that examples name; else beside the page.",
    )
    compare: bool = option("--compare", help="One matrix for each file, instead of their sum.")
    names: list[str] | None = names_option(
        "--names", help="Names for the files when they are compared."
    )
    metrics: list[str] | None = names_option(
        "-m", "--metrics", help="Scores above everything, too, such as recall[Cat] or f0.5.macro."
    )
    title: str | None = option("--title", metavar="TEXT", help="The heading.")
    normalize: str = option(
        "--normalize",
        type=Choice(("auto", "none", "excess", *get_args(Normalize))),
        default="auto",
        help="Shares, or the excess over the expected errors, that shade the heat map at first.",
    )
    order: str = option(
        "--order",
        type=Choice(("auto", "given", "alphabetical", "support", "worst", "cluster")),
        default="auto",
        help="The order of the classes at first.",
    )
    opens: bool = option("--open", help="Open it in the browser.")
    quiet: bool = borrowed(Output, "quiet")

    @property
    def title_or_file(self) -> str | None:
        """The heading: as given, or the name of the only file."""
        files = self.files
        only = (
            Path(files[0]).stem
            if len(files) == 1 and files[0] != "-" and not self.peek("compare")
            else None
        )
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
    from confmat.pages.door import html as page_of

    columns: Any = settings.peek("predicted") or []
    if len(columns) < 2:
        settings.predicted = "".join(columns) or None
    related = Related(settings)
    reader = Reader(settings, related)
    path, opens = None if settings.path == "-" else settings.path, settings.opens
    if path is not None:
        refuse_inputs(path, reader.files)
    elif opens:
        msg = "--open needs a file; say where with -o"
        raise InputError(msg)
    for name in settings.metrics or ():
        # A misspelt score is reported before hours are spent on counting.
        related.score(name)
    value = _value(settings, reader, several=len(columns) > 1)
    shown = _shown(settings, value, reader)
    settings.check_use()
    value = related.priced(value)
    if path is None:
        sys.stdout.write(page_of(value, **shown))
        return
    with Working("writing the page", quiet=settings.quiet):
        page = page_of(value, path, **shown)
    _announce(page, settings)


def _value(settings: PageSettings, reader: Reader, *, several: bool) -> Any:
    """Return what the page is of: a comparison of several columns of answers, each file, or all counts."""
    if several:
        return _of_answers(settings)
    return _compared(settings, reader) if settings.compare or settings.names else reader.read()


def _shown(settings: PageSettings, value: Any, reader: Reader) -> dict[str, Any]:
    """Return the options of the page."""
    related = reader.related
    shown: dict[str, Any] = {
        "examples": _examples(settings, value, reader),
        "images": settings.images if settings.examples else None,
        "title": settings.title_or_file,
        "normalize": None if settings.normalize == "none" else settings.normalize,
        "order": settings.order,
        "scores": [*related.beside(value), *related.chosen(settings.metrics)],
    }
    if related.hierarchy is not None and related.level is None:
        shown["class_groups"] = related.hierarchy
    return shown


def _announce(page: Path, settings: PageSettings) -> None:
    """Say how large the page is, and open it if that was asked for."""
    if not settings.quiet:
        size = number(max(1, round(page.stat().st_size / 1000)))
        click.echo(f"confmat: {printable(page)} written, {size} kB", err=True)
    if settings.opens:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())


def _of_answers(settings: PageSettings) -> Comparison:
    """Compare the columns of answers of several models."""
    from confmat.cli.compare import Models, comparison_of

    refuse(
        settings, ["by"], "parts one model; confmat compare --by compares columns in each category"
    )
    settings.use.why = "these are the answers of several models"
    models = settings.into(Models, predictions=tuple(settings.predicted))
    return comparison_of(models, settings.metrics, 0.95)


def _compared(settings: PageSettings, reader: Reader) -> Stack:
    """Return each file for itself, by its name."""
    from confmat.cli.inputs import Reader, model_names
    from confmat.core.stack import Stack

    files, parts = reader.opened, {}
    for name, file in zip(model_names(files, settings.names), files, strict=True):
        part = Reader(settings.into(RowSettings), reader.related)
        part.opened = [file]
        value = part.read()
        if isinstance(value, Stack):
            msg = f"{printable(file)} holds a stack of matrices; compare its groups by giving it alone"
            raise InputError(msg)
        parts[name] = value
    return Stack(parts, axis="model")


def _examples(
    settings: PageSettings, value: Counted | Comparison, reader: Reader
) -> Examples | None:
    """Return a few rows of each cell, read from the files once more."""
    from confmat.cli.rows import is_of_labels, rules_of

    if not settings.examples:
        return None
    if "-" in settings.files:
        msg = (
            "--examples reads the files once more, and standard input can be read once; give a file"
        )
        raise InputError(msg)
    if stored := [name for name in reader.opened if isinstance(name, str)]:
        msg = f"--examples are rows, and {printable(stored[0])} is a stored matrix"
        raise InputError(msg)
    if not is_of_labels(settings):
        msg = "--examples are of columns with one label in each row, not of --scores"
        raise InputError(msg)
    from confmat.comparison import Comparison
    from confmat.core.stack import Stack
    from confmat.io.samples import examples

    predicted: Any = settings.predicted
    if isinstance(value, Comparison):
        value = Stack(value.matrices, axis="model")
        predicted = [name.partition("=")[2] or name for name in predicted]
    return examples(
        reader.opened,
        settings.examples,
        actual=settings.actual,
        predicted=predicted,
        answers=rules_of(settings),
        matrix=value,
        per_cell=settings.per_cell,
        format=settings.kind,  # type: ignore[arg-type]
        delimiter=settings.delimiter,
        na_values=settings.na_values,
        memory_limit=settings.memory,
        threads=settings.threads,
    )

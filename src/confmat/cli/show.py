"""`confmat show`: a stored or published matrix, printed or turned into another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import Settings, argument, command, group, option
from confmat.cli.settings import HierarchyFile, Look, Output, Printed
from confmat.core.errors import InputError

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted

EXAMPLES = """\b
Examples:
  confmat show day.json
  confmat show day.json --normalize actual --order cluster
  confmat show day.json --fold 20                           the 20 largest classes, the others as one
  confmat show day.json --of Cat                            true and false positives and negatives
  confmat show day.json --top 10 --normalize predicted      the list of confusions
  confmat show published.txt --rows predicted -o m.json     what R or Weka has printed
  pbpaste | confmat show - -f latex
"""


class ShowSettings(Settings):
    """The settings of `confmat show`."""

    file: str = argument("FILE")
    printed: Printed = group(Printed)
    look: Look = group(Look)
    hierarchy: HierarchyFile = group(HierarchyFile)
    order: str | None = option(
        "--order",
        metavar="METHOD",
        help="Classes by cluster, support, alphabetical, given, or a metric such as recall: the worst first.",
    )
    of: str | None = option("--of", metavar="CLASS", help="One class against all others.")
    fold: int | None = option(
        "--fold",
        type=click.IntRange(1),
        metavar="N",
        help="The N classes with most items, all others as one; in a table.",
    )
    output: Output = group(Output)


@command(ShowSettings, EXAMPLES)
def show(settings: ShowSettings) -> None:
    """Print a stored matrix, or one that was printed or published, or turn it into another format.

    A terminal gets shades, and of a matrix that does not fit a map and what stands out. Read are what confmat
    writes, and the tables of scikit-learn, PyCM, caret, yardstick, Weka, NLTK, pandas,
    Markdown, LaTeX and CSV.
    """
    from confmat.cli.inputs import no_counts, standard_table, stored
    from confmat.cli.output import draw, form_of, put_matrix, put_reports
    from confmat.cli.related import Related, check_level
    from confmat.reporting import Report

    check_level(settings.hierarchy)
    output, file = settings.output, settings.file
    related = Related(settings.hierarchy)
    form = form_of(output, [file, *related.files])
    value = standard_table(settings.printed) if file == "-" else stored(file, settings.printed)
    value = related.rolled(value)
    if isinstance(value, Report):
        no_counts(settings, "normalize", "top", "order", "of", "fold")
        put_reports(value, "", output, form)
        return
    look = settings.look.replace(order=settings.order, of=settings.of, fold=settings.fold)
    if not draw(value, output, form, look):
        put_matrix(_arranged(value, settings, form), output, form, settings.look)


def _arranged(value: Counted, settings: ShowSettings, form: str) -> Counted:
    """Return a matrix, or each of a stack, in another order, or of one class."""
    from confmat.cli.output import label_of
    from confmat.core.stack import Stack
    from confmat.structure import class_order

    if settings.fold:
        msg = f"--fold is for tables that are looked at, not for {'files' if settings.output.path else form}"
        raise InputError(msg)
    if not settings.order and not settings.of:
        return value
    if isinstance(value, Stack):
        parts: dict[Any, Any] = {key: _arranged(part, settings, form) for key, part in value.items()}
        return Stack(parts, axis=value.axis, ungrouped=value.ungrouped)
    if settings.of:
        return value.one_vs_rest(label_of(value, settings.of))
    return value.reorder(class_order(value, settings.order or "given"))

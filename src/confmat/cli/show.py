"""`confmat show`: a stored or published matrix, printed or turned into another format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from confmat.cli.options import argument, command, option
from confmat.cli.settings import HierarchyFile, Look, Output, Printed
from confmat.core.errors import InputError

if TYPE_CHECKING:
    from confmat.cli.inputs import Counted

EXAMPLES = """\b
Examples:
  confmat show day.json
  confmat show day.json --normalize actual --order cluster
  confmat show day.json --fold 20                           the 20 largest classes, the others as one
  confmat show sites.json --only north                      one matrix of several
  confmat show day.json --of Cat                            true and false positives and negatives
  confmat show day.json --top 10 --normalize predicted      the list of confusions
  confmat show published.txt --rows predicted -o m.json     what R has printed
  pbpaste | confmat show - -f latex
"""


class ShowSettings(Printed, Look, HierarchyFile, Output):
    """The settings of `confmat show`."""

    file: str = argument("FILE")
    order: str | None = option(
        "--order",
        metavar="METHOD",
        help="Classes by cluster, support, alphabetical, given, or a metric such as recall: the worst first.",
    )
    of: str | None = option("--of", metavar="CLASS", help="One class against all others.")
    only: str | None = option(
        "--only", metavar="GROUP", help="One matrix of a file of several, such as --only north."
    )
    fold: int | None = option(
        "--fold",
        type=click.IntRange(1),
        metavar="N",
        help="The N classes with most items, all others as one; in a table.",
    )


@command(ShowSettings, EXAMPLES)
def show(settings: ShowSettings) -> None:
    """Print a stored matrix, or one that was printed or published, or turn it into another format.

    A terminal gets shades, and of a matrix that does not fit a map and its foremost confusions. The
    command reads what confmat writes, and the tables of scikit-learn, PyCM, caret, yardstick,
    pandas, Markdown, LaTeX and CSV.
    """
    from confmat.cli.inputs import matrix_of
    from confmat.cli.output import draw, put_matrix, settle_form
    from confmat.cli.related import Related

    related = Related(settings)
    related.check_level()
    settle_form(settings, [settings.file, *related.files])
    value = related.rolled(matrix_of(settings.file, settings))
    if settings.only is not None:
        value = _group(value, settings.only)
    if not draw(value, settings):
        put_matrix(_arranged(value, settings), settings)


def _group(value: Counted, name: str) -> Counted:
    """Return the matrix of one group, by its key as it is printed."""
    from confmat.core.stack import Stack, key_text
    from confmat.core.text import printable, some

    if not isinstance(value, Stack):
        msg = "--only chooses one matrix of several, and this file holds one"
        raise InputError(msg)
    for key, m in value.items():
        if name in {key_text(key), printable(key)}:
            return m
    msg = f"there is no {value.axis} {name!r}; there are {some(map(key_text, value), 8)}"
    raise InputError(msg)


def _arranged(value: Counted, settings: ShowSettings) -> Counted:
    """Return a matrix, or each of a stack, in another order, or of one class."""
    from confmat.cli.output import label_of
    from confmat.core.stack import Stack
    from confmat.structure import class_order

    if settings.fold:
        msg = f"--fold is for tables that are looked at, not for {'files' if settings.path else settings.form}"
        raise InputError(msg)
    if isinstance(value, Stack):
        parts: dict[Any, Any] = {key: _arranged(part, settings) for key, part in value.items()}
        return Stack(parts, axis=value.axis, ungrouped=value.ungrouped)
    if settings.of:
        return value.one_vs_rest(label_of(value, settings.of))
    return value.reorder(class_order(value, settings.order)) if settings.order else value

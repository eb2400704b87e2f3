"""`confmat show`: a stored or published matrix, printed or turned into another format."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.beyond import hierarchy_options
from confmat.cli.options import Choice, Sectioned, names_option, output_options, table_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat show day.json
  confmat show day.json --normalize actual --order cluster
  confmat show day.json --fold 20                           the 20 largest classes, the others as one
  confmat show day.json --of Cat                            true and false positives and negatives
  confmat show day.json --top 10 --normalize predicted
  confmat show published.txt --rows predicted -o m.json     what R or Weka has printed
  pbpaste | confmat show - -f latex
"""


@click.command("show", cls=Sectioned, epilog=EXAMPLES)
@click.argument("file", metavar="FILE")
@click.option("--rows", type=Choice(("actual", "predicted")), help="What the rows are, if the table does not say it.")
@names_option("-l", "--labels", help="The classes, of a table that does not name them.")
@click.option("--positive", metavar="LABEL", help="The positive class of two.")
@table_options
@hierarchy_options
@click.option(
    "--order",
    metavar="METHOD",
    help="Classes by cluster, support, alphabetical, given, or a metric such as recall: the worst first.",
)
@click.option("--of", metavar="CLASS", help="One class against all others.")
@click.option(
    "--fold", type=click.IntRange(1), metavar="N", help="The N classes with most items, all others as one; in a table."
)
@output_options
@click.pass_context
def command(ctx: click.Context, /, file: str, **options: Any) -> None:
    """Print a stored matrix, or one that was printed or published, or turn it into another format.

    A terminal gets shades, and of a matrix that does not fit a map and what stands out. Read are what confmat
    writes, and the tables of scikit-learn, PyCM, caret, yardstick, Weka, NLTK, pandas,
    Markdown, LaTeX and CSV.
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.reading import only_counts, standard_table, stored
    from confmat.cli.related import check_level, rolled
    from confmat.cli.terminal import drawn
    from confmat.cli.writing import form_of, inputs_of, matrix_text, put, reports_text
    from confmat.reporting import Report

    options["sources"] = sources_of(ctx)
    check_level(options)
    form = form_of(options["form"], options["output"], inputs_of(options, file))
    found = rolled(standard_table(options) if file == "-" else stored(file, options), options)
    if drawn(found, options, form):
        return
    if isinstance(found, Report):
        only_counts(options, "normalize", "top", "order", "of", "fold")
        text = reports_text(found, "", form)
    else:
        text = matrix_text(_arranged(found, options, form), options, form)
    put(text, options["output"], form)


def _arranged(found: Any, options: dict[str, Any], form: str) -> Any:
    """A matrix, or each of a stack, in another order, or of one class."""
    from confmat.core.errors import InputError
    from confmat.core.stack import Stack
    from confmat.structure import class_order

    if options["fold"]:
        msg = f"--fold is for tables that are looked at, not for {'files' if options['output'] else form}"
        raise InputError(msg)
    if isinstance(found, Stack):
        parts = {key: _arranged(part, options, form) for key, part in found.items()}
        same = not options["order"] and not options["of"]
        return found if same else Stack(parts, axis=found.axis, ungrouped=found.ungrouped)
    if options["of"]:
        from confmat.cli.terminal import label_of

        return found.one_vs_rest(label_of(found, options["of"]))
    return found.reorder(class_order(found, options["order"])) if options["order"] else found

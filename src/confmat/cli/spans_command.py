"""`confmat spans`: named entities of tag files into a matrix with the background."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.options import Choice, Numbers, alone, labels_option, output_options, table_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat spans tagged.conll                           the truth stands before the answer, in the last columns
  confmat spans gold.conll found.conll --scheme IOB2   a file each, read strictly
  confmat spans tagged.conll --match overlap --iou 0.5
  confmat spans tagged.conll --grades                  by the four schemes of SemEval-2013
"""


@click.command("spans", epilog=EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE [PREDICTED]")
@click.option(
    "--columns",
    type=Numbers(int),
    help="Where the tags stand, from 0, or from -1 at the end: -2,-1 in one file, -1 in two.",
)
@click.option("--separator", metavar="TEXT", help="What stands between columns, or tab; by default any white space.")
@click.option("--comment", metavar="TEXT", help="How lines begin that are no tokens, such as '# id'.")
@labels_option
@click.option(
    "--scheme",
    type=Choice(("IOB1", "IOB2", "BIO", "IOE1", "IOE2", "IOBES", "BIOES", "BILOU", "BILUO")),
    help="Count only what this scheme would write so; by default tags are read leniently.",
)
@click.option(
    "--match",
    type=Choice(("exact", "overlap")),
    default="exact",
    show_default=True,
    help="Entities match by equal boundaries, or if they overlap.",
)
@click.option("--iou", type=click.FloatRange(0, 1), default=0.0, help="The least overlap, with --match overlap.")
@click.option("--partial", is_flag=True, help="A pair that overlaps counts as its overlap.")
@click.option("--grades", is_flag=True, help="Grade entities by the four schemes of SemEval-2013 instead.")
@table_options
@output_options
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], **options: Any) -> None:
    """Match the named entities of files with a token and its tags on each line; the rest goes with the background.

    What is written with -o x.json can be scored, compared and shown.
    """
    from confmat.cli.count_command import sources_of
    from confmat.cli.spanning import counted, entities_of, grades_text
    from confmat.cli.terminal import Working, drawn
    from confmat.cli.writing import form_of, matrix_text, put

    options["sources"] = sources_of(ctx)
    if options["grades"]:
        alone(options, "grades", "match", "iou", "partial", "labels")
    form = form_of(options["form"], options["output"], files)
    working = Working("matching entities", quiet=options["quiet"])
    if options["grades"]:
        with working:
            text = grades_text(entities_of(files, options), form)
        put(text, options["output"], form)
        return
    with working:
        found = counted(entities_of(files, options), options)
    if not drawn(found, options, form):
        put(matrix_text(found, options, form), options["output"], form)

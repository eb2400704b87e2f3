"""`confmat spans`: named entities of tag files into a matrix with the background."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from confmat.cli.options import INTEGERS, Choice, argument, borrowed, command, option
from confmat.cli.settings import Look, Output, Rows
from confmat.core.errors import InputError, Message
from confmat.core.text import printable

if TYPE_CHECKING:
    from confmat.spans import Spans

EXAMPLES = """\b
Examples:
  confmat spans tagged.conll                           the truth is before the answer, in the last columns
  confmat spans gold.conll found.conll --scheme IOB2   a file each, read strictly
  confmat spans tagged.conll --match overlap --iou 0.5
"""
SCHEMES = ("IOB1", "IOB2", "BIO", "IOE1", "IOE2", "IOBES", "BIOES", "BILOU", "BILUO")


class SpansSettings(Look, Output):
    """The settings of `confmat spans`."""

    files: tuple[str, ...] = argument("FILE [PREDICTED]", many=True)
    columns: list[int] | None = option(
        "--columns",
        type=INTEGERS,
        help="Where the tags are, from 0, or from -1 at the end: -2,-1 in one file, -1 in two.",
    )
    comment: str | None = option(
        "--comment", metavar="TEXT", help="How lines begin that are no tokens, such as '# id'."
    )
    labels: list[str] | None = borrowed(Rows, "labels")
    scheme: str | None = option(
        "--scheme",
        type=Choice(SCHEMES),
        help="Count only what this scheme would write so; by default tags are read leniently.",
    )
    match: Literal["exact", "overlap"] = option(
        "--match",
        type=Choice(("exact", "overlap")),
        default="exact",
        help="Entities match by equal boundaries, or if they overlap.",
    )
    iou: float = option(
        "--iou",
        type=click.FloatRange(0, 1),
        default=0.0,
        show_default=False,
        help="The least overlap, with --match overlap.",
    )
    partial: bool = option("--partial", help="A pair that overlaps counts as its overlap.")


@command(SpansSettings, EXAMPLES)
def spans(settings: SpansSettings) -> None:
    """Match the named entities of files with a token and its tags on each line; the rest goes with the background.

    A matrix written with -o x.json can be scored, compared and shown.
    """
    from confmat.cli.output import put_matrix, settle_form
    from confmat.cli.terminal import Working
    from confmat.spans import count_spans

    settle_form(settings, settings.files)
    with Working("matching entities", quiet=settings.quiet):
        m = count_spans(
            *_entities(settings),
            match=settings.match,
            iou=settings.iou,
            partial=settings.partial,
            labels=settings.labels,
        )
    put_matrix(m, settings)


def _entities(settings: SpansSettings) -> tuple[Spans, Spans]:
    """Read true and predicted entities: two columns of a file, or a column of each of two."""
    files = settings.files
    if len(files) > 2:
        msg = f"entities are read from one file or from two, not from {len(files)}"
        raise InputError(msg)
    columns = settings.columns or ([-2, -1] if len(files) == 1 else [-1])
    if len(columns) > 2 or (len(files) == 1 and len(columns) == 1):
        msg = "--columns names the columns of true and of predicted tags, such as -2,-1"
        raise InputError(msg)
    truth = _column(files[0], columns[0], settings)
    predicted = _column(files[-1], columns[-1], settings)
    _check_sentences(files, truth, predicted)
    return truth, predicted


def _column(file: str, column: int, settings: SpansSettings) -> Spans:
    """Read the entities of a column of a file."""
    from confmat.spans import read_conll, spans_of_tags

    tags = read_conll(file, column, comment=settings.comment)
    try:
        return spans_of_tags(tags, scheme=settings.scheme)  # type: ignore[arg-type]
    except InputError as error:
        raise InputError(Message("{}, column {}: {}", printable(file), column, error)) from None


def _check_sentences(files: tuple[str, ...], truth: Spans, predicted: Spans) -> None:
    """Complain of two files that do not hold the same sentences."""
    import numpy as np

    mine, theirs = truth.lengths, predicted.lengths
    if mine is None or theirs is None:
        return
    names = [printable(name) for name in (files[0], files[-1])]
    if len(mine) != len(theirs):
        msg = f"{names[0]} has {len(mine):,} sentences and {names[1]} {len(theirs):,}; both must have the same"
        raise InputError(msg)
    odd = np.flatnonzero(mine != theirs)
    if len(odd):
        at = int(odd[0])
        msg = (
            f"document {at:,}, counted from 0, has {mine[at]:,} tags in {names[0]} and {theirs[at]:,} in "
            f"{names[1]}; both must have the same tokens"
        )
        raise InputError(msg)

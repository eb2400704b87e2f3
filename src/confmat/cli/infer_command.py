"""`confmat infer`: which matrices printed scores allow."""

from __future__ import annotations

from typing import Any

import click

from confmat.cli.claiming import SupportOf, claims_option
from confmat.cli.options import names_option, output_options

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat infer --claim accuracy=0.93 --claim sensitivity=0.91 --positives 120 --total 400
  confmat infer -c accuracy=0.93 -c recall=0.91 -c precision=0.88 --total 1000 --metrics mcc,kappa
  confmat infer -s Cat=6 -s Fish=10 -s Hen=9 -c accuracy=0.48 -c 'precision[Cat]=0.308' -c 'recall[Cat]=0.667'

\b
Exit status: 0 there is a matrix, 1 there is none, 2 wrong usage or bad input.
"""


@click.command("infer", epilog=EXAMPLES)
@claims_option
@click.option("--positives", metavar="N", help="Items of the positive class, of two classes.")
@click.option("--negatives", metavar="N", help="Items of the negative class.")
@click.option("--total", metavar="N", help="All items.")
@click.option(
    "-s", "--support", "supports", multiple=True, type=SupportOf(), help="Items of a class, of several; repeatable."
)
@names_option("-m", "--metrics", help="Whose ranges to show; by default the usual ones.")
@click.option("--undefined", type=float, metavar="NUMBER", help="What 0/0 was printed as; by default as no number.")
@click.option(
    "--budget", type=click.IntRange(1), default=20_000_000, show_default=True, help="As many tables may be tried."
)
@output_options
def command(**options: Any) -> int:
    """Find all matrices of counts that printed scores allow, and what every other score must be.

    Give the totals: the positives of two classes, or the support of each of several. Digits mean what they say:
    0.930 allows less than 0.93.
    """
    from confmat.cli.inferring import inferred, written
    from confmat.cli.writing import form_of, put

    form = form_of(options["form"], options["output"], options["files"])
    found = inferred(options)
    put(written(found, options["metrics"], form), options["output"], form)
    return 1 if found.verdict == "none" else 0

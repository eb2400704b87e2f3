"""`confmat metrics`: what can be asked."""

from __future__ import annotations

import click

from confmat.cli.options import FORMATS, Choice

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat metrics
  confmat metrics agreement
  confmat metrics --format json
"""


@click.command("metrics", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("-f", "--format", "form", type=Choice(FORMATS[:-1]), default="table", help="How to print.")
@click.option("-o", "--output", metavar="FILE", help="Write there, whole or not at all.")
def command(words: tuple[str, ...], form: str, output: str | None) -> None:
    """List the metrics there are, or those whose names or summaries hold all WORDS."""
    from confmat.cli.knowing import listed

    listed(words, form, output)

"""`confmat explain`: what a metric, an average or a peer's name means."""

from __future__ import annotations

import click

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  confmat explain mcc
  confmat explain sensitivity
  confmat explain macro
  confmat explain pycm:TPR
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("names", nargs=-1, required=True, metavar="NAMES...")
def command(names: tuple[str, ...]) -> None:
    """Say what metrics mean: formula, range, where they are undefined, what others call them."""
    from confmat.cli.knowing import explained

    click.echo("\n\n".join(map(explained, names)))

"""`confmat demo`: the shipped example, end to end."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("demo")
def command() -> None:
    """Count the shipped example, and show what there is to see."""
    from confmat.demo import main

    main()

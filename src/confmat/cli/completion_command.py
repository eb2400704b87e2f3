"""`confmat completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click

from confmat.cli.options import Choice

__all__ = ["command"]

EXAMPLES = """\b
Examples:
  eval "$(confmat completion bash)"                               in ~/.bashrc
  eval "$(confmat completion zsh)"                                in ~/.zshrc
  confmat completion fish > ~/.config/fish/completions/confmat.fish
"""


@click.command("completion", epilog=EXAMPLES)
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from confmat.cli.program import cli

    found = get_completion_class(shell)
    assert found is not None
    # click's class for bash asks the installed bash for its version; the script itself needs no answer.
    click.echo(found.source_template % found(cli, {}, "confmat", "_CONFMAT_COMPLETE").source_vars())

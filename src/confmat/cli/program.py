"""The program `confmat`: its commands, its exit status, and what becomes of errors."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from confmat.core.errors import ConfmatError
from confmat.core.text import meant as close_to
from confmat.core.text import printable

__all__ = ["Commands", "cli", "main", "meant"]

# Each command's module and what the overview says; the module is imported when the command is used.
COMMANDS = {
    "demo": ("demo", "Count the shipped example and show what there is to see."),
    "count": ("count", "Count files, or a stream, into a confusion matrix."),
    "detect": ("detect", "Match boxes of images (COCO, YOLO) and count what each is taken for."),
    "segment": ("segment", "Count the pixels of label maps."),
    "spans": ("spans", "Match named entities of tag files (CoNLL) and count what each is taken for."),
    "report": ("report", "Score files or stored matrices; a gate for CI with --fail-under."),
    "thresholds": ("thresholds", "Find the threshold at which a score is best."),
    "html": ("html", "Write a report as one HTML file that opens in any browser."),
    "compare": ("compare", "Say which differences between models hold."),
    "audit": ("audit", "Say whether printed scores follow from a matrix."),
    "infer": ("infer", "Find the matrices that printed scores allow."),
    "merge": ("merge", "Add up stored matrices."),
    "show": ("show", "Print a stored or published matrix, or turn it into another format."),
    "metrics": ("metrics", "List the metrics there are."),
    "explain": ("explain", "Say what a metric means."),
    "completion": ("completion", "Print the completion script of a shell."),
}


class _EndedError(Exception):
    """The program is to end with this status, without a word."""


class Commands(click.Group):
    """A group whose commands are imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names, in the order of a day's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"confmat.cli.{COMMANDS[cmd_name][0]}_command")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is met with the closest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"there is no command {args[0]!r}{meant(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; how a pipe's end or Ctrl-C ends the program is ours to say, not click's."""
        try:
            found = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise _EndedError(0) from None
        except KeyboardInterrupt:
            raise _EndedError(130) from None
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The overview, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def meant(text: str, known: Any) -> str:
    """The closest of what is known, as the end of a message."""
    return close_to(text, known, 2) or f"; there are {', '.join(known)}"


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from confmat import __version__, kernel_name

        click.echo(f"confmat {__version__} (kernel: {kernel_name()}, Python {sys.version.split()[0]})")
        ctx.exit()


EXAMPLES = """\b
Examples:
  confmat demo                                      the shipped example, end to end
  confmat report preds.parquet                      columns found by their names
  confmat report preds.csv -a truth -p guess        or by yours
  cat preds.jsonl | confmat report - --metrics precision,recall,mcc
  confmat count shard-*.parquet -o day.json
  confmat merge day-*.json -o month.json
  confmat report month.json --fail-under f1.macro=0.9

\b
Exit status: 0 all is well, 1 a check failed, 2 wrong usage or bad input.
Defaults can stand in the table [tool.confmat] of the nearest pyproject.toml.
"""


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Version and kernel."
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Confusion matrices from files of any size, and every metric of them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        return
    from confmat.cli.settings import defaults_for

    module = COMMANDS[ctx.invoked_subcommand][0]
    command = import_module(f"confmat.cli.{module}_command").command
    ctx.default_map = {ctx.invoked_subcommand: defaults_for(ctx.invoked_subcommand, command)}


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line, and end with its exit status."""
    try:
        status = cli.main(arguments, prog_name="confmat", standalone_mode=False)
    except _EndedError as ended:
        # Whoever read has perhaps read enough: nothing may be written any more, not even at exit.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ended.args[0])
    except (click.Abort, KeyboardInterrupt):
        _leave(130)
    except click.UsageError as error:
        where = f"\nTry 'confmat {error.ctx.info_name} --help'." if error.ctx and error.ctx.parent else ""
        _leave(2, f"{_said(error.format_message())}{where}")
    except click.ClickException as error:
        _leave(2, _said(error.format_message()))
    except ConfmatError as error:
        from confmat.cli.spelling import in_options

        _leave(2, in_options(_said(str(error)), _options_of(arguments)))
    except OSError as error:
        name = "" if error.filename is None else f"{printable(error.filename)}: "
        _leave(2, f"{name}{(error.strerror or str(error)).lower()}")
    sys.exit(status if isinstance(status, int) else 0)


def _options_of(arguments: list[str] | None) -> set[str] | None:
    """The options of the command that was called; None where none was."""
    name = next((one for one in (sys.argv[1:] if arguments is None else arguments) if one in COMMANDS), None)
    if name is None:
        return None
    command: click.Command = import_module(f"confmat.cli.{COMMANDS[name][0]}_command").command
    return {spelling for one in command.params for spelling in one.opts}


def _said(message: str) -> str:
    """A message as one safe line."""
    return printable(" ".join(message.split("\n")))


def _leave(status: int, message: str = "") -> NoReturn:
    if message:
        sys.stderr.write(f"confmat: {message}\n")
    sys.exit(status)

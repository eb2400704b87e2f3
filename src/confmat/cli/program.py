"""The program `confmat`: its commands, its exit status, and its words for errors."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, cast

import click

from confmat.cli.options import Choice, Option, Settings, SettingsCommand, argument, command
from confmat.core.errors import Argument, ConfmatError, ConfmatWarning, InputError, Message, Remedy
from confmat.core.options import SLIP
from confmat.core.text import SHOWS_PROGRESS, meant, near, printable

# Each command, what the overview says, and the module that is imported when it is used.
COMMANDS = {
    "demo": ("Count the shipped example and show what there is to see.", "program"),
    "count": ("Count files, or a stream, into a confusion matrix.", "count"),
    "detect": ("Match boxes of images (COCO, YOLO) and count what each is taken for.", "detect"),
    "segment": ("Count the pixels of label maps.", "segment"),
    "spans": (
        "Match named entities of tag files (CoNLL) and count what each is taken for.",
        "spans",
    ),
    "report": ("Score files or stored matrices; a gate for CI with --fail-under.", "report"),
    "thresholds": ("Find the threshold at which a score is best.", "thresholds"),
    "calibration": ("Say whether scores mean what they say.", "calibration"),
    "html": ("Write a report as one HTML file that opens in any browser.", "html"),
    "compare": ("Say which differences between models hold.", "compare"),
    "gap": ("Say how far apart groups are on a score.", "gap"),
    "gate": ("Check that a new model is no worse than another: a gate for CI.", "gate"),
    "plan": ("Say how many items a gate needs, from a pilot or before there is one.", "plan"),
    "audit": ("Say whether printed scores follow from a matrix.", "audit"),
    "infer": ("Find the matrices that printed scores allow.", "audit"),
    "merge": ("Add up stored matrices.", "merge"),
    "show": ("Print a stored or published matrix, or turn it into another format.", "show"),
    "metrics": ("List the metrics there are.", "metrics"),
    "explain": ("Say what a metric means.", "metrics"),
    "completion": ("Print the completion script of a shell.", "program"),
}
# Remedies that Python words as calls, in the words of the command line.
REMEDIES = {
    "select": "leave them out with --labels and --other drop",
    "merge or select": "join them with --hierarchy and --roll-up, or take some with --labels and --other drop",
    "models": ", a file for each",
    "matrix": "--input matrix",
    "answers": "--any-spelling, --extract",
}


class _EndedError(Exception):
    """The program is to end with this status, without a word."""


def command_named(name: str) -> SettingsCommand:
    """Import a command."""
    module = import_module(f"confmat.cli.{COMMANDS[name][1]}")
    return cast("SettingsCommand", getattr(module, name))


class Commands(click.Group):
    """A group whose commands are imported one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names, in the order of a day's work."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the command of that name."""
        return command_named(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; the error about an unknown one names the closest."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from confmat.core.words import lines

            ways = [f"; {line}" for line in lines(args[0], "command")]
            if Path(args[0]).suffix:
                ways = [f"; confmat report {shlex.quote(args[0])} scores a file"]
            hint = (
                next(iter(ways), meant(args[0], COMMANDS, 2))
                or f"; there are {', '.join(COMMANDS)}"
            )
            ctx.fail(f"there is no command {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; the end of a pipe and Ctrl-C end the program in our way, not in click's."""
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            raise _EndedError(0) from None
        except KeyboardInterrupt:
            raise _EndedError(130) from None
        return status

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the overview, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (about, _) in COMMANDS.items()])


def _version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from confmat import __version__, kernel_name
        from confmat.kernels import slower

        click.echo(
            f"confmat {__version__} (kernel: {kernel_name()}, Python {sys.version.split()[0]})"
        )
        if slower:
            click.echo(slower)
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
"""


@click.group(
    cls=Commands,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Version and kernel.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Confusion matrices from files of any size, and every metric of them."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    for folder in (Path.cwd(), *Path.cwd().parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            # An earlier version took defaults from there, and a gate that is silently gone would
            # pass.
            if b"[tool.confmat" in path.read_bytes():
                msg = f"{printable(path)}: [tool.confmat] is not read; give its settings as options"
                raise InputError(msg)
            break


# ---- errors --------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line, and end with its exit status."""
    shown = SHOWS_PROGRESS.set(False)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", ConfmatWarning)
            # `confmat --version` says it; every command would be too often.
            warnings.filterwarnings("ignore", "confmat counts with its NumPy kernel")
            warnings.showwarning = lambda warning, *_: _remark(warning, arguments)
            status = cli.main(arguments, prog_name="confmat", standalone_mode=False)
    except _EndedError as ended:
        # The reader of the pipe has gone.
        _write_no_more()
        sys.exit(ended.args[0])
    except (click.Abort, KeyboardInterrupt):
        _leave(130)
    except click.NoSuchOption as error:
        _leave(2, f"there is no option {error.option_name}{_instead_of(error) or _place(error)}")
    except click.UsageError as error:
        _leave(2, _usage(error))
    except click.ClickException as error:
        _leave(2, _in_a_line(error.format_message()))
    except ConfmatError as error:
        _leave(2, _in_a_line(error.message.spelt(Speller(arguments))))
    except OSError as error:
        _write_no_more()
        _leave(2, _unwritten(error))
    finally:
        SHOWS_PROGRESS.reset(shown)
    sys.exit(status if isinstance(status, int) else 0)


def _write_no_more() -> None:
    """Drop what standard output still holds, so that it is not tried again at exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Speller:
    """The words of the command line for the arguments and remedies of a message; Python's where it has none."""

    def __init__(self, arguments: Iterable[str] | None) -> None:
        words = sys.argv[1:] if arguments is None else arguments
        name = next((word for word in words if word in COMMANDS), None)
        params = [] if name is None else command_named(name).params
        self.options = {param.argument: param for param in params if isinstance(param, Option)}

    def __call__(self, part: Argument | Remedy) -> str:
        """Return the part as an option."""
        if isinstance(part, Remedy):
            return REMEDIES.get(part.name, part.text)
        option = self.options.get(part.name)
        if option is None:
            return self._without_option(part)
        if not part.has_value:
            return option.spelling
        if isinstance(part.value, bool):
            return option.spelling if part.value else [*option.secondary_opts, option.spelling][0]
        is_open = part.value is ... or part.value == [...]
        return f"{option.spelling} {option.metavar or 'A,B' if is_open else shlex.quote(str(part.value))}"

    def _without_option(self, part: Argument) -> str:
        if part.name == "answers" and "fuzzy" in self.options:
            # Made of several options.
            return "the rules"
        return str(part) if part.has_value else part.name


def _remark(warning: Warning | str, arguments: list[str] | None) -> None:
    """Write a warning as one line, in the words of the command line."""
    message = warning.args[0] if isinstance(warning, ConfmatWarning) else str(warning)
    sys.stderr.write(f"confmat: {_in_a_line(Message('{}', message).spelt(Speller(arguments)))}\n")


def _unwritten(error: OSError) -> str:
    # Files are written in one place, which names them; the rest is printed.
    name = "standard output" if error.filename is None else printable(error.filename)
    return f"{name}: {(error.strerror or str(error)).lower()}"


def _usage(error: click.UsageError) -> str:
    return f"{_in_a_line(error.format_message())}{_place(error)}"


def _place(error: click.UsageError) -> str:
    return (
        f"\nTry 'confmat {error.ctx.info_name} --help'." if error.ctx and error.ctx.parent else ""
    )


def _instead_of(error: click.NoSuchOption) -> str:
    """Return what to write in place of an unknown option, as the end of a message; empty where nobody knows."""
    from confmat.core.words import lines

    word, parameters = error.option_name.lstrip("-"), error.ctx.command.params if error.ctx else []
    options = [each for each in parameters if isinstance(each, Option)]
    known = [each.spelling[2:] for each in options]
    hints = [f"did you mean --{slip}?" for slip in near(word, known, cutoff=SLIP)]
    # The option of an argument that has another name may be that of another function: it comes last.
    hints += _of_arguments(word, [each for each in options if each.argument == each.name])
    hints += [*(f"say {line}" for line in lines(word, "option")), *lines(word, "command")]
    hints += _of_arguments(word, options)
    hints += [f"did you mean --{name}?" for name in near(word, known)]
    return f"; {hints[0].strip()}" if hints else ""


def _of_arguments(word: str, options: list[Option]) -> list[str]:
    """Return the options to write in place of a word for arguments."""
    from confmat.core.words import lines

    spelt = {each.argument: each.spelling for each in options}
    asked = (line.replace("'", "").partition("=") for line in lines(word, "argument"))
    return [f"say {spelt[name]} {value}" for name, _, value in asked if name in spelt]


def _in_a_line(message: str) -> str:
    # click writes the words of a choice one below the other.
    return printable(" ".join(message.replace("\n\t", "\n").split("\n")))


def _leave(status: int, message: str = "") -> NoReturn:
    if message:
        sys.stderr.write(f"confmat: {message}\n")
    sys.exit(status)


# ---- confmat demo, confmat completion ------------------------------------------------------------

COMPLETION_EXAMPLES = """\b
Examples:
  eval "$(confmat completion bash)"                               in ~/.bashrc
  eval "$(confmat completion zsh)"                                in ~/.zshrc
  confmat completion fish > ~/.config/fish/completions/confmat.fish
"""


@command(Settings)
def demo(_: Settings) -> None:
    """Count the shipped example, and show what there is to see."""
    from confmat.demo import main

    main()


class CompletionSettings(Settings):
    """The settings of `confmat completion`."""

    shell: str = argument(None, type=Choice(("bash", "zsh", "fish")))


@command(CompletionSettings, COMPLETION_EXAMPLES)
def completion(settings: CompletionSettings) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    shell = get_completion_class(settings.shell)
    assert shell is not None
    # click's class for bash asks the installed bash for its version; the script itself needs no
    # answer.
    click.echo(shell.source_template % shell(cli, {}, "confmat", "_CONFMAT_COMPLETE").source_vars())

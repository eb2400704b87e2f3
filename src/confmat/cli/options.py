"""Options that commands share, with choices that suggest what was meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

import click

from confmat.core.errors import ConfmatError, InputError

__all__ = [
    "FORMATS",
    "POLICIES",
    "Choice",
    "Listed",
    "Names",
    "Numbers",
    "Option",
    "Seconds",
    "Sectioned",
    "Words",
    "all_of",
    "alone",
    "delimiter_option",
    "input_options",
    "labels_option",
    "memory_option",
    "na_option",
    "names_option",
    "option",
    "other_option",
    "output_options",
    "rows_option",
    "table_options",
    "threads_option",
    "typed",
]

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
Command = Callable[..., Any]


class Choice(click.Choice[str]):
    """One of a few words; a wrong one is met with the closest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """What to say about a wrong word."""
        del ctx
        close = difflib.get_close_matches(str(value), self.choices, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"{value!r} is none of {', '.join(self.choices)}.{hint}"


class Option(click.Option):
    """An option that the help shows among others of its kind."""

    section = "Options"


class Names(click.ParamType[list[str]]):
    """Words with commas between them, quoted as in CSV, or one a line in a file: a,b,c or @file."""

    name = "a,b,c|@file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The words."""
        if isinstance(value, list):
            return value
        text = str(value)
        if text.startswith("@"):
            return self._lines(text[1:], param, ctx)
        import csv

        return [word.strip() for word in next(csv.reader([text], skipinitialspace=True), [])]

    def _lines(self, name: str, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        from confmat.core.files import read_text

        try:
            lines = read_text(name, "words").splitlines()
        except ConfmatError as error:
            self.fail(str(error), param, ctx)
        return [line for line in lines if line]


class Listed(Option):
    """An option of names that may be given more than once: -m f1 -m mcc is -m f1,mcc."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Keep all that is given, not the last alone."""
        del ctx
        parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append")

    def consume_value(self, ctx: click.Context, opts: Any) -> tuple[Any, Any]:
        """The names of all in one list; what a project's defaults hold stands as it is."""
        value, source = super().consume_value(ctx, opts)
        if isinstance(value, list) and opts.get(self.name) is value:
            value = [name for one in value for name in self.type.convert(one, self, ctx)]
        return value, source


class Words(click.ParamType[list[str]]):
    """Some of a few words, with commas between them."""

    name = "a,b"

    def __init__(self, words: tuple[str, ...]) -> None:
        self.each = Choice(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """The words."""
        if isinstance(value, list):
            return value
        return [self.each.convert(word.strip(), param, ctx) for word in str(value).split(",")]


class Numbers(click.ParamType[list[Any]]):
    """Numbers with commas between them: 0.5,0.75 or, of whole ones, -2,-1."""

    name = "x,y"

    def __init__(self, kind: type[float] = float) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        """The numbers."""
        if isinstance(value, list):
            return value
        try:
            return [self.kind(part) for part in str(value).split(",")]
        except ValueError:
            what = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is no list of {what} with commas between them", param, ctx)


class Seconds(click.ParamType[float]):
    """A time such as 10s, 2m or 500ms."""

    name = "10s"
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}  # noqa: RUF012

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)\s*", str(value))
        if found is None:
            self.fail(f"{value!r} is no time such as 10s, 2m or 500ms", param, ctx)
        return float(found[1]) * self.units[found[2]]


class Sectioned(click.Command):
    """A command with many options, which its help shows in sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of each section, those of the command itself first."""
        sections: dict[str, list[tuple[str, str]]] = {Option.section: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "option":
                sections.setdefault(getattr(param, "section", Option.section), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def typed(options: dict[str, Any], name: str) -> bool:
    """Whether an option was given by hand; a project's defaults are for whatever they fit."""
    value = options.get(name)
    # A threshold of 0 is one.
    given = bool(value) or (isinstance(value, (int, float)) and value is not False)
    return given and options.get("sources", {}).get(name, "COMMANDLINE") == "COMMANDLINE"


def alone(options: dict[str, Any], name: str, *others: str) -> None:
    """Complain of options that would do nothing beside another."""
    for other in others:
        if typed(options, other):
            msg = f"--{other.replace('_', '-')} does not go with --{name}"
            raise InputError(msg)


def option(*names: str, **facts: Any) -> Callable[[Command], Command]:
    """An option that a section may take in."""
    return click.option(*names, cls=Option, **facts)


def names_option(*spellings: str, **facts: Any) -> Callable[[Command], Command]:
    """An option of several names, with commas between them or one after the other."""
    return click.option(*spellings, cls=Listed, type=Names(), **facts)


def all_of(section: str, *options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, and the section that they stand in."""

    def decorate(command: Command) -> Command:
        for each in reversed(options):
            command = each(command)
        for param in command.__click_params__[-len(options) :]:  # type: ignore[attr-defined]
            if isinstance(param, Option):
                param.section = section
        return command

    return decorate


INPUTS = ("csv", "tsv", "jsonl", "parquet", "arrow", "matrix")
POLICIES = ("error", "drop", "collect")

# Shared by commands that have other options between them.
labels_option = names_option("-l", "--labels", help="The classes and their order.")
na_option = option(
    "--missing-value",
    "na_values",
    multiple=True,
    metavar="TEXT",
    help="Labels written like this are missing, such as NA; repeatable.",
)
other_option = option(
    "--other",
    type=Choice(POLICIES),
    default="error",
    show_default=True,
    help="What becomes of labels that --labels does not name.",
)
delimiter_option = option("--delimiter", metavar="CHAR", help="What stands between the fields of a CSV.")
rows_option = option(
    "--rows", type=Choice(("actual", "predicted")), help="What the rows of a printed table or a table in CSV are."
)
threads_option = option("--threads", type=click.IntRange(1), help="At most this many.")
memory_option = option("--memory", default="1GB", show_default=True, help="What DuckDB may use.")

input_options = all_of(
    "What is read",
    click.argument("files", nargs=-1, required=True, metavar="FILES..."),
    option("-a", "--actual", metavar="COLUMN", help="Column of actual labels; by default found by its name."),
    option("-p", "--predicted", metavar="COLUMN", help="Column of predicted labels."),
    option("-w", "--weight", metavar="COLUMN", help="Column with one number per row."),
    option("-b", "--by", metavar="COLUMN", help="Column of groups: one matrix for each."),
    labels_option,
    option("--positive", metavar="LABEL", help="The positive class of two."),
    option("--missing", type=Choice(POLICIES), default="error", show_default=True,
                 help="What becomes of missing labels."),
    na_option,
    other_option,
    option("--input", "kind", type=Choice(INPUTS), help="What the files, or standard input, hold."),
    delimiter_option,
    rows_option,
    threads_option,
    memory_option,
    option("--max-pairs", type=click.IntRange(1), default=1_000_000, show_default=True,
                 help="More different pairs are an error."),
    option("--every", type=Seconds(), metavar="TIME",
                 help="Print what has been counted so far, this often: 10s, 2m."),
    option("--resume", metavar="FILE", help="A checkpoint: a count that was killed goes on from it."),
)  # fmt: skip

output_options = all_of(
    "Output",
    option("-f", "--format", "form", type=Choice(FORMATS),
                 help="How to print; by default what the suffix of -o says, else a table."),
    option("-o", "--output", metavar="FILE", help="Write there, whole or not at all."),
    option("-q", "--quiet", is_flag=True, help="No progress and no remarks on standard error."),
)  # fmt: skip

table_options = all_of(
    "Output",
    option("--normalize", type=Choice(("actual", "predicted", "all")), help="Rates instead of counts."),
    option("--top", type=click.IntRange(1), metavar="N", help="The N most frequent confusions instead."),
    option("--digits", type=click.IntRange(0, 17), default=3, show_default=True, help="Decimals of rates."),
)

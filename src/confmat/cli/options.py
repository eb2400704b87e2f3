"""Options: declared as attributes of settings, with types that suggest the nearest word, and sections in the help."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import click

from confmat.core.errors import ConfmatError, ConfmatWarning, InputError

# ---- types of values ---------------------------------------------------------------------------------------


class Choice(click.Choice[str]):
    """One of a few words; an error suggests the closest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the message about a wrong word."""
        import difflib

        del ctx
        close = difflib.get_close_matches(str(value), self.choices, 1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return f"{value!r} is none of {', '.join(self.choices)}.{hint}"


class FormatName(Choice):
    """A format of files; `table`, which is text, and every other that a file can hold."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the formats, as they are registered now."""
        from confmat.core.tables import FORMATS

        return tuple("table" if name == "text" else name for name, one in FORMATS.items() if one.gives != "frame")

    @choices.setter
    def choices(self, _: object) -> None:
        """Ignore the words that a choice is made with."""


class Names(click.ParamType[list[str]]):
    """Words with commas between them, quoted as in CSV, or one a line in a file: a,b,c or @file."""

    name = "a,b,c|@file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the words."""
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


class Columns(click.ParamType[list[str]]):
    """A column, or one each time that the option is given."""

    name = "column"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the columns."""
        del param, ctx
        return value if isinstance(value, list) else [str(value)]


class Words(click.ParamType[list[str]]):
    """Some of a few words, with commas between them."""

    name = "a,b"

    def __init__(self, words: tuple[str, ...]) -> None:
        self.each = Choice(words)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[str]:
        """Return the words."""
        if isinstance(value, list):
            return value
        return [self.each.convert(word.strip(), param, ctx) for word in str(value).split(",")]


class Numbers(click.ParamType[list[Any]]):
    """Numbers with commas between them: 0.5,0.75 or, of whole ones, -2,-1."""

    name = "x,y"

    def __init__(self, kind: type[float] = float) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[Any]:
        """Return the numbers."""
        if isinstance(value, list):
            return value
        try:
            return [self.kind(part) for part in str(value).split(",")]
        except ValueError:
            kind = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is no list of {kind} with commas between them", param, ctx)


class Seconds(click.ParamType[float]):
    """A time such as 10s, 2m or 500ms."""

    name = "10s"
    units: ClassVar = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return seconds."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)\s*", str(value))
        if match is None:
            self.fail(f"{value!r} is no time such as 10s, 2m or 500ms", param, ctx)
        return float(match[1]) * self.units[match[2]]


class Expression(click.ParamType[re.Pattern[str]]):
    """A regular expression, compiled."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:
        """Return the compiled pattern."""
        try:
            return re.compile(value)
        except re.error as error:
            self.fail(f"{value!r} is no regular expression: {error}", param, ctx)


class Level(click.ParamType[int | list[str]]):
    """A level of a hierarchy: a number from 1, right below the root, or the names of nodes."""

    name = "n|a,b,c"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | list[str]:
        """Return the number, or the names."""
        if not isinstance(value, str):
            return value
        return int(value) if value.strip().isdigit() else Names().convert(value, param, ctx)


Value = TypeVar("Value")


class Assignment(click.ParamType[tuple[str, Value]]):
    """A name and a number, such as accuracy=0.93; `read` makes a value of the number's digits."""

    def __init__(self, name: str, example: str, read: Callable[[str], Value]) -> None:
        self.name, self.example, self.read = name, example, read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Value]:
        """Return the name and the number."""
        if isinstance(value, tuple):
            return value
        name, _, digits = str(value).rpartition("=")
        try:
            number = self.read(digits.strip())
        except ValueError:
            number = None
        if number is None or not name.strip() or not digits.strip():
            self.fail(f"{str(value)!r} is not written like {self.example}", param, ctx)
        return name.strip(), number


# ---- declarations ------------------------------------------------------------------------------------------


class Option(click.Option):
    """An option with its section of the help, and the argument of Python's functions that it stands for."""

    def __init__(self, *names: Any, section: str, argument: str | None = None, **facts: Any) -> None:
        super().__init__(*names, **{"show_default": facts.get("default") is not None} | facts)
        self.section, self.argument = section, argument or str(self.name)

    @property
    def spelling(self) -> str:
        """The long name, such as --missing."""
        return next((name for name in self.opts if name.startswith("--")), self.opts[0])


class NamesOption(Option):
    """An option of names that may be given more than once: -m f1 -m mcc is -m f1,mcc."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Keep all values, not the last alone."""
        del ctx
        parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append")

    def consume_value(self, ctx: click.Context, opts: Any) -> tuple[Any, Any]:
        """Join the names of all values; a list from a project's defaults stays as it is."""
        value, source = super().consume_value(ctx, opts)
        if isinstance(value, list) and opts.get(self.name) is value:
            value = [name for one in value for name in self.type.convert(one, self, ctx)]
        return value, source


class Settings:
    """The values of a command's options, or of a group of them; an attribute is declared once, with its option.

    Attributes
    ----------
    typed
        The options that were given by hand, by the names of their attributes, each as it is spelt; a project's
        defaults are for whatever they fit.
    """

    section: ClassVar[str] = "Options"
    declared: ClassVar[dict[str, Declaration]] = {}
    typed: Mapping[str, str] = {}

    def __init_subclass__(cls) -> None:
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Declaration)}
        cls.declared = {**cls.declared, **own}
        for name, one in cls.declared.items():
            setattr(cls, name, one.default)

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            assert hasattr(self, name), name
            setattr(self, name, value)

    def replace(self, **values: Any) -> Self:
        """Return the same settings but for some values."""
        return type(self)(**vars(self) | values)


class Declaration(NamedTuple):
    """The option or the word of the command line that sets an attribute, or the group of settings that it holds."""

    kind: type[Option | click.Argument | Settings]
    names: tuple[str, ...] = ()
    facts: Mapping[str, Any] = {}

    @property
    def default(self) -> Any:
        """The value of an attribute that nothing sets."""
        if issubclass(self.kind, Settings):
            return self.kind()
        if issubclass(self.kind, click.Argument):
            return "" if self.facts["nargs"] == 1 else ()
        return self.facts.get(
            "default", () if self.facts.get("multiple") else False if "is_flag" in self.facts else None
        )


def option(*names: str, cls: type[Option] = Option, **facts: Any) -> Any:
    """Declare an attribute that an option sets."""
    return Declaration(cls, names, facts)


def names_option(*names: str, **facts: Any) -> Any:
    """Declare an attribute that an option of several names sets, with commas between them or one after the other."""
    return Declaration(NamesOption, names, {"type": Names(), **facts})


def argument(metavar: str | None, *, many: bool = False, required: bool = True, **facts: Any) -> Any:
    """Declare an attribute that a word of the command line sets, or many words."""
    return Declaration(
        click.Argument, facts={"metavar": metavar, "nargs": -1 if many else 1, "required": required, **facts}
    )


def group(kind: type[Settings]) -> Any:
    """Declare an attribute that holds a group of options."""
    return Declaration(kind)


def borrowed(kind: type[Settings], name: str, **changes: Any) -> Any:
    """Declare an attribute with the option, or the argument, that a group declares under this name."""
    one = kind.declared[name]
    return one._replace(facts={**one.facts, **changes})


def refuse(settings: Settings, names: Iterable[str], reason: str) -> None:
    """Complain of options that were given by hand, of the first of them: its spelling, and the reason."""
    for name in names:
        if name in settings.typed:
            msg = f"{settings.typed[name]} {reason}"
            raise InputError(msg)


def _parameters(settings: type[Settings]) -> list[click.Parameter]:
    """Return what click is to parse for settings."""
    parameters: list[click.Parameter] = []
    for name, (kind, names, facts) in settings.declared.items():
        if issubclass(kind, Settings):
            parameters += _parameters(kind)
        elif issubclass(kind, click.Argument):
            parameters.append(kind([name], **facts))
        else:
            parameters.append(kind([*names, name], section=settings.section, **facts))
    return parameters


Made = TypeVar("Made", bound=Settings)


def _filled(settings: type[Made], values: Mapping[str, Any], typed: Mapping[str, str]) -> Made:
    """Return the settings that hold the parsed values."""
    parts = {
        name: _filled(one.kind, values, typed) if issubclass(one.kind, Settings) else values[name]
        for name, one in settings.declared.items()
    }
    return settings(typed=typed, **parts)


class SettingsCommand(click.Command):
    """A command that runs a function on its settings, and whose help shows options in sections."""

    def __init__(self, name: str, kind: type[Settings], run: Callable[[Any], int | None], epilog: str | None) -> None:
        super().__init__(name, params=_parameters(kind), help=run.__doc__, epilog=epilog)
        self.kind, self.run = kind, run

    def invoke(self, ctx: click.Context) -> int | None:
        """Run the function on the settings."""
        options = {str(one.name): one for one in self.params if isinstance(one, Option)}
        typed = {
            name: options[name].spelling
            for name, value in ctx.params.items()
            # A threshold of 0 is one.
            if name in options
            and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
            and (bool(value) or (isinstance(value, (int, float)) and value is not False))
        }
        if ctx.params.get("quiet"):
            warnings.simplefilter("ignore", ConfmatWarning)
        return self.run(_filled(self.kind, ctx.params, typed))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each section, those of the command itself first."""
        sections: dict[str, list[tuple[str, str]]] = {Settings.section: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "option":
                sections.setdefault(getattr(param, "section", Settings.section), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def command(
    kind: type[Made], epilog: str | None = None, name: str | None = None
) -> Callable[[Callable[[Made], int | None]], SettingsCommand]:
    """Make a command of a function from its settings to its exit status."""
    return lambda run: SettingsCommand(name or run.__name__, kind, run, epilog)

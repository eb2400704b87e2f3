"""Options: declared as attributes of settings, with types that suggest the nearest word, and sections in the help."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import get_annotations
from typing import Any, ClassVar, NamedTuple, TypeVar

import click

from confmat.core.errors import ConfmatWarning, InputError
from confmat.core.text import meant

# ---- types of values -----------------------------------------------------------------------------


def none_of(word: str, words: Sequence[str]) -> str:
    """Return the message that refuses an unknown word: it lists the known ones and suggests the closest."""
    return f"{word!r} is none of {', '.join(words)}{meant(word, words)}"


class Choice(click.Choice[str]):
    """One of a few words; an error suggests the closest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:  # noqa: ARG002 - click's
        """Return the message about a wrong word."""
        return none_of(str(value), self.choices)


class FormatName(Choice):
    """A format of files, or its suffix; `table`, which is text, and every other that a file can hold."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the formats, as they are registered now."""
        from confmat.core.formats import FORMATS

        return tuple(
            "table" if name == "text" else name
            for name, form in FORMATS.items()
            if form.gives != "frame"
        )

    @choices.setter
    def choices(self, _: object) -> None:
        """Ignore the words that a choice is made with."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the format."""
        from confmat.core.formats import FORMATS

        named = next(
            (name for name, form in FORMATS.items() if f".{value}" in form.suffixes), value
        )
        return super().convert("table" if named == "text" else named, param, ctx)


Value = TypeVar("Value")


class Read(click.ParamType[Value]):
    """A value that a function reads from the text; its ValueError says what is wrong."""

    def __init__(self, name: str, read: Callable[[str], Value]) -> None:
        self.name, self.read = name, read

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Value:
        """Return the value; what is none of text was read before."""
        if not isinstance(value, str):
            return value
        try:
            return self.read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def names(text: str) -> list[str]:
    """Return words with commas between them, quoted as in CSV, or one a line in a file: a,b,c or @file."""
    if text.startswith("@"):
        from confmat.core.files import read_text

        return [line for line in read_text(text[1:], "words").splitlines() if line]
    import csv

    return [word.strip() for word in next(csv.reader([text], skipinitialspace=True), [])]


def some_of(*words: str) -> Callable[[str], list[str]]:
    """Return what reads some of a few words, with commas between them."""

    def read(text: str) -> list[str]:
        found = [word.strip() for word in text.split(",")]
        for word in found:
            if word not in words:
                raise ValueError(none_of(word, words))
        return found

    return read


def numbers(kind: Callable[[str], Value], of: str) -> Read[list[Value]]:
    """Return the type of numbers with commas between them: 0.5,0.75 or, of whole ones, -2,-1."""

    def read(text: str) -> list[Value]:
        try:
            return [kind(part) for part in text.split(",")]
        except ValueError:
            msg = f"{text!r} is no list of {of} with commas between them"
            raise ValueError(msg) from None

    return Read("x,y", read)


NAMES = Read("a,b,c|@file", names)
NUMBERS = numbers(float, "numbers")
INTEGERS = numbers(int, "whole numbers")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}


def seconds(text: str) -> float:
    """Return a time such as 10s, 2m or 500ms."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h|)\s*", text)
    if match is None:
        msg = f"{text!r} is no time such as 10s, 2m or 500ms"
        raise ValueError(msg)
    return float(match[1]) * _SECONDS[match[2]]


def expression(text: str) -> re.Pattern[str]:
    """Return a regular expression, compiled."""
    try:
        return re.compile(text)
    except re.error as error:
        msg = f"{text!r} is no regular expression: {error}"
        raise ValueError(msg) from None


def level(text: str) -> int | list[str]:
    """Return a level of a hierarchy: a number from 1, right below the root, or the names of nodes."""
    return int(text) if text.strip().isdigit() else names(text)


def assignment(name: str, example: str, number: Callable[[str], Value]) -> Read[tuple[str, Value]]:
    """Return the type of a name and a number, such as accuracy=0.93; `number` makes a value of the number's digits."""

    def read(text: str) -> tuple[str, Value]:
        key, _, digits = text.rpartition("=")
        try:
            if key.strip() and digits.strip():
                return key.strip(), number(digits.strip())
        except ValueError:
            pass
        msg = f"{text!r} is not written like {example}"
        raise ValueError(msg)

    return Read(name, read)


# ---- declarations --------------------------------------------------------------------------------

# The section of options that are of one command.
SECTION = "Options"


class Option(click.Option):
    """An option with its section of the help, and the argument of Python's functions that it sets."""

    def __init__(
        self, *names: Any, section: str, argument: str | None = None, **facts: Any
    ) -> None:
        super().__init__(*names, **{"show_default": facts.get("default") is not None} | facts)
        self.section, self.argument = section, argument or str(self.name)

    @property
    def spelling(self) -> str:
        """The long name, such as --missing."""
        return next(name for name in self.opts if name.startswith("--"))


# Options that scripts give in every case, about the terminal that they may run in.
ABOUT_TERMINALS = {"quiet", "theme"}


@dataclass
class Use:
    """The options that were given, those of them that were read, and why others are of no use."""

    read: set[str] = field(default_factory=set)
    why: str = ""


class Settings:
    """The values of a command's options, side by side; an attribute is declared once, with its option.

    Reading an attribute is using its option: one that was given and that nothing has read before
    there is output is refused. So nobody reads what is not used; `peek` looks at a value without
    using it.

    Settings that several commands have are classes which these inherit from: one object holds all
    of a command, and whoever reads some of them says in a type which.

    Attributes
    ----------
    given
        The options that were given, by the names of their attributes, each as it is spelt.
    use
        The options that were read, here and in settings that were made of these.
    """

    declared: ClassVar[dict[str, Declaration]] = {}
    given: Mapping[str, str] = {}
    use: Use

    def __init_subclass__(cls) -> None:
        section = vars(cls).get("section", SECTION)
        kinds, own = get_annotations(cls), dict[str, Declaration]()
        for name, value in vars(cls).items():
            if isinstance(value, Declaration):
                facts = {"is_flag": True} if kinds.get(name) in ("bool", bool) else {}
                own[name] = value._replace(section=section, facts={**facts, **value.facts})
        cls.declared = {}
        for base in cls.__bases__:
            theirs: dict[str, Declaration] = base.declared  # type: ignore[attr-defined]
            cls.declared |= {
                name: option for name, option in theirs.items() if name not in cls.declared
            }
        # A class leaves an option of others out by giving the attribute a value.
        cls.declared = {
            name: option
            for name, option in cls.declared.items()
            if name in own or name not in vars(cls)
        } | own
        for name, option in own.items():
            setattr(cls, name, option.default)

    def __init__(self, **values: Any) -> None:
        assert all(hasattr(type(self), name) for name in values if name != "use"), values
        vars(self).update({"use": Use()} | values)

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute; an option that was given is used by that."""
        find = super().__getattribute__
        if name in find("given"):
            find("use").read.add(name)
        return find(name)

    def peek(self, name: str) -> Any:
        """Return the value of an attribute without using it; None where there is none."""
        return vars(self).get(name)

    def check_use(self) -> None:
        """Refuse options that were given and not used; whoever prints or writes calls this first."""
        unused = [
            spelt
            for name, spelt in self.given.items()
            if name not in self.use.read | ABOUT_TERMINALS
        ]
        if unused:
            why = f": {self.use.why}" if self.use.why else ""
            is_not, it = ("is not", "it") if len(unused) == 1 else ("are not", "them")
            msg = f"{', '.join(unused)} {is_not} read here{why}; leave {it} out"
            raise InputError(msg)

    def into(self, kind: type[Made], **values: Any) -> Made:
        """Return settings of another kind, or of this one, with some values of their own and all that both have."""
        shared = {
            name: value
            for name, value in vars(self).items()
            if name == "use" or hasattr(kind, name)
        }
        return kind(**shared | values)


Made = TypeVar("Made", bound=Settings)


class Declaration(NamedTuple):
    """The option or the word of the command line that sets an attribute."""

    kind: type[Option | click.Argument]
    names: tuple[str, ...] = ()
    facts: Mapping[str, Any] = {}
    section: str = SECTION

    @property
    def default(self) -> Any:
        """The value of an attribute that nothing sets."""
        if issubclass(self.kind, click.Argument):
            return "" if self.facts["nargs"] == 1 else ()
        return self.facts.get(
            "default",
            () if self.facts.get("multiple") else False if "is_flag" in self.facts else None,
        )

    def parameter(self, name: str) -> click.Parameter:
        """Return what click is to parse."""
        if issubclass(self.kind, click.Argument):
            return self.kind([name], **self.facts)
        return self.kind([*self.names, name], section=self.section, **self.facts)


def option(*spelt: str, **facts: Any) -> Any:
    """Declare an attribute that an option sets; one of type `bool` is a flag."""
    return Declaration(Option, spelt, facts)


def names_option(*spelt: str, **facts: Any) -> Any:
    """Declare an attribute that an option of several names sets: -m f1 -m mcc is -m f1,mcc."""

    def joined(_: object, __: object, value: Iterable[list[str]]) -> list[str] | None:
        return [name for names in value for name in names] if value else None

    return option(
        *spelt, **{"type": NAMES, "multiple": True, "default": None, "callback": joined} | facts
    )


def argument(
    metavar: str | None, *, many: bool = False, required: bool = True, **facts: Any
) -> Any:
    """Declare an attribute that a word of the command line sets, or many words."""
    return Declaration(
        click.Argument,
        facts={"metavar": metavar, "nargs": -1 if many else 1, "required": required, **facts},
    )


def borrowed(kind: type[Settings], name: str, **changes: Any) -> Any:
    """Declare an attribute with the option, or the argument, that other settings declare under this name."""
    option = kind.declared[name]
    return option._replace(facts={**option.facts, **changes})


def refuse(settings: Settings, unfit: Iterable[str], reason: str) -> None:
    """Complain of options that were given, of the first of them: its spelling, and the reason."""
    for name in unfit:
        if name in settings.given:
            msg = f"{settings.given[name]} {reason}"
            raise InputError(msg)


class SettingsCommand(click.Command):
    """A command that runs a function on its settings, and whose help shows options in sections."""

    def __init__(
        self, name: str, kind: type[Settings], run: Callable[[Any], int | None], epilog: str | None
    ) -> None:
        params = [option.parameter(attribute) for attribute, option in kind.declared.items()]
        super().__init__(name, params=params, help=run.__doc__, epilog=epilog)
        self.kind, self.run = kind, run

    def invoke(self, ctx: click.Context) -> int | None:
        """Run the function on the settings."""
        given = {
            name: param.secondary_opts[0] if value is False else param.spelling
            for param in self.params
            if isinstance(param, Option)
            and ctx.get_parameter_source(name := str(param.name))
            is click.core.ParameterSource.COMMANDLINE
            # A threshold of 0 is one; an empty text is nothing.
            and (value := ctx.params[name]) not in ("", (), [])
        }
        if ctx.params.get("quiet"):
            warnings.simplefilter("ignore", ConfmatWarning)
        settings = self.kind(given=given, **ctx.params)
        status = self.run(settings)
        settings.check_use()
        return status

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each section, those of the command itself first."""
        sections: dict[str, list[tuple[str, str]]] = {SECTION: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "option":
                sections.setdefault(getattr(param, "section", SECTION), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def command(
    kind: type[Made], epilog: str | None = None
) -> Callable[[Callable[[Made], int | None]], SettingsCommand]:
    """Make a command of a function from its settings to its exit status."""
    return lambda run: SettingsCommand(run.__name__, kind, run, epilog)

"""The few ways in which confmat says no, and messages that know which arguments they speak of.

ConfmatError (ValueError)
├── LabelError        a label is unknown, repeated, missing, or of another kind
├── InputError        labels, counts or weights cannot be read from what was passed
│   ├── CallError     a function was called with arguments that it does not take (TypeError)
│   └── FileError     a file or a folder cannot be opened (OSError)
│       └── MissingFileError  no file has that name (FileNotFoundError)
├── BudgetError       the answer would not fit the stated budget
└── MetricError       a metric or an average is unknown, or cannot be asked this way

ConfmatWarning (UserWarning)
└── AlignmentWarning  two series were paired by position though their indexes differ
"""

from __future__ import annotations

import sys
import warnings
from ast import literal_eval
from collections.abc import Callable, Iterable, Iterator
from string import Formatter
from typing import Any, Self


class Argument:
    """An argument that a message names, or, with a value, says to give.

    Python spells it `missing` or missing='drop'; the command line spells it --missing or --missing
    drop. The value `...` means one that only the user knows, and [...] a list of such.

    >>> print(
    ...     Argument("missing"),
    ...     Argument("missing", "drop"),
    ...     Argument("positive", ...),
    ...     Argument("labels", [...]),
    ... )
    `missing` missing='drop' positive=... labels=[...]
    """

    __slots__ = ("has_value", "name", "text", "value")

    def __init__(self, name: str, *value: object) -> None:
        # A name such as "labels=" says in Python that it is an argument of a call.
        self.text, self.name = name, name.removesuffix("=")
        self.has_value, self.value = bool(value), value[0] if value else None

    def __str__(self) -> str:
        """As Python spells it."""
        if not self.has_value:
            return f"`{self.text}`"
        shown = "..." if self.value is ... else "[...]" if self.value == [...] else repr(self.value)
        return f"{self.name}={shown}"


class Remedy:
    """Advice that Python words as a call; a program with words of its own finds them by the name.

    >>> print(Remedy("select", "take a part with `m.select`"))
    take a part with `m.select`
    """

    __slots__ = ("name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def __str__(self) -> str:
        """As Python words it."""
        return self.text


Part = str | Argument | Remedy


class Message(str):
    """A text in Python's words that remembers which parts of it are arguments and remedies.

    Parameters
    ----------
    template
        The text: {} takes the next of the values, formatted as in `str.format`; {missing} names an
        argument, and {missing:'drop'} says what to give for it.
    *values
        Whatever can be formatted. Arguments, remedies, messages and errors among them stay known as
        such.

    Examples
    --------
    >>> message = Message("{} rows have no label in {actual}; say {missing:'drop'}", 3)
    >>> message
    "3 rows have no label in `actual`; say missing='drop'"
    >>> message.spelt(lambda part: f"--{part.name}")
    '3 rows have no label in --actual; say --missing'
    """

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, template: str, *values: object) -> Self:
        """Fill the template."""
        return cls.of(_parts(template, iter(values)))

    @classmethod
    def of(cls, parts: Iterable[Part]) -> Self:
        """Join parts; texts next to each other become one."""
        whole: list[Part] = []
        for part in parts:
            if isinstance(part, str) and whole and isinstance(whole[-1], str):
                whole[-1] += part
            else:
                whole.append(part)
        self = super().__new__(cls, "".join(map(str, whole)))
        self.parts = tuple(whole)
        return self

    @classmethod
    def joined(cls, between: str, messages: Iterable[str]) -> Self:
        """Join messages with a text between them."""
        every = [
            message.parts if isinstance(message, Message) else (message,) for message in messages
        ]
        return cls.of(
            part
            for place, parts in enumerate(every)
            for part in ((between,) if place else ()) + parts
        )

    def __add__(self, other: str) -> Message:
        """Return the message with more text."""
        return Message.joined("", (self, other))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (self.parts,)

    def spelt(self, spell: Callable[[Argument | Remedy], str]) -> str:
        """Return the text with its arguments and remedies in other words."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.parts)

    def edited(self, edit: Callable[[str], str]) -> Message:
        """Return the message with a change to the texts between its arguments and remedies."""
        return Message.of(edit(part) if isinstance(part, str) else part for part in self.parts)

    def after(self, text: str) -> Message:
        """Return the part of the message that follows a text."""
        for place, part in enumerate(self.parts):
            if isinstance(part, str) and text in part:
                return Message.of((part.partition(text)[2], *self.parts[place + 1 :]))
        return Message.of(())

    def renamed(self, **names: str) -> Message:
        """Return the message with other names for its arguments."""
        return Message.of(
            Argument(names.get(part.name, part.text), *([part.value] if part.has_value else []))
            if isinstance(part, Argument)
            else part
            for part in self.parts
        )


def _parts(template: str, values: Iterator[object]) -> Iterator[Part]:
    for text, name, spec, conversion in Formatter().parse(template):
        if text:
            yield text
        if name:
            yield Argument(name, *([literal_eval(spec)] if spec else []))
        elif name is not None:
            value = next(values)
            value = value.message if isinstance(value, ConfmatError) else value
            if isinstance(value, Message):
                yield from value.parts
            elif isinstance(value, (Argument, Remedy)):
                yield value
            else:
                yield format(Formatter().convert_field(value, conversion), spec or "")


class ConfmatError(ValueError):
    """The root of every error that confmat raises on purpose.

    Attributes
    ----------
    argument
        The name of the first argument that the message is about, or None.
    remedy
        The arguments to give, and other remedies that the message names, in its order.

    >>> error = ConfmatError(Message("{labels} lack cat; say {other:'drop'}"))
    >>> error.argument, [str(one) for one in error.remedy]
    ('labels', ["other='drop'"])
    """

    @property
    def message(self) -> Message:
        """The message with its parts."""
        text = self.args[0] if self.args else ""
        return text if isinstance(text, Message) else Message("{}", str(self))

    @property
    def argument(self) -> str | None:
        """The name of the first argument that the message is about."""
        return next((part.name for part in self.message.parts if isinstance(part, Argument)), None)

    @property
    def remedy(self) -> tuple[Argument | Remedy, ...]:
        """The arguments to give, and other remedies, in the order of the message."""
        return tuple(
            part
            for part in self.message.parts
            if isinstance(part, Remedy) or (isinstance(part, Argument) and part.has_value)
        )


class LabelError(ConfmatError):
    """A label is unknown, repeated, missing, or of another kind than its neighbours."""


class InputError(ConfmatError):
    """Labels, counts or weights cannot be read from what was passed."""


class CallError(InputError, TypeError):
    """A function was called with arguments that it does not take; the message says what to write."""


class FileError(OSError, InputError):
    """A file or a folder cannot be opened: `errno` and `filename` say why and which, as in every OSError.

    A file that can be opened but not understood is an InputError, and one that is too large a
    BudgetError.

    >>> error = FileError(13, "m.json: permission denied", "m.json")
    >>> print(error, error.errno, error.filename, isinstance(error, ConfmatError))
    m.json: permission denied 13 m.json True
    """

    def __str__(self) -> str:
        """The message alone, which names the file."""
        return self.strerror or super().__str__()

    @property
    def message(self) -> Message:
        """The message, which names the file."""
        return Message("{}", str(self))


class MissingFileError(FileError, FileNotFoundError):
    """There is no file or folder of that name, so `except FileNotFoundError` catches it as well."""


class BudgetError(ConfmatError):
    """The answer would not fit the stated budget of memory, classes or groups."""


class MetricError(ConfmatError):
    """A metric or an average is unknown, or cannot be asked in this way."""


class ConfmatWarning(UserWarning):
    """The root of every warning that confmat gives."""


class AlignmentWarning(ConfmatWarning):
    """Two series were paired by position although their indexes differ."""


def warn(message: str, category: type[Warning] = ConfmatWarning) -> None:
    """Warn at the first line outside this package, however many calls up that is."""
    level, frame = 1, sys._getframe(0)
    while (
        frame.f_back is not None
        and frame.f_globals.get("__name__", "").partition(".")[0] == "confmat"
    ):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)

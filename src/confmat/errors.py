"""The few ways in which confmat says no, and messages that know which arguments they speak of.

ConfmatError (ValueError)
├── LabelError        a label is unknown, repeated, missing, or of another kind
├── InputError        labels, counts or weights cannot be read from what was passed
│   └── FileError     a file or a folder cannot be opened (OSError)
│       └── MissingFileError  no file has that name (FileNotFoundError)
├── BudgetError       the answer would not fit the stated budget
└── MetricError       a metric or an average is unknown, or cannot be asked this way

ConfmatWarning (UserWarning)
├── AlignmentWarning      two series were paired by position though their indexes differ
└── CompatibilityWarning  a familiar signature loses rows or labels, as its model does
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

__all__ = [
    "AlignmentWarning",
    "Argument",
    "BudgetError",
    "CompatibilityWarning",
    "ConfmatError",
    "ConfmatWarning",
    "FileError",
    "InputError",
    "LabelError",
    "Message",
    "MetricError",
    "MissingFileError",
    "Remedy",
]


class Argument:
    """An argument that a message names, or, with a value, says to give.

    Python spells it `missing` or missing='drop'; the command line spells it --missing or --missing drop. The value
    `...` stands for one that only the user knows, and [...] for a list of such.

    >>> print(Argument("missing"), Argument("missing", "drop"), Argument("positive", ...), Argument("labels", [...]))
    `missing` missing='drop' positive=... labels=[...]
    """

    __slots__ = ("has_value", "name", "value")

    def __init__(self, name: str, *value: object) -> None:
        self.name, self.has_value, self.value = name, bool(value), value[0] if value else None

    def __str__(self) -> str:
        """As Python spells it."""
        if not self.has_value:
            return f"`{self.name}`"
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


class Message(str):
    """A text in Python's words that remembers which parts of it are arguments and remedies.

    Parts may be messages and errors themselves; whatever they know is kept.

    >>> message = Message("labels are missing; say ", Argument("missing", "drop"))
    >>> message
    "labels are missing; say missing='drop'"
    >>> message.spelt(lambda part: f"--{part.name}")
    'labels are missing; say --missing'
    """

    __slots__ = ("parts",)
    parts: tuple[str | Argument | Remedy, ...]

    def __new__(cls, *parts: object) -> Self:
        """Join parts: texts, arguments, remedies, messages and errors."""
        flat: list[str | Argument | Remedy] = []
        for part in parts:
            inner = part.message if isinstance(part, ConfmatError) else part
            flat += inner.parts if isinstance(inner, Message) else [_part(inner)]
        self = super().__new__(cls, "".join(map(str, flat)))
        self.parts = tuple(flat)
        return self

    def __getnewargs__(self) -> tuple[str | Argument | Remedy, ...]:  # type: ignore[override]
        """The parts, from which a copy is made."""
        return self.parts

    def spelt(self, spell: Callable[[Argument | Remedy], str]) -> str:
        """Return the text with its arguments and remedies in other words."""
        return "".join(part if isinstance(part, str) else spell(part) for part in self.parts)

    def renamed(self, **names: str) -> Message:
        """Return the message with other names for its arguments."""
        return Message(*(_renamed(part, names) if isinstance(part, Argument) else part for part in self.parts))


def _part(part: object) -> str | Argument | Remedy:
    return part if isinstance(part, (Argument, Remedy)) else str(part)


def _renamed(part: Argument, names: dict[str, str]) -> Argument:
    return Argument(names.get(part.name, part.name), *([part.value] if part.has_value else []))


class ConfmatError(ValueError):
    """The root of every error that confmat raises on purpose.

    Attributes
    ----------
    argument
        The name of the first argument that the message is about, or None.
    remedy
        The arguments to give, and other remedies that the message names, in its order.

    >>> error = ConfmatError(Message(Argument("labels"), " lack cat; say ", Argument("other", "drop")))
    >>> error.argument, [str(one) for one in error.remedy]
    ('labels', ["other='drop'"])
    """

    @property
    def message(self) -> Message:
        """The message with its parts."""
        text = self.args[0] if self.args else ""
        return text if isinstance(text, Message) else Message(str(self))

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


class FileError(OSError, InputError):
    """A file or a folder cannot be opened: `errno` and `filename` say why and which, as in every OSError.

    A file that can be opened but not understood is an InputError, and one that is too large a BudgetError.

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
        return Message(str(self))


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


class CompatibilityWarning(ConfmatWarning):
    """A function with another package's signature loses rows or labels, because that package does."""

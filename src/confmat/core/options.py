"""Checks of options: one of a few words, yes or no, a whole number, a list; and the errors for anything else."""

from __future__ import annotations

from typing import Any

import numpy as np

from confmat.core.errors import Argument, ConfmatError, InputError, Message
from confmat.core.text import meant, some

Refusal = type[ConfmatError]
# The advice where something else came than a matrix.
MAKES_ONE = "count(actual, predicted) makes one of labels, ConfusionMatrix(counts) of a table"


def told(value: Any, *, typed: bool = False) -> str:
    """Return a value as one line of a message shows it; with its type, where that may be the mistake.

    >>> told("recal"), told(2.5), told(np.zeros((2, 3))), told("recal", typed=True)
    ("'recal'", '2.5', 'ndarray of shape (2, 3)', "str 'recal'")
    """
    name = type(value).__name__
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{name} of shape {shape}"
    try:
        return f"{name} {some([value])}" if typed else some([value])
    except Exception:  # noqa: BLE001 - Python writes no integer of 5,000 digits; a foreign `__repr__` may do anything
        return f"a value of type {name}"


def one_of(name: str, value: Any, allowed: Any, error: Refusal = InputError) -> None:
    """Check an option that must be one of a few words; `allowed` is their Literal, or the words themselves.

    >>> one_of("by", "count", ("count", "rate"))
    >>> one_of("by", "counts", ("count", "rate"))
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `by` must be 'count' or 'rate', not 'counts'; did you mean 'count'?
    """
    # The words of a Literal, several times as quickly as `get_args` gives them; counting asks twice.
    words = getattr(allowed, "__args__", allowed)
    if not isinstance(value, str) or value not in words:
        quoted = [*map(repr, words)]
        few = " or ".join(quoted) if len(quoted) < 3 else f"one of {', '.join(quoted)}"
        hint = meant(value, words) if isinstance(value, str) else ""
        raise error(Message("{} must be {}, not {}{}", Argument(name), few, told(value), hint))


def flag(name: str, value: Any, error: Refusal = InputError) -> bool:
    """An option that is true or false; 1 and 0 are taken for them.

    >>> flag("hits", True), flag("hits", 0)
    (True, False)
    >>> flag("hits", "no")
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `hits` must be True or False, not 'no'
    """
    if type(value) is bool:
        return value
    if isinstance(value, (int, np.bool_, np.integer)) and value in (0, 1):
        return bool(value)
    raise error(Message("{} must be True or False, not {}", Argument(name), told(value)))


def flag_if_any(name: str, value: Any) -> bool | None:
    """An option that is true or false, or None where the answer is left to confmat."""
    return None if value is None else flag(name, value)


def whole_number(name: str, value: Any, least: int = 1, error: Refusal = InputError) -> int:
    """An option that must be a whole number of at least `least`.

    >>> whole_number("threads", 2)
    2
    >>> whole_number("threads", 0)
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `threads` must be a whole number of at least 1, not 0
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
        raise error(Message("{} must be a whole number of at least {}, not {}", Argument(name), least, told(value)))
    return int(value)


def how_many(name: str, value: Any) -> int | None:
    """How many to give; None for all.

    >>> how_many("n", 3)
    3
    >>> how_many("n", -1)
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `n` must be a whole number, zero or more, or None for all, not -1
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
        msg = "{} must be a whole number, zero or more, or None for all, not {}"
        raise InputError(Message(msg, Argument(name), told(value)))
    return int(value)


def as_list(name: str, value: Any, wanted: str, error: Refusal = InputError) -> list[Any]:
    """An option that is several things; a text is none of them, because its letters are never meant.

    >>> as_list("columns", ("a", "b"), "names of columns")
    ['a', 'b']
    >>> as_list("columns", 3, "names of columns")
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `columns` must be a list of names of columns, not 3
    """
    try:
        if not isinstance(value, (str, bytes)):
            return list(value)
    except TypeError:
        pass
    raise error(Message("{} must be a list of {}, not {}", Argument(name), wanted, told(value)))

"""Sources in the place of matrices: doors take paths and logs, and the front page says how they are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast

from confmat.core.options import brief

Given = ParamSpec("Given")
Result = TypeVar("Result")
# A function whose first argument is a matrix, and may be a source.
Door = Callable[Concatenate[Any, Given], Result]


class Sources:
    """How the matrix of a source is read; the front page, which knows files and logs, puts its own function here."""

    read: ClassVar[Callable[[Any], Any]] = staticmethod(lambda source: source)


def opened(
    door: Door[Given, Result], call: Callable[..., Any] | None = None
) -> Door[Given, Result]:
    """Let the first argument of a door be a source, or a dict of them; `call` is what reads it, and calls the door."""
    first = next(iter(signature(door).parameters))

    @wraps(door)
    def place(*arguments: Any, **options: Any) -> Any:
        if first in options:
            arguments = (options.pop(first), *arguments)
        if call is not None:
            return call(*arguments, **options)
        return door(*map(Sources.read, arguments[:1]), *arguments[1:], **options)

    return cast("Any", brief(place))

"""What values have in common that never change: nothing of them can be set or deleted."""

from __future__ import annotations

from typing import Any

__all__ = ["Immutable"]


class Immutable:
    """A value; whoever makes one fills it with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"{type(self).__name__} is immutable; make another instead of setting {name!r}"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"{type(self).__name__} is immutable; {name!r} cannot be deleted"
        raise AttributeError(msg)

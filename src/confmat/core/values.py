"""The base of values that never change, hints for attributes that they lack, and a lock that can be pickled."""

from __future__ import annotations

import os
import sys
import threading
from abc import ABCMeta
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

from confmat.core.errors import CallError, InputError
from confmat.core.options import brief, told


class Immutable:
    """A value that is filled once, with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"{type(self).__name__} is immutable; make another instead of setting {name!r}"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"{type(self).__name__} is immutable; {name!r} cannot be deleted"
        raise AttributeError(msg)


class _Guessing(ABCMeta):
    """Hints for what people try on a class, such as constructors, and what it lacks."""

    # An ABCMeta, because results may be sequences and mappings; but none is registered, and to ask
    # takes ten times as long.
    __instancecheck__ = type.__instancecheck__

    if not TYPE_CHECKING:

        @brief
        def __getattr__(cls, name: str) -> Any:
            """Refuse an absent name, and say what to write."""
            # A dataclass in the making asks for the default of each of its fields.
            advice = "" if name in cls.__annotations__ else _line_for(cls, name)
            _refuse(f"type object {cls.__name__!r}", name, advice, cls)


def _line_for(kind: type, name: str) -> str:
    """Return what to write in place of an attribute of a class; empty where nobody knows."""
    if name.startswith("_"):
        return ""
    from confmat.core.words import line

    return line(name, *(ancestor.__name__ for ancestor in kind.__mro__))


def _refuse(what: str, name: str, advice: str, of: Any) -> Never:
    msg = f"{what} has no attribute {name!r}{advice and '; '}{advice}"
    raise AttributeError(msg, name=name, obj=of)


class Guessed(metaclass=_Guessing):
    """Hints for attributes that people try on a value, and that it lacks."""

    __slots__ = ()

    def _advice_on(self, name: str) -> str:
        """Return where the thing is that somebody looks for; empty where nobody knows."""
        return _line_for(type(self), name)

    if not TYPE_CHECKING:

        @brief
        def __getattr__(self, name: str) -> Any:
            """Refuse an absent name, and say where its thing is."""
            advice = "" if name.startswith("_") else self._advice_on(name)
            _refuse(f"{type(self).__name__!r} object", name, advice, self)


class Scored(Guessed):
    """A matrix or a stack: its roll-up, and hints for attributes and operators that it lacks."""

    __slots__ = ()

    labels: Any
    _remapped: Any
    # How the score of a name is asked for; the front page, which knows the scores, puts its own
    # function here.
    _way_of_score: ClassVar[Callable[[str], str]] = staticmethod(lambda _: "")
    # The view of a matrix in a notebook, which the front page, too, puts here: display lies above.
    _view: ClassVar[Callable[[Any], str | None]] = staticmethod(lambda _: None)

    if not TYPE_CHECKING:

        @brief
        def __getattr__(self, name: str) -> Any:
            # pandas and Polars ask whether this is a list, and refuse any other value without a
            # word on the way.
            if sys._getframe(2).f_code.co_qualname == "DataFrame.__init__":
                msg = "a data frame of counts is made by to_pandas() or to_polars(), which keep the labels"
                raise CallError(msg)
            return super().__getattr__(name)

    def _advice_on(self, name: str) -> str:
        return super()._advice_on(name) or Scored._way_of_score(name)

    def roll_up(self, hierarchy: Any, level: int | Iterable[Any] = 1) -> Self:
        """Return the same counts over groups: the nodes of a hierarchy at a level, or at named nodes.

        A class belongs to the nearest named node above it. A class above the cut stays as it is,
        labels outside the classes stay outside, and each group is at the place of its first
        class.

        Parameters
        ----------
        hierarchy
            A `confmat.Hierarchy` with all classes.
        level
            A level, 1 for the one right below the root, or the names of nodes.

        Examples
        --------
        >>> import confmat as cm
        >>> h = cm.Hierarchy.from_paths(
        ...     ["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"]
        ... )
        >>> m = cm.ConfusionMatrix(
        ...     [[5, 3, 1, 0], [2, 6, 0, 0], [1, 0, 7, 1], [0, 0, 0, 9]],
        ...     ["lemon", "lime", "apple", "leek"],
        ... )
        >>> m.roll_up(h).counts
        array([[25,  1],
               [ 0,  9]])
        >>> list(m.roll_up(h, level=2).labels), list(m.roll_up(h, level=["fruit"]).labels)
        (['citrus', 'apple', 'leek'], ['fruit', 'leek'])
        """
        rolled = getattr(hierarchy, "_rolled", None)
        if rolled is None:
            msg = (
                "`roll_up` takes a Hierarchy, such as "
                "confmat.Hierarchy.from_paths(['fruit/citrus/lemon', ...]), "
                f"not {told(hierarchy, typed=True)}; `merge` takes groups of classes"
            )
            raise InputError(msg)
        return self._remapped(*rolled(self.labels, level))

    def __sub__(self, other: object) -> Never:
        msg = (
            "matrices add, and are not subtracted: Tally.subtract takes counts away again, "
            "confmat.compare has the "
            "differences of scores, and confmat.view(new, minus=old) those of cells"
        )
        raise TypeError(msg)

    def __mul__(self, other: object) -> Never:
        msg = "counts are not scaled; m.counts * factor is an array, and m.normalize('all') has the shares of the total"
        raise TypeError(msg)

    __rmul__ = __truediv__ = __mul__


class Guarded:
    """A lock of its own, which copies and pickles make anew.

    There is one for each process: after a fork, nobody is left in the child who could release that
    of its parent.
    """

    def __init__(self) -> None:
        self._locks: dict[int, threading.Lock] = {}

    @property
    def _lock(self) -> threading.Lock:
        # One step, in which no two threads can make two locks.
        return self._locks.setdefault(os.getpid(), threading.Lock())

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_locks"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._locks = {}

"""The base of values that never change, hints for attributes that they lack, and a lock that can be pickled."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

from confmat.core.errors import InputError
from confmat.core.options import told

# Attributes that people try on any result, and the way to each; then those of a matrix or a stack.
_WAYS = {
    "to_frame": "it is to_pandas(), or to_polars()",
    "to_df": "it is to_pandas(), or to_polars()",
    "to_dataframe": "it is to_pandas(), or to_polars()",
    "to_html": "it is table().to('html')",
    "to_json": "confmat.save(value, 'file.json') stores it",
    "save": "confmat.save(value, 'file.csv') writes it, in the format of the suffix",
    "plot": "confmat.plot(m) draws a matrix, and confmat.plot_differences(c) a comparison",
    "rows": "table() has its rows",
}
_WAYS_OF_MATRICES = {
    "values": "its table is `counts`",
    "array": "its table is `counts`",
    "to_numpy": "its table is `counts`",
    "to_list": "its rows are counts.tolist()",
    "tolist": "its rows are counts.tolist()",
    "items": "its cells are pairs().items()",
    "columns": "its classes are `labels`, and its table is `counts`",
    "index": "its classes are `labels`, and its table is `counts`",
    "size": "its total is `total`, and the number of its classes `n_classes`",
    "classes": "its classes are `labels`",
    "classes_": "its classes are `labels`",
    "sum": "its total is `total`",
    "trace": "the number of hits is `diagonal.sum()`",
    "transpose": "the transposed matrix is `T`",
    "rename": "relabel() of a matrix gives its classes other names",
    "copy": "it never changes, so it is its own copy",
    "normalise": "it is spelt `normalize`",
    "to_json": "confmat.save(m, 'file.json') stores it, and `to_dict()` is the same as plain data",
    "save": "confmat.save(m, 'file.json') stores it, in the format of the suffix",
    "plot": "confmat.plot(m) draws it",
    "show": "confmat.show(m) shows it in a terminal",
    "page": "confmat.html(m) as the last line of a notebook's cell shows the page",
    "html": "confmat.html(m, 'report.html') writes the report page",
    "report": "confmat.report(m) scores it",
    "describe": "confmat.report(m) scores it",
    "score": "confmat.score(m, 'f1.macro') is one of its scores",
    "interval": "confmat.interval(m, 'accuracy') says how sure a score is",
    "update": "it never changes; confmat.Tally takes pairs in parts",
}


class Immutable:
    """A value that is filled once, with `object.__setattr__`."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        msg = f"{type(self).__name__} is immutable; make another instead of setting {name!r}"
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> None:
        msg = f"{type(self).__name__} is immutable; {name!r} cannot be deleted"
        raise AttributeError(msg)


class Guessed:
    """Hints for attributes that people try on a value, and that it lacks."""

    __slots__ = ()

    def _way(self, name: str) -> str:
        """Return where the thing is that somebody looks for; empty where nobody knows."""
        return _WAYS.get(name, "")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Refuse an absent name, and say where the thing is that it stands for."""
            way = "" if name.startswith("_") else self._way(name)
            msg = f"{type(self).__name__!r} object has no attribute {name!r}{way and '; '}{way}"
            raise AttributeError(msg, name=name, obj=self)


class Scored(Guessed):
    """A matrix or a stack: its roll-up, and hints for attributes and operators that it lacks."""

    __slots__ = ()

    labels: Any
    _remapped: Any
    # How the score of a name is asked for; the front page, which knows the scores, puts its own function here.
    _way_of_score: ClassVar[Callable[[str], str]] = staticmethod(lambda _: "")

    def _way(self, name: str) -> str:
        return _WAYS_OF_MATRICES.get(name) or super()._way(name) or Scored._way_of_score(name)

    def roll_up(self, hierarchy: Any, level: int | Iterable[Any] = 1) -> Self:
        """Return the same counts over groups: the nodes of a hierarchy at a level, or at named nodes.

        A class belongs to the nearest named node above it. A class above the cut stays as it is, labels outside the
        classes stay outside, and each group stands at the place of its first class.

        Parameters
        ----------
        hierarchy
            A `confmat.Hierarchy` with all classes.
        level
            A level, of which 1 is right below the root, or the names of nodes.

        Examples
        --------
        >>> import confmat as cm
        >>> h = cm.Hierarchy.from_paths(["fruit/citrus/lemon", "fruit/citrus/lime", "fruit/apple", "leek"])
        >>> m = cm.ConfusionMatrix(
        ...     [[5, 3, 1, 0], [2, 6, 0, 0], [1, 0, 7, 1], [0, 0, 0, 9]], ["lemon", "lime", "apple", "leek"]
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
                "`roll_up` takes a Hierarchy, such as confmat.Hierarchy.from_paths(['fruit/citrus/lemon', ...]), "
                f"not {told(hierarchy, typed=True)}; `merge` takes groups of classes"
            )
            raise InputError(msg)
        return self._remapped(*rolled(self.labels, level))

    def __sub__(self, other: object) -> Never:
        msg = (
            "matrices add, and are not subtracted: Tally.subtract takes counts away again, confmat.compare has the "
            "differences of scores, and confmat.view(new, minus=old) those of cells"
        )
        raise TypeError(msg)

    def __mul__(self, other: object) -> Never:
        msg = "counts are not scaled; m.counts * factor is an array, and m.normalize('all') has the shares of the total"
        raise TypeError(msg)

    __rmul__ = __truediv__ = __mul__


class Guarded:
    """A lock of its own, which copies and pickles make anew.

    There is one for each process: after a fork, nobody is left in the child who could release that of its parent.
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

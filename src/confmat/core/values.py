"""The base of values that never change, hints for attributes that they lack, and a lock that can be pickled."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

# Attributes that people try on a matrix or a stack, and the way to each.
_WAYS = {
    "values": "its table is `counts`",
    "array": "its table is `counts`",
    "to_numpy": "its table is `counts`",
    "classes": "its classes are `labels`",
    "classes_": "its classes are `labels`",
    "sum": "its total is `total`",
    "trace": "the number of hits is `diagonal.sum()`",
    "transpose": "the transposed matrix is `T`",
    "normalise": "it is spelt `normalize`",
    "to_frame": "it is `to_pandas()`",
    "to_df": "it is `to_pandas()`",
    "to_json": "confmat.save(m, 'file.json') stores it, and `to_dict()` is the same as plain data",
    "save": "confmat.save(m, 'file.json') stores it, in the format of the suffix",
    "plot": "confmat.plot(m) draws it",
    "show": "confmat.show(m) shows it in a terminal",
    "html": "confmat.html(m, 'report.html') writes the report page",
    "report": "confmat.report(m) scores it",
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


class Scored:
    """Hints for attributes that a matrix or a stack lacks: scores are functions of it."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say where the thing is that somebody looks for; only called for names that are absent."""
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            if not name.startswith("_"):
                way = _WAYS.get(name, f"scores are functions of the matrix, such as confmat.score(m, {name!r})")
                msg = f"{msg}; {way}"
            raise AttributeError(msg, name=name, obj=self)


class Guarded:
    """A lock of its own, which copies and pickles make anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

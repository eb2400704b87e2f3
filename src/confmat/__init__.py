"""confmat: the confusion-matrix engine.

A confusion matrix is a sum of counted pairs; everything else is a function of that sum.
"""

import sys as _sys
from typing import Any as _Any

# An unknown kernel in the environment is reported at import and not in the middle of a count.
import confmat.kernels as _kernels  # noqa: F401
from confmat.core.errors import ConfmatError as _ConfmatError
from confmat.core.sources import Sources as _Sources
from confmat.core.values import Scored as _Scored

# Rooms that are public under their own names. The front page itself is the stub beside this file:
# type checkers read it, and so does `_pages`; each name is there once.
_ROOMS = [
    "costs",
    "deciding",
    "detection",
    "hierarchy",
    "io",
    "keras",
    "metrics",
    "multilabel",
    "onedal",
    "segmentation",
    "sklearn",
    "spans",
    "structure",
    "torch",
]


def _pages() -> dict[str, str]:
    """Read the front page from its stub: the module of each name."""
    import ast
    from pkgutil import get_data

    if "_page" not in globals():
        # Not by a path: the package may be in a zip.
        tree = ast.parse(get_data("confmat", "__init__.pyi") or b"")
        globals()["_page"] = {
            alias.name: statement.module
            for statement in tree.body
            if isinstance(statement, ast.ImportFrom) and statement.module
            for alias in statement.names
            if statement.level == 0
        }
    page: dict[str, str] = globals()["_page"]
    return page


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    if name == "__all__":
        value: _Any = sorted(_pages())
    elif name in _pages():
        value = getattr(import_module(_pages()[name]), name)
    elif name in _ROOMS:
        value = import_module(f"confmat.{name}")
    else:
        hint = "" if name.startswith("_") else _hint(name)
        # `from confmat import name` drops the hint of an AttributeError.
        if hint and _sys._getframe(1).f_code.co_name == "_handle_fromlist":
            msg = f"cannot import name {name!r} from 'confmat'{hint}"
            raise ImportError(msg, name="confmat")
        msg = f"module 'confmat' has no attribute {name!r}{hint}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def _hint(name: str) -> str:
    """Where something of this name is, or the names that are spelt nearly so; empty for an inner module."""
    from importlib.util import find_spec

    from confmat import metrics
    from confmat.core.text import meant
    from confmat.core.words import line

    if find_spec(f"confmat.{name}"):
        return ""
    if line(name, "confmat"):
        return f"; {line(name, 'confmat')}"
    for room in (metrics, metrics.coefficients):
        if name in room.__all__:
            return f"; it is {room.__name__}.{name}"
    try:
        own = getattr(metrics.parse_score(metrics.metric(name)).metric, "name", "")
    except _ConfmatError as error:
        for place in _ROOMS:
            if name in _listed(f"confmat.{place}"):
                return f"; it is confmat.{place}.{name}"
        if line(name, "metric"):
            return f"; {line(name, 'metric')}"
        if "is spelt" in str(error):
            return f": {str(error).partition('; ')[2]}"
        return meant(name, sorted(_pages()), 2)
    return f"; it is confmat.{own}" if own in _pages() else f"; confmat.metric({name!r}) gives it"


def _way_of_score(name: str) -> str:
    """How a matrix is asked for the score of this name; empty where no score is spelt nearly so."""
    from confmat.core.text import meant, near
    from confmat.core.words import line
    from confmat.metrics import catalog, metric, parse_score

    try:
        close = [str(parse_score(metric(name)))]
    except _ConfmatError as error:
        _, is_score, spelling = str(error).partition("the score is spelt ")
        if is_score:
            return f"the score is spelt {spelling}"
        if name in _pages():
            return f"it is confmat.{name}(m, ...)"
        if line(name, "metric"):
            return line(name, "metric")
        close = near(name, catalog(), cutoff=0.75)
    if close:
        return f"scores are functions of the matrix, such as confmat.score(m, {close[0]!r})"
    from confmat.core.matrix import ConfusionMatrix

    if name in dir(ConfusionMatrix):
        return "a matrix has it, such as stack[key]"
    return meant(name, dir(ConfusionMatrix)).removeprefix("; ")


def _view(m: _Any) -> str | None:
    """Return how a notebook shows a matrix."""
    from confmat.display.notebook import matrix_html

    return matrix_html(m)


def _read(source: _Any) -> _Any:
    """Return the matrix that a path or a log holds; anything else as it is."""
    if isinstance(source, _Scored):
        return source
    from confmat.io.opened import matrix_of

    return matrix_of(source)


_Sources.read = staticmethod(_read)
_Scored._way_of_score = staticmethod(_way_of_score)
_Scored._view = staticmethod(_view)


def _listed(room: str) -> list[str]:
    """Read the names that a room lists, without importing it."""
    import ast
    from importlib.util import find_spec

    loader: _Any = getattr(find_spec(room), "loader", None)
    for statement in ast.parse(loader.get_source(room) or "").body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            names: list[str] = ast.literal_eval(statement.value)
            return names
    return []


def __dir__() -> list[str]:
    return sorted([*_pages(), *(name for name in globals() if name.startswith("__"))])

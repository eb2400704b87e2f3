"""Checks of options and of whole calls, and the errors for anything that does not fit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from types import ModuleType
from typing import Any, Literal, ParamSpec, TypeGuard, TypeVar, cast

import numpy as np

from confmat.core.errors import Argument, CallError, ConfmatError, InputError, Message
from confmat.core.text import meant, some

Refusal = type[ConfmatError]
Function = TypeVar("Function", bound=Callable[..., Any])
Given = ParamSpec("Given")
Result = TypeVar("Result")
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
    # The words of a Literal, several times as quickly as `get_args` gives them; counting asks
    # twice.
    words = getattr(allowed, "__args__", allowed)
    if not isinstance(value, str) or value not in words:
        quoted = [*map(repr, words)]
        few = " or ".join(quoted) if len(quoted) < 3 else f"one of {', '.join(quoted)}"
        hint = instead(name, value, words) if isinstance(value, str) else ""
        raise error(Message("{} must be {}, not {}{}", Argument(name), few, told(value), hint))


# The side of a table that its rows are; and what shares are of: also in scikit-learn's words, and
# in those of a table.
Side = Literal["actual", "predicted"]
Axis = Literal["actual", "predicted", "all"]
Normalize = Literal[Axis, "true", "pred", "row", "column"]
OTHER_SIDE: Mapping[Side, Side] = {"actual": "predicted", "predicted": "actual"}


def axis_named(name: str, value: Any, rows: Side = "actual") -> Axis:
    """Return what shares are of, whichever of its names was given; `rows` is the side that is in rows.

    >>> (
    ...     axis_named("by", "true"),
    ...     axis_named("by", "column"),
    ...     axis_named("by", "column", rows="predicted"),
    ... )
    ('actual', 'predicted', 'actual')
    """
    one_of(name, value, Normalize)
    words: dict[str, Axis] = {
        "true": "actual",
        "pred": "predicted",
        "row": rows,
        "column": OTHER_SIDE[rows],
    }
    return words.get(value, value)


def instead(name: str, value: str, words: Any) -> str:
    """Return the end of a message about a word that an option does not know: the one that says it, or is like it.

    >>> (
    ...     instead("method", "percentile", ["wald", "bootstrap"]),
    ...     instead("method", "wold", ["wald", "bootstrap"]),
    ... )
    ("; say method='bootstrap'", "; did you mean 'wald'?")
    """
    from confmat.core.words import lines

    # Another door may take a word that this one does not.
    offered = tuple(f"{name}={word!r}" for word in words)
    return next(
        (f"; say {line}" for line in lines(value, "argument", name) if line.startswith(offered)),
        "",
    ) or meant(value, words)


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


def is_integer(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy; True and False are none.

    >>> is_integer(2), is_integer(np.int8(2)), is_integer(2.0), is_integer(True)
    (True, True, False, False)
    """
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number of Python; True and False are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any, least: int) -> bool:
    return is_integer(value) and bool(value >= least)


def whole_number(name: str, value: Any, least: int = 1, error: Refusal = InputError) -> int:
    """An option that must be a whole number of at least `least`.

    >>> whole_number("threads", 2)
    2
    >>> whole_number("threads", 0)
    Traceback (most recent call last):
        ...
    confmat.core.errors.InputError: `threads` must be a whole number of at least 1, not 0
    """
    if not _is_whole(value, least):
        raise error(
            Message(
                "{} must be a whole number of at least {}, not {}",
                Argument(name),
                least,
                told(value),
            )
        )
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
    if not _is_whole(value, 0):
        msg = "{} must be a whole number, zero or more, or None for all, not {}"
        raise InputError(Message(msg, Argument(name), told(value)))
    return int(value)


def is_several(value: Any) -> bool:
    """Whether a value holds others; a text is one thing, because its letters are never meant.

    >>> is_several(["a"]), is_several("a"), is_several(np.array(1))
    (True, False, False)
    """
    is_one = isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) == 0
    return isinstance(value, Iterable) and not is_one


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


# ---- calls ---------------------------------------------------------------------------------------

# Packages whose frames say nothing to a caller; those of NumPy are around our functions.
_OWN = {"confmat", "numpy"}


def forget_frames(error: Exception) -> None:
    """Drop the frames of this package from an error: once it is raised on, its traceback ends at the caller's line.

    The traceback stays whole where a function of the caller's is in it, and where the environment
    has CONFMAT_TRACEBACK=full.
    """
    trace = error.__traceback__
    while trace and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in _OWN:
        trace = trace.tb_next
    if trace is None and os.environ.get("CONFMAT_TRACEBACK") != "full":
        error.__traceback__ = None


def brief(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let the refusals of a function end at the line of its caller."""

    @wraps(function)
    def call(*arguments: Given.args, **options: Given.kwargs) -> Result:
        try:
            return function(*arguments, **options)
        except (AttributeError, ConfmatError) as error:
            forget_frames(error)
            # A bare `raise` adds no frame of its own.
            raise

    return call


# A name that is so like an argument is a slip of the pen.
SLIP = 0.88


def door(function: Function) -> Function:
    """Let a call with arguments that a public function does not take say what to write.

    >>> @door
    ... def draw(m, *, class_groups=None): ...
    >>> draw("m", groups=2)
    Traceback (most recent call last):
        ...
    confmat.core.errors.CallError: `draw` takes no `groups`: say class_groups=
    >>> draw()
    Traceback (most recent call last):
        ...
    confmat.core.errors.CallError: `draw` needs `m`: draw(m, class_groups=...)
    """

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ConfmatError as error:
            forget_frames(error)
            raise
        except TypeError as error:
            # An error from inside the function has a frame of it.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
        raise CallError(_misfit(function, arguments, options))

    return cast("Function", call)


@dataclass(frozen=True, slots=True)
class Form:
    """How a function is called: what it takes by position, by name alone, and what it needs."""

    name: str
    placed: list[str]
    named: list[str]
    needed: list[str]
    kinds: set[Any]
    is_bound: bool

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Form:
        """Read the form of a function off its signature."""
        parameters = dict(signature(function).parameters)
        is_bound = any([parameters.pop("self", None), parameters.pop("cls", None)])
        placed, named = (
            [name for name, parameter in parameters.items() if parameter.kind is kind]
            for kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        )
        name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
        needed = [name for name in (*placed, *named) if parameters[name].default is Parameter.empty]
        kinds = {parameter.kind for parameter in parameters.values()}
        return cls(name, placed, named, needed, kinds, is_bound)

    def __str__(self) -> str:
        """The call as it is written: what comes by position, what must be given by name, and a few options."""
        must = [name for name in self.named if name in self.needed]
        others = [name for name in self.named if name not in self.needed]
        shown = [*self.placed, *(f"{name}=..." for name in (*must, *others[:4]))]
        if others[4:]:
            shown.append("...")
        return f"{self.name}({', '.join(shown)})"


def _misfit(
    function: Callable[..., Any], arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> str:
    """Return the message for arguments that a function does not take."""
    form = Form.of(function)
    arguments = arguments[form.is_bound :]
    known = [*form.placed, *form.named]
    unknown = [option for option in options if option not in known]
    if unknown and Parameter.VAR_KEYWORD not in form.kinds:
        return no_option(form.name, unknown[0], known)
    if len(arguments) > len(form.placed) and Parameter.VAR_POSITIONAL not in form.kinds:
        return _too_many(form, arguments)
    lacking = {*form.needed} - {*form.placed[: len(arguments)], *options}
    missing = " and ".join(f"`{name}`" for name in form.needed if name in lacking)
    if not missing:
        return f"`{form.name}` was given one argument twice, by position and by name: {form}"
    from confmat.core.words import line

    first = type(arguments[0]).__name__ if arguments else ""
    hint = line(first, form.name)
    # A line in place of a name is no advice on an argument of that type.
    hint = "" if hint == line(first) else hint
    return f"`{form.name}` needs {missing}: {form}{hint and '; '}{hint}"


def _too_many(form: Form, arguments: tuple[Any, ...]) -> str:
    """Return the message for more arguments than a function takes by position."""
    first, name = arguments[0], form.name
    is_table = isinstance(first, (list, tuple)) or hasattr(first, "dtype")
    if form.placed[:1] == ["m"] and is_table:
        return (
            f"`{name}` needs a ConfusionMatrix, not {told(first)}; {MAKES_ONE}; then write {form}"
        )
    file = "; confmat.save(value, path) writes a file" if name.startswith("to_") else ""
    most = f"{len(form.placed) or 'no'} argument{'' if len(form.placed) == 1 else 's'}"
    return f"`{name}` takes {most} by position, not {len(arguments)}; write {form}{file}"


def no_option(name: str, option: str, known: Sequence[str]) -> str:
    """Return the message for an option that a function does not take, with the one that was probably meant."""
    from confmat.core.words import line, lines

    advice = line(option, name, *known)
    ways = (hint for hint in lines(option, "argument", *known) if hint.partition("=")[0] in known)
    own = advice if advice != line(option, *known) else ""
    hints = filter(None, [own, *(f"say {hint}" for hint in ways), advice])
    hint = (
        meant(option, known, cutoff=SLIP)
        or next((f": {hint}" for hint in hints), "")
        or meant(option, known)
        or f"; it takes {', '.join(known) or 'nothing'}"
    )
    return Message("{} takes no {}{}", Argument(name), Argument(option), hint)


def no_function(room: str, call: str) -> None:
    """Let the call of a module, which is no function, say which function was meant."""

    class Room(ModuleType):
        def __call__(self, *_: Any, **__: Any) -> Any:
            msg = f"{room} is a module; its function is {call}"
            raise CallError(msg)

    sys.modules[room].__class__ = Room

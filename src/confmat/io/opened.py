"""Doors that take sources: paths and logs in the place of matrices."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from confmat import reporting
from confmat.io.logs import EvalLog, Logs, read_logs
from confmat.io.sources import log_at
from confmat.io.storage import load_stored

Given = ParamSpec("Given")
Result = TypeVar("Result")
# A function whose first argument is a matrix, and may be a source.
Door = Callable[Concatenate[Any, Given], Result]


def read(source: Any) -> Any:
    """Return what a source holds, logs as the answers of each model; a text without a suffix is no file."""
    if isinstance(source, EvalLog):
        return Logs({source.model: source})
    if isinstance(source, dict) and source:
        parts = {name: read(one) for name, one in source.items()}
        if not all(isinstance(part, Logs) for part in parts.values()):
            return {name: part.matrix() if isinstance(part, Logs) else part for name, part in parts.items()}
        pairs = ((name, *one) for name, part in parts.items() for one in part.items())
        return Logs({name if len(parts[name]) == 1 else f"{name}, {model}": log for name, model, log in pairs})
    if not (isinstance(source, (str, os.PathLike)) and Path(source).suffix):
        return source
    log = log_at(source)
    return load_stored(source) if log is None else read_logs([log])


def opened(door: Door[Given, Result], pairs: Callable[..., Result] | None = None) -> Door[Given, Result]:
    """Let the first argument of a door be a source, or a dict of them; logs of several models go to `pairs` as such."""
    first = next(iter(signature(door).parameters))

    @wraps(door)
    def call(*arguments: Any, **options: Any) -> Any:
        if first in options:
            arguments = (options.pop(first), *arguments)
        found = [read(one) for one in arguments[:1]]
        if found and isinstance(logs := found[0], Logs):
            if pairs and len(logs) > 1 and not arguments[1:]:
                return pairs(logs, **options)
            found = [logs.matrix()]
        return door(*found, *arguments[1:], **options)

    return cast("Any", call)


report = opened(reporting.report)

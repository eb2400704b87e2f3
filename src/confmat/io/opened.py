"""Sources: paths and logs in the place of matrices."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from confmat.io.logs import EvalLog, Logs, read_logs
from confmat.io.sources import log_at
from confmat.io.storage import load_stored


def read(source: Any) -> Any:
    """Return what a source holds, logs as the answers of each model; a text without a suffix is no file."""
    if isinstance(source, EvalLog):
        return Logs({source.model: source})
    if isinstance(source, dict) and source:
        return _joined({name: read(part) for name, part in source.items()})
    if not (isinstance(source, (str, os.PathLike)) and Path(source).suffix):
        return source
    log = log_at(source)
    return load_stored(source) if log is None else read_logs([log])


def _joined(parts: dict[Any, Any]) -> Any:
    """The models of several logs, under the names of these; where other values are among them, their counts."""
    if not all(isinstance(part, Logs) for part in parts.values()):
        return {
            name: part.matrix() if isinstance(part, Logs) else part for name, part in parts.items()
        }
    return Logs(
        {
            name if len(part) == 1 else f"{name}, {model}": log
            for name, part in parts.items()
            for model, log in part.items()
        }
    )


def matrix_of(source: Any) -> Any:
    """Return the counts that a source holds."""
    found = read(source)
    return found.matrix() if isinstance(found, Logs) else found

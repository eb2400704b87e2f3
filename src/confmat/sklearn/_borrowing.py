"""Warnings and settings of scikit-learn where it is installed, and replacements where it is not."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from confmat.core.errors import CompatibilityWarning, ConfmatWarning, InputError, warn


class InvalidParameterError(InputError, TypeError):
    """An option has a value that it cannot have; a ValueError and a TypeError, as scikit-learn's is."""


@cache
def undefined_metric_warning() -> type[Warning]:
    """scikit-learn's UndefinedMetricWarning where it is installed, so that filters fit; otherwise our own.

    scikit-learn is loaded at the first such warning and not before.
    """
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return type("UndefinedMetricWarning", (ConfmatWarning,), {"__module__": "confmat.sklearn"})
    return UndefinedMetricWarning


def say_undefined(message: str) -> None:
    """Warn that a number is undefined for this data."""
    warn(message, undefined_metric_warning())


def say_user(message: str) -> None:
    """Warn of something else that scikit-learn warns of."""
    warn(message, UserWarning)


def say_lost(message: str) -> None:
    """Warn that rows or labels are lost, as they are in scikit-learn, which says nothing."""
    warn(message, CompatibilityWarning)


# ---- arrays of other libraries -----------------------------------------------------------------------------


def dispatches() -> bool:
    """Whether scikit-learn is loaded and told to answer in the arrays it was asked with."""
    config = sys.modules.get("sklearn._config")
    return config is not None and bool(config.get_config().get("array_api_dispatch"))


def to_numpy(values: Any) -> Any:
    """An array of another library as a NumPy array."""
    if dispatches() and not isinstance(values, np.ndarray):
        from sklearn.utils._array_api import move_to

        return move_to(values, xp=np, device="cpu")
    return np.asarray(values)


def back(answer: Any, *inputs: Any) -> Any:
    """Return the answer as an array like the inputs, where scikit-learn's settings ask for that; else as it is."""
    if all(isinstance(x, _PLAIN) for x in inputs) or not dispatches():
        return answer
    from sklearn.utils._array_api import get_namespace_and_device

    space, is_other, device = get_namespace_and_device(*inputs)
    return space.asarray(answer, device=device) if is_other else answer


_PLAIN = (np.ndarray, list, tuple, type(None))

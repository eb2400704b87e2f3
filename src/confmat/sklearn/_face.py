"""Functions of scikit-learn that are asked about distinct pairs: a sum over items is one over pairs."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from confmat.sklearn._pairs import pairs_of


def _whole_supports(report: Any) -> Any:
    """A report in which the last column of each row is an integer again."""
    if not isinstance(report, str):
        return report
    return re.sub(
        r"(?<=[\dn]) +(\d+)\.0$", lambda found: f" {found[1]:>9}", report, flags=re.MULTILINE
    )


# Numbers of items come back as floats, because they went in as weights.
_WHOLE: dict[str, Callable[[Any], Any]] = {
    "classification_report": _whole_supports,
    "multilabel_confusion_matrix": lambda tables: tables.astype(np.int64),
    "precision_recall_fscore_support": lambda found: (
        *found[:3],
        None if found[3] is None else found[3].astype(np.int64),
    ),
    "zero_one_loss": float,
}


def _widened(weights: Any) -> Any:
    """Weights whose sums do not wrap, as those of narrow integers do in scikit-learn."""
    dtype = getattr(weights, "dtype", None)
    is_narrow = isinstance(dtype, np.dtype) and dtype.kind in "iu" and dtype.itemsize < 8
    return weights.astype(np.int64) if is_narrow else weights


def face(function: Any) -> Callable[..., Any]:
    """A function of scikit-learn on labels, which is asked about distinct pairs where that spares time.

    Labels that cannot be counted go there as they came, and so do refused ones: the message says
    what was given.
    """
    form = signature(function)
    name = function.__name__

    def ask(*args: Any, **options: Any) -> Any:
        try:
            given = form.bind(*args, **options).arguments
        except TypeError:
            return function(*args, **options)
        true, predicted = (each for each in given if each.startswith("y"))
        weights = _widened(given.get("sample_weight"))
        if weights is not None:
            given["sample_weight"] = weights
        pairs = pairs_of(given[true], given[predicted], weights)
        if pairs.true is not given[true]:
            counted = {true: pairs.true, predicted: pairs.predicted, "sample_weight": pairs.sums}
            try:
                found = function(**given | counted)
                return _WHOLE[name](found) if weights is None and name in _WHOLE else found
            except (TypeError, ValueError):
                # The same call again, for its own message: it has warned already.
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return function(**given)
        return function(**given)

    ask.__name__ = ask.__qualname__ = name
    ask.__module__ = "confmat.sklearn"
    ask.__doc__ = (
        f"The answer of `sklearn.metrics.{name}` about the same labels, from one count of them.\n\n"
        "It has the same arguments, results, warnings and errors."
    )
    ask.__signature__ = form  # type: ignore[attr-defined]
    return ask

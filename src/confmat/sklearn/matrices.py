"""confusion_matrix, multilabel_confusion_matrix and class_likelihood_ratios, under scikit-learn's signatures."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from confmat.core.errors import CompatibilityWarning, InputError, warn
from confmat.core.text import repeated
from confmat.sklearn._counting import Counted, count_labels, count_targets, margins_of, shown
from confmat.sklearn._reading import (
    Array,
    InvalidParameterError,
    back,
    check_flag,
    check_one_of,
    check_values,
    refuse,
    say_undefined,
    to_numpy,
)

CONTROL = "Use the `replace_undefined_by` param to control this behavior."
CALLER = "class_likelihood_ratios"


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: Any = None
) -> Any:
    """Count pairs of labels into an array: rows are true, columns predicted.

    As there, samples with a label outside `labels` are lost, and a label that `labels` names twice; a
    CompatibilityWarning says so.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, normalize
        As in `sklearn.metrics.confusion_matrix`, which returns the same.

    Examples
    --------
    >>> confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"])
    array([[1, 0],
           [1, 1]])
    """
    check_values("confusion_matrix", y_true=y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    check_one_of("confusion_matrix", "normalize", normalize, ("true", "pred", "all"))
    counted = count_labels(y_true, y_pred, sample_weight, sorts=False)
    table = normalized(table_of(counted, labels), normalize)
    return back(table, y_true, y_pred, labels, sample_weight)


def table_of(counted: Counted, labels: Any) -> Array:
    """The matrix over all labels that occur, or over those asked for; says what is lost."""
    if labels is None:
        table, _ = counted.table()
        if counted.unused:
            warn(
                f"the categories {shown(list(counted.unused))} never occur and have no row here; "
                "`confmat.count(y_true, y_pred)` keeps every category",
                CompatibilityWarning,
            )
    else:
        table = _over(counted, to_numpy(labels).reshape(-1))
    if table.shape == (1, 1):
        warn(
            "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, "
            "use the 'labels' parameter to pass all known labels.",
            UserWarning,
        )
    return table


def _over(counted: Counted, labels: Array) -> Array:
    if not len(labels):
        msg = "'labels' should contain at least one label."
        raise InputError(msg)
    if not len(np.intersect1d(counted.true_labels(), labels)):
        msg = "At least one label specified must be in y_true"
        # Which of both errors scikit-learn gives depends on what text is stored in.
        raise InvalidParameterError(msg)
    if (
        counted.labels.dtype.kind == "U"
        and labels.dtype.kind in "iub"
        and np.array_equal(labels, np.arange(len(labels)))
    ):
        msg = "`labels` are numbers, but the labels that occur are text; write them as text"
        raise InvalidParameterError(msg)
    names = labels.tolist()
    # The last place of a label that is named twice counts.
    index = {name: i for i, name in enumerate(names)}
    places = np.array([index.get(name, -1) for name in counted.labels.tolist()])
    table, dropped = counted.table(places, len(names))
    if len(index) < len(names):
        warn(
            f"`labels` names {shown(repeated(names))} more than once: only its last row and column count, the "
            "others stay zero; name every label once",
            CompatibilityWarning,
        )
    if dropped:
        strange = [name for name, place in zip(counted.labels.tolist(), places.tolist(), strict=True) if place < 0]
        warn(
            f"{dropped:,} of {counted.n:,} samples are left out, because {shown(strange)} "
            f"{'are' if len(strange) > 1 else 'is'} not among `labels`; "
            "`confmat.count(y_true, y_pred, labels=labels, other='collect')` gives them a row and a column",
            CompatibilityWarning,
        )
    return table


def normalized(table: Array, how: str | None) -> Array:
    """Shares of rows, of columns or of everything; 0 where there is nothing to share."""
    if how is None:
        return table
    with np.errstate(all="ignore"):
        if how == "all":
            table = table / table.sum()
        else:
            table = table / table.sum(axis=1 if how == "true" else 0, keepdims=True)
    return np.nan_to_num(table)


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: Any = False
) -> Any:
    """Count true and false positives and negatives per label, or per sample, as an array of 2 x 2 tables.

    Parameters
    ----------
    y_true, y_pred, sample_weight, labels, samplewise
        As in `sklearn.metrics.multilabel_confusion_matrix`, which returns the same.

    Examples
    --------
    >>> multilabel_confusion_matrix(["cat", "ant", "cat"], ["ant", "ant", "cat"])
    array([[[1, 1],
            [0, 1]],
    <BLANKLINE>
           [[1, 0],
            [1, 1]]])
    """
    caller = "multilabel_confusion_matrix"
    check_values(caller, sparse=True, y_true=y_true, y_pred=y_pred, sample_weight=sample_weight, labels=labels)
    check_flag(caller, "samplewise", samplewise)
    counted = count_targets(y_true, y_pred, sample_weight)
    wanted = None if labels is None else to_numpy(labels)
    margins = margins_of(counted, wanted, samplewise=samplewise)
    false_positive, false_negative = margins.predicted - margins.right, margins.true - margins.right
    if samplewise:
        width = len(counted.labels) if wanted is None else len(wanted)
        total: Any = width if counted.weights is None else counted.weights * width
    else:
        total = counted.n if counted.weights is None else counted.weights.sum()
    true_negative = total - margins.right - false_positive - false_negative
    tables = np.array([true_negative, false_positive, false_negative, margins.right])
    return back(tables.T.reshape(-1, 2, 2), y_pred)


def class_likelihood_ratios(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, replace_undefined_by: Any = np.nan
) -> tuple[float, float]:
    """Divide the rates of positives: LR+ = TPR / FPR and LR- = FNR / TNR, of two classes.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, replace_undefined_by
        As in `sklearn.metrics.class_likelihood_ratios`, which returns the same.

    Examples
    --------
    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    check_values(CALLER, sparse=True, y_true=y_true, y_pred=y_pred, labels=labels, sample_weight=sample_weight)
    instead = _replacements(replace_undefined_by)
    counted = count_targets(y_true, y_pred, sample_weight)
    if counted.type != "binary" or not isinstance(counted, Counted):
        msg = (
            f"class_likelihood_ratios only supports binary classification problems, got targets of type: {counted.type}"
        )
        raise InputError(msg)
    table = table_of(counted, labels)
    if table.shape != (2, 2):
        msg = f"two labels are needed, not {len(table)}; pass both as `labels` (not enough values to unpack)"
        raise InputError(msg)
    tn, fp, fn, tp = table.ravel()
    if tp + fn == 0:
        say_undefined(
            "No samples of the positive class are present in `y_true`. `positive_likelihood_ratio` and "
            f"`negative_likelihood_ratio` are both set to `np.nan`. {CONTROL}"
        )
    if fp == 0:
        what = "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
        what = what if tp == 0 else "`positive_likelihood_ratio` is ill-defined and "
        say_undefined(f"{what}set to `np.nan`. {CONTROL}")
    positive = instead[0] if fp == 0 else (tp * (tn + fp)) / (fp * (tp + fn))
    if tn == 0:
        say_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {CONTROL}")
    negative = instead[1] if tn == 0 else (fn * (tn + fp)) / (tn * (tp + fn))
    return float(positive), float(negative)


def _replacements(value: Any) -> tuple[float, float]:
    """Return the values of LR+ and LR- where they are undefined."""
    if isinstance(value, dict):
        positive, negative = value.get("LR+"), value.get("LR-")
        if (
            {"LR+", "LR-"} <= value.keys()
            and isinstance(positive, Real)
            and isinstance(negative, Real)
            and not float(positive) < 1
            and not float(negative) < 0
            and not float(negative) > 1
        ):
            return float(positive), float(negative)
        msg = (
            "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': `value_1`, 'LR-': "
            "`value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or is `np.nan` and the value for "
            f"`LR-` ranges from `0.0` to `1.0` or is `np.nan`; got `{value}`."
        )
        raise InputError(msg)
    if isinstance(value, Real) and (value == 1 or value != value):
        return float(value), float(value)
    wanted = "a float among {1.0, nan} or an instance of 'dict'"
    raise refuse(CALLER, "replace_undefined_by", wanted, value)

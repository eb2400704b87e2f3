"""Cross-validation: a matrix of each fold, in one call."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import cross_validate

from confmat.core.errors import InputError
from confmat.core.stack import Stack
from confmat.counting import count

__all__ = ["cross_val_matrices"]


def cross_val_matrices(
    estimator: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    params: Any = None,
) -> Stack:
    """Return the matrix of each fold, whose spread `interval` and `compare` correct for the items that folds share.

    Parameters
    ----------
    estimator, X, y, cv, groups, params
        As in `sklearn.model_selection.cross_validate`; `cv` tests every item equally often, as
        KFold and RepeatedStratifiedKFold do.

    Returns
    -------
    Stack
        Along "fold": keys are 0, 1, ..., or (repeat, fold) where folds were repeated.

    Examples
    --------
    >>> import confmat as cm
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(
    ...     cm.interval(
    ...         cross_val_matrices(DecisionTreeClassifier(random_state=0), X, y), "accuracy"
    ...     )
    ... )
    0.960 [0.892, 1.000]
    """
    found, labels = [], count(y, y).labels

    def counted(model: Any, tested: Any, truth: Any) -> float:
        found.append(count(truth, model.predict(tested), labels=labels))
        return 0.0

    cross_validate(estimator, X, y, scoring=counted, cv=cv, groups=groups, params=params)
    repeats, rest = divmod(round(sum(float(m.total) for m in found)), len(y))
    if rest or len(found) % repeats:
        msg = "`cv` does not test every item equally often, as KFold(5) and RepeatedStratifiedKFold() do"
        raise InputError(msg)
    folds = len(found) // repeats
    return Stack(
        {k if repeats == 1 else divmod(k, folds): m for k, m in enumerate(found)}, axis="fold"
    )

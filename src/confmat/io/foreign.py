"""Matrices of other Python packages: PyCM's objects, scikit-learn's arrays and displays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confmat.core.building import as_names, check_numbers, even_array
from confmat.core.errors import InputError
from confmat.core.frames import rated
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.io.printed.programs import FROM_PYCM


def from_pycm(source: Any) -> ConfusionMatrix:
    """Read the matrix of a `pycm.ConfusionMatrix`.

    Rows are actual classes there too; labels keep their kind and their order, and weights are added
    up as PyCM did. PyCM adds a class "~other~" where it met only one; it comes along. A file that
    its `save_obj` wrote is read by PyCM: `pycm.ConfusionMatrix(file=open(path))`.

    Parameters
    ----------
    source
        A `pycm.ConfusionMatrix`.

    Examples
    --------
    >>> class FromPyCM:
    ...     classes = ["ham", "spam"]
    ...     table = {"ham": {"ham": 3, "spam": 1}, "spam": {"ham": 0, "spam": 2}}
    >>> from_pycm(FromPyCM()).counts
    array([[3, 1],
           [0, 2]])

    """
    table, classes = getattr(source, "table", None), getattr(source, "classes", None)
    if (
        not isinstance(table, Mapping)
        or not isinstance(classes, (list, tuple))
        or set(table) != set(classes)
    ):
        what = type(source).__name__
        hint = (
            "; its get_cm_by_class gives one of a class"
            if what == "MultiLabelCM"
            else f"; of a file, {FROM_PYCM}"
        )
        msg = f"`from_pycm` takes a pycm.ConfusionMatrix, not {what}{hint}"
        raise InputError(msg)
    return ConfusionMatrix.from_pairs(
        {(a, p): table[a].get(p, 0) for a in classes for p in classes}, classes
    )


def from_sklearn(array: Any, labels: Iterable[Any] | None = None, *, positive: Any = None) -> Any:
    """Turn an array of scikit-learn's `confusion_matrix` into a matrix, with the labels that the array has lost.

    Rows are actual classes there too. A `ConfusionMatrixDisplay` is taken with its labels. An array
    of `multilabel_confusion_matrix`, of shape (n, 2, 2), becomes a Stack with one matrix per label,
    in which False comes before True, as there. Arrays of torchmetrics have the same form:
    `from_sklearn(tensor.numpy())`.

    Parameters
    ----------
    array
        Counts or sums of weights. Rates, which `normalize=` gives, are refused: they say nothing of
        how many.
    labels
        The classes in the order of the rows: scikit-learn sorts them, or takes the order of its
        `labels=`. For (n, 2, 2), the names of the labels.
    positive
        The positive class, if the classes are two.

    Returns
    -------
    ConfusionMatrix or Stack

    Examples
    --------
    >>> from_sklearn([[3, 1], [0, 2]], ["ham", "spam"])
    ConfusionMatrix([[3, 1], [0, 2]], labels=['ham', 'spam'])
    >>> from_sklearn([[[3, 1], [0, 2]]], ["funny"])["funny"].tp
    2
    """
    if hasattr(array, "confusion_matrix"):
        shown = getattr(array, "display_labels", None)
        array, labels = (
            array.confusion_matrix,
            labels if labels is not None or shown is None else list(shown),
        )
    if hasattr(array, "columns"):
        return ConfusionMatrix.from_frame(array, positive=positive)
    table = check_numbers(even_array(array, "`array` must be a table of numbers"), "array")
    part = rated(table)
    if part is not None:
        msg = (
            f"{part[0]} of the array adds up to {part[1]}: these are rates, no counts; leave `normalize=` out, or "
            "ask ConfusionMatrix.from_rates(array, totals) for the counts behind rates of the actual classes"
        )
        raise InputError(msg)
    if table.ndim != 3:
        return ConfusionMatrix(table, labels, positive=positive)
    names = list(range(len(table)) if labels is None else as_names(labels))
    if table.shape[1:] != (2, 2) or len(names) != len(table):
        msg = (
            "an array of three dimensions must be what multilabel_confusion_matrix gave, (n, 2, 2) with n labels; "
            f"this one has the shape {table.shape}, and there are {len(names)} labels"
        )
        raise InputError(msg)
    return Stack(
        {n: ConfusionMatrix(each, [False, True]) for n, each in zip(names, table, strict=True)},
        axis="label",
    )

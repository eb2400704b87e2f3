"""Checks of shapes: one label per item, and errors for scores, one-hot rows and masks passed by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.errors import Argument, InputError, Message
from confmat.core.matrix import ConfusionMatrix
from confmat.core.stack import Stack
from confmat.counting.columns import refuse

# No more of them are looked for in rows that are written out, which may hold themselves.
MAX_DIMENSIONS = 8


def _check_labels(side: str, values: Any) -> None:
    if isinstance(values, (ConfusionMatrix, Stack)):
        msg = Message(
            "{} is a {}, counted already; `count` takes one label per item",
            Argument(side),
            type(values).__name__,
        )
        raise InputError(msg)
    if hasattr(values, "tocsr"):
        msg = Message(
            "{} is a sparse table, and `count` takes one label per item: with several labels an "
            "item, "
            "`confmat.count_multilabel` counts it; `.toarray()` makes it an array",
            Argument(side),
        )
        raise InputError(msg)


def check_shapes(actual: Any, predicted: Any) -> None:
    """Two one-dimensional sides, or two arrays of one shape that are not one-hot or scores."""
    for side, values in (("actual", actual), ("predicted", predicted)):
        _check_labels(side, values)
    shapes = [_shape(values) for values in (actual, predicted)]
    deep = [len(shape) > 1 for shape in shapes]
    if not any(deep):
        return
    for side, values in (("actual", actual), ("predicted", predicted)):
        if not isinstance(values, (np.ndarray, list, tuple)):
            refuse(values, side)
    for side, values, shape in zip(
        ("actual", "predicted"), (actual, predicted), shapes, strict=True
    ):
        if len(shape) == 2 and _is_fractional(values):
            raise InputError(_scores_instead(side, values, shape))
    if shapes[0] != shapes[1]:
        raise InputError(_mismatch(shapes, {"actual": actual, "predicted": predicted}))
    if shapes[0][1:] != (1,) and any(map(_is_text, (actual, predicted))):
        msg = (
            f"both sides are tables of text of the shape {shapes[0]}, and `count` takes one label "
            "per item. If the "
            "columns are levels of one class, take the last, and make a `Hierarchy.from_paths` of "
            "all; if they are "
            "questions of their own, count each column; `.ravel()` counts every cell as an item"
        )
        raise InputError(msg)
    if len(shapes[0]) == 2 and all(map(_is_one_hot, (actual, predicted))):
        msg = (
            f"both sides look one-hot: shape {shapes[0]}, a single 1 in each row. Turn the rows "
            "into labels first "
            "with `.argmax(axis=1)`; if they really are masks, flatten them with `.ravel()`"
        )
        raise InputError(msg)


def check_beside(actual: Any, **beside: Any) -> None:
    """Refuse values with one for each row of a table, because every cell of the table is counted."""
    shape = _shape(actual)
    for name, values in beside.items():
        if (
            len(shape) == 2
            and shape[0]
            and shape[1] != 1
            and values is not None
            and _shape(values) == shape[:1]
        ):
            msg = Message(
                "{} holds one for each of {:,} rows, and every cell of a table counts as an item: "
                "if each row is an "
                "item with several labels, `confmat.count_multilabel` counts it; if the rows are "
                "those of a label "
                "map, repeat each of {} for its {:,} cells",
                Argument(name),
                shape[0],
                Argument(name),
                shape[1],
            )
            raise InputError(msg)


def _shape(values: Any, deepest: int = MAX_DIMENSIONS) -> tuple[int, ...]:
    if isinstance(values, (list, tuple)):
        # Rows written out: only the first is looked at; reading checks the rest.
        first = values[0] if values else None
        if deepest > 1 and (
            isinstance(first, list) or (hasattr(first, "shape") and getattr(first, "ndim", None))
        ):
            return (len(values), *_shape(first, deepest - 1))
        return (len(values),)
    shape = getattr(values, "shape", None)
    return tuple(shape) if isinstance(shape, tuple) else (-1,)


def _mismatch(shapes: list[tuple[int, ...]], tables: dict[str, Any]) -> str:
    message = Message(
        "{actual} has shape {} and {predicted} {}; both must hold one label per item",
        _shape_text(shapes[0]),
        _shape_text(shapes[1]),
    )
    for side, shape, other in (
        ("actual", shapes[0], shapes[1]),
        ("predicted", shapes[1], shapes[0]),
    ):
        if len(shape) == 2 and len(other) == 1:
            if shape[1] == 1:
                return f"{message}. Flatten the column with `{side}.ravel()`"
            if np.any(_ones_of_rows(tables[side]) != 1):
                return Message(
                    "{}. If the rows of {} are items with several labels, both sides are for "
                    "`confmat.count_multilabel`; the cells of a map are `{}.ravel()`",
                    message,
                    Argument(side),
                    side,
                )
            advice = Message(
                "{}. If the columns of {} are classes, take the largest: `{}.argmax(axis=1)`",
                message,
                Argument(side),
                side,
            )
            return (
                advice
                if side == "actual"
                else f"{advice}; of scores, `confmat.from_scores(actual, scores)` does it"
            )
    return f"{message}, so the shapes must be equal"


def _scores_instead(side: str, values: Any, shape: tuple[int, ...]) -> str:
    remedy = "Take the class of the largest score first: `actual.argmax(axis=1)`"
    if side == "predicted":
        remedy = "Make a matrix of them with `confmat.from_scores(actual, scores)`, which takes the largest of each row"
    sample = _sample(values)
    return Message(
        "{} is a table of numbers such as {!r} with shape {}: scores per class, not labels. {}",
        Argument(side),
        float(sample[sample != np.rint(sample)][0]),
        shape,
        remedy,
    )


def _shape_text(shape: tuple[int, ...]) -> str:
    return "(unknown)" if shape == (-1,) else str(shape)


def _sample(values: Any) -> NDArray[Any]:
    """The first rows as an array, without reading a large table whole."""
    try:
        array = np.asarray(values[:1000] if hasattr(values, "__getitem__") else values)
    except (TypeError, ValueError, RuntimeError):
        return np.zeros((0, 0))
    return array


def _is_text(values: Any) -> bool:
    """Whether a table holds text, or objects that are not all numbers."""
    array = _sample(values)
    return array.dtype.kind in "UST" or (
        array.dtype.kind == "O"
        and any(isinstance(value, (str, bytes)) for value in array.ravel().tolist())
    )


def _is_fractional(values: Any) -> bool:
    sample = _sample(values)
    return bool(sample.dtype.kind == "f" and np.any(sample != np.rint(sample)))


def _is_one_hot(values: Any) -> bool:
    ones = _ones_of_rows(values)
    return len(ones) > 1 and bool(np.all(ones == 1))


def _ones_of_rows(values: Any) -> NDArray[Any]:
    """How many ones the first rows of a table of zeros and ones have; nothing of another table."""
    sample = _sample(values)
    if sample.dtype.kind not in "iubf" or sample.ndim != 2 or sample.shape[1] < 2:
        return np.zeros(0)
    if not np.all((sample == 0) | (sample == 1)):
        return np.zeros(0)
    return np.asarray(sample.sum(axis=1))

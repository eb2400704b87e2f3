"""The search for the two columns of labels by their names, and errors that list the columns that exist."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from confmat.core.errors import Argument, InputError, Message
from confmat.core.naming import same_name
from confmat.core.options import told
from confmat.core.text import meant, some

# The names that go together in other tools, the commonest first.
PAIRS = (
    ("y_true", "y_pred"),
    ("actual", "predicted"),
    ("label", "prediction"),
    ("y", "yhat"),
    ("truth", "prediction"),
    ("truth", "estimate"),
    ("target", "pred"),
    ("gold", "pred"),
    ("reference", "prediction"),
    ("observed", "forecast"),
)
ACTUAL = {
    *(first for first, _ in PAIRS),
    *("true", "labels", "targets", "references", "ground_truth", "gt", "expected"),
    *("true_label", "actual_label", "gold_label", "true_class", "actual_class", "class"),
}
PREDICTED = {
    *(second for _, second in PAIRS),
    *("predictions", "preds", "y_hat", "guess", "inferred"),
    *("predicted_label", "pred_label", "predicted_class", "pred_class", "prediction_label"),
}


def find_columns(names: Sequence[Any], actual: Any, predicted: Any) -> tuple[Any, Any]:
    """The columns of actual and predicted labels: as named, or else those whose names say what they are.

    >>> find_columns(["id", "Y_True", "score", "y_pred"], None, None)
    ('Y_True', 'y_pred')
    """
    if actual is None and predicted is None:
        couples = [
            (left[0], right[0])
            for first, second in PAIRS
            if len(left := _called(names, {first})) == 1 and len(right := _called(names, {second})) == 1
        ]
        # With both label/prediction and y_true/y_pred there, a guess would be right half of the time.
        if len(couples) == 1:
            return couples[0]
    found = []
    for side, given, known in (("actual", actual, ACTUAL), ("predicted", predicted, PREDICTED)):
        # A column that was named for one side is no candidate for the other.
        taken = predicted if side == "actual" else actual
        free = names if taken is None else [name for name in names if not same_name(name, taken)]
        found.append(_guessed(free, side, known) if given is None else find_column(names, given, side))
    return found[0], found[1]


def rivals_of(names: Sequence[Any], actual: Any, predicted: Any) -> list[Any]:
    """Other columns that are called like actual or predicted labels, where a known couple was taken.

    >>> rivals_of(["label", "y_true", "y_pred"], "y_true", "y_pred")
    ['label']
    """
    taken = (actual, predicted)
    return [name for name in _called(names, ACTUAL | PREDICTED) if not any(same_name(name, one) for one in taken)]


def find_column(names: Sequence[Any], given: Any, side: str) -> Any:
    """The column of that very name, once; an error lists what there is."""
    many = sum(1 for name in names if same_name(name, given))
    if many == 1:
        return given
    if many:
        msg = Message(
            "{} columns are called {}, so {} could be any of them; rename them first", many, told(given), Argument(side)
        )
        raise InputError(msg)
    hint = meant(given, names) if isinstance(given, str) else ""
    if hasattr(given, "dtype") or isinstance(given, list):
        hint = "; give its name, and not what is in it: confmat.count(actual, predicted) counts two lists or columns"
    msg = Message(
        "there is no column {} for {}; the columns are {}{}", told(given), Argument(side), some(names, 12), hint
    )
    raise InputError(msg)


def _guessed(names: Sequence[Any], side: str, known: set[str]) -> Any:
    found = _called(names, known)
    if len(found) == 1:
        return find_column(names, found[0], side)
    if found:
        msg = Message(
            "{} could be any of the columns {}; say which: {}", Argument(side), some(found), Argument(side, found[0])
        )
    else:
        msg = Message(
            "no column is called as one would call {} ({}); the columns are {}. Say which: {}",
            Argument(side),
            some(sorted(known, key=len), 6),
            some(names, 12),
            Argument(side, ...),
        )
    raise InputError(msg)


def _called(names: Sequence[Any], known: set[str]) -> list[Any]:
    wanted = set(map(_bare, known))
    return [name for name in names if isinstance(name, str) and _bare(name) in wanted]


def _bare(name: str) -> str:
    """A name without what people spell differently: case, blanks, underscores, dots."""
    return "".join(letter for letter in name.lower() if letter.isalnum())

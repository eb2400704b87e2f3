"""Values that are one per class, stratum or column: by their names where these are there, otherwise by their places.

Every door that takes such values (scores of classes, weights of a mean, totals, shares, sizes,
names of columns) reads them here, so that none forgets a name, and a new order of what has names
never changes an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import plain
from confmat.core.options import Refusal, told
from confmat.core.text import printable, repeated, some


def label_spelt(labels: Labels, text: Any) -> Any:
    """Return the class that is written so: the label itself, or the one that prints like the text.

    >>> label_spelt(Labels([0, 1, 2]), "2"), label_spelt(Labels(["2"]), "2")
    (2, '2')
    """
    if text in labels or not isinstance(text, str):
        return text
    if labels.kind == "int" and re.fullmatch(r"[-+]?\d+", text.strip()):
        return int(text)
    return next((label for label in labels if printable(label) == text), text)


def place_spelt(labels: Labels, text: Any) -> int:
    """Return the place of the class that is written so, or of that number where no class is a number.

    >>> (
    ...     place_spelt(Labels(["cat", "hen"]), "hen"),
    ...     place_spelt(Labels(["cat", "hen"]), 1),
    ...     place_spelt(Labels([1, 2]), 1),
    ... )
    (1, 1, 0)
    """
    if type(text) is int and labels.kind not in {"int", "bool"} and 0 <= text < labels.n_classes:
        return text
    return labels.index(label_spelt(labels, text))


def named(values: Any, wanted: Iterable[Any] = ()) -> dict[Any, Any] | None:
    """The value of each name; None of values that have places alone.

    Names are the keys of a mapping, the index of a series, the columns of a frame of one row, and
    the first column of a frame of two, such as `value_counts` gives. The index that pandas gives by
    itself counts rows, unless these numbers are the names that are wanted.

    >>> named({"b": 3, "a": 1}), named([3, 1])
    ({'b': 3, 'a': 1}, None)
    """
    if isinstance(values, Mapping):
        return dict(values)
    found = _names_and_values(values)
    if found is None or (found[0] == [*range(len(found[0]))] and set(found[0]) != set(wanted)):
        return None
    if len(set(found[0])) < len(found[0]):
        msg = f"a name is there twice: {some(repeated(found[0]))}"
        raise LabelError(msg)
    return dict(zip(*found, strict=True))


def models_by_text(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what is given of each model by the text of its name, which no other may have.

    >>> models_by_text({1: "a", "2": "b"})
    {'1': 'a', '2': 'b'}
    """
    found = {str(name): value for name, value in given.items()}
    if len(found) < len(given):
        msg = f"names of models are told apart as texts, and {some(repeated(map(str, given)))} is there twice"
        raise InputError(msg)
    return found


def _names_and_values(values: Any) -> tuple[list[Any], list[Any]] | None:
    heads = getattr(values, "column_names", getattr(values, "columns", None))
    if heads is None or callable(heads):
        index = getattr(values, "index", None)
        return None if index is None or callable(index) else (list(index), list(values))
    if hasattr(values, "iloc") and len(heads) == 1:
        return list(values.index), list(values.iloc[:, 0])
    columns = [
        values[head].to_pylist() if hasattr(values, "to_pylist") else list(values[head])
        for head in heads
    ]
    if len(columns) == 2 and not (len(columns[0]) == 1 and isinstance(columns[0][0], (int, float))):
        return columns[0], columns[1]
    return (
        (list(heads), [column[0] for column in columns])
        if columns and len(columns[0]) == 1
        else None
    )


def matched(
    names: Iterable[Any], wanted: Iterable[Any], what: Any
) -> tuple[dict[int, int], list[Any]]:
    """The place among the names of each that is wanted, by its own place, and the names that nobody wants.

    A text means the label that is printed so, as names in files do.

    >>> matched(["2", "0", "x"], [0, 1, 2], "weights")
    ({2: 0, 0: 1}, ['x'])
    """
    wanted = list(wanted)
    places = {name: place for place, name in enumerate(wanted)}
    spelt: dict[str, int] = {}
    found: dict[int, int] = {}
    strange = []
    for place, name in enumerate(map(plain, names)):
        at = places.get(name)
        if at is None and isinstance(name, str):
            spelt = spelt or {printable(name): at for at, name in enumerate(wanted)}
            at = spelt.get(name.strip())
        if at is None:
            strange.append(name)
        elif found.setdefault(at, place) != place:
            msg = Message("{} names {} twice", what, some([wanted[at]]))
            raise LabelError(msg)
    return found, strange


def by_label(values: Any, labels: Labels, name: str) -> dict[Any, Any] | None:
    """The value of each class that is named, in the order of the names; None of values that have places alone.

    >>> by_label({"2": 0.5, "0": 0.25}, Labels([0, 1, 2]), "at_prevalence")
    {2: 0.5, 0: 0.25}
    """
    found = named(values, labels.classes)
    if found is None:
        return None
    places, strange = matched(found, labels.classes, Argument(name))
    for unknown in strange:
        labels.index(unknown)
    given = list(found.values())
    return {labels[at]: given[place] for at, place in places.items()}


def order_of(names: Sequence[Any], wanted: Sequence[Any], name: str) -> list[int]:
    """The place among the names of each that is wanted; names that are another set are refused.

    >>> order_of(["b", "a"], ["a", "b"], "totals")
    [1, 0]
    """
    found, strange = matched(names, wanted, Argument(name))
    lost = [name for place, name in enumerate(wanted) if place not in found]
    if lost or strange:
        wrong = [f"there is none for {some(lost)}"] * bool(lost) + [
            f"{some(strange)} is none of them"
        ] * bool(strange)
        msg = Message(
            "{} goes by its names, one for each of {}; {}",
            Argument(name),
            some(list(wanted), 8),
            ", and ".join(wrong),
        )
        raise LabelError(msg)
    return [found[place] for place in range(len(wanted))]


def one_for_each(
    values: Any, wanted: Sequence[Any], name: str, error: Refusal = InputError
) -> list[Any]:
    """One value for each that is wanted, in their order: by names where the values have any, or as they are.

    >>> (
    ...     one_for_each({"b": 3, "a": 1}, ["a", "b"], "weights"),
    ...     one_for_each([3, 1], ["a", "b"], "weights"),
    ... )
    ([1, 3], [3, 1])
    """
    by_name = named(values, wanted)
    if by_name is not None:
        given = list(by_name.values())
        return [given[place] for place in order_of(list(by_name), wanted, name)]
    try:
        listed = None if isinstance(values, (str, bytes)) else list(values)
    except TypeError:
        listed = None
    if listed is None or len(listed) != len(wanted):
        msg = Message(
            "{} must be {:,} numbers, one per class in order, or each by its name, not {}",
            Argument(name),
            len(wanted),
            told(values),
        )
        raise error(msg)
    return listed

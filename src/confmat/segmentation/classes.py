"""The classes of label maps: the meaning of their numbers, the ignored ones among them, and the code of each class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import named
from confmat.core.building import as_names
from confmat.core.counts import Counts, exact_total
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import plain
from confmat.core.options import is_integer
from confmat.core.text import some

Array = NDArray[Any]

# The answer of a prediction that has an ignored value where the truth has a class.
VOID = "(void)"
# Codes of numbers that are no class.
IGNORED, STRANGER = -1, -2


@dataclass(frozen=True, slots=True)
class Classes:
    """The class of each number, and the numbers that are ignored; `labels` is None until all have been seen."""

    labels: Labels | None
    code_of: Mapping[int, int]
    ignored: frozenset[int]

    def codes(self, numbers: Iterable[int]) -> Array:
        """The class of each number; -1 if it is ignored, -2 if it is a stranger."""
        codes = [
            IGNORED if number in self.ignored else self.code_of.get(number, STRANGER)
            for number in numbers
        ]
        return np.array(codes, dtype=np.int64)

    def in_words(self) -> str:
        """The allowed numbers in words."""
        numbers = sorted(self.code_of)
        low, high = numbers[0], numbers[-1]
        return f"{low} to {high}" if high - low + 1 == len(numbers) > 2 else some(numbers, 8)


def read_classes(labels: Any, ignore: Any) -> Classes:
    """Check the options `labels` and `ignore`."""
    ignored = _read_ignored(ignore)
    if labels is None:
        return Classes(None, {}, ignored)
    numbers, names = _read_labels(labels)
    clash = sorted(ignored & numbers.keys())
    if clash:
        msg = Message(
            "{} cannot be a class and be ignored; leave it out of `ignore` or of {labels}",
            some(clash),
        )
        raise LabelError(msg)
    return Classes(names, numbers, ignored)


def _read_labels(labels: Any) -> tuple[dict[int, int], Labels]:
    """The code of each number, and the names of the codes."""
    by_number = named(labels)
    if by_number is not None:
        names = Labels(dict.fromkeys(map(plain, by_number.values())))
        return {
            read_number(key, "labels"): names.index(name) for key, name in by_number.items()
        }, names
    names = labels if isinstance(labels, Labels) else Labels(as_names(labels))
    if names.outside:
        msg = Message(
            "the pixels of a label map have classes only; leave {} out of {labels}",
            some(names.outside),
        )
        raise LabelError(msg)
    if names.kind in {"int", "bool"}:
        return {int(name): code for code, name in enumerate(names.classes)}, names
    return {code: code for code in range(len(names))}, names


def _read_ignored(ignore: Any) -> frozenset[int]:
    if ignore is None:
        return frozenset()
    if getattr(ignore, "ndim", None) == 0:
        # An array or a tensor of a single number.
        ignore = ignore.item()
    several = isinstance(ignore, Iterable) and not isinstance(ignore, (str, bytes))
    return frozenset(read_number(value, "ignore") for value in (ignore if several else [ignore]))


def read_number(value: Any, name: str) -> int:
    """A number that label maps may hold."""
    if not is_integer(value):
        msg = Message(
            "{} names numbers of label maps, such as 255, not {!r:.60}", Argument(name), value
        )
        raise InputError(msg)
    return int(value)


def discovered(
    raws: Sequence[ConfusionMatrix], ignored: frozenset[int], *, is_bool: bool
) -> Classes:
    """The classes that occur: every number that is not ignored, of pixels that are not."""
    sides: tuple[set[int], set[int]] = set(), set()
    for raw in raws:
        names = raw.labels.classes
        rows, cols, _ = raw._counts.cells()
        kept = ~np.isin(rows, [place for place, name in enumerate(names) if name in ignored])
        for side, places in zip(sides, (rows[kept], cols[kept]), strict=True):
            side.update(names[place] for place in np.unique(places).tolist())
    if is_bool and any(raw.dropped + raw.total for raw in raws):
        return Classes(Labels([False, True]), {0: 0, 1: 1}, ignored)
    sides[1].difference_update(ignored)
    _check_masks(*sides)
    numbers = sorted(sides[0] | sides[1])
    if not numbers:
        msg = Message("there are no pixels to count; with {labels=} that gives a matrix of zeros")
        raise InputError(msg)
    return Classes(Labels(numbers), dict(zip(numbers, range(len(numbers)), strict=True)), ignored)


def _check_masks(actual: set[int], predicted: set[int]) -> None:
    """Refuse masks of 0 and 255 beside masks of 0 and 1, which would be three classes."""
    for name, side, other in (("actual", actual, predicted), ("predicted", predicted, actual)):
        if {255} <= side <= {0, 255} and {1} <= other <= {0, 1}:
            msg = Message(
                "{} holds {} and the other side {}: if both are masks, say so with "
                'labels={{0: "no", 1: "yes", 255: "yes"}}',
                Argument(name),
                some(sorted(side)),
                some(sorted(other)),
            )
            msg += (
                "; if 255 is what is not to be judged, with ignore=255" if name == "actual" else ""
            )
            raise LabelError(msg)


def placed(
    raw: ConfusionMatrix, classes: Classes, *, sparse: bool | None = None
) -> ConfusionMatrix:
    """The matrix of the classes from that of the numbers; what is ignored leaves it here, on the small table."""
    labels = classes.labels
    assert labels is not None
    rows, cols, counts = raw._counts.cells()
    codes = classes.codes(raw.labels.classes)
    rows, cols = codes[rows], codes[cols]
    kept = rows != IGNORED
    dropped = raw.dropped + int(exact_total(counts[~kept]))
    rows, cols, counts = rows[kept], cols[kept], counts[kept]
    void = cols == IGNORED
    if void.any():
        cols[void] = len(labels)
        labels = labels.replace(outside=(VOID,))
    return ConfusionMatrix._of(
        labels, Counts.of_cells(len(labels), rows, cols, counts, sparse=sparse), None, dropped
    )

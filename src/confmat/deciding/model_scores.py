"""Items with a model's scores: actual labels, scores and weights, read, checked and aligned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.align import order_of
from confmat.core.building import as_names
from confmat.core.errors import Argument, InputError, LabelError, Message
from confmat.core.labels import Labels
from confmat.core.naming import in_order, not_integral
from confmat.core.options import one_of
from confmat.core.text import printable, some
from confmat.counting.columns import whole_column, widened
from confmat.counting.door import check_indexes, policy_of
from confmat.counting.groups import grouped_codes
from confmat.counting.weights import read_weights

Array = NDArray[Any]
Kind = Literal["probabilities", "logits", "scores"]
Missing = Literal["error", "drop"]

# Rows of a probability table may be off by this much: the sum of a thousand float16 is.
TOLERANCE = {2: 2e-2, 4: 1e-3, 8: 1e-6}
# The most by which rounding to two digits moves a sum, for each number in it.
_ROUNDED = 0.0051
# Numbers that are looked at together, so that what is worked out on the way stays within a few
# megabytes.
_AT_ONCE = 2**19
# Beyond, neighbouring integers are one float.
_EXACT = 2**53


class ScoreTable(NamedTuple):
    """Scores as an array (n,) or (n, K) of floats, and the names of the columns if they have any."""

    values: Array
    names: list[Any] | None


def read_scores(scores: Any, name: str = "scores") -> ScoreTable:
    """Scores from an array, nested lists, a data frame, a series or a tensor on the CPU; one column is flattened."""
    holds_items = any(
        hasattr(scores, attribute) for attribute in ("__array__", "__iter__", "__dlpack__")
    )
    if isinstance(scores, (str, bytes, dict, set, frozenset)) or not holds_items:
        msg = Message(
            "{} must be numbers, one per item or one row per item, not {} {!r:.60}",
            Argument(name),
            type(scores).__name__,
            scores,
        )
        raise InputError(msg)
    names = _column_names(scores)
    values = _as_floats(_rows_joined(_as_array(scores, name), name), name)
    if values.ndim not in {1, 2} or 0 in values.shape[1:]:
        msg = Message("{} must be of shape (n,) or (n, K), not {}", Argument(name), values.shape)
        raise InputError(msg)
    if values.shape[1:] == (1,):
        values = values[:, 0]
    elif values.ndim == 2 and names is not None and len(names) < values.shape[1]:
        # A series of rows.
        names = None
    return ScoreTable(values, names)


def _column_names(scores: Any) -> list[Any] | None:
    """The names of a frame's columns, or of a series."""
    names = getattr(scores, "column_names", getattr(scores, "columns", None))
    if names is None or callable(names) or not hasattr(names, "__iter__"):
        # A series has one name.
        name = getattr(scores, "name", None)
        return [name] if name and isinstance(name, str) else None
    return list(names)


def _as_array(scores: Any, name: str) -> Array:
    if hasattr(scores, "tocoo") or hasattr(scores, "toarray"):
        msg = Message(
            "{} is a sparse table, and what is not stored is no score of 0; give `{}.toarray()` if "
            "it is",
            Argument(name),
            name,
        )
        raise InputError(msg)
    if isinstance(scores, np.ma.MaskedArray):
        # Masked scores are missing.
        return np.where(np.ma.getmaskarray(scores), np.nan, np.asarray(scores.data, np.float64))
    scores = widened(scores.detach() if hasattr(scores, "detach") else scores)
    try:
        if type(scores).__module__.partition(".")[0] == "pandas":
            return np.asarray(
                scores.to_numpy(dtype=np.float64, na_value=np.nan) if _extended(scores) else scores
            )
        if hasattr(scores, "column_names") and hasattr(scores, "column"):
            columns = [
                np.asarray(scores.column(place)) for place in range(len(scores.column_names))
            ]
            return np.stack(columns, axis=1)
        if hasattr(scores, "__array__") or isinstance(scores, (list, tuple, memoryview)):
            return np.asarray(scores)
        return np.from_dlpack(scores) if hasattr(scores, "__dlpack__") else np.asarray(list(scores))
    except (TypeError, ValueError, RuntimeError, BufferError) as error:
        if isinstance(scores, (list, tuple)):
            # Rows of different lengths, most often, which are reported one by one.
            return np.array([*scores, None], dtype=object)[:-1]
        msg = Message(
            "cannot read {} ({}) as a table of numbers: {!s:.200}",
            Argument(name),
            type(scores).__name__,
            error,
        )
        raise InputError(msg) from error


def _rows_joined(array: Array, name: str) -> Array:
    """Rows that came as objects, such as a column of lists, as one table; a missing row has missing scores."""
    if array.dtype != object or array.ndim != 1:
        return array
    width = next(
        (len(row) for row in array if hasattr(row, "__len__") and not isinstance(row, str)), None
    )
    if width is None:
        return array
    missing = np.full(width, np.nan)
    try:
        return np.stack([missing if row is None else np.asarray(row) for row in array])
    except ValueError as error:
        msg = Message(
            "{} must have as many numbers in each row as in the first, {:,}", Argument(name), width
        )
        raise InputError(msg) from error


def _extended(frame: Any) -> bool:
    """Whether a frame or series of pandas has columns that are not NumPy's own."""
    types = frame.dtypes if hasattr(frame, "columns") else [frame.dtype]
    return any(not isinstance(dtype, np.dtype) for dtype in types)


def _as_floats(array: Array, name: str) -> Array:
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize in TOLERANCE:
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if kind in "iu" and array.size and max(int(array.max()), -int(array.min())) > _EXACT:
        msg = Message(
            "{} holds integers beyond 2**53, which no float tells apart; scale them down",
            Argument(name),
        )
        raise InputError(msg)
    if kind not in "biufO":
        msg = Message("{} must be numbers, not {}", Argument(name), array.dtype)
        raise InputError(msg)
    try:
        # None becomes NaN.
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        msg = Message("{} must be numbers: {!s:.200}", Argument(name), error)
        raise InputError(msg) from error


def rows_at_once(values: Array) -> int:
    """How many rows are worked on together."""
    return max(1, _AT_ONCE // (1 if values.ndim == 1 else values.shape[1]))


def present(values: Array, missing: Missing, name: str = "scores") -> Array | None:
    """Which rows have no NaN; None if all. An error that says which row has one, unless such rows are dropped."""
    step, holes = rows_at_once(values), None
    for begin in range(0, len(values), step):
        part = np.isnan(values[begin : begin + step])
        if part.any():
            holes = np.zeros(len(values), bool) if holes is None else holes
            holes[begin : begin + step] = part if part.ndim == 1 else part.any(axis=1)
    if holes is None:
        return None
    if missing == "error":
        msg = Message(
            "{} has NaN in {:,} of {:,} rows, the first in row {:,}; say {missing:'drop'} to leave "
            "such items out",
            Argument(name),
            int(holes.sum()),
            len(holes),
            int(np.argmax(holes)),
        )
        raise InputError(msg)
    return ~holes


def check_kind(values: Array, kind: Kind | None, names: list[Any] | None = None) -> None:
    """Raise unless values are probabilities, of which None takes nothing else; NaN is checked elsewhere."""
    if kind not in (None, "probabilities"):
        return
    step, tolerance = rows_at_once(values), TOLERANCE[values.dtype.itemsize]
    for begin in range(0, len(values), step):
        part = values[begin : begin + step]
        wrong = (part < 0) | (part > 1)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            column = (
                "" if names is None or len(place) < 2 else f", column {printable(names[place[1]])}"
            )
            _refuse(
                f"{float(part[place])!r} in row {begin + place[0]:,}{column}, beyond 0 to 1", kind
            )
        if part.ndim == 2:
            sums = part.sum(axis=1, dtype=np.float64)
            off = np.abs(sums - 1) > tolerance
            if off.any() and _had_16_bits(part):
                off = np.abs(sums - 1) > TOLERANCE[2]
            if off.any():
                row = int(np.argmax(off))
                what = (
                    f"row {begin + row:,} adds up to {sums[row]:.6g}: {some(part[row].tolist(), 4)}"
                )
                if abs(sums[row] - 1) <= _ROUNDED * part.shape[1]:
                    told_to = (
                        ", or say {kind:'scores'}, which compares them as they are" if kind else ""
                    )
                    msg = "{scores} are no probabilities: {}. If they were rounded, divide each row by its sum"
                    raise InputError(Message(msg + told_to, what))
                _refuse(what, kind)


def _had_16_bits(values: Array) -> bool:
    """Whether wider floats hold what came through float16 or bfloat16, and so are no finer than those."""
    single = values.astype(np.float32)
    return (
        np.array_equal(single, values, equal_nan=True)
        and not (single.view(np.uint32) & 0x1FFF).any()
    )


def _refuse(what: str, kind: Kind | None) -> None:
    told_to = (
        "Say {kind:'logits'} if they are the model's raw outputs (two classes part at 0), or "
        "{kind:'scores'} for any "
        "other scale"
        if kind
        else "Raw outputs of a model become such by 1 / (1 + exp(-x)) or by a softmax over the classes"
    )
    raise InputError(Message("{scores} are no probabilities: {}. " + told_to, what))


@dataclass(slots=True)
class Truth:
    """Actual labels as codes of the distinct ones; -1 is missing. `ordered` names are categories, used or not."""

    codes: Array
    names: list[Any]
    ordered: bool
    holes: Array | None

    def coded(self, labels: Labels) -> Array:
        """The codes of the classes of `labels`, of items that are not missing; an error for a stranger."""
        names = [
            int(name) if labels.kind == "int" and type(name) is bool else name
            for name in self.names
        ]
        places = np.array(
            [labels.index(name) if name in labels else -1 for name in names], np.int64
        )
        wrong = np.flatnonzero(places < 0)
        if len(wrong) and (odd := np.isin(self.codes, wrong)).any():
            msg = Message(
                "{} in {actual} {} not among the classes {}; the first is at position {:,}",
                some([names[place] for place in wrong.tolist()]),
                "are" if len(wrong) > 1 else "is",
                some(labels.classes, 8),
                int(np.argmax(odd)),
            )
            raise LabelError(msg)
        identity = np.array_equal(places, np.arange(len(places)))
        return self.codes if identity else places[self.codes]


def read_truth(actual: Any) -> Truth:
    """Actual labels from any container."""
    shape = tuple(getattr(actual, "shape", ()))
    first = next(iter(actual), None) if isinstance(actual, (list, tuple)) else None
    if isinstance(first, (list, np.ndarray)):
        shape = (len(actual), *np.shape(first))
    if max(shape[1:], default=0) > 1:
        msg = Message(
            "{actual} must hold one label per item, not be of shape {}; of one-hot rows, give the "
            "column of the 1",
            shape,
        )
        raise InputError(msg)
    column = whole_column(actual, "actual").named()
    codes, names = column.codes, list(column.names or ())
    broken = next((name for name in names if type(name) is float and not name.is_integer()), None)
    if broken is not None:
        raise LabelError(not_integral(broken, Message("a label in {actual}")))
    holes = codes < 0
    return Truth(codes, names, column.ordered, holes if holes.any() else None)


# ---- classes -------------------------------------------------------------------------------------


def read_labels(labels: Any, positive: Any) -> Labels | None:
    """The labels that the caller gives."""
    if labels is None:
        return None
    known = labels if isinstance(labels, Labels) else Labels(as_names(labels))
    if known.outside:
        msg = f"scores have no column for labels outside the classes: {some(known.outside)}; give the classes alone"
        raise LabelError(msg)
    return known if positive is None else known.replace(positive=positive)


def labels_of_columns(truth: Truth, columns: int, names: list[Any] | None) -> Labels:
    """The classes of the columns of scores, where nobody names them: never a guess."""
    if names is not None:
        if all(type(name) is int for name in truth.names) and all(
            str(name).isdecimal() for name in names
        ):
            # Some frames have texts for names, whatever the classes are.
            names = [int(name) for name in names]
        if all(name in names for name in truth.names) and len(set(names)) == len(names):
            return Labels(names)
        why = Message(
            "the columns of {scores} are called {}, and {actual} holds {}",
            some(names),
            some(truth.names),
        )
    elif len(truth.names) == columns:
        return Labels(truth.names if truth.ordered else _in_one_order(truth.names))
    elif 0 in truth.names and all(
        type(name) is int and 0 <= name < columns for name in truth.names
    ):
        # Numbers of columns, some of which do not occur.
        return Labels(range(columns))
    else:
        held = f"{len(truth.names):,} labels: {some(truth.names)}" if truth.names else "no labels"
        why = Message("{scores} has {:,} columns, and {actual} holds {}", columns, held)
    msg = Message("{}; say which class each column means, in order: {labels:[...]}", why)
    raise LabelError(msg)


def _in_one_order(names: list[Any]) -> list[Any]:
    """The names sorted, where there is one way to: models sort texts of digits as texts, people as numbers."""
    ordered = in_order(names, appearance=False)
    if all(type(name) is str for name in names) and ordered != (texts := sorted(names)):
        first = next(
            place for place, (a, b) in enumerate(zip(ordered, texts, strict=True)) if a != b
        )
        shown = slice(max(0, first - 1), first + 3)
        msg = Message(
            "the labels in {actual} are texts of numbers, and column {:,} of {scores} is that of "
            "{} if they are "
            "sorted by value ({}) and that of {} if they are sorted as text, as models do ({}); "
            "say which class "
            "each column means, in order: labels=model.classes_ or {labels:[...]}",
            first,
            some([ordered[first]]),
            some(ordered[shown]),
            some([texts[first]]),
            some(texts[shown]),
        )
        raise LabelError(msg)
    return ordered


def labels_of_two(truth: Truth, positive: Any = None) -> Labels:
    """The two classes of one column of scores, where nobody says."""
    names = truth.names if truth.ordered else in_order(truth.names, appearance=False)
    if names in ([False], [True]) and type(names[0]) is bool:
        # The other one may not occur.
        names = [False, True]
    if all(type(name) is int for name in names):
        names = next(
            (both for both in ([0, 1], [-1, 1]) if names and set(names) <= set(both)), names
        )
    if len(names) != 2:
        few = Message("but {actual} holds {:,}: {}", len(names), some(names))
        cure = "name the class that it is the score of: of=..."
        if len(names) < 2:
            cure = "name both: {labels:[...]}"
            few = Message(
                "of which only one occurs"
                if names
                else "and there are no labels in {actual} to say which"
            )
        msg = Message("one score per item parts two classes, {}; " + cure, few)
        raise LabelError(msg)
    return Labels(names, positive=positive)


def labels_of_table(items: Items, labels: Any, positive: Any) -> Labels:
    """The classes of the columns, as many as there are."""
    columns = items.scores.shape[1]
    names = read_labels(labels, positive)
    # The names that pandas gives to the columns of an array are their places, unless the classes
    # are these numbers.
    if items.names == [*range(columns)] and {*range(columns)} != {
        *(() if names is None else names)
    }:
        items.names = None
    if names is None:
        names = labels_of_columns(items.truth, columns, items.names)
        return names if positive is None else names.replace(positive=positive)
    if len(names) != columns:
        there = (
            "{scores} has {:,} columns and {labels} {:,} classes; there must be one for each column"
        )
        raise LabelError(Message(there, columns, len(names)))
    if items.names is not None:
        order = order_of(classes_called(items.names, names), names.classes, "scores")
        if order != [*range(columns)]:
            items.scores, items.names = (
                items.scores[:, order],
                [items.names[place] for place in order],
            )
    return names


def classes_called(columns: list[Any], labels: Sequence[Any]) -> list[Any]:
    """The names of the columns without what is before and after every class: p_cat and p_dog are cat and dog."""
    first = str(labels[0])
    for column in map(str, columns):
        for at in re.finditer(re.escape(first), column):
            called = {
                f"{column[: at.start()]}{label}{column[at.end() :]}": label for label in labels
            }
            if called.keys() == set(columns):
                return [called[name] for name in columns]
    return columns


def check_side(items: Items, labels: Labels, place: int) -> None:
    """Refuse one column of scores that is called like another class than the one that it shall speak for."""
    name = items.names[0] if items.names and items.scores.ndim == 1 else None
    if name in labels and labels.index(name) != place:
        msg = Message(
            "{scores} is called {}, which is another class than {}; give the column of that, or "
            "rename it",
            some([name]),
            some([labels[place]]),
        )
        raise LabelError(msg)


@dataclass(slots=True)
class Items:
    """Aligned items, none of them missing; `dropped` is what was left out, in the unit of the counts."""

    truth: Truth
    scores: Array
    names: list[Any] | None
    weights: Array | None
    dropped: int | float


def read_models(
    actual: Any,
    models: Mapping[str, Any],
    missing: Missing,
    clusters: Any = None,
    kind: Kind | None = "scores",
) -> tuple[dict[str, Items], Array | None]:
    """Read the scores of several models for the same items, and a code of the cluster of each, if there are some.

    An item is left out for all models if it has no cluster or one of them has no score for it.
    """
    one_of("missing", missing, Missing)
    truth, tables, codes = read_truth(actual), {}, None
    kept, items = np.ones(len(truth.codes), dtype=np.bool_), len(truth.codes)
    if clusters is not None:
        check_indexes(actual, clusters=clusters)
        codes = grouped_codes(
            clusters, items, policy_of(None, missing, "error", None, items), items, "clusters"
        )[0]
        kept &= codes >= 0
    for name, scores in models.items():
        try:
            tables[name] = _table_beside(actual, truth, scores, kind)
            there = _kept(truth, tables[name], missing)
        except (InputError, LabelError) as error:
            raise type(error)(
                Message("{} (in the scores of {})", error.message, printable(name))
            ) from None
        kept = kept if there is None else kept & there
    truth = Truth(truth.codes[kept], truth.names, truth.ordered, None)
    read = {
        name: Items(truth, table.values[kept], table.names, None, 0)
        for name, table in tables.items()
    }
    return read, None if codes is None else np.unique(codes[kept], return_inverse=True)[1]


def _table_beside(actual: Any, truth: Truth, scores: Any, kind: Kind | None) -> ScoreTable:
    """Scores, as many as there are labels."""
    check_indexes(actual, scores=scores)
    table = read_scores(scores)
    if len(truth.codes) != len(table.values):
        paired = "they are paired by position, so there must be as many"
        sizes = len(truth.codes), len(table.values)
        msg = Message("{actual} has {:,} labels and {scores} has {:,} rows; " + paired, *sizes)
        raise InputError(msg)
    check_kind(table.values, kind, table.names)
    return table


def read_items(actual: Any, scores: Any, weights: Any, kind: Kind, missing: Missing) -> Items:
    """Read and check what belongs to the items."""
    one_of("kind", kind, Kind)
    return _items(actual, scores, weights, kind, missing)


def read_probabilities(actual: Any, scores: Any, missing: Missing) -> Items:
    """Read and check items whose scores must be probabilities."""
    return _items(actual, scores, None, None, missing)


def _items(actual: Any, scores: Any, weights: Any, kind: Kind | None, missing: Missing) -> Items:
    one_of("missing", missing, Missing)
    check_indexes(actual, weights=weights)
    truth = read_truth(actual)
    table = _table_beside(actual, truth, scores, kind)
    numbers = None if weights is None else read_weights(weights, len(table.values), like=actual)
    kept = _kept(truth, table, missing)
    dropped: int | float = 0
    if kept is not None:
        lost = len(kept) - int(kept.sum()) if numbers is None else numbers[~kept].sum().item()
        truth = Truth(truth.codes[kept], truth.names, truth.ordered, None)
        table = ScoreTable(table.values[kept], table.names)
        numbers, dropped = None if numbers is None else numbers[kept], lost
    return Items(truth, table.values, table.names, numbers, dropped)


def _kept(truth: Truth, table: ScoreTable, missing: Missing) -> Array | None:
    """Which items have a label and scores; None if all."""
    kept = present(table.values, missing)
    if truth.holes is None:
        return kept
    if missing == "error":
        msg = Message(
            "missing labels: {:,} in {actual}, the first at position {:,}; say {missing:'drop'} to "
            "leave such "
            "items out",
            int(truth.holes.sum()),
            int(np.argmax(truth.holes)),
        )
        raise LabelError(msg)
    return ~truth.holes if kept is None else kept & ~truth.holes

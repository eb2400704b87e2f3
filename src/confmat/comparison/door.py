"""`compare` and `compare_predictions`: the two ways to put models side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise, product
from typing import Any, Literal, Never, TypedDict, Unpack, overload

import numpy as np

from confmat.comparison.boards import MANY, Board
from confmat.comparison.categories import Comparisons
from confmat.comparison.clusters import Clusters, check_rivals, clusters_of, design_of, stacks_of
from confmat.comparison.families import Adjust, Array, covariance_of
from confmat.comparison.outcome import Comparison, asked_score, family, mostly_unread, tested_as
from confmat.comparison.pairing import Drawn, Pairing, united
from confmat.comparison.significance import (
    Significance,
    bhapkar,
    bowker,
    cochran,
    joint,
    stuart_maxwell,
)
from confmat.core.align import models_by_text
from confmat.core.errors import FileError, InputError, LabelError, Message, Remedy
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.naming import plain
from confmat.core.options import MAKES_ONE, door, flag_if_any, one_of, told
from confmat.core.samples import Sample, holds_weights
from confmat.core.stack import Stack
from confmat.core.text import number, printable, some
from confmat.counting import count
from confmat.counting.columns import Column, whole_column
from confmat.counting.door import check_indexes, policy_of
from confmat.counting.groups import grouped_codes
from confmat.counting.planning import INVALID, MISSING, OTHER, Action, Rules
from confmat.counting.weights import read_weights
from confmat.intervals import interval
from confmat.intervals.bounds import check_level
from confmat.metrics import Score
from confmat.metrics.catalog import several

# The most different free answers of a model.
MAX_ANSWERS = 1_000_000
Pairs = Literal["all", "first", "successive"]
_PAIRS: dict[str, Callable[[list[str]], list[tuple[str, str]]]] = {
    "all": lambda models: [*combinations(models, 2)],
    "first": lambda models: [(models[0], other) for other in models[1:]],
    "successive": lambda models: [*pairwise(models)],
}
METRICS = ("accuracy", "balanced_accuracy", "f1.macro", "mcc")
_ADJUSTED = {
    "max-t": "p-values and intervals are adjusted for the number of pairs, score by score ({}).",
    "joint": "p-values and intervals are adjusted for all scores and pairs at once ({}).",
    "holm": "p-values are adjusted for the number of pairs, score by score ({}).",
}
_TAKEN_AS_SAME = (
    "Every class occurs equally often in all matrices, so they are taken as counted from the same "
    "items; same_items=False says otherwise."
)
_WHOLE_WEIGHTS = (
    "Whole weights are weights of items all the same; a tally says how many items a row represents."
)
_TAKEN_AS_DIFFERENT = "The matrices are taken as counted from different items, drawn independently."
# Paired answers, or clusters, of each two models.
Known = Mapping[tuple[str, str], Pairing | Clusters]


@door
def compare(
    matrices: Mapping[str, ConfusionMatrix | Stack] | Stack,
    *more: Never,
    metrics: Any = METRICS,
    level: float = 0.95,
    same_items: bool | None = None,
    test: str = "auto",
    adjust: Adjust = "max-t",
    pairs: Pairs = "all",
) -> Comparison:
    """Compare models by their matrices alone, or by from those of each image, document or patient.

    Matrices of the same items do not say which items both had right; so every p-value is a range
    over all ways to pair the answers, and some differences stay undecided: `compare_predictions`
    decides them, and so do stacks of clusters, which are paired by their keys.

    Parameters
    ----------
    matrices
        A matrix for each model by name, or a stack of them; or by name a stack of clusters for
        each, such as `count_boxes(..., by_image=True)`, all with the same keys. Paths mean
        what `load` reads of them; logs of evaluations, or their paths, are compared answer by
        answer.
    metrics
        Scores to compare by, one number each: of two classes with a positive one "recall" is that
        of the positive class; of others say "recall.macro" or "recall[Cat]".
    level
        The confidence of the intervals; a difference counts when its p-value is below 1 - level.
    same_items
        Whether the matrices were counted from the same items; by default they were if every class
        occurs equally often in all of them. With stacks: whether clusters of one key are the same
        cluster; by default they are.
    test
        `"auto"`. McNemar's test by name is refused, because it needs the answers themselves.
    adjust
        How to allow for several differences, of pairs of models or of classes: `"max-t"` gives
        their p-values and intervals one critical value from their correlations, so that they agree,
        score by score, or Sidak's where these are unknown and among more than 20 models; `"joint"`
        one to all scores together; `"holm"` adjusts p-values alone; `"none"` takes each difference
        for the only one.
    pairs
        Which models are compared: `"all"` with each other, those after the first with the
        `"first"`, or each with the one before it, `"successive"`, as epochs and days are.

    Returns
    -------
    Comparison
        The scores of each model with intervals, the differences of each two, and tests of all
        together.

    Raises
    ------
    InputError
        If there are fewer than two models, or the matrices are not of the same items where
        `same_items` says so.

    Examples
    --------
    >>> import confmat as cm
    >>> old = cm.ConfusionMatrix([[400, 100], [100, 400]])
    >>> new = cm.ConfusionMatrix([[470, 30], [55, 445]])
    >>> print(compare({"old": old, "new": new}, metrics=["accuracy"]).sentences()[0])
    accuracy: old 0.800, new 0.915, new − old +0.115 [+0.082, +0.148]; McNemar, mid-p, over all pairings, \
p between 2.4e-35 and 5.4e-12 depending on the pairing: different.

    """
    _check_test(test)
    if more and isinstance(matrices, (Mapping, Stack)):
        msg = "the scores to compare are given by name: compare(matrices, metrics=['accuracy', 'f1.macro'])"
        raise InputError(msg)
    same_items = flag_if_any("same_items", same_items)
    if isinstance(matrices, Stack):
        check_rivals(matrices, pairs)
    shared = same_items is not False
    stacks = stacks_of(matrices, shared=shared)
    if stacks is None:
        whole = united(_models(matrices))
    else:
        whole = _models({name: stack.sum() for name, stack in stacks.items()})
    _check_order(models_by_text(matrices), whole, metrics)
    if stacks is not None:
        known = clusters_of(stacks, shared=shared)
        return _compared(
            whole, dict(known), metrics, level, adjust, *design_of(known), stacks, pairs=pairs
        )
    design = _design_of_matrices(whole, same_items)
    return _compared(whole, {}, metrics, level, adjust, *design, pairs=pairs)


def _design_of_matrices(
    matrices: Mapping[str, ConfusionMatrix], same_items: bool | None
) -> tuple[str, list[str]]:
    """Return whether matrices are of the same items, and the notes on it."""
    reason = _unlike(matrices)
    if same_items and reason:
        msg = "{same_items:True}, but {} in all matrices; count the models on the same items, or say {same_items:False}"
        raise InputError(Message(msg, reason))
    if same_items or (same_items is None and not reason):
        return "same items", [] if same_items else [_TAKEN_AS_SAME]
    samples = dict.fromkeys(m.together for m in matrices.values() if isinstance(m, Sample))
    return "different items", [_TAKEN_AS_DIFFERENT, *samples]


class Options(TypedDict, total=False):
    """The options of `compare_predictions`."""

    metrics: Any
    level: float
    labels: Any
    weights: Any
    tally: Any
    missing: Action
    other: Action
    answers: Rules | None
    strata: Any
    sizes: Mapping[Any, Any] | None
    fpc: bool
    adjust: Adjust


@overload
def compare_predictions(
    actual: Any, predictions: Mapping[str, Any], *, by: None = None, **options: Unpack[Options]
) -> Comparison: ...


@overload
def compare_predictions(
    actual: Any, predictions: Mapping[str, Any], *, by: Any, **options: Unpack[Options]
) -> Comparisons: ...


@door
def compare_predictions(
    actual: Any,
    predictions: Mapping[str, Any],
    *,
    metrics: Any = METRICS,
    level: float = 0.95,
    labels: Any = None,
    weights: Any = None,
    tally: Any = None,
    missing: Action = "error",
    other: Action = "error",
    answers: Rules | None = None,
    strata: Any = None,
    sizes: Mapping[Any, Any] | None = None,
    fpc: bool = False,
    by: Any = None,
    adjust: Adjust = "max-t",
) -> Comparison | Comparisons:
    """Compare models by their answers to the same items: the sharpest comparison there is.

    Parameters
    ----------
    actual
        The true labels, from anything that `count` takes.
    predictions
        The answers of each model by name, in the same order.
    metrics, level, adjust
        As in `compare`.
    labels, weights, tally, missing, other, answers
        As in `count`: `weights` say how much each item weighs, `tally` how many items a row represents.
        Items that are left out must be so for every model.
    strata, sizes, fpc
        The stratum that each item was drawn from, and what `Stack.standardize` takes: the models
        are compared on the whole, with the variance of the design.
    by
        The category of each item, such as its subject: the models are compared in each, and ranks
        hold in all of them.

    Returns
    -------
    Comparison, or Comparisons by category
        As of `compare`, with McNemar's test of shares of the same items (accuracy; recall and
        specificity of a class), and paired differences of every other score.

    Raises
    ------
    InputError
        If `predictions` is no mapping of at least two models.

    Examples
    --------
    >>> truth = list("aaaabbbbcccc")
    >>> comparison = compare_predictions(truth, {"old": list("aabbbbabccaa"), "new": list("aaaabbbbccca")})
    >>> print(comparison.of("accuracy"))
    accuracy: old 0.583, new 0.917, new − old +0.333 [−0.017, +0.609]; McNemar, mid-p, p = 0.062: \
not shown to be different.

    """
    _check_predictions(predictions)
    actual, weights, tally, strata, by = map(_kept, (actual, weights, tally, strata, by))
    columns = {name: _kept(column) for name, column in models_by_text(predictions).items()}
    options = {"missing": missing, "other": other, "answers": answers}
    if by is not None:
        if strata is not None or sizes is not None or fpc or adjust != "max-t":
            msg = "`by` makes one family of all categories, by max-t and without strata: leave out strata and adjust"
            raise InputError(msg)
        numbers = {"weights": weights, "tally": tally}
        return _in_categories(
            actual, columns, by, numbers, metrics=metrics, level=level, labels=labels, **options
        )
    counted: Any = partial(count, actual, labels=labels, weights=weights, tally=tally, **options)
    compared = partial(compare_columns, metrics=metrics, level=level, adjust=adjust)
    if strata is None:
        if sizes is not None or fpc:
            msg = "`sizes` are those of `strata`, which say where each item was drawn"
            raise InputError(msg)
        is_plain = weights is None and tally is None and "drop" not in {missing, other}
        return compared(counted, columns, options, truth=actual if is_plain else None)

    def of_strata(predicted: Any, by: Any = None, **more: Any) -> Any:
        if by is not None:
            return counted(predicted, by={"stratum": strata, "answer": by}, **more)
        return counted(predicted, strata=strata, **more).standardize(sizes, fpc=fpc)

    return compared(of_strata, columns, options, drawn=(sizes, fpc))


def _check_predictions(predictions: Any) -> None:
    """Refuse what is no mapping of at least two models."""
    is_mapping = isinstance(predictions, Mapping)
    if is_mapping and len(predictions) > 1:
        return
    got = f"only {some(predictions)}" if is_mapping else told(predictions)
    msg = "{predictions} is a mapping of at least two models to their answers, {{'old': ..., 'new': ...}}; got {}{}"
    of_frame = "; confmat.compare_frame(frame, actual='y', predictions=['old', 'new']) compares columns of a frame"
    raise InputError(Message(msg, got, of_frame if hasattr(predictions, "columns") else ""))


def _kept(values: Any) -> Any:
    """Values that can be read again: of a stream, what is in it."""
    return list(values) if isinstance(values, Iterator) else values


def _in_categories(
    actual: Any, columns: Mapping[str, Any], by: Any, numbers: Mapping[str, Any], **asked: Any
) -> Comparisons:
    """Compare models in each category of the items; `numbers` are weights, or how many items a row represents."""
    check_indexes(actual, by=by, **numbers)
    for column in columns.values():
        check_indexes(actual, predicted=column)
    truth = whole_column(actual, "actual")
    items = len(truth.codes)
    read = {name: _as_many(column, items, name) for name, column in columns.items()}
    known = {
        name: read_weights(given, items, name, like=actual)
        for name, given in numbers.items()
        if given is not None
    }
    codes, keys = grouped_codes(
        by, items, policy_of(None, asked["missing"], "error", None, max(items, 1)), items
    )
    parts = {}
    for place, key in enumerate(keys):
        where = np.flatnonzero(codes == place)
        answered = {name: _taken(column, where) for name, column in read.items()}
        beside: Any = {name: values[where] for name, values in known.items()}
        parts[key] = compare_predictions(
            _taken(truth, where), answered, **asked, **beside, adjust="none"
        )
    axis = (
        ", ".join(map(str, by))
        if isinstance(by, Mapping)
        else str(getattr(by, "name", None) or "category")
    )
    return Comparisons.joined(axis, parts)


def _as_many(values: Any, items: int, name: str) -> Column:
    """The answers of a model, one for each item."""
    column = whole_column(values, "predicted")
    if len(column.codes) != items:
        msg = Message(
            "{actual} has {:,} labels and {predicted} has {:,} of {}; they are paired by position, "
            "so there must be as "
            "many",
            items,
            len(column.codes),
            printable(name),
        )
        raise InputError(msg)
    return column


def _taken(column: Column, where: Any) -> Column:
    """Some items of a column."""
    return replace(column, codes=column.codes[where], spare=True)


def compare_columns(
    count: Callable[..., Any],
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    metrics: Any = METRICS,
    level: float = 0.95,
    adjust: Adjust = "max-t",
    drawn: Drawn | None = None,
    truth: Any = None,
) -> Comparison:
    """Compare models by columns of answers that `count` counts, wherever they are, under the options that it has.

    Pairs of many models in memory, with the `truth` of each item, are not counted.
    """
    counted = {name: _count_model(count, name, column) for name, column in columns.items()}
    whole: dict[str, ConfusionMatrix] = united(_models(counted))
    _check_order(counted, whole, metrics)
    labels, total = next((m.labels, m.total) for m in whole.values())
    rules: Rules | None = options.get("answers")
    read = _reader(labels, rules)
    if truth is not None and len(columns) > MANY:
        actual, *answers = _coded({"actual": truth, **columns}, round(total), labels, read)
        board = Board(labels, tuple(columns), actual, np.stack(answers))
        return _compared(whole, board, metrics, level, adjust, "paired", [])
    # The log of the rules is reported once for each column, not once more for each pair of columns.
    again = {} if rules is None else {"answers": rules.logged(None), "max_groups": MAX_ANSWERS}
    pairings = {}
    for (first, column), (second, rival) in combinations(columns.items(), 2):
        stack = count(predicted=column, by=rival, labels=labels, **again)
        assert isinstance(stack, Stack)
        if "drop" in {options.get("other"), options.get("missing")}:
            known = {key: key if drawn is None else key[1] for key in stack}
            stack = Stack(
                {key: m for key, m in stack.items() if read(known[key]) in labels}, axis=stack.axis
            )
        pairings[first, second] = Pairing.of_stack(stack, labels, read, drawn)
        _check_same(pairings[first, second].total, {name: whole[name] for name in (first, second)})
    return compare_pairings(whole, pairings, metrics=metrics, level=level, adjust=adjust)


def _count_model(count: Callable[..., Any], name: str, column: Any) -> Any:
    """Count the answers of a model, whose name is added to an error."""
    try:
        return count(predicted=column)
    except FileError:
        raise
    except (InputError, LabelError) as error:
        raise type(error)(error.message + f" (in the count of {printable(name)})") from None


def _reader(labels: Labels, rules: Rules | None) -> Callable[[Any], Any]:
    """Which label an answer means, as it does where answers are counted."""
    bound = None if rules is None else rules.bound(labels.replace(outside=()))

    def read(answer: Any) -> Any:
        if bound is not None and answer != MISSING:
            label = bound.read_one(answer).label
            answer = INVALID if label is None else label
        return OTHER if OTHER in labels.outside and answer not in labels else plain(answer)

    return read


def _coded(
    columns: Mapping[str, Any], items: int, labels: Labels, read: Callable[[Any], Any]
) -> list[Any]:
    """Read columns of answers as places of labels, a row for each."""
    rows, collect = [], policy_of(None, "collect", "error", None, MAX_ANSWERS)
    for name, column in columns.items():
        codes, keys = grouped_codes(column, items, collect, MAX_ANSWERS, name)
        places = [labels._find(read(key)) for key in keys]
        rows.append(np.array(places, np.min_scalar_type(len(labels)))[codes])
    return rows


def _check_same(both: float, matrices: Mapping[str, ConfusionMatrix]) -> None:
    """Refuse models of which items were left out that another has answered: they would be scored on other items."""
    if all(math.isclose(m.total, both, rel_tol=1e-9) for m in matrices.values()):
        return
    many = " and ".join(f"{number(m.total)} of {printable(name)}" for name, m in matrices.items())
    msg = Message(
        "models are compared on the same items, and of these {} have a label from both: {} were "
        "counted; say "
        "{missing:'collect'} and {other:'collect'}, which leave none out",
        number(both),
        many,
    )
    raise InputError(msg)


def compare_pairings(
    matrices: Mapping[str, ConfusionMatrix],
    pairings: Mapping[tuple[str, str], Pairing],
    *,
    metrics: Any = METRICS,
    level: float = 0.95,
    adjust: Adjust = "max-t",
) -> Comparison:
    """Compare models by counted answers: a matrix for each model, and a pairing for each two."""
    notes = []
    if drawn := [m.described for m in matrices.values() if isinstance(m, Sample)]:
        notes = [f"Counts are estimates for the whole, by {drawn[0]}."]
    elif any(holds_weights(m) and not m.is_weighted for m in matrices.values()):
        notes = [_WHOLE_WEIGHTS]
    return _compared(
        united(dict(matrices)), dict(pairings), metrics, level, adjust, "paired", notes
    )


def _check_test(test: str) -> None:
    if isinstance(test, str) and test.lower() == "mcnemar":
        msg = (
            "McNemar's test needs to know which items each model had right, and two matrices do "
            "not tell: taking the "
            "fewest possible disagreements finds a difference where there is none up to six times "
            "in ten; "
            "use compare_predictions, or test='auto' for the range of p-values that the matrices "
            "allow"
        )
        raise InputError(msg)
    one_of("test", test, ("auto",))


def _models(matrices: Any) -> dict[str, ConfusionMatrix]:
    if not isinstance(matrices, (Mapping, Stack)) or len(matrices) < 2:
        remedy = Remedy("models", ", given as a mapping of names to matrices: {'old': a, 'new': b}")
        raise InputError(Message("at least two models are compared{}", remedy))
    models = models_by_text(matrices)
    for name, m in models.items():
        if not isinstance(m, ConfusionMatrix):
            msg = f"{name!r} is no ConfusionMatrix but {type(m).__name__}; {MAKES_ONE}"
            raise InputError(msg)
        if not m.total:
            msg = f"{name!r} is an empty matrix; there is nothing to compare"
            raise InputError(msg)
    return models


def _check_order(
    given: Mapping[str, Any], whole: Mapping[str, ConfusionMatrix], metrics: Any
) -> None:
    """Refuse a score that reads the order of the classes where the models do not agree on one."""
    common = next(iter(whole.values())).labels
    orders = {
        (*own, *(label for label in common.classes if label not in own)): name
        for name in whole
        if (own := given[name].labels) != common
    }
    for order, name in orders.items():
        if order == tuple(common.classes):
            continue
        for metric, m in product(several(metrics, "metrics"), whole.values()):
            score = asked_score(metric, common)
            if not np.isclose(
                score(m), score(m.reorder(order)), rtol=1e-9, atol=1e-9, equal_nan=True
            ):
                msg = Message(
                    "{} goes by the order of the classes, which are {} of {} and {} of all models together; "
                    "count them all with the same {labels:[...]}",
                    score,
                    some(given[name].labels, 5),
                    printable(name),
                    some(common, 5),
                )
                raise LabelError(msg)


def _unlike(matrices: Mapping[str, ConfusionMatrix]) -> str:
    """Why matrices over common labels are not of the same items; empty if they can be."""
    if any(holds_weights(m) for m in matrices.values()):
        return "sums of weights do not show that the items are the same"
    totals = np.array([m.actual_totals for m in matrices.values()])
    differ = np.flatnonzero((totals != totals[0]).any(axis=0))
    labels = next(iter(matrices.values())).labels
    if not len(differ):
        return ""
    which, beyond = "the classes", differ[0] - labels.n_classes
    if beyond >= 0:
        which = f"items whose truth is {labels.outside[beyond]}"
    return f"{which} do not occur equally often"


# Scores that overflow are reported as not comparable.
@np.errstate(all="ignore")
def _compared(
    matrices: dict[str, ConfusionMatrix],
    pairings: Known,
    metrics: Any,
    level: float,
    adjust: str,
    design: str,
    notes: list[str],
    stacks: Mapping[str, Stack] | None = None,
    pairs: str = "all",
) -> Comparison:
    check_level(level)
    one_of("pairs", pairs, Pairs)
    one_of("adjust", adjust, Adjust)
    wanted = several(metrics, "metrics")
    scores = [asked_score(metric, next(iter(matrices.values())).labels) for metric in wanted]
    if not isinstance(pairings, Board):
        swapped = {(second, first): each.swapped() for (first, second), each in pairings.items()}
        pairings = {**pairings, **swapped}
    samples: Mapping[str, ConfusionMatrix | Stack] = stacks or matrices
    estimates: dict[tuple[str, str], Any] = {
        (name, str(score)): interval(sample, score, level=level)
        for name, sample in samples.items()
        for score in scores
    }
    covariance = covariance_of([*map(tested_as, scores)], matrices, pairings, design)
    chosen = _PAIRS[pairs](list(matrices))
    differences, bounds = family(
        scores, chosen, matrices, pairings, design, level, adjust, covariance
    )
    asked = {
        str(score): name
        for score, name in zip(scores, wanted, strict=True)
        if isinstance(name, str) and name != str(score)
    }
    return Comparison(
        matrices, tuple(map(str, scores)), estimates, tuple(differences),
        _test_all(scores, matrices, pairings, covariance), _test_margins(matrices, pairings), design, level,
        (*notes, *_remarks(matrices), *how_adjusted(adjust, bounds, len(chosen))), adjust, pairings, asked,
    )  # fmt: skip


def _remarks(matrices: Mapping[str, ConfusionMatrix]) -> Iterator[str]:
    """The notes of the matrices, each with the name of its model."""
    for name, m in matrices.items():
        yield from (f"{printable(name)}: {note}" for note in m.notes if note.kind != "unread")


def how_adjusted(adjust: str, bounds: Mapping[str, str], pairs: int) -> list[str]:
    """The note on how p-values of several pairs of models are adjusted, by the bound of each score; none of one."""
    size = pairs * len(bounds) if adjust == "joint" else pairs
    if adjust not in _ADJUSTED or size < 2:
        return []
    kinds = dict.fromkeys(bounds.values())
    parts = {kind: ", ".join(name for name in bounds if bounds[name] == kind) for kind in kinds}
    named = [f"{kind}: {names}" for kind, names in parts.items()] if len(kinds) > 1 else kinds
    return [_ADJUSTED[adjust].format("; ".join(named))]


def _test_all(
    scores: Sequence[Score],
    matrices: dict[str, ConfusionMatrix],
    pairings: Known,
    covariance: Array | None,
) -> dict[str, Significance]:
    """Test more than two models together, by each score that has a test."""
    if len(matrices) < 3 or not pairings or any(map(mostly_unread, matrices.values())):
        return {}
    tests = (
        (str(score), _overall(tested_as(score), matrices, pairings, place, covariance))
        for place, score in enumerate(scores)
    )
    return {name: test for name, test in tests if test is not None}


def _test_margins(
    matrices: Mapping[str, ConfusionMatrix], pairings: Known
) -> dict[tuple[str, str], tuple[Significance, ...]]:
    """Test the margins of each two models whose answers to items without weights are paired."""
    if isinstance(pairings, Board) or any(map(holds_weights, matrices.values())):
        return {}
    readable = [name for name, m in matrices.items() if not mostly_unread(m)]
    return {
        names: tuple(test(pairing.answers()) for test in (stuart_maxwell, bhapkar, bowker))
        for names in combinations(readable, 2)
        if isinstance(pairing := pairings.get(names), Pairing)
    }


def _overall(
    score: Score,
    matrices: dict[str, ConfusionMatrix],
    pairings: Known,
    place: int,
    covariance: Array | None,
) -> Significance | None:
    """Test all models together: Cochran's for accuracy, Wald's for any other score that has a derivative."""
    if str(score) == "accuracy" and not any(map(holds_weights, matrices.values())):
        both = _both_right(list(matrices), pairings)
        if both is not None:
            return cochran([float(m.diagonal.sum()) for m in matrices.values()], both)
    if covariance is None or not all(pair.shared for pair in pairings.values()):
        return None
    table = covariance[:, place, :, place]
    if np.isnan(table).all():
        return None
    return all_alike([float(score(m)) for m in matrices.values()], table, str(score))


def all_alike(values: Sequence[float], covariance: Array, name: str) -> Significance:
    """Test that all models have the same of a score."""
    contrasts = np.hstack([np.ones((len(values) - 1, 1)), -np.eye(len(values) - 1)])
    return joint(contrasts @ np.asarray(values), contrasts @ covariance @ contrasts.T, name)


def _both_right(names: Sequence[str], pairings: Known) -> Array | None:
    """Count the items that each two models have right; None of clusters."""
    if isinstance(pairings, Board):
        return pairings.both_right()
    both = np.zeros((len(names), len(names)))
    for i, j in combinations(range(len(names)), 2):
        pairing = pairings[names[i], names[j]]
        if isinstance(pairing, Clusters):
            return None
        both[i, j] = pairing.both_right()
    return both

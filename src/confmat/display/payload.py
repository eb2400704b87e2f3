"""The payload of the report page: every number and text on it, packed so that no browser takes it for markup."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat.core.building import merged
from confmat.core.errors import BudgetError, ConfmatError, InputError, Message, Remedy
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import as_list, told
from confmat.core.text import are, key_of, number, printable, shortened
from confmat.display.examples import Pictures, sampled
from confmat.display.layout import Grouping
from confmat.intervals.asked import ask
from confmat.intervals.door import estimate
from confmat.metrics.accuracies import accuracy
from confmat.metrics.catalog import Score, parse_score
from confmat.metrics.declaration import Metric
from confmat.metrics.margins import Outside
from confmat.reporting import METRICS, OVERALL, Report, report
from confmat.structure import class_groups, class_order
from confmat.structure.arrangement import Branches
from confmat.structure.confusions import notes_of
from confmat.structure.evidence import Evidence, evidence, rejects, shown_in

Array = NDArray[Any]

# Integers up to this are exact in floats; JavaScript has no other numbers.
MOST_EXACT = 2**53
# So many scores are packed to seven digits.
MANY_SCORES = 1_000


def numbers(values: Array) -> dict[str, Any]:
    """An array as text: whole numbers in seven bits a byte, others as floats of eight bytes, or of the four they have.

    >>> numbers(np.array([1, 300]))
    {'n': 2, 'ints': 'AawC'}
    """
    if values.dtype.kind in "iu" and (
        not len(values) or (values.min() >= 0 and values.max() <= MOST_EXACT)
    ):
        return {"n": len(values), "ints": _text(varints(values.astype(np.uint64)))}
    single = values.dtype == np.float32
    return {
        "n": len(values),
        "singles" if single else "floats": _text(
            values.astype("<f4" if single else "<f8").tobytes()
        ),
    }


def scores(values: Array) -> dict[str, Any]:
    """Scores as text; of many classes to seven digits, which no reader of a page misses."""
    return numbers(values.astype(np.float32 if len(values) > MANY_SCORES else np.float64))


def cells(rows: Array, cols: Array, counts: Array, size: int) -> dict[str, Any]:
    """Cells in the order of their rows: each place as its distance from the one before, and the counts."""
    places = rows.astype(np.int64) * size + cols
    return {"steps": numbers(np.diff(places, prepend=0)), "counts": numbers(counts)}


def varints(values: NDArray[np.uint64]) -> bytes:
    """Whole numbers of seven bits a byte, the lowest first; a set eighth bit says that more follow.

    >>> varints(np.array([1, 127, 128], dtype=np.uint64)).hex(" ")
    '01 7f 80 01'
    """
    sizes = np.ones(len(values), dtype=np.int64)
    for step in range(1, 10):
        sizes += values >= np.uint64(2 ** (7 * step))
    starts = np.cumsum(sizes) - sizes
    out = np.zeros(int(sizes.sum()), dtype=np.uint8)
    for step in range(int(sizes.max(initial=0))):
        more = sizes > step
        part = (values[more] >> np.uint64(7 * step)) & np.uint64(127)
        out[starts[more] + step] = part + np.where(sizes[more] > step + 1, 128, 0).astype(np.uint64)
    return out.tobytes()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def as_json(data: Any) -> str:
    r"""JSON in ASCII that may be within a `<script>`: nothing in it opens, closes or comments a tag.

    >>> as_json({"name": "</script>\u2028&"})
    '{"name":"\\u003c/script\\u003e\\u2028\\u0026"}'
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


# Cells on a page, of all models together; beyond, the smallest are left out, and the page says so.
MOST_CELLS = 500_000
MOST_CLASSES = 100_000
MOST_MODELS = 50
# So much of a label is shown, and so much of it beside the map and in lists.
LONGEST_LABEL, SHORT_LABEL = 500, 24
# Among more pairs, only those that are shown have their rate.
MOST_RATES = 5_000
# From here on, confusions come first and classes are beside those that they are confused with.
MANY = 30
# A map of more classes has the width of the page.
VAST = 60
# Cells of more classes are smaller than a pixel: all errors at once would be fog.
CROWDED = 1_000

HEADLINE = (*OVERALL[:2], "f1.macro", *OVERALL[2:])
# Where something is found that nothing is, as with boxes, the right negatives are unknown, and
# these scores need none.
FINDING = ("precision.micro", "recall.micro", "f1.micro", "f1.macro")
# The sentence about a positive class uses these scores.
OF_POSITIVE = ("precision", "recall", "f1")


_OF_REJECTIONS = (
    (
        "where_answered",
        "Accuracy where answered",
        "Share of right answers among the items answered by a class.",
    ),
    ("answered", "Share answered", "Share of the items that are answered by a class."),
)


class Choices(NamedTuple):
    """How the page opens, and what it brings along."""

    title: str
    axis: str
    compares: bool
    normalize: str
    only: bool
    order: str
    examples: Any
    class_groups: Grouping
    scores: tuple[Score, ...] = ()
    pictures: Pictures = Pictures()
    # Where the matrices are those of a sweep: what the slider and the curves need.
    sweep: dict[str, Any] | None = None
    # Other results than matrices: functions that add to the data.
    parts: tuple[Callable[[dict[str, Any]], None], ...] = ()


def payload(
    models: Mapping[Any, ConfusionMatrix], choices: Choices
) -> tuple[dict[str, Any], list[str]]:
    """The data of the page, and the notes below it. All models have the same labels."""
    labels = next(iter(models.values())).labels
    _check_size(labels, 1 if choices.sweep else len(models))
    examples, notes = sampled(choices.examples, next(iter(models.values())), choices.pictures)
    finds = _finds(models.values())
    singles = singles_of(models.values(), choices.scores)
    reports = [report(m, METRICS, overall=singles) for m in models.values()]
    names = [_cut(printable(label)) for label in labels]
    short = shortened(names, SHORT_LABEL)
    # Samples of several wholes have no sum, but the counts of which order and groups are made.
    orders, levels = _structure(
        reduce(ConfusionMatrix.__add__, models.values()), choices.class_groups
    )
    groups, folds = _folds(levels)
    made = [
        _model(printable(key), m, each, singles, MOST_CELLS // len(models), folds)
        for (key, m), each in zip(models.items(), reports, strict=True)
    ]
    parts = [part for part, _ in made]
    if choices.sweep is not None:
        # One threshold says nearly the same as the next.
        notes += made[choices.sweep["open"]][1]
    else:
        for part, remarks in made:
            name = f"{part['name']}: " if len(models) > 1 else ""
            notes += [f"{name}{text}" for text in remarks]
    data = {
        "title": choices.title,
        "axis": choices.axis,
        "compares": choices.compares,
        "sweep": choices.sweep,
        "labels": names,
        "short": None if short == names else short,
        "key": key_of(names, SHORT_LABEL),
        "outside": len(labels.outside),
        "finds": finds,
        "stored": _stored(labels, names),
        "metrics": [_facts(metric.name, metric) for metric in reports[0].metrics],
        "overall": _headline(reports[0], singles),
        "models": parts if choices.sweep is None else _shortened(parts),
        "orders": orders,
        "groups": groups,
        "normalize": choices.normalize,
        "only": choices.only and all(part["confusions"]["rates"] for part in parts),
        "order": choices.order,
        "sort": ["f1", "up"] if choices.compares else ["lost", "down"],
        "examples": examples,
    }
    for add in choices.parts:
        add(data)
    if any(map(rejects, models.values())):
        _add_rejections(data, list(models.values()))
    return data, notes


def _add_rejections(data: dict[str, Any], models: list[ConfusionMatrix]) -> None:
    """Add the share of items that are answered by a class, and the accuracy of those."""
    # Differences of models go by the places of their scores.
    place = 1 if len(models) == 1 else len(data["overall"])
    codes = np.repeat([0, 1], [models[0].n_classes, len(data["labels"]) - models[0].n_classes])
    answered = [m._remapped(Labels(["answered"], outside=["not"]), codes) for m in models]
    asked: tuple[tuple[list[ConfusionMatrix], Outside], ...] = (
        (models, "exclude"),
        (answered, "wrong"),
    )
    for fact, (parts, outside) in zip(_OF_REJECTIONS, asked, strict=True):
        found = [
            (accuracy(m, outside=outside), _bounds("accuracy", m, outside=outside)) for m in parts
        ]
        add_score(data, place, fact, found)


def add_score(
    data: dict[str, Any],
    place: int,
    fact: tuple[str, str, str],
    found: Iterable[tuple[Any, Any]],
    better: str = "higher",
) -> None:
    """Add a score, (key, title, tip), before others; each model has a value and an estimate, or None."""
    data["overall"].insert(
        place, dict(zip(("key", "title", "tip"), fact, strict=True)) | {"better": better}
    )
    for part, (value, bounds) in zip(data["models"], found, strict=True):
        part["overall"].insert(place, or_none(value))
        part["bounds"].insert(place, rounded(bounds))


def _shortened(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first whole, and of each other one what differs from it: along a sweep, little does."""
    first, *others = parts
    return [
        first,
        *({key: part[key] for key in part if part[key] != first[key]} for part in others),
    ]


def _check_size(labels: Labels, models: int) -> None:
    if labels.n_classes > MOST_CLASSES:
        msg = Message(
            "{:,} classes are more than the {:,} that a page can show; {}",
            labels.n_classes,
            MOST_CLASSES,
            Remedy(
                "merge or select",
                "join them with m.merge(groups) or take some with m.select(labels)",
            ),
        )
        raise BudgetError(msg)
    if models > MOST_MODELS:
        msg = Message(
            "{:,} matrices are more than the {} that a page can compare; give it some of them",
            models,
            MOST_MODELS,
        )
        raise BudgetError(msg)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…"


def _stored(labels: Labels, names: list[str]) -> str | None:
    """The labels as confmat stores them, in JSON, where they are not just the texts that are shown."""
    if labels.kind == "text" and names == list(labels) and labels.positive is None:
        return None
    try:
        return json.dumps(labels.to_dict(), separators=(",", ":"))
    except (TypeError, ValueError):
        # Labels that are objects: their texts have to do.
        texts = [printable(label) for label in labels]
        kept = (
            texts
            if len(set(texts)) == len(texts)
            else [f"{text} [{at}]" for at, text in enumerate(texts)]
        )
        plain = {
            "kind": "text",
            "names": kept[: labels.n_classes],
            "outside": kept[labels.n_classes :],
        }
        return json.dumps(plain, separators=(",", ":"))


# ---- metrics -------------------------------------------------------------------------------------


def _facts(key: str, metric: Any, title: str = "", *, told: bool = True) -> dict[str, Any]:
    """Describe a metric: its name and meaning, and on request where it is undefined."""
    if not isinstance(metric, Metric):
        return {"key": key, "title": title or key, "tip": "", "better": "neither"}
    undefined = f" Undefined where {metric.undefined}." if told and metric.undefined else ""
    return {
        "key": key,
        "title": title or metric.title,
        "tip": f"{metric.summary}{undefined}",
        "better": metric.better,
    }


def _finds(models: Iterable[ConfusionMatrix]) -> bool:
    """Whether something was found where nothing is: a box in the background, but nothing in "(missing)"."""
    return any(
        bool(m.actual_totals[m.labels.index(name)])
        for m in models
        for name in m.labels.outside
        if not str(name).startswith("(")
    )


def singles_of(models: Collection[ConfusionMatrix], more: tuple[Score, ...]) -> list[Score]:
    """The scores above everything: of the whole matrix, of the positive class if there is one, and what was asked."""
    labels = next(iter(models)).labels
    usual = [parse_score(name) for name in (FINDING if _finds(models) else HEADLINE)]
    if labels.positive is not None:
        positive = (replace(parse_score(name), of=labels.positive) for name in OF_POSITIVE)
        usual = [usual[0], *positive, usual[1], usual[-1]]
    return list({str(score): score for score in (*usual, *more)}.values())


def _headline(made: Report, singles: list[Score]) -> list[dict[str, Any]]:
    facts = []
    for score, (name, value) in zip(singles, made.overall.items(), strict=True):
        title = getattr(score.metric, "title", name)
        if score.average is not None:
            title = f"{title}, {score.average.name}"
        fact = _facts(name, score.metric, title, told=value != value)
        if score.average is not None:
            fact["tip"] = f"{score.average.title} of all classes. {fact['tip']}"
        elif score.of is not None:
            fact["title"] = f"{title}, {_cut(printable(score.of))}"
        facts.append(fact)
    return facts


def or_none(value: float) -> float | None:
    """The value, or None where it is undefined."""
    value = float(value)
    return value if np.isfinite(value) else None


# ---- one model -----------------------------------------------------------------------------------


def _model(
    name: str,
    m: ConfusionMatrix,
    made: Report,
    singles: list[Score],
    budget: int,
    folds: list[list[list[int]]],
) -> tuple[dict[str, Any], list[str]]:
    """A matrix with everything that was computed of it, and what there is to remark."""
    rows, cols, counts, left = cells_within(m, budget)
    found, order, remarks = _confusions(m, rows, cols)
    data = {
        "name": name,
        "total": m.total,
        "asked": m.cells.total.flat[0].item(),
        "support": made._support_of_means,
        "dropped": m.dropped,
        "weighted": m.is_weighted,
        "cells": cells(rows, cols, counts, len(m.labels)),
        "left": left,
        "overall": [or_none(value) for value in made.overall.values()],
        "bounds": [rounded(_bounds(score, m)) for score in singles],
        "averages": [
            {"title": key, "values": [or_none(v) for v in row]}
            for key, row in made.averages.items()
        ],
        "confusions": found,
        "ranked": order,
        **_sums(m, made, folds),
    }
    return data, [*_remarks(m, made, left), *remarks]


def _sums(m: ConfusionMatrix, made: Report, folds: list[list[list[int]]]) -> dict[str, Any]:
    """Sums and scores of every label, and behind them those of every group: the scores of the merged matrix."""
    columns = [_columns(m, made)]
    for groups in filter(None, folds):
        codes = np.arange(len(m.labels)) + len(groups)
        for group, members in enumerate(groups):
            codes[members] = group
        names, codes = np.unique(codes, return_inverse=True)
        folded = m._remapped(
            Labels(range(len(names) - len(m.labels.outside)), outside=m.labels.outside), codes
        )
        columns.append(
            [column[: len(groups)] for column in _columns(folded, report(folded, METRICS))]
        )
    diagonal, actual, predicted, negatives, low, high, *values = map(
        np.concatenate, zip(*columns, strict=True)
    )
    # The worst class is the one whose score may be lowest, for all that is known.
    known = not np.isnan(low).all()
    return {
        "diagonal": numbers(diagonal),
        "actual": numbers(actual),
        "predicted": numbers(predicted),
        # The difference of sums of weights may be noise; the matrix knows better.
        "negatives": numbers(negatives) if m.is_weighted else None,
        "values": [scores(column) for column in values],
        "low": scores(low) if known else None,
        "high": scores(high) if known else None,
    }


def _columns(m: ConfusionMatrix, made: Report) -> list[Array]:
    """Hits, totals, true negatives, bounds of F1 and scores of each label; those outside have no scores."""
    bounds = _bounds("f1", m)
    unknown = np.full(m.n_classes, np.nan)
    ends = (
        [unknown, unknown] if bounds is None else [np.asarray(bounds.low), np.asarray(bounds.high)]
    )
    scores = [
        np.asarray(column, dtype=np.float64)
        for column in (m.cells.tn, *ends, *np.asarray(made.values).T)
    ]
    rest = np.full(len(m.labels.outside), np.nan)
    return [
        m.diagonal,
        m.actual_totals,
        m.predicted_totals,
        *(np.append(column, rest) for column in scores),
    ]


def _bounds(score: str | Score, m: ConfusionMatrix, **wishes: Any) -> Any:
    """Return the interval of a score, or of every class; None for weights that were added up without their squares."""
    try:
        return estimate(ask(m, score, **wishes), m)
    except ConfmatError:
        return None


def rounded(estimate: Any) -> list[float] | None:
    """The bounds of an estimate."""
    if estimate is None or not np.isfinite([estimate.low, estimate.high]).all():
        return None
    return [round(float(estimate.low), 6), round(float(estimate.high), 6)]


def cells_within(m: ConfusionMatrix, budget: int) -> tuple[Array, Array, Array, dict[str, Any]]:
    """The cells that the page carries, and how many it does not."""
    pairs = m.pairs()
    rows, cols, counts = pairs.rows, pairs.cols, pairs.counts
    left: dict[str, Any] = {"cells": 0, "total": 0}
    if len(counts) > budget:
        kept = np.sort(np.argsort(-counts.astype(np.float64), kind="stable")[:budget])
        gone = np.ones(len(counts), dtype=bool)
        gone[kept] = False
        left = {"cells": int(gone.sum()), "total": counts[gone].sum().item()}
        rows, cols, counts = rows[kept], cols[kept], counts[kept]
    order = np.lexsort((cols, rows))
    return rows[order], cols[order], counts[order], left


def _confusions(
    m: ConfusionMatrix, rows: Array, cols: Array
) -> tuple[dict[str, Any], str, list[str]]:
    """The errors that are expected, as factors of rows and columns, the rates of the cells, and which are shown.

    A rate is in ten-thousandths, beside the distance of its cell from the one before.
    """
    known = evidence(m)
    errors, size = known.errors, len(m.labels)
    keys = rows * size + cols
    # Cells that the page does not carry have none.
    there = np.isin(errors.rows * size + errors.cols, keys)
    places = np.searchsorted(keys, errors.rows * size + errors.cols)
    told = there if len(there) <= MOST_RATES else there & known.held
    order = np.argsort(places[told])
    pairs = len(there)
    found = {
        "factors": [list(map(scores, pair)) for pair in known.fit.factors],
        "steps": numbers(np.diff(places[told][order], prepend=0)),
        "rates": None
        if known.untested or not pairs
        else numbers(np.rint(known.q[told][order] * 1e4).astype(np.int64)),
        "limit": known.alpha if pairs > MOST_RATES else 1,
        # Cells that are shown, the foremost first.
        "shown": numbers(places[known.places[there[known.places]]]),
        "expects": known.expects,
    }
    # The page need not say why p and q are unknown.
    remarks = [f"confusions: {text}" for text in notes_of(known) if text != known.untested]
    beside = np.count_nonzero((rows >= m.n_classes) != (cols >= m.n_classes)) * _finds([m])
    if beside:
        many = number(int(pairs + beside))
        return found, f"{many} pairs: missed, ghosts and confused, the most frequent first.", []
    return found, _ranked(known), remarks


def _ranked(known: Evidence) -> str:
    """The sentence on how many confusions there are, and how they are ranked."""
    pairs = len(known.errors.counts)
    if not pairs:
        return "No class was taken for another."
    sentence = f"{number(pairs)} pairs" if pairs > 1 else "1 pair"
    if not known.untested:
        sentence += (
            f", of which {are(len(known.places))} shown to be more than the other errors explain"
        )
    elif not known.expects and pairs > 1:
        sentence += ", the most frequent first"
    return f"{sentence}."


def _remarks(m: ConfusionMatrix, made: Report, left: Mapping[str, Any]) -> list[str]:
    notes = []
    if left["cells"]:
        part = left["total"] / m.total
        notes.append(
            f"the {number(left['cells'])} smallest cells, {part:.2%} of the total, are left out of "
            "the heat map and "
            "of the downloads; scores and totals include them"
        )
    if m.dropped:
        notes.append(f"{number(m.dropped)} were left out when counting")
    if m.total > MOST_EXACT:
        notes.append("counts beyond 2^53 are shown to 15 digits")
    notes += [*made.notes_of_means(), *made.notes]
    for name, lost in made.undefined_values().items():
        many = len(lost["classes"])
        where = f" for {number(many)} {'class' if many == 1 else 'classes'}" if many else ""
        notes.append(f"{name} is undefined{where}: {lost['reason']}")
    return notes


# ---- order and groups ----------------------------------------------------------------------------


# Groups of one level by their names, each class in one of them at most.
Level = Mapping[Any, list[int]]


def _structure(m: ConfusionMatrix, wanted: Grouping) -> tuple[dict[str, list[int]], list[Level]]:
    """Orders that only Python knows, of classes confused with each other and of groups; and groups, level by level."""
    clusters = _placed(m, class_groups(m))
    orders, levels = {"cluster": [*chain(*clusters.values())]}, list[Level]()
    if wanted is True:
        levels = [_shown_groups(m, clusters)]
    elif isinstance(wanted, Branches):
        levels = [_placed(m, wanted.groups(m, depth)) for depth in range(1, wanted.levels + 1)]
        orders["hierarchy"] = list(map(m.labels.index, class_order(m, wanted)))
    elif isinstance(wanted, Mapping):
        given = {
            name: as_list(f"class_groups[{name!r:.60}]", each, "classes")
            for name, each in wanted.items()
        }
        # Refuses classes in two groups.
        merged(m.labels, given)
        levels = [_placed(m, given)]
        listed = chain(*levels[0].values(), range(m.n_classes))
        orders["hierarchy"] = list(dict.fromkeys(listed))
    elif wanted is not None and wanted is not False:
        msg = f"`class_groups` is a mapping of name to classes, a Hierarchy, True or False, not {told(wanted)}"
        raise InputError(msg)
    return orders, levels


def _placed(m: ConfusionMatrix, groups: Mapping[Any, Iterable[Any]]) -> Level:
    """Groups with the places of their classes."""
    return {name: list(map(m.labels.index, members)) for name, members in groups.items()}


def _shown_groups(m: ConfusionMatrix, groups: Level) -> Level:
    """The groups within which a confusion is shown, where that is tested: chance gives no name."""
    shown = shown_in(m)
    if shown is None:
        return groups
    group = {place: name for name, members in groups.items() for place in members}
    held = {group.get(row) for row, column in shown if group.get(row) == group.get(column)}
    return {name: members for name, members in groups.items() if name in held}


def _folds(levels: list[Level]) -> tuple[list[dict[str, Any]], list[list[list[int]]]]:
    """The groups of several classes, outer ones first, each with the one around it; and their members by level."""
    groups: list[dict[str, Any]] = []
    kept: list[list[list[int]]] = []
    innermost: dict[int, int] = {}
    for level in levels:
        kept.append([])
        for name, members in level.items():
            up = innermost.get(members[0], -1) if members else -1
            if len(members) < 2 or (up >= 0 and len(groups[up]["members"]) == len(members)):
                continue
            innermost |= dict.fromkeys(members, len(groups))
            groups.append({"name": _cut(printable(name)), "members": members, "up": up})
            kept[-1].append(members)
    return groups, kept

"""The summary: two or three sentences on what a matrix, or several, are shown to hold; chance gives no name in it."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from confmat.comparison import Comparison, Comparisons, Difference, Ranking, compare
from confmat.comparison.differences import DIFFERENT
from confmat.core.errors import ConfmatError, InputError
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import MAKES_ONE, door
from confmat.core.samples import Sample
from confmat.core.sources import opened
from confmat.core.stack import Stack
from confmat.core.tables import Tabular
from confmat.core.text import isolated, number, printable, shortened
from confmat.intervals.asked import ask
from confmat.intervals.clusters import PARTS, SAME_ITEMS
from confmat.intervals.door import estimate
from confmat.intervals.estimates import Estimate
from confmat.structure.evidence import ALPHA, Evidence, evidence

# The greatest length of a name, and the most names that are listed.
_LONGEST, _NAMED = 40, 3
# Axes along which matrices are of different questions, or of one model's: their differences say
# nothing of models.
NOT_COMPARED = SAME_ITEMS | PARTS
# Models that are compared with each other; of more, each with the first.
MOST_MODELS = 10
# Axes whose matrices follow each other, as those do whose keys are dates.
ORDERED = frozenset({
    "epoch", "step", "iteration", "round", "version", "time", "hour", "day", "date", "week", "month", "quarter", "year",
})  # fmt: skip
_NOTHING = "nothing that can be shown"
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?\b")


@opened
@door
def summary(
    m: ConfusionMatrix | Stack | Mapping[Any, ConfusionMatrix] | Comparisons | Tabular,
) -> str:
    """Say in two or three sentences what a matrix, or a comparison, is shown to hold.

    The first sentence is the share of right answers with its interval of 95 %. Classes and
    confusions are named where the data show that there is more to them than chance: those that
    `top_confusions` flags, the foremost first. Between models, only differences are named that
    `compare` shows. The report page, the notebook and `confmat report` open with the same
    sentences.

    Parameters
    ----------
    m
        A matrix, or several as a mapping or a stack; what `compare` or `compare_predictions` gave,
        by category, too; or the path of one. A gap, a decision curve or a calibration, which holds
        no matrix, is summed up in its own sentences.

    Returns
    -------
    str
        Plain text, for a message or for readers who do not see a picture.

    Examples
    --------
    >>> rows = [
    ...     [78, 18, 1, 2, 1],
    ...     [15, 78, 2, 3, 2],
    ...     [1, 2, 93, 2, 2],
    ...     [2, 3, 3, 90, 2],
    ...     [3, 2, 2, 3, 90],
    ... ]
    >>> summary(ConfusionMatrix(rows, ["cat", "dog", "hen", "owl", "pig"]))
    '85.8% right (82–89). cat and dog are exchanged: 33 items.'
    """
    return " ".join(sentences(m))


def sentences(m: Any) -> list[str]:
    """The sentences of the summary."""
    if isinstance(m, ConfusionMatrix):
        return of_one(m)
    if isinstance(m, Comparison) and m.matrices:
        return of_several(m, list(m.counted), "model")
    if isinstance(m, Comparisons):
        return [f"{printable(key)}: {sentences(part)[0]}" for key, part in m.parts.items()]
    if isinstance(m, Ranking):
        top = _listed(list(map(_name, m.top)))
        return [f"{len(m.models)} models by {m.score}: none is shown to be better than {top}."]
    if not isinstance(m, Stack) and hasattr(m, "sentences"):
        # Results without a matrix say themselves what they show.
        return list(m.sentences())
    models = stacked(m, "`summary` takes")
    axis = printable(models.axis)
    if len(models) == 1:
        return of_one(next(iter(models.values())))
    successive = follows(axis, list(models))
    comparison = None if axis in NOT_COMPARED else comparison_of(models, successive=successive)
    if comparison is None:
        return [f"{len(models)} matrices, one for each {axis}."]
    return of_several(comparison, list(map(printable, models)), axis)


def stacked(m: Any, taken: str) -> Stack:
    """Return several matrices as a stack; whoever takes them begins the error about anything else."""
    if isinstance(m, Comparison):
        m = m.counted
    if isinstance(m, Comparisons):
        msg = f"{taken} one comparison; take that of a category, such as [{next(iter(m))!r}]"
        raise InputError(msg)
    if isinstance(m, Mapping) and not isinstance(m, Stack):
        m = Stack(m, axis="model")
    if not isinstance(m, Stack):
        known = "a ConfusionMatrix, a Stack or a mapping of names to matrices, or a Comparison"
        msg = f"{taken} {known}, not {type(m).__name__}; {MAKES_ONE}"
        raise InputError(msg)
    return m


# ---- one matrix ----------------------------------------------------------------------------------


def of_one(m: ConfusionMatrix, known: Evidence | None = None) -> list[str]:
    """The sentences on one matrix; `known` is its evidence, where somebody has it already."""
    if not m.total:
        return ["Nothing was counted."]
    if any(m.actual_totals[m.n_classes :]):
        clauses = [
            _share(_estimated(m, "recall.micro"), "found"),
            _share(_estimated(m, "precision.micro"), "of the answers right"),
        ]
    else:
        right = _estimated(m, "accuracy")
        clauses = [_share(right, "right") + _constant(m, right)]
    if (positive := m.labels.positive) is not None:
        clauses += [
            _share(_estimated(m, f"recall[{positive}]"), f"of {_name(positive)} found"),
            _share(
                _estimated(m, f"precision[{positive}]"), f"of the answers {_name(positive)} right"
            ),
        ]
    known = evidence(m) if known is None else known
    never = never_answered(m)
    if len(never):
        clauses.append(f"It never answers {_listed([_name(m.labels[i]) for i in never])}")
    return [f"{clause}." for clause in (*clauses, *_confused(m, known)) if clause]


def _estimated(m: ConfusionMatrix, score: str) -> Estimate | None:
    """A score with its interval; None where it is refused, or has no value."""
    try:
        found = estimate(ask(m, score), m)
    except ConfmatError:
        return None
    assert isinstance(found, Estimate)
    return None if math.isnan(found.value) else found


def _share(found: Estimate | None, what: str) -> str:
    """A score with its interval, in per cents; nothing where it has no value."""
    if found is None:
        return ""
    low, high = 100 * found.low, 100 * found.high
    digits = 0 if high - low >= 2 else 1 if high - low >= 0.2 else 2
    between = "" if math.isnan(high - low) else f" ({low:.{digits}f}–{high:.{digits}f})"
    return f"{found.value:.1%} {what}{between}"


def _constant(m: ConfusionMatrix, right: Estimate | None) -> str:
    """Whether one constant answer might do as well as what is right."""
    most = float(m.actual_totals.max()) / float(m.total)
    if right is None or not right.low <= most:
        return ""
    return f", not shown to be more than one answer to everything would have ({most:.1%})"


def never_answered(m: ConfusionMatrix) -> list[int]:
    """Classes that are never answered, though by chance they would be, those with most items first.

    Were a class answered as often as others are answered rightly, that many items would all be missed
    with a chance that stays below the level when taken for all classes (Bonferroni).
    """
    k = m.n_classes
    actual, hits = (part[:k].astype(np.float64) for part in (m.actual_totals, m.diagonal))
    right = hits.sum() / max(actual.sum(), 1e-300)
    size = _item(m)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = actual / size * np.log1p(-right)
    never = (actual > 0) & (m.predicted_totals[:k] == 0) & (chance <= math.log(ALPHA / max(k, 1)))
    places = np.flatnonzero(never)
    return places[np.argsort(-actual[places], kind="stable")].tolist()


def _item(m: ConfusionMatrix) -> float:
    """The weight of an item, in the mean by weight."""
    if isinstance(m, Sample):
        return float((m.units.squared.sum()) / max(m.units.weight.sum(), 1e-300)) or 1.0
    return 1.0 if m._squares is None else float(m._squares.total) / float(m.total)


def _confused(m: ConfusionMatrix, known: Evidence) -> list[str]:
    """The foremost confusion that is shown, and how many more are."""
    errors, shown = known.errors, known.shown
    if not len(errors.counts):
        return []
    if not shown:
        return (
            _commonest(m, known)
            if known.untested
            else ["No pair of classes is shown to be confused more than others"]
        )
    i, j = shown[0]
    a, b = (_name(m.labels[place]) for place in (i, j))
    taken, times, more = f"{a} is taken for {b}", errors.at(i, j), len(shown) - 1
    if (j, i) in shown:
        taken, times, more = f"{a} and {b} are exchanged", times + errors.at(j, i), more - 1
    elif j >= m.n_classes:
        taken = f"{a} is answered {b}"
    if not more:
        return [f"{taken}: {_items(m, times)}"]
    are = "confusion is" if more == 1 else "confusions are"
    return [f"{taken} most: {_items(m, times)}; {number(more)} more {are} shown"]


def _commonest(m: ConfusionMatrix, known: Evidence) -> list[str]:
    """The most frequent of confusions of which none can be expected, where it is shown to be more frequent."""
    errors = known.errors
    if errors.unit is None:
        return []
    first = known.order(2)
    counts = np.append(errors.counts[first] / errors.unit[first], 0.0)[:2]
    # Either of two would have as many of both with this chance; of more, any pair might have.
    tests = max(len(errors.counts) * (len(errors.counts) - 1), 2)
    # Few need no SciPy: the chance is no less than if the other pair had none.
    if 0.5 ** counts[0] * tests > ALPHA:
        return []
    from scipy.special import betainc

    if betainc(counts[0], counts[1] + 1, 0.5) * tests > ALPHA:
        return []
    a, b = (_name(m.labels[side[first[0]]]) for side in (errors.rows, errors.cols))
    return [f"Most often, {a} is taken for {b}: {_items(m, errors.exact[first[0]].item())}"]


def _items(m: ConfusionMatrix, count: float) -> str:
    if isinstance(m, Sample):
        return f"about {number(round(count))} items"
    return (
        f"a weight of {number(count)}"
        if m.is_weighted
        else f"{number(count)} item{'s' * (count != 1)}"
    )


def _name(label: Any) -> str:
    text = isolated(shortened([printable(label)], _LONGEST)[0])
    return text if isinstance(label, str) else f"class {text}"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = [f"{number(len(names) - _NAMED)} more"] if len(names) > _NAMED + 1 else []
    *first, last = [*names[: _NAMED if more else None], *more]
    return f"{', '.join(first)} and {last}" if first else last


# ---- several -------------------------------------------------------------------------------------


def of_several(comparison: Comparison, names: Sequence[str], axis: str) -> list[str]:
    """The sentences on several models, under these names."""
    name = dict(zip(comparison.models, map(_name, names), strict=True))
    score = "accuracy" if "accuracy" in comparison.scores else comparison.differences[0].score
    what = "right answers" if score == "accuracy" else score
    asked = comparison.of_score(score)
    held = [each for each in asked if each.verdict == DIFFERENT]
    if len(name) > 2:
        many = f"{len(held)} of {len(asked)} differences of {what} are shown"
        none = f"no difference of {what} is shown"
        return [f"{len(name)} {axis}s: {many if held else none}.", *_best(held, name)]
    return [_difference(asked[0], what, name), *_changed(comparison, asked[0].second, name)]


def _difference(difference: Difference, what: str, name: Mapping[str, str]) -> str:
    """The sentence on one difference of two models."""
    gap = f"{100 * difference.difference:+.1f}, {100 * difference.low:+.1f} to {100 * difference.high:+.1f}"
    values = " → ".join(f"{value:.1%}" for value in difference.values)
    numbers = f"{values} ({gap.replace('-', '−')})"
    first, second = name[difference.first], name[difference.second]
    if difference.verdict != DIFFERENT:
        return f"{first} and {second}: no difference of {what} is shown, {numbers}."
    return f"{second} has {'more' if difference.difference > 0 else 'fewer'} {what} than {first}: {numbers}."


def _best(held: Sequence[Difference], name: dict[str, str]) -> list[str]:
    """The model that is shown to be better than others, the last of several, if none is shown to be better than it."""
    worse: dict[str, list[str]] = {model: [] for model in reversed(name)}
    beaten = set()
    for difference in held:
        pair = (
            (difference.first, difference.second)
            if difference.difference > 0
            else (difference.second, difference.first)
        )
        beaten.add(pair[0])
        worse[pair[1]].append(name[pair[0]])
    unbeaten = [model for model in worse if model not in beaten and worse[model]]
    if not unbeaten:
        return []
    best = max(unbeaten, key=lambda model: len(worse[model]))
    return [f"{name[best]} has more than {_listed(worse[best])}."]


def _changed(comparison: Comparison, second: str, name: Mapping[str, str]) -> list[str]:
    """Classes that the second model is shown to get right more often, and less often."""
    labels = next(iter(comparison.matrices.values())).labels
    cells = [cell for cell in comparison.cells(None) if cell.verdict == DIFFERENT and cell.is_hit]
    if not cells:
        return ["No class is shown to change."] if labels.n_classes > 2 else []
    if comparison.design.startswith("different"):
        verbs = "is more often right on", "less often on"
        named = [(cell.share, _name(cell.actual)) for cell in cells]
    else:
        verbs = "fixes", "breaks"
        named = [
            (cell.change, f"{number(abs(cell.change))} of {_name(cell.actual)}") for cell in cells
        ]
    up, down = (
        _listed([text for change, text in named if (change > 0) is rises] or [_NOTHING])
        for rises in (True, False)
    )
    return [f"{name[second]} {verbs[0]} {up} and {verbs[1]} {down}."]


def follows(axis: str, keys: Sequence[Any]) -> bool:
    """Whether matrices follow each other, as days and epochs do.

    >>> (
    ...     follows("day", ["Mon", "Tue", "Wed"]),
    ...     follows("batch", ["2024-01", "2024-02", "2024-03"]),
    ...     follows("site", "ab"),
    ... )
    (True, True, False)
    """
    if len(keys) < 3:
        return False
    dates = all(isinstance(key, datetime.date) or _DATE.match(str(key)) for key in keys)
    return axis.casefold() in ORDERED or (dates and all(str(a) < str(b) for a, b in pairwise(keys)))


def comparison_of(models: Mapping[Any, ConfusionMatrix], *, successive: bool) -> Comparison | None:
    """The models by their places, compared as far as their matrices allow; None where they cannot be."""
    pairs: Any = "successive" if successive else "all" if len(models) <= MOST_MODELS else "first"
    named = {str(at): m for at, m in enumerate(models.values())}
    try:
        return compare(named, metrics=["accuracy"], pairs=pairs)
    except ConfmatError:
        return None

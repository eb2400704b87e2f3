"""The differences that the report page shows: the answers of `compare`, pair by pair, packed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from confmat.comparison import Comparison, Difference, Pairing
from confmat.core.errors import ConfmatError
from confmat.core.text import number
from confmat.display.payload import numbers
from confmat.metrics.catalog import Score
from confmat.metrics.declaration import Metric

# Differences of classes that are tested, steps of classes over time, filled cells; and answers that
# are listed.
MOST_CLASSES, MOST_STEPS, MOST_CELLS, MOST_ANSWERS = 240, 400, 500_000, 50
_HOW = {
    "paired": "answers of all models to the same items",
    "same items": "matrices of the same items, whose answers are not known one by one",
}


def compared(
    comparison: Comparison, scores: Sequence[Score], metrics: Iterable[Any], *, successive: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the differences of the whole, of classes, cells and answers, and what there is to remark."""
    place = {name: at for at, name in enumerate(comparison.models)}
    overall = [_overall(comparison, score) for score in scores]
    tested = list(metrics)
    if len(tested) * next(iter(comparison.matrices.values())).n_classes > MOST_CLASSES:
        tested = ["f1"]
    asked = comparison._of_classes(tested)
    classes_left, cells_left, left_out = MOST_CLASSES, MOST_CELLS, 0
    tests = []
    # The latest differences first, where not all are tested.
    for names in comparison.pairs[::-1] if successive else comparison.pairs:
        test: dict[str, Any] = {
            "pair": [place[name] for name in names],
            "overall": [_rounded(found.get(names)) for found in overall],
        }
        classes_left -= len(asked)
        if classes_left >= 0:
            test["classes"] = _packed(comparison._family(asked, [names], together=True))
        else:
            left_out += 1
        cells_left -= sum(len(comparison.matrices[name].pairs()) for name in names)
        if cells_left >= 0:
            test["cells"] = _cells(comparison, names)
        if isinstance(comparison.pairings.get(names), Pairing):
            test["answers"] = _answers(comparison, names)
        tests.append(test)
    notes = list(comparison.notes)
    if left_out:
        many = (
            "classes"
            if len(tests) == 1
            else f"classes of {number(left_out)} of {number(len(tests))} pairs"
        )
        notes.append(
            f"differences of {many} are not tested, since there are so many; `classes` of "
            "`compare` tests them"
        )
    how = _HOW.get(comparison.design, comparison.design)
    trend = _trend(comparison) if successive else None
    facts = {
        "how": how,
        "successive": successive,
        "metrics": tested,
        "pairs": tests,
        "trend": trend,
    }
    return {"level": comparison.level, **facts}, notes


def _overall(comparison: Comparison, score: Score) -> dict[tuple[str, str], Difference]:
    """The differences of one score by pair: those of the comparison, or of its family."""
    found = [one for one in comparison.differences if one.score == str(score)]
    if not found and isinstance(score.metric, Metric):
        try:
            found = comparison._family([score], comparison.pairs)
        except ConfmatError:
            found = []
    return {(one.first, one.second): one for one in found}


def said(verdict: str) -> int:
    """A verdict as a number: 0 is no answer, 1 not shown to be different, 2 undecided, 3 different."""
    return {"different": 3, "not shown to be different": 1, "not comparable": 0}.get(verdict, 2)


def _rounded(one: Difference | None) -> list[Any]:
    if one is None:
        return [None, None, 0]
    ends = (round(end, 6) if math.isfinite(end) else None for end in (one.low, one.high))
    return [*ends, said(one.verdict)]


def _packed(differences: Sequence[Difference]) -> dict[str, Any]:
    """Bounds in ten thousandths from -1 on, 30000 where there is none, and verdicts."""
    ends = np.array([[one.low, one.high] for one in differences], dtype=np.float64)
    low, high = (
        np.where(np.isfinite(ends), np.round((np.clip(ends, -1, 1) + 1) * 1e4), 3e4)
        .astype(np.int64)
        .T
    )
    return {"low": numbers(low), "high": numbers(high), "said": _verdicts(differences)}


def _verdicts(differences: Iterable[Difference]) -> dict[str, Any]:
    return numbers(np.array([said(one.verdict) for one in differences], dtype=np.int64))


def _cells(comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """The places of cells that differ, and of those that are undecided, each by its distance from the one before."""
    labels = comparison.matrices[names[0]].labels
    places: dict[int, list[int]] = {2: [], 3: []}
    for cell in comparison.cells(None, *names):
        places.setdefault(said(cell.verdict), []).append(
            labels.index(cell.actual) * len(labels) + labels.index(cell.predicted)
        )
    steps = (
        numbers(np.diff(np.sort(np.array(places[code], dtype=np.int64)), prepend=0))
        for code in (3, 2)
    )
    return dict(zip(("different", "undecided"), steps, strict=True))


def _answers(comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """Items that became right and that became wrong: how many, and by class and both answers."""
    labels = comparison.matrices[names[0]].labels
    found: dict[str, list[list[Any]]] = {"fixed": [], "broken": []}
    for one in comparison.answers(None, *names):
        if one.kind in found:
            found[one.kind].append(
                [*map(labels.index, (one.actual, one.first, one.second)), one.count]
            )
    return {
        kind: {
            "items": math.fsum(row[-1] for row in rows),
            "pairs": len(rows),
            "rows": rows[:MOST_ANSWERS],
        }
        for kind, rows in found.items()
    }


def _trend(comparison: Comparison) -> dict[str, Any] | None:
    """The verdicts of the F1 of each class from one matrix to the next, all held together; None of too many."""
    scores = comparison._of_classes(["f1"])
    if len(scores) * len(comparison.pairs) > MOST_STEPS:
        return None
    return _verdicts(comparison._family(scores, comparison.pairs, together=True))

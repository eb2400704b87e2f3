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
    # The latest differences first, where not all are tested.
    pairs = comparison.pairs[::-1] if successive else comparison.pairs
    cells_left, kept, tests = MOST_CELLS, MOST_CLASSES // max(len(asked), 1), []
    for at, names in enumerate(pairs):
        test: dict[str, Any] = {
            "pair": [place[name] for name in names],
            "overall": [_rounded(found.get(names)) for found in overall],
        }
        if at < kept:
            test["classes"] = _packed(comparison._family(asked, [names], together=True))
        cells_left -= sum(len(comparison.matrices[name].pairs()) for name in names)
        if cells_left >= 0:
            test["cells"] = _cells(comparison, names)
        if isinstance(comparison.pairings.get(names), Pairing):
            test["answers"] = _answers(comparison, names)
        tests.append(test)
    data = {
        "level": comparison.level,
        "how": _HOW.get(comparison.design, comparison.design),
        "successive": successive,
        "metrics": tested,
        "pairs": tests,
        "trend": _trend(comparison) if successive else None,
    }
    return data, [*comparison.notes, *_left_out(len(pairs) - kept, len(pairs))]


def _left_out(pairs: int, of: int) -> list[str]:
    """The note on pairs of models whose classes are not tested."""
    if pairs <= 0:
        return []
    many = "classes" if of == 1 else f"classes of {number(pairs)} of {number(of)} pairs"
    why = "since there are so many; `classes` of `compare` tests them"
    return [f"differences of {many} are not tested, {why}"]


def _overall(comparison: Comparison, score: Score) -> dict[tuple[str, str], Difference]:
    """The differences of one score by pair: those of the comparison, or of its family."""
    found = [difference for difference in comparison.differences if difference.score == str(score)]
    if not found and isinstance(score.metric, Metric):
        try:
            found = comparison._family([score], comparison.pairs)
        except ConfmatError:
            found = []
    return {(difference.first, difference.second): difference for difference in found}


def coded(verdict: str) -> int:
    """A verdict as a number: 0 is no answer, 1 not shown to be different, 2 undecided, 3 different."""
    return {"different": 3, "not shown to be different": 1, "not comparable": 0}.get(verdict, 2)


def _rounded(difference: Difference | None) -> list[Any]:
    if difference is None:
        return [None, None, 0]
    ends = (
        round(end, 6) if math.isfinite(end) else None for end in (difference.low, difference.high)
    )
    return [*ends, coded(difference.verdict)]


def _packed(differences: Sequence[Difference]) -> dict[str, Any]:
    """Bounds in ten thousandths from -1 on, 30000 where there is none, and verdicts."""
    ends = np.array(
        [[difference.low, difference.high] for difference in differences], dtype=np.float64
    )
    low, high = (
        np.where(np.isfinite(ends), np.round((np.clip(ends, -1, 1) + 1) * 1e4), 3e4)
        .astype(np.int64)
        .T
    )
    return {"low": numbers(low), "high": numbers(high), "said": _verdicts(differences)}


def _verdicts(differences: Iterable[Difference]) -> dict[str, Any]:
    return numbers(
        np.array([coded(difference.verdict) for difference in differences], dtype=np.int64)
    )


def _cells(comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """The places of cells that differ, and of those that are undecided, each by its distance from the one before."""
    labels = comparison.matrices[names[0]].labels
    places: dict[int, list[int]] = {code: [] for code in range(4)}
    for cell in comparison.cells(None, *names):
        place = labels.index(cell.actual) * len(labels) + labels.index(cell.predicted)
        places[coded(cell.verdict)].append(place)

    def steps(code: int) -> dict[str, Any]:
        return numbers(np.diff(np.sort(np.array(places[code], dtype=np.int64)), prepend=0))

    return {"different": steps(3), "undecided": steps(2)}


def _answers(comparison: Comparison, names: tuple[str, str]) -> dict[str, Any]:
    """Items that became right and that became wrong: how many, and by class and both answers."""
    labels = comparison.matrices[names[0]].labels
    found: dict[str, list[list[Any]]] = {"fixed": [], "broken": []}
    for change in comparison.answers(None, *names):
        if change.kind in found:
            found[change.kind].append(
                [*map(labels.index, (change.actual, change.first, change.second)), change.count]
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

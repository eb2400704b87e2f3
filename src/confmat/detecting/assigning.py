"""Assigning: each predicted box goes with a truth, into a region to ignore, or with the background."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat._options import one_of
from confmat.detecting.overlapping import Candidates
from confmat.detecting.scenes import Scene
from confmat.errors import InputError, Message
from confmat.matching import match

__all__ = ["Assigned", "Matching", "Rules", "SameClass", "assign", "paired"]

Array = NDArray[Any]
Matching = Literal["optimal", "confidence", "overlap"]
SameClass = Literal["first", "only", "ignored"]


class Rules(NamedTuple):
    """How boxes are matched."""

    matching: Matching
    same_class: SameClass

    def check(self) -> None:
        """Refuse what is no such way."""
        for name, value, kind in (("matching", self[0], Matching), ("same_class", self[1], SameClass)):
            one_of(name, value, kind)


class Assigned(NamedTuple):
    """Pairs of places that go together, the predictions that regions took in, and those that were considered."""

    truth: Array
    predicted: Array
    overlap: Array
    taken_in: Array
    kept: Array


def assign(scene: Scene, rules: Rules, iou: float, kept: Array) -> Assigned:
    """Match what overlaps by `iou` or more, of the predictions that are `kept`.

    Boxes of one class are matched first. What is still free and lies in a region to ignore of its own class is taken
    in by it, as often as there is somebody; then boxes of different classes are matched, and what is free after that
    may lie in a region for all classes.
    """
    pairs, regions = (_enough(part, iou, kept) for part in (scene.pairs, scene.regions))
    alike, home = (scene.actual[part.truth] == scene.guessed[part.predicted] for part in (pairs, regions))
    everyone = scene.actual[regions.truth] < 0
    passes = {
        "first": [(alike, home), (~alike, everyone)],
        "only": [(alike, home | everyone)],
        "ignored": [(np.ones_like(alike), np.ones_like(home))],
    }[rules.same_class]
    busy_truth, busy, taken_in = (np.zeros(n, bool) for n in (len(scene.actual), *[len(scene.guessed)] * 2))
    chosen = np.zeros(0, np.intp)
    for together, inside in passes:
        places = np.flatnonzero(together & ~busy_truth[pairs.truth] & ~busy[pairs.predicted])
        places = places[_matched(scene, Candidates(*(part[places] for part in pairs)), rules.matching)]
        busy_truth[pairs.truth[places]] = busy[pairs.predicted[places]] = True
        chosen = np.concatenate([chosen, places])
        lost = regions.predicted[inside & ~busy[regions.predicted]]
        busy[lost] = taken_in[lost] = True
    chosen.sort()
    return Assigned(pairs.truth[chosen], pairs.predicted[chosen], pairs.overlap[chosen], taken_in, kept)


def _enough(part: Candidates, iou: float, kept: Array) -> Candidates:
    places = np.flatnonzero((part.overlap >= iou) & kept[part.predicted])
    return part if len(places) == len(part.overlap) else Candidates(*(one[places] for one in part))


def _matched(scene: Scene, pairs: Candidates, matching: Matching) -> Array:
    """Which pairs are taken; of equally good choices only COCO's goes by the order of the boxes."""
    scores = scene.predicted.scores
    if matching == "confidence":
        if scores is None:
            msg = Message("predictions have no {scores}, by which they would choose in matching='confidence'")
            raise InputError(msg)
        return match(*pairs, how="greedy", confidence=scores)
    sure = [] if scores is None else [-scores]
    ties = [*scene.truth.corners.T, scene.actual], [*sure, *scene.predicted.corners.T, scene.guessed]
    return match(*pairs, how="optimal" if matching == "optimal" else "greedy", ties=ties)


def paired(scene: Scene, found: Assigned) -> tuple[Array, Array, Array, Array, Array]:
    """Row, column, true box, predicted box (-1 for none) and overlap of everything that is counted."""
    background = scene.labels.index(scene.labels.outside[-1])
    missed = np.ones(len(scene.actual), bool) & ~scene.truth.ignored
    missed[found.truth] = False
    alone = found.kept & ~found.taken_in
    alone[found.predicted] = False
    lost, spare = np.flatnonzero(missed), np.flatnonzero(alone)
    nothing = np.full(len(lost) + len(spare), -1)
    left = np.concatenate([found.truth, lost, nothing[: len(spare)]])
    right = np.concatenate([found.predicted, nothing[: len(lost)], spare])
    rows = np.append(scene.actual, background)[left]
    cols = np.append(scene.guessed, background)[right]
    return rows, cols, left, right, np.concatenate([found.overlap, np.zeros(len(nothing))])

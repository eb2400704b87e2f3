"""Models compared by clusters: images, documents, patients or prompts, which are what was drawn, and not their items.

Items of one cluster resemble each other, and two models find the same clusters hard. So of each
cluster it is asked how much more it moves the score of the one model than that of the other, each
by the gradient at its own matrix; the variance of the difference is that between the clusters
(Miller, "Adding Error Bars to Evals", 2024, for a mean). Its degrees of freedom are the clusters
that the score rests on, less one: those that hold the class, and of a mean over classes as many as
the parts of its variance say (Satterthwaite 1946), whatever else there is in other clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from confmat.comparison.differences import (
    Difference,
    Evidence,
    Pair,
    conclude,
    drawn_clusters,
    half_unmoved,
    of_samples,
)
from confmat.comparison.pairing import empty_over
from confmat.comparison.significance import least_p, p_and_error, student_p
from confmat.core.align import models_by_text
from confmat.core.errors import InputError, Message, Remedy
from confmat.core.stack import Stack
from confmat.core.text import fit, printable, some
from confmat.intervals.bounds import student_quantile
from confmat.intervals.clusters import (
    PARTS,
    SAME_ITEMS,
    Contents,
    check_clusters,
    moving,
    variance_of_sum,
)
from confmat.intervals.folds import CORRECTED, FOLD, caveat, corrected, scores_of
from confmat.intervals.variance import Slope
from confmat.metrics import Score

Array = NDArray[np.float64]
# More matrices of a stack than this are models only if its axis says so.
_MOST_RIVALS = 20
# Below this many clusters, verdicts on differences depend on how these are spread.
FEW = 30
# Metrics promise twelve digits; what differs by less is rounding, which may well be the same in all
# clusters.
_EQUAL = 1e-12
_NO_SLOPE = "the score has no derivative; clusters were drawn again"
_NAMES = {"image": "images", "document": "documents", "item": "items", "fold": "folds"}


@dataclass(frozen=True, eq=False)
class Clusters:
    """The matrices of two models cluster by cluster: of the same clusters in the same order, or of others."""

    stacks: tuple[Stack, Stack]
    contents: tuple[Contents, Contents]
    shared: bool

    @property
    def axis(self) -> str:
        """The name of a cluster, such as "image"."""
        return fit(printable(self.stacks[0].axis), 40)

    @property
    def number(self) -> int:
        """How many clusters there are: of clusters that are not shared, those of both."""
        first, second = (held.number for held in self.contents)
        return first if self.shared else first + second

    def swapped(self) -> Clusters:
        """The same with the models in each other's place."""
        return Clusters(self.stacks[::-1], self.contents[::-1], self.shared)

    @cached_property
    def changed(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp], Array]:
        """The cells of shared clusters that differ: cluster, row, column, and the second count minus the first."""
        size = 1 + max(
            int(part.max(initial=0)) for held in self.contents for part in (held.rows, held.cols)
        )
        places = [(held.cluster * size + held.rows) * size + held.cols for held in self.contents]
        filled, belongs = np.unique(np.concatenate(places), return_inverse=True)
        more = np.bincount(
            belongs,
            np.concatenate([-self.contents[0].counts, self.contents[1].counts]),
            len(filled),
        )
        filled, more = filled[more != 0], more[more != 0]
        return filled // size**2, filled // size % size, filled % size, more

    def differing(self, slopes: tuple[Slope, Slope] | None) -> int:
        """On how many clusters the models differ by what a score moves with; without slopes, at all."""
        cluster, rows, cols, _ = self.changed
        if slopes is not None:
            seen = np.any([moving(by, rows, cols) for by in slopes], axis=0)
            cluster = cluster[seen]
        return len(np.unique(cluster))

    def telling(self, by: Slope) -> float:
        """On how many shared clusters a difference rests, by the slope of the score halfway between the models."""
        cluster, rows, cols, more = self.changed
        return resting_on(self.contents[0], cluster, rows, more * by.at(rows, cols))

    def unlike(self) -> int:
        """In how many clusters a class does not occur equally often for both."""
        cluster, rows, _, more = self.changed
        k = self.stacks[0].n_classes
        inside = rows < k
        places, belongs = np.unique(cluster[inside] * k + rows[inside], return_inverse=True)
        gaps = np.abs(np.bincount(belongs, more[inside], len(places)))
        largest = max(float(held.counts.max(initial=0)) for held in self.contents)
        return len(np.unique(places[gaps > 1e-9 * largest] // k))

    def cells(self) -> dict[tuple[int, int], float]:
        """Return a p-value for each cell of shared clusters in which the models differ."""
        if not self.shared or self.axis == FOLD or len(self.stacks[0].labels.outside) > 1:
            return {}
        _, rows, cols, more = self.changed
        size = len(self.stacks[0].labels)
        places, belongs = np.unique(rows * size + cols, return_inverse=True)
        sums, squares, many = (np.bincount(belongs, part) for part in (more, more * more, None))
        errors = np.sqrt(
            np.maximum(squares - sums * sums / self.number, 0) * self.number / (self.number - 1)
        )
        parts = (part.tolist() for part in (places, sums, errors, many))
        return {
            divmod(place, size): p_and_error(gap, error, clusters, self.number - 1)[0]
            for place, gap, error, clusters in zip(*parts, strict=True)
        }


def check_rivals(stack: Stack, pairs: str) -> None:
    """Complain of a stack whose matrices are no rivals: other questions, other rules, or parts of one sample."""
    many = len(stack) > _MOST_RIVALS and stack.axis != "model" and pairs == "all"
    if not (many or stack.axis in SAME_ITEMS | PARTS):
        return
    what = (
        "are of one model" if stack.axis in SAME_ITEMS
        else "are parts of the sample of one model" if stack.axis in PARTS
        else f"are {len(stack):,}, as groups of the items of one model are"
    )  # fmt: skip
    advice = "matrix, stack[key]," if stack.axis in SAME_ITEMS else "such stack"
    msg = Message(
        "the matrices of a stack along {!r} {}, and no rivals: give one {} for each model{}",
        stack.axis,
        what,
        advice,
        Remedy(
            "models",
            ", {'old': ..., 'new': ...}; if they are rivals all the same, stack.along('model') "
            "says so",
        ),
    )
    raise InputError(msg)


def stacks_of(matrices: Any, *, shared: bool) -> dict[str, Stack] | None:
    """The stacks of models, over common labels and with their clusters in one order; None if they are matrices."""
    if isinstance(matrices, Stack) or not isinstance(matrices, Mapping):
        return None
    models = models_by_text(matrices)
    stacks = {name: stack for name, stack in models.items() if isinstance(stack, Stack)}
    if not stacks:
        return None
    if alone := [name for name in models if name not in stacks]:
        msg = (
            f"{some(alone)} is no stack of clusters, but {some(stacks)} is; models are compared by "
            "a stack for each, with the same clusters, or by a matrix for each, such as stack.sum()"
        )
        raise InputError(msg)
    axes = sorted({stack.axis for stack in stacks.values()})
    if len(axes) > 1:
        msg = f"clusters are of one kind, but these stacks are along {some(axes)}; stack.along(...) names an axis"
        raise InputError(msg)
    for stack in stacks.values():
        check_clusters(stack)
    if shared:
        _check_keys(stacks)
    return _united(stacks)


def _check_keys(stacks: Mapping[str, Stack]) -> None:
    """Every model has every cluster."""
    first, *others = stacks
    for other in others:
        clusters, facts = _many(stacks[first].axis), []
        for model, rival in ((first, other), (other, first)):
            lost = [key for key in stacks[model] if key not in stacks[rival]]
            if lost:
                facts.append(
                    f"{some([rival])} lacks {len(lost):,} of the {clusters} of {some([model])}: "
                    f"{some(lost)}"
                )
        if facts:
            msg = Message(
                "{}; models are compared on the same {}, so count all models on the same ones, or "
                "say "
                "{same_items:False} if each has a sample of its own",
                " and ".join(facts),
                clusters,
            )
            raise InputError(msg)


def _many(axis: str) -> str:
    return _NAMES.get(axis, "clusters")


def _united(stacks: dict[str, Stack]) -> dict[str, Stack]:
    """The same stacks over the labels of all."""
    empty = empty_over(stacks)
    return {
        name: stack
        if stack.labels == empty.labels
        else Stack(
            {key: m + empty for key, m in stack.items()}, axis=stack.axis, ungrouped=stack.ungrouped
        )
        for name, stack in stacks.items()
    }


def clusters_of(stacks: dict[str, Stack], *, shared: bool) -> dict[tuple[str, str], Clusters]:
    """Each two models, cluster by cluster."""
    held = {name: Contents.of(stack) for name, stack in stacks.items()}
    if shared:
        place = {key: at for at, key in enumerate(next(iter(stacks.values())))}
        order = {
            name: np.array([place[key] for key in stack], dtype=np.intp)
            for name, stack in stacks.items()
        }
        held = {
            name: replace(each, cluster=order[name][each.cluster]) for name, each in held.items()
        }
    return {
        (first, second): Clusters(
            (stacks[first], stacks[second]), (held[first], held[second]), shared
        )
        for first, second in combinations(stacks, 2)
    }


def design_of(clusters: Mapping[tuple[str, str], Clusters]) -> tuple[str, list[str]]:
    """Return the design in words, and the notes on it."""
    first = next(iter(clusters.values()))
    many = _many(first.stacks[0].axis)
    fewest = min(held.number for pair in clusters.values() for held in pair.contents)
    if not first.shared:
        design, notes = (
            f"different {many}",
            [f"The {many} of the models are taken as drawn independently."],
        )
    else:
        design = f"paired by {first.axis}, {first.number:,} {many}"
        notes = [f"Paired by {first.axis}: {first.number:,} {many} with the answers of all models."]
        unlike = max(pair.unlike() for pair in clusters.values())
        if unlike:
            notes.append(
                f"In {unlike:,} of them a class does not occur equally often for all models; if "
                f"the {many} are not the "
                "same, say same_items=False."
            )
    if first.axis == FOLD:
        notes.append(f"Scores and differences are {caveat(first.stacks[0])}.")
    elif fewest < FEW:
        notes.append(
            f"{fewest} {many} are few: intervals and p-values lean on how differences are spread "
            "over them."
        )
    return design, notes


def of_clusters(score: Score, pair: Pair, clusters: Clusters, level: float) -> Difference:
    """The difference of one score by the variance between clusters."""
    if clusters.axis == FOLD:
        return _of_folds(score, pair, clusters, level)
    slopes = pair.slopes_if_any(score)
    if slopes is None:
        return _of_drawn(score, pair, clusters, level)
    if not clusters.shared:
        error, free = _spread_apart(clusters, slopes, (1.0, 1.0))
        test = "unpaired, by clusters, Welch's t"
        return of_samples(score, pair, clusters.stacks, error, level, test, clusters.number, free)
    first, second = (held.added(by) for held, by in zip(clusters.contents, slopes, strict=True))
    values, by = pair.values(score), pair.middle(score)
    telling = clusters.telling(by)
    free = max(telling - 1, 1.0)
    if math.isclose(*values, rel_tol=_EQUAL):
        values = values[0], values[0]
    gap, error, few = (
        values[1] - values[0],
        math.sqrt(variance_of_sum(second - first)),
        clusters.differing(slopes),
    )
    p, wide = p_and_error(
        gap, error * math.sqrt(_more(clusters.number, telling)), min(few, telling), free
    )
    half = wide * student_quantile((1 + level) / 2, free)
    if not few:
        half = max(half, half_unmoved(by, float(pair.matrices[0].total), telling, level))
    note = f"the models differ on {few} {_many(clusters.stacks[0].axis)} only" if few < 10 else ""
    test = f"paired by {clusters.axis}, Student's t"
    # A single cluster has no variance beside others.
    evidence = Evidence(p, p, error if few > 1 else wide, (gap - half, gap + half))
    return conclude(score, pair, values, evidence, level, test, clusters.number, note)


def _of_folds(score: Score, pair: Pair, clusters: Clusters, level: float) -> Difference:
    """The mean difference over folds that both models were tested on."""
    if not clusters.shared:
        msg = "models are compared over the same folds of the same items; leave {same_items} out"
        raise InputError(Message(msg))
    first, second = clusters.stacks
    before, after = (
        scores_of(first, score),
        scores_of(Stack({key: second[key] for key in first}, axis=FOLD), score),
    )
    error, half = corrected(after - before, first, level)
    values = float(before.mean()), float(after.mean())
    gap = values[1] - values[0]
    p = student_p(gap, error, len(before) - 1)
    evidence = Evidence(p, p, error, (gap - half, gap + half))
    return conclude(score, pair, values, evidence, level, CORRECTED, clusters.number, caveat(first))


def log_error(
    score: Score,
    pair: Pair,
    clusters: Clusters,
    slopes: tuple[Slope, Slope],
    values: tuple[float, float],
) -> tuple[float, float]:
    """Return the standard error of the logarithm of a ratio, and its degrees of freedom."""
    if clusters.axis == FOLD:
        msg = "no ratio is known over folds; of(score) has the difference"
        raise InputError(msg)
    if not clusters.shared:
        return _spread_apart(clusters, slopes, values)
    first, second = (
        held.added(by) / value
        for held, by, value in zip(clusters.contents, slopes, values, strict=True)
    )
    telling = clusters.telling(pair.middle(score))
    return math.sqrt(variance_of_sum(second - first) * _more(clusters.number, telling)), max(
        telling - 1, 1.0
    )


def _spread_apart(
    clusters: Clusters, slopes: tuple[Slope, Slope], over: tuple[float, float]
) -> tuple[float, float]:
    """Return the standard error of two samples of clusters, each over a number, and Welch's degrees of freedom."""
    spread, free = [], []
    for part, by, value in zip(clusters.contents, slopes, over, strict=True):
        many = resting_on(part, part.cluster, part.rows, part.counts * by.at(part.rows, part.cols))
        added = part.added(by) / value
        spread.append(variance_of_sum(added) * _more(len(added), many))
        free.append(max(many - 1, 1.0))
    return math.sqrt(sum(spread)), _welch(tuple(spread), tuple(free))


def resting_on(held: Contents, cluster: Any, rows: Any, added: Array) -> float:
    """Return the number of clusters a variance rests on, from what the items of each class in each add to a score."""
    size = 1 + max(int(part.max(initial=0)) for part in (held.rows, rows))
    places, belongs = np.unique(cluster * size + rows, return_inverse=True)
    squares = np.bincount(places % size, np.bincount(belongs, added, len(places)) ** 2, size)
    parts = squares > _EQUAL * squares.max(initial=0.0)
    if not parts.any():
        return held.number
    holding = np.bincount(np.unique(held.cluster * size + held.rows) % size, minlength=size)
    number = squares[parts].sum() ** 2 / (squares[parts] ** 2 / np.maximum(holding[parts], 1)).sum()
    return float(min(number, len(np.unique(held.cluster[parts[held.rows]]))))


def _more(number: int, telling: float) -> float:
    """How much larger a variance over all clusters is if it rests on fewer of them."""
    return (number - 1) / number * telling / (telling - 1) if 1 < telling < number else 1.0


def _of_drawn(score: Score, pair: Pair, clusters: Clusters, level: float) -> Difference:
    """The difference of a score without a derivative; clusters so few that coins would do the same prove nothing."""
    drawn = drawn_clusters(score, pair.matrices, clusters.contents, level, shared=clusters.shared)
    values = pair.values(score)
    gap = values[1] - values[0]
    if clusters.shared:
        test, least, free = (
            "paired bootstrap of clusters",
            least_p(clusters.differing(None)),
            clusters.number - 1,
        )
    else:
        # If models are alike, clusters may as well be dealt out to them in any other way.
        ways = math.lgamma(clusters.number + 1) - sum(
            math.lgamma(held.number + 1) for held in clusters.contents
        )
        test, least, free = "bootstrap of clusters", math.exp(-ways), clusters.number - 2
    if drawn.p_high < least < 1 and gap:
        half = (
            abs(gap)
            / student_quantile(1 - least / 2, free)
            * student_quantile(1 - (1 - level) / 2, free)
        )
        low, high = drawn.ends
        drawn = Evidence(least, least, drawn.error, (min(low, gap - half), max(high, gap + half)))
    return conclude(score, pair, values, drawn, level, test, clusters.number, _NO_SLOPE)


def _welch(spread: tuple[float, ...], parts: tuple[float, ...]) -> float:
    """Degrees of freedom of the sum of two variances (Welch 1947; Satterthwaite 1946)."""
    bottom = sum(part * part / free for part, free in zip(spread, parts, strict=True))
    return sum(spread) ** 2 / bottom if bottom > 0 else float(min(parts))

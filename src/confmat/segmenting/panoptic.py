"""Segments of two panoptic maps matched with each other, by the rules of Kirillov et al. 2019."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import _kernels
from confmat._building import as_names
from confmat.errors import InputError, Message
from confmat.labels import Labels
from confmat.matrix import ConfusionMatrix
from confmat.segmenting.checking import refuse
from confmat.segmenting.classes import STRANGER, Classes, read_classes, read_number
from confmat.segmenting.maps import Pair, pairs_of
from confmat.segmenting.quality import UNMATCHED, PanopticQuality
from confmat.segmenting.varying import Images

__all__ = ["panoptic"]

Array = NDArray[Any]
# Class, number of the class and number of the instance; the class alone where instances are not told apart.
Segment = tuple[int, ...]
VOID_SEGMENT: Segment = ()
# The classes of a true and of a predicted segment, None for no segment, and how much they overlap if both agree.
Match = tuple[int | None, int | None, float]
# Class and number of the instance.
LAYERS = 2
MANY = 2**31 - 1


def panoptic(
    actual: Any,
    predicted: Any,
    *,
    labels: Any = None,
    things: Iterable[Any] | None = None,
    ignore: Any = None,
    crowd: int | None = None,
) -> PanopticQuality:
    """Match the segments of panoptic maps, image by image, and give their quality and their matrix.

    A true and a predicted segment match if their intersection over union is above one half, which at most one can
    be for each; pixels that are ignored in the truth belong to no union. Segments of one class that match are hits.
    Those of two classes are a confusion of the two, and what matches nothing is paired with the outside label
    "(unmatched)". Precision, recall and F1 of that matrix count such segments as Kirillov et al. (2019) do.

    Parameters
    ----------
    actual, predicted
        Maps of H x W x 2, for every pixel the number of its class and the number of its instance: one, an array of
        n x H x W x 2, or an iterable of them, as for `segmentation`.
    labels
        As for `segmentation`.
    things
        The classes whose instances are told apart; all pixels of any other class in an image are one segment.
        Without it, instances are told apart in every class.
    ignore
        Numbers of classes that are void: no segments are there, in the truth or in the prediction. A predicted
        segment without a match of which more than half is void in the truth does not count.
    crowd
        The number of an instance that, in the truth, means many instances of the class that nobody drew apart. It is
        matched with nothing, and a predicted segment of the same class that lies mostly in it does not count.

    Examples
    --------
    >>> truth = [[[0, 0], [0, 0], [1, 1], [1, 2]], [[0, 0], [0, 0], [1, 1], [1, 2]]]
    >>> answer = [[[0, 0], [0, 0], [0, 0], [1, 7]], [[0, 0], [0, 0], [1, 8], [1, 7]]]
    >>> q = panoptic(truth, answer, labels=["road", "car"], things=["car"])
    >>> print(q)
                       PQ     SQ     RQ  TP  FN  FP
    road            0.800  0.800  1.000   1   0   0
    car             0.500  1.000  0.500   1   1   1
    mean            0.650  0.900  0.750
    mean of things  0.500  1.000  0.500
    mean of stuff   0.800  0.800  1.000

    """
    classes = read_classes(labels, ignore)
    rules = _Rules(classes, _things(things, classes), None if crowd is None else read_number(crowd, "crowd"))
    matches: Counter[tuple[Any, Any]] = Counter()
    # Of an image and a class: the overlap of its hits, how many there are, and misses with false alarms.
    sums: defaultdict[tuple[int, Any], list[float]] = defaultdict(lambda: [0.0, 0, 0])
    number = -1
    for number, pair in enumerate(pairs_of(actual, predicted, layers=LAYERS)):
        for row, col, overlap in _matches(_shared(pair, rules), rules):
            matches[row, col] += 1
            for kind in {row, col} - {None}:
                one = sums[number, kind]
                one[0] += overlap
                one[1 if row == col else 2] += 1
    return _quality(matches, sums, number + 1, rules)


class _Rules(NamedTuple):
    """What the numbers mean: classes, those whose instances are told apart (None for all), and crowds."""

    classes: Classes
    things: frozenset[int] | None
    crowd: int | None

    def segment(self, number: int, instance: int) -> Segment:
        """The segment of pixels with these two numbers; its class comes first."""
        if number in self.classes.ignored:
            return VOID_SEGMENT
        kind = number if self.classes.labels is None else self.classes.code_of.get(number, STRANGER)
        return (kind, number, instance) if self.things is None or kind in self.things else (kind,)

    def is_crowd(self, segment: Segment) -> bool:
        """Whether a true segment stands for many."""
        return self.crowd is not None and len(segment) == 3 and segment[2] == self.crowd


def _things(things: Iterable[Any] | None, classes: Classes) -> frozenset[int] | None:
    """The places of the classes, or their numbers where no labels are given."""
    if things is None:
        return None
    if not isinstance(things, Iterable) or getattr(things, "ndim", 1) == 0:
        msg = f"`things` lists the classes whose instances are told apart, such as [{things!r:.60}], not one by itself"
        raise InputError(msg)
    if classes.labels is None:
        return frozenset(read_number(thing, "things") for thing in things)
    return frozenset(classes.labels.index(thing) for thing in as_names(things))


# ---- one image ---------------------------------------------------------------------------------------------


def _shared(pair: Pair, rules: _Rules) -> Counter[tuple[Segment, Segment]]:
    """How many pixels each true segment shares with each predicted one, void included."""
    (rows, mine), (cols, theirs) = _drawn(pair.actual), _drawn(pair.predicted)
    true, answered = ([rules.segment(*numbers) for numbers in side] for side in (mine, theirs))
    found = _kernels.kernel.count_sparse(rows, cols, None, 0, len(true), 0, len(answered), 1)
    shared: Counter[tuple[Segment, Segment]] = Counter()
    for row, col, pixels in zip(*(part.tolist() for part in found[:3]), strict=True):
        shared[true[row], answered[col]] += pixels
    if rules.classes.labels is not None and any(
        one != VOID_SEGMENT and STRANGER in {one[0], *other[:1]} for one, other in shared
    ):
        refuse(rules.classes, replace(pair, actual=pair.actual[..., 0], predicted=pair.predicted[..., 0]))
    return shared


def _drawn(side: Array) -> tuple[Array, list[tuple[int, int]]]:
    """The code of each pixel, and the class and the instance that each code stands for."""
    factorize: Any = _kernels.kernel.factorize_ints
    kinds, numbers = factorize(np.ascontiguousarray(side[..., 0]).reshape(-1), MANY)
    parts, instances = factorize(np.ascontiguousarray(side[..., 1]).reshape(-1), MANY)
    codes, keys = factorize(kinds.astype(np.int64) * max(len(instances), 1) + parts, MANY)
    places = np.divmod(keys, max(len(instances), 1))
    return codes, list(zip(numbers[places[0]].tolist(), instances[places[1]].tolist(), strict=True))


def _matches(shared: Counter[tuple[Segment, Segment]], rules: _Rules) -> Iterator[Match]:
    """The pairs of classes that an image adds to the matrix."""
    true_area: Counter[Segment] = Counter()
    area: Counter[Segment] = Counter()
    # Of each predicted segment what is void in the truth, and what may lie there without being counted.
    void: Counter[Segment] = Counter()
    excused: Counter[Segment] = Counter()
    for (one, other), pixels in shared.items():
        true_area[one] += pixels
        area[other] += pixels
        if one == VOID_SEGMENT:
            void[other] += pixels
        if one == VOID_SEGMENT or (rules.is_crowd(one) and one[:1] == other[:1]):
            excused[other] += pixels
    pairs = {}
    for (one, other), pixels in shared.items():
        union = true_area[one] + area[other] - void[other] - pixels
        if VOID_SEGMENT not in {one, other} and not rules.is_crowd(one) and 2 * pixels > union:
            pairs[one] = other, pixels / union
    agreed = {other for one, (other, _) in pairs.items() if one[0] == other[0]}
    counts = {
        other for other in area if other != VOID_SEGMENT and (other in agreed or 2 * excused[other] <= area[other])
    }
    for one in true_area:
        if one == VOID_SEGMENT or rules.is_crowd(one):
            continue
        other, overlap = pairs.get(one, (VOID_SEGMENT, 0.0))
        if other in counts:
            counts.remove(other)
            yield one[0], other[0], overlap if one[0] == other[0] else 0.0
        else:
            yield one[0], None, 0.0
    for other in counts:
        yield None, other[0], 0.0


# ---- together ----------------------------------------------------------------------------------------------


def _quality(
    matches: Mapping[tuple[Any, Any], int], sums: Mapping[tuple[int, Any], list[float]], images: int, rules: _Rules
) -> PanopticQuality:
    labels = rules.classes.labels
    # Classes go by their place, or by their number where no labels are given.
    kinds = sorted({kind for pair in matches for kind in pair} - {None}) if labels is None else list(range(len(labels)))
    if not kinds:
        msg = Message("there are no segments to match; with {labels} that gives a matrix of zeros")
        raise InputError(msg)
    labels = Labels(kinds) if labels is None else labels
    place_of = {kind: place for place, kind in enumerate(kinds)}
    size = len(kinds)
    counts = np.zeros((size + 1, size + 1), dtype=np.int64)
    for (row, col), many in matches.items():
        counts[place_of.get(row, size), place_of.get(col, size)] = many
    found = Images.of(images, {(image, place_of[kind]): one for (image, kind), one in sums.items()})
    overlap = np.bincount(found.place, found.sums[:, 0], size).astype(np.float64)
    things = None if rules.things is None else tuple(labels[place_of[kind]] for kind in kinds if kind in rules.things)
    return PanopticQuality(ConfusionMatrix(counts, labels, outside=(UNMATCHED,)), overlap, things, found)

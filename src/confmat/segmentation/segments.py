"""`panoptic`: segments matched image by image, and their quality by class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat import kernels
from confmat.core.building import as_names, positions
from confmat.core.counts import frozen
from confmat.core.errors import InputError, Message
from confmat.core.labels import Labels
from confmat.core.matrix import ConfusionMatrix
from confmat.core.options import door, one_of
from confmat.core.tables import Column, Table, Tabular, to_plain
from confmat.core.text import fit, printable, rate, some
from confmat.counting.columns import factorize
from confmat.metrics.arithmetic import ratio
from confmat.metrics.rates import f1
from confmat.segmentation.classes import STRANGER, Classes, read_classes, read_number
from confmat.segmentation.counting import refuse
from confmat.segmentation.maps import Pair, pairs_of

Floats = NDArray[np.float64]
Over = Literal["all", "things", "stuff"]
# Where segments are counted that no segment of the other side matches.
UNMATCHED = "(unmatched)"
_MEANS = {"all": "mean", "things": "mean of things", "stuff": "mean of stuff"}
Array = NDArray[Any]
# Class, number of the class and number of the instance; the class alone where instances are not
# told apart.
Segment = tuple[int, ...]
VOID_SEGMENT: Segment = ()
# The classes of a true and of a predicted segment, None for no segment, and how much they overlap.
Match = tuple[int | None, int | None, float]
# Class and number of the instance.
LAYERS = 2


class PanopticMeans(NamedTuple):
    """The mean panoptic, segmentation and recognition quality of the classes."""

    pq: float
    sq: float
    rq: float
    classes: int


@dataclass(frozen=True, eq=False)
class PanopticQuality(Tabular):
    """The matrix of matched segments, and per class the sum of the intersections over union of its hits.

    `things` are the classes whose instances were told apart, None if all were. Results add, as
    matrices do.
    """

    matrix: ConfusionMatrix
    overlap: Floats
    things: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "overlap", frozen(np.asarray(self.overlap, np.float64)))

    @property
    def rq(self) -> Floats:
        """Recognition quality of each class: F1 of its segments; NaN for a class without any."""
        return np.asarray(f1(self.matrix))

    @property
    def sq(self) -> Floats:
        """Segmentation quality of each class: the mean intersection over union of its hits; NaN without a hit."""
        return np.asarray(ratio(self.overlap, self.matrix.cells.tp.astype(np.float64)))

    @property
    def pq(self) -> Floats:
        """Panoptic quality of each class, the product of both: overlap / (TP + FP / 2 + FN / 2)."""
        c = self.matrix.cells
        return np.asarray(ratio(self.overlap, c.tp + 0.5 * c.fp + 0.5 * c.fn))

    def mean(self, over: Over = "all") -> PanopticMeans:
        """Compute the mean over the classes that have a segment on either side; no hit counts as 0.

        Parameters
        ----------
        over
            "all" classes, or the "things" or the "stuff" alone.

        Returns
        -------
        PanopticMeans
        """
        one_of("over", over, Over)
        is_thing = np.array(
            [self.things is None or name in self.things for name in self.matrix.labels.classes]
        )
        chosen = ~np.isnan(self.rq) & {"all": True, "things": is_thing, "stuff": ~is_thing}[over]
        if not chosen.any():
            return PanopticMeans(np.nan, np.nan, np.nan, 0)
        pq, sq, rq = (
            float(np.nan_to_num(part[chosen]).mean()) for part in (self.pq, self.sq, self.rq)
        )
        return PanopticMeans(pq, sq, rq, int(chosen.sum()))

    def __add__(self, other: object) -> PanopticQuality:
        """Results of two parts of the images; their classes are united."""
        if not isinstance(other, PanopticQuality):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        together = self._things_beside(other)
        matrix = self.matrix + other.matrix
        overlap = np.zeros(matrix.n_classes)
        for part in (self, other):
            overlap[positions(part.matrix.labels, matrix.labels)[: part.matrix.n_classes]] += (
                part.overlap
            )
        if together is None:
            return PanopticQuality(matrix, overlap)
        things = tuple(name for name in matrix.labels.classes if name in together)
        return PanopticQuality(matrix, overlap, things)

    def _things_beside(self, other: PanopticQuality) -> set[Any] | None:
        """The things of both; an error where a class is one on one side alone."""
        if (self.things is None) != (other.things is None):
            msg = "one result tells the instances of all classes apart and the other those of `things` only"
            raise InputError(msg)
        if self.things is None or other.things is None:
            return None
        mine, theirs = {*self.things}, {*other.things}
        torn = (mine ^ theirs) & {*other.matrix.labels.classes}
        names = [name for name in self.matrix.labels.classes if name in torn]
        if names:
            msg = f"one result tells the instances of {some(names)} apart and the other does not"
            raise InputError(msg)
        return mine | theirs

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PanopticQuality):
            return NotImplemented
        same = self.matrix == other.matrix and self.things == other.things
        return same and bool(np.array_equal(self.overlap, other.overlap))

    def __hash__(self) -> int:
        return hash((self.matrix, self.things))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the matrix; NaN is None."""
        means = {over: self.mean(over)._asdict() for over in self._groups()}
        return {
            "matrix": self.matrix.to_dict(),
            "overlap": self.overlap.tolist(),
            "things": None if self.things is None else list(self.things),
            **{name: to_plain(getattr(self, name)) for name in ("pq", "sq", "rq")},
            "mean": to_plain(means),
        }

    def _groups(self) -> tuple[Over, ...]:
        return ("all",) if self.things is None else ("all", "things", "stuff")

    def __repr__(self) -> str:
        pq, sq, rq, classes = self.mean()
        return f"<PanopticQuality {pq:.3f}: SQ {sq:.3f}, RQ {rq:.3f}, mean of {classes:,} classes>"

    def table(self) -> Table:
        """Return the classes and their means as a table."""
        c, groups, classes = self.matrix.cells, self._groups(), self.matrix.labels.classes
        means = [self.mean(over) for over in groups]
        kinds = ["class"] * len(classes) + ["mean"] * len(groups)
        names = [*classes, *(_MEANS[over] for over in groups)]
        columns = [
            Column("row", kinds, head=None, is_index=True),
            Column(
                "name",
                names,
                lambda name: fit(printable(name), 30),
                "",
                is_label=True,
                is_index=True,
            ),
        ]
        for name in ("pq", "sq", "rq"):
            values = [*getattr(self, name).tolist(), *(getattr(mean, name) for mean in means)]
            columns.append(Column(name, values, rate, name.upper()))
        columns += [
            Column(name, [*getattr(c, name).tolist(), *[None] * len(groups)], head=name.upper())
            for name in ("tp", "fn", "fp")
        ]
        return Table(tuple(columns), shown=(len(names), 0, 0))


@door
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

    A true and a predicted segment match if their intersection over union is above one half, which
    at most one can be for each; pixels that are ignored in the truth belong to no union. Segments
    of one class that match are hits. Matches of two classes are a confusion of the two, and a
    segment without a match is paired with the outside label "(unmatched)". Precision, recall and F1
    of that matrix count such segments as Kirillov et al. (2019) do.

    Parameters
    ----------
    actual, predicted
        Maps of H x W x 2, for every pixel the number of its class and the number of its instance:
        one, an array of n x H x W x 2, or an iterable of them, as for `segmentation`.
    labels
        As for `segmentation`.
    things
        The classes whose instances are told apart; all pixels of any other class in an image are
        one segment. Without it, instances are told apart in every class.
    ignore
        Numbers of classes that are void: no segments are there, in the truth or in the prediction.
        A predicted segment without a match of which more than half is void in the truth does not
        count.
    crowd
        The number of an instance that, in the truth, means many instances of the class that nobody
        drew apart. It is matched with nothing, and a predicted segment of the same class that lies
        mostly in it does not count.

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
    rules = _Rules(
        classes, _things(things, classes), None if crowd is None else read_number(crowd, "crowd")
    )
    matches: Counter[tuple[Any, Any]] = Counter()
    overlaps: defaultdict[Any, float] = defaultdict(float)
    for pair in pairs_of(actual, predicted, layers=LAYERS):
        for row, col, overlap in _matches(_count_shared(pair, rules), rules):
            matches[row, col] += 1
            if row == col:
                overlaps[row] += overlap
    return _quality(matches, overlaps, rules)


class _Rules(NamedTuple):
    """The meaning of the numbers: classes, the ones whose instances are told apart (None for all), and crowds."""

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
        """Whether a true segment is many objects."""
        return self.crowd is not None and len(segment) == 3 and segment[2] == self.crowd

    def is_object(self, segment: Segment) -> bool:
        """Whether a true segment is to be matched: it is neither void nor a crowd."""
        return segment != VOID_SEGMENT and not self.is_crowd(segment)


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


# ---- one image -----------------------------------------------------------------------------------


def _count_shared(pair: Pair, rules: _Rules) -> Counter[tuple[Segment, Segment]]:
    """How many pixels each true segment shares with each predicted one, void included."""
    (rows, mine), (cols, theirs) = _drawn(pair.actual), _drawn(pair.predicted)
    true, answered = ([rules.segment(*numbers) for numbers in side] for side in (mine, theirs))
    cells = kernels.kernel.count_sparse(rows, cols, None, 0, len(true), 0, len(answered), 1)
    shared: Counter[tuple[Segment, Segment]] = Counter()
    for row, col, pixels in zip(*(part.tolist() for part in cells[:3]), strict=True):
        shared[true[row], answered[col]] += pixels
    if rules.classes.labels is not None and any(
        true != VOID_SEGMENT and STRANGER in {true[0], *predicted[:1]} for true, predicted in shared
    ):
        refuse(
            rules.classes,
            replace(pair, actual=pair.actual[..., 0], predicted=pair.predicted[..., 0]),
        )
    return shared


def _drawn(side: Array) -> tuple[Array, list[tuple[int, int]]]:
    """The code of each pixel, and the class and the instance of each code."""
    kinds, numbers = factorize(np.ascontiguousarray(side[..., 0]).reshape(-1))
    parts, instances = factorize(np.ascontiguousarray(side[..., 1]).reshape(-1))
    codes, keys = factorize(kinds.astype(np.int64) * max(len(instances), 1) + parts)
    places = np.divmod(keys, max(len(instances), 1))
    return codes, list(zip(numbers[places[0]].tolist(), instances[places[1]].tolist(), strict=True))


def _matches(shared: Counter[tuple[Segment, Segment]], rules: _Rules) -> Iterator[Match]:
    """The pairs of classes that an image adds to the matrix."""
    pairs, excused = _overlapping(shared, rules)
    agreed = {predicted for true, (predicted, _) in pairs.items() if true[0] == predicted[0]}
    counts = {other: None for _, other in shared if other in agreed or other not in excused}
    for true in filter(rules.is_object, dict.fromkeys(true for true, _ in shared)):
        predicted, overlap = pairs.get(true, (VOID_SEGMENT, 0.0))
        if predicted in counts:
            del counts[predicted]
            yield true[0], predicted[0], overlap
        else:
            yield true[0], None, 0.0
    for predicted in counts:
        yield None, predicted[0], 0.0


def _overlapping(
    shared: Counter[tuple[Segment, Segment]], rules: _Rules
) -> tuple[dict[Segment, tuple[Segment, float]], set[Segment]]:
    """The predicted segment that matches a true one, with their overlap, and those that count only if they match.

    The latter are void, or lie mostly in what is void in the truth or in a crowd of their class.
    """
    true_area: Counter[Segment] = Counter()
    area: Counter[Segment] = Counter()
    void: Counter[Segment] = Counter()
    aside: Counter[Segment] = Counter()
    for (true, predicted), pixels in shared.items():
        true_area[true] += pixels
        area[predicted] += pixels
        if true == VOID_SEGMENT:
            void[predicted] += pixels
        if true == VOID_SEGMENT or (rules.is_crowd(true) and true[:1] == predicted[:1]):
            aside[predicted] += pixels
    pairs = {}
    for (true, predicted), pixels in shared.items():
        union = true_area[true] + area[predicted] - void[predicted] - pixels
        if predicted != VOID_SEGMENT and rules.is_object(true) and 2 * pixels > union:
            pairs[true] = predicted, pixels / union
    return pairs, {
        VOID_SEGMENT,
        *(predicted for predicted in area if 2 * aside[predicted] > area[predicted]),
    }


# ---- together ------------------------------------------------------------------------------------


def _quality(
    matches: Counter[tuple[Any, Any]], overlaps: Mapping[Any, float], rules: _Rules
) -> PanopticQuality:
    labels = rules.classes.labels
    # Classes go by their place, or by their number where no labels are given.
    kinds = sorted({kind for pair in matches for kind in pair} - {None})
    if labels is not None:
        kinds = [*range(len(labels))]
    elif kinds:
        labels = Labels(kinds)
    else:
        msg = Message("there are no segments to match; with {labels=} that gives a matrix of zeros")
        raise InputError(msg)
    place_of = {kind: place for place, kind in enumerate(kinds)}
    size = len(kinds)
    counts = np.zeros((size + 1, size + 1), dtype=np.int64)
    for (row, col), number in matches.items():
        counts[place_of.get(row, size), place_of.get(col, size)] = number
    overlap = np.array([overlaps.get(kind, 0.0) for kind in kinds])
    things = (
        None
        if rules.things is None
        else tuple(labels[place_of[kind]] for kind in sorted(rules.things & place_of.keys()))
    )
    return PanopticQuality(ConfusionMatrix(counts, labels, outside=(UNMATCHED,)), overlap, things)

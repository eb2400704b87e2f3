"""PanopticQuality: how well segments were recognised and drawn, by class and on average."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from confmat._building import positions
from confmat._counts import frozen
from confmat._options import one_of
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics.arithmetic import ratio
from confmat.metrics.averages import position_of
from confmat.metrics.detection import f1
from confmat.segmenting.varying import Images, Ratios, asked_of_segments
from confmat.tables import Column, Table, Tabular, to_plain
from confmat.text import fit, printable, rate, some

if TYPE_CHECKING:
    from confmat.uncertainty import Estimate, Estimates
    from confmat.uncertainty.asking import Method

__all__ = ["UNMATCHED", "PanopticMeans", "PanopticQuality"]

Floats = NDArray[np.float64]
Over = Literal["all", "things", "stuff"]
Quality = Literal["pq", "sq", "rq"]

# Where segments are counted that no segment of the other side matches.
UNMATCHED = "(unmatched)"


class PanopticMeans(NamedTuple):
    """The mean panoptic, segmentation and recognition quality of so many classes."""

    pq: float
    sq: float
    rq: float
    classes: int


@dataclass(frozen=True, eq=False)
class PanopticQuality(Tabular):
    """The matrix of matched segments, and per class the sum of the intersections over union of its hits.

    `things` are the classes whose instances were told apart, None if all were. Results add, as matrices do. What each
    of the `images` adds is kept, for `interval`.
    """

    matrix: ConfusionMatrix
    overlap: Floats
    things: tuple[Any, ...] | None = None
    images: Images | None = None

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
        """The mean over the classes that have a segment on either side; no hit counts as 0.

        `over` asks for the "things" or the "stuff" alone.
        """
        chosen = self._chosen(over)
        if not chosen.any():
            return PanopticMeans(np.nan, np.nan, np.nan, 0)
        pq, sq, rq = (float(np.nan_to_num(part[chosen]).mean()) for part in (self.pq, self.sq, self.rq))
        return PanopticMeans(pq, sq, rq, int(chosen.sum()))

    def _chosen(self, over: str) -> NDArray[np.bool_]:
        """Which classes a mean runs over."""
        one_of("over", over, Over)
        is_thing = np.array([self.things is None or name in self.things for name in self.matrix.labels.classes])
        return np.asarray(~np.isnan(self.rq) & {"all": True, "things": is_thing, "stuff": ~is_thing}[over])

    def interval(
        self,
        score: Quality = "pq",
        *,
        of: Any = None,
        over: Over | None = None,
        level: float = 0.95,
        method: Method = "wilson",
    ) -> Estimate | Estimates:
        """How sure the quality of every class is, of one class (`of`), or of the mean (`over`, as in `mean`).

        Images are what was drawn: segments of one image go together, and so do its classes. `level` and `method` are
        those of `confmat.interval` for clusters.

        >>> import confmat as cm
        >>> truth = [[[[0, 0], [0, 0], [1, 1], [1, 2]]], [[[0, 0], [1, 1], [1, 1], [1, 1]]]]
        >>> answer = [[[[0, 0], [0, 0], [1, 1], [0, 0]]], [[[0, 0], [1, 1], [1, 1], [1, 1]]]]
        >>> q = cm.panoptic(truth, answer, labels=["road", "car"])
        >>> print(q.interval("pq", of="car"))
        0.800 [0.016, 0.999]
        """
        from confmat.uncertainty.settling import together

        one_of("score", score, Quality)
        if self.images is None or self.images.many < 2:
            many = "what each adds is not known here" if self.images is None else f"there are {self.images.many}"
            msg = f"a quality varies with the images, and at least 2 are needed; {many}"
            raise InputError(msg)
        if of is not None and over is not None:
            msg = "ask for one class (`of`) or for a mean (`over`), not for both"
            raise InputError(msg)
        c, asked = self.matrix.cells, asked_of_segments(score, self.matrix, self.images.many, level, method)
        ratios = Ratios.of(score, self.images, self.overlap, c.tp, c.fp + c.fn)
        if over is not None:
            found = ratios.estimate(asked, np.flatnonzero(self._chosen(over)))
            return replace(found, name=f"{_MEANS[over]}, {score}")
        places = range(self.matrix.n_classes) if of is None else [position_of(self.matrix, of)]
        names = self.matrix.labels.classes
        each = [ratios.estimate(replace(asked, of=names[place]), np.array([place])) for place in places]
        return each[0] if of is not None else together(asked, self.matrix.labels, each)

    def __add__(self, other: object) -> PanopticQuality:
        """Results of two parts of the images; their classes are united."""
        if not isinstance(other, PanopticQuality):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        if (self.things is None) != (other.things is None):
            msg = "one result tells the instances of all classes apart and the other those of `things` only"
            raise InputError(msg)
        mine, theirs = {*(self.things or ())}, {*(other.things or ())}
        torn = (mine ^ theirs) & {*self.matrix.labels.classes} & {*other.matrix.labels.classes}
        if torn:
            msg = f"one result tells the instances of {some(torn)} apart and the other does not"
            raise InputError(msg)
        matrix = self.matrix + other.matrix
        overlap = np.zeros(matrix.n_classes)
        images = []
        for part in (self, other):
            places = positions(part.matrix.labels, matrix.labels)[: part.matrix.n_classes]
            overlap[places] += part.overlap
            images += [] if part.images is None else [part.images.moved(places)]
        things = None if self.things is None else tuple(name for name in matrix.labels.classes if name in mine | theirs)
        return PanopticQuality(matrix, overlap, things, images[0] + images[1] if len(images) == 2 else None)

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
        pq, sq, rq, many = self.mean()
        return f"<PanopticQuality {pq:.3f}: SQ {sq:.3f}, RQ {rq:.3f}, mean of {many:,} classes>"

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Return the classes and their means as a table."""
        c, groups, classes = self.matrix.cells, self._groups(), self.matrix.labels.classes
        means = [self.mean(over) for over in groups]
        kinds = ["class"] * len(classes) + ["mean"] * len(groups)
        names = [*classes, *(_MEANS[over] for over in groups)]
        columns = [
            Column("row", kinds, head=None, is_index=True),
            Column("name", names, lambda name: fit(printable(name), 30), "", is_label=True, is_index=True),
        ]
        for name in ("pq", "sq", "rq"):
            values = [*getattr(self, name).tolist(), *(getattr(mean, name) for mean in means)]
            columns.append(Column(name, values, rate, name.upper()))
        columns += [
            Column(name, [*getattr(c, name).tolist(), *[None] * len(groups)], head=name.upper())
            for name in ("tp", "fn", "fp")
        ]
        return Table(tuple(columns), shown=(len(names), 0, 0))


_MEANS = {"all": "mean", "things": "mean of things", "stuff": "mean of stuff"}

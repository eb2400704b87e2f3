"""PanopticQuality: how well segments were recognised and drawn, by class and on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from confmat._building import positions
from confmat._counts import frozen
from confmat._notebook import InNotebook
from confmat.errors import InputError
from confmat.matrix import ConfusionMatrix
from confmat.metrics.arithmetic import ratio
from confmat.metrics.detection import f1
from confmat.text import fit, number, printable, some, table

__all__ = ["UNMATCHED", "PanopticMeans", "PanopticQuality"]

Floats = NDArray[np.float64]
Over = Literal["all", "things", "stuff"]

# Where segments are counted that no segment of the other side matches.
UNMATCHED = "(unmatched)"


class PanopticMeans(NamedTuple):
    """The mean panoptic, segmentation and recognition quality of so many classes."""

    pq: float
    sq: float
    rq: float
    classes: int


@dataclass(frozen=True, eq=False)
class PanopticQuality(InNotebook):
    """The matrix of matched segments, and per class the sum of the intersections over union of its hits.

    `things` are the classes whose instances were told apart, None if all were. Results add, as matrices do.
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
        """The mean over the classes that have a segment on either side; no hit counts as 0.

        `over` asks for the "things" or the "stuff" alone.
        """
        if over not in get_args(Over):
            msg = f"`over` must be one of {', '.join(map(repr, get_args(Over)))}, not {over!r:.60}"
            raise InputError(msg)
        is_thing = np.array([self.things is None or name in self.things for name in self.matrix.labels.classes])
        chosen = ~np.isnan(self.rq) & {"all": True, "things": is_thing, "stuff": ~is_thing}[over]
        if not chosen.any():
            return PanopticMeans(np.nan, np.nan, np.nan, 0)
        pq, sq, rq = (float(np.nan_to_num(part[chosen]).mean()) for part in (self.pq, self.sq, self.rq))
        return PanopticMeans(pq, sq, rq, int(chosen.sum()))

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
        for part in (self, other):
            places = positions(part.matrix.labels, matrix.labels)[: part.matrix.n_classes]
            overlap[places] += part.overlap
        things = None if self.things is None else tuple(name for name in matrix.labels.classes if name in mine | theirs)
        return PanopticQuality(matrix, overlap, things)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PanopticQuality):
            return NotImplemented
        same = self.matrix == other.matrix and self.things == other.things
        return same and bool(np.array_equal(self.overlap, other.overlap))

    def __hash__(self) -> int:
        return hash((self.matrix, self.things))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, with the matrix; NaN as None."""
        means = {over: self.mean(over)._asdict() for over in self._groups()}
        return {
            "matrix": self.matrix.to_dict(),
            "overlap": self.overlap.tolist(),
            "things": None if self.things is None else list(self.things),
            **{name: [None if x != x else x for x in getattr(self, name).tolist()] for name in ("pq", "sq", "rq")},
            "mean": {over: {k: None if v != v else v for k, v in found.items()} for over, found in means.items()},
        }

    def _groups(self) -> tuple[Over, ...]:
        return ("all",) if self.things is None else ("all", "things", "stuff")

    def __repr__(self) -> str:
        pq, sq, rq, many = self.mean()
        return f"<PanopticQuality {pq:.3f}: SQ {sq:.3f}, RQ {rq:.3f}, mean of {many:,} classes>"

    def __str__(self) -> str:
        heads, align, rows = self._shown()
        return "\n".join(table([heads, *rows], align))

    def _shown(self) -> tuple[list[str], str, list[list[str]]]:
        """Headings, how columns are aligned, and rows: the classes and their means."""
        c = self.matrix.cells
        rows = [
            [fit(printable(name), 30), *map(_shown, scores), *map(number, counts)]
            for name, scores, counts in zip(
                self.matrix.labels.classes,
                zip(self.pq, self.sq, self.rq, strict=True),
                zip(c.tp.tolist(), c.fn.tolist(), c.fp.tolist(), strict=True),
                strict=True,
            )
        ]
        names = {"all": "mean", "things": "mean of things", "stuff": "mean of stuff"}
        rows += [[names[over], *map(_shown, self.mean(over)[:3]), "", "", ""] for over in self._groups()]
        return ["", "PQ", "SQ", "RQ", "TP", "FN", "FP"], "<>>>>>>", rows

    def _notes(self) -> list[str]:
        return []


def _shown(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"

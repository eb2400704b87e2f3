"""Varying: what each image adds to the panoptic quality of each class, and so how much the quality varies with them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from confmat._options import one_of
from confmat.metrics.detection import f1

if TYPE_CHECKING:
    from confmat.uncertainty import Estimate
    from confmat.uncertainty.asked import Asked, Method

__all__ = ["Images", "Ratios", "asked_of_segments"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Images:
    """Of so many images, what each adds to a class: overlap, hits, and misses with false alarms; only what is not 0."""

    many: int
    image: Places
    place: Places
    sums: Floats

    @classmethod
    def of(cls, many: int, sums: Mapping[tuple[int, int], list[float]]) -> Images:
        """From the sums of an image and of the place of a class."""
        image, place = np.array(list(sums), np.intp).reshape(-1, 2).T
        return cls(many, image, place, np.array(list(sums.values()), np.float64).reshape(-1, 3))

    def moved(self, places: Any) -> Images:
        """With classes in other places."""
        return replace(self, place=np.asarray(places, np.intp)[self.place])

    def __add__(self, other: Images) -> Images:
        """The images of both, the second ones after the first."""
        image = np.concatenate([self.image, other.image + self.many])
        place, sums = (np.concatenate([getattr(one, part) for one in (self, other)]) for part in ("place", "sums"))
        return Images(self.many + other.many, image, place, sums)


@dataclass(frozen=True, slots=True)
class Ratios:
    """A quality of each class as a sum over a sum: of what an image adds, and of all."""

    images: Images
    top: Floats
    bottom: Floats
    all_top: Floats
    all_bottom: Floats
    # What a segment adds at least where it adds to the bottom: a hit overlaps by half.
    least: float

    @classmethod
    def of(cls, score: str, images: Images, overlap: Any, hits: Any, errors: Any) -> Ratios:
        """PQ, SQ or RQ."""
        each = images.sums.T
        tops, bottoms = (
            {"pq": (one, two + three / 2), "sq": (one, two), "rq": (two, two + three / 2)}[score]
            for one, two, three in (each, [np.asarray(part, np.float64) for part in (overlap, hits, errors)])
        )
        return cls(images, tops[0], tops[1], bottoms[0], bottoms[1], 0.5 if score == "sq" else 0.0)

    def estimate(self, asked: Asked, chosen: Places) -> Estimate:
        """Of the mean over some classes. One without a hit has no SQ and counts as 0, as in the mean itself.

        A ratio of sums varies with the images as the sum of their residuals does (Cochran, Sampling Techniques, 1977,
        chapter 6); those of several classes are added within an image, since its classes go together. So that a
        quality of 1 has a width too, one more segment is spread: half of it as good as can be, half as bad.
        """
        from confmat.uncertainty.asked import nothing, one_estimate
        from confmat.uncertainty.clusters import by_clusters, further_of

        top, bottom = self.all_top[chosen], self.all_bottom[chosen]
        known = bottom > 0
        if not known.any():
            lost = math.nan
            is_mean = asked.of is None and len(chosen)
            return one_estimate(asked, 0.0, lost, lost, lost, lost, "") if is_mean else nothing(asked)
        value = np.divide(top, bottom, out=np.zeros(len(top)), where=known)
        # An image without a class says nothing of it, and a single one not how much images vary.
        telling = len(np.unique(self.images.image[np.isin(self.images.place, chosen) & (self.bottom > 0)]))
        if telling < 2:
            lost = math.nan
            return one_estimate(asked, float(value.mean()), lost, lost, lost, lost, "", "only one image tells of it")
        near = np.where(known, (top + (1 + self.least) / 2) / (bottom + 1), 0.0)
        error = self._between(chosen, value, np.where(known, bottom, np.inf))
        beside = np.where(known, np.sqrt(bottom * (bottom + 1)), np.inf)
        one = ((1 - near) ** 2 + (near - self.least) ** 2) / 2 / beside**2
        spread = self._between(chosen, near, beside) + float(one.sum()) / len(chosen) ** 2
        further = further_of(telling, math.inf, asked.level)
        return by_clusters(asked, float(value.mean()), math.sqrt(error), float(near.mean()), spread, further)

    def _between(self, chosen: Places, value: Floats, by: Floats) -> float:
        """The variance of a mean over classes, from the residuals of each image."""
        from confmat.uncertainty.clusters import variance_of_sum

        at = np.full(len(self.all_top), -1)
        at[chosen] = np.arange(len(chosen))
        at = at[self.images.place]
        there, many = at >= 0, self.images.many
        left = (self.top[there] - value[at[there]] * self.bottom[there]) / by[at[there]] / len(chosen)
        return variance_of_sum(np.bincount(self.images.image[there], left, many).astype(np.float64, copy=False))


def asked_of_segments(score: str, matrix: Any, images: int, level: float, method: Method) -> Asked:
    """The question of a quality between 0 and 1 that varies with so many images."""
    from confmat.uncertainty.asked import ask
    from confmat.uncertainty.bounds import PROPORTIONS

    metric = f1.renamed(score, title=score.upper(), undefined="no segment is there")
    asked = ask(matrix, metric, level=level, method=method)
    one_of("method", asked.method, (*PROPORTIONS, "wald", "fisher"))
    return replace(asked, drawn=f"{images:,} images")

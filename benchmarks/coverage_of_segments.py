"""How often do intervals of panoptic quality hold the truth? Images are drawn, and each interval is looked at.

`python -m benchmarks.coverage_of_segments` draws 300 sets of 20, 50 and 200 images, `--full` 3,000. An image is a
strip with a background and places for segments of four classes, the last of which is in every fifth image; images
are hard or easy, so that the segments of one go together. The truth is the quality of very many images.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

import confmat as cm

CLASSES = ("ground", "car", "van", "bus", "tram")
# Segments of each class have so many places of so many pixels.
PLACES, PIXELS = 3, 24
PRESENT = np.array([0.8, 0.5, 0.4, 0.6])
POPULATION = 40_000


def images(rng: np.random.Generator, number: int) -> cm.segmentation.PanopticQuality:
    """Strips of segments: some are not there, some are found less than whole, some are imagined."""
    shape = (number, len(PRESENT), PLACES)
    here = rng.random(shape) < PRESENT[:, None]
    here[:, -1] &= (rng.random(number) < 0.2)[:, None]
    easy = rng.beta(6, 2, number)[:, None, None]
    found = np.where(here, rng.random(shape) < easy, rng.random(shape) < 0.3 * (1 - easy))
    # Predicted segments begin too late by less than half of its pixels.
    late = rng.integers(0, PIXELS // 2, shape)[..., None] * here[..., None]
    covered = found[..., None] & (np.arange(PIXELS) >= late)
    maps = []
    for there in (np.broadcast_to(here[..., None], covered.shape), covered):
        kinds = np.where(there, np.arange(1, len(CLASSES))[:, None, None], 0)
        instances = np.where(there, np.arange(1, PLACES + 1)[:, None], 0)
        strip = np.stack([kinds, instances], axis=-1).reshape(number, 1, -1, 2)
        ground = np.zeros((number, 1, PIXELS, 2), dtype=strip.dtype)
        maps.append(np.concatenate([strip, ground], axis=2))
    return cm.panoptic(maps[0], maps[1], labels=CLASSES, things=CLASSES[1:])


def truths() -> tuple[float, NDArray[np.float64]]:
    """The quality of very many images: its mean, and that of each class."""
    rng = np.random.default_rng(1)
    whole = images(rng, 2000)
    for _ in range(POPULATION // 2000 - 1):
        whole = whole + images(rng, 2000)
    return whole.mean().pq, np.asarray(whole.pq)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="3,000 sets, not 300")
    sets = 3000 if parser.parse_args().full else 300
    mean, each = truths()
    for number in (20, 50, 200):
        start, held = time.perf_counter(), np.zeros(1 + len(CLASSES))
        for seed in range(sets):
            q = images(np.random.default_rng([number, seed]), number)
            ends = [q.interval("pq", over="all"), *(q.interval("pq", of=name) for name in CLASSES)]
            held += [one.low <= truth <= one.high for one, truth in zip(ends, (mean, *each), strict=True)]
        shares = "  ".join(f"{n} {x:.3f}" for n, x in zip(("mean", *CLASSES), held / sets, strict=True))
        print(f"{number:>4} images  {shares}   ({time.perf_counter() - start:.0f} s)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

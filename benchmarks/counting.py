"""Ten million pairs of class numbers: how fast are they counted, by us and by others.

Labels are given (`labels=range(K)`) and threads are the default, unless a contestant's name says
otherwise. Seven predictions in ten are right, in no order; "at random" none is but by chance, and
all cells are equally likely. Peers get their data in their own container, already converted, and
use as many threads as they like.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import confmat as cm
from benchmarks.five_versions import v5
from benchmarks.harness import Contestant, Effort, Race, contest, main
from benchmarks.peers import Task, counts, ours, with_numpy, with_peers
from benchmarks.targets import SUM, V5

__all__ = ["races"]

PAIRS = 10_000_000


def races(effort: Effort) -> Iterator[Race]:
    """All contests of this file."""
    for size in (10, 100):
        yield all_comers(size, effort)
    for size in (1000, 5000):
        yield against_v5(f"int64 K={size}", f"10⁷ int64 pairs, K = {size:,}", task(size), effort)
        random = task(size, right=0)
        yield against_v5(
            f"int64 K={size} at random", f"10⁷ int64 pairs, K = {size:,}, at random", random, effort
        )
    yield against_v5(
        "int64 K=100 sorted",
        "10⁷ int64 pairs, K = 100, sorted by class",
        in_order(task(100)),
        effort,
    )
    for size in (10, 2, 3):  # few cells have loops of their own
        yield one_byte_labels(size, effort)


def task(size: int, dtype: Any = np.int64, right: float = 0.7) -> Task:
    """Pairs over that many classes, seven in ten of them right, in no order."""
    rng = np.random.default_rng(size)
    actual = rng.integers(0, size, PAIRS, dtype=dtype)
    wrong = rng.random(PAIRS) >= right
    predicted = np.where(wrong, rng.integers(0, size, PAIRS, dtype=dtype), actual)
    return Task(actual, predicted, size)


def in_order(job: Task) -> Task:
    """The same pairs as a data set that was made class by class: equal cells follow each other."""
    order = np.argsort(job.actual, kind="stable")
    return Task(job.actual[order], job.predicted[order], job.size)


def sum_of_both(job: Task) -> Contestant:
    """The floor: what one thread needs to read both arrays once."""
    actual, predicted = job.actual, job.predicted
    expected = int(actual.sum()) + int(predicted.sum())
    return Contestant(SUM, job.pairs, lambda: actual.sum() + predicted.sum(), expected)


def all_comers(size: int, effort: Effort) -> Race:
    job = task(size)
    return contest(
        f"int64 K={size}",
        f"10⁷ int64 pairs, K = {size}",
        [
            ours(job),
            ours(job, "confmat, labels not given", labels=None),
            ours(job, "confmat, one thread", threads=1),
            sum_of_both(job),
            *with_numpy(
                job, loops=effort.pick(100_000, 10_000), slow=effort.pick(PAIRS, 1_000_000)
            ),
            *with_peers(
                job, slow=effort.pick(PAIRS, 1_000_000), slowest=effort.pick(100_000, 20_000)
            ),
        ],
        effort,
        seconds=32,
    )


def against_v5(key: str, title: str, job: Task, effort: Effort) -> Race:
    return contest(
        key,
        title,
        [
            ours(job),
            ours(job, "confmat, one thread", threads=1),
            sum_of_both(job),
            job.by(V5, partial(v5, job.actual, job.predicted, job.size)),
        ],
        effort,
        seconds=6,
    )


def one_byte_labels(size: int, effort: Effort) -> Race:
    job = task(size, np.uint8)
    one_thread = partial(cm.count, job.actual, job.predicted, labels=range(size), threads=1)
    return contest(
        f"uint8 K={size}",
        f"10⁷ uint8 pairs, K = {size}, one core",
        [
            job.by("confmat", one_thread, counts),
            ours(job, "confmat, default threads"),
            ours(job, "confmat, labels not given", labels=None, threads=1),
            sum_of_both(job),
            job.by(V5, partial(v5, job.actual, job.predicted, size)),
        ],
        effort,
        seconds=8,
    )


if __name__ == "__main__":
    main(races)

"""A million integers with as many threads as there are processors, and with one: alone, and beside busy programs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from benchmarks.peers import counts
from confmat.core.processors import cores

__all__ = ["races"]

BUSY = "while True: pass"


def races(effort: Effort) -> Iterator[Race]:
    """One contest for each number of pairs, alone and beside a busy program for each processor."""
    rng = np.random.default_rng(0)
    for pairs in (1_000_000, 10_000_000):
        actual, predicted = rng.integers(0, 10, (2, pairs))
        expected = np.bincount(10 * actual + predicted, minlength=100).reshape(10, 10)
        for beside, many in (("alone", 0), ("beside busy programs", cores())):
            busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(many)]
            try:
                yield contest(
                    f"{pairs:,} int64, {beside}",
                    f"{pairs:,} pairs of ten classes, {beside}",
                    [
                        Contestant(
                            name,
                            pairs,
                            partial(cm.count, actual, predicted, threads=threads),
                            expected,
                            counts,
                        )
                        for name, threads in ((OURS, None), ("confmat, one thread", 1))
                    ],
                    effort,
                    seconds=4,
                )
            finally:
                for program in busy:
                    program.kill()
                    program.wait()


if __name__ == "__main__":
    main(races)

"""Related classes: how long it takes to roll up a hundred thousand of them, to score them and to read the hierarchy.

Every roll-up is asserted against NumPy's sort-unique of the combined group keys. It is measured
with labels that were not seen before, because names are looked up once and then known.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main

__all__ = ["races"]

CLASSES = 100_000
ITEMS = 1_000_000
# Nodes of each level above the classes.
LEVELS = (20, 500, 10_000)

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """Roll-up, scores, and how the hierarchy is made."""
    paths = [
        f"order {i % LEVELS[0]}/family {i % LEVELS[1]}/genus {i % LEVELS[2]}/species {i}"
        for i in range(CLASSES)
    ]
    names = [path.rpartition("/")[2] for path in paths]
    rng = np.random.default_rng(0)
    actual = rng.integers(0, CLASSES, ITEMS)
    predicted = np.where(rng.random(ITEMS) < 0.6, actual, rng.integers(0, CLASSES, ITEMS))
    m = cm.count(actual, predicted, labels=range(CLASSES)).relabel(names)
    h = cm.Hierarchy.from_paths(paths)
    yield rolled_up(m, h, actual, predicted, effort)
    yield scored(h, np.array(names), paths, actual, predicted, effort)
    yield made(paths, effort)


def rolled_up(
    m: cm.ConfusionMatrix, h: cm.Hierarchy, actual: Array, predicted: Array, effort: Effort
) -> Race:
    """To the families: 500 of 100,000 classes."""
    from scipy.sparse import csr_array

    groups = LEVELS[1]
    keys, counts = np.unique(actual % groups * groups + predicted % groups, return_counts=True)
    expected = np.zeros(groups * groups, dtype=np.int64)
    expected[keys] = counts
    pairs = m.pairs()
    table = csr_array((pairs.counts, (pairs.rows, pairs.cols)), shape=(CLASSES, CLASSES))
    family = {f"species {i}": f"family {i % groups}" for i in range(CLASSES)}
    fresh: list[cm.ConfusionMatrix] = []

    def forget() -> None:
        fresh[:] = [m.relabel(list(m.labels))]

    def product() -> Any:
        place = {f"family {i}": i for i in range(groups)}
        codes = np.array([place[family[name]] for name in m.labels])
        member = csr_array(
            (np.ones(CLASSES, np.int64), (np.arange(CLASSES), codes)), shape=(CLASSES, groups)
        )
        return (member.T @ table @ member).toarray()

    contestants = [
        Contestant(OURS, len(pairs), lambda: fresh[0].roll_up(h, 2), expected, flat, forget),
        Contestant("SciPy's sparse products", len(pairs), product, expected, np.ravel),
    ]
    return contest(
        "roll-up",
        f"{CLASSES:,} classes and {len(pairs):,} cells into {groups}",
        contestants,
        effort,
    )


def flat(m: cm.ConfusionMatrix) -> Array:
    """The groups in the order of their numbers."""
    return np.ravel(m.reorder([f"family {i}" for i in range(LEVELS[1])]).counts)


def scored(
    h: cm.Hierarchy, names: Array, paths: list[str], actual: Array, predicted: Array, effort: Effort
) -> Race:
    """Counting and hierarchical F1, beside hiclass on as few items as it can do."""
    from hiclass.metrics import f1

    few = len(actual) // 100
    raw = [
        np.array([paths[i].split("/") for i in side[:few].tolist()]) for side in (actual, predicted)
    ]

    def ours(items: int) -> float:
        return cm.hierarchy.hierarchical_f1(
            cm.count(names[actual[:items]], names[predicted[:items]]), h
        )

    def by_hand(items: int) -> Array:
        one, other = actual[:items], predicted[:items]
        shared = sum((one % each == other % each).sum() for each in (*LEVELS, CLASSES))
        return np.round(shared / (4 * items), 12)

    contestants = [
        Contestant(OURS, len(actual), partial(ours, len(actual)), by_hand(len(actual)), rounded),
        Contestant("hiclass", few, partial(f1, *raw), by_hand(few), rounded),
    ]
    return contest(
        "hierarchical F1", f"{len(actual):,} items over {CLASSES:,} classes", contestants, effort
    )


def rounded(value: float) -> Array:
    return np.round(value, 12)


def made(paths: list[str], effort: Effort) -> Race:
    """Reading the paths, checked and in one order, beside the bare graph."""
    import networkx

    def graph() -> Any:
        found = networkx.DiGraph()
        for path in paths:
            parts = path.split("/")
            networkx.add_path(found, ["/".join(parts[: depth + 1]) for depth in range(len(parts))])
        return found

    expected = len({tuple(path.split("/")[: depth + 1]) for path in paths for depth in range(4)})
    contestants = [
        Contestant(OURS, len(paths), partial(cm.Hierarchy.from_paths, paths), expected, len),
        Contestant("networkx.DiGraph", len(paths), graph, expected, len),
    ]
    return contest("hierarchy", f"{len(paths):,} paths of four names", contestants, effort)


if __name__ == "__main__":
    main(races)

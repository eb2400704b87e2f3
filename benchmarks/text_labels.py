"""A million pairs of text labels: how fast are they counted, in the containers that they come in.

scikit-learn is given the very same container and converts it in its own way. Neither is given the
labels. Python remembers a string's hash once it was asked for, so the containers of distinct
objects are made anew for each measurement, as if just read from a file; "object" and "list" hold
ten string objects again and again. After a shuffle, neighbours in a list are far apart in memory,
which is slow to read for everybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import confmat as cm
from benchmarks.harness import OURS, Contestant, Effort, Race, contest, main
from benchmarks.peers import counts

__all__ = ["CONTAINERS", "races"]

PAIRS = 1_000_000
NAMES = np.array(
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
)
MANY = np.array([f"class {number:03}" for number in range(1000)], dtype=object)

Array = NDArray[Any]


def races(effort: Effort) -> Iterator[Race]:
    """One contest per container."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, len(NAMES), PAIRS)
    predicted = np.where(rng.random(PAIRS) < 0.3, rng.integers(0, len(NAMES), PAIRS), actual)
    for title, make in CONTAINERS.items():
        yield race(title, make, actual, predicted, effort)
    many = rng.integers(0, len(MANY), PAIRS)
    wrong = np.where(rng.random(PAIRS) < 0.3, rng.integers(0, len(MANY), PAIRS), many)
    yield race("list of 1,000 classes", lambda codes: MANY[codes].tolist(), many, wrong, effort)


def race(
    title: str, make: Callable[[Array], Any], actual: Array, predicted: Array, effort: Effort
) -> Race:
    few = effort.pick(PAIRS, PAIRS // 10)
    fresh = "distinct" in title
    return contest(
        title,
        f"10⁶ text labels, {title}",
        [
            one(OURS, cm.count, make, actual, predicted, fresh=fresh, read=counts),
            one(
                "scikit-learn",
                scikit_learn,
                make,
                actual[:few],
                predicted[:few],
                fresh=fresh,
                read=np.asarray,
            ),
        ],
        effort,
        seconds=3,
    )


def one(
    name: str,
    count: Callable[[Any, Any], Any],
    make: Callable[[Array], Any],
    actual: Array,
    predicted: Array,
    *,
    fresh: bool,
    read: Callable[[Any], Any],
) -> Contestant:
    """A contestant that counts containers of these codes' names."""
    size = actual.max() + 1
    expected = np.bincount(size * actual + predicted, minlength=size**2).reshape(size, -1)
    sides = [make(actual), make(predicted)]

    def renew() -> None:
        sides[:] = make(actual), make(predicted)

    return Contestant(
        name, len(actual), lambda: count(*sides), expected, read, renew if fresh else None
    )


def scikit_learn(actual: Any, predicted: Any) -> Any:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(actual, predicted)


# ---- containers ----------------------------------------------------------------------------------


def objects(codes: Array) -> Array:
    """An object array in which a label is the same string object wherever it stands."""
    return NAMES.astype(object)[codes]


def distinct(codes: Array) -> Array:
    """An object array in which every label is a string object of its own."""
    return NAMES[codes].astype(object)


def shuffled(codes: Array) -> Array:
    """The same, but made in another order, so that neighbours are far apart in memory."""
    order = np.random.default_rng(1).permutation(len(codes))
    made = np.empty(len(codes), dtype=object)
    made[order] = distinct(codes[order])
    return made


def pandas(dtype: str, codes: Array) -> Any:
    import pandas as pd

    return pd.Series(NAMES[codes], dtype=dtype)


def polars(dtype: str, codes: Array) -> Any:
    import polars as pl

    return pl.Series(objects(codes), dtype=getattr(pl, dtype))


def arrow_dictionary(codes: Array) -> Any:
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(
        pa.array(codes.astype(np.int32)), pa.array(NAMES.tolist())
    )


def arrow_string(codes: Array) -> Any:
    import pyarrow as pa

    return pa.array(NAMES[codes])


CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "<U10": NAMES.take,
    "object": objects,
    "object, all distinct": distinct,
    "list": lambda codes: objects(codes).tolist(),
    "list, all distinct": lambda codes: distinct(codes).tolist(),
    "list, all distinct, shuffled": lambda codes: shuffled(codes).tolist(),
    "pandas str": partial(pandas, "str"),
    "pandas categorical": partial(pandas, "category"),
    "Polars String": partial(polars, "String"),
    "Polars Categorical": partial(polars, "Categorical"),
    "Arrow string": arrow_string,
    "Arrow dictionary": arrow_dictionary,
}


if __name__ == "__main__":
    main(races)

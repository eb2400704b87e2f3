from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import ConfmatError, thresholds
from confmat.deciding import ThresholdTally

Chunk = tuple[list[int], list[float], list[int]]
GRID = [-1.0, 0.0, 0.5, 2.0]

rows = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([-2.0, -1.0, 0.25, 0.5, 3.0]), st.integers(1, 4)), min_size=1
)


@given(st.lists(rows, min_size=1, max_size=4), st.booleans())
def test_chunks_in_any_grouping_equal_one_pass(chunks: list[Any], weighted: bool) -> None:
    tallies = []
    for chunk in chunks:
        tally = ThresholdTally(GRID)
        actual, scores, weights = zip(*chunk, strict=True)
        tally.update(actual, scores, weights if weighted else None)
        tallies.append(tally)
    actual, scores, weights = zip(*(row for chunk in chunks for row in chunk), strict=True)
    whole = thresholds(actual, scores, thresholds=GRID, weights=weights if weighted else None)
    assert sum(tallies).stack() == whole  # type: ignore[union-attr]
    assert sum(reversed(tallies)).stack() == whole  # type: ignore[union-attr]
    for tally in tallies[1:]:
        tallies[0].merge(tally)
    assert tallies[0].stack() == whole
    assert tallies[0].total == whole.total[0]


def test_chunks_with_and_without_weights() -> None:
    tally = ThresholdTally(GRID)
    tally.update([0, 1], [0.1, 0.2])
    tally.update([0, 1], [0.1, 0.7], [0.5, 2.0])
    m = tally.stack()[0.5]
    assert m.counts.tolist() == [[1.5, 0], [1, 2]]
    assert m.squares is not None
    assert m.squares.tolist() == [[1.25, 0], [1, 4]]


def test_a_sum_leaves_its_parts_alone() -> None:
    a, b = ThresholdTally(GRID), ThresholdTally(GRID)
    a.update([0, 1], [0.1, 0.2])
    b.update([1], [0.7])
    both = a + b
    assert (a.total, b.total, both.total) == (2, 1, 3)
    both.update([1], [0.7])
    assert (a.total, b.total, both.total) == (2, 1, 4)
    assert pickle.loads(pickle.dumps(both)).stack() == both.stack() == copy.copy(both).stack()
    assert repr(both) == "<ThresholdTally of 4 thresholds, total 4>"


def test_from_several_threads() -> None:
    tally = ThresholdTally(np.linspace(0, 1, 11))
    rng = np.random.default_rng(0)
    actual, scores = rng.integers(0, 2, (8, 500)), rng.random((8, 500))
    threads = [threading.Thread(target=tally.update, args=(a, s)) for a, s in zip(actual, scores, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.stack() == thresholds(actual.ravel(), scores.ravel(), thresholds=np.linspace(0, 1, 11))


def test_named_classes_and_one_against_the_rest() -> None:
    tally = ThresholdTally([0.5], labels=["ham", "spam"], positive="spam")
    tally.update(["ham", "ham"], [0.9, 0.1])
    tally.update(["spam"], [0.9])
    assert tally.stack()[0.5].counts.tolist() == [[1, 1], [0, 1]]
    tally = ThresholdTally([0.5], labels=list("abc"), of="b")
    tally.update(["a", "b"], [[0, 1, 0], [0, 1, 0]])
    tally.update(["c"], [[1, 0, 0]])
    assert tally.stack()[0.5].counts.tolist() == [[1, 0], [1, 1]]


def test_what_is_wrong_is_said() -> None:
    tally = ThresholdTally(GRID)
    with pytest.raises(ConfmatError, match="counted no items"):
        tally.stack()
    with pytest.raises(ConfmatError, match=r"a stream of 'a', 'b' needs its two classes named"):
        tally.update(["a", "b"], [0.1, 0.2])
    with pytest.raises(ConfmatError, match="name them all"):
        ThresholdTally(GRID, positive="a")
    tally.update([0, 1], [0.1, 0.2])
    with pytest.raises(ConfmatError, match="the classes were 0, 1 so far, and are False, True now"):
        tally.update([True], [0.3])
    with pytest.raises(ConfmatError, match="other grids"):
        tally.merge(ThresholdTally([0.5]))
    with pytest.raises(ConfmatError, match="not Sweep"):
        tally.merge(tally.stack())  # type: ignore[arg-type]
    with pytest.raises(ConfmatError, match="must be one of"):
        ThresholdTally(GRID, kind="logit")  # type: ignore[arg-type]
    assert tally.total == 2

"""Tally: chunks in any order, from any thread or process, equal one count over everything."""

from __future__ import annotations

import copy
import itertools
import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import BudgetError, ConfusionMatrix, InputError, LabelError, Labels, Tally, count

pytestmark = pytest.mark.usefixtures("kernel")

ROWS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(0, 9)),
    min_size=1,
    max_size=30,
)
CUTS = st.lists(st.integers(0, 30), max_size=5)


def parts_of(rows: list[Any], cuts: list[int]) -> list[list[Any]]:
    ends = [0, *sorted(cuts), len(rows)]
    return [rows[a:b] for a, b in itertools.pairwise(ends)]


def tally_of(rows: list[tuple[str, str, int]], *, weighted: bool = False, **options: Any) -> Tally:
    tally = Tally(**options)
    feed(tally, rows, weighted=weighted)
    return tally


def feed(tally: Tally, rows: list[tuple[Any, Any, Any]], *, weighted: bool) -> None:
    tally.update(
        [a for a, _, _ in rows],
        [p for _, p, _ in rows],
        [w for _, _, w in rows] if weighted else None,
    )


@given(ROWS, CUTS, st.booleans(), st.randoms(use_true_random=False))
def test_any_split_in_any_order_is_the_whole(
    rows: list[Any], cuts: list[int], weighted: bool, random: Any
) -> None:
    whole = tally_of(rows, weighted=weighted).matrix()
    parts = parts_of(rows, cuts)
    random.shuffle(parts)
    one, merged, added = Tally(), Tally(), []
    for part in parts:
        feed(one, part, weighted=weighted)
        other = tally_of(part, weighted=weighted)
        merged.merge(pickle.loads(pickle.dumps(other)))
        if part:
            added.append(other.matrix())
    total = sum(added[1:], added[0])
    for found in (one.matrix(), merged.matrix(), total):
        assert found == whole
        assert hash(found) == hash(whole)
        assert found.total == whole.total == (sum(w for *_, w in rows) if weighted else len(rows))
        assert (found.squares is None) == (whole.squares is None)
        if whole.squares is not None and found.squares is not None:
            assert found.squares.tolist() == whole.squares.tolist()


@given(
    ROWS,
    CUTS,
    st.sampled_from(["drop", "collect"]),
    st.sampled_from(["drop", "collect"]),
    st.booleans(),
)
def test_policies_hold_across_chunks(
    rows: list[Any], cuts: list[int], missing: Any, other: Any, weighted: bool
) -> None:
    """A chunk may hold nothing but missing labels, or strangers, or both."""
    rows = [(None if a == "a" else a, None if p == "a" else p, w) for a, p, w in rows]
    for labels in (None, ["b", "c"], Labels(["c", "b"], outside=["z"])):
        options = {"missing": missing, "other": other, "labels": labels}
        tally = Tally(**options)
        for part in parts_of(rows, cuts):
            feed(tally, part, weighted=weighted)
        if labels is None and all(a is None and p is None for a, p, _ in rows):
            with pytest.raises(LabelError, match="every label is missing"):
                tally.matrix()
            continue
        whole = tally_of(rows, weighted=weighted, **options).matrix()
        assert tally.matrix() == whole
        assert tally.matrix().dropped == whole.dropped
        assert whole.total + whole.dropped == (sum(w for *_, w in rows) if weighted else len(rows))


def test_true_and_false_may_turn_out_to_be_integers() -> None:
    tally = Tally()
    tally.update([True, False], [True, True])
    tally.update([2, 1], [2, 0])
    assert tally.matrix() == count([True, False, 2, 1], [True, True, 2, 0])
    assert tally.matrix().labels.kind == "int"
    tally.subtract([False, True], [True, True])
    assert dict(tally.matrix().pairs()) == {(1, 0): 1, (2, 2): 1}


def test_the_positive_class_may_turn_up_late() -> None:
    tally = Tally(positive="yes")
    tally.update(["no"], ["no"])
    with pytest.raises(LabelError, match="no label 'yes'"):
        tally.matrix()
    tally.update(["no"], ["yes"])
    assert (tally.matrix().positive, tally.matrix().fp) == ("yes", 1)
    assert Tally([0, 1], positive=0).matrix().positive == 0


def test_too_many_classes_over_all_chunks_are_refused() -> None:
    tally = Tally(max_classes=3)
    tally.update([1, 2], [2, 3])
    with pytest.raises(BudgetError, match="4 distinct labels"):
        tally.update([4], [4])
    assert tally.total == 2
    with pytest.raises(BudgetError, match="4 distinct labels"):
        tally.merge(ConfusionMatrix([[1]], [9]))


def test_nothing_yet() -> None:
    tally = Tally()
    assert (tally.total, repr(tally)) == (0, "<Tally of nothing yet>")
    tally.update([], [])
    tally.merge(Tally())
    with pytest.raises(InputError, match="counted no pairs, so its labels are unknown"):
        tally.matrix()
    tally.update([1000] * 2000, [1000] * 2000)
    assert repr(tally) == "<Tally of 1 labels, total 2,000>"


@pytest.mark.parametrize(
    ("actual", "predicted", "weights"),
    [
        ([], [], [1]),
        ([1], [], None),
        ([1], [1], []),
        (np.array(1), np.array(1), None),
        ([1, 2], [1], None),
    ],
)
def test_a_bad_chunk_is_refused_and_leaves_no_trace(
    actual: Any, predicted: Any, weights: Any
) -> None:
    tally = Tally([1, 2])
    with pytest.raises(InputError):
        tally.update(actual, predicted, weights)
    assert tally.total == 0


# ---- taking out again ----------------------------------------------------------------------------


@given(ROWS, ROWS, st.booleans())
def test_what_was_added_can_be_taken_out(
    first: list[Any], second: list[Any], weighted: bool
) -> None:
    tally, left = tally_of(first, weighted=weighted), tally_of(second, weighted=weighted).matrix()
    feed(tally, second, weighted=weighted)
    tally.subtract(tally_of(first, weighted=weighted))
    assert dict(tally.matrix().pairs()) == dict(left.pairs())
    tally.subtract(left)
    assert tally.total == 0
    assert not tally.matrix().pairs()


def test_a_window_of_large_weights_slides_although_sums_round() -> None:
    rng = np.random.default_rng(0)
    chunks = [rng.random(3) * 1e10 for _ in range(20)]
    tally = Tally()
    for chunk in chunks:
        tally.update(["a"] * 3, ["b"] * 3, chunk)
    for chunk in chunks[:-1]:
        tally.subtract(["a"] * 3, ["b"] * 3, chunk)
    last = tally.matrix()
    assert last.counts[0, 1] == pytest.approx(chunks[-1].sum(), rel=1e-9)
    assert last.squares is not None
    assert np.all(last.squares >= 0)


@pytest.mark.parametrize("sparse", [False, True])
def test_more_than_there_is_cannot_be_taken_out(sparse: bool) -> None:
    tally = Tally()
    tally.merge(
        ConfusionMatrix([[2, 0], [0, 1]], ["a", "b"]).sparse()
        if sparse
        else ConfusionMatrix([[2, 0], [0, 1]], ["a", "b"])
    )
    before = tally.matrix()
    for chunk in ((["a"] * 3, ["a"] * 3), (["a"], ["b"]), (["z"], ["z"])):
        with pytest.raises(InputError, match="was that chunk ever added"):
            tally.subtract(*chunk)
        assert tally.matrix() == before


@pytest.mark.parametrize("sparse", [False, True])
def test_a_trifle_where_nothing_is_leaves_the_other_cells_alone(sparse: bool) -> None:
    tally = Tally()
    tally.merge(count([0, 1], [0, 1], weights=[1e6, 5.0], sparse=sparse))
    tally.subtract([0], [1], [1e-9])
    assert tally.matrix().counts.tolist() == [[1e6, 0], [0, 5.0]]


def test_unsigned_counts_do_not_wrap() -> None:
    tally = Tally()
    tally.update([0], [0], np.array([2**63 + 5], np.uint64))
    with pytest.raises(InputError, match="was that chunk ever added"):
        tally.subtract([0], [0], np.array([2**63 + 6], np.uint64))
    tally.subtract([0], [0], np.array([2**63], np.uint64))
    assert tally.matrix().counts.tolist() == [[5]]
    assert tally.matrix().counts.dtype == np.int64


def test_subtract_says_what_it_takes() -> None:
    with pytest.raises(InputError, match="takes a Tally, a ConfusionMatrix or two sides"):
        Tally().subtract([1])
    with pytest.raises(InputError, match="nothing to subtract from"):
        Tally().subtract([1], [1])
    Tally().subtract([], [])
    with pytest.raises(
        InputError, match="merges with another Tally or a ConfusionMatrix, not list"
    ):
        Tally().merge([1])  # type: ignore[arg-type]


def test_what_was_dropped_is_taken_out_too() -> None:
    tally = Tally(missing="drop")
    tally.update(["a", None], ["a", "a"])
    tally.update([None], ["a"])
    assert tally.matrix().dropped == 2
    tally.subtract([None], ["a"])
    assert tally.matrix().dropped == 1


# ---- processes and threads -----------------------------------------------------------------------


def test_threads_lose_nothing() -> None:
    tally = Tally()
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        start.wait()
        for i in range(50):
            tally.update([seed, i % 7], [i % 3, seed])

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tally.total == 8 * 50 * 2
    alone = Tally()
    for seed, i in itertools.product(range(8), range(50)):
        alone.update([seed, i % 7], [i % 3, seed])
    assert tally.matrix() == alone.matrix()


def test_merging_with_itself_and_each_other_does_not_lock() -> None:
    one, two = tally_of([("a", "b", 1)]), tally_of([("b", "b", 1)])
    one.merge(one)
    assert one.total == 2
    threads = [
        threading.Thread(target=x.merge, args=(y,))
        for x, y in ((one, two), (two, one))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)


def test_a_copy_goes_its_own_way() -> None:
    tally = tally_of([("a", "b", 1)])
    twin = copy.deepcopy(tally)
    twin.update(["a"], ["a"])
    assert (tally.total, twin.total) == (1, 2)
    assert twin.matrix().labels == Labels(["a", "b"])


def test_a_matrix_from_elsewhere_is_brought_onto_the_labels_asked_for() -> None:
    tally = Tally(labels=["b", "a"])
    tally.merge(count(["b"], ["a"]))
    stranger = count(["c", "a"], ["a", "a"])
    with pytest.raises(LabelError, match=r"not among `labels`: 'c'"):
        tally.merge(stranger)
    assert (tally.matrix().labels, tally.matrix().total) == (Labels(["b", "a"]), 1)
    dropping = Tally(labels=["b", "a"], other="drop")
    dropping.merge(stranger)
    assert (dropping.matrix().total, dropping.matrix().dropped) == (1, 1)


FORKS = """
import os, signal, threading
import confmat as cm
tally, stop = cm.Tally(labels=["a", "b"]), threading.Event()
# The lock is held by another thread when the process forks.
held = threading.Thread(target=lambda: tally._lock.acquire())
held.start()
held.join()
child = os.fork()
if not child:
    signal.alarm(20)
    tally.update(["a"], ["b"])
    tally.merge(tally.matrix())
    os._exit(tally.total)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_child_of_a_process_that_counts_goes_on() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], check=True, timeout=60)

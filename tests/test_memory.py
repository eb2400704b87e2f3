"""Memory stays in proportion to the pairs and the cells that are not zero, or is refused before it is taken."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import confmat
from confmat import BudgetError, ConfusionMatrix, count, count_multilabel

pytestmark = pytest.mark.usefixtures("kernel")

PROLOGUE = """
import resource
import numpy as np
from confmat import BudgetError, ConfusionMatrix, Labels, Tally, count
"""
LIMIT = "resource.setrlimit(resource.RLIMIT_AS, ({0} << 20, {0} << 20))\n"


def run_limited(program: str, megabytes: int) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("RLIMIT_AS is what Linux has")
    # One thread of BLAS: each would reserve memory of its own.
    environment = {
        **os.environ,
        "CONFMAT_KERNEL": confmat.kernel_name(),
        "OPENBLAS_NUM_THREADS": "1",
    }
    code = PROLOGUE + LIMIT.format(megabytes) + program
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


MILLION = {
    "declared": "m = count([1, 2], [2, 2], labels=range(10**6)); assert m.is_sparse and m.pairs()[1, 2] == 1",
    "text": "m = count(['1', '2'], ['2', '2'], labels=[str(i) for i in range(10**6)]); assert len(m.pairs()) == 2",
    "pairs": """
m = ConfusionMatrix.from_pairs([(0, 999_999, 3)], labels=range(10**6))
assert (m + m.T).total == 3 + 3
assert hash(m) == hash(m.T.T) and str(m)
""",
    "distinct": """
x = np.arange(10**6)
m = count(x, x[::-1])
assert m.is_sparse and m.total == 10**6 and (m + m).total == 2 * 10**6
""",
    "spread": "x = np.arange(0, 10**15, 10**9); assert count(x, x).n_classes == 10**6",
    "uuid": "x = [f'{i:032x}' for i in range(10**6)]; assert count(x, x).diagonal.sum() == 10**6",
    "groups": "x = np.arange(10**5); s = count(x, x, by=x % 7); assert s.total.sum() == 10**5 and s[3].is_sparse",
    "tally": """
t = Tally()
for i in range(5):
    t.update(np.arange(10**5) + i, np.arange(10**5))
assert t.matrix().n_classes == 10**5 + 4
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MILLION)
def test_a_million_classes_stay_in_memory(name: str) -> None:
    """scikit-learn asks for 74.5 GiB at 100,000 labels, torchmetrics for 8 TB at a million."""
    run_limited(MILLION[name], 1024)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ask",
    [
        "count([1], [1], labels=range(10**9))",
        "Labels(range(10**12))",
        "ConfusionMatrix.from_pairs([(0, 1, 2)], labels=range(10**5)).counts",
        "ConfusionMatrix.from_pairs([(0, 1, 2)], labels=range(10**5)).normalize()",
        "count(range(10**5), range(10**5)).dense()",
    ],
    ids=["labels", "Labels", "counts", "normalize", "dense"],
)
def test_what_would_not_fit_is_refused_before_memory_is_taken(ask: str) -> None:
    run_limited(
        f"try:\n    {ask}\nexcept BudgetError:\n    pass\nelse:\n    raise SystemExit('no error')",
        1024,
    )


def test_the_budget_error_says_what_to_do_instead() -> None:
    matrix = ConfusionMatrix.from_pairs([(0, 1, 2)], labels=range(10**5))
    with pytest.raises(
        BudgetError,
        match=r"use `pairs\(\)` for the non-zero cells, the margins .*, or `select\(\)`",
    ):
        _ = matrix.counts


def test_colliding_integers_are_counted() -> None:
    """All multiples of 2**61 - 1 have one hash in Python; few enough to finish even if each were compared with all."""
    values = [i * (2**61 - 1) for i in range(1000)]
    assert len({hash(value) for value in values}) == 1
    matrix = count(values, values[::-1])
    assert matrix.n_classes == 1000
    small = np.arange(100_000, dtype=np.int64) << 32
    assert count(small, small[::-1]).n_classes == 100_000


@pytest.mark.slow
def test_items_with_several_labels_take_little_beside_their_matrices() -> None:
    """A matrix and a few bits for each; intervals of their scores read some at a time."""
    n, rng = 200_000, np.random.default_rng(0)
    actual = rng.random((n, 20)) < 0.15
    predicted = actual ^ (rng.random((n, 20)) < 0.05)
    stack = count_multilabel(actual, predicted)
    confmat.report(stack, items=count_multilabel(actual, predicted, along="item"), intervals=True)
    tracemalloc.start()
    try:
        items = count_multilabel(actual, predicted, along="item")
        held, peak = tracemalloc.get_traced_memory()
        assert held < 40 * n
        assert peak < 50 * n
        tracemalloc.reset_peak()
        found = confmat.report(stack, items=items, intervals=True)
        assert tracemalloc.get_traced_memory()[1] - held < 60 * n
    finally:
        tracemalloc.stop()
    assert found.coverage["samples"][0] is not None
    assert found.coverage["samples"][0].classes == n

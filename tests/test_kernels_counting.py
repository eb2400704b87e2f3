"""The compiled counting against its specification: every width, layout, extreme and number of threads."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from confmat.kernels import reference
from tests.twins import KERNELS, compiled

Array = NDArray[Any]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
CODES = [*INTS, "bool"]
LAYOUTS = ["plain", "strided", "reversed", "unaligned", "swapped", "field", "readonly"]
# Below and above the block (512), the chunk of a thread (65,536) and what is worth a second thread
# (200,000).
SIZES = [0, 1, 7, 511, 512, 513, 4095, 4096, 70_000, 210_000]


def limits(dtype: str) -> tuple[int, int]:
    info = np.iinfo("uint8" if dtype == "bool" else dtype)
    return (0, 1) if dtype == "bool" else (int(info.min), int(info.max))


def laid_out(values: Array, layout: str) -> Array:
    """The same values in memory that is harder to read."""
    if layout == "strided":
        return np.repeat(values, 3)[::3]
    if layout == "reversed":
        return values[::-1].copy()[::-1]
    if layout == "swapped" and values.dtype != bool:
        return values.astype(values.dtype.newbyteorder())
    if layout == "unaligned":
        memory = np.zeros(values.nbytes + 1, np.uint8)[1:].view(values.dtype)
        memory[:] = values
        return memory
    if layout == "field":
        records = np.zeros(len(values), dtype=[("other", "i1"), ("value", values.dtype)])
        records["value"] = values
        return records["value"]
    values = values.copy()
    values.flags.writeable = layout != "readonly"
    return values


def drawn(rng: np.random.Generator, n: int, dtype: str, first: int, size: int) -> Array:
    """Codes around first .. first + size, with some of the extremes of their type."""
    lowest, highest = limits(dtype)
    low, high = max(lowest, first - 2), min(highest, first + size + 2)
    if low > high:
        low, high = lowest, highest
    if dtype == "bool":
        return rng.random(n) < 0.5
    values = rng.integers(low, high, n, dtype=dtype, endpoint=True)
    rare = rng.random(n) < 0.01
    values[rare] = rng.choice(np.array([lowest, highest], dtype=dtype), int(rare.sum()))
    return values


def assert_same(found: Any, expected: Any) -> None:
    if expected is None:
        assert found is None
        return
    assert type(found) is tuple
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        if not isinstance(other, np.ndarray):
            assert one == other
            assert type(one) is type(other)
            continue
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.flags.writeable
        assert one.flags.c_contiguous
        if other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=4e-16, atol=0)
        else:
            np.testing.assert_array_equal(one, other)


def check_all(
    actual: Array, predicted: Array, area: tuple[int, int, int, int], threads: int
) -> None:
    """Every function of the kernel on one pair of columns."""
    n = len(actual)
    assert_same(
        compiled.count_dense(actual, predicted, *area, threads),
        reference.count_dense(actual, predicted, *area, 1),
    )
    position = np.arange(n)
    for weights in (None, (position % 7) / 3, position % 5 - 1, (position % 5).astype(np.uint64)):
        args = (actual, predicted, weights, *area)
        assert_same(compiled.count_sparse(*args, threads), reference.count_sparse(*args, 1))
        if weights is not None:
            weighted = reference.count_weighted(actual, predicted, weights, *area, 1)
            assert_same(compiled.count_weighted(*args, threads), weighted)
    for side in (actual, predicted):
        for limit in (3, 2**31 - 1):
            assert_same(compiled.factorize_ints(side, limit), reference.factorize_ints(side, limit))
    if n:
        for span in (1, 300):
            assert_same(
                compiled.count_close(actual, predicted, span, threads),
                reference.count_close(actual, predicted, span, 1),
            )


@pytest.mark.parametrize(("left", "right"), list(itertools.product(CODES, CODES)))
def test_any_two_widths(left: str, right: str) -> None:
    rng = np.random.default_rng(7)
    for n, layout in zip([0, 9, 1300, 5000], ["plain", "strided", "plain", "swapped"], strict=True):
        actual = laid_out(drawn(rng, n, left, 0, 12), layout)
        predicted = laid_out(drawn(rng, n, right, 0, 9), layout)
        check_all(actual, predicted, (0, 12, 0, 9), 2)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", CODES)
def test_any_memory(dtype: str, layout: str) -> None:
    rng = np.random.default_rng(8)
    actual = laid_out(drawn(rng, 1300, dtype, 1, 5), layout)
    predicted = laid_out(drawn(rng, 1300, dtype, 1, 5), "plain")
    check_all(actual, predicted, (1, 5, 1, 5), 1)
    check_all(predicted, actual, (1, 5, 1, 5), 1)


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("size", [1, 5, 300])
def test_axes_at_and_beyond_the_ends_of_a_type(dtype: str, size: int) -> None:
    rng = np.random.default_rng(9)
    lowest, highest = limits(dtype)
    everywhere = np.array([lowest, lowest + 1, 0, 1, highest - 1, highest] * 20, dtype=dtype)
    firsts = [
        lowest,
        lowest - 1,
        lowest - size,
        highest,
        highest - size + 1,
        highest + 1,
        -(2**63),
        2**63,
        2**64 - 1,
        2**64,
    ]
    for first in [*firsts, -(2**63) - 2, -(2**64), 2**200, -(2**200)]:
        values = np.concatenate([everywhere, drawn(rng, 700, dtype, first, size)])
        check_all(values, values[::-1], (first, size, 0, 3), 1)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("classes", [0, 1, 2, 30, 200, 700, 1100, 3000])
def test_any_number_of_pairs_classes_and_threads(n: int, classes: int) -> None:
    rng = np.random.default_rng(n + classes)
    actual, predicted = (rng.integers(-1, classes + 1, n) for _ in range(2))
    expected = reference.count_dense(actual, predicted, 0, classes, 0, classes, 1)
    for threads in (1, 2, 5):
        assert_same(
            compiled.count_dense(actual, predicted, 0, classes, 0, classes, threads), expected
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16"])
def test_few_classes_of_narrow_codes(dtype: str, layout: str) -> None:
    rng, first = np.random.default_rng(10), 0
    actual = predicted = np.zeros(0, dtype)
    for classes, first in zip(
        range(1, 17), itertools.cycle([0, -1, limits(dtype)[1] - 5]), strict=False
    ):
        for n in (4095, 4096, 4097 + 64 * classes, 90_000 + classes):
            actual = laid_out(drawn(rng, n, dtype, first, classes), layout)
            predicted = laid_out(drawn(rng, n, dtype, 0, 3), "plain")
            for area in ((first, classes, 0, 3), (first, classes, 0, classes)):
                expected = reference.count_dense(actual, predicted, *area, 1)
                for threads in (1, 3):
                    assert_same(compiled.count_dense(actual, predicted, *area, threads), expected)
            assert_same(
                compiled.count_close(actual, actual, 20, 1),
                reference.count_close(actual, actual, 20, 1),
            )
    check_all(actual, predicted, (first, 12, 0, 12), 2)


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [*((k, "uint8") for k in (2, 3, 12)), *((k, "int64") for k in (3, 100, 1000, 3000))],
)
def test_one_cell_takes_everything(classes: int, dtype: str) -> None:
    same = np.full(1_100_001, classes - 1, dtype)
    counts, outside = compiled.count_dense(same, same, 0, classes, 0, classes, 2)
    assert (counts[-1, -1], counts.sum(), outside) == (len(same), len(same), 0)
    counts, outside = compiled.count_dense(same, same, 0, classes - 1, 0, classes, 2)
    assert (counts.sum(), outside) == (0, len(same))


@given(
    n=st.sampled_from(SIZES[:-2]),
    left=st.sampled_from(CODES),
    right=st.sampled_from(CODES),
    layouts=st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
    first=st.tuples(
        *2
        * [
            st.integers(-5, 5)
            | st.integers(-(2**65), 2**65)
            | st.sampled_from([-(2**63), 2**63, 2**64])
        ]
    ),
    size=st.tuples(*2 * [st.integers(0, 40) | st.sampled_from([255, 256, 257, 700])]),
    seed=st.integers(0, 2**32),
    threads=st.integers(-1, 5),
)
@example(513, "int64", "uint64", ("plain", "plain"), (-(2**63), 2**64 - 3), (5, 5), 0, 2)
def test_any_columns(
    n: int,
    left: str,
    right: str,
    layouts: tuple[str, str],
    first: tuple[int, int],
    size: tuple[int, int],
    seed: int,
    threads: int,
) -> None:
    rng = np.random.default_rng(seed)
    actual = laid_out(drawn(rng, n, left, first[0], size[0]), layouts[0])
    predicted = laid_out(drawn(rng, n, right, first[1], size[1]), layouts[1])
    check_all(actual, predicted, (first[0], size[0], first[1], size[1]), threads)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("rows", "cols"),
    [(10**6, 10**6), (2**31, 2**31), (3, 2**60), (2**61, 1), (3 * 2**40, 2**20 + 1)],
)
@pytest.mark.parametrize("n", [0, 50, 5000, 210_000])
def test_sparse_over_huge_axes(n: int, rows: int, cols: int, threads: int) -> None:
    rng = np.random.default_rng(n)
    actual, predicted = (
        rng.integers(-1, rows, n, endpoint=True),
        rng.integers(-1, cols, n, endpoint=True),
    )
    actual[n // 2 :], predicted[n // 2 :] = actual[: n - n // 2], predicted[: n - n // 2]
    for weights in (None, rng.random(n), rng.integers(0, 9, n)):
        args = (actual, predicted, weights, 0, rows, 0, cols)
        assert_same(compiled.count_sparse(*args, threads), reference.count_sparse(*args, 1))


@pytest.mark.parametrize("classes", [9, 100, 400, 700, 1500])
def test_sums_do_not_depend_on_threads(classes: int) -> None:
    rng = np.random.default_rng(6)
    n = 300_000
    actual, predicted = rng.integers(-1, classes, n), rng.integers(-1, classes, n)
    weights = rng.random(n) * 1e8
    args = (actual, predicted, weights, 0, classes, 0, classes)
    assert_same(compiled.count_weighted(*args, 2), reference.count_weighted(*args, 1))
    for function in (compiled.count_weighted, compiled.count_sparse):
        one, *others = (function(*args, threads) for threads in (1, 2, 3, 8))
        for other in others:
            assert [np.asarray(a).tobytes() for a in other] == [
                np.asarray(a).tobytes() for a in one
            ]


@pytest.mark.parametrize("dtype", ["int16", "int64", "uint64"])
@pytest.mark.parametrize("late", [None, 0, 5, 250, 900, "lowest", "highest"])
def test_a_range_that_a_sample_misses(dtype: str, late: int | str | None) -> None:
    rng = np.random.default_rng(3)
    actual, predicted = (rng.integers(100, 200, 300_000).astype(dtype) for _ in range(2))
    if late is not None:
        predicted[-3] = dict(zip(("lowest", "highest"), limits(dtype), strict=True)).get(
            str(late), late
        )
    for span in (1, 100, 101, 1000):
        for threads in (1, 2):
            assert_same(
                compiled.count_close(actual, predicted, span, threads),
                reference.count_close(actual, predicted, span, 1),
            )


@pytest.mark.parametrize("spread", [1, 50, 2**20, 2**40, 2**62])
@pytest.mark.parametrize("distinct", [2**4, 2**13, 2**20])
@pytest.mark.parametrize("n", [1, 1000, 150_000])
def test_factorize_by_bitmap_hash_and_sorting(n: int, distinct: int, spread: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.integers(-distinct // 2, distinct // 2, n) * max(spread // distinct, 1)
    expected = reference.factorize_ints(values, n)
    assert expected is not None
    assert_same(compiled.factorize_ints(values, n), expected)
    found = len(expected[1])
    assert compiled.factorize_ints(values, found) is not None
    assert compiled.factorize_ints(values, found - 1) is None
    assert compiled.factorize_ints(values, -5) is None


@pytest.mark.parametrize("kernel", KERNELS)
def test_64_bits_are_what_numpy_calls_int64(kernel: Any) -> None:
    # Where C's long has 64 bits, long long is a type of its own with the same name and another
    # letter.
    codes, area = np.array([0, 1]), (0, 2, 0, 2, 1)
    counts = [
        kernel.count_dense(codes, codes, *area)[0],
        kernel.count_close(codes, codes, 2, 1)[1],
        *kernel.count_sparse(codes, codes, None, *area)[:3],
        kernel.factorize_ints(codes, 2)[1],
    ]
    for dtype in ("q", "l", "Q", "L", ">i8"):
        weights = np.ones(2, dtype)
        if weights.itemsize == 8:
            sums = kernel.count_weighted(codes, codes, weights, *area)[0]
            cells = kernel.count_sparse(codes, codes, weights, *area)[2]
            assert sums.dtype.char == cells.dtype.char == np.dtype(f"{weights.dtype.kind}8").char
    assert {array.dtype.char for array in counts} == {np.dtype(np.int64).char}
    assert (
        kernel.factorize_ints(np.array([1], np.uint64), 2)[1].dtype.char == np.dtype(np.uint64).char
    )


def test_results_are_their_own_owners() -> None:
    codes = np.array([0, 1, 1])
    counts, _ = compiled.count_dense(codes, codes, 0, 2, 0, 2, 1)
    view = counts[1:]
    del counts
    view += 1
    assert view.tolist() == [[1, 3]]


WRONG: list[tuple[Any, Any, type[Exception]]] = [
    (np.zeros(3), np.zeros(3, int), TypeError),
    (np.zeros((3, 1), int), np.zeros(3, int), TypeError),
    (np.array(["a"] * 3), np.zeros(3, int), TypeError),
    ([0, 0, 0], np.zeros(3, int), TypeError),
    (np.zeros(4, int), np.zeros(3, int), ValueError),
]


@pytest.mark.parametrize(("actual", "predicted", "error"), WRONG)
def test_what_is_no_column_of_integers(actual: Any, predicted: Any, error: type[Exception]) -> None:
    for one, other in [(actual, predicted), (predicted, actual)]:
        with pytest.raises(error):
            compiled.count_dense(one, other, 0, 2, 0, 2, 1)
        with pytest.raises(error):
            compiled.count_sparse(one, other, None, 0, 2, 0, 2, 1)
        with pytest.raises(error):
            compiled.count_close(one, other, 10, 1)


def test_what_cannot_be_is_an_error_and_no_crash() -> None:
    codes = np.zeros(3, int)
    with pytest.raises(ValueError, match="negative"):
        compiled.count_dense(codes, codes, 0, -1, 0, 2, 1)
    with pytest.raises(MemoryError):
        compiled.count_dense(codes, codes, 0, 2**40, 0, 2**40, 1)
    with pytest.raises(ValueError, match="2\\^63"):
        compiled.count_sparse(codes, codes, None, 0, 2**40, 0, 2**40, 1)
    with pytest.raises(ValueError, match="length"):
        compiled.count_weighted(codes, codes, np.ones(2), 0, 1, 0, 1, 1)
    with pytest.raises(TypeError, match="float64"):
        compiled.count_weighted(codes, codes, np.ones(3, np.float32), 0, 1, 0, 1, 1)

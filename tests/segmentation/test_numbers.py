from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import LabelError, count_masks

pytestmark = pytest.mark.usefixtures("kernel")

TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32, np.uint64, np.int64)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("labels", [None, range(5)])
def test_the_last_number_of_a_type_is_ignored(dtype: Any, labels: Any) -> None:
    last = np.iinfo(dtype).max
    rng = np.random.default_rng(0)
    truth, answer = rng.integers(0, 5, (2, 4, 9, 11)).astype(dtype)
    truth[rng.random(truth.shape) < 0.3] = last
    answer[rng.random(answer.shape) < 0.1] = last
    kept = truth != last
    sides = [
        ["(void)" if x == last else str(x) for x in side[kept].tolist()] for side in (truth, answer)
    ]
    for call in (truth, answer), (list(truth), list(answer)):
        found = count_masks(*call, labels=labels, ignore=last)
        expected = cm.count(*sides)
        assert {(str(a), str(b)): n for (a, b), n in found.pairs().items()} == dict(
            expected.pairs()
        )
        assert found.dropped == truth.size - kept.sum()


@pytest.mark.parametrize("value", [5, 127, 128, 200, 254])
def test_strangers_that_look_like_what_is_ignored(value: int) -> None:
    truth = np.array([[0, 255, value, 4]], np.uint8)
    with pytest.raises(LabelError, match=f"`actual` is {value} in image 0 at row 0, column 2"):
        count_masks(truth, truth % 5, labels=range(5), ignore=255)
    answer = np.array([[0, value, value, 4]], np.uint8)
    with pytest.raises(LabelError, match=f"`predicted` is {value} in image 0 at row 0, column 2"):
        count_masks(np.array([[0, 255, 1, 4]], np.uint8), answer, labels=range(5), ignore=255)
    # Where the truth is ignored, no answer matters.
    assert (
        count_masks(
            np.array([[0, 255, 255, 4]], np.uint8), answer, labels=range(5), ignore=255
        ).total
        == 2
    )
    # Without labels, it is a class.
    assert count_masks(truth, truth, ignore=255).labels.classes == tuple(sorted({0, 4, value}))

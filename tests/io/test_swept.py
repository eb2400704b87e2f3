"""Every engine gives exactly the sweep that `thresholds` gives of the same scores on the edges of bins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import confmat as cm

pa = pytest.importorskip("pyarrow", reason="frames are made from Arrow tables")

Constructor = Callable[[Any], Any]


def trap(bins: int) -> Any:
    """Edges, and their neighbours on both sides: a product with the number of bins rounds some of them away."""
    edges = np.arange(bins + 1) / bins
    return np.clip(np.concatenate([edges, np.nextafter(edges, -1), np.nextafter(edges, 2)]), 0, 1)


@pytest.mark.parametrize("bins", [10, 49, 1000])
def test_edges_are_the_very_floats(frame_constructor: Constructor, bins: int) -> None:
    scores = trap(bins)
    actual = np.where(np.random.default_rng(bins).random(len(scores)) < scores, "sick", "well")
    t = cm.thresholds_frame(
        frame_constructor(pa.table({"y": actual.tolist(), "p": scores})), actual="y", score="p", bins=bins,
        positive="sick",
    )  # fmt: skip
    expected = cm.thresholds(actual, scores, thresholds=np.arange(bins + 1) / bins, positive="sick")
    assert t == expected
    # An area is that of the scores, but for what the bins may hide.
    one, true = (
        cm.interval(t, "roc_auc"),
        cm.interval(cm.thresholds(actual, scores, positive="sick"), "roc_auc"),
    )
    assert isinstance(one, cm.Estimate)
    assert isinstance(true, cm.Estimate)
    assert abs(one.value - true.value) <= float(one.note.split("±")[1]) * 1.1
    assert one.low <= true.low < true.high <= one.high


def test_missing_scores_and_numbers_that_are_no_probabilities(
    frame_constructor: Constructor,
) -> None:
    table = pa.table({"y": [1, 0, 1, 0], "p": [0.9, None, 0.4, 0.2]})
    with pytest.raises(cm.ConfmatError, match="missing='drop'"):
        cm.thresholds_frame(frame_constructor(table), actual="y", score="p")
    t = cm.thresholds_frame(
        frame_constructor(table), actual="y", score="p", bins=10, missing="drop"
    )
    assert t == cm.thresholds([1, 1, 0], [0.9, 0.4, 0.2], thresholds=np.arange(11) / 10)
    for wrong in ([0.5, -0.25, 0.5, 0.1], [0.5, 3.0, 0.5, 0.1]):
        with pytest.raises(cm.InputError, match="column 'p' holds 1 scores beyond 0 to 1"):
            cm.thresholds_frame(
                frame_constructor(pa.table({"y": [1, 0, 1, 0], "p": wrong})), actual="y", score="p"
            )

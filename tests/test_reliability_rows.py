"""Wrong results known of other tools, each as a row that says what they print and holds what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, LabelError, count, metrics

pytestmark = pytest.mark.usefixtures("kernel")

BYTES = np.full(300, 250, np.uint8)
LARGE = np.array([2**53, 2**53 + 1])
NAMES = ["accuracy", "macro avg", "total", "(missing)"]
RIGHT: dict[str, tuple[Callable[[], Any], Any]] = {
    # scikit-learn 1.9 gives -4611686018427387904.
    "integer weights do not wrap": (
        lambda: count([0] * 3, [0] * 3, weights=[2**62] * 3).total,
        3 * 2**62,
    ),
    # PyCM 4.6 prints an accuracy of .268 for this.
    "uint8 tables do not wrap": (
        lambda: metrics.accuracy(ConfusionMatrix(np.array([[200, 100], [20, 100]], np.uint8))),
        (200 + 100) / 420,
    ),
    # tf.math.confusion_matrix(dtype=uint8) gives 44; `K * actual + predicted` lands in a wrong cell.
    "uint8 labels do not wrap": (
        lambda: count(BYTES, BYTES, labels=range(256)).pairs()[250, 250],
        300,
    ),
    # Keras' MeanIoU stopped at 16777216, its successor wraps at 2**31.
    "counts stay exact": (lambda: count([0, 0], [0, 0], weights=[2**53 + 1, 1]).total, 2**53 + 2),
    # Eight projects: MCC of large counts came out as 2976900914.97, -0.6016 or 0.
    "products of counts do not overflow": (
        lambda: round(metrics.mcc(ConfusionMatrix([[10**18, 10**18], [10**18, 2]])), 12),
        -0.5,
    ),
    # torchmetrics 1.9 says 0.0.
    "rare classes are not lost": (
        lambda: metrics.mcc(ConfusionMatrix([[33554432, 1], [1, 1]])),
        pytest.approx((33554432 * 1 - 1 * 1) / (33554433 * 2), rel=1e-13),
    ),
    "accuracy does not round up to perfect": (
        lambda: metrics.accuracy(ConfusionMatrix([[2**30, 1], [0, 0]])),
        2**30 / (2**30 + 1),
    ),
    # scikit-learn 1.9: weights of 1e-170 make an MCC of 0.5 a 0.0.
    "tiny weights score as large ones": (
        lambda: round(metrics.mcc(ConfusionMatrix(np.array([[3, 1], [1, 3]]) * 1e-170)), 12),
        0.5,
    ),
    # scikit-learn and PyCM: 2 of 4 samples gone, and an accuracy of 1.0.
    "rows outside the labels do not vanish": (
        lambda: count([0, 1, 2, 2], [0, 1, 2, 1], labels=[0, 1], other="drop").dropped,
        2,
    ),
    "an absent class keeps its place": (
        lambda: list(count([1, 1], [1, 1], labels=[0, 1]).diagonal),
        [0, 2],
    ),
    "a NUL at the end is part of the label": (
        lambda: list(count([b"a", b"a\0"], [b"a", b"a"]).labels),
        [b"a", b"a\0"],
    ),
    "large integers do not merge": (
        lambda: list(count(LARGE, LARGE).diagonal),
        [1, 1],
    ),
    "accents are no spelling of each other": (
        lambda: count(["\u00e9", "e\u0301"], ["\u00e9", "\u00e9"]).n_classes,
        2,
    ),
    # scikit-learn's report overwrites the class with the summary.
    "a class may be called total": (lambda: count(NAMES, NAMES).one_vs_rest("total").tp, 1),
}
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    # torchmetrics counts (0, 5) of three classes as (1, 2) and (1, -1) as (0, 2); Keras loses them.
    "too large": (
        lambda: count(np.array([0]), np.array([5]), labels=range(3)),
        "not among `labels`",
    ),
    "negative": (
        lambda: count(np.array([1]), np.array([-1]), labels=range(3)),
        "not among `labels`",
    ),
    "a typo": (lambda: count(["cat", "dog"], ["cat", "dog"], labels=["cat", "dgo"]), "'dog'"),
    # scikit-learn: [[0, 0], [0, 0]], and no word.
    "another type": (
        lambda: count(["1", "2"], ["1", "2"], labels=[1, 2]),
        r"text \('1' in `actual`\) and int \(1 in `labels`\)",
    ),
    # scikit-learn: a third, all-zero class.
    "a label twice": (lambda: count([0, 1], [0, 1], labels=[0, 1, 1]), "come twice: 1"),
    # NumPy has made 1 into '1' before scikit-learn or PyCM can tell.
    "one and the text one": (lambda: count([1, "1"], [1, "1"]), "different kinds"),
    "rounded neighbors": (
        lambda: count(LARGE, LARGE.astype(float)),
        "too large for its neighbours",
    ),
    # PyCM makes 'None' of None; scikit-learn a class 'nan' of NaN in a list.
    "None": (lambda: count(["a", None], ["a", "b"]), "1 in `actual`, the first at position 1"),
    # tf counts the score .9 as class 0, torchmetrics guesses per batch.
    "scores": (lambda: count([0, 1], [0.3, 0.9]), "threshold"),
    "no positive class": (lambda: count(["sick"], ["sick"]).tp, "needs a positive class"),
}


@pytest.mark.parametrize("row", RIGHT)
def test_a_result_is_right(row: str) -> None:
    ask, right = RIGHT[row]
    assert ask() == right


@pytest.mark.parametrize("row", REFUSED)
def test_labels_that_would_be_misread_are_refused(row: str) -> None:
    ask, said = REFUSED[row]
    with pytest.raises(LabelError, match=said):
        ask()

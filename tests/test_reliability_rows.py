"""Wrong results known of other tools, each as a test that says what they print and holds what is right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from confmat import ConfusionMatrix, InputError, LabelError, Labels, count, metrics
from confmat.core.errors import AlignmentWarning

pytestmark = pytest.mark.usefixtures("kernel")


# ---- counts that wrap, saturate or round ---------------------------------------------------------


def test_integer_weights_do_not_wrap() -> None:
    """scikit-learn 1.9 gives -4611686018427387904."""
    assert count([0] * 3, [0] * 3, weights=[2**62] * 3).counts.tolist() == [[3 * 2**62]]


def test_totals_do_not_wrap() -> None:
    """scikit-learn 1.9: two cells of 2**63 - 1 add up to -2."""
    assert ConfusionMatrix([[2**63 - 1, 0], [0, 2**63 - 1]]).total == 2 * (2**63 - 1)


def test_uint8_tables_do_not_wrap() -> None:
    """PyCM 4.6 prints an accuracy of .268 and a population of 164 for this."""
    matrix = ConfusionMatrix(np.array([[200, 100], [20, 100]], np.uint8))
    assert matrix.total == 200 + 100 + 20 + 100
    assert metrics.accuracy(matrix) == (200 + 100) / 420


def test_uint8_labels_do_not_wrap() -> None:
    """tf.math.confusion_matrix(dtype=uint8) gives 44; `K * actual + predicted` in uint8 lands in a wrong cell."""
    labels = np.full(300, 250, np.uint8)
    assert count(labels, labels).counts.tolist() == [[300]]
    assert count(labels, labels, labels=range(256)).pairs()[250, 250] == 300


def test_counts_beyond_float32_stay_exact() -> None:
    """Keras' MeanIoU stopped at 16777216, its successor wraps at 2**31."""
    for n in (2**24 + 1, 2**31 + 3, 2**53 + 1):
        matrix = ConfusionMatrix([[n, 0], [0, 1]])
        assert (matrix + matrix).pairs()[0, 0] == 2 * n
        assert count([0, 0], [0, 0], weights=[n, 1]).total == n + 1


def test_products_of_counts_do_not_overflow() -> None:
    """Eight projects: MCC of large counts came out as 2976900914.97, -0.6016 or 0."""
    assert metrics.mcc(ConfusionMatrix([[10**18, 10**18], [10**18, 2]])) == pytest.approx(
        -0.5, abs=1e-12
    )
    # torchmetrics 1.9 says 0.0 to both.
    imbalanced = metrics.mcc(ConfusionMatrix([[33554432, 1], [1, 1]]))
    assert imbalanced == pytest.approx((33554432 * 1 - 1 * 1) / (33554433 * 2), rel=1e-13)
    expected = (10**10 * 7 - 3 * 5) / ((10**10 + 3) * (10**10 + 5) * (5 + 7) * (3 + 7)) ** 0.5
    assert metrics.mcc(ConfusionMatrix([[10**10, 3], [5, 7]])) == pytest.approx(expected, rel=1e-13)


def test_accuracy_does_not_round_up_to_perfect() -> None:
    assert metrics.accuracy(ConfusionMatrix([[2**30, 1], [0, 0]])) == 2**30 / (2**30 + 1) < 1


def test_scores_of_tiny_weights_are_those_of_large_ones() -> None:
    """scikit-learn 1.9: weights of 1e-170 make an MCC of 0.5 a 0.0."""
    for scale in (1e-300, 1e-170, 1.0, 1e300):
        assert metrics.mcc(ConfusionMatrix(np.array([[3, 1], [1, 3]]) * scale)) == pytest.approx(
            0.5, abs=1e-12
        )


def test_fractional_weights_are_kept() -> None:
    """Keras 3.15 drops them: a MeanIoU of 0.0."""
    assert count([0, 1], [0, 1], weights=[0.5, 0.5]).counts.tolist() == [[0.5, 0], [0, 0.5]]


def test_kappa_stays_above_minus_one() -> None:
    matrix = ConfusionMatrix([[0, 1], [1, 0]])
    assert metrics.kappa(matrix) >= -1


# ---- rows that vanish ----------------------------------------------------------------------------


def test_rows_outside_the_labels_do_not_vanish() -> None:
    """scikit-learn and PyCM: 2 of 4 samples gone, and an accuracy of 1.0."""
    actual, predicted = [0, 1, 2, 2], [0, 1, 2, 1]
    with pytest.raises(LabelError, match="1 label is not among `labels`: 2, in 2 of 4 pairs"):
        count(actual, predicted, labels=[0, 1])
    assert count(actual, predicted, labels=[0, 1], other="drop").dropped == 2
    collected = count(actual, predicted, labels=[0, 1], other="collect")
    assert (collected.total, collected.labels.outside) == (4, ("(other)",))
    assert "2 left out" in str(count(actual, predicted, labels=[0, 1], other="drop"))


def test_predictions_out_of_range_land_in_no_cell() -> None:
    """torchmetrics counts (0, 5) of three classes as (1, 2) and (1, -1) as (0, 2); Keras loses them."""
    for actual, predicted in ((0, 5), (1, -1), (7, 0)):
        with pytest.raises(LabelError, match="not among `labels`"):
            count(np.array([actual]), np.array([predicted]), labels=range(3))
        assert (
            count(np.array([actual]), np.array([predicted]), labels=range(3), other="drop").dropped
            == 1
        )


def test_a_typo_in_the_labels_is_seen() -> None:
    with pytest.raises(LabelError, match="'dog'"):
        count(["cat", "dog"], ["cat", "dog"], labels=["cat", "dgo"])


def test_labels_of_the_wrong_type_are_seen() -> None:
    """scikit-learn: [[0, 0], [0, 0]], and no word."""
    with pytest.raises(LabelError, match=r"text \('1' in `actual`\) and int \(1 in `labels`\)"):
        count(["1", "2"], ["1", "2"], labels=[1, 2])


def test_a_label_twice_is_an_error() -> None:
    """scikit-learn: a third, all-zero class."""
    with pytest.raises(LabelError, match="come twice: 1"):
        count([0, 1], [0, 1], labels=[0, 1, 1])


def test_an_unused_category_keeps_its_row() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    seen = pd.Categorical(["a", "b"], categories=["a", "b", "c"])
    assert count(seen, seen).labels == ["a", "b", "c"]


def test_an_absent_class_keeps_its_place() -> None:
    assert count([1, 1], [1, 1], labels=[0, 1]).counts.tolist() == [[0, 0], [0, 2]]
    assert count([0, 0], [0, 1]).counts.shape == (2, 2)


def test_one_class_is_a_matrix_of_one() -> None:
    assert count([1, 1], [1, 1]).counts.tolist() == [[2]]
    assert count([True, True], [True, True], labels=[False, True]).counts.tolist() == [
        [0, 0],
        [0, 2],
    ]


def test_empty_input_is_zeros_where_the_labels_are_known() -> None:
    assert count([], [], labels=[0, 1]).counts.tolist() == [[0, 0], [0, 0]]
    with pytest.raises(InputError, match="no pairs to count"):
        count([], [])


# ---- labels that merge ---------------------------------------------------------------------------


def test_one_and_the_text_one_do_not_merge() -> None:
    """NumPy has made 1 into '1' before scikit-learn or PyCM can tell."""
    with pytest.raises(LabelError, match=r"text \('a' in `actual`\) and int \(1 in `actual`\)"):
        count(["a", 1, "a"], ["a", 1, 1])
    with pytest.raises(LabelError, match="different kinds"):
        count([1, "1"], [1, "1"])


def test_a_nul_at_the_end_is_part_of_the_label() -> None:
    assert count(["a", "a\0"], ["a", "a"]).labels == ["a", "a\0"]
    assert count([b"a", b"a\0"], [b"a", b"a"]).labels == [b"a", b"a\0"]
    assert count([np.str_("a"), np.str_("a\0")], ["a", "a"]).labels == ["a", "a\0"]


def test_neighboring_large_integers_do_not_merge() -> None:
    exact = np.array([2**53, 2**53 + 1])
    assert count(exact, exact).counts.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(LabelError, match="too large for its neighbours"):
        count(exact, exact.astype(float))
    with pytest.raises(LabelError, match="too large for its neighbours"):
        count([2048, 2049], np.array([2048, 2049], np.float16))


def test_composed_and_decomposed_accents_are_two_labels() -> None:
    assert count(["\u00e9", "e\u0301"], ["\u00e9", "\u00e9"]).n_classes == 2


def test_none_and_nan_are_missing_and_never_words() -> None:
    """PyCM makes 'None' of None; scikit-learn a class 'nan' of NaN in a list."""
    for gap in (None, float("nan"), np.nan):
        with pytest.raises(LabelError, match="1 in `actual`, the first at position 1"):
            count(["a", gap], ["a", "b"])
        assert count(["a", gap], ["a", "b"], missing="collect").pairs()["(missing)", "b"] == 1


def test_a_class_may_be_called_accuracy_or_total() -> None:
    """scikit-learn's report overwrites the class with the summary."""
    names = ["accuracy", "macro avg", "total", "(missing)"]
    matrix = count(names, names)
    assert list(matrix.labels) == sorted(names)
    assert matrix.one_vs_rest("total").tp == 1


# ---- input that is read otherwise than meant -----------------------------------------------------


def test_masked_samples_are_not_counted_as_if_they_were_there() -> None:
    masked = np.ma.masked_array([0, 1, 1], mask=[False, True, False])
    with pytest.raises(LabelError, match="missing labels: 1 in `actual`"):
        count(masked, [0, 0, 1])
    assert count(masked, [0, 0, 1], missing="drop").counts.tolist() == [[1, 0], [0, 1]]


def test_series_with_other_indexes_are_paired_by_position_and_it_is_said() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.warns(AlignmentWarning):
        matrix = count(pd.Series([0, 1]), pd.Series([0, 1], index=[1, 0]))
    assert matrix.counts.tolist() == [[1, 0], [0, 1]]


def test_an_ordered_category_keeps_its_order() -> None:
    """scikit-learn weighs kappa by the alphabet: 0.333 for 0.0."""
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    levels = pd.Categorical(["low", "mid", "high"], categories=["low", "mid", "high"], ordered=True)
    assert list(count(levels, levels).labels) == ["low", "mid", "high"]


def test_predicted_rows_are_said_on_the_way_in() -> None:
    """Eleven projects had truth and prediction, or FP and FN, the wrong way round."""
    matrix = ConfusionMatrix.from_predicted_rows([[5, 7], [1, 3]], ["yes", "no"], positive="yes")
    assert (matrix.tp, matrix.fp, matrix.fn, matrix.tn) == (5, 7, 1, 3)


def test_names_and_rows_move_together() -> None:
    """Six projects printed names in one order and rows in another."""
    matrix = count(["z", "a", "z"], ["z", "z", "z"], labels=["z", "a"])
    assert (list(matrix.labels), matrix.counts.tolist()) == (["z", "a"], [[2, 0], [1, 0]])
    renamed = matrix.relabel({"z": "b", "a": "y"})
    assert (list(renamed.labels), renamed.counts.tolist()) == (["b", "y"], [[2, 0], [1, 0]])


def test_the_positive_class_is_never_guessed_from_names() -> None:
    with pytest.raises(LabelError, match="needs a positive class"):
        _ = count(["sick", "well"], ["sick", "sick"]).tp


def test_negative_and_missing_weights_are_refused() -> None:
    """scikit-learn: a recall of 1.5 and a cell of -5; tf: -2147483648 for NaN."""
    for weights in ([3, -1, 1], [1.0, float("nan"), 1.0]):
        with pytest.raises(InputError, match="`weights` must be"):
            count([0, 0, 0], [0, 0, 1], weights=weights)
    with pytest.raises(InputError, match="one number per pair: 3, not 0"):
        count([0, 0, 0], [0, 0, 1], weights=[])


def test_scores_are_not_labels() -> None:
    """tf counts the score .9 as class 0, torchmetrics guesses per batch."""
    for scores in ([0.3, 0.9], np.array([0.3, 0.9], np.float32)):
        with pytest.raises(LabelError, match="threshold"):
            count([0, 1], scores)


@pytest.mark.parametrize(
    "values",
    [np.array([0, 1], object), [(0, 1), (1, 0)], [2**70, 1], [b"a", b"b"]],
    ids=map(str, range(4)),
)
def test_legitimate_labels_are_accepted(values: Any) -> None:
    assert count(values, values).diagonal.tolist() == [1, 1]


def test_an_empty_row_has_no_rate() -> None:
    """scikit-learn prints a row of 0.0: no data looks like no recall."""
    assert np.isnan(ConfusionMatrix([[0, 0], [1, 1]]).normalize("actual")[0]).all()


def test_relabeling_does_not_sort() -> None:
    assert ConfusionMatrix([[1, 2], [3, 4]], [0, 1]).relabel({0: "Z", 1: "A"}).counts.tolist() == [
        [1, 2],
        [3, 4],
    ]


def test_background_predictions_are_false_positives_of_the_class_alone() -> None:
    """YOLOv5 and its copies put them into the wrong margin."""
    matrix = ConfusionMatrix([[4, 1], [2, 0]], Labels(["box"], outside=["background"]))
    assert (matrix.cells.fn.tolist(), matrix.cells.fp.tolist()) == ([1], [2])

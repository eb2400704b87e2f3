"""The face of scikit-learn without scikit-learn: answers worked out by hand, what is lost is said, one count."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
import confmat.sklearn as face
from confmat import ConfmatError, ConfusionMatrix, MetricError
from confmat.core.errors import CompatibilityWarning

pytestmark = pytest.mark.usefixtures("kernel")

# Cat, Fish, Hen; the matrix is [[4, 1, 1], [6, 2, 2], [3, 0, 6]].
TRUE = ["Cat"] * 6 + ["Fish"] * 10 + ["Hen"] * 9
PREDICTED = [*["Cat"] * 4, "Fish", "Hen", *["Cat"] * 6, *["Fish"] * 2, *["Hen"] * 2, *["Cat"] * 3, *["Hen"] * 6]
TABLE = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


def test_booleans_whose_bytes_say_true_by_255() -> None:
    truth, answer = np.array([0, 255, 255], np.uint8).view(bool), np.array([False, False, True])
    assert face.confusion_matrix(truth, answer).tolist() == [[1, 0], [1, 1]]
    assert face.f1_score(truth, answer) == pytest.approx(2 / 3)


def test_the_whole_matrix() -> None:
    assert face.confusion_matrix(TRUE, PREDICTED).tolist() == TABLE
    assert face.accuracy_score(TRUE, PREDICTED) == (4 + 2 + 6) / 25
    assert face.accuracy_score(TRUE, PREDICTED, normalize=False) == 4 + 2 + 6
    assert face.zero_one_loss(TRUE, PREDICTED) == 1 - 12 / 25
    assert face.hamming_loss(TRUE, PREDICTED) == 13 / 25
    assert face.balanced_accuracy_score(TRUE, PREDICTED) == pytest.approx((4 / 6 + 2 / 10 + 6 / 9) / 3, rel=1e-15)
    chance = (13 * 6 + 3 * 10 + 9 * 9) / 625
    assert face.cohen_kappa_score(TRUE, PREDICTED) == pytest.approx((12 / 25 - chance) / (1 - chance), rel=1e-14)
    m = ConfusionMatrix(TABLE, ["Cat", "Fish", "Hen"])
    assert face.matthews_corrcoef(TRUE, PREDICTED) == pytest.approx(cm.mcc(m), rel=1e-14)


def test_every_class_and_every_average() -> None:
    recalls = [4 / 6, 2 / 10, 6 / 9]
    assert face.recall_score(TRUE, PREDICTED, average=None).tolist() == recalls
    assert face.precision_score(TRUE, PREDICTED, average=None).tolist() == [4 / 13, 2 / 3, 6 / 9]
    assert face.recall_score(TRUE, PREDICTED, average="macro") == pytest.approx(sum(recalls) / 3, rel=1e-15)
    weighted = (6 * recalls[0] + 10 * recalls[1] + 9 * recalls[2]) / 25
    assert face.recall_score(TRUE, PREDICTED, average="weighted") == pytest.approx(weighted, rel=1e-15)
    assert face.f1_score(TRUE, PREDICTED, average="micro") == pytest.approx(12 / 25, rel=1e-15)
    assert face.jaccard_score(TRUE, PREDICTED, average=None).tolist() == [4 / 15, 2 / 11, 6 / 12]
    assert face.f1_score(TRUE, PREDICTED, labels=["Hen"], average=None).tolist() == [2 * 6 / (9 + 9)]
    assert face.fbeta_score(TRUE, PREDICTED, beta=2, average=None)[0] == pytest.approx(5 * 4 / (4 * 6 + 13), rel=1e-15)
    *_, support = face.precision_recall_fscore_support(TRUE, PREDICTED)
    assert support.tolist() == [6, 10, 9]
    one_vs_rest = face.multilabel_confusion_matrix(TRUE, PREDICTED)
    assert one_vs_rest[0].tolist() == [[25 - 6 - 9, 9], [2, 4]]


def test_two_classes() -> None:
    true, predicted = [0, 1, 0, 1, 0], [1, 1, 0, 0, 0]
    assert face.precision_score(true, predicted) == 1 / 2
    assert face.class_likelihood_ratios(true, predicted) == ((1 / 2) / (1 / 3), (1 / 2) / (2 / 3))
    with pytest.raises(ConfmatError, match="pos_label=yes is not a valid label"):
        face.recall_score(true, predicted, pos_label="yes")
    with pytest.raises(ConfmatError, match="Target is multiclass but average='binary'"):
        face.recall_score(TRUE, PREDICTED)


def test_several_labels_per_item() -> None:
    true, predicted = np.array([[1, 0, 1], [0, 1, 1]]), np.array([[1, 0, 0], [0, 1, 1]])
    assert face.accuracy_score(true, predicted) == 1 / 2
    assert face.hamming_loss(true, predicted) == 1 / 6
    assert face.f1_score(true, predicted, average="samples") == pytest.approx((2 / 3 + 1) / 2)
    assert face.multilabel_confusion_matrix(true, predicted)[2].tolist() == [[0, 0], [1, 1]]
    weighted = face.recall_score(true, predicted, average=None, sample_weight=[1.0, 3.0])
    assert weighted.tolist() == [1, 1, 3 / 4]
    with pytest.raises(ConfmatError, match="multilabel-indicator is not supported"):
        face.confusion_matrix(true, predicted)


def test_a_report() -> None:
    lines = face.classification_report(TRUE, PREDICTED, digits=3).splitlines()
    assert lines[2].split() == ["Cat", "0.308", "0.667", "0.421", "6"]
    assert lines[-3].split() == ["accuracy", "0.480", "25"]
    report = face.classification_report(TRUE, PREDICTED, output_dict=True)
    assert report["accuracy"] == pytest.approx(12 / 25)
    assert report["Fish"]["support"] == 10


@pytest.mark.parametrize("weights", [[1, 2, 3, 4], [0.5, 1.0, 1.5, 2.0], np.array([2, 0, 0, 1], dtype=np.uint8)])
def test_weights_are_added_up(weights: Any) -> None:
    true, predicted = ["a", "a", "b", "b"], ["a", "b", "b", "a"]
    table = face.confusion_matrix(true, predicted, sample_weight=weights)
    assert table.tolist() == [[weights[0], weights[1]], [weights[3], weights[2]]]
    assert table.dtype.kind == ("f" if isinstance(weights[0], float) else "i")
    share = (weights[0] + weights[2]) / (weights[0] + weights[1] + weights[2] + weights[3])
    assert face.accuracy_score(true, predicted, sample_weight=weights) == pytest.approx(float(share))


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=30))
def test_the_face_is_the_core(pairs: list[tuple[int, int]]) -> None:
    true, predicted = map(list, zip(*pairs, strict=True))
    m = cm.count(true, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert face.confusion_matrix(true, predicted).tolist() == m.counts.tolist()
        assert face.accuracy_score(true, predicted) == cm.accuracy(m)
        recalls = face.recall_score(true, predicted, average=None, zero_division=np.nan)
    np.testing.assert_allclose(recalls, cm.recall(m), rtol=1e-15)


@pytest.mark.parametrize("far", [10**15, 2**62])
def test_many_labels_far_apart(far: int) -> None:
    true = np.arange(0, 5000) * (far // 5000)
    predicted = true.copy()
    predicted[0] = true[1]
    assert face.accuracy_score(true, predicted) == 4999 / 5000
    assert face.f1_score(true, predicted, average="micro") == pytest.approx(4999 / 5000)
    assert face.matthews_corrcoef(true, predicted) == pytest.approx(0.9998, abs=1e-5)
    weighted = face.precision_score(true, predicted, average=None, sample_weight=np.full(5000, 0.5), zero_division=0)
    assert weighted[:3].tolist() == [0, 0.5, 1]


# ---- what is lost is said ----------------------------------------------------------------------------------


def test_rows_outside_the_labels() -> None:
    with pytest.warns(CompatibilityWarning, match="2 of 4 samples are left out, because 2 is not among `labels`"):
        table = face.confusion_matrix([0, 1, 2, 2], [0, 1, 2, 1], labels=[0, 1])
    assert table.tolist() == [[1, 0], [0, 1]]
    with pytest.warns(CompatibilityWarning, match="1 of 3 samples"):
        face.cohen_kappa_score(["a", "b", "c"], ["a", "b", "a"], labels=["a", "b"])


def test_a_label_named_twice() -> None:
    with pytest.warns(CompatibilityWarning, match="names 1 more than once"):
        table = face.confusion_matrix([0, 1], [0, 1], labels=[0, 1, 1])
    assert table.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_a_class_called_like_an_average() -> None:
    true = ["accuracy", "x"]
    with pytest.warns(CompatibilityWarning, match="two rows are called 'accuracy'"):
        face.classification_report(true, true, output_dict=True)


def test_a_mask() -> None:
    masked = np.ma.masked_array([0, 1], [True, False])
    with pytest.warns(CompatibilityWarning, match="the mask is lost"):
        assert face.confusion_matrix(masked, [0, 1]).tolist() == [[1, 0], [0, 1]]


def test_nothing_is_said_where_nothing_is_lost() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        face.confusion_matrix([0, 1], [1, 1], labels=[1, 0, 2])
        face.precision_score([0, 1, 2], [0, 1, 1], labels=[0, 1], average="macro")
        face.classification_report(["a", "b"], ["a", "b"], target_names=["first", "second"])


def test_warnings_point_at_the_caller() -> None:
    with pytest.warns(UserWarning, match="A single label was found") as said:
        face.confusion_matrix([1], [1])
    assert said[0].filename == __file__


def test_errors_are_of_the_family() -> None:
    for call in (
        lambda: face.accuracy_score([0, 1], [0]),
        lambda: face.accuracy_score(["a"], [1]),
        lambda: face.f1_score([0, 1], [0, 1], zero_division=2),
        lambda: face.confusion_matrix([0, 1], [0, 1], normalize="rows"),
        lambda: face.accuracy_score([], []),
        lambda: face.accuracy_score([0.5], [0.1]),
        lambda: face.accuracy_score([0], [0], sample_weight=["heavy"]),
    ):
        with pytest.raises(ConfmatError):
            call()
    with pytest.raises(TypeError):
        face.f1_score([0, 1], [0, 1], average="mean")


WITHOUT = """
import sys, warnings
sys.modules["sklearn"] = None
import confmat.sklearn as face
warnings.simplefilter("error")
assert face.accuracy_score([0, 1], [0, 1]) == 1
try:
    face.precision_score([0, 1], [0, 0])
except face.UndefinedMetricWarning as warning:
    assert isinstance(warning, UserWarning) and type(warning).__module__ == "confmat.sklearn"
else:
    raise AssertionError
assert "matplotlib" not in sys.modules
"""


@pytest.mark.slow
def test_it_works_without_scikit_learn() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


LIGHT = "import sys, confmat.sklearn; assert not {'sklearn', 'matplotlib', 'pandas', 'scipy'} & set(sys.modules)"


@pytest.mark.slow
def test_importing_it_loads_nobody() -> None:
    subprocess.run([sys.executable, "-c", LIGHT], check=True)


# ---- scorers -----------------------------------------------------------------------------------------------


class Echo:
    """An estimator that predicts what it is given."""

    classes_ = np.array(["Cat", "Fish", "Hen", "Owl"])

    def predict(self, X: Any) -> Any:  # noqa: N803
        return X


NAMES = ("accuracy", "f1.macro", "mcc", "recall[Fish]", "recall[Owl]", "recall[Dog]", "f1_macro", "jaccard_weighted")


def test_one_count_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    from confmat.sklearn import _counting, scorers

    counted: list[Any] = []

    def count(*args: Any) -> Any:
        counted.append(args)
        return _counting.count_labels(*args)

    monkeypatch.setattr(scorers, "count_labels", count)
    scores = face.scorer(*NAMES)(Echo(), PREDICTED, TRUE)
    assert len(counted) == 1
    m = ConfusionMatrix(TABLE, ["Cat", "Fish", "Hen"])
    assert list(scores) == list(NAMES)
    assert scores["accuracy"] == 12 / 25
    assert scores["f1.macro"] == pytest.approx(cm.f1(m, average="macro"), rel=1e-15)
    assert scores["mcc"] == pytest.approx(cm.mcc(m), rel=1e-15)
    assert scores["recall[Fish]"] == 2 / 10
    # A class that this fold lacks, and one that nobody knows.
    assert np.isnan(scores["recall[Owl]"])
    assert np.isnan(scores["recall[Dog]"])
    assert scores["f1_macro"] == face.f1_score(TRUE, PREDICTED, average="macro")
    assert scores["jaccard_weighted"] == face.jaccard_score(TRUE, PREDICTED, average="weighted")
    assert all(type(value) is float for value in scores.values())


def test_words_of_scikit_learn_for_two_classes() -> None:
    names = ("precision", "recall", "f1", "jaccard", "balanced_accuracy", "matthews_corrcoef")
    scores = face.scorer(*names, pos_label="Hen")(Echo(), ["Hen", "Cat", "Hen"], ["Hen", "Cat", "Cat"])
    assert scores["precision"] == 1 / 2
    assert scores["recall"] == 1
    assert scores["jaccard"] == 1 / 2
    assert scores["balanced_accuracy"] == 3 / 4


def test_scorers_travel() -> None:
    made = face.scorer("f1.macro", "mcc", zero_division=1)
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert again != face.scorer("f1.macro", "mcc")
    assert repr(again) == "scorer('f1.macro', 'mcc')"
    assert hash(again) == hash(made)
    assert pickle.loads(pickle.dumps(face.f1_score)) is face.f1_score


@pytest.mark.parametrize(
    ("names", "message"),
    [((), "at least one"), (("acuracy",), "accuracy")],
)
def test_a_scorer_needs_scores(names: tuple[str, ...], message: str) -> None:
    with pytest.raises(MetricError, match=message):
        face.scorer(*names)


def test_a_bare_score_per_class_is_that_of_the_positive_class() -> None:
    class Plain(Echo):
        classes_ = ()  # type: ignore[assignment]

    assert face.scorer("specificity")(Plain(), [0, 0, 1, 1], [0, 0, 0, 1]) == 2 / 3
    named = face.scorer("specificity", pos_label="Hen")
    assert named(Plain(), ["Cat", "Cat", "Hen", "Hen"], ["Cat", "Cat", "Cat", "Hen"]) == 2 / 3
    with pytest.raises(MetricError, match=r"'specificity.macro' or 'specificity\[Cat\]'"):
        face.scorer("specificity")(Plain(), ["Cat", "Fish", "Hen"], ["Cat", "Fish", "Hen"])


def test_a_scorer_of_many_labels() -> None:
    labels = np.arange(0, 10**15, 10**12)
    scores = face.scorer("accuracy", "recall.macro")(Echo(), labels, labels)
    assert scores == {"accuracy": 1.0, "recall.macro": 1.0}
    assert face.scorer("recall.macro")(Echo(), labels, labels) == 1.0


# ---- the display -------------------------------------------------------------------------------------------


@pytest.fixture
def pyplot() -> Any:
    matplotlib = pytest.importorskip("matplotlib", reason="the display draws with Matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_a_matrix_is_displayed(pyplot: Any) -> None:
    m = ConfusionMatrix(TABLE, ["Cat", "$Fish$", "Hen\x1b[2J"])
    shown = face.ConfusionMatrixDisplay.from_matrix(m, colorbar=False)
    assert [[text.get_text() for text in row] for row in shown.text_] == [[str(n) for n in row] for row in TABLE]
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == ["Cat", "$Fish$", "Hen\\x1b[2J"]
    assert shown.im_.get_array().tolist() == TABLE
    assert shown.figure_ is shown.ax_.figure
    shown.figure_.canvas.draw()
    assert face.ConfusionMatrixDisplay(m).display_labels == ["Cat", "$Fish$", "Hen\x1b[2J"]
    with pytest.raises(ConfmatError, match="takes a ConfusionMatrix"):
        face.ConfusionMatrixDisplay.from_matrix(TABLE)  # type: ignore[arg-type]


def test_predictions_are_displayed(pyplot: Any) -> None:
    ax = pyplot.subplots()[1]
    shown = face.ConfusionMatrixDisplay.from_predictions(TRUE, PREDICTED, normalize="true", ax=ax, text_kw={"c": "red"})
    assert shown.ax_ is ax
    assert shown.text_[0, 0].get_text() == format(4 / 6, ".2g")
    assert shown.text_[0, 0].get_color() == "red"
    assert len(shown.figure_.axes) == 2
    bare = shown.plot(include_values=False)
    assert bare.text_ is None


class Classifier(Echo):
    _estimator_type = "classifier"


def test_an_estimator_is_displayed(pyplot: Any) -> None:
    shown = face.ConfusionMatrixDisplay.from_estimator(Classifier(), PREDICTED, TRUE, values_format=".1f")
    assert shown.text_[2, 2].get_text() == "6.0"


@pytest.mark.parametrize("names", [[3, 2**63, 2**63 + 1], [2**60, 2**60 + 1, 2**60 + 2], [-1, 2**53, 2**53 + 1]])
def test_unsigned_labels_beside_signed_ones_are_not_taken_for_their_neighbors(names: list[int]) -> None:
    """The type that NumPy gives them in common is a float, to which they would be the same number."""
    small = {name: place for place, name in enumerate(names)}
    signed = [name for name in names if name < 2**63]
    true: Any = np.array([name for name in names if name >= 0] * 2, dtype=np.uint64)
    predicted = np.resize(np.array(signed[::-1], dtype=np.int64), len(true))
    for name in ("confusion_matrix", "multilabel_confusion_matrix", "accuracy_score", "matthews_corrcoef"):
        ask = getattr(face, name)
        codes = [[small[label] for label in side.tolist()] for side in (true, predicted)]
        np.testing.assert_array_equal(ask(true, predicted), ask(*codes))
        np.testing.assert_array_equal(ask(predicted, true), ask(*codes[::-1]))
    found = face.classification_report(true, predicted, output_dict=True, zero_division=0)
    assert [name for name in found if name[-1].isdigit()] == [str(name) for name in names]

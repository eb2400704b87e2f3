"""The face of scikit-learn: answers worked out by hand, one count, and what goes to scikit-learn as it came."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm
from confmat import AVERAGES, ConfmatError, ConfusionMatrix, LabelError, MetricError
from confmat.metrics.catalog import Score, parse_score
from confmat.metrics.declaration import catalog, factories

pytest.importorskip("sklearn", reason="the face asks scikit-learn")
face = importlib.import_module("confmat.sklearn")

pytestmark = [pytest.mark.peers, pytest.mark.usefixtures("kernel")]

# Cat, Fish, Hen; the matrix is [[4, 1, 1], [6, 2, 2], [3, 0, 6]].
TRUE = ["Cat"] * 6 + ["Fish"] * 10 + ["Hen"] * 9
PREDICTED = [
    *["Cat"] * 4,
    "Fish",
    "Hen",
    *["Cat"] * 6,
    *["Fish"] * 2,
    *["Hen"] * 2,
    *["Cat"] * 3,
    *["Hen"] * 6,
]
TABLE = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


@pytest.fixture(autouse=True, scope="module")
def _few() -> Iterator[None]:
    """Small examples are counted like large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(face._pairs, "FEW", 0)
        yield


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
    assert face.balanced_accuracy_score(TRUE, PREDICTED) == pytest.approx(
        (4 / 6 + 2 / 10 + 6 / 9) / 3, rel=1e-15
    )
    chance = (13 * 6 + 3 * 10 + 9 * 9) / 625
    assert face.cohen_kappa_score(TRUE, PREDICTED) == pytest.approx(
        (12 / 25 - chance) / (1 - chance), rel=1e-14
    )
    m = ConfusionMatrix(TABLE, ["Cat", "Fish", "Hen"])
    assert face.matthews_corrcoef(TRUE, PREDICTED) == pytest.approx(cm.mcc(m), rel=1e-14)


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
    weighted = face.precision_score(
        true, predicted, average=None, sample_weight=np.full(5000, 0.5), zero_division=0
    )
    assert weighted[:3].tolist() == [0, 0.5, 1]


# ---- what is asked, and what goes there as it came -----------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many items scikit-learn was given, call by call."""
    from sklearn.metrics import accuracy_score as theirs

    sizes: list[int] = []

    def accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
        sizes.append(len(y_true))
        found: float = theirs(y_true, y_pred, sample_weight=sample_weight)
        return found

    monkeypatch.setattr(face, "accuracy_score", face._face(accuracy_score))
    return sizes


MANY = 2_000
LABELS = np.array(["ant", "bee"])[np.arange(MANY) % 2]


def test_only_distinct_pairs_are_asked_about(
    asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(face._pairs, "FEW", 1_000)
    for sides in (
        (LABELS, LABELS),
        (LABELS.tolist(), tuple(LABELS)),
        (LABELS.astype(object), LABELS),
    ):
        assert face.accuracy_score(*sides) == 1
    assert (
        face.accuracy_score(y_pred=LABELS, y_true=LABELS[::-1], sample_weight=np.arange(MANY)) == 0
    )
    assert face.accuracy_score(LABELS == "ant", LABELS == "bee", sample_weight=[0.5] * MANY) == 0
    assert asked == [2] * 5
    few = LABELS[:999]
    assert face.accuracy_score(few, few) == 1
    assert asked[-1] == 999


@pytest.mark.parametrize(
    ("true", "predicted", "weights"),
    [
        (LABELS, LABELS[::-1], None),
        ([*LABELS[1:], np.str_("cat")], LABELS.astype("U9"), np.ones(MANY, dtype=np.float32)),
        (LABELS, LABELS, -np.ones(MANY)),
        (
            np.eye(2, dtype=int)[np.arange(MANY) % 2],
            np.eye(2, dtype=int)[np.arange(MANY) % 2],
            None,
        ),
    ],
    ids=["nothing right", "narrow weights", "negative weights", "indicators"],
)
def test_the_rest_goes_there_as_it_came(
    asked: list[int], true: Any, predicted: Any, weights: Any
) -> None:
    face.accuracy_score(true, predicted, sample_weight=weights)
    assert asked == [MANY]


def test_weights_of_few_bits_do_not_overflow() -> None:
    true = [0, 1] * 300
    for weights in (np.ones(600, dtype=np.uint8), np.ones(600, dtype=np.int16)):
        assert face.accuracy_score(true, true, sample_weight=weights, normalize=False) == 600


def test_supports_are_whole_numbers() -> None:
    for digits in (0, 2, 12):
        lines = face.classification_report(TRUE, PREDICTED, digits=digits).splitlines()
        assert [line.split()[-1] for line in lines[2:5]] == ["6", "10", "9"]
        assert len({len(line) for line in lines[2:5]}) == 1


def test_nothing_is_said_where_nothing_is_lost() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        face.confusion_matrix([0, 1], [1, 1], labels=[1, 0, 2])
        face.precision_score([0, 1, 2], [0, 1, 1], labels=[0, 1], average="macro")
        face.classification_report(["a", "b"], ["a", "b"], target_names=["first", "second"])


WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, *_):
        if name == "sklearn":
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent())
try:
    import confmat.sklearn
except ModuleNotFoundError as error:
    assert "pip install scikit-learn" in str(error) and error.name == "sklearn", error
else:
    raise AssertionError
"""


@pytest.mark.slow
def test_it_asks_for_scikit_learn_in_one_line() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


# ---- scorers -------------------------------------------------------------------------------------


class Echo:
    """An estimator that predicts what it is given."""

    classes_ = np.array(["Cat", "Fish", "Hen", "Owl"])

    def predict(self, X: Any) -> Any:  # noqa: N803
        return X


NAMES = (
    "accuracy",
    "f1.macro",
    "mcc",
    "recall[Fish]",
    "recall[Owl]",
    "recall[Dog]",
    "f1_macro",
    "jaccard_weighted",
)


def test_one_count_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    count_raw = face._pairs.count_raw

    def count(*args: Any) -> Any:
        sizes.append(len(args[0].codes))
        return count_raw(*args)

    monkeypatch.setattr(face._pairs, "count_raw", count)
    scores = face.scorer(*NAMES)(Echo(), PREDICTED, TRUE)
    assert sizes == [25]
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


class Two(Echo):
    """The same of two classes."""

    classes_ = np.array([0, 1])


# ---- the direction of scores ---------------------------------------------------------------------


def _scorers() -> list[Any]:
    """Every metric that says which way is better, and the example of each family, as a search would be given it."""
    # A scale of three classes is not for these two.
    made = [
        factory(*factory.example)
        for factory in factories().values()
        if (1, 2, 5) not in factory.example
    ]
    return [
        one
        for one in {one.name: one for one in (*catalog().values(), *made)}.values()
        if one.better != "neither"
    ]


@pytest.mark.parametrize("one", _scorers(), ids=lambda one: str(one.name))
def test_no_model_scores_more_than_a_perfect_one(one: Any) -> None:
    rng = np.random.default_rng(0)
    asked = (
        one
        if one.kind == "matrix"
        else Score(one, average=AVERAGES["macro"])
        if one.fair
        else Score(one, of=1)
    )
    score = face.scorer(asked, pos_label=1)
    compared, best = 0, np.nan
    for _ in range(20):
        true = rng.permutation([0] * 8 + [1] * 7)
        wrong = rng.random(15) < rng.uniform(0.1, 0.9)
        best, worse = (
            score(Two(), answers, true) for answers in (true, np.where(wrong, 1 - true, true))
        )
        if not np.isnan([best, worse]).any():
            compared += 1
            assert best >= worse - 1e-12, (best, worse)
    assert compared or np.isnan(best), (
        "a perfect model has no value, and no other one has a better one"
    )


def test_a_search_with_a_score_where_less_is_better_picks_the_better_tree() -> None:
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    def search(scoring: Any) -> Any:
        grid = {"max_depth": [1, 2], "min_impurity_decrease": [0, 0.5]}
        return GridSearchCV(
            DecisionTreeClassifier(random_state=0), grid, scoring=scoring, cv=3
        ).fit(*load_breast_cancer(return_X_y=True))

    right = search("accuracy")
    for name in ("error_rate", "false_negative_rate.weighted"):
        found = search(face.scorer(name))
        assert found.best_params_ == right.best_params_
        assert found.best_score_ == pytest.approx(right.best_score_ - 1)
    dear = search(face.scorer("cost(((0, 1), (5, 0)))"))
    assert dear.best_params_["min_impurity_decrease"] == 0
    assert dear.best_score_ < 0


def test_a_negated_score_is_named_so() -> None:
    made = face.scorer("error_rate", "f1.macro", "cost(((0, 1), (5, 0)))")
    scores = made(Two(), [0, 1, 1, 1], [0, 1, 1, 0])
    assert list(scores) == ["neg_error_rate", "f1.macro", "neg_cost(((0, 1), (5, 0)))"]
    assert scores["neg_error_rate"] == scores["neg_cost(((0, 1), (5, 0)))"] == -0.25
    assert str(face.scorer("error_rate")(Two(), [0, 1], [0, 1])) == "0.0"
    assert pickle.loads(pickle.dumps(made))(Two(), [0, 1, 1, 1], [0, 1, 1, 0]) == scores
    assert (
        face.scorer(cm.metrics.cost(((0, 1), (5, 0))))(Two(), [0, 1, 1, 1], [0, 1, 1, 0]) == -0.25
    )


@pytest.mark.parametrize(
    "name", ["prevalence", "prevalence[1]", "sklearn:mean_absolute_error", len]
)
def test_a_score_without_a_direction_is_refused(name: Any) -> None:
    with pytest.raises(MetricError, match="does not declare whether more or less"):
        face.scorer(name)


@pytest.mark.parametrize("family", list(factories()))
def test_a_family_is_accepted_as_its_own_hint_spells_it(family: str) -> None:
    with pytest.raises(MetricError, match="such as ") as found:
        parse_score(family)
    spelt = str(found.value).rpartition("such as ")[2]
    assert (
        parse_score(spelt).metric.family == factories()[family](*factories()[family].example).family
    )
    assert str(parse_score(spelt)) == str(
        parse_score(factories()[family](*factories()[family].example))
    )


def test_costs_are_spelt_in_several_ways() -> None:
    m = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"], positive="spam")
    for spelt in (
        "cost(((0, 1), (5, 0)))",
        "expected_cost([[0, 1], [5, 0]])",
        "cost({'fp': 1, 'fn': 5})",
    ):
        assert cm.score(m, spelt) == pytest.approx(7 / 20)
        assert face.scorer(spelt).names == (spelt,)


# ---- the display ---------------------------------------------------------------------------------


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
    assert [[text.get_text() for text in row] for row in shown.text_] == [
        [str(n) for n in row] for row in TABLE
    ]
    assert [label.get_text() for label in shown.ax_.get_xticklabels()] == [
        "Cat",
        "$Fish$",
        "Hen\\x1b[2J",
    ]
    assert shown.im_.get_array().tolist() == TABLE
    assert shown.figure_ is shown.ax_.figure
    shown.figure_.canvas.draw()
    assert face.ConfusionMatrixDisplay(m).display_labels == ["Cat", "$Fish$", "Hen\x1b[2J"]
    with pytest.raises(ConfmatError, match="takes a ConfusionMatrix"):
        face.ConfusionMatrixDisplay.from_matrix(TABLE)


def test_an_estimator_is_displayed(pyplot: Any) -> None:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Classifier(Echo, ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn is not followed
        """An estimator that says what it is."""

    shown = face.ConfusionMatrixDisplay.from_estimator(
        Classifier(), PREDICTED, TRUE, values_format=".1f"
    )
    assert shown.text_[2, 2].get_text() == "6.0"


@pytest.mark.parametrize("names", [[3, 2**63, 2**63 + 1], [-1, 2**53, 2**53 + 1]])
@pytest.mark.parametrize("few", [0, 1_000])
def test_unsigned_labels_beside_signed_ones_are_not_taken_for_their_neighbors(
    names: list[int], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The type that NumPy gives them in common is a float, to which they would be the same number."""
    monkeypatch.setattr(face._pairs, "FEW", few)
    true: Any = np.array([name for name in names if name >= 0] * 2, dtype=np.uint64)
    signed = [name for name in names[::-1] if name < 2**63]
    predicted = np.resize(np.array(signed, dtype=np.int64), len(true))
    for sides in ((true, predicted), (predicted, true)):
        with pytest.raises(LabelError, match="give both sides the same type"):
            face.confusion_matrix(*sides)
    small = np.array([0, 1], dtype=np.uint64)
    assert face.confusion_matrix(small, np.array([0, 1])).tolist() == [[1, 0], [0, 1]]


def test_a_call_that_raises_warns_once() -> None:
    # scikit-learn warns of the unused label first, and then refuses the average.
    with (
        pytest.warns(UserWarning, match="pos_label") as heard,
        pytest.raises(ValueError, match="Samplewise"),
    ):
        face.f1_score(TRUE, PREDICTED, average="samples", pos_label="Hen")
    assert len(heard) == 1

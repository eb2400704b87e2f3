"""The Keras metric: exact counts in fit() and evaluate(), on whichever backend `KERAS_BACKEND` names."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import confmat as cm

try:
    import keras

    from confmat.keras import ConfusionMatrix
except ModuleNotFoundError as error:
    if error.name not in {"keras", "jax", "tensorflow", "torch"}:
        raise

pytestmark = [
    pytest.mark.peers,
    # Backends warn of themselves; ours is asked for by name below.
    pytest.mark.filterwarnings("ignore"),
]


def metric_of(*batches: tuple[Any, ...], **options: Any) -> Any:
    metric = ConfusionMatrix(**options)
    for batch in batches:
        metric.update_state(*batch)
    return metric


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1),
    st.sampled_from(["int32", "uint8", "float32"]),
)
def test_labels_give_what_count_gives(pairs: list[tuple[int, int]], dtype: str) -> None:
    true, guess = np.array(pairs).T
    metric = metric_of(
        (true[:, None].astype(dtype), guess.astype(dtype)), num_classes=4, sparse_y_pred=True
    )
    expected = cm.count(true, guess, labels=range(4))
    assert metric.matrix() == expected
    assert metric.matrix().counts.dtype == np.int64
    assert float(metric.result()) == pytest.approx(cm.accuracy(expected), rel=1e-6)


def test_the_highest_score_wins_and_the_first_of_equals() -> None:
    scores = np.array([[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]], dtype="float32")
    assert metric_of(([1, 1, 0], scores), num_classes=3).matrix() == cm.count(
        [1, 1, 0], [1, 0, 2], labels=range(3)
    )
    one_hot = np.eye(3)[[1, 1, 0]]
    metric = metric_of((one_hot, scores), num_classes=3, sparse_y_true=False)
    assert metric.matrix() == cm.count([1, 1, 0], [1, 0, 2], labels=range(3))


def test_pixels_are_counted_one_by_one() -> None:
    rng = np.random.default_rng(0)
    true, scores = rng.integers(0, 3, (2, 4, 5)), rng.random((2, 4, 5, 3)).astype("float32")
    expected = cm.count(true.ravel(), scores.argmax(-1).ravel(), labels=range(3))
    assert metric_of((true, scores), num_classes=3).matrix() == expected


def test_a_threshold_for_two_classes() -> None:
    batch = [[1], [0], [1]], np.array([[0.6], [0.5], [0.2]], dtype="float32")
    found = metric_of(batch, labels=["ham", "spam"], threshold=0.5, positive="spam").matrix()
    assert (found.tp, found.fn, found.fp, found.tn) == (1, 1, 0, 1)


@pytest.mark.parametrize("logits", [[0.6, 2.5], [0.6, -0.1]])
def test_a_threshold_within_0_and_1_refuses_logits(logits: list[float]) -> None:
    batch = [0, 1], np.array(logits, dtype="float32")
    metric = ConfusionMatrix(2, threshold=0.5)
    if keras.backend.backend() == "torch":
        with pytest.raises(
            cm.LabelError, match=r"beyond 0 to 1 \(logits want threshold=0\.0\) \(items: 1\)"
        ):
            metric.update_state(*batch)
    else:
        metric.update_state(*batch)
    assert np.isnan(float(metric.result()))
    assert metric_of(batch, num_classes=2, threshold=0.0).matrix().total == 2
    # Ends belong to both.
    assert metric_of(
        ([0, 1], np.array([0.0, 1.0])), num_classes=2, threshold=0.5
    ).matrix().diagonal.tolist() == [1, 1]


def test_ignored_classes_are_left_out_and_counted() -> None:
    found = metric_of(
        ([0, 255, 1, -1], [0, 7, 1, 1]), num_classes=2, sparse_y_pred=True, ignore_class=[255, -1]
    ).matrix()
    assert found == cm.count([0, 1], [0, 1])
    assert found.dropped == 2


def test_counts_have_64_bits() -> None:
    """Keras' own counts are float32, or 32 bits of an integer that wrap."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        metric = metric_of(num_classes=1, sparse_y_pred=True)
    if any(issubclass(one.category, cm.ConfmatWarning) for one in said):
        pytest.skip("this backend keeps 32 bits, and the metric has said so")
    metric.counts.assign(np.array([2**53 - 1, 0, 0]))
    metric.update_state([0, 0], [0, 0])
    assert metric.matrix().total == 2**53 + 1


def test_weights_are_added_up_or_refused() -> None:
    weighted = metric_of(
        ([0, 1, 1], [0, 1, 0], [0.5, 0.25, 2]), num_classes=2, sparse_y_pred=True, weighted=True
    )
    assert weighted.matrix().counts.tolist() == [[0.5, 0], [2, 0.25]]
    assert float(weighted.result()) == pytest.approx(0.75 / 2.75)
    with pytest.raises(cm.InputError, match="weighted=True"):
        metric_of(([0], [0], [0.5]), num_classes=2, sparse_y_pred=True)


@pytest.mark.parametrize(
    ("shape", "weights"),
    [
        ((3, 1), [0.5, 2, 0]),
        ((3, 2), [0.5, 2, 0]),
        ((3, 2), [[0.5], [2], [0]]),
        ((3, 2, 4), [0.5, 2, 0]),
        ((3, 2, 4), [[0.5, 2], [0, 1], [3, 0.25]]),
    ],
)
def test_the_weight_of_an_item_is_that_of_all_its_pixels(
    shape: tuple[int, ...], weights: Any
) -> None:
    """The weights that Keras' own accuracy takes: fewer dimensions than the labels, or one more of length 1."""
    rng = np.random.default_rng(0)
    true, guess = rng.integers(0, 2, (2, *shape))
    theirs = keras.metrics.Accuracy()
    theirs.update_state(true, guess, np.array(weights))
    metric = metric_of(
        (true, guess, np.array(weights)), num_classes=2, sparse_y_pred=True, weighted=True
    )
    assert float(metric.result()) == pytest.approx(float(theirs.result()), rel=1e-6)
    if np.size(weights) == 3:
        each = np.repeat(np.ravel(weights), true.size // 3)
        assert metric.matrix() == cm.count(
            true.ravel(), guess.ravel(), weights=each, labels=range(2)
        )


@pytest.mark.parametrize("weights", [[1, 2], [[1, 2, 3]], np.ones((3, 2, 2))])
def test_weights_that_do_not_fit_the_labels_are_refused(weights: Any) -> None:
    true = np.zeros((3, 2), dtype=int)
    with pytest.raises(
        cm.InputError, match=r"`sample_weight` of shape .* labels of shape \(3, 2\)"
    ):
        metric_of((true, true, np.array(weights)), num_classes=2, sparse_y_pred=True, weighted=True)


@pytest.mark.parametrize(
    ("true", "guess"),
    [
        ([0, -1], [0, 1]),
        ([0, 1.5], [0, 1]),
        ([0, float("nan")], [0, 1]),
    ],
)
def test_a_label_outside_reaches_no_cell_and_no_score(true: list[Any], guess: list[Any]) -> None:
    metric = ConfusionMatrix(2, sparse_y_pred=True)
    if keras.backend.backend() == "torch":
        with pytest.raises(cm.LabelError, match=r"labels outside 0 to 1, .* \(items: 1\)"):
            metric.update_state(true, guess)
    else:
        metric.update_state(true, guess)
    assert np.isnan(float(metric.result()))
    with pytest.raises(cm.LabelError, match="outside 0 to 1"):
        metric.matrix()
    metric.reset_state()
    assert metric.matrix().total == 0


def test_a_score_that_is_nan_is_no_prediction() -> None:
    scores = np.array([[0.5, np.nan]], dtype="float32")
    with pytest.raises(cm.LabelError, match="NaN"):
        metric_of(([0], scores), num_classes=2).matrix()


@pytest.mark.parametrize(
    ("says", "options"),
    [
        ("give `num_classes=`", {}),
        ("divides two classes", {"num_classes": 3, "threshold": 0.5}),
        (
            "says that `y_pred` holds labels",
            {"num_classes": 2, "threshold": 0.5, "sparse_y_pred": True},
        ),
        ("one number is wanted", {"num_classes": 3, "score": "f1"}),
        ("there is no metric", {"num_classes": 3, "score": "acuracy"}),
        ("whole number", {"num_classes": 2, "ignore_class": "a"}),
    ],
)
def test_options_that_cannot_be(says: str, options: dict[str, Any]) -> None:
    with pytest.raises(cm.ConfmatError, match=says):
        ConfusionMatrix(**options)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(cm.InputError, match="3 classes in its last dimension"):
        metric_of(([0], [[0.1, 0.9]]), num_classes=3)
    with pytest.raises(cm.InputError, match=r"threshold=0\.5"):
        metric_of(([0], [[0.1]]), num_classes=2)
    with pytest.raises(cm.InputError, match="do not pair"):
        metric_of(([0, 1], [0]), num_classes=3, sparse_y_pred=True)


def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 4)).astype("float32")
    return x, (x[:, 0] > 0).astype("int32") + (x[:, 1] > 0)


def model_with(*metrics: Any, **options: Any) -> Any:
    keras.utils.set_random_seed(0)
    model = keras.Sequential(
        [keras.layers.Input((4,)), keras.layers.Dense(3, activation="softmax")]
    )
    model.compile(
        optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=list(metrics), **options
    )
    return model


def test_fitting_and_evaluating_give_the_matrix_of_the_predictions() -> None:
    x, y = data()
    metric = ConfusionMatrix(labels=["a", "b", "c"])
    model = model_with(metric, "accuracy")
    told = model.fit(x, y, epochs=2, batch_size=32, verbose=0).history
    assert told["confusion_matrix"] == pytest.approx(told["accuracy"])
    assert metric.matrix().total == len(y)
    scores = model.evaluate(x, y, batch_size=32, verbose=0, return_dict=True)
    expected = cm.count(y, model.predict(x, verbose=0).argmax(axis=1), labels=range(3)).relabel(
        ["a", "b", "c"]
    )
    assert metric.matrix() == expected
    assert scores["confusion_matrix"] == pytest.approx(cm.accuracy(expected))


def test_any_score_where_code_is_not_compiled() -> None:
    x, y = data()
    metric = ConfusionMatrix(3, score="f1.macro", name="macro")
    backend = keras.backend.backend()
    if backend != "torch":
        with pytest.raises(cm.InputError, match="inside of compiled code"):
            model_with(metric).fit(x, y, verbose=0)
    if backend != "jax":
        model = model_with(metric, run_eagerly=True)
        found = model.evaluate(x, y, verbose=0, return_dict=True)["macro"]
        assert found == pytest.approx(cm.f1(metric.matrix(), average="macro"), rel=1e-6)


def test_a_saved_model_knows_its_metric(tmp_path: Path) -> None:
    x, y = data()
    model = model_with(ConfusionMatrix(labels=["a", "b", "c"], ignore_class=7, name="cells"))
    expected = model.evaluate(x, y, verbose=0, return_dict=True)
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.evaluate(x, y, verbose=0, return_dict=True) == expected


@pytest.mark.parametrize(
    "options", [{"num_classes": 3}, {"labels": ["x", "y"], "threshold": 0.5, "positive": "y"}]
)
def test_a_configuration_makes_the_same_metric(options: dict[str, Any]) -> None:
    metric = ConfusionMatrix(**options)
    again = ConfusionMatrix.from_config(metric.get_config())
    assert again.get_config() == metric.get_config()
    assert again.labels == metric.labels

"""A warning where most predicted labels never occur in the truth, with what was probably meant."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

TRUTH = ["yes", "no"] * 10
FREE = [f"I would say {name}, on balance ({i})" for i, name in enumerate(TRUTH)]
CASES = [
    (
        TRUTH,
        [name.upper() for name in TRUTH],
        "2 of 2 predicted labels never occur in `actual`, such as 'NO', 'YES'",
    ),
    (TRUTH, ["Yes."] * 20, "the truth spells 'Yes.' 'yes': spell both sides alike"),
    (TRUTH, [f" {name} " for name in TRUTH], "the truth spells ' no ' 'no'"),
    (TRUTH, ["ja", "nein"] * 10, "2 of 2 predicted labels .* such as 'ja', 'nein'"),
    (
        TRUTH,
        FREE,
        "20 of 20 predicted labels .* if these are free answers, say answers=confmat.Answers",
    ),
    ([name.replace("I", "Z") for name in FREE], list("abcd") * 5, "are the two sides exchanged?"),
]


@pytest.mark.parametrize(("actual", "predicted", "message"), CASES)
def test_predicted_labels_that_are_none_of_the_truth(
    actual: list[str], predicted: list[str], message: str, tmp_path: Path
) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y_true": actual, "y_pred": predicted})
    frame.to_csv(tmp_path / "p.csv", index=False)
    ways: list[Any] = [
        lambda: cm.count(actual, predicted),
        lambda: cm.count(actual, predicted, by=["a", "b"] * 10),
        lambda: cm.count_frame(frame),
        lambda: cm.count_files(tmp_path / "p.csv"),
        lambda: cm.compare_predictions(
            actual, {"one": predicted, "two": actual}, metrics=["accuracy"]
        ),
    ]
    for way in ways:
        with pytest.warns(cm.ConfmatWarning, match=message) as said:
            way()
        assert len(said) == 1


@pytest.mark.parametrize(
    ("actual", "predicted"),
    [(["1.0", "0.0"], ["1", "0"]), (["True", "False"], ["1", "0"]), (["a", "b"], [" a", " a"])],
)
def test_another_spelling_is_said_of_few_items(actual: list[str], predicted: list[str]) -> None:
    with pytest.warns(cm.ConfmatWarning, match="spell both sides alike"):
        cm.count(actual, predicted)


def test_nothing_is_said_of_labels_that_were_named_or_of_few_items() -> None:
    rules = cm.Answers(["yes", "no"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cm.count(TRUTH, [name.upper() for name in TRUTH], labels=["yes", "no", "YES", "NO"])
        cm.count(TRUTH, [name.upper() for name in TRUTH], answers=rules)
        cm.count(TRUTH, ["yes", "maybe"] * 10)
        cm.count(list("abc"), list("xyz"))
        cm.count([1, 2, 3, 4, 5] * 2, [6, 7, 8, 9, 10] * 2)


@pytest.mark.parametrize("hits", range(5))
def test_hits_are_labels_of_the_truth(hits: int) -> None:
    actual, predicted = (
        [f"t{i}" for i in range(4)] * 10,
        [f"t{i}" if i < hits else f"s{i}" for i in range(4)] * 10,
    )
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        cm.count(actual, predicted)
    assert bool(found) == (2 * (4 - hits) > 4)

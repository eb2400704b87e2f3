"""Report: what it computes, how it reads in every format, and what it says about what is missing."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import numpy as np
import pytest

from confmat import ConfmatError, ConfusionMatrix, MetricError
from confmat import metrics as cm
from confmat.metrics.arithmetic import ratio
from confmat.metrics.declaration import of_class
from confmat.reporting import Report, report
from tests.animals import ANIMALS

# Names that every format reads as its own; the third class is never predicted, the fourth never
# occurs.
ODD = ConfusionMatrix(
    [[1, 1, 0, 0], [0, 2, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]], ["a|b & c", "=1+1", "50%_$x", "macro"]
)


def test_the_animals_in_print() -> None:
    expected = """\
          precision  recall  specificity     f1  support
Cat           0.308   0.667        0.526  0.421        6
Fish          0.667   0.200        0.933  0.308       10
Hen           0.667   0.667        0.812  0.667        9

macro         0.547   0.511        0.757  0.465       25
weighted      0.581   0.480        0.792  0.464       25

accuracy           0.480
balanced accuracy  0.511
kappa              0.255
mcc                0.287"""
    assert str(report(ANIMALS)) == expected


def test_its_numbers_are_the_metrics_own() -> None:
    asked = [
        "precision",
        "specificity",
        cm.f_beta(0.5),
        "class_mcc",
        "class_confusion_entropy",
        "true_positives",
    ]
    for m in (ANIMALS, ODD, ConfusionMatrix(np.array(ODD.counts) * 1.5, ODD.labels)):
        r = report(m, asked, averages=["macro", "micro", "weighted", "max"], undefined="skip")
        for column, metric in enumerate(r.metrics):
            np.testing.assert_array_equal(r.values[:, column], metric(m))
            for name, row in r.averages.items():
                if name == "micro" and metric.needs == "cells":
                    assert math.isnan(row[column])
                else:
                    assert row[column] == pytest.approx(
                        metric(m, average=name, undefined="skip"), nan_ok=True
                    )
        assert r.overall["kappa"] == cm.kappa(m)


@pytest.mark.parametrize("undefined", ["fair", "skip", "propagate", 1])
def test_its_means_are_the_metrics_own(undefined: Any) -> None:
    r = report(
        ODD,
        ["precision", "recall", "f1", "class_mcc"],
        averages=["macro", "weighted", "min"],
        undefined=undefined,
    )
    for name, row in r.averages.items():
        expected = [metric(ODD, average=name, undefined=undefined) for metric in r.metrics]
        np.testing.assert_allclose(row, expected, rtol=1e-15)
        for part, metric in zip(r.coverage[name], r.metrics, strict=True):
            assert part == metric.averaged(ODD, name, undefined=undefined)[1]


def test_dashes_have_footnotes() -> None:
    text = str(report(ODD, ["precision", "recall", "support"], averages=["macro", "harmonic"]))
    row = next(line for line in text.splitlines() if line.startswith("50%_$x"))
    assert row.split() == ["50%_$x", "–", "0.000", "2"]
    assert "– precision is undefined where the class is never predicted (50%_$x)" in text
    assert "– recall is undefined where the class never occurs (macro)" in text
    assert "macro of recall: the mean over 3 of 4 classes; 'macro' never occurs" in text
    assert "1 class is never predicted, which counts as 0" in text


def test_what_an_average_refuses_is_a_dash_with_a_reason() -> None:
    r = report(ANIMALS, ["recall", "class_mcc", "prevalence"], averages=["geometric", "macro"])
    assert np.isnan(r.averages["geometric"][1:]).all()
    assert math.isnan(r.averages["macro"][2])
    assert any("class_mcc can be negative" in note for note in r.notes)
    assert any("prevalence describes the data" in note for note in r.notes)
    assert len(set(r.notes)) == len(r.notes)


def test_scores_that_are_one_number_stand_below() -> None:
    r = report(
        ANIMALS, ["f1", "f1.micro", "recall[Cat]", "gwet_ac1"], overall=["accuracy", "pabak"]
    )
    assert r.names == ("f1",)
    assert list(r.overall) == ["f1.micro", "recall[Cat]", "gwet_ac1", "accuracy", "pabak"]
    assert r.overall["recall[Cat]"] == 4 / 6


@of_class(title="Found twice", bounds=(0, 2), undefined="the class never occurs")
def found_twice(c: Any) -> Any:
    """Twice the recall."""
    return ratio(2 * c.tp, c.actual)


def test_a_strangers_metric_is_a_column() -> None:
    r = report(ANIMALS, [found_twice, "f1"])
    assert r.names == ("found_twice", "f1")
    assert r["Cat", "found_twice"] == 2 * 4 / 6


# ---- formats -------------------------------------------------------------------------------------


def test_to_dict_keeps_classes_and_summaries_apart() -> None:
    data = report(ODD, ["precision", "f1"]).to_dict()
    assert data["averages"]["macro"]["f1"] == pytest.approx((1 / 2 + 4 / 5 + 0) / 3)
    assert data["classes"]["50%_$x"]["precision"] is None
    assert data["coverage"]["macro"]["precision"] == {
        "used": 3,
        "classes": 4,
        "absent": 1,
        "filled": 1,
        "skipped": 0,
    }
    assert data["undefined"] == {
        "precision": {"reason": "the class is never predicted", "classes": ["50%_$x"]}
    }
    assert json.loads(json.dumps(data)) == data


def test_to_csv_is_read_back_and_runs_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(report(ODD, ["precision", "f1"]).to_csv())))
    assert [row["name"] for row in rows[:4]] == ["a|b & c", "'=1+1", "50%_$x", "macro"]
    assert [row["row"] for row in rows] == ["class"] * 4 + ["average"] * 2 + ["overall"] * 4
    assert rows[2]["precision"] == ""
    assert float(rows[1]["precision"]) == 2 / 3


def test_to_pandas() -> None:
    pytest.importorskip("pandas")
    frame = report(ODD, ["precision", "f1"]).to_pandas()
    assert frame.loc[("class", "=1+1"), "precision"] == 2 / 3
    assert frame.loc[("average", "macro"), "f1"] == pytest.approx(1.3 / 3)
    assert list(frame.columns) == ["precision", "f1", "support"]


def test_many_classes_are_abridged_in_print_only() -> None:
    rng = np.random.default_rng(7)
    r = report(ConfusionMatrix(rng.integers(0, 9, (300, 300))))
    lines = str(r).splitlines()
    assert len(lines) < 60
    assert "270 of 300 classes are not shown; to_csv() and to_pandas() have all" in lines
    assert len(r.to_csv().splitlines()) == 1 + 300 + 2 + 4


# ---- edges ---------------------------------------------------------------------------------------


BOXES = ConfusionMatrix([[5, 1, 2], [0, 3, 1], [4, 2, 9]], ["car", "dog"], outside=["background"])


def test_outside_labels_are_in_the_notes_and_in_no_row() -> None:
    r = report(BOXES)
    assert r.classes == ("car", "dog")
    assert r.support.tolist() == [8, 4]
    assert r.overall["accuracy"] == 8 / 18
    assert "50.0% of the items have a class on both sides" in r.notes[0]
    assert report(BOXES, outside="exclude").overall["accuracy"] == 8 / 9


@pytest.mark.parametrize("outside", ["wrong", "exclude"])
def test_averages_stand_beside_the_items_of_the_classes(outside: Any) -> None:
    r = report(BOXES, outside=outside, averages=["micro", "macro", "weighted"])
    expected = {"wrong": 8 + 4, "exclude": 6 + 3}[outside]
    rows = {line.split()[0]: line.split()[-1] for line in str(r).splitlines() if line.split()}
    assert {rows[name] for name in ("micro", "macro", "weighted")} == {str(expected)}
    assert list(csv.DictReader(io.StringIO(r.to_csv())))[3]["support"] == str(expected)


def test_an_empty_matrix_is_all_dashes() -> None:
    r = report(ConfusionMatrix(np.zeros((2, 2), int)))
    assert np.isnan(r.values).all()
    assert all(math.isnan(value) for value in r.overall.values())
    assert "–" in str(r)


def test_slips_are_met_with_suggestions() -> None:
    with pytest.raises(MetricError, match="did you mean 'precision'"):
        report(ANIMALS, ["precison"])
    with pytest.raises(MetricError, match="did you mean 'macro'"):
        report(ANIMALS, averages=["makro"])
    with pytest.raises(MetricError, match="'fair', 'skip'"):
        report(ANIMALS, undefined="none")  # type: ignore[arg-type]


def test_a_report_is_a_value() -> None:
    r = report(ANIMALS)
    assert isinstance(r, Report)
    assert repr(r) == "<Report of 3 classes: precision, recall, specificity, f1>"
    with pytest.raises(AttributeError):
        r.digits = 5  # type: ignore[misc]
    assert "0.30769" in str(report(ANIMALS, digits=5))


# ---- what is asked, and what is shown ------------------------------------------------------------


def test_who_asks_for_one_number_reads_one_number() -> None:
    r = report(ANIMALS, ["mcc"])
    assert str(r) == "mcc  0.287"
    assert r.is_bare
    assert r.to_markdown() == "| overall | |\n|:--|--:|\n| mcc | 0.287 |\n"
    assert str(report(ANIMALS, ["f1.macro", "f1.micro"])) == "f1.macro  0.465\nf1.micro  0.480"


def test_asked_for_overall_scores_stand_in_place_of_the_usual_ones() -> None:
    assert list(report(ANIMALS, ["f1", "mcc"]).overall) == ["mcc"]
    assert list(report(ANIMALS, ["f1"]).overall) == [
        "accuracy",
        "balanced_accuracy",
        "kappa",
        "mcc",
    ]
    assert "Cat" in str(report(ANIMALS, ["support", "mcc"]))


def test_an_overall_score_per_class_needs_one_class() -> None:
    with pytest.raises(MetricError, match=r"one number is wanted: say 'f1.macro' or 'f1\[Cat\]'"):
        report(ANIMALS, overall=["f1"])
    two = ConfusionMatrix([[3, 1], [0, 2]], ["no", "yes"], positive="yes")
    r = report(two, overall=["f1"])
    assert r.overall == {"f1[yes]": 2 * 2 / (2 * 2 + 1)}


def test_a_report_is_asked_by_class_average_and_score() -> None:
    r = report(ANIMALS, ["precision", "f1"])
    assert r["Cat", "f1"] == cm.f1(ANIMALS, of="Cat")
    assert r["Cat", "F1-score"] == r["Cat", "f1"]
    assert r["Cat"] == {"precision": 4 / 13, "f1": cm.f1(ANIMALS, of="Cat")}
    assert r["kappa"] == cm.kappa(ANIMALS)


def test_a_class_comes_before_an_average_of_its_name() -> None:
    r = report(ODD, ["f1"])
    assert r["macro", "f1"] == 0
    assert r.averages["macro"][0] > 0


def test_a_class_may_be_a_pair() -> None:
    pairs = ConfusionMatrix([[1, 0], [1, 2]], [("a", 1), ("a", 2)])
    assert report(pairs, ["recall"])["a", 2] == {"recall": 2 / 3}


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (("Cta", "f1"), "no class or average 'Cta'; did you mean 'Cat'"),
        (("Cat", "recall"), "no column 'recall', only precision, f1"),
        (("accuracy", "f1"), "no class or average 'accuracy'"),
        (3, "no class, average or overall score 3: Cat, Fish, Hen, macro"),
    ],
)
def test_what_a_report_does_not_have(key: Any, words: str) -> None:
    with pytest.raises(ConfmatError, match=words):
        report(ANIMALS, ["precision", "f1"])[key]


@pytest.mark.parametrize("digits", [-1, 2.5, True, 18])
def test_digits_are_a_number_of_decimals(digits: Any) -> None:
    with pytest.raises(
        MetricError, match="`digits` must be a whole number of decimals from 0 to 17, not"
    ):
        report(ANIMALS, digits=digits)


def test_what_rounds_to_zero_has_no_sign() -> None:
    m = ConfusionMatrix([[500, 500], [501, 500]])
    assert cm.kappa(m) < 0
    assert ["kappa", "0.000"] in [line.split() for line in str(report(m)).splitlines()]
    assert "−" not in str(report(m))

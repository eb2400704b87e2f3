"""The examples this package grew from: Cat, Fish and Hen; Kolena's three; Coenen's six. To the printed digits."""

from __future__ import annotations

import re

import numpy as np
import pytest

from confmat import ConfusionMatrix, count, read_printed, score
from confmat.io import to_text

pytestmark = pytest.mark.usefixtures("kernel")

# ---- Cat, Fish, Hen (Kandza-Tadi, 2020) ----------------------------------------------------------

ACTUAL = ["Cat"] * 6 + ["Fish"] * 10 + ["Hen"] * 9
PREDICTED = (
    ["Cat"] * 4
    + ["Hen", "Fish"]
    + ["Cat"] * 6
    + ["Hen"] * 2
    + ["Fish"] * 2
    + ["Cat"] * 3
    + ["Hen"] * 6
)
ANIMALS = [[4, 1, 1], [6, 2, 2], [3, 0, 6]]


def test_cat_fish_hen() -> None:
    matrix = count(ACTUAL, PREDICTED)
    assert matrix == ConfusionMatrix(ANIMALS, ["Cat", "Fish", "Hen"])
    assert matrix.total == len(ACTUAL) == 25


@pytest.mark.parametrize(
    ("name", "tp", "fn", "fp", "tn"),
    [
        ("Cat", 4, 1 + 1, 6 + 3, 2 + 2 + 0 + 6),
        ("Fish", 2, 6 + 2, 1 + 0, 4 + 1 + 3 + 6),
        ("Hen", 6, 3 + 0, 1 + 2, 4 + 1 + 6 + 2),
    ],
)
def test_one_animal_against_the_rest(name: str, tp: int, fn: int, fp: int, tn: int) -> None:
    cell = ConfusionMatrix(ANIMALS, ["Cat", "Fish", "Hen"]).one_vs_rest(name)
    assert (cell.tp, cell.fn, cell.fp, cell.tn) == (tp, fn, fp, tn)


# ---- Kolena --------------------------------------------------------------------------------------


def test_kolena_one() -> None:
    labels = ["cat", "cat", "cat", "no cat", "no cat"]
    predictions = ["cat", "no cat", "no cat", "no cat", "cat"]
    matrix = count(labels, predictions, positive="cat")
    assert matrix.counts.tolist() == [[1, 2], [1, 1]]
    assert (matrix.tp, matrix.fn, matrix.fp, matrix.tn) == (1, 2, 1, 1)
    assert matrix == ConfusionMatrix.from_cells(tp=1, fn=2, fp=1, tn=1, labels=["cat", "no cat"])


PETS = ConfusionMatrix([[200, 0, 0], [100, 8800, 600], [100, 0, 1000]], ["cat", "dog", "fish"])


def test_kolena_three_and_what_its_text_says() -> None:
    dogs = PETS.one_vs_rest("dog")
    assert (dogs.tp, dogs.tp + dogs.fn) == (8800, 9500)
    assert PETS.pairs()["dog", "fish"] + PETS.pairs()["dog", "cat"] == 700
    cats = PETS.one_vs_rest("cat")
    assert cats.tp / (cats.tp + cats.fp) == 1 / 2
    assert cats.fn == 0


@pytest.mark.parametrize(
    ("by", "printed", "decimals"),
    [
        ("actual", [[1, 0, 0], [0.01, 0.93, 0.06], [0.09, 0, 0.91]], 2),
        ("predicted", [[0.5, 0, 0], [0.25, 1, 0.375], [0.25, 0, 0.625]], 3),
        ("all", [[0.02, 0, 0], [0.01, 0.81, 0.06], [0.01, 0, 0.09]], 2),
    ],
)
def test_kolena_three_normalized(by: str, printed: list[list[float]], decimals: int) -> None:
    assert np.round(PETS.normalize(by), decimals).tolist() == printed  # type: ignore[arg-type]


def test_kolena_three_back_from_exact_rates() -> None:
    assert ConfusionMatrix.from_rates(PETS.normalize(), [200, 9500, 1100], PETS.labels) == PETS


# ---- Coenen: rows are what the classifier said ---------------------------------------------------

# The table as printed (rows predicted), then sensitivity, specificity, precision of X and of Not X,
# F1.
COENEN = {
    1: ([[50, 0], [0, 50]], 1.0, 1.0, 1.0, 1.0, 1.0),
    2: ([[0, 50], [50, 0]], 0.0, 0.0, 0.0, 0.0, 0.0),
    3: ([[50, 50], [0, 0]], 1.0, 0.0, 0.5, None, 0.667),
    4: ([[0, 0], [50, 50]], 0.0, 1.0, None, 0.5, 0.0),
    5: ([[25, 25], [25, 25]], 0.5, 0.5, 0.5, 0.5, 0.5),
    6: ([[50, 25], [0, 25]], 1.0, 0.5, 0.667, 1.0, 0.8),
}


@pytest.mark.parametrize("example", COENEN)
def test_coenen(example: int) -> None:
    table, sensitivity, specificity, precision, other_precision, f1 = COENEN[example]
    matrix = ConfusionMatrix.from_predicted_rows(table, ["X", "Not X"], positive="X")
    tp, fp, fn, tn = matrix.tp, matrix.fp, matrix.fn, matrix.tn
    assert [[tp, fp], [fn, tn]] == table
    assert matrix.actual_totals.tolist() == [50, 50]
    rates = matrix.normalize("actual")
    assert (rates[0, 0], rates[1, 1]) == (sensitivity, specificity)
    columns = matrix.normalize("predicted")
    for found, printed in ((columns[0, 0], precision), (columns[1, 1], other_precision)):
        # Nothing was ever called that: the page prints 0.000 for 0 / 0, this package says there is
        # no such rate.
        assert np.isnan(found) if printed is None else round(float(found), 3) == printed
    assert round(2 * tp / (2 * tp + fp + fn), 3) == f1


@pytest.mark.parametrize("example", COENEN)
def test_coenens_tables_are_written_as_he_prints_them(example: int) -> None:
    """His Table 1: what the classifier said in rows, the bench mark in columns, totals beside and below."""
    table = COENEN[example][0]
    matrix = ConfusionMatrix.from_predicted_rows(table, ["X", "Not X"])
    text = to_text(matrix, rows="predicted")
    heads, *lines = [re.split(r"\s{2,}(?:│ +)?", line.strip()) for line in text.splitlines()[1:]]
    assert heads == ["predicted", "X", "Not X", "total"]
    printed = [list(map(int, line[1:])) for line in lines]
    rows = [[*row, sum(row)] for row in table]
    assert printed == [*rows, [50, 50, 100]]
    assert read_printed(text) == read_printed(matrix.table(rows="predicted").to_csv()) == matrix


def test_coenen_six_is_three_quarters_right_though_table_two_prints_one() -> None:
    matrix = ConfusionMatrix.from_predicted_rows(COENEN[6][0])
    assert matrix.diagonal.sum() / matrix.total == (50 + 25) / 100


# ---- Examples of articles, as PyCM's tests ("verified cases") and NLTK's quote them --------------

# Rows are actual; of two classes the second is the one asked about where a score is of one class.
QUOTED: dict[str, list[tuple[list[list[int]], dict[str, float]]]] = {
    "Delgado and Nunez-Gonzalez 2018": [
        (
            [[4, 2], [2, 4]],
            {"overall_confusion_entropy": 0.861654, "overall_modified_confusion_entropy": 2 / 3},
        ),
        (
            [[5, 0, 0], [0, 10, 0], [0, 300, 0]],
            {
                "overall_confusion_entropy": 0.022169,
                "mcc": 0.301244,
                "braun_blanquet.macro": (5 / 5 + 10 / 310 + 0 / 300) / 3,
            },
        ),
    ],
    "Branco, Torgo and Ribeiro 2017": [
        ([[1, 3, 0, 0], [9, 1, 0, 0], [0, 0, 100, 0], [0, 0, 0, 200]], {"rci": 0.978562}),
        ([[5, 0, 0], [0, 10, 0], [0, 300, 0]], {"rci": 0.367571}),
    ],
    "Garcia, Mollineda and Sanchez 2009": [
        (
            [[8645, 455], [405, 495]],
            {
                "accuracy": 0.914,
                "recall[1]": 0.55,
                "specificity[1]": 0.95,
                "one_point_auc[1]": (0.55 + 0.95) / 2,
                "optimized_precision[1]": 0.914 - (0.95 - 0.55) / (0.95 + 0.55),
                "iba(1)[1]": (1 + 0.55 - 0.95) * 0.55 * 0.95,
                "iba(0.1)[1]": 0.5016,
            },
        )
    ],
    "Batuwita and Palade 2009": [
        (
            [[8918, 182], [72, 828]],
            {"adjusted_g_mean[1]": 0.964045, "class_g_mean[1]": (0.92 * 0.98) ** 0.5},
        ),
    ],
    "Bekkar, Djemaa and Alitouche 2013": [
        (
            [[299777, 26332], [5484, 12806]],
            {
                "accuracy": 0.907619,
                "one_point_auc[1]": 0.809709,
                "informedness[1]": 0.619418,
                "discriminant_power_log10[1]": 0.785440,
            },
        ),
    ],
    "Steyerberg and others 2011": [
        ([[2014, 1067], [48, 135]], {"net_benefit(0.059)[1]": (135 - 0.059 * 1067) / 3264}),
    ],
    "Warrens and de Raadt 2019": [
        ([[60, 10], [10, 20]], {"bangdiwala_b": (60**2 + 20**2) / (70**2 + 30**2)}),
    ],
    "Artstein and Poesio 2008": [
        (
            [[10, 0, 0], [6, 32, 6], [0, 0, 46]],
            {"accuracy": 0.88, "bennett_s": (0.88 - 1 / 3) / (1 - 1 / 3), "scott_pi": 0.799532},
        )
    ],
    "caret": [([[663, 141], [13, 183]], {"caret:AccuracyPValue": 0.000342})],
}


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        pytest.param(table, name, value, id=f"{source}, {number}: {name}")
        for source, examples in QUOTED.items()
        for number, (table, values) in enumerate(examples, 1)
        for name, value in values.items()
    ],
)
def test_examples_of_articles(table: list[list[int]], name: str, value: float) -> None:
    assert score(ConfusionMatrix(table), name) == pytest.approx(value, abs=1e-6)

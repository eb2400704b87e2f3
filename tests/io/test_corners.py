"""Corners of tables in the words of ten languages and several fields, totals under any name, and shares."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import ConfmatWarning, InputError, LabelError
from confmat.io import read_printed, recognize

M = ConfusionMatrix([[10, 2], [1, 12]], ["cat", "dog"])

# A corner that names both sides, actual first; the other order must be read the other way.
PAIRS = """
actual | predicted
actual | detected
reference | map
Target Class | Output Class
Wahrheit | Vorhersage
Réel | Prédit
réelle | prédite
vérité terrain | classification
Valeur réelle | Prévision
Real | Predicho
clase real | clase predicha
Verdadero | Predicción
Verdade | Predição
Classe real | Classe prevista
Reale | Previsto
Classe effettiva | Classe predetta
verità | predizione
Werkelijk | Voorspeld
werkelijkheid | voorspelling
Истинный класс | Предсказанный класс
Факт | Прогноз
действительные | предсказания
实际 | 预测
真实类别 | 预测类别
實際 | 預測
実際 | 予測
正解 | 推定
真のクラス | 予測クラス
실제 | 예측
rzeczywista | przewidywana
Tatsächliche Klasse | Vorhergesagte Klasse
Referenz | Klassifikation
Referenzklasse | Zugewiesene Klasse
tatsächlich | prognostiziert
Reference data | Classified data
Ground truth | Classification
Field data | Map class
Ground data | Image classification
observed | mapped
Reference | Classified as
true | assigned
observed | modeled
obs | modelled
observed | simulated
Observed | Forecast
obs | fcst
gold | system
Gold standard | Test result
gold-standard | index test
Disease status | Test
Disease | Screening
Histopathology | Model
biopsy | AI
Condition | Test outcome
True condition | Predicted condition
Erkrankung | Test
Maladie | Test
reference standard | index test
ref | hyp
Reference | Hypothesis
spoken | recognized
truth | estimate
Truth | Prediction
Stimulus | Response
presented | reported
human | model
Expert | Algorithm
annotator | LLM
Target | Guess
target | output
label | prediction
label | predicted
Label | Model output
Class | Predicted
truth | something
y_true | y_pred
y | yhat
y_test | y_hat
test_labels | knn.pred
iris$Species | predict(fit)
GroundTruth | Detections
trueLabel | predLabel
gt | pred
True label | foo
correct | chosen
expected | returned
correct class | inferred class
Original class | decoded
Known | Identified
Teacher | Student
In situ | Satellite
From class | Into class
benchmark | candidate
""".strip().splitlines()
# Neither side is understood, or both are called alike: nobody can say.
UNKNOWN = """
observed | expected
expected | actual
rater 1 | rater 2
Annotator A | Annotator B
model 1 | model 2
truth | actual
before | after
label | class
foo | bar
predicted | forecast
""".strip().splitlines()
# Corners as they are written, and what their rows are; None where that is to be asked.
WRITTEN = {
    "label_prediction": None,
    "actual_predicted": None,
    "Actual \u2193 Predicted \u2192": "actual",
    "Predicted \u2192 Actual \u2193": "actual",
    "Actual \u2192 / Predicted \u2193": "predicted",
    "\u2193 Predicted \u2192 Actual": "predicted",
    "Actual (columns) / Map (rows)": None,
    "rows: reference, columns: map": None,
    "Predicted vs. Actual": "predicted",
    "Reference \u00d7 Prediction": "actual",
    "Predicted Actual": None,
    "\\ predicted": "actual",
    "\u9884\u6d4b": "predicted",
    "Test": None,
    "class": "actual",
    "": "actual",
    "Confusion matrix (test set)": "actual",
    "N = 27": "actual",
}
CORNERS = [
    *((f"{a}\\{p}", "actual") for a, _, p in (pair.partition(" | ") for pair in PAIRS)),
    *((f"{p}\\{a}", "predicted") for a, _, p in (pair.partition(" | ") for pair in PAIRS)),
    *((pair.replace(" | ", "\\"), None) for pair in UNKNOWN),
    *WRITTEN.items(),
]


@pytest.mark.parametrize(("corner", "rows"), CORNERS)
def test_a_corner_tells_its_sides_or_is_asked_for(corner: str, rows: str | None) -> None:
    text = f"{corner}\tcat\tdog\ncat\t10\t2\ndog\t1\t12\n"
    if rows is None:
        with pytest.raises(InputError, match="rows='predicted'"):
            read_printed(text)
        assert read_printed(text, rows="predicted") == M.T
    else:
        assert read_printed(text) == (M if rows == "actual" else M.T)


@pytest.mark.parametrize(("row", "column"), [pair.partition(" | ")[::2] for pair in PAIRS])
def test_axes_of_printed_frames_tell_it_too(row: str, column: str) -> None:
    for (mine, theirs), m in (((row, column), M), ((column, row), M.T)):
        wide = max(len(mine), len(theirs), 5)
        pandas = f"{theirs:{wide}}  cat  dog\n{mine:{wide}}\n{'cat':{wide}}   10    2\n{'dog':{wide}}    1   12\n"
        in_r = f"{'':{wide}} {theirs}\n{mine:{wide}} cat dog\n{'  cat':{wide}}  10   2\n{'  dog':{wide}}   1  12\n"
        assert read_printed(pandas) == read_printed(in_r) == m


def test_a_frame_says_its_sides_in_any_language() -> None:
    pandas = pytest.importorskip("pandas")
    for row, column in (pair.partition(" | ")[::2] for pair in PAIRS):
        frame = pandas.DataFrame(M.counts, index=pandas.Index(M.labels, name=row), columns=M.labels)
        frame.columns.name = column
        assert ConfusionMatrix.from_frame(frame) == M
        with pytest.raises(InputError, match="rows='predicted'"):
            ConfusionMatrix.from_frame(frame.T)
        assert ConfusionMatrix.from_frame(frame.T, rows="predicted") == M


def test_a_frame_that_ends_in_sums_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    names = ["cat", "dog", "N"]
    frame = pandas.DataFrame([[10, 2, 12], [1, 12, 13], [11, 14, 25]], index=names, columns=names)
    with pytest.raises(InputError, match="ends in totals"):
        ConfusionMatrix.from_frame(frame)
    assert ConfusionMatrix.from_frame(frame, names).total == 100


MEDICAL = "\tdisease\thealthy\ntest +\t90\t30\ntest -\t10\t170\n"
EITHER_SIDE = "\tDisease\t\nTest\t+\t-\n+\t90\t30\n-\t10\t170\n"


def test_a_test_of_a_disease_asks_what_its_rows_are() -> None:
    for given in ({}, {"labels": ["disease", "healthy"]}):
        with pytest.raises(LabelError, match="say rows='predicted' where the rows are answers"):
            read_printed(MEDICAL, **given)  # type: ignore[arg-type]
    m = read_printed(MEDICAL, rows="predicted", labels=["disease", "healthy"])
    assert m.counts.tolist() == [[90, 10], [30, 170]]
    assert read_printed(EITHER_SIDE).counts.tolist() == m.counts.tolist()
    with pytest.raises(InputError, match="leaves open"):
        read_printed(EITHER_SIDE.replace("Test", ""))


TOTALS = ["Σ", "n", "Support", "count", "合计", "Итого", "All", "Total général", "x"]


@pytest.mark.parametrize("name", TOTALS)
def test_sums_of_the_others_are_totals_whatever_they_are_called(name: str) -> None:
    text = (
        f"actual/predicted\tcat\tdog\t{name}\ncat\t10\t2\t12\ndog\t1\t12\t13\n{name}\t11\t14\t25\n"
    )
    note = f"the last row {name!r} and the last column {name!r}: sums of the others"
    if name in {"N", "n", "Support", "count", "x"}:
        with pytest.warns(ConfmatWarning, match=note):
            assert read_printed(text) == M
        assert note in str(recognize(text))
    else:
        assert read_printed(text) == M
        assert recognize(text).notes == ()
        assert read_printed(text.replace("\t", ",")) == M
    # A column alone, or a row alone, that no other margin has.
    lines = text.splitlines()
    for alone in ("\n".join(lines[:3]), "\n".join(line.rpartition("\t")[0] for line in lines)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert read_printed(alone + "\n") == M
        assert [str(one.message).startswith("the last ") for one in caught] == [True] * len(
            recognize(alone + "\n").notes
        )
        assert bool(caught) == (name in {"N", "n", "Support", "count", "x"})


def test_a_class_that_is_named_is_no_total() -> None:
    text = "actual/predicted\ta\tb\tn\na\t10\t2\t12\nb\t1\t12\t13\nn\t11\t14\t25\n"
    assert read_printed(text, labels=["a", "b", "n"]).total == 100
    assert read_printed(text.replace("25", "26")).total == 101
    with pytest.warns(ConfmatWarning, match="the last row '3' and the last column '3'"):
        assert read_printed("[[10 2 12]\n [1 12 13]\n [11 14 25]]") == ConfusionMatrix(M.counts)
    assert read_printed("[[10 2 12]\n [1 12 13]\n [11 14 25]]", labels=["a", "b", "n"]).total == 100


@pytest.mark.parametrize("form", ["to_csv", "to_markdown", "to_latex"])
def test_our_own_corner_is_no_warrant(form: str) -> None:
    def text(table: list[list[Any]], last: str = "n") -> str:
        return str(getattr(ConfusionMatrix(table, ["a", "b", last][: len(table)]), form)())

    with pytest.warns(
        ConfmatWarning, match="the last row 'n' and the last column 'n': sums of the others"
    ):
        assert read_printed(text([[10, 2, 12], [1, 12, 13], [11, 14, 25]])).labels == ["a", "b"]


@pytest.mark.parametrize(
    "rows",
    [
        "98.5\t1.5|4.2\t95.8",
        "48.5\t4.2|1.5\t45.8",
        "100.0\t0.0|0.0\t100.0",
    ],
)
def test_shares_are_no_counts(rows: str) -> None:
    first, second = rows.split("|")
    text = f"Actual/Predicted\tcat\tdog\ncat\t{first}\ndog\t{second}\n"
    for given in (
        text,
        text.replace("\t", ","),
        text.replace("\t", "  ").replace("Actual/Predicted", ""),
    ):
        with pytest.raises(
            InputError,
            match=r"these are rates, no counts; ConfusionMatrix.from_rates\(rows, totals",
        ):
            read_printed(given)
    # A hundred of each class is a common number of items.
    whole = "Actual/Predicted\tcat\tdog\ncat\t97\t3\ndog\t10\t90\n"
    with pytest.raises(InputError, match="takes counts of a hundred items each"):
        read_printed(whole)
    assert read_printed(whole.replace("Actual/Predicted", r"actual\predicted")).total == 200


def test_averages_of_resamples_are_no_counts() -> None:
    text = (
        "Cross-Validated (10 fold) Confusion Matrix\n\n(entries are percentual average cell "
        "counts across resamples)\n"
    )
    text += " \n          Reference\nPrediction cat dog\n       cat  40   4\n       dog   8  48\n"
    with pytest.raises(InputError, match="norm = 'none'"):
        read_printed(text)
    assert (
        read_printed(text.replace("percentual average cell", "un-normalized aggregated")).total
        == 100
    )


def test_classes_that_were_never_predicted_are_no_wrapped_table() -> None:
    text = "      predicted\nactual cat dog\n   cat  10   2\n   dog   1  12\n   hen   3   4\n"
    assert read_printed(text, labels=["cat", "dog", "hen"]).predicted_totals.tolist() == [14, 18, 0]
    assert read_printed(text.replace("cat dog", "cat hen")).predicted_totals.tolist() == [14, 0, 18]
    with pytest.raises(InputError, match="or these were never answered"):
        read_printed(text)


def test_a_header_that_begins_like_a_comment() -> None:
    for corner in ("#", "# actual"):
        assert read_printed(f"{corner},0,1\n0,12,3\n1,2,20\n2,5,7\n").labels == ["0", "1", "2"]
    assert read_printed("# cells,n=37\n# predicted,0,1\n0,12,3\n1,2,20\n").counts.tolist() == [
        [12, 2],
        [3, 20],
    ]


@pytest.mark.parametrize("between", [" ", ": ", "=", "_"])
@pytest.mark.parametrize("names", [("1", "-1"), ("+ve", "-ve")])
def test_minus_one_behind_a_word(between: str, names: tuple[str, str]) -> None:
    rows, cols = ([f"{word}{between}{name}" for name in names] for word in ("Predicted", "Actual"))
    text = f"\t{cols[0]}\t{cols[1]}\n{rows[0]}\t90\t20\n{rows[1]}\t10\t180\n"
    m = read_printed(text)
    assert (list(m.labels), m.counts.tolist()) == (list(names), [[90, 10], [20, 180]])

"""Corners of tables in the words of ten languages and several fields, totals under any name, and shares."""

from __future__ import annotations

import pytest

from confmat import ConfusionMatrix
from confmat.core.errors import InputError, LabelError
from confmat.io import read_printed

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
    "label_prediction": "actual",
    "prediction_label": "predicted",
    "actual_predicted": "actual",
    "predicted_actual": "predicted",
    "y_true_y_pred": "actual",
    "y_pred_y_true": "predicted",
    "truth_prediction": "actual",
    "label_pred": None,
    "disease_predicted": None,
    "Actual \u2193 Predicted \u2192": "actual",
    "Predicted \u2192 Actual \u2193": "actual",
    "Actual \u2192 / Predicted \u2193": "predicted",
    "\u2193 Predicted \u2192 Actual": "predicted",
    "Actual (columns) / Map (rows)": "predicted",
    "rows: reference, columns: map": "actual",
    "Predicted vs. Actual": "predicted",
    "detected by actual": "predicted",
    "Reference \u00d7 Prediction": "actual",
    "true - pred": "actual",
    "Predicted Actual": None,
    "\\ predicted": "actual",
    "Vorhersage": "predicted",
    "Wahrheit": "actual",
    "Reference class": "actual",
    "Classified data": "predicted",
    "Pr\u00e9diction": "predicted",
    "\u9884\u6d4b": "predicted",
    "Map": None,
    "Test": None,
    "class": "actual",
    "label": "actual",
    "species": "actual",
    "": "actual",
    "Confusion matrix (test set)": "actual",
    "Confusion matrix, validation": "actual",
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

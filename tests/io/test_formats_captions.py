"""Words that people put beside tables say what the rows are, or it is asked for: none is turned in silence."""

from __future__ import annotations

import pytest

from confmat.core.errors import InputError
from confmat.io import read_printed, recognize

ACTUAL = """\
rows are actual
Rows: actual, columns: predicted
actual classes in rows, predicted in columns
Predictions across the top, truth down the side
y-axis: actual; x-axis: predicted
actual × predicted
true x pred
[actual, predicted]
(y_true, y_pred)
confusion_matrix(y_true, y_pred)
confusion_matrix(y_test, model.predict(X_test))
vertical: actual; across: predicted
Vertical axis: true label
Rows and columns are actual and predicted classes, respectively
Predicted and actual labels are in columns and rows
axis 0: truth, axis 1: prediction
Top: predicted. Left: actual.
Each row represents a true class
Each column represents a predicted class
reference in rows
The header row has the predicted class, the left column the actual one
True label (vertical) vs. predicted label (horizontal)
Actual (down) vs predicted (across)
Rows: human, columns: model
x-axis: predicted class
actual class by predicted class
The rows are the gold labels
Predictions run across, ground truth runs down.
Rows → actual, columns → predicted
The i-th row is the true class and the j-th column the predicted class
columns = predictions
Lignes : classes réelles ; colonnes : classes prédites
Zeilen: Wahrheit, Spalten: Vorhersage
Row = truth; column = prediction
Each row is an observed class, each column a forecast class
truth on the left, predictions on top
Truth in rows | predictions in columns
Left: reference. Top: classification.
The actual labels are listed down the side and the predicted labels across the top
Y axis: true label. X axis: predicted label.
confusion matrix (rows: actual; columns: predicted)
Filas: real. Columnas: predicho.
righe = reali, colonne = previste
Each column holds the items that were predicted as one class
horizontal: predicted, vertical: actual
gold standard in rows, system output in columns
true labels vertically, predicted labels horizontally
pd.crosstab(y_true, y_pred)
table(actual, predicted)
ground truth (rows) by prediction (columns)
Matrix of true × assigned classes
columns: the labels assigned by the classifier
left column: actual class, top row: predicted class
dim 0: target, dim 1: prediction
Rows stand for the true class and columns for the predicted class
""".splitlines()
PREDICTED = r"""
rows are predictions
Predicted \ Actual
columns: ground truth
true labels across the top
y-axis predicted
vertical: predicted
pred × true
reference in columns
x-axis: actual class
predictions down the side
True labels across the top, predicted down the side
y-axis predicted, x-axis true
Axis 0: predicted
pred x true
[predicted, actual]
Top: actual. Left: predicted.
table(pred, truth)
confusionMatrix(pred, truth)
Predicted/Actual
predicted by actual
Predicted (rows) vs. actual (columns)
rows = model output, columns = gold
The predicted classes are listed vertically, the true ones horizontally
Horizontal axis: truth; vertical axis: prediction
Rows and columns are predicted and actual classes
Actual and predicted classes are in columns and rows, respectively
Each column represents the instances in an actual class
classifier in rows, benchmark in columns
actual across, predicted down
Truth on the x-axis
Predictions on the left, truth on top
Each row represents the instances in a predicted class, while each column represents those in an actual class
columns correspond to the reference standard
Rows are what the model predicted
ground truth horizontally, predictions vertically
Rows: model, columns: human
The first axis is the prediction, the second axis the truth
Abscissa: true class, ordinate: predicted class
left: predicted, top: actual
rows: predicted classes
Reference standard in columns, predicted class in rows
predictions in rows, ground truth in columns
predicted label on the y-axis and true label on the x-axis
top: actual
left = predicted
True class in the header row, predicted class in the left column
Rows (predicted) and columns (actual)
Filas: clase predicha
Spalten: tatsächliche Klasse; Zeilen: vorhergesagte Klasse
colonnes : vérité terrain
classification × reference
assigned class by true class
Columns hold the observed classes
row = prediction, col = truth
the actual class is shown horizontally
Predicted (vertical) / actual (horizontal)
The reference data are in the columns and the classified data in the rows
ConfusionMatrix(predicted, actual)
dim 0: predictions, dim 1: targets
Predicted classes run down the left side
Columns are what truly happened: the actual class
axis=1: ground truth
ordinate: prediction; abscissa: observation
""".strip().splitlines()
# Sides without a place, or with a place that may mean two things.
OPEN = """\
In the header are the correct answers
Predicted vs actual
Actual vs. predicted
Predictions against the truth
The actual and predicted classes
predicted classes compared with true classes
First column: predicted class
Rows: test result
Rows are models
x: predicted, y: true
Confusion matrix of predicted classes: rows are true
Entry ij counts items of true class i predicted as j
Predictions versus references
Predicted and observed
true and predicted labels for the test set
How the predicted labels compare to the actual labels
rows: map classes
The first row is the actual class
Rows are predicted classes, and rows are actual classes
Confusion of actual with predicted classes
Actual & predicted
""".splitlines()
# Words that name no side of the table.
SILENT = """\
Rows with missing predictions were left out
Columns: classes
Confusion matrix of our model
The test set has 165 items
true positives 50, predicted
accuracy_score(y_pred, y_true)
Table 3. Results.
Normalized by rows: no
top-5 accuracy is 0.9 for predicted labels
""".splitlines()
TABLES = {
    "array": "[[90 5]\n [10 45]]",
    "blanks": "     cat dog\ncat   90   5\ndog   10  45\n",
    "Markdown": "| | cat | dog |\n|-|-|-|\n| cat | 90 | 5 |\n| dog | 10 | 45 |\n",
    "tabs": "\tcat\tdog\ncat\t90\t5\ndog\t10\t45\n",
}
AS_WRITTEN, TURNED = [[90, 5], [10, 45]], [[90, 10], [5, 45]]


def texts(caption: str) -> list[str]:
    """Return the caption above and below tables of each kind, as a comment, and as captions of LaTeX and HTML."""
    found = [
        text
        for table in TABLES.values()
        for text in (f"{caption}\n\n{table}", f"{table}\n\n{caption}\n")
    ]
    rows = "<tr><th></th><th>cat</th><th>dog</th></tr><tr><th>cat</th><td>90</td><td>5</td></tr>"
    rows += "<tr><th>dog</th><td>10</td><td>45</td></tr>"
    tabular = r"\begin{tabular}{lcc} & cat & dog \\ cat & 90 & 5 \\ dog & 10 & 45 \\ \end{tabular}"
    escaped = caption.replace("&", "&amp;").replace("<", "&lt;")
    return [
        *found,
        f"# {caption}\n,cat,dog\ncat,90,5\ndog,10,45\n",
        f"<p>Results</p><table><caption>{escaped}</caption>{rows}</table>",
        f"\\caption{{{caption}}}\n{tabular}".replace(" & ", r" \& ", caption.count(" & ")),
    ]


@pytest.mark.parametrize(("caption", "counts"), [
    *((caption, AS_WRITTEN) for caption in ACTUAL), *((caption, TURNED) for caption in PREDICTED),
])  # fmt: skip
def test_a_caption_says_what_the_rows_are(caption: str, counts: list[list[int]]) -> None:
    for text in texts(caption):
        assert recognize(text).stated, text
        assert read_printed(text).counts.tolist() == counts, text


@pytest.mark.parametrize("caption", OPEN)
def test_sides_without_a_place_are_asked_for(caption: str) -> None:
    for text in texts(caption):
        with pytest.raises(InputError, match="say rows="):
            read_printed(text)
        assert read_printed(text, rows="actual").counts.tolist() == AS_WRITTEN
        assert read_printed(text, rows="predicted").counts.tolist() == TURNED


@pytest.mark.parametrize("caption", SILENT)
def test_other_words_say_nothing(caption: str) -> None:
    for text in texts(caption):
        assert not recognize(text).stated
        assert read_printed(text).counts.tolist() == AS_WRITTEN


@pytest.mark.parametrize("caption", [*ACTUAL, *PREDICTED])
def test_words_against_the_corner_are_refused(caption: str) -> None:
    corner = "guess\\truth" if caption in ACTUAL else "truth\\guess"
    with pytest.raises(
        InputError, match="says that the rows are actual, and that they are predicted"
    ):
        read_printed(f"{caption}\n\n" + TABLES["Markdown"].replace("| |", f"| {corner} |", 1))


def test_captions_are_many() -> None:
    assert len({*ACTUAL, *PREDICTED, *OPEN}) > 100

"""Words beside tables that may say what the rows are make it asked for; a call that makes the table is read."""

from __future__ import annotations

import pytest

from confmat.core.errors import InputError
from confmat.io import read_printed, recognize

CALLS = {
    "confusion_matrix(y_true, y_pred)": "actual",
    "confusion_matrix(y_test, model.predict(X_test))": "actual",
    "pd.crosstab(y_true, y_pred)": "actual",
    "table(actual, predicted)": "actual",
    "table(pred, truth)": "predicted",
    "confusionMatrix(pred, truth)": "predicted",
}
OPEN = """\
rows are predictions
Rows: actual, columns: predicted
Predictions across the top, truth down the side
y-axis: predicted
pred × true
[predicted, actual]
Each column represents an actual class
True class (vertical) vs. predicted class (horizontal)
Rows: model, columns: human
Rows: test result
Zeilen: Wahrheit, Spalten: Vorhersage
Filas: clase predicha
行为预测，列为真实
Predicted vs actual
Predictions against the truth
How the predicted labels compare to the actual labels
Entry ij counts items of true class i predicted as j
""".splitlines()
# Words that name no side of the table, or one side and no place.
SILENT = """\
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


@pytest.mark.parametrize(("call", "side"), CALLS.items())
def test_a_call_says_what_the_rows_are(call: str, side: str) -> None:
    for text in texts(call):
        assert recognize(text).stated, text
        assert read_printed(text).counts.tolist() == (AS_WRITTEN if side == "actual" else TURNED)
    corner = "guess\\truth" if side == "actual" else "truth\\guess"
    with pytest.raises(InputError, match="are actual, and that they are predicted"):
        read_printed(f"{call}\n\n" + TABLES["Markdown"].replace("| |", f"| {corner} |", 1))


@pytest.mark.parametrize("caption", OPEN)
def test_words_for_sides_and_places_are_asked_about(caption: str) -> None:
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

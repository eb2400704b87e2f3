"""The same matrix with predicted classes in rows, and one spelling of shares at every door."""

from __future__ import annotations

import importlib
import io
import itertools
import re
from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

import confmat as cm
from confmat.core.options import Normalize
from confmat.io import read_printed, to_text
from tests.animals import ANIMALS as M

WIDE = cm.ConfusionMatrix(
    np.arange(1, 31**2 + 1).reshape(31, 31), [f"a longer name {i}" for i in range(31)]
)
OUTSIDE = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish"], outside=["(none)"])


def printed(thing: Any, **choices: Any) -> str:
    stream = io.StringIO()
    cm.show(thing, color=False, file=stream, **choices)
    return stream.getvalue()


def test_a_terminal_shows_predicted_classes_in_rows() -> None:
    assert printed(M, rows="predicted").splitlines() == [
        "           actual",
        "predicted  Cat  Fish  Hen  │ total",
        "Cat          4     6    3  │    13 ██████",
        "Fish         1     2    0  │     3 █▍",
        "Hen          1     2    6  │     9 ████▏",
        "total        6    10    9  │    25",
    ]


WRITERS: dict[str, Callable[[cm.ConfusionMatrix], str]] = {
    "show": lambda m: printed(m, rows="predicted"),
    "show of a class": lambda m: printed(m, rows="predicted", of=m.labels[0]),
    "show of a class, rows actual": lambda m: printed(m, of=m.labels[1]),
    "text": lambda m: to_text(m, rows="predicted"),
    **{
        form: lambda m, form=form: m.table(rows="predicted").to(form)  # type: ignore[misc]
        for form in ("csv", "latex", "markdown", "html")
    },
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("m", [M, OUTSIDE, cm.ConfusionMatrix([[7, 2], [1, 0]], ["no TP", "FN 3"])])
def test_what_is_written_with_predicted_rows_reads_back(writer: str, m: cm.ConfusionMatrix) -> None:
    text = WRITERS[writer](m)
    assert np.array_equal(read_printed(text).counts, m.counts), text


def test_frames_and_arrays_with_predicted_rows_read_back() -> None:
    pytest.importorskip("pandas")
    frame = M.table(rows="predicted").to_pandas()
    assert cm.ConfusionMatrix.from_frame(frame, rows="predicted") == M
    table = cm.view(M, rows="predicted").counts
    assert cm.ConfusionMatrix.from_predicted_rows(table, list(M.labels)) == M


def test_a_turned_view_says_the_same_of_every_pair() -> None:
    for choices in ({"normalize": "actual"}, {"of": "Fish"}, {"minus": M.T}):
        straight, turned = cm.view(M, **choices), cm.view(M, rows="predicted", **choices)
        assert (turned.row_axis, turned.column_axis) == ("predicted", "actual")
        assert turned.alt == straight.alt
        assert turned.caption == straight.caption
        assert (turned.row_texts, turned.column_texts) == (
            straight.column_texts,
            straight.row_texts,
        )
        for i, j in itertools.product(range(3), repeat=2):
            assert turned.text(j, i) == straight.text(i, j)
            assert turned.role(j, i) == straight.role(i, j)
            assert np.array_equal(turned.shades[j, i], straight.shades[i, j], equal_nan=True)
    assert cm.view(M, rows="predicted").turned.table().to_csv() == M.to_csv()


def test_a_map_names_the_pairs_that_stand_out_from_actual_to_predicted() -> None:
    counts = WIDE.counts.copy()
    counts[3, 17] += 2000
    planted = cm.ConfusionMatrix(counts, WIDE.labels)
    lines = [
        [line for line in _colored(planted, rows=rows, width=70).splitlines() if " → " in line]
        for rows in ("actual", "predicted")
    ]
    assert lines[0] == lines[1] != []


def _colored(m: cm.ConfusionMatrix, **choices: Any) -> str:
    pytest.importorskip("rich")
    stream = io.StringIO()
    cm.show(m, color=True, file=stream, **choices)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


def test_a_plot_with_predicted_rows() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = cm.plot(M, rows="predicted", normalize="row")
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("Predicted", "Actual")
    texts = [text.get_text() for text in ax.texts]
    assert texts[1:4] == ["30.8%", "46.2%", "23.1%"]
    assert "per cent of each predicted class" in texts[0]
    assert {one.get_text() for inset in ax.child_axes for one in inset.texts} == {
        "answers",
        "13",
        "3",
        "9",
    }
    plt.close("all")


def test_what_cannot_be_turned_is_refused() -> None:
    for ask in (cm.view, cm.ConfusionMatrix.table, to_text, cm.show):
        with pytest.raises(
            cm.InputError, match="`rows` must be 'actual' or 'predicted', not 'true'"
        ):
            ask(M, rows="true")  # type: ignore[arg-type]
    with pytest.raises(cm.InputError, match="`rows` is for a square one"):
        M.table("long", rows="predicted")
    with pytest.raises(cm.InputError, match=r"m\.table\(rows='predicted'\)"):
        M.to_latex(rows="predicted")  # type: ignore[call-arg]


# ---- one class, cell by cell ---------------------------------------------------------------------


def test_the_role_of_each_cell_is_printed() -> None:
    assert printed(M, of="Fish").splitlines() == [
        "        predicted",
        "actual   Cat  Fish   Hen  │ total",
        "Cat     TN 4  FP 1  TN 1  │     6",
        "Fish    FN 6  TP 2  FN 2  │    10",
        "Hen     TN 3  FP 0  TN 6  │     9",
        "total     13     3     9  │    25",
        "true positives: 2   false positives: 1   false negatives: 8   true negatives: 14",
    ]
    found = printed(M, of="Fish", rows="predicted")
    assert {
        role: sum(map(int, re.findall(rf"{role} (\d+)", found)))
        for role in ("TP", "FP", "FN", "TN")
    } == {"TP": 2, "FP": 1, "FN": 8, "TN": 14}


def test_roles_leave_a_table_that_has_no_room_for_them() -> None:
    few = cm.ConfusionMatrix(np.full((9, 9), 123), [f"c{i}" for i in range(9)])
    assert "TP 123" in printed(few, of="c0", width=100)
    narrow = printed(few, of="c0", width=52)
    assert "TP 123" not in narrow
    assert "true positives: 123" in narrow
    # Outside on both sides is nobody's.
    assert " 6  │     9" in printed(OUTSIDE, of="Cat")


# ---- one spelling of shares ----------------------------------------------------------------------

WORDS = {
    "actual": ("actual", "true", "row"),
    "predicted": ("predicted", "pred", "column"),
    "all": ("all",),
}


def _page(m: cm.ConfusionMatrix, **choices: Any) -> str:
    return str(cm.html(m, **choices))


def _display(m: cm.ConfusionMatrix, normalize: Any) -> Any:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("sklearn")
    face = importlib.import_module("confmat.sklearn")
    return face.ConfusionMatrixDisplay.from_matrix(m, normalize=normalize).confusion_matrix.tolist()


DOORS: dict[str, Callable[[Any], Any]] = {
    "normalize": lambda word: M.normalize(word).tolist(),
    "view": lambda word: (cm.view(M, normalize=word).texts, cm.view(M, normalize=word).caption),
    "show": lambda word: printed(M, normalize=word),
    "html": lambda word: _page(M, normalize=word),
    "sklearn": lambda word: _display(M, word),
}


def test_the_words_are_all_there_are() -> None:
    assert sorted(word for words in WORDS.values() for word in words) == sorted(get_args(Normalize))


@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_every_word(door: str) -> None:
    answers = {axis: [DOORS[door](word) for word in words] for axis, words in WORDS.items()}
    for one in answers.values():
        assert all(each == one[0] for each in one)
    assert answers["actual"][0] != answers["predicted"][0] != answers["all"][0]
    with pytest.raises(cm.InputError, match="did you mean 'row'"):
        DOORS[door]("rows")


def test_a_row_is_what_is_drawn_there() -> None:
    assert cm.view(M, normalize="row", rows="predicted").normalize == "predicted"
    assert cm.view(M, normalize="column", rows="predicted").normalize == "actual"
    assert cm.view(M, normalize="true", rows="predicted").normalize == "actual"

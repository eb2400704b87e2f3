"""Examples on the page: which fields are pictures, where those may come from, and how much they may take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from tests.animals import ANIMALS as M
from tests.display.test_html import data_of


def rows_of(page: str | Path, cell: str = "0,2") -> list[list[Any]]:
    text = page.read_text(encoding="utf-8") if isinstance(page, Path) else page
    rows: list[list[Any]] = data_of(text)["examples"]["cells"][cell]["rows"]
    return rows


def noise(seed: int = 0, size: tuple[int, ...] = (300, 300, 3)) -> Any:
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


def test_examples_may_be_texts_or_records() -> None:
    given_ = {("Cat", "Hen"): ["a.jpg", "b.jpg"]}
    assert data_of(cm.html(M, examples=given_))["examples"] == {
        "columns": [],
        "cells": {"0,2": {"seen": 2, "rows": [["a.jpg"], ["b.jpg"]]}},
    }
    records: dict[Any, Any] = {("Cat", "Hen"): [{"id": 1}, {"id": 2, "text": "two\nlines\x1b"}]}
    assert data_of(cm.html(M, examples=records))["examples"] == {
        "columns": ["id", "text"],
        "cells": {"0,2": {"seen": 2, "rows": [["1", ""], ["2", "two\nlines\\x1b"]]}},
    }


def test_of_many_examples_some_are_shown() -> None:
    cell = data_of(cm.html(M, examples={("Cat", "Hen"): range(1000)}))["examples"]["cells"]["0,2"]
    assert (cell["seen"], len(cell["rows"])) == (1000, 20)


def test_examples_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("confmat.display.examples.MOST_TEXT", 10)
    page = cm.html(M, examples={("Cat", "Hen"): ["12345678"], ("Hen", "Cat"): ["12345678"]})
    assert list(data_of(page)["examples"]["cells"]) == ["0,2"]
    assert "examples of 1 cells are left out" in page


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (["a"], "`examples` map .* list is no mapping"),
        ({"Cat": ["a"]}, r"a key of `examples` is a tuple \(actual, predicted\), not 'Cat'"),
        ({("Cat", "Hen"): "a.jpg"}, "the examples of .* are a list, not 'a.jpg'"),
    ],
)
def test_examples_in_another_form_are_refused(examples: Any, message: str) -> None:
    with pytest.raises(cm.InputError, match=message):
        cm.html(M, examples=examples)


# ---- pictures ------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a picture in it, one in a folder below, one beside it, and what only seems one."""
    image = pytest.importorskip(
        "PIL.Image", reason="pictures are made with Pillow: the extra confmat[images]"
    )
    inner = tmp_path / "report"
    (inner / "photos").mkdir(parents=True)
    for path in (inner / "a.png", inner / "photos" / "b.JPG", tmp_path / "secret.png"):
        image.fromarray(noise(size=(40, 40, 3))).save(path)
    (inner / "text.png").write_text("secret words")
    (inner / "plain.txt").write_text("secret words")
    return inner


def test_files_beside_the_page_are_shown_and_no_others(folder: Path) -> None:
    names = [
        "a.png",
        "photos/b.JPG",
        "text.png",
        "plain.txt",
        "../secret.png",
        "none.png",
        "a\0.png",
        "x" * 5000 + ".png",
    ]
    names.append(str(folder.parent / "secret.png"))
    examples = {("Cat", "Hen"): [{"file": name} for name in names]}
    shown = [row[0] for row in rows_of(cm.html(M, folder / "page.html", examples=examples))]
    assert [field["text"] for field in shown[:2]] == names[:2]
    assert all(field["src"].startswith("data:image/") for field in shown[:2])
    assert all(isinstance(field, str) for field in shown[2:])
    elsewhere = rows_of(cm.html(M, folder.parent / "page.html", examples=examples))
    assert all(isinstance(row[0], str) for row in elsewhere[:2])
    there = rows_of(cm.html(M, folder.parent / "page.html", examples=examples, images=folder))
    assert [row[0] for row in there] == shown
    # The text of a page lies nowhere.
    assert all(isinstance(row[0], str) for row in rows_of(cm.html(M, examples=examples)))


def test_pictures_are_found_by_a_mapping_a_list_or_a_function(folder: Path) -> None:
    array = noise(size=(9, 9))
    examples = {("Cat", "Hen"): [{"image": 0, "n": 0}, {"image": 1, "n": 1}, {"image": 7, "n": 2}]}
    for images in (
        [array, folder / "a.png"],
        {0: array, 1: str(folder / "a.png")},
        lambda i: [array, folder / "a.png"][i],
    ):
        rows = rows_of(cm.html(M, examples=examples, images=images))
        assert [isinstance(row[0], dict) for row in rows] == [True, True, False]
        assert [row[1] for row in rows] == ["0", "1", "2"]
    (folder / "photos" / "c.png").write_bytes((folder / "a.png").read_bytes())
    (row,) = rows_of(cm.html(M, examples={("Cat", "Hen"): [{"image": "photos/c"}]}, images=folder))
    assert row[0]["text"] == "photos/c"
    with pytest.raises(
        cm.InputError, match="`images` is a folder, or a mapping, a list or a function of pictures"
    ):
        cm.html(M, examples=examples, images=5)


def test_arrays_and_addresses_are_pictures_wherever_they_stand(folder: Path) -> None:
    array = noise(size=(9, 9))
    (row,) = rows_of(cm.html(M, examples={("Cat", "Hen"): [array]}))
    address = row[0]["src"]
    (again,) = rows_of(cm.html(M, examples={("Cat", "Hen"): [("x", address, array)]}))
    assert again == ["x", {"src": address, "text": ""}, {"src": address, "text": ""}]
    broken = "data:image/png;base64," + "A" * 5000
    page = cm.html(M, examples={("Cat", "Hen"): [broken]})
    assert len(rows_of(page)[0][0]) == 60
    assert "1 of the examples&#x27; pictures cannot be read" in page


def test_pictures_have_a_budget_of_which_every_cell_has_a_part() -> None:
    pytest.importorskip("PIL")
    cells = [("Cat", "Fish"), ("Cat", "Hen"), ("Fish", "Cat")]
    examples = {
        cell: [{"image": noise(10 * at + i)} for i in range(20)] for at, cell in enumerate(cells)
    }
    page = cm.html(M, examples=examples, image_bytes=100_000)
    shown = {
        cell: sum(isinstance(row[0], dict) for row in rows_of(page, cell))
        for cell in ("0,1", "0,2", "1,0")
    }
    assert 9 <= sum(shown.values()) <= 30
    assert max(shown.values()) - min(shown.values()) <= 1
    assert f"{60 - sum(shown.values())} of the examples&#x27; pictures are left out" in page


def test_boxes_and_masks_are_drawn_on_the_picture_of_their_row() -> None:
    pytest.importorskip("PIL")
    image, mask = noise(), np.zeros((300, 300), bool)
    mask[50:90, 60:120] = True
    plain = {"image": image, "score": 0.5}
    rows = [
        plain,
        plain | {"true box": "60 50 120 90"},
        plain | {"true mask": mask},
        plain | {"true box": "no box"},
    ]
    page = data_of(cm.html(M, examples={("Cat", "Hen"): rows}))["examples"]
    assert page["columns"] == ["image", "score", "true box"]
    sources = [row[0]["src"] for row in page["cells"]["0,2"]["rows"]]
    assert len(set(sources)) == 3
    assert sources[0] == sources[3]


def test_examples_keep_pictures_small_and_tell_them_apart() -> None:
    pytest.importorskip("PIL")
    images = np.stack([noise(i) for i in range(6)])
    images[:, 0] = images[:, -1] = 0
    kept = cm.Examples(4, columns=["image"])
    kept.update(["a"] * 6, ["b"] * 6, {"image": images})
    fields = [row["image"] for row in kept["a", "b"]]
    assert len(set(fields)) == 4
    assert all(field.startswith("data:image/") and len(field) < 11_000 for field in fields)
    m = cm.ConfusionMatrix([[1, 12], [0, 1]], ["a", "b"])
    assert all(isinstance(row[0], dict) for row in rows_of(cm.html(m, examples=kept), "0,1"))
    assert cm.Examples.from_dict(json.loads(json.dumps(kept.to_dict()))) == kept


# ---- spans ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spans", "pieces"),
    [
        (
            [(7, 9), (0, 4, "a"), (2, 5, "c")],
            [["", None], ["Ada ", "a"], ["😀 i", None], ["n ", ""], ["P", None]],
        ),
        ([(5, 3, "a"), (-2, 1, "b"), (4, 99, "c")], [["Ada 😀 in P", None]]),
    ],
)
def test_spans_become_pieces_of_their_text(spans: Any, pieces: Any) -> None:
    field = {"text": "Ada 😀 in P", "spans": spans}
    assert rows_of(cm.html(M, examples={("Cat", "Hen"): [field]})) == [[pieces]]
    assert rows_of(cm.html(M, examples={("Cat", "Hen"): [{"id": 1, "sentence": field}]})) == [
        ["1", pieces]
    ]

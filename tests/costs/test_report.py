"""How a report of costs reads: as text, as plain data, as frames, and with hostile names."""

from __future__ import annotations

import json

import pytest

import confmat as cm
from confmat import ConfusionMatrix, cost_report

M = ConfusionMatrix([[80, 10, 2], [1, 9, 0], [0, 3, 15]], labels=["ham", "spam", "scam"])
FOUND = cost_report(M, cm.Costs({("spam", "ham"): 2, ("scam", "ham"): 50}, default=1))


def test_rows_are_made_when_they_are_asked_for() -> None:
    first = FOUND.cells[0]
    assert (first.actual, first.predicted, first.count, first.price, first.cost) == (
        "ham",
        "spam",
        10,
        1.0,
        10.0,
    )
    assert first.share == 10 / 17
    assert [one.cumulative for one in FOUND.cells][:2] == [10 / 17, 13 / 17]
    assert FOUND.cells[:2] == [FOUND.cells[0], FOUND.cells[1]]
    assert len(FOUND.cells) == 4
    assert FOUND.classes[-1].label == "spam"
    assert repr(FOUND.cells).startswith("<4 rows of actual, predicted, count")


def test_plain_data() -> None:
    data = json.loads(json.dumps(FOUND.to_dict()))
    assert data["total"] == 17
    assert data["constant"] == {"answer": "scam", "mean": (92 + 10) / 120}
    assert data["cells"]["actual"] == ["ham", "scam", "ham", "spam"]
    assert data["verdict"] == "better than no model"
    gains = cost_report(M, [[-1, 0, 0], [0, -1, 0], [0, 0, -1]]).to_dict()
    assert gains["normalized"] is None
    assert gains["cells"]["share"] == [None] * 3
    assert repr(FOUND) == "<CostReport: 0.1417 an item, 17 in all, better than no model>"


def test_frames() -> None:
    for name in ("pandas", "polars"):
        pytest.importorskip(name)
        frame = getattr(FOUND, f"to_{name}")()
        assert list(frame["cost"]) == [10, 3, 2, 2]
        assert list(getattr(FOUND.classes, f"to_{name}")()["label"]) == ["ham", "scam", "spam"]


def test_long_tables_are_cut_and_names_are_safe() -> None:
    names = [f"\x1b[31m<script>{i}" + "x" * 5000 for i in range(30)]
    counts = [[int(i != j) for j in range(30)] for i in range(30)]
    text = str(cost_report(ConfusionMatrix(counts, names), cm.Costs({}, default=1)))
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 200
    assert "\n… of 870 cells\n" in text
    assert "\n… of 30 classes" in text
    small = str(
        cost_report(
            ConfusionMatrix([[int(i != j) for j in range(9)] for i in range(9)]),
            cm.Costs({}, default=1),
        )
    )
    assert "\nactual  predicted  count" in small
    html = cost_report(ConfusionMatrix(counts, names), cm.Costs({}, default=1))._repr_html_()
    assert html is not None
    assert "<script" not in html
    assert "best constant answer" in html


def test_of_nothing() -> None:
    found = cost_report(ConfusionMatrix([[0, 0], [0, 0]]), [[0, 1], [1, 0]])
    assert found.constant is None
    assert found.saved is None
    assert "–" in str(found)
    assert str(cost_report(ConfusionMatrix([[5, 0], [0, 5]]), [[0, 1], [1, 0]])).endswith(
        "nothing costs anything"
    )

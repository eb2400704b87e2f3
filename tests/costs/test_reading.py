"""Costs from files: every form gives the same costs, and what is wrong is said with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import confmat as cm
from confmat import ConfmatError, ConfusionMatrix, InputError, expected_cost
from confmat.costs import read_costs

M = ConfusionMatrix([[5, 1, 2], [0, 7, 3], [4, 0, 6]], labels=["a", "=b", "c"])
MEAN = (1 * 1 + 2 * 2 + 3 * 4 + 4 * 5) / 28
PAIRS = [
    ("a", "=b", 1),
    ("a", "c", 2),
    ("=b", "a", 3),
    ("=b", "c", 4),
    ("c", "a", 5),
    ("c", "=b", 6),
]
HEADS = ("actual", "predicted", "cost")

FILES = {
    "table.csv": ",c,a,=b\nc,0,5,6\n=b,4,3,0\na,2,0,1\n",
    "semicolons.csv": "\ufeff;c;a;'=b\n\nc;0;5;6\n'=b;4;3;0\na;2;0.0;1\n",
    "table.tsv": "\tc\ta\t=b\nc\t0\t5\t6\n=b\t4\t3\t0\na\t2\t0\t1\n",
    "long.csv": "Cost,Actual,Predicted\n" + "".join(f"{price},{a},{p}\n" for a, p, price in PAIRS),
    "pairs.json": json.dumps([dict(zip(HEADS, pair, strict=True)) for pair in PAIRS]),
    "nested.json": json.dumps(
        {"a": {"=b": 1, "c": 2}, "=b": {"a": 3, "c": 4}, "c": {"a": 5, "=b": 6}}
    ),
    "named.json": json.dumps(
        {"labels": ["c", "a", "=b"], "costs": [[0, 5, 6], [2, 0, 1], [4, 3, 0]]}
    ),
    "rows.json": json.dumps([[0, 1, 2], [3, 0, 4], [5, 6, 0]]),
    "default.json": json.dumps(
        {"costs": {"a": {"=b": 1, "c": 2}, "=b": {"a": 3}, "c": {"a": 5, "=b": 6}}, "default": 4}
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_every_form(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    assert expected_cost(M, read_costs(path)) == MEAN
    assert expected_cost(M, read_costs(str(path))) == MEAN


def test_two_classes_and_numbers(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text('{"fp": 1, "fn": 5}')
    m = ConfusionMatrix([[8, 2], [1, 9]])
    assert expected_cost(m, read_costs(path)) == (2 + 5) / 20
    path = tmp_path / "costs.csv"
    path.write_text("actual,1,0\n1,0,5\n0,1,0\n")
    assert expected_cost(m, read_costs(path)) == (2 + 5) / 20
    path.write_text("actual,predicted,cost\n1,0,5\n")
    assert expected_cost(m, read_costs(path)) == 5 / 20
    assert expected_cost(m, read_costs(path, default=1)) == (2 + 5) / 20


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.csv", "", "empty"),
        ("x.csv", ",a,b\na,0,1\nb,1\n", "row 3 has 2 fields"),
        ("x.csv", ",a,b\na,0,1\nb,,0\n", "row 3, column 'a' holds nothing; write 0"),
        ("x.csv", ",a,b\na,0,1\nb,much,0\n", "'much', which is no number"),
        ("x.csv", ",a,b\na,0,nan\nb,1,0\n", "costs"),
        ("x.csv", "actual,predicted,cost\na,b,1\na,b,2\n", "two prices for 'a' predicted as 'b'"),
        (
            "x.csv",
            "y_true,y_pred,price\nham,fraud,3\n",
            "'y_pred' holds 'fraud', .* called actual, predicted and cost",
        ),
        ("x.json", "{", "x.json"),
        ("x.json", '{"costs": [[0, 1], [1, 0]], "label": ["a", "b"]}', "not 'label'"),
        ("x.json", '{"costs": [[0, 1], [1, 0]], "labels": ["a"]}', "do not fit"),
        ("x.json", '{"costs": [[0, 1], [1, 0]], "default": 3}', "`default`"),
        ("x.json", '[{"actual": "a", "cost": 3}]', "each price is"),
        ("x.json", '[{"actual": "a", "predicted": "b", "cost": "3"}]', "finite"),
        ("x.json", '{"a": 1}', "costs"),
    ],
    ids=range(14),
)
def test_what_is_wrong_is_said(name: str, text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_costs(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b",\xe9,b\n")
    with pytest.raises(InputError, match=r"latin\.csv: line 1: byte 1 \(0xe9\) is no UTF-8"):
        read_costs(path)
    path.write_text(",\x1b[2J,b\n\x1b[2J,0,x\nb,1,0\n")
    with pytest.raises(ConfmatError) as caught:
        read_costs(path)
    assert "\x1b" not in str(caught.value)
    assert cm.costs.read_costs is read_costs


@pytest.mark.parametrize(
    "corner", ["predicted ↓ actual →", "↓ predicted, → actual", "actual → / predicted ↓"]
)
def test_arrows_in_the_corner_say_which_side_is_which(tmp_path: Path, corner: str) -> None:
    """A b that is taken for a costs 9."""
    (tmp_path / "costs.csv").write_text(f'"{corner}",a,b\na,0,9\nb,1,0\n', encoding="utf-8")
    found = read_costs(tmp_path / "costs.csv")
    m = cm.ConfusionMatrix([[0, 0], [1, 0]], ["a", "b"])
    assert cm.metrics.cost(found)(m) == 9

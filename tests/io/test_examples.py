from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from confmat import Answers, Examples, InputError, count_files, examples
from confmat.io import records
from tests.io.conftest import stored

Rows = list[dict[str, Any]]


def some_rows(many: int = 3000) -> Rows:
    rng = np.random.default_rng(0)
    actual, guess = rng.integers(0, 6, many), rng.integers(0, 6, many)
    predicted = np.where(rng.random(many) < 0.6, actual, guess)
    return [
        {
            "id": f"n{i}",
            "y_true": f"c{a}",
            "y_pred": f"c{p}",
            "text": f'item "{i}", line\nand ünïcode 猫',
        }
        for i, (a, p) in enumerate(zip(actual.tolist(), predicted.tolist(), strict=True))
    ]


def write(path: Path, table: Rows) -> Path:
    return stored(path, {name: [row[name] for row in table] for name in table[0]})


def in_memory(table: Rows, **settings: Any) -> Examples:
    found = Examples(columns=["id", "text"], **settings)
    found.update(
        [row["y_true"] for row in table],
        [row["y_pred"] for row in table],
        [(r["id"], r["text"]) for r in table],
    )
    return found


# ---- the same sample wherever the rows lie -------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("hits", [False, True])
def test_every_format_gives_the_sample_of_the_rows(tmp_path: Path, suffix: str, hits: bool) -> None:
    table = some_rows()
    path = write(tmp_path / f"preds.{suffix}", table)
    found = examples(path, ["id", "text"], hits=hits, per_cell=5, seed=3)
    assert found == in_memory(table, hits=hits, per_cell=5, seed=3)
    assert len(found) == (36 if hits else 30)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_spreading_rows_over_files_changes_nothing(tmp_path: Path, suffix: str) -> None:
    table = some_rows()
    for i in range(3):
        write(tmp_path / f"part{i}.{suffix}", table[i::3])
    whole = in_memory(table, hits=False)
    assert examples(f"{tmp_path}/part*.{suffix}", ["id", "text"]) == whole
    parts = [examples(tmp_path / f"part{i}.{suffix}", ["id", "text"]) for i in (2, 0, 1)]
    assert sum(parts[1:], parts[0]) == whole


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_blocks_of_any_size(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = some_rows(300)
    path = write(tmp_path / f"preds.{suffix}", table)
    monkeypatch.setattr(records, "BLOCK_BYTES", 257)
    assert examples(path, ["id", "text"]) == in_memory(table, hits=False)


# ---- labels are those of the count ---------------------------------------------------------------


def test_missing_and_other_labels(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_text(
        'id,y_true,y_pred\n1,a,b\n2,,b\n3,"",a\n4,NA,a\n5,z,a\n6,b,b\n', encoding="utf-8"
    )
    found = examples(path, ["id"], na_values=["NA"])
    assert {pair: [x["id"] for x in items] for pair, items in found.items()} == {
        ("a", "b"): ["1"],
        (None, "b"): ["2"],
        ("", "a"): ["3"],
        (None, "a"): ["4"],
        ("z", "a"): ["5"],
    }
    m = count_files(path, labels=["a", "b", ""], missing="collect", other="drop", na_values=["NA"])
    fitted = examples(path, ["id"], na_values=["NA"], matrix=m)
    assert fitted.seen == {pair: many for pair, many in m.pairs().items() if pair[0] != pair[1]}
    assert fitted["(missing)", "a"] == [{"id": "4"}]


def test_typed_labels(tmp_path: Path) -> None:
    table = [{"y_true": a, "y_pred": p, "x": None} for a, p in [(1, 2), (2, 2), (None, 1)]]
    for suffix in ("parquet", "jsonl"):
        path = write(tmp_path / f"preds.{suffix}", table)
        m = count_files(path, missing="collect")
        assert dict(examples(path, ["x"], matrix=m)) == {
            (1, 2): [{"x": None}],
            ("(missing)", 1): [{"x": None}],
        }


def test_one_side_of_another_type_is_compared_here(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    sides = {"y_true": pa.array([1, 2], pa.int64()), "y_pred": pa.array([1.0, 1.0], pa.float64())}
    stored(tmp_path / "preds.parquet", sides)
    assert list(examples(tmp_path / "preds.parquet", ["y_pred"])) == [(2, 1)]


# ---- hostile -------------------------------------------------------------------------------------

NAMES = [
    '"; DROP TABLE t; --',
    "a'b",
    "*",
    "/~1",
    "^.*$",
]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", NAMES)
def test_names_of_columns_are_never_part_of_a_query(tmp_path: Path, suffix: str, name: str) -> None:
    other = {"c0": "decoy", "y_pred": "b"}
    path = write(tmp_path / f"preds.{suffix}", [{"y_true": "a", name: "mine"} | other])
    assert examples(path, [name], actual="y_true", predicted="y_pred")["a", "b"] == [{name: "mine"}]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_texts_come_back_as_they_are(tmp_path: Path, suffix: str) -> None:
    texts = [
        "<script>",
        "=1+1",
        "a\tb",
        "'; --",
        "\u202eevil",
        '"quoted"',
        "{{x}}",
        "a,b\r\nc",
        "x" * 200_000,
    ]
    path = write(
        tmp_path / f"preds.{suffix}", [{"y_true": "a", "y_pred": "b", "t": text} for text in texts]
    )
    found = [item["t"] for item in examples(path, ["t"])["a", "b"]]
    assert sorted(found) == sorted(
        text[:1999] + "…" if len(text) > 2000 else text for text in texts
    )


def test_lists_are_shown_but_are_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "preds.jsonl"
    path.write_text(
        '{"y_true": "a", "y_pred": "b", "x": ["é", 1]}\n{"y_true": ["a"], "y_pred": "b"}\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="line 2: 'y_true' holds a JSON list"):
        examples(path, ["x"])
    path.write_text('{"y_true": "a", "y_pred": "b", "x": ["é", 1]}\n', encoding="utf-8")
    assert examples(path, ["x"])["a", "b"] == [{"x": '["é", 1]'}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("y_true,y_pred,id\na,b,1\na,b\n", "preds.csv, line 3: 2 fields where the header has 3"),
        ("y_true,y_pred\na,b\n", "there is no column 'id' for `examples`"),
    ],
)
def test_says_which_line_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "preds.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        examples(tmp_path / "preds.csv", ["id"])


def test_says_what_to_do(tmp_path: Path) -> None:
    path = write(tmp_path / "preds.csv", some_rows(5))
    with pytest.raises(InputError, match="`columns` must name what an example shows"):
        examples(path, [])
    with path.open("rb") as stream, pytest.raises(InputError, match="a stream can be read once"):
        examples(stream, ["id"])


def test_free_answers_are_examples_of_what_they_were_counted_as(tmp_path: Path) -> None:
    path = tmp_path / "preds.csv"
    path.write_text(
        "id,y_true,y_pred\n1,yes,Yep\n2,no,NO.\n3,no,hm\n4,yes,no!\n5,yes,\n", encoding="utf-8"
    )
    rules = Answers(aliases={"yep": "yes"})
    m = count_files(path, answers=rules, other="collect", missing="collect")
    found = examples(path, ["id", "y_pred"], answers=rules, matrix=m)
    assert dict(found) == {
        ("no", "(invalid)"): [{"id": "3", "y_pred": "hm"}],
        ("yes", "no"): [{"id": "4", "y_pred": "no!"}],
        ("yes", "(missing)"): [{"id": "5", "y_pred": None}],
    }

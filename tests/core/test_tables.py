"""Tables: one value, written in every format, and a registry that takes further ones."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.core.formats import FORMATS, Format, format_named, register
from confmat.core.tables import Column, Table, to_plain

M = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
T = Table(
    (
        Column("name", ["=1+1", "a|b", "c & d"], is_label=True, is_index=True),
        Column("count", np.array([1, 2000, 3])),
        Column("share", [0.5, math.nan, math.inf], head="part"),
        Column("hidden", [True, False, None], head=None),
        Column(None, [(1, 2), (3, 4), (5, 6)], lambda pair: f"{pair[0]}-{pair[1]}", "range"),
    ),
    ("50% of it",),
    title="A title",
)


def test_text_lines_up_and_says_more_than_data() -> None:
    assert str(T).splitlines() == [
        "A title",
        "name   count   part  range",
        "=1+1       1  0.500    1-2",
        "a|b    2,000      –    3-4",
        "c & d      3    inf    5-6",
        "",
        "50% of it",
    ]


@pytest.mark.parametrize("width", [40, 63, 80, 200])
def test_on_a_terminal_columns_that_do_not_fit_stand_below_and_no_number_is_broken(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    names = ["old", "new"]
    columns = [Column(f"score {i}", [f"{i}.866 [0.859, 0.873]"] * 2) for i in range(5)]
    table = Table((Column("model", names, is_label=True), *columns), (" ".join(["a note"] * 20),))
    wide = str(table)
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", str(width))
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.count("[0.859, 0.873]") for line in lines) == 10
    assert "".join("".join(lines).split()).count("score") == 5
    assert (str(table) == wide) is (width > max(map(len, wide.splitlines())))


def test_markdown_escapes_what_it_would_read() -> None:
    assert T.to("markdown").splitlines()[2:6] == [
        "| name | count | part | range |",
        "|:--|--:|--:|--:|",
        "| =1+1 | 1 | 0.500 | 1-2 |",
        r"| a\|b | 2,000 | – | 3-4 |",
    ]
    assert T.to("markdown").endswith("\n\n- 50% of it\n")


def test_latex_escapes_what_it_would_read() -> None:
    lines = T.to("latex").splitlines()
    assert lines[1:3] == [r"\begin{tabular}{lrrr}", r"\toprule"]
    assert lines[6] == r"a\textbar{}b & 2,000 & -- & 3-4 \\"
    assert lines[-1] == "% 50% of it"


def test_csv_holds_the_data_at_full_precision_and_no_formula() -> None:
    assert (
        T.to("csv")
        == "name,count,share,hidden\n'=1+1,1,0.5,True\n" + '"a|b",2000,,False\nc & d,3,inf,\n'
    )
    assert T.to("csv", spreadsheet=False, delimiter=";").splitlines()[1] == "=1+1;1;0.5;True"
    assert T.to("tsv").splitlines()[0] == "name\tcount\tshare\thidden"
    with pytest.raises(cm.InputError, match="`delimiter` must be a comma, semicolon, tab or pipe"):
        T.to("csv", delimiter="x")


def test_json_has_neither_nan_nor_infinity() -> None:
    rows = json.loads(T.to("json"))["rows"]
    assert rows[1] == {"name": "a|b", "count": 2000, "share": None, "hidden": False}
    assert rows[2]["share"] == "inf"
    assert [json.loads(line) for line in T.to("jsonl").splitlines()] == rows


def test_frames_are_typed() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = T.to("pandas")
    assert frame.index.name == "name"
    assert frame["count"].dtype == np.int64
    assert T.to("polars").schema["share"] == polars.Float64
    assert isinstance(M.to_pandas(), pandas.DataFrame)
    assert M.to_pandas().loc["Fish", "Cat"] == 6
    assert (M.to_pandas().index.name, M.to_pandas().columns.name) == ("actual", "predicted")
    assert cm.ConfusionMatrix.from_frame(M.to_pandas()) == M


def test_a_workbook_holds_numbers_as_numbers_and_no_formula() -> None:
    pytest.importorskip("xlsxwriter")
    from io import BytesIO
    from zipfile import ZipFile

    with ZipFile(BytesIO(T.to("excel"))) as book:
        sheet, texts = (
            book.read(f"xl/{part}.xml").decode() for part in ("worksheets/sheet1", "sharedStrings")
        )
    assert "<v>2000</v>" in sheet
    assert "<f>" not in sheet
    assert "=1+1" in texts


def test_without_xlsxwriter_an_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(cm.InputError, match="XlsxWriter is not installed"):
        T.to("excel")


def test_long_tables_are_abridged_in_print_alone() -> None:
    long = Table(
        (Column("n", range(100)),), rules=(90,), shown=(40, 20, 10), more="{hidden} of {total}"
    )
    lines = str(long).splitlines()
    assert lines[20:23] == ["19", " ⋮", "80"]
    assert lines[31:33] == ["89", ""] or lines[32:34] == ["", "90"]
    assert lines[-1] == "60 of 90"
    assert len(long.to("csv").splitlines()) == 101


def test_an_unknown_format_has_a_hint() -> None:
    with pytest.raises(
        cm.InputError, match="there is no format 'markdwon'; did you mean 'markdown'"
    ):
        T.to("markdwon")
    assert format_named(".MD").name == "markdown"


def test_plain_data_has_no_nan_and_no_arrays() -> None:
    data = {"a": np.array([1.0, math.nan]), "b": (np.int64(3), math.inf)}
    assert to_plain(data) == {"a": [1.0, None], "b": [3, math.inf]}
    assert to_plain(data, "text")["b"] == [3, "inf"]
    assert to_plain(data, "none")["b"] == [3, None]


# ---- a further format ----------------------------------------------------------------------------


@pytest.fixture
def sheet() -> Iterator[None]:
    """A format that confmat does not know, as its one file and one row would add it."""

    def write(table: Table) -> str:
        cells = [f"[{cell}]" for row in [table.heads, *table.texts()] for cell in row]
        return f"#table(columns: {len(table.heads)}, {', '.join(cells)})\n"

    register(Format("sheet", write, (".sheet",)))
    yield
    del FORMATS["sheet"]


@pytest.mark.usefixtures("sheet")
def test_a_further_format_is_known_everywhere(tmp_path: Path) -> None:
    assert T.to("sheet").startswith("#table(columns: 4, [name], [count]")
    cm.save(cm.report(M), tmp_path / "report.sheet")
    assert (
        (tmp_path / "report.sheet").read_text(encoding="utf-8").startswith("#table(columns: 6, []")
    )
    cm.save(M, tmp_path / "m.sheet")
    assert "[Cat], [4], [1], [1]" in (tmp_path / "m.sheet").read_text(encoding="utf-8")


# ---- every result --------------------------------------------------------------------------------


def results() -> dict[str, Any]:
    """One of each value that a function gives."""
    y, p, s = [0, 1, 1, 0, 1, 1], [0, 1, 0, 0, 1, 1], [0.2, 0.9, 0.4, 0.6, 0.7, 0.8]
    t = cm.thresholds(y, s)
    outside = cm.ConfusionMatrix(
        [[3, 1, 1], [1, 3, 0], [0, 0, 0]], ["a", "b"], outside=["(invalid)"]
    )
    h = cm.Hierarchy.from_paths(["pet/Cat", "pet/Fish", "Hen"])
    log = cm.AnswerLog()
    cm.count(["a", "b"], ["A.", "b"], answers=cm.Answers(["a", "b"]).logged(log))
    examples = cm.Examples(2, columns=["id", "text"])
    examples.update(["dog", "dog"], ["cat", "dog"], [(1, "woof"), (2, "wuff")])
    maps = [[[[0, 0], [0, 0], [1, 1], [1, 2]]], [[[0, 0], [1, 1], [1, 1], [1, 1]]]]
    boxes = [{"boxes": [[0, 0, 2, 2]], "labels": ["cat"], "scores": [0.9]}]
    return {
        "matrix": M, "stack": cm.Stack({"old": M, "new": M.T}, axis="model"), "report": cm.report(M),
        "members": cm.report(cm.Stack({"old": M, "new": M.T}, axis="model"), intervals=True),
        "estimate": cm.interval(M, "accuracy"), "estimates": cm.interval(M, "f1"),
        "comparison": cm.compare({"old": M, "new": M.T}), "findings": cm.audit(M, {"accuracy": "0.48"}),
        "confusions": cm.top_confusions(M), "sinks": cm.structure.sinks(M), "groups": cm.class_groups(M, 2),
        "best": cm.best(t, "f1"), "curve": cm.roc(t), "score curve": cm.best(t, "f1").curve(),
        "risk": cm.risk_coverage(y, p, s),
        "costs": cm.cost_report(M, [[0, 1, 2], [1, 0, 1], [2, 1, 0]]),
        "panoptic": cm.panoptic(maps, maps, labels=["road", "car"]), "severity": cm.hierarchy.severity(M, h),
        "hierarchy": h,
        "unanswered": cm.unanswered(outside), "boxes": cm.detection.coco_average_precision(boxes, boxes), "log": log,
        "inference": cm.infer({"accuracy": "0.9"}, positives=10, negatives=10), "examples": examples,
        "view": cm.view(M),
    }  # fmt: skip


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_every_format(name: str, tmp_path: Path) -> None:
    value = RESULTS[name]
    table = value.table()
    rows = table.to_dict()["rows"]
    assert len(rows) == len(table.details) > 0
    assert value.to_csv().splitlines()[0].count(",") >= len(rows[0]) - 1
    assert value.to_markdown().startswith("|") or table.title
    assert r"\toprule" in value.to_latex()
    assert value._repr_html_().startswith("<div")
    for suffix in (".csv", ".md", ".tex", ".html", ".txt", ".jsonl", ".json"):
        if suffix == ".json" and name == "view":
            continue
        cm.save(value, tmp_path / f"value{suffix}")
        assert (tmp_path / f"value{suffix}").stat().st_size
    if name != "view":
        json.loads(
            (tmp_path / "value.json").read_text(encoding="utf-8"), parse_constant=pytest.fail
        )


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_makes_frames(name: str) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    value = RESULTS[name]
    rows = value.table().to_dict()["rows"]
    assert len(value.to_pandas()) == len(rows) == len(value.to_polars())


def test_html_of_a_table_loads_no_display() -> None:
    code = (
        "import sys, confmat as cm; m = cm.ConfusionMatrix([[1, 2], [3, 4]]); assert "
        "m.table()._repr_html_();"
        "assert cm.report(m)._repr_html_(); assert not any(name.startswith('confmat.display') for "
        "name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_writer_refuses_options_that_it_does_not_take() -> None:
    t = Table((Column("a", [1]),))
    for name, option, said in (
        ("tsv", {"delimiter": ";"}, "the format tsv takes no `delimiter`; it takes `spreadsheet`"),
        ("csv", {"sep": ";"}, "it takes `delimiter`, `spreadsheet`"),
        ("markdown", {"index": False}, "the format markdown takes no `index`; it takes none"),
    ):
        with pytest.raises(cm.InputError, match=said):
            t.to(name, **option)


def test_columns_of_one_name_are_all_kept() -> None:
    t = Table((Column("f1", [1]), Column("f1", [2]), Column("f1 (2)", [3])))
    assert list(t.records()) == [{"f1": 1, "f1 (2)": 2, "f1 (2) (2)": 3}]
    assert json.loads(t.to("json"))["rows"] == t.to_dict()["rows"] == list(t.records())
    assert t.to("csv") == "f1,f1,f1 (2)\n1,2,3\n"

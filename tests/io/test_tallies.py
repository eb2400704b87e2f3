"""Tables of counts: recognized from every format and engine, said in a line, and never seen in single items."""

from __future__ import annotations

import io
import itertools
import warnings
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import count_files, count_frame
from confmat.io.queries import Asked
from confmat.io.tallies import evidence_of, is_count
from tests.io.conftest import Constructor, stored

CELLS = {("cat", "cat"): 12, ("cat", "dog"): 3, ("dog", "cat"): 2, ("dog", "dog"): 20}
M = cm.ConfusionMatrix.from_pairs(CELLS, ["cat", "dog"])
ROWS = [(*pair, many) for pair, many in CELLS.items()]
HEADERS = [
    "Actual,Predicted,count",
    "Reference,Prediction,Freq",
    "Actual,Predicted,nPredictions",
    "y_true,y_pred,COUNT(*)",
    "truth,estimate,Anzahl",
    "y,yhat,Häufigkeit",
    "y,yhat,件数",
]
NOTE = "no two rows agree in all other columns, so .* is read as counts"
WAYS = r"say tally='.*' if its numbers are counts, weights='.*' if they are weights, or tally='none' to count each row"


def text(header: str, rows: list[Any] = ROWS, between: str = ",") -> str:
    lines = [header.split(","), *rows]
    return "".join(between.join(map(str, line)) + "\n" for line in lines)


def columns(header: str, rows: list[Any] = ROWS) -> dict[str, Any]:
    return dict(zip(header.split(","), map(list, zip(*rows, strict=True)), strict=True))


def same(found: Any) -> bool:
    """Whether a matrix is M, of 37 items and not of four weights."""
    return bool(found == M and cm.interval(found, "f1.macro") == cm.interval(M, "f1.macro"))


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", HEADERS)
def test_tables_of_counts_are_recognized_and_said(tmp_path: Path, header: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text(header), encoding="utf-8")
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_files(path))
    assert same(count_files(path, tally=header.split(",")[2]))
    assert count_files(path, tally="none").total == 4


def test_streams_and_groups_and_resumed_counts(tmp_path: Path) -> None:
    sites = [("n", *row) for row in ROWS] + [("s", *row) for row in ROWS]
    data = text("site,y_true,y_pred,n", sites)
    for way in (io.BytesIO(data.encode()), tmp_path / "p.csv"):
        (tmp_path / "p.csv").write_text(data)
        with pytest.warns(cm.ConfmatWarning, match=NOTE):
            stack = count_files(way, by="site", format="csv")
        assert list(stack) == ["n", "s"]
        assert all(same(m) for m in stack.values())
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert count_files(tmp_path / "p.csv") == M + M
    (tmp_path / "p.csv").write_text(text("y_true,y_pred,n"))
    for _ in range(2):
        assert same(count_files(tmp_path / "p.csv", tally="n", resume=tmp_path / "kept"))
    with pytest.raises(cm.InputError, match="the checkpoint is of the columns"):
        count_files(tmp_path / "p.csv", weights="n", resume=tmp_path / "kept")


def test_a_long_stream_is_looked_at_and_then_counted() -> None:
    names = [f"class {i:05}" for i in range(40_000)]
    rows = [(name, name, 2) for name in names]
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert (
            count_files(io.BytesIO(text("y_true,y_pred,n", rows).encode()), format="csv").total
            == 80_000
        )
    again = text("id,y_true,y_pred", [(1, *row[:2]) for row in rows])
    assert count_files(io.BytesIO(again.encode()), format="csv").total == 40_000


def test_no_more_rows_are_looked_at_than_there_may_be_pairs() -> None:
    probe = Asked("y", "p", "n", None, {}, tally=None)
    endless = ([(f"class {i}", f"class {i}", 1)] for i in itertools.count())
    assert evidence_of(endless, probe, 100).total == 101


# ---- frames --------------------------------------------------------------------------------------


def test_frames_of_every_engine(frame_constructor: Constructor) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = [pa.array(list(column)) for column in zip(*ROWS, strict=True)]
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(
            count_frame(frame_constructor(pa.table(columns, ["label", "prediction", "count"])))
        )
    table = pa.table([*columns, pa.array(list("aabb"))], ["label", "prediction", "n", "site"])
    assert same(count_frame(frame_constructor(table), tally="n", by="site").sum())


def test_sizes_of_a_group_by() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y_true": list("aaab"), "y_pred": list("aaba")})
    for table in (
        frame.value_counts().reset_index(),
        frame.groupby(["y_true", "y_pred"]).size().reset_index(),
    ):
        with pytest.warns(cm.ConfmatWarning, match=NOTE):
            assert count_frame(table) == cm.count(frame.y_true, frame.y_pred)


# ---- what is no table of counts ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "rows", "reason"),
    [
        (
            "fold,y_true,y_pred,n",
            [(i % 2, *row) for i, row in enumerate(ROWS * 9)],
            "rows that agree in all other",
        ),
        (
            "sex,age,y_true,y_pred,n",
            [(i % 2, 7 * i % 31, *row) for i, row in enumerate(ROWS * 7)],
            "from row to row",
        ),
        ("y_true,y_pred,area_ha", ROWS, "it may hold shares, or the numbers of a part"),
    ],
)
def test_doubtful_counts_are_refused_with_all_ways_out(
    tmp_path: Path, header: str, rows: list[Any], reason: str
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text(header, rows, ";"))
    with pytest.raises(
        cm.InputError, match=f"is called like counts, but .*{reason}.*; {WAYS}"
    ) as caught:
        count_files(path)
    assert [str(one)[:6] for one in caught.value.remedy] == ["tally=", "weight", "tally="]
    assert count_files(path, tally="none").total == len(rows)
    stored(path.with_suffix(".jsonl"), columns(header, rows))
    with pytest.raises(cm.InputError, match=f"is called like counts, but .*; {WAYS}"):
        count_files(path.with_suffix(".jsonl"))


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (
            "truth_id,y_true,pred_id,y_pred,n",
            [(row[0][0], row[0], row[1][0], *row[1:]) for row in ROWS],
        ),
        ("site,fold,y_true,y_pred,n", [("a", i % 2, *row) for i, row in enumerate(ROWS)]),
        ("y_true,y_pred,share,n", [(*row[:2], row[2] / 37, row[2]) for row in ROWS]),
    ],
)
def test_other_columns_hide_no_counts(tmp_path: Path, header: str, rows: list[Any]) -> None:
    (tmp_path / "p.csv").write_text(text(header, rows))
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(found := count_files(tmp_path / "p.csv"))
    assert [str(note) for note in found.notes] == ["37 items are numbers of the column 'n'"]


SITES = [(site, *row) for site in "ns" for row in ROWS]
# A row of data for each case: what comes of the default call, as a total or as the reason why not.
EVERY_ROAD: list[tuple[str, list[Any], int | str]] = [
    ("site,y_true,y_pred,n", SITES, 74),
    ("site,y_true,y_pred,n", SITES * 2, "come more than once"),
    (
        "site,y_true,y_pred,n",
        [*SITES, *(("Total", *row[:2], 2 * row[2]) for row in ROWS)],
        "are totals of others",
    ),
    (
        "site,y_true,y_pred,n",
        [*SITES, *((None, *row[:2], 2 * row[2]) for row in ROWS)],
        "are totals of others",
    ),
    ("y_true,y_pred,n", [*ROWS, ("Overall", "Overall", 37)], "is a total of other lines"),
    ("y_true,y_pred,n", [*ROWS, (None, None, 37)], "is a total of other lines"),
    (
        "y_true,y_pred,n",
        [*ROWS, ("cat", None, 15), ("dog", None, 22), (None, None, 37)],
        "is a total of other lines",
    ),
    ("y_true,y_pred,n,count", [(*row, 1) for row in ROWS], "so is 'count'"),
    ("y_true,y_pred,freq", [(*row[:2], row[2] / 37) for row in ROWS], "which is no count"),
    ("y_true,y_pred,weight", [(*row[:2], row[2] / 37) for row in ROWS * 3], 12),
    ("y_true,y_pred,n", [(*row[:2], -5) for row in ROWS], "it holds '?-5'?, which is no count"),
    (
        "y_true,y_pred,n",
        [*ROWS, ("cat", "hen", None)],
        "it holds (None|nan|<NA>), which is no count",
    ),
    (
        "text,y_true,y_pred,n",
        [(f"text {i}", *row) for i, row in enumerate(ROWS * 3)],
        "differs from row to row",
    ),
    ("y_true,y_pred,no", [(*row[:2], i) for i, row in enumerate(ROWS * 3, 1)], 12),
    ("y_true,y_pred,score", [(*row[:2], 0.37) for row in ROWS], 4),
    ("y_true,y_pred,id", ROWS, 4),
]


@pytest.mark.parametrize("road", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(("header", "rows", "expected"), EVERY_ROAD)
def test_files_are_read_by_one_rule(
    tmp_path: Path, road: str, header: str, rows: list[Any], expected: int | str
) -> None:
    path = stored(tmp_path / f"p.{road}", columns(header, rows))
    by_one_rule(lambda: count_files(path), expected)


@pytest.mark.parametrize(("header", "rows", "expected"), EVERY_ROAD)
def test_engines_are_asked_by_one_rule(
    frame_constructor: Constructor, header: str, rows: list[Any], expected: int | str
) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table(columns(header, rows))
    by_one_rule(lambda: count_frame(frame_constructor(table)), expected)


def by_one_rule(count: Any, expected: int | str) -> None:
    if isinstance(expected, str):
        with warnings.catch_warnings():
            # Totals among the labels are found last.
            warnings.filterwarnings("ignore", message=NOTE)
            with pytest.raises(cm.InputError, match=expected):
                count()
    elif expected > 36:
        with pytest.warns(cm.ConfmatWarning, match=NOTE):
            assert (found := count()).total == expected
        assert [str(note) for note in found.notes] == [
            f"{expected} items are numbers of the column 'n'"
        ]
    else:
        assert (found := count()).total == expected
        assert not found.notes


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("first", [0, 1])
def test_files_of_which_one_lacks_the_counts_are_refused(
    tmp_path: Path, kind: str, first: int
) -> None:
    for place, width in enumerate((3, 2) if first else (2, 3)):
        header, rows = (
            ("y_true,y_pred", "y_true,y_pred,n")[width - 2],
            [row[:width] for row in ROWS],
        )
        stored(tmp_path / f"{place}.{kind}", columns(header, rows))
    with pytest.raises(cm.InputError, match="'n' is called like counts, but other files hold none"):
        count_files(tmp_path)
    assert count_files(tmp_path, tally="none").total == 8


@pytest.mark.parametrize("kind", ["text", "decimal", "integers of 128 bits"])
@pytest.mark.parametrize("engine", ["pyarrow", "parquet", "duckdb"])
def test_counts_of_any_type(tmp_path: Path, kind: str, engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    many: Any = pa.array([row[2] for row in ROWS], pa.decimal128(38, 0))
    many = many.cast(pa.string()) if kind == "text" else many
    table = pa.table(
        [*(pa.array([row[side] for row in ROWS]) for side in (0, 1)), many],
        ["y_true", "y_pred", "n"],
    )
    frame: Any = table
    if engine == "parquet":
        for suffix in (".parquet", ".arrow"):
            with pytest.warns(cm.ConfmatWarning, match=NOTE):
                assert same(
                    count_files(
                        stored(
                            tmp_path / f"p{suffix}",
                            dict(zip(table.column_names, table.columns, strict=True)),
                        )
                    )
                )
        return
    if engine == "duckdb":
        # Text in a database stays text there.
        wide = "hugeint" if kind.startswith("int") else "decimal(38, 0)"
        frame = (
            pytest.importorskip("duckdb")
            .from_arrow(table)
            .project(f"y_true, y_pred, n::{wide} AS n")
        )
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_frame(frame))


def test_shares_are_weights_where_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    for name in ("freq", "count"):
        path.write_text(text(f"actual,predicted,{name}", [(*row[:2], row[2] / 37) for row in ROWS]))
        with pytest.raises(
            cm.InputError, match=f"it holds '0.32.*', which is no count; .*weights='{name}'"
        ):
            count_files(path)
        assert count_files(path, weights=name).total == pytest.approx(1)
        with pytest.raises(cm.InputError, match="`tally` is a column of whole numbers"):
            count_files(path, tally=name)
        with pytest.raises(cm.InputError, match="give one of them"):
            count_files(path, tally=name, weights=name)


def test_names_of_counts() -> None:
    known = "N Freq. N_obs #count num_items number_of_cases item_count Nombre Cantidad número liczba antal sayı"
    known += " support hits nb freq_abs n_test num no. Nr."
    assert all(
        map(is_count, [*known.split(), "Count of id", "count_star()", "количество", "数量", "건수"])
    )
    other = "c0 _c2 Var3 f0_ x1 column "
    other += "age score id n_tokens word_count year row case confidence length price image y p_cat rank epoch"
    assert not any(map(is_count, other.split()))


# ---- the command line ----------------------------------------------------------------------------


def test_the_command_line_says_it_in_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("click")
    from confmat.cli import main

    (tmp_path / "g.csv").write_text(text("Reference,Prediction,Freq"))
    (tmp_path / "own.csv").write_text(text("actual,predicted,count"))

    def run(name: str, *more: str) -> tuple[Any, str]:
        with pytest.raises(SystemExit):
            main(["count", str(tmp_path / name), "-f", "json", *more])
        found = capfd.readouterr()
        return cm.io.from_json(found.out).total, found.err

    note = (
        "no two rows agree in all other columns, so 'Freq' is read as counts; --tally Freq "
        "says so without this note, "
    )
    assert run("g.csv") == (37, f"confmat: {note}--tally none counts each row as one item\n")
    assert run("g.csv", "-q") == run("g.csv", "--tally", "Freq") == run("own.csv") == (37, "")
    assert run("g.csv", "--tally", "none") == run("own.csv", "--tally", "none") == (4, "")

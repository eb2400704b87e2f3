"""Tables of counts: recognized from every format and engine, said in a line, and never seen in single items."""

from __future__ import annotations

import gzip
import io
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.io import count_files, count_frame
from confmat.io.queries import Asked
from confmat.io.tallies import is_count, reading
from tests.io.conftest import READERS, Constructor, use_reader

CELLS = {("cat", "cat"): 12, ("cat", "dog"): 3, ("dog", "cat"): 2, ("dog", "dog"): 20}
M = cm.ConfusionMatrix.from_pairs(CELLS, ["cat", "dog"])
ROWS = [(*pair, many) for pair, many in CELLS.items()]
HEADERS = [
    "Actual,Predicted,count",
    "actual,predicted,n",
    "actual,predicted,weight",
    "label,prediction,count",
    "Reference,Prediction,Freq",
    "Actual,Predicted,nPredictions",
    "y_true,y_pred,COUNT(*)",
    "y_true,y_pred,0",
    "obs,pred,n",
    "truth,estimate,Anzahl",
    "y,yhat,Häufigkeit",
    "y,yhat,pixel_count",
    "y,yhat,件数",
    "y,yhat,Number of Records",
]
NOTE = "no pair comes twice, so .* is read as counts"


def text(header: str, rows: list[Any] = ROWS, between: str = ",") -> str:
    lines = [header.split(","), *rows]
    return "".join(between.join(map(str, line)) + "\n" for line in lines)


def same(found: Any) -> bool:
    """Whether a matrix is M, of 37 items and not of four weights."""
    return bool(found == M and cm.interval(found, "f1.macro") == cm.interval(M, "f1.macro"))


# ---- files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", HEADERS)
def test_tables_of_counts_are_recognized_and_said(tmp_path: Path, header: str) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text(header), encoding="utf-8")
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_files(path))
    assert same(count_files(path, tally=header.split(",")[2]))
    assert count_files(path, tally="none").total == 4


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.csv.gz", "p.jsonl", "p.parquet", "p.arrow"])
def test_every_format_holds_tables_of_counts(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path, header = tmp_path / name, "label,prediction,n"
    if name.endswith("gz"):
        path.write_bytes(gzip.compress(text(header).encode()))
    elif name.endswith("jsonl"):
        path.write_text("".join(json.dumps(dict(zip(header.split(","), row, strict=True))) + "\n" for row in ROWS))
    elif name.endswith("sv"):
        path.write_text(text(header, between="," if name.endswith("csv") else "\t"))
    else:
        pa = pytest.importorskip("pyarrow")
        table = pa.table([pa.array(list(column)) for column in zip(*ROWS, strict=True)], header.split(","))
        if name.endswith("parquet"):
            pytest.importorskip("pyarrow.parquet").write_table(table, path)
        else:
            pytest.importorskip("pyarrow.feather").write_feather(table, str(path))
    for reader in READERS:
        use_reader(reader, monkeypatch)
        with pytest.warns(cm.ConfmatWarning, match=NOTE):
            assert same(count_files(path))
        with pytest.warns(cm.ConfmatWarning, match=NOTE), pytest.warns(cm.ConfmatWarning, match="more than once"):
            assert count_files([path, path]) == M + M


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
        assert count_files(io.BytesIO(text("y_true,y_pred,n", rows).encode()), format="csv").total == 80_000
    again = text("id,y_true,y_pred", [(1, *row[:2]) for row in rows])
    assert count_files(io.BytesIO(again.encode()), format="csv").total == 40_000


def test_no_more_rows_are_looked_at_than_there_may_be_pairs() -> None:
    probe = Asked("y", "p", "n", None, {}, tally=True)
    endless = ([(f"class {i}", f"class {i}", 1)] for i in itertools.count())
    assert reading(endless, probe, 100) == "counts"


# ---- frames ------------------------------------------------------------------------------------------------


def test_frames_of_every_engine(frame_constructor: Constructor) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = [pa.array(list(column)) for column in zip(*ROWS, strict=True)]
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_frame(frame_constructor(pa.table(columns, ["label", "prediction", "count"]))))
    table = pa.table([*columns, pa.array(list("aabb"))], ["label", "prediction", "n", "site"])
    assert same(count_frame(frame_constructor(table), tally="n", by="site").sum())
    twice = pa.concat_tables([pa.table([*columns, pa.array(range(4))], ["label", "prediction", "n", "id"])] * 2)
    assert count_frame(frame_constructor(twice)).total == 8


def test_sizes_of_a_group_by() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"y_true": list("aaab"), "y_pred": list("aaba")})
    for table in (frame.value_counts().reset_index(), frame.groupby(["y_true", "y_pred"]).size().reset_index()):
        with pytest.warns(cm.ConfmatWarning, match=NOTE):
            assert count_frame(table) == cm.count(frame.y_true, frame.y_pred)


# ---- what is no table of counts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("y_true,y_pred,id", ROWS),
        # They number the rows.
        ("y_true,y_pred,n", [(*row[:2], i) for i, row in enumerate(ROWS)]),
        ("y_true,y_pred,n", [(*row[:2], i) for i, row in enumerate(ROWS * 9, 1)]),
        # Something beside it differs from row to row, and pairs come twice.
        ("id,y_true,y_pred,n", [(i, *row) for i, row in enumerate(ROWS * 9)]),
        ("id,sex,age,y_true,y_pred,n", [(i, i % 2, 7 * i % 31, *row) for i, row in enumerate(ROWS * 9)]),
        # Pairs come twice beside a group.
        ("fold,y_true,y_pred,n", [(i % 2, *row) for i, row in enumerate(ROWS * 9)]),
        # No numbers of items.
        ("y_true,y_pred,n", [(*row[:2], "x") for row in ROWS]),
        ("y_true,y_pred,n", [(*row[:2], "") for row in ROWS]),
        ("y_true,y_pred,n", [(*row[:2], "True") for row in ROWS]),
        # Free answers, each another one.
        ("label,response,n", [("yes", f"Yes for the {i}th time", i) for i in range(9)]),
    ],
)
def test_single_items_are_no_table_of_counts(tmp_path: Path, header: str, rows: list[Any]) -> None:
    (tmp_path / "p.csv").write_text(text(header, rows))
    sides: Any = {"actual": "label", "predicted": "response"} if "response" in header else {}
    assert count_files(tmp_path / "p.csv", **sides).total == len(rows)


@pytest.mark.parametrize("name", ["age", "score", "n_tokens", "copies"])
def test_numbers_of_another_name_are_said_where_no_pair_comes_twice(tmp_path: Path, name: str) -> None:
    (tmp_path / "p.csv").write_text(text(f"y_true,y_pred,{name}"))
    with pytest.warns(cm.ConfmatWarning, match=f"but each row is counted as one item; tally='none' .*tally='{name}'"):
        assert count_files(tmp_path / "p.csv").total == 4
    assert count_files(tmp_path / "p.csv", tally="none").total == 4
    (tmp_path / "p.csv").write_text(text(f"y_true,y_pred,{name}", ROWS * 2))
    assert count_files(tmp_path / "p.csv").total == 8


@pytest.mark.parametrize(
    ("header", "rows", "reason"),
    [
        *(
            ("y_true,y_pred,n", [*ROWS[:3], (*ROWS[3][:2], bad)], f"it holds {shown}, which is no count; say tally='n'")
            for bad, shown in [
                ("", "None"),
                ("NA", "'NA'"),
                (-20, "'-20'"),
                ("20 items", "'20 items'"),
                ("1 290", "'1 290'"),
            ]
        ),
        ("y_true,y_pred,n", [(*row[:2], -1) for row in ROWS], "it holds '-1', which is no count"),
        ("site,y_true,y_pred,n", [*(("a", *row) for row in ROWS), ("b", "cat", "cat", "?")], "it holds '[?]'"),
        ("y_true,y_pred,n,count", [(*row, 1) for row in ROWS], "but so is 'count'"),
        ("y_true,y_pred,n_train,n_test", [(*row, 9) for row in ROWS], "but so is 'n_test'"),
        ("file,y_true,y_pred,n", [(f"{i}.png", *row) for i, row in enumerate(ROWS)], "differs from row to row"),
        ("y_true,y_pred,percent", ROWS, "'percent' is called like shares; say weights='percent'"),
        ("y_true,y_pred,area_ha", ROWS, "'area_ha' is called like shares; say weights='area_ha'"),
    ],
)
def test_doubtful_counts_are_refused_with_both_ways_out(
    tmp_path: Path, header: str, rows: list[Any], reason: str
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text(header, rows, ";"))
    with pytest.raises(cm.InputError, match=f"no pair comes twice, and .*{reason}.* or, to count rows, tally='none'"):
        count_files(path)
    assert count_files(path, tally="none").total == len(rows)
    path.with_suffix(".jsonl").write_text(
        "".join(json.dumps(dict(zip(header.split(","), row, strict=True))) + "\n" for row in rows)
    )
    with pytest.raises(cm.InputError, match=r"say (tally|weights)='.*' or, to count rows, tally='none'"):
        count_files(path.with_suffix(".jsonl"))


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("row,y_true,y_pred,n", [(i, *row) for i, row in enumerate(ROWS, 1)]),
        ("truth_id,y_true,pred_id,y_pred,n", [(row[0][0], row[0], row[1][0], *row[1:]) for row in ROWS]),
        ("site,fold,y_true,y_pred,n", [("a", i % 2, *row) for i, row in enumerate(ROWS)]),
        ("y_true,y_pred,share,n", [(*row[:2], 0.25, row[2]) for row in ROWS]),
        ("y_true,y_pred,correct,n", [(*row[:2], row[0] == row[1], row[2]) for row in ROWS]),
    ],
)
def test_other_columns_hide_no_counts(tmp_path: Path, header: str, rows: list[Any]) -> None:
    (tmp_path / "p.csv").write_text(text(header, rows))
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_files(tmp_path / "p.csv"))
    folds = [("b" if "site" in header else 9, *row[1:]) for row in rows] if header.startswith("site") else []
    (tmp_path / "p.csv").write_text(text(header, [*rows, *folds]))
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert count_files(tmp_path / "p.csv").total == 37 * (1 + bool(folds))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("first", [0, 1])
def test_files_of_which_one_lacks_the_counts_are_refused(tmp_path: Path, kind: str, first: int) -> None:
    for place, width in enumerate((3, 2) if first else (2, 3)):
        names, rows = ["y_true", "y_pred", "n"][:width], [row[:width] for row in ROWS]
        path = tmp_path / f"{place}.{kind}"
        if kind == "csv":
            path.write_text(text(",".join(names), rows))
        elif kind == "jsonl":
            path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
        else:
            pa = pytest.importorskip("pyarrow")
            columns = [pa.array(list(column)) for column in zip(*rows, strict=True)]
            pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns, names), path)
    with pytest.raises(cm.InputError, match="'n' is called like counts, but other files have no such column"):
        count_files(tmp_path)
    assert count_files(tmp_path, tally="none").total == 8


@pytest.mark.parametrize("kind", ["text", "decimal", "integers of 128 bits"])
@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "parquet", "duckdb"])
def test_counts_of_any_type(tmp_path: Path, kind: str, engine: str) -> None:
    pa = pytest.importorskip("pyarrow")
    many: Any = pa.array([row[2] for row in ROWS], pa.decimal128(38, 0))
    many = many.cast(pa.string()) if kind == "text" else many
    table = pa.table([*(pa.array([row[side] for row in ROWS]) for side in (0, 1)), many], ["y_true", "y_pred", "n"])
    frame: Any = table
    if engine == "parquet":
        pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "p.parquet")
        pytest.importorskip("pyarrow.feather").write_feather(table, str(tmp_path / "p.arrow"))
        for suffix in (".parquet", ".arrow"):
            with pytest.warns(cm.ConfmatWarning, match=NOTE):
                assert same(count_files(tmp_path / f"p{suffix}"))
        return
    if engine == "duckdb":
        # Text in a database stays text there.
        wide = "hugeint" if kind.startswith("int") else "decimal(38, 0)"
        frame = pytest.importorskip("duckdb").from_arrow(table).project(f"y_true, y_pred, n::{wide} AS n")
    elif engine == "polars":
        pl = pytest.importorskip("polars")
        frame = pl.from_arrow(table)
        frame = frame.cast({"n": pl.Int128}) if kind.startswith("int") else frame
    elif engine == "pandas":
        frame = table.to_pandas()
    with pytest.warns(cm.ConfmatWarning, match=NOTE):
        assert same(count_frame(frame))


@pytest.mark.parametrize(
    "sums",
    [[("Total", "Total", 37)], [("cat", "Sum", 15), ("dog", "Sum", 22)], [("All", "cat", 14), ("All", "dog", 23)]],
)
def test_sums_in_tables_of_counts_are_refused(tmp_path: Path, sums: list[Any]) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text("actual,predicted,count", [*ROWS, *sums]))
    choices: list[Any] = [{}, {"tally": "count"}, None]
    for options in choices:
        with pytest.raises(cm.InputError, match="is a total of other lines, and no pair of classes; leave it out"):
            cm.load(path) if options is None else count_files(path, **options)
    pa = pytest.importorskip("pyarrow")
    table = pa.table([pa.array(list(one)) for one in zip(*ROWS, *sums, strict=True)], ["actual", "predicted", "count"])
    with pytest.raises(cm.InputError, match="is a total of other lines"):
        count_frame(table)
    # A class may be called so.
    path.write_text(text("actual,predicted,count", [*ROWS, ("Total", "Total", 5)]))
    assert count_files(path).total == 42


def test_pairs_that_come_twice_are_single_items_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(text("y_true,y_pred,n", ROWS * 2))
    with pytest.warns(cm.ConfmatWarning, match="pairs come twice, so each row is counted as one item; tally='none'"):
        assert count_files(tmp_path / "p.csv").total == 8
    assert count_files(tmp_path / "p.csv", tally="n") == M + M


def test_fractions_are_refused_with_both_ways_out(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text("y_true,y_pred,freq", [(*row[:2], row[2] / 37) for row in ROWS]))
    with pytest.raises(cm.InputError, match="say weights='freq' or, to count rows, tally='none'") as caught:
        count_files(path)
    assert [str(one) for one in caught.value.remedy] == ["weights='freq'", "tally='none'"]
    assert count_files(path, weights="freq").is_weighted
    with pytest.raises(cm.InputError, match="`tally` is a column of whole numbers"):
        count_files(path, tally="freq")
    with pytest.raises(cm.InputError, match="give one of them"):
        count_files(path, tally="freq", weights="freq")
    # The sums of weights that confmat writes are weights.
    path.write_text(text("actual,predicted,count", [(*row[:2], row[2] / 37) for row in ROWS]))
    with pytest.warns(cm.ConfmatWarning, match="'count' is read as weights; weights='count' says so"):
        assert count_files(path).total == pytest.approx(1)


def test_names_of_counts() -> None:
    known = "N Freq. N_obs #count num_items number_of_cases item_count Nombre Cantidad número liczba antal sayı"
    known += " support hits nb freq_abs n_test _c2 Var3 f0_"
    assert all(map(is_count, [*known.split(), "Count of id", "count_star()", "количество", "数量", "건수"]))
    other = "age score id n_tokens word_count year row case confidence length price image y p_cat rank epoch"
    assert not any(map(is_count, other.split()))


# ---- the command line --------------------------------------------------------------------------------------


def test_the_command_line_says_it_in_a_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("click")
    from confmat.cli import main

    (tmp_path / "g.csv").write_text(text("Reference,Prediction,Freq"))
    (tmp_path / "own.csv").write_text(text("actual,predicted,count"))

    def run(name: str, *more: str) -> tuple[Any, str]:
        with pytest.raises(SystemExit):
            main(["count", str(tmp_path / name), "-f", "json", *more])
        found = capfd.readouterr()
        return cm.io.from_json(found.out).total, found.err

    note = "no pair comes twice, so 'Freq' is read as counts; --tally Freq says so without this note, "
    assert run("g.csv") == (37, f"confmat: {note}--tally none counts each row as one item\n")
    assert run("g.csv", "-q") == run("g.csv", "--tally", "Freq") == run("own.csv") == (37, "")
    assert run("g.csv", "--tally", "none") == run("own.csv", "--tally", "none") == (4, "")
    # A score stands beside few labels twice.
    (tmp_path / "s.csv").write_text(text("y_true,s,n", [("no", 0.1, 1), ("yes", 0.7, 5), ("no", 0.3, 2)]))
    assert run("s.csv", "--scores", "s", "--positive", "yes") == (3, "")
    assert run("s.csv", "--scores", "s", "--positive", "yes", "--tally", "n") == (8, "")


@pytest.mark.parametrize("heads", ["num", "number", "nr", "no", "train_count,test_count", "old_n,new_n"])
def test_a_column_that_may_hold_counts_is_said(tmp_path: Path, heads: str) -> None:
    path = tmp_path / "t.csv"
    more = ",7" if "," in heads else ""
    path.write_text(
        f"actual,predicted,{heads}\n" + "".join(f"{row}{more}\n" for row in ("a,a,20", "a,b,3", "b,a,2", "b,b,9"))
    )
    with pytest.warns(cm.ConfmatWarning, match="each row is counted as one item"):
        assert cm.count_files(path).total == 4


@pytest.mark.parametrize("more", ["Total,,37\n", "a,,23\nb,,14\n,,37\n"])
def test_lines_of_totals_with_blanks_are_no_classes(tmp_path: Path, more: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text("actual,predicted,count\na,a,20\na,b,3\nb,a,2\nb,b,12\n" + more)
    for read in (cm.load, cm.count_files):
        with pytest.raises(cm.ConfmatError):
            read(path)

"""The output of each command in every format, and its answers to mistakes."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

import confmat as cm
from confmat.cli.inputs import _kind_of
from tests.cli.conftest import Counted, Run, Told

Y, P = ["cat", "cat", "hen", "hen", "cat"], ["cat", "hen", "hen", "hen", "cat"]
M = cm.count(Y, P)


# ---- count, show, merge --------------------------------------------------------------------------


def test_count_in_every_format(ok: Told, counted: Counted, folder: Path) -> None:
    assert counted("count preds.csv") == M
    assert cm.io.from_csv(ok("count preds.csv -f csv")) == M
    for form in ("markdown", "latex", "table"):
        assert cm.read_printed(ok(f"count preds.csv -f {form}")) == M, form
    records = [json.loads(line) for line in ok("count preds.csv -f jsonl").splitlines()]
    assert {(one["actual"], one["predicted"]): one["count"] for one in records} == dict(M.pairs())
    for suffix in ("json", "csv", "md", "tex", "txt"):
        assert ok(f"count preds.csv -o out.{suffix}") == ""
        assert cm.load(folder / f"out.{suffix}") == M, suffix
    assert len(list(folder.iterdir())) == 6


def test_options_reach_the_count(counted: Counted) -> None:
    found = counted("count preds.csv --weight w")
    assert found == cm.count(Y, P, weights=[1, 2, 3, 1, 1])
    found = counted("count preds.csv -a y_pred -p y_true")
    assert found == M.T
    found = counted("count preds.csv -l hen,cat --positive hen")
    assert found.labels == cm.Labels(["hen", "cat"], positive="hen")
    found = counted("count preds.csv --missing-value hen --missing collect")
    assert found == cm.count(
        [x if x == "cat" else None for x in Y],
        [x if x == "cat" else None for x in P],
        missing="collect",
    )
    stack = counted("count preds.csv --by site")
    assert stack == cm.count_files("preds.csv", by="site")


def test_labels_from_a_file(ok: Told, no: Told, folder: Path) -> None:
    (folder / "labels.txt").write_text("hen\ncat\n")
    assert ok("count preds.csv -f csv -l @labels.txt").splitlines()[0].endswith(",hen,cat")
    assert "nothing.txt: there is no such file" in no("count preds.csv -l @nothing.txt")


def test_labels_that_are_typed_become_what_the_file_holds(counted: Counted) -> None:
    text = '{"y": 1, "yhat": 0}\n{"y": 0, "yhat": 0}\n'
    found = counted("count - --labels 1,0 --positive 1", stdin=text)
    assert found == cm.count([1, 0], [0, 0], labels=[1, 0], positive=1)
    found = counted("count - --labels 01,1", stdin="y,yhat\n01,1\n")
    assert found == cm.count(["01"], ["1"], labels=["01", "1"])


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_counted_cells_are_read_with_their_counts(ok: Told, folder: Path, suffix: str) -> None:
    files = f"m.{suffix}", f"sites.{suffix}"
    ok("count preds.csv -o", files[0])
    ok("count preds.csv --by site -o", files[1])
    report = ok("report preds.csv")
    for name in files:
        assert ok(f"report {name}") == report
        assert ok("report -", stdin=(folder / name).read_text()) == report
    by = "group" if suffix == "jsonl" else "site"
    assert cm.count_files(files[1]) == M
    assert cm.count_files(files[1], by=by).sum() == M


def test_rates_and_the_commonest_confusions(ok: Told) -> None:
    expected = [
        "actual\\predicted   cat   hen",
        "cat               0.67  0.33",
        "hen               0.00  1.00",
    ]
    assert ok("count preds.csv --normalize actual --digits 2").splitlines() == expected
    assert ok("count preds.csv --normalize all -f csv").splitlines()[1] == "cat,0.4,0.2"
    assert (
        ok("count preds.csv --normalize actual -f markdown").splitlines()[2]
        == "| cat | 0.667 | 0.333 |"
    )
    assert ok("count preds.csv --top 9 -f csv").splitlines()[1:] == [f"cat,hen,1,{1 / 3!r}"]
    assert json.loads(ok("count preds.csv --top 1 -f json"))[0]["count"] == 1
    for by, total in (("actual", 3), ("predicted", 3), ("all", 5)):
        lines = ok(f"count preds.csv --top 1 --normalize {by} -f csv").splitlines()
        assert lines == [f"actual,predicted,count,share of {by}", f"cat,hen,1,{1 / total!r}"]


def test_show_turns_one_format_into_another(counted: Counted, folder: Path) -> None:
    printed = "          Reference\nPrediction cat hen\n       cat   2   0\n       hen   1   2\n"
    (folder / "caret.txt").write_text(printed)
    assert counted("show caret.txt") == M
    assert counted("show -", stdin=printed) == M
    assert counted("show - --labels cat,hen", stdin="[[2, 1], [0, 2]]") == M
    turned = counted("show - --rows predicted", stdin="[[2, 0], [1, 2]]")
    assert (turned.counts == M.counts).all()


def test_merge_adds(ok: Told, no: Told, counted: Counted, folder: Path) -> None:
    for name in ("a.json", "b.csv", "c.json"):
        ok(f"count preds.csv -o {name}")
    cm.save(cm.count(["dog"], ["cat"]), folder / "d.json")
    assert counted("merge a.json b.csv c.json") == M + M + M
    assert counted("merge *.json b.csv") == M + M + M + cm.count(["dog"], ["cat"])
    cm.save(cm.count([1], [1]), folder / "e.json")
    assert no("merge a.json e.json").startswith("e.json: ")
    assert no("merge a.json x*.json") == "x*.json: no file matches this pattern"
    ok("count preds.csv --by site -o s.json")
    found = counted("merge s.json s.json")
    assert found.sum() == M + M
    assert "a.json holds one matrix and the files before it one matrix per group" in no(
        "merge s.json a.json"
    )


@pytest.mark.parametrize("size", [2, 30])
def test_merge_of_many_alike(counted: Counted, folder: Path, size: int) -> None:
    """Matrices with the same labels go a quicker way; one with its own facts, or near the edge, does not."""
    import numpy as np

    rng = np.random.default_rng(size)
    parts = [cm.ConfusionMatrix(rng.integers(0, 10**9, (size, size))) for _ in range(9)]
    parts.insert(3, cm.ConfusionMatrix(np.full((size, size), 2**62 // size**2)))
    parts.insert(4, parts[0].relabel([f"c{i}" for i in range(size)]).relabel(list(range(size))))
    parts.insert(6, cm.count([0, 0], [0, None], missing="drop"))
    for number, part in enumerate(parts):
        cm.save(part, folder / f"{number:02}.json")
    found = counted("merge *.json")
    assert found == sum(parts)
    assert found.dropped == 1


# ---- report --------------------------------------------------------------------------------------


def test_report_prints_what_the_function_gives(ok: Told) -> None:
    assert ok("report preds.csv") == f"{cm.summary(M)}\n\n{cm.report(M)}\n"
    chosen = ("--metrics f1,mcc,precision.macro --averages macro,micro --digits 5",)
    expected = cm.report(M, ["f1", "mcc", "precision.macro"], averages=["macro", "micro"], digits=5)
    assert ok("report preds.csv", *chosen) == f"{cm.summary(M)}\n\n{expected}\n"


def test_report_of_groups(ok: Told) -> None:
    by = ("report preds.csv --by site --metrics f1",)
    assert "site = n\n\n" in ok(*by)
    rows = list(csv.reader(io.StringIO(ok(*by, "-f csv"))))
    assert rows[0][:3] == ["site", "row", "name"]
    assert {row[0] for row in rows[1:]} == {"n", "s"}
    data = json.loads(ok(*by, "-f json"))
    assert [one["key"] for one in data["reports"]] == ["n", "s"]
    assert json.loads(ok(*by, "-f jsonl").splitlines()[0])["group"] == "n"


@pytest.mark.parametrize("source", ["preds.csv", "m.json", "-"])
def test_a_gate(run: Run, folder: Path, source: str) -> None:
    cm.save(M, folder / "m.json")
    text = (folder / "preds.csv").read_text()
    # Two hits of cat, one cat taken for a hen, two hits of hen: f1 is 4/5 of both, so the macro
    # mean is 0.8.
    status, out, err = run(
        f"report {source} --fail-under f1.macro=0.8 --fail-under f1[cat]=0.79", stdin=text
    )
    assert (status, err) == (0, "")
    assert out == f"{cm.summary(M)}\n\n{cm.report(M)}\n"
    status, _, err = run(
        f"report {source} --fail-under F1.Macro=0.9 --fail-under accuracy=0.5", stdin=text
    )
    assert (status, err) == (1, "confmat: f1.macro = 0.8 falls short of 0.9 by 0.1\n")


def test_a_gate_for_every_group_and_for_what_has_no_value(run: Run) -> None:
    status, _, err = run("report preds.csv --by site --fail-under recall[cat]=0.5")
    assert status == 1
    assert (
        err
        == "confmat: recall[cat] is undefined where site is s, so it is not at least 0.5: the class never occurs\n"
    )


def test_a_gate_that_cannot_be_asked(no: Told) -> None:
    said = "--fail-under recall: recall has a value per class, and one number is wanted: say "
    assert f"{said}'recall.macro', 'recall[cat]' or 'recall[hen]'" in no(
        "report preds.csv --fail-under recall=0.5"
    )
    three = ("report preds.csv -l hen,cat,dog --fail-under recall=0.5",)
    assert f"{said}'recall.macro' or 'recall[hen]'" in no(*three)
    assert "is not written like f1.macro=0.9" in no("report preds.csv --fail-under recall")
    assert "did you mean 'recall'" in no("report preds.csv --fail-under recal.macro=1")


def test_a_gate_of_a_class_score_is_for_the_positive_class(run: Run, ok: Told, no: Told) -> None:
    ok("count preds.csv --positive hen -o m.json -q")
    for rows in ("preds.csv --positive hen", "m.json"):
        # Two of the three that were said to be hens are.
        assert run("report", rows, "--fail-under precision=0.66 --fail-over fdr=0.34")[0] == 0
        status, _, err = run("report", rows, "--fail-under precision=0.7")
        assert (status, err) == (
            1,
            "confmat: precision[hen] = 0.666667 falls short of 0.7 by 0.0333\n",
        )
    ok("count preds.csv -o none.json -q")
    assert "say 'recall.macro', 'recall[cat]' or 'recall[hen]'" in no(
        "report none.json --fail-under recall=0.5"
    )


def test_a_gate_of_zeros_and_ones_is_for_the_ones(run: Run, folder: Path) -> None:
    (folder / "bits.csv").write_text("actual,predicted\n1,1\n1,0\n0,0\n")
    for name in ("bits.csv",):
        status, _, err = run(f"report {name} --fail-under recall=0.7")
        assert (status, err) == (1, "confmat: recall[1] = 0.5 falls short of 0.7 by 0.2\n")
        assert float(cm.interval(cm.count_files(name), "recall")) == 0.5  # type: ignore[arg-type]


def test_a_gate_from_above(run: Run) -> None:
    # One of five is wrong.
    assert run("report preds.csv --fail-over error_rate=0.2")[0] == 0
    bars = ("--fail-over error_rate=0.1 --fail-under accuracy=0.7",)
    status, _, err = run("report preds.csv", *bars)
    assert (status, err) == (1, "confmat: error_rate = 0.2 exceeds 0.1 by 0.1\n")
    status, _, err = run("report preds.csv --by site --fail-over fnr[cat]=0.5")
    assert status == 1
    assert "is undefined where site is s, so it is not at most 0.5" in err


@pytest.mark.parametrize(
    ("bar", "said"),
    [
        # A gate on the wrong side would let bad models pass, and stop good ones.
        (
            "--fail-under error_rate=0.1",
            "of error_rate, lower is better; say --fail-over error_rate=...",
        ),
        ("--fail-over f1.macro=0.9", "of f1, higher is better; say --fail-under f1.macro=..."),
        ("--fail-over fpr=0.1", "say 'fpr.macro', 'fpr[cat]' or 'fpr[hen]'"),
        ("--fail-under accuracy=nan", "is not written like f1.macro=0.9"),
    ],
)
def test_a_bar_that_cannot_be_meant(no: Told, bar: str, said: str) -> None:
    assert said in no(f"report preds.csv {bar}")


@pytest.mark.parametrize(
    "name", ["sklearn:homogeneity_completeness_v_measure", "sklearn:pair_confusion_matrix"]
)
def test_a_gate_on_what_is_no_number(run: Run, name: str) -> None:
    status, _, err = run(f"report preds.csv --fail-under {name}=0.9")
    assert status == 2
    assert err.startswith(f"confmat: --fail-under {name}: that is no number but ")


def test_who_asks_for_what_is_elsewhere_is_sent_there(no: Told) -> None:
    assert "pages are written by confmat html" in no("report preds.csv -o report.html")
    assert no("explain zebra") == "there is no metric 'zebra'; confmat metrics lists what there is"


# ---- standard input ------------------------------------------------------------------------------


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "matrix"])
def test_standard_input_is_recognized(ok: Told, folder: Path, kind: str, explicit: bool) -> None:
    text = (folder / "preds.csv").read_text()
    if kind == "tsv":
        text = text.replace(",", "\t")
    elif kind == "jsonl":
        text = "".join(json.dumps({"y": y, "yhat": p}) + "\n" for y, p in zip(Y, P, strict=True))
    elif kind == "matrix":
        text = cm.io.to_json(M)
    arguments = ("count - -f json", *(("--input", kind) if explicit else ()))
    assert cm.io.from_json(ok(*arguments, stdin=text)) == M
    assert cm.io.from_json(ok(*arguments, stdin="\ufeff" + text)) == M


def test_other_matrices_on_standard_input(counted: Counted) -> None:
    for text in (M.to_csv(), M.table("long").to_csv(), json.dumps(json.loads(cm.io.to_json(M)))):
        assert counted("count -", stdin=text) == M


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "standard input is empty"),
        (b"y,yhat\na\n", "standard input, line 2: 1 field where the header has 2"),
        (b'{"y": 1}\n{', "standard input: no column has a usual name"),
        (b"PAR1\0\0", "standard input is a Parquet or Arrow file"),
    ],
)
def test_broken_standard_input(no: Told, text: bytes, message: str) -> None:
    assert no("count -", stdin=text).startswith(message)


def test_every_prints_the_matrix_so_far(ok: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    from confmat.io import records as blocks

    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 16)
    out = ok("count - --every 0s", stdin="y,yhat\n" + "a,b\n" * 50_000)
    assert out.count("predicted") > 2
    assert out.endswith(f"{cm.count(['a'] * 50_000, ['b'] * 50_000)}\n")
    assert ok("report - --every 0s", stdin="y,yhat\n" + "a,b\n" * 50_000).count("f1") > 2


# ---- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("cuont preds.csv", "there is no command 'cuont'; did you mean 'count'?"),
        ("count", "Missing argument 'FILES...'."),
        (
            "count pred.csv",
            "pred.csv: there is no such file to read rows from; did you mean 'preds.csv'?",
        ),
        ("count preds.csv --missing dorp", "did you mean 'drop'?"),
        (
            "count preds.csv --labls w",
            "there is no option --labls; did you mean --labels?",
        ),
        ("report preds.csv --clusters w", "there is no option --clusters; say --by COLUMN with"),
        ("count preds.csv --weight W", "there is no column 'W' for --weight"),
        (
            "count preds.csv -o x.xls",
            "x.xls: the suffix does not say which format is wanted",
        ),
        ("count preds.csv --every often", "is no time such as 10s"),
        ("count preds.csv --rows predicted", "these files hold one pair per row"),
        ("count m.json preds.csv", "m.json is a stored matrix and preds.csv holds rows"),
        ("count m.json --by site", "--by is not read here: m.json is a stored matrix"),
        ("count m.json -", "standard input, -, is read alone"),
        (
            "report preds.csv -m f1,recal",
            "there is no metric 'recal'; did you mean 'recall'",
        ),
        ("metrics nosuchword", "no metric has 'nosuchword'"),
        ("show nothing.json", "nothing.json: there is no such file to read a matrix from"),
    ],
)
def test_mistakes(no: Told, folder: Path, arguments: str, message: str) -> None:
    if "m.json" in arguments:
        cm.save(M, folder / "m.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert message in no(arguments)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_output_stays_as_it_was_when_the_input_breaks(no: Told, folder: Path) -> None:
    (folder / "out.json").write_text("as it was")
    (folder / "broken.csv").write_text("y,yhat\na,b\nc\n")
    assert (
        no("count broken.csv -o out.json") == "broken.csv, line 3: 1 field where the header has 2"
    )
    assert (folder / "out.json").read_text() == "as it was"
    assert len(list(folder.iterdir())) == 3


# ---- the rest ------------------------------------------------------------------------------------


def test_metrics_and_explain(ok: Told) -> None:
    lines = ok("metrics").splitlines()
    assert lines[0].split() == ["name", "of", "better", "summary"]
    # Those in the end are of a hierarchy.
    of_hierarchies = 5
    assert len(lines) == 1 + len(cm.catalog()) + len(cm.metrics.factories()) + of_hierarchies
    names = {one["name"] for one in json.loads(ok("metrics -f json"))}
    assert names >= set(cm.catalog())
    assert [line.split()[0] for line in ok("metrics gorodkin").splitlines()[1:]] == ["mcc"]
    assert ok("metrics gorodkin -f csv").startswith("name,of,better,summary\nmcc,")
    assert ok("metrics gorodkin -f markdown").startswith("| name | of |")
    assert ok("explain sensitivity").startswith("recall: Recall\n\n")
    assert "--hierarchy FILE" in ok("explain hierarchical_f1")


def test_names_that_are_given_one_by_one_add_up(ok: Told) -> None:
    both = ok("report preds.csv -m f1,mcc --averages macro,micro")
    assert (
        ok(
            "report preds.csv -m f1 -m mcc --averages macro --averages micro",
        )
        == both
    )
    assert ok("count preds.csv -l hen -l cat") == ok("count preds.csv -l hen,cat")


def test_settings_of_a_project_are_refused_since_they_are_not_read(
    ok: Told, no: Told, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    ok("count preds.csv")
    (folder / "pyproject.toml").write_text('[tool.confmat.report]\nfail-under = ["f1.macro=0.9"]\n')
    (folder / "deeper").mkdir()
    monkeypatch.chdir(folder / "deeper")
    message = no("report ../preds.csv")
    assert message.endswith(
        "pyproject.toml: [tool.confmat] is not read; give its settings as options"
    )
    assert ok("--version")


def test_version_and_help(ok: Told) -> None:
    assert ok("--version").startswith(f"confmat {cm.__version__} (kernel: {cm.kernel_name()}, ")
    assert ok() == ok("--help")
    for command in ("count", "report", "merge", "show", "metrics", "explain", "completion"):
        text = ok(f"{command} --help")
        assert "Examples:" in text, command
        assert f"confmat {command}" in text


def test_labels_and_names_that_mean_harm_are_harmless_everywhere(
    ok: Told, no: Told, folder: Path
) -> None:
    evil = ["=cmd|' /C calc'!A0", "\x1b[2J\x07", "a\u202eb", "+1", "@x", "<b>|\\x", "%\n"]
    with (folder / "evil\x1b[2J.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [["y\x1b[1m", "yhat\x1b[1m", "g"], *([one, one, one] for one in evil)]
        )
    columns = ("evil\x1b[2J.csv -a y\x1b[1m -p yhat\x1b[1m",)
    for command in ("count", "report"):
        for form in ("table", "json", "jsonl", "csv", "markdown", "latex"):
            for by in ((), ("--by g",)):
                out = ok(command, *columns, *by, f"-f {form}")
                # In CSV a label is data, kept as it is and quoted; elsewhere nothing reaches the
                # terminal.
                if form != "csv":
                    assert out.replace("\n", "").isprintable(), (command, form)
                else:
                    cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
                    assert not [cell for cell in cells if cell[:1] in {"=", "+", "@"}], (
                        command,
                        form,
                    )
    message = no("count evil\x1b[2J.csv -a z\x1b[1m -p y")
    assert message.isprintable()
    assert no("count no\x1b[2J.csv").isprintable()


@pytest.mark.parametrize("command", ["count", "report", "merge", "show"])
def test_no_input_is_overwritten(no: Told, folder: Path, command: str) -> None:
    rows = command in {"count", "report"}
    name = "preds.csv" if rows else "m.csv"
    cm.save(M, folder / "m.csv")
    before = (folder / name).read_text()
    (folder / "link.csv").symlink_to(name)
    for output in (name, f"./{name}", "link.csv"):
        message = no(f"{command} {name} -o {output}")
        assert message == f"{output} is an input and would be overwritten; write to another file"
    assert (folder / name).read_text() == before
    if command == "merge":
        assert "m.csv is an input" in no("merge m*.csv -o m.csv")


def test_a_packed_stream_is_refused() -> None:
    with pytest.raises(cm.InputError, match="unpack it on the way"):
        _kind_of(gzip.compress(b"y,yhat\na,b\n"), None)


@pytest.mark.parametrize("exists", [False, True])
def test_no_checkpoint_in_use_is_overwritten(
    ok: Told, no: Told, folder: Path, exists: bool
) -> None:
    if exists:
        ok("count preds.csv --resume x.json")
    message = no("count preds.csv --resume x.json -o ./x.json")
    assert message == "./x.json is an input and would be overwritten; write to another file"


def test_an_interrupted_count_says_that_it_can_go_on(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("confmat.io.counting.Counting._one_by_one", interrupt)
    status, _, err = run("count preds.csv --resume x.checkpoint")
    assert (status, err) == (130, "confmat: interrupted; the same command goes on where it was\n")


@pytest.mark.parametrize("files", ["day", ".", "day/*.csv", "d*/p*"])
def test_no_file_of_a_folder_or_a_pattern_is_overwritten(
    ok: Told, no: Told, folder: Path, files: str
) -> None:
    (folder / "day").mkdir()
    (folder / "preds.csv").rename(folder / "day" / "preds.csv")
    before = (folder / "day" / "preds.csv").read_bytes()
    for command in ("count", "report", "html"):
        message = no(f"{command} {files} -o day/../day/preds.csv")
        assert (
            message
            == "day/../day/preds.csv is an input and would be overwritten; write to another file"
        )
    assert (folder / "day" / "preds.csv").read_bytes() == before
    # A file that is not read there may be written, and written anew.
    for _ in range(2):
        ok("count day -o day/m.json -q")


def test_what_was_decided_for_the_user_is_said(run: Run, no: Told, folder: Path) -> None:
    (folder / "p.csv").write_text("label,y_true,y_pred\nx,a,b\n")
    status, out, err = run("count p.csv")
    assert (status, out) == (0, f"{cm.count(['a'], ['b'])}\n")
    assert err == (
        "confmat: counted 'y_true' as actual and 'y_pred' as predicted; "
        "'label' fits as well, so say --actual and --predicted if others are meant\n"
    )
    assert "'label' fits as well" in run("report -", stdin="y_true,y_pred,label\na,b,x\n")[2]
    (folder / "p.csv").write_text("label,prediction,y_true,y_pred\nx,x,a,b\n")
    message = (
        "p.csv: --actual could be any of the columns 'label', 'y_true'; say which: --actual label"
    )
    assert no("count p.csv") == message


def test_policies_are_told_as_options(no: Told, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\na,\nb,b\n")
    message = no("count p.csv")
    assert "Say --missing drop to leave such pairs out or --missing collect to count" in message
    message = no("count p.csv --missing drop --labels a")
    assert "not among --labels: 'b'" in message
    assert "Name them in --labels, or say --other drop or --other collect" in message
    (folder / "odd.csv").write_text("p,q\na,b\n")
    assert "Say which: --actual COLUMN" in no("count odd.csv")
    assert "without it, the answer goes to standard output" in no("count preds.csv -o -")
    (folder / "x.dat").write_text("y")
    assert "or say it: --input csv" in no("count x.dat")
    assert "than --max-pairs = 1 different" in no("count preds.csv --max-pairs 1")


@pytest.mark.parametrize("command", ["merge", "show"])
def test_rows_are_met_with_the_command_that_counts_them(
    no: Told, folder: Path, command: str
) -> None:
    message = no(f"{command} preds.csv")
    assert message.startswith("preds.csv: row '1', column 'site'")
    assert message.endswith(
        "; if the file holds one pair per row, confmat count preds.csv counts them"
    )
    (folder / "my preds.jsonl").write_text("{}\n")
    hint = "if it holds rows, confmat count 'my preds.jsonl' counts them"
    assert no(command, ["my preds.jsonl"]) == f"my preds.jsonl: this is no stored matrix; {hint}"


def test_scores_are_no_labels(ok: Told, no: Told, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\n1,0.93\n0,0.07\n1,1\n")
    message = no("count p.csv")
    assert message.startswith(
        "the column 'yhat' holds numbers such as '0.07', and the other side none with a fraction"
    )
    assert "name them in --labels" in message
    assert ok("count p.csv -l 0,1,0.07,0.93 -f csv").count("\n") == 5
    with pytest.raises(cm.InputError, match="these are scores and no labels"):
        cm.count_files(folder / "p.csv", actual="yhat", predicted="y")


def test_a_stored_report_has_no_counts(ok: Told, no: Told, folder: Path) -> None:
    ok("report preds.csv -o r.json")
    for command in ("report", "show", "count", "html"):
        assert no(f"{command} r.json").startswith(
            "r.json: this is a report, and no counts can be had from it"
        )


def test_labels_that_are_numbers_stand_in_their_order(ok: Told, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\n10,2\n2,10\n1,01\n")
    (folder / "q.csv").write_text("y,yhat\n3,3\n")
    assert ok("count p.csv -f csv").splitlines()[0].endswith(",01,1,2,10")
    ok("count p.csv -o p.json")
    ok("count q.csv -o q.json")
    assert ok("merge p.json q.json -f csv").splitlines()[0].endswith(",01,1,2,3,10")
    assert ok("merge q.json p.json -f csv") == ok("count p.csv q.csv -f csv")


def test_rows_under_the_name_of_a_text_file_say_how_they_are_read(
    ok: Told, no: Told, folder: Path
) -> None:
    (folder / "rows.txt").write_text("y,yhat\na,b\nb,b\n")
    assert "if the file holds one pair per row, say --input csv" in no("report rows.txt")
    assert "precision" in ok("report rows.txt --input csv")


def test_a_report_of_judged_items_is_corrected_by_those_that_were_checked(
    run: Run, ok: Told, no: Told, folder: Path
) -> None:
    rows = ["judge,model,gold", *["a,a,a", "b,b,b", "a,b,a", "b,a,", "a,a,", "b,b,"] * 20]
    (folder / "judged.csv").write_text("\n".join(rows) + "\n")
    options = "report judged.csv --judge judge --gold gold"
    assert "by the 60 checked of 120 items" in ok(options, "-p model --intervals")
    assert run(options, "-p model --fail-under accuracy=0.99")[0] == 1
    assert "--positive" in no(options)
    assert "--gold" in no("report judged.csv --judge judge")
    assert "and no --by" in no(options, "-p model --by gold")
    assert "no column 'nix' for --judge" in no("report judged.csv -p model --judge nix --gold gold")


def test_options_of_reading_work_with_a_judge(ok: Told, no: Told, folder: Path) -> None:
    said = ["a,Answer: a", "b,B", "a,hm", "b,a", "a,I cannot", "b,Answer: b"]
    rows = ["judge,model,gold", *(f"{row},{gold}" for row in said for gold in [row[0], "NA"] * 20)]
    (folder / "judged.csv").write_text("\n".join(rows) + "\n")
    options = "report judged.csv -q --judge judge --gold gold -p model"
    read = ("--missing-value NA -l a,b --refused", ["I cannot*"], "--other collect")
    assert "(invalid), (refused), outside the classes, are counted as wrong; 66.7%" in ok(
        options, *read
    )
    assert "left out" in ok(options, *read, "--outside exclude")
    assert "'NA', which is no class of the judge or the model; None, or --missing-value" in no(
        options
    )
    assert "'Answer: a'" in no(options, "--missing-value NA -l a,b")
    for option in ("--actual gold", "--weight w", "--scores s", "--every 1s"):
        assert f"{option.split()[0]} does not go with --gold" in no(options, *read, option)
    assert "--threshold is about scores" in no(options, *read, "--threshold 1")


def test_a_report_of_verdicts_is_a_pass_rate(run: Run, ok: Told, folder: Path) -> None:
    (folder / "verdicts.csv").write_text(
        "llm,human\n" + "pass,pass\npass,\nfail,fail\nfail,\n" * 30
    )
    options = "report verdicts.csv --judge llm --gold human"
    assert "pass rate 0.500 [0.415, 0.585] by the judge and 60 checked of 120 items" in ok(options)
    assert run(options, "--fail-under accuracy=0.9")[0] == 1
    assert '"accuracy": 0.5' in ok(options, "-f json")


def test_a_file_that_is_listed_twice_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("y_true,y_pred\na,a\nb,a\n")
    status, out, err = run("report", str(path), str(path), "-f json")
    assert status == 0
    assert "'pairs.csv' counted more than once" in err
    assert "'pairs.csv' counted more than once" in json.loads(out)["notes"]

"""The output of each command in every format, and its answers to mistakes."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

import confmat as cm
from confmat.cli.inputs import _kind_of

Run = Callable[..., tuple[int, str, str]]
Y, P = ["cat", "cat", "hen", "hen", "cat"], ["cat", "hen", "hen", "hen", "cat"]
M = cm.count(Y, P)


def ok(result: tuple[int, str, str]) -> str:
    status, out, err = result
    assert (status, err) == (0, "")
    return out


def no(result: tuple[int, str, str]) -> str:
    """The message of a refusal: one line, perhaps a hint, nothing printed, no traceback."""
    status, out, err = result
    assert (status, out) == (2, ""), err
    first, *rest = err.splitlines()
    assert first.startswith("confmat: ")
    assert all(line.startswith("Try 'confmat ") for line in rest)
    return first.removeprefix("confmat: ")


# ---- count, show, merge --------------------------------------------------------------------------


def test_count_prints_the_matrix(run: Run) -> None:
    assert ok(run("count", "preds.csv")) == f"{M}\n"


def test_count_in_every_format(run: Run, folder: Path) -> None:
    assert cm.io.from_json(ok(run("count", "preds.csv", "-f", "json"))) == M
    assert cm.io.from_csv(ok(run("count", "preds.csv", "-f", "csv"))) == M
    for form in ("markdown", "latex", "table"):
        assert cm.read_printed(ok(run("count", "preds.csv", "-f", form))) == M, form
    records = [
        json.loads(line) for line in ok(run("count", "preds.csv", "-f", "jsonl")).splitlines()
    ]
    assert {(one["actual"], one["predicted"]): one["count"] for one in records} == dict(M.pairs())
    for suffix in ("json", "csv", "md", "tex", "txt"):
        assert ok(run("count", "preds.csv", "-o", f"out.{suffix}")) == ""
        assert cm.load(folder / f"out.{suffix}") == M, suffix
    assert len(list(folder.iterdir())) == 6


def test_options_reach_the_count(run: Run) -> None:
    found = cm.io.from_json(ok(run("count", "preds.csv", "-f", "json", "--weight", "w")))
    assert found == cm.count(Y, P, weights=[1, 2, 3, 1, 1])
    found = cm.io.from_json(
        ok(run("count", "preds.csv", "-f", "json", "-a", "y_pred", "-p", "y_true"))
    )
    assert found == M.T
    found = cm.io.from_json(
        ok(run("count", "preds.csv", "-f", "json", "-l", "hen,cat", "--positive", "hen"))
    )
    assert isinstance(found, cm.ConfusionMatrix)
    assert found.labels == cm.Labels(["hen", "cat"], positive="hen")
    found = cm.io.from_json(
        ok(
            run(
                "count", "preds.csv", "-f", "json", "--missing-value", "hen", "--missing", "collect"
            )
        )
    )
    assert found == cm.count(
        [x if x == "cat" else None for x in Y],
        [x if x == "cat" else None for x in P],
        missing="collect",
    )
    stack = cm.io.from_json(ok(run("count", "preds.csv", "-f", "json", "--by", "site")))
    assert stack == cm.count_files("preds.csv", by="site")


def test_labels_from_a_file(run: Run, folder: Path) -> None:
    (folder / "labels.txt").write_text("hen\ncat\n")
    assert (
        ok(run("count", "preds.csv", "-f", "csv", "-l", "@labels.txt"))
        .splitlines()[0]
        .endswith(",hen,cat")
    )
    assert "nothing.txt: there is no such file" in no(
        run("count", "preds.csv", "-l", "@nothing.txt")
    )


def test_labels_that_are_typed_become_what_the_file_holds(run: Run) -> None:
    text = '{"y": 1, "yhat": 0}\n{"y": 0, "yhat": 0}\n'
    found = cm.io.from_json(
        ok(run("count", "-", "-f", "json", "--labels", "1,0", "--positive", "1", stdin=text))
    )
    assert found == cm.count([1, 0], [0, 0], labels=[1, 0], positive=1)
    text = text.replace("1", "true").replace("0", "false")
    found = cm.io.from_json(ok(run("count", "-", "-f", "json", "--positive", "true", stdin=text)))
    assert found == cm.count([True, False], [False, False], positive=True)
    found = cm.io.from_json(
        ok(run("count", "-", "-f", "json", "--labels", "01,1", stdin="y,yhat\n01,1\n"))
    )
    assert found == cm.count(["01"], ["1"], labels=["01", "1"])


def test_groups_in_every_format(run: Run) -> None:
    by = ("count", "preds.csv", "--by", "site")
    assert ok(run(*by)).startswith("site = n\n\n        predicted\nactual  cat  hen")
    assert ok(run(*by, "-f", "csv")).splitlines()[:2] == [
        "site,actual,predicted,count",
        "n,cat,cat,2",
    ]
    assert "### site = n\n\n| actual" in ok(run(*by, "-f", "markdown"))
    assert ok(run(*by, "-f", "latex")).startswith("% site = n\n")
    assert json.loads(ok(run(*by, "-f", "jsonl")).splitlines()[0])["group"] == "n"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_counted_cells_are_read_with_their_counts(run: Run, folder: Path, suffix: str) -> None:
    files = f"m.{suffix}", f"sites.{suffix}"
    ok(run("count", "preds.csv", "-o", files[0]))
    ok(run("count", "preds.csv", "--by", "site", "-o", files[1]))
    report = ok(run("report", "preds.csv"))
    for name in files:
        assert ok(run("report", name)) == report
        assert ok(run("report", "-", stdin=(folder / name).read_text())) == report
    by = "group" if suffix == "jsonl" else "site"
    assert cm.count_files(files[1]) == M
    assert cm.count_files(files[1], by=by).sum() == M
    # Two columns of counts are a question.
    (folder / "rows.csv").write_text("actual,predicted,n,count\na,a,2,1\na,b,1,5\n")
    with pytest.raises(cm.InputError, match="'n' is called like counts, but so is 'count'"):
        cm.count_files("rows.csv")
    assert cm.count_files("rows.csv", weights="n").total == 3


def test_rates_and_the_commonest_confusions(run: Run) -> None:
    expected = [
        "actual\\predicted   cat   hen",
        "cat               0.67  0.33",
        "hen               0.00  1.00",
    ]
    assert (
        ok(run("count", "preds.csv", "--normalize", "actual", "--digits", "2")).splitlines()
        == expected
    )
    assert (
        ok(run("count", "preds.csv", "--normalize", "all", "-f", "csv")).splitlines()[1]
        == "cat,0.4,0.2"
    )
    assert (
        ok(run("count", "preds.csv", "--normalize", "actual", "-f", "markdown")).splitlines()[2]
        == "| cat | 0.667 | 0.333 |"
    )
    assert ok(run("count", "preds.csv", "--top", "9", "-f", "csv")).splitlines()[1:] == [
        f"cat,hen,1,{1 / 3!r}"
    ]
    assert json.loads(ok(run("count", "preds.csv", "--top", "1", "-f", "json")))[0]["count"] == 1
    for by, total in (("actual", 3), ("predicted", 3), ("all", 5)):
        lines = ok(
            run("count", "preds.csv", "--top", "1", "--normalize", by, "-f", "csv")
        ).splitlines()
        assert lines == [f"actual,predicted,count,share of {by}", f"cat,hen,1,{1 / total!r}"]


def test_rates_and_confusions_as_latex(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\na&b,50%\na&b,a&b\n")
    assert ok(run("count", "p.csv", "--top", "1", "-f", "latex")).splitlines() == [
        r"\begin{tabular}{llrr}",
        r"\toprule",
        r"actual & predicted & count & share of actual \\",
        r"\midrule",
        r"a\&b & 50\% & 1 & 0.500 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert r"a\&b & 0.50 & 0.50 \\" in ok(
        run("count", "p.csv", "--normalize", "actual", "--digits", "2", "-f", "latex")
    )


def test_show_turns_one_format_into_another(run: Run, folder: Path) -> None:
    printed = "          Reference\nPrediction cat hen\n       cat   2   0\n       hen   1   2\n"
    (folder / "caret.txt").write_text(printed)
    assert cm.io.from_json(ok(run("show", "caret.txt", "-f", "json"))) == M
    assert cm.io.from_json(ok(run("show", "-", "-f", "json", stdin=printed))) == M
    assert (
        cm.io.from_json(
            ok(run("show", "-", "-f", "json", "--labels", "cat,hen", stdin="[[2, 1], [0, 2]]"))
        )
        == M
    )
    turned = cm.io.from_json(
        ok(run("show", "-", "-f", "json", "--rows", "predicted", stdin="[[2, 0], [1, 2]]"))
    )
    assert (turned.counts == M.counts).all()


def test_merge_adds(run: Run, folder: Path) -> None:
    for name in ("a.json", "b.csv", "c.json"):
        ok(run("count", "preds.csv", "-o", name))
    cm.save(cm.count(["dog"], ["cat"]), folder / "d.json")
    assert cm.io.from_json(ok(run("merge", "a.json", "b.csv", "c.json", "-f", "json"))) == M + M + M
    assert cm.io.from_json(
        ok(run("merge", "*.json", "b.csv", "-f", "json"))
    ) == M + M + M + cm.count(["dog"], ["cat"])
    cm.save(cm.count([1], [1]), folder / "e.json")
    assert no(run("merge", "a.json", "e.json")).startswith("e.json: ")
    assert no(run("merge", "a.json", "x*.json")) == "x*.json: no file matches this pattern"
    ok(run("count", "preds.csv", "--by", "site", "-o", "s.json"))
    found = cm.io.from_json(ok(run("merge", "s.json", "s.json", "-f", "json")))
    assert isinstance(found, cm.Stack)
    assert found.sum() == M + M
    assert "a.json holds one matrix and the files before it one matrix per group" in no(
        run("merge", "s.json", "a.json")
    )
    ok(run("report", "a.json", "-o", "r.json"))
    assert "this is a report" in no(run("merge", "r.json", "a.json"))


@pytest.mark.parametrize("size", [1, 2, 30])
def test_merge_of_many_alike(run: Run, folder: Path, size: int) -> None:
    """Matrices with the same labels go a quicker way; one with its own facts, or near the edge, does not."""
    import numpy as np

    rng = np.random.default_rng(size)
    parts = [cm.ConfusionMatrix(rng.integers(0, 10**9, (size, size))) for _ in range(9)]
    parts.insert(3, cm.ConfusionMatrix(np.full((size, size), 2**62 // size**2)))
    parts.insert(4, parts[0].relabel([f"c{i}" for i in range(size)]).relabel(list(range(size))))
    parts.insert(6, cm.count([0, 0], [0, None], missing="drop"))
    for number, part in enumerate(parts):
        cm.save(part, folder / f"{number:02}.json")
    found = cm.io.from_json(ok(run("merge", "*.json", "-f", "json")))
    assert isinstance(found, cm.ConfusionMatrix)
    assert found == sum(parts)
    assert found.dropped == 1


# ---- report --------------------------------------------------------------------------------------


def test_report_prints_what_the_function_gives(run: Run) -> None:
    assert ok(run("report", "preds.csv")) == f"{cm.summary(M)}\n\n{cm.report(M)}\n"
    chosen = ("--metrics", "f1,mcc,precision.macro", "--averages", "macro,micro", "--digits", "5")
    expected = cm.report(M, ["f1", "mcc", "precision.macro"], averages=["macro", "micro"], digits=5)
    assert ok(run("report", "preds.csv", *chosen)) == f"{cm.summary(M)}\n\n{expected}\n"


def test_report_in_every_format(run: Run, folder: Path) -> None:
    r = cm.report(M)
    assert ok(run("report", "preds.csv", "-f", "csv")) == r.to_csv()
    assert ok(run("report", "preds.csv", "-f", "markdown")).rstrip() == r.to_markdown().rstrip()
    assert ok(run("report", "preds.csv", "-f", "latex")).rstrip() == r.to_latex().rstrip()
    assert json.loads(ok(run("report", "preds.csv", "-f", "json"))) == json.loads(cm.io.to_json(r))
    records = [
        json.loads(line) for line in ok(run("report", "preds.csv", "-f", "jsonl")).splitlines()
    ]
    assert records[0] == {"row": "class", "name": "cat"} | r.to_dict()["classes"]["cat"]
    assert records[-1]["row"] == "overall"
    ok(run("report", "preds.csv", "-o", "r.md"))
    assert (folder / "r.md").read_text().rstrip() == r.to_markdown().rstrip()


def test_report_of_groups(run: Run) -> None:
    by = ("report", "preds.csv", "--by", "site", "--metrics", "f1")
    assert "site = n\n\n" in ok(run(*by))
    rows = list(csv.reader(io.StringIO(ok(run(*by, "-f", "csv")))))
    assert rows[0][:3] == ["site", "row", "name"]
    assert {row[0] for row in rows[1:]} == {"n", "s"}
    data = json.loads(ok(run(*by, "-f", "json")))
    assert [one["key"] for one in data["reports"]] == ["n", "s"]
    assert json.loads(ok(run(*by, "-f", "jsonl")).splitlines()[0])["group"] == "n"


@pytest.mark.parametrize("source", ["preds.csv", "m.json", "-"])
def test_a_gate(run: Run, folder: Path, source: str) -> None:
    cm.save(M, folder / "m.json")
    text = (folder / "preds.csv").read_text()
    # Two hits of cat, one cat taken for a hen, two hits of hen: f1 is 4/5 of both, so the macro
    # mean is 0.8.
    status, out, err = run(
        "report", source, "--fail-under", "f1.macro=0.8", "--fail-under", "f1[cat]=0.79", stdin=text
    )
    assert (status, err) == (0, "")
    assert out == f"{cm.summary(M)}\n\n{cm.report(M)}\n"
    status, _, err = run(
        "report", source, "--fail-under", "F1.Macro=0.9", "--fail-under", "accuracy=0.5", stdin=text
    )
    assert (status, err) == (1, "confmat: f1.macro = 0.8 falls short of 0.9 by 0.1\n")


def test_a_gate_for_every_group_and_for_what_has_no_value(run: Run) -> None:
    status, _, err = run("report", "preds.csv", "--by", "site", "--fail-under", "recall[cat]=0.5")
    assert status == 1
    assert (
        err
        == "confmat: recall[cat] is undefined where site is s, so it is not at least 0.5: the class never occurs\n"
    )


def test_a_gate_that_cannot_be_asked(run: Run) -> None:
    said = "--fail-under recall: recall has a value per class, and one number is wanted: say "
    assert f"{said}'recall.macro', 'recall[cat]' or 'recall[hen]'" in no(
        run("report", "preds.csv", "--fail-under", "recall=0.5")
    )
    three = ("report", "preds.csv", "-l", "hen,cat,dog", "--fail-under", "recall=0.5")
    assert f"{said}'recall.macro' or 'recall[hen]'" in no(run(*three))
    assert "is not written like f1.macro=0.9" in no(
        run("report", "preds.csv", "--fail-under", "recall")
    )
    assert "did you mean 'recall'" in no(
        run("report", "preds.csv", "--fail-under", "recal.macro=1")
    )


def test_a_gate_of_a_class_score_is_for_the_positive_class(run: Run) -> None:
    ok(run("count", "preds.csv", "--positive", "hen", "-o", "m.json", "-q"))
    for rows in (("preds.csv", "--positive", "hen"), ("m.json",)):
        # Two of the three that were said to be hens are.
        assert (
            run("report", *rows, "--fail-under", "precision=0.66", "--fail-over", "fdr=0.34")[0]
            == 0
        )
        status, _, err = run("report", *rows, "--fail-under", "precision=0.7")
        assert (status, err) == (
            1,
            "confmat: precision[hen] = 0.666667 falls short of 0.7 by 0.0333\n",
        )
    ok(run("count", "preds.csv", "-o", "none.json", "-q"))
    assert "say 'recall.macro', 'recall[cat]' or 'recall[hen]'" in no(
        run("report", "none.json", "--fail-under", "recall=0.5")
    )


def test_a_gate_of_zeros_and_ones_is_for_the_ones(run: Run, folder: Path) -> None:
    rows = [
        {"actual": 1, "predicted": 1},
        {"actual": 1, "predicted": 0},
        {"actual": 0, "predicted": 0},
    ]
    (folder / "bits.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "bits.csv").write_text("actual,predicted\n1,1\n1,0\n0,0\n")
    for name in ("bits.jsonl", "bits.csv"):
        status, _, err = run("report", name, "--fail-under", "recall=0.7")
        assert (status, err) == (1, "confmat: recall[1] = 0.5 falls short of 0.7 by 0.2\n")
        assert float(cm.interval(cm.count_files(name), "recall")) == 0.5  # type: ignore[arg-type]


def test_a_gate_from_above(run: Run) -> None:
    # One of five is wrong.
    assert run("report", "preds.csv", "--fail-over", "error_rate=0.2")[0] == 0
    bars = ("--fail-over", "error_rate=0.1", "--fail-under", "accuracy=0.7")
    status, _, err = run("report", "preds.csv", *bars)
    assert (status, err) == (1, "confmat: error_rate = 0.2 exceeds 0.1 by 0.1\n")
    status, _, err = run("report", "preds.csv", "--by", "site", "--fail-over", "fnr[cat]=0.5")
    assert status == 1
    assert "is undefined where site is s, so it is not at most 0.5" in err


@pytest.mark.parametrize(
    ("option", "bar", "said"),
    [
        # A gate on the wrong side would let bad models pass, and stop good ones.
        (
            "--fail-under",
            "error_rate=0.1",
            "of error_rate, lower is better; say --fail-over error_rate=...",
        ),
        (
            "--fail-under",
            "fpr.macro=0.1",
            "of false_positive_rate, lower is better; say --fail-over fpr.macro=...",
        ),
        ("--fail-under", "sklearn:zero_one_loss=0.9", "of error_rate, lower is better"),
        ("--fail-over", "f1.macro=0.9", "of f1, higher is better; say --fail-under f1.macro=..."),
        ("--fail-over", "fpr=0.1", "say 'fpr.macro', 'fpr[cat]' or 'fpr[hen]'"),
        ("--fail-under", "accuracy=nan", "is not written like f1.macro=0.9"),
        ("--fail-under", "accuracy=inf", "is not written like f1.macro=0.9"),
        ("--fail-under", "=0.9", "is not written like f1.macro=0.9"),
    ],
)
def test_a_bar_that_cannot_be_meant(run: Run, option: str, bar: str, said: str) -> None:
    assert said in no(run("report", "preds.csv", option, bar))


@pytest.mark.parametrize(
    "name", ["sklearn:homogeneity_completeness_v_measure", "sklearn:pair_confusion_matrix"]
)
def test_a_gate_on_what_is_no_number(run: Run, name: str) -> None:
    status, _, err = run("report", "preds.csv", "--fail-under", f"{name}=0.9")
    assert status == 2
    assert err.startswith(f"confmat: --fail-under {name}: that is no number but ")


@pytest.mark.parametrize(
    "option",
    [
        "--labels=hen,cat",
        "--positive=cat",
        "--rows=predicted",
        "--missing=drop",
        "--missing-value=NA",
        "--other=drop",
    ],
)
@pytest.mark.parametrize("source", ["m.json", "-"])
def test_options_that_a_stored_matrix_cannot_follow_are_refused(
    run: Run, folder: Path, source: str, option: str
) -> None:
    cm.save(M, folder / "m.json")
    text = (folder / "m.json").read_text()
    name = option.partition("=")[0]
    said = "m.json" if source == "m.json" else "standard input"
    refused = f"{name} is not read here: {said} is a stored matrix; leave it out"
    assert refused in no(run("report", source, option, stdin=text))
    if name in {"--labels", "--positive", "--rows"}:
        assert refused in no(run("show", source, option, stdin=text))


def test_who_asks_for_what_is_elsewhere_is_sent_there(run: Run) -> None:
    assert "pages are written by confmat html" in no(
        run("report", "preds.csv", "-o", "report.html")
    )
    assert (
        no(run("explain", "zebra"))
        == "there is no metric 'zebra'; confmat metrics lists what there is"
    )


# ---- standard input ------------------------------------------------------------------------------


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "matrix"])
def test_standard_input_is_recognized(run: Run, folder: Path, kind: str, explicit: bool) -> None:
    text = (folder / "preds.csv").read_text()
    if kind == "tsv":
        text = text.replace(",", "\t")
    elif kind == "jsonl":
        text = "".join(json.dumps({"y": y, "yhat": p}) + "\n" for y, p in zip(Y, P, strict=True))
    elif kind == "matrix":
        text = cm.io.to_json(M)
    arguments = ("count", "-", "-f", "json", *(("--input", kind) if explicit else ()))
    assert cm.io.from_json(ok(run(*arguments, stdin=text))) == M
    assert cm.io.from_json(ok(run(*arguments, stdin="\ufeff" + text))) == M


def test_other_matrices_on_standard_input(run: Run) -> None:
    for text in (M.to_csv(), M.table("long").to_csv(), json.dumps(json.loads(cm.io.to_json(M)))):
        assert cm.io.from_json(ok(run("count", "-", "-f", "json", stdin=text))) == M


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "standard input is empty"),
        (b"y,yhat\na\n", "standard input, line 2: 1 field where the header has 2"),
        (b'{"y": 1}\n{', "standard input: no column has a usual name"),
        (b"PAR1\0\0", "standard input is a Parquet or Arrow file"),
        (b"y,yhat\n\xff,b\n", "standard input, line 2: byte 7 (0xff) is no UTF-8"),
        (b'{"format": "confmat.matrix", "version": 99}', "standard input: "),
    ],
)
def test_broken_standard_input(run: Run, text: bytes, message: str) -> None:
    assert no(run("count", "-", stdin=text)).startswith(message)


def test_every_prints_the_matrix_so_far(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from confmat.io import records as blocks

    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 16)
    out = ok(run("count", "-", "--every", "0s", stdin="y,yhat\n" + "a,b\n" * 50_000))
    assert out.count("predicted") > 2
    assert out.endswith(f"{cm.count(['a'] * 50_000, ['b'] * 50_000)}\n")
    assert (
        ok(run("report", "-", "--every", "0s", stdin="y,yhat\n" + "a,b\n" * 50_000)).count("f1") > 2
    )


# ---- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cuont", "preds.csv"), "there is no command 'cuont'; did you mean 'count'?"),
        (("count",), "Missing argument 'FILES...'."),
        (
            ("count", "pred.csv"),
            "pred.csv: there is no such file to read rows from; did you mean 'preds.csv'?",
        ),
        (("count", "preds.csv", "-f", "jsno"), "did you mean 'json'?"),
        (("count", "preds.csv", "--missing", "dorp"), "did you mean 'drop'?"),
        (
            ("count", "preds.csv", "--labls", "w"),
            "there is no option --labls; did you mean --labels?",
        ),
        (("count", "preds.csv", "--weight", "W"), "there is no column 'W' for --weight"),
        (("count", "preds.csv", "-a", "y_tru"), "did you mean 'y_true'?"),
        (
            ("count", "preds.csv", "-o", "x.xls"),
            "x.xls: the suffix does not say which format is wanted",
        ),
        (
            ("count", "preds.csv", "-o", "no/x.json"),
            "no/x.json: there is no folder 'no' to write to",
        ),
        (("count", "preds.csv", "--every", "often"), "is no time such as 10s"),
        (("count", "preds.csv", "--memory", "lots"), "--memory is written like '1GB'"),
        (("count", "preds.csv", "--rows", "predicted"), "these files hold one pair per row"),
        (("count", "m.json", "preds.csv"), "m.json is a stored matrix and preds.csv holds rows"),
        (("count", "m.json", "--by", "site"), "--by is not read here: m.json is a stored matrix"),
        (("count", "m.json", "-"), "standard input, -, is read alone"),
        (
            ("report", "preds.csv", "-m", "f1,recal"),
            "there is no metric 'recal'; did you mean 'recall'",
        ),
        (("report", "preds.csv", "--averages", "marco"), "macro"),
        (("explain", "mmc"), "did you mean"),
        (("metrics", "nosuchword"), "no metric has 'nosuchword'"),
        (("show", "nothing.json"), "nothing.json: there is no such file to read a matrix from"),
    ],
)
def test_mistakes(run: Run, folder: Path, arguments: tuple[str, ...], message: str) -> None:
    if "--memory" in arguments:
        pytest.importorskip("duckdb", reason="DuckDB, whose memory it is, is not installed")
    if "m.json" in arguments:
        cm.save(M, folder / "m.json")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert message in no(run(*arguments))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_output_stays_as_it_was_when_the_input_breaks(run: Run, folder: Path) -> None:
    (folder / "out.json").write_text("as it was")
    (folder / "broken.csv").write_text("y,yhat\na,b\nc\n")
    assert (
        no(run("count", "broken.csv", "-o", "out.json"))
        == "broken.csv, line 3: 1 field where the header has 2"
    )
    assert (folder / "out.json").read_text() == "as it was"
    assert len(list(folder.iterdir())) == 3


# ---- the rest ------------------------------------------------------------------------------------


def test_metrics_and_explain(run: Run) -> None:
    lines = ok(run("metrics")).splitlines()
    assert lines[0].split() == ["name", "of", "better", "summary"]
    # Those in the end are of a hierarchy.
    of_hierarchies = 5
    assert len(lines) == 1 + len(cm.catalog()) + len(cm.metrics.factories()) + of_hierarchies
    names = {one["name"] for one in json.loads(ok(run("metrics", "-f", "json")))}
    assert names >= set(cm.catalog())
    assert [line.split()[0] for line in ok(run("metrics", "gorodkin")).splitlines()[1:]] == ["mcc"]
    assert ok(run("metrics", "gorodkin", "-f", "csv")).startswith("name,of,better,summary\nmcc,")
    assert ok(run("metrics", "gorodkin", "-f", "markdown")).startswith("| name | of |")
    assert ok(run("explain", "sensitivity")).startswith("recall: Recall\n\n")
    for name in ("macro", "f0.5", "f_beta", "pycm:TPR", "recall.macro"):
        assert ok(run("explain", name)).strip(), name


def test_every_metric_can_be_explained(run: Run) -> None:
    out = ok(run("explain", *cm.catalog(), *cm.metrics.factories(), *cm.AVERAGES))
    assert out.isascii() or out.replace("\n", "").isprintable()


def test_names_that_are_given_one_by_one_add_up(run: Run) -> None:
    both = ok(run("report", "preds.csv", "-m", "f1,mcc", "--averages", "macro,micro"))
    assert (
        ok(
            run(
                "report",
                "preds.csv",
                "-m",
                "f1",
                "-m",
                "mcc",
                "--averages",
                "macro",
                "--averages",
                "micro",
            )
        )
        == both
    )
    assert ok(run("count", "preds.csv", "-l", "hen", "-l", "cat")) == ok(
        run("count", "preds.csv", "-l", "hen,cat")
    )


def test_settings_of_a_project_are_refused_since_they_are_not_read(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "pyproject.toml").write_text("[tool.ruff]\nline-length = 120\n")
    ok(run("count", "preds.csv"))
    (folder / "pyproject.toml").write_text('[tool.confmat.report]\nfail-under = ["f1.macro=0.9"]\n')
    (folder / "deeper").mkdir()
    monkeypatch.chdir(folder / "deeper")
    message = no(run("report", "../preds.csv"))
    assert message.endswith(
        "pyproject.toml: [tool.confmat] is not read; give its settings as options"
    )
    assert ok(run("--version"))


def test_version_and_help(run: Run) -> None:
    assert ok(run("--version")).startswith(
        f"confmat {cm.__version__} (kernel: {cm.kernel_name()}, "
    )
    assert ok(run()) == ok(run("--help"))
    for command in ("count", "report", "merge", "show", "metrics", "explain", "completion"):
        text = ok(run(command, "--help"))
        assert "Examples:" in text, command
        assert f"confmat {command}" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run: Run, shell: str) -> None:
    assert "_CONFMAT_COMPLETE" in ok(run("completion", shell))


def test_labels_and_names_that_mean_harm_are_harmless_everywhere(run: Run, folder: Path) -> None:
    evil = ["=cmd|' /C calc'!A0", "\x1b[2J\x07", "a\u202eb", "+1", "@x", "<b>|\\x", "%\n"]
    with (folder / "evil\x1b[2J.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [["y\x1b[1m", "yhat\x1b[1m", "g"], *([one, one, one] for one in evil)]
        )
    columns = ("evil\x1b[2J.csv", "-a", "y\x1b[1m", "-p", "yhat\x1b[1m")
    for command in ("count", "report"):
        for form in ("table", "json", "jsonl", "csv", "markdown", "latex"):
            for by in ((), ("--by", "g")):
                out = ok(run(command, *columns, *by, "-f", form))
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
    message = no(run("count", "evil\x1b[2J.csv", "-a", "z\x1b[1m", "-p", "y"))
    assert message.isprintable()
    assert no(run("count", "no\x1b[2J.csv")).isprintable()


@pytest.mark.parametrize("command", ["count", "report", "merge", "show"])
def test_no_input_is_overwritten(run: Run, folder: Path, command: str) -> None:
    rows = command in {"count", "report"}
    name = "preds.csv" if rows else "m.csv"
    cm.save(M, folder / "m.csv")
    before = (folder / name).read_text()
    (folder / "link.csv").symlink_to(name)
    for output in (name, f"./{name}", "link.csv"):
        message = no(run(command, name, "-o", output))
        assert message == f"{output} is an input and would be overwritten; write to another file"
    assert (folder / name).read_text() == before
    if command == "merge":
        assert "m.csv is an input" in no(run("merge", "m*.csv", "-o", "m.csv"))


def test_a_packed_stream_is_refused() -> None:
    with pytest.raises(cm.InputError, match="unpack it on the way"):
        _kind_of(gzip.compress(b"y,yhat\na,b\n"), None)


@pytest.mark.parametrize("exists", [False, True])
def test_no_checkpoint_in_use_is_overwritten(run: Run, folder: Path, exists: bool) -> None:
    if exists:
        ok(run("count", "preds.csv", "--resume", "x.json"))
    message = no(run("count", "preds.csv", "--resume", "x.json", "-o", "./x.json"))
    assert message == "./x.json is an input and would be overwritten; write to another file"


def test_an_interrupted_count_says_that_it_can_go_on(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("confmat.io.counting.Counting._one_by_one", interrupt)
    status, _, err = run("count", "preds.csv", "--resume", "x.checkpoint")
    assert (status, err) == (130, "confmat: interrupted; the same command goes on where it was\n")


@pytest.mark.parametrize("files", ["day", ".", "day/*.csv", "d*/p*"])
def test_no_file_of_a_folder_or_a_pattern_is_overwritten(
    run: Run, folder: Path, files: str
) -> None:
    (folder / "day").mkdir()
    (folder / "preds.csv").rename(folder / "day" / "preds.csv")
    before = (folder / "day" / "preds.csv").read_bytes()
    for command in ("count", "report", "html"):
        message = no(run(command, files, "-o", "day/../day/preds.csv"))
        assert (
            message
            == "day/../day/preds.csv is an input and would be overwritten; write to another file"
        )
    assert (folder / "day" / "preds.csv").read_bytes() == before
    # A file that is not read there may be written, and written anew.
    for _ in range(2):
        ok(run("count", "day", "-o", "day/m.json", "-q"))


def test_what_was_decided_for_the_user_is_said(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("label,y_true,y_pred\nx,a,b\n")
    status, out, err = run("count", "p.csv")
    assert (status, out) == (0, f"{cm.count(['a'], ['b'])}\n")
    assert err == (
        "confmat: counted 'y_true' as actual and 'y_pred' as predicted; "
        "'label' fits as well, so say --actual and --predicted if others are meant\n"
    )
    ok(run("count", "p.csv", "--quiet"))
    ok(run("count", "p.csv", "-a", "y_true"))
    ok(run("count", "p.csv", "--by", "label"))
    assert "'label' fits as well" in run("report", "-", stdin="y_true,y_pred,label\na,b,x\n")[2]
    (folder / "p.csv").write_text("label,prediction,y_true,y_pred\nx,x,a,b\n")
    message = (
        "p.csv: --actual could be any of the columns 'label', 'y_true'; say which: --actual label"
    )
    assert no(run("count", "p.csv")) == message


def test_policies_are_told_as_options(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\na,\nb,b\n")
    message = no(run("count", "p.csv"))
    assert "Say --missing drop to leave such pairs out or --missing collect to count" in message
    message = no(run("count", "p.csv", "--missing", "drop", "--labels", "a"))
    assert "not among --labels: 'b'" in message
    assert "Name them in --labels, or say --other drop or --other collect" in message
    (folder / "odd.csv").write_text("p,q\na,b\n")
    assert "Say which: --actual COLUMN" in no(run("count", "odd.csv"))
    (folder / "x.dat").write_text("y")
    assert "or say it: --input csv" in no(run("count", "x.dat"))
    assert "than --max-pairs = 1 different" in no(run("count", "preds.csv", "--max-pairs", "1"))


@pytest.mark.parametrize("command", ["merge", "show"])
def test_rows_are_met_with_the_command_that_counts_them(
    run: Run, folder: Path, command: str
) -> None:
    message = no(run(command, "preds.csv"))
    assert message.startswith("preds.csv: row '1', column 'site'")
    assert message.endswith(
        "; if the file holds one pair per row, confmat count preds.csv counts them"
    )
    (folder / "my preds.jsonl").write_text("{}\n")
    hint = "if it holds rows, confmat count 'my preds.jsonl' counts them"
    assert no(run(command, "my preds.jsonl")) == f"my preds.jsonl: this is no stored matrix; {hint}"


def test_scores_are_no_labels(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\n1,0.93\n0,0.07\n1,1\n")
    message = no(run("count", "p.csv"))
    assert message.startswith(
        "the column 'yhat' holds numbers such as '0.07', and the other side none with a fraction"
    )
    assert "name them in --labels" in message
    assert ok(run("count", "p.csv", "-l", "0,1,0.07,0.93", "-f", "csv")).count("\n") == 5
    with pytest.raises(cm.InputError, match="these are scores and no labels"):
        cm.count_files(folder / "p.csv", actual="yhat", predicted="y")
    # Half stars are labels, whatever was predicted for them.
    (folder / "p.csv").write_text("y,yhat\n0.5,1.0\n1.5,1.5\n")
    assert cm.io.from_json(ok(run("count", "p.csv", "-f", "json"))) == cm.count(
        ["0.5", "1.5"], ["1.0", "1.5"]
    )
    (folder / "p.csv").write_text("y,yhat\n1,1.0\n2,2.0\n")
    assert cm.count_files(folder / "p.csv").total == 2


def test_a_stored_report_has_no_counts(run: Run, folder: Path) -> None:
    ok(run("report", "preds.csv", "-o", "r.json"))
    for command in ("report", "show", "count", "html"):
        assert no(run(command, "r.json")).startswith(
            "r.json: this is a report, and no counts can be had from it"
        )


def test_labels_that_are_numbers_stand_in_their_order(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("y,yhat\n10,2\n2,10\n1,01\n")
    (folder / "q.csv").write_text("y,yhat\n3,3\n")
    assert ok(run("count", "p.csv", "-f", "csv")).splitlines()[0].endswith(",01,1,2,10")
    ok(run("count", "p.csv", "-o", "p.json"))
    ok(run("count", "q.csv", "-o", "q.json"))
    assert (
        ok(run("merge", "p.json", "q.json", "-f", "csv")).splitlines()[0].endswith(",01,1,2,3,10")
    )
    assert ok(run("merge", "q.json", "p.json", "-f", "csv")) == ok(
        run("count", "p.csv", "q.csv", "-f", "csv")
    )


def test_a_family_of_metrics_has_no_better_side(run: Run) -> None:
    assert "total_cost  parameters  -  " in ok(run("metrics", "total_cost"))
    assert (
        ok(run("metrics", "total_cost", "-f", "csv"))
        .splitlines()[1]
        .startswith("total_cost,parameters,,")
    )


def test_rows_under_the_name_of_a_text_file_say_how_they_are_read(run: Run, folder: Path) -> None:
    (folder / "rows.txt").write_text("y,yhat\na,b\nb,b\n")
    assert "if the file holds one pair per row, say --input csv" in no(run("report", "rows.txt"))
    assert "precision" in ok(run("report", "rows.txt", "--input", "csv"))


def test_a_report_of_judged_items_is_corrected_by_those_that_were_checked(
    run: Run, folder: Path
) -> None:
    rows = ["judge,model,gold", *["a,a,a", "b,b,b", "a,b,a", "b,a,", "a,a,", "b,b,"] * 20]
    (folder / "judged.csv").write_text("\n".join(rows) + "\n")
    options = ("report", "judged.csv", "--judge", "judge", "--gold", "gold")
    assert "by the 60 checked of 120 items" in ok(run(*options, "-p", "model", "--intervals"))
    assert run(*options, "-p", "model", "--fail-under", "accuracy=0.99")[0] == 1
    assert "--positive" in no(run(*options))
    assert "--gold" in no(run(*options[:-2]))
    assert "and no --by" in no(run(*options, "-p", "model", "--by", "gold"))
    assert "no column 'nix' for --judge" in no(
        run(*options[:2], "-p", "model", "--judge", "nix", "--gold", "gold")
    )


def test_options_of_reading_work_with_a_judge(run: Run, folder: Path) -> None:
    said = ["a,Answer: a", "b,B", "a,hm", "b,a", "a,I cannot", "b,Answer: b"]
    rows = ["judge,model,gold", *(f"{row},{gold}" for row in said for gold in [row[0], "NA"] * 20)]
    (folder / "judged.csv").write_text("\n".join(rows) + "\n")
    options = ("report", "judged.csv", "-q", "--judge", "judge", "--gold", "gold", "-p", "model")
    read = ("--missing-value", "NA", "-l", "a,b", "--refused", "I cannot*", "--other", "collect")
    assert "(invalid), (refused), outside the classes, are counted as wrong; 66.7%" in ok(
        run(*options, *read)
    )
    assert "left out" in ok(run(*options, *read, "--outside", "exclude"))
    assert "'NA', which is no class of the judge or the model; None, or --missing-value" in no(
        run(*options)
    )
    assert "'Answer: a'" in no(run(*options, *read[:4]))
    for option in (("--actual", "gold"), ("--weight", "w"), ("--scores", "s"), ("--every", "1s")):
        assert f"{option[0]} does not go with --gold" in no(run(*options, *read, *option))
    assert "--threshold is about scores" in no(run(*options, *read, "--threshold", "1"))


def test_a_report_of_verdicts_is_a_pass_rate(run: Run, folder: Path) -> None:
    (folder / "verdicts.csv").write_text(
        "llm,human\n" + "pass,pass\npass,\nfail,fail\nfail,\n" * 30
    )
    options = ("report", "verdicts.csv", "--judge", "llm", "--gold", "human")
    assert "pass rate 0.500 [0.415, 0.585] by the judge and 60 checked of 120 items" in ok(
        run(*options)
    )
    assert run(*options, "--fail-under", "accuracy=0.9")[0] == 1
    assert '"accuracy": 0.5' in ok(run(*options, "-f", "json"))


def test_standard_output_is_no_file(run: Run) -> None:
    assert "without it, the answer goes to standard output" in no(
        run("count", "preds.csv", "-o", "-")
    )


def test_a_file_that_is_listed_twice_is_said(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("y_true,y_pred\na,a\nb,a\n")
    status, out, err = run("report", str(path), str(path), "-f", "json")
    assert status == 0
    assert "'pairs.csv' counted more than once" in err
    assert "'pairs.csv' counted more than once" in json.loads(out)["notes"]

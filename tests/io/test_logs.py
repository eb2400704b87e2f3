"""Logs of Inspect, lm-evaluation-harness and promptfoo, written here in the forms that these tools write."""

from __future__ import annotations

import json
import random
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import confmat as cm
from confmat.cli.program import cli, main
from confmat.io import logs as logs_module
from confmat.io import read_log

Row = dict[str, Any]


def sample(
    number: Any, target: Any, answer: str | None, value: Any, *, epoch: int = 1, choices: int = 0
) -> Row:
    """A summary of a sample, as Inspect writes it; without a value it has no score."""
    score = {"value": value, "answer": answer, "explanation": answer, "history": []}
    return {
        "id": number,
        "epoch": epoch,
        "input": "Which one?",
        **({"choices": [f"text {place}" for place in range(choices)]} if choices else {}),
        "target": target,
        "metadata": {},
        "scores": None if value is None else {"match": score},
        "model_usage": {},
        "completed": True,
    }


def header(**more: Any) -> Row:
    spec = {
        "task": "quiz",
        "task_id": "t",
        "model": "openai/small",
        "dataset": {"name": "quiz"},
        "config": {},
    }
    return {"version": 2, "status": "success", "eval": spec, "plan": {"name": "plan"}, **more}


def zipped(
    path: Path, samples: Any, head: Row | None = None, packing: int = zipfile.ZIP_DEFLATED
) -> Path:
    """An .eval file of Inspect."""
    head = header() if head is None else head
    members = {
        "_journal/start.json": head,
        "samples/1_epoch_1.json": {},
        "summaries.json": samples,
        "header.json": head,
    }
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, json.dumps(data))
    return path


def harness_row(number: int, target: Any, logs: list[float], texts: list[str], **more: Any) -> Row:
    right = (
        logs.index(max(logs)) == target
        if isinstance(target, int)
        else texts[logs.index(max(logs))] == target
    )
    return {
        "doc_id": number,
        "doc": {"question": "Which one?"},
        "target": str(target),
        "arguments": {
            f"gen_args_{i}": {"arg_0": "Which one?", "arg_1": f" {text}"}
            for i, text in enumerate(texts)
        },
        "resps": [[[str(one), "False"]] for one in logs],
        "filtered_resps": [[str(one), "False"] for one in logs],
        "filter": "none",
        "metrics": ["acc", "acc_norm"],
        "doc_hash": "0",
        "acc": float(right),
        "acc_norm": float(right),
        **more,
    }


def lines(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def result(place: int, model: str, wanted: str, output: Any, **more: Any) -> Row:
    """A result of promptfoo, whose variables say which test it is."""
    passed = output == wanted
    part = {
        "pass": passed,
        "score": float(passed),
        "reason": "",
        "assertion": {"type": "equals", "value": "{{label}}"},
    }
    return {
        "promptIdx": 0 if model == "a" else 1,
        "testIdx": place,
        "testCase": {"vars": {}, "assert": [part["assertion"]]},
        "promptId": "p",
        "provider": {"id": f"openai:{model}", "label": model},
        "prompt": {"raw": "{{text}}", "label": "{{text}}"},
        "vars": {"text": f"text {place % 10}", "label": wanted},
        "response": {"output": output},
        "failureReason": int(not passed),
        "success": passed,
        "score": float(passed),
        "latencyMs": 1,
        "gradingResult": {
            "pass": passed,
            "score": float(passed),
            "reason": "",
            "componentResults": [part],
        },
        "namedScores": {},
        **more,
    }


def promptfoo(path: Path, results: list[Row], version: Any = 3) -> Path:
    summary = {
        "version": version,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "prompts": [],
        "results": results,
    }
    log = {
        "evalId": "eval-1",
        "results": summary,
        "config": {},
        "shareableUrl": None,
        "metadata": {},
    }
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


YES_NO = [
    sample(number, f" {target}", answer, value)
    for number, (target, answer, value) in enumerate(
        [
            ("Yes", "Yes.", "C"),
            ("Yes", "no", "I"),
            ("No", "No", "C"),
            ("No", "perhaps", "I"),
            ("No", None, "N"),
        ]
        * 4
    )
]


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [*map(str, words)])


# ---- Inspect -------------------------------------------------------------------------------------


def test_labels_of_an_inspect_log(tmp_path: Path) -> None:
    log = read_log(zipped(tmp_path / "run.eval", YES_NO))
    assert (log.model, log.clusters, list(log.labels)) == (
        "openai/small",
        None,
        ["No", "Yes", "(invalid)", "(abstained)"],
    )
    m = log.matrix()
    assert [
        m[pair] for pair in (("Yes", "Yes"), ("Yes", "No"), ("No", "No"), ("No", "(invalid)"))
    ] == [4, 4, 4, 4]
    assert m["No", "(abstained)"] == 4
    assert cm.load(tmp_path / "run.eval") == m


def test_the_json_form_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**header(), "samples": YES_NO}, indent=2), encoding="utf-8")
    assert cm.load(path) == cm.load(zipped(tmp_path / "run.eval", YES_NO))


def test_letters_of_a_choice_are_classes_even_if_none_is_right(tmp_path: Path) -> None:
    rows = [sample("x", "A", "C", "I", choices=4), sample("y", ["B"], "B", "C", choices=3)]
    log = read_log(zipped(tmp_path / "run.eval", rows))
    assert (list(log.labels), log.predicted) == (["A", "B", "C", "D"], ["C", "B"])


def test_verdicts(tmp_path: Path) -> None:
    rows = [
        sample(n, f"free text {n}", "long", value)
        for n, value in enumerate(["C", "I", 1, 0.0, None, float("nan")])
    ]
    path = zipped(tmp_path / "run.eval", rows)
    with pytest.raises(
        cm.InputError,
        match=r"6 different texts in 6 samples; name the `labels`, or .*predicted='verdict'",
    ):
        read_log(path)
    log = read_log(path, predicted="verdict")
    assert log.predicted == ["correct", "incorrect"] * 2 + ["(error)"] * 2
    assert cm.accuracy(log.matrix(), outside="exclude") == 2 / 4


def test_partial_credit_is_a_class_of_verdicts(tmp_path: Path) -> None:
    rows = [sample(n, "x", "x", value) for n, value in enumerate("CPIN")]
    log = read_log(zipped(tmp_path / "run.eval", rows), predicted="verdict")
    assert list(log.labels) == ["incorrect", "partial", "correct", "(abstained)"]


def test_several_scorers_are_asked_by_name(tmp_path: Path) -> None:
    rows = json.loads(json.dumps(YES_NO))
    for row in rows:
        row["scores"]["judge"] = {"value": "C", "answer": "Yes"}
    path = zipped(tmp_path / "run.eval", rows)
    with pytest.raises(
        cm.InputError, match=r"such as predicted='match\.verdict'; there are 'match', 'judge'"
    ):
        read_log(path)
    assert cm.accuracy(read_log(path, predicted="judge.answer").matrix()) == 1
    assert cm.accuracy(read_log(path, predicted="match.answer").matrix()) == 8 / 20


def test_the_accuracy_is_that_of_the_scorer(tmp_path: Path) -> None:
    rng = random.Random(1)
    for turn in range(20):
        said = ["Yes", "no.", "", "The answer is No", "never", "YES"]
        rows = [
            sample(n, rng.choice(["Yes", "No"]), rng.choice(said), rng.choice("CIPN"))
            for n in range(40)
        ]
        path = zipped(tmp_path / f"{turn}.eval", rows)
        right = sum(row["scores"]["match"]["value"] == "C" for row in rows) / 40
        for what in ("answer", "verdict"):
            assert cm.accuracy(read_log(path, predicted=what).matrix()) == right


def test_a_run_that_failed_is_spoken_of(tmp_path: Path) -> None:
    with pytest.warns(cm.ConfmatWarning, match="status 'cancelled'; samples may be missing"):
        read_log(zipped(tmp_path / "run.eval", YES_NO, header(status="cancelled")))


def zstandard(path: Path, samples: Any) -> Path:
    """An .eval file as newer versions of Inspect pack it."""
    pa = pytest.importorskip("pyarrow")
    body, directory = b"", b""
    for name, value in (("summaries.json", samples), ("header.json", header())):
        raw = json.dumps(value).encode()
        packed = pa.compress(raw, "zstd", asbytes=True)
        facts = struct.pack(
            "<HHHHHIIIHH", 63, 0, 93, 0, 33, zlib.crc32(raw), len(packed), len(raw), len(name), 0
        )
        directory += (
            b"PK\1\2"
            + struct.pack("<H", 63)
            + facts
            + struct.pack("<HHHII", 0, 0, 0, 0, len(body))
            + name.encode()
        )
        body += b"PK\3\4" + facts + name.encode() + packed
    end = struct.pack("<HHHHIIH", 0, 0, 2, 2, len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\5\6" + end)
    return path


def test_members_packed_by_zstandard(tmp_path: Path) -> None:
    assert cm.load(zstandard(tmp_path / "new.eval", YES_NO)) == cm.load(
        zipped(tmp_path / "old.eval", YES_NO)
    )


# ---- lm-evaluation-harness -----------------------------------------------------------------------


def test_choices_of_the_harness(tmp_path: Path) -> None:
    folder = tmp_path / "small__model"
    folder.mkdir()
    # Other continuations after each question: letters. The target is an index.
    rows = [
        harness_row(n, n % 3, [-3.0, -1.0, -2.0], [f"{word} {n}" for word in "xyz"])
        for n in range(9)
    ]
    path = lines(folder / "samples_quiz_2026-01-01T00-00-00.000001.jsonl", rows)
    log = read_log(path)
    assert (log.model, log.predicted, log.actual) == (
        "small__model",
        ["B"] * 9,
        ["A", "B", "C"] * 3,
    )
    totals = {
        "results": {"quiz": {"alias": "quiz", "acc,none": 1 / 3}},
        "model_name": "org/small",
        "n-samples": {},
    }
    (folder / "results_2026-01-01T00-00-00.000001.json").write_text(json.dumps(totals))
    assert read_log(path).model == "org/small"


def test_the_same_continuations_are_the_classes(tmp_path: Path) -> None:
    rows = [harness_row(n, n % 2, [-1.0, -2.0 + n / 4], ["no", "yes"]) for n in range(8)]
    log = read_log(lines(tmp_path / "samples_quiz_1.jsonl", rows))
    assert list(log.labels) == ["no", "yes"]
    assert cm.accuracy(log.matrix()) == sum(row["acc"] for row in rows) / 8


def test_targets_that_contradict_the_accuracy_are_no_labels(tmp_path: Path) -> None:
    rows = [harness_row(n, 0, [-1.0, -2.0], ["no", "yes"], acc=0.0) for n in range(8)]
    with pytest.raises(cm.InputError, match="none that is certain"):
        read_log(lines(tmp_path / "samples_quiz_1.jsonl", rows))


def test_generated_answers_are_filtered_in_several_ways(tmp_path: Path) -> None:
    rows = [
        {
            "doc_id": n,
            "doc": {},
            "target": "positive",
            "arguments": {"gen_args_0": {"arg_0": "How is it?", "arg_1": {"until": ["\n"]}}},
            "resps": [["it is positive"]],
            "filtered_resps": ["[invalid]" if kind == "strict" and n else "positive"],
            "filter": kind,
            "metrics": ["exact_match"],
            "exact_match": float(kind != "strict" or not n),
        }
        for kind in ("strict", "flexible")
        for n in range(4)
    ]
    path = lines(tmp_path / "samples_mood_1.jsonl", rows)
    with pytest.raises(cm.InputError, match="exact_match,strict"):
        read_log(path)
    assert (
        read_log(path, predicted="exact_match,strict.answer").predicted
        == ["positive"] + ["(invalid)"] * 3
    )
    assert read_log(path, predicted="exact_match,flexible.verdict").predicted == ["correct"] * 4


# ---- promptfoo -----------------------------------------------------------------------------------


def test_results_of_promptfoo(tmp_path: Path) -> None:
    labels = ["spam", "ham"]
    rows = [result(n, model, labels[n % 2], labels[0]) for model in "ab" for n in range(10)]
    path = promptfoo(tmp_path / "results.json", rows)
    with pytest.raises(cm.InputError, match="`model` must be one of 'a', 'b', not None"):
        read_log(path)
    log = read_log(path, model="b")
    assert (log.model, log.matrix()["ham", "spam"], log.matrix()["spam", "spam"]) == ("b", 5, 5)
    stack = cm.load(path)
    assert isinstance(stack, cm.Stack)
    assert list(stack) == ["a", "b"]
    assert cm.accuracy(read_log(path, model="a", predicted="equals.verdict").matrix()) == 0.5


def test_repetitions_of_promptfoo_are_clusters(tmp_path: Path) -> None:
    log = read_log(
        promptfoo(tmp_path / "r.json", [result(n, "a", "ham", "ham") for n in range(30)])
    )
    assert (len(set(log.clusters or ())), len(log.samples)) == (10, 30)


def test_an_answer_that_never_came_is_an_error(tmp_path: Path) -> None:
    rows = [result(n, "a", "ham", "ham") for n in range(9)]
    rows.append(
        result(9, "a", "ham", None, failureReason=2, error="429", response=None, gradingResult=None)
    )
    assert read_log(promptfoo(tmp_path / "r.json", rows)).predicted.count("(error)") == 1


# ---- what is refused -----------------------------------------------------------------------------


def test_versions_that_are_not_known_are_refused_in_a_line(tmp_path: Path) -> None:
    for path, known in (
        (zipped(tmp_path / "run.eval", YES_NO, header(version=3)), 2),
        (promptfoo(tmp_path / "results.json", [], version=4), 3),
    ):
        with pytest.raises(cm.InputError, match=rf"version {known} is known$") as caught:
            cm.load(path)
        assert "\n" not in str(caught.value)


def test_damaged_logs_are_errors_of_one_line(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "run.eval", YES_NO).read_bytes()
    rng = random.Random(3)
    for turn in range(150):
        data = bytearray(whole)
        if turn % 2:
            del data[rng.randrange(len(data)) :]
        else:
            for _ in range(rng.randrange(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        path = tmp_path / "bad.eval"
        path.write_bytes(data)
        try:
            cm.load(path)
        except cm.ConfmatError as error:
            assert "\n" not in str(error)  # noqa: PT017
            assert "bad.eval" in str(error)  # noqa: PT017


@pytest.mark.filterwarnings("ignore::confmat.ConfmatWarning")
def test_fields_that_lack_or_are_of_another_kind(tmp_path: Path) -> None:
    """Each value of each log, anywhere in it, is taken away or exchanged."""
    rng = random.Random(5)
    others: list[Any] = [None, [], {}, "x", 7, 1e308, float("nan"), ..., [[]], {"": None}]
    inspect = {**header(), "samples": YES_NO[:5]}
    foo = json.loads(
        promptfoo(tmp_path / "p.json", [result(n, "a", "ham", "ham") for n in range(3)]).read_text()
    )
    harness = harness_row(0, 0, [-1.0, -2.0], ["no", "yes"])
    for name, whole in (("run.json", inspect), ("p.json", foo), ("samples_q_1.jsonl", harness)):
        for place in range(200):
            for other in rng.sample(others, 3):
                log = json.loads(json.dumps(whole))
                if not exchange(log, place, other):
                    break
                path = tmp_path / name
                path.write_text(json.dumps(log))
                for what in ("answer", "verdict"):
                    try:
                        read_log(path, predicted=what).matrix()
                    except cm.ConfmatError as error:
                        assert "\n" not in str(error)  # noqa: PT017


def exchange(value: Any, place: int, other: Any) -> bool:
    """Put another value in one of the places of a JSON value, by its number; `...` takes it away."""
    waiting = [value]
    while waiting:
        one = waiting.pop(0)
        keys = (
            list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else ()
        )
        for key in keys:
            if place == 0:
                if other is ...:
                    del one[key]
                else:
                    one[key] = other
                return True
            place -= 1
            waiting.append(one[key])
    return False


def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs_module, "MAX_MEMBER_BYTES", 10_000)
    rows = [sample(n, "x" * 100, "x", "C") for n in range(1_000)]
    with pytest.raises(
        cm.BudgetError, match=r"summaries\.json: .* bytes unpacked are more than the 10,000"
    ):
        cm.load(zipped(tmp_path / "run.eval", rows))


def test_an_unfinished_log_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(cm.InputError, match="inspect log recover"):
        cm.load(path)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "holds no samples"),
        ([sample(1, "x", None, None)], "no sample has a score"),
        ([sample(1, ["x", "y"], "x", "C")], "some samples have several"),
        ([sample(1, "x", "x", 0.7)], r"gives 0\.7, which is neither right nor wrong"),
        ([sample(1, "x", "x", {"a": 1})], "neither right nor wrong"),
    ],
)
def test_logs_without_labels(rows: list[Row], said: str, tmp_path: Path) -> None:
    with pytest.raises(cm.InputError, match=said):
        read_log(zipped(tmp_path / "run.eval", rows))


def test_labels_that_are_given_must_hold_the_targets(tmp_path: Path) -> None:
    path = zipped(tmp_path / "run.eval", YES_NO)
    assert list(read_log(path, labels=["Yes", "No"]).labels)[:2] == ["Yes", "No"]
    with pytest.raises(cm.InputError, match="there are also 'No'"):
        read_log(path, labels=["Yes"])


def test_files_that_are_no_logs(tmp_path: Path) -> None:
    stored = tmp_path / "m.json"
    cm.save(cm.ConfusionMatrix([[1]]), stored)
    assert cm.load(stored).total == 1
    with pytest.raises(cm.InputError, match="no log that is known"):
        read_log(stored)
    with pytest.raises(FileNotFoundError):
        read_log(tmp_path / "none.eval")
    for call in (cm.load, read_log, cm.count_files):
        with pytest.raises(cm.FileError):
            call(f"{'x' * 5000}.json")


# ---- on the command line -------------------------------------------------------------------------


def test_a_report_of_a_log(tmp_path: Path) -> None:
    path = zipped(tmp_path / "run.eval", YES_NO)
    found = run("report", path)
    assert found.exit_code == 0, found.output
    assert "accuracy           0.400" in found.output
    assert "0.400" in run("report", path, "-p", "verdict", "-m", "accuracy").output
    assert "there is no column 'x' for `by`; the columns are 'sample', 'epoch'" in str(
        run("report", path, "--by", "x").exception
    )
    assert "--other is not read here" in str(run("report", path, "--other", "drop").exception)
    assert "predicted='match.verdict'" in str(run("report", path, "-p", "judge").exception)


def test_logs_of_the_same_samples_are_compared_answer_by_answer(tmp_path: Path) -> None:
    better = [{**row, "scores": {"match": {"value": "C", "answer": "x"}}} for row in YES_NO]
    old, new = zipped(tmp_path / "old.eval", YES_NO), zipped(tmp_path / "new.eval", better[::-1])
    found = run("compare", old, new)
    assert found.exit_code == 0, found.output
    assert "accuracy: old 0.400, new 1.000" in found.output
    assert "McNemar" in found.output
    assert "McNemar" in run("compare", old, new, "-p", "verdict").output


def test_logs_with_epochs_are_compared_by_samples(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    paths = []
    for name, share in (("old", 0.5), ("new", 0.8)):
        rows = [
            sample(n, "AB"[n % 2], "BA"[n % 2], "C" if rng.random() < share else "I", epoch=e)
            for e in (1, 2)
            for n in range(100)
        ]
        paths.append(zipped(tmp_path / f"{name}.eval", rows))
    found = run("compare", *paths)
    assert found.exit_code == 0, found.output
    assert "Paired by sample: 100 clusters" in found.output
    assert "McNemar" not in found.output


# ---- sources like files --------------------------------------------------------------------------


def topical(path: Path, model: str = "m", epochs: int = 1, wrong: str = "no") -> Path:
    """A log whose samples have topics."""
    answers = [
        ("Yes", "Yes.", "C"),
        ("Yes", wrong, "I"),
        ("No", "No", "C"),
        ("No", "perhaps", "I"),
    ] * 4
    rows = [
        sample(number, target, answer, value, epoch=epoch)
        | {"metadata": {"topic": "xy"[number // 2 % 2], "tags": ["a"]}}
        for epoch in range(1, epochs + 1)
        for number, (target, answer, value) in enumerate(answers)
    ]
    return zipped(path, rows, header(eval={"model": model}))


def test_logs_are_counted_as_files_are(tmp_path: Path) -> None:
    path = topical(tmp_path / "a.eval")
    assert (
        cm.count_files(path)
        == cm.count_files([str(path)])
        == cm.count_files(f"{tmp_path}/*.eval")
        == cm.load(path)
    )
    assert cm.count_files(path, predicted="verdict") == cm.load(path, predicted="verdict")
    assert cm.count_files(path, labels=["Yes", "No"]) == cm.load(path, labels=["Yes", "No"])
    with pytest.warns(cm.ConfmatWarning, match="'a.eval' counted more than once"):
        assert cm.count_files([path, path]) == cm.load(path) + cm.load(path)
    groups = cm.count_files(path, by="topic")
    assert (groups.axis, list(groups), groups.sum()) == ("topic", ["x", "y"], cm.load(path))


def test_epochs_are_clusters_in_every_group(tmp_path: Path) -> None:
    path = topical(tmp_path / "a.eval", epochs=3)
    assert isinstance(cm.count_files(path), cm.Sample)
    group = cm.count_files(path, by="topic")["x"]
    once = cm.count_files(topical(tmp_path / "b.eval"), by="topic")["x"]
    # The same answers three times tell as much as once.
    many, few = (cm.interval(m, "accuracy") for m in (group, once))
    assert many.high - many.low > 0.9 * (few.high - few.low)


def test_a_sample_that_is_not_stored_says_what_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = topical(tmp_path / "a.eval", epochs=3)
    with pytest.raises(SystemExit):
        main(["count", str(path), "-o", str(tmp_path / "m.json")])
    assert "--by sample" in capsys.readouterr().err
    assert run("count", path, "--by", "sample", "-o", tmp_path / "m.json").exit_code == 0


def test_examples_of_logs(tmp_path: Path) -> None:
    path = topical(tmp_path / "a.eval")
    found = cm.examples(path, ["input", "answer", "target", "tags"], matrix=cm.load(path))
    assert {pair: fields[0] for pair, fields in found.items()} == {
        ("Yes", "No"): {"input": "Which one?", "answer": "no", "target": "Yes", "tags": '["a"]'},
        ("No", "(invalid)"): {
            "input": "Which one?",
            "answer": "perhaps",
            "target": "No",
            "tags": '["a"]',
        },
    }
    assert {*cm.examples(path, ["sample"], predicted="verdict")} == {("correct", "incorrect")}


def test_reports_and_comparisons_take_logs(tmp_path: Path) -> None:
    old, new = topical(tmp_path / "a.eval"), topical(tmp_path / "b.eval", wrong="Yes")
    logs = {"a": read_log(old), "b": read_log(new)}
    assert (
        str(cm.report(old))
        == str(cm.report(str(old)))
        == str(cm.report(logs["a"]))
        == str(cm.report(cm.load(old)))
    )
    found = cm.compare({"a": old, "b": new}, metrics=["accuracy"])
    assert found.to_dict() == cm.compare(logs, metrics=["accuracy"]).to_dict()
    assert cm.compare({"a": old, "b": cm.load(new)}, metrics=["accuracy"]).models == ("a", "b")
    cm.save(cm.load(old), tmp_path / "m.json")
    assert str(cm.report(tmp_path / "m.json")) == str(cm.report(cm.load(old)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda path: cm.count_files(path, actual="y"),
            "has no use for `actual`; format='jsonl' reads one in lines",
        ),
        (lambda path: cm.count_files(path, weights="w"), "no use for `weights`"),
        (
            lambda path: cm.count_files(path, by="epochs"),
            "there is no column 'epochs' for `by`.*did you mean 'epoch'",
        ),
        (lambda path: cm.examples(path, ["input"], predicted=["a", "b"]), "no use for `predicted`"),
        (lambda path: cm.count_files([path, path.with_name("x.csv")]), "and other files hold rows"),
        (
            lambda path: cm.count_files(path.with_name("x.csv").rename(path.with_name("x.odd"))),
            r"confmat\.io\.read_log",
        ),
    ],
)
def test_what_a_log_cannot_follow_is_refused(tmp_path: Path, call: Any, said: str) -> None:
    path = topical(tmp_path / "a.eval")
    (tmp_path / "x.csv").write_text("y_true,y_pred\na,a\n")
    with pytest.raises(cm.InputError, match=said):
        call(path)


def metadata(path: Path, facts: list[Row], epochs: int = 1) -> Path:
    """A log whose samples have these facts, and are right and wrong in turn."""
    rows = [
        sample(number, "ab"[number % 2], "a", "IC"[number % 2 == 0], epoch=epoch)
        | {"metadata": fact}
        for epoch in range(1, epochs + 1)
        for number, fact in enumerate(facts)
    ]
    return zipped(path, rows)


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ([10, 2, 2.0, 10], [2, 10]),
        # Kinds that have no common order come as they occur.
        (["b", 1, "a", 1], ["b", 1, "a"]),
        ([["x"], {"y": 1}, ["x"], {"y": 1}], ['["x"]', '{"y": 1}']),
    ],
)
def test_groups_of_logs_are_those_of_count(
    values: list[Any], keys: list[Any], tmp_path: Path
) -> None:
    path = metadata(tmp_path / "a.eval", [{"level": value} for value in values * 4])
    found = cm.count_files(path, by="level")
    assert ([*found], found.axis, found.sum()) == (keys, "level", cm.load(path))
    log = read_log(path)
    plain = [
        value if isinstance(value, (str, int, float)) else json.dumps(value) for value in values * 4
    ]
    assert found == cm.count(log.actual, log.predicted, by=plain).along("level")


def test_answers_of_no_group_are_left_out_or_collected_if_asked(tmp_path: Path) -> None:
    path = metadata(
        tmp_path / "a.eval", [{}, {"level": 1}, {"level": 2}, {"level": None}] * 2, epochs=2
    )
    found = cm.count_files(path, by="level", missing="drop")
    assert ([*found], found.ungrouped, found.total.tolist()) == ([1, 2], 8, [4, 4])
    assert cm.count_files(path, by="level", missing="collect").total.tolist() == [4, 4, 8]
    assert "2" in run("count", path, "--by", "level", "--missing", "drop").output


def test_metadata_called_like_what_the_log_says_itself_keep_a_name(tmp_path: Path) -> None:
    names = ("model", "target", "answer", "sample", "epoch", "input")
    path = metadata(
        tmp_path / "a.eval",
        [{name: f"my {name}" for name in names}, {"metadata.model": "deeper"}] * 4,
    )
    log = read_log(path)
    assert {name: log.columns[f"metadata.{name}"][0] for name in names} == {
        name: f"my {name}" for name in names
    }
    assert log.columns["metadata.metadata.model"][1] == "deeper"
    assert (log.columns["model"][0], log.columns["target"][:2]) == ("openai/small", ["a", "b"])
    assert [*cm.count_files(path, by="model")] == ["openai/small"]


def test_a_sample_of_several_logs_is_one_cluster(tmp_path: Path) -> None:
    once, more = (
        topical(tmp_path / f"{name}.eval", epochs=epochs) for name, epochs in (("a", 1), ("b", 2))
    )
    both, whole = (
        cm.count_files([once, more]),
        cm.count_files(topical(tmp_path / "c.eval", epochs=3)),
    )
    assert (both.total, both.counts.tolist()) == (48, whole.counts.tolist())
    found, wanted = (cm.interval(m, "accuracy") for m in (both, whole))
    assert (found.low, found.high) == (wanted.low, wanted.high)
    groups = cm.count_files([once, more], by="topic")
    assert [m.total for m in groups.values()] == [24, 24]
    for parts in ([cm.load(more)] * 2, [cm.count_files(more, by="topic")] * 2):
        with pytest.raises(cm.InputError, match="count files together: count_files"):
            parts[0] + parts[1]


def test_pages_plots_and_prints_take_sources(tmp_path: Path) -> None:
    path = topical(tmp_path / "a.eval", epochs=2)
    several = promptfoo(
        tmp_path / "p.json", [result(n, m, "ab"[n % 2], "a") for n in range(20) for m in "ab"]
    )
    cm.save(cm.ConfusionMatrix([[3, 1], [0, 2]]), tmp_path / "m.json")
    sources: list[Any] = [
        path,
        str(path),
        read_log(path),
        several,
        tmp_path / "m.json",
        {"a": path, "b": several},
    ]
    for source in sources:
        assert "<title>" in cm.html(source)
    with pytest.raises(cm.InputError, match=r"prints a ConfusionMatrix.*, not str"):
        cm.show("matrix")
    with pytest.raises(cm.FileError, match="there is no such file"):
        cm.html("none.eval")
    pytest.importorskip("matplotlib")
    assert cm.plot(path) is not None
    assert len(cm.plot(several).axes) >= 2


def test_models_of_several_logs_have_the_names_of_both(tmp_path: Path) -> None:
    rows = [
        result(n, model, "ham" if n % 2 else "spam", "ham") for model in "ab" for n in range(10)
    ]
    several = promptfoo(tmp_path / "results.json", rows)
    assert cm.compare(several, metrics=["accuracy"]).models == ("a", "b")
    one = promptfoo(tmp_path / "one.json", rows[:10])
    assert cm.compare({"old": several, "new": one}, metrics=["accuracy"]).models == (
        "old, a",
        "old, b",
        "new",
    )


def runs(folder: Path, models: int = 3, samples: int = 60) -> list[Path]:
    """Logs of several models; the second lacks two samples."""
    rng, paths = random.Random(0), []
    for place in range(models):
        rows = []
        for number in range(samples):
            target, other = "AB"[number % 2], "BA"[number % 2]
            right = rng.random() < (0.95, 0.9, 0.5)[place]
            row = sample(
                number, target, target if right else other, "C" if right else "I", choices=2
            )
            rows.append({**row, "metadata": {"subject": ("law", "art")[number // 2 % 2]}})
        head = header(eval=header()["eval"] | {"model": f"lab/{place}"})
        paths.append(zipped(folder / f"run{place}.eval", rows[2 * (place == 1) :], head))
    return paths


def test_a_folder_of_logs_is_ranked_by_the_samples_of_all(tmp_path: Path) -> None:
    runs(tmp_path)
    found = CliRunner().invoke(cli, ["compare", str(tmp_path), "-m", "accuracy", "-f", "json"])
    told = json.loads(found.output)
    assert told["models"] == ["lab/0", "lab/1", "lab/2"]
    assert told["rankings"]["accuracy"]["models"][-1]["model"] == "lab/2"
    assert (
        "2 of 60 samples are left out, which not all models answered: lab/1 lacks 2 ('0', '1')."
        in told["notes"]
    )


def test_logs_are_compared_by_a_field_of_their_metadata(tmp_path: Path) -> None:
    paths = runs(tmp_path)
    text = (
        CliRunner()
        .invoke(cli, ["compare", *map(str, paths), "--by", "subject", "-m", "accuracy"])
        .output
    )
    assert text.splitlines()[0].split()[:2] == ["subject", "items"]
    assert "6 differences are one family" in text
    assert "2 of 60 samples are left out" in text
    logs = {path.stem: read_log(path) for path in paths}
    compare: Any = cm.compare
    assert list(compare(logs, by="subject", metrics=["accuracy"])) == ["art", "law"]


def test_files_of_rows_are_models_by_their_items(tmp_path: Path) -> None:
    for place, path in enumerate(runs(tmp_path)):
        log = read_log(path)
        rows = zip(log.samples, log.actual, log.predicted, log.columns["subject"], strict=True)
        text = "\n".join(
            ",".join(row) for row in [("question", "y", "answer", "subject"), *reversed([*rows])]
        )
        (tmp_path / f"m{place}.csv").write_text(text, encoding="utf-8")
    asked = [
        str(tmp_path / "m*.csv"),
        "-a",
        "y",
        "-p",
        "answer",
        "--id",
        "question",
        "-m",
        "accuracy",
    ]
    found = json.loads(CliRunner().invoke(cli, ["compare", *asked, "-f", "json"]).output)
    assert found["models"] == ["m0", "m1", "m2"]
    assert any("m1 lacks 2" in note for note in found["notes"])

"""Words that people try, in Python and on the command line: each works, or one line names what to write, which runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat
from confmat.core.words import ROWS, form_of

cm: Any = confmat
ACTUAL, PREDICTED, SCORES = ["cat", "cat", "dog"], ["cat", "dog", "dog"], [0.2, 0.9, 0.8]
M: Any = cm.count(ACTUAL, PREDICTED)
CLI = find_spec("click") is not None


def names() -> dict[str, Any]:
    """The names in the lines of messages."""
    models = {"old": PREDICTED, "new": ACTUAL}
    return {
        "cm": cm,
        "confmat": cm,
        "np": np,
        "m": M,
        "value": M,
        "a": M,
        "b": M,
        "stack": cm.count(ACTUAL, PREDICTED, by=[1, 1, 2]),
        "sweep": cm.thresholds([0, 1, 1], SCORES),
        "estimate": cm.interval(M, "accuracy"),
        "report": cm.report(M),
        "found": cm.compare_predictions(
            ACTUAL * 9, {name: side * 9 for name, side in models.items()}
        ),
        "tally": cm.Tally(),
        "tree": cm.Hierarchy.from_paths(["pet/cat", "pet/dog"]),
        "rules": cm.Answers(["cat", "dog"]),
        "actual": ACTUAL,
        "predicted": PREDICTED,
        "scores": SCORES,
        "two": [0, 1, 1],
        "models": models,
        "old": PREDICTED,
        "new": ACTUAL,
        "groups": ["n", "n", "s"],
        "labels": ["dog", "cat"],
        "names": {"cat": "Cat", "dog": "Dog"},
        "ratings": [["a", "a", "b"], ["b", "b", "b"]],
    }


def message(guess: str) -> str:
    """The message for a guess; nothing where it works."""
    try:
        exec(guess, names())  # noqa: S102 - the guesses of this file
    except (AttributeError, TypeError, ImportError, cm.ConfmatError) as error:
        return str(error)
    return ""


REPORT, COUNT, PLOT = "confmat.report(m)", "confmat.count(actual, predicted)", "confmat.plot(m)"
COMPARE = "confmat.compare_predictions(actual, {'old': old, 'new': new})"
INTERVAL = "confmat.interval(m, 'f1.macro')"
BY = "confmat.count(actual, predicted, by=groups)"
SAVE = "confmat.save(m, 'file.json')"
# A guess, and what the message names; that is run where it is a whole line of Python.
GUESSES = {
    # Findings of people who met confmat for the first time.
    "list(m)": "list(m.labels)",
    "dict(m)": "m.pairs()",
    "for row in m: row": "m.counts.tolist()",
    "estimate.ci": "low, high = estimate",
    "cm.mcnemar(m, m)": "compare_predictions(actual, {'old': old, 'new': new})",
    "cm.mcnemar(actual, predicted)": "compare_predictions(actual, {'old': old, 'new': new})",
    "cm.count('preds.csv')": "confmat.count_files(path, actual='truth', predicted='guess')",
    "cm.load_csv": "confmat.count_files(path)",
    "cm.top_k": "confmat.top_k_accuracy",
    "report.print()": "print(value)",
    "cm.save(m)": "confmat.save(value, 'file.json')",
    "cm.interval(m)": INTERVAL,
    "cm.score(m)": "confmat.score(m, 'f1.macro')",
    "cm.icc": "confmat.rater_agreement(ratings)",
    "cm.plot_confusion_matrix": PLOT,
    "cm.compare_models": COMPARE,
    "cm.list_metrics": "confmat.catalog()",
    "cm.ci": INTERVAL,
    "cm.mAP": "confmat.detection.coco_average_precision",
    "cm.ece": "confmat.calibration(actual, ",
    "cm.delong": "confmat.compare_scores",
    "cm.mean_iou": "'jaccard.macro'",
    "cm.evaluate": REPORT,
    "cm.to_excel": "confmat.save(value, path)",
    "cm.from_dataframe": "confmat.count_frame(frame)",
    "cm.ConfusionMatrix.from_predictions": COUNT,
    "m.summary()": "confmat.summary(m)",
    "m.metrics": "confmat.catalog()",
    "m.n": "`total`",
    "m.top_confusions()": "confmat.top_confusions(m",
    "rules('x')": "read_one(answer)",
    "cm.conut": "did you mean 'count'",
    "cm.f1(m, average='binary')": "f1(m, of='cat')",
    "from confmat import span_scores": "confmat.count_spans",
    "cm.Hierarchy.from_graph": "confmat.Hierarchy.from_parents(",
    "tree.is_tree": "every hierarchy is a tree",
    "tree.parents": "ancestors(name)",
    "cm.Stack.from_margins": "confmat.Stack.from_array",
    "cm.segmentation.PanopticQuality.interval": "results of parts add up",
    # Names of scikit-learn, pandas, torchmetrics, PyCM, caret and others.
    "cm.from_labels": COUNT,
    "cm.ConfusionMatrix(y_true=actual, y_pred=predicted)": COUNT,
    "cm.ConfusionMatrix(actual_vector=actual, predict_vector=predicted)": COUNT,
    "cm.ConfusionMatrixDisplay": "confmat.sklearn.ConfusionMatrixDisplay",
    "cm.make_scorer": "confmat.sklearn.scorer('f1.macro')",
    "cm.AUROC": "confmat.roc_auc(confmat.thresholds(",
    "cm.MeanAveragePrecision": "confmat.detection.coco_average_precision",
    "cm.sens": "confmat.sensitivity",
    "cm.from_pandas": "confmat.ConfusionMatrix.from_frame(frame)",
    "cm.from_numpy": "confmat.ConfusionMatrix(",
    "cm.pivot_table": "confmat.count(actual, predicted)",
    "cm.gini": "confmat.roc_auc(confmat.thresholds(",
    "m.loc": "m['cat', 'dog']",
    "cm.html(m, rows='predicted')": "m.table(rows='predicted')",
    "cm.interval(m, 'accuracy').confidence": "`level`",
    "cm.interval(m, 'accuracy').margin_of_error": "(high - low) / 2",
    "cm.compare({'a': m, 'b': m}).delta": "of('accuracy')",
    "cm.optimal_threshold": "confmat.best(confmat.thresholds(",
    "cm.llm_judge": "confmat.judged(",
    "cm.seqeval": "confmat.count_spans(",
    "cm.coco_eval": "confmat.count_boxes(",
    "cm.group_by": BY,
    "cm.cost_matrix": "confmat.cost_report(m, costs)",
    "cm.wandb": "confmat.score(m, 'f1.macro')",
    "cm.gate": "no_worse",
    "cm.version": "confmat.__version__",
    "cm.dump": "confmat.save(value, 'file.csv')",
    "cm.likelihood_ratio": "confmat.positive_likelihood_ratio",
    "from confmat import classification_report": "confmat.report(confmat.count(actual, predicted))",
    "from confmat import conut": "did you mean 'count'",
    # Attributes of a matrix.
    "m.groupby": BY,
    "m.f1_macro": "the score is spelt 'f1.macro'",
    "m.flatten()": "m.counts.ravel()",
    "m.data": "`counts`",
    "m.to_list()": "counts.tolist()",
    "m.filter": "m.select(labels)",
    "m.reindex": "m.reorder(labels)",
    "m.ovr": "m.one_vs_rest(label)",
    "m.percentages": "m.normalize('actual')",
    "m.display()": "confmat.show(m)",
    "m.write": SAVE,
    "m.to_df()": "to_pandas()",
    "m.compute()": "confmat.Tally",
    "m.add": "a + b",
    # Attributes of other results.
    "estimate.lower": "`low`",
    "estimate.stderr": "`se`",
    "report.accuracy": "report['accuracy']",
    "report.weighted_avg": "report['macro']",
    "found.pvalue": "of('accuracy')",
    "tally.compute()": "matrix()",
    # Arguments and their values.
    "cm.count(y_true=actual, y_pred=predicted)": "actual=",
    "cm.count(actual, predicted, group_by=groups)": "by=",
    "cm.count(actual, predicted, class_names=labels)": "labels=",
    "cm.count(actual, predicted, num_classes=2)": "labels=",
    "cm.count(actual, predicted, pos_label='cat')": "positive=",
    "cm.count(actual, predicted, sample_weights=scores)": "weights=",
    "cm.count(actual, predicted, n_jobs=2)": "threads=",
    "cm.count(actual, predicted, dropna=True)": "missing='drop'",
    "cm.count(actual, predicted, missing='ignore')": "missing='drop'",
    "cm.count(actual, predicted, ignore_index=0)": "other='drop'",
    "cm.count(actual, predicted, case_sensitive=False)": "confmat.Answers(labels)",
    "cm.count(actual, predicted, average='macro')": "f1(m, average='macro')",
    "cm.count(actual, predicted, threshold=0.5)": "confmat.from_scores(actual, scores, threshold=0.5)",
    "cm.report(m, ci=True)": "intervals=",
    "cm.report(m, precision=2)": "digits=",
    "cm.report(m, target_names=labels)": "m.relabel(names)",
    "cm.interval(m, 'f1.macro', n_boot=100)": "draws=",
    "cm.interval(m, 'f1.macro', random_state=1)": "seed=",
    "cm.interval(m, 'f1.macro', conf_level=0.9)": "level=",
    "cm.interval(m, 'f1.macro', bootstrap=True)": "method='bootstrap'",
    "cm.interval(m, 'f1.macro', method='percentile')": "method='bootstrap'",
    "cm.plot(m, percent=True)": "normalize=",
    "cm.plot(m, fmt='.2f')": "digits=",
    "cm.plot(m, xlabel='x')": "confmat.sklearn.ConfusionMatrixDisplay",
    "cm.save(m, 'x.pkl')": "confmat.save(value, 'file.json')",
    "cm.compare({'a': m, 'b': m}, alpha=0.1)": "level=0.95",
    "cm.f1(m, average='samples')": "items=",
}


@pytest.mark.parametrize("guess", GUESSES)
def test_a_guess_is_told_what_to_write(
    guess: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "plot" in guess:
        pytest.importorskip("matplotlib")
    said = message(guess)
    assert GUESSES[guess] in said
    assert "\n" not in said


@pytest.mark.parametrize(
    "line", sorted({line for line in GUESSES.values() if re.search(r"\w\(.*\)|=\S|\]", line)})
)
def test_what_is_named_runs(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "plot" in line:
        pytest.importorskip("matplotlib").use("agg")
    if "sklearn" in line:
        pytest.importorskip("sklearn")
    known = names()
    (tmp_path / "rows.csv").write_text("truth,guess\ncat,cat\ncat,dog\ndog,dog\n")
    if "frame" in line:
        pd = pytest.importorskip("pandas")
        known["frame"] = (
            M.to_pandas()
            if "from_frame" in line
            else pd.DataFrame({"y_true": ACTUAL, "y_pred": PREDICTED})
        )
    if "to_pandas" in line:
        pytest.importorskip("pandas")
    if "thresholds" in line or "from_scores" in line:
        known["actual"] = [0, 1, 1]
    found, tree, tally, rules = (known[name] for name in ("found", "tree", "tally", "rules"))
    # Attributes of the value at hand are named without it.
    known |= {
        "of": found.of,
        "ancestors": tree.ancestors,
        "update": tally.update,
        "matrix": tally.matrix,
    }
    tally.update(ACTUAL, PREDICTED)
    known |= {"read_one": rules.read_one, "to_pandas": M.to_pandas, "f1": cm.f1, "counts": M.counts}
    known |= {
        "compare_predictions": cm.compare_predictions,
        "path": "rows.csv",
        "name": "pet/cat",
        "label": "cat",
    }
    known |= {"answer": "cat", "costs": [[0, 2], [1, 0]]}
    if "save" in line and "path" in line:
        known["path"] = "out.csv"
    exec(line, known)  # noqa: S102 - the lines that our own messages name


def test_what_simply_works() -> None:
    one, other = cm.Tally(), cm.Tally()
    one.update(ACTUAL, PREDICTED)
    other.update(["hen"], ["cat"])
    both = one + other
    assert both.matrix() == cm.count([*ACTUAL, "hen"], [*PREDICTED, "cat"])
    assert one.matrix() == M
    with pytest.raises(TypeError):
        one + 1


@pytest.mark.parametrize("module", ["pandas", "polars"])
def test_a_frame_of_a_matrix_keeps_its_labels_or_is_refused(module: str) -> None:
    frames = pytest.importorskip(module)
    with pytest.raises(cm.InputError, match=rf"to_{module}\(\)"):
        frames.DataFrame(M)
    assert list(frames.DataFrame({"m": [M, M], "n": [1, 2]})["m"]) == [M, M]


def test_pandas_takes_a_matrix_for_one_value() -> None:
    pd = pytest.importorskip("pandas")
    assert list(pd.Series(M, index=[0, 1])) == [M, M]


def test_inner_modules_are_imported_from_the_package() -> None:
    from confmat import display, intervals, reporting

    assert all(map(bool, (display, intervals, reporting)))


# ---- the command line ----------------------------------------------------------------------------

# Words after `confmat`, where FILE is a file of rows; and the name in the message.
COMMANDS = {
    "help": "confmat --help",
    "evaluate": "confmat report FILE",
    "diff": "confmat compare FILE",
    "serve": "confmat html FILE -o page.html",
    "accuracy": "confmat report FILE --metrics accuracy",
    "preds.csv": "confmat report preds.csv",
    "report FILE --ci": "--intervals",
    "count FILE --ci": "confmat report FILE --intervals",
    "open FILE": "confmat html FILE -o page.html",
    "confusion FILE": "confmat count",
    "report FILE --metric f1": "--metrics",
    "report FILE --true truth": "--actual",
    "report FILE --y-pred guess": "--predicted",
    "report FILE --confidence 0.9": "--intervals",
    "report FILE --stratify site": "--by",
    "report FILE --classes cat,dog": "--labels",
    "report FILE --sample-weight w": "--weight",
    "report FILE --pos-label cat": "--positive",
    "report FILE --drop-na": "--missing drop",
    "report FILE --ignore-case": "--any-spelling",
    "report FILE --decimals 2": "--digits",
    "report FILE --jobs 2": "--threads",
    "report FILE --output-format json": "--format json",
    "report FILE --save x.json": "--output FILE",
    "report FILE --min 0.9": "--fail-under f1.macro=0.9",
    "report FILE --plot": "confmat html",
    "report FILE --normalize": "confmat show FILE --normalize actual",
    "report FILE --missing ignore": "'ignore' is none of error, drop, collect",
    "report FILE -f jsno": "did you mean 'json'?",
    "compare FILE --confidence 0.9": "--level",
    "compare FILE --baseline old": "--names",
    "gate FILE FILE --tolerance 0.01": "--no-worse accuracy=0.01",
    "thresholds FILE --metric f1": "--best",
    "thresholds FILE --y-score p": "--scores",
    "show FILE --sort frequency": "--order",
    "combine": "confmat merge",
    "export": "confmat show FILE -o OTHER",
    "check": "confmat report FILE --fail-under accuracy=0.9",
    "roc": "confmat thresholds FILE --scores COLUMN",
    "list": "confmat metrics",
    "coco": "confmat detect",
    "errors": "confmat show FILE --top 10",
    "judge": "confmat report FILE --judge COLUMN",
    "completion": "bash, zsh, fish",
}


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], Any]:
    """Run a command line among a few files: the exit status, and what is printed and complained."""
    if not CLI:
        pytest.skip("click is not installed")
    from confmat.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "preds.csv").write_text(
        "truth,guess,site,p,w\ncat,cat,a,0.1,1\ndog,cat,b,0.4,2\ndog,dog,a,0.8,1\n"
    )

    def runs(words: str) -> tuple[Any, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(shlex.split(words.replace("FILE", "preds.csv")))
        said = capfd.readouterr()
        return caught.value.code, said.out, said.err

    return runs


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_is_told_what_to_write(words: str, run: Callable[[str], Any]) -> None:
    status, out, said = run(words)
    assert (status, out) == (2, "")
    assert COMMANDS[words] in said
    assert "\\t" not in said


def test_suffixes_are_names_of_formats(run: Callable[[str], Any]) -> None:
    for suffix, name in {"md": "markdown", "tex": "latex", "txt": "table"}.items():
        assert run(f"report FILE -f {suffix}") == run(f"report FILE -f {name}")


def test_the_options_and_commands_of_the_table_exist() -> None:
    """Each option and command that a line names is one, of some command."""
    if not CLI:
        pytest.skip("click is not installed")
    from confmat.cli.program import COMMANDS as COMMANDS_THERE
    from confmat.cli.program import command_named

    options = {
        name
        for command in COMMANDS_THERE
        for one in command_named(command).params
        for name in one.opts
    }
    for row in ROWS:
        for line in row.partition(" -> ")[2].split(" | "):
            if form_of(line) == "command":
                first, *rest = line.split()[1:]
                assert first in COMMANDS_THERE or first.strip(",") in {"--help", "--version"}, row
                assert {word.strip(",") for word in rest if word.startswith("--")} <= options | {
                    "--help"
                }, row
            elif form_of(line) == "option":
                assert line.split()[0].strip(",") in options, row


# ---- the table itself ----------------------------------------------------------------------------


def test_the_names_of_the_table_exist() -> None:
    """Each name of confmat that a line mentions is there."""
    for row in ROWS:
        for path in re.findall(r"(?<![\w.])confmat((?:\.\w+)+)", row.partition(" -> ")[2]):
            if path.rpartition(".")[2] == "sklearn" or ".sklearn." in path:
                continue
            value: Any = cm
            for name in path.strip(".").split("."):
                value = (
                    getattr(value, name)
                    if hasattr(value, name)
                    else __import__(f"confmat.{name}", fromlist=["x"])
                )


def test_the_table_waits_until_something_is_missing() -> None:
    import subprocess
    import sys

    program = "import sys, confmat as cm; cm.score(cm.count([1, 2], [1, 1]), 'f1.macro'); "
    program += "print('confmat.core.words' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"

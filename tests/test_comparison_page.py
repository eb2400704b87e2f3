"""docs/comparison.md: each cell that says yes or no is tried, with confmat always, with the peers where they are."""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm

PAGE = Path(__file__).resolve().parent.parent / "docs" / "comparison.md"
pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="only in a clone, not in an installed package"
)

M = cm.ConfusionMatrix([[8, 2], [1, 9]], ["a", "b"])
PAIR = ["a", "b", "a"], ["a", "a", "b"]


def cells() -> dict[str, dict[str, str]]:
    """Read the tables whose columns are tools: feature, then tool, then what the page says."""
    found: dict[str, dict[str, str]] = {}
    for table in re.findall(
        r"^\| \| confmat .*?(?=\n\n)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    ):
        head, _, *rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
        ]
        found |= {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}
    return found


def named(room: str, *words: str) -> bool:
    """Say whether a public name of a module has one of the words in it."""
    return any(
        word in name.lower() for name in dir(importlib.import_module(room)) for word in words
    )


def takes(call: Callable[..., Any], *names: str) -> bool:
    return bool(set(names) & set(inspect.signature(call).parameters))


def works(call: Callable[[], Any]) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception:  # noqa: BLE001 - a peer may refuse in any way
        return False
    return True


def of_confmat() -> dict[str, Callable[[], Any]]:
    """One call for each thing that confmat can do."""
    items = cm.count_multilabel([["a"], ["b"]], [["a"], ["a", "b"]], along="item")
    boxes = (
        [{"boxes": [[0, 0, 9, 9]], "labels": ["a"]}],
        [{"boxes": [[0, 0, 9, 8]], "labels": ["b"], "scores": [0.9]}],
    )
    tags, sweep = cm.spans.spans_of_tags([["B-X", "O"]]), cm.thresholds([1, 0], [0.9, 0.1])
    rules = cm.Answers(["a", "b"], extract="answer is")
    gold = ["a", "b", "b", *(["a", "b"] * 10), *([None] * 9)]
    answers = ["a", "b"] * 16
    return {
        "text labels": lambda: cm.count(*PAIR),
        "weights of items": lambda: cm.count(*PAIR, weights=[1.5, 2, 1]),
        "several labels an item": lambda: items,
        "matrices of parts add up": lambda: M + M,
        "files larger than memory": lambda: cm.count_files,
        "data frames, databases and clusters, counted there": lambda: cm.count_frame,
        "100,000 classes": lambda: cm.f1(
            cm.ConfusionMatrix.from_pairs([(0, 1, 2)], range(100_000)), average="macro"
        ),
        "from the command line": lambda: importlib.import_module("confmat.cli").main,
        "boxes: which class is taken for which": lambda: cm.count_boxes(*boxes).labels,
        "label maps (segmentation)": lambda: cm.count_masks([[0, 1]], [[1, 1]]),
        "named entities": lambda: cm.count_spans(tags, tags),
        "free answers of language models": lambda: cm.count(
            ["a"], ["The answer is A."], answers=rules
        ),
        "ROC and precision-recall curves": lambda: [cm.roc(sweep), cm.pr_curve(sweep)],
        "Brier score, log loss or calibration": lambda: cm.calibration([1, 0], [0.9, 0.1]).brier,
        "from a ready matrix": lambda: cm.mcc(M),
        "macro, micro and weighted means": lambda: [
            cm.f1(M, average=each) for each in ("macro", "micro", "weighted")
        ],
        "specificity and NPV of each class": lambda: cm.specificity(M) + cm.npv(M),
        "costs of errors": lambda: cm.expected_cost(M, [[0, 1], [5, 0]]),
        "related classes (hierarchies)": lambda: cm.Hierarchy.from_paths({"a": "x/a", "b": "x/b"}),
        "do printed scores follow from a printed matrix?": lambda: cm.audit(
            M, {"accuracy": "0.85"}
        ),
        "interval of accuracy or recall": lambda: cm.interval(M, "recall[a]"),
        "interval of macro F1 or MCC": lambda: [
            cm.interval(M, each) for each in ("f1.macro", "mcc")
        ],
        "clusters, strata, sampled items": lambda: cm.count(*PAIR, strata=[1, 1, 1]).standardize(
            {1: 10}
        ),
        "a test whether two models differ": lambda: cm.compare_predictions(
            PAIR[0], dict(zip("xy", PAIR, strict=True))
        ),
        "a judge that errs, corrected by checked items": lambda: cm.judged(
            answers, answers, gold=gold
        ),
        "a plot of the matrix": lambda: cm.plot,
        "lists of what is confused most": lambda: cm.top_confusions(M),
        "summed over processes while training": lambda: importlib.util.find_spec("confmat.torch"),
    }


def of_scikit_learn() -> dict[str, bool]:
    from sklearn import metrics

    count = metrics.confusion_matrix
    return {
        "text labels": works(lambda: count(*PAIR)),
        "weights of items": works(lambda: count(*PAIR, sample_weight=[1.5, 2, 1])),
        "several labels an item": works(
            lambda: metrics.multilabel_confusion_matrix([[1, 0]], [[1, 1]])
        ),
        "ROC and precision-recall curves": named("sklearn.metrics", "roc_curve"),
        "Brier score, log loss or calibration": named("sklearn.metrics", "brier", "log_loss"),
        "regression": named("sklearn.metrics", "mean_squared_error"),
        "from a ready matrix": takes(metrics.f1_score, "confusion_matrix", "matrix", "cm"),
        "macro, micro and weighted means": takes(metrics.f1_score, "average"),
        "specificity and NPV of each class": named(
            "sklearn.metrics", "specificity", "predictive_value"
        ),
        "interval of accuracy or recall": named("sklearn.metrics", "interval", "bootstrap"),
        "interval of macro F1 or MCC": named("sklearn.metrics", "interval", "bootstrap"),
        "a test whether two models differ": named("sklearn.metrics", "mcnemar", "compare"),
        "boxes: which class is taken for which": named(
            "sklearn.metrics", "iou", "box", "detection"
        ),
        "costs of errors": takes(metrics.confusion_matrix, "costs")
        or named("sklearn.metrics", "cost"),
        "a plot of the matrix": named("sklearn.metrics", "confusionmatrixdisplay"),
    }


def of_torchmetrics() -> dict[str, bool]:
    import torch
    import torchmetrics
    from torchmetrics.functional import classification

    count, one = classification.multiclass_confusion_matrix, torch.tensor([1, 0])
    # The impossible label 5 of class 1 has to be somewhere; it is counted as class 2.
    assert count(torch.tensor([0, 5, 1]), torch.tensor([0, 1, 1]), 3)[2, 2] == 1
    return {
        "text labels": works(lambda: count(*PAIR, 2)),
        "weights of items": takes(count, "sample_weight", "weights"),
        "several labels an item": works(
            lambda: classification.multilabel_confusion_matrix(one[None], one[None], 2)
        ),
        "matrices of parts add up": hasattr(torchmetrics.Metric, "merge_state"),
        "boxes: which class is taken for which": named("torchmetrics.detection", "confusion"),
        "label maps (segmentation)": named("torchmetrics.segmentation", "meaniou"),
        "ROC and precision-recall curves": named("torchmetrics", "roc"),
        "Brier score, log loss or calibration": named("torchmetrics", "calibration"),
        "regression": named("torchmetrics", "meansquarederror"),
        "from a ready matrix": takes(
            classification.multiclass_f1_score, "confmat", "confusion_matrix"
        ),
        "macro, micro and weighted means": takes(classification.multiclass_f1_score, "average"),
        "specificity and NPV of each class": named(
            "torchmetrics.classification", "multiclassnegativepredictive"
        ),
        "a test whether two models differ": named("torchmetrics", "mcnemar"),
        "a plot of the matrix": hasattr(torchmetrics.ConfusionMatrix, "plot"),
        "summed over processes while training": takes(torchmetrics.Metric.__init__, "kwargs"),
    }


def of_pycm() -> dict[str, bool]:
    import pycm

    one = pycm.ConfusionMatrix(*PAIR)
    # The class that is not listed is left out, and None becomes a class.
    assert (
        pycm.ConfusionMatrix([*PAIR[0], "c"], [*PAIR[1], "c"], classes=["a", "b"]).matrix
        == one.matrix
    )
    assert "None" in pycm.ConfusionMatrix([None, "a"], ["a", "a"]).classes
    assert pycm.ConfusionMatrix(["a", "b"], ["a", "a"]).PPV["b"] == "None"
    return {
        "text labels": True,
        "weights of items": takes(pycm.ConfusionMatrix.__init__, "sample_weight"),
        "several labels an item": hasattr(pycm, "MultiLabelCM"),
        "matrices of parts add up": works(lambda: one.combine(one)),
        "ROC and precision-recall curves": hasattr(pycm, "ROCCurve") and hasattr(pycm, "PRCurve"),
        "Brier score, log loss or calibration": hasattr(one, "brier_score"),
        "from a ready matrix": works(lambda: pycm.ConfusionMatrix(matrix=one.matrix)),
        "macro, micro and weighted means": works(
            lambda: (one.F1_Macro, one.F1_Micro, one.weighted_average("F1"))
        ),
        "specificity and NPV of each class": works(lambda: (one.TNR, one.NPV)),
        "interval of accuracy or recall": works(lambda: (one.CI95, one.CI("TPR"))),
        "interval of macro F1 or MCC": works(lambda: one.CI("F1")) or works(lambda: one.CI("MCC")),
        "a test whether two models differ": named("pycm.compare", "mcnemar", "p_value"),
        "a plot of the matrix": hasattr(one, "plot"),
    }


def test_the_column_of_confmat_is_true() -> None:
    page, able = cells(), of_confmat()
    assert set(able) <= set(page), "a feature is spelt otherwise on the page"
    assert {name for name, row in page.items() if row["confmat"].startswith("yes")} == set(able)
    for call in able.values():
        call()
    for name in ("brier_score", "log_loss"):
        with pytest.raises(AttributeError, match="probabilities"):
            getattr(cm, name)


@pytest.mark.peers
@pytest.mark.parametrize(
    ("tool", "found"),
    [("scikit-learn", of_scikit_learn), ("torchmetrics", of_torchmetrics), ("PyCM", of_pycm)],
    ids=["sklearn", "torchmetrics", "pycm"],
)
def test_the_columns_of_installed_peers_are_true(
    tool: str, found: Callable[[], dict[str, bool]]
) -> None:
    pytest.importorskip({"scikit-learn": "sklearn"}.get(tool, tool.lower()))
    page = cells()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {name: page[name][tool].startswith("yes") for name in found()} == found()

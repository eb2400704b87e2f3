"""The audit on what was published: Coenen 2012, Kandza-Tadi 2020 on Manliguez 2016, and tables that are right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from confmat.auditing import Findings, audit

TABLES = json.loads(
    (Path(__file__).parents[1] / "data/published.json").read_text(encoding="utf-8")
)["tables"]

# ---- Coenen, On the use of confusion matrixes (2012): Table 2; his rows are what the classifier sa

LABELS = ["X", "Not X"]
SCORES = (
    "sensitivity[X]",
    "specificity[X]",
    "precision[X]",
    "precision[Not X]",
    "accuracy",
    "f1[X]",
)
EXAMPLES: dict[int, tuple[list[list[int]], str]] = {
    1: ([[50, 0], [0, 50]], "1.000 1.000 1.000 1.000 1.000 1.000"),
    2: ([[0, 50], [50, 0]], "0.000 0.000 0.000 0.000 0.000 0.000"),
    3: ([[50, 50], [0, 0]], "1.000 0.000 0.500 0.000 0.500 0.667"),
    4: ([[0, 0], [50, 50]], "0.000 1.000 0.000 0.500 0.500 0.000"),
    5: ([[25, 25], [25, 25]], "0.500 0.500 0.500 0.500 0.500 0.500"),
    6: ([[50, 25], [0, 25]], "1.000 0.500 0.667 1.000 1.000 0.800"),
}


def coenen(example: int, rows: Any) -> Findings:
    table, printed = EXAMPLES[example]
    return audit(table, dict(zip(SCORES, printed.split(), strict=True)), labels=LABELS, rows=rows)


def test_coenens_table_has_one_error_and_two_divisions_by_nothing() -> None:
    found = {
        (example, one.claim): one for example in EXAMPLES for one in coenen(example, "predicted")
    }
    errors = [place for place, one in found.items() if one.severity == "error"]
    warnings = {place: one.code for place, one in found.items() if one.severity == "warning"}
    assert errors == [(6, "accuracy")]
    assert warnings == {
        (3, "precision[Not X]"): "zero-division",
        (4, "precision[X]"): "zero-division",
    }
    assert len(found) == 36
    wrong = found[6, "accuracy"]
    assert wrong.evidence["value"] == 0.75
    assert "not reproducible from this matrix" in wrong.message


@pytest.mark.parametrize("example", [3, 4, 6])
def test_his_layout_taken_for_the_usual_one_is_found(example: int) -> None:
    found = coenen(example, "actual")
    assert found[0].code == "transposed"
    assert found[0].severity == "warning"
    right = coenen(example, "predicted")
    assert [(one.claim, one.severity) for one in found[1:]] == [
        (one.claim, one.severity) for one in right
    ]


def test_scores_that_transposition_leaves_alone_reveal_nothing() -> None:
    m = cm.ConfusionMatrix([[30, 10, 5], [2, 40, 3], [1, 1, 60]])
    names = ("accuracy", "f1.macro", "mcc", "kappa", "jaccard.macro")
    claims = {name: f"{cm.score(m, name):.4f}" for name in names}
    assert audit(m.T, claims).codes == ("reproduced",)
    telling = claims | {"recall[0]": f"{cm.score(m, 'recall[0]'):.4f}"}
    assert audit(m.T.counts, telling)[0].claim == "orientation"
    # One claim is too little where the orientation was stated, by the matrix or by hand.
    for found in (audit(m.T, telling), audit(m.T.counts, telling, rows="actual")):
        assert [(one.claim, one.severity) for one in found] == [
            *((name, "ok") for name in names),
            ("recall[0]", "warning"),
        ]
    two = telling | {"precision[1]": f"{cm.score(m, 'precision[1]'):.4f}"}
    assert audit(m.T, two)[0].claim == "orientation"


# ---- Kandza-Tadi (2020) on the formulas of Manliguez (2016) --------------------------------------

ANIMALS = cm.ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])
MANLIGUEZ = {
    "precision[Cat]": ".571429", "precision[Fish]": ".923077", "precision[Hen]": ".8",
    "recall[Cat]": ".857143", "recall[Fish]": ".6", "recall[Hen]": ".8",
}  # fmt: skip


@pytest.mark.parametrize("part", ["precision", "recall", ""])
def test_manliguez_is_found(part: str) -> None:
    claims = {name: text for name, text in MANLIGUEZ.items() if name.startswith(part)}
    found = audit(ANIMALS, claims)
    assert found.codes == ("manliguez",)
    assert len(found.errors) == len(claims)
    assert all("ΣTP / (ΣTP + F" in one.message for one in found)
    assert all(one.evidence["chance"] < 1e-5 for one in found)


def test_f_beta_with_1_plus_beta() -> None:
    (found,) = audit(ANIMALS, {"f2[Fish]": ".140"})
    assert (found.code, found.severity) == ("f-beta-1-plus-beta", "error")
    assert "(1 + β) P R / (β² P + R)" in found.message
    assert 0 < found.evidence["chance"] < 0.5


def test_his_corrected_table_is_right() -> None:
    rows = {
        "Cat": "0.307692 0.666667 0.526316 0.421053 0.56",
        "Fish": "0.666667 0.2 0.933333 0.307692 0.64",
        "Hen": "0.666667 0.666667 0.8125 0.666667 0.76",
    }
    names = ("precision", "recall", "specificity", "f1", "class_accuracy")
    claims = {
        f"{name}[{label}]": text
        for label, row in rows.items()
        for name, text in zip(names, row.split(), strict=True)
    }
    assert audit(ANIMALS, claims | {"accuracy": "0.48"}).codes == ("reproduced",)


# ---- tables that are right, and two that are not -------------------------------------------------

NAMES: dict[str, Any] = {
    "class_gmean": "class_g_mean", "gmean": "class_g_mean", "iba": "iba(1)", "aupr_pycm": "aupr",
    "mcc_class": "class_mcc", "auc_trapezoid": "auc",
    "kappa_custom_cohen1968": cm.metric("weighted_kappa")([[0, 1, 3], [1, 0, 6], [3, 6, 0]]),
}  # fmt: skip
# Intervals and tests are no scores of a matrix.
NO_SCORES = ("_ci95_", "p_acc_gt_nir", "mcnemar_", "_se_")


def claimed(table: dict[str, Any]) -> dict[Any, tuple[str, str]]:
    """Score, printed text and what is expected."""
    found: dict[Any, tuple[str, str]] = {}
    for claim in table["claims"]:
        name = claim["metric"]
        if any(part in name for part in NO_SCORES):
            continue
        average, _, base = name.partition("_")
        name = f"{base}.{average}" if average in {"macro", "weighted"} else NAMES.get(name, name)
        of_class = claim["cls"] is not None and cm.metrics.parse_score(name).metric.kind == "class"
        key = f"{name}[{table['labels'][claim['cls']]}]" if of_class else name
        found[key] = (f"{claim['value']:.{claim['decimals']}f}", claim["expect"])
    return found


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table["id"])
def test_published_tables(table: dict[str, Any]) -> None:
    asked = claimed(table)
    assert asked
    found = audit(
        table["matrix"], {name: text for name, (text, _) in asked.items()}, labels=table["labels"]
    )
    expected = ["ok" if expect == "ok" else "error" for _, expect in asked.values()]
    assert [one.severity for one in found] == expected
    if table["kind"] == "right":
        assert found.codes == ("reproduced",)


def test_macro_f_of_onedal() -> None:
    value = cm.score(ANIMALS, "f1_of_macro")
    assert f"{value:.4f}" != f"{cm.score(ANIMALS, 'f1.macro'):.4f}"
    (found,) = audit(ANIMALS, {"f1.macro": f"{value:.4f}"})
    assert (found.code, found.severity) == ("another-meaning", "warning")
    assert "F1 of macro precision and macro recall" in found.message
    (back,) = audit(ANIMALS, {"f1_of_macro": f"{cm.score(ANIMALS, 'f1.macro'):.4f}"})
    assert back.code == "another-meaning"
    assert "f1.macro, the mean of F instead of the F of means" in back.message


def test_the_wrong_accuracy_contradicts_the_other_claims_whatever_the_matrix_is() -> None:
    (wrong,) = coenen(6, "predicted").errors
    assert wrong.evidence["proof"].startswith(
        "no table of counts with these totals has it together with specificity[X]"
    )

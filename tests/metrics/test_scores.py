"""One spelling for a score, and what it finds."""

from __future__ import annotations

import pytest

from confmat import ConfusionMatrix, Labels, MetricError
from confmat import metrics as cm
from confmat.metrics.catalog import one_number, parse_score, score

ANIMALS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], ["Cat", "Fish", "Hen"])


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("f1", "f1"), ("F1-score", "f1"), ("f1.macro", "f1.macro"), ("f1[Cat]", "f1[Cat]"), ("f2", "f2"),
        ("f0.5", "f0.5"), ("f0.5.weighted", "f0.5.weighted"), ("tversky(0.3, 0.7)", "tversky(0.3, 0.7)"),
        ("tversky(0.3,0.7).macro", "tversky(0.3, 0.7).macro"), ("tpr.min", "recall.min"), ("mcc", "mcc"),
        ("f0.5[a.b]", "f0.5[a.b]"), ("recall[a[0]]", "recall[a[0]]"), ("pycm:TPR.macro", "recall.macro"),
    ],
)  # fmt: skip
def test_scores_are_spelt_one_way(text: str, canonical: str) -> None:
    assert str(parse_score(text)) == canonical
    assert str(parse_score(canonical)) == canonical


def test_scores_give_values() -> None:
    assert score(ANIMALS, "f1.macro") == cm.f1(ANIMALS, average="macro")
    assert score(ANIMALS, "f1[Hen]") == 6 / 9
    assert score(ConfusionMatrix([[2, 1], [0, 1]]), "recall[0]") == 2 / 3
    assert score(ConfusionMatrix([[2, 1], [0, 1]], [True, False]), "recall[True]") == 2 / 3
    assert score(ANIMALS, "kappa") == cm.kappa(ANIMALS)


def test_a_bare_score_per_class_is_that_of_the_positive_one_of_two_classes() -> None:
    assert str(one_number("recall", Labels(["no", "yes"], positive="yes"))) == "recall[yes]"
    assert str(one_number("recall", Labels([0, 1]))) == "recall[1]"
    assert str(one_number("recall.macro", Labels([0, 1]))) == "recall.macro"
    assert str(one_number("mcc", Labels(["Cat", "Hen"]))) == "mcc"
    assert str(one_number(cm.recall, Labels([False, True]))) == "recall[True]"


@pytest.mark.parametrize("names", [["Cat", "Hen"], ["Cat", "Fish", "Hen"]])
def test_other_bare_scores_per_class_are_no_number(names: list[str]) -> None:
    with pytest.raises(MetricError, match=r"say 'sensitivity.macro'(,| or) 'sensitivity\[Cat\]'"):
        one_number("sensitivity", Labels(names))
    with pytest.raises(MetricError, match=r"say 'recall.macro' or 'recall\[Cat\]'"):
        one_number(cm.recall, Labels(["Cat", "Fish", "Hen"], positive="Hen"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f_beta", "needs parameters, such as f_beta\\(2\\)"),
        ("mcc.macro", "nothing to average"),
        ("mcc[Cat]", "one number"),
        ("f1.macro[Cat]", "one number"),
        ("f1.makro", "did you mean 'macro'"),
        ("recal.macro", "did you mean 'recall'"),
        ("recall(2)", "takes no parameters"),
        ("f_beta(1, 2, 3)", "f_beta"),
        ("f_beta(-1)", "from 0 up"),
    ],
)
def test_misspelt_scores_are_explained(text: str, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        parse_score(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("precision_score", "did you mean 'precision' or 'sklearn:precision_score'"),
        ("mean_iou", "'jaccard.macro'"),
        ("gmean", "'class_g_mean'.*'multiclass_g_mean'"),
        ("phi", "'mcc'.*'phi_squared'"),
        ("FAR", "'false_discovery_rate' \\(false alarm ratio\\).*'false_positive_rate'"),
        ("balanced error rate", "'false_negative_rate.macro'"),
        ("McNemar", "compare_predictions"),
        ("csi", "'jaccard' \\(critical success index\\).*'classification_success_index'"),
        (
            "GSS",
            "'equitable_threat_score' \\(Gilbert skill score\\) to most, 'gerrity_score' to some",
        ),
        ("mAcc", "'recall.macro'"),
        ("BA", "'balanced_accuracy' of the whole matrix.*'one_point_auc' of one class"),
        ("FM", "'g_measure' of one class.*'fowlkes_mallows' of pairs of items"),
        ("roc_auc", "scores or probabilities.*'one_point_auc'"),
        ("ece", "computed from probabilities"),
        ("AURC", r"risk_coverage\(actual, predicted, confidence\)"),
        ("top-5 accuracy", r"top_k_accuracy\(actual, scores, k=5\)"),
        ("abstention_rate", r"unanswered\(m\)"),
        ("severity", r"severity\(m, hierarchy\)"),
        ("KS statistic", r"best\(thresholds\(actual, scores\), 'informedness'\)"),
        ("subset accuracy", r"report\(stack, items=items\)"),
        ("LRAP", "scores or probabilities.*all labels of an item"),
    ],
)
def test_names_from_elsewhere_are_told_what_they_mean(text: str, words: str) -> None:
    with pytest.raises(MetricError, match=words):
        cm.metric(text)
    with pytest.raises(MetricError, match=words):
        parse_score(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("Macro-F1", "f1.macro"),
        ("F1 (macro)", "f1.macro"),
        ("macro_f1", "f1.macro"),
        ("weighted precision", "precision.weighted"),
        ("Se (weighted)", "recall.weighted"),
    ],
)
def test_means_are_read_as_they_are_printed(text: str, canonical: str) -> None:
    assert str(parse_score(text)) == canonical
    assert score(ANIMALS, text) == score(ANIMALS, canonical)
    # A metric has no mean in its name.
    with pytest.raises(MetricError, match=f"the score is spelt '{canonical}'"):
        cm.metric(text)


def test_a_mean_of_what_has_none_is_no_score() -> None:
    for text in ("Macro-MCC", "MCC (macro)", "F1 (Cat)", "F1 (mean)", "macro"):
        with pytest.raises(MetricError):
            parse_score(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("balanced_acc", "balanced_accuracy"),
        ("IoU", "jaccard"),
        ("BM", "informedness"),
        ("PT", "prevalence_threshold"),
        ("Matthews correlation coefficient", "mcc"),
        ("κ", "kappa"),
        ("Acc.", "accuracy"),
        ("Se", "recall"),
        ("Cohen\u2019s Kappa", "kappa"),
        ("Cram\u00e9r's V", "cramer_v"),
        ("Youden's J", "informedness"),
        ("Gwet's AC1", "gwet_ac1"),
        ("S\u00f8rensen\u2013Dice", "f1"),
        ("QWK", "weighted_kappa_quadratic"),
        ("LR+", "positive_likelihood_ratio"),
        ("LR\u2212", "negative_likelihood_ratio"),
    ],
)
def test_short_names_are_found(text: str, name: str) -> None:
    assert cm.metric(text).name == name


@pytest.mark.parametrize("text", ["F2", "f2", "f_2", "f-beta-2", "F2 score", "fbeta2", "f2.0"])
def test_an_f_is_found_by_its_beta_anywhere(text: str) -> None:
    assert cm.metric(text) is parse_score(text).metric is cm.f_beta(2)

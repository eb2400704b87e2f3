"""Names of peers: every one resolves, none means two things, and each gives what it promises."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError
from confmat.metrics import peers
from confmat.metrics.catalog import find, metric, peer_names
from confmat.metrics.declaration import Factory, Metric, catalog, factories
from confmat.metrics.peers import WITHOUT, PeerScore, PeerValue, entries, lines

CATS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
SPAM = ConfusionMatrix([[231, 32], [27, 54]], labels=["ham", "spam"], positive="spam")
# Class c never occurs, class d is nowhere.
GAPS = ConfusionMatrix(
    [[4, 1, 2, 0], [2, 6, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], labels=list("abcd")
)

CLASS_KEYS = [
    *(
        "TP",
        "TN",
        "FP",
        "FN",
        "POP",
        "P",
        "N",
        "TOP",
        "TON",
        "TPR",
        "TNR",
        "PPV",
        "NPV",
        "FNR",
        "FPR",
        "FDR",
        "FOR",
    ),
    *(
        "ACC",
        "F1",
        "MCC",
        "BM",
        "MK",
        "PLR",
        "NLR",
        "DOR",
        "PRE",
        "G",
        "RACC",
        "F0.5",
        "F2",
        "ERR",
        "RACCU",
        "J",
        "IS",
    ),
    *(
        "CEN",
        "MCEN",
        "AUC",
        "dInd",
        "sInd",
        "DP",
        "Y",
        "GI",
        "LS",
        "AM",
        "OP",
        "IBA",
        "GM",
        "Q",
        "AGM",
        "AGF",
        "OC",
    ),
    *("OOC", "AUPR", "ICSI", "BB", "HD", "BCD", "PR", "TOPR"),
]
OVERALL_KEYS = [
    *(
        "ACC Macro",
        "ARI",
        "AUNU",
        "Bangdiwala B",
        "Bennett S",
        "CBA",
        "CSI",
        "Chi-Squared",
        "Conditional Entropy",
    ),
    *(
        "Cramer V",
        "F1 Macro",
        "F1 Micro",
        "FNR Macro",
        "FNR Micro",
        "FPR Macro",
        "FPR Micro",
        "Gwet AC1",
    ),
    *(
        "Hamming Loss",
        "Joint Entropy",
        "KL Divergence",
        "Kappa",
        "Kappa No Prevalence",
        "Kappa Unbiased",
    ),
    *(
        "Krippendorff Alpha",
        "Lambda A",
        "Lambda B",
        "Mutual Information",
        "NIR",
        "NPV Macro",
        "NPV Micro",
    ),
    *(
        "Overall ACC",
        "Overall CEN",
        "Overall MCC",
        "Overall MCEN",
        "Overall RACC",
        "Overall RACCU",
        "PPV Macro",
    ),
    *(
        "PPV Micro",
        "Pearson C",
        "Phi-Squared",
        "RR",
        "Reference Entropy",
        "Response Entropy",
        "Scott PI",
    ),
    *("TNR Macro", "TNR Micro", "TPR Macro", "TPR Micro", "Zero-one Loss"),
]
ONEDAL = "averageAccuracy errorRate microPrecision microRecall microFscore macroPrecision macroRecall macroFscore"


def test_the_lists_are_whole() -> None:
    """With the six grades of classes, and the four formulas, ten grades and six values of whole matrices."""
    assert (len(CLASS_KEYS) + 6, len(OVERALL_KEYS) + 4 + 10 + 6) == (65, 69)


@pytest.mark.parametrize("key", [*CLASS_KEYS, *OVERALL_KEYS])
def test_pycm_keys_resolve(key: str) -> None:
    found = metric(f"pycm:{key}")
    assert isinstance(found, (Metric, PeerScore))
    found(CATS)


@pytest.mark.parametrize("name", list(peer_names()))
def test_every_name_is_callable_with_a_matrix_or_makes_what_is(name: str) -> None:
    found = metric(name)
    if isinstance(found, Factory):
        found = found(*found.example)
    value = found(SPAM)
    if isinstance(found, PeerScore):
        assert isinstance(value, float)


def test_every_namespace_is_explained() -> None:
    spaces = {name.partition(":")[0] for name in peer_names()}
    assert set(peers.PEERS) <= spaces


@pytest.mark.parametrize("name", list(lines()))
def test_tables_name_what_there_is(name: str) -> None:
    line = lines()[name]
    assert isinstance(line, PeerValue) or line.target in catalog() or line.target in factories()


def test_a_peers_name_means_one_thing() -> None:
    """The declarations of metrics and the tables agree: the same metric, or one averaging of it."""
    declared: dict[str, list[str]] = {}
    declaring: list[Any] = [*catalog().values(), *factories().values()]
    for one in declaring:
        for peer, names in one.peers.items():
            for name in (names,) if isinstance(names, str) else names:
                declared.setdefault(f"{peer}:{name}", []).append(one.name)
    twice = {
        name: owners
        for name, owners in declared.items()
        if len(owners) > 1 and name not in entries()
    }
    assert twice == {}


@pytest.mark.parametrize("name", list(WITHOUT))
def test_a_name_without_a_counterpart_is_refused_with_the_nearest(name: str) -> None:
    bare = name.partition(":")[2]
    for spelling in (name, name.lower().replace(" ", "_"), f"pycm: {bare}"):
        with pytest.raises(
            MetricError, match=re.escape(f"no counterpart; the nearest is {WITHOUT[name]}") + "$"
        ):
            metric(spelling)
    assert find(name) is None
    assert name not in {*peer_names(), *entries()}


@pytest.mark.parametrize("nearest", sorted(set(WITHOUT.values())))
def test_the_nearest_gives_an_answer(nearest: str) -> None:
    """It is a score, or Python for a matrix m."""
    if "m" in re.findall(r"\w+", nearest):
        names = {"interval": cm.interval, "metrics": cm.metrics, "m": CATS}
        assert eval(nearest, names) is not None  # noqa: S307 - the texts are ours
    else:
        assert np.isfinite(cm.score(CATS, nearest)).all()


def test_a_name_without_a_counterpart_is_known_without_its_namespace() -> None:
    with pytest.raises(MetricError, match=r"the nearest is koppen_1$"):
        metric("KoppenI")
    with pytest.raises(MetricError, match="did you mean"):
        metric("pycm:KoppenIII")


def test_names_are_found_in_any_case() -> None:
    assert metric("pycm:overall mcc") is metric("pycm:Overall MCC") is metric("mcc")
    assert metric("sklearn:recall_score") is metric("recall")


def test_misspelt_names_are_answered() -> None:
    with pytest.raises(MetricError, match="did you mean 'sklearn:recall_score'"):
        metric("sklearn:recal_score")
    with pytest.raises(MetricError, match="the namespaces are"):
        metric("sklaern:recall_score")


def test_pycm_macro_is_the_plain_mean_or_nothing() -> None:
    assert metric("pycm:TPR Macro")(CATS) == pytest.approx((4 / 6 + 2 / 10 + 6 / 9) / 3)
    assert math.isnan(metric("pycm:TPR Macro")(GAPS))
    assert metric("recall")(GAPS, average="macro") == pytest.approx((4 / 7 + 6 / 9) / 2)


def test_torchmetrics_macro_runs_over_the_classes_seen() -> None:
    """Class c is predicted but never occurs and counts 0; class d is nowhere and does not count."""
    assert metric("torchmetrics:multiclass_recall(average='macro')")(GAPS) == pytest.approx(
        (4 / 7 + 6 / 9) / 3
    )


def test_yardstick_macro_leaves_out_what_is_undefined() -> None:
    expected = (4 / 6 + 6 / 7 + 0) / 3
    assert metric("yardstick:precision(estimator='macro')")(GAPS) == pytest.approx(expected)


@pytest.mark.parametrize("name", ONEDAL.split())
def test_onedal_names(name: str) -> None:
    assert isinstance(metric(f"onedal:{name}")(CATS), float)


def test_onedal_error_rate_is_not_the_error_rate() -> None:
    assert metric("onedal:errorRate")(CATS) == pytest.approx(2 * 13 / 25 / 3)
    assert metric("onedal:microFscore")(CATS) == 12 / 25


def test_likelihood_ratios_want_a_positive_class() -> None:
    expected = ((54 / 81) / (32 / 263), (27 / 81) / (231 / 263))
    assert metric("sklearn:class_likelihood_ratios")(SPAM) == pytest.approx(expected)
    with pytest.raises(MetricError, match="positive"):
        metric("sklearn:class_likelihood_ratios")(CATS)


def test_caret_has_an_exact_interval_and_two_tests() -> None:
    """285 of 344 right: the interval of Clopper and Pearson, and the p-values that caret prints for this table."""
    from scipy.stats import binomtest

    table = ConfusionMatrix([[231, 27], [32, 54]], labels=["a", "b"])
    low, high = metric("caret:AccuracyLower, AccuracyUpper")(table)
    assert (low, high) == pytest.approx(binomtest(285, 344).proportion_ci(method="exact"))
    assert metric("caret:AccuracyPValue")(table) == pytest.approx(0.0003097, rel=1e-3)
    assert metric("caret:McnemarPValue")(table) == pytest.approx(0.6025370, rel=1e-6)


def test_a_peer_value_introduces_itself() -> None:
    assert repr(metric("sklearn:homogeneity_completeness_v_measure")) == (
        "<PeerValue sklearn:homogeneity_completeness_v_measure: the three numbers as a tuple>"
    )
    assert repr(metric("pycm:TPR Macro")).startswith("<PeerScore recall.macro")


def test_pair_confusion_counts_ordered_pairs() -> None:
    (apart, false), (missed, together) = metric("sklearn:pair_confusion_matrix")(CATS)
    assert together == sum(x * (x - 1) for x in np.ravel(CATS.counts).tolist())
    assert apart + false + missed + together == 25 * 24

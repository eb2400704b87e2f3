"""Names of peers: every one resolves, none means two things, and each gives what it promises."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat import ConfusionMatrix
from confmat.core.errors import MetricError
from confmat.metrics import peers
from confmat.metrics.catalog import find, metric, peer_names
from confmat.metrics.declaration import Factory, catalog, factories
from confmat.metrics.peers import WITHOUT, PeerScore, PeerValue, entries, lines

CATS = ConfusionMatrix([[4, 1, 1], [6, 2, 2], [3, 0, 6]], labels=["Cat", "Fish", "Hen"])
SPAM = ConfusionMatrix([[231, 32], [27, 54]], labels=["ham", "spam"], positive="spam")
# Class c never occurs, class d is nowhere.
GAPS = ConfusionMatrix(
    [[4, 1, 2, 0], [2, 6, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], labels=list("abcd")
)


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


def test_yardstick_macro_leaves_out_what_is_undefined() -> None:
    expected = (4 / 6 + 6 / 7 + 0) / 3
    assert metric("yardstick:precision(estimator='macro')")(GAPS) == pytest.approx(expected)


def test_what_onedal_printed() -> None:
    path = Path(__file__).parents[1] / "data" / "onedal_reference.json"
    for case in json.loads(path.read_text(encoding="utf-8"))["cases"]:
        m = ConfusionMatrix(case["matrix"])
        for name, value in case["metrics"].items():
            theirs, found = math.nan if value is None else value, metric(f"onedal:{name}")
            if name == "macroFscore":
                found = metric("f_of_macro")(case["beta"])
            if name != "macroFscore" or theirs == theirs:
                assert found(m) == pytest.approx(theirs, nan_ok=True), name


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

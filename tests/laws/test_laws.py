"""Every metric of the catalog obeys every law, on matrices that Hypothesis draws and on a pool with every corner."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from confmat import ConfusionMatrix
from confmat.metrics.averages import AVERAGES
from confmat.metrics.catalog import metric
from tests.laws.averaging import AVERAGING, IDENTITIES, averages_as_promised, names_are_unique
from tests.laws.checks import LAWS, POOL_LAWS, PoolLaw, a_mean_of_items_adds_them_up
from tests.laws.samples import METRICS, corners, matrices, matrix, pool

PER_CLASS = [
    name for name, one in METRICS.items() if one.kind == "class" and one.needs == "margins"
]


# Fifteen laws for each of two hundred metrics: a few matrices each add up.
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=max(5, settings().max_examples // 5))
@given(m=matrices())
def test_laws(name: str, m: ConfusionMatrix) -> None:
    one = METRICS[name]
    for law in LAWS:
        if law.applies(one):
            law.check(one, m)


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_laws_in_the_corners(name: str) -> None:
    one = METRICS[name]
    for m in corners():
        for law in LAWS:
            if law.applies(one):
                law.check(one, m)


@pytest.mark.parametrize("count", [0, 5])
def test_laws_of_a_single_class(count: int) -> None:
    """A single class has no transpose and no slope, but bounds, reasons and a best value."""
    m = matrix([[count]])
    for one in METRICS.values():
        for law in LAWS:
            if law.name in {
                "within_bounds",
                "says_why_it_has_no_value",
                "perfection_scores_best",
            } and law.applies(one):
                law.check(one, m)


@pytest.mark.parametrize("law", POOL_LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("name", METRICS)
def test_no_fact_is_declared_in_vain(name: str, law: PoolLaw) -> None:
    if law.applies(METRICS[name]):
        law.check(METRICS[name], pool())


@pytest.mark.slow
@pytest.mark.parametrize("average", [*AVERAGING, "micro"])
@pytest.mark.parametrize("name", PER_CLASS)
def test_averages_are_what_they_say(name: str, average: str) -> None:
    one = METRICS[name]
    how = AVERAGES[average]
    if not how.negative and (one.bounds[0] is None or one.bounds[0] < 0):
        with pytest.raises(ValueError, match="can be negative"):
            one(corners()[0], average=average, undefined="skip")
        return
    for m in corners():
        averages_as_promised(one, m, average)


@pytest.mark.parametrize("name", ["recall", "precision", "f1", "jaccard", "class_mcc"])
@given(m=matrices())
def test_averages_of_the_headlines(name: str, m: ConfusionMatrix) -> None:
    for average, how in AVERAGES.items():
        if how.negative or METRICS[name].bounds[0] == 0:
            averages_as_promised(METRICS[name], m, average)


def test_every_average_has_its_law() -> None:
    assert set(AVERAGES) == {*AVERAGING, "micro"}


@pytest.mark.parametrize("sentence", IDENTITIES)
@given(m=matrices())
def test_identities(sentence: str, m: ConfusionMatrix) -> None:
    IDENTITIES[sentence](metric, m)


def test_no_two_metrics_share_a_name() -> None:
    names_are_unique(list(METRICS.values()))


def test_no_two_metrics_share_a_title() -> None:
    titles = [one.title.casefold() for one in METRICS.values()]
    assert sorted(set(titles)) == sorted(titles)


@pytest.mark.parametrize("name", METRICS)
def test_metrics_speak_in_sentences(name: str) -> None:
    one = METRICS[name]
    assert one.title[:1] == one.title[:1].upper()
    assert one.summary.endswith((".", ":"))
    assert not (one.undefined or "").endswith(".")
    assert one.references or one.family != "coefficients"


def test_every_metric_shows_a_formula() -> None:
    assert [name for name, one in METRICS.items() if not one.latex] == []


def test_an_index_of_another_score_shows_its_formula() -> None:
    one = metric("iba")(0.5, metric("f1"))
    for m in pool():
        for law in LAWS:
            if law.applies(one):
                law.check(one, m)
    assert "left" in one.latex


@given(m=matrices(most=2))
def test_a_cost_is_a_mean_of_items(m: ConfusionMatrix) -> None:
    one = metric("cost")([[0, 1], [5, 0]])
    assert one.mean_of_items
    a_mean_of_items_adds_them_up(one, m)

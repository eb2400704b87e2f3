"""Intervals of means over labels: by hand, by drawing anew, in any order and form of tables, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse, stats

import confmat as cm
from confmat.intervals import Estimate, Estimates
from confmat.metrics.items import gathered

Array = NDArray[Any]
NAMES = ["cat", "dog", "hen", "cow"]


def drawn(seed: int, n: int = 200, size: int = 4) -> tuple[Array, Array]:
    """Labels that go together, and answers that are worse on some items."""
    rng = np.random.default_rng(seed)
    true = rng.random((n, size)) < rng.choice([0.1, 0.6], (n, 1))
    return true, np.where(rng.random((n, size)) < rng.choice([0.02, 0.3], (n, 1)), ~true, true)


def both(true: Any, said: Any, **how: Any) -> tuple[cm.Stack, cm.Stack]:
    return cm.count_multilabel(true, said, **how), cm.count_multilabel(
        true, said, along="item", **how
    )


def test_a_standard_error_by_hand() -> None:
    true, said = drawn(0)
    stack, items = both(true, said, labels=NAMES)
    # The recall of a label moves with each item that has it by (hit - recall) / n, and the mean by
    # a quarter of that.
    recall = (true & said).sum(axis=0) / true.sum(axis=0)
    added = (((true & said) - recall * true) / true.sum(axis=0)).mean(axis=1)
    found = cm.interval(stack, "recall.macro", items=items)
    assert found.value == pytest.approx(recall.mean())
    assert found.se == pytest.approx(np.sqrt(len(true) * added.var(ddof=1)))
    assert (found.name, found.design) == ("recall.macro", "200 items")
    assert cm.interval(stack, cm.recall, items=items, average="macro") == found
    # Weighted by the items of each label, recall is the share of all labels that were found: micro
    # recall.
    weighted, micro = (
        cm.interval(stack, f"recall.{how}", items=items) for how in ("weighted", "micro")
    )
    assert (weighted.value, weighted.se) == pytest.approx((micro.value, micro.se))


def test_of_one_label_alone_the_interval_is_that_of_its_matrix() -> None:
    stack, items = both(*drawn(2), labels=NAMES)
    alone = cm.interval(stack["dog"], cm.f1, of=True)
    named = cm.interval(stack, "f1[dog]", items=items)
    assert (named.low, named.high, named.name) == (alone.low, alone.high, "f1[dog]")
    every = cm.interval(stack, "f1", items=items)
    assert isinstance(every, Estimates)
    assert every.of("dog").low == alone.low
    assert list(every.labels) == NAMES
    one, more = both(drawn(2)[0][:, :1], drawn(2)[1][:, :1])
    assert cm.interval(one, "f1.macro", items=more).se == pytest.approx(
        np.sqrt(200 / 199) * cm.interval(one, "f1[0]", items=more).se
    )


def test_forms_and_orders_of_the_tables_change_nothing() -> None:
    true, said = drawn(3, 60, 11)
    expected = cm.interval(both(true, said)[0], "f1.macro", items=both(true, said)[1])
    order = np.random.default_rng(0).permutation(11)
    names = [f"label {i}" for i in range(11)]
    sets = [[[names[i] for i in np.flatnonzero(row)] for row in side] for side in (true, said)]
    for stack, items in (
        both(sparse.csr_array(true.astype(int)), sparse.csr_array(said.astype(int))),
        (both(true, said, labels=names)[0], both(*sets, labels=[names[i] for i in order])[1]),
        (both(*sets, labels=names)[0], both(true, said)[1]),
    ):
        found = cm.interval(stack, "f1.macro", items=items)
        assert (found.low, found.high, found.se) == pytest.approx(
            (expected.low, expected.high, expected.se)
        )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("factor", [1, 1e-200, 1e200])
def test_weights_count_squared(factor: float) -> None:
    true, said = drawn(4)
    weights = np.random.default_rng(4).integers(1, 4, 200)
    stack, items = both(true, said, weights=weights * factor)
    recall = weights @ (true & said) / (weights @ true)
    added = weights * (((true & said) - recall * true) / (weights @ true)).mean(axis=1)
    found = cm.interval(stack, "recall.macro", items=items)
    assert "f1" in str(cm.report(stack, items=items, intervals=True))
    assert found.se == pytest.approx(np.sqrt(200 * added.var(ddof=1)))
    whole = cm.interval(
        both(true, said, weights=weights)[0],
        "recall.macro",
        items=both(true, said, weights=weights)[1],
    )
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high))


def test_without_errors_there_is_a_width_whatever_items_weigh() -> None:
    true = drawn(5)[0]
    plain = cm.interval(both(true, true)[0], "f1.macro", items=both(true, true)[1])
    assert plain.value == plain.high == 1
    assert 0.9 < plain.low < 0.999
    for factor in (1e-3, 1e3):
        stack, items = both(true, true, weights=np.full(200, factor))
        for score in ("f1.macro", "f1.micro", "f1.samples"):
            found, unweighted = (
                cm.interval(pair[0], score, items=pair[1])
                for pair in ((stack, items), both(true, true))
            )
            assert found.low == pytest.approx(unweighted.low), score


@pytest.mark.parametrize(
    "score", ["f1.macro", "recall.weighted", "precision.macro", "class_accuracy.macro"]
)
@pytest.mark.parametrize("size", [1, 3])
def test_labels_that_all_items_have_and_get_are_not_certain(score: str, size: int) -> None:
    every = np.ones((30, size), bool)
    stack, items = both(every, every)
    found = cm.interval(stack, score, items=items)
    assert (found.value, found.high) == (1, 1)
    assert 0.8 < found.low < 1


def test_labels_that_nobody_has_or_gets() -> None:
    true, said = drawn(6)
    true[:, 0] = said[:, 1] = False
    stack, items = both(true, said, labels=NAMES)
    fair = cm.interval(stack, "precision.macro", items=items)
    assert fair.value == cm.precision(stack.cells.at(1), average="macro")
    assert fair.low < fair.value < fair.high
    given = cm.interval(
        stack,
        "precision",
        items=items,
        weights={"hen": 3, "cat": 1, "cow": 0, "dog": 0},
        undefined=0,
    )
    assert given.value == cm.precision(stack.cells.at(1), weights=[1, 0, 3, 0], undefined=0)
    assert np.isnan(cm.interval(stack, "precision.macro", items=items, undefined="propagate").value)


def test_a_mean_over_items() -> None:
    true, said = drawn(7)
    stack, items = both(true, said)
    known = true.any(axis=1)
    values = (true & said).sum(axis=1)[known] / true.sum(axis=1)[known]
    for found in (
        cm.interval(stack, "recall.samples", items=items),
        cm.interval(stack, cm.recall, items=items, average="samples"),
    ):
        assert found.value == pytest.approx(values.mean())
        assert found.se == pytest.approx(values.std() / np.sqrt(len(values)))
        assert found.name == "recall.samples"
    wald = cm.interval(stack, "recall.samples", items=items, method="wald")
    assert wald.high - wald.value == pytest.approx(stats.t(len(values) - 1).ppf(0.975) * wald.se)


def test_few_items_reach_as_far_as_student() -> None:
    stack, items = both(*drawn(3, 12))
    found = cm.interval(stack, "recall.macro", items=items, method="wald", level=0.8)
    # An item is a cluster of as many answers as there are labels.
    further = stats.t(11).ppf(0.9) / stats.t(12 * 4 - 1).ppf(0.9)
    assert found.value - found.low == pytest.approx(stats.norm.ppf(0.9) * further * found.se)
    assert found.method == "Wald, Student's t"


def test_what_is_refused() -> None:
    stack, items = both(*drawn(8), labels=NAMES)
    others = both(*drawn(9), labels=NAMES)[1]
    loose = cm.Stack(dict(items), axis="item")
    two = drawn(8)
    # The same sums over all labels, but of other labels.
    swapped = both(two[0][:, [1, 0, 2, 3]], two[1][:, [1, 0, 2, 3]], labels=NAMES)[1]
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ("f1.macro", {"items": others}, "counts of the same items"),
        ("f1.macro", {"items": loose}, "do not know which labels each has"),
        ("f1.macro", {"items": swapped}, "do not know which labels each has"),
        ("f1.min", {"items": items}, "has no derivative"),
        ("kappa", {"items": items}, "a score of one matrix"),
        ("f1.macro", {"items": items, "design": "actual"}, "leave `design` out"),
        ("f1.macro", {"items": items, "at_prevalence": 0.1}, "no interval at another prevalence"),
        (
            "f1.samples",
            {"items": items, "weights": [1, 1, 1, 1]},
            "not for both|takes none|weights",
        ),
        ("f1.macro", {}, r"items=count_multilabel\(..., along='item'\)"),
    ]
    for score, how, words in cases:
        with pytest.raises((cm.InputError, cm.MetricError, cm.LabelError), match=words):
            cm.interval(stack, score, **how)
    with pytest.raises(
        cm.InputError, match="`items` belong to what count_multilabel gives along 'label'"
    ):
        cm.interval(stack["cat"], "f1.macro", items=items)  # type: ignore[call-overload, unused-ignore]
    low = cm.interval(stack, "f1.micro", items=items).low
    assert cm.interval(stack, "f1.micro", items=loose).low == pytest.approx(low, rel=1e-12)
    alone = both(drawn(8)[0][:1], drawn(8)[1][:1])
    with pytest.raises(cm.InputError, match="at least 2"):
        cm.interval(alone[0], "f1.macro", items=alone[1])
    assert np.isnan(
        cm.report(*alone[:1], items=alone[1], intervals=True).intervals.of_row("macro")  # type: ignore[union-attr]
    ).all()


# --- patients with several items each -------------------------------------------------------------

MEANS = [
    "f1.macro",
    "recall.weighted",
    "precision.harmonic",
    "f1.micro",
    "f1.samples",
    "exact_match",
    "hamming_loss",
]


@pytest.mark.parametrize("score", [*MEANS, "f1[dog]"])
def test_an_item_seen_three_times_is_one_cluster(score: str) -> None:
    true, said = drawn(11, 60)
    stack, items = both(true, said, labels=NAMES)
    patient = np.repeat([f"patient {i}" for i in range(60)], 3)
    three = both(np.repeat(true, 3, axis=0), np.repeat(said, 3, axis=0), labels=NAMES)
    plain = cm.interval(stack, score, items=items, method="wald")
    found = cm.interval(three[0], score, items=three[1], clusters=patient, method="wald")
    assert found.value == pytest.approx(plain.value, rel=1e-12)
    # A variance by items alone has no G / (G - 1).
    ratio = 60 / 59 if score in {"f1.samples", "f1[dog]", "exact_match"} else 1
    assert found.se == pytest.approx(plain.se * np.sqrt(ratio), rel=1e-9)
    assert (found.name, found.design) == (score, "60 clusters")


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 200)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_clusters_are_those_that_are_counted(form: Any, weights: Any) -> None:
    true, said = drawn(12)
    patient = np.random.default_rng(0).integers(0, 25, 200)
    stack, items = both(form(true), form(said), weights=weights)
    one = cm.count(true[:, 2], said[:, 2], clusters=patient, weights=weights)
    found = cm.interval(stack, "f1", of=list(stack)[2], items=items, clusters=patient)
    assert found.se == pytest.approx(cm.interval(one, cm.f1, of=True).se, rel=1e-9)
    assert found.low == pytest.approx(cm.interval(one, cm.f1, of=True).low, abs=0.01)
    pooled = cm.count_multilabel(form(true), form(said), clusters=patient, weights=weights)
    for method in ("wilson", "wald"):
        micro = cm.interval(stack, "f1.micro", items=items, clusters=patient, method=method)
        alone = cm.interval(pooled, cm.f1, of=True, method=method)
        assert (micro.low, micro.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    each = cm.interval(stack, "f1", items=items, clusters=patient)
    assert isinstance(each, Estimates)
    assert (each[2].value, each[2].low, each[2].high) == (found.value, found.low, found.high)


@pytest.mark.parametrize("patients", [1, 2])
def test_a_mean_over_items_is_that_of_clusters_whose_items_have_a_value(patients: int) -> None:
    true, said = drawn(17, 90)
    patient = np.arange(90) // 3
    true[:, 0] = patient < patients
    true[3 * patients :] = said[3 * patients :] = False
    stack, items = both(true, said, labels=NAMES)
    few = both(true[: 3 * patients], said[: 3 * patients], labels=NAMES)
    found = cm.interval(stack, "recall.samples", items=items, clusters=patient)
    plain = cm.interval(few[0], "recall.samples", items=few[1])
    assert isinstance(found, Estimate)
    assert isinstance(plain, Estimate)
    if patients == 1:
        assert (found.low, found.high, found.design) == (plain.low, plain.high, "30 clusters")
        assert found.note == "only one cluster tells of it, so it is the interval of its items"
    else:
        assert found.high - found.low > plain.high - plain.low


def test_what_is_refused_of_clusters() -> None:
    stack, items = both(*drawn(15, 30), labels=NAMES)
    cases: list[tuple[Any, Any, str]] = [
        (items, np.arange(29), "must hold one for each of 30 items"),
        (items, [None, *range(29)], "1 of 30 have none"),
        (items, np.zeros(30), "at least 2 are needed; got 1"),
        (gathered(items), np.arange(30), "names one for each"),
        (None, np.arange(30), "otherwise count with them"),
    ]
    for given, clusters, said in cases:
        with pytest.raises(cm.InputError, match=said):
            cm.interval(stack, "f1.micro", items=given, clusters=clusters)
    with pytest.raises(cm.MetricError, match="no derivative"):
        cm.interval(stack, "f1.min", items=items, clusters=np.arange(30) // 2)

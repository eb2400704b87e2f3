"""Costs: prices by table, by name, by cell and by distance, and what is made of them."""

from __future__ import annotations

import math
import pickle
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import confmat as cm
import confmat.metrics as cmx
from confmat import ConfusionMatrix, Stack
from confmat.core.errors import ConfmatError, MetricError

M = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"])
THREE = ConfusionMatrix([[5, 1, 2], [0, 7, 3], [4, 0, 6]], labels=["a", "b", "c"])
PRICES = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
MEAN = (1 * 1 + 2 * 2 + 3 * 4 + 4 * 5) / 28


def test_prices_as_a_table() -> None:
    assert cmx.cost([[0, 10], [1, 0]])(M) == (2 * 10 + 1 * 1) / 20
    assert (
        cmx.cost(np.array([[-1.0, 10.0], [1.0, -1.0]]))(M)
        == (8 * -1 + 2 * 10 + 1 * 1 + 9 * -1) / 20
    )
    assert cmx.total_cost([[0, 10], [1, 0]])(M) == 2 * 10 + 1 * 1


def test_prices_by_name() -> None:
    prices = {("ham", "spam"): 10, ("spam", "ham"): 0.1}
    assert cmx.cost(prices)(M) == pytest.approx((2 * 10 + 0.1) / 20)
    assert cmx.cost(prices)(M.sparse()) == cmx.cost(prices)(M)
    assert cmx.cost({"ham": {"spam": 10}, "spam": {"ham": 0.1}})(M) == cmx.cost(prices)(M)


def test_prices_of_the_four_cells() -> None:
    m = ConfusionMatrix([[8, 2], [1, 9]], labels=["ham", "spam"], positive="spam")
    assert cmx.cost({"fp": 10, "fn": 1})(m) == (2 * 10 + 1) / 20
    assert cmx.cost({"FP": 10, "FN": 1, "tp": -2})(m) == (2 * 10 + 1 - 2 * 9) / 20
    turned = ConfusionMatrix([[9, 1], [2, 8]], labels=["spam", "ham"], positive="spam")
    assert cmx.cost({"fp": 10, "fn": 1})(turned) == (2 * 10 + 1) / 20
    for other in (M, THREE):
        with pytest.raises(MetricError, match="of which one is positive"):
            cmx.cost({"fp": 10})(other)


def test_errors_that_are_not_named_have_the_default() -> None:
    assert cmx.cost(cm.Costs({("a", "b"): 7}, default=2))(THREE) == (1 * 7 + (2 + 3 + 4) * 2) / 28
    assert cmx.cost(cm.Costs({}, default=1))(THREE) == cmx.error_rate(THREE)
    assert cmx.cost(cm.Costs({("a", "a"): -1}, default=1))(THREE) == (10 - 5) / 28
    assert cmx.cost(cm.Costs({("a", "b"): 7}, default=0.1))(THREE) == pytest.approx(
        79 / 280, rel=1e-15
    )


def test_frames_are_read_by_name() -> None:
    order = [2, 0, 1]
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    names = list("abc")
    frame = pd.DataFrame(PRICES, index=names, columns=names).iloc[order, order[::-1]]
    with_names = {
        "": frame.index.tolist(),
        **{name: frame[name].tolist() for name in frame.columns},
    }
    long = [(a, p, PRICES[i][j]) for i, a in enumerate(names) for j, p in enumerate(names)]
    moved = [long[place] for place in np.random.default_rng(order[0]).permutation(len(long))]
    triples = dict(
        zip(["actual", "predicted", "cost"], map(list, zip(*moved, strict=True)), strict=True)
    )
    for costs in (frame, frame.reset_index(), pl.DataFrame(with_names), pa.table(with_names)):
        assert cmx.cost(costs)(THREE) == MEAN
        assert cmx.cost(costs)(THREE.reorder(["c", "a", "b"])) == MEAN
    for made in (pd.DataFrame, pl.DataFrame, pa.table):
        assert cmx.cost(made(triples))(THREE) == MEAN


def test_a_frame_may_know_more_classes() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(PRICES, index=list("abc"), columns=list("abc"))
    two = ConfusionMatrix([[5, 2], [4, 6]], labels=["a", "c"])
    assert cmx.cost(frame)(two) == (2 * 2 + 4 * 5) / 17
    named = pd.DataFrame({"y_true": ["a"], "y_pred": ["b"], "price": [3]})
    for costs, m, said in (
        (frame, THREE.relabel({"c": "d"}), "no row for 'd'"),
        (
            frame.astype(float).replace(1.0, np.nan),
            THREE,
            "no finite price for 'a' predicted as 'b'",
        ),
        (frame.iloc[[0, 0, 2]], THREE, "names 'a' twice"),
        # Without names, an array is meant, and not guessed.
        (pd.DataFrame(PRICES), THREE, "no row for 'a'"),
        (frame.iloc[:1], THREE, "no row for 'b', 'c'; their rows are 'a'"),
        (frame.iloc[:, :1], THREE, "a row and a column for each class"),
        (named, THREE, r"'y_true', 'y_pred', 'price'; a list of .* actual, predicted and cost"),
    ):
        with pytest.raises(ConfmatError, match=said):
            cmx.cost(costs)(m)


def test_numbers_are_found_as_they_are_written() -> None:
    pl = pytest.importorskip("polars")
    m = ConfusionMatrix([[8, 2], [1, 9]])
    assert (
        cmx.cost(pl.DataFrame({"": ["1", "0"], "0": [1, 0], "1": [0, 10]}))(m)
        == (2 * 10 + 1 * 1) / 20
    )
    assert cmx.cost({("0", "1"): 10, (1, 0): 1})(m) == (2 * 10 + 1 * 1) / 20
    with pytest.raises(MetricError, match="two prices"):
        cmx.cost({("0", "1"): 10, (0, 1): 1})(m)


class Steps:
    """Distances along a line, as a hierarchy would offer them."""

    def distances(self, labels: Any) -> Any:
        places = np.arange(len(list(labels)))
        return abs(places[:, None] - places)


class Far(Steps):
    """Distances among classes alone."""

    def distances(self, labels: Any) -> Any:
        return super().distances(labels.classes)


def test_distances() -> None:
    assert cmx.cost(Steps())(THREE) == (1 + 2 * 2 + 3 + 2 * 4) / 28
    outside = ConfusionMatrix(
        [[4, 1, 2], [1, 3, 0], [0, 0, 0]], labels=["a", "b"], outside=["(none)"]
    )
    for distances in (Steps(), Far()):
        assert cmx.cost(cm.Costs(distances, default=5))(outside) == (1 + 1 + 2 * 5) / 11
    assert cmx.cost(Steps())(outside) == (1 + 1 + 2 * 2) / 11
    assert cmx.cost(Far())(outside, outside="exclude") == 2 / 9
    with pytest.raises(MetricError, match=r"no price for '\(none\)'"):
        cmx.cost(Far())(outside)


def test_costs_are_bounded_by_their_prices() -> None:
    assert cmx.cost([[0, 10], [1, -2]]).bounds == (-2, 10)
    assert cmx.cost({("ham", "spam"): 10}).bounds == (0, 10)
    assert cmx.cost(cm.Costs({("ham", "spam"): -1}, default=3)).bounds == (-1, 3)
    assert cmx.cost(Steps()).bounds == (0, None)


def test_prices_for_answers_outside() -> None:
    m = ConfusionMatrix(
        [[4, 1, 1], [1, 3, 2], [0, 0, 0]], labels=["a", "b"], outside=["(abstained)"]
    )
    assert cmx.cost([[0, 5, 1], [5, 0, 1], [0, 0, 0]])(m) == (1 * 5 + 1 + 1 * 5 + 2) / 12
    assert cmx.cost({("a", "b"): 5, ("b", "a"): 5, ("a", "(abstained)"): 1})(m) == (5 + 1 + 5) / 12
    assert cmx.cost(cm.Costs({("a", "b"): 5, ("b", "a"): 5}, default=1))(m) == (5 + 1 + 5 + 2) / 12
    with pytest.raises(
        MetricError, match=r"'\(abstained\)', outside the classes: a table has one more row"
    ):
        cmx.cost([[0, 5], [5, 0]])(m)
    with pytest.raises(MetricError, match=r"no price for '\(abstained\)'"):
        cmx.cost({("a", "b"): 5})(m)
    assert cmx.cost([[0, 5], [5, 0]])(m, outside="exclude") == (5 + 5) / 9
    assert cmx.cost({("a", "b"): 5, ("a", "(abstained)"): 9})(m, outside="exclude") == 5 / 9


def test_labels_outside_are_one_to_a_metric() -> None:
    counts = [[4, 1, 1, 2], [1, 3, 2, 0], [0] * 4, [0] * 4]
    m = ConfusionMatrix(counts, labels=["a", "b"], outside=["(abstained)", "(error)"])
    assert cmx.cost([[0, 5, 1], [5, 0, 1], [0, 0, 0]])(m) == (5 + 1 + 2 + 5 + 2) / 14
    alike = {("a", "b"): 5, **{(name, other): 1 for name in "ab" for other in m.labels.outside}}
    assert cmx.cost(alike)(m) == (5 + 1 + 2 + 2) / 14
    with pytest.raises(MetricError, match="`cost_report` price each"):
        cmx.cost({**alike, ("a", "(error)"): 3})(m)
    with pytest.raises(MetricError, match=r"no price for '\(error\)'"):
        cmx.cost({("a", "(abstained)"): 3})(m)


@pytest.mark.parametrize(
    "costs",
    [[[0, 1]], {"ham": 1}, {("ham", "spam"): math.inf}, {"fp": math.nan}, None, {"ham": {"spam": "much"}},
     defaultdict(int, {("ham", "spam"): 5}), np.zeros((0, 0)), {("ham",): 2}, {}, np.array([["0", "1"], ["1", "0"]]),
     np.array([[0, 1j], [1, 0]])],
    ids=str,
)  # fmt: skip
def test_prices_that_cannot_be_read(costs: Any) -> None:
    with pytest.raises(MetricError, match=r"costs|Costs|price"):
        cmx.cost(costs)


@pytest.mark.parametrize(
    ("costs", "said"),
    [
        ({("ham", "spam"): "50"}, r"\('ham', 'spam'\) goes to '50'"),
        ({("ham", "spam"): math.nan}, r"\('ham', 'spam'\) goes to nan"),
        ("costs.csv", r"confmat.costs.read_costs\('costs.csv'\)"),
        ({"fp": 1, "FP": 2}, "'FP' goes to 2"),
        ({"fp": 1, "spam": 2}, "'spam' goes to 2"),
    ],
)
def test_the_price_is_shown(costs: Any, said: str) -> None:
    with pytest.raises(MetricError, match=said):
        cmx.cost(costs)


def test_prices_that_do_not_fit() -> None:
    hostile = {("\x1b[2J<script>" + "x" * 10_000, "ham"): 1}
    for make, said in (
        (lambda: cmx.cost({("ham", "spma"): 1})(M), "spma"),
        (lambda: cmx.cost([[0, 1, 1], [1, 0, 1], [1, 1, 0]])(M), "3 x 3"),
        (lambda: cm.Costs([[0, 1], [1, 0]], default=2), "nothing for `default` to do"),
        (lambda: cm.Costs({}, default=math.nan), "finite number"),
        (lambda: cm.Costs(cm.Costs({"fp": 1}), default=1), "these are Costs already"),
        (lambda: cmx.cost(hostile)(M), "script"),
    ):
        with pytest.raises(ConfmatError, match=said) as caught:
            make()
        assert "\x1b" not in str(caught.value)
        assert len(str(caught.value)) < 1000


def test_costs_are_priced_once_and_can_be_kept() -> None:
    costs = cm.Costs({("ham", "spam"): 10}, default=1)
    made = pickle.loads(pickle.dumps(cmx.cost(costs)))
    assert made(M) == cmx.cost(costs)(M) == 21 / 20
    assert cm.Costs(costs).bounds == costs.bounds == (0, 10)
    assert repr(costs) == "<Costs from 0 to 10>"
    # The same costs for another order of the classes.
    assert cmx.cost(costs)(M.reorder(["spam", "ham"])) == 21 / 20


def test_of_a_stack() -> None:
    stack = Stack(
        {"a": THREE, "b": THREE + THREE, "c": THREE.reorder(["c", "a", "b"]).reorder(list("abc"))}
    )
    for costs in (PRICES, cm.Costs({("a", "b"): 5, ("c", "c"): 1}, default=2)):
        for made in (cmx.cost(costs), cmx.total_cost(costs), cmx.normalized_cost(costs)):
            assert made(stack).tolist() == pytest.approx(
                [made(m) for m in stack.values()], rel=1e-12
            )


@pytest.mark.parametrize(
    "costs", [cm.Costs({(0, 1): 11}, default=2), Far()], ids=["pairs", "distances"]
)
def test_more_classes_than_a_dense_matrix_has_are_refused(costs: Any) -> None:
    many = cm.count([0, 7, 9_000, 5], [3, 7, 0, 5], labels=range(10_000))
    for made in (cmx.cost(costs), cmx.total_cost(costs), cmx.normalized_cost(costs)):
        with pytest.raises(
            cm.BudgetError, match=r"10,000 classes have too many prices.*merge classes"
        ):
            made(many)


def test_a_table_without_labels_has_prices_by_place_alone() -> None:
    from confmat.metrics.margins import read_table

    bare = replace(read_table(M), labels=None, memo=None)
    assert cmx.cost([[0, 10], [1, 0]])(bare) == (2 * 10 + 1 * 1) / 20
    with pytest.raises(MetricError, match="3 x 3, but the matrix has 2 classes"):
        cmx.cost(PRICES)(bare)
    with pytest.raises(MetricError, match="need a matrix with labels"):
        cmx.cost({("ham", "spam"): 1})(bare)


def test_other_things_that_are_wrong() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(MetricError, match="must be numbers"):
        cmx.cost(pd.DataFrame([["x", 1], [2, 3]], index=["ham", "spam"], columns=["ham", "spam"]))

    class Short:
        def distances(self, labels: Any) -> Any:
            return np.zeros((len(labels) + 1,) * 2)

    with pytest.raises(MetricError, match="4 x 4 for 3 labels"):
        cmx.cost(Short())(THREE)

"""The range of a score with unanswered items: all ways to answer, and a sentence where none are known."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from confmat import (
    BudgetError,
    ConfusionMatrix,
    Costs,
    InputError,
    Labels,
    MetricError,
    Stack,
    count,
    unanswered,
)
from confmat.deciding import extremes
from confmat.deciding.extremes import Open, span_of
from confmat.metrics import cost, parse_score

# By formulas that know what is extreme; whatever else is asked, all ways are tried.
KNOWN = [
    *("accuracy", "error_rate", "balanced_accuracy", "kappa", "mcc"),
    *(
        "f1[0]",
        "f1[1]",
        "precision[0]",
        "recall[1]",
        "jaccard[0]",
        "specificity[0]",
        "informedness[1]",
        "fdr[0]",
    ),
    *(
        "f1.macro",
        "f1.weighted",
        "f2.macro",
        "precision.macro",
        "precision.weighted",
        "recall.macro",
        "jaccard.macro",
    ),
    *("f1.micro", "precision.micro", "jaccard.micro"),
    cost(Costs({(0, 1): 5, (1, 0): 1, (0, 0): -1}, default=0)),
]


@st.composite
def matrices(draw: st.DrawFn) -> ConfusionMatrix:
    k, outside = draw(st.integers(2, 3)), draw(st.integers(1, 2))
    size = k + outside
    table = np.array(
        draw(st.lists(st.integers(0, 4), min_size=size * size, max_size=size * size))
    ).reshape(size, size)
    table[:k, k:] = np.minimum(table[:k, k:], 2)
    if draw(st.booleans()):
        table[k:] = 0
    # Classes that are never answered, or never occur.
    if draw(st.booleans()):
        table[:, draw(st.integers(0, k - 1))] = 0
    if draw(st.booleans()):
        table[draw(st.integers(0, k - 1))] = 0
    table[0, k] += 1
    return ConfusionMatrix(table, labels=range(k), outside=[f"({i})" for i in range(outside)])


def all_ways(score: Any, m: ConfusionMatrix) -> list[float]:
    """Values of a score over all matrices in which every item has a class, built one item after the other."""
    k = m.n_classes
    tables = {tuple(np.where(np.arange(len(m)) < k, m.counts, 0).ravel().tolist())}
    for row in range(k):
        for _ in range(int(m.counts[row, k:].sum())):
            more = set()
            for table in tables:
                for column in range(k):
                    one = list(table)
                    one[row * len(m) + column] += 1
                    more.add(tuple(one))
            tables = more
    stack = Stack.from_array(np.array(sorted(tables)).reshape(-1, len(m), len(m)), labels=m.labels)
    values = np.asarray(parse_score(score)(stack), float)
    return values[~np.isnan(values)].tolist()


@pytest.mark.slow
@given(matrices(), st.sampled_from(KNOWN), st.booleans())
def test_extremes_are_those_of_all_ways_to_answer(
    m: ConfusionMatrix, score: Any, tried: bool
) -> None:
    # Pairs with prices take one label outside the classes.
    assume(isinstance(score, str) or len(m.labels.outside) == 1)
    wanted = all_ways(score, m)
    with pytest.MonkeyPatch.context() as patch:
        if not tried:
            patch.setattr(extremes, "_TRIED", 0)
        found = span_of(parse_score(score), Open.of(m))
    if not wanted:
        return
    if found.exact:
        assert (found.low, found.high) == pytest.approx((min(wanted), max(wanted)))
    else:
        assert score in {"mcc", "kappa"}
        assert found.low <= min(wanted) + 1e-12
        assert found.high >= max(wanted) - 1e-12


# So bad that even the upper bound is below chance, and the spread of the answers is what widens it.
BAD = ConfusionMatrix([[19, 15, 8], [9, 1, 2], [0, 0, 0]], labels=[0, 1, "(x)"], outside=["(x)"])


@given(matrices())
@example(BAD)
def test_scores_beyond_chance_stay_within_their_bounds(m: ConfusionMatrix) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extremes, "_TRIED", 0)
        for score in ("kappa", "mcc"):
            wanted, found = all_ways(score, m), span_of(parse_score(score), Open.of(m))
            assert all(found.low - 1e-12 <= value <= found.high + 1e-12 for value in wanted), score
            if found.exact and wanted:
                assert (found.low, found.high) == pytest.approx((min(wanted), max(wanted))), score


def test_weighted_items_are_refused_with_what_to_ask() -> None:
    m = count(
        [0, 1, 1], [0, 1, "(x)"], labels=Labels([0, 1], outside=["(x)"]), weights=[0.5, 1.5, 2.25]
    )
    with pytest.raises(
        InputError, match="these items are weighted; count them without weights, or ask for a score"
    ):
        unanswered(m)
    whole = count(
        [0, 1, 1], [0, 1, "(x)"], labels=Labels([0, 1], outside=["(x)"]), weights=[1, 2, 3]
    )
    assert unanswered(whole, "accuracy")["accuracy"].best == 1


def test_a_table_that_no_memory_holds_is_refused() -> None:
    m = ConfusionMatrix.from_pairs({(i, i): 1 for i in range(9_000)})
    with pytest.raises(
        BudgetError, match=r"a table of all classes, and one of 9,000 would take 0\.6 GB; take some"
    ):
        unanswered(m)


def test_thousands_of_items_take_no_search() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 1000, (10, 11))
    table[:, 10] = 3000
    m = ConfusionMatrix(
        np.vstack([table, np.zeros(11, int)]), labels=range(10), outside=["(invalid)"]
    )
    found = unanswered(m, "accuracy", "f1.macro", "f1[3]", "kappa", "mcc")
    assert found.coverage == pytest.approx(1 - 30_000 / m.total)
    for one in found.values():
        assert one.worst <= one.wrong < one.best
    # No sample of answers goes beyond.
    for _ in range(20):
        answered = table[:, :10] + rng.multinomial(3000, rng.dirichlet(np.full(10, 0.1)), 10)
        for name, one in found.items():
            assert (
                one.worst - 1e-12
                <= parse_score(name)(ConfusionMatrix(answered))
                <= one.best + 1e-12
            )


def test_items_with_answers_alone_leave_nothing_open() -> None:
    found = unanswered(ConfusionMatrix([[3, 1], [0, 4]]))
    assert found.coverage == 1
    assert all(
        one.worst == one.best == one.wrong == one.excluded and one.exact for one in found.values()
    )
    assert "0 of 8 answers are no class; coverage 100.0%" in str(found)


def test_what_is_said_of_policies() -> None:
    m = ConfusionMatrix(
        [[8, 1, 1], [2, 7, 1], [0, 0, 0]], labels=["cat", "hen"], outside=["(invalid)"]
    )
    found = unanswered(m, "error_rate", "recall[cat]")
    # The worst error rate is the highest.
    assert (found["error_rate"].worst, found["error_rate"].best) == pytest.approx((0.25, 0.15))
    assert list(found) == ["error_rate", "recall[cat]"]
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["unanswered"], data["total"], data["coverage"]) == (2, 20, 0.9)
    assert data["scores"][0]["exact"] is True
    with pytest.raises(KeyError, match="was not asked for"):
        found["f1"]


@pytest.mark.parametrize(
    ("scores", "error", "said"),
    [
        (["f1"], MetricError, "f1.macro"),
        (["prevalence[cat]"], MetricError, "neither high nor low"),
        (
            ["npv.macro"],
            MetricError,
            "no bounds of negative_predictive_value.macro are known where 2,000 items",
        ),
        (["f1.geometric"], MetricError, "no bounds of f1.geometric"),
        (["lift[cat]"], MetricError, "no bounds of lift[cat]"),
    ],
)
def test_what_has_no_extremes_is_refused(
    scores: list[str], error: type[Exception], said: str
) -> None:
    table = [[8, 1, 1, 1000], [2, 7, 1, 1000], [0, 0, 9, 0], [0, 0, 0, 0]]
    m = ConfusionMatrix(table, labels=["cat", "hen", "dog"], outside=["(invalid)"])
    with pytest.raises(error, match=re.escape(said)):
        unanswered(m, *scores)


def test_scores_may_come_in_a_list() -> None:
    m = ConfusionMatrix(
        [[8, 1, 1], [2, 7, 1], [0, 0, 0]], labels=["cat", "hen"], outside=["(invalid)"]
    )
    expected = unanswered(m, "accuracy", "kappa").to_dict()
    for scores in (["accuracy", "kappa"], ("accuracy", parse_score("kappa").metric)):
        assert unanswered(m, scores).to_dict() == expected
    assert unanswered(m, []).to_dict() == unanswered(m).to_dict()


def test_it_reads_one_matrix() -> None:
    given: Any = [[1, 2], [3, 4]]
    groups: Any = count([0, 1], [0, 1], by=["a", "b"])
    with pytest.raises(InputError, match=r"not Stack; of each, unanswered\(stack\[key\]\)"):
        unanswered(groups)
    with pytest.raises(InputError, match="not list"):
        unanswered(given)

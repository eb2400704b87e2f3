"""Calls of comparisons that go wrong say what to write, and prints say what they rest on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import confmat as cm
from confmat.comparison import compare, compare_predictions

ANYHOW: Any = compare_predictions
MCNEMAR: Any = cm.mcnemar

TRUTH = list("aabbbabbab") * 2
OTHER = list("aabbaabbab") * 2
SICK = cm.Labels(["sick", "well"], positive="sick")


def of_models(*names: str) -> Any:
    return compare_predictions(TRUTH, {name: OTHER if i else TRUTH for i, name in enumerate(names)})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: compare_predictions(TRUTH, {"a": OTHER}), "at least two models .*; got only 'a'"),
        (
            lambda: compare_predictions(TRUTH, {"a": TRUTH, "b": OTHER[:-1]}),
            r"has 19; .* \(in the count of b\)",
        ),
        (lambda: of_models("a", "b").diagnostic(), r"say diagnostic\('a'\)"),
        (
            lambda: of_models("a", "b", "c").of("accuracy"),
            "such as first='a' and second='b'; got None and None",
        ),
        (
            lambda: of_models("a", "b").of("accuracy").no_worse(),
            r"needs `margin`: no_worse\(margin\)",
        ),
        (
            lambda: of_models("a", "b").of("accuracy").equivalent(),
            r"needs `margin`: equivalent\(margin\)",
        ),
        (
            lambda: MCNEMAR([[26, 10], [4, 0]]),
            "only the first had right and that only the second had",
        ),
        *(
            (lambda option=option: ANYHOW(TRUTH, {"a": TRUTH, "b": OTHER}, **{option: TRUTH}), said)
            for option, said in [
                ("clusters", r"compare\(\{'old': count\(actual, old, clusters="),
                ("groups", "say by="),
                ("positive", r"labels=Labels\(\[\.\.\.\], positive="),
            ]
        ),
    ],
)
def test_an_error_says_what_to_write(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(cm.InputError, match=said):
        call()


@pytest.mark.parametrize("name", ["items_needed", "no_worse", "equivalent", "discordant"])
def test_what_a_difference_has_is_found_from_the_comparison(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"of\('accuracy'\)\.{name}"):
        getattr(of_models("a", "b"), name)


@pytest.mark.parametrize(
    ("name", "way"),
    [("sample_size", "items_needed"), ("power", "items_needed"), ("noninferiority", "no_worse"),
     ("non_inferiority", "no_worse"), ("equivalence", "equivalent"), ("diagnostic", r"\.diagnostic")],
)  # fmt: skip
def test_names_that_people_look_for_lead_on(name: str, way: str) -> None:
    with pytest.raises(AttributeError, match=way):
        getattr(cm, name)


def test_published_tables_of_two_tests_have_ranges_and_say_why() -> None:
    models = {
        "A": cm.ConfusionMatrix([[40, 10], [6, 44]], SICK),
        "B": cm.ConfusionMatrix([[45, 5], [11, 39]], SICK),
    }
    table = compare(models).diagnostic()
    gap = compare(models, metrics=["recall"]).of("recall")
    assert f"{gap.p_low:.3f} to {gap.p_high:.3f}" in str(table)
    assert "same_items=False" in table.notes[-1]
    apart = compare(models, same_items=False).diagnostic()
    assert " to " not in str(apart)
    assert not apart.notes


def test_the_whole_matrix_is_tested_where_two_models_are_compared() -> None:
    assert "Bhapkar" in str(of_models("a", "b"))
    many = of_models("a", "b", "c")
    assert "Bhapkar" not in str(many)
    assert len(many.marginals) == 3


def test_few_answers_that_differ_are_too_few_for_chi_squared() -> None:
    assert "Only 2 answers differ" in str(of_models("a", "b"))
    many = compare_predictions(TRUTH * 20, {"a": TRUTH * 20, "b": OTHER * 20})
    assert "too few for chi-squared" not in str(many)
    same = compare_predictions(TRUTH, {"a": OTHER, "b": OTHER})
    assert "too few for chi-squared" not in str(same)

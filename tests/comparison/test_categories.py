"""Categories: ranks that hold in all of them at once, and changes of the order between them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.comparison.families import stepped


def answers(n: int = 1200) -> tuple[Any, dict[str, Any], Any]:
    rng = np.random.default_rng(0)
    actual, guess = rng.choice(list("ABCD"), (2, n))
    subject = rng.choice(["law", "physics", "history"], n)
    skill = {"one": 0.8, "two": 0.78, "three": 0.6}
    models = {
        name: np.where(rng.random(n) < np.where((subject == "law") & (name == "three"), 0.97, share), actual, guess)
        for name, share in skill.items()
    }
    return actual, models, subject


def test_all_categories_are_one_family() -> None:
    actual, models, subject = answers()
    many = cm.compare_predictions(actual, models, by=subject, metrics=["accuracy", "f1.macro"])
    assert list(many) == ["history", "law", "physics"]
    alone = {}
    for key in many:
        part = {name: each[subject == key] for name, each in models.items()}
        alone[key] = cm.compare_predictions(
            actual[subject == key], part, metrics=["accuracy", "f1.macro"], adjust="none"
        )
    for score in ("accuracy", "f1.macro"):
        p = np.array([one.p_value for part in alone.values() for one in part.of_score(score)])
        found = [one.adjusted for part in many.values() for one in part.of_score(score)]
        assert found == pytest.approx(stepped(p, None, 0.05))
    for wide, one in zip(many["law"].differences, alone["law"].differences, strict=True):
        assert wide.high - wide.low > one.high - one.low or 0 in {wide.low, wide.high}


def test_the_table_has_a_row_for_each_category_and_says_where_the_order_changes() -> None:
    actual, models, subject = answers()
    many = cm.compare_predictions(actual, models, by=subject, metrics=["accuracy"])
    assert many["law"].ranking().of("three")[2:] == (1, 1, 1)
    assert many.changes() == [
        ("one", "three", ["history", "physics"], ["law"]),
        ("two", "three", ["history", "physics"], ["law"]),
    ]
    text = str(many)
    assert "one is better than three in 'history', 'physics', and worse in 'law'" in text
    assert "9 differences are one family" in text
    assert [row[0] for row in many.table().texts()] == ["history", "law", "physics"]
    assert json.loads(json.dumps(many.to_dict()))["categories"]["law"]["rankings"]["accuracy"]["top"] == ["three"]
    two = {name: models[name] for name in ("one", "two")}
    same = cm.compare_predictions(actual, two, by=subject, metrics=["accuracy"])
    assert "No pair of models is shown to change its order" in str(same)
    assert repr(same) == "<Comparisons by category: 'history', 'law', 'physics'>"


def test_columns_of_any_kind_are_taken_apart() -> None:
    actual, models, subject = answers(300)
    known = cm.compare_predictions(actual, models, by=subject, metrics=["accuracy"])
    lists = {name: each.tolist() for name, each in models.items()}
    found = cm.compare_predictions(actual.tolist(), lists, by=subject.tolist(), metrics=["accuracy"])
    assert str(found) == str(known)
    weighted = cm.compare_predictions(actual, models, by=subject, metrics=["accuracy"], weights=np.ones(300))
    assert weighted["law"].estimates["one", "accuracy"].value == found["law"].estimates["one", "accuracy"].value


def test_what_does_not_go_with_categories_is_refused() -> None:
    actual, models, subject = answers(60)
    with pytest.raises(cm.InputError, match="`by` makes one family"):
        cm.compare_predictions(actual, models, by=subject, strata=subject)
    many = cm.compare_predictions(actual, models, by=subject, metrics=["prevalence[A]"])
    with pytest.raises(cm.InputError, match="neither more nor less"):
        many.table()

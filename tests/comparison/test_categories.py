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
        name: np.where(
            rng.random(n) < np.where((subject == "law") & (name == "three"), 0.97, share),
            actual,
            guess,
        )
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
    assert json.loads(json.dumps(many.to_dict()))["categories"]["law"]["rankings"]["accuracy"][
        "top"
    ] == ["three"]
    two = {name: models[name] for name in ("one", "two")}
    same = cm.compare_predictions(actual, two, by=subject, metrics=["accuracy"])
    assert "No pair of models is shown to change its order" in str(same)
    assert repr(same) == "<Comparisons by category: 'history', 'law', 'physics'>"


def test_what_does_not_go_with_categories_is_refused() -> None:
    actual, models, subject = answers(60)
    with pytest.raises(cm.InputError, match="`by` makes one family"):
        cm.compare_predictions(actual, models, by=subject, strata=subject)
    with pytest.raises(cm.InputError, match="`by` makes one family"):
        cm.compare_predictions(actual, models, by=subject, sizes={"law": 5})
    many = cm.compare_predictions(actual, models, by=subject, metrics=["prevalence[A]"])
    with pytest.raises(cm.InputError, match="neither more nor less"):
        many.table()


@pytest.mark.parametrize("how", ["list", "stream", "arrow", "series", "polars"])
def test_columns_of_every_kind_are_parted(how: str) -> None:
    actual, models, subject = answers(300)
    weights = np.arange(300) % 3 + 0.5
    pandas, polars, arrow = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    kinds = {
        "list": list,
        "stream": iter,
        "arrow": arrow.array,
        "series": pandas.Series,
        "polars": polars.Series,
    }
    read: Any = kinds[how]
    wanted = cm.compare_predictions(
        actual, models, by=subject, weights=weights, metrics=["f1.macro"]
    )
    found = cm.compare_predictions(
        read(actual),
        {name: read(column) for name, column in models.items()},
        by=read(subject),
        weights=weights.tolist() if how == "stream" else read(weights),
        metrics=["f1.macro"],
    )
    assert found.table().to_csv() == wanted.table().to_csv()


def test_columns_of_another_length_are_refused() -> None:
    actual, models, subject = answers(300)
    short = actual[:200], {name: column[:200] for name, column in models.items()}
    with pytest.raises(cm.InputError, match="200 labels and `predicted` has 300 of two"):
        cm.compare_predictions(short[0], {**short[1], "two": models["two"]}, by=subject[:200])
    with pytest.raises(cm.InputError, match="one number per pair: 200, not 300"):
        cm.compare_predictions(*short, by=subject[:200], tally=np.ones(300, int))
    with pytest.raises(cm.InputError, match="one group per pair: 200, not 300"):
        cm.compare_predictions(*short, by=subject)


def test_no_items_have_no_categories() -> None:
    with pytest.raises(cm.InputError, match="no pairs to count"):
        cm.compare_predictions([], {"one": [], "two": []}, by=[])


def test_items_without_a_category_are_left_out_or_are_one() -> None:
    actual, models, subject = answers(300)
    gaps = [None if place % 9 == 0 else key for place, key in enumerate(subject)]
    with pytest.raises(cm.LabelError, match="missing groups: 34"):
        cm.compare_predictions(actual, models, by=gaps)
    left = cm.compare_predictions(actual, models, by=gaps, missing="drop")
    assert list(left) == ["history", "law", "physics"]
    assert sum(part.matrices["one"].total for part in left.values()) == 300 - 34
    every = cm.compare_predictions(actual, models, by=gaps, missing="collect")
    assert list(every) == [*left, "(missing)"]
    assert every["(missing)"].matrices["one"].total == 34


def test_series_with_other_indexes_are_warned_of_and_paired_by_position() -> None:
    pandas = pytest.importorskip("pandas")
    actual, models, subject = answers(60)
    turned = {"actual": pandas.Series(models["one"], range(60, 0, -1)), "by": models["two"]}
    with pytest.warns(cm.core.errors.AlignmentWarning, match="different indexes"):
        found = cm.compare_predictions(
            pandas.Series(actual), turned, by=subject, metrics=["accuracy"]
        )
    wanted = cm.compare_predictions(
        actual, {"actual": models["one"], "by": models["two"]}, by=subject
    )
    assert found.table().to_csv() == wanted.table().to_csv()

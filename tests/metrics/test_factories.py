"""A family of metrics remembers what it made, and no more than that somebody holds or has lately asked for."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import confmat as cm
from confmat import MetricError
from confmat.metrics.declaration import REMEMBERED_METRICS


def test_the_same_parameters_give_the_same_metric() -> None:
    assert cm.f_beta(2) is cm.f_beta(2.0)
    assert cm.metric("f2") is cm.f_beta(2)
    assert cm.metric("f_beta")(1) is cm.f1
    assert cm.metrics.f_of_macro(1) is cm.metrics.f1_of_macro
    assert cm.metrics.weighted_kappa(2).name == "weighted_kappa_quadratic"
    assert pickle.loads(pickle.dumps(cm.f_beta(2))) is cm.f_beta(2)
    assert copy.deepcopy(cm.f_beta(2)) is cm.f_beta(2)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: cm.f_beta(-1), "`beta` must be a number from 0 up"),
        (lambda: cm.f_beta(math.inf), "not inf"),
        (lambda: cm.f_beta("2"), "a number from 0 up, not '2'"),
        (lambda: cm.f_beta(True), "not True"),
        (lambda: cm.metrics.f_of_macro(-1), "beta"),
        (lambda: cm.metrics.precision_at(1.5), "a share from 0 to 1"),
        (lambda: cm.metrics.iba(1, cm.kappa), "Metric per class"),
        (lambda: cm.metrics.on_scale("mean_error", ("a", "b")), "values"),
        (lambda: cm.metrics.on_scale("recall", (1, 2, 3)), "on_scale"),
    ],
)
def test_parameters_are_checked_at_the_door(made: Any, said: str) -> None:
    with pytest.raises(MetricError, match=said):
        made()


def test_a_sweep_over_parameters_is_forgotten_and_what_is_held_is_not() -> None:
    held = cm.f_beta(7)
    made = [weakref.ref(cm.f_beta(1000 + i)) for i in range(3 * REMEMBERED_METRICS)]
    gc.collect()
    assert sum(one() is not None for one in made) <= REMEMBERED_METRICS
    assert cm.f_beta(7) is held
    assert cm.f_beta(1000).name == "f1000"


def test_threads_that_ask_together_get_one_metric() -> None:
    with ThreadPoolExecutor(8) as pool:
        for i in range(50):
            assert len({id(one) for one in pool.map(cm.f_beta, [5000 + i] * 16)}) == 1


def test_a_number_for_a_matrix_leads_to_the_family() -> None:
    with pytest.raises(
        MetricError, match=r"`f1` reads a matrix, not 2; confmat.f_beta\(2\) is the F measure"
    ):
        cm.metric("f_measure")(2)
    with pytest.raises(AttributeError, match=r"confmat.f_beta\(2\)"):
        cm.f_measure  # type: ignore[attr-defined]  # noqa: B018


def test_a_cell_is_a_score() -> None:
    m = cm.ConfusionMatrix([[45, 4, 1], [10, 90, 0], [0, 0, 5]], ["cancer", "healthy", "un clear"])
    one = cm.metrics.taken_for("cancer", "healthy")
    assert one(m) == 4 / 50
    assert (one.name, cm.metrics.taken_for(0, 1).name) == (
        "taken_for(cancer,healthy)",
        "taken_for(0,1)",
    )
    for text, share in {
        "(cancer, un clear)": 1 / 50,
        "('healthy', 'cancer')": 10 / 100,
        "(0,1)": 4 / 50,
    }.items():
        assert cm.score(m, f"taken_for{text}") == share
    assert cm.metrics.taken_for("cancer", "un clear").name == "taken_for(cancer,'un clear')"
    # Labels that are numbers are meant by these, and not by their places.
    assert cm.score(cm.ConfusionMatrix([[3, 1], [0, 4]], [1, 0]), "taken_for(1, 0)") == 1 / 4
    assert cm.score(cm.ConfusionMatrix([[0, 0], [0, 4]], ["a", "b"]), "taken_for(a, b)") != 0
    outside = cm.count(["a", "b", "a"], ["a", "x", "x"], labels=["a", "b"], other="collect")
    assert cm.metrics.taken_for("a", "(other)")(outside) == 1 / 2
    with pytest.raises(MetricError, match=r"its recall: say 'recall\[a\]'"):
        cm.metrics.taken_for("a", "a")
    with pytest.raises(cm.LabelError, match="no label 'z'"):
        cm.metrics.taken_for("cancer", "z")(m)

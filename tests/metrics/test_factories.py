"""A family of metrics remembers what it made, and no more than that somebody holds or has lately asked for."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import confmat as cm
from confmat import MetricError
from confmat.metrics.declaration import REMEMBERED_METRICS


def test_the_same_parameters_give_the_same_metric() -> None:
    assert cm.f_beta(2) is cm.f_beta(2.0)
    assert cm.metric("f2") is cm.f_beta(2)
    assert pickle.loads(pickle.dumps(cm.f_beta(2))) is cm.f_beta(2)
    assert copy.deepcopy(cm.f_beta(2)) is cm.f_beta(2)


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
    with pytest.raises(MetricError, match=r"`f1` reads a matrix, not 2; confmat.f_beta\(2\) is the F measure"):
        cm.metric("f_measure")(2)
    with pytest.raises(AttributeError, match=r"confmat.f_beta\(2\)"):
        cm.f_measure  # type: ignore[attr-defined]  # noqa: B018

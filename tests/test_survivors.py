"""Faults that a tool planted in the engine and that no test noticed: each has its test here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import confmat as cm
from confmat.core.errors import InputError, LabelError
from confmat.metrics.arithmetic import probit


def test_a_small_table_is_dense_again_where_nobody_says() -> None:
    m = cm.count([0, 1, 1], [0, 1, 0])
    assert m._counts.stored(True).is_sparse
    assert not m._counts.stored(True).stored(None).is_sparse


def test_a_stored_matrix_that_says_nothing_of_weights_has_none() -> None:
    stored = cm.count([0, 1, 1], [0, 1, 0]).to_dict()
    del stored["weighted"]
    read = cm.ConfusionMatrix.from_dict(stored)
    assert read._squares is None
    assert read.counts.dtype.kind == "i"


def test_the_table_of_a_gap_marks_the_groups_that_differ_and_no_others() -> None:
    good, alike, bad = ([[90, 10], [0, 0]], [[88, 12], [0, 0]], [[20, 80], [0, 0]])
    groups = {
        name: cm.ConfusionMatrix(table)
        for name, table in zip("abc", (good, alike, bad), strict=True)
    }
    found = cm.gap(cm.Stack(groups, axis="place"), "accuracy")
    lines = {
        line.split()[0]: line for line in str(found).splitlines() if line[:2] in {"a ", "b ", "c "}
    }
    marked = {name for name, line in lines.items() if line.endswith("shown")}
    differs = dict(zip(found.parts[0].groups, found.parts[0].differs, strict=True))
    assert differs["c"]
    assert marked == {name for name, is_shown in differs.items() if is_shown}


def test_a_group_may_have_the_name_of_its_own_class_alone() -> None:
    m = cm.ConfusionMatrix(np.eye(3, dtype=int), ["cat", "dog", "hen"])
    assert m.merge({"cat": ["cat", "dog"]}).labels.classes == ("cat", "hen")
    with pytest.raises(LabelError, match="has the name of a class that is not in it"):
        m.merge({"hen": ["cat", "dog"]})


def test_columns_of_lists_are_told_where_they_are_counted() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(InputError, match="count_multilabel"):
        cm.count(pa.array([[1], [2]]), [1, 2])
    with pytest.raises(InputError) as refused:
        cm.count(pa.array([{"a": 1}, {"a": 2}]), [1, 2])
    assert "count_multilabel" not in str(refused.value)


def test_the_bound_of_a_share_that_is_whole_is_whole() -> None:
    for n in (3, 7, 29, 100, 333):
        found = cm.interval(cm.ConfusionMatrix([[n, 0], [0, 0]]), "accuracy")
        assert found.high == 1.0


def test_observed_agreement_of_raters_is_bounded_by_nothing_and_kappa_by_minus_one() -> None:
    answers = [["a", "b"], ["a", "b"], ["b", "a"], ["a", "b"], ["b", "a"], ["a", "b"]]
    found = cm.rater_agreement(answers)
    assert found.observed.low >= 0.0
    assert found.fleiss_kappa.low < 0.0


def test_the_slope_of_a_normal_quantile_is_one_over_the_density() -> None:
    slope = probit(np.array([0.8 + 1e-20j])).imag / 1e-20
    assert slope == pytest.approx(1 / norm.pdf(norm.ppf(0.8)), rel=1e-12)

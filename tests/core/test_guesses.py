"""Names and calls that people try: each works, or one line says what to write."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import confmat as cm

M = cm.count(["cat", "cat", "dog"], ["cat", "dog", "dog"])
STACK = cm.count(["cat", "cat", "dog"], ["cat", "dog", "dog"], by=[1, 1, 2])


@pytest.mark.parametrize("value", [M, M.sparse(), STACK])
def test_an_absent_attribute_says_where_it_is(value: Any) -> None:
    for name, way in {
        "f1": "confmat.score(m, 'f1')",
        "plot": "confmat.plot(m)",
        "save": "confmat.save(m",
        "to_frame": "to_pandas()",
        "normalise": "normalize",
    }.items():
        with pytest.raises(AttributeError, match="has no attribute") as caught:
            getattr(value, name)
        assert way in str(caught.value)
    assert not hasattr(value, "__array_interface__")
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value


def test_one_cell_is_read_by_its_two_labels() -> None:
    for m in (M, M.sparse()):
        assert {(a, b): m[a, b] for a in m.labels for b in m.labels} == {
            ("cat", "cat"): 1,
            ("cat", "dog"): 1,
            ("dog", "cat"): 0,
            ("dog", "dog"): 1,
        }
        with pytest.raises(cm.LabelError, match="cow"):
            m["cat", "cow"]
        with pytest.raises(cm.InputError, match=r"m\[actual, predicted\]"):
            m["cat"]  # type: ignore[index]  # what people try


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: M - M, r"Tally\.subtract"),
        (lambda: M * 2, r"m\.counts"),
        (lambda: M / 3, "normalize"),
    ],
)
def test_arithmetic_beyond_sums_says_what_to_write(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        call()


def test_count_of_a_frame_and_column_names_says_count_frame() -> None:
    with pytest.raises(cm.InputError, match=r"count_frame\(frame, 'y', 'pred'\)"):
        cm.count({"y": [1], "pred": [1]}, "y", "pred")  # type: ignore[call-overload]  # what people try


def test_a_report_takes_names_one_after_another_and_one_class() -> None:
    assert str(cm.report(M, "f1", "kappa")) == str(cm.report(M, ["f1", "kappa"]))
    assert str(cm.report(M, ["f1"], of="cat")) == str(cm.report(M, ["f1[cat]"]))


def test_a_result_says_what_its_data_frame_is_called() -> None:
    with pytest.raises(AttributeError, match=r"to_pandas\(\)"):
        cm.report(M).to_frame()  # type: ignore[attr-defined]  # what people try

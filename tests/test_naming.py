"""One label: its plain value, its kind, and what it looks like in JSON."""

from __future__ import annotations

import datetime
import enum
import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import InputError, LabelError, count
from confmat._naming import kind_of, kind_of_all, name_from_json, name_to_json, not_integral, plain


class Liar(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "lie"


class LyingInt(int):
    def __int__(self) -> int:
        return 7


class Colour(enum.IntFlag):
    RED = 1
    BLUE = 2


class NAType:
    """What pandas calls its missing value, without pandas."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Liar("truth"), "truth"),
        (LyingInt(3), 3),
        pytest.param(Colour.RED | Colour.BLUE, 1 + 2, id="flag"),
        (np.longdouble(5), 5),
        (np.float16(2047), 2047),
        (2.0**53 - 1, 2**53 - 1),
        (0.25, 0.25),
        (np.array([[True]]), True),
        (bytearray, bytearray),
    ],
)
def test_plain_takes_the_value_not_its_looks(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float16("nan"), np.timedelta64("NaT"), np.ma.masked, NAType(), Decimal("sNaN")]
)
def test_plain_says_missing(value: Any) -> None:
    assert plain(value) is None


@pytest.mark.parametrize("value", [[1], {1: 2}, {1}, bytearray(b"a"), np.array([1, 2]), np.zeros((0,))])
def test_what_cannot_be_a_label_is_refused(value: Any) -> None:
    with pytest.raises(LabelError, match="a label must be"):
        plain(value)


def test_the_error_does_not_repeat_a_huge_value() -> None:
    with pytest.raises(LabelError) as caught:
        plain(["x" * 10**6])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, "int"), (True, "bool"), ("", "text"), (b"", "bytes"), ((), "object"), (Decimal(1), "object")],
)
def test_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


def test_a_float_has_no_kind() -> None:
    with pytest.raises(LabelError, match="threshold"):
        kind_of(0.5)


def test_messages_tell_scores_from_large_numbers() -> None:
    assert "argmax" in not_integral(0.5)
    assert "too large" in not_integral(2.0**53)
    assert "argmax" in not_integral(float("inf"))


def test_kind_of_all_joins_bool_and_int_only() -> None:
    assert kind_of_all([True, 2], "x") == ("int", [1, 2])
    assert kind_of_all([True, False], "x") == ("bool", [True, False])
    with pytest.raises(LabelError, match="x must be of one kind"):
        kind_of_all([True, "a"], "x")
    with pytest.raises(LabelError, match=r"x may not hold a missing value \(position 1\)"):
        kind_of_all(["a", None], "x")


LEAVES = (
    st.text(st.characters(), max_size=4)
    | st.integers(-(2**80), 2**80)
    | st.booleans()
    | st.binary(max_size=4)
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.dates()
    | st.datetimes().map(lambda moment: moment.replace(fold=0))
    | st.times().map(lambda moment: moment.replace(fold=0))
)


@given(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6))
def test_json_keeps_value_and_type(name: Any) -> None:
    found = name_from_json(json.loads(json.dumps(name_to_json(name))), None)
    assert repr(found) == repr(name)
    assert type(found) is type(name)


def test_json_form_is_what_the_page_says() -> None:
    assert name_to_json(b"\xff") == {"bytes": "/w=="}
    assert name_to_json((1, b"a")) == {"tuple": [1, {"bytes": "YQ=="}]}
    assert name_to_json(Fraction(1, 3)) == {"fraction": "1/3"}
    assert name_to_json(datetime.date(2020, 2, 29)) == {"date": "2020-02-29"}


@pytest.mark.parametrize(
    "stored", [{"fraction": "1/0"}, {"date": "2020-13-01"}, {"bytes": 5}, {"eval": "1"}, {"tuple": 3}, {"time": None}]
)
def test_a_damaged_stored_name_is_an_input_error(stored: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cannot read the stored label"):
        name_from_json(stored, None)


def test_a_date_is_the_same_from_numpy_and_from_python() -> None:
    day = datetime.date(2020, 1, 1)
    assert plain(np.datetime64("2020-01-01")) == day
    assert count(np.array(["2020-01-01"], "M8[D]"), [day]).labels == [day]
    assert isinstance(plain(np.datetime64(1, "ns")), np.datetime64)

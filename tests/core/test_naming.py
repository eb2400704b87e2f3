"""One label: its plain value, its kind, and what it looks like in JSON."""

from __future__ import annotations

import datetime
import enum
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from confmat import InputError, LabelError, count
from confmat.core.naming import (
    FLOAT_LIMITS,
    kind_of,
    kind_of_all,
    name_from_json,
    name_to_json,
    not_integral,
    plain,
)


class Liar(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "lie"


class LyingInt(int):
    def __int__(self) -> int:
        return 7


class Color(enum.IntFlag):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Liar("truth"), "truth"),
        (LyingInt(3), 3),
        pytest.param(Color.RED | Color.BLUE, 1 + 2, id="flag"),
        (0.25, 0.25),
        (np.array([[True]]), True),
    ],
)
def test_plain_takes_the_value_not_its_looks(value: Any, expected: Any) -> None:
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "value",
    [
        [1],
        {1: 2},
        bytearray(b"a"),
        np.array([1, 2]),
    ],
)
def test_what_cannot_be_a_label_is_refused(value: Any) -> None:
    with pytest.raises(LabelError, match="a label must be"):
        plain(value)


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


UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]


@given(st.integers(-(2**62), 2**62), st.sampled_from(UNITS))
def test_json_keeps_every_time_of_numpy(number: int, unit: str) -> None:
    if unit in {"W", "Y", "M", "D", "h", "m", "s", "ms"}:
        # Beyond, NumPy itself writes texts that it does not read.
        number %= 10**10
    for name in (
        np.array([number]).view(f"M8[{unit}]")[0],
        np.array([number]).view(f"m8[{unit}]")[0],
    ):
        found = name_from_json(json.loads(json.dumps(name_to_json(name))), None)
        assert found == name
        assert found.dtype == name.dtype


def test_a_timestamp_is_stored_as_the_datetime_that_it_equals() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    moment = pd.Timestamp("2020-01-02 03:04:05.000006")
    assert name_to_json(moment) == {"datetime": "2020-01-02T03:04:05.000006"}
    assert name_from_json(name_to_json(moment), None) == moment
    fine = pd.Timestamp(7)
    assert name_to_json(fine) is fine


def test_what_json_cannot_hold_stays_the_object() -> None:
    class Suit(enum.Enum):
        CLUBS = 1

    steps = np.array([0], "M8[25ns]")[0]
    assert name_to_json(Suit.CLUBS) is Suit.CLUBS
    assert name_to_json(steps) is steps
    assert name_to_json(("a", np.int8(3), np.bool_(True))) == {"tuple": ["a", 3, True]}


@pytest.mark.parametrize(
    "stored",
    [
        {"fraction": "1e3000000"},
        {"fraction": 1},
        {"decimal": 1.5},
        {"timedelta64": [True, "s"]},
        {"datetime64": ["NaT", "D"]},
        {"fraction": "1" * 5000},
        {"decimal": "1e999999"},
        {"datetime64": ["now", "s"]},
        {"datetime64": ["2020", "25s"]},
        {"datetime64": ["2020-13", "M"]},
        {"timedelta64": [2**63, "s"]},
        {"timedelta64": [1.5, "s"]},
        {"timedelta": [10**10, 0, 0]},
    ],
    ids=lambda stored: str(stored)[:30],
)
def test_a_stored_name_that_would_not_end_or_is_no_such_thing_is_refused(
    stored: dict[str, Any],
) -> None:
    with pytest.raises(InputError, match="cannot read the stored label") as caught:
        name_from_json(stored, None)
    assert len(str(caught.value)) < 400


def test_limits_are_where_integers_begin_to_be_skipped() -> None:
    for size, kind in ((2, np.float16), (4, np.float32), (8, np.float64)):
        limit = FLOAT_LIMITS[size]
        assert kind(limit) == kind(limit - 1) + 1
        assert kind(limit + 1) == kind(limit)


@pytest.mark.parametrize(
    "stored",
    [
        {"fraction": "1/0"},
        {"date": "2020-13-01"},
        {"bytes": 5},
        {"eval": "1"},
    ],
)
def test_a_damaged_stored_name_is_an_input_error(stored: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="cannot read the stored label"):
        name_from_json(stored, None)


def test_a_date_is_the_same_from_numpy_and_from_python() -> None:
    day = datetime.date(2020, 1, 1)
    assert plain(np.datetime64("2020-01-01")) == day
    assert count(np.array(["2020-01-01"], "M8[D]"), [day]).labels == [day]
    assert isinstance(plain(np.datetime64(1, "ns")), np.datetime64)

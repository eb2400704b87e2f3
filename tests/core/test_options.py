"""The refusals of options that have a wrong value."""

from typing import Any, Literal

import numpy as np
import pytest

from confmat import InputError, MetricError
from confmat.core.options import as_list, flag, one_of, told, whole_number


class Frame:
    """The features that a data frame shares with an array: a shape, no truth, and many lines of text."""

    shape = (2, 3)

    def __bool__(self) -> bool:
        msg = "the truth value of a Frame is ambiguous"
        raise ValueError(msg)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        return Frame()

    def __repr__(self) -> str:
        return "   a  b\n0  1  2"


class Nothing:
    """The missing value of pandas: neither true nor false, and equal to nothing."""

    def __bool__(self) -> bool:
        msg = "boolean value of NA is ambiguous"
        raise TypeError(msg)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        return self

    def __repr__(self) -> str:
        msg = "not even a text"
        raise RuntimeError(msg)


# A value that is no word, no flag, no whole number and no list.
NEITHER: list[Any] = [
    None,
    2.5,
    float("nan"),
    1j,
    object,
    len,
    Nothing(),
    np.array(2.5),
    np.datetime64("NaT", "s"),
]
# A value that is several things, so that it has no truth and no hash.
SEVERAL: list[Any] = [
    np.array([1, 2]),
    np.array(["a"]),
    np.zeros((2, 2)),
    [1],
    {"a"},
    {},
    Frame(),
    ["actual"],
]
HUGE = 10**6000


@pytest.mark.parametrize(
    "value",
    [
        *NEITHER,
        *SEVERAL,
        pytest.param(HUGE, id="huge"),
        -1,
        "Actual",
        "",
        b"actual",
        "a\ud800\u202e\n",
    ],
)
def test_whatever_comes_is_refused_in_one_line_by_one_family(value: Any) -> None:
    asked: list[Any] = [
        lambda: one_of("by", value, ("actual", "predicted")),
        lambda: one_of("by", value, Literal["actual", "predicted", "all"]),
        lambda: flag("by", value),
    ]
    if value is not HUGE:
        asked.append(lambda: whole_number("by", value))
    for ask in asked:
        with pytest.raises(InputError, match="`by` must be") as caught:
            ask()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 150


@pytest.mark.parametrize("value", [*NEITHER, 1, pytest.param(HUGE, id="huge"), "ab", b"AB"])
def test_what_is_one_thing_is_no_list(value: Any) -> None:
    with pytest.raises(InputError, match="`names` must be a list of texts, not ") as caught:
        as_list("names", value, "texts")
    assert "\n" not in str(caught.value)


def test_a_list_is_whatever_gives_its_members() -> None:
    for value in (["a", "b"], ("a", "b"), np.array(["a", "b"]), {"a": 1, "b": 2}, iter("ab")):
        assert as_list("names", value, "texts") == ["a", "b"]


def test_a_table_is_told_by_its_shape() -> None:
    assert told(Frame()) == "Frame of shape (2, 3)"
    assert told(np.zeros(3)) == "ndarray of shape (3,)"
    assert told(HUGE) == "a value of type int"


def test_the_error_is_the_one_asked_for() -> None:
    with pytest.raises(MetricError, match="did you mean 'wrong'"):
        one_of("outside", "wrnog", ("wrong", "exclude"), MetricError)
    assert whole_number("n", 0, 0) == 0
    assert whole_number("n", HUGE) == HUGE

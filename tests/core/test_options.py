"""The refusals of options that have a wrong value."""

from typing import Any

import numpy as np
import pytest

from confmat import InputError, MetricError
from confmat.core.options import as_list, one_of, told, whole_number


class Frame:
    """A data frame as far as messages tell of it: a shape, and many lines of text."""

    shape = (2, 3)

    def __repr__(self) -> str:
        return "   a  b\n0  1  2"


# A value that is no word, no flag, no whole number and no list.
# A value that is several things, so that it has no truth and no hash.
HUGE = 10**6000


@pytest.mark.parametrize(
    "value", [None, 2.5, len, np.array(2.5), pytest.param(HUGE, id="huge"), "ab", b"AB"]
)
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


def test_a_word_that_the_option_does_not_take_is_not_offered() -> None:
    """The area under a curve has no bootstrap, and `interval` has one for other scores."""
    with pytest.raises(InputError, match=r"not 'bootstrap'$"):
        one_of("method", "bootstrap", ("wilson", "delong"))
    with pytest.raises(InputError, match=r"not 'bca'; say method='bootstrap'$"):
        one_of("method", "bca", ("wald", "bootstrap"))

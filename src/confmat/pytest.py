"""The face for pytest: a fixture that holds a new model against a base one in a test.

Say `pytest_plugins = ["confmat.pytest"]` in conftest.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from confmat.comparison import Comparison
from confmat.core.options import door, one_of
from confmat.core.text import printable

__all__ = ["assert_no_worse"]


@pytest.fixture(scope="session")
def assert_no_worse() -> Callable[..., None]:
    """A function of a comparison of two models, a score and a margin: the test fails unless the second is no worse.

    `first` and `second` name two of several models. `undecided="pass"` lets a test pass where the
    items are too few to tell. A comparison with `level=0.9` decides at 5 %, as `confmat gate` does.
    """

    @door
    def assert_no_worse(
        comparison: Comparison,
        score: Any,
        margin: float,
        *,
        first: str | None = None,
        second: str | None = None,
        undecided: str = "fail",
    ) -> None:
        __tracebackhide__ = True
        one_of("undecided", undecided, ("fail", "pass"))
        difference = comparison.of(score, first, second)
        verdict = difference.no_worse(margin)
        if verdict == "worse" or (verdict == "undecided" and undecided == "fail"):
            names = f"{printable(difference.second)} no worse than {printable(difference.first)} by {margin:g}"
            pytest.fail(f"{names}: {verdict}. {difference}", pytrace=False)

    return assert_no_worse

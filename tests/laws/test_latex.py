"""The reader of LaTeX: what it reads, with what value, and what it refuses."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.laws.latex import Unreadable, evaluate

# Two classes, 3 and 4 hits among 5 + 6 items.
SCOPE: dict[str, Any] = {
    "size": 2,
    "K": 2,
    "n": 11,
    "TP": 3,
    "FP": 2,
    "FN": 2,
    "TN": 4,
    "d": lambda i: (3, 4)[i],
    "r": lambda i: (5, 6)[i],
    "C": lambda i, j: ((3, 2), (2, 4))[i][j],
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{\TP}{\TP + \FN}", 3 / 5),
        (r"2 \TP \TN / 3 - 4", 4),
        (r"-\TP^2 + \frac{1}{2} (\TN + 1)", -6.5),
        (r"(\TP \cdot \TN)^{3/4}", 12**0.75),
        (r"\left| \FN - \TN \right| |\FP|", 4),
        (r"\max(\TP, \FP, 1) - \min(\TN, \FP)", 1),
        (r"\ln \frac{\TP}{3} + \log_2(\TN)", 2),
        (r"\binom{\TN}{2}", 6),
        (r"\frac{2}{\pi} \arcsin \sqrt{\frac{1}{1}}", 1),
        (r"e^2", math.e**2),
        (r"\Phi^{-1}(\frac{\TP}{6}) + [\TP > 2] - [\TP < 2]", 1),
        (r"\frac{\sum_i d_i}{n}", 7 / 11),
        (r"\sum_{i < j} C_{ij}", 2),
        (r"\sum_i \max_j C_{ij}", 7),
        (r"\sum_{i: d_i > 3} r_i", 6),
        (r"|\{i: 3 < r_i < 6\}|", 1),
        (r"\sum_i \frac{d_i}{n} \log_2 \frac{d_i - d_i}{n}", math.nan),
        (r"\sum_i (d_i - d_i) \ln (d_i - d_i)", 0),
        (
            (
                r"\frac{p_o - s}{1 - s}, \quad p_o = \frac{\sum_i d_i}{n}, s = \sum_i q_i^2, q_i = "
                r"\frac{r_i}{n}"
            ),
            0.2666666667,
        ),
        (r"\frac{1}{\TP - 3}", math.nan),
    ],
)
def test_reads(text: str, value: float) -> None:
    assert evaluate(text, SCOPE) == pytest.approx(value, nan_ok=True)


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{1}{2",
        r"\TP +",
        r"\TP )",
        r"x + 1",
        r"\oint \TP",
        r"n_i",
        "",
        r"\max(\TP",
        r"\TP \le 2",
    ],
)
def test_refuses(text: str) -> None:
    with pytest.raises(Unreadable):
        evaluate(text, SCOPE)

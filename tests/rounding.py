"""How pages and what is printed now are compared."""

from __future__ import annotations

import re


def rounded(text: str) -> str:
    """Numbers of ten digits and more with eight: the last ones depend on the versions of SciPy and NumPy."""
    return re.sub(r"\d+\.\d{9,}", lambda number: f"{float(number[0]):.8g}", text)

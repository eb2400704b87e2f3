"""The how-to page about frames runs where pandas and DuckDB are installed, and prints what it says."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Marked `py`, not `python`, since those blocks run everywhere, also where there is no pandas.
EXAMPLE = re.compile(
    r"^```py\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?", re.MULTILINE | re.DOTALL
)


def test_the_page_prints_what_it_says() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("duckdb")
    spec = importlib.util.spec_from_file_location("pages", ROOT / "tests/test_docs.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    page = ROOT / "docs/how-to/count-frames.md"
    told = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = 0
    for example in EXAMPLE.finditer(told):
        line = told[: example.start("code")].count("\n")
        printed = pages.printed_by(example["code"], page, line, namespace)
        assert example["printed"] is None or printed == example["printed"]
        found += 1
    assert found == told.count("```py\n")

"""Every ```python block in README and docs runs, page by page, and prints what the ```text block after it says.

After an intended change, `python3 run.py test tests/test_docs.py --rewrite` puts the new output
into the pages.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.rounding import rounded

ROOT = Path(__file__).resolve().parent.parent
# A block of code, and the block of what it prints if that follows directly.
EXAMPLE = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?",
    re.MULTILINE | re.DOTALL,
)
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if page.exists() and EXAMPLE.search(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_print_what_the_page_says(page: Path, request: pytest.FixtureRequest) -> None:
    told = page.read_text(encoding="utf-8")
    true, end = "", 0
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for example in EXAMPLE.finditer(told):
        output = printed_by(
            example["code"], page, told[: example.start("code")].count("\n"), namespace
        )
        if example["printed"] is not None:
            true += told[end : example.start("printed")] + output
            end = example.end("printed")
    true += told[end:]
    # Pages that draw leave no figures behind.
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
    if request.config.getoption("--rewrite"):
        page.write_text(true, encoding="utf-8")
    else:
        assert rounded(told) == rounded(true)


def printed_by(code: str, page: Path, line: int, namespace: dict[str, Any]) -> str:
    """Run a block; give its output without trailing spaces, which no reader sees and editors remove."""
    # Padded, so that a traceback shows the page's own line number.
    program = compile("\n" * line + code, page, "exec")
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(program, namespace)  # noqa: S102 - the pages are our own
    lines = [line.rstrip() for line in output.getvalue().splitlines()]
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize(
    ("name", "package"), [("count-frames", "duckdb"), ("from-scikit-learn", "sklearn")]
)
def test_examples_of_a_package_print_what_the_page_says(name: str, package: str) -> None:
    """Blocks marked `py`, since those of `python` run everywhere, also where there is no such package."""
    pytest.importorskip("pandas")
    pytest.importorskip(package)
    page = ROOT / f"docs/how-to/{name}.md"
    told = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    examples = [*re.finditer(EXAMPLE.pattern.replace("python", "py"), told, EXAMPLE.flags)]
    for example in examples:
        line = told[: example.start("code")].count("\n")
        printed = printed_by(example["code"], page, line, namespace)
        assert example["printed"] is None or printed == example["printed"]
    assert len(examples) == told.count("```py\n") > 0

"""Every ```python block in README and docs runs, page by page, and prints what the ```text block after it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    line: int
    code: str
    printed: str | None


def examples(page: Path) -> list[Example]:
    """Read the python blocks of a page, each with the text block that follows it directly."""
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    found = []
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        if block[1] != "python":
            continue
        follows = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
        line = text[: block.start()].count("\n") + 2
        found.append(Example(line, block[2], after[2] if after and follows else None))
    return found


PAGES = [
    page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists() and examples(page)
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_print_what_the_page_says(page: Path) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line, code, printed in examples(page):
        output = io.StringIO()
        # Padded, so that a traceback shows the page's own line number.
        program = compile("\n" * (line - 1) + code, page, "exec")
        with contextlib.redirect_stdout(output):
            exec(program, namespace)
        if printed is not None:
            assert tidy(output.getvalue()) == tidy(printed), f"{page.name}:{line}"


def tidy(text: str) -> list[str]:
    """Lines without trailing spaces, which no reader sees and editors remove."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]

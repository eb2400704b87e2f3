"""The page about the command line shows what the program prints."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "command-line.md"


@pytest.mark.slow
@pytest.mark.skipif(
    not PAGE.exists() or sys.platform == "win32", reason="only in a clone, with a shell"
)
def test_the_page_shows_what_is_printed(folder: Path, request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    sample = re.search(r"```text\n(id,.*?)```", page, re.DOTALL)
    assert sample is not None
    (folder / "preds.csv").write_text(sample[1])
    found = re.sub(
        r"(?<=```console\n).*?(?=```)",
        lambda block: _printed(block[0], folder),
        page,
        flags=re.DOTALL,
    )
    if request.config.getoption("--rewrite"):
        PAGE.write_text(found, encoding="utf-8")
    assert found == page


def _printed(block: str, folder: Path) -> str:
    """The commands of a block with what they print now."""
    program = f"{shlex.quote(sys.executable)} -W ignore -m confmat"
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        line = command.replace("confmat", program, 1)
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=folder,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        lines += [f"$ {command}\n", done.stdout.decode()]
    return "".join(lines)

"""Pages with commands show what the program prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "how-to"
PAGE = GUIDES / "command-line.md"
# Guides whose Python writes the files, into `folder`, of which the commands speak.
BOTH = ["answers-to-claim", "is-my-judge-good"]


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PAGE.exists() or sys.platform == "win32", reason="only in a clone, with a shell"
    ),
]


def test_the_page_shows_what_is_printed(folder: Path, request: pytest.FixtureRequest) -> None:
    sample = re.search(r"```text\n(id,.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert sample is not None
    (folder / "preds.csv").write_text(sample[1])
    _compare(PAGE, folder, request)


@pytest.mark.parametrize("name", BOTH)
def test_a_guide_shows_what_is_printed(name: str, request: pytest.FixtureRequest) -> None:
    page = GUIDES / f"{name}.md"
    blocks = re.findall(
        r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec("".join(blocks), namespace)  # noqa: S102 - the pages are our own
    sys.modules["matplotlib.pyplot"].close("all")
    for file in namespace["folder"].iterdir():
        # The output says of what day a file is.
        os.utime(file, (1790000000, 1790000000))
    _compare(page, namespace["folder"], request)


def _compare(page: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    told = page.read_text(encoding="utf-8")
    found = re.sub(
        r"(?<=```console\n).*?(?=```)",
        lambda block: _printed(block[0], folder),
        told,
        flags=re.DOTALL,
    )
    if request.config.getoption("--rewrite"):
        page.write_text(found, encoding="utf-8")
    assert found == told


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
        lines += [
            f"$ {command}\n",
            re.sub(r"[ \r]+$", "", done.stdout.decode(), flags=re.MULTILINE),
        ]
    return "".join(lines)

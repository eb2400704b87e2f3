"""Pages with commands show what the program prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import confmat as cm
from tests.rounding import rounded

Run = Callable[..., tuple[int, str, str]]
DOCS = Path(__file__).resolve().parents[2] / "docs"
# Guides whose Python writes the files, into `folder`, of which the commands speak.
BOTH = ["answers-to-claim", "is-my-judge-good"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not DOCS.exists() or sys.platform == "win32", reason="only in a clone, with a shell"
    ),
]


@pytest.mark.parametrize("name", ["how-to/command-line", "skill"])
def test_the_page_shows_what_is_printed(
    name: str, folder: Path, request: pytest.FixtureRequest
) -> None:
    page = DOCS / f"{name}.md"
    sample = re.search(r"```text\n(id,.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert sample is not None
    (folder / "preds.csv").write_text(sample[1])
    _compare(page, folder, request)


@pytest.mark.parametrize("name", BOTH)
def test_a_guide_shows_what_is_printed(name: str, request: pytest.FixtureRequest) -> None:
    page = DOCS / "how-to" / f"{name}.md"
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
    assert rounded(found) == rounded(told)


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


def test_what_language_models_read_is_true(run: Run, folder: Path) -> None:
    """The commands and the Python of llms.txt run, and its links lead to pages."""
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    sample = re.search(r"```text\n(id,.*?)```", (DOCS / "skill.md").read_text("utf-8"), re.DOTALL)
    assert sample is not None
    (folder / "preds.csv").write_text(sample[1])
    commands = re.findall(r"`confmat ([^`]+)`", text)
    assert {words.split()[0] for words in commands} == {"count", "report", "compare", "gate"}
    assert [run(*shlex.split(words))[0] for words in commands] == [0, 0, 0, 1]
    names: dict[str, Any] = {"confmat": cm, "actual": list("aabb"), "predicted": list("abbb")}
    names |= {"old": list("abab"), "new": list("aabb"), "cat": "a"}
    for line in re.findall(r"`((?:m = )?confmat\.[^`]+)`", text):
        exec(line.replace("[cat]", "[a]"), names)  # noqa: S102 - the lines of our own page
    links = re.findall(r"\]\(([^)]+)\.html\)", text)
    assert len(links) > 10
    written = [link for link in links if not link.startswith("reference/generated/")]
    assert [link for link in written if not (DOCS / f"{link}.md").exists()] == []

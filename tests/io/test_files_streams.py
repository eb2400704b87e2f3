"""A stream has no end: what is in memory is the table of pairs, however many rows have passed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import io, re, sys
from confmat.io import count_files

class Endless(io.RawIOBase):
    def __init__(self, first, block, many):
        super().__init__()
        self.first, self.block, self.many = first, block, many
    def read1(self, size=-1):
        first, self.first = self.first, b""
        self.many -= not first
        return first or (self.block if self.many >= 0 else b"")

kind, many = sys.argv[1], int(sys.argv[2])
rows = [(f"class {i % 50}", f"class {i % 40}") for i in range(20_000)]
if kind == "jsonl":
    first, block = b"", "".join(f'{{"y": "{a}", "yhat": "{b}"}}\\n' for a, b in rows)
else:
    quote = '"' if kind == "quoted" else ""
    first, block = b"y,yhat\\n", "".join(f"{quote}{a}{quote},{b}\\n" for a, b in rows)
found = count_files(Endless(first, block.encode(), many), format="jsonl" if kind == "jsonl" else "csv")
assert found.total == many * len(rows)
print(re.search("VmHWM:\\\\s*(\\\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system does not tell the peak of memory"
)
@pytest.mark.parametrize("kind", ["plain", "quoted", "jsonl"])
def test_memory_does_not_grow_with_the_rows(kind: str) -> None:
    def peak(many: int) -> int:
        return int(
            subprocess.check_output([sys.executable, "-c", PROGRAM, kind, str(many)], text=True)
        )

    # Half a megabyte a block, or somewhat more: a few of them, and ten times as many.
    few = 10 if kind == "plain" else 4
    assert peak(10 * few) - peak(few) < 10_000

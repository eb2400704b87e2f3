"""A message has the same words each time, whatever Python's hash seed and the threads of an engine."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import confmat as cm
from confmat.io.queries import find_columns
from confmat.segmentation import panoptic

def said(call, *arguments, **options):
    try:
        print(call(*arguments, **options))
    except cm.ConfmatError as error:
        print(error)

said(find_columns, ["id"], None, None)
samples = [
    cm.count(["a", "b"] * 9, ["a", "b"] * 9, strata=["s", "t"] * 9).standardize({"s": 90, "t": 90}),
    cm.count(["a", "b"] * 9, ["a", "b"] * 9, probability=[0.5] * 18),
]
for line in cm.compare(dict(zip("xy", samples)), same_items=False).notes:
    print(line)
names = {i: f"class {i}" for i in range(6)}
parts = [panoptic([[[1, 1]]], [[[1, 1]]], labels=names, things=[*names.values()][:many]) for many in (1, 5)]
said(lambda: parts[0] + parts[1])
"""


def test_the_hash_seed_of_python_changes_no_message() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "1234"
    }
    assert len(found) == 1, found

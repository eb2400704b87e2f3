"""A message has the same words each time, whatever Python's hash seed and the threads of an engine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import confmat as cm
from confmat.io import count_files

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


def test_the_column_of_too_many_pairs_in_parquet_is_the_same_each_time(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = np.arange(400_000)
    names = [np.char.add(side, (rows % many).astype(str)) for side, many in (("a", 37), ("b", 41))]
    pq.write_table(
        pa.table({"y": names[0], "yhat": names[1]}), tmp_path / "p.parquet", row_group_size=2_000
    )

    def said() -> str:
        with pytest.raises(cm.BudgetError) as caught:
            count_files(tmp_path / "p.parquet", max_pairs=20, threads=4)
        return str(caught.value)

    assert len({said() for _ in range(12)}) == 1

"""More pairs than fit into memory go through a temporary file, and are the same pairs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import confmat as cm
from confmat.io import count_files, gathering

pytest.importorskip("duckdb")
LIMIT, FITTING, ROWS, CLASSES = "200MB", 100, 3000, 40


@pytest.fixture(autouse=True)
def few_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Memory for few of the pairs."""
    monkeypatch.setattr(gathering, "PAIR_BYTES", 200_000_000 // FITTING)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spilled"))
    (tmp_path / "spilled").mkdir()


def drawn(suffix: str, path: Path) -> tuple[list[str | None], list[str | None], list[str]]:
    rng = np.random.default_rng(29)
    actual, predicted = (
        [f"c{i}" if i else None for i in rng.integers(0, CLASSES, ROWS)] for _ in range(2)
    )
    groups = [f"g{i}" for i in rng.integers(0, 3, ROWS)]
    rows = zip(actual, predicted, groups, strict=True)
    if suffix == ".csv":
        path.write_text("y,yhat,g\n" + "".join(f"{a or ''},{b or ''},{g}\n" for a, b, g in rows))
    elif suffix == ".parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(
            pa.table({"y": actual, "yhat": predicted, "g": groups}), path, row_group_size=500
        )
    else:
        path.write_text("".join(json.dumps({"y": a, "yhat": b, "g": g}) + "\n" for a, b, g in rows))
    return actual, predicted, groups


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("is_grouped", [False, True])
def test_pairs_on_disk_are_the_pairs(tmp_path: Path, suffix: str, is_grouped: bool) -> None:
    paths = [tmp_path / f"{i}{suffix}" for i in range(2)]
    parts = [drawn(suffix, path) for path in paths]
    actual, predicted, groups = ([*chain(*side)] for side in zip(*parts, strict=True))
    by: dict[str, Any] = {"by": "g"} if is_grouped else {}
    found = count_files(
        paths, actual="y", predicted="yhat", missing="collect", memory_limit=LIMIT, **by
    )
    given: dict[str, Any] = {"by": groups} if is_grouped else {}
    known: Any = cm.count(actual, predicted, missing="collect", **given)
    if is_grouped:
        assert dict(found) == {key: known[key].reorder(found[key].labels) for key in known}
    else:
        assert found == known.reorder(found.labels)
    assert not list((tmp_path / "spilled").iterdir())


def test_limits_hold_for_pairs_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.csv"
    actual, predicted, _ = drawn(".csv", path)
    many = len({*zip(actual, predicted, strict=True)})
    options: dict[str, Any] = {
        "actual": "y",
        "predicted": "yhat",
        "missing": "drop",
        "memory_limit": LIMIT,
    }
    assert many > FITTING
    assert count_files(path, max_pairs=many, **options).total <= ROWS
    with pytest.raises(
        cm.BudgetError, match=f"more than `max_pairs` = {many - 1:,} different pairs"
    ):
        count_files(path, max_pairs=many - 1, **options)
    monkeypatch.setattr(gathering, "SPILLED_BYTES", 200_000_000 // (many - 1))
    with pytest.raises(cm.BudgetError, match="raise `memory_limit` = '200MB', which they fill"):
        count_files(path, **options)
    monkeypatch.setattr(gathering, "NAME_BYTES", 200_000_000 // (CLASSES - 1))
    with pytest.raises(cm.BudgetError, match="`memory_limit` = '200MB'"):
        count_files(path, **options)
    assert not list((tmp_path / "spilled").iterdir())


def test_without_duckdb_more_pairs_than_fit_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "find_spec", lambda _: None)
    drawn(".csv", tmp_path / "p.csv")
    with pytest.raises(cm.BudgetError, match=f"more than {FITTING} different pairs"):
        count_files(
            tmp_path / "p.csv", actual="y", predicted="yhat", missing="drop", memory_limit=LIMIT
        )


COUNTED = r"""
import re, sys
from pathlib import Path
from confmat.io import count_files
found = count_files(sys.argv[1], actual="y", predicted="yhat", memory_limit="500MB", max_pairs=2**24, max_classes=2**12)
# The peak that `resource` gives is no less than that of the process that began this one.
peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[1]
print(found.total, len(found.labels), int(peak) * 1024)
"""


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["integers", "texts"])
def test_ten_million_pairs_of_parquet_in_half_a_gigabyte(tmp_path: Path, kind: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    if not Path("/proc/self/status").exists():
        pytest.skip("only Linux says what a process took at most")
    classes, pairs = 3200, 10_000_000
    names = pa.array(
        range(classes) if kind == "integers" else [f"class {i:04}" for i in range(classes)]
    )
    sides = np.divmod(np.random.default_rng(29).permutation(classes**2)[:pairs], classes)
    pq.write_table(
        pa.table(dict(zip(("y", "yhat"), map(names.take, map(pa.array, sides)), strict=True))),
        tmp_path / "p.parquet",
    )
    words = [sys.executable, "-c", COUNTED, str(tmp_path / "p.parquet")]
    total, labels, peak = map(
        int, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    )
    assert (total, labels) == (pairs, classes)
    # The limit, and what the program takes before it counts.
    assert peak <= 1.3 * (500e6 + 60e6)

"""Processors: those of the affinity, and no more than the control groups of the process grant."""

from __future__ import annotations

import os
from math import inf
from pathlib import Path

import pytest

from confmat.core import processors

# The groups that a process says it is in, the files of these, and the processors that they grant.
CASES: dict[str, tuple[str, dict[str, str], float]] = {
    "no limit": ("0::/\n", {"cpu.max": "max 100000\n"}, inf),
    "version 2": ("0::/\n", {"cpu.max": "150000 100000\n"}, 150000 / 100000),
    "a group above": (
        "0::/pod/box\n",
        {
            "cpu.max": "max 100000",
            "pod/cpu.max": "200000 100000",
            "pod/box/cpu.max": "400000 100000",
        },
        200000 / 100000,
    ),
    "a path of outside": ("0::/docker/4f2a\n", {"cpu.max": "50000 100000"}, 50000 / 100000),
    "version 1": (
        "4:cpu,cpuacct:/box\n2:memory:/\n0::/\n",
        {
            "cpu,cpuacct/box/cpu.cfs_quota_us": "300000\n",
            "cpu,cpuacct/box/cpu.cfs_period_us": "100000\n",
        },
        300000 / 100000,
    ),
    "version 1 without a limit": (
        "4:cpu:/\n",
        {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"},
        inf,
    ),
    "nonsense": ("x\n", {"cpu.max": "many"}, inf),
}


@pytest.mark.parametrize("case", CASES)
def test_a_quota_is_read_from_the_groups(tmp_path: Path, case: str) -> None:
    said, files, granted = CASES[case]
    (tmp_path / "self").write_text(said)
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert processors.quota(tmp_path / "self", tmp_path / "root") == granted


@pytest.mark.parametrize(("granted", "many"), [(0.5, 1), (2.9, 2), (inf, 8)])
def test_the_least_of_affinity_and_quota_is_used(
    monkeypatch: pytest.MonkeyPatch, granted: float, many: int
) -> None:
    processors.cores.cache_clear()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(processors, "quota", lambda *_: granted)
    assert processors.cores() == many
    processors.cores.cache_clear()

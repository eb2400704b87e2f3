"""The machine of the measurements: processor, system, versions. No names of machines or people."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import confmat

__all__ = ["machine", "unrest"]

PEERS = (
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "torchmetrics",
    "pycm",
    "pandas",
    "polars",
    "duckdb",
    "pyarrow",
)


def machine() -> dict[str, str]:
    """The facts that explain a time: processor, cores, memory, system, versions, the kernel in use."""
    versions = {"confmat": f"{confmat.__version__} ({confmat.kernel_name()} kernel)"}
    for name in PEERS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "absent"
    return {
        "processor": f"{_processor()}, {_cores()} cores, {_memory()}",
        "system": f"{platform.system()}, {platform.machine()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
    }


def unrest() -> float:
    """How many programs wanted a core in the last minute, per core: much above 1, the machine had other work too."""
    return os.getloadavg()[0] / _cores() if hasattr(os, "getloadavg") else float("nan")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    found = (
        re.search(r"^model name\s*: (.+)$", info.read_text(), re.MULTILINE)
        if info.exists()
        else None
    )
    return found[1].strip() if found else platform.processor() or platform.machine()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _memory() -> str:
    info = Path("/proc/meminfo")
    found = (
        re.search(r"^MemTotal:\s*(\d+) kB", info.read_text(), re.MULTILINE)
        if info.exists()
        else None
    )
    return f"{int(found[1]) / 2**20:.0f} GiB" if found else "memory unknown"

"""Processors that this process may use: those it may run on, and no more than its container has time for."""

from __future__ import annotations

import functools
import os
from contextlib import suppress
from pathlib import Path


@functools.cache
def cores() -> int:
    """How many processors this process may use."""
    many = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, int(min(many, quota(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")))))


def quota(groups: Path, root: Path) -> float:
    """Processors whose time the control groups of this process, of version 1 or 2, grant it; infinity without a limit.

    A group has no more than those above it; within a container the path of its group may not be
    there, but the root is.
    """
    found = float("inf")
    with suppress(OSError, ValueError):
        for line in groups.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers and "cpu" not in controllers.split(","):
                continue
            # All controllers of version 2 lie at the root; in version 1 each has its folder, or
            # several share one.
            top = root / controllers if (root / controllers).is_dir() else root / "cpu"
            for folder in (top / path.lstrip("/"), *(top / path.lstrip("/")).parents):
                if folder.is_relative_to(top):
                    found = min(found, _granted(folder))
    return found


def _granted(folder: Path) -> float:
    """Return the processors that one group grants."""
    with suppress(OSError, ValueError, ZeroDivisionError):
        if (folder / "cpu.max").exists():
            time, period = (folder / "cpu.max").read_text(encoding="utf-8").split()
        else:
            time, period = (
                (folder / f"cpu.cfs_{name}_us").read_text(encoding="utf-8")
                for name in ("quota", "period")
            )
        # "max", or -1, is no limit.
        if time != "max" and int(time) > 0:
            return int(time) / int(period)
    return float("inf")

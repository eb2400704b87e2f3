"""Shared by all tests: both kernels, the tiers, and how hard Hypothesis searches."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from confmat import kernels
from confmat.kernels import reference

# User code that type checkers read; it is wrong on purpose.
collect_ignore = ["data"]

# A test that fails shows the whole way to an error.
os.environ.setdefault("CONFMAT_TRACEBACK", "full")

# Keras reads it once, at its first import, which may be that of a docstring's example; PyTorch is
# there for others.
os.environ.setdefault("KERAS_BACKEND", "torch")

# The tiers of `run.py test`, each an option here as well.
TIERS = {
    "all": "also run the slow tests, and draw more examples for each law",
    "peers": "like --all, with the tests that compare with heavy peers",
    "nightly": "everything, with ten times as many examples",
}
# The markers of tests that not every tier runs, and the tiers that do.
INCLUDED_BY = {
    "slow": ["all", "peers", "nightly"],
    "peers": ["peers", "nightly"],
    "nightly": ["nightly"],
}
SKIPPED_TIERS = {
    "slow": "slow: python3 run.py test --all",
    "peers": "compares with heavy peers: python3 run.py test --peers",
    "nightly": "takes minutes: python3 run.py test --nightly",
}
# The examples that Hypothesis draws for a law.
EXAMPLES = {"few": 3, "quick": 10, "all": 50, "thorough": 100}


KERNELS: dict[str, ModuleType | None] = {
    "compiled": None if kernels.kernel is reference else kernels.kernel,
    "reference": reference,
}


# Once per module, not per test: the twins run one after the other, and Hypothesis may share the
# fixture among its examples.
@pytest.fixture(scope="module", params=list(KERNELS))
def kernel(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """Count with each kernel in turn; ask for it by `pytestmark = pytest.mark.usefixtures("kernel")`.

    It works because the package reads `kernels.kernel` at every call and keeps no copy of its own.
    """
    chosen = KERNELS[request.param]
    if chosen is None:
        pytest.skip("the compiled kernel is not in use here")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "kernel", chosen)
        yield chosen


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser for all tests of a file; root, as in a container, gets no sandbox."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("there is no Chromium (Debian: apt-get install chromium)")
    flags = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our own options."""
    for tier, meaning in TIERS.items():
        parser.addoption(f"--{tier}", action="store_true", help=meaning)
    parser.addoption(
        "--rest",
        action="store_true",
        help="leave out what passed in the last run without this option",
    )
    parser.addoption(
        "--rewrite", action="store_true", help="put what the examples print into README and docs"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose how hard Hypothesis searches, before any test module reads it."""
    # Labels drawn at random are seldom those of the truth, and may look alike or mean none; these
    # warnings are those of tests/counting/test_strangers.py and test_notes.py.
    for said in (".* predicted labels never occur", ".* are two classes", ".* counted as a class"):
        config.addinivalue_line(
            "filterwarnings", f"ignore:{said}:confmat.core.errors.ConfmatWarning"
        )
    for name, examples in EXAMPLES.items():
        # No deadlines: the first call of a test may import, and a busy machine is not a bug. In CI
        # every machine draws the same examples, so that a red run is red again.
        settings.register_profile(
            name, max_examples=examples, deadline=None, derandomize="CI" in os.environ, print_blob=True,
            suppress_health_check=[HealthCheck.too_slow],
        )  # fmt: skip
    tier = (
        "thorough"
        if config.getoption("--nightly")
        else "all"
        if _includes(config, "slow")
        else "quick"
    )
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or tier)


# The names of the tests that passed in this run.
_passed: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what passed; with several processes, the one that collects their reports does it."""
    if report.when == "call" and report.passed:
        _passed.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep the names of what passed, for a run of the rest."""
    if getattr(session.config, "cache", None) and not (
        hasattr(session.config, "workerinput") or session.config.getoption("--rest")
    ):
        session.config.cache.set("confmat/passed", _passed)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what passed before, if that is asked for; skip the tests of the tiers that were not asked for."""
    if config.getoption("--rest"):
        before = set(
            config.cache.get("confmat/passed", []) if getattr(config, "cache", None) else []
        )
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
        items[:] = [item for item in items if item.nodeid not in before]
    for marker, reason in SKIPPED_TIERS.items():
        if not _includes(config, marker):
            skip = pytest.mark.skip(reason=reason)
            for item in items:
                if item.get_closest_marker(marker):
                    item.add_marker(skip)


def _includes(config: pytest.Config, marker: str) -> bool:
    """Whether the tests with this marker run."""
    return any(config.getoption(f"--{tier}") for tier in INCLUDED_BY[marker])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Sum what was skipped by its reason; a line a test would be hundreds."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        terminalreporter.section("skipped", sep="-")
    packages = Counter(
        {reason.removesuffix(ABSENT): n for reason, n in reasons.items() if reason.endswith(ABSENT)}
    )
    for reason, n in reasons.most_common():
        if not reason.endswith(ABSENT):
            terminalreporter.write_line(f"{n:6,}  {reason}")
    if packages:
        names = ", ".join(f"{package} {n}" for package, n in packages.most_common())
        terminalreporter.write_line(f"{packages.total():6,}  not installed: {names}")


ABSENT = " is not installed"


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Read why a test was skipped; absent packages are reported in one form."""
    reason = str(
        report.longrepr[2] if isinstance(report.longrepr, (tuple, list)) else report.longrepr
    )
    reason = reason.removeprefix("Skipped: ")
    missing = re.match(r"could not import '([\w.]+)'", reason)
    return missing[1] + ABSENT if missing else reason


def pytest_report_header() -> str:
    """Say at the top which kernel the package has chosen."""
    return f"kernel: {kernels.kernel_name()}"

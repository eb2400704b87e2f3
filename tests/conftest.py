"""What all tests share: both kernels, the peers' option, and how hard Hypothesis searches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from confmat import kernels
from confmat.kernels import reference

# Keras reads it once, at its first import, which may be that of a docstring's example; PyTorch is there for others.
os.environ.setdefault("KERAS_BACKEND", "torch")

# No deadlines: the first call of a test may import, and a busy machine is not a bug.
settings.register_profile("dev", max_examples=30, deadline=None)
# Every machine draws the same examples, so that a red run is red again.
settings.register_profile("ci", max_examples=150, deadline=None, derandomize=True, print_blob=True)
# For a second run of the same tests.
settings.register_profile("few", max_examples=3, deadline=None, derandomize=True)
# For a night: HYPOTHESIS_PROFILE=thorough python3 run.py test
settings.register_profile("thorough", max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))

KERNELS: dict[str, ModuleType | None] = {
    "compiled": None if kernels.kernel is reference else kernels.kernel,
    "reference": reference,
}


# Once per module, not per test: the twins run one after the other, and Hypothesis may share the fixture
# among its examples.
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add our own options."""
    parser.addoption("--peers", action="store_true", help="also run the tests that compare with heavy peers")
    parser.addoption("--rewrite", action="store_true", help="put what the examples print into README and docs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the peers' group unless it is asked for."""
    if config.getoption("--peers"):
        return
    skip = pytest.mark.skip(reason="compares with heavy peers: python3 run.py test --peers")
    for item in items:
        if "peers" in item.keywords:
            item.add_marker(skip)


def pytest_report_header() -> str:
    """Say at the top which kernel the package has chosen."""
    return f"kernel: {kernels.kernel_name()}"
